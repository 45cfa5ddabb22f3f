//! Happens-before, for detecting data races: a vector clock per thread, the clock that each atomic location passes on,
//! and the last accesses to each byte range that some thread does not know of yet.
//!
//! Clocks are only compared, never shown: `canonical` renumbers them, so that states that differ only in the number of
//! releases become equal.

use crate::value::ObjRef;
use ir::{EdgeId, FunctionId, Order};
use std::rc::Rc;

/// For each thread (by number - 1), the known part of its past. Trailing zeros are dropped.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Clock(Vec<u32>);

impl Clock {
    /// The known part of a thread's past.
    pub fn get(&self, thread: u32) -> u32 {
        self.0.get(thread as usize - 1).copied().unwrap_or(0)
    }

    fn set(&mut self, thread: u32, time: u32) {
        let index = thread as usize - 1;
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        self.0[index] = time;
    }

    /// Joins another clock into this one.
    pub fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }

    fn is_at_most(&self, other: &Clock) -> bool {
        self.0.iter().enumerate().all(|(index, time)| *time <= other.get(index as u32 + 1))
    }

    fn for_each(&mut self, visit: &mut impl FnMut(u32, &mut u32)) {
        for (index, time) in self.0.iter_mut().enumerate() {
            visit(index as u32 + 1, time);
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}

/// The clock that a write passes on to an acquiring reader.
pub type Release = Option<Rc<Clock>>;

/// Bytes of an object, or of its ghost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// Whether it is in the object's ghost.
    pub ghost: bool,
    /// The object.
    pub object: ObjRef,
    /// The first byte.
    pub offset: i64,
    /// The number of bytes.
    pub len: i64,
}

impl Place {
    fn end(&self) -> i64 {
        self.offset.saturating_add(self.len)
    }

    fn overlaps(&self, other: &Place) -> bool {
        (self.ghost, self.object) == (other.ghost, other.object)
            && self.offset < other.end()
            && other.offset < self.end()
    }

    /// Its parts before and after another place that it overlaps.
    fn beside(&self, other: &Place) -> Vec<Place> {
        let part = |from: i64, to: i64| (from < to).then(|| Place { offset: from, len: to - from, ..*self });
        part(self.offset, other.offset).into_iter().chain(part(other.end(), self.end())).collect()
    }
}

/// The kind of an access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AccessKind {
    /// Whether it wrote.
    pub write: bool,
    /// Whether it was atomic, or in an atomic region: two such accesses do not race.
    pub atomic: bool,
}

/// An access that some thread does not know of yet.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Accessed {
    object: ObjRef,
    offset: u64,
    len: u64,
    thread: u32,
    kind: AccessKind,
    time: u32,
    at: At,
}

/// The place of an access: shown, never compared, so that it does not distinguish states.
#[derive(Clone, Copy, Debug)]
struct At(FunctionId, EdgeId);

impl PartialEq for At {
    fn eq(&self, _: &At) -> bool {
        true
    }
}
impl Eq for At {}
impl PartialOrd for At {
    fn partial_cmp(&self, other: &At) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for At {
    fn cmp(&self, _: &At) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}
impl std::hash::Hash for At {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// The knowledge of one thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Knowledge {
    /// Everything that happens before its next action.
    clock: Clock,
    /// What an acquire fence will add: clocks read by relaxed loads.
    pending: Clock,
    /// The clock that a relaxed store passes on: the knowledge at the last release fence.
    fenced: Option<Rc<Clock>>,
    /// Whether the thread is running (others keep only what a join takes over).
    running: bool,
}

/// The knowledge of all threads.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct HappensBefore {
    threads: Vec<Knowledge>,
    /// The clocks of the last writes to atomic or ghost memory, ordered by place: ranges that do not overlap.
    locations: Vec<(Place, Rc<Clock>)>,
    accesses: Vec<Accessed>,
}

/// The other access of a race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Race {
    /// The thread.
    pub thread: u32,
    /// The statement.
    pub at: (FunctionId, EdgeId),
    /// Whether it wrote.
    pub write: bool,
}

/// An access to be compared with earlier ones.
#[derive(Clone, Copy, Debug)]
pub struct NewAccess {
    /// The thread.
    pub thread: u32,
    /// The object.
    pub object: ObjRef,
    /// The first byte.
    pub offset: u64,
    /// The number of bytes.
    pub len: u64,
    /// Its kind.
    pub kind: AccessKind,
    /// The statement.
    pub at: (FunctionId, EdgeId),
}

