//! Outcome sets: the interpreter must reach exactly the outcomes that the axioms allow, and the sets must obey the laws
//! between memory models. Disagreements are shrunk and reported.

pub mod interpreter;
pub mod litmus;

use crate::programs::{self, ast, Settings};
use anyhow::Result;
use axiomatic::{Failure, Outcome, Outcomes};
use base::Budget;
use front::LoadOptions;
use ir::{EdgeId, FunctionId, MemoryModel, ObjectId, Order, Program};
use litmus::{Litmus, Shape, Statement};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Write;
use std::time::{Duration, Instant};

/// A broken law, or outcomes of only one side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disagreement {
    /// The sets and the model, in words.
    pub what: String,
    /// Outcomes of the first only.
    pub first_only: BTreeSet<Outcome>,
    /// Outcomes of the second only.
    pub second_only: BTreeSet<Outcome>,
}

impl Disagreement {
    /// In words, with the names of the program.
    pub fn describe(&self, program: &Program) -> String {
        let mut text = self.what.clone();
        for (side, outcomes) in [("first", &self.first_only), ("second", &self.second_only)] {
            for outcome in outcomes.iter().take(3) {
                text += &format!("\n  only the {side}: {}", describe(program, outcome));
            }
            if outcomes.len() > 3 {
                text += &format!("\n  … {} more", outcomes.len() - 3);
            }
        }
        text
    }
}

/// An outcome in words; objects that are zero are left out.
pub fn describe(program: &Program, outcome: &Outcome) -> String {
    let place = |(function, edge): &(FunctionId, EdgeId)| {
        let stmt = &program.functions[*function].edges[*edge].stmt;
        format!("{}: {}", program.functions[*function].name, ir::print::print_stmt(program, *function, stmt))
    };
    match outcome {
        Outcome::Failed(at) => format!("failed at {}", place(at)),
        Outcome::Stuck(at) => format!("stuck at {}", at.iter().map(place).collect::<Vec<_>>().join("; ")),
        Outcome::Finished(finals) => {
            let number = |bytes: &[u8]| bytes.iter().rev().fold(0u128, |number, byte| number << 8 | u128::from(*byte));
            let shown = finals.iter().filter(|(_, bytes)| number(bytes) != 0);
            let shown = shown.map(|(id, bytes)| format!(" {}={:#x}", program.objects[*id].name, number(bytes)));
            format!("finished with{}", shown.collect::<String>())
        }
    }
}

/// The result of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// Both have these.
    Equal(Outcomes),
    /// One side has no answer.
    Skipped(String),
    /// They differ.
    Different(Disagreement),
}

/// Compares the axioms with exhaustive exploration, with and without its reduction.
pub fn compare(program: &Program, model: MemoryModel, timeout: Duration) -> Comparison {
    let axioms = match axiomatic::outcomes(program, model, &Budget::new(Some(timeout), None)) {
        Ok(axioms) => axioms,
        Err(failure @ (Failure::Unsupported(_) | Failure::Stopped(_))) => {
            return Comparison::Skipped(failure.to_string())
        }
    };
    for reduction in [false, true] {
        let budget = Budget::new(Some(timeout), None);
        let mut explored = match interpreter::outcomes(program, model, reduction, &axioms.observed, &budget) {
            Ok(explored) => explored,
            Err(message) => return Comparison::Skipped(message),
        };
        if reduction && explored.iter().any(is_failure) {
            // The reduction keeps some failure if there is one, but a thread that is about to fail need not wait for
            // others.
            explored.extend(axioms.outcomes.iter().filter(|outcome| is_failure(outcome)).cloned());
        }
        let with = if reduction { "with" } else { "without" };
        let what = format!("{model}: the axioms (first) and exploration {with} reduction (second) differ");
        if let Some(disagreement) = equality(what, &axioms.outcomes, &explored) {
            return Comparison::Different(disagreement);
        }
    }
    Comparison::Equal(axioms)
}

fn is_failure(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Failed(_))
}

fn equality(what: String, first: &BTreeSet<Outcome>, second: &BTreeSet<Outcome>) -> Option<Disagreement> {
    let first_only: BTreeSet<Outcome> = first.difference(second).cloned().collect();
    let second_only: BTreeSet<Outcome> = second.difference(first).cloned().collect();
    let differ = !first_only.is_empty() || !second_only.is_empty();
    differ.then_some(Disagreement { what, first_only, second_only })
}

