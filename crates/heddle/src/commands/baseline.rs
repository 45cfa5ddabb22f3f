//! Baselines of known findings: a team that begins to use Heddle writes its findings to a file, and from then on the
//! exit status reports new ones only.
//!
//! A finding is recognised by its property, the memory model, its message, and the functions and the text of the source
//! lines involved, with the calls that lead there; so it stays known when lines move. An `unknown`, for a given reason
//! and line, is a finding too.
//!
//! Known findings must not hide new ones. A known failing assertion, in the same calling context, is assumed to hold
//! from then on, and the question is asked again; all races are enumerated. For the other properties one violation is
//! found, and if it is known others are not looked for, which the report says.

use crate::output;
use anyhow::{anyhow, bail, Context, Result};
use check::{Counterexample, Reason, ReasonKind, Task, Verdict};
use ir::{Callee, Claim, EdgeId, Fault, FunctionId, LocId, MemoryModel, Program, Property, Stmt};
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

/// One finding.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Finding {
    property: String,
    model: String,
    verdict: String,
    /// Its description for the user.
    what: String,
    /// Its identity.
    pub(crate) fingerprint: String,
}

impl Finding {
    /// Its description for the user.
    pub(crate) fn what(&self) -> &str {
        &self.what
    }

    /// The finding of a counterexample.
    fn violation(program: &Program, found: &Counterexample, stacks: &Stacks, sources: &Sources) -> Finding {
        let violation = &found.violation;
        let line = |(function, edge): (FunctionId, EdgeId)| {
            let function = &program.functions[function];
            let text = sources.line(function.edges[edge].span).unwrap_or_default();
            format!("{}: {}", original(&function.name), text.trim())
        };
        let calls = |stack: &[(FunctionId, LocId)]| -> Vec<String> {
            stack
                .iter()
                .filter_map(|(function, loc)| Some(line((*function, edge_at(program, *function, *loc)?))))
                .collect()
        };
        let (property, model) = (found.schedule.property, found.schedule.model);
        let mut texts: Vec<String> = match property {
            Property::Race | Property::Atomicity => {
                let other = violation.other.map(|(_, function, edge)| (function, edge));
                violation.at.into_iter().chain(other).chain(violation.first).map(line).collect()
            }
            Property::Deadlock => stacks.iter().map(|(_, stack)| calls(stack).join(" < ")).collect(),
            Property::Unreach | Property::Locks | Property::Memory => {
                let own = stacks.iter().filter(|(thread, _)| Some(*thread) == violation.thread);
                own.map(|(_, stack)| calls(stack).join(" < ")).collect()
            }
        };
        // The threads involved have no order.
        texts.sort();
        texts.push(violation.fault.code().to_owned());
        if let Fault::Claim(Claim::Asserted { text, .. }) = &violation.fault {
            texts.push(text.clone());
        }
        Finding::new(property, model, "unsafe", &violation.message(), &texts.join("\n"))
    }

    /// The finding of an `unknown`.
    fn unknown(task: &Task<'_>, reasons: &[Reason], sources: &Sources) -> Finding {
        let line = |place: &str| -> Option<String> {
            let (file, line) = place.split_once(':')?;
            let line: usize = line.split(':').next()?.parse().ok()?;
            sources.file(file)?.get(line.checked_sub(1)?).map(|text| text.trim().to_owned())
        };
        let mut texts: Vec<String> = reasons
            .iter()
            .map(|reason| {
                let place = reason.place.as_deref().and_then(line).unwrap_or_default();
                match reason.kind {
                    // The amount of the limit is no reason for a new finding.
                    ReasonKind::Time
                    | ReasonKind::Memory
                    | ReasonKind::Cancelled
                    | ReasonKind::Bound
                    | ReasonKind::OwnBound => reason.kind.name().to_owned(),
                    ReasonKind::Unmodelled
                    | ReasonKind::Addresses
                    | ReasonKind::Undefined
                    | ReasonKind::Relaxed
                    | ReasonKind::Mixed
                    | ReasonKind::Inputs
                    | ReasonKind::Imprecise
                    | ReasonKind::Premise
                    | ReasonKind::Slice
                    | ReasonKind::Unsupported
                    | ReasonKind::Validation
                    | ReasonKind::ProofRefused => format!("{} {place} {}", reason.kind.name(), reason.detail),
                }
            })
            .collect();
        texts.sort();
        texts.dedup();
        Finding::new(task.property, task.model, "unknown", "not decided", &texts.join("\n"))
    }

    fn new(property: Property, model: MemoryModel, verdict: &str, what: &str, recognised: &str) -> Finding {
        let text = format!("{property}\n{model}\n{verdict}\n{recognised}");
        let fingerprint = sha256::hex(text.as_bytes())[..32].to_owned();
        let (property, model) = (property.name().to_owned(), model.to_string());
        Finding { property, model, verdict: verdict.to_owned(), what: what.to_owned(), fingerprint }
    }
}

/// The call stack of each thread at the violation.
type Stacks = Vec<(u32, Vec<(FunctionId, LocId)>)>;

