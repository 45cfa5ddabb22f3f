//! The transition relation at a location: the steps of a thread, with everything that is the same for all states there.
//!
//! A step is as large as possible: one visible action or one atomic region, with the thread-local statements before and
//! after it. It ends before the next visible action, before an assumption (a false one ends the process, and other
//! threads may act before that), and before it would go round a loop twice. Ending a step early is always sound.

use super::distance;
use super::location::{At, Frame, Location, Slot, Status, Thread, Value};
use super::options::Options;
use super::races::{watchable, Uses};
use super::vocabulary::{Class, ObjId, ObjKey, VarKey, Vocabulary};
use crate::symbolic::{visibility, Done, Evaluator, Executor, Fault, Halt, Visibility};
use base::{Id, IdVec};
use check::{ReasonKind, Task};
use indexmap::IndexSet;
use ir::analysis::graph::loop_heads;
use ir::analysis::{Analyses, Escape, Liveness};
use ir::{FunctionId, LocId, LocalId, MemoryModel, Program, Property, RaceFree, Stmt};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smt::interpolation::Step;
use smt::{Sort, Term, Terms};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A memory access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Access {
    pub(super) object: ObjId,
    pub(super) is_ghost: bool,
    /// Over the state variables before the step.
    pub(super) offset: Term,
    pub(super) bytes: u64,
    pub(super) is_write: bool,
}

/// The visible effects of a step.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Footprint {
    pub(super) accesses: Vec<Access>,
    /// Threads that the step starts, ends or waits for.
    pub(super) threads: Vec<u32>,
    /// It allocates the number of a new thread.
    pub(super) creates: bool,
    /// It depends on every other step.
    pub(super) is_universal: bool,
}

/// An object whose contents begin in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Birth {
    pub(super) object: ObjId,
    pub(super) contents: Contents,
}

/// The initial contents of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Contents {
    Arbitrary,
    Zero,
    Static(ir::ObjectId),
}

/// A statement of a step, for reports and the reference interpreter. Terms are over the state variables before the
/// step.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) at: At,
    pub(super) makes: Option<u32>,
    pub(super) locals: Vec<(LocalId, Term)>,
    pub(super) found: Option<Term>,
    pub(super) fails: Option<Term>,
    pub(super) is_early: bool,
    /// The executing thread, if it differs from that of the step.
    pub(super) by: Option<u32>,
    /// Not a statement: the store at this position of the buffer reaches memory.
    pub(super) flushes: Option<usize>,
    /// Its store is buffered.
    pub(super) is_buffered: bool,
    /// The buffer of a thread that runs alone was emptied before it.
    pub(super) drains: bool,
    /// The index of the access that is watched.
    pub(super) watches: Option<u32>,
}

/// A state that must not be reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Trouble {
    /// The property is violated.
    Violation,
    /// Behaviour is unknown.
    Gap(ReasonKind, String, At),
}

impl Trouble {
    /// A fault of a statement.
    pub(super) fn new(fault: Fault, at: At) -> Trouble {
        match fault {
            Fault::Violation(_) => Trouble::Violation,
            Fault::Gap(kind, detail) => Trouble::Gap(kind, detail, at),
        }
    }
}

/// The target of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Location(usize),
    Trouble(Trouble),
}

/// One outcome of a step.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) target: Target,
    /// Its effect on state variables, except for [`Birth`]s.
    pub(super) steps: Vec<Step>,
    pub(super) births: Vec<Birth>,
    /// The state variables that the steps assign.
    pub(super) assigned: Vec<Term>,
    pub(super) parts: Vec<Rc<Part>>,
    pub(super) footprint: Footprint,
}

