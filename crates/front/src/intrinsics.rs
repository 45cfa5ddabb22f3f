//! LLVM's intrinsic functions (`llvm.*`).

use crate::constants::resize;
use crate::expr::undefined_if;
use crate::function::FunctionLowering;
use crate::layout::{self, gap, Gap, Lower};
use crate::llvm::Value;
use crate::surface::{self, Meaning};
use crate::{blocks, simplify, varargs};
use ir::arith::mask;
use ir::{BinaryOp, CastOp, Expr, FloatCompare, Order, Stmt, Type, UnaryOp, Unmodelled};

/// Calls whose value is their first argument.
const IDENTITIES: &[&str] = &[
    "llvm.expect",
    "llvm.threadlocal.address",
    "llvm.launder.invariant.group",
    "llvm.strip.invariant.group",
    "llvm.ptr.annotation",
    "llvm.annotation",
    "llvm.arithmetic.fence",
];

/// Lowers a call of an intrinsic function.
pub(crate) fn lower<'m>(f: &mut FunctionLowering<'_, 'm>, call: Value<'m>, name: &str) -> Lower<()> {
    let is = |names: &[&str]| names.iter().any(|prefix| name.starts_with(prefix));
    let base = call.called().and_then(|called| called.intrinsic_name());
    match base.and_then(|base| surface::meaning(&base)) {
        None => return Err(Gap(Unmodelled::Call(name.to_owned()))),
        Some(Meaning::Ignored(_)) => return f.redeclare(call),
        Some(Meaning::Ends) => {
            f.builder.emit_leave(Stmt::Exit);
            return Ok(());
        }
        Some(Meaning::Lowered) => {}
    }
    if let Some((begins, variable)) = blocks::marker(call) {
        return f.mark(variable, begins);
    }
    if is(&["llvm.stackrestore"]) {
        let arrays = f.function.map(|function| blocks::restored(call, function)).unwrap_or_default();
        return arrays.into_iter().try_for_each(|array| f.mark(array, false));
    }
    if is(IDENTITIES) {
        let exprs = f.operand(call.operand(0))?;
        f.define(call, exprs);
        return Ok(());
    }
    if is(&["llvm.memcpy.", "llvm.memmove."]) {
        let (dst, src) = (f.scalar(call.operand(0))?, f.scalar(call.operand(1))?);
        let len = length(f, call.operand(2))?;
        f.builder.emit(Stmt::Copy { dst, src, len, disjoint: is(&["llvm.memcpy."]) });
        return Ok(());
    }
    if is(&["llvm.memset."]) {
        let (dst, byte) = (f.scalar(call.operand(0))?, f.scalar(call.operand(1))?);
        let len = length(f, call.operand(2))?;
        f.builder.emit(Stmt::Set { dst, byte, len });
        return Ok(());
    }
    if let Some(order) = fence(name) {
        f.builder.emit(Stmt::Fence(order));
        return Ok(());
    }
    if is(&["llvm.va_start"]) {
        return varargs::start(f, call);
    }
    if is(&["llvm.va_copy"]) {
        return varargs::copy(f, call);
    }
    let exprs = match elementwise(f, call, name)? {
        Some(exprs) => exprs,
        None => special(f, call, name)?,
    };
    f.define(call, exprs);
    Ok(())
}

fn fence(name: &str) -> Option<Order> {
    match name {
        "llvm.x86.sse2.mfence" => Some(Order::SeqCst),
        "llvm.x86.sse2.lfence" => Some(Order::Acquire),
        "llvm.x86.sse.sfence" => Some(Order::Release),
        _ => None,
    }
}

fn length<'m>(f: &mut FunctionLowering<'_, 'm>, value: Value<'m>) -> Lower<Expr> {
    let len = f.scalar(value)?;
    let from = f.type_of(&len);
    Ok(resize(len, from, f.program.data_model.size_type()))
}

