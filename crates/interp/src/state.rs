//! The state of a run. Its components are shared between states (`Rc`): a step copies only what it changes, and
//! exploration stores each distinct component once.

use crate::atomicity::Atomicity;
use crate::happens_before::HappensBefore;
use crate::models::histories::Histories;
use crate::models::Buffered;
use crate::object::Object;
use crate::value::{ObjRef, Pointer, Value};
use base::Id;
use ir::{FunctionId, LocId, ObjectId};
use std::rc::Rc;

/// A function in progress.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    /// The function.
    pub function: FunctionId,
    /// The current location. In a frame that is not the topmost, the location of the call in progress.
    pub loc: LocId,
    /// The local variables; dead ones are `Undef`.
    pub locals: Vec<Value>,
    /// The stack objects it allocated.
    pub objects: Vec<ObjRef>,
}

/// The status of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// It has a number but has not started.
    Reserved,
    /// It is running or waiting.
    Running,
    /// It has ended with this result and has not been joined.
    Ended(Value),
}

/// The progress of a copy or set of a byte range.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct RangeProgress {
    /// The number of bytes done.
    pub done: u64,
    /// Bytes that were read and will be written next: their number and value.
    pub pending: Option<(u64, Value)>,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Thread {
    /// Its status.
    pub status: Status,
    /// Whether it is detached: it is never joined.
    pub detached: bool,
    /// The nesting depth of its atomic regions.
    pub regions: u32,
    /// The call stack, the topmost function last.
    pub frames: Vec<Frame>,
    /// Its store buffer, the oldest entry first.
    pub buffer: Vec<Buffered>,
    /// The next write that enters the buffer is a barrier.
    pub barrier: bool,
    /// Release-acquire: the fence after a seq_cst write is still due.
    pub fence_due: bool,
    /// The copy or set in progress.
    pub range: Option<RangeProgress>,
}

impl Thread {
    /// A thread that has not taken a step.
    pub(crate) fn new(status: Status, frames: Vec<Frame>) -> Thread {
        Thread {
            status,
            detached: false,
            regions: 0,
            frames,
            buffer: Vec::new(),
            barrier: false,
            fence_due: false,
            range: None,
        }
    }
}

/// A non-zero cell of ghost memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GhostCell {
    /// The object.
    pub object: ObjRef,
    /// The offset in its ghost.
    pub offset: i64,
    /// The size in bytes.
    pub len: u64,
    /// The value, never `Int(0)`.
    pub value: Value,
}

/// The state of a run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// The threads by number - 1; `None` where the number is free.
    pub threads: Vec<Option<Rc<Thread>>>,
    /// The static objects by id, then all others ordered by identity.
    pub objects: Vec<Rc<Object>>,
    /// The number of static objects.
    pub statics: usize,
    /// The non-zero ghost cells, ordered by place.
    pub ghosts: Rc<Vec<GhostCell>>,
    /// The thread that is in an atomic region.
    pub region: Option<u32>,
    /// Release-acquire: the writes that can still be read.
    pub histories: Rc<Histories>,
    /// The happens-before clocks, if races are looked for.
    pub happens_before: Option<Rc<HappensBefore>>,
    /// The accesses that may be the first of an atomic pair, if that is the property.
    pub atomicity: Option<Rc<Atomicity>>,
}

impl State {
    /// The lowest instance number not in use for this name.
    pub(crate) fn free_instance(&self, name: &Rc<str>) -> u32 {
        let others = self.objects[self.statics..].iter().map(|object| &object.name);
        let mut used: Vec<u32> =
            others.filter(|other| Rc::ptr_eq(&other.text, name)).map(|other| other.instance).collect();
        used.sort_unstable();
        used.dedup();
        (1..).zip(used.iter().copied().chain([0])).find(|(free, used)| free != used).map_or(1, |(free, _)| free)
    }

    /// The thread with a number.
    pub fn thread(&self, number: u32) -> &Thread {
        self.threads[number as usize - 1].as_deref().expect("a scheduled thread should exist")
    }

    /// The thread with a number, mutably.
    pub fn thread_mut(&mut self, number: u32) -> &mut Thread {
        let thread = self.threads[number as usize - 1].as_mut().expect("a scheduled thread should exist");
        Rc::make_mut(thread)
    }

