//! The engine `tar` on its own, without an exact engine for what it does not prove: on every program under
//! `tests/programs` its proofs must be correct, and where its verdict is recorded (`// tar: safe`, or `unknown`) it
//! must give that verdict.

use base::Budget;
use check::{Engine, Options, Task, Verdict};
use engines::tar::{self, Algorithm, Tar};
use ir::{MemoryModel, Program, Property};
use std::path::Path;
use std::time::Duration;
use testing::headers::{self, Question};

/// The time limit for programs about predicates, of which they need little: generous, for busy machines.
const TIME_PER_TASK: Duration = Duration::from_secs(900);
/// The time limit for the others, which are proved at once or not at all.
const TIME_FOR_FACTS: Duration = Duration::from_secs(3);
/// Predicates are tried on one in this many of the programs that are not about this engine.
const ONE_IN: usize = 6;
/// Minimum number of correct programs that are proved.
const LEAST: usize = 100;
const STACK_BYTES: usize = 256 << 20;

/// Asks all questions about a program; counts the proofs.
fn examine(path: &Path, modes: &tar::Options, problems: &mut Vec<String>) -> usize {
    let is_about_predicates = path.parent().is_some_and(|folder| folder.ends_with("predicates"));
    let time = if is_about_predicates { TIME_PER_TASK } else { TIME_FOR_FACTS };
    let mut proved = 0;
    let mut ask = |question: &Question, program: &Program| {
        let task = Task {
            program,
            property: question.property,
            model: question.model,
            options: Options::default().with(modes.clone()),
            budget: Budget::new(Some(time), None),
            race_free: Default::default(),
        };
        let verdict = Tar.run(&task, &plan::TakingTurns).verdict;
        let what = format!("{}: {} under {}", path.display(), question.property, question.model);
        match (&verdict, question.is_safe) {
            (Verdict::Safe(_), true) => proved += 1,
            (Verdict::Safe(_), false) => problems.push(format!("{what}: WRONG: proved, but it is not true")),
            (Verdict::Unsafe(_) | Verdict::Unknown(_), _) => {}
        }
        if question.recorded("tar").is_some_and(|says| says != verdict.name()) {
            let reasons = match &verdict {
                Verdict::Unknown(reasons) => reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
                Verdict::Safe(_) | Verdict::Unsafe(_) => String::new(),
            };
            problems.push(format!("{what}: {} is not what is recorded: {reasons}", verdict.name()));
        }
    };
    headers::ask(path, |_| true, &mut ask).expect("a program that loads");
    proved
}

#[test]
fn proofs_are_of_what_is_true() {
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(|| {
        let programs = headers::programs("programs");
        let mut problems = Vec::new();
        let mut proved = 0;
        for (index, path) in programs.iter().enumerate() {
            let is_tried = index % ONE_IN == 0 || path.parent().is_some_and(|folder| folder.ends_with("tar"));
            let algorithm = if is_tried { Algorithm::Below } else { Algorithm::Facts };
            proved += examine(path, &tar::Options { algorithm, ..tar::Options::default() }, &mut problems);
        }
        println!("{proved} proved");
        assert!(proved >= LEAST || std::env::var_os("HEDDLE_ONLY").is_some(), "only {proved} proved");
        assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
    });
    worker.expect("a thread").join().expect("no problems");
}

/// Predicates alone prove what is recorded for the programs about them.
#[test]
fn predicates_need_no_facts() {
    let programs = headers::programs("tar/predicates");
    let modes = tar::Options { no_facts: true, ..tar::Options::default() };
    let mut problems = Vec::new();
    let proved: usize = programs.iter().map(|path| examine(path, &modes, &mut problems)).sum();
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
    assert!(proved >= 8, "{proved} proved");
}

/// Algorithm B of the paper, with assumptions from above, does not prove Example 1, which the other algorithm is recorded to prove.
/// (With a mutex it does: a thread that releases it must hold it.)
#[test]
fn assumptions_from_above_prove_less() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tar/predicates/owner-safe.c");
    let (program, _) = front::load(&[path], &front::LoadOptions::default());
    let program = program.expect("a program that loads");
    let tar = tar::Options { no_facts: true, algorithm: Algorithm::Above, ..tar::Options::default() };
    let options = Options::default().with(tar);
    let budget = Budget::new(Some(TIME_PER_TASK), None);
    let task = Task {
        program: &program,
        property: Property::Race,
        model: MemoryModel::Sc,
        options,
        budget,
        race_free: Default::default(),
    };
    assert_eq!(Tar.run(&task, &plan::TakingTurns).verdict.name(), "unknown");
}

/// Proofs for any number of threads without predicates: threads that wait for condition variables, and that read and
/// write.
#[test]
fn any_number_of_threads() {
    let programs = headers::programs("tar/many");
    let mut problems = Vec::new();
    let modes = tar::Options { algorithm: Algorithm::Facts, ..tar::Options::default() };
    let proved: usize = programs.iter().map(|path| examine(path, &modes, &mut problems)).sum();
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
    assert_eq!(proved, 3);
}
