//! The engine `staged` (Sinha and Wang, Staged concurrent program analysis, FSE 2010): the program is unrolled to a
//! bound, every thread is summarised into a skeleton of events, and the skeletons are composed exactly
//! ([`crate::skeleton`]).
//!
//! A satisfiable composition is an execution, which is replayed in the reference interpreter before it is reported. An
//! unsatisfiable one is a proof if no gap is reachable: no cut loop, nothing unmodelled. While only bounds prevent an
//! answer, the bound is doubled, unless one is given; a program that is large even so is first cut even where loops
//! have constant trip counts, and checked as a whole when the bound has grown.
//!
//! All properties: violations at a step (`unreach`, `memory`, `locks`), pairs of accesses that happens-before does not
//! order (`race`), executions that end with a blocked thread and no thread that can move (`deadlock`), accesses that
//! lie between two others that should be atomic (`atomicity`, under `sc`).
//!
//! If every race is asked for, those that were found are excluded and the solver is called again ([`races`]).
//!
//! Limits: context bounds are for `sc` only.

mod races;

use crate::skeleton::compose::{compose, Composition, Pruning};
use crate::skeleton::contexts::bound_contexts;
use crate::skeleton::decode::decode;
use crate::skeleton::events::{EventId, Skeleton};
use crate::skeleton::execute::{Analyses, Bounds};
use crate::skeleton::options::Options;
use crate::skeleton::picture::Picture;
use crate::skeleton::rounds::{bounded_loops, deepen, first_bounds, has_nothing_to_violate};
use crate::skeleton::rounds::{no_atomicity_under, reachable_gaps, unroll};
use crate::skeleton::rounds::{Round, Stopwatch};
use base::Stats;
use check::{Counterexample, Engine, Outcome, Proof, RacePair, Reason, ReasonKind, Services, Task, Verdict};
use ir::{Property, Shape};
use rustc_hash::FxHashMap;
use smt::{Answer, Term, Terms};

/// The engine `staged`.
pub struct Staged;

impl Engine for Staged {
    fn name(&self) -> &'static str {
        "staged"
    }

    fn about(&self) -> &'static str {
        "unroll to a bound and compose the threads' accesses exactly, with the solver"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Reason> {
        let no = |detail: String| Err(Reason::new(ReasonKind::Unsupported, detail));
        let is_context_bounded = task.options.own::<Options>().context_bound.is_some();
        if !task.model.is_sequentially_consistent() && is_context_bounded {
            // Contexts are not defined where stores reach memory later.
            return no(format!("a context bound is not for {}", task.model));
        }
        if !task.model.is_sequentially_consistent() && task.property == Property::Atomicity {
            return Err(no_atomicity_under(task.model));
        }
        let is_unbounded = task.property.shape() != Shape::Step;
        if is_unbounded && is_context_bounded {
            // Races do not depend on the order of steps, and deadlocks depend on the ends of all threads.
            return no(format!("a context bound is not for {}", task.property));
        }
        Ok(())
    }

    fn rank(&self, _: &Task<'_>) -> Option<u8> {
        Some(20)
    }

    fn finds_all(&self) -> bool {
        true
    }

    fn run(&self, task: &Task<'_>, services: &dyn Services) -> Outcome {
        let mut stats = Stats::default();
        let mut search = Search { services, others: Vec::new() };
        let verdict = match self.supports(task) {
            Ok(()) => search.solve(task, &mut stats),
            Err(reason) => Verdict::unknown(reason),
        };
        Outcome { others: search.others, ..Outcome::new(verdict, stats) }
    }
}

/// The search for violations, bound by bound.
struct Search<'s> {
    services: &'s dyn Services,
    /// Violations beyond the first, if all races are asked for.
    others: Vec<Counterexample>,
}

