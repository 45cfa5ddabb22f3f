//! Random small concurrent C programs, small enough to be explored completely under every memory model, and rich in
//! situations that break plausible but wrong rules: plain stores mixed with read-modify-writes on one location, stores
//! in loops, locks that are never released, observers in a third and fourth thread, functions without shared accesses
//! or with one on one path only, threads that stay blocked, atomic regions.
//!
//! A seed and [`Settings`] determine one program permanently. A program starts as one of several shapes, each of which
//! contains one of these situations by construction, and is then mutated a few times.

pub mod ast;
mod make;
mod mutate;
pub mod print;
pub mod rng;
mod shapes;
pub mod shrink;

pub use make::{generate, Feature, Settings};
pub use print::print;
pub use shrink::shrink;

/// The C text of the program with this seed.
pub fn source(seed: u64, settings: &Settings) -> String {
    print(&generate(seed, settings), &format!("cargo xtask gen --seed {seed} {settings}"))
}
