//! The order theory against an explicit transitivity encoding, brute force over all assignments, the clock encoding,
//! and litmus tests with known outcomes.
//!
//! A quick slice of random problems always runs. A campaign: `HEDDLE_FUZZ_ITERATIONS=100000 HEDDLE_FUZZ_SEED=7 cargo
//! test -p smt --test order -- --nocapture random`; a failure is shrunk and printed.

#[path = "order/litmus.rs"]
mod litmus;
#[path = "order/random.rs"]
mod random;
#[path = "order/reference.rs"]
mod reference;
#[path = "order/script.rs"]
mod script;
