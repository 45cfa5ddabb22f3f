//! Total and partial store order: a store waits in its thread's store buffer until it reaches memory, and the thread
//! reads its own newest buffered store first. Under `tso` the buffer is first in, first out; under `pso` it keeps the
//! order of overlapping stores only, and *barriers*, by release stores and fences, keep stores behind older ones.
//! `Stmt::drains` says which statements wait for an empty buffer.

use super::{Access, Actions, Model};
use crate::enabled::Readiness;
use crate::happens_before::Release;
use crate::machine::Machine;
use crate::memory::{Change, Found};
use crate::object::Object;
use crate::state::{State, Thread};
use crate::step::{Interrupt, Step};
use crate::value::{Pointer, Value};
use ir::{Action, EdgeId, Expr, FunctionId, Order, Property, Stmt, StoreBuffer};

/// Stores are merged into the preceding step until a store buffer has this many entries.
const MERGED_BUFFER: usize = 4;

/// A write in a store buffer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Buffered {
    /// The address written.
    pub pointer: Pointer,
    /// The number of bytes.
    pub len: u64,
    /// The value.
    pub value: Value,
    /// No older entry may reach memory after this one or after a younger one.
    pub barrier: bool,
    /// The clock that an acquiring reader learns (if races are looked for).
    pub release: Release,
    /// The step that made it, when a run is recorded; 0 otherwise.
    pub stamp: usize,
    /// The whole range, as start and number of bytes, if this is one of several pieces that a copy or set writes.
    pub range: Option<(Pointer, u64)>,
}

impl Buffered {
    fn overlaps(&self, pointer: Pointer, len: u64) -> bool {
        self.pointer.object == pointer.object
            && self.pointer.offset < pointer.offset + len as i64
            && pointer.offset < self.pointer.offset + self.len as i64
    }
}

#[derive(Debug)]
pub(super) struct Buffers(pub(super) StoreBuffer);

impl Model for Buffers {
    fn read(&self, step: &mut Step<'_, '_>, access: &Access) -> Result<Found, Interrupt> {
        if step.state.objects[access.index].shared {
            step.read_buffered(access)
        } else {
            step.read_object(access)
        }
    }

    fn write(&self, step: &mut Step<'_, '_>, access: &Access, value: Value, release: Release) -> Result<(), Interrupt> {
        let Access { pointer, len, order, index, .. } = *access;
        let is_shared = step.state.objects[index].shared;
        let is_buffered = is_shared && order != Order::SeqCst;
        let is_barrier = self.0 == StoreBuffer::PerLocation && order.releases();
        step.note_write(access, value, is_buffered);
        if is_buffered {
            let (stamp, range) = (step.stamp, step.range);
            let thread = step.state.thread_mut(step.thread);
            let barrier = std::mem::take(&mut thread.barrier) || is_barrier;
            thread.buffer.push(Buffered { pointer, len, value, barrier, release, stamp, range });
            return Ok(());
        }
        // A seq_cst store waits for an empty buffer, and stores to thread-private objects are never in it.
        step.write_object(access, value, release);
        if is_barrier && !is_shared && !step.state.thread(step.thread).buffer.is_empty() {
            step.state.thread_mut(step.thread).barrier = true;
        }
        Ok(())
    }

    /// The buffer is empty: read-modify-writes wait for that.
    fn update<'a, 'p>(
        &self,
        step: &mut Step<'a, 'p>,
        access: &Access,
        failure: Order,
        change: &mut Change<'_, Step<'a, 'p>>,
    ) -> Result<Value, Interrupt> {
        Ok(step.update_object(access, failure, change)?.0)
    }

    fn fence(&self, step: &mut Step<'_, '_>, order: Order) {
        if self.0 == StoreBuffer::PerLocation && order.releases() {
            let thread = step.state.thread_mut(step.thread);
            thread.barrier = !thread.buffer.is_empty();
        }
    }

    fn is_direct(&self) -> bool {
        false
    }

    fn readiness(
        &self,
        machine: &Machine<'_>,
        state: &State,
        number: u32,
        at: (FunctionId, EdgeId),
    ) -> Option<Readiness> {
        let thread = state.thread(number);
        let stmt = &machine.program.functions[at.0].edges[at.1].stmt;
        if thread.buffer.is_empty() || !stmt.drains(thread.frames.len() == 1) {
            return None;
        }
        let is_load = stmt.may_drain().then(|| machine.look(state, number, at).only_loads(stmt));
        Some(is_load.and_then(Result::ok).flatten().unwrap_or(Readiness::Draining))
    }

