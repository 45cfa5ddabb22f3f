//! The final check of a model: all orders are built from the declarations and the model's values alone, and searched
//! for a cycle. It shares nothing with the incremental state, so an error there cannot become a wrong answer.

use super::lemma::{EdgeJustification, TheoryLemma};
use super::problem::{Edge, Node, Problem, Relation};
use crate::sat::Lit;
use base::Id;
use smallvec::SmallVec;

/// An edge that is present in a model. A path that justifies it consists of edges that were added before it.
struct Present {
    from: Node,
    to: Node,
    literals: SmallVec<[Lit; 2]>,
    path: Option<(Node, Node)>,
}

struct Graph {
    edges: Vec<Present>,
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
    Graph::new(problem, is_true).cycle().map(TheoryLemma::of_cycle)
}

/// The edges that are present in a model.
pub(super) fn present_edges(problem: &Problem, is_true: impl Fn(Lit) -> bool) -> Vec<(Node, Node)> {
    Graph::new(problem, is_true).edges.iter().map(|edge| (edge.from, edge.to)).collect()
}

impl Graph {
    fn new(problem: &Problem, is_true: impl Fn(Lit) -> bool) -> Graph {
        let mut graph = Graph { edges: Vec::new(), out: vec![Vec::new(); problem.nodes()] };
        let mut waiting = Vec::new();
        for edge in problem.edges.iter().filter(|edge| edge.when.iter().all(|&lit| is_true(lit))) {
            match edge.path {
                None => graph.add(edge.from, edge.to, &edge.when, None),
                Some(path) => waiting.push((path, edge)),
            }
        }
        graph.add_choices(problem, is_true);
        graph.add_waiting(waiting);
        graph
    }

    fn add(&mut self, from: Node, to: Node, literals: &[Lit], path: Option<(Node, Node)>) {
        self.out[from.index()].push(self.edges.len());
        self.edges.push(Present { from, to, literals: literals.into(), path });
    }

    fn add_choices(&mut self, problem: &Problem, is_true: impl Fn(Lit) -> bool) {
        let mut laters = vec![Vec::new(); problem.events()];
        for co in problem.write_order.iter().filter(|co| is_true(co.lit)) {
            laters[co.first.index()].push((co.second, co.lit));
            for (from, to) in problem.edges_of(Relation::WriteOrder, co.first, co.second) {
                self.add(from, to, &[co.lit], None);
            }
        }
        for rf in problem.reads_from.iter().filter(|rf| is_true(rf.lit)) {
            for (from, to) in problem.edges_of(Relation::ReadsFrom, rf.first, rf.second) {
                self.add(from, to, &[rf.lit], None);
            }
            for &(later, co) in laters[rf.first.index()].iter().filter(|(later, _)| *later != rf.second) {
                for (from, to) in problem.edges_of(Relation::FromRead, rf.second, later) {
                    self.add(from, to, &[rf.lit, co], None);
                }
            }
        }
    }

    /// Adds edges whose paths exist until no more can be added: each may make paths for others.
    fn add_waiting(&mut self, mut waiting: Vec<((Node, Node), &Edge)>) {
        waiting.sort_by_key(|(path, _)| *path);
        loop {
            let before = waiting.len();
            let mut searched = None;
            let mut came_by = Vec::new();
            waiting.retain(|&((start, end), edge)| {
                if searched != Some(start) {
                    searched = Some(start);
                    came_by = self.search(start, self.edges.len());
                }
                let is_reached = start == end || came_by[end.index()].is_some();
                if is_reached {
                    self.add(edge.from, edge.to, &edge.when, Some((start, end)));
                }
                !is_reached
            });
            if waiting.len() == before {
                return;
            }
        }
    }

