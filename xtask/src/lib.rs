//! The commands for work on Heddle itself, as a library so that tests can use it: checks of the source tree, checks of
//! loading a suite, random formulas for the solver, comparisons with `lli`, with native execution and with the C library,
//! growth with the number of threads, mutants, packages. Random programs and the laws about them are in the crate `testing`.

pub mod analysis;
pub mod dist;
pub mod driver;
pub mod formulas;
pub mod interference;
pub mod large;
pub mod library;
pub mod loadcheck;
pub mod lowering;
pub mod modes;
pub mod mutate;
pub mod native;
pub mod scaling;
pub mod suite;
pub mod tidy;
pub mod times;
