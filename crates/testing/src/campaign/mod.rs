//! Campaigns: random programs on which different ways to the same answer must agree. A disagreement is shrunk and
//! written out; it is a defect of Heddle (or of a law), never of the program.

mod atomicity;
mod engines;
pub mod facts;
mod interference;
pub mod laws;
mod subject;
pub mod variants;

pub use laws::{examine, is_broken, Breach, Law, Tally};
pub use subject::{Answer, Limits};

use crate::programs::{self, ast::Program, Settings};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// The plan of a campaign.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The first seed.
    pub seed: u64,
    /// The number of seeds.
    pub count: u64,
    /// The settings of the program generator.
    pub settings: Settings,
    /// The models and properties, and the limits.
    pub limits: Limits,
    /// The directory for shrunk programs that show a disagreement.
    pub out: Option<PathBuf>,
    /// Maximum number of tests for a shrinking.
    pub shrink_tests: usize,
}

/// The findings of a campaign.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Report {
    /// The number of programs examined.
    pub programs: u64,
    /// For each question, the number of programs with the answer violated, safe, unknown.
    pub answers: Tally,
    /// The reasons for the unknown ones.
    pub unknown: BTreeMap<String, u64>,
    /// How much each law compared.
    pub compared: laws::Compared,
    /// The number of safe programs that the engine `priori` proves.
    pub proved: laws::Proved,
    /// The number of facts that engines exchanged: assertions, race-free accesses, unreachable statements.
    pub facts: [u64; 3],
    /// Disagreements: the seed, the breach, the shrunk program.
    pub breaches: Vec<(u64, Breach, Program)>,
}

impl Report {
    /// Whether a law compared answers to fewer of its questions than it should.
    pub fn is_below_floor(&self, law: Law) -> bool {
        let [asked, compared] = self.compared.get(&law).copied().unwrap_or_default();
        compared * 100 < asked * law.floor()
    }
}

/// Runs a campaign, reporting line by line.
pub fn run(plan: &Plan, tell: &mut dyn Write) -> Result<Report> {
    let mut report = Report::default();
    let mut last_told = std::time::Instant::now();
    for seed in plan.seed..plan.seed.saturating_add(plan.count) {
        let program = programs::generate(seed, &plan.settings);
        let examination = examine(&program, seed, &plan.limits);
        report.programs += 1;
        add(&mut report.answers, examination.answers);
        add(&mut report.compared, examination.compared);
        add(&mut report.proved, examination.proved);
        for (reason, count) in examination.unknown {
            *report.unknown.entry(reason).or_default() += count;
        }
        report.facts.iter_mut().zip(examination.facts).for_each(|(total, count)| *total += count);
        for breach in examination.breaches {
            writeln!(tell, "seed {seed}: {breach}")?;
            let small = programs::shrink(&program, plan.shrink_tests, &mut |candidate| {
                is_broken(candidate, seed, &breach, &plan.limits)
            });
            write_out(plan, seed, &breach, &small, tell)?;
            report.breaches.push((seed, breach, small));
        }
        if last_told.elapsed() > Duration::from_secs(10) {
            last_told = std::time::Instant::now();
            writeln!(tell, "{}", summary(&report))?;
        }
    }
    for ((property, model), [violated, safe, unknown]) in &report.answers {
        writeln!(tell, "{property} under {model}: {violated} violated, {safe} safe, {unknown} unknown")?;
    }
    for (reason, count) in &report.unknown {
        writeln!(tell, "{count:6} unknown: {reason}")?;
    }
    for (law, [asked, compared]) in &report.compared {
        let below = if report.is_below_floor(*law) { ", BELOW ITS FLOOR" } else { "" };
        let share = format!("{} %, at least {} %", compared * 100 / asked, law.floor());
        writeln!(
            tell,
            "the law `{}` compared answers to {compared} of {asked} questions ({share}{below})",
            law.name()
        )?;
    }
    for ((model, property, precision), [proved, safe]) in &report.proved {
        let share = format!("{proved} of {safe} safe programs proved");
        writeln!(tell, "priori about {property} under {model} at precision {precision}: {share}")?;
    }
    let [assertions, accesses, statements] = report.facts;
    if assertions + accesses + statements > 0 {
        let races = format!("{accesses} accesses without races");
        writeln!(tell, "facts: {assertions} assertions, {races}, {statements} statements that are not reached")?;
    }
    writeln!(tell, "{}", summary(&report))?;
    Ok(report)
}

/// Adds counts to counts.
pub fn add<K: Ord, const N: usize>(totals: &mut BTreeMap<K, [u64; N]>, counts: BTreeMap<K, [u64; N]>) {
    for (key, counts) in counts {
        totals.entry(key).or_insert([0; N]).iter_mut().zip(counts).for_each(|(total, count)| *total += count);
    }
}

fn summary(report: &Report) -> String {
    let [violated, safe, unknown] =
        [0, 1, 2].map(|index| report.answers.values().map(|tally| tally[index]).sum::<u64>());
    let breaches = report.breaches.len();
    format!(
        "{} programs; {violated} violated, {safe} safe, {unknown} unknown; {breaches} disagreements",
        report.programs
    )
}

fn write_out(plan: &Plan, seed: u64, breach: &Breach, small: &Program, tell: &mut dyn Write) -> Result<()> {
    let comment = format!("shrunk from: cargo xtask gen --seed {seed} {}\n{breach}", plan.settings);
    let text = programs::print(small, &comment);
    match &plan.out {
        None => writeln!(tell, "{text}")?,
        Some(dir) => {
            std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
            let question = breach.question.map(|(model, property)| format!("-{property}-{model}")).unwrap_or_default();
            let path = dir.join(format!("seed-{seed}-{}{question}.c", breach.law.name()));
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            writeln!(tell, "  written to {}", path.display())?;
        }
    }
    Ok(())
}
