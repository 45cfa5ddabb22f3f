//! The engine `priori` (Sharma and Sharma, Thread-modular analysis of release-acquire concurrency, SAS 2021): abstract
//! interpretation of each thread alone, in which partial orders of stores determine which messages of other threads can
//! still be read ([`crate::domains::orders`]).
//!
//! A proof covers all executions, loops included: values in loops are widened. An alarm is only a possibility, so it is
//! settled by an exact engine that [`Priori`] is given: a violation makes the answer `unsafe`, a refutation makes it
//! `safe`, and otherwise the answer is `unknown`, with the alarm and the values that could not be ruled out. Before
//! that the analysis is repeated with more precision, unless a little effort finds a violation.
//!
//! What holds under `ra` holds under `sc` and `tso`: each of their executions is one of `ra` with the same reads (a
//! total order of accesses, or of what reaches memory, is consistent with every view), except that under `tso` a
//! seq_cst load has no fence before it, so it is analysed without one. Under `pso` a store passes on what its thread
//! knows only if it cannot overtake the thread's stores to other locations: after a fence, as a release, or when there
//! are none.
//!
//! Loops are widened, and narrowed where an alarm is left ([`narrowing`]); with a bound the first iterations are
//! distinguished. Loops that only wait become assumptions ([`spins`]). Races are decided by the knowledge in orders
//! ([`races`]).
//!
//! Limits: properties `unreach` and `race`. Recursion is not analysed.

mod evaluate;
mod fixpoint;
mod graph;
mod interference;
mod invariants;
mod narrowing;
mod objects;
mod options;
mod races;
mod slots;
mod spins;
mod state;
mod threads;
mod transfer;
mod world;

use crate::domains::{Intervals, Numeric, Octagons};
use base::{Part, Stats, Stop};
use check::{undecided, Effort, Engine, Outcome, Proof, Reason, ReasonKind, Services, Task, Verdict};
use fixpoint::{Alarm, Analysis, Level};
use interference::OrderLevel;
use ir::analysis::{Analyses, Escape, PointsTo};
use ir::{EdgeId, FunctionId, Property, Stmt};
use slots::Merging;
use std::collections::BTreeSet;
use world::Lessons;

pub use invariants::{invariants, invariants_everywhere, LineInvariant, ThreadInvariants};
pub use options::Options;

/// The engine `priori`.
pub struct Priori;

/// The highest level of precision.
pub const FINEST: u8 = 4;
/// Maximum number of restarts with what the analysis has learnt.
const MAX_RESTARTS: usize = 40;

impl Engine for Priori {
    fn name(&self) -> &'static str {
        "priori"
    }

    fn about(&self) -> &'static str {
        "analyse each thread alone with partial orders of stores; loops need no bound (unreach, race)"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Reason> {
        match matches!(task.property, Property::Unreach | Property::Race) {
            true => Ok(()),
            false => Err(undecided(self, task)),
        }
    }

    fn rank(&self, _: &Task<'_>) -> Option<u8> {
        Some(30)
    }

    fn run(&self, task: &Task<'_>, services: &dyn Services) -> Outcome {
        let mut stats = Stats::default();
        let mut facts = check::Facts::default();
        let verdict = match self.supports(task) {
            Ok(()) => self.solve(task, services, &mut facts, &mut stats),
            Err(reason) => Verdict::unknown(reason),
        };
        Outcome { facts, ..Outcome::new(verdict, stats) }
    }
}

