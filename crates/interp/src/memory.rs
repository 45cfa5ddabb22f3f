//! Accesses to memory under each memory model, with the checks that make them valid and free of races.

use crate::atomicity::{self, Does};
use crate::eval::Eval;
use crate::event::EventKind;
use crate::happens_before::{AccessKind, NewAccess, Place, Race, Release};
use crate::machine::Gap;
use crate::object::{Content, Name, Object, Storage};
use crate::oracle::Question;
use crate::release_acquire::{Cell, Histories, Message};
use crate::state::Buffered;
use crate::step::{Interrupt, Step};
use crate::value::{ObjRef, Pointer, Value};
use ir::arith::mask;
use ir::{BadAccess, BadFree, Direction, Fault, FunctionId, LibraryRace, MemoryModel, Order, Pick, Property, Type};
use std::rc::Rc;

/// What a read-modify-write does with the value it finds: the new value, if it writes one.
type Change<'c, S> = dyn FnMut(&mut S, Value) -> Result<Option<Value>, Interrupt> + 'c;

/// What a read found and where it came from.
pub(crate) struct Found {
    pub(crate) value: Value,
    /// The recorded step that wrote it, plus 1; 0 if none.
    pub(crate) stamp: usize,
    /// Recorded steps (plus 1) that wrote the place and are not seen.
    pub(crate) unseen: Vec<usize>,
}

impl Step<'_, '_> {
    /// What an object is called in a message about it. Which of several that were allocated at one place is told only of a
    /// violation: a reason for `unknown` should not come once for each of them.
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
    /// second thread: if there is one, the analysis is wrong, and any answer might be.
    fn own(&mut self, index: usize) {
        let object = Rc::make_mut(&mut self.state.objects[index]);
        let (owner, name) = (object.owner.replace(self.thread), &object.name);
        assert!(owner.is_none(), "{name} should be accessed by one thread only, but two threads access it");
    }

    /// Whether accesses to an object go through the memory model; nobody else can notice the others.
    fn is_weak(&self, index: usize) -> bool {
        self.machine.config.model != MemoryModel::Sc && self.state.objects[index].shared
    }

