//! Printing terms for people: with the operators of C, and numbers in decimal.
//!
//! Widths are left out, so this cannot be read back: `<u`, `/u`, `%u` and `>>u` take their arguments as unsigned, all else as
//! signed; `x[7:0]` are bits of `x`, `x ++ y` is `x` above `y`, and `m{i = v}` the array `m` with `v` at `i`.

use super::{Bits, Node, Term, Terms};
use rustc_hash::FxHashMap;

/// Maximum length of printed terms; longer ones are printed as SMT-LIB.
const MAX_PARTS: u64 = 500;

/// The precedence levels of operators, the loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Choice,
    Or,
    And,
    Bitwise,
    Comparison,
    Sum,
    Product,
    Unary,
    Atom,
}

impl Terms {
    /// The term in C-like notation; as SMT-LIB if it is too long for that.
    pub fn to_infix(&self, term: Term) -> String {
        let mut parts: FxHashMap<Term, u64> = FxHashMap::default();
        for part in self.below(&[term]) {
            let mut count = 1_u64;
            self.node(part).for_each_argument(|argument| count = count.saturating_add(parts[&argument]));
            parts.insert(part, count);
        }
        if parts[&term] > MAX_PARTS {
            return self.to_smtlib(term);
        }
        self.infix(term).0
    }

    /// The text of a term that binds at least as tightly.
    fn within(&self, level: Level, term: Term) -> String {
        let (text, own) = self.infix(term);
        if own < level {
            return format!("({text})");
        }
        text
    }

    /// Both arguments with the operator between them. Operators of the same level are only chained where they are
    /// written as lists.
    fn binary(&self, level: Level, a: Term, operator: &str, b: Term) -> (String, Level) {
        let side = |term: Term| {
            let (text, own) = self.infix(term);
            if own <= level {
                format!("({text})")
            } else {
                text
            }
        };
        (format!("{} {operator} {}", side(a), side(b)), level)
    }

    fn list(&self, level: Level, args: impl IntoIterator<Item = String>, operator: &str) -> (String, Level) {
        (args.into_iter().collect::<Vec<_>>().join(&format!(" {operator} ")), level)
    }

    fn infix(&self, term: Term) -> (String, Level) {
        let atom = |text: String| (text, Level::Atom);
        match self.node(term) {
            Node::Bool(value) => atom(value.to_string()),
            Node::Bits(bits) => number(bits),
            Node::Var(..) => atom(self.name(term).to_owned()),
            Node::Not(a) => self.negation(*a),
            Node::And(args) => self.list(Level::And, args.iter().map(|&arg| self.within(Level::Comparison, arg)), "&&"),
            Node::Eq(a, b) => {
                // Constants go on the right.
                let (a, b) = if matches!(self.node(*a), Node::Bits(_)) { (*b, *a) } else { (*a, *b) };
                self.binary(Level::Comparison, a, "==", b)
            }
            Node::Ite(a, b, c) => {
                let [a, b, c] = [*a, *b, *c].map(|term| self.within(Level::Or, term));
                (format!("{a} ? {b} : {c}"), Level::Choice)
            }
            Node::Ult(a, b) => self.binary(Level::Comparison, *a, "<u", *b),
            Node::Slt(a, b) => self.binary(Level::Comparison, *a, "<", *b),
            Node::BitNot(a) => match self.node(*a) {
                // The normal form of a sum whose first factor is negative: -1 minus another one.
                Node::Sum(constant, monomials) => {
                    let negated: Vec<(Bits, Term)> =
                        monomials.iter().map(|(factor, term)| (factor.neg(), *term)).collect();
                    self.sum(&constant.not(), &negated)
                }
                _ => (format!("~{}", self.within(Level::Unary, *a)), Level::Unary),
            },
            Node::BitAnd(args) => {
                self.list(Level::Bitwise, args.iter().map(|&arg| self.within(Level::Unary, arg)), "&")
            }
            Node::BitXor(a, b) => self.binary(Level::Bitwise, *a, "^", *b),
            Node::Sum(constant, monomials) => self.sum(constant, monomials),
            Node::Mul(a, b) => self.binary(Level::Product, *a, "*", *b),
            Node::Udiv(a, b) => self.binary(Level::Product, *a, "/u", *b),
            Node::Urem(a, b) => self.binary(Level::Product, *a, "%u", *b),
            Node::Shl(a, b) => self.binary(Level::Bitwise, *a, "<<", *b),
            Node::Lshr(a, b) => self.binary(Level::Bitwise, *a, ">>u", *b),
            Node::Ashr(a, b) => self.binary(Level::Bitwise, *a, ">>", *b),
            Node::Concat(a, b) if self.as_bits(*a).is_some_and(Bits::is_zero) => self.infix(*b),
            Node::Concat(a, b) => self.binary(Level::Bitwise, *a, "++", *b),
            Node::Extract { high, low, of } => atom(format!("{}[{high}:{low}]", self.within(Level::Atom, *of))),
            Node::SignExtend(_, a) => self.infix(*a),
            Node::Select(a, b) => atom(format!("{}[{}]", self.within(Level::Atom, *a), self.infix(*b).0)),
            Node::Store(a, b, c) => {
                let (at, value) = (self.infix(*b).0, self.infix(*c).0);
                atom(format!("{}{{{at} = {value}}}", self.within(Level::Atom, *a)))
            }
            Node::Const(_, a) => atom(format!("{{{}}}", self.infix(*a).0)),
        }
    }

