//! Every program under `tests/programs` is loaded and decided, and the verdicts are compared with what its first lines
//! say. `docs/testing.md` describes the format:
//!
//! ```text
//! // property: unreach   model: tso   truth: unsafe
//! // explore: unsafe
//! ```
//!
//! Keys are separated by two or more spaces. A line with `property:` begins a block; `model:` is `sc` unless given;
//! `data-model:`, `inputs:` (values separated by commas), `region:` (what is meant to be atomic), `args:` (for clang) and
//! `libc:` may follow. The truth is never edited
//! to please the tool. What each engine says today stands below it: a verdict against the truth fails, `unknown` where
//! an answer is recorded fails, and a right answer that is not recorded asks to be recorded (`HEDDLE_BLESS=1` does so,
//! `HEDDLE_BLESS=ENGINE` for one engine). `HEDDLE_ENGINE=NAME` asks one engine only, and `HEDDLE_FIRST=1` stops at the first failure.

use base::Budget;
use check::{ImpactModes, Inputs, Options, Task, Verdict};
use ir::analysis::AtomicRegion;
use ir::{DataModel, MemoryModel, Program, Property};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;
use testing::passed::{reachable, Question};

const WORKERS: usize = 2;
const TIME_PER_TASK: Duration = Duration::from_secs(60);
/// What `impact` does not decide within this is recorded as `unknown (time)`; that, and the same of `explore`, is not tried again until it
/// is recorded anew. (Which of time and memory ends first depends on the machine.)
const TIME_FOR_UNRECORDED_TREES: Duration = Duration::from_secs(1);
const TIME_FOR_PLAIN_EXPLORATION: Duration = Duration::from_secs(5);
const STACK_BYTES: usize = 256 << 20;
/// `auto` is a choice among the others, and so not recorded.
const ENGINES: [&str; 4] = ["explore", "staged", "priori", "impact"];
/// An engine that says whatever another one is recorded to say, because it asks the same question in another way.
const SAME: [(&str, &str); 1] = [("interference", "staged")];
/// How often engines that unroll loops do so here.
const BOUND: u32 = 4;

/// One question about a program, with its answer.
#[derive(Debug)]
struct Block {
    property: Property,
    model: MemoryModel,
    truth: String,
    data_model: Option<DataModel>,
    inputs: Option<Vec<i128>>,
    regions: Vec<AtomicRegion>,
    args: Vec<String>,
    libc: front::Libc,
    /// What each engine is recorded to say, with the line it stands in.
    recorded: BTreeMap<String, (String, usize)>,
    /// The line of the truth, from 0.
    line: usize,
}

fn keys(line: &str) -> Option<Vec<(&str, &str)>> {
    let text = line.strip_prefix("//").or_else(|| line.strip_prefix(";"))?.trim();
    let pairs = text.split("  ").map(str::trim).filter(|part| !part.is_empty());
    pairs.map(|part| part.split_once(':').map(|(key, value)| (key.trim(), value.trim()))).collect()
}

fn blocks(text: &str) -> Result<Vec<Block>, String> {
    let mut blocks: Vec<Block> = Vec::new();
    for (line, content) in text.lines().enumerate() {
        let wrong = |what: &str| format!("line {}: {what}", line + 1);
        let Some(pairs) = keys(content) else { continue };
        match pairs.first() {
            Some(("property", _)) => blocks.push(block(&pairs, line).map_err(|message| wrong(&message))?),
            Some((engine, _)) if ENGINES.contains(engine) => {
                let block = blocks.last_mut().ok_or_else(|| wrong("an engine's line comes before `property:`"))?;
                block
                    .recorded
                    .extend(pairs.iter().map(|(engine, says)| ((*engine).to_owned(), ((*says).to_owned(), line))));
            }
            _ => {}
        }
    }
    if blocks.is_empty() {
        return Err("there is no line `// property: ...   truth: ...`".to_owned());
    }
    Ok(blocks)
}

fn block(pairs: &[(&str, &str)], line: usize) -> Result<Block, String> {
    let mut block = Block {
        property: Property::Unreach,
        model: MemoryModel::Sc,
        truth: String::new(),
        data_model: None,
        inputs: None,
        regions: Vec::new(),
        args: Vec::new(),
        libc: front::Libc::default(),
        recorded: BTreeMap::new(),
        line,
    };
    for (key, value) in pairs {
        match *key {
            "property" => block.property = value.parse()?,
            "model" => block.model = value.parse()?,
            "truth" if matches!(*value, "safe" | "unsafe") => block.truth = (*value).to_owned(),
            "data-model" if *value == "ilp32" => block.data_model = Some(DataModel::Ilp32),
            "data-model" if *value == "lp64" => block.data_model = Some(DataModel::Lp64),
            "inputs" => {
                let values: Result<Vec<i128>, _> = value.split(',').map(|value| value.trim().parse()).collect();
                block.inputs = Some(values.map_err(|_| format!("`{value}` is not a list of numbers"))?);
            }
            "libc" => block.libc = value.parse()?,
            "region" => block.regions.push(value.parse()?),
            "args" => block.args = value.split_ascii_whitespace().map(str::to_owned).collect(),
            _ => return Err(format!("`{key}: {value}` is not understood")),
        }
    }
    if block.truth.is_empty() {
        return Err("the truth is missing".to_owned());
    }
    Ok(block)
}

