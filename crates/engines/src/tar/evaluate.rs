//! Abstract evaluation of expressions: possible values, consequences of conditions, and doubts where results depend on
//! object addresses.

use super::objects::{Name, Objects};
use super::state::State;
use super::value::{width_of, Value};
use crate::domains::Number;
use check::ReasonKind;
use ir::{BinaryOp, CastOp, Expr, Function, Program, Type, UnaryOp};

/// The context of an evaluation.
pub(super) struct Scope<'s, 'a> {
    pub(super) program: &'a Program,
    pub(super) function: &'a Function,
    pub(super) objects: &'s mut Objects<'a>,
    /// Gaps in a proof, if they are collected.
    pub(super) doubts: Option<Vec<(ReasonKind, &'static str)>>,
}

const ADDRESSES: &str = "what happens may depend on the addresses of objects";

impl Scope<'_, '_> {
    fn width(&self, ty: Type) -> u16 {
        width_of(ty, self.program.data_model)
    }

    fn doubt(&mut self, kind: ReasonKind, detail: &'static str) {
        if let Some(doubts) = &mut self.doubts {
            if !doubts.contains(&(kind, detail)) {
                doubts.push((kind, detail));
            }
        }
    }

    /// The possible values of an expression.
    pub(super) fn evaluate(&mut self, expr: &Expr, state: &State) -> Value {
        match expr {
            Expr::Int { width, value } => Value::constant(*width, *value),
            Expr::Null => Value::constant(self.program.data_model.pointer_width(), 0),
            Expr::Local(local) => match state.get(*local) {
                Some(value) => value.clone(),
                // A variable that was never set is an input: a number, whatever its type.
                None => Value::any_number(self.width(self.function.locals[*local].ty)),
            },
            Expr::Object(object) => Value::to(self.objects.number(Name::Static(*object, false))),
            Expr::Function(function) => Value::to(self.objects.number(Name::Function(*function))),
            Expr::SelfThread => Value::any_number(self.program.data_model.pointer_width()),
            Expr::Unary { op, ty, arg } => {
                let (value, width) = (self.evaluate(arg, state), self.width(*ty));
                self.look_at(&value);
                match value.as_number(width).map(|number| Number::unary(*op, &number)) {
                    Some(Some(number)) => Value::of(number),
                    Some(None) | None => Value::any_number(width),
                }
            }
            Expr::Binary { op, ty, lhs, rhs } => {
                let (a, b) = (self.evaluate(lhs, state), self.evaluate(rhs, state));
                self.binary(*op, *ty, &a, &b)
            }
            Expr::Cast { op, from, to, arg } => {
                let value = self.evaluate(arg, state);
                self.cast(*op, *from, *to, value)
            }
            Expr::Select { cond, then, otherwise } => {
                match self.evaluate(cond, state).exact_number(1).and_then(|number| number.single()) {
                    Some(0) => self.evaluate(otherwise, state),
                    Some(_) => self.evaluate(then, state),
                    None => {
                        let then = self.evaluate(then, state);
                        then.join(&self.evaluate(otherwise, state))
                    }
                }
            }
            Expr::Offset { base, bytes } => {
                let width = self.program.data_model.pointer_width();
                let by = self.evaluate(bytes, state);
                self.look_at(&by);
                let base = self.evaluate(base, state);
                match by.as_number(width) {
                    Some(by) => base.moved(&by, width),
                    None => Value::anything(),
                }
            }
            Expr::Ghost(base) => {
                let base = self.evaluate(base, state);
                self.ghost(&base)
            }
        }
    }

    fn ghost(&mut self, base: &Value) -> Value {
        let four = Number::constant(64, 4);
        let mut value = Value { any: base.any, number: base.number, ..Value::default() };
        for (object, offset) in &base.refs {
            match (self.objects.ghost(*object), Number::binary(BinaryOp::Mul, offset, &four)) {
                (Some(ghost), Some(offset)) => value = value.join(&Value::to(ghost).moved(&offset, 64)),
                (_, _) => return Value::anything(),
            }
        }
        value
    }

    /// Records that an address is used as a number.
    fn look_at(&mut self, value: &Value) {
        if (value.any || !value.refs.is_empty()) && !self.is_thread(value) {
            self.doubt(ReasonKind::Addresses, ADDRESSES);
        }
    }

