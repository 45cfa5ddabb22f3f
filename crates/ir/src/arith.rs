//! Evaluates the operations of [`crate::expr`] on bit-vectors held in a `u128`, with constant folding.
//!
//! Operands have no bits at or above their width, which is 1 to 128; results have none either. Integer operations are
//! total, with the semantics of SMT-LIB's theory of fixed-size bit-vectors: `x / 0` is all ones (signed, for a negative
//! `x`: 1), `x % 0` is `x`, and a shift by the width or more gives 0 (arithmetic: copies of the sign).
//!
//! Floating-point numbers of 32 and 64 bits are IEEE 754 with rounding to nearest, ties to even. A NaN result is always
//! the same quiet one, so that runs can be repeated; C does not define its bits. A float out of the range of an integer
//! type becomes the nearest value of that type, and NaN becomes 0: C leaves both undefined. Negation and absolute value
//! only touch the sign bit and work at every width; every other operation on floats of another width (x87's 80 bits,
//! 128 bits, 16 bits) is not computed: the result is `None`.

use crate::expr::{BinaryOp, CastOp, Expr, FloatCompare, Type, UnaryOp};
use crate::stmt::RmwOp;
use std::cmp::Ordering;

/// The value of width `width` with all bits set.
#[inline]
pub fn mask(width: u16) -> u128 {
    u128::MAX >> (128 - u32::from(width))
}

/// The value read as a signed number.
#[inline]
pub fn signed(width: u16, value: u128) -> i128 {
    let unused = 128 - u32::from(width);
    ((value << unused) as i128) >> unused
}

/// The result of an operation with one operand. `None` if it is not computed: see the head of this file.
#[inline]
pub fn unary(op: UnaryOp, width: u16, a: u128) -> Option<u128> {
    let unused = 128 - u32::from(width);
    let sign = 1u128 << (width - 1);
    Some(match op {
        UnaryOp::Not => a ^ mask(width),
        UnaryOp::Neg => a.wrapping_neg() & mask(width),
        UnaryOp::PopCount => cut(width, u128::from(a.count_ones())),
        UnaryOp::LeadingZeros => cut(width, u128::from(a.leading_zeros() - unused)),
        UnaryOp::TrailingZeros => cut(width, u128::from(a.trailing_zeros().min(u32::from(width)))),
        UnaryOp::SwapBytes if width.is_multiple_of(8) => a.swap_bytes() >> unused,
        UnaryOp::SwapBytes => return None,
        UnaryOp::ReverseBits => a.reverse_bits() >> unused,
        UnaryOp::FloatNeg => a ^ sign,
        UnaryOp::FloatAbs => a & !sign,
        UnaryOp::FloatSqrt => return float_unary(width, a, f32::sqrt, f64::sqrt),
        UnaryOp::FloatFloor => return float_unary(width, a, f32::floor, f64::floor),
        UnaryOp::FloatCeil => return float_unary(width, a, f32::ceil, f64::ceil),
        UnaryOp::FloatTrunc => return float_unary(width, a, f32::trunc, f64::trunc),
    })
}

/// The result of an operation with two operands of this width: 0 or 1 for comparisons. `None` if it is not computed:
/// see the head of this file.
#[inline]
pub fn binary(op: BinaryOp, width: u16, a: u128, b: u128) -> Option<u128> {
    let bits = u128::from(width);
    Some(match op {
        BinaryOp::Add => a.wrapping_add(b) & mask(width),
        BinaryOp::Sub => a.wrapping_sub(b) & mask(width),
        BinaryOp::Mul => a.wrapping_mul(b) & mask(width),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Eq => u128::from(a == b),
        BinaryOp::Ne => u128::from(a != b),
        BinaryOp::Ult => u128::from(a < b),
        BinaryOp::Ule => u128::from(a <= b),
        BinaryOp::Slt => u128::from(signed(width, a) < signed(width, b)),
        BinaryOp::Sle => u128::from(signed(width, a) <= signed(width, b)),
        BinaryOp::Shl => {
            if b >= bits {
                0
            } else {
                (a << b) & mask(width)
            }
        }
        BinaryOp::Lshr => {
            if b >= bits {
                0
            } else {
                a >> b
            }
        }
        BinaryOp::Ashr => (signed(width, a) >> b.min(bits - 1)) as u128 & mask(width),
        BinaryOp::Udiv => unsigned_quotient(a, b).unwrap_or(mask(width)),
        BinaryOp::Urem => unsigned_remainder(a, b).unwrap_or(a),
        BinaryOp::Sdiv => signed_quotient(width, a, b),
        BinaryOp::Srem => signed_remainder(width, a, b),
        BinaryOp::FloatAdd => return float_binary(width, a, b, |x, y| x + y, |x, y| x + y),
        BinaryOp::FloatSub => return float_binary(width, a, b, |x, y| x - y, |x, y| x - y),
        BinaryOp::FloatMul => return float_binary(width, a, b, |x, y| x * y, |x, y| x * y),
        BinaryOp::FloatDiv => return float_binary(width, a, b, |x, y| x / y, |x, y| x / y),
        BinaryOp::FloatRem => return float_binary(width, a, b, |x, y| x % y, |x, y| x % y),
        BinaryOp::Float(how) => {
            let order = match width {
                32 => float32(a).partial_cmp(&float32(b)),
                64 => float64(a).partial_cmp(&float64(b)),
                _ => return None,
            };
            u128::from(float_holds(how, order))
        }
    })
}

