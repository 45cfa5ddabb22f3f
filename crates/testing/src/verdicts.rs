//! Programs are decided by all engines, and the verdicts are compared with their first lines ([`crate::headers`]). The ground
//! truth is never edited to please the tool. The current verdict of each engine is recorded below it: a verdict against the truth fails, `unknown`
//! where an answer is recorded fails, and a right answer that is not recorded asks to be recorded (`HEDDLE_BLESS=1` does so, `HEDDLE_BLESS=ENGINE`
//! for one engine). `HEDDLE_ENGINE=NAME` asks one engine only, and `HEDDLE_FIRST=1` stops at the first failure.

use crate::headers::{self, Question};
use crate::passed::{self, reachable};
use base::Budget;
use check::{Options, Task, Verdict};
use engines::impact;
use ir::Program;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

const WORKERS: usize = 2;
const TIME_PER_TASK: Duration = Duration::from_secs(60);
/// The time of engines that are recorded to answer `unknown`, or nothing.
const TIME_FOR_UNKNOWN: Duration = Duration::from_secs(10);
/// Tasks that `impact` does not decide within this time are recorded as `unknown (time)`; these, and the same of
/// `explore`, are not tried again until they are recorded anew. (Which of time and memory ends first depends on the
/// machine.)
const TIME_FOR_UNRECORDED_TREES: Duration = Duration::from_secs(1);
const TIME_FOR_PLAIN_EXPLORATION: Duration = Duration::from_secs(5);
const STACK_BYTES: usize = 256 << 20;
/// `auto` chooses among the others, so it is not recorded.
const ENGINES: [&str; 4] = ["explore", "staged", "priori", "impact"];
/// An engine whose verdicts are those recorded for another one, because it asks the same question in another way.
const SAME: [(&str, &str); 1] = [("interference", "staged")];
/// The unrolling bound of engines here.
const BOUND: u32 = 4;

fn task<'p>(program: &'p Program, block: &Question, reduction: bool, time: Duration) -> Task<'p> {
    let impact = impact::Options { check_proof: true, ..impact::Options::default() };
    let explore = plan::explore::Options { reduction, max_depth: None };
    Task {
        program,
        property: block.property,
        model: block.model,
        options: Options {
            inputs: block.inputs(),
            bound: Some(BOUND),
            atomic_regions: block.regions.clone(),
            ..Options::default()
        }
        .with(impact)
        .with(explore),
        // The limit applies to the process: an exploration without reduction must not use up what other questions need.
        budget: Budget::new(Some(time), Some(if reduction { 4 << 30 } else { 1 << 30 })),
        race_free: Default::default(),
    }
}

/// The verdict as recorded in the program: `safe`, `unsafe`, `unknown (time)`.
fn said(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Safe(_) | Verdict::Unsafe(_) => verdict.name().to_owned(),
        Verdict::Unknown(reasons) => format!("unknown ({})", reasons[0].kind.name()),
    }
}

fn explain(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Safe(safe) => format!("{:?}", safe.proof()),
        Verdict::Unsafe(counterexample) => counterexample.violation.message(),
        Verdict::Unknown(reasons) => reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
    }
}

