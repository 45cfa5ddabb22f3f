//! Atomicity violations: for each thread, the accesses that may be the first of a pair that is meant to be atomic, and
//! what other threads have done to the same bytes since. `docs/semantics.md` defines the property; [`AtomicPairs`]
//! gives the pairs.
//!
//! An access is tracked until the next access of its thread to the same bytes, or until it can no longer be part of a
//! pair: the calls that would contain the pair have returned, or the thread has ended. Only threads that were already
//! running at the access count.

use crate::value::ObjRef;
use ir::analysis::atomicity::{At, Pairing};
use ir::analysis::AtomicPairs;
use std::rc::Rc;

/// The effect of an access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Does {
    /// Whether it reads.
    pub reads: bool,
    /// Whether it writes.
    pub writes: bool,
}

/// A range of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Range {
    /// The object.
    pub object: ObjRef,
    /// The first byte.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
}

impl Range {
    fn common(&self, other: &Range) -> Option<Range> {
        let (start, end) = (self.start.max(other.start), self.end.min(other.end));
        (self.object == other.object && start < end).then_some(Range { start, end, ..*self })
    }

    /// The part of it outside another range.
    fn without(&self, part: &Range) -> impl Iterator<Item = Range> {
        let parts = [Range { end: part.start, ..*self }, Range { start: part.end, ..*self }];
        parts.into_iter().filter(|range| range.start < range.end)
    }
}

/// An access of another thread.
type Remote = Option<(u32, At)>;

/// An access that may be the first of a pair.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct First {
    thread: u32,
    range: Range,
    does: Does,
    /// The calls that contained it and have not returned; the statement itself if there is none.
    calls: Rc<[At]>,
    /// The other threads that were running.
    others: Vec<u32>,
    /// Whether the thread has synchronised since.
    is_disturbed: bool,
    /// The first read and the first write of other threads since. Distinguishing them by thread keeps apart states that
    /// could be merged, but lets each state report its own story.
    read: Remote,
    written: Remote,
    at: At,
}

/// The accesses of each thread that may still become the first of a pair.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Atomicity {
    firsts: Vec<First>,
}

/// An access.
#[derive(Clone, Debug)]
pub struct NewAccess {
    /// The thread.
    pub thread: u32,
    /// Its bytes.
    pub range: Range,
    /// Its effect.
    pub does: Does,
    /// The calls in progress, and the statement itself.
    pub calls: Rc<[At]>,
    /// The other running threads.
    pub others: Vec<u32>,
    /// Whether it also synchronises.
    pub synchronises: bool,
}

/// Three accesses that no serial order explains; the last is the current one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unserialisable {
    /// The first access, by the same thread as the last.
    pub first: At,
    /// Its effect.
    pub first_does: Does,
    /// The thread in between, and its access.
    pub remote: (u32, At),
    /// Whether that access writes.
    pub remote_writes: bool,
}

impl Atomicity {
    /// Records an access; returns the violation that it completes, if any.
    pub fn access(&mut self, new: &NewAccess, pairs: &AtomicPairs) -> Option<Unserialisable> {
        let own = self.firsts.iter().filter(|first| first.thread == new.thread);
        let mut met = own.filter(|first| first.range.common(&new.range).is_some());
        if let Some(found) = met.find_map(|first| first.completed(new, pairs)) {
            return Some(found);
        }
        if new.synchronises {
            self.disturb(new.thread, pairs);
        }
        let is_met = self.firsts.iter().any(|first| first.range.common(&new.range).is_some());
        let may_be_first = !new.others.is_empty() && pairs.may_be_first(&new.calls, false);
        if !is_met && !may_be_first {
            return None;
        }
        let mut after = Vec::with_capacity(self.firsts.len() + 1);
        for first in std::mem::take(&mut self.firsts) {
            let Some(part) = first.range.common(&new.range) else {
                after.push(first);
                continue;
            };
            after.extend(first.range.without(&part).map(|range| First { range, ..first.clone() }));
            if first.thread != new.thread {
                after.push(First { range: part, ..first }.met(new));
            }
        }
        if let (true, Some(at)) = (may_be_first, new.calls.last()) {
            after.push(First {
                thread: new.thread,
                range: new.range,
                does: new.does,
                calls: Rc::clone(&new.calls),
                others: new.others.clone(),
                is_disturbed: false,
                read: None,
                written: None,
                at: *at,
            });
        }
        after.sort_unstable();
        self.firsts = after;
        None
    }

    /// A thread synchronises.
    pub fn disturb(&mut self, thread: u32, pairs: &AtomicPairs) {
        self.firsts.retain_mut(|first| {
            first.is_disturbed |= first.thread == thread;
            first.thread != thread || pairs.may_be_first(&first.calls, true)
        });
        self.firsts.sort_unstable();
    }

    /// Whether a change of the calls or threads can have an effect.
    pub fn has_firsts_of(&self, thread: u32) -> bool {
        self.firsts.iter().any(|first| first.thread == thread)
    }

    /// A call has returned: `left` calls are left.
    pub fn returned(&mut self, thread: u32, left: usize, pairs: &AtomicPairs) {
        self.firsts.retain_mut(|first| {
            if first.thread != thread || first.calls.len() <= left {
                return true;
            }
            first.calls = Rc::from(&first.calls[..left]);
            !pairs.is_inferred() && pairs.may_be_first(&first.calls, first.is_disturbed)
        });
        self.firsts.sort_unstable();
    }

    /// A thread has ended.
    pub fn ended(&mut self, thread: u32) {
        self.firsts.retain_mut(|first| {
            first.others.retain(|other| *other != thread);
            let is_open = !first.others.is_empty() || first.read.is_some() || first.written.is_some();
            first.thread != thread && is_open
        });
        self.firsts.sort_unstable();
    }

    /// An object is dead: no thread can access it any more.
    pub fn forget_object(&mut self, object: ObjRef) {
        self.firsts.retain(|first| first.range.object != object);
    }
}

impl First {
    /// The violation, if the next access of its thread makes it a pair with something unserialisable in between.
    fn completed(&self, second: &NewAccess, pairs: &AtomicPairs) -> Option<Unserialisable> {
        // A read in between matters to two writes. A write in between matters unless both are plain writes.
        let written = self.written.filter(|_| self.does.reads || second.does.reads);
        let read = self.read.filter(|_| self.does.writes && second.does.writes);
        let remote = written.or(read)?;
        // Calls that have returned are not among these any more.
        let is_pair = match pairs.pairing(&self.calls, &second.calls, self.calls.len()) {
            Pairing::Never => false,
            Pairing::Undisturbed => !self.is_disturbed,
            Pairing::Always => true,
        };
        is_pair.then_some(Unserialisable {
            first: self.at,
            first_does: self.does,
            remote,
            remote_writes: written.is_some(),
        })
    }

    /// The state after an access of another thread to its bytes.
    fn met(mut self, new: &NewAccess) -> First {
        let Some(&at) = new.calls.last() else { return self };
        if self.others.contains(&new.thread) {
            let remote = (new.thread, at);
            if new.does.writes {
                self.written.get_or_insert(remote);
            }
            // A read matters only to a write.
            if new.does.reads && self.does.writes {
                self.read.get_or_insert(remote);
            }
        }
        self
    }
}
