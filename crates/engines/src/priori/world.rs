//! The entities of an analysis: threads, objects, cells of memory and the stores to them. All are numbered in the order
//! of discovery, which is deterministic.
//!
//! A cell is a range of bytes of an object that is accessed as a whole. Cells of objects that several threads reach
//! have an order of stores; those of other objects just a value. A summary object (a repeated allocation), or an array
//! accessed at places that cannot be distinguished, is *flat*: it has one value for everything ever stored to it.

use crate::domains::orders::INITIAL;
use crate::domains::{Bits, EventId, Events, Number, Var};
use crate::priori::graph::{Graph, NodeId};
use crate::priori::state::{Scalar, Target};
use ir::analysis::{Escape, PointsTo};
use ir::{Initial, ObjectId, ObjectKind, Program, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

/// A thread, or all threads that one place starts in a loop.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) graph: Graph,
    pub(super) parent: Option<(u32, NodeId)>,
    /// The number allocated for it.
    pub(super) number: u32,
    /// Whether it stands for several threads.
    pub(super) is_many: bool,
}

/// The origin of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Source {
    Static(ObjectId),
    /// An allocation of a thread.
    Site {
        thread: u32,
        node: NodeId,
    },
}

/// An object.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) source: Source,
    pub(super) name: String,
    pub(super) size: Option<u64>,
    pub(super) is_shared: bool,
    /// Whether it stands for several objects.
    pub(super) is_summary: bool,
    pub(super) is_writable: bool,
    pub(super) is_zeroed: bool,
    pub(super) is_heap: bool,
}

/// A cell of memory.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) object: u32,
    pub(super) ghost: bool,
    pub(super) offset: i64,
    pub(super) len: u64,
    /// The variable of its value.
    pub(super) var: Var,
    pub(super) is_shared: bool,
    /// Every store after the initial one is an acquiring read-modify-write.
    pub(super) is_chain: bool,
    /// It stands for all parts of an object.
    pub(super) is_flat: bool,
}

/// A store.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) thread: u32,
    pub(super) node: NodeId,
    pub(super) is_summary: bool,
    pub(super) is_update: bool,
}

/// Assumptions that turned out wrong: the analysis is repeated without them.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Lessons {
    /// Objects (and whether the ghost) with stores other than read-modify-writes.
    pub(super) broken_chains: FxHashSet<(Source, bool)>,
    /// Objects (and whether the ghost) whose parts cannot be distinguished.
    pub(super) flat: FxHashSet<(Source, bool)>,
}

/// Maximum size of arrays whose initial contents are used.
const MAX_PARTS: u64 = 4096;

/// The hidden location of seq_cst fences.
pub(super) const FENCE: usize = 0;

/// All entities.
pub(super) struct World<'a> {
    pub(super) program: &'a Program,
    pub(super) points_to: &'a PointsTo,
    pub(super) escape: &'a Escape,
    pub(super) threads: Vec<Thread>,
    pub(super) objects: Vec<Object>,
    object_numbers: FxHashMap<Source, u32>,
    pub(super) cells: Vec<Cell>,
    cell_numbers: FxHashMap<(u32, bool, i64, u64), usize>,
    /// The cells of each object, ghost or not.
    pub(super) cells_of: FxHashMap<(u32, bool), Vec<usize>>,
    /// Per cell, without the initial store.
    events: Vec<Vec<Event>>,
    /// Per cell and store: the stores that it is performed before whenever both are performed, and the stores
    /// incompatible with it.
    before: Vec<Vec<(Bits, Bits)>>,
    /// The numbers of the variables of shared cells.
    pub(super) shared_vars: Bits,
    event_numbers: FxHashMap<(usize, u32, NodeId), EventId>,
    /// The position that allocated each thread number, and whether it is repeated.
    pub(super) numbers: Vec<(u32, NodeId, bool)>,
    number_ids: FxHashMap<(u32, NodeId), u32>,
    pub(super) next_var: u32,
    pub(super) lessons: Lessons,
    /// What the analysis has learnt.
    pub(super) learnt: Lessons,
    /// Pairs of thread numbers that a thread assumed to be distinct.
    pub(super) distinct: FxHashSet<(u32, u32, u32)>,
    /// Whether memory is freed anywhere.
    pub(super) frees: bool,
}

