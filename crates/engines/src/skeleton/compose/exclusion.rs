//! Mutual exclusion: between two accesses of one thread in one atomic region, or under one acquisition of a lock that
//! also guards every other thread's write to the place, no other thread writes. So
//!
//! * a read that follows another access to its place reads the value of that one, and needs no link set (its *twin*);
//! * a read does not read from another thread's write before a write of its own thread that nothing can come after;
//! * a write is hidden from the reads that are excluded until it is overwritten;
//! * the order of two critical sections determines the order of their writes.
//!
//! All of this follows from the order constraints of [`super::regions`] and [`super::sections`], so it only makes the
//! encoding smaller.

use super::super::events::{EventId, Kind, RegionId};
use super::super::state::LockCell;
use super::super::value::Value;
use super::Composer;
use base::IdVec;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::Term;

/// Data about mutual exclusion.
#[derive(Default)]
pub(super) struct Exclusion {
    /// The atomic region that each event is in.
    regions: IdVec<EventId, Option<RegionId>>,
    /// The locks that are known to have only critical sections. A lock once found to be one stays one: later only the
    /// terms become shorter.
    cells: FxHashSet<LockCell>,
    /// The locks of acquisitions.
    lock_of: FxHashMap<EventId, LockCell>,
    /// Reads that have a twin.
    pub(super) twins: FxHashSet<EventId>,
    /// For two acquisitions of one lock, whether the first comes first.
    order: FxHashMap<(EventId, EventId), Term>,
}

impl Composer<'_> {
    /// Finds the locks with critical sections, and the contents of atomic regions.
    pub(super) fn find_exclusion(&mut self, accesses: &[EventId]) {
        if self.exclusion.regions.is_empty() {
            let mut regions = IdVec::filled(None, self.skeleton.events.len());
            for (id, region) in self.skeleton.regions.enumerate() {
                region.events.iter().for_each(|&event| regions[event] = Some(id));
            }
            self.exclusion.regions = regions;
        }
        let (sections, _) = self.lock_cells(accesses);
        for &event in sections.iter().flatten() {
            let record = &self.skeleton.events[event];
            let (Kind::Lock { .. }, Some(cell)) = (&record.kind, self.constant_place(record)) else { continue };
            self.exclusion.cells.insert(cell);
            self.exclusion.lock_of.insert(event, cell);
        }
    }

    pub(super) fn has_sections(&self, cell: LockCell) -> bool {
        self.exclusion.cells.contains(&cell)
    }

    /// Records that the first of two acquisitions comes first if `choice` holds.
    pub(super) fn order_sections(&mut self, first: EventId, second: EventId, choice: Term) {
        self.exclusion.order.insert((first, second), choice);
        let other = self.terms.not(choice);
        self.exclusion.order.insert((second, first), other);
    }

    /// The acquisitions of a common lock that guard two accesses.
    fn common_lock(&self, a: EventId, b: EventId) -> Option<(EventId, EventId)> {
        let (x, y) = (&self.skeleton.events[a], &self.skeleton.events[b]);
        for &first in &x.held {
            let Some(cell) = self.exclusion.lock_of.get(&first) else { continue };
            let second = y.held.iter().find(|second| self.exclusion.lock_of.get(second) == Some(cell));
            if let Some(&second) = second {
                return Some((first, second));
            }
        }
        None
    }

    /// The order of two accesses of different threads, if both occur and a lock determines it.
    pub(super) fn section_order(&self, a: EventId, b: EventId) -> Option<Term> {
        self.exclusion.order.get(&self.common_lock(a, b)?).copied()
    }

    /// Whether two accesses of one thread are in the same region.
    fn is_one_region(&self, a: EventId, b: EventId) -> bool {
        self.exclusion.regions[a].is_some() && self.exclusion.regions[a] == self.exclusion.regions[b]
    }

    /// Whether an access of another thread cannot come between two accesses of one thread.
    fn is_excluded(&self, other: EventId, first: EventId, last: EventId) -> bool {
        if self.is_one_region(first, last) || self.is_before(other, first) || self.is_before(last, other) {
            return true;
        }
        let (x, y) = (&self.skeleton.events[first], &self.skeleton.events[last]);
        x.held.iter().filter(|&lock| y.held.contains(lock)).any(|lock| {
            let Some(cell) = self.exclusion.lock_of.get(lock) else { return false };
            let held = &self.skeleton.events[other].held;
            held.iter().any(|other| self.exclusion.lock_of.get(other) == Some(cell))
        })
    }

    /// Whether a write of another thread to the place of a read cannot come between an earlier access and the read.
    pub(super) fn is_kept_out(&self, write: EventId, first: EventId, read: EventId) -> bool {
        self.skeleton.events[write].thread != self.skeleton.events[read].thread
            && self.skeleton.events[first].thread == self.skeleton.events[read].thread
            && self.is_excluded(write, first, read)
    }

    /// Whether a write is overwritten before a read of another thread can see it.
    pub(super) fn is_hidden(&mut self, write: EventId, read: EventId, writes: &[EventId]) -> bool {
        let thread = self.skeleton.events[write].thread;
        if thread == self.skeleton.events[read].thread {
            return false;
        }
        let Some(happens) = self.writes(write) else { return false };
        for &later in writes {
            if self.skeleton.events[later].thread != thread || !self.is_before(write, later) {
                continue;
            }
            if !self.is_excluded(read, write, later) || self.is_before(read, write) {
                continue;
            }
            let same = self.same_place(write, later);
            let Some(follows) = self.writes(later) else { continue };
            if self.terms.as_bool(same) == Some(true) && self.implies(happens, follows) {
                return true;
            }
        }
        false
    }

    /// The value of a read that has a twin: an access of its own thread, with no interference between the two.
    pub(super) fn twin(&mut self, read: EventId, writes: &[EventId], accesses: &[EventId]) -> Option<Value> {
        let event = self.skeleton.events[read].clone();
        let mut best: Option<EventId> = None;
        for &other in accesses {
            let earlier = &self.skeleton.events[other];
            let is_like =
                earlier.thread == event.thread && earlier.bytes == event.bytes && earlier.kind == Kind::Access;
            if !is_like || !self.is_before(other, read) || best.is_some_and(|best| !self.is_before(best, other)) {
                continue;
            }
            if (earlier.held.is_empty() || event.held.is_empty()) && !self.is_one_region(other, read) {
                continue;
            }
            let occurs = earlier.occurs;
            let same = self.same_place(other, read);
            if self.terms.as_bool(same) == Some(true) && self.implies(event.occurs, occurs) {
                best = Some(other);
            }
        }
        let twin = best?;
        let is_between = |&write: &EventId| {
            let is_own = self.skeleton.events[write].thread == event.thread;
            match is_own {
                true => write != twin && self.is_before(twin, write) && self.is_before(write, read),
                false => !self.is_excluded(write, twin, read),
            }
        };
        if writes.iter().any(is_between) {
            return None;
        }
        let earlier = &self.skeleton.events[twin];
        match (earlier.read, earlier.write) {
            (Some(old), Some((condition, new))) => Some(new.or_else(self.terms, condition, old)),
            (Some(old), None) => Some(old),
            (None, Some((condition, new))) => (self.terms.as_bool(condition) == Some(true)).then_some(new),
            (None, None) => None,
        }
    }
}
