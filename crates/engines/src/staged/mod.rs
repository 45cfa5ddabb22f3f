//! The engine `staged` (Sinha and Wang, Staged concurrent program analysis, FSE 2010): the program is unrolled to a bound,
//! every thread is summarised into a skeleton of events, and the skeletons are composed exactly
//! ([`crate::skeleton`]).
//!
//! A satisfiable composition is an execution, which is followed in the reference interpreter before it is reported. An
//! unsatisfiable one is a proof if no gap can be reached: no loop that was cut, nothing that is not modelled. While only
//! bounds are in the way, the bound is doubled, unless one is given; a program that is large even so is first cut where its
//! loops are certain, too, and looked at as a whole when the bound has grown.
//!
//! All properties: violations at a step (`unreach`, `memory`, `locks`), pairs of accesses that happens-before does not order
//! (`race`), executions that end with a thread blocked and none that can move (`deadlock`).
//!
//! Where every race is asked for, those that were found are excluded and the question is asked again ([`races`]).
//!
//! Limits: context bounds are for `sc` only.

mod races;

use crate::skeleton::compose::{compose, Composition, Pruning};
use crate::skeleton::contexts::bound_contexts;
use crate::skeleton::control::Control;
use crate::skeleton::decode::decode;
use crate::skeleton::events::{EventId, Gap, Skeleton};
use crate::skeleton::execute::{Analyses, Bounds, Execution, CUT_AT_ITS_OWN};
use crate::skeleton::picture::Picture;
use base::Stats;
use check::{Counterexample, Engine, Outcome, Proof, Reason, ReasonKind, Task, Verdict};
use ir::{EdgeId, FunctionId, LocId, MemoryModel, Move, Property, Stmt};
use rustc_hash::FxHashMap;
use smt::term::value::Evaluation;
use smt::{Answer, Term, Terms};
use std::time::Instant;

/// The statements of two accesses that race.
pub type RacePair = ((FunctionId, EdgeId), (FunctionId, EdgeId));

/// Follows a run in the reference interpreter, which engines do not know: to its first violation, or to the race of two
/// statements.
pub type Realise = fn(&Task<'_>, &[Move], Option<RacePair>) -> Result<Counterexample, String>;

/// The engine.
pub struct Staged {
    /// How runs are followed.
    pub realise: Realise,
}

/// More events than this are too many for the order theory.
const MOST_EVENTS: usize = 6000;
/// More events than this are too many to begin with: then loops are cut at the bound, whatever is known of them.
const MOST_COMPLETE: usize = 2000;
/// While bounds are tried one after the other, more events than this for each iteration allowed are too many: many violations
/// need few iterations, and a large program is looked at in part first.
const MOST_AT_ONCE: usize = 250;
/// The largest bound that is tried when none is given.
const MOST_ITERATIONS: u32 = 1024;
/// So many reachable gaps are named.
const MOST_REASONS: usize = 6;

impl Engine for Staged {
    fn name(&self) -> &'static str {
        "staged"
    }

    fn about(&self) -> &'static str {
        "unroll to a bound and compose the threads' accesses exactly, with the solver"
    }

    fn run(&self, task: &Task<'_>) -> Outcome {
        let mut stats = Stats::default();
        let mut others = Vec::new();
        let verdict = self.solve(task, &mut others, &mut stats);
        Outcome { verdict, others, stats }
    }
}

/// The answer for one bound.
enum Round {
    Decided(Verdict),
    /// No violation, but these gaps can be reached.
    Gaps(Vec<Reason>),
}

