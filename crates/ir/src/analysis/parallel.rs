//! May-happen-in-parallel, by starts and joins.
//!
//! Guarantee: if in some state of some run one thread is about to execute one statement and another thread another,
//! then [`Parallel::with`] of one of the two contains the other's template. Locks, conditions and memory are ignored.
//! It is assumed that the number given to a `Join` was allocated by a `NewThread` (reading one that was never set is
//! undefined).
//!
//! For every context and location the analysis finds which threads may have been started and not joined since the
//! context was entered, and which have certainly been joined: a forward analysis with one summary per context,
//! including the effects of callees. A `Join` certainly ends a thread if its number can only come from one `NewThread`
//! that is executed at most once. Threads started in a loop are never distinguished, so a loop that joins them ends
//! nothing.

use crate::analysis::contexts::ContextId;
use crate::analysis::graph;
use crate::analysis::points_to::{PointsTo, Target};
use crate::analysis::threads::{TemplateId, ThreadSet, Threads};
use crate::expr::{BinaryOp, Expr};
use crate::program::{EdgeId, FunctionId, LocId, Program};
use crate::stmt::Stmt;
use base::{Id, IdVec};

/// The threads that may run in parallel with each statement.
#[derive(Clone, Debug)]
pub struct Parallel {
    /// Templates that may run in parallel with a template, wherever it is.
    siblings: IdVec<TemplateId, ThreadSet>,
    /// Per template that starts threads and per context it runs: which of its descendants may be running on entry.
    alive_on_entry: IdVec<TemplateId, Option<IdVec<ContextId, ThreadSet>>>,
    changes: IdVec<ContextId, Option<IdVec<LocId, Change>>>,
    /// The sources of edges.
    froms: IdVec<FunctionId, IdVec<EdgeId, LocId>>,
    running: IdVec<ContextId, ThreadSet>,
    contexts_of: IdVec<FunctionId, Vec<ContextId>>,
    function_of: IdVec<ContextId, FunctionId>,
}

/// The effect on threads since a context was entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Change {
    /// May have been started and not joined.
    started: ThreadSet,
    /// Have certainly been joined, and not started again.
    joined: ThreadSet,
}

impl Change {
    const NONE: Change = Change { started: ThreadSet::EMPTY, joined: ThreadSet::EMPTY };
    /// The effect at an unreachable place.
    const UNREACHED: Change = Change { started: ThreadSet::EMPTY, joined: ThreadSet::ALL };

    fn or(self, other: Change) -> Change {
        let (started, joined) = (self.started.union(other.started), self.joined.intersection(other.joined));
        Change { started, joined }
    }

    fn then(self, next: Change) -> Change {
        let started = self.started.without(next.joined).union(next.started);
        Change { started, joined: self.joined.union(next.joined).without(next.started) }
    }

    fn apply(self, alive: ThreadSet) -> ThreadSet {
        alive.without(self.joined).union(self.started)
    }
}

impl Parallel {
    /// Analyses a program.
    pub fn new(program: &Program, points_to: &PointsTo, threads: &Threads) -> Parallel {
        // Whether the descendants of a joined thread have ended too depends on what runs at its end: children first.
        let mut finder = Finder { program, points_to, threads, left_behind: all_descendants(threads) };
        for template in creation_order(threads) {
            if !threads.templates()[template].descendants.is_empty() && template != threads.first() {
                let changes = finder.changes();
                finder.left_behind[template] = finder.alive_at_end(template, &changes);
            }
        }
        let changes = finder.changes();
        let contexts = points_to.contexts();
        let mut parallel = Parallel {
            siblings: IdVec::filled(ThreadSet::EMPTY, threads.templates().len()),
            alive_on_entry: threads
                .templates()
                .ids()
                .map(|template| finder.alive_on_entry(template, &changes))
                .collect(),
            changes,
            froms: program.functions.iter().map(|f| f.edges.iter().map(|edge| edge.from).collect()).collect(),
            running: contexts.ids().map(|context| threads.running(context)).collect(),
            contexts_of: program.functions.ids().map(|f| contexts.of_function(f).to_vec()).collect(),
            function_of: contexts.ids().map(|context| contexts.function(context)).collect(),
        };
        parallel.find_siblings(threads);
        parallel
    }

