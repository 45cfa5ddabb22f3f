//! Stage 2: encodes which choices of reads-from and write order make an execution of a skeleton, under each memory
//! model.
//!
//! The encoding uses orders over all events that must be acyclic ([`smt::order`]); the memory model defines which
//! orders with which edges ([`models`]). Program order, starts and joins are fixed edges; each pair in a link set has a
//! reads-from literal; each pair of writes that may be to one location has a write-order literal; from-reads are
//! derived. A read that occurs reads from some write, or the initial value, and then comes before every write to its
//! location.
//!
//! Pruning of link sets ([`Pruning`]): no writes that come later in program order; none that are certainly overwritten
//! in program order before the read; none that locks and atomic regions exclude; provably different locations and
//! exclusive conditions never make a pair. Competing writes are never pruned. Reads whose values do not matter have no
//! link set ([`relevance`]).
//!
//! Conditions that need all events (partially overlapping accesses, accesses to dead objects) add more gaps. The search
//! for a violation assumes that no undefined behaviour occurs.

mod atomicity;
mod deadlock;
mod exclusion;
mod initial;
mod joins;
pub(crate) mod lazy;
mod lifetimes;
mod links;
pub(crate) mod models;
mod races;
mod regions;
mod relevance;
mod sections;
mod values;

pub(crate) use atomicity::Atomicity;
pub(crate) use races::Race;

use super::events::{Event, EventId, Gap, Kind, Skeleton, ThreadId, Violation};
use super::options::Encoding;
use super::value::{constant, Value, GHOST};
use base::{Budget, Id, IdVec, Span, Stop};
use check::ReasonKind;
use ir::{MemoryModel, Program, Property, Shape};
use rustc_hash::FxHashMap;
use smt::order::Node;
use smt::{Solver, Sort, Term, Terms};

/// Which pairs are left out of link sets. All of it is sound; it can be switched off to measure its effect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pruning {
    pub(crate) later: bool,
    pub(crate) overwritten: bool,
    /// A read with a single source gets its value.
    pub(crate) values: bool,
    /// What locks and atomic regions exclude.
    pub(crate) exclusion: bool,
    /// Accesses to syntactically different places do not meet.
    pub(crate) places: bool,
    /// Accesses in critical sections of the same lock do not race.
    pub(crate) guarded: bool,
    /// Reads whose values do not matter have no link sets.
    pub(crate) irrelevant: bool,
    /// An acquire does not read from another acquire. (A lock is acquired from a constant value, so this only uses what
    /// is known.)
    pub(crate) lock_links: bool,
    /// Critical sections of a lock are ordered as a whole, instead of its accesses.
    pub(crate) sections: bool,
}

impl Pruning {
    /// Nothing is left out.
    pub(crate) const NONE: Pruning = Pruning {
        later: false,
        overwritten: false,
        values: false,
        exclusion: false,
        places: false,
        guarded: false,
        irrelevant: false,
        lock_links: true,
        sections: true,
    };
}

impl Default for Pruning {
    fn default() -> Pruning {
        Pruning {
            later: true,
            overwritten: true,
            values: true,
            exclusion: true,
            places: true,
            guarded: true,
            irrelevant: true,
            lock_links: true,
            sections: true,
        }
    }
}

/// The encoding of a skeleton in a solver.
pub(crate) struct Composition {
    pub(crate) solver: Solver,
    pub(crate) model: MemoryModel,
    /// Literals with the write and the read.
    pub(crate) reads_from: Vec<(Term, EventId, EventId)>,
    /// Reads that may read the initial value.
    pub(crate) initially: Vec<EventId>,
    /// Literals with the earlier and the later write.
    pub(crate) write_order: Vec<(Term, EventId, EventId)>,
    /// Other edges, present when all terms hold.
    pub(crate) edges: Vec<(Vec<Term>, EventId, EventId)>,
    /// Reads of initial values with the writes that come after, when all terms hold.
    pub(crate) overwritten: Vec<(Vec<Term>, EventId, EventId)>,
    pub(crate) gaps: Vec<Gap>,
    /// Assumed in the search for a violation.
    pub(crate) assumed: Vec<Term>,
    /// Conditions under which a model need not be an execution, because values are inexact. Each is a gap too.
    pub(crate) inexact: Vec<Term>,
    /// Present if races are in question.
    pub(crate) race: Option<Race>,
    /// Present if atomicity is in question.
    pub(crate) atomicity: Option<Atomicity>,
    /// Whether the execution ends in a deadlock, if that is in question.
    pub(crate) deadlock: Option<Term>,
    pub(crate) pairs: u64,
    /// The link sets, if they are asserted lazily.
    pub(crate) links: Vec<lazy::Link>,
    /// Data for comparing time stamps, in the clock form.
    pub(crate) stamps: lazy::Stamps,
    /// The context of each event, under a context bound.
    pub(crate) contexts: Option<IdVec<EventId, Term>>,
}

