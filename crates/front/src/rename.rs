//! Renames the local variables of a statement.

use ir::{Callee, Expr, LocalId, Stmt};

/// Replaces every local variable that the statement reads or writes.
pub(crate) fn locals_of(stmt: &mut Stmt, new: &impl Fn(LocalId) -> LocalId) {
    let expr = |e: &mut Expr| locals_in(e, new);
    let callee = |c: &mut Callee| match c {
        Callee::Direct(_) => {}
        Callee::Indirect(pointer) => expr(pointer),
    };
    match stmt {
        Stmt::Assign { dst, value: e } | Stmt::Load { dst, ptr: e, .. } | Stmt::Alloc { dst, size: e, .. } => {
            *dst = new(*dst);
            expr(e);
        }
        Stmt::Havoc { dst, below } => {
            *dst = new(*dst);
            below.iter_mut().for_each(expr);
        }
        Stmt::Assume(e)
        | Stmt::Assert { cond: e, .. }
        | Stmt::Free { ptr: e }
        | Stmt::Expire { ptr: e }
        | Stmt::Detach { thread: e }
        | Stmt::ExitThread(e)
        | Stmt::Lock { ptr: e }
        | Stmt::Unlock { ptr: e } => expr(e),
        Stmt::Store { ptr, value, .. } => [ptr, value].into_iter().for_each(expr),
        Stmt::Rmw { dst, ptr, value, .. } => {
            *dst = new(*dst);
            [ptr, value].into_iter().for_each(expr);
        }
        Stmt::CompareExchange { old, success, ptr, expected, desired, .. } => {
            *old = new(*old);
            *success = new(*success);
            [ptr, expected, desired].into_iter().for_each(expr);
        }
        Stmt::Copy { dst: a, src: b, len: c, .. } | Stmt::Set { dst: a, byte: b, len: c } => {
            [a, b, c].into_iter().for_each(expr);
        }
        Stmt::Call { dsts, callee: called, args } => {
            dsts.iter_mut().for_each(|dst| *dst = new(*dst));
            callee(called);
            args.iter_mut().for_each(expr);
        }
        Stmt::Return(values) => values.iter_mut().for_each(expr),
        Stmt::NewThread { dst } => *dst = new(*dst),
        Stmt::Spawn { thread, callee: called, args } => {
            expr(thread);
            callee(called);
            args.iter_mut().for_each(expr);
        }
        Stmt::Join { dst, thread } => {
            dst.iter_mut().for_each(|dst| *dst = new(*dst));
            expr(thread);
        }
        Stmt::Await { dst, ptr, ready, update, spurious, .. } => {
            *dst = new(*dst);
            spurious.iter_mut().for_each(|dst| *dst = new(*dst));
            [ptr, ready].into_iter().chain(update).for_each(expr);
        }
        Stmt::Skip
        | Stmt::Fence(_)
        | Stmt::AtomicBegin { .. }
        | Stmt::AtomicEnd { .. }
        | Stmt::Exit
        | Stmt::Unmodelled(_) => {}
    }
}

fn locals_in(expr: &mut Expr, new: &impl Fn(LocalId) -> LocalId) {
    match expr {
        Expr::Local(local) => *local = new(*local),
        Expr::Int { .. } | Expr::Null | Expr::Object(_) | Expr::Function(_) | Expr::SelfThread => {}
        Expr::Unary { arg, .. } | Expr::Cast { arg, .. } | Expr::Ghost(arg) => locals_in(arg, new),
        Expr::Binary { lhs: a, rhs: b, .. } | Expr::Offset { base: a, bytes: b } => {
            locals_in(a, new);
            locals_in(b, new);
        }
        Expr::Select { cond, then, otherwise } => {
            locals_in(cond, new);
            locals_in(then, new);
            locals_in(otherwise, new);
        }
    }
}
