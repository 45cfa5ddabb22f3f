//! The properties of programs.

use serde::{Deserialize, Serialize};

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
    /// No access of another thread between two that should be atomic.
    Atomicity,
}

/// What violates a property: all that most engines have to know of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One step of one thread.
    Step,
    /// Two accesses that happens-before does not order.
    Conflict,
    /// A state in which threads are blocked for good.
    Stuck,
    /// An access between two others.
    Between,
}

impl Property {
    /// What violates it.
    pub fn shape(self) -> Shape {
        match self {
            Property::Unreach | Property::Locks | Property::Memory => Shape::Step,
            Property::Race => Shape::Conflict,
            Property::Deadlock => Shape::Stuck,
            Property::Atomicity => Shape::Between,
        }
    }

    /// All properties, in the order of reports.
    pub const ALL: [Property; 6] =
        [Property::Unreach, Property::Race, Property::Deadlock, Property::Locks, Property::Memory, Property::Atomicity];

    /// Those that every program should have. Which accesses should be atomic is for its author to say.
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

macro_rules! by_name {
    ($ty:ident) => {
        impl std::fmt::Display for $ty {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
        impl std::str::FromStr for $ty {
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
pub(crate) use by_name;
by_name!(Property);
