//! Solver for inclusion constraints between sets of targets, used by `points_to`.
//!
//! Wave propagation (Pereira and Berlin, CGO 2009): each round collapses the cycles of the copy graph, propagates
//! differences along it in topological order, and then processes loads, stores and indirect calls whose sets grew,
//! which adds copies for the next round. A round is linear in the graph; there are few rounds.

use crate::analysis::graph::components_by;
use crate::analysis::points_to::Target;
use base::{define_id, Id};
use rustc_hash::{FxHashMap, FxHashSet};

define_id!(
    /// A set variable.
    NodeId, "n");

/// A sorted set of target numbers.
pub(super) type Set = Vec<u32>;

/// The number of [`Target::Everything`].
pub(super) const EVERYTHING: u32 = 0;

/// Maximum size of a set; larger ones become everything, so that large programs in which pointers flow everywhere do
/// not take quadratic time and memory.
const LARGEST: usize = 256;

/// The kind of a stored value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stored {
    /// A value of pointer type.
    Pointer,
    /// An integer, into which addresses may have flowed.
    Integer,
}

/// A node of the constraint graph.
#[derive(Default, Debug)]
struct Node {
    set: Set,
    /// The part of the set that was propagated along `edges` and `ghost_edges`.
    carried: Set,
    /// The part of the set for which `loaded`, `stored` and `calls` were processed.
    examined: Set,
    edges: Vec<u32>,
    ghost_edges: Vec<u32>,
    /// Holds the contents of the objects that this points to.
    loaded: Option<NodeId>,
    /// The contents of the objects that this points to, as pointers and as integers. One node in between, instead of
    /// copies from every load's object to every load, keeps the graph from growing like their product.
    stored: [Option<NodeId>; 2],
    calls: Vec<u32>,
}

/// The constraints and their least solution so far.
#[derive(Debug)]
pub(super) struct Inclusion {
    nodes: Vec<Node>,
    representative: Vec<u32>,
    known_edges: FxHashSet<(u32, u32)>,
    targets: Vec<Target>,
    numbers: FxHashMap<Target, u32>,
    /// Per target that has contents: its nodes for pointers and for integers.
    contents: Vec<Option<[NodeId; 2]>>,
    /// Everything stored through pointers that may point anywhere.
    everywhere: [NodeId; 2],
    /// The contents of everything, once something is loaded through such a pointer.
    anything: NodeId,
    is_anything_used: bool,
    /// New targets of calls since the last query.
    resolved: Vec<(u32, Target)>,
}

impl Inclusion {
    pub(super) fn new() -> Inclusion {
        let mut inclusion = Inclusion {
            nodes: Vec::new(),
            representative: Vec::new(),
            known_edges: FxHashSet::default(),
            targets: Vec::new(),
            numbers: FxHashMap::default(),
            contents: Vec::new(),
            everywhere: [NodeId::new(0), NodeId::new(1)],
            anything: NodeId::new(2),
            is_anything_used: false,
            resolved: Vec::new(),
        };
        for _ in 0..3 {
            inclusion.new_node();
        }
        let everything = inclusion.number(Target::Everything);
        assert!(everything == EVERYTHING, "everything should be the first target");
        inclusion
    }

    pub(super) fn new_node(&mut self) -> NodeId {
        self.representative.push(self.nodes.len() as u32);
        self.nodes.push(Node::default());
        NodeId::new(self.nodes.len() - 1)
    }

    /// The number of a target; creates nodes for its contents, if it has any.
    pub(super) fn number(&mut self, target: Target) -> u32 {
        if let Some(&number) = self.numbers.get(&target) {
            return number;
        }
        let number = self.targets.len() as u32;
        self.targets.push(target);
        self.numbers.insert(target, number);
        let contents = matches!(target, Target::Object { .. }).then(|| [self.new_node(), self.new_node()]);
        self.contents.push(contents);
        if let Some(contents) = contents {
            for (kind, node) in contents.into_iter().enumerate() {
                self.add_edge(self.everywhere[kind], node);
                if self.is_anything_used {
                    self.add_edge(node, self.anything);
                }
            }
        }
        number
    }

    pub(super) fn find_number(&self, target: Target) -> Option<u32> {
        self.numbers.get(&target).copied()
    }

    pub(super) fn target(&self, number: u32) -> Target {
        self.targets[number as usize]
    }

    pub(super) fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// The nodes of the values stored in a target, as pointers and as integers.
    pub(super) fn contents(&self, number: u32) -> Option<[NodeId; 2]> {
        self.contents[number as usize]
    }

    fn find(&self, node: u32) -> u32 {
        let mut node = node;
        while self.representative[node as usize] != node {
            node = self.representative[node as usize];
        }
        node
    }

