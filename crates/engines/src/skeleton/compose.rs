//! Stage 2: which choices of reads-from and write order make an execution of a skeleton, under sequential consistency.
//!
//! One order of all events that must be acyclic ([`smt::order`]): program order, starts and joins are fixed edges; a
//! reads-from literal for every pair in a link set; a write-order literal for every pair of writes that may be to one
//! location; from-reads follow. A read that occurs reads from some write, or the initial contents, and then comes before
//! every write to its location.
//!
//! Pruning of link sets ([`Pruning`]): not from writes that come later in program order; not from writes that are certainly
//! overwritten in program order before the read; provably different locations and exclusive conditions never make a pair.
//! Competing writes are never pruned.
//!
//! Locks. Where a cell is only touched by `Lock` and `Unlock` at a constant place and is 0 at the start, acquisitions are
//! ordered instead of accesses: of two that occur in different threads, one section ends before the other begins. This is
//! exact. In an execution, between two acquisitions the first must have been released, and only its own thread releases it
//! (anything else is a gap), by the release that the state of that thread says
//! closes it; so if no release that closes it occurs, the other order is left. Conversely, in an acyclic order where all
//! pairs are so separated, the lock is free at each acquisition. A conditional release closes the section under its
//! condition only, so several releases of one acquisition are cases.
//!
//! Atomic regions. Nothing of another thread that is ordered with an event of a region lies inside it: what comes before its
//! end comes before its beginning, what comes after its beginning comes after its end. Beginning a region blocks: a thread
//! that stays in one keeps all others from moving.
//!
//! What is only known when all events are (accesses that overlap without being the same, accesses to objects that are
//! gone) makes more gaps. That undefined behaviour does not happen is assumed while a violation is looked for.

mod races;
mod values;

pub(crate) use races::Race;

use super::events::{Event, EventId, Gap, Kind, Retirement, Skeleton, ThreadId, Violation};
use super::locks::NOT_HELD;
use super::memory::INVALID;
use super::objects;
use super::past::Content;
use super::value::{constant, fresh, Value, GHOST, OBJECT_BITS};
use base::{Budget, Id, IdVec, Span, Stop};
use check::ReasonKind;
use ir::{Initial, Program, Property, Symbol};
use rustc_hash::FxHashMap;
use smt::order::{Includes, Node, OrderId};
use smt::{Bits, Solver, Sort, Term, Terms};

/// Which pairs are left out of link sets. All of it is sound; it can be switched off to measure what it is worth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pruning {
    pub(crate) later: bool,
    pub(crate) overwritten: bool,
    /// Reads with one source have its value.
    pub(crate) values: bool,
}

impl Default for Pruning {
    fn default() -> Pruning {
        Pruning { later: true, overwritten: true, values: true }
    }
}

/// A skeleton told to a solver.
pub(crate) struct Composition {
    pub(crate) solver: Solver,
    /// Literals with the write and the read.
    pub(crate) reads_from: Vec<(Term, EventId, EventId)>,
    /// Literals with the earlier and the later write.
    pub(crate) write_order: Vec<(Term, EventId, EventId)>,
    /// Other edges, which are there when all terms hold.
    pub(crate) edges: Vec<(Vec<Term>, EventId, EventId)>,
    pub(crate) gaps: Vec<Gap>,
    /// What is assumed while a violation is looked for.
    pub(crate) assumed: Vec<Term>,
    /// Conditions under which a model may be no execution, because values are not told exactly. Each is a gap too.
    pub(crate) inexact: Vec<Term>,
    /// Where races are looked for.
    pub(crate) race: Option<Race>,
    pub(crate) pairs: u64,
}

struct Composer<'a> {
    program: &'a Program,
    property: Property,
    /// The step that each event belongs to.
    steps: IdVec<EventId, Option<(ThreadId, usize)>>,
    skeleton: &'a mut Skeleton,
    terms: &'a mut Terms,
    pruning: Pruning,
    composition: Composition,
    order: OrderId,
    nodes: IdVec<EventId, smt::order::Event>,
    /// Per event the events that come before it by fixed edges, as bits.
    before: IdVec<EventId, Vec<u64>>,
    /// Releases and later acquisitions of the same lock, where sections are ordered, under conditions.
    handovers: Vec<(Vec<Term>, EventId, EventId)>,
    arbitrary: FxHashMap<(u16, u64, u64), Value>,
    budget: &'a Budget,
}

/// Accesses by the object they are to.
#[derive(Default)]
struct ByObject {
    known: FxHashMap<u16, Vec<EventId>>,
    symbolic: Vec<EventId>,
    all: Vec<EventId>,
}

