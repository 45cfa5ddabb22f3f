//! The contents of one object: bytes, which of them are undefined, and the pointers that lie in them.
//!
//! A pointer stored whole is kept as a pair and not as bytes. Where bytes of it are read or overwritten separately, it
//! is first turned into its address (see `layout.rs`), so that copying a pointer byte by byte gives the pointer back.

use crate::layout::Layout;
use crate::value::{ObjRef, Pointer, Value};
use ir::{EdgeId, FunctionId};
use std::fmt;
use std::rc::Rc;

/// The storage of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Storage {
    /// A static or thread-local object.
    Static,
    /// A static object that must not be written.
    Constant,
    /// Lives until its function returns.
    Stack,
    /// Lives until it is freed.
    Heap,
}

/// An object at run time.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    /// Its identity.
    pub id: ObjRef,
    /// Its storage.
    pub storage: Storage,
    /// The allocation that created it.
    pub site: Option<(FunctionId, EdgeId)>,
    /// Whether threads other than its owner may reach it.
    pub shared: bool,
    /// If it is not shared, the thread that accessed it first: no other may.
    pub owner: Option<u32>,
    /// Whether its lifetime has not ended.
    pub live: bool,
    /// Its alignment.
    pub align: u64,
    /// Its bytes; 0 where undefined or covered by a pointer.
    bytes: Vec<u8>,
    /// One bit per byte, set where undefined; empty if no byte is.
    undefined: Vec<u64>,
    /// The pointers in it, by offset; they do not overlap.
    pointers: Vec<(u64, Pointer)>,
    /// Its name as shown to the user.
    pub name: Name,
}

/// A name: shown to people, never compared.
#[derive(Clone, Debug)]
pub struct Name {
    /// The text; for a heap object it includes the allocation site.
    pub text: Rc<str>,
    /// Distinguishes heap objects with the same text: counts from 1, and 1 is not shown.
    pub instance: u32,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.instance {
            1 => f.write_str(&self.text),
            instance => write!(f, "{} #{instance}", self.text),
        }
    }
}

impl PartialEq for Name {
    fn eq(&self, _: &Name) -> bool {
        true
    }
}
impl Eq for Name {}
impl std::hash::Hash for Name {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// The contents read at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Content {
    /// The value, with 0 in undefined bytes.
    pub value: Value,
    /// A bit for each undefined byte.
    pub undefined: u16,
}

impl Object {
    /// A new object with undefined or zero contents.
    pub fn new(id: ObjRef, storage: Storage, size: u64, align: u64, zeroed: bool, name: Rc<str>) -> Object {
        let size = usize::try_from(size).expect("the size of an object should be checked before it is made");
        let mut object = Object {
            id,
            storage,
            site: None,
            shared: true,
            owner: None,
            live: true,
            align,
            bytes: vec![0; size],
            undefined: Vec::new(),
            pointers: Vec::new(),
            name: Name { text: name, instance: 1 },
        };
        if !zeroed {
            object.set_undefined(0, size as u64);
        }
        object
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The pointers in it.
    pub fn pointers(&self) -> impl Iterator<Item = Pointer> + '_ {
        self.pointers.iter().map(|(_, pointer)| *pointer)
    }

    /// Ends its lifetime and forgets its contents.
    pub fn kill(&mut self) {
        self.live = false;
        self.bytes.fill(0);
        self.undefined.clear();
        self.pointers.clear();
    }

    /// Makes bytes undefined.
    fn set_undefined(&mut self, offset: u64, len: u64) {
        if self.undefined.is_empty() && len > 0 {
            self.undefined = vec![0; self.bytes.len().div_ceil(64)];
        }
        for byte in offset..offset + len {
            self.undefined[(byte / 64) as usize] |= 1 << (byte % 64);
            self.bytes[byte as usize] = 0;
        }
    }

    /// Makes bytes defined.
    fn set_defined(&mut self, offset: u64, len: u64) {
        if self.undefined.is_empty() {
            return;
        }
        for byte in offset..offset + len {
            self.undefined[(byte / 64) as usize] &= !(1 << (byte % 64));
        }
        if self.undefined.iter().all(|word| *word == 0) {
            self.undefined.clear();
        }
    }

    /// A bit for each undefined byte of a range of at most 16 bytes.
    fn undefined_bits(&self, offset: u64, len: u64) -> u16 {
        if self.undefined.is_empty() {
            return 0;
        }
        (0..len).fold(0, |bits, index| {
            let byte = offset + index;
            let is_undefined = self.undefined[(byte / 64) as usize] >> (byte % 64) & 1;
            bits | (is_undefined as u16) << index
        })
    }

