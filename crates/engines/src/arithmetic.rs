//! The arithmetic of the core form as terms, independent of what values point to. The crate `recheck` has its own, so
//! that it can check the engines independently.

use ir::{arith, CastOp, RmwOp};
use smt::{Bits, Term, Terms};

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
