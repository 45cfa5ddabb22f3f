//! Differential tests of the solver: random QF_ABV scripts, run through the SMT-LIB front end and the solver's own
//! interface, against brute force with an independent evaluator, and against z3.
//!
//! z3 is only needed for [`Plan::z3`]; without it that part is skipped, with a message.

pub mod ast;
pub mod evaluate;
mod examine;
pub mod make;
mod shrink;
mod z3;

use anyhow::Result;
use ast::{Dialect, Script};
pub use examine::Breach;
use make::Size;
use std::io::Write;

/// The options of a run.
pub struct Plan {
    /// The first seed.
    pub seed: u64,
    /// The number of seeds.
    pub count: u64,
    /// Larger widths, against z3, instead of small ones by brute force.
    pub z3: bool,
}

/// The result of a run.
#[derive(Default, Debug)]
pub struct Report {
    /// Scripts run.
    pub scripts: u64,
    /// Checks answered `sat`, with a model that was evaluated.
    pub sat: u64,
    /// Checks answered `unsat`.
    pub unsat: u64,
    /// Cores checked, also for minimality.
    pub cores: u64,
    /// `unsat` answers whose proof was checked.
    pub certificates: u64,
    /// Checks that one side did not answer in time, so that nothing was compared.
    pub unknown: u64,
    /// Values of terms compared with the naive evaluator's.
    pub values: u64,
    /// Terms that were rewritten further when they were printed and read again.
    pub rewritten_again: u64,
    /// The seeds of scripts that showed a disagreement.
    pub breaches: Vec<u64>,
}

/// The number of scripts per z3 process.
const BATCH: u64 = 200;

/// Runs the plan and reports disagreements, shrunk, and the counts.
pub fn run(plan: &Plan, tell: &mut dyn Write) -> Result<Report> {
    let mut report = Report::default();
    let size = if plan.z3 { Size::Large } else { Size::Small };
    if plan.z3 && !z3::is_there() {
        writeln!(tell, "SKIPPED: z3 is not installed, so nothing was compared with it")?;
        return Ok(report);
    }
    let mut seed = plan.seed;
    let end = plan.seed.saturating_add(plan.count);
    while seed < end {
        let seeds: Vec<u64> = (seed..end.min(seed + BATCH)).collect();
        seed = end.min(seed + BATCH);
        let scripts: Vec<Script> = seeds.iter().map(|&seed| make::script(seed, size)).collect();
        let answers = if plan.z3 { z3::answers(&scripts)? } else { Vec::new() };
        for (index, (script, &seed)) in scripts.iter().zip(&seeds).enumerate() {
            report.scripts += 1;
            let theirs = answers.get(index).map(Vec::as_slice);
            if let Err(breach) = examine::examine(script, seed, theirs, &mut report) {
                report.breaches.push(seed);
                tell_breach(script, seed, plan.z3, &breach, tell)?;
            }
        }
    }
    let Report { scripts, sat, unsat, cores, certificates, unknown, values, rewritten_again, breaches } = &report;
    writeln!(
        tell,
        "smt: {scripts} scripts, {sat} sat with models, {unsat} unsat, {cores} cores, {certificates} certificates, \
         {unknown} not compared, {values} values, {rewritten_again} rewritten again, {} disagreements",
        breaches.len()
    )?;
    Ok(report)
}

fn tell_breach(script: &Script, seed: u64, with_z3: bool, breach: &Breach, tell: &mut dyn Write) -> Result<()> {
    writeln!(tell, "; seed {seed}: {breach}")?;
    // Each test may start a process.
    let tests = if with_z3 { 400 } else { 3000 };
    let small = shrink::shrink(script, tests, &mut |candidate| {
        let theirs = if with_z3 { z3::answers(std::slice::from_ref(candidate)).ok() } else { None };
        let theirs = theirs.as_ref().and_then(|answers| answers.first()).map(Vec::as_slice);
        let result = examine::examine(candidate, seed, theirs, &mut Report::default());
        result.is_err_and(|found| found.kind == breach.kind)
    });
    writeln!(tell, "; shrunk:\n{}", small.text(Dialect::Standard))?;
    Ok(())
}
