//! Values known without the solver: a read with a single possible source, a write or the initial value, has the value
//! stored there. Substituting it often makes dependent addresses and conditions constant (a thread's number passed
//! through memory, a size that never changes), and then more reads have only one source.
//!
//! A read that does not occur has no value, so any value will do.

use super::super::events::{EventId, Kind};
use super::super::value::Value;
use super::Composer;
use base::Stop;
use ir::Shape;
use smt::term::Substitution;

/// Maximum number of passes over the skeleton.
const MAX_ROUNDS: usize = 8;

impl Composer<'_> {
    /// Replaces the known values of reads.
    pub(super) fn settle_values(&mut self) -> Result<(), Stop> {
        for _ in 0..MAX_ROUNDS {
            if !self.settle_some()? {
                break;
            }
        }
        Ok(())
    }

    fn settle_some(&mut self) -> Result<bool, Stop> {
        let accesses = self.all_accesses();
        let near = self.by_object(&accesses);
        if self.pruning.exclusion {
            self.find_exclusion(&accesses);
        }
        let mut known = Substitution::default();
        let mut is_changed = false;
        // A write's value is made of reads that come before it, so this order replaces all of them.
        for &id in &accesses {
            let event = &self.skeleton.events[id];
            let Some(value) = event.read.filter(|_| event.kind == Kind::Access) else { continue };
            if !self.terms.is_variable(value.bits) || self.exclusion.twins.contains(&id) {
                continue;
            }
            self.budget.check()?;
            let writes = self.writes_near(id, &near);
            if let Some(found) = self.find_twin(id, &writes, &near) {
                is_changed |= self.settle_value(&mut known, value, found);
                continue;
            }
            let Some((number, offset)) = self.constant_place(&self.skeleton.events[id]) else { continue };
            let (certain, sources) = self.sources(id, &writes);
            let found = match (certain.as_slice(), sources.as_slice()) {
                ([.., _], &[write]) if certain.contains(&write) => {
                    self.skeleton.events[write].write.map(|(_, new)| new)
                }
                ([], []) => {
                    let event = self.skeleton.events[id].clone();
                    Some(self.initial(number, offset, event.bytes, &event))
                }
                _ => None,
            };
            let Some(found) = found else { continue };
            is_changed |= self.settle_value(&mut known, value, found);
        }
        let terms = &mut *self.terms;
        self.skeleton.for_each_term(&mut |term| *term = known.apply(terms, *term));
        Ok(is_changed)
    }

    /// The value of a read with a twin. Races depend on which write is read from, and atomicity on the position, so
    /// there it keeps its link set.
    fn find_twin(&mut self, read: EventId, writes: &[EventId], near: &super::ByObject) -> Option<Value> {
        if !self.pruning.exclusion || matches!(self.property.shape(), Shape::Conflict | Shape::Between) {
            return None;
        }
        let accesses = self.near(read, near);
        let value = self.twin(read, writes, &accesses)?;
        // A read that never returns a pointer has no object.
        let object = self.skeleton.events[read].read?.object;
        if object != value.object && !self.terms.is_variable(object) {
            return None;
        }
        self.exclusion.twins.insert(read);
        Some(value)
    }

    fn settle_value(&mut self, known: &mut Substitution, value: Value, found: Value) -> bool {
        let mut is_changed = false;
        for (variable, new) in [(value.bits, found.bits), (value.object, found.object)] {
            let new = known.apply(self.terms, new);
            if self.terms.is_variable(variable) && new != variable {
                known.set(variable, new);
                is_changed = true;
            }
        }
        is_changed
    }

    /// The accesses that may occur.
    pub(super) fn all_accesses(&self) -> Vec<EventId> {
        let may_occur = |term| self.terms.as_bool(term) != Some(false);
        let events = self.skeleton.events.enumerate();
        events.filter(|(_, event)| event.bytes > 0 && may_occur(event.occurs)).map(|(id, _)| id).collect()
    }
}