/// Objects with more elements than this are not read at symbolic places.
const MOST_ELEMENTS: u64 = 1024;
const SIZES: &str = "shared memory is accessed in pieces of different sizes";
const GONE: &str = "an access to memory that may no longer exist";

/// Tells a skeleton to a new solver.
pub(crate) fn compose(
    program: &Program,
    property: Property,
    skeleton: &mut Skeleton,
    terms: &mut Terms,
    pruning: Pruning,
    budget: &Budget,
) -> Result<Composition, Stop> {
    let mut solver = Solver::new();
    let (theory, _) = solver.order();
    let order = theory.order(Includes::ALL);
    let composition = Composition {
        solver,
        reads_from: Vec::new(),
        write_order: Vec::new(),
        edges: Vec::new(),
        gaps: Vec::new(),
        assumed: Vec::new(),
        inexact: Vec::new(),
        race: None,
        pairs: 0,
    };
    let mut composer = Composer {
        program,
        property,
        steps: IdVec::filled(None, skeleton.events.len()),
        skeleton,
        terms,
        pruning,
        composition,
        order,
        nodes: IdVec::new(),
        before: IdVec::new(),
        handovers: Vec::new(),
        arbitrary: FxHashMap::default(),
        budget,
    };
    composer.find_steps();
    composer.compose()?;
    Ok(composer.composition)
}

