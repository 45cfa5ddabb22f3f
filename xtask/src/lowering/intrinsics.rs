//! A generator for each intrinsic function that the front end lowers, except those that end the process.

use super::instructions::Generator;
use super::maker::Maker;
use super::types::{Scalar, Ty};

/// The generators, by the name without types.
pub(super) const INTRINSICS: &[(&str, Generator)] = &[
    ("llvm.ctpop", int_unary),
    ("llvm.bitreverse", int_unary),
    ("llvm.bswap", swap_bytes),
    ("llvm.ctlz", count_zeros),
    ("llvm.cttz", count_zeros),
    ("llvm.abs", absolute),
    ("llvm.smax", int_binary),
    ("llvm.smin", int_binary),
    ("llvm.umax", int_binary),
    ("llvm.umin", int_binary),
    ("llvm.sadd.sat", int_binary),
    ("llvm.uadd.sat", int_binary),
    ("llvm.ssub.sat", int_binary),
    ("llvm.usub.sat", int_binary),
    ("llvm.fshl", funnel),
    ("llvm.fshr", funnel),
    ("llvm.sadd.with.overflow", overflow),
    ("llvm.uadd.with.overflow", overflow),
    ("llvm.ssub.with.overflow", overflow),
    ("llvm.usub.with.overflow", overflow),
    ("llvm.smul.with.overflow", overflow),
    ("llvm.umul.with.overflow", overflow),
    ("llvm.fabs", float_unary),
    ("llvm.sqrt", float_unary),
    ("llvm.floor", float_unary),
    ("llvm.ceil", float_unary),
    ("llvm.trunc", float_unary),
    ("llvm.copysign", copy_sign),
    ("llvm.maxnum", extremum),
    ("llvm.minnum", extremum),
    ("llvm.fmuladd", multiply_add),
    ("llvm.is.fpclass", is_class),
    ("llvm.arithmetic.fence", arithmetic_fence),
    ("llvm.expect", expect),
    ("llvm.expect.with.probability", expect),
    ("llvm.annotation", annotation),
    ("llvm.ptr.annotation", pointer_annotation),
    ("llvm.var.annotation", pointer_annotation),
    ("llvm.launder.invariant.group", pointer_identity),
    ("llvm.strip.invariant.group", pointer_identity),
    ("llvm.threadlocal.address", thread_local),
    ("llvm.memcpy", copy),
    ("llvm.memcpy.inline", copy),
    ("llvm.memmove", copy),
    ("llvm.memset", set),
    ("llvm.memset.inline", set),
    ("llvm.x86.sse2.mfence", plain),
    ("llvm.x86.sse2.lfence", plain),
    ("llvm.x86.sse.sfence", plain),
    ("llvm.x86.sse2.pause", plain),
    ("llvm.donothing", plain),
    ("llvm.va_start", variable_arguments),
    ("llvm.va_copy", variable_arguments),
    ("llvm.va_end", variable_arguments),
    ("llvm.stacksave", stack),
    ("llvm.stackrestore", stack),
    ("llvm.lifetime.start", lifetime),
    ("llvm.lifetime.end", lifetime),
    ("llvm.invariant.start", invariant),
    ("llvm.invariant.end", invariant),
    ("llvm.assume", assume),
    ("llvm.prefetch", prefetch),
    ("llvm.clear_cache", clear_cache),
    ("llvm.experimental.noalias.scope.decl", scope),
    ("llvm.pseudoprobe", probe),
    ("llvm.is.constant", is_constant),
    ("llvm.objectsize", object_size),
    ("llvm.readcyclecounter", cycles),
];

/// Declares an overloaded function on one type and returns its full name.
fn overloaded(m: &mut Maker, name: &str, ty: Ty, params: &str) -> String {
    let full = format!("@{name}.{}", ty.suffix());
    m.declare(format!("declare {ty} {full}({params})"));
    full
}

