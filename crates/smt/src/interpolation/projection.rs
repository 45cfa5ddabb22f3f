//! Model-based projection: a formula without the local variables that implies the formula with them quantified, and that holds
//! in a given model.
//!
//! A variable is replaced by a term that has its value in the model; replacing it by any term at all implies the quantified formula.
//! Terms the variable is compared with are tried first, then such a term plus a constant, and in the end the value itself
//! (Komuravelli, Gurfinkel, Chaki, CAV 2014, for linear arithmetic; Bjørner and Janota, LPAR 2015, for bit-vectors). There are
//! finitely many such terms, so iterating over models terminates, but not soon: callers must limit it.

use super::elimination::{eliminate, occurs};
use crate::term::value::Evaluation;
use crate::term::{ArrayValue, Assignment, Node, Sort, Substitution, Term, Terms, Value};

/// The formula without variables outside `keep` (sorted).
pub(super) fn project(terms: &mut Terms, formula: Term, keep: &[Term], model: &Assignment) -> Term {
    let mut formula = formula;
    loop {
        formula = eliminate(terms, formula, keep);
        formula = implicant(terms, formula, model);
        let variables = terms.variables(&[formula]);
        let Some(local) = variables.into_iter().find(|variable| keep.binary_search(variable).is_err()) else {
            return formula;
        };
        let witness = witness(terms, formula, local, model);
        formula = Substitution::new([(local, witness)]).apply(terms, formula);
    }
}

/// Replaces every disjunction among the conjuncts by its first disjunct that holds.
fn implicant(terms: &mut Terms, formula: Term, model: &Assignment) -> Term {
    let mut open = terms.conjuncts(formula);
    let mut done = Vec::new();
    while let Some(part) = open.pop() {
        let Node::Not(inner) = *terms.node(part) else {
            done.push(part);
            continue;
        };
        let Node::And(negated) = terms.node(inner) else {
            done.push(part);
            continue;
        };
        let negated = negated.to_vec();
        let mut evaluation = Evaluation::new(terms, model);
        let holds = negated.into_iter().find(|&negated| !evaluation.is_true(negated));
        let holds = terms.not(holds.expect("a formula should hold in its model"));
        open.extend(terms.conjuncts(holds));
    }
    terms.and(done)
}

/// A term without the variable that has its value in the model.
fn witness(terms: &mut Terms, formula: Term, local: Term, model: &Assignment) -> Term {
    let value = Evaluation::new(terms, model).value(local).clone();
    let partners = partners(terms, formula, local);
    let mut evaluation = Evaluation::new(terms, model);
    if let Some(&same) = partners.iter().find(|&&partner| *evaluation.value(partner) == value) {
        return same;
    }
    match (&value, partners.first()) {
        (Value::Bits(bits), Some(&partner)) => {
            let distance = bits.sub(evaluation.bits(partner));
            let distance = terms.bits(distance);
            terms.add(partner, distance)
        }
        _ => constant(terms, &value),
    }
}

/// The terms that the variable is compared with, other than constants.
fn partners(terms: &Terms, formula: Term, local: Term) -> Vec<Term> {
    let mut partners = Vec::new();
    for term in terms.below(&[formula]) {
        let (Node::Eq(a, b) | Node::Ult(a, b) | Node::Slt(a, b)) = *terms.node(term) else { continue };
        for (side, other) in [(a, b), (b, a)] {
            let is_constant = terms.as_bits(other).is_some() || terms.as_bool(other).is_some();
            if side == local && !is_constant && !occurs(terms, local, other) {
                partners.push(other);
            }
        }
    }
    partners.sort_unstable();
    partners.dedup();
    partners
}

/// The term for a value.
pub(super) fn constant(terms: &mut Terms, value: &Value) -> Term {
    match value {
        Value::Bool(value) => terms.bool(*value),
        Value::Bits(bits) => terms.bits(bits.clone()),
        Value::Array(array) => constant_array(terms, array),
    }
}

fn constant_array(terms: &mut Terms, array: &ArrayValue) -> Term {
    let Sort::Array { index, .. } = array.sort() else { panic!("an array should have an array sort") };
    let default = terms.bits(array.default_element().clone());
    let mut term = terms.constant_array(index, default);
    for (index, element) in array.elements() {
        let (index, element) = (terms.bits(index.clone()), terms.bits(element.clone()));
        term = terms.store(term, index, element);
    }
    term
}
