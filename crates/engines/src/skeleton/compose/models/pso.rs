//! Partial store order: as `tso`, but stores of one thread to different places may reach memory in any order. Stores to
//! one place keep the order of co. A release store or release fence ([`Barrier::StoreStore`]) keeps later stores behind
//! earlier ones.

use super::super::super::events::{Barrier, EventId, Kind};
use super::super::Composer;
use base::{IdVec, Stop};
use smt::order::Node;

impl Composer<'_> {
    /// The edges of `pso`.
    pub(super) fn partial_stores(&mut self) -> Result<(), Stop> {
        let pending = self.pending();
        self.buffers(&pending)?;
        let execution = self.orders.execution;
        // A barrier is a moment of its own, which only stores wait for.
        let mut barriers: IdVec<EventId, Option<Node>> = IdVec::filled(None, self.skeleton.events.len());
        for id in self.skeleton.events.ids() {
            self.budget.check()?;
            let (kind, occurs) = (self.skeleton.events[id].kind.clone(), self.skeleton.events[id].occurs);
            if kind == Kind::Barrier(Barrier::StoreStore) {
                let barrier = self.composition.solver.order().0.node(execution);
                barriers[id] = Some(barrier);
                for &store in pending[id].iter() {
                    let reached = self.node_in(execution, store);
                    self.node_edge_if(&[occurs], reached, barrier);
                }
            }
            if self.is_buffered(id) {
                let thread = self.skeleton.events[id].thread;
                let reached = self.node_in(execution, id);
                let earlier = self.skeleton.events.ids().take_while(|&earlier| earlier < id);
                let own = earlier.filter(|&earlier| self.skeleton.events[earlier].thread == thread);
                let before: Vec<Node> = own
                    .filter(|&earlier| self.is_before(earlier, id))
                    .filter_map(|earlier| barriers[earlier])
                    .collect();
                for barrier in before {
                    self.composition.solver.order().0.edge(barrier, reached);
                }
            }
        }
        Ok(())
    }
}
