//! The memory models as conditions on a candidate execution: `docs/semantics.md` prints the same table.
//!
//! | model | condition |
//! |---|---|
//! | sc | acyclic(po ∪ fj ∪ rf ∪ co ∪ fr) |
//! | tso | acyclic(po-loc ∪ fj ∪ rf ∪ co ∪ fr) and acyclic(ppo ∪ fj ∪ fence ∪ rfe ∪ co ∪ fr), ppo = po \ (W×R) |
//! | pso | as tso, ppo = po \ (W×R) \ (W×W, different locations) |
//! | ra | hb = (po ∪ fj ∪ rf)⁺ irreflexive, and for every location acyclic(hb-loc ∪ rf ∪ co ∪ fr) |
//!
//! po is program order, fj fork and join order, rf reads-from, co the modification order of each location, fr =
//! rf⁻¹;co, e = between different threads. A read-modify-write is one event.
//!
//! Ghost memory, which holds locks, is sequentially consistent under every model, which the table leaves out: under tso
//! and pso a ghost write is not buffered, so it counts as a read in ppo; under ra some order of execution that contains
//! po, fj and rf also contains co and fr of ghost locations, and rf there is part of hb only from a release to an acquire.
//! An atomic region is one step of the order of execution: that order stays acyclic when the events of each region are
//! merged into one, and so are a seq_cst read under ra and the fence before it, because no region of another thread begins
//! between them. Without regions the latter makes no difference to outcomes and is not required. Initial writes come
//! before everything and have no edges but co and fr.

use super::graph::{Barrier, Event, Graph};
use ir::MemoryModel;

/// Maximum number of events of a graph: a row of a relation is one number.
pub(super) const MAX_EVENTS: usize = 128;

/// A relation on events: for each, the set of its successors as bits.
type Relation = Vec<u128>;

/// Whether the execution is allowed by the model.
pub(super) fn is_consistent(graph: &Graph<'_>, model: MemoryModel) -> bool {
    let parts = Parts { graph, events: &graph.events };
    match model {
        MemoryModel::Sc => {
            let order = parts.relation(|a, b| parts.po(a, b) || parts.fj(a, b));
            is_order(&parts, &parts.with_communication(order, |_, _| true))
        }
        MemoryModel::Tso => is_buffered(&parts, |_, _| true),
        MemoryModel::Pso => is_buffered(&parts, |first, second| parts.same_location(first, second)),
        MemoryModel::Ra => is_release_acquire(&parts),
    }
}

/// Whether seq_cst fences are read-modify-writes of one hidden location, and seq_cst accesses have such fences beside them.
pub(super) fn has_hidden_fences(model: MemoryModel) -> bool {
    match model {
        MemoryModel::Sc | MemoryModel::Tso | MemoryModel::Pso => false,
        MemoryModel::Ra => true,
    }
}

/// The models with store buffers, which keep the order of the pairs of buffered writes that `keeps_writes` selects.
fn is_buffered(parts: &Parts<'_, '_>, keeps_writes: impl Fn(usize, usize) -> bool) -> bool {
    let coherence = parts.relation(|a, b| parts.po_loc(a, b) || parts.fj(a, b));
    if !is_acyclic(&parts.with_communication(coherence, |_, _| true)) {
        return false;
    }
    let order = parts.relation(|a, b| parts.preserved(a, b, &keeps_writes) || parts.fj(a, b) || parts.fence(a, b));
    is_order(parts, &parts.with_communication(order, |write, read| parts.thread(write) != parts.thread(read)))
}

fn is_release_acquire(parts: &Parts<'_, '_>) -> bool {
    let mut execution = parts.relation(|a, b| parts.po(a, b) || parts.fj(a, b));
    let mut before = execution.clone();
    parts.add_rf(&mut execution, |_, _| true);
    for places in parts.graph.order.iter().filter(|(location, _)| location.is_ghost()).map(|(_, writes)| writes) {
        parts.add_co_fr(&mut execution, places);
    }
    if !is_order(parts, &execution) {
        return false;
    }
    parts.add_rf(&mut before, |write, _| !parts.events[write].location.is_some_and(|location| location.is_ghost()));
    parts.add_ghost_releases(&mut before);
    close(&mut before);
    // Events of different locations have no edges between them here, so one check covers all locations.
    let happens_before_loc = parts.relation(|a, b| before[a] >> b & 1 == 1 && parts.same_location(a, b));
    is_acyclic(&parts.with_communication(happens_before_loc, |_, _| true))
}

/// The relations of a graph.
struct Parts<'a, 'p> {
    graph: &'a Graph<'p>,
    events: &'a [Event],
}

impl Parts<'_, '_> {
    fn relation(&self, holds: impl Fn(usize, usize) -> bool) -> Relation {
        let count = self.events.len();
        (0..count).map(|a| (0..count).filter(|b| holds(a, *b)).fold(0, |row, b| row | 1 << b)).collect()
    }

    fn thread(&self, event: usize) -> Option<usize> {
        self.events[event].thread
    }

    fn po(&self, a: usize, b: usize) -> bool {
        self.thread(a).is_some() && self.thread(a) == self.thread(b) && self.events[a].index < self.events[b].index
    }

    fn same_location(&self, a: usize, b: usize) -> bool {
        self.events[a].location.is_some() && self.events[a].location == self.events[b].location
    }

    fn po_loc(&self, a: usize, b: usize) -> bool {
        self.po(a, b) && self.same_location(a, b)
    }

