//! Proof obligations besides the property, so that no behaviour is undefined or unmodelled: accesses are within live
//! objects, locks are used properly, nothing depends on object addresses. Each one that fails is a reason for
//! `unknown`.

use super::accesses::{Collector, FIRST_PAGE};
use super::facts::Fact;
use super::objects::Name;
use super::reads::{Looked, Reads};
use super::roles::{Mode, Role};
use super::state::State;
use super::value::{ObjectNumber, Value};
use super::values::NodeId;
use base::{Budget, Stop};
use check::{Reason, ReasonKind};
use ir::analysis::{ContextId, ThreadSet};
use ir::{AllocKind, Callee, Claim, EdgeId, Expr, FunctionId, Property, Stmt, SyncObject, Type};
use std::collections::BTreeSet;

/// Collects the obligations that fail.
pub(super) struct Obligations<'c, 'v, 'a> {
    pub(super) inner: &'c mut Collector<'v, 'a>,
    pub(super) property: Property,
    /// Valid joins and detaches.
    pub(super) joined: &'c dyn Fn(ContextId, EdgeId) -> bool,
    pub(super) reads: Option<Reads<'a>>,
    pub(super) reasons: BTreeSet<Reason>,
    /// Assertions in question that may fail.
    pub(super) may_fail: BTreeSet<(FunctionId, EdgeId)>,
    /// Whether a run may continue, in the reference interpreter, in a way that the analyses do not track.
    pub(super) is_lost: bool,
}

/// The effect on the run of an event that cannot be ruled out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum After {
    /// The run ends there, or continues as the analyses assume.
    Followed,
    /// The run may continue in another way.
    Lost,
}

impl<'a> Obligations<'_, '_, 'a> {
    /// Checks every statement that may be reached.
    pub(super) fn find(&mut self, budget: &Budget) -> Result<(), Stop> {
        for node in 0..self.inner.values.nodes.len() {
            budget.check()?;
            let context = self.inner.values.nodes[node].context;
            let function = &self.inner.values.program.functions[self.inner.values.function_of(node)];
            for (edge, item) in function.edges.enumerate() {
                let Some(state) = self.inner.values.nodes[node].at[item.from].clone() else { continue };
                self.expressions(node, (context, edge), &item.stmt, &state);
                self.statement(node, (context, edge), &item.stmt, &state);
            }
        }
        self.frees(budget)
    }

    /// Reports an event that cannot be ruled out, after which the run continues untracked.
    fn doubt(&mut self, at: (ContextId, EdgeId), kind: ReasonKind, detail: impl Into<String>) {
        self.doubt_before(at, kind, detail, After::Lost);
    }

    fn doubt_before(&mut self, at: (ContextId, EdgeId), kind: ReasonKind, detail: impl Into<String>, after: After) {
        self.is_lost |= after == After::Lost;
        let place = place(self.inner, at);
        self.reasons.insert(Reason::new(kind, detail).at(place));
    }

    fn value(&mut self, node: NodeId, expr: &Expr, state: &State) -> Value {
        self.inner.values.value(node, expr, state)
    }

    /// Checks the expressions of a statement.
    fn expressions(&mut self, node: NodeId, at: (ContextId, EdgeId), stmt: &Stmt, state: &State) {
        let mut scope = self.inner.values.scope(node);
        scope.doubts = Some(Vec::new());
        for expr in stmt.exprs() {
            // The condition of a wait is evaluated in a different state.
            if !matches!(stmt, Stmt::Await { .. }) {
                let _ = scope.evaluate(expr, state);
            }
        }
        let doubts = scope.doubts.take().unwrap_or_default();
        for (kind, detail) in doubts {
            self.doubt(at, kind, detail);
        }
    }