/// The meaning of a precision level: 1 is the paper's second abstraction without read-modify-writes, 2 the same with
/// them, 3 keeps all stores, several values for each order and the order of what two threads stored last, 4 relates
/// values by octagons and distinguishes the first iterations of loops. A bound sets this number of iterations at every
/// level.
fn level(precision: u8, most_steps: u64, task: &Task<'_>) -> Level {
    let merging = |partitions, most| Merging { partitions, most, joins_orders: partitions == 1, delay: 3 };
    // Splitting on which of two stores is newer makes both known, and known stores happen before: wrong for races.
    let is_about_races = task.property == Property::Race;
    let orders = |latest, updates, splits| OrderLevel { latest, updates, splits: splits && !is_about_races };
    let rounds = if precision >= FINEST { OWN_ROUNDS } else { 0 };
    let unroll = task.options.bound.map_or(rounds, |bound| bound.min(MAX_ROUNDS) as u8);
    let (orders, merging) = match precision {
        0 | 1 => (orders(true, false, false), merging(1, 64)),
        2 => (orders(true, true, false), merging(1, 400)),
        _ => (orders(false, true, true), merging(8, 1000)),
    };
    Level { orders, merging, unroll, most_steps }
}

/// Number of iterations distinguished at the highest level.
const OWN_ROUNDS: u8 = 3;
/// Maximum number of iterations distinguished by a bound.
const MAX_ROUNDS: u32 = 100;

/// Step limits of the levels when all are tried: the exact engine may be faster than a higher level.
const STEPS: [u64; 5] = [0, 40_000, 40_000, 40_000, 15_000];

/// The result of one level.
struct Finding {
    /// Whether the fixpoint was reached.
    is_complete: bool,
    alarms: BTreeSet<Alarm>,
    reasons: BTreeSet<Reason>,
    assumed: BTreeSet<Reason>,
}

impl Finding {
    /// The facts without alarms. An assertion is assumed in what follows it, so this only says that no other fails
    /// first.
    fn facts(&self, task: &Task<'_>) -> check::Facts {
        let mut facts = check::Facts::default();
        if !self.reasons.is_empty() || !self.assumed.is_empty() {
            return facts;
        }
        let is_free = |at: &(FunctionId, EdgeId)| {
            let is_about =
                |alarm: &Alarm| alarm.assertion == Some(*at) || alarm.accesses.is_some_and(|two| two.contains(at));
            !self.alarms.iter().any(is_about)
        };
        if task.property == Property::Unreach {
            facts.holds = task.program.assertions().filter(is_free).collect();
        } else if task.property == Property::Race {
            facts.race_free = task.program.accesses().filter(is_free).collect();
        }
        facts
    }
}

/// Program analyses needed before the start.
pub(crate) struct Facts {
    points_to: PointsTo,
    escape: Escape,
}

impl Facts {
    pub(crate) fn new(program: &ir::Program) -> Facts {
        let (points_to, .., escape) = Analyses::new(program).into_parts();
        Facts { points_to, escape }
    }
}

impl Priori {
    fn solve(&self, task: &Task<'_>, services: &dyn Services, proved: &mut check::Facts, stats: &mut Stats) -> Verdict {
        let is_violation = |stmt: &Stmt| stmt.is_assertion(Property::Unreach) || matches!(stmt, Stmt::Unmodelled(_));
        let mut edges = task.program.functions.iter().flat_map(|function| function.edges.iter());
        if task.property == Property::Unreach && !edges.any(|edge| is_violation(&edge.stmt)) {
            return Verdict::safe(Proof::NothingToViolate, vec![]);
        }
        let facts = Facts::new(task.program);
        let asked = task.options.own::<Options>().precision;
        let levels: Vec<u8> = match asked {
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
            // Higher levels must leave time for the exact engine.
            let budget = task.budget.part(Part::Share(if alarms.is_empty() { 0.6 } else { 0.2 }));
            let part = Task { budget, ..task.clone() };
            let most_steps = if asked.is_some() { u64::MAX } else { STEPS[usize::from(precision)] };
            let level = level(precision, most_steps, task);
            stats.set("precision", f64::from(precision));
            let found = if precision >= FINEST {
                analyse::<Octagons>(&part, &facts, level, stats)
            } else {
                analyse::<Intervals>(&part, &facts, level, stats)
            };
            stats.add("analysis_ms", part.budget.elapsed().as_secs_f64() * 1000.0);
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
            if finding.is_complete {
                proved.extend(&finding.facts(task));
            }
            if !finding.reasons.is_empty() {
                // Obstacles may vanish when loops are unrolled, but nothing else helps.
                obstacles = finding.reasons;
                continue;
            }
            obstacles.clear();
            if alarms.is_empty() || finding.is_complete {
                alarms = finding.alarms;
            }
            if asked.is_none() && precision < FINEST && services.settles() {
                let found = services.settle(task, Effort::Little);
                if let Verdict::Unsafe(_) = found.verdict {
                    stats.set("alarms", alarms.len() as f64);
                    return found.verdict;
                }
            }
            if !finding.is_complete {
                let detail = format!("the analysis was given up after {most_steps} steps");
                gave_up.push(Reason::new(ReasonKind::Bound, detail));
                break;
            }
        }
        // An exact engine may support what this analysis does not.
        let reasons = obstacles.into_iter().chain(gave_up).collect();
        settle(task, services, &alarms, reasons, stats)
    }
}

