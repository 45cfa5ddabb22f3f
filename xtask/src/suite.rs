//! Runs an external conformance suite, in a given directory: each C file is a program that tests itself.
//!
//! Programs report a failure by calling `abort` (gcc's c-torture `execute`), or by the status of `main` (the Open POSIX Test
//! Suite). Only programs that clang builds and that pass natively count; Heddle must prove that they do. A program whose
//! outcome depends on an input (what `printf` returns, `argc`) is refuted although it passes natively: such programs are
//! listed for manual inspection.

use crate::native::execute::{build_and_run, decide, Decision, Workplace};
use anyhow::{Context, Result};
use front::{Failure, LoadOptions};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How programs report a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// They call `abort`.
    Abort,
    /// `main` returns something other than 0.
    Status,
}

impl std::str::FromStr for Style {
    type Err = String;

    fn from_str(name: &str) -> Result<Style, String> {
        match name {
            "abort" => Ok(Style::Abort),
            "status" => Ok(Style::Status),
            _ => Err(format!("there is no style `{name}`")),
        }
    }
}

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The directory; all C files in and below it are programs.
    pub dir: PathBuf,
    /// How programs report a failure.
    pub style: Style,
    /// Only files whose path contains this.
    pub filter: String,
    /// The time for one program.
    pub timeout: Duration,
    /// More arguments for the compilers.
    pub args: Vec<String>,
}

/// The result of a suite.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Programs that cannot be built, or do not pass natively.
    pub left_out: usize,
    /// Proved.
    pub right: usize,
    /// Refuted, with the violation.
    pub wrong: Vec<(PathBuf, String)>,
    /// Not decided: the programs, by the reason.
    pub unknown: BTreeMap<String, Vec<PathBuf>>,
}

/// The time limit for native runs.
const NATIVE_TIMEOUT: Duration = Duration::from_secs(10);

/// Runs a suite.
pub fn run(plan: &Plan, tell: &mut dyn Write) -> Result<Report> {
    let place = Workplace::new("suite")?;
    let mut files = Vec::new();
    collect(&plan.dir, &mut files)?;
    files.sort();
    files.retain(|file| file.to_string_lossy().contains(&plan.filter));
    let mut report = Report::default();
    for file in files {
        let args: Vec<&str> = std::iter::once("-O0").chain(plan.args.iter().map(String::as_str)).collect();
        let ran = build_and_run("clang-19", &args, &[&file], &place, NATIVE_TIMEOUT)?;
        if !ran.is_some_and(|ran| ran.status.success()) {
            report.left_out += 1;
            continue;
        }
        match ask(&file, plan)? {
            Decision::Safe => report.right += 1,
            Decision::Unsafe(message) => {
                writeln!(tell, "{}: WRONG: {message}", file.display())?;
                report.wrong.push((file, message));
            }
            Decision::Unknown { detail, .. } => {
                writeln!(tell, "{}: unknown: {detail}", file.display())?;
                report.unknown.entry(detail).or_default().push(file);
            }
        }
    }
    summary(&report, tell)?;
    Ok(report)
}

fn ask(file: &Path, plan: &Plan) -> Result<Decision> {
    let failure = match plan.style {
        Style::Abort => Failure::Abort,
        Style::Status => Failure::Status,
    };
    let options = LoadOptions { clang_args: plan.args.clone(), failure, ..LoadOptions::default() };
    // A panic on one program must not affect the others.
    let answer = std::panic::catch_unwind(|| decide(&[file.to_owned()], &options, "auto", plan.timeout));
    answer.unwrap_or_else(|_| Ok(Decision::Unsafe("Heddle panics".to_owned())))
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = std::fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "c") {
            files.push(path);
        }
    }
    Ok(())
}

fn summary(report: &Report, tell: &mut dyn Write) -> Result<()> {
    let unknown: usize = report.unknown.values().map(Vec::len).sum();
    let count = report.right + report.wrong.len() + unknown;
    writeln!(tell, "programs\tright\twrong\tunknown\tleft out")?;
    writeln!(tell, "{count}\t{}\t{}\t{unknown}\t{}", report.right, report.wrong.len(), report.left_out)?;
    let mut reasons: Vec<(&String, usize)> =
        report.unknown.iter().map(|(reason, files)| (reason, files.len())).collect();
    reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(*count), *reason));
    for (reason, count) in reasons {
        writeln!(tell, "{count}\t{reason}")?;
    }
    Ok(())
}