    /// Whether a value can only be a thread number.
    fn is_thread(&self, value: &Value) -> bool {
        !value.any && value.refs.iter().all(|(object, _)| matches!(self.objects.get(*object).name, Name::Thread(..)))
    }

    fn binary(&mut self, op: BinaryOp, ty: Type, a: &Value, b: &Value) -> Value {
        let width = self.width(ty);
        let result = if op.is_comparison() { 1 } else { width };
        if let (Some(one), Some(two)) = (a.exact_number(width), b.exact_number(width)) {
            if matches!(op, BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr) {
                let most = i128::from(width) - 1;
                if two.low() < 0 || two.high() > most {
                    self.doubt(ReasonKind::Undefined, "a shift by the width of its operand or more is not excluded");
                }
            }
            return Number::binary(op, &one, &two).map_or(Value::any_number(result), Value::of);
        }
        if a.is_nothing() || b.is_nothing() {
            return Value::default();
        }
        if matches!(op, BinaryOp::Shl | BinaryOp::Lshr | BinaryOp::Ashr) {
            self.doubt(ReasonKind::Undefined, "a shift by the width of its operand or more is not excluded");
        }
        match op {
            BinaryOp::Eq | BinaryOp::Ne => match self.is_equal(a, b) {
                Some(equal) => Value::constant(1, u128::from(equal == (op == BinaryOp::Eq))),
                None => Value::any_number(1),
            },
            BinaryOp::Add | BinaryOp::Sub if width == self.program.data_model.pointer_width() => {
                self.add_or_subtract(op, width, a, b)
            }
            BinaryOp::Ult | BinaryOp::Ule if self.are_in_one_object(a, b) => Value::any_number(1),
            _ => {
                self.look_at(a);
                self.look_at(b);
                Value::any_number(result)
            }
        }
    }

    /// Sums and differences of which at least one operand may be an address.
    fn add_or_subtract(&mut self, op: BinaryOp, width: u16, a: &Value, b: &Value) -> Value {
        match (a.exact_number(width), b.exact_number(width), op) {
            (_, Some(by), BinaryOp::Add) => a.moved(&by, width),
            (Some(by), _, BinaryOp::Add) => b.moved(&by, width),
            (_, Some(by), _) => match Number::unary(UnaryOp::Neg, &by) {
                Some(by) => a.moved(&by, width),
                None => Value::anything(),
            },
            (_, _, _) => {
                if let ([(one, from)], [(two, to)], false, None, false, None) =
                    (a.refs.as_slice(), b.refs.as_slice(), a.any, a.number, b.any, b.number)
                {
                    let difference = Number::binary(BinaryOp::Sub, from, to);
                    if one == two && self.objects.get(*one).is_unique {
                        let cut = difference.and_then(|number| Number::cast(CastOp::Trunc, width, &number));
                        return cut.map_or(Value::any_number(width), Value::of);
                    }
                }
                self.look_at(a);
                self.look_at(b);
                Value::any_number(width)
            }
        }
    }

    fn are_in_one_object(&self, a: &Value, b: &Value) -> bool {
        let exact = |value: &Value| !value.any && value.number.is_none();
        matches!((a.refs.as_slice(), b.refs.as_slice()), ([(one, _)], [(two, _)])
            if one == two && exact(a) && exact(b) && self.objects.get(*one).is_unique)
    }

    /// Whether two values are certainly equal or certainly different; `None` if unknown.
    fn is_equal(&mut self, a: &Value, b: &Value) -> Option<bool> {
        let width = self.program.data_model.pointer_width();
        let is_null = |value: &Value| value.exact_number(width).and_then(|number| number.single()) == Some(0);
        let leads_to_objects = |value: &Value| !value.any && value.number.is_none();
        if self.is_thread(a) && self.is_thread(b) && a.number.is_none() && b.number.is_none() {
            return None;
        }
        if is_null(a) && leads_to_objects(b) || is_null(b) && leads_to_objects(a) {
            return Some(false);
        }
        if is_null(a) || is_null(b) || self.is_thread(a) && b.refs.is_empty() || self.is_thread(b) && a.refs.is_empty()
        {
            return None;
        }
        // Freed memory may be reused, and one object may begin where another ends.
        let are_plain = [a, b].into_iter().all(|value| leads_to_objects(value) && self.is_inside(value));
        if !are_plain {
            self.look_at(a);
            self.look_at(b);
            return None;
        }
        if let ([(one, from)], [(two, to)]) = (a.refs.as_slice(), b.refs.as_slice()) {
            if one == two && self.objects.get(*one).is_unique {
                return Number::compare(BinaryOp::Eq, from, to);
            }
        }
        let is_apart = a.refs.iter().all(|(one, _)| b.refs.iter().all(|(two, _)| one != two));
        is_apart.then_some(false)
    }

