//! The effect of each statement on a symbolic state. The reference interpreter (`interp::step`) defines the semantics.

use super::evaluate::Candidates;
use super::events::Kind;
use super::execute::Execution;
use super::memory::INVALID;
use super::objects::{self, Object, Start};
use super::state::State;
use super::value::{constant, fresh, is_set, Value, GHOST};
use base::Id;
use check::ReasonKind;
use ir::analysis::Memory;
use ir::{AllocKind, BinaryOp, Callee, Claim, Expr, FunctionId, LocalId, Order, Property, Stmt, Type};
use smt::{Bits, Sort, Term};
use std::rc::Rc;

/// Maximum size in bytes of a copy or set; larger ones are a gap.
const MAX_BYTES: u64 = 4096;
/// Maximum size in bytes of an allocation; larger ones are a gap.
const MAX_ALLOCATED: u64 = 1 << 30;
/// The maximum of a symbolic size is this times the loop bound, up to a total limit.
const SYMBOLIC_BYTES: u64 = 64;
const MAX_SYMBOLIC: u64 = 4096;

impl Execution<'_> {
    /// Executes a statement; `None` if execution ends there.
    pub(crate) fn execute(&mut self, mut state: State, stmt: &Stmt) -> Option<State> {
        self.step_events.clear();
        let locals = self.mentioned(&mut state, stmt);
        self.drain(&mut state, stmt);
        match stmt {
            Stmt::Skip => {
                self.record(&state, locals);
            }
            Stmt::Fence(order) => {
                // Before the first thread starts there is nothing to pass on that it will not know anyway.
                let passes_on = order.acquires() || order.releases();
                if self.property == Property::Race && passes_on && !state.is_alone {
                    let occurs = state.condition;
                    self.event(&mut state, Kind::Fence, None, occurs, None, None);
                    self.ordered(*order, *order);
                }
                self.fence(&mut state, *order);
                self.record(&state, locals);
            }
            Stmt::Assign { dst, value } => {
                let value = self.eval(&mut state, value);
                self.settle(&mut state);
                state.locals[dst.index()] = Some(value);
                self.record(&state, locals);
            }
            Stmt::Havoc { dst, below } => self.havoc(&mut state, *dst, below.as_ref(), locals),
            Stmt::Assume(cond) => {
                let holds = self.holds(&mut state, cond);
                self.settle(&mut state);
                state.condition = self.terms.and2(state.condition, holds);
                self.record(&state, locals);
            }
            Stmt::Assert { cond, claim, is_defined } => {
                let holds = self.holds(&mut state, cond);
                self.settle(&mut state);
                self.record(&state, locals);
                self.assertion(&mut state, holds, claim, *is_defined);
            }
            Stmt::Load { dst, ty, ptr, access } => {
                let pointer = self.eval(&mut state, ptr);
                let bytes = self.bytes(*ty);
                let place = self.place(&state, ptr, pointer, bytes, false);
                let own = self.load_private(&mut state, &place);
                self.settle(&mut state);
                self.before_load(&mut state, &place, access.order);
                let value = match place.shared {
                    None => own,
                    Some(shared) => {
                        let has_objects = *ty == Type::Ptr || self.may_hold_object(*dst);
                        let read = self.unread(bytes, has_objects);
                        let occurs = self.terms.and2(state.condition, shared);
                        self.event(&mut state, Kind::Access, Some(&place), occurs, Some(read), None);
                        Some(own.map_or(read, |own| read.or_else(self.terms, shared, own)))
                    }
                };
                let value = value.unwrap_or_else(|| self.unread(bytes, false));
                state.locals[dst.index()] = Some(self.typed(value, *ty));
                self.ordered(access.order, access.order);
                self.record(&state, locals).found = Some(value);
            }
            Stmt::Store { ty, ptr, value, access } => {
                let value = self.eval(&mut state, value);
                let pointer = self.eval(&mut state, ptr);
                let bytes = self.bytes(*ty);
                let value = self.stored(value, bytes);
                let place = self.place(&state, ptr, pointer, bytes, true);
                let always = self.terms.bool(true);
                self.check_fences(&place, access.order);
                self.store_private(&mut state, &place, always, value);
                self.settle(&mut state);
                self.before_store(&mut state, &place, access.order);
                if let Some(shared) = place.shared {
                    let occurs = self.terms.and2(state.condition, shared);
                    self.event(&mut state, Kind::Access, Some(&place), occurs, None, Some((always, value)));
                }
                self.after_write(&mut state, &place, always, access.order);
                self.ordered(access.order, access.order);
                self.record(&state, locals);
            }
            Stmt::Rmw { dst, op, ty, ptr, value, order } => {
                let operand = self.eval(&mut state, value);
                let operand = self.stored_typed(operand, *ty);
                let pointer = self.eval(&mut state, ptr);
                let has_objects = *ty == Type::Ptr || self.may_hold_object(*dst);
                let always = self.terms.bool(true);
                let op = *op;
                let ty = *ty;
                let old = self.update(&mut state, ptr, pointer, (ty, has_objects), (*order, *order), |this, _, old| {
                    let old = this.typed(old, ty);
                    (always, this.modify(op, old, operand))
                });
                state.locals[dst.index()] = Some(self.typed(old, ty));
                self.ordered(*order, *order);
                self.record(&state, locals).found = Some(old);
            }
            Stmt::CompareExchange { .. } => self.compare_exchange(&mut state, stmt, locals),
            Stmt::Copy { dst, src, len, disjoint } => self.copy(&mut state, (dst, src, len), *disjoint, locals),
            Stmt::Set { dst, byte, len } => self.fill(&mut state, dst, byte, len, locals),
            Stmt::Alloc { .. } => self.alloc(&mut state, stmt, locals),
            Stmt::Free { ptr } => self.free(&mut state, ptr, locals),
            Stmt::Expire { ptr } => self.expire(&mut state, ptr, locals),
            Stmt::Call { dsts, callee, args } => return self.call_statement(state, dsts, callee, args, locals),
            Stmt::Return(values) => {
                let values: Vec<Value> = values.iter().map(|value| self.eval(&mut state, value)).collect();
                self.settle(&mut state);
                for object in std::mem::take(&mut state.frame) {
                    self.kill(&mut state, object);
                }
                if self.frames.len() == 1 {
                    self.kill_thread_locals(&mut state);
                }
                state.returned = values;
                self.record(&state, locals);
            }
            Stmt::NewThread { dst } => self.new_thread(&mut state, *dst, locals),
            Stmt::Spawn { thread, callee, args } => self.spawn(&mut state, thread, callee, args, locals),
            Stmt::Join { dst, thread } => self.join(&mut state, *dst, thread, locals),
            Stmt::Detach { thread } => self.detach(&mut state, thread, locals),
            Stmt::ExitThread(value) => {
                let value = self.eval(&mut state, value);
                self.settle(&mut state);
                let below = std::mem::take(&mut state.below);
                for object in std::mem::take(&mut state.frame).into_iter().chain(below) {
                    self.kill(&mut state, object);
                }
                self.kill_thread_locals(&mut state);
                self.record(&state, locals);
                if !self.is_dead(&state) {
                    state.locals.clear();
                    self.exits.last_mut().expect("a thread is in progress").push((state, value));
                }
                return None;
            }
            Stmt::Lock { ptr } => self.lock(&mut state, ptr, locals),
            Stmt::Unlock { ptr } => self.unlock(&mut state, ptr, locals),
            Stmt::Await { .. } => self.wait(&mut state, stmt, locals),
            Stmt::AtomicBegin { is_fence } => self.begin_region(&mut state, *is_fence, locals),
            Stmt::AtomicEnd { .. } => self.end_region(&mut state, locals),
            // A thread may equally stop before an `exit`.
            Stmt::Exit => return None,
            Stmt::Unmodelled(what) => {
                self.gap(state.condition, ReasonKind::Unmodelled, format!("{what} is not modelled"));
                return None;
            }
        }
        (!self.is_dead(&state)).then_some(state)
    }

    pub(crate) fn bytes(&self, ty: Type) -> u64 {
        ty.bytes(self.program.data_model.pointer_bytes())
    }

    /// A value read from memory as one of a type.
    pub(crate) fn typed(&mut self, value: Value, ty: Type) -> Value {
        let width = self.width(ty);
        Value { object: value.object, bits: self.terms.resize(value.bits, width) }
    }

    fn stored_typed(&mut self, value: Value, ty: Type) -> Value {
        let width = self.width(ty);
        Value { object: value.object, bits: self.terms.resize(value.bits, width) }
    }

    fn havoc(&mut self, state: &mut State, dst: LocalId, below: Option<&Expr>, locals: Vec<(LocalId, Value)>) {
        let ty = self.program.functions[self.at.0].locals[dst].ty;
        match (ty, below) {
            (Type::Int(_), Some(below)) => {
                let below = self.eval(state, below);
                self.settle(state);
                let value = self.arbitrary(ty, "input");
                let below = self.terms.resize(below.bits, self.width(ty));
                let is_below = self.terms.ult(value.bits, below);
                let fact = self.terms.implies(state.condition, is_below);
                self.skeleton.facts.push(fact);
                state.locals[dst.index()] = Some(value);
                self.record(state, locals).found = Some(value);
            }
            (_, _) => {
                state.locals[dst.index()] = None;
                self.record(state, locals);
            }
        }
    }

    fn assertion(&mut self, state: &mut State, holds: Term, claim: &Claim, is_defined: bool) {
        let fails = self.terms.not(holds);
        let occurs = self.terms.and2(state.condition, fails);
        if self.terms.as_bool(occurs) == Some(false) {
            return;
        }
        if claim.property() == self.property {
            self.violation(state, occurs);
            state.condition = self.terms.and2(state.condition, holds);
        } else if !is_defined && claim.property() != Property::Unreach {
            self.gap(occurs, ReasonKind::Undefined, format!("undefined behaviour: {claim}"));
        }
    }

    /// Atomically reads a cell and writes the result of `change`; returns the old value.
    pub(crate) fn update(
        &mut self,
        state: &mut State,
        expr: &Expr,
        pointer: Value,
        (ty, has_objects): (Type, bool),
        orders: (Order, Order),
        change: impl FnOnce(&mut Self, &mut State, Value) -> (Term, Value),
    ) -> Value {
        let bytes = self.bytes(ty);
        let place = self.place(state, expr, pointer, bytes, true);
        let own = self.load_private(state, &place);
        let (old, shared) = match (own, place.shared) {
            (Some(own), None) => (own, None),
            (None, None) => (self.unread(bytes, false), None),
            (own, Some(shared)) => {
                let read = self.unread(bytes, has_objects);
                (own.map_or(read, |own| read.or_else(self.terms, shared, own)), Some((shared, read)))
            }
        };
        let (writes, new) = change(self, state, old);
        let new = self.stored(new, bytes);
        self.check_fences(&place, orders.0);
        self.store_private(state, &place, writes, new);
        self.settle(state);
        self.before_update(state, &place, writes, orders);
        if let Some((shared, read)) = shared {
            let occurs = self.terms.and2(state.condition, shared);
            self.event(state, Kind::Access, Some(&place), occurs, Some(read), Some((writes, new)));
            self.after_write(state, &place, writes, orders.0);
        }
        old
    }

    fn compare_exchange(&mut self, state: &mut State, stmt: &Stmt, locals: Vec<(LocalId, Value)>) {
        let Stmt::CompareExchange { old, success, ty, ptr, expected, desired, order, failure, weak } = stmt else {
            return;
        };
        let expected = self.eval(state, expected);
        let desired = self.eval(state, desired);
        let pointer = self.eval(state, ptr);
        let has_objects = *ty == Type::Ptr || self.may_hold_object(*old);
        let fails = weak.then(|| self.terms.variable("fails", Sort::Bool));
        let mut succeeded = None;
        let found = self.update(state, ptr, pointer, (*ty, has_objects), (*order, *failure), |this, state, found| {
            let found = this.typed(found, *ty);
            let equal = this.binary(state, BinaryOp::Eq, *ty, found, expected);
            let mut succeeds = is_set(this.terms, equal.bits);
            if let Some(fails) = fails {
                let goes_on = this.terms.not(fails);
                succeeds = this.terms.and2(succeeds, goes_on);
            }
            succeeded = Some(succeeds);
            (succeeds, desired)
        });
        let succeeded = succeeded.unwrap_or_else(|| self.terms.bool(false));
        state.locals[old.index()] = Some(self.typed(found, *ty));
        let bit = self.terms.bit_of(succeeded);
        state.locals[success.index()] = Some(Value::int(self.terms, bit));
        self.ordered(*order, *failure);
        let step = self.record(state, locals);
        step.found = Some(found);
        step.fails = fails;
    }

    /// A private range at a known place with a known length.
    fn private_range(&mut self, state: &State, pointer: Value, len: u64, writes: bool) -> Option<(u16, u64)> {
        let Candidates::Known(numbers) = self.candidates(pointer.object) else { return None };
        let (&[number], Some(offset)) = (numbers.as_slice(), constant(self.terms, pointer.bits)) else { return None };
        let object = self.skeleton.objects.get(number)?;
        if object.extent.is_some() && number & GHOST == 0 {
            return None;
        }
        let is_constant = object.kind == objects::Kind::Constant;
        let is_private = state.is_alone || !object.is_shared || is_constant;
        let size = self.skeleton.objects.bytes(number);
        let fits = offset.checked_add(len).is_some_and(|end| end <= size);
        (is_private && fits && !(writes && is_constant)).then_some((number, offset))
    }

    /// A range of a known length must lie in one of the objects that the pointer may point to.
    fn forbid_range(&mut self, pointer: Value, len: Option<u64>, writes: bool) {
        let (Some(len), Candidates::Known(numbers)) = (len.filter(|&len| len > 0), self.candidates(pointer.object))
        else {
            return;
        };
        let mut valid = Vec::new();
        for number in numbers {
            let Some(object) = self.skeleton.objects.get(number) else { continue };
            if !(writes && object.kind == objects::Kind::Constant) {
                let is_it = self.object_is(pointer.object, number);
                let fits = self.skeleton.objects.fits(self.terms, number, pointer.bits, len);
                valid.push(self.terms.and2(is_it, fits));
            }
        }
        let valid = self.terms.or(valid);
        let invalid = self.terms.not(valid);
        self.forbid(invalid, Property::Memory, INVALID);
    }

    fn copy(
        &mut self,
        state: &mut State,
        (dst, src, len): (&Expr, &Expr, &Expr),
        disjoint: bool,
        locals: Vec<(LocalId, Value)>,
    ) {
        let len = self.eval(state, len);
        let (dst, src) = (self.eval(state, dst), self.eval(state, src));
        let len = constant(self.terms, len.bits);
        self.forbid_range(dst, len, true);
        self.forbid_range(src, len, false);
        let len = len.filter(|&len| len <= MAX_BYTES);
        let ranges = len.and_then(|len| {
            let to = if len == 0 { Some((0, 0)) } else { self.private_range(state, dst, len, true) };
            let from = if len == 0 { Some((0, 0)) } else { self.private_range(state, src, len, false) };
            Some((to?, from?, len))
        });
        let Some(((to, to_offset), (from, from_offset), len)) = ranges else {
            let always = self.terms.bool(true);
            self.unless(always, ReasonKind::Unsupported, "a copy of shared memory, or of a symbolic range");
            self.settle(state);
            return;
        };
        let distance = to_offset.abs_diff(from_offset);
        if disjoint && to == from && distance != 0 && distance < len {
            let always = self.terms.bool(true);
            self.forbid(always, Property::Memory, "copy between ranges that overlap");
        }
        self.settle(state);
        let live = [to, from].map(|number| state.memory.get(&number).map(|contents| contents.is_live));
        for live in live.into_iter().flatten() {
            let dead = self.terms.not(live);
            self.forbid(dead, Property::Memory, INVALID);
        }
        let source = state.memory.get(&from).cloned();
        let ranges = self.pieces(source.as_deref(), from_offset, len);
        let is_arbitrary = self.skeleton.objects.get(from).is_some_and(|object| object.start == Start::Arbitrary);
        let mut values = Vec::new();
        for (offset, bytes) in ranges {
            let is_written = source.as_ref().is_some_and(|contents| !contents.overlapping(offset, bytes).is_empty());
            // Uninitialised contents are copied as such.
            let value = (is_written || !is_arbitrary).then(|| self.read_private(state, from, offset, bytes));
            values.push((to_offset + (offset - from_offset), bytes, value));
        }
        for (offset, bytes, value) in values {
            let mut contents = self.contents(state, to).clone();
            match value {
                Some(value) => {
                    if let Some(cut) = contents.put(self.terms, offset, bytes, value) {
                        self.unless(cut, ReasonKind::Addresses, "what happens depends on the addresses of objects");
                    }
                }
                None => {
                    // The initial contents of the target may differ: give it a value of its own.
                    let bits = fresh(self.terms, "memory", bytes as u32 * 8);
                    self.promise(bits);
                    let value = Value::int(self.terms, bits);
                    contents.put(self.terms, offset, bytes, value);
                }
            }
            *self.contents(state, to) = contents;
        }
        self.settle(state);
        self.record(state, locals);
    }

    /// The pieces of a private object that a copy moves: whole cells where they exist, words elsewhere.
    fn pieces(&self, contents: Option<&super::contents::Contents>, offset: u64, len: u64) -> Vec<(u64, u64)> {
        let word = self.program.data_model.pointer_bytes();
        let end = offset + len;
        let mut pieces = Vec::new();
        let mut at = offset;
        while at < end {
            let cell = contents.and_then(|contents| contents.cells.get(&at)).map(|(bytes, _)| *bytes);
            let bytes = match cell {
                Some(bytes) if at + bytes <= end => bytes,
                _ => {
                    let is_free = |bytes: u64| {
                        at.is_multiple_of(bytes)
                            && at + bytes <= end
                            && contents.is_none_or(|contents| contents.overlapping(at, bytes).is_empty())
                    };
                    [word, 4, 2].into_iter().find(|&bytes| is_free(bytes)).unwrap_or(1)
                }
            };
            pieces.push((at, bytes));
            at += bytes;
        }
        pieces
    }

    fn fill(&mut self, state: &mut State, dst: &Expr, byte: &Expr, len: &Expr, locals: Vec<(LocalId, Value)>) {
        let len = self.eval(state, len);
        let dst = self.eval(state, dst);
        let byte = self.eval(state, byte);
        let len = constant(self.terms, len.bits);
        self.forbid_range(dst, len, true);
        let len = len.filter(|&len| len <= MAX_BYTES);
        let range = len.and_then(|len| match len {
            0 => Some((0, 0, 0)),
            len => self.private_range(state, dst, len, true).map(|(number, offset)| (number, offset, len)),
        });
        let Some((number, offset, len)) = range else {
            let always = self.terms.bool(true);
            self.unless(always, ReasonKind::Unsupported, "shared memory, or a symbolic range, is set");
            self.settle(state);
            return;
        };
        for (at, bytes) in self.pieces(None, offset, len) {
            let mut bits = byte.bits;
            for _ in 1..bytes {
                bits = self.terms.concat(bits, byte.bits);
            }
            let value = Value::int(self.terms, bits);
            let mut contents = self.contents(state, number).clone();
            if let Some(cut) = contents.put(self.terms, at, bytes, value) {
                self.unless(cut, ReasonKind::Addresses, "what happens depends on the addresses of objects");
            }
            *self.contents(state, number) = contents;
        }
        self.settle(state);
        self.record(state, locals);
    }

    fn most_symbolic(&self) -> u64 {
        (u64::from(self.bound) * SYMBOLIC_BYTES).clamp(SYMBOLIC_BYTES, MAX_SYMBOLIC)
    }

    fn alloc(&mut self, state: &mut State, stmt: &Stmt, locals: Vec<(LocalId, Value)>) {
        let Stmt::Alloc { dst, size, kind, zeroed, .. } = stmt else { return };
        let size = self.eval(state, size);
        let (most, extent) = match constant(self.terms, size.bits) {
            Some(size) => (size.min(MAX_ALLOCATED), None),
            None => (self.most_symbolic(), Some(self.terms.resize(size.bits, self.pointer_width()))),
        };
        let limit = self.terms.bits(Bits::from_u64(self.terms.width(size.bits), most));
        let is_larger = self.terms.ult(limit, size.bits);
        self.unless(is_larger, ReasonKind::Bound, "an allocation of more bytes than this engine looks at");
        self.settle(state);
        let object = Object {
            kind: match kind {
                AllocKind::Stack => objects::Kind::Stack,
                AllocKind::Heap => objects::Kind::Heap,
            },
            size: most,
            extent,
            start: if *zeroed { Start::Zero } else { Start::Arbitrary },
            is_shared: self.escape.is_shared_site(self.at.0, self.at.1),
            memory: Some(Memory::Site(self.at.0, self.at.1)),
        };
        self.effect(state, state.condition);
        let number = self.numbered(|objects| objects.add(object));
        if *kind == AllocKind::Stack {
            state.frame.push(number);
        }
        let width = self.pointer_width();
        state.locals[dst.index()] = Some(Value::pointer(self.terms, number, width, 0));
        self.record(state, locals);
    }

    /// Ends the life of an object.
    pub(crate) fn kill(&mut self, state: &mut State, number: u16) {
        let is_shared = self.skeleton.objects.get(number).is_some_and(|object| object.is_shared);
        if is_shared && !state.is_alone {
            let location = Value::pointer(self.terms, number, self.pointer_width(), 0);
            let id = self.event(state, Kind::Kill, None, state.condition, None, None);
            self.skeleton.events[id].location = location;
            return;
        }
        let dead = self.terms.bool(false);
        let contents = self.contents(state, number);
        contents.cells.clear();
        contents.is_live = dead;
        Rc::make_mut(&mut state.memory).remove(&(number | GHOST));
    }

    /// Ends the life of a stack object at the end of its block. Which object it is depends on the path only where
    /// control enters a block in several ways; those are a gap.
    fn expire(&mut self, state: &mut State, ptr: &Expr, locals: Vec<(LocalId, Value)>) {
        let pointer = self.eval(state, ptr);
        match constant(self.terms, pointer.object) {
            Some(number) => {
                self.settle(state);
                let number = number as u16;
                if state.frame.contains(&number) {
                    state.frame.retain(|object| *object != number);
                    self.kill(state, number);
                }
            }
            None => {
                let always = self.terms.bool(true);
                self.unless(always, ReasonKind::Unsupported, "which variable of a block ends depends on the path");
                self.settle(state);
            }
        }
        self.record(state, locals);
    }

    /// Ends the life of the ending thread's thread-local objects that other threads may reach.
    fn kill_thread_locals(&mut self, state: &mut State) {
        for number in self.skeleton.objects.copies_of(state.thread.index() as u32) {
            if self.skeleton.objects.get(number).is_some_and(|object| object.is_shared) {
                self.kill(state, number);
            }
        }
    }

    fn free(&mut self, state: &mut State, ptr: &Expr, locals: Vec<(LocalId, Value)>) {
        let pointer = self.eval(state, ptr);
        let null = Value::constant(self.terms, self.pointer_width(), 0);
        let is_null = pointer.equals(self.terms, null);
        let Candidates::Known(numbers) = self.candidates(pointer.object) else {
            let zero = self.terms.bits(Bits::zero(self.pointer_width()));
            let at_start = self.terms.eq(pointer.bits, zero);
            let inside = self.terms.not(at_start);
            self.forbid(inside, Property::Memory, "free of what malloc did not return");
            if state.is_alone {
                let always = self.terms.not(is_null);
                self.unless(always, ReasonKind::Unsupported, "a symbolic pointer is freed");
            }
            self.settle(state);
            // Whether it is a heap object of another thread, or was freed before, is checked when all objects are
            // known.
            let goes = self.terms.not(is_null);
            let occurs = self.terms.and2(state.condition, goes);
            let id = self.event(state, Kind::Kill, None, occurs, None, None);
            self.skeleton.events[id].location = pointer;
            self.skeleton.events[id].targets = Some(self.points_to.pointees(self.at.0, ptr).objects);
            self.record(state, locals);
            return;
        };
        let mut valid = vec![is_null];
        let mut killed = Vec::new();
        for number in numbers {
            let Some(object) = self.skeleton.objects.get(number) else { continue };
            if object.kind != objects::Kind::Heap || number & GHOST != 0 {
                continue;
            }
            let is_private = state.is_alone || !object.is_shared;
            let place = Value::pointer(self.terms, number, self.pointer_width(), 0);
            let is_it = pointer.equals(self.terms, place);
            let live = state.memory.get(&number).map(|contents| contents.is_live);
            let live = live.unwrap_or_else(|| self.terms.bool(true));
            valid.push(self.terms.and2(is_it, live));
            killed.push((number, is_it, is_private));
        }
        let valid = self.terms.or(valid);
        let invalid = self.terms.not(valid);
        self.forbid(invalid, Property::Memory, "free of what malloc did not return, or twice");
        self.settle(state);
        for (number, is_it, is_private) in killed {
            if is_private {
                let stays = self.terms.not(is_it);
                let live = self.contents(state, number).is_live;
                let live = self.terms.and2(live, stays);
                self.contents(state, number).is_live = live;
            } else {
                let location = Value::pointer(self.terms, number, self.pointer_width(), 0);
                let occurs = self.terms.and2(state.condition, is_it);
                let id = self.event(state, Kind::Kill, None, occurs, None, None);
                self.skeleton.events[id].location = location;
            }
        }
        self.record(state, locals);
    }

    /// The possible targets of a call, each under a condition; any other target is a gap.
    pub(crate) fn callees(&mut self, state: &mut State, callee: &Callee) -> Vec<(FunctionId, Term)> {
        let always = self.terms.bool(true);
        let expr = match callee {
            Callee::Direct(function) => return vec![(*function, always)],
            Callee::Indirect(expr) => expr,
        };
        let pointer = self.eval(state, expr);
        let functions = match self.candidates(pointer.object) {
            Candidates::Known(numbers) => numbers.into_iter().filter_map(|number| self.function_of(number)).collect(),
            Candidates::Open => self.points_to.pointees(self.at.0, expr).functions,
        };
        let mut cases = Vec::new();
        for function in functions {
            let number = self.numbered(|objects| objects.function(function));
            let target = Value::pointer(self.terms, number, self.pointer_width(), 0);
            let is_it = pointer.equals(self.terms, target);
            if self.terms.as_bool(is_it) != Some(false) {
                cases.push((function, is_it));
            }
        }
        let known = self.terms.or(cases.iter().map(|(_, is_it)| *is_it).collect::<Vec<_>>());
        let unknown = self.terms.not(known);
        self.forbid(unknown, Property::Memory, "call of something that is not a function");
        cases
    }

    fn call_statement(
        &mut self,
        mut state: State,
        dsts: &[LocalId],
        callee: &Callee,
        args: &[Expr],
        locals: Vec<(LocalId, Value)>,
    ) -> Option<State> {
        let cases = self.callees(&mut state, callee);
        let args: Vec<Value> = args.iter().map(|arg| self.eval(&mut state, arg)).collect();
        self.settle(&mut state);
        self.record(&state, locals);
        let mut after: Option<State> = None;
        for (function, is_it) in cases {
            let mut taken = state.clone();
            taken.condition = self.terms.and2(state.condition, is_it);
            if self.is_dead(&taken) {
                continue;
            }
            let Some(mut exit) = self.call(function, &args, taken) else { continue };
            for (index, dst) in dsts.iter().enumerate() {
                exit.locals[dst.index()] = exit.returned.get(index).copied();
            }
            exit.returned.clear();
            after = Some(match after {
                None => exit,
                Some(other) => self.merge(other, exit),
            });
        }
        after.filter(|state| !self.is_dead(state))
    }
}
