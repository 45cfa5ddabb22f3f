//! Which choices make an execution of the trees, as plain formulas: a clock per event, and every instance of these
//! axioms:
//!
//! 1. a read that occurs reads from some write, or the initial value;
//! 2. if it reads from a write, that write occurs, before the read, to the same place, and with the same value;
//! 3. no other write to the place occurs between them (before the read, if it reads the initial value).
//!
//! A read-modify-write has one clock, so nothing comes between its read and its write. While a thread is in an atomic
//! region no event of another thread occurs. All pairs are encoded except those at places that are different constants.

use crate::memory::{Storage, Value, GHOST};
use crate::tree::{Access, EventId, Gap, Tree};
use base::{Id, IdVec};
use check::ReasonKind;
use ir::Property;
use smt::{Bits, Solver, Sort, Term};

/// Maximum number of instances of the third axiom.
pub(crate) const MAX_INSTANCES: u64 = 300_000;
const GONE: &str = "undefined behaviour: an access to memory that may no longer exist";

/// The solver and the variables of an encoded tree.
pub(crate) struct Asserted {
    pub(crate) solver: Solver,
    pub(crate) clocks: IdVec<EventId, Term>,
    /// A literal for each read-from choice, with the write (none for the initial value) and the read.
    pub(crate) reads_from: Vec<(Term, Option<EventId>, EventId)>,
    pub(crate) instances: u64,
}

