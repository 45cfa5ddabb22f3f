//! The engine `priori` (Sharma and Sharma, Thread-modular analysis of release-acquire concurrency, SAS 2021): abstract
//! interpretation of each thread alone, in which partial orders of stores say which messages of other threads can
//! still be read ([`crate::domains::orders`]).
//!
//! A proof is one for all executions, loops included: values in loops are widened. An alarm is only a possibility, so it
//! is settled by an exact engine, which [`Priori`] is given: what that finds is `unsafe`, what it refutes is `safe`, and
//! otherwise the answer is `unknown`, with the alarm and the values that could not be excluded. Before that the analysis is
//! repeated with more precision.
//!
//! What holds under `ra` holds under `sc` and `tso`: each of their executions is one of `ra` with the same reads (a total
//! order of accesses, or of what reaches memory, is consistent with every view), except that under `tso` a seq_cst load
//! has no fence before it, so it is analysed without one.
//!
//! Limits: property `unreach` under `ra`, `tso` and `sc`. Widening goes by the constants of the program and is not followed by
//! narrowing. Loops are unrolled at the finest precision only, and spin loops are not turned into assumptions.

mod evaluate;
mod fixpoint;
mod graph;
mod interference;
mod invariants;
mod slots;
mod state;
mod transfer;
mod world;

use crate::domains::{Intervals, Numeric, Octagons};
use base::{Stats, Stop};
use check::{Engine, Outcome, Proof, Reason, ReasonKind, Task, Verdict};
use fixpoint::{Alarm, Analysis, Level};
use interference::OrderLevel;
use ir::analysis::{Escape, Parallel, PointsTo, Threads};
use ir::{MemoryModel, Property, Stmt};
use slots::Merging;
use std::collections::BTreeSet;
use world::Lessons;

pub use invariants::{invariants, LineInvariant, ThreadInvariants};

/// Asks an exact engine.
pub type Settle = fn(&Task<'_>) -> Outcome;

/// The engine.
pub struct Priori {
    /// How alarms are settled.
    pub settle: Settle,
}

/// The finest level of precision.
pub const FINEST: u8 = 4;
/// How often the analysis may start again with what it has learnt.
const MOST_RESTARTS: usize = 40;

impl Engine for Priori {
    fn name(&self) -> &'static str {
        "priori"
    }

    fn about(&self) -> &'static str {
        "analyse each thread alone with partial orders of stores; loops need no bound (unreach under ra, tso and sc)"
    }

    fn run(&self, task: &Task<'_>) -> Outcome {
        let mut stats = Stats::default();
        let verdict = self.solve(task, &mut stats);
        Outcome { verdict, stats }
    }
}

/// What a level of precision means: 1 is the paper's second abstraction without the use of read-modify-writes, 2 the
/// same with it, 3 keeps all stores, several values for each order and the order of what two threads stored last, 4 relates
/// values by octagons and unrolls loops.
fn level(precision: u8, most_steps: u64) -> Level {
    let merging = |partitions, most| Merging { partitions, most, joins_orders: partitions == 1, delay: 3 };
    let orders = |latest, updates, splits| OrderLevel { latest, updates, splits };
    match precision {
        0 | 1 => Level { orders: orders(true, false, false), merging: merging(1, 64), unroll: 0, most_steps },
        2 => Level { orders: orders(true, true, false), merging: merging(1, 400), unroll: 0, most_steps },
        3 => Level { orders: orders(false, true, true), merging: merging(8, 1000), unroll: 0, most_steps },
        _ => Level { orders: orders(false, true, true), merging: merging(8, 1000), unroll: 3, most_steps },
    }
}

/// How many steps each level may take when all are tried: the exact engine may be faster than a finer level.
const STEPS: [u64; 5] = [0, 120_000, 120_000, 80_000, 40_000];

/// What one level found.
struct Finding {
    /// Whether it came to an end.
    is_complete: bool,
    alarms: BTreeSet<Alarm>,
    reasons: BTreeSet<Reason>,
    assumed: BTreeSet<Reason>,
}

/// What the analysis needs to know of a program before it starts.
pub(crate) struct Facts {
    points_to: PointsTo,
    escape: Escape,
}

impl Facts {
    pub(crate) fn new(program: &ir::Program) -> Facts {
        let points_to = PointsTo::new(program);
        let threads = Threads::new(program, &points_to);
        let parallel = Parallel::new(program, &points_to, &threads);
        let escape = Escape::new(program, &points_to, &threads, &parallel);
        Facts { points_to, escape }
    }
}

