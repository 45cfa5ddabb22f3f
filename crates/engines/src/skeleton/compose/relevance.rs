//! Relevance of reads. A read whose value is in no condition, no address and no value that reaches one through memory
//! may read from any write: whatever order the other events have, some value is there. So it has no link set, and
//! writes that only such reads may read from are not ordered.
//!
//! This is exact: an execution without these choices extends to one with them, since in any total order of the events
//! each read reads from the previous write. With store buffers that is so at each moment of an execution, too. Under
//! `ra` all reads have a link set. For races, atomic reads always matter: the write they read from is known to have
//! happened.

use super::super::events::{EventId, Kind};
use super::{ByObject, Composer};
use base::IdVec;
use ir::Property;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::Term;

/// The events with choices.
pub(super) struct Relevant {
    /// Reads with a link set.
    pub(super) reads: IdVec<EventId, bool>,
    /// Writes that are ordered.
    pub(super) writes: IdVec<EventId, bool>,
}

/// The worklist of the relevance analysis.
struct Search {
    found: Relevant,
    /// Reads by the variables that stand for their values.
    by_variable: FxHashMap<Term, Vec<EventId>>,
    seen: FxHashSet<Term>,
    work: Vec<EventId>,
}

impl Composer<'_> {
    /// The reads and writes among these accesses that matter.
    pub(super) fn relevant(&mut self, accesses: &[EventId], near: &ByObject) -> Relevant {
        let count = self.skeleton.events.len();
        let all = !self.pruning.irrelevant;
        let found = Relevant { reads: IdVec::filled(all, count), writes: IdVec::filled(all, count) };
        if all {
            return found;
        }
        let (by_variable, seen) = (FxHashMap::default(), FxHashSet::default());
        let mut search = Search { found, by_variable, seen, work: Vec::new() };
        for &id in accesses {
            let Some(value) = self.skeleton.events[id].read else { continue };
            if self.is_open(id) {
                let parts = [value.bits, value.object].into_iter();
                for variable in parts.filter(|&part| self.terms.is_variable(part)) {
                    search.by_variable.entry(variable).or_default().push(id);
                }
            } else {
                search.work.push(id);
            }
        }
        let mut roots = Vec::new();
        self.skeleton.for_each_condition(&mut |term| roots.push(*term));
        self.follow_terms(&mut search, &roots);
        while let Some(read) = search.work.pop() {
            if std::mem::replace(&mut search.found.reads[read], true) {
                continue;
            }
            if let Some(value) = self.skeleton.events[read].read {
                self.follow_terms(&mut search, &[value.bits, value.object]);
            }
            for write in self.writes_near(read, near) {
                if std::mem::replace(&mut search.found.writes[write], true) {
                    continue;
                }
                if let Some((_, value)) = self.skeleton.events[write].write {
                    self.follow_terms(&mut search, &[value.bits, value.object]);
                }
            }
        }
        search.found
    }

    /// Whether a read only constrains its value, about which nothing is known.
    fn is_open(&self, id: EventId) -> bool {
        let event = &self.skeleton.events[id];
        let synchronises =
            self.property == Property::Race && (event.orders.0.is_atomic() || event.orders.1.is_atomic());
        let is_unknown = event.read.is_some_and(|value| {
            let is_number = super::constant(self.terms, value.object) == Some(0);
            self.terms.is_variable(value.bits) && (self.terms.is_variable(value.object) || is_number)
        });
        event.kind == Kind::Access && is_unknown && !synchronises
    }

    /// Marks the reads that terms are made of.
    fn follow_terms(&self, search: &mut Search, roots: &[Term]) {
        let Search { by_variable, seen, work, .. } = search;
        let mut new = Vec::new();
        self.terms.for_each_below(roots, |term| seen.contains(&term), |term| new.push(term));
        for term in new {
            seen.insert(term);
            work.extend(by_variable.get(&term).into_iter().flatten().copied());
        }
    }
}
