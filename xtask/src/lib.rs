//! Work on Heddle itself, as a library so that tests can use it: random programs and their shrinking, campaigns that
//! compare what different parts of Heddle say about them, checks of the source tree, checks of loading a suite,
//! random formulas for the solver, growth with the number of threads, models of library functions against the C library, packages.

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
pub mod modes;
pub mod modular;
pub mod outcomes;
pub mod programs;
pub mod proofs;
pub mod scaling;
pub mod tidy;
pub mod trees;
