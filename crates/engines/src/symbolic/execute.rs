//! Executes statements, according to `docs/semantics.md`.

use super::{Base, Done, Halt, Memory, Reading, TargetOf, Value, ValueOf};
use check::ReasonKind;
use ir::analysis::Liveness;
use ir::{AllocKind, Callee, Expr, FunctionId, LocalId, Order, Property, Stmt, Type};
use smt::Term;

/// What a replay, or the search for deadlocks, has to know of a statement.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Note {
    /// It finds this value.
    Found(Term),
    /// It fails for no reason if this is 1.
    Fails(Term),
    /// It waits under this condition.
    Waits(Term),
}

/// The state that statements change. A method named like a statement is its effect, except that the statement's
/// operands are evaluated and its results are written by [`Executor::execute`].
pub(crate) trait Executor: Memory {
    /// Maximum depth of a stack.
    const MAX_FRAMES: usize;
    fn liveness(&self, function: FunctionId) -> &Liveness;
    /// Goes to the end of the current statement's edge.
    fn go_on(&mut self, run: &mut Self::Run);
    /// The depth of the running thread's stack.
    fn frames(run: &Self::Run) -> usize;
    fn note(&mut self, _run: &mut Self::Run, _note: Note) {}
    fn fence(&mut self, _run: &mut Self::Run, _order: Order) {}

    fn copy(
        &mut self,
        run: &mut Self::Run,
        to: ValueOf<Self>,
        from: ValueOf<Self>,
        len: u64,
        is_disjoint: bool,
    ) -> Done;
    fn set(&mut self, run: &mut Self::Run, to: ValueOf<Self>, byte: Term, len: u64) -> Done;
    fn alloc(&mut self, run: &mut Self::Run, size: Term, kind: AllocKind, zeroed: bool) -> Done<ValueOf<Self>>;
    fn free(&mut self, run: &mut Self::Run, pointer: ValueOf<Self>) -> Done;
    fn expire(&mut self, run: &mut Self::Run, object: Self::Object);

    fn call(&mut self, run: &mut Self::Run, function: FunctionId, args: &[ValueOf<Self>], dsts: &[LocalId]);
    /// A return to another function.
    fn leave(&mut self, run: &mut Self::Run, results: &[ValueOf<Self>]) -> Done;
    fn end_thread(&mut self, run: &mut Self::Run, result: ValueOf<Self>) -> Done;
    fn exit(&mut self, run: &mut Self::Run) -> Done;

    fn new_thread(&mut self, run: &mut Self::Run) -> Done<ValueOf<Self>>;
    fn spawn(
        &mut self,
        run: &mut Self::Run,
        thread: ValueOf<Self>,
        function: FunctionId,
        args: &[ValueOf<Self>],
    ) -> Done;
    fn join(&mut self, run: &mut Self::Run, thread: ValueOf<Self>) -> Done<ValueOf<Self>>;
    fn detach(&mut self, run: &mut Self::Run, thread: ValueOf<Self>) -> Done;

    /// An `await` of a cell.
    fn wait(&mut self, run: &mut Self::Run, target: &TargetOf<Self>, stmt: &Stmt) -> Done;
    fn begin_region(&mut self, run: &mut Self::Run, is_fence: bool);
    fn end_region(&mut self, run: &mut Self::Run, is_fence: bool);

