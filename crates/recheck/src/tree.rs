//! The executions of each thread on its own, as a tree: one path at a time, every branch taken both ways, nothing merged.
//! A path is a list of events, each of which occurs only if the one before it does; an execution of the program is
//! a prefix of one path per thread. So waiting needs no encoding of its own: the events of a waiting thread do not occur
//! past that point.
//!
//! Three shortcuts, all exact. While the first thread is alone it reads what it wrote. Objects that, once all trees are
//! built, turn out to be accessed by one thread only, at known places, are kept in that thread's path. Bytes of static
//! objects that turn out to be written only while the first thread was alone keep the values they had then. Trees are
//! rebuilt until these assumptions are stable ([`Knowledge`]). No analysis of the program is used.
//!
//! Loops are unrolled as the engine claims to have done: a back edge is taken up to the bound, not counting iterations
//! that this path could not have left. A path on which an iteration changed nothing ends: another path is the same
//! without that iteration. So loops that only wait need no bound.

use crate::deadlock::Stay;
use crate::loops::Loops;
use crate::memory::{Contents, Key, Object, Value};
use base::{define_id, Budget, IdVec, Span};
use check::ReasonKind;
use ir::{EdgeId, FunctionId, LocId, LocalId, ObjectId, Order, Program, Property, Stmt};
use smt::{Sort, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

define_id!(
    /// An event.
    EventId, "ev"
);

/// Maximum number of events.
const MAX_EVENTS: usize = 500;
/// Maximum number of steps of all paths together.
const MAX_STEPS: usize = 400_000;
/// Maximum depth of calls.
const MAX_CALLS: usize = 400;

/// The access of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) place: Value,
    pub(crate) bytes: u64,
    pub(crate) read: Option<Value>,
    /// Whether it writes, and the value.
    pub(crate) write: Option<(Term, Value)>,
}

/// An event.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) thread: usize,
    /// The variable that says whether the event occurs.
    pub(crate) occurs: Term,
    /// The preceding event; for the first event of a thread, the one that started the thread.
    pub(crate) before: Option<EventId>,
    pub(crate) access: Option<Access>,
    /// The object whose lifetime it ends.
    pub(crate) kills: Option<Term>,
    /// The memory orders of the statement; the second applies if nothing is written.
    pub(crate) orders: (Order, Order),
    pub(crate) is_in_region: bool,
    /// Whether it is a step of its thread: looks at the final state are not.
    pub(crate) is_step: bool,
    pub(crate) what: &'static str,
    pub(crate) at: Span,
}

/// An atomic region on a path; its end depends on the rest of the path.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub(crate) begin: EventId,
    pub(crate) ends: Vec<EventId>,
}

/// A join or detach.
#[derive(Clone, Debug)]
pub(crate) struct Join {
    pub(crate) event: EventId,
    /// Whether the thread reaches it.
    pub(crate) reached: Term,
    pub(crate) number: Term,
    /// The result of the joined thread; `None` for a detach.
    pub(crate) result: Option<Value>,
}

/// The end of a thread on one path.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub(crate) thread: usize,
    pub(crate) event: EventId,
    pub(crate) result: Value,
}

/// A condition past which nothing can be concluded.
#[derive(Clone, Debug)]
pub(crate) struct Gap {
    pub(crate) occurs: Term,
    pub(crate) kind: ReasonKind,
    pub(crate) detail: String,
    pub(crate) at: Span,
}

/// A function on the call stack.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) function: FunctionId,
    pub(crate) loc: LocId,
    pub(crate) locals: Vec<Option<Value>>,
    pub(crate) objects: Vec<u16>,
    /// The loops in progress, by head.
    loops: BTreeMap<LocId, Iteration>,
}

/// An iteration of a loop in progress.
#[derive(Clone, Debug, Default)]
struct Iteration {
    /// How many earlier iterations count towards the bound.
    counted: u32,
    /// Whether the path could have left the loop.
    could_leave: bool,
    /// The variables and the number of effects at its beginning.
    locals: Vec<Option<Value>>,
    effects: u32,
    /// The last event before it.
    last: Option<EventId>,
}

