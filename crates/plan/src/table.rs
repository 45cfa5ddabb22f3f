//! The table of engines.

use crate::auto::Auto;
use crate::explore::Explore;
use crate::slice::Slice;
use check::Engine;
use engines::{Impact, Interference, Priori, Staged, Tar};

/// Every engine, `auto` first. A new engine is one line here.
pub const ENGINES: [&dyn Engine; 8] = [&Auto, &Explore, &Staged, &Impact, &Interference, &Priori, &Tar, &Slice];

/// The engine with this name.
pub fn engine_named(name: &str) -> Option<&'static dyn Engine> {
    ENGINES.into_iter().find(|engine| engine.name() == name)
}
