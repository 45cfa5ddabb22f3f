//! The oracle of threaded programs: random C and C++ programs with the syntax that users write, each run natively, under
//! random delays and with sanitizers, and compared with Heddle's answers. Native execution is independent of Heddle's
//! front end and of its models of library functions, which all engines share.

pub mod ast;
pub mod compare;
pub mod heddle;
pub mod make;
pub mod native;
pub mod print;
pub mod shrink;
mod surface;

pub use compare::{Limits, Tally, Violation};
pub use make::make;

use anyhow::{Context, Result};
use compare::Examiner;
use native::Native;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The plan of the oracle.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The first seed.
    pub seed: u64,
    /// The number of seeds.
    pub count: u64,
    /// The limits.
    pub limits: Limits,
    /// The directory for shrunk programs that break a law.
    pub out: Option<PathBuf>,
    /// Maximum number of tests for a shrinking.
    pub shrink_tests: usize,
}

/// The findings of the oracle.
#[derive(Clone, Default, Debug)]
pub struct Report {
    /// The number of programs examined.
    pub programs: u64,
    /// The number of programs with an answer to every question.
    pub decided: u64,
    /// The answers.
    pub tally: Tally,
    /// The reasons for unknown answers.
    pub unknown: BTreeMap<String, u64>,
    /// The number of outcomes seen natively, and of possible ones, in explored programs.
    pub outcomes: [usize; 2],
    /// Programs in which ThreadSanitizer and AddressSanitizer reported something.
    pub reported: [u64; 2],
    /// Seeds and the laws that their programs break.
    pub violations: Vec<(u64, Violation)>,
}

/// Runs the oracle, reporting line by line.
pub fn run(plan: &Plan, tell: &mut dyn Write) -> Result<Report> {
    let native = Native::new()?;
    native.check()?;
    let examiner = Examiner { native: &native, limits: plan.limits };
    let mut report = Report::default();
    let mut last_told = Instant::now();
    for seed in plan.seed..plan.seed.saturating_add(plan.count) {
        let program = make(seed);
        let found = examiner.examine(&program, seed, None).with_context(|| format!("seed {seed}"))?;
        report.programs += 1;
        report.decided += u64::from(found.is_decided());
        for (question, counts) in &found.tally {
            let totals = report.tally.entry(*question).or_default();
            totals.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
        }
        for (reason, count) in &found.unknown {
            writeln!(tell, "seed {seed}: unknown: {reason}")?;
            *report.unknown.entry(reason.clone()).or_default() += count;
        }
        report.outcomes.iter_mut().zip(found.outcomes).for_each(|(total, count)| *total += count);
        report.reported.iter_mut().zip(found.reported).for_each(|(total, one)| *total += u64::from(one));
        for violation in found.violations {
            writeln!(tell, "seed {seed}: {violation}")?;
            let small = shrink::shrink(&program, plan.shrink_tests, &mut |candidate| {
                let again = examiner.examine(candidate, seed, Some(violation.law));
                again.is_ok_and(|again| again.violations.iter().any(|one| one.law == violation.law))
            });
            let comment = format!("shrunk from: cargo xtask threads --seed {seed}\n{violation}");
            write_out(plan, seed, &violation, &print::print(&small, &comment), small.is_cxx(), tell)?;
            report.violations.push((seed, violation));
        }
        if last_told.elapsed() > Duration::from_secs(10) {
            last_told = Instant::now();
            writeln!(tell, "{}", summary(&report))?;
        }
    }
    write_table(&report, tell)?;
    Ok(report)
}

fn write_table(report: &Report, tell: &mut dyn Write) -> Result<()> {
    for (reason, count) in &report.unknown {
        writeln!(tell, "{count:6} unknown: {reason}")?;
    }
    writeln!(tell, "{:20} {:10} {:>8} {:>8} {:>8}", "programs", "question", "unsafe", "safe", "unknown")?;
    for ((kind, question), [first, safe, unknown]) in &report.tally {
        writeln!(tell, "{kind:20} {:10} {first:8} {safe:8} {unknown:8}", format!("{question:?}"))?;
    }
    let [seen, reached] = report.outcomes;
    writeln!(tell, "outcomes (unsafe: explored completely): {seen} seen natively, {reached} can be")?;
    let [thread, address] = report.reported;
    writeln!(tell, "reports: {thread} by ThreadSanitizer, {address} by AddressSanitizer")?;
    writeln!(tell, "{}", summary(report))?;
    Ok(())
}

fn summary(report: &Report) -> String {
    let violations = report.violations.len();
    format!("{} programs, {} decided, {violations} violations", report.programs, report.decided)
}

fn write_out(plan: &Plan, seed: u64, broken: &Violation, text: &str, is_cxx: bool, tell: &mut dyn Write) -> Result<()> {
    match &plan.out {
        None => writeln!(tell, "{text}")?,
        Some(dir) => {
            std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
            let extension = if is_cxx { "cpp" } else { "c" };
            let path = dir.join(format!("seed-{seed}-{:?}.{extension}", broken.law).to_lowercase());
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            writeln!(tell, "  written to {}", path.display())?;
        }
    }
    Ok(())
}
