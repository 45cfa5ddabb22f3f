//! Function summaries (Sinha and Wang, FSE 2010, section 4): a function is executed once, with variables for what a call
//! gives it, and each call is an instance of what came out ([`super::instance`]): events, steps, order, results, violations,
//! gaps, waits.
//!
//! What a call gives: the path condition, the number of the thread, the numbers that are its arguments, the events before
//! it, the acquisitions of the locks held, the atomic region. All these are variables or stand-ins in a summary. What is no
//! number is part of the [`Key`] instead, so a function has a summary for each: the objects that arguments point to, which
//! locks are held, whether in a region. Loops are unrolled in the summary, and what was cut there is cut in each instance.
//!
//! Deviations. The aim is exactly the events that an execution of the call would make. Where a constant makes a difference
//! to more than the terms (the place of a lock, a loop that it bounds) a summary is *rough*, and calls with constants
//! have summaries for these very arguments. Summaries of functions that make events, and such special ones, are made at the
//! second call, since many functions are called but once.
//!
//! Executed at each call: functions that allocate, free, copy or set memory, use what each thread has of its own, start,
//! join or end threads, or call themselves; and by the first attempt to make a summary, calls that touch memory of the
//! thread's own (its contents are part of the caller's state) or compare pointers to it. Until the first thread is
//! started all memory is of that kind.

use super::control::Control;
use super::events::{Event, EventId, Kind, Region, RegionId, Skeleton, Thread, ThreadId};
use super::execute::Execution;
use super::state::{Held, LockCell, State};
use super::value::{Value, OBJECT_BITS};
use base::{Id, IdVec};
use check::ReasonKind;
use ir::analysis::{Memory, PointsTo};
use ir::{Callee, Expr, Function, FunctionId, ObjectKind, Order, Program, Stmt, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use smt::{Sort, Term};
use std::rc::Rc;

/// What is known of a function that can be summarised, with all it calls.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Traits {
    pub(crate) has_loops: bool,
    /// Whether it may make events.
    pub(crate) has_accesses: bool,
    pub(crate) has_locks: bool,
}

impl Traits {
    fn or(self, other: Traits) -> Traits {
        Traits {
            has_loops: self.has_loops || other.has_loops,
            has_accesses: self.has_accesses || other.has_accesses,
            has_locks: self.has_locks || other.has_locks,
        }
    }
}

/// The functions that can be summarised.
pub(crate) fn summarisable(
    program: &Program,
    points_to: &PointsTo,
    ending: &FxHashSet<FunctionId>,
) -> FxHashMap<FunctionId, Traits> {
    let mut open: Vec<(FunctionId, Traits, Vec<FunctionId>)> = Vec::new();
    for (function, code) in program.functions.enumerate() {
        if let Some((traits, callees)) = own_traits(program, function, code, points_to) {
            open.push((function, traits, callees));
        }
    }
    // Callees first: functions that call themselves are never added.
    let mut found: FxHashMap<FunctionId, Traits> = FxHashMap::default();
    loop {
        let is_ready = |(_, _, callees): &(_, _, Vec<FunctionId>)| callees.iter().all(|it| found.contains_key(it));
        let (ready, rest): (Vec<_>, Vec<_>) = open.into_iter().partition(is_ready);
        open = rest;
        if ready.is_empty() {
            return found;
        }
        for (function, own, callees) in ready {
            let control = Control::new(&program.functions[function], ending);
            if !control.is_irreducible {
                let has_loops = control.heads().next().is_some();
                let of_callees = callees.iter().fold(own, |all, callee| all.or(found[callee]));
                found.insert(function, of_callees.or(Traits { has_loops, ..Traits::default() }));
            }
        }
    }
}

