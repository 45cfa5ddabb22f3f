//! Maps each step of a program to its source statement and to events there: a thread reaches a statement, leaves it,
//! calls a function, gets a result. Writing and following witnesses both use these events, so they cannot disagree.
//!
//! A thread *reaches* a statement when its next step is the first one of it. Steps without a column (set-up of a
//! function) and steps in library functions belong to no statement.

use super::text::{CText, Position};
use interp::state::{State, Status};
use interp::value::Value;
use interp::{call_in_progress, Machine};
use ir::{Callee, EdgeId, FunctionId, Program, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// A place in a file: the index of the file and the position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Spot {
    /// The file.
    pub file: usize,
    /// The position.
    pub at: Position,
}

/// A statement of the core form.
pub(crate) type Edge = (FunctionId, EdgeId);

/// The meaning of a step in the source. The first field is the thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    /// The thread reaches a statement.
    Arrive(u32, Spot),
    /// The thread takes a visible step in a statement.
    Execute(u32, Spot),
    /// The thread leaves a statement for another.
    Leave(u32, Spot, Option<Spot>),
    /// The thread calls the function named here.
    Enter(u32, Spot),
    /// The call of the function named here returns, with this result, if it is known.
    Return(u32, Spot, Option<Value>),
}

/// The source positions of the steps of a program.
#[derive(Debug)]
pub struct Places {
    /// The files.
    pub texts: Vec<CText>,
    positions: BTreeMap<Edge, Spot>,
    statements: BTreeMap<Edge, Spot>,
    entries: BTreeSet<Edge>,
}

impl Places {
    /// Computes the source positions of the steps of a program.
    pub fn new(program: &Program, texts: Vec<CText>) -> Places {
        let mut places =
            Places { texts, positions: BTreeMap::new(), statements: BTreeMap::new(), entries: BTreeSet::new() };
        for (function, code) in program.functions.enumerate() {
            for (edge, item) in code.edges.enumerate() {
                if let Some(spot) = places.find(program, item.span) {
                    places.positions.insert((function, edge), spot);
                    let start = places.texts[spot.file].start_of(spot.at);
                    places.statements.extend(start.map(|at| ((function, edge), Spot { at, ..spot })));
                }
            }
        }
        for (function, code) in program.functions.enumerate() {
            for edge in code.edges.ids() {
                if places.is_first(program, (function, edge)) {
                    places.entries.insert((function, edge));
                }
            }
        }
        places
    }

    fn find(&self, program: &Program, span: base::Span) -> Option<Spot> {
        if !program.is_users(span) || span.column == 0 {
            return None;
        }
        let name = program.files.get(span.file)?;
        self.texts.iter().enumerate().find_map(|(file, text)| {
            let line = text.line_of(name, span.line)?;
            Some(Spot { file, at: (line, span.column) })
        })
    }

    /// Whether a step can be the first of its statement.
    fn is_first(&self, program: &Program, (function, edge): Edge) -> bool {
        let Some(own) = self.statements.get(&(function, edge)) else { return false };
        let code = &program.functions[function];
        let mut open = vec![code.edges[edge].from];
        let mut seen = BTreeSet::new();
        while let Some(loc) = open.pop() {
            if loc == code.entry {
                return true;
            }
            if !seen.insert(loc) {
                continue;
            }
            for (before, item) in code.edges.enumerate().filter(|(_, item)| item.to == loc) {
                match self.statements.get(&(function, before)) {
                    Some(other) if other != own => return true,
                    Some(_) => {}
                    None => open.push(item.from),
                }
            }
        }
        false
    }

    /// The statement a step belongs to.
    pub(crate) fn statement(&self, at: Edge) -> Option<Spot> {
        self.statements.get(&at).copied()
    }

    /// Whether a step can be the first of its statement.
    pub(crate) fn is_entry(&self, at: Edge) -> bool {
        self.entries.contains(&at)
    }

    /// Whether a thread is inside a statement.
    pub(crate) fn is_within(&self, machine: &Machine<'_>, state: &State, thread: u32) -> bool {
        machine.next_at(state, thread).is_some_and(|at| !self.entries.contains(&at))
    }

    /// Whether any step belongs to a statement.
    pub(crate) fn has_steps(&self, spot: Spot) -> bool {
        self.statements.values().any(|other| *other == spot)
    }

