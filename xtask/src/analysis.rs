//! How the engine `priori` scales with the number of threads, and the cost of its analysis on the programs of an index;
//! alarms are not passed on to an exact engine, so only the analysis is measured.
//!
//! Three families: one writer and many readers, CO-2+2W of many threads (Sharma and Sharma, SAS 2021, tables 1 and 2),
//! and atomic increments that must add up. For the first two, exponents are reported: the slope of each number between
//! the two largest sizes, on a doubly logarithmic scale.
//!
//! Times are CPU times of this thread, where the system reports them (Linux), so that they are meaningful on a busy
//! machine.

use anyhow::{ensure, Context, Result};
use base::{Budget, Stats};
use check::{Engine, Options, Outcome, Task, Verdict};
use engines::priori::{self, Priori};
use front::LoadOptions;
use ir::{DataModel, MemoryModel, Program, Property};
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// A family of programs of increasing size.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// The numbers of threads.
    pub sizes: &'static [usize],
    /// The program of a size.
    pub make: fn(usize) -> String,
    /// Whether its growth is polynomial, so that an exponent is reported.
    pub is_polynomial: bool,
}

/// All families.
pub const FAMILIES: [Family; 3] = [
    Family { name: "readers", sizes: &[10, 25, 50, 100], make: readers, is_polynomial: true },
    Family { name: "CO-2+2W", sizes: &[10, 25, 50, 100], make: writers, is_polynomial: true },
    Family { name: "increments", sizes: &[2, 3, 4, 5, 6, 7, 8], make: increments, is_polynomial: false },
];

/// The result of an analysis.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Its verdict.
    pub verdict: Verdict,
    /// Its statistics.
    pub stats: Stats,
    /// Its time.
    pub time: Duration,
}

const HEADER: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
     #define ST(x, v) atomic_store_explicit(&x, v, memory_order_release)\n\
     #define LD(x) atomic_load_explicit(&x, memory_order_acquire)\n\
     #define ADD(x, v) atomic_fetch_add_explicit(&x, v, memory_order_acq_rel)\n\
     #define THREAD(name) static void *name(void *unused)\n\
     #define GO(name) pthread_t t_##name; pthread_create(&t_##name, 0, name, 0);\n\
     #define END(name) pthread_join(t_##name, 0);\n";

fn each(count: usize, make: impl Fn(usize) -> String) -> String {
    (0..count).map(make).collect::<Vec<_>>().join(" ")
}

/// A program with these threads and shared variables, and a final statement of the first thread.
fn program(globals: &str, threads: &[(String, String)], claim: &str) -> String {
    let mut text = format!("{HEADER}{globals}\n");
    for (name, body) in threads {
        let _ = writeln!(text, "THREAD({name}) {{ {body} return 0; }}");
    }
    let all = |word: &str| threads.iter().map(|(name, _)| format!("{word}({name})")).collect::<Vec<_>>().join(" ");
    let _ = writeln!(text, "int main(void) {{ {} {} {claim} }}", all("GO"), all("END"));
    text
}

/// One writer and `count` readers, each of which reports what it saw.
pub fn readers(count: usize) -> String {
    let globals = format!("atomic_int x; {}", each(count, |i| format!("atomic_int n{i};")));
    let mut threads: Vec<(String, String)> =
        (0..count).map(|i| (format!("t{i}"), format!("ST(n{i}, LD(x));"))).collect();
    threads.push(("w".to_owned(), "ST(x, 1);".to_owned()));
    program(&globals, &threads, &each(count, |i| format!("assert(LD(n{i}) <= 1);")))
}

/// `count` threads that store twice to one variable.
pub fn writers(count: usize) -> String {
    let body = |i: usize| format!("ST(x, {0}); ST(x, {0});", i + 1);
    let threads: Vec<(String, String)> = (0..count).map(|i| (format!("t{i}"), body(i))).collect();
    program("atomic_int x;", &threads, &format!("int r = LD(x); assert(r >= 1 && r <= {count});"))
}

/// `count` atomic increments, which must add up.
pub fn increments(count: usize) -> String {
    let threads: Vec<(String, String)> = (0..count).map(|i| (format!("t{i}"), "ADD(x, 1);".to_owned())).collect();
    program("atomic_int x;", &threads, &format!("assert(LD(x) == {count});"))
}

/// CPU time of this thread; wall-clock time if the system does not report it.
pub(crate) fn processor_time(since: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next().and_then(|first| first.parse().ok()));
    nanoseconds.map_or(since.elapsed(), Duration::from_nanos)
}

/// Analyses a program without passing alarms on to an exact engine.
pub fn measure(program: &Program, model: MemoryModel, precision: Option<u8>, timeout: Duration) -> Measured {
    let options = Options { strengthen_relaxed: true, ..Options::default() }.with(priori::Options { precision });
    let budget = Budget::new(Some(timeout), None);
    let task = Task { program, property: Property::Unreach, model, options, budget, race_free: Default::default() };
    let wall = Instant::now();
    let before = processor_time(wall);
    let Outcome { verdict, stats, .. } = Priori.run(&task, &plan::TakingTurns);
    let time = processor_time(wall).saturating_sub(before);
    Measured { verdict, stats, time }
}

