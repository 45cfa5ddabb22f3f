//! Release-acquire: a load may read any write that is not older than its thread's view, a store may be placed anywhere
//! after it ([`super::histories`]). The oracle chooses.
//!
//! Every store releases and every load acquires, whatever the program says, and seq_cst accesses have seq_cst fences
//! beside them; where C11 promises less, that is noted as a gap.

use super::histories::{Cell, Histories, Message};
use super::{Access, Model};
use crate::enabled::Readiness;
use crate::eval::Eval;
use crate::event::EventKind;
use crate::happens_before::Release;
use crate::machine::{Gap, Machine};
use crate::memory::{Change, Found};
use crate::oracle::Question;
use crate::sharing::is_seq_cst;
use crate::state::{State, Thread};
use crate::step::{Interrupt, Step};
use crate::value::{ObjRef, Pointer, Value};
use ir::{EdgeId, FunctionId, Move, Order, Pick, Stmt, Written};
use std::rc::Rc;

#[derive(Debug)]
pub(super) struct ReleaseAcquire;

/// The histories for modification: copied if other states share them.
fn histories(state: &mut State) -> &mut Histories {
    Rc::make_mut(&mut state.histories)
}

impl Model for ReleaseAcquire {
    fn read(&self, step: &mut Step<'_, '_>, access: &Access) -> Result<Found, Interrupt> {
        step.fence_beside(access.order);
        if !step.state.objects[access.index].shared {
            return step.read_object(access);
        }
        step.note_strengthening(access.order);
        let cell = step.cell(access)?;
        let readable = histories(step.state).readable(step.thread, cell);
        let index = step.ask_index(Question::Read(readable.len() as u32), readable.len())?;
        step.read_message(cell, readable.start + index as u32, access.order)
    }

    fn write(&self, step: &mut Step<'_, '_>, access: &Access, value: Value, release: Release) -> Result<(), Interrupt> {
        if !step.state.objects[access.index].shared {
            step.note_write(access, value, false);
            step.write_object(access, value, release);
            step.fence_beside(access.order);
            return Ok(());
        }
        step.note_strengthening(access.order);
        // The history must begin with the writer of the old value, before this write is recorded.
        let cell = step.cell(access)?;
        step.note_write(access, value, false);
        let places = histories(step.state).places(step.thread, cell);
        let index = step.ask_index(Question::Place(places.len() as u32), places.len())?;
        let message = Message::initial(value, release, step.stamp);
        histories(step.state).write(step.thread, cell, places[index], false, message);
        step.fence_after(access.order);
        Ok(())
    }

    fn update<'a, 'p>(
        &self,
        step: &mut Step<'a, 'p>,
        access: &Access,
        failure: Order,
        change: &mut Change<'_, Step<'a, 'p>>,
    ) -> Result<Value, Interrupt> {
        if step.state.objects[access.index].shared {
            return step.update_message(access, failure, change);
        }
        // No other thread reaches the cell, so one fence does for those on both sides.
        let (old, used) = step.update_object(access, failure, change)?;
        step.fence_beside(used);
        Ok(old)
    }

    fn fence(&self, step: &mut Step<'_, '_>, order: Order) {
        if order.is_full_fence() {
            if let Some(what) = order.strengthened_fence() {
                step.machine.gap(Gap::Unmodelled { what: what.into(), at: step.site() });
            }
            step.seq_cst_fence();
        }
    }

    fn is_direct(&self) -> bool {
        false
    }

    fn reorders_pieces(&self) -> bool {
        true
    }

    fn has_choices(&self) -> bool {
        true
    }

    fn started(&self, state: &mut State, parent: u32, child: u32) {
        histories(state).learn(child, parent);
    }

    fn joined(&self, state: &mut State, thread: u32, ended: u32) {
        histories(state).learn(thread, ended);
    }

    fn retired(&self, state: &mut State, number: u32) {
        histories(state).retire(number);
    }

    fn acquired_ghost(&self, state: &mut State, thread: u32, cell: (ObjRef, i64)) {
        histories(state).acquire_ghost(thread, cell);
    }

    fn wrote_ghost(&self, state: &mut State, thread: u32, cell: (ObjRef, i64), order: Order, is_update: bool) {
        histories(state).write_ghost(thread, cell, order.releases(), is_update);
    }

    fn forget(&self, state: &mut State, object: ObjRef) {
        histories(state).forget_object(object);
    }

