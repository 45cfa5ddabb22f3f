//! Work on Heddle itself, as a library so that tests can use it: random programs and their shrinking, campaigns that
//! compare what different parts of Heddle say about them, checks of the source tree, checks of loading a suite,
//! random formulas for the solver, comparisons with `lli`, with native execution and with the C library, growth with the number of threads,
//! packages.

pub mod analysis;
pub mod campaign;
pub mod dist;
pub mod driver;
pub mod exact;
pub mod formulas;
pub mod interference;
pub mod large;
pub mod library;
pub mod loadcheck;
pub mod lowering;
pub mod modes;
pub mod modular;
pub mod mutate;
pub mod native;
pub mod outcomes;
pub mod programs;
pub mod proofs;
pub mod scaling;
pub mod suite;
pub mod threads;
pub mod tidy;
pub mod trees;
