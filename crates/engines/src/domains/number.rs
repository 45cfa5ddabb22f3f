//! Sets of machine integers as strided intervals: an interval and a congruence (Granger 1989), kept reduced, so that
//! both bounds are members. A number of width `w` stands for `low`, `low + stride`, ..., `high`, read as two's
//! complement (of width 1: as 0 and 1). The stride of a single value is 0.
//!
//! Every operation wraps around like machine arithmetic: a result that leaves the range in one piece is moved back, any
//! other is the whole range, with the remaining congruence. Where both operands have few members the result is computed
//! member by member with [`ir::arith`].
//!
//! Limits: widths of 1 to 64 bits; wider values, and floating-point operations on many members, are not tracked
//! (`None`).

use ir::arith;
use ir::{BinaryOp, CastOp, RmwOp, UnaryOp};

/// A non-empty set of integers of one width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Number {
    width: u16,
    low: i128,
    high: i128,
    stride: i128,
}

/// Maximum number of pairs of members for which results are computed member by member.
const MAX_PAIRS: i128 = 128;

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The least and the greatest number of a width.
pub fn range(width: u16) -> (i128, i128) {
    if width == 1 {
        (0, 1)
    } else {
        (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)
    }
}

impl Number {
    /// Its bounds; none if they are just those of its width.
    pub fn bounds(&self) -> Option<ir::invariants::Range> {
        let (least, greatest) = range(self.width);
        let bound = |value: i128, of_width: i128| (self.low == self.high || value != of_width).then_some(value);
        let range = ir::invariants::Range { least: bound(self.low, least), greatest: bound(self.high, greatest) };
        (range.least.is_some() || range.greatest.is_some()).then_some(range)
    }

    /// Whether numbers of this width are tracked.
    pub fn is_tracked(width: u16) -> bool {
        (1..=64).contains(&width)
    }

    /// All numbers of a width.
    pub fn top(width: u16) -> Number {
        let (low, high) = range(width);
        Number { width, low, high, stride: 1 }
    }

    /// One number, given by its bits.
    pub fn constant(width: u16, bits: u128) -> Number {
        let value = if width == 1 { (bits & 1) as i128 } else { arith::signed(width, bits & arith::mask(width)) };
        Number { width, low: value, high: value, stride: 0 }
    }

    /// The numbers between two that are in the width's range.
    pub fn between(width: u16, low: i128, high: i128) -> Option<Number> {
        let (least, greatest) = range(width);
        Number::new(width, low.max(least), high.min(greatest), 1)
    }

    fn new(width: u16, low: i128, high: i128, stride: i128) -> Option<Number> {
        if low > high {
            return None;
        }
        let high = if stride > 1 { low + (high - low) / stride * stride } else { high };
        let stride = if low == high { 0 } else { stride.max(1) };
        Some(Number { width, low, high, stride })
    }

    /// Wraps exact results into the range.
    fn wrapped(width: u16, low: i128, high: i128, stride: i128) -> Number {
        let (least, greatest) = range(width);
        let size = 1i128 << width;
        let start = (low - least).rem_euclid(size) + least;
        // Products of wide numbers can be further apart than an i128 can represent.
        let span = high.saturating_sub(low);
        if span < size && start + span <= greatest {
            return Number::new(width, start, start + span, stride).unwrap_or(Number::top(width));
        }
        let step = if stride == 0 { size } else { gcd(stride, size) };
        let first = least + (start - least).rem_euclid(step);
        Number::new(width, first, greatest, step).unwrap_or(Number::top(width))
    }

    /// The width in bits.
    pub fn width(&self) -> u16 {
        self.width
    }

    /// The least member.
    pub fn low(&self) -> i128 {
        self.low
    }

    /// The greatest member.
    pub fn high(&self) -> i128 {
        self.high
    }

