//! The engine `tar` on its own, with nobody to settle what it does not prove: of every program under `tests/programs` it must
//! not prove what is not true, and where it is recorded what it says (`// tar: safe`, or `unknown`) it must say that.

use base::Budget;
use check::{Engine, Options, Task, Verdict};
use engines::tar::{self, Algorithm, Tar};
use ir::{DataModel, MemoryModel, Property};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The time for programs that are about predicates, of which they need little: there is enough for busy machines.
const TIME_PER_TASK: Duration = Duration::from_secs(900);
/// The time for the others, which are proved at once or not at all.
const TIME_FOR_FACTS: Duration = Duration::from_secs(3);
/// Predicates are tried on one in so many of the programs that are not about this engine.
const ONE_IN: usize = 6;
const STACK_BYTES: usize = 256 << 20;

struct Question {
    property: Property,
    model: MemoryModel,
    is_safe: bool,
    data_model: Option<DataModel>,
    args: Vec<String>,
    libc: front::Libc,
    /// What is recorded that it says.
    tar: Option<String>,
}

fn questions(text: &str) -> Vec<Question> {
    let mut found: Vec<Question> = Vec::new();
    for line in text.lines() {
        let Some(line) = line.strip_prefix("//").or_else(|| line.strip_prefix(";")) else { continue };
        let pairs: Vec<(&str, &str)> = line
            .split("  ")
            .filter_map(|part| part.split_once(':'))
            .map(|(key, value)| (key.trim(), value.trim()))
            .collect();
        let get = |key: &str| pairs.iter().find(|(name, _)| *name == key).map(|(_, value)| *value);
        match (get("property"), get("tar"), found.last_mut()) {
            (Some(property), _, _) => found.push(Question {
                property: property.parse().expect("a property"),
                model: get("model").map_or(MemoryModel::Sc, |model| model.parse().expect("a model")),
                is_safe: get("truth") == Some("safe"),
                data_model: get("data-model").map(|name| match name {
                    "ilp32" => DataModel::Ilp32,
                    _ => DataModel::Lp64,
                }),
                args: get("args").map_or(vec![], |args| args.split_whitespace().map(str::to_owned).collect()),
                libc: get("libc").map_or(front::Libc::default(), |libc| libc.parse().expect("a C library")),
                tar: None,
            }),
            (None, Some(says), Some(last)) => last.tar = Some(says.to_owned()),
            (None, _, _) => {}
        }
    }
    found
}

fn collect(folder: &Path, programs: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("a readable folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, programs);
        } else if path.extension().is_some_and(|ending| ["c", "cpp", "ll"].iter().any(|known| ending == *known)) {
            programs.push(path);
        }
    }
}

/// A program, and how it was loaded.
struct Loaded {
    data_model: Option<DataModel>,
    args: Vec<String>,
    libc: front::Libc,
    program: ir::Program,
}

/// Asks all questions about a program; counts what is proved.
fn examine(path: &Path, modes: &tar::Options, problems: &mut Vec<String>) -> usize {
    let text = std::fs::read_to_string(path).expect("a readable program");
    let is_about_predicates = path.parent().is_some_and(|folder| folder.ends_with("predicates"));
    let time = if is_about_predicates { TIME_PER_TASK } else { TIME_FOR_FACTS };
    let mut proved = 0;
    let mut loaded: Option<Loaded> = None;
    for question in questions(&text) {
        let Question { data_model, args, libc, .. } = &question;
        if loaded.as_ref().is_none_or(|old| (&old.data_model, &old.args, &old.libc) != (data_model, args, libc)) {
            let options = front::LoadOptions {
                data_model: *data_model,
                clang_args: args.clone(),
                libc: *libc,
                ..front::LoadOptions::default()
            };
            let (program, _) = front::load(&[path.to_owned()], &options);
            let program = program.expect("a program that loads");
            loaded = Some(Loaded { data_model: *data_model, args: args.clone(), libc: *libc, program });
        }
        let Some(Loaded { program, .. }) = &loaded else { continue };
        let task = Task {
            program,
            property: question.property,
            model: question.model,
            options: Options::default().with(modes.clone()),
            budget: Budget::new(Some(time), None),
        };
        let verdict = Tar.run(&task, &plan::TakingTurns).verdict;
        let what = format!("{}: {} under {}", path.display(), question.property, question.model);
        match (&verdict, question.is_safe) {
            (Verdict::Safe(_), true) => proved += 1,
            (Verdict::Safe(_), false) => problems.push(format!("{what}: WRONG: proved, but it is not true")),
            (Verdict::Unsafe(_) | Verdict::Unknown(_), _) => {}
        }
        if question.tar.as_deref().is_some_and(|says| says != verdict.name()) {
            let reasons = match &verdict {
                Verdict::Unknown(reasons) => reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
                Verdict::Safe(_) | Verdict::Unsafe(_) => String::new(),
            };
            problems.push(format!("{what}: {} is not what is recorded: {reasons}", verdict.name()));
        }
    }
    proved
}

#[test]
fn proofs_are_of_what_is_true() {
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(|| {
        let mut programs = Vec::new();
        collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs"), &mut programs);
        if let Ok(only) = std::env::var("HEDDLE_ONLY") {
            programs.retain(|path| path.to_string_lossy().contains(&only));
        }
        let mut problems = Vec::new();
        let mut proved = 0;
        for (index, path) in programs.iter().enumerate() {
            let is_tried = index % ONE_IN == 0 || path.parent().is_some_and(|folder| folder.ends_with("tar"));
            let algorithm = if is_tried { Algorithm::Below } else { Algorithm::Facts };
            proved += examine(path, &tar::Options { algorithm, ..tar::Options::default() }, &mut problems);
        }
        println!("{proved} proved");
        assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
    });
    worker.expect("a thread").join().expect("no problems");
}

/// Predicates alone prove what is recorded of the programs that are about them.
#[test]
fn predicates_need_no_facts() {
    let mut programs = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tar/predicates"), &mut programs);
    let modes = tar::Options { no_facts: true, ..tar::Options::default() };
    let mut problems = Vec::new();
    let proved: usize = programs.iter().map(|path| examine(path, &modes, &mut problems)).sum();
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
    assert!(proved >= 8, "{proved} proved");
}

/// Algorithm B of the paper, with assumptions from above, does not prove Example 1, of which it is recorded that the other algorithm
/// does. (With a mutex it does: who releases it must hold it.)
#[test]
fn assumptions_from_above_prove_less() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tar/predicates/owner-safe.c");
    let (program, _) = front::load(&[path], &front::LoadOptions::default());
    let program = program.expect("a program that loads");
    let tar = tar::Options { no_facts: true, algorithm: Algorithm::Above, ..tar::Options::default() };
    let options = Options::default().with(tar);
    let budget = Budget::new(Some(TIME_PER_TASK), None);
    let task = Task { program: &program, property: Property::Race, model: MemoryModel::Sc, options, budget };
    assert_eq!(Tar.run(&task, &plan::TakingTurns).verdict.name(), "unknown");
}

/// What is proved of any number of threads without predicates: they wait for condition variables, they read and write.
#[test]
fn any_number_of_threads() {
    let mut programs = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tar/many"), &mut programs);
    let mut problems = Vec::new();
    let modes = tar::Options { algorithm: Algorithm::Facts, ..tar::Options::default() };
    let proved: usize = programs.iter().map(|path| examine(path, &modes, &mut problems)).sum();
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
    assert_eq!(proved, 3);
}
