//! One step of a run: whether it is enabled, and the effect of each statement. `docs/semantics.md` says the same in
//! words.

use crate::enabled::{next_edge, Readiness};
use crate::eval::{Eval, Look};
use crate::event::EventKind;
use crate::machine::{Gap, Machine, Next};
use crate::models::Actions;
use crate::object::{Object, Storage};
use crate::oracle::{Oracle, Question};
use crate::record::Recorder;
use crate::state::{RangeProgress, State, Status};
use crate::value::{Pointer, Value};
use base::Id;
use ir::analysis::atomicity::is_synchronisation;
use ir::arith;
use ir::{
    Action, AllocKind, Claim, EdgeId, Fault, FunctionId, LocalId, Order, Pick, Property, RmwOp, Stmt, Type, Unmodelled,
    Violation,
};
use std::rc::Rc;

/// Why a step did not simply lead to the next state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Interrupt {
    /// The property is violated.
    Violation(Box<Violation>),
    /// Undefined behaviour outside the property: the run has no meaning from here on.
    Undefined(Box<Violation>),
    /// A construct is not modelled.
    Unmodelled(Unmodelled),
    /// The process has ended.
    Finished,
    /// The choices made inside the step are inconsistent: no execution matches them.
    Impossible,
    /// The oracle had no answer, or the step is not enabled: the schedule does not fit the program.
    NoAnswer,
}

/// A step in progress.
pub(crate) struct Step<'a, 'p> {
    pub(crate) machine: &'a Machine<'p>,
    pub(crate) state: &'a mut State,
    pub(crate) thread: u32,
    /// The topmost frame's variables, moved out of it for the duration of the step.
    pub(crate) locals: Vec<Value>,
    pub(crate) at: (FunctionId, EdgeId),
    pub(crate) oracle: &'a mut dyn Oracle,
    pub(crate) watch: Option<&'a mut Recorder<'a>>,
    /// The number of the step plus 1 if the run is recorded, else 0.
    pub(crate) stamp: usize,
    /// Whether atomic pairs have already been notified that the statement synchronises.
    pub(crate) is_disturbance_reported: bool,
    /// The whole range, if the access is one of its pieces.
    pub(crate) range: Option<(Pointer, u64)>,
}

impl<'p> Machine<'p> {
    /// Takes a step.
    pub(crate) fn step<'a>(
        &'a self,
        state: &'a mut State,
        number: u32,
        action: Action,
        oracle: &'a mut dyn Oracle,
        watch: Option<&'a mut Recorder<'a>>,
        stamp: usize,
    ) -> Result<(), Interrupt> {
        let running = state.find_thread(u64::from(number)).is_some_and(|thread| thread.status == Status::Running);
        if !running || state.region.is_some_and(|holder| holder != number) {
            return Err(Interrupt::NoAnswer);
        }
        let at = match (next_edge(self, state.thread(number)), action) {
            (Some(at), _) => at,
            (None, Action::Flush(_)) => (self.program.entry, EdgeId::new(0)),
            (None, Action::Step | Action::Wake) => return Err(Interrupt::Finished),
        };
        let is_flush = matches!(action, Action::Flush(_));
        if !is_flush && self.model.readiness(self, state, number, at) == Some(Readiness::Draining) {
            return Err(Interrupt::NoAnswer);
        }
        let locals = match (state.thread_mut(number).frames.last_mut(), action) {
            (Some(frame), Action::Step | Action::Wake) => std::mem::take(&mut frame.locals),
            (_, Action::Flush(_)) | (None, _) => Vec::new(),
        };
        let is_disturbance_reported = false;
        let thread = number;
        let mut step = Step {
            machine: self,
            state,
            thread,
            locals,
            at,
            oracle,
            watch,
            stamp,
            is_disturbance_reported,
            range: None,
        };
        let is_due = self.model.is_due(step.state.thread(number));
        match action {
            Action::Step if is_due => self.model.take_due(&mut step)?,
            Action::Wake if is_due => return Err(Interrupt::NoAnswer),
            Action::Step => step.take(false)?,
            Action::Wake => step.take(true)?,
            Action::Flush(index) => {
                let mut possible = Actions::new();
                self.flushes(step.state, number, &mut possible);
                if !possible.contains(&(number, Action::Flush(index))) {
                    return Err(Interrupt::NoAnswer);
                }
                self.model.flush(&mut step, index as usize);
            }
        }
        self.model.settle(&mut step);
        Ok(())
    }
}

