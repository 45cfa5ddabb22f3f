//! Leaves only those assertions that the property asks about. Of the others, one that always fails ends the run; the
//! rest do not matter.

use ir::{Claim, Expr, Program, Property, Stmt};

/// Replaces the assertions of the program that are not asked about.
pub(crate) fn keep(program: &mut Program, is_asked: impl Fn(&Claim) -> bool) {
    for function in program.functions.iter_mut() {
        for edge in function.edges.iter_mut() {
            let Stmt::Assert { cond, claim, .. } = &edge.stmt else { continue };
            if claim.property() != Property::Unreach || is_asked(claim) {
                continue;
            }
            // A call that ends the program is an assertion that always fails; others are skipped.
            edge.stmt = if *cond == Expr::bool(false) { Stmt::Assume(cond.clone()) } else { Stmt::Skip };
        }
    }
}