    /// What a thread did up to a spawn precedes the new thread's events; these precede what follows the join.
    fn fj(&self, a: usize, b: usize) -> bool {
        let (Some(first), Some(second)) = (self.thread(a), self.thread(b)) else { return false };
        if first == second {
            return false;
        }
        let started = self.graph.threads[second].spawned;
        let after_spawn = started
            .is_some_and(|spawn| self.thread(spawn) == Some(first) && self.events[a].index <= self.events[spawn].index);
        let ended = self.graph.threads[first].joined;
        let after_join = ended
            .is_some_and(|join| self.thread(join) == Some(second) && self.events[join].index <= self.events[b].index);
        after_spawn || after_join
    }

    /// Program order that store buffers preserve (between accesses; fences are separate).
    fn preserved(&self, a: usize, b: usize, keeps_writes: impl Fn(usize, usize) -> bool) -> bool {
        let (first, second) = (&self.events[a], &self.events[b]);
        if !self.po(a, b) || first.location.is_none() || second.location.is_none() {
            return false;
        }
        match (first.buffered, second.buffered) {
            (true, false) => false,
            (true, true) => keeps_writes(a, b),
            (false, _) => true,
        }
    }

    /// Order imposed by fences and by statements that drain the buffer.
    fn fence(&self, a: usize, b: usize) -> bool {
        if !self.po(a, b) {
            return false;
        }
        if self.events[a].barrier == Barrier::Full || self.events[b].barrier == Barrier::Full {
            return true;
        }
        let (first, second) = (&self.events[a], &self.events[b]);
        let barrier_between = || {
            self.events.iter().any(|event| {
                event.barrier == Barrier::StoreStore
                    && event.thread == first.thread
                    && first.index < event.index
                    && event.index <= second.index
            })
        };
        first.buffered && second.buffered && barrier_between()
    }

    /// Adds co, fr and the rf edges that `counts` selects.
    fn with_communication(&self, mut relation: Relation, counts: impl Fn(usize, usize) -> bool) -> Relation {
        self.add_rf(&mut relation, counts);
        self.graph.order.values().for_each(|writes| self.add_co_fr(&mut relation, writes));
        relation
    }

    fn add_rf(&self, relation: &mut Relation, counts: impl Fn(usize, usize) -> bool) {
        for (read, event) in self.events.iter().enumerate() {
            if let Some(write) = event.reads_from.filter(|write| counts(*write, read)) {
                relation[write] |= 1 << read;
            }
        }
    }

    /// Adds co and fr of one location; `writes` are its writes in order.
    fn add_co_fr(&self, relation: &mut Relation, writes: &[usize]) {
        for (position, write) in writes.iter().enumerate() {
            let later = writes[position + 1..].iter().fold(0u128, |set, later| set | 1 << later);
            relation[*write] |= later;
            for (read, _) in self.events.iter().enumerate().filter(|(_, event)| event.reads_from == Some(*write)) {
                relation[read] |= later & !(1 << read);
            }
        }
    }

    /// An acquiring read of a ghost location comes after the release it reads, or whose value read-modify-writes
    /// passed on to it.
    fn add_ghost_releases(&self, relation: &mut Relation) {
        for (read, event) in self.events.iter().enumerate() {
            if !event.acquires || !event.location.is_some_and(|location| location.is_ghost()) {
                continue;
            }
            let mut source = event.reads_from;
            while let Some(write) = source {
                if self.events[write].releases {
                    relation[write] |= 1 << read;
                }
                source = self.events[write].reads_from;
            }
        }
    }
}

/// Whether the relation is an order of execution in which each atomic region is one step.
fn is_order(parts: &Parts<'_, '_>, relation: &Relation) -> bool {
    if !is_acyclic(relation) {
        return false;
    }
    if !parts.graph.has_regions {
        return true;
    }
    // The first event of a region or statement represents all of it.
    let leader = |event: usize| match (parts.events[event].thread, parts.events[event].group) {
        (thread, group @ Some(_)) => {
            let first = parts.events.iter().position(|other| other.thread == thread && other.group == group);
            first.unwrap_or(event)
        }
        (_, None) => event,
    };
    let leaders: Vec<usize> = (0..relation.len()).map(leader).collect();
    let mut quotient: Relation = vec![0; relation.len()];
    for (a, row) in relation.iter().enumerate() {
        for b in (0..relation.len()).filter(|b| row >> b & 1 == 1 && leaders[a] != leaders[*b]) {
            quotient[leaders[a]] |= 1 << leaders[b];
        }
    }
    is_acyclic(&quotient)
}

/// Transitive closure (Warshall).
fn close(relation: &mut Relation) {
    for middle in 0..relation.len() {
        let row = relation[middle];
        relation.iter_mut().filter(|other| **other >> middle & 1 == 1).for_each(|other| *other |= row);
    }
}

/// Removes events without successors until none is left, or only cycles are.
fn is_acyclic(relation: &Relation) -> bool {
    let mut rest: u128 = (0..relation.len()).fold(0, |set, event| set | 1 << event);
    loop {
        let before = rest;
        for (event, row) in relation.iter().enumerate().rev() {
            if row & rest == 0 {
                rest &= !(1 << event);
            }
        }
        if rest == 0 {
            return true;
        }
        if rest == before {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_found() {
        assert!(is_acyclic(&vec![0b110, 0b100, 0]));
        assert!(is_acyclic(&vec![0, 0b001, 0b011]));
        assert!(!is_acyclic(&vec![0b010, 0b100, 0b001]));
        assert!(!is_acyclic(&vec![0b001]));
    }

    #[test]
    fn closure_follows_paths() {
        let mut relation = vec![0b0010, 0b0100, 0b1000, 0];
        close(&mut relation);
        assert_eq!(relation, [0b1110, 0b1100, 0b1000, 0]);
    }
}
