//! What each step does to an abstract state (figure 4 and appendix D of the paper).
//!
//! A lock is a read-modify-write from free to held, an unlock one by the holder: ghost memory is sequentially consistent,
//! so whoever holds a lock knows its newest store. (The paper pairs them by syntax, which breaks on a conditional
//! unlock.) Waiting for a condition is a read-modify-write that needs it. A failed compare-exchange is a load. Atomic
//! regions order nothing here, which only adds executions.
//!
//! Invalid accesses, unlocking what is not held and whatever else is undefined ends the analysis with a reason.

use crate::domains::{Number, Numeric, Order as StoreOrder, Var};
use crate::priori::evaluate::Scope;
use crate::priori::fixpoint::{Alarm, Analysis, Kill, RESULT};
use crate::priori::graph::{Arc, NodeId, Step};
use crate::priori::interference::as_seen_by_others;
use crate::priori::state::{Base, Scalar, State, Target};
use crate::priori::world::{CellEvents, Object, Source, FENCE};
use check::ReasonKind;
use ir::{AllocKind, BinaryOp, Callee, Expr, LocalId, MemoryModel, Order, Property, RmwOp, Stmt, Type};

/// A pointer with more possible offsets than this makes an object flat.
const MOST_OFFSETS: i128 = 24;

/// Where a step is taken.
#[derive(Clone, Copy)]
struct At {
    thread: u32,
    node: NodeId,
    arc: Arc,
}

