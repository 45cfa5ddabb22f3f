//! Checks a finished tree as a proof, with a fresh solver and without trusting the state of the search.
//!
//! Obligations: The root is at the program's start, and its label is true. Every edge leads from its label to the next
//! one. Trouble nodes have a false label. A covered node implies the label of an uncovered node at the same location,
//! which is not below a covered one. Every other open node has all outcomes of every thread that is not skipped, and of
//! every thread that a covering requests; a skipped thread has a smaller number than the thread that moved last, and
//! could have moved before it, from every state that the label above allows ([`super::exchange`], which knows nothing
//! about footprints).
//!
//! Why that is a proof: take a path to a violation and follow it in the tree. Where its next thread is skipped, the
//! last two steps are exchanged, and the path with the same statements and a smaller sequence of threads is followed
//! instead; there are finitely many of these. Where it reaches a covered node it continues at the covering node, whose
//! label holds too and which has the step. So the tree would contain the violation. (The paper also demands of a skip
//! that the step before did not close a loop; this argument does not need it.)
//!
//! The steps at a location come from [`super::machine`], which the search uses too.

use super::path::{Execution, Unknowns};
use super::search::Search;
use super::tree::{root, Edge, NodeId, Position};
use base::{Budget, Stop};
use rustc_hash::FxHashMap;
use smt::interpolation::Step;
use smt::{Answer, Solver, Term};
use std::collections::BTreeSet;

/// Why a tree is rejected.
pub(super) enum Failure {
    Stopped(Stop),
    Wrong(String),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        Failure::Stopped(stop)
    }
}

struct Checker<'c, 's, 'p> {
    search: &'c mut Search<'s, 'p>,
    solver: Solver,
    unknowns: Unknowns,
    budget: &'c Budget,
    checks: u64,
    /// Whether a step (location, thread, outcome) and the next step of another thread can be exchanged in every state.
    exchanged: FxHashMap<(usize, u32, usize, u32), bool>,
}

/// Checks a tree. Returns the number of solver calls.
pub(super) fn check(search: &mut Search<'_, '_>, budget: &Budget) -> Result<u64, Failure> {
    let mut checker = Checker {
        search,
        solver: Solver::new(),
        unknowns: Unknowns::default(),
        budget,
        checks: 0,
        exchanged: FxHashMap::default(),
    };
    checker.check_tree()?;
    Ok(checker.checks)
}

