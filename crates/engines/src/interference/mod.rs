//! The engine `interference` (Sinha and Wang, On interference abstractions, POPL 2011): asserts reads-from constraints
//! lazily, over the skeletons that `staged` composes eagerly, under every memory model and for every property.
//!
//! An [`Abstraction`] says for which reads, pairs and competing writes the constraints are asserted. The loop
//! [`refine`] strengthens it until a model violates none of the constraints left out, or a proof rests on no reduced
//! link set. Four modes: everything at once (`full`), only over-approximations (`over`), only under-approximations
//! (`under`), and both combined (`mixed`). Two forms: on the relations of the order theory, which derives from-reads,
//! so that Σ does not exist; and with compared time stamps, as in the paper ([`linear`], `sc` only). [`presets`] are
//! abstractions with a meaning of their own, solved without refinement.
//!
//! Focusing (section 7); each part can be switched off. S0: static pruning of link sets. S1: link sets start with the
//! writes that certainly come first, and synchronisation is asserted first. S2a: an acquire never reads from another
//! acquire (unsound as printed for locks that are never released; here a thread may stay where it waits). S2b: critical
//! sections of one lock are ordered as a whole, exactly, so that locks need no link sets. S3: the order of all pairs is
//! asserted at once.
//!
//! Deviations: starts, joins, critical sections, atomic regions and, in the order form, write orders are asserted at
//! once. Time stamps are compared by literals whose edges must be acyclic, which is difference logic restricted to
//! strict inequalities.
//!
//! Limits: no context bounds; finds one race, not all. The clock form supports `sc` only.

pub mod abstraction;
mod lemmas;
mod linear;
mod narrate;
mod options;
mod presets;
mod refine;

pub use lemmas::{try_out, Tried};
pub use options::{FocusName, Form, Mode, Options, Preset};

use crate::skeleton;
use crate::skeleton::compose::{compose_when, Composition, When};
use crate::skeleton::decode::decode;
use crate::skeleton::events::Skeleton;
use crate::skeleton::execute::{Analyses, Bounds};
use crate::skeleton::options::Encoding;
use crate::skeleton::rounds::{deepen, has_nothing_to_violate, no_atomicity_under, reachable_gaps, unroll};
use crate::skeleton::rounds::{Round, Stopwatch};
use base::{Stats, Stop};
use check::{Counterexample, Engine, Outcome, Proof, Reason, ReasonKind, Services, Task, Verdict};
use ir::Property;
use narrate::Narrator;
use refine::{Decision, Refinement};
use smt::{Term, Terms};

/// The engine `interference`.
pub struct Interference;

impl Engine for Interference {
    fn name(&self) -> &'static str {
        "interference"
    }

    fn about(&self) -> &'static str {
        "unroll to a bound and tell the solver who reads from whom as it is needed"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Reason> {
        if task.options.own::<skeleton::options::Options>().context_bound.is_some() {
            return Err(unsupported("a context bound is not for interference abstractions"));
        }
        if task.property == Property::Atomicity && !task.model.is_sequentially_consistent() {
            return Err(no_atomicity_under(task.model));
        }
        let form = task.options.own::<Options>().form;
        if task.property == Property::Atomicity && form == Form::Clock {
            return Err(unsupported("the clock form of interference abstractions is not for atomicity"));
        }
        if form == Form::Clock && !task.model.is_sequentially_consistent() {
            return Err(unsupported(format!("the clock form of interference abstractions is not for {}", task.model)));
        }
        Ok(())
    }

    /// On the order theory it is about as fast as `staged`, which composes everything at once.
    fn rank(&self, _: &Task<'_>) -> Option<u8> {
        None
    }

    fn run(&self, task: &Task<'_>, services: &dyn Services) -> Outcome {
        let mut stats = Stats::default();
        let verdict = match self.supports(task) {
            Ok(()) => Loop { services }.solve(task, &mut stats),
            Err(reason) => Verdict::unknown(reason),
        };
        Outcome::new(verdict, stats)
    }
}

