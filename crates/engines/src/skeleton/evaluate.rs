//! Symbolic evaluation of expressions. Results that the reference interpreter derives from object addresses, or does
//! not compute, are gaps.

use super::events::Comparison;
use super::execute::{Execution, Trouble};
use super::objects::Kind;
use super::state::State;
use super::value::{self, fresh, is_set, Value, ARBITRARY, GHOST, OBJECT_BITS};
use crate::arithmetic;
use base::Id;
use check::ReasonKind;
use ir::{BinaryOp, CastOp, Expr, LocalId, ObjectKind, Property, RmwOp, Type, UnaryOp};
use smt::{Bits, Term};
use std::rc::Rc;

/// The possible objects of a term, if they are all known.
pub(crate) enum Candidates {
    /// Exactly these.
    Known(Vec<u16>),
    /// The term is or contains a variable.
    Open,
}

const MAX_CANDIDATES: usize = 64;

/// Such a pointer may be equal to anything.
pub(crate) const COMPARED_GONE: &str = "undefined behaviour: a pointer to memory that may no longer exist is compared";

impl Execution<'_> {
    pub(crate) fn pointer_width(&self) -> u32 {
        u32::from(self.program.data_model.pointer_width())
    }

    pub(crate) fn width(&self, ty: Type) -> u32 {
        match ty {
            Type::Int(width) => u32::from(width),
            Type::Ptr => self.pointer_width(),
        }
    }

    /// Adds a gap under a condition: behaviour is unknown if it holds.
    pub(crate) fn unless(&mut self, condition: Term, kind: ReasonKind, detail: &str) {
        if self.terms.as_bool(condition) != Some(false) {
            self.pending.push((condition, Trouble::Gap(kind, detail.to_owned())));
        }
    }

    /// Behaviour that the property forbids, under a condition; if another property is in question, a gap.
    pub(crate) fn forbid(&mut self, condition: Term, property: Property, detail: &str) {
        if property != self.property {
            self.unless(condition, ReasonKind::Undefined, &format!("undefined behaviour: {detail}"));
        } else if self.terms.as_bool(condition) != Some(false) {
            self.pending.push((condition, Trouble::Violation));
        }
    }

    pub(crate) fn object_is(&mut self, object: Term, number: u16) -> Term {
        let number = self.terms.number(OBJECT_BITS, u64::from(number));
        self.terms.eq(object, number)
    }

    pub(crate) fn has_object(&mut self, value: Value) -> Term {
        let is_plain = self.object_is(value.object, 0);
        self.terms.not(is_plain)
    }

    /// The value of a variable, which is initialised to an arbitrary one if it has none.
    pub(crate) fn local(&mut self, state: &mut State, local: LocalId) -> Value {
        if let Some(value) = state.locals[local.index()] {
            return value;
        }
        let variable = &self.program.functions[self.at.0].locals[local];
        let (ty, name) = (variable.ty, variable.name.clone());
        let value = self.arbitrary(ty, &name);
        state.locals[local.index()] = Some(value);
        value
    }

    /// An arbitrary value of a type.
    pub(crate) fn arbitrary(&mut self, ty: Type, name: &str) -> Value {
        let width = self.width(ty);
        let bits = fresh(self.terms, name, width);
        let object = match ty {
            Type::Int(_) => 0,
            Type::Ptr => ARBITRARY,
        };
        if matches!(ty, Type::Int(_)) {
            self.promise(bits);
        }
        Value { object: self.terms.number(OBJECT_BITS, u64::from(object)), bits }
    }

    /// Inputs have the values promised by the user.
    pub(crate) fn promise(&mut self, bits: Term) {
        let width = self.terms.width(bits);
        let (Some(values), true) = (self.promised.clone(), width > 8) else { return };
        let mut cases = Vec::new();
        for input in values {
            let number = self.terms.bits(Bits::from_i128(width, input));
            cases.push(self.terms.eq(bits, number));
        }
        let fact = self.terms.or(cases);
        self.skeleton.facts.push(fact);
    }

    pub(crate) fn eval(&mut self, state: &mut State, expr: &Expr) -> Value {
        let pointer_width = self.pointer_width();
        match expr {
            Expr::Int { width, value } => Value::constant(self.terms, u32::from(*width), *value),
            Expr::Null => Value::constant(self.terms, pointer_width, 0),
            Expr::Local(local) => self.local(state, *local),
            Expr::Object(object) => {
                let owner = (self.program.objects[*object].kind == ObjectKind::ThreadLocal)
                    .then(|| state.thread.index() as u32);
                let number = self.static_object(owner, *object);
                Value::pointer(self.terms, number, pointer_width, 0)
            }
            Expr::Function(function) => {
                let number = self.numbered(|objects| objects.function(*function));
                Value::pointer(self.terms, number, pointer_width, 0)
            }
            Expr::SelfThread => {
                let number = self.thread_number(state);
                Value::int(self.terms, number)
            }
            Expr::Unary { op, ty, arg } => {
                let arg = self.eval(state, arg);
                self.unary(*op, *ty, arg)
            }
            Expr::Binary { op, ty, lhs, rhs } => {
                let are_threads = self.thread_operands(expr, lhs, rhs);
                let (lhs, rhs) = (self.eval(state, lhs), self.eval(state, rhs));
                if are_threads != [false; 2] {
                    self.use_thread_numbers(state, *op, are_threads, [lhs, rhs]);
                }
                self.binary(state, *op, *ty, lhs, rhs)
            }
            Expr::Cast { op, from, to, arg } => {
                let arg = self.eval(state, arg);
                self.cast(*op, *from, *to, arg)
            }
            Expr::Select { cond, then, otherwise } => {
                let cond = self.eval(state, cond);
                let cond = is_set(self.terms, cond.bits);
                let outer = std::mem::take(&mut self.pending);
                let then = self.eval(state, then);
                let of_then = std::mem::take(&mut self.pending);
                let otherwise = self.eval(state, otherwise);
                let of_otherwise = std::mem::replace(&mut self.pending, outer);
                let not = self.terms.not(cond);
                for (side, pending) in [(cond, of_then), (not, of_otherwise)] {
                    for (condition, trouble) in pending {
                        let condition = self.terms.and2(side, condition);
                        if self.terms.as_bool(condition) != Some(false) {
                            self.pending.push((condition, trouble));
                        }
                    }
                }
                then.or_else(self.terms, cond, otherwise)
            }
            Expr::Offset { base, bytes } => {
                let base = self.eval(state, base);
                let bytes = self.eval(state, bytes);
                let strange = self.has_object(bytes);
                self.unless(strange, ReasonKind::Addresses, "an address is used as a number");
                Value { object: base.object, bits: self.terms.add(base.bits, bytes.bits) }
            }
            Expr::Ghost(base) => {
                let base = self.eval(state, base);
                let four = Bits::from_u64(pointer_width, 4);
                if self.property != Property::Memory {
                    let none = self.object_is(base.object, 0);
                    self.forbid(none, Property::Memory, "access through an invalid pointer");
                }
                // The ghost of object 0 has a number that no access finds valid.
                Value { object: self.ghost_of(base.object), bits: self.terms.scale(four, base.bits) }
            }
        }
    }

    /// A condition, as a Boolean.
    pub(crate) fn holds(&mut self, state: &mut State, cond: &Expr) -> Term {
        let value = self.eval(state, cond);
        is_set(self.terms, value.bits)
    }

    /// The bits of a value that must be a number, or a gap.
    fn number(&mut self, value: Value) -> Term {
        let is_address = self.has_object(value);
        self.unless(is_address, ReasonKind::Addresses, "an address is used as a number");
        value.bits
    }

    fn not_computed(&mut self, width: u32) -> Term {
        let always = self.terms.bool(true);
        self.unless(always, ReasonKind::Unsupported, "arithmetic that this engine does not know (floating point)");
        fresh(self.terms, "unknown", width)
    }

    fn unary(&mut self, op: UnaryOp, ty: Type, arg: Value) -> Value {
        let width = self.width(ty);
        let bits = self.number(arg);
        let result = arithmetic::unary(self.terms, op, width, bits).unwrap_or_else(|| self.not_computed(width));
        Value::int(self.terms, result)
    }

    /// Which operands may be thread numbers.
    fn thread_operands(&mut self, whole: &Expr, lhs: &Expr, rhs: &Expr) -> [bool; 2] {
        let key = (self.at.0, std::ptr::from_ref(whole));
        if let Some(&answer) = self.uses_threads.get(&key) {
            return answer;
        }
        let answer = [lhs, rhs].map(|expr| {
            let mut has_self = false;
            expr.for_each(&mut |part| has_self |= matches!(part, Expr::SelfThread));
            has_self || self.points_to.pointees(self.at.0, expr).has_threads
        });
        self.uses_threads.insert(key, answer);
        answer
    }

    /// Thread numbers are only compared for equality: this engine does not know their values.
    fn use_thread_numbers(&mut self, state: &State, op: BinaryOp, are_threads: [bool; 2], operands: [Value; 2]) {
        // No thread has the number 0 or -1.
        let is_none = |bits| match value::wide_constant(self.terms, bits) {
            Some(number) => number == 0 || number == u128::MAX >> (128 - self.terms.width(bits)),
            None => false,
        };
        let is_known = |index: usize| are_threads[index] || is_none(operands[index].bits);
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne) && is_known(0) && is_known(1) {
            let span = self.span();
            self.skeleton.compared_threads.push((state.condition, operands[0].bits, operands[1].bits, span));
        } else if self.program.is_users(self.program.functions[self.at.0].edges[self.at.1].span) {
            // Models of library functions use thread numbers only in ways that do not depend on the number.
            let always = self.terms.bool(true);
            self.unless(always, ReasonKind::Unsupported, "what happens depends on the numbers of threads");
        }
    }

    pub(crate) fn binary(&mut self, state: &State, op: BinaryOp, ty: Type, lhs: Value, rhs: Value) -> Value {
        if !lhs.is_plain(self.terms) || !rhs.is_plain(self.terms) {
            if let Some(value) = self.address_arithmetic(state, op, ty, lhs, rhs) {
                return value;
            }
        }
        let (a, b) = (self.number(lhs), self.number(rhs));
        self.arithmetic(op, self.width(ty), a, b)
    }

    fn arithmetic(&mut self, op: BinaryOp, width: u32, a: Term, b: Term) -> Value {
        let width_of_result = if op.is_comparison() { 1 } else { width };
        let result = arithmetic::binary(self.terms, op, width, a, b);
        let result = result.unwrap_or_else(|| self.not_computed(width_of_result));
        let too_much = arithmetic::shifts_too_far(self.terms, op, width, b);
        self.unless(too_much, ReasonKind::Undefined, arithmetic::SHIFTS_TOO_FAR);
        Value::int(self.terms, result)
    }

    /// Operations on addresses whose results do not depend on where objects lie.
    fn address_arithmetic(&mut self, state: &State, op: BinaryOp, ty: Type, lhs: Value, rhs: Value) -> Option<Value> {
        let is_full = self.width(ty) == self.pointer_width();
        match op {
            BinaryOp::Eq | BinaryOp::Ne => {
                let equal = self.same_pointer(state, ty, lhs, rhs);
                let result = if op == BinaryOp::Ne { self.terms.not(equal) } else { equal };
                let bits = value::bit(self.terms, result);
                Some(Value::int(self.terms, bits))
            }
            BinaryOp::Add | BinaryOp::Sub if is_full && rhs.is_plain(self.terms) => {
                let bits = if op == BinaryOp::Add {
                    self.terms.add(lhs.bits, rhs.bits)
                } else {
                    self.terms.sub(lhs.bits, rhs.bits)
                };
                Some(Value { object: lhs.object, bits })
            }
            BinaryOp::Add if is_full && lhs.is_plain(self.terms) => {
                Some(Value { object: rhs.object, bits: self.terms.add(lhs.bits, rhs.bits) })
            }
            BinaryOp::Sub | BinaryOp::Ult | BinaryOp::Ule if is_full => {
                let same = self.terms.eq(lhs.object, rhs.object);
                let differ = self.terms.not(same);
                let wild = self.object_is(lhs.object, ARBITRARY);
                let differ = self.terms.or2(differ, wild);
                self.unless(differ, ReasonKind::Addresses, "what happens depends on the addresses of objects");
                // Within one object offsets are signed; of two integers the order is unsigned.
                let plain = self.object_is(lhs.object, 0);
                let bits = match op {
                    BinaryOp::Sub => {
                        return Some({
                            let bits = self.terms.sub(lhs.bits, rhs.bits);
                            Value::int(self.terms, bits)
                        })
                    }
                    BinaryOp::Ult => {
                        let signed = self.terms.slt(lhs.bits, rhs.bits);
                        let unsigned = self.terms.ult(lhs.bits, rhs.bits);
                        self.terms.ite(plain, unsigned, signed)
                    }
                    _ => {
                        let signed = self.terms.sle(lhs.bits, rhs.bits);
                        let unsigned = self.terms.ule(lhs.bits, rhs.bits);
                        self.terms.ite(plain, unsigned, signed)
                    }
                };
                let bits = value::bit(self.terms, bits);
                Some(Value::int(self.terms, bits))
            }
            _ => None,
        }
    }

    /// Whether two pointers are equal.
    fn same_pointer(&mut self, state: &State, ty: Type, lhs: Value, rhs: Value) -> Term {
        let same_object = self.terms.eq(lhs.object, rhs.object);
        let same_bits = self.terms.eq(lhs.bits, rhs.bits);
        let mut equal = self.terms.and2(same_object, same_bits);
        for (one, other) in [(lhs, rhs), (rhs, lhs)] {
            // A pointer that may point anywhere can only be compared with null.
            let wild = self.object_is(one.object, ARBITRARY);
            if self.terms.as_bool(wild) != Some(false) {
                let null = Value::constant(self.terms, self.terms.width(other.bits), 0);
                let with_null = other.equals(self.terms, null);
                let is_zero = one.equals(self.terms, Value { object: one.object, bits: null.bits });
                equal = self.terms.ite(wild, is_zero, equal);
                let not_null = self.terms.not(with_null);
                let unknown = self.terms.and2(wild, not_null);
                self.unless(unknown, ReasonKind::Inputs, "an arbitrary pointer is compared with another one");
            }
            let has_object = self.has_object(one);
            let different = self.terms.not(same_object);
            let other_plain = self.object_is(other.object, 0);
            if matches!(ty, Type::Int(_)) {
                // An address compared with a number other than 0.
                let number = is_set(self.terms, other.bits);
                let exposed = self.terms.and([has_object, other_plain, number]);
                self.unless(exposed, ReasonKind::Addresses, "what happens depends on the addresses of objects");
            }
            let other_object = self.terms.not(other_plain);
            let inside = self.is_inside(one);
            let outside = self.terms.not(inside);
            let touching = self.terms.and([has_object, other_object, different, outside]);
            self.unless(touching, ReasonKind::Addresses, "what happens depends on the addresses of objects");
        }
        if self.terms.as_bool(same_object) != Some(true) {
            self.compare_gone(state, lhs.object, rhs.object);
        }
        equal
    }

    /// A pointer to a dead object may be equal to one to another object. The thread's state tracks its private objects;
    /// composition checks the rest, if there are other threads.
    fn compare_gone(&mut self, state: &State, a: Term, b: Term) {
        let memory = Rc::clone(&state.memory);
        let mut cases = Vec::new();
        for (&number, contents) in memory.iter() {
            if self.terms.as_bool(contents.is_live) == Some(true) {
                continue;
            }
            let (is_a, is_b) = (self.object_is(a, number), self.object_is(b, number));
            let (either, gone) = (self.terms.or2(is_a, is_b), self.terms.not(contents.is_live));
            cases.push(self.terms.and2(either, gone));
        }
        let gone = self.terms.or(cases);
        let same = self.terms.eq(a, b);
        let (null_a, null_b) = (self.object_is(a, 0), self.object_is(b, 0));
        let is_defined = self.terms.or([same, null_a, null_b]);
        let is_undefined = self.terms.not(is_defined);
        if self.terms.as_bool(is_undefined) != Some(false) {
            // Only the caller knows which private memory is dead.
            self.give_up_summary();
        }
        let bad = self.terms.and2(gone, is_undefined);
        self.unless(bad, ReasonKind::Undefined, COMPARED_GONE);
        if !state.is_alone {
            let (span, thread, events) = (self.span(), state.thread, self.skeleton.events.len());
            self.skeleton.compared.push(Comparison {
                condition: state.condition,
                objects: [a, b],
                span,
                thread,
                events,
            });
        }
    }

    /// Whether a pointer certainly points into its object, not to its end. Syntactic check only.
    fn is_inside(&mut self, pointer: Value) -> Term {
        let zero = self.terms.bits(Bits::zero(self.terms.width(pointer.bits)));
        let at_start = self.terms.eq(pointer.bits, zero);
        if self.terms.as_bool(at_start) == Some(true) {
            return at_start;
        }
        let Candidates::Known(numbers) = self.candidates(pointer.object) else { return at_start };
        let mut cases = vec![at_start];
        for number in numbers {
            let is_it = self.object_is(pointer.object, number);
            let below = self.skeleton.objects.fits(self.terms, number, pointer.bits, 1);
            cases.push(self.terms.and2(is_it, below));
        }
        self.terms.or(cases)
    }

    fn cast(&mut self, op: CastOp, from: Type, to: Type, arg: Value) -> Value {
        let (old, new) = (self.width(from), self.width(to));
        let keeps_object =
            matches!(op, CastOp::PtrToInt | CastOp::IntToPtr) && new >= old && new == self.pointer_width();
        if keeps_object && !arg.is_plain(self.terms) {
            return Value { object: arg.object, bits: self.terms.resize(arg.bits, new) };
        }
        let bits = self.number(arg);
        let bits = arithmetic::cast(self.terms, op, new, bits).unwrap_or_else(|| self.not_computed(new));
        Value::int(self.terms, bits)
    }

    /// The value that a read-modify-write stores.
    pub(crate) fn modify(&mut self, op: RmwOp, old: Value, operand: Value) -> Value {
        if op == RmwOp::Exchange {
            return operand;
        }
        if matches!(op, RmwOp::Add | RmwOp::Sub) && operand.is_plain(self.terms) && !old.is_plain(self.terms) {
            let bits = if op == RmwOp::Add {
                self.terms.add(old.bits, operand.bits)
            } else {
                self.terms.sub(old.bits, operand.bits)
            };
            return Value { object: old.object, bits };
        }
        let (a, b) = (self.number(old), self.number(operand));
        let bits = arithmetic::modify(self.terms, op, a, b);
        Value::int(self.terms, bits)
    }

    /// The ghost of an object. Case distinctions between objects are preserved.
    fn ghost_of(&mut self, object: Term) -> Term {
        if let smt::term::Node::Ite(condition, then, otherwise) = *self.terms.node(object) {
            let (then, otherwise) = (self.ghost_of(then), self.ghost_of(otherwise));
            return self.terms.ite(condition, then, otherwise);
        }
        let ghost = self.terms.number(OBJECT_BITS, u64::from(GHOST));
        self.terms.bit_or([object, ghost])
    }

    /// The objects a term may be.
    pub(crate) fn candidates(&self, object: Term) -> Candidates {
        let (mut found, mut work, mut seen) = (Vec::new(), vec![object], 0);
        while let Some(term) = work.pop() {
            seen += 1;
            match self.terms.node(term) {
                smt::term::Node::Bits(bits) => {
                    found.extend(bits.to_u64().map(|number| number as u16));
                }
                smt::term::Node::Ite(_, then, otherwise) => work.extend([*otherwise, *then]),
                _ => return Candidates::Open,
            }
            if seen > MAX_CANDIDATES {
                return Candidates::Open;
            }
        }
        found.sort_unstable();
        found.dedup();
        Candidates::Known(found)
    }

    /// The function with a number.
    pub(crate) fn function_of(&self, number: u16) -> Option<ir::FunctionId> {
        match self.skeleton.objects.get(number)?.kind {
            Kind::Function(function) if number & GHOST == 0 => Some(function),
            Kind::Function(_) | Kind::Static | Kind::Constant | Kind::Stack | Kind::Heap => None,
        }
    }
}
