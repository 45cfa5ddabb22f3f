//! Recording a run: turns steps into events for the user, and tracks the writer of each byte.

use crate::eval::Eval;
use crate::event::{BlockedOn, Event, EventKind, Observer, Place};
use crate::machine::{Machine, Next};
use crate::memory::Found;
use crate::models::{Access, Buffered};
use crate::object::Storage;
use crate::oracle::Recorded;
use crate::state::State;
use crate::step::{Interrupt, Step};
use crate::value::{ObjRef, Pointer, Value};
use ir::arith::signed;
use ir::{Stmt, Type};
use rustc_hash::FxHashMap;

/// Records a run.
pub(crate) struct Recorder<'a> {
    observer: &'a mut dyn Observer,
    /// For each byte, the step that wrote it last, plus 1.
    writers: &'a mut FxHashMap<(ObjRef, i64), usize>,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(
        observer: &'a mut dyn Observer,
        writers: &'a mut FxHashMap<(ObjRef, i64), usize>,
    ) -> Recorder<'a> {
        Recorder { observer, writers }
    }

    /// The step that wrote a byte last, plus 1; 0 if none did.
    pub(crate) fn writer(&self, pointer: Pointer) -> usize {
        self.writers.get(&(pointer.object, pointer.offset)).copied().unwrap_or(0)
    }

    /// Records that a step (plus 1) wrote bytes.
    pub(crate) fn wrote(&mut self, pointer: Pointer, len: u64, stamp: usize) {
        for byte in 0..len as i64 {
            self.writers.insert((pointer.object, pointer.offset + byte), stamp);
        }
    }
}

/// The step of a stamp.
fn step_of(stamp: usize) -> Option<usize> {
    stamp.checked_sub(1)
}

impl Machine<'_> {
    /// A value as shown to the user.
    pub(crate) fn show(&self, state: &State, value: Value, ty: Type) -> String {
        match (value, ty) {
            (Value::Undef, _) => "undefined".to_owned(),
            (Value::Int(value), Type::Int(width)) if width > 1 => signed(width, value).to_string(),
            (Value::Int(value), _) => value.to_string(),
            (Value::Ptr(pointer), _) if pointer.is_null() => "null".to_owned(),
            (Value::Ptr(pointer), _) => {
                let name = match pointer.object {
                    ObjRef::Null => return format!("{:#x}", pointer.offset),
                    ObjRef::Static(object) | ObjRef::ThreadLocal(_, object) => {
                        self.program.objects[object].name.clone()
                    }
                    ObjRef::Function(function) => return self.program.functions[function].name.clone(),
                    ObjRef::Dynamic(..) => match state.object(pointer.object) {
                        Some(object) if object.storage == Storage::Heap => format!("({})", object.name),
                        Some(object) => object.name.to_string(),
                        None => "(memory that no longer exists)".to_owned(),
                    },
                };
                match pointer.offset {
                    0 => format!("&{name}"),
                    offset => format!("&{name}{offset:+}"),
                }
            }
        }
    }
}

impl Machine<'_> {
    /// Reports what blocked threads wait for.
    pub(crate) fn note_blocked(&self, state: &State, blocked: &[u32], steps: usize, observer: &mut dyn Observer) {
        for &thread in blocked {
            let Some(at) = self.next_at(state, thread) else { continue };
            let mut scratch = state.clone();
            let locals = state.thread(thread).frames.last().map(|frame| frame.locals.clone()).unwrap_or_default();
            let mut oracle = Recorded { picks: &[] };
            let mut step = Step {
                machine: self,
                state: &mut scratch,
                thread,
                locals,
                at,
                oracle: &mut oracle,
                watch: None,
                stamp: 0,
                is_disturbance_reported: false,
                range: None,
            };
            // A wait that cannot be evaluated has an unknown target.
            let (on, other) = step.awaited().unwrap_or((BlockedOn::Something, None));
            let stack = step.call_stack();
            observer.event(Event { step: steps, thread, at, stack, kind: EventKind::Blocked { on, other } });
        }
    }
}

