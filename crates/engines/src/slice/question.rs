//! The solver calls for a window, and the processing of answers.
//!
//! Violations are requested until there are no more: those of the same statements as one that was found are excluded.

use super::filter::Cycle;
use super::window::Wait;
use super::{Ending, Findings, Follow};
use crate::skeleton::compose::Composition;
use crate::skeleton::decode::{decode, decode_all, decode_until};
use crate::skeleton::events::{EventId, Skeleton};
use base::{Span, Stop};
use check::Task;
use ir::Move;
use smt::{Answer, Term, Terms};

/// Maximum number of violations per window.
const MAX_VIOLATIONS: usize = 16;
/// Maximum number of waiting threads that are checked.
const MAX_WAITS: usize = 8;

/// A window encoded in the solver.
pub(super) struct Question<'q, 'f> {
    pub(super) task: &'q Task<'q>,
    pub(super) skeleton: &'q Skeleton,
    pub(super) composition: &'q mut Composition,
    pub(super) terms: &'q mut Terms,
    pub(super) follow: &'q mut Follow<'f>,
    pub(super) findings: &'q mut Findings,
}

impl Question<'_, '_> {
    fn is_satisfiable(&mut self, wanted: &[Term]) -> Result<bool, Stop> {
        let assumptions: Vec<Term> = self.composition.assumed.iter().chain(wanted).copied().collect();
        Ok(self.composition.solver.check(self.terms, &assumptions, &self.task.budget)? == Answer::Sat)
    }

    /// Where values are inexact, a model need not be an execution: this term excludes such values.
    fn is_exact(&mut self) -> Term {
        let inexact = self.terms.or(self.composition.inexact.clone());
        self.terms.not(inexact)
    }

    /// Records a run that must end in a violation.
    fn keep(&mut self, moves: Result<Vec<Move>, String>) {
        match moves.and_then(|moves| (self.follow)(&moves, Ending::Violates)) {
            Ok(counterexample) => self.findings.counterexamples.push(counterexample),
            Err(problem) => self.findings.defects.push(problem),
        }
    }

    /// Searches for failures and races.
    pub(super) fn violations(&mut self) -> Result<(), Stop> {
        let mut violations: Vec<Term> = self.skeleton.violations.iter().map(|violation| violation.occurs).collect();
        if let Some(goals) = self.composition.race.as_ref().map(|race| race.goals()) {
            let chosen: Vec<Term> = goals.into_iter().map(|group| self.terms.or(group)).collect();
            violations.push(self.terms.and(chosen));
        }
        let violated = self.terms.or(violations);
        let is_exact = self.is_exact();
        let mut wanted = vec![violated, is_exact];
        for _ in 0..MAX_VIOLATIONS {
            if self.terms.as_bool(violated) == Some(false) || !self.is_satisfiable(&wanted)? {
                break;
            }
            let known = self.known();
            let moves = decode(self.task.program, self.skeleton, self.composition, self.terms);
            self.keep(moves);
            wanted.push(self.terms.not(known));
        }
        Ok(())
    }

    /// The violations of the same statements as the one in the model.
    fn known(&mut self) -> Term {
        let model = self.composition.solver.model(self.terms).clone();
        let mut evaluation = smt::term::value::Evaluation::new(self.terms, &model);
        let Some(race) = &self.composition.race else {
            let place = |violation: &crate::skeleton::events::Violation| {
                self.skeleton.threads[violation.thread].steps.get(violation.step).map(|step| step.at)
            };
            let found = self.skeleton.violations.iter().find(|violation| evaluation.is_true(violation.occurs));
            let at = found.and_then(place);
            let same = self.skeleton.violations.iter().filter(|&other| place(other) == at).map(|other| other.occurs);
            return self.terms.or(same.collect::<Vec<_>>());
        };
        let place = |event: EventId| self.skeleton.events[event].at;
        let mut chosen = |accesses: &[(Term, EventId)]| {
            accesses.iter().find(|(choice, _)| evaluation.is_true(*choice)).map(|(_, event)| place(*event))
        };
        let (first, second) = (chosen(&race.first), chosen(&race.second));
        let at = |accesses: &[(Term, EventId)], at: Option<Span>| -> Vec<Term> {
            accesses.iter().filter(|(_, event)| Some(place(*event)) == at).map(|(choice, _)| *choice).collect()
        };
        let mut same = Vec::new();
        for (one, other) in [(first, second), (second, first)] {
            let one = self.terms.or(at(&race.first, one));
            let other = self.terms.or(at(&race.second, other));
            same.push(self.terms.and2(one, other));
        }
        self.terms.or(same)
    }

    /// Searches for threads that wait for each other, or for an action that no thread performs any more.
    pub(super) fn deadlocks(&mut self, cycles: &[Cycle], waits: &[Wait]) -> Result<(), Stop> {
        self.violations()?;
        let is_exact = self.is_exact();
        for cycle in cycles {
            let mut wanted = vec![is_exact];
            for request in &cycle.requests {
                let passed = self.skeleton.events[request.event].occurs;
                wanted.push(request.reached);
                wanted.push(self.terms.not(passed));
            }
            if self.is_satisfiable(&wanted)? {
                let waiting: Vec<_> = cycle.requests.iter().map(|request| (request.thread, request.step)).collect();
                let moves = decode_until(self.task.program, self.skeleton, self.composition, self.terms, &waiting);
                self.wait(moves);
            }
        }
        if let Some(deadlock) = self.composition.deadlock.filter(|_| !waits.is_empty()) {
            if self.terms.as_bool(deadlock) != Some(false) && self.is_satisfiable(&[deadlock, is_exact])? {
                let moves = decode_all(self.task.program, self.skeleton, self.composition, self.terms);
                self.keep(moves);
            }
        }
        let blocks: Vec<usize> = waits.iter().filter_map(|wait| wait.block).take(MAX_WAITS).collect();
        let come_to_rest = self.come_to_rest();
        for block in blocks {
            let stays = self.skeleton.blocks[block].occurs;
            if self.is_satisfiable(&[stays, come_to_rest, is_exact])? {
                let moves = decode_all(self.task.program, self.skeleton, self.composition, self.terms);
                self.wait(moves);
            }
        }
        Ok(())
    }

    /// Records a run after which some threads wait. It is no defect if the others never come to rest, or end the
    /// process.
    fn wait(&mut self, moves: Result<Vec<Move>, String>) {
        match moves {
            Err(problem) => self.findings.defects.push(problem),
            Ok(moves) => self.findings.counterexamples.extend((self.follow)(&moves, Ending::Waits)),
        }
    }

    /// Whether every thread has ended, stays where it waits, or reaches the end of the window.
    fn come_to_rest(&mut self) -> Term {
        let mut all = Vec::new();
        for (id, thread) in self.skeleton.threads.enumerate() {
            let last = thread.steps.last().map(|step| step.occurs);
            let blocks = self.skeleton.blocks.iter().filter(|block| block.thread == id).map(|block| block.occurs);
            let ended = thread.exit.as_ref().map(|exit| exit.occurs);
            let waits_for_start = thread.start.map(|mark| self.terms.not(self.skeleton.events[mark].occurs));
            if last.is_some() {
                let cases: Vec<Term> = last.into_iter().chain(blocks).chain(ended).chain(waits_for_start).collect();
                all.push(self.terms.or(cases));
            }
        }
        self.terms.and(all)
    }
}
