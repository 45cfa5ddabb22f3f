//! Expressions: pure, total, over local variables only. Memory is reached by statements, never by expressions.
//!
//! A value is a bit-vector of up to 128 bits or a pointer, which is a pair (object, byte offset). Floating-point
//! numbers are bit-vectors of 32 or 64 bits with operations of their own.

use crate::program::{DataModel, FunctionId, Local, LocalId, ObjectId};
use base::IdVec;

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Type {
    /// A bit-vector of 1 to 128 bits. Prints as `i32`.
    Int(u16),
    /// A pointer. Prints as `ptr`.
    Ptr,
}

impl Type {
    /// A Boolean: 0 or 1.
    pub const BOOL: Type = Type::Int(1);

    /// The size of a value of this type in memory, `pointer_bytes` being the size of a pointer.
    pub fn bytes(self, pointer_bytes: u64) -> u64 {
        match self {
            Type::Int(width) => u64::from(width).div_ceil(8),
            Type::Ptr => pointer_bytes,
        }
    }
}

/// An operation with one operand; the result has the operand's type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnaryOp {
    /// Bitwise complement.
    Not,
    /// Two's complement negation.
    Neg,
    /// Number of one bits.
    PopCount,
    /// Number of leading zero bits; the width for 0.
    LeadingZeros,
    /// Number of trailing zero bits; the width for 0.
    TrailingZeros,
    /// Bytes in reverse order (width a multiple of 8).
    SwapBytes,
    /// Bits in reverse order.
    ReverseBits,
    /// Floating-point negation.
    FloatNeg,
    /// Floating-point absolute value.
    FloatAbs,
    /// Floating-point square root.
    FloatSqrt,
    /// Round towards minus infinity.
    FloatFloor,
    /// Round towards plus infinity.
    FloatCeil,
    /// Round towards zero.
    FloatTrunc,
}

/// A comparison of floating-point numbers; `U` variants are also true for NaN operands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum FloatCompare {
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
}

/// An operation with two operands of one type. Comparisons give `i1`, everything else the operands' type.
///
/// All are total: division by zero gives all ones (signed, of a negative number: 1; remainder: the dividend), as in
/// SMT-LIB, and a shift by the width or more gives 0 (arithmetic: the sign). The front end inserts a check where C
/// leaves the result undefined.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BinaryOp {
    /// Sum, modulo two to the width.
    Add,
    /// Difference. On two pointers: the byte distance, as an integer of pointer width.
    Sub,
    /// Product.
    Mul,
    /// Unsigned quotient.
    Udiv,
    /// Signed quotient, rounded towards zero.
    Sdiv,
    /// Unsigned remainder.
    Urem,
    /// Signed remainder, with the sign of the dividend.
    Srem,
    /// Left shift.
    Shl,
    /// Logical right shift.
    Lshr,
    /// Arithmetic right shift.
    Ashr,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Equal (integers and pointers).
    Eq,
    /// Not equal (integers and pointers).
    Ne,
    /// Unsigned less than (integers and pointers).
    Ult,
    /// Unsigned at most (integers and pointers).
    Ule,
    /// Signed less than.
    Slt,
    /// Signed at most.
    Sle,
    /// Floating-point sum.
    FloatAdd,
    /// Floating-point difference.
    FloatSub,
    /// Floating-point product.
    FloatMul,
    /// Floating-point quotient.
    FloatDiv,
    /// Floating-point remainder, as C's `fmod`.
    FloatRem,
    /// Floating-point comparison.
    Float(FloatCompare),
}

impl BinaryOp {
    /// Whether the result is `i1`.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Ult | Ule | Slt | Sle | Float(_))
    }
}

/// A conversion.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CastOp {
    /// Zero extension.
    Zext,
    /// Sign extension.
    Sext,
    /// The low bits.
    Trunc,
    /// A pointer's address. Objects do not overlap; their addresses are unknown.
    PtrToInt,
    /// The pointer with this address.
    IntToPtr,
    /// Floating-point number to signed integer, towards zero.
    FloatToSigned,
    /// Floating-point number to unsigned integer, towards zero.
    FloatToUnsigned,
    /// Signed integer to floating-point number.
    SignedToFloat,
    /// Unsigned integer to floating-point number.
    UnsignedToFloat,
    /// Floating-point number to one of another width.
    FloatToFloat,
}

/// A pure expression over the local variables of one function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Expr {
    /// A bit-vector constant; `value` has no bits at or above `width`.
    Int {
        /// The width in bits, 1 to 128.
        width: u16,
        /// The value.
        value: u128,
    },
    /// The null pointer.
    Null,
    /// The value of a local variable.
    Local(LocalId),
    /// The address of the first byte of a static object (of the running thread's copy, if it is thread-local).
    Object(ObjectId),
    /// The address of a function.
    Function(FunctionId),
    /// The number of the running thread, as an integer of pointer width: `main` has 1, and 0 is no thread.
    SelfThread,
    /// An operation with one operand.
    Unary {
        /// The operation.
        op: UnaryOp,
        /// The operand's type.
        ty: Type,
        /// The operand.
        arg: Box<Expr>,
    },
    /// An operation with two operands.
    Binary {
        /// The operation.
        op: BinaryOp,
        /// The type of both operands.
        ty: Type,
        /// The left operand.
        lhs: Box<Expr>,
        /// The right operand.
        rhs: Box<Expr>,
    },
    /// A conversion.
    Cast {
        /// The operation.
        op: CastOp,
        /// The operand's type.
        from: Type,
        /// The result's type.
        to: Type,
        /// The operand.
        arg: Box<Expr>,
    },
    /// `cond ? then : otherwise`; all three are evaluated.
    Select {
        /// An `i1`.
        cond: Box<Expr>,
        /// The value if `cond` is 1.
        then: Box<Expr>,
        /// The value if `cond` is 0.
        otherwise: Box<Expr>,
    },
    /// A pointer moved by a number of bytes (signed, of pointer width), within its object or out of it.
    Offset {
        /// A pointer.
        base: Box<Expr>,
        /// The distance.
        bytes: Box<Expr>,
    },
    /// The ghost record of an address, where the models of synchronisation objects keep their state, regardless of the
    /// program's own declaration of those objects. Every object of n bytes has a ghost object of 4n bytes, initially
    /// zero and with the same lifetime ([`ghost_size`]: there is always room for one record); the record of offset o
    /// starts at offset 4o and has room for 16 bytes when o is 4-aligned. The program itself cannot access it.
    Ghost(Box<Expr>),
}

