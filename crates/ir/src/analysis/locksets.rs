//! Must-locksets: the locks that a thread certainly holds when it is about to execute a statement. A forward
//! must-analysis in the manner of lockset algorithms (Savage et al., TOCS 1997, but static), with one summary per
//! context.
//!
//! Guarantee: in every defined run without misuse of locks, whenever a thread is about to execute the edge, the cell
//! holds that thread's number. Only `Lock` counts as an acquisition, and only of a static object at an offset that is
//! constant in the context; a lock acquired by other means (an `Await`, a successful compare-exchange) is not tracked.
//! A lock is released by an `Unlock`, and by any other write, that may be of its cell.

use crate::analysis::contexts::ContextId;
use crate::analysis::points_to::{Memory, PointsTo, Target};
use crate::analysis::summaries::{self, Changes, Summaries};
use crate::arith;
use crate::expr::{Expr, Type};
use crate::program::{EdgeId, FunctionId, LocId, LocalId, ObjectId, ObjectKind, Program};
use crate::stmt::{Callee, Stmt};
use base::{Id, IdVec};
use rustc_hash::{FxHashMap, FxHashSet};

/// A lock's cell in static memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell {
    /// The object.
    pub object: ObjectId,
    /// Whether the cell is in the object's ghost.
    pub ghost: bool,
    /// Its offset in bytes.
    pub offset: i64,
}

/// The locks held at each edge.
#[derive(Clone, Debug)]
pub struct Locksets {
    cells: Vec<Cell>,
    held: IdVec<FunctionId, IdVec<LocId, Bits>>,
    froms: IdVec<FunctionId, IdVec<EdgeId, LocId>>,
}

impl Locksets {
    /// Analyses a program.
    pub fn new(program: &Program, points_to: &PointsTo) -> Locksets {
        let finder = Finder::new(program, points_to);
        let changes = finder.changes();
        let on_entry = finder.held_on_entry(&changes);
        Locksets {
            held: finder.held(&changes, &on_entry),
            cells: finder.cells,
            froms: program.functions.iter().map(|f| f.edges.iter().map(|edge| edge.from).collect()).collect(),
        }
    }

    /// The cells that a thread certainly holds when it is about to execute an edge; none if the edge is not reachable.
    pub fn held(&self, function: FunctionId, edge: EdgeId) -> Vec<Cell> {
        let bits = &self.held[function][self.froms[function][edge]];
        self.cells.iter().enumerate().filter(|(index, _)| bits.contains(*index)).map(|(_, cell)| *cell).collect()
    }
}

/// A set of cells, by index.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Bits(Box<[u64]>);

impl Bits {
    fn none(len: usize) -> Bits {
        Bits(vec![0; len.div_ceil(64)].into())
    }

    fn all(len: usize) -> Bits {
        Bits(vec![u64::MAX; len.div_ceil(64)].into())
    }

    fn contains(&self, index: usize) -> bool {
        self.0[index / 64] >> (index % 64) & 1 == 1
    }

    fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    fn remove(&mut self, index: usize) {
        self.0[index / 64] &= !(1 << (index % 64));
    }

    fn zip(&self, other: &Bits, combine: fn(u64, u64) -> u64) -> Bits {
        Bits(self.0.iter().zip(&other.0).map(|(a, b)| combine(*a, *b)).collect())
    }

    fn union(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a | b)
    }

    fn intersection(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a & b)
    }

    fn without(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a & !b)
    }
}

/// The effect on locks since a context was entered.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Change {
    /// Certainly acquired and not released.
    taken: Bits,
    /// May have been released.
    given: Bits,
}

impl summaries::Change for Change {
    fn then(&self, next: &Change) -> Change {
        Change { taken: self.taken.without(&next.given).union(&next.taken), given: self.given.union(&next.given) }
    }

    fn or(&self, other: &Change) -> Change {
        Change { taken: self.taken.intersection(&other.taken), given: self.given.union(&other.given) }
    }
}

impl Change {
    fn apply(&self, held: &Bits) -> Bits {
        held.without(&self.given).union(&self.taken)
    }
}