    /// For every node reachable over the first `limit` edges, the edge that reached it.
    fn search(&self, start: Node, limit: usize) -> Vec<Option<usize>> {
        let mut came_by = vec![None; self.out.len()];
        let mut stack = vec![start];
        while let Some(node) = stack.pop() {
            for &edge in self.out[node.index()].iter().filter(|&&edge| edge < limit) {
                let to = self.edges[edge].to;
                if to != start && came_by[to.index()].is_none() {
                    came_by[to.index()] = Some(edge);
                    stack.push(to);
                }
            }
        }
        came_by
    }

    fn justify(&self, index: usize) -> EdgeJustification {
        let edge = &self.edges[index];
        let mut path = Vec::new();
        if let Some((start, end)) = edge.path {
            let came_by = self.search(start, index);
            let mut node = end;
            while let Some(last) = came_by[node.index()].filter(|_| node != start) {
                path.push(self.justify(last));
                node = self.edges[last].from;
            }
            path.reverse();
        }
        EdgeJustification { from: edge.from, to: edge.to, literals: edge.literals.to_vec(), path }
    }

    /// A cycle: nodes without incoming edges are removed until none is left, or only nodes on or behind a cycle.
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
        // Every remaining node has a remaining predecessor: going backwards must close a cycle.
        let mut back: Vec<Option<usize>> = vec![None; self.out.len()];
        for (index, edge) in self.edges.iter().enumerate() {
            if incoming[edge.from.index()] > 0 && incoming[edge.to.index()] > 0 {
                back[edge.to.index()] = Some(index);
            }
        }
        let back = |node: usize| back[node].expect("a node that is left should have a predecessor that is left");
        let mut node = (0..self.out.len()).find(|&node| incoming[node] > 0)?;
        let mut seen = vec![false; self.out.len()];
        while !std::mem::replace(&mut seen[node], true) {
            node = self.edges[back(node)].from.index();
        }
        let last = node;
        let mut cycle = Vec::new();
        loop {
            let index = back(node);
            cycle.push(self.justify(index));
            node = self.edges[index].from.index();
            if node == last {
                cycle.reverse();
                return Some(cycle);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::problem::{Choice, Includes, Pairs};
    use crate::proof::order::check_lemma;

    /// The incremental state leaves nothing for this check to find, so it is tested on its own.
    #[test]
    fn cycles_are_found_from_values_alone() {
        let mut problem = Problem::default();
        let happens_before = problem.order(Includes { reads_from: Pairs::All, ..Includes::NONE });
        let coherence = problem.order(Includes::ALL);
        let [initial, write, flag, see, read] = [0, 1, 1, 2, 2].map(|thread| problem.event(thread));
        let at = |problem: &Problem, event, order| problem.node_at(event, order);
        for (before, after) in [(write, flag), (see, read)] {
            let ends = (at(&problem, before, happens_before), at(&problem, after, happens_before));
            problem.edge(&[], None, ends.0, ends.1);
        }
        let path = (at(&problem, write, happens_before), at(&problem, read, happens_before));
        let ends = (at(&problem, write, coherence), at(&problem, read, coherence));
        problem.edge(&[], Some(path), ends.0, ends.1);
        let lits = [2, 3, 4].map(Lit::from_dimacs);
        problem.write_order.push(Choice { lit: lits[0], first: initial, second: write });
        problem.reads_from.push(Choice { lit: lits[1], first: flag, second: see });
        problem.reads_from.push(Choice { lit: lits[2], first: initial, second: read });
        assert_eq!(find_cycle(&problem, &[2, -3, 4]), None);
        assert_eq!(find_cycle(&problem, &[2, 3, -4]), None);
        let lemma = find_cycle(&problem, &[2, 3, 4]).expect("the stale read should close a cycle");
        assert_eq!(lemma.clause, [!lits[2], !lits[1], !lits[0]]);
        assert!(check_lemma(&lemma, &problem).is_ok());
        let weaker = TheoryLemma { clause: vec![!lits[2], !lits[0]], ..lemma.clone() };
        assert!(check_lemma(&weaker, &problem).is_err());
        let mut broken = lemma;
        broken.cycle.iter_mut().for_each(|edge| edge.path.clear());
        assert!(check_lemma(&broken, &problem).is_err());
    }
}
