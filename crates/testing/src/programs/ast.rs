//! Random programs as trees: the generator makes them, the printer writes them as C and the shrinker takes them apart.
//!
//! Variables, mutexes and the rest are referred to by index and never renumbered; unused ones are not printed. So any
//! part of a tree can be left out and the rest is still meaningful.

use ir::{Order, RmwOp};

/// A shared variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Var {
    /// `int`, or `_Atomic int`.
    Int {
        /// The initial value.
        init: i32,
        /// Declared `_Atomic`: accesses without an order are seq_cst.
        atomic: bool,
    },
    /// `int[len]`, initially zero.
    Array {
        /// The number of elements.
        len: usize,
    },
    /// `int *`, pointing to an `int` that is not declared `_Atomic`.
    Pointer {
        /// The index of its initial target.
        target: usize,
    },
}

/// A place in shared memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// An `int` variable.
    Var(usize),
    /// An element of an array; the index is taken modulo the length.
    Element(usize, Expr),
    /// The target of a pointer variable; the pointer is read by a plain access.
    Deref(usize),
    /// The result of a thread, stored at its end.
    Result(usize),
}

/// An operation of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Xor,
    Eq,
    Ne,
    Lt,
    And,
    Or,
}

impl Op {
    /// Its spelling in C.
    pub fn symbol(self) -> &'static str {
        match self {
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
            Op::Xor => "^",
            Op::Eq => "==",
            Op::Ne => "!=",
            Op::Lt => "<",
            Op::And => "&&",
            Op::Or => "||",
        }
    }
}

/// An expression over the locals of a thread or function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A constant.
    Const(i32),
    /// A local variable.
    Local(usize),
    /// The counter of the enclosing loop at this depth (0 is the outermost); 0 outside.
    Counter(usize),
    /// An operation.
    Binary(Op, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// An operation.
    pub fn binary(op: Op, lhs: Expr, rhs: Expr) -> Expr {
        Expr::Binary(op, Box::new(lhs), Box::new(rhs))
    }

    /// `local == value`.
    pub fn is(local: usize, value: i32) -> Expr {
        Expr::binary(Op::Eq, Expr::Local(local), Expr::Const(value))
    }
}

/// A call on a read-write lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum ReadWrite {
    Read,
    Write,
    Unlock,
    Destroy,
}

impl ReadWrite {
    /// The suffix of the function's name.
    pub fn name(self) -> &'static str {
        match self {
            ReadWrite::Read => "rdlock",
            ReadWrite::Write => "wrlock",
            ReadWrite::Unlock => "unlock",
            ReadWrite::Destroy => "destroy",
        }
    }
}

/// A statement of a thread, a function or `main`.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Stmt {
    /// `dst = place`.
    Load { dst: usize, place: Place, order: Order },
    /// `place = value`.
    Store { place: Place, value: Expr, order: Order },
    /// `place++` as a load and a store.
    Increment { place: Place },
    /// `pointer = &target`, a plain access.
    Point { pointer: usize, target: usize },
    /// An atomic read-modify-write; `dst` gets the old value.
    Rmw { dst: Option<usize>, op: RmwOp, place: Place, value: Expr, order: Order },
    /// A compare-exchange; `dst` gets whether it succeeded.
    CompareExchange { dst: usize, place: Place, expected: i32, desired: Expr, order: Order, failure: Order, weak: bool },
    /// A fence.
    Fence(Order),
    /// `free` of a block that it allocates: a call that orders nothing.
    Free,
    /// `dst = value`.
    Assign { dst: usize, value: Expr },
    /// `dst = __VERIFIER_nondet_bool()`.
    Nondet { dst: usize },
    /// A branch.
    If { cond: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt> },
    /// A loop with a constant bound.
    Loop { count: u32, body: Vec<Stmt> },
    /// Waits by reading repeatedly until `place` has the value, with other work in between.
    Spin { place: Place, value: i32, order: Order, body: Vec<Stmt> },
    /// `pthread_mutex_lock`.
    Lock(usize),
    /// `pthread_mutex_unlock`.
    Unlock(usize),
    /// `dst = pthread_mutex_trylock(…)`.
    TryLock { dst: usize, mutex: usize },
    /// `pthread_mutex_destroy`.
    DestroyMutex(usize),
    /// `pthread_rwlock_…`.
    ReadWrite { lock: usize, call: ReadWrite },
    /// `pthread_cond_wait`, in a loop until the place has the value, if one is given.
    Wait { cond: usize, mutex: usize, until: Option<(Place, i32)> },
    /// Locks or unlocks mutex 1 or 0, depending on a local.
    Chosen { local: usize, unlocks: bool },
    /// `pthread_cond_signal`, or broadcast.
    Signal { cond: usize, all: bool },
    /// `pthread_cond_destroy`.
    Destroy { cond: usize },
    /// `sem_wait`.
    SemWait(usize),
    /// `dst = sem_timedwait(…) == 0`, or `sem_trywait`.
    SemTry { dst: usize, sem: usize, timed: bool },
    /// `sem_post`.
    SemPost(usize),
    /// A region between `__VERIFIER_atomic_begin` and `_end`.
    Atomic(Vec<Stmt>),
    /// A call; the argument becomes the callee's local 0.
    Call { dst: Option<usize>, function: usize, arg: Expr },
    /// `assert`.
    Assert(Expr),
    /// `__VERIFIER_assume`.
    Assume(Expr),
    /// Leaves the function or thread at once; a thread then has no result.
    Return,
}

