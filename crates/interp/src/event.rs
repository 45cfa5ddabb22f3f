//! What a run does, told as it happens: the material of counterexamples.

use ir::{Awaited, EdgeId, FunctionId};

/// A place in memory, for people: `balance`, `queue[8..12]`, `*buf` (a heap object).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The object's name.
    pub object: String,
    /// The first byte.
    pub offset: u64,
    /// How many bytes.
    pub size: u64,
    /// The size of the whole object.
    pub object_size: u64,
    /// Whether other threads can reach the object.
    pub is_shared: bool,
    /// Whether it is the state of a synchronisation object.
    pub is_ghost: bool,
}

/// What a thread waits for that does not come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BlockedOn {
    /// The lock with this name.
    Lock(String),
    /// The end of a thread.
    ThreadEnd,
    /// This, of the object with this name.
    Object(Awaited, String),
    /// What cannot be told.
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

/// One thing that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The index of the schedule's step in which it happened.
    pub step: usize,
    /// The thread.
    pub thread: u32,
    /// The statement.
    pub at: (FunctionId, EdgeId),
    /// The calls that led to it: the call edges of the frames below, outermost first.
    pub stack: Vec<(FunctionId, EdgeId)>,
    /// What it was.
    pub kind: EventKind,
}

/// What happened. Values are printed as C would: signed decimals, `&name+offset`, `null`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// A value was read.
    Read {
        /// From where.
        place: Place,
        /// What.
        value: String,
        /// The step that wrote it, unless it is the initial value.
        written_at: Option<usize>,
        /// Steps that wrote the place later, or wrote it in a store buffer, and that this read does not see.
        unseen: Vec<usize>,
    },
    /// A value was written (under tso and pso: put into the store buffer, unless `buffered` is false).
    Write {
        /// To where.
        place: Place,
        /// What.
        value: String,
        /// The step that wrote the value it replaces.
        overwrites: Option<usize>,
        /// Whether it went to the thread's store buffer.
        buffered: bool,
    },
    /// A buffered write reached memory.
    Flush {
        /// To where.
        place: Place,
        /// What.
        value: String,
        /// The step that put it in the buffer.
        written_at: usize,
    },
    /// An input or an undefined value was given this value.
    Input {
        /// The local variable.
        name: String,
        /// What.
        value: String,
    },
    /// A thread was started.
    Spawn {
        /// Its number.
        child: u32,
        /// Its first function.
        function: String,
    },
    /// A thread's end was awaited and has come.
    Join {
        /// Its number.
        child: u32,
    },
    /// The thread ended.
    ThreadEnd,
    /// A lock was taken.
    Lock(Place),
    /// A lock was released.
    Unlock(Place),
    /// Something waited for has come (or, `spuriously`, has not).
    Await {
        /// What was waited for.
        awaited: Awaited,
        /// Where.
        place: Place,
        /// Whether it went on although not ready.
        spuriously: bool,
    },
    /// The run is over and this thread still waits: part of a deadlock.
    Blocked {
        /// For what.
        on: BlockedOn,
        /// The thread that holds the lock, or whose end is awaited.
        other: Option<u32>,
    },
    /// Memory came to life or was freed.
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
    /// A local step (an assignment) with nothing to tell.
    Local,
    /// The process ended.
    Exit,
}

/// Who wants to know.
pub trait Observer {
    /// Called for every event, in order.
    fn event(&mut self, event: Event);
}
