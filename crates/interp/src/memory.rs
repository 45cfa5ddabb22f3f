//! Memory accesses, with the checks for validity and races. The memory model defines what they read and where they
//! write ([`crate::models`]).

use crate::atomicity::{self, Does};
use crate::eval::Eval;
use crate::event::EventKind;
use crate::happens_before::{AccessKind, NewAccess, Place, Race, Release};
use crate::machine::Gap;
use crate::models::Access;
use crate::object::{Content, Name, Object, Storage};
use crate::step::{Interrupt, Step};
use crate::value::{ObjRef, Pointer, Value};
use ir::arith::mask;
use ir::{BadAccess, BadFree, Direction, Fault, FunctionId, LibraryRace, Order, Property, Type};
use std::rc::Rc;

/// The effect of a read-modify-write on the value it reads: the new value, if it writes one.
pub(crate) type Change<'c, S> = dyn FnMut(&mut S, Value) -> Result<Option<Value>, Interrupt> + 'c;

/// The value a read found and its origin.
pub(crate) struct Found {
    pub(crate) value: Value,
    /// The recorded step that wrote it, plus 1; 0 if none.
    pub(crate) stamp: usize,
    /// Recorded steps (plus 1) that wrote the place and are not seen.
    pub(crate) unseen: Vec<usize>,
}

impl Step<'_, '_> {
    /// The name of an object in a message. Only violations distinguish objects allocated at the same place: a reason
    /// for `unknown` should not be repeated for each of them.
    fn name_of(&self, object: &Object, violated: Property) -> Name {
        let instance = if violated == self.machine.config.property { object.name.instance } else { 1 };
        Name { text: Rc::clone(&object.name.text), instance }
    }

    /// The index of the object a valid access touches.
    pub(crate) fn locate(&mut self, pointer: Pointer, len: u64, write: bool) -> Result<usize, Interrupt> {
        let access = |bad| Fault::Access(Direction::new(write), bad);
        let index = match pointer.object {
            ObjRef::Null if pointer.offset.unsigned_abs() < 4096 => return Err(self.violation(access(BadAccess::Null))),
            ObjRef::Null => return Err(self.violation(access(BadAccess::Invalid))),
            ObjRef::Function(_) => return Err(self.violation(access(BadAccess::Code))),
            ObjRef::Static(_) | ObjRef::ThreadLocal(..) | ObjRef::Dynamic(..) => {
                self.state.object_index(pointer.object)
            }
        };
        let Some(index) = index else {
            return Err(self.violation(access(BadAccess::Gone)));
        };
        let object = &self.state.objects[index];
        let name = || self.name_of(object, Property::Memory).to_string();
        if !object.live {
            let is_freed = object.storage == Storage::Heap;
            return Err(self.violation(access(BadAccess::Dead { object: name(), is_freed })));
        }
        let size = if pointer.ghost { ir::ghost_size(object.size()) } else { object.size() };
        let inside =
            u64::try_from(pointer.offset).is_ok_and(|start| start.checked_add(len).is_some_and(|end| end <= size));
        if !inside {
            return Err(self.violation(match pointer.ghost {
                false => access(BadAccess::Outside { object: name(), len, offset: pointer.offset, size }),
                true => Fault::OutsideRecord { object: name(), size: object.size() },
            }));
        }
        if write && !pointer.ghost && object.storage == Storage::Constant {
            return Err(self.violation(access(BadAccess::Constant { object: name() })));
        }
        if !object.shared && object.owner != Some(self.thread) {
            self.own(index);
        }
        Ok(index)
    }

    /// The first access to an object that is not shared. Memory models, races and the reduction rely on there being no
    /// second thread: if there is one, the analysis is wrong, and any answer might be wrong.
    fn own(&mut self, index: usize) {
        let object = Rc::make_mut(&mut self.state.objects[index]);
        let (owner, name) = (object.owner.replace(self.thread), &object.name);
        assert!(owner.is_none(), "{name} should be accessed by one thread only, but two threads access it");
    }

