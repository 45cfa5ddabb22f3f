//! The models of library functions against the C library of this machine and against the standard: for each modelled function
//! a row in one of the tables ([`table`] describes the rows). The calls of a table form one program, which is built twice:
//! natively, where it prints its observations, and for Heddle, where it asserts them.
//!
//! To show that each comparison can fail, one expected value of each function is made wrong, which must be detected. The
//! tables specify what native execution cannot show: happens-before and accesses.

mod judge;
mod native;
pub mod page;
mod source;
pub mod table;

use anyhow::{ensure, Context, Result};
use front::{Libc, LoadOptions};
use ir::{DataModel, Program, Property};
use judge::Answer;
use source::{Case, Chance};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use table::{Kind, Setting, Table, Truth};
use testing::passed::{reachable, Question};
use testing::programs::rng::Rng;

/// All tables: the files in `xtask/src/library/tables`, by name.
pub fn tables(root: &Path) -> Result<Vec<Table>> {
    let dir = root.join("xtask/src/library/tables");
    let entries = std::fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))?;
    let mut files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.sort();
    let read = |file: &PathBuf| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        Table::parse(&name, &text)
    };
    files.iter().map(read).collect()
}

/// Tests that take longer are reported by name.
const SLOW: Duration = Duration::from_secs(4);

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The root of the workspace.
    pub root: PathBuf,
    /// The seed of random cases.
    pub seed: u64,
    /// The number of random cases for each `EACH` of the tables.
    pub count: u32,
    /// Only functions, or tables, with these names; all if there are none.
    pub only: Vec<String>,
    /// The data models, and for each whether the compiler may replace calls of functions that it knows.
    pub builds: Vec<(DataModel, bool)>,
    /// Whether the first failure ends the run.
    pub is_first_enough: bool,
}

impl Plan {
    /// Everything, with this seed.
    pub fn new(root: PathBuf, seed: u64) -> Plan {
        let builds = [DataModel::Lp64, DataModel::Ilp32].map(|model| [(model, false), (model, true)]).concat();
        Plan { root, seed, count: 10, only: Vec::new(), builds, is_first_enough: false }
    }

    /// Each data model once: with real calls in one of them, and with the compiler's replacements in the other.
    pub fn quick(root: PathBuf, seed: u64) -> Plan {
        let builds = vec![(DataModel::Lp64, false), (DataModel::Ilp32, true)];
        Plan { count: 2, builds, ..Plan::new(root, seed) }
    }
}

/// The result of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The number of tests.
    pub tests: usize,
    /// The number of observations compared.
    pub observations: usize,
    /// The number of wrong values detected.
    pub noticed: usize,
    /// The failures.
    pub failures: Vec<String>,
}

/// Runs the tests of the tables; failures are printed at once.
pub fn run(plan: &Plan, out: &mut dyn Write) -> Result<Report> {
    let mut report = Report::default();
    let mut present = BTreeSet::new();
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let number = RUNS.fetch_add(1, Ordering::Relaxed);
    let dir = std::env::temp_dir().join(format!("heddle-library-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    for table in &tables(&plan.root)? {
        let before = (report.tests, report.failures.len());
        for (build, &(data_model, builtins)) in plan.builds.iter().enumerate() {
            for setting in table.settings() {
                let batch = Batch { table, data_model, builtins, setting, dir: &dir };
                let rows = table.rows.iter().filter(|row| {
                    let is_wanted = |only: &String| *only == row.name || *only == table.name;
                    let is_wanted = plan.only.is_empty() || plan.only.iter().any(is_wanted);
                    is_wanted && row.only.is_none_or(|only| only == data_model) && setting.has(row)
                });
                let cases: Vec<Case<'_>> =
                    rows.flat_map(|row| row.tests.iter().map(move |test| Case { row, test })).collect();
                let is_over = plan.is_first_enough && !report.failures.is_empty();
                if !cases.is_empty() && !is_over {
                    let chance = Chance { seed: plan.seed.wrapping_add(build as u64), count: plan.count };
                    let made = batch.make(&cases, chance, plan.is_first_enough, &mut report, out);
                    present.extend(made.with_context(|| format!("the table {}", table.name))?);
                }
            }
        }
        if report.tests > before.0 {
            let failed = report.failures.len() - before.1;
            writeln!(out, "{}: {} tests, {failed} failures", table.name, report.tests - before.0)?;
        }
    }
    match report.failures.is_empty() {
        true => std::fs::remove_dir_all(&dir).with_context(|| format!("cannot remove {}", dir.display()))?,
        false => writeln!(out, "the programs are in {}", dir.display())?,
    }
    if plan.only.is_empty() {
        let is_function = |name: &&str| !name.starts_with("__heddle_");
        let names = front::modelled().into_iter().filter(|name| is_function(name) && !present.contains(*name));
        let absent: Vec<String> = names.map(|name| format!("{name}: no test calls it")).collect();
        for failure in &absent {
            writeln!(out, "{failure}")?;
        }
        report.failures.extend(absent);
    }
    let Report { tests, observations, noticed, failures } = &report;
    writeln!(
        out,
        "{tests} tests, {observations} observations compared, {noticed} wrong values noticed, {} failures",
        failures.len()
    )?;
    Ok(report)
}

/// The tests of a table that form one program.
struct Batch<'t> {
    table: &'t Table,
    data_model: DataModel,
    builtins: bool,
    setting: Setting,
    dir: &'t Path,
}

