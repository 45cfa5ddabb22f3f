//! Paths of steps over state variables, as sequences of formulas over versions of them.
//!
//! A step that writes a variable makes a new version of it, so formula `k` encodes step `k`. Weakest preconditions and
//! strongest postconditions are then both eliminations of the versions that are not current, and dead variables are not
//! shared.

use super::problem::Problem;
use crate::term::{Substitution, Term, Terms};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// A step of a path over state variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// The variable gets the value the term has before the step.
    Assign(Term, Term),
    /// The variable gets an arbitrary value.
    Havoc(Term),
    /// Only states in which the formula holds pass.
    Assume(Term),
}

/// Variables that stand for later versions of others; reused, so that terms do not fill up with them.
#[derive(Default)]
pub(super) struct Versions {
    made: FxHashMap<(Term, u32), Term>,
}

impl Versions {
    /// Version 0 is the variable itself.
    fn get(&mut self, terms: &mut Terms, variable: Term, version: u32) -> Term {
        if version == 0 {
            return variable;
        }
        *self.made.entry((variable, version)).or_insert_with(|| {
            let name = format!("{}@{version}", terms.name(variable));
            terms.variable(name, terms.sort(variable))
        })
    }
}

/// The current version of each variable.
#[derive(Default)]
struct Current {
    numbers: FxHashMap<Term, u32>,
    versions: FxHashMap<Term, Term>,
}

impl Current {
    fn read(&self, terms: &mut Terms, term: Term) -> Term {
        Substitution::new(self.versions.iter().map(|(&variable, &version)| (variable, version))).apply(terms, term)
    }

    fn write(&mut self, versions: &mut Versions, terms: &mut Terms, variable: Term) -> Term {
        let number = self.numbers.entry(variable).or_insert(0);
        *number += 1;
        let version = versions.get(terms, variable, *number);
        self.versions.insert(variable, version);
        version
    }
}

/// The formulas of the steps, and the names of versions in each position.
pub(super) fn problem(versions: &mut Versions, terms: &mut Terms, steps: &[Step]) -> Problem {
    let mut current = Current::default();
    let mut formulas = Vec::new();
    let mut names: Vec<Vec<(Term, Term)>> = vec![Vec::new()];
    for step in steps {
        let formula = match *step {
            Step::Assign(variable, term) => {
                let value = current.read(terms, term);
                let version = current.write(versions, terms, variable);
                terms.eq(version, value)
            }
            Step::Havoc(variable) => {
                current.write(versions, terms, variable);
                terms.bool(true)
            }
            Step::Assume(condition) => current.read(terms, condition),
        };
        formulas.push(formula);
        let mut pairs: Vec<(Term, Term)> =
            current.versions.iter().map(|(&variable, &version)| (version, variable)).collect();
        pairs.sort_unstable();
        names.push(pairs);
    }
    let different: IndexSet<Step, FxBuildHasher> = steps.iter().copied().collect();
    let shape = steps.iter().filter_map(|step| different.get_index_of(step)).collect();
    Problem::new(terms, formulas, names, shape)
}
