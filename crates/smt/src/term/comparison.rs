//! Equality of any sort, and the orders of bit-vectors.

use super::arithmetic::Linear;
use super::{Bits, Node, Sort, Term, Terms};

impl Terms {
    /// Equality.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        let sort = self.sort(a);
        assert_eq!(sort, self.sort(b), "both sides should have one sort");
        let (a, b) = (a.min(b), a.max(b));
        if a == b {
            return self.bool(true);
        }
        match sort {
            Sort::Bool => self.eq_bool(a, b),
            Sort::Array { .. } => self.intern(Node::Eq(a, b), Sort::Bool),
            Sort::Bits(_) => match (self.as_bits(a).cloned(), self.as_bits(b).cloned()) {
                (Some(_), Some(_)) => self.bool(false),
                (Some(bits), None) => self.eq_constant(b, &bits),
                (None, Some(bits)) => self.eq_constant(a, &bits),
                (None, None) => self.eq_bits(a, b),
            },
        }
    }

    /// Equality of a non-constant term with a constant.
    fn eq_constant(&mut self, a: Term, bits: &Bits) -> Term {
        let width = bits.width();
        match self.node(a).clone() {
            Node::Concat(..) => return self.eq_slices(a, bits),
            Node::BitNot(inner) => {
                let value = self.bits(bits.not());
                return self.eq(inner, value);
            }
            Node::SignExtend(by, inner) => {
                let low = bits.extract(width - by - 1, 0);
                if low.sign_extend(by) != *bits {
                    return self.bool(false);
                }
                let value = self.bits(low);
                return self.eq(inner, value);
            }
            Node::BitXor(x, y) => {
                let known = self.as_bits(x).map(|known| (known.clone(), y));
                let known = known.or_else(|| self.as_bits(y).map(|known| (known.clone(), x)));
                if let Some((known, other)) = known {
                    let value = self.bits(known.xor(bits));
                    return self.eq(other, value);
                }
                if bits.is_zero() {
                    return self.eq(x, y);
                }
            }
            Node::Ite(condition, then, otherwise)
                if self.as_bits(then).is_some() || self.as_bits(otherwise).is_some() =>
            {
                let value = self.bits(bits.clone());
                let then = self.eq(then, value);
                let otherwise = self.eq(otherwise, value);
                return self.ite(condition, then, otherwise);
            }
            Node::Sum(constant, monomials) => return self.eq_sum(&bits.sub(&constant), &monomials),
            _ => {}
        }
        let value = self.bits(bits.clone());
        self.intern(Node::Eq(a.min(value), a.max(value)), Sort::Bool)
    }

    /// Equality of a concatenation with a constant: of each part with a slice of it.
    fn eq_slices(&mut self, concatenation: Term, bits: &Bits) -> Term {
        let mut equalities = Vec::new();
        let (mut rest, mut end) = (concatenation, bits.width());
        while let Node::Concat(high, low) = *self.node(rest) {
            let cut = self.width(low);
            let value = self.bits(bits.extract(end - 1, cut));
            equalities.push(self.eq(high, value));
            (rest, end) = (low, cut);
        }
        let value = self.bits(bits.extract(end - 1, 0));
        equalities.push(self.eq(rest, value));
        self.and(equalities)
    }

    /// Equality of concatenations, split where both are cut at the same places.
    fn eq_parts(&mut self, mut a: Term, mut b: Term) -> Term {
        let mut equalities = Vec::new();
        while let (&Node::Concat(a_high, a_low), &Node::Concat(b_high, b_low)) = (self.node(a), self.node(b)) {
            if self.sort(a_low) != self.sort(b_low) {
                break;
            }
            equalities.push(self.eq(a_high, b_high));
            (a, b) = (a_low, b_low);
        }
        equalities.push(self.eq(a, b));
        self.and(equalities)
    }

    /// `monomials = value`.
    fn eq_sum(&mut self, value: &Bits, monomials: &[(Bits, Term)]) -> Term {
        let width = value.width();
        // All factors divisible by 2^shift: so must be the value, and the top bits do not matter.
        let shift = monomials.iter().map(|(factor, _)| factor.trailing_zeros()).min().unwrap_or(0);
        if value.trailing_zeros() < shift {
            return self.bool(false);
        }
        if shift > 0 {
            let halved: Vec<(Bits, Term)> = monomials
                .iter()
                .map(|(factor, term)| (factor.extract(width - 1, shift), self.extract(width - 1 - shift, 0, *term)))
                .collect();
            let sum = self.linear_sum(Bits::zero(width - shift), halved);
            let value = self.bits(value.extract(width - 1, shift));
            return self.eq(sum, value);
        }
        if let [(factor, term)] = monomials {
            // The factor is odd.
            let value = self.bits(factor.inverse().mul(value));
            return self.eq(*term, value);
        }
        let sum = self.linear(Linear { constant: Bits::zero(width), monomials: monomials.to_vec() });
        let value = self.bits(value.clone());
        self.intern(Node::Eq(sum.min(value), sum.max(value)), Sort::Bool)
    }

    /// Equality of two non-constant terms, `a < b`.
    fn eq_bits(&mut self, a: Term, b: Term) -> Term {
        match (self.node(a), self.node(b)) {
            (&Node::Concat(_, a_low), &Node::Concat(_, b_low)) if self.sort(a_low) == self.sort(b_low) => {
                return self.eq_parts(a, b);
            }
            (&Node::SignExtend(x, a), &Node::SignExtend(y, b)) if x == y => return self.eq(a, b),
            (&Node::Ite(condition, then, otherwise), _) if then == b || otherwise == b => {
                return self.eq_branch(condition, then, otherwise, b);
            }
            (_, &Node::Ite(condition, then, otherwise)) if then == a || otherwise == a => {
                return self.eq_branch(condition, then, otherwise, a);
            }
            (Node::Sum(..) | Node::BitNot(_), _) | (_, Node::Sum(..) | Node::BitNot(_)) => {
                return self.eq_linear(a, b);
            }
            _ => {}
        }
        self.intern(Node::Eq(a, b), Sort::Bool)
    }

    /// An if-then-else equal to one of its branches.
    fn eq_branch(&mut self, condition: Term, then: Term, otherwise: Term, value: Term) -> Term {
        let then = self.eq(then, value);
        let otherwise = self.eq(otherwise, value);
        self.ite(condition, then, otherwise)
    }

    /// Equality of sums: common summands are dropped, and the rest is sorted by sign.
    fn eq_linear(&mut self, a: Term, b: Term) -> Term {
        let Linear { mut constant, mut monomials } = self.difference(a, b);
        let Some((leading, _)) = monomials.first() else { return self.bool(constant.is_zero()) };
        // The factor that only has the sign bit is its own negation, and counts as positive.
        let is_negative = |factor: &Bits| factor.is_negative() && factor.trailing_zeros() + 1 < factor.width();
        if is_negative(leading) {
            constant = constant.neg();
            monomials.iter_mut().for_each(|(factor, _)| *factor = factor.neg());
        }
        let (negative, positive): (Vec<_>, Vec<_>) = monomials.into_iter().partition(|(factor, _)| is_negative(factor));
        if negative.is_empty() {
            return self.eq_sum(&constant.neg(), &positive);
        }
        let width = constant.width();
        let negative = negative.into_iter().map(|(factor, term)| (factor.neg(), term)).collect();
        let left = self.linear(Linear { constant: Bits::zero(width), monomials: positive });
        let right = self.linear(Linear { constant: constant.neg(), monomials: negative });
        if left == right || self.as_bits(left).is_some() || self.as_bits(right).is_some() {
            return self.eq(left, right);
        }
        self.intern(Node::Eq(left.min(right), left.max(right)), Sort::Bool)
    }

    /// The number of leading bits that are certainly 0; less than the width.
    fn known_leading_zeros(&self, a: Term) -> u32 {
        let zeros = match self.node(a) {
            Node::Bits(bits) => bits.leading_zeros(),
            Node::Concat(high, _) => self.as_bits(*high).map_or(0, Bits::leading_zeros),
            _ => 0,
        };
        zeros.min(self.width(a) - 1)
    }

    /// Unsigned less-than.
    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "widths should agree");
        if a == b {
            return self.bool(false);
        }
        if let (Some(x), Some(y)) = (self.as_bits(a), self.as_bits(b)) {
            let is_less = x.ult(y);
            return self.bool(is_less);
        }
        if let Some(is_below) = self.is_below_by_range(a, b) {
            return self.bool(is_below);
        }
        let shared = self.known_leading_zeros(a).min(self.known_leading_zeros(b));
        if shared > 0 {
            let a = self.extract(width - 1 - shared, 0, a);
            let b = self.extract(width - 1 - shared, 0, b);
            return self.ult(a, b);
        }
        if let Some(bits) = self.as_bits(a).cloned() {
            return self.constant_ult(&bits, a, b);
        }
        if let Some(bits) = self.as_bits(b).cloned() {
            return self.ult_constant(a, &bits, b);
        }
        self.intern(Node::Ult(a, b), Sort::Bool)
    }

    /// `bits < b`, where `b` is not a constant.
    fn constant_ult(&mut self, bits: &Bits, a: Term, b: Term) -> Term {
        let width = bits.width();
        // The greatest value b can have.
        let greatest = Bits::ones(width).lshr(&Bits::from_u64(width, u64::from(self.known_leading_zeros(b))));
        if !bits.ult(&greatest) {
            return self.bool(false);
        }
        if bits.is_zero() {
            let is_zero = self.eq(b, a);
            return self.not(is_zero);
        }
        if bits.add(&Bits::one(width)) == greatest {
            let value = self.bits(greatest);
            return self.eq(b, value);
        }
        if let Some(term) = self.compare_branches(b, |terms, branch| terms.ult(a, branch)) {
            return term;
        }
        self.intern(Node::Ult(a, b), Sort::Bool)
    }

    /// `a < bits`, where `a` is not a constant.
    fn ult_constant(&mut self, a: Term, bits: &Bits, b: Term) -> Term {
        let width = bits.width();
        let greatest = Bits::ones(width).lshr(&Bits::from_u64(width, u64::from(self.known_leading_zeros(a))));
        if bits.is_zero() {
            return self.bool(false);
        }
        if greatest.ult(bits) {
            return self.bool(true);
        }
        if bits.is_one() {
            let zero = self.bits(Bits::zero(width));
            return self.eq(a, zero);
        }
        if *bits == greatest {
            let is_greatest = self.eq(a, b);
            return self.not(is_greatest);
        }
        if let Some(term) = self.compare_branches(a, |terms, branch| terms.ult(branch, b)) {
            return term;
        }
        self.intern(Node::Ult(a, b), Sort::Bool)
    }

    /// A comparison of an if-then-else with a constant branch, branch by branch.
    fn compare_branches(&mut self, a: Term, mut compare: impl FnMut(&mut Terms, Term) -> Term) -> Option<Term> {
        let Node::Ite(condition, then, otherwise) = *self.node(a) else { return None };
        if self.as_bits(then).is_none() && self.as_bits(otherwise).is_none() {
            return None;
        }
        let then = compare(self, then);
        let otherwise = compare(self, otherwise);
        Some(self.ite(condition, then, otherwise))
    }

    /// Signed less-than.
    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "widths should agree");
        if a == b {
            return self.bool(false);
        }
        match (self.node(a), self.node(b)) {
            (Node::Bits(x), Node::Bits(y)) => {
                let is_less = x.slt(y);
                return self.bool(is_less);
            }
            (&Node::SignExtend(x, a), &Node::SignExtend(y, b)) if x == y => return self.slt(a, b),
            (_, Node::Bits(y)) if *y == Bits::sign(width) => return self.bool(false),
            (Node::Bits(x), _) if *x == Bits::sign(width).not() => return self.bool(false),
            _ => {}
        }
        if let Some(is_less) = self.is_less_by_range(a, b) {
            return self.bool(is_less);
        }
        if width > 1 && self.known_leading_zeros(a) > 0 && self.known_leading_zeros(b) > 0 {
            return self.ult(a, b);
        }
        if self.as_bits(a).is_some() {
            if let Some(term) = self.compare_branches(b, |terms, branch| terms.slt(a, branch)) {
                return term;
            }
        }
        if self.as_bits(b).is_some() {
            if let Some(term) = self.compare_branches(a, |terms, branch| terms.slt(branch, b)) {
                return term;
            }
        }
        self.intern(Node::Slt(a, b), Sort::Bool)
    }
}
