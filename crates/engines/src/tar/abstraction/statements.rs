//! The effect of each statement on a path, according to `docs/semantics.md`.

use super::control::{Base, Object, SiteId, Status, Target, Value};
use super::memory::Manner;
use super::translate::{Run, Translator};
use crate::symbolic::{Done, Evaluator, Executor, Halt, Memory, Reading};
use check::ReasonKind;
use ir::analysis::Liveness;
use ir::{AllocKind, FunctionId, LocalId, Order, Stmt};
use smt::Term;

impl Executor for Translator<'_> {
    const MAX_FRAMES: usize = 40;

    fn go_on(&mut self, run: &mut Run) {
        let (function, edge) = run.at;
        run.control.top().loc = self.program.functions[function].edges[edge].to;
    }

    fn liveness(&self, function: FunctionId) -> &Liveness {
        &self.live[function]
    }

    fn frames(run: &Run) -> usize {
        run.control.frames.len()
    }

    fn copy(&mut self, run: &mut Run, to: Value, from: Value, len: u64, is_disjoint: bool) -> Done {
        if is_disjoint {
            return Err(Halt::unsupported("a copy between ranges that may overlap"));
        }
        let from = self.find(run, from, len, false)?;
        self.note_access(run, &from, Manner::load(Order::Plain));
        self.forget_range(run, to, len)
    }

    fn set(&mut self, run: &mut Run, to: Value, _byte: Term, len: u64) -> Done {
        self.forget_range(run, to, len)
    }

    fn alloc(&mut self, run: &mut Run, size: Term, kind: AllocKind, zeroed: bool) -> Done<Value> {
        let is_shared = self.escape.is_shared_site(run.at.0, run.at.1);
        let base = match (self.constant(size), kind) {
            (Some(bytes), AllocKind::Stack) if !is_shared => {
                let object = Object::Stack { depth: run.control.depth(), at: run.at, bytes: bytes as u64 };
                let is_kept = run.control.mentions(object);
                self.begin_object(run, object, zeroed);
                // An older object of the same name, in a loop, is not distinguished from it if a pointer still leads
                // there.
                if is_kept && self.is_repeated(run) {
                    return Err(Halt::unsupported("memory is allocated on the stack in a loop"));
                }
                Base::Object(object)
            }
            (_, AllocKind::Stack | AllocKind::Heap) => Base::Elsewhere,
        };
        Ok(Value { base, bits: self.number_term(self.pointer_width(), 0) })
    }

    fn free(&mut self, _run: &mut Run, pointer: Value) -> Done {
        match (pointer.base, self.constant(pointer.bits)) {
            (Base::Number, Some(0)) => Ok(()),
            (_, _) => Err(Halt::unsupported("that memory may be freed is not followed")),
        }
    }

    /// Pointers to objects elsewhere are not tracked anyway.
    fn expire(&mut self, run: &mut Run, object: Object) {
        run.control.forget_object(object);
    }

    fn call(&mut self, run: &mut Run, function: FunctionId, args: &[Value], _dsts: &[LocalId]) {
        run.control.top().call = Some(run.at.1);
        let frame = self.frame(function);
        run.control.frames.push(frame);
        for (local, value) in self.first_locals(run, function, args) {
            self.write_local(run, local, value);
        }
    }

    fn leave(&mut self, run: &mut Run, results: &[Value]) -> Done {
        let depth = run.control.depth();
        run.control.frames.pop();
        run.control.forget_frame(depth);
        let function = run.control.top().function;
        let Some(call) = run.control.top().call.take() else { return Err(Halt::Never) };
        let program = self.program;
        let edge = &program.functions[function].edges[call];
        run.control.top().loc = edge.to;
        if let Stmt::Call { dsts, .. } = &edge.stmt {
            for (&dst, &value) in dsts.iter().zip(results) {
                let is_gone = matches!(value.base.object(), Some(Object::Stack { depth: made, .. }) if made >= depth);
                let value = if is_gone { Value { base: Base::Gone, ..value } } else { value };
                self.write_local(run, dst, value);
            }
        }
        Ok(())
    }

    fn end_thread(&mut self, run: &mut Run, _result: Value) -> Done {
        end(run, Status::Ended);
        Ok(())
    }

    fn exit(&mut self, run: &mut Run) -> Done {
        end(run, Status::Over);
        Ok(())
    }

    fn new_thread(&mut self, run: &mut Run) -> Done<Value> {
        let bits = self.number_term(self.pointer_width(), 0);
        Ok(Value { base: Base::Thread(self.new_site(run)), bits })
    }

    fn spawn(&mut self, run: &mut Run, thread: Value, function: FunctionId, args: &[Value]) -> Done {
        let Base::Thread(made) = thread.base else {
            return Err(Halt::unsupported("a thread is started of which it is not known which"));
        };
        self.start(run, made, function, args);
        (run.has_effect, run.is_cut) = (true, true);
        Ok(())
    }

    fn join(&mut self, run: &mut Run, thread: Value) -> Done<Value> {
        let made = site(thread, "joined")?;
        run.joined = Some(made);
        run.control.forget_thread(made);
        Ok(Value::number(self.input(run, self.pointer_width())))
    }

    fn detach(&mut self, run: &mut Run, thread: Value) -> Done {
        let made = site(thread, "detached")?;
        run.control.forget_thread(made);
        Ok(())
    }

    fn wait(&mut self, run: &mut Run, target: &Target, stmt: &Stmt) -> Done {
        let Stmt::Await { dst, ty, ready, update, spurious, .. } = stmt else { return Ok(()) };
        self.access(run, target, Reading::Update(Order::AcqRel))?;
        let value = self.read(run, target, *ty)?;
        let value = Value::number(self.number(run, value)?);
        self.write_local(run, *dst, value);
        // Readiness must not mention the flag for early wake-ups, which is assigned later.
        let mut ready = self.holds(run, ready)?;
        if let Some(spurious) = spurious {
            let early = self.input(run, 1);
            let is_early = self.is_set(early);
            ready = self.model.terms.or2(is_early, ready);
            self.write_local(run, *spurious, Value::number(early));
        }
        run.guard.push(ready);
        if let Some(update) = update {
            let update = self.eval(run, update)?;
            self.write(run, target, *ty, update)?;
        }
        self.write_local(run, *dst, value);
        Ok(())
    }

    fn begin_region(&mut self, run: &mut Run, _is_fence: bool) {
        run.control.regions += 1;
    }

    fn end_region(&mut self, run: &mut Run, _is_fence: bool) {
        run.control.regions = run.control.regions.saturating_sub(1);
    }
}

impl Translator<'_> {
    /// Writes to a range of memory: its contents become unknown.
    fn forget_range(&mut self, run: &mut Run, to: Value, len: u64) -> Done {
        let target = self.find(run, to, len, true)?;
        self.note_access(run, &target, Manner::store(Order::Plain));
        self.make_target_opaque(&target);
        Ok(())
    }
}

/// Clears the state of an ended thread.
fn end(run: &mut Run, status: Status) {
    run.control.status = status;
    run.control.frames.clear();
    run.control.cells.clear();
    run.control.regions = 0;
}

/// The thread whose number a value is.
fn site(thread: Value, use_of_it: &str) -> Done<SiteId> {
    let Base::Thread(made) = thread.base else {
        let detail = format!("a thread is {use_of_it} of which it is not known which, or whether it is there");
        return Err(Halt::gap(ReasonKind::Undefined, detail));
    };
    Ok(made)
}
