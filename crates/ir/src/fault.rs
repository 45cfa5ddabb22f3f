//! Typed faults of a run. Messages for people are generated from them, as from claims; no decision depends on a
//! message.

use crate::claim::Claim;
use crate::library::LibraryRace;
use crate::property::Property;
use std::fmt;

/// Whether an access reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Direction {
    Read,
    Write,
}

impl Direction {
    /// A write if `writes`.
    pub fn new(writes: bool) -> Direction {
        if writes {
            Direction::Write
        } else {
            Direction::Read
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Direction::Read => "read",
            Direction::Write => "write",
        })
    }
}

/// Why an access is invalid. Objects have their names for people.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BadAccess {
    /// The pointer is null, or near it.
    Null,
    /// The pointer points to no object.
    Invalid,
    /// It points to a function.
    Code,
    /// The object is dead and its name unknown.
    Gone,
    /// The object is dead.
    Dead {
        /// The object.
        object: String,
        /// Whether it was freed, rather than gone out of scope.
        is_freed: bool,
    },
    /// The access is partly or wholly outside the object.
    Outside {
        /// The object.
        object: String,
        /// Number of bytes accessed.
        len: u64,
        /// The offset of the access.
        offset: i64,
        /// The size of the object.
        size: u64,
    },
    /// The object is constant.
    Constant {
        /// The object.
        object: String,
    },
}

/// Why a free is invalid.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BadFree {
    /// The argument points to no object.
    Nothing,
    /// It is not the address returned by an allocation.
    NotAllocated {
        /// The object.
        object: String,
    },
    /// Double free.
    Again {
        /// The object.
        object: String,
    },
}

/// A fault.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fault {
    /// A claim does not hold.
    Claim(Claim),
    /// An invalid memory access.
    Access(Direction, BadAccess),
    /// A synchronisation object does not fit into the object that contains it.
    OutsideRecord {
        /// The object.
        object: String,
        /// Its size.
        size: u64,
    },
    /// An invalid free.
    Free(BadFree),
    /// A call through a pointer to no function.
    Call {
        /// Whether the pointer is null.
        is_null: bool,
    },
    /// A lock is acquired by the thread that holds it.
    Relock,
    /// A lock is released by a thread that does not hold it.
    UnlockByOther,
    /// A shift by the width of its operand or more.
    Shift,
    /// A dangling pointer is compared.
    StaleComparison,
    /// A data race.
    Race {
        /// The object.
        object: String,
        /// The later access.
        this: Direction,
        /// The earlier one.
        other: Direction,
    },
    /// A data race on the internal state of library functions.
    LibraryRace(LibraryRace),
    /// No thread can move.
    Deadlock {
        /// Number of waiting threads.
        threads: usize,
    },
    /// Another thread's access comes between two that should be atomic.
    Atomicity {
        /// The object.
        object: String,
        /// The first of the two.
        first: Direction,
        /// The other thread's.
        between: Direction,
        /// The second of the two.
        second: Direction,
    },
}

impl Fault {
    /// The property that it violates.
    pub fn property(&self) -> Property {
        match self {
            Fault::Claim(claim) => claim.property(),
            Fault::Access(..)
            | Fault::OutsideRecord { .. }
            | Fault::Free(_)
            | Fault::Call { .. }
            | Fault::Shift
            | Fault::StaleComparison => Property::Memory,
            Fault::Relock | Fault::UnlockByOther => Property::Locks,
            Fault::Race { .. } | Fault::LibraryRace(_) => Property::Race,
            Fault::Deadlock { .. } => Property::Deadlock,
            Fault::Atomicity { .. } => Property::Atomicity,
        }
    }

