//! The arithmetic against independent references, and folding against evaluation.

mod common;

use common::{Random, COMPARES, FLOAT_OPS, INT_COMPARES, INT_OPS, UNARY};
use ir::arith::{binary, cast, fold, mask, rmw, signed, unary};
use ir::{BinaryOp, CastOp, Expr, FloatCompare, LocalId, RmwOp, Type, UnaryOp};
use proptest::prelude::*;

/// Mathematical floor division of the bit string, one case at a time, on plain integers.
fn reference_binary(op: BinaryOp, width: u16, a: u128, b: u128) -> u128 {
    let modulus = 1i128 << width;
    let to_signed = |value: u128| if value as i128 >= modulus / 2 { value as i128 - modulus } else { value as i128 };
    let wrap = |value: i128| value.rem_euclid(modulus) as u128;
    let (x, y) = (a as i128, b as i128);
    let (sx, sy) = (to_signed(a), to_signed(b));
    match op {
        BinaryOp::Add => wrap(x + y),
        BinaryOp::Sub => wrap(x - y),
        BinaryOp::Mul => wrap(x * y),
        BinaryOp::Udiv => {
            if y == 0 {
                wrap(-1)
            } else {
                wrap(x / y)
            }
        }
        BinaryOp::Urem => {
            if y == 0 {
                a
            } else {
                wrap(x % y)
            }
        }
        BinaryOp::Sdiv => {
            if sy == 0 {
                wrap(if sx < 0 { 1 } else { -1 })
            } else {
                wrap(sx / sy)
            }
        }
        BinaryOp::Srem => {
            if sy == 0 {
                a
            } else {
                wrap(sx % sy)
            }
        }
        BinaryOp::Shl => (0..b.min(200)).fold(a, |value, _| wrap(2 * value as i128)),
        BinaryOp::Lshr => (0..b.min(200)).fold(a, |value, _| value / 2),
        BinaryOp::Ashr => wrap((0..b.min(200)).fold(sx, |value, _| value.div_euclid(2))),
        BinaryOp::And => bitwise(width, a, b, |p, q| p && q),
        BinaryOp::Or => bitwise(width, a, b, |p, q| p || q),
        BinaryOp::Xor => bitwise(width, a, b, |p, q| p != q),
        BinaryOp::Eq => u128::from(x == y),
        BinaryOp::Ne => u128::from(x != y),
        BinaryOp::Ult => u128::from(x < y),
        BinaryOp::Ule => u128::from(x <= y),
        BinaryOp::Slt => u128::from(sx < sy),
        BinaryOp::Sle => u128::from(sx <= sy),
        other => panic!("{other:?} is not an integer operation"),
    }
}

fn bitwise(width: u16, a: u128, b: u128, op: fn(bool, bool) -> bool) -> u128 {
    let bit = |value: u128, index: u16| value >> index & 1 == 1;
    (0..width).filter(|&index| op(bit(a, index), bit(b, index))).map(|index| 1 << index).sum()
}

