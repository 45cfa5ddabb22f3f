//! A slice of the campaign on trees of the engine `impact`: its answers are right and its proofs check, and without what the
//! method needs there are false proofs, which the checker refuses.

use std::time::Duration;
use xtask::outcomes::litmus::Shape;
use xtask::trees::{run, Fault};

const SHAPE: Shape = Shape { accesses: 7, ends: true, loops: true };

#[test]
fn trees_agree_with_exploration() {
    let mut told = Vec::new();
    let report = run(900..940, SHAPE, Fault::None, Duration::from_secs(5), &mut told).expect("a report");
    assert_eq!((report.refused, report.wrong), (0, 0), "{}", String::from_utf8_lossy(&told));
    assert!(report.answers[0] > 20 && report.answers[1] > 20, "{}", String::from_utf8_lossy(&told));
}

#[test]
fn what_the_method_needs_is_missed() {
    for fault in [Fault::CoverExpansion, Fault::Requeueing] {
        let mut told = Vec::new();
        let report = run(1..400, SHAPE, fault, Duration::from_secs(5), &mut told).expect("a report");
        let told = String::from_utf8_lossy(&told);
        assert!(report.refused > 0 && report.false_proofs > 0, "{fault:?}: {told}");
        assert_eq!(report.wrong, 0, "{fault:?} should not get past the checker: {told}");
    }
}
