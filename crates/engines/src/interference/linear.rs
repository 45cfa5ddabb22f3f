//! Linearises a model of the clock form: time stamps for all events that respect every comparison of the model, chosen
//! so that few reads are separated from their writes. The check for violated axioms needs such an order; the fewer
//! axioms it violates, the fewer constraints are added.
//!
//! Events are placed one by one (greedy list scheduling). Threads run on as long as they can, a write that would
//! overwrite a value still to be read is delayed, and the events of an atomic region stay together. Pairs of the model
//! that are not asserted yet are respected too; where that is impossible, they are the ones to assert.

use crate::skeleton::compose::Composition;
use crate::skeleton::events::{EventId, Skeleton, ThreadId};
use base::{Id, IdVec};
use rustc_hash::FxHashMap;
use smt::order::Node;
use smt::term::value::Evaluation;

/// A way to read that the model chose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    /// The read and the way, by number.
    pub(super) read: usize,
    pub(super) way: usize,
    pub(super) reader: EventId,
    pub(super) writer: Option<EventId>,
    /// Whether it is already asserted that the write comes first.
    pub(super) is_ordered: bool,
}

/// An order, or the pairs that prevent one.
pub(super) enum Linearised {
    /// By event.
    Positions(IdVec<EventId, usize>),
    /// Pairs whose order must be asserted.
    Blocked(Vec<(usize, usize)>),
}

/// The effect of an event on memory in a model.
#[derive(Clone, Copy, Default)]
struct Effect {
    place: Option<(u128, u128)>,
    writes: bool,
}

struct Scheduler<'a> {
    skeleton: &'a Skeleton,
    chosen: &'a [Chosen],
    nodes: &'a IdVec<EventId, Node>,
    events: Vec<Option<EventId>>,
    after: Vec<Vec<usize>>,
    /// By node, the number of its predecessors that are not placed.
    waits: Vec<usize>,
    is_placed: Vec<bool>,
    ready: Vec<usize>,
    effects: IdVec<EventId, Effect>,
    /// The write that each read reads from.
    source: FxHashMap<EventId, Option<EventId>>,
    /// The number of reads that are not placed, by the write (or the initial value of a place) that they read from.
    readers: FxHashMap<EventId, usize>,
    first_readers: FxHashMap<(u128, u128), usize>,
    current: FxHashMap<(u128, u128), EventId>,
    last: Option<ThreadId>,
    /// The thread inside a region, and the number of its events that are left.
    inside: Option<(ThreadId, usize)>,
    regions: FxHashMap<EventId, (ThreadId, usize)>,
    members: IdVec<EventId, bool>,
}

/// Orders all events of the last model.
pub(super) fn linearise(
    skeleton: &Skeleton,
    composition: &mut Composition,
    evaluation: &mut Evaluation<'_>,
    chosen: &[Chosen],
) -> Linearised {
    let edges = composition.solver.present_edges();
    let mut scheduler = Scheduler::new(skeleton, &composition.stamps.nodes, &edges, chosen, evaluation);
    let mut positions = IdVec::filled(0, skeleton.events.len());
    let mut count = 0;
    loop {
        while let Some(node) = scheduler.next() {
            scheduler.place(node);
            if let Some(event) = scheduler.events[node] {
                positions[event] = count;
                count += 1;
            }
        }
        if scheduler.is_placed.iter().all(|&is_placed| is_placed) {
            return Linearised::Positions(positions);
        }
        let blocked = scheduler.blocked();
        if !blocked.is_empty() {
            return Linearised::Blocked(blocked);
        }
        // The order theory keeps regions apart, so this should not happen; replaying the run would detect it.
        if scheduler.inside.take().is_none() {
            return Linearised::Positions(positions);
        }
    }
}