    /// Records an access and reports a race.
    pub(crate) fn check_race(
        &mut self,
        pointer: Pointer,
        len: u64,
        write: bool,
        order: Order,
        index: usize,
    ) -> Result<(), Interrupt> {
        let object = &self.state.objects[index];
        if !object.shared || object.storage == Storage::Constant {
            return Ok(());
        }
        if self.machine.config.race_free.contains(&self.at) {
            return Ok(());
        }
        let name = self.name_of(object, Property::Race);
        let is_hidden = self.is_hidden(pointer.object);
        let in_region = self.state.thread(self.thread).regions > 0;
        let Some(happens_before) = &mut self.state.happens_before else { return Ok(()) };
        let new = NewAccess {
            thread: self.thread,
            object: pointer.object,
            offset: pointer.offset as u64,
            len,
            kind: AccessKind { write, atomic: order.is_atomic() || in_region },
            at: self.at,
        };
        let (sought, at) = (&self.machine.sought, self.at);
        let matters = |race: &Race| sought.includes(at, race.at);
        match Rc::make_mut(happens_before).access(&new, matters) {
            None => Ok(()),
            Some(race) => {
                let library = if is_hidden { self.library_race(race.at.0) } else { None };
                let mut interrupt = match library {
                    // The message names the place itself.
                    Some(library) => self.interrupt(Fault::LibraryRace(library), None),
                    None => {
                        let (this, other) = (Direction::new(write), Direction::new(race.write));
                        self.violation(Fault::Race { object: name.to_string(), this, other })
                    }
                };
                if let Interrupt::Violation(violation) = &mut interrupt {
                    violation.other = Some((race.thread, race.at.0, race.at.1));
                }
                Err(interrupt)
            }
        }
    }

    /// Whether an object represents hidden state that the C library keeps between calls.
    fn is_hidden(&self, object: ObjRef) -> bool {
        matches!(object, ObjRef::Static(id) if self.machine.program.objects[id].is_hidden)
    }

    /// The two library calls that race, if the other access is in this function.
    fn library_race(&self, other: FunctionId) -> Option<LibraryRace> {
        let program = self.machine.program;
        let function = |id: FunctionId| program.library_name(id).and_then(ir::thread_unsafe);
        Some(LibraryRace { this: function(self.at.0)?, other: function(other)? })
    }

    /// Records an access and reports it if it is the second of two accesses meant to be atomic with another thread's
    /// access in between.
    fn check_atomicity(&mut self, pointer: Pointer, len: u64, does: Does, index: usize) -> Result<(), Interrupt> {
        let object = &self.state.objects[index];
        let (Some(pairs), Some(_)) = (&self.machine.pairs, &self.state.atomicity) else { return Ok(()) };
        if !object.shared || object.storage == Storage::Constant {
            return Ok(());
        }
        let name = self.name_of(object, Property::Atomicity);
        let start = pointer.offset as u64;
        let new = atomicity::NewAccess {
            thread: self.thread,
            range: atomicity::Range { object: pointer.object, start, end: start + len },
            does,
            calls: self.calls(),
            others: self.state.running().filter(|other| *other != self.thread).collect(),
            synchronises: self.synchronises(),
        };
        self.is_disturbance_reported = true;
        let found = self.state.atomicity.as_mut().and_then(|atomicity| Rc::make_mut(atomicity).access(&new, pairs));
        let Some(found) = found else { return Ok(()) };
        let (first, second) = if found.remote_writes { (!found.first_does.reads, !does.reads) } else { (true, true) };
        let mut interrupt = self.violation(Fault::Atomicity {
            object: name.to_string(),
            first: Direction::new(first),
            between: Direction::new(found.remote_writes),
            second: Direction::new(second),
        });
        if let Interrupt::Violation(violation) = &mut interrupt {
            let (thread, (function, edge)) = found.remote;
            violation.other = Some((thread, function, edge));
            violation.first = Some(found.first);
        }
        Err(interrupt)
    }

