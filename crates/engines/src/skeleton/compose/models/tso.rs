//! Total store order: acyclic(po-loc ∪ fj ∪ rf ∪ co ∪ fr) and acyclic(ppo ∪ fj ∪ fence ∪ rfe ∪ co ∪ fr), where ppo is
//! po without the pairs of a write and a later read.
//!
//! It is encoded as by store buffers. A buffered store has two nodes in the order of execution: where it is executed,
//! in program order with everything else, and later where it reaches memory. There it takes part in co, in fr, and in
//! rf to other threads. Stores of one thread reach memory in program order, and an event that waits for an empty buffer
//! ([`Barrier::Drain`]) comes after the stores before it have. That is the second condition, with ppo and fences
//! spelled out.
//!
//! Of the first one, only this does not follow: a read sees its own thread's newest store while that is buffered.
//! Whatever it reads from, no earlier store of its own thread overwrites that. The order *coherence* has these pairs, a
//! buffered store and a later read of the same place, and fr. (Own stores that come after a read are in no link set. A
//! store that has reached memory before the read is after the store that it reads, by the second condition.)
//!
//! Stores that do not occur have nodes between those that do and order nothing else; barriers count only if they occur.

use super::super::super::events::{Barrier, EventId, Kind};
use super::super::Composer;
use super::Orders;
use base::{IdVec, Stop};
use ir::MemoryModel;
use smt::order::{Includes, Order, Pairs};
use std::rc::Rc;

pub(super) fn orders(model: MemoryModel, order: &mut Order) -> Orders {
    let execution = order.order(Includes { reads_from: Pairs::External, ..Includes::ALL });
    let coherence = order.order(Includes { from_reads: Pairs::All, ..Includes::NONE });
    Orders { model, execution, coherence: Some(coherence), happens_before: None }
}

/// The stores that may be buffered at each event, in program order.
pub(super) type Pending = IdVec<EventId, Rc<Vec<EventId>>>;

impl Composer<'_> {
    /// The stores that may be in the thread's buffer when an event begins.
    pub(super) fn pending(&self) -> Pending {
        let mut after: Pending = IdVec::new();
        let mut before: Pending = IdVec::new();
        for (id, event) in self.skeleton.events.enumerate() {
            let own = event.after.iter().filter(|&&earlier| self.skeleton.events[earlier].thread == event.thread);
            let mut all = Rc::new(Vec::new());
            for (index, &earlier) in own.enumerate() {
                if index == 0 {
                    all = Rc::clone(&after[earlier]);
                } else {
                    let merged = Rc::make_mut(&mut all);
                    merged.extend(after[earlier].iter().copied());
                    merged.sort_unstable();
                    merged.dedup();
                }
            }
            before.push(Rc::clone(&all));
            if event.kind == Kind::Barrier(Barrier::Drain) {
                all = Rc::new(Vec::new());
            } else if self.is_buffered(id) {
                Rc::make_mut(&mut all).push(id);
            }
            after.push(all);
        }
        before
    }

    /// The edges common to both kinds of store buffers.
    pub(super) fn buffers(&mut self, pending: &Pending) -> Result<(), Stop> {
        let (execution, coherence) = (self.orders.execution, self.orders.coherence);
        for id in self.skeleton.events.ids() {
            self.budget.check()?;
            let (kind, occurs) = (self.skeleton.events[id].kind.clone(), self.skeleton.events[id].occurs);
            if matches!(kind, Kind::Barrier(Barrier::Drain | Barrier::MayDrain)) {
                for &store in pending[id].iter() {
                    let reached = self.node_in(execution, store);
                    self.node_edge_if(&[occurs], reached, self.node(id));
                }
            }
            let event = &self.skeleton.events[id];
            let (Kind::Access, true, false, Some(coherence)) = (kind, event.read.is_some(), event.is_ghost, coherence)
            else {
                continue;
            };
            for &store in pending[id].iter() {
                if !self.may_meet(store, id) {
                    continue;
                }
                let same = self.same_place(store, id);
                let Some(writes) = self.writes(store) else { continue };
                let (from, to) = (self.node_in(coherence, store), self.node_in(coherence, id));
                self.node_edge_if(&[writes, same], from, to);
            }
        }
        Ok(())
    }

    /// The edges of `tso`.
    pub(super) fn first_in_first_out(&mut self) -> Result<(), Stop> {
        let pending = self.pending();
        self.buffers(&pending)?;
        for id in self.skeleton.events.ids().filter(|&id| self.is_buffered(id)).collect::<Vec<_>>() {
            let last: Vec<EventId> =
                pending[id].iter().copied().filter(|&store| self.is_last(store, id, &pending)).collect();
            let execution = self.orders.execution;
            for store in last {
                let (from, to) = (self.node_in(execution, store), self.node_in(execution, id));
                self.composition.solver.order().0.edge(from, to);
            }
        }
        Ok(())
    }

    /// Whether no other store is certainly between two.
    fn is_last(&self, store: EventId, later: EventId, pending: &Pending) -> bool {
        !pending[later]
            .iter()
            .any(|&other| other != store && self.is_before(store, other) && pending[other].contains(&store))
    }
}
