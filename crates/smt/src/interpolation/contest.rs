//! The cheapest of several sequences of interpolants.
//!
//! They differ in the end they are made from, in the predicates they prefer, and in whether they see only what an
//! unsatisfiable core is about: a core makes them short, but may have dropped what an invariant is about.

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

/// How sequences that compete are made.
const WAYS: [(Direction, Preference); 4] = [
    (Direction::Forwards, Preference::Relations),
    (Direction::Backwards, Preference::Relations),
    (Direction::Forwards, Preference::Atoms),
    (Direction::Backwards, Preference::Atoms),
];

/// Sequences of atoms that cost at most this much are not worth competing with: two predicates.
const CHEAP: usize = 8;
/// Sequences that cost at most this much are not worth competing with once both directions were tried.
const FAIR: usize = 30;

/// Plain preconditions and postconditions must be this many times cheaper than a generalised sequence: they say how often
/// a loop was unrolled.
const PLAIN_HANDICAP: usize = 3;

/// A sequence of interpolants, `I_0` and `I_n` included, that competes with others.
#[derive(Default)]
pub(super) struct Candidate {
    pub(super) labels: Vec<Term>,
    /// See [`cost`](super::simplification::cost).
    pub(super) cost: usize,
    /// Whether a position got something exact, since predicates could not describe it.
    pub(super) has_fallback: bool,
    /// Whether it is plain preconditions or postconditions.
    pub(super) is_plain: bool,
    /// Whether steps that are repeated maintain one of the labels.
    pub(super) has_invariant: bool,
}

/// The cheapest of several candidates for an unsatisfiable problem. When time or checks run out, the cheapest by then.
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
    // Of a long sequence only the core is looked at, and the first way that leads somewhere is taken.
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

/// The cheaper of plain preconditions and postconditions, where one of them needs no quantifier. Asks nothing.
pub(super) fn plain(terms: &mut Terms, problem: &Problem, oracle: &mut Oracle) -> Option<Candidate> {
    let candidates = Separator::new(terms, problem, oracle, &IndexSet::default()).plain_candidates(terms);
    candidates.into_iter().min_by_key(|candidate| candidate.cost)
}

/// Candidates so far.
#[derive(Default)]
struct Contest {
    best: Option<Candidate>,
    plain: Option<Candidate>,
    failure: Option<Failure>,
    /// Whether time or checks ran out.
    is_over: bool,
}

impl Contest {
    /// One more candidate, or why there is none.
    fn enter(&mut self, candidate: Result<Candidate, Failure>) {
        match candidate {
            Ok(candidate) if self.best.as_ref().is_none_or(|best| candidate.cost < best.cost) => {
                self.best = Some(candidate);
            }
            Ok(_) => {}
            Err(failure) => {
                self.is_over |= failure.is_exhaustion();
                // That there was no time says more than what went wrong before.
                self.failure = if failure.is_exhaustion() { Some(failure) } else { self.failure.or(Some(failure)) };
            }
        }
    }

    /// Whether the best so far is so simple that others are not worth the time, or there is none left.
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
