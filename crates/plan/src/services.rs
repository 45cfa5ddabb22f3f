//! The services for engines: replaying a run in the reference interpreter, which makes it a schedule, and settling
//! alarms.

use crate::settle;
use base::Stats;
use check::{Counterexample, Effort, Outcome, RacePair, Reason, ReasonKind, Services, Task, Verdict};
use interp::{Machine, RunEnd};
use ir::{Move, Schedule};

/// The services of an engine that answers alone: alarms are settled by exact engines.
pub struct Alone;

/// The services of an engine that takes turns with others: alarms are left to them.
pub struct TakingTurns;

impl Services for Alone {
    fn follow(&self, task: &Task<'_>, moves: &[Move], sought: Option<RacePair>) -> Result<Counterexample, String> {
        follow(task, moves, sought)
    }

    fn settles(&self) -> bool {
        true
    }

    fn settle(&self, task: &Task<'_>, effort: Effort) -> Outcome {
        settle::settle(task, effort)
    }
}

impl Services for TakingTurns {
    fn follow(&self, task: &Task<'_>, moves: &[Move], sought: Option<RacePair>) -> Result<Counterexample, String> {
        follow(task, moves, sought)
    }

    fn settles(&self) -> bool {
        false
    }

    fn settle(&self, _: &Task<'_>, _: Effort) -> Outcome {
        let reason = Reason::new(ReasonKind::Imprecise, "alarms are passed on to the exact engines");
        Outcome::new(Verdict::unknown(reason), Stats::default())
    }
}

/// Follows a run to its violation, or to the race of two statements that is sought.
fn follow(task: &Task<'_>, moves: &[Move], sought: Option<RacePair>) -> Result<Counterexample, String> {
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
