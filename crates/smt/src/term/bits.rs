//! Bit-vector values of any width, with SMT-LIB's arithmetic (modulo 2^width, division by zero defined).

use smallvec::SmallVec;
use std::cmp::Ordering;
use std::fmt;

/// A value of `width` bits. Limbs are little endian; bits beyond the width are zero, so equal values are equal structs.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bits {
    width: u32,
    limbs: SmallVec<[u64; 1]>,
}

const LIMB: u32 = u64::BITS;

impl Bits {
    /// All bits 0.
    pub fn zero(width: u32) -> Bits {
        assert!(width > 0, "a bit-vector should have bits");
        Bits { width, limbs: SmallVec::from_elem(0, width.div_ceil(LIMB) as usize) }
    }

    /// All bits 1: the greatest unsigned value.
    pub fn ones(width: u32) -> Bits {
        Bits::zero(width).not()
    }

    /// The value 1.
    pub fn one(width: u32) -> Bits {
        Bits::from_u64(width, 1)
    }

    /// Only the sign bit: the least signed value.
    pub fn sign(width: u32) -> Bits {
        let mut bits = Bits::zero(width);
        bits.set(width - 1);
        bits
    }

    /// The low bits of a number.
    pub fn from_u64(width: u32, value: u64) -> Bits {
        let mut bits = Bits::zero(width);
        bits.limbs[0] = value;
        bits.trimmed()
    }

    /// The low bits of a number.
    pub fn from_u128(width: u32, value: u128) -> Bits {
        let mut bits = Bits::zero(width);
        for (index, limb) in bits.limbs.iter_mut().enumerate().take(2) {
            *limb = (value >> (LIMB * index as u32)) as u64;
        }
        bits.trimmed()
    }

    /// The low bits of a number in two's complement.
    pub fn from_i128(width: u32, value: i128) -> Bits {
        let low = Bits::from_u128(width.min(128), value as u128);
        low.sign_extend(width - width.min(128))
    }

    /// The value with these bits, lowest first.
    pub fn from_bools(bools: impl ExactSizeIterator<Item = bool>) -> Bits {
        let mut bits = Bits::zero(bools.len() as u32);
        for (index, bool) in bools.enumerate() {
            if bool {
                bits.set(index as u32);
            }
        }
        bits
    }

    /// Digits in base 2, 10 or 16, taken modulo 2^width. `None` if there are none, or one is not a digit.
    pub fn parse(width: u32, digits: &str, radix: u32) -> Option<Bits> {
        if digits.is_empty() {
            return None;
        }
        let base = Bits::from_u64(width, u64::from(radix));
        let mut value = Bits::zero(width);
        for digit in digits.chars() {
            value = value.mul(&base).add(&Bits::from_u64(width, u64::from(digit.to_digit(radix)?)));
        }
        Some(value)
    }

    fn trimmed(mut self) -> Bits {
        let used = self.width % LIMB;
        if used != 0 {
            if let Some(top) = self.limbs.last_mut() {
                *top &= (1 << used) - 1;
            }
        }
        self
    }

    fn set(&mut self, index: u32) {
        self.limbs[(index / LIMB) as usize] |= 1 << (index % LIMB);
    }

    /// The number of bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// One bit, 0 the lowest.
    pub fn bit(&self, index: u32) -> bool {
        self.limbs[(index / LIMB) as usize] >> (index % LIMB) & 1 == 1
    }

    /// The sign bit.
    pub fn is_negative(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// Whether all bits are 0.
    pub fn is_zero(&self) -> bool {
        self.limbs.iter().all(|&limb| limb == 0)
    }

    /// Whether this is the number 1.
    pub fn is_one(&self) -> bool {
        self.limbs[0] == 1 && self.limbs[1..].iter().all(|&limb| limb == 0)
    }

    /// Whether all bits are 1.
    pub fn is_ones(&self) -> bool {
        self.count_ones() == self.width
    }

    /// The number of bits that are 1.
    pub fn count_ones(&self) -> u32 {
        self.limbs.iter().map(|limb| limb.count_ones()).sum()
    }

    /// The number of zeros below the lowest 1: the width if there is no 1.
    pub fn trailing_zeros(&self) -> u32 {
        let index = self.limbs.iter().position(|&limb| limb != 0);
        index.map_or(self.width, |index| index as u32 * LIMB + self.limbs[index].trailing_zeros())
    }

    /// The number of zeros above the highest 1.
    pub fn leading_zeros(&self) -> u32 {
        let index = self.limbs.iter().rposition(|&limb| limb != 0);
        index.map_or(self.width, |index| self.width + self.limbs[index].leading_zeros() - (index as u32 + 1) * LIMB)
    }

    /// The exponent, if the value is a power of two.
    pub fn exponent(&self) -> Option<u32> {
        (self.count_ones() == 1).then(|| self.trailing_zeros())
    }

    /// The unsigned number, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        self.limbs[1..].iter().all(|&limb| limb == 0).then_some(self.limbs[0])
    }

