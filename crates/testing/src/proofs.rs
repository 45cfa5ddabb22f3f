//! Proofs about litmus tests: the engine `priori` must not prove unreachable an outcome that exploration reaches, under
//! each memory model and at every precision. Proofs about unreachable combinations of results are counted. Under one of
//! the models it is also asked about races.
//!
//! Programs are made in the core form, without a compiler, so that tens of thousands can be tried.

use crate::outcomes::interpreter;
use crate::outcomes::litmus::{self, Litmus, Shape};
use crate::programs::rng::Rng;
use anyhow::Result;
use axiomatic::Outcome;
use base::Budget;
use check::{Engine, Options, Task, Verdict};
use engines::priori::{self, Priori, FINEST};
use ir::{MemoryModel, ObjectId, Program, Property};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::time::{Duration, Instant};

/// The number of outcomes of a test that are checked, both reachable and unreachable.
const QUESTIONS: usize = 1;
/// The number of attempts to combine results into some that are not reachable.
const MIXES: usize = 8;

/// The findings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The number of tests.
    pub tests: u64,
    /// The number of questions about reachable outcomes.
    pub reached: u64,
    /// Under each model and at each precision, the number of unreachable results proved unreachable, and of all of
    /// them.
    pub proved: BTreeMap<(MemoryModel, u8), [u64; 2]>,
    /// The number of racy tests.
    pub racy: u64,
    /// The number of race-free tests.
    pub free: u64,
    /// At each precision, the number of race-free tests proved race-free.
    pub proved_free: BTreeMap<u8, u64>,
    /// Tests that could not be explored in time.
    pub skipped: u64,
    /// False proofs.
    pub wrong: Vec<String>,
}

/// Whether the engine alone proves the property.
fn is_proved(program: &Program, property: Property, model: MemoryModel, precision: u8) -> bool {
    let options = Options { strengthen_relaxed: true, ..Options::default() };
    let options = options.with(priori::Options { precision: Some(precision) });
    let budget = Budget::new(Some(Duration::from_secs(20)), None);
    let task = Task { program, property, model, options, budget, race_free: Default::default() };
    matches!(Priori.run(&task, &plan::TakingTurns).verdict, Verdict::Safe(_))
}

/// The results of the runs that finish, and whether a run fails; `None` if there are too many runs.
pub(crate) fn results(test: &Litmus, model: MemoryModel, timeout: Duration) -> Option<(BTreeSet<Vec<u128>>, bool)> {
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

/// The precisions at which a reachable outcome is proved unreachable.
fn wrong_proofs(test: &Litmus, seed: u64, model: MemoryModel, timeout: Duration, report: &mut Report) -> Vec<String> {
    let mut wrong = Vec::new();
    let Some((reached, fails)) = results(test, model, timeout) else {
        report.skipped += 1;
        return wrong;
    };
    if fails {
        let program = test.program();
        let levels = (1..=FINEST).filter(|precision| is_proved(&program, Property::Unreach, model, *precision));
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
        let levels = (1..=FINEST).filter(|precision| is_proved(&program, Property::Unreach, model, *precision));
        wrong.extend(levels.map(|precision| format!("{model} at precision {precision}: {one:x?}")));
        // Results of different runs, combined.
        let mut mix = || (0..one.len()).map(|index| all[rng.between(0, all.len() - 1)][index]).collect();
        let mixed: Option<Vec<u128>> = (0..MIXES).map(|_| mix()).find(|mixed| !reached.contains(mixed));
        if let Some(mixed) = mixed {
            let program = test.excluding(&mixed);
            for precision in 1..=FINEST {
                let tally = report.proved.entry((model, precision)).or_default();
                tally[0] += u64::from(is_proved(&program, Property::Unreach, model, precision));
                tally[1] += 1;
            }
        }
    }
    wrong
}

/// Whether exploration finds a violation; `None` if it does not finish in time.
pub(crate) fn is_violated(
    program: &Program,
    property: Property,
    model: MemoryModel,
    timeout: Duration,
) -> Option<bool> {
    let config = interp::Config {
        model,
        property,
        inputs: interp::InputDomain::default(),
        regions: vec![],
        race_free: Default::default(),
    };
    let machine = interp::Machine::new(program, config);
    let options = interp::ExploreOptions { reduction: true, max_depth: None };
    match interp::explore(&machine, &options, &Budget::new(Some(timeout), None)).result {
        interp::Explored::Violated { .. } => Some(true),
        interp::Explored::Exhausted => Some(false),
        interp::Explored::Stopped(_) => None,
    }
}

/// The precisions at which a racy test is proved race-free.
fn wrong_about_races(test: &Litmus, model: MemoryModel, timeout: Duration, report: &mut Report) -> Vec<String> {
    let program = test.program();
    let Some(is_racy) = is_violated(&program, Property::Race, model, timeout) else {
        report.skipped += 1;
        return Vec::new();
    };
    let levels: Vec<u8> =
        (1..=FINEST).filter(|precision| is_proved(&program, Property::Race, model, *precision)).collect();
    if is_racy {
        report.racy += 1;
        return levels.iter().map(|precision| format!("{model} at precision {precision}: no race")).collect();
    }
    report.free += 1;
    for precision in levels {
        *report.proved_free.entry(precision).or_default() += 1;
    }
    Vec::new()
}

/// Examines random tests, reporting line by line.
pub fn run(seeds: std::ops::Range<u64>, shape: Shape, timeout: Duration, tell: &mut dyn Write) -> Result<Report> {
    let mut report = Report::default();
    let mut last_told = Instant::now();
    for seed in seeds {
        let test = litmus::random(seed, shape);
        report.tests += 1;
        for model in MemoryModel::ALL {
            let wrong = wrong_proofs(&test, seed, model, timeout, &mut report);
            if !wrong.is_empty() {
                let small = shrink(&test, seed, model, timeout);
                let shown = wrong_proofs(&small, seed, model, timeout, &mut Report::default());
                writeln!(tell, "seed {seed}: proved and false: {}\n{small}", shown.join("; "))?;
                report.wrong.extend(wrong);
            }
        }
        let model = MemoryModel::ALL[(seed % MemoryModel::ALL.len() as u64) as usize];
        let wrong = wrong_about_races(&test, model, timeout, &mut report);
        if !wrong.is_empty() {
            writeln!(tell, "seed {seed}: proved and false: {}\n{test}", wrong.join("; "))?;
            report.wrong.extend(wrong);
        }
        if last_told.elapsed() > Duration::from_secs(60) {
            last_told = Instant::now();
            writeln!(tell, "seed {seed}: {}", summary(&report))?;
        }
    }
    for ((model, precision), [proved, all]) in &report.proved {
        writeln!(tell, "{model} at precision {precision}: {proved} of {all} unreachable results proved unreachable")?;
    }
    let free = report.free;
    for (precision, proved) in &report.proved_free {
        writeln!(tell, "at precision {precision}: {proved} of {free} tests without a race proved to have none")?;
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
    let Report { tests, reached, skipped, racy, .. } = report;
    let wrong = report.wrong.len();
    let asked = format!("{reached} questions about what is reached, {racy} about races there are");
    format!("{tests} tests; {asked}; {skipped} outcome sets skipped; {wrong} false proofs")
}
