//! Every program in the core form under `tests/hir` gets its verdict (`testing::verdicts`): engines without clang.

#[test]
fn programs_in_the_core_form_get_their_verdicts() {
    testing::verdicts::check("hir");
}
