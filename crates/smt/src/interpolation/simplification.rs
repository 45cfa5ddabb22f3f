//! Labels without what they do not need, and what labels cost.

use super::oracle::Oracle;
use super::predicates::Vocabulary;
use super::problem::{conjuncts, disjuncts, Problem};
use super::Failure;
use crate::term::{Node, Term, Terms};
use base::Budget;
use std::collections::BTreeSet;

/// Labels with more parts than this are left as they are: each part costs a check.
const MOST_PARTS: usize = 24;
/// A constant that the program does not have is as bad as so many nodes.
const COST_OF_ACCIDENT: usize = 4;

/// Drops conjuncts that the next label does not need, and disjuncts that the one before does not reach.
pub(super) fn simplify(
    terms: &mut Terms,
    oracle: &mut Oracle,
    core: &Problem,
    labels: &mut [Term],
    budget: &Budget,
) -> Result<(), Failure> {
    for position in (1..core.len()).rev() {
        let parts = conjuncts(terms, labels[position]);
        let violated = terms.not(labels[position + 1]);
        let fixed = [core.formulas[position], violated];
        let parts = drop_parts(terms, oracle, &fixed, parts, budget)?;
        labels[position] = terms.and(parts);
    }
    for position in 1..core.len() {
        let parts = disjuncts(terms, labels[position]);
        let negated = parts.into_iter().map(|part| terms.not(part)).collect();
        let fixed = [core.formulas[position - 1], labels[position - 1]];
        let parts = drop_parts(terms, oracle, &fixed, negated, budget)?;
        let none = terms.and(parts);
        labels[position] = terms.not(none);
    }
    Ok(())
}

/// The parts without those that `fixed` contradicts the others without, the largest dropped first.
fn drop_parts(
    terms: &mut Terms,
    oracle: &mut Oracle,
    fixed: &[Term],
    mut parts: Vec<Term>,
    budget: &Budget,
) -> Result<Vec<Term>, Failure> {
    if parts.len() < 2 || parts.len() > MOST_PARTS {
        return Ok(parts);
    }
    parts.sort_by_cached_key(|&part| (terms.below(&[part]).len(), part));
    let mut index = parts.len();
    while index > 0 {
        index -= 1;
        let mut rest = parts.clone();
        rest.remove(index);
        if oracle.refutes(terms, &[fixed, &rest].concat(), budget)? {
            parts = rest;
        }
    }
    Ok(parts)
}

/// How many nodes the different labels have together, accidental constants counted more. What is said in several positions
/// is paid for once: a label that comes again is on its way to be an invariant.
pub(super) fn cost(terms: &mut Terms, core: &Problem, vocabulary: &Vocabulary, labels: &[Term]) -> usize {
    let different: BTreeSet<Term> = core.to_common(terms, labels).into_iter().collect();
    let mut total = 0;
    for label in different {
        for term in terms.below(&[label]) {
            total += match terms.node(term) {
                Node::Bits(bits) | Node::Sum(bits, _) if !vocabulary.has_constant(bits) => COST_OF_ACCIDENT,
                _ => 1,
            };
        }
    }
    total
}

/// Whether a label is a constant, an atom or a negated atom.
pub(super) fn is_literal(terms: &Terms, label: Term) -> bool {
    match *terms.node(label) {
        Node::And(_) => false,
        Node::Not(inner) => !matches!(terms.node(inner), Node::And(_)),
        _ => true,
    }
}
