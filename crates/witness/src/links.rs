//! Relations between the events of a run: reads-from, the immediate order of writes to a place, the flush of a buffered
//! write, and synchronises-with.
//!
//! Under `ra` modification order is known only as far as the run determines it: writes of one thread are in program
//! order, and a read determines which writes come after the one it reads. Other pairs of writes get no arrow. Neither
//! do orders imposed by semaphores, condition variables and barriers: a story does not show their internals. A
//! compare-exchange counts as acquiring if it acquires both on success and on failure.

use crate::story::{Effect, Link, LinkKind, Point};
use crate::teller::Draft;
use interp::Place;
use ir::{EdgeId, FunctionId, MemoryModel, Order, Program};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of an object.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Cell {
    pub(crate) object: String,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Cell {
    pub(crate) fn new(place: &Place) -> Cell {
        let end = place.offset.saturating_add(place.size);
        Cell { object: place.object.clone(), start: place.offset, end }
    }

    pub(crate) fn overlaps(&self, other: &Cell) -> bool {
        self.object == other.object && self.start < other.end && other.start < self.end
    }
}

/// Further facts about an effect.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    /// The bytes it accesses.
    pub(crate) cell: Option<Cell>,
    /// Whether the statement acquires, and whether it releases.
    pub(crate) orders: (bool, bool),
}

/// Whether a statement acquires and whether it releases, by its memory order.
pub(crate) fn orders(program: &Program, (function, edge): (FunctionId, EdgeId)) -> (bool, bool) {
    let stmt = &program.functions[function].edges[edge].stmt;
    let (mut orders, touches) = (stmt.access_orders().peekable(), stmt.touches());
    let releases = touches.iter().any(|touch| touch.writes) && orders.peek().is_some_and(|order| order.releases());
    // A failing compare-exchange has a failure order of its own.
    let acquires = touches.iter().any(|touch| touch.reads) && orders.peek().is_some() && orders.all(Order::acquires);
    (acquires, releases)
}

/// All arrows of a run, whose effects already refer to each other by row numbers.
pub(crate) fn links(rows: &[Draft], model: MemoryModel) -> Vec<Link> {
    let run = Run { rows, model };
    let mut links = run.values();
    links.extend(if model.is_multi_copy_atomic() { run.memory_order() } else { run.modification_order() });
    links.extend(run.threads_and_locks());
    links.sort_unstable();
    links.dedup();
    links
}

struct Run<'a> {
    rows: &'a [Draft],
    model: MemoryModel,
}