/// The result of a change of type. `None` for pointers and for floats that are not computed: see the head of this file.
#[inline]
pub fn cast(op: CastOp, from: u16, to: u16, a: u128) -> Option<u128> {
    match op {
        CastOp::Zext | CastOp::Trunc => Some(cut(to, a)),
        CastOp::Sext => Some(cut(to, signed(from, a) as u128)),
        CastOp::PtrToInt | CastOp::IntToPtr => None,
        CastOp::FloatToSigned => {
            let value = match from {
                32 => float32(a) as i128,
                64 => float64(a) as i128,
                _ => return None,
            };
            let largest = (mask(to) >> 1) as i128;
            Some(cut(to, value.clamp(-largest - 1, largest) as u128))
        }
        CastOp::FloatToUnsigned => match from {
            32 => Some((float32(a) as u128).min(mask(to))),
            64 => Some((float64(a) as u128).min(mask(to))),
            _ => None,
        },
        CastOp::SignedToFloat => match to {
            32 => Some(bits32(signed(from, a) as f32)),
            64 => Some(bits64(signed(from, a) as f64)),
            _ => None,
        },
        CastOp::UnsignedToFloat => match to {
            32 => Some(bits32(a as f32)),
            64 => Some(bits64(a as f64)),
            _ => None,
        },
        CastOp::FloatToFloat => match (from, to) {
            (32, 64) => Some(bits64(f64::from(float32(a)))),
            (64, 32) => Some(bits32(float64(a) as f32)),
            _ if from == to => Some(a),
            _ => None,
        },
    }
}

/// The value that a read-modify-write stores.
#[inline]
pub fn rmw(op: RmwOp, width: u16, old: u128, operand: u128) -> u128 {
    let pick = |operand_wins: bool| if operand_wins { operand } else { old };
    match op {
        RmwOp::Exchange => operand,
        RmwOp::Add => old.wrapping_add(operand) & mask(width),
        RmwOp::Sub => old.wrapping_sub(operand) & mask(width),
        RmwOp::And => old & operand,
        RmwOp::Nand => (old & operand) ^ mask(width),
        RmwOp::Or => old | operand,
        RmwOp::Xor => old ^ operand,
        RmwOp::Max => pick(signed(width, operand) > signed(width, old)),
        RmwOp::Min => pick(signed(width, operand) < signed(width, old)),
        RmwOp::UnsignedMax => pick(operand > old),
        RmwOp::UnsignedMin => pick(operand < old),
    }
}

#[inline]
fn cut(width: u16, value: u128) -> u128 {
    value & mask(width)
}

#[inline]
fn unsigned_quotient(a: u128, b: u128) -> Option<u128> {
    // 128-bit division is a library call; almost all operands are narrower.
    match (u64::try_from(a), u64::try_from(b)) {
        (Ok(a), Ok(b)) => a.checked_div(b).map(u128::from),
        _ => a.checked_div(b),
    }
}

#[inline]
fn unsigned_remainder(a: u128, b: u128) -> Option<u128> {
    match (u64::try_from(a), u64::try_from(b)) {
        (Ok(a), Ok(b)) => a.checked_rem(b).map(u128::from),
        _ => a.checked_rem(b),
    }
}