impl<'a, D: Numeric> Analysis<'a, D> {
    fn scope(&self, thread: u32, frame: u32) -> Scope<'a> {
        let info = &self.world.threads[thread as usize].graph.frames[frame as usize];
        Scope {
            function: &self.task.program.functions[info.function],
            data_model: self.task.program.data_model,
            base: info.base,
            thread,
        }
    }

    fn frame(&self, at: At) -> u32 {
        self.world.threads[at.thread as usize].graph.nodes[at.node as usize].frame
    }

    fn scope_at(&self, at: At) -> Scope<'a> {
        self.scope(at.thread, self.frame(at))
    }

    fn go(&mut self, at: At, state: State<D>) {
        self.pending.push((at.thread, at.arc.to, state));
    }

    fn evaluate(&mut self, at: At, expr: &Expr, state: &State<D>) -> Scalar {
        self.scope_at(at).evaluate(expr, state, &mut self.world)
    }

    /// Takes a step. `index` is the number of the state at its node, if it is kept.
    pub(super) fn step(&mut self, thread: u32, node: NodeId, arc: Arc, state: &State<D>, index: Option<usize>) {
        let at = At { thread, node, arc };
        let stmt = self.statement(thread, node, arc.edge);
        match arc.step {
            Step::Recursion => self.gap(ReasonKind::Bound, "recursion is not analysed", thread, node, arc.edge),
            Step::Enter(frame) => self.enter(at, stmt, frame, state),
            Step::Leave => self.leave(at, stmt, state),
            Step::End => self.end(at, stmt, state),
            Step::Fence => self.read(at, state, index, FENCE),
            Step::Statement { .. } => self.execute(at, stmt, state, index),
        }
    }

    fn enter(&mut self, at: At, stmt: &Stmt, frame: u32, state: &State<D>) {
        let Stmt::Call { callee, args, .. } = stmt else { return };
        let inner = self.scope(at.thread, frame);
        let function = self.world.threads[at.thread as usize].graph.frames[frame as usize].function;
        if let Callee::Indirect(expr) = callee {
            match self.evaluate(at, expr, state) {
                Scalar::Refs(refs) => {
                    if refs.iter().any(|target| !matches!(target, Target::Function(_))) {
                        let detail = "call of something that may not be a function";
                        return self.gap(ReasonKind::Undefined, detail, at.thread, at.node, at.arc.edge);
                    }
                    if !refs.contains(&Target::Function(function)) {
                        return;
                    }
                }
                Scalar::Number(_) | Scalar::Any => {
                    let detail = "a call through a pointer that is not resolved";
                    return self.gap(ReasonKind::Unsupported, detail, at.thread, at.node, at.arc.edge);
                }
            }
        }
        let outer = self.scope_at(at);
        let mut entered = state.clone();
        let first = inner.base;
        let last = first + inner.function.locals.len() as u32;
        entered.retain(&mut |var| !(first..last).contains(&var.0));
        for (param, arg) in inner.function.params.iter().zip(args) {
            let value = outer.evaluate(arg, state, &mut self.world);
            entered.set_linear(inner.var(*param), value, outer.linear(arg));
        }
        self.go(at, entered);
    }

    fn leave(&mut self, at: At, stmt: &Stmt, state: &State<D>) {
        let Stmt::Return(values) = stmt else { return };
        let frame = self.frame(at);
        let inner = self.scope_at(at);
        let Some((caller, call)) = self.world.threads[at.thread as usize].graph.frames[frame as usize].caller else {
            return;
        };
        let outer = self.scope(at.thread, caller);
        let mut left = state.clone();
        if let Stmt::Call { dsts, .. } = &outer.function.edges[call].stmt {
            for (index, dst) in dsts.iter().enumerate() {
                match values.get(index) {
                    Some(value) => {
                        let scalar = inner.evaluate(value, state, &mut self.world);
                        left.set_linear(outer.var(*dst), scalar, inner.linear(value));
                    }
                    None => left.set(outer.var(*dst), Scalar::Any),
                }
            }
        }
        let (first, last) = (inner.base, inner.base + inner.function.locals.len() as u32);
        left.retain(&mut |var| !(first..last).contains(&var.0));
        self.kill_frame(at, frame, &mut left);
        self.go(at, left);
    }

    fn end(&mut self, at: At, stmt: &Stmt, state: &State<D>) {
        let result = match stmt {
            Stmt::Return(values) => values.first().map(|value| self.evaluate(at, value, state)),
            Stmt::ExitThread(value) => Some(self.evaluate(at, value, state)),
            _ => None,
        };
        let mut ended = state.clone();
        let mut frame = Some(self.frame(at));
        while let Some(current) = frame {
            self.kill_frame(at, current, &mut ended);
            frame =
                self.world.threads[at.thread as usize].graph.frames[current as usize].caller.map(|(outer, _)| outer);
        }
        ended.set(RESULT, result.unwrap_or(Scalar::Any));
        self.publish_end(at.thread, &ended);
    }

    fn kill_frame(&mut self, at: At, frame: u32, state: &mut State<D>) {
        for object in 0..self.world.objects.len() as u32 {
            let item = &self.world.objects[object as usize];
            let Source::Site { thread, node } = item.source else { continue };
            let graph = &self.world.threads[at.thread as usize].graph;
            if thread == at.thread && !item.is_heap && graph.nodes[node as usize].frame == frame {
                self.kill(at, object, state);
            }
        }
    }

    /// Ends the life of an object.
    fn kill(&mut self, at: At, object: u32, state: &mut State<D>) {
        let item = &self.world.objects[object as usize];
        if item.is_shared {
            let key = (object, at.thread, at.node);
            let (thread, node, edge) = (at.thread, at.node, at.arc.edge);
            let ended = state.ended.clone();
            let kill = self.kills.entry(key).or_insert_with(|| Kill { object, thread, node, edge, ended });
            kill.ended.retain_all(&state.ended);
        }
        let is_mentioned = state.refs.iter().any(|(_, value)| match value {
            Scalar::Refs(refs) => {
                refs.iter().any(|target| matches!(target, Target::Object { object: other, .. } if *other == object))
            }
            Scalar::Any | Scalar::Number(_) => false,
        });
        // Of an object that stands for several, others may be alive: it is gone once nothing leads to it.
        if is_mentioned || !item.is_summary {
            state.dead.insert(object as usize);
        }
        if !item.is_shared {
            self.forget_cells(object, state);
        }
    }

    fn forget_cells(&mut self, object: u32, state: &mut State<D>) {
        let mut vars: Vec<Var> = Vec::new();
        for ghost in [false, true] {
            let cells = self.world.cells_of.get(&(object, ghost)).cloned().unwrap_or_default();
            vars.extend(cells.into_iter().map(|cell| self.world.cells[cell].var));
        }
        state.retain(&mut |var| !vars.contains(&var));
        state.bases.retain(|(other, _)| *other != object);
    }

    fn execute(&mut self, at: At, stmt: &'a Stmt, state: &State<D>, index: Option<usize>) {
        match stmt {
            Stmt::Skip | Stmt::AtomicBegin | Stmt::AtomicEnd => self.go(at, state.clone()),
            Stmt::Assign { dst, value } => {
                let scope = self.scope_at(at);
                let scalar = scope.evaluate(value, state, &mut self.world);
                let mut next = state.clone();
                next.set_linear(scope.var(*dst), scalar, scope.linear(value));
                self.go(at, next);
            }
            Stmt::Havoc { dst, below } => self.havoc(at, *dst, below.as_ref(), state),
            Stmt::Assume(cond) => {
                let mut next = state.clone();
                if self.scope_at(at).assume(cond, true, &mut next, &mut self.world) {
                    self.go(at, next);
                }
            }
            Stmt::Assert { .. } => self.assert(at, stmt, state),
            Stmt::Load { ty, ptr, .. } => self.access(at, state, index, ptr, *ty, false, None),
            Stmt::Rmw { ty, ptr, .. } | Stmt::CompareExchange { ty, ptr, .. } => {
                self.access(at, state, index, ptr, *ty, true, None);
            }
            Stmt::Await { ty, ptr, .. } => self.access(at, state, index, ptr, *ty, true, None),
            Stmt::Lock { ptr } => self.access(at, state, index, ptr, Type::Int(32), true, None),
            Stmt::Store { ty, ptr, value, .. } => {
                let value = self.evaluate(at, value, state);
                self.access(at, state, index, ptr, *ty, true, Some(value));
            }
            Stmt::Unlock { ptr } => self.access(at, state, index, ptr, Type::Int(32), true, Some(Scalar::Any)),
            Stmt::Fence(order) => {
                if *order == Order::SeqCst {
                    self.read(at, state, index, FENCE);
                } else {
                    self.go(at, state.clone());
                }
            }
            Stmt::Copy { dst, src, len } => self.copy(at, dst, src, len, state),
            Stmt::Set { dst, byte, len } => self.fill(at, dst, byte, len, state),
            Stmt::Alloc { .. } => self.alloc(at, stmt, state),
            Stmt::Free { ptr } => self.free(at, ptr, state),
            Stmt::NewThread { dst } => {
                let number = self.world.thread_number(at.thread, at.node);
                let var = self.scope_at(at).var(*dst);
                let mut next = state.clone();
                next.set(var, Scalar::one(Target::Thread(number)));
                self.go(at, next);
            }
            Stmt::Spawn { .. } => self.spawn(at, stmt, state),
            Stmt::Join { thread, .. } => self.join(at, thread, state, index),
            Stmt::Detach { .. } => {
                self.has_detached = true;
                self.go(at, state.clone());
            }
            Stmt::Exit => {}
            Stmt::Unmodelled(what) => {
                let detail = format!("not modelled: {what}");
                self.gap(ReasonKind::Unmodelled, detail, at.thread, at.node, at.arc.edge);
            }
            Stmt::Call { .. } | Stmt::Return(_) | Stmt::ExitThread(_) => {
                unreachable!("calls and ends should be steps of their own")
            }
        }
    }

    fn havoc(&mut self, at: At, dst: LocalId, below: Option<&Expr>, state: &State<D>) {
        let scope = self.scope_at(at);
        let ty = scope.function.locals[dst].ty;
        let mut value = scope.typed(Scalar::Any, ty);
        if let (Some(below), Type::Int(width)) = (below, ty) {
            let bound = scope.evaluate(below, state, &mut self.world).as_number(width);
            if let (Some(bound), Scalar::Number(all)) = (bound, &value) {
                if bound.low() > 0 {
                    let refined = Number::refine(BinaryOp::Ult, true, all, &bound);
                    value = refined.map_or(value, |(number, _)| Scalar::Number(number));
                }
            }
        }
        let mut next = state.clone();
        next.set(scope.var(dst), value);
        self.go(at, next);
    }

    fn assert(&mut self, at: At, stmt: &Stmt, state: &State<D>) {
        let Stmt::Assert { cond, property, message, is_defined } = stmt else { return };
        let scope = self.scope_at(at);
        let mut failing = state.clone();
        let may_fail = scope.assume(cond, false, &mut failing, &mut self.world);
        if *property != Property::Unreach {
            if may_fail && !is_defined {
                self.gap(ReasonKind::Undefined, message.clone(), at.thread, at.node, at.arc.edge);
            }
            return self.go(at, state.clone());
        }
        if may_fail {
            let place = self.world.place(at.thread, at.node, at.arc.edge);
            let values = self.visible_values(at, &failing);
            self.alarms.insert(Alarm { place, message: message.clone(), values });
        }
        let mut next = state.clone();
        if scope.assume(cond, true, &mut next, &mut self.world) {
            self.go(at, next);
        }
    }

    /// The values of the user's variables and of the locations the thread knows something of, for people.
    fn visible_values(&mut self, at: At, state: &State<D>) -> String {
        let mut parts: Vec<String> = Vec::new();
        for cell in 1..self.world.cells.len() {
            let item = &self.world.cells[cell];
            if !item.is_shared || item.ghost || parts.len() >= 8 {
                continue;
            }
            if let Scalar::Number(number) = state.cell(&mut self.world, cell) {
                parts.push(format!("{} {}", self.world.cell_name(cell), number));
            }
        }
        let frame = self.frame(at);
        let scope = self.scope(at.thread, frame);
        for (local, item) in scope.function.locals.enumerate() {
            if let (Scalar::Number(number), true) = (state.get(scope.var(local)), parts.len() < 12) {
                let is_temporary = item.name.starts_with('t') && item.name[1..].chars().all(|c| c.is_ascii_digit());
                if !number.is_top() && !is_temporary {
                    parts.push(format!("{} {}", item.name, number));
                }
            }
        }
        parts.join(", ")
    }

    // Memory.

    /// The cells that a valid access may touch; `None` after a gap.
    fn resolve(&mut self, at: At, ptr: &Expr, len: u64, write: bool, state: &State<D>) -> Option<Vec<usize>> {
        let (thread, node, edge) = (at.thread, at.node, at.arc.edge);
        let Some(refs) = self.evaluate(at, ptr, state).as_refs() else {
            self.gap(ReasonKind::Unsupported, "a pointer that is not resolved", thread, node, edge);
            return None;
        };
        let mut cells = Vec::new();
        for target in refs {
            let Target::Object { object, ghost, offset } = target else {
                self.gap(ReasonKind::Undefined, "an access through a pointer that may be invalid", thread, node, edge);
                return None;
            };
            let item = &self.world.objects[object as usize];
            let name = item.name.clone();
            let Some(size) = item.size else {
                self.gap(ReasonKind::Unsupported, format!("the size of {name} is not known"), thread, node, edge);
                return None;
            };
            let size = if ghost { i128::from(size) * 4 + 16 } else { i128::from(size) };
            if offset.low() < 0 || offset.high() + i128::from(len) > size || write && !ghost && !item.is_writable {
                let detail = format!("an access that may be outside {name}");
                self.gap(ReasonKind::Undefined, detail, thread, node, edge);
                return None;
            }
            if state.dead.contains(object as usize) {
                let detail = format!("an access to {name} that may be after its lifetime");
                self.gap(ReasonKind::Undefined, detail, thread, node, edge);
                return None;
            }
            self.accesses.insert((object, thread));
            if self.world.is_flat(object, ghost) {
                cells.push(self.world.cell_number(object, ghost, 0, len));
                continue;
            }
            match offset.members(MOST_OFFSETS) {
                Some(offsets) => {
                    for offset in offsets {
                        cells.push(self.world.cell_number(object, ghost, offset as i64, len));
                    }
                }
                None => {
                    let source = self.world.objects[object as usize].source;
                    self.world.learnt.flat.insert((source, ghost));
                    return None;
                }
            }
        }
        self.check_overlaps(at, &cells)?;
        Some(cells)
    }

    /// Shared cells of different sizes must not overlap.
    fn check_overlaps(&mut self, at: At, cells: &[usize]) -> Option<()> {
        for cell in cells {
            let item = &self.world.cells[*cell];
            if item.is_shared && self.world.overlapping(*cell).next().is_some() {
                let name = self.world.objects[item.object as usize].name.clone();
                let detail = format!("accesses of different sizes to the same bytes of {name}");
                self.gap(ReasonKind::Unsupported, detail, at.thread, at.node, at.arc.edge);
                return None;
            }
        }
        Some(())
    }

    /// An access to memory; `stored` is what a plain store or an unlock puts there.
    #[allow(clippy::too_many_arguments, reason = "an access has many sides")]
    fn access(
        &mut self,
        at: At,
        state: &State<D>,
        index: Option<usize>,
        ptr: &Expr,
        ty: Type,
        write: bool,
        stored: Option<Scalar>,
    ) {
        let len = ty.bytes(self.task.program.data_model.pointer_bytes());
        let Some(cells) = self.resolve(at, ptr, len, write, state) else { return };
        for cell in cells {
            self.note_strengthening(at, cell);
            match &stored {
                Some(value) => self.store(at, state, cell, value.clone()),
                None => self.read(at, state, index, cell),
            }
        }
    }

    /// Notes where the order of an access is less than what the analysis takes it for.
    fn note_strengthening(&mut self, at: At, cell: usize) {
        let item = &self.world.cells[cell];
        if !item.is_shared || item.ghost || self.task.model != MemoryModel::Ra || self.task.options.strengthen_relaxed {
            return;
        }
        let is_relaxed = match self.statement(at.thread, at.node, at.arc.edge) {
            Stmt::Load { access, .. } | Stmt::Store { access, .. } => access.order == Order::Relaxed,
            Stmt::Rmw { order, .. } => *order == Order::Relaxed,
            Stmt::CompareExchange { order, failure, .. } => *order == Order::Relaxed || *failure == Order::Relaxed,
            _ => false,
        };
        if is_relaxed {
            let place = self.world.place(at.thread, at.node, at.arc.edge);
            let detail = "a relaxed access is taken as release-acquire";
            self.assumed.insert(check::Reason::new(ReasonKind::Relaxed, detail).at(place));
        }
    }

    /// Whether reading a cell by this step passes on what the store's thread knew.
    pub(super) fn acquires(&self, thread: u32, node: NodeId, arc: Arc, cell: usize) -> bool {
        if !self.world.cells[cell].ghost {
            return true;
        }
        match self.statement(thread, node, arc.edge) {
            Stmt::Load { access, .. } => access.order.acquires(),
            Stmt::Rmw { order, .. } => order.acquires(),
            Stmt::CompareExchange { order, failure, .. } => order.acquires() && failure.acquires(),
            Stmt::Lock { .. } | Stmt::Await { .. } => true,
            _ => false,
        }
    }

    fn releases(&self, at: At, cell: usize) -> bool {
        if !self.world.cells[cell].ghost {
            return true;
        }
        match self.statement(at.thread, at.node, at.arc.edge) {
            Stmt::Store { access, .. } => access.order.releases(),
            Stmt::Rmw { order, .. } | Stmt::CompareExchange { order, .. } => order.releases(),
            Stmt::Lock { .. } | Stmt::Unlock { .. } | Stmt::Await { .. } => true,
            _ => false,
        }
    }

    /// Reads a cell: from the thread's own view, and from every message.
    fn read(&mut self, at: At, state: &State<D>, index: Option<usize>, cell: usize) {
        if cell == FENCE && !self.level.orders.updates {
            return self.go(at, state.clone());
        }
        self.after_read(at.thread, at.node, at.arc, state.clone(), cell, true);
        if self.world.cells[cell].is_shared {
            self.listen(at.thread, at.node, index, cell);
        }
    }

    /// What a step does once it has read; the value is that of the cell in the state. `acquired`: the state has all that
    /// the store's thread knew.
    pub(super) fn after_read(
        &mut self,
        thread: u32,
        node: NodeId,
        arc: Arc,
        state: State<D>,
        cell: usize,
        acquired: bool,
    ) {
        let at = At { thread, node, arc };
        if cell == FENCE {
            return self.update(at, state, FENCE, None, acquired);
        }
        let value = state.cell(&mut self.world, cell);
        let scope = self.scope_at(at);
        match self.statement(thread, node, arc.edge) {
            Stmt::Load { dst, ty, .. } => {
                let mut next = state;
                let var = self.world.cells[cell].var;
                let is_exact = !self.world.cells[cell].is_flat;
                let linear = is_exact.then_some(crate::domains::Linear { var, plus: 0 });
                next.set_linear(scope.var(*dst), scope.typed(value, *ty), linear);
                self.go(at, next);
            }
            Stmt::Rmw { dst, op, ty, value: operand, .. } => {
                let operand = scope.evaluate(operand, &state, &mut self.world);
                let new = modified(*op, *ty, &value, &operand, self.task.program.data_model.pointer_width());
                let mut next = state;
                next.set(scope.var(*dst), scope.typed(value, *ty));
                self.update(at, next, cell, Some(new), acquired);
            }
            stmt @ Stmt::CompareExchange { .. } => self.compare_exchange(at, stmt, state, cell, acquired),
            Stmt::Lock { .. } => {
                let zero = Scalar::Number(Number::constant(32, 0));
                let is_free = match &value {
                    Scalar::Refs(refs) => refs.contains(&Target::Null),
                    Scalar::Number(_) | Scalar::Any => value.meet(&zero).is_some(),
                };
                if is_free {
                    self.update(at, state, cell, Some(Scalar::one(Target::Myself)), acquired);
                }
            }
            stmt @ Stmt::Await { .. } => self.proceed(at, stmt, state, cell, acquired),
            Stmt::Fence(_) => self.go(at, state),
            _ => unreachable!("only these should read"),
        }
    }

    fn compare_exchange(&mut self, at: At, stmt: &Stmt, state: State<D>, cell: usize, acquired: bool) {
        let Stmt::CompareExchange { old, success, ty, expected, desired, weak, .. } = stmt else { return };
        let scope = self.scope_at(at);
        let value = scope.typed(state.cell(&mut self.world, cell), *ty);
        let expected = scope.evaluate(expected, &state, &mut self.world);
        let var = self.world.cells[cell].var;
        let is_exact = !self.world.cells[cell].is_flat;
        let outcomes = match (&value, &expected) {
            (Scalar::Number(a), Scalar::Number(b)) if a.width() == b.width() => {
                let equal = Number::refine(BinaryOp::Eq, true, a, b).map(|(a, _)| Scalar::Number(a));
                let different = Number::refine(BinaryOp::Eq, false, a, b).map(|(a, _)| Scalar::Number(a));
                (equal, different)
            }
            (_, _) => (Some(value.clone()), Some(value.clone())),
        };
        if let Some(found) = outcomes.0 {
            let desired = scope.evaluate(desired, &state, &mut self.world);
            let mut next = state.clone();
            if is_exact {
                next.set(var, found.clone());
            }
            next.set(scope.var(*old), found.clone());
            if *weak {
                let mut failed = next.clone();
                failed.set(scope.var(*success), Scalar::Number(Number::constant(1, 0)));
                self.fail(at, failed);
            }
            next.set(scope.var(*success), Scalar::Number(Number::constant(1, 1)));
            self.update(at, next, cell, Some(desired), acquired);
        }
        if let Some(found) = outcomes.1 {
            let mut next = state;
            if is_exact {
                next.set(var, found.clone());
            }
            next.set(scope.var(*old), found);
            next.set(scope.var(*success), Scalar::Number(Number::constant(1, 0)));
            self.fail(at, next);
        }
    }

    fn fail(&mut self, at: At, state: State<D>) {
        if let Step::Statement { failed } = at.arc.step {
            self.pending.push((at.thread, failed, state));
        }
    }

    fn proceed(&mut self, at: At, stmt: &Stmt, state: State<D>, cell: usize, acquired: bool) {
        let Stmt::Await { dst, ty, ready, update, spurious, .. } = stmt else { return };
        let scope = self.scope_at(at);
        let value = scope.typed(state.cell(&mut self.world, cell), *ty);
        let mut seen = state;
        seen.set(scope.var(*dst), value);
        for wakes in [false, true] {
            let mut next = seen.clone();
            if wakes && spurious.is_none() || !scope.assume(ready, !wakes, &mut next, &mut self.world) {
                continue;
            }
            if let Some(spurious) = spurious {
                next.set(scope.var(*spurious), Scalar::Number(Number::constant(1, u128::from(wakes))));
            }
            match update {
                Some(update) => {
                    let new = scope.evaluate(update, &next, &mut self.world);
                    self.update(at, next, cell, Some(new), acquired);
                }
                None => self.go(at, next),
            }
        }
    }

    /// The second half of a read-modify-write: the store right behind what was read.
    fn update(&mut self, at: At, state: State<D>, cell: usize, value: Option<Scalar>, acquired: bool) {
        let mut next = state;
        if !self.world.cells[cell].is_shared {
            if let Some(value) = value {
                self.write(&mut next, cell, value);
            }
            return self.go(at, next);
        }
        let event = self.world.event_number(cell, at.thread, at.node, true);
        if !acquired {
            self.break_chain(cell);
        }
        let order = {
            let events = CellEvents { world: &self.world, cell };
            let old = next.order(&self.world, cell);
            if acquired {
                old.append_update(event, &events)
            } else {
                old.append(event, &events)
            }
        };
        let Some(order) = order else { return };
        let order = self.level.orders.apply(order, &self.world, cell);
        next.set_order(cell, order);
        if let Some(value) = value {
            self.write(&mut next, cell, value);
        }
        if !self.releases(at, cell) {
            self.quiet.insert((cell, event));
        }
        self.publish(at.thread, cell, event, &next);
        self.go(at, next);
    }

    /// Puts a value into a cell of a state.
    fn write(&mut self, state: &mut State<D>, cell: usize, value: Scalar) {
        let item = &self.world.cells[cell];
        let (var, is_flat, width) = (item.var, item.is_flat, item.len * 8);
        // A number lies in memory with all its bytes.
        let value = match value {
            Scalar::Number(number) if u64::from(number.width()) != width => {
                match Number::is_tracked(width as u16) && u64::from(number.width()) < width {
                    true => Number::cast(ir::CastOp::Zext, width as u16, &number).map_or(Scalar::Any, Scalar::Number),
                    false => Scalar::Any,
                }
            }
            Scalar::Number(_) | Scalar::Refs(_) | Scalar::Any => value,
        };
        let value = if is_flat { value.join(&state.cell(&mut self.world, cell)) } else { value };
        state.set(var, value);
        let overlapping: Vec<Var> = self.world.overlapping(cell).map(|other| self.world.cells[other].var).collect();
        for var in overlapping {
            state.set(var, Scalar::Any);
        }
    }

    /// A plain store, or an unlock.
    fn store(&mut self, at: At, state: &State<D>, cell: usize, value: Scalar) {
        let mut next = state.clone();
        let is_unlock = matches!(self.statement(at.thread, at.node, at.arc.edge), Stmt::Unlock { .. });
        if is_unlock {
            return self.unlock(at, next, cell);
        }
        if !self.world.cells[cell].is_shared {
            self.write(&mut next, cell, value);
            return self.go(at, next);
        }
        let event = self.world.event_number(cell, at.thread, at.node, false);
        let is_alone = self.is_alone(at, state) && !self.world.cells[cell].is_flat;
        if !is_alone {
            self.break_chain(cell);
        }
        let order = {
            let events = CellEvents { world: &self.world, cell };
            if is_alone {
                Some(StoreOrder::reset(event, self.world.cells[cell].is_chain, &events))
            } else {
                next.order(&self.world, cell).append(event, &events)
            }
        };
        let Some(order) = order else { return };
        let order = self.level.orders.apply(order, &self.world, cell);
        next.set_order(cell, order);
        self.write(&mut next, cell, value);
        if !self.releases(at, cell) {
            self.quiet.insert((cell, event));
        }
        self.publish(at.thread, cell, event, &next);
        self.go(at, next);
    }

    fn unlock(&mut self, at: At, state: State<D>, cell: usize) {
        let held = Scalar::one(Target::Myself);
        let free = Scalar::Number(Number::constant(32, 0));
        let item = &self.world.cells[cell];
        let is_certain = (item.is_chain || !item.is_shared) && state.cell(&mut self.world, cell) == held;
        if !is_certain {
            let detail = "a lock may be released by a thread that does not hold it";
            return self.gap(ReasonKind::Undefined, detail, at.thread, at.node, at.arc.edge);
        }
        self.update(at, state, cell, Some(free), true);
    }

    /// A cell turned out not to be a chain: if it was taken for one, the analysis starts again.
    fn break_chain(&mut self, cell: usize) {
        let item = &self.world.cells[cell];
        if item.is_chain && cell != FENCE {
            let source = self.world.objects[item.object as usize].source;
            self.world.learnt.broken_chains.insert((source, item.ghost));
        }
    }

    /// Whether every other thread that was started has ended, all it did being in view: what is stored now comes after
    /// everything, and whatever happens later knows it.
    fn is_alone(&self, at: At, state: &State<D>) -> bool {
        if at.thread != 0 {
            return false;
        }
        let graph = &self.world.threads[0].graph;
        graph
            .spawns
            .iter()
            .filter(|spawn| graph.reaches(**spawn, at.node))
            .all(|spawn| self.have_ended(0, *spawn, state))
    }

    fn have_ended(&self, thread: u32, spawn: NodeId, state: &State<D>) -> bool {
        let mut children = self.world.children(thread, spawn).peekable();
        // None known: the start has not been looked at yet.
        children.peek().is_some()
            && children.all(|child| {
                let graph = &self.world.threads[child as usize].graph;
                state.ended.contains(child as usize)
                    && graph.spawns.iter().all(|spawn| self.have_ended(child, *spawn, state))
            })
    }

    // Objects.

    fn alloc(&mut self, at: At, stmt: &Stmt, state: &State<D>) {
        let Stmt::Alloc { dst, size, kind, zeroed, name, .. } = stmt else { return };
        let width = self.task.program.data_model.pointer_width();
        let scope = self.scope_at(at);
        let size = scope.evaluate(size, state, &mut self.world).as_number(width).and_then(|number| number.single());
        let size = size.and_then(|size| u64::try_from(size).ok());
        let thread = &self.world.threads[at.thread as usize];
        let function = thread.graph.frames[self.frame(at) as usize].function;
        let is_shared = self.world.escape.is_shared_site(function, at.arc.edge);
        let is_summary = thread.graph.on_cycle[at.node as usize] || thread.is_many && is_shared;
        let source = Source::Site { thread: at.thread, node: at.node };
        let object = self.world.object_number(source, || Object {
            source,
            name: name.clone(),
            size,
            is_shared,
            is_summary,
            is_writable: true,
            is_zeroed: *zeroed,
            is_heap: *kind == AllocKind::Heap,
        });
        if self.world.objects[object as usize].size != size {
            self.world.objects[object as usize].size = None;
        }
        let mut next = state.clone();
        if !is_summary {
            next.dead.remove(object as usize);
            if !is_shared {
                self.forget_cells(object, &mut next);
            }
        }
        let target = Target::Object { object, ghost: false, offset: Number::constant(64, 0) };
        next.set(scope.var(*dst), Scalar::one(target));
        self.go(at, next);
    }

    fn free(&mut self, at: At, ptr: &Expr, state: &State<D>) {
        let (thread, node, edge) = (at.thread, at.node, at.arc.edge);
        let Some(refs) = self.evaluate(at, ptr, state).as_refs() else {
            return self.gap(ReasonKind::Unsupported, "free of a pointer that is not resolved", thread, node, edge);
        };
        let mut next = state.clone();
        for target in refs {
            match target {
                Target::Null => {}
                Target::Object { object, ghost: false, offset } => {
                    let item = &self.world.objects[object as usize];
                    let is_valid = item.is_heap && offset.single() == Some(0) && !state.dead.contains(object as usize);
                    if !is_valid || item.is_summary {
                        let kind = if is_valid { ReasonKind::Unsupported } else { ReasonKind::Undefined };
                        let detail = format!("free of {} that may be invalid", item.name);
                        return self.gap(kind, detail, thread, node, edge);
                    }
                    self.accesses.insert((object, thread));
                    self.kill(at, object, &mut next);
                }
                Target::Object { .. } | Target::Function(_) | Target::Thread(_) | Target::Myself => {
                    return self.gap(ReasonKind::Undefined, "free of an invalid pointer", thread, node, edge);
                }
            }
        }
        self.go(at, next);
    }

    /// The one private object that a range lies in, with the range; `None` after a gap.
    fn range(&mut self, at: At, ptr: &Expr, len: &Scalar, state: &State<D>) -> Option<(u32, i128, i128)> {
        let (thread, node, edge) = (at.thread, at.node, at.arc.edge);
        let width = self.task.program.data_model.pointer_width();
        let targets = self.evaluate(at, ptr, state).as_refs();
        let (Some([Target::Object { object, ghost: false, offset }]), Some(len)) =
            (targets.as_deref(), len.as_number(width))
        else {
            self.gap(ReasonKind::Unsupported, "a range of memory that is not resolved", thread, node, edge);
            return None;
        };
        let item = &self.world.objects[*object as usize];
        let size = item.size.map(i128::from);
        if item.is_shared || size.is_none() {
            let detail = format!("{} is accessed as a range of bytes", item.name);
            self.gap(ReasonKind::Unsupported, detail, thread, node, edge);
            return None;
        }
        let is_inside =
            offset.low() >= 0 && len.low() >= 0 && size.is_some_and(|size| offset.high() + len.high() <= size);
        if !is_inside || state.dead.contains(*object as usize) {
            let detail = format!("an access that may be outside {}", item.name);
            self.gap(ReasonKind::Undefined, detail, thread, node, edge);
            return None;
        }
        self.accesses.insert((*object, thread));
        let is_whole = offset.single() == Some(0) && len.single() == size;
        Some((*object, if is_whole { 1 } else { 0 }, len.high()))
    }

    fn fill(&mut self, at: At, dst: &Expr, byte: &Expr, len: &Expr, state: &State<D>) {
        let (byte, len) = (self.evaluate(at, byte, state), self.evaluate(at, len, state));
        let Some((object, is_whole, most)) = self.range(at, dst, &len, state) else { return };
        let mut next = state.clone();
        if most > 0 {
            let byte = byte.as_number(8).and_then(|number| number.single());
            let is_exact = is_whole == 1 && !self.world.objects[object as usize].is_summary;
            self.refill(
                object,
                byte.filter(|_| is_exact).map_or(Base::Anything, |byte| Base::Byte(byte as u8)),
                &mut next,
            );
        }
        self.go(at, next);
    }

    fn copy(&mut self, at: At, dst: &Expr, src: &Expr, len: &Expr, state: &State<D>) {
        let len = self.evaluate(at, len, state);
        let Some((object, _, most)) = self.range(at, dst, &len, state) else { return };
        if self.range(at, src, &len, state).is_none() {
            return;
        }
        let mut next = state.clone();
        if most > 0 {
            self.refill(object, Base::Anything, &mut next);
        }
        self.go(at, next);
    }

    fn refill(&mut self, object: u32, base: Base, state: &mut State<D>) {
        let cells = self.world.cells_of.get(&(object, false)).cloned().unwrap_or_default();
        let vars: Vec<Var> = cells.into_iter().map(|cell| self.world.cells[cell].var).collect();
        state.retain(&mut |var| !vars.contains(&var));
        state.bases.retain(|(other, _)| *other != object);
        state.bases.push((object, base));
        state.bases.sort_unstable();
    }

    // Threads.

    fn spawn(&mut self, at: At, stmt: &Stmt, state: &State<D>) {
        let Stmt::Spawn { thread: number, callee, args } = stmt else { return };
        let (thread, node, edge) = (at.thread, at.node, at.arc.edge);
        let number = self.evaluate(at, number, state).as_refs();
        let Some([Target::Thread(number)]) = number.as_deref() else {
            return self.gap(ReasonKind::Unsupported, "the number of a new thread is not resolved", thread, node, edge);
        };
        let number = *number;
        let context = self.world.threads[thread as usize].graph.frames[self.frame(at) as usize].context;
        let functions = match callee {
            Callee::Direct(function) => Scalar::one(Target::Function(*function)),
            Callee::Indirect(expr) => self.evaluate(at, expr, state),
        };
        let Some(targets) = functions.as_refs() else {
            return self.gap(ReasonKind::Unsupported, "what a new thread runs is not resolved", thread, node, edge);
        };
        for target in targets {
            let Target::Function(function) = target else {
                return self.gap(ReasonKind::Undefined, "a thread may run something invalid", thread, node, edge);
            };
            let contexts = self.world.points_to.spawned(context, edge);
            let entry =
                contexts.iter().copied().find(|entry| self.world.points_to.contexts().function(*entry) == function);
            let Some(entry) = entry else {
                return self.gap(ReasonKind::Unsupported, "what a new thread runs is not resolved", thread, node, edge);
            };
            let Some(child) = self.child(at, entry, number) else { return };
            let started = self.started.entry(number).or_default();
            if !started.contains(&child) {
                started.push(child);
            }
            self.start(at, child, args, state);
        }
        self.go(at, state.clone());
    }

    /// The thread that a place starts; `None` after a gap.
    fn child(&mut self, at: At, entry: ir::analysis::ContextId, number: u32) -> Option<u32> {
        let known = self.world.children(at.thread, at.node).find(|child| {
            let graph = &self.world.threads[*child as usize].graph;
            graph.frames[0].context == entry
        });
        if let Some(child) = known {
            if self.world.threads[child as usize].number == number {
                return Some(child);
            }
            let detail = "one place starts threads with different numbers";
            self.gap(ReasonKind::Unsupported, detail, at.thread, at.node, at.arc.edge);
            return None;
        }
        let function = self.world.points_to.contexts().function(entry);
        let mut ancestor = Some(at.thread);
        while let Some(current) = ancestor {
            if self.world.threads[current as usize].graph.frames[0].function == function {
                let detail = "threads that start threads like themselves are not analysed";
                self.gap(ReasonKind::Bound, detail, at.thread, at.node, at.arc.edge);
                return None;
            }
            ancestor = self.world.threads[current as usize].parent.map(|(parent, _)| parent);
        }
        let parent = &self.world.threads[at.thread as usize];
        let is_many = parent.is_many || parent.graph.on_cycle[at.node as usize];
        match self.add_thread(entry, Some((at.thread, at.node)), number, is_many) {
            Ok(child) => Some(child),
            Err(reason) => {
                self.reasons.insert(reason);
                None
            }
        }
    }

    fn start(&mut self, at: At, child: u32, args: &[Expr], state: &State<D>) {
        let own = self.world.threads[at.thread as usize].number;
        let mut first = crate::priori::interference::published(&self.world, at.thread, state);
        let inner = self.scope(child, 0);
        for (param, arg) in inner.function.params.iter().zip(args) {
            let value = self.evaluate(at, arg, state);
            first.set(inner.var(*param), as_seen_by_others(&value, own));
        }
        let entry = self.world.threads[child as usize].graph.entry;
        self.pending.push((child, entry, first));
    }

    fn join(&mut self, at: At, number: &Expr, state: &State<D>, index: Option<usize>) {
        let (thread, node, edge) = (at.thread, at.node, at.arc.edge);
        let Some(targets) = self.evaluate(at, number, state).as_refs() else {
            return self.gap(ReasonKind::Unsupported, "which thread is joined is not resolved", thread, node, edge);
        };
        for target in targets {
            match target {
                Target::Thread(number) => {
                    let joins = self.joins.entry(number).or_default();
                    if !joins.contains(&(thread, node)) {
                        joins.push((thread, node));
                    }
                    self.wait_for(thread, node, index, number);
                }
                // A thread that waits for itself waits for ever.
                Target::Myself => {}
                Target::Null | Target::Object { .. } | Target::Function(_) => {
                    let detail = "a join of a thread that may not exist";
                    return self.gap(ReasonKind::Unmodelled, detail, thread, node, edge);
                }
            }
        }
    }

    /// After the thread that was waited for has ended.
    pub(super) fn after_join(&mut self, thread: u32, node: NodeId, arc: Arc, state: State<D>, result: Scalar) {
        let at = At { thread, node, arc };
        if let Stmt::Join { dst, .. } = self.statement(thread, node, arc.edge) {
            let scope = self.scope_at(at);
            let mut next = state;
            if let Some(dst) = dst {
                let value = scope.typed(result, scope.function.locals[*dst].ty);
                next.set(scope.var(*dst), value);
            }
            self.go(at, next);
        }
    }
}

/// What a read-modify-write puts in place of a value.
fn modified(op: RmwOp, ty: Type, old: &Scalar, operand: &Scalar, pointer_width: u16) -> Scalar {
    if op == RmwOp::Exchange {
        return operand.clone();
    }
    let width = match ty {
        Type::Int(width) => width,
        Type::Ptr => pointer_width,
    };
    match (old.as_number(width), operand.as_number(width)) {
        (Some(old), Some(operand)) => Scalar::Number(Number::rmw(op, &old, &operand)),
        (None, _) | (_, None) => Scalar::Any,
    }
}
