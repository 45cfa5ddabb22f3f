//! Removes condition-variable waits. Spurious wake-ups are allowed, so `wait` is unlock followed by lock, at any time:
//! a thread woken by a signal could have woken spuriously, and a signal passes nothing on. The program without waits
//! has the same violations, except deadlocks, and fewer states: neither the set of waiters nor the number of threads
//! matters to it.
//!
//! Two checks depend on the set of waiters: a condition variable is neither destroyed nor overwritten while a thread
//! waits. Where waits and queries of the set may happen in parallel the program is left unchanged.

use ir::analysis::Analyses;
use ir::{
    Awaited, BinaryOp, Claim, EdgeId, Expr, Function, FunctionId, LocalId, Program, RmwOp, Stmt, SyncObject, Type,
    Unmodelled,
};
use rustc_hash::FxHashSet;

/// The set of waiters, in the models of condition variables (`crates/front/models/cond.h`).
const SET: Type = Type::Int(64);

/// The program without waits for signals, if there are any and they can be removed. For all properties except
/// `deadlock` and `atomicity`, which depends on statements; its locations and edges are those of the program.
pub(crate) fn without(program: &Program) -> Option<Program> {
    let find = |is_meant: fn(&Stmt) -> bool| -> Vec<(FunctionId, EdgeId)> {
        program.statements().filter(|(_, stmt)| is_meant(stmt)).map(|(at, _)| at).collect()
    };
    let waits = find(|stmt| matches!(stmt, Stmt::Await { awaited: Awaited::Object(SyncObject::Condition), .. }));
    if waits.is_empty() {
        return None;
    }
    let looks = find(|stmt| {
        matches!(
            stmt,
            Stmt::Assert { claim: Claim::DestroyedIdle(SyncObject::Condition), .. }
                | Stmt::Unmodelled(
                    Unmodelled::BytesWritten(SyncObject::Condition) | Unmodelled::BytesCopied(SyncObject::Condition)
                )
        )
    });
    if !looks.is_empty() {
        let analyses = Analyses::new(program);
        let parallel = analyses.parallel();
        if looks.iter().any(|&look| waits.iter().any(|&wait| parallel.may_happen(look, wait))) {
            return None;
        }
    }
    let mut simpler = program.clone();
    for (function, edge) in waits {
        leave_out(&mut simpler.functions[function], edge)?;
    }
    let is_model = |function: &&mut Function| program.is_model(function.span);
    simpler.functions.iter_mut().filter(is_model).for_each(find_nobody);
    Some(simpler)
}

/// Removes from a function the wait and its entry in the set of waiters. `None` if it uses the set in another way.
fn leave_out(function: &mut Function, wait: EdgeId) -> Option<()> {
    let Stmt::Await { ptr, spurious: Some(is_unready), .. } = function.edges[wait].stmt.clone() else { return None };
    function.edges[wait].stmt = Stmt::Assign { dst: is_unready, value: Expr::bool(true) };
    let numbers = function.edges.iter().filter_map(|edge| match edge.stmt {
        Stmt::Assign { dst, value: Expr::SelfThread } => Some(dst),
        _ => None,
    });
    let is_for_set = |number: &LocalId| function.edges.iter().all(|edge| makes_bit(&edge.stmt, *number));
    let numbers: Vec<LocalId> = numbers.filter(is_for_set).collect();
    let used: FxHashSet<LocalId> = function.edges.iter().flat_map(|edge| locals(&edge.stmt)).collect();
    for edge in function.edges.iter_mut() {
        let is_in_set = edge.stmt.touches().into_iter().any(|touch| *touch.ptr == ptr);
        edge.stmt = match edge.stmt {
            Stmt::Rmw { dst, .. } if is_in_set && !used.contains(&dst) => Stmt::Skip,
            _ if is_in_set => return None,
            // Without the set any bit will do.
            Stmt::Assign { dst, value: Expr::SelfThread } if numbers.contains(&dst) => {
                let Type::Int(width) = function.locals[dst].ty else { return None };
                Stmt::Assign { dst, value: Expr::int(width, 1) }
            }
            _ => continue,
        };
    }
    Some(())
}

/// A signal finds the set of waiters empty, and removes none.
fn find_nobody(function: &mut Function) {
    let taken_out = |stmt: &Stmt| match stmt {
        Stmt::Rmw { op: RmwOp::And, ty: SET, ptr, .. } => Some(ptr.clone()),
        _ => None,
    };
    let sets: Vec<Expr> = function.edges.iter().filter_map(|edge| taken_out(&edge.stmt)).collect();
    for edge in function.edges.iter_mut() {
        if let Stmt::Load { dst, ty: SET, ptr, .. } = &edge.stmt {
            if sets.contains(ptr) {
                edge.stmt = Stmt::Assign { dst: *dst, value: Expr::int(64, 0) };
            }
        }
    }
}

/// The variables that a statement reads.
fn locals(stmt: &Stmt) -> Vec<LocalId> {
    let mut found = Vec::new();
    for expr in stmt.exprs() {
        expr.for_each(&mut |part| {
            if let Expr::Local(local) = part {
                found.push(*local);
            }
        });
    }
    found
}

/// Whether a statement uses a thread number at most to make its bit in a set.
fn makes_bit(stmt: &Stmt, number: LocalId) -> bool {
    match stmt {
        _ if !locals(stmt).contains(&number) => true,
        Stmt::Assign { value: Expr::Binary { op: BinaryOp::Shl, .. }, .. } => true,
        Stmt::Assume(Expr::Binary { lhs, rhs, .. }) => {
            [lhs, rhs].iter().any(|side| matches!(***side, Expr::Int { value: 64, .. }))
        }
        _ => false,
    }
}