impl Step<'_, '_> {
    pub(crate) fn violation(&self, fault: Fault) -> Interrupt {
        let inside = self.site().inside(self.machine.program).map(str::to_owned);
        self.interrupt(fault, inside)
    }

    /// The interrupt for a fault, in a library function or in none.
    pub(crate) fn interrupt(&self, fault: Fault, inside: Option<String>) -> Interrupt {
        let is_asked = fault.property() == self.machine.config.property;
        // A counterexample shows the whole call path to the statement; a reason for `unknown` has one place.
        let at = Some(if is_asked { self.at } else { self.site().at });
        let thread = Some(self.thread);
        let violation = Box::new(Violation { fault, inside, thread, at, other: None, first: None });
        if is_asked {
            Interrupt::Violation(violation)
        } else {
            Interrupt::Undefined(violation)
        }
    }

    fn lock_owner(&mut self, pointer: Pointer) -> Result<u32, Interrupt> {
        if !pointer.ghost {
            return Err(not_a_ghost());
        }
        let owner =
            self.state.ghost(pointer.object, pointer.offset, 4).map_err(|what| Interrupt::Unmodelled(what.into()))?;
        Ok(self.as_int(owner) as u32)
    }

    /// Takes the edge at the thread's location.
    fn take(&mut self, wake: bool) -> Result<(), Interrupt> {
        let program = self.machine.program;
        let function = &program.functions[self.at.0];
        let loc = function.edges[self.at.1].from;
        if let Next::Branch(edges) = &self.machine.code[self.at.0].next[loc] {
            for edge in edges {
                self.at.1 = *edge;
                if let Stmt::Assume(cond) = &function.edges[*edge].stmt {
                    if self.holds(cond)? {
                        self.note(EventKind::Branch);
                        return self.go_on();
                    }
                }
            }
            return Err(Interrupt::Finished);
        }
        let stmt = &function.edges[self.at.1].stmt;
        if wake != matches!(self.wake_state(stmt)?, WakeState::Early) {
            return Err(Interrupt::NoAnswer);
        }
        self.execute(stmt, wake)
    }

    /// Checks that a step or wake-up is enabled if the statement blocks.
    fn wake_state(&mut self, stmt: &Stmt) -> Result<WakeState, Interrupt> {
        if matches!(stmt, Stmt::Lock { .. } | Stmt::Await { .. } | Stmt::Join { .. }) {
            let locals = self.locals.clone();
            let mut look = Look { machine: self.machine, state: self.state, thread: self.thread, at: self.at, locals };
            return match look.readiness(stmt).unwrap_or(Readiness::Ready) {
                Readiness::Ready | Readiness::Draining => Ok(WakeState::Ready),
                Readiness::Blocked(Some(_)) => Ok(WakeState::Early),
                Readiness::Blocked(None) => Err(Interrupt::NoAnswer),
            };
        }
        Ok(WakeState::Ready)
    }

    /// Moves to the end of the edge and forgets the variables that die there.
    pub(crate) fn go_on(&mut self) -> Result<(), Interrupt> {
        let to = self.machine.program.functions[self.at.0].edges[self.at.1].to;
        for local in &self.machine.code[self.at.0].dying[self.at.1] {
            self.locals[local.index()] = Value::Undef;
        }
        let locals = std::mem::take(&mut self.locals);
        let frame = self.state.thread_mut(self.thread).frames.last_mut().expect("a step happens in a frame");
        frame.loc = to;
        frame.locals = locals;
        Ok(())
    }

    fn set(&mut self, local: LocalId, value: Value) {
        self.locals[local.index()] = value;
    }

