//! Order problems as scripts that remain meaningful when steps are removed, so that failures can be shrunk.

use smt::order::{Event, Includes, Node, Order, OrderId};
use smt::{Lit, Sat};

/// A literal of a script: variable from 1, negative for negations.
pub(crate) type Name = i32;

#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// An event of a thread.
    Event(u32),
    /// A node of the n-th order.
    Node(usize),
    /// An edge of the n-th order between its n-th nodes, with conditions and a path in another order. All numbers are
    /// taken modulo the number of existing items.
    Edge {
        order: usize,
        when: Vec<Name>,
        path: Option<(usize, usize, usize)>,
        from: usize,
        to: usize,
    },
    ReadsFrom(Name, usize, usize),
    WriteOrder(Name, usize, usize),
    Clause(Vec<Name>),
    Solve(Vec<Name>),
}

#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) orders: Vec<Includes>,
    pub(crate) hints: bool,
    /// Whether lemmas are logged, and checked.
    pub(crate) logged: bool,
    pub(crate) steps: Vec<Step>,
}

/// A script applied to a solver with the order theory.
pub(crate) struct Theory {
    pub(crate) sat: Sat,
    pub(crate) order: Order,
    orders: Vec<OrderId>,
    nodes: Vec<Vec<Node>>,
    events: Vec<Event>,
    literals: Vec<Option<Lit>>,
}

impl Theory {
    pub(crate) fn new(script: &Script) -> Theory {
        let mut sat = Sat::new();
        let mut order = Order::new(&mut sat);
        order.set_hints(script.hints);
        if script.logged {
            order.log_lemmas();
        }
        let orders: Vec<OrderId> = script.orders.iter().map(|&includes| order.order(includes)).collect();
        let nodes = vec![Vec::new(); orders.len()];
        Theory { sat, order, orders, nodes, events: Vec::new(), literals: Vec::new() }
    }

    /// Variables are created at their first use, some of them after a solver call.
    pub(crate) fn lit(&mut self, name: Name) -> Lit {
        let index = name.unsigned_abs() as usize;
        if self.literals.len() <= index {
            self.literals.resize(index + 1, None);
        }
        let lit = *self.literals[index].get_or_insert_with(|| self.sat.fresh());
        lit.negate_if(name < 0)
    }

    pub(crate) fn lits(&mut self, names: &[Name]) -> Vec<Lit> {
        names.iter().map(|&name| self.lit(name)).collect()
    }

    /// Applies any step but `Solve`.
    pub(crate) fn tell(&mut self, step: &Step) {
        match step {
            Step::Event(thread) => {
                let event = self.order.event(*thread);
                self.events.push(event);
                for (nodes, &order) in self.nodes.iter_mut().zip(&self.orders) {
                    nodes.push(self.order.node_at(event, order));
                }
            }
            Step::Node(order) => {
                let order = order % self.orders.len();
                let node = self.order.node(self.orders[order]);
                self.nodes[order].push(node);
            }
            Step::Edge { order, when, path, from, to } => {
                let when = self.lits(when);
                let ends = self.ends((*order, *from, *to));
                let path = path.map(|path| self.ends(path));
                match (path, ends) {
                    (None, Some((from, to))) if when.is_empty() => self.order.edge(from, to),
                    (None, Some((from, to))) => self.order.edge_if(&mut self.sat, &when, from, to),
                    (Some(Some(path)), Some((from, to))) => {
                        self.order.edge_if_path(&mut self.sat, &when, path, from, to);
                    }
                    _ => {}
                }
            }
            Step::ReadsFrom(name, write, read) | Step::WriteOrder(name, write, read) => {
                let lit = self.lit(*name);
                if self.events.is_empty() {
                    return;
                }
                let (first, second) = (write % self.events.len(), read % self.events.len());
                let (first, second) = (self.events[first], self.events[second]);
                match step {
                    Step::ReadsFrom(..) => self.order.reads_from(&mut self.sat, lit, first, second),
                    _ => self.order.write_order(&mut self.sat, lit, first, second),
                }
            }
            Step::Clause(names) => {
                let clause = self.lits(names);
                self.sat.add(&clause);
            }
            Step::Solve(_) => {}
        }
    }

    fn ends(&self, (order, from, to): (usize, usize, usize)) -> Option<(Node, Node)> {
        let nodes = &self.nodes[order % self.orders.len()];
        (!nodes.is_empty()).then(|| (nodes[from % nodes.len()], nodes[to % nodes.len()]))
    }
}
