//! Paths that go round a loop more than once: an invariant of the loop as the label of its head.
//!
//! A path that enters a loop and leaves it too early is infeasible for two reasons: the loop was not finished, and its invariant.
//! Labels of single positions follow the first reason and count iterations. So where a path repeats some steps, the search is for
//! predicates that hold whenever the repetition begins, and that the steps maintain: the largest such set, found by dropping those
//! that fail (Flanagan and Leino, Houdini, FME 2001), for the path only, not for the program (Beyer, Henzinger, Majumdar,
//! Rybalchenko, Path invariants, PLDI 2007). If it excludes the rest of the path, a sufficient part of it becomes the label of all
//! repetitions, and the parts between them are interpolated separately.
//!
//! Predicates are those of [`super::predicates`], so an invariant that needs another, or a disjunction, is not found.

use super::elimination::eliminate;
use super::oracle::Oracle;
use super::predicates::{Material, Tiers, Vocabulary};
use super::problem::Problem;
use super::Failure;
use crate::term::value::Evaluation;
use crate::term::{Assignment, Term, Terms};
use crate::Answer;
use base::Budget;

/// Maximum number of predicates considered; later ones are less general.
const MAX_PREDICATES: usize = 300;
/// Maximum length of a repeated part.
const LONGEST_BODY: usize = 200;

/// Steps that are repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Repetition {
    /// The position before the first step.
    start: usize,
    length: usize,
    times: usize,
}

impl Repetition {
    /// The repetition that covers most steps, the shortest and first of those, if steps are repeated at all and write
    /// something.
    pub(super) fn find(problem: &Problem) -> Option<Repetition> {
        let shape = &problem.shape;
        let mut best: Option<Repetition> = None;
        for length in 1..=(shape.len() / 2).min(LONGEST_BODY) {
            let mut start = 0;
            while start + 2 * length <= shape.len() {
                let body = &shape[start..start + length];
                let times = shape[start..].chunks_exact(length).take_while(|&chunk| chunk == body).count();
                let covers = best.map_or(0, |best| best.length * best.times);
                if times > 1 && times * length > covers && problem.is_written_between(start, start + length) {
                    best = Some(Repetition { start, length, times });
                }
                start += 1;
            }
        }
        best
    }

    /// The positions before, between and after the repetitions.
    pub(super) fn heads(&self) -> Vec<usize> {
        (0..=self.times).map(|round| self.start + round * self.length).collect()
    }
}

/// Looks for the invariant of a repetition.
pub(super) struct Search<'a> {
    pub(super) problem: &'a Problem,
    pub(super) repetition: Repetition,
    pub(super) oracle: &'a mut Oracle,
    pub(super) budget: &'a Budget,
}

