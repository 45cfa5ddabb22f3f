//! The symbolic engines. This file is their table and nothing else: [`staged`] and [`priori`] are engines ([`interference`] is
//! the beginning of one), [`skeleton`] and
//! [`domains`] the machinery below that every engine may use. Engines never import each other.

pub mod domains;
pub mod interference;
pub mod naive;
pub mod priori;
pub mod skeleton;
pub mod slice;
pub mod staged;

pub use naive::confirm;
pub use priori::Priori;
pub use staged::Staged;
