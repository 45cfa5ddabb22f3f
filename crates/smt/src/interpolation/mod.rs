//! Sequence interpolants: the reason why a path is infeasible, for each position, over the variables live there.
//!
//! Given formulas `A_1 .. A_n` that together have no model, the interpolants `I_0 = true, I_1, .., I_n = false` satisfy
//! `I_{k-1} and A_k imply I_k`, and `I_k` mentions only variables that both `A_1 .. A_k` and `A_{k+1} .. A_n` mention
//! (Craig, JSL 1957; for paths of programs Henzinger, Jhala, Majumdar, McMillan, POPL 2004; McMillan, CAV 2006).
//!
//! They are not extracted from a proof. The formulas are first weakened to the variables of an unsatisfiable core
//! (`problem`). Then, as in Newton (Dietsch et al., Craig vs. Newton in software model checking, FSE 2017), positions are
//! labelled one after the other: forwards from strongest postconditions, or backwards from weakest preconditions, with
//! dead variables eliminated (`chain`). Each label is generalised at once: it separates what comes before it from
//! *everything* that comes after it (`separation`), and prefers predicates without accidental constants (`predicates`),
//! since plain weakest preconditions diverge on counting loops. Where a path repeats steps, an invariant of the repetition
//! comes first (`repetition`). The cheapest of several sequences is taken (`contest`), after dropping redundant parts
//! (`simplification`). A fresh solver checks the result before it is returned (`verification`).
//!
//! When the time or a fixed number of checks is used up, the best sequence so far is returned: at worst plain
//! preconditions or postconditions, which need no solver calls.
//!
//! No quantifiers: where neither solving equations nor projecting a bounded number of models eliminates a variable, there
//! is no interpolant and the [`Failure`] says so.

mod chain;
mod contest;
mod elimination;
mod oracle;
mod path;
mod predicates;
mod problem;
mod projection;
mod repetition;
#[cfg(test)]
mod samples;
mod separation;
mod simplification;
mod verification;

pub use path::Step;

use crate::term::{Term, Terms};
use crate::Answer;
use base::{Budget, Part, Stop};
use contest::Candidate;
use indexmap::IndexSet;
use oracle::Oracle;
use path::Versions;
use problem::Problem;
use repetition::{Repetition, Search};
use rustc_hash::FxBuildHasher;

/// The limit on solver calls for a sequence, to which each formula in it adds. Random paths take 50 checks in the
/// median, loops whose invariant is found up to 2000; beyond that the search only improves the result.
const MAX_CHECKS: u64 = 4000;
const MAX_CHECKS_PER_FORMULA: u64 = 100;

/// The share of the time for the search; the rest is for checking the best result.
const SEARCH_SHARE: f64 = 0.75;

/// Why there are no interpolants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// The formulas have a model: the path is feasible.
    #[error("the formulas are satisfiable")]
    Satisfiable,
    /// A non-shared variable could not be eliminated with a bounded number of models.
    #[error("position {position} needs too many models")]
    TooManyModels {
        /// The number of formulas before the position.
        position: usize,
    },
    /// The limit on solver calls for a sequence of this length was reached.
    #[error("too many checks")]
    TooManyChecks,
    /// The budget ran out.
    #[error("stopped: {0:?}")]
    Stopped(Stop),
}

impl Failure {
    /// Whether more time or checks could have produced interpolants.
    fn is_exhaustion(self) -> bool {
        match self {
            Failure::TooManyChecks | Failure::Stopped(_) => true,
            Failure::Satisfiable | Failure::TooManyModels { .. } => false,
        }
    }
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        Failure::Stopped(stop)
    }
}

/// Statistics of the interpolator.
#[derive(Clone, Copy, Default, Debug)]
pub struct Statistics {
    /// Sequences for which interpolants were requested.
    pub sequences: u64,
    /// Sequences for which none were found.
    pub failures: u64,
    /// Returned sequences with a position that predicates could not describe: it got the exact precondition, the exact
    /// postcondition or a disjunction of projections.
    pub fallbacks: u64,
    /// Returned sequences that are plain weakest preconditions or strongest postconditions.
    pub plain: u64,
    /// Returned sequences with a label that the steps of a repetition maintain.
    pub invariants: u64,
    /// Calls of the solver.
    pub checks: u64,
}

