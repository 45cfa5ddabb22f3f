//! Blocked threads, for deadlocks. Encoded only if the property asks about them.
//!
//! A thread that has reached a waiting statement and does not pass it is blocked if the statement could not go on in
//! the final state of the execution. A *probe* reads the cell for that: an event that comes after everything else. A
//! timed wait is never blocked.
//!
//! In an atomic region no other thread moves until the thread leaves the region, so a statement that cannot go on at
//! once is a deadlock already, whatever the other threads are about to do: a violation, before the statement. Limit:
//! joining a thread in a region is a gap.

use super::events::{Block, Kind};
use super::execute::Execution;
use super::memory::Place;
use super::state::State;
use super::value::Value;
use check::ReasonKind;
use ir::{LocalId, Property};
use smt::Term;

impl Execution<'_> {
    /// The current statement waits for a cell. Encodes when it cannot go on: `is_ready` maps the cell's value to
    /// readiness, and `passed` says whether the thread passes.
    pub(crate) fn wait_for_cell(
        &mut self,
        state: &mut State,
        place: &Place,
        (own, has_objects): (Option<Value>, bool),
        passed: Term,
        locals: &[(LocalId, Value)],
        is_ready: &mut dyn FnMut(&mut Self, &mut State, Value) -> Term,
    ) {
        if self.property != Property::Deadlock {
            return;
        }
        let has_region = state.region.is_some();
        let reached = state.condition;
        let stays = self.terms.not(passed);
        let reads = if has_region { reached } else { self.terms.and2(reached, stays) };
        let mut value = own;
        let mut probe = None;
        if let Some(shared) = place.shared {
            let read = self.unread(place.bytes, has_objects);
            let occurs = self.terms.and2(reads, shared);
            let last = state.last.clone();
            let kind = if has_region { Kind::Access } else { Kind::Probe };
            let event = self.event(state, kind, Some(place), occurs, Some(read), None);
            self.step_events.retain(|other| *other != event);
            if !has_region {
                state.last = last;
            }
            probe = Some(event);
            value = Some(own.map_or(read, |own| read.or_else(self.terms, shared, own)));
        }
        let Some(value) = value else { return };
        let mut scratch = state.clone();
        let is_ready = is_ready(self, &mut scratch, value);
        let is_blocked = self.terms.not(is_ready);
        if !has_region {
            let occurs = self.terms.and2(reads, is_blocked);
            self.skeleton.blocks.push(Block { thread: state.thread, occurs });
            return;
        }
        let occurs = self.terms.and2(reached, is_blocked);
        let events = std::mem::replace(&mut self.step_events, probe.into_iter().collect());
        scratch.condition = occurs;
        self.record(&scratch, locals.to_vec());
        self.step_events = events;
        self.violation(state, occurs);
        if let Some(violation) = self.skeleton.violations.last_mut() {
            violation.is_before = true;
        }
        let goes_on = self.terms.not(is_blocked);
        state.condition = self.terms.and2(state.condition, goes_on);
    }

    /// The current statement waits for the end of a thread, which may never come.
    pub(crate) fn wait_for_end(&mut self, state: &mut State, passed: Term, ended: Term) {
        if self.property != Property::Deadlock {
            return;
        }
        if state.region.is_some() {
            let always = self.terms.bool(true);
            self.unless(always, ReasonKind::Unsupported, "in an atomic region the end of a thread is awaited");
            self.settle(state);
            return;
        }
        let (stays, lasts) = (self.terms.not(passed), self.terms.not(ended));
        let occurs = self.terms.and([state.condition, stays, lasts]);
        self.skeleton.blocks.push(Block { thread: state.thread, occurs });
    }
}
