//! A short slice of `cargo xtask threads`, and a check that the comparison reports errors.

use std::time::Duration;
use testing::threads::ast::{
    Act, Api, Arguments, Bug, Cell, Dress, Lock, LockKind, Place, Program, Race, Sharing, Shell, Stmt, Taking, Thread,
    Type,
};
use testing::threads::compare::{Examiner, Law, Question};
use testing::threads::native::Native;
use testing::threads::{run, Limits, Plan};

/// The directory for native builds, unless sanitizers are not installed: then the tests are skipped with a message,
/// which HEDDLE_STRICT makes an error.
fn native() -> Option<Native> {
    let native = Native::new().expect("a directory for native programs");
    match native.check() {
        Ok(()) => Some(native),
        Err(problem) => {
            testing::left_out_unless_strict(&format!("native execution does not work here: {problem:#}"));
            None
        }
    }
}

#[test]
fn native_execution_and_heddle_agree() {
    if native().is_none() {
        return;
    }
    let limits = Limits { timeout: Duration::from_secs(10), repetitions: 100, sanitized: 10 };
    // These include programs of each library, without a bug, with a race and with a memory error.
    let plan = Plan { seed: 123, count: 8, limits, out: None, shrink_tests: 20 };
    let mut told = Vec::new();
    let report = run(&plan, &mut told).expect("the oracle should run");
    let told = String::from_utf8_lossy(&told);
    assert!(report.violations.is_empty(), "{told}");
    assert_eq!(report.programs, plan.count);
    assert!(report.decided * 2 > report.programs, "{told}");
    let answered =
        |kind: &str, question: Question| report.tally.get(&(kind, question)).is_some_and(|[yes, ..]| *yes > 0);
    assert!(answered("without a bug", Question::Outcomes), "{told}");
    assert!(answered("seeded race", Question::Race) && answered("seeded memory error", Question::Memory), "{told}");
}

/// Two threads that change a cell, without a lock.
fn two_writers(sharing: Sharing, bug: Option<Bug>) -> Program {
    let act = Act::Update { cell: 0, value: 1, dress: Dress::Plain, taking: Taking::Calls };
    let thread = Thread { phases: vec![vec![Stmt { act, shell: Shell::Bare }]] };
    Program {
        api: Api::Pthread,
        threads: vec![thread.clone(), thread],
        cells: vec![Cell { place: Place::Global(Type::Int), sharing }],
        atomics: vec![],
        channels: vec![],
        arguments: Arguments::Variables,
        bug,
    }
}

#[test]
fn a_race_in_a_program_that_should_have_none_is_noticed() {
    let Some(native) = native() else { return };
    let examiner = Examiner { native: &native, limits: Limits::default() };
    let found = examiner.examine(&two_writers(Sharing::Private(0), None), 1, None).expect("an examination");
    let laws: Vec<Law> = found.violations.iter().map(|violation| violation.law).collect();
    assert_eq!(laws, [Law::Clean, Law::NoFalseRace]);
}

#[test]
fn a_seeded_bug_that_is_not_there_is_noticed() {
    let Some(native) = native() else { return };
    let examiner = Examiner { native: &native, limits: Limits::default() };
    let lock = Lock { kind: LockKind::Mutex, index: 0 };
    let program = two_writers(Sharing::Guarded(lock), Some(Bug::Race(Race::Bare)));
    let found = examiner.examine(&program, 1, None).expect("an examination");
    let laws: Vec<Law> = found.violations.iter().map(|violation| violation.law).collect();
    assert_eq!(laws, [Law::Seeded]);
}

#[test]
fn an_outcome_that_is_not_reached_is_noticed() {
    let Some(native) = native() else { return };
    let examiner = Examiner { native: &native, limits: Limits::default() };
    let lock = Lock { kind: LockKind::Mutex, index: 0 };
    let program = two_writers(Sharing::Guarded(lock), None);
    let text = testing::threads::print::print(&program, "");
    // The native program differs from the one Heddle sees.
    let other = text.replace("results[0] = seen;", "results[0] = seen;\n#ifdef NATIVE\nresults[0]++;\n#endif");
    let found = examiner.examine_text(&program, other, 3, None).expect("an examination");
    let laws: Vec<Law> = found.violations.iter().map(|violation| violation.law).collect();
    assert_eq!(laws, [Law::Reached, Law::NotExcluded]);
}
