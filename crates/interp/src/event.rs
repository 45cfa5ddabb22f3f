//! The events of a run, reported as they happen: the material of counterexamples.

use ir::{Awaited, EdgeId, FunctionId};

/// A place in memory as shown to the user: `balance`, `queue[8..12]`, `*buf` (a heap object).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The object's name.
    pub object: String,
    /// The first byte.
    pub offset: u64,
    /// The number of bytes.
    pub size: u64,
    /// The size of the whole object.
    pub object_size: u64,
    /// Whether other threads can reach the object.
    pub is_shared: bool,
    /// Whether it is the state of a synchronisation object.
    pub is_ghost: bool,
}

/// What a blocked thread waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BlockedOn {
    /// The lock with this name.
    Lock(String),
    /// The end of a thread.
    ThreadEnd,
    /// A condition of the object with this name.
    Object(Awaited, String),
    /// Unknown.
    Something,
}

impl std::fmt::Display for BlockedOn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BlockedOn::Lock(place) => write!(f, "lock {place}"),
            BlockedOn::ThreadEnd => f.write_str("the end of a thread"),
            BlockedOn::Object(awaited, place) => write!(f, "{awaited} {place}"),
            BlockedOn::Something => f.write_str("something"),
        }
    }
}

/// One event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The index of the schedule's step in which it happened.
    pub step: usize,
    /// The thread.
    pub thread: u32,
    /// The executed statement.
    pub at: (FunctionId, EdgeId),
    /// The calls that led to it: the call edges of the frames below, outermost first.
    pub stack: Vec<(FunctionId, EdgeId)>,
    /// What happened.
    pub kind: EventKind,
}

/// The kinds of events. Values are printed as in C: signed decimals, `&name+offset`, `null`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// A value was read.
    Read {
        /// The place read.
        place: Place,
        /// The value.
        value: String,
        /// The step that wrote it, unless it is the initial value.
        written_at: Option<usize>,
        /// Steps that wrote the place later, or into a store buffer, and that this read does not see.
        unseen: Vec<usize>,
    },
    /// A value was written (under tso and pso: into the store buffer, unless `buffered` is false).
    Write {
        /// The place written.
        place: Place,
        /// The value.
        value: String,
        /// The step that wrote the value it replaces.
        overwrites: Option<usize>,
        /// Whether it went into the thread's store buffer.
        buffered: bool,
    },
    /// A buffered write reached memory.
    Flush {
        /// The place written.
        place: Place,
        /// The value.
        value: String,
        /// The step that put it in the buffer.
        written_at: usize,
    },
    /// An input or an undefined value was given this value.
    Input {
        /// The local variable.
        name: String,
        /// The value.
        value: String,
    },
    /// A thread was started.
    Spawn {
        /// Its number.
        child: u32,
        /// Its first function.
        function: String,
    },
    /// A thread that was waited for has ended.
    Join {
        /// Its number.
        child: u32,
    },
    /// The thread ended.
    ThreadEnd,
    /// A lock was acquired.
    Lock(Place),
    /// A lock was released.
    Unlock(Place),
    /// A condition that a thread waited for holds (or, `spuriously`, does not).
    Await {
        /// The condition.
        awaited: Awaited,
        /// The object waited on.
        place: Place,
        /// Whether the wait ended although the condition does not hold.
        spuriously: bool,
    },
    /// The run is over and this thread still waits: part of a deadlock.
    Blocked {
        /// What it waits for.
        on: BlockedOn,
        /// The owner of the lock, or the thread to be joined.
        other: Option<u32>,
    },
    /// Memory was allocated.
    Alloc(Place),
    /// Memory was freed.
    Free(Place),
    /// A fence.
    Fence,
    /// A branch was taken: the condition's edge is `at`.
    Branch,
    /// A function was called.
    Call(FunctionId),
    /// A function returned.
    Return,
    /// An assertion was evaluated.
    Assert {
        /// Whether it held.
        held: bool,
    },
    /// A local step (an assignment) with nothing to report.
    Local,
    /// The process ended.
    Exit,
}

/// A consumer of events.
pub trait Observer {
    /// Called for every event, in order.
    fn event(&mut self, event: Event);
}
