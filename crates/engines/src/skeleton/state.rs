//! The symbolic state of a thread: path condition, local variables of the topmost function, private memory, last events.

use super::contents::Contents;
use super::events::{EventId, RegionId, ThreadId};
use super::value::Value;
use smallvec::SmallVec;
use smt::Term;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A lock's cell: object and offset.
pub(crate) type LockCell = (u16, u64);

/// The acquisitions of locks, each under a condition.
pub(crate) type Held = Rc<BTreeMap<LockCell, Vec<(EventId, Term)>>>;

/// A symbolic state.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) thread: ThreadId,
    /// The path condition.
    pub(crate) condition: Term,
    /// `None`: uninitialised.
    pub(crate) locals: Vec<Option<Value>>,
    /// The results of the function, once it has returned.
    pub(crate) returned: Vec<Value>,
    /// Private memory. Objects that are missing have their initial contents.
    pub(crate) memory: Rc<BTreeMap<u16, Rc<Contents>>>,
    /// The last events in program order.
    pub(crate) last: SmallVec<[EventId; 2]>,
    /// Locks that may be held, with their acquisitions, each under a condition.
    pub(crate) held: Held,
    /// The stack objects of the function.
    pub(crate) frame: Vec<u16>,
    /// The stack objects of its callers.
    pub(crate) below: Vec<u16>,
    /// The atomic region and its nesting depth.
    pub(crate) region: Option<(RegionId, u32)>,
    /// Whether no other thread has been started: then no access makes an event.
    pub(crate) is_alone: bool,
    /// Whether the thread's store buffer may be non-empty, under a memory model that has one.
    pub(crate) has_stores: bool,
    /// For each enclosing loop, outermost first: when this iteration has had an effect ([`super::spin`]).
    pub(crate) effects: SmallVec<[Term; 4]>,
}
