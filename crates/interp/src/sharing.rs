//! What is visible to other threads: which objects are shared, which statements are visible, and what each thread may
//! still access from its location. Everything comes from the static analyses of `ir`, so it over-approximates.

use crate::state::{State, Status};
use crate::value::{ObjRef, Pointer};
use base::IdVec;
use ir::analysis::{Analyses, Escape, Memory, PointsTo};
use ir::{AllocKind, EdgeId, Expr, FunctionId, LocId, ObjectId, ObjectKind, Order, Program, Stmt, StmtKind, Type};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The target of an access, as far as it is distinguished.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Spot {
    /// An object, or all objects of an allocation site, or their ghosts.
    Memory(Memory, bool),
    /// The hidden location of seq_cst fences.
    Fence,
    /// The set of free thread numbers.
    Numbers,
    /// Anything.
    Anywhere,
}

impl Spot {
    /// The spot of a pointer; `site` is the allocation that made a dynamic object.
    pub(crate) fn of(pointer: Pointer, site: Option<(FunctionId, EdgeId)>) -> Spot {
        match (pointer.object, site) {
            (ObjRef::Static(object) | ObjRef::ThreadLocal(_, object), _) => {
                Spot::Memory(Memory::Static(object), pointer.ghost)
            }
            (ObjRef::Dynamic(..), Some((function, edge))) => Spot::Memory(Memory::Site(function, edge), pointer.ghost),
            (ObjRef::Dynamic(..) | ObjRef::Null | ObjRef::Function(_), _) => Spot::Anywhere,
        }
    }
}

/// A kind of access: the spot, the bytes if they are known, and whether it writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Footprint {
    pub(crate) spot: Spot,
    pub(crate) bytes: Option<(i64, i64)>,
    pub(crate) write: bool,
}

impl Footprint {
    fn conflicts(&self, other: &Footprint) -> bool {
        let apart = match (self.bytes, other.bytes) {
            (Some((a, b)), Some((c, d))) => self.spot == other.spot && (b <= c || d <= a),
            (_, _) => false,
        };
        (self.write || other.write) && !apart
    }
}

/// A set of footprints, as bits.
type Set = Vec<u64>;

/// The result of the sharing analysis.
#[derive(Debug)]
pub(crate) struct Sharing {
    escape: Escape,
    /// For each location of each function, the footprints of possible later statements, callees and started threads
    /// included.
    futures: IdVec<FunctionId, IdVec<LocId, Set>>,
    /// The numbers of the footprints of each spot.
    by_spot: FxHashMap<Spot, Vec<usize>>,
    footprints: Vec<Footprint>,
}

impl Sharing {
    pub(crate) fn new(program: &Program) -> Sharing {
        let (points_to, .., escape) = Analyses::new(program).into_parts();
        let mut finder = Finder { program, points_to: &points_to, escape: &escape, numbers: BTreeMap::new() };
        let edges: IdVec<FunctionId, IdVec<EdgeId, Vec<usize>>> = program
            .functions
            .ids()
            .map(|function| program.functions[function].edges.ids().map(|edge| finder.edge(function, edge)).collect())
            .collect();
        let mut footprints: Vec<(usize, Footprint)> = finder.numbers.iter().map(|(print, id)| (*id, *print)).collect();
        footprints.sort_unstable();
        let footprints: Vec<Footprint> = footprints.into_iter().map(|(_, print)| print).collect();
        let mut by_spot: FxHashMap<Spot, Vec<usize>> = FxHashMap::default();
        for (number, print) in footprints.iter().enumerate() {
            by_spot.entry(print.spot).or_default().push(number);
        }
        let futures = futures(program, &points_to, &edges, footprints.len());
        Sharing { escape, futures, by_spot, footprints }
    }

    /// Whether threads other than its owner may access a static object.
    pub(crate) fn is_shared_object(&self, object: ObjectId) -> bool {
        self.escape.is_shared_object(object)
    }

    /// Whether threads other than its owner may access what an `Alloc` makes.
    pub(crate) fn is_shared_site(&self, function: FunctionId, edge: EdgeId) -> bool {
        self.escape.is_shared_site(function, edge)
    }

    /// Whether a statement may be visible to other threads.
    pub(crate) fn is_visible(&self, function: FunctionId, edge: EdgeId, is_last_frame: bool) -> bool {
        self.escape.is_visible(function, edge, is_last_frame)
    }

