//! Leaves only those assertions that a question asks about: one of the others that always fails ends the run, and what else they assert does not matter.

use ir::{Claim, Expr, Program, Property, Stmt};

/// Replaces the assertions of the program that are not asked about.
pub(crate) fn keep(program: &mut Program, is_asked: impl Fn(&Claim) -> bool) {
    for function in program.functions.iter_mut() {
        for edge in function.edges.iter_mut() {
            let Stmt::Assert { cond, claim, .. } = &edge.stmt else { continue };
            if claim.property() != Property::Unreach || is_asked(claim) {
                continue;
            }
            // What ends the program when it is called is an assertion that always fails; others are passed.
            edge.stmt = if *cond == Expr::bool(false) { Stmt::Assume(cond.clone()) } else { Stmt::Skip };
        }
    }
}
