//! Partial writes: a loop that clears a structure byte by byte while a mutex in it is in use, `sprintf` into an array
//! that lies over one, a store through a pointer to glibc's internal fields.
//!
//! The positions of writes and locks are compared as distances from a common origin of both pointers. If constants do
//! not determine the distance, it is computed at run time. For locks in arrays, and for pointers that are advanced, a
//! divisor of the distance is known; a write that may overlap one is not modelled. Not detected: pointers that are
//! computed in other ways than by adding to one that the function does not change.

use super::trace::{Origin, Tracer};
use super::{moved, Call, Check, Kind, Stride, Write, LARGEST_CELL};
use base::Id;
use ir::analysis::{ContextId, Memory, Target};
use ir::{BinaryOp, Expr, FunctionId, Initial, LocalId, Program, Stmt, Symbol, SyncObject, Type};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::collections::BTreeSet;

/// The position of a synchronisation object.
struct Lock {
    /// From the beginning of the object, by assumption.
    begin: i64,
    /// The distance between locks in an array.
    stride: Stride,
    kind: &'static Kind,
    bytes: i64,
    /// The calls on it.
    calls: Vec<usize>,
}

/// Parameters, and the variables that save their initial values.
pub(super) type Saved = Vec<(FunctionId, LocalId, LocalId)>;

/// A write that may change a part of an object.
pub(super) struct Part {
    /// The calls on that object.
    pub(super) calls: Vec<usize>,
    pub(super) check: Check,
}

/// The result: the partial writes with their numbers, the saved parameters, and whether indices are trusted to stay in
/// their arrays.
pub(super) struct Found {
    pub(super) parts: Vec<(usize, Part)>,
    pub(super) saved: Saved,
    pub(super) relies_on_arrays: bool,
}

/// Finds partial writes.
pub(super) fn find<'a>(
    program: &'a Program,
    tracer: &mut Tracer<'a>,
    calls: &[Call<'a>],
    writes: &[&Write<'a>],
) -> Found {
    let locks = Locks::new(program, tracer, calls);
    let mut saved = Saved::new();
    let mut parts = Vec::new();
    for (number, write) in writes.iter().enumerate() {
        if write.memory.iter().all(|target| !locks.known.contains_key(target)) {
            continue;
        }
        let mut seen = BTreeSet::new();
        for &(context, _) in &write.sites {
            for Meeting { lock, way } in locks.meets(program, tracer, calls, write, context) {
                if !seen.insert((lock.kind.object, way)) {
                    continue;
                }
                let check = match way {
                    Way::Unknown => Check::Vague { kind: lock.kind },
                    Way::Behind(begin, stride, place) => {
                        let Some((root, ..)) = tracer.base(write.site.0, write.pointer) else { continue };
                        let is_certain = stride == Stride::NONE && locks.have_room(tracer, write, lock, root, begin);
                        let first = tracer.changed_parameter(write.site.0, root);
                        let root = first.map_or(root.clone(), |param| save(program, &mut saved, write.site.0, param));
                        match stride {
                            Stride::NONE => check(program, write, lock, &root, ((begin, place), is_certain)),
                            _ => check_array(program, write, lock, &root, (begin, stride)),
                        }
                    }
                };
                parts.push((number, Part { calls: lock.calls.clone(), check }));
            }
        }
    }
    Found { parts, saved, relies_on_arrays: locks.relies_on_arrays.get() }
}

/// The variable that saves the initial value of a parameter.
fn save(program: &Program, saved: &mut Saved, function: FunctionId, param: LocalId) -> Expr {
    let of_function = || saved.iter().filter(|item| item.0 == function);
    let known = of_function().find(|item| item.1 == param).map(|item| item.2);
    let next = LocalId::new(program.functions[function].locals.len() + of_function().count());
    let local = known.unwrap_or_else(|| {
        saved.push((function, param, next));
        next
    });
    Expr::Local(local)
}

/// An offset in an object: a constant, and the stride of the rest.
type Inside = (i64, Stride);

/// The targets of pointers that are kept in memory or come out of threads.
struct Kept {
    places: FxHashMap<Target, BTreeSet<Inside>>,
    beginning: BTreeSet<Inside>,
}

impl Kept {
    fn new<'a>(program: &'a Program, tracer: &mut Tracer<'a>) -> Kept {
        let mut kept = Kept { places: FxHashMap::default(), beginning: BTreeSet::from([(0, Stride::NONE)]) };
        let mut moved = Vec::new();
        for (function, item) in program.functions.enumerate() {
            let contexts = tracer.points_to.contexts().of_function(function).to_vec();
            let pointers = item.edges.iter().flat_map(|edge| kept_by(&edge.stmt));
            for (pointer, &context) in
                pointers.flat_map(|pointer| contexts.iter().map(move |context| (pointer, context)))
            {
                for origin in tracer.places(context, pointer) {
                    let place = (origin.constant, origin.stride);
                    for target in tracer.points_to.targets(origin.context, origin.root) {
                        if tracer.is_kept(&origin) {
                            moved.push((target, place));
                        } else {
                            kept.places.entry(target).or_default().insert(place);
                        }
                    }
                }
            }
        }
        for object in program.objects.iter() {
            let Initial::Bytes { relocations, .. } = &object.initial else { continue };
            for relocation in relocations {
                if let Symbol::Object(to) = relocation.symbol {
                    let memory = Memory::Static(to);
                    let target = Target::Object { memory, context: None, ghost: false };
                    let place = (relocation.offset, Stride::NONE);
                    kept.places.entry(target).or_default().insert(place);
                }
            }
        }
        kept.add_all(moved);
        kept
    }

    /// The summands of a kept pointer apply to the targets of computed pointers, or to the beginning.
    fn add_all(&mut self, moved: Vec<(Target, Inside)>) {
        let computed = self.places.clone();
        for (target, (constant, stride)) in moved {
            let places = self.places.entry(target).or_default();
            for &(first, step) in computed.get(&target).unwrap_or(&self.beginning) {
                places.insert((first.saturating_add(constant), step.and(stride)));
            }
        }
    }

    /// The offsets in an object that a pointer with this origin may have.
    fn inside(&self, tracer: &Tracer<'_>, origin: &Origin<'_>, target: Target) -> &BTreeSet<Inside> {
        self.places.get(&target).filter(|_| tracer.is_kept(origin)).unwrap_or(&self.beginning)
    }
}

