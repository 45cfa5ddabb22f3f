//! Value analysis of locals and memory, for every thread and whatever the others do: abstract interpretation of each
//! function in each context (those of [`ir::analysis`]), with calls joined into one entry state and one result per
//! context.
//!
//! Memory that another thread may write is flow-insensitive: a read returns the initial value or anything that was ever
//! stored there. This is sound under every memory model and for any number of threads. Memory that only one thread
//! accesses, and all memory until another thread is started, is tracked flow-sensitively ([`Known`]). Other threads do
//! not see values that were overwritten before the first of them was started.
//!
//! Limits: overlapping pieces of different sizes, and copied ranges, hold anything; the objects of one allocation site
//! are merged.

use super::evaluate::Scope;
use super::objects::{Name, Objects};
use super::state::State;
use super::store::{Known, Piece, Place, World};
use super::value::{ObjectNumber, Value};
use crate::domains::Number;
use crate::liveness::{liveness, Liveness};
use base::{Budget, Id, IdVec, Stop};
use ir::analysis::{graph, ContextId, Escape, PointsTo, Threads};
use ir::{CastOp, EdgeId, Expr, Function, FunctionId, LocId, Program, RmwOp, Stmt, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A context, together with whether another thread may have been started when it is entered.
pub(super) type NodeId = usize;

/// Data that does not depend on the context.
struct Shape {
    out: IdVec<LocId, Vec<EdgeId>>,
    order: IdVec<LocId, u32>,
    is_head: IdVec<LocId, bool>,
    liveness: Liveness,
}

/// A context with its abstract states.
pub(super) struct Node {
    pub(super) context: ContextId,
    /// The state at each reached location.
    pub(super) at: IdVec<LocId, Option<State>>,
    visits: IdVec<LocId, u32>,
    /// The result: the returned values, and the state.
    returned: Option<(Vec<Value>, State)>,
    /// How often the result grew.
    returns: u32,
    callers: BTreeSet<(NodeId, LocId)>,
}

/// The analysis, and when it is done, its result.
pub(super) struct Values<'a> {
    pub(super) program: &'a Program,
    pub(super) points_to: &'a PointsTo,
    pub(super) objects: Objects<'a>,
    pub(super) nodes: Vec<Node>,
    node_of: FxHashMap<(ContextId, bool), NodeId>,
    shapes: FxHashMap<FunctionId, Rc<Shape>>,
    /// Everything ever stored.
    pub(super) ever: World,
    /// Everything stored since another thread may have been started, and what `overwritten` places held then. It is
    /// incomplete for other places: values from before are only in `ever`.
    shared: World,
    /// Places whose contents were known, as a whole, on every path on which the first of the other threads was started.
    /// Other threads cannot see their older contents.
    overwritten: Option<BTreeSet<Place>>,
    readers: BTreeMap<ObjectNumber, BTreeSet<(NodeId, LocId)>>,
    work: BTreeSet<(NodeId, u32, LocId)>,
    thresholds: Vec<i128>,
    /// The assumptions that can hold.
    assumed: FxHashSet<(ContextId, EdgeId)>,
    /// Number of processed locations.
    pub(super) steps: u64,
}

const FIRST_WIDENING: u32 = 4;
const LAST_THRESHOLD: u32 = 12;
/// Number of visits after which a location that is no loop head is widened: its growth comes from recursion.
const MANY_VISITS: u32 = 300;
const MAX_THRESHOLDS: usize = 400;

