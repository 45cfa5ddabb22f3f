//! The effect of each statement on a run, according to `docs/semantics.md`.

use super::location::{Base, Extent, Slot, Status, Thread, Value};
use super::machine::{Contents, Machine, Part, Run};
use super::memory::Target;
use super::vocabulary::{Class, ObjId, ObjKey, VarKey};
use crate::symbolic::{Done, Evaluator, Executor, Halt, Memory, Note};
use check::ReasonKind;
use ir::analysis::Liveness;
use ir::{AllocKind, FunctionId, LocalId, ObjectKind, Order, Property, Stmt, Type};
use smt::{Sort, Term};
use std::rc::Rc;

/// Maximum number of threads at once.
const MAX_THREADS: u32 = 60;

impl Executor for Machine<'_> {
    const MAX_FRAMES: usize = 200;

    /// Also drops variables that are dead there.
    fn go_on(&mut self, run: &mut Run) {
        let (function, edge) = run.part.at;
        let to = self.program.functions[function].edges[edge].to;
        let live = &self.live[function];
        let thread = run.place.threads.get_mut(&run.thread);
        if let Some(frame) = thread.and_then(|thread| Rc::make_mut(thread).frames.last_mut()) {
            frame.loc = to;
            frame.forget(|local| !live.is_live(to, local));
        }
        run.keep_part();
    }

    fn liveness(&self, function: FunctionId) -> &Liveness {
        &self.live[function]
    }

    fn frames(run: &Run) -> usize {
        run.depth() + 1
    }

    fn note(&mut self, run: &mut Run, note: Note) {
        match note {
            Note::Found(bits) => run.part.found = Some(bits),
            Note::Fails(bit) => run.part.fails = Some(bit),
            Note::Waits(condition) => {
                if self.property == Property::Deadlock && self.terms.as_bool(condition) != Some(false) {
                    let mut stuck = run.clone();
                    stuck.stuck.clear();
                    stuck.assumed.push(condition);
                    run.stuck.push(stuck);
                }
            }
        }
    }

    fn fence(&mut self, run: &mut Run, order: Order) {
        run.fence(order);
        if order.releases() {
            self.store_store_barrier(run);
        }
    }

    fn copy(&mut self, run: &mut Run, to: Value, from: Value, len: u64, _is_disjoint: bool) -> Done {
        let from = self.range(run, from, len, false)?;
        let to = self.range(run, to, len, true)?;
        if from == to {
            return Ok(());
        }
        if from.0 == to.0 && from.1 < to.1 + len && to.1 < from.1 + len {
            return Err(Halt::unsupported("a copy between places that overlap"));
        }
        self.copy_range(run, to, from, len)
    }

    fn set(&mut self, run: &mut Run, to: Value, byte: Term, len: u64) -> Done {
        let (object, offset) = self.range(run, to, len, true)?;
        let cells = self.cells_between(object, offset, len).ok_or_else(super::memory::mixed)?;
        for cell in cells {
            let bits = self.terms.repeat(cell.bytes as u32, byte);
            let is_pointer = self.may_hold_pointer(run, cell);
            let ty = if is_pointer { Type::Ptr } else { Type::Int((cell.bytes * 8) as u16) };
            let target = self.target(cell);
            self.write(run, &target, ty, Value::number(bits))?;
        }
        Ok(())
    }

    fn alloc(&mut self, run: &mut Run, size: Term, kind: AllocKind, zeroed: bool) -> Done<Value> {
        let Some(size) = self.constant(size) else {
            self.demand(size);
            return Err(Halt::unsupported("an allocation of variable size"));
        };
        let mut index = 0;
        let object = loop {
            let object = self.vocabulary.object(ObjKey::Made(run.part.at, run.thread, index));
            if !run.place.objects.contains_key(&object) {
                break object;
            }
            index += 1;
        };
        let is_heap = kind == AllocKind::Heap;
        run.place.objects.insert(object, Extent { size: size as u64, is_alive: true, is_heap });
        self.begin_object(run, object, if zeroed { Contents::Zero } else { Contents::Arbitrary });
        if !is_heap {
            run.frame().objects.push(object);
        }
        Ok(Value { base: Base::Object(object), bits: self.number_term(self.pointer_width(), 0) })
    }

    /// At the end of its block.
    fn expire(&mut self, run: &mut Run, object: ObjId) {
        run.frame().objects.retain(|other| *other != object);
        run.end_object(object);
    }

    fn free(&mut self, run: &mut Run, pointer: Value) -> Done {
        let wrong = "free of something that was not allocated";
        let is_inside = self.is_set(pointer.bits);
        match pointer.base {
            Base::Number => self.forbid(run, is_inside, Property::Memory, wrong),
            Base::Object(object) if run.place.objects.get(&object).is_some_and(|extent| extent.is_heap) => {
                self.forbid(run, is_inside, Property::Memory, wrong);
                let size = self.size(run, object);
                let start = Value { base: pointer.base, bits: self.number_term(self.pointer_width(), 0) };
                let mut target = self.find(run, start, size, true)?;
                self.note_access(run, &target, true);
                target.bytes = size.max(1);
                self.race(run, &target, true, Order::Plain)?;
                run.end_object(object);
            }
            _ => return Err(self.forbidden(Property::Memory, wrong)),
        }
        Ok(())
    }

    fn call(&mut self, run: &mut Run, function: FunctionId, args: &[Value], dsts: &[LocalId]) {
        let (thread, depth, edge) = (run.thread, run.depth(), run.part.at.1);
        let frame = self.frame(run, function, thread, depth + 1, args);
        self.suspend(run.frame(), edge, dsts);
        self.running(run).frames.push(frame);
        run.keep_part();
    }

    fn leave(&mut self, run: &mut Run, results: &[Value]) -> Done {
        run.keep_part();
        self.pop_frame(run);
        let frame = run.frame();
        let (function, loc) = (frame.function, frame.loc);
        let program = self.program;
        let edge = program.functions[function].edges.enumerate().find(|(_, edge)| edge.from == loc);
        let Some((id, edge)) = edge else { return Err(Halt::Never) };
        let returned = std::mem::replace(&mut run.part, Part::new((function, id)));
        if let Stmt::Call { dsts, .. } = &edge.stmt {
            for (index, &dst) in dsts.iter().enumerate() {
                let value = match results.get(index) {
                    Some(value) => *value,
                    None => Value::number(self.input(run, self.width(program.functions[function].locals[dst].ty))),
                };
                self.write_local(run, dst, value);
            }
        }
        // Only now: the returned value may be the last reference to dead objects.
        run.place.collect();
        self.go_on(run);
        // The call is not a statement of its own.
        run.parts.pop();
        run.part = returned;
        Ok(())
    }

    fn end_thread(&mut self, run: &mut Run, result: Value) -> Done {
        if self.running(run).regions > 0 {
            return Err(Halt::unmodelled("a thread that ends in an atomic region"));
        }
        let number = run.thread;
        while !self.running(run).frames.is_empty() {
            self.pop_frame(run);
        }
        let width = self.terms.width(result.bits);
        let key = VarKey::Result(number, width);
        let variable = self.vocabulary.variable(&mut self.terms, self.program, key, Sort::Bits(width));
        let slot = self.slot(run, Class::Result, Type::Ptr, result, variable);
        let thread = self.running(run);
        thread.status = Status::Ended(slot);
        let is_detached = thread.is_detached;
        run.place.collect();
        if is_detached {
            run.place.threads.remove(&number);
            run.footprint.is_universal = true;
        }
        self.forget_copies(run, number);
        run.ended(number);
        self.note_thread(run, number);
        // The last running thread takes larger steps, since they are invisible.
        run.footprint.is_universal |= !run.place.is_parallel();
        run.keep_part();
        Ok(())
    }

    fn exit(&mut self, _run: &mut Run) -> Done {
        Err(Halt::Never)
    }

    fn new_thread(&mut self, run: &mut Run) -> Done<Value> {
        let is_free = |number: &u32| !run.place.threads.contains_key(number) && !run.place.mentions_thread(*number);
        let Some(number) = (1..=MAX_THREADS).find(is_free) else {
            return Err(Halt::gap(ReasonKind::Bound, format!("more than {MAX_THREADS} threads at once")));
        };
        // The number that is free depends on other threads that create and join, and on who still holds numbers.
        run.footprint.creates = true;
        if run.place.is_parallel() {
            run.notice();
        }
        run.place.threads.insert(number, Rc::new(Thread::reserved()));
        run.part.makes = Some(number);
        let bits = self.number_term(self.pointer_width(), u128::from(number));
        Ok(Value { base: Base::Thread(number), bits })
    }

    fn spawn(&mut self, run: &mut Run, thread: Value, function: FunctionId, args: &[Value]) -> Done {
        let number = thread_number(run, thread, "a start")?;
        if run.place.threads[&number].status != Status::Reserved {
            return Err(Halt::unmodelled("a start of a thread that is not new"));
        }
        let frame = self.frame(run, function, number, 0, args);
        if let Some(new) = run.place.threads.get_mut(&number).map(Rc::make_mut) {
            new.status = Status::Running;
            new.frames.push(frame);
        }
        for (id, object) in self.program.objects.enumerate() {
            if object.kind == ObjectKind::ThreadLocal {
                let copy = self.vocabulary.object(ObjKey::Copy(number, id));
                self.begin_object(run, copy, Contents::Static(id));
                let width = self.pointer_width();
                self.add_relocations(&mut run.place, copy, id, width);
            }
        }
        run.started(number);
        self.note_thread(run, number);
        Ok(())
    }

    fn join(&mut self, run: &mut Run, thread: Value) -> Done<Value> {
        let number = thread_number(run, thread, "a join")?;
        let Status::Ended(slot) = run.place.threads[&number].status else {
            let always = self.terms.bool(true);
            self.note(run, Note::Waits(always));
            return Err(Halt::Never);
        };
        run.footprint.threads.push(number);
        if run.place.is_parallel() {
            run.notice();
        }
        let width = self.pointer_width();
        let result = match slot {
            Slot::Known(base, bits) => Value { base, bits },
            Slot::Var(base) => {
                let key = VarKey::Result(number, width);
                let variable = self.vocabulary.variable(&mut self.terms, self.program, key, Sort::Bits(width));
                Value { base, bits: run.now(variable) }
            }
            Slot::Dead => self.int(width, 0),
        };
        if self.terms.width(result.bits) != width {
            return Err(Halt::unsupported("the result of a thread that is no pointer"));
        }
        run.place.threads.remove(&number);
        run.joined(number);
        Ok(result)
    }

    fn detach(&mut self, run: &mut Run, thread: Value) -> Done {
        let number = thread_number(run, thread, "a detach")?;
        run.footprint.is_universal = true;
        run.notice();
        match run.place.threads.get_mut(&number).map(Rc::make_mut) {
            Some(thread) if !matches!(thread.status, Status::Ended(_)) => thread.is_detached = true,
            Some(_) | None => {
                run.place.threads.remove(&number);
                run.retired(number);
            }
        }
        Ok(())
    }

    fn wait(&mut self, run: &mut Run, target: &Target, stmt: &Stmt) -> Done {
        let Stmt::Await { dst, ty, ready, update, spurious, timeout, .. } = stmt else { return Ok(()) };
        self.note_access(run, target, true);
        let old = self.read(run, target, *ty)?;
        let mut forks = Vec::new();
        let before = run.clone();
        for is_early in [false, true] {
            // Stores must reach memory first, unless the wait goes on early.
            if is_early && spurious.is_none() || !is_early && self.has_stores(&before) {
                continue;
            }
            let mut fork = before.clone();
            self.write_local(&mut fork, *dst, old);
            let holds = self.holds(&mut fork, ready)?;
            let condition = if is_early { self.terms.not(holds) } else { holds };
            if !(is_early || *timeout && spurious.is_some()) {
                let must_wait = self.terms.not(holds);
                self.note(run, Note::Waits(must_wait));
            }
            if self.terms.as_bool(condition) == Some(false) {
                continue;
            }
            fork.assumed.push(condition);
            fork.part.is_early = is_early;
            fork.part.found = Some(old.bits);
            if let Some(spurious) = spurious {
                let bit = self.int(1, u128::from(is_early));
                self.write_local(&mut fork, *spurious, bit);
            }
            let order = if is_early { Order::Relaxed } else { Order::Acquire };
            if let Some(update) = update {
                let new = self.eval(&mut fork, update)?;
                self.acquire_and_release(&mut fork, target, order)?;
                self.write(&mut fork, target, *ty, new)?;
            } else {
                self.acquire(&mut fork, target, order)?;
            }
            self.go_on(&mut fork);
            forks.push(fork);
        }
        if forks.is_empty() {
            return Err(Halt::Never);
        }
        run.forks = forks;
        Ok(())
    }

    fn begin_region(&mut self, run: &mut Run, is_fence: bool) {
        if run.place.is_parallel() {
            run.notice();
        }
        let thread = self.running(run);
        thread.regions += 1;
        thread.fenced += u32::from(is_fence);
    }

    fn end_region(&mut self, run: &mut Run, is_fence: bool) {
        let thread = self.running(run);
        thread.regions = thread.regions.saturating_sub(1);
        thread.fenced = thread.fenced.saturating_sub(u32::from(is_fence));
    }
}

