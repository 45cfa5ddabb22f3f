//! Sums in linear normal form, products, quotients and remainders.
//!
//! A sum is one flat node whose terms are sorted and whose factors are collected, so that the straight-line arithmetic of a
//! thread (`x + 1 + 1 - x`) folds while it is built.

use super::{Bits, Node, Sort, Term, Terms};

/// Maximum length of a sum that is merged into others: repeated merging would be quadratic.
const LONGEST_SUM: usize = 32;

/// A sum under construction: not yet sorted, factors not yet collected.
pub(super) struct Linear {
    pub(super) constant: Bits,
    pub(super) monomials: Vec<(Bits, Term)>,
}

impl Linear {
    fn zero(width: u32) -> Linear {
        Linear { constant: Bits::zero(width), monomials: Vec::new() }
    }
}

impl Terms {
    /// A bit-vector constant.
    pub fn bits(&mut self, bits: Bits) -> Term {
        let sort = Sort::Bits(bits.width());
        self.intern(Node::Bits(bits), sort)
    }

    /// The low bits of a number.
    pub fn number(&mut self, width: u32, value: u64) -> Term {
        self.bits(Bits::from_u64(width, value))
    }

    /// Adds `factor * term`.
    fn collect(&self, linear: &mut Linear, factor: &Bits, term: Term) {
        match self.node(term) {
            Node::Bits(bits) => linear.constant = linear.constant.add(&factor.mul(bits)),
            Node::Sum(constant, monomials) if monomials.len() <= LONGEST_SUM => {
                linear.constant = linear.constant.add(&factor.mul(constant));
                linear.monomials.extend(monomials.iter().map(|(inner, term)| (factor.mul(inner), *term)));
            }
            // ~a is -a - 1.
            Node::BitNot(inner) => {
                linear.constant = linear.constant.sub(factor);
                self.collect(linear, &factor.neg(), *inner);
            }
            _ => linear.monomials.push((factor.clone(), term)),
        }
    }

    /// `a - b`, collected.
    pub(super) fn difference(&self, a: Term, b: Term) -> Linear {
        let width = self.width(a);
        let mut linear = Linear::zero(width);
        self.collect(&mut linear, &Bits::one(width), a);
        self.collect(&mut linear, &Bits::ones(width), b);
        normalise(linear)
    }

    /// The term for a sum. A sum that begins with a negative factor is written as the bitwise negation of one that does
    /// not (`-s - 1`), so that `a - b` and `b - a` share their adder.
    pub(super) fn linear(&mut self, linear: Linear) -> Term {
        let Linear { constant, monomials } = normalise(linear);
        let width = constant.width();
        let Some((leading, _)) = monomials.first() else { return self.bits(constant) };
        if leading.is_negative() && *leading != Bits::sign(width) {
            let monomials = monomials.into_iter().map(|(factor, term)| (factor.neg(), term)).collect();
            let negated = self.sum_node(constant.not(), monomials);
            let by_parts = self.bit_not_by_parts(negated);
            return by_parts.unwrap_or_else(|| self.intern(Node::BitNot(negated), Sort::Bits(width)));
        }
        self.sum_node(constant, monomials)
    }

    fn sum_node(&mut self, constant: Bits, monomials: Vec<(Bits, Term)>) -> Term {
        match &monomials[..] {
            [(factor, term)] if factor.is_one() && constant.is_zero() => *term,
            _ => {
                let sort = Sort::Bits(constant.width());
                self.intern(Node::Sum(constant, monomials.into()), sort)
            }
        }
    }

    /// Sum of terms with factors.
    pub fn linear_sum(&mut self, constant: Bits, monomials: impl IntoIterator<Item = (Bits, Term)>) -> Term {
        let mut linear = Linear { constant, monomials: Vec::new() };
        for (factor, term) in monomials {
            assert_eq!(self.width(term), factor.width(), "widths should agree");
            self.collect(&mut linear, &factor, term);
        }
        self.linear(linear)
    }

    /// Sum.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        self.linear_sum(Bits::zero(width), [(Bits::one(width), a), (Bits::one(width), b)])
    }

    /// Difference.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        self.linear_sum(Bits::zero(width), [(Bits::one(width), a), (Bits::ones(width), b)])
    }

    /// Two's complement.
    pub fn neg(&mut self, a: Term) -> Term {
        let width = self.width(a);
        self.linear_sum(Bits::zero(width), [(Bits::ones(width), a)])
    }

    /// The term times a constant.
    pub fn scale(&mut self, factor: Bits, a: Term) -> Term {
        self.linear_sum(Bits::zero(factor.width()), [(factor, a)])
    }

    /// Product.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        assert_eq!(self.width(a), self.width(b), "widths should agree");
        if let Some(factor) = self.as_bits(a).cloned() {
            return self.scale(factor, b);
        }
        if let Some(factor) = self.as_bits(b).cloned() {
            return self.scale(factor, a);
        }
        // Factors come out: (3*x) * y is 3 * (x*y).
        let (outer, a) = self.split_factor(a);
        let (inner, b) = self.split_factor(b);
        let (a, b) = (a.min(b), a.max(b));
        let sort = self.sort(a);
        let product = self.intern(Node::Mul(a, b), sort);
        self.scale(outer.mul(&inner), product)
    }

    /// The factor of a sum that is only one term with a factor.
    fn split_factor(&self, a: Term) -> (Bits, Term) {
        match self.node(a) {
            Node::Sum(constant, monomials) if constant.is_zero() && monomials.len() == 1 => monomials[0].clone(),
            _ => (Bits::one(self.width(a)), a),
        }
    }

    /// Unsigned quotient; all ones if the divisor is zero.
    pub fn udiv(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "widths should agree");
        if let Some(divisor) = self.as_bits(b).cloned() {
            if let Some(dividend) = self.as_bits(a) {
                let quotient = dividend.udiv(&divisor);
                return self.bits(quotient);
            }
            if divisor.is_zero() {
                return self.bits(Bits::ones(width));
            }
            if let Some(exponent) = divisor.exponent() {
                let by = self.number(width, u64::from(exponent));
                return self.lshr(a, by);
            }
        }
        self.intern(Node::Udiv(a, b), Sort::Bits(width))
    }

    /// Unsigned remainder; the dividend if the divisor is zero.
    pub fn urem(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "widths should agree");
        if let Some(divisor) = self.as_bits(b).cloned() {
            if let Some(dividend) = self.as_bits(a) {
                let rest = dividend.urem(&divisor);
                return self.bits(rest);
            }
            if divisor.is_zero() {
                return a;
            }
            match divisor.exponent() {
                Some(0) => return self.bits(Bits::zero(width)),
                Some(exponent) => {
                    let low = self.extract(exponent - 1, 0, a);
                    return self.zero_extend(width - exponent, low);
                }
                None => {}
            }
        }
        if a == b {
            return self.bits(Bits::zero(width));
        }
        self.intern(Node::Urem(a, b), Sort::Bits(width))
    }
}

/// Sorted by term, each term once, without zero factors.
fn normalise(mut linear: Linear) -> Linear {
    linear.monomials.sort_unstable_by_key(|&(_, term)| term);
    linear.monomials.dedup_by(|later, earlier| {
        let is_same = later.1 == earlier.1;
        if is_same {
            earlier.0 = earlier.0.add(&later.0);
        }
        is_same
    });
    linear.monomials.retain(|(factor, _)| !factor.is_zero());
    linear
}
