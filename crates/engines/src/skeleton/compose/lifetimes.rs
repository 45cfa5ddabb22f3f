//! Lifetimes: accesses to dead objects, through pointers that only the solver knows, and comparisons with pointers to
//! objects that no longer exist.

use super::super::evaluate::COMPARED_GONE;
use super::super::events::{Event, EventId, Kind};
use super::super::memory::INVALID;
use super::super::objects;
use super::super::value::{constant, GHOST, OBJECT_BITS};
use super::{Composer, GONE};
use base::{Id, Stop};
use check::ReasonKind;
use smt::Term;

impl Composer<'_> {
    /// Accesses to objects whose life another event ends.
    pub(super) fn kills(&mut self, accesses: &[EventId]) -> Result<(), Stop> {
        let kills: Vec<EventId> =
            self.skeleton.events.enumerate().filter(|(_, event)| event.kind == Kind::Kill).map(|(id, _)| id).collect();
        for &kill in &kills {
            self.budget.check()?;
            // Frees through pointers that were known then were handled then.
            if self.skeleton.events[kill].targets.is_some() {
                self.check_free(kill);
            }
            for &access in accesses.iter().chain(&kills) {
                if access == kill || self.is_before(access, kill) {
                    continue;
                }
                let (killed, accessed) = (self.skeleton.events[kill].clone(), self.skeleton.events[access].clone());
                let mut object = accessed.location.object;
                if let Some(number) = constant(self.terms, object) {
                    object = self.terms.number(OBJECT_BITS, number & u64::from(!GHOST));
                } else {
                    let mask = self.terms.number(OBJECT_BITS, u64::from(!GHOST));
                    object = self.terms.bit_and([object, mask]);
                }
                let same = self.terms.eq(object, killed.location.object);
                let both = self.terms.and([killed.occurs, accessed.occurs, same]);
                if self.terms.as_bool(both) == Some(false) {
                    continue;
                }
                let late = if self.is_before(kill, access) {
                    both
                } else {
                    let late = self.fresh("late");
                    let fact = self.terms.implies(late, both);
                    self.assert(fact);
                    self.edge_if(&[late], kill, access);
                    let in_time = self.terms.not(late);
                    self.edge_if(&[both, in_time], access, kill);
                    late
                };
                self.forbid_memory(late, GONE, access);
            }
        }
        Ok(())
    }

    /// The argument of a free must be a shared heap object.
    pub(super) fn check_free(&mut self, kill: EventId) {
        let event = self.skeleton.events[kill].clone();
        let (mut cases, mut private) = (Vec::new(), Vec::new());
        for number in self.skeleton.objects.numbers().collect::<Vec<_>>() {
            let Some(object) = self.skeleton.objects.get(number) else { continue };
            if object.kind == objects::Kind::Heap {
                let is_shared = object.is_shared;
                let is_it = self.object_is(event.location.object, number);
                cases.push(is_it);
                private.extend((!is_shared).then_some(is_it));
            }
        }
        let private = self.terms.or(private);
        let private = self.terms.and2(event.occurs, private);
        self.gap(private, ReasonKind::Unsupported, "a symbolic pointer is freed", event.at);
        let valid = self.terms.or(cases);
        let invalid = self.terms.not(valid);
        let invalid = self.terms.and2(event.occurs, invalid);
        self.forbid_memory(invalid, "free of what malloc did not return", kill);
    }

    /// Validity of accesses through pointers that only the solver knows.
    pub(super) fn validity(&mut self, accesses: &[EventId]) -> Result<(), Stop> {
        let is_kill = |(id, event): (EventId, &Event)| (event.kind == Kind::Kill).then_some(id);
        let kills: Vec<EventId> = self.skeleton.events.enumerate().filter_map(is_kill).collect();
        for &id in accesses.iter().chain(&kills) {
            self.budget.check()?;
            let event = self.skeleton.events[id].clone();
            let mut wrong = Vec::new();
            if event.targets.is_some() && event.kind != Kind::Kill {
                let mut cases = Vec::new();
                for number in self.candidates(&event) {
                    let is_it = self.object_is(event.location.object, number);
                    let is_constant =
                        self.skeleton.objects.get(number).is_some_and(|object| object.kind == objects::Kind::Constant);
                    if is_constant && number & GHOST == 0 {
                        continue;
                    }
                    let fits = self.skeleton.objects.fits(self.terms, number, event.location.bits, event.bytes);
                    cases.push(self.terms.and2(is_it, fits));
                }
                let valid = self.terms.or(cases);
                let invalid = self.terms.not(valid);
                wrong.push(self.terms.and2(event.occurs, invalid));
            }
            for (number, dead) in self.skeleton.dead.clone() {
                for number in [number, number | GHOST] {
                    let is_it = self.object_is(event.location.object, number);
                    wrong.push(self.terms.and([event.occurs, is_it, dead]));
                }
            }
            let wrong = self.terms.or(wrong);
            self.forbid_memory(wrong, INVALID, id);
        }
        Ok(())
    }

    /// A pointer to a dead object may be equal to anything in comparisons. Objects that the thread itself ends later
    /// are still alive; for ends by other threads, the time is not considered.
    pub(super) fn comparisons(&mut self) {
        let mut kills: Vec<(Option<EventId>, Term, Term)> = Vec::new();
        for (id, event) in self.skeleton.events.enumerate().filter(|(_, event)| event.kind == Kind::Kill) {
            kills.push((Some(id), event.occurs, event.location.object));
        }
        for (number, dead) in self.skeleton.dead.clone() {
            kills.push((None, dead, self.terms.number(OBJECT_BITS, u64::from(number))));
        }
        if kills.is_empty() {
            return;
        }
        for comparison in std::mem::take(&mut self.skeleton.compared) {
            let [a, b] = comparison.objects;
            let mut cases = Vec::new();
            for &(kill, occurs, object) in &kills {
                let is_later = |kill: EventId| {
                    self.skeleton.events[kill].thread == comparison.thread && kill.index() >= comparison.events
                };
                if kill.is_some_and(is_later) {
                    continue;
                }
                let (is_a, is_b) = (self.terms.eq(a, object), self.terms.eq(b, object));
                let either = self.terms.or2(is_a, is_b);
                cases.push(self.terms.and2(occurs, either));
            }
            let gone = self.terms.or(cases);
            // Comparison with null is always defined.
            let (null_a, null_b) = (self.object_is(a, 0), self.object_is(b, 0));
            let same = self.terms.eq(a, b);
            let is_defined = self.terms.or([same, null_a, null_b]);
            let is_undefined = self.terms.not(is_defined);
            let bad = self.terms.and([comparison.condition, is_undefined, gone]);
            self.gap(bad, ReasonKind::Undefined, COMPARED_GONE, comparison.span);
        }
    }
}
