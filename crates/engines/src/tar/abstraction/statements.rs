//! The effect of each statement on a path, according to `docs/semantics.md`.

use super::control::{Base, Object, Status, Value};
use super::memory::Manner;
use super::translate::{Halt, Run, Translator};
use check::ReasonKind;
use ir::{AllocKind, Callee, Expr, FunctionId, LocalId, Order, Property, Stmt, Type};
use smt::Term;

/// Maximum call depth.
const DEEPEST: usize = 40;

impl Translator<'_> {
    /// Executes a statement, and advances to the end of its edge.
    pub(super) fn execute(&mut self, run: &mut Run, stmt: &Stmt) -> Result<(), Halt> {
        match stmt {
            Stmt::Skip | Stmt::Fence(_) => {}
            Stmt::Assign { dst, value } => {
                let value = self.eval(run, value)?;
                self.write_local(run, *dst, value);
            }
            Stmt::Havoc { dst, below } => self.havoc(run, *dst, below.as_ref())?,
            Stmt::Assume(condition) => {
                let holds = self.holds(run, condition)?;
                run.guard.push(holds);
            }
            Stmt::Assert { cond, claim, is_defined } => {
                let holds = self.holds(run, cond)?;
                if claim.property() == self.property || !is_defined && claim.property() != Property::Unreach {
                    let fails = self.model.terms.not(holds);
                    self.forbid(run, Some(fails), claim.property(), &claim.to_string());
                }
            }
            Stmt::Load { dst, ty, ptr, access } => {
                let pointer = self.eval(run, ptr)?;
                let target = self.locate(run, pointer, self.bytes(*ty), false)?;
                self.note(run, &target, Manner::load(access.order));
                let value = self.read(run, &target, *ty);
                self.write_local(run, *dst, value);
            }
            Stmt::Store { ty, ptr, value, access } => {
                let value = self.eval(run, value)?;
                let pointer = self.eval(run, ptr)?;
                let target = self.locate(run, pointer, self.bytes(*ty), true)?;
                self.note(run, &target, Manner::store(access.order));
                self.write(run, &target, value);
            }
            Stmt::Rmw { dst, op, ty, ptr, value, order } => {
                let by = self.eval(run, value)?;
                let pointer = self.eval(run, ptr)?;
                let target = self.locate(run, pointer, self.bytes(*ty), true)?;
                let old = self.read(run, &target, *ty);
                let new = self.modify(run, *op, *ty, old, by)?;
                self.note(run, &target, updating(*order, *order));
                self.write(run, &target, new);
                self.write_local(run, *dst, old);
            }
            Stmt::CompareExchange { .. } => self.compare_exchange(run, stmt)?,
            Stmt::Copy { dst, src, len, disjoint } => {
                if *disjoint {
                    let detail = "a copy between ranges that may overlap".to_owned();
                    return Err(Halt::Gap(ReasonKind::Unsupported, detail));
                }
                self.range(run, src, len, false)?;
                self.range(run, dst, len, true)?;
            }
            Stmt::Set { dst, byte: _, len } => self.range(run, dst, len, true)?,
            Stmt::Alloc { .. } => self.alloc(run, stmt)?,
            Stmt::Free { ptr } => self.free(run, ptr)?,
            Stmt::Expire { ptr } => self.expire(run, ptr)?,
            Stmt::Call { callee, args, .. } => return self.call(run, callee, args),
            Stmt::Return(values) => return self.leave(run, values),
            Stmt::NewThread { dst } => {
                let width = self.pointer_width();
                let bits = self.number(width, 0);
                let site = self.new_thread(run);
                self.write_local(run, *dst, Value { base: Base::Thread(site), bits });
            }
            Stmt::Spawn { thread, callee, args } => self.spawn(run, thread, callee, args)?,
            Stmt::Join { dst, thread } => self.join(run, *dst, thread)?,
            Stmt::Detach { thread } => self.detach(run, thread)?,
            Stmt::ExitThread(value) => {
                self.eval(run, value)?;
                end(run, Status::Ended);
                return Ok(());
            }
            Stmt::Lock { ptr } => self.lock(run, ptr)?,
            Stmt::Unlock { ptr } => self.unlock(run, ptr)?,
            Stmt::Await { .. } => self.wait(run, stmt)?,
            Stmt::AtomicBegin { .. } => run.control.regions += 1,
            Stmt::AtomicEnd { .. } => run.control.regions = run.control.regions.saturating_sub(1),
            Stmt::Exit => {
                end(run, Status::Over);
                return Ok(());
            }
            Stmt::Unmodelled(what) => {
                return Err(Halt::Gap(ReasonKind::Unmodelled, format!("not modelled: {what}")));
            }
        }
        self.go_on(run);
        Ok(())
    }

    fn go_on(&self, run: &mut Run) {
        let (function, edge) = run.at;
        run.control.top().loc = self.program.functions[function].edges[edge].to;
    }

    fn havoc(&mut self, run: &mut Run, dst: LocalId, below: Option<&Expr>) -> Result<(), Halt> {
        let ty = self.program.functions[run.at.0].locals[dst].ty;
        let width = self.width(ty);
        let input = self.input(width);
        if let (Type::Int(_), Some(below)) = (ty, below) {
            let below = self.eval(run, below)?;
            let below = self.plain(below)?;
            let is_set = self.is_set(below);
            let one = self.number(self.model.terms.width(below), 1);
            let below = self.model.terms.ite(is_set, below, one);
            let below = self.resize(below, width);
            let is_below = self.model.terms.ult(input, below);
            run.guard.push(is_below);
        }
        self.write_local(run, dst, Value { base: Base::Number, bits: input });
        Ok(())
    }

    fn compare_exchange(&mut self, run: &mut Run, stmt: &Stmt) -> Result<(), Halt> {
        let Stmt::CompareExchange { old, success, ty, ptr, expected, desired, order, failure, weak } = stmt else {
            return Ok(());
        };
        let (expected, desired) = (self.eval(run, expected)?, self.eval(run, desired)?);
        let pointer = self.eval(run, ptr)?;
        let target = self.locate(run, pointer, self.bytes(*ty), true)?;
        let found = self.read(run, &target, *ty);
        let mut succeeds = self.same(run, found, expected)?;
        if *weak {
            let input = self.input(1);
            let goes = self.is_set(input);
            succeeds = self.model.terms.and2(succeeds, goes);
        }
        self.note(run, &target, updating(*order, *failure));
        if found.base == Base::Number && desired.base == Base::Number {
            let bits = self.model.terms.ite(succeeds, desired.bits, found.bits);
            self.write(run, &target, Value { base: Base::Number, bits });
        } else {
            let detail = "a compare-exchange of pointers".to_owned();
            return Err(Halt::Gap(ReasonKind::Unsupported, detail));
        }
        let bits = self.model.terms.bit_of(succeeds);
        self.write_local(run, *old, found);
        self.write_local(run, *success, Value { base: Base::Number, bits });
        Ok(())
    }

    /// Reads or writes a range of memory: its contents become unknown.
    fn range(&mut self, run: &mut Run, ptr: &Expr, len: &Expr, writes: bool) -> Result<(), Halt> {
        let len = self.eval(run, len)?;
        let len = self.plain(len)?;
        let Some(len) = self.constant(len) else {
            self.demand(len);
            return Err(Halt::Gap(ReasonKind::Unsupported, "a copy of variable length".to_owned()));
        };
        if len == 0 {
            return Ok(());
        }
        let pointer = self.eval(run, ptr)?;
        let target = self.locate(run, pointer, len as u64, writes)?;
        let manner = if writes { Manner::store(Order::Plain) } else { Manner::load(Order::Plain) };
        self.note(run, &target, manner);
        if writes {
            self.make_target_opaque(&target);
        }
        Ok(())
    }

    fn alloc(&mut self, run: &mut Run, stmt: &Stmt) -> Result<(), Halt> {
        let Stmt::Alloc { dst, size, kind, zeroed, .. } = stmt else { return Ok(()) };
        let size = self.eval(run, size)?;
        let size = self.plain(size)?;
        let bits = self.number(self.pointer_width(), 0);
        let is_shared = self.escape.is_shared_site(run.at.0, run.at.1);
        let base = match (self.constant(size), kind) {
            (Some(bytes), _) if bytes > 1 << 30 => {
                return Err(Halt::Gap(ReasonKind::Unmodelled, "an allocation of more than 1 GiB".to_owned()));
            }
            (Some(bytes), AllocKind::Stack) if !is_shared => {
                let object = Object::Stack { depth: run.control.depth(), at: run.at, bytes: bytes as u64 };
                let is_kept = run.control.mentions(object);
                self.begin_object(run, object, *zeroed);
                // An older object of the same name, in a loop, is not distinguished from it if a pointer still leads
                // there.
                if is_kept && self.is_repeated(run) {
                    let detail = "memory is allocated on the stack in a loop".to_owned();
                    return Err(Halt::Gap(ReasonKind::Unsupported, detail));
                }
                Base::Object(object)
            }
            (_, AllocKind::Stack | AllocKind::Heap) => Base::Elsewhere,
        };
        self.write_local(run, *dst, Value { base, bits });
        Ok(())
    }

    /// The end of a block: pointers to its variable dangle. Pointers to objects elsewhere are not tracked anyway.
    fn expire(&mut self, run: &mut Run, ptr: &Expr) -> Result<(), Halt> {
        if let Base::Object(object) = self.eval(run, ptr)?.base {
            run.control.forget_object(object);
        }
        Ok(())
    }

    fn free(&mut self, run: &mut Run, ptr: &Expr) -> Result<(), Halt> {
        let pointer = self.eval(run, ptr)?;
        match (pointer.base, self.constant(pointer.bits)) {
            (Base::Number, Some(0)) => Ok(()),
            (
                Base::Number
                | Base::Object(_)
                | Base::Ghost(_)
                | Base::Function(_)
                | Base::Thread(_)
                | Base::Elsewhere
                | Base::Gone,
                _,
            ) => Err(Halt::Gap(ReasonKind::Unsupported, "that memory may be freed is not followed".to_owned())),
        }
    }

    fn callee(&mut self, run: &mut Run, callee: &Callee) -> Result<FunctionId, Halt> {
        match callee {
            Callee::Direct(function) => Ok(*function),
            Callee::Indirect(expr) => {
                let value = self.eval(run, expr)?;
                match value.base {
                    Base::Function(function) if self.constant(value.bits) == Some(0) => Ok(function),
                    Base::Function(_)
                    | Base::Number
                    | Base::Object(_)
                    | Base::Ghost(_)
                    | Base::Thread(_)
                    | Base::Elsewhere
                    | Base::Gone => {
                        let detail = "a function is called of which it is not known which".to_owned();
                        Err(Halt::Gap(ReasonKind::Unsupported, detail))
                    }
                }
            }
        }
    }

    fn call(&mut self, run: &mut Run, callee: &Callee, args: &[Expr]) -> Result<(), Halt> {
        let function = self.callee(run, callee)?;
        let args = self.eval_all(run, args)?;
        if run.control.frames.len() >= DEEPEST {
            return Err(Halt::Gap(ReasonKind::Bound, format!("recursion deeper than {DEEPEST} calls")));
        }
        run.control.top().call = Some(run.at.1);
        let frame = self.frame(function);
        run.control.frames.push(frame);
        let program = self.program;
        for local in program.functions[function].locals.ids() {
            let place = program.functions[function].params.iter().position(|&param| param == local);
            let value = match place.and_then(|place| args.get(place)) {
                Some(value) => *value,
                // Variables are arbitrary at the start.
                None if self.is_live_at_entry(function, local) => {
                    let width = self.width(program.functions[function].locals[local].ty);
                    Value { base: Base::Number, bits: self.input(width) }
                }
                None => continue,
            };
            self.write_local(run, local, value);
        }
        Ok(())
    }

    fn leave(&mut self, run: &mut Run, values: &[Expr]) -> Result<(), Halt> {
        let results = self.eval_all(run, values)?;
        let depth = run.control.depth();
        if depth == 0 {
            end(run, Status::Ended);
            return Ok(());
        }
        run.control.frames.pop();
        run.control.forget_frame(depth);
        let function = run.control.top().function;
        let Some(call) = run.control.top().call.take() else { return Err(Halt::Never) };
        let program = self.program;
        let edge = &program.functions[function].edges[call];
        run.control.top().loc = edge.to;
        if let Stmt::Call { dsts, .. } = &edge.stmt {
            for (&dst, value) in dsts.iter().zip(results) {
                let is_gone = match value.base {
                    Base::Object(Object::Stack { depth: made, .. })
                    | Base::Ghost(Object::Stack { depth: made, .. }) => made >= depth,
                    Base::Object(Object::Static(_))
                    | Base::Ghost(Object::Static(_))
                    | Base::Number
                    | Base::Function(_)
                    | Base::Thread(_)
                    | Base::Elsewhere
                    | Base::Gone => false,
                };
                let value = if is_gone { Value { base: Base::Gone, ..value } } else { value };
                self.write_local(run, dst, value);
            }
        }
        Ok(())
    }

    fn spawn(&mut self, run: &mut Run, thread: &Expr, callee: &Callee, args: &[Expr]) -> Result<(), Halt> {
        let function = self.callee(run, callee)?;
        let args = self.eval_all(run, args)?;
        let value = self.eval(run, thread)?;
        let Base::Thread(made) = value.base else {
            let detail = "a thread is started of which it is not known which".to_owned();
            return Err(Halt::Gap(ReasonKind::Unsupported, detail));
        };
        self.start(run, made, function, &args);
        (run.has_effect, run.is_cut) = (true, true);
        Ok(())
    }

    fn join(&mut self, run: &mut Run, dst: Option<LocalId>, thread: &Expr) -> Result<(), Halt> {
        let value = self.eval(run, thread)?;
        let Base::Thread(made) = value.base else {
            let detail = "a thread is joined of which it is not known which, or whether it is there".to_owned();
            return Err(Halt::Gap(ReasonKind::Undefined, detail));
        };
        run.joined = Some(made);
        run.control.forget_thread(made);
        if let Some(dst) = dst {
            let width = self.pointer_width();
            let bits = self.input(width);
            self.write_local(run, dst, Value { base: Base::Number, bits });
        }
        Ok(())
    }

    fn detach(&mut self, run: &mut Run, thread: &Expr) -> Result<(), Halt> {
        let value = self.eval(run, thread)?;
        match value.base {
            Base::Thread(made) => {
                run.control.forget_thread(made);
                Ok(())
            }
            Base::Number | Base::Object(_) | Base::Ghost(_) | Base::Function(_) | Base::Elsewhere | Base::Gone => {
                let detail = "a thread is detached of which it is not known which, or whether it is there".to_owned();
                Err(Halt::Gap(ReasonKind::Undefined, detail))
            }
        }
    }

    /// The cell of a lock or wait.
    fn synchronised(&mut self, run: &mut Run, ptr: &Expr, ty: Type) -> Result<(super::memory::Target, Term), Halt> {
        let pointer = self.eval(run, ptr)?;
        let target = self.locate(run, pointer, self.bytes(ty), true)?;
        if !target.is_ghost {
            let detail = "waiting for memory that the program itself can write".to_owned();
            return Err(Halt::Gap(ReasonKind::Unmodelled, detail));
        }
        let value = self.read(run, &target, ty);
        self.note(run, &target, Manner::SYNCHRONISES);
        let bits = self.plain(value)?;
        Ok((target, bits))
    }

    fn lock(&mut self, run: &mut Run, ptr: &Expr) -> Result<(), Halt> {
        let (target, owner) = self.synchronised(run, ptr, ir::LOCK)?;
        let own = self.own_number(run);
        let is_own = self.model.terms.eq(owner, own);
        self.forbid(run, Some(is_own), Property::Locks, "a lock is taken by the thread that holds it");
        let is_held = self.is_set(owner);
        run.guard.push(self.model.terms.not(is_held));
        self.write(run, &target, Value { base: Base::Number, bits: own });
        Ok(())
    }

    fn unlock(&mut self, run: &mut Run, ptr: &Expr) -> Result<(), Halt> {
        let (target, owner) = self.synchronised(run, ptr, ir::LOCK)?;
        let own = self.own_number(run);
        let is_own = self.model.terms.eq(owner, own);
        let is_others = self.model.terms.not(is_own);
        let detail = "a lock is released by a thread that does not hold it";
        self.forbid(run, Some(is_others), Property::Locks, detail);
        let zero = self.int(32, 0);
        self.write(run, &target, zero);
        Ok(())
    }

    fn wait(&mut self, run: &mut Run, stmt: &Stmt) -> Result<(), Halt> {
        let Stmt::Await { dst, ty, ptr, ready, update, spurious, .. } = stmt else { return Ok(()) };
        let (target, bits) = self.synchronised(run, ptr, *ty)?;
        let value = Value { base: Base::Number, bits };
        self.write_local(run, *dst, value);
        if let Some(spurious) = spurious {
            let early = self.input(1);
            let is_early = self.is_set(early);
            let bit = self.model.terms.bit_of(is_early);
            // Readiness must not mention the flag for early wake-ups, which is assigned later.
            let ready = self.holds(run, ready)?;
            let is_late = self.model.terms.not(is_early);
            let is_ready = self.model.terms.implies(is_late, ready);
            run.guard.push(is_ready);
            self.write_local(run, *spurious, Value { base: Base::Number, bits: bit });
        } else {
            let ready = self.holds(run, ready)?;
            run.guard.push(ready);
        }
        if let Some(update) = update {
            let update = self.eval(run, update)?;
            self.write(run, &target, update);
        }
        self.write_local(run, *dst, value);
        Ok(())
    }
}

/// A read-modify-write with these success and failure orders.
fn updating(order: Order, failure: Order) -> Manner {
    Manner {
        reads: true,
        writes: true,
        is_atomic: order.is_atomic(),
        acquires: order.acquires() && failure.acquires(),
        releases: order.releases(),
    }
}

/// Clears the state of an ended thread.
fn end(run: &mut Run, status: Status) {
    run.control.status = status;
    run.control.frames.clear();
    run.control.cells.clear();
    run.control.regions = 0;
}
