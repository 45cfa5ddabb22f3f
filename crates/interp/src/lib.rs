//! The executable semantics of Heddle's core form, for sc, tso, pso and ra: single steps, random runs, replay of a
//! schedule, exhaustive exploration. It is the oracle for everything else, so it is written for clarity first.

pub mod event;

pub use event::{Event, EventKind, Observer, Place};