impl Tree<'_> {
    /// Encodes everything for a new solver; `None` if that exceeds the limits.
    pub(crate) fn tell(&mut self) -> Option<Asserted> {
        let width = usize::BITS - self.events.len().leading_zeros();
        let mut clocks = IdVec::new();
        for _ in self.events.iter() {
            clocks.push(self.terms.variable("clock", Sort::Bits(width.max(1))));
        }
        let mut asserted = Asserted { solver: Solver::new(), clocks, reads_from: Vec::new(), instances: 0 };
        for id in self.events.ids() {
            if let Some(before) = self.events[id].before {
                let less = self.less(&asserted, before, id);
                self.assert_if(&mut asserted, &[self.events[id].occurs], less);
            }
        }
        for id in self.events.ids() {
            self.read_axioms(&mut asserted, id);
            if asserted.instances > MAX_INSTANCES || self.is_over() {
                return None;
            }
        }
        self.region_axioms(&mut asserted);
        self.join_axioms(&mut asserted);
        self.overlaps();
        self.lifetimes(&mut asserted);
        self.validity(&mut asserted);
        self.comparisons();
        if self.property == Property::Race {
            self.races(&mut asserted);
            if asserted.instances > MAX_INSTANCES || self.is_over() {
                return None;
            }
        }
        if self.property == Property::Deadlock {
            self.deadlocks(&mut asserted);
            if asserted.instances > MAX_INSTANCES || self.is_over() {
                return None;
            }
        }
        for fact in std::mem::take(&mut self.facts) {
            asserted.solver.assert(self.terms, fact);
        }
        Some(asserted)
    }

    pub(crate) fn less(&mut self, asserted: &Asserted, a: EventId, b: EventId) -> Term {
        self.terms.ult(asserted.clocks[a], asserted.clocks[b])
    }

    fn assert_if(&mut self, asserted: &mut Asserted, conditions: &[Term], then: Term) {
        let condition = self.terms.and(conditions.iter().copied());
        let fact = self.terms.implies(condition, then);
        asserted.solver.assert(self.terms, fact);
    }

    fn exclude(&mut self, asserted: &mut Asserted, condition: Term) {
        let fact = self.terms.not(condition);
        asserted.solver.assert(self.terms, fact);
    }

    /// Whether the places of two accesses are different constants.
    pub(crate) fn are_elsewhere(&self, a: &Access, b: &Access) -> bool {
        match (self.constant(a.place.object), self.constant(b.place.object)) {
            (Some(a), Some(b)) if a != b => return true,
            _ => {}
        }
        match (self.constant(a.place.bits), self.constant(b.place.bits)) {
            (Some(x), Some(y)) => x.saturating_add(a.bytes) <= y || y.saturating_add(b.bytes) <= x,
            _ => false,
        }
    }

    /// Whether an event writes to the place of an access, and has the same size.
    fn writes_to(&mut self, write: EventId, access: &Access) -> Option<Term> {
        let other = self.events[write].access?;
        let (condition, _) = other.write?;
        if other.bytes != access.bytes || self.are_elsewhere(&other, access) {
            return None;
        }
        let same = self.equal(other.place, access.place);
        let occurs = self.events[write].occurs;
        let writes = self.terms.and([occurs, condition, same]);
        (self.terms.as_bool(writes) != Some(false)).then_some(writes)
    }

    fn read_axioms(&mut self, asserted: &mut Asserted, read: EventId) {
        let Some(access) = self.events[read].access else { return };
        let Some(value) = access.read else { return };
        let occurs = self.events[read].occurs;
        let mut writes: Vec<(EventId, Term)> = Vec::new();
        for write in self.events.ids() {
            if write != read {
                writes.extend(self.writes_to(write, &access).map(|writes| (write, writes)));
            }
        }
        asserted.instances += (writes.len() as u64 + 1).pow(2);
        if asserted.instances > MAX_INSTANCES {
            return;
        }
        let mut sources = Vec::new();
        for &(write, is_written) in &writes {
            let choice = self.terms.variable("rf", Sort::Bool);
            sources.push(choice);
            asserted.reads_from.push((choice, Some(write), read));
            let written = self.events[write].access.and_then(|access| access.write).map_or(value, |(_, value)| value);
            let equal = self.equal(value, written);
            let less = self.less(asserted, write, read);
            for needed in [is_written, equal, less] {
                self.assert_if(asserted, &[choice], needed);
            }
            for &(other, is_other_written) in writes.iter().filter(|(other, _)| *other != write) {
                let (before, after) = (self.less(asserted, other, write), self.less(asserted, read, other));
                let apart = self.terms.or2(before, after);
                self.assert_if(asserted, &[choice, is_other_written], apart);
            }
        }
        let choice = self.terms.variable("initial", Sort::Bool);
        sources.push(choice);
        asserted.reads_from.push((choice, None, read));
        for &(other, is_written) in &writes {
            let after = self.less(asserted, read, other);
            self.assert_if(asserted, &[choice, is_written], after);
        }
        let chosen = self.terms.and2(choice, occurs);
        let (facts, unknown) = self.read_initially(chosen, access.place, access.bytes, value);
        self.facts.extend(facts);
        self.late_gap(unknown, ReasonKind::Unsupported, "an array or a part of a pointer cannot be read here", read);
        let some = self.terms.or(sources);
        self.assert_if(asserted, &[occurs], some);
    }

    fn late_gap(&mut self, occurs: Term, kind: ReasonKind, detail: &str, event: EventId) {
        if self.terms.as_bool(occurs) != Some(false) {
            let at = self.events[event].at;
            self.gaps.push(Gap { occurs, kind, detail: detail.to_owned(), at });
        }
    }

    fn region_axioms(&mut self, asserted: &mut Asserted) {
        for region in self.regions.clone() {
            for other in self.events.ids() {
                if self.events[other].thread == self.events[region.begin].thread {
                    continue;
                }
                let mut cases = vec![self.less(asserted, other, region.begin)];
                for &end in &region.ends {
                    let (ended, after) = (self.events[end].occurs, self.less(asserted, end, other));
                    cases.push(self.terms.and2(ended, after));
                }
                let outside = self.terms.or(cases);
                self.assert_if(asserted, &[self.events[other].occurs, self.events[region.begin].occurs], outside);
            }
        }
    }

    fn join_axioms(&mut self, asserted: &mut Asserted) {
        let joins = self.joins.clone();
        for (index, join) in joins.iter().enumerate() {
            let occurs = self.events[join.event].occurs;
            let width = self.terms.width(join.number);
            let mut cases = Vec::new();
            for end in self.ends.clone() {
                let number = self.terms.bits(Bits::from_u64(width, end.thread as u64 + 1));
                let is_it = self.terms.eq(join.number, number);
                let ended = self.events[end.event].occurs;
                let before = self.less(asserted, end.event, join.event);
                cases.push(self.terms.and([is_it, ended, before]));
                if let Some(result) = join.result {
                    let equal = self.equal(result, end.result);
                    self.assert_if(asserted, &[occurs, is_it, ended], equal);
                }
            }
            if join.result.is_some() {
                let some = self.terms.or(cases);
                self.assert_if(asserted, &[occurs], some);
            }
            let beyond = self.terms.bits(Bits::from_u64(width, self.threads as u64));
            let zero = self.terms.bits(Bits::zero(width));
            let (is_low, is_high) = (self.terms.eq(join.number, zero), self.terms.ult(beyond, join.number));
            let is_none = self.terms.or2(is_low, is_high);
            let is_none = self.terms.and2(join.reached, is_none);
            let detail = "a join or detach of a thread that does not exist is not modelled";
            self.late_gap(is_none, ReasonKind::Unmodelled, detail, join.event);
            for other in &joins[index + 1..] {
                let same = self.terms.eq(join.number, other.number);
                let twice = self.terms.and([occurs, self.events[other.event].occurs, same]);
                self.late_gap(twice, ReasonKind::Unsupported, "a thread is joined or detached twice", other.event);
            }
        }
    }

    /// Accesses that overlap without being equal.
    fn overlaps(&mut self) {
        let ids: Vec<EventId> = self.events.ids().filter(|&id| self.events[id].access.is_some()).collect();
        for (index, &a) in ids.iter().enumerate() {
            for &b in &ids[index + 1..] {
                let (Some(x), Some(y)) = (self.events[a].access, self.events[b].access) else { continue };
                if x.write.is_none() && y.write.is_none() || self.are_elsewhere(&x, &y) {
                    continue;
                }
                let width = self.pointer_width();
                let mut parts = vec![self.events[a].occurs, self.events[b].occurs];
                parts.push(self.terms.eq(x.place.object, y.place.object));
                for (one, other) in [(x, y), (y, x)] {
                    let bytes = self.terms.bits(Bits::from_u64(width, other.bytes));
                    let end = self.terms.add(other.place.bits, bytes);
                    parts.push(self.terms.ult(one.place.bits, end));
                }
                if x.bytes == y.bytes {
                    let same = self.terms.eq(x.place.bits, y.place.bits);
                    parts.push(self.terms.not(same));
                }
                let overlap = self.terms.and(parts);
                let detail = "shared memory is accessed in pieces of different sizes";
                self.late_gap(overlap, ReasonKind::Unsupported, detail, b);
            }
        }
    }

    /// Accesses after the end of an object's lifetime.
    fn lifetimes(&mut self, asserted: &mut Asserted) {
        for kill in self.events.ids() {
            let Some(killed) = self.events[kill].kills else { continue };
            let dies = self.events[kill].occurs;
            if self.constant(killed).is_none() {
                let mut valid = vec![self.is_object(killed, 0)];
                for number in self.candidates(killed) {
                    let is_heap = self.object(number).is_some_and(|object| object.storage == Storage::Heap);
                    if is_heap && number & GHOST == 0 {
                        valid.push(self.is_object(killed, number));
                    }
                }
                let valid = self.terms.or(valid);
                let invalid = self.terms.not(valid);
                let invalid = self.terms.and2(dies, invalid);
                let detail = "undefined behaviour: free of what malloc did not return";
                self.late_gap(invalid, ReasonKind::Undefined, detail, kill);
            }
            let is_some = self.is_some_object(killed);
            for other in self.events.ids().filter(|&other| other != kill) {
                let event = self.events[other].clone();
                let object = match (event.access, event.kills) {
                    (Some(access), _) => self.without_ghost(access.place),
                    (None, Some(object)) => object,
                    (None, None) => continue,
                };
                let same = self.terms.eq(object, killed);
                let late = self.less(asserted, kill, other);
                let wrong = self.terms.and([dies, event.occurs, is_some, same, late]);
                if !event.is_step {
                    self.exclude(asserted, wrong);
                    continue;
                }
                self.late_gap(wrong, ReasonKind::Undefined, GONE, other);
            }
        }
    }

    pub(crate) fn without_ghost(&mut self, place: Value) -> Term {
        let low = self.terms.extract(14, 0, place.object);
        self.terms.zero_extend(1, low)
    }

    /// Accesses to objects that only the solver knows.
    fn validity(&mut self, asserted: &mut Asserted) {
        for id in self.events.ids() {
            let Some(access) = self.events[id].access else { continue };
            if self.constant(access.place.object).is_some() {
                continue;
            }
            let mut cases = Vec::new();
            for number in self.candidates(access.place.object) {
                let is_constant = self.object(number).is_some_and(|object| object.storage == Storage::Constant);
                let Some(most) = self.size_of(number).checked_sub(access.bytes) else { continue };
                if is_constant && number & GHOST == 0 && access.write.is_some() {
                    continue;
                }
                let is_it = self.is_object(access.place.object, number);
                let most = self.terms.bits(Bits::from_u64(self.pointer_width(), most));
                let fits = self.terms.ule(access.place.bits, most);
                cases.push(self.terms.and2(is_it, fits));
            }
            let valid = self.terms.or(cases);
            let invalid = self.terms.not(valid);
            let invalid = self.terms.and2(self.events[id].occurs, invalid);
            if !self.events[id].is_step {
                self.exclude(asserted, invalid);
                continue;
            }
            let detail = "undefined behaviour: an access that may be invalid";
            self.late_gap(invalid, ReasonKind::Undefined, detail, id);
        }
    }

    /// A pointer to dead memory may compare equal to a pointer to another object.
    fn comparisons(&mut self) {
        for (occurs, a, b, at) in std::mem::take(&mut self.compared) {
            for kill in self.events.ids() {
                let Some(killed) = self.events[kill].kills else { continue };
                let (is_a, is_b) = (self.terms.eq(a, killed), self.terms.eq(b, killed));
                let either = self.terms.or2(is_a, is_b);
                let same = self.terms.eq(a, b);
                let differ = self.terms.not(same);
                let (some_a, some_b) = (self.is_some_object(a), self.is_some_object(b));
                let dies = self.events[kill].occurs;
                let wrong = self.terms.and([occurs, dies, either, differ, some_a, some_b]);
                if self.terms.as_bool(wrong) != Some(false) {
                    let detail = "undefined behaviour: a pointer to memory that may no longer exist is compared";
                    self.gaps.push(Gap { occurs: wrong, kind: ReasonKind::Undefined, detail: detail.to_owned(), at });
                }
            }
        }
    }
}

impl Asserted {
    /// The write that an event reads from in a model, if it reads.
    pub(crate) fn source(&self, read: EventId, mut is_true: impl FnMut(Term) -> bool) -> Option<Option<EventId>> {
        let mut choices = self.reads_from.iter().filter(|(_, _, other)| *other == read);
        choices.find(|(choice, ..)| is_true(*choice)).map(|(_, write, _)| *write)
    }
}

/// The number of an event as shown to the user.
pub(crate) fn event_number(id: EventId) -> usize {
    id.index() + 1
}
