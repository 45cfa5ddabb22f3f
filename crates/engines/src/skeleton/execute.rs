//! Stage 1: symbolic execution of every thread over its unrolled control-flow graph (Sinha and Wang, FSE 2010, section
//! 4).
//!
//! States wait in a worklist ordered by position ([`super::control`]) and are merged where they meet, so each location
//! is processed once per combination of iterations. Calls are executed in place: an execution takes an input state and
//! returns an exit state. Threads are executed where they are started.
//!
//! Deviations: not all functions have summaries ([`super::summary`]). Until the first thread is started nothing makes
//! an event; the memory that the first thread has written by then is the initial state of the rest. An iteration that
//! no path leaves does not count against the bound, unless that is strict: loops with constant trip counts are unrolled
//! completely.
//!
//! Limits: cycles with two entries are a gap.

use super::control::{ending, Control, Position};
use super::events::{EventId, Gap, Skeleton, Step, ThreadId, Violation};
use super::pairs::Invocations;
use super::spin::{conditions, watched, Snapshot};
use super::state::State;
use super::summary::{summarisable, Key, Known, Making, Traits};
use super::value::{join, Value};
use base::{Budget, Id, IdVec, Span};
use check::{Reason, ReasonKind, Task};
use ir::analysis::{self, concurrent_seq_cst, AtomicPairs, Escape, Memory, PointsTo};
use ir::{EdgeId, Expr, FunctionId, LocId, LocalId, MemoryModel, Program, Property, RaceFree, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use smt::{Sort, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Results of program analyses, independent of bounds.
pub(crate) struct Analyses {
    points_to: PointsTo,
    escape: Escape,
    /// Memory with non-atomic accesses; `None`: anything.
    plain: Option<FxHashSet<Memory>>,
    /// Memory with a condition variable as its ghost.
    conditions: FxHashSet<Memory>,
    /// Memory with an observed lock as its ghost; `None`: anything.
    watched: Option<FxHashSet<Memory>>,
    /// The seq_cst accesses that weaker ones may be mixed with. Only under `ra`.
    pub(crate) seq_cst: BTreeSet<(FunctionId, EdgeId)>,
    /// Accesses proved to race with nothing.
    pub(crate) race_free: RaceFree,
    /// Functions that may end the thread.
    pub(crate) ending: FxHashSet<FunctionId>,
    /// Functions that can be summarised.
    pub(crate) summarisable: FxHashMap<FunctionId, Traits>,
    /// The accesses that should be atomic, if that is in question.
    pub(crate) pairs: Option<AtomicPairs>,
    /// The memory that these pairs may access; `None`: anything.
    paired: Option<FxHashSet<Memory>>,
}

impl Analyses {
    pub(crate) fn new(program: &Program) -> Analyses {
        let (points_to, _, parallel, escape) = analysis::Analyses::new(program).into_parts();
        let plain = plain_memory(program, &points_to);
        let conditions = conditions(program, &points_to, &parallel);
        let watched = watched(program, &points_to, &parallel);
        let ending = ending(program);
        let summarisable = summarisable(program, &points_to, &ending);
        Analyses {
            points_to,
            escape,
            plain,
            conditions,
            watched,
            seq_cst: BTreeSet::new(),
            race_free: RaceFree::default(),
            ending,
            summarisable,
            pairs: None,
            paired: None,
        }
    }

    /// The analyses of a task, with those that only its property needs.
    pub(crate) fn of(task: &Task<'_>) -> Result<Analyses, Reason> {
        let mut analyses = Analyses { race_free: task.race_free.clone(), ..Analyses::new(task.program) };
        if task.model.strengthens_atomics() {
            analyses.seq_cst = concurrent_seq_cst(task.program);
        }
        if task.property == Property::Atomicity {
            let pairs = AtomicPairs::new(task.program, &task.options.atomic_regions);
            let pairs = pairs.map_err(|problem| Reason::new(ReasonKind::Unsupported, problem))?;
            analyses.paired = paired_memory(task.program, &analyses.points_to, &pairs);
            analyses.pairs = Some(pairs);
        }
        Ok(analyses)
    }

    /// Whether the lock in the ghost of this memory is observed other than by acquiring and releasing it.
    pub(crate) fn is_watched(&self, memory: Memory) -> bool {
        self.watched.as_ref().is_none_or(|watched| watched.contains(&memory))
    }

    /// Whether some accesses to this memory should be atomic pairs.
    pub(crate) fn is_paired(&self, memory: Memory) -> bool {
        self.paired.as_ref().is_none_or(|paired| paired.contains(&memory))
    }

    /// Whether some access to this memory is not atomic.
    pub(crate) fn is_plain(&self, memory: Memory) -> bool {
        self.plain.as_ref().is_none_or(|plain| plain.contains(&memory))
    }
}

/// The memory that the first access of an inferred pair may touch.
fn paired_memory(program: &Program, points_to: &PointsTo, pairs: &AtomicPairs) -> Option<FxHashSet<Memory>> {
    let mut paired = FxHashSet::default();
    for (function, edge) in pairs.firsts()? {
        for touch in program.functions[function].edges[edge].stmt.touches() {
            let pointees = points_to.pointees(function, touch.ptr);
            if pointees.is_unknown {
                return None;
            }
            paired.extend(pointees.objects.into_iter().map(|(memory, _)| memory));
        }
    }
    Some(paired)
}

/// The memory with non-atomic accesses.
fn plain_memory(program: &Program, points_to: &PointsTo) -> Option<FxHashSet<Memory>> {
    let mut plain = FxHashSet::default();
    for (function, code) in program.functions.enumerate() {
        for edge in code.edges.iter() {
            for touch in edge.stmt.touches().into_iter().filter(|touch| !touch.order.is_atomic()) {
                let pointees = points_to.pointees(function, touch.ptr);
                if pointees.is_unknown {
                    return None;
                }
                plain.extend(pointees.objects.into_iter().map(|(memory, _)| memory));
            }
        }
    }
    Some(plain)
}

/// The bounds of an execution.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    /// Maximum number of times that a loop's back edge is taken, and depth of recursion.
    pub(crate) iterations: u32,
    /// Whether iterations that no path leaves count, too.
    pub(crate) is_strict: bool,
    pub(crate) most_events: usize,
    /// Bounds of individual loops.
    pub(crate) loops: FxHashMap<(FunctionId, LocId), u32>,
    /// Whether functions are summarised where possible.
    pub(crate) summaries: bool,
}

/// Maximum number of iterations of one loop, even if certain.
const MAX_ITERATIONS: u32 = 100_000;
/// Maximum depth of calls.
const MAX_CALLS: usize = 400;

/// The state of stage 1.
pub(crate) struct Execution<'a> {
    pub(crate) program: &'a Program,
    pub(crate) terms: &'a mut Terms,
    pub(crate) skeleton: Skeleton,
    pub(crate) analyses: &'a Analyses,
    pub(crate) points_to: &'a PointsTo,
    pub(crate) escape: &'a Escape,
    pub(crate) conditions: &'a FxHashSet<Memory>,
    pub(crate) property: Property,
    pub(crate) model: MemoryModel,
    /// The values of inputs promised by the user.
    pub(crate) promised: Option<Vec<i128>>,
    pub(crate) most_events: usize,
    pub(crate) bound: u32,
    is_strict: bool,
    loop_bounds: FxHashMap<(FunctionId, LocId), u32>,
    budget: &'a Budget,
    polls: u32,
    controls: FxHashMap<FunctionId, Rc<Control>>,
    /// The call stack, with the call edges.
    pub(crate) frames: Vec<(FunctionId, EdgeId)>,
    /// The current invocations.
    pub(crate) invocations: Invocations,
    /// The current statement.
    pub(crate) at: (FunctionId, EdgeId),
    /// What keeps the current statement from being executed, under conditions.
    pub(crate) pending: Vec<(Term, Trouble)>,
    /// The events of the current statement.
    pub(crate) step_events: SmallVec<[EventId; 1]>,
    /// The ends of the current threads by `ExitThread`.
    pub(crate) exits: Vec<Vec<(State, Value)>>,
    /// The stack of threads being executed.
    pub(crate) running: Vec<ThreadId>,
    /// Joins of threads that may be executed later.
    pub(crate) late: Vec<super::late::LateJoin>,
    /// Why the execution was given up.
    pub(crate) stopped: Option<Reason>,
    holds_objects: FxHashMap<(FunctionId, LocalId), bool>,
    /// Which operands of an operation may be thread numbers, by its place in the program.
    pub(crate) uses_threads: FxHashMap<(FunctionId, *const Expr), [bool; 2]>,
    pub(crate) has_summaries: bool,
    /// The summaries of functions.
    pub(crate) summaries: FxHashMap<Key, Known>,
    /// The summary under construction.
    pub(crate) making: Option<Making>,
    /// Whether there are seq_cst accesses to shared memory, under `ra`.
    pub(crate) has_seq_cst: bool,
}

