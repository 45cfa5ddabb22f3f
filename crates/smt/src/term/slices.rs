//! Concatenation, extraction, extension.

use super::{Bits, Node, Sort, Term, Terms};
use smallvec::{smallvec, SmallVec};

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
    ///
    /// Extraction is pushed into the arguments where possible, down to the leaves. Formulas are graphs, so results are
    /// memoised (a chain of if-then-elses would take exponential time), and they can be deep, so arguments are processed
    /// before their term instead of recursively.
    pub fn extract(&mut self, high: u32, low: u32, of: Term) -> Term {
        let width = self.width(of);
        assert!(low <= high && high < width, "bits {high} to {low} should lie in {width} bits");
        let mut open = vec![(high, low, of)];
        while let Some(&(high, low, of)) = open.last() {
            let before = open.len();
            if self.known_slice(high, low, of).is_none() {
                for slice in self.slices_needed(high, low, of) {
                    if self.known_slice(slice.0, slice.1, slice.2).is_none() {
                        open.push(slice);
                    }
                }
                if open.len() > before {
                    continue;
                }
                let slice = self.extract_from_arguments(high, low, of);
                self.slices.insert((high, low, of), slice);
            }
            open.pop();
        }
        self.known_slice(high, low, of).expect("the slice should have been made")
    }

    /// The slice, if it is the whole term or memoised.
    fn known_slice(&self, high: u32, low: u32, of: Term) -> Option<Term> {
        if high - low + 1 == self.width(of) {
            return Some(of);
        }
        self.slices.get(&(high, low, of)).copied()
    }

    /// The slices of arguments that a slice is made of.
    fn slices_needed(&self, high: u32, low: u32, of: Term) -> SmallVec<[(u32, u32, Term); 2]> {
        match *self.node(of) {
            Node::Extract { low: inner, of, .. } => smallvec![(high + inner, low + inner, of)],
            Node::Concat(top, bottom) => {
                let cut = self.width(bottom);
                if high < cut {
                    smallvec![(high, low, bottom)]
                } else if low >= cut {
                    smallvec![(high - cut, low - cut, top)]
                } else {
                    smallvec![(high - cut, 0, top), (cut - 1, low, bottom)]
                }
            }
            Node::SignExtend(_, inner) => {
                let sign = self.width(inner) - 1;
                smallvec![(high.min(sign), low.min(sign), inner)]
            }
            Node::Ite(_, then, otherwise) => smallvec![(high, low, then), (high, low, otherwise)],
            Node::BitNot(inner) => smallvec![(high, low, inner)],
            Node::BitAnd(ref args) => args.iter().map(|&arg| (high, low, arg)).collect(),
            Node::BitXor(a, b) => smallvec![(high, low, a), (high, low, b)],
            // The low bits of a sum or product do not depend on higher bits.
            Node::Sum(_, ref monomials) if low == 0 => monomials.iter().map(|&(_, term)| (high, low, term)).collect(),
            Node::Mul(a, b) if low == 0 => smallvec![(high, low, a), (high, low, b)],
            _ => SmallVec::new(),
        }
    }

    /// A slice, given the slices of its arguments.
    fn extract_from_arguments(&mut self, high: u32, low: u32, of: Term) -> Term {
        let known = |terms: &Terms, (high, low, of): (u32, u32, Term)| {
            terms.known_slice(high, low, of).expect("arguments should come first")
        };
        let slices: SmallVec<[Term; 2]> =
            self.slices_needed(high, low, of).into_iter().map(|slice| known(self, slice)).collect();
        match self.node(of).clone() {
            Node::Bits(bits) => self.bits(bits.extract(high, low)),
            Node::Extract { .. } => slices[0],
            Node::Concat(..) if slices.len() == 1 => slices[0],
            Node::Concat(..) => self.concat(slices[0], slices[1]),
            Node::SignExtend(_, inner) => {
                let sign = self.width(inner) - 1;
                self.sign_extend(high.max(sign) - low.max(sign), slices[0])
            }
            Node::Ite(condition, ..) => self.ite(condition, slices[0], slices[1]),
            Node::BitNot(_) => self.bit_not(slices[0]),
            Node::BitAnd(_) => self.bit_and(slices),
            Node::BitXor(..) => self.bit_xor(slices[0], slices[1]),
            Node::Sum(constant, monomials) if low == 0 => {
                let factors = monomials.iter().map(|(factor, _)| factor.extract(high, 0));
                self.linear_sum(constant.extract(high, 0), factors.zip(slices))
            }
            Node::Mul(..) if low == 0 => self.mul(slices[0], slices[1]),
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
