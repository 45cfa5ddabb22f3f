//! Single runs: random ones, and replays.

use crate::enabled::Readiness;
use crate::event::Observer;
use crate::machine::Machine;
use crate::oracle::{Chance, Leaning, Random, Recorded};
use crate::record::Recorder;
use crate::state::{State, Status};
use crate::step::Interrupt;
use crate::value::ObjRef;
use base::{Budget, Stop};
use ir::{Action, EdgeId, FunctionId, LocId, Property, ScheduleStep, Unmodelled, Violation};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt;

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// The property is violated.
    Violation(Violation),
    /// The process ended: `exit`, `abort`, return from `main`, a false assumption, or all threads ended.
    Finished,
    /// These threads wait forever (and deadlock is not the property).
    Deadlocked(Vec<u32>),
    /// Something that is not modelled was reached.
    Unmodelled {
        /// The construct.
        what: Unmodelled,
        /// Its place.
        at: Option<(FunctionId, EdgeId)>,
    },
    /// Undefined behaviour outside the property.
    Undefined(Violation),
    /// The run was cut off.
    StepLimit,
    /// The budget was used up.
    Stopped(Stop),
}

/// A run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// Its steps.
    pub steps: Vec<ScheduleStep>,
    /// How it ended.
    pub end: RunEnd,
}

/// A schedule does not fit the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayError {
    /// The step that is not possible.
    pub step: usize,
    /// The reason.
    pub message: String,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} of the trace is not possible: {}", self.step + 1, self.message)
    }
}

impl std::error::Error for ReplayError {}

/// How a run ends after an interrupt, if it does.
pub(crate) fn end_of(interrupt: Interrupt, at: Option<(FunctionId, EdgeId)>) -> Option<RunEnd> {
    match interrupt {
        Interrupt::Violation(violation) => Some(RunEnd::Violation(*violation)),
        Interrupt::Undefined(violation) => Some(RunEnd::Undefined(*violation)),
        Interrupt::Unmodelled(what) => Some(RunEnd::Unmodelled { what, at }),
        Interrupt::Finished => Some(RunEnd::Finished),
        Interrupt::Impossible | Interrupt::NoAnswer => None,
    }
}

/// How a run ends in a state in which no thread can move.
pub(crate) fn end_of_stuck(machine: &Machine<'_>, state: &State) -> RunEnd {
    match machine.deadlock(state) {
        Some(blocked) if machine.config.property == Property::Deadlock => {
            RunEnd::Violation(machine.deadlock_violation(state, &blocked))
        }
        Some(blocked) => RunEnd::Deadlocked(blocked),
        None => RunEnd::Finished,
    }
}

/// Runs the program with random choices. A thread keeps running for a while, so that interleavings vary.
pub fn random_run(
    machine: &Machine<'_>,
    seed: u64,
    max_steps: u64,
    budget: &Budget,
    observer: Option<&mut dyn Observer>,
) -> Run {
    random_run_from(machine, machine.initial(), seed, max_steps, budget, observer)
}

/// Like [`random_run`], from a state: returns the steps from there on.
pub fn random_run_from(
    machine: &Machine<'_>,
    state: State,
    seed: u64,
    max_steps: u64,
    budget: &Budget,
    observer: Option<&mut dyn Observer>,
) -> Run {
    let mut chance = Chance::new(seed);
    let pace = Pace::steady(&mut chance);
    let manner = Manner { chance, leaning: Leaning::None, pace, suggestions: &[] };
    run_on(machine, state, manner, max_steps, budget, observer)
}