    /// Executes a statement.
    fn execute(&mut self, stmt: &Stmt, wake: bool) -> Result<(), Interrupt> {
        match stmt {
            Stmt::Skip => self.note(EventKind::Local),
            Stmt::Assign { dst, value } => {
                let value = self.eval_moved(value)?;
                self.set(*dst, value);
                self.note(EventKind::Local);
            }
            Stmt::Havoc { dst, below } => self.havoc(*dst, below.as_ref())?,
            Stmt::Assume(cond) => {
                if !self.holds(cond)? {
                    return Err(Interrupt::Finished);
                }
            }
            Stmt::Assert { cond, claim, is_defined } => {
                let held = self.holds(cond)?;
                self.note(EventKind::Assert { held });
                if !held && claim.property() == self.machine.config.property {
                    return Err(self.violation(Fault::Claim(claim.clone())));
                }
                if !held && !is_defined && claim.property() != Property::Unreach {
                    self.machine.gap(Gap::Undefined { fault: Fault::Claim(claim.clone()), at: self.site() });
                }
            }
            Stmt::Load { dst, ty, ptr, access } => {
                let pointer = self.eval_pointer(ptr)?;
                let value = self.load(pointer, *ty, access.order)?;
                self.set(*dst, value);
            }
            Stmt::Store { ty, ptr, value, access } => {
                let value = self.eval(value)?;
                let pointer = self.eval_pointer(ptr)?;
                self.store(pointer, *ty, value, access.order)?;
            }
            Stmt::Rmw { .. } => self.rmw(stmt)?,
            Stmt::CompareExchange { .. } => self.compare_exchange(stmt)?,
            Stmt::Fence(order) => self.fence(*order),
            Stmt::Copy { .. } | Stmt::Set { .. } => {
                if !self.range(stmt)? {
                    return self.stay();
                }
            }
            Stmt::Alloc { .. } => self.alloc(stmt)?,
            Stmt::Free { ptr } => {
                let pointer = self.eval_pointer(ptr)?;
                self.free(pointer)?;
            }
            Stmt::Expire { ptr } => {
                let pointer = self.eval_pointer(ptr)?;
                self.expire(pointer);
            }
            Stmt::Call { callee, args, .. } => return self.call(callee, args),
            Stmt::Return(values) => {
                let values = match values.as_slice() {
                    [value] => vec![self.eval_moved(value)?],
                    values => values.iter().map(|value| self.eval(value)).collect::<Result<Vec<_>, _>>()?,
                };
                return self.leave(&values);
            }
            Stmt::NewThread { dst } => {
                let number = self.new_thread()?;
                self.set(*dst, Value::Int(u128::from(number)));
            }
            Stmt::Spawn { thread, callee, args } => self.spawn(thread, callee, args)?,
            Stmt::Join { dst, thread } => self.join(*dst, thread)?,
            Stmt::Detach { thread } => {
                let number = self.eval_int(thread)? as u64;
                self.detach(number)?;
            }
            Stmt::ExitThread(value) => {
                let value = self.eval_moved(value)?;
                return self.end_thread(value);
            }
            Stmt::Lock { ptr } => self.lock(ptr)?,
            Stmt::Unlock { ptr } => self.unlock(ptr)?,
            Stmt::Await { .. } => self.wait(stmt, wake)?,
            Stmt::AtomicBegin { .. } => {
                self.state.thread_mut(self.thread).regions += 1;
                self.state.region = Some(self.thread);
            }
            Stmt::AtomicEnd { .. } => {
                let thread = self.state.thread_mut(self.thread);
                thread.regions = thread.regions.saturating_sub(1);
                if thread.regions == 0 {
                    self.state.region = None;
                }
            }
            Stmt::Exit => {
                self.note(EventKind::Exit);
                return Err(Interrupt::Finished);
            }
            Stmt::Unmodelled(what) => return Err(Interrupt::Unmodelled(what.clone())),
        }
        self.disturb();
        self.go_on()
    }

    /// Whether the statement synchronises.
    pub(crate) fn synchronises(&self) -> bool {
        is_synchronisation(&self.machine.program.functions[self.at.0].edges[self.at.1].stmt)
    }

    /// If the statement synchronises, the thread's accesses before it are disturbed.
    fn disturb(&mut self) {
        let is_new = !self.is_disturbance_reported && self.machine.pairs.is_some() && self.synchronises();
        if let (true, Some(atomicity), Some(pairs)) = (is_new, &mut self.state.atomicity, &self.machine.pairs) {
            if atomicity.has_firsts_of(self.thread) {
                Rc::make_mut(atomicity).disturb(self.thread, pairs);
            }
        }
    }

    /// The statement is not finished yet.
    pub(crate) fn stay(&mut self) -> Result<(), Interrupt> {
        let locals = std::mem::take(&mut self.locals);
        let frame = self.state.thread_mut(self.thread).frames.last_mut().expect("a step happens in a frame");
        frame.locals = locals;
        Ok(())
    }

