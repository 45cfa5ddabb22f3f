//! Explanations with few literals: the cycle that an edge closes, over edges that were active at a given time.
//!
//! A shortest path by Dijkstra's algorithm with buckets, where the weight of an edge is the number of its literals that
//! are not true at the solver's root level (the 0-1 breadth-first search, with weights up to a few). Only nodes from
//! which the goal can be reached now are visited. Literals shared by two edges count twice, and an edge that follows
//! from a path in another order counts that path as one literal: so the result is small, but not always minimal.

use super::lemma::{EdgeJustification, TheoryLemma};
use super::problem::Node;
use super::theory::{Active, Reason, Theory, Why};
use crate::sat::Lit;
use base::Id;
use smallvec::{smallvec, SmallVec};

/// Reused by all searches.
#[derive(Default)]
pub(super) struct Search {
    /// The search that reached a node last, its distance then, and the edge that led to it.
    reached: Vec<(u32, u32, u32)>,
    searches: u32,
    buckets: Vec<Vec<Node>>,
}

impl Theory {
    /// The clause for a propagated literal.
    pub(super) fn explain_reason(&mut self, reason: Reason) -> TheoryLemma {
        self.explain(reason.edge, reason.limit)
    }

    /// The cycle that `edge` closes with the first `limit` active edges. Only the clause, unless lemmas are logged.
    pub(super) fn explain(&mut self, edge: Active, limit: u32) -> TheoryLemma {
        if self.log.is_some() {
            let mut cycle = vec![self.justify(edge, limit)];
            cycle.extend(self.justify_path(edge.to, edge.from, limit));
            return TheoryLemma::of_cycle(cycle);
        }
        let mut clause = Vec::new();
        self.negate_edge(edge, limit, &mut clause);
        self.negate_path(edge.to, edge.from, limit, &mut clause);
        clause.sort_unstable();
        clause.dedup();
        TheoryLemma { clause, cycle: Vec::new() }
    }

    /// Adds the negations of the literals that justify an edge.
    fn negate_edge(&mut self, edge: Active, limit: u32, clause: &mut Vec<Lit>) {
        match edge.why {
            Why::Guard(guard) => {
                let guarded = &self.guards[guard as usize];
                clause.extend(guarded.when.iter().map(|&lit| !lit));
                if let Some((start, end)) = guarded.path {
                    self.negate_path(start, end, limit, clause);
                }
            }
            Why::FromRead(rf, co) => clause.extend([!rf, !co]),
        }
    }

    fn negate_path(&mut self, from: Node, to: Node, limit: u32, clause: &mut Vec<Lit>) {
        for index in self.lightest_path(from, to, limit) {
            self.negate_edge(self.active[index as usize], index, clause);
        }
    }

    fn justify(&mut self, edge: Active, limit: u32) -> EdgeJustification {
        let literals = self.literals(edge.why).to_vec();
        let path = match edge.why {
            Why::Guard(guard) => self.guards[guard as usize].path,
            Why::FromRead(..) => None,
        };
        let path = path.map_or_else(Vec::new, |(start, end)| self.justify_path(start, end, limit));
        EdgeJustification { from: edge.from, to: edge.to, literals, path }
    }

    fn justify_path(&mut self, from: Node, to: Node, limit: u32) -> Vec<EdgeJustification> {
        let path = self.lightest_path(from, to, limit);
        // The justification of an edge's own path was active before it.
        path.into_iter().map(|index| self.justify(self.active[index as usize], index)).collect()
    }

    fn literals(&self, why: Why) -> SmallVec<[Lit; 2]> {
        match why {
            Why::Guard(guard) => self.guards[guard as usize].when.clone(),
            Why::FromRead(rf, co) => smallvec![rf, co],
        }
    }

    fn weight(&self, why: Why) -> u32 {
        let weigh = |lit: &Lit| u32::from(self.level_of[lit.var()] > 0);
        match why {
            Why::Guard(guard) => {
                let guarded = &self.guards[guard as usize];
                guarded.when.iter().map(weigh).sum::<u32>() + u32::from(guarded.path.is_some())
            }
            Why::FromRead(rf, co) => weigh(&rf) + weigh(&co),
        }
    }

    /// A path over the first `limit` active edges with the fewest literals.
    fn lightest_path(&mut self, from: Node, to: Node, limit: u32) -> Vec<u32> {
        let mut search = std::mem::take(&mut self.search);
        search.reached.resize(self.out.len(), (0, 0, 0));
        search.searches += 1;
        let this = search.searches;
        search.buckets.iter_mut().for_each(Vec::clear);
        search.reached[from.index()] = (this, 0, u32::MAX);
        put(&mut search.buckets, 0, from);
        let mut distance = 0;
        'search: while distance < search.buckets.len() {
            let Some(node) = search.buckets[distance].pop() else {
                distance += 1;
                continue;
            };
            if search.reached[node.index()].1 != distance as u32 {
                continue;
            }
            if node == to {
                break 'search;
            }
            for &index in &self.out[node.index()] {
                // Edges are listed in the order of their activation.
                if index >= limit {
                    break;
                }
                let edge = self.active[index as usize];
                if !self.reaches(edge.to, to) {
                    continue;
                }
                let further = distance as u32 + self.weight(edge.why);
                let entry = &mut search.reached[edge.to.index()];
                if entry.0 != this || further < entry.1 {
                    *entry = (this, further, index);
                    put(&mut search.buckets, further as usize, edge.to);
                }
            }
        }
        let mut path = Vec::new();
        let mut node = to;
        while node != from {
            // Otherwise the clause would be about another path: a wrong lemma.
            assert!(search.reached[node.index()].0 == this, "there should be a path");
            let index = search.reached[node.index()].2;
            path.push(index);
            node = self.active[index as usize].from;
        }
        path.reverse();
        self.search = search;
        path
    }
}

fn put(buckets: &mut Vec<Vec<Node>>, distance: usize, node: Node) {
    if buckets.len() <= distance {
        buckets.resize_with(distance + 1, Vec::new);
    }
    buckets[distance].push(node);
}
