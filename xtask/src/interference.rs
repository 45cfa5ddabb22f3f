//! Measures interference abstractions: the programs in `tests/interference` (similar to the benchmarks of Sinha and Wang, POPL 2011:
//! a barrier, many locks, a disk, elevators), each in several sizes, in the clock form as in the paper and in the form on the order
//! theory. Figure 11 as a table: the time and the size Σ|W(r)| / |Λ| / |Σ| with everything encoded at once, and in the mode `mixed`.
//! Figure 12 as a picture: the time of `mixed` against that of `over` and `under`.
//!
//! The larger half are the cases with most triples.

use crate::analysis::processor_time;
use anyhow::{anyhow, Result};
use base::{Budget, Stats};
use check::{Options, Task};
use engines::interference::{Form, Mode, Options as Interference};
use front::LoadOptions;
use ir::{MemoryModel, Program, Property};
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// A program in one size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Case {
    /// The file in `tests/interference`, without its ending.
    pub file: &'static str,
    /// Macros: the number of threads and the like.
    pub define: &'static [&'static str],
}

const fn case(file: &'static str, define: &'static [&'static str]) -> Case {
    Case { file, define }
}

/// All cases; each is checked as it is, which is safe, and with `-DWRONG`, which is unsafe.
pub const CASES: [Case; 12] = [
    case("barrier", &["-DN=5", "-DR=2"]),
    case("barrier", &["-DN=9", "-DR=3"]),
    case("barrier", &["-DN=13", "-DR=4"]),
    case("locks", &["-DN=5", "-DR=4"]),
    case("locks", &["-DN=13", "-DR=8", "-DLOCKS=8"]),
    case("locks", &["-DN=19", "-DR=10", "-DLOCKS=10"]),
    case("disk", &["-DN=3", "-DR=3"]),
    case("disk", &["-DN=3", "-DR=6"]),
    case("disk", &["-DN=3", "-DR=9"]),
    case("elevator", &["-DN=4", "-DR=2", "-DFLOORS=4"]),
    case("elevator", &["-DN=4", "-DR=5", "-DFLOORS=5"]),
    case("elevator", &["-DN=4", "-DR=8", "-DFLOORS=8"]),
];

/// The unrolling bound, which no loop exceeds.
const BOUND: u32 = 64;

/// The result for one case in one mode.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Whether the verdict was right; `None` if there was none in time.
    pub is_right: Option<bool>,
    /// CPU time, without loading.
    pub time: Duration,
    /// The engine's statistics.
    pub stats: Stats,
}

impl Measured {
    fn number(&self, name: &str) -> f64 {
        self.stats.get(name).unwrap_or(0.0)
    }

    fn seconds(&self) -> String {
        match self.is_right {
            Some(true) => format!("{:.2}", self.time.as_secs_f64()),
            Some(false) => "WRONG".to_owned(),
            None => format!(">{:.0}", self.time.as_secs_f64()),
        }
    }
}

/// Decides one case.
pub fn measure(
    root: &Path,
    case: &Case,
    is_safe: bool,
    interference: Interference,
    timeout: Duration,
) -> Result<Measured> {
    let program = load(root, case, is_safe)?;
    let engine = plan::engine_named("interference").ok_or_else(|| anyhow!("there is no engine interference"))?;
    let options = Options { bound: Some(BOUND), ..Options::default() }.with(interference);
    let budget = Budget::new(Some(timeout), None);
    let task = Task {
        program: &program,
        property: Property::Unreach,
        model: MemoryModel::Sc,
        options,
        budget,
        race_free: Default::default(),
    };
    let wall = Instant::now();
    let before = processor_time(wall);
    let outcome = plan::solve(&task, engine, false).outcome;
    let time = processor_time(wall).saturating_sub(before);
    let is_right = match outcome.verdict.name() {
        "safe" => Some(is_safe),
        "unsafe" => Some(!is_safe),
        _ => None,
    };
    Ok(Measured { is_right, time, stats: outcome.stats })
}

