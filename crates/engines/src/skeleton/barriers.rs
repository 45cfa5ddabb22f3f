//! Barriers: events that are not accesses but order others under weak memory models ([`Barrier`]). The reference
//! interpreter defines which statements need them (`docs/semantics.md`, memory models).
//!
//! Under `tso` and `pso` many statements wait until the thread's store buffer is empty, whatever they access, and under
//! `pso` release stores and fences keep later stores behind earlier ones. No event is made where the buffer is
//! certainly empty. Under `ra` seq_cst fences are events, and every seq_cst access has one with it, even to private
//! memory. Before a second thread is started none of this makes a difference, and there are no events.

use super::events::{Barrier, Kind};
use super::execute::Execution;
use super::memory::Place;
use super::state::State;
use check::ReasonKind;
use ir::{MemoryModel, Order, Stmt, StoreBuffer};
use smt::Term;

const RELAXED: &str = "relaxed atomics were taken as release-acquire (--assume-ra takes that for granted)";
const MIXED: &str =
    "acquire and release atomics were taken as ordered by seq_cst ones (--assume-ra takes that for granted)";

impl Execution<'_> {
    fn barrier(&mut self, state: &mut State, barrier: Barrier, occurs: Term) {
        if self.terms.as_bool(occurs) != Some(false) {
            self.event(state, Kind::Barrier(barrier), None, occurs, None, None);
        }
    }

    /// To be called before a statement that may wait for an empty store buffer.
    pub(crate) fn drain(&mut self, state: &mut State, stmt: &Stmt) {
        if !stmt.may_drain() && stmt.drains(self.frames.len() == 1) {
            let always = self.terms.bool(true);
            self.drain_if(state, always);
        }
    }

    /// The current statement waits for an empty store buffer if `waits`.
    pub(crate) fn drain_if(&mut self, state: &mut State, waits: Term) {
        if self.model.store_buffer().is_none() || !state.has_stores || state.is_alone {
            return;
        }
        let is_certain = self.terms.as_bool(waits) == Some(true);
        let barrier = if is_certain { Barrier::Drain } else { Barrier::MayDrain };
        let occurs = self.terms.and2(state.condition, waits);
        self.barrier(state, barrier, occurs);
        state.has_stores &= !is_certain;
    }

    /// A fence statement of the program.
    pub(crate) fn fence(&mut self, state: &mut State, order: Order) {
        if state.is_alone {
            return;
        }
        match self.model {
            MemoryModel::Sc | MemoryModel::Tso => {}
            MemoryModel::Pso => self.keep_stores(state, order),
            MemoryModel::Ra if order.is_full_fence() => {
                if let Some(what) = order.strengthened_fence() {
                    self.gap(state.condition, ReasonKind::Unmodelled, format!("{what} is not modelled"));
                }
                self.barrier(state, Barrier::Fence, state.condition);
            }
            MemoryModel::Ra => {}
        }
    }

    fn keep_stores(&mut self, state: &mut State, order: Order) {
        let may_overtake = self.model.store_buffer() == Some(StoreBuffer::PerLocation) && state.has_stores;
        if may_overtake && order.releases() && order != Order::SeqCst {
            self.barrier(state, Barrier::StoreStore, state.condition);
        }
    }

    /// Records that an access is treated as stronger than it is.
    fn note_strengthening(&mut self, state: &State, place: &Place, occurs: Term, order: Order) {
        // The fence of an access to private memory orders all the same.
        self.has_seq_cst |= order == Order::SeqCst && self.analyses.seq_cst.contains(&self.at);
        let Some(shared) = place.shared else { return };
        let (kind, detail) = match order {
            Order::Plain | Order::SeqCst => return,
            Order::Relaxed => (ReasonKind::Relaxed, RELAXED),
            Order::Acquire | Order::Release | Order::AcqRel => (ReasonKind::Mixed, MIXED),
        };
        let occurs = self.terms.and([state.condition, shared, occurs]);
        self.gap(occurs, kind, detail.to_owned());
    }

    fn has_fences(&self, state: &State, place: &Place) -> bool {
        self.model.strengthens_atomics() && !state.is_alone && !place.is_ghost
    }

    /// Barriers before a load.
    pub(crate) fn before_load(&mut self, state: &mut State, place: &Place, order: Order) {
        if !self.has_fences(state, place) {
            return;
        }
        let always = self.terms.bool(true);
        self.note_strengthening(state, place, always, order);
        if order == Order::SeqCst {
            let barrier = if place.shared.is_some() { Barrier::FenceBefore } else { Barrier::Fence };
            self.barrier(state, barrier, state.condition);
        }
    }

    /// Barriers before a store.
    pub(crate) fn before_store(&mut self, state: &mut State, place: &Place, order: Order) {
        if !place.is_ghost && !state.is_alone {
            self.keep_stores(state, order);
        }
        if self.has_fences(state, place) {
            let always = self.terms.bool(true);
            self.note_strengthening(state, place, always, order);
        }
    }

    /// Barriers before a read-modify-write that writes if `writes`.
    pub(crate) fn before_update(
        &mut self,
        state: &mut State,
        place: &Place,
        writes: Term,
        (order, failure): (Order, Order),
    ) {
        let waits = if place.is_ghost { writes } else { self.terms.bool(true) };
        self.drain_if(state, waits);
        if !self.has_fences(state, place) {
            return;
        }
        let fails = self.terms.not(writes);
        let mut cases = Vec::new();
        for (case, order) in [(writes, order), (fails, failure)] {
            self.note_strengthening(state, place, case, order);
            if order == Order::SeqCst {
                cases.push(case);
            }
        }
        let case = self.terms.or(cases);
        let occurs = self.terms.and2(state.condition, case);
        let barrier = if place.shared.is_some() { Barrier::FenceBefore } else { Barrier::Fence };
        self.barrier(state, barrier, occurs);
    }

    /// Barriers after a write, which happens if `writes`. After a read-modify-write of private memory, the fence before
    /// it serves for both.
    pub(crate) fn after_write(&mut self, state: &mut State, place: &Place, writes: Term, order: Order) {
        if !self.has_fences(state, place) || order != Order::SeqCst {
            return;
        }
        let occurs = self.terms.and2(state.condition, writes);
        let barrier = if place.shared.is_some() { Barrier::FenceAfter } else { Barrier::Fence };
        self.barrier(state, barrier, occurs);
    }

    /// The fence after a write is a step of its own if other threads may access what is written, so it must be known
    /// whether they do.
    pub(crate) fn check_fences(&mut self, place: &Place, order: Order) {
        let is_either = place.has_private() && place.shared.is_some();
        if self.model.strengthens_atomics() && order == Order::SeqCst && is_either && !place.is_ghost {
            let always = self.terms.bool(true);
            let detail = "a seq_cst write to memory that may be shared or not";
            self.unless(always, ReasonKind::Unsupported, detail);
        }
    }
}
