//! Exports the invariants of a finished tree per thread and location, as C expressions. A node describes all threads at
//! once; at the location of one of them, an expression can name global variables and those of the function that the
//! thread is in. Explicit values are exported as well.

use super::location::{Base, Location, Slot};
use super::search::Search;
use super::tree::{NodeId, Position};
use super::vocabulary::{ObjKey, VarKey};
use crate::invariants;
use base::{Id, IdVec};
use ir::invariants::{Fact, LocationInvariant};
use ir::{FunctionId, LocalId, ObjectKind};
use smt::Term;
use std::collections::BTreeSet;

/// The invariants of all nodes that are neither covered nor false.
pub(super) fn of(search: &Search<'_, '_>) -> BTreeSet<LocationInvariant> {
    let mut all = BTreeSet::new();
    // By node, the functions in which threads started on the path to it. Nodes come after their parents.
    let mut begun: IdVec<NodeId, BTreeSet<FunctionId>> = IdVec::default();
    for (id, node) in search.tree.nodes.enumerate() {
        let mut functions = search.tree.parent(id).map(|parent| begun[parent].clone()).unwrap_or_default();
        if let Position::Location(location) = node.position {
            let place = &search.machine.locations[location];
            let now: BTreeSet<FunctionId> =
                place.threads.values().filter_map(|thread| Some(thread.frames.first()?.function)).collect();
            functions.extend(&now);
            if !search.tree.is_closed(id) {
                let ended: BTreeSet<FunctionId> = functions.difference(&now).copied().collect();
                for thread in place.running() {
                    all.extend(of_thread(search, place, &node.label, thread, &ended));
                }
            }
        }
        begun.push(functions);
    }
    all
}

/// The part of a node's label that can be expressed at the location of one thread.
fn of_thread(
    search: &Search<'_, '_>,
    place: &Location,
    label: &BTreeSet<Term>,
    thread: u32,
    ended: &BTreeSet<FunctionId>,
) -> Option<LocationInvariant> {
    let program = search.machine.program;
    let record = &place.threads[&thread];
    let mut frames = record.frames.iter().enumerate().rev();
    let (depth, frame) = frames.find(|(_, frame)| program.is_users(program.functions[frame.function].span))?;
    let name = |key: VarKey| name(search, (thread, depth as u32), key);
    let of_variable = |variable: Term| name(search.machine.vocabulary.meaning(variable)?);
    let terms = &search.machine.terms;
    let mut facts: BTreeSet<Fact> =
        label.iter().filter_map(|&part| invariants::fact(terms, &of_variable, part)).collect();
    let locals = frame.locals.iter().enumerate().map(|(index, slot)| {
        let key = VarKey::Local { thread, depth: depth as u32, function: frame.function, local: Id::new(index) };
        (key, slot)
    });
    let cells = place.cells.iter().map(|(&cell, slot)| (VarKey::Cell(cell), slot));
    for (key, slot) in locals.chain(cells) {
        if let Slot::Known(Base::Number, bits) = *slot {
            facts.extend(terms.as_bits(bits).and_then(|bits| invariants::number(name(key)?, bits)));
        }
    }
    Some(LocationInvariant { at: (frame.function, frame.loc), facts, ended: ended.clone() })
}

/// The C name of a state variable at the location of a thread, in the function at a depth of its stack.
fn name(search: &Search<'_, '_>, own: (u32, u32), key: VarKey) -> Option<(String, Option<LocalId>)> {
    let machine = &*search.machine;
    match key {
        VarKey::Local { thread, depth, function, local } => {
            let name = &machine.program.functions[function].locals[local].name;
            ((thread, depth) == own).then(|| (name.clone(), Some(local)))
        }
        VarKey::Cell(cell) => {
            let ObjKey::Static(id) = machine.vocabulary.key(cell.object) else { return None };
            let object = &machine.program.objects[id];
            let is_whole = !cell.is_ghost && (cell.offset, cell.bytes) == (0, object.size);
            (is_whole && object.kind == ObjectKind::Global).then(|| (object.name.clone(), None))
        }
        VarKey::Result(..) | VarKey::Buffered { .. } | VarKey::Watched | VarKey::Input(..) | VarKey::Temporary(..) => {
            None
        }
    }
}
