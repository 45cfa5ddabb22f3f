//! Evaluation of expressions, and the arithmetic of integers that are addresses: kept exact as (object, offset) where
//! the result does not depend on where the object lies (differences, alignment, tag bits), otherwise computed with the
//! layout and recorded as a gap.

use crate::machine::{Gap, Machine, Site};
use crate::oracle::Question;
use crate::state::State;
use crate::step::{Interrupt, Step};
use crate::value::{ObjRef, Pointer, Value};
use base::Id;
use ir::arith::{self, mask, signed};
use ir::{BinaryOp, CastOp, EdgeId, Expr, Fault, FunctionId, LocalId, ObjectKind, Pick, Type, Violation};
use std::rc::Rc;

/// The address that belongs to no object.
const NOWHERE: u128 = 0x7fff_fff0;

/// Evaluates expressions in a state: a step in progress, or a read-only look at the state.
pub(crate) trait Eval<'p> {
    /// The program.
    fn machine(&self) -> &Machine<'p>;
    /// The state.
    fn state(&self) -> &State;
    /// The running thread.
    fn thread(&self) -> u32;
    /// The statement.
    fn at(&self) -> (FunctionId, EdgeId);
    /// The variables of the topmost frame.
    fn locals(&mut self) -> &mut [Value];
    /// The statement as the user sees it.
    fn site(&self) -> Site {
        self.machine().site(self.state(), self.thread(), self.at())
    }
    /// An input of a width, below a bound if one is given.
    fn input(
        &mut self,
        width: u16,
        below: Option<u128>,
        classes: Option<Rc<[u128]>>,
        name: &str,
    ) -> Result<u128, Interrupt>;

    /// The value of an expression. Undefined variables it mentions are given a value first.
    fn eval(&mut self, expr: &Expr) -> Result<Value, Interrupt> {
        Ok(match expr {
            Expr::Int { value, .. } => Value::Int(*value),
            Expr::Null => Value::Ptr(Pointer::NULL),
            Expr::Local(local) => match self.locals()[local.index()] {
                Value::Undef => self.resolve_local(*local)?,
                value => value,
            },
            Expr::Object(object) => Value::Ptr(Pointer::to(match self.machine().program.objects[*object].kind {
                ObjectKind::ThreadLocal => ObjRef::ThreadLocal(self.thread(), *object),
                ObjectKind::Global | ObjectKind::Constant => ObjRef::Static(*object),
            })),
            Expr::Function(function) => Value::Ptr(Pointer::to(ObjRef::Function(*function))),
            Expr::SelfThread => Value::Int(u128::from(self.thread())),
            Expr::Unary { op, ty, arg } => {
                let width = self.width(*ty);
                let arg = self.eval(arg)?;
                let arg = self.as_int(arg);
                Value::Int(self.computed(arith::unary(*op, width, arg))?)
            }
            Expr::Binary { op, ty, lhs, rhs } => {
                let (lhs, rhs) = (self.eval(lhs)?, self.eval(rhs)?);
                self.binary(*op, *ty, lhs, rhs)?
            }
            Expr::Cast { op, from, to, arg } => {
                let arg = self.eval(arg)?;
                self.cast(*op, *from, *to, arg)?
            }
            Expr::Select { cond, then, otherwise } => {
                // Evaluating only the side that is taken avoids questions about irrelevant values.
                let side = if self.eval(cond)? == Value::Int(0) { otherwise } else { then };
                self.eval(side)?
            }
            Expr::Offset { base, bytes } => {
                let base = self.eval_pointer(base)?;
                let bytes = self.eval_int(bytes)?;
                Value::Ptr(base.moved(signed(self.pointer_width(), bytes) as i64))
            }
            Expr::Ghost(base) => {
                let base = self.eval_pointer(base)?;
                Value::Ptr(Pointer { ghost: true, offset: base.offset.wrapping_mul(4), ..base })
            }
        })
    }

    /// The value of an expression that is stored somewhere. An undefined variable that dies here is passed on as it is,
    /// so that unused inputs are not enumerated.
    fn eval_moved(&mut self, expr: &Expr) -> Result<Value, Interrupt> {
        if let Expr::Local(local) = expr {
            let (function, edge) = self.at();
            let is_undefined = self.locals()[local.index()] == Value::Undef;
            if is_undefined && self.machine().code[function].dying[edge].contains(local) {
                return Ok(Value::Undef);
            }
        }
        self.eval(expr)
    }

    /// The value of an integer expression.
    fn eval_int(&mut self, expr: &Expr) -> Result<u128, Interrupt> {
        let value = self.eval(expr)?;
        Ok(self.as_int(value))
    }

    /// The value of a pointer expression.
    fn eval_pointer(&mut self, expr: &Expr) -> Result<Pointer, Interrupt> {
        Ok(match self.eval(expr)? {
            Value::Ptr(pointer) => pointer,
            Value::Int(address) => self.pointer_at(address),
            Value::Undef => Pointer::NULL,
        })
    }

    /// Whether a condition holds.
    fn holds(&mut self, cond: &Expr) -> Result<bool, Interrupt> {
        Ok(self.eval_int(cond)? != 0)
    }

    fn pointer_width(&self) -> u16 {
        self.machine().program.data_model.pointer_width()
    }

    fn width(&self, ty: Type) -> u16 {
        match ty {
            Type::Int(width) => width,
            Type::Ptr => self.pointer_width(),
        }
    }

    fn computed(&self, result: Option<u128>) -> Result<u128, Interrupt> {
        result.ok_or_else(|| Interrupt::Unmodelled("this floating-point operation".into()))
    }

    /// Gives an undefined variable a value.
    fn resolve_local(&mut self, local: LocalId) -> Result<Value, Interrupt> {
        let program = self.machine().program;
        let variable = &program.functions[self.at().0].locals[local];
        let classes = self.machine().classes[self.at().0][local].clone();
        let value = match variable.ty {
            Type::Int(width) => Value::Int(self.input(width, None, classes, &variable.name)?),
            Type::Ptr => {
                // An arbitrary pointer is null or points to no object; that it might point to an object is a gap,
                // unless it is only compared with null.
                if classes.is_none() {
                    self.machine().gap(Gap::Inputs { at: self.site() });
                }
                let classes = classes.or_else(|| Some(Rc::from([0, NOWHERE])));
                let address = self.input(self.pointer_width(), None, classes, &variable.name)?;
                Value::Ptr(Pointer::address(address as i64))
            }
        };
        self.locals()[local.index()] = value;
        Ok(value)
    }

    /// The bits of a value; a pointer is its address, which is a gap.
    fn as_int(&mut self, value: Value) -> u128 {
        match value {
            Value::Int(value) => value,
            Value::Undef => 0,
            Value::Ptr(pointer) => {
                if pointer.object != ObjRef::Null {
                    self.expose(pointer);
                }
                self.machine().layout.address(pointer)
            }
        }
    }

    /// The pointer with an address. Whether an object lies there depends on the layout.
    fn pointer_at(&self, address: u128) -> Pointer {
        let pointer = self.machine().layout.pointer(address);
        if pointer.object != ObjRef::Null {
            self.machine().gap(Gap::Addresses { at: self.site() });
        }
        pointer
    }

    /// Records that an address becomes observable.
    fn expose(&self, pointer: Pointer) {
        self.machine().gap(Gap::Addresses { at: self.site() });
        let size = self.state().object(pointer.object).map_or(0, |object| object.size());
        if !self.machine().layout.has_room(pointer.object, size) {
            self.machine().gap(Gap::Unmodelled { what: "the address of an object this large".into(), at: self.site() });
        }
    }

    fn cast(&mut self, op: CastOp, from: Type, to: Type, arg: Value) -> Result<Value, Interrupt> {
        let pointer_width = self.pointer_width();
        match (op, arg) {
            (CastOp::PtrToInt, Value::Ptr(pointer)) => {
                if pointer.object != ObjRef::Null && self.width(to) == pointer_width {
                    return Ok(arg);
                }
                let address = self.as_int(arg);
                Ok(Value::Int(address & mask(self.width(to))))
            }
            (CastOp::IntToPtr, Value::Ptr(_)) => Ok(arg),
            (CastOp::IntToPtr, Value::Int(address)) => Ok(Value::Ptr(self.pointer_at(address & mask(pointer_width)))),
            (CastOp::PtrToInt, Value::Int(value)) => Ok(Value::Int(value & mask(self.width(to)))),
            (_, arg) => {
                let arg = self.as_int(arg);
                let (from, to) = (self.width(from), self.width(to));
                Ok(Value::Int(self.computed(arith::cast(op, from, to, arg))?))
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, ty: Type, lhs: Value, rhs: Value) -> Result<Value, Interrupt> {
        if let (Value::Int(lhs), Value::Int(rhs)) = (lhs, rhs) {
            let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr);
            if is_shift && rhs >= u128::from(self.width(ty)) {
                let (thread, at) = (Some(self.thread()), Some(self.site().at));
                let violation = Violation { fault: Fault::Shift, inside: None, thread, at, other: None, first: None };
                return Err(Interrupt::Undefined(Box::new(violation)));
            }
            return Ok(Value::Int(self.computed(arith::binary(op, self.width(ty), lhs, rhs))?));
        }
        if let Some(value) = self.address_arithmetic(op, ty, lhs, rhs) {
            return Ok(value);
        }
        let (lhs, rhs) = (self.as_int(lhs), self.as_int(rhs));
        Ok(Value::Int(self.computed(arith::binary(op, self.width(ty), lhs, rhs))?))
    }

    /// 1 if two values are equal, else 0.
    fn compare(&mut self, ty: Type, lhs: Value, rhs: Value) -> Result<u128, Interrupt> {
        let equal = self.binary(BinaryOp::Eq, ty, lhs, rhs)?;
        Ok(self.as_int(equal))
    }

    /// Operations on addresses whose result does not depend on the layout.
    fn address_arithmetic(&mut self, op: BinaryOp, ty: Type, lhs: Value, rhs: Value) -> Option<Value> {
        let width = self.width(ty);
        match (lhs, rhs) {
            (Value::Ptr(a), Value::Ptr(b)) if a.object == b.object && a.ghost == b.ghost => {
                self.same_object(op, width, a, b)
            }
            (Value::Ptr(a), Value::Ptr(b)) => match op {
                BinaryOp::Eq | BinaryOp::Ne => {
                    self.compare_across(a, b);
                    self.compare_across(b, a);
                    Some(Value::bool(op == BinaryOp::Ne))
                }
                _ => None,
            },
            (Value::Ptr(pointer), Value::Int(value)) => self.pointer_and_int(op, width, pointer, value),
            (Value::Int(value), Value::Ptr(pointer)) => match op {
                BinaryOp::Add | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Eq | BinaryOp::Ne => {
                    self.pointer_and_int(op, width, pointer, value)
                }
                _ => None,
            },
            (Value::Int(_), Value::Int(_)) | (Value::Undef, _) | (_, Value::Undef) => None,
        }
    }

    /// Compares a pointer with one to another object: they differ, unless it points outside its object (the other may
    /// lie there) or its object is dead (the other may have its address).
    fn compare_across(&self, pointer: Pointer, other: Pointer) {
        let gone = || Gap::Undefined { fault: Fault::StaleComparison, at: self.site() };
        match (pointer.object, self.state().object(pointer.object)) {
            (ObjRef::Null | ObjRef::Function(_), _) => {}
            (_, None) => self.machine().gap(gone()),
            (_, Some(object)) if !object.live => self.machine().gap(gone()),
            (_, Some(object)) => {
                let is_inside = u64::try_from(pointer.offset).is_ok_and(|offset| offset < object.size().max(1));
                if !is_inside && other.object != ObjRef::Null {
                    self.machine().gap(Gap::Addresses { at: self.site() });
                }
            }
        }
    }

    fn same_object(&self, op: BinaryOp, width: u16, a: Pointer, b: Pointer) -> Option<Value> {
        let (x, y) = (a.offset, b.offset);
        Some(match op {
            BinaryOp::Sub => Value::Int(x.wrapping_sub(y) as u128 & mask(width)),
            BinaryOp::Eq => Value::bool(x == y),
            BinaryOp::Ne => Value::bool(x != y),
            // Within one object, and one past its end, addresses do not wrap around.
            BinaryOp::Ult => Value::bool(x < y),
            BinaryOp::Ule => Value::bool(x <= y),
            BinaryOp::Xor if x == y => Value::Int(0),
            _ => return None,
        })
    }

    fn pointer_and_int(&mut self, op: BinaryOp, width: u16, pointer: Pointer, value: u128) -> Option<Value> {
        if width != self.pointer_width() || pointer.object == ObjRef::Null {
            return None;
        }
        let align = u128::from(match pointer.object {
            ObjRef::Function(_) => 1,
            ObjRef::Null | ObjRef::Static(_) | ObjRef::ThreadLocal(..) | ObjRef::Dynamic(..) => {
                self.state().object(pointer.object)?.align.max(1)
            }
        });
        let low = align - 1;
        let offset = pointer.offset as u128 & mask(width);
        let moved_to =
            |offset: u128| Value::Ptr(Pointer { offset: signed(width, offset & mask(width)) as i64, ..pointer });
        match op {
            BinaryOp::Add => Some(Value::Ptr(pointer.moved(signed(width, value) as i64))),
            BinaryOp::Sub => Some(Value::Ptr(pointer.moved((signed(width, value) as i64).wrapping_neg()))),
            BinaryOp::Eq | BinaryOp::Ne if value == 0 => Some(Value::bool(op == BinaryOp::Ne)),
            // Only bits that the alignment determines are read.
            BinaryOp::And if value & !low == 0 => Some(Value::Int(offset & value)),
            // Only bits that the alignment determines are changed.
            BinaryOp::And if !value & mask(width) & !low == 0 => Some(moved_to(offset & value)),
            BinaryOp::Or if value & !low == 0 => Some(moved_to(offset | value)),
            BinaryOp::Xor if value & !low == 0 => Some(moved_to(offset ^ value)),
            _ => None,
        }
    }
}

