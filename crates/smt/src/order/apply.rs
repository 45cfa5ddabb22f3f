//! Applies new declarations to the theory's state, at the solver's root level.
//!
//! Besides the edges themselves this records, for every pair of nodes, the work to do when the second becomes reachable
//! from the first: guarded edges back would close a cycle, guarded edges may wait for that path, a from-read back may
//! be derived. For from-reads only the bit in the closure is kept, one per pair of read and write.

use super::problem::{Choice, Edge, Event, Node, Relation};
use super::theory::{code, Cycle, EventChoices, Guarded, PairWork, Theory};
use crate::sat::Lit;
use base::Id;
use smallvec::SmallVec;

impl Theory {
    /// Applies the declarations since the last call.
    pub(super) fn apply_declarations(&mut self) -> Result<(), Cycle> {
        self.apply_nodes();
        let mut changed = false;
        while self.applied.edges < self.problem.edges.len() {
            let edge = self.problem.edges[self.applied.edges].clone();
            self.applied.edges += 1;
            changed = true;
            self.apply_edge(edge)?;
        }
        while self.applied.write_order < self.problem.write_order.len() {
            let choice = self.problem.write_order[self.applied.write_order];
            self.applied.write_order += 1;
            changed = true;
            self.apply_write_order(choice)?;
        }
        while self.applied.reads_from < self.problem.reads_from.len() {
            let choice = self.problem.reads_from[self.applied.reads_from];
            self.applied.reads_from += 1;
            changed = true;
            self.apply_reads_from(choice)?;
        }
        if changed {
            self.settle();
        }
        Ok(())
    }

    fn apply_nodes(&mut self) {
        if self.applied.nodes == self.problem.nodes() {
            return;
        }
        self.closures.resize_with(self.problem.orders(), Default::default);
        self.node_by_index.resize_with(self.problem.orders(), Vec::new);
        for node in (self.applied.nodes..self.problem.nodes()).map(Node::new) {
            self.node_by_index[self.problem.order_of(node).index()].push(node);
        }
        for (closure, nodes) in self.closures.iter_mut().zip(&self.node_by_index) {
            closure.grow(nodes.len());
        }
        self.out.resize(self.problem.nodes(), Vec::new());
        self.choices.resize(self.problem.events(), EventChoices::default());
        self.applied.nodes = self.problem.nodes();
    }

    fn apply_edge(&mut self, edge: Edge) -> Result<(), Cycle> {
        self.add_guarded(edge.when, edge.path, edge.from, edge.to)
    }

    fn add_guarded(
        &mut self,
        when: SmallVec<[Lit; 2]>,
        path: Option<(Node, Node)>,
        from: Node,
        to: Node,
    ) -> Result<(), Cycle> {
        let guard = self.guards.len() as u32;
        let mut missing = 0;
        for &lit in &when {
            self.ensure_variable(lit.var());
            self.occurrences[code(lit)].guards.push(guard);
            missing += u32::from(!self.is_processed(lit));
        }
        if let Some((start, end)) = path {
            if !self.reaches(start, end) {
                missing += 1;
                self.work_for(start, end).waiting.push(guard);
            }
        }
        if !when.is_empty() {
            self.work_for(to, from).closing.push(guard);
        }
        self.guards.push(Guarded { from, to, when, path, missing });
        self.react_to_guard(guard)
    }

    /// The work to do when `to` becomes reachable from `from`.
    fn work_for(&mut self, from: Node, to: Node) -> &mut PairWork {
        let order = self.problem.order_of(from).index();
        self.closures[order].want(self.problem.index_in_order(from), self.problem.index_in_order(to));
        let next = self.works.len() as u32;
        let work = *self.pairs.entry((from, to)).or_insert(next);
        if work == next {
            self.works.push(PairWork::default());
        }
        &mut self.works[work as usize]
    }

    fn apply_reads_from(&mut self, choice: Choice) -> Result<(), Cycle> {
        let Choice { lit, first: write, second: read } = choice;
        self.ensure_variable(lit.var());
        for (from, to) in self.problem.edges_of(Relation::ReadsFrom, write, read) {
            self.add_guarded(SmallVec::from_slice(&[lit]), None, from, to)?;
        }
        self.occurrences[code(lit)].reads_from.push(choice);
        self.choices[write.index()].readers.push(choice);
        self.choices[read.index()].sources.push(choice);
        for index in 0..self.choices[write.index()].laters.len() {
            let later = self.choices[write.index()].laters[index].second;
            self.expect_from_read(read, later);
        }
        self.hints.add_reads_from(lit);
        if self.is_processed(lit) {
            self.read_from(choice)?;
        }
        Ok(())
    }

    fn apply_write_order(&mut self, choice: Choice) -> Result<(), Cycle> {
        let Choice { lit, first: write, second: later } = choice;
        self.ensure_variable(lit.var());
        for (from, to) in self.problem.edges_of(Relation::WriteOrder, write, later) {
            self.add_guarded(SmallVec::from_slice(&[lit]), None, from, to)?;
        }
        self.occurrences[code(lit)].write_order.push(choice);
        self.choices[write.index()].laters.push(choice);
        // Only the first literal of a pair is propagated by from-reads; cycles are found for all of them.
        self.write_order_of.entry((write, later)).or_insert(lit);
        for index in 0..self.choices[write.index()].readers.len() {
            let read = self.choices[write.index()].readers[index].second;
            self.expect_from_read(read, later);
        }
        self.hints.add_write_order(lit);
        if self.is_processed(lit) {
            self.order_writes(choice)?;
        }
        Ok(())
    }

    /// A from-read between these events may be derived.
    fn expect_from_read(&mut self, read: Event, later: Event) {
        if read == later {
            return;
        }
        for order in self.problem.order_ids() {
            if let Some((from, to)) = self.problem.edge_in(order, Relation::FromRead, read, later) {
                let (from, to) = (self.problem.index_in_order(from), self.problem.index_in_order(to));
                self.closures[order.index()].want(to, from);
            }
        }
    }
}
