//! A generator for each instruction that the front end lowers.

use super::maker::{Maker, Val, MIDDLE};
use super::types::{Scalar, Ty};

/// Makes one instruction of this name.
pub(super) type Generator = fn(&mut Maker, &str);

/// The generators, by the instruction's name.
pub(super) const INSTRUCTIONS: &[(&str, Generator)] = &[
    ("add", int_binary),
    ("sub", int_binary),
    ("mul", int_binary),
    ("and", int_binary),
    ("or", int_binary),
    ("xor", int_binary),
    ("shl", shift),
    ("lshr", shift),
    ("ashr", shift),
    ("udiv", division),
    ("sdiv", division),
    ("urem", division),
    ("srem", division),
    ("fadd", float_binary),
    ("fsub", float_binary),
    ("fmul", float_binary),
    ("fdiv", float_binary),
    ("frem", float_binary),
    ("fneg", negation),
    ("icmp", int_compare),
    ("fcmp", float_compare),
    ("select", select),
    ("freeze", freeze),
    ("phi", phi),
    ("call", call),
    ("trunc", int_cast),
    ("zext", int_cast),
    ("sext", int_cast),
    ("fptoui", float_to_int),
    ("fptosi", float_to_int),
    ("uitofp", int_to_float),
    ("sitofp", int_to_float),
    ("fptrunc", float_cast),
    ("fpext", float_cast),
    ("bitcast", bit_cast),
    ("ptrtoint", pointer_to_int),
    ("inttoptr", int_to_pointer),
    ("getelementptr", address),
    ("alloca", alloca),
    ("load", load),
    ("store", store),
    ("atomicrmw", read_modify_write),
    ("cmpxchg", compare_exchange),
    ("fence", fence),
    ("extractvalue", extract_value),
    ("insertvalue", insert_value),
    ("extractelement", extract_element),
    ("insertelement", insert_element),
    ("shufflevector", shuffle),
];

fn int_binary(m: &mut Maker, op: &str) {
    let ty = m.int_like();
    let (a, b) = (m.operand(ty), m.operand(ty));
    m.value(ty, format!("{op} {ty} {}, {}", a.text, b.text), false);
}

/// A distance of at least the width is poison.
fn shift(m: &mut Maker, op: &str) {
    let ty = m.int_like();
    let a = m.operand(ty);
    let distances: Vec<u128> = (0..ty.count()).map(|_| m.rng.below(usize::from(ty.scalar.width())) as u128).collect();
    let b = m.leaf_of(ty, &distances);
    m.value(ty, format!("{op} {ty} {}, {}", a.text, b.text), false);
}

/// Neither by zero nor, signed, of the smallest number by -1.
fn division(m: &mut Maker, op: &str) {
    let ty = m.int_like();
    let width = ty.scalar.width();
    let ones = ir::arith::mask(width);
    let (mut dividends, mut divisors) = (Vec::new(), Vec::new());
    for _ in 0..ty.count() {
        let (mut a, mut b) = (ty.scalar.bits(&mut m.rng), ty.scalar.bits(&mut m.rng));
        if b == 0 {
            b = 1;
        }
        if op.starts_with('s') && b == ones && a == (ones >> 1) + 1 {
            a = 0;
        }
        dividends.push(a);
        divisors.push(b);
    }
    let (a, b) = (m.leaf_of(ty, &dividends), m.leaf_of(ty, &divisors));
    m.value(ty, format!("{op} {ty} {}, {}", a.text, b.text), false);
}

fn float_binary(m: &mut Maker, op: &str) {
    let ty = m.float_like();
    let (a, b) = (m.operand(ty), m.operand(ty));
    m.value(ty, format!("{op} {ty} {}, {}", a.text, b.text), true);
}

fn negation(m: &mut Maker, op: &str) {
    let ty = m.float_like();
    let a = m.operand(ty);
    m.value(ty, format!("{op} {ty} {}", a.text), a.is_open);
}

