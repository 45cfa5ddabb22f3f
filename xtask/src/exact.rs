//! Answers about litmus tests: an engine that is exact where programs have no loops is asked about results of random tests,
//! under each memory model. Of one that exploration reaches it must not say that it cannot be, and of one that is not reached
//! not that it can; what it finds must be replayed. Then about races, deadlocks and misuse of locks. How often it has no
//! answer is counted.
//!
//! Programs are made in the core form, without a compiler, so that tens of thousands can be tried.

use crate::outcomes::litmus::{self, Litmus, Shape};
use crate::programs::rng::Rng;
use crate::proofs::results;
use anyhow::Result;
use base::Budget;
use check::{Options, ReasonKind, Task, Verdict};
use ir::{MemoryModel, Program, Property};
use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant};

const MODELS: [MemoryModel; 4] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso, MemoryModel::Ra];
/// What is asked besides which results are reached.
const PROPERTIES: [Property; 3] = [Property::Race, Property::Deadlock, Property::Locks];
/// So often results are put together to find some that are not reached.
const MIXES: usize = 8;

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// How many tests there were.
    pub tests: u64,
    /// Under each model, how many questions had the answer yes, no, none.
    pub answers: BTreeMap<(Property, MemoryModel), [u64; 3]>,
    /// Questions that could not be explored in time.
    pub skipped: u64,
    /// Wrong answers.
    pub wrong: Vec<String>,
}

/// Asks an engine a question whose answer is known; what is wrong with what it says.
fn ask(
    engine: &'static dyn check::Engine,
    program: &Program,
    (property, model): (Property, MemoryModel),
    is_violated: bool,
    report: &mut Report,
) -> Option<String> {
    let options = Options { strengthen_relaxed: true, ..Options::default() };
    let budget = Budget::new(Some(Duration::from_secs(20)), None);
    let task = Task { program, property, model, options, budget };
    let verdict = plan::solve(&task, engine, false).outcome.verdict;
    let counts = report.answers.entry((property, model)).or_default();
    match verdict {
        Verdict::Unsafe(_) => {
            counts[0] += 1;
            (!is_violated).then(|| format!("{property} under {model}: unsafe, which exploration denies"))
        }
        Verdict::Safe(_) => {
            counts[1] += 1;
            is_violated.then(|| format!("{property} under {model}: safe, which exploration denies"))
        }
        Verdict::Unknown(reasons) => {
            counts[2] += 1;
            let defect = reasons.into_iter().find(|reason| reason.kind == ReasonKind::Validation);
            defect.map(|reason| format!("{property} under {model}: {}", reason.detail))
        }
    }
}

/// Wrong answers about which results are reached.
fn wrong_results(
    engine: &'static dyn check::Engine,
    test: &Litmus,
    (seed, model): (u64, MemoryModel),
    timeout: Duration,
    report: &mut Report,
) -> Vec<String> {
    let Some((reached, fails)) = results(test, model, timeout) else {
        report.skipped += 1;
        return Vec::new();
    };
    let question = (Property::Unreach, model);
    if fails {
        return ask(engine, &test.program(), question, true, report).into_iter().collect();
    }
    let all: Vec<&Vec<u128>> = reached.iter().collect();
    if all.is_empty() {
        return Vec::new();
    }
    let mut rng = Rng::new(seed);
    let one = all[rng.between(0, all.len() - 1)];
    let mut wrong: Vec<String> = ask(engine, &test.excluding(one), question, true, report).into_iter().collect();
    // Results of different runs, put together.
    let mut mix = || (0..one.len()).map(|index| all[rng.between(0, all.len() - 1)][index]).collect();
    let mixed: Option<Vec<u128>> = (0..MIXES).map(|_| mix()).find(|mixed| !reached.contains(mixed));
    if let Some(mixed) = mixed {
        wrong.extend(ask(engine, &test.excluding(&mixed), question, false, report));
    }
    wrong
}

/// A wrong answer about another property.
fn wrong_answer(
    engine: &'static dyn check::Engine,
    test: &Litmus,
    (property, model): (Property, MemoryModel),
    timeout: Duration,
    report: &mut Report,
) -> Option<String> {
    let program = test.program();
    let config = interp::Config { model, property, inputs: interp::InputDomain::default() };
    let machine = interp::Machine::new(&program, config);
    let options = interp::ExploreOptions { reduction: true, max_depth: None };
    let budget = Budget::new(Some(timeout), None);
    let is_violated = match interp::explore(&machine, &options, &budget).result {
        interp::Explored::Violated { .. } => true,
        interp::Explored::Exhausted => false,
        interp::Explored::Stopped(_) => {
            report.skipped += 1;
            return None;
        }
    };
    ask(engine, &program, (property, model), is_violated, report)
}

/// Everything wrong that an engine says about a test under a model. One of the other properties is asked about, too.
fn wrong_about(
    engine: &'static dyn check::Engine,
    test: &Litmus,
    (seed, model): (u64, MemoryModel),
    timeout: Duration,
    report: &mut Report,
) -> Vec<String> {
    let mut wrong = wrong_results(engine, test, (seed, model), timeout, report);
    let property = PROPERTIES[(seed % PROPERTIES.len() as u64) as usize];
    wrong.extend(wrong_answer(engine, test, (property, model), timeout, report));
    wrong
}

/// Examines random tests, telling about it line by line.
pub fn run(
    engine: &'static dyn check::Engine,
    seeds: std::ops::Range<u64>,
    shape: Shape,
    timeout: Duration,
    tell: &mut dyn Write,
) -> Result<Report> {
    let mut report = Report::default();
    let mut last_told = Instant::now();
    for seed in seeds {
        let test = litmus::random(seed, shape);
        report.tests += 1;
        for model in MODELS {
            let wrong = wrong_about(engine, &test, (seed, model), timeout, &mut report);
            if !wrong.is_empty() {
                let is_wrong = |test: &Litmus| {
                    !wrong_about(engine, test, (seed, model), timeout, &mut Report::default()).is_empty()
                };
                let mut small = test.clone();
                while let Some(smaller) = small.smaller().into_iter().find(is_wrong) {
                    small = smaller;
                }
                let shown = wrong_about(engine, &small, (seed, model), timeout, &mut Report::default());
                writeln!(tell, "seed {seed}: {}\n{small}", shown.join("; "))?;
                report.wrong.extend(wrong);
            }
        }
        if last_told.elapsed() > Duration::from_secs(60) {
            last_told = Instant::now();
            writeln!(tell, "seed {seed}: {}", summary(&report))?;
        }
    }
    for ((property, model), [violated, safe, unknown]) in &report.answers {
        writeln!(tell, "{property} under {model}: {violated} unsafe, {safe} safe, {unknown} unknown")?;
    }
    writeln!(tell, "{}", summary(&report))?;
    Ok(report)
}

fn summary(report: &Report) -> String {
    let asked: u64 = report.answers.values().flatten().sum();
    let (tests, skipped, wrong) = (report.tests, report.skipped, report.wrong.len());
    format!("{tests} tests; {asked} questions; {skipped} skipped; {wrong} wrong answers")
}