/// A random run with a strategy that depends on the seed, for violations that uniform choices hardly ever find: those
/// that need many reads of one kind, a thread that goes first among many (Burckhardt et al., ASPLOS 2010), or strictly
/// alternating threads.
pub fn varied_run(machine: &Machine<'_>, seed: u64, max_steps: u64, budget: &Budget) -> Run {
    let mut chance = Chance::new(seed);
    let leaning = [Leaning::None, Leaning::Newest, Leaning::Oldest][(seed % 3) as usize];
    let pace = match seed / 3 % 4 {
        0 | 2 => Pace::steady(&mut chance),
        1 => Pace::Priorities { salt: chance.next_number() },
        _ => Pace::Rounds { lead: 1 + chance.below(4) as usize, quantum: 1 + chance.below(6), left: 0 },
    };
    let manner = Manner { chance, leaning, pace, suggestions: &machine.suggestions };
    run_on(machine, machine.initial(), manner, max_steps, budget, None)
}

/// The strategy of a random run.
struct Manner<'a> {
    chance: Chance,
    leaning: Leaning,
    pace: Pace,
    suggestions: &'a [i128],
}

/// The scheduling policy.
enum Pace {
    /// Mostly the thread that moved last.
    Steady { patience: u32 },
    /// Mostly the first thread of a random order.
    Priorities { salt: u64 },
    /// The first thread until `lead` others have started; then the others in turn, each for `quantum` visible steps;
    /// and the first one again when no other can move.
    Rounds { lead: usize, quantum: u32, left: u32 },
}

impl Pace {
    fn steady(chance: &mut Chance) -> Pace {
        Pace::Steady { patience: 1 + chance.below(8) }
    }
}

fn run_on(
    machine: &Machine<'_>,
    mut state: State,
    Manner { mut chance, leaning, mut pace, suggestions }: Manner<'_>,
    max_steps: u64,
    budget: &Budget,
    mut observer: Option<&mut dyn Observer>,
) -> Run {
    let mut steps = Vec::new();
    let mut writers = FxHashMap::default();
    let mut current: Option<u32> = None;
    loop {
        if steps.len() as u64 >= max_steps {
            return Run { steps, end: RunEnd::StepLimit };
        }
        if steps.len() % 4096 == 4095 {
            if let Err(stop) = budget.check() {
                return Run { steps, end: RunEnd::Stopped(stop) };
            }
        }
        let Some((thread, action)) = choose(machine, &state, &mut current, &mut pace, &mut chance) else {
            let end = end_of_stuck(machine, &state);
            return Run { steps, end };
        };
        let at = machine.next_at(&state, thread);
        let saved = machine.model.has_choices().then(|| state.clone());
        let domain = &machine.config.inputs;
        let mut oracle = Random { leaning, chance: &mut chance, domain, suggestions, picks: SmallVec::new() };
        let stamp = if observer.is_some() { steps.len() + 1 } else { 0 };
        let result = {
            let mut recorder = observer.as_deref_mut().map(|observer| Recorder::new(observer, &mut writers));
            machine.step(&mut state, thread, action, &mut oracle, recorder.as_mut(), stamp)
        };
        let picks = oracle.picks;
        if let (Err(Interrupt::Impossible | Interrupt::NoAnswer), Some(saved)) = (&result, saved) {
            state = saved;
            continue;
        }
        steps.push(ScheduleStep { thread, action, picks });
        if let Err(interrupt) = result {
            let end = end_of(interrupt, at).unwrap_or(RunEnd::Finished);
            return Run { steps, end };
        }
    }
}

