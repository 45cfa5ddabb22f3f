//! Smart constructors: build expressions and simplify the unoptimised output of clang (Booleans widened to `int` and
//! compared with 0, casts back and forth, arithmetic on constants).

use ir::arith::fold;
use ir::{BinaryOp, CastOp, Expr, Type, UnaryOp};

/// An operation with two operands.
pub(crate) fn binary(op: BinaryOp, ty: Type, lhs: Expr, rhs: Expr) -> Expr {
    if let Some(value) = bool_test(op, &lhs, &rhs) {
        return value;
    }
    if let (
        BinaryOp::Sub,
        Expr::Cast { op: CastOp::PtrToInt, arg: a, .. },
        Expr::Cast { op: CastOp::PtrToInt, arg: b, .. },
    ) = (op, &lhs, &rhs)
    {
        // Both are of pointer width: narrower ones are truncations of these.
        return Expr::binary(BinaryOp::Sub, Type::Ptr, (**a).clone(), (**b).clone());
    }
    let is_zero = |e: &Expr| matches!(e, Expr::Int { value: 0, .. });
    match op {
        BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor if ty != Type::Ptr && is_zero(&lhs) => return rhs,
        BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Sub if ty != Type::Ptr && is_zero(&rhs) => return lhs,
        BinaryOp::Xor if ty == Type::BOOL && rhs == Expr::bool(true) => return Expr::negate(lhs),
        BinaryOp::Mul if matches!(rhs, Expr::Int { value: 1, .. }) => return lhs,
        _ => {}
    }
    fold(Expr::binary(op, ty, lhs, rhs))
}

/// `widened != 0` and `widened == 0` of a widened Boolean.
fn bool_test(op: BinaryOp, lhs: &Expr, rhs: &Expr) -> Option<Expr> {
    let Expr::Cast { op: CastOp::Zext, from: Type::BOOL, arg, .. } = lhs else { return None };
    let Expr::Int { value, .. } = rhs else { return None };
    match (op, value) {
        (BinaryOp::Ne, 0) | (BinaryOp::Eq, 1) => Some((**arg).clone()),
        (BinaryOp::Eq, 0) | (BinaryOp::Ne, 1) => Some(Expr::negate((**arg).clone())),
        _ => None,
    }
}

/// An operation with one operand.
pub(crate) fn unary(op: UnaryOp, ty: Type, arg: Expr) -> Expr {
    fold(Expr::unary(op, ty, arg))
}

/// A change of type.
pub(crate) fn cast(op: CastOp, from: Type, to: Type, arg: Expr) -> Expr {
    match (op, arg) {
        (CastOp::Trunc | CastOp::Zext | CastOp::Sext | CastOp::FloatToFloat, arg) if from == to => arg,
        (CastOp::Trunc, Expr::Cast { op: CastOp::Zext | CastOp::Sext, from: inner, arg, .. }) if inner == to => *arg,
        (CastOp::Zext, Expr::Cast { op: CastOp::Zext, from: inner, arg, .. }) => cast(CastOp::Zext, inner, to, *arg),
        (CastOp::PtrToInt, Expr::Cast { op: CastOp::IntToPtr, from: inner, arg, .. }) if inner == to => *arg,
        (CastOp::PtrToInt, Expr::Null) => int_of(to, 0),
        (CastOp::IntToPtr, Expr::Int { value: 0, .. }) => Expr::Null,
        (CastOp::IntToPtr, Expr::Cast { op: CastOp::PtrToInt, arg, .. }) => *arg,
        (CastOp::IntToPtr, Expr::Binary { op: BinaryOp::Add, ty, lhs, rhs }) => match *lhs {
            Expr::Cast { op: CastOp::PtrToInt, arg, .. } => offset(*arg, *rhs),
            lhs => Expr::cast(op, from, to, Expr::Binary { op: BinaryOp::Add, ty, lhs: Box::new(lhs), rhs }),
        },
        (op, arg) => fold(Expr::cast(op, from, to, arg)),
    }
}

/// A pointer moved by a number of bytes.
pub(crate) fn offset(base: Expr, bytes: Expr) -> Expr {
    match (base, bytes) {
        (base, Expr::Int { value: 0, .. }) => base,
        (Expr::Offset { base, bytes: first }, second) => {
            let width = if let Expr::Int { width, .. } = second { Some(width) } else { width_of(&first) };
            match width.or_else(|| width_of(&second)) {
                Some(width) => offset(*base, binary(BinaryOp::Add, Type::Int(width), *first, second)),
                None => Expr::offset(Expr::Offset { base, bytes: first }, second),
            }
        }
        (base, bytes) => Expr::offset(base, bytes),
    }
}

/// The width of an integer expression, if it is evident.
fn width_of(expr: &Expr) -> Option<u16> {
    match expr {
        Expr::Int { width, .. }
        | Expr::Binary { ty: Type::Int(width), .. }
        | Expr::Cast { to: Type::Int(width), .. }
        | Expr::Unary { ty: Type::Int(width), .. } => Some(*width),
        _ => None,
    }
}

/// A choice between two values.
pub(crate) fn select(cond: Expr, then: Expr, otherwise: Expr) -> Expr {
    match cond {
        Expr::Int { value, .. } => {
            if value != 0 {
                then
            } else {
                otherwise
            }
        }
        _ if then == otherwise => then,
        _ if then == Expr::bool(true) && otherwise == Expr::bool(false) => cond,
        _ if then == Expr::bool(false) && otherwise == Expr::bool(true) => Expr::negate(cond),
        cond => Expr::select(cond, then, otherwise),
    }
}

/// The constant of a type; null for a pointer.
pub(crate) fn int_of(ty: Type, value: u128) -> Expr {
    match ty {
        Type::Int(width) => Expr::int(width, value),
        Type::Ptr => Expr::Null,
    }
}