    /// Executes a statement, and goes to the end of its edge.
    fn execute(&mut self, run: &mut Self::Run, stmt: &Stmt) -> Done {
        match stmt {
            Stmt::Skip => {}
            Stmt::Fence(order) => self.fence(run, *order),
            Stmt::Assign { dst, value } => {
                let value = self.eval(run, value)?;
                self.write_local(run, *dst, value);
            }
            Stmt::Havoc { dst, below } => self.havoc(run, *dst, below.as_ref())?,
            Stmt::Assume(condition) => {
                let holds = self.holds(run, condition)?;
                Self::assume(run, holds);
            }
            Stmt::Assert { cond, claim, is_defined } => {
                let holds = self.holds(run, cond)?;
                let fails = self.terms_mut().not(holds);
                if claim.property() == self.property() || !is_defined && claim.property() != Property::Unreach {
                    self.forbid(run, fails, claim.property(), &claim.to_string());
                }
            }
            Stmt::Load { dst, ty, ptr, access } => {
                let target = self.locate(run, ptr, *ty, false)?;
                self.access(run, &target, Reading::Load(access.order))?;
                let value = self.read(run, &target, *ty)?;
                self.note(run, Note::Found(value.bits));
                self.write_local(run, *dst, value);
            }
            Stmt::Store { ty, ptr, value, access } => {
                let value = self.eval(run, value)?;
                let target = self.locate(run, ptr, *ty, true)?;
                self.store(run, &target, *ty, value, access.order)?;
            }
            Stmt::Rmw { dst, op, ty, ptr, value, order } => {
                let by = self.eval(run, value)?;
                let target = self.locate(run, ptr, *ty, true)?;
                let old = self.read(run, &target, *ty)?;
                self.note(run, Note::Found(old.bits));
                let new = self.modify(run, *op, *ty, old, by)?;
                self.access(run, &target, Reading::Update(*order))?;
                self.write(run, &target, *ty, new)?;
                self.write_local(run, *dst, old);
            }
            Stmt::CompareExchange { .. } => self.compare_exchange(run, stmt)?,
            Stmt::Copy { dst, src, len, disjoint } => {
                let len = self.length(run, len)?;
                if len > 0 {
                    let (to, from) = (self.eval(run, dst)?, self.eval(run, src)?);
                    self.copy(run, to, from, len, *disjoint)?;
                }
            }
            Stmt::Set { dst, byte, len } => {
                let len = self.length(run, len)?;
                if len > 0 {
                    let (to, byte) = (self.eval(run, dst)?, self.eval_number(run, byte)?);
                    self.set(run, to, byte, len)?;
                }
            }
            Stmt::Alloc { dst, size, kind, zeroed, .. } => {
                let size = self.eval_number(run, size)?;
                if self.constant(size).is_some_and(|size| size > 1 << 30) {
                    return Err(Halt::gap(ReasonKind::Unmodelled, "an allocation of more than 1 GiB"));
                }
                let pointer = self.alloc(run, size, *kind, *zeroed)?;
                self.write_local(run, *dst, pointer);
            }
            Stmt::Free { ptr } => {
                let pointer = self.eval(run, ptr)?;
                self.free(run, pointer)?;
            }
            Stmt::Expire { ptr } => {
                if let Base::Object(object) = self.eval(run, ptr)?.base {
                    self.expire(run, object);
                }
            }
            Stmt::Call { callee, args, dsts } => {
                let (function, args) = self.callee(run, callee, args)?;
                if Self::frames(run) >= Self::MAX_FRAMES {
                    return Err(Halt::gap(
                        ReasonKind::Bound,
                        format!("recursion deeper than {} calls", Self::MAX_FRAMES),
                    ));
                }
                self.call(run, function, &args, dsts);
                return Ok(());
            }
            Stmt::Return(values) => {
                let results = self.eval_all(run, values)?;
                if Self::frames(run) > 1 {
                    return self.leave(run, &results);
                }
                let none = self.int(self.pointer_width(), 0);
                return self.end_thread(run, results.first().copied().unwrap_or(none));
            }
            Stmt::NewThread { dst } => {
                let thread = self.new_thread(run)?;
                self.write_local(run, *dst, thread);
            }
            Stmt::Spawn { thread, callee, args } => {
                let thread = self.eval(run, thread)?;
                let (function, args) = self.callee(run, callee, args)?;
                self.spawn(run, thread, function, &args)?;
            }
            Stmt::Join { dst, thread } => {
                let thread = self.eval(run, thread)?;
                let result = self.join(run, thread)?;
                if let Some(dst) = dst {
                    self.write_local(run, *dst, result);
                }
            }
            Stmt::Detach { thread } => {
                let thread = self.eval(run, thread)?;
                self.detach(run, thread)?;
            }
            Stmt::ExitThread(value) => {
                let value = self.eval(run, value)?;
                return self.end_thread(run, value);
            }
            Stmt::Lock { ptr } => self.lock(run, ptr)?,
            Stmt::Unlock { ptr } => self.unlock(run, ptr)?,
            Stmt::Await { ptr, ty, .. } => {
                let target = self.waiting_cell(run, ptr, *ty)?;
                self.wait(run, &target, stmt)?;
            }
            Stmt::AtomicBegin { is_fence } => self.begin_region(run, *is_fence),
            Stmt::AtomicEnd { is_fence } => self.end_region(run, *is_fence),
            Stmt::Exit => return self.exit(run),
            Stmt::Unmodelled(what) => return Err(Halt::unmodelled(&what.to_string())),
        }
        self.go_on(run);
        Ok(())
    }

    fn havoc(&mut self, run: &mut Self::Run, dst: LocalId, below: Option<&Expr>) -> Done {
        let ty = self.program().functions[Self::at(run).0].locals[dst].ty;
        let width = self.width(ty);
        let input = self.input(run, width);
        if let (Type::Int(_), Some(below)) = (ty, below) {
            let below = self.eval_number(run, below)?;
            let is_set = self.is_set(below);
            let one = self.number_term(self.terms().width(below), 1);
            let below = self.terms_mut().ite(is_set, below, one);
            let below = self.resize(below, width);
            let is_below = self.terms_mut().ult(input, below);
            Self::assume(run, is_below);
            self.note(run, Note::Found(input));
        }
        self.write_local(run, dst, Value::number(input));
        Ok(())
    }

