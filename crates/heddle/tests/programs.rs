//! Every program under `tests/programs` gets its verdict (`testing::verdicts`).

#[test]
fn programs_get_their_verdicts() {
    testing::verdicts::check("programs");
}
