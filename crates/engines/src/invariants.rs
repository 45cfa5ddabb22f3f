//! Exports invariants as C conditions ([`ir::invariants`]), for `impact` and `tar`.
//!
//! Operators that C lacks are left out. Signedness is unknown here: comparisons are written as signed unless the
//! formula says otherwise, so the output is a candidate that has to be checked.

use ir::invariants::{Comparison, Condition, Fact, Form, Term as Number};
use ir::LocalId;
use smt::term::Node;
use smt::{Bits, Sort, Term, Terms};
use std::collections::BTreeSet;

/// Maximum length of a condition; longer ones are unreadable.
const LONGEST: usize = 100;

/// Maps a variable of a formula to its C name at the location of a thread, and to the local of the thread's function;
/// none if it has no name there.
pub(crate) type Name<'n> = &'n dyn Fn(Term) -> Option<(String, Option<LocalId>)>;

/// A formula as a condition.
pub(crate) fn fact(terms: &Terms, name: Name<'_>, formula: Term) -> Option<Fact> {
    let mut locals = BTreeSet::new();
    for variable in terms.variables(&[formula]) {
        locals.extend(name(variable)?.1);
    }
    let condition = Condition::new(Writer { terms, name }.condition(formula)?);
    (condition.text().len() <= LONGEST).then_some(Fact { condition, locals })
}

/// The fact that a variable equals a number.
pub(crate) fn number((name, local): (String, Option<LocalId>), number: &Bits) -> Option<Fact> {
    let form = Form::Compare(Number::Name(name), Comparison::Equal, constant(number)?);
    Some(Fact { condition: Condition::new(form), locals: local.into_iter().collect() })
}

/// Prints formulas.
struct Writer<'w> {
    terms: &'w Terms,
    name: Name<'w>,
}

impl Writer<'_> {
    fn condition(&self, formula: Term) -> Option<Form> {
        match self.terms.node(formula) {
            Node::Var(..) => Some(Form::Holds(Number::Name((self.name)(formula)?.0))),
            Node::Not(inner) => self.negation(*inner),
            Node::And(args) => Some(Form::All(args.iter().map(|arg| self.condition(*arg)).collect::<Option<_>>()?)),
            Node::Eq(a, b) => self.comparison(*a, Comparison::Equal, *b, false),
            Node::Slt(a, b) => self.comparison(*a, Comparison::Less, *b, false),
            Node::Ult(a, b) => self.comparison(*a, Comparison::Less, *b, true),
            _ => None,
        }
    }

    fn number(&self, term: Term) -> Option<Number> {
        match self.terms.node(term) {
            Node::Bits(bits) => constant(bits),
            Node::Var(..) => Some(Number::Name((self.name)(term)?.0)),
            Node::Sum(constant, monomials) => self.sum(constant, monomials),
            Node::Mul(a, b) => Some(Number::Product(Box::new(self.number(*a)?), Box::new(self.number(*b)?))),
            // C widens numbers implicitly.
            Node::Concat(a, b) if self.terms.as_bits(*a).is_some_and(Bits::is_zero) => self.number(*b),
            Node::SignExtend(_, a) => self.number(*a),
            _ => None,
        }
    }

    fn comparison(&self, a: Term, comparison: Comparison, b: Term, is_unsigned: bool) -> Option<Form> {
        let terms = self.terms;
        // Constants go on the right.
        let is_symmetric = matches!(comparison, Comparison::Equal | Comparison::Unequal);
        let (a, b) = if is_symmetric && terms.as_bits(a).is_some() { (b, a) } else { (a, b) };
        let Sort::Bits(width) = terms.sort(a) else { return None };
        let side = |term: Term| match terms.as_bits(term) {
            _ if !is_unsigned => self.number(term),
            Some(bits) => Some(Number::Unsigned(bits.to_u128()?, width > 32)),
            None => Some(Number::Cast(unsigned(width)?, Box::new(self.number(term)?))),
        };
        Some(Form::Compare(side(a)?, comparison, side(b)?))
    }

    /// Eliminates a negation.
    fn negation(&self, formula: Term) -> Option<Form> {
        match self.terms.node(formula) {
            Node::Eq(a, b) => self.comparison(*a, Comparison::Unequal, *b, false),
            Node::Slt(a, b) => self.comparison(*b, Comparison::AtMost, *a, false),
            Node::Ult(a, b) => self.comparison(*b, Comparison::AtMost, *a, true),
            Node::And(args) => {
                let side = |arg: &Term| match self.terms.node(*arg) {
                    Node::Not(inner) => self.condition(*inner),
                    _ => self.negation(*arg),
                };
                Some(Form::Any(args.iter().map(side).collect::<Option<_>>()?))
            }
            _ => None,
        }
    }

    /// A linear sum: positive terms first, then negative ones.
    fn sum(&self, constant_part: &Bits, monomials: &[(Bits, Term)]) -> Option<Number> {
        let (mut added, mut subtracted) = (Vec::new(), Vec::new());
        for (factor, term) in monomials {
            let (side, factor) =
                if factor.is_negative() { (&mut subtracted, factor.neg()) } else { (&mut added, factor.clone()) };
            let term = self.number(*term)?;
            side.push(match factor.is_one() {
                true => term,
                false => Number::Product(Box::new(constant(&factor)?), Box::new(term)),
            });
        }
        if constant_part.is_negative() {
            subtracted.push(constant(&constant_part.neg())?);
        } else if !constant_part.is_zero() || added.is_empty() {
            added.push(constant(constant_part)?);
        }
        Some(Number::Sum(added, subtracted))
    }
}

/// The unsigned type of C with this width.
fn unsigned(width: u32) -> Option<&'static str> {
    match width {
        8 => Some("unsigned char"),
        16 => Some("unsigned short"),
        32 => Some("unsigned int"),
        64 => Some("unsigned long long"),
        _ => None,
    }
}

/// A signed C constant.
fn constant(bits: &Bits) -> Option<Number> {
    let is_negative = bits.width() > 1 && bits.is_negative();
    let size = i128::try_from(if is_negative { bits.neg() } else { bits.clone() }.to_u128()?).ok()?;
    Number::constant(if is_negative { -size } else { size })
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
            let fact = fact(&terms, &name, formula);
            assert_eq!(fact.as_ref().map(|fact| fact.condition.text()), expected);
        }
    }
}
