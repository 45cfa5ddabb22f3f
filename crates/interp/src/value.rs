//! Values: bit-vectors and pointers. A pointer is a pair (object, byte offset), and so is an integer derived from a
//! pointer, as long as only operations that keep the pair meaningful are applied to it.

use ir::{FunctionId, ObjectId};

/// The identity of an object at run time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObjRef {
    /// No object: the offset is the address itself (0 is the null pointer).
    Null,
    /// A static object.
    Static(ObjectId),
    /// A function.
    Function(FunctionId),
    /// A thread's copy of a thread-local object.
    ThreadLocal(u32, ObjectId),
    /// The object with this index among those a thread allocated. Indices are reused, but only when no pointer to the
    /// old object is left: so the states of allocating loops become equal, and no dangling pointer is revived.
    Dynamic(u32, u32),
}

/// A pointer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pointer {
    /// The object.
    pub object: ObjRef,
    /// Whether it points into the object's ghost instead of the object.
    pub ghost: bool,
    /// The offset in bytes; it may lie outside the object.
    pub offset: i64,
}

impl Pointer {
    /// The null pointer.
    pub const NULL: Pointer = Pointer::address(0);

    /// The pointer that is just an address.
    pub const fn address(address: i64) -> Pointer {
        Pointer { object: ObjRef::Null, ghost: false, offset: address }
    }

    /// The first byte of an object.
    pub fn to(object: ObjRef) -> Pointer {
        Pointer { object, ghost: false, offset: 0 }
    }

    /// Whether this is the null pointer.
    pub fn is_null(self) -> bool {
        self == Pointer::NULL
    }

    /// The pointer moved by some bytes.
    pub fn moved(self, bytes: i64) -> Pointer {
        Pointer { offset: self.offset.wrapping_add(bytes), ..self }
    }
}

/// A value of a local variable or of a memory cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// Not determined yet: the oracle resolves it at its first use.
    Undef,
    /// A bit-vector; bits at or above its type's width are 0.
    Int(u128),
    /// A pointer, or the integer that is its address.
    Ptr(Pointer),
}

impl Value {
    /// A Boolean.
    pub fn bool(value: bool) -> Value {
        Value::Int(u128::from(value))
    }
}
