//! Evaluates expressions. Results that depend on object addresses, and floating-point numbers that are not constants,
//! are gaps.

use super::{Base, Done, Fault, Halt, Value};
use crate::arithmetic;
use check::ReasonKind;
use ir::{BinaryOp, CastOp, EdgeId, Expr, FunctionId, LocalId, ObjectId, Program, Property, RmwOp, Type, UnaryOp};
use smt::{Bits, Term, Terms};

const ADDRESSES: &str = "what happens depends on the addresses of objects";
const NUMBERS: &str = "what happens depends on the numbers of threads";

/// A value of an engine.
pub(crate) type ValueOf<E> = Value<<E as Evaluator>::Object, <E as Evaluator>::Thread>;

/// The state in which expressions are evaluated.
pub(crate) trait Evaluator {
    type Object: Copy + Eq;
    /// What is explicit about the number of a thread.
    type Thread: Copy + Eq;
    /// A run up to the current statement.
    type Run: Clone;
    /// The width into which the number of every thread fits.
    const THREAD_WIDTH: u32;

    fn program(&self) -> &Program;
    fn property(&self) -> Property;
    fn terms(&self) -> &Terms;
    fn terms_mut(&mut self) -> &mut Terms;

    /// The current statement.
    fn at(run: &Self::Run) -> (FunctionId, EdgeId);
    /// What a run has assumed.
    fn assumed(run: &Self::Run) -> &[Term];
    fn assume(run: &mut Self::Run, fact: Term);
    /// An arbitrary number. If the statement is executed again, after a split, it is the same.
    fn input(&mut self, run: &mut Self::Run, width: u32) -> Term;
    /// A fault occurs under a condition. The run goes on without it.
    fn raise(&mut self, run: &mut Self::Run, condition: Term, fault: Fault);
    /// The number of faults that the current statement has raised.
    fn raised(&self, run: &Self::Run) -> usize;

    fn read_local(&mut self, run: &mut Self::Run, local: LocalId) -> ValueOf<Self>;
    fn write_local(&mut self, run: &mut Self::Run, local: LocalId, value: ValueOf<Self>);
    /// The object that a name of the program stands for.
    fn named(&mut self, run: &Self::Run, object: ObjectId) -> Self::Object;
    fn size(&self, run: &Self::Run, object: Self::Object) -> u64;
    /// Whether it is read-only.
    fn is_constant(&self, object: Self::Object) -> bool;
    fn is_alive(&self, run: &Self::Run, object: Self::Object) -> bool;

    /// The number of the running thread.
    fn own_number(&mut self, run: &Self::Run, width: u32) -> ValueOf<Self>;
    /// The bits of the number of a thread, where more than its identity counts.
    fn thread_bits(&mut self, run: &mut Self::Run, thread: ValueOf<Self>) -> Done<Term>;
    /// Whether two numbers are equal, at least one of which is the number of a thread.
    fn is_same_thread(&mut self, run: &mut Self::Run, lhs: ValueOf<Self>, rhs: ValueOf<Self>) -> Done<Term>;

    /// Requests that the variables of a term be tracked explicitly. Returns whether that is new.
    fn demand(&mut self, term: Term) -> bool;
    /// A term is an operand of an operation that is hard for the solver unless the term is constant.
    fn note_hard(&mut self, _term: Term) {}

    fn pointer_width(&self) -> u32 {
        u32::from(self.program().data_model.pointer_width())
    }

    fn width(&self, ty: Type) -> u32 {
        match ty {
            Type::Int(width) => u32::from(width),
            Type::Ptr => self.pointer_width(),
        }
    }

    fn bytes(&self, ty: Type) -> u64 {
        ty.bytes(self.program().data_model.pointer_bytes())
    }

    fn number_term(&mut self, width: u32, value: u128) -> Term {
        self.terms_mut().bits(Bits::from_u128(width, value))
    }

    fn int(&mut self, width: u32, value: u128) -> ValueOf<Self> {
        Value::number(self.number_term(width, value))
    }

    fn constant(&self, term: Term) -> Option<u128> {
        self.terms().as_bits(term).and_then(Bits::to_u128)
    }

    fn resize(&mut self, bits: Term, width: u32) -> Term {
        self.terms_mut().resize(bits, width)
    }

    fn is_set(&mut self, bits: Term) -> Term {
        crate::skeleton::value::is_set(self.terms_mut(), bits)
    }

    /// Adds a gap under a condition: behaviour is unknown if it holds.
    fn unless(&mut self, run: &mut Self::Run, condition: Term, kind: ReasonKind, detail: &str) {
        if self.terms().as_bool(condition) != Some(false) {
            self.raise(run, condition, Fault::Gap(kind, detail.to_owned()));
        }
    }