    fn readiness(
        &self,
        _machine: &Machine<'_>,
        state: &State,
        number: u32,
        _at: (FunctionId, EdgeId),
    ) -> Option<Readiness> {
        state.thread(number).fence_due.then_some(Readiness::Ready)
    }

    fn is_due(&self, thread: &Thread) -> bool {
        thread.fence_due
    }

    /// The fence after a seq_cst write.
    fn take_due(&self, step: &mut Step<'_, '_>) -> Result<(), Interrupt> {
        step.state.thread_mut(step.thread).fence_due = false;
        step.seq_cst_fence();
        step.note(EventKind::Local);
        step.stay()
    }

    /// Drops writes that no thread can read any more.
    fn settle(&self, step: &mut Step<'_, '_>) {
        if step.state.histories.is_empty() {
            return;
        }
        let running: Vec<u32> = step.state.running().collect();
        for (cell, message) in histories(step.state).collect(&running) {
            let pointer = Pointer::to(cell.object).moved(cell.offset as i64);
            step.set_location_release(pointer, cell.len, message.release);
            if let Some(watch) = &mut step.watch {
                watch.wrote(pointer, cell.len, message.stamp);
            }
            let Some(index) = step.state.object_index(cell.object) else { continue };
            let current = step.state.objects[index].read(cell.offset, cell.len, &step.machine.layout);
            if message.value != Value::Undef && (current.value != message.value || current.undefined != 0) {
                step.write_memory(pointer, cell.len, message.value, index);
            }
        }
    }

    /// The fence beside an access is visible even if the access is not.
    fn is_visible(&self, _machine: &Machine<'_>, thread: &Thread, stmt: &Stmt) -> Option<bool> {
        (thread.fence_due || is_seq_cst(stmt)).then_some(true)
    }

    fn choices(&self, state: &State, number: u32, cell: Cell, step: &Move) -> ((usize, usize), usize) {
        let Some(messages) = state.histories.messages(cell) else { return ((1, 0), 0) };
        // The initial write, and writes indistinguishable from it by now, come first.
        let position = |written: Option<Written>| match written {
            Some(Written::By(index)) => messages.iter().position(|write| write.stamp == index + 1).unwrap_or(0),
            Some(Written::Initially) | None => 0,
        };
        let follows = position(step.follows) as u32 + 1;
        let places = (*state.histories).clone().places(number, cell);
        let place = places.iter().position(|&place| place == follows).unwrap_or(0);
        ((messages.len(), position(step.reads)), place)
    }
}

impl Step<'_, '_> {
    fn seq_cst_fence(&mut self) {
        histories(self.state).fence(self.thread);
    }

    /// The fence that a seq_cst access implies, whether or not other threads reach its cell: the sharing analysis
    /// over-approximates and must not change what a program means.
    fn fence_beside(&mut self, order: Order) {
        if order == Order::SeqCst {
            self.machine.note_seq_cst(self.at);
            self.seq_cst_fence();
        }
    }

    /// The fence after a seq_cst write, as a step of its own: fences of other threads may come between the two. (The fence
    /// before a seq_cst read can be one step with it: no outcome is lost as long as the one after a write is not.)
    fn fence_after(&mut self, order: Order) {
        if order == Order::SeqCst && self.state.is_parallel() {
            self.machine.note_seq_cst(self.at);
            self.state.thread_mut(self.thread).fence_due = true;
        } else {
            self.fence_beside(order);
        }
    }

    /// Notes that an access is treated as stronger than its order: a relaxed one as a release or acquire, and others,
    /// if there are seq_cst accesses, as ordered by the fences beside these.
    fn note_strengthening(&self, order: Order) {
        match order {
            Order::Relaxed => self.machine.gap(Gap::Relaxed { at: self.site() }),
            Order::Acquire | Order::Release | Order::AcqRel => self.machine.gap(Gap::Mixed { at: self.site() }),
            Order::SeqCst => self.machine.note_seq_cst(self.at),
            Order::Plain => {}
        }
    }