#[inline]
fn signed_quotient(width: u16, a: u128, b: u128) -> u128 {
    let (x, y) = (signed(width, a), signed(width, b));
    let magnitude = unsigned_quotient(x.unsigned_abs(), y.unsigned_abs()).unwrap_or(mask(width));
    let negative = (x < 0) != (y < 0);
    cut(width, if negative { magnitude.wrapping_neg() } else { magnitude })
}

#[inline]
fn signed_remainder(width: u16, a: u128, b: u128) -> u128 {
    let (x, y) = (signed(width, a), signed(width, b));
    match unsigned_remainder(x.unsigned_abs(), y.unsigned_abs()) {
        None => a,
        Some(magnitude) => cut(width, if x < 0 { magnitude.wrapping_neg() } else { magnitude }),
    }
}

#[inline]
fn float32(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

#[inline]
fn float64(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

#[inline]
fn bits32(value: f32) -> u128 {
    u128::from(if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() })
}

#[inline]
fn bits64(value: f64) -> u128 {
    u128::from(if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() })
}

#[inline]
fn float_unary(width: u16, a: u128, single: fn(f32) -> f32, double: fn(f64) -> f64) -> Option<u128> {
    match width {
        32 => Some(bits32(single(float32(a)))),
        64 => Some(bits64(double(float64(a)))),
        _ => None,
    }
}

#[inline]
fn float_binary(
    width: u16,
    a: u128,
    b: u128,
    single: fn(f32, f32) -> f32,
    double: fn(f64, f64) -> f64,
) -> Option<u128> {
    match width {
        32 => Some(bits32(single(float32(a), float32(b)))),
        64 => Some(bits64(double(float64(a), float64(b)))),
        _ => None,
    }
}

#[inline]
fn float_holds(how: FloatCompare, order: Option<Ordering>) -> bool {
    use Ordering::{Equal, Greater, Less};
    match how {
        FloatCompare::Oeq => order == Some(Equal),
        FloatCompare::Ogt => order == Some(Greater),
        FloatCompare::Oge => matches!(order, Some(Greater | Equal)),
        FloatCompare::Olt => order == Some(Less),
        FloatCompare::Ole => matches!(order, Some(Less | Equal)),
        FloatCompare::One => matches!(order, Some(Less | Greater)),
        FloatCompare::Ord => order.is_some(),
        FloatCompare::Ueq => matches!(order, None | Some(Equal)),
        FloatCompare::Ugt => matches!(order, None | Some(Greater)),
        FloatCompare::Uge => matches!(order, None | Some(Greater | Equal)),
        FloatCompare::Ult => matches!(order, None | Some(Less)),
        FloatCompare::Ule => matches!(order, None | Some(Less | Equal)),
        FloatCompare::Une => order != Some(Equal),
        FloatCompare::Uno => order.is_none(),
    }
}

/// Folds constants and applies cheap identities. The result has the same value and is never larger than the original.
pub fn fold(expr: Expr) -> Expr {
    match expr {
        Expr::Int { .. } | Expr::Null | Expr::Local(_) | Expr::Object(_) | Expr::Function(_) | Expr::SelfThread => expr,
        Expr::Unary { op, ty, arg } => fold_unary(op, ty, fold(*arg)),
        Expr::Binary { op, ty, lhs, rhs } => fold_binary(op, ty, fold(*lhs), fold(*rhs)),
        Expr::Cast { op, from, to, arg } => fold_cast(op, from, to, fold(*arg)),
        Expr::Select { cond, then, otherwise } => fold_select(fold(*cond), fold(*then), fold(*otherwise)),
        Expr::Offset { base, bytes } => fold_offset(fold(*base), fold(*bytes)),
        Expr::Ghost(arg) => Expr::Ghost(Box::new(fold(*arg))),
    }
}

fn fold_unary(op: UnaryOp, ty: Type, arg: Expr) -> Expr {
    if let Expr::Int { width, value } = arg {
        if let Some(result) = unary(op, width, value) {
            return Expr::int(width, result);
        }
    }
    match (op, arg) {
        (UnaryOp::Not, arg) if ty == Type::BOOL => negate(arg),
        (UnaryOp::Not | UnaryOp::Neg | UnaryOp::FloatNeg, Expr::Unary { op: inner, ty: _, arg }) if inner == op => *arg,
        (_, arg) => Expr::unary(op, ty, arg),
    }
}