    /// The only member.
    pub fn single(&self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// The distance of adjacent members; 0 if there is only one.
    pub fn stride(&self) -> i128 {
        self.stride
    }

    /// Whether every member is a multiple of a positive number.
    pub fn is_multiple_of(&self, of: i128) -> bool {
        self.low % of == 0 && self.stride % of == 0
    }

    /// Whether it contains every number of the width.
    pub fn is_top(&self) -> bool {
        *self == Number::top(self.width)
    }

    fn count(&self) -> i128 {
        if self.stride == 0 {
            1
        } else {
            (self.high - self.low) / self.stride + 1
        }
    }

    /// The members, if there are at most `most`.
    pub fn members(&self, most: i128) -> Option<Vec<i128>> {
        (self.count() <= most).then(|| (0..self.count()).map(|index| self.low + index * self.stride).collect())
    }

    fn bits(&self, value: i128) -> u128 {
        value as u128 & arith::mask(self.width)
    }

    /// Whether a value, given by its bits, is a member.
    pub fn contains(&self, bits: u128) -> bool {
        let value = Number::constant(self.width, bits).low;
        self.low <= value && value <= self.high && (self.stride == 0 || (value - self.low).rem_euclid(self.stride) == 0)
    }

    /// Whether this includes the other.
    pub fn includes(&self, other: &Number) -> bool {
        let is_aligned = self.stride <= 1
            || (other.low - self.low).rem_euclid(self.stride) == 0 && other.stride.rem_euclid(self.stride) == 0;
        let is_inside = self.low <= other.low && other.high <= self.high;
        is_inside && if self.stride == 0 { *self == *other } else { is_aligned }
    }

    /// The least upper bound.
    #[must_use]
    pub fn join(&self, other: &Number) -> Number {
        let stride = gcd(gcd(self.stride, other.stride), self.low - other.low);
        let (low, high) = (self.low.min(other.low), self.high.max(other.high));
        Number::new(self.width, low, high, stride).unwrap_or(Number::top(self.width))
    }

    /// An over-approximation of the intersection; `None` if it is empty.
    pub fn meet(&self, other: &Number) -> Option<Number> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        let step = gcd(self.stride, other.stride);
        if low > high || step > 0 && (self.low - other.low).rem_euclid(step) != 0 {
            return None;
        }
        if step == 0 {
            return (self.low == other.low).then_some(*self);
        }
        // Keeps one of the congruences: that of a single value, otherwise the coarser one.
        let finer = if self.stride == 0 || other.stride != 0 && self.stride >= other.stride { self } else { other };
        if finer.stride == 0 {
            let other = if finer.low == self.low && self.stride == 0 { other } else { self };
            return other.contains(finer.bits(finer.low)).then_some(*finer);
        }
        let low = low + (finer.low - low).rem_euclid(finer.stride);
        Number::new(self.width, low, high, finer.stride)
    }

    /// Widening: a bound that grew moves to the next threshold, and at last to the end of the range. `thresholds` are
    /// sorted.
    #[must_use]
    pub fn widen(&self, next: &Number, thresholds: &[i128]) -> Number {
        let joined = self.join(next);
        let (least, greatest) = range(self.width);
        let mut low = self.low;
        if joined.low < self.low {
            let below = thresholds.partition_point(|threshold| *threshold <= joined.low);
            low = if below > 0 { thresholds[below - 1].max(least) } else { least };
        }
        let mut high = self.high;
        if joined.high > self.high {
            let above = thresholds.partition_point(|threshold| *threshold < joined.high);
            high = thresholds.get(above).copied().unwrap_or(greatest).min(greatest);
        }
        let stride = joined.stride.max(1);
        // Members of both lie on the joined congruence: bounds that moved are aligned inwards.
        let low = low + (joined.low - low).rem_euclid(stride);
        Number::new(self.width, low, high, stride).unwrap_or(joined)
    }

    fn unsigned_range(&self) -> (i128, i128) {
        let size = 1i128 << self.width;
        if self.low >= 0 {
            (self.low, self.high)
        } else if self.high < 0 {
            (self.low + size, self.high + size)
        } else {
            (0, size - 1)
        }
    }

