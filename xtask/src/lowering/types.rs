//! The types of operands, the syntax of their constants, and interesting bit patterns.

use std::fmt;
use testing::programs::rng::Rng;

/// A scalar type of LLVM whose arithmetic is lowered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Scalar {
    Int(u16),
    Float,
    Double,
}

/// A scalar type, or a vector of one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Ty {
    pub(super) scalar: Scalar,
    pub(super) lanes: Option<u8>,
}

impl Scalar {
    pub(super) fn width(self) -> u16 {
        match self {
            Scalar::Int(width) => width,
            Scalar::Float => 32,
            Scalar::Double => 64,
        }
    }

    pub(super) fn is_int(self) -> bool {
        matches!(self, Scalar::Int(_))
    }

    /// Whether elements of a vector of it are contiguous in memory, like elements of an array.
    pub(super) fn is_machine_word(self) -> bool {
        matches!(self.width(), 8 | 16 | 32 | 64) || !self.is_int()
    }

    /// Random bits, or boundary values.
    pub(super) fn bits(self, rng: &mut Rng) -> u128 {
        let ones = u128::MAX >> (128 - u32::from(self.width()));
        let random = (0..8).fold(0u128, |bits, _| bits << 16 | rng.below(1 << 16) as u128) & ones;
        let (edge, small) = (rng.below(8), rng.below(40) as u128);
        match self {
            Scalar::Int(_) => {
                let smallest = (ones >> 1) + 1;
                match edge {
                    0 => *rng.pick(&[0, 1 & ones, ones, smallest, ones >> 1, (smallest + 1) & ones, (ones - 1) & ones]),
                    1 => small & ones,
                    2 => small.wrapping_neg() & ones,
                    3 => (1 << (small % u128::from(self.width()))) & ones,
                    _ => random,
                }
            }
            Scalar::Float => match edge {
                0 | 1 => u128::from(*rng.pick(&FLOATS)),
                2 | 3 => u128::from((small as f32 / 4.0 - 4.5).to_bits()),
                4 => u128::from((random as u32 as f32 / 65536.0).to_bits()),
                _ => random,
            },
            Scalar::Double => match edge {
                0 | 1 => u128::from(*rng.pick(&DOUBLES)),
                2 | 3 => u128::from((small as f64 / 4.0 - 4.5).to_bits()),
                4 => u128::from((random as u64 as f64 / 65536.0).to_bits()),
                _ => random,
            },
        }
    }

    /// A constant with these bits, as LLVM writes it.
    pub(super) fn literal(self, bits: u128) -> String {
        match self {
            Scalar::Int(_) => bits.to_string(),
            Scalar::Float | Scalar::Double => format!("bitcast (i{} {bits} to {self})", self.width()),
        }
    }

    /// Its name in overloaded intrinsic functions.
    pub(super) fn suffix(self) -> String {
        match self {
            Scalar::Int(width) => format!("i{width}"),
            Scalar::Float => "f32".to_owned(),
            Scalar::Double => "f64".to_owned(),
        }
    }
}

/// Zeros, one, infinities, quiet and signalling NaNs with payloads, the least and largest of each class.
const FLOATS: [u32; 15] = [
    0,
    1 << 31,
    0x3f80_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_1234,
    0x7f80_0001,
    0xffa0_0000,
    1,
    0x007f_ffff,
    0x0080_0000,
    0x7f7f_ffff,
    0x8000_0001,
    0x4b00_0001,
];

const DOUBLES: [u64; 15] = [
    0,
    1 << 63,
    0x3ff0_0000_0000_0000,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0xfff8_0000_0000_1234,
    0x7ff0_0000_0000_0001,
    0xfff4_0000_0000_0000,
    1,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0x8000_0000_0000_0001,
    0x4330_0000_0000_0001,
];

impl Ty {
    pub(super) fn int(width: u16) -> Ty {
        Ty { scalar: Scalar::Int(width), lanes: None }
    }

    pub(super) fn of(scalar: Scalar) -> Ty {
        Ty { scalar, lanes: None }
    }

    /// As many lanes of another scalar.
    pub(super) fn with(self, scalar: Scalar) -> Ty {
        Ty { scalar, ..self }
    }

    /// How many scalars it has.
    pub(super) fn count(self) -> usize {
        self.lanes.map_or(1, usize::from)
    }

    pub(super) fn suffix(self) -> String {
        match self.lanes {
            None => self.scalar.suffix(),
            Some(lanes) => format!("v{lanes}{}", self.scalar.suffix()),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Int(width) => write!(f, "i{width}"),
            Scalar::Float => f.write_str("float"),
            Scalar::Double => f.write_str("double"),
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lanes {
            None => write!(f, "{}", self.scalar),
            Some(lanes) => write!(f, "<{lanes} x {}>", self.scalar),
        }
    }
}
