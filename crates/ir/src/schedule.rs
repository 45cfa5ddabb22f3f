//! A schedule: everything about one run that the program does not determine. Engines return it as their counterexample;
//! the reference interpreter replays it.

use crate::fault::Fault;
use crate::library::LibraryRace;
use crate::memory_model::MemoryModel;
use crate::program::{EdgeId, FunctionId, LocalId};
use crate::property::Property;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// The action of a thread in one step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Takes the edge at its location (the first whose condition holds, where there are several).
    Step,
    /// Goes on although the awaited condition does not hold (a spurious wake-up or a time-out).
    Wake,
    /// The entry with this index of the thread's store buffer (0 is the oldest) reaches memory.
    Flush(u32),
}

/// An answer to a question that comes up inside a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pick {
    /// The value of an input: of a havoc or of an undefined value that was used.
    Input(#[serde(with = "wide")] u128),
    /// Release-acquire: which write is read, counted from the oldest the thread may still read (0).
    Read(u32),
    /// Release-acquire: where a write goes in modification order, counted from the first place allowed (0).
    Place(u32),
    /// Whether a weak compare-exchange fails spuriously.
    SpuriousFailure(bool),
}

/// JSON numbers are not exact above 2^53 everywhere: 128-bit values are written as decimal strings.
mod wide {
    use serde::{Deserialize, Deserializer, Serializer};
    pub(super) fn serialize<S: Serializer>(value: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&value.to_string())
    }
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// One step of a run.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct ScheduleStep {
    /// The number of the thread that moves (`main` is 1).
    pub thread: u32,
    /// Its action.
    pub action: Action,
    /// The answers to the questions of this step, in order.
    #[serde(default, skip_serializing_if = "SmallVec::is_empty")]
    pub picks: SmallVec<[Pick; 2]>,
}

/// A run, up to its last step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Schedule {
    /// The memory model of the run.
    pub model: MemoryModel,
    /// The property violated at its end.
    pub property: Property,
    /// The steps, the violating one last (a deadlock has none: the state after the last step is the deadlock).
    pub steps: Vec<ScheduleStep>,
}

/// A violation in a run, with its position.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Violation {
    /// The fault.
    pub fault: Fault,
    /// The library function that it happened in, if any.
    pub inside: Option<String>,
    /// The thread that caused it, if any.
    pub thread: Option<u32>,
    /// The statement that caused it, if any.
    pub at: Option<(FunctionId, EdgeId)>,
    /// A second statement involved: the other access of a race, or the one between two that should be atomic.
    pub other: Option<(u32, FunctionId, EdgeId)>,
    /// A third one, of the same thread: the first of two accesses that should be atomic.
    pub first: Option<(FunctionId, EdgeId)>,
}

impl Violation {
    /// The violated property.
    pub fn property(&self) -> Property {
        self.fault.property()
    }

    /// In words: `assertion failed: x == 1`.
    pub fn message(&self) -> String {
        match &self.inside {
            Some(name) => format!("{} (in {name})", self.fault),
            None => self.fault.to_string(),
        }
    }

    /// The two calls, if it is a race of library functions.
    pub fn library(&self) -> Option<&LibraryRace> {
        match &self.fault {
            Fault::LibraryRace(race) => Some(race),
            _ => None,
        }
    }
}

/// A step of a run as found by an engine that does not execute programs: threads have the engine's own numbers, and
/// values are given for all questions that may come up. Replaying it in the reference interpreter yields a
/// [`ScheduleStep`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// The engine's number of the thread; `main` is 0.
    pub thread: u32,
    /// The kind of the move.
    pub act: Act,
    /// The executed statement.
    pub at: (FunctionId, EdgeId),
    /// The engine's number of the created thread.
    pub makes: Option<u32>,
    /// The values of variables that the statement mentions, if they are uninitialised.
    pub locals: Vec<(LocalId, u128)>,
    /// The value that it reads from memory, if that is uninitialised, or the value of a bounded input.
    pub found: Option<u128>,
    /// Whether a weak compare-exchange fails spuriously.
    pub fails: bool,
    /// Whether a wait goes on although its condition does not hold.
    pub wakes: bool,
    /// Release-acquire: the write that it reads from, and the predecessor of its own write, among all that exist.
    pub reads: Option<Written>,
    /// See `reads`.
    pub follows: Option<Written>,
}

/// The kind of a [`Move`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// The thread executes its next statement.
    Step,
    /// The store of the move with this number reaches memory.
    Flush(usize),
    /// The pending fence after a write, if there is one.
    Fence,
}

/// A write that a [`Move`] refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    /// The initial value.
    Initially,
    /// The write of the move with this number.
    By(usize),
}