    /// The number with unsigned values between these, which are in the width's unsigned range.
    fn of_unsigned(width: u16, low: i128, high: i128) -> Option<Number> {
        if low > high {
            return None;
        }
        let (_, greatest) = range(width);
        let size = 1i128 << width;
        if high <= greatest {
            Number::new(width, low, high, 1)
        } else if low > greatest {
            Number::new(width, low - size, high - size, 1)
        } else {
            Some(Number::top(width))
        }
    }

    /// The result of an operation with one operand.
    pub fn unary(op: UnaryOp, a: &Number) -> Option<Number> {
        if let Some(members) = a.members(MAX_PAIRS) {
            let results = members.into_iter().map(|value| arith::unary(op, a.width, a.bits(value)));
            return hull(a.width, results);
        }
        match op {
            UnaryOp::Not => Some(Number::wrapped(a.width, -1 - a.high, -1 - a.low, a.stride)),
            UnaryOp::Neg => Some(Number::wrapped(a.width, -a.high, -a.low, a.stride)),
            UnaryOp::PopCount | UnaryOp::LeadingZeros | UnaryOp::TrailingZeros => {
                Number::of_unsigned(a.width, 0, i128::from(a.width)).or(Some(Number::top(a.width)))
            }
            UnaryOp::SwapBytes
            | UnaryOp::ReverseBits
            | UnaryOp::FloatNeg
            | UnaryOp::FloatAbs
            | UnaryOp::FloatSqrt
            | UnaryOp::FloatFloor
            | UnaryOp::FloatCeil
            | UnaryOp::FloatTrunc => Some(Number::top(a.width)),
        }
    }

    /// The result of an operation with two operands of one width.
    pub fn binary(op: BinaryOp, a: &Number, b: &Number) -> Option<Number> {
        let width = if op.is_comparison() { 1 } else { a.width };
        if a.count().saturating_mul(b.count()) <= MAX_PAIRS {
            let (left, right) = (a.members(MAX_PAIRS)?, b.members(MAX_PAIRS)?);
            let pairs = left.iter().flat_map(|x| right.iter().map(move |y| (*x, *y)));
            return hull(width, pairs.map(|(x, y)| arith::binary(op, a.width, a.bits(x), b.bits(y))));
        }
        if op.is_comparison() {
            return Some(match Number::compare(op, a, b) {
                Some(truth) => Number::constant(1, u128::from(truth)),
                None => Number::top(1),
            });
        }
        Some(Number::arithmetic(op, a, b))
    }