/// Finds interpolants, and remembers between calls which predicates to prefer.
#[derive(Default)]
pub struct Interpolator {
    versions: Versions,
    preferred: IndexSet<Term, FxBuildHasher>,
    statistics: Statistics,
}

impl Interpolator {
    /// Prefers no predicate.
    pub fn new() -> Interpolator {
        Interpolator::default()
    }

    /// Prefers this predicate over state variables wherever it helps: engines pass the atoms of labels, so that later
    /// paths get similar labels.
    pub fn prefer(&mut self, predicate: Term) {
        self.preferred.insert(predicate);
    }

    /// The statistics so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The interpolants `I_1 .. I_{n-1}` of formulas that together have no model.
    pub fn sequence(&mut self, terms: &mut Terms, formulas: &[Term], budget: &Budget) -> Result<Vec<Term>, Failure> {
        let problem = Problem::of_sequence(terms, formulas);
        let labels = self.interpolate(terms, &problem, budget)?;
        Ok(labels[1..formulas.len().max(1)].to_vec())
    }

    /// Formulas over state variables, one before each step and one after the last: the first is true, the last is
    /// false, and each step leads from one to the next. They mention a variable only where an earlier step wrote or
    /// tested it and a later one uses it.
    pub fn path(&mut self, terms: &mut Terms, steps: &[Step], budget: &Budget) -> Result<Vec<Term>, Failure> {
        let problem = path::problem(&mut self.versions, terms, steps);
        self.interpolate(terms, &problem, budget)
    }

    /// The labels of all positions, in the common vocabulary.
    fn interpolate(&mut self, terms: &mut Terms, problem: &Problem, budget: &Budget) -> Result<Vec<Term>, Failure> {
        self.statistics.sequences += 1;
        let mut oracle = Oracle::new(MAX_CHECKS + MAX_CHECKS_PER_FORMULA * problem.len() as u64);
        let result = self.best(terms, problem, &mut oracle, budget);
        self.statistics.checks += oracle.checks();
        if result.is_err() {
            self.statistics.failures += 1;
        }
        result
    }

    fn best(
        &mut self,
        terms: &mut Terms,
        problem: &Problem,
        oracle: &mut Oracle,
        budget: &Budget,
    ) -> Result<Vec<Term>, Failure> {
        if oracle.check(terms, &problem.formulas, budget)? == Answer::Sat {
            return Err(Failure::Satisfiable);
        }
        let best = match self.solve(terms, problem, oracle, &budget.part(Part::Share(SEARCH_SHARE))) {
            Err(failure) if failure.is_exhaustion() => contest::plain(terms, problem, oracle).ok_or(failure)?,
            result => result?,
        };
        verification::verify(terms, problem, &best.labels, budget)?;
        self.statistics.fallbacks += u64::from(best.has_fallback);
        self.statistics.plain += u64::from(best.is_plain);
        self.statistics.invariants += u64::from(best.has_invariant);
        Ok(problem.to_common(terms, &best.labels))
    }

    /// Labels of an unsatisfiable problem: around the invariant of a repetition if there is one, and from a contest
    /// otherwise.
    fn solve(
        &mut self,
        terms: &mut Terms,
        problem: &Problem,
        oracle: &mut Oracle,
        budget: &Budget,
    ) -> Result<Candidate, Failure> {
        if let Some(repetition) = Repetition::find(problem) {
            let share = budget.part(Part::Share(0.5));
            match oracle.lend_half(|oracle| self.solve_repetition(terms, problem, repetition, oracle, &share)) {
                Ok(Some(candidate)) => return Ok(candidate),
                Err(Failure::Satisfiable) => return Err(Failure::Satisfiable),
                // There is no invariant, or nothing was found between the heads: perhaps there is a sequence without an
                // invariant.
                Ok(None) | Err(Failure::TooManyModels { .. } | Failure::TooManyChecks | Failure::Stopped(_)) => {}
            }
        }
        contest::compete(terms, problem, oracle, &self.preferred, budget)
    }

