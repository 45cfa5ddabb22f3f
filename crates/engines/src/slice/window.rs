//! The symbolic execution of a part of a run: every thread follows its path, in the order of the run's steps, so that
//! threads are known when they are joined. Calls and returns follow the path with an explicit stack.
//!
//! The locks held at the beginning come first, as acquisitions by their owners, so that releases match an acquisition;
//! all other events come after these.

use super::{Frame, Identity, Observed, Snapshot, Thread};
use crate::skeleton::events::{EventId, Exit, Kind, Skeleton, ThreadId};
use crate::skeleton::execute::{Analyses, Bounds, Execution};
use crate::skeleton::objects::{self, Start};
use crate::skeleton::past::{Content, Past};
use crate::skeleton::state::{LockCell, State};
use crate::skeleton::value::{Value, GHOST};
use base::{Id, IdVec};
use check::{Reason, ReasonKind, Task};
use ir::analysis::Memory;
use ir::{Callee, EdgeId, Expr, FunctionId, LocalId, ObjectKind, Order, Stmt, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use smt::{Term, Terms};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Maximum number of events.
const MAX_EVENTS: usize = 6000;

/// Maximum number of statements, and depth of calls, between the path and a violation next to it.
const MAX_STRAIGHT: usize = 32;
const MAX_DEEP: usize = 4;

/// The locks held at an event.
pub(super) type Lockset = Rc<Vec<LockCell>>;

/// A lock acquisition.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) thread: ThreadId,
    /// The step of the thread.
    pub(super) step: usize,
    pub(super) event: EventId,
    /// Whether the thread reaches it.
    pub(super) reached: Term,
    pub(super) cell: LockCell,
    /// The locks that the thread already holds.
    pub(super) held: Lockset,
    pub(super) at: (FunctionId, EdgeId),
    /// The step of the window.
    pub(super) index: usize,
}

/// A window after execution.
pub(super) struct Executed {
    pub(super) skeleton: Skeleton,
    pub(super) locksets: IdVec<EventId, Lockset>,
    /// The step of the window that each event belongs to.
    pub(super) origins: IdVec<EventId, usize>,
    pub(super) requests: Vec<Request>,
    /// The steps next to which there may be a violation.
    pub(super) violations: Vec<usize>,
    pub(super) waits: Vec<Wait>,
    pub(super) stopped: Vec<Reason>,
}

/// A thread waits for something other than a lock, or ends with a lock that others wait for then.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    /// When it stays there, among the skeleton's blocks; none for the end of a thread.
    pub(super) block: Option<usize>,
    /// The step of the window.
    pub(super) index: usize,
}

/// A calling function.
struct Caller {
    locals: Vec<Option<Value>>,
    frame: Vec<u16>,
    below: Vec<u16>,
}

/// The state of a thread during execution.
#[derive(Default)]
struct Segment {
    /// `None`: it has not begun, has ended, or is not tracked any more.
    state: Option<State>,
    callers: Vec<Caller>,
    /// The call stack, with the call edges.
    frames: Vec<(FunctionId, EdgeId)>,
}

/// The state of an execution.
pub(super) struct Window<'a> {
    execution: Execution<'a>,
    segments: FxHashMap<ThreadId, Segment>,
    /// The threads by their numbers in the run.
    numbers: FxHashMap<u32, ThreadId>,
    locksets: IdVec<EventId, Lockset>,
    origins: IdVec<EventId, usize>,
    no_locks: Lockset,
    requests: Vec<Request>,
    violations: Vec<usize>,
    waits: Vec<Wait>,
    /// Number of steps taken.
    taken: usize,
    stopped: Vec<Reason>,
    /// The variables of inputs.
    inputs: FxHashSet<Term>,
    /// Whether edges lead to a violation.
    failures: FxHashMap<(FunctionId, EdgeId), bool>,
}

