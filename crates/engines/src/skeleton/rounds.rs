//! Shared by engines over skeletons: iterative deepening of bounds, stage 1 within a bound, and the gaps that prevent a
//! proof.

use super::control::Control;
use super::events::{Gap, Skeleton};
use super::execute::{Analyses, Bounds, Execution};
use super::options::Options;
use base::{Stats, Stop};
use check::{Reason, ReasonKind, Task, Verdict};
use ir::{FunctionId, LocId, MemoryModel, Property, Stmt};
use rustc_hash::FxHashMap;
use smt::term::value::Evaluation;
use smt::term::Assignment;
use smt::{Term, Terms};
use std::time::Instant;

/// Maximum number of events for the order theory.
const MAX_EVENTS: usize = 6000;
/// Maximum number of events for complete unrolling; past it loops are cut at the bound, even if their trip counts are
/// known.
const MAX_COMPLETE: usize = 2000;
/// Maximum number of events per allowed iteration during deepening: many violations need few iterations, and a large
/// program is first checked in part.
const MAX_AT_ONCE: usize = 250;
/// Maximum bound of deepening.
const MAX_ITERATIONS: u32 = 1024;
/// Maximum number of reachable gaps that are reported.
const MAX_REASONS: usize = 6;

/// The result for one bound.
pub(crate) enum Round {
    Decided(Verdict),
    /// No violation, but these gaps are reachable.
    Gaps(Vec<Reason>),
}

/// Why there is no answer about atomicity.
pub fn no_atomicity_under(model: MemoryModel) -> Reason {
    let detail = format!("atomicity is defined under sc only, not under {model}: a store has two moments there");
    Reason::new(ReasonKind::Unsupported, detail)
}

/// Whether a reachability question has no target.
pub(crate) fn has_nothing_to_violate(task: &Task<'_>) -> bool {
    let is_violation = |stmt: &Stmt| stmt.is_assertion(Property::Unreach) || matches!(stmt, Stmt::Unmodelled(_));
    let mut edges = task.program.functions.iter().flat_map(|function| function.edges.iter());
    task.property == Property::Unreach && !edges.any(|edge| is_violation(&edge.stmt))
}

/// Increases the bound until one is decisive, or another reason for `unknown` comes up.
pub(crate) fn deepen(
    task: &Task<'_>,
    analyses: &Analyses,
    stats: &mut Stats,
    mut round: impl FnMut(&Bounds, &mut Stats) -> Round,
) -> Verdict {
    let loops = match bounded_loops(task, analyses) {
        Ok(loops) => loops,
        Err(reason) => return Verdict::unknown(reason),
    };
    let mut bound = task.options.bound.unwrap_or(1);
    let mut last: Option<Vec<Reason>> = None;
    loop {
        stats.set("bound", f64::from(bound));
        let most_events = match task.options.bound {
            Some(_) => MAX_COMPLETE,
            None => MAX_AT_ONCE.saturating_mul(bound as usize).min(MAX_EVENTS),
        };
        let bounds = Bounds { most_events, ..first_bounds(task, bound, loops.clone()) };
        match round(&bounds, stats) {
            Round::Decided(Verdict::Unknown(mut reasons)) => {
                // Out of time: the earlier reasons are worth reporting, too.
                reasons.extend(last.unwrap_or_default().into_iter().filter(|reason| reason.kind.is_bound()));
                return Verdict::Unknown(reasons);
            }
            Round::Decided(verdict) => return verdict,
            Round::Gaps(reasons) => {
                // A loop with a bound of its own keeps it.
                let may_go = |reason: &Reason| reason.kind == ReasonKind::Bound;
                let is_bound = reasons.iter().any(may_go);
                if !is_bound || task.options.bound.is_some() || bound >= MAX_ITERATIONS {
                    return Verdict::Unknown(reasons);
                }
                bound *= 2;
                last = Some(reasons);
            }
        }
    }
}

pub(crate) fn first_bounds(task: &Task<'_>, iterations: u32, loops: FxHashMap<(FunctionId, LocId), u32>) -> Bounds {
    let summaries = task.options.own::<Options>().summaries;
    Bounds { iterations, is_strict: false, most_events: MAX_COMPLETE, loops, summaries }
}

