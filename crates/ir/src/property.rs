//! What can be asked of a program, and under which memory model.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A property of a program. `docs/semantics.md` defines each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Property {
    /// No assertion fails and no error function is called.
    Unreach,
    /// No data race.
    Race,
    /// No state in which the process is alive, a thread is blocked and no thread can step.
    Deadlock,
    /// No misuse of a lock.
    Locks,
    /// No invalid memory access.
    Memory,
    /// No access of another thread between two that are meant to be one.
    Atomicity,
}

impl Property {
    /// All properties, in the order they are listed to people.
    pub const ALL: [Property; 6] =
        [Property::Unreach, Property::Race, Property::Deadlock, Property::Locks, Property::Memory, Property::Atomicity];

    /// Those that every program should have. Which accesses are meant to be one is for its author to say.
    pub const EXPECTED: [Property; 5] =
        [Property::Unreach, Property::Race, Property::Deadlock, Property::Locks, Property::Memory];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Property::Unreach => "unreach",
            Property::Race => "race",
            Property::Deadlock => "deadlock",
            Property::Locks => "locks",
            Property::Memory => "memory",
            Property::Atomicity => "atomicity",
        }
    }
}

/// The memory model of the machine the program runs on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryModel {
    /// Sequential consistency.
    Sc,
    /// Total store order: a FIFO store buffer per thread.
    Tso,
    /// Partial store order: store buffers that keep the order of overlapping stores only.
    Pso,
    /// Release-acquire: every store releases, every load acquires.
    Ra,
}

impl MemoryModel {
    /// All models, the strongest first.
    pub const ALL: [MemoryModel; 4] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso, MemoryModel::Ra];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            MemoryModel::Sc => "sc",
            MemoryModel::Tso => "tso",
            MemoryModel::Pso => "pso",
            MemoryModel::Ra => "ra",
        }
    }
}

macro_rules! by_name {
    ($ty:ident) => {
        impl fmt::Display for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
        impl FromStr for $ty {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                let known = || $ty::ALL.map($ty::name).join(", ");
                $ty::ALL
                    .into_iter()
                    .find(|item| item.name() == text)
                    .ok_or_else(|| format!("`{text}` is not one of {}", known()))
            }
        }
    };
}
by_name!(Property);
by_name!(MemoryModel);
