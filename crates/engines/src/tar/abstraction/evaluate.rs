//! The state in which expressions are evaluated: the variables of the model, and what is explicit.

use super::control::{Base, Object, SiteId, Slot, Value};
use super::model::NUMBER_WIDTH;
use super::translate::{Key, Run, Translator};
use crate::symbolic::{addresses, Done, Evaluator, Fault};
use ir::{EdgeId, FunctionId, LocalId, ObjectId, ObjectKind, Program, Property, Type};
use smt::{Sort, Term, Terms};

impl Evaluator for Translator<'_> {
    type Object = Object;
    type Thread = SiteId;
    type Run = Run;
    const THREAD_WIDTH: u32 = NUMBER_WIDTH;

    fn program(&self) -> &Program {
        self.program
    }

    fn property(&self) -> Property {
        self.property
    }

    fn terms(&self) -> &Terms {
        &self.model.terms
    }

    fn terms_mut(&mut self) -> &mut Terms {
        &mut self.model.terms
    }

    fn at(run: &Run) -> (FunctionId, EdgeId) {
        run.at
    }

    fn assumed(run: &Run) -> &[Term] {
        &run.guard
    }

    fn assume(run: &mut Run, fact: Term) {
        run.guard.push(fact);
    }

    fn input(&mut self, run: &mut Run, width: u32) -> Term {
        let known = run.inputs.get(run.used).copied().filter(|&input| self.model.terms.width(input) == width);
        let input = known.unwrap_or_else(|| self.model.terms.variable("input", Sort::Bits(width)));
        if known.is_none() {
            run.inputs.truncate(run.used);
            run.inputs.push(input);
        }
        run.used += 1;
        input
    }

    fn raise(&mut self, run: &mut Run, condition: Term, fault: Fault) {
        self.record(run, Some(condition), fault);
        run.guard.push(self.model.terms.not(condition));
    }

    fn raised(&self, run: &Run) -> usize {
        self.model.nodes[run.source].faults.len()
    }

    fn read_local(&mut self, run: &mut Run, local: LocalId) -> Value {
        let (template, depth, function) = (run.control.template, run.control.depth(), run.control.top().function);
        let variable = self.local(template, depth, function, local);
        let slot = run.control.top().slots.get(&local).copied();
        self.value(run, slot, variable, self.model.terms.width(variable))
    }

    fn write_local(&mut self, run: &mut Run, local: LocalId, value: Value) {
        let (template, depth, function) = (run.control.template, run.control.depth(), run.control.top().function);
        let variable = self.local(template, depth, function, local);
        let ty = self.program.functions[function].locals[local].ty;
        let bits = self.resize(value.bits, self.model.terms.width(variable));
        let is_explicit = self.known.explicit.contains(&(function, local));
        let slot = self.slot(value.base, bits, ty == Type::Ptr || is_explicit);
        match slot {
            Slot::Known(Base::Number, constant) if is_explicit => self.note_constant((function, local), constant),
            Slot::Variable(Base::Number) if is_explicit => {
                self.demand(bits);
            }
            Slot::Known(..) | Slot::Variable(_) => {}
        }
        slot.keep((local, &mut run.control.top().slots), (variable, bits), &mut run.values);
    }

    fn named(&mut self, _run: &Run, object: ObjectId) -> Object {
        Object::Static(object)
    }

    fn size(&self, _run: &Run, object: Object) -> u64 {
        match object {
            Object::Static(id) => self.program.objects[id].size,
            Object::Stack { bytes, .. } => bytes,
        }
    }

    fn is_constant(&self, object: Object) -> bool {
        matches!(object, Object::Static(id) if self.program.objects[id].kind == ObjectKind::Constant)
    }

    /// Pointers to others lead to [`Base::Gone`].
    fn is_alive(&self, _run: &Run, _object: Object) -> bool {
        true
    }

    fn own_number(&mut self, run: &Run, width: u32) -> Value {
        let number = self.model.templates[run.control.template].number;
        Value::number(self.resize(number, width))
    }

    fn thread_bits(&mut self, run: &mut Run, thread: Value) -> Done<Term> {
        Ok(self.some_thread(run, self.model.terms.width(thread.bits)))
    }

    fn is_same_thread(&mut self, run: &mut Run, lhs: Value, rhs: Value) -> Done<Term> {
        let number = match (lhs.base, rhs.base) {
            (Base::Number, _) => lhs.bits,
            (_, Base::Number) => rhs.bits,
            (_, _) => return Err(addresses()),
        };
        let width = self.model.terms.width(number);
        if number == self.own_number(run, width).bits || self.constant(number) == Some(0) {
            return Ok(self.model.terms.bool(false));
        }
        let some = self.some_thread(run, width);
        Ok(self.model.terms.eq(some, number))
    }

    fn demand(&mut self, term: Term) -> bool {
        let wanted = self.model.terms.variables(&[term]);
        let mut is_new = false;
        for (key, variable) in &self.variables {
            let Key::Local(_, _, function, local) = *key else { continue };
            if wanted.contains(variable) && !self.known.implicit.contains(&(function, local)) {
                is_new |= self.known.explicit.insert((function, local));
            }
        }
        self.is_stale |= is_new;
        is_new
    }

    fn note_hard(&mut self, term: Term) {
        self.demand(term);
    }
}

impl Translator<'_> {
    /// The explicit part of a value.
    pub(super) fn slot(&self, base: Base, bits: Term, is_explicit: bool) -> Slot {
        match (base, self.constant(bits)) {
            (Base::Thread(_) | Base::Elsewhere | Base::Gone | Base::Function(_), constant) => {
                Slot::Known(base, constant.unwrap_or(0))
            }
            (Base::Number, Some(constant)) if is_explicit => Slot::Known(base, constant),
            (Base::Object(_) | Base::Ghost(_), Some(constant)) => Slot::Known(base, constant),
            (Base::Number | Base::Object(_) | Base::Ghost(_), _) => Slot::Variable(base),
        }
    }

    /// The value of a variable or cell.
    pub(super) fn value(&mut self, run: &Run, slot: Option<Slot>, variable: Term, width: u32) -> Value {
        match slot.unwrap_or(Slot::Variable(Base::Number)) {
            Slot::Known(base, constant) => Value { base, bits: self.number_term(width, constant) },
            Slot::Variable(base) => {
                let bits = run.values.get(&variable).copied().unwrap_or(variable);
                Value { base, bits: self.resize(bits, width) }
            }
        }
    }

    /// An unknown number other than 0.
    pub(super) fn some_number(&mut self, run: &mut Run, width: u32) -> Term {
        let input = self.input(run, width);
        let (zero, one) = (self.number_term(width, 0), self.number_term(width, 1));
        let is_zero = self.model.terms.eq(input, zero);
        self.model.terms.ite(is_zero, one, input)
    }

    /// The number of an unknown thread.
    fn some_thread(&mut self, run: &mut Run, width: u32) -> Term {
        let number = self.some_number(run, width.min(NUMBER_WIDTH));
        self.resize(number, width)
    }
}
