//! The problem of interpolation: formulas, the variables each position may mention, and their names there.

use super::oracle::Oracle;
use super::Failure;
use crate::term::{Substitution, Term, Terms};
use crate::Answer;
use base::Budget;
use std::collections::BTreeSet;

/// Cores of at most this many parts are minimised: each part costs a check.
const LONGEST_MINIMISED_CORE: usize = 48;

/// Longer sequences are reduced to an unsatisfiable core.
pub(super) const LONGEST_WHOLE: usize = 60;

/// A sequence of formulas.
pub(super) struct Problem {
    pub(super) formulas: Vec<Term>,
    /// By position, from 0 to the number of formulas: the variables on both sides, sorted.
    pub(super) shared: Vec<Vec<Term>>,
    /// By position: pairs of a variable and its name in the vocabulary common to all positions, for variables whose
    /// name differs.
    names: Vec<Vec<(Term, Term)>>,
    /// By formula: formulas with the same number are equal up to renaming of variables.
    pub(super) shape: Vec<usize>,
}

/// The disjuncts of a formula.
pub(super) fn disjuncts(terms: &mut Terms, formula: Term) -> Vec<Term> {
    let negated = terms.not(formula);
    terms.conjuncts(negated).into_iter().map(|part| terms.not(part)).collect()
}

impl Problem {
    /// A sequence in which a variable has the same meaning everywhere.
    pub(super) fn of_sequence(terms: &Terms, formulas: &[Term]) -> Problem {
        Problem::new(terms, formulas.to_vec(), vec![Vec::new(); formulas.len() + 1], (0..formulas.len()).collect())
    }

    /// A sequence in which variables have other names in the common vocabulary.
    pub(super) fn new(terms: &Terms, formulas: Vec<Term>, names: Vec<Vec<(Term, Term)>>, shape: Vec<usize>) -> Problem {
        let variables: Vec<Vec<Term>> = formulas.iter().map(|&formula| terms.variables(&[formula])).collect();
        let mut before: Vec<BTreeSet<Term>> = vec![BTreeSet::new()];
        for variables in &variables {
            let mut next = before.last().cloned().unwrap_or_default();
            next.extend(variables);
            before.push(next);
        }
        let mut after = BTreeSet::new();
        let mut shared = vec![Vec::new(); formulas.len() + 1];
        for position in (0..=formulas.len()).rev() {
            if let Some(variables) = variables.get(position) {
                after.extend(variables.iter().copied());
            }
            shared[position] = before[position].intersection(&after).copied().collect();
        }
        Problem { formulas, shared, names, shape }
    }

    /// How many formulas there are.
    pub(super) fn len(&self) -> usize {
        self.formulas.len()
    }

    /// The same sequence with only those conjuncts that mention variables of an unsatisfiable core. Its interpolants are
    /// interpolants of the whole.
    ///
    /// Not the core alone: from `i >= 10` and `i != 10` after a loop it would drop one, and then `i <= 10`, the
    /// invariant, is too weak to be a label. But of long sequences it is the core alone, for the sake of time.
    pub(super) fn core(&self, terms: &mut Terms, oracle: &mut Oracle, budget: &Budget) -> Result<Problem, Failure> {
        let parts: Vec<Vec<Term>> = self.formulas.iter().map(|&formula| terms.conjuncts(formula)).collect();
        let mut all = parts.concat();
        all.sort_unstable();
        all.dedup();
        if oracle.check(terms, &all, budget)? == Answer::Sat {
            return Err(Failure::Satisfiable);
        }
        let core = oracle.core(terms, LONGEST_MINIMISED_CORE, budget)?;
        let variables = terms.variables(&core);
        let is_long = self.len() > LONGEST_WHOLE;
        let is_about_core = |terms: &Terms, part: Term| {
            core.contains(&part)
                || !is_long && terms.variables(&[part]).iter().all(|part| variables.binary_search(part).is_ok())
        };
        let mut formulas = Vec::new();
        for mut parts in parts {
            parts.retain(|&part| is_about_core(terms, part));
            formulas.push(terms.and(parts));
        }
        Ok(Problem::new(terms, formulas, self.names.clone(), self.shape.clone()))
    }

    /// The part between two positions, with these labels for what precedes and follows it.
    pub(super) fn part(&self, terms: &mut Terms, from: usize, to: usize, labels: (Term, Term)) -> Problem {
        let mut formulas = vec![labels.0];
        formulas.extend_from_slice(&self.formulas[from..to]);
        formulas.push(terms.not(labels.1));
        let mut names = vec![self.names[from].clone()];
        names.extend_from_slice(&self.names[from..=to]);
        names.push(self.names[to].clone());
        // The labels are equal to no other formula.
        let mut shape = vec![usize::MAX];
        shape.extend_from_slice(&self.shape[from..to]);
        shape.push(usize::MAX - 1);
        Problem::new(terms, formulas, names, shape)
    }

    /// Whether a variable has another name at one position than at another.
    pub(super) fn is_written_between(&self, from: usize, to: usize) -> bool {
        self.names[from] != self.names[to]
    }

    /// The variables shared at a position, in the common vocabulary, sorted.
    pub(super) fn shared_in_common(&self, terms: &mut Terms, position: usize) -> Vec<Term> {
        let mut shared = self.shared[position].clone();
        shared.iter_mut().for_each(|variable| *variable = self.common(terms, position, *variable));
        shared.sort_unstable();
        shared
    }

    /// A formula of one position in the common vocabulary.
    pub(super) fn common(&self, terms: &mut Terms, position: usize, formula: Term) -> Term {
        Substitution::new(self.names[position].iter().copied()).apply(terms, formula)
    }

    /// Labels of all positions in the common vocabulary.
    pub(super) fn to_common(&self, terms: &mut Terms, labels: &[Term]) -> Vec<Term> {
        labels.iter().enumerate().map(|(position, &label)| self.common(terms, position, label)).collect()
    }

    /// A formula of the common vocabulary in the names of a position, if it mentions only variables shared there.
    pub(super) fn local(&self, terms: &mut Terms, position: usize, formula: Term) -> Option<Term> {
        let back = self.names[position].iter().map(|&(version, common)| (common, version));
        let local = Substitution::new(back).apply(terms, formula);
        self.is_shared(terms, position, local).then_some(local)
    }

    /// Whether a formula mentions only variables shared in a position.
    pub(super) fn is_shared(&self, terms: &Terms, position: usize, formula: Term) -> bool {
        terms.variables(&[formula]).iter().all(|variable| self.shared[position].binary_search(variable).is_ok())
    }
}
