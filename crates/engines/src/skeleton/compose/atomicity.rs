//! Three-access atomicity violations, exactly and in linear size: one question for all of them (Sinha and Wang, POPL
//! 2011, section 3: en(c) ∧ en(r) ∧ en(c′) ∧ HB(c, r) ∧ HB(r, c′)).
//!
//! Stage 1 determines which two accesses of a thread should be atomic
//! ([`Skeleton::pairs`](crate::skeleton::events::Skeleton)). One pair is chosen and one access of another thread, at
//! the same place, that lies between them in the order of execution; two moments, before and after the middle access,
//! keep that linear. The four unserialisable patterns are read-write-read, write-write-read, write-read-write and
//! read-write-write: either the middle access writes and one of the pair reads, or it reads and both write. No other
//! access of the pair's thread to the place lies between them, and the other thread was started before the first
//! access.
//!
//! Limits: `sc` only. Under other models it is not defined which moment of a store counts.

use super::Composer;
use crate::skeleton::events::{EventId, Kind, Pair, Thread, ThreadId};
use crate::skeleton::value::{fresh, OBJECT_BITS};
use base::{Id, IdVec, Stop};
use ir::analysis::atomicity::is_synchronisation;
use rustc_hash::FxHashMap;
use smt::order::Node;
use smt::{Bits, Term};

/// Pairs of accesses, and middle accesses, each with the literal that chooses it.
#[derive(Debug, Default)]
pub(crate) struct Atomicity {
    pub(crate) pairs: Vec<(Term, EventId, EventId)>,
    pub(crate) between: Vec<(Term, EventId)>,
}

impl Atomicity {
    /// One of each group must be chosen.
    pub(crate) fn goals(&self) -> Vec<Vec<Term>> {
        let pairs = self.pairs.iter().map(|(choice, ..)| *choice).collect();
        vec![pairs, self.between.iter().map(|(choice, _)| *choice).collect()]
    }
}

/// The terms shared by all choices.
struct Question {
    /// Whether the middle access writes; otherwise it reads.
    writes: Term,
    thread: Term,
    /// The number of the place, where it is a constant.
    number: Option<Term>,
    object: Term,
    bits: Term,
    bytes: Term,
    /// After the start of the other thread and before the first access; then before and after the middle access.
    started: Node,
    before: Node,
    after: Node,
}

const WIDTH: u32 = 32;