impl Step<'_, '_> {
    /// What the current statement waits for, and which thread could end that.
    fn awaited(&mut self) -> Result<(BlockedOn, Option<u32>), Interrupt> {
        let program = self.machine.program;
        Ok(match &program.functions[self.at.0].edges[self.at.1].stmt {
            Stmt::Lock { ptr } => {
                let pointer = self.eval_pointer(ptr)?;
                let owner = match self.state.ghost(pointer.object, pointer.offset, 4) {
                    Ok(Value::Int(owner)) => u32::try_from(owner).ok(),
                    _ => None,
                };
                (BlockedOn::Lock(self.place(pointer, 4).object), owner)
            }
            Stmt::Join { thread, .. } => (BlockedOn::ThreadEnd, u32::try_from(self.eval_int(thread)?).ok()),
            Stmt::Await { awaited, ptr, .. } => {
                let pointer = self.eval_pointer(ptr)?;
                (BlockedOn::Object(*awaited, self.place(pointer, 4).object), None)
            }
            _ => (BlockedOn::Something, None),
        })
    }

    /// Reports an event, if there is an observer.
    pub(crate) fn note(&mut self, kind: EventKind) {
        if self.watch.is_none() {
            return;
        }
        let stack = self.call_stack();
        let event = Event { step: self.stamp.saturating_sub(1), thread: self.thread, at: self.at, stack, kind };
        if let Some(watch) = &mut self.watch {
            watch.observer.event(event);
        }
    }

    fn call_stack(&self) -> Vec<(ir::FunctionId, ir::EdgeId)> {
        let frames = &self.state.thread(self.thread).frames;
        let callers = frames.iter().take(frames.len().saturating_sub(1));
        let edges = callers.filter_map(|frame| match self.machine.code[frame.function].next[frame.loc] {
            Next::Edge(edge) => Some((frame.function, edge)),
            Next::Branch(_) | Next::End => None,
        });
        edges.collect()
    }

    /// A place as shown to the user.
    pub(crate) fn place(&self, pointer: Pointer, size: u64) -> Place {
        let object = self.state.object(pointer.object);
        let offset = if pointer.ghost { pointer.offset / 4 } else { pointer.offset };
        Place {
            object: object.map_or_else(String::new, |object| object.name.to_string()),
            offset: offset.max(0) as u64,
            size,
            object_size: object.map_or(0, |object| object.size()),
            is_shared: object.is_some_and(|object| object.shared),
            is_ghost: pointer.ghost,
        }
    }

    pub(crate) fn note_read(&mut self, access: &Access, value: Value, found: &Found) {
        if self.watch.is_none() {
            return;
        }
        let place = self.place(access.pointer, access.len);
        let value = self.machine.show(self.state, value, access.ty);
        let unseen = found.unseen.iter().filter_map(|stamp| step_of(*stamp)).collect();
        self.note(EventKind::Read { place, value, written_at: step_of(found.stamp), unseen });
    }

    pub(crate) fn note_write(&mut self, access: &Access, value: Value, buffered: bool) {
        let Some(watch) = &mut self.watch else { return };
        let overwrites = step_of(watch.writer(access.pointer));
        if !buffered {
            watch.wrote(access.pointer, access.len, self.stamp);
        }
        let place = self.place(access.pointer, access.len);
        let value = self.machine.show(self.state, value, access.ty);
        self.note(EventKind::Write { place, value, overwrites, buffered });
    }

    pub(crate) fn note_flush(&mut self, entry: &Buffered) {
        let place = self.place(entry.pointer, entry.len);
        let value = self.machine.show(self.state, entry.value, Type::Int((entry.len * 8) as u16));
        if let Some(watch) = &mut self.watch {
            watch.wrote(entry.pointer, entry.len, entry.stamp);
        }
        self.note(EventKind::Flush { place, value, written_at: entry.stamp.saturating_sub(1) });
    }
}