impl HappensBefore {
    /// The initial knowledge: one thread, `main`.
    pub fn new() -> HappensBefore {
        let mut start = HappensBefore::default();
        start.thread(1).running = true;
        start.tick(1);
        start
    }

    fn thread(&mut self, thread: u32) -> &mut Knowledge {
        let index = thread as usize - 1;
        if self.threads.len() <= index {
            self.threads.resize(index + 1, Knowledge::default());
        }
        &mut self.threads[index]
    }

    fn tick(&mut self, thread: u32) {
        let knowledge = self.thread(thread);
        let time = knowledge.clock.get(thread) + 1;
        knowledge.clock.set(thread, time);
    }

    /// Whether a thread's number can be reused without confusing the accesses of the old and the new thread.
    pub fn is_forgotten(&self, thread: u32) -> bool {
        let is_known = |access: &Accessed| {
            let mut running = self.threads.iter().filter(|knowledge| knowledge.running);
            running.all(|knowledge| knowledge.clock.get(thread) >= access.time)
        };
        self.accesses.iter().all(|access| access.thread != thread || is_known(access))
    }

    /// A thread starts another.
    pub fn spawn(&mut self, parent: u32, child: u32) {
        let clock = self.thread(parent).clock.clone();
        let time = self.thread(child).clock.get(child);
        *self.thread(child) = Knowledge { clock, running: true, ..Knowledge::default() };
        self.thread(child).clock.set(child, time);
        self.tick(child);
        self.tick(parent);
    }

    /// A thread ended.
    pub fn end(&mut self, thread: u32) {
        let knowledge = self.thread(thread);
        knowledge.running = false;
        knowledge.pending = Clock::default();
        knowledge.fenced = None;
    }

    /// A thread joins another.
    pub fn join(&mut self, thread: u32, ended: u32) {
        let clock = self.thread(ended).clock.clone();
        self.thread(thread).clock.join(&clock);
        self.retire(ended);
    }

    /// A thread's number becomes free. Only its own time is kept: it continues when the number is used again.
    pub fn retire(&mut self, thread: u32) {
        let time = self.thread(thread).clock.get(thread);
        *self.thread(thread) = Knowledge::default();
        self.thread(thread).clock.set(thread, time);
    }

    /// The clock that a write of this order passes on; `sequence` is the clock of the write it immediately follows, if
    /// it is a read-modify-write.
    pub fn release(&mut self, thread: u32, order: Order, sequence: Release) -> Release {
        let own = if order.releases() {
            let clock = Rc::new(self.thread(thread).clock.clone());
            self.tick(thread);
            Some(clock)
        } else if order.is_atomic() {
            self.thread(thread).fenced.clone()
        } else {
            None
        };
        match (own, sequence) {
            (Some(own), Some(sequence)) if !sequence.is_at_most(&own) => {
                let mut both = (*own).clone();
                both.join(&sequence);
                Some(Rc::new(both))
            }
            (Some(own), _) => Some(own),
            (None, sequence) => sequence,
        }
    }

    /// A read of this order acquires the clock of a write.
    pub fn acquire(&mut self, thread: u32, order: Order, release: &Release) {
        let Some(clock) = release else { return };
        let knowledge = self.thread(thread);
        if order.acquires() {
            knowledge.clock.join(clock);
        } else if order.is_atomic() {
            knowledge.pending.join(clock);
        }
    }

    /// A fence.
    pub fn fence(&mut self, thread: u32, order: Order) {
        let knowledge = self.thread(thread);
        if order.acquires() {
            let pending = std::mem::take(&mut knowledge.pending);
            knowledge.clock.join(&pending);
        }
        if order.releases() {
            knowledge.fenced = Some(Rc::new(knowledge.clock.clone()));
            self.tick(thread);
        }
    }

    /// The clocks of the last writes to the bytes of a place, joined.
    pub fn location(&self, place: Place) -> Release {
        let mut found = self.locations.iter().filter(|(other, _)| other.overlaps(&place)).map(|(_, release)| release);
        let first = found.next()?;
        let mut rest = found.filter(|other| !other.is_at_most(first)).peekable();
        if rest.peek().is_none() {
            return Some(Rc::clone(first));
        }
        let mut all = (**first).clone();
        rest.for_each(|other| all.join(other));
        Some(Rc::new(all))
    }

