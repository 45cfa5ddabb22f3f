//! Forced reads-from: if an event occurs only if an earlier read of its thread returned a certain value, and only one
//! write of the window writes such a value, that write has happened before the event, provided it releases and the read
//! acquires. This derives the order established by flags and turns, without the solver.

use crate::skeleton::events::{EventId, Kind, Skeleton};
use crate::skeleton::past::Content;
use crate::skeleton::value::{conjuncts, constant, Value};
use rustc_hash::FxHashMap;
use smt::term::Substitution;
use smt::{Term, Terms};

/// The writes that happen before an event because of forced reads.
pub(super) struct Forced<'s> {
    skeleton: &'s Skeleton,
    /// Reads by the variables that stand for their values.
    reads: FxHashMap<Term, EventId>,
    /// The consequence of each condition: a write, and the read from it.
    known: FxHashMap<Term, Option<(EventId, EventId)>>,
}

impl<'s> Forced<'s> {
    pub(super) fn new(skeleton: &'s Skeleton, terms: &Terms) -> Forced<'s> {
        let (mut reads, mut several) = (FxHashMap::default(), Vec::new());
        for (id, event) in skeleton.events.enumerate() {
            let Some(value) = event.read.filter(|_| event.kind == Kind::Access) else { continue };
            for variable in [value.bits, value.object].into_iter().filter(|&part| terms.is_variable(part)) {
                if reads.insert(variable, id).is_some() {
                    several.push(variable);
                }
            }
        }
        // Values returned by several reads are not distinguished.
        reads.retain(|variable, _| !several.contains(variable));
        Forced { skeleton, reads, known: FxHashMap::default() }
    }

    /// The writes that have happened before an event, if it occurs.
    pub(super) fn before(&mut self, terms: &mut Terms, event: EventId) -> Vec<EventId> {
        let parts = conjuncts(terms, self.skeleton.events[event].occurs);
        let mut before = Vec::new();
        for &part in &parts {
            let found = match self.known.get(&part) {
                Some(&found) => found,
                None => {
                    let found = self.source(terms, part);
                    self.known.insert(part, found);
                    found
                }
            };
            // A read that did not occur returned nothing.
            let occurs = |read| conjuncts(terms, self.skeleton.events[read].occurs).iter().all(|c| parts.contains(c));
            before.extend(found.filter(|&(_, read)| occurs(read)).map(|(write, _)| write));
        }
        before
    }

    /// The only write whose value satisfies a condition about one read, and the read.
    fn source(&self, terms: &mut Terms, condition: Term) -> Option<(EventId, EventId)> {
        let variables = terms.variables(&[condition]);
        let &id = self.reads.get(variables.first()?)?;
        if variables.iter().any(|variable| self.reads.get(variable) != Some(&id)) {
            return None;
        }
        let read = &self.skeleton.events[id];
        let value = read.read.filter(|_| read.orders.0.acquires() && read.orders.1.acquires())?;
        let (number, offset) = place(self.skeleton, terms, id)?;
        let Some(Content::Number(first)) = self.skeleton.before(number, offset, read.bytes) else { return None };
        let first = Value::constant(terms, terms.width(value.bits), first);
        if may_hold(terms, condition, value, first) {
            return None;
        }
        let mut found = None;
        for (other, event) in self.skeleton.events.enumerate() {
            let Some((_, new)) = event.write.filter(|_| other != id && event.bytes > 0) else { continue };
            if terms.as_bool(event.occurs) == Some(false) {
                continue;
            }
            let at = place(self.skeleton, terms, other);
            if at.is_some_and(|(object, start)| {
                object != number || start >= offset + read.bytes || offset >= start.saturating_add(event.bytes)
            }) {
                continue;
            }
            let is_like = at == Some((number, offset)) && event.bytes == read.bytes;
            if is_like && !may_hold(terms, condition, value, new) {
                continue;
            }
            if found.is_some() || !is_like || !event.orders.0.releases() {
                return None;
            }
            found = Some((other, id));
        }
        found
    }
}

/// Whether a condition may hold if the read returned this value.
fn may_hold(terms: &mut Terms, condition: Term, read: Value, found: Value) -> bool {
    let mut known = Substitution::new([(read.bits, found.bits), (read.object, found.object)]);
    let holds = known.apply(terms, condition);
    terms.as_bool(holds) != Some(false)
}

fn place(skeleton: &Skeleton, terms: &Terms, event: EventId) -> Option<(u16, u64)> {
    let location = skeleton.events[event].location;
    Some((constant(terms, location.object)? as u16, constant(terms, location.bits)?))
}
