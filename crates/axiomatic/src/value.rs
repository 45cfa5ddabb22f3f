//! Values and expressions of the enumerator: its own small evaluator, on the arithmetic of `ir` alone. Null is the
//! integer 0. Anything that depends on object addresses or undefined values is unsupported.

use super::{unsupported, Failure};
use base::Id;
use ir::arith;
use ir::{BinaryOp, CastOp, DataModel, Expr, FunctionId, ObjectId, ObjectKind, Program, Type};

/// An object at run time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Home {
    /// A static object.
    Static(ObjectId),
    /// A thread's copy of a thread-local one.
    ThreadLocal(usize, ObjectId),
    /// The n-th allocation of a thread.
    Allocated(usize, usize),
}

/// A pointer to an object or into its ghost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Pointer {
    pub(super) home: Home,
    pub(super) ghost: bool,
    pub(super) offset: i64,
}

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Value {
    Undefined,
    Int(u128),
    Pointer(Pointer),
    Function(FunctionId),
}

/// The context of an evaluation.
pub(super) struct Scope<'a> {
    pub(super) program: &'a Program,
    pub(super) locals: &'a [Value],
    /// The thread's index in the graph.
    pub(super) thread: usize,
    /// The thread's number in the program.
    pub(super) number: u32,
}

impl Scope<'_> {
    /// The value of an expression. A variable by itself may be undefined; an operation on it is unsupported.
    pub(super) fn eval(&self, expr: &Expr) -> Result<Value, Failure> {
        Ok(match expr {
            Expr::Int { value, .. } => Value::Int(*value),
            Expr::Null => Value::Int(0),
            Expr::Local(local) => self.locals[local.index()],
            Expr::Object(object) => Value::Pointer(Pointer {
                home: match self.program.objects[*object].kind {
                    ObjectKind::ThreadLocal => Home::ThreadLocal(self.thread, *object),
                    ObjectKind::Global | ObjectKind::Constant => Home::Static(*object),
                },
                ghost: false,
                offset: 0,
            }),
            Expr::Function(function) => Value::Function(*function),
            Expr::SelfThread => Value::Int(u128::from(self.number)),
            Expr::Unary { op, ty, arg } => {
                let arg = self.int(arg)?;
                Value::Int(computed(arith::unary(*op, width(self.program.data_model, *ty), arg))?)
            }
            Expr::Binary { op, ty, lhs, rhs } => self.binary(*op, *ty, self.eval(lhs)?, self.eval(rhs)?)?,
            Expr::Cast { op, from, to, arg } => self.cast(*op, *from, *to, self.eval(arg)?)?,
            Expr::Select { cond, then, otherwise } => self.eval(if self.holds(cond)? { then } else { otherwise })?,
            Expr::Offset { base, bytes } => {
                let (base, bytes) = (self.pointer(base)?, self.int(bytes)?);
                let by = arith::signed(self.program.data_model.pointer_width(), bytes) as i64;
                Value::Pointer(Pointer { offset: base.offset.wrapping_add(by), ..base })
            }
            Expr::Ghost(base) => {
                let base = self.pointer(base)?;
                Value::Pointer(Pointer { ghost: true, offset: base.offset.wrapping_mul(4), ..base })
            }
        })
    }

    /// The value of an integer expression.
    pub(super) fn int(&self, expr: &Expr) -> Result<u128, Failure> {
        match self.eval(expr)? {
            Value::Int(value) => Ok(value),
            Value::Undefined => unsupported("an undefined value that is used"),
            Value::Pointer(_) | Value::Function(_) => unsupported("the address of an object as a number"),
        }
    }

    /// The value of a pointer expression that points to an object.
    pub(super) fn pointer(&self, expr: &Expr) -> Result<Pointer, Failure> {
        match self.eval(expr)? {
            Value::Pointer(pointer) => Ok(pointer),
            Value::Undefined => unsupported("an undefined value that is used"),
            Value::Int(_) | Value::Function(_) => unsupported("a pointer to no object"),
        }
    }

    /// Whether a condition holds.
    pub(super) fn holds(&self, cond: &Expr) -> Result<bool, Failure> {
        Ok(self.int(cond)? != 0)
    }

    fn binary(&self, op: BinaryOp, ty: Type, lhs: Value, rhs: Value) -> Result<Value, Failure> {
        let width = width(self.program.data_model, ty);
        let number = |truth: bool| Ok(Value::Int(u128::from(truth)));
        match (op, lhs, rhs) {
            (_, Value::Int(a), Value::Int(b)) => Ok(Value::Int(computed(arith::binary(op, width, a, b))?)),
            (_, Value::Undefined, _) | (_, _, Value::Undefined) => unsupported("an undefined value that is used"),
            (BinaryOp::Eq, a, b) if is_comparable(a, b) => number(a == b),
            (BinaryOp::Ne, a, b) if is_comparable(a, b) => number(a != b),
            (BinaryOp::Add, Value::Pointer(base), Value::Int(by))
            | (BinaryOp::Add, Value::Int(by), Value::Pointer(base)) => {
                let by = arith::signed(width, by) as i64;
                Ok(Value::Pointer(Pointer { offset: base.offset.wrapping_add(by), ..base }))
            }
            (BinaryOp::Sub, Value::Pointer(a), Value::Pointer(b)) if a.home == b.home && a.ghost == b.ghost => {
                Ok(Value::Int(a.offset.wrapping_sub(b.offset) as u128 & arith::mask(width)))
            }
            (_, _, _) => unsupported("this operation on addresses"),
        }
    }

    fn cast(&self, op: CastOp, from: Type, to: Type, arg: Value) -> Result<Value, Failure> {
        let (from, to) = (width(self.program.data_model, from), width(self.program.data_model, to));
        match (op, arg) {
            (_, Value::Undefined) => unsupported("an undefined value that is used"),
            (CastOp::PtrToInt | CastOp::IntToPtr, Value::Int(value)) => Ok(Value::Int(value & arith::mask(to))),
            (CastOp::PtrToInt | CastOp::IntToPtr, _) if from == to => Ok(arg),
            (_, Value::Int(value)) => Ok(Value::Int(computed(arith::cast(op, from, to, value))?)),
            (_, Value::Pointer(_) | Value::Function(_)) => unsupported("the address of an object as a number"),
        }
    }
}

/// Whether equality does not depend on addresses: an address is comparable to a number only if that is null.
fn is_comparable(a: Value, b: Value) -> bool {
    let is_other_number = |value| matches!(value, Value::Int(number) if number != 0);
    !is_other_number(a) && !is_other_number(b)
}

fn computed(result: Option<u128>) -> Result<u128, Failure> {
    result.map_or_else(|| unsupported("this floating-point operation"), Ok)
}

/// The width of a type in bits.
pub(super) fn width(data_model: DataModel, ty: Type) -> u16 {
    match ty {
        Type::Int(width) => width,
        Type::Ptr => data_model.pointer_width(),
    }
}