    fn statement(&mut self, node: NodeId, at: (ContextId, EdgeId), stmt: &Stmt, state: &State) {
        for touch in stmt.touches() {
            let value = self.value(node, touch.ptr, state);
            let bytes = match (touch.ty, stmt) {
                (Some(ty), _) => Some(ty.bytes(self.pointer_bytes())),
                (None, Stmt::Copy { len, .. } | Stmt::Set { len, .. }) => self.longest(node, len, state),
                (None, _) => continue,
            };
            self.access(at, &value, bytes, touch.writes);
        }
        match stmt {
            Stmt::Assert { cond, claim, is_defined } => {
                let is_asked = claim.property() == self.property;
                let matters = is_asked || claim.property() != Property::Unreach && !is_defined;
                let holds = self.value(node, cond, state).exact_number(1).and_then(|number| number.single());
                if matters && holds != Some(1) && !self.is_shown(at, cond, claim) {
                    let kind = if is_asked { ReasonKind::Imprecise } else { ReasonKind::Undefined };
                    if is_asked {
                        self.may_fail.insert((self.inner.points_to.contexts().function(at.0), at.1));
                    }
                    // A violation of the property in question ends the run.
                    let after = if is_asked { After::Followed } else { After::Lost };
                    self.doubt_before(at, kind, format!("this is not excluded: {claim}"), after);
                }
            }
            Stmt::Copy { disjoint: true, .. } => {
                let kind = match self.property {
                    Property::Memory => ReasonKind::Imprecise,
                    _ => ReasonKind::Undefined,
                };
                let detail = "it is not shown that the ranges of a copy do not overlap";
                self.doubt_before(at, kind, detail, After::Followed);
            }
            Stmt::Unmodelled(what) => {
                self.doubt_before(at, ReasonKind::Unmodelled, format!("not modelled: {what}"), After::Followed);
            }
            Stmt::Lock { ptr } => self.lock(at, ptr),
            Stmt::Unlock { ptr } => self.unlock(at, ptr),
            Stmt::Join { .. } | Stmt::Detach { .. } => {
                if !(self.joined)(at.0, at.1) {
                    let detail = "it is not shown that a thread is there to be joined or detached, and only once";
                    // May-happen-in-parallel relies only on the previous owner of the number having ended.
                    self.doubt_before(at, ReasonKind::Undefined, detail, After::Followed);
                }
            }
            Stmt::Store { ty, value, .. } => {
                let value = self.value(node, value, state);
                self.whole_pointers(at, *ty, &value);
            }
            Stmt::Load { ty, ptr, .. } => {
                let ptr = self.value(node, ptr, state);
                let from = self.inner.values.program.functions[self.inner.values.function_of(node)].edges[at.1].from;
                let value = self.inner.values.held((node, from), &ptr, *ty, state);
                self.whole_pointers(at, *ty, &value);
            }
            Stmt::CompareExchange { ty, ptr, expected, .. } => {
                let ptr = self.value(node, ptr, state);
                let from = self.inner.values.program.functions[self.inner.values.function_of(node)].edges[at.1].from;
                let found = self.inner.values.load((node, from), &ptr, *ty, state);
                let expected = self.value(node, expected, state);
                if !found.refs.is_empty() || found.any || !expected.refs.is_empty() || expected.any {
                    self.doubt(at, ReasonKind::Addresses, "pointers are compared and exchanged");
                }
            }
            Stmt::Rmw { ty, value, .. } => {
                let value = self.value(node, value, state);
                self.whole_pointers(at, *ty, &value);
            }
            Stmt::Call { callee: Callee::Indirect(ptr), .. } | Stmt::Spawn { callee: Callee::Indirect(ptr), .. } => {
                let value = self.value(node, ptr, state);
                let objects = &self.inner.values.objects;
                let is_function = |object: &ObjectNumber| matches!(objects.get(*object).name, Name::Function(_));
                if value.any || value.number.is_some() || !value.refs.iter().all(|(object, _)| is_function(object)) {
                    self.doubt(at, ReasonKind::Undefined, "a call through a pointer to no function is not excluded");
                }
            }
            Stmt::AtomicBegin { .. } => {
                if self.inner.facts.held(at.0, at.1).possible.contains(0) {
                    self.doubt(at, ReasonKind::Unsupported, "atomic regions may be nested");
                }
            }
            Stmt::ExitThread(_) => self.end(at),
            Stmt::Return(_) => {
                if self.starts_thread(at.0) {
                    self.end(at);
                }
            }
            Stmt::Skip
            | Stmt::Assign { .. }
            | Stmt::Havoc { .. }
            | Stmt::Assume(_)
            | Stmt::Fence(_)
            | Stmt::Copy { disjoint: false, .. }
            | Stmt::Set { .. }
            | Stmt::Alloc { .. }
            | Stmt::Free { .. }
            | Stmt::Expire { .. }
            | Stmt::Call { .. }
            | Stmt::NewThread { .. }
            | Stmt::Spawn { .. }
            | Stmt::Await { .. }
            | Stmt::AtomicEnd { .. }
            | Stmt::Exit => {}
        }
        self.take(at);
        let held = self.inner.facts.held(at.0, at.1);
        if self.inner.facts.rooted_at(at.0, stmt).into_iter().any(|fact| held.possible.contains(fact)) {
            self.doubt(at, ReasonKind::Undefined, "a lock may still be held when the pointer to it changes or is gone");
        }
    }

