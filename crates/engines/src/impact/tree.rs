//! The tree: nodes with labels, coverings, and the threads expanded at each node.
//!
//! A node is *closed* if it is covered by an older node at the same location whose label it implies, is below a covered
//! node, or has a false label. The tree is complete when every other node has been expanded as far as [`super::reduce`]
//! demands. When a covering is removed, the covered node and the open leaves below it return to the queue (the printed
//! algorithms forget this).

use super::machine::{Outcome, Trouble};
use base::{define_id, Id, IdVec};
use rustc_hash::FxHashMap;
use smt::{Term, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

define_id!(
    /// A node of the tree. Prints as `n7`.
    NodeId, "n");

/// The edge from the parent: the thread, and which of its outcomes.
#[derive(Clone)]
pub(super) struct Edge {
    pub(super) from: NodeId,
    pub(super) thread: u32,
    pub(super) outcomes: Rc<Vec<Outcome>>,
    pub(super) index: usize,
}

impl Edge {
    pub(super) fn outcome(&self) -> &Outcome {
        &self.outcomes[self.index]
    }
}

/// The location of a node, or its trouble.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Position {
    Location(usize),
    Trouble(Trouble),
}

pub(super) struct Node {
    pub(super) position: Position,
    pub(super) edge: Option<Edge>,
    /// Number of edges above it.
    pub(super) depth: usize,
    /// The conjuncts.
    pub(super) label: BTreeSet<Term>,
    pub(super) is_false: bool,
    pub(super) children: Vec<NodeId>,
    pub(super) covered_by: Option<NodeId>,
    /// Number of nodes among it and its ancestors that are covered or false; closed if not zero.
    closings: u32,
    pub(super) covers: BTreeSet<NodeId>,
    /// Whether it was expanded as the reduction demands.
    pub(super) is_expanded: bool,
    /// The threads that were expanded.
    pub(super) threads: BTreeSet<u32>,
    /// The threads that coverings request.
    pub(super) asked: BTreeSet<u32>,
    /// Cached decisions: whether a thread is skipped.
    pub(super) skipped: BTreeMap<u32, bool>,
    /// Feasible trouble that has been reported.
    pub(super) is_reported: bool,
}

#[derive(Default)]
pub(super) struct Tree {
    pub(super) nodes: IdVec<NodeId, Node>,
    pub(super) by_location: FxHashMap<usize, Vec<NodeId>>,
    /// Nodes to process; the next one is last.
    pub(super) queue: Vec<NodeId>,
    /// The trouble nodes among them.
    pub(super) troubles: Vec<NodeId>,
    /// Whether nodes do not return to the queue when they are uncovered; unsound, for tests only.
    pub(super) forgets: bool,
}

impl Tree {
    /// Adds a node, without a label.
    pub(super) fn add(&mut self, position: Position, edge: Option<Edge>) -> NodeId {
        let depth = edge.as_ref().map_or(0, |edge| self.nodes[edge.from].depth + 1);
        let parent = edge.as_ref().map(|edge| edge.from);
        let closings = parent.map_or(0, |parent| self.nodes[parent].closings);
        let location = match &position {
            Position::Location(location) => Some(*location),
            Position::Trouble(_) => None,
        };
        let node = self.nodes.push(Node {
            position,
            edge,
            depth,
            label: BTreeSet::new(),
            is_false: false,
            children: Vec::new(),
            covered_by: None,
            closings,
            covers: BTreeSet::new(),
            is_expanded: false,
            threads: BTreeSet::new(),
            asked: BTreeSet::new(),
            skipped: BTreeMap::new(),
            is_reported: false,
        });
        if let Some(parent) = parent {
            self.nodes[parent].children.push(node);
        }
        if let Some(location) = location {
            self.by_location.entry(location).or_default().push(node);
        }
        node
    }

