//! Lazily asserted link sets: the constraints of each read-write pair are kept as data ([`Instance`]) and can be
//! asserted at any time, also between two solver calls. For engines that start with a part of a program's interference.
//!
//! In the clock form ([`super::When::Clocked`], `sc` only) neither reads-from nor write order are relations of the
//! order theory. That one event comes before another is a comparison of their time stamps, which is a literal with an
//! edge: comparisons are consistent if and only if their edges are acyclic. A pair is then an edge under its condition,
//! and a clause for each competing write says that it does not come between ([`Composition::separate`]).

use super::super::events::EventId;
use super::{Composer, Composition};
use base::{Id, IdVec};
use rustc_hash::FxHashMap;
use smt::order::{Event, Node};
use smt::{Sort, Term, Terms};

/// An edge that is present when all terms hold and, if a path is given, that exists.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) when: Vec<Term>,
    pub(crate) path: Option<(Node, Node)>,
    pub(crate) from: Node,
    pub(crate) to: Node,
}

/// The constraints of one choice of reads-from.
#[derive(Clone, Default, Debug)]
pub(crate) struct Instance {
    /// What the choice implies, besides order.
    needed: Vec<Term>,
    /// The same, with the choice among the conditions.
    pub(super) facts: Vec<Term>,
    pub(super) edges: Vec<Edge>,
    reads_from: Option<(Term, Event, Event)>,
}

/// One way for a read to get its value.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    /// The literal of this choice.
    pub(crate) choice: Term,
    /// The write; `None` for the initial value.
    pub(crate) write: Option<EventId>,
    pub(crate) instance: Instance,
    /// Whether the write certainly comes first, without asking the solver.
    pub(crate) is_near: bool,
}

/// A write that may be to the place of a read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Competitor {
    pub(crate) write: EventId,
    /// Whether it writes to the place of the read, given that both occur.
    pub(crate) writes: Term,
    pub(crate) same: Term,
}

/// The link set of a read.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) read: EventId,
    pub(crate) occurs: Term,
    pub(crate) pairs: Vec<Pair>,
    /// All writes that may be to its place, if each must be kept from coming between.
    pub(crate) competitors: Vec<Competitor>,
    /// Whether the read synchronises.
    pub(crate) is_synchronising: bool,
}

/// Data for comparing the time stamps of events.
#[derive(Default)]
pub(crate) struct Stamps {
    /// The node of each event in the order of execution.
    pub(crate) nodes: IdVec<EventId, Node>,
    /// Per event, the events before it by fixed edges, as a bit set.
    pub(crate) before: IdVec<EventId, Vec<u64>>,
    pub(super) compared: FxHashMap<(EventId, EventId), Term>,
}

impl Stamps {
    pub(crate) fn is_before(&self, a: EventId, b: EventId) -> bool {
        self.before[b][a.index() / 64] >> (a.index() % 64) & 1 == 1
    }
}

impl Pair {
    /// What the choice implies, besides order.
    pub(crate) fn facts(&self) -> impl Iterator<Item = Term> + '_ {
        self.instance.needed.iter().chain(&self.instance.facts).copied()
    }
}

impl Composer<'_> {
    /// From here on constraints are kept, if link sets are lazy.
    pub(super) fn keep(&mut self) {
        self.kept = self.is_lazy.then(Instance::default);
    }

    /// The kept constraints, as a pair.
    pub(super) fn kept(&mut self, choice: Term, write: Option<EventId>, is_near: bool) -> Option<Pair> {
        self.kept.take().map(|instance| Pair { choice, write, instance, is_near })
    }

    /// Asserts or keeps an implication of a choice. Most are never requested: only requested ones become terms.
    pub(super) fn assert_if(&mut self, choice: Term, needed: Term) {
        match &mut self.kept {
            Some(_) if self.terms.as_bool(needed) == Some(true) => {}
            Some(kept) => kept.needed.push(needed),
            None => {
                let fact = self.terms.implies(choice, needed);
                self.assert(fact);
            }
        }
    }

    /// Asserts or keeps that a read reads from a write if `choice` holds.
    pub(super) fn tell_reads_from(&mut self, choice: Term, write: EventId, read: EventId) {
        if self.is_clocked {
            self.node_edge_if(&[choice], self.node(write), self.node(read));
            return;
        }
        let edge = (choice, self.nodes[write], self.nodes[read]);
        match &mut self.kept {
            Some(kept) => kept.reads_from = Some(edge),
            None => self.composition.reads_from(self.terms, edge),
        }
    }

    /// The writes that compete for a read.
    pub(super) fn competitors(&mut self, read: EventId, writes: &[EventId]) -> Vec<Competitor> {
        if !self.is_clocked {
            return Vec::new();
        }
        let mut competitors = Vec::new();
        for &write in writes {
            let same = self.same_place(write, read);
            let Some(writes) = self.writes(write) else { continue };
            let both = self.terms.and2(same, writes);
            if self.terms.as_bool(both) != Some(false) {
                competitors.push(Competitor { write, writes, same });
            }
        }
        competitors
    }
}

