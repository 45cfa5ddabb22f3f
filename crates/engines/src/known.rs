//! What a proof says of a thread where it is, as expressions of C, for whoever writes it down for other programs. `impact` and `tar` tell
//! their proofs in this form.
//!
//! What C has no operator for is left out. Whether numbers have a sign is not known here: comparisons are written as those of
//! signed numbers unless the formula says otherwise, so what is written is a proposal that has to be checked.

use ir::{FunctionId, LocId, LocalId};
use smt::term::Node;
use smt::{Bits, Sort, Term, Terms};
use std::collections::BTreeSet;

/// Longer expressions are for nobody.
const LONGEST: usize = 100;

/// Something that holds, as an expression of C.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fact {
    /// The expression.
    pub text: String,
    /// The variables of the function that it mentions.
    pub locals: BTreeSet<LocalId>,
}

/// A thread at a place, in some of the states in which one can be there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Known {
    /// The function of the user's that the thread is in, and where.
    pub at: (FunctionId, LocId),
    /// What holds.
    pub facts: BTreeSet<Fact>,
    /// The functions with which threads began that have ended.
    pub ended: BTreeSet<FunctionId>,
}

/// What C calls a variable of a formula where a thread is, and which variable of the thread's function it is; none if it has no name there.
pub(crate) type Name<'n> = &'n dyn Fn(Term) -> Option<(String, Option<LocalId>)>;

impl Fact {
    /// A formula as an expression.
    pub(crate) fn new(terms: &Terms, name: Name<'_>, formula: Term) -> Option<Fact> {
        let mut locals = BTreeSet::new();
        for variable in terms.variables(&[formula]) {
            locals.extend(name(variable)?.1);
        }
        let text = Writer { terms, name }.text(formula)?.0;
        (text.len() <= LONGEST).then_some(Fact { text, locals })
    }

    /// That a variable is equal to a number.
    pub(crate) fn of_number((name, local): (String, Option<LocalId>), number: &Bits) -> Option<Fact> {
        Some(Fact { text: format!("{name} == {}", constant(number)?), locals: local.into_iter().collect() })
    }
}

/// How tightly an operator binds its arguments, the loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Comparison,
    Sum,
    Product,
    Atom,
}

/// Writes formulas.
struct Writer<'w> {
    terms: &'w Terms,
    name: Name<'w>,
}

