//! The theory's side of CaDiCaL's external propagator interface (Fazekas, Niemetz, Preiner, Kirchweger, Szeider, Biere,
//! "IPASIR-UP: user propagators for CDCL", SAT 2023).
//!
//! Conflicts go to the solver as clauses before any further propagation; reasons of propagations are given on request.
//! The solver may forget clauses: the theory finds the cycle again. For the theory, assignments are a stack even if the
//! solver backtracks chronologically or moves a literal to a lower level: it notifies the literals it keeps again. A
//! panic here aborts the process: that is better than a wrong clause, and happens only for errors of our own.

use super::model;
use super::theory::{code, Theory};
use crate::sat::Lit;
use cadical_sys::ExternalPropagator;

/// A clause that the solver is reading, literal by literal.
#[derive(Default)]
pub(super) struct Outgoing {
    clause: Vec<Lit>,
    is_open: bool,
}

impl Outgoing {
    fn next(&mut self) -> i32 {
        match self.clause.pop() {
            Some(lit) => lit.dimacs(),
            None => {
                self.is_open = false;
                0
            }
        }
    }
}

impl ExternalPropagator for Theory {
    fn are_reasons_forgettable(&mut self) -> bool {
        true
    }

    fn notify_assignment(&mut self, lits: &[i32]) {
        for &lit in lits {
            self.assign(Lit::from_dimacs(lit));
        }
    }

    fn notify_new_decision_level(&mut self) {
        self.new_level();
    }

    fn notify_backtrack(&mut self, new_level: usize) {
        self.backtrack(new_level);
    }

    fn cb_check_found_model(&mut self, model: &[i32]) -> bool {
        match model::find_cycle(&self.problem, model) {
            None => true,
            Some(lemma) => {
                self.statistics.missed += 1;
                self.conflict = Some(lemma);
                false
            }
        }
    }

    fn cb_decide(&mut self) -> i32 {
        let values = &self.values;
        let decision = self.hints.decide(|lit| {
            let value = values.get(lit.var()).copied().filter(|&value| value != 0)?;
            Some((value > 0) == lit.is_positive())
        });
        decision.map_or(0, Lit::dimacs)
    }

    fn cb_propagate(&mut self) -> i32 {
        self.process();
        if self.conflict.is_some() {
            return 0;
        }
        self.next_consequence().map_or(0, Lit::dimacs)
    }

    fn cb_add_reason_clause_lit(&mut self, propagated_lit: i32) -> i32 {
        if !self.outgoing.is_open {
            // Without a reason this would be the empty clause, and everything unsatisfiable.
            let reason = self.reasons[code(Lit::from_dimacs(propagated_lit))].expect("there should be a reason");
            let lemma = self.explain_reason(reason);
            self.send(lemma);
        }
        self.outgoing.next()
    }

    fn cb_has_external_clause(&mut self, is_forgettable: &mut bool) -> bool {
        *is_forgettable = true;
        self.process();
        self.conflict.is_some()
    }

    fn cb_add_external_clause_lit(&mut self) -> i32 {
        if !self.outgoing.is_open {
            let lemma = self.conflict.take().expect("there should be a clause");
            self.send(lemma);
        }
        self.outgoing.next()
    }
}

impl Theory {
    fn send(&mut self, lemma: super::TheoryLemma) {
        self.outgoing = Outgoing { clause: lemma.clause.clone(), is_open: true };
        if let Some(log) = &mut self.log {
            log.push(lemma);
        }
    }
}
