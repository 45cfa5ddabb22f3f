//! Atomic regions.
//!
//! No event of another thread that is ordered with an event of a region lies inside it: what comes before its end comes
//! before its beginning, what comes after its beginning comes after its end. Beginning a region may block: a thread
//! that stays in one keeps all others from moving.

use super::super::events::EventId;
use super::Composer;
use base::Stop;
use smt::Term;

impl Composer<'_> {
    /// A run that ends in a region need not leave it.
    pub(super) fn excuse_region(&mut self, event: EventId, violated: Term) {
        for id in self.skeleton.regions.ids() {
            if self.skeleton.regions[id].events.contains(&event) {
                self.skeleton.regions[id].violated.push(violated);
            }
        }
    }

    pub(super) fn regions(&mut self) -> Result<(), Stop> {
        for id in self.skeleton.regions.ids() {
            self.budget.check()?;
            let region = self.skeleton.regions[id].clone();
            if region.events.is_empty() {
                continue;
            }
            let begins = self.skeleton.events[region.begin].occurs;
            let ends: Vec<Term> = region.ends.iter().map(|&end| self.skeleton.events[end].occurs).collect();
            let ended = self.terms.or(ends);
            let stays = self.terms.not(ended);
            let stays = self.terms.and2(begins, stays);
            // A thread that stays in its region keeps all others from moving, so others need not begin theirs: in the
            // search for a violation, every region is left except the one with the violation. Otherwise others may go
            // on, which only adds executions.
            let excused = self.terms.or(region.violated.iter().copied());
            let never = self.terms.not(stays);
            let assumed = self.terms.or2(never, excused);
            if self.terms.as_bool(assumed) != Some(true) {
                self.composition.assumed.push(assumed);
            }
            if let [event] = region.events[..] {
                if !self.is_buffered(event) {
                    continue;
                }
            }
            let begin = self.node(region.begin);
            let end = self.composition.solver.order().0.node(self.orders.execution);
            for event in region.events.iter().copied() {
                let moments = self.moments(event);
                let inside = if region.is_fence { &moments[..] } else { &moments[..1] };
                for &node in inside {
                    self.composition.solver.order().0.edge(node, end);
                }
            }
            for &mark in &region.ends {
                let node = self.node(mark);
                self.composition.solver.order().0.edge(end, node);
            }
            for other in self.skeleton.events.ids() {
                let is_own = self.skeleton.events[other].thread == region.thread;
                let is_fixed = self.is_before(other, region.begin)
                    || !region.ends.is_empty() && region.ends.iter().all(|&end| self.is_before(end, other));
                if is_own || is_fixed {
                    continue;
                }
                for node in self.moments(other) {
                    self.path_edge_if(&[], Some((node, end)), node, begin);
                    self.path_edge_if(&[], Some((begin, node)), end, node);
                }
            }
        }
        Ok(())
    }
}
