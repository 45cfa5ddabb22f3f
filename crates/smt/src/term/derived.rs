//! SMT-LIB operators that are expanded into others.

use super::{Bits, Term, Terms};

impl Terms {
    /// Unsigned at most.
    pub fn ule(&mut self, a: Term, b: Term) -> Term {
        let greater = self.ult(b, a);
        self.not(greater)
    }

    /// Signed at most.
    pub fn sle(&mut self, a: Term, b: Term) -> Term {
        let greater = self.slt(b, a);
        self.not(greater)
    }

    /// Zero-extended or cut to a width.
    pub fn resize(&mut self, a: Term, width: u32) -> Term {
        let old = self.width(a);
        match width.cmp(&old) {
            std::cmp::Ordering::Equal => a,
            std::cmp::Ordering::Greater => self.zero_extend(width - old, a),
            std::cmp::Ordering::Less => self.extract(width - 1, 0, a),
        }
    }

    /// Whether the sign bit is set.
    pub fn is_negative(&mut self, a: Term) -> Term {
        let zero = self.bits(Bits::zero(self.width(a)));
        self.slt(a, zero)
    }

    fn magnitude(&mut self, a: Term, is_negative: Term) -> Term {
        let negated = self.neg(a);
        self.ite(is_negative, negated, a)
    }

    /// Signed quotient, rounded toward zero.
    pub fn sdiv(&mut self, a: Term, b: Term) -> Term {
        let (a_negative, b_negative) = (self.is_negative(a), self.is_negative(b));
        let (a, b) = (self.magnitude(a, a_negative), self.magnitude(b, b_negative));
        let quotient = self.udiv(a, b);
        let is_negative = self.xor(a_negative, b_negative);
        self.magnitude(quotient, is_negative)
    }

    /// Signed remainder, with the dividend's sign.
    pub fn srem(&mut self, a: Term, b: Term) -> Term {
        let (a_negative, b_negative) = (self.is_negative(a), self.is_negative(b));
        let (a, b) = (self.magnitude(a, a_negative), self.magnitude(b, b_negative));
        let rest = self.urem(a, b);
        self.magnitude(rest, a_negative)
    }

    /// Signed remainder, with the divisor's sign.
    pub fn smod(&mut self, a: Term, b: Term) -> Term {
        let (a_negative, b_negative) = (self.is_negative(a), self.is_negative(b));
        let (a_abs, b_abs) = (self.magnitude(a, a_negative), self.magnitude(b, b_negative));
        let rest = self.urem(a_abs, b_abs);
        let zero = self.bits(Bits::zero(self.width(a)));
        let is_zero = self.eq(rest, zero);
        let signed = self.magnitude(rest, a_negative);
        let shifted = self.add(signed, b);
        let same_sign = self.eq(a_negative, b_negative);
        let keeps = self.or2(is_zero, same_sign);
        self.ite(keeps, signed, shifted)
    }

    /// Rotated left by a constant.
    pub fn rotate_left(&mut self, by: u32, a: Term) -> Term {
        let width = self.width(a);
        match by % width {
            0 => a,
            by => {
                let high = self.extract(width - 1 - by, 0, a);
                let low = self.extract(width - 1, width - by, a);
                self.concat(high, low)
            }
        }
    }

    /// Rotated right by a constant.
    pub fn rotate_right(&mut self, by: u32, a: Term) -> Term {
        let width = self.width(a);
        self.rotate_left(width - by % width, a)
    }

    /// `count` copies side by side.
    pub fn repeat(&mut self, count: u32, a: Term) -> Term {
        (1..count).fold(a, |rest, _| self.concat(a, rest))
    }

    /// Bitwise exclusive nor.
    pub fn bit_xnor(&mut self, a: Term, b: Term) -> Term {
        let differs = self.bit_xor(a, b);
        self.bit_not(differs)
    }

    /// One bit: 1 if the condition holds.
    pub fn bit_of(&mut self, condition: Term) -> Term {
        let (one, zero) = (self.number(1, 1), self.number(1, 0));
        self.ite(condition, one, zero)
    }

    /// Whether the negation overflows.
    pub fn neg_overflows(&mut self, a: Term) -> Term {
        let least = self.bits(Bits::sign(self.width(a)));
        self.eq(a, least)
    }

    /// Whether the unsigned sum overflows.
    pub fn uadd_overflows(&mut self, a: Term, b: Term) -> Term {
        let sum = self.add(a, b);
        self.ult(sum, a)
    }

    /// Whether a signed operation, done with `extra` more bits, does not fit.
    fn signed_overflows(&mut self, extra: u32, a: Term, b: Term, op: fn(&mut Terms, Term, Term) -> Term) -> Term {
        let width = self.width(a);
        let (a, b) = (self.sign_extend(extra, a), self.sign_extend(extra, b));
        let exact = op(self, a, b);
        let kept = self.extract(width - 1, 0, exact);
        let back = self.sign_extend(extra, kept);
        let fits = self.eq(back, exact);
        self.not(fits)
    }

    /// Whether the signed sum overflows.
    pub fn sadd_overflows(&mut self, a: Term, b: Term) -> Term {
        self.signed_overflows(1, a, b, Terms::add)
    }

    /// Whether the unsigned difference overflows.
    pub fn usub_overflows(&mut self, a: Term, b: Term) -> Term {
        self.ult(a, b)
    }

    /// Whether the signed difference overflows.
    pub fn ssub_overflows(&mut self, a: Term, b: Term) -> Term {
        self.signed_overflows(1, a, b, Terms::sub)
    }

    /// Whether the unsigned product overflows.
    pub fn umul_overflows(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let (a, b) = (self.zero_extend(width, a), self.zero_extend(width, b));
        let exact = self.mul(a, b);
        let high = self.extract(2 * width - 1, width, exact);
        let zero = self.bits(Bits::zero(width));
        let fits = self.eq(high, zero);
        self.not(fits)
    }

    /// Whether the signed product overflows.
    pub fn smul_overflows(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        self.signed_overflows(width, a, b, Terms::mul)
    }

    /// Whether the signed quotient overflows.
    pub fn sdiv_overflows(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let least = self.bits(Bits::sign(width));
        let minus_one = self.bits(Bits::ones(width));
        let dividend = self.eq(a, least);
        let divisor = self.eq(b, minus_one);
        self.and2(dividend, divisor)
    }
}
