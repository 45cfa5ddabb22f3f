//! The semantic abstractions of section 5.3, which are looked at as they are.
//!
//! *Control-state reachability*: what synchronises is told in full, and of all other reads nothing. It allows more than the
//! program does, so a proof holds; a violation is one only if it happens to violate nothing that was left out.
//!
//! *Serial executions*: a read is from a write that certainly comes first (of its own thread, or of one that ended before)
//! or finds the initial contents, unless it synchronises. A violation is one; a proof holds only if it does not rest on that.
//!
//! *Largely serial executions*: the same but for a few reads, whichever these are.

use super::options::Preset;
use super::refine::Refinement;
use smt::{Sort, Term, Terms};

/// So many reads of a largely serial execution may be from concurrent writes.
pub(super) const INTERFERENCES: usize = 2;

impl Refinement<'_> {
    /// Tells what a preset says of a read.
    pub(super) fn begin_preset(&mut self, preset: Preset, read: usize, terms: &mut Terms) {
        let is_synchronising = self.links[read].is_synchronising;
        match preset {
            Preset::ControlState if !is_synchronising => {}
            Preset::ControlState | Preset::LargelySerial => self.begin_at(read, true, true, terms),
            Preset::Serial => self.begin_at(read, is_synchronising, true, terms),
        }
    }

    /// At most a few reads that do not synchronise are from concurrent writes, as long as that is assumed.
    pub(super) fn limit_interference(&mut self, terms: &mut Terms) {
        let few = terms.variable("few", Sort::Bool);
        // By number: whether there were more of them so far.
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