    /// Adds a violation under a condition: the property forbids what happens if it holds.
    fn forbid(&mut self, run: &mut Self::Run, condition: Term, property: Property, detail: &str) {
        if self.terms().as_bool(condition) != Some(false) {
            let fault = self.fault(property, detail);
            self.raise(run, condition, fault);
        }
    }

    /// The same, unconditionally.
    fn forbidden(&self, property: Property, detail: &str) -> Halt {
        Halt::Fault(self.fault(property, detail))
    }

    /// What a property forbids; undefined if another one is in question.
    fn fault(&self, property: Property, detail: &str) -> Fault {
        if property == self.property() {
            return Fault::Violation(detail.to_owned());
        }
        Fault::Gap(ReasonKind::Undefined, format!("undefined behaviour: {detail}"))
    }

    /// The truth value of a condition, if the run assumes it or its negation.
    fn decide(&mut self, run: &Self::Run, condition: Term) -> Option<bool> {
        let negated = self.terms_mut().not(condition);
        let is_assumed = |fact: Term| Self::assumed(run).contains(&fact);
        match self.terms().as_bool(condition) {
            None if is_assumed(condition) => Some(true),
            None if is_assumed(negated) => Some(false),
            known => known,
        }
    }

    /// Whether a condition, an `i1`, holds.
    fn holds(&mut self, run: &mut Self::Run, condition: &Expr) -> Done<Term> {
        let bits = self.eval_number(run, condition)?;
        Ok(self.is_set(bits))
    }

    fn eval_number(&mut self, run: &mut Self::Run, expr: &Expr) -> Done<Term> {
        let value = self.eval(run, expr)?;
        self.number(run, value)
    }

    fn eval_all(&mut self, run: &mut Self::Run, exprs: &[Expr]) -> Result<Vec<ValueOf<Self>>, Halt> {
        exprs.iter().map(|expr| self.eval(run, expr)).collect()
    }

    fn eval(&mut self, run: &mut Self::Run, expr: &Expr) -> Done<ValueOf<Self>> {
        let pointer_width = self.pointer_width();
        Ok(match expr {
            Expr::Int { width, value } => self.int(u32::from(*width), *value),
            Expr::Null => self.int(pointer_width, 0),
            Expr::Local(local) => self.read_local(run, *local),
            Expr::Object(object) => {
                let object = self.named(run, *object);
                Value { base: Base::Object(object), bits: self.number_term(pointer_width, 0) }
            }
            Expr::Function(function) => {
                Value { base: Base::Function(*function), bits: self.number_term(pointer_width, 0) }
            }
            Expr::SelfThread => self.own_number(run, pointer_width),
            Expr::Unary { op, ty, arg } => {
                let bits = self.eval_number(run, arg)?;
                if *op == UnaryOp::PopCount {
                    // Sets of threads: better tracked explicitly.
                    self.demand(bits);
                }
                let width = self.width(*ty);
                Value::number(arithmetic::unary(self.terms_mut(), *op, width, bits).ok_or_else(not_computed)?)
            }
            Expr::Binary { op, ty, lhs, rhs } => {
                let (lhs, rhs) = (self.eval(run, lhs)?, self.eval(run, rhs)?);
                self.binary(run, *op, *ty, lhs, rhs)?
            }
            Expr::Cast { op, from, to, arg } => {
                let arg = self.eval(run, arg)?;
                self.cast(run, *op, *from, *to, arg)?
            }
            Expr::Select { cond, then, otherwise } => {
                let cond = self.holds(run, cond)?;
                match self.decide(run, cond) {
                    Some(true) => self.eval(run, then)?,
                    Some(false) => self.eval(run, otherwise)?,
                    None => self.choose(run, cond, then, otherwise)?,
                }
            }
            Expr::Offset { base, bytes } => {
                let base = self.eval(run, base)?;
                let bytes = self.eval_number(run, bytes)?;
                match base.base {
                    Base::Number | Base::Object(_) | Base::Ghost(_) => {
                        Value { base: base.base, bits: self.terms_mut().add(base.bits, bytes) }
                    }
                    Base::Elsewhere | Base::Gone => base,
                    Base::Function(_) => return Err(addresses()),
                    Base::Thread(_) => return Err(thread_numbers()),
                }
            }
            Expr::Ghost(base) => {
                let value = self.eval(run, base)?;
                let base = match value.base {
                    Base::Object(object) => Base::Ghost(object),
                    Base::Number | Base::Elsewhere | Base::Gone => value.base,
                    Base::Ghost(_) | Base::Function(_) | Base::Thread(_) => {
                        return Err(self.forbidden(Property::Memory, "access through an invalid pointer"))
                    }
                };
                Value { base, bits: self.terms_mut().scale(Bits::from_u64(pointer_width, 4), value.bits) }
            }
        })
    }

