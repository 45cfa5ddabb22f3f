//! The story of a counterexample: its relevant steps, in order, grouped into one row per visited source line of one
//! thread. Made by replaying the schedule. Steps of the story are numbered from 1, and all references to steps in it
//! use that number, not the index in the schedule.

use crate::sources::Sources;
use crate::teller::Teller;
use base::Budget;
use check::Counterexample;
use interp::{Machine, RunEnd};
use ir::{MemoryModel, Program, Property, ScheduleStep, ThreadUnsafe, Violation};
use serde::Serialize;

/// A run as presented to the user.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Story {
    /// The violated property.
    pub property: Property,
    /// The memory model of the run.
    pub model: MemoryModel,
    /// What can happen, in a few words: `assertion can fail`.
    pub headline: String,
    /// The exact violation: `assertion failed: x == 1`.
    pub message: String,
    /// The two functions of the C library that need not be thread-safe, if their calls race.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub library: Vec<LibraryCall>,
    /// The place of the violation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Position>,
    /// The threads, in the order they were created; the first is `main`.
    pub threads: Vec<Lane>,
    /// The number of context switches away from a thread that could continue.
    pub context_switches: usize,
    /// The rows.
    pub steps: Vec<Row>,
    /// The relations between events: the arrows of a picture.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
}

/// A call of a function that need not be thread-safe.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LibraryCall {
    /// The function.
    pub function: String,
    /// The clause of the standard that says so.
    pub clause: String,
    /// A thread-safe replacement.
    pub instead: String,
}

impl From<&ThreadUnsafe> for LibraryCall {
    fn from(function: &ThreadUnsafe) -> LibraryCall {
        let ThreadUnsafe { name, clause, instead } = function;
        LibraryCall { function: (*name).into(), clause: (*clause).into(), instead: (*instead).into() }
    }
}

/// An event of a story.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Point {
    /// The number of its row.
    pub step: usize,
    /// Its index in [`Row::events`].
    pub event: usize,
}

/// The relation between two events.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// The second reads what the first wrote.
    ReadsFrom,
    /// Both write the same place, and the first immediately precedes the second there.
    Coherence,
    /// The second is the flush of the first, a buffered write.
    Flush,
    /// The first synchronises with the second: what precedes the first happens before what follows the second.
    Synchronises,
}

impl LinkKind {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            LinkKind::ReadsFrom => "reads-from",
            LinkKind::Coherence => "coherence",
            LinkKind::Flush => "flush",
            LinkKind::Synchronises => "synchronises",
        }
    }
}

/// An arrow between two events.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Link {
    /// The relation.
    pub kind: LinkKind,
    /// Its source.
    pub from: Point,
    /// Its target.
    pub to: Point,
}

/// A line of the source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Position {
    /// The file, as the compiler named it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// A thread of the story.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Lane {
    /// Its short name: `main`, `t1`.
    pub name: String,
    /// Its first function.
    pub function: String,
    /// The number the program sees.
    pub number: u32,
}

impl Lane {
    /// The name with the function: `t1 deposit`.
    pub fn title(&self) -> String {
        if self.name == self.function {
            self.name.clone()
        } else {
            format!("{} {}", self.name, self.function)
        }
    }
}

/// One row: the uninterrupted events of one thread at one line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Row {
    /// Its number in the story, from 1.
    pub step: usize,
    /// The index of its thread in [`Story::threads`].
    pub thread: usize,
    /// The line, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Position>,
    /// The text shown: the source, or words.
    pub text: String,
    /// The values read or written, as shown after the text: `→ 100`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub values: String,
    /// Remarks: origins of values, overwritten and unseen writes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Whether it overwrites another thread's write without having read it.
    #[serde(skip)]
    pub overwrites_unseen: bool,
    /// The events in detail.
    pub events: Vec<Effect>,
    /// Whether the violation can be understood without it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub aside: bool,
}