const INT_PREDICATES: [&str; 10] = ["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"];

fn int_compare(m: &mut Maker, op: &str) {
    if m.rng.chance(15) {
        // Addresses in one object, whose order does not depend on the layout.
        let (x, y) = (m.rng.below(MIDDLE), m.rng.below(MIDDLE));
        let y = if m.rng.chance(30) { x } else { y };
        let (a, b) = (m.pointer(x), m.pointer(y));
        let predicate = *m.rng.pick(&INT_PREDICATES[..6]);
        m.value(Ty::int(1), format!("{op} {predicate} ptr {a}, {b}"), false);
        return;
    }
    let ty = m.int_like();
    let a = m.operand(ty);
    let b = if m.rng.chance(20) { a.clone() } else { m.operand(ty) };
    let predicate = *m.rng.pick(&INT_PREDICATES);
    m.value(ty.with(Scalar::Int(1)), format!("{op} {predicate} {ty} {}, {}", a.text, b.text), false);
}

fn float_compare(m: &mut Maker, op: &str) {
    let predicates = [
        "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno",
        "true",
    ];
    let ty = m.float_like();
    let a = m.operand(ty);
    let b = if m.rng.chance(20) { a.clone() } else { m.operand(ty) };
    let predicate = *m.rng.pick(&predicates);
    m.value(ty.with(Scalar::Int(1)), format!("{op} {predicate} {ty} {}, {}", a.text, b.text), false);
}

fn any_like(m: &mut Maker) -> Ty {
    if m.rng.chance(30) {
        m.float_like()
    } else {
        m.int_like()
    }
}

fn select(m: &mut Maker, op: &str) {
    let ty = any_like(m);
    let condition = if m.rng.chance(50) { ty.with(Scalar::Int(1)) } else { Ty::int(1) };
    let (c, a, b) = (m.operand(condition), m.operand(ty), m.operand(ty));
    let is_open = a.is_open || b.is_open;
    m.value(ty, format!("{op} {condition} {}, {ty} {}, {ty} {}", c.text, a.text, b.text), is_open);
}

fn freeze(m: &mut Maker, op: &str) {
    let ty = any_like(m);
    let a = m.operand(ty);
    m.value(ty, format!("{op} {ty} {}", a.text), a.is_open);
}

/// Two paths to one basic block, or three by a `switch`.
fn phi(m: &mut Maker, op: &str) {
    let ty = any_like(m);
    let tag = m.line("freeze i1 true".to_owned());
    let tag = tag.trim_start_matches('%').to_owned();
    let (a, b, c) = (m.operand(ty), m.operand(ty), m.operand(ty));
    let is_open = a.is_open || b.is_open || c.is_open;
    if m.rng.chance(50) {
        let condition = m.operand(Ty::int(1));
        m.effect(format!("br i1 {}, label %{tag}a, label %{tag}b", condition.text));
    } else {
        let width = m.width();
        let (ty, on) = (Ty::int(width), m.operand(Ty::int(width)));
        let case = ty.scalar.literal(ty.scalar.bits(&mut m.rng));
        m.effect(format!("switch {ty} {}, label %{tag}a [ {ty} {case}, label %{tag}b ]", on.text));
    }
    m.label(&format!("{tag}a"));
    m.effect(format!("br label %{tag}c"));
    m.label(&format!("{tag}b"));
    m.effect(format!("br label %{tag}c"));
    m.label(&format!("{tag}c"));
    let pairs = [(&a, &b), (&c, &a)];
    let texts = pairs.map(|(a, b)| m.line(format!("{op} {ty} [ {}, %{tag}a ], [ {}, %{tag}b ]", a.text, b.text)));
    texts.into_iter().for_each(|text| m.keep(Val { ty, text, is_open }));
}

