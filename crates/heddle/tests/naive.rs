//! What `staged` proves of the programs under `tests/programs` is confirmed by the naive encoder, and never refuted.

use base::{Budget, Stats};
use check::{Inputs, Options, Proof, Task, Verdict};
use engines::naive::Answer;
use ir::{MemoryModel, Property};
use std::path::{Path, PathBuf};
use std::time::Duration;

const TIME: Duration = Duration::from_secs(10);
/// At least so many proofs are confirmed: otherwise this tests nothing.
const LEAST_CONFIRMED: usize = 30;
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

/// What a program's first lines say about `staged` (see `programs.rs`): the promised inputs and clang's arguments of the
/// questions that it is recorded to prove.
fn proved(text: &str) -> Vec<(Property, Option<Vec<i128>>, Vec<String>)> {
    let (mut question, mut found) = (None, Vec::new());
    for line in text.lines() {
        if line.contains("property: ") {
            let names = [Property::Unreach, Property::Race, Property::Locks, Property::Memory];
            let is_about = |property: &Property| line.contains(&format!("property: {property}"));
            let property = names.into_iter().find(is_about).filter(|_| !line.contains("model: "));
            question = property.map(|property| (property, line));
        }
        if line.starts_with("//") && line.contains("staged: safe") {
            if let Some((property, question)) = question {
                let value = |key: &str| question.split("  ").find_map(|part| part.trim().strip_prefix(key));
                let numbers = |text: &str| text.split(',').filter_map(|value| value.trim().parse().ok()).collect();
                let words = |text: &str| text.split_ascii_whitespace().map(str::to_owned).collect();
                found.push((property, value("inputs:").map(numbers), value("args:").map(words).unwrap_or_default()));
            }
        }
    }
    found
}

/// What the naive encoder says of a proof by `staged`; `None` if there is no such proof.
fn confirm(path: &Path, property: Property, inputs: Option<Vec<i128>>, clang_args: Vec<String>) -> Option<Answer> {
    let options = front::LoadOptions { data_model: None, entry: None, clang_args };
    let program = front::load(&[path.to_owned()], &options).0.expect("the program should load");
    let inputs = Inputs { promised: inputs.is_some(), values: inputs };
    let task = Task {
        program: &program,
        property,
        model: MemoryModel::Sc,
        options: Options { inputs, ..Options::default() },
        budget: Budget::new(Some(TIME), Some(2 << 30)),
    };
    let engine = plan::engine_named("staged").expect("the engine should exist");
    let Verdict::Safe(safe) = plan::solve(&task, engine, false).outcome.verdict else { return None };
    let Proof::Bounded { iterations, .. } = *safe.proof() else { return None };
    let task = Task { budget: Budget::new(Some(TIME), Some(2 << 30)), ..task };
    Some(engines::confirm(&task, iterations, &mut Stats::default()))
}

#[test]
fn what_staged_proves_is_confirmed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut programs = Vec::new();
    collect(&root, &mut programs);
    programs.sort();
    if let Ok(only) = std::env::var("HEDDLE_ONLY") {
        programs.retain(|path| path.to_string_lossy().contains(&only));
    }
    let is_all = std::env::var_os("HEDDLE_ONLY").is_none();
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        let (mut confirmed, mut unable, mut refuted) = (0, Vec::new(), Vec::new());
        for path in &programs {
            let name = path.strip_prefix(&root).unwrap_or(path).display().to_string();
            let text = std::fs::read_to_string(path).expect("the program should be readable");
            for (property, inputs, clang_args) in proved(&text) {
                match confirm(path, property, inputs, clang_args) {
                    None => {}
                    Some(Answer::Confirmed) => confirmed += 1,
                    Some(Answer::Unable { kind, why }) => unable.push(format!("{name}: {}: {why}", kind.name())),
                    Some(Answer::Refuted { what, execution }) => {
                        refuted.push(format!("{name}: {property}: {what}\n  {}", execution.join("\n  ")));
                    }
                }
            }
        }
        (confirmed, unable, refuted)
    });
    let (confirmed, unable, refuted) = worker.expect("a worker should start").join().expect("the worker should end");
    assert!(refuted.is_empty(), "refuted:\n{}", refuted.join("\n"));
    assert!(confirmed >= LEAST_CONFIRMED || !is_all, "{confirmed} confirmed; unable:\n{}", unable.join("\n"));
}