    fn arithmetic(op: BinaryOp, a: &Number, b: &Number) -> Number {
        let width = a.width;
        let step = gcd(a.stride, b.stride);
        let constant = b.single();
        match op {
            BinaryOp::Add => Number::wrapped(width, a.low + b.low, a.high + b.high, step),
            BinaryOp::Sub => Number::wrapped(width, a.low - b.high, a.high - b.low, step),
            BinaryOp::Mul => Number::product(a, b),
            BinaryOp::Udiv => Number::unsigned_quotient(a, b),
            BinaryOp::Urem => Number::unsigned_remainder(a, b),
            BinaryOp::Sdiv if b.low > 0 || b.high < 0 => {
                let corners = [a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high];
                let low = corners.into_iter().min().unwrap_or(0);
                let high = corners.into_iter().max().unwrap_or(0);
                let crosses = a.low <= 0 && a.high >= 0;
                let (low, high) = if crosses { (low.min(0), high.max(0)) } else { (low, high) };
                Number::wrapped(width, low, high, 1)
            }
            BinaryOp::Srem if b.low > 0 || b.high < 0 => {
                let most = b.low.abs().max(b.high.abs()) - 1;
                let low = if a.low < 0 { (-most).max(a.low) } else { 0 };
                let high = if a.high > 0 { most.min(a.high) } else { 0 };
                Number::between(width, low, high).unwrap_or(Number::top(width))
            }
            BinaryOp::Shl => match constant {
                Some(by) if (0..i128::from(width)).contains(&by) && width <= 63 => {
                    Number::wrapped(width, a.low << by, a.high << by, a.stride << by)
                }
                Some(_) | None => Number::top(width),
            },
            BinaryOp::Lshr => match constant {
                Some(by) if (0..i128::from(width)).contains(&by) => {
                    let (low, high) = a.unsigned_range();
                    Number::of_unsigned(width, low >> by, high >> by).unwrap_or(Number::top(width))
                }
                Some(_) | None if a.low >= 0 => Number { low: 0, high: a.high, stride: 1, width },
                Some(_) | None => Number::top(width),
            },
            BinaryOp::Ashr if width > 1 => match constant {
                Some(by) if (0..i128::from(width)).contains(&by) => {
                    Number::between(width, a.low >> by, a.high >> by).unwrap_or(Number::top(width))
                }
                Some(_) | None => {
                    let low = if a.low >= 0 { 0 } else { a.low };
                    let high = if a.high < 0 { -1 } else { a.high };
                    Number::between(width, low, high).unwrap_or(Number::top(width))
                }
            },
            BinaryOp::And if a.low >= 0 || b.low >= 0 => {
                let high = match (a.low >= 0, b.low >= 0) {
                    (true, true) => a.high.min(b.high),
                    (true, false) => a.high,
                    (false, true) | (false, false) => b.high,
                };
                Number::between(width, 0, high).unwrap_or(Number::top(width))
            }
            BinaryOp::Or if a.low >= 0 && b.low >= 0 => {
                let most = all_ones_above(a.high.max(b.high));
                Number::between(width, a.low.max(b.low), most).unwrap_or(Number::top(width))
            }
            BinaryOp::Xor if a.low >= 0 && b.low >= 0 => {
                let most = all_ones_above(a.high.max(b.high));
                Number::between(width, 0, most).unwrap_or(Number::top(width))
            }
            BinaryOp::Sdiv
            | BinaryOp::Srem
            | BinaryOp::Ashr
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::FloatAdd
            | BinaryOp::FloatSub
            | BinaryOp::FloatMul
            | BinaryOp::FloatDiv
            | BinaryOp::FloatRem => Number::top(width),
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Ult
            | BinaryOp::Ule
            | BinaryOp::Slt
            | BinaryOp::Sle
            | BinaryOp::Float(_) => Number::top(1),
        }
    }

    fn product(a: &Number, b: &Number) -> Number {
        let corners = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
        let (Some(low), Some(high)) = (corners.iter().min(), corners.iter().max()) else { return Number::top(a.width) };
        // (la + i sa)(lb + j sb): every product differs from la lb by multiples of these.
        let limit = 1i128 << 62;
        let is_small = |value: i128| value.abs() < limit;
        let stride = if [a.low, b.low, a.stride, b.stride].into_iter().all(is_small) {
            gcd(gcd(a.low * b.stride, b.low * a.stride), a.stride * b.stride).max(1)
        } else {
            1
        };
        let is_aligned = high.checked_sub(*low).is_some_and(|span| span.rem_euclid(stride) == 0);
        Number::wrapped(a.width, *low, *high, if is_aligned { stride } else { 1 })
    }

    fn unsigned_quotient(a: &Number, b: &Number) -> Number {
        let ((a_low, a_high), (b_low, b_high)) = (a.unsigned_range(), b.unsigned_range());
        if b_low == 0 {
            return Number::top(a.width);
        }
        Number::of_unsigned(a.width, a_low / b_high, a_high / b_low).unwrap_or(Number::top(a.width))
    }

    fn unsigned_remainder(a: &Number, b: &Number) -> Number {
        let ((a_low, a_high), (b_low, b_high)) = (a.unsigned_range(), b.unsigned_range());
        if b_low == 0 {
            return Number::top(a.width);
        }
        if a_high < b_low {
            return Number::of_unsigned(a.width, a_low, a_high).unwrap_or(Number::top(a.width));
        }
        Number::of_unsigned(a.width, 0, a_high.min(b_high - 1)).unwrap_or(Number::top(a.width))
    }