/// Has exact engines decide the alarms.
fn settle(
    task: &Task<'_>,
    services: &dyn Services,
    alarms: &BTreeSet<Alarm>,
    gave_up: Vec<Reason>,
    stats: &mut Stats,
) -> Verdict {
    stats.set("alarms", alarms.len() as f64);
    let outcome = services.settle(task, Effort::Full);
    for (name, value) in outcome.stats.iter() {
        stats.set(&format!("settle_{name}"), value);
    }
    match outcome.verdict {
        Verdict::Unknown(reasons) => {
            let reported = alarms.iter().take(MAX_ALARMS).map(|alarm| {
                let detail = format!("{} cannot be ruled out ({})", alarm.message, alarm.values);
                Reason::new(ReasonKind::Imprecise, detail).at(alarm.place.clone())
            });
            let mut all: Vec<Reason> = reported.chain(gave_up).chain(reasons).collect();
            all.dedup();
            Verdict::Unknown(all)
        }
        decided => decided,
    }
}

/// Maximum number of alarms in a report.
const MAX_ALARMS: usize = 6;

/// Runs the analysis at one level, restarting whenever an assumption has to be given up.
fn analyse<D: Numeric>(task: &Task<'_>, facts: &Facts, level: Level, stats: &mut Stats) -> Result<Finding, Stop> {
    let mut lessons = Lessons::default();
    for round in 0..MAX_RESTARTS {
        let mut analysis: Analysis<'_, D> =
            Analysis::new(task, &facts.points_to, &facts.escape, level, lessons.clone());
        let result = analysis.run();
        stats.set("rounds", round as f64 + 1.0);
        stats.set("threads", analysis.world.threads.len() as f64);
        stats.set("cells", analysis.world.cells.len() as f64 - 1.0);
        stats.set("states", analysis.states() as f64);
        stats.add("steps", analysis.steps as f64);
        stats.add("combinations", analysis.combinations as f64);
        stats.add("iterations", analysis.iterations as f64);
        stats.add("narrowings", analysis.narrowings as f64);
        stats.set("widened", f64::from(u8::from(analysis.widened)));
        result?;
        if analysis.world.learnt == lessons || !analysis.is_complete && analysis.reasons.is_empty() {
            let Analysis { alarms, reasons, mut assumed, is_complete, has_seq_cst, .. } = analysis;
            assumed.retain(|reason| has_seq_cst || reason.kind != ReasonKind::Mixed);
            return Ok(Finding { is_complete, alarms, reasons, assumed });
        }
        lessons = analysis.world.learnt;
    }
    let detail = "the analysis had to start again too often";
    let reasons = BTreeSet::from([Reason::new(ReasonKind::Unsupported, detail)]);
    Ok(Finding { is_complete: false, alarms: BTreeSet::new(), reasons, assumed: BTreeSet::new() })
}