    /// The indices of the pointers that overlap a range.
    fn overlapping(&self, offset: u64, len: u64, pointer_bytes: u64) -> std::ops::Range<usize> {
        let first = self.pointers.partition_point(|(at, _)| at + pointer_bytes <= offset);
        let last = self.pointers.partition_point(|(at, _)| *at < offset + len);
        first..last.max(first)
    }

    /// Turns pointers that overlap a range without lying inside it into the bytes of their addresses.
    fn expose_partly_covered(&mut self, offset: u64, len: u64, layout: &Layout) {
        let size = layout.pointer_bytes();
        let mut index = self.overlapping(offset, len, size).start;
        while index < self.pointers.len() && self.pointers[index].0 < offset + len {
            let (at, pointer) = self.pointers[index];
            if at >= offset && at + size <= offset + len {
                index += 1;
                continue;
            }
            self.pointers.remove(index);
            let address = layout.address(pointer).to_le_bytes();
            self.bytes[at as usize..(at + size) as usize].copy_from_slice(&address[..size as usize]);
        }
    }

    /// Reads `len` bytes (at most 16) that lie in the object.
    pub fn read(&self, offset: u64, len: u64, layout: &Layout) -> Content {
        let undefined = self.undefined_bits(offset, len);
        if !self.pointers.is_empty() {
            let overlapping = self.overlapping(offset, len, layout.pointer_bytes());
            if let [(at, pointer)] = self.pointers[overlapping.clone()] {
                if at == offset && len == layout.pointer_bytes() {
                    return Content { value: Value::Ptr(pointer), undefined: 0 };
                }
            }
            if !overlapping.is_empty() {
                let mut copy = self.clone();
                for (at, pointer) in &self.pointers[overlapping] {
                    copy.pointers.retain(|(other, _)| other != at);
                    let address = layout.address(*pointer).to_le_bytes();
                    let size = layout.pointer_bytes() as usize;
                    copy.bytes[*at as usize..*at as usize + size].copy_from_slice(&address[..size]);
                }
                return copy.read(offset, len, layout);
            }
        }
        let mut bytes = [0; 16];
        bytes[..len as usize].copy_from_slice(&self.bytes[offset as usize..(offset + len) as usize]);
        Content { value: Value::Int(u128::from_le_bytes(bytes)), undefined }
    }

    /// Writes `len` bytes (at most 16) that lie in the object.
    pub fn write(&mut self, offset: u64, len: u64, value: Value, layout: &Layout) {
        if !self.pointers.is_empty() {
            self.expose_partly_covered(offset, len, layout);
            let covered = self.overlapping(offset, len, layout.pointer_bytes());
            self.pointers.drain(covered);
        }
        match value {
            Value::Undef => {
                self.set_undefined(offset, len);
                return;
            }
            Value::Ptr(pointer) if len == layout.pointer_bytes() && pointer.object != ObjRef::Null => {
                let index = self.pointers.partition_point(|(at, _)| *at < offset);
                self.pointers.insert(index, (offset, pointer));
                self.bytes[offset as usize..(offset + len) as usize].fill(0);
            }
            Value::Ptr(pointer) => {
                let address = layout.address(pointer).to_le_bytes();
                self.fill(offset, len, &address);
            }
            Value::Int(value) => self.fill(offset, len, &value.to_le_bytes()),
        }
        self.set_defined(offset, len);
    }

    fn fill(&mut self, offset: u64, len: u64, bytes: &[u8]) {
        for index in 0..len as usize {
            self.bytes[offset as usize + index] = bytes.get(index).copied().unwrap_or(0);
        }
    }

    /// Writes the initial bytes, from offset 0.
    pub fn initialise(&mut self, bytes: &[u8]) {
        self.bytes[..bytes.len()].copy_from_slice(bytes);
    }

    /// Whether a range covers a pointer only partly or inexactly: its address is then observed, or taken apart.
    pub fn has_part_of_pointer(&self, offset: u64, len: u64, layout: &Layout) -> bool {
        let size = layout.pointer_bytes();
        let inside = |at: u64| at >= offset && at + size <= offset + len;
        match &self.pointers[self.overlapping(offset, len, size)] {
            [] => false,
            [(at, _)] => !inside(*at) || len != size,
            _ => true,
        }
    }

    /// Whether a pointer lies exactly at an offset.
    pub fn has_pointer_at(&self, offset: u64) -> bool {
        self.pointers.binary_search_by_key(&offset, |(at, _)| *at).is_ok()
    }
}