impl<'a> Window<'a> {
    pub(super) fn new(
        task: &'a Task<'a>,
        analyses: &'a Analyses,
        snapshot: &Snapshot,
        terms: &'a mut Terms,
    ) -> Window<'a> {
        // A window has the steps of a run: it makes no other calls.
        let bounds = Bounds {
            iterations: 1,
            is_strict: false,
            most_events: MAX_EVENTS,
            loops: FxHashMap::default(),
            summaries: false,
        };
        let promised = task.options.inputs.values.clone().filter(|_| task.options.inputs.promised);
        let mut execution =
            Execution::new(task.program, (task.property, task.model), promised, analyses, &bounds, terms, &task.budget);
        // Where a thread leaves its path for a violation it may end.
        execution.exits.push(Vec::new());
        let mut window = Window {
            execution,
            segments: FxHashMap::default(),
            numbers: FxHashMap::default(),
            locksets: IdVec::new(),
            origins: IdVec::new(),
            no_locks: Rc::default(),
            requests: Vec::new(),
            violations: Vec::new(),
            waits: Vec::new(),
            taken: 0,
            stopped: Vec::new(),
            inputs: FxHashSet::default(),
            failures: FxHashMap::default(),
        };
        window.number_objects(snapshot);
        window.begin(snapshot);
        window
    }

    pub(super) fn finish(self) -> Executed {
        Executed {
            skeleton: self.execution.skeleton,
            locksets: self.locksets,
            origins: self.origins,
            requests: self.requests,
            violations: self.violations,
            waits: self.waits,
            stopped: self.stopped,
        }
    }

    /// Assigns the first numbers to the existing objects.
    fn number_objects(&mut self, snapshot: &Snapshot) {
        let execution = &mut self.execution;
        let (program, escape) = (execution.program, execution.escape);
        let always = execution.terms.bool(true);
        for object in &snapshot.objects {
            let of_static = |id| match program.objects[id].kind {
                ObjectKind::Constant => objects::Kind::Constant,
                ObjectKind::Global | ObjectKind::ThreadLocal => objects::Kind::Static,
            };
            let (kind, is_shared, memory) = match object.identity {
                Identity::Static(id) | Identity::Copy(_, id) => {
                    (of_static(id), escape.is_shared_object(id), Some(Memory::Static(id)))
                }
                Identity::Allocated { site, is_heap } => (
                    if is_heap { objects::Kind::Heap } else { objects::Kind::Stack },
                    site.is_none_or(|(function, edge)| escape.is_shared_site(function, edge)),
                    site.map(|(function, edge)| Memory::Site(function, edge)),
                ),
            };
            // Dead objects are checked when all events are known.
            let is_shared = is_shared || !object.is_live;
            let made = objects::Object { kind, size: object.size, extent: None, start: Start::Zero, is_shared, memory };
            let number = execution.numbered(|all| match object.identity {
                Identity::Static(id) => all.define(None, id, made),
                Identity::Copy(thread, id) => all.define(Some(thread - 1), id, made),
                Identity::Allocated { .. } => all.add(made),
            });
            if !object.is_live {
                execution.skeleton.dead.insert(number, always);
            }
        }
        let count = u16::try_from(snapshot.objects.len()).unwrap_or(u16::MAX);
        let lookup = Rc::clone(&snapshot.lookup);
        execution.skeleton.past = Some(Past { objects: count, lookup, cleared: BTreeSet::new() });
    }

    /// Acquires the held locks and places every thread at its position.
    fn begin(&mut self, snapshot: &Snapshot) {
        for index in 0..snapshot.threads.len().max(1) {
            let thread = self.execution.skeleton.threads.push(crate::skeleton::events::Thread::default());
            self.numbers.insert(index as u32 + 1, thread);
        }
        let mut states: FxHashMap<ThreadId, State> = FxHashMap::default();
        for (index, thread) in snapshot.threads.iter().enumerate() {
            if let Some(Thread::Running(_)) = thread {
                let thread = ThreadId::new(index);
                states.insert(thread, self.state(thread));
            }
        }
        let mut first = SmallVec::new();
        for &(index, offset, content) in &snapshot.ghosts {
            let Content::Number(owner) = content else { continue };
            let owner = u32::try_from(owner).ok().and_then(|owner| self.numbers.get(&owner).copied());
            let number = (index as u16 + 1) | GHOST;
            // Objects that only one thread can reach make no events: their locks are simply held.
            let is_shared = self.execution.skeleton.objects.get(number).is_some_and(|object| object.is_shared);
            if let Some(state) = owner.filter(|_| is_shared).and_then(|owner| states.get_mut(&owner)) {
                first.push(held(&mut self.execution, state, (number, offset)));
            }
        }
        let always = self.execution.terms.bool(true);
        let mut start = self.state(ThreadId::new(0));
        start.last = first;
        let mark = self.execution.event(&mut start, Kind::Mark, None, always, None, None);
        for (index, thread) in snapshot.threads.iter().enumerate() {
            let Some(thread) = thread else { continue };
            let id = ThreadId::new(index);
            match thread {
                Thread::Reserved => {}
                Thread::Running(frames) => {
                    self.execution.skeleton.threads[id].start = Some(mark);
                    let Some(mut state) = states.remove(&id) else { continue };
                    state.last = SmallVec::from_slice(&[mark]);
                    let segment = self.segment(state, frames);
                    self.segments.insert(id, segment);
                }
                Thread::Ended(result) => {
                    let width = self.execution.pointer_width();
                    let skeleton = &mut self.execution.skeleton;
                    let value = skeleton.value_of(self.execution.terms, *result, width);
                    let last = SmallVec::from_slice(&[mark]);
                    skeleton.threads[id].start = Some(mark);
                    // A thread that receives an unknown result is not followed.
                    skeleton.threads[id].exit = value.map(|_| Exit { occurs: always, result: value, last });
                }
            }
        }
        self.execution.step_events.clear();
        self.note_locks(&Rc::clone(&self.no_locks));
    }

    fn state(&mut self, thread: ThreadId) -> State {
        State {
            thread,
            condition: self.execution.terms.bool(true),
            locals: Vec::new(),
            returned: Vec::new(),
            memory: Rc::default(),
            last: SmallVec::new(),
            held: Rc::default(),
            frame: Vec::new(),
            below: Vec::new(),
            region: None,
            is_alone: false,
            has_stores: false,
            effects: SmallVec::new(),
        }
    }

    /// The stack of a thread.
    fn segment(&mut self, mut state: State, frames: &[Frame]) -> Segment {
        let mut segment = Segment::default();
        let mut call = EdgeId::new(0);
        let mut below: Vec<u16> = Vec::new();
        for (depth, frame) in frames.iter().enumerate() {
            segment.frames.push((frame.function, call));
            let code = &self.execution.program.functions[frame.function];
            let mut locals = Vec::new();
            for (content, local) in frame.locals.iter().zip(code.locals.iter()) {
                let width = self.execution.width(local.ty);
                locals.push(self.execution.skeleton.value_of(self.execution.terms, *content, width));
            }
            let objects: Vec<u16> = frame.objects.iter().map(|&index| index as u16 + 1).collect();
            if depth + 1 < frames.len() {
                call = frame.call.unwrap_or(call);
                segment.callers.push(Caller { locals, frame: objects.clone(), below: below.clone() });
                below.extend(objects);
            } else {
                state.locals = locals;
                state.frame = objects;
                state.below = below.clone();
            }
        }
        segment.state = Some(state);
        segment
    }

    /// Records that all new events happen while these locks are held.
    fn note_locks(&mut self, held: &Lockset) {
        while self.locksets.len() < self.execution.skeleton.events.len() {
            self.locksets.push(Rc::clone(held));
            self.origins.push(self.taken);
        }
    }

    /// Takes a step of the run, if its thread is still on its path.
    pub(super) fn take(&mut self, step: &Observed) -> Result<(), Reason> {
        let violations = self.execution.skeleton.violations.len();
        let blocks = self.execution.skeleton.blocks.len();
        self.go(step);
        if self.execution.skeleton.blocks.len() > blocks && self.is_wait(step) {
            self.waits.push(Wait { block: Some(blocks), index: self.taken });
        }
        if self.execution.skeleton.violations.len() > violations {
            self.violations.push(self.taken);
        }
        self.taken += 1;
        match self.execution.stopped.take() {
            Some(reason) => Err(reason),
            None => Ok(()),
        }
    }

    fn is_wait(&self, step: &Observed) -> bool {
        let edge = &self.execution.program.functions[step.at.0].edges[step.at.1[0]];
        matches!(edge.stmt, Stmt::Await { .. })
    }

    fn go(&mut self, step: &Observed) {
        let Some(&thread) = self.numbers.get(&step.thread) else { return };
        let Some(mut segment) = self.segments.remove(&thread) else { return };
        let Some(mut state) = segment.state.take() else { return };
        if step.is_continued {
            segment.state = Some(state);
            self.segments.insert(thread, segment);
            return;
        }
        let gaps = self.execution.skeleton.gaps.len();
        self.execution.frames = std::mem::take(&mut segment.frames);
        self.execution.at = (step.at.0, step.at.1[0]);
        let held: Lockset = match state.held.is_empty() {
            true => Rc::clone(&self.no_locks),
            false => Rc::new(state.held.keys().copied().collect()),
        };
        let reached = state.condition;
        let events = self.execution.skeleton.events.len();
        self.bind_inputs(&mut state, step);
        self.try_failures(&state, step);
        let next = self.execute(state, step, &mut segment);
        self.note_locks(&held);
        self.note_request(thread, step, reached, events, &held);
        segment.frames = std::mem::take(&mut self.execution.frames);
        match next.filter(|state| !self.execution.is_dead(state)) {
            Some(state) => {
                segment.state = Some(state);
                self.segments.insert(thread, segment);
            }
            None => self.note_stop(gaps),
        }
    }

    /// A thread ended, or is not tracked any more: then a gap says why.
    fn note_stop(&mut self, gaps: usize) {
        let new = &self.execution.skeleton.gaps[gaps..];
        if let Some(gap) = new.last() {
            let reason = Reason::new(gap.kind, gap.detail.clone()).at(gap.place.clone());
            if !self.stopped.contains(&reason) {
                self.stopped.push(reason);
            }
        }
    }

    fn note_request(&mut self, thread: ThreadId, step: &Observed, reached: Term, events: usize, held: &Lockset) {
        let skeleton = &self.execution.skeleton;
        for index in events..skeleton.events.len() {
            let event = EventId::new(index);
            if !matches!(skeleton.events[event].kind, Kind::Lock { .. }) {
                continue;
            }
            let location = skeleton.events[event].location;
            let terms = &*self.execution.terms;
            let place = [location.object, location.bits].map(|term| crate::skeleton::value::constant(terms, term));
            if let [Some(object), Some(offset)] = place {
                self.requests.push(Request {
                    thread,
                    step: skeleton.threads[thread].steps.len().saturating_sub(1),
                    event,
                    reached,
                    cell: (object as u16, offset),
                    held: Rc::clone(held),
                    at: (step.at.0, step.at.1[0]),
                    index: self.taken,
                });
            }
        }
    }

    /// Fixes inputs to their values in the run.
    fn bind_inputs(&mut self, state: &mut State, step: &Observed) {
        for &(local, number) in &step.inputs {
            let ty = self.execution.program.functions[step.at.0].locals[local].ty;
            let width = self.execution.width(ty);
            let value = Value::constant(self.execution.terms, width, number);
            match state.locals[local.index()] {
                None => state.locals[local.index()] = Some(value),
                // It was passed on before it was first used.
                Some(old) if self.inputs.contains(&old.bits) => {
                    let fact = self.execution.terms.eq(old.bits, value.bits);
                    self.execution.skeleton.facts.push(fact);
                }
                // A value that was read is not an input.
                Some(_) => {}
            }
        }
        let program = self.execution.program;
        let mut mentioned = Vec::new();
        for &edge in &step.at.1 {
            for expr in program.functions[step.at.0].edges[edge].stmt.exprs() {
                expr.for_each(&mut |part| {
                    if let Expr::Local(local) = part {
                        mentioned.push(*local);
                    }
                });
            }
        }
        for local in mentioned {
            if state.locals[local.index()].is_none() {
                let value = self.execution.local(state, local);
                self.inputs.insert(value.bits);
            }
        }
    }

    fn execute(&mut self, mut state: State, step: &Observed, segment: &mut Segment) -> Option<State> {
        let program = self.execution.program;
        let (function, edge) = self.execution.at;
        let edge = &program.functions[function].edges[edge];
        let mut state = match &edge.stmt {
            Stmt::Assume(_) => self.branch(state, step)?,
            Stmt::Call { callee, args, .. } => return self.call(state, callee, args, step, segment),
            Stmt::Return(_) => return self.ret(state, segment),
            Stmt::ExitThread(_) => {
                self.execution.exits.push(Vec::new());
                self.execution.execute(state, &edge.stmt);
                for (state, value) in self.execution.exits.pop().unwrap_or_default() {
                    self.exit(&state, Some(value));
                }
                return None;
            }
            Stmt::Spawn { thread, callee, args } => self.spawn(state, thread, callee, args, step)?,
            Stmt::NewThread { .. } => {
                state = self.execution.execute(state, &edge.stmt)?;
                let made = ThreadId::new(self.execution.skeleton.threads.len() - 1);
                if let Some(number) = step.makes {
                    self.numbers.insert(number, made);
                }
                state
            }
            Stmt::Havoc { dst, .. } => {
                state = self.execution.execute(state, &edge.stmt)?;
                self.havoc(&mut state, *dst, step);
                state
            }
            stmt => self.execution.execute(state, stmt)?,
        };
        self.forget(&mut state, function, edge.to);
        Some(state)
    }

    /// Dead variables lose their values: one that is declared again is arbitrary again.
    fn forget(&mut self, state: &mut State, function: FunctionId, loc: ir::LocId) {
        let control = self.execution.control(function);
        for (local, value) in state.locals.iter_mut().enumerate() {
            if value.is_some() && !control.liveness.is_live(loc, LocalId::new(local)) {
                *value = None;
            }
        }
    }

    /// A bounded input gets its value at once.
    fn havoc(&mut self, state: &mut State, dst: LocalId, step: &Observed) {
        let Some(&(_, number)) = step.inputs.iter().find(|(local, _)| *local == dst) else { return };
        let ty = self.execution.program.functions[step.at.0].locals[dst].ty;
        let Some(old) = state.locals[dst.index()].filter(|_| matches!(ty, Type::Int(_))) else { return };
        let value = Value::constant(self.execution.terms, self.execution.width(ty), number);
        let fact = self.execution.terms.eq(old.bits, value.bits);
        self.execution.skeleton.facts.push(fact);
    }

    /// An assertion is a branch, too: where an edge other than the one that the run took leads straight to a violation,
    /// the thread may go there.
    fn try_failures(&mut self, state: &State, step: &Observed) {
        let execution = &mut self.execution;
        let program = execution.program;
        let function = &program.functions[step.at.0];
        let at = execution.at;
        if !matches!(function.edges[at.1].stmt, Stmt::Assume(_)) {
            return;
        }
        let out = execution.control(step.at.0).out[function.edges[at.1].from].clone();
        for edge in out.into_iter().filter(|edge| !step.at.1.contains(edge)) {
            let property = execution.property;
            let fails = self.failures.entry((step.at.0, edge));
            if !*fails.or_insert_with(|| leads_to_violation(program, property, step.at.0, edge, 0)) {
                continue;
            }
            let mut goes = Some(state.clone());
            let mut next = Some(edge);
            let violations = execution.skeleton.violations.len();
            let gaps = execution.skeleton.gaps.len();
            for _ in 0..MAX_STRAIGHT {
                let (Some(state), Some(edge)) = (goes.take(), next) else { break };
                execution.at = (step.at.0, edge);
                goes = execution.execute(state, &function.edges[edge].stmt);
                if execution.skeleton.violations.len() > violations {
                    break;
                }
                next = only_edge(function, function.edges[edge].to);
            }
            execution.skeleton.gaps.truncate(gaps);
            execution.at = at;
        }
        self.note_locks(&Rc::clone(&self.no_locks));
    }

    /// Follows the run's edge, or stops.
    fn branch(&mut self, mut state: State, step: &Observed) -> Option<State> {
        let execution = &mut self.execution;
        let program = execution.program;
        let (mut cases, mut locals) = (Vec::new(), Vec::new());
        for &edge in &step.at.1 {
            execution.at.1 = edge;
            let stmt = &program.functions[step.at.0].edges[edge].stmt;
            let Stmt::Assume(cond) = stmt else { return None };
            locals.extend(execution.mentioned(&mut state, stmt));
            cases.push(execution.holds(&mut state, cond));
        }
        execution.at.1 = step.at.1[0];
        execution.step_events.clear();
        execution.settle(&mut state);
        let taken = execution.terms.or(cases);
        state.condition = execution.terms.and2(state.condition, taken);
        locals.sort_unstable_by_key(|(local, _)| *local);
        locals.dedup_by_key(|(local, _)| *local);
        if execution.is_dead(&state) {
            return None;
        }
        execution.record(&state, locals);
        Some(state)
    }

    fn call(
        &mut self,
        mut state: State,
        callee: &Callee,
        args: &[Expr],
        step: &Observed,
        segment: &mut Segment,
    ) -> Option<State> {
        let execution = &mut self.execution;
        let program = execution.program;
        let (at, stmt) = (execution.at, &program.functions[step.at.0].edges[step.at.1[0]].stmt);
        execution.step_events.clear();
        let locals = execution.mentioned(&mut state, stmt);
        let cases = execution.callees(&mut state, callee);
        let args: Vec<Value> = args.iter().map(|arg| execution.eval(&mut state, arg)).collect();
        execution.settle(&mut state);
        let called = step.calls?;
        let (_, is_it) = cases.into_iter().find(|(function, _)| *function == called)?;
        state.condition = execution.terms.and2(state.condition, is_it);
        if execution.is_dead(&state) {
            return None;
        }
        execution.record(&state, locals);
        execution.frames.push((called, at.1));
        let below: Vec<u16> = state.below.iter().chain(&state.frame).copied().collect();
        segment.callers.push(Caller {
            locals: std::mem::take(&mut state.locals),
            frame: std::mem::take(&mut state.frame),
            below: std::mem::replace(&mut state.below, below),
        });
        state.locals = parameters(execution, called, &args);
        state.returned.clear();
        Some(state)
    }

    fn ret(&mut self, state: State, segment: &mut Segment) -> Option<State> {
        let execution = &mut self.execution;
        let program = execution.program;
        let (function, edge) = execution.at;
        let mut state = execution.execute(state, &program.functions[function].edges[edge].stmt)?;
        let Some(caller) = segment.callers.pop() else {
            let result = state.returned.first().copied();
            self.exit(&state, result);
            return None;
        };
        let (_, call) = execution.frames.pop()?;
        let function = execution.frames.last()?.0;
        state.locals = caller.locals;
        state.frame = caller.frame;
        state.below = caller.below;
        let edge = &program.functions[function].edges[call];
        if let Stmt::Call { dsts, .. } = &edge.stmt {
            for (index, dst) in dsts.iter().enumerate() {
                state.locals[dst.index()] = state.returned.get(index).copied();
            }
        }
        state.returned.clear();
        self.forget(&mut state, function, edge.to);
        Some(state)
    }

    /// Ends a thread.
    fn exit(&mut self, state: &State, result: Option<Value>) {
        if !state.held.is_empty() {
            self.waits.push(Wait { block: None, index: self.taken });
        }
        // Ending a thread in a region is not modelled.
        if state.region.is_none() {
            let bytes = u64::from(self.execution.pointer_width()) / 8;
            let result = result.map(|result| self.execution.stored(result, bytes));
            let exit = Exit { occurs: state.condition, result, last: state.last.clone() };
            self.execution.skeleton.threads[state.thread].exit = Some(exit);
        }
    }

    fn spawn(
        &mut self,
        mut state: State,
        thread: &Expr,
        callee: &Callee,
        args: &[Expr],
        step: &Observed,
    ) -> Option<State> {
        let execution = &mut self.execution;
        let program = execution.program;
        execution.step_events.clear();
        let locals = execution.mentioned(&mut state, &program.functions[step.at.0].edges[step.at.1[0]].stmt);
        let number = execution.eval(&mut state, thread);
        let cases = execution.callees(&mut state, callee);
        let args: Vec<Value> = args.iter().map(|arg| execution.eval(&mut state, arg)).collect();
        execution.settle(&mut state);
        let called = step.calls?;
        let (_, is_it) = cases.into_iter().find(|(function, _)| *function == called)?;
        state.condition = execution.terms.and2(state.condition, is_it);
        let Some(child) =
            execution.thread_of(number).filter(|&child| execution.skeleton.threads[child].start.is_none())
        else {
            let detail = "a thread whose number is not known is started".to_owned();
            execution.gap(state.condition, ReasonKind::Unsupported, detail);
            return None;
        };
        if execution.is_dead(&state) {
            return None;
        }
        let condition = state.condition;
        let mark = execution.event(&mut state, Kind::Mark, None, condition, None, None);
        execution.record(&state, locals).starts = Some(child);
        execution.skeleton.threads[child].start = Some(mark);
        let locals = parameters(execution, called, &args);
        let begun = State { condition, locals, last: SmallVec::from_slice(&[mark]), ..self.state(child) };
        let frames = vec![(called, EdgeId::new(0))];
        self.segments.insert(child, Segment { state: Some(begun), callers: Vec::new(), frames });
        Some(state)
    }
}

