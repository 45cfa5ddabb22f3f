//! Decisions about a window without the solver: whether any two accesses could race, by the happens-before of starts,
//! joins and certain reads ([`super::forced`]) and by locksets; and which threads could deadlock, by the lock-order
//! graph (Havelund, Using runtime analysis to guide model checking of Java programs, SPIN 2000).

use super::forced::Forced;
use super::window::{Executed, Request};
use crate::skeleton::events::{EventId, Kind, Skeleton};
use crate::skeleton::state::LockCell;
use crate::skeleton::value::{conjuncts, constant, GHOST};
use base::{Id, IdVec};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::Terms;
use std::collections::BTreeMap;

/// An access that may take part in a race.
struct Access {
    event: EventId,
    writes: bool,
    is_atomic: bool,
    /// Its offset and length, if known.
    range: Option<(u64, u64)>,
}

/// The pairs of accesses of a window that may race, without asking the solver. If `one` is set, stops at the first.
pub(super) fn races(window: &Executed, terms: &mut Terms, one: bool) -> Vec<(EventId, EventId)> {
    let skeleton = &window.skeleton;
    let (by_object, symbolic) = accesses(skeleton, terms);
    let clocks = Clocks::new(skeleton, terms);
    let may_race = |a: &Access, b: &Access| {
        let (x, y) = (&skeleton.events[a.event], &skeleton.events[b.event]);
        let meets = match (a.range, b.range) {
            (Some((p, m)), Some((q, n))) => p < q.saturating_add(n) && q < p.saturating_add(m),
            (None, _) | (_, None) => true,
        };
        x.thread != y.thread
            && (a.writes || b.writes)
            && !(a.is_atomic && b.is_atomic)
            && meets
            && !window.locksets[a.event].iter().any(|lock| window.locksets[b.event].contains(lock))
            && !clocks.is_before(a.event, b.event)
            && !clocks.is_before(b.event, a.event)
    };
    let mut found = Vec::new();
    let mut groups: Vec<Vec<&Access>> = by_object.values().map(|accesses| accesses.iter().collect()).collect();
    groups.push(Vec::new());
    for group in groups {
        for (index, a) in group.iter().copied().chain(&symbolic).enumerate() {
            for b in group.iter().copied().chain(&symbolic).take(index) {
                if may_race(a, b) {
                    found.push((b.event, a.event));
                    if one {
                        return found;
                    }
                }
            }
        }
    }
    found
}

/// The accesses that may take part in races, by object, and those whose object is unknown.
fn accesses(skeleton: &Skeleton, terms: &Terms) -> (BTreeMap<u16, Vec<Access>>, Vec<Access>) {
    let mut in_region = IdVec::filled(false, skeleton.events.len());
    for region in skeleton.regions.iter() {
        region.events.iter().for_each(|&event| in_region[event] = true);
    }
    let mut by_object: BTreeMap<u16, Vec<Access>> = BTreeMap::new();
    let mut symbolic = Vec::new();
    for (event, record) in skeleton.events.enumerate() {
        let (writes, is_kill) = match record.kind {
            Kind::Access => (record.write.is_some(), false),
            Kind::Kill => (true, true),
            Kind::Lock { .. } | Kind::Unlock { .. } | Kind::Fence | Kind::Barrier(_) | Kind::Mark | Kind::Probe => {
                continue
            }
        };
        if terms.as_bool(record.occurs) == Some(false) {
            continue;
        }
        let is_atomic = record.orders.0.is_atomic() || in_region[event];
        let offset = constant(terms, record.location.bits).filter(|_| !is_kill);
        let access = Access { event, writes, is_atomic, range: offset.map(|offset| (offset, record.bytes)) };
        match constant(terms, record.location.object).map(|number| number as u16) {
            Some(number) if number & GHOST != 0 => {}
            Some(number) => by_object.entry(number).or_default().push(access),
            None => symbolic.push(access),
        }
    }
    (by_object, symbolic)
}

/// Vector clock: per thread, the number of its events that come before.
type Clock = Vec<u32>;

/// Happens-before among events, if they occur.
struct Clocks<'s> {
    skeleton: &'s Skeleton,
    clocks: IdVec<EventId, Clock>,
}