impl Staged {
    fn solve(&self, task: &Task<'_>, others: &mut Vec<Counterexample>, stats: &mut Stats) -> Verdict {
        if task.model != MemoryModel::Sc && task.options.context_bound.is_some() {
            // What a context is where stores reach memory later is not defined.
            let detail = format!("a context bound is not for {}", task.model);
            return Verdict::unknown(Reason::new(ReasonKind::Unsupported, detail));
        }
        if matches!(task.property, Property::Race | Property::Deadlock) && task.options.context_bound.is_some() {
            // Races are not about the order of steps, and deadlocks about the end of all threads.
            let detail = format!("a context bound is not for {}", task.property);
            return Verdict::unknown(Reason::new(ReasonKind::Unsupported, detail));
        }
        let is_violation =
            |stmt: &Stmt| matches!(stmt, Stmt::Assert { property: Property::Unreach, .. } | Stmt::Unmodelled(_));
        let mut edges = task.program.functions.iter().flat_map(|function| function.edges.iter());
        if task.property == Property::Unreach && !edges.any(|edge| is_violation(&edge.stmt)) {
            return Verdict::safe(Proof::NothingToViolate, vec![]);
        }
        let analyses = Analyses::new(task.program);
        let loops = match bounded_loops(task, &analyses) {
            Ok(loops) => loops,
            Err(reason) => return Verdict::unknown(reason),
        };
        let mut bound = task.options.bound.unwrap_or(1);
        let mut last: Option<Vec<Reason>> = None;
        loop {
            stats.set("bound", f64::from(bound));
            let bounds = first_bounds(task, bound, loops.clone());
            let round = self.round(task, &analyses, &bounds, others, stats);
            match round {
                Round::Decided(Verdict::Unknown(mut reasons)) => {
                    // Out of time: what stood in the way before is worth telling, too.
                    reasons
                        .extend(last.unwrap_or_default().into_iter().filter(|reason| reason.kind == ReasonKind::Bound));
                    return Verdict::Unknown(reasons);
                }
                Round::Decided(verdict) => return verdict,
                Round::Gaps(reasons) => {
                    // A loop with a bound of its own keeps it.
                    let may_go = |reason: &Reason| reason.kind == ReasonKind::Bound && reason.detail != CUT_AT_ITS_OWN;
                    let is_bound = reasons.iter().any(may_go);
                    if !is_bound || task.options.bound.is_some() || bound >= MOST_ITERATIONS {
                        return Verdict::Unknown(reasons);
                    }
                    bound *= 2;
                    last = Some(reasons);
                }
            }
        }
    }

    fn round(
        &self,
        task: &Task<'_>,
        analyses: &Analyses,
        bounds: &Bounds,
        others: &mut Vec<Counterexample>,
        stats: &mut Stats,
    ) -> Round {
        let bound = bounds.iterations;
        let mut terms = Terms::new();
        let mut stopwatch = Stopwatch::start();
        let most_events = match task.options.bound {
            Some(_) => MOST_COMPLETE,
            None => MOST_AT_ONCE.saturating_mul(bound as usize).min(MOST_EVENTS),
        };
        let bounds = Bounds { most_events, ..bounds.clone() };
        let mut skeleton = match unroll(task, analyses, &bounds, &mut terms) {
            Ok(skeleton) => skeleton,
            Err(reason) => return Round::Decided(Verdict::unknown(reason)),
        };
        stopwatch.lap(stats, "execute_ms");
        stats.set("threads", skeleton.threads.len() as f64);
        stats.set("events", skeleton.events.len() as f64);
        stats.set("summarised_calls", skeleton.summarised_calls as f64);
        let mut composition = match compose_task(task, &mut skeleton, &mut terms) {
            Ok(composition) => composition,
            Err(stop) => return Round::Decided(Verdict::unknown(Reason::from(stop))),
        };
        let limit = task.options.context_bound;
        let bounded = limit.map(|limit| bound_contexts(&skeleton, &mut composition, &mut terms, limit));
        stopwatch.lap(stats, "compose_ms");
        stats.set("links", composition.pairs as f64);
        stats.set("largest_link_set", largest_link_set(&composition) as f64);
        stats.set("terms", terms.len() as f64);
        let found = self.find_violation(task, &skeleton, &mut composition, bounded, &mut terms, stats);
        stats.set("clauses", composition.solver.clauses() as f64);
        if let (Ok(Some(Verdict::Unsafe(first))), true, Property::Race) =
            (&found, task.options.all_races, task.property)
        {
            *others = self.other_races(task, &skeleton, &mut composition, first, &mut terms, stats);
        }
        match found {
            Ok(Some(verdict)) => return Round::Decided(verdict),
            Ok(None) => {}
            Err(stop) => return Round::Decided(Verdict::unknown(Reason::from(stop))),
        }
        let mut stopwatch = Stopwatch::start();
        let gaps = reachable_gaps(task, &mut composition, &mut terms);
        stopwatch.lap(stats, "solve_ms");
        match (gaps, limit) {
            (Ok(gaps), Some(limit)) => nothing_within(limit, bound, gaps),
            (Ok(gaps), None) if gaps.is_empty() => {
                // Whoever confirms this unrolls all loops alike.
                let iterations = bounds.loops.values().copied().chain([bound]).max().unwrap_or(bound);
                let proof = Proof::Bounded { iterations, events: skeleton.events.len() as u64 };
                Round::Decided(Verdict::safe(proof, vec![]))
            }
            (Ok(gaps), None) => Round::Gaps(gaps),
            (Err(stop), _) => Round::Decided(Verdict::unknown(Reason::from(stop))),
        }
    }