    /// The templates that may have running threads while a thread of `template` is about to execute an edge. (A
    /// template that starts this one may be missing here; then its own set contains this one.)
    pub fn with(&self, template: TemplateId, context: ContextId, edge: EdgeId) -> ThreadSet {
        self.siblings[template].union(self.alive(template, context, edge))
    }

    /// Whether two statements may happen in parallel. Unreachable statements do not.
    pub fn may_happen(&self, one: (FunctionId, EdgeId), two: (FunctionId, EdgeId)) -> bool {
        self.beside(one, two) || self.beside(two, one)
    }

    fn beside(&self, one: (FunctionId, EdgeId), two: (FunctionId, EdgeId)) -> bool {
        let others = self.contexts_of[two.0].iter().fold(ThreadSet::EMPTY, |set, &c| set.union(self.running[c]));
        self.contexts_of[one.0].iter().any(|&context| {
            let mut templates = self.running[context].iter();
            templates.any(|t| !self.with(t, context, one.1).intersection(others).is_empty())
        })
    }

    /// Which descendants of a thread may be running when it is about to execute an edge.
    fn alive(&self, template: TemplateId, context: ContextId, edge: EdgeId) -> ThreadSet {
        let Some(on_entry) = &self.alive_on_entry[template] else { return ThreadSet::EMPTY };
        let from = self.froms[self.function_of[context]][edge];
        match &self.changes[context] {
            Some(changes) => changes[from].apply(on_entry[context]),
            None => on_entry[context],
        }
    }

    fn find_siblings(&mut self, threads: &Threads) {
        let family = |template: TemplateId| ThreadSet::one(template).union(threads.templates()[template].descendants);
        for (id, template) in threads.templates().enumerate() {
            if template.is_many {
                self.make_siblings(family(id), family(id));
            }
            for &(context, edge) in &template.sites {
                for parent in threads.running(context).iter() {
                    let alive = self.alive(parent, context, edge);
                    self.make_siblings(alive, family(id));
                }
            }
        }
    }

    fn make_siblings(&mut self, some: ThreadSet, others: ThreadSet) {
        for one in some.iter() {
            self.siblings[one] = self.siblings[one].union(others);
        }
        for other in others.iter() {
            self.siblings[other] = self.siblings[other].union(some);
        }
    }
}

fn all_descendants(threads: &Threads) -> IdVec<TemplateId, ThreadSet> {
    threads.templates().iter().map(|template| template.descendants).collect()
}

/// The templates, those that are started before those that start them, as far as possible.
fn creation_order(threads: &Threads) -> Vec<TemplateId> {
    let successors: Vec<Vec<u32>> = threads
        .templates()
        .iter()
        .map(|template| template.descendants.iter().map(|id| id.index() as u32).collect())
        .collect();
    let single = |component: &Vec<u32>| match component.as_slice() {
        [single] if !successors[*single as usize].contains(single) => Some(TemplateId::new(*single as usize)),
        _ => None,
    };
    graph::components(&successors).iter().filter_map(single).collect()
}

struct Finder<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    threads: &'a Threads,
    /// Per template: which descendants may still run when one of its threads has ended.
    left_behind: IdVec<TemplateId, ThreadSet>,
}

