//! Calls and the lifetimes of threads: statements that change the set of active functions and threads.

use crate::eval::Eval;
use crate::event::EventKind;
use crate::machine::Gap;
use crate::state::{GhostCell, Status, Thread};
use crate::step::{Interrupt, Step};
use crate::value::{ObjRef, Pointer, Value};
use base::Id;
use ir::{Callee, Expr, Fault, FunctionId, LocalId, Stmt};
use std::rc::Rc;

/// Maximum call depth; a deeper stack counts as endless recursion.
const MAX_FRAMES: usize = 10_000;
/// Maximum number of threads at once; more are not modelled.
const MAX_THREADS: usize = 255;

impl Step<'_, '_> {
    fn callee(&mut self, callee: &Callee) -> Result<FunctionId, Interrupt> {
        match callee {
            Callee::Direct(function) => Ok(*function),
            Callee::Indirect(expr) => match self.eval_pointer(expr)? {
                Pointer { object: ObjRef::Function(function), offset: 0, .. } => Ok(function),
                pointer if pointer.is_null() => Err(self.violation(Fault::Call { is_null: true })),
                _ => Err(self.violation(Fault::Call { is_null: false })),
            },
        }
    }

    /// The values of the arguments for which the function has parameters.
    fn arguments(&mut self, function: FunctionId, args: &[Expr]) -> Result<Vec<Value>, Interrupt> {
        let params = self.machine.program.functions[function].params.len();
        args.iter().take(params).map(|arg| self.eval(arg)).collect()
    }

    pub(crate) fn call(&mut self, callee: &Callee, args: &[Expr]) -> Result<(), Interrupt> {
        let function = self.callee(callee)?;
        let args = self.arguments(function, args)?;
        if self.state.thread(self.thread).frames.len() >= MAX_FRAMES {
            return Err(Interrupt::Unmodelled("recursion deeper than 10,000 calls".into()));
        }
        self.note(EventKind::Call(function));
        let locals = std::mem::take(&mut self.locals);
        let frame = self.machine.frame(function, &args);
        let thread = self.state.thread_mut(self.thread);
        thread.frames.last_mut().expect("a step happens in a frame").locals = locals;
        thread.frames.push(frame);
        Ok(())
    }

    /// Returns from the topmost function with these results.
    pub(crate) fn leave(&mut self, values: &[Value]) -> Result<(), Interrupt> {
        if self.state.thread(self.thread).frames.len() == 1 {
            let result = values.first().copied().unwrap_or(Value::Int(0));
            return self.end_thread(result);
        }
        self.note(EventKind::Return);
        self.pop_frame(values);
        let thread = self.state.thread_mut(self.thread);
        let caller = thread.frames.last_mut().expect("a caller is below");
        self.locals = std::mem::take(&mut caller.locals);
        let (function, loc) = (caller.function, caller.loc);
        let crate::machine::Next::Edge(edge) = self.machine.code[function].next[loc] else {
            return Err(Interrupt::NoAnswer);
        };
        self.at = (function, edge);
        if let Stmt::Call { dsts, .. } = &self.machine.program.functions[function].edges[edge].stmt {
            for (index, dst) in dsts.iter().enumerate() {
                // A function declared with a result and defined without one leaves it undefined.
                self.locals[dst.index()] = values.get(index).copied().unwrap_or(Value::Undef);
            }
        }
        self.go_on()
    }

    /// Drops the topmost frame and its stack objects; these results are on their way to the caller.
    fn pop_frame(&mut self, results: &[Value]) {
        let frame = self.state.thread_mut(self.thread).frames.pop();
        let objects = frame.map(|frame| frame.objects).unwrap_or_default();
        self.returned();
        if objects.is_empty() {
            return;
        }
        for object in objects {
            self.kill(object);
        }
        self.state.forget_unreachable(self.thread, results);
    }

    /// A call has returned: no access in it is the first of a pair any more, unless a region surrounds the call.
    fn returned(&mut self) {
        let left = self.state.thread(self.thread).frames.len();
        if let (Some(atomicity), Some(pairs)) = (&mut self.state.atomicity, &self.machine.pairs) {
            if atomicity.has_firsts_of(self.thread) {
                Rc::make_mut(atomicity).returned(self.thread, left, pairs);
            }
        }
    }

    pub(crate) fn new_thread(&mut self) -> Result<u32, Interrupt> {
        let is_free = |index: &usize| {
            let number = *index as u32 + 1;
            // A lock that was never released keeps the number of its owner.
            let is_owner = |cell: &GhostCell| cell.value == Value::Int(u128::from(number));
            self.state.threads.get(*index).is_none_or(Option::is_none)
                && !self.state.ghosts.iter().any(is_owner)
                && !self.state.has_pointer_to_thread_local(number)
                && self.state.happens_before.as_ref().is_none_or(|happens_before| happens_before.is_forgotten(number))
        };
        let index = (0..MAX_THREADS).find(is_free).unwrap_or(MAX_THREADS);
        if index >= MAX_THREADS {
            return Err(Interrupt::Unmodelled("more than 255 threads at once".into()));
        }
        let reserved = Rc::new(Thread::new(Status::Reserved, Vec::new()));
        let len = self.state.threads.len().max(index + 1);
        self.state.threads.resize(len, None);
        self.state.threads[index] = Some(reserved);
        Ok(index as u32 + 1)
    }

