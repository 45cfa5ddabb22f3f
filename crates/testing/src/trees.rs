//! Trees of the engine `impact` for litmus tests, which are made in the core form, without a compiler, so that tens of
//! thousands can be tried. The engine must not prove a reachable outcome unreachable, nor report an unreachable one,
//! and its proofs must check; the same for races, deadlocks or misuse of locks. The seed chooses the memory model and
//! the search strategy.
//!
//! The same with a necessary part of the method switched off ([`Ablation`]): then there must be false proofs, and the
//! checker must reject them. A false proof that is accepted is reported separately, as a miss of the checker.

use crate::outcomes::litmus::{self, Litmus, Shape};
use crate::programs::rng::Rng;
use crate::proofs::{is_violated, results};
use anyhow::Result;
use base::Budget;
use check::{Options, ReasonKind, Task, Verdict};
use engines::impact::{self, decides_under, Ablation, Reduction, SearchOrder, TrackAfter};
use ir::{MemoryModel, Program, Property};
use std::io::Write;
use std::time::{Duration, Instant};

/// The number of attempts to combine results into some that are not reachable.
const MIXES: usize = 8;

/// The part that is switched off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Nothing.
    None,
    /// A covering does not expand what the covered node would have expanded.
    CoverExpansion,
    /// Uncovered nodes do not return to the queue.
    Requeueing,
    /// Threads are skipped regardless of their numbers.
    SkipOrder,
    /// A covering that closes a loop does not expand anything: this stands in for the loop condition of the paper's
    /// skip rule.
    SkipLoop,
    /// Labels do not record that accesses do not alias.
    Alias,
}

impl std::str::FromStr for Fault {
    type Err = String;
    fn from_str(text: &str) -> Result<Fault, String> {
        match text {
            "none" => Ok(Fault::None),
            "cover-expansion" => Ok(Fault::CoverExpansion),
            "requeueing" => Ok(Fault::Requeueing),
            "skip-order" => Ok(Fault::SkipOrder),
            "skip-loop" => Ok(Fault::SkipLoop),
            "alias" => Ok(Fault::Alias),
            _ => Err(format!("`{text}` is none of none, cover-expansion, requeueing, skip-order, skip-loop, alias")),
        }
    }
}

impl Fault {
    fn ablation(self) -> Ablation {
        Ablation {
            lacks_cover_expansion: self == Fault::CoverExpansion,
            lacks_requeueing: self == Fault::Requeueing,
            lacks_order: self == Fault::SkipOrder,
            lacks_loop_expansion: self == Fault::SkipLoop,
            lacks_alias_labels: self == Fault::Alias,
            has_loop_condition: false,
        }
    }

    /// The contents that tests need so that the fault can matter.
    pub fn shape(self, shape: Shape) -> Shape {
        Shape { endless: shape.endless || self == Fault::SkipLoop, cells: shape.cells || self == Fault::Alias, ..shape }
    }
}

/// The findings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The number of tests.
    pub tests: u64,
    /// The numbers of questions answered safe, unsafe, unknown.
    pub answers: [u64; 3],
    /// Tests that could not be explored in time.
    pub skipped: u64,
    /// Proofs that the checker rejected.
    pub refused: u64,
    /// Wrong answers.
    pub wrong: u64,
    /// With a fault: false proofs, as long as they are not checked.
    pub false_proofs: u64,
}

/// The search strategy, by the seed.
fn modes(seed: u64, check_proof: bool) -> impact::Options {
    let reductions = [Reduction::Dynamic, Reduction::Static, Reduction::Dynamic, Reduction::None];
    impact::Options {
        reduction: reductions[(seed / 2 % 4) as usize],
        force_cover: seed.is_multiple_of(2),
        order: match seed % 7 {
            3 => SearchOrder::Breadth,
            5 => SearchOrder::Distance,
            _ => SearchOrder::Depth,
        },
        track_after: track_after(seed),
        check_proof,
    }
}

/// When variables become tracked explicitly, by the seed.
pub(crate) fn track_after(seed: u64) -> TrackAfter {
    match seed % 5 {
        0 => TrackAfter(Some(0)),
        1 => TrackAfter(Some(3)),
        2 => TrackAfter(None),
        _ => TrackAfter::DEFAULT,
    }
}

/// The memory model for a seed; faults are tested under sc.
fn model(seed: u64, fault: Fault) -> MemoryModel {
    let known: Vec<MemoryModel> = MemoryModel::ALL.into_iter().filter(|&model| decides_under(model)).collect();
    match fault {
        Fault::None => known[(seed % known.len() as u64) as usize],
        _ => MemoryModel::Sc,
    }
}

fn solve(
    program: &Program,
    (property, model): (Property, MemoryModel),
    modes: impact::Options,
    fault: Fault,
    time: Duration,
) -> Verdict {
    let options = Options { strengthen_relaxed: true, ..Options::default() }.with(modes).with(fault.ablation());
    let budget = Budget::new(Some(time), None);
    let task = Task { program, property, model, options, budget, race_free: Default::default() };
    plan::solve(&task, &impact::Impact, false).outcome.verdict
}

/// The context of a question: the seed, the fault, and the time limit.
#[derive(Clone, Copy)]
struct Asker {
    seed: u64,
    fault: Fault,
    timeout: Duration,
}