    fn havoc(&mut self, dst: LocalId, below: Option<&ir::Expr>) -> Result<(), Interrupt> {
        let variable = &self.machine.program.functions[self.at.0].locals[dst];
        let value = match (variable.ty, below) {
            (Type::Int(width), Some(below)) => {
                let below = self.eval_int(below)?;
                Value::Int(self.input(width, Some(below.max(1)), None, &variable.name)?)
            }
            // Resolved at its first use, so that inputs that do not matter are not enumerated.
            (_, _) => Value::Undef,
        };
        self.set(dst, value);
        Ok(())
    }

    fn rmw(&mut self, stmt: &Stmt) -> Result<(), Interrupt> {
        let Stmt::Rmw { dst, op, ty, ptr, value, order } = stmt else { return Ok(()) };
        let operand = self.eval(value)?;
        let pointer = self.eval_pointer(ptr)?;
        let old = self.update(pointer, *ty, (*order, *order), &mut |step, old| {
            if *op == RmwOp::Exchange {
                return Ok(Some(operand));
            }
            // Adding to a pointer yields a pointer.
            let moved = match (op, old, operand) {
                (RmwOp::Add, Value::Ptr(pointer), Value::Int(by)) => Some((pointer, by as i64)),
                (RmwOp::Sub, Value::Ptr(pointer), Value::Int(by)) => Some((pointer, (by as i64).wrapping_neg())),
                (_, _, _) => None,
            };
            if let Some((pointer, by)) = moved {
                return Ok(Some(Value::Ptr(pointer.moved(by))));
            }
            let (old, operand) = (step.as_int(old), step.as_int(operand));
            let width = match ty {
                Type::Int(width) => *width,
                Type::Ptr => step.machine.program.data_model.pointer_width(),
            };
            Ok(Some(Value::Int(arith::rmw(*op, width, old, operand))))
        })?;
        self.set(*dst, old);
        Ok(())
    }

    fn compare_exchange(&mut self, stmt: &Stmt) -> Result<(), Interrupt> {
        let Stmt::CompareExchange { old, success, ty, ptr, expected, desired, order, failure, weak } = stmt else {
            return Ok(());
        };
        let (expected, desired) = (self.eval(expected)?, self.eval(desired)?);
        let pointer = self.eval_pointer(ptr)?;
        let mut succeeded = false;
        let found = self.update(pointer, *ty, (*order, *failure), &mut |step, found| {
            let equal = step.is_equal(*ty, found, expected)?;
            let fails = equal && *weak && step.fails_spuriously()?;
            succeeded = equal && !fails;
            if succeeded && !step.state.thread(step.thread).buffer.is_empty() {
                return Err(Interrupt::Impossible);
            }
            Ok(succeeded.then_some(desired))
        })?;
        self.set(*old, found);
        self.set(*success, Value::bool(succeeded));
        Ok(())
    }

    fn is_equal(&mut self, ty: Type, a: Value, b: Value) -> Result<bool, Interrupt> {
        Ok(self.compare(ty, a, b)? != 0)
    }

    fn fails_spuriously(&mut self) -> Result<bool, Interrupt> {
        match self.oracle.ask(Question::SpuriousFailure) {
            Some(Pick::SpuriousFailure(fails)) => Ok(fails),
            Some(Pick::Input(_) | Pick::Read(_) | Pick::Place(_)) | None => Err(Interrupt::NoAnswer),
        }
    }

    fn fence(&mut self, order: Order) {
        self.note(EventKind::Fence);
        if let Some(happens_before) = &mut self.state.happens_before {
            Rc::make_mut(happens_before).fence(self.thread, order);
        }
        let model = self.machine.model;
        model.fence(self, order);
    }