/// The size in bytes of the ghost of an object: room for the whole record of each 4-aligned offset in it.
pub fn ghost_size(size: u64) -> u64 {
    size.div_ceil(4).max(1).saturating_mul(16)
}

impl Expr {
    /// Maximum nesting of expressions, so that traversals may be recursive.
    pub const MAX_DEPTH: usize = 500;

    /// The constant `value` (truncated to `width` bits).
    pub fn int(width: u16, value: u128) -> Expr {
        let mask = if width >= 128 { u128::MAX } else { (1u128 << width) - 1 };
        Expr::Int { width, value: value & mask }
    }

    /// A Boolean constant.
    pub fn bool(value: bool) -> Expr {
        Expr::int(1, u128::from(value))
    }

    /// An operation with two operands.
    pub fn binary(op: BinaryOp, ty: Type, lhs: Expr, rhs: Expr) -> Expr {
        Expr::Binary { op, ty, lhs: Box::new(lhs), rhs: Box::new(rhs) }
    }

    /// An operation with one operand.
    pub fn unary(op: UnaryOp, ty: Type, arg: Expr) -> Expr {
        Expr::Unary { op, ty, arg: Box::new(arg) }
    }

    /// A conversion.
    pub fn cast(op: CastOp, from: Type, to: Type, arg: Expr) -> Expr {
        Expr::Cast { op, from, to, arg: Box::new(arg) }
    }

    /// A choice between two values.
    pub fn select(cond: Expr, then: Expr, otherwise: Expr) -> Expr {
        Expr::Select { cond: Box::new(cond), then: Box::new(then), otherwise: Box::new(otherwise) }
    }

    /// Whether it is `then` if `cond`, an `i1`, is 1.
    pub fn is_if(&self, cond: LocalId, then: LocalId) -> bool {
        matches!(self, Expr::Select { cond: of, then: value, .. }
            if **of == Expr::Local(cond) && **value == Expr::Local(then))
    }

    /// A moved pointer.
    pub fn offset(base: Expr, bytes: Expr) -> Expr {
        Expr::Offset { base: Box::new(base), bytes: Box::new(bytes) }
    }

    /// The Boolean complement of an `i1`, without double negations.
    pub fn negate(cond: Expr) -> Expr {
        match cond {
            Expr::Int { width: 1, value } => Expr::bool(value == 0),
            Expr::Unary { op: UnaryOp::Not, ty: Type::BOOL, arg } => *arg,
            Expr::Binary { op: BinaryOp::Eq, ty, lhs, rhs } => Expr::Binary { op: BinaryOp::Ne, ty, lhs, rhs },
            Expr::Binary { op: BinaryOp::Ne, ty, lhs, rhs } => Expr::Binary { op: BinaryOp::Eq, ty, lhs, rhs },
            other => Expr::unary(UnaryOp::Not, Type::BOOL, other),
        }
    }

    /// The type of the value. The expression must be valid over these local variables.
    pub fn ty(&self, data_model: DataModel, locals: &IdVec<LocalId, Local>) -> Type {
        match self {
            Expr::Int { width, .. } => Type::Int(*width),
            Expr::Local(local) => locals[*local].ty,
            Expr::Null | Expr::Object(_) | Expr::Function(_) | Expr::Offset { .. } | Expr::Ghost(_) => Type::Ptr,
            Expr::SelfThread => data_model.size_type(),
            Expr::Unary { ty, .. } => *ty,
            Expr::Binary { op, .. } if op.is_comparison() => Type::BOOL,
            Expr::Binary { op: BinaryOp::Sub, ty: Type::Ptr, .. } => data_model.size_type(),
            Expr::Binary { ty, .. } => *ty,
            Expr::Cast { to, .. } => *to,
            Expr::Select { then, .. } => then.ty(data_model, locals),
        }
    }

    /// Calls `visit` on this expression and all its parts, operands first.
    pub fn for_each(&self, visit: &mut impl FnMut(&Expr)) {
        match self {
            Expr::Int { .. } | Expr::Null | Expr::Local(_) | Expr::Object(_) | Expr::Function(_) | Expr::SelfThread => {
            }
            Expr::Unary { arg, .. } | Expr::Cast { arg, .. } | Expr::Ghost(arg) => arg.for_each(visit),
            Expr::Binary { lhs, rhs, .. } | Expr::Offset { base: lhs, bytes: rhs } => {
                lhs.for_each(visit);
                rhs.for_each(visit);
            }
            Expr::Select { cond, then, otherwise } => {
                cond.for_each(visit);
                then.for_each(visit);
                otherwise.for_each(visit);
            }
        }
        visit(self);
    }

    /// Whether the local variable occurs.
    pub fn mentions(&self, local: LocalId) -> bool {
        let mut found = false;
        self.for_each(&mut |part| found |= *part == Expr::Local(local));
        found
    }
}