impl Composition {
    /// The goal as groups of terms, one of each group to hold, given the violations at steps.
    pub(crate) fn goals(&self, violations: Vec<Term>) -> Vec<Vec<Term>> {
        match (&self.race, &self.atomicity) {
            (Some(race), _) => race.goals(),
            (None, Some(atomicity)) => atomicity.goals(),
            (None, None) => vec![violations],
        }
    }
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
    orders: models::Orders,
    nodes: IdVec<EventId, smt::order::Event>,
    /// The node of each event in the order of execution.
    executed: IdVec<EventId, Node>,
    /// Per event, the events before it by fixed edges, as a bit set.
    before: IdVec<EventId, Vec<u64>>,
    exclusion: exclusion::Exclusion,
    /// Releases and later acquisitions of the same lock, where sections are ordered, under conditions.
    handovers: Vec<(Vec<Term>, EventId, EventId)>,
    /// The critical sections of each thread: which lock, the acquisition, the possible ends.
    guards: FxHashMap<ThreadId, Vec<(usize, EventId, Vec<EventId>)>>,
    arbitrary: FxHashMap<(u16, u64, u64), Value>,
    /// Nodes for what read-modify-writes of ghost memory pass on, where that matters.
    passed_on: FxHashMap<EventId, Node>,
    /// Whether link sets are kept instead of asserted.
    is_lazy: bool,
    /// Whether time stamps are compared instead of reads-from and write order.
    is_clocked: bool,
    /// Where constraints are kept instead of being asserted.
    kept: Option<lazy::Instance>,
    budget: &'a Budget,
}

/// Accesses by object.
#[derive(Default)]
struct ByObject {
    known: FxHashMap<u16, InObject>,
    symbolic: Vec<EventId>,
    all: Vec<EventId>,
}

/// Accesses to one object.
#[derive(Default)]
struct InObject {
    all: Vec<EventId>,
    /// Those with constant offsets, by offset in units of [`LARGEST_ACCESS`]: arrays are large, and most accesses are
    /// far apart.
    placed: FxHashMap<u64, Vec<EventId>>,
    /// The others, and larger ones.
    unplaced: Vec<EventId>,
}

/// The size in bytes of an access that meets only accesses in the same unit or the adjacent ones.
const LARGEST_ACCESS: u64 = 16;

/// Maximum number of elements of an object that is read at symbolic places.
const MAX_ELEMENTS: u64 = 1024;
const SIZES: &str = "shared memory is accessed in pieces of different sizes";
const GONE: &str = "an access to memory that may no longer exist";

/// When link sets are asserted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum When {
    /// Eagerly.
    Now,
    /// On request ([`lazy`]).
    Asked,
    /// On request, in the clock form.
    Clocked,
}

/// Encodes a skeleton in a new solver.
pub(crate) fn compose(
    program: &Program,
    question: (Property, MemoryModel),
    skeleton: &mut Skeleton,
    terms: &mut Terms,
    pruning: Pruning,
    encoding: Encoding,
    budget: &Budget,
) -> Result<Composition, Stop> {
    compose_when(program, question, skeleton, terms, (pruning, When::Now), encoding, budget)
}

