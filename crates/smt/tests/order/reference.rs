//! The meaning of scripts, implemented a second time and independently of the theory: the steps as lists of edges,
//! evaluated under an assignment, enumerated, or encoded with a literal per pair of nodes and transitivity clauses.

use super::script::{Name, Script, Step};
use base::Budget;
use smt::order::{Includes, Pairs};
use smt::sat::Answer;
use smt::{Lit, Sat};
use std::collections::BTreeMap;

/// An edge between nodes (numbered over all orders) with its conditions.
struct Edge {
    when: Vec<Name>,
    path: Option<(usize, usize)>,
    from: usize,
    to: usize,
}

/// The interpreted steps before a solver call.
pub(crate) struct Reading {
    nodes: usize,
    /// The nodes of each order.
    orders: Vec<Vec<usize>>,
    edges: Vec<Edge>,
    clauses: Vec<Vec<Name>>,
    pub(crate) variables: Vec<Name>,
}

fn has(pairs: Pairs, external: bool) -> bool {
    pairs == Pairs::All || pairs == Pairs::External && external
}

pub(crate) fn read(script: &Script, steps: &[Step]) -> Reading {
    let mut reading =
        Reading { nodes: 0, orders: Vec::new(), edges: Vec::new(), clauses: Vec::new(), variables: Vec::new() };
    let mut nodes: Vec<Vec<usize>> = vec![Vec::new(); script.orders.len()];
    let mut events: Vec<(u32, Vec<usize>)> = Vec::new();
    let (mut reads_from, mut write_order) = (Vec::new(), Vec::new());
    for step in steps {
        match step {
            Step::Event(thread) => {
                let first = reading.nodes;
                reading.nodes += script.orders.len();
                let mine: Vec<usize> = (first..reading.nodes).collect();
                nodes.iter_mut().zip(&mine).for_each(|(nodes, &node)| nodes.push(node));
                events.push((*thread, mine));
            }
            Step::Node(order) => {
                nodes[order % script.orders.len()].push(reading.nodes);
                reading.nodes += 1;
            }
            Step::Edge { order, when, path, from, to } => {
                let find = |order: usize, from: usize, to: usize| {
                    let nodes = &nodes[order % script.orders.len()];
                    (!nodes.is_empty()).then(|| (nodes[from % nodes.len()], nodes[to % nodes.len()]))
                };
                let Some((from, to)) = find(*order, *from, *to) else { continue };
                let path = match path.map(|(order, from, to)| find(order, from, to)) {
                    Some(None) => continue,
                    Some(Some(path)) => Some(path),
                    None => None,
                };
                reading.edges.push(Edge { when: when.clone(), path, from, to });
            }
            Step::ReadsFrom(name, a, b) if !events.is_empty() => {
                reads_from.push((*name, a % events.len(), b % events.len()));
            }
            Step::WriteOrder(name, a, b) if !events.is_empty() => {
                write_order.push((*name, a % events.len(), b % events.len()));
            }
            Step::ReadsFrom(..) | Step::WriteOrder(..) | Step::Solve(_) => {}
            Step::Clause(names) => reading.clauses.push(names.clone()),
        }
    }
    let mut relate = |when: Vec<Name>, a: usize, b: usize, pairs: fn(&Includes) -> Pairs| {
        let external = events[a].0 != events[b].0;
        for (order, includes) in script.orders.iter().enumerate() {
            if has(pairs(includes), external) {
                let (from, to) = (events[a].1[order], events[b].1[order]);
                reading.edges.push(Edge { when: when.clone(), path: None, from, to });
            }
        }
    };
    for &(rf, w, r) in &reads_from {
        relate(vec![rf], w, r, |includes| includes.reads_from);
        for &(co, first, later) in &write_order {
            if first == w && later != r {
                relate(vec![rf, co], r, later, |includes| includes.from_reads);
            }
        }
    }
    for &(co, first, later) in &write_order {
        relate(vec![co], first, later, |includes| includes.write_order);
    }
    reading.variables = variables(steps);
    reading.orders = nodes;
    reading
}

