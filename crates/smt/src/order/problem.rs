//! The declarations to the order theory, as plain data: this file alone defines the meaning of an order problem.
//!
//! An order problem has *orders*, each a directed graph over nodes of its own, all of which must be acyclic. The edges:
//! * an [`Edge`] is present when all its literals are true, and, if it names a path, the second node of the path is
//!   reachable from the first;
//! * a reads-from choice `rf(w, r)` or write-order choice `co(w, w')` that is true is an edge between the nodes of
//!   the two events in every order that [`Includes`] such pairs;
//! * for `rf(w, r)` and `co(w, w')` both true, with `r` and `w'` different events, the from-read `fr(r, w')` likewise.
//!
//! The theory, the check of its models, the check of its lemmas and the clock encoding all read this and share no code.

use crate::sat::Lit;
use base::{define_id, Id, IdVec};
use smallvec::SmallVec;

define_id!(
    /// One order: a graph that must be acyclic.
    OrderId, "order"
);
define_id!(
    /// A node of one order's graph.
    Node, "n"
);
define_id!(
    /// A memory access, or anything else that occurs in every order. It has one node in each.
    Event, "e"
);

/// Which pairs of a relation an order takes as edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pairs {
    /// None.
    None,
    /// Those between events of different threads.
    External,
    /// All.
    All,
}

impl Pairs {
    fn has(self, external: bool) -> bool {
        match self {
            Pairs::None => false,
            Pairs::External => external,
            Pairs::All => true,
        }
    }
}

/// Which pairs of each relation an order takes as edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Includes {
    /// From a write to a read of its value.
    pub reads_from: Pairs,
    /// From a write to a later write of the same location.
    pub write_order: Pairs,
    /// From a read to a write later than the one it read from.
    pub from_reads: Pairs,
}

impl Includes {
    /// Every pair of every relation.
    pub const ALL: Includes = Includes { reads_from: Pairs::All, write_order: Pairs::All, from_reads: Pairs::All };
    /// No pair: only the edges declared one by one.
    pub const NONE: Includes = Includes { reads_from: Pairs::None, write_order: Pairs::None, from_reads: Pairs::None };
}

/// A relation between events whose pairs are chosen by literals, or follow from such choices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// rf
    ReadsFrom,
    /// co
    WriteOrder,
    /// fr
    FromRead,
}

/// An edge under a condition; a fixed edge has none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The node it leaves.
    pub from: Node,
    /// The node it enters.
    pub to: Node,
    /// Literals that must all be true.
    pub when: SmallVec<[Lit; 2]>,
    /// Nodes of another order, the second of which must be reachable from the first.
    pub path: Option<(Node, Node)>,
}

/// A pair of a chosen relation: `rf(first, second)` or `co(first, second)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// True when the pair is chosen.
    pub lit: Lit,
    /// The write.
    pub first: Event,
    /// The read, or the later write.
    pub second: Event,
}

#[derive(Clone, Copy, Debug)]
struct EventData {
    thread: u32,
    first_node: Node,
}

#[derive(Clone, Copy, Debug)]
struct NodeData {
    order: OrderId,
    index: u32,
    event: Option<Event>,
}

/// All declarations.
#[derive(Clone, Default, Debug)]
pub struct Problem {
    orders: IdVec<OrderId, Includes>,
    sizes: IdVec<OrderId, u32>,
    nodes: IdVec<Node, NodeData>,
    events: IdVec<Event, EventData>,
    /// The edges, fixed ones too.
    pub edges: Vec<Edge>,
    /// The reads-from choices.
    pub reads_from: Vec<Choice>,
    /// The write-order choices.
    pub write_order: Vec<Choice>,
}

impl Problem {
    /// Adds an order. All orders must be there before the first event.
    pub fn order(&mut self, includes: Includes) -> OrderId {
        assert!(self.events.is_empty(), "orders should be declared before events");
        self.sizes.push(0);
        self.orders.push(includes)
    }

    /// Adds a node to an order.
    pub fn node(&mut self, order: OrderId) -> Node {
        self.node_of(order, None)
    }

    fn node_of(&mut self, order: OrderId, event: Option<Event>) -> Node {
        let index = self.sizes[order];
        self.sizes[order] += 1;
        self.nodes.push(NodeData { order, index, event })
    }

    /// Adds an event of a thread. Threads matter only to [`Pairs::External`].
    pub fn event(&mut self, thread: u32) -> Event {
        let event = self.events.next_id();
        let first_node = self.nodes.next_id();
        for order in 0..self.orders.len() {
            self.node_of(OrderId::new(order), Some(event));
        }
        self.events.push(EventData { thread, first_node })
    }

    /// The node of an event in an order.
    pub fn node_at(&self, event: Event, order: OrderId) -> Node {
        Node::new(self.events[event].first_node.index() + order.index())
    }

    /// The number of orders.
    pub fn orders(&self) -> usize {
        self.orders.len()
    }

    /// The relations that an order includes.
    pub fn includes(&self, order: OrderId) -> Includes {
        self.orders[order]
    }

    /// The thread of an event.
    pub fn thread_of(&self, event: Event) -> u32 {
        self.events[event].thread
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The number of events.
    pub fn events(&self) -> usize {
        self.events.len()
    }

    /// The order a node belongs to.
    pub fn order_of(&self, node: Node) -> OrderId {
        self.nodes[node].order
    }

    /// The node's number within its order, from 0.
    pub fn index_in_order(&self, node: Node) -> usize {
        self.nodes[node].index as usize
    }

    /// The event of a node, if it belongs to one.
    pub fn event_of(&self, node: Node) -> Option<Event> {
        self.nodes[node].event
    }

    /// All orders.
    pub fn order_ids(&self) -> impl Iterator<Item = OrderId> {
        (0..self.orders.len()).map(OrderId::new)
    }

    /// The edge for a pair of a relation in an order.
    pub fn edge_in(&self, order: OrderId, relation: Relation, first: Event, second: Event) -> Option<(Node, Node)> {
        let includes = self.orders[order];
        let pairs = match relation {
            Relation::ReadsFrom => includes.reads_from,
            Relation::WriteOrder => includes.write_order,
            Relation::FromRead => includes.from_reads,
        };
        let external = self.events[first].thread != self.events[second].thread;
        pairs.has(external).then(|| (self.node_at(first, order), self.node_at(second, order)))
    }

    /// The edges for a pair of a relation.
    pub fn edges_of(&self, relation: Relation, first: Event, second: Event) -> SmallVec<[(Node, Node); 2]> {
        self.order_ids().filter_map(|order| self.edge_in(order, relation, first, second)).collect()
    }

    /// Adds an edge that is present when all of `when` are true and, with a path, its second node can be reached from
    /// its first.
    pub fn edge(&mut self, when: &[Lit], path: Option<(Node, Node)>, from: Node, to: Node) {
        assert!(self.order_of(from) == self.order_of(to), "an edge should stay within an order");
        if let Some((start, end)) = path {
            assert!(self.order_of(start) == self.order_of(end), "a path should stay within an order");
        }
        self.edges.push(Edge { from, to, when: when.into(), path });
    }
}