    /// Whether another thread may still make a conflicting access.
    pub(crate) fn is_contended(&self, state: &State, number: u32, access: &Footprint) -> bool {
        let others = state.threads.iter().enumerate().filter(|(index, _)| *index as u32 + 1 != number);
        others.filter_map(|(_, thread)| thread.as_ref()).any(|thread| {
            thread.status == Status::Running
                && (!thread.buffer.is_empty()
                    || thread.fence_due
                    || thread
                        .frames
                        .iter()
                        .any(|frame| self.may_follow(&self.futures[frame.function][frame.loc], access)))
        })
    }

    fn may_follow(&self, future: &Set, access: &Footprint) -> bool {
        let has = |number: &usize| future[*number / 64] >> (*number % 64) & 1 == 1;
        let at = |spot: Spot| self.by_spot.get(&spot).map_or(&[][..], Vec::as_slice);
        if access.spot == Spot::Anywhere {
            return future.iter().any(|word| *word != 0);
        }
        let near = at(access.spot).iter().chain(at(Spot::Anywhere));
        near.filter(|number| self.footprints[**number].conflicts(access)).any(has)
    }
}

/// Computes the footprints of statements.
struct Finder<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    escape: &'a Escape,
    numbers: BTreeMap<Footprint, usize>,
}

impl Finder<'_> {
    fn number(&mut self, spot: Spot, bytes: Option<(i64, i64)>, write: bool) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(Footprint { spot, bytes, write }).or_insert(next)
    }

    /// The footprints of an edge's own statement.
    fn edge(&mut self, function: FunctionId, edge: EdgeId) -> Vec<usize> {
        let program = self.program;
        let stmt = &program.functions[function].edges[edge].stmt;
        let bytes_of = |ty: Type| Some(ty.bytes(program.data_model.pointer_bytes()) as i64);
        let mut found = Vec::new();
        if let Some((ptr, ty)) = stmt.cell() {
            self.access(function, ptr, bytes_of(ty), !matches!(stmt, Stmt::Load { .. }), &mut found);
        }
        match stmt {
            Stmt::Free { ptr } | Stmt::Expire { ptr } => {
                self.access(function, ptr, None, true, &mut found);
                self.access(function, &Expr::Ghost(Box::new(ptr.clone())), None, true, &mut found);
            }
            Stmt::Copy { dst, src, .. } => {
                self.access(function, dst, None, true, &mut found);
                self.access(function, src, None, false, &mut found);
            }
            Stmt::Set { dst, .. } => self.access(function, dst, None, true, &mut found),
            Stmt::Fence(order) if order.is_full_fence() => found.push(self.number(Spot::Fence, None, true)),
            Stmt::NewThread { .. } | Stmt::Join { .. } | Stmt::Detach { .. } => {
                found.push(self.number(Spot::Numbers, None, true));
            }
            Stmt::Return(_) | Stmt::ExitThread(_) => self.end_of_frames(function, stmt, &mut found),
            // Its accesses are found above, and only its own frame can name the objects it allocates.
            stmt => assert!(stmt.kind() != StmtKind::Range, "a range should have an arm"),
        }
        if is_seq_cst(stmt) {
            found.push(self.number(Spot::Fence, None, true));
        }
        found
    }

    /// Stack objects end with their function, or with all functions of a thread; the end of its first function ends a
    /// thread, its thread-local objects, and, if it is detached, frees its number.
    fn end_of_frames(&mut self, function: FunctionId, stmt: &Stmt, found: &mut Vec<usize>) {
        let mut edges = self.program.functions.iter().flat_map(|function| function.edges.iter());
        if edges.any(|edge| matches!(edge.stmt, Stmt::Detach { .. })) {
            found.push(self.number(Spot::Numbers, None, true));
        }
        for (object, item) in self.program.objects.enumerate() {
            if item.kind == ObjectKind::ThreadLocal && self.escape.is_shared_object(object) {
                for ghost in [false, true] {
                    found.push(self.number(Spot::Memory(Memory::Static(object), ghost), None, true));
                }
            }
        }
        let everywhere = matches!(stmt, Stmt::ExitThread(_));
        for (other, code) in self.program.functions.enumerate().filter(|(other, _)| everywhere || *other == function) {
            for (edge, item) in code.edges.enumerate() {
                if matches!(item.stmt, Stmt::Alloc { kind: AllocKind::Stack, .. }) {
                    for ghost in [false, true] {
                        found.push(self.number(Spot::Memory(Memory::Site(other, edge), ghost), None, true));
                    }
                }
            }
        }
    }

    fn access(&mut self, function: FunctionId, ptr: &Expr, len: Option<i64>, write: bool, found: &mut Vec<usize>) {
        if let (Some((object, offset)), Some(len)) = (constant(ptr), len) {
            let spot = Spot::Memory(Memory::Static(object), false);
            found.push(self.number(spot, Some((offset, offset + len)), write));
            return;
        }
        let pointees = self.points_to.pointees(function, ptr);
        for (memory, ghost) in pointees.objects {
            found.push(self.number(Spot::Memory(memory, ghost), None, write));
        }
        if pointees.is_unknown {
            found.push(self.number(Spot::Anywhere, None, write));
        }
    }
}