/// A function that threads may call: local 0 is its parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its statements; it makes no calls.
    pub body: Vec<Stmt>,
    /// Its result.
    pub value: Expr,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// Its statements.
    pub body: Vec<Stmt>,
    /// The value of its result variable at the end, by a plain store.
    pub result: Option<Expr>,
    /// Whether `main` joins it.
    pub joined: bool,
}

/// A whole program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// The shared variables.
    pub vars: Vec<Var>,
    /// The initial values of the semaphores. Locks and condition variables need no declaration.
    pub sems: Vec<u32>,
    /// The functions.
    pub functions: Vec<Function>,
    /// The threads, created by `main` in this order.
    pub threads: Vec<Thread>,
    /// The statements of `main` between creating and joining.
    pub during: Vec<Stmt>,
    /// The statements of `main` after joining.
    pub after: Vec<Stmt>,
    /// The final assertion fails if each of these places has the value; none if empty.
    pub outcome: Vec<(Place, i32)>,
    /// Whether seq_cst read-modify-writes of plain variables are written as `__sync_*`.
    pub sync_spelling: bool,
    /// Whether mutexes, read-write locks, condition variables and semaphores are fields of one structure.
    pub is_packed: bool,
}

impl Stmt {
    /// The directly nested statements.
    pub fn bodies(&self) -> Vec<&Vec<Stmt>> {
        match self {
            Stmt::If { then, otherwise, .. } => vec![then, otherwise],
            Stmt::Loop { body, .. } | Stmt::Spin { body, .. } | Stmt::Atomic(body) => vec![body],
            Stmt::Load { .. }
            | Stmt::Store { .. }
            | Stmt::Increment { .. }
            | Stmt::Point { .. }
            | Stmt::Rmw { .. }
            | Stmt::CompareExchange { .. }
            | Stmt::Fence(_)
            | Stmt::Free
            | Stmt::Assign { .. }
            | Stmt::Nondet { .. }
            | Stmt::Lock(_)
            | Stmt::Unlock(_)
            | Stmt::TryLock { .. }
            | Stmt::DestroyMutex(_)
            | Stmt::ReadWrite { .. }
            | Stmt::Wait { .. }
            | Stmt::Chosen { .. }
            | Stmt::Signal { .. }
            | Stmt::Destroy { .. }
            | Stmt::SemWait(_)
            | Stmt::SemTry { .. }
            | Stmt::SemPost(_)
            | Stmt::Call { .. }
            | Stmt::Assert(_)
            | Stmt::Assume(_)
            | Stmt::Return => vec![],
        }
    }

