//! A tree for people: its nodes with their labels, for Graphviz, and the invariants at each location.

use super::location::{Base, Cell, Slot};
use super::machine::{Machine, NOBODY};
use super::search::Search;
use super::tree::Position;
use super::vocabulary::VarKey;
use crate::symbolic::Evaluator;
use base::Id;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A node.
struct Shown {
    place: String,
    label: String,
    /// The parent, and the thread whose step leads here.
    from: Option<(usize, u32)>,
    covered_by: Option<usize>,
    is_open: bool,
    is_trouble: bool,
}

/// A tree.
pub struct Picture {
    nodes: Vec<Shown>,
}

/// Describes a location: where the threads are, their store buffers, the watched access, and the explicit thread
/// numbers and objects.
fn place(machine: &Machine<'_>, location: usize) -> String {
    let place = &machine.locations[location];
    let program = machine.program;
    let mut text = place.describe(program);
    let mut facts = Vec::new();
    let mut tell = |key: VarKey, slot: &Slot| match *slot {
        Slot::Known(Base::Number, bits) => {
            if let Some(number) = machine.constant(bits) {
                facts.push(format!("{} = {number}", machine.vocabulary.name(program, key)));
            }
        }
        Slot::Known(Base::Object(object), _) | Slot::Var(Base::Object(object)) => {
            let whole = VarKey::Cell(Cell { object, is_ghost: false, offset: 0, bytes: 0 });
            let (name, object) = (machine.vocabulary.name(program, key), machine.vocabulary.name(program, whole));
            facts.push(format!("{name} points to {object}"));
        }
        Slot::Known(..) | Slot::Var(_) | Slot::Dead => {}
    };
    for (&thread, record) in &place.threads {
        for (depth, frame) in record.frames.iter().enumerate() {
            for (index, slot) in frame.locals.iter().enumerate() {
                let (function, local) = (frame.function, Id::new(index));
                tell(VarKey::Local { thread, depth: depth as u32, function, local }, slot);
            }
        }
    }
    for (&cell, slot) in place.cells.iter().filter(|(cell, _)| !cell.is_ghost) {
        tell(VarKey::Cell(cell), slot);
    }
    for (thread, record) in place.threads.iter().filter(|(_, record)| !record.buffer.is_empty()) {
        let cells = record.buffer.iter().map(|entry| machine.vocabulary.name(program, VarKey::Cell(entry.cell)));
        let _ = write!(text, "; stores of T{thread} wait: {}", cells.collect::<Vec<_>>().join(", "));
    }
    if let Some(watch) = &place.watch {
        let whole = VarKey::Cell(Cell { object: watch.object, is_ghost: false, offset: 0, bytes: 0 });
        let _ = write!(text, "; {} of {} is watched", watch.kind(), machine.vocabulary.name(program, whole));
    }
    if !facts.is_empty() {
        let _ = write!(text, "; {}", facts.join(", "));
    }
    text
}

impl Picture {
    pub(super) fn new(search: &mut Search<'_, '_>) -> Picture {
        let mut nodes = Vec::new();
        for id in search.tree.nodes.ids().collect::<Vec<_>>() {
            let node = &search.tree.nodes[id];
            let label = node.label.clone();
            let formula = search.machine.terms.and(label);
            let node = &search.tree.nodes[id];
            nodes.push(Shown {
                place: match &node.position {
                    Position::Location(location) => place(search.machine, *location),
                    Position::Trouble(_) => "trouble".to_owned(),
                },
                label: search.machine.terms.to_infix(formula),
                from: node.edge.as_ref().map(|edge| (edge.from.index(), edge.thread)),
                covered_by: node.covered_by.map(Id::index),
                is_open: !search.tree.is_closed(id),
                is_trouble: matches!(node.position, Position::Trouble(_)),
            });
        }
        Picture { nodes }
    }

    /// For Graphviz: steps are arrows with the thread's number, coverings are dashed.
    pub fn to_dot(&self) -> String {
        let mut text = String::from("digraph tree {\n  node [shape=box, fontname=monospace];\n");
        for (id, node) in self.nodes.iter().enumerate() {
            let quoted = format!("n{id}: {}\\n{}", node.place, node.label).replace('"', "'");
            let style = match (node.is_trouble, node.is_open) {
                (true, _) => ", color=red",
                (false, true) => "",
                (false, false) => ", style=dotted",
            };
            let _ = writeln!(text, "  n{id} [label=\"{quoted}\"{style}];");
            if let Some((from, thread)) = node.from {
                let who = if thread == NOBODY { "all wait".to_owned() } else { thread.to_string() };
                let _ = writeln!(text, "  n{from} -> n{id} [label=\"{who}\"];");
            }
            if let Some(by) = node.covered_by {
                let _ = writeln!(text, "  n{id} -> n{by} [style=dashed, constraint=false];");
            }
        }
        text + "}\n"
    }

    /// The invariant at each location: the disjunction of the labels of its open nodes.
    pub fn invariants(&self) -> String {
        let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for node in self.nodes.iter().filter(|node| node.is_open && !node.is_trouble) {
            let labels = places.entry(&node.place).or_default();
            if !labels.contains(&node.label.as_str()) {
                labels.push(&node.label);
            }
        }
        let mut text = String::new();
        for (place, labels) in places {
            let _ = writeln!(text, "{place}");
            let is_true = labels.contains(&"true");
            for label in labels.iter().filter(|label| !is_true || **label == "true") {
                let _ = writeln!(text, "  {label}");
            }
        }
        text
    }
}
