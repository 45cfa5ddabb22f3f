//! Transfer functions: the effect of each step on an abstract state (figure 4 and appendix D of the paper).
//!
//! A lock is a read-modify-write from free to held, an unlock one by the owner: ghost memory is sequentially
//! consistent, so the owner of a lock knows its newest store. (The paper pairs them by syntax, which breaks on a
//! conditional unlock.) A condition wait is a read-modify-write that requires the condition. A failed compare-exchange
//! is a load. Atomic regions order nothing here, which only adds executions.
//!
//! Invalid accesses, unlocking a lock that is not held and other undefined behaviour end the analysis with a reason.

use crate::domains::{Number, Numeric, Order as StoreOrder, Var};
use crate::priori::evaluate::Scope;
use crate::priori::fixpoint::{Alarm, Analysis, RESULT};
use crate::priori::graph::{Arc, Buffered, NodeId, Step};
use crate::priori::state::{Scalar, State, Target};
use crate::priori::world::{CellEvents, FENCE};
use check::ReasonKind;
use ir::{BinaryOp, Callee, Expr, LocalId, Order, Property, RmwOp, Stmt, StoreBuffer, Type};

/// Maximum number of offsets of a pointer; past it the object becomes flat.
const MAX_OFFSETS: i128 = 24;

/// The position of a step.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub(super) thread: u32,
    pub(super) node: NodeId,
    pub(super) arc: Arc,
}