impl Batch<'_> {
    /// Runs the tests; returns the names of modelled functions and variables that the program has.
    fn make(
        &self,
        cases: &[Case<'_>],
        chance: Chance,
        is_first_enough: bool,
        report: &mut Report,
        out: &mut dyn Write,
    ) -> Result<Vec<&'static str>> {
        let extra = self.setting == Setting::Extra;
        let native = source::native(self.table, cases, extra, chance);
        let observed = native::observe(&native, &self.dir.join(self.file_name("native")), self.data_model)?;
        let mut program = self.load(&source::checked(self.table, cases, extra, chance, &observed))?;
        let mut rng = Rng::new(chance.seed);
        for (index, case) in cases.iter().enumerate() {
            report.tests += 1;
            judge::choose(&mut program, index)?;
            let question = self.question(&program, index, cases.len(), *case);
            if question.is_answered() {
                continue;
            }
            let mut failure = None;
            let started = Instant::now();
            let answer = judge::ask(&program, case.test.property);
            if started.elapsed() > SLOW {
                writeln!(out, "{}", self.describe(*case, &format!("took {:.1} s", started.elapsed().as_secs_f64())))?;
            }
            if !is_right(case.test.truth, &answer) {
                failure = Some(format!("should be {:?}, is {answer:?}", case.test.truth));
            } else if case.test.kind == Kind::Values {
                let values = observed.get(index).and_then(Option::as_ref).context("what a test observes")?;
                report.observations += values.len();
                match self.notices(&mut program, index, values, &mut rng)? {
                    true => report.noticed += 1,
                    false => failure = Some("a wrong value is not noticed".to_owned()),
                }
            }
            if failure.is_none() {
                question.answered();
            }
            if let Some(failure) = failure {
                let failure = self.describe(*case, &failure);
                writeln!(out, "{failure}")?;
                report.failures.push(failure);
                if is_first_enough {
                    break;
                }
            }
        }
        let names = front::modelled().into_iter();
        Ok(names.filter(|name| has(&program, name) || mentions(cases, name)).collect())
    }

    /// The question of a test of this program: other tests play no part.
    fn question(&self, program: &Program, index: usize, count: usize, case: Case<'_>) -> Question {
        Question::new(|| {
            let others = (0..count).filter(|other| *other != index).flat_map(source::function_names).collect();
            vec![reachable(program, &others), format!("{:?}", case.test)]
        })
    }

    /// Whether Heddle rejects a wrong value.
    fn notices(&self, program: &mut Program, index: usize, values: &[i64], rng: &mut Rng) -> Result<bool> {
        ensure!(!values.is_empty(), "a test that compares values should observe some");
        let (name, wrong) = (source::expected_name(index), rng.below(values.len()));
        judge::set_bytes(program, &name, 8 * wrong, &(values[wrong] ^ (1 << rng.below(8))).to_le_bytes())?;
        let answer = judge::ask(program, Property::Unreach);
        judge::set_bytes(program, &name, 8 * wrong, &values[wrong].to_le_bytes())?;
        Ok(matches!(answer, Answer::Unsafe(_)))
    }

    fn load(&self, text: &str) -> Result<Program> {
        let file: PathBuf = self.dir.join(self.file_name("checked"));
        std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        let clang_args = if self.builtins { vec![] } else { vec!["-fno-builtin".to_owned()] };
        let libc = if self.setting == Setting::Glibc { Libc::Glibc } else { Libc::Standard };
        let options = LoadOptions { data_model: Some(self.data_model), clang_args, libc, ..LoadOptions::default() };
        let (program, diagnostics) = front::load(&[file], &options);
        let messages = || diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        program.with_context(messages)
    }

    /// The name of a file of this program.
    fn file_name(&self, what: &str) -> String {
        let builtins = if self.builtins { "-builtins" } else { "" };
        let ending = if self.table.is_cxx { "cpp" } else { "c" };
        format!("{}-{:?}{builtins}-{:?}-{what}.{ending}", self.table.name, self.data_model, self.setting)
    }

    fn describe(&self, case: Case<'_>, failure: &str) -> String {
        let Case { row, test } = case;
        let builtins = if self.builtins { ", builtins" } else { "" };
        let setting = match self.setting {
            Setting::Plain => "",
            Setting::Extra => ", extra",
            Setting::Glibc => ", glibc",
        };
        let body = [vec![test.setup.clone()], test.threads.clone()].concat().join(" ;; ").replace('\n', " ");
        let (kind, property, model) = (test.kind.name(), test.property, self.data_model);
        format!("{} ({kind}, {property}, {model:?}{builtins}{setting}): {failure}\n    {body}", row.name)
    }
}

fn is_right(truth: Truth, answer: &Answer) -> bool {
    match (truth, answer) {
        (Truth::Safe, Answer::Safe)
        | (Truth::Unsafe, Answer::Unsafe(_))
        | (Truth::Unmodelled, Answer::Unmodelled(_)) => true,
        (_, Answer::Safe | Answer::Unsafe(_) | Answer::Unmodelled(_) | Answer::Unknown(_)) => false,
    }
}

/// Whether the program has a function or variable with this name.
fn has(program: &Program, name: &str) -> bool {
    program.function_named(name).is_some() || program.object_named(name).is_some()
}

/// Whether tests call a function whose meaning is fixed by its name, so that it is no function of the program.
fn mentions(cases: &[Case<'_>], name: &str) -> bool {
    front::has_meaning_by_name(name) && cases.iter().any(|case| case.row.name == name)
}