fn load(root: &Path, case: &Case, is_safe: bool) -> Result<Program> {
    let mut clang_args: Vec<String> = case.define.iter().map(|define| (*define).to_owned()).collect();
    clang_args.extend((!is_safe).then(|| "-DWRONG".to_owned()));
    let file = root.join("tests/interference").join(case.file).with_extension("c");
    let (program, diagnostics) = front::load(&[file], &LoadOptions { clang_args, ..LoadOptions::default() });
    program.ok_or_else(|| anyhow!("{}: {diagnostics:?}", case.file))
}

/// The options of a measurement.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Only programs whose name contains this.
    pub only: String,
    /// Only this many sizes of each program, the smallest first.
    pub sizes: usize,
    /// The form of the encoding.
    pub form: Form,
    /// The time for one program in one mode.
    pub timeout: Duration,
    /// Whether `over` and `under` are measured too.
    pub all_modes: bool,
}

/// The numbers of one case: `full`, `mixed`, and perhaps `over` and `under`.
struct Row {
    name: String,
    measured: Vec<Measured>,
}

const MODES: [Mode; 4] = [Mode::Full, Mode::Mixed, Mode::Over, Mode::Under];

/// Measures, reports a table and a summary, and returns the picture if there is one, and whether no verdict was wrong.
pub fn run(root: &Path, plan: &Plan, tell: &mut impl Write) -> Result<(bool, Option<String>)> {
    writeln!(
        tell,
        "program\tverdict\tthreads\treads\tavg W\tfull s\tW/Λ/Σ\tmixed s\tW/Λ/Σ\trounds\ttriples\tover s\tunder s"
    )?;
    let mut rows = Vec::new();
    for (index, case) in CASES.iter().enumerate().filter(|(_, case)| case.file.contains(&plan.only)) {
        if CASES[..index].iter().filter(|other| other.file == case.file).count() >= plan.sizes {
            continue;
        }
        for is_safe in [true, false] {
            let modes = if plan.all_modes { &MODES[..] } else { &MODES[..2] };
            let ask = |&mode: &Mode| {
                let interference = Interference { mode, form: plan.form, ..Interference::default() };
                measure(root, case, is_safe, interference, plan.timeout)
            };
            let measured: Vec<Measured> = modes.iter().map(ask).collect::<Result<_>>()?;
            let name = format!("{}{}\t{}", case.file, case.define.join(""), if is_safe { "safe" } else { "unsafe" });
            let row = Row { name, measured };
            writeln!(tell, "{}", line(&row))?;
            rows.push(row);
        }
    }
    rows.sort_by(|a, b| a.measured[0].number("full_links").total_cmp(&b.measured[0].number("full_links")));
    let larger = &rows[rows.len() / 2..];
    for (name, rows) in [("all", &rows[..]), ("the larger half", larger)] {
        writeln!(tell, "{name}: {}", summary(rows))?;
    }
    let is_right = rows.iter().flat_map(|row| &row.measured).all(|measured| measured.is_right != Some(false));
    Ok((is_right, plan.all_modes.then(|| scatter(&rows))))
}

fn size(measured: &Measured, prefix: &str) -> String {
    let parts = ["links", "pairs", "triples"].map(|name| measured.number(&format!("{prefix}{name}")).to_string());
    parts.join("/")
}

fn line(row: &Row) -> String {
    let (full, mixed) = (&row.measured[0], &row.measured[1]);
    let average = full.number("full_links") / full.number("full_reads").max(1.0);
    let share = 100.0 * mixed.number("triples") / mixed.number("full_triples").max(1.0);
    let others: Vec<String> = row.measured[2..].iter().map(Measured::seconds).collect();
    format!(
        "{}\t{}\t{}\t{average:.0}\t{}\t{}\t{}\t{}\t{}\t{share:.1} %\t{}",
        row.name,
        full.number("threads"),
        full.number("full_reads"),
        full.seconds(),
        size(full, "full_"),
        mixed.seconds(),
        size(mixed, ""),
        mixed.number("iterations"),
        others.join("\t")
    )
}