fn inclusion(what: String, smaller: &BTreeSet<Outcome>, larger: &BTreeSet<Outcome>) -> Option<Disagreement> {
    let first_only: BTreeSet<Outcome> = smaller.difference(larger).cloned().collect();
    (!first_only.is_empty()).then_some(Disagreement { what, first_only, second_only: BTreeSet::new() })
}

/// The findings about one test.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Examination {
    /// The number of comparisons.
    pub compared: u64,
    /// The sum of the sizes of the outcome sets.
    pub outcomes: u64,
    /// Reasons for skipped comparisons.
    pub skipped: Vec<String>,
    /// Disagreements.
    pub disagreements: Vec<Disagreement>,
}

/// Compares the sides under every model, and checks the laws.
pub fn examine(test: &Litmus, seed: u64, timeout: Duration) -> Examination {
    let program = test.program();
    let mut examination = Examination::default();
    let mut sets = BTreeMap::new();
    for model in MemoryModel::ALL {
        match compare(&program, model, timeout) {
            Comparison::Equal(outcomes) => {
                examination.compared += 1;
                examination.outcomes += outcomes.outcomes.len() as u64;
                sets.insert(model, outcomes);
            }
            Comparison::Skipped(message) => examination.skipped.push(format!("{model}: {message}")),
            Comparison::Different(disagreement) => examination.disagreements.push(disagreement),
        }
    }
    examination.disagreements.extend(laws_between_models(test, &sets));
    for (model, outcomes) in &sets {
        examination.disagreements.extend(laws_of_change(test, seed, *model, outcomes, timeout));
    }
    examination
}

/// A weaker model allows the outcomes of a stronger one. Not ra with seq_cst loads: it puts a fence before each, tso
/// does not.
fn laws_between_models(test: &Litmus, sets: &BTreeMap<MemoryModel, Outcomes>) -> Vec<Disagreement> {
    let has_fenced_load = test.any(&|statement| matches!(statement, Statement::Load { order: Order::SeqCst, .. }));
    let mut broken = Vec::new();
    for (stronger, smaller) in sets {
        for weaker in stronger.next_weaker().iter().filter(|weaker| !weaker.strengthens_atomics() || !has_fenced_load) {
            let within = |larger: &Outcomes| {
                inclusion(format!("law: {stronger} within {weaker}"), &smaller.outcomes, &larger.outcomes)
            };
            broken.extend(sets.get(weaker).and_then(within));
        }
    }
    broken
}

/// A fence only removes outcomes; the order of threads does not matter. For runs that finish: other outcomes name
/// statements, whose numbers change.
fn laws_of_change(
    test: &Litmus,
    seed: u64,
    model: MemoryModel,
    outcomes: &Outcomes,
    timeout: Duration,
) -> Vec<Disagreement> {
    let finished = |program: &Program| {
        let budget = Budget::new(Some(timeout), None);
        axiomatic::outcomes(program, model, &budget).ok().map(|outcomes| finished(&outcomes.outcomes))
    };
    let before = self::finished(&outcomes.outcomes);
    let mut broken = Vec::new();
    if let Some(fenced) = finished(&litmus::with_fence(test, seed).program()) {
        broken.extend(inclusion(format!("law: {model}, a fence only removes outcomes"), &fenced, &before));
    }
    let rotated = test.rotated().program();
    if let Some(turned) = finished(&rotated) {
        let turned_back = turned.iter().map(|outcome| rotate_results(&rotated, test.threads.len(), outcome)).collect();
        broken.extend(equality(format!("law: {model}, the order of threads does not matter"), &before, &turned_back));
    }
    broken
}

fn finished(outcomes: &BTreeSet<Outcome>) -> BTreeSet<Outcome> {
    outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Finished(_))).cloned().collect()
}

/// Returns each thread's result to its original thread after a rotation.
fn rotate_results(program: &Program, threads: usize, outcome: &Outcome) -> Outcome {
    let Outcome::Finished(finals) = outcome else { return outcome.clone() };
    let results: Vec<ObjectId> =
        (0..threads).filter_map(|index| program.object_named(&format!("result{index}"))).collect();
    let back = |(id, contents): &(ObjectId, Vec<u8>)| match results.iter().position(|result| result == id) {
        Some(index) => (results[(index + 1) % threads], contents.clone()),
        None => (*id, contents.clone()),
    };
    let mut finals: Vec<(ObjectId, Vec<u8>)> = finals.iter().map(back).collect();
    finals.sort();
    Outcome::Finished(finals)
}

