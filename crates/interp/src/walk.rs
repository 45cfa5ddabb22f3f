//! Walks along a recorded run: the statement that each step executes, the answers it got, and the contents of memory in
//! the states on the way. Engines that reason about one run get it from here, as data.

use crate::layout::Layout;
use crate::machine::{Machine, Next};
use crate::oracle::{Oracle, Question, Recorded};
use crate::state::{State, Status};
use crate::value::{ObjRef, Value};
use base::Id;
use ir::{EdgeId, FunctionId, LocalId, Pick, ScheduleStep, Stmt};

/// A step of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The thread.
    pub thread: u32,
    /// The function in which it moves.
    pub function: FunctionId,
    /// The edge it takes; for a branch, all edges that lead to the same location.
    pub edges: Vec<EdgeId>,
    /// The values of the inputs, by variable.
    pub inputs: Vec<(LocalId, u128)>,
    /// The number of the thread that it created.
    pub makes: Option<u32>,
    /// The function that it called, or the first function of the thread that it started.
    pub calls: Option<FunctionId>,
    /// Whether it continues a copy or set that an earlier step began.
    pub is_continued: bool,
    /// Whether it is visible to other threads.
    pub is_visible: bool,
}

/// A position in a recorded run.
pub struct Walk<'m, 'p> {
    machine: &'m Machine<'p>,
    /// The current state.
    pub state: State,
}

/// Answers as recorded, and records the names in the questions.
struct Named<'a> {
    recorded: Recorded<'a>,
    inputs: Vec<(String, u128)>,
}

impl Oracle for Named<'_> {
    fn ask(&mut self, question: Question) -> Option<Pick> {
        self.recorded.ask(question)
    }

    fn ask_about(&mut self, question: Question, name: &str) -> Option<Pick> {
        let pick = self.recorded.ask(question)?;
        if let Pick::Input(value) = pick {
            self.inputs.push((name.to_owned(), value));
        }
        Some(pick)
    }
}

impl<'m, 'p> Walk<'m, 'p> {
    /// At the start of the program.
    pub fn new(machine: &'m Machine<'p>) -> Walk<'m, 'p> {
        Walk { machine, state: machine.initial() }
    }

    /// At a given state of a run.
    pub fn at(machine: &'m Machine<'p>, state: State) -> Walk<'m, 'p> {
        Walk { machine, state }
    }

    /// Whether no thread is in an atomic region or in the middle of a copy or set.
    pub fn is_between(&self) -> bool {
        self.state.region.is_none() && self.state.threads.iter().flatten().all(|thread| thread.range.is_none())
    }

    /// Takes a step; `None` if the run ends with it.
    pub fn step(&mut self, step: &ScheduleStep) -> Option<Taken> {
        let machine = self.machine;
        let (function, edge) = machine.next_at(&self.state, step.thread)?;
        let before = self.state.find_thread(u64::from(step.thread))?;
        let is_visible = machine.sharing.is_visible(function, edge, before.frames.len() == 1);
        let is_continued = before.range.is_some();
        let undefined = before.frames.last()?.locals.clone();
        let known: Vec<Option<Status>> = self.statuses();
        let mut oracle = Named { recorded: Recorded { picks: &step.picks }, inputs: Vec::new() };
        machine.step(&mut self.state, step.thread, step.action, &mut oracle, None, 0).ok()?;
        let mut taken = Taken {
            thread: step.thread,
            function,
            edges: vec![edge],
            inputs: Vec::new(),
            makes: None,
            calls: None,
            is_continued,
            is_visible,
        };
        let code = &machine.program.functions[function];
        for (name, value) in oracle.inputs {
            let is_it = |local: &LocalId| {
                code.locals[*local].name == name
                    && (undefined.get(local.index()) == Some(&Value::Undef)
                        || code.edges[edge].stmt.writes().contains(local))
            };
            taken.inputs.extend(code.locals.ids().find(is_it).map(|local| (local, value)));
        }
        self.describe(&mut taken, edge, &known);
        Some(taken)
    }

    fn statuses(&self) -> Vec<Option<Status>> {
        self.state.threads.iter().map(|thread| thread.as_ref().map(|thread| thread.status)).collect()
    }

    /// Fills in the results of the step.
    fn describe(&self, taken: &mut Taken, edge: EdgeId, known: &[Option<Status>]) {
        let code = &self.machine.program.functions[taken.function];
        let frame = self.state.find_thread(u64::from(taken.thread)).and_then(|thread| thread.frames.last());
        if let Next::Branch(edges) = &self.machine.code[taken.function].next[code.edges[edge].from] {
            let to = frame.map(|frame| frame.loc);
            taken.edges = edges.iter().copied().filter(|&edge| Some(code.edges[edge].to) == to).collect();
            return;
        }
        let status = |index: usize| known.get(index).copied().flatten();
        let mut changed = self.state.threads.iter().enumerate().filter_map(|(index, thread)| {
            let thread = thread.as_ref()?;
            (status(index) != Some(thread.status)).then_some((index as u32 + 1, thread))
        });
        let stmt = &code.edges[edge].stmt;
        if let Stmt::Call { .. } = stmt {
            taken.calls = frame.map(|frame| frame.function);
        } else if let Stmt::NewThread { .. } = stmt {
            taken.makes = changed.find(|(_, thread)| thread.status == Status::Reserved).map(|(number, _)| number);
        } else if let Stmt::Spawn { .. } = stmt {
            let started = changed.find(|(_, thread)| thread.status == Status::Running);
            taken.calls = started.and_then(|(_, thread)| thread.frames.first().map(|frame| frame.function));
        }
    }
}

/// The call that a function in progress, not the topmost, waits for.
pub fn call_in_progress(machine: &Machine<'_>, frame: &crate::state::Frame) -> Option<EdgeId> {
    match &machine.code[frame.function].next[frame.loc] {
        Next::Edge(edge) => Some(*edge),
        Next::Branch(_) | Next::End => None,
    }
}

/// The value in an object or its ghost; `None` if it is partly undefined or cuts a pointer.
pub fn cell(layout: &Layout, state: &State, object: ObjRef, ghost: bool, offset: u64, len: u64) -> Option<Value> {
    if ghost {
        return state.ghost(object, i64::try_from(offset).ok()?, len).ok();
    }
    let object = state.object(object)?;
    let is_inside = offset.checked_add(len).is_some_and(|end| end <= object.size());
    if !is_inside || object.has_part_of_pointer(offset, len, layout) {
        return None;
    }
    let content = object.read(offset, len, layout);
    match content.undefined {
        0 => Some(content.value),
        bits if u32::from(bits).count_ones() as u64 == len => Some(Value::Undef),
        _ => None,
    }
}