/// The pointers that a statement stores where they are not tracked.
fn kept_by(stmt: &Stmt) -> Vec<&Expr> {
    match stmt {
        Stmt::Store { ty: Type::Ptr, value, .. } | Stmt::Rmw { ty: Type::Ptr, value, .. } => vec![value],
        Stmt::CompareExchange { ty: Type::Ptr, desired, .. } => vec![desired],
        Stmt::ExitThread(value) => vec![value],
        _ => Vec::new(),
    }
}

/// A write that may overlap a lock.
struct Meeting<'l> {
    lock: &'l Lock,
    way: Way,
}

/// How the position of a lock is computed from that of a write.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// The distance of the lock from the root of the write, the distance between locks in an array, and the distance of
    /// the write from the root, if constant.
    Behind(i64, Stride, Option<i64>),
    Unknown,
}

/// The positions of locks.
struct Locks {
    known: FxHashMap<Target, Vec<Lock>>,
    kept: Kept,
    /// Whether an index was trusted to stay in its array.
    relies_on_arrays: Cell<bool>,
}

impl Locks {
    fn new<'a>(program: &'a Program, tracer: &mut Tracer<'a>, calls: &[Call<'a>]) -> Locks {
        let mut known: FxHashMap<Target, Vec<Lock>> = FxHashMap::default();
        let kept = Kept::new(program, tracer);
        for (number, call) in calls.iter().enumerate() {
            for &(context, _) in &call.sites {
                for origin in tracer.places(context, call.pointer) {
                    for target in tracer.points_to.targets(origin.context, origin.root) {
                        for &(constant, stride) in kept.inside(tracer, &origin, target) {
                            let (begin, stride) = (origin.constant.saturating_add(constant), origin.stride.and(stride));
                            let lock = Lock { begin, stride, kind: call.kind, bytes: call.bytes, calls: vec![number] };
                            add(known.entry(target).or_default(), lock);
                        }
                    }
                }
            }
        }
        Locks { known, kept, relies_on_arrays: Cell::new(false) }
    }

    /// The locks that a write may overlap.
    fn meets<'a>(
        &self,
        program: &Program,
        tracer: &mut Tracer<'a>,
        calls: &[Call<'a>],
        write: &Write<'a>,
        context: ContextId,
    ) -> Vec<Meeting<'_>> {
        let base = tracer.base(write.site.0, write.pointer);
        let (places, from, stride) = match base {
            Some((root, from, stride)) => (tracer.places_of_base(context, root), from, stride),
            None => (tracer.places(context, write.pointer), 0, Stride::NONE),
        };
        let mut found = Vec::new();
        for origin in places {
            for target in tracer.points_to.targets(origin.context, origin.root) {
                let Some(locks) = self.known.get(&target) else { continue };
                // Only ranges, not numbers, are written through a pointer to a lock.
                let is_range = write.bytes.is_none_or(|bytes| bytes > LARGEST_CELL as u64);
                let begins = |(constant, stride): &&Inside| {
                    locks.iter().any(|lock| lock.begin == *constant && lock.stride.step == stride.step)
                };
                let inside = self.kept.inside(tracer, &origin, target);
                let mut inside: Vec<Inside> =
                    inside.iter().filter(|inside| is_range || !begins(inside)).copied().collect();
                if inside.is_empty() {
                    inside.push((0, Stride::NONE));
                }
                for (constant, inside) in inside {
                    // If a pointer cannot be tracked, its summands are part of the position of the write.
                    let (begins, from, stride, inside) = match base {
                        Some(_) => (origin.constant.saturating_add(constant), from, stride, origin.stride.and(inside)),
                        None => (constant, origin.constant, origin.stride, inside),
                    };
                    for lock in locks {
                        let begin = lock.begin.saturating_sub(begins);
                        let each = lock.stride.and(inside);
                        let is_known = |call: &usize| {
                            calls[*call].place_in(program, write.position, write.bytes, &write.memory).is_some()
                        };
                        let meets = may_meet(lock, write, (begin, each), (from, stride));
                        if meets == Meets::No || lock.calls.iter().any(is_known) {
                            continue;
                        }
                        if meets == Meets::OutOfArray {
                            self.relies_on_arrays.set(true);
                            continue;
                        }
                        let place = (stride == Stride::NONE).then_some(from);
                        let is_computed = base.is_some() && (each == Stride::NONE || each.step as i64 >= lock.bytes);
                        let way = if is_computed { Way::Behind(begin, each, place) } else { Way::Unknown };
                        // Elements larger than a byte are written by an index into an array, which is assumed to be in
                        // bounds.
                        let is_index = if is_computed { stride.step > 1 } else { inside.and(stride).step > 1 };
                        let is_array = !is_computed || each != Stride::NONE;
                        if is_array && is_index && !is_over(lock, write, (begin, each), from) {
                            self.relies_on_arrays.set(true);
                            continue;
                        }
                        found.push(Meeting { lock, way });
                    }
                }
            }
        }
        found
    }

    /// Whether every target of a write has room for such a lock at this distance, so that its state can be inspected.
    /// Where there is no room it is not in use.
    fn have_room<'a>(
        &self,
        tracer: &mut Tracer<'a>,
        write: &Write<'a>,
        lock: &Lock,
        root: &'a Expr,
        begin: i64,
    ) -> bool {
        let contexts: Vec<ContextId> = write.sites.iter().map(|site| site.0).collect();
        contexts.into_iter().all(|context| {
            tracer.places_of_base(context, root).into_iter().all(|origin| {
                let targets = tracer.points_to.targets(origin.context, origin.root);
                targets.into_iter().all(|target| {
                    let Target::Object { memory, context, .. } = target else { return false };
                    let size = tracer.size(memory, context);
                    self.kept.inside(tracer, &origin, target).iter().all(|&(constant, stride)| {
                        let own = begin.saturating_add(origin.constant).saturating_add(constant);
                        let is_exact = origin.stride.and(stride) == Stride::NONE;
                        is_exact && own >= 0 && size.is_some_and(|size| size >= i128::from(own + lock.bytes))
                    })
                })
            })
        })
    }
}

