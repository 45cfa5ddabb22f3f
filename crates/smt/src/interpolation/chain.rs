//! Interpolants of a whole sequence, from one position at a time.
//!
//! Forwards, the label of a position separates the label before it and one formula from all that follows; backwards,
//! dually. Either way each label fits the next by construction. Plain candidates are the strongest postconditions and
//! the weakest preconditions themselves, where elimination left no local variable in them.

use super::contest::Candidate;
use super::predicates::Preference;
use super::separation::Separator;
use super::simplification::{cost, simplify};
use super::Failure;
use crate::term::{Term, Terms};
use base::Budget;

/// The end from which labels are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    /// From strongest postconditions.
    Forwards,
    /// From weakest preconditions.
    Backwards,
}

impl Separator<'_> {
    /// One way to label all positions.
    pub(super) fn candidate(
        &mut self,
        terms: &mut Terms,
        direction: Direction,
        preference: Preference,
        budget: &Budget,
    ) -> Result<Candidate, Failure> {
        self.has_fallback = false;
        self.used.clear();
        let mut labels = match direction {
            Direction::Forwards => self.forwards(terms, preference, budget)?,
            Direction::Backwards => self.backwards(terms, preference, budget)?,
        };
        simplify(terms, self.oracle, self.core, &mut labels, budget)?;
        let cost = cost(terms, self.core, &self.vocabulary, &labels);
        Ok(Candidate { labels, cost, has_fallback: self.has_fallback, ..Candidate::default() })
    }

    fn ends(&self, terms: &mut Terms) -> Vec<Term> {
        let mut labels = vec![terms.bool(true); self.core.len() + 1];
        labels[self.core.len()] = terms.bool(false);
        labels
    }

    fn forwards(&mut self, terms: &mut Terms, preference: Preference, budget: &Budget) -> Result<Vec<Term>, Failure> {
        let core = self.core;
        let mut labels = self.ends(terms);
        for position in 1..core.len() {
            let formula = core.formulas[position - 1];
            labels[position] = if terms.as_bool(formula) == Some(true) {
                labels[position - 1]
            } else {
                let near = terms.and2(labels[position - 1], formula);
                self.separate(terms, near, position, (Direction::Forwards, preference), budget)?
            };
        }
        Ok(labels)
    }

    fn backwards(&mut self, terms: &mut Terms, preference: Preference, budget: &Budget) -> Result<Vec<Term>, Failure> {
        let core = self.core;
        let mut labels = self.ends(terms);
        for position in (1..core.len()).rev() {
            let formula = core.formulas[position];
            labels[position] = if terms.as_bool(formula) == Some(true) {
                labels[position + 1]
            } else {
                let bad = terms.not(labels[position + 1]);
                let near = terms.and2(bad, formula);
                let bad = self.separate(terms, near, position, (Direction::Backwards, preference), budget)?;
                terms.not(bad)
            };
        }
        Ok(labels)
    }

    /// Strongest postconditions and weakest preconditions, where they need no quantifier.
    pub(super) fn plain_candidates(&self, terms: &mut Terms) -> Vec<Candidate> {
        let mut strongest = self.before.clone();
        strongest[self.core.len()] = terms.bool(false);
        let mut weakest: Vec<Term> = self.after.iter().map(|&after| terms.not(after)).collect();
        weakest[0] = terms.bool(true);
        let mut candidates = Vec::new();
        for labels in [strongest, weakest] {
            let mut positions = labels.iter().enumerate();
            if positions.all(|(position, &label)| self.core.is_shared(terms, position, label)) {
                let cost = cost(terms, self.core, &self.vocabulary, &labels);
                candidates.push(Candidate { labels, cost, is_plain: true, ..Candidate::default() });
            }
        }
        candidates
    }
}
