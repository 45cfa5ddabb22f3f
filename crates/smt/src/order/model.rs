//! The last word on a model: all orders are built from the declarations and the model's values alone, and searched for a
//! cycle. Shares nothing with the incremental state, so that an error there cannot become a wrong answer.

use super::lemma::{EdgeJustification, TheoryLemma};
use super::problem::{Node, Problem, Relation};
use crate::sat::Lit;
use base::Id;
use rustc_hash::FxHashSet;

/// The edges that are there in a model.
struct Graph {
    edges: Vec<EdgeJustification>,
    /// Indices of edges by the node they leave.
    out: Vec<Vec<usize>>,
}

/// A cycle in the orders of this model (every observed variable as a true literal), if there is one.
pub(super) fn find_cycle(problem: &Problem, model: &[i32]) -> Option<TheoryLemma> {
    let mut values = vec![false; model.iter().map(|lit| lit.unsigned_abs() as usize + 1).max().unwrap_or(0)];
    for &lit in model {
        values[lit.unsigned_abs() as usize] = lit > 0;
    }
    let is_true = |lit: Lit| values.get(lit.var()).copied().unwrap_or(false) == lit.is_positive();
    let mut graph = Graph { edges: Vec::new(), out: vec![Vec::new(); problem.nodes()] };
    let holding = problem.edges.iter().filter(|edge| edge.when.iter().all(|&lit| is_true(lit)));
    let (plain, mut waiting): (Vec<_>, Vec<_>) = holding.partition(|edge| edge.path.is_none());
    for edge in plain {
        graph.add(edge.from, edge.to, &edge.when, Vec::new());
    }
    graph.add_choices(problem, is_true);
    // Each path may make an edge that makes other paths.
    loop {
        let before = waiting.len();
        waiting.retain(|edge| match edge.path.and_then(|(start, end)| graph.path(start, end)) {
            Some(path) => {
                graph.add(edge.from, edge.to, &edge.when, path);
                false
            }
            None => true,
        });
        if waiting.len() == before {
            break;
        }
    }
    graph.cycle().map(TheoryLemma::of_cycle)
}

impl Graph {
    fn add(&mut self, from: Node, to: Node, literals: &[Lit], path: Vec<EdgeJustification>) {
        self.out[from.index()].push(self.edges.len());
        self.edges.push(EdgeJustification { from, to, literals: literals.to_vec(), path });
    }

    fn add_choices(&mut self, problem: &Problem, is_true: impl Fn(Lit) -> bool) {
        let mut laters = vec![Vec::new(); problem.events()];
        for co in problem.write_order.iter().filter(|co| is_true(co.lit)) {
            laters[co.first.index()].push((co.second, co.lit));
            for (from, to) in problem.edges_of(Relation::WriteOrder, co.first, co.second) {
                self.add(from, to, &[co.lit], Vec::new());
            }
        }
        for rf in problem.reads_from.iter().filter(|rf| is_true(rf.lit)) {
            for (from, to) in problem.edges_of(Relation::ReadsFrom, rf.first, rf.second) {
                self.add(from, to, &[rf.lit], Vec::new());
            }
            for &(later, co) in laters[rf.first.index()].iter().filter(|(later, _)| *later != rf.second) {
                for (from, to) in problem.edges_of(Relation::FromRead, rf.second, later) {
                    self.add(from, to, &[rf.lit, co], Vec::new());
                }
            }
        }
    }

    /// A path between two nodes, by depth-first search.
    fn path(&self, start: Node, end: Node) -> Option<Vec<EdgeJustification>> {
        let mut seen = FxHashSet::default();
        let mut came_by = rustc_hash::FxHashMap::default();
        let mut stack = vec![start];
        while let Some(node) = stack.pop() {
            if node == end {
                let mut path = Vec::new();
                let mut node = end;
                while node != start {
                    let edge: &EdgeJustification = &self.edges[came_by[&node]];
                    path.push(edge.clone());
                    node = edge.from;
                }
                path.reverse();
                return Some(path);
            }
            if !seen.insert(node) {
                continue;
            }
            for &edge in &self.out[node.index()] {
                let to = self.edges[edge].to;
                if !seen.contains(&to) {
                    came_by.insert(to, edge);
                    stack.push(to);
                }
            }
        }
        None
    }

    /// A cycle: nodes without incoming edges are taken away until none is left, or only such as lie behind a cycle.
    fn cycle(&self) -> Option<Vec<EdgeJustification>> {
        let mut incoming = vec![0usize; self.out.len()];
        self.edges.iter().for_each(|edge| incoming[edge.to.index()] += 1);
        let mut free: Vec<usize> = (0..self.out.len()).filter(|&node| incoming[node] == 0).collect();
        while let Some(node) = free.pop() {
            for &edge in &self.out[node] {
                let to = self.edges[edge].to.index();
                incoming[to] -= 1;
                if incoming[to] == 0 {
                    free.push(to);
                }
            }
        }
        // Every node left has a predecessor that is left: going backwards must come around.
        let mut back = vec![None; self.out.len()];
        for (index, edge) in self.edges.iter().enumerate() {
            if incoming[edge.from.index()] > 0 && incoming[edge.to.index()] > 0 {
                back[edge.to.index()] = Some(index);
            }
        }
        let mut node = (0..self.out.len()).find(|&node| incoming[node] > 0)?;
        let mut seen = vec![false; self.out.len()];
        while !std::mem::replace(&mut seen[node], true) {
            node = self.edges[back[node]?].from.index();
        }
        let last = node;
        let mut cycle = Vec::new();
        loop {
            let edge = &self.edges[back[node]?];
            cycle.push(edge.clone());
            node = edge.from.index();
            if node == last {
                cycle.reverse();
                return Some(cycle);
            }
        }
    }
}
