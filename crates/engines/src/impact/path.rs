//! Paths of the tree as steps over state variables, and their symbolic execution: each state variable as a term over
//! the inputs of the path.

use super::machine::{Birth, Contents, Machine, Outcome};
use super::vocabulary::VarKey;
use crate::symbolic::initial;
use base::{Budget, Stop};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::interpolation::Step;
use smt::term::Substitution;
use smt::{Answer, Solver, Sort, Term, Terms};

impl Machine<'_> {
    /// The initial values of state variables.
    pub(super) fn initial_steps(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (id, cell) in self.vocabulary.static_cells() {
            if cell.is_ghost {
                continue;
            }
            let sort = Sort::Bits((cell.bytes * 8) as u32);
            let variable = self.vocabulary.variable(&mut self.terms, self.program, VarKey::Cell(cell), sort);
            match initial(self.program, id, cell.offset, cell.bytes) {
                Some(bits) => {
                    let bits = self.terms.bits(bits);
                    steps.push(Step::Assign(variable, bits));
                }
                None => steps.push(Step::Havoc(variable)),
            }
        }
        steps
    }

    /// The effect of an outcome on state variables, including those discovered after it was computed.
    pub(super) fn steps_of(&mut self, outcome: &Outcome) -> Vec<Step> {
        let mut steps = outcome.steps.clone();
        for (index, &Birth { object, contents }) in outcome.births.iter().enumerate() {
            if outcome.births[index + 1..].iter().any(|later| later.object == object) {
                continue;
            }
            for cell in self.vocabulary.cells_of(object, false) {
                let width = (cell.bytes * 8) as u32;
                let key = VarKey::Cell(cell);
                let variable = self.vocabulary.variable(&mut self.terms, self.program, key, Sort::Bits(width));
                if outcome.assigned.contains(&variable) {
                    continue;
                }
                let constant = match contents {
                    Contents::Arbitrary => None,
                    Contents::Zero => Some(smt::Bits::zero(width)),
                    Contents::Static(id) => initial(self.program, id, cell.offset, cell.bytes),
                };
                match constant {
                    Some(bits) => {
                        let bits = self.terms.bits(bits);
                        steps.push(Step::Assign(variable, bits));
                    }
                    None => steps.push(Step::Havoc(variable)),
                }
            }
        }
        steps
    }
}

/// Maximum size of a formula in a label.
const LARGEST: usize = 600;

/// Number of values tried for an input.
const MAX_SAMPLES: usize = 6;

/// Universally quantifies a formula over a variable, if a few sample values suffice.
fn for_all(
    terms: &mut Terms,
    solver: &mut Solver,
    budget: &Budget,
    variable: Term,
    formula: Term,
) -> Result<Option<Term>, Stop> {
    let Sort::Bits(width) = terms.sort(variable) else { return Ok(None) };
    let mut sample = terms.bits(smt::Bits::zero(width));
    let mut all = Vec::new();
    let negated = terms.not(formula);
    for _ in 0..MAX_SAMPLES {
        all.push(Substitution::new([(variable, sample)]).apply(terms, formula));
        let known = terms.and(all.iter().copied());
        if solver.check(terms, &[known, negated], budget)? == Answer::Unsat {
            return Ok(Some(known));
        }
        match solver.value(terms, variable).as_bits().cloned() {
            Some(bits) => sample = terms.bits(bits),
            None => return Ok(None),
        }
    }
    Ok(None)
}

/// Weakest preconditions of infeasibility: a formula before each step and after the last one. None where an input would
/// have to be quantified, or where they become too large.
pub(super) fn preconditions(
    terms: &mut Terms,
    solver: &mut Solver,
    budget: &Budget,
    steps: &[Option<Step>],
) -> Result<Option<Vec<Term>>, Stop> {
    let mut labels = vec![terms.bool(false)];
    for step in steps.iter().rev() {
        let after = labels[labels.len() - 1];
        let before = match *step {
            None => after,
            Some(Step::Assume(formula)) => terms.implies(formula, after),
            Some(Step::Assign(variable, term)) => Substitution::new([(variable, term)]).apply(terms, after),
            Some(Step::Havoc(variable)) => {
                if terms.variables(&[after]).binary_search(&variable).is_err() {
                    after
                } else {
                    match for_all(terms, solver, budget, variable, after)? {
                        Some(before) => before,
                        None => return Ok(None),
                    }
                }
            }
        };
        if before != after && terms.below(&[before]).len() > LARGEST {
            return Ok(None);
        }
        labels.push(before);
    }
    labels.reverse();
    Ok(Some(labels))
}

