//! Store buffers, under `tso` and `pso`: a thread's stores to memory that other threads may access wait in a buffer,
//! and reach memory in steps of their own. Same semantics as the reference interpreter (`docs/semantics.md`).
//!
//! A buffer is part of the location: its cells, their order, and the barriers. The buffered values are state variables,
//! or tracked explicitly as in the cell itself. A store belongs to the preceding step, since it is invisible to other
//! threads before it reaches memory; but from then on it is visible, so the next visible action begins a new step. A
//! thread that runs alone, or in an atomic region that is a fence, needs no buffer: its stores go to memory at once.
//!
//! Limits: a buffer with more than [`MAX_BUFFERED`] stores, stores to parts of cells, and copies of memory that other
//! threads may access are reasons for `unknown`.

use super::location::{Cell, Slot, Value};
use super::machine::{Access, Machine, Outcome, Part, Run};
use super::memory::{mixed, Target};
use super::vocabulary::{Meeting, ObjId, ObjKey, VarKey};
use crate::symbolic::{Done, Evaluator, Halt};
use base::Id;
use check::ReasonKind;
use ir::{FunctionId, Order, Property, Stmt, StoreBuffer, Type};
use smt::{Sort, Term};

/// Maximum length of a buffer; longer ones are a gap.
const MAX_BUFFERED: usize = 8;
/// Number of buffered stores past which further stores count as visible, so that they are not merged into one step.
const MAX_MERGED: usize = 4;

/// A buffered store.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Entry {
    pub(super) cell: Cell,
    pub(super) slot: Slot,
    is_pointer: bool,
    /// A store barrier: neither this store nor later ones overtake earlier ones.
    is_barrier: bool,
    /// Whether an acquire of this store makes its thread know of the watched access.
    passes: bool,
}

