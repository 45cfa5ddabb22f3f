//! The solver: Booleans, bit-vectors and arrays over CaDiCaL, and a theory of orders that runs inside it.
//!
//! Bottom up: [`sat`] is CaDiCaL with budgets; [`order`] is the theory of orders; [`proof`] certifies
//! answers.

pub mod order;
pub mod proof;
pub mod sat;

pub use sat::{Lit, Sat};