    /// The statements that begin in a line, or else the one that continues there, restricted to those with steps.
    pub(crate) fn statements_in(&self, file: usize, line: u32) -> Vec<Spot> {
        let all: BTreeSet<Spot> = self.statements.values().copied().collect();
        let own: Vec<Spot> = all.iter().filter(|spot| spot.file == file && spot.at.0 == line).copied().collect();
        if !own.is_empty() {
            return own;
        }
        let around = self.texts[file].statement_at(line, None).map(|at| Spot { file, at });
        around.filter(|spot| all.contains(spot)).into_iter().collect()
    }

    /// The statements with a step that may be visible to other threads.
    pub(crate) fn noticeable(&self, machine: &Machine<'_>) -> BTreeSet<Spot> {
        let is_own = |(at, _): &(&Edge, &Spot)| {
            let mut seen = BTreeSet::new();
            self.is_noticeable(machine, **at, &mut seen)
        };
        self.statements.iter().filter(is_own).map(|(_, spot)| *spot).collect()
    }

    /// Whether a step, or one of the library function that it calls, may be visible.
    fn is_noticeable(&self, machine: &Machine<'_>, at: Edge, seen: &mut BTreeSet<FunctionId>) -> bool {
        let functions = &machine.program.functions;
        if machine.is_noticeable(at, true) {
            return true;
        }
        let Stmt::Call { callee: Callee::Direct(callee), .. } = functions[at.0].edges[at.1].stmt else { return false };
        let edges = || functions[callee].edges.ids().map(|edge| (callee, edge));
        let is_library = edges().all(|at| !self.statements.contains_key(&at));
        is_library && seen.insert(callee) && edges().any(|at| self.is_noticeable(machine, at, seen))
    }

    /// The innermost statement in progress of a thread in user code, given its next step.
    pub(crate) fn users_statement(&self, machine: &Machine<'_>, state: &State, thread: u32, at: Edge) -> Option<Spot> {
        if let Some(spot) = self.statement(at) {
            return Some(spot);
        }
        let frames = &state.find_thread(u64::from(thread))?.frames;
        let (_, below) = frames.split_last()?;
        let calls = below.iter().rev().filter_map(|frame| Some((frame.function, call_in_progress(machine, frame)?)));
        calls.into_iter().find_map(|call| self.statement(call))
    }

    /// The closing parenthesis of the call at a spot.
    pub(crate) fn end_of_call(&self, call: Spot) -> Option<Spot> {
        self.texts[call.file].end_of_call(call.at).map(|at| Spot { at, ..call })
    }

    /// The calls whose closing parenthesis is at a position, or else that begin there; without a column, those of a line.
    pub(crate) fn calls_at(&self, file: usize, line: u32, column: Option<u32>) -> Option<Vec<Spot>> {
        let own = |spot: &&Spot| spot.file == file;
        let calls: BTreeSet<Spot> = self.positions.values().filter(own).copied().collect();
        let ends_here = |call: &Spot| {
            self.end_of_call(*call).is_some_and(|end| match column {
                Some(column) => end.at == (line, column),
                None => end.at.0 == line || call.at.0 == line,
            })
        };
        let found: Vec<Spot> = calls.iter().filter(|call| ends_here(call)).copied().collect();
        let begins =
            || calls.iter().filter(|call| Some(call.at) == column.map(|column| (line, column))).copied().collect();
        let found: Vec<Spot> = if found.is_empty() { begins() } else { found };
        (!found.is_empty()).then_some(found)
    }

    /// The statement in which a thread takes a visible step, if it does.
    pub(crate) fn executed(&self, machine: &Machine<'_>, before: &State, thread: u32, at: Edge) -> Option<Spot> {
        let is_last_frame = before.find_thread(u64::from(thread))?.frames.len() == 1;
        machine.is_noticeable(at, is_last_frame).then(|| self.users_statement(machine, before, thread, at)).flatten()
    }

    /// The first statement of a thread, if this is its first step: no step of the thread led there.
    pub(crate) fn beginning(&self, machine: &Machine<'_>, before: &State, thread: u32, at: Edge) -> Option<Spot> {
        let frames = &before.find_thread(u64::from(thread))?.frames;
        let [frame] = frames.as_slice() else { return None };
        let function = &machine.program.functions[frame.function];
        let comes_back = || function.edges.iter().any(|edge| edge.to == function.entry);
        let is_first = frame.loc == function.entry && self.entries.contains(&at) && !comes_back();
        is_first.then(|| self.statement(at)).flatten()
    }