/// Like [`Expr::negate`], and also turns integer inequalities round.
fn negate(cond: Expr) -> Expr {
    let Expr::Binary { op, ty, lhs, rhs } = cond else { return Expr::negate(cond) };
    let turned = match op {
        BinaryOp::Ult => BinaryOp::Ule,
        BinaryOp::Ule => BinaryOp::Ult,
        BinaryOp::Slt => BinaryOp::Sle,
        BinaryOp::Sle => BinaryOp::Slt,
        _ => return Expr::negate(Expr::Binary { op, ty, lhs, rhs }),
    };
    // With a constant on the other side, more identities may apply.
    fold_binary(turned, ty, *rhs, *lhs)
}

fn fold_binary(op: BinaryOp, ty: Type, lhs: Expr, rhs: Expr) -> Expr {
    match ty {
        Type::Ptr => fold_pointers(op, lhs, rhs),
        Type::Int(width) => match (&lhs, &rhs) {
            // Undefined: left for the evaluator to report.
            (_, Expr::Int { value, .. }) if is_shift(op) && *value >= u128::from(width) => {
                Expr::binary(op, ty, lhs, rhs)
            }
            (Expr::Int { value: a, .. }, Expr::Int { value: b, .. }) => match binary(op, width, *a, *b) {
                Some(result) if op.is_comparison() => Expr::int(1, result),
                Some(result) => Expr::int(width, result),
                None => Expr::binary(op, ty, lhs, rhs),
            },
            (Expr::Int { value, .. }, _) if is_commutative(op) => fold_with_constant(op, width, *value, lhs, rhs, true),
            (_, Expr::Int { value, .. }) => fold_with_constant(op, width, *value, rhs, lhs, false),
            _ if lhs == rhs => fold_same(op, width, lhs, rhs),
            _ => Expr::binary(op, ty, lhs, rhs),
        },
    }
}

fn is_shift(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr)
}

fn is_commutative(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Add | Mul | And | Or | Xor | Eq | Ne)
}

/// Pointers: only identities that are independent of object addresses.
fn fold_pointers(op: BinaryOp, lhs: Expr, rhs: Expr) -> Expr {
    let is_static = |expr: &Expr| matches!(expr, Expr::Object(_) | Expr::Function(_));
    let equal = if lhs == rhs {
        Some(true)
    } else if (is_static(&lhs) && rhs == Expr::Null) || (lhs == Expr::Null && is_static(&rhs)) {
        Some(false)
    } else {
        None
    };
    match (op, equal) {
        (BinaryOp::Eq, Some(equal)) => Expr::bool(equal),
        (BinaryOp::Ne, Some(equal)) => Expr::bool(!equal),
        (BinaryOp::Ule, Some(true)) => Expr::bool(true),
        (BinaryOp::Ult, Some(true)) => Expr::bool(false),
        (op, _) => Expr::binary(op, Type::Ptr, lhs, rhs),
    }
}

/// `other op constant`, or `constant op other` if `swapped`, which happens to commutative operations only.
fn fold_with_constant(op: BinaryOp, width: u16, value: u128, constant: Expr, other: Expr, swapped: bool) -> Expr {
    use BinaryOp::*;
    let ones = mask(width);
    match op {
        Add | Sub | Or | Xor | Shl | Lshr | Ashr if value == 0 => other,
        Mul | Udiv | Sdiv if value == 1 => other,
        And if value == ones => other,
        And | Mul if value == 0 => constant,
        Or if value == ones => constant,
        Shl | Lshr if value >= u128::from(width) => Expr::int(width, 0),
        Urem if value == 1 => Expr::int(width, 0),
        Ult if value == 0 => Expr::bool(false),
        Ule if value == ones => Expr::bool(true),
        Eq | Ne => fold_equality(op, width, value, constant, other, swapped),
        Add | Sub | Mul | Udiv | Sdiv | Urem | Srem | Shl | Lshr | Ashr | And | Or | Xor | Ult | Ule | Slt | Sle
        | FloatAdd | FloatSub | FloatMul | FloatDiv | FloatRem | Float(_) => {
            let (lhs, rhs) = if swapped { (constant, other) } else { (other, constant) };
            Expr::binary(op, Type::Int(width), lhs, rhs)
        }
    }
}

