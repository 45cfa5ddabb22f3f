//! Verdicts. Assumptions are data, and a `safe` cannot be built around them: [`Verdict::safe`] with a non-empty list of
//! assumptions is an `unknown` with these as its reasons.

use ir::{Schedule, Violation};
use std::fmt;

/// Why a verdict is not `safe` although no violation was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ReasonKind {
    /// Out of time.
    Time,
    /// Out of memory.
    Memory,
    /// Cancelled from outside.
    Cancelled,
    /// Loops, recursion, steps or threads were cut at a bound.
    Bound,
    /// A loop was cut at its own bound, given by the user.
    OwnBound,
    /// Inputs were limited to a set of values.
    Inputs,
    /// A feature that Heddle does not model is reachable.
    Unmodelled,
    /// Behaviour depends on object addresses.
    Addresses,
    /// Undefined behaviour of a kind that the property does not ask about is reachable.
    Undefined,
    /// Relaxed atomics were strengthened.
    Relaxed,
    /// Acquire and release atomics mixed with seq_cst ones were strengthened.
    Mixed,
    /// Only the paths of one run were examined.
    Slice,
    /// There is a proof, but it has premises, which are not wanted.
    Premise,
    /// An abstraction is too coarse to rule out a violation, and no violation was found.
    Imprecise,
    /// The engine cannot answer this kind of question.
    Unsupported,
    /// An answer was found but failed its validation: a defect of Heddle.
    Validation,
    /// An engine's own proof was rejected by its checker: a defect of Heddle, too.
    ProofRefused,
}

impl ReasonKind {
    /// Whether something was cut at a bound.
    pub fn is_bound(self) -> bool {
        matches!(self, ReasonKind::Bound | ReasonKind::OwnBound)
    }

    /// Whether it shows a defect of Heddle.
    pub fn is_defect(self) -> bool {
        matches!(self, ReasonKind::Validation | ReasonKind::ProofRefused)
    }

    /// A short name for tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            ReasonKind::Time => "time",
            ReasonKind::Memory => "memory",
            ReasonKind::Cancelled => "cancelled",
            ReasonKind::Bound | ReasonKind::OwnBound => "bound",
            ReasonKind::Inputs => "inputs",
            ReasonKind::Unmodelled => "unmodelled",
            ReasonKind::Addresses => "addresses",
            ReasonKind::Undefined => "undefined",
            ReasonKind::Relaxed => "relaxed",
            ReasonKind::Mixed => "mixed",
            ReasonKind::Slice => "slice",
            ReasonKind::Premise => "premise",
            ReasonKind::Imprecise => "imprecise",
            ReasonKind::Unsupported => "unsupported",
            ReasonKind::Validation | ReasonKind::ProofRefused => "validation",
        }
    }
}

/// One reason for an `unknown`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Reason {
    /// Its kind.
    pub kind: ReasonKind,
    /// A sentence for the user.
    pub detail: String,
    /// `file:line`, if there is one.
    pub place: Option<String>,
}

impl Reason {
    /// A reason without a place.
    pub fn new(kind: ReasonKind, detail: impl Into<String>) -> Reason {
        Reason { kind, detail: base::wording::message(detail), place: None }
    }

    /// The same reason with a place.
    pub fn at(mut self, place: impl Into<String>) -> Reason {
        let place = place.into();
        self.place = (!place.is_empty()).then_some(place);
        self
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{} ({place})", self.detail),
            None => f.write_str(&self.detail),
        }
    }
}

impl From<base::Stop> for Reason {
    fn from(stop: base::Stop) -> Reason {
        match stop {
            base::Stop::Time => Reason::new(ReasonKind::Time, "the time limit was reached"),
            base::Stop::Memory => Reason::new(ReasonKind::Memory, "the memory limit was reached"),
            base::Stop::Cancelled => Reason::new(ReasonKind::Cancelled, "the run was stopped"),
        }
    }
}

/// What keeps accesses to a variable from racing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Protection {
    /// The variable, or its allocation site.
    pub variable: String,
    /// The locks, thread orders and so on, in words.
    pub by: Vec<String>,
}

/// Why a program is safe: the input for a simpler checker to confirm it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    /// No statement of the program can violate the property.
    NothingToViolate,
    /// No execution of the unrolled program violates the property, and none leaves it.
    Bounded {
        /// The unrolling bound.
        iterations: u32,
        /// Number of shared accesses of the unrolled program.
        events: u64,
    },
    /// A tree of abstract states, each labelled with its invariant, is closed under all steps.
    Tree {
        /// Number of nodes.
        nodes: u64,
    },
    /// The invariants of abstract interpretation exclude every violation.
    Invariants {
        /// Number of abstract states kept.
        states: u64,
    },
    /// Thread-modular: each shared variable is protected.
    ThreadModular {
        /// The protections. Empty if not asked for.
        protections: Vec<Protection>,
    },
    /// Every reachable state was visited.
    Exhausted {
        /// Number of distinct states.
        states: u64,
        /// Number of transitions between them.
        transitions: u64,
        /// Whether thread-local steps were merged (the plain exploration confirms it).
        reduced: bool,
    },
}

/// A verdict of `safe`. Only [`Verdict::safe`] makes one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Safe {
    proof: Proof,
}

impl Safe {
    /// The proof.
    pub fn proof(&self) -> &Proof {
        &self.proof
    }
}

/// A run that violates the property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    /// The schedule that leads to the violation.
    pub schedule: Schedule,
    /// The violation.
    pub violation: Violation,
}

/// The answer to a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Proved for all executions.
    Safe(Safe),
    /// Violated by this execution.
    Unsafe(Box<Counterexample>),
    /// Neither, for these reasons (never empty).
    Unknown(Vec<Reason>),
}

impl Verdict {
    /// `safe`, if nothing was assumed; otherwise `unknown`, with the assumptions as its reasons.
    pub fn safe(proof: Proof, assumed: Vec<Reason>) -> Verdict {
        if assumed.is_empty() {
            Verdict::Safe(Safe { proof })
        } else {
            Verdict::Unknown(assumed)
        }
    }

    /// `unknown` for one reason.
    pub fn unknown(reason: Reason) -> Verdict {
        Verdict::Unknown(vec![reason])
    }

    /// Whether the verdict is `safe` or `unsafe`.
    pub fn is_decided(&self) -> bool {
        match self {
            Verdict::Safe(_) | Verdict::Unsafe(_) => true,
            Verdict::Unknown(_) => false,
        }
    }

    /// `safe`, `unsafe` or `unknown`.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Safe(_) => "safe",
            Verdict::Unsafe(_) => "unsafe",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assumption_turns_safe_into_unknown() {
        let proof = Proof::Exhausted { states: 1, transitions: 0, reduced: false };
        assert_eq!(Verdict::safe(proof.clone(), vec![]).name(), "safe");
        let assumed = Reason::new(ReasonKind::Inputs, "only 0 and 1 were tried").at("a.c:3");
        assert_eq!(assumed.to_string(), "only 0 and 1 were tried (a.c:3)");
        assert_eq!(Verdict::safe(proof, vec![assumed.clone()]), Verdict::Unknown(vec![assumed]));
    }
}