    /// The negation as an operator of its own, if there is one.
    fn negation(&self, term: Term) -> (String, Level) {
        match self.node(term) {
            Node::Eq(a, b) => {
                let (a, b) = if matches!(self.node(*a), Node::Bits(_)) { (*b, *a) } else { (*a, *b) };
                self.binary(Level::Comparison, a, "!=", b)
            }
            Node::Ult(a, b) => self.binary(Level::Comparison, *b, "<=u", *a),
            Node::Slt(a, b) => self.binary(Level::Comparison, *b, "<=", *a),
            Node::And(args) => {
                let sides = args.iter().map(|&arg| {
                    let (text, level) = match self.node(arg) {
                        Node::Not(inner) => self.infix(*inner),
                        _ => self.negation(arg),
                    };
                    if level <= Level::Or {
                        format!("({text})")
                    } else {
                        text
                    }
                });
                self.list(Level::Or, sides, "||")
            }
            _ => (format!("!{}", self.within(Level::Unary, term)), Level::Unary),
        }
    }

    /// A linear sum: positive summands first, then the subtracted ones.
    fn sum(&self, constant: &Bits, monomials: &[(Bits, Term)]) -> (String, Level) {
        let product = |factor: &Bits, term: Term| {
            if factor.is_one() {
                self.within(Level::Product, term)
            } else {
                format!("{} * {}", number(factor).0, self.within(Level::Unary, term))
            }
        };
        let is_negative = |bits: &Bits| bits.width() > 1 && bits.is_negative();
        let (below, above): (Vec<_>, Vec<_>) = monomials.iter().partition(|(factor, _)| is_negative(factor));
        let mut added: Vec<String> = above.iter().map(|(factor, term)| product(factor, *term)).collect();
        let mut subtracted: Vec<String> = below.iter().map(|(factor, term)| product(&factor.neg(), *term)).collect();
        if is_negative(constant) {
            subtracted.push(magnitude(constant));
        } else if !constant.is_zero() {
            added.push(constant_text(constant));
        }
        if added.is_empty() {
            added.push("0".to_owned());
        }
        let level = if added.len() + subtracted.len() == 1 { Level::Product } else { Level::Sum };
        let mut text = added.join(" + ");
        for part in subtracted {
            text = format!("{text} - {part}");
        }
        (text, level)
    }
}

/// A constant, as signed if it has a sign.
fn number(bits: &Bits) -> (String, Level) {
    if bits.width() > 1 && bits.is_negative() {
        return (format!("-{}", magnitude(bits)), Level::Unary);
    }
    (constant_text(bits), Level::Atom)
}

/// A constant without its sign.
fn magnitude(bits: &Bits) -> String {
    constant_text(&bits.neg())
}

fn constant_text(bits: &Bits) -> String {
    bits.to_u128().map_or_else(|| bits.to_string(), |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::Sort;
    use super::*;

    #[test]
    fn terms_look_like_c() {
        let mut terms = Terms::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| terms.variable(name, Sort::Bits(32)));
        let number = |terms: &mut Terms, value: i128| terms.bits(Bits::from_i128(32, value));
        let (zero, one, minus) = (number(&mut terms, 0), number(&mut terms, 1), number(&mut terms, -3));
        let next = terms.add(x, one);
        let is_less = terms.slt(next, zero);
        let is_not = terms.not(is_less);
        assert_eq!(terms.to_infix(is_not), "0 <= x + 1");
        let sum = terms.add(y, minus);
        let is_equal = terms.eq(z, sum);
        let differs = terms.not(is_equal);
        assert_eq!(terms.to_infix(is_equal), "y == z + 3");
        assert_eq!(terms.to_infix(differs), "y != z + 3");
        let is_below = terms.ult(x, y);
        let both = terms.and2(is_less, is_below);
        let none = terms.not(both);
        let nested = terms.and2(none, is_equal);
        assert_eq!(terms.to_infix(none), "0 <= x + 1 || y <=u x");
        assert_eq!(terms.to_infix(nested), "y == z + 3 && (0 <= x + 1 || y <=u x)");
        let difference = terms.sub(x, y);
        let product = terms.mul(difference, z);
        assert_eq!(terms.to_infix(product), "z * (x - y)");
        let choice = terms.ite(is_below, product, minus);
        let is_choice = terms.slt(choice, x);
        assert_eq!(terms.to_infix(is_choice), "(x <u y ? z * (x - y) : -3) < x");
        let bits = terms.bit_and([x, y]);
        let is_masked = terms.eq(bits, zero);
        assert_eq!(terms.to_infix(is_masked), "(x & y) == 0");
    }

    #[test]
    fn what_is_long_when_it_is_written_out_is_smtlib() {
        let mut terms = Terms::new();
        let mut term = terms.variable("x", Sort::Bits(32));
        for _ in 0..40 {
            term = terms.mul(term, term);
        }
        assert!(terms.to_infix(term).starts_with("(let "));
    }
}