fn int_unary(m: &mut Maker, name: &str) {
    let ty = m.int_like();
    let function = overloaded(m, name, ty, &ty.to_string());
    let a = m.operand(ty);
    m.value(ty, format!("call {ty} {function}({ty} {})", a.text), false);
}

/// Of an even number of bytes.
fn swap_bytes(m: &mut Maker, name: &str) {
    let width = 16 * m.rng.between(1, 8) as u16;
    let ty = m.vary(Scalar::Int(width));
    let function = overloaded(m, name, ty, &ty.to_string());
    let a = m.operand(ty);
    m.value(ty, format!("call {ty} {function}({ty} {})", a.text), false);
}

/// The flag makes the result for 0 poison.
fn count_zeros(m: &mut Maker, name: &str) {
    let ty = m.int_like();
    let function = overloaded(m, name, ty, &format!("{ty}, i1"));
    let is_nonzero = m.rng.chance(30);
    let lanes: Vec<u128> = (0..ty.count()).map(|_| ty.scalar.bits(&mut m.rng) | u128::from(is_nonzero)).collect();
    let a = if is_nonzero || m.rng.chance(50) { m.leaf_of(ty, &lanes) } else { m.operand(ty) };
    m.value(ty, format!("call {ty} {function}({ty} {}, i1 {is_nonzero})", a.text), false);
}

/// The flag makes the result for the smallest number poison.
fn absolute(m: &mut Maker, name: &str) {
    let ty = m.int_like();
    let function = overloaded(m, name, ty, &format!("{ty}, i1"));
    let flag = m.rng.chance(30) && ty.scalar.width() > 1;
    let smallest = 1u128 << (ty.scalar.width() - 1);
    let mut lanes: Vec<u128> = (0..ty.count()).map(|_| ty.scalar.bits(&mut m.rng)).collect();
    if flag {
        lanes.iter_mut().filter(|bits| **bits == smallest).for_each(|bits| *bits = smallest - 1);
    }
    let a = if flag || m.rng.chance(50) { m.leaf_of(ty, &lanes) } else { m.operand(ty) };
    m.value(ty, format!("call {ty} {function}({ty} {}, i1 {flag})", a.text), false);
}

fn int_binary(m: &mut Maker, name: &str) {
    let ty = m.int_like();
    let function = overloaded(m, name, ty, &format!("{ty}, {ty}"));
    let (a, b) = (m.operand(ty), m.operand(ty));
    m.value(ty, format!("call {ty} {function}({ty} {}, {ty} {})", a.text, b.text), false);
}

fn funnel(m: &mut Maker, name: &str) {
    let ty = m.int_like();
    let function = overloaded(m, name, ty, &format!("{ty}, {ty}, {ty}"));
    let (a, b, c) = (m.operand(ty), m.operand(ty), m.operand(ty));
    m.value(ty, format!("call {ty} {function}({ty} {}, {ty} {}, {ty} {})", a.text, b.text, c.text), false);
}

fn overflow(m: &mut Maker, name: &str) {
    // Larger products are not lowered.
    let ty = loop {
        let width = m.width();
        if !name.contains("mul") || width <= 64 {
            break Ty::int(width);
        }
    };
    let both = format!("{{ {ty}, i1 }}");
    let function = format!("@{name}.{}", ty.suffix());
    m.declare(format!("declare {both} {function}({ty}, {ty})"));
    let (a, b) = (m.operand(ty), m.operand(ty));
    let pair = m.line(format!("call {both} {function}({ty} {}, {ty} {})", a.text, b.text));
    m.value(ty, format!("extractvalue {both} {pair}, 0"), false);
    m.value(Ty::int(1), format!("extractvalue {both} {pair}, 1"), false);
}

fn float_unary(m: &mut Maker, name: &str) {
    let ty = m.float_like();
    let function = overloaded(m, name, ty, &ty.to_string());
    let a = m.operand(ty);
    let is_open = name != "llvm.fabs" || a.is_open;
    m.value(ty, format!("call {ty} {function}({ty} {})", a.text), is_open);
}