/// A path in progress.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub(crate) thread: usize,
    /// The steps so far are possible if this holds and the last event occurs.
    pub(crate) condition: Term,
    pub(crate) last: Option<EventId>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) memory: BTreeMap<u16, Contents>,
    /// Objects whose lifetime ended on this path.
    pub(crate) dead: BTreeSet<u16>,
    /// The numbers of threads that this path started.
    pub(crate) started: BTreeSet<usize>,
    /// How many changes outlasted an iteration: memory, threads, regions.
    pub(crate) effects: u32,
    /// The region in progress, and its nesting depth.
    pub(crate) region: Option<(usize, u32)>,
    /// No other thread was started, and every write so far went to a known place.
    pub(crate) is_alone: bool,
    pub(crate) is_exact: bool,
}

/// What building trees revealed; it only grows.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Knowledge {
    /// Objects whose accesses must be events.
    pub(crate) shared: BTreeSet<Key>,
    /// Bytes of objects, or of their ghosts, that are written while the first thread is not alone.
    pub(crate) changing: BTreeSet<(Key, bool, u64)>,
    /// Objects that are written at unknown places.
    pub(crate) unsteady: BTreeSet<Key>,
}

/// The trees of all threads.
pub(crate) struct Tree<'a> {
    pub(crate) program: &'a Program,
    pub(crate) property: Property,
    pub(crate) promised: Option<Vec<i128>>,
    pub(crate) terms: &'a mut Terms,
    bound: u32,
    budget: &'a Budget,
    pub(crate) known: Knowledge,
    /// Bytes that were found to change in these trees.
    pub(crate) changed: BTreeSet<(Key, bool, u64)>,
    pub(crate) objects: Vec<Object>,
    pub(crate) statics: BTreeMap<(Option<usize>, ObjectId), u16>,
    pub(crate) codes: BTreeMap<FunctionId, u16>,
    pub(crate) arbitrary: BTreeMap<(u16, u64), Term>,
    pub(crate) promised_ranges: BTreeSet<(u16, u64, u64)>,
    /// Objects whose addresses lie in memory.
    pub(crate) escaped: BTreeSet<u16>,
    pub(crate) accessed: BTreeMap<u16, BTreeSet<usize>>,
    loops: BTreeMap<FunctionId, Rc<Loops>>,
    pub(crate) events: IdVec<EventId, Event>,
    pub(crate) threads: usize,
    pub(crate) regions: Vec<Region>,
    pub(crate) joins: Vec<Join>,
    pub(crate) ends: Vec<End>,
    /// Threads and the events that start them.
    pub(crate) starts: Vec<(usize, EventId)>,
    /// Where threads may wait forever. Only filled if the property is deadlock.
    pub(crate) stays: Vec<Stay>,
    pub(crate) gaps: Vec<Gap>,
    pub(crate) violations: Vec<Term>,
    /// Pairs of pointers that were compared, each under a condition.
    pub(crate) compared: Vec<(Term, Term, Term, Span)>,
    pub(crate) facts: Vec<Term>,
    /// Gaps of the statement in progress.
    pub(crate) pending: Vec<(Term, ReasonKind, String)>,
    pub(crate) waiting: Vec<Path>,
    pub(crate) at: (FunctionId, EdgeId),
    /// The memory orders of the statement in progress.
    pub(crate) orders: (Order, Order),
    callers: Vec<Span>,
    pub(crate) stopped: Option<String>,
    steps: usize,
}

