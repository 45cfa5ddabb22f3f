//! The state in which expressions are evaluated: state variables, and what is explicit.

use super::location::{Base, Slot, Status, Value};
use super::machine::{Machine, Run, Trouble};
use super::vocabulary::{Class, ObjId, ObjKey, VarKey};
use crate::symbolic::{thread_numbers, Done, Evaluator, Fault};
use base::Id;
use ir::{EdgeId, Expr, FunctionId, LocalId, ObjectId, ObjectKind, Program, Property, Type};
use smt::{Bits, Sort, Term, Terms};

impl Evaluator for Machine<'_> {
    type Object = ObjId;
    type Thread = u32;
    type Run = Run;
    const THREAD_WIDTH: u32 = 16;

    fn program(&self) -> &Program {
        self.program
    }

    fn property(&self) -> Property {
        self.property
    }

    fn terms(&self) -> &Terms {
        &self.terms
    }

    fn terms_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }

    fn at(run: &Run) -> (FunctionId, EdgeId) {
        run.part.at
    }

    fn assumed(run: &Run) -> &[Term] {
        &run.assumed
    }

    fn assume(run: &mut Run, fact: Term) {
        run.assumed.push(fact);
    }

    fn input(&mut self, run: &mut Run, width: u32) -> Term {
        let key = VarKey::Input(run.inputs.len() as u32, width);
        let input = self.vocabulary.variable(&mut self.terms, self.program, key, Sort::Bits(width));
        run.inputs.push(input);
        if let (Some(values), true) = (self.promised.clone(), width > 8) {
            let mut cases = Vec::new();
            for value in values {
                let number = self.terms.bits(Bits::from_i128(width, value));
                cases.push(self.terms.eq(input, number));
            }
            let fact = self.terms.or(cases);
            run.assumed.push(fact);
        }
        input
    }

    fn raise(&mut self, run: &mut Run, condition: Term, fault: Fault) {
        run.troubles.push((run.assumed.len(), condition, Trouble::new(fault, run.part.at)));
        run.assumed.push(self.terms.not(condition));
    }

    fn raised(&self, run: &Run) -> usize {
        run.troubles.len()
    }

    fn read_local(&mut self, run: &mut Run, local: LocalId) -> Value {
        let (thread, depth, function) = (run.thread, run.depth(), run.frame().function);
        let width = self.width(self.program.functions[function].locals[local].ty);
        match run.frame().locals[local.index()] {
            Slot::Known(base, bits) => Value { base, bits },
            Slot::Var(base) => {
                let variable = self.local_variable(thread, depth, function, local);
                Value { base, bits: run.now(variable) }
            }
            // It is dead, so any value will do.
            Slot::Dead => self.int(width, 0),
        }
    }

    fn write_local(&mut self, run: &mut Run, local: LocalId, value: Value) {
        let (thread, depth, function) = (run.thread, run.depth(), run.frame().function);
        let ty = self.program.functions[function].locals[local].ty;
        let variable = self.local_variable(thread, depth, function, local);
        let bits = self.resize(value.bits, self.width(ty));
        let slot = self.slot(run, Class::Local(function, local), ty, Value { bits, ..value }, variable);
        run.frame().locals[local.index()] = slot;
    }

    fn named(&mut self, run: &Run, object: ObjectId) -> ObjId {
        self.vocabulary.object(match self.program.objects[object].kind {
            ObjectKind::ThreadLocal => ObjKey::Copy(run.thread, object),
            ObjectKind::Global | ObjectKind::Constant => ObjKey::Static(object),
        })
    }

    fn size(&self, run: &Run, object: ObjId) -> u64 {
        match self.vocabulary.key(object) {
            ObjKey::Static(id) | ObjKey::Copy(_, id) => self.program.objects[id].size,
            ObjKey::Made(..) => run.place.objects.get(&object).map_or(0, |extent| extent.size),
        }
    }

    fn is_constant(&self, object: ObjId) -> bool {
        matches!(self.vocabulary.key(object), ObjKey::Static(id) if self.program.objects[id].kind == ObjectKind::Constant)
    }

    fn is_alive(&self, run: &Run, object: ObjId) -> bool {
        match self.vocabulary.key(object) {
            ObjKey::Static(_) => true,
            ObjKey::Copy(thread, _) => {
                run.place.threads.get(&thread).is_some_and(|thread| thread.status == Status::Running)
            }
            ObjKey::Made(..) => run.place.objects.get(&object).is_some_and(|extent| extent.is_alive),
        }
    }

    fn own_number(&mut self, run: &Run, width: u32) -> Value {
        Value { base: Base::Thread(run.thread), bits: self.number_term(width, u128::from(run.thread)) }
    }

    /// Models of library functions use thread numbers only in ways that do not depend on the number.
    fn thread_bits(&mut self, run: &mut Run, thread: Value) -> Done<Term> {
        let (function, edge) = run.part.at;
        if self.program.is_users(self.program.functions[function].edges[edge].span) {
            return Err(thread_numbers());
        }
        Ok(thread.bits)
    }

    fn is_same_thread(&mut self, run: &mut Run, lhs: Value, rhs: Value) -> Done<Term> {
        if let (Base::Thread(a), Base::Thread(b)) = (lhs.base, rhs.base) {
            let exists = |number: &u32| run.place.threads.contains_key(number);
            if a != b && !(exists(&a) && exists(&b)) {
                return Err(thread_numbers());
            }
            return Ok(self.terms.bool(a == b));
        }
        let (number, thread) = if lhs.base == Base::Number { (lhs, rhs) } else { (rhs, lhs) };
        if self.constant(number.bits) == Some(0) {
            return Ok(self.terms.bool(false));
        }
        let bits = self.thread_bits(run, thread)?;
        let bits = self.resize(bits, self.terms.width(number.bits));
        Ok(self.terms.eq(bits, number.bits))
    }

    fn demand(&mut self, term: Term) -> bool {
        let mut is_new = false;
        for variable in self.terms.variables(&[term]) {
            let Some(key) = self.vocabulary.meaning(variable) else { continue };
            if let Some(class) = self.vocabulary.class(key) {
                self.vocabulary.explicit_values.note_static(class, key);
                is_new |= self.vocabulary.explicit.insert(class);
            }
        }
        self.should_restart |= is_new;
        is_new
    }
}