impl Checker<'_, '_, '_> {
    fn check_tree(&mut self) -> Result<(), Failure> {
        if !self.search.tree.nodes[root()].label.is_empty() {
            return Err(Failure::Wrong("the first label is not true".to_owned()));
        }
        let all: Vec<NodeId> = self.search.tree.nodes.ids().collect();
        for node in all {
            self.budget.check()?;
            self.check_edge(node)?;
            let record = &self.search.tree.nodes[node];
            let is_false = record.is_false;
            if is_false {
                self.check_false(node)?;
            } else if matches!(record.position, Position::Trouble(_)) && !self.search.tree.is_below_closed(node) {
                return Err(Failure::Wrong(format!("{node} is trouble, and its label is not false")));
            } else if let Some(by) = record.covered_by {
                self.check_cover(node, by)?;
            } else if !self.search.tree.is_below_closed(node) {
                let required = self.required(node)?;
                self.check_expanded(node, &required)?;
            }
        }
        Ok(())
    }

    fn label(&mut self, node: NodeId) -> Term {
        let label = self.search.tree.nodes[node].label.clone();
        self.search.machine.terms.and(label)
    }

    /// Whether a sequence of steps is infeasible.
    fn is_excluded(&mut self, steps: &[Step]) -> Result<bool, Failure> {
        let mut execution = Execution::default();
        let terms = &mut self.search.machine.terms;
        for (number, &step) in steps.iter().enumerate() {
            execution.take(terms, &mut self.unknowns, number, step);
        }
        let facts: Vec<Term> = execution.facts.iter().map(|(_, _, fact)| *fact).collect();
        self.checks += 1;
        Ok(self.solver.check(terms, &facts, self.budget)? == Answer::Unsat)
    }

    fn check_edge(&mut self, node: NodeId) -> Result<(), Failure> {
        let Some(edge) = self.search.tree.nodes[node].edge.clone() else { return Ok(()) };
        let parts: Vec<Term> = self.search.tree.nodes[node].label.iter().copied().collect();
        if parts.is_empty() {
            return Ok(());
        }
        let above = self.label(edge.from);
        let mut steps = if edge.from == root() { self.search.machine.initial_steps() } else { vec![] };
        steps.push(Step::Assume(above));
        steps.extend(self.search.machine.steps_of(edge.outcome()));
        let label = self.label(node);
        let negated = self.search.machine.terms.not(label);
        steps.push(Step::Assume(negated));
        if self.is_excluded(&steps)? {
            return Ok(());
        }
        Err(Failure::Wrong(format!("the edge to {node} does not lead to its label")))
    }

    fn check_false(&mut self, node: NodeId) -> Result<(), Failure> {
        let label = self.label(node);
        if self.is_excluded(&[Step::Assume(label)])? {
            return Ok(());
        }
        Err(Failure::Wrong(format!("the label of {node} is not false")))
    }

    fn check_cover(&mut self, node: NodeId, by: NodeId) -> Result<(), Failure> {
        let (covered, cover) = (&self.search.tree.nodes[node], &self.search.tree.nodes[by]);
        if covered.position != cover.position || self.search.tree.is_below_closed(by) {
            return Err(Failure::Wrong(format!("{node} cannot be covered by {by}")));
        }
        let (label, other) = (self.label(node), self.label(by));
        let negated = self.search.machine.terms.not(other);
        if !self.is_excluded(&[Step::Assume(label), Step::Assume(negated)])? {
            return Err(Failure::Wrong(format!("{node} does not imply {by}")));
        }
        let required = self.required(node)?;
        self.check_expanded(by, &required)
    }

    /// The threads that cannot be skipped at a node.
    fn required(&mut self, node: NodeId) -> Result<BTreeSet<u32>, Failure> {
        let Position::Location(location) = self.search.tree.nodes[node].position else { return Ok(BTreeSet::new()) };
        let running: Vec<u32> = self.search.machine.movers(location);
        let mut required = BTreeSet::new();
        for thread in running {
            let can_move = !self.search.machine.successors(location, thread).is_empty();
            let is_there = self.search.tree.nodes[node].covered_by.is_none()
                && self.search.tree.nodes[node].threads.contains(&thread);
            if can_move && (is_there || !self.is_skippable(node, thread)?) {
                required.insert(thread);
            }
        }
        Ok(required)
    }

    fn is_skippable(&mut self, node: NodeId, thread: u32) -> Result<bool, Failure> {
        let Some(edge) = self.search.tree.nodes[node].edge.clone() else { return Ok(false) };
        let Position::Location(above) = self.search.tree.nodes[edge.from].position else { return Ok(false) };
        if thread >= edge.thread {
            return Ok(false);
        }
        let key = (above, edge.thread, edge.index, thread);
        let is_always = match self.exchanged.get(&key) {
            Some(&known) => known,
            None => {
                let is_always = self.can_exchange(above, &edge, thread, &[])?;
                self.exchanged.insert(key, is_always);
                is_always
            }
        };
        if is_always {
            return Ok(true);
        }
        let mut before = if edge.from == root() { self.search.machine.initial_steps() } else { vec![] };
        let label = self.label(edge.from);
        before.push(Step::Assume(label));
        self.can_exchange(above, &edge, thread, &before)
    }

    /// Whether the step of an edge and the next step of a thread can be exchanged after these steps.
    fn can_exchange(&mut self, above: usize, edge: &Edge, thread: u32, before: &[Step]) -> Result<bool, Failure> {
        let machine = &mut *self.search.machine;
        let Some(exchanges) = machine.exchanges(above, (edge.thread, edge.outcome()), thread) else { return Ok(false) };
        for exchange in &exchanges {
            self.checks += 1;
            let tools = (&mut self.solver, &mut self.unknowns, self.budget);
            if !machine.is_exchange(tools, before, edge.outcome(), exchange)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a node has an edge for each outcome of these threads.
    fn check_expanded(&mut self, node: NodeId, threads: &BTreeSet<u32>) -> Result<(), Failure> {
        for &thread in threads {
            let outcomes = self.search.outcomes(node, thread);
            let tree = &self.search.tree;
            let mut found = BTreeSet::new();
            for &child in &tree.nodes[node].children {
                if let Some(edge) = tree.nodes[child].edge.as_ref().filter(|edge| edge.thread == thread) {
                    let is_same = match (&edge.outcome().target, &tree.nodes[child].position) {
                        (super::machine::Target::Location(a), Position::Location(b)) => a == b,
                        (super::machine::Target::Trouble(a), Position::Trouble(b)) => a == b,
                        _ => false,
                    };
                    if is_same && std::rc::Rc::ptr_eq(&edge.outcomes, &outcomes) {
                        found.insert(edge.index);
                    }
                }
            }
            if found.len() != outcomes.len() {
                return Err(Failure::Wrong(format!("thread {thread} is not expanded at {node}")));
            }
        }
        Ok(())
    }
}