/// The thread that moves next in a random run. `None` if no thread can move; if the property is deadlock, also if none
/// can move except by a spurious wake-up.
fn choose(
    machine: &Machine<'_>,
    state: &State,
    current: &mut Option<u32>,
    pace: &mut Pace,
    chance: &mut Chance,
) -> Option<(u32, Action)> {
    if let (Pace::Steady { patience }, Some(thread)) = (&*pace, *current) {
        let running = state.find_thread(u64::from(thread)).is_some_and(|t| t.status == Status::Running);
        if running && (!machine.is_visible(state, thread) || chance.below(patience + 1) != 0) {
            if let (Readiness::Ready, true) = (machine.readiness(state, thread), state.thread(thread).buffer.is_empty())
            {
                return Some((thread, Action::Step));
            }
        }
    }
    if machine.config.property == Property::Deadlock && machine.deadlock(state).is_some() {
        return None;
    }
    let enabled = machine.enabled(state);
    if enabled.is_empty() {
        return None;
    }
    let any = chance.below(enabled.len() as u32) as usize;
    let (thread, action) = match pace {
        Pace::Steady { .. } => enabled[any],
        // Occasionally another thread moves.
        Pace::Priorities { .. } if chance.below(64) == 0 => enabled[any],
        Pace::Priorities { salt } => {
            let rank = |thread: u32| Chance::new(*salt ^ u64::from(thread)).next_number();
            *enabled.iter().max_by_key(|(thread, _)| rank(*thread))?
        }
        Pace::Rounds { lead, quantum, left } => {
            let started = state.threads.iter().flatten().filter(|thread| thread.status != Status::Reserved);
            let is_early = started.count() <= *lead;
            let goes_on = |&&(thread, _): &&(u32, Action)| {
                let is_turn = || Some(thread) == *current && (*left > 0 || !machine.is_visible(state, thread));
                if is_early {
                    thread == 1
                } else {
                    is_turn()
                }
            };
            let turn = |&&(thread, _): &&(u32, Action)| (thread == 1, Some(thread) <= *current, thread);
            let next = *enabled.iter().find(goes_on).or_else(|| enabled.iter().min_by_key(turn))?;
            if Some(next.0) != *current {
                *left = *quantum;
            }
            *left = left.saturating_sub(u32::from(machine.is_visible(state, next.0)));
            next
        }
    };
    *current = Some(thread);
    Some((thread, action))
}

/// The call stack of every thread before the last step of a run; at its end if the run cannot continue.
pub fn stacks(machine: &Machine<'_>, steps: &[ScheduleStep]) -> Vec<(u32, Vec<(FunctionId, LocId)>)> {
    let mut state = machine.initial();
    for step in steps {
        let before = state.clone();
        let mut oracle = Recorded { picks: &step.picks };
        if machine.step(&mut state, step.thread, step.action, &mut oracle, None, 0).is_err() {
            state = before;
            break;
        }
    }
    let running: Vec<u32> = state.running().collect();
    let stack = |number: u32| state.thread(number).frames.iter().map(|frame| (frame.function, frame.loc)).collect();
    running.into_iter().map(|number| (number, stack(number))).collect()
}

/// Replays a schedule and returns the result of its last step.
pub fn replay(
    machine: &Machine<'_>,
    steps: &[ScheduleStep],
    mut observer: Option<&mut dyn Observer>,
) -> Result<RunEnd, ReplayError> {
    let mut state = machine.initial();
    let mut writers: FxHashMap<(ObjRef, i64), usize> = FxHashMap::default();
    for (index, step) in steps.iter().enumerate() {
        let error = |message: &str| ReplayError { step: index, message: message.to_owned() };
        let at = machine.next_at(&state, step.thread);
        let stamp = if observer.is_some() { index + 1 } else { 0 };
        let mut oracle = Recorded { picks: &step.picks };
        let result = {
            let mut recorder = observer.as_deref_mut().map(|observer| Recorder::new(observer, &mut writers));
            machine.step(&mut state, step.thread, step.action, &mut oracle, recorder.as_mut(), stamp)
        };
        if !oracle.picks.is_empty() {
            return Err(error("it has more choices than come up in the step"));
        }
        if let Err(interrupt) = result {
            let Some(end) = end_of(interrupt, at) else {
                return Err(error("the thread cannot do this here, or the choices of the step do not fit"));
            };
            return if index + 1 == steps.len() {
                Ok(end)
            } else {
                Err(error("the run ends here, but the trace goes on"))
            };
        }
    }
    match machine.deadlock(&state) {
        Some(blocked) => {
            if let Some(observer) = observer {
                machine.note_blocked(&state, &blocked, steps.len(), observer);
            }
            Ok(end_of_stuck(machine, &state))
        }
        None => Ok(RunEnd::StepLimit),
    }
}
