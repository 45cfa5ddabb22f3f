//! Data races, pair by pair. For every access that may be the first of a race there is one *mark* per event: whether
//! the thread of the event knows of the access after the event. Marks propagate along every step of happens-before, as
//! `interp::happens_before` defines it; the second access of a race is one whose thread does not know of the first.

use crate::axioms::{Asserted, MAX_INSTANCES};
use crate::memory::{Storage, Value, GHOST};
use crate::tree::{EventId, Tree};
use base::IdVec;
use smt::{Bits, Sort, Term};

/// The marks of one access.
struct Marks {
    /// The thread's knowledge after an event.
    known: IdVec<EventId, Term>,
    /// Its knowledge at its last release fence.
    fenced: IdVec<EventId, Term>,
    /// The knowledge that an acquire fence would add.
    pending: IdVec<EventId, Term>,
    /// The knowledge that a write passes on.
    passed: IdVec<EventId, Term>,
}

impl Tree<'_> {
    /// Adds a violation for every pair of accesses.
    pub(crate) fn races(&mut self, asserted: &mut Asserted) {
        for first in self.events.ids() {
            let seconds: Vec<(EventId, Term)> = self
                .events
                .ids()
                .filter_map(|second| self.conflict(first, second).map(|conflict| (second, conflict)))
                .collect();
            if seconds.is_empty() {
                continue;
            }
            asserted.instances += (self.events.len() + asserted.reads_from.len()) as u64;
            if asserted.instances > MAX_INSTANCES {
                return;
            }
            let marks = self.marks(asserted, first);
            for (second, conflict) in seconds {
                // Knowledge that the second access itself acquires does not count.
                let Some(before) = self.events[second].before else { continue };
                let unknown = self.terms.not(marks.known[before]);
                let earlier = self.less(asserted, first, second);
                let race = self.terms.and([conflict, unknown, earlier]);
                self.violations.push(race);
            }
        }
    }

    /// The condition that both occur and conflict, if that is possible.
    fn conflict(&mut self, first: EventId, second: EventId) -> Option<Term> {
        let (a, b) = (self.events[first].clone(), self.events[second].clone());
        let is_atomic = |event: &crate::tree::Event| event.orders.0.is_atomic() || event.is_in_region;
        let one = a.access?;
        if a.thread == b.thread {
            return None;
        }
        let mut parts = vec![a.occurs, b.occurs];
        match b.access {
            Some(_) if is_atomic(&a) && is_atomic(&b) => return None,
            Some(other) => {
                if self.are_elsewhere(&one, &other) {
                    return None;
                }
                let writes = [one, other].map(|access| access.write.map(|(condition, _)| condition));
                parts.push(self.terms.or(writes.into_iter().flatten().collect::<Vec<_>>()));
                parts.push(self.terms.eq(one.place.object, other.place.object));
                let width = self.pointer_width();
                for (x, y) in [(one, other), (other, one)] {
                    let bytes = self.terms.bits(Bits::from_u64(width, y.bytes));
                    let end = self.terms.add(y.place.bits, bytes);
                    parts.push(self.terms.ult(x.place.bits, end));
                }
            }
            // Freeing memory writes all of it; other ends of lifetimes do not race.
            None => {
                let freed = b.kills?;
                let is_heap = |number| self.object(number).is_some_and(|object| object.storage == Storage::Heap);
                if self.constant(freed).is_some_and(|number| !is_heap(number as u16)) {
                    return None;
                }
                parts.push(self.terms.eq(one.place.object, freed));
            }
        }
        parts.push(self.is_no_ghost(one.place));
        let conflict = self.terms.and(parts);
        (self.terms.as_bool(conflict) != Some(false)).then_some(conflict)
    }

    fn is_no_ghost(&mut self, place: Value) -> Term {
        let bit = self.terms.extract(GHOST.trailing_zeros(), GHOST.trailing_zeros(), place.object);
        let is_ghost = self.is_set(bit);
        self.terms.not(is_ghost)
    }

    /// The marks of one access: which events happen after it.
    fn marks(&mut self, asserted: &mut Asserted, first: EventId) -> Marks {
        let mut fresh = |name: &'static str| -> IdVec<EventId, Term> {
            (0..self.events.len()).map(|_| self.terms.variable(name, Sort::Bool)).collect()
        };
        let (known, fenced, pending, passed) = (fresh("known"), fresh("fenced"), fresh("pending"), fresh("passed"));
        let marks = Marks { known, fenced, pending, passed };
        asserted.solver.assert(self.terms, marks.known[first]);
        for id in self.events.ids() {
            self.mark_step(asserted, &marks, id);
        }
        for join in self.joins.clone().iter().filter(|join| join.result.is_some()) {
            let width = self.terms.width(join.number);
            for end in self.ends.clone() {
                let number = self.terms.bits(Bits::from_u64(width, end.thread as u64 + 1));
                let is_it = self.terms.eq(join.number, number);
                let when = [is_it, self.events[end.event].occurs, self.events[join.event].occurs];
                self.lead(asserted, &when, marks.known[end.event], marks.known[join.event]);
            }
        }
        for (choice, write, read) in asserted.reads_from.clone() {
            if let Some(write) = write {
                self.mark_read(asserted, &marks, choice, write, read);
            }
        }
        marks
    }

    /// If all of `when` hold, one mark leads to another.
    fn lead(&mut self, asserted: &mut Asserted, when: &[Term], from: Term, to: Term) {
        let all = self.terms.and(when.iter().copied().chain([from]));
        let fact = self.terms.implies(all, to);
        asserted.solver.assert(self.terms, fact);
    }

    fn mark_step(&mut self, asserted: &mut Asserted, marks: &Marks, id: EventId) {
        let event = self.events[id].clone();
        if let Some(before) = event.before {
            self.lead(asserted, &[], marks.known[before], marks.known[id]);
            // A new thread does not inherit the state of its parent's fences.
            if self.events[before].thread == event.thread {
                self.lead(asserted, &[], marks.fenced[before], marks.fenced[id]);
                self.lead(asserted, &[], marks.pending[before], marks.pending[id]);
            }
        }
        let order = event.orders.0;
        if event.what == "fence" {
            if order.acquires() {
                self.lead(asserted, &[], marks.pending[id], marks.known[id]);
            }
            if order.releases() {
                self.lead(asserted, &[], marks.known[id], marks.fenced[id]);
            }
        }
        if order.releases() {
            self.lead(asserted, &[], marks.known[id], marks.passed[id]);
        } else if order.is_atomic() {
            self.lead(asserted, &[], marks.fenced[id], marks.passed[id]);
        }
    }

    /// The knowledge that a read takes over from the write that it reads from.
    fn mark_read(&mut self, asserted: &mut Asserted, marks: &Marks, choice: Term, write: EventId, read: EventId) {
        let event = self.events[read].clone();
        // An unlock only checks whether it is allowed.
        if event.what == "unlock" {
            return;
        }
        let no = self.terms.bool(false);
        let writes = event.access.and_then(|access| access.write).map_or(no, |(condition, _)| condition);
        let fails = self.terms.not(writes);
        for (case, order) in [(writes, event.orders.0), (fails, event.orders.1)] {
            let passed = marks.passed[write];
            if order.acquires() {
                self.lead(asserted, &[choice, case], passed, marks.known[read]);
            } else if order.is_atomic() {
                self.lead(asserted, &[choice, case], passed, marks.pending[read]);
            }
        }
        self.lead(asserted, &[choice, writes], marks.passed[write], marks.passed[read]);
    }
}
