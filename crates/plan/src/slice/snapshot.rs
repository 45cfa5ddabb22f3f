//! Converts a state of the reference interpreter into the form for engines.

use engines::slice::{Content, Frame, Identity, Object, Snapshot, Thread};
use interp::object::Storage;
use interp::state::{State, Status};
use interp::value::{ObjRef, Value};
use interp::Machine;
use std::collections::HashMap;
use std::rc::Rc;

/// The index of each object.
type Indices = HashMap<ObjRef, usize>;

/// The snapshot of a state. Contents of objects are looked up in the state on demand.
pub(super) fn snapshot(machine: &Machine<'_>, state: &State) -> Snapshot {
    let indices: Indices = state.objects.iter().enumerate().map(|(index, object)| (object.id, index)).collect();
    let objects = state.objects.iter().map(|object| Object {
        identity: match object.id {
            ObjRef::Static(id) => Identity::Static(id),
            ObjRef::ThreadLocal(thread, id) => Identity::Copy(thread, id),
            ObjRef::Null | ObjRef::Function(_) | ObjRef::Dynamic(..) => {
                Identity::Allocated { site: object.site, is_heap: object.storage == Storage::Heap }
            }
        },
        size: object.size(),
        is_live: object.live,
    });
    let threads = state.threads.iter().map(|thread| {
        thread.as_ref().map(|thread| match thread.status {
            Status::Reserved => Thread::Reserved,
            Status::Ended(result) => Thread::Ended(content(Some(result), &indices)),
            Status::Running => {
                let frames = thread.frames.iter().map(|frame| Frame {
                    function: frame.function,
                    call: interp::call_in_progress(machine, frame),
                    locals: frame.locals.iter().map(|value| content(Some(*value), &indices)).collect(),
                    objects: frame.objects.iter().filter_map(|object| indices.get(object).copied()).collect(),
                });
                Thread::Running(frames.collect())
            }
        })
    });
    let ghosts = state.ghosts.iter().filter(|cell| cell.len == 4).filter_map(|cell| {
        let index = *indices.get(&cell.object)?;
        Some((index, u64::try_from(cell.offset).ok()?, content(Some(cell.value), &indices)))
    });
    Snapshot {
        objects: objects.collect(),
        threads: threads.collect(),
        ghosts: ghosts.collect(),
        lookup: lookup(machine, state, indices.clone()),
    }
}

/// Reads cells of the state.
fn lookup(machine: &Machine<'_>, state: &State, indices: Indices) -> engines::slice::Lookup {
    let (layout, state) = (machine.layout(), state.clone());
    Rc::new(move |index, ghost, offset, bytes| {
        let object = state.objects[index].id;
        content(interp::cell(&layout, &state, object, ghost, offset, bytes), &indices)
    })
}

fn content(value: Option<Value>, indices: &Indices) -> Content {
    match value {
        None => Content::Mixed,
        Some(Value::Undef) => Content::Undefined,
        Some(Value::Int(number)) => Content::Number(number),
        Some(Value::Ptr(pointer)) => match pointer.object {
            ObjRef::Null => Content::Number(pointer.offset as u128),
            ObjRef::Function(function) if pointer.offset == 0 => Content::Function(function),
            ObjRef::Function(_) => Content::Mixed,
            ObjRef::Static(_) | ObjRef::ThreadLocal(..) | ObjRef::Dynamic(..) => match indices.get(&pointer.object) {
                Some(&index) => Content::Object { index, ghost: pointer.ghost, offset: pointer.offset },
                None => Content::Mixed,
            },
        },
    }
}