    /// One access of a copy or set; returns whether the range is done. Bytes are moved in pieces of a pointer, four
    /// bytes or one, so that other threads can see them half done; memory that no other thread reaches is moved at
    /// once.
    fn range(&mut self, stmt: &Stmt) -> Result<bool, Interrupt> {
        let (dst, src, byte, len) = match stmt {
            Stmt::Copy { dst, src, len, .. } => (dst, Some(src), None, len),
            Stmt::Set { dst, byte, len } => (dst, None, Some(byte), len),
            _ => return Ok(true),
        };
        let len = self.eval_int(len)? as u64;
        let dst = self.eval_pointer(dst)?;
        let src = src.map(|src| self.eval_pointer(src)).transpose()?;
        let byte = byte.map(|byte| self.eval_int(byte)).transpose()?;
        if len == 0 {
            return Ok(true);
        }
        let index = self.locate(dst, len, true)?;
        let dst_shared = self.state.objects[index].shared && self.state.is_parallel();
        let src_shared = match src {
            None => false,
            Some(src) => {
                let index = self.locate(src, len, false)?;
                self.state.objects[index].shared && self.state.is_parallel()
            }
        };
        if let (Stmt::Copy { disjoint: true, .. }, Some(src)) = (stmt, src) {
            let distance = src.offset.abs_diff(dst.offset);
            if src.object == dst.object && distance != 0 && distance < len {
                return Err(self.violation(Fault::Claim(Claim::CopyApart)));
            }
        }
        // Overlapping ranges that move up are copied from the end, as `memmove` does.
        let backwards = src.is_some_and(|src| src.object == dst.object && src.offset < dst.offset);
        let mut progress = self.state.thread(self.thread).range.unwrap_or_default();
        let is_seen = src_shared || dst_shared;
        let is_whole = self.piece(src.unwrap_or(dst), dst, 0, len, backwards) == len;
        self.range = (is_seen && !is_whole).then_some((dst, len));
        if self.range.is_some() && self.machine.model.reorders_pieces() {
            self.note_order();
        }
        loop {
            if progress.done == len {
                self.state.thread_mut(self.thread).range = None;
                return Ok(true);
            }
            let (offset, piece, value) = match (progress.pending, src, byte) {
                (Some((piece, value)), ..) => (self.piece_offset(progress.done, piece, len, backwards), piece, value),
                (None, Some(src), _) => {
                    let piece = self.piece(src, dst, progress.done, len, backwards);
                    let offset = self.piece_offset(progress.done, piece, len, backwards);
                    let value = self.load_raw(src.moved(offset as i64), piece, index)?;
                    if src_shared && dst_shared {
                        progress.pending = Some((piece, value));
                        self.state.thread_mut(self.thread).range = Some(progress);
                        return Ok(false);
                    }
                    (offset, piece, value)
                }
                (None, None, byte) => {
                    let piece = self.piece(dst, dst, progress.done, len, false);
                    let byte = byte.unwrap_or(0) & 0xff;
                    (progress.done, piece, Value::Int((0..piece).fold(0, |all, index| all | byte << (8 * index))))
                }
            };
            self.store_raw(dst.moved(offset as i64), piece, value)?;
            progress = RangeProgress { done: progress.done + piece, pending: None };
            if progress.done < len && is_seen {
                self.state.thread_mut(self.thread).range = Some(progress);
                return Ok(false);
            }
        }
    }

    fn piece_offset(&self, done: u64, piece: u64, len: u64, backwards: bool) -> u64 {
        if backwards {
            len - done - piece
        } else {
            done
        }
    }

    /// The number of bytes to move next.
    fn piece(&self, src: Pointer, dst: Pointer, done: u64, len: u64, backwards: bool) -> u64 {
        let left = len - done;
        let fits = |size: u64| {
            if left < size {
                return None;
            }
            let offset = self.piece_offset(done, size, len, backwards) as i64;
            let aligned = |pointer: Pointer| (pointer.offset + offset).rem_euclid(size as i64) == 0;
            (aligned(src) && aligned(dst)).then_some(offset)
        };
        let pointer_bytes = self.machine.layout.pointer_bytes();
        if let (Some(offset), Some(object)) = (fits(pointer_bytes), self.state.object(src.object)) {
            if object.has_pointer_at((src.offset + offset) as u64) {
                return pointer_bytes;
            }
        }
        if fits(4).is_some() {
            4
        } else {
            1
        }
    }

    fn load_raw(&mut self, pointer: Pointer, piece: u64, to: usize) -> Result<Value, Interrupt> {
        let index = self.locate(pointer, piece, false)?;
        let object = &self.state.objects[index];
        let is_direct = |object: &Object| !object.shared || self.machine.model.is_direct();
        if is_direct(object) && is_direct(&self.state.objects[to]) {
            // Undefined bytes are copied as such.
            let content = object.read(pointer.offset as u64, piece, &self.machine.layout);
            if content.undefined.count_ones() as u64 == piece {
                return Ok(Value::Undef);
            }
        }
        self.load(pointer, Type::Int((piece * 8) as u16), Order::Plain)
    }

