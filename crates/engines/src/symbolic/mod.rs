//! Symbolic execution of one run at a time, statement by statement: what `impact` and the translation of `tar` to
//! automata have in common. A value is the target of a pointer, which is explicit, and a term for its bits. A statement
//! that cannot be executed for all values at once asks for a split on a condition, and is executed again in both cases.
//!
//! [`Evaluator`] has expressions, [`Memory`] accesses, [`Executor`] statements. Each engine supplies where values live: its locals, its
//! memory, its threads. `skeleton` executes all paths at once, with terms for the targets of pointers too, so it shares
//! only [`crate::arithmetic`].

mod evaluate;
mod execute;
mod memory;

pub(crate) use evaluate::{addresses, thread_numbers, Evaluator, ValueOf};
pub(crate) use execute::{Executor, Note};
pub(crate) use memory::{Memory, Reading, TargetOf};

use check::ReasonKind;
use ir::{FunctionId, Initial, ObjectId, Program, Stmt};
use smt::{Bits, Term};

/// The target of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Base<Object, Thread> {
    /// None: a number, or null. In an engine that does not track all pointers, perhaps one of those.
    Number,
    /// An object; the bits are the offset.
    Object(Object),
    /// The ghost of an object.
    Ghost(Object),
    Function(FunctionId),
    /// The number of this thread.
    Thread(Thread),
    /// Not null, to memory that is not tracked.
    Elsewhere,
    /// To memory or a thread that may be gone.
    Gone,
}

impl<Object, Thread> Base<Object, Thread> {
    /// The object it leads to, or to whose ghost it leads.
    pub(crate) fn object(self) -> Option<Object> {
        match self {
            Base::Object(object) | Base::Ghost(object) => Some(object),
            Base::Number | Base::Function(_) | Base::Thread(_) | Base::Elsewhere | Base::Gone => None,
        }
    }
}

/// A value: the bits are a term over variables and inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Value<Object, Thread> {
    pub(crate) base: Base<Object, Thread>,
    pub(crate) bits: Term,
}

impl<Object, Thread> Value<Object, Thread> {
    /// A number.
    pub(crate) fn number(bits: Term) -> Self {
        Value { base: Base::Number, bits }
    }
}

/// A part of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Cell<Object> {
    pub(crate) object: Object,
    pub(crate) is_ghost: bool,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

/// The target of a valid access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<Object> {
    pub(crate) object: Object,
    pub(crate) is_ghost: bool,
    pub(crate) offset: Term,
    pub(crate) bytes: u64,
}

/// What must not happen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// The property is violated in this way.
    Violation(String),
    /// Behaviour is unknown.
    Gap(ReasonKind, String),
}

/// Why a statement is not executed to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Halt {
    /// The truth of this condition must be decided first.
    Split(Term),
    Fault(Fault),
    /// It blocks for ever, or the run is of no interest.
    Never,
}

/// What comes of something that may halt.
pub(crate) type Done<T = ()> = Result<T, Halt>;

impl Halt {
    /// Behaviour is unknown.
    pub(crate) fn gap(kind: ReasonKind, detail: impl Into<String>) -> Halt {
        Halt::Fault(Fault::Gap(kind, detail.into()))
    }

    /// The engine cannot do this.
    pub(crate) fn unsupported(detail: &str) -> Halt {
        Halt::gap(ReasonKind::Unsupported, detail)
    }

    /// No engine can do this.
    pub(crate) fn unmodelled(detail: &str) -> Halt {
        Halt::gap(ReasonKind::Unmodelled, format!("not modelled: {detail}"))
    }
}

/// What other threads may notice of a statement. Steps begin and end accordingly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Visibility {
    Nothing,
    /// That the run ends there, if the assumption is false.
    Assumption,
    /// An access, if the memory is shared.
    Access,
    /// An access for which it may wait.
    Wait,
    /// A thread is created, started or joined.
    Threads,
    /// Other threads stop.
    Region,
    /// The function returns, perhaps the first one of its thread.
    Return,
    /// A thread or the process ends, or other threads go on.
    End,
}

/// What other threads may notice of a statement.
pub(crate) fn visibility(stmt: &Stmt) -> Visibility {
    match stmt {
        Stmt::Assume(_) => Visibility::Assumption,
        Stmt::Load { .. }
        | Stmt::Store { .. }
        | Stmt::Rmw { .. }
        | Stmt::CompareExchange { .. }
        | Stmt::Copy { .. }
        | Stmt::Set { .. }
        | Stmt::Unlock { .. } => Visibility::Access,
        Stmt::Lock { .. } | Stmt::Await { .. } => Visibility::Wait,
        Stmt::NewThread { .. } | Stmt::Spawn { .. } | Stmt::Join { .. } => Visibility::Threads,
        Stmt::AtomicBegin { .. } => Visibility::Region,
        Stmt::Return(_) => Visibility::Return,
        Stmt::Detach { .. } | Stmt::ExitThread(_) | Stmt::AtomicEnd { .. } | Stmt::Exit | Stmt::Unmodelled(_) => {
            Visibility::End
        }
        Stmt::Skip
        | Stmt::Assign { .. }
        | Stmt::Havoc { .. }
        | Stmt::Assert { .. }
        | Stmt::Fence(_)
        | Stmt::Alloc { .. }
        | Stmt::Free { .. }
        | Stmt::Expire { .. }
        | Stmt::Call { .. } => Visibility::Nothing,
    }
}

/// The initial value of a part of a static object, if it is a known number.
pub(crate) fn initial(program: &Program, object: ObjectId, offset: u64, bytes: u64) -> Option<Bits> {
    let Initial::Bytes { bytes: content, relocations } = &program.objects[object].initial else { return None };
    let pointer = program.data_model.pointer_bytes();
    let is_pointer = relocations.iter().any(|one| one.at < offset + bytes && offset < one.at + pointer);
    if is_pointer || bytes > 16 {
        return None;
    }
    let at = |index: u64| content.get((offset + index) as usize).copied().unwrap_or(0);
    let value = (0..bytes).fold(0u128, |all, index| all | u128::from(at(index)) << (8 * index));
    Some(Bits::from_u128((bytes * 8) as u32, value))
}
