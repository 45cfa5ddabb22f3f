//! C expressions in witnesses, and their values in a state of a run. Integers only: variables (no members, elements or
//! dereferences), constants, the operators without side effects, and `\result`. Whether a variable is signed is not known at this
//! level: numbers are compared modulo the variable's width for equality, and as signed numbers otherwise unless the other side
//! does not fit. An expression that cannot be evaluated has no value and never counts as true.

use super::text::is_word;
use interp::state::State;
use interp::value::{ObjRef, Value};
use interp::{cell, Machine};
use ir::{AllocKind, Stmt, Type};

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expression {
    /// A constant.
    Number(i128),
    /// A variable.
    Name(String),
    /// The result of a function.
    Result,
    /// `-`, `+`, `!` or `~` applied to an operand.
    Unary(char, Box<Expression>),
    /// A binary operator with its operands.
    Binary(String, Box<Expression>, Box<Expression>),
}

/// The operators by precedence, the loosest first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// A number, or the value of an undefined variable, which may be anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Number {
    /// A number, and the width of the variable it comes from.
    Known(i128, Option<u16>),
    /// Anything.
    Any,
}

impl Expression {
    /// Parses an expression; `None` if it is not supported.
    pub fn parse(text: &str) -> Option<Expression> {
        let tokens = tokens(text.trim().trim_end_matches(';'))?;
        let mut parser = Parser { tokens, next: 0 };
        let expression = parser.level(0)?;
        (parser.next == parser.tokens.len()).then_some(expression)
    }

    /// The constants in it, also with a preceding minus.
    pub fn constants(&self, found: &mut Vec<i128>) {
        match self {
            Expression::Number(number) => found.extend([*number, -*number]),
            Expression::Name(_) | Expression::Result => {}
            Expression::Unary(_, arg) => arg.constants(found),
            Expression::Binary(_, lhs, rhs) => {
                lhs.constants(found);
                rhs.constants(found);
            }
        }
    }

    /// Whether it holds, given the values of names and of `\result`.
    pub(crate) fn holds(&self, value_of: &dyn Fn(Option<&str>) -> Option<Number>) -> Option<bool> {
        match self.value(value_of)? {
            Number::Known(number, _) => Some(number != 0),
            Number::Any => Some(true),
        }
    }

    fn value(&self, value_of: &dyn Fn(Option<&str>) -> Option<Number>) -> Option<Number> {
        match self {
            Expression::Number(number) => Some(Number::Known(*number, None)),
            Expression::Name(name) => value_of(Some(name)),
            Expression::Result => value_of(None),
            Expression::Unary(op, arg) => match arg.value(value_of)? {
                Number::Any => Some(Number::Any),
                Number::Known(number, width) => Some(match op {
                    '-' => Number::Known(-number, None),
                    '!' => Number::Known(i128::from(number == 0), None),
                    '~' => Number::Known(!number, None),
                    _ => Number::Known(number, width),
                }),
            },
            Expression::Binary(op, lhs, rhs) => {
                let left = lhs.value(value_of);
                let decided = match (op.as_str(), left) {
                    ("&&", Some(Number::Known(0, _))) => Some(0),
                    ("||", Some(Number::Known(number, _))) if number != 0 => Some(1),
                    _ => None,
                };
                if let Some(decided) = decided {
                    return Some(Number::Known(decided, None));
                }
                match (left?, rhs.value(value_of)?) {
                    (Number::Any, Number::Known(0, _)) if op == "&&" => Some(Number::Known(0, None)),
                    (Number::Any, _) | (_, Number::Any) => Some(Number::Any),
                    (Number::Known(a, width_a), Number::Known(b, width_b)) => {
                        apply(op, (a, width_a), (b, width_b)).map(|number| Number::Known(number, None))
                    }
                }
            }
        }
    }
}

fn apply(op: &str, (a, width_a): (i128, Option<u16>), (b, width_b): (i128, Option<u16>)) -> Option<i128> {
    let width = width_a.or(width_b);
    let (mut low, mut high) = (a, b);
    if let Some(width) = width.filter(|width| *width < 127) {
        let fits = |number: i128| number >= -(1 << (width - 1)) && number < 1 << (width - 1);
        let is_unsigned = (width_a.is_none() && !fits(a) && a >= 0) || (width_b.is_none() && !fits(b) && b >= 0);
        if is_unsigned {
            low &= (1 << width) - 1;
            high &= (1 << width) - 1;
        }
    }
    let truth = |holds: bool| Some(i128::from(holds));
    match op {
        "==" => truth(low == high),
        "!=" => truth(low != high),
        "<" => truth(low < high),
        "<=" => truth(low <= high),
        ">" => truth(low > high),
        ">=" => truth(low >= high),
        "&&" => truth(a != 0 && b != 0),
        "||" => truth(a != 0 || b != 0),
        "|" => Some(a | b),
        "^" => Some(a ^ b),
        "&" => Some(a & b),
        "<<" => a.checked_shl(u32::try_from(b).ok()?),
        ">>" => a.checked_shr(u32::try_from(b).ok()?),
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "/" => a.checked_div(b),
        "%" => a.checked_rem(b),
        _ => None,
    }
}

