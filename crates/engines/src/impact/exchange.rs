//! Checks whether the last step of a path and the next step of another thread can be exchanged, by executing both
//! orders: [`super::reduce`] compares footprints, which is fast; [`super::certificate`] asks here.
//!
//! Two steps can be exchanged if, from every state above them, each way to do one and then the other is also a way to
//! do them in the opposite order, with the same statements, the same inputs and the same final state. If the second
//! step goes wrong, it must go wrong in the same way when it comes first.

use super::location::Slot;
use super::machine::{Machine, Outcome, Target};
use super::path::{Execution, Unknowns};
use super::vocabulary::VarKey;
use base::{Budget, Stop};
use smt::interpolation::Step;
use smt::{Answer, Solver, Term};
use std::rc::Rc;

/// One outcome of a step.
#[derive(Clone)]
pub(super) struct Choice(Rc<Vec<Outcome>>, usize);

impl Choice {
    fn outcome(&self) -> &Outcome {
        &self.0[self.1]
    }
}

/// An outcome of the second step, and the ways to take it first.
pub(super) struct Exchange {
    second: Choice,
    /// The second step, and the first step after it, unless the second one goes wrong.
    ways: Vec<(Choice, Option<Choice>)>,
}

/// Inputs of the second step are numbered from here.
const SECOND: u32 = 1 << 16;

/// Whether two outcomes execute the same statements.
fn has_same_parts(one: &Outcome, other: &Outcome) -> bool {
    one.parts.len() == other.parts.len()
        && one.parts.iter().zip(&other.parts).all(|(one, other)| {
            (one.at, one.by, one.makes, one.is_early) == (other.at, other.by, other.makes, other.is_early)
                && (one.flushes, one.is_buffered, one.watches) == (other.flushes, other.is_buffered, other.watches)
        })
}

impl Machine<'_> {
    fn choices(&mut self, location: usize, thread: u32) -> Vec<Choice> {
        let outcomes = self.successors(location, thread);
        (0..outcomes.len()).map(|index| Choice(Rc::clone(&outcomes), index)).collect()
    }

    /// For each outcome of a thread's step after a given step of another thread: the ways to take it before that step.
    /// None if some outcome could not have come first, judging by its statements and target locations.
    pub(super) fn exchanges(&mut self, above: usize, first: (u32, &Outcome), thread: u32) -> Option<Vec<Exchange>> {
        let Target::Location(middle) = first.1.target else { return Some(vec![]) };
        let mut all = Vec::new();
        for second in self.choices(middle, thread) {
            let mut ways = Vec::new();
            for early in self.choices(above, thread) {
                if !has_same_parts(early.outcome(), second.outcome()) {
                    continue;
                }
                match (early.outcome().target.clone(), second.outcome().target.clone()) {
                    (Target::Trouble(one), Target::Trouble(other)) if one == other => ways.push((early, None)),
                    (Target::Location(between), Target::Location(end)) => {
                        for late in self.choices(between, first.0) {
                            let is_end = late.outcome().target == Target::Location(end);
                            if is_end && has_same_parts(late.outcome(), first.1) {
                                ways.push((early.clone(), Some(late)));
                            }
                        }
                    }
                    (Target::Trouble(_), _) | (Target::Location(_), Target::Trouble(_)) => {}
                }
            }
            if ways.is_empty() {
                return None;
            }
            all.push(Exchange { second, ways });
        }
        Some(all)
    }

    fn execute_outcome(&mut self, execution: &mut Execution, unknowns: &mut Unknowns, outcome: &Outcome, from: u32) {
        execution.number_unknowns_from(from);
        for step in self.steps_of(outcome) {
            execution.take(&mut self.terms, unknowns, 0, step);
        }
    }

    /// Whether the first step and an outcome of the second, after these steps, reach the same state as one of the ways.
    pub(super) fn is_exchange(
        &mut self,
        (solver, unknowns, budget): (&mut Solver, &mut Unknowns, &Budget),
        before: &[Step],
        first: &Outcome,
        exchange: &Exchange,
    ) -> Result<bool, Stop> {
        let mut start = Execution::default();
        start.number_unknowns_from(2 * SECOND);
        for &step in before {
            start.take(&mut self.terms, unknowns, 0, step);
        }
        let mut there = start.clone();
        self.execute_outcome(&mut there, unknowns, first, 0);
        self.execute_outcome(&mut there, unknowns, exchange.second.outcome(), SECOND);
        let mut facts: Vec<Term> = there.facts.iter().map(|(_, _, fact)| *fact).collect();
        for (early, late) in &exchange.ways {
            let mut here = start.clone();
            self.execute_outcome(&mut here, unknowns, early.outcome(), SECOND);
            if let Some(late) = late {
                self.execute_outcome(&mut here, unknowns, late.outcome(), 0);
            }
            let mut all: Vec<Term> = here.facts[start.facts.len()..].iter().map(|(_, _, fact)| *fact).collect();
            if let Target::Location(end) = exchange.second.outcome().target {
                all.extend(self.equalities(&there, &here, end));
            }
            let is_way = self.terms.and(all);
            facts.push(self.terms.not(is_way));
        }
        Ok(solver.check(&mut self.terms, &facts, budget)? == Answer::Unsat)
    }

    /// State variables are equal after two executions that end at a location. Variables of explicitly tracked cells and
    /// of dead locals mean nothing there and are left out.
    fn equalities(&mut self, one: &Execution, other: &Execution, end: usize) -> Vec<Term> {
        let mut variables = one.changed();
        variables.extend(other.changed());
        variables.sort_unstable();
        variables.dedup();
        let live = self.variables_at(end);
        let mut equalities = Vec::new();
        for variable in variables {
            let matters = match self.vocabulary.meaning(variable) {
                Some(VarKey::Input(..) | VarKey::Temporary(..)) => false,
                Some(VarKey::Local { .. } | VarKey::Buffered { .. } | VarKey::Watched) => live.contains(&variable),
                Some(VarKey::Cell(cell)) => match self.locations[end].cells.get(&cell) {
                    Some(Slot::Dead | Slot::Known(..)) => false,
                    Some(Slot::Var(_)) | None => true,
                },
                Some(VarKey::Result(..)) | None => true,
            };
            if matters {
                let (a, b) = (one.value(&mut self.terms, variable), other.value(&mut self.terms, variable));
                equalities.push(self.terms.eq(a, b));
            }
        }
        equalities
    }
}