fn copy_sign(m: &mut Maker, name: &str) {
    let ty = m.float_like();
    let function = overloaded(m, name, ty, &format!("{ty}, {ty}"));
    let (a, b) = (m.operand(ty), m.exact_operand(ty));
    m.value(ty, format!("call {ty} {function}({ty} {}, {ty} {})", a.text, b.text), a.is_open);
}

/// No signalling NaN, for which LLVM promises nothing; which zero is larger is left open too.
fn extremum(m: &mut Maker, name: &str) {
    let ty = m.float_like();
    let function = overloaded(m, name, ty, &format!("{ty}, {ty}"));
    let quiet = 1u128 << if ty.scalar == Scalar::Float { 22 } else { 51 };
    let mut operand = || {
        let lanes: Vec<u128> = (0..ty.count())
            .map(|_| {
                let bits = ty.scalar.bits(&mut m.rng);
                let is_nan = match ty.scalar {
                    Scalar::Float => f32::from_bits(bits as u32).is_nan(),
                    _ => f64::from_bits(bits as u64).is_nan(),
                };
                bits | if is_nan { quiet } else { 0 }
            })
            .collect();
        m.leaf_of(ty, &lanes)
    };
    let (a, b) = (operand(), operand());
    let text = m.line(format!("call {ty} {function}({ty} {}, {ty} {})", a.text, b.text));
    m.show(&super::maker::Val { ty, text, is_open: true }, true);
}

fn multiply_add(m: &mut Maker, name: &str) {
    let ty = m.float_like();
    let function = overloaded(m, name, ty, &format!("{ty}, {ty}, {ty}"));
    let (a, b, c) = (m.operand(ty), m.operand(ty), m.operand(ty));
    m.value(ty, format!("call {ty} {function}({ty} {}, {ty} {}, {ty} {})", a.text, b.text, c.text), true);
}

fn is_class(m: &mut Maker, name: &str) {
    let ty = Ty::of(m.float());
    let function = format!("@{name}.{}", ty.suffix());
    m.declare(format!("declare i1 {function}({ty}, i32)"));
    let a = m.exact_operand(ty);
    let classes = if m.rng.chance(40) { 1 << m.rng.below(10) } else { m.rng.below(1 << 10) };
    m.value(Ty::int(1), format!("call i1 {function}({ty} {}, i32 {classes})", a.text), false);
}

fn arithmetic_fence(m: &mut Maker, name: &str) {
    let ty = m.float_like();
    let function = overloaded(m, name, ty, &ty.to_string());
    let a = m.operand(ty);
    m.value(ty, format!("call {ty} {function}({ty} {})", a.text), a.is_open);
}

fn expect(m: &mut Maker, name: &str) {
    let width = m.width();
    let ty = Ty::int(width);
    let (a, b) = (m.operand(ty), m.operand(ty));
    let (params, last) = match name.ends_with("probability") {
        true => (", double", ", double 0.75"),
        false => ("", ""),
    };
    let function = overloaded(m, name, ty, &format!("{ty}, {ty}{params}"));
    m.value(ty, format!("call {ty} {function}({ty} {}, {ty} {}{last})", a.text, b.text), false);
}

fn annotation(m: &mut Maker, name: &str) {
    let ty = Ty::int(*m.rng.pick(&[8, 16, 32, 64]));
    let note = m.global("private unnamed_addr constant [2 x i8] c\"n\\00\"");
    let function = format!("@{name}.{}.p0", ty.suffix());
    m.declare(format!("declare {ty} {function}({ty}, ptr, ptr, i32)"));
    let a = m.operand(ty);
    m.value(ty, format!("call {ty} {function}({ty} {}, ptr {note}, ptr {note}, i32 7)", a.text), false);
}

