//! A schedule: everything about one run that the program does not determine. Engines hand it out as their
//! counterexample; the reference interpreter replays it.

use crate::fault::Fault;
use crate::library::LibraryRace;
use crate::memory_model::MemoryModel;
use crate::program::{EdgeId, FunctionId, LocalId};
use crate::property::Property;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// What a thread does in one step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Takes the edge at its location (the first whose condition holds, where there are several).
    Step,
    /// Goes on although what it waits for has not come (a spurious wake-up or a time-out).
    Wake,
    /// The entry with this index of the thread's store buffer (0 is the oldest) reaches memory.
    Flush(u32),
}

/// An answer to a question that came up inside a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pick {
    /// The value of an input: of a havoc or of an undefined value that was used.
    Input(#[serde(with = "wide")] u128),
    /// Release-acquire: which write is read, counted from the oldest the thread may still read (0).
    Read(u32),
    /// Release-acquire: where a write goes in modification order, counted from the first place allowed (0).
    Place(u32),
    /// Whether a weak compare-exchange fails for no reason.
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
    /// What it does.
    pub action: Action,
    /// The answers to the questions of this step, in the order they come up.
    #[serde(default, skip_serializing_if = "SmallVec::is_empty")]
    pub picks: SmallVec<[Pick; 2]>,
}

/// A run, up to its last step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Schedule {
    /// The model it runs under.
    pub model: MemoryModel,
    /// What was violated at its end.
    pub property: Property,
    /// The steps, the violating one last (a deadlock has none: the state after the last step is the deadlock).
    pub steps: Vec<ScheduleStep>,
}

/// What went wrong in a run, and where.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Violation {
    /// What it is.
    pub fault: Fault,
    /// The library function that it happened in, if it did in one.
    pub inside: Option<String>,
    /// The thread that did it, if one did.
    pub thread: Option<u32>,
    /// The statement, if one did it.
    pub at: Option<(FunctionId, EdgeId)>,
    /// A second statement that takes part: the other access of a race, or that between two that are meant to be one.
    pub other: Option<(u32, FunctionId, EdgeId)>,
    /// A third one, of the same thread: the first of two accesses that are meant to be one.
    pub first: Option<(FunctionId, EdgeId)>,
}

impl Violation {
    /// What was violated.
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

    /// The two calls, of a race that is one of library functions.
    pub fn library(&self) -> Option<&LibraryRace> {
        match &self.fault {
            Fault::LibraryRace(race) => Some(race),
            _ => None,
        }
    }
}

/// A step of a run as an engine tells it that reasons about programs without running them: threads have the engine's own
/// numbers, and values are given for whatever may turn out to be asked. Followed in the reference interpreter, it becomes
/// a [`ScheduleStep`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// The engine's number of the thread; `main` is 0.
    pub thread: u32,
    /// What happens.
    pub act: Act,
    /// What the thread does.
    pub at: (FunctionId, EdgeId),
    /// The engine's number of the thread that this makes.
    pub makes: Option<u32>,
    /// The values of variables that the statement mentions, should they have none.
    pub locals: Vec<(LocalId, u128)>,
    /// What it finds in memory, should there be nothing, or the value of a bounded input.
    pub found: Option<u128>,
    /// Whether a weak compare-exchange fails for no reason.
    pub fails: bool,
    /// Whether a wait goes on although not ready.
    pub wakes: bool,
    /// Release-acquire: what it reads from, and what its write comes right after, of all that are there.
    pub reads: Option<Written>,
    /// See `reads`.
    pub follows: Option<Written>,
}

/// What happens in a [`Move`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// The thread executes its next statement.
    Step,
    /// What it stored in the move with this number reaches memory.
    Flush(usize),
    /// The fence that is due after a write, if it is due.
    Fence,
}

/// A write that a [`Move`] speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    /// What was there before all others.
    Initially,
    /// What the move with this number wrote.
    By(usize),
}