/// Elementwise operations; `None` if the call is none of them.
fn elementwise<'m>(f: &mut FunctionLowering<'_, 'm>, call: Value<'m>, name: &str) -> Lower<Option<Vec<Expr>>> {
    let operation: String = name.trim_start_matches("llvm.").to_owned();
    let base = operation.rsplit_once('.').map_or(operation.as_str(), |(base, _)| base).to_owned();
    let arity = match base.as_str() {
        "abs" | "ctpop" | "ctlz" | "cttz" | "bswap" | "bitreverse" => 1,
        "fabs" | "sqrt" | "floor" | "ceil" | "trunc" => 1,
        "smax" | "smin" | "umax" | "umin" | "sadd.sat" | "uadd.sat" | "ssub.sat" | "usub.sat" => 2,
        "copysign" | "maxnum" | "minnum" => 2,
        "fshl" | "fshr" | "fmuladd" => 3,
        _ => return Ok(None),
    };
    let is_float = layout::is_float(call.ty().elements().map_or(call.ty(), |(element, _)| element));
    if is_float && !layout::is_plain_float(call.ty().elements().map_or(call.ty(), |(element, _)| element)) {
        return Err(gap(format!("{name} on {}", call.ty().text())));
    }
    let mut columns = Vec::new();
    for i in 0..arity {
        columns.push(f.operand(call.operand(i))?);
    }
    let mut results = Vec::new();
    for element in 0..columns[0].len() {
        let mut args: Vec<Expr> = columns.iter().map(|column| column[element].clone()).collect();
        let Type::Int(width) = f.type_of(&args[0]) else { return Err(gap(name)) };
        let is_undefined_at_zero = matches!(base.as_str(), "ctlz" | "cttz") && call.operand(1).as_int() == Some(1);
        if arity > 1 || base == "abs" || is_undefined_at_zero {
            args = args.into_iter().map(|arg| f.shared(arg)).collect();
        }
        if is_undefined_at_zero {
            let is_zero = simplify::binary(BinaryOp::Eq, Type::Int(width), args[0].clone(), Expr::int(width, 0));
            undefined_if(f, is_zero, "the number of leading or trailing zeros of 0");
        }
        results.push(apply(&base, width, args).ok_or_else(|| gap(name))?);
    }
    Ok(Some(results))
}

fn apply(base: &str, width: u16, args: Vec<Expr>) -> Option<Expr> {
    let ty = Type::Int(width);
    let mut args = args.into_iter();
    let a = args.next()?;
    let unary = match base {
        "ctpop" => Some(UnaryOp::PopCount),
        "ctlz" => Some(UnaryOp::LeadingZeros),
        "cttz" => Some(UnaryOp::TrailingZeros),
        "bswap" => Some(UnaryOp::SwapBytes),
        "bitreverse" => Some(UnaryOp::ReverseBits),
        "fabs" => Some(UnaryOp::FloatAbs),
        "sqrt" => Some(UnaryOp::FloatSqrt),
        "floor" => Some(UnaryOp::FloatFloor),
        "ceil" => Some(UnaryOp::FloatCeil),
        "trunc" => Some(UnaryOp::FloatTrunc),
        _ => None,
    };
    if let Some(op) = unary {
        return Some(simplify::unary(op, ty, a));
    }
    let bin = |op, a: &Expr, b: &Expr| simplify::binary(op, ty, a.clone(), b.clone());
    if base == "abs" {
        let negative = bin(BinaryOp::Slt, &a, &Expr::int(width, 0));
        return Some(simplify::select(negative, simplify::unary(UnaryOp::Neg, ty, a.clone()), a));
    }
    let b = args.next()?;
    let pick = |op, a: &Expr, b: &Expr| simplify::select(bin(op, a, b), a.clone(), b.clone());
    Some(match base {
        "smin" => pick(BinaryOp::Slt, &a, &b),
        "umin" => pick(BinaryOp::Ult, &a, &b),
        "smax" => simplify::select(bin(BinaryOp::Slt, &a, &b), b, a),
        "umax" => simplify::select(bin(BinaryOp::Ult, &a, &b), b, a),
        "uadd.sat" | "usub.sat" | "sadd.sat" | "ssub.sat" => saturated(base, width, a, b)?,
        "copysign" => {
            let sign = Expr::int(width, 1 << (width - 1));
            let magnitude = bin(BinaryOp::And, &a, &Expr::int(width, mask(width - 1)));
            bin(BinaryOp::Or, &magnitude, &bin(BinaryOp::And, &b, &sign))
        }
        "maxnum" | "minnum" => {
            let better = if base == "maxnum" { FloatCompare::Ogt } else { FloatCompare::Olt };
            let float = |how| BinaryOp::Float(how);
            let best = pick(float(better), &a, &b);
            let best = simplify::select(bin(float(FloatCompare::Uno), &b, &b), a.clone(), best);
            simplify::select(bin(float(FloatCompare::Uno), &a, &a), b, best)
        }
        "fshl" | "fshr" => {
            let by = args.next()?;
            if width == 1 {
                return Some(if base == "fshl" { a } else { b });
            }
            // The other operand is shifted by the rest of the width, in two steps: in one step a distance of 0 would
            // require the whole width, which is no valid shift.
            let by = bin(BinaryOp::Urem, &by, &Expr::int(width, u128::from(width)));
            let (one, rest) = (Expr::int(width, 1), bin(BinaryOp::Sub, &Expr::int(width, u128::from(width) - 1), &by));
            let (high, low) = if base == "fshl" {
                let low = bin(BinaryOp::Lshr, &b, &one);
                (bin(BinaryOp::Shl, &a, &by), bin(BinaryOp::Lshr, &low, &rest))
            } else {
                let high = bin(BinaryOp::Shl, &a, &one);
                (bin(BinaryOp::Shl, &high, &rest), bin(BinaryOp::Lshr, &b, &by))
            };
            bin(BinaryOp::Or, &high, &low)
        }
        "fmuladd" => bin(BinaryOp::FloatAdd, &bin(BinaryOp::FloatMul, &a, &b), &args.next()?),
        _ => return None,
    })
}

