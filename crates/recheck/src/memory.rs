//! Objects and their contents. A value is a pair (object, bits): a pointer's bits are its offset, and integers and null
//! have object 0. The contents of an object that only one thread accesses are a map on that thread's path.

use crate::tree::Tree;
use base::Id;
use check::ReasonKind;
use ir::{EdgeId, FunctionId, Initial, ObjectId, ObjectKind, Symbol};
use smt::{Bits, Sort, Term};
use std::collections::BTreeMap;

/// The width of object numbers.
pub(crate) const OBJECT_BITS: u32 = 16;
/// An object's ghost has its number with this bit.
pub(crate) const GHOST: u16 = 0x8000;
/// The object of a pointer that never got a value.
pub(crate) const NOWHERE: u16 = 0x7fff;
/// Arrays with more elements are not read at a symbolic place.
const MAX_ELEMENTS: u64 = 256;

/// A symbolic value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Value {
    pub(crate) object: Term,
    pub(crate) bits: Term,
}

/// The identity of an object, which stays the same when trees are built again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Key {
    Static(ObjectId),
    Site(FunctionId, EdgeId),
    Code(FunctionId),
}

/// The storage of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Storage {
    Static,
    Constant,
    Stack,
    Heap,
    Code,
}

/// The initial contents of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    Zero,
    Arbitrary,
    Text(ObjectId),
}

/// An object.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) key: Key,
    pub(crate) storage: Storage,
    pub(crate) size: u64,
    pub(crate) start: Start,
}

/// The contents of an object on one thread's path: cells by offset, which do not overlap.
#[derive(Clone, Default, Debug)]
pub(crate) struct Contents(BTreeMap<u64, (u64, Value)>);