/// Why a statement is not executed.
pub(crate) enum Trouble {
    /// Behaviour is unknown.
    Gap(ReasonKind, String),
    /// It violates the property.
    Violation,
}

/// A state that waits at a location.
struct Waiting {
    loc: LocId,
    iterations: Vec<u32>,
    state: State,
}

/// The execution of one function's body.
pub(crate) struct Body {
    function: FunctionId,
    control: Rc<Control>,
    waiting: BTreeMap<Position, Waiting>,
    /// Iterations, by the position of the head, that some path left.
    is_left: FxHashSet<Position>,
    /// The states at the heads of loops, by position.
    pub(crate) heads: FxHashMap<Position, Snapshot>,
    /// When the iteration that led to a loop head had an effect, by the head's position.
    pub(crate) noise: FxHashMap<Position, Term>,
    /// Number of loops that enclose the call.
    loops: usize,
}

impl<'a> Execution<'a> {
    pub(crate) fn new(
        program: &'a Program,
        (property, model): (Property, MemoryModel),
        promised: Option<Vec<i128>>,
        analyses: &'a Analyses,
        bounds: &Bounds,
        terms: &'a mut Terms,
        budget: &'a Budget,
    ) -> Execution<'a> {
        Execution {
            program,
            terms,
            skeleton: Skeleton::default(),
            analyses,
            points_to: &analyses.points_to,
            escape: &analyses.escape,
            conditions: &analyses.conditions,
            property,
            model,
            promised,
            most_events: bounds.most_events,
            bound: bounds.iterations,
            is_strict: bounds.is_strict,
            loop_bounds: bounds.loops.clone(),
            budget,
            polls: 0,
            controls: FxHashMap::default(),
            frames: Vec::new(),
            invocations: Invocations::default(),
            at: (program.entry, EdgeId::new(0)),
            pending: Vec::new(),
            step_events: SmallVec::new(),
            exits: Vec::new(),
            running: Vec::new(),
            late: Vec::new(),
            stopped: None,
            holds_objects: FxHashMap::default(),
            uses_threads: FxHashMap::default(),
            has_summaries: bounds.summaries,
            summaries: FxHashMap::default(),
            making: None,
            has_seq_cst: false,
        }
    }

    /// Executes the whole program.
    pub(crate) fn run(mut self) -> Result<Skeleton, Reason> {
        self.run_main();
        self.fill_in_joins();
        self.find_pairs();
        // If nothing is seq_cst, or everything is, the model is exact.
        let has_seq_cst = self.has_seq_cst;
        self.skeleton.gaps.retain(|gap| has_seq_cst || gap.kind != ReasonKind::Mixed);
        match self.stopped {
            Some(reason) => Err(reason),
            None => Ok(self.skeleton),
        }
    }

    pub(crate) fn stop(&mut self, reason: Reason) {
        self.stopped.get_or_insert(reason);
    }

    fn poll(&mut self) {
        self.polls += 1;
        if self.polls.is_multiple_of(64) {
            if let Err(stop) = self.budget.check() {
                self.stop(Reason::from(stop));
            }
        }
    }

    /// The source position of the current statement.
    pub(crate) fn span(&self) -> Span {
        let own = self.program.functions[self.at.0].edges[self.at.1].span;
        self.users_span_here().unwrap_or(own)
    }

    /// The position in user code, as far as the calls in the summary under construction determine it.
    pub(crate) fn users_span_here(&self) -> Option<Span> {
        let base = self.making.as_ref().map_or(0, |making| making.base);
        let own = self.program.functions[self.at.0].edges[self.at.1].span;
        // Events inside a library function are located at its call in user code.
        let calls = self.frames[base..].windows(2).rev().map(|pair| (pair[0].0, pair[1].1));
        let spans = calls.map(|(function, edge)| self.program.functions[function].edges[edge].span);
        [own].into_iter().chain(spans).find(|span| self.program.is_users(*span))
    }

    /// Records whether the position of the next gap is determined by the call of the summarised function.
    pub(crate) fn note_place(&mut self) {
        let (is_own, next) = (self.users_span_here().is_some(), self.skeleton.gaps.len());
        if let Some(making) = self.making.as_mut().filter(|_| !is_own) {
            making.of_caller.insert(next);
        }
    }

    pub(crate) fn gap(&mut self, occurs: Term, kind: ReasonKind, detail: String) {
        if self.terms.as_bool(occurs) != Some(false) {
            self.note_place();
            let place = self.program.place(self.span());
            self.skeleton.gaps.push(Gap { occurs, kind, detail, place });
        }
    }

    /// Adds pending gaps and violations to the skeleton; the thread stops before them.
    pub(crate) fn settle(&mut self, state: &mut State) {
        for (condition, trouble) in std::mem::take(&mut self.pending) {
            let occurs = self.terms.and2(state.condition, condition);
            match trouble {
                Trouble::Gap(kind, detail) => self.gap(occurs, kind, detail),
                Trouble::Violation => self.fail(state, occurs),
            }
            let goes_on = self.terms.not(condition);
            state.condition = self.terms.and2(state.condition, goes_on);
        }
    }

    /// Under a condition, the current statement violates the property: a step of its own, without events.
    fn fail(&mut self, state: &mut State, occurs: Term) {
        if self.terms.as_bool(occurs) == Some(false) {
            return;
        }
        let program = self.program;
        let locals = self.mentioned(state, &program.functions[self.at.0].edges[self.at.1].stmt);
        let events = std::mem::take(&mut self.step_events);
        let mut stopped = state.clone();
        stopped.condition = occurs;
        self.record(&stopped, locals);
        self.step_events = events;
        self.violation(state, occurs);
    }

    /// Under a condition, the last step violates the property.
    pub(crate) fn violation(&mut self, state: &State, occurs: Term) {
        let step = self.skeleton.threads[state.thread].steps.len() - 1;
        self.skeleton.violations.push(Violation { occurs, thread: state.thread, step, is_before: false });
        if let Some((region, _)) = state.region {
            self.skeleton.regions[region].violated.push(occurs);
        }
    }

    /// A new variable that says whether the thread passes where it may wait.
    pub(crate) fn goes_on(&mut self, name: &str) -> Term {
        let passed = self.terms.variable(name, Sort::Bool);
        self.skeleton.waits.push(passed);
        passed
    }

    pub(crate) fn is_dead(&self, state: &State) -> bool {
        self.terms.as_bool(state.condition) == Some(false)
    }

    /// Whether a variable may hold a pointer, according to the points-to analysis.
    pub(crate) fn may_hold_object(&mut self, local: LocalId) -> bool {
        let key = (self.at.0, local);
        if let Some(&answer) = self.holds_objects.get(&key) {
            return answer;
        }
        let pointees = self.points_to.pointees(self.at.0, &Expr::Local(local));
        let answer = pointees.is_unknown || !pointees.objects.is_empty() || !pointees.functions.is_empty();
        self.holds_objects.insert(key, answer);
        answer
    }

    /// Records a step of the thread.
    pub(crate) fn record(&mut self, state: &State, locals: Vec<(LocalId, Value)>) -> &mut Step {
        let events = std::mem::take(&mut self.step_events);
        let step = Step {
            occurs: state.condition,
            at: self.at,
            events,
            locals,
            found: None,
            fails: None,
            wakes: None,
            makes: None,
            starts: None,
            join: None,
        };
        self.check_length(state);
        let steps = &mut self.skeleton.threads[state.thread].steps;
        steps.push(step);
        steps.last_mut().expect("a step was just added")
    }

    /// The values of the variables a statement mentions.
    pub(crate) fn mentioned(&mut self, state: &mut State, stmt: &Stmt) -> Vec<(LocalId, Value)> {
        let mut locals = Vec::new();
        for expr in stmt.exprs() {
            expr.for_each(&mut |part| {
                if let Expr::Local(local) = part {
                    locals.push(*local);
                }
            });
        }
        locals.sort_unstable();
        locals.dedup();
        // The results of a wait do not exist before it.
        let own = if let Stmt::Await { dst, spurious, .. } = stmt { vec![Some(*dst), *spurious] } else { vec![] };
        let before = locals.into_iter().filter(|local| !own.contains(&Some(*local)));
        before.map(|local| (local, self.local(state, local))).collect()
    }

    pub(crate) fn control(&mut self, function: FunctionId) -> Rc<Control> {
        let (code, ending) = (&self.program.functions[function], &self.analyses.ending);
        Rc::clone(self.controls.entry(function).or_insert_with(|| Rc::new(Control::new(code, ending))))
    }

    /// Performs a call by the current statement. `None` if it does not return.
    pub(crate) fn call(&mut self, function: FunctionId, args: &[Value], state: State) -> Option<State> {
        match self.instantiate(function, args, &state) {
            Some(exit) => exit,
            None => self.execute_call(function, args, state),
        }
    }

    /// The same, by execution instead of a summary.
    pub(crate) fn execute_call(&mut self, function: FunctionId, args: &[Value], mut state: State) -> Option<State> {
        let at = self.at;
        let depth = self.frames.iter().filter(|(other, _)| *other == function).count();
        if depth as u32 > self.bound || self.frames.len() > MAX_CALLS {
            let name = self.program.functions[function].name.clone();
            self.gap(state.condition, ReasonKind::Bound, format!("recursion of {name} was cut at the bound"));
            return None;
        }
        self.frames.push((function, at.1));
        self.invocations.enter();
        let caller = std::mem::take(&mut state.locals);
        let frame = std::mem::take(&mut state.frame);
        let below = std::mem::take(&mut state.below);
        state.below = below.iter().chain(&frame).copied().collect();
        let code = &self.program.functions[function];
        state.locals = vec![None; code.locals.len()];
        for (param, value) in code.params.iter().zip(args) {
            state.locals[param.index()] = Some(*value);
        }
        state.returned.clear();
        let exit = self.body(function, state);
        self.frames.pop();
        self.invocations.leave();
        self.at = at;
        exit.map(|mut exit| {
            exit.locals = caller;
            exit.frame = frame;
            exit.below = below;
            exit
        })
    }

    fn body(&mut self, function: FunctionId, mut state: State) -> Option<State> {
        let control = self.control(function);
        let entry = self.program.functions[function].entry;
        if control.is_irreducible {
            self.gap(state.condition, ReasonKind::Unsupported, "a loop that can be entered in two places".to_owned());
            return None;
        }
        let mut body = Body {
            function,
            control,
            waiting: BTreeMap::new(),
            is_left: FxHashSet::default(),
            heads: FxHashMap::default(),
            noise: FxHashMap::default(),
            loops: state.effects.len(),
        };
        let iterations = vec![0; body.control.nest[entry].len()];
        self.enter_loops(&mut state, body.loops, 0, iterations.len());
        self.arrive(&mut body, entry, iterations, state);
        let exit = self.program.functions[function].exit;
        let mut end = None;
        while let Some((_, waiting)) = body.waiting.pop_first() {
            self.poll();
            if self.stopped.is_some() || self.making.as_ref().is_some_and(|making| making.is_given_up) {
                return None;
            }
            if waiting.loc == exit {
                end = Some(waiting.state);
                continue;
            }
            self.leave(&mut body, waiting);
        }
        end
    }

    /// Follows the edges out of a location.
    fn leave(&mut self, body: &mut Body, waiting: Waiting) {
        let Waiting { loc, iterations, mut state } = waiting;
        let function = &self.program.functions[body.function];
        let edges = body.control.out[loc].clone();
        let [first, others @ ..] = edges.as_slice() else { return };
        if body.control.nest[loc].last() == Some(&loc) {
            let position = body.control.position(loc, &iterations);
            self.begin_iteration(body, position, &mut state);
        }
        self.at = (body.function, *first);
        if others.is_empty() {
            let edge = &function.edges[*first];
            let to = edge.to;
            if let Some(state) = self.execute(state, &edge.stmt) {
                self.follow(body, loc, to, &iterations, state);
            }
            return;
        }
        // All conditions are evaluated in one state, so that a variable without a value gets one for all of them.
        let mut conditions = Vec::new();
        for &edge in &edges {
            self.at.1 = edge;
            let Stmt::Assume(cond) = &function.edges[edge].stmt else { continue };
            let locals = self.mentioned(&mut state, &function.edges[edge].stmt);
            conditions.push((edge, self.holds(&mut state, cond), locals));
        }
        self.settle(&mut state);
        let mut otherwise = state.condition;
        for (edge, condition, locals) in conditions {
            self.at.1 = edge;
            let mut taken = state.clone();
            taken.condition = self.terms.and2(otherwise, condition);
            let not = self.terms.not(condition);
            otherwise = self.terms.and2(otherwise, not);
            if !self.is_dead(&taken) {
                self.record(&taken, locals);
                self.follow(body, loc, function.edges[edge].to, &iterations, taken);
            }
        }
    }

    /// Follows an edge, into and out of loops.
    fn follow(&mut self, body: &mut Body, from: LocId, to: LocId, iterations: &[u32], mut state: State) {
        if self.is_dead(&state) {
            return;
        }
        let control = Rc::clone(&body.control);
        let (old, new) = (&control.nest[from], &control.nest[to]);
        for (index, head) in old.iter().enumerate() {
            if !new.contains(head) && (control.returns[to] || to == self.program.functions[body.function].exit) {
                body.is_left.insert(control.position(*head, &iterations[..=index]));
            }
        }
        let mut counts = Vec::with_capacity(new.len());
        for (index, head) in new.iter().enumerate() {
            if old.get(index) != Some(head) {
                counts.push(0);
                continue;
            }
            if to != *head || index + 1 != new.len() {
                counts.push(iterations[index]);
                continue;
            }
            let position = control.position(*head, &iterations[..=index]);
            state.effects.truncate(body.loops + index + 1);
            let mut next = iterations[..=index].to_vec();
            next[index] += 1;
            let next = control.position(*head, &next);
            let is_live = |local| control.liveness.is_live(*head, LocalId::new(local));
            self.end_iteration(body, &position, next, is_live, &mut state);
            if self.is_dead(&state) {
                return;
            }
            if self.is_cut(body, *head, &iterations[..=index]) {
                self.cut(body, *head, state.condition);
                return;
            }
            counts.push(iterations[index] + 1);
        }
        let common = old.iter().zip(new).take_while(|(old, new)| old == new).count();
        self.enter_loops(&mut state, body.loops, common, new.len());
        self.arrive(body, to, counts, state);
    }

    /// Moves from a place in some loops to one in other loops, of which some are common.
    fn enter_loops(&mut self, state: &mut State, outer: usize, common: usize, all: usize) {
        let nothing = self.terms.bool(false);
        state.effects.truncate(outer + common);
        state.effects.resize(outer + all, nothing);
    }

    /// Cuts a loop, which is reported at the position where it begins.
    fn cut(&mut self, body: &Body, head: LocId, occurs: Term) {
        if self.terms.as_bool(occurs) == Some(false) {
            return;
        }
        let is_own = self.loop_bounds.contains_key(&(body.function, head));
        let (kind, detail) = match is_own {
            true => (ReasonKind::OwnBound, "a loop was cut at the bound given for it"),
            false => (ReasonKind::Bound, "a loop was cut at the bound"),
        };
        let span = body.control.loop_span(self.program, body.function, head).unwrap_or_else(|| {
            self.note_place();
            self.span()
        });
        let place = self.program.place(span);
        self.skeleton.gaps.push(Gap { occurs, kind, detail: detail.to_owned(), place });
    }

    /// Whether a further iteration of a loop is forbidden. Iterations that no path has left so far do not count, unless
    /// the bound is strict.
    fn is_cut(&mut self, body: &Body, head: LocId, iterations: &[u32]) -> bool {
        let last = iterations.last().copied().unwrap_or(0);
        let own = self.loop_bounds.get(&(body.function, head)).copied();
        let bound = own.unwrap_or(self.bound);
        if self.is_strict {
            return last >= bound;
        }
        let mut position = body.control.position(head, iterations);
        let index = position.len() - 2;
        let is_counted = |iteration: u32| {
            position[index] = iteration;
            !body.control.is_left[head] || body.is_left.contains(&position)
        };
        (0..=last).filter(|&iteration| iteration < MAX_ITERATIONS).map(is_counted).filter(|&it| it).count()
            > bound as usize
            || last >= MAX_ITERATIONS
    }

    /// Adds a state at a location, merging it with one that waits there.
    fn arrive(&mut self, body: &mut Body, loc: LocId, iterations: Vec<u32>, mut state: State) {
        for (local, value) in state.locals.iter_mut().enumerate() {
            if value.is_some() && !body.control.liveness.is_live(loc, LocalId::new(local)) {
                *value = None;
            }
        }
        let position = body.control.position(loc, &iterations);
        match body.waiting.remove(&position) {
            None => {
                body.waiting.insert(position, Waiting { loc, iterations, state });
            }
            Some(waiting) => {
                let merged = self.merge(waiting.state, state);
                body.waiting.insert(position, Waiting { loc, iterations, state: merged });
            }
        }
    }

    /// Merges the states of two paths that meet.
    pub(crate) fn merge(&mut self, mut a: State, mut b: State) -> State {
        if a.is_alone != b.is_alone {
            for state in [&mut a, &mut b] {
                if state.is_alone {
                    self.start_concurrency(state);
                }
            }
        }
        if a.region != b.region {
            self.note_rough();
            let detail = "an atomic region that begins or ends on one path only".to_owned();
            self.gap(b.condition, ReasonKind::Unsupported, detail);
            return a;
        }
        let (condition, telling) = join(self.terms, a.condition, b.condition);
        let types: IdVec<LocalId, ir::Type> =
            self.program.functions[self.at.0].locals.iter().map(|local| local.ty).collect();
        for index in 0..a.locals.len() {
            a.locals[index] = match (a.locals[index], b.locals[index]) {
                (None, None) => None,
                (Some(x), Some(y)) => Some(x.or_else(self.terms, telling, y)),
                (Some(x), None) => {
                    let other = self.arbitrary(types[LocalId::new(index)], "uninitialised");
                    Some(x.or_else(self.terms, telling, other))
                }
                (None, Some(y)) => {
                    let other = self.arbitrary(types[LocalId::new(index)], "uninitialised");
                    Some(other.or_else(self.terms, telling, y))
                }
            };
        }
        for index in 0..a.returned.len().min(b.returned.len()) {
            a.returned[index] = a.returned[index].or_else(self.terms, telling, b.returned[index]);
        }
        a.returned.truncate(b.returned.len());
        self.merge_memory(telling, &mut a, &mut b);
        self.merge_held(telling, &mut a, &b);
        for (effect, other) in a.effects.iter_mut().zip(&b.effects) {
            *effect = self.terms.or2(*effect, *other);
        }
        for event in b.last {
            if !a.last.contains(&event) {
                a.last.push(event);
            }
        }
        for object in b.frame {
            if !a.frame.contains(&object) {
                a.frame.push(object);
            }
        }
        a.has_stores |= b.has_stores;
        a.condition = condition;
        self.settle(&mut a);
        a
    }
}
