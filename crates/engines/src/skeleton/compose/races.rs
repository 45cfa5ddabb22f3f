//! Data races, exactly and in linear size: one question for all of them.
//!
//! A race is an execution with two conflicting accesses of which the first does not happen before the second, which
//! comes later. Happens-before is not the order of the execution: it is program order, starts and joins, and what
//! release operations pass to acquire operations. It is encoded by *marks*: the first access is marked, and every event
//! that happens-before leads to from a marked one is marked. The event right before the second access must not be
//! marked. Any set of marks closed this way contains everything that happens after the first access, so a model shows a
//! race; and the least such set is a model for each race.
//!
//! The rules are those of the reference interpreter (`interp::happens_before`). What an access itself acquires does not
//! count for it. A write passes on what its thread knows if it releases, what the thread knew at its last release fence
//! if it is only atomic, and if it is a read-modify-write also what the write that it read passes on. A read takes that
//! over if it acquires; if it is only atomic, the next acquire fence does. What a thread knew at a fence only ever
//! grows, so merging paths needs no case split. The end of a thread passes on everything to its join, its start to the
//! new thread. Ghost memory synchronises and does not race. Freeing memory is a write of all of it; after that an
//! access is not a race but an error of another kind. Accesses of different threads in atomic regions do not race with
//! each other.
//!
//! Accesses in critical sections of the same lock are always ordered and make no pair.
//!
//! Actions of the first thread before it starts another one happen before everything else and make no events.

use super::Composer;
use crate::skeleton::events::{EventId, Kind};
use crate::skeleton::objects;
use crate::skeleton::value::{constant, fresh, GHOST, OBJECT_BITS};
use base::IdVec;
use smt::{Bits, Term};

/// Accesses that may race, each with the literal that chooses it.
#[derive(Debug)]
pub(crate) struct Race {
    pub(crate) first: Vec<(Term, EventId)>,
    pub(crate) second: Vec<(Term, EventId)>,
}

impl Race {
    /// One of each group must be chosen.
    pub(crate) fn goals(&self) -> Vec<Vec<Term>> {
        let choices = |of: &[(Term, EventId)]| of.iter().map(|(choice, _)| *choice).collect();
        vec![choices(&self.first), choices(&self.second)]
    }
}

/// An access that takes part in races.
struct Candidate {
    event: EventId,
    /// Whether it writes, given that it occurs; `None` if it never does.
    writes: Option<Term>,
    is_atomic: bool,
    is_free: bool,
    may_be_first: bool,
    may_be_second: bool,
    /// Locks certainly held by the thread.
    held: Vec<usize>,
    /// An id shared by candidates that may access the same memory.
    cluster: usize,
}

/// The marks of each event: what its thread knows after it; what it knew at its last release fence; what it would know
/// after an acquire fence.
struct Marks {
    known: IdVec<EventId, Term>,
    fenced: Option<IdVec<EventId, Term>>,
    pending: Option<IdVec<EventId, Term>>,
    /// What each write passes on.
    passed: IdVec<EventId, Option<Term>>,
}