/// A value as a number.
pub(crate) fn number(value: Value, width: u16) -> Option<Number> {
    match value {
        Value::Undef => Some(Number::Any),
        Value::Int(bits) => {
            let signed =
                if width < 128 && bits >> (width - 1) & 1 == 1 { bits as i128 - (1 << width) } else { bits as i128 };
            Some(Number::Known(signed, Some(width)))
        }
        Value::Ptr(pointer) if pointer.is_null() => Some(Number::Known(0, None)),
        Value::Ptr(_) => None,
    }
}

/// The value of a variable, as visible in the current function of a thread.
pub(crate) fn variable(machine: &Machine<'_>, state: &State, thread: u32, name: &str) -> Option<Number> {
    let program = machine.program;
    let frame = state.find_thread(u64::from(thread))?.frames.last()?;
    let function = &program.functions[frame.function];
    let content = |object: ObjRef| {
        let size = state.object(object)?.size();
        let value = (size <= 8).then(|| cell(&machine.layout(), state, object, false, 0, size)).flatten()?;
        number(value, size as u16 * 8)
    };
    if let Some((local, item)) = function.locals.enumerate().find(|(_, local)| local.name == name) {
        let value = *frame.locals.get(base::Id::index(local))?;
        let is_memory = function
            .edges
            .iter()
            .any(|edge| matches!(&edge.stmt, Stmt::Alloc { dst, kind: AllocKind::Stack, .. } if *dst == local));
        return match (value, item.ty) {
            (Value::Ptr(pointer), _) if is_memory => content(pointer.object),
            (value, Type::Int(width)) => number(value, width),
            (value, _) => number(value, program.data_model.pointer_width()),
        };
    }
    content(ObjRef::Static(program.object_named(name)?))
}

fn tokens(text: &str) -> Option<Vec<String>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("\\result") {
            "\\result".len()
        } else if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
        } else {
            let two = ["||", "&&", "==", "!=", "<=", ">=", "<<", ">>"].iter().any(|sign| rest.starts_with(sign));
            match first {
                _ if two => 2,
                '|' | '^' | '&' | '<' | '>' | '+' | '-' | '*' | '/' | '%' | '!' | '~' | '(' | ')' => 1,
                _ => return None,
            }
        };
        tokens.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    Some(tokens)
}

struct Parser {
    tokens: Vec<String>,
    next: usize,
}

impl Parser {
    fn peek(&self) -> &str {
        self.tokens.get(self.next).map_or("", String::as_str)
    }

    fn level(&mut self, level: usize) -> Option<Expression> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        while operators.contains(&self.peek()) {
            let op = self.peek().to_owned();
            self.next += 1;
            let right = self.level(level + 1)?;
            left = Expression::Binary(op, Box::new(left), Box::new(right));
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Expression> {
        let token = self.peek().to_owned();
        self.next += 1;
        match token.as_str() {
            "-" | "+" | "!" | "~" => {
                let op = token.chars().next()?;
                Some(Expression::Unary(op, Box::new(self.unary()?)))
            }
            "(" => {
                let inner = self.level(0)?;
                self.next += 1;
                (self.tokens.get(self.next - 1)? == ")").then_some(inner)
            }
            "\\result" => Some(Expression::Result),
            word if is_word(word) => Some(Expression::Name(word.to_owned())),
            digits => constant(digits).map(Expression::Number),
        }
    }
}

/// A constant of C: decimal, hexadecimal or octal, with a suffix.
fn constant(text: &str) -> Option<i128> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => i128::from_str_radix(hex, 16).ok(),
        None if digits.len() > 1 && digits.starts_with('0') => i128::from_str_radix(digits, 8).ok(),
        None => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str) -> Option<bool> {
        let value_of = |name: Option<&str>| match name {
            None => Some(Number::Known(-1, Some(32))),
            Some("x") => Some(Number::Known(3, Some(32))),
            Some("c") => Some(Number::Known(-1, Some(8))),
            Some("u") => Some(Number::Any),
            Some(_) => None,
        };
        Expression::parse(text)?.holds(&value_of)
    }

    #[test]
    fn expressions_have_values() {
        for (text, expected) in [
            ("1", Some(true)),
            ("x == 3 && !(x < 2)", Some(true)),
            ("x + 1 * 2 == 0x5", Some(true)),
            ("x == 4 || c == 255", Some(true)),
            ("c > 200U", Some(true)),
            ("\\result == 4294967295U", Some(true)),
            ("\\result == -1;", Some(true)),
            ("x - 1 - 1 == 1", Some(true)),
            ("u == 7", Some(true)),
            ("u == 7 && x == 2", Some(false)),
            ("y == 1", None),
            ("x == 2 && y == 1", Some(false)),
            ("x / 0", None),
            ("a[1] == 2", None),
            ("x = 3", None),
            ("(x", None),
            ("", None),
        ] {
            assert_eq!(holds(text), expected, "{text}");
        }
    }

    #[test]
    fn constants_are_collected() {
        let mut found = Vec::new();
        Expression::parse("x == -5 && y < 7").expect("it should be read").constants(&mut found);
        assert_eq!(found, [5, -5, 7, -7]);
    }
}