fn collect(folder: &Path, programs: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the folder of test programs should be readable");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.sort();
    for path in paths {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        if path.is_dir() {
            collect(&path, programs);
        } else if matches!(ending, "c" | "cc" | "cpp" | "i" | "ii" | "ll") {
            programs.push(path);
        }
    }
}

fn load(path: &Path, block: &Block) -> Result<Program, String> {
    let options = front::LoadOptions {
        data_model: block.data_model,
        clang_args: block.args.clone(),
        libc: block.libc,
        ..Default::default()
    };
    let (program, diagnostics) = front::load(&[path.to_owned()], &options);
    program.ok_or_else(|| diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

fn task<'p>(program: &'p Program, block: &Block, reduction: bool, time: Duration) -> Task<'p> {
    let inputs = Inputs { values: block.inputs.clone(), promised: block.inputs.is_some() };
    let impact = ImpactModes { check_proof: true, ..ImpactModes::default() };
    Task {
        program,
        property: block.property,
        model: block.model,
        options: Options {
            inputs,
            reduction,
            bound: Some(BOUND),
            impact,
            atomic_regions: block.regions.clone(),
            ..Options::default()
        },
        // The limit is one of the process: an exploration without reduction must not use up what other questions need.
        budget: Budget::new(Some(time), Some(if reduction { 4 << 30 } else { 1 << 30 })),
    }
}

/// What stands in the program about a verdict: `safe`, `unsafe`, `unknown (time)`.
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

/// Decides one block; returns what is wrong, and what each engine says now.
fn decide(path: &Path, block: &Block) -> (Vec<String>, BTreeMap<String, String>) {
    let mut problems = Vec::new();
    let mut now = BTreeMap::new();
    let program = match load(path, block) {
        Ok(program) => program,
        Err(message) => return (vec![format!("does not load: {message}")], now),
    };
    let question = Question::new(|| vec![reachable(&program, &BTreeSet::new()), format!("{block:?}")]);
    if question.is_answered() {
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
        let recorded = block.recorded.get(like).map(|(says, _)| says.as_str());
        let time = match recorded {
            Some("unknown (time)" | "unknown (memory)") if matches!(name, "explore" | "impact") && !is_blessing => {
                continue
            }
            Some(_) if !is_blessing => TIME_PER_TASK,
            Some(_) | None if name == "impact" => TIME_FOR_UNRECORDED_TREES,
            Some(_) | None => TIME_PER_TASK,
        };
        let verdict = plan::solve(&task(&program, block, true, time), engine, false).outcome.verdict;
        let says = said(&verdict);
        if verdict.is_decided() && verdict.name() != block.truth {
            let truth = &block.truth;
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
        // What an engine is not made for, or has no time for, says nothing about the program.
        let tells_time = matches!(name, "explore" | "impact");
        if says != "unknown (unsupported)" && (tells_time || says != "unknown (time)") {
            now.insert(name.to_owned(), says);
        }
    }
    if only.is_some() {
        if problems.is_empty() {
            question.answered();
        }
        return (problems, now);
    }
    // The reduction must not change anything: small programs are explored without it as well.
    let engine = plan::engine_named("explore").expect("the engine should exist");
    let plain = plan::solve(&task(&program, block, false, TIME_FOR_PLAIN_EXPLORATION), engine, false).outcome.verdict;
    if plain.is_decided() && plain.name() != block.truth {
        problems.push(format!("{what}: WRONG without reduction: {}: {}", plain.name(), explain(&plain)));
    }
    (problems, now)
}

/// Writes what the engines say now into the program, below the truth.
fn bless(path: &Path, text: &str, blocks: &[Block], now: &[BTreeMap<String, String>]) {
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
    let blocks = match blocks(&text) {
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

#[test]
fn programs_get_their_verdicts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut programs = Vec::new();
    collect(&root, &mut programs);
    if let Ok(only) = std::env::var("HEDDLE_ONLY") {
        programs.retain(|path| path.to_string_lossy().contains(&only));
    }
    assert!(!programs.is_empty(), "there should be test programs");
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
                let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
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

#[test]
fn first_lines_are_read() {
    let text = "// property: unreach   model: tso   truth: unsafe   data-model: ilp32   inputs: 0,-1   args: -DX -O0\n\
                // explore: unknown (time)\n// property: race   truth: safe\n// A remark: with a colon.\nint x; // explore: no\n";
    let read = blocks(text).expect("good lines");
    assert_eq!(read.len(), 2);
    assert_eq!(read[0].recorded["explore"], ("unknown (time)".to_owned(), 1));
    assert_eq!(read[0].inputs, Some(vec![0, -1]));
    assert_eq!(read[0].args, ["-DX", "-O0"]);
    assert_eq!((read[1].property, read[1].model), (Property::Race, MemoryModel::Sc));
    let fails = |text: &str| blocks(text).is_err();
    assert!(fails("int x;\n"));
    assert!(fails("// property: unreach   truth: perhaps\n"));
    assert!(fails("// explore: safe\n"));
}
