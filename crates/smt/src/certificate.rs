//! The certificate of one [`Solver`](crate::Solver): the log of its SAT solver, and what its array lemmas say.
//!
//! What is proved is that the clauses made of the assertions are unsatisfiable together with the assumptions. That these
//! clauses mean what the terms mean (bit-blasting, rewriting) is not proved here, but tested against brute force.

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
    /// The proof is about something else than what was asked.
    #[error("the proof does not end in the core that was claimed")]
    OtherCore,
    /// A formula that was added as a lemma of arrays is none.
    #[error("lemma {0} of arrays does not follow from the axioms of arrays")]
    WrongLemma(usize),
    /// There was no time.
    #[error("checking was stopped: {0:?}")]
    Stopped(Stop),
}

/// The log, and the array lemmas in it, by number.
pub(crate) struct Certificate {
    log: Rc<RefCell<Log<Vec<u8>>>>,
    checker: Checker,
    lemmas: Vec<(Vec<Lit>, Lemma)>,
    /// How many lemmas were found valid.
    validated: usize,
    /// By witness of the difference of two arrays: their equality.
    witnesses: FxHashMap<Term, Term>,
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

    /// Makes the log know the lemmas of an order theory.
    pub(crate) fn connect(&mut self, order: &mut Order) {
        self.log.borrow_mut().set_source(order.lemma_source());
    }

    /// Tells that the next clause given to the SAT solver comes from this lemma.
    pub(crate) fn announce(&mut self, clause: &[Lit], lemma: &Lemma) {
        let text = self.lemmas.len().to_string();
        self.log.borrow_mut().announce(clause, proof::Lemma::Array(text));
        self.lemmas.push((as_set(clause), lemma.clone()));
    }

    /// Checks what the log says since the last check, and that its last query is this one.
    pub(crate) fn check(
        &mut self,
        terms: &mut Terms,
        problem: &dyn Problem,
        assumptions: &[Lit],
        core: &[Lit],
        budget: &Budget,
    ) -> Result<(), Uncertified> {
        while let Some((_, lemma)) = self.lemmas.get(self.validated) {
            // One place where two pairs of arrays differ would say that both differ there.
            let is_alone = match *lemma {
                Lemma::Witness { equality, place, .. } => *self.witnesses.entry(place).or_insert(equality) == equality,
                Lemma::Travel { .. } => true,
            };
            if !is_alone || !validate::is_valid(terms, lemma, budget).map_err(Uncertified::Stopped)? {
                return Err(Uncertified::WrongLemma(self.validated));
            }
            self.validated += 1;
        }
        let text = self.log.borrow_mut().take()?;
        let problem = WithArrays { problem, lemmas: &self.lemmas };
        self.checker.read(&text[..], &problem)?;
        match self.checker.report().queries.last() {
            Some(query) if query.proves(assumptions, core) => Ok(()),
            _ => Err(Uncertified::OtherCore),
        }
    }
}

/// A problem, and lemmas of arrays whose text is their number.
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
    use crate::proof::check::Clauses;
    use crate::term::Sort;

    /// Whether lemmas are accepted, in an empty proof: what is then missing is the query.
    fn accepts(terms: &mut Terms, lemmas: Vec<Lemma>) -> bool {
        let (mut certificate, _sat) = Certificate::begin();
        certificate.lemmas = lemmas.into_iter().map(|lemma| (Vec::new(), lemma)).collect();
        let result = certificate.check(terms, &Clauses::default(), &[], &[], &Budget::unlimited());
        match result {
            Err(Uncertified::WrongLemma(_)) => false,
            Ok(()) | Err(_) => true,
        }
    }

    #[test]
    fn a_witness_is_new_and_of_one_pair_only() {
        let mut terms = Terms::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| terms.variable(name, Sort::Array { index: 2, element: 2 }));
        let old = terms.variable("i", Sort::Bits(2));
        let (first, second) = (terms.eq(a, b), terms.eq(b, c));
        let mut definitions = Arrays::default().add(&mut terms, first);
        assert!(accepts(&mut terms, definitions.clone()));
        let [Lemma::Witness { place, .. }] = definitions[..] else { panic!("one definition") };
        let differ_at = |terms: &mut Terms, equality: Term, (a, b): (Term, Term), place: Term| {
            let (x, y) = (terms.select(a, place), terms.select(b, place));
            let differ = terms.distinct(&[x, y]);
            Lemma::Witness { equality, place, formula: terms.or2(equality, differ) }
        };
        let at_old = differ_at(&mut terms, second, (b, c), old);
        assert!(!accepts(&mut terms, vec![at_old]));
        let alone = differ_at(&mut terms, second, (b, c), place);
        assert!(accepts(&mut terms, vec![alone.clone()]));
        definitions.push(alone);
        assert!(!accepts(&mut terms, definitions));
    }
}