    /// The events of a step.
    pub(crate) fn events(
        &self,
        machine: &Machine<'_>,
        (before, after): (&State, &State),
        thread: u32,
        at: Edge,
    ) -> Vec<Event> {
        let mut events = self.calls(machine, (before, after), thread, at);
        let depth = |state: &State| state.find_thread(u64::from(thread)).map_or(0, |item| item.frames.len());
        let place = |state: &State| {
            let frames = &state.find_thread(u64::from(thread))?.frames;
            frames.last().map(|frame| (frames.len(), frame.function, frame.loc))
        };
        let next = machine.next_at(after, thread);
        if place(before) != place(after) {
            let to = next.and_then(|next| self.statement(next));
            if let Some(from) = self.statement(at).filter(|from| depth(before) >= depth(after) && to != Some(*from)) {
                if to.is_some() || depth(after) < depth(before) || next.is_none() {
                    events.push(Event::Leave(thread, from, to.filter(|_| depth(before) == depth(after))));
                }
            }
            if let (Some(next), Some(to)) = (next, to) {
                if self.entries.contains(&next) {
                    events.push(Event::Arrive(thread, to));
                }
            }
        }
        events
    }

    /// Calls and returns.
    fn calls(
        &self,
        machine: &Machine<'_>,
        (before, after): (&State, &State),
        thread: u32,
        (function, edge): Edge,
    ) -> Vec<Event> {
        let top = |state: &State, local: ir::LocalId| {
            let frame = state.find_thread(u64::from(thread))?.frames.last()?;
            frame.locals.get(base::Id::index(local)).copied().filter(|value| *value != Value::Undef)
        };
        let stmt = &machine.program.functions[function].edges[edge].stmt;
        match (stmt, self.positions.get(&(function, edge))) {
            (Stmt::Call { .. }, Some(spot)) => vec![Event::Enter(thread, *spot)],
            (Stmt::Havoc { dst, .. }, Some(spot)) => {
                vec![Event::Enter(thread, *spot), Event::Return(thread, *spot, top(after, *dst))]
            }
            (Stmt::Return(_), _) => {
                let frames = before.find_thread(u64::from(thread)).map_or(&[][..], |item| &item.frames);
                let Some([caller, _]) = frames.last_chunk() else { return vec![] };
                let Some(call) = call_in_progress(machine, caller) else { return vec![] };
                let Some(spot) = self.positions.get(&(caller.function, call)) else { return vec![] };
                let value = match &machine.program.functions[caller.function].edges[call].stmt {
                    Stmt::Call { dsts, .. } => dsts.first().and_then(|dst| top(after, *dst)),
                    _ => None,
                };
                vec![Event::Return(thread, *spot, value)]
            }
            _ => vec![],
        }
    }
}

/// The thread that a step started.
pub(crate) fn started(before: &State, after: &State) -> Option<u32> {
    let is_running = |state: &State, index: usize| {
        state.threads.get(index).and_then(Option::as_ref).is_some_and(|thread| thread.status == Status::Running)
    };
    let index = (0..after.threads.len()).find(|index| is_running(after, *index) && !is_running(before, *index))?;
    Some(index as u32 + 1)
}

/// The thread numbers of witnesses: 0 is the first thread, and others count from 1 in the order in which they are started.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Numbers {
    by_number: Vec<u32>,
    next: u32,
}

impl Numbers {
    pub(crate) fn new() -> Numbers {
        Numbers { by_number: vec![0], next: 1 }
    }

    /// Records a thread that a step started.
    pub(crate) fn note(&mut self, before: &State, after: &State) -> Option<u32> {
        let child = started(before, after)? as usize;
        if self.by_number.len() < child {
            self.by_number.resize(child, u32::MAX);
        }
        self.by_number[child - 1] = self.next;
        self.next += 1;
        Some(self.next - 1)
    }

    /// The number of a thread in witnesses.
    pub(crate) fn of(&self, thread: u32) -> u32 {
        self.by_number.get(thread as usize - 1).copied().unwrap_or(u32::MAX)
    }
}
