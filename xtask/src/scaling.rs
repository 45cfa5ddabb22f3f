//! How the engine `staged` scales with the number of threads, and the effect of its parts: the programs in `tests/scaling`, each with several
//! numbers of threads, as it is, without pruning, with clocks instead of the order theory, without summaries, and with neither summaries nor
//! pruning (the modes of Figure 3 of Sinha and Wang, FSE 2010, as ratios to the time of the whole).
//!
//! The column `calls` is the number of calls that are instances of summaries, `stage 1` the share of the time that stage 1 takes, in brackets
//! for the mode without summaries.

use anyhow::{anyhow, Result};
use base::{Budget, Stats};
use check::{Options, Task};
use engines::skeleton::options::{Encoding, Options as Modes};
use front::LoadOptions;
use ir::{MemoryModel, Program, Property};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// A program with a number of threads and its known verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Case {
    /// The file in `tests/scaling`.
    pub file: &'static str,
    /// The number of threads.
    pub threads: u32,
    /// More macros.
    pub define: Option<&'static str>,
    /// The property.
    pub property: Property,
    /// The ground truth.
    pub is_safe: bool,
}

const fn case(
    file: &'static str,
    threads: u32,
    define: Option<&'static str>,
    property: Property,
    is_safe: bool,
) -> Case {
    Case { file, threads, define, property, is_safe }
}

/// The cases of the paper, as far as their programs could be reconstructed.
pub const CASES: [Case; 16] = [
    case("synchronisation.c", 2, None, Property::Race, true),
    case("synchronisation.c", 2, Some("WRONG"), Property::Race, false),
    case("synchronisation.c", 13, None, Property::Race, true),
    case("synchronisation.c", 13, Some("WRONG"), Property::Race, false),
    case("indexer.c", 12, None, Property::Unreach, true),
    case("indexer.c", 16, None, Property::Unreach, true),
    case("indexer.c", 20, None, Property::Unreach, true),
    case("indexer.c", 24, None, Property::Unreach, true),
    case("indexer.c", 28, None, Property::Unreach, true),
    case("indexer.c", 32, None, Property::Unreach, true),
    case("indexer.c", 32, Some("ENTRY=25"), Property::Unreach, false),
    case("account.c", 11, None, Property::Race, true),
    case("account.c", 11, Some("WRONG"), Property::Race, false),
    case("account.c", 21, None, Property::Race, true),
    case("account.c", 21, Some("WRONG"), Property::Race, false),
    case("calls.c", 4, None, Property::Unreach, true),
];

/// The modes, the full engine first.
pub const MODES: [(&str, Modes); 5] = [
    ("whole", Modes { context_bound: None, summaries: true, pruning: true, encoding: Encoding::Order }),
    ("no pruning", Modes { context_bound: None, summaries: true, pruning: false, encoding: Encoding::Order }),
    ("clocks", Modes { context_bound: None, summaries: true, pruning: true, encoding: Encoding::Clocks }),
    ("no summaries", Modes { context_bound: None, summaries: false, pruning: true, encoding: Encoding::Order }),
    ("neither", Modes { context_bound: None, summaries: false, pruning: false, encoding: Encoding::Order }),
];

/// The result for one case in one mode.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Whether the verdict was right; `None` if there was none in time.
    pub is_right: Option<bool>,
    /// Wall-clock time, without loading.
    pub time: Duration,
    /// The engine's statistics.
    pub stats: Stats,
}

/// Decides one case in one mode.
pub fn measure(root: &Path, case: &Case, modes: Modes, timeout: Duration) -> Result<Measured> {
    let program = load(root, case)?;
    let engine = plan::engine_named("staged").ok_or_else(|| anyhow!("there is no engine staged"))?;
    let options = Options::default().with(modes);
    let budget = Budget::new(Some(timeout), None);
    let task = Task {
        program: &program,
        property: case.property,
        model: MemoryModel::Sc,
        options,
        budget,
        race_free: Default::default(),
    };
    let started = Instant::now();
    let outcome = plan::solve(&task, engine, false).outcome;
    let is_right = match outcome.verdict.name() {
        "safe" => Some(case.is_safe),
        "unsafe" => Some(!case.is_safe),
        _ => None,
    };
    Ok(Measured { is_right, time: started.elapsed(), stats: outcome.stats })
}

fn load(root: &Path, case: &Case) -> Result<Program> {
    let mut clang_args = vec![format!("-DN={}", case.threads)];
    clang_args.extend(case.define.map(|define| format!("-D{define}")));
    let file = root.join("tests/scaling").join(case.file);
    let (program, diagnostics) = front::load(&[file], &LoadOptions { clang_args, ..LoadOptions::default() });
    program.ok_or_else(|| anyhow!("{}: {diagnostics:?}", case.file))
}

/// Measures all cases whose name contains `only` and reports a table; returns whether no verdict was wrong.
pub fn run(root: &Path, only: &str, timeout: Duration, tell: &mut impl Write) -> Result<bool> {
    writeln!(
        tell,
        "program\tthreads\tverdict\tevents\tlinks\tcalls\tstage 1\tseconds\tno pruning\tclocks\tno summaries\tneither"
    )?;
    let mut is_right = true;
    for case in CASES.iter().filter(|case| case.file.contains(only)) {
        let mut line = String::new();
        let mut whole = None;
        for (_, modes) in MODES {
            let measured = measure(root, case, modes.clone(), timeout)?;
            is_right &= measured.is_right != Some(false);
            let seconds = measured.time.as_secs_f64();
            match whole {
                None => {
                    line.push_str(&first_columns(case, &measured));
                    whole = Some(seconds);
                }
                // The slowdown compared with the full engine.
                Some(whole) if !modes.summaries && measured.is_right.is_some() => {
                    line.push_str(&format!("\tx{:.1} ({})", seconds / whole, stage_1(&measured)));
                }
                Some(whole) if measured.is_right.is_some() => line.push_str(&format!("\tx{:.1}", seconds / whole)),
                Some(whole) => line.push_str(&format!("\t>x{:.1}", seconds / whole)),
            }
        }
        writeln!(tell, "{line}")?;
    }
    Ok(is_right)
}

fn number(measured: &Measured, name: &str) -> f64 {
    measured.stats.iter().find(|(other, _)| *other == name).map_or(0.0, |(_, value)| value)
}

/// The share of the time that stage 1 takes.
fn stage_1(measured: &Measured) -> String {
    format!("{:.0}%", number(measured, "execute_ms") / 10.0 / measured.time.as_secs_f64())
}

fn first_columns(case: &Case, measured: &Measured) -> String {
    let number = |name: &str| number(measured, name);
    let name = case.define.map_or(case.file.to_owned(), |define| format!("{} -D{define}", case.file));
    let verdict = match measured.is_right {
        Some(true) if case.is_safe => "safe",
        Some(true) => "unsafe",
        Some(false) => "WRONG",
        None => "unknown",
    };
    let seconds = measured.time.as_secs_f64();
    let [threads, events] = [f64::from(case.threads), number("events")];
    let [links, calls] = [number("links"), number("summarised_calls")];
    let share = stage_1(measured);
    format!("{name}\t{threads}\t{verdict}\t{events}\t{links}\t{calls}\t{share}\t{seconds:.2}")
}