    fn node_mut(&mut self, node: NodeId) -> &mut Node {
        let found = self.find(node.index() as u32);
        &mut self.nodes[found as usize]
    }

    /// The solution of a node.
    pub(super) fn set(&self, node: NodeId) -> &Set {
        &self.nodes[self.find(node.index() as u32) as usize].set
    }

    // Constraints.

    pub(super) fn add_target(&mut self, node: NodeId, number: u32) {
        grow(&mut self.node_mut(node).set, &[number]);
    }

    /// Adds `from ⊆ to`.
    pub(super) fn add_edge(&mut self, from: NodeId, to: NodeId) {
        let (from, to) = (self.find(from.index() as u32), self.find(to.index() as u32));
        if from == to || !self.known_edges.insert((from, to)) {
            return;
        }
        self.nodes[from as usize].edges.push(to);
        // The rest is propagated in the next round.
        let carried = std::mem::take(&mut self.nodes[from as usize].carried);
        grow(&mut self.nodes[to as usize].set, &carried);
        self.nodes[from as usize].carried = carried;
    }

    /// Adds `ghost(from) ⊆ to`. Must be added before `from` is solved.
    pub(super) fn add_ghost_edge(&mut self, from: NodeId, to: NodeId) {
        self.node_mut(from).ghost_edges.push(to.index() as u32);
        self.node_mut(from).carried.clear();
    }

    /// Adds `*ptr ⊆ dst`.
    pub(super) fn add_load(&mut self, ptr: NodeId, dst: NodeId) {
        let loaded = match self.node_mut(ptr).loaded {
            Some(loaded) => loaded,
            None => {
                let loaded = self.new_node();
                self.node_mut(ptr).loaded = Some(loaded);
                self.node_mut(ptr).examined.clear();
                loaded
            }
        };
        self.add_edge(loaded, dst);
    }

    /// Adds `src ⊆ *ptr`.
    pub(super) fn add_store(&mut self, ptr: NodeId, src: NodeId, kind: Stored) {
        let stored = match self.node_mut(ptr).stored[kind as usize] {
            Some(stored) => stored,
            None => {
                let stored = self.new_node();
                self.node_mut(ptr).stored[kind as usize] = Some(stored);
                self.node_mut(ptr).examined.clear();
                stored
            }
        };
        self.add_edge(src, stored);
    }

    /// Adds a call through `ptr`: its targets are reported.
    pub(super) fn add_call(&mut self, ptr: NodeId, call: u32) {
        self.node_mut(ptr).calls.push(call);
        self.node_mut(ptr).examined.clear();
    }

    /// Solves, and returns new targets of calls. (A pair may be reported twice.)
    pub(super) fn solve(&mut self) -> Vec<(u32, Target)> {
        loop {
            let order = self.collapse_cycles();
            let has_carried = self.carry(&order);
            let has_examined = self.examine(&order);
            if !has_carried && !has_examined {
                return std::mem::take(&mut self.resolved);
            }
        }
    }

    /// Merges the nodes of each cycle; returns the remaining ones in topological order.
    fn collapse_cycles(&mut self) -> Vec<u32> {
        for node in 0..self.nodes.len() {
            self.representative[node] = self.find(node as u32);
            let mut edges = std::mem::take(&mut self.nodes[node].edges);
            for edge in &mut edges {
                *edge = self.find(*edge);
            }
            edges.sort_unstable();
            edges.dedup();
            edges.retain(|&to| to as usize != node);
            self.nodes[node].edges = edges;
        }
        let components = components_by(self.nodes.len(), |node| &self.nodes[node as usize].edges);
        let mut order = Vec::with_capacity(components.len());
        for component in components.into_iter().rev() {
            let first = component[0];
            if component.len() > 1 {
                self.merge(&component);
            }
            if self.representative[first as usize] == first {
                order.push(first);
            }
        }
        order
    }

    /// Merges all nodes into the first.
    fn merge(&mut self, component: &[u32]) {
        let first = component[0] as usize;
        let mut merged = std::mem::take(&mut self.nodes[first]);
        let mut same = Vec::new();
        for &other in &component[1..] {
            let node = std::mem::take(&mut self.nodes[other as usize]);
            grow(&mut merged.set, &node.set);
            merged.edges.extend(node.edges);
            merged.ghost_edges.extend(node.ghost_edges);
            merged.calls.extend(node.calls);
            unite(&mut merged.loaded, node.loaded, &mut same);
            for (one, other) in merged.stored.iter_mut().zip(node.stored) {
                unite(one, other, &mut same);
            }
            self.representative[other as usize] = first as u32;
        }
        merged.carried.clear();
        merged.examined.clear();
        self.nodes[first] = merged;
        for (one, other) in same {
            self.add_edge(one, other);
            self.add_edge(other, one);
        }
    }