/// Adds a lock to those of an object.
fn add(known: &mut Vec<Lock>, lock: Lock) {
    let is_same = |item: &&mut Lock| item.begin == lock.begin && item.stride == lock.stride && item.kind == lock.kind;
    match known.iter_mut().find(is_same) {
        Some(same) => {
            for call in lock.calls {
                if !same.calls.contains(&call) {
                    same.calls.push(call);
                }
            }
        }
        None => known.push(lock),
    }
}

/// Whether a write from an offset on covers a lock at another offset, or one of an array, if nothing else is added.
fn is_over(lock: &Lock, write: &Write<'_>, (begin, each): (i64, Stride), from: i64) -> bool {
    let bytes = write.bytes.map_or(i64::MAX, |bytes| i64::try_from(bytes).unwrap_or(i64::MAX));
    let one = from < begin.saturating_add(lock.bytes) && begin < from.saturating_add(bytes);
    let place = each.remainder(from.wrapping_sub(begin));
    let other =
        each.step as i64 >= lock.bytes && (place < lock.bytes || place.saturating_add(bytes) > each.step as i64);
    one || other
}

/// Whether a write may overlap a lock.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meets {
    Yes,
    No,
    /// Only if an index leads out of its array.
    OutOfArray,
}

/// Whether a write from an offset on may overlap a lock at another offset, both relative to one root; with the stride
/// of each.
fn may_meet(lock: &Lock, write: &Write<'_>, (begin, each): (i64, Stride), (from, stride): (i64, Stride)) -> Meets {
    let bytes = write.bytes.map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX));
    // Numbers in structures are written all the time, spin locks never.
    if (each != Stride::NONE || stride == Stride::NONE) && bytes != Some(1) && lock.kind.object == SyncObject::SpinLock
    {
        return Meets::No;
    }
    if each == Stride::NONE {
        let is_variable = stride != Stride::NONE;
        let is_behind = from >= begin.saturating_add(lock.bytes);
        // A lock that lies before it may be in the same array, if its elements have room for one.
        if is_behind && is_variable {
            let is_in_array = stride.widest >= lock.bytes as u64;
            return if is_in_array { Meets::Yes } else { Meets::OutOfArray };
        }
        let is_before = !is_variable && bytes.is_some_and(|bytes| from.saturating_add(bytes) <= begin);
        // A range that begins before it is checked from its beginning.
        let is_whole = bytes.is_none() && !is_variable && from <= begin;
        if is_behind || is_before || is_whole {
            return Meets::No;
        }
    }
    let common = each.and(stride);
    let place = common.remainder(from.wrapping_sub(begin));
    let is_over = place < lock.bytes || place.saturating_add(bytes.unwrap_or(i64::MAX)) > common.step as i64;
    if common == Stride::NONE || is_over {
        Meets::Yes
    } else {
        Meets::No
    }
}

