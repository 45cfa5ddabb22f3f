//! Link sets and write orders: which accesses may be to one place, and which reads may read from which writes.

use super::super::events::{EventId, Kind};
use super::super::value::constant;
use super::lazy::Link;
use super::{ByObject, Composer, InObject, LARGEST_ACCESS, SIZES};
use base::Stop;
use check::ReasonKind;
use smt::{Bits, Term};

impl Composer<'_> {
    /// Reads-from and write order of all accesses except locks with sections.
    pub(super) fn accesses(&mut self, accesses: &[EventId]) -> Result<(), Stop> {
        let near = self.by_object(accesses);
        let relevant = self.relevant(accesses, &near);
        for &id in accesses {
            self.budget.check()?;
            let close = self.near(id, &near);
            for &other in &close {
                let has_write = self.skeleton.events[id].write.is_some() || self.skeleton.events[other].write.is_some();
                if has_write && id < other {
                    self.check_overlap(id, other);
                }
            }
            let writes = self.writes_among(id, close);
            if self.skeleton.events[id].read.is_some() && relevant.reads[id] {
                self.link(id, &writes);
            }
            if self.skeleton.events[id].kind == Kind::Probe {
                self.probe(id, &writes);
            }
            if self.skeleton.events[id].write.is_some() && relevant.writes[id] {
                for &other in writes.iter().filter(|&&other| other > id && relevant.writes[other]) {
                    self.order_writes(id, other);
                }
            }
        }
        Ok(())
    }

    /// Accesses by object, where that is a constant.
    pub(super) fn by_object(&self, accesses: &[EventId]) -> ByObject {
        let mut sorted = ByObject { all: accesses.to_vec(), ..ByObject::default() };
        for &id in accesses {
            let Some(number) = constant(self.terms, self.skeleton.events[id].location.object) else {
                sorted.symbolic.push(id);
                continue;
            };
            let accesses = sorted.known.entry(number as u16).or_default();
            accesses.all.push(id);
            match self.unit(id) {
                Some(unit) => accesses.placed.entry(unit).or_default().push(id),
                None => accesses.unplaced.push(id),
            }
        }
        sorted
    }

    /// The unit of its object that an access is in.
    fn unit(&self, id: EventId) -> Option<u64> {
        let event = &self.skeleton.events[id];
        let offset = constant(self.terms, event.location.bits).filter(|_| event.bytes <= LARGEST_ACCESS)?;
        Some(offset / LARGEST_ACCESS)
    }

    /// A superset of the accesses to its object that may be to the same place as this one.
    fn in_reach(&self, id: EventId, accesses: &InObject) -> Vec<EventId> {
        let Some(unit) = self.unit(id) else { return accesses.all.clone() };
        let units = unit.saturating_sub(1)..=unit + 1;
        let placed = units.filter_map(|unit| accesses.placed.get(&unit)).flatten();
        let mut found: Vec<EventId> = placed.chain(&accesses.unplaced).copied().collect();
        found.sort_unstable();
        found
    }

    /// The other accesses that may be to the same place.
    pub(super) fn near(&mut self, id: EventId, sorted: &ByObject) -> Vec<EventId> {
        let near: Vec<EventId> = match constant(self.terms, self.skeleton.events[id].location.object) {
            Some(number) if self.pruning.places => {
                let known = sorted.known.get(&(number as u16)).map(|accesses| self.in_reach(id, accesses));
                known.into_iter().flatten().chain(sorted.symbolic.iter().copied()).collect()
            }
            Some(_) | None => sorted.all.clone(),
        };
        let meets = |other: EventId| !self.pruning.places || self.may_meet(id, other);
        near.into_iter().filter(|&other| other != id && meets(other)).collect()
    }

    /// Those of them that write and have the same size.
    pub(super) fn writes_near(&mut self, id: EventId, sorted: &ByObject) -> Vec<EventId> {
        let near = self.near(id, sorted);
        self.writes_among(id, near)
    }

    fn writes_among(&self, id: EventId, mut near: Vec<EventId>) -> Vec<EventId> {
        let bytes = self.skeleton.events[id].bytes;
        near.retain(|&other| {
            let other = &self.skeleton.events[other];
            other.bytes == bytes && other.write.is_some()
        });
        near
    }

    /// A gap: accesses that overlap partially are not split into bytes.
    pub(super) fn check_overlap(&mut self, a: EventId, b: EventId) {
        let (x, y) = (&self.skeleton.events[a], &self.skeleton.events[b]);
        if x.bytes == y.bytes && x.location == y.location {
            return;
        }
        let (x, y) = (x.clone(), y.clone());
        let same_object = self.terms.eq(x.location.object, y.location.object);
        let width = self.terms.width(x.location.bits);
        let mut parts = vec![x.occurs, y.occurs, same_object];
        for (one, other) in [(&x, &y), (&y, &x)] {
            let bytes = self.terms.bits(Bits::from_u64(width, other.bytes));
            let end = self.terms.add(other.location.bits, bytes);
            parts.push(self.terms.ult(one.location.bits, end));
        }
        if x.bytes == y.bytes {
            let same = self.terms.eq(x.location.bits, y.location.bits);
            parts.push(self.terms.not(same));
        }
        let overlap = self.terms.and(parts);
        self.gap(overlap, ReasonKind::Unsupported, SIZES, y.at);
    }

    /// Whether one condition syntactically implies another.
    pub(super) fn implies(&self, a: Term, b: Term) -> bool {
        let parts = |term: Term| -> Vec<Term> {
            match self.terms.node(term) {
                smt::term::Node::And(parts) => parts.to_vec(),
                _ => vec![term],
            }
        };
        let known = parts(a);
        self.terms.as_bool(b) == Some(true) || parts(b).iter().all(|part| known.contains(part))
    }

    /// Among the writes that may be to the place of a read: those that certainly come before it, and those that it may
    /// read from.
    pub(super) fn sources(&mut self, read: EventId, writes: &[EventId]) -> (Vec<EventId>, Vec<EventId>) {
        let event = self.skeleton.events[read].clone();
        let mut certain = Vec::new();
        if self.pruning.overwritten {
            for &write in writes {
                if !self.is_before(write, read) {
                    continue;
                }
                let same = self.same_place(write, read);
                let Some(writes) = self.writes(write) else { continue };
                if self.terms.as_bool(same) == Some(true) && self.implies(event.occurs, writes) {
                    certain.push(write);
                }
            }
        }
        let mut sources = Vec::new();
        for &write in writes {
            let is_overwritten = certain.iter().any(|&other| self.is_before(write, other));
            if is_overwritten || self.pruning.later && self.is_before(read, write) {
                continue;
            }
            let is_excluded = self.pruning.exclusion
                && (certain.iter().any(|&own| self.is_kept_out(write, own, read))
                    || self.is_hidden(write, read, writes));
            if is_excluded {
                continue;
            }
            let needed = self.needed(read, write);
            let possible = self.terms.and(needed);
            let [taking, taken] = [read, write].map(|id| matches!(self.skeleton.events[id].kind, Kind::Lock { .. }));
            if taking && taken && !self.pruning.lock_links {
                sources.push(write);
                continue;
            }
            if !self.pruning.places || self.terms.as_bool(possible) != Some(false) {
                sources.push(write);
            }
        }
        (certain, sources)
    }

    /// Necessary conditions for a read to read from a write.
    pub(super) fn needed(&mut self, read: EventId, write: EventId) -> [Term; 4] {
        let same = self.same_place(write, read);
        let never = self.terms.bool(false);
        let writes = self.writes(write).unwrap_or(never);
        let values = self.skeleton.events[read].read.zip(self.skeleton.events[write].write);
        let equal = values.map_or(never, |(value, (_, written))| value.equals(self.terms, written));
        [same, writes, self.skeleton.events[read].occurs, equal]
    }

    /// The link set of a read.
    pub(super) fn link(&mut self, read: EventId, writes: &[EventId]) {
        let event = self.skeleton.events[read].clone();
        let Some(value) = event.read else { return };
        if self.exclusion.twins.contains(&read) {
            return;
        }
        let (certain, from) = self.sources(read, writes);
        let mut sources = Vec::new();
        let mut pairs = Vec::new();
        for write in from {
            let choice = self.fresh("rf");
            self.keep();
            for needed in self.needed(read, write) {
                self.assert_if(choice, needed);
            }
            if let Some(is_first) = self.section_order(write, read) {
                self.assert_if(choice, is_first);
            }
            self.tell_reads_from(choice, write, read);
            self.composition.reads_from.push((choice, write, read));
            self.model_reads_from(choice, write, read);
            let is_near = self.is_before(write, read);
            pairs.extend(self.kept(choice, Some(write), is_near));
            self.composition.pairs += 1;
            sources.push(choice);
        }
        if certain.is_empty() {
            let choice = self.fresh("initial");
            self.composition.initially.push(read);
            self.keep();
            self.assert_if(choice, event.occurs);
            self.read_initially(choice, &event, value);
            for &write in writes {
                let same = self.same_place(write, read);
                if let Some(writes) = self.writes(write) {
                    self.overwritten_if(&[choice, writes, same], read, write);
                }
            }
            pairs.extend(self.kept(choice, None, true));
            sources.push(choice);
        }
        if self.is_lazy {
            let competitors = self.competitors(read, writes);
            let is_synchronising = event.is_ghost || event.orders.0.is_atomic();
            self.composition.links.push(Link { read, occurs: event.occurs, pairs, competitors, is_synchronising });
            return;
        }
        self.at_most_one(&sources);
        let some = self.terms.or(sources);
        let fact = self.terms.implies(event.occurs, some);
        self.assert(fact);
    }

    /// A read has at most one source. The order implies that too, but only once the writes are ordered.
    fn at_most_one(&mut self, choices: &[Term]) {
        let Some((&first, others)) = choices.split_first() else { return };
        // Whether an earlier one was chosen.
        let mut chosen = first;
        for (index, &choice) in others.iter().enumerate() {
            let both = self.terms.and2(chosen, choice);
            let never = self.terms.not(both);
            self.assert(never);
            if index + 1 == others.len() {
                break;
            }
            let next = self.fresh("chosen");
            for earlier in [chosen, choice] {
                let fact = self.terms.implies(earlier, next);
                self.assert(fact);
            }
            chosen = next;
        }
    }

    pub(super) fn order_writes(&mut self, a: EventId, b: EventId) {
        if self.is_clocked {
            return;
        }
        let same = self.same_place(a, b);
        let (Some(first), Some(second)) = (self.writes(a), self.writes(b)) else { return };
        let both = self.terms.and([same, first, second]);
        if self.terms.as_bool(both) == Some(false) {
            return;
        }
        let (forwards, backwards) = if self.is_before(a, b) {
            (Some(both), None)
        } else if self.is_before(b, a) {
            (None, Some(both))
        } else {
            let choice = self.section_order(a, b).unwrap_or_else(|| self.fresh("co"));
            let other = self.terms.not(choice);
            (Some(self.terms.and2(both, choice)), Some(self.terms.and2(both, other)))
        };
        for (choice, earlier, later) in [(forwards, a, b), (backwards, b, a)] {
            let Some(choice) = choice else { continue };
            let (from, to) = (self.nodes[earlier], self.nodes[later]);
            let lit = self.composition.solver.literal(self.terms, choice);
            let (order, sat) = self.composition.solver.order();
            order.write_order(sat, lit, from, to);
            self.composition.write_order.push((choice, earlier, later));
        }
    }
}
