//! The solver: Booleans, bit-vectors and arrays over CaDiCaL, and a theory of orders that runs inside it.
//!
//! Bottom up: [`sat`] is CaDiCaL with budgets; [`order`] is the theory of orders; [`term`] holds formulas, normalised while
//! they are built; `gates` and `blast` turn them into clauses; `arrays` adds the theory of arrays on demand; [`solver`] is
//! the interface for engines; [`proof`] and [`certificate`] prove its answers.

mod arrays;
mod blast;
pub mod certificate;
mod gates;
pub mod interpolation;
pub mod order;
pub mod proof;
pub mod sat;
pub mod script;
pub mod solver;
pub mod term;

pub use sat::{Answer, Lit, Sat};
pub use solver::Solver;
pub use term::{Bits, Sort, Term, Terms, Value};
