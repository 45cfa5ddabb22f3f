//! The engine `auto`: the others take turns until one of them has an answer.
//!
//! Each engine gets a short turn first, in the order of the table, so that problems easy for one engine are solved
//! before another one has spent long on them. An engine that ran out of time gets another turn later, four times as
//! long; one with another obstacle gets no more, but the facts it proved simplify the program for the others. No engine
//! gets past the obstacles of exploration, so these are the answer then. As soon as there is room for all engines that
//! are left they run side by side to the end. The first answer stops the others. With one job, timing affects the
//! result only through the number of turns that run out of time.

use crate::services::TakingTurns;
use crate::table::ENGINES;
use crate::validate::replayed;
use base::{Budget, Part, Stats};
use check::{Engine, Facts, Outcome, Proved, Reason, ReasonKind, Services, Task, Turn, Verdict};
use engines::impact;
use ir::Program;
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The duration of first turns, and the factor of later ones.
const FIRST_TURN: Duration = Duration::from_secs(1);
const GROWTH: u32 = 4;
const STACK_BYTES: usize = 512 << 20;

pub(crate) struct Auto;

impl Engine for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn about(&self) -> &'static str {
        "let the others take turns until one of them has an answer"
    }

    fn supports(&self, _: &Task<'_>) -> Result<(), Reason> {
        Ok(())
    }

    fn rank(&self, _: &Task<'_>) -> Option<u8> {
        None
    }

    fn rechecks_unasked(&self) -> bool {
        true
    }

    fn run(&self, task: &Task<'_>, _: &dyn Services) -> Outcome {
        take_turns(task)
    }
}

/// The engines that take turns on a task, in their order.
fn candidates(task: &Task<'_>) -> Vec<&'static dyn Engine> {
    let is_asked = |engine: &&dyn Engine| !task.options.all_races || engine.finds_all();
    let supporting = ENGINES.into_iter().filter(|engine| is_asked(engine) && engine.supports(task).is_ok());
    let mut ranked: Vec<(u8, &dyn Engine)> =
        supporting.filter_map(|engine| Some((engine.rank(task)?, engine))).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, engine)| engine).collect()
}

/// Why no engine takes a turn.
fn why_none(task: &Task<'_>) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = Vec::new();
    for engine in ENGINES.into_iter().filter(|engine| engine.rank(task).is_some()) {
        reasons.extend(engine.supports(task).err().filter(|reason| !reasons.contains(reason)));
    }
    reasons
}

/// Lets the engines take turns. Proofs of `impact` are checked.
fn take_turns(task: &Task<'_>) -> Outcome {
    let mut task = task.clone();
    let impact: impact::Options = task.options.own();
    task.options = task.options.with(impact::Options { check_proof: true, ..impact });
    let task = &task;
    let waiting: VecDeque<_> = candidates(task).into_iter().map(|engine| (engine, FIRST_TURN)).collect();
    if waiting.is_empty() {
        return Outcome::new(Verdict::Unknown(why_none(task)), Stats::default());
    }
    let simpler = passes::without_waits(task);
    let simpler = simpler.as_ref();
    let table = Table { state: Mutex::new(State { waiting, ..State::default() }), changed: Condvar::new() };
    if task.options.jobs <= 1 {
        table.work(task, simpler);
    } else {
        std::thread::scope(|scope| {
            for _ in 0..task.options.jobs {
                let worker = std::thread::Builder::new().stack_size(STACK_BYTES);
                worker.spawn_scoped(scope, || table.work(task, simpler)).expect("a thread should start");
            }
        });
    }
    let state = table.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let outcome = state
        .answer
        .unwrap_or_else(|| Outcome::new(Verdict::Unknown(all_reasons(&state.turns, &task.budget)), Stats::default()));
    Outcome { turns: state.turns, ..outcome }
}