    /// A name that is stable when messages change, for data kept between versions. Numbers, and which of several
    /// accesses it is, play no part.
    pub fn code(&self) -> &'static str {
        match self {
            Fault::Claim(claim) => claim.words().0,
            Fault::Access(_, BadAccess::Null) => "null-access",
            Fault::Access(_, BadAccess::Invalid) => "invalid-access",
            Fault::Access(_, BadAccess::Code) => "code-access",
            Fault::Access(_, BadAccess::Gone | BadAccess::Dead { .. }) => "dead-access",
            Fault::Access(_, BadAccess::Outside { .. }) | Fault::OutsideRecord { .. } => "outside-access",
            Fault::Access(_, BadAccess::Constant { .. }) => "constant-write",
            Fault::Free(BadFree::Nothing | BadFree::NotAllocated { .. }) => "invalid-free",
            Fault::Free(BadFree::Again { .. }) => "double-free",
            Fault::Call { .. } => "invalid-call",
            Fault::Relock => "relock",
            Fault::UnlockByOther => "unlock-by-other",
            Fault::Shift => "shift",
            Fault::StaleComparison => "stale-comparison",
            Fault::Race { .. } => "race",
            Fault::LibraryRace(_) => "library-race",
            Fault::Deadlock { .. } => "deadlock",
            Fault::Atomicity { .. } => "atomicity",
        }
    }

    /// Whether it is about freeing memory.
    pub fn is_bad_free(&self) -> bool {
        matches!(self, Fault::Free(_) | Fault::Claim(Claim::MadeBy(_) | Claim::SizeOfBlock))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        base::wording::show(f, |f| self.say(f))
    }
}

impl Fault {
    fn say(&self, f: &mut dyn fmt::Write) -> fmt::Result {
        match self {
            Fault::Claim(claim) => write!(f, "{claim}"),
            Fault::Access(kind, bad) => match bad {
                BadAccess::Null => write!(f, "{kind} through a null pointer"),
                BadAccess::Invalid => write!(f, "{kind} through an invalid pointer"),
                BadAccess::Code => write!(f, "{kind} of a function's code"),
                BadAccess::Gone => write!(f, "{kind} of an object that no longer exists"),
                BadAccess::Dead { object, is_freed: true } => write!(f, "{kind} of {object} after it was freed"),
                BadAccess::Dead { object, is_freed: false } => write!(f, "{kind} of {object} after its lifetime"),
                BadAccess::Outside { object, len, offset, size } => {
                    let noun = if *len == 1 { "byte" } else { "bytes" };
                    write!(f, "{kind} outside {object}: {len} {noun} at offset {offset}, but it has {size}")
                }
                BadAccess::Constant { object } => write!(f, "{kind} of {object}, which is constant"),
            },
            Fault::OutsideRecord { object, size } => {
                write!(f, "use of a lock or the like outside {object}, which has {size} bytes")
            }
            Fault::Free(BadFree::Nothing) => f.write_str("free of something that was not allocated"),
            Fault::Free(BadFree::NotAllocated { object }) => write!(f, "free of {object}, which malloc did not return"),
            Fault::Free(BadFree::Again { object }) => write!(f, "{object} is freed twice"),
            Fault::Call { is_null: true } => f.write_str("call through a null pointer"),
            Fault::Call { is_null: false } => f.write_str("call of something that is not a function"),
            Fault::Relock => f.write_str("a lock is taken by the thread that holds it"),
            Fault::UnlockByOther => f.write_str("a lock is released by a thread that does not hold it"),
            Fault::Shift => f.write_str("a shift by the width of its operand or more"),
            Fault::StaleComparison => f.write_str("a pointer to memory that no longer exists is compared"),
            Fault::Race { object, this, other } => {
                write!(f, "data race on {object}: this {this} and the {other} by another thread are not ordered")
            }
            Fault::LibraryRace(race) => write!(f, "{race}"),
            Fault::Deadlock { threads: 1 } => f.write_str("deadlock: a thread waits for ever and no other can move"),
            Fault::Deadlock { threads } => write!(f, "deadlock: {threads} threads wait for each other"),
            Fault::Atomicity { object, first, between, second } => write!(
                f,
                "atomicity violation on {object}: the {between} by another thread comes between the {first} and this {second}"
            ),
        }
    }
}
