//! Overlapping copies. `memcpy` and the assignment of structures must not overlap (C11 7.24.2.1, 6.5.16.1p3; LLVM's
//! `llvm.memcpy` allows equal ranges). The statement says whether that is checked ([`Stmt::Copy`]); this pass removes
//! the check where it cannot fail, because the pointers lead to different objects, or by constants, as for most copies.
//! Functions that copy byte by byte (`strcpy` and its like, `models/string.c`) assert after each byte that pointers
//! into the two ranges differ; these assertions are removed in the same way.

use crate::roots::{constant, Roots};
use ir::analysis::{PointsTo, Target};
use ir::{BinaryOp, Claim, EdgeId, Expr, Function, FunctionId, Program, Stmt, Type};
use std::collections::BTreeSet;

/// Removes checks that cannot fail.
pub(crate) fn settle(program: &mut Program) {
    let mut open: Vec<(FunctionId, EdgeId)> = Vec::new();
    let mut apart: Vec<(FunctionId, EdgeId)> = Vec::new();
    for (at, stmt) in program.statements() {
        if let Stmt::Copy { dst, src, len, disjoint: true } = stmt {
            let is_apart = are_apart(&program.functions[at.0], dst, src, len);
            if is_apart { &mut apart } else { &mut open }.push(at);
        } else if ranges(stmt).is_some() {
            open.push(at);
        }
    }
    if !open.is_empty() {
        let points_to = PointsTo::new(program);
        apart.extend(open.into_iter().filter(|&at| lead_apart(program, &points_to, at)));
    }
    for (function, edge) in apart {
        let stmt = &mut program.functions[function].edges[edge].stmt;
        if let Stmt::Copy { disjoint, .. } = stmt {
            *disjoint = false;
        } else {
            *stmt = Stmt::Skip;
        }
    }
}

/// The pointers that must not overlap: those of a copy, or those that an assertion claims to be different.
fn ranges(stmt: &Stmt) -> Option<(&Expr, &Expr)> {
    if let Stmt::Copy { dst, src, disjoint: true, .. } = stmt {
        return Some((dst, src));
    }
    let Stmt::Assert { cond, claim: Claim::CopyApart | Claim::FormatApart, .. } = stmt else { return None };
    let Expr::Binary { op: BinaryOp::Ne, ty: Type::Ptr, lhs, rhs } = cond else { return None };
    Some((lhs, rhs))
}

/// Whether two ranges are equal or disjoint, judging by the function alone.
fn are_apart(function: &Function, dst: &Expr, src: &Expr, len: &Expr) -> bool {
    let roots = Roots::new(function);
    let (dst, src) = (roots.of(dst), roots.of(src));
    match (dst.root, src.root) {
        (Expr::Object(one), Expr::Object(two)) if one != two => true,
        (one, two) if one == two => match (dst.constant, src.constant) {
            (Some(to), Some(from)) if to == from => true,
            (Some(to), Some(from)) => constant(len).is_some_and(|len| to.abs_diff(from) >= len as u64),
            _ => false,
        },
        _ => false,
    }
}

/// Whether the pointers lead to different objects.
fn lead_apart(program: &Program, points_to: &PointsTo, (function, edge): (FunctionId, EdgeId)) -> bool {
    let Some((dst, src)) = ranges(&program.functions[function].edges[edge].stmt) else { return false };
    points_to.contexts().of_function(function).iter().all(|&context| {
        let targets =
            |pointer: &Expr| -> BTreeSet<Target> { points_to.targets(context, pointer).into_iter().collect() };
        let (dst, src) = (targets(dst), targets(src));
        let is_anything = |target: &Target| matches!(target, Target::Unknown | Target::Everything);
        dst.is_disjoint(&src) && !dst.iter().chain(&src).any(is_anything)
    })
}