impl<'a> Values<'a> {
    /// Analyses a program.
    pub(super) fn new(
        program: &'a Program,
        points_to: &'a PointsTo,
        threads: &'a Threads,
        escape: &'a Escape,
        budget: &Budget,
    ) -> Result<Values<'a>, Stop> {
        let mut values = Values {
            program,
            points_to,
            objects: Objects::new(program, points_to, threads, escape),
            nodes: Vec::new(),
            node_of: FxHashMap::default(),
            shapes: FxHashMap::default(),
            ever: World::default(),
            shared: World::default(),
            overwritten: None,
            readers: BTreeMap::new(),
            work: BTreeSet::new(),
            thresholds: thresholds(program),
            assumed: FxHashSet::default(),
            steps: 0,
        };
        values.enter(points_to.entry(), State::new(true, Known::default()));
        values.run(budget)?;
        Ok(values)
    }

    fn run(&mut self, budget: &Budget) -> Result<(), Stop> {
        while let Some((node, _, loc)) = self.work.pop_first() {
            self.steps += 1;
            if self.steps.is_multiple_of(256) {
                budget.check()?;
            }
            let shape = self.shape(self.function_of(node));
            for &edge in &shape.out[loc] {
                let Some(state) = self.nodes[node].at[loc].clone() else { continue };
                self.take(node, edge, state);
            }
        }
        Ok(())
    }

    /// The function of a node.
    pub(super) fn function_of(&self, node: NodeId) -> FunctionId {
        self.points_to.contexts().function(self.nodes[node].context)
    }

    fn shape(&mut self, id: FunctionId) -> Rc<Shape> {
        if let Some(shape) = self.shapes.get(&id) {
            return Rc::clone(shape);
        }
        let function = &self.program.functions[id];
        let mut order = IdVec::filled(u32::MAX, function.locs);
        for (index, loc) in graph::reverse_post_order(function).into_iter().enumerate() {
            order[loc] = index as u32;
        }
        let mut is_head = IdVec::filled(false, function.locs);
        for loc in graph::loop_heads(function) {
            is_head[loc] = true;
        }
        let shape = Rc::new(Shape { out: function.edges_out(), order, is_head, liveness: liveness(function) });
        self.shapes.insert(id, Rc::clone(&shape));
        shape
    }

    /// Enters a context.
    fn enter(&mut self, context: ContextId, state: State) -> NodeId {
        let key = (context, state.is_sequential);
        let function = &self.program.functions[self.points_to.contexts().function(context)];
        let node = *self.node_of.entry(key).or_insert_with(|| {
            self.nodes.push(Node {
                context,
                at: IdVec::filled(None, function.locs),
                visits: IdVec::filled(0, function.locs),
                returned: None,
                returns: 0,
                callers: BTreeSet::new(),
            });
            self.nodes.len() - 1
        });
        self.reach(node, function.entry, state);
        node
    }

    /// Propagates a state to a location.
    fn reach(&mut self, node: NodeId, loc: LocId, mut state: State) {
        let shape = self.shape(self.function_of(node));
        state.retain(|local| shape.liveness[loc].contains(local.index()));
        let old_mode = self.nodes[node].at[loc].as_ref().map(|old| old.is_sequential);
        match old_mode {
            Some(true) if !state.is_sequential => {
                let mut old = self.nodes[node].at[loc].take().expect("the state should be there");
                self.leave_sequential(&mut old);
                // Known values remain known, except in memory that other threads may change.
                old.is_sequential = true;
                self.nodes[node].at[loc] = Some(old);
            }
            Some(false) if state.is_sequential => self.leave_sequential(&mut state),
            Some(_) | None => {}
        }
        let item = &mut self.nodes[node];
        let has_changed = match &mut item.at[loc] {
            None => {
                item.at[loc] = Some(state);
                true
            }
            Some(old) => {
                let visits = item.visits[loc];
                let thresholds = &self.thresholds;
                match (shape.is_head[loc], visits) {
                    (false, 0..MANY_VISITS) | (true, 0..FIRST_WIDENING) => old.merge(&state, Value::join),
                    (true, FIRST_WIDENING..LAST_THRESHOLD) => old.merge(&state, |a, b| a.widen(b, thresholds)),
                    (_, _) => old.merge(&state, |a, b| a.widen(b, &[])),
                }
            }
        };
        if has_changed {
            item.visits[loc] += 1;
            self.work.insert((node, shape.order[loc], loc));
        }
    }

    /// Other threads may run from here on.
    fn leave_sequential(&mut self, state: &mut State) {
        if !state.is_sequential {
            return;
        }
        state.is_sequential = false;
        // Each thread has its own copy of a thread-local object: knowledge of one says nothing about the others.
        let objects = &self.objects;
        let places: BTreeSet<Place> =
            state.known.places().into_iter().filter(|place| objects.get(place.0).is_unique).collect();
        match &mut self.overwritten {
            None => self.overwritten = Some(places),
            Some(old) => {
                let gone: Vec<Place> = old.iter().filter(|place| !places.contains(place)).copied().collect();
                old.retain(|place| places.contains(place));
                for place in gone {
                    self.wake(place.0);
                }
            }
        }
        let published: Vec<(Place, Value)> = state.known.iter().map(|(place, value)| (*place, value.clone())).collect();
        for ((object, at, bytes), value) in published {
            let piece = Piece { offset: Number::constant(64, at as i128 as u128), bytes };
            if self.shared.store(object, &piece, &value, &self.thresholds) {
                self.wake(object);
            }
        }
        let objects = &self.objects;
        state.known.retain(|object| objects.get(object).is_private);
    }

    /// Reschedules the readers of an object.
    fn wake(&mut self, object: ObjectNumber) {
        let Some(readers) = self.readers.get(&object) else { return };
        for &(node, loc) in readers.clone().iter() {
            let order = self.shape(self.function_of(node)).order[loc];
            self.work.insert((node, order, loc));
        }
    }

    /// Everything may hold anything.
    fn lose(&mut self) {
        if self.ever.is_lost {
            return;
        }
        self.ever.is_lost = true;
        self.shared.is_lost = true;
        let objects: Vec<ObjectNumber> = self.readers.keys().copied().collect();
        for object in objects {
            self.wake(object);
        }
    }

    /// The evaluation context of a node.
    pub(super) fn scope(&mut self, node: NodeId) -> Scope<'_, 'a> {
        let function = self.function_of(node);
        Scope {
            program: self.program,
            function: &self.program.functions[function],
            objects: &mut self.objects,
            doubts: None,
        }
    }

    /// The possible values of an expression at a node.
    pub(super) fn value(&mut self, node: NodeId, expr: &Expr, state: &State) -> Value {
        self.scope(node).evaluate(expr, state)
    }

    fn take(&mut self, node: NodeId, edge: EdgeId, mut state: State) {
        let function: &'a Function = &self.program.functions[self.function_of(node)];
        let item = &function.edges[edge];
        match &item.stmt {
            Stmt::Assume(cond) => {
                if !self.scope(node).assume(cond, true, &mut state) {
                    return;
                }
                let context = self.nodes[node].context;
                self.assumed.insert((context, edge));
            }
            Stmt::Call { dsts, args, .. } => return self.call(node, edge, dsts, args, state),
            Stmt::Return(values) => return self.leave(node, values, &state),
            Stmt::Spawn { args, .. } => self.spawn(node, edge, args, &mut state),
            Stmt::ExitThread(_) | Stmt::Exit | Stmt::Unmodelled(_) => return,
            Stmt::Skip
            | Stmt::Assign { .. }
            | Stmt::Havoc { .. }
            | Stmt::Assert { .. }
            | Stmt::Load { .. }
            | Stmt::Store { .. }
            | Stmt::Rmw { .. }
            | Stmt::CompareExchange { .. }
            | Stmt::Fence(_)
            | Stmt::Copy { .. }
            | Stmt::Set { .. }
            | Stmt::Alloc { .. }
            | Stmt::Free { .. }
            | Stmt::Expire { .. }
            | Stmt::NewThread { .. }
            | Stmt::Join { .. }
            | Stmt::Detach { .. }
            | Stmt::Lock { .. }
            | Stmt::Unlock { .. }
            | Stmt::Await { .. }
            | Stmt::AtomicBegin { .. }
            | Stmt::AtomicEnd { .. } => self.simple(node, item.from, edge, &item.stmt, &mut state),
        }
        self.reach(node, item.to, state);
    }

    /// The effect of a statement with one successor that is no call.
    fn simple(&mut self, node: NodeId, loc: LocId, edge: EdgeId, stmt: &Stmt, state: &mut State) {
        let here = (node, loc);
        let pointer_width = self.program.data_model.pointer_width();
        match stmt {
            Stmt::Assign { dst, value } => {
                let value = self.value(node, value, state);
                state.set(*dst, value);
            }
            Stmt::Havoc { dst, below } => {
                let ty = self.program.functions[self.function_of(node)].locals[*dst].ty;
                let value = self.arbitrary(node, ty, below.as_ref(), state);
                state.set(*dst, value);
            }
            Stmt::Load { dst, ty, ptr, .. } => {
                let ptr = self.value(node, ptr, state);
                let value = self.load(here, &ptr, *ty, state);
                state.set(*dst, value);
            }
            Stmt::Store { ty, ptr, value, .. } => {
                let (ptr, value) = (self.value(node, ptr, state), self.value(node, value, state));
                self.store(&ptr, *ty, &value, state);
            }
            Stmt::Rmw { dst, op, ty, ptr, value, .. } => {
                let (ptr, operand) = (self.value(node, ptr, state), self.value(node, value, state));
                let old = self.load(here, &ptr, *ty, state);
                let new = modified(*op, *ty, &old, &operand, pointer_width);
                self.store(&ptr, *ty, &new, state);
                state.set(*dst, old);
            }
            Stmt::CompareExchange { old, success, ty, ptr, desired, .. } => {
                let (ptr, desired) = (self.value(node, ptr, state), self.value(node, desired, state));
                let found = self.load(here, &ptr, *ty, state);
                // It may fail: then the old value stays.
                self.store(&ptr, *ty, &desired.join(&found), state);
                state.set(*old, found);
                state.set(*success, Value::any_number(1));
            }
            Stmt::Await { dst, ty, ptr, ready, update, spurious, .. } => {
                let ptr = self.value(node, ptr, state);
                let found = self.load(here, &ptr, *ty, state);
                state.set(*dst, found);
                if let Some(spurious) = spurious {
                    let ty = self.program.functions[self.function_of(node)].locals[*spurious].ty;
                    state.set(*spurious, Value::any_number(super::value::width_of(ty, self.program.data_model)));
                } else {
                    let mut next = state.clone();
                    if self.scope(node).assume(ready, true, &mut next) {
                        *state = next;
                    }
                }
                if let Some(update) = update {
                    let new = self.value(node, update, state);
                    self.store(&ptr, *ty, &new, state);
                }
            }
            Stmt::Lock { ptr } | Stmt::Unlock { ptr } => {
                let ptr = self.value(node, ptr, state);
                self.store(&ptr, ir::LOCK, &Value::any_number(32), state);
            }
            Stmt::Copy { dst, .. } => {
                let dst = self.value(node, dst, state);
                self.blur(&dst, &Value::anything(), state);
            }
            Stmt::Set { dst, byte, len } => {
                let dst = self.value(node, dst, state);
                let byte = self.value(node, byte, state).exact_number(8).and_then(|number| number.single());
                let len = self.value(node, len, state).exact_number(pointer_width).and_then(|number| number.single());
                match (byte, len.and_then(|len| u64::try_from(len).ok())) {
                    (Some(0), Some(len)) => self.clear(&dst, len, state),
                    (_, _) => self.blur(&dst, &Value::anything(), state),
                }
            }
            Stmt::Alloc { dst, size, .. } => {
                let context = self.nodes[node].context;
                let object = self.objects.number(Name::Site(context, edge, false));
                let size = self.value(node, size, state).as_number(pointer_width);
                let size = size.and_then(|size| Number::cast(CastOp::Zext, 64, &size));
                let size = size.and_then(|size| Number::between(64, size.low().max(0), size.high()));
                self.objects.allocate(object, size);
                let ghost = self.objects.ghost(object);
                state.known.retain(|other| other != object && Some(other) != ghost);
                state.set(*dst, Value::to(object));
            }
            Stmt::NewThread { dst } => {
                let context = self.nodes[node].context;
                state.set(*dst, Value::to(self.objects.number(Name::Thread(context, edge))));
            }
            Stmt::Join { dst, .. } => {
                if let Some(dst) = dst {
                    state.set(*dst, Value::anything());
                }
            }
            Stmt::Skip
            | Stmt::Assert { .. }
            | Stmt::Fence(_)
            | Stmt::Free { .. }
            | Stmt::Expire { .. }
            | Stmt::Detach { .. }
            | Stmt::AtomicBegin { .. }
            | Stmt::AtomicEnd { .. }
            | Stmt::Assume(_)
            | Stmt::Call { .. }
            | Stmt::Return(_)
            | Stmt::Spawn { .. }
            | Stmt::ExitThread(_)
            | Stmt::Exit
            | Stmt::Unmodelled(_) => {}
        }
    }

    fn arbitrary(&mut self, node: NodeId, ty: Type, below: Option<&Expr>, state: &State) -> Value {
        let width = super::value::width_of(ty, self.program.data_model);
        if let Some(below) = below {
            if let Some(bound) = self.value(node, below, state).as_number(width) {
                if bound.low() >= 1 {
                    return Number::between(width, 0, bound.high() - 1).map_or(Value::any_number(width), Value::of);
                }
            }
        }
        Value::any_number(width)
    }

    fn call(&mut self, node: NodeId, edge: EdgeId, dsts: &[ir::LocalId], args: &[Expr], state: State) {
        let context = self.nodes[node].context;
        let item = &self.program.functions[self.function_of(node)].edges[edge];
        let given: Vec<Value> = args.iter().map(|arg| self.value(node, arg, &state)).collect();
        for callee in self.points_to.callees(context, edge).to_vec() {
            let mut inside = State::new(state.is_sequential, state.known.clone());
            let params = &self.program.functions[self.points_to.contexts().function(callee)].params;
            for (param, value) in params.iter().zip(&given) {
                inside.set(*param, value.clone());
            }
            let target = self.enter(callee, inside);
            self.nodes[target].callers.insert((node, item.from));
            let Some((values, after)) = self.nodes[target].returned.clone() else { continue };
            let mut next = state.clone();
            next.known = after.known;
            next.is_sequential = after.is_sequential;
            for (index, dst) in dsts.iter().enumerate() {
                next.set(*dst, values.get(index).cloned().unwrap_or_else(Value::anything));
            }
            self.reach(node, item.to, next);
        }
    }

    fn leave(&mut self, node: NodeId, values: &[Expr], state: &State) {
        let values: Vec<Value> = values.iter().map(|value| self.value(node, value, state)).collect();
        let mut next = State::new(state.is_sequential, state.known.clone());
        // Both modes at once, as in `reach`.
        if let Some((_, old)) = &self.nodes[node].returned {
            if old.is_sequential != next.is_sequential {
                let mut old = old.clone();
                self.leave_sequential(&mut old);
                self.leave_sequential(&mut next);
            }
        }
        let item = &mut self.nodes[node];
        let has_changed = match &mut item.returned {
            None => {
                item.returned = Some((values, next));
                true
            }
            Some((old, rest)) => {
                let mut has_changed = rest.merge(&next, Value::join);
                for (old, value) in old.iter_mut().zip(&values) {
                    if !old.includes(value) {
                        item.returns += 1;
                        *old = match item.returns {
                            0..MANY_VISITS => old.join(value),
                            MANY_VISITS.. => old.widen(value, &[]),
                        };
                        has_changed = true;
                    }
                }
                has_changed
            }
        };
        if has_changed {
            for (caller, loc) in self.nodes[node].callers.clone() {
                let order = self.shape(self.function_of(caller)).order[loc];
                self.work.insert((caller, order, loc));
            }
        }
    }

    fn spawn(&mut self, node: NodeId, edge: EdgeId, args: &[Expr], state: &mut State) {
        let context = self.nodes[node].context;
        let given: Vec<Value> = args.iter().map(|arg| self.value(node, arg, state)).collect();
        self.leave_sequential(state);
        for entry in self.points_to.spawned(context, edge).to_vec() {
            let mut inside = State::new(false, Known::default());
            let params = &self.program.functions[self.points_to.contexts().function(entry)].params;
            for (param, value) in params.iter().zip(&given) {
                inside.set(*param, value.clone());
            }
            self.enter(entry, inside);
        }
    }

    fn bytes(&self, ty: Type) -> u64 {
        ty.bytes(self.program.data_model.pointer_bytes())
    }

    /// The nodes of a context.
    pub(super) fn nodes_of(&self, context: ContextId) -> impl Iterator<Item = NodeId> + '_ {
        [true, false].into_iter().filter_map(move |mode| self.node_of.get(&(context, mode)).copied())
    }

    /// The possible values of an expression when an edge is about to be taken; `None` if it never is.
    pub(super) fn at_edge(&mut self, context: ContextId, edge: EdgeId, expr: &Expr) -> Option<Value> {
        let from = self.program.functions[self.points_to.contexts().function(context)].edges[edge].from;
        let nodes: Vec<NodeId> = self.nodes_of(context).collect();
        let mut found: Option<Value> = None;
        for node in nodes {
            let Some(state) = self.nodes[node].at[from].clone() else { continue };
            let value = self.value(node, expr, &state);
            found = Some(found.map_or(value.clone(), |old| old.join(&value)));
        }
        found
    }

    /// Whether an edge may be taken.
    pub(super) fn is_reached(&self, context: ContextId, edge: EdgeId) -> bool {
        let from = self.program.functions[self.points_to.contexts().function(context)].edges[edge].from;
        self.nodes_of(context).any(|node| self.nodes[node].at[from].is_some())
    }

    /// Whether an edge may be taken to its end, judging by its condition.
    pub(super) fn is_possible(&self, context: ContextId, edge: EdgeId) -> bool {
        let stmt = &self.program.functions[self.points_to.contexts().function(context)].edges[edge].stmt;
        !matches!(stmt, Stmt::Assume(_)) || self.assumed.contains(&(context, edge))
    }

    /// Whether no other thread has been started when an edge is taken.
    pub(super) fn is_sequential(&self, context: ContextId, edge: EdgeId) -> bool {
        let from = self.program.functions[self.points_to.contexts().function(context)].edges[edge].from;
        self.nodes_of(context).all(|node| self.nodes[node].at[from].as_ref().is_none_or(|state| state.is_sequential))
    }

    /// Whether an object is tracked flow-sensitively.
    fn is_followed(&self, object: ObjectNumber, state: &State) -> bool {
        let object = self.objects.get(object);
        object.is_memory() && object.is_single && (state.is_sequential || object.is_private)
    }

    /// The values that a read can return.
    pub(super) fn load(&mut self, here: (NodeId, LocId), ptr: &Value, ty: Type, state: &State) -> Value {
        self.held(here, ptr, ty, state).typed(ty, self.program.data_model)
    }

    /// The contents that a read can find, whatever its type.
    pub(super) fn held(&mut self, here: (NodeId, LocId), ptr: &Value, ty: Type, state: &State) -> Value {
        if ptr.any {
            return Value::anything();
        }
        let bytes = self.bytes(ty);
        let mut value = Value::default();
        for (object, offset) in &ptr.refs {
            value = value.join(&self.load_from(here, *object, &Piece { offset: *offset, bytes }, state));
        }
        if value.is_nothing() {
            value = Value::anything();
        }
        value
    }

    fn load_from(&mut self, here: (NodeId, LocId), object: ObjectNumber, piece: &Piece, state: &State) -> Value {
        if !self.objects.get(object).is_memory() {
            return Value::anything();
        }
        if let (true, Some(at)) = (self.is_followed(object, state), piece.offset.single()) {
            if let Some(value) = state.known.get(&(object, at as i64, piece.bytes)) {
                return value.clone();
            }
        }
        self.readers.entry(object).or_default().insert(here);
        let is_old = state.is_sequential || self.objects.get(object).is_private;
        if is_old {
            return self.objects.initial(object, &piece.offset, piece.bytes).join(&self.ever.load(object, piece));
        }
        let place = piece.offset.single().map(|at| (object, at as i64, piece.bytes));
        let is_overwritten = match (&self.overwritten, place) {
            (Some(overwritten), Some(place)) => overwritten.contains(&place),
            (_, _) => false,
        };
        match is_overwritten {
            true => self.shared.load(object, piece),
            false => self.objects.initial(object, &piece.offset, piece.bytes).join(&self.ever.load(object, piece)),
        }
    }

    fn store(&mut self, ptr: &Value, ty: Type, value: &Value, state: &mut State) {
        if ptr.any {
            state.known.clear();
            return self.lose();
        }
        let bytes = self.bytes(ty);
        let is_certain = ptr.refs.len() == 1;
        for (object, offset) in ptr.refs.clone() {
            if !self.objects.get(object).is_memory() {
                continue;
            }
            let piece = Piece { offset, bytes };
            match (is_certain && self.is_followed(object, state), offset.single()) {
                (true, Some(at)) => state.known.set((object, at as i64, bytes), value.clone()),
                (_, _) => state.known.touch(object, &piece, Some(value)),
            }
            self.remember(object, &piece, value, state.is_sequential);
        }
    }

    fn remember(&mut self, object: ObjectNumber, piece: &Piece, value: &Value, is_sequential: bool) {
        let mut is_new = self.ever.store(object, piece, value, &self.thresholds);
        if !is_sequential {
            is_new |= self.shared.store(object, piece, value, &self.thresholds);
        }
        if is_new {
            self.wake(object);
        }
    }

    /// Weak update: all target objects may hold a value, at any place.
    fn blur(&mut self, ptr: &Value, value: &Value, state: &mut State) {
        if ptr.any {
            state.known.clear();
            return self.lose();
        }
        for (object, _) in ptr.refs.clone() {
            self.spoil(object, value, state);
        }
    }

    /// Weak update: an object may hold a value at any place.
    fn spoil(&mut self, object: ObjectNumber, value: &Value, state: &mut State) {
        let Some(offset) = Number::between(64, 0, i128::from(i64::MAX)) else { return };
        let piece = Piece { offset, bytes: 1 };
        state.known.touch(object, &piece, None);
        self.remember(object, &piece, value, state.is_sequential);
    }

    /// Zeroes `bytes` bytes. Not atomic: other threads may see a part of it.
    fn clear(&mut self, ptr: &Value, bytes: u64, state: &mut State) {
        if ptr.any {
            state.known.clear();
            return self.lose();
        }
        for (object, offset) in ptr.refs.clone() {
            let piece = Piece { offset, bytes };
            if !state.is_sequential && !self.objects.get(object).is_private {
                self.spoil(object, &Value::anything(), state);
                continue;
            }
            state.known.touch(object, &piece, None);
            if self.ever.zero(object, &piece) {
                self.wake(object);
            }
        }
    }
}

/// The value that a read-modify-write stores.
fn modified(op: RmwOp, ty: Type, old: &Value, operand: &Value, pointer_width: u16) -> Value {
    if op == RmwOp::Exchange {
        return operand.clone();
    }
    let width = match ty {
        Type::Int(width) => width,
        Type::Ptr => pointer_width,
    };
    match (old.exact_number(width), operand.exact_number(width)) {
        (Some(old), Some(operand)) => Value::of(Number::rmw(op, &old, &operand)),
        (_, _) if width == pointer_width => Value::anything(),
        (_, _) => Value::any_number(width),
    }
}

/// Widening thresholds: constants of the program and their neighbours, where growing numbers are likely to stop.
fn thresholds(program: &Program) -> Vec<i128> {
    let mut found = BTreeSet::new();
    for function in program.functions.iter() {
        for edge in function.edges.iter() {
            for expr in edge.stmt.exprs() {
                expr.for_each(&mut |part| {
                    if let (Expr::Int { width: width @ 2..=64, value }, true) = (part, found.len() < MAX_THRESHOLDS) {
                        let value = ir::arith::signed(*width, *value);
                        found.extend([value - 1, value, value + 1]);
                    }
                });
            }
        }
    }
    found.into_iter().collect()
}
