//! The arithmetic of the core form as terms, independent of what values point to. The crate `recheck` has its own, so
//! that it can check the engines independently.

use crate::skeleton::value::is_set;
use ir::{arith, BinaryOp, CastOp, RmwOp, UnaryOp};
use smt::{Bits, Term, Terms};

/// Why a shift by the width or more is a fault.
pub(crate) const SHIFTS_TOO_FAR: &str = "undefined behaviour: a shift by the width of its operand or more";

/// Whether a shift is by the width of its operand or more, which is undefined whatever it computes.
pub(crate) fn shifts_too_far(terms: &mut Terms, op: BinaryOp, width: u32, by: Term) -> Term {
    if !matches!(op, BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr) {
        return terms.bool(false);
    }
    let most = terms.bits(Bits::from_u64(terms.width(by), u64::from(width - 1)));
    terms.ult(most, by)
}

/// An operation on one integer; floating point only as far as it concerns bits, or constants.
pub(crate) fn unary(terms: &mut Terms, op: UnaryOp, width: u32, bits: Term) -> Option<Term> {
    if let Some(constant) = terms.as_bits(bits).and_then(Bits::to_u128) {
        if let Some(result) = arith::unary(op, width as u16, constant) {
            return Some(terms.bits(Bits::from_u128(width, result)));
        }
    }
    Some(match op {
        UnaryOp::Not => terms.bit_not(bits),
        UnaryOp::Neg => terms.neg(bits),
        UnaryOp::FloatNeg => {
            let sign = terms.bits(Bits::sign(width));
            terms.bit_xor(bits, sign)
        }
        UnaryOp::FloatAbs => {
            let rest = terms.bits(Bits::sign(width).not());
            terms.bit_and([bits, rest])
        }
        UnaryOp::SwapBytes if width.is_multiple_of(8) => reverse(terms, bits, 8),
        UnaryOp::PopCount => count_bits(terms, bits),
        UnaryOp::LeadingZeros => {
            let reversed = reverse(terms, bits, 1);
            trailing_zeros(terms, reversed)
        }
        UnaryOp::TrailingZeros => trailing_zeros(terms, bits),
        UnaryOp::ReverseBits => reverse(terms, bits, 1),
        UnaryOp::SwapBytes | UnaryOp::FloatSqrt | UnaryOp::FloatFloor | UnaryOp::FloatCeil | UnaryOp::FloatTrunc => {
            return None
        }
    })
}

fn count_bits(terms: &mut Terms, bits: Term) -> Term {
    let width = terms.width(bits);
    let mut count = terms.bits(Bits::zero(width));
    for index in 0..width {
        let bit = terms.extract(index, index, bits);
        let bit = terms.resize(bit, width);
        count = terms.add(count, bit);
    }
    count
}

/// The parts of this size in reverse order.
fn reverse(terms: &mut Terms, bits: Term, size: u32) -> Term {
    let mut all = terms.extract(size - 1, 0, bits);
    for index in 1..terms.width(bits) / size {
        let part = terms.extract(size * index + size - 1, size * index, bits);
        all = terms.concat(all, part);
    }
    all
}

/// The number of trailing zeros; the width if all bits are zero.
fn trailing_zeros(terms: &mut Terms, bits: Term) -> Term {
    let width = terms.width(bits);
    let mut count = terms.bits(Bits::from_u64(width, u64::from(width)));
    for index in (0..width).rev() {
        let bit = terms.extract(index, index, bits);
        let is_one = is_set(terms, bit);
        let here = terms.bits(Bits::from_u64(width, u64::from(index)));
        count = terms.ite(is_one, here, count);
    }
    count
}

