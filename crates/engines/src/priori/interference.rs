//! Reads from other threads' stores (the paper's AI, section 6.2): combines the reader's state and the message of the
//! store for every location.
//!
//! A message is allowed if its store may be newer than the reader's view of the location. For each other location the
//! orders are combined, which can be impossible, and the value is that of the newer view: where every store that one
//! view may be at is certainly not newer than the other view, the other's; where this holds both ways, both; else one
//! of the two. (The paper always joins, which loses message passing; see [`crate::domains::orders`] for why the views'
//! own candidates decide and not the maximal known stores.)
//!
//! A message that knows a store which the reader itself has yet to perform comes from the future: happens-before would
//! be cyclic.

use crate::domains::{Bits, EventId, Numeric, Order, Var};
use crate::priori::graph::NodeId;
use crate::priori::state::{Scalar, State, Target};
use crate::priori::world::{CellEvents, World, FENCE};
use std::rc::Rc;

/// The reader: a thread at a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader {
    pub(super) thread: u32,
    pub(super) node: NodeId,
}

/// Whether a store can be read as one that is newer than the reader's view.
pub(super) fn may_read<D: Numeric>(
    world: &World<'_>,
    reader: Reader,
    state: &State<D>,
    cell: usize,
    event: EventId,
) -> bool {
    let Some(store) = world.event(cell, event) else { return false };
    let is_own = store.thread == reader.thread && !world.threads[reader.thread as usize].is_many;
    !is_own
        && !state.ended.contains(store.thread as usize)
        && !world.is_unstarted(store.thread, reader.thread, reader.node)
        && state.order(world, cell).is_valid_extension(event, &CellEvents { world, cell })
}

/// Whether a message knows a store that the reader has not performed yet, or that is incompatible with the reader's
/// position.
fn is_from_future<D: Numeric>(world: &World<'_>, reader: Reader, message: &State<D>) -> bool {
    let thread = &world.threads[reader.thread as usize];
    if thread.is_many {
        return false;
    }
    message.orders.iter().enumerate().filter_map(|(cell, order)| order.as_ref().map(|order| (cell, order))).any(
        |(cell, order)| {
            order.known().iter().any(|known| {
                world.event(cell, known).is_some_and(|event| {
                    event.thread == reader.thread && !thread.graph.reaches(event.node, reader.node)
                        || world.is_unstarted(event.thread, reader.thread, reader.node)
                })
            })
        },
    )
}

/// Configuration of the second abstraction and of read-modify-writes.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrderLevel {
    /// Keep only the latest stores of each thread.
    pub(super) latest: bool,
    /// Use knowledge about read-modify-writes.
    pub(super) updates: bool,
    /// Split on the two possible orders of the newest stores of two views.
    pub(super) splits: bool,
}

impl OrderLevel {
    pub(super) fn apply(self, order: Order, world: &World<'_>, cell: usize) -> Order {
        let order = if self.updates { order } else { order.without_updates() };
        if self.latest {
            order.keep_latest(&CellEvents { world, cell })
        } else {
            order
        }
    }
}

/// Maximum number of locations with a split on the order of two views.
const MAX_SPLITS: usize = 3;

/// A location whose views could not be ordered, and which of the two is assumed to be newer.
type Choice = (usize, bool);

/// The reader's states after it has read a message through a cell, or after it has learnt all that a thread knew at its
/// end (no cell). Empty if that is impossible; several if either view of some location may be the newer one.
pub(super) fn combine<D: Numeric>(
    world: &mut World<'_>,
    reader: Reader,
    state: &State<D>,
    message: &State<D>,
    through: Option<(usize, EventId)>,
    level: OrderLevel,
) -> Vec<State<D>> {
    let mut results = Vec::new();
    if is_from_future(world, reader, message) {
        return results;
    }
    let mut work: Vec<Vec<Choice>> = vec![Vec::new()];
    while let Some(choices) = work.pop() {
        let mut open = None;
        let combined = combine_with(world, state, message, through, level, &choices, &mut open);
        match (combined, open) {
            (None, _) => {}
            (Some(_), Some(cell)) if choices.len() < MAX_SPLITS => {
                for own in [true, false] {
                    let mut more = choices.clone();
                    more.push((cell, own));
                    work.push(more);
                }
            }
            (Some(combined), Some(_) | None) => results.push(combined),
        }
    }
    results
}