/// Loads a program given as text.
pub fn load(text: &str) -> Result<Program> {
    let (program, diagnostics) = front::load_text("family.c", text, &LoadOptions::default());
    program.with_context(|| format!("the program does not load: {diagnostics:?}"))
}

/// The slope between two points on a doubly logarithmic scale.
pub fn exponent((few, less): (f64, f64), (many, more): (f64, f64)) -> f64 {
    (more / less).ln() / (many / few).ln()
}

const NUMBERS: [&str; 3] = ["steps", "combinations", "states"];

/// Analyses all families and reports how they scale; returns whether everything was proved.
pub fn grow(timeout: Duration, tell: &mut dyn Write) -> Result<bool> {
    let mut is_well = true;
    writeln!(tell, "family\tsize\tverdict\tsteps\tcombinations\tstates\tms")?;
    for family in FAMILIES {
        let mut points: Vec<(usize, [f64; 4])> = Vec::new();
        for size in family.sizes {
            let measured = measure(&load(&(family.make)(*size))?, MemoryModel::Ra, Some(2), timeout);
            let [steps, combinations, states] = NUMBERS.map(|name| measured.stats.get(name).unwrap_or(0.0));
            let (verdict, ms) = (measured.verdict.name(), measured.time.as_secs_f64() * 1000.0);
            writeln!(tell, "{}\t{size}\t{verdict}\t{steps}\t{combinations}\t{states}\t{ms:.1}", family.name)?;
            is_well &= matches!(measured.verdict, Verdict::Safe(_));
            points.push((*size, [steps, combinations, states, ms]));
        }
        if let ([.., (few, less), (many, more)], true) = (points.as_slice(), family.is_polynomial) {
            let slope = |index: usize| exponent((*few as f64, less[index]), (*many as f64, more[index]));
            let [steps, combinations, states, ms] = [0, 1, 2, 3].map(slope);
            let name = family.name;
            writeln!(tell, "{name}\texponent\t\t{steps:.2}\t{combinations:.2}\t{states:.2}\t{ms:.2}")?;
        }
    }
    Ok(is_well)
}

/// Analyses the programs of an index with property `unreach` under `ra` whose name contains `only`; false if a program
/// recorded as unsafe is proved safe.
pub fn check(index: &Path, only: &str, timeout: Duration, tell: &mut dyn Write) -> Result<bool> {
    let text = std::fs::read_to_string(index).with_context(|| format!("cannot read {}", index.display()))?;
    let dir = index.parent().unwrap_or(Path::new("."));
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().context("the index is empty")?.split('\t').collect();
    let column = |name: &str| {
        header.iter().position(|found| *found == name).with_context(|| format!("the index has no column `{name}`"))
    };
    let columns = [column("file")?, column("property")?, column("model")?, column("expected")?, column("data_model")?];
    let (mut total, mut slowest, mut proved, mut safe, mut wrong) = (Duration::ZERO, Duration::ZERO, 0, 0, 0);
    writeln!(tell, "ms\tprecision\tsteps\tverdict\trecorded\tfile")?;
    for line in lines.filter(|line| !line.is_empty()) {
        let fields: Vec<&str> = line.split('\t').collect();
        ensure!(columns.iter().all(|column| *column < fields.len()), "a line of the index is too short: {line}");
        let [file, property, model, expected, data_model] = columns.map(|column| fields[column]);
        if property != "unreach" || model != "ra" || !file.contains(only) {
            continue;
        }
        let data_model = if data_model == "ilp32" { DataModel::Ilp32 } else { DataModel::Lp64 };
        let options = LoadOptions { data_model: Some(data_model), ..LoadOptions::default() };
        let (Some(program), _) = front::load(&[dir.join(file)], &options) else {
            writeln!(tell, "does not load: {file}")?;
            continue;
        };
        let measured = measure(&program, MemoryModel::Ra, None, timeout);
        let number = |name: &str| measured.stats.get(name).unwrap_or(0.0);
        let (ms, verdict) = (measured.time.as_secs_f64() * 1000.0, measured.verdict.name());
        writeln!(tell, "{ms:.1}\t{}\t{}\t{verdict}\t{expected}\t{file}", number("precision"), number("steps"))?;
        let is_proved = matches!(measured.verdict, Verdict::Safe(_));
        safe += usize::from(expected == "safe");
        proved += usize::from(expected == "safe" && is_proved);
        wrong += usize::from(expected == "unsafe" && is_proved);
        total += measured.time;
        slowest = slowest.max(measured.time);
    }
    let [total, slowest] = [total, slowest].map(|time| time.as_secs_f64());
    writeln!(
        tell,
        "{proved} of {safe} safe programs proved, {wrong} unsafe ones; {total:.2} s, {slowest:.2} s at most"
    )?;
    Ok(wrong == 0)
}
