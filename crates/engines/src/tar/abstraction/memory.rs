//! Memory: the cell that an access touches, and its content.

use super::control::{Base, Cell, Control, Object, Slot, Value};
use super::model::{Access, NUMBER_WIDTH};
use super::translate::{Class, Halt, Run, Translator};
use check::ReasonKind;
use ir::{Initial, ObjectKind, Order, Property, Symbol, Type};
use smt::{Bits, Term};

/// The target of an access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) object: Object,
    pub(super) is_ghost: bool,
    pub(super) offset: Term,
    pub(super) bytes: u64,
}

/// How a target is accessed, for race detection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) is_atomic: bool,
    pub(super) acquires: bool,
    pub(super) releases: bool,
}

impl Manner {
    pub(super) fn load(order: Order) -> Manner {
        let is_atomic = order.is_atomic();
        Manner { reads: true, writes: false, is_atomic, acquires: order.acquires(), releases: true }
    }

    pub(super) fn store(order: Order) -> Manner {
        let is_atomic = order.is_atomic();
        Manner { reads: false, writes: true, is_atomic, acquires: true, releases: order.releases() }
    }

    /// Of blocking and waking operations.
    pub(super) const SYNCHRONISES: Manner =
        Manner { reads: true, writes: true, is_atomic: true, acquires: true, releases: true };
}

fn class(object: Object, is_ghost: bool) -> Class {
    match object {
        Object::Static(id) => (Some(id), None, is_ghost),
        Object::Stack { at, .. } => (None, Some(at), is_ghost),
    }
}

