//! The justification of a clause of the order theory: a cycle of edges.
//!
//! A lemma says that the edges of its cycle cannot all be present, so one of the literals that justify them is false. It
//! is checked, against the declarations only, in [`crate::proof::order`].

use super::problem::Node;
use crate::sat::Lit;

/// An edge of a cycle with its justification.
///
/// A fixed edge has no literals and no path; an edge under a condition has the literals of the condition; a from-read
/// edge the reads-from and the write-order literal it comes from, in this order; an edge that follows from a path in
/// another order has that path (and literals, if it is under a condition too).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EdgeJustification {
    /// The node it leaves.
    pub from: Node,
    /// The node it enters.
    pub to: Node,
    /// The edge is present when these are all true.
    pub literals: Vec<Lit>,
    /// For an edge that follows from a path between other nodes: that path, from its start to its end.
    pub path: Vec<EdgeJustification>,
}

impl EdgeJustification {
    /// Adds the negations of all literals that justify the edge.
    fn negations(&self, into: &mut Vec<Lit>) {
        into.extend(self.literals.iter().map(|&lit| !lit));
        for edge in &self.path {
            edge.negations(into);
        }
    }
}

/// A clause that the theory added, and its justification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TheoryLemma {
    /// The clause.
    pub clause: Vec<Lit>,
    /// Edges, each from where the one before leads, the last leading to the start of the first.
    pub cycle: Vec<EdgeJustification>,
}

impl TheoryLemma {
    /// The lemma that a cycle proves: its clause has the negations of all literals that justify the edges.
    pub fn of_cycle(cycle: Vec<EdgeJustification>) -> TheoryLemma {
        let mut clause = Vec::new();
        for edge in &cycle {
            edge.negations(&mut clause);
        }
        clause.sort_unstable();
        clause.dedup();
        TheoryLemma { clause, cycle }
    }
}
