//! Function summaries (Sinha and Wang, FSE 2010, section 4): a function is executed once, with variables for the inputs
//! of a call, and each call is an instance of the result ([`super::instance`]): events, steps, order, results,
//! violations, gaps, waits.
//!
//! Inputs of a call: the path condition, the thread's number, numeric arguments, the events before it, the acquisitions
//! of held locks, the atomic region. All these are variables or stand-ins in a summary. Other inputs are part of the
//! [`Key`], so a function has a summary for each combination: the objects that arguments point to, the held locks,
//! whether in a region. Loops are unrolled in the summary, and a cut there is a cut in each instance.
//!
//! Deviations. An instance must have exactly the events of an execution of the call. Where a constant affects more than
//! the terms (the place of a lock, a loop bound) a summary is *rough*, and calls with constants have summaries
//! specialised to these arguments. Summaries of functions that make events, and specialised ones, are made at the
//! second call, since many functions are called only once.
//!
//! Executed at each call: functions that allocate, free, copy or set memory, use thread-local memory, start, join or
//! end threads, or are recursive; and, found by the first attempt to make a summary, calls that access private memory
//! (its contents are part of the caller's state) or compare pointers to it. Until the first thread is started all
//! memory is private.

use super::control::Control;
use super::events::{Event, EventId, Kind, Region, RegionId, Skeleton, Thread, ThreadId};
use super::execute::Execution;
use super::state::{Held, LockCell, State};
use super::value::{Value, OBJECT_BITS};
use base::{Id, IdVec};
use check::ReasonKind;
use ir::analysis::{Memory, PointsTo};
use ir::{Callee, Expr, Function, FunctionId, ObjectKind, Order, Program, Stmt, StmtKind, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use smt::{Sort, Term};
use std::rc::Rc;

/// What is known about a function that can be summarised, including its callees.
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
    // Callees first: recursive functions are never added.
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

/// The traits of a function's own statements, and its callees; `None` if some statement cannot be summarised.
fn own_traits(
    program: &Program,
    function: FunctionId,
    code: &Function,
    points_to: &PointsTo,
) -> Option<(Traits, Vec<FunctionId>)> {
    let (mut traits, mut callees) = (Traits::default(), Vec::new());
    for edge in code.edges.iter() {
        match edge.stmt.kind() {
            StmtKind::Local | StmtKind::Condition | StmtKind::End => {}
            StmtKind::Call => {
                if let Stmt::Call { callee, .. } = &edge.stmt {
                    match callee {
                        Callee::Direct(callee) => callees.push(*callee),
                        Callee::Indirect(expr) => callees.extend(points_to.pointees(function, expr).functions),
                    }
                }
            }
            StmtKind::Access | StmtKind::Fence | StmtKind::Region => traits.has_accesses = true,
            StmtKind::Lock => {
                let has_locks = traits.has_locks || !matches!(edge.stmt, Stmt::Await { .. });
                traits = Traits { has_accesses: true, has_locks, ..traits };
            }
            StmtKind::Range | StmtKind::Lifetime | StmtKind::Thread => return None,
        }
        if edge.stmt.exprs().into_iter().any(|expr| has_thread_local(program, expr)) {
            return None;
        }
    }
    Some((traits, callees))
}

/// Whether an expression names a thread-local object.
fn has_thread_local(program: &Program, expr: &Expr) -> bool {
    let mut found = false;
    expr.for_each(&mut |part| {
        if let Expr::Object(object) = part {
            found |= program.objects[*object].kind == ObjectKind::ThreadLocal;
        }
    });
    found
}

/// The key of a summary.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key {
    function: FunctionId,
    /// For each argument its object, and its number or offset if it must be constant.
    args: Vec<(Term, Option<Term>)>,
    /// The number of the thread, if it must be constant.
    thread: Option<Term>,
    /// The locks that may be held, and which acquisitions are certain.
    held: Vec<(LockCell, Vec<bool>)>,
    /// Nesting depth of atomic regions.
    region: Option<u32>,
    is_alone: bool,
}

/// What is known about calls with a key.
#[derive(Debug)]
pub(crate) enum Known {
    /// Called once.
    Called,
    /// Calls are instances of this.
    Summary(Rc<Summary>),
    /// Calls must be executed.
    Executed,
    /// A summary would be much longer than an execution with known arguments.
    TooLong,
}

/// Maximum number of steps of a summary; grows with the number of steps that the thread has anyway.
const MAX_STEPS: usize = 1000;
const SHARE_OF_STEPS: usize = 4;