/// The same, but link sets may be asserted later.
pub(crate) fn compose_when(
    program: &Program,
    (property, model): (Property, MemoryModel),
    skeleton: &mut Skeleton,
    terms: &mut Terms,
    (pruning, when): (Pruning, When),
    encoding: Encoding,
    budget: &Budget,
) -> Result<Composition, Stop> {
    let mut solver = Solver::new();
    if encoding == Encoding::Clocks {
        solver.use_clocks();
    }
    let orders = models::Orders::new(model, solver.order().0);
    let composition = Composition {
        solver,
        model,
        reads_from: Vec::new(),
        initially: Vec::new(),
        write_order: Vec::new(),
        edges: Vec::new(),
        overwritten: Vec::new(),
        gaps: Vec::new(),
        assumed: Vec::new(),
        inexact: Vec::new(),
        race: None,
        atomicity: None,
        deadlock: None,
        pairs: 0,
        links: Vec::new(),
        stamps: lazy::Stamps::default(),
        contexts: None,
    };
    let mut composer = Composer {
        program,
        property,
        steps: IdVec::filled(None, skeleton.events.len()),
        skeleton,
        terms,
        pruning: pruning.under(model),
        composition,
        orders,
        nodes: IdVec::new(),
        executed: IdVec::new(),
        before: IdVec::new(),
        exclusion: exclusion::Exclusion::default(),
        handovers: Vec::new(),
        guards: FxHashMap::default(),
        arbitrary: FxHashMap::default(),
        passed_on: FxHashMap::default(),
        is_lazy: when != When::Now,
        is_clocked: when == When::Clocked,
        kept: None,
        budget,
    };
    composer.find_steps();
    composer.compose()?;
    if when == When::Clocked {
        assert!(model.is_sequentially_consistent(), "the clock form should be asked for under sc");
        let (nodes, before) = (composer.executed, composer.before);
        composer.composition.stamps = lazy::Stamps { nodes, before, ..lazy::Stamps::default() };
    }
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
        if self.pruning.exclusion {
            self.find_exclusion(&accesses);
        }
        // Deciding reads-from first is several times faster where that is the question, and several times slower where
        // it first depends on which place an access is to.
        let is_constant = |&id: &EventId| self.constant_place(&self.skeleton.events[id]).is_some();
        let are_constant = accesses.iter().all(is_constant);
        // A race does not depend on the order of accesses, and along given paths the order is mostly known.
        let is_open = self.property != Property::Race && self.skeleton.past.is_none();
        self.composition.solver.order().0.set_hints(are_constant && is_open);
        if self.property != Property::Deadlock {
            self.prefer_waiting();
        }
        let (lock_cells, rest) = self.lock_cells(&accesses);
        for (index, cell) in lock_cells.into_iter().enumerate() {
            self.sections(index, &cell)?;
        }
        self.accesses(&rest)?;
        self.model_edges(&rest)?;
        for &event in &rest {
            if let Kind::Unlock { .. } = self.skeleton.events[event].kind {
                self.check_owner(event);
            }
        }
        match self.property.shape() {
            Shape::Conflict => self.races(),
            Shape::Stuck => self.deadlock(),
            Shape::Between => self.atomicity()?,
            Shape::Step => {}
        }
        self.kills(&accesses)?;
        self.validity(&accesses)?;
        self.regions()?;
        self.joins();
        self.thread_comparisons();
        self.comparisons();
        Ok(())
    }

    /// Threads that a violation does not need should rather stay where they may wait: then there is less to order.
    fn prefer_waiting(&mut self) {
        for wait in std::mem::take(&mut self.skeleton.waits) {
            if self.terms.is_variable(wait) {
                self.composition.solver.prefer(self.terms, wait, false);
            }
        }
    }

    fn find_steps(&mut self) {
        for (thread, record) in self.skeleton.threads.enumerate() {
            for (index, step) in record.steps.iter().enumerate() {
                step.events.iter().for_each(|&event| self.steps[event] = Some((thread, index)));
            }
        }
    }

    fn assert(&mut self, fact: Term) {
        if self.terms.as_bool(fact) == Some(true) {
            return;
        }
        match &mut self.kept {
            Some(kept) => kept.facts.push(fact),
            None => self.composition.solver.assert(self.terms, fact),
        }
    }

    fn gap(&mut self, occurs: Term, kind: ReasonKind, detail: &str, at: Span) {
        if self.terms.as_bool(occurs) != Some(false) {
            self.composition.inexact.push(occurs);
            let place = self.program.place(at);
            self.composition.gaps.push(Gap { occurs, kind, detail: detail.to_owned(), place });
        }
    }

    /// Behaviour of an event that the property forbids, under a condition; if another property is in question, a gap.
    fn forbid(&mut self, occurs: Term, property: Property, detail: &str, id: EventId) {
        if property != self.property {
            let at = self.skeleton.events[id].at;
            self.gap(occurs, ReasonKind::Undefined, &format!("undefined behaviour: {detail}"), at);
        } else if self.terms.as_bool(occurs) != Some(false) {
            let (thread, step) = self.steps[id].expect("an access should belong to a step");
            self.skeleton.violations.push(Violation { occurs, thread, step, is_before: false });
            self.excuse_region(id, occurs);
        }
    }

    /// The same for behaviour that is assumed absent in the search for a violation of another property.
    fn forbid_memory(&mut self, occurs: Term, detail: &str, id: EventId) {
        self.forbid(occurs, Property::Memory, detail, id);
        let never = self.terms.not(occurs);
        if self.property != Property::Memory && self.terms.as_bool(never) != Some(true) {
            self.composition.assumed.push(never);
        }
    }

    fn fresh(&mut self, name: &str) -> Term {
        self.terms.variable(name, Sort::Bool)
    }

    /// The node of an event in the order of execution.
    fn node(&self, event: EventId) -> Node {
        self.executed[event]
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
            self.stand(id);
            let mut before = vec![0u64; words];
            for earlier in after {
                for (word, other) in before.iter_mut().zip(&self.before[earlier]) {
                    *word |= other;
                }
                before[earlier.index() / 64] |= 1 << (earlier.index() % 64);
                self.fixed_edge(earlier, id);
            }
            self.before.push(before);
        }
    }

    /// An edge of the order of execution, present when all terms hold.
    fn edge_if(&mut self, when: &[Term], from: EventId, to: EventId) {
        if when.iter().any(|&term| self.terms.as_bool(term) == Some(false)) {
            return;
        }
        self.node_edge_if(when, self.node(from), self.node(to));
        self.composition.edges.push((when.to_vec(), from, to));
    }

    /// An edge between nodes, present when all terms hold.
    fn node_edge_if(&mut self, when: &[Term], from: Node, to: Node) {
        self.path_edge_if(when, None, from, to);
    }

    /// The same, but also conditional on a path, if one is given.
    fn path_edge_if(&mut self, when: &[Term], path: Option<(Node, Node)>, from: Node, to: Node) {
        if when.iter().any(|&term| self.terms.as_bool(term) == Some(false)) {
            return;
        }
        let edge = lazy::Edge { when: when.to_vec(), path, from, to };
        match &mut self.kept {
            Some(kept) => kept.edges.push(edge),
            None => self.composition.edge(self.terms, &edge),
        }
    }

    fn constant_place(&self, event: &Event) -> Option<(u16, u64)> {
        Some((constant(self.terms, event.location.object)? as u16, constant(self.terms, event.location.bits)?))
    }

    /// Whether two accesses may be to the same place, without asking the solver.
    fn may_meet(&self, a: EventId, b: EventId) -> bool {
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

    /// Whether two accesses are to the same place, given that both occur.
    ///
    /// Where both are to one object that was known when they were executed, each is inside it if it occurs, so the bits of
    /// the offset above its size need not be compared.
    fn same_place(&mut self, a: EventId, b: EventId) -> Term {
        let (x, y) = (&self.skeleton.events[a], &self.skeleton.events[b]);
        let is_inside = x.targets.is_none() && y.targets.is_none();
        let (x, y) = (x.location, y.location);
        let objects = (constant(self.terms, x.object), constant(self.terms, y.object));
        let (Some(object), true) = (objects.0, is_inside && objects.0 == objects.1) else {
            return x.equals(self.terms, y);
        };
        let size = self.skeleton.objects.bytes(object as u16);
        let width = u64::BITS - size.leading_zeros();
        if width == 0 || width >= self.terms.width(x.bits) {
            return self.terms.eq(x.bits, y.bits);
        }
        let [x, y] = [x.bits, y.bits].map(|bits| self.terms.extract(width - 1, 0, bits));
        self.terms.eq(x, y)
    }

    /// The condition under which an event writes.
    fn writes(&mut self, event: EventId) -> Option<Term> {
        let event = &self.skeleton.events[event];
        let (condition, _) = event.write?;
        let occurs = event.occurs;
        Some(self.terms.and2(occurs, condition))
    }
}
