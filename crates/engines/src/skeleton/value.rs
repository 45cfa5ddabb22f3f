//! Symbolic values: every value is a pair (object, bits), also integers, whose object is 0. A pointer's bits are its
//! offset. The highest bit of an object's number marks its ghost; [`ARBITRARY`] is the object of a pointer that was
//! never initialised.

use smt::{Bits, Sort, Term, Terms};

/// The width of object numbers.
pub(crate) const OBJECT_BITS: u32 = 16;
/// The bit of an object number that marks its ghost.
pub(crate) const GHOST: u16 = 0x8000;
/// The object of pointers that may point anywhere.
pub(crate) const ARBITRARY: u16 = 0x7fff;

/// A symbolic value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Value {
    /// The number of the object; 0 for integers and null.
    pub(crate) object: Term,
    /// The number, or the offset.
    pub(crate) bits: Term,
}

impl Value {
    /// An integer.
    pub(crate) fn int(terms: &mut Terms, bits: Term) -> Value {
        Value { object: terms.number(OBJECT_BITS, 0), bits }
    }

    /// A constant.
    pub(crate) fn constant(terms: &mut Terms, width: u32, value: u128) -> Value {
        let bits = terms.bits(Bits::from_u128(width, value));
        Value::int(terms, bits)
    }

    /// A pointer to an object.
    pub(crate) fn pointer(terms: &mut Terms, object: u16, width: u32, offset: u128) -> Value {
        let bits = terms.bits(Bits::from_u128(width, offset));
        Value { object: terms.number(OBJECT_BITS, u64::from(object)), bits }
    }

    /// `condition ? self : other`.
    pub(crate) fn or_else(self, terms: &mut Terms, condition: Term, other: Value) -> Value {
        Value {
            object: terms.ite(condition, self.object, other.object),
            bits: terms.ite(condition, self.bits, other.bits),
        }
    }

    /// Whether two values of one width are the same.
    pub(crate) fn equals(self, terms: &mut Terms, other: Value) -> Term {
        let objects = terms.eq(self.object, other.object);
        let bits = terms.eq(self.bits, other.bits);
        terms.and2(objects, bits)
    }

    /// Calls `change` with its terms.
    pub(crate) fn for_each_term(&mut self, change: &mut impl FnMut(&mut Term)) {
        change(&mut self.object);
        change(&mut self.bits);
    }

    /// Whether it is certainly an integer.
    pub(crate) fn is_plain(self, terms: &Terms) -> bool {
        terms.as_bits(self.object).is_some_and(Bits::is_zero)
    }
}

/// The constant value of a bit-vector term, if it has one that fits.
pub(crate) fn constant(terms: &Terms, term: Term) -> Option<u64> {
    terms.as_bits(term).and_then(Bits::to_u64)
}

/// The same for wide ones.
pub(crate) fn wide_constant(terms: &Terms, term: Term) -> Option<u128> {
    terms.as_bits(term).and_then(Bits::to_u128)
}

/// A Boolean as a bit-vector of width 1.
pub(crate) fn bit(terms: &mut Terms, condition: Term) -> Term {
    terms.bit_of(condition)
}

/// Whether a bit-vector is not 0.
pub(crate) fn is_set(terms: &mut Terms, bits: Term) -> Term {
    let zero = terms.bits(Bits::zero(terms.width(bits)));
    let is_zero = terms.eq(bits, zero);
    terms.not(is_zero)
}

/// A new variable of a width.
pub(crate) fn fresh(terms: &mut Terms, name: &str, width: u32) -> Term {
    terms.variable(name, Sort::Bits(width))
}

/// The conjuncts of a term.
pub(crate) fn conjuncts(terms: &Terms, term: Term) -> Vec<Term> {
    match terms.node(term) {
        smt::term::Node::And(parts) => parts.to_vec(),
        smt::term::Node::Bool(true) => vec![],
        _ => vec![term],
    }
}

/// Joins two path conditions: their common part, and a condition that distinguishes the first from the second.
///
/// The conditions of joining paths are exclusive, so what they do not share distinguishes them. For a diamond with `c`
/// and `!c` only the condition before it is left.
pub(crate) fn join(terms: &mut Terms, first: Term, second: Term) -> (Term, Term) {
    let (a, b) = (conjuncts(terms, first), conjuncts(terms, second));
    let common: Vec<Term> = a.iter().copied().filter(|part| b.contains(part)).collect();
    let only_a: Vec<Term> = a.iter().copied().filter(|part| !common.contains(part)).collect();
    let only_b: Vec<Term> = b.iter().copied().filter(|part| !common.contains(part)).collect();
    let (rest_a, rest_b) = (terms.and(only_a.iter().copied()), terms.and(only_b.iter().copied()));
    // A conjunct of one side whose complement is one of the other is the shortest distinction.
    let mut telling = rest_a;
    for &part in &only_a {
        let complement = terms.not(part);
        if only_b.contains(&complement) {
            telling = part;
            break;
        }
    }
    let either = terms.or2(rest_a, rest_b);
    let both = terms.and(common.into_iter().chain([either]));
    (both, telling)
}
