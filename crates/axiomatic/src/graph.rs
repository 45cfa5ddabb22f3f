//! A candidate execution under construction: its events, the reads-from relation, the modification order of each
//! location, and the control state of each thread.

use super::thread::Thread;
use super::value::{Home, Pointer, Value};
use std::collections::BTreeMap;

/// A location of memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Location {
    /// A cell of an object or of its ghost.
    Cell { home: Home, ghost: bool, offset: u64, len: u64 },
    /// The hidden location that seq_cst fences update under release-acquire.
    Fences,
}

impl Location {
    /// Whether it lies in ghost memory.
    pub(super) fn is_ghost(self) -> bool {
        match self {
            Location::Cell { ghost, .. } => ghost,
            Location::Fences => false,
        }
    }

    /// The cell a pointer points to.
    pub(super) fn cell(pointer: Pointer, offset: u64, len: u64) -> Location {
        Location::Cell { home: pointer.home, ghost: pointer.ghost, offset, len }
    }
}

/// The order that an event imposes in a thread with a store buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Barrier {
    /// Nothing.
    None,
    /// Writes before it precede it, and it precedes writes after it.
    StoreStore,
    /// Everything before it precedes it, and it precedes everything after it.
    Full,
}

/// An event.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// Its thread; initial writes have none.
    pub(super) thread: Option<usize>,
    /// Its place in program order.
    pub(super) index: usize,
    /// The location it accesses, if any.
    pub(super) location: Option<Location>,
    /// The write it reads, if it reads.
    pub(super) reads_from: Option<usize>,
    /// The value it writes, if it writes.
    pub(super) writes: Option<Value>,
    /// Whether it is a write that goes through a store buffer, in models that have one.
    pub(super) buffered: bool,
    pub(super) barrier: Barrier,
    /// Ghost memory under release-acquire: whether it acquires from a release.
    pub(super) acquires: bool,
    /// Ghost memory under release-acquire: whether it releases.
    pub(super) releases: bool,
    /// The atomic region of its thread, or the statement of several events, that it belongs to.
    pub(super) group: Option<u32>,
}

/// A candidate execution, or a part of one that is closed under program order and reads-from.
#[derive(Clone, Debug)]
pub(super) struct Graph<'p> {
    /// The events, in the order they were added, which is irrelevant.
    pub(super) events: Vec<Event>,
    /// The writes of each location in modification order, the initial one first.
    pub(super) order: BTreeMap<Location, Vec<usize>>,
    /// The threads, the first one first.
    pub(super) threads: Vec<Thread<'p>>,
    /// Whether an atomic region has begun.
    pub(super) has_regions: bool,
}

/// Stands for initial writes and for "does not read" in a key.
const NONE: u32 = u32::MAX;

impl<'p> Graph<'p> {
    /// The graph without events.
    pub(super) fn new(main: Thread<'p>) -> Graph<'p> {
        Graph { events: Vec::new(), order: BTreeMap::new(), threads: vec![main], has_regions: false }
    }

    /// The identity of the execution, independent of the order in which its events were added: the choices and reads of
    /// each thread, and the modification orders. The rest follows.
    pub(super) fn key(&self) -> Box<[u32]> {
        let name = |event: usize| match self.events[event].thread {
            Some(thread) => (thread as u32) << 16 | self.events[event].index as u32,
            None => NONE,
        };
        let mut key = Vec::new();
        for thread in &self.threads {
            key.push(thread.picks.len() as u32);
            key.extend(&thread.picks);
            key.push(thread.events.len() as u32);
            key.extend(thread.events.iter().map(|event| self.events[*event].reads_from.map_or(NONE, name)));
        }
        for writes in self.order.values() {
            key.push(writes.len() as u32);
            key.extend(writes.iter().map(|write| name(*write)));
        }
        key.into_boxed_slice()
    }

    /// Whether a read-modify-write reads this write: nothing may come between them.
    pub(super) fn is_taken(&self, write: usize) -> bool {
        self.events.iter().any(|event| event.writes.is_some() && event.reads_from == Some(write))
    }

    /// The value of a location after all its writes.
    pub(super) fn last_value(&self, location: Location) -> Option<Value> {
        let last = self.order.get(&location)?.last()?;
        self.events[*last].writes
    }
}