impl Search<'_> {
    /// Predicates, in the common vocabulary, that hold together at every head and exclude the rest of the path.
    pub(super) fn invariant(&mut self, terms: &mut Terms, preferred: &[Term]) -> Result<Option<Vec<Term>>, Failure> {
        let heads = self.repetition.heads();
        let (first, second, last) = (heads[0], heads[1], heads[self.repetition.times]);
        let problem = self.problem;
        let mut predicates = self.predicates(terms, &heads, preferred)?;
        self.keep_implied(terms, &problem.formulas[..first], None, &mut predicates, first)?;
        self.keep_implied(terms, &problem.formulas[first..second], Some(first), &mut predicates, second)?;
        let rest = &problem.formulas[last..];
        let Some(needed) = self.choose(terms, rest, &predicates, last)? else { return Ok(None) };
        self.close(terms, needed, &predicates, first, second).map(Some)
    }

    /// Predicates that hold in samples of the states at all heads.
    fn predicates(&mut self, terms: &mut Terms, heads: &[usize], preferred: &[Term]) -> Result<Vec<Term>, Failure> {
        let problem = self.problem;
        let mut shared = problem.shared_in_common(terms, heads[0]);
        for &head in &heads[1..] {
            let there = problem.shared_in_common(terms, head);
            shared.retain(|variable| there.binary_search(variable).is_ok());
        }
        let mut models: Vec<Assignment> = Vec::new();
        for &head in heads {
            if self.oracle.check(terms, &problem.formulas[..head], self.budget)? == Answer::Unsat {
                break;
            }
            let model = self.oracle.model(terms);
            let versions: Vec<Term> =
                shared.iter().filter_map(|&variable| problem.local(terms, head, variable)).collect();
            let mut evaluation = Evaluation::new(terms, &model);
            let values = shared.iter().zip(versions).map(|(&v, version)| (v, evaluation.value(version).clone()));
            models.push(values.collect());
        }
        if models.is_empty() {
            return Ok(Vec::new());
        }
        let sources = self.sources(terms, heads);
        let vocabulary = Vocabulary::new(terms, &problem.formulas);
        let used: Vec<Term> = preferred
            .iter()
            .copied()
            .filter(|&predicate| terms.variables(&[predicate]).iter().all(|v| shared.binary_search(v).is_ok()))
            .collect();
        let material =
            Material { vocabulary: &vocabulary, shared: &shared, used: &used, sources: &sources, is_negated: false };
        let mut tiers = Tiers::general(terms, material, &models);
        let mut predicates: Vec<Term> = Vec::new();
        while let Some(tier) = tiers.next(terms) {
            for predicate in tier {
                if predicates.len() < MAX_PREDICATES && !predicates.contains(&predicate) {
                    predicates.push(predicate);
                }
            }
        }
        Ok(predicates)
    }

    /// The conditions that one repetition and the rest of the path impose on states, as far as they are easy to
    /// express.
    fn sources(&self, terms: &mut Terms, heads: &[usize]) -> Vec<Term> {
        let (first, second, last) = (heads[0], heads[1], heads[self.repetition.times]);
        let problem = self.problem;
        let parts = [(first, &problem.formulas[first..second]), (last, &problem.formulas[last..])];
        parts
            .into_iter()
            .map(|(position, formulas)| {
                let all = terms.and(formulas.iter().copied());
                let reduced = eliminate(terms, all, &problem.shared[position]);
                problem.common(terms, position, reduced)
            })
            .collect()
    }

    /// Drops predicates until the formulas, and the predicates at `before` if given, imply all of them at `position`.
    fn keep_implied(
        &mut self,
        terms: &mut Terms,
        formulas: &[Term],
        before: Option<usize>,
        predicates: &mut Vec<Term>,
        position: usize,
    ) -> Result<(), Failure> {
        loop {
            let goals = self.localise(terms, predicates, position);
            let all = terms.and(goals.iter().copied());
            let mut parts = formulas.to_vec();
            if let Some(before) = before {
                parts.extend(self.localise(terms, predicates, before));
            }
            parts.push(terms.not(all));
            if self.oracle.refutes(terms, &parts, self.budget)? {
                return Ok(());
            }
            let model = self.oracle.model(terms);
            let mut evaluation = Evaluation::new(terms, &model);
            let mut holds = goals.iter().map(|&goal| evaluation.is_true(goal));
            predicates.retain(|_| holds.next() == Some(true));
        }
    }

    fn localise(&self, terms: &mut Terms, predicates: &[Term], position: usize) -> Vec<Term> {
        let local = |&predicate: &Term| self.problem.local(terms, position, predicate);
        let locals: Option<Vec<Term>> = predicates.iter().map(local).collect();
        locals.expect("predicates should be made of what is shared at all heads")
    }

    /// The first choice of predicates, at a position, that the formulas contradict.
    fn choose(
        &mut self,
        terms: &mut Terms,
        formulas: &[Term],
        predicates: &[Term],
        position: usize,
    ) -> Result<Option<Vec<Term>>, Failure> {
        let locals = self.localise(terms, predicates, position);
        let mut tiers = vec![locals.clone()];
        let choice = self.oracle.first_choice(terms, formulas, |_| tiers.pop(), self.budget)?;
        let place = |chosen: &Term| locals.iter().position(|local| local == chosen);
        Ok(choice.map(|choice| choice.iter().filter_map(place).map(|index| predicates[index]).collect()))
    }

    /// Adds predicates until those needed are maintained by the steps without the others.
    fn close(
        &mut self,
        terms: &mut Terms,
        mut needed: Vec<Term>,
        predicates: &[Term],
        first: usize,
        second: usize,
    ) -> Result<Vec<Term>, Failure> {
        loop {
            let goals = self.localise(terms, &needed, second);
            let all = terms.and(goals);
            let mut formulas = self.problem.formulas[first..second].to_vec();
            formulas.push(terms.not(all));
            let others = predicates.iter().filter(|predicate| !needed.contains(predicate));
            let offered: Vec<Term> = needed.iter().chain(others).copied().collect();
            let choice = self.choose(terms, &formulas, &offered, first)?;
            let choice = choice.expect("all predicates together should be maintained");
            let more: Vec<Term> = choice.into_iter().filter(|predicate| !needed.contains(predicate)).collect();
            if more.is_empty() {
                return Ok(needed);
            }
            needed.extend(more);
        }
    }
}
