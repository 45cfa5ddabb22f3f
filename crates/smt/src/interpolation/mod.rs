//! Sequence interpolants: why a path cannot be taken, said once per position, over what is alive there.
//!
//! Given formulas `A_1 .. A_n` that together have no model, the interpolants `I_0 = true, I_1, .., I_n = false` satisfy
//! `I_{k-1} and A_k imply I_k`, and `I_k` mentions only variables that both `A_1 .. A_k` and `A_{k+1} .. A_n` mention
//! (Craig, JSL 1957; for paths of programs Henzinger, Jhala, Majumdar, McMillan, POPL 2004; McMillan, CAV 2006).
//!
//! They are not read off a proof. The formulas are first weakened to an unsatisfiable core ([`problem`]). Then, as in Newton
//! (Dietsch et al., Craig vs. Newton in software model checking, FSE 2017), positions are labelled one after the other: forwards
//! from strongest postconditions, or backwards from weakest preconditions, with what is not alive eliminated. Each label
//! is generalised at once: it separates what comes before it from *everything* that comes after it ([`separation`]), and
//! prefers predicates without accidental constants ([`predicates`]), since plain weakest preconditions diverge on
//! counting loops. Of several such sequences the cheapest is taken, after what it does not need was dropped
//! ([`simplification`]). A fresh solver checks the result before anybody sees it ([`verification`]).
//!
//! No quantifiers: where neither solving equations nor projecting a bounded number of models eliminates a variable, there
//! is no interpolant and the [`Failure`] says so.

mod chain;
mod elimination;
mod oracle;
mod path;
mod predicates;
mod problem;
mod projection;
mod separation;
mod simplification;
mod verification;

pub use path::Step;

use crate::term::{Term, Terms};
use base::{Budget, Stop};
use chain::Direction;
use indexmap::IndexSet;
use oracle::Oracle;
use path::Versions;
use predicates::Preference;
use problem::Problem;
use rustc_hash::FxBuildHasher;
use separation::Separator;

/// Why there are no interpolants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// The formulas have a model: the path can be taken.
    #[error("the formulas are satisfiable")]
    Satisfiable,
    /// What is not shared could not be eliminated with a bounded number of models.
    #[error("position {position} needs too many models")]
    TooManyModels {
        /// How many formulas come before the position.
        position: usize,
    },
    /// The budget ran out.
    #[error("stopped: {0:?}")]
    Stopped(Stop),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        Failure::Stopped(stop)
    }
}

/// What was done so far.
#[derive(Clone, Copy, Default, Debug)]
pub struct Statistics {
    /// Sequences that were asked for.
    pub sequences: u64,
    /// Sequences of which one was not found.
    pub failures: u64,
    /// Returned sequences with a position that predicates could not describe: it got the exact precondition, the exact
    /// postcondition or a disjunction of projections.
    pub fallbacks: u64,
    /// Returned sequences that are plain weakest preconditions or strongest postconditions.
    pub plain: u64,
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

/// Interpolants of a sequence that has not been built yet are at most this many ways to choose from.
const WAYS: [(Direction, Preference); 4] = [
    (Direction::Forwards, Preference::Relations),
    (Direction::Backwards, Preference::Relations),
    (Direction::Forwards, Preference::Atoms),
    (Direction::Backwards, Preference::Atoms),
];

/// A sequence of interpolants, `I_0` and `I_n` included, that competes with others.
struct Candidate {
    labels: Vec<Term>,
    cost: usize,
    has_fallback: bool,
    is_plain: bool,
}

impl Interpolator {
    /// Prefers no predicate.
    pub fn new() -> Interpolator {
        Interpolator::default()
    }

    /// Prefers this predicate over state variables to others wherever it helps: engines pass what labels consist of, so
    /// that later paths are labelled alike.
    pub fn prefer(&mut self, predicate: Term) {
        self.preferred.insert(predicate);
    }

    /// What was done so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The interpolants `I_1 .. I_{n-1}` of formulas that together have no model.
    pub fn sequence(&mut self, terms: &mut Terms, formulas: &[Term], budget: &Budget) -> Result<Vec<Term>, Failure> {
        let problem = Problem::of_sequence(terms, formulas);
        let labels = self.interpolate(terms, problem, budget)?;
        Ok(labels[1..formulas.len().max(1)].to_vec())
    }

    /// Formulas over state variables, one before each step and one after the last: the first is true, the last is
    /// false, and each step leads from one to the next. They mention a variable only where its value comes from an
    /// earlier step or was tested by one, and is used by a later one.
    pub fn path(&mut self, terms: &mut Terms, steps: &[Step], budget: &Budget) -> Result<Vec<Term>, Failure> {
        let problem = path::problem(&mut self.versions, terms, steps);
        self.interpolate(terms, problem, budget)
    }

    /// The labels of all positions, in the common vocabulary.
    fn interpolate(&mut self, terms: &mut Terms, problem: Problem, budget: &Budget) -> Result<Vec<Term>, Failure> {
        self.statistics.sequences += 1;
        let mut oracle = Oracle::new();
        let result = self.best(terms, &problem, &mut oracle, budget);
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
        let core = problem.core(terms, oracle, budget)?;
        let mut separator = Separator::new(terms, &core, oracle, &self.preferred);
        let mut best: Option<Candidate> = None;
        let mut failure = None;
        for (direction, preference) in WAYS {
            match separator.candidate(terms, direction, preference, budget) {
                Ok(candidate) => {
                    let is_simple = candidate.labels.iter().all(|&label| simplification::is_literal(terms, label));
                    if best.as_ref().is_none_or(|best| candidate.cost < best.cost) {
                        best = Some(candidate);
                    }
                    if is_simple {
                        break;
                    }
                }
                Err(Failure::Stopped(stop)) => return Err(stop.into()),
                Err(reason) => failure = failure.or(Some(reason)),
            }
        }
        for plain in separator.plain_candidates(terms) {
            if best.as_ref().is_none_or(|best| plain.cost < best.cost) {
                best = Some(plain);
            }
        }
        let Some(best) = best else { return Err(failure.expect("a way should fail with a reason")) };
        verification::verify(terms, problem, &best.labels, budget)?;
        self.statistics.fallbacks += u64::from(best.has_fallback);
        self.statistics.plain += u64::from(best.is_plain);
        Ok(problem.to_common(terms, &best.labels))
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

/// Formulas over state variables, one before each step and one after the last, that show that the path cannot be taken.
pub fn path_interpolants(terms: &mut Terms, steps: &[Step], budget: &Budget) -> Result<Vec<Term>, Failure> {
    Interpolator::new().path(terms, steps, budget)
}
