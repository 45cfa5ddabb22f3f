//! Messages are only shown: renaming all of them changes no verdict, no kind of reason or premise, no run and no
//! witness.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use testing::headers::{self, Question};

/// One in this many test programs is checked.
const ONE_IN: usize = 29;
/// What differs from run to run.
const MEASURED: [&str; 3] = ["seconds", "memory_mb", "stats"];
/// What is a sentence in a report.
const SHOWN: [&str; 8] = ["detail", "message", "headline", "notes", "text", "what", "values", "proof"];
/// Programs in which a claim of each kind fails, or an obstacle has a kind of its own: always checked.
const ALWAYS: [&str; 14] = [
    "cond_cleared_unknown.c",
    "fread_overflow_unknown.c",
    "unreachable_after_condition_unknown.c",
    "unreachable_default_unknown.cpp",
    "locks/index-into-mutex.c",
    "locks/array-cleared-before.c",
    "numbers/half-vector-unknown.c",
    "locks/relock.c",
    "const_cast_unsafe.c",
    "cond_two_mutexes_unsafe.c",
    "memory/freed-while-read.c",
    "library/rand_unsafe.c",
    "deadlock/lost-signal.c",
    "atomic_large_unsafe.c",
];

fn heddle(args: &[&str], is_renamed: bool, folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.args(args).env("NO_COLOR", "1").env("SOURCE_DATE_EPOCH", "0").current_dir(folder).stdin(Stdio::null());
    match is_renamed {
        true => command.env("HEDDLE_RENAME_MESSAGES", "1"),
        false => command.env_remove("HEDDLE_RENAME_MESSAGES"),
    };
    command.output().expect("heddle should start")
}

/// The machine-readable part of a report: everything but sentences, times and sizes.
fn meaning(report: &Value) -> Value {
    match report {
        Value::Object(fields) => {
            let is_meant = |name: &str| !SHOWN.contains(&name) && !MEASURED.contains(&name);
            fields
                .iter()
                .filter(|(name, _)| is_meant(name))
                .map(|(name, value)| (name.clone(), meaning(value)))
                .collect()
        }
        Value::Array(items) => items.iter().map(meaning).collect(),
        other => other.clone(),
    }
}

fn questions(path: &Path) -> Vec<Question> {
    headers::questions_of(path).expect("a program with a header")
}

fn programs() -> Vec<PathBuf> {
    let all = headers::programs("programs");
    let is_always = |path: &Path| ALWAYS.iter().any(|name| path.ends_with(name));
    let chosen = all.into_iter().enumerate().filter(|(index, path)| index % ONE_IN == 0 || is_always(path));
    chosen.map(|(_, path)| path).collect()
}

/// `check`: the same status, and the same report but for sentences. Engines are asked one after the other, so that runs are the same.
#[test]
fn no_answer_depends_on_a_message() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (mut asked, mut renamed) = (0, 0);
    for path in programs() {
        let file = path.to_str().expect("a name in UTF-8");
        for question in questions(&path).iter().filter(|question| question.args.is_empty()) {
            let (property, model) = (question.property.to_string(), question.model.to_string());
            let args = [
                "check",
                "-j1",
                "--timeout",
                "60",
                "--format",
                "json",
                "--property",
                &property,
                "--memory-model",
                &model,
                file,
            ];
            let [plain, other] = [false, true].map(|is_renamed| heddle(&args, is_renamed, folder));
            let report = |output: &Output| -> Value { serde_json::from_slice(&output.stdout).expect("a report") };
            let (first, second) = (report(&plain), report(&other));
            assert_eq!(plain.status.code(), other.status.code(), "{file}: {first}\n{second}");
            assert_eq!(meaning(&first), meaning(&second), "{file}");
            asked += 1;
            renamed += usize::from(first["results"][0]["reasons"] != second["results"][0]["reasons"]);
        }
    }
    assert!(asked >= 30 && renamed >= 5, "{asked} asked, {renamed} with reasons that are renamed");
}

/// `sv-comp`: the same answer of the competition and the same witness.
#[test]
fn no_witness_depends_on_a_message() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wording");
    std::fs::create_dir_all(&folder).expect("a folder");
    let specifications = [
        ("unreach.prp", "CHECK( init(main()), LTL(G ! call(__assert_fail())) )\n"),
        ("race.prp", "CHECK( init(main()), LTL(G ! data-race) )\n"),
        ("memory.prp", "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n"),
    ];
    for (name, text) in specifications {
        std::fs::write(folder.join(name), text).expect("a file");
    }
    let mut refuted = 0;
    for path in programs().iter().filter(|path| path.extension().is_some_and(|ending| ending == "c")) {
        let file = path.to_str().expect("a name in UTF-8");
        let Some(question) = questions(path).into_iter().find(|question| question.args.is_empty()) else { continue };
        let specification = match question.property {
            ir::Property::Unreach => "unreach.prp",
            ir::Property::Race => "race.prp",
            ir::Property::Memory => "memory.prp",
            ir::Property::Deadlock | ir::Property::Locks | ir::Property::Atomicity => continue,
        };
        let said = [false, true].map(|is_renamed| {
            let witness = if is_renamed { "renamed.yml" } else { "plain.yml" };
            let _ = std::fs::remove_file(folder.join(witness));
            let args = [
                "sv-comp",
                "-j1",
                "--timeout",
                "60",
                "--property",
                specification,
                "--data-model",
                "LP64",
                "--witness",
                witness,
                file,
            ];
            let output = heddle(&args, is_renamed, &folder);
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            (output.status.code(), text, std::fs::read_to_string(folder.join(witness)).ok())
        });
        let [plain, renamed] = said;
        assert_eq!(plain, renamed, "{file}");
        refuted += usize::from(plain.1.starts_with("false("));
    }
    assert!(refuted >= 5, "only {refuted} are refuted");
}
