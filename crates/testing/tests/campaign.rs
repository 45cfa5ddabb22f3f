//! A short slice of what `cargo xtask campaign` does at length, and a check that it is not empty talk.

use check::Facts;
use ir::{MemoryModel, Order, Property};
use std::time::Duration;
use testing::campaign::facts::denied;
use testing::campaign::laws::is_tso_within_ra;
use testing::campaign::{run, Law, Limits, Plan};
use testing::programs::ast::{Expr, Place, Program, Stmt, Thread, Var};
use testing::programs::{source, Settings};

/// How many programs are violated and safe, by model, for the last of the properties.
fn campaign(seed: u64, count: u64, properties: &[Property]) -> [[u64; 2]; 4] {
    let limits = Limits {
        properties: properties.to_vec(),
        timeout: Duration::from_secs(20),
        slow_timeout: Duration::from_millis(200),
        random_runs: 1,
        ..Limits::default()
    };
    let settings = Settings { size: 1, ..Settings::default() };
    let plan = Plan { seed, count, settings, limits, out: None, shrink_tests: 100 };
    let mut told = Vec::new();
    let report = run(&plan, &mut told).expect("the campaign should run");
    assert!(report.breaches.is_empty(), "{}", String::from_utf8_lossy(&told));
    assert_eq!(report.programs, count);
    let last = *properties.last().expect("a property should be asked");
    MemoryModel::ALL.map(|model| {
        let [violated, safe, _] = report.answers[&(last, model)];
        [violated, safe]
    })
}

#[test]
fn assertions_obey_the_laws() {
    let answers = campaign(1000, 30, &[Property::Unreach]);
    assert!(answers.iter().all(|[violated, safe]| *violated > 0 && *safe > 0), "{answers:?}");
    // How many are violated under each model is not compared here: what is not decided in time is not counted. Program
    // by program it is, by the law `models`.
}

#[test]
fn races_and_deadlocks_obey_the_laws() {
    let answers = campaign(2048, 12, &[Property::Race, Property::Deadlock]);
    assert!(answers.iter().all(|[violated, safe]| *violated >= 1 && *safe >= 1), "{answers:?}");
}

#[test]
fn misuse_obeys_the_laws() {
    campaign(3000, 8, &[Property::Locks, Property::Memory]);
}

/// Limits for what engines tell each other.
fn about_facts() -> Limits {
    let timeout = Duration::from_secs(20);
    Limits { properties: vec![Property::Unreach, Property::Race], laws: vec![Law::Facts], timeout, ..Limits::default() }
}

#[test]
fn what_engines_tell_each_other_is_true() {
    let settings = Settings { size: 1, ..Settings::default() };
    let plan = Plan { seed: 4000, count: 25, settings, limits: about_facts(), out: None, shrink_tests: 100 };
    let mut told = Vec::new();
    let report = run(&plan, &mut told).expect("the campaign should run");
    assert!(report.breaches.is_empty(), "{}", String::from_utf8_lossy(&told));
    assert!(report.facts.iter().all(|count| *count > 0), "there should be facts of each kind: {:?}", report.facts);
}

#[test]
fn what_is_not_true_is_noticed() {
    let mut noticed = [0; 3];
    for seed in 4000..4012 {
        let text = source(seed, &Settings { size: 1, ..Settings::default() });
        let (program, _) = front::load_text("random.c", &text, &front::LoadOptions::default());
        let program = program.expect("random programs should load");
        let wrong = [
            (Property::Unreach, Facts { holds: program.assertions().collect(), ..Facts::default() }),
            (Property::Race, Facts { race_free: program.accesses().collect(), ..Facts::default() }),
            (Property::Race, Facts { unreached: program.statements().map(|(at, _)| at).collect(), ..Facts::default() }),
        ];
        for (index, (property, facts)) in wrong.iter().enumerate() {
            noticed[index] +=
                u32::from(denied(&program, (MemoryModel::Sc, *property), facts, &about_facts()).is_some());
        }
    }
    // Some of the programs are safe; that nothing is executed is wrong of all of them.
    assert!(noticed[0] > 0 && noticed[1] > 0 && noticed[2] == 12, "{noticed:?}");
}

/// A thread that stores to its own variable and then loads the other's.
fn store_then_load(own: usize, other: usize, store: Order, load: Order) -> Thread {
    let body = vec![
        Stmt::Store { place: Place::Var(own), value: Expr::Const(1), order: store },
        Stmt::Load { dst: 0, place: Place::Var(other), order: load },
    ];
    Thread { body, result: None, joined: true }
}

#[test]
fn tso_is_compared_with_ra_only_where_the_fences_match() {
    let program = |store: Order, load: Order| Program {
        vars: vec![Var::Int { init: 0, atomic: false }, Var::Int { init: 0, atomic: false }],
        threads: vec![store_then_load(0, 1, store, load), store_then_load(1, 0, store, load)],
        ..Program::default()
    };
    assert!(is_tso_within_ra(&program(Order::Plain, Order::Acquire)));
    assert!(is_tso_within_ra(&program(Order::SeqCst, Order::SeqCst)));
    assert!(!is_tso_within_ra(&program(Order::Release, Order::SeqCst)));
    // A variable declared `_Atomic` and read without an order is read seq_cst.
    let mut declared = program(Order::Release, Order::Plain);
    assert!(is_tso_within_ra(&declared));
    declared.vars[1] = Var::Int { init: 0, atomic: true };
    assert!(!is_tso_within_ra(&declared));
}