    /// The directly nested statements, mutably.
    pub fn bodies_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match self {
            Stmt::If { then, otherwise, .. } => vec![then, otherwise],
            Stmt::Loop { body, .. } | Stmt::Spin { body, .. } | Stmt::Atomic(body) => vec![body],
            _ => vec![],
        }
    }

    /// The place it accesses, if it accesses one.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Stmt::Load { place, .. }
            | Stmt::Store { place, .. }
            | Stmt::Increment { place }
            | Stmt::Rmw { place, .. }
            | Stmt::CompareExchange { place, .. }
            | Stmt::Spin { place, .. } => Some(place),
            Stmt::Wait { until, .. } => until.as_ref().map(|(place, _)| place),
            _ => None,
        }
    }

    /// Calls `visit` on this statement and those nested in it.
    pub fn for_each(&self, visit: &mut impl FnMut(&Stmt)) {
        visit(self);
        for body in self.bodies() {
            body.iter().for_each(|stmt| stmt.for_each(visit));
        }
    }

    /// Maximum number of its steps visible to others, roughly: the steps that exploration has to interleave.
    fn steps(&self, program: &Program) -> u64 {
        let sum = |body: &[Stmt]| -> u64 { body.iter().map(|stmt| stmt.steps(program)).sum() };
        match self {
            Stmt::Load { place, .. } | Stmt::Store { place, .. } | Stmt::Rmw { place, .. } => place.steps(),
            Stmt::CompareExchange { place, .. } => place.steps(),
            Stmt::Increment { place } => 2 * place.steps(),
            Stmt::Spin { place, body, .. } => 2 * (place.steps() + sum(body)),
            Stmt::Point { .. }
            | Stmt::Fence(_)
            | Stmt::Free
            | Stmt::Lock(_)
            | Stmt::Unlock(_)
            | Stmt::TryLock { .. } => 1,
            Stmt::Chosen { .. } | Stmt::Signal { .. } | Stmt::Destroy { .. } | Stmt::DestroyMutex(_) => 1,
            Stmt::ReadWrite { .. } => 2,
            Stmt::SemWait(_) | Stmt::SemTry { .. } | Stmt::SemPost(_) => 1,
            Stmt::Wait { until, .. } => 4 + u64::from(until.is_some()),
            Stmt::If { then, otherwise, .. } => sum(then).max(sum(otherwise)),
            Stmt::Loop { count, body } => u64::from(*count) * sum(body),
            Stmt::Atomic(_) => 1,
            Stmt::Call { function, .. } => program.functions.get(*function).map_or(0, |f| sum(&f.body)),
            Stmt::Nondet { .. } => 1,
            Stmt::Assign { .. } | Stmt::Assert(_) | Stmt::Assume(_) | Stmt::Return => 0,
        }
    }
}

impl Place {
    fn steps(&self) -> u64 {
        match self {
            Place::Var(_) | Place::Element(..) | Place::Result(_) => 1,
            Place::Deref(_) => 2,
        }
    }
}

impl Program {
    /// All bodies: of the functions, the threads and `main`.
    pub fn bodies(&self) -> Vec<&Vec<Stmt>> {
        let functions = self.functions.iter().map(|function| &function.body);
        let threads = self.threads.iter().map(|thread| &thread.body);
        functions.chain(threads).chain([&self.during, &self.after]).collect()
    }

    /// All bodies, mutably.
    pub fn bodies_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        let functions = self.functions.iter_mut().map(|function| &mut function.body);
        let threads = self.threads.iter_mut().map(|thread| &mut thread.body);
        functions.chain(threads).chain([&mut self.during, &mut self.after]).collect()
    }

    /// Calls `visit` on every statement.
    pub fn for_each(&self, visit: &mut impl FnMut(&Stmt)) {
        for body in self.bodies() {
            body.iter().for_each(|stmt| stmt.for_each(visit));
        }
    }

    /// Whether some statement satisfies a condition.
    pub fn any(&self, mut wanted: impl FnMut(&Stmt) -> bool) -> bool {
        let mut found = false;
        self.for_each(&mut |stmt| found |= wanted(stmt));
        found
    }

    /// The number of combinations of the threads' positions, roughly.
    pub fn estimate(&self) -> u64 {
        let steps = |body: &[Stmt]| -> u64 { body.iter().map(|stmt| stmt.steps(self)).sum() };
        let threads = self.threads.iter().map(|t| steps(&t.body) + u64::from(t.result.is_some()));
        threads.chain([steps(&self.during)]).fold(1, |product, steps| product.saturating_mul(steps + 1))
    }

    /// The actual order of an access: without one, accesses to `_Atomic` variables are seq_cst.
    pub fn effective(&self, place: &Place, order: Order) -> Order {
        match (place, order) {
            (Place::Var(var), Order::Plain) if matches!(self.vars.get(*var), Some(Var::Int { atomic: true, .. })) => {
                Order::SeqCst
            }
            _ => order,
        }
    }
}

/// Changing one statement, found by its number in the order of [`Program::for_each`].
impl Program {
    /// The number of statements, nested ones included.
    pub fn count(&self) -> usize {
        let mut count = 0;
        self.for_each(&mut |_| count += 1);
        count
    }

    /// Passes the list that holds the statement with this number, and its index there, to `edit`.
    pub fn edit(&mut self, number: usize, edit: impl FnOnce(&mut Vec<Stmt>, usize)) {
        let mut left = number;
        let mut edit = Some(edit);
        for body in self.bodies_mut() {
            if edit_in(body, &mut left, &mut edit) {
                return;
            }
        }
    }
}

fn edit_in<F: FnOnce(&mut Vec<Stmt>, usize)>(body: &mut Vec<Stmt>, left: &mut usize, edit: &mut Option<F>) -> bool {
    for index in 0..body.len() {
        if *left == 0 {
            if let Some(edit) = edit.take() {
                edit(body, index);
            }
            return true;
        }
        *left -= 1;
        for inner in body[index].bodies_mut() {
            if edit_in(inner, left, edit) {
                return true;
            }
        }
    }
    false
}