    fn starts_thread(&self, context: ContextId) -> bool {
        self.inner.threads.templates().iter().any(|template| template.entries.contains(&context))
    }

    /// Checks the end of a thread.
    fn end(&mut self, at: (ContextId, EdgeId)) {
        if self.inner.facts.held(at.0, at.1).possible.contains(0) {
            self.doubt(at, ReasonKind::Unmodelled, "a thread may end in an atomic region");
        }
    }

    fn pointer_bytes(&self) -> u64 {
        self.inner.values.program.data_model.pointer_bytes()
    }

    /// The maximum length of a range.
    fn longest(&mut self, node: NodeId, len: &Expr, state: &State) -> Option<u64> {
        let width = self.inner.values.program.data_model.pointer_width();
        let len = self.value(node, len, state).as_number(width)?;
        (len.low() >= 0).then(|| u64::try_from(len.high()).ok()).flatten()
    }

    /// Pointers must be stored and loaded as a whole.
    fn whole_pointers(&mut self, at: (ContextId, EdgeId), ty: Type, value: &Value) {
        if ty.bytes(self.pointer_bytes()) != self.pointer_bytes() && (value.any || !value.refs.is_empty()) {
            self.doubt(at, ReasonKind::Addresses, "a part of an address may be stored or loaded");
        }
    }

    /// An access must lie within live objects.
    fn access(&mut self, at: (ContextId, EdgeId), value: &Value, bytes: Option<u64>, writes: bool) {
        let Some(bytes) = bytes else {
            let detail = "an access outside of an object is not excluded";
            return self.doubt_before(at, ReasonKind::Undefined, detail, After::Followed);
        };
        if value.any || value.number.is_some() {
            let is_null =
                !value.any && value.number.is_some_and(|number| number.low() >= 0 && number.high() < FIRST_PAGE);
            let what =
                if is_null { "an access through a null pointer" } else { "an access through an invalid pointer" };
            // Any other number may be the address of an object.
            let after = if is_null { After::Followed } else { After::Lost };
            return self.doubt_before(at, ReasonKind::Undefined, format!("{what} is not excluded"), after);
        }
        let held = self.inner.facts.held(at.0, at.1);
        for (object, offset) in &value.refs {
            let body = self.inner.values.objects.body(*object);
            let item = self.inner.values.objects.get(*object);
            let (size, is_memory, is_constant) = (item.size, item.is_memory(), item.is_constant);
            let is_lasting = !item.is_thread_local || item.is_private;
            let is_inside =
                size.is_some_and(|size| offset.low() >= 0 && offset.high() + i128::from(bytes) <= size.low());
            let name = self.inner.values.objects.describe(*object);
            if !is_memory || !is_inside {
                let detail = format!("an access outside of {name} is not excluded");
                self.doubt_before(at, ReasonKind::Undefined, detail, After::Followed);
            }
            if is_constant && writes {
                let detail = format!("a write of {name}, which is constant, is not excluded");
                self.doubt_before(at, ReasonKind::Undefined, detail, After::Followed);
            }
            if self.may_be_gone(&held.possible, body) || !is_lasting {
                let detail = format!("an access to {name} after its lifetime is not excluded");
                self.doubt_before(at, ReasonKind::Undefined, detail, After::Followed);
            }
        }
    }

    fn may_be_gone(&self, possible: &crate::domains::Bits, object: ObjectNumber) -> bool {
        possible.iter().any(|fact| matches!(&self.inner.facts.list[fact], Fact::Gone(other) if *other == object))
    }

    fn lock(&mut self, at: (ContextId, EdgeId), ptr: &Expr) {
        let held = self.inner.facts.held(at.0, at.1);
        let fact = self.inner.facts.fact_of_lock(self.inner.values, self.inner.symbols, at, ptr, Mode::Mutex);
        let Some(fact) = fact else {
            return self.doubt(at, ReasonKind::Undefined, "which lock is taken is not known");
        };
        let mut held = held.possible.iter().chain(self.inner.tried.iter().copied());
        if held.any(|other| self.inner.facts.may_be_same(fact, other)) {
            self.doubt(at, ReasonKind::Undefined, "a lock may be taken by the thread that holds it");
        }
    }

    fn unlock(&mut self, at: (ContextId, EdgeId), ptr: &Expr) {
        let held = self.inner.facts.held(at.0, at.1);
        let fact = self.inner.facts.fact_of_lock(self.inner.values, self.inner.symbols, at, ptr, Mode::Mutex);
        let is_held = |fact: usize| held.certain.contains(fact) && !self.inner.unreliable_locks.contains(&fact);
        if !fact.is_some_and(is_held) {
            self.doubt(at, ReasonKind::Undefined, "a lock may be released by a thread that does not hold it");
        }
    }