    /// The unsigned number, if it fits.
    pub fn to_u128(&self) -> Option<u128> {
        let high = self.limbs.get(1).copied().unwrap_or(0);
        let fits = self.limbs.iter().skip(2).all(|&limb| limb == 0);
        fits.then(|| u128::from(high) << LIMB | u128::from(self.limbs[0]))
    }

    fn zip(&self, other: &Bits, op: impl Fn(u64, u64) -> u64) -> Bits {
        assert_eq!(self.width, other.width, "widths should agree");
        let limbs = self.limbs.iter().zip(&other.limbs).map(|(&a, &b)| op(a, b)).collect();
        Bits { width: self.width, limbs }.trimmed()
    }

    /// Every bit inverted.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "by reference, like its siblings")]
    pub fn not(&self) -> Bits {
        self.zip(self, |a, _| !a)
    }

    /// Bitwise and.
    #[must_use]
    pub fn and(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a & b)
    }

    /// Bitwise or.
    #[must_use]
    pub fn or(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a | b)
    }

    /// Bitwise exclusive or.
    #[must_use]
    pub fn xor(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a ^ b)
    }

    /// Sum.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "by reference, like its siblings")]
    pub fn add(&self, other: &Bits) -> Bits {
        assert_eq!(self.width, other.width, "widths should agree");
        let mut carry = false;
        let limbs = self.limbs.iter().zip(&other.limbs).map(|(&a, &b)| {
            let (sum, first) = a.overflowing_add(b);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            carry = first || second;
            sum
        });
        Bits { width: self.width, limbs: limbs.collect() }.trimmed()
    }

    /// Two's complement.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "by reference, like its siblings")]
    pub fn neg(&self) -> Bits {
        self.not().add(&Bits::one(self.width))
    }

    /// Difference.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "by reference, like its siblings")]
    pub fn sub(&self, other: &Bits) -> Bits {
        self.add(&other.neg())
    }

    /// Product.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "by reference, like its siblings")]
    pub fn mul(&self, other: &Bits) -> Bits {
        assert_eq!(self.width, other.width, "widths should agree");
        let mut product = Bits::zero(self.width);
        let length = product.limbs.len();
        for (i, &a) in self.limbs.iter().enumerate() {
            let mut carry = 0u128;
            for (j, &b) in other.limbs.iter().enumerate().take(length - i) {
                let sum = u128::from(a) * u128::from(b) + u128::from(product.limbs[i + j]) + carry;
                product.limbs[i + j] = sum as u64;
                carry = sum >> LIMB;
            }
        }
        product.trimmed()
    }

    /// Quotient and remainder. Division by zero gives all ones and the dividend.
    fn divide(&self, other: &Bits) -> (Bits, Bits) {
        assert_eq!(self.width, other.width, "widths should agree");
        if other.is_zero() {
            return (Bits::ones(self.width), self.clone());
        }
        if let (Some(a), Some(b)) = (self.to_u128(), other.to_u128()) {
            return (Bits::from_u128(self.width, a / b), Bits::from_u128(self.width, a % b));
        }
        let mut quotient = Bits::zero(self.width);
        // One bit more than the width, so that doubling the remainder loses nothing.
        let divisor = other.zero_extend(1);
        let mut rest = Bits::zero(self.width + 1);
        for index in (0..self.width).rev() {
            rest = rest.add(&rest);
            if self.bit(index) {
                rest.set(0);
            }
            if !rest.ult(&divisor) {
                rest = rest.sub(&divisor);
                quotient.set(index);
            }
        }
        (quotient, rest.extract(self.width - 1, 0))
    }

    /// Unsigned quotient; all ones if the divisor is zero.
    #[must_use]
    pub fn udiv(&self, other: &Bits) -> Bits {
        self.divide(other).0
    }

    /// Unsigned remainder; the dividend if the divisor is zero.
    #[must_use]
    pub fn urem(&self, other: &Bits) -> Bits {
        self.divide(other).1
    }

    /// The distance of a shift by this value: at most `width`, where no bit is left.
    fn distance(&self) -> u32 {
        self.to_u64().map_or(self.width, |by| by.min(u64::from(self.width)) as u32)
    }

    /// Shifted left.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "by reference, like its siblings")]
    pub fn shl(&self, by: &Bits) -> Bits {
        let by = by.distance();
        match by {
            0 => self.clone(),
            _ if by == self.width => Bits::zero(self.width),
            _ => self.extract(self.width - 1 - by, 0).concat(&Bits::zero(by)),
        }
    }

    /// Shifted right, zeros coming in.
    #[must_use]
    pub fn lshr(&self, by: &Bits) -> Bits {
        let by = by.distance();
        if by == self.width {
            return Bits::zero(self.width);
        }
        self.extract(self.width - 1, by).zero_extend(by)
    }

    /// Shifted right, copies of the sign coming in.
    #[must_use]
    pub fn ashr(&self, by: &Bits) -> Bits {
        let by = by.distance().min(self.width - 1);
        self.extract(self.width - 1, by).sign_extend(by)
    }

    /// `self` above `low`.
    #[must_use]
    pub fn concat(&self, low: &Bits) -> Bits {
        let bools = (0..low.width).map(|index| low.bit(index)).chain((0..self.width).map(|index| self.bit(index)));
        if self.width + low.width <= LIMB {
            return Bits::from_u64(self.width + low.width, self.limbs[0] << low.width | low.limbs[0]);
        }
        Bits::from_bools(bools.collect::<Vec<_>>().into_iter())
    }

    /// The bits from `high` down to `low`.
    #[must_use]
    pub fn extract(&self, high: u32, low: u32) -> Bits {
        assert!(low <= high && high < self.width, "bits {high} to {low} should lie in {} bits", self.width);
        if self.width <= LIMB {
            return Bits::from_u64(high - low + 1, self.limbs[0] >> low);
        }
        Bits::from_bools((0..(high - low + 1) as usize).map(|index| self.bit(low + index as u32)))
    }

    /// `by` zeros above.
    #[must_use]
    pub fn zero_extend(&self, by: u32) -> Bits {
        if by == 0 {
            return self.clone();
        }
        Bits::zero(by).concat(self)
    }

    /// `by` copies of the sign bit above.
    #[must_use]
    pub fn sign_extend(&self, by: u32) -> Bits {
        match (by, self.is_negative()) {
            (0, _) => self.clone(),
            (_, false) => Bits::zero(by).concat(self),
            (_, true) => Bits::ones(by).concat(self),
        }
    }

    /// Unsigned comparison.
    pub fn ult(&self, other: &Bits) -> bool {
        self < other
    }

    /// Signed comparison.
    pub fn slt(&self, other: &Bits) -> bool {
        match (self.is_negative(), other.is_negative()) {
            (true, false) => true,
            (false, true) => false,
            _ => self < other,
        }
    }

    /// The value that times `self` is 1, for odd values.
    #[must_use]
    pub fn inverse(&self) -> Bits {
        assert!(self.bit(0), "only odd values have an inverse");
        // Newton's method: each round doubles the number of correct bits; it starts with three.
        let two = Bits::one(self.width).add(&Bits::one(self.width));
        let mut inverse = self.clone();
        while !self.mul(&inverse).is_one() {
            inverse = inverse.mul(&two.sub(&self.mul(&inverse)));
        }
        inverse
    }
}

