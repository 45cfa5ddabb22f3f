//! Answers about litmus tests: an engine that is exact on programs without loops is asked about results of random
//! tests, under each memory model. It must not prove that a reachable result is unreachable, nor report an unreachable
//! one; its runs must be replayable. It is also asked about races, deadlocks and misuse of locks. Unknown answers are
//! counted.
//!
//! Programs are made in the core form, without a compiler, so that tens of thousands can be tried.

use crate::outcomes::litmus::{self, Litmus, Shape};
use crate::programs::rng::Rng;
use crate::proofs::{is_violated, results};
use anyhow::Result;
use base::Budget;
use check::{Options, ReasonKind, Task, Verdict};
use engines::interference::abstraction::{Abstraction, Shape as Ways};
use engines::interference::try_out;
use engines::interference::{Form, Mode, Options as Interference};
use ir::{MemoryModel, Program, Property};
use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant};

/// The configurations of interference abstractions.
pub const MODES: [(&str, Mode, Form); 8] = [
    ("full", Mode::Full, Form::Order),
    ("over", Mode::Over, Form::Order),
    ("under", Mode::Under, Form::Order),
    ("mixed", Mode::Mixed, Form::Order),
    ("clock-full", Mode::Full, Form::Clock),
    ("clock-over", Mode::Over, Form::Clock),
    ("clock-under", Mode::Under, Form::Clock),
    ("clock-mixed", Mode::Mixed, Form::Clock),
];

/// The engine and its options.
#[derive(Clone)]
pub struct Subject {
    /// The engine.
    pub engine: &'static dyn check::Engine,
    /// Its options.
    pub options: Options,
}

impl Subject {
    /// An engine, or interference abstractions in one of their configurations.
    pub fn named(mode: Option<&str>) -> Option<Subject> {
        let mut options = Options { strengthen_relaxed: true, ..Options::default() };
        let name = match mode {
            None => "staged",
            Some(mode) => {
                let (_, mode, form) = *MODES.iter().find(|(name, ..)| *name == mode)?;
                options = options.with(Interference { mode, form, ..Interference::default() });
                "interference"
            }
        };
        Some(Subject { engine: plan::engine_named(name)?, options })
    }

    /// Whether the model is supported.
    fn knows(&self, model: MemoryModel) -> bool {
        model.is_sequentially_consistent() || self.options.own::<Interference>().form == Form::Order
    }
}

/// The properties checked besides reachable results.
const PROPERTIES: [Property; 3] = [Property::Race, Property::Deadlock, Property::Locks];
/// The number of attempts to combine results into some that are not reachable.
const MIXES: usize = 8;

/// The findings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The number of tests.
    pub tests: u64,
    /// Under each model, the number of questions answered yes, no, unknown.
    pub answers: BTreeMap<(Property, MemoryModel), [u64; 3]>,
    /// Questions that could not be explored in time.
    pub skipped: u64,
    /// Wrong answers.
    pub wrong: Vec<String>,
}

/// Asks an engine a question with a known answer; returns the error in its reply.
fn ask(
    subject: &Subject,
    program: &Program,
    (property, model): (Property, MemoryModel),
    is_violated: bool,
    report: &mut Report,
) -> Option<String> {
    let budget = Budget::new(Some(Duration::from_secs(20)), None);
    let task =
        Task { program, property, model, options: subject.options.clone(), budget, race_free: Default::default() };
    let verdict = plan::solve(&task, subject.engine, false).outcome.verdict;
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

/// Wrong answers about the reachability of results.
fn wrong_results(
    subject: &Subject,
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
        return ask(subject, &test.program(), question, true, report).into_iter().collect();
    }
    let all: Vec<&Vec<u128>> = reached.iter().collect();
    if all.is_empty() {
        return Vec::new();
    }
    let mut rng = Rng::new(seed);
    let one = all[rng.between(0, all.len() - 1)];
    let mut wrong: Vec<String> = ask(subject, &test.excluding(one), question, true, report).into_iter().collect();
    // Results of different runs, combined.
    let mut mix = || (0..one.len()).map(|index| all[rng.between(0, all.len() - 1)][index]).collect();
    let mixed: Option<Vec<u128>> = (0..MIXES).map(|_| mix()).find(|mixed| !reached.contains(mixed));
    if let Some(mixed) = mixed {
        wrong.extend(ask(subject, &test.excluding(&mixed), question, false, report));
    }
    wrong
}

/// A wrong answer about another property.
fn wrong_answer(
    subject: &Subject,
    test: &Litmus,
    (property, model): (Property, MemoryModel),
    timeout: Duration,
    report: &mut Report,
) -> Option<String> {
    let program = test.program();
    let Some(is_violated) = is_violated(&program, property, model, timeout) else {
        report.skipped += 1;
        return None;
    };
    ask(subject, &program, (property, model), is_violated, report)
}