impl<'a> Tree<'a> {
    pub(crate) fn build(
        program: &'a Program,
        property: Property,
        promised: Option<Vec<i128>>,
        bound: u32,
        known: Knowledge,
        terms: &'a mut Terms,
        budget: &'a Budget,
    ) -> Tree<'a> {
        let mut tree = Tree {
            program,
            property,
            promised,
            terms,
            bound,
            budget,
            known,
            changed: BTreeSet::new(),
            objects: Vec::new(),
            statics: BTreeMap::new(),
            codes: BTreeMap::new(),
            arbitrary: BTreeMap::new(),
            promised_ranges: BTreeSet::new(),
            escaped: BTreeSet::new(),
            accessed: BTreeMap::new(),
            loops: BTreeMap::new(),
            events: IdVec::new(),
            threads: 1,
            regions: Vec::new(),
            joins: Vec::new(),
            ends: Vec::new(),
            starts: Vec::new(),
            stays: Vec::new(),
            gaps: Vec::new(),
            violations: Vec::new(),
            compared: Vec::new(),
            facts: Vec::new(),
            pending: Vec::new(),
            waiting: Vec::new(),
            at: (program.entry, base::Id::new(0)),
            orders: (Order::Plain, Order::Plain),
            callers: Vec::new(),
            stopped: None,
            steps: 0,
        };
        let mut start = tree.start(0, None);
        start.is_alone = true;
        tree.enter(&mut start, program.entry, &[]);
        tree.waiting.push(start);
        while let Some(path) = tree.waiting.pop() {
            tree.walk(path);
            if tree.stopped.is_some() {
                break;
            }
        }
        tree.find_escaped();
        tree
    }

    pub(crate) fn start(&mut self, thread: usize, last: Option<EventId>) -> Path {
        Path {
            thread,
            condition: self.terms.bool(true),
            last,
            frames: Vec::new(),
            memory: BTreeMap::new(),
            dead: BTreeSet::new(),
            started: BTreeSet::new(),
            effects: 0,
            region: None,
            is_alone: false,
            is_exact: true,
        }
    }

    /// Whether the limits are reached.
    pub(crate) fn is_over(&self) -> bool {
        self.budget.check().is_err()
    }

    pub(crate) fn give_up(&mut self, why: &str) {
        self.stopped.get_or_insert_with(|| why.to_owned());
    }

    /// The objects whose addresses are written where others may read them.
    fn find_escaped(&mut self) {
        let mut escaped = BTreeSet::new();
        let written = self.events.iter().filter_map(|event| event.access?.write).map(|(_, value)| value);
        for value in written.chain(self.ends.iter().map(|end| end.result)) {
            escaped.extend(self.leaves(value.object).0);
        }
        for id in self.program.objects.ids() {
            let ir::Initial::Bytes { relocations, .. } = &self.program.objects[id].initial else { continue };
            for relocation in relocations {
                let number = match relocation.symbol {
                    ir::Symbol::Object(object) => self.static_object(None, object),
                    ir::Symbol::Function(function) => self.code_object(function),
                };
                escaped.insert(number);
            }
        }
        self.escaped = escaped;
    }

    /// The previous knowledge and what these trees add.
    pub(crate) fn learnt(&self) -> Knowledge {
        let mut known = self.known.clone();
        known.changing.extend(self.changed.iter().copied());
        for (&number, threads) in &self.accessed {
            if threads.len() > 1 {
                known.shared.extend(self.object(number).map(|object| object.key));
            }
        }
        for event in self.events.iter() {
            let place = event.access.map(|access| access.place.object).or(event.kills);
            let keys = place.into_iter().flat_map(|place| self.candidates(place));
            let keys: Vec<Key> = keys.filter_map(|number| self.object(number)).map(|object| object.key).collect();
            let is_known = |access: &Access| {
                self.constant(access.place.object).is_some() && self.constant(access.place.bits).is_some()
            };
            if event.access.is_some_and(|access| access.write.is_some() && !is_known(&access)) {
                known.unsteady.extend(&keys);
            }
            known.shared.extend(keys);
        }
        known
    }

    /// The position of the statement in progress: in the user's code, if a library function is executing.
    pub(crate) fn span(&self) -> Span {
        let span = self.program.functions[self.at.0].edges[self.at.1].span;
        let users = self.callers.iter().rev().copied();
        std::iter::once(span).chain(users).find(|span| self.program.is_users(*span)).unwrap_or(span)
    }

    /// The condition under which what follows the last event, or the path itself, is possible.
    pub(crate) fn occurs(&mut self, path: &Path) -> Term {
        match path.last {
            Some(last) => {
                let last = self.events[last].occurs;
                self.terms.and2(last, path.condition)
            }
            None => path.condition,
        }
    }

    /// Adds an event to a path.
    pub(crate) fn event(&mut self, path: &mut Path, what: &'static str, access: Option<Access>) -> EventId {
        let occurs = self.terms.variable(what, Sort::Bool);
        let needed = self.occurs(path);
        let fact = self.terms.implies(occurs, needed);
        self.facts.push(fact);
        let event = Event {
            thread: path.thread,
            occurs,
            before: path.last,
            access,
            kills: None,
            orders: self.orders,
            is_in_region: path.region.is_some(),
            is_step: true,
            what,
            at: self.span(),
        };
        let id = self.events.push(event);
        path.last = Some(id);
        if self.events.len() > MAX_EVENTS {
            self.give_up("there are too many shared accesses");
        }
        id
    }

    /// Accesses that may race count as effects if races are looked for: a later access of another thread may be the
    /// second of the race. But a read at the beginning of an iteration is repeated by the next one.
    pub(crate) fn note_race(&self, path: &mut Path, is_read_only: bool) {
        let mut iterations = path.frames.iter().flat_map(|frame| frame.loops.values());
        let is_first = iterations.all(|begun| begun.last == path.last || begun.effects != path.effects);
        path.effects += u32::from(self.property == Property::Race && !(is_read_only && is_first));
    }

    pub(crate) fn gap(&mut self, occurs: Term, kind: ReasonKind, detail: String) {
        if self.terms.as_bool(occurs) != Some(false) {
            let at = self.span();
            self.gaps.push(Gap { occurs, kind, detail, at });
        }
    }

    /// The path stops at the gaps of the statement in progress.
    pub(crate) fn settle(&mut self, path: &mut Path) {
        for (condition, kind, detail) in std::mem::take(&mut self.pending) {
            let occurs = self.occurs(path);
            let occurs = self.terms.and2(occurs, condition);
            self.gap(occurs, kind, detail);
            let not = self.terms.not(condition);
            self.require(path, not);
        }
    }

    pub(crate) fn require(&mut self, path: &mut Path, condition: Term) {
        path.condition = self.terms.and2(path.condition, condition);
    }

    pub(crate) fn is_impossible(&self, path: &Path) -> bool {
        self.terms.as_bool(path.condition) == Some(false)
    }

    /// Pushes a function onto the call stack.
    pub(crate) fn enter(&mut self, path: &mut Path, function: FunctionId, args: &[Value]) {
        let code = &self.program.functions[function];
        let depth = path.frames.iter().filter(|frame| frame.function == function).count();
        if depth as u32 > self.bound || path.frames.len() > MAX_CALLS {
            let occurs = self.occurs(path);
            self.gap(occurs, ReasonKind::Bound, format!("recursion of {} was cut at the bound", code.name));
            path.condition = self.terms.bool(false);
            return;
        }
        if self.loops_of(function).is_irreducible {
            self.give_up("a loop can be entered in two places");
        }
        let mut locals = vec![None; code.locals.len()];
        for (param, value) in code.params.iter().zip(args) {
            // A function with another signature may be called if only the solver can rule it out.
            let width = self.width(code.locals[*param].ty);
            locals[base::Id::index(*param)] = Some(self.resize(*value, width));
        }
        let mut loops = BTreeMap::new();
        if self.loops_of(function).bodies.contains_key(&code.entry) {
            let (effects, last) = (path.effects, path.last);
            let begun = Iteration { locals: locals.clone(), effects, last, ..Iteration::default() };
            loops.insert(code.entry, begun);
        }
        path.frames.push(Frame { function, loc: code.entry, locals, objects: Vec::new(), loops });
    }

    fn loops_of(&mut self, function: FunctionId) -> Rc<Loops> {
        let code = &self.program.functions[function];
        Rc::clone(self.loops.entry(function).or_insert_with(|| Rc::new(Loops::new(code))))
    }

    /// Follows a path to its end, leaving others at its branches.
    fn walk(&mut self, mut path: Path) {
        loop {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                self.give_up("the paths have too many steps");
            }
            if self.steps.is_multiple_of(256) && self.is_over() {
                self.give_up("the limits were reached");
            }
            if self.stopped.is_some() || self.is_impossible(&path) {
                return;
            }
            let Some(frame) = path.frames.last() else { return };
            let (function, loc) = (frame.function, frame.loc);
            let loops = self.loops_of(function);
            let code = &self.program.functions[function];
            self.callers = Vec::new();
            for frame in &path.frames[..path.frames.len() - 1] {
                let call = self.loops[&frame.function].out[frame.loc][0];
                self.callers.push(self.program.functions[frame.function].edges[call].span);
            }
            match loops.out[loc].as_slice() {
                [] => return,
                [edge] => {
                    self.at = (function, *edge);
                    if !self.execute(&mut path, &code.edges[*edge].stmt) {
                        return;
                    }
                    // A call or return has moved on already.
                    if !matches!(code.edges[*edge].stmt, Stmt::Call { .. } | Stmt::Return(_)) {
                        self.follow(&mut path, *edge);
                    }
                }
                edges => {
                    self.branch(path, &loops, edges);
                    return;
                }
            }
        }
    }

    fn branch(&mut self, mut path: Path, loops: &Loops, edges: &[EdgeId]) {
        let function = path.frames.last().map_or(self.program.entry, |frame| frame.function);
        let code = &self.program.functions[function];
        let mut conditions = Vec::new();
        for &edge in edges {
            self.at = (function, edge);
            let Stmt::Assume(condition) = &code.edges[edge].stmt else { continue };
            let condition = self.holds(&mut path, condition);
            conditions.push((edge, condition));
        }
        self.settle(&mut path);
        let mut ways = Vec::new();
        let mut otherwise = self.terms.bool(true);
        for (edge, condition) in conditions {
            // The first edge whose condition holds is taken.
            let taken = self.terms.and2(otherwise, condition);
            let not = self.terms.not(condition);
            otherwise = self.terms.and2(otherwise, not);
            let together = self.terms.and2(path.condition, taken);
            if self.terms.as_bool(together) != Some(false) {
                ways.push((edge, together));
            }
        }
        if let Some(frame) = path.frames.last_mut() {
            for (head, body) in loops.bodies.iter().filter(|(_, body)| body.contains(&frame.loc)) {
                let leaves = |&(edge, _): &(EdgeId, Term)| {
                    let to = code.edges[edge].to;
                    !body.contains(&to) && (loops.returns[to] || to == code.exit)
                };
                if ways.iter().any(leaves) {
                    frame.loops.entry(*head).or_default().could_leave = true;
                }
            }
        }
        for (edge, condition) in ways {
            let mut way = path.clone();
            way.condition = condition;
            self.at = (function, edge);
            self.follow(&mut way, edge);
            self.waiting.push(way);
        }
    }

    /// Follows an edge of the topmost function.
    pub(crate) fn follow(&mut self, path: &mut Path, edge: EdgeId) {
        let Some(frame) = path.frames.last_mut() else { return };
        let loops = Rc::clone(&self.loops[&frame.function]);
        let edge = &self.program.functions[frame.function].edges[edge];
        frame.loops.retain(|head, _| loops.bodies[head].contains(&edge.to));
        frame.loc = edge.to;
        let Some(body) = loops.bodies.get(&edge.to) else { return };
        let (effects, last) = (path.effects, path.last);
        let begun = Iteration { locals: frame.locals.clone(), effects, last, ..Iteration::default() };
        if !body.contains(&edge.from) {
            frame.loops.insert(edge.to, begun);
            return;
        }
        let last = frame.loops.remove(&edge.to).unwrap_or_default();
        let is_same = |(index, local): (usize, &Option<Value>)| {
            last.locals.get(index) == Some(local)
                || !is_live(self.program, frame.function, edge.to, base::Id::new(index), &loops.out)
        };
        // An iteration that changed nothing can be left out of an execution: the next one does the same.
        if last.effects == path.effects && frame.locals.iter().enumerate().all(is_same) {
            path.condition = self.terms.bool(false);
            return;
        }
        let is_counted = last.could_leave || !loops.can_be_left.contains(&edge.to);
        let counted = last.counted + u32::from(is_counted);
        frame.loops.insert(edge.to, Iteration { counted, ..begun });
        if counted > self.bound {
            let occurs = self.occurs(path);
            self.gap(occurs, ReasonKind::Bound, "a loop was cut at the bound".to_owned());
            path.condition = self.terms.bool(false);
        }
    }

    pub(crate) fn local(&mut self, path: &mut Path, local: LocalId) -> Value {
        let index = base::Id::index(local);
        let frame = path.frames.last_mut().expect("a step should happen in a function");
        if let Some(value) = frame.locals[index] {
            return value;
        }
        let ty = self.program.functions[frame.function].locals[local].ty;
        let value = self.arbitrary(ty);
        frame.locals[index] = Some(value);
        value
    }

    pub(crate) fn set(&mut self, path: &mut Path, local: LocalId, value: Option<Value>) {
        let frame = path.frames.last_mut().expect("a step should happen in a function");
        frame.locals[base::Id::index(local)] = value;
    }
}

/// Whether a variable may be read before it is written, from a location on.
fn is_live(
    program: &Program,
    function: FunctionId,
    loc: LocId,
    local: LocalId,
    out: &IdVec<LocId, Vec<EdgeId>>,
) -> bool {
    let code = &program.functions[function];
    let (mut work, mut is_seen) = (vec![loc], vec![false; code.locs]);
    while let Some(loc) = work.pop() {
        if std::mem::replace(&mut is_seen[base::Id::index(loc)], true) {
            continue;
        }
        for &edge in &out[loc] {
            let edge = &code.edges[edge];
            if edge.stmt.exprs().iter().any(|expr| expr.mentions(local)) {
                return true;
            }
            if !edge.stmt.writes().contains(&local) {
                work.push(edge.to);
            }
        }
    }
    false
}
