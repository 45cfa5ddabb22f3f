//! The final check of interpolants: a fresh solver, the original formulas, both conditions.

use super::problem::Problem;
use super::Failure;
use crate::term::{Term, Terms};
use crate::{Answer, Solver};
use base::Budget;

/// Checks labels of all positions. A failure is our bug, not the caller's.
pub(super) fn verify(terms: &mut Terms, problem: &Problem, labels: &[Term], budget: &Budget) -> Result<(), Failure> {
    let mut solver = Solver::new();
    assert_eq!(labels.len(), problem.len() + 1, "every position should have a label");
    assert_eq!(terms.as_bool(labels[0]), Some(true), "the first interpolant should be true");
    assert_eq!(terms.as_bool(labels[problem.len()]), Some(false), "the last interpolant should be false");
    for (position, &label) in labels.iter().enumerate() {
        assert!(problem.is_shared(terms, position, label), "an interpolant should mention only shared symbols");
    }
    for (index, &formula) in problem.formulas.iter().enumerate() {
        let violated = terms.not(labels[index + 1]);
        let answer = solver.check(terms, &[labels[index], formula, violated], budget)?;
        assert_eq!(answer, Answer::Unsat, "an interpolant should follow from the one before it");
    }
    Ok(())
}
