//! Deadlocks, from their definition: a state in which some thread is blocked and none can take a step.
//!
//! For each statement that waits there is a *stay*: the thread has reached the statement, has not executed it, and
//! cannot execute it in the final state of the execution. The final value of a cell comes from a *look*: an event that
//! reads like any other but is no step of its thread and comes after all steps. A thread rests if it has not started,
//! has ended, or stays. If all threads rest and at least one of them stays, that is a deadlock; so is a thread that
//! stays inside an atomic region, whatever the other threads can do.
//!
//! A statement that can time out never stays; one that only may wake spuriously does stay. A thread at any other place
//! can take a step, if only one that ends the process. A statement that cannot be evaluated (a cell of a dead object)
//! does not wait either: taking the step is the error.

use crate::axioms::Asserted;
use crate::memory::Value;
use crate::statements::Change;
use crate::tree::{Access, EventId, Path, Tree};
use ir::Property;
use smt::{Bits, Term};

/// A place where a thread may wait forever.
#[derive(Clone, Debug)]
pub(crate) struct Stay {
    pub(crate) thread: usize,
    pub(crate) occurs: Term,
    pub(crate) is_in_region: bool,
}

impl Tree<'_> {
    /// The thread waits here forever, under a condition.
    pub(crate) fn stay(&mut self, path: &Path, condition: Term) {
        if self.property != Property::Deadlock {
            return;
        }
        let reached = self.occurs(path);
        let occurs = self.terms.and2(reached, condition);
        if self.terms.as_bool(occurs) != Some(false) {
            self.stays.push(Stay { thread: path.thread, occurs, is_in_region: path.region.is_some() });
        }
    }

    /// The statement in progress, which makes an event on the path, waits for writes of other threads; `change` holds
    /// the condition.
    pub(crate) fn look(
        &mut self,
        path: &Path,
        event: EventId,
        access: Access,
        change: &mut impl FnMut(&mut Self, &mut Path, Value) -> Change,
    ) {
        let Some(read) = access.read else { return };
        let mut aside = path.clone();
        let pending = std::mem::take(&mut self.pending);
        let Some(blocks) = change(self, &mut aside, read).blocks else {
            self.pending = pending;
            return;
        };
        let unclear: Vec<Term> = self.pending.drain(..).map(|(condition, ..)| condition).collect();
        self.pending = pending;
        aside.last = path.last;
        let look = self.event(&mut aside, "look", Some(access));
        self.events[look].is_step = false;
        let (looks, is_done) = (self.events[look].occurs, self.events[event].occurs);
        let unclear = self.terms.or(unclear);
        let (not_done, is_clear) = (self.terms.not(is_done), self.terms.not(unclear));
        let needed = self.terms.and([not_done, is_clear, blocks]);
        let fact = self.terms.implies(looks, needed);
        self.facts.push(fact);
        self.stays.push(Stay { thread: path.thread, occurs: looks, is_in_region: path.region.is_some() });
    }

    /// Adds the violation and encodes what looks read.
    pub(crate) fn deadlocks(&mut self, asserted: &mut Asserted) {
        let (steps, looks): (Vec<EventId>, Vec<EventId>) = self.events.ids().partition(|&id| self.events[id].is_step);
        for look in looks {
            for &other in &steps {
                asserted.instances += 1;
                let both = self.terms.and2(self.events[look].occurs, self.events[other].occurs);
                let after = self.less(asserted, other, look);
                let fact = self.terms.implies(both, after);
                asserted.solver.assert(self.terms, fact);
            }
        }
        self.stay_at_joins();
        let mut all = Vec::new();
        let mut some = Vec::new();
        for thread in 0..self.threads {
            let is_started = self.is_started(thread);
            let stays = self.stays.iter().filter(|stay| stay.thread == thread).map(|stay| stay.occurs);
            let stays = self.terms.or(stays.collect::<Vec<_>>());
            let is_ended = self.is_ended(thread);
            let is_absent = self.terms.not(is_started);
            all.push(self.terms.or([is_absent, is_ended, stays]));
            some.push(stays);
        }
        let some = self.terms.or(some);
        all.push(some);
        self.violations.push(self.terms.and(all));
        let in_regions = self.stays.iter().filter(|stay| stay.is_in_region).map(|stay| stay.occurs);
        self.violations.extend(in_regions.collect::<Vec<_>>());
    }

    /// A join waits if its thread exists and does not end.
    fn stay_at_joins(&mut self) {
        for join in self.joins.clone() {
            if join.result.is_none() {
                continue;
            }
            let width = self.terms.width(join.number);
            let mut cases = Vec::new();
            for thread in 0..self.threads {
                let number = self.terms.bits(Bits::from_u64(width, thread as u64 + 1));
                let is_it = self.terms.eq(join.number, number);
                let (is_started, is_ended) = (self.is_started(thread), self.is_ended(thread));
                let lasts = self.terms.not(is_ended);
                cases.push(self.terms.and([is_it, is_started, lasts]));
            }
            let lasts = self.terms.or(cases);
            let event = self.events[join.event].clone();
            let not_done = self.terms.not(event.occurs);
            let occurs = self.terms.and([join.reached, not_done, lasts]);
            self.stays.push(Stay { thread: event.thread, occurs, is_in_region: event.is_in_region });
        }
    }

    fn is_started(&mut self, thread: usize) -> Term {
        if thread == 0 {
            return self.terms.bool(true);
        }
        let starts = self.starts.iter().filter(|(other, _)| *other == thread);
        let starts: Vec<Term> = starts.map(|(_, start)| self.events[*start].occurs).collect();
        self.terms.or(starts)
    }

    fn is_ended(&mut self, thread: usize) -> Term {
        let ends = self.ends.iter().filter(|end| end.thread == thread);
        let ends: Vec<Term> = ends.map(|end| self.events[end.event].occurs).collect();
        self.terms.or(ends)
    }
}