impl Machine<'_> {
    /// Whether accesses to an object go through the memory model.
    pub(super) fn is_weak(&self, object: ObjId) -> bool {
        self.model.store_buffer().is_some() && self.is_ever_shared(object)
    }

    /// Whether a range of an object cannot be copied because its stores would be buffered one by one.
    pub(super) fn is_weak_range(&self, run: &Run, object: ObjId) -> bool {
        self.is_weak(object) && run.place.is_parallel()
    }

    /// Whether a statement must wait until its thread's buffer is empty.
    pub(super) fn must_drain(&self, run: &Run, stmt: &Stmt) -> bool {
        let depth = run.place.threads[&run.thread].frames.len();
        self.has_stores(run) && !stmt.may_drain() && stmt.drains(depth == 1)
    }

    /// Whether the running thread has buffered stores.
    pub(super) fn has_stores(&self, run: &Run) -> bool {
        !run.place.threads[&run.thread].buffer.is_empty()
    }

    pub(super) fn entry_variable(&mut self, thread: u32, position: usize, cell: Cell) -> Term {
        let sort = Sort::Bits((cell.bytes * 8) as u32);
        let key = VarKey::Buffered { thread, position: position as u32, cell };
        self.vocabulary.variable(&mut self.terms, self.program, key, sort)
    }

    /// The value at a position of the running thread's buffer.
    fn entry_value(&mut self, run: &Run, position: usize) -> Option<Value> {
        let entry = run.place.threads[&run.thread].buffer.get(position)?;
        match entry.slot {
            Slot::Known(base, bits) => Some(Value { base, bits }),
            Slot::Var(base) => {
                let variable = self.entry_variable(run.thread, position, entry.cell);
                Some(Value { base, bits: run.now(variable) })
            }
            Slot::Dead => None,
        }
    }

    /// The running thread's latest buffered store to a cell, if there is one.
    pub(super) fn own_store(&mut self, run: &Run, cell: Cell) -> Option<Value> {
        let buffer = &run.place.threads.get(&run.thread)?.buffer;
        let position = buffer.iter().rposition(|entry| entry.cell == cell)?;
        self.entry_value(run, position)
    }

    /// Whether a read is served by a buffered store of its own thread.
    pub(super) fn reads_own_store(&mut self, run: &mut Run, target: &Target) -> Done<bool> {
        let is_same = |cell: &Cell| cell.object == target.object && !target.is_ghost;
        if run.place.watch.is_none() || !run.place.threads[&run.thread].buffer.iter().any(|entry| is_same(&entry.cell))
        {
            return Ok(false);
        }
        let offset = self.constant_offset(run, target)?;
        let buffer = &run.place.threads[&run.thread].buffer;
        Ok(buffer.iter().any(|entry| {
            let cell = entry.cell;
            is_same(&cell) && cell.offset < offset + target.bytes && offset < cell.offset + cell.bytes
        }))
    }

    /// Orders all later stores behind those in the buffer (a store-store barrier).
    pub(super) fn store_store_barrier(&mut self, run: &mut Run) {
        let thread = self.running(run);
        thread.is_barrier_due =
            self.model.store_buffer() == Some(StoreBuffer::PerLocation) && !thread.buffer.is_empty();
    }

    /// A buffered store becomes visible when it reaches memory, unless it races or another thread can end the object's
    /// life before that.
    pub(super) fn note_store(&mut self, run: &mut Run, target: &Target) {
        let is_made = matches!(self.vocabulary.key(target.object), ObjKey::Made(..) | ObjKey::Copy(..));
        if is_made || self.property == Property::Race {
            self.note_access(run, target, true);
        }
        if run.place.threads[&run.thread].buffer.len() >= MAX_MERGED {
            run.notice();
        }
        // Whatever follows may come after the store has reached memory.
        run.is_noticed = true;
    }

    pub(super) fn put_in_buffer(
        &mut self,
        run: &mut Run,
        target: &Target,
        ty: Type,
        value: Value,
        (order, passes): (Order, bool),
    ) -> Done {
        let offset = self.constant_offset(run, target)?;
        let Meeting::Whole(cell) = self.vocabulary.meet(target.object, false, offset, target.bytes) else {
            return Err(mixed());
        };
        let position = run.place.threads[&run.thread].buffer.len();
        if position >= MAX_BUFFERED {
            let detail = format!("a store buffer with more than {MAX_BUFFERED} stores");
            return Err(Halt::gap(ReasonKind::Bound, detail));
        }
        self.note_pointer(run, cell, ty);
        let Some(class) = self.vocabulary.class(VarKey::Cell(cell)) else { return Err(mixed()) };
        let variable = self.entry_variable(run.thread, position, cell);
        let bits = self.resize(value.bits, (cell.bytes * 8) as u32);
        let slot = self.slot(run, class, ty, Value { bits, ..value }, variable);
        let may_overtake = self.model.store_buffer() == Some(StoreBuffer::PerLocation);
        let thread = self.running(run);
        let is_barrier = std::mem::take(&mut thread.is_barrier_due) || may_overtake && order.releases();
        let is_barrier = is_barrier && position > 0;
        thread.buffer.push(Entry { cell, slot, is_pointer: ty == Type::Ptr, is_barrier, passes });
        run.part.is_buffered = true;
        Ok(())
    }

    /// Moves a store of the running thread to memory.
    fn flush(&mut self, run: &mut Run, position: usize) -> Done {
        let thread = run.thread;
        let buffer = run.place.threads[&thread].buffer.clone();
        let mut values = Vec::new();
        for index in 0..buffer.len() {
            values.push(self.entry_value(run, index));
        }
        for index in position + 1..buffer.len() {
            if let (Slot::Var(_), Some(value)) = (buffer[index].slot, values[index]) {
                let variable = self.entry_variable(thread, index - 1, buffer[index].cell);
                run.changed.insert(variable, value.bits);
            }
        }
        let record = self.running(run);
        let entry = record.buffer.remove(position);
        if let Some(first) = record.buffer.first_mut() {
            first.is_barrier = false;
        }
        if position > 0 {
            // The order around a barrier is kept: only stores before the first barrier overtake others.
            debug_assert!(!entry.is_barrier, "a barrier should stay in its place");
        }
        if record.buffer.is_empty() {
            record.is_barrier_due = false;
        }
        let (cell, Some(value)) = (entry.cell, values[position]) else { return Err(mixed()) };
        if !self.is_alive(run, cell.object) {
            return Ok(());
        }
        let ty = if entry.is_pointer { Type::Ptr } else { Type::Int((cell.bytes * 8) as u16) };
        let target = self.target(cell);
        self.write_cell(run, cell, ty, value);
        self.pass_on(run, &target, entry.passes, false)
    }

    /// Empties the buffer of a thread that runs alone.
    pub(super) fn drain(&mut self, run: &mut Run) {
        while !run.place.threads.get(&run.thread).is_none_or(|thread| thread.buffer.is_empty()) {
            run.drains = true;
            if self.flush(run, 0).is_err() {
                return;
            }
        }
    }

    /// The positions of a thread's buffer whose stores may reach memory next.
    fn flushable(&self, run: &Run) -> Vec<usize> {
        let buffer = &run.place.threads[&run.thread].buffer;
        let may_overtake = self.model.store_buffer() == Some(StoreBuffer::PerLocation);
        let mut all = Vec::new();
        for (index, entry) in buffer.iter().enumerate() {
            if index > 0 && (!may_overtake || entry.is_barrier) {
                break;
            }
            if buffer[..index].iter().all(|earlier| earlier.cell != entry.cell) {
                all.push(index);
            }
        }
        all
    }

    /// The outcomes in which one buffered store of a thread reaches memory.
    pub(super) fn flushes(&mut self, start: &Run, outcomes: &mut Vec<Outcome>) {
        for position in self.flushable(start) {
            let mut run = start.clone();
            let cell = run.place.threads[&run.thread].buffer[position].cell;
            let at = (FunctionId::new(0), ir::EdgeId::new(0));
            run.part = Part { flushes: Some(position), ..Part::new(at) };
            let Target { object, is_ghost, offset, bytes } = self.target(cell);
            let access = Access { object, is_ghost, offset, bytes, is_write: true };
            run.footprint.accesses.push(access);
            run.notice();
            if self.flush(&mut run, position).is_ok() {
                run.keep_part();
                self.finish(run, outcomes);
            }
        }
    }
}