impl Translator<'_> {
    pub(super) fn bytes(&self, ty: Type) -> u64 {
        ty.bytes(self.program.data_model.pointer_bytes())
    }

    pub(super) fn size(&self, object: Object) -> u64 {
        match object {
            Object::Static(id) => self.program.objects[id].size,
            Object::Stack { bytes, .. } => bytes,
        }
    }

    /// The target of a valid access.
    pub(super) fn locate(&mut self, run: &mut Run, pointer: Value, bytes: u64, writes: bool) -> Result<Target, Halt> {
        let forbidden = |detail: &str| Err(Halt::Forbidden(Property::Memory, detail.to_owned()));
        let (object, is_ghost) = match pointer.base {
            Base::Object(object) => (object, false),
            Base::Ghost(object) => (object, true),
            Base::Number if self.constant(pointer.bits).is_none() => {
                let detail = "a pointer is followed of which it is not known where it leads".to_owned();
                return Err(Halt::Gap(ReasonKind::Unsupported, detail));
            }
            Base::Elsewhere => {
                let detail = "memory is accessed that was allocated, or is on a stack and shared".to_owned();
                return Err(Halt::Gap(ReasonKind::Unsupported, detail));
            }
            Base::Gone => return forbidden("access to an object that no longer exists"),
            Base::Number | Base::Function(_) | Base::Thread(_) => {
                return forbidden("access through an invalid pointer");
            }
        };
        let size = if is_ghost { ir::ghost_size(self.size(object)) } else { self.size(object) };
        let Some(most) = size.checked_sub(bytes) else { return forbidden("access outside an object") };
        let most = self.number(self.pointer_width(), u128::from(most));
        let outside = self.model.terms.ult(most, pointer.bits);
        match self.model.terms.as_bool(outside) {
            Some(false) => {}
            Some(true) => return forbidden("access outside an object"),
            None => self.forbid(run, Some(outside), Property::Memory, "access outside an object"),
        }
        if writes && !is_ghost && self.is_constant(object) {
            return forbidden("write of constant memory");
        }
        Ok(Target { object, is_ghost, offset: pointer.bits, bytes })
    }

    fn is_constant(&self, object: Object) -> bool {
        matches!(object, Object::Static(id) if self.program.objects[id].kind == ObjectKind::Constant)
    }

    /// Records an access to shared memory.
    pub(super) fn note(&mut self, run: &mut Run, target: &Target, manner: Manner) {
        let Object::Static(object) = target.object else { return };
        if !self.is_shared(target.object) {
            return;
        }
        run.has_effect |= manner.writes;
        // The offset over the variables of the node: only thread-local statements precede the access.
        let access = Access {
            object,
            is_ghost: target.is_ghost,
            offset: target.offset,
            bytes: target.bytes,
            reads: manner.reads,
            writes: manner.writes,
            is_atomic: manner.is_atomic,
            acquires: manner.acquires,
            releases: manner.releases,
            is_in_region: run.control.regions > 0,
        };
        self.model.nodes[run.source].accesses.push(access);
    }

    /// The cell of a target; none if the object is opaque, or becomes so.
    fn cell_of(&mut self, target: &Target) -> Option<Cell> {
        let class = class(target.object, target.is_ghost);
        if self.known.opaque.contains(&class) {
            return None;
        }
        let Some(offset) = self.constant(target.offset) else {
            self.demand(target.offset);
            if !self.is_stale {
                self.make_opaque(class);
            }
            return None;
        };
        let (offset, bytes) = (offset as u64, target.bytes);
        let is_own = !self.is_shared(target.object);
        let cells = self.known.cells.entry(class).or_default();
        let is_known = cells.get(&offset) == Some(&bytes);
        if !is_known {
            let before = cells.range(..offset + bytes).next_back();
            if before.is_some_and(|(&start, &length)| start + length > offset) {
                self.make_opaque(class);
                return None;
            }
            cells.insert(offset, bytes);
            // The initial contents of stack objects are recorded cell by cell.
            self.is_stale |= is_own;
        }
        Some(Cell { object: target.object, is_ghost: target.is_ghost, offset, bytes })
    }

    fn make_opaque(&mut self, class: Class) {
        self.is_stale |= self.known.opaque.insert(class);
    }

    /// Makes the cells of a range of an object opaque.
    pub(super) fn make_target_opaque(&mut self, target: &Target) {
        self.make_opaque(class(target.object, target.is_ghost));
    }

    pub(super) fn read(&mut self, run: &mut Run, target: &Target, ty: Type) -> Value {
        let width = self.width(ty);
        if !target.is_ghost && self.is_constant(target.object) {
            return self.read_constant(target, width);
        }
        let Some(cell) = self.cell_of(target) else {
            return Value { base: Base::Number, bits: self.input(width) };
        };
        let variable = self.cell(run.control.template, cell);
        let bits = run.values.get(&variable).copied().unwrap_or(variable);
        if self.is_shared(cell.object) {
            return Value { base: Base::Number, bits: self.resize(bits, width) };
        }
        match run.control.cells.get(&cell) {
            Some(&Slot::Known(base, constant)) => Value { base, bits: self.number(width, constant) },
            Some(&Slot::Variable(base)) => Value { base, bits: self.resize(bits, width) },
            None => Value { base: Base::Number, bits: self.resize(bits, width) },
        }
    }

    fn read_constant(&mut self, target: &Target, width: u32) -> Value {
        if let (Object::Static(id), Some(offset)) = (target.object, self.constant(target.offset)) {
            if let Initial::Bytes { relocations, .. } = &self.program.objects[id].initial {
                let found = relocations.iter().find(|relocation| u128::from(relocation.at) == offset).copied();
                if let (Some(relocation), true) = (found, width == self.pointer_width()) {
                    return self.relocated(relocation.symbol, relocation.offset);
                }
            }
            let cell = Cell { object: target.object, is_ghost: false, offset: offset as u64, bytes: target.bytes };
            if let Some(value) = self.initial(cell) {
                return Value { base: Base::Number, bits: self.resize(value, width) };
            }
        }
        Value { base: Base::Number, bits: self.input(width) }
    }

    fn relocated(&mut self, symbol: Symbol, offset: i64) -> Value {
        let width = self.pointer_width();
        let bits = self.number(width, offset as u128 & ir::arith::mask(width as u16));
        let base = match symbol {
            Symbol::Object(object) => Base::Object(Object::Static(object)),
            Symbol::Function(function) => Base::Function(function),
        };
        Value { base, bits }
    }

    pub(super) fn write(&mut self, run: &mut Run, target: &Target, value: Value) {
        let Some(cell) = self.cell_of(target) else { return };
        let variable = self.cell(run.control.template, cell);
        let width = self.model.terms.width(variable);
        let is_shared = self.is_shared(cell.object);
        if is_shared {
            let bits = match value.base {
                Base::Number => value.bits,
                // Some number other than 0. (A dangling value may be anything.)
                Base::Thread(_) => self.some_number(width.min(NUMBER_WIDTH)),
                Base::Object(_) | Base::Ghost(_) | Base::Function(_) | Base::Elsewhere => self.some_number(width),
                Base::Gone => self.input(width),
            };
            let bits = self.resize(bits, width);
            run.values.insert(variable, bits);
            return;
        }
        let bits = self.resize(value.bits, width);
        let is_pointer = cell.bytes == self.program.data_model.pointer_bytes();
        match self.slot(value.base, bits, is_pointer) {
            Some(slot @ Slot::Known(..)) => {
                run.values.remove(&variable);
                run.control.cells.insert(cell, slot);
            }
            Some(slot @ Slot::Variable(_)) => {
                run.values.insert(variable, bits);
                run.control.cells.insert(cell, slot);
            }
            None => {
                run.values.insert(variable, bits);
                run.control.cells.remove(&cell);
            }
        }
    }

    /// Initialises the cells of a new object.
    pub(super) fn begin_object(&mut self, run: &mut Run, object: Object, zeroed: bool) {
        for is_ghost in [false, true] {
            let cells = self.known.cells.get(&class(object, is_ghost)).cloned().unwrap_or_default();
            for (offset, bytes) in cells {
                let cell = Cell { object, is_ghost, offset, bytes };
                let variable = self.cell(run.control.template, cell);
                let width = self.model.terms.width(variable);
                let value =
                    if zeroed || is_ghost { self.model.terms.bits(Bits::zero(width)) } else { self.input(width) };
                run.control.cells.remove(&cell);
                run.values.insert(variable, value);
            }
        }
    }

    /// Adds the pointers that initialisers put into private memory.
    pub(super) fn add_pointers(&mut self, control: &mut Control) {
        let program = self.program;
        for (id, object) in program.objects.enumerate() {
            let Initial::Bytes { relocations, .. } = &object.initial else { continue };
            let is_own = object.kind != ObjectKind::Constant && !self.is_shared(Object::Static(id));
            for relocation in relocations.iter().filter(|_| is_own) {
                let value = self.relocated(relocation.symbol, relocation.offset);
                let bytes = program.data_model.pointer_bytes();
                let cell = Cell { object: Object::Static(id), is_ghost: false, offset: relocation.at, bytes };
                if let Some(slot) = self.slot(value.base, value.bits, true) {
                    control.cells.insert(cell, slot);
                }
            }
        }
    }

    /// The initial value of a cell of a static object, if known.
    pub(super) fn initial(&mut self, cell: Cell) -> Option<Term> {
        let Object::Static(id) = cell.object else { return None };
        let width = (cell.bytes * 8) as u32;
        if cell.is_ghost {
            return Some(self.model.terms.bits(Bits::zero(width)));
        }
        match &self.program.objects[id].initial {
            Initial::Arbitrary => None,
            Initial::Bytes { bytes, relocations } => {
                let pointer = self.program.data_model.pointer_bytes();
                let overlaps = relocations.iter().any(|relocation| {
                    relocation.at < cell.offset + cell.bytes && cell.offset < relocation.at + pointer
                });
                if overlaps || cell.bytes > 16 {
                    return None;
                }
                let at = |index: u64| bytes.get((cell.offset + index) as usize).copied().unwrap_or(0);
                let value = (0..cell.bytes).fold(0u128, |all, index| all | u128::from(at(index)) << (8 * index));
                Some(self.model.terms.bits(Bits::from_u128(width, value)))
            }
        }
    }
}
