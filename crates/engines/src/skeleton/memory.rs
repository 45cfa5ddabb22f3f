//! Memory accesses: which object an access touches, whether that is private (the thread's own state) or makes an event,
//! and whether it is valid.

use super::contents::{common_ranges, Contents, Found};
use super::evaluate::Candidates;
use super::events::{Event, EventId, Kind};
use super::execute::Execution;
use super::objects::{self, Object, Start};
use super::past::Content;
use super::state::State;
use super::value::{constant, fresh, is_set, Value, ARBITRARY, GHOST, OBJECT_BITS};
use check::ReasonKind;
use ir::analysis::Memory;
use ir::{Expr, Initial, ObjectId, ObjectKind, Order, Property, Symbol};
use smallvec::SmallVec;
use smt::{Bits, Term};
use std::rc::Rc;

/// The target of an access.
pub(crate) struct Place {
    pub(crate) pointer: Value,
    pub(crate) bytes: u64,
    /// Private objects, each under a condition.
    private: Vec<(u16, Term)>,
    /// Whether it makes an event.
    pub(crate) shared: Option<Term>,
    targets: Option<Vec<(Memory, bool)>>,
    /// Whether it is ghost memory.
    pub(crate) is_ghost: bool,
}

/// Maximum number of elements of a private array that is accessed at symbolic places.
const MAX_ELEMENTS: u64 = 1024;
pub(crate) const INVALID: &str = "an access that may be invalid";

impl Place {
    /// Whether it may be private memory.
    pub(crate) fn has_private(&self) -> bool {
        !self.private.is_empty()
    }
}

