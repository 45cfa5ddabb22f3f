//! Which engine answers a task, and the validation of what it answers: a wrong verdict must be impossible to print by
//! accident. A library; it prints nothing.

mod auto;
pub mod engines;
mod explore;
mod realise;
mod settle;
mod slice;
pub mod validate;

pub use auto::{run_without, Turn};
use check::{Outcome, Proved, Task};
pub use engines::{engine_named, ENGINES};
use ir::analysis::AtomicPairs;
use ir::Property;
use std::time::Duration;
pub use validate::{Confirmation, Reproducer};

/// Follows a run that an engine found by reasoning in the reference interpreter, to its first violation.
pub fn follow(task: &Task<'_>, moves: &[ir::Move]) -> Result<check::Counterexample, String> {
    realise::realise(task, moves, None)
}

/// A validated answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The verdict and the numbers of the run.
    pub outcome: Outcome,
    /// How the verdict was confirmed.
    pub confirmation: Confirmation,
    /// What engines did, in the order in which they were done.
    pub turns: Vec<Turn>,
}

impl Answer {
    /// The engine that answered; `None` if none of several did.
    pub fn engine(&self) -> Option<&'static str> {
        match self.turns.as_slice() {
            [only] => Some(only.engine),
            turns => turns.iter().find(|turn| turn.verdict.is_decided()).map(|turn| turn.engine),
        }
    }
}

/// With `auto`, a bounded proof is proved again by the second encoder, which gets as much time as was needed so far, within
/// these limits.
const SHORTEST_GLANCE: Duration = Duration::from_secs(2);
const LONGEST_GLANCE: Duration = Duration::from_secs(10);

/// Answers a task with an engine, or from the paths of one run where that is asked, and validates the answer. With `recheck`, a `safe` is confirmed by a simpler method
/// too, within the budget.
pub fn solve(task: &Task<'_>, engine: &dyn check::Engine, recheck: bool) -> Answer {
    let started = std::time::Instant::now();
    if let Err(problem) = regions_are_there(task) {
        let verdict = check::Verdict::unknown(check::Reason::new(check::ReasonKind::Unsupported, problem));
        let turn = Turn { engine: engine.name(), seconds: 0.0, verdict: verdict.clone(), proved: Proved::default() };
        let outcome = Outcome::new(verdict, base::Stats::default());
        return Answer { outcome, confirmation: Confirmation::None, turns: vec![turn] };
    }
    let alone = |name: &'static str, outcome: Outcome| {
        let (seconds, verdict) = (started.elapsed().as_secs_f64(), outcome.verdict.clone());
        let proved = auto::for_others(task, &outcome);
        (outcome, vec![Turn { engine: name, seconds, verdict, proved }])
    };
    let (outcome, turns) = match (task.options.slice, engine.name()) {
        (Some(slice), _) => alone("slice", slice::Paths(slice).run(task)),
        (None, "auto") => auto::take_turns(task),
        (None, name) => alone(name, engine.run(task)),
    };
    let recheck = match (recheck, engine.name()) {
        (true, _) => validate::Recheck::Full,
        (false, "auto") => validate::Recheck::Glance(started.elapsed().clamp(SHORTEST_GLANCE, LONGEST_GLANCE)),
        (false, _) => validate::Recheck::No,
    };
    let (outcome, confirmation) = validate::validate(task, outcome, recheck);
    Answer { outcome, confirmation, turns }
}

/// Whether all that is meant to be atomic is in the program, where that is asked; otherwise what is not.
pub fn regions_are_there(task: &Task<'_>) -> Result<(), String> {
    match task.property {
        Property::Atomicity => AtomicPairs::new(task.program, &task.options.atomic_regions).map(drop),
        Property::Unreach | Property::Race | Property::Deadlock | Property::Locks | Property::Memory => Ok(()),
    }
}

/// The machine that one of several violations of a task is replayed in: earlier races in the run do not end it.
pub fn machine_for<'p>(task: &Task<'p>, counterexample: &check::Counterexample) -> interp::Machine<'p> {
    let machine = interp::Machine::new(task.program, machine_config(task));
    match (counterexample.violation.at, counterexample.violation.other) {
        (Some(at), Some((_, function, edge))) => machine.seeking(at, (function, edge)),
        (_, _) => machine,
    }
}

/// The configuration of the interpreter that a task asks for.
pub fn machine_config(task: &Task<'_>) -> interp::Config {
    let inputs = match &task.options.inputs.values {
        Some(values) => interp::InputDomain { values: values.clone(), exclusive: task.options.inputs.promised },
        None => interp::InputDomain::default(),
    };
    interp::Config { model: task.model, property: task.property, inputs, regions: task.options.atomic_regions.clone() }
}
