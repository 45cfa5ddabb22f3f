//! Follows a run that a symbolic engine found: it names statements and values, but not the questions that come up. The answers
//! that were needed make a schedule. Under release-acquire a move names the write that it reads from and the one that its own
//! write follows; their positions in the histories are looked up here.

use crate::enabled::Readiness;
use crate::machine::Machine;
use crate::models::histories::Cell;
use crate::oracle::{Oracle, Question};
use crate::run::{end_of, end_of_stuck, Run, RunEnd};
use crate::state::State;
use crate::value::Value;
use base::Id;
use ir::{Act, Action, Move, Pick, Property, ScheduleStep};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Answers from a move and records the answers.
struct Guide<'a> {
    step: &'a Move,
    /// The variables that have no value before the step, by name.
    undefined: Vec<(String, u128)>,
    /// Release-acquire: the number of readable writes, which of them is read, and the position of the move's own write.
    read: (usize, usize),
    place: usize,
    picks: SmallVec<[Pick; 2]>,
}

impl Oracle for Guide<'_> {
    fn ask(&mut self, question: Question) -> Option<Pick> {
        self.ask_about(question, "")
    }

    fn ask_about(&mut self, question: Question, name: &str) -> Option<Pick> {
        let pick = match question {
            Question::Input { width, below, .. } => {
                let known = self.undefined.iter().find(|(local, _)| local == name).map(|(_, value)| *value);
                let value = known.or(self.step.found).unwrap_or(0) & ir::arith::mask(width);
                Pick::Input(if value < below { value } else { 0 })
            }
            Question::SpuriousFailure => Pick::SpuriousFailure(self.step.fails),
            // Only the newest write may be read.
            Question::Read(count) => Pick::Read((self.read.1 + count as usize).saturating_sub(self.read.0) as u32),
            Question::Place(_) => Pick::Place(self.place as u32),
        };
        self.picks.push(pick);
        Some(pick)
    }
}

/// Follows a run to its end, or to the first move that does not fit the program.
pub fn follow(machine: &Machine<'_>, moves: &[Move]) -> Result<Run, String> {
    follow_from(machine, machine.initial(), moves).map(|(run, _)| run)
}

/// Follows the rest of a run from a state in which the engine's number of each thread is one less than the
/// interpreter's. Also returns the state that it leads to, if the run does not end.
pub fn follow_from(machine: &Machine<'_>, mut state: State, moves: &[Move]) -> Result<(Run, State), String> {
    let mut numbers: BTreeMap<u32, u32> = (1..=state.threads.len() as u32).map(|number| (number - 1, number)).collect();
    let mut steps = Vec::new();
    for (index, step) in moves.iter().enumerate() {
        let number = *numbers.get(&step.thread).ok_or_else(|| format!("move {index}: no such thread"))?;
        prepare(machine, &mut state, (index, step), number, &mut steps)?;
        if step.act != Act::Step {
            continue;
        }
        // A copy or set takes several steps.
        loop {
            let before = self::place(&state, number);
            check_place(machine, &state, number, step).map_err(|problem| format!("move {index}: {problem}"))?;
            let undefined = undefined(machine, &state, number, step);
            let (read, place) = written(machine, &state, number, step);
            let mut guide = Guide { step, undefined, read, place, picks: SmallVec::new() };
            let action = if step.wakes { Action::Wake } else { Action::Step };
            let reserved = reserved(&state);
            let result = machine.step(&mut state, number, action, &mut guide, None, index + 1);
            let picks = guide.picks;
            steps.push(ScheduleStep { thread: number, action, picks });
            if let Err(interrupt) = result {
                let end = end_of(interrupt, Some(step.at));
                return match end {
                    Some(end) => Ok((Run { steps, end }, state)),
                    None => {
                        Err(format!("move {index}: thread {number} cannot do this here ({})", describe(machine, step)))
                    }
                };
            }
            if let (Some(made), Some(new)) =
                (step.makes, self::reserved(&state).into_iter().find(|n| !reserved.contains(n)))
            {
                numbers.insert(made, new);
            }
            let is_range = state.find_thread(u64::from(number)).is_some_and(|thread| thread.range.is_some());
            if !is_range || self::place(&state, number) != before {
                break;
            }
        }
    }
    if let (Property::Deadlock, None, Some(step)) = (machine.config.property, machine.deadlock(&state), moves.last()) {
        empty_buffers(machine, &mut state, step, &mut steps);
    }
    let end = if machine.deadlock(&state).is_some() { end_of_stuck(machine, &state) } else { RunEnd::StepLimit };
    Ok((Run { steps, end }, state))
}