/// A function that returns its arguments in another order.
fn call(m: &mut Maker, op: &str) {
    let (a, b) = (any_like(m), any_like(m));
    let text = format!(
        "define internal {{ {b}, {a} }} NAME({a} %x, {b} %y) {{\n  %p = insertvalue {{ {b}, {a} }} poison, {b} %y, 0\n  \
         %q = insertvalue {{ {b}, {a} }} %p, {a} %x, 1\n  ret {{ {b}, {a} }} %q\n}}"
    );
    let function = m.function(&text);
    let (x, y) = (m.operand(a), m.operand(b));
    let pair = m.line(format!("{op} {{ {b}, {a} }} {function}({a} {}, {b} {})", x.text, y.text));
    m.value(b, format!("extractvalue {{ {b}, {a} }} {pair}, 0"), y.is_open);
    m.value(a, format!("extractvalue {{ {b}, {a} }} {pair}, 1"), x.is_open);
}

fn int_cast(m: &mut Maker, op: &str) {
    let ty = m.int_like();
    let width = ty.scalar.width();
    let other = loop {
        let other = m.width();
        if other != width {
            break other;
        }
    };
    let (narrow, wide) = (ty.with(Scalar::Int(width.min(other))), ty.with(Scalar::Int(width.max(other))));
    let (from, to) = if op == "trunc" { (wide, narrow) } else { (narrow, wide) };
    let a = m.operand(from);
    m.value(to, format!("{op} {from} {} to {to}", a.text), false);
}

/// Numbers whose integer part fits: anything else is poison.
fn float_to_int(m: &mut Maker, op: &str) {
    let (float, width) = (m.float(), m.width());
    let from = m.vary(float);
    let to = from.with(Scalar::Int(width));
    let power = |exponent: u16| 2f64.powi(i32::from(exponent));
    let (low, high) = match op {
        "fptosi" => (-power(width - 1), power(width - 1)),
        _ => (0.0, power(width)),
    };
    let mut lanes = Vec::new();
    for _ in 0..from.count() {
        let value = loop {
            let part = m.rng.below(1 << 20) as f64 / 4.0;
            let scale = power(m.rng.below(usize::from(width) + 2) as u16);
            let value = (part * scale / power(18)) * if m.rng.chance(50) { -1.0 } else { 1.0 };
            if (low..high).contains(&value.trunc()) {
                break value;
            }
        };
        // Both formats have room for these 20 bits.
        lanes.push(match float {
            Scalar::Float => u128::from((value as f32).to_bits()),
            _ => u128::from(value.to_bits()),
        });
    }
    let a = m.leaf_of(from, &lanes);
    m.value(to, format!("{op} {from} {} to {to}", a.text), false);
}

fn int_to_float(m: &mut Maker, op: &str) {
    let (from, float) = (m.int_like(), m.float());
    let (to, a) = (from.with(float), m.operand(from));
    m.value(to, format!("{op} {from} {} to {to}", a.text), true);
}

fn float_cast(m: &mut Maker, op: &str) {
    let (small, large) = (m.vary(Scalar::Float), Scalar::Double);
    let (from, to) = if op == "fpext" { (small, small.with(large)) } else { (small.with(large), small) };
    let a = m.operand(from);
    m.value(to, format!("{op} {from} {} to {to}", a.text), true);
}

/// Between types of the same number of bits, up to 128.
fn bit_cast(m: &mut Maker, op: &str) {
    let total = *m.rng.pick(&[8, 16, 32, 64, 128u16]);
    let (from, to) = (cut(m, total), cut(m, total));
    let a = m.exact_operand(from);
    m.value(to, format!("{op} {from} {} to {to}", a.text), false);
}