/// Variables for inputs, by their index on a path and sort. Reused, so that terms do not fill up with them.
#[derive(Default)]
pub(super) struct Unknowns {
    made: FxHashMap<(u32, Sort), Term>,
}

/// A symbolically executed path prefix.
#[derive(Clone, Default)]
pub(super) struct Execution {
    values: FxHashMap<Term, Term>,
    unknowns: u32,
    /// Assumptions, with the number of their step.
    pub(super) facts: Vec<(usize, Term, Term)>,
}

impl Execution {
    /// Numbers the following inputs from `first`.
    pub(super) fn number_unknowns_from(&mut self, first: u32) {
        self.unknowns = first;
    }

    /// The state variables that were assigned.
    pub(super) fn changed(&self) -> Vec<Term> {
        let mut all: Vec<Term> = self.values.keys().copied().collect();
        all.sort_unstable();
        all
    }

    /// The value of a term over state variables.
    pub(super) fn value(&self, terms: &mut Terms, term: Term) -> Term {
        let variables = terms.variables(&[term]);
        let pairs = variables.into_iter().filter_map(|variable| Some((variable, *self.values.get(&variable)?)));
        Substitution::new(pairs.collect::<Vec<_>>()).apply(terms, term)
    }

    /// Executes a step with this number.
    pub(super) fn take(&mut self, terms: &mut Terms, unknowns: &mut Unknowns, number: usize, step: Step) {
        match step {
            Step::Assign(variable, term) => {
                let value = self.value(terms, term);
                self.values.insert(variable, value);
            }
            Step::Havoc(variable) => {
                let key = (self.unknowns, terms.sort(variable));
                self.unknowns += 1;
                let value = *unknowns.made.entry(key).or_insert_with(|| {
                    let name = format!("unknown{}", key.0);
                    terms.variable(name, key.1)
                });
                self.values.insert(variable, value);
            }
            Step::Assume(formula) => {
                for part in terms.conjuncts(formula) {
                    let fact = self.value(terms, part);
                    self.facts.push((number, part, fact));
                }
            }
        }
    }
}

/// Slices an infeasible path: the assumptions of the core, or all those about variables that the core depends on, and
/// the assignments that these need. A step that is left out becomes a no-op.
pub(super) fn slice(
    terms: &mut Terms,
    steps: &[Step],
    core: &FxHashSet<(usize, Term)>,
    with_related: bool,
) -> Vec<Option<Step>> {
    let mut relevant: FxHashSet<Term> = FxHashSet::default();
    let mut kept: Vec<Option<Step>> = vec![None; steps.len()];
    for (number, &step) in steps.iter().enumerate().rev() {
        match step {
            Step::Assign(variable, term) => {
                if relevant.remove(&variable) {
                    relevant.extend(terms.variables(&[term]));
                    kept[number] = Some(step);
                }
            }
            Step::Havoc(variable) => {
                if relevant.remove(&variable) {
                    kept[number] = Some(step);
                }
            }
            Step::Assume(formula) => {
                let mut parts = terms.conjuncts(formula);
                for &part in parts.iter().filter(|part| core.contains(&(number, **part))) {
                    relevant.extend(terms.variables(&[part]));
                }
                parts.retain(|part| {
                    core.contains(&(number, *part))
                        || with_related && terms.variables(&[*part]).iter().all(|variable| relevant.contains(variable))
                });
                if !parts.is_empty() {
                    let formula = terms.and(parts);
                    kept[number] = Some(Step::Assume(formula));
                }
            }
        }
    }
    kept
}
