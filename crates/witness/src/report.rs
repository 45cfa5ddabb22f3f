//! The JSON report: what `heddle check --format json` writes. `docs/report.md` describes every field.
//!
//! The format is versioned by `schema`. Fields may be added under the same version; readers ignore what they do not
//! know. Fields are never removed or given another meaning without a new version.

use crate::story::Story;
use base::{Diagnostic, Severity, Stats};
use check::{Proof, Proved, Reason, Verdict};
use ir::{MemoryModel, Premise, Property};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format.
pub const SCHEMA: &str = "heddle-report/1";

/// A whole report.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: String,
    /// The version of Heddle.
    pub heddle: String,
    /// The files, as given.
    pub files: Vec<String>,
    /// `ilp32` or `lp64`, once known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_model: Option<String>,
    /// The memory model.
    pub memory_model: MemoryModel,
    /// The settings file, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
    /// The worst of the results: `unsafe` before `unknown` before `safe`; `error` if the program could not be loaded.
    pub verdict: Answer,
    /// One result per property, in the order asked.
    pub results: Vec<PropertyReport>,
    /// Diagnostics about the program's text.
    pub diagnostics: Vec<DiagnosticReport>,
    /// Wall-clock time of the whole run.
    pub seconds: f64,
    /// Peak memory of the process in megabytes, where the system reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mb: Option<f64>,
}

/// The overall answer of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// All properties are proved.
    Safe,
    /// Some property is violated.
    Unsafe,
    /// Neither.
    Unknown,
    /// The program could not be loaded, or Heddle failed.
    Error,
}

impl Answer {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Answer::Safe => "safe",
            Answer::Unsafe => "unsafe",
            Answer::Unknown => "unknown",
            Answer::Error => "error",
        }
    }
}

/// The result for one property.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PropertyReport {
    /// The property.
    pub property: Property,
    /// The variable the property is restricted to, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// `safe`, `unsafe` or `unknown`.
    pub verdict: String,
    /// The engine that answered.
    pub engine: String,
    /// How the verdict was confirmed: `replayed`, `rechecked` or nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<String>,
    /// The proof, if safe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofReport>,
    /// The assumptions of the proof beyond the standards.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub premises: Vec<PremiseReport>,
    /// The reasons, if unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<ReasonReport>,
    /// A run that violates the property.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<Story>,
    /// More runs that violate the property, if all were requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Story>,
    /// Whether the finding is in the baseline, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineState>,
    /// Findings that are in the baseline, if there is one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<String>,
    /// Whether the answer comes from the cache of an earlier run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub from_cache: bool,
    /// Statistics, with the unit in the name.
    pub stats: BTreeMap<String, f64>,
    /// Wall-clock time for this property.
    pub seconds: f64,
    /// The turns of the engines, if requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnReport>,
}

/// What a baseline says about a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BaselineState {
    /// It is in the baseline and does not count.
    Known,
    /// It is not in the baseline.
    New,
}

/// The turn of one engine.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TurnReport {
    /// The engine.
    pub engine: String,
    /// Its wall-clock time.
    pub seconds: f64,
    /// `safe`, `unsafe` or `unknown`.
    pub verdict: String,
    /// The number of assertions it proved on the way to `unknown`.
    #[serde(skip_serializing_if = "is_zero")]
    pub proved: usize,
    /// The number of accesses it proved free of races.
    #[serde(skip_serializing_if = "is_zero")]
    pub race_free: usize,
    /// The total number of accesses.
    #[serde(skip_serializing_if = "is_zero")]
    pub accesses: usize,
    /// The number of statements it proved unreachable.
    #[serde(skip_serializing_if = "is_zero")]
    pub unreached: usize,
    /// The reasons, if unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<ReasonReport>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl TurnReport {
    /// The report of one turn.
    pub fn new(engine: &str, seconds: f64, verdict: &Verdict, proved: Proved) -> TurnReport {
        let reasons = match verdict {
            Verdict::Safe(_) | Verdict::Unsafe(_) => vec![],
            Verdict::Unknown(reasons) => reasons.iter().map(ReasonReport::from).collect(),
        };
        TurnReport {
            engine: engine.to_owned(),
            seconds,
            verdict: verdict.name().to_owned(),
            proved: proved.assertions,
            race_free: proved.race_free,
            accesses: proved.accesses,
            unreached: proved.unreached,
            reasons,
        }
    }
}