fn unsupported(detail: impl Into<String>) -> Reason {
    Reason::new(ReasonKind::Unsupported, detail)
}

/// Stage 2, keeping link sets as data.
fn compose_lazily(task: &Task<'_>, skeleton: &mut Skeleton, terms: &mut Terms) -> Result<Composition, Stop> {
    let options: Options = task.options.own();
    let when = match options.form {
        Form::Order => When::Asked,
        Form::Clock => When::Clocked,
    };
    let pruning = (refine::pruning(options.switches()), when);
    let question = (task.property, task.model);
    compose_when(task.program, question, skeleton, terms, pruning, Encoding::default(), &task.budget)
}

/// The loop of unrolling and refinement.
struct Loop<'s> {
    services: &'s dyn Services,
}

impl Loop<'_> {
    fn solve(&self, task: &Task<'_>, stats: &mut Stats) -> Verdict {
        if has_nothing_to_violate(task) {
            return Verdict::safe(Proof::NothingToViolate, vec![]);
        }
        let analyses = match Analyses::of(task) {
            Ok(analyses) => analyses,
            Err(reason) => return Verdict::unknown(reason),
        };
        deepen(task, &analyses, stats, |bounds, stats| {
            self.round(task, &analyses, bounds, stats).unwrap_or_else(|reason| Round::Decided(Verdict::unknown(reason)))
        })
    }

    fn round(&self, task: &Task<'_>, analyses: &Analyses, bounds: &Bounds, stats: &mut Stats) -> Result<Round, Reason> {
        let mut stopwatch = Stopwatch::start();
        let mut terms = Terms::new();
        let mut skeleton = unroll(task, analyses, bounds, &mut terms)?;
        stopwatch.lap(stats, "execute_ms");
        stats.set("threads", skeleton.threads.len() as f64);
        stats.set("events", skeleton.events.len() as f64);
        let composition = compose_lazily(task, &mut skeleton, &mut terms)?;
        let options: Options = task.options.own();
        let narrator = Narrator::new(options.trace_refinement, task.program, &skeleton, &terms);
        let mut refinement = Refinement::new(options, &skeleton, composition, narrator);
        stopwatch.lap(stats, "compose_ms");
        refinement.begin(&mut terms);
        stopwatch.lap(stats, "begin_ms");
        tell_beginning(&refinement, bounds, stats);
        let round = self.look(task, &mut refinement, &mut terms, bounds, stats);
        refinement.report(stats);
        round.map_err(Reason::from)
    }

    /// Searches for a violation and, if there is none, for reachable gaps.
    fn look(
        &self,
        task: &Task<'_>,
        refinement: &mut Refinement<'_>,
        terms: &mut Terms,
        bounds: &Bounds,
        stats: &mut Stats,
    ) -> Result<Round, Stop> {
        let decision = match self.find_violation(task, refinement, terms, stats)? {
            Found::Verdict(verdict) => return Ok(Round::Decided(verdict)),
            Found::None(decision) => decision,
        };
        let mut is_open = decision == Decision::Open;
        let gaps = refinement.composition.gaps.clone();
        refinement.narrator.begin("  can anything be reached that is not modelled, or cut?".to_owned(), stats);
        let mut gaps = reachable_gaps(task, gaps, terms, |terms, goals| {
            let decision = refinement.decide(terms, &[goals], &[], &task.budget, stats)?;
            is_open |= decision == Decision::Open;
            Ok((decision == Decision::Reached).then(|| refinement.composition.solver.model(terms).clone()))
        })?;
        if let Some(preset) = task.options.own::<Options>().preset.filter(|_| is_open) {
            gaps.push(left_open(preset));
        }
        if !gaps.is_empty() {
            return Ok(Round::Gaps(gaps));
        }
        // The confirming encoder unrolls all loops alike.
        let iterations = bounds.loops.values().copied().chain([bounds.iterations]).max().unwrap_or(bounds.iterations);
        let proof = Proof::Bounded { iterations, events: refinement.skeleton.events.len() as u64 };
        Ok(Round::Decided(Verdict::safe(proof, vec![])))
    }

    fn find_violation(
        &self,
        task: &Task<'_>,
        refinement: &mut Refinement<'_>,
        terms: &mut Terms,
        stats: &mut Stats,
    ) -> Result<Found, Stop> {
        let goals = goals(refinement, terms);
        let mut assumed = refinement.composition.assumed.clone();
        let decision = refinement.decide(terms, &goals, &assumed, &task.budget, stats)?;
        if decision != Decision::Reached {
            return Ok(Found::None(decision));
        }
        let mut found = self.follow(task, refinement, terms, stats);
        let inexact = terms.or(refinement.composition.inexact.clone());
        if found.is_err() && terms.as_bool(inexact) != Some(false) {
            // Where values are inexact, a model need not be an execution. Look for one without such values.
            assumed.push(terms.not(inexact));
            let decision = refinement.decide(terms, &goals, &assumed, &task.budget, stats)?;
            if decision != Decision::Reached {
                return Ok(Found::None(decision));
            }
            found = self.follow(task, refinement, terms, stats);
        }
        Ok(Found::Verdict(match found {
            Ok(counterexample) => Verdict::Unsafe(Box::new(counterexample)),
            Err(problem) => {
                let detail = format!("a violation was found that cannot be replayed, a defect of Heddle: {problem}");
                Verdict::unknown(Reason::new(ReasonKind::Validation, detail))
            }
        }))
    }

    /// Follows the execution of the last model.
    fn follow(
        &self,
        task: &Task<'_>,
        refinement: &mut Refinement<'_>,
        terms: &Terms,
        stats: &mut Stats,
    ) -> Result<Counterexample, String> {
        let mut stopwatch = Stopwatch::start();
        let moves = decode(task.program, refinement.skeleton, &mut refinement.composition, terms);
        let followed = moves.and_then(|moves| self.services.follow(task, &moves, None));
        stopwatch.lap(stats, "decode_ms");
        followed
    }
}