/// The schedule of turns.
struct Table {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The engines that wait for a turn, with its duration.
    waiting: VecDeque<(&'static dyn Engine, Duration)>,
    running: Vec<Budget>,
    turns: Vec<Turn>,
    /// Facts proved by undecided engines, which simplify the program for others.
    facts: Facts,
    answer: Option<Outcome>,
}

impl Table {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs turns until there is an answer, or no engine is left.
    fn work(&self, task: &Task<'_>, simpler: Option<&Program>) {
        loop {
            let mut state = self.lock();
            while state.waiting.is_empty() && !state.running.is_empty() && state.answer.is_none() {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.answer.is_some() || task.budget.check().is_err() {
                return;
            }
            let Some((engine, length)) = state.waiting.pop_front() else { return };
            let has_room = state.waiting.len() + state.running.len() < task.options.jobs.max(1);
            let budget = task.budget.part(if has_room { Part::Rest } else { Part::AtMost(length) });
            state.running.push(budget.clone());
            let facts = state.facts.clone();
            drop(state);
            let started = Instant::now();
            let outcome = take_turn(simpler, &facts, engine, &Task { budget: budget.clone(), ..task.clone() });
            let proved = for_others(task, &outcome);
            // A turn that had all the time there is is not repeated.
            let again = (!has_room).then_some(length * GROWTH);
            self.keep((engine, again), started.elapsed(), proved, outcome, &budget);
        }
    }

    /// Records the result of a turn, and how long another one of the engine may be if time ran out.
    fn keep(
        &self,
        (engine, again): (&'static dyn Engine, Option<Duration>),
        took: Duration,
        proved: Proved,
        outcome: Outcome,
        budget: &Budget,
    ) {
        let mut state = self.lock();
        let own = budget.cancel_flag();
        state.running.retain(|other| !std::sync::Arc::ptr_eq(&other.cancel_flag(), &own));
        let (seconds, verdict) = (took.as_secs_f64(), outcome.verdict.clone());
        state.turns.push(Turn { engine: engine.name(), seconds, verdict, proved });
        state.facts.extend(&outcome.facts);
        let is_final = outcome.verdict.is_decided() || engine.sees_all_obstacles() && is_beyond_all(&outcome.verdict);
        if is_final && state.answer.is_none() {
            state.answer = Some(outcome);
            for other in &state.running {
                other.cancel_flag().store(true, Ordering::Relaxed);
            }
        } else if ran_out_of_time(&outcome.verdict) {
            state.waiting.extend(again.map(|length| (engine, length)));
        }
        self.changed.notify_all();
    }
}

/// Runs an engine, if possible on the program without condition-variable waits: that is violated only if the program
/// is. The violation is then sought in the program itself, so that the report shows waits and wake-ups.
fn take_turn(simpler: Option<&Program>, facts: &Facts, engine: &dyn Engine, task: &Task<'_>) -> Outcome {
    let Some(program) = simpler else { return run_without(facts, engine, task) };
    let outcome = run_without(facts, engine, &Task { program, ..task.clone() });
    match &outcome.verdict {
        Verdict::Unsafe(found) if replayed(task, found.schedule.steps.clone()).is_err() => match engine
            .run(task, &TakingTurns)
        {
            Outcome { verdict: Verdict::Safe(_), .. } => {
                let detail =
                    format!("engine {} finds a violation only without waiting for condition variables", engine.name());
                Outcome::new(Verdict::unknown(Reason::new(ReasonKind::Validation, detail)), Stats::default())
            }
            // These facts are about the program, while the simpler one was asked about.
            found => Outcome { facts: Facts::default(), ..found },
        },
        Verdict::Unsafe(_) | Verdict::Safe(_) | Verdict::Unknown(_) => outcome,
    }
}

/// Runs an engine on the program simplified by facts. A violation is one of the whole program.
pub fn run_without(facts: &Facts, engine: &dyn Engine, task: &Task<'_>) -> Outcome {
    let Some(rest) = passes::without_proved(task, facts) else { return engine.run(task, &TakingTurns) };
    let race_free = task.race_free.union(&facts.race_free).copied().collect::<BTreeSet<_>>().into();
    let outcome = engine.run(&Task { program: &rest, race_free, ..task.clone() }, &TakingTurns);
    // Which number of an ended thread is reused depends on the analysed statements: such a run need not be one of the
    // whole program step by step.
    match &outcome.verdict {
        Verdict::Unsafe(found) if replayed(task, found.schedule.steps.clone()).is_err() => {
            engine.run(task, &TakingTurns)
        }
        Verdict::Unsafe(_) | Verdict::Safe(_) | Verdict::Unknown(_) => outcome,
    }
}

/// The number of facts that other engines can use.
pub(crate) fn for_others(task: &Task<'_>, outcome: &Outcome) -> Proved {
    if outcome.verdict.is_decided() {
        return Proved::default();
    }
    outcome.facts.count(task.program)
}

/// Whether the exact engine met an obstacle that no engine gets past, and nothing else.
fn is_beyond_all(verdict: &Verdict) -> bool {
    let is_beyond = |reason: &Reason| match reason.kind {
        ReasonKind::Unmodelled
        | ReasonKind::Addresses
        | ReasonKind::Undefined
        | ReasonKind::Relaxed
        | ReasonKind::Mixed => true,
        ReasonKind::Time
        | ReasonKind::Memory
        | ReasonKind::Cancelled
        | ReasonKind::Bound
        | ReasonKind::OwnBound
        | ReasonKind::Inputs
        | ReasonKind::Imprecise
        | ReasonKind::Premise
        | ReasonKind::Slice
        | ReasonKind::Unsupported
        | ReasonKind::Validation
        | ReasonKind::ProofRefused => false,
    };
    match verdict {
        Verdict::Unknown(reasons) => reasons.iter().all(is_beyond),
        Verdict::Safe(_) | Verdict::Unsafe(_) => false,
    }
}

fn ran_out_of_time(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Unknown(reasons) => reasons.iter().any(|reason| reason.kind == ReasonKind::Time),
        Verdict::Safe(_) | Verdict::Unsafe(_) => false,
    }
}

/// Why no engine had an answer: the last obstacle of each engine, without those that only say that it does not support
/// such questions.
fn all_reasons(turns: &[Turn], budget: &Budget) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = Vec::new();
    for (index, turn) in turns.iter().enumerate() {
        let is_last = turns[index + 1..].iter().all(|later| later.engine != turn.engine);
        let Verdict::Unknown(own) = &turn.verdict else { continue };
        for reason in own.iter().filter(|_| is_last) {
            if !reasons.contains(reason) {
                reasons.push(reason.clone());
            }
        }
    }
    if let Err(stop) = budget.check() {
        let reason = Reason::from(stop);
        reasons.retain(|other| *other != reason);
        reasons.insert(0, reason);
    }
    if reasons.iter().any(|reason| reason.kind != ReasonKind::Unsupported) {
        reasons.retain(|reason| reason.kind != ReasonKind::Unsupported);
    }
    if reasons.is_empty() {
        reasons.push(Reason::new(ReasonKind::Unsupported, "no engine answers this kind of question"));
    }
    reasons
}