/// `[result, overflow]` of an addition, subtraction or multiplication. The operands are small.
fn overflow(operation: &str, width: u16, a: &Expr, b: &Expr) -> Option<(Expr, Expr)> {
    let ty = Type::Int(width);
    let bin = |op, a: &Expr, b: &Expr| simplify::binary(op, ty, a.clone(), b.clone());
    let zero = Expr::int(width, 0);
    Some(match operation {
        "uadd" => {
            let sum = bin(BinaryOp::Add, a, b);
            let wraps = bin(BinaryOp::Ult, &sum, a);
            (sum, wraps)
        }
        "usub" => (bin(BinaryOp::Sub, a, b), bin(BinaryOp::Ult, a, b)),
        "sadd" => {
            let sum = bin(BinaryOp::Add, a, b);
            let signs = bin(BinaryOp::And, &bin(BinaryOp::Xor, a, &sum), &bin(BinaryOp::Xor, b, &sum));
            let wraps = bin(BinaryOp::Slt, &signs, &zero);
            (sum, wraps)
        }
        "ssub" => {
            let difference = bin(BinaryOp::Sub, a, b);
            let signs = bin(BinaryOp::And, &bin(BinaryOp::Xor, a, b), &bin(BinaryOp::Xor, a, &difference));
            let wraps = bin(BinaryOp::Slt, &signs, &zero);
            (difference, wraps)
        }
        "umul" | "smul" if width <= 64 => {
            let extend = if operation == "umul" { CastOp::Zext } else { CastOp::Sext };
            let wide = Type::Int(2 * width);
            let widen = |e: &Expr| simplify::cast(extend, ty, wide, e.clone());
            let exact = simplify::binary(BinaryOp::Mul, wide, widen(a), widen(b));
            let product = bin(BinaryOp::Mul, a, b);
            let wraps = simplify::binary(BinaryOp::Ne, wide, exact, widen(&product));
            (product, wraps)
        }
        _ => return None,
    })
}

fn saturated(base: &str, width: u16, a: Expr, b: Expr) -> Option<Expr> {
    let ty = Type::Int(width);
    let (result, overflows) = overflow(base.split('.').next()?, width, &a, &b)?;
    let limit = match base {
        "uadd.sat" => Expr::int(width, mask(width)),
        "usub.sat" => Expr::int(width, 0),
        _ => {
            let negative = simplify::binary(BinaryOp::Slt, ty, a, Expr::int(width, 0));
            simplify::select(negative, Expr::int(width, 1 << (width - 1)), Expr::int(width, mask(width) >> 1))
        }
    };
    Some(simplify::select(overflows, limit, result))
}