/// The result of searching for a violation.
enum Found {
    Verdict(Verdict),
    None(Decision),
}

/// The goals: one term of each group must hold.
fn goals(refinement: &Refinement<'_>, terms: &Terms) -> Vec<Vec<Term>> {
    let composition = &refinement.composition;
    let mut violations: Vec<Term> = refinement.skeleton.violations.iter().map(|violation| violation.occurs).collect();
    violations.extend(composition.deadlock);
    violations.retain(|&violation| terms.as_bool(violation) != Some(false));
    composition.goals(violations)
}

/// Why a preset gives no answer.
fn left_open(preset: Preset) -> Reason {
    match preset {
        Preset::ControlState => {
            let detail = "only control-state reachability was looked at: reads that do not synchronise found anything";
            Reason::new(ReasonKind::Imprecise, detail)
        }
        Preset::Serial => Reason::new(ReasonKind::Slice, "only serial executions were looked at"),
        Preset::LargelySerial => {
            let count = presets::INTERFERENCES;
            let detail =
                format!("only executions in which at most {count} reads are from concurrent writes were looked at");
            Reason::new(ReasonKind::Slice, detail)
        }
    }
}

fn tell_beginning(refinement: &Refinement<'_>, bounds: &Bounds, stats: &mut Stats) {
    let (size, full) = (refinement.abstraction.size(), refinement.abstraction.full_size());
    let options = &refinement.options;
    let mode = match options.mode {
        Mode::Full => "full",
        Mode::Over => "over",
        Mode::Under => "under",
        Mode::Mixed => "mixed",
    };
    let text = format!(
        "loops unrolled {} times, mode {mode}, initial abstraction: {} of {} reads, {} of {} links, {} of {} pairs, {} of {} triples",
        bounds.iterations, size.reads, full.reads, size.links, full.links, size.pairs, full.pairs, size.triples, full.triples
    );
    refinement.narrator.begin(text, stats);
}