/// A type of this width in bits.
fn cut(m: &mut Maker, total: u16) -> Ty {
    let mut choices = vec![Ty::int(total)];
    for lane in [1, 2, 4, 8, 16, 32, 64].into_iter().filter(|lane| *lane < total && total / lane <= 16) {
        choices.push(Ty { scalar: Scalar::Int(lane), lanes: Some((total / lane) as u8) });
    }
    for float in [Scalar::Float, Scalar::Double].into_iter().filter(|float| total.is_multiple_of(float.width())) {
        let lanes = (total / float.width()) as u8;
        choices.push(Ty { scalar: float, lanes: (lanes > 1).then_some(lanes) });
    }
    *m.rng.pick(&choices)
}

/// The distance between two addresses of one object.
fn pointer_to_int(m: &mut Maker, op: &str) {
    let (x, y) = (m.rng.below(MIDDLE), m.rng.below(MIDDLE));
    let (a, b) = (m.pointer(x), m.pointer(y));
    let width = *m.rng.pick(&[8, 16, 32, 64, 64, 64, 37]);
    let (a, b) = (m.line(format!("{op} ptr {a} to i{width}")), m.line(format!("{op} ptr {b} to i{width}")));
    m.value(Ty::int(width), format!("sub i{width} {a}, {b}"), false);
}

/// To an integer, moved, and back.
fn int_to_pointer(m: &mut Maker, op: &str) {
    let (x, distance) = (m.rng.below(MIDDLE), m.rng.below(MIDDLE - 8) as u128);
    let pointer = m.pointer(x);
    let distance = m.leaf_of(Ty::int(64), &[distance]);
    let address = m.line(format!("ptrtoint ptr {pointer} to i64"));
    let moved = m.line(format!("add i64 {address}, {}", distance.text));
    let pointer = m.line(format!("{op} i64 {moved} to ptr"));
    m.value(Ty::int(32), format!("load i32, ptr {pointer}, align 1"), false);
}

/// One index of an address.
#[derive(Clone, Copy)]
enum Step {
    /// An element of an array or vector with this length.
    Element(usize),
    /// A field of a structure with this number of fields.
    Field(usize),
}

/// Types to step through, and the indices after the first.
const SHAPES: &[(&str, &[Step])] = &[
    ("i8", &[]),
    ("i24", &[]),
    ("i128", &[]),
    ("[5 x i16]", &[Step::Element(5)]),
    ("[3 x [2 x i32]]", &[Step::Element(3), Step::Element(2)]),
    ("{ i8, i32 }", &[Step::Field(2)]),
    ("<{ i8, i32, i16 }>", &[Step::Field(3)]),
    ("{ i8, [3 x i16], i64 }", &[Step::Field(3)]),
    ("[2 x { i8, double }]", &[Step::Element(2), Step::Field(2)]),
    ("{ i1, i48, ptr, float }", &[Step::Field(4)]),
    ("[2 x <4 x i32>]", &[Step::Element(2), Step::Element(4)]),
    ("[2 x <4 x i24>]", &[Step::Element(2), Step::Element(4)]),
    ("{ i16, { i8, i64 }, <2 x i64> }", &[Step::Field(3)]),
];

/// How far the address moves, with indices of different widths.
fn address(m: &mut Maker, op: &str) {
    let (shape, steps) = *m.rng.pick(SHAPES);
    let base = m.pointer(MIDDLE);
    let first = m.rng.between(0, 3) as i128 - 2;
    let mut indices = vec![index(m, first)];
    for step in steps.iter().copied() {
        indices.push(match step {
            Step::Field(count) => format!("i32 {}", m.rng.below(count)),
            Step::Element(count) => {
                let element = m.rng.below(count) as i128;
                index(m, element)
            }
        });
    }
    let inbounds = if m.rng.chance(50) { "inbounds " } else { "" };
    let moved = m.line(format!("{op} {inbounds}{shape}, ptr {base}, {}", indices.join(", ")));
    let (a, b) = (m.line(format!("ptrtoint ptr {moved} to i64")), m.line(format!("ptrtoint ptr {base} to i64")));
    m.value(Ty::int(64), format!("sub i64 {a}, {b}"), false);
    m.value(Ty::int(8), format!("load i8, ptr {moved}"), false);
}

