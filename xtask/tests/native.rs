//! Random programs of csmith against native execution, as a short slice.

use std::time::Duration;
use xtask::native::{Plan, Variant};

#[test]
fn checksums_are_the_native_ones() {
    let plan = Plan { seeds: 4..9, variants: Variant::ALL.to_vec(), timeout: Duration::from_secs(20), out: None };
    let mut told = Vec::new();
    let report = xtask::native::run(&plan, &mut told).expect("a report");
    let told = String::from_utf8_lossy(&told);
    assert_eq!(report.differences(), 0, "{told}");
    let (asked, decided) = report.decided();
    assert!(asked == 25 && decided * 100 >= asked * 95, "{told}");
}
