//! Memory: the cells that an access touches, and their contents.
//!
//! Objects are divided into cells by how they are accessed. An access at a variable offset touches one of the candidate
//! cells, selected by the offset; explicit values are split into cases. Large arrays at variable offsets are a gap.

use super::location::{Base, Cell, Location, Slot, Value};
use super::machine::{Access, Birth, Contents, Machine, Run};
use super::vocabulary::{Meeting, ObjId, ObjKey, VarKey};
use crate::symbolic::{self, initial, Done, Evaluator, Halt, Memory, Reading};
use check::ReasonKind;
use ir::{Initial, ObjectKind, Order, Property, Symbol, Type};
use smt::{Sort, Term};

/// Maximum number of cells that an access at a variable offset may touch.
const MAX_CELLS: usize = 64;
/// Maximum length of a copied range.
const LONGEST_RANGE: u64 = 512;

pub(super) type Target = symbolic::Target<ObjId>;

impl Memory for Machine<'_> {
    const KNOWS_POINTERS: bool = true;

    fn access(&mut self, run: &mut Run, target: &Target, reading: Reading) -> Done {
        self.note_access(run, target, !matches!(reading, Reading::Load(_)));
        match reading {
            Reading::Load(order) => {
                self.race(run, target, false, order)?;
                if self.reads_own_store(run, target)? {
                    return Ok(());
                }
                self.acquire(run, target, order)
            }
            Reading::Update(order) => {
                self.race(run, target, true, order)?;
                self.acquire_and_release(run, target, order)
            }
            Reading::Exchange(succeeds, order, failure) => {
                let decided = self.decide(run, succeeds);
                if self.has_stores(run) {
                    // The stores must reach memory first, unless it only reads cells that are not buffered.
                    match decided {
                        Some(false) if target.is_ghost => {}
                        None if target.is_ghost => return Err(Halt::Split(succeeds)),
                        Some(_) | None => return Err(Halt::Never),
                    }
                }
                match decided {
                    Some(true) => {
                        self.race(run, target, true, order)?;
                        self.acquire_and_release(run, target, order)
                    }
                    Some(false) => {
                        self.race(run, target, false, failure)?;
                        self.acquire(run, target, failure)
                    }
                    None if self.property == Property::Race => Err(Halt::Split(succeeds)),
                    None => Ok(()),
                }
            }
        }
    }

    fn read(&mut self, run: &mut Run, target: &Target, ty: Type) -> Done<Value> {
        let value = match self.terms.as_bits(target.offset).and_then(smt::Bits::to_u64) {
            Some(offset) => self.read_at(run, target, offset, ty)?,
            None => self.read_somewhere(run, target, ty)?,
        };
        // A Boolean takes a byte.
        Ok(Value { bits: self.resize(value.bits, self.width(ty)), ..value })
    }

    fn write(&mut self, run: &mut Run, target: &Target, ty: Type, value: Value) -> Done {
        match self.terms.as_bits(target.offset).and_then(smt::Bits::to_u64) {
            Some(offset) => self.write_at(run, target, offset, ty, value),
            None => self.write_somewhere(run, target, ty, value),
        }
    }

    fn store(&mut self, run: &mut Run, target: &Target, ty: Type, value: Value, order: Order) -> Done {
        let is_alone = !run.place.is_parallel() || run.place.threads[&run.thread].fenced > 0;
        let is_buffered = !target.is_ghost && self.is_weak(target.object) && order != Order::SeqCst && !is_alone;
        if is_buffered {
            self.note_store(run, target);
        } else {
            self.note_access(run, target, true);
        }
        self.race(run, target, true, order)?;
        let passes = self.passes(run, order);
        if is_buffered {
            return self.put_in_buffer(run, target, ty, value, (order, passes));
        }
        self.write(run, target, ty, value)?;
        self.pass_on(run, target, passes, false)?;
        if order.releases() && !target.is_ghost {
            self.store_store_barrier(run);
        }
        Ok(())
    }
}

