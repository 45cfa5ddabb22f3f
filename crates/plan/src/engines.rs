//! The table of engines.

use crate::explore::Explore;
use check::{Engine, Outcome, Task};
use engines::impact::Faults;
use engines::{Impact, Priori, Staged};

/// Every engine, `auto` first.
pub const ENGINES: [&dyn Engine; 5] = [
    &Auto,
    &Explore,
    &Staged { realise: crate::realise::realise },
    &Impact { realise: crate::realise::realise, faults: Faults::NONE },
    &Priori { settle: crate::settle::settle },
];

/// The engine with this name.
pub fn engine_named(name: &str) -> Option<&'static dyn Engine> {
    ENGINES.into_iter().find(|engine| engine.name() == name)
}

/// Chooses among the other engines: explore, so far.
struct Auto;

impl Engine for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn about(&self) -> &'static str {
        "choose by the program (today: explore)"
    }

    fn run(&self, task: &Task<'_>) -> Outcome {
        Explore.run(task)
    }
}
