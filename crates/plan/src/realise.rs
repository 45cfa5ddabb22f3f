//! A run that an engine found, followed in the reference interpreter: what comes out is a schedule that can be replayed.

use check::{Counterexample, Task};
use interp::{Machine, RunEnd};
use ir::{Move, Schedule};

/// Follows a run to its violation.
pub(crate) fn realise(task: &Task<'_>, moves: &[Move]) -> Result<Counterexample, String> {
    let machine = Machine::new(task.program, crate::machine_config(task));
    let run = interp::follow(&machine, moves)?;
    match run.end {
        RunEnd::Violation(violation) => {
            let schedule = Schedule { model: task.model, property: task.property, steps: run.steps };
            Ok(Counterexample { schedule, violation })
        }
        end => Err(format!("the run does not end in a violation: {}", crate::validate::describe(&end))),
    }
}
