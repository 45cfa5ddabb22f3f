//! SMT-LIB 2 scripts of QF_BV and QF_ABV, so that the solver can be tested on external formulas.
//!
//! Follows the standard (Barrett, Fontaine, Tinelli: The SMT-LIB Standard, version 2.7). Deviations: options that only
//! switch a feature on (`:produce-models`, `:produce-unsat-assumptions`) are accepted and not required; `:print-success`
//! is off at first, as in all solvers; the first error ends the script. Assumptions may be any Boolean terms.
//!
//! Not supported: uninterpreted functions, declared sorts, quantifiers, integers, arrays of anything but bit-vectors,
//! recursive definitions, cores of named assertions and proofs.

mod lexer;
mod operators;
mod options;
mod session;
mod sorts;
mod terms;
mod tree;

pub(crate) use lexer::is_symbol_character;
pub use lexer::{Place, ScriptError};
pub(crate) use operators::is_theory_symbol;
pub use session::Session;
pub(crate) use tree::is_reserved;
