//! The solver interface of predicate abstraction: the cubes over some predicates that are consistent with a formula.
//! Answers are cached.

use base::{Budget, Stop};
use rustc_hash::FxHashMap;
use smt::{Answer, Solver, Term, Terms};

/// Maximum number of cubes; past it, each predicate is decided by itself.
const MAX_CUBES: usize = 48;
/// Number of clauses past which the solver is replaced by a new one.
const MAX_CLAUSES: u64 = 2_000_000;

/// The truth value of each predicate: `None` if unknown.
pub(crate) type Cube = Vec<Option<bool>>;

/// The key of the cache: a formula, predicates and cases.
type Question = (Term, Vec<Term>, Vec<Term>);

/// A solver with a cache and counters.
pub(crate) struct Prover {
    solver: Solver,
    budget: Budget,
    /// Solver calls.
    pub(crate) queries: u64,
    satisfiable: FxHashMap<Term, bool>,
    cubes: FxHashMap<Question, Vec<(Cube, usize)>>,
}

impl Prover {
    pub(crate) fn new(budget: &Budget) -> Prover {
        Prover {
            solver: Solver::new(),
            budget: budget.clone(),
            queries: 0,
            satisfiable: FxHashMap::default(),
            cubes: FxHashMap::default(),
        }
    }

    /// Sets the budget of the following calls.
    pub(crate) fn limit(&mut self, budget: &Budget) {
        self.budget = budget.clone();
    }

    fn check(&mut self, terms: &mut Terms, formulas: &[Term]) -> Result<bool, Stop> {
        self.budget.check()?;
        if self.solver.clauses() > MAX_CLAUSES {
            self.solver = Solver::new();
        }
        self.queries += 1;
        Ok(self.solver.check(terms, formulas, &self.budget)? == Answer::Sat)
    }

    pub(crate) fn is_satisfiable(&mut self, terms: &mut Terms, formula: Term) -> Result<bool, Stop> {
        if let Some(value) = terms.as_bool(formula) {
            return Ok(value);
        }
        if let Some(&known) = self.satisfiable.get(&formula) {
            return Ok(known);
        }
        let answer = self.check(terms, &[formula])?;
        self.satisfiable.insert(formula, answer);
        Ok(answer)
    }

    /// All cubes over the predicates that are consistent with the formula, with the number of a case that holds then.
    pub(crate) fn cubes(
        &mut self,
        terms: &mut Terms,
        formula: Term,
        predicates: &[Term],
        cases: &[Term],
    ) -> Result<Vec<(Cube, usize)>, Stop> {
        if predicates.is_empty() && cases.is_empty() {
            let is_possible = self.is_satisfiable(terms, formula)?;
            return Ok(if is_possible { vec![(vec![], 0)] } else { vec![] });
        }
        let key = (formula, predicates.to_vec(), cases.to_vec());
        if let Some(known) = self.cubes.get(&key) {
            return Ok(known.clone());
        }
        let found = match self.enumerate(terms, formula, predicates, cases)? {
            Some(found) => found,
            None => self.one_by_one(terms, formula, predicates)?,
        };
        self.cubes.insert(key, found.clone());
        Ok(found)
    }

    /// All-SAT enumeration; none if there are too many models.
    fn enumerate(
        &mut self,
        terms: &mut Terms,
        formula: Term,
        predicates: &[Term],
        cases: &[Term],
    ) -> Result<Option<Vec<(Cube, usize)>>, Stop> {
        let mut found = Vec::new();
        let mut asked = vec![formula];
        while self.check(terms, &asked)? {
            if found.len() >= MAX_CUBES {
                return Ok(None);
            }
            let mut holds = |terms: &Terms, term: Term| self.solver.value(terms, term).as_bool() == Some(true);
            let cube: Cube = predicates.iter().map(|&predicate| Some(holds(terms, predicate))).collect();
            let case = cases.iter().position(|&case| holds(terms, case)).unwrap_or(0);
            let literals: Vec<Term> = predicates
                .iter()
                .zip(&cube)
                .map(|(&predicate, holds)| if *holds == Some(true) { predicate } else { terms.not(predicate) })
                .collect();
            let excluded = terms.and(literals);
            asked.push(terms.not(excluded));
            found.push((cube, case));
        }
        Ok(Some(found))
    }

    /// Cartesian abstraction: decides each predicate by itself.
    fn one_by_one(
        &mut self,
        terms: &mut Terms,
        formula: Term,
        predicates: &[Term],
    ) -> Result<Vec<(Cube, usize)>, Stop> {
        let mut cube = Vec::new();
        for &predicate in predicates {
            let negated = terms.not(predicate);
            let (with, without) = (terms.and2(formula, predicate), terms.and2(formula, negated));
            let can_hold = self.is_satisfiable(terms, with)?;
            let can_fail = self.is_satisfiable(terms, without)?;
            cube.push(match (can_hold, can_fail) {
                (true, true) => None,
                (true, false) => Some(true),
                (false, true) => Some(false),
                (false, false) => return Ok(vec![]),
            });
        }
        Ok(vec![(cube, 0)])
    }
}
