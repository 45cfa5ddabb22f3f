//! The symbolic engines. This file only lists them: [`staged`], [`interference`], [`impact`], [`priori`] and [`tar`]
//! are engines; [`skeleton`], [`domains`], `symbolic`, `invariants` and `arithmetic` are machinery that every engine may use.
//! Engines never import each other.

mod arithmetic;
pub mod domains;
pub mod impact;
pub mod interference;
mod invariants;
pub mod priori;
pub mod skeleton;
pub mod slice;
pub mod staged;
mod symbolic;
pub mod tar;

pub use impact::Impact;
pub use interference::Interference;
pub use priori::Priori;
pub use skeleton::rounds::no_atomicity_under;
pub use staged::Staged;
pub use tar::Tar;
