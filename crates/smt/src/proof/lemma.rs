//! The justification of clauses that a theory adds.

use crate::sat::Lit;

/// The justification of one theory lemma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lemma {
    /// If all literals of the clause were false, these edges would form a cycle: each ends where the next begins, the
    /// last where the first begins.
    Cycle(Vec<EdgeJustification>),
    /// An instance of an array axiom, as text that only the layer that made it understands: the checker hands it to
    /// [`Problem::is_array_lemma`](super::check::Problem::is_array_lemma).
    Array(String),
}

/// Why an edge of the order graph is present.
///
/// A fixed edge has no literals and no path; an edge under a condition has the literals of the condition; a from-read
/// edge the reads-from and the write-order literal it comes from; an edge that is present because one of its ends is
/// reachable from the other in another order has the path there (and literals, if that is under a condition too).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EdgeJustification {
    /// The node it leaves.
    pub from: u32,
    /// The node it enters.
    pub to: u32,
    /// The edge is present when these are all true; their negations are in the lemma's clause.
    pub literals: Vec<Lit>,
    /// For an edge that follows from a path between other nodes: that path, not empty.
    pub path: Vec<EdgeJustification>,
}

impl EdgeJustification {
    /// An edge that is present when all `literals` are true.
    pub fn new(from: u32, to: u32, literals: &[Lit]) -> EdgeJustification {
        EdgeJustification { from, to, literals: literals.to_vec(), path: Vec::new() }
    }
}