impl Execution<'_> {
    /// The number of an object; 0, ending the analysis, if there are too many.
    pub(crate) fn numbered(&mut self, number: impl FnOnce(&mut objects::Objects) -> Option<u16>) -> u16 {
        match number(&mut self.skeleton.objects) {
            Some(number) => number,
            None => {
                self.stop(check::Reason::new(ReasonKind::Bound, "there are too many objects for this engine"));
                0
            }
        }
    }

    /// The number of a static object or of a thread's copy of it.
    pub(crate) fn static_object(&mut self, owner: Option<u32>, id: ObjectId) -> u16 {
        if let Some(number) = self.skeleton.objects.find(owner, id) {
            return number;
        }
        let object = &self.program.objects[id];
        let start = match object.initial {
            Initial::Arbitrary => Start::Arbitrary,
            Initial::Bytes { .. } => Start::Static(id),
        };
        let kind = match object.kind {
            ObjectKind::Constant => objects::Kind::Constant,
            ObjectKind::Global | ObjectKind::ThreadLocal => objects::Kind::Static,
        };
        let is_shared = self.escape.is_shared_object(id);
        let memory = Some(Memory::Static(id));
        let made = Object { kind, size: object.size, extent: None, start, is_shared, memory };
        self.numbered(|objects| objects.define(owner, id, made))
    }

    /// Whether accesses to an object are tracked in the thread's own state.
    fn is_private(&self, state: &State, number: u16) -> bool {
        let Some(object) = self.skeleton.objects.get(number) else { return false };
        state.is_alone || !object.is_shared || object.kind == objects::Kind::Constant && number & GHOST == 0
    }

    /// The target of an access through a pointer. Invalid accesses are gaps.
    pub(crate) fn place(&mut self, state: &State, expr: &Expr, pointer: Value, bytes: u64, writes: bool) -> Place {
        let mut place = Place { pointer, bytes, private: Vec::new(), shared: None, targets: None, is_ghost: false };
        let mut valid = Vec::new();
        let (numbers, is_open) = match self.candidates(pointer.object) {
            Candidates::Known(numbers) => (numbers, false),
            Candidates::Open => {
                let pointees = self.points_to.pointees(self.at.0, expr);
                if pointees.is_unknown {
                    let always = self.terms.bool(true);
                    self.unless(always, ReasonKind::Unsupported, "a pointer that may point anywhere is followed");
                }
                let own = self.private_among(state, &pointees.objects);
                if let Some(making) = &mut self.making {
                    making.open.push((pointees.objects.clone(), own.clone()));
                }
                place.targets = Some(pointees.objects);
                (own, true)
            }
        };
        place.is_ghost = self.is_ghost_place(&numbers, place.targets.as_deref());
        let mut shared = Vec::new();
        for number in numbers {
            let is_it = self.object_is(pointer.object, number);
            let Some(object) = self.skeleton.objects.get(number) else { continue };
            if number == ARBITRARY || writes && object.kind == objects::Kind::Constant && number & GHOST == 0 {
                continue;
            }
            let is_constant = object.kind == objects::Kind::Constant && number & GHOST == 0;
            let fits = self.skeleton.objects.fits(self.terms, number, pointer.bits, bytes);
            let is_private = self.is_private(state, number);
            let live = if is_private { self.is_live(state, number) } else { self.terms.bool(true) };
            valid.push(self.terms.and([is_it, fits, live]));
            if is_private {
                if !is_constant {
                    self.give_up_summary();
                }
                place.private.push((number, is_it));
            } else {
                shared.push(is_it);
            }
        }
        if is_open {
            let own: Vec<Term> = place.private.iter().map(|(_, is_it)| *is_it).collect();
            let own = self.terms.or(own);
            let other = self.terms.not(own);
            shared.push(other);
            // Composition knows all objects, and checks the rest.
            valid.push(other);
        }
        if !shared.is_empty() {
            place.shared = Some(self.terms.or(shared));
        }
        let valid = self.terms.or(valid);
        let invalid = self.terms.not(valid);
        self.forbid(invalid, Property::Memory, INVALID);
        place
    }

    /// Whether a place is ghost memory. Memory models treat that differently, so it must be known.
    fn is_ghost_place(&mut self, numbers: &[u16], targets: Option<&[(Memory, bool)]>) -> bool {
        let own = numbers.iter().map(|number| number & GHOST != 0);
        let mut all = own.chain(targets.into_iter().flatten().map(|(_, is_ghost)| *is_ghost));
        let Some(first) = all.next() else { return false };
        if !self.model.is_sequentially_consistent() && all.any(|other| other != first) {
            let always = self.terms.bool(true);
            let detail = "a pointer that may be one to the state of a lock or not, under a weak memory model";
            self.unless(always, ReasonKind::Unsupported, detail);
        }
        first
    }

    /// The thread's private objects among these.
    pub(crate) fn private_among(&self, state: &State, among: &[(Memory, bool)]) -> Vec<u16> {
        let mut found = Vec::new();
        for number in self.skeleton.objects.numbers() {
            let Some(memory) = self.skeleton.objects.get(number).and_then(|object| object.memory) else { continue };
            for ghost in [false, true] {
                let number = if ghost { number | GHOST } else { number };
                if among.contains(&(memory, ghost)) && self.is_private(state, number) {
                    found.push(number);
                }
            }
        }
        found
    }

    fn is_live(&mut self, state: &State, number: u16) -> Term {
        match state.memory.get(&(number & !GHOST)) {
            Some(contents) => contents.is_live,
            None => self.terms.bool(true),
        }
    }

    /// The contents of an object, for modification.
    pub(crate) fn contents<'s>(&mut self, state: &'s mut State, number: u16) -> &'s mut Contents {
        self.give_up_summary();
        let memory = Rc::make_mut(&mut state.memory);
        let contents = memory.entry(number).or_insert_with(|| Rc::new(Contents::new(self.terms)));
        Rc::make_mut(contents)
    }

    /// The initial contents of a part of an object.
    pub(crate) fn start(&mut self, number: u16, offset: u64, bytes: u64) -> Option<Value> {
        let width = bytes as u32 * 8;
        if let Some(content) = self.skeleton.before(number, offset, bytes) {
            if content == Content::Mixed {
                let always = self.terms.bool(true);
                self.unless(always, ReasonKind::Addresses, "what happens depends on the addresses of objects");
            }
            return self.skeleton.value_of(self.terms, content, width);
        }
        if number & GHOST != 0 {
            return Some(Value::constant(self.terms, width, 0));
        }
        match self.skeleton.objects.get(number)?.start {
            Start::Zero => Some(Value::constant(self.terms, width, 0)),
            Start::Arbitrary => None,
            Start::Static(id) => {
                let Initial::Bytes { bytes: text, relocations } = &self.program.objects[id].initial else {
                    return None;
                };
                let pointer_bytes = self.program.data_model.pointer_bytes();
                let near = |at: u64| at < offset + bytes && at + pointer_bytes > offset;
                if let Some(relocation) = relocations.iter().find(|relocation| near(relocation.at)) {
                    let (at, symbol, by) = (relocation.at, relocation.symbol, relocation.offset);
                    if at != offset || bytes != pointer_bytes {
                        let always = self.terms.bool(true);
                        self.unless(always, ReasonKind::Addresses, "what happens depends on the addresses of objects");
                    }
                    let target = match symbol {
                        Symbol::Object(object) => self.static_object(None, object),
                        Symbol::Function(function) => self.numbered(|objects| objects.function(function)),
                    };
                    return Some(Value::pointer(self.terms, target, width, by as u128));
                }
                let byte = |index: u64| u128::from(text.get(index as usize).copied().unwrap_or(0));
                let value = (0..bytes).fold(0, |all, index| all | byte(offset + index) << (8 * index));
                Some(Value::constant(self.terms, width, value))
            }
        }
    }

    /// Reads a range of a private object.
    pub(crate) fn read_private(&mut self, state: &mut State, number: u16, offset: u64, bytes: u64) -> Value {
        let found = state.memory.get(&number).map_or(Found::Nothing, |contents| contents.find(offset, bytes));
        match found {
            Found::Cell(value) => value,
            Found::Nothing => match self.start(number, offset, bytes) {
                Some(value) => value,
                None => {
                    let bits = fresh(self.terms, "memory", bytes as u32 * 8);
                    self.promise(bits);
                    let value = Value::int(self.terms, bits);
                    self.contents(state, number).cells.insert(offset, (bytes, value));
                    value
                }
            },
            Found::Parts => {
                let mut all: Option<Term> = None;
                for byte in offset..offset + bytes {
                    let part =
                        Rc::clone(&state.memory).get(&number).and_then(|contents| contents.byte(self.terms, byte));
                    let part = match part {
                        Some((part, is_pointer)) => {
                            let detail = "what happens depends on the addresses of objects";
                            self.unless(is_pointer, ReasonKind::Addresses, detail);
                            part
                        }
                        None => self.read_private(state, number, byte, 1).bits,
                    };
                    all = Some(all.map_or(part, |all| self.terms.concat(part, all)));
                }
                let bits = all.unwrap_or_else(|| self.terms.number(8, 0));
                Value::int(self.terms, bits)
            }
        }
    }

    fn write_private(&mut self, state: &mut State, number: u16, offset: u64, bytes: u64, value: Value) {
        let mut contents = match state.memory.get(&number) {
            Some(contents) => (**contents).clone(),
            None => Contents::new(self.terms),
        };
        let cut = contents.put(self.terms, offset, bytes, value);
        if let Some(cut) = cut {
            self.unless(cut, ReasonKind::Addresses, "what happens depends on the addresses of objects");
        }
        Rc::make_mut(&mut state.memory).insert(number, Rc::new(contents));
    }

    /// The possible offsets of an access in a private object; any other offset is a gap.
    fn offsets(&mut self, place: &Place, number: u16, is_it: Term) -> Vec<u64> {
        if let Some(offset) = constant(self.terms, place.pointer.bits) {
            return vec![offset];
        }
        let size = self.skeleton.objects.bytes(number);
        if !place.bytes.is_power_of_two() || size / place.bytes > MAX_ELEMENTS {
            self.unless(is_it, ReasonKind::Unsupported, "a large array is accessed at a symbolic index");
            return vec![];
        }
        let low = self.terms.bits(Bits::from_u64(self.pointer_width(), place.bytes - 1));
        let rest = self.terms.bit_and([place.pointer.bits, low]);
        let unaligned = is_set(self.terms, rest);
        let unaligned = self.terms.and2(is_it, unaligned);
        self.unless(unaligned, ReasonKind::Unsupported, "an array is accessed at a symbolic index, not aligned");
        (0..size / place.bytes).map(|index| index * place.bytes).collect()
    }

    /// Reads the private part of a place; `None` if it has none.
    pub(crate) fn load_private(&mut self, state: &mut State, place: &Place) -> Option<Value> {
        let mut result: Option<Value> = None;
        for &(number, is_it) in &place.private {
            for offset in self.offsets(place, number, is_it) {
                if offset.saturating_add(place.bytes) > self.skeleton.objects.bytes(number) {
                    continue;
                }
                let value = self.read_private(state, number, offset, place.bytes);
                let condition = self.is_at(place, is_it, offset);
                result = Some(match result {
                    None => value,
                    Some(other) => value.or_else(self.terms, condition, other),
                });
            }
        }
        result
    }

    fn is_at(&mut self, place: &Place, is_it: Term, offset: u64) -> Term {
        let offset = self.terms.bits(Bits::from_u64(self.pointer_width(), offset));
        let here = self.terms.eq(place.pointer.bits, offset);
        self.terms.and2(is_it, here)
    }

    /// Writes the private part of a place, where `when` holds.
    pub(crate) fn store_private(&mut self, state: &mut State, place: &Place, when: Term, value: Value) {
        for &(number, is_it) in &place.private {
            for offset in self.offsets(place, number, is_it) {
                if offset.saturating_add(place.bytes) > self.skeleton.objects.bytes(number) {
                    continue;
                }
                let here = self.is_at(place, is_it, offset);
                let condition = self.terms.and2(here, when);
                let new = match self.terms.as_bool(condition) {
                    Some(true) => value,
                    Some(false) => continue,
                    None => {
                        let old = self.read_private(state, number, offset, place.bytes);
                        value.or_else(self.terms, condition, old)
                    }
                };
                self.write_private(state, number, offset, place.bytes, new);
            }
        }
    }

    /// A value in its memory representation.
    pub(crate) fn stored(&mut self, value: Value, bytes: u64) -> Value {
        Value { object: value.object, bits: self.terms.resize(value.bits, bytes as u32 * 8) }
    }

    /// An arbitrary value for an event to read; `has_objects` tells whether it may be a pointer.
    pub(crate) fn unread(&mut self, bytes: u64, has_objects: bool) -> Value {
        let bits = fresh(self.terms, "read", bytes as u32 * 8);
        let object =
            if has_objects { fresh(self.terms, "object", OBJECT_BITS) } else { self.terms.number(OBJECT_BITS, 0) };
        Value { object, bits }
    }

    /// Adds an event after the last ones.
    pub(crate) fn event(
        &mut self,
        state: &mut State,
        kind: Kind,
        place: Option<&Place>,
        occurs: Term,
        read: Option<Value>,
        write: Option<(Term, Value)>,
    ) -> EventId {
        let null = Value::constant(self.terms, self.pointer_width(), 0);
        let region = state.region.map(|(region, _)| region);
        let is_looping = self.property == Property::Race && self.making.is_some() && state.effects.len() > 1;
        if is_looping && place.is_some_and(|place| constant(self.terms, place.pointer.bits).is_none()) {
            // Which iterations only wait depends on what is known about places ([`super::spin`]).
            self.note_rough();
        }
        let event = Event {
            thread: state.thread,
            kind,
            occurs,
            location: place.map_or(null, |place| place.pointer),
            bytes: place.map_or(0, |place| place.bytes),
            is_ghost: place.is_some_and(|place| place.is_ghost),
            is_race_free: self.analyses.race_free.contains(&self.at),
            read,
            write,
            orders: (Order::Plain, Order::Plain),
            after: state.last.clone(),
            held: self.certainly_held(state),
            targets: place.and_then(|place| place.targets.clone()),
            at: self.span(),
        };
        match event.kind {
            // The held locks are part of the state, if their cells are constant and nothing else observes them.
            Kind::Lock { .. } if self.is_plain_lock(&event) => {}
            Kind::Unlock { held, .. } if self.is_plain_lock(&event) => {
                // A lock that the state does not track was acquired through a pointer.
                let is_unknown = self.terms.not(held);
                let changes = self.terms.and2(occurs, is_unknown);
                self.effect(state, changes);
            }
            Kind::Access | Kind::Lock { .. } | Kind::Unlock { .. } => {
                if let Some((writes, new)) = event.write.filter(|_| !self.is_condition(&event)) {
                    // An update that does not change the value has no effect.
                    let is_same = event.read.map(|old| new.equals(self.terms, old));
                    let changes = is_same.map_or(writes, |is_same| {
                        let differs = self.terms.not(is_same);
                        self.terms.and2(writes, differs)
                    });
                    let changes = self.terms.and2(occurs, changes);
                    self.effect(state, changes);
                }
            }
            Kind::Kill => self.effect(state, occurs),
            Kind::Mark | Kind::Fence | Kind::Barrier(_) | Kind::Probe => {}
        }
        state.has_stores |= event.kind == Kind::Access && event.read.is_none() && !event.is_ghost;
        let is_access = event.kind == Kind::Access && !event.is_ghost;
        let id = self.skeleton.events.push(event);
        if is_access {
            self.note_calls(id);
        }
        state.last = SmallVec::from_slice(&[id]);
        self.step_events.push(id);
        if let Some(region) = region {
            self.skeleton.regions[region].events.push(id);
        }
        if self.skeleton.events.len() > self.most_events {
            self.stop(check::Reason::new(ReasonKind::Bound, "there are too many shared accesses for this engine"));
        }
        id
    }

    /// Sets the memory orders of the current statement's events: the second applies where nothing is written.
    pub(crate) fn ordered(&mut self, order: Order, failure: Order) {
        for &event in &self.step_events {
            self.skeleton.events[event].orders = (order, failure);
        }
    }

    /// Merges the private memory of two paths.
    pub(crate) fn merge_memory(&mut self, telling: Term, a: &mut State, b: &mut State) {
        if Rc::ptr_eq(&a.memory, &b.memory) {
            return;
        }
        let mut numbers: Vec<u16> = a.memory.keys().chain(b.memory.keys()).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            let empty = Rc::new(Contents::new(self.terms));
            let old_a = a.memory.get(&number).cloned().unwrap_or_else(|| Rc::clone(&empty));
            let old_b = b.memory.get(&number).cloned().unwrap_or(empty);
            if Rc::ptr_eq(&old_a, &old_b) || old_a == old_b {
                continue;
            }
            let mut merged = Contents::new(self.terms);
            merged.is_live = self.terms.ite(telling, old_a.is_live, old_b.is_live);
            for (offset, bytes) in common_ranges(&old_a, &old_b) {
                let of_a = self.read_private(a, number, offset, bytes);
                let of_b = self.read_private(b, number, offset, bytes);
                let value = of_a.or_else(self.terms, telling, of_b);
                merged.cells.insert(offset, (bytes, value));
            }
            Rc::make_mut(&mut a.memory).insert(number, Rc::new(merged));
        }
    }
}
