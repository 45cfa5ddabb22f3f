//! Which engine answers a task, and the validation of what it answers: a wrong verdict must be impossible to print by
//! accident. A library; it prints nothing.

pub mod engines;
mod explore;
mod realise;
mod settle;
mod slice;
pub mod validate;

use check::{Counterexample, Outcome, Task};
pub use engines::{engine_named, ENGINES};
pub use validate::{Confirmation, Reproducer};

/// A validated answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The verdict and the numbers of the run.
    pub outcome: Outcome,
    /// How the verdict was confirmed.
    pub confirmation: Confirmation,
    /// Other violations than the one in the verdict, replayed as well.
    pub further: Vec<Counterexample>,
}

/// Answers a task with an engine, or from the paths of one run where that is asked, and validates the answer. With
/// `recheck`, a `safe` is confirmed by a simpler method too, within the budget.
pub fn solve(task: &Task<'_>, engine: &dyn check::Engine, recheck: bool) -> Answer {
    match task.options.slice {
        Some(slice) => {
            let (outcome, further) = slice::Paths(slice).run(task);
            validate::validate_all(task, outcome, further)
        }
        None => validate::validate(task, engine.run(task), recheck),
    }
}

/// The configuration of the interpreter that a task asks for.
pub fn machine_config(task: &Task<'_>) -> interp::Config {
    let inputs = match &task.options.inputs.values {
        Some(values) => interp::InputDomain { values: values.clone(), exclusive: task.options.inputs.promised },
        None => interp::InputDomain::default(),
    };
    interp::Config { model: task.model, property: task.property, inputs }
}
