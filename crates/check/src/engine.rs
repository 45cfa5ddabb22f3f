//! The interface between engines and those who schedule them. An engine knows neither the interpreter nor another
//! engine: it requests their services through [`Services`].

use crate::task::{Outcome, Task};
use crate::verdict::{Counterexample, Reason, ReasonKind};
use ir::{EdgeId, FunctionId, Move};

/// The statements of two accesses that race.
pub type RacePair = ((FunctionId, EdgeId), (FunctionId, EdgeId));

/// The effort for settling an alarm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// A few random runs.
    Little,
    /// Whatever the budget allows.
    Full,
}

/// Services that an engine may request.
pub trait Services: Sync {
    /// Follows a run that the engine found in the reference interpreter: to its first violation, or to the race of two statements.
    fn follow(&self, task: &Task<'_>, moves: &[Move], sought: Option<RacePair>) -> Result<Counterexample, String>;

    /// Whether exact engines decide here what the engine cannot rule out. Otherwise that is left to the engines with
    /// the next turns.
    fn settles(&self) -> bool;

    /// Has exact engines decide, as far as that is done here.
    fn settle(&self, task: &Task<'_>, effort: Effort) -> Outcome;
}

/// A verification method.
pub trait Engine: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// One line about it, for `--help`.
    fn about(&self) -> &'static str;

    /// Whether it supports this kind of question; otherwise why not. It answers unsupported ones with `unknown`.
    fn supports(&self, task: &Task<'_>) -> Result<(), Reason>;

    /// Its place among the engines that take turns on a task it supports: the lowest comes first. `None`: it takes no turn.
    fn rank(&self, task: &Task<'_>) -> Option<u8>;

    /// Whether no other engine gets past the obstacles of this one, apart from limits and inputs: behaviour that is
    /// undefined, unmodelled or depends on addresses.
    fn sees_all_obstacles(&self) -> bool {
        false
    }

    /// Whether it can find every race, and not just one.
    fn finds_all(&self) -> bool {
        false
    }

    /// Whether its bounded proofs are rechecked by default, where that is cheap.
    fn rechecks_unasked(&self) -> bool {
        false
    }

    /// Answers a task. Exceeded limits yield `unknown`, never a panic or non-termination.
    fn run(&self, task: &Task<'_>, services: &dyn Services) -> Outcome;
}

/// The reason that an engine does not support a property under a memory model.
pub fn undecided(engine: &dyn Engine, task: &Task<'_>) -> Reason {
    let detail = format!("engine {} does not decide {} under {}", engine.name(), task.property, task.model);
    Reason::new(ReasonKind::Unsupported, detail)
}