struct Finder<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    cells: Vec<Cell>,
    /// Own effects on locks; edges without effects are absent.
    effects: FxHashMap<(ContextId, EdgeId), Change>,
}

impl<'a> Finder<'a> {
    fn new(program: &'a Program, points_to: &'a PointsTo) -> Self {
        let mut finder = Finder { program, points_to, cells: Vec::new(), effects: FxHashMap::default() };
        let constants = Constants::new(program, points_to);
        let mut taken = FxHashMap::default();
        for context in points_to.contexts().ids() {
            for (edge, item) in finder.function(context).edges.enumerate() {
                if let Stmt::Lock { ptr } = &item.stmt {
                    if let Some(Value::Cell(cell)) = constants.eval(context, edge, ptr, 0) {
                        taken.insert((context, edge), cell);
                        finder.cells.push(cell);
                    }
                }
            }
        }
        finder.cells.sort_unstable();
        finder.cells.dedup();
        finder.find_effects(&constants, &taken);
        finder
    }

    fn function(&self, context: ContextId) -> &'a crate::program::Function {
        &self.program.functions[self.points_to.contexts().function(context)]
    }

    fn nothing(&self) -> Change {
        Change { taken: Bits::none(self.cells.len()), given: Bits::none(self.cells.len()) }
    }

    fn find_effects(&mut self, constants: &Constants<'_>, taken: &FxHashMap<(ContextId, EdgeId), Cell>) {
        if self.cells.is_empty() {
            return;
        }
        for context in self.points_to.contexts().ids() {
            for (edge, item) in self.function(context).edges.enumerate() {
                let mut effect = self.nothing();
                // The write of `Lock` is handled below; it releases no lock of another thread.
                let is_lock = matches!(item.stmt, Stmt::Lock { .. });
                for touch in item.stmt.touches().into_iter().filter(|touch| touch.writes && !is_lock) {
                    let bytes = touch.ty.map(|ty| ty.bytes(self.program.data_model.pointer_bytes()));
                    self.give_up(constants, context, edge, touch.ptr, bytes, &mut effect.given);
                }
                if let Some(cell) = taken.get(&(context, edge)) {
                    let index = self.cells.binary_search(cell).expect("cells that are locked should be numbered");
                    effect.taken.insert(index);
                    effect.given.remove(index);
                }
                if effect != self.nothing() {
                    self.effects.insert((context, edge), effect);
                }
            }
        }
    }

    /// Adds the cells that a write may touch.
    fn give_up(
        &self,
        constants: &Constants<'_>,
        context: ContextId,
        edge: EdgeId,
        ptr: &Expr,
        bytes: Option<u64>,
        given: &mut Bits,
    ) {
        let exact = constants.eval(context, edge, ptr, 0);
        if let (Some(Value::Cell(written)), Some(bytes)) = (exact, bytes) {
            for (index, cell) in self.cells.iter().enumerate() {
                let is_same_memory = (cell.object, cell.ghost) == (written.object, written.ghost);
                let ends_before = written.offset.saturating_add_unsigned(bytes) <= cell.offset;
                let starts_after = cell.offset.saturating_add(LOCK_BYTES) <= written.offset;
                if is_same_memory && !ends_before && !starts_after {
                    given.insert(index);
                }
            }
            return;
        }
        let targets = self.points_to.targets(context, ptr);
        let is_anything = targets.iter().any(|target| matches!(target, Target::Unknown | Target::Everything));
        for (index, cell) in self.cells.iter().enumerate() {
            let of_cell = Target::Object { memory: Memory::Static(cell.object), context: None, ghost: cell.ghost };
            if is_anything || targets.contains(&of_cell) {
                given.insert(index);
            }
        }
    }

    /// The effect up to each location, for contexts that use locks, themselves or through callees.
    fn changes(&self) -> Changes<Change> {
        let summaries = Summaries {
            program: self.program,
            points_to: self.points_to,
            effects: &self.effects,
            impossible: &FxHashSet::default(),
            nothing: self.nothing(),
        };
        summaries.changes()
    }

    /// The locks held on every entry of a context: a greatest fixpoint. `None` if it is never entered.
    fn held_on_entry(&self, changes: &Changes<Change>) -> IdVec<ContextId, Option<Bits>> {
        let contexts = self.points_to.contexts();
        let mut held = IdVec::filled(Bits::all(self.cells.len()), contexts.len());
        let mut work = vec![self.points_to.entry()];
        for context in contexts.ids() {
            for (edge, _) in self.function(context).edges.enumerate() {
                work.extend(self.points_to.spawned(context, edge));
            }
        }
        for &entry in &work {
            held[entry] = Bits::none(self.cells.len());
        }
        let mut is_visited: IdVec<ContextId, bool> = IdVec::filled(false, contexts.len());
        while let Some(context) = work.pop() {
            is_visited[context] = true;
            for (edge, item) in self.function(context).edges.enumerate() {
                for &callee in self.points_to.callees(context, edge) {
                    let Some(before) = held_at(&changes[context], item.from, &held[context]) else { continue };
                    let merged = held[callee].intersection(&before);
                    if merged != held[callee] || !is_visited[callee] {
                        held[callee] = merged;
                        work.push(callee);
                    }
                }
            }
        }
        held.iter().zip(is_visited.iter()).map(|(bits, visited)| visited.then(|| bits.clone())).collect()
    }

    /// The locks held at each location, in all contexts of its function.
    fn held(
        &self,
        changes: &Changes<Change>,
        on_entry: &IdVec<ContextId, Option<Bits>>,
    ) -> IdVec<FunctionId, IdVec<LocId, Bits>> {
        let contexts = self.points_to.contexts();
        let none = || Bits::none(self.cells.len());
        let mut held: IdVec<FunctionId, IdVec<LocId, Bits>> = IdVec::new();
        for (id, function) in self.program.functions.enumerate() {
            let mut at: IdVec<LocId, Option<Bits>> = IdVec::filled(None, function.locs);
            for &context in contexts.of_function(id) {
                let Some(on_entry) = &on_entry[context] else { continue };
                for index in 0..function.locs {
                    let loc = LocId::new(index);
                    if let Some(now) = held_at(&changes[context], loc, on_entry) {
                        at[loc] = Some(at[loc].as_ref().map_or(now.clone(), |old| old.intersection(&now)));
                    }
                }
            }
            held.push(at.iter().map(|bits| bits.clone().unwrap_or_else(none)).collect());
        }
        held
    }
}