fn combine_with<D: Numeric>(
    world: &mut World<'_>,
    state: &State<D>,
    message: &State<D>,
    through: Option<(usize, EventId)>,
    level: OrderLevel,
    choices: &[Choice],
    open: &mut Option<usize>,
) -> Option<State<D>> {
    let mut result = state.clone();
    let mut taken: Vec<usize> = Vec::new();
    let mut changes: Vec<(Var, Scalar)> = Vec::new();
    let cells = state.orders.len().max(message.orders.len());
    for cell in 0..cells {
        if through.is_some_and(|(read, _)| read == cell) {
            continue;
        }
        let (own, other) = (state.orders.get(cell).cloned().flatten(), message.orders.get(cell).cloned().flatten());
        if own.is_none() && other.is_none() {
            continue;
        }
        let var = world.cells[cell].var;
        let (own, other) = (state.order(world, cell), message.order(world, cell));
        let is_same = Rc::ptr_eq(&own, &other) || own == other;
        if is_same
            && own.tops().single().is_some_and(|top| world.event(cell, top).is_none_or(|event| !event.is_summary))
        {
            // One view: both values are the value there.
            if cell != FENCE && state.get(var) != message.get(var) {
                let (a, b) = (state.cell(world, cell), message.cell(world, cell));
                if a != b {
                    changes.push((var, a.meet(&b)?));
                }
            }
            continue;
        }
        let choice = choices.iter().find(|(chosen, _)| *chosen == cell).map(|(_, own)| *own);
        let (order, newer) = newer_view(world, cell, &own, &other, level, choice)?;
        if let (Newer::Either, true, Some(_), Some(_)) =
            (&newer, level.splits, own.tops().single(), other.tops().single())
        {
            let is_exact =
                |tops: &Bits| tops.iter().all(|top| world.event(cell, top).is_some_and(|event| !event.is_summary));
            // Of one store there is nothing to split.
            if is_exact(own.tops()) && is_exact(other.tops()) && own.tops() != other.tops() {
                open.get_or_insert(cell);
            }
        }
        result.set_order(cell, order);
        match newer {
            // The fences' location has no value.
            _ if cell == FENCE => {}
            Newer::Own => {}
            Newer::Other => taken.push(cell),
            Newer::Same if Rc::ptr_eq(&own, &other) && state.get(var) == message.get(var) => {}
            Newer::Same => {
                let (a, b) = (state.cell(world, cell), message.cell(world, cell));
                let both = a.meet(&b)?;
                if both != state.get(var) {
                    changes.push((var, both));
                }
            }
            Newer::Either => {
                let (a, b) = (state.cell(world, cell), message.cell(world, cell));
                changes.push((var, a.join(&b)));
            }
        }
    }
    if let Some((cell, event)) = through {
        let events = CellEvents { world, cell };
        let other = message.order(world, cell);
        let order = state.order(world, cell).append(event, &events)?.combine(&other, &events)?;
        let order = order.read_at(event, other.is_complete());
        result.set_order(cell, level.apply(order, world, cell));
        if world.cells[cell].is_flat {
            let (a, b) = (state.cell(world, cell), message.cell(world, cell));
            changes.push((world.cells[cell].var, a.join(&b)));
        } else {
            taken.push(cell);
        }
    }
    take(&mut result, message, &taken, world);
    for (var, value) in changes {
        // Even if the number stays the same: relations of the old view's value need not hold of the new one's.
        result.set(var, value);
    }
    result.ended.insert_all(&message.ended);
    result.dead.insert_all(&message.dead);
    Some(result)
}

