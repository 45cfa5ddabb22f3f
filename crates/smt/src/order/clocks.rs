//! The same order problem as plain clauses, with a bit-vector clock per node: the baseline for measuring the theory.
//!
//! Every node has a clock of as many bits as the number of nodes of its order needs; an edge implies that the clock of
//! its source is less than that of its target (the encoding of Alglave, Kroening and Tautschnig, "Partial orders for
//! efficient bounded model checking of concurrent software", CAV 2013). From-reads are enumerated: one literal per pair
//! of read and write that every source implies. A path that an edge waits for is encoded by literals "the end can be
//! reached from here", one for each node of the path's order.

use super::problem::{Node, OrderId, Problem, Relation};
use crate::sat::{Lit, Sat};
use base::Id;
use rustc_hash::FxHashMap;

/// Adds the clauses of a problem. Its literals need not be observed.
pub fn encode(problem: &Problem, sat: &mut Sat) {
    let mut encoder = Encoder { problem, sat, clocks: Vec::new(), less: FxHashMap::default(), edges: Vec::new() };
    encoder.make_clocks();
    encoder.collect_edges();
    encoder.encode_paths();
    for (from, to, lit) in std::mem::take(&mut encoder.edges) {
        let less = encoder.less(from, to);
        encoder.sat.add(&[!lit, less]);
    }
}

struct Encoder<'a> {
    problem: &'a Problem,
    sat: &'a mut Sat,
    /// The bits of each clock from the lowest, by node.
    clocks: Vec<Vec<Lit>>,
    less: FxHashMap<(Node, Node), Lit>,
    /// Edges with a literal that implies them.
    edges: Vec<(Node, Node, Lit)>,
}

impl Encoder<'_> {
    fn make_clocks(&mut self) {
        let nodes = (0..self.problem.nodes()).map(Node::new);
        let mut sizes = vec![0usize; self.problem.orders()];
        for node in nodes.clone() {
            sizes[self.problem.order_of(node).index()] += 1;
        }
        for node in nodes {
            let size = sizes[self.problem.order_of(node).index()];
            let bits = usize::BITS - (size - 1).leading_zeros();
            self.clocks.push((0..bits).map(|_| self.sat.fresh()).collect());
        }
    }

    /// A literal that implies that one clock is less than another.
    fn less(&mut self, from: Node, to: Node) -> Lit {
        if from == to {
            return Lit::FALSE;
        }
        if let Some(&less) = self.less.get(&(from, to)) {
            return less;
        }
        let mut below = Lit::FALSE;
        for bit in 0..self.clocks[from.index()].len() {
            let (a, b) = (self.clocks[from.index()][bit], self.clocks[to.index()][bit]);
            let less = self.sat.fresh();
            // less → (¬a ∧ b) ∨ ((a = b) ∧ below)
            self.sat.add(&[!less, !a, b]);
            self.sat.add(&[!less, !a, below]);
            self.sat.add(&[!less, b, below]);
            below = less;
        }
        self.less.insert((from, to), below);
        below
    }

    fn implied_by_all(&mut self, when: &[Lit]) -> Lit {
        match *when {
            [] => Lit::TRUE,
            [lit] => lit,
            _ => {
                let all = self.sat.fresh();
                let mut clause: Vec<Lit> = when.iter().map(|&lit| !lit).collect();
                clause.push(all);
                self.sat.add(&clause);
                all
            }
        }
    }

    fn collect_edges(&mut self) {
        for edge in self.problem.edges.iter().filter(|edge| edge.path.is_none()) {
            let lit = self.implied_by_all(&edge.when);
            self.edges.push((edge.from, edge.to, lit));
        }
        let mut laters = vec![Vec::new(); self.problem.events()];
        for co in &self.problem.write_order {
            laters[co.first.index()].push((co.second, co.lit));
            for (from, to) in self.problem.edges_of(Relation::WriteOrder, co.first, co.second) {
                self.edges.push((from, to, co.lit));
            }
        }
        let mut from_reads = FxHashMap::default();
        for rf in &self.problem.reads_from {
            for (from, to) in self.problem.edges_of(Relation::ReadsFrom, rf.first, rf.second) {
                self.edges.push((from, to, rf.lit));
            }
            for &(later, co) in laters[rf.first.index()].iter().filter(|(later, _)| *later != rf.second) {
                let fr = *from_reads.entry((rf.second, later)).or_insert_with(|| {
                    let fr = self.sat.fresh();
                    for (from, to) in self.problem.edges_of(Relation::FromRead, rf.second, later) {
                        self.edges.push((from, to, fr));
                    }
                    fr
                });
                self.sat.add(&[!rf.lit, !co, fr]);
            }
        }
    }

    fn encode_paths(&mut self) {
        let waiting: Vec<_> = self.problem.edges.iter().filter(|edge| edge.path.is_some()).collect();
        let mut reach: FxHashMap<Node, Vec<Lit>> = FxHashMap::default();
        // The waiting edges are among those that make paths: give them their literals first.
        let mut conditions = Vec::new();
        for edge in waiting {
            let Some((start, end)) = edge.path else { continue };
            let lit = self.sat.fresh();
            self.edges.push((edge.from, edge.to, lit));
            conditions.push((start, end, &edge.when, lit));
        }
        for (start, end, when, lit) in conditions {
            let reaching = match reach.get(&end) {
                Some(reaching) => reaching[start.index()],
                None => {
                    let reaching = self.reach(end);
                    let lit = reaching[start.index()];
                    reach.insert(end, reaching);
                    lit
                }
            };
            let mut clause: Vec<Lit> = when.iter().map(|&lit| !lit).collect();
            clause.extend([!reaching, lit]);
            self.sat.add(&clause);
        }
    }

    /// By node, a literal implied when `end` can be reached from it.
    fn reach(&mut self, end: Node) -> Vec<Lit> {
        let order: OrderId = self.problem.order_of(end);
        let mut reaching = vec![Lit::FALSE; self.problem.nodes()];
        for node in (0..self.problem.nodes()).map(Node::new) {
            if self.problem.order_of(node) == order {
                reaching[node.index()] = if node == end { Lit::TRUE } else { self.sat.fresh() };
            }
        }
        for &(from, to, lit) in &self.edges {
            if self.problem.order_of(from) == order {
                self.sat.add(&[!lit, !reaching[to.index()], reaching[from.index()]]);
            }
        }
        reaching
    }
}
