//! The solver as interpolation uses it: everything is an assumption, so one instance serves all questions.

use super::Failure;
use crate::term::{Assignment, Sort, Term, Terms};
use crate::{Answer, Solver};
use base::Budget;
use rustc_hash::FxHashSet;

/// An instance whose terms together have more bits than this is discarded between questions about different positions.
const LARGEST: usize = 4000;

/// A solver for conjunctions, with a limited number of calls.
pub(super) struct Oracle {
    solver: Solver,
    checks: u64,
    most_checks: u64,
    /// The terms the solver knows, and their total number of bits.
    known: FxHashSet<Term>,
    size: usize,
}

impl Oracle {
    /// An oracle with a limit on solver calls.
    pub(super) fn new(most_checks: u64) -> Oracle {
        Oracle { solver: Solver::new(), checks: 0, most_checks, known: FxHashSet::default(), size: 0 }
    }

    /// Gives `attempt` half of the remaining checks.
    pub(super) fn lend_half<T>(&mut self, attempt: impl FnOnce(&mut Oracle) -> T) -> T {
        let most_checks = self.most_checks;
        self.most_checks = self.checks + most_checks.saturating_sub(self.checks) / 2;
        let result = attempt(self);
        self.most_checks = most_checks;
        result
    }

    /// Starts with a new solver if there are so many variables that assigning all of them is most of the work.
    pub(super) fn refresh(&mut self) {
        if self.size > LARGEST {
            *self = Oracle { checks: self.checks, ..Oracle::new(self.most_checks) };
        }
    }

    /// The number of solver calls so far.
    pub(super) fn checks(&self) -> u64 {
        self.checks
    }

    /// Whether the conjunction has a model.
    pub(super) fn check(&mut self, terms: &mut Terms, parts: &[Term], budget: &Budget) -> Result<Answer, Failure> {
        if self.checks >= self.most_checks {
            return Err(Failure::TooManyChecks);
        }
        self.checks += 1;
        let mut found = Vec::new();
        terms.for_each_below(parts, |term| self.known.contains(&term), |term| found.push(term));
        for term in found {
            self.known.insert(term);
            self.size += match terms.sort(term) {
                Sort::Bits(width) => width as usize,
                Sort::Bool | Sort::Array { .. } => 1,
            };
        }
        Ok(self.solver.check(terms, parts, budget)?)
    }

    /// Whether the conjunction has no model.
    pub(super) fn refutes(&mut self, terms: &mut Terms, parts: &[Term], budget: &Budget) -> Result<bool, Failure> {
        Ok(self.check(terms, parts, budget)? == Answer::Unsat)
    }

    /// The model found last.
    pub(super) fn model(&mut self, terms: &Terms) -> Assignment {
        self.solver.model(terms).clone()
    }

    /// The parts that the last refutation needed; minimal if there are at most `longest`.
    pub(super) fn core(&mut self, terms: &mut Terms, longest: usize, budget: &Budget) -> Result<Vec<Term>, Failure> {
        let core = self.solver.core().to_vec();
        if core.len() > longest {
            return Ok(core);
        }
        self.checks += core.len() as u64;
        let core = self.solver.minimal_core(terms, budget);
        budget.check()?;
        Ok(core)
    }

    /// The first choice of predicates, in the order of their tiers, that together contradict `fixed`: a minimal one of
    /// which the last predicate comes as early as possible, given that the one before it does, and so on. Tiers are
    /// requested one by one. `None` if all tiers together do not suffice.
    pub(super) fn first_choice(
        &mut self,
        terms: &mut Terms,
        fixed: &[Term],
        mut next_tier: impl FnMut(&mut Terms) -> Option<Vec<Term>>,
        budget: &Budget,
    ) -> Result<Option<Vec<Term>>, Failure> {
        let mut offered: Vec<Term> = Vec::new();
        let mut lower = 0;
        while !self.refutes_with(terms, fixed, &[], &offered, budget)? {
            lower = offered.len();
            let Some(tier) = next_tier(terms) else { return Ok(None) };
            offered.extend(tier);
        }
        let mut chosen: Vec<Term> = Vec::new();
        let mut upper = offered.len();
        while upper > 0 {
            // The shortest prefix that suffices has a length in lower+1 ..= upper.
            while lower + 1 < upper {
                let middle = lower.midpoint(upper);
                if self.refutes_with(terms, fixed, &chosen, &offered[..middle], budget)? {
                    upper = middle;
                } else {
                    lower = middle;
                }
            }
            chosen.push(offered[upper - 1]);
            upper -= 1;
            lower = 0;
            if self.refutes_with(terms, fixed, &chosen, &[], budget)? {
                break;
            }
        }
        Ok(Some(chosen))
    }

    fn refutes_with(
        &mut self,
        terms: &mut Terms,
        fixed: &[Term],
        chosen: &[Term],
        offered: &[Term],
        budget: &Budget,
    ) -> Result<bool, Failure> {
        let parts = [fixed, chosen, offered].concat();
        self.refutes(terms, &parts, budget)
    }
}