impl Composer<'_> {
    fn compose(&mut self) -> Result<(), Stop> {
        self.program_order();
        if self.pruning.values {
            self.settle_values()?;
        }
        for fact in std::mem::take(&mut self.skeleton.facts) {
            self.assert(fact);
        }
        self.composition.gaps.extend(self.skeleton.gaps.clone());
        let accesses = self.all_accesses();
        let (lock_cells, rest) = self.lock_cells(&accesses);
        for cell in lock_cells {
            self.sections(&cell)?;
        }
        self.accesses(&rest)?;
        for &event in &rest {
            if let Kind::Unlock { .. } = self.skeleton.events[event].kind {
                self.check_owner(event);
            }
        }
        if self.property == Property::Race {
            self.races();
        }
        self.kills(&accesses)?;
        self.validity(&accesses)?;
        self.regions()?;
        self.joins();
        self.thread_comparisons();
        self.comparisons();
        Ok(())
    }

    fn find_steps(&mut self) {
        for (thread, record) in self.skeleton.threads.enumerate() {
            for (index, step) in record.steps.iter().enumerate() {
                step.events.iter().for_each(|&event| self.steps[event] = Some((thread, index)));
            }
        }
    }

    fn assert(&mut self, fact: Term) {
        if self.terms.as_bool(fact) != Some(true) {
            self.composition.solver.assert(self.terms, fact);
        }
    }

    fn gap(&mut self, occurs: Term, kind: ReasonKind, detail: &str, at: Span) {
        if self.terms.as_bool(occurs) != Some(false) {
            self.composition.inexact.push(occurs);
            let place = self.program.place(at);
            self.composition.gaps.push(Gap { occurs, kind, detail: detail.to_owned(), place });
        }
    }

    /// Behaviour of an event that this property forbids, if the condition holds; where another one is asked about, a gap.
    fn forbid(&mut self, occurs: Term, property: Property, detail: &str, id: EventId) {
        if property != self.property {
            let at = self.skeleton.events[id].at;
            self.gap(occurs, ReasonKind::Undefined, &format!("undefined behaviour: {detail}"), at);
        } else if self.terms.as_bool(occurs) != Some(false) {
            let (thread, step) = self.steps[id].expect("an access should belong to a step");
            self.skeleton.violations.push(Violation { occurs, thread, step });
            self.excuse_region(id, occurs);
        }
    }

    /// The same for what is assumed not to happen while a violation of another kind is looked for.
    fn forbid_memory(&mut self, occurs: Term, detail: &str, id: EventId) {
        self.forbid(occurs, Property::Memory, detail, id);
        let never = self.terms.not(occurs);
        if self.property != Property::Memory && self.terms.as_bool(never) != Some(true) {
            self.composition.assumed.push(never);
        }
    }

    /// A run that ends in a region need not leave it.
    fn excuse_region(&mut self, event: EventId, violated: Term) {
        for id in self.skeleton.regions.ids() {
            if self.skeleton.regions[id].events.contains(&event) {
                self.skeleton.regions[id].violated.push(violated);
            }
        }
    }

    fn fresh(&mut self, name: &str) -> Term {
        self.terms.variable(name, Sort::Bool)
    }

    fn node(&mut self, event: EventId) -> Node {
        let event = self.nodes[event];
        self.composition.solver.order().0.node_at(event, self.order)
    }

    fn is_before(&self, a: EventId, b: EventId) -> bool {
        self.before[b][a.index() / 64] >> (a.index() % 64) & 1 == 1
    }

    fn program_order(&mut self) {
        let words = self.skeleton.events.len().div_ceil(64);
        let joined = self.certain_joins();
        for id in self.skeleton.events.ids() {
            let event = &self.skeleton.events[id];
            let thread = event.thread.index() as u32;
            let mut after = event.after.clone();
            after.extend(joined.get(&id).into_iter().flatten().copied());
            let made = self.composition.solver.order().0.event(thread);
            self.nodes.push(made);
            let mut before = vec![0u64; words];
            for earlier in after {
                for (word, other) in before.iter_mut().zip(&self.before[earlier]) {
                    *word |= other;
                }
                before[earlier.index() / 64] |= 1 << (earlier.index() % 64);
                let (from, to) = (self.node(earlier), self.node(id));
                self.composition.solver.order().0.edge(from, to);
            }
            self.before.push(before);
        }
    }

    /// The joins that whatever comes after them has passed, with the last events of the threads that they wait for. A
    /// path around a join does not wait, so there its edges hold only if it occurs.
    fn certain_joins(&self) -> FxHashMap<EventId, Vec<EventId>> {
        let mut certain = FxHashMap::default();
        for join in &self.skeleton.joins {
            let [(thread, _)] = join.threads.as_slice() else { continue };
            let Some(exit) = &self.skeleton.threads[*thread].exit else { continue };
            let mut is_after = IdVec::filled(false, self.skeleton.events.len());
            is_after[join.event] = true;
            let mut is_certain = true;
            for (id, event) in self.skeleton.events.enumerate().skip(join.event.index() + 1) {
                is_after[id] = event.after.iter().any(|&earlier| is_after[earlier]);
                is_certain &= !is_after[id] || self.implies(event.occurs, join.passed);
            }
            if is_certain {
                certain.insert(join.event, exit.last.to_vec());
            }
        }
        certain
    }

    /// An edge that is there when all terms hold.
    fn edge_if(&mut self, when: &[Term], from: EventId, to: EventId) {
        if when.iter().any(|&term| self.terms.as_bool(term) == Some(false)) {
            return;
        }
        let (from_node, to_node) = (self.node(from), self.node(to));
        let solver = &mut self.composition.solver;
        let lits: Vec<_> = when
            .iter()
            .filter(|&&term| self.terms.as_bool(term) != Some(true))
            .map(|&term| solver.literal(self.terms, term))
            .collect();
        let (order, sat) = solver.order();
        order.edge_if(sat, &lits, from_node, to_node);
        self.composition.edges.push((when.to_vec(), from, to));
    }

    fn edge_if_path(&mut self, path: (Node, Node), from: Node, to: Node) {
        let (order, sat) = self.composition.solver.order();
        order.edge_if_path(sat, &[], path, from, to);
    }

    fn constant_place(&self, event: &Event) -> Option<(u16, u64)> {
        Some((constant(self.terms, event.location.object)? as u16, constant(self.terms, event.location.bits)?))
    }

    /// Whether two accesses are to the same place, as far as it can be told without the solver.
    fn may_meet(&mut self, a: EventId, b: EventId) -> bool {
        let (x, y) = (&self.skeleton.events[a], &self.skeleton.events[b]);
        match (constant(self.terms, x.location.object), constant(self.terms, y.location.object)) {
            (Some(p), Some(q)) if p != q => return false,
            (Some(number), None) if !self.may_be(y, number as u16) => return false,
            (None, Some(number)) if !self.may_be(x, number as u16) => return false,
            _ => {}
        }
        let (x, y) = (&self.skeleton.events[a], &self.skeleton.events[b]);
        match (constant(self.terms, x.location.bits), constant(self.terms, y.location.bits)) {
            (Some(p), Some(q)) => p < q.saturating_add(y.bytes) && q < p.saturating_add(x.bytes),
            _ => true,
        }
    }

    fn may_be(&self, event: &Event, number: u16) -> bool {
        let Some(targets) = &event.targets else { return true };
        let memory = self.skeleton.objects.get(number).and_then(|object| object.memory);
        memory.is_some_and(|memory| targets.contains(&(memory, number & GHOST != 0)))
    }

    fn same_place(&mut self, a: EventId, b: EventId) -> Term {
        let (x, y) = (self.skeleton.events[a].location, self.skeleton.events[b].location);
        x.equals(self.terms, y)
    }

    /// The condition under which an event writes.
    fn writes(&mut self, event: EventId) -> Option<Term> {
        let event = &self.skeleton.events[event];
        let (condition, _) = event.write?;
        let occurs = event.occurs;
        Some(self.terms.and2(occurs, condition))
    }

    /// The cells that are only locked and unlocked, and all other accesses.
    fn lock_cells(&mut self, accesses: &[EventId]) -> (Vec<Vec<EventId>>, Vec<EventId>) {
        let mut cells: std::collections::BTreeMap<(u16, u64), Vec<EventId>> = std::collections::BTreeMap::new();
        let mut others = Vec::new();
        for &id in accesses {
            let event = &self.skeleton.events[id];
            match (&event.kind, self.constant_place(event)) {
                (Kind::Lock { .. } | Kind::Unlock { .. }, Some(place)) => cells.entry(place).or_default().push(id),
                _ => others.push(id),
            }
        }
        let mut sections = Vec::new();
        for ((number, offset), events) in cells {
            let is_initial_zero = self.skeleton.is_free_before(self.terms, number, offset);
            let is_alone = !others.clone().iter().any(|&other| self.may_meet(other, events[0]));
            if is_initial_zero && is_alone && number & GHOST != 0 {
                sections.push(events);
            } else {
                others.extend(events);
            }
        }
        others.sort_unstable();
        (sections, others)
    }

    /// Orders the critical sections of a lock.
    fn sections(&mut self, events: &[EventId]) -> Result<(), Stop> {
        let mut locks = Vec::new();
        let mut closings: FxHashMap<EventId, Vec<(EventId, Term)>> = FxHashMap::default();
        for &id in events {
            let event = self.skeleton.events[id].clone();
            match event.kind {
                Kind::Lock { held, is_mine } => {
                    locks.push(id);
                    let agrees = self.terms.eq(held, is_mine);
                    let fact = self.terms.implies(event.occurs, agrees);
                    self.assert(fact);
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
                Kind::Access | Kind::Kill | Kind::Fence | Kind::Mark => {}
            }
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

    fn two_sections(&mut self, a: EventId, b: EventId, closings: &FxHashMap<EventId, Vec<(EventId, Term)>>) {
        let (Some(one), Some(other)) = (self.writes(a), self.writes(b)) else { return };
        let both = self.terms.and2(one, other);
        if self.terms.as_bool(both) == Some(false) {
            return;
        }
        let first = self.fresh("section");
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
                    self.edge_if(&[both, choice, condition], unlock, later);
                    self.handovers.push((vec![chosen, condition], unlock, later));
                } else {
                    let whole = self.terms.and2(chosen, condition);
                    let never = self.terms.not(whole);
                    self.assert(never);
                }
            }
        }
    }

    /// A lock released by a thread whose number is not in it.
    fn check_owner(&mut self, id: EventId) {
        let event = self.skeleton.events[id].clone();
        let Some(read) = event.read else { return };
        let number = Value::constant(self.terms, 32, event.thread.index() as u128 + 1);
        let is_mine = read.equals(self.terms, number);
        let wrong = self.terms.not(is_mine);
        let wrong = self.terms.and2(event.occurs, wrong);
        self.forbid(wrong, Property::Locks, NOT_HELD, id);
    }

    /// Reads-from and write order of all accesses but locks that have sections.
    fn accesses(&mut self, accesses: &[EventId]) -> Result<(), Stop> {
        let near = self.by_object(accesses);
        for &id in accesses {
            self.budget.check()?;
            for other in self.near(id, &near) {
                let has_write = self.skeleton.events[id].write.is_some() || self.skeleton.events[other].write.is_some();
                if has_write && id < other {
                    self.check_overlap(id, other);
                }
            }
            let writes = self.writes_near(id, &near);
            if self.skeleton.events[id].read.is_some() {
                self.link(id, &writes);
            }
            if self.skeleton.events[id].write.is_some() {
                for &other in writes.iter().filter(|&&other| other > id) {
                    self.order_writes(id, other);
                }
            }
        }
        Ok(())
    }

    /// Accesses by the object they are to, where that is a constant.
    fn by_object(&self, accesses: &[EventId]) -> ByObject {
        let mut sorted = ByObject { all: accesses.to_vec(), ..ByObject::default() };
        for &id in accesses {
            match constant(self.terms, self.skeleton.events[id].location.object) {
                Some(number) => sorted.known.entry(number as u16).or_default().push(id),
                None => sorted.symbolic.push(id),
            }
        }
        sorted
    }

    /// The other accesses that may be to the same place.
    fn near(&mut self, id: EventId, sorted: &ByObject) -> Vec<EventId> {
        let near: Vec<EventId> = match constant(self.terms, self.skeleton.events[id].location.object) {
            Some(number) => {
                let known = sorted.known.get(&(number as u16)).into_iter().flatten();
                known.chain(&sorted.symbolic).copied().collect()
            }
            None => sorted.all.clone(),
        };
        near.into_iter().filter(|&other| other != id && self.may_meet(id, other)).collect()
    }

    /// Those of them that write as many bytes.
    fn writes_near(&mut self, id: EventId, sorted: &ByObject) -> Vec<EventId> {
        let bytes = self.skeleton.events[id].bytes;
        let mut near = self.near(id, sorted);
        near.retain(|&other| {
            let other = &self.skeleton.events[other];
            other.bytes == bytes && other.write.is_some()
        });
        near
    }

    /// Accesses that overlap without being the same are not told apart into bytes.
    fn check_overlap(&mut self, a: EventId, b: EventId) {
        let (x, y) = (self.skeleton.events[a].clone(), self.skeleton.events[b].clone());
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

    /// Whether one condition plainly implies another.
    fn implies(&self, a: Term, b: Term) -> bool {
        let parts = |term: Term| -> Vec<Term> {
            match self.terms.node(term) {
                smt::term::Node::And(parts) => parts.to_vec(),
                _ => vec![term],
            }
        };
        let known = parts(a);
        self.terms.as_bool(b) == Some(true) || parts(b).iter().all(|part| known.contains(part))
    }

    /// Of the writes that may be to the place of a read, those that certainly come before it, and those that it may read
    /// from.
    fn sources(&mut self, read: EventId, writes: &[EventId]) -> (Vec<EventId>, Vec<EventId>) {
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
            let needed = self.needed(read, write);
            let possible = self.terms.and(needed);
            if self.terms.as_bool(possible) != Some(false) {
                sources.push(write);
            }
        }
        (certain, sources)
    }

    /// What must hold if a read is from a write.
    fn needed(&mut self, read: EventId, write: EventId) -> [Term; 4] {
        let same = self.same_place(write, read);
        let never = self.terms.bool(false);
        let writes = self.writes(write).unwrap_or(never);
        let values = self.skeleton.events[read].read.zip(self.skeleton.events[write].write);
        let equal = values.map_or(never, |(value, (_, written))| value.equals(self.terms, written));
        [same, writes, self.skeleton.events[read].occurs, equal]
    }

    /// The link set of a read.
    fn link(&mut self, read: EventId, writes: &[EventId]) {
        let event = self.skeleton.events[read].clone();
        let Some(value) = event.read else { return };
        let (certain, from) = self.sources(read, writes);
        let mut sources = Vec::new();
        for write in from {
            let choice = self.fresh("rf");
            for needed in self.needed(read, write) {
                let fact = self.terms.implies(choice, needed);
                self.assert(fact);
            }
            let (from, to) = (self.nodes[write], self.nodes[read]);
            let lit = self.composition.solver.literal(self.terms, choice);
            let (order, sat) = self.composition.solver.order();
            order.reads_from(sat, lit, from, to);
            self.composition.reads_from.push((choice, write, read));
            self.composition.pairs += 1;
            sources.push(choice);
        }
        if certain.is_empty() {
            let choice = self.fresh("initial");
            let fact = self.terms.implies(choice, event.occurs);
            self.assert(fact);
            self.read_initially(choice, &event, value);
            for &write in writes {
                let same = self.same_place(write, read);
                if let Some(writes) = self.writes(write) {
                    self.edge_if(&[choice, writes, same], read, write);
                }
            }
            sources.push(choice);
        }
        let some = self.terms.or(sources);
        let fact = self.terms.implies(event.occurs, some);
        self.assert(fact);
    }

    fn order_writes(&mut self, a: EventId, b: EventId) {
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
            let choice = self.fresh("co");
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

    /// What stands in an object before any event.
    fn initial(&mut self, number: u16, offset: u64, bytes: u64, event: &Event) -> Value {
        let width = bytes as u32 * 8;
        if let Some(content) = self.skeleton.before(number, offset, bytes) {
            if content == Content::Mixed {
                self.gap(event.occurs, ReasonKind::Unsupported, SIZES, event.at);
            }
            let known = self.skeleton.value_of(self.terms, content, width);
            return known.unwrap_or_else(|| self.any_initial(number, offset, bytes));
        }
        let mut overlaps = false;
        if let Some(cells) = self.skeleton.initial.get(&number) {
            if let Some(&(size, value)) = cells.get(&offset) {
                if size == bytes {
                    return value;
                }
            }
            overlaps = cells.iter().any(|(&at, &(size, _))| at < offset + bytes && offset < at + size);
        }
        if overlaps {
            self.gap(event.occurs, ReasonKind::Unsupported, SIZES, event.at);
        }
        let start = self.skeleton.objects.get(number).map(|object| object.start);
        let start = if number & GHOST != 0 { Some(objects::Start::Zero) } else { start };
        match start {
            Some(objects::Start::Zero) => Value::constant(self.terms, width, 0),
            Some(objects::Start::Static(id)) => {
                let program = self.program;
                let Initial::Bytes { bytes: text, relocations } = &program.objects[id].initial else {
                    return self.any_initial(number, offset, bytes);
                };
                let pointer_bytes = program.data_model.pointer_bytes();
                let near = |at: u64| at < offset + bytes && at + pointer_bytes > offset;
                if let Some(relocation) = relocations.iter().find(|relocation| near(relocation.at)) {
                    if relocation.at != offset || bytes != pointer_bytes {
                        let detail = "what happens depends on the addresses of objects";
                        self.gap(event.occurs, ReasonKind::Addresses, detail, event.at);
                        return self.any_initial(number, offset, bytes);
                    }
                    let target = match relocation.symbol {
                        Symbol::Object(object) => self.skeleton.objects.find(None, object),
                        Symbol::Function(function) => self.skeleton.objects.function(function),
                    };
                    return match target {
                        Some(target) => Value::pointer(self.terms, target, width, relocation.offset as u128),
                        None => {
                            let detail = "an object is reached through an initialiser only";
                            self.gap(event.occurs, ReasonKind::Unsupported, detail, event.at);
                            self.any_initial(number, offset, bytes)
                        }
                    };
                }
                let byte = |index: u64| u128::from(text.get(index as usize).copied().unwrap_or(0));
                let value = (0..bytes).fold(0, |all, index| all | byte(offset + index) << (8 * index));
                Value::constant(self.terms, width, value)
            }
            Some(objects::Start::Arbitrary) | None => self.any_initial(number, offset, bytes),
        }
    }

    fn any_initial(&mut self, number: u16, offset: u64, bytes: u64) -> Value {
        if let Some(&value) = self.arbitrary.get(&(number, offset, bytes)) {
            return value;
        }
        let bits = fresh(self.terms, "memory", bytes as u32 * 8);
        let value = Value::int(self.terms, bits);
        self.arbitrary.insert((number, offset, bytes), value);
        value
    }

    /// If `choice`, the value read is the initial one.
    fn read_initially(&mut self, choice: Term, event: &Event, value: Value) {
        if let Some((number, offset)) = self.constant_place(event) {
            if offset.saturating_add(event.bytes) > self.skeleton.objects.bytes(number) {
                return;
            }
            let initial = self.initial(number, offset, event.bytes, event);
            let equal = value.equals(self.terms, initial);
            let fact = self.terms.implies(choice, equal);
            self.assert(fact);
            return;
        }
        for number in self.candidates(event) {
            let size = self.skeleton.objects.bytes(number);
            let is_it = self.object_is(event.location.object, number);
            let offsets: Vec<u64> = match constant(self.terms, event.location.bits) {
                Some(offset) => vec![offset],
                None if size / event.bytes <= MOST_ELEMENTS => {
                    (0..size / event.bytes).map(|index| index * event.bytes).collect()
                }
                None => {
                    let here = self.terms.and2(event.occurs, is_it);
                    let detail = "a large shared array is accessed at a symbolic index";
                    self.gap(here, ReasonKind::Unsupported, detail, event.at);
                    continue;
                }
            };
            let is_symbolic = offsets.len() > 1;
            let width = self.terms.width(event.location.bits);
            let mut cases = Vec::new();
            for offset in offsets {
                if offset.saturating_add(event.bytes) > size {
                    continue;
                }
                let initial = self.initial(number, offset, event.bytes, event);
                let place = self.terms.bits(Bits::from_u64(width, offset));
                let here = self.terms.eq(event.location.bits, place);
                let equal = value.equals(self.terms, initial);
                let condition = self.terms.and([choice, is_it, here]);
                let fact = self.terms.implies(condition, equal);
                self.assert(fact);
                cases.push(here);
            }
            if is_symbolic {
                let aligned = self.terms.or(cases);
                let other = self.terms.not(aligned);
                let other = self.terms.and([event.occurs, is_it, other]);
                let detail = "a shared array is accessed at a symbolic index, not aligned";
                self.gap(other, ReasonKind::Unsupported, detail, event.at);
            }
        }
    }

    fn object_is(&mut self, object: Term, number: u16) -> Term {
        let number = self.terms.number(OBJECT_BITS, u64::from(number));
        self.terms.eq(object, number)
    }

    /// The shared objects that an event may access.
    fn candidates(&mut self, event: &Event) -> Vec<u16> {
        let mut found = Vec::new();
        for number in self.skeleton.objects.numbers().collect::<Vec<_>>() {
            let Some(object) = self.skeleton.objects.get(number) else { continue };
            if matches!(object.kind, objects::Kind::Function(_)) || !object.is_shared {
                continue;
            }
            for number in [number, number | GHOST] {
                let is_it = self.object_is(event.location.object, number);
                if self.may_be(event, number) && self.terms.as_bool(is_it) != Some(false) {
                    found.push(number);
                }
            }
        }
        found
    }

    fn regions(&mut self) -> Result<(), Stop> {
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
            // What stays in its region keeps all others from moving, so others need not begin theirs: while a violation is
            // looked for, every region is left but the one that the violation is in. Otherwise others may go on, which
            // only adds executions.
            let excused = self.terms.or(region.violated.iter().copied());
            let never = self.terms.not(stays);
            let assumed = self.terms.or2(never, excused);
            if self.terms.as_bool(assumed) != Some(true) {
                self.composition.assumed.push(assumed);
            }
            if region.events.len() == 1 {
                continue;
            }
            let begin = self.node(region.begin);
            let end = self.composition.solver.order().0.node(self.order);
            for event in region.events.iter().copied() {
                let node = self.node(event);
                self.composition.solver.order().0.edge(node, end);
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
                let node = self.node(other);
                self.edge_if_path((node, end), node, begin);
                self.edge_if_path((begin, node), end, node);
            }
        }
        Ok(())
    }

    /// Accesses to objects whose life another event ends.
    fn kills(&mut self, accesses: &[EventId]) -> Result<(), Stop> {
        let kills: Vec<EventId> =
            self.skeleton.events.enumerate().filter(|(_, event)| event.kind == Kind::Kill).map(|(id, _)| id).collect();
        for &kill in &kills {
            self.budget.check()?;
            if constant(self.terms, self.skeleton.events[kill].location.object).is_none() {
                self.check_free(kill);
            }
            for &access in accesses.iter().chain(&kills) {
                if access == kill || self.is_before(access, kill) {
                    continue;
                }
                let (killed, accessed) = (self.skeleton.events[kill].clone(), self.skeleton.events[access].clone());
                let mut object = accessed.location.object;
                if let Some(number) = constant(self.terms, object) {
                    object = self.terms.number(OBJECT_BITS, number & u64::from(!GHOST));
                } else {
                    let mask = self.terms.number(OBJECT_BITS, u64::from(!GHOST));
                    object = self.terms.bit_and([object, mask]);
                }
                let same = self.terms.eq(object, killed.location.object);
                let both = self.terms.and([killed.occurs, accessed.occurs, same]);
                if self.terms.as_bool(both) == Some(false) {
                    continue;
                }
                let late = if self.is_before(kill, access) {
                    both
                } else {
                    let late = self.fresh("late");
                    let fact = self.terms.implies(late, both);
                    self.assert(fact);
                    self.edge_if(&[late], kill, access);
                    let in_time = self.terms.not(late);
                    self.edge_if(&[both, in_time], access, kill);
                    late
                };
                self.forbid_memory(late, GONE, access);
            }
        }
        Ok(())
    }

    /// What is freed must be a shared heap object.
    fn check_free(&mut self, kill: EventId) {
        let event = self.skeleton.events[kill].clone();
        let (mut cases, mut private) = (Vec::new(), Vec::new());
        for number in self.skeleton.objects.numbers().collect::<Vec<_>>() {
            let Some(object) = self.skeleton.objects.get(number) else { continue };
            if object.kind == objects::Kind::Heap {
                let is_shared = object.is_shared;
                let is_it = self.object_is(event.location.object, number);
                cases.push(is_it);
                private.extend((!is_shared).then_some(is_it));
            }
        }
        let private = self.terms.or(private);
        let private = self.terms.and2(event.occurs, private);
        self.gap(private, ReasonKind::Unsupported, "a symbolic pointer is freed", event.at);
        let valid = self.terms.or(cases);
        let invalid = self.terms.not(valid);
        let invalid = self.terms.and2(event.occurs, invalid);
        self.forbid_memory(invalid, "free of what malloc did not return", kill);
    }

    /// Accesses through pointers that are only known to the solver.
    fn validity(&mut self, accesses: &[EventId]) -> Result<(), Stop> {
        let is_kill = |(id, event): (EventId, &Event)| (event.kind == Kind::Kill).then_some(id);
        let kills: Vec<EventId> = self.skeleton.events.enumerate().filter_map(is_kill).collect();
        for &id in accesses.iter().chain(&kills) {
            self.budget.check()?;
            let event = self.skeleton.events[id].clone();
            let mut wrong = Vec::new();
            if event.targets.is_some() && event.kind != Kind::Kill {
                let mut cases = Vec::new();
                for number in self.candidates(&event) {
                    let is_it = self.object_is(event.location.object, number);
                    let is_constant =
                        self.skeleton.objects.get(number).is_some_and(|object| object.kind == objects::Kind::Constant);
                    if is_constant && number & GHOST == 0 {
                        continue;
                    }
                    let fits = self.skeleton.objects.fits(self.terms, number, event.location.bits, event.bytes);
                    cases.push(self.terms.and2(is_it, fits));
                }
                let valid = self.terms.or(cases);
                let invalid = self.terms.not(valid);
                wrong.push(self.terms.and2(event.occurs, invalid));
            }
            for (number, dead) in self.skeleton.dead.clone() {
                for number in [number, number | GHOST] {
                    let is_it = self.object_is(event.location.object, number);
                    wrong.push(self.terms.and([event.occurs, is_it, dead]));
                }
            }
            let wrong = self.terms.or(wrong);
            self.forbid_memory(wrong, INVALID, id);
        }
        Ok(())
    }

    fn joins(&mut self) {
        for join in self.skeleton.joins.clone() {
            let occurs = self.skeleton.events[join.event].occurs;
            for (thread, is_it) in join.threads {
                let Some(exit) = self.skeleton.threads[thread].exit.clone() else { continue };
                for last in exit.last {
                    if !self.is_before(last, join.event) {
                        self.edge_if(&[occurs, is_it], last, join.event);
                    }
                }
            }
        }
        for (_, ends) in self.retired() {
            let mut is_retired = self.terms.bool(false);
            for end in ends {
                let again = self.terms.and2(end.occurs, is_retired);
                self.gap(again, ReasonKind::Unsupported, "a thread is joined or detached twice", end.at);
                is_retired = self.terms.or2(is_retired, end.occurs);
            }
        }
    }

    fn retired(&self) -> Vec<(ThreadId, Vec<Retirement>)> {
        let mut retired: Vec<_> = self.skeleton.retired.clone().into_iter().collect();
        retired.sort_unstable_by_key(|(thread, _)| *thread);
        retired
    }

    /// Numbers that may be those of a thread that is gone and of a later one, when compared, may be equal.
    fn thread_comparisons(&mut self) {
        let mut pairs = Vec::new();
        for (gone, ends) in self.retired() {
            for later in self.skeleton.threads.ids().skip(1).filter(|&later| later != gone) {
                let start = self.skeleton.threads[later].start;
                let is_earlier =
                    |end: &Retirement| start.zip(end.event).is_some_and(|(start, end)| self.is_before(start, end));
                if !ends.iter().all(is_earlier) {
                    pairs.push((gone, later));
                }
            }
        }
        for (condition, a, b, at) in std::mem::take(&mut self.skeleton.compared_threads) {
            let mut cases = Vec::new();
            for &(gone, later) in &pairs {
                for (x, y) in [(gone, later), (later, gone)] {
                    let is = [(a, x), (b, y)].map(|(term, thread)| {
                        let number = Bits::from_u64(self.terms.width(term), thread.index() as u64 + 1);
                        let number = self.terms.bits(number);
                        self.terms.eq(term, number)
                    });
                    cases.push(self.terms.and([condition, is[0], is[1]]));
                }
            }
            let bad = self.terms.or(cases);
            let detail = "the number of a thread that may be gone is compared with that of a later one";
            self.gap(bad, ReasonKind::Unsupported, detail, at);
        }
    }

    /// A pointer to memory that is gone, when compared, may be equal to anything.
    fn comparisons(&mut self) {
        let mut gone: Vec<(Term, Term)> = Vec::new();
        for event in self.skeleton.events.iter().filter(|event| event.kind == Kind::Kill) {
            gone.push((event.occurs, event.location.object));
        }
        if gone.is_empty() {
            return;
        }
        for (condition, a, b, at) in std::mem::take(&mut self.skeleton.compared) {
            let same = self.terms.eq(a, b);
            let different = self.terms.not(same);
            let mut cases = Vec::new();
            for &(occurs, object) in &gone {
                let (is_a, is_b) = (self.terms.eq(a, object), self.terms.eq(b, object));
                let either = self.terms.or2(is_a, is_b);
                cases.push(self.terms.and2(occurs, either));
            }
            let gone = self.terms.or(cases);
            // Comparison with null is always defined.
            let (null_a, null_b) = (self.object_is(a, 0), self.object_is(b, 0));
            let null = self.terms.or2(null_a, null_b);
            let not_null = self.terms.not(null);
            let bad = self.terms.and([condition, different, gone, not_null]);
            let detail = "undefined behaviour: a pointer to memory that may no longer exist is compared";
            self.gap(bad, ReasonKind::Undefined, detail, at);
        }
    }
}