/// The locks held at a location of a context; `None` if it is not reached.
fn held_at(changes: &Option<IdVec<LocId, Option<Change>>>, loc: LocId, on_entry: &Bits) -> Option<Bits> {
    match changes {
        None => Some(on_entry.clone()),
        Some(changes) => changes[loc].as_ref().map(|change| change.apply(on_entry)),
    }
}

/// The size of a lock's cell.
const LOCK_BYTES: i64 = 4;

/// A value that is the same in every run.
#[derive(Clone, Copy, Debug)]
enum Value {
    Int { width: u16, value: u128 },
    Cell(Cell),
}

/// Evaluates constants of a context: through locals that are assigned once, and through parameters of functions that
/// have a context of their own.
struct Constants<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    /// Per function and local: the only edge that changes it, or none, or several.
    definitions: IdVec<FunctionId, IdVec<LocalId, Definition>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Definition {
    None,
    One(EdgeId),
    Several,
}

/// Maximum number of definitions and calls that are followed.
const DEPTH: usize = 100;

impl<'a> Constants<'a> {
    fn new(program: &'a Program, points_to: &'a PointsTo) -> Self {
        let definitions = program
            .functions
            .iter()
            .map(|function| {
                let mut definitions = IdVec::filled(Definition::None, function.locals.len());
                for (id, edge) in function.edges.enumerate() {
                    for local in edge.stmt.writes() {
                        definitions[local] = match definitions[local] {
                            Definition::None => Definition::One(id),
                            Definition::One(_) | Definition::Several => Definition::Several,
                        };
                    }
                }
                definitions
            })
            .collect();
        Constants { program, points_to, definitions }
    }