impl Machine<'_> {
    /// Adds the pointers in static objects, which are explicit from the beginning.
    pub(super) fn add_initial_pointers(&mut self, place: &mut Location) {
        let program = self.program;
        let (bytes, width) = (program.data_model.pointer_bytes(), self.pointer_width());
        let mut nulls: Vec<_> = self.vocabulary.pointers.iter().copied().collect();
        nulls.sort_unstable();
        for (id, offset) in nulls {
            let object = self.vocabulary.object(ObjKey::Static(id));
            if let (Meeting::Whole(cell), Some(bits)) =
                (self.vocabulary.meet(object, false, offset, bytes), initial(program, id, offset, bytes))
            {
                let bits = self.terms.bits(bits);
                place.cells.insert(cell, Slot::Known(Base::Number, bits));
            }
        }
        for (id, static_object) in program.objects.enumerate() {
            let key = match static_object.kind {
                ObjectKind::Global | ObjectKind::Constant => ObjKey::Static(id),
                ObjectKind::ThreadLocal => ObjKey::Copy(1, id),
            };
            let object = self.vocabulary.object(key);
            self.add_relocations(place, object, id, width);
        }
    }

    /// Adds the pointers of an object's initialiser.
    pub(super) fn add_relocations(&mut self, place: &mut Location, object: ObjId, id: ir::ObjectId, width: u32) {
        let program = self.program;
        let Initial::Bytes { relocations, .. } = &program.objects[id].initial else { return };
        for relocation in relocations {
            let bytes = program.data_model.pointer_bytes();
            let Meeting::Whole(cell) = self.vocabulary.meet(object, false, relocation.at, bytes) else { continue };
            let base = match relocation.symbol {
                Symbol::Object(object) => Base::Object(self.vocabulary.object(ObjKey::Static(object))),
                Symbol::Function(function) => Base::Function(function),
            };
            let bits = self.number_term(width, relocation.offset as u128 & ir::arith::mask(width as u16));
            place.cells.insert(cell, Slot::Known(base, bits));
        }
    }

    /// Records an access in the footprint if it is visible to other threads.
    pub(super) fn note_access(&mut self, run: &mut Run, target: &Target, is_write: bool) {
        if self.is_constant(target.object) && !target.is_ghost {
            return;
        }
        let is_made = matches!(self.vocabulary.key(target.object), ObjKey::Made(..));
        let is_shared = target.is_ghost && !is_made || self.is_shared(&run.place, target.object, run.thread);
        if !is_shared && !is_made {
            return;
        }
        // Even if the object is private now: it need not have been before another thread's last step.
        let (object, is_ghost) = (target.object, target.is_ghost);
        let access = Access { object, is_ghost, offset: target.offset, bytes: target.bytes, is_write };
        if !run.footprint.accesses.contains(&access) {
            run.footprint.accesses.push(access);
        }
        if is_shared && run.place.is_parallel() {
            run.notice();
        }
    }

    /// The cells that an access at a variable offset may touch.
    fn candidates(&mut self, run: &Run, target: &Target) -> Done<Vec<Cell>> {
        let size = self.extent(run, target.object, target.is_ghost);
        let (first, stride) = self.stride(target.offset);
        let stride = stride.max(1);
        if size / stride.max(target.bytes) > MAX_CELLS as u64 {
            // If that is new, the search restarts.
            self.track(target.offset);
        }
        if size / stride > 4 * MAX_CELLS as u64 {
            return Err(Halt::unsupported("a large array at a variable index"));
        }
        let mut cells = Vec::new();
        let mut offset = first % stride;
        while offset + target.bytes <= size {
            match self.vocabulary.meet(target.object, target.is_ghost, offset, target.bytes) {
                Meeting::Whole(cell) => cells.push(cell),
                Meeting::Part(..) | Meeting::Several(_) | Meeting::Mixed => return Err(mixed()),
            }
            offset += stride.max(target.bytes.min(stride));
        }
        if cells.len() > MAX_CELLS {
            return Err(Halt::unsupported("a large array at a variable index"));
        }
        Ok(cells)
    }

    /// The offset equals this constant plus a multiple of this power of two.
    fn stride(&self, offset: Term) -> (u64, u64) {
        let factor = |bits: &smt::Bits| 1u64 << bits.trailing_zeros().min(40);
        match self.terms.node(offset) {
            smt::term::Node::Sum(constant, monomials) => {
                let stride = monomials.iter().map(|(by, _)| factor(by)).min().unwrap_or(1);
                (constant.to_u64().unwrap_or(0), stride)
            }
            smt::term::Node::Concat(_, low) => match self.terms.as_bits(*low) {
                Some(bits) => (bits.to_u64().unwrap_or(0), 1u64 << bits.width().min(40)),
                None => (0, 1),
            },
            _ => (0, 1),
        }
    }

    fn cell_variable(&mut self, cell: Cell) -> Term {
        let sort = Sort::Bits((cell.bytes * 8) as u32);
        self.vocabulary.variable(&mut self.terms, self.program, VarKey::Cell(cell), sort)
    }

    /// The content of a cell.
    fn read_cell(&mut self, run: &mut Run, cell: Cell, ty: Type) -> Value {
        let width = (cell.bytes * 8) as u32;
        if let Some(value) = self.own_store(run, cell) {
            return value;
        }
        let slot = match run.place.cells.get(&cell) {
            Some(slot) => *slot,
            None if cell.is_ghost => Slot::Known(Base::Number, self.number_term(width, 0)),
            None if self.is_constant(cell.object) => match self.constant_bits(cell) {
                Some(bits) => Slot::Known(Base::Number, bits),
                None => Slot::Var(Base::Number),
            },
            None => {
                self.note_pointer(run, cell, ty);
                Slot::Var(Base::Number)
            }
        };
        match slot {
            Slot::Known(base, bits) => Value { base, bits },
            Slot::Var(base) => Value { base, bits: self.cell_bits(run, cell) },
            Slot::Dead => self.int(width, 0),
        }
    }

    /// The content of a read-only cell.
    fn constant_bits(&mut self, cell: Cell) -> Option<Term> {
        let ObjKey::Static(id) = self.vocabulary.key(cell.object) else { return None };
        initial(self.program, id, cell.offset, cell.bytes).map(|bits| self.terms.bits(bits))
    }

    /// Makes a pointer in a static object explicit from the beginning.
    pub(super) fn note_pointer(&mut self, run: &Run, cell: Cell, ty: Type) {
        if let (Type::Ptr, ObjKey::Static(id)) = (ty, self.vocabulary.key(cell.object)) {
            let is_known = matches!(self.program.objects[id].initial, Initial::Bytes { .. });
            if is_known && !run.place.cells.contains_key(&cell) && self.vocabulary.pointers.insert((id, cell.offset)) {
                self.should_restart = true;
            }
        }
    }

    fn cell_bits(&mut self, run: &mut Run, cell: Cell) -> Term {
        let variable = self.cell_variable(cell);
        if let Some(&bits) = run.changed.get(&variable) {
            return bits;
        }
        let birth = run.births.iter().rev().find(|birth| birth.object == cell.object).copied();
        let Some(birth) = birth.filter(|_| !cell.is_ghost) else { return variable };
        let width = (cell.bytes * 8) as u32;
        let bits = match birth.contents {
            Contents::Zero => self.number_term(width, 0),
            Contents::Arbitrary => self.input(run, width),
            Contents::Static(id) => match initial(self.program, id, cell.offset, cell.bytes) {
                Some(bits) => self.terms.bits(bits),
                None => self.input(run, width),
            },
        };
        run.changed.insert(variable, bits);
        bits
    }

    pub(super) fn write_cell(&mut self, run: &mut Run, cell: Cell, ty: Type, value: Value) {
        let variable = self.cell_variable(cell);
        let width = (cell.bytes * 8) as u32;
        let bits = self.resize(value.bits, width);
        if !run.place.cells.contains_key(&cell) {
            self.note_pointer(run, cell, ty);
        }
        let Some(class) = self.vocabulary.class(VarKey::Cell(cell)) else { return };
        let slot = self.slot(run, class, ty, Value { bits, ..value }, variable);
        let is_default = match slot {
            Slot::Var(Base::Number) => !cell.is_ghost,
            Slot::Known(Base::Number, bits) => cell.is_ghost && self.constant(bits) == Some(0),
            Slot::Var(_) | Slot::Known(..) | Slot::Dead => false,
        };
        if is_default {
            run.place.cells.remove(&cell);
        } else {
            run.place.cells.insert(cell, slot);
        }
    }

    fn read_at(&mut self, run: &mut Run, target: &Target, offset: u64, ty: Type) -> Done<Value> {
        match self.vocabulary.meet(target.object, target.is_ghost, offset, target.bytes) {
            Meeting::Whole(cell) => Ok(self.read_cell(run, cell, ty)),
            Meeting::Part(cell, from) => {
                let whole = self.read_cell(run, cell, Type::Int((cell.bytes * 8) as u16));
                if whole.base != Base::Number {
                    return Err(mixed());
                }
                let (low, count) = ((from * 8) as u32, (target.bytes * 8) as u32);
                let bits = self.terms.extract(low + count - 1, low, whole.bits);
                Ok(Value::number(bits))
            }
            Meeting::Several(cells) => {
                let mut all: Option<Term> = None;
                for cell in cells {
                    let part = self.read_cell(run, cell, Type::Int((cell.bytes * 8) as u16));
                    if part.base != Base::Number {
                        return Err(mixed());
                    }
                    all = Some(match all {
                        Some(low) => self.terms.concat(part.bits, low),
                        None => part.bits,
                    });
                }
                all.map(Value::number).ok_or_else(mixed)
            }
            Meeting::Mixed => Err(mixed()),
        }
    }

    fn is_at(&mut self, target: &Target, cell: Cell) -> Term {
        let offset = self.number_term(self.pointer_width(), u128::from(cell.offset));
        self.terms.eq(target.offset, offset)
    }

    /// The cell that was assumed to be the target, after a case split.
    fn decided_cell(&mut self, run: &Run, target: &Target, cells: &[Cell]) -> Option<Cell> {
        for &cell in cells {
            let is_it = self.is_at(target, cell);
            if self.decide(run, is_it) == Some(true) {
                return Some(cell);
            }
        }
        None
    }

    /// The offset of an access, by a case split if necessary.
    pub(super) fn constant_offset(&mut self, run: &mut Run, target: &Target) -> Done<u64> {
        if let Some(offset) = self.terms.as_bits(target.offset).and_then(smt::Bits::to_u64) {
            return Ok(offset);
        }
        let cells = self.candidates(run, target)?;
        self.check_aligned(run, target, &cells);
        match self.decided_cell(run, target, &cells) {
            Some(cell) => Ok(cell.offset),
            None => Err(self.next_case(run, target, &cells)),
        }
    }

    /// The next case of the split over candidate cells.
    fn next_case(&mut self, run: &Run, target: &Target, cells: &[Cell]) -> Halt {
        if self.demand(target.offset) {
            // The search restarts, and then the offset may be constant.
            return Halt::unsupported("a variable index");
        }
        for &cell in cells {
            let is_it = self.is_at(target, cell);
            if self.decide(run, is_it).is_none() {
                return Halt::Split(is_it);
            }
        }
        Halt::Never
    }

    /// The cells that an access at a variable offset may touch: one if a split has decided it.
    fn whereabouts(&mut self, run: &mut Run, target: &Target) -> Done<Vec<Cell>> {
        let cells = self.candidates(run, target)?;
        self.check_aligned(run, target, &cells);
        Ok(self.decided_cell(run, target, &cells).map_or(cells, |cell| vec![cell]))
    }

    fn read_somewhere(&mut self, run: &mut Run, target: &Target, ty: Type) -> Done<Value> {
        let cells = self.whereabouts(run, target)?;
        let mut all: Option<Value> = None;
        for &cell in &cells {
            let value = self.read_cell(run, cell, ty);
            all = Some(match all {
                None => value,
                Some(rest) if rest.base == Base::Number && value.base == Base::Number => {
                    let is_it = self.is_at(target, cell);
                    Value::number(self.terms.ite(is_it, value.bits, rest.bits))
                }
                Some(_) => return Err(self.next_case(run, target, &cells)),
            });
        }
        all.ok_or_else(mixed)
    }

    /// An access that matches no candidate lies across cells: a gap.
    fn check_aligned(&mut self, run: &mut Run, target: &Target, cells: &[Cell]) {
        let bytes = target.bytes;
        let (_, stride) = self.stride(target.offset);
        if stride.is_multiple_of(bytes) || bytes == 1 {
            return;
        }
        let mut cases = Vec::new();
        for &cell in cells {
            cases.push(self.is_at(target, cell));
        }
        let any = self.terms.or(cases);
        let none = self.terms.not(any);
        self.unless(run, none, ReasonKind::Unsupported, "memory is accessed in pieces of different sizes");
    }

    fn write_at(&mut self, run: &mut Run, target: &Target, offset: u64, ty: Type, value: Value) -> Done {
        let meeting = self.vocabulary.meet(target.object, target.is_ghost, offset, target.bytes);
        if let Meeting::Whole(cell) = meeting {
            self.write_cell(run, cell, ty, value);
            return Ok(());
        }
        if value.base != Base::Number {
            return Err(mixed());
        }
        let bits = self.resize(value.bits, (target.bytes * 8) as u32);
        match meeting {
            Meeting::Whole(_) | Meeting::Mixed => Err(mixed()),
            Meeting::Part(cell, from) => {
                let int = Type::Int((cell.bytes * 8) as u16);
                let whole = self.read_cell(run, cell, int);
                if whole.base != Base::Number {
                    return Err(mixed());
                }
                let (low, count, width) = ((from * 8) as u32, (target.bytes * 8) as u32, (cell.bytes * 8) as u32);
                let mut all = bits;
                if low > 0 {
                    let below = self.terms.extract(low - 1, 0, whole.bits);
                    all = self.terms.concat(all, below);
                }
                if low + count < width {
                    let above = self.terms.extract(width - 1, low + count, whole.bits);
                    all = self.terms.concat(above, all);
                }
                self.write_cell(run, cell, int, Value::number(all));
                Ok(())
            }
            Meeting::Several(cells) => {
                for cell in cells {
                    let (low, count) = (((cell.offset - offset) * 8) as u32, (cell.bytes * 8) as u32);
                    let part = self.terms.extract(low + count - 1, low, bits);
                    self.write_cell(run, cell, Type::Int(count as u16), Value::number(part));
                }
                Ok(())
            }
        }
    }

    fn write_somewhere(&mut self, run: &mut Run, target: &Target, ty: Type, value: Value) -> Done {
        let cells = self.whereabouts(run, target)?;
        if let [cell] = cells[..] {
            self.write_cell(run, cell, ty, value);
            return Ok(());
        }
        for &cell in &cells {
            let old = self.read_cell(run, cell, ty);
            if value.base != Base::Number || old.base != Base::Number {
                return Err(self.next_case(run, target, &cells));
            }
            let is_it = self.is_at(target, cell);
            let new = self.resize(value.bits, (cell.bytes * 8) as u32);
            let bits = self.terms.ite(is_it, new, old.bits);
            self.write_cell(run, cell, ty, Value::number(bits));
        }
        Ok(())
    }

    /// Initialises an object's contents.
    pub(super) fn begin_object(&mut self, run: &mut Run, object: ObjId, contents: Contents) {
        for is_ghost in [false, true] {
            for cell in self.vocabulary.cells_of(object, is_ghost) {
                let variable = self.cell_variable(cell);
                run.changed.remove(&variable);
                run.place.cells.remove(&cell);
            }
        }
        run.births.push(Birth { object, contents });
    }

    /// The constant bounds of a range that is invisible to other threads.
    pub(super) fn range(&mut self, run: &mut Run, pointer: Value, len: u64, writes: bool) -> Done<(ObjId, u64)> {
        let before = run.notices;
        let target = self.find(run, pointer, len, writes)?;
        self.note_access(run, &target, writes);
        let is_weak = self.is_weak_range(run, target.object);
        if len > LONGEST_RANGE || run.notices > before || target.is_ghost || is_weak {
            return Err(Halt::unsupported("a copy of shared or much memory"));
        }
        self.race(run, &target, writes, Order::Plain)?;
        match self.constant(target.offset) {
            Some(offset) => {
                if let (Some(watch), true) = (&mut run.place.watch, writes) {
                    watch.overwrite(target.object, offset as u64, len);
                }
                Ok((target.object, offset as u64))
            }
            None => Err(Halt::unsupported("a copy to or from a variable place")),
        }
    }

    /// The cells of a range of an object, creating those that do not exist. None if a cell lies across an end.
    pub(super) fn cells_between(&mut self, object: ObjId, offset: u64, len: u64) -> Option<Vec<Cell>> {
        let end = offset + len;
        let mut at = offset;
        let mut all = Vec::new();
        let known = self.vocabulary.cells_of(object, false);
        while at < end {
            let next = known.iter().find(|cell| cell.offset + cell.bytes > at && cell.offset < end);
            let cell = match next {
                Some(cell) if cell.offset < at => return None,
                Some(cell) if cell.offset == at => *cell,
                _ => {
                    let room = next.map_or(end, |cell| cell.offset) - at;
                    let bytes = [8, 4, 2, 1].into_iter().find(|bytes| at.is_multiple_of(*bytes) && *bytes <= room)?;
                    match self.vocabulary.meet(object, false, at, bytes) {
                        Meeting::Whole(cell) => cell,
                        Meeting::Part(..) | Meeting::Several(_) | Meeting::Mixed => return None,
                    }
                }
            };
            at = cell.offset + cell.bytes;
            all.push(cell);
        }
        (at == end).then_some(all)
    }

    /// Whether what is written to a cell should stay explicit like a pointer.
    pub(super) fn may_hold_pointer(&self, run: &Run, cell: Cell) -> bool {
        cell.bytes == self.program.data_model.pointer_bytes() && run.place.cells.contains_key(&cell)
    }

    /// A cell as the target of an access.
    pub(super) fn target(&mut self, cell: Cell) -> Target {
        let offset = self.number_term(self.pointer_width(), u128::from(cell.offset));
        Target { object: cell.object, is_ghost: cell.is_ghost, offset, bytes: cell.bytes }
    }

    /// Copies between ranges that are disjoint or equal.
    pub(super) fn copy_range(&mut self, run: &mut Run, to: (ObjId, u64), from: (ObjId, u64), len: u64) -> Done {
        // Divides each side like the other one.
        for (one, other) in [(from, to), (to, from)] {
            for cell in self.cells_between(one.0, one.1, len).ok_or_else(mixed)? {
                self.vocabulary.meet(other.0, false, cell.offset - one.1 + other.1, cell.bytes);
            }
        }
        let cells = self.cells_between(from.0, from.1, len).ok_or_else(mixed)?;
        let mut values = Vec::new();
        for cell in cells {
            let int = Type::Int((cell.bytes * 8) as u16);
            let value = self.read_cell(run, cell, int);
            let is_pointer = value.base != Base::Number || self.may_hold_pointer(run, cell);
            values.push((cell, if is_pointer { Type::Ptr } else { int }, value));
        }
        for (cell, ty, value) in values {
            let target = self.target(Cell { object: to.0, offset: cell.offset - from.1 + to.1, ..cell });
            self.write(run, &target, ty, value)?;
        }
        Ok(())
    }
}

pub(super) fn mixed() -> Halt {
    Halt::unsupported("memory is accessed in pieces of different sizes")
}