/// The stores to one cell.
pub(super) struct CellEvents<'a> {
    pub(super) world: &'a World<'a>,
    pub(super) cell: usize,
}

impl Events for CellEvents<'_> {
    fn is_summary(&self, event: EventId) -> bool {
        self.world.event(self.cell, event).is_some_and(|event| event.is_summary)
    }

    fn is_sequenced(&self, first: EventId, second: EventId) -> bool {
        self.world.before[self.cell][first].0.contains(second)
    }

    fn is_exclusive(&self, one: EventId, other: EventId) -> bool {
        self.world.before[self.cell][one].1.contains(other)
    }

    fn is_critical(&self, event: EventId) -> bool {
        self.world.event(self.cell, event).is_some_and(|event| event.is_update)
    }
}

impl<'a> World<'a> {
    pub(super) fn new(
        program: &'a Program,
        points_to: &'a PointsTo,
        escape: &'a Escape,
        lessons: Lessons,
    ) -> World<'a> {
        let mut world = World {
            program,
            points_to,
            escape,
            threads: Vec::new(),
            objects: Vec::new(),
            object_numbers: FxHashMap::default(),
            cells: Vec::new(),
            cell_numbers: FxHashMap::default(),
            cells_of: FxHashMap::default(),
            events: Vec::new(),
            before: Vec::new(),
            shared_vars: Bits::empty(),
            event_numbers: FxHashMap::default(),
            numbers: vec![(0, 0, false)],
            number_ids: FxHashMap::default(),
            next_var: 1,
            learnt: lessons.clone(),
            lessons,
            distinct: FxHashSet::default(),
            frees: {
                let mut edges = program.functions.iter().flat_map(|function| function.edges.iter());
                edges.any(|edge| matches!(edge.stmt, ir::Stmt::Free { .. } | ir::Stmt::Expire { .. }))
            },
        };
        // The result of a thread is variable 0; the hidden location belongs to no object.
        let cell = Cell {
            object: u32::MAX,
            ghost: false,
            offset: 0,
            len: 0,
            var: Var(u32::MAX),
            is_shared: true,
            is_chain: true,
            is_flat: false,
        };
        world.cells.push(cell);
        world.events.push(Vec::new());
        world.before.push(vec![Default::default()]);
        world
    }

    /// A store to a cell; `None` for the initial one.
    pub(super) fn event(&self, cell: usize, event: EventId) -> Option<Event> {
        (event != INITIAL).then(|| self.events[cell][event - 1])
    }

    /// The number of a store.
    pub(super) fn event_number(&mut self, cell: usize, thread: u32, node: NodeId, is_update: bool) -> EventId {
        if let Some(event) = self.event_numbers.get(&(cell, thread, node)) {
            return *event;
        }
        let item = &self.threads[thread as usize];
        let is_summary = item.is_many || item.graph.on_cycle[node as usize] || self.cells[cell].is_flat;
        self.events[cell].push(Event { thread, node, is_summary, is_update });
        let event = self.events[cell].len();
        self.relate(cell, event);
        self.event_numbers.insert((cell, thread, node), event);
        event
    }

    /// Relates a new store to the others of its thread.
    fn relate(&mut self, cell: usize, event: EventId) {
        self.before[cell].push(Default::default());
        let new = self.events[cell][event - 1];
        if new.is_summary {
            return;
        }
        let graph = &self.threads[new.thread as usize].graph;
        for other in 1..event {
            let old = self.events[cell][other - 1];
            if old.is_summary || old.thread != new.thread {
                continue;
            }
            let (first, last) = (graph.reaches(old.node, new.node), graph.reaches(new.node, old.node));
            let before = &mut self.before[cell];
            if first {
                before[other].0.insert(event);
            }
            if last {
                before[event].0.insert(other);
            }
            if !first && !last {
                before[other].1.insert(event);
                before[event].1.insert(other);
            }
        }
    }

    /// The number allocated by a `NewThread`.
    pub(super) fn thread_number(&mut self, thread: u32, node: NodeId) -> u32 {
        if let Some(number) = self.number_ids.get(&(thread, node)) {
            return *number;
        }
        let item = &self.threads[thread as usize];
        self.numbers.push((thread, node, item.is_many || item.graph.on_cycle[node as usize]));
        let number = self.numbers.len() as u32 - 1;
        self.number_ids.insert((thread, node), number);
        number
    }

    /// The number of an object; `make` describes a new one.
    pub(super) fn object_number(&mut self, source: Source, make: impl FnOnce() -> Object) -> u32 {
        if let Some(number) = self.object_numbers.get(&source) {
            return *number;
        }
        self.objects.push(make());
        let number = self.objects.len() as u32 - 1;
        self.object_numbers.insert(source, number);
        number
    }

    /// Whether an object may be dead while there are pointers to it.
    pub(super) fn is_mortal(&self, object: u32) -> bool {
        let object = &self.objects[object as usize];
        match object.source {
            Source::Static(_) => false,
            Source::Site { .. } => !object.is_heap || self.frees,
        }
    }

    /// The number of a static object.
    pub(super) fn static_object(&mut self, id: ObjectId) -> u32 {
        let object = &self.program.objects[id];
        let is_shared = self.escape.is_shared_object(id);
        self.object_number(Source::Static(id), || Object {
            source: Source::Static(id),
            name: object.name.clone(),
            size: Some(object.size),
            is_shared,
            is_summary: is_shared && object.kind == ObjectKind::ThreadLocal,
            is_writable: object.kind != ObjectKind::Constant,
            is_zeroed: false,
            is_heap: false,
        })
    }

    /// Whether an object (or its ghost) has one value for all its parts.
    pub(super) fn is_flat(&self, object: u32, ghost: bool) -> bool {
        let item = &self.objects[object as usize];
        item.is_summary || self.lessons.flat.contains(&(item.source, ghost))
    }

    /// The number of a cell.
    pub(super) fn cell_number(&mut self, object: u32, ghost: bool, offset: i64, len: u64) -> usize {
        let key = (object, ghost, offset, len);
        if let Some(cell) = self.cell_numbers.get(&key) {
            return *cell;
        }
        let item = &self.objects[object as usize];
        let is_flat = self.is_flat(object, ghost);
        let is_chain = !is_flat && !self.lessons.broken_chains.contains(&(item.source, ghost));
        let (var, is_shared) = (Var(self.next_var), item.is_shared);
        self.next_var += 1;
        self.cells.push(Cell { object, ghost, offset, len, var, is_shared, is_chain, is_flat });
        self.events.push(Vec::new());
        self.before.push(vec![Default::default()]);
        if is_shared {
            self.shared_vars.insert(var.0 as usize);
        }
        let cell = self.cells.len() - 1;
        self.cell_numbers.insert(key, cell);
        self.cells_of.entry((object, ghost)).or_default().push(cell);
        cell
    }

    /// The cells of the same object that overlap a cell.
    pub(super) fn overlapping(&self, cell: usize) -> impl Iterator<Item = usize> + '_ {
        let own = &self.cells[cell];
        let all = self.cells_of.get(&(own.object, own.ghost)).map_or(&[][..], Vec::as_slice);
        let (start, end) = (own.offset, own.offset + own.len as i64);
        all.iter().copied().filter(move |other| {
            let second = &self.cells[*other];
            *other != cell && second.offset < end && start < second.offset + second.len as i64
        })
    }

    /// The name of a cell for people.
    pub(super) fn cell_name(&self, cell: usize) -> String {
        let item = &self.cells[cell];
        if cell == FENCE {
            return "fences".to_owned();
        }
        let object = &self.objects[item.object as usize];
        let name = if item.ghost { format!("state of {}", object.name) } else { object.name.clone() };
        let is_whole = item.offset == 0 && (item.ghost || object.size == Some(item.len));
        if is_whole {
            name
        } else {
            format!("{name}+{}", item.offset)
        }
    }

    /// The initial value of a cell.
    pub(super) fn initial_value(&mut self, cell: usize) -> Scalar {
        let item = self.cells[cell].clone();
        if item.ghost {
            return zero(item.len);
        }
        if !item.is_flat {
            return self.content(item.object, item.offset, item.len);
        }
        let size = self.objects[item.object as usize].size.unwrap_or(0);
        if size == 0 || size / item.len > MAX_PARTS || !size.is_multiple_of(item.len) {
            return Scalar::Any;
        }
        let mut all = self.content(item.object, 0, item.len);
        for part in 1..size / item.len {
            let value = self.content(item.object, (part * item.len) as i64, item.len);
            all = all.join(&value);
        }
        all
    }

    /// The initial contents of a range of an object.
    pub(super) fn content(&mut self, object: u32, offset: i64, len: u64) -> Scalar {
        let item = &self.objects[object as usize];
        match item.source {
            Source::Site { .. } if item.is_zeroed => zero(len),
            Source::Site { .. } => Scalar::Any,
            Source::Static(id) => match &self.program.objects[id].initial {
                Initial::Arbitrary => Scalar::Any,
                Initial::Bytes { bytes, relocations } => {
                    let (start, end) = (offset as u64, offset as u64 + len);
                    let pointer = relocations.iter().find(|item| item.at < end && start < item.at + 8);
                    if let Some(relocation) = pointer {
                        if relocation.at != start {
                            return Scalar::Any;
                        }
                        let (symbol, by) = (relocation.symbol, relocation.offset);
                        return match symbol {
                            Symbol::Function(function) if by == 0 => Scalar::one(Target::Function(function)),
                            Symbol::Function(_) => Scalar::Any,
                            Symbol::Object(target) => {
                                let object = self.static_object(target);
                                let offset = Number::constant(64, by as i128 as u128);
                                Scalar::one(Target::Object { object, ghost: false, offset })
                            }
                        };
                    }
                    if len > 8 {
                        return Scalar::Any;
                    }
                    let byte = |at: u64| u128::from(bytes.get(at as usize).copied().unwrap_or(0));
                    let value = (start..end).rev().fold(0u128, |value, at| value << 8 | byte(at));
                    Scalar::Number(Number::constant((len * 8) as u16, value))
                }
            },
        }
    }

    /// The function that a thread is in at a node.
    pub(super) fn function(&self, thread: u32, node: NodeId) -> ir::FunctionId {
        let graph = &self.threads[thread as usize].graph;
        graph.frames[graph.nodes[node as usize].frame as usize].function
    }

    /// `file:line` of a step.
    pub(super) fn place(&self, thread: u32, node: NodeId, edge: ir::EdgeId) -> String {
        let graph = &self.threads[thread as usize].graph;
        let mut frame = graph.nodes[node as usize].frame;
        let mut at = edge;
        // A place in a library is reported as the call in user code that leads there.
        loop {
            let item = &graph.frames[frame as usize];
            let span = self.program.functions[item.function].edges[at].span;
            match item.caller {
                Some((caller, call)) if !self.program.is_users(span) => (frame, at) = (caller, call),
                Some(_) | None => return self.program.place(span),
            }
        }
    }

    /// Whether a thread certainly has not started when another one is at a node.
    pub(super) fn is_unstarted(&self, other: u32, thread: u32, node: NodeId) -> bool {
        if self.threads[thread as usize].is_many {
            return false;
        }
        let mut current = other;
        while let Some((parent, spawn)) = self.threads[current as usize].parent {
            if parent == thread {
                return !self.threads[thread as usize].graph.reaches(spawn, node);
            }
            current = parent;
        }
        false
    }

    /// The threads started at a node.
    pub(super) fn children(&self, thread: u32, node: NodeId) -> impl Iterator<Item = u32> + '_ {
        (0..self.threads.len() as u32).filter(move |child| self.threads[*child as usize].parent == Some((thread, node)))
    }
}

/// The value zero of some bytes.
pub(super) fn zero(len: u64) -> Scalar {
    if (1..=8).contains(&len) {
        Scalar::Number(Number::constant((len * 8) as u16, 0))
    } else {
        Scalar::Any
    }
}
