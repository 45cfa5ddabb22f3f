//! The effect of each statement on a run, according to `docs/semantics.md`.

use super::location::{Base, Extent, Slot, Status, Thread, Value};
use super::machine::{Contents, Halt, Machine, Next, Run};
use super::vocabulary::{ObjKey, VarKey};
use check::ReasonKind;
use ir::{AllocKind, Callee, Expr, FunctionId, LocalId, ObjectKind, Order, Property, Stmt, Type};
use smt::{Sort, Term};
use std::rc::Rc;

/// Maximum number of threads at once.
const MAX_THREADS: u32 = 60;

impl Machine<'_> {
    /// Executes a statement.
    pub(super) fn execute(&mut self, run: &mut Run, stmt: &Stmt) -> Result<Next, Halt> {
        for expr in stmt.exprs() {
            self.note_locals(run, expr);
        }
        match stmt {
            Stmt::Skip => {}
            Stmt::Fence(order) => {
                run.fence(*order);
                if order.releases() {
                    self.store_store_barrier(run);
                }
            }
            Stmt::Assign { dst, value } => {
                let value = self.eval(run, value)?;
                self.write_local(run, *dst, value);
            }
            Stmt::Havoc { dst, below } => self.havoc(run, *dst, below.as_ref())?,
            Stmt::Assume(condition) => {
                let holds = self.holds(run, condition)?;
                run.assumed.push(holds);
            }
            Stmt::Assert { cond, claim, is_defined } => {
                let holds = self.holds(run, cond)?;
                let fails = self.terms.not(holds);
                if claim.property() == self.property || !is_defined && claim.property() != Property::Unreach {
                    self.forbid(run, fails, claim.property(), &claim.to_string());
                }
            }
            Stmt::Load { dst, ty, ptr, access } => {
                let pointer = self.eval(run, ptr)?;
                let target = self.locate(run, pointer, self.bytes(*ty), false)?;
                self.race(run, &target, false, access.order)?;
                if !self.reads_own_store(run, &target)? {
                    self.acquire(run, &target, access.order)?;
                }
                let value = self.read(run, &target, *ty)?;
                run.part.found = Some(value.bits);
                self.write_local(run, *dst, value);
            }
            Stmt::Store { ty, ptr, value, access } => {
                let value = self.eval(run, value)?;
                let pointer = self.eval(run, ptr)?;
                let target = self.find(run, pointer, self.bytes(*ty), true)?;
                self.store(run, &target, *ty, value, access.order)?;
            }
            Stmt::Rmw { dst, op, ty, ptr, value, order } => {
                let by = self.eval(run, value)?;
                let pointer = self.eval(run, ptr)?;
                let target = self.locate(run, pointer, self.bytes(*ty), true)?;
                let old = self.read(run, &target, *ty)?;
                run.part.found = Some(old.bits);
                let new = self.modify(run, *op, *ty, old, by)?;
                self.race(run, &target, true, *order)?;
                self.acquire_and_release(run, &target, *order)?;
                self.write(run, &target, *ty, new)?;
                self.write_local(run, *dst, old);
            }
            Stmt::CompareExchange { .. } => return self.compare_exchange(run, stmt),
            Stmt::Copy { dst, src, len, .. } => self.copy_range(run, dst, src, len)?,
            Stmt::Set { dst, byte, len } => self.set_range(run, dst, byte, len)?,
            Stmt::Alloc { dst, size, kind, zeroed, .. } => self.alloc(run, *dst, size, *kind, *zeroed)?,
            Stmt::Free { ptr } => self.free(run, ptr)?,
            Stmt::Expire { ptr } => self.expire(run, ptr)?,
            Stmt::Call { callee, args, dsts } => return self.call(run, callee, args, dsts),
            Stmt::Return(values) => return self.leave(run, values),
            Stmt::NewThread { dst } => self.new_thread(run, *dst)?,
            Stmt::Spawn { thread, callee, args } => self.spawn(run, thread, callee, args)?,
            Stmt::Join { dst, thread } => self.join(run, *dst, thread)?,
            Stmt::Detach { thread } => self.detach(run, thread)?,
            Stmt::ExitThread(value) => {
                let value = self.eval(run, value)?;
                return self.end_thread(run, value);
            }
            Stmt::Lock { ptr } => self.lock(run, ptr)?,
            Stmt::Unlock { ptr } => self.unlock(run, ptr)?,
            Stmt::Await { .. } => return self.wait(run, stmt),
            Stmt::AtomicBegin { is_fence } => {
                if run.place.is_parallel() {
                    run.notice();
                }
                let thread = self.running(run);
                thread.regions += 1;
                thread.fenced += u32::from(*is_fence);
            }
            Stmt::AtomicEnd { is_fence } => {
                let thread = self.running(run);
                thread.regions = thread.regions.saturating_sub(1);
                thread.fenced = thread.fenced.saturating_sub(u32::from(*is_fence));
            }
            Stmt::Exit => return Err(Halt::Never),
            Stmt::Unmodelled(what) => return Err(Halt::Gap(ReasonKind::Unmodelled, format!("not modelled: {what}"))),
        }
        self.go_on(run);
        Ok(Next::Go)
    }

    pub(super) fn running<'r>(&self, run: &'r mut Run) -> &'r mut Thread {
        Rc::make_mut(run.place.threads.get_mut(&run.thread).expect("the running thread should exist"))
    }

    fn havoc(&mut self, run: &mut Run, dst: LocalId, below: Option<&Expr>) -> Result<(), Halt> {
        let ty = self.program.functions[run.part.at.0].locals[dst].ty;
        let width = self.width(ty);
        let input = self.input(run, width);
        if let (Type::Int(_), Some(below)) = (ty, below) {
            let below = self.eval(run, below)?;
            let below = self.number(run, below)?;
            let is_set = self.is_set(below);
            let one = self.number_term(self.terms.width(below), 1);
            let below = self.terms.ite(is_set, below, one);
            let below = self.resize(below, width);
            let is_below = self.terms.ult(input, below);
            run.assumed.push(is_below);
            run.part.found = Some(input);
        }
        self.write_local(run, dst, Value { base: Base::Number, bits: input });
        Ok(())
    }

    fn compare_exchange(&mut self, run: &mut Run, stmt: &Stmt) -> Result<Next, Halt> {
        let Stmt::CompareExchange { old, success, ty, ptr, expected, desired, weak, order, failure } = stmt else {
            return Ok(Next::Go);
        };
        let (expected, desired) = (self.eval(run, expected)?, self.eval(run, desired)?);
        let pointer = self.eval(run, ptr)?;
        let target = self.locate(run, pointer, self.bytes(*ty), true)?;
        let found = self.read(run, &target, *ty)?;
        run.part.found = Some(found.bits);
        let mut succeeds = self.same(run, found, expected)?;
        if *weak {
            let input = self.input(run, 1);
            let fails = self.is_set(input);
            run.part.fails = Some(input);
            let goes = self.terms.not(fails);
            succeeds = self.terms.and2(succeeds, goes);
        }
        let decided = self.decide(run, succeeds);
        if self.has_stores(run) {
            // The stores must reach memory first, unless it only reads cells that are not buffered.
            match decided {
                Some(false) if target.is_ghost => {}
                None if target.is_ghost => return Err(Halt::Split(succeeds)),
                Some(_) | None => return Err(Halt::Blocked),
            }
        }
        match decided {
            Some(true) => {
                self.race(run, &target, true, *order)?;
                self.acquire_and_release(run, &target, *order)?;
                self.write(run, &target, *ty, desired)?;
            }
            Some(false) => {
                self.race(run, &target, false, *failure)?;
                self.acquire(run, &target, *failure)?;
            }
            None if self.property == Property::Race => return Err(Halt::Split(succeeds)),
            None if found.base == Base::Number && desired.base == Base::Number && *ty != Type::Ptr => {
                let bits = self.terms.ite(succeeds, desired.bits, found.bits);
                self.write(run, &target, *ty, Value { base: Base::Number, bits })?;
            }
            None => return Err(Halt::Split(succeeds)),
        }
        let bit = self.terms.bit_of(succeeds);
        let bit = match self.decide(run, succeeds) {
            Some(value) => self.number_term(1, u128::from(value)),
            None => bit,
        };
        self.write_local(run, *old, found);
        self.write_local(run, *success, Value { base: Base::Number, bits: bit });
        self.go_on(run);
        Ok(Next::Go)
    }

    /// The constant length of a range.
    fn length(&mut self, run: &mut Run, len: &Expr) -> Result<u64, Halt> {
        let len = self.eval(run, len)?;
        let len = self.number(run, len)?;
        match self.constant(len) {
            Some(len) => Ok(len as u64),
            None => {
                self.demand(len);
                Err(Halt::Gap(ReasonKind::Unsupported, "a copy of variable length".to_owned()))
            }
        }
    }

    fn copy_range(&mut self, run: &mut Run, dst: &Expr, src: &Expr, len: &Expr) -> Result<(), Halt> {
        let len = self.length(run, len)?;
        if len == 0 {
            return Ok(());
        }
        let (dst, src) = (self.eval(run, dst)?, self.eval(run, src)?);
        let from = self.range(run, src, len, false)?;
        let to = self.range(run, dst, len, true)?;
        if from == to {
            return Ok(());
        }
        if from.0 == to.0 && from.1 < to.1 + len && to.1 < from.1 + len {
            return Err(Halt::Gap(ReasonKind::Unsupported, "a copy between places that overlap".to_owned()));
        }
        self.copy(run, to, from, len)
    }

    fn set_range(&mut self, run: &mut Run, dst: &Expr, byte: &Expr, len: &Expr) -> Result<(), Halt> {
        let len = self.length(run, len)?;
        if len == 0 {
            return Ok(());
        }
        let dst = self.eval(run, dst)?;
        let byte = self.eval(run, byte)?;
        let byte = self.number(run, byte)?;
        let (object, offset) = self.range(run, dst, len, true)?;
        let cells = self.cells_between(object, offset, len).ok_or_else(super::memory::mixed)?;
        for cell in cells {
            let bits = self.terms.repeat(cell.bytes as u32, byte);
            let offset = self.number_term(self.pointer_width(), u128::from(cell.offset));
            let target = super::memory::Target { object, is_ghost: false, offset, bytes: cell.bytes };
            let may_be_pointer = cell.bytes == self.program.data_model.pointer_bytes();
            let is_pointer = may_be_pointer && run.place.cells.contains_key(&cell);
            let ty = if is_pointer { Type::Ptr } else { Type::Int((cell.bytes * 8) as u16) };
            self.write(run, &target, ty, Value { base: Base::Number, bits })?;
        }
        Ok(())
    }

    fn alloc(&mut self, run: &mut Run, dst: LocalId, size: &Expr, kind: AllocKind, zeroed: bool) -> Result<(), Halt> {
        let size = self.eval(run, size)?;
        let size = self.number(run, size)?;
        let Some(size) = self.constant(size) else {
            self.demand(size);
            return Err(Halt::Gap(ReasonKind::Unsupported, "an allocation of variable size".to_owned()));
        };
        if size > 1 << 30 {
            return Err(Halt::Gap(ReasonKind::Unmodelled, "an allocation of more than 1 GiB".to_owned()));
        }
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
        let bits = self.number_term(self.pointer_width(), 0);
        self.write_local(run, dst, Value { base: Base::Object(object), bits });
        Ok(())
    }

    /// Ends the life of a stack object at the end of its block.
    fn expire(&mut self, run: &mut Run, ptr: &Expr) -> Result<(), Halt> {
        let pointer = self.eval(run, ptr)?;
        if let Base::Object(object) = pointer.base {
            run.frame().objects.retain(|other| *other != object);
            if let Some(extent) = run.place.objects.get_mut(&object) {
                extent.is_alive = false;
            }
            run.is_gone(object);
        }
        Ok(())
    }

    fn free(&mut self, run: &mut Run, ptr: &Expr) -> Result<(), Halt> {
        let pointer = self.eval(run, ptr)?;
        let wrong = "free of something that was not allocated";
        match pointer.base {
            Base::Number => {
                let is_set = self.is_set(pointer.bits);
                self.forbid(run, is_set, Property::Memory, wrong);
                Ok(())
            }
            Base::Object(object) if run.place.objects.get(&object).is_some_and(|extent| extent.is_heap) => {
                let is_inside = self.is_set(pointer.bits);
                self.forbid(run, is_inside, Property::Memory, wrong);
                let size = self.size(&run.place, object);
                let bits = self.number_term(self.pointer_width(), 0);
                let mut target = self.locate(run, Value { base: pointer.base, bits }, size, true)?;
                target.bytes = size.max(1);
                self.race(run, &target, true, Order::Plain)?;
                run.is_gone(object);
                if let Some(extent) = run.place.objects.get_mut(&object) {
                    extent.is_alive = false;
                }
                Ok(())
            }
            Base::Object(_) | Base::Ghost(_) | Base::Function(_) | Base::Thread(_) => {
                Err(self.forbidden(Property::Memory, wrong))
            }
        }
    }

    fn callee(&mut self, run: &mut Run, callee: &Callee) -> Result<FunctionId, Halt> {
        match callee {
            Callee::Direct(function) => Ok(*function),
            Callee::Indirect(expr) => {
                let value = self.eval(run, expr)?;
                match value.base {
                    Base::Function(function) if self.constant(value.bits) == Some(0) => Ok(function),
                    Base::Function(_) | Base::Number | Base::Object(_) | Base::Ghost(_) | Base::Thread(_) => {
                        Err(self.forbidden(Property::Memory, "call of something that is not a function"))
                    }
                }
            }
        }
    }

    fn arguments(&mut self, run: &mut Run, function: FunctionId, args: &[Expr]) -> Result<Vec<Value>, Halt> {
        let params = self.program.functions[function].params.len();
        args.iter().take(params).map(|arg| self.eval(run, arg)).collect()
    }

    fn call(&mut self, run: &mut Run, callee: &Callee, args: &[Expr], dsts: &[LocalId]) -> Result<Next, Halt> {
        let function = self.callee(run, callee)?;
        let args = self.arguments(run, function, args)?;
        if !run.has_room() {
            return Err(Halt::Gap(ReasonKind::Bound, "recursion deeper than 200 calls".to_owned()));
        }
        let (thread, depth, edge) = (run.thread, run.depth(), run.part.at.1);
        let frame = self.frame(run, function, thread, depth + 1, &args);
        self.suspend(run.frame(), edge, dsts);
        self.running(run).frames.push(frame);
        run.keep_part();
        Ok(Next::Go)
    }

    fn leave(&mut self, run: &mut Run, values: &[Expr]) -> Result<Next, Halt> {
        let mut results = Vec::new();
        for value in values {
            results.push(self.eval(run, value)?);
        }
        if run.depth() == 0 {
            let result = match results.first() {
                Some(result) => *result,
                None => self.int(self.pointer_width(), 0),
            };
            return self.end_thread(run, result);
        }
        run.keep_part();
        self.pop_frame(run);
        let frame = run.frame();
        let (function, loc) = (frame.function, frame.loc);
        let program = self.program;
        let edge = program.functions[function].edges.enumerate().find(|(_, edge)| edge.from == loc);
        let Some((id, edge)) = edge else { return Err(Halt::Never) };
        let returned = std::mem::replace(&mut run.part, super::machine::Part::new((function, id)));
        if let Stmt::Call { dsts, .. } = &edge.stmt {
            for (index, &dst) in dsts.iter().enumerate() {
                let value = match results.get(index) {
                    Some(value) => *value,
                    None => {
                        let width = self.width(program.functions[function].locals[dst].ty);
                        Value { base: Base::Number, bits: self.input(run, width) }
                    }
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
        Ok(Next::Go)
    }

    /// Ends the life of the topmost function's stack objects; they can be collected when the results have arrived.
    fn pop_frame(&mut self, run: &mut Run) {
        let thread = self.running(run);
        let objects = thread.frames.pop().map(|frame| frame.objects).unwrap_or_default();
        for object in &objects {
            if let Some(extent) = run.place.objects.get_mut(object) {
                extent.is_alive = false;
            }
            run.is_gone(*object);
        }
    }

    fn end_thread(&mut self, run: &mut Run, result: Value) -> Result<Next, Halt> {
        if self.running(run).regions > 0 {
            let detail = "not modelled: a thread that ends in an atomic region".to_owned();
            return Err(Halt::Gap(ReasonKind::Unmodelled, detail));
        }
        let number = run.thread;
        while !self.running(run).frames.is_empty() {
            self.pop_frame(run);
        }
        let width = self.terms.width(result.bits);
        let key = VarKey::Result(number, width);
        let variable = self.vocabulary.variable(&mut self.terms, self.program, key, Sort::Bits(width));
        let slot = self.slot(run, super::vocabulary::Class::Result, Type::Ptr, result, variable);
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
        Ok(Next::Go)
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

    fn new_thread(&mut self, run: &mut Run, dst: LocalId) -> Result<(), Halt> {
        let is_free = |number: &u32| !run.place.threads.contains_key(number) && !run.place.mentions_thread(*number);
        let Some(number) = (1..=MAX_THREADS).find(is_free) else {
            return Err(Halt::Gap(ReasonKind::Bound, format!("more than {MAX_THREADS} threads at once")));
        };
        // The number that is free depends on other threads that create and join, and on who still holds numbers.
        run.footprint.creates = true;
        if run.place.is_parallel() {
            run.notice();
        }
        run.place.threads.insert(number, Rc::new(Thread::reserved()));
        run.part.makes = Some(number);
        let bits = self.number_term(self.pointer_width(), u128::from(number));
        self.write_local(run, dst, Value { base: Base::Thread(number), bits });
        Ok(())
    }

    /// The thread whose number a value is.
    fn thread_number(&mut self, run: &mut Run, thread: &Expr, what: &str) -> Result<u32, Halt> {
        let value = self.eval(run, thread)?;
        match value.base {
            Base::Thread(number) if run.place.threads.contains_key(&number) => Ok(number),
            Base::Number | Base::Thread(_) | Base::Object(_) | Base::Ghost(_) | Base::Function(_) => {
                Err(Halt::Gap(ReasonKind::Unmodelled, format!("not modelled: {what} of a thread that does not exist")))
            }
        }
    }

    fn spawn(&mut self, run: &mut Run, thread: &Expr, callee: &Callee, args: &[Expr]) -> Result<(), Halt> {
        let number = self.thread_number(run, thread, "a start")?;
        if run.place.threads[&number].status != Status::Reserved {
            let detail = "not modelled: a start of a thread that is not new".to_owned();
            return Err(Halt::Gap(ReasonKind::Unmodelled, detail));
        }
        let function = self.callee(run, callee)?;
        let args = self.arguments(run, function, args)?;
        let frame = self.frame(run, function, number, 0, &args);
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

    fn join(&mut self, run: &mut Run, dst: Option<LocalId>, thread: &Expr) -> Result<(), Halt> {
        let number = self.thread_number(run, thread, "a join")?;
        let Status::Ended(slot) = run.place.threads[&number].status else {
            let always = self.terms.bool(true);
            self.note_stuck(run, always);
            return Err(Halt::Blocked);
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
                Value { base, bits: run.changed.get(&variable).copied().unwrap_or(variable) }
            }
            Slot::Dead => self.int(width, 0),
        };
        if self.terms.width(result.bits) != width {
            return Err(Halt::Gap(ReasonKind::Unsupported, "the result of a thread that is no pointer".to_owned()));
        }
        run.place.threads.remove(&number);
        run.joined(number);
        if let Some(dst) = dst {
            self.write_local(run, dst, result);
        }
        Ok(())
    }

    fn detach(&mut self, run: &mut Run, thread: &Expr) -> Result<(), Halt> {
        let number = self.thread_number(run, thread, "a detach")?;
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

    /// The cell of a lock or wait.
    fn waiting_cell(&mut self, run: &mut Run, ptr: &Expr, bytes: u64) -> Result<super::memory::Target, Halt> {
        let pointer = self.eval(run, ptr)?;
        let target = self.locate(run, pointer, bytes, true)?;
        if !target.is_ghost {
            let detail = "not modelled: waiting for memory that the program itself can write".to_owned();
            return Err(Halt::Gap(ReasonKind::Unmodelled, detail));
        }
        Ok(target)
    }

    /// Records that the current statement blocks under a condition, if deadlocks are in question.
    fn note_stuck(&mut self, run: &mut Run, condition: Term) {
        if self.property != Property::Deadlock || self.terms.as_bool(condition) == Some(false) {
            return;
        }
        let mut stuck = run.clone();
        stuck.stuck.clear();
        stuck.assumed.push(condition);
        run.stuck.push(stuck);
    }

    fn self_value(&mut self, run: &Run) -> Value {
        Value { base: Base::Thread(run.thread), bits: self.number_term(32, u128::from(run.thread)) }
    }

    /// Whether the running thread is the owner of a lock, given its value.
    fn is_own(&mut self, run: &Run, owner: Value) -> Term {
        match owner.base {
            Base::Thread(number) => self.terms.bool(number == run.thread),
            Base::Number => {
                let own = self.number_term(32, u128::from(run.thread));
                self.terms.eq(owner.bits, own)
            }
            Base::Object(_) | Base::Ghost(_) | Base::Function(_) => self.terms.bool(false),
        }
    }

    fn lock(&mut self, run: &mut Run, ptr: &Expr) -> Result<(), Halt> {
        let target = self.waiting_cell(run, ptr, 4)?;
        let owner = self.read(run, &target, Type::Int(32))?;
        let is_own = self.is_own(run, owner);
        if self.property == Property::Locks {
            self.forbid(run, is_own, Property::Locks, "a lock is taken by the thread that holds it");
            if self.terms.as_bool(is_own) == Some(true) {
                return Err(Halt::Violation);
            }
        }
        let is_free = match owner.base {
            Base::Number => {
                let is_set = self.is_set(owner.bits);
                self.terms.not(is_set)
            }
            Base::Thread(_) | Base::Object(_) | Base::Ghost(_) | Base::Function(_) => self.terms.bool(false),
        };
        let is_taken = self.terms.not(is_free);
        self.note_stuck(run, is_taken);
        if self.terms.as_bool(is_free) == Some(false) {
            return Err(Halt::Blocked);
        }
        run.assumed.push(is_free);
        self.acquire_and_release(run, &target, Order::AcqRel)?;
        let own = self.self_value(run);
        self.write(run, &target, Type::Int(32), own)
    }

    fn unlock(&mut self, run: &mut Run, ptr: &Expr) -> Result<(), Halt> {
        let target = self.waiting_cell(run, ptr, 4)?;
        let owner = self.read(run, &target, Type::Int(32))?;
        let is_own = self.is_own(run, owner);
        let is_other = self.terms.not(is_own);
        self.forbid(run, is_other, Property::Locks, "a lock is released by a thread that does not hold it");
        let free = self.int(32, 0);
        let passes = self.passes(run, Order::Release);
        self.pass_on(run, &target, passes, false)?;
        self.write(run, &target, Type::Int(32), free)
    }

    fn wait(&mut self, run: &mut Run, stmt: &Stmt) -> Result<Next, Halt> {
        let Stmt::Await { dst, ty, ptr, ready, update, spurious, timeout, .. } = stmt else { return Ok(Next::Go) };
        let target = self.waiting_cell(run, ptr, self.bytes(*ty))?;
        let old = self.read(run, &target, *ty)?;
        let mut runs = Vec::new();
        let stuck = run;
        let before = stuck.clone();
        for is_early in [false, true] {
            // Stores must reach memory first, unless the wait goes on early.
            if is_early && spurious.is_none() || !is_early && self.has_stores(&before) {
                continue;
            }
            let mut run = before.clone();
            self.write_local(&mut run, *dst, old);
            let holds = self.holds(&mut run, ready)?;
            let condition = if is_early { self.terms.not(holds) } else { holds };
            if !(is_early || *timeout && spurious.is_some()) {
                let must_wait = self.terms.not(holds);
                self.note_stuck(stuck, must_wait);
            }
            if self.terms.as_bool(condition) == Some(false) {
                continue;
            }
            run.assumed.push(condition);
            run.part.is_early = is_early;
            run.part.found = Some(old.bits);
            if let Some(spurious) = spurious {
                let bit = self.int(1, u128::from(is_early));
                self.write_local(&mut run, *spurious, bit);
            }
            let order = if is_early { Order::Relaxed } else { Order::Acquire };
            if let Some(update) = update {
                let new = self.eval(&mut run, update)?;
                self.acquire_and_release(&mut run, &target, order)?;
                self.write(&mut run, &target, *ty, new)?;
            } else {
                self.acquire(&mut run, &target, order)?;
            }
            self.go_on(&mut run);
            runs.push(run);
        }
        if runs.is_empty() {
            return Err(Halt::Blocked);
        }
        Ok(Next::Fork(runs))
    }
}