fn variables(steps: &[Step]) -> Vec<Name> {
    let mut variables: Vec<Name> = Vec::new();
    for step in steps {
        match step {
            Step::Event(_) | Step::Node(_) => {}
            Step::Edge { when: names, .. } | Step::Clause(names) | Step::Solve(names) => variables.extend(names),
            Step::ReadsFrom(name, ..) | Step::WriteOrder(name, ..) => variables.push(*name),
        }
    }
    variables.iter_mut().for_each(|name| *name = name.abs());
    variables.sort_unstable();
    variables.dedup();
    variables
}

impl Reading {
    /// Whether the clauses hold and the orders are acyclic.
    pub(crate) fn is_model(&self, is_true: impl Fn(Name) -> bool) -> bool {
        if !self.clauses.iter().all(|clause| clause.iter().any(|&name| is_true(name))) {
            return false;
        }
        let mut reach = vec![vec![false; self.nodes]; self.nodes];
        loop {
            let mut changed = false;
            for edge in self.edges.iter().filter(|edge| edge.when.iter().all(|&name| is_true(name))) {
                let holds = edge.path.is_none_or(|(start, end)| start == end || reach[start][end]);
                if holds && !reach[edge.from][edge.to] {
                    reach[edge.from][edge.to] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
            for middle in 0..self.nodes {
                let row = reach[middle].clone();
                for from in reach.iter_mut().filter(|from| from[middle]) {
                    from.iter_mut().zip(&row).for_each(|(bit, &more)| *bit |= more);
                }
            }
        }
        (0..self.nodes).all(|node| !reach[node][node])
    }

    /// Whether there is a model, by trying all assignments.
    pub(crate) fn enumerate(&self, assumptions: &[Name]) -> Answer {
        let places: BTreeMap<Name, usize> = self.variables.iter().enumerate().map(|(i, &name)| (name, i)).collect();
        for bits in 0u32..1 << self.variables.len() {
            let is_true = |name: Name| (bits >> places[&name.abs()] & 1 == 1) == (name > 0);
            if assumptions.iter().all(|&name| is_true(name)) && self.is_model(is_true) {
                return Answer::Sat;
            }
        }
        Answer::Unsat
    }

    /// Whether there is a model, by a literal per pair of nodes and transitivity clauses.
    pub(crate) fn solve(&self, assumptions: &[Name]) -> Answer {
        let mut sat = Sat::new();
        let literals: BTreeMap<Name, Lit> = self.variables.iter().map(|&name| (name, sat.fresh())).collect();
        let lit = |name: Name| literals[&name.abs()].negate_if(name < 0);
        for clause in &self.clauses {
            let clause: Vec<Lit> = clause.iter().map(|&name| lit(name)).collect();
            sat.add(&clause);
        }
        let mut before = vec![vec![Lit::FALSE; self.nodes]; self.nodes];
        for order in &self.orders {
            for (&a, &b) in order.iter().flat_map(|a| order.iter().map(move |b| (a, b))).filter(|(a, b)| a != b) {
                before[a][b] = sat.fresh();
            }
            for &a in order {
                for (&b, &c) in order.iter().flat_map(|b| order.iter().map(move |c| (b, c))) {
                    if a != b && b != c {
                        sat.add(&[!before[a][b], !before[b][c], before[a][c]]);
                    }
                }
            }
        }
        for edge in &self.edges {
            let mut clause: Vec<Lit> = edge.when.iter().map(|&name| !lit(name)).collect();
            if let Some((start, end)) = edge.path.filter(|(start, end)| start != end) {
                clause.push(!before[start][end]);
            }
            clause.push(before[edge.from][edge.to]);
            sat.add(&clause);
        }
        let assumptions: Vec<Lit> = assumptions.iter().map(|&name| lit(name)).collect();
        sat.solve(&assumptions, &Budget::unlimited()).expect("an unlimited budget should not stop")
    }
}