    /// The thread with a number, if there is one.
    pub fn find_thread(&self, number: u64) -> Option<&Thread> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        self.threads.get(index)?.as_deref()
    }

    /// The numbers of the running threads.
    pub fn running(&self) -> impl Iterator<Item = u32> + '_ {
        self.threads.iter().enumerate().filter_map(|(index, thread)| {
            let running = thread.as_ref().is_some_and(|thread| thread.status == Status::Running);
            running.then_some(index as u32 + 1)
        })
    }

    /// Whether more than one thread runs or may start.
    pub fn is_parallel(&self) -> bool {
        let alive = |thread: &&Option<Rc<Thread>>| {
            thread.as_ref().is_some_and(|thread| !matches!(thread.status, Status::Ended(_)))
        };
        self.threads.iter().filter(alive).count() > 1
    }

    /// The index of an object in `objects`.
    pub fn object_index(&self, object: ObjRef) -> Option<usize> {
        match object {
            ObjRef::Static(id) => Some(id.index()),
            ObjRef::ThreadLocal(..) | ObjRef::Dynamic(..) => {
                let others = &self.objects[self.statics..];
                others.binary_search_by_key(&object, |other| other.id).ok().map(|index| index + self.statics)
            }
            ObjRef::Null | ObjRef::Function(_) => None,
        }
    }

    /// An object, if it exists (it may be dead).
    pub fn object(&self, object: ObjRef) -> Option<&Object> {
        self.object_index(object).map(|index| &*self.objects[index])
    }

    /// Adds an object that is not static.
    pub fn add_object(&mut self, object: Object) {
        let others = &self.objects[self.statics..];
        let index = self.statics + others.partition_point(|other| other.id < object.id);
        self.objects.insert(index, Rc::new(object));
    }

    /// The lowest index for a new object of a thread. Dead objects without a pointer to them, in the state or in the
    /// values at hand, are forgotten first.
    pub fn next_dynamic(&mut self, thread: u32, at_hand: &[Value]) -> ObjRef {
        self.forget_unreachable(thread, at_hand);
        let mut index = 0;
        for object in &self.objects[self.statics..] {
            match object.id {
                ObjRef::Dynamic(owner, used) if owner == thread && used == index => index += 1,
                ObjRef::Null
                | ObjRef::Static(_)
                | ObjRef::Function(_)
                | ObjRef::ThreadLocal(..)
                | ObjRef::Dynamic(..) => {}
            }
        }
        ObjRef::Dynamic(thread, index)
    }

    /// Drops a thread's dead objects to which no pointer is left, neither in the state nor in the values at hand:
    /// during a step, the variables of the topmost frame and the results on their way to the caller are not in the
    /// state.
    pub fn forget_unreachable(&mut self, thread: u32, at_hand: &[Value]) {
        let is_candidate =
            |object: &Object| !object.live && matches!(object.id, ObjRef::Dynamic(owner, _) if owner == thread);
        if !self.objects[self.statics..].iter().any(|object| is_candidate(object)) {
            return;
        }
        let mut referred: Vec<ObjRef> = Vec::new();
        let mut refer = |pointer: Pointer| {
            if matches!(pointer.object, ObjRef::Dynamic(owner, _) if owner == thread) {
                referred.push(pointer.object);
            }
        };
        self.for_each_pointer(&mut refer);
        for value in at_hand {
            if let Value::Ptr(pointer) = value {
                refer(*pointer);
            }
        }
        let statics = self.statics;
        let mut index = 0;
        self.objects.retain(|object| {
            index += 1;
            index <= statics || !is_candidate(object) || referred.contains(&object.id)
        });
    }

    /// Calls `visit` on every pointer in the state.
    fn for_each_pointer(&self, visit: &mut impl FnMut(Pointer)) {
        let mut value = |value: &Value| {
            if let Value::Ptr(pointer) = value {
                visit(*pointer);
            }
        };
        for thread in self.threads.iter().flatten() {
            if let Status::Ended(result) = &thread.status {
                value(result);
            }
            thread.frames.iter().flat_map(|frame| &frame.locals).for_each(&mut value);
            for entry in &thread.buffer {
                value(&entry.value);
                value(&Value::Ptr(entry.pointer));
            }
            if let Some(RangeProgress { pending: Some((_, pending)), .. }) = &thread.range {
                value(pending);
            }
        }
        self.ghosts.iter().for_each(|cell| value(&cell.value));
        self.histories.for_each_value(&mut value);
        for object in &self.objects {
            object.pointers().for_each(|pointer| value(&Value::Ptr(pointer)));
        }
    }

    /// Whether there is a pointer to a thread-local object of a thread: it would be mistaken for one to the object of
    /// the next thread with this number.
    pub fn has_pointer_to_thread_local(&self, thread: u32) -> bool {
        let mut found = false;
        self.for_each_pointer(&mut |pointer| {
            found |= matches!(pointer.object, ObjRef::ThreadLocal(owner, _) if owner == thread);
        });
        found
    }

    /// The value of a ghost cell.
    pub fn ghost(&self, object: ObjRef, offset: i64, len: u64) -> Result<Value, String> {
        match self.ghost_position(object, offset) {
            Ok(index) if self.ghosts[index].len == len => Ok(self.ghosts[index].value),
            Ok(_) => Err("a ghost cell is read with another size than it was written with".to_owned()),
            Err(_) => Ok(Value::Int(0)),
        }
    }

    /// Changes a ghost cell.
    pub fn set_ghost(&mut self, object: ObjRef, offset: i64, len: u64, value: Value) {
        let position = self.ghost_position(object, offset);
        let value = if value == Value::Ptr(Pointer::NULL) { Value::Int(0) } else { value };
        let cell = GhostCell { object, offset, len, value };
        match (position, value == Value::Int(0)) {
            (Err(_), true) => {}
            (Ok(index), true) => {
                Rc::make_mut(&mut self.ghosts).remove(index);
            }
            (Ok(index), false) if self.ghosts[index] == cell => {}
            (Ok(index), false) => Rc::make_mut(&mut self.ghosts)[index] = cell,
            (Err(index), false) => Rc::make_mut(&mut self.ghosts).insert(index, cell),
        }
    }

    fn ghost_position(&self, object: ObjRef, offset: i64) -> Result<usize, usize> {
        self.ghosts.binary_search_by_key(&(object, offset), |cell| (cell.object, cell.offset))
    }

    /// Forgets the ghost of a dead object.
    pub fn drop_ghost(&mut self, object: ObjRef) {
        if self.ghosts.iter().any(|cell| cell.object == object) {
            Rc::make_mut(&mut self.ghosts).retain(|cell| cell.object != object);
        }
    }

    /// The static object with an id.
    pub fn static_object(&self, id: ObjectId) -> &Object {
        &self.objects[id.index()]
    }
}