impl Machine<'_> {
    pub(super) fn running<'r>(&self, run: &'r mut Run) -> &'r mut Thread {
        Rc::make_mut(run.place.threads.get_mut(&run.thread).expect("the running thread should exist"))
    }

    /// Ends the life of the topmost function's stack objects; they can be collected when the results have arrived.
    fn pop_frame(&mut self, run: &mut Run) {
        let thread = self.running(run);
        let objects = thread.frames.pop().map(|frame| frame.objects).unwrap_or_default();
        for object in &objects {
            run.end_object(*object);
        }
    }

    fn forget_copies(&mut self, run: &mut Run, number: u32) {
        let vocabulary = &self.vocabulary;
        let is_copy = |object| matches!(vocabulary.key(object), ObjKey::Copy(owner, _) if owner == number);
        if let Some(watch) = &mut run.place.watch {
            watch.forget(is_copy);
        }
        run.place.cells.retain(|cell, _| match vocabulary.key(cell.object) {
            ObjKey::Copy(owner, _) => owner != number,
            ObjKey::Static(_) | ObjKey::Made(..) => true,
        });
    }

    /// Records a visible action: a thread starts, ends or is waited for.
    fn note_thread(&mut self, run: &mut Run, number: u32) {
        run.footprint.threads.push(number);
        run.notice();
    }
}

impl Run {
    fn end_object(&mut self, object: ObjId) {
        if let Some(extent) = self.place.objects.get_mut(&object) {
            extent.is_alive = false;
        }
        self.is_gone(object);
    }
}

/// The thread whose number a value is.
fn thread_number(run: &Run, thread: Value, what: &str) -> Done<u32> {
    match thread.base {
        Base::Thread(number) if run.place.threads.contains_key(&number) => Ok(number),
        _ => Err(Halt::unmodelled(&format!("{what} of a thread that does not exist"))),
    }
}
