//! The table of engines.

use crate::auto::Auto;
use crate::explore::Explore;
use check::Engine;
use engines::impact::Faults;
use engines::{Impact, Interference, Priori, Staged, Tar};

/// Every engine, `auto` first.
pub const ENGINES: [&dyn Engine; 7] = [
    &Auto,
    &Explore,
    &Staged { realise: crate::realise::realise },
    &Impact { realise: crate::realise::realise, faults: Faults::NONE },
    &Interference { follow: crate::follow },
    &Priori { settle: crate::settle::settle },
    &Tar { settle: Some(crate::settle::settle) },
];

/// The engine with this name.
pub fn engine_named(name: &str) -> Option<&'static dyn Engine> {
    ENGINES.into_iter().find(|engine| engine.name() == name)
}
