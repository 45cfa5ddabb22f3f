//! What `staged` proves of the programs under `tests/programs` is confirmed by the naive encoder, and never refuted; what is
//! wrong with the others is never confirmed, and mostly refuted.

use base::{Budget, Stats};
use check::{Inputs, Options, Proof, Task, Verdict};
use ir::{MemoryModel, Property};
use recheck::Answer;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

const TIME: Duration = Duration::from_secs(10);
/// At least so many answers of each property are confirmed, or refuted: otherwise this tests nothing.
const LEAST: usize = 10;
/// The bound for programs that are not proved.
const BOUND: u32 = 2;
const STACK_BYTES: usize = 256 << 20;

fn collect(folder: &Path, programs: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the folder of test programs should be readable");
    for path in entries.map(|entry| entry.expect("a readable entry").path()) {
        if path.is_dir() {
            collect(&path, programs);
        } else if matches!(path.extension().and_then(|ending| ending.to_str()), Some("c" | "cc" | "cpp" | "i" | "ll")) {
            programs.push(path);
        }
    }
}

/// A question that a program's first lines ask (see `programs.rs`).
struct Question {
    property: Property,
    inputs: Option<Vec<i128>>,
    clang_args: Vec<String>,
    libc: front::Libc,
}

/// The questions under `sc` with this in one of their lines.
fn questions(text: &str, said: &str) -> Vec<Question> {
    let (mut question, mut found) = (None, Vec::new());
    for line in text.lines() {
        if line.contains("property: ") {
            let is_about = |property: &Property| line.contains(&format!("property: {property}"));
            // The naive encoder does not know atomicity.
            let property = Property::EXPECTED.into_iter().find(is_about).filter(|_| !line.contains("model: "));
            question = property.map(|property| (property, line));
        }
        if line.starts_with("//") && line.contains(said) {
            if let Some((property, question)) = question {
                let value = |key: &str| question.split("  ").find_map(|part| part.trim().strip_prefix(key));
                let numbers = |text: &str| text.split(',').filter_map(|value| value.trim().parse().ok()).collect();
                let words = |text: &str| text.split_ascii_whitespace().map(str::to_owned).collect();
                let (inputs, clang_args) = (value("inputs:").map(numbers), value("args:").map(words));
                let libc = value("libc:").and_then(|name| name.trim().parse().ok()).unwrap_or_default();
                found.push(Question { property, inputs, clang_args: clang_args.unwrap_or_default(), libc });
            }
        }
    }
    found
}

/// What the naive encoder says, of a proof by `staged` where `is_proved`; `None` if there is no such proof.
fn ask(path: &Path, question: Question, is_proved: bool) -> Option<Answer> {
    let Question { property, inputs, clang_args, libc } = question;
    let options = front::LoadOptions { clang_args, libc, ..front::LoadOptions::default() };
    let program = front::load(&[path.to_owned()], &options).0.expect("the program should load");
    let inputs = Inputs { promised: inputs.is_some(), values: inputs };
    let task = Task {
        program: &program,
        property,
        model: MemoryModel::Sc,
        options: Options { inputs, ..Options::default() },
        budget: Budget::new(Some(TIME), Some(2 << 30)),
    };
    if !is_proved {
        return Some(recheck::confirm(&task, BOUND, &mut Stats::default()));
    }
    let engine = plan::engine_named("staged").expect("the engine should exist");
    let Verdict::Safe(safe) = plan::solve(&task, engine, false).outcome.verdict else { return None };
    let Proof::Bounded { iterations, .. } = *safe.proof() else { return None };
    let task = Task { budget: Budget::new(Some(TIME), Some(2 << 30)), ..task };
    Some(recheck::confirm(&task, iterations, &mut Stats::default()))
}

/// What came of all questions: how many were confirmed and refuted of each property, and what is told of them, each in a line.
#[derive(Default)]
struct Answers {
    counts: BTreeMap<Property, [usize; 2]>,
    confirmed: Vec<String>,
    refuted: Vec<String>,
    unable: Vec<String>,
}

/// Asks all questions with `said` in one of their lines.
fn ask_all(said: &'static str, is_proved: bool) -> Answers {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut programs = Vec::new();
    collect(&root, &mut programs);
    programs.sort();
    if let Ok(only) = std::env::var("HEDDLE_ONLY") {
        programs.retain(|path| path.to_string_lossy().contains(&only));
    }
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        let mut answers = Answers::default();
        for path in &programs {
            let name = path.strip_prefix(&root).unwrap_or(path).display().to_string();
            let text = std::fs::read_to_string(path).expect("the program should be readable");
            for question in questions(&text, said) {
                let property = question.property;
                let counts = answers.counts.entry(property).or_default();
                match ask(path, question, is_proved) {
                    None => {}
                    Some(Answer::Confirmed) => {
                        counts[0] += 1;
                        answers.confirmed.push(format!("{name}: {property}"));
                    }
                    Some(Answer::Unable { kind, why }) => {
                        answers.unable.push(format!("{name}: {property}: {}: {why}", kind.name()));
                    }
                    Some(Answer::Refuted { what, execution }) => {
                        counts[1] += 1;
                        answers.refuted.push(format!("{name}: {property}: {what}\n  {}", execution.join("\n  ")));
                    }
                }
            }
        }
        answers
    });
    worker.expect("a worker should start").join().expect("the worker should end")
}

/// Enough of each property were confirmed, or refuted.
fn assert_enough(answers: &Answers, index: usize) {
    let is_all = std::env::var_os("HEDDLE_ONLY").is_none();
    for property in Property::EXPECTED.into_iter().filter(|_| is_all) {
        let count = answers.counts.get(&property).map_or(0, |counts| counts[index]);
        assert!(count >= LEAST, "only {count} of {property}; unable:\n{}", answers.unable.join("\n"));
    }
}

#[test]
fn what_staged_proves_is_confirmed() {
    let answers = ask_all("staged: safe", true);
    assert!(answers.refuted.is_empty(), "refuted:\n{}", answers.refuted.join("\n"));
    assert_enough(&answers, 0);
}

#[test]
fn what_is_wrong_is_refuted() {
    let answers = ask_all("truth: unsafe", false);
    assert!(answers.confirmed.is_empty(), "confirmed:\n{}", answers.confirmed.join("\n"));
    assert_enough(&answers, 1);
}
