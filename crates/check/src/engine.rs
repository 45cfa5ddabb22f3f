//! The seam between engines and those who schedule them. An engine knows neither the interpreter nor another engine: what it needs of
//! them it asks of [`Services`].

use crate::task::{Outcome, Task};
use crate::verdict::{Counterexample, Reason, ReasonKind};
use ir::{EdgeId, FunctionId, Move};

/// The statements of two accesses that race.
pub type RacePair = ((FunctionId, EdgeId), (FunctionId, EdgeId));

/// How much work settling an alarm may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// A few random runs.
    Little,
    /// Whatever the budget allows.
    Full,
}

/// What an engine may ask for.
pub trait Services: Sync {
    /// Follows a run that the engine found in the reference interpreter: to its first violation, or to the race of two statements.
    fn follow(&self, task: &Task<'_>, moves: &[Move], sought: Option<RacePair>) -> Result<Counterexample, String>;

    /// Whether exact engines decide here what the engine cannot rule out. Otherwise that is left to the engines that take the next
    /// turns.
    fn settles(&self) -> bool;

    /// Has exact engines decide, as far as that is done here.
    fn settle(&self, task: &Task<'_>, effort: Effort) -> Outcome;
}

/// A method that answers tasks.
pub trait Engine: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// One line about it, for `--help`.
    fn about(&self) -> &'static str;

    /// Whether it decides questions like this one; otherwise why not. It answers the others with `unknown`.
    fn supports(&self, task: &Task<'_>) -> Result<(), Reason>;

    /// Its place among the engines that take turns on a task it supports: the lowest comes first. `None`: it takes no turn.
    fn rank(&self, task: &Task<'_>) -> Option<u8>;

    /// Whether no other engine gets past what stops this one, apart from limits and inputs: behaviour that is undefined, unmodelled or
    /// depends on addresses.
    fn sees_all_obstacles(&self) -> bool {
        false
    }

    /// Whether it finds every race where that is asked, and not just one.
    fn finds_all(&self) -> bool {
        false
    }

    /// Whether bounded proofs are rechecked unasked, where that is cheap.
    fn rechecks_unasked(&self) -> bool {
        false
    }

    /// Answers a task. Limits end in `unknown`, never in a panic or an endless run.
    fn run(&self, task: &Task<'_>, services: &dyn Services) -> Outcome;
}

/// That an engine does not decide a property under a memory model.
pub fn undecided(engine: &dyn Engine, task: &Task<'_>) -> Reason {
    let detail = format!("engine {} does not decide {} under {}", engine.name(), task.property, task.model);
    Reason::new(ReasonKind::Unsupported, detail)
}