impl Tree<'_> {
    pub(crate) fn add_object(&mut self, object: Object) -> u16 {
        self.objects.push(object);
        if self.objects.len() >= usize::from(NOWHERE) {
            self.give_up("there are too many objects");
        }
        self.objects.len().min(usize::from(NOWHERE) - 1) as u16
    }

    pub(crate) fn object(&self, number: u16) -> Option<&Object> {
        self.objects.get(usize::from(number & !GHOST).checked_sub(1)?)
    }

    /// The number of accessible bytes of the object with a number.
    pub(crate) fn size_of(&self, number: u16) -> u64 {
        match self.object(number) {
            None => 0,
            Some(object) if object.storage == Storage::Code => 0,
            Some(object) if number & GHOST != 0 => ir::ghost_size(object.size),
            Some(object) => object.size,
        }
    }

    /// A static object, or a thread's copy of it.
    pub(crate) fn static_object(&mut self, owner: Option<usize>, id: ObjectId) -> u16 {
        if let Some(&number) = self.statics.get(&(owner, id)) {
            return number;
        }
        let object = &self.program.objects[id];
        let storage = match object.kind {
            ObjectKind::Constant => Storage::Constant,
            ObjectKind::Global | ObjectKind::ThreadLocal => Storage::Static,
        };
        let start = match object.initial {
            Initial::Arbitrary => Start::Arbitrary,
            Initial::Bytes { .. } => Start::Text(id),
        };
        let number = self.add_object(Object { key: Key::Static(id), storage, size: object.size, start });
        self.statics.insert((owner, id), number);
        number
    }

    pub(crate) fn code_object(&mut self, function: FunctionId) -> u16 {
        if let Some(&number) = self.codes.get(&function) {
            return number;
        }
        let key = Key::Code(function);
        let number = self.add_object(Object { key, storage: Storage::Code, size: 0, start: Start::Zero });
        self.codes.insert(function, number);
        number
    }

    pub(crate) fn pointer(&mut self, number: u16, offset: i64) -> Value {
        let bits = self.terms.bits(Bits::from_i128(self.pointer_width(), i128::from(offset)));
        Value { object: self.terms.number(OBJECT_BITS, u64::from(number)), bits }
    }

    pub(crate) fn integer(&mut self, bits: Term) -> Value {
        Value { object: self.terms.number(OBJECT_BITS, 0), bits }
    }

    pub(crate) fn number(&mut self, width: u32, value: u128) -> Value {
        let bits = self.terms.bits(Bits::from_u128(width, value));
        self.integer(bits)
    }

    pub(crate) fn choose(&mut self, condition: Term, then: Value, otherwise: Value) -> Value {
        Value {
            object: self.terms.ite(condition, then.object, otherwise.object),
            bits: self.terms.ite(condition, then.bits, otherwise.bits),
        }
    }

    pub(crate) fn equal(&mut self, a: Value, b: Value) -> Term {
        let (objects, bits) = (self.terms.eq(a.object, b.object), self.terms.eq(a.bits, b.bits));
        self.terms.and2(objects, bits)
    }

    /// Zero-extends or truncates a value to a width.
    pub(crate) fn resize(&mut self, value: Value, width: u32) -> Value {
        let bits = self.terms.resize(value.bits, width);
        Value { object: value.object, bits }
    }

    /// An arbitrary integer.
    pub(crate) fn input(&mut self, name: &str, width: u32) -> Term {
        let bits = self.terms.variable(name, Sort::Bits(width));
        if self.promised.is_some() && width > 8 {
            let fact = self.promise_of(bits);
            self.facts.push(fact);
        }
        bits
    }

    pub(crate) fn constant(&self, term: Term) -> Option<u64> {
        self.terms.as_bits(term).and_then(Bits::to_u64)
    }

    /// The initial contents of a range of an object; `None` for a part of a pointer.
    pub(crate) fn initial(&mut self, number: u16, offset: u64, bytes: u64) -> Option<Value> {
        let width = bytes as u32 * 8;
        let start = if number & GHOST != 0 { Start::Zero } else { self.object(number)?.start };
        match start {
            Start::Zero => Some(self.number(width, 0)),
            Start::Arbitrary => {
                let mut all: Option<Term> = None;
                for byte in offset..offset + bytes {
                    let part = match self.arbitrary.get(&(number, byte)) {
                        Some(&part) => part,
                        None => {
                            let part = self.terms.variable("byte", Sort::Bits(8));
                            self.arbitrary.insert((number, byte), part);
                            part
                        }
                    };
                    all = Some(all.map_or(part, |all| self.terms.concat(part, all)));
                }
                let bits = all?;
                if self.promised.is_some() && width > 8 && self.promised_ranges.insert((number, offset, bytes)) {
                    // Which ranges are inputs is known only once they are read.
                    let fact = self.promise_of(bits);
                    self.facts.push(fact);
                    let overlaps = |&&(other, at, size): &&(u16, u64, u64)| {
                        other == number && at < offset + bytes && offset < at + size
                    };
                    if self.promised_ranges.iter().filter(overlaps).count() > 1 {
                        self.give_up("inputs in memory are read in pieces of different sizes");
                    }
                }
                Some(self.integer(bits))
            }
            Start::Text(id) => {
                let Initial::Bytes { bytes: text, relocations } = &self.program.objects[id].initial else {
                    return None;
                };
                let pointer_bytes = self.program.data_model.pointer_bytes();
                let near = |at: u64| at < offset + bytes && offset < at + pointer_bytes;
                if let Some(relocation) = relocations.iter().find(|relocation| near(relocation.at)) {
                    if relocation.at != offset || bytes != pointer_bytes {
                        return None;
                    }
                    let target = match relocation.symbol {
                        Symbol::Object(object) => self.static_object(None, object),
                        Symbol::Function(function) => self.code_object(function),
                    };
                    return Some(self.pointer(target, relocation.offset));
                }
                let byte = |index: u64| u128::from(text.get(index as usize).copied().unwrap_or(0));
                let value = (0..bytes).fold(0, |all, index| all | byte(offset + index) << (8 * index));
                Some(self.number(width, value))
            }
        }
    }

    fn promise_of(&mut self, bits: Term) -> Term {
        let width = self.terms.width(bits);
        let mut cases = Vec::new();
        for value in self.promised.clone().unwrap_or_default() {
            let value = self.terms.bits(Bits::from_i128(width, value));
            cases.push(self.terms.eq(bits, value));
        }
        self.terms.or(cases)
    }

    /// Facts by which the value read at a place is the initial one if `choice` holds, and the condition under which
    /// that cannot be expressed.
    pub(crate) fn read_initially(&mut self, choice: Term, place: Value, bytes: u64, read: Value) -> (Vec<Term>, Term) {
        let (mut facts, mut unknown) = (Vec::new(), Vec::new());
        for number in self.candidates(place.object) {
            let size = self.size_of(number);
            let number_term = self.terms.number(OBJECT_BITS, u64::from(number));
            let is_it = self.terms.eq(place.object, number_term);
            let here = self.terms.and2(choice, is_it);
            if self.terms.as_bool(here) == Some(false) {
                continue;
            }
            let offsets: Vec<u64> = match self.constant(place.bits) {
                Some(offset) => vec![offset],
                None if size / bytes <= MAX_ELEMENTS => (0..size / bytes).map(|index| index * bytes).collect(),
                None => vec![],
            };
            let mut known = Vec::new();
            for offset in offsets {
                if offset.checked_add(bytes).is_none_or(|end| end > size) {
                    continue;
                }
                let Some(initial) = self.initial(number, offset, bytes) else { continue };
                let offset = self.terms.bits(Bits::from_u64(self.pointer_width(), offset));
                let is_there = self.terms.eq(place.bits, offset);
                let equal = self.equal(read, initial);
                let both = self.terms.and2(here, is_there);
                facts.push(self.terms.implies(both, equal));
                known.push(is_there);
            }
            let known = self.terms.or(known);
            let other = self.terms.not(known);
            unknown.push(self.terms.and2(here, other));
        }
        (facts, self.terms.or(unknown))
    }

    /// Reads a range that no other thread accesses.
    pub(crate) fn read_own(&mut self, contents: &mut Contents, number: u16, offset: u64, bytes: u64) -> Value {
        if let Some(&(size, value)) = contents.0.get(&offset) {
            if size == bytes {
                return value;
            }
        }
        if contents.overlapping(offset, bytes).is_empty() {
            return match self.initial(number, offset, bytes) {
                Some(value) => value,
                None => {
                    self.pend_always(ReasonKind::Addresses, "a part of a pointer is read");
                    self.number(bytes as u32 * 8, 0)
                }
            };
        }
        let mut all: Option<Term> = None;
        for byte in offset..offset + bytes {
            let part = match contents.overlapping(byte, 1).first() {
                Some(&at) => {
                    let (_, value) = contents.0[&at];
                    self.pend_address(value.object, "a part of a pointer is read");
                    let low = (byte - at) as u32 * 8;
                    self.terms.extract(low + 7, low, value.bits)
                }
                None => match self.initial(number, byte, 1) {
                    Some(value) => value.bits,
                    None => {
                        self.pend_always(ReasonKind::Addresses, "a part of a pointer is read");
                        self.terms.number(8, 0)
                    }
                },
            };
            all = Some(all.map_or(part, |all| self.terms.concat(part, all)));
        }
        let bits = all.unwrap_or_else(|| self.terms.number(8, 0));
        self.integer(bits)
    }

    /// Writes a range that no other thread accesses.
    pub(crate) fn write_own(&mut self, contents: &mut Contents, offset: u64, bytes: u64, value: Value) {
        for at in contents.overlapping(offset, bytes) {
            let Some((size, old)) = contents.0.remove(&at) else { continue };
            for byte in (at..at + size).filter(|&byte| byte < offset || byte >= offset + bytes) {
                self.pend_address(old.object, "a part of a pointer is overwritten");
                let low = (byte - at) as u32 * 8;
                let part = self.terms.extract(low + 7, low, old.bits);
                let part = self.integer(part);
                contents.0.insert(byte, (1, part));
            }
        }
        contents.0.insert(offset, (bytes, value));
    }

    /// The objects that a pointer may point to: the constants of its value, and if part of it was read from memory that
    /// others write, every object whose address was ever written.
    pub(crate) fn candidates(&self, object: Term) -> Vec<u16> {
        let (mut found, is_open) = self.leaves(object);
        if is_open {
            found.extend(&self.escaped);
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|&number| self.object(number).is_some_and(|object| object.storage != Storage::Code));
        found
    }

    /// The constants a term chooses among; whether there are variables among them as well. A term that has another
    /// shape may be anything.
    pub(crate) fn leaves(&self, term: Term) -> (Vec<u16>, bool) {
        let (mut found, mut work, mut is_open) = (Vec::new(), vec![term], false);
        let mut seen = std::collections::BTreeSet::new();
        while let Some(term) = work.pop() {
            if !seen.insert(term.index()) {
                continue;
            }
            match self.terms.node(term) {
                smt::term::Node::Bits(bits) => found.extend(bits.to_u64().map(|number| number as u16)),
                smt::term::Node::Ite(_, then, otherwise) => work.extend([*then, *otherwise]),
                _ if self.terms.is_variable(term) => is_open = true,
                _ => {
                    let all = 1..=self.objects.len() as u16;
                    return (all.flat_map(|number| [number, number | GHOST]).collect(), true);
                }
            }
        }
        (found, is_open)
    }
}

impl Contents {
    /// Whether nothing was written to a range.
    pub(crate) fn is_untouched(&self, offset: u64, bytes: u64) -> bool {
        self.overlapping(offset, bytes).is_empty()
    }

    /// A range in pieces: whole cells where there are some, words elsewhere.
    pub(crate) fn pieces(&self, offset: u64, len: u64, word: u64) -> Vec<(u64, u64)> {
        let (end, mut at, mut pieces) = (offset + len, offset, Vec::new());
        while at < end {
            let cell = self.0.get(&at).map(|(bytes, _)| *bytes).filter(|bytes| at + bytes <= end);
            let fits = |bytes: &u64| at.is_multiple_of(*bytes) && at + bytes <= end && self.is_untouched(at, *bytes);
            let bytes = cell.or_else(|| [word, 4, 2].into_iter().find(fits)).unwrap_or(1);
            pieces.push((at, bytes));
            at += bytes;
        }
        pieces
    }

    /// The offsets of the cells that overlap a range.
    fn overlapping(&self, offset: u64, bytes: u64) -> Vec<u64> {
        let cells = self.0.range(..offset + bytes);
        cells.filter(|(&at, &(size, _))| at + size > offset).map(|(&at, _)| at).collect()
    }
}