/// The effect of a call.
#[derive(Debug)]
pub(crate) struct Summary {
    /// The path condition of the call.
    pub(super) entry: Term,
    /// The arguments that are variables.
    pub(super) params: Vec<Option<Term>>,
    /// The number of the thread, if it is a relevant variable.
    pub(super) thread: Option<Term>,
    /// The conditions of the acquisitions before the call, in order.
    pub(super) held: Vec<Term>,
    /// The other variables in it, renamed for each call: inputs, values read, uninitialised values.
    pub(super) fresh: Vec<Term>,
    /// Events, steps and so on. The first event stands for those before the call, the next ones for the acquisitions of
    /// held locks; the first region for the enclosing one, if there is one. The only thread is that of the call.
    pub(super) body: Skeleton,
    /// Gaps that are reported at the position of the call, by number.
    pub(super) of_caller: FxHashSet<usize>,
    /// Gaps that depend on numeric arguments, and may be absent from an execution that knows them.
    pub(super) doubtful: Vec<usize>,
    pub(super) exit: Option<Exit>,
    /// Whether calls with constants for variables may make other events.
    pub(super) is_rough: bool,
    pub(super) has_accesses: bool,
    /// Pointers that may point to private memory: their possible targets, and the private ones.
    pub(super) open: Vec<Open>,
}

/// The possible targets of a pointer, and the numbers of the private ones.
pub(crate) type Open = (Vec<(Memory, bool)>, Vec<u16>);

/// A return of the function.
#[derive(Clone, Debug)]
pub(super) struct Exit {
    pub(super) condition: Term,
    pub(super) returned: Vec<Value>,
    pub(super) last: SmallVec<[EventId; 2]>,
    pub(super) held: Held,
    pub(super) region: Option<(RegionId, u32)>,
    /// The condition under which the call has had an effect.
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

/// A summary under construction.
#[derive(Debug)]
pub(crate) struct Making {
    /// The depth of the function on the call stack.
    pub(super) base: usize,
    /// The number of the thread.
    pub(super) thread: Term,
    /// Whether the function uses something that summaries do not express.
    pub(super) is_given_up: bool,
    is_rough: bool,
    /// Maximum number of steps.
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
    /// Replaces a call by an instance, if possible: `None` if it must be executed, `Some(None)` if it does not return.
    pub(crate) fn instantiate(&mut self, function: FunctionId, args: &[Value], state: &State) -> Option<Option<State>> {
        let traits = *self.analyses.summarisable.get(&function).filter(|_| self.has_summaries)?;
        let arity = self.program.functions[function].params.len();
        // Thread ends affect more than the function. Stores in a buffer and fences under other models are not in
        // summaries. Instances do not record the invocation of an access.
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
            // A constant may determine the trip count of a loop.
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

    /// The key of a call; `is_special`: with all numeric arguments.
    fn key(&mut self, function: FunctionId, args: &[Value], state: &State, traits: Traits, is_special: bool) -> Key {
        let thread = is_special.then(|| self.thread_number(state));
        let code = &self.program.functions[function];
        let of = |(arg, param): (&Value, &ir::LocalId)| {
            let constant = self.terms.as_bits(arg.bits);
            let is_pointer = !arg.is_plain(self.terms) || code.locals[*param].ty == Type::Ptr;
            // The places of locks are part of the state.
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

    /// The summary of calls with a key, made at the first one if `is_eager`, otherwise at the second. `None` if there
    /// is none.
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

    /// Gives up the summary under construction.
    pub(crate) fn give_up_summary(&mut self) {
        if let Some(making) = &mut self.making {
            making.is_given_up = true;
        }
    }

    /// Calls with constants may differ from the summary under construction.
    pub(crate) fn note_rough(&mut self) {
        if let Some(making) = &mut self.making {
            making.is_rough = true;
        }
    }

    /// Gives up the summary under construction if it is too long.
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
        // Created last: everything made in the function has a greater number.
        let entry = self.terms.variable("call", Sort::Bool);
        Variables { args, params, thread, held, entry }
    }

    /// Stand-ins for the state before a call, and for the events and the region that it mentions.
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

    /// Executes a function with variables for the inputs of a call, into a skeleton of its own.
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
        // A summary may have more events than an execution with known arguments.
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

    /// Swaps the parts of the skeleton that an execution extends.
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

/// The image of each event of a summary in an instance.
pub(super) type Images = IdVec<EventId, SmallVec<[EventId; 2]>>;
