//! The cheapest of several sequences of interpolants.
//!
//! Candidates differ in the end they are made from, in the predicates they prefer, and in whether they are restricted
//! to an unsatisfiable core: a core makes them short, but may have dropped the subject of an invariant.

use super::chain::Direction;
use super::oracle::Oracle;
use super::predicates::Preference;
use super::problem::{Problem, LONGEST_WHOLE};
use super::separation::Separator;
use super::simplification::is_literal;
use super::Failure;
use crate::term::{Term, Terms};
use base::Budget;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// The competing ways to make sequences.
const WAYS: [(Direction, Preference); 4] = [
    (Direction::Forwards, Preference::Relations),
    (Direction::Backwards, Preference::Relations),
    (Direction::Forwards, Preference::Atoms),
    (Direction::Backwards, Preference::Atoms),
];

/// Sequences of atoms with at most this cost, that of two predicates, are accepted without competition.
const CHEAP: usize = 8;
/// Sequences with at most this cost are accepted once both directions were tried.
const FAIR: usize = 30;

/// Plain preconditions and postconditions must be this many times cheaper than a generalised sequence: they depend on
/// how often a loop was unrolled.
const PLAIN_HANDICAP: usize = 3;

/// A candidate sequence of interpolants, `I_0` and `I_n` included.
#[derive(Default)]
pub(super) struct Candidate {
    pub(super) labels: Vec<Term>,
    /// See [`cost`](super::simplification::cost).
    pub(super) cost: usize,
    /// Whether a position got an exact formula because predicates could not describe it.
    pub(super) has_fallback: bool,
    /// Whether it consists of plain preconditions or postconditions.
    pub(super) is_plain: bool,
    /// Whether one of the labels is an invariant of repeated steps.
    pub(super) has_invariant: bool,
}

/// The cheapest of several candidates for an unsatisfiable problem. If time or checks run out, the cheapest so far.
pub(super) fn compete(
    terms: &mut Terms,
    problem: &Problem,
    oracle: &mut Oracle,
    preferred: &IndexSet<Term, FxBuildHasher>,
    budget: &Budget,
) -> Result<Candidate, Failure> {
    let core = problem.core(terms, oracle, budget)?;
    let mut contest = Contest { plain: plain(terms, &core, oracle), ..Contest::default() };
    let mut variants = vec![&core];
    if core.formulas != problem.formulas && problem.len() <= LONGEST_WHOLE {
        variants.push(problem);
    }
    // For a long sequence only the core is used, and the first way that succeeds wins.
    for way in WAYS {
        for problem in &variants {
            let mut separator = Separator::new(terms, problem, oracle, preferred);
            contest.enter(separator.candidate(terms, way.0, way.1, budget));
        }
        if contest.is_decided(terms, way) || contest.best.is_some() && problem.len() > LONGEST_WHOLE {
            break;
        }
    }
    contest.winner()
}

/// The cheaper of plain preconditions and postconditions, if one of them needs no quantifier. Does not call the solver.
pub(super) fn plain(terms: &mut Terms, problem: &Problem, oracle: &mut Oracle) -> Option<Candidate> {
    let candidates = Separator::new(terms, problem, oracle, &IndexSet::default()).plain_candidates(terms);
    candidates.into_iter().min_by_key(|candidate| candidate.cost)
}

/// The candidates so far.
#[derive(Default)]
struct Contest {
    best: Option<Candidate>,
    plain: Option<Candidate>,
    failure: Option<Failure>,
    /// Whether time or checks ran out.
    is_over: bool,
}

impl Contest {
    /// Adds a candidate, or the reason why there is none.
    fn enter(&mut self, candidate: Result<Candidate, Failure>) {
        match candidate {
            Ok(candidate) if self.best.as_ref().is_none_or(|best| candidate.cost < best.cost) => {
                self.best = Some(candidate);
            }
            Ok(_) => {}
            Err(failure) => {
                self.is_over |= failure.is_exhaustion();
                // Running out of time is more informative than an earlier failure.
                self.failure = if failure.is_exhaustion() { Some(failure) } else { self.failure.or(Some(failure)) };
            }
        }
    }

    /// Whether the best candidate is so simple that others are not worth the time, or no time is left.
    fn is_decided(&self, terms: &Terms, (direction, preference): (Direction, Preference)) -> bool {
        if self.is_over {
            return true;
        }
        let Some(best) = &self.best else { return false };
        match (direction, preference) {
            (Direction::Forwards, Preference::Relations) => {
                best.cost <= CHEAP && best.labels.iter().all(|&label| is_literal(terms, label))
            }
            _ => best.cost <= FAIR,
        }
    }

    fn winner(self) -> Result<Candidate, Failure> {
        match (self.best, self.plain) {
            (Some(best), Some(plain)) if plain.cost * PLAIN_HANDICAP < best.cost => Ok(plain),
            (Some(best), _) => Ok(best),
            (None, Some(plain)) => Ok(plain),
            (None, None) => Err(self.failure.expect("a way should fail with a reason")),
        }
    }
}