    fn compare_exchange(&mut self, run: &mut Self::Run, stmt: &Stmt) -> Done {
        let Stmt::CompareExchange { old, success, ty, ptr, expected, desired, weak, order, failure } = stmt else {
            return Ok(());
        };
        let (expected, desired) = (self.eval(run, expected)?, self.eval(run, desired)?);
        let target = self.locate(run, ptr, *ty, true)?;
        let found = self.read(run, &target, *ty)?;
        self.note(run, Note::Found(found.bits));
        let mut succeeds = self.same(run, found, expected)?;
        if *weak {
            let input = self.input(run, 1);
            self.note(run, Note::Fails(input));
            let fails = self.is_set(input);
            let goes = self.terms_mut().not(fails);
            succeeds = self.terms_mut().and2(succeeds, goes);
        }
        self.access(run, &target, Reading::Exchange(succeeds, *order, *failure))?;
        let decided = self.decide(run, succeeds);
        match decided {
            Some(true) => self.write(run, &target, *ty, desired)?,
            Some(false) => {}
            None if found.base == Base::Number && desired.base == Base::Number && *ty != Type::Ptr => {
                let bits = self.terms_mut().ite(succeeds, desired.bits, found.bits);
                self.write(run, &target, *ty, Value::number(bits))?;
            }
            None => return Err(Halt::Split(succeeds)),
        }
        let success_bit = match decided {
            Some(value) => self.number_term(1, u128::from(value)),
            None => self.terms_mut().bit_of(succeeds),
        };
        self.write_local(run, *old, found);
        self.write_local(run, *success, Value::number(success_bit));
        Ok(())
    }

    /// The constant length of a range.
    fn length(&mut self, run: &mut Self::Run, len: &Expr) -> Done<u64> {
        let len = self.eval_number(run, len)?;
        match self.constant(len) {
            Some(len) => Ok(len as u64),
            None => {
                self.demand(len);
                Err(Halt::unsupported("a copy of variable length"))
            }
        }
    }

    /// A function and the arguments that it takes.
    fn callee(
        &mut self,
        run: &mut Self::Run,
        callee: &Callee,
        args: &[Expr],
    ) -> Result<(FunctionId, Vec<ValueOf<Self>>), Halt> {
        let function = match callee {
            Callee::Direct(function) => *function,
            Callee::Indirect(expr) => {
                let value = self.eval(run, expr)?;
                match value.base {
                    Base::Function(function) if self.constant(value.bits) == Some(0) => function,
                    _ => return Err(self.invalid(value, "call of something that is not a function")),
                }
            }
        };
        let params = self.program().functions[function].params.len();
        Ok((function, self.eval_all(run, &args[..params.min(args.len())])?))
    }

    /// The arguments of a function, and arbitrary values for its other variables that are read before they are written.
    fn first_locals(
        &mut self,
        run: &mut Self::Run,
        function: FunctionId,
        args: &[ValueOf<Self>],
    ) -> Vec<(LocalId, ValueOf<Self>)> {
        let body = &self.program().functions[function];
        let live = self.liveness(function);
        let params = &body.params;
        let types = body.locals.enumerate().filter(|(local, _)| live.is_live(body.entry, *local));
        let wanted: Vec<(LocalId, Type, Option<usize>)> =
            types.map(|(id, local)| (id, local.ty, params.iter().position(|&param| param == id))).collect();
        let mut locals = Vec::new();
        for (local, ty, place) in wanted {
            let value = match place.and_then(|place| args.get(place)) {
                Some(value) => *value,
                None => Value::number(self.input(run, self.width(ty))),
            };
            locals.push((local, value));
        }
        locals
    }

    /// Whether the running thread is the owner of a lock with this value.
    fn is_own(&mut self, run: &Self::Run, owner: ValueOf<Self>) -> Term {
        let own = self.own_number(run, self.width(ir::LOCK));
        match owner.base {
            Base::Number => self.terms_mut().eq(owner.bits, own.bits),
            base => self.terms_mut().bool(base == own.base),
        }
    }

    fn lock(&mut self, run: &mut Self::Run, ptr: &Expr) -> Done {
        let target = self.waiting_cell(run, ptr, ir::LOCK)?;
        let owner = self.read(run, &target, ir::LOCK)?;
        let is_own = self.is_own(run, owner);
        if self.property() == Property::Locks {
            let detail = "a lock is taken by the thread that holds it";
            if self.terms().as_bool(is_own) == Some(true) {
                return Err(self.forbidden(Property::Locks, detail));
            }
            self.forbid(run, is_own, Property::Locks, detail);
        }
        let is_taken = match owner.base {
            Base::Number => self.is_set(owner.bits),
            _ => self.terms_mut().bool(true),
        };
        self.note(run, Note::Waits(is_taken));
        if self.terms().as_bool(is_taken) == Some(true) {
            return Err(Halt::Never);
        }
        let is_free = self.terms_mut().not(is_taken);
        Self::assume(run, is_free);
        self.access(run, &target, Reading::Update(Order::AcqRel))?;
        let own = self.own_number(run, self.width(ir::LOCK));
        self.write(run, &target, ir::LOCK, own)
    }

    fn unlock(&mut self, run: &mut Self::Run, ptr: &Expr) -> Done {
        let target = self.waiting_cell(run, ptr, ir::LOCK)?;
        let owner = self.read(run, &target, ir::LOCK)?;
        let is_own = self.is_own(run, owner);
        let is_other = self.terms_mut().not(is_own);
        self.forbid(run, is_other, Property::Locks, "a lock is released by a thread that does not hold it");
        let free = self.int(self.width(ir::LOCK), 0);
        self.store(run, &target, ir::LOCK, free, Order::Release)
    }
}
