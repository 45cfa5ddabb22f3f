//! Memory: the cell that an access touches, and its content.

use super::control::{Base, Cell, Control, Object, Target, Value};
use super::model::{Access, NUMBER_WIDTH};
use super::translate::{Class, Run, Translator};
use crate::symbolic::{initial, Done, Evaluator, Memory, Reading};
use ir::{Initial, ObjectKind, Order, Symbol, Type};
use smt::Term;

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

    /// Of a read-modify-write with these orders of success and failure.
    pub(super) fn update(order: Order, failure: Order) -> Manner {
        let (is_atomic, acquires) = (order.is_atomic(), order.acquires() && failure.acquires());
        Manner { reads: true, writes: true, is_atomic, acquires, releases: order.releases() }
    }
}

fn class(object: Object, is_ghost: bool) -> Class {
    match object {
        Object::Static(id) => (Some(id), None, is_ghost),
        Object::Stack { at, .. } => (None, Some(at), is_ghost),
    }
}

impl Memory for Translator<'_> {
    const KNOWS_POINTERS: bool = false;

    fn access(&mut self, run: &mut Run, target: &Target, reading: Reading) -> Done {
        let manner = match reading {
            Reading::Load(order) => Manner::load(order),
            Reading::Update(order) => Manner::update(order, order),
            Reading::Exchange(_, order, failure) => Manner::update(order, failure),
        };
        self.note_access(run, target, manner);
        Ok(())
    }

    fn read(&mut self, run: &mut Run, target: &Target, ty: Type) -> Done<Value> {
        let width = self.width(ty);
        if !target.is_ghost && self.is_constant(target.object) {
            return Ok(self.read_constant(run, target, width));
        }
        let Some(cell) = self.cell_of(target) else { return Ok(Value::number(self.input(run, width))) };
        let variable = self.cell(run.control.template, cell);
        let slot = run.control.cells.get(&cell).copied();
        Ok(self.value(run, slot, variable, width))
    }

    fn write(&mut self, run: &mut Run, target: &Target, _ty: Type, value: Value) -> Done {
        let Some(cell) = self.cell_of(target) else { return Ok(()) };
        let variable = self.cell(run.control.template, cell);
        let width = self.model.terms.width(variable);
        if self.is_shared(cell.object) {
            let bits = match value.base {
                Base::Number => value.bits,
                // Some number other than 0. (A dangling value may be anything.)
                Base::Thread(_) => self.some_number(run, width.min(NUMBER_WIDTH)),
                Base::Object(_) | Base::Ghost(_) | Base::Function(_) | Base::Elsewhere => self.some_number(run, width),
                Base::Gone => self.input(run, width),
            };
            let bits = self.resize(bits, width);
            run.values.insert(variable, bits);
            return Ok(());
        }
        let bits = self.resize(value.bits, width);
        let slot = self.slot(value.base, bits, cell.bytes == self.program.data_model.pointer_bytes());
        slot.keep((cell, &mut run.control.cells), (variable, bits), &mut run.values);
        Ok(())
    }

    fn store(&mut self, run: &mut Run, target: &Target, ty: Type, value: Value, order: Order) -> Done {
        self.note_access(run, target, Manner::store(order));
        self.write(run, target, ty, value)
    }
}

impl Translator<'_> {
    /// Records an access to shared memory.
    pub(super) fn note_access(&mut self, run: &mut Run, target: &Target, manner: Manner) {
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

    fn read_constant(&mut self, run: &mut Run, target: &Target, width: u32) -> Value {
        if let (Object::Static(id), Some(offset)) = (target.object, self.constant(target.offset)) {
            if let Initial::Bytes { relocations, .. } = &self.program.objects[id].initial {
                let found = relocations.iter().find(|relocation| u128::from(relocation.at) == offset).copied();
                if let (Some(relocation), true) = (found, width == self.pointer_width()) {
                    return self.relocated(relocation.symbol, relocation.offset);
                }
            }
            let cell = Cell { object: target.object, is_ghost: false, offset: offset as u64, bytes: target.bytes };
            if let Some(value) = self.initial(cell) {
                return Value::number(self.resize(value, width));
            }
        }
        Value::number(self.input(run, width))
    }

    fn relocated(&mut self, symbol: Symbol, offset: i64) -> Value {
        let width = self.pointer_width();
        let bits = self.number_term(width, offset as u128 & ir::arith::mask(width as u16));
        let base = match symbol {
            Symbol::Object(object) => Base::Object(Object::Static(object)),
            Symbol::Function(function) => Base::Function(function),
        };
        Value { base, bits }
    }

    /// Initialises the cells of a new object.
    pub(super) fn begin_object(&mut self, run: &mut Run, object: Object, zeroed: bool) {
        for is_ghost in [false, true] {
            let cells = self.known.cells.get(&class(object, is_ghost)).cloned().unwrap_or_default();
            for (offset, bytes) in cells {
                let cell = Cell { object, is_ghost, offset, bytes };
                let variable = self.cell(run.control.template, cell);
                let width = self.model.terms.width(variable);
                let value = if zeroed || is_ghost { self.number_term(width, 0) } else { self.input(run, width) };
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
                let slot = self.slot(value.base, value.bits, true);
                control.cells.insert(cell, slot);
            }
        }
    }

    /// The initial value of a cell of a static object, if known.
    pub(super) fn initial(&mut self, cell: Cell) -> Option<Term> {
        let Object::Static(id) = cell.object else { return None };
        if cell.is_ghost {
            return Some(self.number_term((cell.bytes * 8) as u32, 0));
        }
        initial(self.program, id, cell.offset, cell.bytes).map(|bits| self.model.terms.bits(bits))
    }
}
