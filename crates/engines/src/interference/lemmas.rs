//! Solves a task under one given abstraction, without refinement; for tests of Lemmas 1 to 4.

use super::abstraction::{Abstraction, Shape};
use super::narrate::Narrator;
use super::refine::{Refinement, Violated};
use super::{compose_lazily, Interference};
use crate::skeleton::execute::Analyses;
use crate::skeleton::rounds::{first_bounds, unroll};
use check::{Engine as _, Reason, Task};
use smt::{Answer, Term, Terms};

/// The results for one abstraction, and for the program itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tried {
    /// Whether the abstraction has a violation.
    pub is_violated: bool,
    /// If it has one: whether the model found also satisfies the constraints that the abstraction leaves out.
    pub is_consistent: bool,
    /// If it has none: whether the proof rests only on full link sets.
    pub is_valid: bool,
    /// Whether the program has a violation.
    pub is_program_violated: bool,
}

/// The default unrolling bound.
const ITERATIONS: u32 = 2;

/// Solves under an abstraction, which `make` builds for the program's shape.
pub fn try_out(task: &Task<'_>, make: &mut dyn FnMut(&Shape) -> Abstraction) -> Result<Tried, Reason> {
    Interference.supports(task)?;
    let (is_violated, is_consistent, is_valid) = ask(task, make)?;
    let (is_program_violated, ..) = ask(task, &mut |shape| Abstraction::full(shape))?;
    Ok(Tried { is_violated, is_consistent, is_valid, is_program_violated })
}

fn ask(task: &Task<'_>, make: &mut dyn FnMut(&Shape) -> Abstraction) -> Result<(bool, bool, bool), Reason> {
    let analyses = Analyses::new(task.program);
    let bounds = first_bounds(task, task.options.bound.unwrap_or(ITERATIONS), Default::default());
    let mut terms = Terms::new();
    let mut skeleton = unroll(task, &analyses, &bounds, &mut terms)?;
    let composition = compose_lazily(task, &mut skeleton, &mut terms)?;
    let narrator = Narrator::new(false, task.program, &skeleton, &terms);
    let mut refinement = Refinement::new(task.options.own(), &skeleton, composition, narrator);
    let wanted = make(&refinement.shape());
    refinement.set(&wanted, &mut terms);
    let goals: Vec<Term> = skeleton.violations.iter().map(|violation| violation.occurs).collect();
    let mut assumptions = refinement.composition.assumed.clone();
    assumptions.extend(refinement.guards.iter().flatten());
    let solver = &mut refinement.composition.solver;
    let answer = solver.check_goals(&mut terms, &[goals], &assumptions, &task.budget).map_err(Reason::from)?;
    if answer == Answer::Sat {
        return Ok((true, matches!(refinement.violated(&terms), Violated::Nothing), false));
    }
    Ok((false, false, refinement.invalidating().is_empty()))
}

impl Refinement<'_> {
    /// Asserts this abstraction instead of the weakest one.
    fn set(&mut self, wanted: &Abstraction, terms: &mut Terms) {
        self.introduce_mentioned(terms);
        for (read, ways) in self.shape().into_iter().enumerate() {
            for (way, rivals) in ways.into_iter().enumerate() {
                self.abstraction.set_link(read, way, wanted.has_link(read, way));
                if wanted.has_pair(read, way) {
                    self.tell(read, way, terms);
                }
                for rival in (0..rivals).filter(|&rival| wanted.has_triple(read, way, rival)) {
                    self.separate(read, way, rival, terms);
                }
            }
            if wanted.has_read(read) {
                self.choose(read, terms);
            }
        }
    }
}
