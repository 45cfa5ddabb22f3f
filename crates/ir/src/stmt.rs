//! Statements: the labels of control-flow edges. Each makes at most one shared access, except ranges.

use crate::claim::{Awaited, Claim, Unmodelled};
use crate::expr::{Expr, Type};
use crate::program::{FunctionId, LocalId};

/// The memory order of an access. `Plain` is non-atomic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Order {
    Plain,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Order {
    /// Whether a read of this order takes over the knowledge passed on by a release.
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    /// Whether a write of this order passes on what happened before it.
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }

    /// Whether a fence of this order keeps earlier accesses before later ones. A relaxed fence is one of the machine
    /// alone: it orders accesses and passes nothing on, so it plays no part in happens-before.
    pub fn is_full_fence(self) -> bool {
        matches!(self, Order::Relaxed | Order::SeqCst)
    }

    /// The reservation where a fence of this order is stronger than the program asks for: under `ra` a fence of the
    /// machine orders accesses of all threads as if they were seq_cst.
    pub fn strengthened_fence(self) -> Option<&'static str> {
        (self == Order::Relaxed).then_some("atomic access under `ra` to an object that is too large for an instruction")
    }

    /// Whether the access is atomic in the sense of C11.
    pub fn is_atomic(self) -> bool {
        self != Order::Plain
    }
}

/// How memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Access {
    /// The memory order.
    pub order: Order,
    /// Whether the access is `volatile` in the source.
    pub volatile: bool,
}

impl Access {
    /// An ordinary access.
    pub const PLAIN: Access = Access { order: Order::Plain, volatile: false };
}

/// The operation of a read-modify-write.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum RmwOp {
    /// The operand replaces the old value.
    Exchange,
    Add,
    Sub,
    And,
    /// Complement of the conjunction.
    Nand,
    Or,
    Xor,
    /// Signed maximum.
    Max,
    /// Signed minimum.
    Min,
    /// Unsigned maximum.
    UnsignedMax,
    /// Unsigned minimum.
    UnsignedMin,
}

/// The storage of an allocation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AllocKind {
    /// Until the function that allocated it returns.
    Stack,
    /// Until it is freed.
    Heap,
}

/// The target of a call.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Callee {
    /// This one.
    Direct(FunctionId),
    /// The one this pointer points to.
    Indirect(Expr),
}