    /// A choice whose condition is not decided. Where the branches are more than plain numbers, or may have faults, the
    /// run is split.
    fn choose(&mut self, run: &mut Self::Run, cond: Term, then: &Expr, otherwise: &Expr) -> Done<ValueOf<Self>> {
        let before = self.raised(run);
        let (Ok(then), Ok(otherwise)) = (self.eval(run, then), self.eval(run, otherwise)) else {
            return Err(Halt::Split(cond));
        };
        match (then.base, otherwise.base) {
            _ if self.raised(run) > before => Err(Halt::Split(cond)),
            (Base::Number, Base::Number) => Ok(Value::number(self.terms_mut().ite(cond, then.bits, otherwise.bits))),
            _ if then == otherwise => Ok(then),
            _ => Err(Halt::Split(cond)),
        }
    }

    /// The bits of a value that must be a number.
    fn number(&mut self, run: &mut Self::Run, value: ValueOf<Self>) -> Done<Term> {
        match value.base {
            Base::Number => Ok(value.bits),
            Base::Thread(_) => self.thread_bits(run, value),
            Base::Object(_) | Base::Ghost(_) | Base::Function(_) | Base::Elsewhere => {
                Err(Halt::gap(ReasonKind::Addresses, "an address is used as a number"))
            }
            Base::Gone => Err(gone()),
        }
    }

    fn binary(
        &mut self,
        run: &mut Self::Run,
        op: BinaryOp,
        ty: Type,
        lhs: ValueOf<Self>,
        rhs: ValueOf<Self>,
    ) -> Done<ValueOf<Self>> {
        let is_number = |value: ValueOf<Self>| value.base == Base::Number;
        let is_pointer = |value: ValueOf<Self>| value.base.object().is_some();
        if is_number(lhs) && is_number(rhs) {
            return self.arithmetic(run, op, self.width(ty), lhs.bits, rhs.bits);
        }
        if let BinaryOp::Eq | BinaryOp::Ne = op {
            let equal = self.same(run, lhs, rhs)?;
            let terms = self.terms_mut();
            let result = if op == BinaryOp::Ne { terms.not(equal) } else { equal };
            return Ok(Value::number(terms.bit_of(result)));
        }
        let is_full = self.width(ty) == self.pointer_width();
        let terms = self.terms_mut();
        if is_full && op == BinaryOp::Add && (is_pointer(lhs) && is_number(rhs) || is_number(lhs) && is_pointer(rhs)) {
            let base = if is_pointer(lhs) { lhs.base } else { rhs.base };
            return Ok(Value { base, bits: terms.add(lhs.bits, rhs.bits) });
        }
        if is_full && op == BinaryOp::Sub && is_pointer(lhs) && is_number(rhs) {
            return Ok(Value { base: lhs.base, bits: terms.sub(lhs.bits, rhs.bits) });
        }
        if is_full && is_pointer(lhs) && lhs.base == rhs.base {
            // Within one object offsets are signed.
            let less = match op {
                BinaryOp::Sub => return Ok(Value::number(terms.sub(lhs.bits, rhs.bits))),
                BinaryOp::Ult => terms.slt(lhs.bits, rhs.bits),
                BinaryOp::Ule => terms.sle(lhs.bits, rhs.bits),
                _ => return Err(addresses()),
            };
            return Ok(Value::number(terms.bit_of(less)));
        }
        let (a, b) = (self.number(run, lhs)?, self.number(run, rhs)?);
        self.arithmetic(run, op, self.width(ty), a, b)
    }

    fn arithmetic(&mut self, run: &mut Self::Run, op: BinaryOp, width: u32, a: Term, b: Term) -> Done<ValueOf<Self>> {
        let too_much = arithmetic::shifts_too_far(self.terms_mut(), op, width, b);
        self.unless(run, too_much, ReasonKind::Undefined, arithmetic::SHIFTS_TOO_FAR);
        let (is_constant, by_constant) = (self.constant(a).is_some(), self.constant(b).is_some());
        let is_division = matches!(op, BinaryOp::Udiv | BinaryOp::Sdiv | BinaryOp::Urem | BinaryOp::Srem);
        if !by_constant && (is_division || op == BinaryOp::Mul && !is_constant) {
            self.note_hard(b);
        }
        let bits = arithmetic::binary(self.terms_mut(), op, width, a, b);
        Ok(Value::number(bits.ok_or_else(not_computed)?))
    }

