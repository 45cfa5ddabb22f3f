//! Abstract values: a set of numbers, addresses in some objects, or anything.
//!
//! A pointer to no object is a number of pointer width; null is 0. Functions and thread numbers are objects as well
//! (see [`super::objects`]), so that they are distinguished from computed numbers.

use crate::domains::Number;
use ir::{BinaryOp, CastOp, DataModel, Type};
use smallvec::SmallVec;

/// The number of an object in [`super::objects::Objects`].
pub(super) type ObjectNumber = u32;

/// Maximum number of objects that a value may lead to; past it, it can be anything.
const MAX_REFS: usize = 48;

/// An abstract value. The default is bottom.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Value {
    /// Whether it can be anything.
    pub(super) any: bool,
    /// The possible numbers.
    pub(super) number: Option<Number>,
    /// The possible target objects, in order, with 64-bit offsets.
    pub(super) refs: SmallVec<[(ObjectNumber, Number); 1]>,
}

/// The width of a type in bits.
pub(super) fn width_of(ty: Type, data_model: DataModel) -> u16 {
    match ty {
        Type::Int(width) => width,
        Type::Ptr => data_model.pointer_width(),
    }
}

impl Value {
    /// Anything.
    pub(super) fn anything() -> Value {
        Value { any: true, ..Value::default() }
    }

    /// A number.
    pub(super) fn of(number: Number) -> Value {
        Value { number: Some(number), ..Value::default() }
    }

    /// One number.
    pub(super) fn constant(width: u16, bits: u128) -> Value {
        match Number::is_tracked(width) {
            true => Value::of(Number::constant(width, bits)),
            false => Value::anything(),
        }
    }

    /// Any number of a width.
    pub(super) fn any_number(width: u16) -> Value {
        match Number::is_tracked(width) {
            true => Value::of(Number::top(width)),
            false => Value::anything(),
        }
    }

    /// The first byte of an object.
    pub(super) fn to(object: ObjectNumber) -> Value {
        let mut refs = SmallVec::new();
        refs.push((object, Number::constant(64, 0)));
        Value { refs, ..Value::default() }
    }

    /// Whether the value is bottom.
    pub(super) fn is_nothing(&self) -> bool {
        !self.any && self.number.is_none() && self.refs.is_empty()
    }

    /// The value as numbers of a width; `None` if that is not tracked, or there is none.
    pub(super) fn as_number(&self, width: u16) -> Option<Number> {
        if !Number::is_tracked(width) || self.is_nothing() {
            return None;
        }
        match self.number {
            Some(number) if !self.any && self.refs.is_empty() && number.width() == width => Some(number),
            _ => Some(Number::top(width)),
        }
    }

    /// The value, if it can only be a number of this width.
    pub(super) fn exact_number(&self, width: u16) -> Option<Number> {
        self.number.filter(|number| !self.any && self.refs.is_empty() && number.width() == width)
    }

    /// The value read as a given type.
    pub(super) fn typed(mut self, ty: Type, data_model: DataModel) -> Value {
        let width = width_of(ty, data_model);
        if self.number.is_some_and(|number| number.width() != width) {
            self.number = Number::is_tracked(width).then(|| Number::top(width));
            self.any |= !Number::is_tracked(width);
        }
        if width != data_model.pointer_width() && (self.any || !self.refs.is_empty()) {
            return Value::any_number(width);
        }
        self
    }

    /// The least upper bound.
    pub(super) fn join(&self, other: &Value) -> Value {
        self.combine(other, Number::join)
    }

    /// Widening, so that ascending chains are finite.
    pub(super) fn widen(&self, next: &Value, thresholds: &[i128]) -> Value {
        self.combine(next, |old, new| if old.includes(new) { *old } else { old.widen(new, thresholds) })
    }

    fn combine(&self, other: &Value, merge: impl Fn(&Number, &Number) -> Number) -> Value {
        if self.any || other.any {
            return Value::anything();
        }
        let number = match (&self.number, &other.number) {
            (Some(one), Some(two)) if one.width() != two.width() => return Value::anything(),
            (Some(one), Some(two)) => Some(merge(one, two)),
            (one, two) => one.or(*two),
        };
        let mut refs = self.refs.clone();
        for (object, offset) in &other.refs {
            match refs.binary_search_by_key(object, |(object, _)| *object) {
                Ok(index) => refs[index].1 = merge(&refs[index].1, offset),
                Err(index) => refs.insert(index, (*object, *offset)),
            }
        }
        if refs.len() > MAX_REFS {
            return Value::anything();
        }
        Value { any: false, number, refs }
    }

    /// Whether this value includes the other one.
    pub(super) fn includes(&self, other: &Value) -> bool {
        if self.any || other.any {
            return self.any;
        }
        let has_number = match (&self.number, &other.number) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(own), Some(number)) => own.width() == number.width() && own.includes(number),
        };
        has_number
            && other.refs.iter().all(|(object, offset)| {
                self.refs
                    .binary_search_by_key(object, |(object, _)| *object)
                    .is_ok_and(|index| self.refs[index].1.includes(offset))
            })
    }

    /// An address moved by a number of bytes.
    pub(super) fn moved(&self, by: &Number, pointer_width: u16) -> Value {
        if self.any {
            return Value::anything();
        }
        let mut refs = SmallVec::new();
        for (object, offset) in &self.refs {
            let Some(by) = Number::cast(CastOp::Sext, 64, by) else { return Value::anything() };
            let Some(offset) = Number::binary(BinaryOp::Add, offset, &by) else { return Value::anything() };
            refs.push((*object, offset));
        }
        let number = match &self.number {
            None => None,
            Some(number) if number.width() == pointer_width && by.width() == pointer_width => {
                match Number::binary(BinaryOp::Add, number, by) {
                    Some(number) => Some(number),
                    None => return Value::anything(),
                }
            }
            Some(_) => return Value::anything(),
        };
        Value { any: false, number, refs }
    }
}
