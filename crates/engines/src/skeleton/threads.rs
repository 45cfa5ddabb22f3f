//! Threads: creation, start (and immediate execution), join, end; atomic regions; and the moment when the first thread
//! stops being alone.
//!
//! A thread's number is its index here and never reused, while a real system, and the interpreter, may reuse the number
//! of a joined thread. So numbers can be compared for equality, but results that depend on the value of a number, or on
//! comparing the numbers of a thread that is gone and a later one, are gaps.

use super::evaluate::Candidates;
use super::events::{EventId, Exit, Join, Kind, Region, Retirement, Thread, ThreadId};
use super::execute::Execution;
use super::state::State;
use super::value::{constant, fresh, Value, ARBITRARY, OBJECT_BITS};
use base::Id;
use check::ReasonKind;
use ir::{Callee, Expr, LocalId};
use smallvec::SmallVec;
use smt::{Bits, Term};
use std::rc::Rc;

impl Execution<'_> {
    pub(crate) fn run_main(&mut self) {
        let thread = self.skeleton.threads.push(Thread::default());
        let state = State {
            thread,
            condition: self.terms.bool(true),
            locals: Vec::new(),
            returned: Vec::new(),
            memory: Rc::default(),
            last: SmallVec::new(),
            held: Rc::default(),
            frame: Vec::new(),
            below: Vec::new(),
            region: None,
            is_alone: true,
            has_stores: false,
            effects: SmallVec::new(),
        };
        for (id, object) in self.program.objects.enumerate() {
            if object.kind != ir::ObjectKind::ThreadLocal {
                self.static_object(None, id);
            }
        }
        let entry = self.program.entry;
        self.run_thread(entry, &[], state);
    }

    /// Executes a thread, starting with its entry function.
    fn run_thread(&mut self, function: ir::FunctionId, args: &[Value], state: State) {
        let (at, thread) = (self.at, state.thread);
        let frames = std::mem::take(&mut self.frames);
        let invocations = std::mem::take(&mut self.invocations.current);
        self.exits.push(Vec::new());
        self.running.push(thread);
        let end = self.call(function, args, state);
        self.running.pop();
        let exits = self.exits.pop().unwrap_or_default();
        self.frames = frames;
        self.invocations.current = invocations;
        self.at = at;
        let mut ends: Vec<(State, Option<Value>)> =
            exits.into_iter().map(|(state, value)| (state, Some(value))).collect();
        if let Some(mut state) = end {
            let result = state.returned.first().copied();
            state.locals.clear();
            ends.push((state, result));
        }
        let mut exit: Option<Exit> = None;
        for (state, result) in ends {
            if state.region.is_some() {
                self.gap(state.condition, ReasonKind::Unmodelled, "a thread that ends in an atomic region".to_owned());
                continue;
            }
            let width = self.pointer_width();
            let result = result.map(|result| self.stored(result, u64::from(width) / 8));
            exit = Some(match exit {
                None => Exit { occurs: state.condition, result, last: state.last },
                Some(other) => {
                    let (condition, telling) = super::value::join(self.terms, other.occurs, state.condition);
                    let result = match (other.result, result) {
                        (Some(a), Some(b)) => Some(a.or_else(self.terms, telling, b)),
                        (a, b) => a.or(b),
                    };
                    let mut last = other.last;
                    last.extend(state.last);
                    last.sort_unstable();
                    last.dedup();
                    Exit { occurs: condition, result, last }
                }
            });
        }
        self.skeleton.threads[thread].exit = exit;
    }

    pub(crate) fn new_thread(&mut self, state: &mut State, dst: LocalId, locals: Vec<(LocalId, Value)>) {
        self.effect(state, state.condition);
        let thread = self.skeleton.threads.push(Thread::default());
        let number = Value::constant(self.terms, self.pointer_width(), thread.index() as u128 + 1);
        state.locals[dst.index()] = Some(number);
        self.record(state, locals).makes = Some(thread);
    }

    /// The thread with a constant number.
    pub(crate) fn thread_of(&self, number: Value) -> Option<ThreadId> {
        let number = constant(self.terms, number.bits)?;
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        (index < self.skeleton.threads.len()).then(|| ThreadId::new(index))
    }

    pub(crate) fn spawn(
        &mut self,
        state: &mut State,
        thread: &Expr,
        callee: &Callee,
        args: &[Expr],
        locals: Vec<(LocalId, Value)>,
    ) {
        let number = self.eval(state, thread);
        let cases = self.callees(state, callee);
        let args: Vec<Value> = args.iter().map(|arg| self.eval(state, arg)).collect();
        let child =
            self.thread_of(number).filter(|&child| self.skeleton.threads[child].start.is_none() && child.index() > 0);
        let (Some(child), true) = (child, cases.len() == 1) else {
            let always = self.terms.bool(true);
            self.unless(always, ReasonKind::Unsupported, "a thread whose number or function is not known is started");
            self.settle(state);
            return;
        };
        self.settle(state);
        if self.is_dead(state) {
            return;
        }
        self.start_concurrency(state);
        self.settle(state);
        self.effect(state, state.condition);
        let mark = self.event(state, Kind::Mark, None, state.condition, None, None);
        self.record(state, locals).starts = Some(child);
        self.skeleton.threads[child].start = Some(mark);
        let start = State {
            thread: child,
            condition: state.condition,
            locals: Vec::new(),
            returned: Vec::new(),
            memory: Rc::default(),
            last: SmallVec::from_slice(&[mark]),
            held: Rc::default(),
            frame: Vec::new(),
            below: Vec::new(),
            region: None,
            is_alone: false,
            has_stores: false,
            effects: SmallVec::new(),
        };
        let events = std::mem::take(&mut self.step_events);
        self.run_thread(cases[0].0, &args, start);
        self.step_events = events;
    }

    /// The threads that a number may denote, each under a condition.
    fn threads_of(&mut self, number: Value) -> Vec<(ThreadId, Term)> {
        if let Some(thread) = self.thread_of(number) {
            return vec![(thread, self.terms.bool(true))];
        }
        let known = match self.candidates(number.bits) {
            Candidates::Known(numbers) => Some(numbers),
            Candidates::Open => None,
        };
        let mut threads = Vec::new();
        for thread in self.skeleton.threads.ids().collect::<Vec<_>>() {
            let index = thread.index() as u64 + 1;
            if known.as_ref().is_some_and(|known| !known.iter().any(|&known| u64::from(known) == index)) {
                continue;
            }
            let constant = self.terms.bits(Bits::from_u64(self.terms.width(number.bits), index));
            let is_it = self.terms.eq(number.bits, constant);
            if self.terms.as_bool(is_it) != Some(false) {
                threads.push((thread, is_it));
            }
        }
        threads
    }

    pub(crate) fn join(
        &mut self,
        state: &mut State,
        dst: Option<LocalId>,
        thread: &Expr,
        locals: Vec<(LocalId, Value)>,
    ) {
        let number = self.eval(state, thread);
        let threads = self.threads_of(number);
        let is_done = |thread: ThreadId| self.skeleton.threads[thread].start.is_some() && !self.is_running(thread);
        // The threads that the first thread joins were mostly started by itself, or by others executed by then.
        let is_open = matches!(self.candidates(number.bits), Candidates::Open);
        let is_firsts = is_open && state.thread.index() == 0;
        let is_whole = self.skeleton.past.is_none() && self.model.is_sequentially_consistent();
        if is_whole && !is_firsts && (threads.is_empty() || threads.iter().any(|&(thread, _)| !is_done(thread))) {
            self.join_late(state, dst, number, locals);
            return;
        }
        let known = self.terms.or(threads.iter().map(|(_, is_it)| *is_it).collect::<Vec<_>>());
        let unknown = self.terms.not(known);
        self.unless(unknown, ReasonKind::Unsupported, "a thread whose number is not known is joined");
        for &(thread, is_it) in &threads {
            let is_done = self.skeleton.threads[thread].start.is_some() && !self.is_running(thread);
            if !is_done {
                let detail = "a thread is joined that is not known to have been started before";
                self.unless(is_it, ReasonKind::Unsupported, detail);
            }
        }
        self.settle(state);
        if self.is_dead(state) {
            return;
        }
        // The thread passes only if the other one has ended.
        let passed = self.goes_on("joined");
        let mut cases = Vec::new();
        let mut result: Option<Value> = None;
        for &(thread, is_it) in &threads {
            let Some(exit) = self.skeleton.threads[thread].exit.clone() else { continue };
            cases.push(self.terms.and2(is_it, exit.occurs));
            if let Some(value) = exit.result {
                result = Some(result.map_or(value, |other| value.or_else(self.terms, is_it, other)));
            }
        }
        let ended = self.terms.or(cases);
        self.wait_for_end(state, passed, ended);
        let occurs = self.terms.and2(state.condition, passed);
        let fact = self.terms.implies(passed, ended);
        self.skeleton.facts.push(fact);
        state.condition = occurs;
        if self.terms.as_bool(ended) == Some(false) {
            state.condition = self.terms.bool(false);
            return;
        }
        self.effect(state, occurs);
        let event = self.event(state, Kind::Mark, None, occurs, None, None);
        for &(thread, is_it) in &threads {
            let retires = self.terms.and2(occurs, is_it);
            self.retire(thread, retires, Some(event));
        }
        let join = self.skeleton.joins.len();
        self.skeleton.joins.push(Join { event, passed, threads });
        if let Some(dst) = dst {
            let ty = self.program.functions[self.at.0].locals[dst].ty;
            state.locals[dst.index()] = match result {
                Some(value) => Some(self.typed(value, ty)),
                None => Some(Value::constant(self.terms, self.width(ty), 0)),
            };
        }
        self.record(state, locals).join = Some(join);
    }

    fn retire(&mut self, thread: ThreadId, occurs: Term, event: Option<EventId>) {
        let at = self.span();
        self.skeleton.retired.entry(thread).or_default().push(Retirement { occurs, event, at });
    }

    /// Whether a thread is still being executed, so that its end is unknown.
    fn is_running(&self, thread: ThreadId) -> bool {
        self.running.contains(&thread)
    }

    pub(crate) fn detach(&mut self, state: &mut State, thread: &Expr, locals: Vec<(LocalId, Value)>) {
        let number = self.eval(state, thread);
        let threads = self.threads_of(number);
        let known = self.terms.or(threads.iter().map(|(_, is_it)| *is_it).collect::<Vec<_>>());
        let unknown = self.terms.not(known);
        self.unless(unknown, ReasonKind::Unsupported, "a thread whose number is not known is detached");
        self.settle(state);
        self.effect(state, state.condition);
        for (thread, is_it) in threads {
            let retires = self.terms.and2(state.condition, is_it);
            self.retire(thread, retires, None);
        }
        self.record(state, locals);
    }

    /// The first thread is about to start another one: the contents of shared objects become the initial state of the
    /// others.
    ///
    /// Every path of the first thread comes here at most once, and every event of any thread comes after it. So where
    /// several paths come here, their conditions are exclusive and select the contents.
    pub(crate) fn start_concurrency(&mut self, state: &mut State) {
        if !std::mem::replace(&mut state.is_alone, false) {
            return;
        }
        let memory = Rc::clone(&state.memory);
        for (&number, contents) in memory.iter() {
            let is_shared = self.skeleton.objects.get(number).is_some_and(|object| object.is_shared);
            let is_constant =
                self.skeleton.objects.get(number).is_some_and(|object| object.kind == super::objects::Kind::Constant);
            if !is_shared || is_constant && number & super::value::GHOST == 0 {
                continue;
            }
            for (&offset, &(bytes, value)) in &contents.cells {
                let cells = self.skeleton.initial.entry(number).or_default();
                let overlaps = |(&at, &(size, _)): (&u64, &(u64, Value))| {
                    at < offset + bytes && offset < at + size && (at, size) != (offset, bytes)
                };
                if cells.iter().any(overlaps) {
                    let always = self.terms.bool(true);
                    let detail = "shared memory is accessed in pieces of different sizes";
                    self.unless(always, ReasonKind::Unsupported, detail);
                    continue;
                }
                let old = cells.get(&offset).map(|(_, old)| *old).or_else(|| self.start(number, offset, bytes));
                let old = old.unwrap_or_else(|| self.never_written(bytes, value));
                let value = value.or_else(self.terms, state.condition, old);
                self.skeleton.initial.entry(number).or_default().insert(offset, (bytes, value));
            }
            let dead = self.terms.not(contents.is_live);
            if self.terms.as_bool(dead) != Some(false) {
                let dead = self.terms.and2(state.condition, dead);
                let before = self.skeleton.dead.get(&number).copied();
                let dead = before.map_or(dead, |before| self.terms.or2(before, dead));
                self.skeleton.dead.insert(number, dead);
            }
            Rc::make_mut(&mut state.memory).remove(&number);
        }
    }

    /// The contents of memory with arbitrary contents on paths that did not write to it, where others wrote `like`.
    fn never_written(&mut self, bytes: u64, like: Value) -> Value {
        let bits = fresh(self.terms, "never written", bytes as u32 * 8);
        let number = if like.is_plain(self.terms) { 0 } else { ARBITRARY };
        Value { object: self.terms.number(OBJECT_BITS, u64::from(number)), bits }
    }

    pub(crate) fn begin_region(&mut self, state: &mut State, is_fence: bool, locals: Vec<(LocalId, Value)>) {
        // Another thread may be started in a region: from there on regions must be recorded.
        self.start_concurrency(state);
        self.settle(state);
        match &mut state.region {
            Some((_, depth)) => *depth += 1,
            None => {
                // Another thread may stay in a region for ever, and so keep this one from beginning its own.
                let passed = self.goes_on("begun");
                state.condition = self.terms.and2(state.condition, passed);
                let begin = self.event(state, Kind::Mark, None, state.condition, None, None);
                let (ends, events, violated) = (Vec::new(), Vec::new(), Vec::new());
                let region = Region { thread: state.thread, begin, ends, events, is_fence, violated };
                let region = self.skeleton.regions.push(region);
                state.region = Some((region, 1));
            }
        }
        self.record(state, locals);
    }

    pub(crate) fn end_region(&mut self, state: &mut State, locals: Vec<(LocalId, Value)>) {
        match &mut state.region {
            Some((_, depth)) if *depth > 1 => *depth -= 1,
            Some((region, _)) => {
                let region = *region;
                state.region = None;
                let end = self.event(state, Kind::Mark, None, state.condition, None, None);
                self.skeleton.regions[region].ends.push(end);
            }
            None => {}
        }
        self.record(state, locals);
    }
}
