//! Locations of the whole program: the explicit part of an abstract state.
//!
//! A location holds the call stacks of all threads, the live objects, and, explicitly, what formulas handle badly: the
//! objects that pointers lead to, thread numbers, the state of locks. Everything else is a state variable
//! ([`super::vocabulary`]) that labels constrain. Two states at equal locations can take the same steps except for the
//! values of state variables, so nodes of the tree are compared by location first.

use super::buffers::Entry;
use super::races::Watch;
use super::vocabulary::ObjId;
use crate::symbolic;
use base::Id;
use ir::{EdgeId, FunctionId, LocId, LocalId};
use smt::Term;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub(super) type Base = symbolic::Base<ObjId, u32>;
pub(super) type Value = symbolic::Value<ObjId, u32>;
pub(super) type Cell = symbolic::Cell<ObjId>;

/// The content of a local or cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Slot {
    /// Dead: written before it is read.
    Dead,
    /// This constant.
    Known(Base, Term),
    /// The value of the state variable.
    Var(Base),
}

impl Slot {
    pub(super) fn base(self) -> Option<Base> {
        match self {
            Slot::Dead => None,
            Slot::Known(base, _) | Slot::Var(base) => Some(base),
        }
    }
}

/// A stack frame.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Frame {
    pub(super) function: FunctionId,
    /// In all but the topmost frame: the source location of the call.
    pub(super) loc: LocId,
    pub(super) locals: Vec<Slot>,
    /// Objects allocated on the stack by this frame.
    pub(super) objects: Vec<ObjId>,
}

/// The status of a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Status {
    /// It has a number but has not started.
    Reserved,
    Running,
    /// It has ended with a result, and has not been joined.
    Ended(Slot),
}

/// A thread.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Thread {
    pub(super) status: Status,
    pub(super) is_detached: bool,
    pub(super) frames: Vec<Frame>,
    /// Nesting depth of atomic regions.
    pub(super) regions: u32,
    /// How many of them are fences.
    pub(super) fenced: u32,
    /// Buffered stores, oldest first.
    pub(super) buffer: Vec<Entry>,
    /// Whether the next store stays behind those in the buffer.
    pub(super) is_barrier_due: bool,
}

/// An object created at run time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Extent {
    pub(super) size: u64,
    pub(super) is_alive: bool,
    pub(super) is_heap: bool,
}

/// A location of the whole program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Location {
    /// By number. Locations are copied for every statement, and most threads stay unchanged.
    pub(super) threads: BTreeMap<u32, Rc<Thread>>,
    /// Allocations that are still reachable.
    pub(super) objects: BTreeMap<ObjId, Extent>,
    /// Cells whose content is not simply the number in their state variable.
    pub(super) cells: BTreeMap<Cell, Slot>,
    /// The watched access, in race detection.
    pub(super) watch: Option<Box<Watch>>,
}

impl Frame {
    /// Drops dead variables.
    pub(super) fn forget(&mut self, is_dead: impl Fn(LocalId) -> bool) {
        for (local, slot) in self.locals.iter_mut().enumerate() {
            if is_dead(LocalId::new(local)) {
                *slot = Slot::Dead;
            }
        }
    }
}

impl Thread {
    /// A thread with a number that has not started.
    pub(super) fn reserved() -> Thread {
        Thread {
            status: Status::Reserved,
            is_detached: false,
            frames: Vec::new(),
            regions: 0,
            fenced: 0,
            buffer: Vec::new(),
            is_barrier_due: false,
        }
    }
}

impl Location {
    /// The thread in an atomic region, if one is.
    pub(super) fn region(&self) -> Option<u32> {
        self.threads.iter().find(|(_, thread)| thread.regions > 0).map(|(number, _)| *number)
    }

