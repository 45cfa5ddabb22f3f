//! Settling what an engine could not exclude: by a few random runs, which find what is easy to find however many states there
//! are; then by exploration, which is exact; and if that takes too long, by random runs again.

use crate::explore::Explore;
use base::{Budget, Stats};
use check::{Counterexample, Engine, Outcome, ReasonKind, Task, Verdict};
use interp::{Leaning, Machine, RunEnd};
use ir::Schedule;

/// So many runs are made before exploration.
const FIRST_RUNS: u64 = 900;
/// So many in all.
const MOST_RUNS: u64 = 200_000;
/// Longer runs are cut off.
const STEPS: u64 = 4000;

/// Answers a task exactly, if the budget allows.
pub(crate) fn settle(task: &Task<'_>) -> Outcome {
    let mut stats = Stats::default();
    if let Some(counterexample) = look(task, 0..FIRST_RUNS, &task.budget.share(0.3), &mut stats) {
        return Outcome { verdict: Verdict::Unsafe(Box::new(counterexample)), stats };
    }
    let part = Task { budget: task.budget.share(0.7), ..task.clone() };
    let outcome = Explore.run(&part);
    for (name, value) in outcome.stats.iter() {
        stats.set(name, value);
    }
    let is_out_of_time = match &outcome.verdict {
        Verdict::Unknown(reasons) => reasons.iter().any(|reason| reason.kind == ReasonKind::Time),
        Verdict::Safe(_) | Verdict::Unsafe(_) => false,
    };
    if is_out_of_time {
        if let Some(counterexample) = look(task, FIRST_RUNS..MOST_RUNS, &task.budget, &mut stats) {
            return Outcome { verdict: Verdict::Unsafe(Box::new(counterexample)), stats };
        }
    }
    Outcome { verdict: outcome.verdict, stats }
}

/// A violation that a random run comes across.
fn look(task: &Task<'_>, seeds: std::ops::Range<u64>, budget: &Budget, stats: &mut Stats) -> Option<Counterexample> {
    let machine = Machine::new(task.program, crate::machine_config(task));
    for seed in seeds {
        if seed % 16 == 15 && budget.check().is_err() {
            break;
        }
        let leaning = [Leaning::None, Leaning::Newest, Leaning::Oldest][(seed % 3) as usize];
        let run = interp::leaning_run(&machine, (seed, leaning), STEPS, budget, None);
        stats.set("runs", seed as f64 + 1.0);
        if let RunEnd::Violation(violation) = run.end {
            let schedule = Schedule { model: task.model, property: task.property, steps: run.steps };
            return Some(Counterexample { schedule, violation });
        }
    }
    None
}
