//! Evaluates expressions over state variables. Results that depend on object addresses, and floating-point numbers that
//! are not constants, are gaps.

use super::location::{Base, Location, Slot, Status, Value};
use super::machine::{Halt, Machine, Run, Trouble};
use super::vocabulary::{ObjId, ObjKey};
use crate::arithmetic;
use crate::skeleton::value::operation;
use base::Id;
use check::ReasonKind;
use ir::{arith, BinaryOp, CastOp, Expr, LocalId, ObjectKind, Property, RmwOp, Type, UnaryOp};
use smt::{Bits, Term};

const ADDRESSES: &str = "what happens depends on the addresses of objects";
const NUMBERS: &str = "what happens depends on the numbers of threads";

impl Machine<'_> {
    pub(super) fn number_term(&mut self, width: u32, value: u128) -> Term {
        self.terms.bits(Bits::from_u128(width, value))
    }

    pub(super) fn int(&mut self, width: u32, value: u128) -> Value {
        Value { base: Base::Number, bits: self.number_term(width, value) }
    }

    pub(super) fn constant(&self, term: Term) -> Option<u128> {
        self.terms.as_bits(term).and_then(Bits::to_u128)
    }

    pub(super) fn resize(&mut self, bits: Term, width: u32) -> Term {
        self.terms.resize(bits, width)
    }

    pub(super) fn is_set(&mut self, bits: Term) -> Term {
        let zero = self.terms.bits(Bits::zero(self.terms.width(bits)));
        let is_zero = self.terms.eq(bits, zero);
        self.terms.not(is_zero)
    }

    /// Adds a gap under a condition: behaviour is unknown if it holds.
    pub(super) fn unless(&mut self, run: &mut Run, condition: Term, kind: ReasonKind, detail: &str) {
        if self.terms.as_bool(condition) != Some(false) {
            let at = run.part.at;
            run.troubles.push((condition, Trouble::Gap(kind, detail.to_owned(), at)));
        }
    }

    /// Adds a violation under a condition: the property forbids what happens if it holds.
    pub(super) fn forbid(&mut self, run: &mut Run, condition: Term, property: Property, detail: &str) {
        if property != self.property {
            self.unless(run, condition, ReasonKind::Undefined, &format!("undefined behaviour: {detail}"));
        } else if self.terms.as_bool(condition) != Some(false) {
            run.troubles.push((condition, Trouble::Violation));
        }
    }

    /// The same, unconditionally.
    pub(super) fn forbidden(&self, property: Property, detail: &str) -> Halt {
        if property == self.property {
            Halt::Violation
        } else {
            Halt::Gap(ReasonKind::Undefined, format!("undefined behaviour: {detail}"))
        }
    }

    pub(super) fn read_local(&mut self, run: &mut Run, local: LocalId) -> Value {
        let (thread, depth, function) = (run.thread, run.depth(), run.frame().function);
        let width = self.width(self.program.functions[function].locals[local].ty);
        match run.frame().locals[local.index()] {
            Slot::Known(base, bits) => Value { base, bits },
            Slot::Var(base) => {
                let variable = self.local_variable(thread, depth, function, local);
                Value { base, bits: run.changed.get(&variable).copied().unwrap_or(variable) }
            }
            // It is dead, so any value will do.
            Slot::Dead => self.int(width, 0),
        }
    }

    pub(super) fn write_local(&mut self, run: &mut Run, local: LocalId, value: Value) {
        let (thread, depth, function) = (run.thread, run.depth(), run.frame().function);
        let ty = self.program.functions[function].locals[local].ty;
        let variable = self.local_variable(thread, depth, function, local);
        let bits = self.resize(value.bits, self.width(ty));
        let class = super::vocabulary::Class::Local(function, local);
        let slot = self.slot(run, class, ty, Value { bits, ..value }, variable);
        run.frame().locals[local.index()] = slot;
    }

    /// The slot for a value that is stored in a local or cell with this state variable.
    pub(super) fn slot(
        &mut self,
        run: &mut Run,
        class: super::vocabulary::Class,
        ty: Type,
        value: Value,
        variable: Term,
    ) -> Slot {
        use super::vocabulary::Class;
        let is_ghost = matches!(class, Class::Static(_, true, _) | Class::Made(_, true, _));
        let is_constant = self.terms.as_bits(value.bits).is_some();
        let may_be_told = value.base != Base::Number || ty == Type::Ptr || is_ghost;
        let is_told = may_be_told && !self.vocabulary.implicit.contains(&class);
        let is_asked = self.vocabulary.explicit.contains(&class);
        let is_explicit = self.vocabulary.explicit_values.contains(class);
        let is_thread = matches!(value.base, Base::Thread(_));
        if is_constant && (is_thread || is_asked || is_told || is_explicit) {
            if !is_thread && !is_asked {
                self.should_restart |= match is_told {
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

    /// Requests that the state variables of a term be tracked explicitly. Returns whether that is new.
    pub(super) fn demand(&mut self, term: Term) -> bool {
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

    /// The truth value of a condition, if a split has assumed it.
    pub(super) fn decide(&mut self, run: &Run, condition: Term) -> Option<bool> {
        self.terms.as_bool(condition).or_else(|| run.decided.get(&condition).copied())
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

    pub(super) fn holds(&mut self, run: &mut Run, condition: &Expr) -> Result<Term, Halt> {
        let value = self.eval(run, condition)?;
        let bits = self.number(run, value)?;
        Ok(self.is_set(bits))
    }

    pub(super) fn eval(&mut self, run: &mut Run, expr: &Expr) -> Result<Value, Halt> {
        let pointer_width = self.pointer_width();
        Ok(match expr {
            Expr::Int { width, value } => self.int(u32::from(*width), *value),
            Expr::Null => self.int(pointer_width, 0),
            Expr::Local(local) => self.read_local(run, *local),
            Expr::Object(object) => {
                let key = match self.program.objects[*object].kind {
                    ObjectKind::ThreadLocal => ObjKey::Copy(run.thread, *object),
                    ObjectKind::Global | ObjectKind::Constant => ObjKey::Static(*object),
                };
                let object = self.vocabulary.object(key);
                Value { base: Base::Object(object), bits: self.number_term(pointer_width, 0) }
            }
            Expr::Function(function) => {
                Value { base: Base::Function(*function), bits: self.number_term(pointer_width, 0) }
            }
            Expr::SelfThread => {
                Value { base: Base::Thread(run.thread), bits: self.number_term(pointer_width, u128::from(run.thread)) }
            }
            Expr::Unary { op, ty, arg } => {
                let arg = self.eval(run, arg)?;
                let bits = self.number(run, arg)?;
                let bits = self.unary(*op, self.width(*ty), bits)?;
                Value { base: Base::Number, bits }
            }
            Expr::Binary { op, ty, lhs, rhs } => {
                let (lhs, rhs) = (self.eval(run, lhs)?, self.eval(run, rhs)?);
                self.binary(run, *op, *ty, lhs, rhs)?
            }
            Expr::Cast { op, from, to, arg } => {
                let arg = self.eval(run, arg)?;
                self.cast(run, *op, *from, *to, arg)?
            }
            Expr::Select { cond, then, otherwise } => {
                let cond = self.holds(run, cond)?;
                match self.decide(run, cond) {
                    Some(true) => self.eval(run, then)?,
                    Some(false) => self.eval(run, otherwise)?,
                    None => self.choose(run, cond, then, otherwise)?,
                }
            }
            Expr::Offset { base, bytes } => {
                let base = self.eval(run, base)?;
                let bytes = self.eval(run, bytes)?;
                let bytes = self.number(run, bytes)?;
                if matches!(base.base, Base::Thread(_)) {
                    return Err(Halt::Gap(ReasonKind::Unsupported, NUMBERS.to_owned()));
                }
                Value { base: base.base, bits: self.terms.add(base.bits, bytes) }
            }
            Expr::Ghost(base) => {
                let value = self.eval(run, base)?;
                let base = match value.base {
                    Base::Object(object) => Base::Ghost(object),
                    Base::Number => Base::Number,
                    Base::Ghost(_) | Base::Function(_) | Base::Thread(_) => {
                        return Err(self.forbidden(Property::Memory, "access through an invalid pointer"))
                    }
                };
                Value { base, bits: self.terms.scale(Bits::from_u64(pointer_width, 4), value.bits) }
            }
        })
    }

    fn choose(&mut self, run: &mut Run, cond: Term, then: &Expr, otherwise: &Expr) -> Result<Value, Halt> {
        let before = run.troubles.len();
        let then = self.eval(run, then)?;
        let otherwise = self.eval(run, otherwise)?;
        // Where the branches are more than plain numbers, split into cases.
        if then.base != otherwise.base || run.troubles.len() > before || then.base != Base::Number {
            return Err(Halt::Split(cond));
        }
        Ok(Value { base: then.base, bits: self.terms.ite(cond, then.bits, otherwise.bits) })
    }

    /// The bits of a value that must be a number.
    pub(super) fn number(&mut self, run: &Run, value: Value) -> Result<Term, Halt> {
        match value.base {
            Base::Number => Ok(value.bits),
            Base::Thread(_) if !self.is_users(run) => Ok(value.bits),
            Base::Thread(_) => Err(Halt::Gap(ReasonKind::Unsupported, NUMBERS.to_owned())),
            Base::Object(_) | Base::Ghost(_) | Base::Function(_) => {
                Err(Halt::Gap(ReasonKind::Addresses, "an address is used as a number".to_owned()))
            }
        }
    }

    /// Whether the statement is user code. Models of library functions use thread numbers only in ways that do not
    /// depend on the number.
    fn is_users(&self, run: &Run) -> bool {
        let (function, edge) = run.part.at;
        self.program.is_users(self.program.functions[function].edges[edge].span)
    }

    fn unary(&mut self, op: UnaryOp, width: u32, bits: Term) -> Result<Term, Halt> {
        if let Some(constant) = self.constant(bits) {
            if let Some(result) = arith::unary(op, width as u16, constant) {
                return Ok(self.number_term(width, result));
            }
        }
        Ok(match op {
            UnaryOp::Not => self.terms.bit_not(bits),
            UnaryOp::Neg => self.terms.neg(bits),
            UnaryOp::FloatNeg => {
                let sign = self.terms.bits(Bits::sign(width));
                self.terms.bit_xor(bits, sign)
            }
            UnaryOp::FloatAbs => {
                let rest = self.terms.bits(Bits::sign(width).not());
                self.terms.bit_and([bits, rest])
            }
            UnaryOp::PopCount => {
                // Sets of threads: better tracked explicitly.
                self.demand(bits);
                self.count_bits(bits)
            }
            UnaryOp::LeadingZeros => {
                let reversed = self.reverse_bits(bits);
                self.trailing_zeros(reversed)
            }
            UnaryOp::TrailingZeros => self.trailing_zeros(bits),
            UnaryOp::ReverseBits => self.reverse_bits(bits),
            UnaryOp::SwapBytes
            | UnaryOp::FloatSqrt
            | UnaryOp::FloatFloor
            | UnaryOp::FloatCeil
            | UnaryOp::FloatTrunc => return Err(not_computed()),
        })
    }

    fn count_bits(&mut self, bits: Term) -> Term {
        let width = self.terms.width(bits);
        let mut count = self.number_term(width, 0);
        for index in 0..width {
            let bit = self.terms.extract(index, index, bits);
            let bit = self.resize(bit, width);
            count = self.terms.add(count, bit);
        }
        count
    }

    fn reverse_bits(&mut self, bits: Term) -> Term {
        let mut all = self.terms.extract(0, 0, bits);
        for index in 1..self.terms.width(bits) {
            let bit = self.terms.extract(index, index, bits);
            all = self.terms.concat(all, bit);
        }
        all
    }

    /// The number of trailing zeros; the width if all bits are zero.
    fn trailing_zeros(&mut self, bits: Term) -> Term {
        let width = self.terms.width(bits);
        let mut count = self.number_term(width, u128::from(width));
        for index in (0..width).rev() {
            let bit = self.terms.extract(index, index, bits);
            let is_one = self.is_set(bit);
            let here = self.number_term(width, u128::from(index));
            count = self.terms.ite(is_one, here, count);
        }
        count
    }

    fn binary(&mut self, run: &mut Run, op: BinaryOp, ty: Type, lhs: Value, rhs: Value) -> Result<Value, Halt> {
        if lhs.base == Base::Number && rhs.base == Base::Number {
            return self.arithmetic(run, op, self.width(ty), lhs.bits, rhs.bits);
        }
        if let BinaryOp::Eq | BinaryOp::Ne = op {
            let equal = self.same(run, lhs, rhs)?;
            let result = if op == BinaryOp::Ne { self.terms.not(equal) } else { equal };
            return Ok(Value { base: Base::Number, bits: self.terms.bit_of(result) });
        }
        let is_full = self.width(ty) == self.pointer_width();
        let is_pointer = |value: Value| matches!(value.base, Base::Object(_) | Base::Ghost(_));
        if is_full && op == BinaryOp::Add && is_pointer(lhs) && rhs.base == Base::Number {
            return Ok(Value { base: lhs.base, bits: self.terms.add(lhs.bits, rhs.bits) });
        }
        if is_full && op == BinaryOp::Add && is_pointer(rhs) && lhs.base == Base::Number {
            return Ok(Value { base: rhs.base, bits: self.terms.add(lhs.bits, rhs.bits) });
        }
        if is_full && op == BinaryOp::Sub && is_pointer(lhs) && rhs.base == Base::Number {
            return Ok(Value { base: lhs.base, bits: self.terms.sub(lhs.bits, rhs.bits) });
        }
        if is_full && is_pointer(lhs) && lhs.base == rhs.base {
            let bits = match op {
                BinaryOp::Sub => self.terms.sub(lhs.bits, rhs.bits),
                BinaryOp::Ult => {
                    let less = self.terms.slt(lhs.bits, rhs.bits);
                    self.terms.bit_of(less)
                }
                BinaryOp::Ule => {
                    let less = self.terms.sle(lhs.bits, rhs.bits);
                    self.terms.bit_of(less)
                }
                _ => return Err(Halt::Gap(ReasonKind::Addresses, ADDRESSES.to_owned())),
            };
            return Ok(Value { base: Base::Number, bits });
        }
        let (a, b) = (self.number(run, lhs)?, self.number(run, rhs)?);
        self.arithmetic(run, op, self.width(ty), a, b)
    }

    fn arithmetic(&mut self, run: &mut Run, op: BinaryOp, width: u32, a: Term, b: Term) -> Result<Value, Halt> {
        if matches!(op, BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr) {
            let most = self.number_term(self.terms.width(b), u128::from(width - 1));
            let too_much = self.terms.ult(most, b);
            let detail = "undefined behaviour: a shift by the width of its operand or more";
            self.unless(run, too_much, ReasonKind::Undefined, detail);
        }
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b)) {
            if let Some(result) = arith::binary(op, width as u16, x, y) {
                return Ok(self.int(if op.is_comparison() { 1 } else { width }, result));
            }
        }
        let bits = operation(&mut self.terms, op, a, b).ok_or_else(not_computed)?;
        Ok(Value { base: Base::Number, bits })
    }

    /// Whether two values are equal, at least one of which is not a number.
    pub(super) fn same(&mut self, run: &mut Run, lhs: Value, rhs: Value) -> Result<Term, Halt> {
        match (lhs.base, rhs.base) {
            (Base::Number, Base::Number) => Ok(self.terms.eq(lhs.bits, rhs.bits)),
            (Base::Thread(a), Base::Thread(b)) => {
                let exists = |number: &u32| run.place.threads.contains_key(number);
                if a != b && !(exists(&a) && exists(&b)) {
                    return Err(Halt::Gap(ReasonKind::Unsupported, NUMBERS.to_owned()));
                }
                Ok(self.terms.bool(a == b))
            }
            (Base::Thread(_), Base::Number) => self.same_thread(run, lhs, rhs),
            (Base::Number, Base::Thread(_)) => self.same_thread(run, rhs, lhs),
            (Base::Thread(_), _) | (_, Base::Thread(_)) => Err(Halt::Gap(ReasonKind::Addresses, ADDRESSES.to_owned())),
            (a, b) if a == b => Ok(self.terms.eq(lhs.bits, rhs.bits)),
            (Base::Number, _) | (_, Base::Number) => {
                let number = if lhs.base == Base::Number { lhs } else { rhs };
                let pointer = if lhs.base == Base::Number { rhs } else { lhs };
                let is_number = self.is_set(number.bits);
                self.unless(run, is_number, ReasonKind::Addresses, ADDRESSES);
                self.check_compared(run, pointer, false)?;
                Ok(self.terms.bool(false))
            }
            (_, _) => {
                self.check_compared(run, lhs, true)?;
                self.check_compared(run, rhs, true)?;
                Ok(self.terms.bool(false))
            }
        }
    }

    fn same_thread(&mut self, run: &Run, thread: Value, number: Value) -> Result<Term, Halt> {
        if self.constant(number.bits) == Some(0) {
            return Ok(self.terms.bool(false));
        }
        let bits = self.number(run, thread)?;
        let bits = self.resize(bits, self.terms.width(number.bits));
        Ok(self.terms.eq(bits, number.bits))
    }

    /// A pointer that is compared with something other than its own object should be alive and point into its object.
    fn check_compared(&mut self, run: &mut Run, pointer: Value, with_object: bool) -> Result<(), Halt> {
        let (Base::Object(object) | Base::Ghost(object)) = pointer.base else { return Ok(()) };
        if !self.is_alive(&run.place, object) {
            let detail = "undefined behaviour: a pointer to memory that no longer exists is compared";
            return Err(Halt::Gap(ReasonKind::Undefined, detail.to_owned()));
        }
        if with_object {
            let size = self.size(&run.place, object).max(1);
            let most = self.number_term(self.pointer_width(), u128::from(size - 1));
            let outside = self.terms.ult(most, pointer.bits);
            self.unless(run, outside, ReasonKind::Addresses, ADDRESSES);
        }
        Ok(())
    }

    /// Whether an object exists.
    pub(super) fn is_alive(&self, place: &Location, object: ObjId) -> bool {
        match self.vocabulary.key(object) {
            ObjKey::Static(_) => true,
            ObjKey::Copy(thread, _) => {
                place.threads.get(&thread).is_some_and(|thread| thread.status == Status::Running)
            }
            ObjKey::Made(..) => place.objects.get(&object).is_some_and(|extent| extent.is_alive),
        }
    }

    /// The size of an object in bytes.
    pub(super) fn size(&self, place: &Location, object: ObjId) -> u64 {
        match self.vocabulary.key(object) {
            ObjKey::Static(id) | ObjKey::Copy(_, id) => self.program.objects[id].size,
            ObjKey::Made(..) => place.objects.get(&object).map_or(0, |extent| extent.size),
        }
    }

    fn cast(&mut self, run: &Run, op: CastOp, from: Type, to: Type, arg: Value) -> Result<Value, Halt> {
        let (old, new) = (self.width(from), self.width(to));
        let is_move = matches!(op, CastOp::PtrToInt | CastOp::IntToPtr);
        let is_thread = matches!(arg.base, Base::Thread(_));
        let keeps_thread = is_thread && new >= 16 && (is_move || matches!(op, CastOp::Zext | CastOp::Trunc));
        let keeps_object =
            arg.base != Base::Number && !is_thread && is_move && new >= old && new == self.pointer_width();
        if keeps_object || keeps_thread {
            return Ok(Value { base: arg.base, bits: self.resize(arg.bits, new) });
        }
        let bits = self.number(run, arg)?;
        let bits = arithmetic::cast(&mut self.terms, op, new, bits).ok_or_else(not_computed)?;
        Ok(Value { base: Base::Number, bits })
    }

    /// The value that a read-modify-write stores.
    pub(super) fn modify(&mut self, run: &mut Run, op: RmwOp, ty: Type, old: Value, by: Value) -> Result<Value, Halt> {
        let binary = match op {
            RmwOp::Exchange => return Ok(by),
            RmwOp::Add => BinaryOp::Add,
            RmwOp::Sub => BinaryOp::Sub,
            RmwOp::And => BinaryOp::And,
            RmwOp::Or => BinaryOp::Or,
            RmwOp::Xor => BinaryOp::Xor,
            RmwOp::Nand | RmwOp::Max | RmwOp::Min | RmwOp::UnsignedMax | RmwOp::UnsignedMin => {
                let (a, b) = (self.number(run, old)?, self.number(run, by)?);
                return Ok(Value { base: Base::Number, bits: arithmetic::modify(&mut self.terms, op, a, b) });
            }
        };
        self.binary(run, binary, ty, old, by)
    }
}

fn not_computed() -> Halt {
    let detail = "arithmetic that this engine does not know (floating point)";
    Halt::Gap(ReasonKind::Unsupported, detail.to_owned())
}