impl<'a> Run<'a> {
    fn events(&self) -> impl Iterator<Item = (Point, &'a Draft, &'a Effect, &'a Mark)> + 'a {
        self.rows.iter().enumerate().flat_map(|(index, row)| {
            let pairs = row.effects.iter().zip(&row.marks).enumerate();
            pairs.map(move |(event, (effect, mark))| (Point { step: index + 1, event }, row, effect, mark))
        })
    }

    /// The last write of a row, before a point, to the cell of a mark.
    fn write_in(&self, step: usize, mark: &Mark, before: Point) -> Option<Point> {
        let row = self.rows.get(step.checked_sub(1)?)?;
        let cell = mark.cell.as_ref()?;
        let is_it = |event: &usize| {
            Point { step, event: *event } < before
                && matches!(row.effects[*event], Effect::Write { .. })
                && row.marks[*event].cell.as_ref().is_some_and(|written| written.overlaps(cell))
        };
        (0..row.effects.len()).rev().find(is_it).map(|event| Point { step, event })
    }

    /// Reads-from, flushes of buffered writes, and the synchronisation that reads cause.
    fn values(&self) -> Vec<Link> {
        let mut links = Vec::new();
        for (to, row, effect, mark) in self.events() {
            match effect {
                Effect::Read { written_at: Some(step), .. } => {
                    let Some(from) = self.write_in(*step, mark, to) else { continue };
                    links.push(Link { kind: LinkKind::ReadsFrom, from, to });
                    let writer = &self.rows[from.step - 1];
                    let passes_on = writer.marks[from.event].orders.1 && mark.orders.0;
                    if writer.lane != row.lane && (passes_on || self.model.strengthens_atomics()) {
                        links.push(Link { kind: LinkKind::Synchronises, from, to });
                    }
                }
                Effect::Flush { written_at: Some(step), .. } => {
                    let from = self.write_in(*step, mark, to);
                    links.extend(from.map(|from| Link { kind: LinkKind::Flush, from, to }));
                }
                _ => {}
            }
        }
        links
    }

    /// With a single memory: the order in which writes reach it.
    fn memory_order(&self) -> Vec<Link> {
        let mut links = Vec::new();
        let mut arrived: Vec<(Point, &Cell)> = Vec::new();
        for (point, _, effect, mark) in self.events() {
            let to = match effect {
                Effect::Write { buffered: false, .. } => point,
                Effect::Flush { written_at, .. } => {
                    written_at.and_then(|step| self.write_in(step, mark, point)).unwrap_or(point)
                }
                _ => continue,
            };
            let Some(cell) = &mark.cell else { continue };
            if let Some((from, _)) = arrived.iter().rev().find(|(_, other)| other.overlaps(cell)) {
                links.push(Link { kind: LinkKind::Coherence, from: *from, to });
            }
            arrived.push((to, cell));
        }
        links
    }

    /// Under `ra`: the part of modification order that the run determines.
    fn modification_order(&self) -> Vec<Link> {
        let mut links = Vec::new();
        let mut last: Vec<(usize, Point, &Cell)> = Vec::new();
        let end = Point { step: usize::MAX, event: 0 };
        for (point, row, effect, mark) in self.events() {
            let Some(cell) = &mark.cell else { continue };
            match effect {
                Effect::Write { .. } => {
                    let own = last.iter().rev().find(|(lane, _, other)| *lane == row.lane && other.overlaps(cell));
                    links.extend(own.map(|(_, from, _)| Link { kind: LinkKind::Coherence, from: *from, to: point }));
                    last.push((row.lane, point, cell));
                }
                Effect::Read { written_at, unseen, .. } => {
                    let chain = written_at.iter().chain(unseen).filter_map(|step| self.write_in(*step, mark, end));
                    let chain: Vec<Point> = chain.collect();
                    let pairs = chain.windows(2).filter(|pair| pair[0] != pair[1]);
                    links.extend(pairs.map(|pair| Link { kind: LinkKind::Coherence, from: pair[0], to: pair[1] }));
                }
                _ => {}
            }
        }
        links
    }

    /// Creating and joining threads, and locks that pass from one thread to another.
    fn threads_and_locks(&self) -> Vec<Link> {
        let mut links = Vec::new();
        let mut link = |from: Point, to: Point| links.push(Link { kind: LinkKind::Synchronises, from, to });
        let mut created: BTreeMap<usize, Point> = BTreeMap::new();
        let mut started: BTreeSet<usize> = BTreeSet::new();
        let mut last: BTreeMap<usize, Point> = BTreeMap::new();
        let mut released: BTreeMap<&str, (usize, Point)> = BTreeMap::new();
        for (point, row, effect, _) in self.events() {
            if started.insert(row.lane) {
                if let Some(from) = created.get(&row.lane) {
                    link(*from, point);
                }
            }
            match effect {
                Effect::Create { child } => drop(created.insert(*child, point)),
                Effect::Join { child } => {
                    if let Some(from) = last.get(child) {
                        link(*from, point);
                    }
                }
                Effect::Unlock { place } => drop(released.insert(place, (row.lane, point))),
                Effect::Lock { place } => {
                    if let Some((_, from)) = released.get(place.as_str()).filter(|(lane, _)| *lane != row.lane) {
                        link(*from, point);
                    }
                }
                Effect::Read { .. }
                | Effect::Write { .. }
                | Effect::Flush { .. }
                | Effect::Input { .. }
                | Effect::Wait { .. }
                | Effect::Blocked { .. }
                | Effect::Alloc { .. }
                | Effect::Free { .. }
                | Effect::Fence
                | Effect::Violation { .. } => {}
            }
            last.insert(row.lane, point);
        }
        links
    }
}
