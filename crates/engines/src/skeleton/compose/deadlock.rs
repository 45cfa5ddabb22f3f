//! Deadlocks: executions whose final state has every thread ended or blocked.
//!
//! Threads that stop elsewhere (the process ends, an assumption is false, a loop is cut, an iteration without effect is
//! not followed by another) are neither, so an execution with one of these is no deadlock. Probes read the final state
//! ([`crate::skeleton::blocking`]): a probe comes after every write to its cell. The final state of a lock with
//! sections is given by the acquisition that is not closed, if there is one.

use super::Composer;
use crate::skeleton::events::{EventId, Kind};
use crate::skeleton::value::is_set;
use rustc_hash::FxHashMap;
use smt::Term;

impl Composer<'_> {
    /// Encodes when an execution ends in a deadlock.
    pub(super) fn deadlock(&mut self) {
        let mut all = Vec::new();
        let mut some = Vec::new();
        for id in self.skeleton.threads.ids() {
            let thread = &self.skeleton.threads[id];
            let started = match thread.start {
                Some(mark) => self.skeleton.events[mark].occurs,
                None if id == base::Id::new(0) => self.terms.bool(true),
                None => continue,
            };
            let ended = self.skeleton.threads[id].exit.as_ref().map(|exit| exit.occurs);
            let blocks = self.skeleton.blocks.iter().filter(|block| block.thread == id).map(|block| block.occurs);
            let blocked = self.terms.or(blocks.collect::<Vec<_>>());
            let blocked = self.terms.and2(started, blocked);
            some.push(blocked);
            let rests = self.terms.or(ended.into_iter().chain([blocked]).collect::<Vec<_>>());
            all.push(self.terms.implies(started, rests));
        }
        let some = self.terms.or(some);
        all.push(some);
        self.composition.deadlock = Some(self.terms.and(all));
    }

    /// Probes come after all writes to their cells.
    pub(super) fn probe(&mut self, id: EventId, writes: &[EventId]) {
        let occurs = self.skeleton.events[id].occurs;
        for &write in writes {
            let same = self.same_place(write, id);
            if let Some(writes) = self.writes(write) {
                if !self.is_before(write, id) {
                    self.edge_if(&[occurs, writes, same], write, id);
                }
            }
        }
    }

    /// The values that probes read from a cell that is only locked and unlocked.
    pub(super) fn probe_sections(
        &mut self,
        events: &[EventId],
        locks: &[EventId],
        closings: &FxHashMap<EventId, Vec<(EventId, Term)>>,
    ) {
        let mut open = Vec::new();
        for &lock in locks {
            let Some(taken) = self.writes(lock) else { continue };
            let closing = closings.get(&lock).into_iter().flatten().map(|(_, condition)| *condition);
            let closed = self.terms.or(closing.collect::<Vec<_>>());
            let stays = self.terms.not(closed);
            open.push(self.terms.and2(taken, stays));
        }
        let is_held = self.terms.or(open);
        for &id in events {
            let event = self.skeleton.events[id].clone();
            if let (Kind::Probe, Some(read)) = (event.kind, event.read) {
                let is_taken = is_set(self.terms, read.bits);
                let agrees = self.terms.eq(is_taken, is_held);
                let fact = self.terms.implies(event.occurs, agrees);
                self.assert(fact);
            }
        }
    }
}
