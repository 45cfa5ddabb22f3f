//! Addresses of objects, for what (object, offset) pairs cannot express: arithmetic on addresses, their order, their
//! single bytes. The layout is one that a real machine could choose; a verdict of `safe` must not depend on it, so
//! every observable use of it is recorded as a gap.

use crate::value::{ObjRef, Pointer};
use base::{Id, IdVec};
use ir::{DataModel, ObjectId, Program};

/// Where objects lie.
#[derive(Debug)]
pub struct Layout {
    data_model: DataModel,
    statics: IdVec<ObjectId, (u64, u64)>,
    functions: usize,
    /// Base address of thread-local copies: one block per thread.
    thread_local_base: u64,
    thread_local_bytes: u64,
    dynamic_base: u64,
}

const FUNCTION_BASE: u64 = 0x1000;
const FUNCTION_BYTES: u64 = 16;
/// Padding between objects, so that one past the end of an object is not the next object.
const GAP: u64 = 64;
const THREADS: u64 = 256;

impl Layout {
    /// The layout of a program.
    pub fn new(program: &Program) -> Layout {
        let functions = program.functions.len();
        let mut next = FUNCTION_BASE + FUNCTION_BYTES * functions as u64 + GAP;
        let statics: IdVec<ObjectId, (u64, u64)> = program
            .objects
            .iter()
            .map(|object| {
                let base = next.next_multiple_of(object.align.max(16));
                next = base + object.size + GAP;
                (base, object.size)
            })
            .collect();
        let thread_local_base = next.next_multiple_of(1 << 16);
        let thread_local_bytes = (next - FUNCTION_BASE).next_multiple_of(1 << 16);
        let dynamic_base = (thread_local_base + THREADS * thread_local_bytes).next_multiple_of(1 << 24);
        Layout {
            data_model: program.data_model,
            statics,
            functions,
            thread_local_base,
            thread_local_bytes,
            dynamic_base,
        }
    }

    /// The size of a pointer.
    pub fn pointer_bytes(&self) -> u64 {
        self.data_model.pointer_bytes()
    }

    /// The room for one dynamic object, and their number per thread.
    fn dynamic_room(&self) -> (u64, u64) {
        match self.data_model {
            DataModel::Ilp32 => (1 << 16, 1 << 6),
            DataModel::Lp64 => (1 << 32, 1 << 16),
        }
    }

    /// Whether an object of this size fits its slot, so that its addresses are unique.
    pub fn has_room(&self, object: ObjRef, size: u64) -> bool {
        let (room, count) = self.dynamic_room();
        match object {
            ObjRef::Dynamic(thread, index) => {
                let end = self.dynamic_base + (u64::from(thread) * count + u64::from(index) + 1) * room;
                size + GAP <= room && u64::from(index) < count && end <= 1 << self.data_model.pointer_width().min(62)
            }
            ObjRef::ThreadLocal(thread, _) => u64::from(thread) < THREADS,
            ObjRef::Null | ObjRef::Static(_) | ObjRef::Function(_) => true,
        }
    }

    fn base(&self, object: ObjRef) -> u64 {
        match object {
            ObjRef::Null => 0,
            ObjRef::Function(function) => FUNCTION_BASE + FUNCTION_BYTES * function.index() as u64,
            ObjRef::Static(object) => self.statics[object].0,
            ObjRef::ThreadLocal(thread, object) => {
                self.thread_local_base + u64::from(thread) * self.thread_local_bytes + self.statics[object].0
                    - FUNCTION_BASE
            }
            ObjRef::Dynamic(thread, index) => {
                let (room, count) = self.dynamic_room();
                self.dynamic_base + (u64::from(thread) * count + u64::from(index)) * room
            }
        }
    }

    /// The address of a pointer, of pointer width.
    pub fn address(&self, pointer: Pointer) -> u128 {
        let address = self.base(pointer.object).wrapping_add(pointer.offset as u64);
        u128::from(address) & ir::arith::mask(self.data_model.pointer_width())
    }

    /// The pointer with an address: into the object that lies there, or to no object.
    pub fn pointer(&self, address: u128) -> Pointer {
        let address = address as u64;
        let into = |object| Pointer::to(object).moved(address.wrapping_sub(self.base(object)) as i64);
        let function_end = FUNCTION_BASE + FUNCTION_BYTES * self.functions as u64;
        if (FUNCTION_BASE..function_end).contains(&address) {
            return into(ObjRef::Function(Id::new(((address - FUNCTION_BASE) / FUNCTION_BYTES) as usize)));
        }
        let (room, count) = self.dynamic_room();
        if address >= self.dynamic_base && address < self.dynamic_base + THREADS * count * room {
            let slot = (address - self.dynamic_base) / room;
            return into(ObjRef::Dynamic((slot / count) as u32, (slot % count) as u32));
        }
        if address >= self.thread_local_base && address < self.dynamic_base {
            let thread = (address - self.thread_local_base) / self.thread_local_bytes;
            let within = (address - self.thread_local_base) % self.thread_local_bytes + FUNCTION_BASE;
            if let Some(object) = self.static_at(within) {
                return into(ObjRef::ThreadLocal(thread as u32, object));
            }
        }
        match self.static_at(address) {
            Some(object) => into(ObjRef::Static(object)),
            None => Pointer::address(address as i64),
        }
    }

    /// The static object at an address, its end included.
    fn static_at(&self, address: u64) -> Option<ObjectId> {
        let after = self.statics.as_slice().partition_point(|(base, _)| *base <= address);
        let index = after.checked_sub(1)?;
        let (base, size) = self.statics.as_slice()[index];
        (address <= base + size).then(|| Id::new(index))
    }
}