    /// Records an access and complains if it races.
    fn check_race(
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
        if self.machine.program.race_free.contains(&self.at) {
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
                    // It says itself where it is.
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

    /// Whether an object stands for what the C library keeps between calls.
    fn is_hidden(&self, object: ObjRef) -> bool {
        matches!(object, ObjRef::Static(id) if self.machine.program.objects[id].is_hidden)
    }

    /// The two calls that race, where the other one's access is in this function.
    fn library_race(&self, other: FunctionId) -> Option<LibraryRace> {
        let program = self.machine.program;
        let function = |id: FunctionId| program.library_name(id).and_then(ir::thread_unsafe);
        Some(LibraryRace { this: function(self.at.0)?, other: function(other)? })
    }

    /// Records an access and complains if it is the second of two that are meant to be one, and another thread came between.
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
        self.is_disturbance_told = true;
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

    /// What the last writes to a place in memory pass on.
    fn location_release(&self, pointer: Pointer, len: u64) -> Release {
        let happens_before = self.state.happens_before.as_ref()?;
        happens_before.location(place(pointer, len))
    }

    fn set_location_release(&mut self, pointer: Pointer, len: u64, release: Release) {
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
        self.seq_cst_fence(order);
        let found = if !self.is_weak(index) {
            self.acquire(order, &self.location_release(pointer, len));
            self.read_memory(pointer, len, index)?
        } else if self.machine.config.model == MemoryModel::Ra {
            self.strengthen(order);
            self.ra_read(pointer, len, order)?
        } else {
            self.buffered_read(pointer, len, order, index)?
        };
        let value = self.typed(found.value, ty);
        if self.watch.is_some() {
            self.note_read(pointer, len, value, ty, &found);
        }
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
        let buffered = self.is_weak(index) && self.machine.config.model != MemoryModel::Ra && order != Order::SeqCst;
        if self.watch.is_some() {
            if self.is_weak(index) && self.machine.config.model == MemoryModel::Ra {
                // The history must begin with who wrote the old value, before this write is remembered.
                self.ra_cell(pointer, len)?;
            }
            self.note_write(pointer, len, value, ty, buffered);
        }
        if !self.is_weak(index) {
            self.write_memory(pointer, len, value, index);
            self.set_location_release(pointer, len, release);
            if order.releases() {
                self.store_store_barrier();
            }
            self.seq_cst_fence(order);
        } else if self.machine.config.model == MemoryModel::Ra {
            self.strengthen(order);
            self.ra_write(pointer, len, value, release)?;
            self.fence_after(order);
        } else if buffered {
            let (stamp, range) = (self.stamp, self.range);
            let pso = self.machine.config.model == MemoryModel::Pso;
            let thread = self.state.thread_mut(self.thread);
            let barrier = std::mem::take(&mut thread.barrier) || pso && order.releases();
            thread.buffer.push(Buffered { pointer, len, value, barrier, release, stamp, range });
        } else {
            // A seq_cst store drains the buffer after itself: it waits for an empty buffer and goes to memory.
            self.write_memory(pointer, len, value, index);
            self.set_location_release(pointer, len, release);
        }
        Ok(())
    }

    /// The fence that a seq_cst access has with it under release-acquire, whether or not others reach what it accesses:
    /// what is shared is only estimated, and must not change what a program means.
    fn seq_cst_fence(&mut self, order: Order) {
        if order == Order::SeqCst && self.machine.config.model == MemoryModel::Ra {
            self.machine.note_seq_cst(self.at);
            self.ra_fence();
        }
    }

    /// The fence after a seq_cst write, as a step of its own: fences of other threads may come between the two. (The fence
    /// before a seq_cst read can be one step with it: no outcome is lost as long as the one after a write is not.)
    fn fence_after(&mut self, order: Order) {
        if order == Order::SeqCst && self.state.is_parallel() {
            self.machine.note_seq_cst(self.at);
            self.state.thread_mut(self.thread).fence_due = true;
        } else {
            self.seq_cst_fence(order);
        }
    }

    /// Under pso, keeps the stores that follow behind those in the buffer.
    pub(crate) fn store_store_barrier(&mut self) {
        if self.machine.config.model == MemoryModel::Pso && !self.state.thread(self.thread).buffer.is_empty() {
            self.state.thread_mut(self.thread).barrier = true;
        }
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
        if self.is_weak(index) && self.machine.config.model == MemoryModel::Ra {
            return self.ra_update(pointer, ty, (order, failure), index, change);
        }
        // Under tso and pso the buffer is empty here: read-modify-writes drain it.
        let found = self.read_memory(pointer, len, index)?;
        let old = self.typed(found.value, ty);
        let new = change(self, old)?.map(|new| self.stored(new));
        let order = if new.is_some() { order } else { failure };
        self.check_race(pointer, len, new.is_some(), order, index)?;
        self.check_atomicity(pointer, len, Does { reads: true, writes: new.is_some() }, index)?;
        // Nobody else reaches the cell if this is release-acquire, so one fence does for those on both sides.
        self.seq_cst_fence(order);
        if self.watch.is_some() {
            self.note_read(pointer, len, old, ty, &found);
        }
        let sequence = self.location_release(pointer, len);
        self.acquire(order, &sequence);
        if let Some(new) = new {
            if self.watch.is_some() {
                self.note_write(pointer, len, new, ty, false);
            }
            let release = self.release(order, sequence);
            self.write_memory(pointer, len, new, index);
            self.set_location_release(pointer, len, release);
        }
        Ok(old)
    }

    /// The value as it lies in memory: null and other pointers to no object are just bits.
    fn stored(&self, value: Value) -> Value {
        match value {
            Value::Ptr(pointer) if pointer.object == ObjRef::Null => Value::Int(self.machine.layout.address(pointer)),
            Value::Ptr(_) | Value::Int(_) | Value::Undef => value,
        }
    }

    /// The value as one of this type.
    fn typed(&self, value: Value, ty: Type) -> Value {
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
        if self.machine.config.model == MemoryModel::Ra && order.acquires() {
            let histories = Rc::make_mut(&mut self.state.histories);
            histories.acquire_ghost(self.thread, (pointer.object, pointer.offset));
        }
    }

    fn store_ghost(&mut self, pointer: Pointer, len: u64, value: Value, order: Order, update: bool) {
        let sequence = if update { self.location_release(pointer, len) } else { None };
        let release = self.release(order, sequence);
        self.set_location_release(pointer, len, release);
        if self.machine.config.model == MemoryModel::Ra {
            let histories = Rc::make_mut(&mut self.state.histories);
            histories.write_ghost(self.thread, (pointer.object, pointer.offset), order.releases(), update);
        }
        self.state.set_ghost(pointer.object, pointer.offset, len, value);
    }

    // Memory itself.

    fn read_memory(&mut self, pointer: Pointer, len: u64, index: usize) -> Result<Found, Interrupt> {
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
    fn defined(&mut self, content: Content, len: u64, index: usize) -> Result<Value, Interrupt> {
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

    // Store buffers.

    fn buffered_read(&mut self, pointer: Pointer, len: u64, order: Order, index: usize) -> Result<Found, Interrupt> {
        let overlaps = |entry: &&Buffered| {
            entry.pointer.object == pointer.object
                && entry.pointer.offset < pointer.offset + len as i64
                && pointer.offset < entry.pointer.offset + entry.len as i64
        };
        let unseen = self.buffered_elsewhere(pointer, len);
        let thread = self.state.thread(self.thread);
        match thread.buffer.iter().rev().find(overlaps) {
            None => {
                self.acquire(order, &self.location_release(pointer, len));
                Ok(Found { unseen, ..self.read_memory(pointer, len, index)? })
            }
            Some(entry) if entry.pointer == pointer && entry.len == len => {
                Ok(Found { value: entry.value, stamp: entry.stamp, unseen })
            }
            Some(newest) => {
                let stamp = newest.stamp;
                // Undefined bytes below are given their value in memory, so that the next read finds the same.
                self.read_memory(pointer, len, index)?;
                let thread = self.state.thread(self.thread);
                let mut object: Object = (*self.state.objects[index]).clone();
                for entry in thread.buffer.iter().filter(overlaps) {
                    object.write(entry.pointer.offset as u64, entry.len, entry.value, &self.machine.layout);
                }
                let content = object.read(pointer.offset as u64, len, &self.machine.layout);
                let value = self.defined(content, len, index)?;
                Ok(Found { value, stamp, unseen })
            }
        }
    }

    /// Recorded writes to a place that wait in other threads' buffers.
    fn buffered_elsewhere(&self, pointer: Pointer, len: u64) -> Vec<usize> {
        if self.watch.is_none() {
            return Vec::new();
        }
        let others = self.state.threads.iter().enumerate().filter(|(index, _)| *index as u32 + 1 != self.thread);
        let entries = others.filter_map(|(_, thread)| thread.as_ref()).flat_map(|thread| &thread.buffer);
        let here = entries.filter(|entry| {
            entry.pointer.object == pointer.object
                && entry.pointer.offset < pointer.offset + len as i64
                && pointer.offset < entry.pointer.offset + entry.len as i64
        });
        here.map(|entry| entry.stamp).collect()
    }

    /// A write in the thread's store buffer reaches memory.
    pub(crate) fn flush(&mut self, position: usize) {
        let entry = self.state.thread_mut(self.thread).buffer.remove(position);
        if self.watch.is_some() {
            self.note_flush(&entry);
        }
        let index = self.state.object_index(entry.pointer.object);
        let Some(index) = index.filter(|index| self.state.objects[*index].live) else { return };
        self.meet_ranges(entry.pointer, entry.len, true);
        self.write_memory(entry.pointer, entry.len, entry.value, index);
        self.set_location_release(entry.pointer, entry.len, entry.release);
    }

    // Release-acquire.

    pub(crate) fn ra_fence(&mut self) {
        Rc::make_mut(&mut self.state.histories).fence(self.thread);
    }

    /// Under ra every load acquires and every store releases: for relaxed ones that is an assumption. So it is for others, where there are
    /// seq_cst accesses, that the fences beside these order them.
    fn strengthen(&self, order: Order) {
        match order {
            Order::Relaxed => self.machine.gap(Gap::Relaxed { at: self.site() }),
            Order::Acquire | Order::Release | Order::AcqRel => self.machine.gap(Gap::Mixed { at: self.site() }),
            Order::SeqCst => self.machine.note_seq_cst(self.at),
            Order::Plain => {}
        }
    }

    /// Gives the cell of an access a history. Cells of other sizes that overlap it stand in the way.
    fn ra_cell(&mut self, pointer: Pointer, len: u64) -> Result<Cell, Interrupt> {
        let cell = Cell { object: pointer.object, offset: pointer.offset as u64, len };
        if self.state.histories.messages(cell).is_some() {
            return Ok(cell);
        }
        if self.state.histories.overlapping(cell).next().is_some() {
            return Err(Interrupt::Unmodelled("accesses of different sizes to the same bytes under ra".into()));
        }
        let index = self.state.object_index(pointer.object).expect("the object was located");
        let content = self.state.objects[index].read(cell.offset, len, &self.machine.layout);
        if self.state.objects[index].has_part_of_pointer(cell.offset, len, &self.machine.layout) {
            self.machine.gap(Gap::Addresses { at: self.site() });
        }
        let value = if content.undefined == 0 { content.value } else { Value::Undef };
        let stamp = self.watch.as_ref().map_or(0, |watch| watch.writer(pointer));
        let message = Message::initial(value, self.location_release(pointer, len), stamp);
        Rc::make_mut(&mut self.state.histories).begin(cell, message);
        Ok(cell)
    }

    fn ra_take(&mut self, cell: Cell, position: u32, order: Order) -> Result<Found, Interrupt> {
        let histories = Rc::make_mut(&mut self.state.histories);
        let message = histories.read(self.thread, cell, position);
        let later = histories.messages(cell).unwrap_or(&[]).iter().skip(position as usize + 1);
        let unseen = if self.watch.is_some() { later.map(|message| message.stamp).collect() } else { Vec::new() };
        self.acquire(order, &message.release);
        let mut value = message.value;
        if value == Value::Undef {
            let index = self.state.object_index(cell.object).expect("the object was located");
            let content = self.state.objects[index].read(cell.offset, cell.len, &self.machine.layout);
            value = self.defined(content, cell.len, index)?;
            Rc::make_mut(&mut self.state.histories).resolve(cell, position, value);
        }
        Ok(Found { value, stamp: message.stamp, unseen })
    }

    fn ask_index(&mut self, question: Question, count: usize) -> Result<usize, Interrupt> {
        match count {
            0 => Err(Interrupt::NoAnswer),
            1 => Ok(0),
            _ => match self.oracle.ask(question) {
                Some(Pick::Read(index) | Pick::Place(index)) => Ok(index as usize),
                Some(Pick::Input(_) | Pick::SpuriousFailure(_)) | None => Err(Interrupt::NoAnswer),
            },
        }
    }

    fn ra_read(&mut self, pointer: Pointer, len: u64, order: Order) -> Result<Found, Interrupt> {
        let cell = self.ra_cell(pointer, len)?;
        let readable = Rc::make_mut(&mut self.state.histories).readable(self.thread, cell);
        let index = self.ask_index(Question::Read(readable.len() as u32), readable.len())?;
        self.ra_take(cell, readable.start + index as u32, order)
    }

    fn ra_write(&mut self, pointer: Pointer, len: u64, value: Value, release: Release) -> Result<(), Interrupt> {
        let cell = self.ra_cell(pointer, len)?;
        let places = Rc::make_mut(&mut self.state.histories).places(self.thread, cell);
        let index = self.ask_index(Question::Place(places.len() as u32), places.len())?;
        let message = Message::initial(value, release, self.stamp);
        Rc::make_mut(&mut self.state.histories).write(self.thread, cell, places[index], false, message);
        Ok(())
    }

    fn ra_update(
        &mut self,
        pointer: Pointer,
        ty: Type,
        (order, failure): (Order, Order),
        index: usize,
        change: &mut Change<'_, Self>,
    ) -> Result<Value, Interrupt> {
        let len = ty.bytes(self.machine.layout.pointer_bytes());
        let cell = self.ra_cell(pointer, len)?;
        // A compare-exchange that fails is a load of its failure order, so only what it reads tells whether it is seq_cst.
        let always_seq_cst = order == Order::SeqCst && failure == Order::SeqCst;
        if always_seq_cst {
            self.ra_fence();
        }
        let before = Rc::clone(&self.state.histories);
        // Any readable write may be read; one that another read-modify-write has read cannot be updated.
        let readable = Rc::make_mut(&mut self.state.histories).readable(self.thread, cell);
        let choice = self.ask_index(Question::Read(readable.len() as u32), readable.len())?;
        let position = readable.start + choice as u32;
        let updatable = Rc::make_mut(&mut self.state.histories).updatable(self.thread, cell).contains(&position);
        let found = self.ra_take(cell, position, Order::Relaxed)?;
        let old = self.typed(found.value, ty);
        let new = change(self, old)?.map(|new| self.stored(new));
        let used = if new.is_some() { order } else { failure };
        if new.is_some() && !updatable {
            return Err(Interrupt::Impossible);
        }
        if used == Order::SeqCst && !always_seq_cst {
            self.ra_read_fenced(before, cell, position, found.value)?;
        }
        self.strengthen(used);
        self.check_race(pointer, len, new.is_some(), used, index)?;
        let messages = self.state.histories.messages(cell).unwrap_or(&[]);
        let sequence = messages[position as usize].release.clone();
        self.acquire(used, &sequence);
        if self.watch.is_some() {
            self.note_read(pointer, len, old, ty, &found);
        }
        if let Some(new) = new {
            if self.watch.is_some() {
                self.note_write(pointer, len, new, ty, false);
            }
            let message = Message::initial(new, self.release(order, sequence), self.stamp);
            Rc::make_mut(&mut self.state.histories).write(self.thread, cell, position + 1, true, message);
            self.fence_after(order);
        }
        Ok(old)
    }

    /// Does a read again, from what was before it, with a fence first; impossible if the fence makes the write too old.
    fn ra_read_fenced(
        &mut self,
        before: Rc<Histories>,
        cell: Cell,
        position: u32,
        value: Value,
    ) -> Result<(), Interrupt> {
        self.state.histories = before;
        self.ra_fence();
        let histories = Rc::make_mut(&mut self.state.histories);
        if !histories.readable(self.thread, cell).contains(&position) {
            return Err(Interrupt::Impossible);
        }
        histories.resolve(cell, position, value);
        histories.read(self.thread, cell, position);
        Ok(())
    }

    /// Drops what no thread can read any more.
    pub(crate) fn ra_collect(&mut self) {
        if self.machine.config.model != MemoryModel::Ra || self.state.histories.is_empty() {
            return;
        }
        let running: Vec<u32> = self.state.running().collect();
        let settled = Rc::make_mut(&mut self.state.histories).collect(&running);
        for (cell, message) in settled {
            let pointer = Pointer::to(cell.object).moved(cell.offset as i64);
            self.set_location_release(pointer, cell.len, message.release);
            if let Some(watch) = &mut self.watch {
                watch.wrote(pointer, cell.len, message.stamp);
            }
            let Some(index) = self.state.object_index(cell.object) else { continue };
            let current = self.state.objects[index].read(cell.offset, cell.len, &self.machine.layout);
            if message.value != Value::Undef && (current.value != message.value || current.undefined != 0) {
                self.write_memory(pointer, cell.len, message.value, index);
            }
        }
    }

    // Freeing.

    /// Ends the life of an object.
    pub(crate) fn kill(&mut self, object: ObjRef) {
        let Some(index) = self.state.object_index(object) else { return };
        Rc::make_mut(&mut self.state.objects[index]).kill();
        self.state.drop_ghost(object);
        if self.machine.config.model == MemoryModel::Ra {
            Rc::make_mut(&mut self.state.histories).forget_object(object);
        }
        if let Some(happens_before) = &mut self.state.happens_before {
            Rc::make_mut(happens_before).forget_object(object);
        }
        if let Some(atomicity) = &mut self.state.atomicity {
            Rc::make_mut(atomicity).forget_object(object);
        }
    }

    /// Ends the life of a stack object whose block is left. To access it later is undefined, but no race.
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
