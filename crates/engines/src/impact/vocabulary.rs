//! What labels speak of: a state variable for each variable of a frame and each cell of an object.
//!
//! Names are canonical, so that the same place has the same state variable on every path: a frame's variables are named
//! by thread and depth, an allocation by the statement, the thread, and the first number that is free.
//!
//! Cells are found while the program is explored: memory is divided by how it is accessed. A cell that nobody has accessed
//! yet is in no formula, so what it held all the time can be said when it is found: see [`super::path`].

use super::explicit_values::ExplicitValues;
use super::location::{At, Cell};
use base::Id;
use ir::{FunctionId, LocalId, ObjectId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Bits, Sort, Term, Terms};
use std::collections::BTreeMap;

base::define_id!(
    /// An object. Prints as `m7`.
    ObjId, "m");

/// Which object it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum ObjKey {
    /// A static one.
    Static(ObjectId),
    /// A thread's copy of a static one.
    Copy(u32, ObjectId),
    /// One that this statement made, in this thread, and the how manyth of those that exist.
    Made(At, u32, u32),
}

/// A state variable's place in the program, for all threads and objects of a kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Class {
    Local(FunctionId, LocalId),
    Static(ObjectId, bool, u64),
    Made(At, bool, u64),
    Result,
}

/// What a state variable stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum VarKey {
    /// A variable of the function at a depth of a thread's stack.
    Local { thread: u32, depth: u32, function: FunctionId, local: LocalId },
    /// A cell.
    Cell(Cell),
    /// The result of a thread that has ended.
    Result(u32, u32),
    /// What waits at a position of a thread's store buffer, to be written into a cell.
    Buffered { thread: u32, position: u32, cell: Cell },
    /// Where in its object the watched access is.
    Watched,
    /// The how manyth arbitrary value of a step, and its width.
    Input(u32, u32),
    /// Something to hold a value for a moment.
    Temporary(u32, Sort),
}

/// All of them.
#[derive(Default)]
pub(super) struct Vocabulary {
    objects: indexmap::IndexSet<ObjKey>,
    variables: FxHashMap<VarKey, Term>,
    keys: FxHashMap<Term, VarKey>,
    /// The cells of each object and its ghost, by offset.
    cells: FxHashMap<(ObjId, bool), BTreeMap<u64, u64>>,
    /// Pointers of static objects: these are told explicitly from the beginning.
    pub(super) pointers: FxHashSet<(ObjectId, u64)>,
    /// Numbers that are told explicitly where they are constants.
    pub(super) explicit: FxHashSet<Class>,
    /// What would be told explicitly, and has too many values for that.
    pub(super) implicit: FxHashSet<Class>,
    /// What is told explicitly while it has few values.
    pub(super) explicit_values: ExplicitValues,
    /// The values that were told explicitly.
    values: FxHashMap<Class, FxHashSet<Term>>,
}

/// More values than this are not told explicitly.
const MAX_VALUES: usize = 48;

/// How an access meets the cells of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Meeting {
    /// It is this cell.
    Whole(Cell),
    /// It is a part of this cell, from this byte on.
    Part(Cell, u64),
    /// It consists of these cells.
    Several(Vec<Cell>),
    /// Neither.
    Mixed,
}

impl Vocabulary {
    /// An empty one. Whether numbers may be told explicitly that need not be.
    pub(super) fn new(may_tell: bool) -> Vocabulary {
        Vocabulary { explicit_values: ExplicitValues::new(may_tell), ..Vocabulary::default() }
    }

    /// The object.
    pub(super) fn object(&mut self, key: ObjKey) -> ObjId {
        ObjId::new(self.objects.insert_full(key).0)
    }

    /// Which object it is.
    pub(super) fn key(&self, object: ObjId) -> ObjKey {
        *self.objects.get_index(object.index()).expect("an object should have a key")
    }

    /// Forgets what this run found, but not what it found out about kinds of variables.
    pub(super) fn restart(&mut self) {
        self.cells.clear();
        self.values.clear();
        self.explicit_values.restart();
    }

    /// The state variable.
    pub(super) fn variable(&mut self, terms: &mut Terms, program: &Program, key: VarKey, sort: Sort) -> Term {
        if let Some(&term) = self.variables.get(&key) {
            if terms.sort(term) == sort {
                return term;
            }
        }
        let name = self.name(program, key);
        let term = terms.variable(name, sort);
        self.variables.insert(key, term);
        self.keys.insert(term, key);
        term
    }

    /// What a state variable stands for.
    pub(super) fn meaning(&self, variable: Term) -> Option<VarKey> {
        self.keys.get(&variable).copied()
    }