    /// Whether two values are equal.
    fn same(&mut self, run: &mut Self::Run, lhs: ValueOf<Self>, rhs: ValueOf<Self>) -> Done<Term> {
        match (lhs.base, rhs.base) {
            (Base::Gone, _) | (_, Base::Gone) => Err(gone()),
            (Base::Thread(_), Base::Thread(_) | Base::Number) | (Base::Number, Base::Thread(_)) => {
                self.is_same_thread(run, lhs, rhs)
            }
            (Base::Thread(_), _) | (_, Base::Thread(_)) | (Base::Elsewhere, Base::Elsewhere) => Err(addresses()),
            (a, b) if a == b => Ok(self.terms_mut().eq(lhs.bits, rhs.bits)),
            (Base::Number, _) | (_, Base::Number) => {
                let (number, pointer) = if lhs.base == Base::Number { (lhs, rhs) } else { (rhs, lhs) };
                let is_number = self.is_set(number.bits);
                self.unless(run, is_number, ReasonKind::Addresses, ADDRESSES);
                self.check_compared(run, pointer, false)?;
                Ok(self.terms_mut().bool(false))
            }
            (Base::Elsewhere, _) | (_, Base::Elsewhere) => Err(addresses()),
            (_, _) => {
                self.check_compared(run, lhs, true)?;
                self.check_compared(run, rhs, true)?;
                Ok(self.terms_mut().bool(false))
            }
        }
    }

    /// A pointer that is compared with something other than its own object should be alive and point into its object.
    fn check_compared(&mut self, run: &mut Self::Run, pointer: ValueOf<Self>, with_object: bool) -> Done {
        let Some(object) = pointer.base.object() else { return Ok(()) };
        if !self.is_alive(run, object) {
            let detail = "undefined behaviour: a pointer to memory that no longer exists is compared";
            return Err(Halt::gap(ReasonKind::Undefined, detail));
        }
        if with_object {
            let most = self.size(run, object).max(1) - 1;
            let most = self.number_term(self.pointer_width(), u128::from(most));
            let outside = self.terms_mut().ult(most, pointer.bits);
            self.unless(run, outside, ReasonKind::Addresses, ADDRESSES);
        }
        Ok(())
    }

    fn cast(
        &mut self,
        run: &mut Self::Run,
        op: CastOp,
        from: Type,
        to: Type,
        arg: ValueOf<Self>,
    ) -> Done<ValueOf<Self>> {
        let (old, new) = (self.width(from), self.width(to));
        let is_move = matches!(op, CastOp::PtrToInt | CastOp::IntToPtr);
        let keeps = match arg.base {
            Base::Number => false,
            Base::Thread(_) => new >= Self::THREAD_WIDTH && (is_move || matches!(op, CastOp::Zext | CastOp::Trunc)),
            Base::Object(_) | Base::Ghost(_) | Base::Function(_) | Base::Elsewhere | Base::Gone => {
                is_move && new >= old && new == self.pointer_width()
            }
        };
        if keeps {
            return Ok(Value { base: arg.base, bits: self.resize(arg.bits, new) });
        }
        let bits = self.number(run, arg)?;
        Ok(Value::number(arithmetic::cast(self.terms_mut(), op, new, bits).ok_or_else(not_computed)?))
    }

    /// The value that a read-modify-write stores.
    fn modify(
        &mut self,
        run: &mut Self::Run,
        op: RmwOp,
        ty: Type,
        old: ValueOf<Self>,
        by: ValueOf<Self>,
    ) -> Done<ValueOf<Self>> {
        let binary = match op {
            RmwOp::Exchange => return Ok(by),
            RmwOp::Add => BinaryOp::Add,
            RmwOp::Sub => BinaryOp::Sub,
            RmwOp::And => BinaryOp::And,
            RmwOp::Or => BinaryOp::Or,
            RmwOp::Xor => BinaryOp::Xor,
            RmwOp::Nand | RmwOp::Max | RmwOp::Min | RmwOp::UnsignedMax | RmwOp::UnsignedMin => {
                let (a, b) = (self.number(run, old)?, self.number(run, by)?);
                return Ok(Value::number(arithmetic::modify(self.terms_mut(), op, a, b)));
            }
        };
        self.binary(run, binary, ty, old, by)
    }
}

pub(crate) fn addresses() -> Halt {
    Halt::gap(ReasonKind::Addresses, ADDRESSES)
}

pub(crate) fn thread_numbers() -> Halt {
    Halt::unsupported(NUMBERS)
}

fn gone() -> Halt {
    Halt::gap(ReasonKind::Undefined, "undefined behaviour: what is no longer there is used")
}

fn not_computed() -> Halt {
    Halt::unsupported("arithmetic that this engine does not know (floating point)")
}