/// The label of an edge. See `docs/semantics.md` for the semantics.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Stmt {
    /// No effect.
    Skip,
    /// `dst = value`.
    Assign {
        /// The variable that changes.
        dst: LocalId,
        /// Its new value.
        value: Expr,
    },
    /// `dst` becomes arbitrary; below `below` (unsigned), if given, which is never 0.
    Havoc {
        /// The variable that changes.
        dst: LocalId,
        /// The bound.
        below: Option<Expr>,
    },
    /// A branch condition where a location has several outgoing edges; where it has one, the run ends if it is false.
    Assume(Expr),
    /// A violation of the claim's property if `cond` is false. The run goes on if that property is not being checked.
    Assert {
        /// The condition.
        cond: Expr,
        /// Its meaning.
        claim: Claim,
        /// Whether C defines the behaviour if `cond` is false: the run then goes on without reservation when that
        /// property is not being checked. (For `unreach` it always does.)
        is_defined: bool,
    },
    /// `dst = *ptr`.
    Load {
        /// The variable that changes.
        dst: LocalId,
        /// The type of the value.
        ty: Type,
        /// The address.
        ptr: Expr,
        /// The kind of access.
        access: Access,
    },
    /// `*ptr = value`.
    Store {
        /// The type of the value.
        ty: Type,
        /// The address.
        ptr: Expr,
        /// The value.
        value: Expr,
        /// The kind of access.
        access: Access,
    },
    /// `dst = *ptr; *ptr = op(dst, value)`, atomically.
    Rmw {
        /// Gets the old value.
        dst: LocalId,
        /// The operation.
        op: RmwOp,
        /// The type of the cell.
        ty: Type,
        /// The cell.
        ptr: Expr,
        /// The operand.
        value: Expr,
        /// The memory order.
        order: Order,
    },
    /// `old = *ptr; success = old == expected; if (success) *ptr = desired`, atomically.
    CompareExchange {
        /// Gets the old value.
        old: LocalId,
        /// Whether the exchange happened (`i1`).
        success: LocalId,
        /// The type of the cell.
        ty: Type,
        /// The cell.
        ptr: Expr,
        /// The expected value.
        expected: Expr,
        /// The new value.
        desired: Expr,
        /// The memory order of a success.
        order: Order,
        /// The memory order of the load of a failure.
        failure: Order,
        /// Whether it may fail spuriously.
        weak: bool,
    },
    /// A fence. A relaxed one is a fence of the machine alone (`Order::is_full_fence`).
    Fence(Order),
    /// Copies bytes as `memmove` does. Not atomic: the bytes are plain accesses.
    Copy {
        /// The destination.
        dst: Expr,
        /// The source.
        src: Expr,
        /// Number of bytes (pointer width).
        len: Expr,
        /// Whether partially overlapping ranges violate `memory`, as with `memcpy`.
        disjoint: bool,
    },
    /// Sets bytes as `memset` does. Not atomic.
    Set {
        /// The destination.
        dst: Expr,
        /// The byte (`i8`).
        byte: Expr,
        /// Number of bytes (pointer width).
        len: Expr,
    },
    /// `dst` points to a new object, with arbitrary contents unless `zeroed`.
    Alloc {
        /// The variable that changes.
        dst: LocalId,
        /// Number of bytes (pointer width).
        size: Expr,
        /// The alignment in bytes, a power of two.
        align: u64,
        /// Its storage.
        kind: AllocKind,
        /// Whether the contents are zero.
        zeroed: bool,
        /// Its name for people: the variable's name, or the allocating function and line.
        name: String,
    },
    /// Ends the life of a heap object; no effect for null.
    Free {
        /// Its address.
        ptr: Expr,
    },
    /// Ends the life of a stack object before its function returns, at the end of its block. `ptr` is null or the
    /// address of an object that this activation of the function allocated.
    Expire {
        /// Its address.
        ptr: Expr,
    },
    /// Calls a function. Missing arguments are arbitrary, extra ones are dropped.
    Call {
        /// Receive the results: as many as the callee returns, or none.
        dsts: Vec<LocalId>,
        /// The callee.
        callee: Callee,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// Returns from the function; from a thread's entry function, ends the thread with the first value as its result.
    Return(Vec<Expr>),
    /// `dst` becomes the number of a new thread that has not started (pointer width, not 0).
    NewThread {
        /// The variable that changes.
        dst: LocalId,
    },
    /// Starts a thread created by `NewThread`.
    Spawn {
        /// Its number.
        thread: Expr,
        /// Its entry function.
        callee: Callee,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// Waits until a thread has ended and takes its result. The number may be reused afterwards.
    Join {
        /// Receives the thread's result, if wanted.
        dst: Option<LocalId>,
        /// Its number.
        thread: Expr,
    },
    /// The thread will not be joined: its number may be reused when it ends.
    Detach {
        /// Its number.
        thread: Expr,
    },
    /// Ends the running thread in any function, with this result.
    ExitThread(Expr),
    /// Waits until the 32-bit cell is 0 and sets it to the running thread's number. Relocking violates `locks` and
    /// waits for ever. Acquires.
    Lock {
        /// The cell.
        ptr: Expr,
    },
    /// Sets the cell to 0. A violation of `locks` if the running thread's number was not in it. Releases.
    Unlock {
        /// The cell.
        ptr: Expr,
    },
    /// Waits until `ready` holds of the cell's value in `dst`, then sets the cell to `update`, atomically. Acquires if
    /// it goes on because `ready` holds, and never releases. This blocks, unlike `Assume`, which ends the run.
    Await {
        /// Receives the cell's value; `ready` and `update` may mention it.
        dst: LocalId,
        /// The cell's type.
        ty: Type,
        /// The cell.
        ptr: Expr,
        /// The condition to go on.
        ready: Expr,
        /// The cell's new value, if it changes.
        update: Option<Expr>,
        /// Whether it may also go on although not ready (a spurious wake-up, a time-out): `None` if not; otherwise this
        /// variable gets 1 if it did so, else 0, before `update`, which may mention it, is evaluated and written. Such
        /// a step does not count against deadlock unless `timeout` is set.
        spurious: Option<LocalId>,
        /// Going on although not ready is certain to be possible eventually (a time-out): the thread is not blocked.
        timeout: bool,
        /// The awaited condition.
        awaited: Awaited,
    },
    /// Begins a region in which no other thread moves. Regions nest.
    AtomicBegin {
        /// Whether the thread's store buffer must be empty, where there is one. Regions of the program are fences;
        /// those of library functions that change their state in one step, and need not order anything, are not.
        is_fence: bool,
    },
    /// Ends a region.
    AtomicEnd {
        /// As where it begins.
        is_fence: bool,
    },
    /// The process ends: `exit`, `abort`, return from `main`, division by zero.
    Exit,
    /// A feature that Heddle does not model: reaching it makes the verdict `unknown`.
    Unmodelled(Unmodelled),
}
