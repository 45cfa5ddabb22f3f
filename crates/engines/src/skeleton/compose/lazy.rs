//! Link sets that are told to the solver only when they are asked for: what each pair of a read and a write would say is kept as
//! data ([`Instance`]) and can be told at any time, also between two questions. For engines that look at part of a
//! program's interference first.

use super::super::events::EventId;
use super::{Composer, Composition};
use smt::order::{Event, Node};
use smt::{Term, Terms};

/// An edge that is there when all terms hold and there is a path, where one is given.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) when: Vec<Term>,
    pub(crate) path: Option<(Node, Node)>,
    pub(crate) from: Node,
    pub(crate) to: Node,
}

/// What a choice of reads-from means.
#[derive(Clone, Default, Debug)]
pub(crate) struct Instance {
    /// What holds besides order.
    pub(crate) facts: Vec<Term>,
    pub(crate) edges: Vec<Edge>,
    reads_from: Option<(Term, Event, Event)>,
}

/// One way for a read to get its value.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    /// That it is this one.
    pub(crate) choice: Term,
    pub(crate) instance: Instance,
    /// Whether it is certain, without the solver, that the write comes first.
    pub(crate) is_near: bool,
}

/// The link set of a read.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) occurs: Term,
    pub(crate) pairs: Vec<Pair>,
}

impl Composer<'_> {
    /// From here on what would be told is kept, if link sets are.
    pub(super) fn keep(&mut self) {
        self.kept = self.is_lazy.then(Instance::default);
    }

    /// What was kept, for a pair.
    pub(super) fn kept(&mut self, choice: Term, is_near: bool) -> Option<Pair> {
        self.kept.take().map(|instance| Pair { choice, instance, is_near })
    }

    /// Tells or keeps that a read is from a write if `choice` holds.
    pub(super) fn tell_reads_from(&mut self, choice: Term, write: EventId, read: EventId) {
        let told = (choice, self.nodes[write], self.nodes[read]);
        match &mut self.kept {
            Some(kept) => kept.reads_from = Some(told),
            None => self.composition.reads_from(self.terms, told),
        }
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

    /// Tells the solver what a choice means.
    pub(crate) fn instantiate(&mut self, terms: &mut Terms, instance: &Instance) {
        for &fact in &instance.facts {
            self.solver.assert(terms, fact);
        }
        for edge in &instance.edges {
            self.edge(terms, edge);
        }
        if let Some(told) = instance.reads_from {
            self.reads_from(terms, told);
        }
    }
}