/// Asks about one outcome or property; returns the error in the answer.
fn ask(program: &Program, property: Property, is_reached: bool, asker: Asker, report: &mut Report) -> Option<String> {
    let Asker { seed, fault, timeout } = asker;
    let question = (property, model(seed, fault));
    if fault != Fault::None && is_reached {
        let is_proved = matches!(solve(program, question, modes(seed, false), fault, timeout), Verdict::Safe(_));
        report.false_proofs += u64::from(is_proved);
    }
    let verdict = solve(program, question, modes(seed, true), fault, timeout);
    match &verdict {
        Verdict::Safe(_) => report.answers[0] += 1,
        Verdict::Unsafe(_) => report.answers[1] += 1,
        Verdict::Unknown(_) => report.answers[2] += 1,
    }
    let (is_wrong, detail) = match verdict {
        Verdict::Safe(_) => (is_reached, "safe, and it is reached".to_owned()),
        Verdict::Unsafe(_) => (!is_reached, "unsafe, and it is not reached".to_owned()),
        Verdict::Unknown(reasons) => {
            if let Some(reason) = reasons.iter().find(|reason| reason.kind == ReasonKind::ProofRefused) {
                report.refused += 1;
                return Some(reason.detail.clone());
            }
            match reasons.into_iter().find(|reason| reason.kind == ReasonKind::Validation) {
                // With a fault, runs are not followed.
                Some(reason) => (fault == Fault::None, reason.detail),
                None => (false, String::new()),
            }
        }
    };
    report.wrong += u64::from(is_wrong);
    is_wrong.then_some(detail)
}

/// The errors in the answers about a test.
fn examine(test: &Litmus, asker: Asker, report: &mut Report) -> Option<String> {
    let wrong = wrong_result(test, asker, report);
    if wrong.is_some() || asker.fault != Fault::None {
        return wrong;
    }
    wrong_answer(test, asker, report)
}

/// The error in the answer about another property.
fn wrong_answer(test: &Litmus, asker: Asker, report: &mut Report) -> Option<String> {
    let program = test.program();
    let property = [Property::Race, Property::Deadlock, Property::Locks][(asker.seed / 3 % 3) as usize];
    let Some(is_violated) = is_violated(&program, property, model(asker.seed, asker.fault), asker.timeout) else {
        report.skipped += 1;
        return None;
    };
    ask(&program, property, is_violated, asker, report).map(|wrong| format!("{property}: {wrong}"))
}

/// The errors in the answers about the reachability of results.
fn wrong_result(test: &Litmus, asker: Asker, report: &mut Report) -> Option<String> {
    let Asker { seed, fault, timeout } = asker;
    let Some((reached, fails)) = results(test, model(seed, fault), timeout) else {
        report.skipped += 1;
        return None;
    };
    if fails {
        return ask(&test.program(), Property::Unreach, true, asker, report);
    }
    let all: Vec<&Vec<u128>> = reached.iter().collect();
    let mut rng = Rng::new(seed);
    let one = (!all.is_empty()).then(|| all[rng.between(0, all.len() - 1)])?;
    if let Some(wrong) = ask(&test.excluding(one), Property::Unreach, true, asker, report) {
        return Some(format!("{one:x?}: {wrong}"));
    }
    // Results of different runs, combined, or one with a bit flipped.
    let mut mix = || (0..one.len()).map(|index| all[rng.between(0, all.len() - 1)][index]).collect();
    let mixed: Option<Vec<u128>> = (0..MIXES).map(|_| mix()).find(|mixed| !reached.contains(mixed));
    let turned = (0..one.len()).map(|index| {
        let mut turned = one.clone();
        turned[index] ^= 1;
        turned
    });
    let mixed = mixed.or_else(|| turned.into_iter().find(|turned| !reached.contains(turned)))?;
    let wrong = ask(&test.excluding(&mixed), Property::Unreach, false, asker, report)?;
    Some(format!("{mixed:x?}: {wrong}"))
}

fn shrink(test: &Litmus, asker: Asker) -> Litmus {
    let mut small = test.clone();
    let is_wrong = |test: &Litmus| examine(test, asker, &mut Report::default()).is_some();
    while let Some(smaller) = small.smaller().into_iter().find(is_wrong) {
        small = smaller;
    }
    small
}

/// Examines random tests, reporting line by line. With a fault it stops once a proof was rejected and a false proof was
/// made.
pub fn run(
    seeds: std::ops::Range<u64>,
    shape: Shape,
    fault: Fault,
    timeout: Duration,
    tell: &mut dyn Write,
) -> Result<Report> {
    let mut report = Report::default();
    let mut last_told = Instant::now();
    for seed in seeds {
        let test = litmus::random(seed, shape);
        report.tests += 1;
        let asker = Asker { seed, fault, timeout };
        let wrong = examine(&test, asker, &mut report);
        match (wrong, fault) {
            (Some(wrong), Fault::None) => {
                let small = shrink(&test, asker);
                let shown = examine(&small, asker, &mut Report::default()).unwrap_or(wrong);
                let how = (model(seed, fault), modes(seed, true));
                writeln!(tell, "seed {seed} ({how:?}): {shown}\n{small}")?;
            }
            (Some(wrong), _) => writeln!(tell, "seed {seed} ({:?}): {wrong}", modes(seed, true))?,
            (None, _) => {}
        }
        if fault != Fault::None && report.refused > 0 && report.false_proofs > 0 {
            break;
        }
        if last_told.elapsed() > Duration::from_secs(30) {
            last_told = Instant::now();
            writeln!(tell, "seed {seed}: {}", summary(&report))?;
        }
    }
    writeln!(tell, "{}", summary(&report))?;
    Ok(report)
}

fn summary(report: &Report) -> String {
    let Report { tests, answers: [safe, violated, unknown], skipped, refused, wrong, false_proofs } = report;
    let answers = format!("{safe} safe, {violated} unsafe, {unknown} unknown");
    let defects = format!("{refused} proofs refused; {wrong} answers false, {false_proofs} if nobody checks");
    format!("{tests} tests; {answers}; {skipped} not explored; {defects}")
}