    /// Propagates differences along the edges. Returns whether anything changed.
    fn carry(&mut self, order: &[u32]) -> bool {
        let mut has_carried = false;
        for &node in order {
            let at = node as usize;
            let new = difference(&self.nodes[at].set, &self.nodes[at].carried);
            if new.is_empty() {
                continue;
            }
            has_carried = true;
            self.nodes[at].carried = self.nodes[at].set.clone();
            for index in 0..self.nodes[at].edges.len() {
                let to = self.find(self.nodes[at].edges[index]);
                grow(&mut self.nodes[to as usize].set, &new);
            }
            if self.nodes[at].ghost_edges.is_empty() {
                continue;
            }
            let mut ghosts: Set = new.iter().filter_map(|&number| self.ghost(number)).collect();
            ghosts.sort_unstable();
            ghosts.dedup();
            for index in 0..self.nodes[at].ghost_edges.len() {
                let to = self.find(self.nodes[at].ghost_edges[index]);
                grow(&mut self.nodes[to as usize].set, &ghosts);
            }
        }
        has_carried
    }

    /// The ghost of a target.
    fn ghost(&mut self, number: u32) -> Option<u32> {
        let ghost = self.target(number).ghost()?;
        Some(self.number(ghost))
    }

    /// Processes loads, stores and calls through sets that grew. Returns whether anything changed.
    fn examine(&mut self, order: &[u32]) -> bool {
        let mut has_examined = false;
        for &node in order {
            let this = &self.nodes[node as usize];
            if this.loaded.is_none() && this.stored == [None; 2] && this.calls.is_empty() {
                continue;
            }
            let new = difference(&this.set, &this.examined);
            if new.is_empty() {
                continue;
            }
            has_examined = true;
            self.nodes[node as usize].examined = self.nodes[node as usize].set.clone();
            for number in new {
                self.examine_target(node, number);
            }
        }
        has_examined
    }

    fn examine_target(&mut self, node: u32, number: u32) {
        let at = node as usize;
        let target = self.target(number);
        let (loaded, stored) = (self.nodes[at].loaded, self.nodes[at].stored);
        let contents = match target {
            Target::Unknown | Target::Everything => {
                if let Some(loaded) = loaded {
                    self.use_anything();
                    self.add_edge(self.anything, loaded);
                }
                Some(self.everywhere)
            }
            Target::Object { .. } | Target::Function(_) | Target::Thread(..) | Target::AnyThread => {
                self.contents(number)
            }
        };
        if let Some(contents) = contents {
            for (kind, content) in contents.into_iter().enumerate() {
                if let Some(loaded) = loaded {
                    self.add_edge(content, loaded);
                }
                if let Some(stored) = stored[kind] {
                    self.add_edge(stored, content);
                }
            }
        }
        for index in 0..self.nodes[at].calls.len() {
            self.resolved.push((self.nodes[at].calls[index], target));
        }
    }

    fn use_anything(&mut self) {
        if self.is_anything_used {
            return;
        }
        self.is_anything_used = true;
        for index in 0..self.contents.len() {
            for node in self.contents[index].into_iter().flatten() {
                self.add_edge(node, self.anything);
            }
        }
    }
}

/// Merges two optional nodes, recording the pair if there are two.
fn unite(one: &mut Option<NodeId>, other: Option<NodeId>, same: &mut Vec<(NodeId, NodeId)>) {
    match (*one, other) {
        (Some(one), Some(other)) => same.push((one, other)),
        (None, other) => *one = other,
        (Some(_), None) => {}
    }
}

/// Adds sorted numbers to a node's set.
fn grow(set: &mut Set, new: &[u32]) {
    if set.first() == Some(&EVERYTHING) {
        return;
    }
    insert_all(set, new);
    if set.len() > LARGEST || set.first() == Some(&EVERYTHING) {
        *set = vec![EVERYTHING];
    }
}

/// Adds sorted numbers to a sorted set.
pub(super) fn insert_all(set: &mut Set, new: &[u32]) {
    match new {
        [] => return,
        [single] => {
            if let Err(place) = set.binary_search(single) {
                set.insert(place, *single);
            }
            return;
        }
        _ => {}
    }
    if set.is_empty() {
        set.extend_from_slice(new);
        return;
    }
    let missing = difference(new, set);
    if !missing.is_empty() {
        set.extend(missing);
        // Two sorted runs: the standard sort merges them in linear time.
        set.sort();
    }
}

/// The difference of sorted sets.
pub(super) fn difference(set: &[u32], other: &[u32]) -> Set {
    let mut rest = other;
    let mut result = Vec::new();
    for &item in set {
        while let [first, tail @ ..] = rest {
            if *first >= item {
                break;
            }
            rest = tail;
        }
        if rest.first() != Some(&item) {
            result.push(item);
        }
    }
    result
}