    /// What people call a state variable.
    pub(super) fn name(&self, program: &Program, key: VarKey) -> String {
        match key {
            VarKey::Local { thread, depth, function, local } => {
                let function = &program.functions[function];
                format!("{}.{}@{thread}.{depth}", function.name, function.locals[local].name)
            }
            VarKey::Buffered { thread, position, cell } => {
                format!("{}@buffer{thread}.{position}", self.name(program, VarKey::Cell(cell)))
            }
            VarKey::Watched => "watched".to_owned(),
            VarKey::Cell(cell) => {
                let ghost = if cell.is_ghost { "ghost " } else { "" };
                let object = match self.key(cell.object) {
                    ObjKey::Static(object) => program.objects[object].name.clone(),
                    ObjKey::Copy(thread, object) => format!("{}@{thread}", program.objects[object].name),
                    ObjKey::Made(at, thread, index) => format!("{}{}@{thread}.{index}", at.0, at.1),
                };
                match cell.offset {
                    0 => format!("{ghost}{object}"),
                    offset => format!("{ghost}{object}+{offset}"),
                }
            }
            VarKey::Result(thread, _) => format!("result@{thread}"),
            VarKey::Input(index, width) => format!("input{index}.{width}"),
            VarKey::Temporary(index, _) => format!("temporary{index}"),
        }
    }

    /// The kind of a state variable.
    pub(super) fn class(&self, key: VarKey) -> Option<Class> {
        match key {
            VarKey::Local { function, local, .. } => Some(Class::Local(function, local)),
            VarKey::Cell(cell) | VarKey::Buffered { cell, .. } => Some(match self.key(cell.object) {
                ObjKey::Static(object) | ObjKey::Copy(_, object) => Class::Static(object, cell.is_ghost, cell.offset),
                ObjKey::Made(at, _, _) => Class::Made(at, cell.is_ghost, cell.offset),
            }),
            VarKey::Result(..) => Some(Class::Result),
            VarKey::Watched | VarKey::Input(..) | VarKey::Temporary(..) => None,
        }
    }

    /// Notes that a constant is told explicitly. True if that has become too much, and all should begin anew without.
    pub(super) fn tell(&mut self, class: Class, value: Term) -> bool {
        let values = self.values.entry(class).or_default();
        values.insert(value);
        values.len() > MAX_VALUES && self.implicit.insert(class)
    }

    /// How an access with constant bounds meets the cells of an object; a new cell if it meets none.
    pub(super) fn meet(&mut self, object: ObjId, is_ghost: bool, offset: u64, bytes: u64) -> Meeting {
        let cells = self.cells.entry((object, is_ghost)).or_default();
        let cell = |offset: u64, bytes: u64| Cell { object, is_ghost, offset, bytes };
        let before = cells.range(..=offset).next_back().map(|(&start, &bytes)| (start, bytes));
        if let Some((start, length)) = before {
            if start == offset && length == bytes {
                return Meeting::Whole(cell(start, length));
            }
            if start <= offset && offset + bytes <= start + length {
                return Meeting::Part(cell(start, length), offset - start);
            }
            if start < offset && offset < start + length {
                return Meeting::Mixed;
            }
        }
        let inside: Vec<(u64, u64)> =
            cells.range(offset..offset + bytes).map(|(&start, &bytes)| (start, bytes)).collect();
        if inside.is_empty() {
            cells.insert(offset, bytes);
            return Meeting::Whole(cell(offset, bytes));
        }
        if inside.last().is_some_and(|(start, length)| start + length > offset + bytes) {
            return Meeting::Mixed;
        }
        // What lies between the cells becomes cells, byte by byte.
        let mut next = offset;
        let mut all = Vec::new();
        for (start, length) in inside.into_iter().chain([(offset + bytes, 0)]) {
            for gap in next..start {
                cells.insert(gap, 1);
                all.push(cell(gap, 1));
            }
            if length > 0 {
                all.push(cell(start, length));
            }
            next = start + length;
        }
        Meeting::Several(all)
    }

    /// The cells of an object, ghost or not, that were found so far.
    pub(super) fn cells_of(&self, object: ObjId, is_ghost: bool) -> Vec<Cell> {
        let cells = self.cells.get(&(object, is_ghost));
        let all = cells.into_iter().flatten();
        all.map(|(&offset, &bytes)| Cell { object, is_ghost, offset, bytes }).collect()
    }

    /// All cells of static objects.
    pub(super) fn static_cells(&self) -> Vec<(ObjectId, Cell)> {
        let mut all = Vec::new();
        for (&(object, is_ghost), cells) in &self.cells {
            // The first thread's copies begin with the program.
            if let ObjKey::Static(id) | ObjKey::Copy(1, id) = self.key(object) {
                all.extend(cells.iter().map(|(&offset, &bytes)| (id, Cell { object, is_ghost, offset, bytes })));
            }
        }
        all.sort_unstable();
        all
    }
}

/// The number that a part of a static object holds at the start, if it is one.
pub(super) fn initial(program: &Program, object: ObjectId, offset: u64, bytes: u64) -> Option<Bits> {
    match &program.objects[object].initial {
        ir::Initial::Arbitrary => None,
        ir::Initial::Bytes { bytes: content, .. } => {
            let at = |index: u64| content.get((offset + index) as usize).copied().unwrap_or(0);
            let value = (0..bytes.min(16)).fold(0u128, |all, index| all | u128::from(at(index)) << (8 * index));
            Some(Bits::from_u128((bytes * 8) as u32, value))
        }
    }
}
