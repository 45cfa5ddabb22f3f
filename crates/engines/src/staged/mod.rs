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
//! Limits: under `sc` only.

use crate::skeleton::compose::{compose, Composition, Pruning};
use crate::skeleton::contexts::bound_contexts;
use crate::skeleton::decode::decode;
use crate::skeleton::events::{EventId, Gap, Skeleton};
use crate::skeleton::execute::{Analyses, Bounds, Execution};
use crate::skeleton::picture::Picture;
use base::Stats;
use check::{Counterexample, Engine, Outcome, Proof, Reason, ReasonKind, Task, Verdict};
use ir::{MemoryModel, Move, Property, Stmt};
use rustc_hash::FxHashMap;
use smt::term::value::Evaluation;
use smt::{Answer, Term, Terms};
use std::time::Instant;

/// Follows a run in the reference interpreter, which engines do not know.
pub type Realise = fn(&Task<'_>, &[Move]) -> Result<Counterexample, String>;

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
        "unroll to a bound and compose the threads' accesses exactly, with the solver (under sc)"
    }

    fn run(&self, task: &Task<'_>) -> Outcome {
        let mut stats = Stats::default();
        let verdict = self.solve(task, &mut stats);
        Outcome { verdict, stats }
    }
}

/// The answer for one bound.
enum Round {
    Decided(Verdict),
    /// No violation, but these gaps can be reached.
    Gaps(Vec<Reason>),
}

impl Staged {
    fn solve(&self, task: &Task<'_>, stats: &mut Stats) -> Verdict {
        if task.model != MemoryModel::Sc {
            let detail = format!("engine staged does not decide {} under {} yet", task.property, task.model);
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
        let mut bound = task.options.bound.unwrap_or(1);
        let mut last: Option<Vec<Reason>> = None;
        loop {
            stats.set("bound", f64::from(bound));
            let round = self.round(task, &analyses, bound, stats);
            match round {
                Round::Decided(Verdict::Unknown(mut reasons)) => {
                    // Out of time: what stood in the way before is worth telling, too.
                    reasons
                        .extend(last.unwrap_or_default().into_iter().filter(|reason| reason.kind == ReasonKind::Bound));
                    return Verdict::Unknown(reasons);
                }
                Round::Decided(verdict) => return verdict,
                Round::Gaps(reasons) => {
                    let is_bound = reasons.iter().any(|reason| reason.kind == ReasonKind::Bound);
                    if !is_bound || task.options.bound.is_some() || bound >= MOST_ITERATIONS {
                        return Verdict::Unknown(reasons);
                    }
                    bound *= 2;
                    last = Some(reasons);
                }
            }
        }
    }

    fn round(&self, task: &Task<'_>, analyses: &Analyses, bound: u32, stats: &mut Stats) -> Round {
        let mut terms = Terms::new();
        let mut stopwatch = Stopwatch::start();
        let most_complete = match task.options.bound {
            Some(_) => MOST_COMPLETE,
            None => MOST_AT_ONCE.saturating_mul(bound as usize).min(MOST_EVENTS),
        };
        let mut skeleton = match unroll(task, analyses, bound, most_complete, &mut terms) {
            Ok(skeleton) => skeleton,
            Err(reason) => return Round::Decided(Verdict::unknown(reason)),
        };
        stopwatch.lap(stats, "execute_ms");
        stats.set("threads", skeleton.threads.len() as f64);
        stats.set("events", skeleton.events.len() as f64);
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
                let proof = Proof::Bounded { iterations: bound, events: skeleton.events.len() as u64 };
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
        violations.extend(composition.race.as_ref().map(|race| race.happens));
        violations.extend(composition.deadlock);
        let violated = terms.or(violations);
        if terms.as_bool(violated) == Some(false) {
            return Ok(None);
        }
        let mut assumptions: Vec<Term> = composition.assumed.iter().copied().chain([violated, guard]).collect();
        let answer = composition.solver.check(terms, &assumptions, &task.budget);
        stopwatch.lap(stats, "solve_ms");
        if answer? == Answer::Unsat {
            return Ok(None);
        }
        let mut found = self.follow(task, skeleton, composition, terms);
        let inexact = terms.or(composition.inexact.clone());
        if found.is_err() && terms.as_bool(inexact) != Some(false) {
            // Where values are not told exactly, a model need not be an execution. Is there one without such values?
            assumptions.push(terms.not(inexact));
            if composition.solver.check(terms, &assumptions, &task.budget)? == Answer::Unsat {
                return Ok(None);
            }
            found = self.follow(task, skeleton, composition, terms);
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

    /// Follows the execution of the model found last.
    fn follow(
        &self,
        task: &Task<'_>,
        skeleton: &Skeleton,
        composition: &mut Composition,
        terms: &Terms,
    ) -> Result<Counterexample, String> {
        let moves = decode(task.program, skeleton, composition, terms)?;
        (self.realise)(task, &moves)
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
    compose(task.program, task.property, skeleton, terms, pruning, modes.encoding, &task.budget)
}

/// The skeleton of a task's program, unrolled to the bound given, or once, for people to look at.
pub fn picture(task: &Task<'_>) -> Result<Picture, Reason> {
    let analyses = Analyses::new(task.program);
    let bound = task.options.bound.unwrap_or(1);
    let mut terms = Terms::new();
    let mut skeleton = unroll(task, &analyses, bound, MOST_COMPLETE, &mut terms)?;
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

/// Stage 1. Loops with constant trip counts are unrolled completely, unless that gives more than so many events.
fn unroll(
    task: &Task<'_>,
    analyses: &Analyses,
    bound: u32,
    most_complete: usize,
    terms: &mut Terms,
) -> Result<Skeleton, Reason> {
    let mut execute = |is_strict, most_events| {
        *terms = Terms::new();
        let bounds = Bounds { iterations: bound, is_strict, most_events };
        let inputs = &task.options.inputs;
        let promised = inputs.values.clone().filter(|_| inputs.promised);
        Execution::new(task.program, task.property, promised, analyses, &bounds, terms, &task.budget).run()
    };
    match execute(false, most_complete) {
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
    let mut reasons: Vec<Reason> = Vec::new();
    while reasons.len() < MOST_REASONS {
        let any = terms.or(open.iter().map(|gap| gap.occurs).collect::<Vec<_>>());
        if terms.as_bool(any) == Some(false) {
            break;
        }
        if composition.solver.check(terms, &[any], &task.budget)? == Answer::Unsat {
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