/// The speed-up of `mixed` as a geometric mean, and the share of the triples that it encodes.
fn summary(rows: &[Row]) -> String {
    // Unfinished cases count with their time limit.
    let ratio = |row: &Row| row.measured[0].time.as_secs_f64() / row.measured[1].time.as_secs_f64().max(1e-3);
    let ratios: Vec<f64> = rows.iter().map(ratio).collect();
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp();
    let told: f64 = rows.iter().map(|row| row.measured[1].number("triples")).sum();
    let all: f64 = rows.iter().map(|row| row.measured[1].number("full_triples")).sum();
    let [cut, undecided] = [0, 1].map(|mode| rows.iter().filter(|row| row.measured[mode].is_right.is_none()).count());
    format!(
        "mixed is {mean:.2} times as fast as full ({} cases, {undecided} that mixed and {cut} that full did not finish), and tells {:.2} % of \
         the triples",
        rows.len(),
        100.0 * told / all.max(1.0)
    )
}

/// Figure 12: a point for each case, its height the time of `mixed`, to the right the time of `over` or `under`. Below the
/// diagonal `mixed` is faster. Rings are unsafe; unfinished cases are placed at their time limit, in red.
fn scatter(rows: &[Row]) -> String {
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"460\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"900\" height=\"460\" fill=\"white\"/>\n",
    );
    for (panel, name) in ["over", "under"].iter().enumerate() {
        let left = 70.0 + panel as f64 * 440.0;
        let _ = writeln!(svg, "<g transform=\"translate({left},20)\">");
        svg += &frame(name);
        for row in rows {
            svg += &point(row, panel);
        }
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

/// The side of a panel, in pixels: four decades from [`SHORTEST`] seconds on.
const SIDE: f64 = 360.0;
const DECADES: i32 = 4;
const SHORTEST: f64 = 0.01;

/// The position of a time on an axis.
fn place(seconds: f64) -> f64 {
    SIDE * ((seconds.max(SHORTEST) / SHORTEST).log10() / f64::from(DECADES)).clamp(0.0, 1.0)
}

/// The axes of a panel.
fn frame(name: &str) -> String {
    let mut svg = String::new();
    for decade in 0..=DECADES {
        let seconds = SHORTEST * 10f64.powi(decade);
        let (x, y) = (place(seconds), SIDE - place(seconds));
        let _ = writeln!(svg, "<path d=\"M{x:.1} 0V{SIDE}M0 {y:.1}H{SIDE}\" stroke=\"gainsboro\"/>");
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"376\" text-anchor=\"middle\">{seconds}</text>");
        let _ = writeln!(svg, "<text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">{seconds}</text>", y + 4.0);
    }
    let _ = writeln!(svg, "<rect width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" stroke=\"black\"/>");
    let _ = writeln!(svg, "<line x1=\"0\" y1=\"{SIDE}\" x2=\"{SIDE}\" y2=\"0\" stroke=\"grey\"/>");
    let _ = writeln!(svg, "<text x=\"180\" y=\"398\" text-anchor=\"middle\">{name}, in seconds</text>");
    let turn = "text-anchor=\"middle\" transform=\"translate(-44,180) rotate(-90)\"";
    let _ = writeln!(svg, "<text {turn}>mixed, in seconds</text>");
    svg
}

fn point(row: &Row, panel: usize) -> String {
    let Some(other) = row.measured.get(2 + panel) else { return String::new() };
    let mixed = &row.measured[1];
    let (x, y) = (place(other.time.as_secs_f64()), SIDE - place(mixed.time.as_secs_f64()));
    let is_done = mixed.is_right.is_some() && other.is_right.is_some();
    let color = if is_done { "black" } else { "red" };
    let fill = if row.name.ends_with("unsafe") { "none" } else { color };
    let name = row.name.replace('\t', " ");
    format!(
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" stroke=\"{color}\" fill=\"{fill}\"><title>{name}</title></circle>\n"
    )
}