impl Clocks<'_> {
    fn new<'s>(skeleton: &'s Skeleton, terms: &mut Terms) -> Clocks<'s> {
        let joined: FxHashMap<EventId, &[(crate::skeleton::events::ThreadId, smt::Term)]> =
            skeleton.joins.iter().map(|join| (join.event, join.threads.as_slice())).collect();
        let mut forced = Forced::new(skeleton, terms);
        let mut counts = vec![0u32; skeleton.threads.len()];
        // By program order, starts and joins only, and with forced reads.
        let mut fixed: IdVec<EventId, Clock> = IdVec::new();
        let mut clocks: IdVec<EventId, Clock> = IdVec::new();
        for (id, event) in skeleton.events.enumerate() {
            let mut own = [vec![0u32; skeleton.threads.len()], vec![0u32; skeleton.threads.len()]];
            let known = conjuncts(terms, event.occurs);
            for &earlier in event.after.iter().filter(|&&earlier| earlier < id) {
                join(&mut own[0], &fixed[earlier]);
                // A forced read applies only if the event occurs.
                let occurs = conjuncts(terms, skeleton.events[earlier].occurs).iter().all(|part| known.contains(part));
                join(&mut own[1], if occurs { &clocks[earlier] } else { &fixed[earlier] });
            }
            if let Some([(thread, _)]) = joined.get(&id) {
                let last = skeleton.threads[*thread].exit.iter().flat_map(|exit| exit.last.iter().copied());
                for earlier in last.filter(|&earlier| earlier < id) {
                    own.iter_mut().for_each(|clock| join(clock, &fixed[earlier]));
                }
            }
            for write in forced.before(terms, id).into_iter().filter(|&write| write < id) {
                join(&mut own[1], &clocks[write]);
            }
            let thread = event.thread.index();
            counts[thread] += 1;
            own.iter_mut().for_each(|clock| clock[thread] = counts[thread]);
            let [first, second] = own;
            fixed.push(first);
            clocks.push(second);
        }
        Clocks { skeleton, clocks }
    }

    fn is_before(&self, a: EventId, b: EventId) -> bool {
        let thread = self.skeleton.events[a].thread.index();
        a != b && self.clocks[b][thread] >= self.clocks[a][thread]
    }
}

fn join(clock: &mut Clock, other: &Clock) {
    for (own, other) in clock.iter_mut().zip(other) {
        *own = (*own).max(*other);
    }
}

/// A cycle in the lock order: each thread acquires a lock that the next one holds.
pub(super) struct Cycle {
    pub(super) requests: Vec<Request>,
}

/// Maximum length of a cycle.
const MAX_THREADS: usize = 4;

/// At most `most` cycles of requests, each combination of statements and locks once.
pub(super) fn cycles(requests: &[Request], most: usize) -> Vec<Cycle> {
    let nested: Vec<&Request> = requests.iter().filter(|request| !request.held.is_empty()).collect();
    let mut holders: FxHashMap<LockCell, Vec<usize>> = FxHashMap::default();
    for (index, request) in nested.iter().enumerate() {
        request.held.iter().for_each(|&cell| holders.entry(cell).or_default().push(index));
    }
    let mut search = Search { nested: &nested, holders: &holders, seen: FxHashSet::default(), found: Vec::new(), most };
    for first in 0..nested.len() {
        search.extend(&mut vec![first]);
    }
    search.found
}

/// A thread, the lock it acquires, and the statement.
type Wish = (usize, LockCell, ir::FunctionId, ir::EdgeId);

struct Search<'r> {
    nested: &'r [&'r Request],
    holders: &'r FxHashMap<LockCell, Vec<usize>>,
    seen: FxHashSet<Vec<Wish>>,
    found: Vec<Cycle>,
    most: usize,
}

impl Search<'_> {
    fn extend(&mut self, path: &mut Vec<usize>) {
        if self.found.len() >= self.most {
            return;
        }
        let (first, last) = (self.nested[path[0]], self.nested[path[path.len() - 1]]);
        if path.len() > 1 && first.held.contains(&last.cell) {
            let mut key: Vec<_> = path
                .iter()
                .map(|&index| self.nested[index])
                .map(|request| (request.thread.index(), request.cell, request.at.0, request.at.1))
                .collect();
            key.sort_unstable();
            if self.seen.insert(key) {
                let requests = path.iter().map(|&index| self.nested[index].clone()).collect();
                self.found.push(Cycle { requests });
            }
            return;
        }
        if path.len() == MAX_THREADS {
            return;
        }
        for &next in self.holders.get(&last.cell).into_iter().flatten() {
            let candidate = self.nested[next];
            // A cycle starts with its smallest request; a lock that two threads hold keeps them apart.
            let fits = next > path[0]
                && path.iter().all(|&index| {
                    let other = self.nested[index];
                    other.thread != candidate.thread && !other.held.iter().any(|cell| candidate.held.contains(cell))
                });
            if fits {
                path.push(next);
                self.extend(path);
                path.pop();
            }
        }
    }
}
