//! A naive evaluator, straight from the definitions in SMT-LIB's theories, over machine numbers.

use super::ast::{Expr, Op, Sort};
use std::collections::BTreeMap;

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Of sort Bool.
    Bool(bool),
    /// A bit-vector as an unsigned number.
    Bits(u128),
    /// Small arrays: every element.
    Dense(Vec<u128>),
    /// Large arrays: a default element, and the others.
    Sparse(u128, BTreeMap<u128, u128>),
}

/// Arrays with index widths up to this are dense; those above have more indices than any formula here can mention.
const DENSE: u32 = 8;

impl Value {
    /// An array with one element everywhere.
    pub fn constant_array(index: u32, element: u128) -> Value {
        if index <= DENSE {
            Value::Dense(vec![element; 1 << index])
        } else {
            Value::Sparse(element, BTreeMap::new())
        }
    }

    /// Changes an element.
    pub fn store(&mut self, index: u128, element: u128) {
        match self {
            Value::Dense(elements) => elements[index as usize] = element,
            Value::Sparse(default, elements) if element == *default => {
                elements.remove(&index);
            }
            Value::Sparse(_, elements) => {
                elements.insert(index, element);
            }
            Value::Bool(_) | Value::Bits(_) => panic!("an array should be here"),
        }
    }

    fn select(&self, index: u128) -> u128 {
        match self {
            Value::Dense(elements) => elements[index as usize],
            Value::Sparse(default, elements) => *elements.get(&index).unwrap_or(default),
            Value::Bool(_) | Value::Bits(_) => panic!("an array should be here"),
        }
    }

    /// The Boolean value.
    pub fn bool(&self) -> bool {
        match self {
            Value::Bool(value) => *value,
            other => panic!("{other:?} where a Boolean should be"),
        }
    }

    /// The numeric value.
    pub fn number(&self) -> u128 {
        match self {
            Value::Bits(value) => *value,
            other => panic!("{other:?} where a bit-vector should be"),
        }
    }
}

/// All ones.
pub fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

/// The value under an assignment to the variables.
pub fn evaluate(expr: &Expr, vars: &[Sort], values: &[Value]) -> Value {
    Evaluator { vars, values, locals: Vec::new() }.value(expr)
}

struct Evaluator<'a> {
    vars: &'a [Sort],
    values: &'a [Value],
    /// The innermost binding last.
    locals: Vec<(usize, Value)>,
}

impl Evaluator<'_> {
    fn value(&mut self, expr: &Expr) -> Value {
        match expr {
            Expr::Var(index) => self.values[*index].clone(),
            Expr::Bool(value) => Value::Bool(*value),
            Expr::Bits(_, value) => Value::Bits(*value),
            Expr::Local(name, _) => {
                let found = self.locals.iter().rev().find(|(other, _)| other == name);
                found.expect("names should be bound").1.clone()
            }
            Expr::Let(bindings, body) => {
                let values: Vec<(usize, Value)> =
                    bindings.iter().map(|(name, value)| (*name, self.value(value))).collect();
                let before = self.locals.len();
                self.locals.extend(values);
                let value = self.value(body);
                self.locals.truncate(before);
                value
            }
            Expr::Op(op, indices, sort, args) => {
                let values: Vec<Value> = args.iter().map(|arg| self.value(arg)).collect();
                let widths: Vec<u32> = args
                    .iter()
                    .map(|arg| match arg.sort(self.vars) {
                        Sort::Bits(width) => width,
                        Sort::Bool | Sort::Array(..) => 0,
                    })
                    .collect();
                apply(*op, indices, *sort, &values, &widths)
            }
        }
    }
}

fn apply(op: Op, indices: &[u32], sort: Sort, args: &[Value], widths: &[u32]) -> Value {
    match op {
        Op::Not => Value::Bool(!args[0].bool()),
        Op::And => Value::Bool(args.iter().all(Value::bool)),
        Op::Or => Value::Bool(args.iter().any(Value::bool)),
        Op::Xor => Value::Bool(args.iter().filter(|arg| arg.bool()).count() % 2 == 1),
        Op::Implies => {
            let (last, first) = args.split_last().expect("there should be arguments");
            Value::Bool(last.bool() || !first.iter().all(Value::bool))
        }
        Op::Eq => Value::Bool(args.windows(2).all(|pair| pair[0] == pair[1])),
        Op::Distinct => Value::Bool((0..args.len()).all(|i| !args[..i].contains(&args[i]))),
        Op::Ite => args[if args[0].bool() { 1 } else { 2 }].clone(),
        Op::Select => Value::Bits(args[0].select(args[1].number())),
        Op::Store => {
            let mut array = args[0].clone();
            array.store(args[1].number(), args[2].number());
            array
        }
        Op::ConstArray => match sort {
            Sort::Array(index, _) => Value::constant_array(index, args[0].number()),
            Sort::Bool | Sort::Bits(_) => panic!("an array should be made"),
        },
        _ => {
            let numbers: Vec<u128> = args.iter().map(Value::number).collect();
            apply_words(op, indices, &numbers, widths)
        }
    }
}

fn signed(value: u128, width: u32) -> i128 {
    ((value << (128 - width)) as i128) >> (128 - width)
}

fn udiv(a: u128, b: u128, width: u32) -> u128 {
    a.checked_div(b).unwrap_or(mask(width))
}