/// Why a program is safe.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ProofReport {
    /// No statement of the program can violate the property.
    NothingToViolate,
    /// No execution of the unrolled program violates the property, and none leaves the bound.
    Bounded {
        /// The unrolling bound of loops.
        iterations: u32,
        /// The number of shared accesses.
        events: u64,
    },
    /// The invariants exclude every violation.
    Invariants {
        /// The number of abstract states.
        states: u64,
    },
    /// A labelled tree is closed under all steps.
    Tree {
        /// The number of nodes.
        nodes: u64,
    },
    /// Thread by thread: each shared variable is protected by something.
    ThreadModular {
        /// The protection of each variable.
        protections: Vec<ProtectionReport>,
    },
    /// Every reachable state was visited.
    Exhausted {
        /// The number of states.
        states: u64,
        /// The number of steps between them.
        transitions: u64,
        /// Whether thread-local steps were merged.
        reduced: bool,
    },
}

/// An assumption of a proof.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PremiseReport {
    /// The kind of premise.
    pub kind: Premise,
    /// The premise in words.
    pub detail: String,
}

impl From<Premise> for PremiseReport {
    fn from(kind: Premise) -> PremiseReport {
        PremiseReport { kind, detail: kind.words().to_owned() }
    }
}

/// What prevents races on a variable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProtectionReport {
    /// The variable, or its allocation site.
    pub variable: String,
    /// Its protection, in words.
    pub by: Vec<String>,
}

impl ProofReport {
    /// Why the program is safe, in words.
    pub fn argument(&self, is_rechecked: bool) -> String {
        match self {
            ProofReport::NothingToViolate => "the program has no assertion".to_owned(),
            ProofReport::Invariants { states } => {
                format!("{states} abstract states, none of which violates it")
            }
            ProofReport::Tree { nodes } => format!("a tree of {nodes} abstract states, closed under all steps"),
            ProofReport::ThreadModular { protections } => {
                let width = protections.iter().map(|one| crate::text::width(&one.variable)).max().unwrap_or(0);
                let mut text = "thread by thread, for any number of threads".to_owned();
                for one in protections {
                    let name = crate::text::pad(&one.variable, width);
                    text.push_str(&format!("\n    {name}  {}", one.by.join("; ")));
                }
                text
            }
            ProofReport::Bounded { iterations, events } => {
                let rechecked = if is_rechecked { "; confirmed by a simpler method" } else { "" };
                format!("{events} shared accesses composed, loops unrolled {iterations} times at most{rechecked}")
            }
            ProofReport::Exhausted { states, transitions, reduced } => {
                let reduced = if *reduced { ", reduced" } else { "" };
                let rechecked = if is_rechecked { "; rechecked without reduction" } else { "" };
                format!(
                    "every reachable state was visited ({states} states, {transitions} transitions{reduced}){rechecked}"
                )
            }
        }
    }
}

/// What a property promises.
fn promise(property: Property) -> &'static str {
    match property {
        Property::Unreach => "no assertion can fail",
        Property::Race => "there is no data race",
        Property::Deadlock => "there is no deadlock",
        Property::Locks => "locks are used properly",
        Property::Memory => "all memory accesses are valid",
        Property::Atomicity => "no access comes between two that are meant to be one",
    }
}

/// One reason for an `unknown`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ReasonReport {
    /// `time`, `memory`, `inputs`, ...
    pub kind: String,
    /// A sentence.
    pub detail: String,
    /// `file:line`, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// One message about the program's text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DiagnosticReport {
    /// `warning` or `error`.
    pub severity: String,
    /// What is wrong.
    pub message: String,
    /// `file:line:column`, as far as known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Report {
    /// The report as JSON, ending in a newline.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a report should be serialisable");
        text.push('\n');
        text
    }
}

impl PropertyReport {
    /// All runs that violate the property.
    pub fn stories(&self) -> impl Iterator<Item = &Story> {
        self.counterexample.iter().chain(&self.others)
    }

    /// The baseline's remark on the answer, in words: that it does not count, and which other findings do not count and
    /// are therefore not shown.
    pub fn about_baseline(&self) -> Option<String> {
        let quoted: Vec<String> = self.known.iter().map(|what| format!("\u{201c}{what}\u{201d}")).collect();
        match self.baseline? {
            BaselineState::Known => {
                let unsought = match self.property {
                    Property::Deadlock | Property::Locks | Property::Memory | Property::Atomicity => {
                        self.counterexample.is_some()
                    }
                    Property::Unreach | Property::Race => false,
                };
                let others = match quoted.len() {
                    _ if unsought => "; others were not looked for".to_owned(),
                    0 | 1 => String::new(),
                    _ => format!("; found and known: {}", quoted.join(", ")),
                };
                Some(format!("in the baseline: it does not count{others}"))
            }
            BaselineState::New if quoted.is_empty() => Some("not in the baseline".to_owned()),
            BaselineState::New => Some(format!("not in the baseline, where there is {}", quoted.join(", "))),
        }
    }