/// The smallest test that shows a disagreement in the same words, found by removing one thing at a time.
pub fn shrink(test: &Litmus, seed: u64, what: &str, timeout: Duration) -> Litmus {
    let shows = |test: &Litmus| examine(test, seed, timeout).disagreements.iter().any(|found| found.what == what);
    let mut test = test.clone();
    while let Some(smaller) = test.smaller().into_iter().find(&shows) {
        test = smaller;
    }
    test
}

/// The findings of a campaign.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The number of tests examined.
    pub tests: u64,
    /// The number of pairs of sets compared.
    pub compared: u64,
    /// The sum of the sizes of the outcome sets.
    pub outcomes: u64,
    /// The number of skipped comparisons.
    pub skipped: u64,
    /// The seeds whose tests show a disagreement.
    pub disagreements: Vec<(u64, Disagreement)>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { tests, compared, outcomes, skipped, .. } = self;
        let disagreements = self.disagreements.len();
        write!(f, "{tests} tests; {compared} comparisons of {outcomes} outcomes, {skipped} skipped; {disagreements} disagreements")
    }
}

/// Examines random tests, reporting line by line.
pub fn run(seeds: std::ops::Range<u64>, shape: Shape, timeout: Duration, tell: &mut dyn Write) -> Result<Report> {
    let mut report = Report::default();
    let mut last_told = Instant::now();
    for seed in seeds {
        let test = litmus::random(seed, shape);
        let examination = examine(&test, seed, timeout);
        report.tests += 1;
        report.compared += examination.compared;
        report.outcomes += examination.outcomes;
        report.skipped += examination.skipped.len() as u64;
        for message in examination.skipped {
            writeln!(tell, "seed {seed}: skipped: {message}")?;
        }
        if let Some(first) = examination.disagreements.first() {
            let small = shrink(&test, seed, &first.what, timeout);
            writeln!(tell, "seed {seed}: disagreement, shrunk to\n{small}")?;
            for found in examine(&small, seed, timeout).disagreements {
                writeln!(tell, "{}", found.describe(&small.program()))?;
            }
        }
        report.disagreements.extend(examination.disagreements.into_iter().map(|disagreement| (seed, disagreement)));
        if last_told.elapsed() > Duration::from_secs(10) {
            last_told = Instant::now();
            writeln!(tell, "seed {seed}: {report}")?;
        }
    }
    writeln!(tell, "{report}")?;
    Ok(report)
}

/// Compares the sides on random C programs, most of which the enumerator does not support, reporting line by line.
pub fn run_programs(
    seeds: std::ops::Range<u64>,
    settings: &Settings,
    timeout: Duration,
    tell: &mut dyn Write,
) -> Result<Report> {
    let load = |program: &ast::Program| {
        let text = programs::print(program, "");
        front::load_text("random.c", &text, &LoadOptions::default()).0
    };
    let mut report = Report::default();
    let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
    for seed in seeds {
        let random = programs::generate(seed, settings);
        let Some(program) = load(&random) else { continue };
        report.tests += 1;
        for model in MemoryModel::ALL {
            match compare(&program, model, timeout) {
                Comparison::Equal(outcomes) => {
                    report.compared += 1;
                    report.outcomes += outcomes.outcomes.len() as u64;
                }
                Comparison::Skipped(reason) => {
                    report.skipped += 1;
                    *reasons.entry(reason).or_default() += 1;
                }
                Comparison::Different(disagreement) => {
                    let small = programs::shrink(&random, 200, &mut |candidate| {
                        let compared = load(candidate).map(|program| compare(&program, model, timeout));
                        matches!(compared, Some(Comparison::Different(_)))
                    });
                    let text = programs::print(&small, &disagreement.what);
                    writeln!(tell, "seed {seed}: {}\n{text}", disagreement.describe(&program))?;
                    report.disagreements.push((seed, disagreement));
                }
            }
        }
    }
    for (reason, count) in &reasons {
        writeln!(tell, "skipped {count}: {reason}")?;
    }
    writeln!(tell, "{report}")?;
    Ok(report)
}