/// Takes over the values of some cells, and relations between them, from a message.
fn take<D: Numeric>(state: &mut State<D>, message: &State<D>, taken: &[usize], world: &mut World<'_>) {
    if taken.is_empty() {
        return;
    }
    let vars: Bits =
        taken.iter().filter(|cell| **cell != FENCE).map(|cell| world.cells[*cell].var.0 as usize).collect();
    let mut theirs = message.clone();
    theirs.retain(&mut |var| vars.contains(var.0 as usize));
    for cell in taken.iter().filter(|cell| **cell != FENCE) {
        let value = message.cell(world, *cell);
        let var = world.cells[*cell].var;
        if theirs.get(var) != value {
            theirs.set(var, value);
        }
    }
    state.retain(&mut |var| !vars.contains(var.0 as usize));
    state.numbers = state.numbers.beside(&theirs.numbers);
    for (var, value) in theirs.refs.iter() {
        state.set(*var, value.clone());
    }
}

enum Newer {
    Own,
    Other,
    Same,
    Either,
}

/// The combined order of a location, and whose view of it is newer.
fn newer_view(
    world: &World<'_>,
    cell: usize,
    own: &Order,
    other: &Order,
    level: OrderLevel,
    choice: Option<bool>,
) -> Option<(Order, Newer)> {
    let events = CellEvents { world, cell };
    let mut order = own.combine(other, &events)?;
    if let (Some(is_own), Some(own_top), Some(other_top)) = (choice, own.tops().single(), other.tops().single()) {
        let (older, newer) = if is_own { (other_top, own_top) } else { (own_top, other_top) };
        let order = order.with_before(older, newer, &events)?;
        return Some((level.apply(order, world, cell), if is_own { Newer::Own } else { Newer::Other }));
    }
    let covered = |tops: &Bits, by: &Order| {
        tops.iter().all(|top| {
            by.is_covered(top, &events)
                || !crate::domains::Events::is_summary(&events, top)
                    && by.known().iter().any(|known| order.is_before(top, known))
        })
    };
    let newer = match (covered(own.tops(), other), covered(other.tops(), own)) {
        (true, true) => Newer::Same,
        (true, false) => Newer::Other,
        (false, true) => Newer::Own,
        (false, false) => Newer::Either,
    };
    match newer {
        Newer::Own => order.restrict_tops(own.tops())?,
        Newer::Other => order.restrict_tops(other.tops())?,
        Newer::Same => {
            order.restrict_tops(own.tops())?;
            order.restrict_tops(other.tops())?;
        }
        Newer::Either => {}
    }
    Some((level.apply(order, world, cell), newer))
}

/// A state as others see it: shared cells only, and the thread's own number made explicit.
pub(super) fn published<D: Numeric>(world: &World<'_>, thread: u32, state: &State<D>) -> State<D> {
    let mut message = state.clone();
    message.retain(&mut |var| world.shared_vars.contains(var.0 as usize));
    message.bases.clear();
    let number = world.threads[thread as usize].number;
    let is_mine = |value: &Scalar| matches!(value, Scalar::Refs(refs) if refs.contains(&Target::Myself));
    if message.refs.iter().any(|(_, value)| is_mine(value)) {
        for (_, value) in Rc::make_mut(&mut message.refs) {
            *value = as_seen_by_others(value, number);
        }
    }
    message
}

/// A value as other threads see it.
pub(super) fn as_seen_by_others(value: &Scalar, number: u32) -> Scalar {
    match value {
        Scalar::Refs(refs) if refs.contains(&Target::Myself) => {
            Scalar::targets(refs.iter().map(|target| match target {
                Target::Myself => Target::Thread(number),
                Target::Null | Target::Object { .. } | Target::Function(_) | Target::Thread(_) => *target,
            }))
        }
        Scalar::Refs(_) | Scalar::Number(_) | Scalar::Any => value.clone(),
    }
}