/// Comparisons of a Boolean, or of a zero-extended Boolean as in C conditions, with a constant.
fn fold_equality(op: BinaryOp, width: u16, value: u128, constant: Expr, other: Expr, swapped: bool) -> Expr {
    match other {
        other if width == 1 => {
            if (value == 1) == (op == BinaryOp::Eq) {
                other
            } else {
                negate(other)
            }
        }
        Expr::Cast { op: CastOp::Zext, from: Type::Int(narrow), arg, .. } => {
            if value > mask(narrow) {
                return Expr::bool(op == BinaryOp::Ne);
            }
            fold_binary(op, Type::Int(narrow), *arg, Expr::int(narrow, value))
        }
        other if swapped => Expr::binary(op, Type::Int(width), constant, other),
        other => Expr::binary(op, Type::Int(width), other, constant),
    }
}

/// `x op x`.
fn fold_same(op: BinaryOp, width: u16, lhs: Expr, rhs: Expr) -> Expr {
    use BinaryOp::*;
    match op {
        Sub | Xor => Expr::int(width, 0),
        And | Or => lhs,
        Eq | Ule | Sle => Expr::bool(true),
        Ne | Ult | Slt => Expr::bool(false),
        Add | Mul | Udiv | Sdiv | Urem | Srem | Shl | Lshr | Ashr | FloatAdd | FloatSub | FloatMul | FloatDiv
        | FloatRem | Float(_) => Expr::binary(op, Type::Int(width), lhs, rhs),
    }
}

fn fold_cast(op: CastOp, from: Type, to: Type, arg: Expr) -> Expr {
    if let (Type::Int(from), Type::Int(to), Expr::Int { value, .. }) = (from, to, &arg) {
        if let Some(result) = cast(op, from, to, *value) {
            return Expr::int(to, result);
        }
    }
    match (op, arg) {
        (CastOp::Zext | CastOp::Sext | CastOp::Trunc | CastOp::FloatToFloat, arg) if from == to => arg,
        // The narrower value comes back: both extensions keep its bits.
        (CastOp::Trunc, Expr::Cast { op: CastOp::Zext | CastOp::Sext, from: inner, arg, .. }) if inner == to => *arg,
        (CastOp::Zext, Expr::Cast { op: CastOp::Zext, from: inner, arg, .. }) => {
            Expr::cast(CastOp::Zext, inner, to, *arg)
        }
        (CastOp::Sext, Expr::Cast { op: inner_op @ (CastOp::Zext | CastOp::Sext), from: inner, arg, to: middle }) => {
            // Zero extension to the same width would leave a sign bit to copy.
            let op = if inner_op == CastOp::Zext && inner != middle { CastOp::Zext } else { CastOp::Sext };
            Expr::cast(op, inner, to, *arg)
        }
        (CastOp::IntToPtr, Expr::Int { value: 0, .. }) => Expr::Null,
        (CastOp::PtrToInt, Expr::Null) => match to {
            Type::Int(width) => Expr::int(width, 0),
            Type::Ptr => Expr::cast(op, from, to, Expr::Null),
        },
        (op, arg) => Expr::cast(op, from, to, arg),
    }
}

fn fold_select(cond: Expr, then: Expr, otherwise: Expr) -> Expr {
    match (cond, then, otherwise) {
        (Expr::Int { value: 1, .. }, then, _) => then,
        (Expr::Int { .. }, _, otherwise) => otherwise,
        (_, then, otherwise) if then == otherwise => then,
        (cond, Expr::Int { width: 1, value: 1 }, Expr::Int { width: 1, value: 0 }) => cond,
        (cond, Expr::Int { width: 1, value: 0 }, Expr::Int { width: 1, value: 1 }) => negate(cond),
        (cond, then, otherwise) => Expr::select(cond, then, otherwise),
    }
}

fn fold_offset(base: Expr, bytes: Expr) -> Expr {
    match (base, bytes) {
        (base, Expr::Int { value: 0, .. }) => base,
        (Expr::Offset { base, bytes: first }, Expr::Int { width, value }) => match *first {
            Expr::Int { value: inner, .. } => fold_offset(*base, Expr::int(width, inner.wrapping_add(value))),
            first => Expr::offset(Expr::offset(*base, first), Expr::Int { width, value }),
        },
        (base, bytes) => Expr::offset(base, bytes),
    }
}
