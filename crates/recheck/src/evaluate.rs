//! Expressions. Anything that depends on object addresses, and floating point, is a gap.

use crate::memory::{Value, GHOST, NOWHERE, OBJECT_BITS};
use crate::tree::{Path, Tree};
use check::ReasonKind;
use ir::{arith, BinaryOp, CastOp, Expr, ObjectKind, RmwOp, Type, UnaryOp};
use smt::{Bits, Sort, Term};

const ADDRESSES: &str = "what happens depends on the addresses of objects";

impl Tree<'_> {
    pub(crate) fn pointer_width(&self) -> u32 {
        u32::from(self.program.data_model.pointer_width())
    }

    pub(crate) fn width(&self, ty: Type) -> u32 {
        match ty {
            Type::Int(width) => u32::from(width),
            Type::Ptr => self.pointer_width(),
        }
    }

    /// Nothing can be concluded about what follows the statement in progress if the condition holds.
    pub(crate) fn pend(&mut self, condition: Term, kind: ReasonKind, detail: &str) {
        if self.terms.as_bool(condition) != Some(false) {
            self.pending.push((condition, kind, detail.to_owned()));
        }
    }

    pub(crate) fn pend_always(&mut self, kind: ReasonKind, detail: &str) {
        let always = self.terms.bool(true);
        self.pend(always, kind, detail);
    }

    /// A gap if a value is an address.
    pub(crate) fn pend_address(&mut self, object: Term, detail: &str) {
        let is_address = self.is_some_object(object);
        self.pend(is_address, ReasonKind::Addresses, detail);
    }

    pub(crate) fn is_object(&mut self, object: Term, number: u16) -> Term {
        let number = self.terms.number(OBJECT_BITS, u64::from(number));
        self.terms.eq(object, number)
    }

    pub(crate) fn is_some_object(&mut self, object: Term) -> Term {
        let none = self.is_object(object, 0);
        self.terms.not(none)
    }

    pub(crate) fn is_set(&mut self, bits: Term) -> Term {
        let zero = self.terms.bits(Bits::zero(self.terms.width(bits)));
        let is_zero = self.terms.eq(bits, zero);
        self.terms.not(is_zero)
    }

    /// An arbitrary value.
    pub(crate) fn arbitrary(&mut self, ty: Type) -> Value {
        let width = self.width(ty);
        match ty {
            Type::Int(_) => {
                let bits = self.input("input", width);
                self.integer(bits)
            }
            Type::Ptr => {
                let bits = self.terms.variable("pointer", Sort::Bits(width));
                Value { object: self.terms.number(OBJECT_BITS, u64::from(NOWHERE)), bits }
            }
        }
    }

    pub(crate) fn holds(&mut self, path: &mut Path, condition: &Expr) -> Term {
        let value = self.eval(path, condition);
        self.is_set(value.bits)
    }

    pub(crate) fn eval(&mut self, path: &mut Path, expr: &Expr) -> Value {
        match expr {
            Expr::Int { width, value } => self.number(u32::from(*width), *value),
            Expr::Null => self.number(self.pointer_width(), 0),
            Expr::Local(local) => self.local(path, *local),
            Expr::Object(id) => {
                let owner = match self.program.objects[*id].kind {
                    ObjectKind::ThreadLocal => Some(path.thread),
                    ObjectKind::Global | ObjectKind::Constant => None,
                };
                let number = self.static_object(owner, *id);
                self.pointer(number, 0)
            }
            Expr::Function(function) => {
                let number = self.code_object(*function);
                self.pointer(number, 0)
            }
            Expr::SelfThread => self.number(self.pointer_width(), path.thread as u128 + 1),
            Expr::Unary { op, ty, arg } => {
                let arg = self.eval(path, arg);
                let width = self.width(*ty);
                self.unary(*op, width, arg)
            }
            Expr::Binary { op, ty, lhs, rhs } => {
                let (lhs, rhs) = (self.eval(path, lhs), self.eval(path, rhs));
                self.binary(path, *op, *ty, lhs, rhs)
            }
            Expr::Cast { op, from, to, arg } => {
                let arg = self.eval(path, arg);
                let (from, to) = (self.width(*from), self.width(*to));
                self.cast(*op, from, to, arg)
            }
            Expr::Select { cond, then, otherwise } => {
                let condition = self.holds(path, cond);
                let not = self.terms.not(condition);
                let then = self.eval_if(path, condition, then);
                let otherwise = self.eval_if(path, not, otherwise);
                self.choose(condition, then, otherwise)
            }
            Expr::Offset { base, bytes } => {
                let (base, bytes) = (self.eval(path, base), self.eval(path, bytes));
                self.pend_address(bytes.object, "an address is used as a number");
                Value { object: base.object, bits: self.terms.add(base.bits, bytes.bits) }
            }
            Expr::Ghost(base) => {
                let base = self.eval(path, base);
                let none = self.is_object(base.object, 0);
                self.pend(none, ReasonKind::Undefined, "undefined behaviour: access through an invalid pointer");
                let four = self.terms.bits(Bits::from_u64(self.pointer_width(), 4));
                Value { object: self.ghost_of(base.object), bits: self.terms.mul(base.bits, four) }
            }
        }
    }

    /// Evaluates one side of a choice: its gaps count only if that side is taken.
    fn eval_if(&mut self, path: &mut Path, condition: Term, expr: &Expr) -> Value {
        let outside = std::mem::take(&mut self.pending);
        let value = self.eval(path, expr);
        let inside = std::mem::replace(&mut self.pending, outside);
        for (when, kind, detail) in inside {
            let when = self.terms.and2(condition, when);
            self.pend(when, kind, &detail);
        }
        value
    }

    fn ghost_of(&mut self, object: Term) -> Term {
        if let smt::term::Node::Ite(condition, then, otherwise) = *self.terms.node(object) {
            let (then, otherwise) = (self.ghost_of(then), self.ghost_of(otherwise));
            return self.terms.ite(condition, then, otherwise);
        }
        let ghost = self.terms.number(OBJECT_BITS, u64::from(GHOST));
        self.terms.bit_or([object, ghost])
    }

    /// The bits of a value that should be a number.
    fn bits_of(&mut self, value: Value) -> Term {
        self.pend_address(value.object, "an address is used as a number");
        value.bits
    }

    fn unknown_bits(&mut self, width: u32) -> Term {
        self.pend_always(ReasonKind::Unsupported, "arithmetic that is not known here (floating point)");
        self.terms.variable("unknown", Sort::Bits(width))
    }

    fn wide(&self, term: Term) -> Option<u128> {
        self.terms.as_bits(term).and_then(Bits::to_u128)
    }

    fn unary(&mut self, op: UnaryOp, width: u32, arg: Value) -> Value {
        let bits = self.bits_of(arg);
        if let Some(result) = self.wide(bits).and_then(|bits| arith::unary(op, width as u16, bits)) {
            return self.number(width, result);
        }
        let bits = match op {
            UnaryOp::Not => self.terms.bit_not(bits),
            UnaryOp::Neg => self.terms.neg(bits),
            UnaryOp::PopCount => {
                let mut count = self.terms.bits(Bits::zero(width));
                for index in 0..width {
                    let bit = self.terms.extract(index, index, bits);
                    let bit = self.integer(bit);
                    let bit = self.resize(bit, width);
                    count = self.terms.add(count, bit.bits);
                }
                count
            }
            UnaryOp::LeadingZeros => self.zeros(bits, (0..width).rev()),
            UnaryOp::TrailingZeros => self.zeros(bits, 0..width),
            UnaryOp::SwapBytes
            | UnaryOp::ReverseBits
            | UnaryOp::FloatNeg
            | UnaryOp::FloatAbs
            | UnaryOp::FloatSqrt
            | UnaryOp::FloatFloor
            | UnaryOp::FloatCeil
            | UnaryOp::FloatTrunc => self.unknown_bits(width),
        };
        self.integer(bits)
    }

    /// The number of zero bits before the first set bit, in an order of all bits.
    fn zeros(&mut self, bits: Term, order: impl DoubleEndedIterator<Item = u32>) -> Term {
        let width = self.terms.width(bits);
        let mut count = self.terms.bits(Bits::from_u64(width, u64::from(width)));
        let order: Vec<u32> = order.collect();
        for (position, &index) in order.iter().enumerate().rev() {
            let bit = self.terms.extract(index, index, bits);
            let is_one = self.is_set(bit);
            let here = self.terms.bits(Bits::from_u64(width, position as u64));
            count = self.terms.ite(is_one, here, count);
        }
        count
    }

    pub(crate) fn binary(&mut self, path: &Path, op: BinaryOp, ty: Type, lhs: Value, rhs: Value) -> Value {
        let zero = self.terms.number(OBJECT_BITS, 0);
        let is_address = lhs.object != zero || rhs.object != zero;
        if is_address && self.width(ty) == self.pointer_width() {
            match op {
                BinaryOp::Add => {
                    let (plain, other) = (self.is_object(rhs.object, 0), self.is_object(lhs.object, 0));
                    let some = self.terms.or2(plain, other);
                    let both = self.terms.not(some);
                    self.pend(both, ReasonKind::Addresses, ADDRESSES);
                    let object = self.terms.ite(plain, lhs.object, rhs.object);
                    return Value { object, bits: self.terms.add(lhs.bits, rhs.bits) };
                }
                BinaryOp::Sub => {
                    let plain = self.is_object(rhs.object, 0);
                    let apart = self.are_apart(lhs, rhs);
                    let not = self.terms.not(plain);
                    let apart = self.terms.and2(not, apart);
                    self.pend(apart, ReasonKind::Addresses, ADDRESSES);
                    let object = self.terms.ite(plain, lhs.object, zero);
                    return Value { object, bits: self.terms.sub(lhs.bits, rhs.bits) };
                }
                BinaryOp::Ult | BinaryOp::Ule => {
                    let apart = self.are_apart(lhs, rhs);
                    self.pend(apart, ReasonKind::Addresses, ADDRESSES);
                    // Offsets in an object are signed, numbers here are not.
                    let plain = self.is_object(lhs.object, 0);
                    let (a, b) = if op == BinaryOp::Ult { (lhs.bits, rhs.bits) } else { (rhs.bits, lhs.bits) };
                    let (signed, unsigned) = (self.terms.slt(a, b), self.terms.ult(a, b));
                    let less = self.terms.ite(plain, unsigned, signed);
                    let holds = if op == BinaryOp::Ult { less } else { self.terms.not(less) };
                    return self.truth(holds);
                }
                _ => {}
            }
        }
        if is_address && matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            let same = self.same_address(path, ty, lhs, rhs);
            let holds = if op == BinaryOp::Eq { same } else { self.terms.not(same) };
            return self.truth(holds);
        }
        let (a, b) = (self.bits_of(lhs), self.bits_of(rhs));
        self.arithmetic(op, self.width(ty), a, b)
    }

    fn truth(&mut self, holds: Term) -> Value {
        let bits = self.terms.bit_of(holds);
        self.integer(bits)
    }

    /// Whether two pointers cannot be compared by their offsets.
    fn are_apart(&mut self, a: Value, b: Value) -> Term {
        let same = self.terms.eq(a.object, b.object);
        let differ = self.terms.not(same);
        let wild = self.is_object(a.object, NOWHERE);
        self.terms.or2(differ, wild)
    }

    fn same_address(&mut self, path: &Path, ty: Type, a: Value, b: Value) -> Term {
        let mut same = self.equal(a, b);
        for (one, other) in [(a, b), (b, a)] {
            let wild = self.is_object(one.object, NOWHERE);
            let null = self.number(self.terms.width(other.bits), 0);
            let is_null = self.equal(other, null);
            let is_zero = self.terms.eq(one.bits, null.bits);
            same = self.terms.ite(wild, is_zero, same);
            let other_than_null = self.terms.not(is_null);
            let unknown = self.terms.and2(wild, other_than_null);
            self.pend(unknown, ReasonKind::Inputs, "an arbitrary pointer is compared with another one");
            let is_address = self.is_some_object(one.object);
            let other_plain = self.is_object(other.object, 0);
            if matches!(ty, Type::Int(_)) {
                let number = self.is_set(other.bits);
                let exposed = self.terms.and([is_address, other_plain, number]);
                self.pend(exposed, ReasonKind::Addresses, ADDRESSES);
            }
            // A pointer outside its object may be equal to a pointer to another object.
            let inside = self.is_inside(one);
            let outside = self.terms.not(inside);
            let other_object = self.terms.not(other_plain);
            let objects_equal = self.terms.eq(a.object, b.object);
            let objects_differ = self.terms.not(objects_equal);
            let touching = self.terms.and([is_address, other_object, objects_differ, outside]);
            self.pend(touching, ReasonKind::Addresses, ADDRESSES);
        }
        // Objects that died on this path without an event.
        for number in path.dead.clone() {
            let (is_a, is_b) = (self.is_object(a.object, number), self.is_object(b.object, number));
            let either = self.terms.or2(is_a, is_b);
            let (some_a, some_b) = (self.is_some_object(a.object), self.is_some_object(b.object));
            let objects_equal = self.terms.eq(a.object, b.object);
            let objects_differ = self.terms.not(objects_equal);
            let wrong = self.terms.and([either, some_a, some_b, objects_differ]);
            let detail = "undefined behaviour: a pointer to memory that may no longer exist is compared";
            self.pend(wrong, ReasonKind::Undefined, detail);
        }
        let occurs = self.occurs(path);
        let span = self.span();
        self.compared.push((occurs, a.object, b.object, span));
        same
    }

    /// Whether a pointer certainly points into its object.
    fn is_inside(&mut self, pointer: Value) -> Term {
        let (numbers, is_open) = self.leaves(pointer.object);
        let zero = self.terms.bits(Bits::zero(self.terms.width(pointer.bits)));
        let mut cases = vec![self.terms.eq(pointer.bits, zero)];
        if !is_open {
            for number in numbers {
                let is_it = self.is_object(pointer.object, number);
                let size = self.terms.bits(Bits::from_u64(self.terms.width(pointer.bits), self.size_of(number)));
                let below = self.terms.ult(pointer.bits, size);
                cases.push(self.terms.and2(is_it, below));
            }
        }
        self.terms.or(cases)
    }

    fn arithmetic(&mut self, op: BinaryOp, width: u32, a: Term, b: Term) -> Value {
        if matches!(op, BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr) {
            let most = self.terms.bits(Bits::from_u64(width, u64::from(width - 1)));
            let too_much = self.terms.ult(most, b);
            let detail = "undefined behaviour: a shift by the width of its operand or more";
            self.pend(too_much, ReasonKind::Undefined, detail);
        }
        if let (Some(x), Some(y)) = (self.wide(a), self.wide(b)) {
            if let Some(result) = arith::binary(op, width as u16, x, y) {
                return self.number(if op.is_comparison() { 1 } else { width }, result);
            }
        }
        let bits = match op {
            BinaryOp::Add => self.terms.add(a, b),
            BinaryOp::Sub => self.terms.sub(a, b),
            BinaryOp::Mul => self.terms.mul(a, b),
            BinaryOp::Udiv => self.terms.udiv(a, b),
            BinaryOp::Sdiv => self.terms.sdiv(a, b),
            BinaryOp::Urem => self.terms.urem(a, b),
            BinaryOp::Srem => self.terms.srem(a, b),
            BinaryOp::Shl => self.terms.shl(a, b),
            BinaryOp::Lshr => self.terms.lshr(a, b),
            BinaryOp::Ashr => self.terms.ashr(a, b),
            BinaryOp::And => self.terms.bit_and([a, b]),
            BinaryOp::Or => self.terms.bit_or([a, b]),
            BinaryOp::Xor => self.terms.bit_xor(a, b),
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Ult | BinaryOp::Ule | BinaryOp::Slt | BinaryOp::Sle => {
                let holds = self.compare(op, a, b);
                return self.truth(holds);
            }
            BinaryOp::FloatAdd | BinaryOp::FloatSub | BinaryOp::FloatMul | BinaryOp::FloatDiv | BinaryOp::FloatRem => {
                self.unknown_bits(width)
            }
            BinaryOp::Float(_) => self.unknown_bits(1),
        };
        self.integer(bits)
    }

    fn compare(&mut self, op: BinaryOp, a: Term, b: Term) -> Term {
        match op {
            BinaryOp::Ult => self.terms.ult(a, b),
            BinaryOp::Ule => self.terms.ule(a, b),
            BinaryOp::Slt => self.terms.slt(a, b),
            BinaryOp::Sle => self.terms.sle(a, b),
            BinaryOp::Ne => {
                let same = self.terms.eq(a, b);
                self.terms.not(same)
            }
            _ => self.terms.eq(a, b),
        }
    }

    fn cast(&mut self, op: CastOp, from: u32, to: u32, arg: Value) -> Value {
        if matches!(op, CastOp::PtrToInt | CastOp::IntToPtr) && from == to {
            return arg;
        }
        let bits = self.bits_of(arg);
        if let Some(result) = self.wide(bits).and_then(|bits| arith::cast(op, from as u16, to as u16, bits)) {
            return self.number(to, result);
        }
        match op {
            CastOp::Zext | CastOp::Trunc | CastOp::PtrToInt | CastOp::IntToPtr => {
                let value = self.integer(bits);
                self.resize(value, to)
            }
            CastOp::Sext => {
                let bits = self.terms.sign_extend(to - from, bits);
                self.integer(bits)
            }
            CastOp::FloatToSigned
            | CastOp::FloatToUnsigned
            | CastOp::SignedToFloat
            | CastOp::UnsignedToFloat
            | CastOp::FloatToFloat => {
                let bits = self.unknown_bits(to);
                self.integer(bits)
            }
        }
    }

    /// The value that a read-modify-write stores.
    pub(crate) fn modify(&mut self, path: &Path, op: RmwOp, ty: Type, old: Value, operand: Value) -> Value {
        match op {
            RmwOp::Exchange => operand,
            RmwOp::Add => self.binary(path, BinaryOp::Add, ty, old, operand),
            RmwOp::Sub => self.binary(path, BinaryOp::Sub, ty, old, operand),
            RmwOp::And => self.binary(path, BinaryOp::And, ty, old, operand),
            RmwOp::Or => self.binary(path, BinaryOp::Or, ty, old, operand),
            RmwOp::Xor => self.binary(path, BinaryOp::Xor, ty, old, operand),
            RmwOp::Nand => {
                let both = self.binary(path, BinaryOp::And, ty, old, operand);
                let bits = self.terms.bit_not(both.bits);
                self.integer(bits)
            }
            RmwOp::Max | RmwOp::Min | RmwOp::UnsignedMax | RmwOp::UnsignedMin => {
                let (a, b) = (self.bits_of(old), self.bits_of(operand));
                let is_signed = matches!(op, RmwOp::Max | RmwOp::Min);
                let less = if is_signed { self.terms.slt(a, b) } else { self.terms.ult(a, b) };
                let takes_greater = matches!(op, RmwOp::Max | RmwOp::UnsignedMax);
                let (if_less, if_not) = if takes_greater { (b, a) } else { (a, b) };
                let bits = self.terms.ite(less, if_less, if_not);
                self.integer(bits)
            }
        }
    }
}