impl Finder<'_> {
    fn function_of(&self, context: ContextId) -> FunctionId {
        self.points_to.contexts().function(context)
    }

    /// Per context that starts or joins threads, itself or through callees: the effect up to each location.
    fn changes(&self) -> IdVec<ContextId, Option<IdVec<LocId, Change>>> {
        let contexts = self.points_to.contexts();
        let callers = self.callers();
        let mut found: IdVec<ContextId, Option<IdVec<LocId, Change>>> = IdVec::filled(None, contexts.len());
        let mut summaries = IdVec::filled(Change::NONE, contexts.len());
        // They start out as never returning, which recursion needs.
        let mut work = Vec::new();
        for context in contexts.ids().filter(|&context| self.has_own_effect(context)) {
            work.push(context);
        }
        let mut matters: IdVec<ContextId, bool> = IdVec::filled(false, contexts.len());
        while let Some(context) = work.pop() {
            if !std::mem::replace(&mut matters[context], true) {
                summaries[context] = Change::UNREACHED;
                work.extend(&callers[context]);
            }
        }
        let mut is_waiting = matters.clone();
        let mut work: Vec<ContextId> = contexts.ids().filter(|&context| matters[context]).collect();
        while let Some(context) = work.pop() {
            is_waiting[context] = false;
            let (changes, summary) = self.flow(context, &summaries);
            found[context] = Some(changes);
            if summary != summaries[context] {
                summaries[context] = summary;
                for &caller in &callers[context] {
                    if !std::mem::replace(&mut is_waiting[caller], true) {
                        work.push(caller);
                    }
                }
            }
        }
        found
    }

    fn callers(&self) -> IdVec<ContextId, Vec<ContextId>> {
        let contexts = self.points_to.contexts();
        let mut callers = IdVec::filled(Vec::new(), contexts.len());
        for context in contexts.ids() {
            for (edge, _) in self.program.functions[self.function_of(context)].edges.enumerate() {
                for &callee in self.points_to.callees(context, edge) {
                    callers[callee].push(context);
                }
            }
        }
        callers
    }

    fn has_own_effect(&self, context: ContextId) -> bool {
        let function = &self.program.functions[self.function_of(context)];
        function.edges.iter().any(|edge| matches!(edge.stmt, Stmt::Spawn { .. } | Stmt::Join { .. }))
    }

    /// The effect up to each location of a context, and up to its return.
    fn flow(&self, context: ContextId, summaries: &IdVec<ContextId, Change>) -> (IdVec<LocId, Change>, Change) {
        let function = &self.program.functions[self.function_of(context)];
        let out = function.edges_out();
        let order = graph::reverse_post_order(function);
        let mut at = IdVec::filled(Change::UNREACHED, function.locs);
        at[function.entry] = Change::NONE;
        let mut returned = Change::UNREACHED;
        let mut is_reached = IdVec::filled(false, function.locs);
        is_reached[function.entry] = true;
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for &loc in &order {
                if !is_reached[loc] {
                    continue;
                }
                for &edge in &out[loc] {
                    let Some(effect) = self.effect(context, edge, summaries) else { continue };
                    let after = at[loc].then(effect);
                    let item = &function.edges[edge];
                    if matches!(item.stmt, Stmt::Return(_)) {
                        returned = returned.or(after);
                    }
                    let merged = at[item.to].or(after);
                    if merged != at[item.to] || !is_reached[item.to] {
                        at[item.to] = merged;
                        is_reached[item.to] = true;
                        has_changed = true;
                    }
                }
            }
        }
        (at, returned)
    }

    /// The effect of a statement; `None` if nothing comes after it: it calls only functions that do not return, or
    /// takes a thread for the running one that cannot be.
    fn effect(&self, context: ContextId, edge: EdgeId, summaries: &IdVec<ContextId, Change>) -> Option<Change> {
        let stmt = &self.program.functions[self.function_of(context)].edges[edge].stmt;
        if let Stmt::Call { .. } = stmt {
            let callees = self.points_to.callees(context, edge);
            if callees.is_empty() {
                return Some(Change::NONE);
            }
            let change = callees.iter().fold(Change::UNREACHED, |change, &callee| change.or(summaries[callee]));
            return (change != Change::UNREACHED).then_some(change);
        }
        if let Stmt::Spawn { .. } = stmt {
            let started = self.threads.started(context, edge);
            let all =
                started.iter().fold(started, |set, template| set.union(self.threads.templates()[template].descendants));
            return Some(Change { started: all, joined: ThreadSet::EMPTY });
        }
        if let Stmt::Join { thread, .. } = stmt {
            let joined = match self.points_to.targets(context, thread).as_slice() {
                [Target::Thread(made_in, made_by)] => self.certainly_ended(*made_in, *made_by),
                _ => ThreadSet::EMPTY,
            };
            return Some(Change { started: ThreadSet::EMPTY, joined });
        }
        (!self.takes_another_for_itself(context, stmt)).then_some(Change::NONE)
    }

    /// Whether a statement assumes the running thread to have a number that was allocated for threads of other
    /// templates. (A failing self-join is such an assumption.)
    fn takes_another_for_itself(&self, context: ContextId, stmt: &Stmt) -> bool {
        let Stmt::Assume(Expr::Binary { op: BinaryOp::Eq, lhs, rhs, .. }) = stmt else { return false };
        if **rhs != Expr::SelfThread {
            return false;
        }
        let targets = self.points_to.targets(context, lhs);
        let [number @ Target::Thread(..)] = targets.as_slice() else { return false };
        let may_have_number = |&(context, edge): &(ContextId, EdgeId)| {
            let stmt = &self.program.functions[self.function_of(context)].edges[edge].stmt;
            let Stmt::Spawn { thread, .. } = stmt else { return true };
            let numbers = self.points_to.targets(context, thread);
            numbers.iter().any(|one| one == number || !matches!(one, Target::Thread(..)))
        };
        let mut running = self.threads.running(context).iter();
        !running.any(|template| self.threads.templates()[template].sites.iter().any(may_have_number))
    }

    /// The threads that have certainly ended once the thread with a number has been joined.
    fn certainly_ended(&self, made_in: ContextId, made_by: EdgeId) -> ThreadSet {
        if !self.threads.is_once(self.program, self.points_to, made_in, made_by) {
            return ThreadSet::EMPTY;
        }
        let number = Target::Thread(made_in, made_by);
        let mut ended = ThreadSet::EMPTY;
        for (id, template) in self.threads.templates().enumerate() {
            let has_number = |&(context, edge): &(ContextId, EdgeId)| {
                let stmt = &self.program.functions[self.function_of(context)].edges[edge].stmt;
                let Stmt::Spawn { thread, .. } = stmt else { return false };
                self.points_to.targets(context, thread) == [number]
            };
            if !template.is_many && !template.sites.is_empty() && template.sites.iter().all(has_number) {
                ended = ended.union(ThreadSet::one(id)).union(self.ended_with(id));
            }
        }
        ended
    }

    /// The descendants that only this template's threads start and that have ended when those have.
    fn ended_with(&self, template: TemplateId) -> ThreadSet {
        let mut candidates = self.threads.templates()[template].descendants.without(self.left_behind[template]);
        candidates = candidates.without(ThreadSet::one(template));
        loop {
            let family = candidates.union(ThreadSet::one(template));
            let is_inside = |id: &TemplateId| {
                let sites = &self.threads.templates()[*id].sites;
                sites.iter().all(|&(context, _)| self.threads.running(context).without(family).is_empty())
            };
            let kept =
                candidates.iter().filter(is_inside).fold(ThreadSet::EMPTY, |set, id| set.union(ThreadSet::one(id)));
            if kept == candidates {
                return kept;
            }
            candidates = kept;
        }
    }

    /// The descendants that may be running when a context is entered; `None` if the template has none.
    fn alive_on_entry(
        &self,
        template: TemplateId,
        changes: &IdVec<ContextId, Option<IdVec<LocId, Change>>>,
    ) -> Option<IdVec<ContextId, ThreadSet>> {
        let template = &self.threads.templates()[template];
        if template.descendants.is_empty() {
            return None;
        }
        let mut alive = IdVec::filled(ThreadSet::EMPTY, self.points_to.contexts().len());
        let mut work = template.entries.clone();
        let mut is_visited: IdVec<ContextId, bool> = IdVec::filled(false, alive.len());
        while let Some(context) = work.pop() {
            is_visited[context] = true;
            let function = &self.program.functions[self.function_of(context)];
            for (edge, item) in function.edges.enumerate() {
                for &callee in self.points_to.callees(context, edge) {
                    let before = match &changes[context] {
                        Some(changes) => changes[item.from].apply(alive[context]),
                        None => alive[context],
                    };
                    let merged = alive[callee].union(before);
                    if merged != alive[callee] || !is_visited[callee] {
                        alive[callee] = merged;
                        work.push(callee);
                    }
                }
            }
        }
        Some(alive)
    }

    /// The descendants that may be running when a thread of a template ends.
    fn alive_at_end(
        &self,
        template: TemplateId,
        changes: &IdVec<ContextId, Option<IdVec<LocId, Change>>>,
    ) -> ThreadSet {
        let Some(alive) = self.alive_on_entry(template, changes) else { return ThreadSet::EMPTY };
        let template = &self.threads.templates()[template];
        let mut at_end = ThreadSet::EMPTY;
        for &context in &template.contexts {
            let is_entry = template.entries.contains(&context);
            for edge in self.program.functions[self.function_of(context)].edges.iter() {
                let returns = is_entry && matches!(edge.stmt, Stmt::Return(_));
                if returns || matches!(edge.stmt, Stmt::ExitThread(_)) {
                    let before = match &changes[context] {
                        Some(changes) => changes[edge.from].apply(alive[context]),
                        None => alive[context],
                    };
                    at_end = at_end.union(before);
                }
            }
        }
        at_end
    }
}