fn pointer_annotation(m: &mut Maker, name: &str) {
    let note = m.global("private unnamed_addr constant [2 x i8] c\"n\\00\"");
    let at = m.rng.below(64);
    let pointer = m.pointer(at);
    let args = format!("ptr {pointer}, ptr {note}, ptr {note}, i32 7, ptr null");
    if name == "llvm.var.annotation" {
        m.declare("declare void @llvm.var.annotation.p0.p0(ptr, ptr, ptr, i32, ptr)");
        m.effect(format!("call void @llvm.var.annotation.p0.p0({args})"));
        m.value(Ty::int(16), format!("load i16, ptr {pointer}, align 1"), false);
        return;
    }
    m.declare(format!("declare ptr @{name}.p0.p0(ptr, ptr, ptr, i32, ptr)"));
    let same = m.line(format!("call ptr @{name}.p0.p0({args})"));
    m.value(Ty::int(16), format!("load i16, ptr {same}, align 1"), false);
}

fn pointer_identity(m: &mut Maker, name: &str) {
    m.declare(format!("declare ptr @{name}.p0(ptr)"));
    let at = m.rng.below(64);
    let pointer = m.pointer(at);
    let same = m.line(format!("call ptr @{name}.p0(ptr {pointer})"));
    m.value(Ty::int(16), format!("load i16, ptr {same}, align 1"), false);
}

fn thread_local(m: &mut Maker, name: &str) {
    m.declare(format!("declare ptr @{name}.p0(ptr)"));
    let initial = m.rng.below(1000);
    let variable = m.global(&format!("thread_local global i32 {initial}"));
    let pointer = m.line(format!("call ptr @{name}.p0(ptr {variable})"));
    let a = m.operand(Ty::int(32));
    m.value(Ty::int(32), format!("load i32, ptr {pointer}"), false);
    m.effect(format!("store i32 {}, ptr {pointer}", a.text));
    m.value(Ty::int(32), format!("load i32, ptr {pointer}"), false);
}

/// The inline variants have a constant length.
fn length(m: &mut Maker, name: &str, most: usize) -> (String, usize) {
    let length = m.rng.below(most + 1);
    match name.ends_with("inline") {
        true => (format!("i64 {length}"), length),
        false => {
            let ty = Ty::int(*m.rng.pick(&[32, 64]));
            (format!("{ty} {}", m.leaf_of(ty, &[length as u128]).text), length)
        }
    }
}

fn copy(m: &mut Maker, name: &str) {
    let (length, bytes) = length(m, name, 20);
    let ty = length.split(' ').next().unwrap_or_default().to_owned();
    m.declare(format!("declare void @{name}.p0.p0.{ty}(ptr, ptr, {ty}, i1)"));
    let at = m.rng.below(40);
    let dst = m.pointer(at);
    let src = match name {
        "llvm.memmove" => {
            let from = (at + m.rng.below(40)).saturating_sub(20);
            m.pointer(from)
        }
        _ => m.input_bytes(bytes),
    };
    m.effect(format!("call void @{name}.p0.p0.{ty}(ptr {dst}, ptr {src}, {length}, i1 false)"));
    m.show_object(at, bytes + 1);
}

fn set(m: &mut Maker, name: &str) {
    let (length, bytes) = length(m, name, 20);
    let ty = length.split(' ').next().unwrap_or_default().to_owned();
    m.declare(format!("declare void @{name}.p0.{ty}(ptr, i8, {ty}, i1)"));
    let at = m.rng.below(40);
    let (dst, byte) = (m.pointer(at), m.operand(Ty::int(8)));
    m.effect(format!("call void @{name}.p0.{ty}(ptr {dst}, i8 {}, {length}, i1 false)", byte.text));
    m.show_object(at, bytes + 1);
}

/// A call without arguments, and a value to continue with.
fn plain(m: &mut Maker, name: &str) {
    m.declare(format!("declare void @{name}()"));
    m.effect(format!("call void @{name}()"));
    go_on(m);
}

fn go_on(m: &mut Maker) {
    let ty = m.int_like();
    let a = m.operand(ty);
    m.keep(a);
}