/// The distance of a lock from the root of a write, and the distance of the write, if constant.
type Distance = (i64, Option<i64>);

/// The check after a write. Where it may be to another object of unknown size, the state of a lock is inspected only if
/// that cannot lead out of the object.
fn check(
    program: &Program,
    write: &Write<'_>,
    lock: &Lock,
    root: &Expr,
    ((begin, place), is_certain): (Distance, bool),
) -> Check {
    let at = moved(program, root, begin as u128);
    let bytes = write.bytes.unwrap_or(1).max(1) as i64;
    // A byte of a place in an object is enough for the place to have a record.
    let is_far = |place: i64| begin >= 0 && place + bytes > begin;
    let one = match is_certain || begin >= 0 && place.is_none_or(is_far) {
        true => Check::Written { at: at.clone(), kind: lock.kind, is_zero: false, source: None },
        false => Check::Vague { kind: lock.kind },
    };
    if place.is_some() {
        return one;
    }
    let width = program.data_model.pointer_width();
    let number = |number: i64| Expr::int(width, number as u128);
    let size = Type::Int(width);
    let distance = match write.pointer {
        Expr::Offset { base, bytes } if **base == *root => {
            Expr::binary(BinaryOp::Sub, size, (**bytes).clone(), number(begin))
        }
        pointer => Expr::binary(BinaryOp::Sub, Type::Ptr, pointer.clone(), at),
    };
    let last = Expr::binary(BinaryOp::Add, size, distance, number(bytes - 1));
    let cond = Expr::binary(BinaryOp::Ult, size, last, number(lock.bytes + bytes - 1));
    Check::If { cond, one: Box::new(one) }
}

/// The same for locks in an array. The written element is computed from the distance.
fn check_array(program: &Program, write: &Write<'_>, lock: &Lock, root: &Expr, (begin, each): (i64, Stride)) -> Check {
    let check = |at: Expr| Box::new(Check::Written { at, kind: lock.kind, is_zero: false, source: None });
    let stmt = &program.functions[write.site.0].edges[write.site.1].stmt;
    if let Stmt::Copy { len, .. } | Stmt::Set { len, .. } = stmt {
        return Check::All { len: len.clone(), one: check(write.pointer.clone()) };
    }
    let width = program.data_model.pointer_width();
    let size = Type::Int(width);
    let number = |number: i64| Expr::int(width, number as u128);
    // Whether there is one before the root is not known where the root may be any element: then it is looked at if it
    // is not.
    let is_first = each.step == lock.stride.step;
    let first = if is_first { begin } else { each.remainder(begin) - each.step as i64 };
    let from_root = match write.pointer {
        Expr::Offset { base, bytes } if **base == *root => (**bytes).clone(),
        pointer => Expr::binary(BinaryOp::Sub, Type::Ptr, pointer.clone(), root.clone()),
    };
    let distance = Expr::binary(BinaryOp::Sub, size, from_root.clone(), number(first));
    let place = Expr::binary(BinaryOp::Urem, size, distance.clone(), number(each.step as i64));
    let at = Expr::offset(write.pointer.clone(), Expr::binary(BinaryOp::Sub, size, number(0), place.clone()));
    let is_behind = match is_first {
        true => Expr::binary(BinaryOp::Sle, size, number(0), distance),
        false => Expr::binary(BinaryOp::Ule, size, place.clone(), from_root),
    };
    let is_inside = Expr::binary(BinaryOp::Ult, size, place, number(lock.bytes));
    let cond = Expr::binary(BinaryOp::And, Type::BOOL, is_behind, is_inside);
    Check::If { cond, one: check(at) }
}
