//! A slice of the campaign on trees of the engine `impact`: its answers are right and its proofs check, and without
//! necessary parts of the method there are false proofs, which the checker rejects.

use std::time::Duration;
use testing::outcomes::litmus::Shape;
use testing::trees::{run, Fault};

const SHAPE: Shape = Shape { accesses: 7, ends: true, loops: true, ..Shape::FINITE };

fn agree_with_exploration(seeds: std::ops::Range<u64>, shape: Shape) {
    let mut told = Vec::new();
    let most = (seeds.end - seeds.start) / 2;
    let report = run(seeds, shape, Fault::None, Duration::from_secs(5), &mut told).expect("a report");
    assert_eq!((report.refused, report.wrong), (0, 0), "{}", String::from_utf8_lossy(&told));
    assert!(report.answers[0] > most && report.answers[1] > most, "{}", String::from_utf8_lossy(&told));
}

#[test]
fn trees_agree_with_exploration() {
    agree_with_exploration(900..940, SHAPE);
}

#[test]
fn trees_agree_with_exploration_about_loops_and_arrays() {
    agree_with_exploration(900..920, Shape { endless: true, accesses: 6, ..SHAPE });
    agree_with_exploration(900..920, Shape { cells: true, accesses: 5, ..SHAPE });
}

/// What is tracked about a value that is read or written at a variable index depends on what else is tracked at that
/// moment, so two steps that access different cells may lead to different locations when swapped.
#[test]
fn proofs_check_where_variable_places_are_told() {
    let shape = Shape { cells: true, accesses: 5, ..SHAPE };
    for seed in [961_000_016, 961_000_148, 961_000_696, 961_000_821, 961_000_836] {
        let mut told = Vec::new();
        let report = run(seed..seed + 1, shape, Fault::None, Duration::from_secs(5), &mut told).expect("a report");
        assert_eq!((report.refused, report.wrong), (0, 0), "{}", String::from_utf8_lossy(&told));
        assert!(report.answers[0] + report.answers[1] > 0, "{}", String::from_utf8_lossy(&told));
    }
}

fn is_missed(fault: Fault, seeds: std::ops::Range<u64>, accesses: usize) {
    let mut told = Vec::new();
    let shape = fault.shape(Shape { accesses, ..SHAPE });
    let report = run(seeds, shape, fault, Duration::from_secs(5), &mut told).expect("a report");
    let told = String::from_utf8_lossy(&told);
    assert!(report.refused > 0 && report.false_proofs > 0, "{fault:?}: {told}");
    assert_eq!(report.wrong, 0, "{fault:?} should not get past the checker: {told}");
}

#[test]
fn what_the_method_needs_is_missed() {
    for fault in [Fault::CoverExpansion, Fault::Requeueing, Fault::SkipOrder] {
        is_missed(fault, 1..400, 7);
    }
}

#[test]
fn what_loops_need_is_missed() {
    is_missed(Fault::SkipLoop, 246..270, 6);
}

/// The answers of these tests happen to be right; `crates/heddle/tests/impact.rs` has a program with a wrong one.
#[test]
fn what_arrays_need_is_noticed() {
    let shape = Shape { cells: true, accesses: 5, ..SHAPE };
    let report = run(340..375, shape, Fault::Alias, Duration::from_secs(5), &mut Vec::new()).expect("a report");
    assert!(report.refused > 0, "{report:?}");
    agree_with_exploration(340..375, shape);
}
