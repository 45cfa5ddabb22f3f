//! The contents of memory: flow-insensitive for all times ([`World`]), and flow-sensitive for memory that no other
//! thread changes ([`Known`]).

use super::value::{ObjectNumber, Value};
use crate::domains::Number;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How two pieces of an object overlap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Overlap {
    /// They have no byte in common.
    No,
    /// If they overlap they are equal.
    Same,
    /// They may overlap partially.
    Part,
}

/// A piece of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    /// Possible offsets of its first byte.
    pub(super) offset: Number,
    /// Its maximum size in bytes.
    pub(super) bytes: u64,
}

impl Piece {
    /// How a piece lies in a cleared range: `Same` if it is inside wherever they overlap.
    fn inside(&self, range: &Piece) -> Overlap {
        let (own, others) = (i128::from(self.bytes), i128::from(range.bytes));
        if self.overlap(range) == Overlap::No {
            return Overlap::No;
        }
        let step = gcd(self.offset.stride(), range.offset.stride());
        let distance = self.offset.low() - range.offset.low();
        let rest = if step == 0 { distance } else { distance.rem_euclid(step) };
        // If the ranges of several iterations are adjacent, the next begins at the end of this one.
        match rest >= 0 && rest + own <= others && (step == 0 || others <= step) {
            true => Overlap::Same,
            false => Overlap::Part,
        }
    }

