//! Initial values of shared memory.

use super::super::events::Event;
use super::super::objects;
use super::super::past::Content;
use super::super::value::{constant, fresh, Value, GHOST, OBJECT_BITS};
use super::{Composer, MAX_ELEMENTS, SIZES};
use check::ReasonKind;
use ir::{Initial, Symbol};
use smt::{Bits, Term};

impl Composer<'_> {
    /// The initial value of a part of an object.
    pub(super) fn initial(&mut self, number: u16, offset: u64, bytes: u64, event: &Event) -> Value {
        let width = bytes as u32 * 8;
        if let Some(content) = self.skeleton.before(number, offset, bytes) {
            if content == Content::Mixed {
                self.gap(event.occurs, ReasonKind::Unsupported, SIZES, event.at);
            }
            let known = self.skeleton.value_of(self.terms, content, width);
            return known.unwrap_or_else(|| self.any_initial(number, offset, bytes));
        }
        let mut overlaps = false;
        if let Some(cells) = self.skeleton.initial.get(&number) {
            if let Some(&(size, value)) = cells.get(&offset) {
                if size == bytes {
                    return value;
                }
            }
            overlaps = cells.iter().any(|(&at, &(size, _))| at < offset + bytes && offset < at + size);
        }
        if overlaps {
            self.gap(event.occurs, ReasonKind::Unsupported, SIZES, event.at);
        }
        let start = self.skeleton.objects.get(number).map(|object| object.start);
        let start = if number & GHOST != 0 { Some(objects::Start::Zero) } else { start };
        match start {
            Some(objects::Start::Zero) => Value::constant(self.terms, width, 0),
            Some(objects::Start::Static(id)) => {
                let program = self.program;
                let Initial::Bytes { bytes: text, relocations } = &program.objects[id].initial else {
                    return self.any_initial(number, offset, bytes);
                };
                let pointer_bytes = program.data_model.pointer_bytes();
                let near = |at: u64| at < offset + bytes && at + pointer_bytes > offset;
                if let Some(relocation) = relocations.iter().find(|relocation| near(relocation.at)) {
                    if relocation.at != offset || bytes != pointer_bytes {
                        let detail = "what happens depends on the addresses of objects";
                        self.gap(event.occurs, ReasonKind::Addresses, detail, event.at);
                        return self.any_initial(number, offset, bytes);
                    }
                    let target = match relocation.symbol {
                        Symbol::Object(object) => self.skeleton.objects.find(None, object),
                        Symbol::Function(function) => self.skeleton.objects.function(function),
                    };
                    return match target {
                        Some(target) => Value::pointer(self.terms, target, width, relocation.offset as u128),
                        None => {
                            let detail = "an object is reached through an initialiser only";
                            self.gap(event.occurs, ReasonKind::Unsupported, detail, event.at);
                            self.any_initial(number, offset, bytes)
                        }
                    };
                }
                let byte = |index: u64| u128::from(text.get(index as usize).copied().unwrap_or(0));
                let value = (0..bytes).fold(0, |all, index| all | byte(offset + index) << (8 * index));
                Value::constant(self.terms, width, value)
            }
            Some(objects::Start::Arbitrary) | None => self.any_initial(number, offset, bytes),
        }
    }

    pub(super) fn any_initial(&mut self, number: u16, offset: u64, bytes: u64) -> Value {
        if let Some(&value) = self.arbitrary.get(&(number, offset, bytes)) {
            return value;
        }
        let bits = fresh(self.terms, "memory", bytes as u32 * 8);
        let value = Value::int(self.terms, bits);
        self.arbitrary.insert((number, offset, bytes), value);
        value
    }

    /// If `choice`, the read returns the initial value.
    pub(super) fn read_initially(&mut self, choice: Term, event: &Event, value: Value) {
        if let Some((number, offset)) = self.constant_place(event) {
            if offset.saturating_add(event.bytes) > self.skeleton.objects.bytes(number) {
                return;
            }
            let initial = self.initial(number, offset, event.bytes, event);
            let equal = value.equals(self.terms, initial);
            let fact = self.terms.implies(choice, equal);
            self.assert(fact);
            return;
        }
        for number in self.candidates(event) {
            let size = self.skeleton.objects.bytes(number);
            let is_it = self.object_is(event.location.object, number);
            let offsets: Vec<u64> = match constant(self.terms, event.location.bits) {
                Some(offset) => vec![offset],
                None if size / event.bytes <= MAX_ELEMENTS => {
                    (0..size / event.bytes).map(|index| index * event.bytes).collect()
                }
                None => {
                    let here = self.terms.and2(event.occurs, is_it);
                    let detail = "a large shared array is accessed at a symbolic index";
                    self.gap(here, ReasonKind::Unsupported, detail, event.at);
                    continue;
                }
            };
            let is_symbolic = offsets.len() > 1;
            let width = self.terms.width(event.location.bits);
            let mut cases = Vec::new();
            for offset in offsets {
                if offset.saturating_add(event.bytes) > size {
                    continue;
                }
                let initial = self.initial(number, offset, event.bytes, event);
                let place = self.terms.bits(Bits::from_u64(width, offset));
                let here = self.terms.eq(event.location.bits, place);
                let equal = value.equals(self.terms, initial);
                let condition = self.terms.and([choice, is_it, here]);
                let fact = self.terms.implies(condition, equal);
                self.assert(fact);
                cases.push(here);
            }
            if is_symbolic {
                let aligned = self.terms.or(cases);
                let other = self.terms.not(aligned);
                let other = self.terms.and([event.occurs, is_it, other]);
                let detail = "a shared array is accessed at a symbolic index, not aligned";
                self.gap(other, ReasonKind::Unsupported, detail, event.at);
            }
        }
    }

    pub(super) fn object_is(&mut self, object: Term, number: u16) -> Term {
        let number = self.terms.number(OBJECT_BITS, u64::from(number));
        self.terms.eq(object, number)
    }

    /// The shared objects that an event may access.
    pub(super) fn candidates(&mut self, event: &Event) -> Vec<u16> {
        let mut found = Vec::new();
        for number in self.skeleton.objects.numbers().collect::<Vec<_>>() {
            let Some(object) = self.skeleton.objects.get(number) else { continue };
            if matches!(object.kind, objects::Kind::Function(_)) || !object.is_shared {
                continue;
            }
            for number in [number, number | GHOST] {
                let is_it = self.object_is(event.location.object, number);
                if self.may_be(event, number) && self.terms.as_bool(is_it) != Some(false) {
                    found.push(number);
                }
            }
        }
        found
    }
}