/// Whether an access implies a fence under ra.
pub(crate) fn is_seq_cst(stmt: &Stmt) -> bool {
    stmt.access_orders().any(|order| order == Order::SeqCst)
}

/// A static object and a known offset in it.
fn constant(ptr: &Expr) -> Option<(ObjectId, i64)> {
    match ptr {
        Expr::Object(object) => Some((*object, 0)),
        Expr::Offset { base, bytes } => match (constant(base)?, &**bytes) {
            ((object, offset), Expr::Int { width, value }) => {
                Some((object, offset + ir::arith::signed(*width, *value) as i64))
            }
            (_, _) => None,
        },
        Expr::Local(_)
        | Expr::Int { .. }
        | Expr::Null
        | Expr::Function(_)
        | Expr::SelfThread
        | Expr::Unary { .. }
        | Expr::Binary { .. }
        | Expr::Cast { .. }
        | Expr::Select { .. }
        | Expr::Ghost(_) => None,
    }
}

/// What may follow each location: a backward analysis over all functions, iterated until calls are accounted for.
fn futures(
    program: &Program,
    points_to: &PointsTo,
    edges: &IdVec<FunctionId, IdVec<EdgeId, Vec<usize>>>,
    count: usize,
) -> IdVec<FunctionId, IdVec<LocId, Set>> {
    let words = count.div_ceil(64);
    let mut futures: IdVec<FunctionId, IdVec<LocId, Set>> =
        program.functions.iter().map(|function| IdVec::filled(vec![0; words], function.locs)).collect();
    let called = |function: FunctionId, edge: EdgeId| -> Vec<FunctionId> {
        let contexts = points_to.contexts();
        let of = contexts.of_function(function).iter();
        of.flat_map(|context| points_to.callees(*context, edge).iter().chain(points_to.spawned(*context, edge)))
            .map(|context| contexts.function(*context))
            .collect()
    };
    let callees: IdVec<FunctionId, Vec<(EdgeId, FunctionId)>> = program
        .functions
        .enumerate()
        .map(|(id, function)| {
            function
                .edges
                .ids()
                .flat_map(|edge| called(id, edge).into_iter().map(move |callee| (edge, callee)))
                .collect()
        })
        .collect();
    loop {
        let mut changed = false;
        for (id, function) in program.functions.enumerate() {
            // Within the function: until nothing changes. Later edges first, since code mostly runs forwards.
            loop {
                let mut changed_here = false;
                for (edge, item) in function.edges.enumerate().rev() {
                    let mut all = futures[id][item.to].clone();
                    edges[id][edge].iter().for_each(|number| all[*number / 64] |= 1 << (*number % 64));
                    for (_, callee) in callees[id].iter().filter(|(at, _)| *at == edge) {
                        let entry = program.functions[*callee].entry;
                        all.iter_mut().zip(&futures[*callee][entry]).for_each(|(all, word)| *all |= word);
                    }
                    let from = &mut futures[id][item.from];
                    for (word, new) in from.iter_mut().zip(&all) {
                        changed_here |= *word | new != *word;
                        *word |= new;
                    }
                }
                changed |= changed_here;
                if !changed_here {
                    break;
                }
            }
        }
        if !changed {
            return futures;
        }
    }
}
