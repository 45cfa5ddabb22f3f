//! Proofs about litmus tests: of every outcome that exploration reaches, the engine `priori` must not prove that it cannot be
//! reached, under each memory model and at every precision. Of combinations of results that are not reached it is
//! counted how often the engine proves that.
//!
//! Programs are made in the core form, without a compiler, so that tens of thousands can be tried.

use crate::outcomes::interpreter;
use crate::outcomes::litmus::{self, Litmus, Shape};
use crate::programs::rng::Rng;
use anyhow::Result;
use base::Budget;
use check::{Engine, Options, Outcome as Answer, Reason, ReasonKind, Task, Verdict};
use engines::priori::{Priori, FINEST};
use interp::enumerate::Outcome;
use ir::{MemoryModel, ObjectId, Program, Property};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::time::{Duration, Instant};

/// The models that the engine decides about.
const MODELS: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Ra];
/// So many outcomes of a test are asked about, reached and not reached.
const QUESTIONS: usize = 3;

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// How many tests there were.
    pub tests: u64,
    /// How many outcomes that are reached were asked about.
    pub reached: u64,
    /// Under each model and at each precision, how many unreachable results were proved to be so, and of how many.
    pub proved: BTreeMap<(MemoryModel, u8), [u64; 2]>,
    /// Tests that could not be explored in time.
    pub skipped: u64,
    /// What was proved and is false.
    pub wrong: Vec<String>,
}

/// What the engine says without asking anybody.
fn is_proved(program: &Program, model: MemoryModel, precision: u8) -> bool {
    let settle = |_: &Task<'_>| Answer {
        verdict: Verdict::unknown(Reason::new(ReasonKind::Unsupported, "alarms are not settled")),
        stats: base::Stats::default(),
    };
    let options = Options { precision: Some(precision), strengthen_relaxed: true, ..Options::default() };
    let budget = Budget::new(Some(Duration::from_secs(1)), None);
    let task = Task { program, property: Property::Unreach, model, options, budget };
    matches!(Priori { settle }.run(&task).verdict, Verdict::Safe(_))
}

/// The results of the runs that finish, and whether a run fails; `None` if there are too many runs.
fn results(test: &Litmus, model: MemoryModel, timeout: Duration) -> Option<(BTreeSet<Vec<u128>>, bool)> {
    let program = test.program();
    let observed: Vec<ObjectId> =
        (0..=test.threads.len()).filter_map(|index| program.object_named(&format!("result{index}"))).collect();
    let budget = Budget::new(Some(timeout), None);
    let found = interpreter::outcomes(&program, model, true, &observed, &budget).ok()?;
    let number = |bytes: &Vec<u8>| bytes.iter().rev().fold(0u128, |number, byte| number << 8 | u128::from(*byte));
    let mut all = BTreeSet::new();
    let mut fails = false;
    for outcome in found {
        match outcome {
            Outcome::Finished(finals) => {
                let value = |id: &ObjectId| {
                    finals.iter().find(|(other, _)| *other == *id).map_or(0, |(_, bytes)| number(bytes))
                };
                all.insert(observed.iter().map(value).collect());
            }
            Outcome::Failed(_) => fails = true,
            Outcome::Stuck(_) => {}
        }
    }
    Some((all, fails))
}

/// The precisions at which something that happens is proved not to.
fn wrong_proofs(test: &Litmus, seed: u64, model: MemoryModel, timeout: Duration, report: &mut Report) -> Vec<String> {
    let mut wrong = Vec::new();
    let Some((reached, fails)) = results(test, model, timeout) else {
        report.skipped += 1;
        return wrong;
    };
    if fails {
        let program = test.program();
        let levels = (1..=FINEST).filter(|precision| is_proved(&program, model, *precision));
        wrong.extend(levels.map(|precision| format!("{model} at precision {precision}: an assertion that fails")));
        return wrong;
    }
    let all: Vec<&Vec<u128>> = reached.iter().collect();
    if all.is_empty() {
        return wrong;
    }
    let mut rng = Rng::new(seed);
    for _ in 0..QUESTIONS {
        let one = all[rng.between(0, all.len() - 1)];
        let program = test.excluding(one);
        report.reached += 1;
        let levels = (1..=FINEST).filter(|precision| is_proved(&program, model, *precision));
        wrong.extend(levels.map(|precision| format!("{model} at precision {precision}: {one:x?}")));
        // Results of different runs, put together.
        let mixed: Vec<u128> = (0..one.len()).map(|index| all[rng.between(0, all.len() - 1)][index]).collect();
        if !reached.contains(&mixed) {
            let program = test.excluding(&mixed);
            for precision in 1..=FINEST {
                let tally = report.proved.entry((model, precision)).or_default();
                tally[0] += u64::from(is_proved(&program, model, precision));
                tally[1] += 1;
            }
        }
    }
    wrong
}

/// Examines random tests, telling about it line by line.
pub fn run(seeds: std::ops::Range<u64>, shape: Shape, timeout: Duration, tell: &mut dyn Write) -> Result<Report> {
    let mut report = Report::default();
    let mut last_told = Instant::now();
    for seed in seeds {
        let test = litmus::random(seed, shape);
        report.tests += 1;
        for model in MODELS {
            let wrong = wrong_proofs(&test, seed, model, timeout, &mut report);
            if !wrong.is_empty() {
                let small = shrink(&test, seed, model, timeout);
                let shown = wrong_proofs(&small, seed, model, timeout, &mut Report::default());
                writeln!(tell, "seed {seed}: proved and false: {}\n{small}", shown.join("; "))?;
                report.wrong.extend(wrong);
            }
        }
        if last_told.elapsed() > Duration::from_secs(10) {
            last_told = Instant::now();
            writeln!(tell, "seed {seed}: {}", summary(&report))?;
        }
    }
    for ((model, precision), [proved, all]) in &report.proved {
        writeln!(tell, "{model} at precision {precision}: {proved} of {all} unreachable results proved unreachable")?;
    }
    writeln!(tell, "{}", summary(&report))?;
    Ok(report)
}

fn shrink(test: &Litmus, seed: u64, model: MemoryModel, timeout: Duration) -> Litmus {
    let mut small = test.clone();
    let is_wrong = |test: &Litmus| !wrong_proofs(test, seed, model, timeout, &mut Report::default()).is_empty();
    while let Some(smaller) = small.smaller().into_iter().find(is_wrong) {
        small = smaller;
    }
    small
}

fn summary(report: &Report) -> String {
    let Report { tests, reached, skipped, .. } = report;
    let wrong = report.wrong.len();
    format!("{tests} tests; {reached} questions about what is reached, {skipped} tests skipped; {wrong} false proofs")
}
