//! Bitwise operators and shifts.

use super::boolean::LONGEST_CONJUNCTION;
use super::{Bits, Node, Sort, Term, Terms};

impl Terms {
    /// Every bit inverted.
    pub fn bit_not(&mut self, a: Term) -> Term {
        // -a - 1; a plain term becomes `BitNot`, a negation is undone.
        let minus_one = Bits::ones(self.width(a));
        self.bit_not_by_parts(a).unwrap_or_else(|| self.linear_sum(minus_one.clone(), [(minus_one, a)]))
    }

    /// The negation, if it distributes over the parts of the term.
    pub(super) fn bit_not_by_parts(&mut self, a: Term) -> Option<Term> {
        match *self.node(a) {
            Node::Bits(ref bits) => {
                let value = bits.not();
                Some(self.bits(value))
            }
            Node::Concat(high, low) => {
                let high = self.bit_not(high);
                let low = self.bit_not(low);
                Some(self.concat(high, low))
            }
            Node::Ite(condition, then, otherwise)
                if self.as_bits(then).is_some() || self.as_bits(otherwise).is_some() =>
            {
                let then = self.bit_not(then);
                let otherwise = self.bit_not(otherwise);
                Some(self.ite(condition, then, otherwise))
            }
            _ => None,
        }
    }

    /// Bitwise conjunction of at least one.
    pub fn bit_and(&mut self, args: impl IntoIterator<Item = Term>) -> Term {
        let mut constant: Option<Bits> = None;
        let mut flat: Vec<Term> = Vec::new();
        for arg in args {
            let parts = match self.node(arg) {
                Node::BitAnd(parts) if parts.len() <= LONGEST_CONJUNCTION => &parts[..],
                _ => &[arg][..],
            };
            for &part in parts {
                match self.node(part) {
                    Node::Bits(bits) => constant = Some(constant.map_or_else(|| bits.clone(), |known| known.and(bits))),
                    _ => flat.push(part),
                }
            }
        }
        flat.sort_unstable();
        flat.dedup();
        let Some(&first) = flat.first() else { return self.bits(constant.expect("a conjunction should have parts")) };
        let width = self.width(first);
        let is_empty = constant.as_ref().is_some_and(Bits::is_zero)
            || flat
                .iter()
                .any(|&arg| matches!(self.node(arg), Node::BitNot(inner) if flat.binary_search(inner).is_ok()));
        if is_empty {
            return self.bits(Bits::zero(width));
        }
        let constant = constant.filter(|bits| !bits.is_ones());
        if let Some(term) = self.bit_and_of_slices(constant.as_ref(), &flat) {
            return term;
        }
        if let Some(bits) = constant {
            if let Some(term) = self.masked(&bits, &flat) {
                return term;
            }
            let constant = self.bits(bits);
            flat.insert(0, constant);
        }
        match flat[..] {
            [only] => only,
            _ => self.intern(Node::BitAnd(flat.into()), Sort::Bits(width)),
        }
    }

    /// A conjunction of concatenations and a constant is the concatenation of conjunctions.
    fn bit_and_of_slices(&mut self, constant: Option<&Bits>, args: &[Term]) -> Option<Term> {
        let Node::Concat(_, low) = *self.node(args[0]) else { return None };
        let cut = self.width(low);
        let width = self.width(args[0]);
        let is_cut = |&arg: &Term| matches!(*self.node(arg), Node::Concat(..));
        if !args.iter().all(is_cut) || (args.len() == 1 && constant.is_none()) {
            return None;
        }
        let mut half = |high: u32, low: u32| {
            let mut parts: Vec<Term> = args.iter().map(|&arg| self.extract(high, low, arg)).collect();
            parts.extend(constant.map(|bits| self.bits(bits.extract(high, low))));
            self.bit_and(parts)
        };
        let high = half(width - 1, cut);
        let low = half(cut - 1, 0);
        Some(self.concat(high, low))
    }

