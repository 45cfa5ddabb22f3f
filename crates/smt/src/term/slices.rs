//! Concatenation, extraction, extension.

use super::{Bits, Node, Sort, Term, Terms};

impl Terms {
    /// `high` above `low`.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        let width = self.width(high) + self.width(low);
        match (self.node(high), self.node(low)) {
            (Node::Bits(x), Node::Bits(y)) => {
                let value = x.concat(y);
                return self.bits(value);
            }
            // To the right, so that neighbours meet.
            (&Node::Concat(top, middle), _) => {
                let rest = self.concat(middle, low);
                return self.concat(top, rest);
            }
            (_, &Node::Concat(middle, bottom)) => {
                if let Some(joined) = self.joined(high, middle) {
                    return self.concat(joined, bottom);
                }
            }
            _ => {
                if let Some(joined) = self.joined(high, low) {
                    return joined;
                }
            }
        }
        self.intern(Node::Concat(high, low), Sort::Bits(width))
    }

    /// Two neighbours as one term: constants, or slices that adjoin.
    fn joined(&mut self, high: Term, low: Term) -> Option<Term> {
        match (self.node(high), self.node(low)) {
            (Node::Bits(x), Node::Bits(y)) => {
                let value = x.concat(y);
                Some(self.bits(value))
            }
            (&Node::Extract { high: top, low: cut, of }, &Node::Extract { high: below, low: bottom, of: other })
                if of == other && cut == below + 1 =>
            {
                Some(self.extract(top, bottom, of))
            }
            _ => None,
        }
    }

    /// `count` zeros below.
    pub(super) fn append_zeros(&mut self, a: Term, count: u32) -> Term {
        if count == 0 {
            return a;
        }
        let zeros = self.bits(Bits::zero(count));
        self.concat(a, zeros)
    }

    /// The bits from `high` down to `low`.
    pub fn extract(&mut self, high: u32, low: u32, of: Term) -> Term {
        let width = self.width(of);
        assert!(low <= high && high < width, "bits {high} to {low} should lie in {width} bits");
        if high - low + 1 == width {
            return of;
        }
        match self.node(of).clone() {
            Node::Bits(bits) => self.bits(bits.extract(high, low)),
            Node::Extract { low: inner, of, .. } => self.extract(high + inner, low + inner, of),
            Node::Concat(top, bottom) => {
                let cut = self.width(bottom);
                if high < cut {
                    self.extract(high, low, bottom)
                } else if low >= cut {
                    self.extract(high - cut, low - cut, top)
                } else {
                    let top = self.extract(high - cut, 0, top);
                    let bottom = self.extract(cut - 1, low, bottom);
                    self.concat(top, bottom)
                }
            }
            Node::SignExtend(_, inner) => {
                let cut = self.width(inner);
                if high < cut {
                    self.extract(high, low, inner)
                } else {
                    let kept = self.extract(cut - 1, low.min(cut - 1), inner);
                    self.sign_extend(high - low.max(cut - 1), kept)
                }
            }
            Node::Ite(condition, then, otherwise) => {
                let then = self.extract(high, low, then);
                let otherwise = self.extract(high, low, otherwise);
                self.ite(condition, then, otherwise)
            }
            Node::BitNot(inner) => {
                let slice = self.extract(high, low, inner);
                self.bit_not(slice)
            }
            Node::BitAnd(args) => {
                let slices: Vec<Term> = args.iter().map(|&arg| self.extract(high, low, arg)).collect();
                self.bit_and(slices)
            }
            Node::BitXor(a, b) => {
                let a = self.extract(high, low, a);
                let b = self.extract(high, low, b);
                self.bit_xor(a, b)
            }
            // The low bits of a sum depend on nothing above them.
            Node::Sum(constant, monomials) if low == 0 => {
                let constant = constant.extract(high, 0);
                let slices: Vec<(Bits, Term)> = monomials
                    .iter()
                    .map(|(factor, term)| (factor.extract(high, 0), self.extract(high, 0, *term)))
                    .collect();
                self.linear_sum(constant, slices)
            }
            Node::Mul(a, b) if low == 0 => {
                let a = self.extract(high, 0, a);
                let b = self.extract(high, 0, b);
                self.mul(a, b)
            }
            _ => self.intern(Node::Extract { high, low, of }, Sort::Bits(high - low + 1)),
        }
    }

    /// `by` zeros above.
    pub fn zero_extend(&mut self, by: u32, a: Term) -> Term {
        if by == 0 {
            return a;
        }
        let zeros = self.bits(Bits::zero(by));
        self.concat(zeros, a)
    }

    /// `by` copies of the sign bit above.
    pub fn sign_extend(&mut self, by: u32, a: Term) -> Term {
        if by == 0 {
            return a;
        }
        let width = self.width(a);
        match *self.node(a) {
            Node::Bits(ref bits) => {
                let value = bits.sign_extend(by);
                self.bits(value)
            }
            Node::SignExtend(inner, of) => self.sign_extend(by + inner, of),
            Node::Concat(top, _) if self.as_bits(top).is_some_and(|bits| !bits.is_negative()) => {
                self.zero_extend(by, a)
            }
            Node::Ite(condition, then, otherwise)
                if self.as_bits(then).is_some() && self.as_bits(otherwise).is_some() =>
            {
                let then = self.sign_extend(by, then);
                let otherwise = self.sign_extend(by, otherwise);
                self.ite(condition, then, otherwise)
            }
            _ => self.intern(Node::SignExtend(by, a), Sort::Bits(width + by)),
        }
    }
}