    fn find_violation(
        &self,
        task: &Task<'_>,
        skeleton: &Skeleton,
        composition: &mut Composition,
        bounded: Option<(Term, Vec<Term>)>,
        terms: &mut Terms,
        stats: &mut Stats,
    ) -> Result<Option<Verdict>, base::Stop> {
        let mut stopwatch = Stopwatch::start();
        let (guard, mut violations) = bounded.unwrap_or_else(|| {
            (terms.bool(true), skeleton.violations.iter().map(|violation| violation.occurs).collect())
        });
        violations.extend(composition.deadlock);
        violations.retain(|&violation| terms.as_bool(violation) != Some(false));
        let goals = match &composition.race {
            Some(race) => race.goals(),
            None => vec![violations],
        };
        if goals.iter().any(Vec::is_empty) {
            return Ok(None);
        }
        let mut assumptions: Vec<Term> = composition.assumed.iter().copied().chain([guard]).collect();
        let answer = composition.solver.check_goals(terms, &goals, &assumptions, &task.budget);
        stopwatch.lap(stats, "solve_ms");
        if answer? == Answer::Unsat {
            return Ok(None);
        }
        let mut found = self.follow(task, skeleton, composition, terms, None);
        let inexact = terms.or(composition.inexact.clone());
        if found.is_err() && terms.as_bool(inexact) != Some(false) {
            // Where values are not told exactly, a model need not be an execution. Is there one without such values?
            assumptions.push(terms.not(inexact));
            if composition.solver.check_goals(terms, &goals, &assumptions, &task.budget)? == Answer::Unsat {
                return Ok(None);
            }
            found = self.follow(task, skeleton, composition, terms, None);
        }
        stopwatch.lap(stats, "decode_ms");
        Ok(Some(match found {
            Ok(counterexample) => Verdict::Unsafe(Box::new(counterexample)),
            Err(problem) => {
                let detail = format!("a violation was found that cannot be replayed, a defect of Heddle: {problem}");
                Verdict::unknown(Reason::new(ReasonKind::Validation, detail))
            }
        }))
    }

    /// Follows the execution of the model found last, to the first violation or to the race that is sought.
    fn follow(
        &self,
        task: &Task<'_>,
        skeleton: &Skeleton,
        composition: &mut Composition,
        terms: &Terms,
        sought: Option<RacePair>,
    ) -> Result<Counterexample, String> {
        let moves = decode(task.program, skeleton, composition, terms)?;
        (self.realise)(task, &moves, sought)
    }
}

/// No violation was found in so many contexts. More of them are not asked for, more iterations are.
fn nothing_within(contexts: u32, iterations: u32, gaps: Vec<Reason>) -> Round {
    let detail = format!("no violation up to these bounds: {contexts} contexts, loops unrolled {iterations} times");
    let is_cut = gaps.iter().any(|gap| gap.kind == ReasonKind::Bound);
    let reasons = std::iter::once(Reason::new(ReasonKind::Bound, detail)).chain(gaps).collect();
    if is_cut {
        Round::Gaps(reasons)
    } else {
        Round::Decided(Verdict::Unknown(reasons))
    }
}

