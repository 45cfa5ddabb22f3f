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
    /// The settings' file, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
    /// The worst of the results: `unsafe` before `unknown` before `safe`; `error` if the program could not be loaded.
    pub verdict: Answer,
    /// One result per property, in the order asked.
    pub results: Vec<PropertyReport>,
    /// What was said about the program's text.
    pub diagnostics: Vec<DiagnosticReport>,
    /// Wall-clock time of the whole run.
    pub seconds: f64,
    /// The most memory the process used, in megabytes, where the system tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mb: Option<f64>,
}

/// What a whole run comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// All is proved.
    Safe,
    /// Something is violated.
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
    /// The one variable that it is asked of, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// `safe`, `unsafe` or `unknown`.
    pub verdict: String,
    /// The engine that answered.
    pub engine: String,
    /// How the verdict was confirmed: `replayed`, `rechecked` or nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<String>,
    /// Why it is safe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofReport>,
    /// What the proof assumes beyond what the standards say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub premises: Vec<PremiseReport>,
    /// Why it is unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<ReasonReport>,
    /// A run that violates it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<Story>,
    /// More runs that violate it, where all were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Story>,
    /// Whether what was found is in the baseline, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineState>,
    /// What was found and is in the baseline, where there is one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<String>,
    /// Whether the answer is kept from an earlier run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub from_cache: bool,
    /// Numbers, with the unit in the name.
    pub stats: BTreeMap<String, f64>,
    /// Wall-clock time for this property.
    pub seconds: f64,
    /// What engines did, where that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnReport>,
}

/// What a baseline says about a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BaselineState {
    /// It is in the baseline and does not count.
    Known,
    /// It is not.
    New,
}

/// What an engine did.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TurnReport {
    /// The engine.
    pub engine: String,
    /// How long it took.
    pub seconds: f64,
    /// `safe`, `unsafe` or `unknown`.
    pub verdict: String,
    /// How many assertions it proved on the way to `unknown`.
    #[serde(skip_serializing_if = "is_zero")]
    pub proved: usize,
    /// How many accesses it proved to race with nothing.
    #[serde(skip_serializing_if = "is_zero")]
    pub race_free: usize,
    /// Of how many.
    #[serde(skip_serializing_if = "is_zero")]
    pub accesses: usize,
    /// How many statements it proved to be never executed.
    #[serde(skip_serializing_if = "is_zero")]
    pub unreached: usize,
    /// Why it is unknown.
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
    /// No execution of the unrolled program violates the property, and none leaves it.
    Bounded {
        /// How often loops were unrolled.
        iterations: u32,
        /// How many shared accesses there are.
        events: u64,
    },
    /// What holds at each place excludes every violation.
    Invariants {
        /// How many abstract states there are.
        states: u64,
    },
    /// A labelled tree is closed under all steps.
    Tree {
        /// How many nodes it has.
        nodes: u64,
    },
    /// Thread by thread: each shared variable is protected by something.
    ThreadModular {
        /// What protects them.
        protections: Vec<ProtectionReport>,
    },
    /// Every reachable state was visited.
    Exhausted {
        /// How many.
        states: u64,
        /// How many steps between them.
        transitions: u64,
        /// Whether thread-local steps were merged.
        reduced: bool,
    },
}

/// Something that a proof assumes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PremiseReport {
    /// What kind of premise.
    pub kind: Premise,
    /// In words.
    pub detail: String,
}

impl From<Premise> for PremiseReport {
    fn from(kind: Premise) -> PremiseReport {
        PremiseReport { kind, detail: kind.words().to_owned() }
    }
}

/// What keeps accesses to a variable from racing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProtectionReport {
    /// The variable, or where it was allocated.
    pub variable: String,
    /// What protects it, in words.
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

    /// What the baseline says about the answer, in words: that it does not count, and what else of what was found does not and is
    /// therefore not told.
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

    /// The same with what the proof assumes. A program without assertions is safe without it.
    pub fn with_premises(mut self, premises: impl IntoIterator<Item = Premise>) -> PropertyReport {
        if self.proof.as_ref().is_some_and(|proof| *proof != ProofReport::NothingToViolate) {
            self.premises = premises.into_iter().map(PremiseReport::from).collect();
        }
        self
    }

    /// What the proof assumes, in words; nothing if it assumes nothing.
    pub fn about_premises(&self) -> Option<String> {
        let words: Vec<&str> = self.premises.iter().map(|premise| premise.detail.as_str()).collect();
        (!words.is_empty()).then(|| format!("assuming that {}", words.join("; that ")))
    }

    /// What was asked, in words that follow `safe:` or `whether`.
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
