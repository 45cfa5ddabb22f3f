//! One loaded program and exploration's answers about it.

use super::laws::Law;
use crate::programs::{self, ast};
use base::Budget;
use front::LoadOptions;
use interp::{Config, Exploration, ExploreOptions, Explored, Gap, InputDomain, Machine};
use ir::{MemoryModel, Program, Property, ScheduleStep, Violation};
use std::time::Duration;

/// The questions, and the limits for each answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The memory models.
    pub models: Vec<MemoryModel>,
    /// The properties.
    pub properties: Vec<Property>,
    /// The time for one exploration with reduction.
    pub timeout: Duration,
    /// The time for slow analyses: exploring without reduction, enumerating executions.
    pub slow_timeout: Duration,
    /// The memory for the process.
    pub memory_bytes: u64,
    /// The number of random runs for each question.
    pub random_runs: u64,
    /// The laws.
    pub laws: Vec<Law>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            models: MemoryModel::ALL.to_vec(),
            properties: Property::ALL.to_vec(),
            timeout: Duration::from_secs(3),
            slow_timeout: Duration::from_secs(1),
            memory_bytes: 2 << 30,
            random_runs: 3,
            laws: Law::ALL.to_vec(),
        }
    }
}

impl Limits {
    pub(super) fn budget(&self, timeout: Duration) -> Budget {
        Budget::new(Some(timeout), Some(self.memory_bytes))
    }
}

/// The answer of an exploration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Violated by this run.
    Violated(Vec<ScheduleStep>, Violation),
    /// Every state was visited and nothing left out.
    Safe,
    /// Neither.
    Unknown(String),
}

impl Answer {
    fn of(exploration: Exploration) -> Answer {
        match exploration.result {
            Explored::Violated { steps, violation } => Answer::Violated(steps, violation),
            // The true semantics of weaker atomics does not matter here: all sides treat them as the model does.
            Explored::Exhausted => {
                let is_strengthened = |gap: &&Gap| matches!(gap, Gap::Relaxed { .. } | Gap::Mixed { .. });
                match exploration.gaps.iter().find(|gap| !is_strengthened(gap)) {
                    None => Answer::Safe,
                    Some(gap) => Answer::Unknown(gap.to_string()),
                }
            }
            Explored::Stopped(stop) => Answer::Unknown(format!("{stop:?}")),
        }
    }

    /// Whether it is an answer.
    pub fn is_known(&self) -> bool {
        !matches!(self, Answer::Unknown(_))
    }

    /// The index in tables of violated, safe, unknown.
    pub fn index(&self) -> usize {
        match self {
            Answer::Violated(..) => 0,
            Answer::Safe => 1,
            Answer::Unknown(_) => 2,
        }
    }
}

/// Loads a random program; the error is the front end's message.
pub(super) fn load(program: &ast::Program) -> Result<Program, String> {
    let text = programs::print(program, "");
    let (loaded, diagnostics) = front::load_text("random.c", &text, &LoadOptions::default());
    loaded.ok_or_else(|| diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

/// The machine for one question.
pub(super) fn machine(program: &Program, model: MemoryModel, property: Property) -> Machine<'_> {
    Machine::new(
        program,
        Config { model, property, inputs: InputDomain::default(), regions: vec![], race_free: Default::default() },
    )
}

/// Explores.
pub(super) fn ask(
    program: &Program,
    model: MemoryModel,
    property: Property,
    reduction: bool,
    limits: &Limits,
) -> Answer {
    let options = ExploreOptions { reduction, max_depth: None };
    let timeout = if reduction { limits.timeout } else { limits.slow_timeout };
    Answer::of(interp::explore(&machine(program, model, property), &options, &limits.budget(timeout)))
}

/// A random run.
pub(super) fn random_run(machine: &Machine<'_>, seed: u64, limits: &Limits) -> interp::Run {
    const STEPS: u64 = 2000;
    interp::random_run(machine, seed, STEPS, &limits.budget(limits.timeout), None)
}
