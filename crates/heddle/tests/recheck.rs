//! The proofs of `staged` for the programs under `tests/programs` are confirmed by `recheck`, and never refuted;
//! violations in the others are never confirmed, and mostly refuted.

use base::{Budget, Stats};
use check::{Options, Proof, Task, Verdict};
use ir::{MemoryModel, Program, Property};
use recheck::Answer;
use std::collections::BTreeMap;
use std::time::Duration;
use testing::headers::{self, Question};

const TIME: Duration = Duration::from_secs(4);
/// Minimum number of answers of each property that are confirmed, or refuted: otherwise the test is vacuous.
const LEAST: usize = 10;
/// Minimum share of all answers, in percent; 88 were measured, on a busy machine.
const SHARE: usize = 70;
/// The bound for programs that are not proved.
const BOUND: u32 = 2;
const STACK_BYTES: usize = 256 << 20;

/// Whether `recheck` decides the question: it knows neither other models nor atomicity.
fn is_supported(question: &Question) -> bool {
    question.model == MemoryModel::Sc && question.property != Property::Atomicity
}

/// The answer of `recheck`, for a proof by `staged` if `is_proved`; `None` if there is no such proof.
fn ask(program: &Program, question: &Question, is_proved: bool) -> Option<Answer> {
    let task = Task {
        program,
        property: question.property,
        model: question.model,
        options: Options { inputs: question.inputs(), ..Options::default() },
        budget: Budget::new(Some(TIME), Some(2 << 30)),
        race_free: Default::default(),
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

/// The result of all questions: the numbers of confirmed and refuted answers of each property, and a line for each of
/// the others.
#[derive(Default)]
struct Answers {
    counts: BTreeMap<Property, [usize; 2]>,
    confirmed: Vec<String>,
    refuted: Vec<String>,
    unable: Vec<String>,
    /// Questions for which `staged` needs no bounded proof, or finds none in time.
    not_proved: Vec<String>,
}

/// Asks the supported and wanted questions of all programs.
fn ask_all(wanted: fn(&Question) -> bool, is_proved: bool) -> Answers {
    let work = move || {
        let mut answers = Answers::default();
        for path in headers::programs("programs") {
            let name = headers::name(&path);
            let mut count = |question: &Question, program: &Program| {
                let property = question.property;
                let counts = answers.counts.entry(property).or_default();
                match ask(program, question, is_proved) {
                    None => answers.not_proved.push(format!("{name}: {property}")),
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
            };
            let is_asked = |question: &Question| is_supported(question) && wanted(question);
            headers::ask(&path, is_asked, &mut count).expect("a program that loads");
        }
        answers
    };
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    worker.expect("a worker should start").join().expect("the worker should end")
}

/// Enough of each property, and most of all, were confirmed or refuted.
fn assert_enough(answers: &Answers, index: usize) {
    let open =
        format!("unable:\n{}\nwithout a bounded proof:\n{}", answers.unable.join("\n"), answers.not_proved.join("\n"));
    let is_all = std::env::var_os("HEDDLE_ONLY").is_none();
    for property in Property::EXPECTED.into_iter().filter(|_| is_all) {
        let count = answers.counts.get(&property).map_or(0, |counts| counts[index]);
        assert!(count >= LEAST, "only {count} of {property}; {open}");
    }
    let decided: usize = answers.counts.values().map(|counts| counts[index]).sum();
    let all = decided + answers.unable.len() + answers.not_proved.len();
    assert!(decided * 100 >= all * SHARE || !is_all, "only {decided} of {all}; {open}");
}

#[test]
fn what_staged_proves_is_confirmed() {
    let answers = ask_all(|question| question.recorded("staged") == Some("safe"), true);
    assert!(answers.refuted.is_empty(), "refuted:\n{}", answers.refuted.join("\n"));
    assert_enough(&answers, 0);
}

#[test]
fn what_is_wrong_is_refuted() {
    let answers = ask_all(|question| !question.is_safe, false);
    assert!(answers.confirmed.is_empty(), "confirmed:\n{}", answers.confirmed.join("\n"));
    assert_enough(&answers, 1);
}