/// All errors of an engine about a test under a model. One of the other properties is checked too.
fn wrong_about(
    subject: &Subject,
    test: &Litmus,
    (seed, model): (u64, MemoryModel),
    timeout: Duration,
    report: &mut Report,
) -> Vec<String> {
    let mut wrong = wrong_results(subject, test, (seed, model), timeout, report);
    let property = PROPERTIES[(seed % PROPERTIES.len() as u64) as usize];
    wrong.extend(wrong_answer(subject, test, (property, model), timeout, report));
    wrong
}

/// Examines random tests, reporting line by line.
pub fn run(
    subject: &Subject,
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
        for model in MemoryModel::ALL.into_iter().filter(|&model| subject.knows(model)) {
            let wrong = wrong_about(subject, &test, (seed, model), timeout, &mut report);
            if !wrong.is_empty() {
                let is_wrong = |test: &Litmus| {
                    !wrong_about(subject, test, (seed, model), timeout, &mut Report::default()).is_empty()
                };
                let mut small = test.clone();
                while let Some(smaller) = small.smaller().into_iter().find(is_wrong) {
                    small = smaller;
                }
                let shown = wrong_about(subject, &small, (seed, model), timeout, &mut Report::default());
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

/// The four lemmas of interference abstractions (POPL 2011), for a random abstraction of a random test: returns those
/// that do not hold. The question is whether a reachable or unreachable result is reachable. `None` if time ran out.
pub fn broken_lemmas(seed: u64, shape: Shape, timeout: Duration) -> Option<Vec<String>> {
    let test = litmus::random(seed, shape);
    let mut rng = Rng::new(seed);
    let model = MemoryModel::ALL[(seed % MemoryModel::ALL.len() as u64) as usize];
    let (reached, _) = results(&test, model, timeout)?;
    let all: Vec<&Vec<u128>> = reached.iter().collect();
    let first = all.first()?;
    let mixed: Vec<u128> = (0..first.len()).map(|index| all[rng.between(0, all.len() - 1)][index]).collect();
    let program = test.excluding(&mixed);
    // Every other test uses the clock form, which is for sc.
    let form = if model.is_sequentially_consistent() && seed % 8 < 4 { Form::Clock } else { Form::Order };
    let interference = Interference { form, ..Interference::default() };
    let options = Options { strengthen_relaxed: true, ..Options::default() }.with(interference);
    let budget = Budget::new(Some(Duration::from_secs(20)), None);
    let task =
        Task { program: &program, property: Property::Unreach, model, options, budget, race_free: Default::default() };
    let mut tried = Abstraction::weakest(&vec![]);
    let found = try_out(&task, &mut |shape| {
        tried = random_abstraction(&mut rng, shape);
        tried.clone()
    });
    let found = found.ok()?;
    let lemmas = [
        (1, tried.is_over() && found.is_program_violated && !found.is_violated),
        (2, tried.is_under() && found.is_violated && !found.is_program_violated),
        (3, found.is_consistent && !found.is_program_violated),
        (4, found.is_valid && found.is_program_violated),
        // A reachable result.
        (0, found.is_program_violated != reached.contains(&mixed)),
    ];
    let broken = lemmas.into_iter().filter(|(_, is_broken)| *is_broken);
    let told = |(lemma, _)| format!("seed {seed} under {model}: lemma {lemma}: {found:?}\n{tried}{test}");
    Some(broken.map(told).collect())
}

/// A random abstraction; often an over- or under-approximation.
fn random_abstraction(rng: &mut Rng, shape: &Ways) -> Abstraction {
    let mut made = Abstraction::weakest(shape);
    let kind = rng.between(0, 2);
    for (read, ways) in shape.iter().enumerate() {
        if kind == 1 || rng.between(0, 1) == 0 {
            made.add_read(read);
        }
        for (way, &rivals) in ways.iter().enumerate() {
            let is_linked = kind == 0 || rng.between(0, 2) > 0;
            made.set_link(read, way, is_linked);
            let is_whole = kind == 1 && is_linked;
            if is_whole || rng.between(0, 1) == 0 {
                made.add_pair(read, way);
            }
            for rival in 0..rivals {
                if is_whole || rng.between(0, 1) == 0 {
                    made.add_triple(read, way, rival);
                }
            }
        }
    }
    made
}

fn summary(report: &Report) -> String {
    let asked: u64 = report.answers.values().flatten().sum();
    let (tests, skipped, wrong) = (report.tests, report.skipped, report.wrong.len());
    format!("{tests} tests; {asked} questions; {skipped} skipped; {wrong} wrong answers")
}