/// What the statements of a function tell, and the functions it calls; `None` if it has one that no summary has.
fn own_traits(
    program: &Program,
    function: FunctionId,
    code: &Function,
    points_to: &PointsTo,
) -> Option<(Traits, Vec<FunctionId>)> {
    let (mut traits, mut callees) = (Traits::default(), Vec::new());
    for edge in code.edges.iter() {
        match &edge.stmt {
            Stmt::Skip
            | Stmt::Assign { .. }
            | Stmt::Havoc { .. }
            | Stmt::Assume(_)
            | Stmt::Assert { .. }
            | Stmt::Return(_)
            | Stmt::Exit
            | Stmt::Unmodelled(_) => {}
            Stmt::Call { callee: Callee::Direct(callee), .. } => callees.push(*callee),
            Stmt::Call { callee: Callee::Indirect(expr), .. } => {
                callees.extend(points_to.pointees(function, expr).functions);
            }
            Stmt::Load { .. }
            | Stmt::Store { .. }
            | Stmt::Rmw { .. }
            | Stmt::CompareExchange { .. }
            | Stmt::Fence(_)
            | Stmt::Await { .. }
            | Stmt::AtomicBegin { .. }
            | Stmt::AtomicEnd { .. } => traits.has_accesses = true,
            Stmt::Lock { .. } | Stmt::Unlock { .. } => {
                traits = Traits { has_accesses: true, has_locks: true, ..traits };
            }
            Stmt::Copy { .. }
            | Stmt::Set { .. }
            | Stmt::Alloc { .. }
            | Stmt::Free { .. }
            | Stmt::Expire { .. }
            | Stmt::NewThread { .. }
            | Stmt::Spawn { .. }
            | Stmt::Join { .. }
            | Stmt::Detach { .. }
            | Stmt::ExitThread(_) => return None,
        }
        if edge.stmt.exprs().into_iter().any(|expr| has_thread_local(program, expr)) {
            return None;
        }
    }
    Some((traits, callees))
}

/// Whether an expression names an object that each thread has for itself.
fn has_thread_local(program: &Program, expr: &Expr) -> bool {
    let mut found = false;
    expr.for_each(&mut |part| {
        if let Expr::Object(object) = part {
            found |= program.objects[*object].kind == ObjectKind::ThreadLocal;
        }
    });
    found
}

/// What tells the summaries of a function apart.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key {
    function: FunctionId,
    /// For each argument the object, and the number or offset where a variable does not do.
    args: Vec<(Term, Option<Term>)>,
    /// The number of the thread, where a variable does not do.
    thread: Option<Term>,
    /// The locks that may be held, and which acquisitions are certain.
    held: Vec<(LockCell, Vec<bool>)>,
    /// How deep in an atomic region.
    region: Option<u32>,
    is_alone: bool,
}

/// What is known about calls with a key.
#[derive(Debug)]
pub(crate) enum Known {
    /// There was one.
    Called,
    /// They are instances of this.
    Summary(Rc<Summary>),
    /// They must be executed.
    Executed,
    /// A summary would be much longer than an execution that knows the arguments.
    TooLong,
}

/// A summary has at most so many steps, and so many more for each so many that the thread has anyway.
const MAX_STEPS: usize = 1000;
const SHARE_OF_STEPS: usize = 4;

/// What a call does.
#[derive(Debug)]
pub(crate) struct Summary {
    /// The path condition of the call.
    pub(super) entry: Term,
    /// The arguments that are variables.
    pub(super) params: Vec<Option<Term>>,
    /// The number of the thread, where it is a variable that matters.
    pub(super) thread: Option<Term>,
    /// The conditions of the acquisitions before the call, in order.
    pub(super) held: Vec<Term>,
    /// The other variables in it, which each call has for itself: inputs, what was read, what has no value yet.
    pub(super) fresh: Vec<Term>,
    /// Events, steps and so on. The first event stands for those before the call, the next ones for the acquisitions of the
    /// locks held; the first region for that around the call, if there is one. The only thread is that of the call.
    pub(super) body: Skeleton,
    /// Gaps that are told at the place of the call, by number.
    pub(super) of_caller: FxHashSet<usize>,
    /// Gaps that depend on the numbers given, and that an execution that knows them may not have.
    pub(super) doubtful: Vec<usize>,
    pub(super) exit: Option<Exit>,
    /// Whether calls with constants for variables may make other events.
    pub(super) is_rough: bool,
    pub(super) has_accesses: bool,
    /// Pointers that might point to memory of the thread's own: to what, and what that was.
    pub(super) open: Vec<Open>,
}

/// What a pointer may point to, and the numbers of those that are no shared memory.
pub(crate) type Open = (Vec<(Memory, bool)>, Vec<u16>);

/// Where the function returns.
#[derive(Clone, Debug)]
pub(super) struct Exit {
    pub(super) condition: Term,
    pub(super) returned: Vec<Value>,
    pub(super) last: SmallVec<[EventId; 2]>,
    pub(super) held: Held,
    pub(super) region: Option<(RegionId, u32)>,
    /// When the call has had an effect.
    pub(super) effect: Term,
}

