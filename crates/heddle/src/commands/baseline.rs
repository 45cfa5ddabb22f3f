//! Findings that are known: a team that begins to use Heddle writes what it finds into a file, and is told by the exit status about
//! what is new only.
//!
//! A finding is recognised by its property, the memory model, and the functions and the text of the source lines that take part, so that it
//! stays known when lines move. That something is unknown is a finding too.
//!
//! What is known must not hide what is new. An assertion that is known to fail is assumed to hold from then on, and the question is asked again;
//! of races, all are looked for. Of the other properties one violation is found, and if it is known others are not looked for.

use crate::output;
use anyhow::{anyhow, bail, Context, Result};
use check::{Counterexample, Reason, Task, Verdict};
use ir::{MemoryModel, Program, Property, Stmt};
use plan::Answer;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use witness::svcomp::sha256;
use witness::Sources;

const SCHEMA: &str = "heddle-baseline/1";

/// The file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Baseline {
    schema: String,
    findings: BTreeSet<Finding>,
}

/// One thing that was found.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Finding {
    property: String,
    model: String,
    verdict: String,
    /// For people.
    what: String,
    /// What it is recognised by.
    pub(crate) fingerprint: String,
}

impl Finding {
    /// The finding of a counterexample.
    pub(crate) fn violation(program: &Program, found: &Counterexample, sources: &Sources) -> Finding {
        let violation = &found.violation;
        let others = violation.other.map(|(_, function, edge)| (function, edge));
        let places = violation.at.into_iter().chain(others).chain(violation.first);
        // The two accesses of a race have no order.
        let mut texts: Vec<String> = places
            .map(|(function, edge)| {
                let function = &program.functions[function];
                let line = sources.line(function.edges[edge].span).unwrap_or_default();
                format!("{}: {}", function.name, line.trim())
            })
            .collect();
        texts.sort();
        let (property, model) = (found.schedule.property, found.schedule.model);
        let recognised = if texts.is_empty() { violation.message.clone() } else { texts.join("\n") };
        Finding::new(property, model, "unsafe", &violation.message, &recognised)
    }

    /// That something is not known.
    pub(crate) fn unknown(property: Property, model: MemoryModel) -> Finding {
        Finding::new(property, model, "unknown", "not decided", "")
    }

    fn new(property: Property, model: MemoryModel, verdict: &str, what: &str, recognised: &str) -> Finding {
        let text = format!("{property}\n{model}\n{verdict}\n{recognised}");
        let fingerprint = sha256::hex(text.as_bytes())[..32].to_owned();
        let (property, model) = (property.name().to_owned(), model.to_string());
        Finding { property, model, verdict: verdict.to_owned(), what: what.to_owned(), fingerprint }
    }
}

/// An answer, in the light of what is known.
pub(crate) struct Judged {
    /// The answer: the first that is new, otherwise the known one.
    pub(crate) answer: Answer,
    /// All that was found on the way.
    pub(crate) findings: Vec<Finding>,
    /// Whether all of it is known.
    pub(crate) is_known: bool,
}

/// Looks beyond what is known, beginning with an answer to a task.
pub(crate) fn judge(
    task: &Task<'_>,
    first: Answer,
    sources: &Sources,
    is_known: impl Fn(&Finding) -> bool,
    solve: impl Fn(&Task<'_>) -> Answer,
) -> Judged {
    let mut program = task.program.clone();
    let mut options = task.options.clone();
    let mut known: Option<Answer> = None;
    let mut findings: Vec<Finding> = Vec::new();
    let mut answer = first;
    loop {
        match answer.outcome.verdict.clone() {
            Verdict::Safe(_) => {
                let is_known = known.is_some();
                return Judged { answer: known.unwrap_or(answer), findings, is_known };
            }
            Verdict::Unknown(reasons) => {
                let finding = Finding::unknown(task.property, task.model);
                let is_known = is_known(&finding);
                findings.push(finding);
                if known.is_some() {
                    answer.outcome.verdict = Verdict::Unknown(beyond(reasons));
                }
                return Judged { answer, findings, is_known };
            }
            Verdict::Unsafe(found) => {
                let all = std::iter::once(&*found).chain(&answer.outcome.others);
                let new: Vec<Finding> = all.map(|found| Finding::violation(task.program, found, sources)).collect();
                let are_known = new.iter().all(&is_known);
                findings.extend(new);
                if !are_known {
                    return Judged { answer, findings, is_known: false };
                }
                known.get_or_insert_with(|| answer.clone());
                let goes_on = match task.property {
                    Property::Unreach => assume(&mut program, &found),
                    Property::Race => !std::mem::replace(&mut options.all_races, true),
                    Property::Deadlock | Property::Locks | Property::Memory | Property::Atomicity => false,
                };
                if !goes_on {
                    return Judged { answer, findings, is_known: true };
                }
                let options = options.clone();
                answer = solve(&Task { program: &program, options, budget: task.budget.clone(), ..*task });
            }
        }
    }
}

/// Reasons why it is not known whether there is more.
fn beyond(reasons: Vec<Reason>) -> Vec<Reason> {
    let beyond = |reason: Reason| Reason { detail: format!("beyond what is known: {}", reason.detail), ..reason };
    reasons.into_iter().map(beyond).collect()
}

/// Makes an assertion that can fail an assumption. A run of the new program is one of the old: the thread that would fail waits instead.
fn assume(program: &mut Program, found: &Counterexample) -> bool {
    let Some((function, edge)) = found.violation.at else { return false };
    let stmt = &mut program.functions[function].edges[edge].stmt;
    let Stmt::Assert { cond, .. } = stmt else { return false };
    *stmt = Stmt::Assume(cond.clone());
    true
}

impl Baseline {
    /// Reads the file.
    pub(crate) fn read(file: &Path) -> Result<Baseline> {
        let name = file.display();
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("cannot read {name} (--update-baseline writes it)"))?;
        let baseline: Baseline = serde_json::from_str(&text)
            .map_err(|error| anyhow!("{name} is not a baseline that heddle wrote: {error}"))?;
        if baseline.schema != SCHEMA {
            bail!("{name} has format `{}`, this version reads `{SCHEMA}`", baseline.schema);
        }
        Ok(baseline)
    }

    /// A baseline with these findings.
    pub(crate) fn new(findings: impl IntoIterator<Item = Finding>) -> Baseline {
        Baseline { schema: SCHEMA.to_owned(), findings: findings.into_iter().collect() }
    }

    /// Writes the file.
    pub(crate) fn write(&self, file: &Path) -> Result<()> {
        output::write_whole(file, format!("{}\n", serde_json::to_string_pretty(self)?).as_bytes())
    }

    /// Whether a finding is known.
    pub(crate) fn knows(&self, finding: &Finding) -> bool {
        self.findings.iter().any(|known| known.fingerprint == finding.fingerprint)
    }

    /// How many findings there are.
    pub(crate) fn len(&self) -> usize {
        self.findings.len()
    }
}