/// An index of some width.
fn index(m: &mut Maker, index: i128) -> String {
    let ty = Ty::int(*m.rng.pick(&[8, 16, 32, 64, 13, 128]));
    let leaf = m.leaf_of(ty, &[index as u128 & ir::arith::mask(ty.scalar.width())]);
    format!("{ty} {}", leaf.text)
}

/// A variable, read as it was stored, and an array of them.
fn alloca(m: &mut Maker, op: &str) {
    let ty = any_like(m);
    let a = m.operand(ty);
    let pointer = m.line(format!("{op} {ty}"));
    m.effect(format!("store {ty} {}, ptr {pointer}", a.text));
    m.value(ty, format!("load {ty}, ptr {pointer}"), a.is_open);
    let (count, index) = (m.rng.between(2, 5), m.rng.below(2));
    let array = m.line(format!("{op} i16, i32 {count}"));
    let element = m.line(format!("getelementptr i16, ptr {array}, i32 {index}"));
    let b = m.operand(Ty::int(16));
    m.effect(format!("store i16 {}, ptr {element}", b.text));
    m.value(Ty::int(16), format!("load i16, ptr {element}"), false);
}

/// A type that fills whole bytes.
fn whole_bytes(m: &mut Maker) -> Ty {
    let scalar = match m.rng.below(4) {
        0 => m.float(),
        1 => Scalar::Int(*m.rng.pick(&[24, 40, 48, 56, 72, 96, 120])),
        _ => Scalar::Int(*m.rng.pick(&[8, 16, 32, 64, 128])),
    };
    m.vary(scalar)
}

fn manner(m: &mut Maker) -> &'static str {
    if m.rng.chance(20) {
        "volatile "
    } else {
        ""
    }
}

fn load(m: &mut Maker, op: &str) {
    match m.rng.below(5) {
        2 => {
            // The value of an initialiser.
            let ty = whole_bytes(m);
            let lanes: Vec<String> = (0..ty.count())
                .map(|_| format!("{} {}", ty.scalar, ty.scalar.literal(ty.scalar.bits(&mut m.rng))))
                .collect();
            let initial = if ty.lanes.is_some() { format!("{ty} <{}>", lanes.join(", ")) } else { lanes[0].clone() };
            let variable = m.global(&format!("global {{ i8, {ty} }} {{ i8 1, {initial} }}"));
            let field = m.line(format!("getelementptr {{ i8, {ty} }}, ptr {variable}, i32 0, i32 1"));
            m.value(ty, format!("{op} {ty}, ptr {field}"), false);
        }
        0 => {
            let width = *m.rng.pick(&[8, 16, 32, 64u16]);
            let order = *m.rng.pick(&["unordered", "monotonic", "acquire", "seq_cst"]);
            let at = m.rng.below(8) * 8;
            let pointer = m.pointer(at);
            m.value(Ty::int(width), format!("{op} atomic i{width}, ptr {pointer} {order}, align {}", width / 8), false);
        }
        1 => {
            let ty = "{ i8, [2 x i16], <2 x i32>, i24 }";
            let at = m.rng.below(8) * 16;
            let pointer = m.pointer(at);
            let whole = m.line(format!("{op} {ty}, ptr {pointer}"));
            let (a, b) = (Ty::int(16), Ty { scalar: Scalar::Int(32), lanes: Some(2) });
            m.value(a, format!("extractvalue {ty} {whole}, 1, 1"), false);
            m.value(b, format!("extractvalue {ty} {whole}, 2"), false);
            m.value(Ty::int(24), format!("extractvalue {ty} {whole}, 3"), false);
        }
        _ => {
            let (ty, how) = (whole_bytes(m), manner(m));
            let at = m.rng.below(MIDDLE);
            let pointer = m.pointer(at);
            m.value(ty, format!("{op} {how}{ty}, ptr {pointer}, align 1"), false);
        }
    }
}

