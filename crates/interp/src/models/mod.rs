//! The memory models, one module each behind one trait: what an access to shared memory reads and writes, the effects of
//! fences, synchronisation, starts and joins, and the steps of the model itself. `docs/semantics.md` says the same in
//! words.
//!
//! | module | state |
//! |---|---|
//! | [`sc`] | nothing: an access is one of the object itself |
//! | [`buffers`] (`tso`, `pso`) | a buffer of stores per thread ([`Thread::buffer`], [`Thread::barrier`]) |
//! | [`release_acquire`] | the writes that can still be read, and views ([`histories`], [`Thread::fence_due`]) |
//!
//! The state of a model is empty under the others, so all states are compared and stored alike. The statements themselves
//! ([`crate::step`], [`crate::memory`]) know no models. Ghost memory is sequentially consistent under all models: a model
//! only defines what a thread learns through it.

mod buffers;
pub mod histories;
mod release_acquire;
mod sc;

pub use buffers::Buffered;

use crate::enabled::Readiness;
use crate::happens_before::Release;
use crate::machine::Machine;
use crate::memory::{Change, Found};
use crate::state::{State, Thread};
use crate::step::{Interrupt, Step};
use crate::value::{ObjRef, Pointer, Value};
use histories::Cell;
use ir::{Action, EdgeId, FunctionId, MemoryModel, Move, Order, Stmt, StoreBuffer, Type};
use smallvec::SmallVec;

/// A step that may be taken.
pub(crate) type Actions = SmallVec<[(u32, Action); 4]>;

/// A valid access to non-ghost memory.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    pub(crate) pointer: Pointer,
    pub(crate) ty: Type,
    /// The number of bytes.
    pub(crate) len: u64,
    pub(crate) order: Order,
    /// The index of the object in the state.
    pub(crate) index: usize,
}

/// A memory model.
pub(crate) trait Model: std::fmt::Debug {
    /// The value a load finds.
    fn read(&self, step: &mut Step<'_, '_>, access: &Access) -> Result<Found, Interrupt>;

    /// A store; a read that acquires from it learns `release`.
    fn write(&self, step: &mut Step<'_, '_>, access: &Access, value: Value, release: Release) -> Result<(), Interrupt>;

    /// A read-modify-write: `order` applies if it writes, `failure` if it does not; returns the old value.
    fn update<'a, 'p>(
        &self,
        step: &mut Step<'a, 'p>,
        access: &Access,
        failure: Order,
        change: &mut Change<'_, Step<'a, 'p>>,
    ) -> Result<Value, Interrupt>;

    /// The effect of a fence besides happens-before.
    fn fence(&self, step: &mut Step<'_, '_>, order: Order);

    /// Whether accesses to shared objects take effect in the objects at once, so that undefined bytes can be copied as
    /// such: buffers and histories hold values.
    fn is_direct(&self) -> bool;

    /// Whether the pieces of a copied range may become visible in another order than they are written.
    fn reorders_pieces(&self) -> bool {
        false
    }

    /// Whether choices made inside a step may turn out to be [`Interrupt::Impossible`].
    fn has_choices(&self) -> bool {
        false
    }

    // Synchronisation.

    /// A thread has started another one.
    fn started(&self, _state: &mut State, _parent: u32, _child: u32) {}

    /// A thread has joined another one.
    fn joined(&self, _state: &mut State, _thread: u32, _ended: u32) {}

    /// The number of a thread becomes free.
    fn retired(&self, _state: &mut State, _number: u32) {}

    /// A thread acquires from a ghost cell.
    fn acquired_ghost(&self, _state: &mut State, _thread: u32, _cell: (ObjRef, i64)) {}

    /// A thread writes a ghost cell; `is_update`: in the same step as it reads it.
    fn wrote_ghost(&self, _state: &mut State, _thread: u32, _cell: (ObjRef, i64), _order: Order, _is_update: bool) {}

    // Objects.

    /// The life of an object has ended.
    fn forget(&self, _state: &mut State, _object: ObjRef) {}

    // Steps.

    /// Whether a thread can step, where that does not depend on its next statement alone.
    fn readiness(
        &self,
        _machine: &Machine<'_>,
        _state: &State,
        _number: u32,
        _at: (FunctionId, EdgeId),
    ) -> Option<Readiness> {
        None
    }

    /// Whether a thread has a step to take before its next statement.
    fn is_due(&self, _thread: &Thread) -> bool {
        false
    }

    /// Takes that step.
    fn take_due(&self, _step: &mut Step<'_, '_>) -> Result<(), Interrupt> {
        unreachable!("only a step that is due should be taken")
    }

    /// Which stores of a thread may reach memory next.
    fn flushes(&self, _state: &State, _number: u32, _actions: &mut Actions) {}

    /// Flushes one of them.
    fn flush(&self, _step: &mut Step<'_, '_>, _position: usize) {
        unreachable!("only a store that waits should reach memory")
    }

    /// After each step: drops what no thread can read any more.
    fn settle(&self, _step: &mut Step<'_, '_>) {}

    // Reduction.

    /// Whether the next statement of a thread is visible to other threads, where that does not depend on what it accesses.
    fn is_visible(&self, _machine: &Machine<'_>, _thread: &Thread, _stmt: &Stmt) -> Option<bool> {
        None
    }

    // Following the run of an engine.

    /// The write of a cell that a move reads, as a position with the number of choices, and the position of its own
    /// write.
    fn choices(&self, _state: &State, _number: u32, _cell: Cell, _step: &Move) -> ((usize, usize), usize) {
        ((1, 0), 0)
    }
}

/// The memory model with a name.
pub(crate) fn model(model: MemoryModel) -> &'static dyn Model {
    match model {
        MemoryModel::Sc => &sc::Sc,
        MemoryModel::Tso => &buffers::Buffers(StoreBuffer::Fifo),
        MemoryModel::Pso => &buffers::Buffers(StoreBuffer::PerLocation),
        MemoryModel::Ra => &release_acquire::ReleaseAcquire,
    }
}
