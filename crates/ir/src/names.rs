//! The words of the text form for operations, orders and kinds: one table each, read in both directions.

use crate::claim::{Maker, SyncObject};
use crate::expr::{BinaryOp, CastOp, FloatCompare, UnaryOp};
use crate::program::{DataModel, ObjectKind};
use crate::stmt::{AllocKind, Order, RmwOp};

/// Defines `name` and `named`, inverse to each other, as an exhaustive match each.
macro_rules! names {
    ($ty:ident: $($item:pat => $value:expr, $name:literal;)*) => {
        impl $ty {
            /// The word of the text form.
            pub fn word(self) -> &'static str {
                match self {
                    $($item => $name,)*
                }
            }

            /// The one with this word in the text form.
            pub fn from_word(word: &str) -> Option<$ty> {
                match word {
                    $($name => Some($value),)*
                    _ => None,
                }
            }
        }
    };
    ($ty:ident { $($item:ident => $name:literal,)* }) => {
        names!($ty: $($ty::$item => $ty::$item, $name;)*);
    };
}

names!(SyncObject {
    Mutex => "mutex",
    Condition => "condition",
    RwLock => "rwlock",
    SpinLock => "spinlock",
    Barrier => "barrier",
    Semaphore => "semaphore",
    OnceFlag => "once",
});

names!(Maker {
    Malloc => "malloc",
    New => "new",
    NewArray => "new-array",
    AlignedNew => "aligned-new",
    AlignedNewArray => "aligned-new-array",
});

names!(UnaryOp {
    Not => "not",
    Neg => "neg",
    PopCount => "popcount",
    LeadingZeros => "clz",
    TrailingZeros => "ctz",
    SwapBytes => "bswap",
    ReverseBits => "bitreverse",
    FloatNeg => "fneg",
    FloatAbs => "fabs",
    FloatSqrt => "fsqrt",
    FloatFloor => "ffloor",
    FloatCeil => "fceil",
    FloatTrunc => "ftrunc",
});

names!(FloatCompare {
    Oeq => "foeq",
    Ogt => "fogt",
    Oge => "foge",
    Olt => "folt",
    Ole => "fole",
    One => "fone",
    Ord => "ford",
    Ueq => "fueq",
    Ugt => "fugt",
    Uge => "fuge",
    Ult => "fult",
    Ule => "fule",
    Une => "fune",
    Uno => "funo",
});

impl BinaryOp {
    /// The word of the text form.
    pub fn word(self) -> &'static str {
        use BinaryOp::*;
        match self {
            Add => "add",
            Sub => "sub",
            Mul => "mul",
            Udiv => "udiv",
            Sdiv => "sdiv",
            Urem => "urem",
            Srem => "srem",
            Shl => "shl",
            Lshr => "lshr",
            Ashr => "ashr",
            And => "and",
            Or => "or",
            Xor => "xor",
            Eq => "eq",
            Ne => "ne",
            Ult => "ult",
            Ule => "ule",
            Slt => "slt",
            Sle => "sle",
            FloatAdd => "fadd",
            FloatSub => "fsub",
            FloatMul => "fmul",
            FloatDiv => "fdiv",
            FloatRem => "frem",
            Float(how) => how.word(),
        }
    }

    /// The one with this word in the text form.
    pub fn from_word(word: &str) -> Option<BinaryOp> {
        use BinaryOp::*;
        Some(match word {
            "add" => Add,
            "sub" => Sub,
            "mul" => Mul,
            "udiv" => Udiv,
            "sdiv" => Sdiv,
            "urem" => Urem,
            "srem" => Srem,
            "shl" => Shl,
            "lshr" => Lshr,
            "ashr" => Ashr,
            "and" => And,
            "or" => Or,
            "xor" => Xor,
            "eq" => Eq,
            "ne" => Ne,
            "ult" => Ult,
            "ule" => Ule,
            "slt" => Slt,
            "sle" => Sle,
            "fadd" => FloatAdd,
            "fsub" => FloatSub,
            "fmul" => FloatMul,
            "fdiv" => FloatDiv,
            "frem" => FloatRem,
            _ => Float(FloatCompare::from_word(word)?),
        })
    }
}

names!(CastOp {
    Zext => "zext",
    Sext => "sext",
    Trunc => "trunc",
    PtrToInt => "ptrtoint",
    IntToPtr => "inttoptr",
    FloatToSigned => "ftosi",
    FloatToUnsigned => "ftoui",
    SignedToFloat => "sitof",
    UnsignedToFloat => "uitof",
    FloatToFloat => "ftof",
});

names!(RmwOp {
    Exchange => "xchg",
    Add => "add",
    Sub => "sub",
    And => "and",
    Nand => "nand",
    Or => "or",
    Xor => "xor",
    Max => "max",
    Min => "min",
    UnsignedMax => "umax",
    UnsignedMin => "umin",
});

names!(Order {
    Plain => "plain",
    Relaxed => "relaxed",
    Acquire => "acquire",
    Release => "release",
    AcqRel => "acq_rel",
    SeqCst => "seq_cst",
});

names!(ObjectKind {
    Global => "global",
    ThreadLocal => "thread-local",
    Constant => "constant",
});

names!(AllocKind {
    Stack => "stack",
    Heap => "heap",
});

impl DataModel {
    /// The one with this name.
    pub fn from_word(word: &str) -> Option<DataModel> {
        [DataModel::Ilp32, DataModel::Lp64].into_iter().find(|model| model.name() == word)
    }
}