    /// Whether a value leads only into objects that live for ever.
    fn is_inside(&self, value: &Value) -> bool {
        value.refs.iter().all(|(object, offset)| {
            let object = self.objects.get(*object);
            match object.name {
                Name::Function(_) => true,
                Name::Static(..) => {
                    offset.low() >= 0 && object.size.is_some_and(|size| offset.high() < size.low().max(1))
                }
                Name::Site(..) | Name::Thread(..) => false,
            }
        })
    }

    fn cast(&mut self, op: CastOp, from: Type, to: Type, value: Value) -> Value {
        let (old, new) = (self.width(from), self.width(to));
        match op {
            CastOp::PtrToInt | CastOp::IntToPtr if old == new => value,
            CastOp::PtrToInt | CastOp::IntToPtr => {
                self.look_at(&value);
                match value.as_number(old).map(|number| Number::cast(narrowed(old, new), new, &number)) {
                    Some(Some(number)) => Value::of(number),
                    Some(None) | None => Value::any_number(new),
                }
            }
            CastOp::Zext
            | CastOp::Sext
            | CastOp::Trunc
            | CastOp::FloatToSigned
            | CastOp::FloatToUnsigned
            | CastOp::SignedToFloat
            | CastOp::UnsignedToFloat
            | CastOp::FloatToFloat => {
                if !self.is_thread(&value) {
                    self.look_at(&value);
                }
                match value.as_number(old).map(|number| Number::cast(op, new, &number)) {
                    Some(Some(number)) => Value::of(number),
                    Some(None) | None => Value::any_number(new),
                }
            }
        }
    }

