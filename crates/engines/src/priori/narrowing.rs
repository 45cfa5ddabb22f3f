//! Narrowing. Widening overshoots; once the fixpoint is reached, one more step from all results, joined and not
//! widened, covers all runs as well: every state of a run is initial or one step from a covered one. So the places and
//! messages are recomputed from the old ones, a few times.
//!
//! Within a thread, places are processed in the order of its graph, and those that are no targets of back edges use the
//! current values; messages and ends of threads are those of the previous round.

use crate::domains::{EventId, Numeric};
use crate::priori::fixpoint::Analysis;
use crate::priori::graph::NodeId;
use crate::priori::slots::Slots;
use crate::priori::state::State;
use base::Stop;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Number of rounds.
const ROUNDS: usize = 3;

/// The previous results.
pub(super) struct Found<D> {
    pub(super) messages: FxHashMap<(usize, EventId), Slots<D>>,
    pub(super) stores: FxHashMap<usize, Vec<EventId>>,
    pub(super) ends: FxHashMap<u32, Slots<D>>,
}

impl<D: Numeric> Analysis<'_, D> {
    /// Recomputes the results where they were widened.
    pub(super) fn narrow(&mut self) -> Result<(), Stop> {
        for _ in 0..ROUNDS {
            if self.alarms.is_empty() || !self.reasons.is_empty() {
                return Ok(());
            }
            let before = self.nodes.clone();
            self.found = Some(Found {
                messages: std::mem::take(&mut self.messages),
                stores: std::mem::take(&mut self.stores),
                ends: std::mem::take(&mut self.ends),
            });
            self.nodes.clear();
            self.alarms.clear();
            let entry = self.world.threads[0].graph.entry;
            self.pending.push((0, entry, State::start()));
            self.flush()?;
            for (thread, node) in self.places(before.keys().copied()) {
                let is_head = self.world.threads[thread as usize].graph.is_head(node);
                let source = if is_head { before.get(&(thread, node)) } else { self.nodes.get(&(thread, node)) };
                let states: Vec<Rc<State<D>>> =
                    source.into_iter().flat_map(Slots::iter).map(|(_, state)| Rc::clone(state)).collect();
                for state in states {
                    let arcs = self.world.threads[thread as usize].graph.nodes[node as usize].out.clone();
                    for arc in arcs {
                        self.step(thread, node, arc, &state, None);
                    }
                    self.flush()?;
                }
            }
            self.narrowings += 1;
            let is_same = |place: &(u32, NodeId), old: &Slots<D>| {
                self.nodes
                    .get(place)
                    .is_some_and(|new| new.iter().map(|(_, state)| state).eq(old.iter().map(|(_, old)| old)))
            };
            if before.iter().all(|(place, old)| is_same(place, old)) {
                break;
            }
        }
        self.found = None;
        Ok(())
    }

    /// The places with results: thread by thread, and in each in the order of its steps. Threads that start others come
    /// first, since a thread's first state comes from where it is started.
    fn places(&self, all: impl Iterator<Item = (u32, NodeId)>) -> Vec<(u32, NodeId)> {
        let mut places: Vec<(u32, NodeId)> = all.collect();
        let rank = |(thread, node): &(u32, NodeId)| self.world.threads[*thread as usize].graph.rank[*node as usize];
        places.sort_unstable_by_key(|place| (place.0, rank(place)));
        places
    }
}