    /// The calls in progress and the statement itself.
    fn calls(&self) -> Rc<[(ir::FunctionId, ir::EdgeId)]> {
        let frames = &self.state.thread(self.thread).frames;
        let callers = frames.iter().take(frames.len().saturating_sub(1));
        let call = |frame: &crate::state::Frame| match self.machine.code[frame.function].next[frame.loc] {
            crate::machine::Next::Edge(edge) => (frame.function, edge),
            crate::machine::Next::Branch(_) | crate::machine::Next::End => unreachable!("a caller is at its call"),
        };
        callers.map(call).chain([self.at]).collect()
    }

    /// The clock that the last writes to a place in memory pass on.
    pub(crate) fn location_release(&self, pointer: Pointer, len: u64) -> Release {
        let happens_before = self.state.happens_before.as_ref()?;
        happens_before.location(place(pointer, len))
    }

    pub(crate) fn set_location_release(&mut self, pointer: Pointer, len: u64, release: Release) {
        if let Some(happens_before) = &mut self.state.happens_before {
            let place = place(pointer, len);
            if release.is_some() || happens_before.location(place).is_some() {
                Rc::make_mut(happens_before).set_location(place, release);
            }
        }
    }

    pub(crate) fn acquire(&mut self, order: Order, release: &Release) {
        if let (Some(happens_before), Some(_)) = (&mut self.state.happens_before, release) {
            Rc::make_mut(happens_before).acquire(self.thread, order, release);
        }
    }

    pub(crate) fn release(&mut self, order: Order, sequence: Release) -> Release {
        let happens_before = self.state.happens_before.as_mut()?;
        Rc::make_mut(happens_before).release(self.thread, order, sequence)
    }

    /// Reads a typed value.
    pub(crate) fn load(&mut self, pointer: Pointer, ty: Type, order: Order) -> Result<Value, Interrupt> {
        let len = ty.bytes(self.machine.layout.pointer_bytes());
        let index = self.locate(pointer, len, false)?;
        if pointer.ghost {
            return self.load_ghost(pointer, len, order).map(|value| self.typed(value, ty));
        }
        self.meet_ranges(pointer, len, false);
        self.check_race(pointer, len, false, order, index)?;
        self.check_atomicity(pointer, len, Does { reads: true, writes: false }, index)?;
        let model = self.machine.model;
        let access = Access { pointer, ty, len, order, index };
        let found = model.read(self, &access)?;
        let value = self.typed(found.value, ty);
        self.note_read(&access, value, &found);
        Ok(value)
    }

    /// Writes a typed value.
    pub(crate) fn store(&mut self, pointer: Pointer, ty: Type, value: Value, order: Order) -> Result<(), Interrupt> {
        let len = ty.bytes(self.machine.layout.pointer_bytes());
        let index = self.locate(pointer, len, true)?;
        let value = self.stored(value);
        if pointer.ghost {
            self.store_ghost(pointer, len, value, order, false);
            return Ok(());
        }
        self.meet_ranges(pointer, len, true);
        self.check_race(pointer, len, true, order, index)?;
        self.check_atomicity(pointer, len, Does { reads: false, writes: true }, index)?;
        let release = self.release(order, None);
        let model = self.machine.model;
        model.write(self, &Access { pointer, ty, len, order, index }, value, release)
    }

    /// Reads a cell and, if `change` gives a new value, writes it, indivisibly; returns the old value.
    pub(crate) fn update(
        &mut self,
        pointer: Pointer,
        ty: Type,
        (order, failure): (Order, Order),
        change: &mut Change<'_, Self>,
    ) -> Result<Value, Interrupt> {
        let len = ty.bytes(self.machine.layout.pointer_bytes());
        let index = self.locate(pointer, len, true)?;
        if pointer.ghost {
            let old = self
                .state
                .ghost(pointer.object, pointer.offset, len)
                .map_err(|what| Interrupt::Unmodelled(what.into()))?;
            let old = self.typed(old, ty);
            let new = change(self, old)?.map(|new| self.stored(new));
            self.acquire_ghost(pointer, len, if new.is_some() { order } else { failure });
            if let Some(new) = new {
                self.store_ghost(pointer, len, new, order, true);
            }
            return Ok(old);
        }
        self.meet_ranges(pointer, len, true);
        let model = self.machine.model;
        model.update(self, &Access { pointer, ty, len, order, index }, failure, change)
    }