/// By width, then as unsigned numbers.
impl Ord for Bits {
    fn cmp(&self, other: &Self) -> Ordering {
        self.width.cmp(&other.width).then_with(|| self.limbs.iter().rev().cmp(other.limbs.iter().rev()))
    }
}

impl PartialOrd for Bits {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// As an SMT-LIB literal: hexadecimal where the width allows it.
impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.width.is_multiple_of(4) {
            f.write_str("#b")?;
            return (0..self.width).rev().try_for_each(|index| f.write_str(if self.bit(index) { "1" } else { "0" }));
        }
        f.write_str("#x")?;
        (0..self.width / 4).rev().try_for_each(|digit| {
            let value = self.limbs[(digit / 16) as usize] >> (digit % 16 * 4) & 15;
            write!(f, "{value:x}")
        })
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn signed(value: u128, width: u32) -> i128 {
        (value << (128 - width)) as i128 >> (128 - width)
    }

    fn mask(width: u32) -> u128 {
        u128::MAX >> (128 - width)
    }

    proptest! {
        /// Against machine arithmetic, at widths on both sides of a limb.
        #[test]
        fn agrees_with_machine_numbers(width in 1u32..=100, a: u128, b: u128, small in 0u32..140) {
            let (a, b) = (a & mask(width), b & mask(width) >> (small % width));
            let (x, y) = (Bits::from_u128(width, a), Bits::from_u128(width, b));
            let is = |bits: Bits, value: u128| bits == Bits::from_u128(width, value & mask(width));
            prop_assert!(is(x.add(&y), a.wrapping_add(b)));
            prop_assert!(is(x.sub(&y), a.wrapping_sub(b)));
            prop_assert!(is(x.mul(&y), a.wrapping_mul(b)));
            prop_assert!(is(x.udiv(&y), a.checked_div(b).unwrap_or(u128::MAX)));
            prop_assert!(is(x.urem(&y), a.checked_rem(b).unwrap_or(a)));
            let distance = u32::try_from(b).unwrap_or(u32::MAX);
            let is_in = distance < width;
            prop_assert!(is(x.shl(&y), a.checked_shl(distance).filter(|_| is_in).unwrap_or(0)));
            prop_assert!(is(x.lshr(&y), a.checked_shr(distance).filter(|_| is_in).unwrap_or(0)));
            let by = b.min(u128::from(width) - 1);
            prop_assert!(is(x.ashr(&y), (signed(a, width) >> by) as u128));
            prop_assert_eq!(x.ult(&y), a < b);
            prop_assert_eq!(x.slt(&y), signed(a, width) < signed(b, width));
            prop_assert_eq!(Bits::from_i128(width, signed(a, width)), x.clone());
            if a & 1 == 1 {
                prop_assert!(x.mul(&x.inverse()).is_one());
            }
        }

        /// Long division where machine numbers do not reach.
        #[test]
        fn division_undoes_multiplication(width in 129u32..200, a: [u64; 4], b: [u64; 4], short in 0u32..190) {
            let wide = |limbs: [u64; 4]| {
                let bits = limbs.iter().map(|&limb| Bits::from_u64(64, limb)).reduce(|low, high| high.concat(&low));
                bits.map(|bits| bits.extract(width - 1, 0))
            };
            let (Some(a), Some(b)) = (wide(a), wide(b)) else { return Ok(()) };
            let b = b.lshr(&Bits::from_u64(width, u64::from(short % width)));
            prop_assume!(!b.is_zero());
            let (quotient, rest) = (a.udiv(&b), a.urem(&b));
            prop_assert!(rest.ult(&b));
            prop_assert_eq!(quotient.mul(&b).add(&rest), a.clone());
            prop_assert!(!a.ult(&quotient));
        }

        #[test]
        fn digits_read_back(width in 1u32..150, limbs: [u64; 3]) {
            let bits = Bits::from_bools((0..width as usize).map(|index| limbs[index / 64] >> (index % 64) & 1 == 1));
            let text = bits.to_string();
            let radix = if text.starts_with("#x") { 16 } else { 2 };
            prop_assert_eq!(Bits::parse(width, &text[2..], radix), Some(bits));
        }
    }

    #[test]
    fn counts() {
        let bits = Bits::from_u64(70, 0b1011000);
        assert_eq!((bits.trailing_zeros(), bits.leading_zeros(), bits.count_ones()), (3, 63, 3));
        assert_eq!((Bits::zero(70).trailing_zeros(), Bits::zero(70).leading_zeros()), (70, 70));
        assert_eq!(Bits::sign(70).exponent(), Some(69));
        assert_eq!(Bits::parse(8, "300", 10), Some(Bits::from_u64(8, 44)));
        assert_eq!(Bits::parse(8, "12", 2), None);
    }
}