/// An operation on two integers of a width; floating point only on constants.
pub(crate) fn binary(terms: &mut Terms, op: BinaryOp, width: u32, a: Term, b: Term) -> Option<Term> {
    let constant = |term: Term| terms.as_bits(term).and_then(Bits::to_u128);
    if let (Some(x), Some(y)) = (constant(a), constant(b)) {
        if let Some(result) = arith::binary(op, width as u16, x, y) {
            let width = if op.is_comparison() { 1 } else { width };
            return Some(terms.bits(Bits::from_u128(width, result)));
        }
    }
    Some(match op {
        BinaryOp::Add => terms.add(a, b),
        BinaryOp::Sub => terms.sub(a, b),
        BinaryOp::Mul => terms.mul(a, b),
        BinaryOp::Udiv => terms.udiv(a, b),
        BinaryOp::Sdiv => terms.sdiv(a, b),
        BinaryOp::Urem => terms.urem(a, b),
        BinaryOp::Srem => terms.srem(a, b),
        BinaryOp::Shl => terms.shl(a, b),
        BinaryOp::Lshr => terms.lshr(a, b),
        BinaryOp::Ashr => terms.ashr(a, b),
        BinaryOp::And => terms.bit_and([a, b]),
        BinaryOp::Or => terms.bit_or([a, b]),
        BinaryOp::Xor => terms.bit_xor(a, b),
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Ult | BinaryOp::Ule | BinaryOp::Slt | BinaryOp::Sle => {
            let condition = match op {
                BinaryOp::Ult => terms.ult(a, b),
                BinaryOp::Ule => terms.ule(a, b),
                BinaryOp::Slt => terms.slt(a, b),
                BinaryOp::Sle => terms.sle(a, b),
                _ => terms.eq(a, b),
            };
            let condition = if op == BinaryOp::Ne { terms.not(condition) } else { condition };
            terms.bit_of(condition)
        }
        BinaryOp::FloatAdd
        | BinaryOp::FloatSub
        | BinaryOp::FloatMul
        | BinaryOp::FloatDiv
        | BinaryOp::FloatRem
        | BinaryOp::Float(_) => return None,
    })
}

/// A conversion between widths, or between integers and floating point (constants only).
pub(crate) fn cast(terms: &mut Terms, op: CastOp, to: u32, bits: Term) -> Option<Term> {
    let from = terms.width(bits);
    if let Some(constant) = terms.as_bits(bits).and_then(Bits::to_u128) {
        if let Some(result) = arith::cast(op, from as u16, to as u16, constant) {
            return Some(terms.bits(Bits::from_u128(to, result)));
        }
    }
    match op {
        CastOp::Zext | CastOp::Trunc | CastOp::PtrToInt | CastOp::IntToPtr => Some(terms.resize(bits, to)),
        CastOp::Sext => Some(terms.sign_extend(to - from, bits)),
        CastOp::FloatToSigned
        | CastOp::FloatToUnsigned
        | CastOp::SignedToFloat
        | CastOp::UnsignedToFloat
        | CastOp::FloatToFloat => None,
    }
}

/// The number that a read-modify-write stores.
pub(crate) fn modify(terms: &mut Terms, op: RmwOp, old: Term, operand: Term) -> Term {
    match op {
        RmwOp::Exchange => operand,
        RmwOp::Add => terms.add(old, operand),
        RmwOp::Sub => terms.sub(old, operand),
        RmwOp::And => terms.bit_and([old, operand]),
        RmwOp::Nand => {
            let and = terms.bit_and([old, operand]);
            terms.bit_not(and)
        }
        RmwOp::Or => terms.bit_or([old, operand]),
        RmwOp::Xor => terms.bit_xor(old, operand),
        RmwOp::Max | RmwOp::Min | RmwOp::UnsignedMax | RmwOp::UnsignedMin => {
            let is_signed = matches!(op, RmwOp::Max | RmwOp::Min);
            let less = if is_signed { terms.slt(old, operand) } else { terms.ult(old, operand) };
            let is_largest = matches!(op, RmwOp::Max | RmwOp::UnsignedMax);
            let (then, otherwise) = if is_largest { (operand, old) } else { (old, operand) };
            terms.ite(less, then, otherwise)
        }
    }
}
