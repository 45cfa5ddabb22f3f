//! CaDiCaL: incremental solving under assumptions, with budgets polled inside the search.
//!
//! All other layers use literals ([`Lit`]) and clauses only through this file; besides it only the theory's callbacks
//! and the proof's tracer depend on the choice of SAT solver.

use crate::proof::check::Clauses;
use base::{Budget, Stop};
use cadical_sys::{CaDiCal, ExternalPropagator, ProofTracer, Status, Terminator};
use std::cell::RefCell;
use std::fmt;
use std::ops::Not;
use std::rc::Rc;

/// A literal: a variable, numbered from 1, or its negation (negative), as in DIMACS.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(i32);

impl Lit {
    /// The literal that is true in every [`Sat`]: variable 1 is reserved for it.
    pub const TRUE: Lit = Lit(1);
    /// The negation of [`Lit::TRUE`].
    pub const FALSE: Lit = Lit(-1);

    /// The literal with this DIMACS number.
    pub fn from_dimacs(number: i32) -> Lit {
        assert!(number != 0 && number != i32::MIN, "0 is no literal");
        Lit(number)
    }

    /// Its DIMACS number.
    pub fn dimacs(self) -> i32 {
        self.0
    }

    /// The number of its variable, from 1.
    pub fn var(self) -> usize {
        self.0.unsigned_abs() as usize
    }

    /// Whether it is the variable itself.
    pub fn is_positive(self) -> bool {
        self.0 > 0
    }

    /// The literal itself, or its negation if `negate`.
    pub fn negate_if(self, negate: bool) -> Lit {
        if negate {
            !self
        } else {
            self
        }
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The result of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
}

/// Polls the budget while the solver searches. CaDiCaL polls often: reading the clock every time would be measurable.
struct Watch {
    budget: Budget,
    polls: u32,
    stopped: Option<Stop>,
}

/// The number of CaDiCaL's polls per budget check.
const POLLS_PER_CHECK: u32 = 64;

impl Terminator for Watch {
    fn terminated(&mut self) -> bool {
        if self.stopped.is_none() && self.polls.is_multiple_of(POLLS_PER_CHECK) {
            self.stopped = self.budget.check().err();
        }
        self.polls += 1;
        self.stopped.is_some()
    }
}

/// An incremental SAT solver.
pub struct Sat {
    cadical: CaDiCal,
    variables: i32,
    /// The number of variables at the last solving.
    touched: i32,
    clauses: u64,
    watch: Rc<RefCell<Watch>>,
    assumptions: Vec<Lit>,
    answer: Option<Answer>,
    inputs: Option<Clauses>,
}

impl Default for Sat {
    fn default() -> Self {
        Sat::new()
    }
}

impl Sat {
    /// A solver with one variable, [`Lit::TRUE`].
    pub fn new() -> Sat {
        Sat::start(CaDiCal::new(), None)
    }

    /// A solver that reports every given and derived clause to `tracer`, with antecedents.
    pub fn with_tracer<T: ProofTracer + 'static>(tracer: Rc<RefCell<T>>) -> Sat {
        let mut cadical = CaDiCal::new();
        // Bounded variable addition defines new variables, whose clauses are not implied: they could not be certified.
        cadical.set("factor", 0);
        cadical.connect_proof_tracer1(tracer, true, false);
        Sat::start(cadical, Some(Clauses::default()))
    }

    fn start(mut cadical: CaDiCal, inputs: Option<Clauses>) -> Sat {
        // These examine the whole formula at the start of every call, which is too slow for many small incremental
        // calls.
        for option in ["lucky", "walk"] {
            cadical.set(option, 0);
        }
        let watch = Rc::new(RefCell::new(Watch { budget: Budget::unlimited(), polls: 0, stopped: None }));
        cadical.connect_terminator(Rc::clone(&watch));
        let mut sat =
            Sat { cadical, variables: 1, touched: 1, clauses: 0, watch, assumptions: Vec::new(), answer: None, inputs };
        sat.add(&[Lit::TRUE]);
        sat
    }