/// The edge out of a location, if there is just one.
fn only_edge(function: &ir::Function, loc: ir::LocId) -> Option<EdgeId> {
    let mut out = function.edges.enumerate().filter(|(_, edge)| edge.from == loc);
    let (edge, _) = out.next()?;
    out.next().is_none().then_some(edge)
}

/// Whether an edge leads to an assertion of the property without a further branch, also through calls.
fn leads_to_violation(
    program: &ir::Program,
    property: ir::Property,
    function: FunctionId,
    edge: EdgeId,
    depth: usize,
) -> bool {
    let code = &program.functions[function];
    let mut next = Some(edge);
    for _ in 0..MAX_STRAIGHT {
        let Some(edge) = next else { return false };
        if code.edges[edge].stmt.is_assertion(property) {
            return true;
        }
        if let Stmt::Call { callee: Callee::Direct(called), .. } = &code.edges[edge].stmt {
            let first = only_edge(&program.functions[*called], program.functions[*called].entry);
            let is_deep = depth >= MAX_DEEP;
            if first.is_some_and(|first| !is_deep && leads_to_violation(program, property, *called, first, depth + 1)) {
                return true;
            }
        }
        next = only_edge(code, code.edges[edge].to);
    }
    false
}

/// The initial variables of a function.
fn parameters(execution: &Execution<'_>, function: FunctionId, args: &[Value]) -> Vec<Option<Value>> {
    let code = &execution.program.functions[function];
    let mut locals = vec![None; code.locals.len()];
    for (param, value) in code.params.iter().zip(args) {
        locals[param.index()] = Some(*value);
    }
    locals
}

/// The acquisition of a lock that was held when the window began.
fn held(execution: &mut Execution<'_>, state: &mut State, cell: LockCell) -> EventId {
    let always = execution.terms.bool(true);
    let never = execution.terms.bool(false);
    let zero = Value::constant(execution.terms, 32, 0);
    let number = Value::constant(execution.terms, 32, state.thread.index() as u128 + 1);
    let kind = Kind::Lock { held: Some(never), is_mine: never };
    let event = execution.event(state, kind, None, always, Some(zero), Some((always, number)));
    let width = execution.pointer_width();
    let made = &mut execution.skeleton.events[event];
    made.location = Value::pointer(execution.terms, cell.0, width, u128::from(cell.1));
    made.bytes = 4;
    made.orders = (Order::AcqRel, Order::AcqRel);
    Rc::make_mut(&mut state.held).insert(cell, vec![(event, always)]);
    if let Some(past) = &mut execution.skeleton.past {
        past.cleared.insert(cell);
    }
    event
}
