//! Why a clause that the order theory added is valid: a cycle of edges, and a checker that knows only what was declared.
//!
//! A lemma says that the edges of its cycle cannot all be there, so that one of the literals they stand on is false.

use super::problem::{Node, Problem, Relation};
use crate::sat::Lit;

/// An edge of a cycle with what it stands on.
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
    /// The edge is there when these are all true.
    pub literals: Vec<Lit>,
    /// For an edge that follows from a path between other nodes: that path, from its start to its end.
    pub path: Vec<EdgeJustification>,
}

impl EdgeJustification {
    /// Adds the negations of all literals the edge stands on.
    fn negations(&self, into: &mut Vec<Lit>) {
        into.extend(self.literals.iter().map(|&lit| !lit));
        for edge in &self.path {
            edge.negations(into);
        }
    }
}

/// A clause that the theory added, and why it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TheoryLemma {
    /// The clause.
    pub clause: Vec<Lit>,
    /// Edges, each from where the one before leads, the last leading to the start of the first.
    pub cycle: Vec<EdgeJustification>,
}

impl TheoryLemma {
    /// The lemma that a cycle proves: its clause has the negations of all literals the edges stand on.
    pub fn of_cycle(cycle: Vec<EdgeJustification>) -> TheoryLemma {
        let mut clause = Vec::new();
        for edge in &cycle {
            edge.negations(&mut clause);
        }
        clause.sort_unstable();
        clause.dedup();
        TheoryLemma { clause, cycle }
    }

    /// Whether the lemma follows from what was declared. Searches the declarations: slow and simple.
    pub fn holds_in(&self, problem: &Problem) -> bool {
        let (Some(first), Some(last)) = (self.cycle.first(), self.cycle.last()) else { return false };
        let negations = {
            let mut negations = Vec::new();
            self.cycle.iter().for_each(|edge| edge.negations(&mut negations));
            negations
        };
        last.to == first.from && is_path(problem, &self.cycle) && negations.iter().all(|lit| self.clause.contains(lit))
    }
}

fn is_path(problem: &Problem, path: &[EdgeJustification]) -> bool {
    path.windows(2).all(|pair| pair[0].to == pair[1].from) && path.iter().all(|edge| is_declared(problem, edge))
}

fn is_declared(problem: &Problem, edge: &EdgeJustification) -> bool {
    is_conditional(problem, edge)
        || edge.path.is_empty()
            && match edge.literals[..] {
                [lit] => is_choice(problem, edge, lit),
                [reads_from, write_order] => is_from_read(problem, edge, reads_from, write_order),
                _ => false,
            }
}

fn is_conditional(problem: &Problem, edge: &EdgeJustification) -> bool {
    problem.edges.iter().any(|declared| {
        (declared.from, declared.to) == (edge.from, edge.to)
            && declared.when.iter().all(|lit| edge.literals.contains(lit))
            && match (declared.path, edge.path.first(), edge.path.last()) {
                (None, None, None) => true,
                (Some((start, end)), Some(first), Some(last)) => {
                    first.from == start && last.to == end && is_path(problem, &edge.path)
                }
                (Some((start, end)), None, None) => start == end,
                _ => false,
            }
    })
}

fn is_choice(problem: &Problem, edge: &EdgeJustification, lit: Lit) -> bool {
    let ends = (edge.from, edge.to);
    [(Relation::ReadsFrom, &problem.reads_from), (Relation::WriteOrder, &problem.write_order)].into_iter().any(
        |(relation, choices)| {
            choices.iter().any(|choice| {
                choice.lit == lit && problem.edges_of(relation, choice.first, choice.second).contains(&ends)
            })
        },
    )
}

fn is_from_read(problem: &Problem, edge: &EdgeJustification, reads_from: Lit, write_order: Lit) -> bool {
    let (Some(read), Some(later)) = (problem.event_of(edge.from), problem.event_of(edge.to)) else { return false };
    read != later
        && problem.edges_of(Relation::FromRead, read, later).contains(&(edge.from, edge.to))
        && problem.reads_from.iter().any(|rf| {
            rf.lit == reads_from
                && rf.second == read
                && problem
                    .write_order
                    .iter()
                    .any(|co| co.lit == write_order && co.first == rf.first && co.second == later)
        })
}