    /// How two pieces overlap.
    pub(super) fn overlap(&self, other: &Piece) -> Overlap {
        let (a, b) = (&self.offset, &other.offset);
        let (own, others) = (i128::from(self.bytes), i128::from(other.bytes));
        if a.high() + own <= b.low() || b.high() + others <= a.low() {
            return Overlap::No;
        }
        let step = gcd(a.stride(), b.stride());
        let distance = b.low() - a.low();
        if step == 0 {
            return match distance == 0 && own == others {
                true => Overlap::Same,
                false => Overlap::Part,
            };
        }
        // Distances are `rest`, `rest - step` and so on: only those next to 0 matter.
        let rest = distance.rem_euclid(step);
        let after = rest < own;
        let before = step - rest < others;
        match (after, before) {
            (false, false) => Overlap::No,
            (true, false) if rest == 0 && own == others && step >= own => Overlap::Same,
            (_, _) => Overlap::Part,
        }
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Maximum size of a cell in bytes: an integer of `u16::MAX` bits.
const LARGEST_CELL: i128 = 8192;

/// Everything ever stored in an object.
#[derive(Clone, Debug, Default)]
struct Contents {
    /// At one place, by place and number of bytes.
    cells: BTreeMap<(i64, u64), Value>,
    /// At one of several places, by number of bytes.
    spread: BTreeMap<u64, (Number, Value)>,
    /// How often it grew.
    changes: u32,
}

/// The contents of memory at any time.
#[derive(Clone, Debug, Default)]
pub(super) struct World {
    objects: BTreeMap<ObjectNumber, Contents>,
    /// Zeroed ranges, by object.
    zeroed: BTreeMap<ObjectNumber, Vec<Piece>>,
    /// Whether something was stored through a pointer that may lead anywhere.
    pub(super) is_lost: bool,
}

/// Number of changes after which values are widened with thresholds; after `LAST_THRESHOLD` changes, without.
const FIRST_WIDENING: u32 = 12;
const LAST_THRESHOLD: u32 = 40;
/// Number of changes after which the offset of a value at several places is widened, too.
const MANY_CHANGES: u32 = 200;

impl World {
    /// Stores a value somewhere into a piece. Returns whether anything is new.
    pub(super) fn store(&mut self, object: ObjectNumber, piece: &Piece, value: &Value, thresholds: &[i128]) -> bool {
        let contents = self.objects.entry(object).or_default();
        let changes = contents.changes;
        let grow = |old: &Value| match changes {
            0..FIRST_WIDENING => old.join(value),
            FIRST_WIDENING..LAST_THRESHOLD => old.widen(value, thresholds),
            LAST_THRESHOLD.. => old.widen(value, &[]),
        };
        let has_changed = match piece.offset.single() {
            Some(at) => {
                let cell = contents.cells.entry((at as i64, piece.bytes)).or_default();
                let is_new = !cell.includes(value);
                if is_new {
                    *cell = grow(cell);
                }
                is_new
            }
            None => match contents.spread.get_mut(&piece.bytes) {
                Some((offset, old)) => {
                    let is_new = !old.includes(value) || !offset.includes(&piece.offset);
                    if is_new {
                        *old = grow(old);
                        *offset = if changes < MANY_CHANGES {
                            offset.join(&piece.offset)
                        } else {
                            offset.widen(&piece.offset, &[])
                        };
                    }
                    is_new
                }
                None => {
                    contents.spread.insert(piece.bytes, (piece.offset, value.clone()));
                    true
                }
            },
        };
        contents.changes += u32::from(has_changed);
        has_changed
    }

    /// Zeroes a range. Returns whether that is new.
    pub(super) fn zero(&mut self, object: ObjectNumber, range: &Piece) -> bool {
        let ranges = self.zeroed.entry(object).or_default();
        let is_there = |old: &Piece| old.bytes == range.bytes && old.offset.includes(&range.offset);
        if ranges.iter().any(is_there) {
            return false;
        }
        match ranges.iter_mut().find(|old| old.bytes == range.bytes) {
            Some(old) => old.offset = old.offset.widen(&range.offset, &[]),
            None => ranges.push(*range),
        }
        true
    }

    /// Everything that may have been stored in a piece, without its initial contents.
    pub(super) fn load(&self, object: ObjectNumber, piece: &Piece) -> Value {
        if self.is_lost {
            return Value::anything();
        }
        let mut value = Value::default();
        for range in self.zeroed.get(&object).into_iter().flatten() {
            value = match piece.inside(range) {
                Overlap::No => continue,
                Overlap::Same => value.join(&Value::constant(u16::try_from(piece.bytes * 8).unwrap_or(u16::MAX), 0)),
                Overlap::Part => return Value::anything(),
            };
        }
        let Some(contents) = self.objects.get(&object) else { return value };
        let mut add = |other: Piece, held: &Value| {
            value = match piece.overlap(&other) {
                Overlap::No => return,
                Overlap::Same => value.join(held),
                Overlap::Part => Value::anything(),
            };
        };
        let (first, last) = (piece.offset.low() - LARGEST_CELL, piece.offset.high() + i128::from(piece.bytes));
        let clamp = |at: i128| at.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
        for ((at, bytes), held) in contents.cells.range((clamp(first), 0)..=(clamp(last), u64::MAX)) {
            add(Piece { offset: Number::constant(64, *at as i128 as u128), bytes: *bytes }, held);
        }
        for (bytes, (offset, held)) in &contents.spread {
            add(Piece { offset: *offset, bytes: *bytes }, held);
        }
        value
    }

    /// Whether the address of an object was ever stored in memory.
    pub(super) fn holds_address_of(&self, object: ObjectNumber) -> bool {
        let leads = |value: &Value| value.any || value.refs.iter().any(|(other, _)| *other == object);
        self.is_lost
            || self.objects.values().any(|contents| {
                contents.cells.values().any(leads) || contents.spread.values().any(|(_, value)| leads(value))
            })
    }
}

/// A place in memory: object, offset and number of bytes.
pub(super) type Place = (ObjectNumber, i64, u64);

/// A thread's knowledge of places that no other thread changes. A missing place is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Known(Rc<BTreeMap<Place, Value>>);

impl Known {
    /// The value of a place, if known.
    pub(super) fn get(&self, place: &Place) -> Option<&Value> {
        self.0.get(place)
    }

    /// All known places.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Place, &Value)> {
        self.0.iter()
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.0 = Rc::default();
    }

    /// Keeps the places of some objects.
    pub(super) fn retain(&mut self, keep: impl Fn(ObjectNumber) -> bool) {
        if self.0.keys().any(|(object, ..)| !keep(*object)) {
            Rc::make_mut(&mut self.0).retain(|(object, ..), _| keep(*object));
        }
    }

    /// Strong update: a place certainly holds a value.
    pub(super) fn set(&mut self, place: Place, value: Value) {
        let (object, at, bytes) = place;
        let piece = Piece { offset: Number::constant(64, at as i128 as u128), bytes };
        self.touch(object, &piece, None);
        Rc::make_mut(&mut self.0).insert(place, value);
    }

    /// Weak update: a piece may have been set to a value, or, without one, to anything.
    pub(super) fn touch(&mut self, object: ObjectNumber, piece: &Piece, value: Option<&Value>) {
        let mut changes: Vec<(Place, Option<Value>)> = Vec::new();
        for (place, held) in self.0.range((object, i64::MIN, 0)..=(object, i64::MAX, u64::MAX)) {
            let other = Piece { offset: Number::constant(64, place.1 as i128 as u128), bytes: place.2 };
            match (piece.overlap(&other), value) {
                (Overlap::No, _) => {}
                (Overlap::Same, Some(value)) => changes.push((*place, Some(held.join(value)))),
                (Overlap::Same | Overlap::Part, _) => changes.push((*place, None)),
            }
        }
        if changes.is_empty() {
            return;
        }
        let map = Rc::make_mut(&mut self.0);
        for (place, value) in changes {
            match value {
                Some(value) => map.insert(place, value),
                None => map.remove(&place),
            };
        }
    }

    /// Joins: keeps what is known in both. Returns whether this lost or changed something.
    pub(super) fn merge(&mut self, other: &Known, merge: impl Fn(&Value, &Value) -> Value) -> bool {
        if Rc::ptr_eq(&self.0, &other.0) {
            return false;
        }
        let mut changes: Vec<(Place, Option<Value>)> = Vec::new();
        for (place, held) in self.0.iter() {
            match other.0.get(place) {
                None => changes.push((*place, None)),
                Some(value) if held.includes(value) => {}
                Some(value) => changes.push((*place, Some(merge(held, value)))),
            }
        }
        if changes.is_empty() {
            return false;
        }
        let map = Rc::make_mut(&mut self.0);
        for (place, value) in changes {
            match value {
                Some(value) => map.insert(place, value),
                None => map.remove(&place),
            };
        }
        true
    }

    /// The known places.
    pub(super) fn places(&self) -> BTreeSet<Place> {
        self.0.keys().copied().collect()
    }
}
