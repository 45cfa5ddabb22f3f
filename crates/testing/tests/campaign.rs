//! A short slice of `cargo xtask campaign`, and a check that it is not vacuous.
#![allow(clippy::print_stdout)]

use check::Facts;
use ir::{MemoryModel, Order, Property};
use std::time::Duration;
use testing::campaign::facts::denied;
use testing::campaign::variants::is_tso_within_ra;
use testing::campaign::{add, run, Law, Limits, Plan, Report};
use testing::programs::ast::{Expr, Place, Program, Stmt, Thread, Var};
use testing::programs::{source, Settings};

/// Examines programs about these properties; each law must hold.
fn campaign(seed: u64, count: u64, properties: &[Property]) -> Report {
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
    let told = String::from_utf8_lossy(&told);
    println!("{told}");
    assert!(report.breaches.is_empty(), "{told}");
    assert_eq!(report.programs, count);
    report
}

/// For each model, the numbers of programs that violate the property and that are safe: both kinds must occur, or the
/// laws had little to compare. (The numbers of different models are not compared here: undecided programs are not
/// counted. The law `models` compares program by program.)
fn assert_both_kinds(report: &Report, property: Property) {
    for model in MemoryModel::ALL {
        let [violated, safe, _] = report.answers[&(property, model)];
        assert!(violated > 0 && safe > 0, "{property} under {model}: {violated} violated, {safe} safe");
    }
}

#[test]
fn random_programs_obey_the_laws() {
    let [assertions, races, misuse, atomicity] = std::thread::scope(|scope| {
        let slices: [(u64, u64, &[Property]); 4] = [
            (1000, 30, &[Property::Unreach]),
            (2048, 12, &[Property::Race, Property::Deadlock]),
            (3000, 8, &[Property::Locks, Property::Memory]),
            (5000, 12, &[Property::Atomicity]),
        ];
        let started = slices.map(|(seed, count, properties)| scope.spawn(move || campaign(seed, count, properties)));
        started.map(|slice| slice.join().expect("no law should be broken"))
    });
    assert_both_kinds(&assertions, Property::Unreach);
    assert_both_kinds(&races, Property::Race);
    assert_both_kinds(&races, Property::Deadlock);
    let mut all = Report::default();
    [assertions, races, misuse, atomicity].into_iter().for_each(|report| add(&mut all.compared, report.compared));
    for law in Law::ALL {
        assert!(all.compared.contains_key(law), "no program is asked about the law `{}`", law.name());
        assert!(!all.is_below_floor(*law), "the law `{}` compares too little: {:?}", law.name(), all.compared[law]);
    }
}

#[test]
fn an_engine_that_never_answers_is_noticed() {
    let mut report = Report::default();
    report.compared.insert(Law::Staged, [100, 0]);
    report.compared.insert(Law::Impact, [100, 100]);
    assert!(report.is_below_floor(Law::Staged) && !report.is_below_floor(Law::Impact));
    assert!(Law::ALL.iter().all(|law| law.floor() > 0));
}

#[test]
fn laws_are_documented() {
    let text = include_str!("../../../docs/testing.md");
    for law in Law::ALL {
        assert!(text.contains(&format!("  | `{}` |", law.name())), "docs/testing.md should describe `{}`", law.name());
    }
}

/// Limits for the law about facts.
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
    // Some of the programs are safe; that nothing is executed is false for all of them.
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