/// Stage 2, in the modes that the task asks for.
fn compose_task(task: &Task<'_>, skeleton: &mut Skeleton, terms: &mut Terms) -> Result<Composition, base::Stop> {
    let modes = task.options.modes;
    let pruning = if modes.pruning { Pruning::default() } else { Pruning::NONE };
    compose(task.program, (task.property, task.model), skeleton, terms, pruning, modes.encoding, &task.budget)
}

fn first_bounds(task: &Task<'_>, iterations: u32, loops: FxHashMap<(FunctionId, LocId), u32>) -> Bounds {
    let summaries = task.options.modes.summaries;
    Bounds { iterations, is_strict: false, most_events: MOST_COMPLETE, loops, summaries }
}

/// The skeleton of a task's program, unrolled to the bound given, or once, for people to look at.
pub fn picture(task: &Task<'_>) -> Result<Picture, Reason> {
    let analyses = Analyses::new(task.program);
    let bound = task.options.bound.unwrap_or(1);
    let loops = bounded_loops(task, &analyses)?;
    let bounds = first_bounds(task, bound, loops);
    let mut terms = Terms::new();
    let mut skeleton = unroll(task, &analyses, &bounds, &mut terms)?;
    let composition = compose_task(task, &mut skeleton, &mut terms)?;
    Ok(Picture::new(task.program, &skeleton, &composition, &terms, bound))
}

/// How long a stage took, added up over the bounds.
struct Stopwatch(Instant);

impl Stopwatch {
    fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }

    fn lap(&mut self, stats: &mut Stats, name: &str) {
        let started = std::mem::replace(&mut self.0, Instant::now());
        stats.add(name, (self.0 - started).as_secs_f64() * 1e3);
    }
}

/// How many writes the read with the largest link set may read from.
fn largest_link_set(composition: &Composition) -> usize {
    let mut sizes: FxHashMap<EventId, usize> = FxHashMap::default();
    for &(_, _, read) in &composition.reads_from {
        *sizes.entry(read).or_default() += 1;
    }
    sizes.values().copied().max().unwrap_or(0)
}

/// The loops that have a bound of their own.
fn bounded_loops(task: &Task<'_>, analyses: &Analyses) -> Result<FxHashMap<(FunctionId, LocId), u32>, Reason> {
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

/// Stage 1. Loops with constant trip counts are unrolled completely, unless that gives more events than are allowed.
fn unroll(task: &Task<'_>, analyses: &Analyses, bounds: &Bounds, terms: &mut Terms) -> Result<Skeleton, Reason> {
    let mut execute = |is_strict, most_events| {
        *terms = Terms::new();
        let bounds = Bounds { is_strict, most_events, ..bounds.clone() };
        let inputs = &task.options.inputs;
        let promised = inputs.values.clone().filter(|_| inputs.promised);
        Execution::new(task.program, (task.property, task.model), promised, analyses, &bounds, terms, &task.budget)
            .run()
    };
    match execute(false, bounds.most_events) {
        Err(reason) if reason.kind == ReasonKind::Bound => execute(true, MOST_EVENTS),
        ended => ended,
    }
}

/// The gaps that some execution reaches, or at least some of them.
fn reachable_gaps(
    task: &Task<'_>,
    composition: &mut Composition,
    terms: &mut Terms,
) -> Result<Vec<Reason>, base::Stop> {
    let mut open: Vec<Gap> = composition.gaps.clone();
    open.retain(|gap| gap.kind != ReasonKind::Relaxed || !task.options.strengthen_relaxed);
    let mut reasons: Vec<Reason> = Vec::new();
    while reasons.len() < MOST_REASONS {
        let goals: Vec<Term> = open.iter().map(|gap| gap.occurs).collect();
        if goals.iter().all(|&goal| terms.as_bool(goal) == Some(false)) {
            break;
        }
        if composition.solver.check_goals(terms, &[goals], &[], &task.budget)? == Answer::Unsat {
            break;
        }
        let model = composition.solver.model(terms).clone();
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
        // What was named is not asked for again.
        let is_named = |gap: &Gap| {
            let reason = Reason::new(gap.kind, gap.detail.clone()).at(gap.place.clone());
            reasons.contains(&reason)
        };
        open.retain(|gap| !is_named(gap));
    }
    reasons.sort();
    Ok(reasons)
}
