//! Removes redundant parts of labels, and computes the cost of labels.

use super::oracle::Oracle;
use super::predicates::Vocabulary;
use super::problem::{disjuncts, Problem};
use super::Failure;
use crate::term::{Node, Term, Terms};
use base::Budget;

/// Labels with more parts than this are left unchanged: each part costs a check.
const MAX_PARTS: usize = 24;
/// The cost of a constant in nodes: a relation between variables is more likely to last.
const COST_OF_CONSTANT: usize = 2;
/// The cost in nodes of a constant that does not occur in the program.
const COST_OF_ACCIDENT: usize = 4;

/// Drops conjuncts that the next label does not need, and disjuncts that the previous one does not reach. The labels
/// remain interpolants after each position, so if time or checks run out the rest stays as it is.
pub(super) fn simplify(
    terms: &mut Terms,
    oracle: &mut Oracle,
    core: &Problem,
    labels: &mut [Term],
    budget: &Budget,
) -> Result<(), Failure> {
    match drop_superfluous(terms, oracle, core, labels, budget) {
        Err(failure) if failure.is_exhaustion() => Ok(()),
        result => result,
    }
}

fn drop_superfluous(
    terms: &mut Terms,
    oracle: &mut Oracle,
    core: &Problem,
    labels: &mut [Term],
    budget: &Budget,
) -> Result<(), Failure> {
    for position in (1..core.len()).rev() {
        let parts = terms.conjuncts(labels[position]);
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

/// Drops parts, the largest first, as long as `fixed` contradicts the remaining ones.
fn drop_parts(
    terms: &mut Terms,
    oracle: &mut Oracle,
    fixed: &[Term],
    mut parts: Vec<Term>,
    budget: &Budget,
) -> Result<Vec<Term>, Failure> {
    if parts.len() < 2 || parts.len() > MAX_PARTS {
        return Ok(parts);
    }
    oracle.refresh();
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

/// The number of nodes of all labels, with constants counted more. A formula that occurs in several positions, or
/// inside other labels, counts once: the cost is that of the predicates of an invariant.
pub(super) fn cost(terms: &mut Terms, core: &Problem, vocabulary: &Vocabulary, labels: &[Term]) -> usize {
    let labels = core.to_common(terms, labels);
    let costs = terms.below(&labels).into_iter().map(|term| match terms.node(term) {
        Node::Not(_) | Node::Bool(_) => 0,
        Node::Bits(bits) | Node::Sum(bits, _) if !vocabulary.has_constant(bits) => COST_OF_ACCIDENT,
        Node::Bits(_) => COST_OF_CONSTANT,
        _ => 1,
    });
    costs.sum()
}

/// Whether a label is a constant, an atom or a negated atom.
pub(super) fn is_literal(terms: &Terms, label: Term) -> bool {
    match *terms.node(label) {
        Node::And(_) => false,
        Node::Not(inner) => !matches!(terms.node(inner), Node::And(_)),
        _ => true,
    }
}
