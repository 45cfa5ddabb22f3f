//! Library functions that acquire and release locks, identified by name, since their effect on the cell spans several
//! statements.
//!
//! On return from `pthread_rwlock_wrlock` the thread holds the lock exclusively; on return from `pthread_rwlock_rdlock`
//! it keeps writers out, unless it already held the lock for writing; and no thread may release a lock that it does not
//! hold. Both are proof obligations ([`super::obligations`]), so the cell never counts more readers than there are. A
//! try-lock holds the lock where its result turns out to be 0.

use super::values::Values;
use ir::analysis::{ContextId, PointsTo};
use ir::{BinaryOp, Callee, Edge, EdgeId, Expr, FunctionId, Program, Stmt};
use rustc_hash::FxHashMap;

/// The mode in which a lock is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// A mutex has only this mode.
    Mutex,
    /// A read-write lock, possibly with other readers.
    Reading,
    /// A read-write lock, exclusively.
    Writing,
}

impl Mode {
    pub(super) fn is_read_write(self) -> bool {
        self != Mode::Mutex
    }
}

/// The effect of a library function on the lock that is its first argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// Acquired when the function returns.
    Take(Mode),
    /// Acquired if the function returns 0.
    Try(Mode),
    /// A read-write lock, released when the function returns.
    Release,
}

impl Role {
    /// Whether it applies to locks that can be held in this mode.
    pub(super) fn is_about(self, mode: Mode) -> bool {
        match self {
            Role::Take(taken) | Role::Try(taken) => taken.is_read_write() == mode.is_read_write(),
            Role::Release => mode.is_read_write(),
        }
    }
}

fn role(program: &Program, function: FunctionId) -> Option<Role> {
    let item = &program.functions[function];
    match item.name.as_str() {
        _ if !program.is_model(item.span) => None,
        "pthread_rwlock_rdlock" => Some(Role::Take(Mode::Reading)),
        "pthread_rwlock_wrlock" => Some(Role::Take(Mode::Writing)),
        "pthread_rwlock_unlock" => Some(Role::Release),
        "pthread_rwlock_tryrdlock" | "pthread_rwlock_timedrdlock" => Some(Role::Try(Mode::Reading)),
        "pthread_rwlock_trywrlock" | "pthread_rwlock_timedwrlock" => Some(Role::Try(Mode::Writing)),
        // Those of other kinds may be acquired by their owner.
        "pthread_mutex_trylock__simple" | "pthread_mutex_timedlock__simple" => Some(Role::Try(Mode::Mutex)),
        _ => None,
    }
}

/// A call of a function with a role.
pub(super) struct Call {
    pub(super) role: Role,
    /// The lock, its first argument.
    pub(super) lock: Expr,
    /// An edge that names it.
    pub(super) named: EdgeId,
}

/// The calls of functions with roles, by context.
pub(super) fn calls(values: &Values<'_>) -> FxHashMap<ContextId, Call> {
    let (program, contexts) = (values.program, values.points_to.contexts());
    let mut calls = FxHashMap::default();
    for (id, function) in program.functions.enumerate() {
        let (Some(role), Some(param)) = (role(program, id), function.params.first()) else { continue };
        let lock = Expr::Ghost(Box::new(Expr::Local(*param)));
        for &context in contexts.of_function(id) {
            let names_it = |edge: &EdgeId| {
                function.edges[*edge].stmt.exprs().contains(&&lock) && values.is_reached(context, *edge)
            };
            if let Some(named) = function.edges.ids().find(names_it) {
                calls.insert(context, Call { role, lock: lock.clone(), named });
            }
        }
    }
    calls
}

/// The edge at which the caller of a context learns that the result is 0, if that is its next test.
pub(super) fn success(program: &Program, points_to: &PointsTo, context: ContextId) -> Option<(ContextId, EdgeId)> {
    let (caller, call) = points_to.contexts().caller(context)?;
    let function = &program.functions[points_to.contexts().function(caller)];
    let Edge { to, stmt: Stmt::Call { callee: Callee::Direct(_), dsts, .. }, .. } = &function.edges[call] else {
        return None;
    };
    let [result] = dsts.as_slice() else { return None };
    let mut next = function.edges.enumerate().filter(|(_, item)| item.from == *to);
    let (Some(one), Some(other), None) = (next.next(), next.next(), next.next()) else { return None };
    let is_only_way = function.edges.enumerate().all(|(edge, item)| item.to != *to || edge == call);
    let compares = |item: &Edge, op: BinaryOp| {
        let Stmt::Assume(Expr::Binary { op: found, lhs, rhs, .. }) = &item.stmt else { return false };
        *found == op && **lhs == Expr::Local(*result) && matches!(**rhs, Expr::Int { value: 0, .. })
    };
    let is_split = |yes: &Edge, no: &Edge| compares(yes, BinaryOp::Eq) && compares(no, BinaryOp::Ne);
    match is_only_way {
        true if is_split(one.1, other.1) => Some((caller, one.0)),
        true if is_split(other.1, one.1) => Some((caller, other.0)),
        true | false => None,
    }
}
