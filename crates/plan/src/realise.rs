//! A run that an engine found, followed in the reference interpreter: what comes out is a schedule that can be replayed.

use check::{Counterexample, Task};
use engines::staged::RacePair;
use interp::{Machine, RunEnd};
use ir::{Move, Schedule};

/// Follows a run to its violation, or to the race of two statements that is sought.
pub(crate) fn realise(task: &Task<'_>, moves: &[Move], sought: Option<RacePair>) -> Result<Counterexample, String> {
    let mut machine = Machine::new(task.program, crate::machine_config(task));
    if let Some((one, other)) = sought {
        machine = machine.seeking(one, other);
    }
    let run = interp::follow(&machine, moves)?;
    match run.end {
        RunEnd::Violation(violation) => {
            let schedule = Schedule { model: task.model, property: task.property, steps: run.steps };
            Ok(Counterexample { schedule, violation })
        }
        end => Err(format!("the run does not end in a violation: {}", crate::validate::describe(&end))),
    }
}
