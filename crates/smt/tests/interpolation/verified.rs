//! Interpolants are interpolants: by a fresh solver and, where there are few states, by trying all of them.

use base::Budget;
use smt::interpolation::Step;
use smt::term::value::Evaluation;
use smt::term::{Assignment, Substitution};
use smt::{Answer, Bits, Solver, Sort, Term, Terms, Value};
use std::collections::BTreeSet;

/// Whether the formulas together have no model.
pub(crate) fn refuted(terms: &mut Terms, formulas: &[Term]) -> bool {
    Solver::new().check(terms, formulas, &Budget::unlimited()) == Ok(Answer::Unsat)
}

/// All states of some variables, if they are few.
pub(crate) fn all_states(terms: &Terms, variables: &[Term]) -> Option<Vec<Assignment>> {
    let mut width = 0;
    for &variable in variables {
        width += match terms.sort(variable) {
            Sort::Bool => 1,
            Sort::Bits(bits) => bits,
            Sort::Array { .. } => return None,
        };
    }
    let states = 0..1u64 << Some(width).filter(|&width| width <= 9)?;
    let state = |number: u64| {
        let mut rest = number;
        let mut take = |width: u32| {
            let value = rest & ((1 << width) - 1);
            rest >>= width;
            value
        };
        let value = |&variable: &Term| match terms.sort(variable) {
            Sort::Bits(width) => (variable, Value::Bits(Bits::from_u64(width, take(width)))),
            _ => (variable, Value::Bool(take(1) == 1)),
        };
        variables.iter().map(value).collect()
    };
    Some(states.map(state).collect())
}

/// Panics unless `premises` imply `conclusion`.
pub(crate) fn assert_implies(terms: &mut Terms, premises: &[Term], conclusion: Term, what: &str) {
    let negated = terms.not(conclusion);
    let mut formulas = premises.to_vec();
    formulas.push(negated);
    assert!(refuted(terms, &formulas), "{what}");
    for state in all_states(terms, &terms.variables(&formulas)).unwrap_or_default() {
        let mut evaluation = Evaluation::new(terms, &state);
        assert!(!formulas.iter().all(|&formula| evaluation.is_true(formula)), "{what}, by enumeration");
    }
}

pub(crate) fn assert_sequence_interpolants(terms: &mut Terms, formulas: &[Term], interpolants: &[Term], what: &str) {
    assert_eq!(interpolants.len(), formulas.len() - 1, "{what}");
    for (index, &formula) in formulas.iter().enumerate() {
        let mut premises = vec![formula];
        if index > 0 {
            premises.push(interpolants[index - 1]);
        }
        let conclusion = interpolants.get(index).copied().unwrap_or_else(|| terms.bool(false));
        assert_implies(terms, &premises, conclusion, &format!("{what}, formula {index}"));
    }
    for (index, &interpolant) in interpolants.iter().enumerate() {
        let before: BTreeSet<Term> = terms.variables(&formulas[..=index]).into_iter().collect();
        let after: BTreeSet<Term> = terms.variables(&formulas[index + 1..]).into_iter().collect();
        let is_shared = |variable: &Term| before.contains(variable) && after.contains(variable);
        assert!(terms.variables(&[interpolant]).iter().all(is_shared), "{what}, symbols of {index}");
    }
}

/// The variable a step writes, and those it reads.
pub(crate) fn effects(terms: &Terms, step: &Step) -> (Option<Term>, Vec<Term>) {
    match *step {
        Step::Assign(variable, term) => (Some(variable), terms.variables(&[term])),
        Step::Havoc(variable) => (Some(variable), Vec::new()),
        Step::Assume(condition) => (None, terms.variables(&[condition])),
    }
}

/// The variables that labels may mention: accessed before and live.
pub(crate) fn mentionable(terms: &Terms, steps: &[Step], position: usize) -> BTreeSet<Term> {
    let touched: BTreeSet<Term> = steps[..position]
        .iter()
        .flat_map(|step| {
            let (written, read) = effects(terms, step);
            read.into_iter().chain(written)
        })
        .collect();
    let mut live = BTreeSet::new();
    for step in steps[position..].iter().rev() {
        let (written, read) = effects(terms, step);
        if let Some(written) = written {
            live.remove(&written);
        }
        live.extend(read);
    }
    touched.intersection(&live).copied().collect()
}

/// The weakest precondition of `label` for the step.
pub(crate) fn precondition(terms: &mut Terms, step: &Step, label: Term) -> Term {
    match *step {
        Step::Assign(variable, term) => Substitution::new([(variable, term)]).apply(terms, label),
        Step::Havoc(variable) => {
            let any = terms.variable("any", terms.sort(variable));
            Substitution::new([(variable, any)]).apply(terms, label)
        }
        Step::Assume(condition) => terms.implies(condition, label),
    }
}

pub(crate) fn assert_path_interpolants(terms: &mut Terms, steps: &[Step], labels: &[Term], what: &str) {
    assert_eq!(labels.len(), steps.len() + 1, "{what}");
    assert_eq!(terms.as_bool(labels[0]), Some(true), "{what}");
    assert_eq!(terms.as_bool(labels[steps.len()]), Some(false), "{what}");
    for (index, step) in steps.iter().enumerate() {
        let goal = precondition(terms, step, labels[index + 1]);
        assert_implies(terms, &[labels[index]], goal, &format!("{what}, step {index}"));
    }
    for (position, &label) in labels.iter().enumerate() {
        let allowed = mentionable(terms, steps, position);
        assert!(terms.variables(&[label]).iter().all(|variable| allowed.contains(variable)), "{what}, at {position}");
    }
}
