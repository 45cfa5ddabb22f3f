//! What the tests of several crates and the commands of `xtask` share: random programs and litmus tests with their shrinking,
//! the laws that different ways to the same answer must obey on them, comparisons with native execution, and the parser of
//! what test programs say about themselves. No part of Heddle itself depends on this crate.

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

pub use left_out::{left_out, left_out_unless_strict};
