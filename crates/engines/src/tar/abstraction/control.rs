//! Control points: the location of a thread, with explicit values for what the variables of the model do not express.
//!
//! Explicit are the call stack, the object or function that a pointer leads to (and the offset, if it is constant), the
//! thread whose number a value is, and constants in variables that others were found to depend on.

use super::model::{At, TemplateId};
use crate::symbolic;
use base::define_id;
use ir::{EdgeId, FunctionId, LocId, LocalId, ObjectId};
use rustc_hash::FxHashMap;
use smt::Term;
use std::collections::BTreeMap;

define_id!(
    /// The site of a thread creation: a control point without what it records about other threads. Prints as `p7`.
    SiteId, "p");

/// An object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Object {
    /// A static object; if thread-local, the thread's copy.
    Static(ObjectId),
    /// Allocated by this statement in the function at this depth of the thread's stack, with its size.
    Stack { depth: u32, at: At, bytes: u64 },
}

pub(super) type Base = symbolic::Base<Object, SiteId>;
pub(super) type Value = symbolic::Value<Object, SiteId>;
pub(super) type Cell = symbolic::Cell<Object>;
pub(super) type Target = symbolic::Target<Object>;

/// What is explicit about a variable or cell; if absent, it is a number, in the variable of the model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Slot {
    /// This constant.
    Known(Base, u128),
    /// The variable of the model holds the offset, or the bits.
    Variable(Base),
}

/// A stack frame.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Frame {
    pub(super) function: FunctionId,
    pub(super) loc: LocId,
    /// The call that waits for the next frame to return.
    pub(super) call: Option<EdgeId>,
    pub(super) slots: BTreeMap<LocalId, Slot>,
}

/// The status of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Status {
    Running,
    Ended,
    /// The process has ended.
    Over,
}

/// A control point.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Control {
    pub(super) template: TemplateId,
    pub(super) status: Status,
    pub(super) frames: Vec<Frame>,
    /// The thread's private memory.
    pub(super) cells: BTreeMap<Cell, Slot>,
    /// Nesting depth of atomic regions.
    pub(super) regions: u32,
}

impl Slot {
    pub(super) fn base(self) -> Base {
        match self {
            Slot::Known(base, _) | Slot::Variable(base) => base,
        }
    }

    /// Records it for a place, and the bits in the variable of the model.
    pub(super) fn keep<Place: Ord>(
        self,
        (place, slots): (Place, &mut BTreeMap<Place, Slot>),
        (variable, bits): (Term, Term),
        values: &mut FxHashMap<Term, Term>,
    ) {
        match self {
            Slot::Known(..) => values.remove(&variable),
            Slot::Variable(_) => values.insert(variable, bits),
        };
        match self {
            Slot::Variable(Base::Number) => slots.remove(&place),
            Slot::Known(..) | Slot::Variable(_) => slots.insert(place, self),
        };
    }
}

impl Control {
    /// The topmost frame. A running thread has one.
    pub(super) fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a thread that runs should have a frame")
    }

    pub(super) fn depth(&self) -> u32 {
        self.frames.len() as u32 - 1
    }

    fn slots_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        self.frames.iter_mut().flat_map(|frame| frame.slots.values_mut()).chain(self.cells.values_mut())
    }

    /// Whether a pointer leads to the object.
    pub(super) fn mentions(&self, object: Object) -> bool {
        let mut slots = self.frames.iter().flat_map(|frame| frame.slots.values()).chain(self.cells.values());
        slots.any(|slot| slot.base().object() == Some(object))
    }

    /// Pointers to objects of a frame at this depth dangle from now on.
    pub(super) fn forget_frame(&mut self, gone: u32) {
        self.forget(|object| matches!(object, Object::Stack { depth, .. } if depth == gone));
    }

    /// Pointers to an object dangle from now on.
    pub(super) fn forget_object(&mut self, gone: Object) {
        self.forget(|object| object == gone);
    }

    fn forget(&mut self, is_gone: impl Fn(Object) -> bool) {
        self.cells.retain(|cell, _| !is_gone(cell.object));
        for slot in self.slots_mut() {
            if slot.base().object().is_some_and(&is_gone) {
                *slot = Slot::Known(Base::Gone, 0);
            }
        }
    }

    /// The same without the explicit thread numbers: a loop that creates threads returns to it.
    pub(super) fn without_threads(&self) -> Control {
        let mut control = self.clone();
        let is_other = |slot: &Slot| !matches!(slot.base(), Base::Thread(_) | Base::Gone);
        for frame in &mut control.frames {
            frame.slots.retain(|_, slot| is_other(slot));
        }
        control.cells.retain(|_, slot| is_other(slot));
        control
    }

    /// The number of this thread may be reused from now on.
    pub(super) fn forget_thread(&mut self, thread: SiteId) {
        for slot in self.slots_mut() {
            if slot.base() == Base::Thread(thread) {
                *slot = Slot::Known(Base::Gone, 0);
            }
        }
    }
}
