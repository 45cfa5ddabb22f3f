//! Atomicity violations: for each thread the accesses that may be the first of a pair that is meant to be one, and what
//! other threads have done to the same bytes since. `docs/semantics.md` defines the property; which pairs there are,
//! [`AtomicPairs`] tells.
//!
//! An access is kept from when it happens to the next one of its thread to the same bytes, or until no pair can be made
//! of it any more: the calls that a pair would have to be in have returned, or the thread has ended. Only threads that ran
//! already when it happened count.

use crate::value::ObjRef;
use ir::analysis::atomicity::{At, Pairing};
use ir::analysis::AtomicPairs;
use std::rc::Rc;

/// What an access does.
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

    /// What of it is not in a part of it.
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
    /// The calls that it was in and that have not returned, and itself if none has.
    calls: Rc<[At]>,
    /// The other threads that ran.
    others: Vec<u32>,
    /// Whether the thread has synchronised since.
    is_disturbed: bool,
    /// A read and a write of theirs since, the first of each. That they are told apart by who made them keeps states apart that
    /// need not be, but makes every state tell its own story.
    read: Remote,
    written: Remote,
    at: At,
}

/// What each thread may still complete to a pair.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Atomicity {
    firsts: Vec<First>,
}

/// An access.
#[derive(Clone, Debug)]
pub struct NewAccess {
    /// The thread.
    pub thread: u32,
    /// Where.
    pub range: Range,
    /// What it does.
    pub does: Does,
    /// The calls in progress, and the statement itself.
    pub calls: Rc<[At]>,
    /// The other threads that run.
    pub others: Vec<u32>,
    /// Whether it synchronises, too.
    pub synchronises: bool,
}

/// Three accesses that no serial order explains; the last is the one at hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unserialisable {
    /// The first access, by the same thread as the last.
    pub first: At,
    /// What it does.
    pub first_does: Does,
    /// The thread between, and its access.
    pub remote: (u32, At),
    /// Whether that is a write.
    pub remote_writes: bool,
}

impl Atomicity {
    /// Records an access; tells what it completes, if it does.
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

    /// Whether a change of the calls or threads would be noticed.
    pub fn has_firsts_of(&self, thread: u32) -> bool {
        self.firsts.iter().any(|first| first.thread == thread)
    }

    /// A call has returned: so many are left.
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

    /// An object is gone: nobody can access it any more.
    pub fn forget_object(&mut self, object: ObjRef) {
        self.firsts.retain(|first| first.range.object != object);
    }
}

impl First {
    /// What it is part of, if the next access of its thread makes it a pair with something unserialisable between.
    fn completed(&self, second: &NewAccess, pairs: &AtomicPairs) -> Option<Unserialisable> {
        // A read between matters to two writes. A write between to all but two mere writes.
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

    /// The same after an access of another thread to its bytes.
    fn met(mut self, new: &NewAccess) -> First {
        let Some(&at) = new.calls.last() else { return self };
        if self.others.contains(&new.thread) {
            let remote = (new.thread, at);
            if new.does.writes {
                self.written.get_or_insert(remote);
            }
            // Only to a write does a read matter.
            if new.does.reads && self.does.writes {
                self.read.get_or_insert(remote);
            }
        }
        self
    }
}