    /// For a function that acquires a named lock: the lock must be known. A read-write lock must not be held for
    /// writing by this thread, or it would not be acquired.
    fn take(&mut self, at: (ContextId, EdgeId)) {
        let Some(Role::Take(mode) | Role::Try(mode)) = self.inner.facts.role(at.0) else { return };
        if self.inner.facts.argument(at.0).is_none_or(|(edge, _)| edge != at.1) {
            return;
        }
        let Some(fact) = self.inner.facts.fact_of_argument(self.inner.values, self.inner.symbols, at.0, mode) else {
            return self.doubt(at, ReasonKind::Undefined, "which lock is taken is not known");
        };
        if self.inner.facts.role(at.0) == Some(Role::Try(mode)) {
            return;
        }
        let held = self.inner.facts.held(at.0, at.1);
        let is_written = |other: &usize| matches!(self.inner.facts.list[*other], Fact::Lock(_, Mode::Writing));
        let mut held = held.possible.iter().filter(is_written).chain(self.inner.tried.iter().copied());
        if held.any(|other| self.inner.facts.may_be_same(fact, other)) {
            let detail = "a read-write lock may be taken by the thread that holds it for writing";
            self.doubt(at, ReasonKind::Undefined, detail);
        }
    }

    /// Whether an assertion holds because of held locks, or by the order of starts and joins.
    fn is_shown(&mut self, at: (ContextId, EdgeId), cond: &Expr, claim: &Claim) -> bool {
        if *claim == Claim::UnlockedByHolder(SyncObject::RwLock) && self.holds_argument(at) {
            return true;
        }
        let function = &self.inner.values.program.functions[self.inner.points_to.contexts().function(at.0)];
        let Some(looked) = Looked::new(function, at.1, cond) else { return false };
        let reads = self.reads.get_or_insert_with(|| Reads::new(self.inner));
        reads.show(self.inner, at.0, cond, &looked)
    }

    /// Whether a thread that releases a read-write lock certainly holds it.
    fn holds_argument(&mut self, at: (ContextId, EdgeId)) -> bool {
        let certain = self.inner.facts.held(at.0, at.1).certain;
        self.inner.facts.role(at.0) == Some(Role::Release)
            && [Mode::Reading, Mode::Writing].into_iter().any(|mode| {
                let fact = self.inner.facts.fact_of_argument(self.inner.values, self.inner.symbols, at.0, mode);
                fact.is_some_and(|fact| certain.contains(fact) && !self.inner.unreliable_locks.contains(&fact))
            })
    }

    /// What one thread frees is freed once, and no other thread uses it afterwards.
    fn frees(&mut self, budget: &Budget) -> Result<(), Stop> {
        let program = self.inner.values.program;
        let mut ends: Vec<((ContextId, EdgeId), ObjectNumber)> = Vec::new();
        let mut uses: Vec<((ContextId, EdgeId), ObjectNumber)> = Vec::new();
        for context in self.inner.points_to.contexts().ids() {
            budget.check()?;
            let function = &program.functions[self.inner.points_to.contexts().function(context)];
            for (edge, item) in function.edges.enumerate() {
                let at = (context, edge);
                if !self.inner.values.is_reached(context, edge) {
                    continue;
                }
                if let Stmt::Free { ptr } = &item.stmt {
                    ends.extend(self.free(at, ptr).into_iter().map(|object| (at, object)));
                }
                match &item.stmt {
                    Stmt::Expire { ptr } => {
                        let value = self.inner.values.at_edge(context, edge, ptr).unwrap_or_default();
                        ends.extend(value.refs.iter().map(|(object, _)| (at, *object)));
                    }
                    Stmt::Return(_) => ends.extend(self.stack_of(context).into_iter().map(|object| (at, object))),
                    Stmt::ExitThread(_) => {
                        for other in self.below(context) {
                            ends.extend(self.stack_of(other).into_iter().map(|object| (at, object)));
                        }
                    }
                    _ => {}
                }
                for touch in item.stmt.touches() {
                    let value = self.inner.values.at_edge(context, edge, touch.ptr).unwrap_or_default();
                    for (object, _) in &value.refs {
                        uses.push((at, self.inner.values.objects.body(*object)));
                    }
                }
            }
        }
        ends.retain(|(_, object)| !self.inner.values.objects.get(*object).is_private);
        for (end, object) in ends {
            for (at, _) in uses.iter().filter(|(_, used)| *used == object) {
                if !self.is_before(*at, end, object) {
                    let name = self.inner.values.objects.describe(object);
                    let detail = format!("that {name} is used after its lifetime by another thread is not excluded");
                    self.doubt_before(end, ReasonKind::Undefined, detail, After::Followed);
                    break;
                }
            }
        }
        Ok(())
    }