/// Flushes all stores: threads that wait for each other do so whatever is in their buffers, but the state is stuck only
/// once these are empty.
fn empty_buffers(machine: &Machine<'_>, state: &mut State, step: &Move, steps: &mut Vec<ScheduleStep>) {
    let running: Vec<u32> = state.running().collect();
    for number in running {
        while state.find_thread(u64::from(number)).is_some_and(|thread| !thread.buffer.is_empty()) {
            let mut guide = Guide { step, undefined: vec![], read: (1, 0), place: 0, picks: SmallVec::new() };
            let action = Action::Flush(0);
            if machine.step(state, number, action, &mut guide, None, 0).is_err() {
                return;
            }
            steps.push(ScheduleStep { thread: number, action, picks: guide.picks });
        }
    }
}

/// Takes the steps that precede or replace a statement: flushes stores and executes a fence that is due. Moves do not
/// mention the stores of the first thread before it starts another one.
fn prepare(
    machine: &Machine<'_>,
    state: &mut State,
    (index, step): (usize, &Move),
    number: u32,
    steps: &mut Vec<ScheduleStep>,
) -> Result<(), String> {
    loop {
        let Some(thread) = state.find_thread(u64::from(number)) else { return Ok(()) };
        let flush = match step.act {
            Act::Flush(of) => {
                let entry = thread.buffer.iter().position(|entry| entry.stamp == of + 1);
                Some(entry.ok_or_else(|| format!("move {index}: thread {number} has no such store in its buffer"))?)
            }
            Act::Step | Act::Fence if machine.model.is_due(thread) => None,
            Act::Step if machine.readiness(state, number) == Readiness::Draining => Some(0),
            Act::Step | Act::Fence => return Ok(()),
        };
        let action = flush.map_or(Action::Step, |entry| Action::Flush(entry as u32));
        let mut guide = Guide { step, undefined: vec![], read: (1, 0), place: 0, picks: SmallVec::new() };
        machine
            .step(state, number, action, &mut guide, None, 0)
            .map_err(|_| format!("move {index}: thread {number} cannot do this here ({})", describe(machine, step)))?;
        steps.push(ScheduleStep { thread: number, action, picks: guide.picks });
        if matches!(step.act, Act::Flush(_)) {
            return Ok(());
        }
    }
}

/// The position in the history of its cell of the write that a move reads from, the number of writes, and the position
/// of its own write.
fn written(machine: &Machine<'_>, state: &State, number: u32, step: &Move) -> ((usize, usize), usize) {
    let stmt = &machine.program.functions[step.at.0].edges[step.at.1].stmt;
    let Some((pointer, len)) = machine.accessed(state, number, step.at, stmt) else { return ((1, 0), 0) };
    let cell = Cell { object: pointer.object, offset: pointer.offset as u64, len };
    machine.model.choices(state, number, cell, step)
}

fn describe(machine: &Machine<'_>, step: &Move) -> String {
    let edge = &machine.program.functions[step.at.0].edges[step.at.1];
    format!("{:?} at {}", edge.stmt, machine.program.place(edge.span))
}

fn place(state: &State, number: u32) -> Option<(usize, ir::LocId)> {
    let thread = state.find_thread(u64::from(number))?;
    Some((thread.frames.len(), thread.frames.last()?.loc))
}

/// The numbers of threads that are reserved and have not started.
fn reserved(state: &State) -> Vec<u32> {
    let is_reserved = |number: &u32| {
        let thread = state.find_thread(u64::from(*number));
        thread.is_some_and(|thread| thread.status == crate::state::Status::Reserved)
    };
    (1..=state.threads.len() as u32).filter(is_reserved).collect()
}

fn check_place(machine: &Machine<'_>, state: &State, number: u32, step: &Move) -> Result<(), String> {
    let frame = state.find_thread(u64::from(number)).and_then(|thread| thread.frames.last());
    let edge = &machine.program.functions[step.at.0].edges[step.at.1];
    match frame {
        Some(frame) if frame.function == step.at.0 && frame.loc == edge.from => Ok(()),
        Some(frame) => {
            let name = &machine.program.functions[frame.function].name;
            Err(format!("thread {number} is at {name} {}, not at {}", frame.loc, describe(machine, step)))
        }
        None => Err(format!("thread {number} is not running, for {}", describe(machine, step))),
    }
}

/// The variables without a value that the move gives one.
fn undefined(machine: &Machine<'_>, state: &State, number: u32, step: &Move) -> Vec<(String, u128)> {
    let Some(frame) = state.find_thread(u64::from(number)).and_then(|thread| thread.frames.last()) else {
        return vec![];
    };
    let names = &machine.program.functions[frame.function].locals;
    let is_undefined = |local: &ir::LocalId| frame.locals.get(local.index()) == Some(&Value::Undef);
    let locals = step.locals.iter().filter(|(local, _)| is_undefined(local));
    locals.map(|(local, value)| (names[*local].name.clone(), *value)).collect()
}
