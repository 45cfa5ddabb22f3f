//! The declarations to the order theory, in the form the checker needs.
//!
//! Reads [`order::problem`], which is plain data, and nothing of the theory. An edge may name more literals than it
//! needs: the lemma is then only weaker.

use super::check::{self, Clauses, Problem, Reason};
use super::lemma::{EdgeJustification, Lemma};
use crate::order::problem::{Choice, Edge, Relation};
use crate::order::{self, Node, TheoryLemma};
use crate::sat::Lit;
use base::Id;
use rustc_hash::FxHashMap;

/// Clauses and the declarations of an order problem.
pub struct Ordered<'a> {
    clauses: &'a Clauses,
    problem: &'a order::Problem,
    edges: FxHashMap<(Node, Node), Vec<&'a Edge>>,
    reads_from: FxHashMap<Lit, Vec<Choice>>,
    write_order: FxHashMap<Lit, Vec<Choice>>,
}

impl<'a> Ordered<'a> {
    /// The problem with these input clauses and declarations.
    pub fn new(clauses: &'a Clauses, problem: &'a order::Problem) -> Ordered<'a> {
        let mut edges: FxHashMap<_, Vec<&Edge>> = FxHashMap::default();
        for edge in &problem.edges {
            edges.entry((edge.from, edge.to)).or_default().push(edge);
        }
        let by_literal = |choices: &[Choice]| {
            let mut map: FxHashMap<_, Vec<Choice>> = FxHashMap::default();
            choices.iter().for_each(|choice| map.entry(choice.lit).or_default().push(*choice));
            map
        };
        let (reads_from, write_order) = (by_literal(&problem.reads_from), by_literal(&problem.write_order));
        Ordered { clauses, problem, edges, reads_from, write_order }
    }

    fn is_declared(&self, ends: (Node, Node), literals: &[Lit], path: Option<(Node, Node)>) -> bool {
        self.edges.get(&ends).into_iter().flatten().any(|edge| {
            // Every node reaches itself by the empty path.
            let is_reached = edge.path == path || path.is_none() && edge.path.is_some_and(|(from, to)| from == to);
            is_reached && edge.when.iter().all(|lit| literals.contains(lit))
        })
    }

    fn is_chosen(&self, ends: (Node, Node), literals: &[Lit]) -> bool {
        let means =
            |relation, choice: &Choice| self.problem.edges_of(relation, choice.first, choice.second).contains(&ends);
        chosen(&self.reads_from, literals).any(|choice| means(Relation::ReadsFrom, choice))
            || chosen(&self.write_order, literals).any(|choice| means(Relation::WriteOrder, choice))
    }

    fn is_from_read(&self, ends: (Node, Node), literals: &[Lit]) -> bool {
        let (Some(read), Some(later)) = (self.problem.event_of(ends.0), self.problem.event_of(ends.1)) else {
            return false;
        };
        // A read-modify-write does not precede itself.
        read != later
            && self.problem.edges_of(Relation::FromRead, read, later).contains(&ends)
            && chosen(&self.reads_from, literals).filter(|choice| choice.second == read).any(|reads_from| {
                chosen(&self.write_order, literals)
                    .any(|choice| (choice.first, choice.second) == (reads_from.first, later))
            })
    }

    /// The nodes with these numbers, if they exist.
    fn nodes(&self, from: u32, to: u32) -> Option<(Node, Node)> {
        let exists = |node: &u32| (*node as usize) < self.problem.nodes();
        [from, to].iter().all(exists).then(|| (Node::new(from as usize), Node::new(to as usize)))
    }
}

/// The choices that these literals make.
fn chosen<'a>(choices: &'a FxHashMap<Lit, Vec<Choice>>, literals: &'a [Lit]) -> impl Iterator<Item = &'a Choice> {
    literals.iter().filter_map(|lit| choices.get(lit)).flatten()
}

impl Problem for Ordered<'_> {
    fn is_input(&self, clause: &[Lit]) -> bool {
        self.clauses.is_input(clause)
    }

    fn is_edge(&self, edge: &EdgeJustification, path: Option<(u32, u32)>) -> bool {
        let Some(ends) = self.nodes(edge.from, edge.to) else { return false };
        match path {
            None => {
                self.is_declared(ends, &edge.literals, None)
                    || self.is_chosen(ends, &edge.literals)
                    || self.is_from_read(ends, &edge.literals)
            }
            Some((from, to)) => {
                self.nodes(from, to).is_some_and(|path| self.is_declared(ends, &edge.literals, Some(path)))
            }
        }
    }
}

/// Checks a lemma of the order theory alone.
pub fn check_lemma(lemma: &TheoryLemma, problem: &order::Problem) -> Result<(), Reason> {
    check::check_lemma(&lemma.clause, &lemma_of(lemma), &Ordered::new(&Clauses::default(), problem))
}

/// The justification that the order theory gives, in the form of a certificate.
pub fn lemma_of(lemma: &TheoryLemma) -> Lemma {
    Lemma::Cycle(lemma.cycle.iter().map(edge_of).collect())
}

fn edge_of(edge: &order::EdgeJustification) -> EdgeJustification {
    EdgeJustification {
        from: edge.from.index() as u32,
        to: edge.to.index() as u32,
        literals: edge.literals.clone(),
        path: edge.path.iter().map(edge_of).collect(),
    }
}