/// Arguments from the part of the list in memory, as clang's code for `va_arg` finds them when no register is left: the
/// seventh integer and those after it.
fn variable_arguments(m: &mut Maker, _name: &str) {
    for name in ["va_start", "va_end"] {
        m.declare(format!("declare void @llvm.{name}.p0(ptr)"));
    }
    m.declare("declare void @llvm.va_copy.p0(ptr, ptr)");
    let function = m.function(VARIADIC);
    let args: Vec<String> = (0..3).map(|_| format!("i64 {}", m.operand(Ty::int(64)).text)).collect();
    let named = ["i64 0"; 6].join(", ");
    let pair = m.line(format!(
        "call {{ i64, i64 }} (i64, i64, i64, i64, i64, i64, ...) {function}({named}, {})",
        args.join(", ")
    ));
    m.value(Ty::int(64), format!("extractvalue {{ i64, i64 }} {pair}, 0"), false);
    m.value(Ty::int(64), format!("extractvalue {{ i64, i64 }} {pair}, 1"), false);
}

const VARIADIC: &str = "define internal { i64, i64 } NAME(i64, i64, i64, i64, i64, i64, ...) {
  %list = alloca [24 x i8], align 16
  %copy = alloca [24 x i8], align 16
  call void @llvm.va_start.p0(ptr %list)
  %at = getelementptr i8, ptr %list, i64 8
  %first = load ptr, ptr %at
  %a = load i64, ptr %first
  %second = getelementptr i8, ptr %first, i64 8
  store ptr %second, ptr %at
  call void @llvm.va_copy.p0(ptr %copy, ptr %list)
  %copied = getelementptr i8, ptr %copy, i64 8
  %rest = load ptr, ptr %copied
  %third = getelementptr i8, ptr %rest, i64 8
  %b = load i64, ptr %rest
  %c = load i64, ptr %third
  call void @llvm.va_end.p0(ptr %copy)
  call void @llvm.va_end.p0(ptr %list)
  %both = sub i64 %b, %c
  %p = insertvalue { i64, i64 } poison, i64 %a, 0
  %q = insertvalue { i64, i64 } %p, i64 %both, 1
  ret { i64, i64 } %q
}";

fn stack(m: &mut Maker, _name: &str) {
    m.declare("declare ptr @llvm.stacksave.p0()");
    m.declare("declare void @llvm.stackrestore.p0(ptr)");
    let a = m.operand(Ty::int(32));
    let count = m.leaf_of(Ty::int(64), &[3]);
    let saved = m.line("call ptr @llvm.stacksave.p0()".to_owned());
    let array = m.line(format!("alloca i32, i64 {}", count.text));
    m.effect(format!("store i32 {}, ptr {array}", a.text));
    m.value(Ty::int(32), format!("load i32, ptr {array}"), false);
    m.effect(format!("call void @llvm.stackrestore.p0(ptr {saved})"));
}

fn lifetime(m: &mut Maker, _name: &str) {
    m.declare("declare void @llvm.lifetime.start.p0(i64, ptr)");
    m.declare("declare void @llvm.lifetime.end.p0(i64, ptr)");
    let variable = m.line("alloca i32".to_owned());
    for _ in 0..2 {
        m.effect(format!("call void @llvm.lifetime.start.p0(i64 4, ptr {variable})"));
        let a = m.operand(Ty::int(32));
        m.effect(format!("store i32 {}, ptr {variable}", a.text));
        m.value(Ty::int(32), format!("load i32, ptr {variable}"), false);
        m.effect(format!("call void @llvm.lifetime.end.p0(i64 4, ptr {variable})"));
    }
}

