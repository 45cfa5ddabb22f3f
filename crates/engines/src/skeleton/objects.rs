//! The objects of an unrolled program, numbered: static objects, each thread's copies of thread-local ones, each
//! allocation that is executed, and functions.

use super::value::{ARBITRARY, GHOST};
use ir::analysis::Memory;
use ir::{FunctionId, ObjectId};
use rustc_hash::FxHashMap;
use smt::{Bits, Term, Terms};

/// The initial contents of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    /// Zeros.
    Zero,
    /// The initialiser of a static object.
    Static(ObjectId),
    /// Arbitrary.
    Arbitrary,
}

/// The kind of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Memory that lives as long as the program.
    Static,
    /// The same, never written.
    Constant,
    /// Memory that dies when a function returns.
    Stack,
    /// Memory that dies by `free`.
    Heap,
    /// A function.
    Function(FunctionId),
}

/// An object.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) kind: Kind,
    /// Its maximum size.
    pub(crate) size: u64,
    /// Its size, where that is not a constant.
    pub(crate) extent: Option<Term>,
    pub(crate) start: Start,
    /// Whether accesses make events.
    pub(crate) is_shared: bool,
    /// Its name in the analyses.
    pub(crate) memory: Option<Memory>,
}

/// All objects.
#[derive(Clone, Default, Debug)]
pub(crate) struct Objects {
    /// By number - 1.
    all: Vec<Object>,
    functions: FxHashMap<FunctionId, u16>,
    statics: FxHashMap<ObjectId, u16>,
    copies: FxHashMap<(u32, ObjectId), u16>,
}

impl Objects {
    /// Adds an object; `None` if there are too many.
    pub(crate) fn add(&mut self, object: Object) -> Option<u16> {
        let number = u16::try_from(self.all.len() + 1).ok().filter(|&number| number < ARBITRARY)?;
        self.all.push(object);
        Some(number)
    }

    /// The object with a number, the ghost bit aside.
    pub(crate) fn get(&self, number: u16) -> Option<&Object> {
        self.all.get(usize::from(number & !GHOST).checked_sub(1)?)
    }

    /// The size in bytes of an object or ghost; a ghost is larger than its object.
    pub(crate) fn bytes(&self, number: u16) -> u64 {
        match self.get(number) {
            Some(Object { kind: Kind::Function(_), .. }) | None => 0,
            Some(object) if number & GHOST != 0 => ir::ghost_size(object.size),
            Some(object) => object.size,
        }
    }

    /// Whether an access at an offset lies in an object.
    pub(crate) fn fits(&self, terms: &mut Terms, number: u16, offset: Term, bytes: u64) -> Term {
        let Some(most) = self.bytes(number).checked_sub(bytes) else { return terms.bool(false) };
        let width = terms.width(offset);
        let Some(extent) = self.get(number).and_then(|object| object.extent) else {
            let most = terms.bits(Bits::from_u64(width, most));
            return terms.ule(offset, most);
        };
        let is_ghost = number & GHOST != 0;
        let extent = if is_ghost {
            let four = terms.bits(Bits::from_u64(width, 4));
            terms.mul(extent, four)
        } else {
            extent
        };
        // There is always room for one record.
        let in_first = match ir::ghost_size(0).checked_sub(bytes).filter(|_| is_ghost) {
            Some(most) => {
                let most = terms.bits(Bits::from_u64(width, most));
                terms.ule(offset, most)
            }
            None => terms.bool(false),
        };
        let bytes = terms.bits(Bits::from_u64(width, bytes));
        let most = terms.sub(extent, bytes);
        let (is_large, is_below) = (terms.ule(bytes, extent), terms.ule(offset, most));
        let fits = terms.and2(is_large, is_below);
        terms.or2(in_first, fits)
    }

    /// The sizes that are not constants.
    pub(crate) fn extents(&mut self) -> impl Iterator<Item = &mut Term> {
        self.all.iter_mut().filter_map(|object| object.extent.as_mut())
    }

    /// All numbers, ghosts not included.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u16> {
        1..=self.all.len() as u16
    }

    /// The number of a function.
    pub(crate) fn function(&mut self, function: FunctionId) -> Option<u16> {
        if let Some(&number) = self.functions.get(&function) {
            return Some(number);
        }
        let object = Object {
            kind: Kind::Function(function),
            size: 0,
            start: Start::Zero,
            is_shared: false,
            memory: None,
            extent: None,
        };
        let number = self.add(object)?;
        self.functions.insert(function, number);
        Some(number)
    }

    /// The number of a static object, or of a thread's copy of it, if it has one.
    pub(crate) fn find(&self, owner: Option<u32>, object: ObjectId) -> Option<u16> {
        match owner {
            None => self.statics.get(&object).copied(),
            Some(thread) => self.copies.get(&(thread, object)).copied(),
        }
    }

    /// The numbers of a thread's copies.
    pub(crate) fn copies_of(&self, thread: u32) -> Vec<u16> {
        let own = self.copies.iter().filter(|((owner, _), _)| *owner == thread);
        let mut numbers: Vec<u16> = own.map(|(_, number)| *number).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Gives a static object, or a thread's copy of it, its number.
    pub(crate) fn define(&mut self, owner: Option<u32>, id: ObjectId, object: Object) -> Option<u16> {
        let number = self.add(object)?;
        match owner {
            None => self.statics.insert(id, number),
            Some(thread) => self.copies.insert((thread, id), number),
        };
        Some(number)
    }
}
