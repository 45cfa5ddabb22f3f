//! Writes of parts: a loop that clears a structure byte by byte while a mutex in it is in use, `sprintf` into an array that lies over one, a
//! store through a pointer to what glibc keeps in it.
//!
//! What is written and where locks are is compared as distances from what both pointers come from. If constants do not tell, the
//! distance is computed when the statement is executed. Of locks in arrays, and of pointers that are moved on, it is known what the distance is
//! a multiple of; a write that may meet one is not modelled. Not seen: pointers that are computed in other ways than by adding to one
//! that the function does not change.

use super::trace::Tracer;
use super::{moved, Call, Check, Kind, Stride, Write, SPIN};
use base::Id;
use ir::analysis::{ContextId, Memory, Target};
use ir::{BinaryOp, Expr, Function, FunctionId, Initial, LocalId, Program, Stmt, Symbol, Type};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Where something lies that threads synchronise by.
struct Lock {
    /// From the beginning of the object, as is assumed.
    begin: i64,
    /// One each so many bytes, in an array.
    stride: Stride,
    kind: &'static Kind,
    bytes: i64,
    /// The calls about it.
    calls: Vec<usize>,
}

/// Parameters as they were first, and the variables that hold them then.
pub(super) type Saved = Vec<(FunctionId, LocalId, LocalId)>;

/// A write that may change part of something.
pub(super) struct Part {
    /// The calls about that.
    pub(super) calls: Vec<usize>,
    pub(super) check: Check,
}

/// Finds writes of parts: the number of each, and the rest.
pub(super) fn find<'a>(
    program: &'a Program,
    tracer: &mut Tracer<'a>,
    calls: &[Call<'a>],
    writes: &[&Write<'a>],
) -> (Vec<(usize, Part)>, Saved) {
    let locks = locks(program, tracer, calls);
    let mut saved = Saved::new();
    let mut parts = Vec::new();
    for (number, write) in writes.iter().enumerate() {
        if write.memory.iter().all(|target| !locks.contains_key(target)) {
            continue;
        }
        let mut seen = BTreeSet::new();
        for &(context, _) in &write.sites {
            for (lock, root, distance) in meets(program, tracer, calls, &locks, write, context) {
                let Some(distance) = distance else {
                    let check = Check::Vague { kind: lock.kind };
                    parts.push((number, Part { calls: lock.calls.clone(), check }));
                    continue;
                };
                if seen.insert((lock.kind.noun, distance)) {
                    let is_certain = leads_there(tracer, &locks, write, lock, root, distance.0);
                    let first = tracer.changed_parameter(write.site.0, root);
                    let root = first.map_or(root.clone(), |param| save(program, &mut saved, write.site.0, param));
                    let check = check(program, write, lock, &root, (distance, is_certain));
                    parts.push((number, Part { calls: lock.calls.clone(), check }));
                }
            }
        }
    }
    (parts, saved)
}

/// The variable that holds a parameter as it was first.
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

/// A place in an object: a constant, and what else is added.
type Inside = (i64, Stride);

/// Where pointers lead that are kept in memory, or that a variable is one of.
struct Kept {
    places: FxHashMap<Target, BTreeSet<Inside>>,
}

impl Kept {
    fn new<'a>(program: &'a Program, tracer: &mut Tracer<'a>) -> Kept {
        let mut kept = Kept { places: FxHashMap::default() };
        let mut moved = Vec::new();
        for (function, item) in program.functions.enumerate() {
            let contexts = tracer.points_to.contexts().of_function(function).to_vec();
            let pointers = item.edges.iter().flat_map(|edge| kept_by(item, &edge.stmt));
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
                    let place = (relocation.offset as i64, Stride::NONE);
                    kept.places.entry(target).or_default().insert(place);
                }
            }
        }
        kept.add_all(moved);
        kept
    }

    /// What is added to a pointer that is kept itself is added to where those lead that are computed, or to the beginning.
    fn add_all(&mut self, moved: Vec<(Target, Inside)>) {
        let computed = self.places.clone();
        let beginning = BTreeSet::from([(0, Stride::NONE)]);
        for (target, (constant, stride)) in moved {
            let places = self.places.entry(target).or_default();
            for &(first, step) in computed.get(&target).unwrap_or(&beginning) {
                places.insert((first.saturating_add(constant), step.and(stride)));
            }
        }
    }
}

/// The pointers that a statement puts where it is not followed.
fn kept_by<'a>(function: &'a Function, stmt: &'a Stmt) -> Vec<&'a Expr> {
    match stmt {
        Stmt::Store { ty: Type::Ptr, value, .. } | Stmt::Rmw { ty: Type::Ptr, value, .. } => vec![value],
        Stmt::CompareExchange { ty: Type::Ptr, desired, .. } => vec![desired],
        Stmt::Assign { dst, value } if function.locals[*dst].ty == Type::Ptr => {
            let writing = function.edges.iter().filter(|edge| edge.stmt.writes().contains(dst));
            if writing.count() > 1 {
                vec![value]
            } else {
                Vec::new()
            }
        }
        Stmt::Return(values) => values.iter().collect(),
        Stmt::ExitThread(value) => vec![value],
        _ => Vec::new(),
    }
}