fn invariant(m: &mut Maker, _name: &str) {
    m.declare("declare ptr @llvm.invariant.start.p0(i64, ptr)");
    m.declare("declare void @llvm.invariant.end.p0(ptr, i64, ptr)");
    let pointer = m.pointer(8);
    let token = m.line(format!("call ptr @llvm.invariant.start.p0(i64 4, ptr {pointer})"));
    m.value(Ty::int(32), format!("load i32, ptr {pointer}"), false);
    m.effect(format!("call void @llvm.invariant.end.p0(ptr {token}, i64 4, ptr {pointer})"));
    let a = m.operand(Ty::int(32));
    m.effect(format!("store i32 {}, ptr {pointer}", a.text));
    m.show_object(8, 4);
}

fn assume(m: &mut Maker, name: &str) {
    m.declare(format!("declare void @{name}(i1)"));
    let truth = m.leaf_of(Ty::int(1), &[1]);
    m.effect(format!("call void @{name}(i1 {})", truth.text));
    go_on(m);
}

fn prefetch(m: &mut Maker, name: &str) {
    m.declare(format!("declare void @{name}.p0(ptr, i32, i32, i32)"));
    let pointer = m.pointer(0);
    m.effect(format!("call void @{name}.p0(ptr {pointer}, i32 0, i32 3, i32 1)"));
    m.show_object(0, 4);
}

fn clear_cache(m: &mut Maker, name: &str) {
    m.declare(format!("declare void @{name}(ptr, ptr)"));
    let (start, end) = (m.pointer(0), m.pointer(16));
    m.effect(format!("call void @{name}(ptr {start}, ptr {end})"));
    m.show_object(0, 4);
}

fn scope(m: &mut Maker, name: &str) {
    m.declare(format!("declare void @{name}(metadata)"));
    m.declare("!0 = distinct !{!0}");
    m.declare("!1 = distinct !{!1, !0}");
    m.declare("!2 = !{!1}");
    m.effect(format!("call void @{name}(metadata !2)"));
    go_on(m);
}

fn probe(m: &mut Maker, name: &str) {
    m.declare(format!("declare void @{name}(i64, i64, i32, i64)"));
    m.effect(format!("call void @{name}(i64 1, i64 1, i32 0, i64 -1)"));
    go_on(m);
}

/// Of a computed value, which a compiler without optimisation does not recognise as constant; and of a constant.
fn is_constant(m: &mut Maker, name: &str) {
    let width = m.width();
    let ty = Ty::int(width);
    let function = format!("@{name}.{}", ty.suffix());
    m.declare(format!("declare i1 {function}({ty})"));
    let pointer = m.object(0);
    let byte = m.line(format!("load volatile i8, ptr {pointer}"));
    let ty_text = ty.to_string();
    let resized = match width.cmp(&8) {
        std::cmp::Ordering::Less => m.line(format!("trunc i8 {byte} to {ty_text}")),
        std::cmp::Ordering::Equal => byte,
        std::cmp::Ordering::Greater => m.line(format!("zext i8 {byte} to {ty_text}")),
    };
    m.value(Ty::int(1), format!("call i1 {function}({ty} {resized})"), false);
    let literal = ty.scalar.literal(ty.scalar.bits(&mut m.rng));
    m.value(Ty::int(1), format!("call i1 {function}({ty} {literal})"), false);
}

/// Of a pointer from memory, whose object LLVM does not know either.
fn object_size(m: &mut Maker, name: &str) {
    let function = format!("@{name}.i64.p0");
    m.declare(format!("declare i64 {function}(ptr, i1, i1, i1)"));
    let object = m.object(0);
    let variable = m.global(&format!("global ptr {object}"));
    let pointer = m.line(format!("load volatile ptr, ptr {variable}"));
    let least = m.rng.chance(50);
    m.value(Ty::int(64), format!("call i64 {function}(ptr {pointer}, i1 {least}, i1 true, i1 false)"), false);
}

/// The value is arbitrary: only its presence is tested.
fn cycles(m: &mut Maker, name: &str) {
    m.declare(format!("declare i64 @{name}()"));
    let now = m.line(format!("call i64 @{name}()"));
    m.value(Ty::int(1), format!("icmp eq i64 {now}, {now}"), false);
}
