//! Abstract domains, one per file, independent of programs: numbers ([`number`]), environments of numbers behind one
//! trait ([`numeric`], [`intervals`], [`octagons`]) and partial orders of stores ([`orders`]).

pub mod bits;
pub mod intervals;
pub mod number;
pub mod numeric;
pub mod octagons;
pub mod orders;

pub use bits::Bits;
pub use intervals::Intervals;
pub use number::Number;
pub use numeric::{Linear, Numeric, Var};
pub use octagons::Octagons;
pub use orders::{EventId, Events, Order};
