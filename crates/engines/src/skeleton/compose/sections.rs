//! Critical sections.
//!
//! Where a cell is accessed only by `Lock` and `Unlock` at a constant place and is 0 at the start, acquisitions are
//! ordered instead of accesses: of two that occur in different threads, one section ends before the other begins. This
//! is exact. In an execution, the first of two acquisitions must be released before the second, and only its own thread
//! releases it (anything else is a gap), by the release that closes it according to that thread's state; so if no
//! release that closes it occurs, the other order is left. Conversely, in an acyclic order where all pairs are
//! separated like this, the lock is free at each acquisition. A conditional release closes the section only under its
//! condition, so several releases of one acquisition are cases.

use super::super::events::{EventId, Kind};
use super::super::locks::NOT_HELD;
use super::super::value::{Value, GHOST};
use super::Composer;
use base::{Id, Stop};
use ir::Property;
use rustc_hash::FxHashMap;
use smt::Term;

impl Composer<'_> {
    /// The cells that are only locked and unlocked, and all other accesses.
    pub(super) fn lock_cells(&mut self, accesses: &[EventId]) -> (Vec<Vec<EventId>>, Vec<EventId>) {
        let mut cells: std::collections::BTreeMap<(u16, u64), Vec<EventId>> = std::collections::BTreeMap::new();
        let mut others = Vec::new();
        for &id in accesses {
            let event = &self.skeleton.events[id];
            match (&event.kind, self.constant_place(event)) {
                (Kind::Lock { .. } | Kind::Unlock { .. } | Kind::Probe, Some(place)) => {
                    cells.entry(place).or_default().push(id);
                }
                _ => others.push(id),
            }
        }
        let mut sections = Vec::new();
        if !self.pruning.sections {
            return (sections, accesses.to_vec());
        }
        for ((number, offset), events) in cells {
            let is_initial_zero = self.skeleton.is_free_before(self.terms, number, offset);
            let is_alone = !others.clone().iter().any(|&other| self.may_meet(other, events[0]));
            let has_locks = events.iter().any(|&id| matches!(self.skeleton.events[id].kind, Kind::Lock { .. }));
            // Releasing a lock that is not held frees it, whoever holds it: that is no section. Neither is one that the
            // thread's own state does not track.
            let are_followed = events.iter().all(|&event| self.is_followed(event));
            let is_section = is_initial_zero && is_alone && has_locks && are_followed && number & GHOST != 0;
            if is_section || self.has_sections((number, offset)) {
                sections.push(events);
            } else {
                others.extend(events);
            }
        }
        others.sort_unstable();
        (sections, others)
    }

    /// Whether the thread's state tracks an acquired lock, and knows that a released one is certainly held.
    fn is_followed(&self, event: EventId) -> bool {
        let event = &self.skeleton.events[event];
        match &event.kind {
            Kind::Unlock { held, .. } => self.implies(event.occurs, *held),
            Kind::Lock { held, .. } => held.is_some(),
            Kind::Access | Kind::Kill | Kind::Fence | Kind::Barrier(_) | Kind::Probe | Kind::Mark => true,
        }
    }

    /// Orders the critical sections of the lock with this number.
    pub(super) fn sections(&mut self, number: usize, events: &[EventId]) -> Result<(), Stop> {
        let mut locks = Vec::new();
        let mut closings: FxHashMap<EventId, Vec<(EventId, Term)>> = FxHashMap::default();
        for &id in events {
            let event = self.skeleton.events[id].clone();
            match event.kind {
                Kind::Lock { held, is_mine } => {
                    locks.push(id);
                    if let Some(held) = held {
                        let agrees = self.terms.eq(held, is_mine);
                        let fact = self.terms.implies(event.occurs, agrees);
                        self.assert(fact);
                    }
                }
                Kind::Unlock { closes, held } => {
                    let wrong = self.terms.not(held);
                    let wrong = self.terms.and2(event.occurs, wrong);
                    self.forbid(wrong, Property::Locks, NOT_HELD, id);
                    for (lock, condition) in closes {
                        let condition = self.terms.and2(event.occurs, condition);
                        closings.entry(lock).or_default().push((id, condition));
                    }
                }
                Kind::Access | Kind::Kill | Kind::Fence | Kind::Barrier(_) | Kind::Probe | Kind::Mark => {}
            }
        }
        self.probe_sections(events, &locks, &closings);
        for &lock in &locks {
            let ends = closings.get(&lock).into_iter().flatten().map(|(unlock, _)| *unlock).collect();
            self.guards.entry(self.skeleton.events[lock].thread).or_default().push((number, lock, ends));
        }
        for (index, &first) in locks.iter().enumerate() {
            self.budget.check()?;
            for &second in &locks[index + 1..] {
                if self.skeleton.events[first].thread != self.skeleton.events[second].thread {
                    self.two_sections(first, second, &closings);
                }
            }
        }
        Ok(())
    }

    /// The locks that a thread certainly holds when an event of it occurs: acquired before on every path to it, and not
    /// released before on any.
    pub(super) fn held_at(&mut self, id: EventId) -> Vec<usize> {
        let (thread, occurs) = (self.skeleton.events[id].thread, self.skeleton.events[id].occurs);
        let mut held = Vec::new();
        for (number, lock, ends) in self.guards.get(&thread).cloned().unwrap_or_default() {
            let is_within = self.is_before(lock, id) && !ends.iter().any(|&end| self.is_before(end, id));
            if let Some(taken) = self.writes(lock).filter(|_| is_within) {
                if self.implies(occurs, taken) {
                    held.push(number);
                }
            }
        }
        held
    }

    pub(super) fn two_sections(&mut self, a: EventId, b: EventId, closings: &FxHashMap<EventId, Vec<(EventId, Term)>>) {
        let (Some(one), Some(other)) = (self.writes(a), self.writes(b)) else { return };
        let both = self.terms.and2(one, other);
        if self.terms.as_bool(both) == Some(false) {
            return;
        }
        let first = self.fresh("section");
        self.order_sections(a, b, first);
        let second = self.terms.not(first);
        for (choice, earlier, later) in [(first, a, b), (second, b, a)] {
            let closing = closings.get(&earlier).cloned().unwrap_or_default();
            let closed = self.terms.or(closing.iter().map(|(_, condition)| *condition).collect::<Vec<_>>());
            let chosen = self.terms.and2(both, choice);
            let fact = self.terms.implies(chosen, closed);
            self.assert(fact);
            for (unlock, condition) in closing {
                let not_after = !self.is_before(later, unlock);
                if not_after {
                    self.synchronise_if(&[both, choice, condition], unlock, later);
                    self.handovers.push((vec![chosen, condition], unlock, later));
                } else {
                    let whole = self.terms.and2(chosen, condition);
                    let never = self.terms.not(whole);
                    self.assert(never);
                }
            }
        }
    }

    /// A release by a thread that is not the owner.
    pub(super) fn check_owner(&mut self, id: EventId) {
        let event = self.skeleton.events[id].clone();
        let Some(read) = event.read else { return };
        let number = Value::constant(self.terms, 32, event.thread.index() as u128 + 1);
        let is_mine = read.equals(self.terms, number);
        let wrong = self.terms.not(is_mine);
        let wrong = self.terms.and2(event.occurs, wrong);
        self.forbid(wrong, Property::Locks, NOT_HELD, id);
    }
}
