//! Abstract evaluation of expressions: possible values, and the consequences of conditions.

use crate::domains::{Linear, Number, Numeric, Var};
use crate::priori::state::{Scalar, State, Target};
use crate::priori::world::World;
use base::Id;
use ir::{BinaryOp, CastOp, DataModel, Expr, Function, Type, UnaryOp};
use smallvec::SmallVec;

/// The context of an evaluation.
pub(super) struct Scope<'f> {
    pub(super) function: &'f Function,
    pub(super) data_model: DataModel,
    /// The number of the frame's first variable.
    pub(super) base: u32,
    pub(super) thread: u32,
}

impl Scope<'_> {
    pub(super) fn var(&self, local: ir::LocalId) -> Var {
        Var(self.base + local.index() as u32)
    }

    pub(super) fn width(&self, ty: Type) -> u16 {
        match ty {
            Type::Int(width) => width,
            Type::Ptr => self.data_model.pointer_width(),
        }
    }

    fn type_of(&self, expr: &Expr) -> Type {
        expr.ty(self.data_model, &self.function.locals)
    }

    /// The value as a number of the expression's width, if that is tracked.
    fn number<D: Numeric>(&self, expr: &Expr, state: &State<D>, world: &mut World<'_>) -> Option<Number> {
        let width = self.width(self.type_of(expr));
        self.evaluate(expr, state, world).as_number(width)
    }

    /// The possible values of an expression.
    pub(super) fn evaluate<D: Numeric>(&self, expr: &Expr, state: &State<D>, world: &mut World<'_>) -> Scalar {
        match expr {
            Expr::Int { width, value } if Number::is_tracked(*width) => {
                Scalar::Number(Number::constant(*width, *value))
            }
            Expr::Int { .. } => Scalar::Any,
            Expr::Null => Scalar::one(Target::Null),
            Expr::Local(local) => self.typed(state.get(self.var(*local)), self.function.locals[*local].ty),
            Expr::Object(id) => {
                let object = world.static_object(*id);
                Scalar::one(Target::Object { object, ghost: false, offset: Number::constant(64, 0) })
            }
            Expr::Function(function) => Scalar::one(Target::Function(*function)),
            Expr::SelfThread => Scalar::one(Target::Myself),
            Expr::Unary { op, arg, .. } => match self.number(arg, state, world) {
                Some(number) => Number::unary(*op, &number).map_or(Scalar::Any, Scalar::Number),
                None => Scalar::Any,
            },
            Expr::Binary { op, ty, lhs, rhs } => self.binary(*op, *ty, lhs, rhs, state, world),
            Expr::Cast { op, from, to, arg } => self.cast(*op, *from, *to, arg, state, world),
            Expr::Select { cond, then, otherwise } => {
                match self.number(cond, state, world).and_then(|number| number.single()) {
                    Some(0) => self.evaluate(otherwise, state, world),
                    Some(_) => self.evaluate(then, state, world),
                    None => {
                        let then = self.evaluate(then, state, world);
                        then.join(&self.evaluate(otherwise, state, world))
                    }
                }
            }
            Expr::Offset { base, bytes } => {
                let width = self.data_model.pointer_width();
                let by = self.evaluate(bytes, state, world).as_number(width);
                let Some(by) = by.and_then(|by| Number::cast(CastOp::Sext, 64, &by)) else { return Scalar::Any };
                self.moved(self.evaluate(base, state, world), &by)
            }
            Expr::Ghost(base) => match self.evaluate(base, state, world) {
                Scalar::Refs(refs) => {
                    let four = Number::constant(64, 4);
                    let ghosts: Option<Vec<Target>> = refs
                        .iter()
                        .map(|target| match target {
                            Target::Object { object, ghost: false, offset } => {
                                let offset = Number::binary(BinaryOp::Mul, offset, &four)?;
                                Some(Target::Object { object: *object, ghost: true, offset })
                            }
                            Target::Null => Some(Target::Null),
                            Target::Object { .. } | Target::Function(_) | Target::Thread(_) | Target::Myself => None,
                        })
                        .collect();
                    ghosts.map_or(Scalar::Any, Scalar::targets)
                }
                Scalar::Number(_) | Scalar::Any => Scalar::Any,
            },
        }
    }

    /// A value read as a given type: for an unknown integer, the width is known.
    pub(super) fn typed(&self, value: Scalar, ty: Type) -> Scalar {
        match (&value, ty) {
            (Scalar::Number(number), Type::Int(width)) if number.width() != width => {
                Scalar::Any.as_number(width).map_or(Scalar::Any, Scalar::Number)
            }
            (Scalar::Any, Type::Int(width)) => value.as_number(width).map_or(Scalar::Any, Scalar::Number),
            (Scalar::Number(number), Type::Ptr) if number.single() != Some(0) => Scalar::Any,
            (Scalar::Number(_), Type::Ptr) => Scalar::one(Target::Null),
            (Scalar::Number(_), Type::Int(_)) | (Scalar::Refs(_), _) | (Scalar::Any, Type::Ptr) => value,
        }
    }

    fn moved(&self, base: Scalar, by: &Number) -> Scalar {
        let Some(refs) = base.as_refs() else { return Scalar::Any };
        let moved: Option<Vec<Target>> = refs
            .iter()
            .map(|target| match target {
                Target::Object { object, ghost, offset } => {
                    let offset = Number::binary(BinaryOp::Add, offset, by)?;
                    Some(Target::Object { object: *object, ghost: *ghost, offset })
                }
                Target::Null | Target::Function(_) | Target::Thread(_) | Target::Myself => {
                    (by.single() == Some(0)).then_some(*target)
                }
            })
            .collect();
        moved.map_or(Scalar::Any, Scalar::targets)
    }

    fn binary<D: Numeric>(
        &self,
        op: BinaryOp,
        ty: Type,
        lhs: &Expr,
        rhs: &Expr,
        state: &State<D>,
        world: &mut World<'_>,
    ) -> Scalar {
        let (a, b) = (self.evaluate(lhs, state, world), self.evaluate(rhs, state, world));
        let result = if op.is_comparison() { 1 } else { self.width(ty) };
        let unknown = || Scalar::Any.as_number(result).map_or(Scalar::Any, Scalar::Number);
        if let (BinaryOp::Eq | BinaryOp::Ne, Some(left), Some(right)) = (op, a.as_refs(), b.as_refs()) {
            return match self.is_equal(&left, &right, world) {
                Some(equal) => Scalar::Number(Number::constant(1, u128::from(equal == (op == BinaryOp::Eq)))),
                None => unknown(),
            };
        }
        if ty == Type::Ptr {
            return match (op, a.as_refs().as_deref(), b.as_refs().as_deref()) {
                (
                    BinaryOp::Sub,
                    Some([Target::Object { object, ghost, offset }]),
                    Some([Target::Object { object: other, ghost: second, offset: from }]),
                ) if object == other && ghost == second => Number::binary(BinaryOp::Sub, offset, from)
                    .and_then(|number| Number::cast(CastOp::Trunc, result, &number))
                    .map_or(unknown(), Scalar::Number),
                (_, _, _) => unknown(),
            };
        }
        // Moving an address that is stored in an integer keeps it an address.
        if let (BinaryOp::Add | BinaryOp::Sub, Scalar::Refs(_), Scalar::Number(by)) = (op, &a, &b) {
            let by = if op == BinaryOp::Sub { Number::unary(UnaryOp::Neg, by) } else { Some(*by) };
            let by = by.and_then(|by| Number::cast(CastOp::Sext, 64, &by));
            return by.map_or(Scalar::Any, |by| self.moved(a, &by));
        }
        match (a.as_number(self.width(ty)), b.as_number(self.width(ty))) {
            (Some(a), Some(b)) => Number::binary(op, &a, &b).map_or(Scalar::Any, Scalar::Number),
            (None, _) | (_, None) => unknown(),
        }
    }

    fn cast<D: Numeric>(
        &self,
        op: CastOp,
        from: Type,
        to: Type,
        arg: &Expr,
        state: &State<D>,
        world: &mut World<'_>,
    ) -> Scalar {
        let value = self.evaluate(arg, state, world);
        let (old, new) = (self.width(from), self.width(to));
        match op {
            // An address keeps its target as long as it is not truncated.
            CastOp::PtrToInt | CastOp::IntToPtr => match (&value, old == new) {
                (Scalar::Refs(_), true) => value,
                (Scalar::Number(number), _) if number.single() == Some(0) => self.typed(Scalar::one(Target::Null), to),
                (_, _) => self.typed(Scalar::Any, to),
            },
            CastOp::Zext
            | CastOp::Sext
            | CastOp::Trunc
            | CastOp::FloatToSigned
            | CastOp::FloatToUnsigned
            | CastOp::SignedToFloat
            | CastOp::UnsignedToFloat
            | CastOp::FloatToFloat => match value.as_number(old) {
                Some(number) => Number::cast(op, new, &number).map_or(Scalar::Any, Scalar::Number),
                None => Scalar::Any.as_number(new).map_or(Scalar::Any, Scalar::Number),
            },
        }
    }

    /// Whether two values with targets are certainly equal or certainly different.
    fn is_equal(&self, left: &[Target], right: &[Target], world: &mut World<'_>) -> Option<bool> {
        let mut answer = None;
        for one in left {
            for other in right {
                let equal = self.is_same(one, other, world)?;
                if answer.is_some_and(|before| before != equal) {
                    return None;
                }
                answer = Some(equal);
            }
        }
        answer
    }

    fn is_same(&self, one: &Target, other: &Target, world: &mut World<'_>) -> Option<bool> {
        let inside = |object: u32, offset: &Number, world: &World<'_>| {
            let size = world.objects[object as usize].size;
            offset.low() >= 0 && size.is_some_and(|size| offset.high() < i128::from(size))
        };
        match (one, other) {
            (Target::Null, Target::Null) => Some(true),
            (
                Target::Object { object, ghost: false, offset },
                Target::Object { object: second, ghost: false, offset: by },
            ) => {
                let is_one = !world.objects[*object as usize].is_summary;
                if object == second && is_one {
                    Number::compare(BinaryOp::Eq, offset, by)
                } else if object != second
                    && inside(*object, offset, world)
                    && inside(*second, by, world)
                    // Freed memory may be reused.
                    && !world.is_mortal(*object)
                    && !world.is_mortal(*second)
                {
                    Some(false)
                } else {
                    None
                }
            }
            (Target::Object { object, ghost: false, offset }, Target::Null)
            | (Target::Null, Target::Object { object, ghost: false, offset })
                if inside(*object, offset, world) =>
            {
                Some(false)
            }
            (Target::Function(one), Target::Function(other)) => Some(one == other),
            (Target::Function(_), Target::Null) | (Target::Null, Target::Function(_)) => Some(false),
            (Target::Function(_), Target::Object { .. }) | (Target::Object { .. }, Target::Function(_)) => Some(false),
            (Target::Thread(_) | Target::Myself, Target::Null) | (Target::Null, Target::Thread(_) | Target::Myself) => {
                Some(false)
            }
            (Target::Myself, Target::Myself) => Some(true),
            (Target::Thread(_) | Target::Myself, Target::Thread(_) | Target::Myself) => {
                let number = |target: &Target| match target {
                    Target::Thread(number) => *number,
                    _ => world.threads[self.thread as usize].number,
                };
                let (a, b) = (number(one), number(other));
                let is_many = world.numbers[a as usize].2 || world.numbers[b as usize].2;
                if a == b {
                    (!is_many).then_some(true)
                } else {
                    // Numbers are reused after a join: that these were not is checked at the end.
                    world.distinct.insert((self.thread, a, b));
                    Some(false)
                }
            }
            (_, _) => None,
        }
    }

    /// The expression as a variable plus a constant.
    pub(super) fn linear(&self, expr: &Expr) -> Option<Linear> {
        match expr {
            Expr::Local(local) => Some(Linear { var: self.var(*local), plus: 0 }),
            Expr::Binary { op: BinaryOp::Add | BinaryOp::Sub, ty: Type::Int(width), lhs, rhs } => {
                let (Expr::Local(local), Expr::Int { value, .. }) = (lhs.as_ref(), rhs.as_ref()) else { return None };
                let plus = Number::is_tracked(*width).then(|| Number::constant(*width, *value).low())?;
                let is_sum = matches!(expr, Expr::Binary { op: BinaryOp::Add, .. });
                Some(Linear { var: self.var(*local), plus: if is_sum { plus } else { -plus } })
            }
            _ => None,
        }
    }

    /// Refines the state by a condition with a given truth value. Returns false if that is impossible.
    #[must_use]
    pub(super) fn assume<D: Numeric>(
        &self,
        cond: &Expr,
        truth: bool,
        state: &mut State<D>,
        world: &mut World<'_>,
    ) -> bool {
        match cond {
            Expr::Unary { op: UnaryOp::Not, ty: Type::BOOL, arg } => return self.assume(arg, !truth, state, world),
            Expr::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), ty: Type::BOOL, lhs, rhs } => {
                if (*op == BinaryOp::And) == truth {
                    return self.assume(lhs, truth, state, world) && self.assume(rhs, truth, state, world);
                }
                // Either side decides: the consequences are those of both cases.
                let mut first = state.clone();
                let mut second = state.clone();
                let first_holds = self.assume(lhs, truth, &mut first, world);
                let second_holds = self.assume(rhs, truth, &mut second, world);
                match (first_holds, second_holds) {
                    (true, true) => {
                        *state = first.join(&second, world, None);
                        return true;
                    }
                    (true, false) => *state = first,
                    (false, true) => *state = second,
                    (false, false) => return false,
                }
                return true;
            }
            Expr::Binary { op, ty, lhs, rhs } if op.is_comparison() => {
                return self.assume_comparison(*op, *ty, (lhs, rhs), truth, state, world);
            }
            _ => {}
        }
        let wanted = Number::constant(1, u128::from(truth));
        match self.number(cond, state, world) {
            Some(number) if number.meet(&wanted).is_none() => false,
            Some(_) => self.restrict(cond, &wanted, state, world),
            None => true,
        }
    }

    fn assume_comparison<D: Numeric>(
        &self,
        op: BinaryOp,
        ty: Type,
        (lhs, rhs): (&Expr, &Expr),
        truth: bool,
        state: &mut State<D>,
        world: &mut World<'_>,
    ) -> bool {
        let (a, b) = (self.evaluate(lhs, state, world), self.evaluate(rhs, state, world));
        if let (Scalar::Refs(_), _) | (_, Scalar::Refs(_)) = (&a, &b) {
            let (Some(left), Some(right)) = (a.as_refs(), b.as_refs()) else { return true };
            return match op {
                BinaryOp::Eq => self.assume_same(truth, (lhs, &left), (rhs, &right), state, world),
                BinaryOp::Ne => self.assume_same(!truth, (lhs, &left), (rhs, &right), state, world),
                _ => true,
            };
        }
        let width = self.width(ty);
        let (Some(a), Some(b)) = (a.as_number(width), b.as_number(width)) else { return true };
        let Some((left, right)) = Number::refine(op, truth, &a, &b) else { return false };
        if ty == Type::Ptr {
            return true;
        }
        self.restrict(lhs, &left, state, world)
            && self.restrict(rhs, &right, state, world)
            && self.relate(op, truth, lhs, rhs, width, state)
    }

    /// Compares two variables, for relational domains.
    fn relate<D: Numeric>(
        &self,
        op: BinaryOp,
        truth: bool,
        lhs: &Expr,
        rhs: &Expr,
        width: u16,
        state: &mut State<D>,
    ) -> bool {
        let (Expr::Local(left), Expr::Local(right)) = (lhs, rhs) else { return true };
        let (left, right) = (self.var(*left), self.var(*right));
        if width == 1 || left == right {
            return true;
        }
        let numbers = &mut state.numbers;
        match (op, truth) {
            (BinaryOp::Eq, true) | (BinaryOp::Ne, false) => {
                numbers.bound_difference(left, right, 0) && numbers.bound_difference(right, left, 0)
            }
            (BinaryOp::Ne, true) | (BinaryOp::Eq, false) => {
                let (mut less, mut greater) = (numbers.clone(), numbers.clone());
                match (less.bound_difference(left, right, -1), greater.bound_difference(right, left, -1)) {
                    (true, true) => {}
                    (true, false) => *numbers = less,
                    (false, true) => *numbers = greater,
                    (false, false) => return false,
                }
                true
            }
            (BinaryOp::Slt, true) => numbers.bound_difference(left, right, -1),
            (BinaryOp::Sle, true) => numbers.bound_difference(left, right, 0),
            (BinaryOp::Slt, false) => numbers.bound_difference(right, left, 0),
            (BinaryOp::Sle, false) => numbers.bound_difference(right, left, -1),
            (_, _) => true,
        }
    }

    fn assume_same<D: Numeric>(
        &self,
        truth: bool,
        (lhs, left): (&Expr, &[Target]),
        (rhs, right): (&Expr, &[Target]),
        state: &mut State<D>,
        world: &mut World<'_>,
    ) -> bool {
        for (expr, own, others) in [(lhs, left, right), (rhs, right, left)] {
            let mut kept: SmallVec<[Target; 1]> = SmallVec::new();
            for target in own {
                let mut is_possible = false;
                for other in others {
                    is_possible |= self.is_same(target, other, world) != Some(!truth);
                }
                if is_possible {
                    kept.push(*target);
                }
            }
            if kept.is_empty() {
                return false;
            }
            if let (Expr::Local(local), true) = (expr, kept.len() < own.len()) {
                state.set(self.var(*local), Scalar::Refs(kept));
            }
        }
        true
    }

    /// Refines the state so that an expression is a member of a set. Returns false if that is impossible.
    fn restrict<D: Numeric>(&self, expr: &Expr, value: &Number, state: &mut State<D>, world: &mut World<'_>) -> bool {
        match expr {
            Expr::Local(local) => {
                let var = self.var(*local);
                match state.get(var) {
                    Scalar::Number(number) if number.width() == value.width() => state.numbers.restrict(var, value),
                    Scalar::Any if self.function.locals[*local].ty == Type::Int(value.width()) => {
                        state.set(var, Scalar::Number(*value));
                        true
                    }
                    Scalar::Number(_) | Scalar::Refs(_) | Scalar::Any => true,
                }
            }
            Expr::Cast { op: op @ (CastOp::Zext | CastOp::Sext | CastOp::Trunc), from, arg, .. } => {
                let Some(before) = self.evaluate(arg, state, world).as_number(self.width(*from)) else { return true };
                match Number::uncast(*op, value, &before) {
                    Some(number) => self.restrict(arg, &number, state, world),
                    None => false,
                }
            }
            Expr::Binary { op, ty, lhs, rhs } if op.is_comparison() => match value.single() {
                Some(truth) => self.assume_comparison(*op, *ty, (lhs, rhs), truth != 0, state, world),
                None => true,
            },
            Expr::Unary { op: UnaryOp::Not, arg, .. } => match Number::unary(UnaryOp::Not, value) {
                Some(before) => self.restrict(arg, &before, state, world),
                None => true,
            },
            Expr::Binary { op: BinaryOp::And | BinaryOp::Or, ty: Type::BOOL, .. } => match value.single() {
                Some(truth) => self.assume(expr, truth != 0, state, world),
                None => true,
            },
            Expr::Binary {
                op: op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Xor),
                ty: Type::Int(width),
                lhs,
                rhs,
            } => {
                let Expr::Int { value: by, .. } = rhs.as_ref() else { return true };
                if !Number::is_tracked(*width) || value.is_top() {
                    return true;
                }
                let back = match op {
                    BinaryOp::Add => BinaryOp::Sub,
                    BinaryOp::Sub => BinaryOp::Add,
                    _ => BinaryOp::Xor,
                };
                match Number::binary(back, value, &Number::constant(*width, *by)) {
                    Some(before) => self.restrict(lhs, &before, state, world),
                    None => true,
                }
            }
            _ => true,
        }
    }
}