/// Decides one block; returns the errors, and the current verdict of each engine.
fn decide(path: &Path, block: &Question) -> (Vec<String>, BTreeMap<String, String>) {
    let mut problems = Vec::new();
    let mut now = BTreeMap::new();
    let program = match block.load(path) {
        Ok(program) => program,
        Err(message) => return (vec![format!("does not load: {message}")], now),
    };
    let asked = passed::Question::new(|| vec![reachable(&program, &BTreeSet::new()), format!("{block:?}")]);
    if asked.is_answered() {
        return (problems, now);
    }
    let what = format!("{} under {}", block.property, block.model);
    let blessed = std::env::var("HEDDLE_BLESS").ok();
    let only = std::env::var("HEDDLE_ENGINE").ok().or_else(|| blessed.clone());
    let only = only.as_deref().filter(|only| ENGINES.contains(only));
    let is_blessing = blessed.is_some();
    let engines = ENGINES.map(|name| (name, name)).into_iter().chain(SAME);
    for (name, like) in engines.filter(|(name, _)| only.is_none_or(|only| only == *name)) {
        let engine = plan::engine_named(name).expect("the engine should exist");
        let recorded = block.recorded(like);
        let time = match recorded {
            Some("unknown (time)" | "unknown (memory)") if matches!(name, "explore" | "impact") && !is_blessing => {
                continue
            }
            // Another kind of unknown would do: more time would only take memory that the other worker needs.
            Some(says) if !is_blessing && says.starts_with("unknown") && name != "explore" => TIME_FOR_UNKNOWN,
            Some(_) if !is_blessing => TIME_PER_TASK,
            Some(_) | None if name == "impact" => TIME_FOR_UNRECORDED_TREES,
            None if !is_blessing && name != "explore" => TIME_FOR_UNKNOWN,
            Some(_) | None => TIME_PER_TASK,
        };
        let verdict = plan::solve(&task(&program, block, true, time), engine, false).outcome.verdict;
        let says = said(&verdict);
        if verdict.is_decided() && verdict.name() != block.truth() {
            let truth = block.truth();
            problems.push(format!("{what}: WRONG: {name} says {says}, the truth is {truth}: {}", explain(&verdict)));
            // A wrong verdict is never recorded.
            continue;
        }
        match recorded {
            Some(recorded) if recorded == says => {}
            Some(recorded) if recorded.starts_with("unknown") && says.starts_with("unknown") && name != "explore" => {}
            Some(recorded) => {
                problems.push(format!("{what}: {name} says {says}, recorded is {recorded}: {}", explain(&verdict)));
            }
            None if verdict.is_decided() => problems.push(format!("{what}: {name} says {says}, which is not recorded")),
            None => {}
        }
        if name != like {
            continue;
        }
        // An unsupported construct or a time limit says nothing about the program.
        let tells_time = matches!(name, "explore" | "impact");
        if says != "unknown (unsupported)" && (tells_time || says != "unknown (time)") {
            now.insert(name.to_owned(), says);
        }
    }
    if only.is_some() {
        if problems.is_empty() {
            asked.answered();
        }
        return (problems, now);
    }
    // The reduction must not change verdicts: small programs are explored without it as well.
    let engine = plan::engine_named("explore").expect("the engine should exist");
    let plain = plan::solve(&task(&program, block, false, TIME_FOR_PLAIN_EXPLORATION), engine, false).outcome.verdict;
    if plain.is_decided() && plain.name() != block.truth() {
        problems.push(format!("{what}: WRONG without reduction: {}: {}", plain.name(), explain(&plain)));
    }
    (problems, now)
}

/// Writes the current verdicts into the program, below the ground truth.
fn bless(path: &Path, text: &str, blocks: &[Question], now: &[BTreeMap<String, String>]) {
    let mut lines: Vec<Option<String>> = text.lines().map(|line| Some(line.to_owned())).collect();
    let mark = if path.extension().is_some_and(|ending| ending == "ll") { ";" } else { "//" };
    for (block, now) in blocks.iter().zip(now) {
        let mut says: BTreeMap<&str, &str> = BTreeMap::new();
        for (engine, (recorded, line)) in &block.recorded {
            lines[*line] = None;
            says.insert(engine, recorded);
        }
        says.extend(now.iter().map(|(engine, says)| (engine.as_str(), says.as_str())));
        let says: Vec<String> = says.iter().map(|(engine, says)| format!("{engine}: {says}")).collect();
        if let (Some(line), false) = (&mut lines[block.line], says.is_empty()) {
            line.push_str(&format!("\n{mark} {}", says.join("   ")));
        }
    }
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    std::fs::write(path, lines.join("\n") + "\n").expect("the program should be writable");
}

fn test_program(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("the program should be readable");
    let blocks = match headers::questions(&text) {
        Ok(blocks) => blocks,
        Err(message) => return vec![message],
    };
    let (problems, now): (Vec<_>, Vec<_>) = blocks.iter().map(|block| decide(path, block)).unzip();
    if std::env::var_os("HEDDLE_BLESS").is_some() {
        bless(path, &text, &blocks, &now);
        return problems
            .into_iter()
            .flatten()
            .filter(|problem| problem.contains("WRONG") || problem.contains("load"))
            .collect();
    }
    problems.into_iter().flatten().collect()
}

/// Decides all programs in a folder of `tests`; panics with the list of problems.
pub fn check(folder: &str) {
    let programs = headers::programs(folder);
    let total = programs.len();
    let waiting = Mutex::new(programs.into_iter());
    let failures = Mutex::new(Vec::new());
    let is_first_enough = std::env::var_os("HEDDLE_FIRST").is_some();
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            let worker = std::thread::Builder::new().stack_size(STACK_BYTES);
            let started = worker.spawn_scoped(scope, || loop {
                let next = waiting.lock().expect("the list").next();
                let Some(path) = next else { return };
                if is_first_enough && !failures.lock().expect("the failures").is_empty() {
                    return;
                }
                let problems = test_program(&path);
                let name = headers::name(&path);
                failures
                    .lock()
                    .expect("the failures")
                    .extend(problems.iter().map(|problem| format!("{name}: {problem}")));
            });
            started.expect("a worker should start");
        }
    });
    let mut failures = failures.into_inner().expect("the failures");
    failures.sort();
    assert!(
        failures.is_empty(),
        "{} problems with {total} programs (HEDDLE_BLESS=1 records what engines say, HEDDLE_ONLY=TEXT selects):\n{}",
        failures.len(),
        failures.join("\n")
    );
}
