//! A slice of the campaign on proofs: no reachable outcome is proved unreachable.

use std::time::Duration;
use testing::outcomes::litmus::Shape;

#[test]
fn nothing_that_happens_is_proved_impossible() {
    let mut told = Vec::new();
    let shape = Shape { accesses: 7, ends: true, loops: true, ..Shape::FINITE };
    let report = testing::proofs::run(500..560, shape, Duration::from_secs(5), &mut told).expect("a report");
    assert_eq!(report.wrong, Vec::<String>::new(), "{}", String::from_utf8_lossy(&told));
    assert!(report.reached > 100);
    assert!(report.racy > 5 && report.free > 0);
}

#[test]
fn predicate_abstraction_proves_nothing_that_is_false() {
    let mut told = Vec::new();
    let shape = Shape { accesses: 6, ends: true, loops: true, ..Shape::FINITE };
    let report = testing::modular::run(0..30, shape, Duration::from_secs(5), &mut told).expect("a report");
    assert_eq!(report.wrong, Vec::<String>::new(), "{}", String::from_utf8_lossy(&told));
    assert!(report.reached > 30 && report.racy > 5 && report.free[0] > 5 && report.own[0] > 10, "{report:?}");
}
