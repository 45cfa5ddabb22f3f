//! Release-acquire: hb = (po ∪ fj ∪ rf)⁺ irreflexive, and acyclic(hb-loc ∪ rf ∪ co ∪ fr) for every location.
//!
//! Three orders. *Execution*: some order in which statements are executed, with po, fj and rf, and, since ghost memory
//! is sequentially consistent, co and fr of ghost memory. Accesses to other memory have a separate node for co and fr,
//! so that these do not order the execution. *Happens-before*: po, fj, rf of memory that is not ghost, and of ghost
//! memory rf from releases to acquisitions, passed on by read-modify-writes. Its edges are all among those of
//! execution. *Coherence*: rf, co and fr, and an edge wherever happens-before leads from one access to another one of
//! the same place.
//!
//! A seq_cst fence is a read-modify-write of one hidden location: any two are ordered one way or the other, in
//! execution and in happens-before. One that is one step with the access after it shares its node in the order of
//! execution, but passes on only what the thread knew before the access.
//!
//! A read-modify-write is one event, so coherence implies that nothing comes between its read and its write.

use super::super::super::events::{Barrier, Event, EventId, Kind};
use super::super::Composer;
use super::Orders;
use base::Stop;
use ir::MemoryModel;
use smt::order::{Includes, Node, Order};
use smt::Term;

pub(super) fn orders(order: &mut Order) -> Orders {
    let execution = order.order(Includes::ALL);
    let happens_before = order.order(Includes::NONE);
    let coherence = order.order(Includes::ALL);
    Orders { model: MemoryModel::Ra, execution, coherence: Some(coherence), happens_before: Some(happens_before) }
}

/// Whether the model applies to an access.
pub(super) fn is_weak(event: &Event) -> bool {
    event.kind == Kind::Access && event.bytes > 0 && !event.is_ghost
}

impl Composer<'_> {
    /// A read comes after the write that it reads from, and its thread learns what the write passes on.
    pub(super) fn learn(&mut self, choice: Term, write: EventId, read: EventId) {
        let Some(known) = self.orders.happens_before else { return };
        if is_weak(&self.skeleton.events[read]) {
            self.node_edge_if(&[choice], self.node(write), self.node(read));
            let (from, to) = (self.node_in(known, write), self.node_in(known, read));
            self.node_edge_if(&[choice], from, to);
            return;
        }
        let event = self.skeleton.events[read].clone();
        let Some(passed) = self.passed(write) else { return };
        // Releasing a lock is not a read, although its owner is looked up.
        if matches!(event.kind, Kind::Unlock { .. }) {
            return;
        }
        let always = self.terms.bool(true);
        let writes = event.write.map_or_else(|| self.terms.bool(false), |(condition, _)| condition);
        let fails = self.terms.not(writes);
        let cases = match event.orders {
            (order, failure) if order == failure => vec![(always, order)],
            (order, failure) => vec![(writes, order), (fails, failure)],
        };
        for (case, order) in cases {
            if order.acquires() {
                let to = self.node_in(known, read);
                self.node_edge_if(&[choice, case], passed, to);
            }
        }
        if let (Some(own), true) = (self.passed(read), event.write.is_some()) {
            self.node_edge_if(&[choice, writes], passed, own);
        }
    }

    /// What a write of ghost memory passes on: its thread's knowledge if it releases, and what the previous write
    /// passed on if it is a read-modify-write.
    fn passed(&mut self, write: EventId) -> Option<Node> {
        let known = self.orders.happens_before?;
        let event = &self.skeleton.events[write];
        let releases = event.orders.0.releases();
        let is_update = event.read.is_some() && !matches!(event.kind, Kind::Unlock { .. });
        if !is_update {
            return releases.then(|| self.node_in(known, write));
        }
        if let Some(&node) = self.passed_on.get(&write) {
            return Some(node);
        }
        let node = self.composition.solver.order().0.node(known);
        self.passed_on.insert(write, node);
        if releases {
            let own = self.node_in(known, write);
            self.composition.solver.order().0.edge(own, node);
        }
        Some(node)
    }

    /// The edges of `ra`.
    pub(super) fn release_acquire(&mut self, accesses: &[EventId]) -> Result<(), Stop> {
        self.fences()?;
        let weak: Vec<EventId> = accesses.iter().copied().filter(|&id| is_weak(&self.skeleton.events[id])).collect();
        let near = self.by_object(&weak);
        for &id in &weak {
            self.budget.check()?;
            for other in self.near(id, &near) {
                let (x, y) = (&self.skeleton.events[id], &self.skeleton.events[other]);
                let has_write = x.write.is_some() || y.write.is_some();
                if other > id && has_write && x.bytes == y.bytes {
                    self.coherent(id, other);
                }
            }
        }
        Ok(())
    }

    /// An access that happens before another one of the same place precedes it in coherence.
    fn coherent(&mut self, a: EventId, b: EventId) {
        let (Some(coherence), Some(known)) = (self.orders.coherence, self.orders.happens_before) else { return };
        let same = self.same_place(a, b);
        let is_own = self.skeleton.events[a].thread == self.skeleton.events[b].thread;
        for (first, second) in [(a, b), (b, a)] {
            let (from, to) = (self.node_in(coherence, first), self.node_in(coherence, second));
            if self.is_before(first, second) {
                self.node_edge_if(&[same], from, to);
            } else if !is_own && !self.is_before(second, first) {
                let path = (self.node_in(known, first), self.node_in(known, second));
                self.path_edge_if(&[same], Some(path), from, to);
            }
        }
    }

    /// Any two fences are ordered.
    fn fences(&mut self) -> Result<(), Stop> {
        let is_fence = |event: &Event| match event.kind {
            Kind::Barrier(Barrier::Fence | Barrier::FenceBefore | Barrier::FenceAfter) => true,
            Kind::Barrier(Barrier::Drain | Barrier::MayDrain | Barrier::StoreStore)
            | Kind::Access
            | Kind::Lock { .. }
            | Kind::Unlock { .. }
            | Kind::Kill
            | Kind::Fence
            | Kind::Probe
            | Kind::Mark => false,
        };
        let fences: Vec<EventId> =
            self.skeleton.events.enumerate().filter(|(_, event)| is_fence(event)).map(|(id, _)| id).collect();
        for (index, &first) in fences.iter().enumerate() {
            self.budget.check()?;
            for &second in &fences[index + 1..] {
                let (x, y) = (&self.skeleton.events[first], &self.skeleton.events[second]);
                if x.thread == y.thread || self.is_before(first, second) || self.is_before(second, first) {
                    continue;
                }
                let (one, other) = (x.occurs, y.occurs);
                let both = self.terms.and2(one, other);
                let is_first = self.fresh("fence");
                let is_second = self.terms.not(is_first);
                self.synchronise_if(&[both, is_first], first, second);
                self.synchronise_if(&[both, is_second], second, first);
            }
        }
        Ok(())
    }
}