    /// Whether a comparison certainly holds or certainly fails; `None` if unknown.
    pub fn compare(op: BinaryOp, a: &Number, b: &Number) -> Option<bool> {
        let below = |(a_low, a_high): (i128, i128), (b_low, b_high): (i128, i128), or_equal: bool| {
            let (certain, excluded) =
                if or_equal { (a_high <= b_low, a_low > b_high) } else { (a_high < b_low, a_low >= b_high) };
            certain.then_some(true).or(excluded.then_some(false))
        };
        let (signed_a, signed_b) = (a.signed_range(), b.signed_range());
        match op {
            BinaryOp::Eq if a.meet(b).is_none() => Some(false),
            BinaryOp::Eq => (a.single().is_some() && a.single() == b.single()).then_some(true),
            BinaryOp::Ne => Number::compare(BinaryOp::Eq, a, b).map(|equal| !equal),
            BinaryOp::Slt => below(signed_a, signed_b, false),
            BinaryOp::Sle => below(signed_a, signed_b, true),
            BinaryOp::Ult => below(a.unsigned_range(), b.unsigned_range(), false),
            BinaryOp::Ule => below(a.unsigned_range(), b.unsigned_range(), true),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Udiv
            | BinaryOp::Sdiv
            | BinaryOp::Urem
            | BinaryOp::Srem
            | BinaryOp::Shl
            | BinaryOp::Lshr
            | BinaryOp::Ashr
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::FloatAdd
            | BinaryOp::FloatSub
            | BinaryOp::FloatMul
            | BinaryOp::FloatDiv
            | BinaryOp::FloatRem
            | BinaryOp::Float(_) => None,
        }
    }

    /// The range as signed comparisons see it: for width 1 that is 0 and -1.
    fn signed_range(&self) -> (i128, i128) {
        if self.width == 1 {
            (-self.high, -self.low)
        } else {
            (self.low, self.high)
        }
    }

    /// The operands for which a comparison can have this outcome, or `None` if there are none.
    pub fn refine(op: BinaryOp, holds: bool, a: &Number, b: &Number) -> Option<(Number, Number)> {
        if Number::compare(op, a, b) == Some(!holds) {
            return None;
        }
        let width = a.width;
        match (op, holds) {
            (BinaryOp::Eq, true) | (BinaryOp::Ne, false) => {
                let both = a.meet(b)?;
                let both = both.meet(a).unwrap_or(both);
                Some((both, both))
            }
            (BinaryOp::Eq, false) | (BinaryOp::Ne, true) => Some((a.without(b)?, b.without(a)?)),
            (BinaryOp::Slt, true) if width > 1 => Number::refine_below(a, b, 1),
            (BinaryOp::Sle, true) if width > 1 => Number::refine_below(a, b, 0),
            (BinaryOp::Slt, false) if width > 1 => Number::refine_below(b, a, 0).map(|(b, a)| (a, b)),
            (BinaryOp::Sle, false) if width > 1 => Number::refine_below(b, a, 1).map(|(b, a)| (a, b)),
            (BinaryOp::Ult, true) => Number::refine_unsigned(a, b, 1),
            (BinaryOp::Ule, true) => Number::refine_unsigned(a, b, 0),
            (BinaryOp::Ult, false) => Number::refine_unsigned(b, a, 0).map(|(b, a)| (a, b)),
            (BinaryOp::Ule, false) => Number::refine_unsigned(b, a, 1).map(|(b, a)| (a, b)),
            (_, _) => Some((*a, *b)),
        }
    }

    fn refine_below(a: &Number, b: &Number, gap: i128) -> Option<(Number, Number)> {
        let less = a.meet(&Number::between(a.width, i128::MIN, b.high - gap)?)?;
        let more = b.meet(&Number::between(b.width, a.low + gap, i128::MAX)?)?;
        Some((less, more))
    }

