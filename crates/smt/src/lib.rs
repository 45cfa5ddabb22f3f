//! The solver: Booleans, bit-vectors and arrays over CaDiCaL, and a theory of orders that runs inside it.
//!
//! Bottom up: [`sat`] is CaDiCaL with budgets; [`term`] holds formulas, normalised while they are built; [`gates`] and
//! [`blast`] turn them into clauses; [`arrays`] adds what arrays mean on demand; [`solver`] is what engines use.

mod arrays;
mod blast;
mod gates;
pub mod interpolation;
pub mod sat;
pub mod solver;
pub mod term;

pub use sat::{Answer, Lit, Sat};
pub use solver::Solver;
pub use term::{Bits, Sort, Term, Terms, Value};