/// A step under construction.
#[derive(Clone)]
pub(super) struct Run {
    pub(super) place: Location,
    pub(super) thread: u32,
    /// The changed state variables, over the state variables before the step and inputs.
    pub(super) changed: BTreeMap<Term, Term>,
    pub(super) assumed: Vec<Term>,
    pub(super) inputs: Vec<Term>,
    pub(super) births: Vec<Birth>,
    pub(super) parts: Vec<Rc<Part>>,
    pub(super) footprint: Footprint,
    /// Whether it has performed a visible action.
    pub(super) is_noticed: bool,
    /// Number of visible actions.
    pub(super) notices: u32,
    /// Visited loop heads: stack depth, place, and number of statements before it.
    visited: Vec<(usize, FunctionId, LocId, usize)>,
    /// Errors that the current statement may have raised: the number of facts assumed before, and the condition. Its
    /// negation is assumed since.
    pub(super) troubles: Vec<(usize, Term, Trouble)>,
    /// Copies in which the current statement blocks, if deadlocks are in question.
    pub(super) stuck: Vec<Run>,
    /// The outcomes of the current statement, if it has several.
    pub(super) forks: Vec<Run>,
    /// The current statement.
    pub(super) part: Part,
    /// Whether an access of the current statement is watched, and which, once decided.
    pub(super) choice: Option<Option<u32>>,
    /// Number of watchable accesses made by the current statement.
    pub(super) watchable: u32,
    /// The buffer was emptied before the current statement.
    pub(super) drains: bool,
}

/// The program, with the locations and steps found so far.
pub(super) struct Machine<'p> {
    pub(super) program: &'p Program,
    pub(super) property: Property,
    pub(super) model: MemoryModel,
    pub(super) race_free: RaceFree,
    pub(super) promised: Option<Vec<i128>>,
    pub(super) terms: Terms,
    pub(super) vocabulary: Vocabulary,
    pub(super) live: IdVec<FunctionId, Liveness>,
    distances: IdVec<FunctionId, IdVec<LocId, u32>>,
    heads: IdVec<FunctionId, Vec<LocId>>,
    edges: IdVec<FunctionId, IdVec<LocId, Vec<ir::EdgeId>>>,
    pub(super) escape: Escape,
    pub(super) uses: Uses,
    pub(super) locations: IndexSet<Location, FxBuildHasher>,
    successors: FxHashMap<(usize, u32), Rc<Vec<Outcome>>>,
    /// By location and thread: the ways in which the thread comes to wait without a visible action.
    pub(super) waits: FxHashMap<(usize, u32), Vec<Outcome>>,
    /// The same for the step under construction.
    pub(super) waiting: Vec<Outcome>,
    /// The search should restart with what was learnt.
    pub(super) should_restart: bool,
}

/// Pseudo-thread whose steps are deadlocks.
pub(super) const NOBODY: u32 = 0;
/// Maximum number of outcomes of a step; past it the step is cut.
pub(super) const MAX_WAYS: usize = 48;
/// Maximum number of statements of a step; longer ones are cut.
const LONGEST_STEP: usize = 2000;

