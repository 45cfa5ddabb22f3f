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

/// How sequences that compete are made.
const WAYS: [(Preference, Direction); 4] = [
    (Preference::Relations, Direction::Forwards),
    (Preference::Relations, Direction::Backwards),
    (Preference::Atoms, Direction::Forwards),
    (Preference::Atoms, Direction::Backwards),
];

/// Sequences of atoms that cost at most this much are not worth competing with: two predicates.
const CHEAP: usize = 8;
/// Sequences that cost at most this much are not worth competing with once both directions were tried.
const FAIR: usize = 30;

/// Plain preconditions and postconditions must be this many times cheaper than a generalised sequence: they say how often
/// a loop was unrolled.
const PLAIN_HANDICAP: usize = 3;

/// A sequence of interpolants, `I_0` and `I_n` included, that competes with others.
struct Candidate {
    labels: Vec<Term>,
    cost: usize,
    has_fallback: bool,
    is_plain: bool,
}

/// Candidates so far.
#[derive(Default)]
struct Contest {
    best: Option<Candidate>,
    plain: Option<Candidate>,
    failure: Option<Failure>,
}

impl Contest {
    /// Makes one more candidate.
    fn enter(
        &mut self,
        terms: &mut Terms,
        separator: &mut Separator,
        (direction, preference): (Direction, Preference),
        budget: &Budget,
    ) -> Result<(), Failure> {
        let xx = separator.candidate(terms, direction, preference, budget);
        if std::env::var("ITPDEBUG").is_ok() { eprintln!("WAY {direction:?} {preference:?}"); if let Ok(c) = &xx { eprintln!("  cost {}", c.cost); for &l in &separator.core.to_common(terms, &c.labels) { eprintln!("    {}", show(terms, l)); } } }
        match xx {
            Ok(candidate) if self.best.as_ref().is_none_or(|best| candidate.cost < best.cost) => {
                self.best = Some(candidate);
            }
            Ok(_) => {}
            Err(Failure::Stopped(stop)) => return Err(stop.into()),
            Err(failure) => self.failure = self.failure.or(Some(failure)),
        }
        Ok(())
    }

    fn enter_plain(&mut self, candidates: Vec<Candidate>) {
        self.plain = candidates.into_iter().min_by_key(|candidate| candidate.cost);
    }

    /// Whether the best so far is so simple that others are not worth the time.
    fn is_decided(&self, terms: &Terms, (preference, direction): (Preference, Direction)) -> bool {
        let Some(best) = &self.best else { return false };
        let is_literal = |&label: &Term| simplification::is_literal(terms, label);
        match (preference, direction) {
            (Preference::Relations, Direction::Forwards) => best.cost <= CHEAP && best.labels.iter().all(is_literal),
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
        if std::env::var("ITPSTAT").is_ok() { eprintln!("checks {} len {} vars {} terms {}", oracle.checks(), problem.len(), terms.variables(&problem.formulas).len(), terms.len()); }
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
        let mut contest = Contest::default();
        let mut variants = vec![&core];
        if core.formulas != problem.formulas {
            variants.push(problem);
        }
        for (preference, direction) in WAYS {
            for problem in &variants {
                let mut separator = Separator::new(terms, problem, oracle, &self.preferred);
                contest.enter(terms, &mut separator, (direction, preference), budget)?;
            }
            if contest.is_decided(terms, (preference, direction)) {
                break;
            }
        }
        contest.enter_plain(Separator::new(terms, &core, oracle, &self.preferred).plain_candidates(terms));
        let best = contest.winner()?;
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

fn show(terms: &Terms, term: Term) -> String {
    use crate::term::Node;
    match terms.node(term) {
        Node::Var(..) => terms.name(term).to_string(),
        Node::Bits(bits) => bits.to_string(),
        Node::Sum(constant, monomials) => {
            let parts: Vec<String> = monomials.iter().map(|(f, t)| format!("{f}*{}", show(terms, *t))).collect();
            format!("({constant} + {})", parts.join(" + "))
        }
        node => {
            let mut arguments = Vec::new();
            node.for_each_argument(|argument| arguments.push(show(terms, argument)));
            let text = format!("{node:?}");
            let name = text.split(['(', ' ', '{']).next().unwrap_or_default().to_string();
            format!("({name} {})", arguments.join(" "))
        }
    }
}
