//! Values that are known without the solver: a read that can only be from one write, or only from the initial contents, has
//! the value that stands there. Put in its place, it often makes addresses and conditions constants that depend on it
//! (a thread's number handed over in memory, a size that is never changed), and then more reads have only one source.
//!
//! A read that does not occur has no value, so that any will do.

use super::super::events::{EventId, Kind};
use super::Composer;
use base::Stop;
use smt::term::Substitution;

/// So often the skeleton is gone through at most.
const MOST_ROUNDS: usize = 8;

impl Composer<'_> {
    /// Replaces the values of reads that are known.
    pub(super) fn settle_values(&mut self) -> Result<(), Stop> {
        for _ in 0..MOST_ROUNDS {
            if !self.settle_some()? {
                break;
            }
        }
        Ok(())
    }

    fn settle_some(&mut self) -> Result<bool, Stop> {
        let accesses = self.all_accesses();
        let near = self.by_object(&accesses);
        let mut known = Substitution::default();
        let mut is_changed = false;
        // A write's value is made of reads that come before it, so in this order it is replaced in full.
        for &id in &accesses {
            let event = &self.skeleton.events[id];
            let Some(value) = event.read.filter(|_| event.kind == Kind::Access) else { continue };
            let Some((number, offset)) = self.constant_place(event) else { continue };
            if !self.terms.is_variable(value.bits) {
                continue;
            }
            self.budget.check()?;
            let writes = self.writes_near(id, &near);
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
            for (variable, new) in [(value.bits, found.bits), (value.object, found.object)] {
                let new = known.apply(self.terms, new);
                if self.terms.is_variable(variable) && new != variable {
                    known.set(variable, new);
                    is_changed = true;
                }
            }
        }
        let terms = &mut *self.terms;
        self.skeleton.for_each_term(&mut |term| *term = known.apply(terms, *term));
        Ok(is_changed)
    }

    /// The accesses that may occur.
    pub(super) fn all_accesses(&self) -> Vec<EventId> {
        let may_occur = |term| self.terms.as_bool(term) != Some(false);
        let events = self.skeleton.events.enumerate();
        events.filter(|(_, event)| event.bytes > 0 && may_occur(event.occurs)).map(|(id, _)| id).collect()
    }
}