    /// The result of one task.
    pub fn new(property: Property, engine: &str, verdict: &Verdict, stats: &Stats, seconds: f64) -> PropertyReport {
        let (proof, reasons) = match verdict {
            Verdict::Safe(safe) => (Some(ProofReport::from(safe.proof())), vec![]),
            Verdict::Unsafe(_) => (None, vec![]),
            Verdict::Unknown(reasons) => (None, reasons.iter().map(ReasonReport::from).collect()),
        };
        PropertyReport {
            property,
            on: None,
            verdict: verdict.name().to_owned(),
            engine: engine.to_owned(),
            confirmed: None,
            proof,
            premises: vec![],
            reasons,
            counterexample: None,
            others: Vec::new(),
            baseline: None,
            known: vec![],
            from_cache: false,
            stats: stats.iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            seconds,
            turns: vec![],
        }
    }

    /// Adds the premises of the proof. A program without assertions is safe without them.
    pub fn with_premises(mut self, premises: impl IntoIterator<Item = Premise>) -> PropertyReport {
        if self.proof.as_ref().is_some_and(|proof| *proof != ProofReport::NothingToViolate) {
            self.premises = premises.into_iter().map(PremiseReport::from).collect();
        }
        self
    }

    /// The premises of the proof in words; `None` if there are none.
    pub fn about_premises(&self) -> Option<String> {
        let words: Vec<&str> = self.premises.iter().map(|premise| premise.detail.as_str()).collect();
        (!words.is_empty()).then(|| format!("assuming that {}", words.join("; that ")))
    }

    /// The question in words that follow `safe:` or `whether`.
    pub fn promise(&self) -> String {
        let promise = promise(self.property);
        self.on.as_ref().map_or_else(|| promise.to_owned(), |variable| format!("{promise} on {variable}"))
    }
}

impl From<&Proof> for ProofReport {
    fn from(proof: &Proof) -> ProofReport {
        match proof.clone() {
            Proof::ThreadModular { protections } => ProofReport::ThreadModular {
                protections: protections
                    .into_iter()
                    .map(|one| ProtectionReport { variable: one.variable, by: one.by })
                    .collect(),
            },
            Proof::NothingToViolate => ProofReport::NothingToViolate,
            Proof::Invariants { states } => ProofReport::Invariants { states },
            Proof::Tree { nodes } => ProofReport::Tree { nodes },
            Proof::Bounded { iterations, events } => ProofReport::Bounded { iterations, events },
            Proof::Exhausted { states, transitions, reduced } => {
                ProofReport::Exhausted { states, transitions, reduced }
            }
        }
    }
}

impl From<ProofReport> for Proof {
    fn from(proof: ProofReport) -> Proof {
        match proof {
            ProofReport::ThreadModular { protections } => Proof::ThreadModular {
                protections: protections
                    .into_iter()
                    .map(|one| check::Protection { variable: one.variable, by: one.by })
                    .collect(),
            },
            ProofReport::NothingToViolate => Proof::NothingToViolate,
            ProofReport::Invariants { states } => Proof::Invariants { states },
            ProofReport::Tree { nodes } => Proof::Tree { nodes },
            ProofReport::Bounded { iterations, events } => Proof::Bounded { iterations, events },
            ProofReport::Exhausted { states, transitions, reduced } => {
                Proof::Exhausted { states, transitions, reduced }
            }
        }
    }
}

impl From<&Reason> for ReasonReport {
    fn from(reason: &Reason) -> ReasonReport {
        ReasonReport { kind: reason.kind.name().to_owned(), detail: reason.detail.clone(), place: reason.place.clone() }
    }
}

impl From<&Diagnostic> for DiagnosticReport {
    fn from(diagnostic: &Diagnostic) -> DiagnosticReport {
        let severity = match diagnostic.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        DiagnosticReport {
            severity: severity.to_owned(),
            message: diagnostic.message.clone(),
            place: diagnostic.place.clone(),
            help: diagnostic.help.clone(),
        }
    }
}