impl Composition {
    pub(super) fn edge(&mut self, terms: &mut Terms, edge: &Edge) {
        let solver = &mut self.solver;
        let open: Vec<Term> = edge.when.iter().copied().filter(|&term| terms.as_bool(term) != Some(true)).collect();
        let lits: Vec<_> = open.into_iter().map(|term| solver.literal(terms, term)).collect();
        let (order, sat) = solver.order();
        match edge.path {
            Some(path) => order.edge_if_path(sat, &lits, path, edge.from, edge.to),
            None => order.edge_if(sat, &lits, edge.from, edge.to),
        }
    }

    fn reads_from(&mut self, terms: &mut Terms, (choice, write, read): (Term, Event, Event)) {
        let lit = self.solver.literal(terms, choice);
        let (order, sat) = self.solver.order();
        order.reads_from(sat, lit, write, read);
    }

    /// Asserts what a choice implies for places, values and occurrence.
    pub(crate) fn tell_facts(&mut self, terms: &mut Terms, pair: &Pair) {
        for &needed in &pair.instance.needed {
            let fact = terms.implies(pair.choice, needed);
            self.solver.assert(terms, fact);
        }
        for &fact in &pair.instance.facts {
            self.solver.assert(terms, fact);
        }
    }

    /// Asserts what a choice implies for orders.
    pub(crate) fn tell_order(&mut self, terms: &mut Terms, instance: &Instance) {
        for edge in &instance.edges {
            self.edge(terms, edge);
        }
        if let Some(edge) = instance.reads_from {
            self.reads_from(terms, edge);
        }
    }

    /// A literal: one event comes before another.
    fn comparison(&mut self, terms: &mut Terms, first: EventId, second: EventId) -> Term {
        if self.stamps.is_before(first, second) {
            return terms.bool(true);
        }
        if first == second || self.stamps.is_before(second, first) {
            return terms.bool(false);
        }
        if let Some(&known) = self.stamps.compared.get(&(first, second)) {
            return known;
        }
        let less = terms.variable("before", Sort::Bool);
        let (from, to) = (self.stamps.nodes[first], self.stamps.nodes[second]);
        self.edge(terms, &Edge { when: vec![less], path: None, from, to });
        self.stamps.compared.insert((first, second), less);
        less
    }

    /// Whether a competitor certainly does not come between a read and its source, without asking the solver.
    pub(crate) fn is_apart(&self, read: EventId, write: Option<EventId>, other: EventId) -> bool {
        let stamps = &self.stamps;
        other == read || write == Some(other) || stamps.is_before(read, other) || {
            write.is_some_and(|write| stamps.is_before(other, write))
        }
    }

    /// Asserts that a competitor does not come between a read and its source: it comes before the source or after the
    /// read.
    pub(crate) fn separate(&mut self, terms: &mut Terms, link: &Link, way: usize, other: &Competitor) {
        let pair = &link.pairs[way];
        let mut parts: Vec<Term> = [pair.choice, other.writes, other.same].map(|term| terms.not(term)).to_vec();
        if let Some(write) = pair.write {
            parts.push(self.comparison(terms, other.write, write));
        }
        parts.push(self.comparison(terms, link.read, other.write));
        let fact = terms.or(parts);
        self.solver.assert(terms, fact);
    }
}