    /// Gives the cell of an access a history. Overlapping cells of other sizes prevent that.
    fn cell(&mut self, access: &Access) -> Result<Cell, Interrupt> {
        let Access { pointer, len, index, .. } = *access;
        let cell = Cell { object: pointer.object, offset: pointer.offset as u64, len };
        if self.state.histories.messages(cell).is_some() {
            return Ok(cell);
        }
        if self.state.histories.overlapping(cell).next().is_some() {
            return Err(Interrupt::Unmodelled("accesses of different sizes to the same bytes under ra".into()));
        }
        let content = self.state.objects[index].read(cell.offset, len, &self.machine.layout);
        if self.state.objects[index].has_part_of_pointer(cell.offset, len, &self.machine.layout) {
            self.machine.gap(Gap::Addresses { at: self.site() });
        }
        let value = if content.undefined == 0 { content.value } else { Value::Undef };
        let stamp = self.watch.as_ref().map_or(0, |watch| watch.writer(pointer));
        let message = Message::initial(value, self.location_release(pointer, len), stamp);
        histories(self.state).begin(cell, message);
        Ok(cell)
    }

    fn read_message(&mut self, cell: Cell, position: u32, order: Order) -> Result<Found, Interrupt> {
        let histories = histories(self.state);
        let message = histories.read(self.thread, cell, position);
        let later = histories.messages(cell).unwrap_or(&[]).iter().skip(position as usize + 1);
        let unseen = if self.watch.is_some() { later.map(|message| message.stamp).collect() } else { Vec::new() };
        self.acquire(order, &message.release);
        let mut value = message.value;
        if value == Value::Undef {
            let index = self.state.object_index(cell.object).expect("the object was located");
            let content = self.state.objects[index].read(cell.offset, cell.len, &self.machine.layout);
            value = self.defined(content, cell.len, index)?;
            Rc::make_mut(&mut self.state.histories).resolve(cell, position, value);
        }
        Ok(Found { value, stamp: message.stamp, unseen })
    }

    fn ask_index(&mut self, question: Question, count: usize) -> Result<usize, Interrupt> {
        match count {
            0 => Err(Interrupt::NoAnswer),
            1 => Ok(0),
            _ => match self.oracle.ask(question) {
                Some(Pick::Read(index) | Pick::Place(index)) => Ok(index as usize),
                Some(Pick::Input(_) | Pick::SpuriousFailure(_)) | None => Err(Interrupt::NoAnswer),
            },
        }
    }

    fn update_message(
        &mut self,
        access: &Access,
        failure: Order,
        change: &mut Change<'_, Self>,
    ) -> Result<Value, Interrupt> {
        let Access { pointer, ty, len, order, index } = *access;
        let cell = self.cell(access)?;
        // A failing compare-exchange is a load of its failure order, so only the value read decides whether it is
        // seq_cst.
        let is_always_seq_cst = order == Order::SeqCst && failure == Order::SeqCst;
        if is_always_seq_cst {
            self.seq_cst_fence();
        }
        let before = Rc::clone(&self.state.histories);
        // Any readable write may be read; one that another read-modify-write has read cannot be updated.
        let readable = histories(self.state).readable(self.thread, cell);
        let choice = self.ask_index(Question::Read(readable.len() as u32), readable.len())?;
        let position = readable.start + choice as u32;
        let is_updatable = histories(self.state).updatable(self.thread, cell).contains(&position);
        let found = self.read_message(cell, position, Order::Relaxed)?;
        let old = self.typed(found.value, ty);
        let new = change(self, old)?.map(|new| self.stored(new));
        let used = if new.is_some() { order } else { failure };
        if new.is_some() && !is_updatable {
            return Err(Interrupt::Impossible);
        }
        if used == Order::SeqCst && !is_always_seq_cst {
            self.read_again_fenced(before, cell, position, found.value)?;
        }
        self.note_strengthening(used);
        self.check_race(pointer, len, new.is_some(), used, index)?;
        let messages = self.state.histories.messages(cell).unwrap_or(&[]);
        let sequence = messages[position as usize].release.clone();
        self.acquire(used, &sequence);
        self.note_read(access, old, &found);
        if let Some(new) = new {
            self.note_write(access, new, false);
            let message = Message::initial(new, self.release(order, sequence), self.stamp);
            histories(self.state).write(self.thread, cell, position + 1, true, message);
            self.fence_after(order);
        }
        Ok(old)
    }

    /// Repeats a read from the state before it, with a fence first; impossible if the fence makes the write too old.
    fn read_again_fenced(
        &mut self,
        before: Rc<Histories>,
        cell: Cell,
        position: u32,
        value: Value,
    ) -> Result<(), Interrupt> {
        self.state.histories = before;
        self.seq_cst_fence();
        let histories = histories(self.state);
        if !histories.readable(self.thread, cell).contains(&position) {
            return Err(Interrupt::Impossible);
        }
        histories.resolve(cell, position, value);
        histories.read(self.thread, cell, position);
        Ok(())
    }
}
