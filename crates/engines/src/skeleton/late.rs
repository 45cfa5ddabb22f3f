//! Joins of threads that are not known yet. A thread is executed where it is started, so when a thread other than its
//! starter joins it, its execution, or its end, may still be to come. Such a join is deferred: the possible threads,
//! how they end and with which result are filled in when all have been executed.
//!
//! Thread numbers do not imply order in time: joining a thread that has not been created yet is not modelled. So it is
//! a gap if a thread *arrives* at such a join before the thread with that number is created. The thread is created
//! before the first event that writes its number, in the statement that starts it, or else before the event of its
//! start.

use super::evaluate::Candidates;
use super::events::{Early, EventId, Join, Kind, Retirement, ThreadId};
use super::execute::Execution;
use super::state::State;
use super::value::{constant, Value};
use base::{Id, Span};
use check::ReasonKind;
use ir::LocalId;
use smt::{Bits, Sort, Term};

/// A deferred join.
pub(crate) struct LateJoin {
    join: usize,
    /// The conditions: the thread arrives, and passes.
    reached: Term,
    passed: Term,
    occurs: Term,
    arrival: EventId,
    number: Value,
    /// Whether the thread with the number has ended, and its result.
    ended: Term,
    result: Value,
    at: Span,
}

/// Number of events before a start that are searched for the thread's number.
const NEAR: usize = 8;

impl Execution<'_> {
    /// Joins a thread that may not have been executed yet.
    pub(crate) fn join_late(
        &mut self,
        state: &mut State,
        dst: Option<LocalId>,
        number: Value,
        locals: Vec<(LocalId, Value)>,
    ) {
        self.settle(state);
        if self.is_dead(state) {
            return;
        }
        let reached = state.condition;
        let arrival = self.event(state, Kind::Mark, None, reached, None, None);
        self.step_events.retain(|event| *event != arrival);
        let passed = self.goes_on("joined");
        let ended = self.terms.variable("ended", Sort::Bool);
        self.wait_for_end(state, passed, ended);
        let occurs = self.terms.and2(state.condition, passed);
        let fact = self.terms.implies(passed, ended);
        self.skeleton.facts.push(fact);
        state.condition = occurs;
        self.effect(state, occurs);
        let event = self.event(state, Kind::Mark, None, occurs, None, None);
        let result = self.unread(u64::from(self.pointer_width()) / 8, true);
        if let Some(dst) = dst {
            let ty = self.program.functions[self.at.0].locals[dst].ty;
            state.locals[dst.index()] = Some(self.typed(result, ty));
        }
        let (join, at) = (self.skeleton.joins.len(), self.span());
        self.skeleton.joins.push(Join { event, passed, threads: Vec::new() });
        self.late.push(LateJoin { join, reached, passed, occurs, arrival, number, ended, result, at });
        self.record(state, locals).join = Some(join);
    }

    /// Fills in the deferred joins, when all threads have been executed.
    pub(crate) fn fill_in_joins(&mut self) {
        for late in std::mem::take(&mut self.late) {
            let known = match self.candidates(late.number.bits) {
                Candidates::Known(numbers) => Some(numbers),
                Candidates::Open => None,
            };
            let (mut cases, mut all) = (Vec::new(), Vec::new());
            for thread in self.skeleton.threads.ids().collect::<Vec<_>>() {
                let number = thread.index() as u64 + 1;
                if known.as_ref().is_some_and(|known| !known.iter().any(|&known| u64::from(known) == number)) {
                    continue;
                }
                let number = self.terms.bits(Bits::from_u64(self.terms.width(late.number.bits), number));
                let is_it = self.terms.eq(late.number.bits, number);
                if self.terms.as_bool(is_it) == Some(false) {
                    continue;
                }
                all.push((thread, is_it));
                cases.extend(self.end_of(&late, thread, is_it));
                self.not_made_yet(&late, thread, is_it);
                let retirement = Retirement {
                    occurs: self.terms.and2(late.occurs, is_it),
                    event: Some(self.skeleton.joins[late.join].event),
                    at: late.at,
                };
                self.skeleton.retired.entry(thread).or_default().push(retirement);
            }
            let some = self.terms.or(cases);
            let fact = self.terms.eq(late.ended, some);
            self.skeleton.facts.push(fact);
            let known = self.terms.or(all.iter().map(|(_, is_it)| *is_it).collect::<Vec<_>>());
            let unknown = self.terms.not(known);
            let unknown = self.terms.and2(late.reached, unknown);
            self.late_gap(unknown, "a thread whose number is not known is joined", late.at);
            self.skeleton.joins[late.join].threads = all;
        }
    }

    /// Whether a thread has the number and has ended; then the join has its result.
    fn end_of(&mut self, late: &LateJoin, thread: ThreadId, is_it: Term) -> Option<Term> {
        let exit = self.skeleton.threads[thread].exit.clone()?;
        let result = exit.result.unwrap_or_else(|| Value::constant(self.terms, self.pointer_width(), 0));
        let equal = late.result.equals(self.terms, result);
        let both = self.terms.and2(late.passed, is_it);
        let fact = self.terms.implies(both, equal);
        self.skeleton.facts.push(fact);
        Some(self.terms.and2(is_it, exit.occurs))
    }

    /// Records that the thread with the number may be created after a join of it is reached.
    fn not_made_yet(&mut self, late: &LateJoin, thread: ThreadId, is_it: Term) {
        if thread.index() == 0 {
            return;
        }
        let condition = self.terms.and2(late.reached, is_it);
        let detail = "a thread is joined that is not known to have been made before";
        let Some(made) = self.made(thread) else {
            self.late_gap(condition, detail, late.at);
            return;
        };
        let never = self.terms.not(self.skeleton.events[made].occurs);
        let never = self.terms.and2(condition, never);
        self.late_gap(never, detail, late.at);
        self.skeleton.early.push(Early { condition, arrival: late.arrival, made, at: late.at });
    }

    /// An event before which a thread is created, in the statement that starts it.
    fn made(&self, thread: ThreadId) -> Option<EventId> {
        let start = self.skeleton.threads[thread].start?;
        let of_start = &self.skeleton.events[start];
        let mut at = start;
        for _ in 0..NEAR {
            let [before] = self.skeleton.events[at].after[..] else { break };
            let event = &self.skeleton.events[before];
            if event.thread != of_start.thread || event.occurs != of_start.occurs || event.at != of_start.at {
                break;
            }
            let is_number = |value: Value| constant(self.terms, value.bits) == Some(thread.index() as u64 + 1);
            let always = |condition: Term| self.terms.as_bool(condition) == Some(true) || condition == event.occurs;
            if event.write.is_some_and(|(condition, value)| always(condition) && is_number(value)) {
                return Some(before);
            }
            at = before;
        }
        Some(start)
    }

    fn late_gap(&mut self, occurs: Term, detail: &str, at: Span) {
        if self.terms.as_bool(occurs) != Some(false) {
            let gap = super::events::Gap {
                occurs,
                kind: ReasonKind::Unsupported,
                detail: detail.to_owned(),
                place: self.program.place(at),
            };
            self.skeleton.gaps.push(gap);
        }
    }
}
