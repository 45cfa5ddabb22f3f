//! Restricts the values that a statement can read by the order of starts and joins: it cannot read from writes that
//! come after it, or that only happen when its thread has ended. A lock is free if all threads that acquire it have
//! ended without it.
//!
//! The value analysis [`super::values`] does not order threads, since which threads loops join rests on it; here both
//! are known. Used for assertions that fail otherwise: a mutex is destroyed only when it is free, and not used
//! afterwards.

use super::accesses::Collector;
use super::facts::LOCK_BYTES;
use super::store::{Overlap, Piece};
use super::symbols::leads;
use super::value::Value;
use crate::domains::Bits;
use ir::analysis::{ContextId, Later, ThreadSet};
use ir::{EdgeId, Expr, Function, LocalId, Stmt, Type};

/// Computes readable values.
pub(super) struct Reads<'a> {
    later: Later<'a>,
    /// Per fact, the threads that may ever hold the lock.
    holders: Vec<ThreadSet>,
    /// The locks that a thread may hold when it ends.
    kept: Bits,
}

/// An assertion about a loaded value: the edge of the load, then those that compute with it.
pub(super) struct Looked {
    load: EdgeId,
    then: Vec<EdgeId>,
}

impl Looked {
    /// Finds the loaded value that an assertion is about, if there is only one.
    pub(super) fn new(function: &Function, assertion: EdgeId, cond: &Expr) -> Option<Looked> {
        let (mut then, mut expr, mut edge) = (Vec::new(), cond, assertion);
        loop {
            let local = only_local(expr)?;
            let mut sets = function.edges.enumerate().filter(|(_, item)| item.stmt.writes().contains(&local));
            let (set, item) = sets.next()?;
            if sets.next().is_some() || leads(function, function.entry, edge, set) {
                return None;
            }
            match &item.stmt {
                Stmt::Load { .. } => {
                    then.reverse();
                    return Some(Looked { load: set, then });
                }
                Stmt::Assign { value, .. } => {
                    then.push(set);
                    (expr, edge) = (value, set);
                }
                _ => return None,
            }
        }
    }
}

/// The variable of an expression, if there is only one.
fn only_local(expr: &Expr) -> Option<LocalId> {
    let mut locals = Vec::new();
    expr.for_each(&mut |part| {
        if let Expr::Local(local) = part {
            locals.push(*local);
        }
    });
    locals.dedup();
    match locals.as_slice() {
        [local] => Some(*local),
        _ => None,
    }
}