impl<'p> Eval<'p> for Step<'_, 'p> {
    fn machine(&self) -> &Machine<'p> {
        self.machine
    }

    fn state(&self) -> &State {
        self.state
    }

    fn thread(&self) -> u32 {
        self.thread
    }

    fn at(&self) -> (FunctionId, EdgeId) {
        self.at
    }

    fn locals(&mut self) -> &mut [Value] {
        &mut self.locals
    }

    fn input(
        &mut self,
        width: u16,
        below: Option<u128>,
        classes: Option<Rc<[u128]>>,
        name: &str,
    ) -> Result<u128, Interrupt> {
        let below = below.unwrap_or(if width >= 128 { u128::MAX } else { 1 << width });
        let question = Question::Input { width, below, classes };
        if !self.machine.config.inputs.is_complete(&question) {
            self.machine.gap(Gap::Inputs { at: self.site() });
        }
        let Some(Pick::Input(value)) = self.oracle.ask_about(question, name) else { return Err(Interrupt::NoAnswer) };
        if self.watch.is_some() {
            let value = self.machine.show(self.state, Value::Int(value), Type::Int(width));
            self.note(crate::event::EventKind::Input { name: name.to_owned(), value });
        }
        Ok(value)
    }
}

/// A look at a state before a step: it cannot answer questions.
pub(crate) struct Look<'a, 'p> {
    pub(crate) machine: &'a Machine<'p>,
    pub(crate) state: &'a State,
    pub(crate) thread: u32,
    pub(crate) at: (FunctionId, EdgeId),
    pub(crate) locals: Vec<Value>,
}

impl<'p> Eval<'p> for Look<'_, 'p> {
    fn machine(&self) -> &Machine<'p> {
        self.machine
    }

    fn state(&self) -> &State {
        self.state
    }

    fn thread(&self) -> u32 {
        self.thread
    }

    fn at(&self) -> (FunctionId, EdgeId) {
        self.at
    }

    fn locals(&mut self) -> &mut [Value] {
        &mut self.locals
    }

    fn input(&mut self, _: u16, _: Option<u128>, _: Option<Rc<[u128]>>, _: &str) -> Result<u128, Interrupt> {
        Err(Interrupt::NoAnswer)
    }
}