/// The time of a stage, summed over the bounds.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }

    pub(crate) fn lap(&mut self, stats: &mut Stats, name: &str) {
        let started = std::mem::replace(&mut self.0, Instant::now());
        stats.add(name, (self.0 - started).as_secs_f64() * 1e3);
    }
}

/// The loops that have a bound of their own.
pub(crate) fn bounded_loops(
    task: &Task<'_>,
    analyses: &Analyses,
) -> Result<FxHashMap<(FunctionId, LocId), u32>, Reason> {
    let mut bounds = FxHashMap::default();
    let mut is_found = vec![false; task.options.loop_bounds.len()];
    if is_found.is_empty() {
        return Ok(bounds);
    }
    for (id, function) in task.program.functions.enumerate() {
        let control = Control::new(function, &analyses.ending);
        for head in control.heads() {
            let Some(span) = control.loop_span(task.program, id, head) else { continue };
            for (bound, found) in task.options.loop_bounds.iter().zip(&mut is_found) {
                let file = task.program.files.get(span.file).map_or("", |file| file.as_str());
                if bound.line == span.line && file.ends_with(&bound.file) {
                    bounds.insert((id, head), bound.iterations);
                    *found = true;
                }
            }
        }
    }
    match task.options.loop_bounds.iter().zip(is_found).find(|(_, found)| !found) {
        Some((bound, _)) => Err(Reason::new(ReasonKind::Unsupported, format!("no loop begins at {bound}"))),
        None => Ok(bounds),
    }
}

/// Stage 1. Loops with constant trip counts are unrolled completely, unless that exceeds the allowed number of events.
pub(crate) fn unroll(
    task: &Task<'_>,
    analyses: &Analyses,
    bounds: &Bounds,
    terms: &mut Terms,
) -> Result<Skeleton, Reason> {
    let mut execute = |is_strict, most_events| {
        *terms = Terms::new();
        let bounds = Bounds { is_strict, most_events, ..bounds.clone() };
        let inputs = &task.options.inputs;
        let promised = inputs.values.clone().filter(|_| inputs.promised);
        Execution::new(task.program, (task.property, task.model), promised, analyses, &bounds, terms, &task.budget)
            .run()
    };
    match execute(false, bounds.most_events) {
        Err(reason) if reason.kind == ReasonKind::Bound => execute(true, MAX_EVENTS),
        ended => ended,
    }
}

/// The gaps that some execution reaches, or at least some of them. Each query asks for an execution that reaches one of
/// several.
pub(crate) fn reachable_gaps(
    task: &Task<'_>,
    mut open: Vec<Gap>,
    terms: &mut Terms,
    mut reach: impl FnMut(&mut Terms, Vec<Term>) -> Result<Option<Assignment>, Stop>,
) -> Result<Vec<Reason>, Stop> {
    let is_strengthened = |gap: &Gap| matches!(gap.kind, ReasonKind::Relaxed | ReasonKind::Mixed);
    open.retain(|gap| !(is_strengthened(gap) && task.options.strengthen_relaxed));
    let mut reasons: Vec<Reason> = Vec::new();
    while reasons.len() < MAX_REASONS {
        let goals: Vec<Term> = open.iter().map(|gap| gap.occurs).collect();
        if goals.iter().all(|&goal| terms.as_bool(goal) == Some(false)) {
            break;
        }
        let Some(model) = reach(terms, goals)? else { break };
        let mut evaluation = Evaluation::new(terms, &model);
        let mut found: Vec<(ReasonKind, String, String)> = Vec::new();
        for gap in &open {
            if evaluation.is_true(gap.occurs) {
                found.push((gap.kind, gap.detail.clone(), gap.place.clone()));
            }
        }
        for (kind, detail, place) in found {
            let reason = Reason::new(kind, detail).at(place);
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        // A reported gap is not asked for again.
        let is_named = |gap: &Gap| {
            let reason = Reason::new(gap.kind, gap.detail.clone()).at(gap.place.clone());
            reasons.contains(&reason)
        };
        open.retain(|gap| !is_named(gap));
    }
    reasons.sort();
    Ok(reasons)
}