impl Priori {
    fn solve(&self, task: &Task<'_>, stats: &mut Stats) -> Verdict {
        if task.property != Property::Unreach || task.model == MemoryModel::Pso {
            let detail = format!("engine priori does not decide {} under {}", task.property, task.model);
            return Verdict::unknown(Reason::new(ReasonKind::Unsupported, detail));
        }
        let is_violation =
            |stmt: &Stmt| matches!(stmt, Stmt::Assert { property: Property::Unreach, .. } | Stmt::Unmodelled(_));
        let mut edges = task.program.functions.iter().flat_map(|function| function.edges.iter());
        if !edges.any(|edge| is_violation(&edge.stmt)) {
            return Verdict::safe(Proof::NothingToViolate, vec![]);
        }
        let facts = Facts::new(task.program);
        let levels: Vec<u8> = match task.options.precision {
            Some(precision) => vec![precision],
            None => (2..=FINEST).collect(),
        };
        let mut alarms = BTreeSet::new();
        let mut gave_up = Vec::new();
        let mut obstacles = BTreeSet::new();
        for precision in levels {
            if precision < FINEST && !obstacles.is_empty() {
                continue;
            }
            // Finer levels may not use up what the exact engine needs.
            let budget = task.budget.share(if alarms.is_empty() { 0.6 } else { 0.2 });
            let part = Task { budget, ..task.clone() };
            let most_steps = if task.options.precision.is_some() { u64::MAX } else { STEPS[usize::from(precision)] };
            let level = level(precision, most_steps);
            stats.set("precision", f64::from(precision));
            let found = if precision >= FINEST {
                analyse::<Octagons>(&part, &facts, level, stats)
            } else {
                analyse::<Intervals>(&part, &facts, level, stats)
            };
            let finding = match found {
                Ok(finding) => finding,
                Err(stop) => {
                    gave_up.push(Reason::from(stop));
                    break;
                }
            };
            if finding.is_complete && finding.alarms.is_empty() && finding.reasons.is_empty() {
                let proof = Proof::Invariants { states: stats.get("states").unwrap_or(0.0) as u64 };
                return Verdict::safe(proof, finding.assumed.into_iter().collect());
            }
            if !finding.reasons.is_empty() {
                // What stands in the way may not when loops are unrolled, but nothing else helps.
                obstacles = finding.reasons;
                continue;
            }
            obstacles.clear();
            if alarms.is_empty() || finding.is_complete {
                alarms = finding.alarms;
            }
            if !finding.is_complete {
                let detail = format!("the analysis was given up after {most_steps} steps");
                gave_up.push(Reason::new(ReasonKind::Bound, detail));
                break;
            }
        }
        if !obstacles.is_empty() {
            return Verdict::Unknown(obstacles.into_iter().collect());
        }
        stats.set("analysis_ms", task.budget.elapsed().as_secs_f64() * 1000.0);
        self.settle(task, &alarms, gave_up, stats)
    }

    /// Has an exact engine decide about what may be violated.
    fn settle(&self, task: &Task<'_>, alarms: &BTreeSet<Alarm>, gave_up: Vec<Reason>, stats: &mut Stats) -> Verdict {
        stats.set("alarms", alarms.len() as f64);
        let outcome = (self.settle)(task);
        for (name, value) in outcome.stats.iter() {
            stats.set(&format!("settle_{name}"), value);
        }
        match outcome.verdict {
            Verdict::Unknown(reasons) => {
                let told = alarms.iter().take(MOST_ALARMS).map(|alarm| {
                    let detail = format!("it is not excluded that {} ({})", alarm.message, alarm.values);
                    Reason::new(ReasonKind::Imprecise, detail).at(alarm.place.clone())
                });
                let mut all: Vec<Reason> = told.chain(gave_up).chain(reasons).collect();
                all.dedup();
                Verdict::Unknown(all)
            }
            decided => decided,
        }
    }
}

/// So many alarms are told.
const MOST_ALARMS: usize = 6;

/// Analyses at one level, as often as something assumed has to be given up.
fn analyse<D: Numeric>(task: &Task<'_>, facts: &Facts, level: Level, stats: &mut Stats) -> Result<Finding, Stop> {
    let mut lessons = Lessons::default();
    for round in 0..MOST_RESTARTS {
        let mut analysis: Analysis<'_, D> =
            Analysis::new(task, &facts.points_to, &facts.escape, level, lessons.clone());
        let result = analysis.run();
        stats.set("rounds", round as f64 + 1.0);
        stats.set("threads", analysis.world.threads.len() as f64);
        stats.set("cells", analysis.world.cells.len() as f64 - 1.0);
        stats.set("states", analysis.states() as f64);
        stats.add("steps", analysis.steps as f64);
        stats.add("combinations", analysis.combinations as f64);
        stats.set("widened", f64::from(u8::from(analysis.widened)));
        result?;
        if analysis.world.learnt == lessons || !analysis.is_complete && analysis.reasons.is_empty() {
            let Analysis { alarms, reasons, assumed, is_complete, .. } = analysis;
            return Ok(Finding { is_complete, alarms, reasons, assumed });
        }
        lessons = analysis.world.learnt;
    }
    let detail = "the analysis had to start again too often";
    let reasons = BTreeSet::from([Reason::new(ReasonKind::Unsupported, detail)]);
    Ok(Finding { is_complete: false, alarms: BTreeSet::new(), reasons, assumed: BTreeSet::new() })
}