/// The statement at a location, or the first of a branch.
fn edge_at(program: &Program, function: FunctionId, loc: LocId) -> Option<EdgeId> {
    program.functions[function].edges.enumerate().find(|(_, edge)| edge.from == loc).map(|(id, _)| id)
}

/// Marks the copies of functions.
const COPY: char = '#';

/// The name of a function, without the mark of a copy.
fn original(name: &str) -> &str {
    name.split(COPY).next().unwrap_or(name)
}

/// An answer compared with the baseline.
pub(crate) struct Judged {
    /// The first new answer, otherwise the known one.
    pub(crate) answer: Answer,
    /// All findings on the way.
    pub(crate) findings: Vec<Finding>,
    /// Whether all of them are known.
    pub(crate) is_known: bool,
}

/// The same question about another program.
fn about<'p>(task: &Task<'_>, program: &'p Program) -> Task<'p> {
    Task {
        program,
        property: task.property,
        model: task.model,
        options: task.options.clone(),
        budget: task.budget.clone(),
        race_free: Default::default(),
    }
}

/// Looks for findings beyond the known ones, beginning with an answer to a task. `solve` asks the same engine again,
/// `all_races` one that finds all races.
pub(crate) fn judge(
    task: &Task<'_>,
    first: Answer,
    sources: &Sources,
    is_known: impl Fn(&Finding) -> bool,
    solve: impl Fn(&Task<'_>) -> Answer,
    all_races: impl Fn(&Task<'_>) -> Answer,
) -> Judged {
    let mut program = task.program.clone();
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
                let finding = Finding::unknown(task, &reasons, sources);
                let is_known = is_known(&finding);
                findings.push(finding);
                if known.is_some() {
                    answer.outcome.verdict = Verdict::Unknown(beyond(reasons));
                }
                return Judged { answer, findings, is_known };
            }
            Verdict::Unsafe(found) => {
                let stacks = |found: &Counterexample| {
                    let machine = plan::machine_for(&about(task, &program), found);
                    interp::stacks(&machine, &found.schedule.steps)
                };
                let all = std::iter::once(&*found).chain(&answer.outcome.others);
                let new: Vec<Finding> =
                    all.map(|found| Finding::violation(&program, found, &stacks(found), sources)).collect();
                let own_stack = stacks(&found);
                let are_known = new.iter().all(&is_known);
                findings.extend(new);
                if !are_known {
                    return Judged { answer: in_whole_program(task, answer), findings, is_known: false };
                }
                let is_first = known.is_none();
                known.get_or_insert_with(|| answer.clone());
                answer = match task.property {
                    Property::Unreach if assume(&mut program, &found, &own_stack) => solve(&about(task, &program)),
                    Property::Race if is_first => all_races(task),
                    Property::Race if answer.outcome.stats.get("races_complete") != Some(1.0) => {
                        let reason = Reason::new(ReasonKind::Bound, "there may be races that were not found");
                        answer.outcome.verdict = Verdict::unknown(reason);
                        answer
                    }
                    Property::Unreach
                    | Property::Race
                    | Property::Deadlock
                    | Property::Locks
                    | Property::Memory
                    | Property::Atomicity => {
                        return Judged { answer: in_whole_program(task, answer), findings, is_known: true };
                    }
                };
            }
        }
    }
}

/// Translates an answer to the original program: a run of a program with copied functions is a run of the original.
fn in_whole_program(task: &Task<'_>, mut answer: Answer) -> Answer {
    if let Verdict::Unsafe(found) = &mut answer.outcome.verdict {
        if let Ok(again) = plan::validate::replayed(task, found.schedule.steps.clone()) {
            **found = again;
        }
    }
    answer
}

/// Reasons why it is not known whether there are more findings.
fn beyond(reasons: Vec<Reason>) -> Vec<Reason> {
    let beyond = |reason: Reason| Reason { detail: format!("beyond what is known: {}", reason.detail), ..reason };
    reasons.into_iter().map(beyond).collect()
}

/// Turns a failing assertion into an assumption in the calling context of the run: the functions on the call path are
/// copied. A run of the new program is one of the old, in which the thread that would fail waits instead.
fn assume(program: &mut Program, found: &Counterexample, stacks: &Stacks) -> bool {
    let stack =
        stacks.iter().find(|(thread, _)| Some(*thread) == found.violation.thread).map(|(_, stack)| stack.as_slice());
    let (Some(stack), Some((_, edge))) = (stack, found.violation.at) else { return false };
    let Some(((first, _), inner)) = stack.split_first() else { return false };
    let mut function = *first;
    for ((_, loc), (callee, _)) in stack.iter().zip(inner) {
        let Some(call) = edge_at(program, function, *loc) else { return false };
        let Stmt::Call { callee: Callee::Direct(_), .. } = program.functions[function].edges[call].stmt else {
            return false;
        };
        let mut copy = program.functions[*callee].clone();
        copy.name = format!("{}{COPY}{}", original(&copy.name), program.functions.len());
        let copy = program.functions.push(copy);
        if let Stmt::Call { callee, .. } = &mut program.functions[function].edges[call].stmt {
            *callee = Callee::Direct(copy);
        }
        function = copy;
    }
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