fn urem(a: u128, b: u128) -> u128 {
    a.checked_rem(b).unwrap_or(a)
}

/// By the definitions, with magnitudes and signs.
fn divide_signed(op: Op, a: u128, b: u128, width: u32) -> u128 {
    let negate = |value: u128| value.wrapping_neg() & mask(width);
    let is_negative = |value: u128| value >> (width - 1) & 1 == 1;
    let magnitude = |value: u128| if is_negative(value) { negate(value) } else { value };
    let (x, y) = (magnitude(a), magnitude(b));
    match (op, is_negative(a), is_negative(b)) {
        (Op::BvSdiv, a, b) if a != b => negate(udiv(x, y, width)),
        (Op::BvSdiv, ..) => udiv(x, y, width),
        (Op::BvSrem, true, _) => negate(urem(x, y)),
        (Op::BvSrem, false, _) => urem(x, y),
        (_, a_negative, b_negative) => {
            let rest = urem(x, y);
            match (a_negative, b_negative) {
                _ if rest == 0 => 0,
                (false, false) => rest,
                (true, false) => negate(rest).wrapping_add(b) & mask(width),
                (false, true) => rest.wrapping_add(b) & mask(width),
                (true, true) => negate(rest),
            }
        }
    }
}

/// Whether the exact product of signed numbers does not fit.
fn smul_overflows(a: i128, b: i128, width: u32) -> bool {
    match a.checked_mul(b) {
        None => true,
        Some(product) => product < -(1i128 << (width - 1)) || product > (1i128 << (width - 1)) - 1,
    }
}

fn apply_words(op: Op, indices: &[u32], args: &[u128], widths: &[u32]) -> Value {
    let (a, width) = (args[0], widths[0]);
    let b = args.get(1).copied().unwrap_or(0);
    let (sa, sb) = (signed(a, width), signed(b, width));
    let (low, high) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
    let fold = |op: fn(u128, u128) -> u128| args[1..].iter().fold(a, |x, &y| op(x, y));
    let rotate_left = |by: u32| match by % width {
        0 => a,
        by => a << by | a >> (width - by),
    };
    let number = match op {
        Op::BvNegO => return Value::Bool(sa == low),
        Op::BvUlt => return Value::Bool(a < b),
        Op::BvUle => return Value::Bool(a <= b),
        Op::BvUgt => return Value::Bool(a > b),
        Op::BvUge => return Value::Bool(a >= b),
        Op::BvSlt => return Value::Bool(sa < sb),
        Op::BvSle => return Value::Bool(sa <= sb),
        Op::BvSgt => return Value::Bool(sa > sb),
        Op::BvSge => return Value::Bool(sa >= sb),
        Op::BvUaddO => return Value::Bool(a + b > mask(width)),
        Op::BvSaddO => return Value::Bool(sa + sb < low || sa + sb > high),
        Op::BvUmulO => return Value::Bool(a.checked_mul(b).is_none_or(|product| product > mask(width))),
        Op::BvSmulO => return Value::Bool(smul_overflows(sa, sb, width)),
        Op::BvUsubO => return Value::Bool(a < b),
        Op::BvSsubO => return Value::Bool(sa - sb < low || sa - sb > high),
        Op::BvSdivO => return Value::Bool(sa == low && sb == -1),
        Op::BvNot => !a,
        Op::BvNeg => a.wrapping_neg(),
        Op::BvAdd => fold(u128::wrapping_add),
        Op::BvMul => fold(u128::wrapping_mul),
        Op::BvAnd => fold(|x, y| x & y),
        Op::BvOr => fold(|x, y| x | y),
        Op::BvXor => fold(|x, y| x ^ y),
        Op::BvSub => a.wrapping_sub(b),
        Op::BvUdiv => udiv(a, b, width),
        Op::BvUrem => urem(a, b),
        Op::BvSdiv | Op::BvSrem | Op::BvSmod => divide_signed(op, a, b, width),
        Op::BvShl => {
            if b >= u128::from(width) {
                0
            } else {
                a << b
            }
        }
        Op::BvLshr => {
            if b >= u128::from(width) {
                0
            } else {
                a >> b
            }
        }
        Op::BvAshr => (sa >> b.min(u128::from(width) - 1)) as u128,
        Op::BvNand => !(a & b),
        Op::BvNor => !(a | b),
        Op::BvXnor => !(a ^ b),
        Op::BvComp => return Value::Bits(u128::from(a == b)),
        Op::Concat => return Value::Bits(a << widths[1] | b),
        Op::Extract => return Value::Bits(a >> indices[1] & mask(indices[0] - indices[1] + 1)),
        Op::ZeroExtend => return Value::Bits(a),
        Op::SignExtend => return Value::Bits(sa as u128 & mask(width + indices[0])),
        Op::RotateLeft => rotate_left(indices[0]),
        Op::RotateRight => rotate_left(width - indices[0] % width),
        Op::Repeat => return Value::Bits((0..indices[0]).fold(0, |sum, copy| sum | a << (copy * width))),
        Op::Not | Op::And | Op::Or | Op::Xor | Op::Implies | Op::Eq | Op::Distinct | Op::Ite => {
            panic!("{op:?} is not of words")
        }
        Op::Select | Op::Store | Op::ConstArray => panic!("{op:?} is of arrays"),
    };
    Value::Bits(number & mask(width))
}
