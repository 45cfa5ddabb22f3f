//! The symbolic engines. This file is their table and nothing else: [`staged`] is an engine, [`skeleton`] and
//! [`domains`] the machinery below that every engine may use. Engines never import each other.

pub mod domains;
pub mod skeleton;
pub mod staged;

pub use staged::Staged;
