//! Loads every program of an index (tab-separated, with `file` and `data_model` columns) and reports the cost and the
//! errors of each. Each file is loaded by a process of its own, so that a crash is one line of the report and memory is
//! measured file by file.
//!
//! Times are the best of several rounds of wall clock, so they are meaningful only on an otherwise idle machine. Memory
//! is the peak of the loading process itself, without the clang it starts.

use anyhow::{bail, ensure, Context, Result};
use base::{Budget, Part};
use front::LoadOptions;
use interp::{Config, ExploreOptions, Explored, Gap, InputDomain, Machine, Site};
use ir::analysis::graph::reverse_post_order;
use ir::{DataModel, Edge, Function, MemoryModel, Program, Property, Stmt};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// One program of an index.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Entry {
    /// The file, relative to the index.
    pub file: String,
    /// `ilp32` or `lp64`.
    pub data_model: String,
}

/// The result of loading one program, as passed from the loading process.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Load {
    /// Wall clock for loading.
    pub load_ms: f64,
    /// Wall clock for clang alone.
    pub clang_ms: f64,
    /// Peak memory of the loading process.
    pub peak_kib: u64,
    /// The number of edges of the program.
    pub edges: usize,
    /// The errors: it does not load, is not valid, does not survive printing and parsing.
    pub problems: Vec<String>,
    /// Unmodelled statements that control flow reaches, with their places.
    pub unmodelled: Vec<String>,
    /// Unmodelled statements that a run reaches, with their places.
    pub reached: Vec<String>,
    /// Whether every run was explored, so that no other is reached.
    pub is_complete: bool,
}

/// The effort for each program.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Effort {
    /// The number of rounds of which the best time counts.
    pub rounds: u32,
    /// The time for finding a run that reaches an unmodelled statement, in seconds.
    pub explore_seconds: u64,
}

/// The distinct programs of an index.
pub fn read_index(text: &str) -> Result<Vec<Entry>> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().context("the index is empty")?.split('\t').collect();
    let column = |name: &str| {
        header.iter().position(|found| *found == name).with_context(|| format!("the index has no column `{name}`"))
    };
    let (file, data_model) = (column("file")?, column("data_model")?);
    let mut entries = BTreeSet::new();
    for (number, line) in lines.enumerate().filter(|(_, line)| !line.is_empty()) {
        let fields: Vec<&str> = line.split('\t').collect();
        let field = |column: usize| {
            fields.get(column).map(|text| (*text).to_owned()).with_context(|| format!("line {}: too short", number + 2))
        };
        entries.insert(Entry { file: field(file)?, data_model: field(data_model)? });
    }
    Ok(entries.into_iter().collect())
}

/// Checks every program of an index whose name contains `only`; returns whether all is well.
pub fn check(index: &Path, only: &str, effort: Effort, tell: &mut dyn Write) -> Result<bool> {
    let text = std::fs::read_to_string(index).with_context(|| format!("cannot read {}", index.display()))?;
    let dir = index.parent().unwrap_or(Path::new("."));
    let program = std::env::current_exe().context("cannot find this program")?;
    let mut table = Table::default();
    writeln!(tell, "load_ms\tclang_ms\tpeak_MiB\tedges\tfile")?;
    for entry in read_index(&text)?.into_iter().filter(|entry| entry.file.contains(only)) {
        let output = Command::new(&program)
            .args(["loadcheck-one", "--data-model", &entry.data_model])
            .args(["--rounds", &effort.rounds.to_string(), "--explore", &effort.explore_seconds.to_string()])
            .arg(dir.join(&entry.file))
            .output()
            .context("cannot start the loading process")?;
        let load = if output.status.success() {
            Load::parse(&String::from_utf8_lossy(&output.stdout))?
        } else {
            let message = String::from_utf8_lossy(&output.stderr);
            Load { problems: vec![format!("crashed ({}): {}", output.status, message.trim())], ..Load::default() }
        };
        let peak_mib = load.peak_kib as f64 / 1024.0;
        let (load_ms, clang_ms, edges) = (load.load_ms, load.clang_ms, load.edges);
        writeln!(tell, "{load_ms:.0}\t{clang_ms:.0}\t{peak_mib:.0}\t{edges}\t{}", entry.file)?;
        for line in load.problems.iter().map(|problem| format!("  problem: {problem}")) {
            writeln!(tell, "{line}")?;
        }
        for what in &load.unmodelled {
            let word = match (load.reached.contains(what), load.is_complete) {
                (true, _) => "reached",
                (false, true) => "not reached",
                (false, false) => "perhaps reached",
            };
            writeln!(tell, "  unmodelled, {word}: {what}")?;
        }
        table.add(&entry, &load);
    }
    write!(tell, "{}", table.summary())?;
    Ok(table.with_problems == 0)
}