fn store(m: &mut Maker, op: &str) {
    let at = m.rng.below(4) * 16;
    match m.rng.below(4) {
        0 => {
            let width = *m.rng.pick(&[8, 16, 32, 64u16]);
            let order = *m.rng.pick(&["unordered", "monotonic", "release", "seq_cst"]);
            let (a, pointer) = (m.operand(Ty::int(width)), m.pointer(at));
            m.effect(format!("{op} atomic i{width} {}, ptr {pointer} {order}, align {}", a.text, width / 8));
            m.show_object(at, 10);
        }
        1 => {
            // Padding bits of such a type are not determined: it is read as it was written.
            let ty = m.int_like();
            let (a, pointer) = (m.operand(ty), m.pointer(at));
            m.effect(format!("{op} {ty} {}, ptr {pointer}, align 1", a.text));
            m.value(ty, format!("load {ty}, ptr {pointer}, align 1"), false);
        }
        _ => {
            let (ty, how) = (whole_bytes(m), manner(m));
            let at = at + m.rng.below(3);
            let (a, pointer) = (m.exact_operand(ty), m.pointer(at));
            m.effect(format!("{op} {how}{ty} {}, ptr {pointer}, align 1", a.text));
            let bytes = ty.count() * usize::from(ty.scalar.width() / 8);
            m.show_object(at.saturating_sub(1), bytes + 2);
        }
    }
}

fn read_modify_write(m: &mut Maker, op: &str) {
    let operations = ["xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin"];
    let order = *m.rng.pick(&["monotonic", "acquire", "release", "acq_rel", "seq_cst"]);
    let at = m.rng.below(4) * 16;
    if m.rng.chance(10) {
        let ty = Ty::of(m.float());
        let (a, pointer) = (m.exact_operand(ty), m.pointer(at));
        m.value(ty, format!("{op} xchg ptr {pointer}, {ty} {} {order}", a.text), false);
        m.show_object(at, 8);
        return;
    }
    let ty = Ty::int(*m.rng.pick(&[8, 16, 32, 64, 128]));
    let operation = *m.rng.pick(&operations);
    let (a, pointer) = (m.operand(ty), m.pointer(at));
    m.value(ty, format!("{op} {operation} ptr {pointer}, {ty} {} {order}", a.text), false);
    m.show_object(at, 16);
}

/// A strong one: a weak one may fail spuriously.
fn compare_exchange(m: &mut Maker, op: &str) {
    let ty = Ty::int(*m.rng.pick(&[8, 16, 32, 64, 128]));
    let (success, failure) = *m.rng.pick(&[
        ("monotonic", "monotonic"),
        ("acquire", "monotonic"),
        ("release", "acquire"),
        ("acq_rel", "acquire"),
        ("seq_cst", "seq_cst"),
    ]);
    let at = m.rng.below(4) * 16;
    let pointer = m.pointer(at);
    let expected = match m.rng.chance(60) {
        true => m.line(format!("load {ty}, ptr {pointer}")),
        false => m.operand(ty).text,
    };
    let desired = m.operand(ty);
    let both = format!("{{ {ty}, i1 }}");
    let pair = m.line(format!("{op} ptr {pointer}, {ty} {expected}, {ty} {} {success} {failure}", desired.text));
    m.value(ty, format!("extractvalue {both} {pair}, 0"), false);
    m.value(Ty::int(1), format!("extractvalue {both} {pair}, 1"), false);
    m.show_object(at, 16);
}

fn fence(m: &mut Maker, op: &str) {
    let order = *m.rng.pick(&["acquire", "release", "acq_rel", "seq_cst"]);
    let scope = if m.rng.chance(30) { "syncscope(\"singlethread\") " } else { "" };
    m.effect(format!("{op} {scope}{order}"));
    let ty = m.int_like();
    let a = m.operand(ty);
    m.keep(a);
}

