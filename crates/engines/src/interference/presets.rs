//! The semantic abstractions of section 5.3, solved without refinement.
//!
//! *Control-state reachability*: asserts every constraint on synchronisation and none on other reads. It
//! over-approximates the program, so a proof holds; a violation is real only if it happens to violate no constraint
//! left out.
//!
//! *Serial executions*: a read that does not synchronise reads the initial value or a write that certainly comes first
//! (of its own thread, or of a thread that ended before). A violation is real; a proof holds only if it does not rest
//! on this restriction.
//!
//! *Largely serial executions*: the same except for a few reads, whichever these are.

use super::options::Preset;
use super::refine::Refinement;
use smt::{Sort, Term, Terms};

/// Number of reads of a largely serial execution that may read from concurrent writes.
pub(super) const INTERFERENCES: usize = 2;

impl Refinement<'_> {
    /// Asserts the constraints of a preset on a read.
    pub(super) fn begin_preset(&mut self, preset: Preset, read: usize, terms: &mut Terms) {
        let is_synchronising = self.links[read].is_synchronising;
        match preset {
            Preset::ControlState if !is_synchronising => {}
            Preset::ControlState | Preset::LargelySerial => self.begin_at(read, true, true, terms),
            Preset::Serial => self.begin_at(read, is_synchronising, true, terms),
        }
    }

    /// At most [`INTERFERENCES`] reads that do not synchronise read from concurrent writes, under an assumption.
    pub(super) fn limit_interference(&mut self, terms: &mut Terms) {
        let few = terms.variable("few", Sort::Bool);
        // `more[n]`: more than `n` of them so far.
        let mut more: Vec<Term> = vec![terms.bool(false); INTERFERENCES + 1];
        let mut facts = Vec::new();
        for link in self.links.iter().filter(|link| !link.is_synchronising) {
            let far = link.pairs.iter().filter(|pair| !pair.is_near).map(|pair| pair.choice);
            let far = terms.or(far.collect::<Vec<_>>());
            if terms.as_bool(far) == Some(false) {
                continue;
            }
            let mut lower = terms.bool(true);
            for count in &mut more {
                let reached = terms.and2(lower, far);
                lower = *count;
                let total = terms.or2(*count, reached);
                let name = terms.variable("interferences", Sort::Bool);
                facts.push(terms.implies(total, name));
                *count = name;
            }
        }
        let too_many = more[INTERFERENCES];
        let none = terms.not(too_many);
        facts.push(terms.implies(few, none));
        facts.into_iter().for_each(|fact| self.composition.solver.assert(terms, fact));
        self.few = Some(few);
    }
}