/// Totals over an index.
#[derive(Default)]
struct Table {
    files: usize,
    with_problems: usize,
    /// Files with an unmodelled statement that a run reaches, that perhaps one does, that none does.
    with_unmodelled: [usize; 3],
    load_ms: f64,
    clang_ms: f64,
    worst_ratio: (f64, String),
    worst_peak: (u64, String),
}

impl Table {
    fn add(&mut self, entry: &Entry, load: &Load) {
        self.files += 1;
        self.with_problems += usize::from(!load.problems.is_empty());
        if !load.unmodelled.is_empty() {
            let index = if !load.reached.is_empty() { 0 } else { 1 + usize::from(load.is_complete) };
            self.with_unmodelled[index] += 1;
        }
        self.load_ms += load.load_ms;
        self.clang_ms += load.clang_ms;
        let ratio = if load.clang_ms > 0.0 { load.load_ms / load.clang_ms } else { 0.0 };
        if ratio > self.worst_ratio.0 {
            self.worst_ratio = (ratio, entry.file.clone());
        }
        if load.peak_kib > self.worst_peak.0 {
            self.worst_peak = (load.peak_kib, entry.file.clone());
        }
    }

    fn summary(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "{} files, {} with problems", self.files, self.with_problems);
        let [reached, perhaps, never] = self.with_unmodelled;
        let _ = writeln!(out, "unmodelled statements: {reached} files reach one, {perhaps} perhaps, {never} never do");
        let (ratio, file) = &self.worst_ratio;
        let total = self.load_ms / self.clang_ms.max(1.0);
        let _ = writeln!(out, "time: {total:.2} times clang alone in total, at worst {ratio:.2} times ({file})");
        let (peak, file) = &self.worst_peak;
        let _ = writeln!(out, "memory: at most {} MiB ({file})", peak / 1024);
        out
    }
}

/// Loads one file in this process.
pub fn load_one(file: &Path, data_model: &str, effort: Effort) -> Result<Load> {
    let data_model = match data_model {
        "ilp32" => DataModel::Ilp32,
        "lp64" => DataModel::Lp64,
        other => bail!("`{other}` is neither ilp32 nor lp64"),
    };
    let files = [file.to_owned()];
    let options = LoadOptions { data_model: Some(data_model), ..LoadOptions::default() };
    let mut load = Load { clang_ms: best(effort.rounds, || clang_alone(&files[0], data_model))?, ..Load::default() };
    let mut loaded = None;
    load.load_ms = best(effort.rounds, || {
        loaded = Some(front::load(&files, &options));
        Ok(())
    })?;
    load.peak_kib = peak_kib().unwrap_or(0);
    let (program, diagnostics) = loaded.context("should have loaded at least once")?;
    match program {
        None => load.problems.extend(diagnostics.iter().map(ToString::to_string)),
        Some(program) => {
            load.edges = program.functions.iter().map(|function| function.edges.len()).sum();
            load.problems.extend(ir::validate(&program).iter().map(|problem| format!("not valid: {problem}")));
            load.problems.extend(round_trip_problem(&program));
            load.unmodelled = reachable_unmodelled(&program);
            if !load.unmodelled.is_empty() && effort.explore_seconds > 0 {
                (load.reached, load.is_complete) = reached_unmodelled(&program, effort.explore_seconds);
            }
        }
    }
    Ok(load)
}

/// The shortest of several rounds, in milliseconds.
fn best(rounds: u32, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut best = Duration::MAX;
    for _ in 0..rounds.max(1) {
        let start = Instant::now();
        work()?;
        best = best.min(start.elapsed());
    }
    Ok(best.as_secs_f64() * 1000.0)
}

/// Compiles a file to bitcode and discards it. A rejected file takes the time it takes; loading reports it.
fn clang_alone(file: &Path, data_model: DataModel) -> Result<()> {
    let width = match data_model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    };
    let output = Command::new("clang-19")
        .args([width, "-O0", "-g", "-w", "-c", "-emit-llvm", "-fno-discard-value-names", "-o", "-"])
        .arg(file)
        .output()
        .context("cannot run clang-19")?;
    ensure!(output.status.code().is_some(), "clang-19 was killed");
    Ok(())
}

/// The peak resident size of this process.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

fn round_trip_problem(program: &Program) -> Option<String> {
    let text = ir::print(program);
    match ir::parse(&text) {
        Err(error) => Some(format!("does not parse back: {error}")),
        Ok(parsed) if ir::print(&parsed) != text => Some("prints differently after parsing".to_owned()),
        Ok(_) => None,
    }
}