    /// The value of an expression at an edge.
    fn eval(&self, context: ContextId, edge: EdgeId, expr: &Expr, depth: usize) -> Option<Value> {
        if depth > DEPTH {
            return None;
        }
        let int = |expr: &Expr| match self.eval(context, edge, expr, depth + 1)? {
            Value::Int { width, value } => Some((width, value)),
            Value::Cell(_) => None,
        };
        let cell = |expr: &Expr| match self.eval(context, edge, expr, depth + 1)? {
            Value::Cell(cell) => Some(cell),
            Value::Int { .. } => None,
        };
        match expr {
            Expr::Int { width, value } => Some(Value::Int { width: *width, value: *value }),
            Expr::Object(object) if self.program.objects[*object].kind != ObjectKind::ThreadLocal => {
                Some(Value::Cell(Cell { object: *object, ghost: false, offset: 0 }))
            }
            Expr::Local(local) => self.local(context, edge, *local, depth),
            Expr::Offset { base, bytes } => {
                let (cell, (width, bytes)) = (cell(base)?, int(bytes)?);
                let offset = cell.offset.checked_add(i64::try_from(arith::signed(width, bytes)).ok()?)?;
                Some(Value::Cell(Cell { offset, ..cell }))
            }
            Expr::Ghost(arg) => {
                let cell = cell(arg).filter(|cell| !cell.ghost)?;
                Some(Value::Cell(Cell { ghost: true, offset: cell.offset.checked_mul(4)?, ..cell }))
            }
            Expr::Binary { op, ty: Type::Int(width), lhs, rhs } => {
                let value = arith::binary(*op, *width, int(lhs)?.1, int(rhs)?.1)?;
                Some(Value::Int { width: if op.is_comparison() { 1 } else { *width }, value })
            }
            Expr::Cast { op, from: Type::Int(from), to: Type::Int(to), arg } => {
                Some(Value::Int { width: *to, value: arith::cast(*op, *from, *to, int(arg)?.1)? })
            }
            Expr::Null
            | Expr::Object(_)
            | Expr::Function(_)
            | Expr::SelfThread
            | Expr::Unary { .. }
            | Expr::Binary { .. }
            | Expr::Cast { .. }
            | Expr::Select { .. } => None,
        }
    }

    fn local(&self, context: ContextId, edge: EdgeId, local: LocalId, depth: usize) -> Option<Value> {
        let id = self.points_to.contexts().function(context);
        let function = &self.program.functions[id];
        let param = function.params.iter().position(|&param| param == local);
        match (self.definitions[id][local], param) {
            (Definition::None, Some(index)) => {
                let (caller, call) = self.points_to.contexts().caller(context)?;
                let stmt = &self.program.functions[self.points_to.contexts().function(caller)].edges[call].stmt;
                let (Stmt::Call { callee: Callee::Direct(_), args, .. } | Stmt::Spawn { args, .. }) = stmt else {
                    return None;
                };
                self.eval(caller, call, args.get(index)?, depth + 1)
            }
            (Definition::One(definition), None) => {
                let Stmt::Assign { value, .. } = &function.edges[definition].stmt else { return None };
                if !comes_first(function, definition, edge) {
                    return None;
                }
                self.eval(context, definition, value, depth + 1)
            }
            (Definition::None | Definition::One(_) | Definition::Several, _) => None,
        }
    }
}

/// Whether every path from the entry to one edge takes another first.
fn comes_first(function: &crate::program::Function, first: EdgeId, then: EdgeId) -> bool {
    let out = function.edges_out();
    let goal = function.edges[then].from;
    let mut is_seen = IdVec::filled(false, function.locs);
    let mut work = vec![function.entry];
    while let Some(loc) = work.pop() {
        if loc == goal {
            return false;
        }
        if !std::mem::replace(&mut is_seen[loc], true) {
            work.extend(out[loc].iter().filter(|&&edge| edge != first).map(|&edge| function.edges[edge].to));
        }
    }
    true
}
