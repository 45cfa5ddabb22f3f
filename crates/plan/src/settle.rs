//! Settles what an engine cannot rule out: by a few random runs, which find easy violations regardless of the number of
//! states; then by exploration, which is exact; if that takes too long, by the engine `staged`; and at last by random
//! runs again.

use crate::explore::Explore;
use crate::services::Alone;
use base::{Budget, Part, Stats};
use check::{Counterexample, Effort, Engine, Outcome, Reason, ReasonKind, Task, Verdict};
use engines::Staged;
use interp::{Machine, RunEnd};
use ir::Schedule;

/// Number of runs before exploration.
const FIRST_RUNS: u64 = 900;
/// Number of runs with little effort.
const FEW_RUNS: u64 = 120;
/// Maximum number of runs.
const MAX_RUNS: u64 = 200_000;
/// Maximum length of a run.
const STEPS: u64 = 4000;

/// Answers a task exactly, if the budget allows.
pub(crate) fn settle(task: &Task<'_>, effort: Effort) -> Outcome {
    let mut stats = Stats::default();
    if effort == Effort::Little {
        let verdict = match look(task, 0..FEW_RUNS, &task.budget.part(Part::Share(0.1)), &mut stats) {
            Some(counterexample) => Verdict::Unsafe(Box::new(counterexample)),
            None => Verdict::unknown(Reason::new(ReasonKind::Imprecise, "a few random runs found nothing")),
        };
        return Outcome::new(verdict, stats);
    }
    if let Some(counterexample) = look(task, 0..FIRST_RUNS, &task.budget.part(Part::Share(0.3)), &mut stats) {
        return Outcome::new(Verdict::Unsafe(Box::new(counterexample)), stats);
    }
    // A solver may succeed where there are too many states.
    let mut outcome = ask(&Explore, task, 0.4, "", &mut stats);
    if is_out_of_time(&outcome) {
        let second = ask(&Staged, task, 0.7, "staged_", &mut stats);
        if second.verdict.is_decided() {
            outcome = second;
        }
    }
    if is_out_of_time(&outcome) {
        if let Some(counterexample) = look(task, FIRST_RUNS..MAX_RUNS, &task.budget, &mut stats) {
            return Outcome::new(Verdict::Unsafe(Box::new(counterexample)), stats);
        }
    }
    Outcome::new(outcome.verdict, stats)
}

/// Runs an engine with a share of the remaining time.
fn ask(engine: &dyn Engine, task: &Task<'_>, share: f64, prefix: &str, stats: &mut Stats) -> Outcome {
    let part = Task { budget: task.budget.part(Part::Share(share)), ..task.clone() };
    let outcome = engine.run(&part, &Alone);
    for (name, value) in outcome.stats.iter() {
        stats.set(&format!("{prefix}{name}"), value);
    }
    outcome
}

fn is_out_of_time(outcome: &Outcome) -> bool {
    match &outcome.verdict {
        Verdict::Unknown(reasons) => reasons.iter().any(|reason| reason.kind == ReasonKind::Time),
        Verdict::Safe(_) | Verdict::Unsafe(_) => false,
    }
}

/// Searches random runs for a violation.
fn look(task: &Task<'_>, seeds: std::ops::Range<u64>, budget: &Budget, stats: &mut Stats) -> Option<Counterexample> {
    let machine = Machine::new(task.program, crate::machine_config(task));
    for seed in seeds {
        if seed % 16 == 15 && budget.check().is_err() {
            break;
        }
        let run = interp::varied_run(&machine, seed, STEPS, budget);
        stats.set("runs", seed as f64 + 1.0);
        if let RunEnd::Violation(violation) = run.end {
            let schedule = Schedule { model: task.model, property: task.property, steps: run.steps };
            return Some(Counterexample { schedule, violation });
        }
    }
    None
}
