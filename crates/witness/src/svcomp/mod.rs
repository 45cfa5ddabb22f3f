//! Witnesses in the formats of the software verification competition: violation and correctness witnesses as YAML
//! (format 2.x) and violation witnesses as GraphML (format 1.0), written and read.
//!
//! Sources: Beyer et al., Verification Witnesses, TOSEM 2022 (format 1.0); Ayaziová et al., Software Verification Witnesses
//! 2.0, SPIN 2024; Erhard et al., Correctness Witnesses for Concurrent Programs, 2024 (ghost variables, 2.1); the extension of
//! 2.2 by which a waypoint names its thread (`thread_id`: 0 is the first thread, others count in the order in which they are
//! started) and the last segment of a race has two targets.
//!
//! A witness refers to lines and columns of the source: [`text`] finds statements there, [`places`] maps steps of the program
//! to them, [`violation`] makes waypoints from a run and [`guide`] finds a run from waypoints. [`instrument`] adds the
//! invariants of a correctness witness to the source as assertions.

pub mod expression;
pub mod graphml;
pub mod guide;
pub mod instrument;
pub mod invariants;
pub mod modular;
pub mod places;
pub mod proof;
pub mod property;
pub mod read;
pub mod sha256;
pub mod text;
pub mod violation;
pub mod write;
mod xml;
mod yaml;

use std::collections::BTreeSet;

pub use expression::Expression;
pub use guide::{follow, Followed};
pub use places::Places;
pub use property::{Claim, Specification};
pub use text::CText;
pub use violation::{path, waypoints};

/// The kind of a waypoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaypointKind {
    /// A thread reaches a statement, and the constraint holds there.
    Assumption,
    /// A branch is taken.
    Branching,
    /// A function is called.
    FunctionEnter,
    /// A function returns.
    FunctionReturn,
    /// The violation happens in a statement.
    Target,
}

impl WaypointKind {
    /// Its name in the format.
    pub fn name(self) -> &'static str {
        match self {
            WaypointKind::Assumption => "assumption",
            WaypointKind::Branching => "branching",
            WaypointKind::FunctionEnter => "function_enter",
            WaypointKind::FunctionReturn => "function_return",
            WaypointKind::Target => "target",
        }
    }
}

/// A place in the source as given by witnesses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column, if it is given.
    pub column: Option<u32>,
    /// The function, if it is given.
    pub function: Option<String>,
}

/// An event on the way of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waypoint {
    /// Its kind.
    pub kind: WaypointKind,
    /// Whether the run must not do it.
    pub avoid: bool,
    /// Its place.
    pub location: Location,
    /// The constraint.
    pub constraint: Option<String>,
    /// The thread; any, if `None`.
    pub thread: Option<u32>,
    /// Whether the constraint is about the state after the statement (GraphML) and not before it.
    pub after: bool,
    /// Whether the statement is executed and not only reached (GraphML).
    pub executes: bool,
    /// Its line in the witness.
    pub stands_at: usize,
}

/// A segment: waypoints to avoid, then one to follow; the last segment has the targets.
pub type Segment = Vec<Waypoint>;

/// An invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// Whether it is a loop invariant, which holds whenever the condition of the loop is evaluated, and not a location
    /// invariant.
    pub is_of_loop: bool,
    /// Its place.
    pub location: Location,
    /// The expression.
    pub value: String,
    /// Its line in the witness.
    pub stands_at: usize,
    /// Whether it should hold everywhere and is stated at several places: if it fails at one, it is useless at the
    /// others.
    pub is_everywhere: bool,
}

/// A ghost variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ghost {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: String,
    /// Its initial value.
    pub initial: String,
    /// Its line in the witness.
    pub stands_at: usize,
}

/// A statement that updates a ghost variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GhostUpdate {
    /// The statement.
    pub location: Location,
    /// The variable.
    pub variable: String,
    /// Its new value.
    pub value: String,
    /// Its line in the witness.
    pub stands_at: usize,
}