    /// The threads that have started and not ended.
    pub(super) fn running(&self) -> impl Iterator<Item = u32> + '_ {
        self.threads.iter().filter(|(_, thread)| thread.status == Status::Running).map(|(number, _)| *number)
    }

    /// Control state only: for each thread and each function on its stack, the place in it.
    pub(super) fn control(&self) -> Vec<(u32, FunctionId, LocId)> {
        let threads = self.threads.iter();
        threads
            .flat_map(|(&number, thread)| thread.frames.iter().map(move |frame| (number, frame.function, frame.loc)))
            .collect()
    }

    /// Whether more than one thread is running.
    pub(super) fn is_parallel(&self) -> bool {
        self.running().nth(1).is_some()
    }

    /// Everything reachable from the values of the selected threads (`is_root`), following pointers.
    fn reachable(&self, is_root: impl Fn(u32) -> bool, with_statics: impl Fn(ObjId) -> bool) -> BTreeSet<ObjId> {
        let mut found: BTreeSet<ObjId> = BTreeSet::new();
        let mut work: Vec<ObjId> = Vec::new();
        let mut note = |slot: &Slot, work: &mut Vec<ObjId>| {
            if let Some(object) = slot.base().and_then(Base::object) {
                if found.insert(object) {
                    work.push(object);
                }
            }
        };
        for (_, thread) in self.threads.iter().filter(|(number, _)| is_root(**number)) {
            if let Status::Ended(slot) = &thread.status {
                note(slot, &mut work);
            }
            for slot in thread.frames.iter().flat_map(|frame| &frame.locals) {
                note(slot, &mut work);
            }
            for entry in &thread.buffer {
                note(&entry.slot, &mut work);
                note(&Slot::Var(Base::Object(entry.cell.object)), &mut work);
            }
        }
        for (cell, slot) in &self.cells {
            if with_statics(cell.object) {
                note(slot, &mut work);
            }
        }
        while let Some(object) = work.pop() {
            let first = Cell { object, is_ghost: false, offset: 0, bytes: 0 };
            for (_, slot) in self.cells.range(first..).take_while(|(cell, _)| cell.object == object) {
                note(slot, &mut work);
            }
        }
        found
    }

    /// Whether no other thread can reach an allocation. An allocation that no value leads to is private to every
    /// thread.
    pub(super) fn is_private(&self, object: ObjId, thread: u32) -> bool {
        if !self.objects.contains_key(&object) {
            return false;
        }
        let others = self.reachable(|number| number != thread, |object| !self.objects.contains_key(&object));
        !others.contains(&object)
    }

    /// Drops unreachable allocations, except those that a function's end has yet to free.
    pub(super) fn collect(&mut self) {
        if self.objects.is_empty() {
            return;
        }
        let reachable = self.reachable(|_| true, |object| !self.objects.contains_key(&object));
        let held: BTreeSet<ObjId> = self
            .threads
            .values()
            .flat_map(|thread| &thread.frames)
            .flat_map(|frame| frame.objects.iter().copied())
            .collect();
        let before: Vec<ObjId> = self.objects.keys().copied().collect();
        self.objects.retain(|object, extent| reachable.contains(object) || extent.is_alive && held.contains(object));
        let objects = &self.objects;
        let is_gone = |object: ObjId| !objects.contains_key(&object) && before.binary_search(&object).is_ok();
        self.cells.retain(|cell, _| !is_gone(cell.object));
        if let Some(watch) = &mut self.watch {
            watch.forget(is_gone);
        }
    }

    /// Whether some value is the number of this thread.
    pub(super) fn mentions_thread(&self, number: u32) -> bool {
        let is_it = |slot: &Slot| slot.base() == Some(Base::Thread(number));
        let in_threads = self.threads.values().any(|thread| {
            matches!(&thread.status, Status::Ended(slot) if is_it(slot))
                || thread.frames.iter().any(|frame| frame.locals.iter().any(is_it))
                || thread.buffer.iter().any(|entry| is_it(&entry.slot))
        });
        in_threads || self.cells.values().any(is_it)
    }

    /// For people: each thread's function and source line.
    pub(super) fn describe(&self, program: &ir::Program) -> String {
        let mut parts = Vec::new();
        for (number, thread) in &self.threads {
            let text = match thread.status {
                Status::Reserved => "new".to_owned(),
                Status::Ended(_) => "ended".to_owned(),
                Status::Running => match thread.frames.last() {
                    Some(frame) => {
                        let function = &program.functions[frame.function];
                        let edge = function.edges.iter().find(|edge| edge.from == frame.loc);
                        let place = edge.map(|edge| program.place(edge.span)).unwrap_or_default();
                        format!("{} l{} {place}", function.name, frame.loc.index())
                    }
                    None => "?".to_owned(),
                },
            };
            parts.push(format!("T{number} {text}"));
        }
        parts.join(", ")
    }
}

/// The position of an edge: its function and number.
pub(super) type At = (FunctionId, EdgeId);