    // Accesses that take effect in the object itself.

    pub(crate) fn read_object(&mut self, access: &Access) -> Result<Found, Interrupt> {
        let Access { pointer, len, order, index, .. } = *access;
        self.acquire(order, &self.location_release(pointer, len));
        self.read_memory(pointer, len, index)
    }

    pub(crate) fn write_object(&mut self, access: &Access, value: Value, release: Release) {
        let Access { pointer, len, index, .. } = *access;
        self.write_memory(pointer, len, value, index);
        self.set_location_release(pointer, len, release);
    }

    /// The old value, and the memory order that applied.
    pub(crate) fn update_object(
        &mut self,
        access: &Access,
        failure: Order,
        change: &mut Change<'_, Self>,
    ) -> Result<(Value, Order), Interrupt> {
        let Access { pointer, ty, len, order, index } = *access;
        let found = self.read_memory(pointer, len, index)?;
        let old = self.typed(found.value, ty);
        let new = change(self, old)?.map(|new| self.stored(new));
        let used = if new.is_some() { order } else { failure };
        self.check_race(pointer, len, new.is_some(), used, index)?;
        self.check_atomicity(pointer, len, Does { reads: true, writes: new.is_some() }, index)?;
        self.note_read(access, old, &found);
        let sequence = self.location_release(pointer, len);
        self.acquire(used, &sequence);
        if let Some(new) = new {
            self.note_write(access, new, false);
            let release = self.release(order, sequence);
            self.write_object(access, new, release);
        }
        Ok((old, used))
    }

    /// The value as stored in memory: null and other pointers to no object are just bits.
    pub(crate) fn stored(&self, value: Value) -> Value {
        match value {
            Value::Ptr(pointer) if pointer.object == ObjRef::Null => Value::Int(self.machine.layout.address(pointer)),
            Value::Ptr(_) | Value::Int(_) | Value::Undef => value,
        }
    }

    /// The value as one of this type.
    pub(crate) fn typed(&self, value: Value, ty: Type) -> Value {
        match (ty, value) {
            (Type::Ptr, Value::Int(address)) => Value::Ptr(self.pointer_at(address)),
            (Type::Int(width), Value::Int(value)) => Value::Int(value & mask(width)),
            (Type::Int(_), Value::Ptr(pointer)) if pointer.object == ObjRef::Null => {
                Value::Int(self.machine.layout.address(pointer))
            }
            (_, value) => value,
        }
    }

    // Ghost memory: sequentially consistent under every model.

    fn load_ghost(&mut self, pointer: Pointer, len: u64, order: Order) -> Result<Value, Interrupt> {
        self.acquire_ghost(pointer, len, order);
        self.state.ghost(pointer.object, pointer.offset, len).map_err(|what| Interrupt::Unmodelled(what.into()))
    }

    fn acquire_ghost(&mut self, pointer: Pointer, len: u64, order: Order) {
        self.acquire(order, &self.location_release(pointer, len));
        if order.acquires() {
            self.machine.model.acquired_ghost(self.state, self.thread, (pointer.object, pointer.offset));
        }
    }

    fn store_ghost(&mut self, pointer: Pointer, len: u64, value: Value, order: Order, update: bool) {
        let sequence = if update { self.location_release(pointer, len) } else { None };
        let release = self.release(order, sequence);
        self.set_location_release(pointer, len, release);
        let cell = (pointer.object, pointer.offset);
        self.machine.model.wrote_ghost(self.state, self.thread, cell, order, update);
        self.state.set_ghost(pointer.object, pointer.offset, len, value);
    }

    // Memory itself.