impl<'a, D: Numeric> Analysis<'a, D> {
    pub(super) fn scope(&self, thread: u32, frame: u32) -> Scope<'a> {
        let info = &self.world.threads[thread as usize].graph.frames[frame as usize];
        Scope {
            function: &self.task.program.functions[info.function],
            data_model: self.task.program.data_model,
            base: info.base,
            thread,
        }
    }

    pub(super) fn frame(&self, at: At) -> u32 {
        self.world.threads[at.thread as usize].graph.nodes[at.node as usize].frame
    }

    pub(super) fn scope_at(&self, at: At) -> Scope<'a> {
        self.scope(at.thread, self.frame(at))
    }

    pub(super) fn go(&mut self, at: At, state: State<D>) {
        self.pending.push((at.thread, at.arc.to, state));
    }

    pub(super) fn evaluate(&mut self, at: At, expr: &Expr, state: &State<D>) -> Scalar {
        self.scope_at(at).evaluate(expr, state, &mut self.world)
    }

    /// A shift by the width or more is undefined, whatever it computes. Library models are trusted.
    fn check_shifts(&mut self, at: At, stmt: &Stmt, state: &State<D>) {
        let scope = self.scope_at(at);
        let mut is_too_much = false;
        for expr in stmt.exprs() {
            expr.for_each(&mut |part| {
                if let Expr::Binary { op: BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr, ty, rhs, .. } = part {
                    let width = scope.width(*ty);
                    let by = scope.evaluate(rhs, state, &mut self.world).as_number(width);
                    is_too_much |= by.is_none_or(|by| by.low() < 0 || by.high() >= i128::from(width));
                }
            });
        }
        if is_too_much && self.task.program.is_users(scope.function.edges[at.arc.edge].span) {
            let detail = "a shift that may be by the width of its operand or more";
            self.gap(ReasonKind::Undefined, detail, at.thread, at.node, at.arc.edge);
        }
    }

    /// Takes a step. `index` is the number of the state at its node, if it is kept.
    pub(super) fn step(&mut self, thread: u32, node: NodeId, arc: Arc, state: &State<D>, index: Option<usize>) {
        let at = At { thread, node, arc };
        let stmt = self.statement(thread, node, arc.edge);
        self.check_shifts(at, stmt, state);
        match arc.step {
            Step::Recursion => self.gap(ReasonKind::Bound, "recursion is not analysed", thread, node, arc.edge),
            Step::Nowhere => {
                self.gap(ReasonKind::Undefined, "call of something that is no function", thread, node, arc.edge);
            }
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

    fn execute(&mut self, at: At, stmt: &'a Stmt, state: &State<D>, index: Option<usize>) {
        match stmt {
            Stmt::Skip | Stmt::AtomicBegin { .. } | Stmt::AtomicEnd { .. } => self.go(at, state.clone()),
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
                if order.is_full_fence() {
                    let what = order.strengthened_fence().filter(|_| self.task.model.strengthens_atomics());
                    if let Some(what) = what {
                        let detail = format!("not modelled: {what}");
                        self.gap(ReasonKind::Unmodelled, detail, at.thread, at.node, at.arc.edge);
                    }
                    self.read(at, state, index, FENCE);
                } else {
                    self.go(at, state.clone());
                }
            }
            Stmt::Copy { dst, src, len, disjoint } => self.copy(at, (dst, src, len), *disjoint, state),
            Stmt::Set { dst, byte, len } => self.fill(at, dst, byte, len, state),
            Stmt::Alloc { .. } => self.alloc(at, stmt, state),
            Stmt::Free { ptr } => self.free(at, ptr, state),
            Stmt::Expire { ptr } => self.expire(at, ptr, state),
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
        let Stmt::Assert { cond, claim, is_defined } = stmt else { return };
        let scope = self.scope_at(at);
        let mut failing = state.clone();
        let may_fail = scope.assume(cond, false, &mut failing, &mut self.world);
        if claim.property() != self.task.property {
            if may_fail && !is_defined && claim.property() != Property::Unreach {
                self.gap(ReasonKind::Undefined, claim.to_string(), at.thread, at.node, at.arc.edge);
            }
            return self.go(at, state.clone());
        }
        if may_fail {
            let place = self.world.place(at.thread, at.node, at.arc.edge);
            let values = self.visible_values(at, &failing);
            let assertion = Some((self.world.function(at.thread, at.node), at.arc.edge));
            let message = claim.to_string();
            self.alarms.insert(Alarm { assertion, place, message, values, accesses: None });
        }
        let mut next = state.clone();
        if scope.assume(cond, true, &mut next, &mut self.world) {
            self.go(at, next);
        }
    }

    /// The values of user variables and of the locations that the thread knows something about, for people.
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
            let size = i128::from(if ghost { ir::ghost_size(size) } else { size });
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
                // One value stands for all parts: an access across two of them would find something else.
                if !offset.is_multiple_of(i128::from(len)) {
                    let detail = format!("an access to {name} at a place that is no multiple of its size");
                    self.gap(ReasonKind::Unsupported, detail, thread, node, edge);
                    return None;
                }
                cells.push(self.world.cell_number(object, ghost, 0, len));
                continue;
            }
            match offset.members(MAX_OFFSETS) {
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

    /// An access to memory; `stored` is the value of a plain store or unlock.
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
            self.note_access(at, cell, state);
            match &stored {
                Some(value) => self.store(at, state, cell, value.clone()),
                None => self.read(at, state, index, cell),
            }
        }
    }

    /// Records that the analysis treats an access as stronger than it is.
    fn note_strengthening(&mut self, at: At, cell: usize) {
        let item = &self.world.cells[cell];
        if item.ghost || !self.task.model.strengthens_atomics() || self.task.options.strengthen_relaxed {
            return;
        }
        let is_shared = item.is_shared;
        let stmt = self.statement(at.thread, at.node, at.arc.edge);
        let orders: Vec<Order> = stmt.access_orders().collect();
        // The fence of an access to private memory orders all the same.
        self.has_seq_cst |= orders.contains(&Order::SeqCst) && self.is_mixed(at);
        if !is_shared {
            return;
        }
        for order in orders {
            let (kind, detail) = match order {
                Order::Plain | Order::SeqCst => continue,
                Order::Relaxed => (ReasonKind::Relaxed, "a relaxed access is taken as release-acquire"),
                Order::Acquire | Order::Release | Order::AcqRel => {
                    (ReasonKind::Mixed, "an acquire or release access is taken as ordered by seq_cst ones")
                }
            };
            let place = self.world.place(at.thread, at.node, at.arc.edge);
            self.assumed.insert(check::Reason::new(kind, detail).at(place));
        }
    }

    /// Whether weaker accesses may be mixed with the seq_cst access of a step.
    fn is_mixed(&self, at: At) -> bool {
        self.seq_cst.contains(&(self.world.function(at.thread, at.node), at.arc.edge))
    }

    /// Whether knowledge means happens-before: races are decided by the orders of accesses, whatever the model.
    pub(super) fn is_about_races(&self) -> bool {
        self.task.property == Property::Race
    }

    /// Whether reading a cell by this step takes over the knowledge of the store's thread.
    pub(super) fn acquires(&self, thread: u32, node: NodeId, arc: Arc, cell: usize) -> bool {
        if cell == FENCE || !self.world.cells[cell].ghost && !self.is_about_races() {
            return true;
        }
        match self.statement(thread, node, arc.edge) {
            Stmt::Load { access, .. } => access.order.acquires(),
            Stmt::Rmw { order, .. } => order.acquires(),
            Stmt::CompareExchange { order, failure, .. } => order.acquires() && failure.acquires(),
            Stmt::Lock { .. } => true,
            // A wait that goes on early acquires nothing; for a condition variable that may as well be before any
            // signal.
            Stmt::Await { timeout, .. } => !timeout,
            _ => false,
        }
    }

    /// Whether a store passes on the knowledge of its thread. Under the models with store buffers it does not if the
    /// thread's own stores to other locations may reach memory after it: under `pso` any that are not ordered before
    /// it, and under both those in a buffer when ghost memory is written, which is not buffered.
    fn releases(&self, at: At, cell: usize) -> bool {
        let (ghost, is_by_order) = match cell == FENCE {
            true => (false, false),
            false => (self.world.cells[cell].ghost, self.world.cells[cell].ghost || self.is_about_races()),
        };
        let buffered = match self.task.model.store_buffer() {
            None => Buffered::Nothing,
            Some(StoreBuffer::Fifo) if !ghost => Buffered::Nothing,
            Some(StoreBuffer::Fifo | StoreBuffer::PerLocation) => {
                self.world.threads[at.thread as usize].graph.buffered[at.node as usize]
            }
        };
        match self.statement(at.thread, at.node, at.arc.edge) {
            Stmt::Store { access, .. } => {
                let releases = access.order.releases();
                let is_kept_behind = match buffered {
                    Buffered::Nothing => true,
                    Buffered::Older => !ghost,
                    Buffered::Stores => !ghost && releases,
                };
                is_kept_behind && (!is_by_order || releases)
            }
            Stmt::Rmw { order, .. } | Stmt::CompareExchange { order, .. } => !is_by_order || order.releases(),
            // The fences of seq_cst accesses are steps of those.
            Stmt::Load { .. } | Stmt::Fence(_) | Stmt::Lock { .. } | Stmt::Unlock { .. } => true,
            Stmt::Await { .. } => !is_by_order,
            _ => false,
        }
    }

    /// Reads a cell: from the thread's own view, and from every message.
    fn read(&mut self, at: At, state: &State<D>, index: Option<usize>, cell: usize) {
        // Fences order accesses, but imply no happens-before by themselves.
        if cell == FENCE && (!self.level.orders.updates || self.is_about_races()) {
            return self.go(at, state.clone());
        }
        self.after_read(at.thread, at.node, at.arc, state.clone(), cell, true);
        if self.world.cells[cell].is_shared {
            self.listen(at.thread, at.node, (state, index), cell);
        }
    }

    /// The rest of a step after its read; the value is that of the cell in the state. `acquired`: the state includes
    /// the knowledge of the store's thread.
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

    /// The write of a read-modify-write: the store immediately after the one that was read.
    fn update(&mut self, at: At, state: State<D>, cell: usize, value: Option<Scalar>, acquired: bool) {
        let mut next = state;
        if !self.world.cells[cell].is_shared {
            if let Some(value) = value {
                self.write(&mut next, cell, value);
            }
            return self.go(at, next);
        }
        let event = self.world.event_number(cell, at.thread, at.node, true);
        // A store that was read without synchronisation is not known to happen before.
        let order = next.order(&self.world, cell);
        let acquired =
            acquired && (!self.is_about_races() || order.tops().iter().all(|top| order.known().contains(top)));
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

    /// Sets a cell of a state.
    fn write(&mut self, state: &mut State<D>, cell: usize, value: Scalar) {
        let item = &self.world.cells[cell];
        let (var, is_flat, width) = (item.var, item.is_flat, item.len * 8);
        // A number occupies all its bytes in memory.
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

    /// A cell assumed to be a chain is not one: the analysis restarts.
    fn break_chain(&mut self, cell: usize) {
        let item = &self.world.cells[cell];
        if item.is_chain && cell != FENCE {
            let source = self.world.objects[item.object as usize].source;
            self.world.learnt.broken_chains.insert((source, item.ghost));
        }
    }
}

/// The value that a read-modify-write stores.
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