    pub(crate) fn spawn(&mut self, thread: &Expr, callee: &Callee, args: &[Expr]) -> Result<(), Interrupt> {
        let number = self.eval_int(thread)? as u64;
        let is_new = self.state.find_thread(number).is_some_and(|thread| thread.status == Status::Reserved);
        let child = number as u32;
        if !is_new {
            return Err(Interrupt::Unmodelled("a start of a thread that is not new".into()));
        }
        let function = self.callee(callee)?;
        let args = self.arguments(function, args)?;
        let frame = self.machine.frame(function, &args);
        let new = self.state.thread_mut(child);
        new.status = Status::Running;
        new.frames.push(frame);
        self.machine.add_thread_locals(self.state, child);
        if let Some(happens_before) = &mut self.state.happens_before {
            Rc::make_mut(happens_before).spawn(self.thread, child);
        }
        self.machine.model.started(self.state, self.thread, child);
        if self.watch.is_some() {
            let function = self.machine.program.functions[function].name.clone();
            self.note(EventKind::Spawn { child, function });
        }
        Ok(())
    }

    pub(crate) fn join(&mut self, dst: Option<LocalId>, thread: &Expr) -> Result<(), Interrupt> {
        let number = self.eval_int(thread)?;
        let ended = match self.state.find_thread(number as u64) {
            Some(thread) => thread,
            None => return Err(Interrupt::Unmodelled("a join of a thread that does not exist".into())),
        };
        let (Status::Ended(result), number) = (ended.status, number as u32) else { return Err(Interrupt::NoAnswer) };
        self.note(EventKind::Join { child: number });
        if let Some(happens_before) = &mut self.state.happens_before {
            Rc::make_mut(happens_before).join(self.thread, number);
        }
        self.machine.model.joined(self.state, self.thread, number);
        self.retire(number);
        if let Some(dst) = dst {
            self.locals[dst.index()] = result;
        }
        Ok(())
    }

    pub(crate) fn detach(&mut self, number: u64) -> Result<(), Interrupt> {
        match self.state.find_thread(number) {
            None => Err(Interrupt::Unmodelled("a detach of a thread that does not exist".into())),
            Some(thread) if matches!(thread.status, Status::Ended(_)) => {
                self.retire(number as u32);
                Ok(())
            }
            Some(_) => {
                self.state.thread_mut(number as u32).detached = true;
                Ok(())
            }
        }
    }

    /// Ends the running thread.
    pub(crate) fn end_thread(&mut self, result: Value) -> Result<(), Interrupt> {
        self.note(EventKind::ThreadEnd);
        let site = self.site();
        while !self.state.thread(self.thread).frames.is_empty() {
            self.pop_frame(&[result]);
        }
        if self.state.region == Some(self.thread) {
            self.machine.gap(Gap::Unmodelled { what: "a thread that ends in an atomic region".into(), at: site });
            self.state.region = None;
        }
        self.drop_thread_locals();
        if let Some(happens_before) = &mut self.state.happens_before {
            Rc::make_mut(happens_before).end(self.thread);
        }
        if let Some(atomicity) = &mut self.state.atomicity {
            Rc::make_mut(atomicity).ended(self.thread);
        }
        let thread = self.state.thread_mut(self.thread);
        thread.status = Status::Ended(result);
        thread.regions = 0;
        if thread.detached {
            self.retire(self.thread);
        }
        if self.state.running().next().is_none() {
            return Err(Interrupt::Finished);
        }
        Ok(())
    }

    fn drop_thread_locals(&mut self) {
        let own: Vec<ObjRef> = self.state.objects[self.state.statics..]
            .iter()
            .map(|object| object.id)
            .filter(|id| matches!(id, ObjRef::ThreadLocal(owner, _) if *owner == self.thread))
            .collect();
        for object in &own {
            self.kill(*object);
        }
        let statics = self.state.statics;
        let mut index = 0;
        self.state.objects.retain(|object| {
            index += 1;
            index <= statics || !own.contains(&object.id)
        });
    }

    /// A thread's number becomes free.
    fn retire(&mut self, number: u32) {
        self.state.threads[number as usize - 1] = None;
        while self.state.threads.last().is_some_and(|thread| thread.is_none()) {
            self.state.threads.pop();
        }
        if let Some(happens_before) = &mut self.state.happens_before {
            Rc::make_mut(happens_before).retire(number);
        }
        self.machine.model.retired(self.state, number);
    }
}