    /// Refines the state by a condition with a given truth value. Returns false if that is impossible.
    #[must_use]
    pub(super) fn assume(&mut self, cond: &Expr, truth: bool, state: &mut State) -> bool {
        match cond {
            Expr::Unary { op: UnaryOp::Not, ty: Type::BOOL, arg } => self.assume(arg, !truth, state),
            Expr::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), ty: Type::BOOL, lhs, rhs } => {
                if (*op == BinaryOp::And) == truth {
                    return self.assume(lhs, truth, state) && self.assume(rhs, truth, state);
                }
                let (mut first, mut second) = (state.clone(), state.clone());
                match (self.assume(lhs, truth, &mut first), self.assume(rhs, truth, &mut second)) {
                    (true, true) => {
                        let _ = first.merge_locals(&second, Value::join);
                        *state = first;
                    }
                    (true, false) => *state = first,
                    (false, true) => *state = second,
                    (false, false) => return false,
                }
                true
            }
            Expr::Binary { op, ty, lhs, rhs } if op.is_comparison() => {
                self.assume_comparison(*op, *ty, lhs, rhs, truth, state)
            }
            _ => {
                let wanted = Number::constant(1, u128::from(truth));
                match self.evaluate(cond, state).exact_number(1) {
                    Some(number) if number.meet(&wanted).is_none() => false,
                    Some(_) => self.restrict(cond, &wanted, state),
                    None => true,
                }
            }
        }
    }

    fn assume_comparison(
        &mut self,
        op: BinaryOp,
        ty: Type,
        lhs: &Expr,
        rhs: &Expr,
        truth: bool,
        state: &mut State,
    ) -> bool {
        let (a, b) = (self.evaluate(lhs, state), self.evaluate(rhs, state));
        if a.is_nothing() || b.is_nothing() {
            return false;
        }
        let width = self.width(ty);
        if let (Some(one), Some(two)) = (a.exact_number(width), b.exact_number(width)) {
            let Some((left, right)) = Number::refine(op, truth, &one, &two) else { return false };
            return self.restrict(lhs, &left, state) && self.restrict(rhs, &right, state);
        }
        let equal = match op {
            BinaryOp::Eq => truth,
            BinaryOp::Ne => !truth,
            // A value that may be anything becomes a number when compared with one, where it cannot be an address.
            _ => {
                if matches!(ty, Type::Int(width) if width != self.program.data_model.pointer_width()) {
                    if let (Some(one), Some(two)) = (a.as_number(width), b.as_number(width)) {
                        let Some((left, right)) = Number::refine(op, truth, &one, &two) else { return false };
                        return self.restrict(lhs, &left, state) && self.restrict(rhs, &right, state);
                    }
                }
                return true;
            }
        };
        if let Some(known) = self.is_equal(&a, &b) {
            if known != equal {
                return false;
            }
        }
        self.assume_null(lhs, &a, &b, equal, state);
        self.assume_null(rhs, &b, &a, equal, state);
        true
    }

    /// A local variable is compared with null.
    fn assume_null(&mut self, expr: &Expr, value: &Value, other: &Value, equal: bool, state: &mut State) {
        let width = self.program.data_model.pointer_width();
        let zero = Number::constant(width, 0);
        let Expr::Local(local) = expr else { return };
        if other.exact_number(width) != Some(zero) {
            return;
        }
        let kept = if equal {
            Value::of(zero)
        } else {
            let number = match value.number {
                Some(number) if number.single() == Some(0) => None,
                other => other,
            };
            Value { number, ..value.clone() }
        };
        state.set(*local, kept);
    }

    /// Refines the state so that an expression is a member of a set. Returns false if that is impossible.
    fn restrict(&mut self, expr: &Expr, wanted: &Number, state: &mut State) -> bool {
        match expr {
            Expr::Local(local) => {
                if self.width(self.function.locals[*local].ty) != wanted.width() {
                    return true;
                }
                let old = self.evaluate(expr, state);
                match old.exact_number(wanted.width()) {
                    Some(number) => match number.meet(wanted) {
                        Some(both) => state.set(*local, Value::of(both)),
                        None => return false,
                    },
                    None if old.any && self.function.locals[*local].ty != Type::Ptr => {
                        state.set(*local, Value::of(*wanted));
                    }
                    None => {}
                }
                true
            }
            Expr::Cast { op: op @ (CastOp::Zext | CastOp::Sext | CastOp::Trunc), from, arg, .. } => {
                let Some(before) = self.evaluate(arg, state).exact_number(self.width(*from)) else { return true };
                match Number::uncast(*op, wanted, &before) {
                    Some(number) => self.restrict(arg, &number, state),
                    None => false,
                }
            }
            Expr::Cast { op: CastOp::PtrToInt | CastOp::IntToPtr, from, to, arg }
                if self.width(*from) == self.width(*to) =>
            {
                self.restrict(arg, wanted, state)
            }
            Expr::Unary { op: UnaryOp::Not, arg, .. } => match Number::unary(UnaryOp::Not, wanted) {
                Some(before) => self.restrict(arg, &before, state),
                None => true,
            },
            Expr::Binary { op, .. } if op.is_comparison() => match wanted.single() {
                Some(truth) => self.assume(expr, truth != 0, state),
                None => true,
            },
            Expr::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), ty: Type::Int(width), lhs, rhs } => {
                let Expr::Int { value: by, .. } = rhs.as_ref() else { return true };
                if !Number::is_tracked(*width) || wanted.is_top() {
                    return true;
                }
                let back = if *op == BinaryOp::Add { BinaryOp::Sub } else { BinaryOp::Add };
                match Number::binary(back, wanted, &Number::constant(*width, *by)) {
                    Some(before) => self.restrict(lhs, &before, state),
                    None => true,
                }
            }
            _ => true,
        }
    }
}

/// A cast between integers and pointers of different widths truncates or extends.
fn narrowed(old: u16, new: u16) -> CastOp {
    if new < old {
        CastOp::Trunc
    } else {
        CastOp::Zext
    }
}
