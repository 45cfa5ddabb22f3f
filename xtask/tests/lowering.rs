//! A short slice of the comparison of the lowering with `lli`: each supported instruction and intrinsic function, alone
//! and at the head of a chain.

#[test]
fn everything_that_is_lowered_has_a_generator() {
    assert_eq!(xtask::lowering::uncovered(), Vec::<String>::new());
}

#[test]
fn the_translation_computes_what_llvm_computes() {
    let subjects = xtask::lowering::subjects();
    let mut told = Vec::new();
    let report = xtask::lowering::run(0..12 * subjects, &mut told).expect("a report");
    let told = String::from_utf8_lossy(&told);
    assert!(report.differences.is_empty(), "{told}");
    assert!(report.gaps.is_empty(), "{told}");
    // Each subject and the three functions that end the process; LLVM itself compiles nearly all.
    assert_eq!(report.compared.len() as u64, subjects + 3, "{told}");
    assert!(report.refused.len() * 10 < 4 * subjects as usize, "{told}");
}