    /// The node above.
    pub(super) fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node].edge.as_ref().map(|edge| edge.from)
    }

    /// The path from an ancestor (or the root) to this node.
    pub(super) fn path(&self, from: Option<NodeId>, to: NodeId) -> Vec<NodeId> {
        let mut path = vec![to];
        let mut at = to;
        while Some(at) != from {
            match self.parent(at) {
                Some(parent) => {
                    path.push(parent);
                    at = parent;
                }
                None => break,
            }
        }
        path.reverse();
        path
    }

    /// The lowest common ancestor, which may be one of them.
    pub(super) fn common(&self, mut a: NodeId, mut b: NodeId) -> Option<NodeId> {
        while a != b {
            if self.nodes[a].depth >= self.nodes[b].depth {
                a = self.parent(a)?;
            } else {
                b = self.parent(b)?;
            }
        }
        Some(a)
    }

    /// Whether nothing below a node matters: it or an ancestor is covered or false.
    pub(super) fn is_closed(&self, node: NodeId) -> bool {
        self.nodes[node].closings > 0
    }

    /// The same, recomputed from the ancestors: for the certificate checker.
    pub(super) fn is_below_closed(&self, node: NodeId) -> bool {
        let mut at = Some(node);
        while let Some(id) = at {
            if self.nodes[id].covered_by.is_some() || self.nodes[id].is_false {
                return true;
            }
            at = self.parent(id);
        }
        false
    }

    /// The subtree of a node, including itself.
    pub(super) fn below(&self, node: NodeId) -> Vec<NodeId> {
        let mut all = vec![node];
        let mut index = 0;
        while index < all.len() {
            all.extend(&self.nodes[all[index]].children);
            index += 1;
        }
        all
    }

    /// Covers a node. Nodes covered by its subtree are uncovered.
    pub(super) fn cover(&mut self, node: NodeId, by: NodeId) {
        let was_covered = self.nodes[node].covered_by.replace(by).is_some();
        self.nodes[by].covers.insert(node);
        for below in self.below(node) {
            self.nodes[below].closings += u32::from(!was_covered);
            self.uncover_all(below);
        }
    }

    /// Removes the coverings by a node.
    pub(super) fn uncover_all(&mut self, node: NodeId) {
        for covered in std::mem::take(&mut self.nodes[node].covers) {
            if self.nodes[covered].covered_by.take().is_some() {
                for below in self.below(covered) {
                    self.nodes[below].closings -= 1;
                }
            }
            if !self.forgets {
                self.requeue(covered);
            }
        }
    }

    /// Puts the open leaves below a node into the queue.
    fn requeue(&mut self, node: NodeId) {
        let mut work = vec![node];
        while let Some(id) = work.pop() {
            let record = &self.nodes[id];
            if record.covered_by.is_some() || record.is_false {
                continue;
            }
            let is_open = !record.is_expanded;
            work.extend(&record.children);
            if is_open {
                self.enqueue(id);
            }
        }
    }

    /// Puts a node into the queue.
    pub(super) fn enqueue(&mut self, node: NodeId) {
        match self.nodes[node].position {
            Position::Location(_) => self.queue.push(node),
            Position::Trouble(_) => self.troubles.push(node),
        }
    }

    /// Strengthens a label. Nodes that it covers are uncovered.
    pub(super) fn strengthen(&mut self, terms: &Terms, node: NodeId, formula: Term) -> bool {
        let mut has_changed = false;
        let was_false = self.nodes[node].is_false;
        for part in terms.conjuncts(formula) {
            match terms.as_bool(part) {
                Some(true) => {}
                Some(false) => {
                    has_changed |= !self.nodes[node].is_false;
                    self.nodes[node].is_false = true;
                    self.nodes[node].label.insert(part);
                }
                None => has_changed |= self.nodes[node].label.insert(part),
            }
        }
        if self.nodes[node].is_false && has_changed {
            // The subtree is no longer processed, so no covering may rely on it.
            for below in self.below(node) {
                self.nodes[below].closings += u32::from(!was_false);
                self.uncover_all(below);
            }
        } else if has_changed {
            self.uncover_all(node);
        }
        has_changed
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }
}

/// The root.
pub(super) fn root() -> NodeId {
    NodeId::new(0)
}