    pub(crate) fn read_memory(&mut self, pointer: Pointer, len: u64, index: usize) -> Result<Found, Interrupt> {
        let object = &self.state.objects[index];
        if object.has_part_of_pointer(pointer.offset as u64, len, &self.machine.layout) {
            self.machine.gap(Gap::Addresses { at: self.site() });
        }
        let content = object.read(pointer.offset as u64, len, &self.machine.layout);
        let value = self.defined(content, len, index)?;
        if content.undefined != 0 {
            self.write_memory(pointer, len, value, index);
        }
        let stamp = self.watch.as_ref().map_or(0, |watch| watch.writer(pointer));
        Ok(Found { value, stamp, unseen: Vec::new() })
    }

    /// Gives undefined bytes a value.
    pub(crate) fn defined(&mut self, content: Content, len: u64, index: usize) -> Result<Value, Interrupt> {
        let Value::Int(known) = content.value else { return Ok(content.value) };
        if content.undefined == 0 {
            return Ok(content.value);
        }
        let name = self.state.objects[index].name.to_string();
        let chosen = self.input((len * 8) as u16, None, None, &name)?;
        let bytes = (0..len).filter(|byte| content.undefined >> byte & 1 == 1);
        let undefined = bytes.fold(0u128, |bits, byte| bits | 0xff << (8 * byte));
        Ok(Value::Int(known | chosen & undefined))
    }

    pub(crate) fn write_memory(&mut self, pointer: Pointer, len: u64, value: Value, index: usize) {
        let layout = &self.machine.layout;
        if let (Value::Ptr(target), true) = (value, len != layout.pointer_bytes()) {
            self.expose(target);
        }
        if self.state.objects[index].has_part_of_pointer(pointer.offset as u64, len, layout) {
            self.machine.gap(Gap::Addresses { at: self.site() });
        }
        let object = Rc::make_mut(&mut self.state.objects[index]);
        object.write(pointer.offset as u64, len, value, layout);
    }

    // Freeing.

    /// Ends the lifetime of an object.
    pub(crate) fn kill(&mut self, object: ObjRef) {
        let Some(index) = self.state.object_index(object) else { return };
        Rc::make_mut(&mut self.state.objects[index]).kill();
        self.state.drop_ghost(object);
        self.machine.model.forget(self.state, object);
        if let Some(happens_before) = &mut self.state.happens_before {
            Rc::make_mut(happens_before).forget_object(object);
        }
        if let Some(atomicity) = &mut self.state.atomicity {
            Rc::make_mut(atomicity).forget_object(object);
        }
    }

    /// Ends the lifetime of a stack object whose block is left. A later access is undefined, but no race.
    pub(crate) fn expire(&mut self, pointer: Pointer) {
        if pointer.is_null() {
            return;
        }
        let frame = self.state.thread_mut(self.thread).frames.last_mut().expect("a step happens in a frame");
        let index = frame.objects.iter().position(|object| *object == pointer.object);
        frame.objects.remove(index.expect("what expires should be an object of the function"));
        self.kill(pointer.object);
    }

    /// Frees a heap object.
    pub(crate) fn free(&mut self, pointer: Pointer) -> Result<(), Interrupt> {
        if pointer.is_null() {
            return Ok(());
        }
        let Some(index) = self.state.object_index(pointer.object) else {
            return Err(self.violation(Fault::Free(BadFree::Nothing)));
        };
        let object = &self.state.objects[index];
        let (object_name, size) = (|| self.name_of(object, Property::Memory).to_string(), object.size());
        if object.storage != Storage::Heap || pointer.offset != 0 {
            return Err(self.violation(Fault::Free(BadFree::NotAllocated { object: object_name() })));
        }
        if !object.live {
            return Err(self.violation(Fault::Free(BadFree::Again { object: object_name() })));
        }
        self.check_race(pointer, size.max(1), true, Order::Plain, index)?;
        if self.watch.is_some() {
            let place = self.place(pointer, size);
            self.note(EventKind::Free(place));
        }
        self.kill(pointer.object);
        Ok(())
    }
}

/// The bytes of an access.
fn place(pointer: Pointer, len: u64) -> Place {
    Place { ghost: pointer.ghost, object: pointer.object, offset: pointer.offset, len: len as i64 }
}