    fn flushes(&self, state: &State, number: u32, actions: &mut Actions) {
        let buffer = &state.thread(number).buffer;
        for (index, entry) in buffer.iter().enumerate() {
            let may_overtake = self.0 == StoreBuffer::PerLocation && !entry.barrier;
            if index > 0 && !may_overtake {
                break;
            }
            if !buffer[..index].iter().any(|older| older.overlaps(entry.pointer, entry.len)) {
                actions.push((number, Action::Flush(index as u32)));
            }
        }
    }

    fn flush(&self, step: &mut Step<'_, '_>, position: usize) {
        let entry = step.state.thread_mut(step.thread).buffer.remove(position);
        if step.watch.is_some() {
            step.note_flush(&entry);
        }
        let index = step.state.object_index(entry.pointer.object);
        let Some(index) = index.filter(|index| step.state.objects[*index].live) else { return };
        step.meet_ranges(entry.pointer, entry.len, true);
        step.write_memory(entry.pointer, entry.len, entry.value, index);
        step.set_location_release(entry.pointer, entry.len, entry.release);
    }

    /// A store becomes visible when it leaves the buffer, unless another thread can end the object's lifetime before it
    /// enters. Short buffers only: a loop of stores would fill it.
    fn is_visible(&self, machine: &Machine<'_>, thread: &Thread, stmt: &Stmt) -> Option<bool> {
        let Stmt::Store { access, ptr, .. } = stmt else { return None };
        let is_merged = machine.config.property != Property::Race && thread.buffer.len() < MERGED_BUFFER;
        (is_merged && access.order != Order::SeqCst && is_static(ptr)).then_some(false)
    }
}

impl Step<'_, '_> {
    fn read_buffered(&mut self, access: &Access) -> Result<Found, Interrupt> {
        let Access { pointer, len, index, .. } = *access;
        let unseen = self.buffered_elsewhere(pointer, len);
        let overlaps = |entry: &&Buffered| entry.overlaps(pointer, len);
        match self.state.thread(self.thread).buffer.iter().rev().find(overlaps) {
            None => Ok(Found { unseen, ..self.read_object(access)? }),
            Some(entry) if entry.pointer == pointer && entry.len == len => {
                Ok(Found { value: entry.value, stamp: entry.stamp, unseen })
            }
            Some(newest) => {
                let stamp = newest.stamp;
                // Undefined bytes underneath get their value in memory, so that the next read finds the same.
                self.read_memory(pointer, len, index)?;
                let thread = self.state.thread(self.thread);
                let mut object: Object = (*self.state.objects[index]).clone();
                for entry in thread.buffer.iter().filter(overlaps) {
                    object.write(entry.pointer.offset as u64, entry.len, entry.value, &self.machine.layout);
                }
                let content = object.read(pointer.offset as u64, len, &self.machine.layout);
                let value = self.defined(content, len, index)?;
                Ok(Found { value, stamp, unseen })
            }
        }
    }

    /// Recorded writes to a place that wait in other threads' buffers.
    fn buffered_elsewhere(&self, pointer: Pointer, len: u64) -> Vec<usize> {
        if self.watch.is_none() {
            return Vec::new();
        }
        let others = self.state.threads.iter().enumerate().filter(|(index, _)| *index as u32 + 1 != self.thread);
        let entries = others.filter_map(|(_, thread)| thread.as_ref()).flat_map(|thread| &thread.buffer);
        entries.filter(|entry| entry.overlaps(pointer, len)).map(|entry| entry.stamp).collect()
    }
}

/// Whether an address is syntactically that of a static object, which lives as long as the program.
fn is_static(ptr: &Expr) -> bool {
    match ptr {
        Expr::Object(_) => true,
        Expr::Offset { base, .. } => is_static(base),
        Expr::Local(_)
        | Expr::Int { .. }
        | Expr::Null
        | Expr::Function(_)
        | Expr::SelfThread
        | Expr::Unary { .. }
        | Expr::Binary { .. }
        | Expr::Cast { .. }
        | Expr::Select { .. }
        | Expr::Ghost(_) => false,
    }
}