    /// A mask that is one run of ones extracts a slice.
    fn masked(&mut self, mask: &Bits, args: &[Term]) -> Option<Term> {
        let (low, above, width) = (mask.trailing_zeros(), mask.leading_zeros(), mask.width());
        if mask.count_ones() != width - low - above {
            return None;
        }
        let high = width - above - 1;
        let slices: Vec<Term> = args.iter().map(|&arg| self.extract(high, low, arg)).collect();
        let slice = self.bit_and(slices);
        let slice = self.zero_extend(above, slice);
        Some(self.append_zeros(slice, low))
    }

    /// Bitwise disjunction of at least one.
    pub fn bit_or(&mut self, args: impl IntoIterator<Item = Term>) -> Term {
        let negated: Vec<Term> = args.into_iter().map(|arg| self.bit_not(arg)).collect();
        let neither = self.bit_and(negated);
        self.bit_not(neither)
    }

    /// Bitwise exclusive or.
    pub fn bit_xor(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "widths should agree");
        let (a, b) = (a.min(b), a.max(b));
        if a == b {
            return self.bits(Bits::zero(width));
        }
        match (self.node(a), self.node(b)) {
            (Node::Bits(x), Node::Bits(y)) => {
                let value = x.xor(y);
                return self.bits(value);
            }
            (Node::Bits(x), _) if x.is_zero() => return b,
            (_, Node::Bits(y)) if y.is_zero() => return a,
            (Node::Bits(x), _) if x.is_ones() => return self.bit_not(b),
            (_, Node::Bits(y)) if y.is_ones() => return self.bit_not(a),
            (&Node::BitNot(inner), _) => {
                let other = self.bit_xor(inner, b);
                return self.bit_not(other);
            }
            (_, &Node::BitNot(inner)) => {
                let other = self.bit_xor(a, inner);
                return self.bit_not(other);
            }
            (&Node::BitXor(x, y), _) if x == b || y == b => return if x == b { y } else { x },
            (_, &Node::BitXor(x, y)) if x == a || y == a => return if x == a { y } else { x },
            (&Node::Concat(_, low), Node::Concat(..) | Node::Bits(_)) | (Node::Bits(_), &Node::Concat(_, low)) => {
                let cut = self.width(low);
                let [high, low] = [(width - 1, cut), (cut - 1, 0)].map(|(high, low)| {
                    let a = self.extract(high, low, a);
                    let b = self.extract(high, low, b);
                    self.bit_xor(a, b)
                });
                return self.concat(high, low);
            }
            _ => {}
        }
        self.intern(Node::BitXor(a, b), Sort::Bits(width))
    }

    /// Left shift.
    pub fn shl(&mut self, a: Term, by: Term) -> Term {
        let width = self.width(a);
        if let Some(distance) = self.shift_distance(a, by) {
            return match distance {
                _ if distance >= width => self.bits(Bits::zero(width)),
                _ => self.scale(Bits::one(width).shl(&Bits::from_u64(width, u64::from(distance))), a),
            };
        }
        self.intern(Node::Shl(a, by), Sort::Bits(width))
    }

    /// Logical right shift.
    pub fn lshr(&mut self, a: Term, by: Term) -> Term {
        let width = self.width(a);
        if let Some(distance) = self.shift_distance(a, by) {
            if distance >= width {
                return self.bits(Bits::zero(width));
            }
            let rest = self.extract(width - 1, distance, a);
            return self.zero_extend(distance, rest);
        }
        self.intern(Node::Lshr(a, by), Sort::Bits(width))
    }

    /// Arithmetic right shift.
    pub fn ashr(&mut self, a: Term, by: Term) -> Term {
        let width = self.width(a);
        if let Some(distance) = self.shift_distance(a, by) {
            let distance = distance.min(width - 1);
            let rest = self.extract(width - 1, distance, a);
            return self.sign_extend(distance, rest);
        }
        self.intern(Node::Ashr(a, by), Sort::Bits(width))
    }

    /// The distance of a shift by a constant, at most the width.
    fn shift_distance(&self, a: Term, by: Term) -> Option<u32> {
        let width = self.width(a);
        assert_eq!(width, self.width(by), "widths should agree");
        let by = self.as_bits(by)?;
        Some(by.to_u64().map_or(width, |by| by.min(u64::from(width)) as u32))
    }
}