impl Exit {
    pub(super) fn for_each_term(&mut self, change: &mut impl FnMut(&mut Term)) {
        change(&mut self.condition);
        self.returned.iter_mut().for_each(|value| value.for_each_term(change));
        let held = Rc::make_mut(&mut self.held);
        held.values_mut().flatten().for_each(|(_, condition)| change(condition));
        change(&mut self.effect);
    }
}

/// A summary that is being made.
#[derive(Debug)]
pub(crate) struct Making {
    /// Where in the stack of calls the function is.
    pub(super) base: usize,
    /// The number of the thread.
    pub(super) thread: Term,
    /// Whether the function touches what summaries do not tell.
    pub(super) is_given_up: bool,
    is_rough: bool,
    /// How many steps it may have.
    most_steps: usize,
    is_too_long: bool,
    pub(super) open: Vec<Open>,
    pub(super) of_caller: FxHashSet<usize>,
}

/// The variables of a summary.
struct Variables {
    args: Vec<Value>,
    params: Vec<Option<Term>>,
    /// The number of the thread.
    thread: Term,
    held: Vec<Term>,
    entry: Term,
}

impl Execution<'_> {
    /// What a call of a function does instead of an execution, where that is known: `None` if it must be executed. `Some(None)`
    /// if it does not return.
    pub(crate) fn instantiate(&mut self, function: FunctionId, args: &[Value], state: &State) -> Option<Option<State>> {
        let traits = *self.analyses.summarisable.get(&function).filter(|_| self.has_summaries)?;
        let arity = self.program.functions[function].params.len();
        // What ends a thread is not only what its function does. What lies in a buffer or goes with a fence under other models
        // is not in summaries.
        // Which invocation an access is in, instances do not tell.
        let has_events =
            self.model.is_sequentially_consistent() && !state.is_alone && self.property != ir::Property::Atomicity;
        if self.frames.is_empty() || args.len() != arity || traits.has_accesses && !has_events {
            return None;
        }
        let general = self.key(function, args, state, traits, false);
        let is_constant = |bits: Term| self.terms.as_bits(bits).is_some();
        let has_constants =
            general.args.iter().zip(args).any(|((_, bits), arg)| bits.is_none() && is_constant(arg.bits));
        if !matches!(self.summaries.get(&general), Some(Known::TooLong)) {
            // A constant may tell how often a loop is gone through.
            let is_eager = !(traits.has_accesses || traits.has_loops && has_constants);
            let summary = self.summary(&general, state, traits, is_eager)?;
            let is_exact = !(summary.is_rough && (has_constants || summary.thread.is_some()));
            if let Some(exit) = is_exact.then(|| self.instance(&summary, args, state)).flatten() {
                return Some(exit);
            }
        }
        let special = self.key(function, args, state, traits, true);
        let summary = self.summary(&special, state, traits, false)?;
        self.instance(&summary, args, state)
    }

    /// The key of a call; `is_special`: with all numbers given.
    fn key(&mut self, function: FunctionId, args: &[Value], state: &State, traits: Traits, is_special: bool) -> Key {
        let thread = is_special.then(|| self.thread_number(state));
        let code = &self.program.functions[function];
        let of = |(arg, param): (&Value, &ir::LocalId)| {
            let constant = self.terms.as_bits(arg.bits);
            let is_pointer = !arg.is_plain(self.terms) || code.locals[*param].ty == Type::Ptr;
            // Where locks are is part of the state.
            let is_place = is_pointer && (traits.has_locks || constant.is_some_and(smt::Bits::is_zero));
            (arg.object, (is_special || is_place && constant.is_some()).then_some(arg.bits))
        };
        let certain = |acquisitions: &[(EventId, Term)]| {
            acquisitions.iter().map(|(_, condition)| self.terms.as_bool(*condition) == Some(true)).collect()
        };
        let held = state.held.iter().filter(|_| traits.has_accesses);
        Key {
            function,
            args: args.iter().zip(&code.params).map(of).collect(),
            thread,
            held: held.map(|(cell, acquisitions)| (*cell, certain(acquisitions))).collect(),
            region: state.region.map(|(_, depth)| depth),
            is_alone: state.is_alone,
        }
    }

    /// The summary of calls with a key, which is made at the first one if `is_eager`, else at the second. `None` if there is none.
    fn summary(&mut self, key: &Key, caller: &State, traits: Traits, is_eager: bool) -> Option<Rc<Summary>> {
        match self.summaries.get(key) {
            Some(Known::Summary(summary)) => return Some(Rc::clone(summary)),
            Some(Known::Executed | Known::TooLong) => return None,
            None if !is_eager => {
                self.summaries.insert(key.clone(), Known::Called);
                return None;
            }
            Some(Known::Called) | None => {}
        }
        let made = self.summarise(key, caller, traits);
        let summary = match &made {
            Known::Summary(summary) => Some(Rc::clone(summary)),
            Known::Called | Known::Executed | Known::TooLong => None,
        };
        self.summaries.insert(key.clone(), made);
        summary
    }

    /// Gives up the summary that is being made.
    pub(crate) fn give_up_summary(&mut self) {
        if let Some(making) = &mut self.making {
            making.is_given_up = true;
        }
    }

    /// Calls with constants may differ from the summary that is being made.
    pub(crate) fn note_rough(&mut self) {
        if let Some(making) = &mut self.making {
            making.is_rough = true;
        }
    }

    /// Gives up the summary that is being made if it has become too long.
    pub(crate) fn check_length(&mut self, state: &State) {
        let steps = self.skeleton.threads[state.thread].steps.len();
        if let Some(making) = self.making.as_mut().filter(|making| steps > making.most_steps) {
            (making.is_given_up, making.is_too_long) = (true, true);
        }
    }

    /// The number of the thread in progress.
    pub(crate) fn thread_number(&mut self, state: &State) -> Term {
        match &self.making {
            Some(making) => making.thread,
            None => self.terms.number(self.pointer_width(), state.thread.index() as u64 + 1),
        }
    }

    fn variables(&mut self, key: &Key) -> Variables {
        let code = &self.program.functions[key.function];
        let (mut args, mut params) = (Vec::new(), Vec::new());
        for (&param, &(object, bits)) in code.params.iter().zip(&key.args) {
            let (width, name) = (self.width(code.locals[param].ty), code.locals[param].name.clone());
            let variable = bits.is_none().then(|| self.terms.variable(name, Sort::Bits(width)));
            params.push(variable);
            let bits = bits.or(variable).expect("an argument should be given or a variable");
            args.push(Value { object, bits });
        }
        let width = self.pointer_width();
        let thread = key.thread.unwrap_or_else(|| self.terms.variable("thread", Sort::Bits(width)));
        let acquisitions = key.held.iter().flat_map(|(_, certain)| certain);
        let held = acquisitions.map(|_| self.terms.variable("held", Sort::Bool)).collect();
        // The last one: what is made in the function comes after it.
        let entry = self.terms.variable("call", Sort::Bool);
        Variables { args, params, thread, held, entry }
    }

    /// What stands for the state before a call, and the events and the region that it mentions.
    fn stand_ins(&mut self, key: &Key, caller: &State, variables: &Variables) -> (State, Skeleton) {
        let mut body = Skeleton::default();
        body.threads.push(Thread::default());
        let before = body.events.push(self.stand_in(caller.thread, variables.entry));
        let mut state = caller.clone();
        state.condition = variables.entry;
        state.last = SmallVec::from_slice(&[before]);
        state.effects = SmallVec::from_slice(&[self.terms.bool(false)]);
        let (mut held, mut conditions) = (std::collections::BTreeMap::new(), variables.held.iter());
        for (cell, certain) in &key.held {
            let mut acquisitions = Vec::new();
            for (&is_certain, &condition) in certain.iter().zip(conditions.by_ref()) {
                let event = body.events.push(self.stand_in(caller.thread, variables.entry));
                acquisitions.push((event, if is_certain { self.terms.bool(true) } else { condition }));
            }
            held.insert(*cell, acquisitions);
        }
        state.held = Rc::new(held);
        if let Some(depth) = key.region {
            let (thread, empty) = (caller.thread, Vec::new());
            let around =
                Region { thread, begin: before, ends: vec![], events: vec![], is_fence: true, violated: empty };
            state.region = Some((body.regions.push(around), depth));
        }
        (state, body)
    }

    fn stand_in(&mut self, thread: ThreadId, occurs: Term) -> Event {
        let null = Value { object: self.terms.number(OBJECT_BITS, 0), bits: self.terms.number(OBJECT_BITS, 0) };
        Event {
            is_ghost: false,
            is_race_free: true,
            thread,
            kind: Kind::Mark,
            occurs,
            location: null,
            bytes: 0,
            read: None,
            write: None,
            orders: (Order::Plain, Order::Plain),
            after: SmallVec::new(),
            held: SmallVec::new(),
            targets: None,
            at: self.span(),
        }
    }

    /// Executes a function with variables for what a call gives it, into a skeleton of its own.
    fn summarise(&mut self, key: &Key, caller: &State, traits: Traits) -> Known {
        let variables = self.variables(key);
        let (state, mut body) = self.stand_ins(key, caller, &variables);
        let making = Making {
            base: self.frames.len(),
            thread: variables.thread,
            is_given_up: false,
            is_rough: false,
            most_steps: MAX_STEPS + self.skeleton.threads[caller.thread].steps.len() / SHARE_OF_STEPS,
            is_too_long: false,
            open: Vec::new(),
            of_caller: FxHashSet::default(),
        };
        self.exchange(&mut body, caller.thread);
        let outer = self.making.replace(making);
        let calls = self.skeleton.summarised_calls;
        let exit = self.execute_call(key.function, &variables.args, state);
        let made = std::mem::replace(&mut self.making, outer);
        self.exchange(&mut body, caller.thread);
        // A summary may have more events than an execution that knows the arguments.
        if self.stopped.as_ref().is_some_and(|reason| reason.kind.is_bound()) {
            self.stopped = None;
            self.skeleton.summarised_calls = calls;
            return Known::TooLong;
        }
        let made = match made {
            Some(made) if !made.is_given_up && self.stopped.is_none() => made,
            given_up => {
                self.skeleton.summarised_calls = calls;
                let is_too_long = given_up.is_some_and(|making| making.is_too_long);
                return if is_too_long { Known::TooLong } else { Known::Executed };
            }
        };
        let exit = exit.map(|exit| Exit {
            condition: exit.condition,
            returned: exit.returned,
            last: exit.last,
            held: exit.held,
            region: exit.region,
            effect: exit.effects.first().copied().unwrap_or(exit.condition),
        });
        Known::Summary(Rc::new(self.finish(key, variables, made, body, exit, traits)))
    }

    fn finish(
        &mut self,
        key: &Key,
        variables: Variables,
        made: Making,
        mut body: Skeleton,
        mut exit: Option<Exit>,
        traits: Traits,
    ) -> Summary {
        let mut roots = Vec::new();
        body.for_each_term(&mut |term| roots.push(*term));
        if let Some(exit) = &mut exit {
            exit.for_each_term(&mut |term| roots.push(*term));
        }
        let all = self.terms.variables(&roots);
        let thread = Some(variables.thread).filter(|thread| key.thread.is_none() && all.contains(thread));
        let given: Vec<Term> = variables.params.iter().flatten().copied().chain(thread).collect();
        let is_cut = |kind: ReasonKind| kind.is_bound() || kind == ReasonKind::Unsupported;
        let depends = |occurs: Term| self.terms.variables(&[occurs]).iter().any(|variable| given.contains(variable));
        let gaps = body.gaps.iter().enumerate();
        let doubtful: Vec<usize> =
            gaps.filter(|(_, gap)| is_cut(gap.kind) && depends(gap.occurs)).map(|(index, _)| index).collect();
        Summary {
            entry: variables.entry,
            params: variables.params,
            thread,
            held: variables.held,
            fresh: all.into_iter().filter(|&variable| variable > variables.entry).collect(),
            body,
            of_caller: made.of_caller,
            is_rough: made.is_rough || !doubtful.is_empty(),
            doubtful,
            exit,
            has_accesses: traits.has_accesses,
            open: made.open,
        }
    }

    /// Puts what an execution adds to the skeleton elsewhere, or back.
    fn exchange(&mut self, body: &mut Skeleton, thread: ThreadId) {
        let own = &mut self.skeleton;
        std::mem::swap(&mut own.events, &mut body.events);
        std::mem::swap(&mut own.regions, &mut body.regions);
        std::mem::swap(&mut own.violations, &mut body.violations);
        std::mem::swap(&mut own.waits, &mut body.waits);
        std::mem::swap(&mut own.blocks, &mut body.blocks);
        std::mem::swap(&mut own.gaps, &mut body.gaps);
        std::mem::swap(&mut own.facts, &mut body.facts);
        std::mem::swap(&mut own.compared, &mut body.compared);
        std::mem::swap(&mut own.compared_threads, &mut body.compared_threads);
        let only = &mut body.threads[ThreadId::new(0)];
        std::mem::swap(&mut own.threads[thread].steps, &mut only.steps);
    }
}

/// The events of a summary by what they are in an instance.
pub(super) type Images = IdVec<EventId, SmallVec<[EventId; 2]>>;