impl Search<'_> {
    fn solve(&mut self, task: &Task<'_>, stats: &mut Stats) -> Verdict {
        if has_nothing_to_violate(task) {
            return Verdict::safe(Proof::NothingToViolate, vec![]);
        }
        let analyses = match Analyses::of(task) {
            Ok(analyses) => analyses,
            Err(reason) => return Verdict::unknown(reason),
        };
        deepen(task, &analyses, stats, |bounds, stats| self.round(task, &analyses, bounds, stats))
    }

    fn round(&mut self, task: &Task<'_>, analyses: &Analyses, bounds: &Bounds, stats: &mut Stats) -> Round {
        let bound = bounds.iterations;
        let mut terms = Terms::new();
        let mut stopwatch = Stopwatch::start();
        let mut skeleton = match unroll(task, analyses, bounds, &mut terms) {
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
        let limit = task.options.own::<Options>().context_bound;
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
            self.others = self.other_races(task, &skeleton, &mut composition, first, &mut terms, stats);
        }
        match found {
            Ok(Some(verdict)) => return Round::Decided(verdict),
            Ok(None) => {}
            Err(stop) => return Round::Decided(Verdict::unknown(Reason::from(stop))),
        }
        let mut stopwatch = Stopwatch::start();
        let gaps = composition.gaps.clone();
        let gaps = reachable_gaps(task, gaps, &mut terms, |terms, goals| {
            let answer = composition.solver.check_goals(terms, &[goals], &[], &task.budget)?;
            Ok((answer == Answer::Sat).then(|| composition.solver.model(terms).clone()))
        });
        stopwatch.lap(stats, "solve_ms");
        match (gaps, limit) {
            (Ok(gaps), Some(limit)) => nothing_within(limit, bound, gaps),
            (Ok(gaps), None) if gaps.is_empty() => {
                // The confirming encoder unrolls all loops alike.
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
        let goals = composition.goals(violations);
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
            // Where values are inexact, a model need not be an execution. Look for one without such values.
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

    /// Follows the execution of the last model, to the first violation or to the race that is sought.
    fn follow(
        &self,
        task: &Task<'_>,
        skeleton: &Skeleton,
        composition: &mut Composition,
        terms: &Terms,
        sought: Option<RacePair>,
    ) -> Result<Counterexample, String> {
        let moves = decode(task.program, skeleton, composition, terms)?;
        self.services.follow(task, &moves, sought)
    }
}

/// No violation was found within the context bound. More contexts are not tried, more iterations are.
fn nothing_within(contexts: u32, iterations: u32, gaps: Vec<Reason>) -> Round {
    let detail = format!("no violation up to these bounds: {contexts} contexts, loops unrolled {iterations} times");
    let is_cut = gaps.iter().any(|gap| gap.kind.is_bound());
    let reasons = std::iter::once(Reason::new(ReasonKind::Bound, detail)).chain(gaps).collect();
    if is_cut {
        Round::Gaps(reasons)
    } else {
        Round::Decided(Verdict::Unknown(reasons))
    }
}

/// Stage 2, in the modes that the task asks for.
fn compose_task(task: &Task<'_>, skeleton: &mut Skeleton, terms: &mut Terms) -> Result<Composition, base::Stop> {
    let modes: Options = task.options.own();
    let pruning = if modes.pruning { Pruning::default() } else { Pruning::NONE };
    compose(task.program, (task.property, task.model), skeleton, terms, pruning, modes.encoding, &task.budget)
}

/// The skeleton of a task's program as a picture, unrolled to the given bound, or once.
pub fn picture(task: &Task<'_>) -> Result<Picture, Reason> {
    let analyses = Analyses::of(task)?;
    let bound = task.options.bound.unwrap_or(1);
    let loops = bounded_loops(task, &analyses)?;
    let bounds = first_bounds(task, bound, loops);
    let mut terms = Terms::new();
    let mut skeleton = unroll(task, &analyses, &bounds, &mut terms)?;
    let composition = compose_task(task, &mut skeleton, &mut terms)?;
    Ok(Picture::new(task.program, &skeleton, &composition, &terms, bound))
}

/// The size of the largest link set.
fn largest_link_set(composition: &Composition) -> usize {
    let mut sizes: FxHashMap<EventId, usize> = FxHashMap::default();
    for &(_, _, read) in &composition.reads_from {
        *sizes.entry(read).or_default() += 1;
    }
    sizes.values().copied().max().unwrap_or(0)
}
