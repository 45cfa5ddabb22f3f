//! Checks a lemma of arrays by a simpler method than the one that found it: arrays are expanded away.
//!
//! A read of a store is an if-then-else, a read of an array variable is a new variable, two reads of it at equal indices are
//! equal, and equal arrays have equal elements at the indices of the lemma. All of this follows from the axioms of arrays,
//! so a lemma that follows from it is valid. Costs the square of the number of indices, which are few.

use super::{is_array, Lemma};
use crate::sat::Answer;
use crate::solver::Solver;
use crate::term::{Node, Sort, Substitution, Term, Terms};
use base::{Budget, Stop};
use rustc_hash::FxHashMap;
use smallvec::{smallvec, SmallVec};

/// Whether the lemma follows from the axioms of arrays; for a witness, whether it is a definition. The caller must
/// check that no other witness has the same place.
pub(crate) fn is_valid(terms: &mut Terms, lemma: &Lemma, budget: &Budget) -> Result<bool, Stop> {
    match lemma {
        Lemma::Witness { equality, place, formula } => Ok(is_definition(terms, *equality, *place, *formula)),
        Lemma::Travel { indices, formula } => {
            let mut expansion = Expansion::new(budget);
            expansion.expand(terms, indices, *formula)?;
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

/// Whether the formula says that the arrays are equal or differ at a place that is a variable younger than them: older
/// terms cannot mention it, so any value may be chosen for it.
fn is_definition(terms: &mut Terms, equality: Term, place: Term, formula: Term) -> bool {
    let Node::Eq(a, b) = *terms.node(equality) else { return false };
    terms.is_variable(place) && equality < place && super::witness(terms, equality, (a, b), place) == formula
}

/// The number of reads between two polls of the budget.
const READS_PER_CHECK: usize = 256;

/// A formula with its arrays expanded away.
struct Expansion<'a> {
    images: Substitution,
    facts: Vec<Term>,
    /// The elements of array variables, by index.
    cells: FxHashMap<Term, Vec<(Term, Term)>>,
    /// The reads so far, by array and index.
    reads: FxHashMap<(Term, Term), Term>,
    budget: &'a Budget,
}

impl Expansion<'_> {
    fn new(budget: &Budget) -> Expansion<'_> {
        Expansion {
            images: Substitution::default(),
            facts: Vec::new(),
            cells: FxHashMap::default(),
            reads: FxHashMap::default(),
            budget,
        }
    }

    fn expand(&mut self, terms: &mut Terms, indices: &[Term], formula: Term) -> Result<(), Stop> {
        let mut roots = indices.to_vec();
        roots.push(formula);
        let below = terms.below(&roots);
        let mut equalities = Vec::new();
        // Arguments come first, so the terms in an index are expanded already.
        for term in below {
            match *terms.node(term) {
                Node::Select(array, index) => {
                    let index = self.images.apply(terms, index);
                    let element = self.read(terms, array, index)?;
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
                let (from_a, from_b) = (self.read(terms, a, index)?, self.read(terms, b, index)?);
                let same = terms.eq(from_a, from_b);
                self.facts.push(terms.implies(holds, same));
            }
        }
        Ok(())
    }

    /// The element of an array at an index that is expanded already. Chains of stores can be deeper than the stack, and
    /// branches can share subterms, so the parts of an array are read before it and once.
    fn read(&mut self, terms: &mut Terms, array: Term, index: Term) -> Result<Term, Stop> {
        let mut open = vec![array];
        while let Some(&next) = open.last() {
            if self.reads.contains_key(&(next, index)) {
                open.pop();
                continue;
            }
            let below: SmallVec<[Term; 2]> = match *terms.node(next) {
                Node::Store(below, ..) => smallvec![below],
                Node::Ite(_, then, otherwise) => smallvec![then, otherwise],
                _ => SmallVec::new(),
            };
            let before = open.len();
            open.extend(below.into_iter().filter(|&part| !self.reads.contains_key(&(part, index))));
            if open.len() == before {
                if self.reads.len().is_multiple_of(READS_PER_CHECK) {
                    self.budget.check()?;
                }
                let element = self.read_from_parts(terms, next, index);
                self.reads.insert((next, index), element);
            }
        }
        Ok(self.reads[&(array, index)])
    }

    /// The element of an array at an index, given the elements of its parts.
    fn read_from_parts(&mut self, terms: &mut Terms, array: Term, index: Term) -> Term {
        match *terms.node(array) {
            Node::Store(below, written, value) => {
                let (written, value) = (self.images.apply(terms, written), self.images.apply(terms, value));
                let is_here = terms.eq(written, index);
                terms.ite(is_here, value, self.reads[&(below, index)])
            }
            Node::Ite(condition, then, otherwise) => {
                let condition = self.images.apply(terms, condition);
                terms.ite(condition, self.reads[&(then, index)], self.reads[&(otherwise, index)])
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