    /// Labels around an invariant of a repetition, if there is one.
    fn solve_repetition(
        &mut self,
        terms: &mut Terms,
        problem: &Problem,
        repetition: Repetition,
        oracle: &mut Oracle,
        budget: &Budget,
    ) -> Result<Option<Candidate>, Failure> {
        let preferred: Vec<Term> = self.preferred.iter().copied().collect();
        let mut search = Search { problem, repetition, oracle: &mut *oracle, budget };
        let Some(invariant) = search.invariant(terms, &preferred)? else { return Ok(None) };
        let invariant = terms.and(invariant);
        self.solve_around(terms, problem, &repetition.heads(), invariant, oracle, budget).map(Some)
    }

    /// Labels that are the invariant, which is in the common vocabulary, at the heads of a repetition.
    fn solve_around(
        &mut self,
        terms: &mut Terms,
        problem: &Problem,
        heads: &[usize],
        invariant: Term,
        oracle: &mut Oracle,
        budget: &Budget,
    ) -> Result<Candidate, Failure> {
        let count = problem.len();
        let has_invariant = terms.as_bool(invariant).is_none();
        let mut result = Candidate { has_invariant, ..Candidate::default() };
        result.labels = vec![terms.bool(true); count + 1];
        result.labels[count] = terms.bool(false);
        for &head in heads {
            let label = problem.local(terms, head, invariant);
            result.labels[head] = label.expect("an invariant should be made of what is shared at all heads");
        }
        let ends: Vec<usize> = [0].into_iter().chain(heads.iter().copied()).chain([count]).collect();
        for pair in ends.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            if to - from < 2 {
                continue;
            }
            let part = problem.part(terms, from, to, (result.labels[from], result.labels[to]));
            let inner = self.solve(terms, &part, oracle, budget)?;
            for position in from + 1..to {
                result.labels[position] = inner.labels[position - from + 1];
            }
            result.has_fallback |= inner.has_fallback;
        }
        Ok(result)
    }
}

/// The interpolants `I_1 .. I_{n-1}` of formulas that together have no model.
///
/// ```
/// use smt::{interpolation::sequence_interpolants, Sort, Terms};
/// let mut terms = Terms::new();
/// let [x, y, z] = ["x", "y", "z"].map(|name| terms.variable(name, Sort::Bits(32)));
/// let formulas = [terms.eq(x, y), terms.eq(y, z), terms.ult(x, z)];
/// let interpolants = sequence_interpolants(&mut terms, &formulas, &base::Budget::unlimited()).unwrap();
/// assert_eq!(interpolants, [terms.eq(x, y), terms.eq(x, z)]);
/// ```
pub fn sequence_interpolants(terms: &mut Terms, formulas: &[Term], budget: &Budget) -> Result<Vec<Term>, Failure> {
    Interpolator::new().sequence(terms, formulas, budget)
}

/// Formulas over state variables, one before each step and one after the last, that show that the path is infeasible.
pub fn path_interpolants(terms: &mut Terms, steps: &[Step], budget: &Budget) -> Result<Vec<Term>, Failure> {
    Interpolator::new().path(terms, steps, budget)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sort;

    /// However early the search ends, the best labels so far are returned, and they are verified.
    #[test]
    fn an_early_end_costs_quality_only() {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.variable(name, Sort::Bits(8)));
        let [zero, one, seven] = [0, 1, 7].map(|value| terms.number(8, value));
        let (next, sum) = (terms.add(x, one), terms.add(y, x));
        let (is_seven, is_small) = (terms.eq(y, seven), terms.ult(x, seven));
        let body = [Step::Assume(is_small), Step::Assign(y, sum), Step::Assign(x, next)];
        let mut steps = vec![Step::Assign(x, zero), Step::Assign(y, zero)];
        (0..3).for_each(|_| steps.extend(body));
        steps.push(Step::Assume(is_seven));
        let mut last = 0;
        for most_checks in 1..400 {
            let mut interpolator = Interpolator::new();
            let problem = path::problem(&mut interpolator.versions, &mut terms, &steps);
            let mut oracle = Oracle::new(most_checks);
            let labels = interpolator.best(&mut terms, &problem, &mut oracle, &Budget::unlimited());
            assert_eq!(labels.map(|labels| labels.len()), Ok(steps.len() + 1), "{most_checks} checks");
            last = oracle.checks();
            assert!(last <= most_checks + steps.len() as u64, "{last} checks");
        }
        assert!(last > 10, "the search should have something to do");
    }
}