/// Invariants, with the ghost variables that they mention.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Claims {
    /// The ghost variables.
    pub ghosts: Vec<Ghost>,
    /// Their updates.
    pub updates: Vec<GhostUpdate>,
    /// The invariants.
    pub invariants: Vec<Invariant>,
}

impl Claims {
    /// Adds other claims, without duplicates.
    pub fn extend(&mut self, other: Claims) {
        self.ghosts.extend(other.ghosts);
        self.updates.extend(other.updates);
        for invariant in other.invariants {
            if !self.invariants.contains(&invariant) {
                self.invariants.push(invariant);
            }
        }
    }

    /// Drops ghost variables that no invariant mentions.
    pub fn forget_unused(&mut self) {
        let texts: Vec<CText> = self.invariants.iter().map(|item| CText::new("", &item.value)).collect();
        let names: BTreeSet<&str> =
            texts.iter().flat_map(|text| &text.tokens).map(|token| token.text.as_str()).collect();
        self.ghosts.retain(|ghost| names.contains(ghost.name.as_str()));
        self.updates.retain(|update| names.contains(update.variable.as_str()));
    }
}

/// The content of a witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// A path to a violation.
    Violation(Vec<Segment>),
    /// Invariants.
    Correctness {
        /// The ghost variables.
        ghosts: Vec<Ghost>,
        /// Their updates.
        updates: Vec<GhostUpdate>,
        /// The invariants.
        invariants: Vec<Invariant>,
    },
}

/// The subject of a witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    /// The program's files, by their names in the witness, with the SHA-256 of each.
    pub files: Vec<(String, String)>,
    /// The property.
    pub specification: String,
    /// `ILP32` or `LP64`.
    pub data_model: String,
}

/// A witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// Its subject.
    pub subject: Subject,
    /// Its content.
    pub content: Content,
}

/// The producer of a witness, and the time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Producer {
    /// The version of Heddle.
    pub version: String,
    /// Seconds since 1970.
    pub time: u64,
}

impl Producer {
    /// The time in ISO 8601.
    pub fn timestamp(&self) -> String {
        let (days, seconds) = ((self.time / 86400) as i64, self.time % 86400);
        // Howard Hinnant's conversion of days to a date.
        let z = days + 719_468;
        let era = z.div_euclid(146_097);
        let day_of_era = z.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

impl Witness {
    /// Reads a witness in either format; the error begins with the line.
    pub fn parse(text: &str) -> Result<Witness, String> {
        if text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
            graphml::parse(text)
        } else {
            read::parse(text)
        }
    }
}

/// The name of a violation in `false(…)`, if it violates one of the claims.
pub fn violated<'s>(specification: &'s Specification, violation: &ir::Violation) -> Option<&'s Claim> {
    use ir::Property;
    let (fault, property) = (&violation.fault, violation.property());
    specification.claims.iter().find(|claim| match claim {
        Claim::UnreachCall(function) => matches!(fault, ir::Fault::Claim(failed) if is_call_of(failed, function)),
        Claim::NoDataRace => property == Property::Race,
        Claim::ValidFree => property == Property::Memory && fault.is_bad_free(),
        Claim::ValidDeref => property == Property::Memory && !fault.is_bad_free(),
        Claim::ValidMemtrack | Claim::ValidMemcleanup | Claim::NoOverflow | Claim::Termination => false,
    })
}

/// Whether a claim fails where a function is called.
pub fn is_call_of(claim: &ir::Claim, function: &str) -> bool {
    match claim {
        ir::Claim::Asserted { is_library, .. } => *is_library && function == "__assert_fail",
        ir::Claim::Uncalled(called) => called.name() == function,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_the_standard_says() {
        for (time, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_763_242_245, "2025-11-15T21:30:45Z"),
        ] {
            assert_eq!(Producer { version: String::new(), time }.timestamp(), expected);
        }
    }
}
