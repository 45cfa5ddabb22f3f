//! The symbolic engines. This file is their table and nothing else: [`staged`] is an engine, [`skeleton`] the machinery
//! below that every engine may use. Engines never import each other.

pub mod naive;
pub mod skeleton;
pub mod slice;
pub mod staged;

pub use naive::confirm;
pub use staged::Staged;