impl std::fmt::Display for Load {
    /// One line per fact; [`Load::parse`] reads it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Load { load_ms, clang_ms, peak_kib, edges, .. } = self;
        writeln!(f, "numbers\t{load_ms}\t{clang_ms}\t{peak_kib}\t{edges}")?;
        for problem in &self.problems {
            writeln!(f, "problem\t{}", problem.replace(['\n', '\t'], " "))?;
        }
        for what in &self.unmodelled {
            writeln!(f, "unmodelled\t{}", what.replace(['\n', '\t'], " "))?;
        }
        for what in &self.reached {
            writeln!(f, "reached\t{}", what.replace(['\n', '\t'], " "))?;
        }
        if self.is_complete {
            writeln!(f, "complete")?;
        }
        Ok(())
    }
}

impl Load {
    fn parse(text: &str) -> Result<Load> {
        let mut load = Load::default();
        for line in text.lines() {
            match line.split('\t').collect::<Vec<_>>()[..] {
                ["numbers", load_ms, clang_ms, peak_kib, edges] => {
                    load.load_ms = load_ms.parse()?;
                    load.clang_ms = clang_ms.parse()?;
                    load.peak_kib = peak_kib.parse()?;
                    load.edges = edges.parse()?;
                }
                ["problem", problem] => load.problems.push(problem.to_owned()),
                ["unmodelled", what] => load.unmodelled.push(what.to_owned()),
                ["reached", what] => load.reached.push(what.to_owned()),
                ["complete"] => load.is_complete = true,
                _ => bail!("the loading process said `{line}`"),
            }
        }
        Ok(load)
    }
}

/// The unmodelled statements at locations that control flow reaches. The front end adds only functions to the program
/// that a part of it mentions.
fn reachable_unmodelled(program: &Program) -> Vec<String> {
    let mut found = BTreeSet::new();
    for code in program.functions.iter() {
        let out = code.edges_out();
        for loc in reverse_post_order(code) {
            for edge in out[loc].iter().map(|id| &code.edges[*id]) {
                if let Stmt::Unmodelled(what) = &edge.stmt {
                    found.insert(unmodelled_at(program, code, edge, what));
                }
            }
        }
    }
    found.into_iter().collect()
}

fn unmodelled_at(program: &Program, function: &Function, edge: &Edge, what: &ir::Unmodelled) -> String {
    format!("{} {what} (in {})", program.place(edge.span), function.name)
}

/// The unmodelled statements that runs under `sc` reach, and whether all runs were explored.
fn reached_unmodelled(program: &Program, seconds: u64) -> (Vec<String>, bool) {
    let config = Config {
        model: MemoryModel::Sc,
        property: Property::Unreach,
        inputs: InputDomain::default(),
        regions: vec![],
        race_free: Default::default(),
    };
    let machine = Machine::new(program, config);
    let budget = Budget::new(Some(Duration::from_secs(seconds)), None);
    // Exploration is breadth first: random runs get to the end of long programs sooner.
    let for_runs = budget.part(Part::Share(0.3));
    for seed in 0..100 {
        interp::random_run(&machine, seed, 100_000, &for_runs, None);
    }
    let options = ExploreOptions { reduction: true, max_depth: None };
    let exploration = interp::explore(&machine, &options, &budget);
    let mut is_complete = exploration.result == Explored::Exhausted;
    let mut reached = BTreeSet::new();
    for gap in machine.gaps() {
        match gap {
            Gap::Unmodelled { what, at: Site { at: (function, edge), .. } } => {
                let code = &program.functions[function];
                reached.insert(unmodelled_at(program, code, &code.edges[edge], &what));
            }
            _ => is_complete = false,
        }
    }
    (reached.into_iter().collect(), is_complete)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_lists_each_program_once() {
        let text = "id\tfile\tproperty\tdata_model\n1\tb.c\trace\tlp64\n2\ta.c\trace\tilp32\n3\tb.c\tunreach\tlp64\n";
        let entry = |file: &str, model: &str| Entry { file: file.to_owned(), data_model: model.to_owned() };
        assert_eq!(read_index(text).unwrap(), [entry("a.c", "ilp32"), entry("b.c", "lp64")]);
    }

    #[test]
    fn a_bad_index_is_refused() {
        assert!(read_index("").is_err());
        assert!(read_index("id\tfile\n").is_err());
        let error = read_index("file\tdata_model\na.c\n").unwrap_err();
        assert_eq!(error.to_string(), "line 2: too short");
    }

    #[test]
    fn what_a_process_says_is_understood() {
        let load = Load {
            load_ms: 12.5,
            clang_ms: 30.0,
            peak_kib: 1024,
            edges: 7,
            problems: vec!["not valid: a b".to_owned()],
            unmodelled: vec!["a.c:3 longjmp (in main)".to_owned()],
            reached: vec!["a.c:3 longjmp (in main)".to_owned()],
            is_complete: true,
        };
        assert_eq!(Load::parse(&load.to_string()).unwrap(), load);
        assert!(Load::parse("panicked\n").is_err());
    }
}