#[test]
fn integers_of_small_widths_completely() {
    for width in 1..=6 {
        for a in 0..1u128 << width {
            for b in 0..1u128 << width {
                for op in INT_OPS.into_iter().chain(INT_COMPARES) {
                    let wanted = reference_binary(op, width, a, b);
                    assert_eq!(binary(op, width, a, b), Some(wanted), "{op:?} of {a} and {b} at {width} bits");
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn integers_of_medium_widths(width in 7u16..=62, a in any::<u128>(), b in any::<u128>(), small in any::<bool>()) {
        let (a, b) = (a & mask(width), if small { b % 80 } else { b } & mask(width));
        for op in INT_OPS.into_iter().chain(INT_COMPARES) {
            prop_assert_eq!(binary(op, width, a, b), Some(reference_binary(op, width, a, b)), "{:?}", op);
        }
    }

    #[test]
    fn the_widest_integers(a in any::<u128>(), b in any::<u128>()) {
        let (x, y) = (a as i128, b as i128);
        prop_assert_eq!(binary(BinaryOp::Add, 128, a, b), Some(a.wrapping_add(b)));
        prop_assert_eq!(binary(BinaryOp::Sub, 128, a, b), Some(a.wrapping_sub(b)));
        prop_assert_eq!(binary(BinaryOp::Mul, 128, a, b), Some(a.wrapping_mul(b)));
        prop_assert_eq!(binary(BinaryOp::Slt, 128, a, b), Some(u128::from(x < y)));
        if b != 0 {
            prop_assert_eq!(binary(BinaryOp::Udiv, 128, a, b), Some(a / b));
            prop_assert_eq!(binary(BinaryOp::Urem, 128, a, b), Some(a % b));
            prop_assert_eq!(binary(BinaryOp::Sdiv, 128, a, b), Some(x.wrapping_div(y) as u128));
            prop_assert_eq!(binary(BinaryOp::Srem, 128, a, b), Some(x.wrapping_rem(y) as u128));
        }
        let shift = b % 140;
        let left = if shift < 128 { a << shift } else { 0 };
        let right = x >> shift.min(127);
        prop_assert_eq!(binary(BinaryOp::Shl, 128, a, shift), Some(left));
        prop_assert_eq!(binary(BinaryOp::Ashr, 128, a, shift), Some(right as u128));
    }

    #[test]
    fn floats_are_those_of_the_machine(a in any::<u64>(), b in any::<u64>(), small in any::<bool>()) {
        // Random bits rarely have similar magnitude: small numbers too.
        let (a, b) = if small { ((a as i8 as f64 / 4.0).to_bits(), (b as i8 as f64 / 4.0).to_bits()) } else { (a, b) };
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        let results = [x + y, x - y, x * y, x / y, x % y];
        for (op, wanted) in FLOAT_OPS.into_iter().zip(results) {
            let found = f64::from_bits(binary(op, 64, a.into(), b.into()).unwrap() as u64);
            prop_assert!(found == wanted || (found.is_nan() && wanted.is_nan()), "{op:?}: {found} is not {wanted}");
        }
        let (x, y) = (x as f32, y as f32);
        let results = [x + y, x - y, x * y, x / y, x % y];
        for (op, wanted) in FLOAT_OPS.into_iter().zip(results) {
            let bits = binary(op, 32, x.to_bits().into(), y.to_bits().into()).unwrap();
            let found = f32::from_bits(bits as u32);
            prop_assert!(found == wanted || (found.is_nan() && wanted.is_nan()), "{op:?}: {found} is not {wanted}");
        }
    }

    #[test]
    fn folding_keeps_the_value(seed in any::<u64>(), x in any::<u64>(), y in any::<u64>(), b in any::<bool>()) {
        let mut random = Random::new(seed);
        // Values at which wrong identities fail.
        let values = [u128::from(x), u128::from(y % 3), u128::from(b), u128::MAX];
        let ty = *random.pick(&[Type::Int(1), Type::Int(4), Type::Int(32)]);
        let expr = random_expr(&mut random, ty, 5);
        let folded = fold(expr.clone());
        prop_assert!(size(&folded) <= size(&expr), "{folded:?} is larger than {expr:?}");
        prop_assert_eq!(eval(&folded, &values), eval(&expr, &values), "{:?} became {:?}", expr, folded);
        prop_assert_eq!(fold(folded.clone()), folded, "folding twice gives something else");
    }
}

fn size(expr: &Expr) -> usize {
    let mut parts = 0;
    expr.for_each(&mut |_| parts += 1);
    parts
}

/// An expression of integers over local variables of any width, few constants, often with equal operands.
fn random_expr(random: &mut Random, ty: Type, depth: usize) -> Expr {
    let Type::Int(width) = ty else { panic!("only integers are made here") };
    if depth == 0 || random.below(5) == 0 {
        return match random.below(3) {
            0 => Expr::int(width, *random.pick(&[0, 1, 2, u128::MAX, 4, u128::from(width)])),
            _ => Expr::cast(CastOp::Trunc, Type::Int(64), ty, Expr::Local(base::Id::new(random.below(4)))),
        };
    }
    let depth = depth - 1;
    match random.below(8) {
        0 => Expr::unary(*random.pick(&UNARY[..5]), ty, random_expr(random, ty, depth)),
        1 => {
            let cond = random_expr(random, Type::BOOL, depth);
            Expr::select(cond, random_expr(random, ty, depth), random_expr(random, ty, depth))
        }
        2 | 3 => {
            let from = *random.pick(&[Type::Int(1), Type::Int(4), Type::Int(32), Type::Int(40)]);
            let op = if from <= ty { *random.pick(&[CastOp::Zext, CastOp::Sext]) } else { CastOp::Trunc };
            Expr::cast(op, from, ty, random_expr(random, from, depth))
        }
        4 if ty == Type::BOOL => {
            let from = *random.pick(&[Type::Int(1), Type::Int(4), Type::Int(32)]);
            let lhs = random_expr(random, from, depth);
            let rhs = if random.coin() { lhs.clone() } else { random_expr(random, from, depth) };
            Expr::binary(*random.pick(&INT_COMPARES), from, lhs, rhs)
        }
        _ => {
            let lhs = random_expr(random, ty, depth);
            let rhs = if random.below(4) == 0 { lhs.clone() } else { random_expr(random, ty, depth) };
            Expr::binary(*random.pick(&INT_OPS), ty, lhs, rhs)
        }
    }
}

fn eval(expr: &Expr, values: &[u128; 4]) -> u128 {
    let width = |ty: &Type| match ty {
        Type::Int(width) => *width,
        Type::Ptr => panic!("only integers are made here"),
    };
    match expr {
        Expr::Int { value, .. } => *value,
        Expr::Local(local) => values[<LocalId as base::Id>::index(*local)] & mask(64),
        Expr::Unary { op, ty, arg } => unary(*op, width(ty), eval(arg, values)).expect("integers are computed"),
        Expr::Binary { op, ty, lhs, rhs } => {
            binary(*op, width(ty), eval(lhs, values), eval(rhs, values)).expect("integers are computed")
        }
        Expr::Cast { op, from, to, arg } => {
            cast(*op, width(from), width(to), eval(arg, values)).expect("integers are computed")
        }
        Expr::Select { cond, then, otherwise } => eval(if eval(cond, values) == 1 { then } else { otherwise }, values),
        other => panic!("{other:?} is not made here"),
    }
}

#[test]
fn unary_operations() {
    for width in 1..=9u16 {
        for a in 0..1u128 << width {
            let bits: Vec<u128> = (0..width).map(|index| a >> index & 1).collect();
            let leading = bits.iter().rev().take_while(|&&bit| bit == 0).count() as u128;
            let trailing = bits.iter().take_while(|&&bit| bit == 0).count() as u128;
            let reversed = bits.iter().fold(0, |value, bit| value * 2 + bit);
            assert_eq!(unary(UnaryOp::Not, width, a), Some((1 << width) - 1 - a));
            assert_eq!(unary(UnaryOp::Neg, width, a), Some(((1 << width) - a) % (1 << width)));
            assert_eq!(unary(UnaryOp::PopCount, width, a), Some(bits.iter().sum()));
            assert_eq!(unary(UnaryOp::LeadingZeros, width, a), Some(leading));
            assert_eq!(unary(UnaryOp::TrailingZeros, width, a), Some(trailing));
            assert_eq!(unary(UnaryOp::ReverseBits, width, a), Some(reversed));
        }
    }
    assert_eq!(unary(UnaryOp::SwapBytes, 24, 0x123456), Some(0x563412));
    assert_eq!(unary(UnaryOp::SwapBytes, 128, 1), Some(1 << 120));
    assert_eq!(unary(UnaryOp::SwapBytes, 12, 1), None);
    assert_eq!(unary(UnaryOp::Neg, 128, 1), Some(u128::MAX));
    assert_eq!(unary(UnaryOp::LeadingZeros, 128, 0), Some(128));
}

fn double(value: f64) -> u128 {
    value.to_bits().into()
}

fn single(value: f32) -> u128 {
    value.to_bits().into()
}

#[test]
fn unary_operations_on_floats() {
    assert_eq!(unary(UnaryOp::FloatNeg, 64, double(1.5)), Some(double(-1.5)));
    assert_eq!(unary(UnaryOp::FloatNeg, 80, 1), Some(1 << 79 | 1));
    assert_eq!(unary(UnaryOp::FloatAbs, 32, single(-0.0)), Some(single(0.0)));
    assert_eq!(unary(UnaryOp::FloatSqrt, 32, single(2.25)), Some(single(1.5)));
    assert_eq!(unary(UnaryOp::FloatSqrt, 64, double(-1.0)), Some(0x7ff8 << 48));
    assert_eq!(unary(UnaryOp::FloatFloor, 64, double(-1.5)), Some(double(-2.0)));
    assert_eq!(unary(UnaryOp::FloatCeil, 64, double(-1.5)), Some(double(-1.0)));
    assert_eq!(unary(UnaryOp::FloatTrunc, 32, single(-1.5)), Some(single(-1.0)));
    for op in [UnaryOp::FloatSqrt, UnaryOp::FloatFloor, UnaryOp::FloatCeil, UnaryOp::FloatTrunc] {
        for width in [16, 80, 128] {
            assert_eq!(unary(op, width, 0), None);
        }
    }
    for op in FLOAT_OPS.into_iter().chain(COMPARES.map(BinaryOp::Float)) {
        assert_eq!(binary(op, 80, 0, 0), None);
    }
}

#[test]
fn float_comparisons() {
    let cases: [(f64, f64); 5] = [(1.0, 2.0), (2.0, 1.0), (1.0, 1.0), (f64::NAN, 1.0), (0.0, -0.0)];
    for (x, y) in cases {
        let unordered = x.is_nan() || y.is_nan();
        let wanted = |how: FloatCompare| match how {
            FloatCompare::Oeq => x == y,
            FloatCompare::Ogt => x > y,
            FloatCompare::Oge => x >= y,
            FloatCompare::Olt => x < y,
            FloatCompare::Ole => x <= y,
            FloatCompare::One => !unordered && x != y,
            FloatCompare::Ord => !unordered,
            FloatCompare::Ueq => unordered || x == y,
            FloatCompare::Ugt => unordered || x > y,
            FloatCompare::Uge => unordered || x >= y,
            FloatCompare::Ult => unordered || x < y,
            FloatCompare::Ule => unordered || x <= y,
            FloatCompare::Une => unordered || x != y,
            FloatCompare::Uno => unordered,
        };
        for how in COMPARES {
            let op = BinaryOp::Float(how);
            let wanted = Some(u128::from(wanted(how)));
            assert_eq!(binary(op, 64, double(x), double(y)), wanted, "{x} {how:?} {y}");
            assert_eq!(binary(op, 32, single(x as f32), single(y as f32)), wanted, "{x} {how:?} {y}");
        }
    }
}

#[test]
fn casts() {
    assert_eq!(cast(CastOp::Zext, 8, 32, 0xff), Some(0xff));
    assert_eq!(cast(CastOp::Sext, 8, 32, 0xff), Some(0xffff_ffff));
    assert_eq!(cast(CastOp::Sext, 1, 128, 1), Some(u128::MAX));
    assert_eq!(cast(CastOp::Trunc, 32, 8, 0x1234), Some(0x34));
    assert_eq!(cast(CastOp::PtrToInt, 64, 64, 0), None);
    assert_eq!(cast(CastOp::IntToPtr, 64, 64, 0), None);
    assert_eq!(cast(CastOp::SignedToFloat, 8, 64, 0xff), Some(double(-1.0)));
    assert_eq!(cast(CastOp::UnsignedToFloat, 8, 32, 0xff), Some(single(255.0)));
    assert_eq!(cast(CastOp::UnsignedToFloat, 64, 64, u64::MAX.into()), Some(double(18446744073709551616.0)));
    // Ties go to the even neighbour.
    assert_eq!(cast(CastOp::UnsignedToFloat, 64, 32, 16777217), Some(single(16777216.0)));
    assert_eq!(cast(CastOp::FloatToFloat, 64, 32, double(0.1)), Some(single(0.1)));
    assert_eq!(cast(CastOp::FloatToFloat, 32, 64, single(0.5)), Some(double(0.5)));
    assert_eq!(cast(CastOp::FloatToFloat, 80, 64, 0), None);
    assert_eq!(cast(CastOp::SignedToFloat, 32, 80, 0), None);
}

#[test]
fn floats_out_of_range_become_the_nearest_integer() {
    let to_signed = |value: f64| signed(8, cast(CastOp::FloatToSigned, 64, 8, double(value)).unwrap());
    let to_unsigned = |value: f64| cast(CastOp::FloatToUnsigned, 64, 8, double(value)).unwrap();
    for (value, as_signed, as_unsigned) in [
        (1.9, 1, 1),
        (-1.9, -1, 0),
        (127.5, 127, 127),
        (128.0, 127, 128),
        (-128.9, -128, 0),
        (1e300, 127, 255),
        (f64::NEG_INFINITY, -128, 0),
        (f64::NAN, 0, 0),
    ] {
        assert_eq!(to_signed(value), as_signed, "{value}");
        assert_eq!(to_unsigned(value), as_unsigned, "{value}");
    }
    assert_eq!(cast(CastOp::FloatToSigned, 64, 128, double(-1e300)), Some(1 << 127));
    assert_eq!(cast(CastOp::FloatToSigned, 32, 1, single(-1.0)), Some(1));
    assert_eq!(cast(CastOp::FloatToUnsigned, 80, 8, 0), None);
}

#[test]
fn read_modify_writes() {
    let cases = [
        (RmwOp::Exchange, 0x03),
        (RmwOp::Add, 0x00),
        (RmwOp::Sub, 0xfa),
        (RmwOp::And, 0x01),
        (RmwOp::Nand, 0xfe),
        (RmwOp::Or, 0xff),
        (RmwOp::Xor, 0xfe),
        (RmwOp::Max, 0x03),
        (RmwOp::Min, 0xfd),
        (RmwOp::UnsignedMax, 0xfd),
        (RmwOp::UnsignedMin, 0x03),
    ];
    for (op, wanted) in cases {
        assert_eq!(rmw(op, 8, 0xfd, 0x03), wanted, "{op:?}");
    }
}

#[test]
fn what_folding_sees() {
    let text = |edge: &str| {
        let program = ir::parse(&format!(
            "heddle-ir 1 data-model lp64 entry @main object @g size 8 align 8 global = zero function @main() {{ \
             local %x: i32 local %c: i1 local %p: ptr local %q: ptr local %z: i64 \
             locs 3 entry l0 exit l2 l0 -> l1: {edge} }}"
        ))
        .unwrap();
        let ir::Stmt::Assign { value, .. } = &program.functions[program.entry].edges.as_slice()[0].stmt else {
            panic!("an assignment should be written")
        };
        ir::print::print_expr(&program, program.entry, &fold(value.clone()))
    };
    let cases = [
        ("%x = add:i32(%x, sub:i32(3:i32, 3:i32))", "%x"),
        ("%c = not:i1(ule:i32(0:i32, %x))", "0:i1"),
        ("%x = mul:i32(0:i32, %x)", "0:i32"),
        ("%c = ne:i32(zext:i1:i32(%c), 0:i32)", "%c"),
        ("%c = eq:i32(zext:i1:i32(%c), 0:i32)", "not:i1(%c)"),
        ("%c = eq:i32(zext:i1:i32(%c), 7:i32)", "0:i1"),
        ("%c = not:i1(slt:i32(%x, 3:i32))", "sle:i32(3:i32, %x)"),
        ("%c = ne:i32(zext:i8:i32(zext:i1:i8(slt:i32(%x, 3:i32))), 0:i32)", "slt:i32(%x, 3:i32)"),
        ("%p = offset(offset(%p, 4:i64), 18446744073709551612:i64)", "%p"),
        ("%p = offset(offset(%p, %z), 4:i64)", "offset(offset(%p, %z), 4:i64)"),
        ("%c = eq:ptr(@g, null)", "0:i1"),
        ("%c = ne:ptr(%p, %p)", "0:i1"),
        ("%c = eq:ptr(%p, %q)", "eq:ptr(%p, %q)"),
        ("%p = inttoptr:i64:ptr(ptrtoint:ptr:i64(null))", "null"),
        ("%x = select(%c, %x, %x)", "%x"),
        ("%c = select(%c, 0:i1, 1:i1)", "not:i1(%c)"),
        ("%x = sext:i16:i32(zext:i8:i16(trunc:i32:i8(%x)))", "zext:i8:i32(trunc:i32:i8(%x))"),
        ("%c = foeq:i32(%x, %x)", "foeq:i32(%x, %x)"),
        ("%p = ghost(offset(%p, 0:i64))", "ghost(%p)"),
    ];
    for (edge, wanted) in cases {
        assert_eq!(text(edge), wanted, "for {edge}");
    }
}