/// One event of a row.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Effect {
    /// A shared place was read.
    Read {
        /// The place.
        place: String,
        /// The value.
        value: String,
        /// The step that wrote it; none for an initial value.
        #[serde(skip_serializing_if = "Option::is_none")]
        written_at: Option<usize>,
        /// Steps that wrote the place earlier and that this read does not see.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        unseen: Vec<usize>,
    },
    /// A shared place was written.
    Write {
        /// The place.
        place: String,
        /// The value.
        value: String,
        /// The step whose value was replaced.
        #[serde(skip_serializing_if = "Option::is_none")]
        overwrites: Option<usize>,
        /// Whether the write waits in a store buffer.
        buffered: bool,
    },
    /// A buffered write reached memory.
    Flush {
        /// The place.
        place: String,
        /// The value.
        value: String,
        /// The step that wrote it.
        #[serde(skip_serializing_if = "Option::is_none")]
        written_at: Option<usize>,
    },
    /// An input was given a value.
    Input {
        /// The variable.
        name: String,
        /// The value.
        value: String,
    },
    /// A thread was created.
    Create {
        /// Its index in [`Story::threads`].
        child: usize,
    },
    /// A thread was joined.
    Join {
        /// Its index in [`Story::threads`].
        child: usize,
    },
    /// A lock was acquired.
    Lock {
        /// The lock.
        place: String,
    },
    /// A lock was released.
    Unlock {
        /// The lock.
        place: String,
    },
    /// A wait ended: the condition holds, or the thread continued without it.
    Wait {
        /// The condition.
        what: String,
        /// The object waited on.
        place: String,
        /// Whether the thread continued although the condition does not hold.
        spuriously: bool,
    },
    /// The run has ended and this thread still waits.
    Blocked {
        /// What it waits for.
        what: String,
        /// The lock, if it is one.
        #[serde(skip)]
        lock: Option<String>,
        /// The owner of the lock, or the thread to be joined: its index in [`Story::threads`].
        #[serde(skip_serializing_if = "Option::is_none")]
        other: Option<usize>,
    },
    /// Heap memory was allocated.
    Alloc {
        /// Its name.
        place: String,
    },
    /// Heap memory was freed.
    Free {
        /// Its name.
        place: String,
    },
    /// A fence.
    Fence,
    /// The property was violated.
    Violation {
        /// The violation in words.
        message: String,
        /// Whether it is a failed assertion of the program, which the source shows.
        #[serde(skip)]
        is_assertion: bool,
    },
}

impl Story {
    /// Replays a counterexample and makes its story; the error says why it cannot be replayed.
    pub fn of_counterexample(
        program: &Program,
        machine: &Machine<'_>,
        counterexample: &Counterexample,
        sources: &Sources,
    ) -> Result<Story, String> {
        let schedule = &counterexample.schedule;
        let mut teller = Teller::new(program, sources, schedule.model, schedule.property);
        match interp::replay(machine, &schedule.steps, Some(&mut teller)) {
            Ok(RunEnd::Violation(violation)) => Ok(teller.finish(Some(&violation))),
            Ok(_) => Err("the run ends without a violation".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The story of the shortest run to the same violation that is found with little effort, and that run: fewest
    /// context switches, then fewest rows. The budget may end the search early; otherwise the result is deterministic.
    pub fn shortest(
        program: &Program,
        machine: &Machine<'_>,
        counterexample: &Counterexample,
        sources: &Sources,
        budget: &Budget,
    ) -> Result<(Counterexample, Story), String> {
        crate::shorten::shortest(program, machine, counterexample, sources, budget)
    }

    /// Replays any run, which ends in `violation`, and makes its story.
    pub fn of_run(
        program: &Program,
        machine: &Machine<'_>,
        (model, property): (MemoryModel, Property),
        (steps, violation): (&[ScheduleStep], Option<&Violation>),
        sources: &Sources,
    ) -> Result<Story, String> {
        let mut teller = Teller::new(program, sources, model, property);
        interp::replay(machine, steps, Some(&mut teller)).map_err(|error| error.to_string())?;
        Ok(teller.finish(violation))
    }
}
