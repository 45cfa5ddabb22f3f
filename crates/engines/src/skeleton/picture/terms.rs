//! Terms in the notation of C, shortened where they are long.

use crate::skeleton::value::Value;
use rustc_hash::FxHashMap;
use smt::term::Node;
use smt::{Bits, Term, Terms};

/// Maximum nesting and length of a printed term.
const MAX_DEPTH: u32 = 6;
const MAX_CHARACTERS: usize = 80;

/// Names for variables.
pub(super) struct Words<'a> {
    pub(super) terms: &'a Terms,
    names: FxHashMap<Term, String>,
}

impl<'a> Words<'a> {
    pub(super) fn new(terms: &'a Terms) -> Words<'a> {
        Words { terms, names: FxHashMap::default() }
    }

    /// Names a variable; any other term keeps its own notation.
    pub(super) fn name(&mut self, term: Term, name: String) {
        if self.terms.is_variable(term) {
            self.names.entry(term).or_insert(name);
        }
    }

    /// A condition; empty if it always holds.
    pub(super) fn condition(&self, term: Term) -> String {
        match self.terms.as_bool(term) {
            Some(true) => String::new(),
            _ => self.term(term),
        }
    }

    pub(super) fn value(&self, value: Value) -> String {
        if value.is_plain(self.terms) {
            return self.term(value.bits);
        }
        format!("[{}]+{}", self.term(value.object), self.term(value.bits))
    }

    pub(super) fn term(&self, term: Term) -> String {
        let text = self.write(term, MAX_DEPTH);
        match text.char_indices().nth(MAX_CHARACTERS) {
            Some((index, _)) => format!("{}…", &text[..index]),
            None => text,
        }
    }

    fn number(bits: &Bits) -> String {
        let width = bits.width();
        match bits.to_u128() {
            // Small negative numbers are more readable than large ones.
            Some(_) if width > 8 && bits.is_negative() => {
                bits.neg().to_u128().map_or_else(String::new, |value| format!("-{value}"))
            }
            Some(value) => value.to_string(),
            None => format!("({width} bits)"),
        }
    }

    fn variable(&self, term: Term, number: u32) -> String {
        self.names.get(&term).cloned().unwrap_or_else(|| format!("{}{number}", self.terms.name(term)))
    }

    fn write(&self, term: Term, depth: u32) -> String {
        if depth == 0 {
            return "…".to_owned();
        }
        let part = |part: Term| self.write(part, depth - 1);
        let infix = |a: Term, operator: &str, b: Term| format!("({} {operator} {})", part(a), part(b));
        match self.terms.node(term) {
            Node::Bool(value) => value.to_string(),
            Node::Bits(bits) => Words::number(bits),
            Node::Var(number, _) => self.variable(term, *number),
            Node::Not(inner) => self.negated(*inner, depth),
            Node::And(parts) => {
                let parts: Vec<String> = parts.iter().map(|&inner| part(inner)).collect();
                parts.join(" && ")
            }
            Node::Eq(a, b) => {
                let (a, b) = self.constant_last(*a, *b);
                infix(a, "==", b)
            }
            Node::Ite(condition, then, otherwise) => {
                format!("({} ? {} : {})", part(*condition), part(*then), part(*otherwise))
            }
            Node::Ult(a, b) => infix(*a, "<u", *b),
            Node::Slt(a, b) => infix(*a, "<", *b),
            Node::BitNot(inner) => format!("~{}", part(*inner)),
            Node::BitAnd(parts) => {
                let parts: Vec<String> = parts.iter().map(|&inner| part(inner)).collect();
                format!("({})", parts.join(" & "))
            }
            Node::BitXor(a, b) => infix(*a, "^", *b),
            Node::Sum(constant, monomials) => {
                let mut parts: Vec<String> = monomials
                    .iter()
                    .map(|(factor, inner)| match factor.is_one() {
                        true => part(*inner),
                        false => format!("{}*{}", Words::number(factor), part(*inner)),
                    })
                    .collect();
                if !constant.is_zero() {
                    parts.push(Words::number(constant));
                }
                format!("({})", parts.join(" + "))
            }
            Node::Mul(a, b) => infix(*a, "*", *b),
            Node::Udiv(a, b) => infix(*a, "/u", *b),
            Node::Urem(a, b) => infix(*a, "%u", *b),
            Node::Shl(a, b) => infix(*a, "<<", *b),
            Node::Lshr(a, b) => infix(*a, ">>u", *b),
            Node::Ashr(a, b) => infix(*a, ">>", *b),
            Node::Concat(a, b) if self.terms.as_bits(*a).is_some_and(Bits::is_zero) => part(*b),
            Node::Concat(a, b) => infix(*a, "::", *b),
            Node::Extract { high, low, of } => format!("{}[{high}:{low}]", part(*of)),
            Node::SignExtend(_, inner) => part(*inner),
            Node::Select(array, index) => format!("{}[{}]", part(*array), part(*index)),
            Node::Store(array, index, value) => format!("{}[{} := {}]", part(*array), part(*index), part(*value)),
            Node::Const(_, value) => format!("[all {}]", part(*value)),
        }
    }

    fn constant_last(&self, a: Term, b: Term) -> (Term, Term) {
        if self.terms.as_bits(a).is_some() {
            (b, a)
        } else {
            (a, b)
        }
    }

    fn negated(&self, inner: Term, depth: u32) -> String {
        if depth == 0 {
            return "…".to_owned();
        }
        let part = |part: Term| self.write(part, depth - 1);
        match self.terms.node(inner) {
            Node::Eq(a, b) => {
                let (a, b) = self.constant_last(*a, *b);
                format!("({} != {})", part(a), part(b))
            }
            Node::Ult(a, b) => format!("({} >=u {})", part(*a), part(*b)),
            Node::Slt(a, b) => format!("({} >= {})", part(*a), part(*b)),
            // A disjunction is the negated conjunction of negations.
            Node::And(parts) => {
                let parts: Vec<String> = parts
                    .iter()
                    .map(|&inner| match self.terms.node(inner) {
                        Node::Not(positive) => part(*positive),
                        _ => self.negated(inner, depth - 1),
                    })
                    .collect();
                format!("({})", parts.join(" || "))
            }
            _ => format!("!{}", part(inner)),
        }
    }
}
