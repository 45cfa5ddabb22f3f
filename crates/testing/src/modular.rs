//! Predicate abstraction of the engine `tar` on litmus tests that are explored as well, under `sc`: it must not prove a reachable outcome
//! unreachable, nor a racy test free of races. Proofs about unreachable outcomes and race-free tests are counted. The arguments that need
//! no predicates are left out.
//!
//! Programs are made in the core form, without a compiler, so that many can be tried.

use crate::outcomes::litmus::{self, Litmus, Shape};
use crate::programs::rng::Rng;
use crate::proofs::results;
use anyhow::Result;
use base::Budget;
use check::{Engine, Options, Task, Verdict};
use engines::tar::{self, Tar};
use ir::{MemoryModel, Program, Property};
use std::io::Write;
use std::time::{Duration, Instant};

/// The number of attempts to combine results into some that are not reachable.
const MIXES: usize = 8;
/// The time for one proof.
const TIME: Duration = Duration::from_secs(5);

/// The findings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The number of tests.
    pub tests: u64,
    /// The number of questions about reachable outcomes.
    pub reached: u64,
    /// The number of unreachable results proved unreachable, and of all of them.
    pub proved: [u64; 2],
    /// The same for results of one thread, asserted at its end.
    pub own: [u64; 2],
    /// The number of racy tests.
    pub racy: u64,
    /// The number of race-free tests proved race-free, and of all of them.
    pub free: [u64; 2],
    /// Tests that could not be explored in time.
    pub skipped: u64,
    /// False proofs.
    pub wrong: Vec<String>,
}

fn is_proved(program: &Program, property: Property) -> bool {
    let options = Options::default().with(tar::Options { no_facts: true, ..tar::Options::default() });
    let budget = Budget::new(Some(TIME), None);
    let task = Task { program, property, model: MemoryModel::Sc, options, budget, race_free: Default::default() };
    matches!(Tar.run(&task, &plan::TakingTurns).verdict, Verdict::Safe(_))
}

/// False proofs about the outcomes of a test.
fn wrong_about_outcomes(test: &Litmus, seed: u64, timeout: Duration, report: &mut Report) -> Vec<String> {
    let Some((reached, fails)) = results(test, MemoryModel::Sc, timeout) else {
        report.skipped += 1;
        return vec![];
    };
    if fails {
        let is_wrong = is_proved(&test.program(), Property::Unreach);
        return is_wrong.then(|| "an assertion that fails".to_owned()).into_iter().collect();
    }
    let all: Vec<&Vec<u128>> = reached.iter().collect();
    if all.is_empty() {
        return vec![];
    }
    let mut rng = Rng::new(seed);
    let one = all[rng.between(0, all.len() - 1)];
    report.reached += 1;
    let is_wrong = is_proved(&test.excluding(one), Property::Unreach);
    let mut mix = || (0..one.len()).map(|index| all[rng.between(0, all.len() - 1)][index]).collect();
    let mixed: Option<Vec<u128>> = (0..MIXES).map(|_| mix()).find(|mixed| !reached.contains(mixed));
    if let Some(mixed) = mixed {
        report.proved[0] += u64::from(is_proved(&test.excluding(&mixed), Property::Unreach));
        report.proved[1] += 1;
    }
    let mut wrong = Vec::new();
    wrong.extend(is_wrong.then(|| format!("{one:x?} is reached")));
    if !test.threads.is_empty() {
        let thread = rng.between(0, test.threads.len() - 1);
        let result = one[thread];
        report.reached += 1;
        let is_wrong = is_proved(&test.excluding_of(thread, result), Property::Unreach);
        wrong.extend(is_wrong.then(|| format!("{result:x} of thread{thread} is reached")));
        // Another value of one register: values are small.
        let place = 4 * rng.between(0, 3);
        let other = result & !(15 << place) | (rng.between(0, 4) as u128) << place;
        if all.iter().all(|results| results[thread] != other) {
            report.own[0] += u64::from(is_proved(&test.excluding_of(thread, other), Property::Unreach));
            report.own[1] += 1;
        }
    }
    wrong
}

/// False proofs about the races of a test.
fn wrong_about_races(test: &Litmus, timeout: Duration, report: &mut Report) -> Vec<String> {
    let program = test.program();
    let (model, inputs) = (MemoryModel::Sc, interp::InputDomain::default());
    let config =
        interp::Config { model, property: Property::Race, inputs, regions: vec![], race_free: Default::default() };
    let machine = interp::Machine::new(&program, config);
    let options = interp::ExploreOptions { reduction: true, max_depth: None };
    let is_racy = match interp::explore(&machine, &options, &Budget::new(Some(timeout), None)).result {
        interp::Explored::Violated { .. } => true,
        interp::Explored::Exhausted => false,
        interp::Explored::Stopped(_) => {
            report.skipped += 1;
            return vec![];
        }
    };
    let is_free = is_proved(&program, Property::Race);
    if is_racy {
        report.racy += 1;
        return is_free.then(|| "there is a race".to_owned()).into_iter().collect();
    }
    report.free[0] += u64::from(is_free);
    report.free[1] += 1;
    vec![]
}

/// Examines random tests, reporting line by line.
pub fn run(seeds: std::ops::Range<u64>, shape: Shape, timeout: Duration, tell: &mut dyn Write) -> Result<Report> {
    let mut report = Report::default();
    let mut last_told = Instant::now();
    for seed in seeds {
        let test = litmus::random(seed, shape);
        report.tests += 1;
        let mut wrong = wrong_about_outcomes(&test, seed, timeout, &mut report);
        wrong.extend(wrong_about_races(&test, timeout, &mut report));
        if !wrong.is_empty() {
            let small = shrink(&test, seed, timeout);
            writeln!(tell, "seed {seed}: proved and false: {}\n{small}", wrong.join("; "))?;
            report.wrong.extend(wrong);
        }
        if last_told.elapsed() > Duration::from_secs(60) {
            last_told = Instant::now();
            writeln!(tell, "seed {seed}: {report:?}")?;
        }
    }
    let Report { tests, reached, proved, own, racy, free, skipped, wrong } = &report;
    writeln!(
        tell,
        "{tests} tests, {skipped} explorations skipped; {reached} reached outcomes and {racy} races asked about"
    )?;
    writeln!(tell, "{} of {} unreachable results proved unreachable", proved[0], proved[1])?;
    writeln!(tell, "{} of {} results of a thread that it does not end with proved so", own[0], own[1])?;
    writeln!(tell, "{} of {} tests without a race proved to have none", free[0], free[1])?;
    writeln!(tell, "{} false proofs", wrong.len())?;
    Ok(report)
}

fn shrink(test: &Litmus, seed: u64, timeout: Duration) -> Litmus {
    let mut small = test.clone();
    let is_wrong = |test: &Litmus| {
        let mut report = Report::default();
        !wrong_about_outcomes(test, seed, timeout, &mut report).is_empty()
            || !wrong_about_races(test, timeout, &mut report).is_empty()
    };
    while let Some(smaller) = small.smaller().into_iter().find(is_wrong) {
        small = smaller;
    }
    small
}
