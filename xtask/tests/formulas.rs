//! A slice of the solver's differential tests; `cargo xtask smt` runs long ones.
#![allow(clippy::print_stdout)]

use xtask::formulas::{run, Plan};

fn agrees(z3: bool, seed: u64, count: u64) {
    let mut output = Vec::new();
    let report = run(&Plan { seed, count, z3 }, &mut output).expect("the tests should run");
    let output = String::from_utf8_lossy(&output);
    print!("{output}");
    assert!(report.breaches.is_empty(), "{output}");
    if z3 && report.scripts == 0 {
        return testing::left_out("z3 is not installed");
    }
    assert_eq!(report.scripts, count);
    assert!(report.cores > 0 && report.certificates > 0, "cores and proofs should be among what is checked");
}

#[test]
fn small_formulas_agree_with_brute_force() {
    agrees(false, 1, 300);
}

#[test]
fn formulas_agree_with_z3() {
    agrees(true, 1, 200);
}