impl<'a> Scheduler<'a> {
    fn new(
        skeleton: &'a Skeleton,
        nodes: &'a IdVec<EventId, Node>,
        edges: &[(Node, Node)],
        chosen: &'a [Chosen],
        evaluation: &mut Evaluation<'_>,
    ) -> Scheduler<'a> {
        let ends = edges.iter().flat_map(|(from, to)| [from.index(), to.index()]);
        let size = ends.chain(nodes.iter().map(|node| node.index())).max().map_or(0, |last| last + 1);
        let mut scheduler = Scheduler {
            skeleton,
            chosen,
            nodes,
            events: vec![None; size],
            after: vec![Vec::new(); size],
            waits: vec![0; size],
            is_placed: vec![false; size],
            ready: Vec::new(),
            effects: IdVec::filled(Effect::default(), skeleton.events.len()),
            source: FxHashMap::default(),
            readers: FxHashMap::default(),
            first_readers: FxHashMap::default(),
            current: FxHashMap::default(),
            last: None,
            inside: None,
            regions: FxHashMap::default(),
            members: IdVec::filled(false, skeleton.events.len()),
        };
        nodes.enumerate().for_each(|(event, node)| scheduler.events[node.index()] = Some(event));
        edges.iter().for_each(|(from, to)| scheduler.add_edge(from.index(), to.index()));
        for pair in chosen.iter().filter(|pair| !pair.is_ordered) {
            if let Some(write) = pair.writer {
                scheduler.add_edge(nodes[write].index(), nodes[pair.reader].index());
            }
        }
        scheduler.find_effects(evaluation);
        for region in skeleton.regions.iter().filter(|region| evaluation.is_true(skeleton.events[region.begin].occurs))
        {
            scheduler.regions.insert(region.begin, (region.thread, region.events.len()));
            region.events.iter().for_each(|&event| scheduler.members[event] = true);
        }
        scheduler.ready = (0..size).filter(|&node| scheduler.waits[node] == 0).collect();
        scheduler
    }

    fn add_edge(&mut self, from: usize, to: usize) {
        self.after[from].push(to);
        self.waits[to] += 1;
    }

    fn find_effects(&mut self, evaluation: &mut Evaluation<'_>) {
        for (id, event) in self.skeleton.events.enumerate() {
            if event.bytes == 0 || !evaluation.is_true(event.occurs) {
                continue;
            }
            let object = evaluation.bits(event.location.object).to_u128().unwrap_or(0);
            let offset = evaluation.bits(event.location.bits).to_u128().unwrap_or(0);
            let writes = event.write.is_some_and(|(condition, _)| evaluation.is_true(condition));
            self.effects[id] = Effect { place: Some((object, offset)), writes };
        }
        for pair in self.chosen {
            self.source.insert(pair.reader, pair.writer);
            match (pair.writer, self.effects[pair.reader].place) {
                (Some(write), _) => *self.readers.entry(write).or_default() += 1,
                (None, Some(place)) => *self.first_readers.entry(place).or_default() += 1,
                (None, None) => {}
            }
        }
    }

    /// The cost of placing a node now.
    fn cost(&self, node: usize) -> Option<u32> {
        let Some(event) = self.events[node] else { return Some(0) };
        let thread = self.skeleton.events[event].thread;
        if self.inside.is_some_and(|(inside, _)| inside != thread) {
            return None;
        }
        let is_other = u32::from(self.last != Some(thread));
        let Effect { place: Some(place), writes: true } = self.effects[event] else { return Some(1 + is_other) };
        let current = self.current.get(&place).copied();
        let mut waiting = match current {
            Some(write) => self.readers.get(&write).copied().unwrap_or(0),
            None => self.first_readers.get(&place).copied().unwrap_or(0),
        };
        // A read-modify-write does not delay itself.
        if self.source.get(&event).is_some_and(|source| *source == current) {
            waiting = waiting.saturating_sub(1);
        }
        Some(if waiting > 0 { 3 } else { 1 + is_other })
    }

    fn next(&mut self) -> Option<usize> {
        let candidates = self.ready.iter().enumerate();
        let costs = candidates.filter_map(|(index, &node)| Some((self.cost(node)?, node, index)));
        let (_, node, index) = costs.min()?;
        self.ready.swap_remove(index);
        Some(node)
    }

    fn place(&mut self, node: usize) {
        self.is_placed[node] = true;
        for index in 0..self.after[node].len() {
            let next = self.after[node][index];
            self.waits[next] -= 1;
            if self.waits[next] == 0 {
                self.ready.push(next);
            }
        }
        let Some(event) = self.events[node] else { return };
        self.last = Some(self.skeleton.events[event].thread);
        if let Some(&region) = self.regions.get(&event).filter(|(_, count)| *count > 1) {
            self.inside = Some(region);
        }
        if let (Some((_, left)), true) = (&mut self.inside, self.members[event]) {
            *left -= 1;
            if *left == 0 {
                self.inside = None;
            }
        }
        let effect = self.effects[event];
        match (self.source.get(&event).copied(), effect.place) {
            (Some(Some(write)), _) => {
                self.readers.entry(write).and_modify(|left| *left = left.saturating_sub(1));
            }
            (Some(None), Some(place)) => {
                self.first_readers.entry(place).and_modify(|left| *left = left.saturating_sub(1));
            }
            (Some(None) | None, _) => {}
        }
        if let Effect { place: Some(place), writes: true } = effect {
            self.current.insert(place, event);
        }
    }

    /// The pairs that are not asserted and prevent events from being placed.
    fn blocked(&self) -> Vec<(usize, usize)> {
        // A node that no remaining node waits for is on no cycle.
        let mut is_left: Vec<bool> = self.is_placed.iter().map(|&is_placed| !is_placed).collect();
        let mut followers: Vec<usize> = vec![0; is_left.len()];
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); is_left.len()];
        for node in (0..is_left.len()).filter(|&node| is_left[node]) {
            for &next in self.after[node].iter().filter(|&&next| is_left[next]) {
                followers[node] += 1;
                before[next].push(node);
            }
        }
        let mut ends: Vec<usize> = (0..is_left.len()).filter(|&node| is_left[node] && followers[node] == 0).collect();
        let is_cycle = self.inside.is_none();
        while let Some(node) = ends.pop().filter(|_| is_cycle) {
            is_left[node] = false;
            for &earlier in &before[node] {
                followers[earlier] -= 1;
                if followers[earlier] == 0 {
                    ends.push(earlier);
                }
            }
        }
        let is_open = |pair: &&Chosen| {
            let Some(write) = pair.writer.filter(|_| !pair.is_ordered) else { return false };
            let own = self.skeleton.events[pair.reader].thread;
            let is_inside = self.inside.is_none_or(|(thread, _)| thread == own);
            is_inside && is_left[self.nodes[write].index()] && is_left[self.nodes[pair.reader].index()]
        };
        self.chosen.iter().filter(is_open).map(|pair| (pair.read, pair.way)).collect()
    }
}