impl<'a> Reads<'a> {
    pub(super) fn new(inner: &Collector<'_, 'a>) -> Reads<'a> {
        let (program, points_to) = (inner.values.program, inner.points_to);
        let mut holders = vec![ThreadSet::EMPTY; inner.facts.list.len()];
        let mut kept = Bits::empty();
        let is_first = |context| inner.threads.templates().iter().any(|one| one.entries.contains(&context));
        for context in points_to.contexts().ids() {
            for (edge, item) in program.functions[points_to.contexts().function(context)].edges.enumerate() {
                let possible = inner.facts.held(context, edge).possible;
                for fact in possible.iter() {
                    holders[fact] = holders[fact].union(inner.threads.running(context));
                }
                let is_end = match item.stmt {
                    Stmt::ExitThread(_) => true,
                    Stmt::Return(_) => is_first(context),
                    _ => false,
                };
                if is_end {
                    kept.insert_all(&possible);
                }
            }
        }
        Reads { later: Later::new(program, points_to), holders, kept }
    }

    /// Whether an assertion of a context holds for all values that can be read there.
    pub(super) fn show(&self, inner: &mut Collector<'_, 'a>, context: ContextId, cond: &Expr, looked: &Looked) -> bool {
        let function = &inner.values.program.functions[inner.points_to.contexts().function(context)];
        let Stmt::Load { dst, ty, ptr, .. } = &function.edges[looked.load].stmt else { return false };
        let Some(place) = inner.values.at_edge(context, looked.load, ptr) else { return true };
        let at = (context, looked.load);
        let value = match self.is_free(inner, at, &place) {
            true => Some(Value::constant(8 * LOCK_BYTES as u16, 0)).filter(|_| ty.bytes(8) == LOCK_BYTES),
            false => self.readable(inner, at, &place, *ty),
        };
        let Some(value) = value else { return false };
        let nodes: Vec<_> = inner.values.nodes_of(context).collect();
        nodes.into_iter().all(|node| {
            let from = function.edges[looked.load].from;
            let Some(mut state) = inner.values.nodes[node].at[from].clone() else { return true };
            state.set(*dst, value.clone());
            for &edge in &looked.then {
                let Stmt::Assign { dst, value } = &function.edges[edge].stmt else { return false };
                let value = inner.values.value(node, value, &state);
                state.set(*dst, value);
            }
            inner.values.value(node, cond, &state).exact_number(1).and_then(|number| number.single()) == Some(1)
        })
    }

    /// Whether a place is the cell of a lock that is free: the threads that may hold it have ended, none of them
    /// holding it.
    fn is_free(&self, inner: &Collector<'_, 'a>, at: (ContextId, EdgeId), place: &Value) -> bool {
        let ([(_, offset)], false, None) = (place.refs.as_slice(), place.any, place.number) else { return false };
        if offset.single().is_none() {
            return false;
        }
        let is_it = |fact: &usize| inner.facts.may_be_at(*fact, place);
        let locks: Vec<usize> = (0..inner.facts.list.len()).filter(is_it).collect();
        let held = inner.facts.held(at.0, at.1).possible;
        let is_gone = |fact: usize| {
            inner.threads.running(at.0).iter().all(|template| {
                let others = self.holders[fact].without(match inner.threads.templates()[template].is_many {
                    true => ThreadSet::EMPTY,
                    false => ThreadSet::one(template),
                });
                others.iter().all(|other| {
                    !inner.beside(template, at).contains(other)
                        && inner.threads.templates()[template].descendants.contains(other)
                })
            })
        };
        !locks.is_empty()
            && locks.into_iter().all(|fact| {
                let is_well_known = !inner.unreliable_locks.contains(&fact) && !inner.tried.contains(&fact);
                is_well_known && !held.contains(fact) && !self.kept.contains(fact) && is_gone(fact)
            })
    }

    /// The values readable at a place; `None` if something other than stores may write it.
    fn readable(
        &self,
        inner: &mut Collector<'_, 'a>,
        at: (ContextId, EdgeId),
        place: &Value,
        ty: Type,
    ) -> Option<Value> {
        let program = inner.values.program;
        let bytes = ty.bytes(program.data_model.pointer_bytes());
        let ([(object, offset)], false) = (place.refs.as_slice(), place.any) else { return None };
        let piece = Piece { offset: *offset, bytes };
        let mut found = inner.values.objects.initial(*object, offset, bytes);
        for context in inner.points_to.contexts().ids() {
            for (edge, item) in program.functions[inner.points_to.contexts().function(context)].edges.enumerate() {
                for touch in item.stmt.touches().into_iter().filter(|touch| touch.writes) {
                    if !inner.values.is_reached(context, edge) {
                        continue;
                    }
                    let written = inner.values.at_edge(context, edge, touch.ptr).unwrap_or_default();
                    let length = touch.ty.map_or(u64::MAX / 4, |ty| ty.bytes(program.data_model.pointer_bytes()));
                    let overlaps = written.refs.iter().any(|(other, offset)| {
                        other == object && Piece { offset: *offset, bytes: length }.overlap(&piece) != Overlap::No
                    });
                    if !(written.any || overlaps) || !self.may_see(inner, at, (context, edge)) {
                        continue;
                    }
                    let Stmt::Store { value, ty: stored, .. } = &item.stmt else { return None };
                    if written.any || *stored != ty || *offset != written.refs[0].1 || written.refs.len() != 1 {
                        return None;
                    }
                    found = found.join(&inner.values.at_edge(context, edge, value)?);
                }
            }
        }
        Some(found)
    }

    /// Whether a read may see the effect of a write.
    fn may_see(&self, inner: &Collector<'_, 'a>, read: (ContextId, EdgeId), write: (ContextId, EdgeId)) -> bool {
        let threads = inner.threads;
        let meet = threads.running(read.0).iter().any(|reader| {
            threads.running(write.0).iter().any(|writer| {
                (reader != writer || threads.templates()[reader].is_many)
                    && (inner.beside(reader, read).contains(writer) || inner.beside(writer, write).contains(reader))
            })
        });
        meet || self.later.after([write], |_| false).contains(&read)
    }
}
