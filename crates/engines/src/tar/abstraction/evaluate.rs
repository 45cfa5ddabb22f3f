//! Evaluates expressions over the variables of the model. Results that depend on object addresses or on reusable thread
//! numbers, and floating-point arithmetic, are gaps.

use super::control::{Base, Object, Slot, Value};
use super::model::NUMBER_WIDTH;
use super::translate::{Halt, Run, Translator};
use crate::arithmetic;
use check::ReasonKind;
use ir::{arith, BinaryOp, CastOp, Expr, LocalId, Property, RmwOp, Type, UnaryOp};
use smt::{Bits, Term};

const ADDRESSES: &str = "what happens depends on the addresses of objects";

impl Translator<'_> {
    pub(super) fn number(&mut self, width: u32, value: u128) -> Term {
        self.model.terms.bits(Bits::from_u128(width, value))
    }

    pub(super) fn int(&mut self, width: u32, value: u128) -> Value {
        Value { base: Base::Number, bits: self.number(width, value) }
    }

    pub(super) fn constant(&self, term: Term) -> Option<u128> {
        self.model.terms.as_bits(term).and_then(Bits::to_u128)
    }

    pub(super) fn resize(&mut self, bits: Term, width: u32) -> Term {
        self.model.terms.resize(bits, width)
    }

    pub(super) fn is_set(&mut self, bits: Term) -> Term {
        let zero = self.model.terms.bits(Bits::zero(self.model.terms.width(bits)));
        let is_zero = self.model.terms.eq(bits, zero);
        self.model.terms.not(is_zero)
    }

    /// The running thread's number.
    pub(super) fn own_number(&self, run: &Run) -> Term {
        self.model.templates[run.control.template].number
    }

    /// The truth value of a condition on a path, if a split has decided it.
    pub(super) fn decide(&mut self, run: &Run, condition: Term) -> Option<bool> {
        if let Some(value) = self.model.terms.as_bool(condition) {
            return Some(value);
        }
        let negated = self.model.terms.not(condition);
        if run.guard.contains(&condition) {
            return Some(true);
        }
        run.guard.contains(&negated).then_some(false)
    }

    pub(super) fn read_local(&mut self, run: &mut Run, local: LocalId) -> Value {
        let (template, depth, function) = (run.control.template, run.control.depth(), run.control.top().function);
        let variable = self.local(template, depth, function, local);
        match run.control.top().slots.get(&local) {
            Some(&Slot::Known(base, constant)) => {
                let width = self.model.terms.width(variable);
                Value { base, bits: self.number(width, constant) }
            }
            Some(&Slot::Variable(base)) => Value { base, bits: run.values.get(&variable).copied().unwrap_or(variable) },
            None => Value { base: Base::Number, bits: run.values.get(&variable).copied().unwrap_or(variable) },
        }
    }

    pub(super) fn write_local(&mut self, run: &mut Run, local: LocalId, value: Value) {
        let (template, depth, function) = (run.control.template, run.control.depth(), run.control.top().function);
        let variable = self.local(template, depth, function, local);
        let ty = self.program.functions[function].locals[local].ty;
        let width = self.model.terms.width(variable);
        let bits = self.resize(value.bits, width);
        let is_explicit = self.known.explicit.contains(&(function, local));
        let slot = self.slot(value.base, bits, ty == Type::Ptr || is_explicit);
        if let (true, Base::Number, Some(Slot::Known(_, constant))) = (is_explicit, value.base, slot) {
            self.note_constant((function, local), constant);
        }
        if is_explicit && value.base == Base::Number && slot.is_none() {
            self.demand(bits);
        }
        match slot {
            Some(slot @ Slot::Known(..)) => {
                run.values.remove(&variable);
                run.control.top().slots.insert(local, slot);
            }
            Some(slot @ Slot::Variable(_)) => {
                run.values.insert(variable, bits);
                run.control.top().slots.insert(local, slot);
            }
            None => {
                run.values.insert(variable, bits);
                run.control.top().slots.remove(&local);
            }
        }
    }

    /// The explicit part of a value.
    pub(super) fn slot(&self, base: Base, bits: Term, is_explicit: bool) -> Option<Slot> {
        match (base, self.constant(bits)) {
            (Base::Thread(_) | Base::Elsewhere | Base::Gone | Base::Function(_), constant) => {
                Some(Slot::Known(base, constant.unwrap_or(0)))
            }
            (Base::Number, Some(constant)) if is_explicit => Some(Slot::Known(base, constant)),
            (Base::Number, _) => None,
            (Base::Object(_) | Base::Ghost(_), Some(constant)) => Some(Slot::Known(base, constant)),
            (Base::Object(_) | Base::Ghost(_), None) => Some(Slot::Variable(base)),
        }
    }

    /// Whether a condition, an `i1`, holds.
    pub(super) fn holds(&mut self, run: &mut Run, condition: &Expr) -> Result<Term, Halt> {
        let value = self.eval(run, condition)?;
        let bits = self.plain(value)?;
        Ok(self.is_set(bits))
    }

    pub(super) fn eval(&mut self, run: &mut Run, expr: &Expr) -> Result<Value, Halt> {
        let pointer_width = self.pointer_width();
        Ok(match expr {
            Expr::Int { width, value } => self.int(u32::from(*width), *value),
            Expr::Null => self.int(pointer_width, 0),
            Expr::Local(local) => self.read_local(run, *local),
            Expr::Object(object) => {
                Value { base: Base::Object(Object::Static(*object)), bits: self.number(pointer_width, 0) }
            }
            Expr::Function(function) => Value { base: Base::Function(*function), bits: self.number(pointer_width, 0) },
            Expr::SelfThread => {
                let number = self.own_number(run);
                Value { base: Base::Number, bits: self.resize(number, pointer_width) }
            }
            Expr::Unary { op, ty, arg } => {
                let value = self.eval(run, arg)?;
                let bits = self.plain(value)?;
                let width = self.width(*ty);
                Value { base: Base::Number, bits: self.unary(*op, width, bits)? }
            }
            Expr::Binary { op, ty, lhs, rhs } => {
                let lhs = self.eval(run, lhs)?;
                let rhs = self.eval(run, rhs)?;
                self.binary(run, *op, *ty, lhs, rhs)?
            }
            Expr::Cast { op, from, to, arg } => {
                let value = self.eval(run, arg)?;
                self.cast(*op, *from, *to, value)?
            }
            Expr::Select { cond, then, otherwise } => {
                let cond = self.holds(run, cond)?;
                let (then, otherwise) = (self.eval(run, then)?, self.eval(run, otherwise)?);
                match self.decide(run, cond) {
                    Some(true) => then,
                    Some(false) => otherwise,
                    None if then == otherwise => then,
                    None if then.base == Base::Number && otherwise.base == Base::Number => {
                        let bits = self.model.terms.ite(cond, then.bits, otherwise.bits);
                        Value { base: Base::Number, bits }
                    }
                    None => return Err(Halt::Split(cond)),
                }
            }
            Expr::Offset { base, bytes } => {
                let base = self.eval(run, base)?;
                let bytes = self.eval(run, bytes)?;
                let bytes = self.plain(bytes)?;
                match base.base {
                    Base::Number | Base::Object(_) | Base::Ghost(_) => {
                        Value { base: base.base, bits: self.model.terms.add(base.bits, bytes) }
                    }
                    Base::Elsewhere | Base::Gone => base,
                    Base::Function(_) | Base::Thread(_) => return Err(addresses()),
                }
            }
            Expr::Ghost(base) => {
                let value = self.eval(run, base)?;
                let base = match value.base {
                    Base::Object(object) => Base::Ghost(object),
                    Base::Number | Base::Elsewhere | Base::Gone => value.base,
                    Base::Ghost(_) | Base::Function(_) | Base::Thread(_) => {
                        let detail = "access through an invalid pointer".to_owned();
                        return Err(Halt::Forbidden(Property::Memory, detail));
                    }
                };
                Value { base, bits: self.model.terms.scale(Bits::from_u64(pointer_width, 4), value.bits) }
            }
        })
    }

    /// The bits of a value that must be a number.
    pub(super) fn plain(&mut self, value: Value) -> Result<Term, Halt> {
        match value.base {
            Base::Number => Ok(value.bits),
            // An unknown number other than 0.
            Base::Thread(_) => Ok(self.some_thread(self.model.terms.width(value.bits))),
            Base::Object(_) | Base::Ghost(_) | Base::Function(_) | Base::Elsewhere => {
                Err(Halt::Gap(ReasonKind::Addresses, "an address is used as a number".to_owned()))
            }
            Base::Gone => {
                let detail = "undefined behaviour: what is no longer there is used".to_owned();
                Err(Halt::Gap(ReasonKind::Undefined, detail))
            }
        }
    }

    /// An unknown number other than 0.
    pub(super) fn some_number(&mut self, width: u32) -> Term {
        let input = self.input(width);
        let (zero, one) = (self.number(width, 0), self.number(width, 1));
        let is_zero = self.model.terms.eq(input, zero);
        self.model.terms.ite(is_zero, one, input)
    }

    /// The number of an unknown thread.
    fn some_thread(&mut self, width: u32) -> Term {
        let number = self.some_number(width.min(NUMBER_WIDTH));
        self.resize(number, width)
    }

    fn unary(&mut self, op: UnaryOp, width: u32, bits: Term) -> Result<Term, Halt> {
        if let Some(constant) = self.constant(bits) {
            if let Some(result) = arith::unary(op, width as u16, constant) {
                return Ok(self.number(width, result));
            }
        }
        match op {
            UnaryOp::Not => Ok(self.model.terms.bit_not(bits)),
            UnaryOp::Neg => Ok(self.model.terms.neg(bits)),
            UnaryOp::PopCount
            | UnaryOp::LeadingZeros
            | UnaryOp::TrailingZeros
            | UnaryOp::SwapBytes
            | UnaryOp::ReverseBits
            | UnaryOp::FloatNeg
            | UnaryOp::FloatAbs
            | UnaryOp::FloatSqrt
            | UnaryOp::FloatFloor
            | UnaryOp::FloatCeil
            | UnaryOp::FloatTrunc => Err(not_computed()),
        }
    }

    pub(super) fn binary(
        &mut self,
        run: &mut Run,
        op: BinaryOp,
        ty: Type,
        lhs: Value,
        rhs: Value,
    ) -> Result<Value, Halt> {
        let width = self.width(ty);
        if lhs.base == Base::Number && rhs.base == Base::Number {
            return self.arithmetic(run, op, width, lhs.bits, rhs.bits);
        }
        if let BinaryOp::Eq | BinaryOp::Ne = op {
            let equal = self.same(run, lhs, rhs)?;
            let result = if op == BinaryOp::Ne { self.model.terms.not(equal) } else { equal };
            return Ok(Value { base: Base::Number, bits: self.model.terms.bit_of(result) });
        }
        let is_pointer = |value: Value| matches!(value.base, Base::Object(_) | Base::Ghost(_));
        if width == self.pointer_width() {
            let terms = &mut self.model.terms;
            let moved = match op {
                BinaryOp::Add if is_pointer(lhs) && rhs.base == Base::Number => {
                    Some((lhs.base, terms.add(lhs.bits, rhs.bits)))
                }
                BinaryOp::Add if is_pointer(rhs) && lhs.base == Base::Number => {
                    Some((rhs.base, terms.add(lhs.bits, rhs.bits)))
                }
                BinaryOp::Sub if is_pointer(lhs) && rhs.base == Base::Number => {
                    Some((lhs.base, terms.sub(lhs.bits, rhs.bits)))
                }
                BinaryOp::Sub if is_pointer(lhs) && lhs.base == rhs.base => {
                    Some((Base::Number, terms.sub(lhs.bits, rhs.bits)))
                }
                _ => None,
            };
            if let Some((base, bits)) = moved {
                return Ok(Value { base, bits });
            }
        }
        if matches!(lhs.base, Base::Number | Base::Thread(_)) && matches!(rhs.base, Base::Number | Base::Thread(_)) {
            let (a, b) = (self.plain(lhs)?, self.plain(rhs)?);
            return self.arithmetic(run, op, width, a, b);
        }
        Err(addresses())
    }

    fn arithmetic(&mut self, run: &mut Run, op: BinaryOp, width: u32, a: Term, b: Term) -> Result<Value, Halt> {
        if matches!(op, BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr) {
            let most = self.number(self.model.terms.width(b), u128::from(width - 1));
            let too_much = self.model.terms.ult(most, b);
            if self.model.terms.as_bool(too_much) != Some(false) {
                let detail = "undefined behaviour: a shift by the width of its operand or more";
                self.gap(run, Some(too_much), ReasonKind::Undefined, detail);
                run.guard.push(self.model.terms.not(too_much));
            }
        }
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b)) {
            if let Some(result) = arith::binary(op, width as u16, x, y) {
                return Ok(self.int(if op.is_comparison() { 1 } else { width }, result));
            }
        }
        // Hard for the solver, but perhaps easy with constants.
        let is_division = matches!(op, BinaryOp::Udiv | BinaryOp::Sdiv | BinaryOp::Urem | BinaryOp::Srem);
        let is_constant = |term: Term| self.model.terms.as_bits(term).is_some();
        if is_division && !is_constant(b) || op == BinaryOp::Mul && !is_constant(a) && !is_constant(b) {
            self.demand(b);
        }
        let bits = arithmetic::binary(&mut self.model.terms, op, width, a, b).ok_or_else(not_computed)?;
        Ok(Value { base: Base::Number, bits })
    }

    /// Whether two values are equal, at least one of which is not a number.
    pub(super) fn same(&mut self, run: &mut Run, lhs: Value, rhs: Value) -> Result<Term, Halt> {
        match (lhs.base, rhs.base) {
            (Base::Number, Base::Number) => Ok(self.model.terms.eq(lhs.bits, rhs.bits)),
            (Base::Gone, _) | (_, Base::Gone) => self.plain(Value { base: Base::Gone, bits: lhs.bits }),
            (Base::Thread(_), Base::Number) | (Base::Number, Base::Thread(_)) => {
                let number = if lhs.base == Base::Number { lhs.bits } else { rhs.bits };
                let own = self.own_number(run);
                let own = self.resize(own, self.model.terms.width(number));
                if number == own || self.constant(number) == Some(0) {
                    return Ok(self.model.terms.bool(false));
                }
                let some = self.some_thread(self.model.terms.width(number));
                Ok(self.model.terms.eq(some, number))
            }
            (Base::Object(_) | Base::Ghost(_), _) if lhs.base == rhs.base => {
                Ok(self.model.terms.eq(lhs.bits, rhs.bits))
            }
            (Base::Number, _) | (_, Base::Number) => {
                let number = if lhs.base == Base::Number { lhs.bits } else { rhs.bits };
                match self.constant(number) {
                    Some(0) => Ok(self.model.terms.bool(false)),
                    Some(_) | None => Err(addresses()),
                }
            }
            (Base::Function(a), Base::Function(b)) => Ok(self.model.terms.bool(a == b)),
            (Base::Object(a), Base::Object(b)) if self.is_inside(a, lhs.bits) && self.is_inside(b, rhs.bits) => {
                Ok(self.model.terms.bool(false))
            }
            (_, _) => Err(addresses()),
        }
    }

    fn is_inside(&self, object: Object, offset: Term) -> bool {
        self.constant(offset).is_some_and(|offset| offset < u128::from(self.size(object)))
    }

    fn cast(&mut self, op: CastOp, from: Type, to: Type, arg: Value) -> Result<Value, Halt> {
        let (old, new) = (self.width(from), self.width(to));
        let is_move = matches!(op, CastOp::PtrToInt | CastOp::IntToPtr) && new == self.pointer_width();
        let keeps = match arg.base {
            Base::Number => false,
            Base::Thread(_) => new >= NUMBER_WIDTH && (is_move || matches!(op, CastOp::Zext | CastOp::Trunc)),
            Base::Object(_) | Base::Ghost(_) | Base::Function(_) | Base::Elsewhere | Base::Gone => {
                is_move && new == old
            }
        };
        if keeps {
            return Ok(Value { base: arg.base, bits: self.resize(arg.bits, new) });
        }
        let bits = self.plain(arg)?;
        let bits = arithmetic::cast(&mut self.model.terms, op, new, bits).ok_or_else(not_computed)?;
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
                let (a, b) = (self.plain(old)?, self.plain(by)?);
                return Ok(Value { base: Base::Number, bits: arithmetic::modify(&mut self.model.terms, op, a, b) });
            }
        };
        self.binary(run, binary, ty, old, by)
    }
}

fn addresses() -> Halt {
    Halt::Gap(ReasonKind::Addresses, ADDRESSES.to_owned())
}

fn not_computed() -> Halt {
    Halt::Gap(ReasonKind::Unsupported, "arithmetic that is not followed (floating point, counting bits)".to_owned())
}
