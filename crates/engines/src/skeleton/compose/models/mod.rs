//! The memory models: their orders, and the edges of each. `docs/semantics.md` has the table; here it is expressed by
//! the moments at which things happen, as in the reference interpreter.
//!
//! Every model has an order of execution, in which each event has a node for the moment its statement is executed.
//! Program order, starts and joins are fixed edges there, and the constraints of locks, atomic regions, lifetimes and
//! races are about these moments. The modules define the rest:
//!
//! | | order of execution | other orders |
//! |---|---|---|
//! | [`sc`] | all of rf, co and fr | |
//! | [`tso`], [`pso`] | a buffered store also has a node where it reaches memory, and there it takes part in co, fr and rf to others | coherence |
//! | [`ra`] | rf; of ghost memory co and fr, too | happens-before, coherence |

mod pso;
mod ra;
mod sc;
mod tso;

use super::super::events::{Barrier, Event, EventId, Kind};
use super::{Composer, Pruning};
use base::Stop;
use ir::{MemoryModel, Order as MemoryOrder};
use smallvec::SmallVec;
use smt::order::{Node, Order, OrderId};
use smt::Term;

/// The orders of a memory model.
pub(super) struct Orders {
    pub(super) model: MemoryModel,
    /// The order of execution.
    pub(super) execution: OrderId,
    /// Per-location constraints, where they do not follow.
    coherence: Option<OrderId>,
    /// What threads know of.
    happens_before: Option<OrderId>,
}

impl Orders {
    pub(super) fn new(model: MemoryModel, order: &mut Order) -> Orders {
        match model {
            MemoryModel::Sc => sc::orders(order),
            MemoryModel::Tso | MemoryModel::Pso => tso::orders(model, order),
            MemoryModel::Ra => ra::orders(order),
        }
    }
}

impl Pruning {
    /// The pruning that is sound under a memory model. What atomic regions and locks exclude is argued for with one
    /// order of all accesses, and under `ra` even a read-modify-write whose value does not matter passes on knowledge
    /// between threads.
    pub(super) fn under(self, model: MemoryModel) -> Pruning {
        match model {
            MemoryModel::Sc => self,
            // There, nothing else implies that a read does not read from a later store of its own thread.
            MemoryModel::Tso | MemoryModel::Pso => Pruning { exclusion: false, later: true, ..self },
            MemoryModel::Ra => Pruning { exclusion: false, irrelevant: false, ..self },
        }
    }
}

/// Whether a store is buffered.
pub(crate) fn is_buffered(model: MemoryModel, event: &Event) -> bool {
    let is_store = event.kind == Kind::Access && event.read.is_none() && event.write.is_some();
    model.store_buffer().is_some() && is_store && !event.is_ghost && event.orders.0 != MemoryOrder::SeqCst
}

/// Whether a part of an event is a step of its own, after the step that the event belongs to: a buffered store that
/// reaches memory, or a fence after a write.
pub(crate) fn is_late(model: MemoryModel, event: &Event) -> bool {
    is_buffered(model, event) || event.kind == Kind::Barrier(Barrier::FenceAfter)
}

impl Composer<'_> {
    pub(super) fn is_buffered(&self, id: EventId) -> bool {
        is_buffered(self.orders.model, &self.skeleton.events[id])
    }

    /// Whether an access takes part in reads-from and write order at a moment other than its execution.
    fn is_elsewhere(&self, id: EventId) -> bool {
        let event = &self.skeleton.events[id];
        match self.orders.model {
            MemoryModel::Sc => false,
            MemoryModel::Tso | MemoryModel::Pso => self.is_buffered(id),
            MemoryModel::Ra => ra::is_weak(event),
        }
    }

    /// Creates the node of a new event in the order of execution.
    pub(super) fn stand(&mut self, id: EventId) {
        let execution = self.orders.execution;
        let event = &self.skeleton.events[id];
        let fence = match event.after.as_slice() {
            &[last] if self.skeleton.events[last].kind == Kind::Barrier(Barrier::FenceBefore) => Some(last),
            _ => None,
        };
        let node = if let Some(fence) = fence.filter(|_| ra::is_weak(event)) {
            // One step.
            self.executed[fence]
        } else if self.is_elsewhere(id) {
            self.composition.solver.order().0.node(execution)
        } else {
            self.composition.solver.order().0.node_at(self.nodes[id], execution)
        };
        self.executed.push(node);
        if self.is_buffered(id) {
            let reached = self.node_in(execution, id);
            self.composition.solver.order().0.edge(node, reached);
        }
    }

    /// The node of an event by which it takes part in reads-from and write order.
    fn node_in(&mut self, order: OrderId, id: EventId) -> Node {
        self.composition.solver.order().0.node_at(self.nodes[id], order)
    }

    /// The moments of an event in the order of execution.
    pub(super) fn moments(&mut self, id: EventId) -> SmallVec<[Node; 2]> {
        let mut moments = SmallVec::from_slice(&[self.node(id)]);
        if self.is_buffered(id) {
            moments.push(self.node_in(self.orders.execution, id));
        }
        moments
    }

    /// Adds a fixed edge: program order, starts and certain joins.
    pub(super) fn fixed_edge(&mut self, from: EventId, to: EventId) {
        let (earlier, later) = (self.node(from), self.node(to));
        if earlier != later {
            self.composition.solver.order().0.edge(earlier, later);
        }
        if let Some(known) = self.orders.happens_before {
            let (earlier, later) = (self.node_in(known, from), self.node_in(known, to));
            self.composition.solver.order().0.edge(earlier, later);
        }
    }

    /// One event comes before another when all terms hold, and passes on what its thread knows.
    pub(super) fn synchronise_if(&mut self, when: &[Term], from: EventId, to: EventId) {
        self.edge_if(when, from, to);
        if let Some(known) = self.orders.happens_before {
            let (from, to) = (self.node_in(known, from), self.node_in(known, to));
            self.node_edge_if(when, from, to);
        }
    }

    /// A read of the initial value comes before a write that overwrites it, when all terms hold.
    pub(super) fn overwritten_if(&mut self, when: &[Term], read: EventId, write: EventId) {
        if when.iter().any(|&term| self.terms.as_bool(term) == Some(false)) {
            return;
        }
        self.composition.overwritten.push((when.to_vec(), read, write));
        if self.is_clocked {
            return;
        }
        for order in [Some(self.orders.execution), self.orders.coherence].into_iter().flatten() {
            let (from, to) = (self.node_in(order, read), self.node_in(order, write));
            self.node_edge_if(when, from, to);
        }
    }

    /// The model-specific constraints of a choice of reads-from.
    pub(super) fn model_reads_from(&mut self, choice: Term, write: EventId, read: EventId) {
        match self.orders.model {
            MemoryModel::Sc | MemoryModel::Tso | MemoryModel::Pso => {}
            MemoryModel::Ra => self.learn(choice, write, read),
        }
    }

    /// The model-specific edges.
    pub(super) fn model_edges(&mut self, accesses: &[EventId]) -> Result<(), Stop> {
        match self.orders.model {
            MemoryModel::Sc => Ok(()),
            MemoryModel::Tso => self.first_in_first_out(),
            MemoryModel::Pso => self.partial_stores(),
            MemoryModel::Ra => self.release_acquire(accesses),
        }
    }
}