impl Composer<'_> {
    /// Encodes a race.
    pub(super) fn races(&mut self) {
        let mut candidates = self.race_candidates();
        candidates.retain(|candidate| candidate.may_be_first || candidate.may_be_second);
        let mut race = Race { first: Vec::new(), second: Vec::new() };
        if !candidates.is_empty() {
            let marks = self.marks();
            self.choose(&candidates, &marks, &mut race);
        }
        self.composition.race = Some(race);
    }

    /// The accesses that may race with some other one, without asking the solver.
    fn race_candidates(&mut self) -> Vec<Candidate> {
        let mut in_region = IdVec::filled(false, self.skeleton.events.len());
        for region in self.skeleton.regions.iter() {
            region.events.iter().for_each(|&event| in_region[event] = true);
        }
        let mut candidates: Vec<Candidate> = Vec::new();
        for id in self.skeleton.events.ids() {
            let event = &self.skeleton.events[id];
            if event.is_race_free {
                continue;
            }
            let (writes, is_free) = match event.kind {
                Kind::Access => (event.write.map(|(condition, _)| condition), false),
                Kind::Kill => (Some(self.terms.bool(true)), true),
                // Locks and fences synchronise.
                Kind::Lock { .. } | Kind::Unlock { .. } | Kind::Fence | Kind::Barrier(_) | Kind::Probe | Kind::Mark => {
                    continue
                }
            };
            if let Some(number) = constant(self.terms, event.location.object) {
                let number = number as u16;
                // Objects that end with a function or a thread are not freed: accessing them later is no race.
                let is_heap =
                    self.skeleton.objects.get(number).is_some_and(|object| object.kind == objects::Kind::Heap);
                if number & GHOST != 0 || is_free && !is_heap {
                    continue;
                }
            }
            let is_atomic = event.orders.0.is_atomic() || in_region[id];
            let cluster = candidates.len();
            let held = if self.pruning.guarded { self.held_at(id) } else { Vec::new() };
            candidates.push(Candidate {
                event: id,
                writes,
                is_atomic,
                is_free,
                may_be_first: false,
                may_be_second: false,
                held,
                cluster,
            });
        }
        for index in 0..candidates.len() {
            for other in 0..index {
                if self.may_race(&candidates[other], &candidates[index]) {
                    for (one, partner) in [(index, other), (other, index)] {
                        candidates[one].may_be_first |= !candidates[one].is_free;
                        candidates[one].may_be_second |= !candidates[partner].is_free;
                    }
                    unite(&mut candidates, index, other);
                }
            }
        }
        for index in 0..candidates.len() {
            candidates[index].cluster = root(&candidates, index);
        }
        candidates
    }

    fn may_race(&mut self, a: &Candidate, b: &Candidate) -> bool {
        let (x, y) = (&self.skeleton.events[a.event], &self.skeleton.events[b.event]);
        if x.thread == y.thread
            || a.writes.is_none() && b.writes.is_none()
            || a.is_atomic && b.is_atomic
            || a.is_free && b.is_free
            || self.is_before(a.event, b.event)
            || self.is_before(b.event, a.event)
            || a.held.iter().any(|lock| b.held.contains(lock))
        {
            return false;
        }
        if !a.is_free && !b.is_free {
            return self.may_meet(a.event, b.event);
        }
        let objects = (constant(self.terms, x.location.object), constant(self.terms, y.location.object));
        match objects {
            (Some(p), Some(q)) => p == q,
            (Some(number), None) => self.may_be(y, number as u16),
            (None, Some(number)) => self.may_be(x, number as u16),
            (None, None) => true,
        }
    }

    /// The rules of happens-before.
    fn marks(&mut self) -> Marks {
        let has_fences = self.skeleton.events.iter().any(|event| event.kind == Kind::Fence);
        let count = self.skeleton.events.len();
        let known: IdVec<EventId, Term> = (0..count).map(|_| self.fresh("known")).collect();
        let fenced = has_fences.then(|| (0..count).map(|_| self.fresh("fenced")).collect());
        let pending = has_fences.then(|| (0..count).map(|_| self.fresh("pending")).collect());
        let mut marks = Marks { known, fenced, pending, passed: IdVec::filled(None, count) };
        for id in self.skeleton.events.ids() {
            self.mark_program_order(&mut marks, id);
        }
        self.mark_joins(&marks);
        for (when, release, acquisition) in std::mem::take(&mut self.handovers) {
            self.lead(&when, marks.known[release], marks.known[acquisition]);
        }
        for (choice, write, read) in self.composition.reads_from.clone() {
            self.mark_read(&marks, choice, write, read);
        }
        marks
    }

    /// If all of `when` hold, one mark implies another.
    fn lead(&mut self, when: &[Term], from: Term, to: Term) {
        let all = self.terms.and(when.iter().copied().chain([from]));
        let fact = self.terms.implies(all, to);
        self.assert(fact);
    }

    fn mark_program_order(&mut self, marks: &mut Marks, id: EventId) {
        let event = self.skeleton.events[id].clone();
        for &earlier in &event.after {
            self.lead(&[], marks.known[earlier], marks.known[id]);
            // A new thread starts without the fence knowledge of its parent.
            if self.skeleton.events[earlier].thread == event.thread {
                for of in [&marks.fenced, &marks.pending].into_iter().flatten() {
                    self.lead(&[], of[earlier], of[id]);
                }
            }
        }
        let known = marks.known[id];
        if let (Kind::Fence, Some(fenced), Some(pending)) = (&event.kind, &marks.fenced, &marks.pending) {
            if event.orders.0.acquires() {
                self.lead(&[event.occurs], pending[id], known);
            }
            if event.orders.0.releases() {
                self.lead(&[event.occurs], known, fenced[id]);
            }
        }
        if event.write.is_none() {
            return;
        }
        let own = if event.orders.0.releases() {
            Some(known)
        } else if event.orders.0.is_atomic() {
            marks.fenced.as_ref().map(|fenced| fenced[id])
        } else {
            None
        };
        marks.passed[id] = if event.read.is_some() && !matches!(event.kind, Kind::Unlock { .. }) {
            // What it passes on of the previous write depends on which one that is.
            let all = self.fresh("passed");
            if let Some(own) = own {
                self.lead(&[], own, all);
            }
            Some(all)
        } else {
            own
        };
    }

    fn mark_joins(&mut self, marks: &Marks) {
        for join in self.skeleton.joins.clone() {
            let occurs = self.skeleton.events[join.event].occurs;
            for (thread, is_it) in join.threads {
                let Some(exit) = self.skeleton.threads[thread].exit.clone() else { continue };
                for last in exit.last {
                    self.lead(&[occurs, is_it], marks.known[last], marks.known[join.event]);
                }
            }
        }
    }

    /// What a read takes over from the write that it reads from.
    fn mark_read(&mut self, marks: &Marks, choice: Term, write: EventId, read: EventId) {
        let Some(passed) = marks.passed[write] else { return };
        let event = self.skeleton.events[read].clone();
        if matches!(event.kind, Kind::Unlock { .. }) {
            return;
        }
        let always = self.terms.bool(true);
        let writes = event.write.map_or_else(|| self.terms.bool(false), |(condition, _)| condition);
        let fails = self.terms.not(writes);
        let cases = match event.orders {
            (order, failure) if order == failure => vec![(always, order)],
            (order, failure) => vec![(writes, order), (fails, failure)],
        };
        for (case, order) in cases {
            if order.acquires() {
                self.lead(&[choice, case], passed, marks.known[read]);
            } else if let (true, Some(pending)) = (order.is_atomic(), &marks.pending) {
                self.lead(&[choice, case], passed, pending[read]);
            }
        }
        if let (Some(all), true) = (marks.passed[read], event.write.is_some()) {
            self.lead(&[choice, writes], passed, all);
        }
    }

    /// Chooses two conflicting candidates, the first before the second in the execution but not by happens-before.
    fn choose(&mut self, candidates: &[Candidate], marks: &Marks, race: &mut Race) {
        let between = self.composition.solver.order().0.node(self.orders.execution);
        let width = u32::from(self.program.data_model.pointer_width());
        let object = fresh(self.terms, "race", OBJECT_BITS);
        let byte = fresh(self.terms, "race", width);
        let cluster = fresh(self.terms, "race", 32);
        let which = fresh(self.terms, "race", 32);
        let (first_writes, first_is_plain) = (self.fresh("race"), self.fresh("race"));
        let (second_writes, second_is_plain) = (self.terms.not(first_writes), self.terms.not(first_is_plain));
        let is_alike = self.alike_clusters(candidates);
        for (index, candidate) in candidates.iter().enumerate() {
            let event = self.skeleton.events[candidate.event].clone();
            let number = self.terms.bits(Bits::from_u64(32, candidate.cluster as u64));
            let mut needed = vec![event.occurs, self.terms.eq(cluster, number)];
            if !is_alike.contains(&candidate.cluster) {
                needed.push(self.terms.eq(event.location.object, object));
                needed.push(self.is_no_ghost(object));
                if !candidate.is_free {
                    let offset = self.terms.sub(byte, event.location.bits);
                    let bytes = self.terms.bits(Bits::from_u64(width, event.bytes));
                    needed.push(self.terms.ult(offset, bytes));
                }
            }
            let writes = candidate.writes.unwrap_or_else(|| self.terms.bool(false));
            let is_plain = self.terms.bool(!candidate.is_atomic);
            let node = self.node(candidate.event);
            for is_first in [true, false] {
                if !(if is_first { candidate.may_be_first } else { candidate.may_be_second }) {
                    continue;
                }
                let choice = self.fresh(if is_first { "first" } else { "second" });
                let (must_write, must_be_plain) = match is_first {
                    true => (first_writes, first_is_plain),
                    false => (second_writes, second_is_plain),
                };
                let mut facts = needed.clone();
                facts.push(self.terms.implies(must_write, writes));
                facts.push(self.terms.implies(must_be_plain, is_plain));
                if is_first {
                    facts.push(marks.known[candidate.event]);
                    race.first.push((choice, candidate.event));
                } else {
                    for &earlier in &event.after {
                        facts.push(self.terms.not(marks.known[earlier]));
                    }
                    let number = self.terms.bits(Bits::from_u64(32, index as u64));
                    facts.push(self.terms.eq(which, number));
                    race.second.push((choice, candidate.event));
                    self.excuse_region(candidate.event, choice);
                }
                for fact in facts {
                    let fact = self.terms.implies(choice, fact);
                    self.assert(fact);
                }
                let lit = self.composition.solver.literal(self.terms, choice);
                let (order, sat) = self.composition.solver.order();
                let (from, to) = if is_first { (node, between) } else { (between, node) };
                order.edge_if(sat, &[lit], from, to);
            }
        }
    }

    /// The clusters in which all accesses are syntactically to the same bytes.
    fn alike_clusters(&self, candidates: &[Candidate]) -> rustc_hash::FxHashSet<usize> {
        let place = |candidate: &Candidate| {
            let event = &self.skeleton.events[candidate.event];
            self.constant_place(event).filter(|_| !candidate.is_free).map(|place| (place, event.bytes))
        };
        let mut places = rustc_hash::FxHashMap::default();
        for candidate in candidates {
            let place = place(candidate);
            let known = places.entry(candidate.cluster).or_insert(place);
            if *known != place {
                *known = None;
            }
        }
        places.into_iter().filter(|(_, place)| place.is_some()).map(|(cluster, _)| cluster).collect()
    }

    pub(super) fn is_no_ghost(&mut self, object: Term) -> Term {
        let bit = self.terms.extract(OBJECT_BITS - 1, OBJECT_BITS - 1, object);
        let zero = self.terms.number(1, 0);
        self.terms.eq(bit, zero)
    }
}

fn root(candidates: &[Candidate], mut index: usize) -> usize {
    while candidates[index].cluster != index {
        index = candidates[index].cluster;
    }
    index
}

fn unite(candidates: &mut [Candidate], a: usize, b: usize) {
    let (a, b) = (root(candidates, a), root(candidates, b));
    candidates[a.max(b)].cluster = a.min(b);
}