const AGGREGATE: &str = "{ i8, { i32, [2 x i16] }, double, <2 x i64> }";

/// A value of the aggregate type, and its parts.
fn aggregate(m: &mut Maker) -> (String, Vec<(&'static str, Val)>) {
    let vector = Ty { scalar: Scalar::Int(64), lanes: Some(2) };
    let types = [
        ("0", Ty::int(8)),
        ("1, 0", Ty::int(32)),
        ("1, 1, 0", Ty::int(16)),
        ("1, 1, 1", Ty::int(16)),
        ("2", Ty::of(Scalar::Double)),
        ("3", vector),
    ];
    let mut parts = Vec::new();
    let mut whole = "poison".to_owned();
    for (path, ty) in types {
        let part = m.operand(ty);
        whole = m.line(format!("insertvalue {AGGREGATE} {whole}, {ty} {}, {path}", part.text));
        parts.push((path, part));
    }
    (whole, parts)
}

fn extract_value(m: &mut Maker, op: &str) {
    let (whole, parts) = aggregate(m);
    for (path, part) in parts {
        m.value(part.ty, format!("{op} {AGGREGATE} {whole}, {path}"), part.is_open);
    }
}

fn insert_value(m: &mut Maker, op: &str) {
    let (whole, parts) = aggregate(m);
    let inner = m.line(format!("extractvalue {AGGREGATE} {whole}, 1"));
    let index = m.rng.below(2);
    let a = m.operand(Ty::int(16));
    let inner = m.line(format!("{op} {{ i32, [2 x i16] }} {inner}, i16 {}, 1, {index}", a.text));
    let whole = m.line(format!("{op} {AGGREGATE} {whole}, {{ i32, [2 x i16] }} {inner}, 1"));
    for (path, part) in parts {
        m.value(part.ty, format!("extractvalue {AGGREGATE} {whole}, {path}"), part.is_open);
    }
}

fn vector(m: &mut Maker) -> Ty {
    let ty = any_like(m);
    let lanes = ty.lanes.unwrap_or(m.rng.between(2, 5) as u8);
    Ty { lanes: Some(lanes), ..ty }
}

/// An index inside the vector.
fn lane(m: &mut Maker, ty: Ty) -> String {
    let index_type = Ty::int(*m.rng.pick(&[8, 32, 64]));
    let index = m.rng.below(ty.count()) as u128;
    let leaf = m.leaf_of(index_type, &[index]);
    format!("{index_type} {}", leaf.text)
}

fn extract_element(m: &mut Maker, op: &str) {
    let ty = vector(m);
    let (a, index) = (m.operand(ty), lane(m, ty));
    m.value(Ty::of(ty.scalar), format!("{op} {ty} {}, {index}", a.text), a.is_open);
}

fn insert_element(m: &mut Maker, op: &str) {
    let ty = vector(m);
    let (a, b, index) = (m.operand(ty), m.operand(Ty::of(ty.scalar)), lane(m, ty));
    let is_open = a.is_open || b.is_open;
    m.value(ty, format!("{op} {ty} {}, {} {}, {index}", a.text, ty.scalar, b.text), is_open);
}

fn shuffle(m: &mut Maker, op: &str) {
    let ty = vector(m);
    let (a, b) = (m.operand(ty), m.operand(ty));
    let lanes = m.rng.between(1, 6);
    let mask: Vec<String> = (0..lanes).map(|_| format!("i32 {}", m.rng.below(2 * ty.count()))).collect();
    let to = Ty { lanes: Some(lanes as u8), ..ty };
    let is_open = a.is_open || b.is_open;
    m.value(to, format!("{op} {ty} {}, {ty} {}, <{lanes} x i32> <{}>", a.text, b.text, mask.join(", ")), is_open);
}
