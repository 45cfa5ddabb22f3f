//! The vocabulary of labels: a state variable for each local of a frame and each cell of an object.
//!
//! Names are canonical, so that the same place has the same state variable on every path: a frame's locals are named by
//! thread and depth, an allocation by the statement, the thread, and the first free number.
//!
//! Cells are found during exploration: memory is divided by how it is accessed. A cell that has not been accessed
//! occurs in no formula, so its earlier content can be asserted when it is found: see [`super::path`].

use super::explicit_values::ExplicitValues;
use super::location::{At, Cell};
use base::Id;
use ir::{FunctionId, LocalId, ObjectId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Sort, Term, Terms};
use std::collections::BTreeMap;

base::define_id!(
    /// An object. Prints as `m7`.
    ObjId, "m");

/// The identity of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum ObjKey {
    /// A static one.
    Static(ObjectId),
    /// A thread's copy of a static one.
    Copy(u32, ObjectId),
    /// Allocated by this statement in this thread, with an index among the live ones.
    Made(At, u32, u32),
}

/// The kind of a state variable: its place in the program, for all threads and objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Class {
    Local(FunctionId, LocalId),
    Static(ObjectId, bool, u64),
    Made(At, bool, u64),
    Result,
}

/// The meaning of a state variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum VarKey {
    /// A local of the function at a depth of a thread's stack.
    Local { thread: u32, depth: u32, function: FunctionId, local: LocalId },
    /// A cell.
    Cell(Cell),
    /// The result of a thread that has ended.
    Result(u32, u32),
    /// The buffered value for a cell, at a position of a thread's store buffer.
    Buffered { thread: u32, position: u32, cell: Cell },
    /// The offset of the watched access in its object.
    Watched,
    /// The index of an input within a step, and its width.
    Input(u32, u32),
    /// A temporary.
    Temporary(u32, Sort),
}

/// All state variables.
#[derive(Default)]
pub(super) struct Vocabulary {
    objects: indexmap::IndexSet<ObjKey>,
    variables: FxHashMap<VarKey, Term>,
    keys: FxHashMap<Term, VarKey>,
    /// The cells of each object and its ghost, by offset.
    cells: FxHashMap<(ObjId, bool), BTreeMap<u64, u64>>,
    /// Pointers in static objects, explicit from the beginning.
    pub(super) pointers: FxHashSet<(ObjectId, u64)>,
    /// Kinds whose numbers must be explicit where they are constants.
    pub(super) explicit: FxHashSet<Class>,
    /// Kinds that would be explicit but have too many values.
    pub(super) implicit: FxHashSet<Class>,
    /// Kinds that are explicit while they have few values.
    pub(super) explicit_values: ExplicitValues,
    /// The explicit values of each kind.
    values: FxHashMap<Class, FxHashSet<Term>>,
}

/// Maximum number of explicit values of a kind.
const MAX_VALUES: usize = 48;

/// How an access relates to the cells of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Meeting {
    /// Exactly this cell.
    Whole(Cell),
    /// A part of this cell, starting at this byte.
    Part(Cell, u64),
    /// A sequence of these cells.
    Several(Vec<Cell>),
    /// Neither.
    Mixed,
}

impl Vocabulary {
    /// An empty vocabulary. `may_tell`: whether optional explicit values are allowed.
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

    /// Forgets the objects and variables of this run, but keeps what was learnt about kinds.
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

    /// The meaning of a state variable.
    pub(super) fn meaning(&self, variable: Term) -> Option<VarKey> {
        self.keys.get(&variable).copied()
    }

    /// The name of a state variable for people.
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

    /// Records an explicit constant. Returns true if there are too many, and the search must restart without them.
    pub(super) fn tell(&mut self, class: Class, value: Term) -> bool {
        let values = self.values.entry(class).or_default();
        values.insert(value);
        values.len() > MAX_VALUES && self.implicit.insert(class)
    }

    /// How an access with constant bounds relates to the cells of an object; creates a new cell if it meets none.
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
        // Gaps between the cells become cells, byte by byte.
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

    /// The cells of an object (or of its ghost) found so far.
    pub(super) fn cells_of(&self, object: ObjId, is_ghost: bool) -> Vec<Cell> {
        let cells = self.cells.get(&(object, is_ghost));
        let all = cells.into_iter().flatten();
        all.map(|(&offset, &bytes)| Cell { object, is_ghost, offset, bytes }).collect()
    }

    /// All cells of static objects.
    pub(super) fn static_cells(&self) -> Vec<(ObjectId, Cell)> {
        let mut all = Vec::new();
        for (&(object, is_ghost), cells) in &self.cells {
            // The first thread's copies are initialised at program start.
            if let ObjKey::Static(id) | ObjKey::Copy(1, id) = self.key(object) {
                all.extend(cells.iter().map(|(&offset, &bytes)| (id, Cell { object, is_ghost, offset, bytes })));
            }
        }
        all.sort_unstable();
        all
    }
}