impl Composer<'_> {
    /// Encodes a violation of atomicity.
    pub(super) fn atomicity(&mut self) -> Result<(), Stop> {
        let accesses: Vec<EventId> = self.all_accesses().into_iter().filter(|&id| self.is_users_access(id)).collect();
        let mut pairs = Vec::new();
        let mut is_between: Vec<bool> = vec![false; self.skeleton.events.len()];
        let synchronisations = self.synchronisations();
        for pair in std::mem::take(&mut self.skeleton.pairs) {
            self.budget.check()?;
            let (first, second) = (pair.first, pair.second);
            let Some(others) = self.accesses_between(first, second, &accesses) else { continue };
            let Some(disturbed) = self.disturbed(&pair, &synchronisations) else { continue };
            let mut is_possible = false;
            for &id in &accesses {
                if self.may_come_between(first, id, second) {
                    is_between[id.index()] = true;
                    is_possible = true;
                }
            }
            if is_possible {
                pairs.push((first, second, others, disturbed));
            }
        }
        let between: Vec<EventId> = accesses.into_iter().filter(|id| is_between[id.index()]).collect();
        let mut atomicity = Atomicity::default();
        let mut events: Vec<EventId> = pairs.iter().map(|(first, ..)| *first).chain(between.iter().copied()).collect();
        events.sort_unstable();
        events.dedup();
        let numbers = self.place_numbers(&events);
        let question = self.question(numbers.is_some());
        for (first, second, others, disturbed) in pairs {
            self.budget.check()?;
            let choice = self.choose_pair(&question, numbers.as_ref(), first, second, &others);
            let fact = self.terms.not(disturbed);
            self.assert_all(choice, vec![fact]);
            atomicity.pairs.push((choice, first, second));
        }
        for id in between {
            let choice = self.choose_between(&question, numbers.as_ref(), id);
            atomicity.between.push((choice, id));
        }
        self.composition.atomicity = Some(atomicity);
        Ok(())
    }

    fn is_users_access(&self, id: EventId) -> bool {
        let event = &self.skeleton.events[id];
        event.kind == Kind::Access && !event.is_ghost
    }

    /// The accesses of the same thread that lie between two of its own and may be to the same place. `None` if one
    /// certainly is, or if the two cannot be a pair.
    fn accesses_between(&mut self, first: EventId, second: EventId, accesses: &[EventId]) -> Option<Vec<EventId>> {
        let (one, other) = (&self.skeleton.events[first], &self.skeleton.events[second]);
        let (occurs, bytes) = ([one.occurs, other.occurs], one.bytes);
        let is_possible = self.is_users_access(first)
            && self.is_users_access(second)
            && bytes == other.bytes
            && self.is_before(first, second)
            && self.may_meet(first, second);
        if !is_possible {
            return None;
        }
        let both = self.terms.and(occurs);
        let same = self.same_place(first, second);
        if [both, same].into_iter().any(|term| self.terms.as_bool(term) == Some(false)) {
            return None;
        }
        let mut between = Vec::new();
        let own = accesses.iter().copied().filter(|&id| first < id && id < second);
        for id in own {
            if self.skeleton.events[id].bytes != bytes
                || !self.is_before(first, id)
                || !self.is_before(id, second)
                || self.skeleton.events[id].thread != self.skeleton.events[first].thread
                || !self.may_meet(first, id)
            {
                continue;
            }
            let same = self.same_place(first, id);
            if self.terms.as_bool(same) == Some(true) && self.implies(both, self.skeleton.events[id].occurs) {
                return None;
            }
            between.push(id);
        }
        Some(between)
    }

    /// Per thread, its synchronising steps and their conditions, in order.
    fn synchronisations(&self) -> IdVec<ThreadId, Vec<(usize, Term)>> {
        let stmt = |(function, edge): (ir::FunctionId, ir::EdgeId)| &self.program.functions[function].edges[edge].stmt;
        let of = |thread: &Thread| {
            let steps = thread.steps.iter().enumerate();
            let own = steps.filter(|(_, step)| is_synchronisation(stmt(step.at)));
            own.map(|(index, step)| (index, step.occurs)).collect()
        };
        self.skeleton.threads.iter().map(of).collect()
    }

    /// The condition under which the thread synchronises between two accesses, where that matters. `None` if it
    /// certainly does.
    fn disturbed(&mut self, pair: &Pair, synchronisations: &IdVec<ThreadId, Vec<(usize, Term)>>) -> Option<Term> {
        if !pair.is_undisturbed {
            return Some(self.terms.bool(false));
        }
        let (thread, from) = self.steps[pair.first]?;
        let (_, to) = self.steps[pair.second]?;
        let both = [pair.first, pair.second].map(|id| self.skeleton.events[id].occurs);
        let both = self.terms.and(both);
        let all = &synchronisations[thread];
        let begin = all.partition_point(|(index, _)| *index <= from);
        let between: Vec<Term> = all[begin..].iter().take_while(|(index, _)| *index < to).map(|(_, it)| *it).collect();
        if between.iter().any(|&occurs| self.implies(both, occurs)) {
            return None;
        }
        Some(self.terms.or(between))
    }

    /// Whether an access may lie between two others, without asking the solver.
    fn may_come_between(&self, first: EventId, id: EventId, second: EventId) -> bool {
        let [one, between, two] = [first, id, second].map(|id| &self.skeleton.events[id]);
        let is_unserialisable = between.write.is_some() && (one.read.is_some() || two.read.is_some())
            || between.read.is_some() && one.write.is_some() && two.write.is_some();
        is_unserialisable
            && between.thread != one.thread
            && between.bytes == one.bytes
            && !self.is_before(id, first)
            && !self.is_before(second, id)
            && self.may_meet(first, id)
    }

    /// Numbers for the places of events, if all are constants.
    fn place_numbers(&self, events: &[EventId]) -> Option<FxHashMap<(u16, u64, u64), u64>> {
        let mut numbers = FxHashMap::default();
        for &id in events {
            let event = &self.skeleton.events[id];
            let (object, offset) = self.constant_place(event)?;
            let next = numbers.len() as u64;
            numbers.entry((object, offset, event.bytes)).or_insert(next);
        }
        Some(numbers)
    }

    fn question(&mut self, has_numbers: bool) -> Question {
        let width = u32::from(self.program.data_model.pointer_width());
        let execution = self.orders.execution;
        let number = has_numbers.then(|| fresh(self.terms, "place", WIDTH));
        let [object, bits] = [OBJECT_BITS, width].map(|width| fresh(self.terms, "place", width));
        let (writes, thread) = (self.fresh("writes"), fresh(self.terms, "thread", WIDTH));
        let bytes = fresh(self.terms, "place", WIDTH);
        let order = self.composition.solver.order().0;
        let [started, before, after] = [(); 3].map(|()| order.node(execution));
        Question { writes, thread, number, object, bits, bytes, started, before, after }
    }

    /// An event occurs, at the place in question.
    fn is_there(
        &mut self,
        question: &Question,
        numbers: Option<&FxHashMap<(u16, u64, u64), u64>>,
        id: EventId,
    ) -> Vec<Term> {
        let event = self.skeleton.events[id].clone();
        let place = self.constant_place(&event).map(|(object, offset)| (object, offset, event.bytes));
        let number = place.and_then(|place| numbers?.get(&place).copied());
        if let (Some(chosen), Some(number)) = (question.number, number) {
            let number = self.terms.bits(Bits::from_u64(WIDTH, number));
            return vec![self.terms.eq(chosen, number)];
        }
        let bytes = self.terms.bits(Bits::from_u64(WIDTH, event.bytes));
        vec![
            self.terms.eq(question.bytes, bytes),
            self.terms.eq(question.object, event.location.object),
            self.terms.eq(question.bits, event.location.bits),
            self.is_no_ghost(question.object),
        ]
    }

    fn choose_pair(
        &mut self,
        question: &Question,
        numbers: Option<&FxHashMap<(u16, u64, u64), u64>>,
        first: EventId,
        second: EventId,
        others: &[EventId],
    ) -> Term {
        let choice = self.fresh("pair");
        let [one, two] = [first, second].map(|id| self.skeleton.events[id].clone());
        let thread = self.terms.bits(Bits::from_u64(WIDTH, one.thread.index() as u64));
        let mut facts = self.is_there(question, numbers, first);
        facts.extend([one.occurs, two.occurs, self.same_place(first, second), self.terms.eq(question.thread, thread)]);
        for &id in others {
            let same = self.same_place(first, id);
            let comes = self.terms.and2(self.skeleton.events[id].occurs, same);
            facts.push(self.terms.not(comes));
        }
        if one.read.is_none() && two.read.is_none() {
            facts.push(self.terms.not(question.writes));
        }
        let never = self.terms.bool(false);
        let both_write = [one.write, two.write].map(|write| write.map_or(never, |(condition, _)| condition));
        let both_write = self.terms.and(both_write);
        facts.push(self.terms.or2(question.writes, both_write));
        self.assert_all(choice, facts);
        for (from, to) in [
            (question.started, self.node(first)),
            (self.node(first), question.before),
            (question.after, self.node(second)),
        ] {
            self.node_edge_if(&[choice], from, to);
        }
        self.excuse_region(second, choice);
        choice
    }

    fn choose_between(
        &mut self,
        question: &Question,
        numbers: Option<&FxHashMap<(u16, u64, u64), u64>>,
        id: EventId,
    ) -> Term {
        let choice = self.fresh("between");
        let event = self.skeleton.events[id].clone();
        let thread = self.terms.bits(Bits::from_u64(WIDTH, event.thread.index() as u64));
        let is_own = self.terms.eq(question.thread, thread);
        let mut facts = self.is_there(question, numbers, id);
        facts.extend([event.occurs, self.terms.not(is_own)]);
        let writes = event.write.map_or_else(|| self.terms.bool(false), |(condition, _)| condition);
        facts.push(self.terms.implies(question.writes, writes));
        if event.read.is_none() {
            facts.push(question.writes);
        }
        self.assert_all(choice, facts);
        let start = self.skeleton.threads[event.thread].start.map(|start| self.node(start));
        let started = start.map(|start| (start, question.started));
        for (from, to) in started.into_iter().chain([(question.before, self.node(id)), (self.node(id), question.after)])
        {
            self.node_edge_if(&[choice], from, to);
        }
        choice
    }

    fn assert_all(&mut self, choice: Term, facts: Vec<Term>) {
        for fact in facts {
            let fact = self.terms.implies(choice, fact);
            self.assert(fact);
        }
    }
}
