//! Checks a lemma of arrays by something simpler than what found it: arrays are expanded away.
//!
//! A read of a store is an if-then-else, a read of an array variable is a new variable, two reads of it at equal indices are
//! equal, and equal arrays have equal elements at the indices the lemma speaks of. All of this follows from the axioms of
//! arrays, so a lemma that follows from it is valid. Costs the square of the number of indices, which are few.

use super::{is_array, Lemma};
use crate::sat::Answer;
use crate::solver::Solver;
use crate::term::{Node, Sort, Substitution, Term, Terms};
use base::{Budget, Stop};
use rustc_hash::FxHashMap;

/// Whether the lemma follows from the axioms of arrays; of a witness, whether it is a definition. That no other witness has
/// the same place is for the caller to see.
pub(crate) fn is_valid(terms: &mut Terms, lemma: &Lemma, budget: &Budget) -> Result<bool, Stop> {
    match lemma {
        Lemma::Witness { equality, place, formula } => Ok(is_definition(terms, *equality, *place, *formula)),
        Lemma::Travel { indices, formula } => {
            let mut expansion = Expansion::default();
            expansion.expand(terms, indices, *formula);
            let claim = expansion.images.apply(terms, *formula);
            let denial = terms.not(claim);
            let mut solver = Solver::new();
            for fact in expansion.facts {
                solver.assert(terms, fact);
            }
            Ok(solver.check(terms, &[denial], budget)? == Answer::Unsat)
        }
    }
}

/// Whether the formula says that the arrays are equal or differ at a place that is a variable younger than them: what is
/// older cannot speak of it, so any value may be chosen for it.
fn is_definition(terms: &mut Terms, equality: Term, place: Term, formula: Term) -> bool {
    let Node::Eq(a, b) = *terms.node(equality) else { return false };
    terms.is_variable(place) && equality < place && super::witness(terms, equality, (a, b), place) == formula
}

/// A formula with its arrays expanded away.
#[derive(Default)]
struct Expansion {
    images: Substitution,
    facts: Vec<Term>,
    /// What array variables have at indices.
    cells: FxHashMap<Term, Vec<(Term, Term)>>,
}

impl Expansion {
    fn expand(&mut self, terms: &mut Terms, indices: &[Term], formula: Term) {
        let mut roots = indices.to_vec();
        roots.push(formula);
        let below = terms.below(&roots);
        let mut equalities = Vec::new();
        // Arguments come first, so what stands in an index is expanded already.
        for term in below {
            match *terms.node(term) {
                Node::Select(array, index) => {
                    let index = self.images.apply(terms, index);
                    let element = self.read(terms, array, index);
                    self.images.set(term, element);
                }
                Node::Eq(a, b) if is_array(terms, a) => {
                    let holds = terms.variable("equal", Sort::Bool);
                    self.images.set(term, holds);
                    equalities.push((holds, a, b));
                }
                _ => {}
            }
        }
        for (holds, a, b) in equalities {
            let Sort::Array { index: width, .. } = terms.sort(a) else { continue };
            for &index in indices {
                if terms.sort(index) != Sort::Bits(width) {
                    continue;
                }
                let index = self.images.apply(terms, index);
                let (from_a, from_b) = (self.read(terms, a, index), self.read(terms, b, index));
                let same = terms.eq(from_a, from_b);
                self.facts.push(terms.implies(holds, same));
            }
        }
    }

    /// What an array has at an index that is expanded already.
    fn read(&mut self, terms: &mut Terms, array: Term, index: Term) -> Term {
        match *terms.node(array) {
            Node::Store(below, written, value) => {
                let (written, value) = (self.images.apply(terms, written), self.images.apply(terms, value));
                let elsewhere = self.read(terms, below, index);
                let is_here = terms.eq(written, index);
                terms.ite(is_here, value, elsewhere)
            }
            Node::Ite(condition, then, otherwise) => {
                let condition = self.images.apply(terms, condition);
                let (then, otherwise) = (self.read(terms, then, index), self.read(terms, otherwise, index));
                terms.ite(condition, then, otherwise)
            }
            Node::Const(_, value) => self.images.apply(terms, value),
            _ => self.cell(terms, array, index),
        }
    }

    fn cell(&mut self, terms: &mut Terms, array: Term, index: Term) -> Term {
        let Sort::Array { element, .. } = terms.sort(array) else { panic!("an array should be read") };
        let cells = self.cells.entry(array).or_default();
        if let Some(&(_, known)) = cells.iter().find(|(place, _)| *place == index) {
            return known;
        }
        let cell = terms.variable("cell", Sort::Bits(element));
        for &(place, other) in &*cells {
            let same_place = terms.eq(place, index);
            let same = terms.eq(other, cell);
            self.facts.push(terms.implies(same_place, same));
        }
        cells.push((index, cell));
        cell
    }
}