    /// A write sets the clock of a place; bytes outside it keep theirs.
    pub fn set_location(&mut self, place: Place, release: Release) {
        let old = self.locations.iter().filter(|(other, _)| other.overlaps(&place));
        let beside: Vec<(Place, Rc<Clock>)> = old
            .flat_map(|(other, release)| other.beside(&place).into_iter().map(|part| (part, Rc::clone(release))))
            .collect();
        self.locations.retain(|(other, _)| !other.overlaps(&place));
        for (place, release) in beside.into_iter().chain(release.map(|release| (place, release))) {
            let index = self.locations.partition_point(|(other, _)| *other < place);
            self.locations.insert(index, (place, release));
        }
    }

    /// Records an access; returns the access it races with, if there is one that matters.
    pub fn access(&mut self, new: &NewAccess, matters: impl Fn(&Race) -> bool) -> Option<Race> {
        let clock = self.thread(new.thread).clock.clone();
        let overlaps = |old: &Accessed| {
            old.object == new.object && old.offset < new.offset + new.len && new.offset < old.offset + old.len
        };
        let races = |old: &&Accessed| {
            overlaps(old)
                && old.thread != new.thread
                && (old.kind.write || new.kind.write)
                && !(old.kind.atomic && new.kind.atomic)
                && old.time > clock.get(old.thread)
        };
        let race = |old: &Accessed| Race { thread: old.thread, at: (old.at.0, old.at.1), write: old.kind.write };
        if let Some(race) = self.accesses.iter().filter(races).map(race).find(matters) {
            return Some(race);
        }
        let covered = |old: &Accessed| {
            old.object == new.object
                && old.thread == new.thread
                && old.kind == new.kind
                && old.offset >= new.offset
                && old.offset + old.len <= new.offset + new.len
        };
        self.accesses.retain(|old| !covered(old));
        let recorded = Accessed {
            object: new.object,
            offset: new.offset,
            len: new.len,
            thread: new.thread,
            kind: new.kind,
            time: clock.get(new.thread),
            at: At(new.at.0, new.at.1),
        };
        let index = self.accesses.partition_point(|old| *old < recorded);
        self.accesses.insert(index, recorded);
        None
    }

    /// An object is dead: no thread can access it any more.
    pub fn forget_object(&mut self, object: ObjRef) {
        self.accesses.retain(|access| access.object != object);
        self.locations.retain(|(place, _)| place.object != object);
    }

    /// Drops accesses that every running thread knows, and numbers clocks densely; `others` are the clocks in store
    /// buffers and histories.
    pub fn canonical(&mut self, others: &mut [&mut Rc<Clock>]) {
        let running: Vec<(u32, Clock)> = self
            .threads
            .iter()
            .enumerate()
            .filter(|(_, knowledge)| knowledge.running)
            .map(|(index, knowledge)| (index as u32 + 1, knowledge.clock.clone()))
            .collect();
        let known =
            |thread: u32, time: u32| running.iter().all(|(who, clock)| *who == thread || clock.get(thread) >= time);
        self.accesses.retain(|access| !known(access.thread, access.time));
        self.locations.retain(|(_, release)| !running.iter().all(|(_, clock)| release.is_at_most(clock)));
        let mut times: Vec<Vec<u32>> = vec![vec![0]; self.threads.len()];
        let mut collect = |thread: u32, time: &mut u32| times[thread as usize - 1].push(*time);
        self.for_each_time(&mut collect);
        others.iter_mut().for_each(|clock| Rc::make_mut(clock).for_each(&mut collect));
        for times in &mut times {
            times.sort_unstable();
            times.dedup();
        }
        let mut renumber = |thread: u32, time: &mut u32| {
            let rank = times[thread as usize - 1].binary_search(time).expect("every time should have been collected");
            *time = rank as u32;
        };
        self.for_each_time(&mut renumber);
        others.iter_mut().for_each(|clock| Rc::make_mut(clock).for_each(&mut renumber));
        self.accesses.sort_unstable();
    }

    fn for_each_time(&mut self, visit: &mut impl FnMut(u32, &mut u32)) {
        for knowledge in &mut self.threads {
            knowledge.clock.for_each(visit);
            knowledge.pending.for_each(visit);
            if let Some(fenced) = &mut knowledge.fenced {
                Rc::make_mut(fenced).for_each(visit);
            }
        }
        for (_, release) in &mut self.locations {
            Rc::make_mut(release).for_each(visit);
        }
        for access in &mut self.accesses {
            visit(access.thread, &mut access.time);
        }
    }
}
