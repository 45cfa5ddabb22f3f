//! Control points: where a thread is, and what about it is told explicitly rather than by variables of the model.
//!
//! Explicit are the call stack, which object or function a pointer leads to (and where into it, if that is constant), which
//! thread a number is that of, and constants in variables that others were found to depend on.

use super::model::{At, TemplateId};
use base::define_id;
use ir::{EdgeId, FunctionId, LocId, LocalId, ObjectId};
use smt::Term;
use std::collections::BTreeMap;

define_id!(
    /// A place where threads are made: a control point, but for what it tells of other threads. Prints as `p7`.
    SiteId, "p");

/// An object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Object {
    /// A static one; of a thread-local one the thread's copy.
    Static(ObjectId),
    /// One that the function at this depth of the thread's stack made with this statement, and its size.
    Stack { depth: u32, at: At, bytes: u64 },
}

/// What a value leads to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Base {
    /// It is a number, or a pointer of which no more is known than its bits.
    Number,
    /// An object; the bits are the offset.
    Object(Object),
    /// The ghost of an object.
    Ghost(Object),
    Function(FunctionId),
    /// The number of a thread that was made at this place.
    Thread(SiteId),
    /// Memory that is not followed; it is not null.
    Elsewhere,
    /// Memory or a thread that may no longer be there.
    Gone,
}

/// A value over the variables of the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Value {
    pub(super) base: Base,
    pub(super) bits: Term,
}

/// What is told explicitly of a variable or cell; of one that is not mentioned, nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Slot {
    /// It is this constant.
    Known(Base, u128),
    /// The variable of the model is the offset, or the bits.
    Variable(Base),
}

/// A part of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Cell {
    pub(super) object: Object,
    pub(super) is_ghost: bool,
    pub(super) offset: u64,
    pub(super) bytes: u64,
}

/// A function that is executed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Frame {
    pub(super) function: FunctionId,
    pub(super) loc: LocId,
    /// The call that waits for the next frame to end.
    pub(super) call: Option<EdgeId>,
    pub(super) slots: BTreeMap<LocalId, Slot>,
}

/// What a thread is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Status {
    Running,
    /// It has ended.
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
    /// Of the thread's own memory.
    pub(super) cells: BTreeMap<Cell, Slot>,
    /// How many atomic regions it is in.
    pub(super) regions: u32,
}

impl Slot {
    pub(super) fn base(self) -> Base {
        match self {
            Slot::Known(base, _) | Slot::Variable(base) => base,
        }
    }
}

impl Control {
    /// The function that runs. A thread that runs has one.
    pub(super) fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a thread that runs should have a frame")
    }

    pub(super) fn depth(&self) -> u32 {
        self.frames.len() as u32 - 1
    }

    /// All slots.
    fn slots_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        self.frames.iter_mut().flat_map(|frame| frame.slots.values_mut()).chain(self.cells.values_mut())
    }

    /// Whether a pointer leads to the object.
    pub(super) fn mentions(&self, object: Object) -> bool {
        let mut slots = self.frames.iter().flat_map(|frame| frame.slots.values()).chain(self.cells.values());
        slots.any(|slot| matches!(slot.base(), Base::Object(other) | Base::Ghost(other) if other == object))
    }

    /// Pointers to what a frame at this depth made lead nowhere from now on.
    pub(super) fn forget_frame(&mut self, gone: u32) {
        self.forget(|object| matches!(object, Object::Stack { depth, .. } if depth == gone));
    }

    /// Pointers to an object lead nowhere from now on.
    pub(super) fn forget_object(&mut self, gone: Object) {
        self.forget(|object| object == gone);
    }

    fn forget(&mut self, is_gone: impl Fn(Object) -> bool) {
        self.cells.retain(|cell, _| !is_gone(cell.object));
        for slot in self.slots_mut() {
            if let Base::Object(object) | Base::Ghost(object) = slot.base() {
                if is_gone(object) {
                    *slot = Slot::Known(Base::Gone, 0);
                }
            }
        }
    }

    /// The same without what is told of threads: a loop that makes threads comes back to it.
    pub(super) fn without_threads(&self) -> Control {
        let mut control = self.clone();
        let is_other = |slot: &Slot| !matches!(slot.base(), Base::Thread(_) | Base::Gone);
        for frame in &mut control.frames {
            frame.slots.retain(|_, slot| is_other(slot));
        }
        control.cells.retain(|_, slot| is_other(slot));
        control
    }

    /// The number of this thread may be used again from now on.
    pub(super) fn forget_thread(&mut self, thread: SiteId) {
        for slot in self.slots_mut() {
            if slot.base() == Base::Thread(thread) {
                *slot = Slot::Known(Base::Gone, 0);
            }
        }
    }
}