/// Where locks are.
fn locks<'a>(program: &'a Program, tracer: &mut Tracer<'a>, calls: &[Call<'a>]) -> FxHashMap<Target, Vec<Lock>> {
    let mut locks: FxHashMap<Target, Vec<Lock>> = FxHashMap::default();
    let kept = Kept::new(program, tracer);
    let none = BTreeSet::from([(0, Stride::NONE)]);
    for (number, call) in calls.iter().enumerate() {
        for &(context, _) in &call.sites {
            for origin in tracer.places(context, call.pointer) {
                // Of a pointer to something that begins where the lock does it is taken that it leads to its beginning.
                let may_lead_inside = origin.constant == 0 && tracer.is_kept(&origin);
                for target in tracer.points_to.targets(origin.context, origin.root) {
                    let known = locks.entry(target).or_default();
                    let inside = kept.places.get(&target).filter(|_| may_lead_inside).unwrap_or(&none);
                    for &(constant, stride) in inside {
                        let (begin, stride) = (origin.constant.saturating_add(constant), origin.stride.and(stride));
                        let lock = Lock { begin, stride, kind: call.kind, bytes: call.bytes, calls: vec![number] };
                        add(known, lock);
                    }
                }
            }
        }
    }
    locks
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

/// How far a lock begins behind the root of a write, and how the place of the write is computed.
type Distance = (i64, Option<i64>);

/// The locks that a write may meet, with the root of the write. Of those in arrays the distance is not known.
fn meets<'a, 'l>(
    program: &Program,
    tracer: &mut Tracer<'a>,
    calls: &[Call<'a>],
    locks: &'l FxHashMap<Target, Vec<Lock>>,
    write: &Write<'a>,
    context: ContextId,
) -> Vec<(&'l Lock, &'a Expr, Option<Distance>)> {
    let Some((root, from, stride)) = tracer.base(write.site.0, write.pointer) else { return Vec::new() };
    let is_variable = stride != Stride::NONE;
    let mut found = Vec::new();
    for origin in tracer.origins_of_base(context, root) {
        for target in tracer.points_to.targets(origin.context, origin.root) {
            for lock in locks.get(&target).into_iter().flatten() {
                let begin = lock.begin - origin.constant;
                let is_known =
                    |call: &usize| calls[*call].place_in(program, write.position, write.bytes, &write.memory).is_some();
                let is_behind = from >= begin + lock.bytes;
                let is_before = !is_variable && write.bytes.is_some_and(|bytes| from + bytes as i64 <= begin);
                let is_plain = !is_variable && write.bytes != Some(1) && lock.kind.noun == SPIN;
                // A range that begins before it is looked through from its beginning.
                let is_whole = write.bytes.is_none() && !is_variable && from <= begin;
                if lock.stride != Stride::NONE || origin.is_variable() {
                    let common = lock.stride.and(origin.stride).and(stride);
                    let place = common.remainder(from - begin);
                    let end = place.saturating_add(write.bytes.map_or(i64::MAX, |bytes| bytes as i64));
                    let meets = place < lock.bytes || end > common.0 as i64;
                    let is_plain = write.bytes != Some(1) && lock.kind.noun == SPIN;
                    if meets && !is_plain && !lock.calls.iter().any(is_known) {
                        found.push((lock, root, None));
                    }
                    continue;
                }
                if is_behind || is_before || is_plain || is_whole || lock.calls.iter().any(is_known) {
                    continue;
                }
                found.push((lock, root, Some((begin, (!is_variable).then_some(from)))));
            }
        }
    }
    found
}

/// Whether all that a write may be to has such a lock at this distance, so that its state can be looked at.
fn leads_there<'a>(
    tracer: &mut Tracer<'a>,
    locks: &FxHashMap<Target, Vec<Lock>>,
    write: &Write<'a>,
    lock: &Lock,
    root: &'a Expr,
    begin: i64,
) -> bool {
    let contexts: Vec<ContextId> = write.sites.iter().map(|site| site.0).collect();
    contexts.into_iter().all(|context| {
        tracer.origins_of_base(context, root).into_iter().all(|origin| {
            let targets = tracer.points_to.targets(origin.context, origin.root);
            let own = begin + origin.constant;
            let has_it = |target: Target| {
                let Target::Object { memory, context, .. } = target else { return false };
                let is_known = locks
                    .get(&target)
                    .into_iter()
                    .flatten()
                    .any(|item| item.begin == own && item.stride == Stride::NONE && item.kind == lock.kind);
                is_known
                    && own >= 0
                    && tracer.size(memory, context).is_some_and(|size| size >= i128::from(own + lock.bytes))
            };
            !origin.is_variable() && targets.into_iter().all(has_it)
        })
    })
}

/// How many bytes of a place have to be in an object for its record to tell whether a lock there is in use.
const LOOKED_AT: i64 = 3;

/// What is to be done after a write. Where it may be to something else, of which it is not known how large it is, the state of a lock is looked at
/// only if that cannot lead out of the object.
fn check(
    program: &Program,
    write: &Write<'_>,
    lock: &Lock,
    root: &Expr,
    ((begin, place), is_certain): (Distance, bool),
) -> Check {
    let at = moved(program, root, begin as u128);
    let bytes = write.bytes.unwrap_or(1).max(1) as i64;
    let is_far = |place: i64| begin >= 0 && place + bytes >= begin + LOOKED_AT;
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
    let skipped = if is_certain || begin < 0 { 0 } else { LOOKED_AT - 1 };
    let last = Expr::binary(BinaryOp::Add, size, distance, number(bytes - 1 - skipped));
    let cond = Expr::binary(BinaryOp::Ult, size, last, number(lock.bytes + bytes - 1 - skipped));
    Check::If { cond, one: Box::new(one) }
}
