//! Deadlocks: pseudo-steps of `NOBODY`, from a location where every running thread waits.
//!
//! Whether a thread comes to wait at a location is found while its steps are computed: it executes invisible
//! statements, if any, and then waits. A deadlock combines one way to wait of each thread. The reduction preserves
//! deadlocks, since it preserves the final states of runs. A thread that waits in an atomic region, or while no other
//! thread runs, is a deadlock by itself.

use super::location::Location;
use super::machine::{Machine, Outcome, Part, Run, Target, Trouble, MAX_WAYS, NOBODY};
use super::vocabulary::VarKey;
use base::Id;
use check::ReasonKind;
use ir::{FunctionId, Property};
use smt::interpolation::Step;
use smt::Term;
use std::rc::Rc;

/// The inputs of each thread in a deadlock are numbered from a multiple of this.
const INPUTS: u32 = 1000;

impl Machine<'_> {
    /// A thread waits. That is a deadlock if no other thread can move.
    pub(super) fn wait_here(&mut self, mut run: Run, is_alone: bool, outcomes: &mut Vec<Outcome>) {
        if run.is_impossible(&self.terms) {
            return;
        }
        run.footprint.is_universal = true;
        let outcome = self.outcome(run, Target::Trouble(Trouble::Violation));
        if is_alone {
            outcomes.push(outcome);
        } else {
            self.waiting.push(outcome);
        }
    }

    /// The ways in which all running threads wait at a location.
    pub(super) fn deadlocks(&mut self, location: usize) -> Vec<Outcome> {
        let running: Vec<u32> = self.locations[location].running().collect();
        if self.property != Property::Deadlock || running.is_empty() {
            return vec![];
        }
        let start = Run::new(Location::default(), NOBODY);
        let mut all = vec![self.outcome(start, Target::Trouble(Trouble::Violation))];
        for (index, &thread) in running.iter().enumerate() {
            self.successors(location, thread);
            let waits = self.waits.get(&(location, thread)).cloned().unwrap_or_default();
            let mut next = Vec::new();
            for outcome in &all {
                for wait in &waits {
                    let wait = self.rename_inputs(wait, index as u32 + 1);
                    let mut both = outcome.clone();
                    both.steps.extend(wait.steps);
                    both.parts.extend(
                        wait.parts.into_iter().map(|part| Rc::new(Part { by: Some(thread), ..(*part).clone() })),
                    );
                    next.push(both);
                }
            }
            if next.len() > MAX_WAYS {
                let at = next[0].parts.last().map_or((FunctionId::new(0), ir::EdgeId::new(0)), |part| part.at);
                let detail = "too many ways in which threads wait".to_owned();
                let mut unknown = all.swap_remove(0);
                unknown.target = Target::Trouble(Trouble::Gap(ReasonKind::Unsupported, detail, at));
                unknown.footprint.is_universal = true;
                unknown.steps.clear();
                return vec![unknown];
            }
            all = next;
        }
        for outcome in &mut all {
            outcome.footprint.is_universal = true;
            // Havocs come first.
            outcome.steps.sort_by_key(|step| !matches!(step, Step::Havoc(_)));
        }
        all
    }

    /// The same outcome with renamed inputs, and only its assumptions.
    fn rename_inputs(&mut self, outcome: &Outcome, index: u32) -> Outcome {
        let mut renamed = Vec::new();
        for step in &outcome.steps {
            if let Step::Havoc(input) = *step {
                if let Some(VarKey::Input(number, width)) = self.vocabulary.meaning(input) {
                    let key = VarKey::Input(number + index * INPUTS, width);
                    let sort = self.terms.sort(input);
                    renamed.push((input, self.vocabulary.variable(&mut self.terms, self.program, key, sort)));
                }
            }
        }
        let mut substitution = smt::term::Substitution::new(renamed);
        let mut rename = |term: Term| substitution.apply(&mut self.terms, term);
        let mut outcome = outcome.clone();
        outcome.steps.retain(|step| !matches!(step, Step::Assign(..)));
        for step in &mut outcome.steps {
            match step {
                Step::Havoc(term) | Step::Assume(term) => *term = rename(*term),
                Step::Assign(..) => {}
            }
        }
        for part in outcome.parts.iter_mut().map(Rc::make_mut) {
            for (_, term) in &mut part.locals {
                *term = rename(*term);
            }
            part.found = part.found.map(&mut rename);
            part.fails = part.fails.map(&mut rename);
        }
        outcome
    }
}
