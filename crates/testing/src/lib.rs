//! The common part of tests of several crates and of the commands of `xtask`: random programs and litmus tests with
//! their shrinking, the laws that different analyses must obey on them, comparisons with native execution, the
//! parser of headers of test programs, and the comparison of their verdicts with these. No part of Heddle itself depends on this crate.

pub mod campaign;
pub mod exact;
pub mod headers;
mod left_out;
pub mod modular;
pub mod outcomes;
pub mod passed;
pub mod programs;
pub mod proofs;
pub mod threads;
pub mod trees;
pub mod verdicts;

pub use left_out::{left_out, left_out_unless_strict};
