//! Writes of parts: a loop that clears a structure byte by byte while a mutex in it is in use, `sprintf` into an array that lies over one, a
//! store through a pointer to what glibc keeps in it.
//!
//! What is written and where locks are is compared as distances from what both pointers come from. If constants do not tell, the
//! distance is computed when the statement is executed. Not seen: locks in arrays, and pointers that are computed in other
//! ways than by adding to one that the function does not change.

use super::trace::Tracer;
use super::{moved, Call, Check, Kind, Write, SPIN};
use base::Id;
use ir::analysis::{ContextId, Target};
use ir::{BinaryOp, Expr, FunctionId, LocalId, Program, Type};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Where something lies that threads synchronise by.
struct Lock {
    /// From the beginning of the object, as is assumed.
    begin: i64,
    kind: &'static Kind,
    bytes: i64,
    /// Whether the pointer came from memory and may lead into an object.
    is_vague: bool,
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
    program: &Program,
    tracer: &mut Tracer<'a>,
    calls: &[Call<'a>],
    writes: &[&Write<'a>],
) -> (Vec<(usize, Part)>, Saved) {
    let locks = locks(tracer, calls);
    let mut saved = Saved::new();
    let mut parts = Vec::new();
    for (number, write) in writes.iter().enumerate() {
        if write.memory.iter().all(|target| !locks.contains_key(target)) {
            continue;
        }
        let mut seen = BTreeSet::new();
        for &(context, _) in &write.sites {
            for (lock, root, distance) in meets(program, tracer, calls, &locks, write, context) {
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

/// Where locks are whose place is a constant.
fn locks<'a>(tracer: &mut Tracer<'a>, calls: &[Call<'a>]) -> FxHashMap<Target, Vec<Lock>> {
    let mut locks: FxHashMap<Target, Vec<Lock>> = FxHashMap::default();
    for (number, call) in calls.iter().enumerate() {
        for &(context, _) in &call.sites {
            for origin in tracer.origins(context, call.pointer).into_iter().filter(|origin| !origin.is_variable) {
                let is_vague = origin.constant == 0 && tracer.is_loaded(&origin);
                for target in tracer.points_to.targets(origin.context, origin.root) {
                    let known = locks.entry(target).or_default();
                    let same = known.iter_mut().find(|lock| lock.begin == origin.constant && lock.kind == call.kind);
                    match same {
                        Some(lock) => {
                            lock.is_vague &= is_vague;
                            if !lock.calls.contains(&number) {
                                lock.calls.push(number);
                            }
                        }
                        None => known.push(Lock {
                            begin: origin.constant,
                            kind: call.kind,
                            bytes: call.bytes,
                            is_vague,
                            calls: vec![number],
                        }),
                    }
                }
            }
        }
    }
    locks
}

/// How far a lock begins behind the root of a write, and how the place of the write is computed.
type Distance = (i64, Option<i64>);

/// The locks that a write may meet, with the root of the write.
fn meets<'a, 'l>(
    program: &Program,
    tracer: &mut Tracer<'a>,
    calls: &[Call<'a>],
    locks: &'l FxHashMap<Target, Vec<Lock>>,
    write: &Write<'a>,
    context: ContextId,
) -> Vec<(&'l Lock, &'a Expr, Distance)> {
    let Some((root, from, is_variable)) = tracer.base(write.site.0, write.pointer) else { return Vec::new() };
    let mut found = Vec::new();
    for origin in tracer.origins_of_base(context, root).into_iter().filter(|origin| !origin.is_variable) {
        for target in tracer.points_to.targets(origin.context, origin.root) {
            for lock in locks.get(&target).into_iter().flatten() {
                let begin = lock.begin - origin.constant;
                let is_known =
                    |call: &usize| calls[*call].place_in(program, write.position, write.bytes, &write.memory).is_some();
                let is_behind = from >= begin + lock.bytes;
                let is_before = !is_variable && write.bytes.is_some_and(|bytes| from + bytes as i64 <= begin);
                let is_plain = !is_variable && write.bytes != Some(1) && (lock.is_vague || lock.kind.noun == SPIN);
                // A range that begins before it is looked through from its beginning.
                let is_whole = write.bytes.is_none() && !is_variable && from <= begin;
                if is_behind || is_before || is_plain || is_whole || lock.calls.iter().any(is_known) {
                    continue;
                }
                found.push((lock, root, (begin, (!is_variable).then_some(from))));
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
                let is_known =
                    locks.get(&target).into_iter().flatten().any(|item| item.begin == own && item.kind == lock.kind);
                is_known
                    && own >= 0
                    && tracer.size(memory, context).is_some_and(|size| size >= i128::from(own + lock.bytes))
            };
            !origin.is_variable && targets.into_iter().all(has_it)
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