impl Machine<'_> {
    /// The slot for a value that is stored in a local or cell with this state variable.
    pub(super) fn slot(&mut self, run: &mut Run, class: Class, ty: Type, value: Value, variable: Term) -> Slot {
        let is_ghost = matches!(class, Class::Static(_, true, _) | Class::Made(_, true, _));
        let is_constant = self.terms.as_bits(value.bits).is_some();
        let may_be_tracked = value.base != Base::Number || ty == Type::Ptr || is_ghost;
        let is_tracked = may_be_tracked && !self.vocabulary.implicit.contains(&class);
        let is_asked = self.vocabulary.explicit.contains(&class);
        let is_explicit = self.vocabulary.explicit_values.contains(class);
        let is_thread = matches!(value.base, Base::Thread(_));
        if is_constant && (is_thread || is_asked || is_tracked || is_explicit) {
            if !is_thread && !is_asked {
                self.should_restart |= match is_tracked {
                    true => self.vocabulary.tell(class, value.bits),
                    false => self.vocabulary.explicit_values.tell(class, value.bits),
                };
            }
            run.changed.remove(&variable);
            return Slot::Known(value.base, value.bits);
        }
        if is_asked && value.base == Base::Number {
            self.demand(value.bits);
        } else if is_explicit && value.base == Base::Number {
            self.track(value.bits);
        }
        run.changed.insert(variable, value.bits);
        Slot::Var(value.base)
    }

    /// Records the values of locals that a statement mentions.
    pub(super) fn note_locals(&mut self, run: &mut Run, expr: &Expr) {
        let mut mentioned = Vec::new();
        expr.for_each(&mut |part| {
            if let Expr::Local(local) = part {
                mentioned.push(*local);
            }
        });
        for local in mentioned {
            let value = self.read_local(run, local);
            run.part.locals.push((local, value.bits));
        }
    }
}
