//! Selects the engine for a task, and validates its answer: a wrong verdict must be impossible to print by accident. A
//! library; it prints nothing.

mod auto;
pub mod explore;
mod services;
mod settle;
pub mod slice;
mod table;
pub mod validate;

pub use auto::run_without;
use check::{Outcome, Proved, Task, Turn};
use ir::analysis::AtomicPairs;
use ir::Shape;
pub use services::{Alone, TakingTurns};
use std::time::Duration;
pub use table::{engine_named, ENGINES};
pub use validate::{Confirmation, Reproducer};

/// A validated answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The verdict and the statistics of the run.
    pub outcome: Outcome,
    /// How the verdict was confirmed.
    pub confirmation: Confirmation,
    /// The turns of engines, in the order in which they ended.
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

/// With `auto`, bounded proofs are proved again by the second encoder, which gets as much time as was needed so far,
/// within these limits.
const SHORTEST_GLANCE: Duration = Duration::from_secs(2);
const LONGEST_GLANCE: Duration = Duration::from_secs(10);

/// Answers a task with an engine and validates the answer. With `recheck`, a `safe` is also confirmed by a simpler
/// method, within the budget.
pub fn solve(task: &Task<'_>, engine: &dyn check::Engine, recheck: bool) -> Answer {
    let started = std::time::Instant::now();
    if let Err(problem) = regions_are_there(task) {
        let verdict = check::Verdict::unknown(check::Reason::new(check::ReasonKind::Unsupported, problem));
        let turn = Turn { engine: engine.name(), seconds: 0.0, verdict: verdict.clone(), proved: Proved::default() };
        let outcome = Outcome::new(verdict, base::Stats::default());
        return Answer { outcome, confirmation: Confirmation::None, turns: vec![turn] };
    }
    let mut outcome = engine.run(task, &Alone);
    let mut turns = std::mem::take(&mut outcome.turns);
    if turns.is_empty() {
        let (seconds, verdict) = (started.elapsed().as_secs_f64(), outcome.verdict.clone());
        let proved = auto::for_others(task, &outcome);
        turns.push(Turn { engine: engine.name(), seconds, verdict, proved });
    }
    let recheck = match (recheck, engine.rechecks_unasked()) {
        (true, _) => validate::Recheck::Full,
        (false, true) => validate::Recheck::Glance(started.elapsed().clamp(SHORTEST_GLANCE, LONGEST_GLANCE)),
        (false, false) => validate::Recheck::No,
    };
    let (outcome, confirmation) = validate::validate(task, outcome, recheck);
    let outcome = if task.options.strict { validate::without_premises(task, outcome) } else { outcome };
    Answer { outcome, confirmation, turns }
}

/// Whether the program contains all regions that should be atomic, if these are given; otherwise which are missing.
pub fn regions_are_there(task: &Task<'_>) -> Result<(), String> {
    match task.property.shape() {
        Shape::Between => AtomicPairs::new(task.program, &task.options.atomic_regions).map(drop),
        Shape::Step | Shape::Conflict | Shape::Stuck => Ok(()),
    }
}

/// The machine for replaying one of several violations of a task: earlier races in the run do not end it.
pub fn machine_for<'p>(task: &Task<'p>, counterexample: &check::Counterexample) -> interp::Machine<'p> {
    let machine = interp::Machine::new(task.program, machine_config(task));
    match (counterexample.violation.at, counterexample.violation.other) {
        (Some(at), Some((_, function, edge))) => machine.seeking(at, (function, edge)),
        (_, _) => machine,
    }
}

/// The configuration of the interpreter for a task.
pub fn machine_config(task: &Task<'_>) -> interp::Config {
    let inputs = match &task.options.inputs.values {
        Some(values) => interp::InputDomain { values: values.clone(), exclusive: task.options.inputs.promised },
        None => interp::InputDomain::default(),
    };
    interp::Config {
        model: task.model,
        property: task.property,
        inputs,
        regions: task.options.atomic_regions.clone(),
        race_free: task.race_free.clone(),
    }
}