    /// The objects in the frame of a context.
    fn stack_of(&mut self, context: ContextId) -> Vec<ObjectNumber> {
        let values = &mut *self.inner.values;
        let function = &values.program.functions[values.points_to.contexts().function(context)];
        let is_stack = |stmt: &Stmt| matches!(stmt, Stmt::Alloc { kind: AllocKind::Stack, .. });
        let sites = function.edges.enumerate().filter(|(_, item)| is_stack(&item.stmt));
        sites.map(|(edge, _)| values.objects.number(Name::Site(context, edge, false))).collect()
    }

    /// The contexts whose frames may be on the stack when a context ends its thread.
    fn below(&self, context: ContextId) -> BTreeSet<ContextId> {
        let threads = self.inner.threads;
        threads.running(context).iter().flat_map(|id| threads.templates()[id].contexts.iter().copied()).collect()
    }

    /// Checks a free. Returns the freed objects.
    fn free(&mut self, at: (ContextId, EdgeId), ptr: &Expr) -> Vec<ObjectNumber> {
        let value = self.inner.values.at_edge(at.0, at.1, ptr).unwrap_or_default();
        let held = self.inner.facts.held(at.0, at.1);
        let is_null_or_none = value.number.is_none_or(|number| number.single() == Some(0));
        let objects = &self.inner.values.objects;
        let is_whole = |(object, offset): &(ObjectNumber, crate::domains::Number)| {
            objects.get(*object).alloc == Some(AllocKind::Heap)
                && !objects.get(*object).name.is_ghost()
                && offset.single() == Some(0)
        };
        let freed: Vec<ObjectNumber> = value.refs.iter().map(|(object, _)| *object).collect();
        let is_first = freed.iter().all(|object| !self.may_be_gone(&held.possible, *object));
        if value.any || !is_null_or_none || !value.refs.iter().all(is_whole) || !is_first {
            self.doubt(at, ReasonKind::Undefined, "what is freed may not be there, or not as a whole");
        }
        freed
    }

    /// Whether an action of one thread on an object certainly comes before another action, or the same one, ends the
    /// object's life.
    fn is_before(&self, at: (ContextId, EdgeId), end: (ContextId, EdgeId), object: ObjectNumber) -> bool {
        let threads = self.inner.threads;
        threads.running(end.0).iter().all(|ending| {
            let beside = self.inner.beside(ending, end);
            threads.running(at.0).iter().all(|using| {
                if using == ending && !threads.templates()[ending].is_many {
                    // Program order is checked at the use.
                    return true;
                }
                let is_ancestor = threads.templates()[ending].descendants.contains(using);
                let is_apart = !beside.contains(using) && !self.inner.beside(using, at).contains(ending);
                is_ancestor && is_apart && !threads.templates()[ending].is_many && !self.is_gone_at_start(using, object)
            })
        })
    }

    /// Whether an object may be dead when a thread of a template, or an ancestor of it, is started.
    fn is_gone_at_start(&self, template: ir::analysis::TemplateId, object: ObjectNumber) -> bool {
        let threads = self.inner.threads;
        let mut seen = ThreadSet::EMPTY;
        let mut work = vec![template];
        while let Some(next) = work.pop() {
            if seen.contains(next) {
                continue;
            }
            seen = seen.union(ThreadSet::one(next));
            for &(context, edge) in &threads.templates()[next].sites {
                if self.may_be_gone(&self.inner.facts.held(context, edge).possible, object) {
                    return true;
                }
                work.extend(threads.running(context).iter());
            }
        }
        false
    }
}

/// The source position of a statement for people: for library code, the call.
pub(super) fn place(inner: &Collector<'_, '_>, at: (ContextId, EdgeId)) -> String {
    let (program, contexts) = (inner.values.program, inner.points_to.contexts());
    let mut span = program.functions[contexts.function(at.0)].edges[at.1].span;
    let mut caller = contexts.caller(at.0);
    while let (false, Some((outer, call))) = (program.is_users(span), caller) {
        span = program.functions[contexts.function(outer)].edges[call].span;
        caller = contexts.caller(outer);
    }
    program.place(span)
}
