//! placeholder
pub fn invariants() {}