/// All other intrinsics with a value.
fn special<'m>(f: &mut FunctionLowering<'_, 'm>, call: Value<'m>, name: &str) -> Lower<Vec<Expr>> {
    let gap = || Gap(Unmodelled::Call(name.to_owned()));
    let result = layout::scalar(call.ty());
    if let Some((operation, _)) = name.trim_start_matches("llvm.").split_once(".with.overflow.") {
        let (a, b) = (f.scalar(call.operand(0))?, f.scalar(call.operand(1))?);
        let (a, b) = (f.shared(a), f.shared(b));
        let Type::Int(width) = f.type_of(&a) else { return Err(gap()) };
        let (value, overflows) = overflow(operation, width, &a, &b).ok_or_else(gap)?;
        return Ok(vec![value, overflows]);
    }
    if name.starts_with("llvm.stacksave") {
        return Ok(vec![Expr::Null]);
    }
    if name.starts_with("llvm.is.constant") {
        return Ok(vec![Expr::bool(call.operand(0).is_manifest())]);
    }
    if name.starts_with("llvm.objectsize") {
        // Unknown: 0 if the minimum is asked for, else the greatest number.
        let least = matches!(f.scalar(call.operand(1))?, Expr::Int { value: 1, .. });
        let ty = result.ok_or_else(gap)?;
        return Ok(vec![simplify::int_of(ty, if least { 0 } else { u128::MAX })]);
    }
    if name.starts_with("llvm.is.fpclass") {
        let value = f.scalar(call.operand(0))?;
        let classes = call.operand(1).as_int().ok_or_else(gap)?;
        let value = f.shared(value);
        return is_class(f, value, classes).map(|test| vec![test]).ok_or_else(gap);
    }
    if name.starts_with("llvm.readcyclecounter") {
        return Ok(vec![f.arbitrary(result.ok_or_else(gap)?, true)]);
    }
    Err(gap())
}

/// Whether a floating-point number is in one of the classes of the mask, by its bits.
fn is_class(f: &FunctionLowering<'_, '_>, value: Expr, classes: u128) -> Option<Expr> {
    let Type::Int(width) = f.type_of(&value) else { return None };
    let fraction_bits = match width {
        32 => 23,
        64 => 52,
        _ => return None,
    };
    let ty = Type::Int(width);
    let constant = |value: u128| Expr::int(width, value);
    let bin = |op, a: &Expr, b: Expr| simplify::binary(op, ty, a.clone(), b);
    let both = |a: Expr, b: Expr| simplify::binary(BinaryOp::And, Type::BOOL, a, b);
    let magnitude = bin(BinaryOp::And, &value, constant(mask(width - 1)));
    let (infinity, least_normal) = (mask(width - 1) & !mask(fraction_bits), 1u128 << fraction_bits);
    let quiet = infinity | (1 << (fraction_bits - 1));
    let between = |low: u128, high: u128| {
        let above = simplify::binary(BinaryOp::Ule, ty, constant(low), magnitude.clone());
        both(above, bin(BinaryOp::Ult, &magnitude, constant(high)))
    };
    let negative = bin(BinaryOp::Slt, &value, constant(0));
    let signed = |test: Expr, is_negative: bool| {
        both(test, if is_negative { negative.clone() } else { Expr::negate(negative.clone()) })
    };
    let ranges = [(0, 1), (1, least_normal), (least_normal, infinity), (infinity, infinity + 1)];
    let mut tests = Vec::new();
    if classes & 1 != 0 {
        tests.push(between(infinity + 1, quiet));
    }
    if classes & 2 != 0 {
        tests.push(between(quiet, mask(width - 1) + 1));
    }
    // Bits 2 to 5: negative infinity, normal, subnormal, zero; bits 6 to 9: the positive ones in reverse.
    for (i, (low, high)) in ranges.into_iter().enumerate() {
        if classes & (1 << (5 - i)) != 0 {
            tests.push(signed(between(low, high), true));
        }
        if classes & (1 << (6 + i)) != 0 {
            tests.push(signed(between(low, high), false));
        }
    }
    let any = |a, b| simplify::binary(BinaryOp::Or, Type::BOOL, a, b);
    Some(tests.into_iter().fold(Expr::bool(false), any))
}