    fn refine_unsigned(a: &Number, b: &Number, gap: i128) -> Option<(Number, Number)> {
        let ((a_low, _), (_, b_high)) = (a.unsigned_range(), b.unsigned_range());
        let less = a.meet(&Number::of_unsigned(a.width, 0, b_high - gap)?)?;
        let more = b.meet(&Number::of_unsigned(b.width, a_low + gap, (1i128 << b.width) - 1)?)?;
        Some((less, more))
    }

    /// The difference, if the other is one value at the edge of this.
    fn without(&self, other: &Number) -> Option<Number> {
        match other.single() {
            Some(value) if self.low == value && self.high == value => None,
            Some(value) if self.low == value => Number::new(self.width, self.low + self.stride, self.high, self.stride),
            Some(value) if self.high == value => {
                Number::new(self.width, self.low, self.high - self.stride, self.stride)
            }
            Some(_) | None => Some(*self),
        }
    }

    /// The result of a conversion. `None` if it is not tracked.
    pub fn cast(op: CastOp, to: u16, a: &Number) -> Option<Number> {
        if !Number::is_tracked(to) {
            return None;
        }
        if let Some(members) = a.members(MAX_PAIRS) {
            return hull(to, members.into_iter().map(|value| arith::cast(op, a.width, to, a.bits(value))));
        }
        match op {
            CastOp::Zext => {
                let (low, high) = a.unsigned_range();
                Some(Number::wrapped(to, low, high, 1))
            }
            CastOp::Sext => Some(Number { width: to, ..*a }),
            CastOp::Trunc => Some(Number::wrapped(to, a.low, a.high, a.stride)),
            CastOp::PtrToInt
            | CastOp::IntToPtr
            | CastOp::FloatToSigned
            | CastOp::FloatToUnsigned
            | CastOp::SignedToFloat
            | CastOp::UnsignedToFloat
            | CastOp::FloatToFloat => Some(Number::top(to)),
        }
    }

    /// The members of this that a cast can have mapped to something in `result`; `None` if there are none.
    pub fn uncast(op: CastOp, result: &Number, before: &Number) -> Option<Number> {
        match op {
            CastOp::Zext => {
                let most = (1i128 << before.width) - 1;
                let (low, high) = result.unsigned_range();
                before.meet(&Number::of_unsigned(before.width, low.min(most + 1), high.min(most))?)
            }
            CastOp::Sext if before.width > 1 => before.meet(&Number::between(before.width, result.low, result.high)?),
            CastOp::Trunc if result.width > 1 => {
                let (least, greatest) = range(result.width);
                let fits = least <= before.low && before.high <= greatest;
                if fits {
                    before.meet(&Number { width: before.width, ..*result })
                } else {
                    Some(*before)
                }
            }
            CastOp::Trunc if before.low >= 0 && before.high <= 1 => {
                before.meet(&Number { width: before.width, ..*result })
            }
            CastOp::Sext
            | CastOp::Trunc
            | CastOp::PtrToInt
            | CastOp::IntToPtr
            | CastOp::FloatToSigned
            | CastOp::FloatToUnsigned
            | CastOp::SignedToFloat
            | CastOp::UnsignedToFloat
            | CastOp::FloatToFloat => Some(*before),
        }
    }

    /// The value that a read-modify-write stores.
    pub fn rmw(op: RmwOp, old: &Number, operand: &Number) -> Number {
        let width = old.width;
        if old.count().saturating_mul(operand.count()) <= MAX_PAIRS {
            if let (Some(left), Some(right)) = (old.members(MAX_PAIRS), operand.members(MAX_PAIRS)) {
                let pairs = left.iter().flat_map(|x| right.iter().map(move |y| (*x, *y)));
                let results = pairs.map(|(x, y)| Some(arith::rmw(op, width, old.bits(x), operand.bits(y))));
                return hull(width, results).unwrap_or(Number::top(width));
            }
        }
        let binary = |op| Number::binary(op, old, operand).unwrap_or(Number::top(width));
        match op {
            RmwOp::Exchange => *operand,
            RmwOp::Add => binary(BinaryOp::Add),
            RmwOp::Sub => binary(BinaryOp::Sub),
            RmwOp::And => binary(BinaryOp::And),
            RmwOp::Or => binary(BinaryOp::Or),
            RmwOp::Xor => binary(BinaryOp::Xor),
            RmwOp::Nand => Number::unary(UnaryOp::Not, &binary(BinaryOp::And)).unwrap_or(Number::top(width)),
            RmwOp::Max | RmwOp::Min | RmwOp::UnsignedMax | RmwOp::UnsignedMin => old.join(operand),
        }
    }
}

