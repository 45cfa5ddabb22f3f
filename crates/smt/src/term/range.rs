//! Ranges of terms, derived from their topmost operators. Comparisons that ranges decide become constants: that a
//! remainder is less than its divisor should not have to be found bit by bit.

use super::{Bits, Node, Term, Terms};

/// Maximum depth of operators that are examined.
const DEPTH: u32 = 5;
/// Maximum width; wider terms have no range.
const WIDEST: u32 = 64;

/// The smallest and the greatest number, as signed ones.
pub(super) type Range = (i128, i128);

/// All numbers of a width.
fn whole(width: u32) -> Range {
    (-(1 << (width - 1)), (1 << (width - 1)) - 1)
}

fn signed(bits: &Bits) -> Option<i128> {
    let value = bits.to_u128()? as i128;
    Some(if bits.is_negative() { value - (1 << bits.width()) } else { value })
}

impl Terms {
    /// The range of a term; `None` if it is too wide.
    pub(super) fn range(&self, term: Term) -> Option<Range> {
        let width = self.width(term);
        (width <= WIDEST).then(|| self.range_below(term, width, DEPTH))
    }

    fn range_below(&self, term: Term, width: u32, depth: u32) -> Range {
        let whole = whole(width);
        let found = match self.node(term) {
            Node::Bits(bits) => signed(bits).map(|value| (value, value)),
            _ if depth == 0 => None,
            Node::Urem(_, b) => self.as_bits(*b).and_then(Bits::to_u128).map(|divisor| (0, divisor as i128 - 1)),
            Node::Udiv(_, b) => {
                let divisor = self.as_bits(*b).and_then(Bits::to_u128).filter(|&divisor| divisor > 0);
                divisor.map(|divisor| (0, ((1_u128 << width) - 1) as i128 / divisor as i128))
            }
            Node::BitAnd(args) => {
                let mut constants = args.iter().filter_map(|&arg| signed(self.as_bits(arg)?));
                constants.find(|&constant| constant >= 0).map(|constant| (0, constant))
            }
            Node::Concat(high, low) => {
                let low = self.width(*low);
                self.as_bits(*high).and_then(signed).map(|high| (high << low, (high << low) + (1 << low) - 1))
            }
            Node::BitNot(a) => {
                let (low, high) = self.range_below(*a, width, depth - 1);
                Some((-1 - high, -1 - low))
            }
            Node::SignExtend(by, a) => Some(self.range_below(*a, width - by, depth - 1)),
            Node::Ite(_, a, b) => {
                let (a, b) = (self.range_below(*a, width, depth - 1), self.range_below(*b, width, depth - 1));
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
            Node::Sum(constant, monomials) => self.range_of_sum(constant, monomials, depth),
            _ => None,
        };
        // A range that exceeds the width may wrap around.
        found.filter(|found| whole.0 <= found.0 && found.1 <= whole.1).unwrap_or(whole)
    }

    fn range_of_sum(&self, constant: &Bits, monomials: &[(Bits, Term)], depth: u32) -> Option<Range> {
        let start = signed(constant)?;
        let mut range = (start, start);
        for (factor, term) in monomials {
            let factor = signed(factor)?;
            let (low, high) = self.range_below(*term, self.width(*term), depth - 1);
            let ends = (factor.checked_mul(low)?, factor.checked_mul(high)?);
            range.0 = range.0.checked_add(ends.0.min(ends.1))?;
            range.1 = range.1.checked_add(ends.0.max(ends.1))?;
        }
        Some(range)
    }

    /// Whether one term is less than the other as a signed number, if their ranges decide it.
    pub(super) fn is_less_by_range(&self, a: Term, b: Term) -> Option<bool> {
        let (a, b) = (self.range(a)?, self.range(b)?);
        if a.1 < b.0 {
            return Some(true);
        }
        (a.0 >= b.1).then_some(false)
    }

    /// Like [`Terms::is_less_by_range`], for unsigned numbers.
    pub(super) fn is_below_by_range(&self, a: Term, b: Term) -> Option<bool> {
        let is_positive = self.range(a)?.0 >= 0 && self.range(b)?.0 >= 0;
        self.is_less_by_range(a, b).filter(|_| is_positive)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Sort;
    use super::*;

    #[test]
    fn remainders_are_less_than_their_divisors() {
        let mut terms = Terms::new();
        let x = terms.variable("x", Sort::Bits(32));
        let [nine, ten, minus] = [9, 10, -10].map(|value| terms.bits(Bits::from_i128(32, value)));
        let (signed, unsigned) = (terms.srem(x, ten), terms.urem(x, ten));
        let is_less = terms.slt(signed, ten);
        assert_eq!(terms.as_bool(is_less), Some(true));
        let is_greater = terms.slt(minus, signed);
        assert_eq!(terms.as_bool(is_greater), Some(true));
        let is_below = terms.ult(nine, unsigned);
        assert_eq!(terms.as_bool(is_below), Some(false));
        let may_be = terms.slt(signed, nine);
        assert_eq!(terms.as_bool(may_be), None);
        // A negative remainder is large as an unsigned number.
        let is_small = terms.ult(signed, ten);
        assert_eq!(terms.as_bool(is_small), None);
    }

    #[test]
    fn sums_that_may_wrap_around_are_anything() {
        let mut terms = Terms::new();
        let x = terms.variable("x", Sort::Bits(8));
        let [hundred, most] = [100, 127].map(|value| terms.bits(Bits::from_i128(8, value)));
        let small = terms.urem(x, hundred);
        let sum = terms.add(small, hundred);
        assert_eq!(terms.range(sum), Some((-128, 127)));
        let is_less = terms.slt(sum, most);
        assert_eq!(terms.as_bool(is_less), None);
    }
}
