//! Compares Heddle with native execution, which shares neither its front end nor its models, on random C programs of
//! `csmith`.
//!
//! The native checksum is that of clang without optimisation and of gcc with it, which must agree; a program on which they do
//! not, or which does not terminate, is skipped and counted. Heddle must prove the assertion that the checksum is this one
//! and refute that it is another, in each variant of the program.
//!
//! Unsupported: programs with threads, inputs or floating-point numbers.

mod csmith;
pub(crate) mod execute;

pub use csmith::Variant;

use anyhow::{Context, Result};
use execute::{build_and_run, decide, Decision, Workplace};
use front::LoadOptions;
use ir::DataModel;
use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The options of a comparison.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Seeds of the programs.
    pub seeds: Range<u64>,
    /// The variants.
    pub variants: Vec<Variant>,
    /// The time for one question.
    pub timeout: Duration,
    /// The directory for programs that show a difference.
    pub out: Option<PathBuf>,
}

/// The result for one variant.
#[derive(Clone, Debug, Default)]
pub struct Count {
    /// Programs with a native checksum.
    pub programs: usize,
    /// The right checksum was proved and a wrong one refuted.
    pub agreed: usize,
    /// Not decided, by the kinds of reasons.
    pub unknown: BTreeMap<String, usize>,
    /// A wrong answer.
    pub different: usize,
}

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Skipped programs: native executions disagree, do not terminate or cannot be built.
    pub skipped: usize,
    /// The counts of each variant.
    pub counts: BTreeMap<Variant, Count>,
}

impl Report {
    /// The number of wrong answers.
    pub fn differences(&self) -> usize {
        self.counts.values().map(|count| count.different).sum()
    }

    /// The numbers of questions asked and decided.
    pub fn decided(&self) -> (usize, usize) {
        let asked = self.counts.values().map(|count| count.programs).sum();
        (asked, self.counts.values().map(|count| count.agreed + count.different).sum())
    }
}

/// The time limit for native runs: longer ones would take an interpreter forever.
const NATIVE_TIMEOUT: Duration = Duration::from_secs(1);

/// Compares programs of csmith.
pub fn run(plan: &Plan, tell: &mut dyn Write) -> Result<Report> {
    let place = Workplace::new("native")?;
    let mut report = Report::default();
    for seed in plan.seeds.clone() {
        let source = csmith::generate(seed)?;
        let mut checksums = BTreeMap::new();
        for data_model in plan.variants.iter().map(|variant| variant.data_model()) {
            if !checksums.contains_key(data_model.name()) {
                checksums.insert(data_model.name(), native_checksum(&source, data_model, &place)?);
            }
        }
        report.skipped += usize::from(checksums.values().any(Option::is_none));
        for variant in &plan.variants {
            let Some(checksum) = checksums[variant.data_model().name()] else { continue };
            let count = report.counts.entry(*variant).or_default();
            count.programs += 1;
            let answers = ask(&source, *variant, checksum, plan.timeout, &place)?;
            if let Some(problem) = judge(answers, count) {
                writeln!(tell, "seed {seed}, {}: {problem}", variant.name())?;
                if let Some(dir) = &plan.out {
                    write_out(dir, seed, *variant, &source, checksum)?;
                }
            }
        }
    }
    summary(&report, tell)?;
    Ok(report)
}

/// The checksum on which clang without optimisation and gcc with it agree.
fn native_checksum(source: &str, data_model: DataModel, place: &Workplace) -> Result<Option<u32>> {
    let mut found = Vec::new();
    for (name, text) in Variant::Lp64.files(source, &csmith::print_checksum()) {
        let path = place.write(name, &text)?;
        let width = match data_model {
            DataModel::Ilp32 => "-m32",
            DataModel::Lp64 => "-m64",
        };
        for (compiler, level) in [("clang-19", "-O0"), ("gcc", "-O2")] {
            let args = [width, level, "-I/usr/include/csmith"];
            let Some(ran) = build_and_run(compiler, &args, &[&path], place, NATIVE_TIMEOUT)? else { return Ok(None) };
            let printed = String::from_utf8_lossy(&ran.stdout).trim().parse::<u32>().ok();
            found.push(printed.filter(|_| ran.status.success()));
        }
    }
    found.dedup();
    Ok(match found[..] {
        [checksum] => checksum,
        _ => None,
    })
}

/// Heddle's answers for the right checksum and for a wrong one; the latter only if the former is proved.
fn ask(
    source: &str,
    variant: Variant,
    checksum: u32,
    timeout: Duration,
    place: &Workplace,
) -> Result<(Decision, Option<Decision>)> {
    let decide_for = |value: u32| -> Result<Decision> {
        let mut paths = Vec::new();
        for (name, text) in variant.files(source, &csmith::assert_checksum(value)) {
            paths.push(place.write(name, &text)?);
        }
        let (data_model, clang_args) = (Some(variant.data_model()), variant.clang_args());
        let options = LoadOptions { data_model, clang_args, ..LoadOptions::default() };
        decide(&paths, &options, "explore", timeout)
    };
    let right = decide_for(checksum)?;
    let wrong = if right == Decision::Safe { Some(decide_for(checksum ^ 1)?) } else { None };
    Ok((right, wrong))
}

/// Counts answers; returns a wrong one, or the reason why there is none, in words.
fn judge(answers: (Decision, Option<Decision>), count: &mut Count) -> Option<String> {
    match answers {
        (Decision::Safe, Some(Decision::Unsafe(_))) => {
            count.agreed += 1;
            None
        }
        (Decision::Unsafe(message), _) => {
            count.different += 1;
            Some(format!("DIFFERENT: the native checksum is refuted: {message}"))
        }
        (Decision::Safe, Some(Decision::Safe)) => {
            count.different += 1;
            Some("DIFFERENT: two different checksums are proved".to_owned())
        }
        (Decision::Unknown { kinds, detail }, _) | (Decision::Safe, Some(Decision::Unknown { kinds, detail })) => {
            let kinds: Vec<&str> = kinds.into_iter().collect();
            *count.unknown.entry(kinds.join("+")).or_default() += 1;
            Some(format!("unknown: {detail}"))
        }
        (Decision::Safe, None) => unreachable!("what is proved is tried with a wrong checksum"),
    }
}

fn write_out(dir: &Path, seed: u64, variant: Variant, source: &str, checksum: u32) -> Result<()> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    for (name, text) in variant.files(source, &csmith::assert_checksum(checksum)) {
        let path = dir.join(format!("seed-{seed}-{}-{name}", variant.name()));
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn summary(report: &Report, tell: &mut dyn Write) -> Result<()> {
    writeln!(tell, "variant\tprograms\tagreed\tdifferent\tunknown")?;
    for (variant, count) in &report.counts {
        let unknown: Vec<String> = count.unknown.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        let (name, unknown) = (variant.name(), unknown.join(", "));
        writeln!(tell, "{name}\t{}\t{}\t{}\t{unknown}", count.programs, count.agreed, count.different)?;
    }
    let (asked, decided) = report.decided();
    let share = 100.0 * decided as f64 / asked.max(1) as f64;
    writeln!(tell, "{decided} of {asked} decided ({share:.1} %), {} programs left out", report.skipped)?;
    Ok(())
}