fn all_ones_above(value: i128) -> i128 {
    let mut ones = 1;
    while ones - 1 < value {
        ones <<= 1;
    }
    ones - 1
}

fn hull(width: u16, mut results: impl Iterator<Item = Option<u128>>) -> Option<Number> {
    if !Number::is_tracked(width) {
        return None;
    }
    let mut all: Option<Number> = None;
    loop {
        match results.next() {
            None => return all,
            Some(None) => return Some(Number::top(width)),
            Some(Some(bits)) => {
                let one = Number::constant(width, bits);
                all = Some(all.map_or(one, |old| old.join(&one)));
            }
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (least, greatest) = range(self.width);
        match (self.low == self.high, self.low == least, self.high == greatest) {
            (true, _, _) => write!(f, "= {}", self.low)?,
            (false, true, true) => write!(f, "any")?,
            (false, true, false) => write!(f, "<= {}", self.high)?,
            (false, false, true) => write!(f, ">= {}", self.low)?,
            (false, false, false) => write!(f, "in [{}, {}]", self.low, self.high)?,
        }
        if self.stride > 1 {
            write!(f, " = {} mod {}", self.low.rem_euclid(self.stride), self.stride)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WIDTH: u16 = 4;

    fn any_number(width: u16) -> impl Strategy<Value = Number> {
        let (least, greatest) = range(width);
        (least..=greatest, least..=greatest, 1i128..6).prop_map(move |(a, b, stride)| {
            Number::new(width, a.min(b), a.max(b), stride).expect("the bounds are in order")
        })
    }

    fn members(number: &Number) -> Vec<u128> {
        (0..1u128 << number.width).filter(|bits| number.contains(*bits)).collect()
    }

    fn all_binary() -> Vec<BinaryOp> {
        use BinaryOp::*;
        vec![Add, Sub, Mul, Udiv, Sdiv, Urem, Srem, Shl, Lshr, Ashr, And, Or, Xor, Eq, Ne, Ult, Ule, Slt, Sle]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn join_meet_and_inclusion_are_those_of_sets(a in any_number(WIDTH), b in any_number(WIDTH)) {
            let (left, right) = (members(&a), members(&b));
            prop_assert_eq!(left.len() as i128, a.count());
            let join = a.join(&b);
            for bits in left.iter().chain(&right) {
                prop_assert!(join.contains(*bits));
            }
            prop_assert!(join.includes(&a) && join.includes(&b));
            prop_assert_eq!(a.includes(&b), right.iter().all(|bits| left.contains(bits)));
            let both: Vec<u128> = left.iter().copied().filter(|bits| right.contains(bits)).collect();
            match a.meet(&b) {
                None => prop_assert!(both.is_empty()),
                Some(meet) => prop_assert!(both.iter().all(|bits| meet.contains(*bits))),
            }
            let wide = a.widen(&b, &[-3, 0, 2]);
            prop_assert!(wide.includes(&a) && wide.includes(&b), "{:?}", wide);
        }

        #[test]
        fn operations_cover_every_result(a in any_number(WIDTH), b in any_number(WIDTH)) {
            for op in all_binary() {
                let width = if op.is_comparison() { 1 } else { WIDTH };
                let result = Number::binary(op, &a, &b).expect("small widths are tracked");
                let coarse = if op.is_comparison() { Number::top(1) } else { Number::arithmetic(op, &a, &b) };
                for x in members(&a) {
                    for y in members(&b) {
                        let bits = arith::binary(op, WIDTH, x, y).expect("integers are computed");
                        prop_assert!(result.contains(bits) && result.width == width);
                        prop_assert!(coarse.contains(bits), "{:?} {} {} {:?}", op, x, y, coarse);
                        if op.is_comparison() {
                            prop_assert!(Number::compare(op, &a, &b).is_none_or(|truth| truth == (bits == 1)));
                            let (a2, b2) = Number::refine(op, bits == 1, &a, &b).expect("there are operands");
                            prop_assert!(a2.contains(x) && b2.contains(y), "{:?} {} {}", op, x, y);
                        }
                    }
                }
            }
        }

        #[test]
        fn casts_cover_every_result(a in any_number(WIDTH), to in prop::sample::select(vec![1u16, 2, 4, 7])) {
            for op in [CastOp::Zext, CastOp::Sext, CastOp::Trunc] {
                if (op == CastOp::Trunc) == (to > WIDTH) {
                    continue;
                }
                let result = Number::cast(op, to, &a).expect("small widths are tracked");
                for x in members(&a) {
                    let bits = arith::cast(op, WIDTH, to, x).expect("integers are computed");
                    prop_assert!(result.contains(bits));
                    let one = Number::constant(to, bits);
                    let before = Number::uncast(op, &one, &a).expect("there is an operand");
                    prop_assert!(before.contains(x));
                }
            }
        }

        /// With few members, which are computed one by one, and with many.
        #[test]
        fn unary_operations_and_casts_of_many_cover_every_result(few in any_number(WIDTH), many in any_number(9)) {
            use UnaryOp::*;
            for a in [few, many] {
                for op in [Not, Neg, PopCount, LeadingZeros, TrailingZeros, ReverseBits] {
                    let result = Number::unary(op, &a).expect("small widths are tracked");
                    for x in members(&a) {
                        prop_assert!(arith::unary(op, a.width, x).is_none_or(|bits| result.contains(bits)), "{:?} {}", op, x);
                    }
                }
            }
            for (op, to) in [(CastOp::Zext, 12), (CastOp::Sext, 12), (CastOp::Trunc, 8), (CastOp::Trunc, 4), (CastOp::Trunc, 1)] {
                let result = Number::cast(op, to, &many).expect("small widths are tracked");
                for x in members(&many) {
                    let bits = arith::cast(op, 9, to, x).expect("integers are computed");
                    prop_assert!(result.contains(bits), "{:?} {}", op, x);
                    let before = Number::uncast(op, &result, &many).expect("there is an operand");
                    prop_assert!(before.contains(x), "{:?} {}", op, x);
                }
            }
        }

        #[test]
        fn updates_cover_every_result(a in any_number(WIDTH), b in any_number(WIDTH)) {
            use RmwOp::*;
            for op in [Exchange, Add, Sub, And, Nand, Or, Xor, Max, Min, UnsignedMax, UnsignedMin] {
                let result = Number::rmw(op, &a, &b);
                for x in members(&a) {
                    for y in members(&b) {
                        prop_assert!(result.contains(arith::rmw(op, WIDTH, x, y)));
                    }
                }
            }
        }
    }

    /// Numbers with more members than are computed one by one.
    #[test]
    fn large_numbers_wrap_around() {
        let width = 12;
        let (least, greatest) = range(width);
        let near_top = Number::between(width, greatest - 200, greatest).expect("not empty");
        let one = Number::constant(width, 1);
        let sum = Number::binary(BinaryOp::Add, &near_top, &one).expect("tracked");
        assert!(sum.contains(arith::mask(width) & least as u128) && sum.is_top());
        let moved = Number::binary(BinaryOp::Add, &near_top, &Number::constant(width, 300)).expect("tracked");
        assert_eq!((moved.low(), moved.high()), (least + 99, least + 299));
        let even = Number::binary(BinaryOp::Mul, &near_top, &Number::constant(width, 2)).expect("tracked");
        assert!(even.contains(arith::mask(width) - 1) && !even.contains(arith::mask(width)));
    }
}
