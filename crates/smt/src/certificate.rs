//! The certificate of one [`Solver`](crate::Solver): the log of its SAT solver, and its array lemmas.
//!
//! It proves that the clauses made from the assertions are unsatisfiable together with the assumptions. That these
//! clauses have the meaning of the terms (bit-blasting, rewriting) is not proved here, but tested against brute force.

use crate::arrays::{validate, Lemma};
use crate::order::Order;
use crate::proof::check::{as_set, Checker, Problem};
use crate::proof::log::{Lemmas, Log, LogError};
use crate::proof::{self, EdgeJustification, Failure};
use crate::sat::{Lit, Sat};
use crate::term::{Term, Terms};
use base::{Budget, Stop};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Why an answer is not certified.
#[derive(Debug, thiserror::Error)]
pub enum Uncertified {
    /// The proof was not written.
    #[error(transparent)]
    Unwritten(#[from] LogError),
    /// A step does not hold.
    #[error(transparent)]
    Wrong(#[from] Failure),
    /// The proof is about another query.
    #[error("the proof does not end in the core that was claimed")]
    OtherCore,
    /// A formula that was added as a lemma of arrays is not one.
    #[error("lemma {0} of arrays does not follow from the axioms of arrays")]
    WrongLemma(usize),
    /// The budget ran out.
    #[error("checking was stopped: {0:?}")]
    Stopped(Stop),
}

/// The log, and the array lemmas in it, by number.
pub(crate) struct Certificate {
    log: Rc<RefCell<Log<Vec<u8>>>>,
    checker: Checker,
    lemmas: Vec<(Vec<Lit>, Lemma)>,
    /// The number of lemmas validated so far.
    validated: usize,
    /// The places where two arrays differ if they do: their equality, and the lemma that introduced the place.
    witnesses: FxHashMap<Term, (Term, usize)>,
}

/// The claim that a proof must show.
pub(crate) struct Claim<'a> {
    /// The asserted and assumed formulas.
    pub(crate) formulas: &'a [Term],
    /// The assumed literals.
    pub(crate) assumptions: &'a [Lit],
    /// A sufficient subset of them.
    pub(crate) core: &'a [Lit],
}

impl Certificate {
    pub(crate) fn begin() -> (Certificate, Sat) {
        let log = Log::new(Vec::new());
        let sat = Sat::with_tracer(Rc::clone(&log));
        let certificate = Certificate {
            log,
            checker: Checker::default(),
            lemmas: Vec::new(),
            validated: 0,
            witnesses: FxHashMap::default(),
        };
        (certificate, sat)
    }

    /// Connects the log with the lemmas of an order theory.
    pub(crate) fn connect(&mut self, order: &mut Order) {
        self.log.borrow_mut().set_source(order.lemma_source());
    }

    /// Announces that the next clause given to the SAT solver comes from this lemma.
    pub(crate) fn announce(&mut self, clause: &[Lit], lemma: &Lemma) {
        let text = self.lemmas.len().to_string();
        self.log.borrow_mut().announce(clause, proof::Lemma::Array(text));
        self.lemmas.push((as_set(clause), lemma.clone()));
    }

    /// Checks the steps of the log since the last check, and that its last query is this one.
    pub(crate) fn check(
        &mut self,
        terms: &mut Terms,
        problem: &dyn Problem,
        claim: &Claim,
        budget: &Budget,
    ) -> Result<(), Uncertified> {
        self.validate(terms, claim.formulas, budget)?;
        let text = self.log.borrow_mut().take()?;
        let problem = WithArrays { problem, lemmas: &self.lemmas };
        self.checker.read(&text[..], &problem)?;
        match self.checker.report().queries.last() {
            Some(query) if query.proves(claim.assumptions, claim.core) => Ok(()),
            _ => Err(Uncertified::OtherCore),
        }
    }

    /// Checks the lemmas of arrays. A witness must belong to one pair of arrays only, and nothing else may mention it:
    /// two pairs need not differ at the same place.
    fn validate(&mut self, terms: &mut Terms, formulas: &[Term], budget: &Budget) -> Result<(), Uncertified> {
        while let Some((_, lemma)) = self.lemmas.get(self.validated) {
            let is_alone = match *lemma {
                Lemma::Witness { equality, place, .. } => {
                    self.witnesses.entry(place).or_insert((equality, self.validated)).0 == equality
                }
                Lemma::Travel { .. } => true,
            };
            if !is_alone || !validate::is_valid(terms, lemma, budget).map_err(Uncertified::Stopped)? {
                return Err(Uncertified::WrongLemma(self.validated));
            }
            self.validated += 1;
        }
        if !self.witnesses.is_empty() {
            let mut variables = terms.variables(formulas).into_iter();
            if let Some(&(_, number)) = variables.find_map(|variable| self.witnesses.get(&variable)) {
                return Err(Uncertified::WrongLemma(number));
            }
        }
        Ok(())
    }
}

/// A problem together with array lemmas, whose text is their number.
struct WithArrays<'a> {
    problem: &'a dyn Problem,
    lemmas: &'a [(Vec<Lit>, Lemma)],
}

impl Problem for WithArrays<'_> {
    fn is_input(&self, clause: &[Lit]) -> bool {
        self.problem.is_input(clause)
    }

    fn is_edge(&self, edge: &EdgeJustification, path: Option<(u32, u32)>) -> bool {
        self.problem.is_edge(edge, path)
    }

    fn is_array_lemma(&self, clause: &[Lit], text: &str) -> bool {
        let lemma = text.parse().ok().and_then(|number: usize| self.lemmas.get(number));
        lemma.is_some_and(|(literals, _)| *literals == as_set(clause))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrays::Arrays;
    use crate::term::Sort;

    fn accepts(terms: &mut Terms, formulas: &[Term], lemmas: Vec<Lemma>) -> bool {
        let (mut certificate, _sat) = Certificate::begin();
        certificate.lemmas = lemmas.into_iter().map(|lemma| (Vec::new(), lemma)).collect();
        certificate.validate(terms, formulas, &Budget::unlimited()).is_ok()
    }

    #[test]
    fn a_witness_is_new_and_of_one_pair_only() {
        let mut terms = Terms::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| terms.variable(name, Sort::Array { index: 2, element: 2 }));
        let old = terms.variable("i", Sort::Bits(2));
        let (first, second) = (terms.eq(a, b), terms.eq(b, c));
        let mut definitions = Arrays::default().add(&mut terms, first);
        assert!(accepts(&mut terms, &[first], definitions.clone()));
        let [Lemma::Witness { place, .. }] = definitions[..] else { panic!("one definition") };
        let is_old = terms.eq(place, old);
        assert!(!accepts(&mut terms, &[first, is_old], definitions.clone()));
        let differ_at = |terms: &mut Terms, equality: Term, (a, b): (Term, Term), place: Term| {
            let (x, y) = (terms.select(a, place), terms.select(b, place));
            let differ = terms.distinct(&[x, y]);
            Lemma::Witness { equality, place, formula: terms.or2(equality, differ) }
        };
        let at_old = differ_at(&mut terms, second, (b, c), old);
        assert!(!accepts(&mut terms, &[second], vec![at_old]));
        let alone = differ_at(&mut terms, second, (b, c), place);
        assert!(accepts(&mut terms, &[second], vec![alone.clone()]));
        definitions.push(alone);
        assert!(!accepts(&mut terms, &[], definitions));
    }
}
