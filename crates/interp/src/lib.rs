//! The executable semantics of Heddle's core form, for sc, tso, pso and ra: single steps, random runs, replay of a
//! schedule, exhaustive exploration. It is the test oracle for everything else, so it is written for clarity first.
//!
//! A state ([`state::State`]) and an action lead to one next state, except for questions ([`oracle`]) that come up inside
//! the step. [`step`] is the semantics of statements, [`memory`] that of accesses, [`models`] that of the
//! memory models.

pub mod atomicity;
mod enabled;
mod eval;
pub mod event;
pub mod explore;
mod follow;
pub mod guided;
pub mod happens_before;
mod inputs;
pub mod layout;
pub mod machine;
mod memory;
pub mod models;
pub mod object;
pub mod oracle;
mod ranges;
mod record;
pub mod run;
mod sharing;
pub mod state;
pub mod step;
mod threads;
pub mod value;
mod walk;

pub use enabled::Readiness;
pub use event::{BlockedOn, Event, EventKind, Observer, Place};
pub use explore::{explore, explore_ends, Ended, Exploration, ExploreOptions, Explored};
pub use follow::{follow, follow_from};
pub use machine::{Config, Gap, Machine, Site};
pub use oracle::InputDomain;
pub use run::{random_run, random_run_from, replay, stacks, varied_run, ReplayError, Run, RunEnd};
pub use walk::{call_in_progress, cell, Taken, Walk};