impl<'p> Machine<'p> {
    /// The machine of a task's program.
    pub(super) fn new(task: &Task<'p>) -> Machine<'p> {
        let program = task.program;
        let (points_to, .., escape) = Analyses::new(program).into_parts();
        let inputs = &task.options.inputs;
        Machine {
            program,
            property: task.property,
            model: task.model,
            race_free: task.race_free.clone(),
            promised: inputs.values.clone().filter(|_| inputs.promised),
            terms: Terms::new(),
            vocabulary: Vocabulary::new(task.options.own::<Options>().track_after.0.is_some()),
            live: program.functions.iter().map(Liveness::new).collect(),
            distances: distance::distances(program, task.property),
            heads: program.functions.iter().map(loop_heads).collect(),
            edges: program.functions.iter().map(ir::Function::edges_out).collect(),
            escape,
            uses: if task.property == Property::Race { Uses::new(program, &points_to) } else { Uses::default() },
            locations: IndexSet::default(),
            successors: FxHashMap::default(),
            waits: FxHashMap::default(),
            waiting: Vec::new(),
            should_restart: false,
        }
    }

    /// Forgets locations and steps, for a restart.
    pub(super) fn restart(&mut self) {
        self.vocabulary.restart();
        self.locations.clear();
        self.successors.clear();
        self.waits.clear();
        self.should_restart = false;
    }

    /// The initial location.
    pub(super) fn initial(&mut self) -> usize {
        let mut place = Location::default();
        let mut run = Run::new(place.clone(), 1);
        let frame = self.frame(&mut run, self.program.entry, 1, 0, &[]);
        let main = Thread { status: Status::Running, frames: vec![frame], ..Thread::reserved() };
        place.threads.insert(1, Rc::new(main));
        self.add_initial_pointers(&mut place);
        self.add_initial_numbers(&mut place);
        self.locations.insert_full(place).0
    }

    /// The state variable of a local.
    pub(super) fn local_variable(&mut self, thread: u32, depth: usize, function: FunctionId, local: LocalId) -> Term {
        let sort = Sort::Bits(self.width(self.program.functions[function].locals[local].ty));
        let key = VarKey::Local { thread, depth: depth as u32, function, local };
        self.vocabulary.variable(&mut self.terms, self.program, key, sort)
    }

    /// A new stack frame. Variables that are read before they are written are inputs.
    pub(super) fn frame(
        &mut self,
        run: &mut Run,
        id: FunctionId,
        thread: u32,
        depth: usize,
        arguments: &[Value],
    ) -> Frame {
        let function = &self.program.functions[id];
        let mut locals = vec![Slot::Dead; function.locals.len()];
        for (local, value) in self.first_locals(run, id, arguments) {
            let (ty, variable) = (function.locals[local].ty, self.local_variable(thread, depth, id, local));
            locals[local.index()] = self.slot(run, Class::Local(id, local), ty, value, variable);
        }
        Frame { function: id, loc: function.entry, locals, objects: Vec::new() }
    }

    /// Whether other threads can access a static object.
    pub(super) fn is_shared(&self, place: &Location, object: ObjId, thread: u32) -> bool {
        match self.vocabulary.key(object) {
            ObjKey::Static(object) => self.escape.is_shared_object(object),
            ObjKey::Copy(_, object) => self.escape.is_shared_object(object),
            ObjKey::Made(..) => !place.is_private(object, thread),
        }
    }

    /// The distance from a location to the property: the minimum over the running threads.
    pub(super) fn distance(&self, location: usize) -> u32 {
        let threads = self.locations[location].threads.values().filter(|thread| thread.status == Status::Running);
        let tops = threads.filter_map(|thread| thread.frames.last());
        tops.map(|frame| self.distances[frame.function][frame.loc]).min().unwrap_or(u32::MAX)
    }

    /// The threads that may move at a location, and [`NOBODY`] for deadlocks.
    pub(super) fn movers(&self, location: usize) -> Vec<u32> {
        let nobody = (self.property == Property::Deadlock).then_some(NOBODY);
        nobody.into_iter().chain(self.locations[location].running()).collect()
    }

    /// The outcomes of a thread's step at a location.
    pub(super) fn successors(&mut self, location: usize, thread: u32) -> Rc<Vec<Outcome>> {
        if let Some(known) = self.successors.get(&(location, thread)) {
            return Rc::clone(known);
        }
        let place = self.locations[location].clone();
        let mut outcomes = Vec::new();
        self.waiting.clear();
        if thread == NOBODY {
            outcomes = self.deadlocks(location);
        } else if place.region().is_none_or(|holder| holder == thread) {
            let mut start = Run::new(place, thread);
            if start.place.is_parallel() {
                self.flushes(&start, &mut outcomes);
            } else {
                self.drain(&mut start);
            }
            let mut work = vec![start];
            let mut ways = 1;
            while let Some(run) = work.pop() {
                let before = work.len();
                self.advance(run, &mut work, &mut outcomes, ways < MAX_WAYS);
                ways += work.len().saturating_sub(before);
            }
        }
        if !self.waiting.is_empty() {
            self.waits.insert((location, thread), std::mem::take(&mut self.waiting));
        }
        let outcomes = Rc::new(outcomes);
        self.successors.insert((location, thread), Rc::clone(&outcomes));
        outcomes
    }

    /// Executes a run to the end of its step, or until it forks.
    fn advance(&mut self, mut run: Run, work: &mut Vec<Run>, outcomes: &mut Vec<Outcome>, may_continue: bool) {
        loop {
            let Some(frame) = run.place.threads.get(&run.thread).and_then(|thread| thread.frames.last()) else {
                return self.finish(run, outcomes);
            };
            let (function, loc) = (frame.function, frame.loc);
            let edges = self.edges[function][loc].clone();
            let is_begun = !run.parts.is_empty();
            let is_alone = run.place.threads[&run.thread].regions > 0 || !run.place.is_parallel();
            if is_begun && (!may_continue || run.parts.len() > LONGEST_STEP) || self.goes_round(&mut run, function, loc)
            {
                return self.finish(run, outcomes);
            }
            let Some(&first) = edges.first() else {
                // The process ends here; other threads may act before that.
                if !is_alone && run.is_noticed {
                    self.finish(run, outcomes);
                }
                return;
            };
            run.part = Part::new((function, first));
            if edges.len() > 1 {
                let runs = self.branch(run, &edges, outcomes);
                work.extend(runs);
                return;
            }
            let stmt = &self.program.functions[function].edges[first].stmt;
            if !is_alone && run.is_noticed && self.ends_step(&run, stmt) {
                return self.finish(run, outcomes);
            }
            if self.must_drain(&run, stmt) {
                if run.is_noticed {
                    self.finish(run, outcomes);
                }
                return;
            }
            if run.choice.is_none() && self.property == Property::Race && run.place.watch.is_none() {
                let may_race = run.place.is_parallel() && !self.race_free.contains(&run.part.at);
                let choices = if may_race { watchable(stmt) } else { 0 };
                work.extend((0..choices).map(|choice| Run { choice: Some(Some(choice)), ..run.clone() }));
                run.choice = Some(None);
            }
            let backup = run.clone();
            let result = self.take(&mut run);
            if matches!(backup.choice, Some(Some(_))) {
                // All other outcomes are found without watching.
                if let Some(run) = self.watched(run, &backup, result, work, is_alone) {
                    work.push(run);
                }
                return;
            }
            for stuck in std::mem::take(&mut run.stuck) {
                if !backup.is_noticed || is_alone {
                    self.wait_here(stuck, is_alone, outcomes);
                }
            }
            let forks = std::mem::take(&mut run.forks);
            match result {
                Ok(()) if forks.is_empty() => {
                    if backup.is_noticed && run.is_noticed_anew(&backup) && !is_alone {
                        // This statement is visible too: it belongs to the next step.
                        return self.finish(backup, outcomes);
                    }
                    self.settle(&mut run, outcomes);
                    if run.is_impossible(&self.terms) {
                        return;
                    }
                }
                Ok(()) => {
                    if forks.iter().any(|run| run.is_noticed_anew(&backup)) && backup.is_noticed && !is_alone {
                        return self.finish(backup, outcomes);
                    }
                    for mut run in forks {
                        self.settle(&mut run, outcomes);
                        if !run.is_impossible(&self.terms) {
                            work.push(run);
                        }
                    }
                    return;
                }
                Err(Halt::Split(condition)) => {
                    work.extend(self.split(backup, condition));
                    return;
                }
                Err(Halt::Fault(fault)) => return self.halt(backup, fault, outcomes),
                Err(Halt::Never) => {
                    // The thread blocks; its actions so far are visible to other threads.
                    if backup.is_noticed && !is_alone {
                        self.finish(backup, outcomes);
                    }
                    return;
                }
            }
        }
    }

    /// The rest of a run in which an access was to be watched, if one was.
    fn watched(
        &mut self,
        mut run: Run,
        backup: &Run,
        result: Done,
        work: &mut Vec<Run>,
        is_alone: bool,
    ) -> Option<Run> {
        match result {
            Ok(()) => {}
            Err(Halt::Split(condition)) => {
                work.extend(self.split(backup.clone(), condition));
                return None;
            }
            Err(Halt::Fault(_) | Halt::Never) => return None,
        }
        let begins_next = backup.is_noticed && run.is_noticed_anew(backup) && !is_alone;
        if run.place.watch.is_none() || begins_next {
            return None;
        }
        run.troubles.clear();
        (!run.is_impossible(&self.terms)).then_some(run)
    }

    /// Whether the run has come to the head of a loop for the second time.
    fn goes_round(&mut self, run: &mut Run, function: FunctionId, loc: LocId) -> bool {
        if !self.heads[function].contains(&loc) {
            return false;
        }
        let depth = run.place.threads[&run.thread].frames.len();
        let length = run.parts.len();
        if let Some(visit) = run.visited.iter().find(|visit| (visit.0, visit.1, visit.2) == (depth, function, loc)) {
            // A statement that is executed again after a split has not moved.
            return visit.3 != length;
        }
        run.visited.push((depth, function, loc, length));
        false
    }

    /// Whether a statement must begin a step. The visibility of others is known when they are executed.
    fn ends_step(&mut self, run: &Run, stmt: &Stmt) -> bool {
        match visibility(stmt) {
            Visibility::Assumption | Visibility::Threads | Visibility::Region | Visibility::End => true,
            Visibility::Return => run.place.threads[&run.thread].frames.len() == 1,
            Visibility::Nothing | Visibility::Access | Visibility::Wait => false,
        }
    }

    /// Executes the statement of the current edge.
    fn take(&mut self, run: &mut Run) -> Done {
        let (function, edge) = run.part.at;
        let stmt = &self.program.functions[function].edges[edge].stmt;
        for expr in stmt.exprs() {
            self.note_locals(run, expr);
        }
        self.execute(run, stmt)
    }

    /// Takes each edge of a branch.
    fn branch(&mut self, run: Run, edges: &[ir::EdgeId], outcomes: &mut Vec<Outcome>) -> Vec<Run> {
        let function = run.part.at.0;
        let mut runs = Vec::new();
        for &edge in edges {
            let mut run = run.clone();
            run.part = Part::new((function, edge));
            let backup = run.clone();
            match self.take(&mut run) {
                Ok(()) => {
                    self.settle(&mut run, outcomes);
                    if !run.is_impossible(&self.terms) {
                        runs.push(run);
                    }
                }
                Err(Halt::Split(condition)) => {
                    // All edges again, after the split.
                    return self.split(backup, condition);
                }
                Err(Halt::Fault(fault)) => self.halt(backup, fault, outcomes),
                Err(Halt::Never) => {}
            }
        }
        runs
    }

    fn split(&mut self, run: Run, condition: Term) -> Vec<Run> {
        let mut runs = Vec::new();
        for fact in [condition, self.terms.not(condition)] {
            let mut run = run.clone();
            run.assumed.push(fact);
            runs.push(run);
        }
        runs
    }

    /// Drops variables of a caller that are dead after the call.
    pub(super) fn suspend(&self, frame: &mut Frame, edge: ir::EdgeId, dsts: &[LocalId]) {
        let to = self.program.functions[frame.function].edges[edge].to;
        let live = &self.live[frame.function];
        frame.forget(|local| !live.is_live(to, local) || dsts.contains(&local));
    }

    /// Splits off the errors that a statement may have raised.
    fn settle(&mut self, run: &mut Run, outcomes: &mut Vec<Outcome>) {
        for (before, condition, trouble) in std::mem::take(&mut run.troubles) {
            let mut wrong = run.clone();
            // What was assumed later need not hold.
            wrong.assumed.truncate(before);
            wrong.assumed.push(condition);
            if !wrong.is_impossible(&self.terms) {
                if wrong.parts.last().is_none_or(|part| part.at != run.part.at) {
                    wrong.keep_part();
                }
                self.trouble(wrong, trouble, outcomes);
            }
        }
    }

    /// An error in a statement that was not executed to its end: its remaining footprint is unknown, so it may depend
    /// on everything.
    fn halt(&mut self, mut run: Run, fault: Fault, outcomes: &mut Vec<Outcome>) {
        if let Fault::Violation(_) = fault {
            run.keep_part();
        }
        run.footprint.is_universal = true;
        let trouble = Trouble::new(fault, run.part.at);
        self.trouble(run, trouble, outcomes);
    }

    fn trouble(&mut self, run: Run, trouble: Trouble, outcomes: &mut Vec<Outcome>) {
        let outcome = self.outcome(run, Target::Trouble(trouble));
        outcomes.push(outcome);
    }

    /// Ends a step, so that other threads may act.
    pub(super) fn finish(&mut self, mut run: Run, outcomes: &mut Vec<Outcome>) {
        if run.is_impossible(&self.terms) || run.parts.is_empty() {
            return;
        }
        run.place.collect();
        if run.place.is_watch_over() {
            return;
        }
        // An unfinished region continues: nothing may be moved into it.
        run.footprint.is_universal |= run.place.region().is_some();
        let place = std::mem::take(&mut run.place);
        let (location, _) = self.locations.insert_full(place);
        let outcome = self.outcome(run, Target::Location(location));
        outcomes.push(outcome);
    }

    pub(super) fn outcome(&mut self, run: Run, target: Target) -> Outcome {
        let mut steps: Vec<Step> = run.inputs.iter().map(|&input| Step::Havoc(input)).collect();
        let assumed = self.terms.and(run.assumed.iter().copied());
        if self.terms.as_bool(assumed) != Some(true) {
            steps.push(Step::Assume(assumed));
        }
        let live: Option<std::collections::BTreeSet<Term>> = match &target {
            Target::Location(location) => Some(self.variables_at(*location)),
            Target::Trouble(_) => Some(std::collections::BTreeSet::new()),
        };
        let mut pending: Vec<(Term, Term)> = run
            .changed
            .iter()
            .filter(|(variable, value)| variable != value)
            .filter(|(variable, _)| live.as_ref().is_none_or(|live| self.may_matter(**variable, live)))
            .map(|(&variable, &value)| (variable, value))
            .collect();
        let assigned = pending.iter().map(|(variable, _)| *variable).collect();
        self.order_assignments(&mut pending, &mut steps);
        Outcome { target, steps, births: run.births, assigned, parts: run.parts, footprint: run.footprint }
    }

    /// The state variables of the live locals of a location.
    pub(super) fn variables_at(&mut self, location: usize) -> std::collections::BTreeSet<Term> {
        let place = self.locations[location].clone();
        let mut found = std::collections::BTreeSet::new();
        for (&number, thread) in &place.threads {
            for (depth, frame) in thread.frames.iter().enumerate() {
                for (index, slot) in frame.locals.iter().enumerate() {
                    if matches!(slot, Slot::Var(_)) {
                        found.insert(self.local_variable(number, depth, frame.function, LocalId::new(index)));
                    }
                }
            }
            for (position, entry) in thread.buffer.iter().enumerate() {
                if matches!(entry.slot, Slot::Var(_)) {
                    found.insert(self.entry_variable(number, position, entry.cell));
                }
            }
        }
        if place.watch.as_ref().is_some_and(|watch| matches!(watch.offset, Slot::Var(_))) {
            found.insert(self.watch_variable());
        }
        found
    }

    fn may_matter(&self, variable: Term, live: &std::collections::BTreeSet<Term>) -> bool {
        match self.vocabulary.meaning(variable) {
            Some(VarKey::Local { .. } | VarKey::Buffered { .. } | VarKey::Watched) => live.contains(&variable),
            Some(VarKey::Cell(_) | VarKey::Result(..) | VarKey::Input(..) | VarKey::Temporary(..)) | None => true,
        }
    }

    /// Sequentialises a parallel assignment.
    fn order_assignments(&mut self, pending: &mut Vec<(Term, Term)>, steps: &mut Vec<Step>) {
        let mut temporaries = 0;
        while !pending.is_empty() {
            let is_free = |index: usize| {
                let variable = pending[index].0;
                let mut others = pending.iter().enumerate().filter(|(other, _)| *other != index);
                !others.any(|(_, (_, value))| self.terms.variables(&[*value]).binary_search(&variable).is_ok())
            };
            match (0..pending.len()).find(|&index| is_free(index)) {
                Some(index) => {
                    let (variable, value) = pending.remove(index);
                    steps.push(Step::Assign(variable, value));
                }
                None => {
                    let (variable, _) = pending[0];
                    let sort = self.terms.sort(variable);
                    let key = VarKey::Temporary(temporaries, sort);
                    temporaries += 1;
                    let copy = self.vocabulary.variable(&mut self.terms, self.program, key, sort);
                    steps.push(Step::Assign(copy, variable));
                    for (other, value) in pending.iter_mut() {
                        if *other != variable {
                            let mut substitution = smt::term::Substitution::new([(variable, copy)]);
                            *value = substitution.apply(&mut self.terms, *value);
                        }
                    }
                }
            }
        }
    }
}

impl Part {
    pub(super) fn new(at: At) -> Part {
        Part {
            at,
            makes: None,
            locals: Vec::new(),
            found: None,
            fails: None,
            is_early: false,
            by: None,
            flushes: None,
            is_buffered: false,
            drains: false,
            watches: None,
        }
    }
}

impl Run {
    pub(super) fn new(place: Location, thread: u32) -> Run {
        let is_inside = place.region().is_some();
        Run {
            place,
            thread,
            changed: BTreeMap::new(),
            assumed: Vec::new(),
            inputs: Vec::new(),
            births: Vec::new(),
            parts: Vec::new(),
            footprint: Footprint { is_universal: is_inside, ..Footprint::default() },
            is_noticed: is_inside,
            notices: 0,
            visited: Vec::new(),
            troubles: Vec::new(),
            stuck: Vec::new(),
            forks: Vec::new(),
            part: Part::new((FunctionId::new(0), ir::EdgeId::new(0))),
            choice: None,
            watchable: 0,
            drains: false,
        }
    }

    /// Whether a visible action was performed since `before`.
    fn is_noticed_anew(&self, before: &Run) -> bool {
        self.notices > before.notices
    }

    /// Marks the current statement as visible.
    pub(super) fn notice(&mut self) {
        self.is_noticed = true;
        self.notices += 1;
    }

    pub(super) fn is_impossible(&self, terms: &Terms) -> bool {
        self.assumed.iter().any(|&fact| terms.as_bool(fact) == Some(false))
    }

    pub(super) fn keep_part(&mut self) {
        let drains = std::mem::take(&mut self.drains);
        self.parts.push(Rc::new(Part { drains, ..self.part.clone() }));
        (self.choice, self.watchable) = (None, 0);
    }

    /// The topmost frame.
    pub(super) fn frame(&mut self) -> &mut Frame {
        let thread = self.place.threads.get_mut(&self.thread).expect("the running thread should exist");
        Rc::make_mut(thread).frames.last_mut().expect("a running thread should be in a function")
    }

    pub(super) fn depth(&self) -> usize {
        self.place.threads[&self.thread].frames.len() - 1
    }

    /// The value of a state variable.
    pub(super) fn now(&self, variable: Term) -> Term {
        self.changed.get(&variable).copied().unwrap_or(variable)
    }
}