    fn store_raw(&mut self, pointer: Pointer, piece: u64, value: Value) -> Result<(), Interrupt> {
        self.store(pointer, Type::Int((piece * 8) as u16), value, Order::Plain)
    }

    fn alloc(&mut self, stmt: &Stmt) -> Result<(), Interrupt> {
        let Stmt::Alloc { dst, size, align, kind, zeroed, name } = stmt else { return Ok(()) };
        let size = self.eval_int(size)?;
        if size > 1 << 30 {
            return Err(Interrupt::Unmodelled("an allocation of more than 1 GiB".into()));
        }
        let id = self.state.next_dynamic(self.thread, &self.locals);
        let storage = match kind {
            AllocKind::Stack => Storage::Stack,
            AllocKind::Heap => Storage::Heap,
        };
        let text = match kind {
            AllocKind::Stack => Rc::from(name.as_str()),
            AllocKind::Heap => self.machine.heap_name(self.site(), name),
        };
        let mut object = Object::new(id, storage, size as u64, *align, *zeroed, text);
        if *kind == AllocKind::Heap {
            object.name.instance = self.state.free_instance(&object.name.text);
        }
        object.shared = self.machine.sharing.is_shared_site(self.at.0, self.at.1);
        object.site = Some(self.at);
        self.state.add_object(object);
        if *kind == AllocKind::Stack {
            let frame = self.state.thread_mut(self.thread).frames.last_mut().expect("a step happens in a frame");
            frame.objects.push(id);
        }
        self.set(*dst, Value::Ptr(Pointer::to(id)));
        if self.watch.is_some() {
            let place = self.place(Pointer::to(id), size as u64);
            self.note(EventKind::Alloc(place));
        }
        Ok(())
    }

    fn lock(&mut self, ptr: &ir::Expr) -> Result<(), Interrupt> {
        let pointer = self.eval_pointer(ptr)?;
        self.locate(pointer, 4, true)?;
        if self.lock_owner(pointer)? == self.thread {
            return Err(self.violation(Fault::Relock));
        }
        let number = Value::Int(u128::from(self.thread));
        self.update(pointer, Type::Int(32), (Order::AcqRel, Order::AcqRel), &mut |_, _| Ok(Some(number)))?;
        if self.watch.is_some() {
            let place = self.place(pointer, 4);
            self.note(EventKind::Lock(place));
        }
        Ok(())
    }

    fn unlock(&mut self, ptr: &ir::Expr) -> Result<(), Interrupt> {
        let pointer = self.eval_pointer(ptr)?;
        self.locate(pointer, 4, true)?;
        if self.lock_owner(pointer)? != self.thread {
            if self.machine.config.property == Property::Locks {
                return Err(self.violation(Fault::UnlockByOther));
            }
            self.machine.gap(Gap::Undefined { fault: Fault::UnlockByOther, at: self.site() });
        }
        self.store(pointer, Type::Int(32), Value::Int(0), Order::Release)?;
        if self.watch.is_some() {
            let place = self.place(pointer, 4);
            self.note(EventKind::Unlock(place));
        }
        Ok(())
    }

    fn wait(&mut self, stmt: &Stmt, wake: bool) -> Result<(), Interrupt> {
        let Stmt::Await { dst, ty, ptr, update, spurious, awaited, .. } = stmt else { return Ok(()) };
        let pointer = self.eval_pointer(ptr)?;
        if !pointer.ghost {
            return Err(not_a_ghost());
        }
        if let Some(spurious) = spurious {
            self.set(*spurious, Value::bool(wake));
        }
        // A wait that ends early synchronises with nothing: POSIX leaves open whether a failing call does.
        let order = if wake { Order::Relaxed } else { Order::Acquire };
        let old = self.update(pointer, *ty, (order, order), &mut |step, old| {
            step.set(*dst, old);
            update.as_ref().map(|update| step.eval(update)).transpose()
        })?;
        self.set(*dst, old);
        if self.watch.is_some() {
            let place = self.place(pointer, 4);
            self.note(EventKind::Await { awaited: *awaited, place, spuriously: wake });
        }
        Ok(())
    }
}

/// Whether a blocking statement completes normally or early.
enum WakeState {
    Ready,
    Early,
}

/// Blocking operations wait for ghost memory only, which is sequentially consistent.
fn not_a_ghost() -> Interrupt {
    Interrupt::Unmodelled("waiting for memory that the program itself can write".into())
}