    /// Connects a theory. Its variables must be observed ([`Sat::observe`]) before they can come up in its callbacks.
    pub fn connect<T: ExternalPropagator + 'static>(&mut self, theory: Rc<RefCell<T>>) {
        self.cadical.connect_external_propagator(theory);
    }

    /// Reports assignments of this literal's variable to the theory, and keeps the solver from eliminating it.
    pub fn observe(&mut self, lit: Lit) {
        self.cadical.add_observed_var(lit.0.abs());
    }

    /// Decisions on this literal's variable make the literal true.
    pub(crate) fn prefer(&mut self, lit: Lit) {
        self.cadical.phase(lit.0);
    }

    /// Whether the literal's variable is newer than the last solving, so that it cannot have been eliminated.
    pub fn is_untouched(&self, lit: Lit) -> bool {
        lit.0.abs() > self.touched
    }

    /// A new variable.
    pub fn fresh(&mut self) -> Lit {
        self.variables += 1;
        Lit(self.variables)
    }

    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.variables as usize
    }

    /// The number of clauses added.
    pub fn clauses(&self) -> u64 {
        self.clauses
    }

    /// Adds a clause.
    pub fn add(&mut self, clause: &[Lit]) {
        if let Some(inputs) = &mut self.inputs {
            inputs.add(clause);
        }
        self.add_lemma(clause);
    }

    /// Adds a theory lemma: with a tracer, the theory must justify it there.
    pub fn add_lemma(&mut self, clause: &[Lit]) {
        debug_assert!(clause.iter().all(|lit| lit.var() <= self.variables()), "a literal nobody made");
        self.answer = None;
        self.clauses += 1;
        for lit in clause {
            self.cadical.add(lit.0);
        }
        self.cadical.add(0);
    }

    /// The added clauses, for a solver with a tracer: the premises of its proofs.
    pub fn inputs(&self) -> Option<&Clauses> {
        self.inputs.as_ref()
    }

    /// Decides the clauses under assumptions.
    pub fn solve(&mut self, assumptions: &[Lit], budget: &Budget) -> Result<Answer, Stop> {
        self.solve_within(assumptions, None, budget).map(|answer| answer.expect("only the budget should stop a search"))
    }

    /// Like [`Sat::solve`], but gives up after a number of conflicts.
    pub fn solve_within(
        &mut self,
        assumptions: &[Lit],
        conflicts: Option<u32>,
        budget: &Budget,
    ) -> Result<Option<Answer>, Stop> {
        self.answer = None;
        budget.check()?;
        self.touched = self.variables;
        *self.watch.borrow_mut() = Watch { budget: budget.clone(), polls: 1, stopped: None };
        for lit in assumptions {
            self.cadical.assume(lit.0);
        }
        self.assumptions.clear();
        self.assumptions.extend_from_slice(assumptions);
        if let Some(most) = conflicts {
            self.cadical.limit("conflicts", i32::try_from(most).unwrap_or(i32::MAX));
        }
        let answer = match self.cadical.solve() {
            Status::SATISFIABLE => Answer::Sat,
            Status::UNSATISFIABLE => Answer::Unsat,
            Status::UNKNOWN => {
                let stopped = self.watch.borrow().stopped;
                assert!(stopped.is_some() || conflicts.is_some(), "only the budget should stop a search");
                return stopped.map_or(Ok(None), Err);
            }
        };
        self.answer = Some(answer);
        Ok(Some(answer))
    }

    /// The result of the last solving, if no clause was added since.
    pub fn answer(&self) -> Option<Answer> {
        self.answer
    }

    /// The literal's value in the last model.
    pub fn value(&mut self, lit: Lit) -> bool {
        assert!(self.answer == Some(Answer::Sat), "there should be a model");
        self.cadical.val(lit.0) == lit.0
    }

    /// The assumptions of the last solving that were needed for its `Unsat`, in their order.
    pub fn core(&mut self) -> Vec<Lit> {
        assert!(self.answer == Some(Answer::Unsat), "there should be a core");
        let assumptions = std::mem::take(&mut self.assumptions);
        let core = assumptions.iter().copied().filter(|lit| self.cadical.failed(lit.0)).collect();
        self.assumptions = assumptions;
        core
    }

    /// The number of conflicts so far.
    pub fn conflicts(&self) -> u64 {
        u64::try_from(self.cadical.get_statistic_value("conflicts")).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn models_and_cores() {
        let mut sat = Sat::new();
        let (a, b, c) = (sat.fresh(), sat.fresh(), sat.fresh());
        sat.add(&[a, b]);
        sat.add(&[!a, !c]);
        let unlimited = Budget::unlimited();
        assert_eq!(sat.solve(&[c], &unlimited), Ok(Answer::Sat));
        assert!(sat.value(c) && !sat.value(a) && sat.value(b) && sat.value(Lit::TRUE));
        assert_eq!(sat.solve(&[b, a, c], &unlimited), Ok(Answer::Unsat));
        assert_eq!(sat.core(), [a, c]);
        assert_eq!(sat.solve(&[], &unlimited), Ok(Answer::Sat));
    }

    #[test]
    fn a_budget_stops_the_search() {
        // Pigeons: hard for resolution.
        let mut sat = Sat::new();
        let holes = 11;
        let pigeons: Vec<Vec<Lit>> = (0..=holes).map(|_| (0..holes).map(|_| sat.fresh()).collect()).collect();
        for pigeon in &pigeons {
            sat.add(pigeon);
        }
        for hole in 0..holes {
            for (i, one) in pigeons.iter().enumerate() {
                for other in &pigeons[..i] {
                    sat.add(&[!one[hole], !other[hole]]);
                }
            }
        }
        assert_eq!(sat.solve_within(&[], Some(20), &Budget::unlimited()), Ok(None));
        let budget = Budget::new(Some(Duration::from_millis(50)), None);
        assert_eq!(sat.solve(&[], &budget), Err(Stop::Time));
        assert!(budget.elapsed() < Duration::from_secs(5));
        let cancelled = Budget::unlimited();
        cancelled.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(sat.solve(&[], &cancelled), Err(Stop::Cancelled));
    }
}