impl Writer<'_> {
    fn text(&self, term: Term) -> Option<(String, Level)> {
        match self.terms.node(term) {
            Node::Bits(bits) => Some((constant(bits)?, Level::Atom)),
            Node::Var(..) => Some(((self.name)(term)?.0, Level::Atom)),
            Node::Not(inner) => self.negation(*inner),
            Node::And(args) => self.list(Level::And, args.iter().copied(), "&&"),
            Node::Eq(a, b) => self.comparison(*a, "==", *b, false),
            Node::Slt(a, b) => self.comparison(*a, "<", *b, false),
            Node::Ult(a, b) => self.comparison(*a, "<", *b, true),
            Node::Sum(constant, monomials) => self.sum(constant, monomials),
            Node::Mul(a, b) => {
                Some((format!("{} * {}", self.within(Level::Atom, *a)?, self.within(Level::Atom, *b)?), Level::Product))
            }
            // Numbers become wider by themselves.
            Node::Concat(a, b) if self.terms.as_bits(*a).is_some_and(Bits::is_zero) => self.text(*b),
            Node::SignExtend(_, a) => self.text(*a),
            Node::Bool(_)
            | Node::Ite(..)
            | Node::BitNot(_)
            | Node::BitAnd(_)
            | Node::BitXor(..)
            | Node::Udiv(..)
            | Node::Urem(..)
            | Node::Shl(..)
            | Node::Lshr(..)
            | Node::Ashr(..)
            | Node::Concat(..)
            | Node::Extract { .. }
            | Node::Select(..)
            | Node::Store(..)
            | Node::Const(..) => None,
        }
    }

    /// The text of a term that binds at least as tightly.
    fn within(&self, level: Level, term: Term) -> Option<String> {
        let (text, own) = self.text(term)?;
        Some(if own < level { format!("({text})") } else { text })
    }

    fn list(&self, level: Level, args: impl Iterator<Item = Term>, operator: &str) -> Option<(String, Level)> {
        let sides: Option<Vec<String>> = args.map(|arg| self.within(Level::Comparison, arg)).collect();
        Some((sides?.join(&format!(" {operator} ")), level))
    }

    fn comparison(&self, a: Term, operator: &str, b: Term, is_unsigned: bool) -> Option<(String, Level)> {
        let terms = self.terms;
        // A constant looks better on the right.
        let is_symmetric = matches!(operator, "==" | "!=");
        let (a, b) = if is_symmetric && terms.as_bits(a).is_some() { (b, a) } else { (a, b) };
        let width = match terms.sort(a) {
            Sort::Bits(width) => width,
            _ => return None,
        };
        let cast = match width {
            _ if !is_unsigned => "",
            8 => "(unsigned char)",
            16 => "(unsigned short)",
            32 => "(unsigned int)",
            64 => "(unsigned long long)",
            _ => return None,
        };
        let side = |term: Term| match terms.as_bits(term).filter(|_| is_unsigned) {
            Some(bits) => Some(format!("{}{}", bits.to_u128()?, if width > 32 { "ULL" } else { "U" })),
            None if is_unsigned => Some(format!("{cast}{}", self.within(Level::Atom, term)?)),
            None => self.within(Level::Sum, term),
        };
        Some((format!("{} {operator} {}", side(a)?, side(b)?), Level::Comparison))
    }

    /// What a negation says without one.
    fn negation(&self, term: Term) -> Option<(String, Level)> {
        match self.terms.node(term) {
            Node::Eq(a, b) => self.comparison(*a, "!=", *b, false),
            Node::Slt(a, b) => self.comparison(*b, "<=", *a, false),
            Node::Ult(a, b) => self.comparison(*b, "<=", *a, true),
            Node::And(args) => {
                let sides: Option<Vec<String>> = args
                    .iter()
                    .map(|&arg| match self.terms.node(arg) {
                        Node::Not(inner) => self.within(Level::Comparison, *inner),
                        _ => self.negation(arg).map(|(text, level)| match level {
                            Level::Or | Level::And => format!("({text})"),
                            Level::Comparison | Level::Sum | Level::Product | Level::Atom => text,
                        }),
                    })
                    .collect();
                Some((sides?.join(" || "), Level::Or))
            }
            _ => None,
        }
    }

    /// A linear sum: what is positive first, then what is subtracted.
    fn sum(&self, constant_part: &Bits, monomials: &[(Bits, Term)]) -> Option<(String, Level)> {
        let (mut added, mut subtracted) = (Vec::new(), Vec::new());
        for (factor, term) in monomials {
            let (side, factor) =
                if factor.is_negative() { (&mut subtracted, factor.neg()) } else { (&mut added, factor.clone()) };
            side.push(match factor.is_one() {
                true => self.within(Level::Product, *term)?,
                false => format!("{} * {}", constant(&factor)?, self.within(Level::Atom, *term)?),
            });
        }
        if constant_part.is_negative() {
            subtracted.push(constant(&constant_part.neg())?);
        } else if !constant_part.is_zero() || added.is_empty() {
            added.push(constant(constant_part)?);
        }
        let text = added.join(" + ");
        Some((subtracted.into_iter().fold(text, |text, part| format!("{text} - {part}")), Level::Sum))
    }
}

/// A constant of C, as signed; none for the least number of a type, which has no constant.
fn constant(bits: &Bits) -> Option<String> {
    let is_negative = bits.width() > 1 && bits.is_negative();
    let size = if is_negative { bits.neg() } else { bits.clone() }.to_u128()?;
    let suffix = match size {
        _ if i32::try_from(size).is_ok() => "",
        _ if i64::try_from(size).is_ok() => "LL",
        _ => return None,
    };
    Some(format!("{}{size}{suffix}", if is_negative { "-" } else { "" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_expressions() {
        let mut terms = Terms::new();
        let [x, y, hidden] = ["x", "y", "hidden"].map(|name| terms.variable(name, Sort::Bits(32)));
        let [zero, three, minus] = [0, 3, -2].map(|value| terms.bits(Bits::from_i128(32, value)));
        let sum = terms.add(y, three);
        let difference = terms.add(y, minus);
        let equal = terms.eq(x, sum);
        let less = terms.slt(x, difference);
        let below = terms.ult(x, three);
        let other = terms.eq(hidden, zero);
        let at_most = terms.not(less);
        let both = terms.and2(equal, below);
        let either = terms.not(both);
        let masked = terms.bit_and([x, y]);
        let is_masked = terms.eq(masked, zero);
        for (formula, expected) in [
            (equal, Some("x == y + 3")),
            (less, Some("x < y - 2")),
            (at_most, Some("y - 2 <= x")),
            (below, Some("(unsigned int)x < 3U")),
            (either, Some("x != y + 3 || 3U <= (unsigned int)x")),
            (other, None),
            (is_masked, None),
        ] {
            let name = |variable: Term| {
                let name = [(x, "x"), (y, "y")].into_iter().find(|(own, _)| *own == variable)?.1;
                Some((name.to_owned(), None))
            };
            let fact = Fact::new(&terms, &name, formula);
            assert_eq!(fact.map(|fact| fact.text).as_deref(), expected);
        }
    }
}
