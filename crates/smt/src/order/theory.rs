//! The state of the order theory during the search: the active edges, and their consequences.
//!
//! After "Satisfiability modulo ordering consistency theory for multi-threaded program verification" (He, Sun, Fan,
//! PLDI 2021): edges carry the literals that justify them, from-reads are derived when both a reads-from and a
//! write-order literal are true, and an edge that would close a cycle makes its last literal false. Deviations: several
//! orders at once, edges that follow from a path in another order, and an incremental closure instead of a topological
//! order (see `closure.rs`).
//!
//! Notified literals queue on a trail and are *processed* one by one. If processing a literal finds a cycle, its
//! effects are undone and it stays first in the queue: until the solver has undone it, later literals are not
//! processed, and nothing is lost. Every change is recorded, so the cost of backtracking is that of the changes undone.
//! New declarations wait until the solver is at its root level, where their effects are permanent.

use super::closure::{Closure, Mark};
use super::lemma::TheoryLemma;
use super::problem::{Choice, Event, Node, OrderId, Problem, Relation};
use super::Statistics;
use crate::sat::Lit;
use base::Id;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The index of a literal, for tables by literal.
pub(super) fn code(lit: Lit) -> usize {
    2 * lit.var() + usize::from(!lit.is_positive())
}

/// An edge under a condition. A choice has one for each order that includes it.
pub(super) struct Guarded {
    pub(super) from: Node,
    pub(super) to: Node,
    pub(super) when: SmallVec<[Lit; 2]>,
    pub(super) path: Option<(Node, Node)>,
    /// The number of literals of `when` not yet processed, plus one if the path does not exist.
    pub(super) missing: u32,
}

/// The justification of an edge.
#[derive(Clone, Copy)]
pub(super) enum Why {
    /// The condition of this guarded edge.
    Guard(u32),
    /// These reads-from and write-order literals.
    FromRead(Lit, Lit),
}

/// An active edge.
#[derive(Clone, Copy)]
pub(super) struct Active {
    pub(super) from: Node,
    pub(super) to: Node,
    pub(super) why: Why,
}

/// The reason of a propagated literal: a path over edges that were active before opposes an edge that its negation
/// would complete.
#[derive(Clone, Copy)]
pub(super) struct Reason {
    pub(super) edge: Active,
    /// The number of active edges.
    pub(super) limit: u32,
}

/// A literal to be propagated.
struct Consequence {
    lit: Lit,
    /// The length of the trail that implies it.
    trail_len: usize,
}

/// The work to do when a node becomes reachable from another.
#[derive(Default)]
pub(super) struct PairWork {
    /// Guarded edges back, which would now close a cycle.
    pub(super) closing: SmallVec<[u32; 2]>,
    /// Guarded edges that wait for this path.
    pub(super) waiting: SmallVec<[u32; 1]>,
}

/// A change to undo.
enum Effect {
    Activated,
    Inserted(OrderId, u32, Mark),
    Satisfied(u32),
    ReadFrom(Event),
    Ordered(Event),
}

/// An edge could not be added; the lemma is the reason.
pub(super) struct Cycle(pub(super) TheoryLemma);

/// The choices an event takes part in.
#[derive(Default, Clone)]
pub(super) struct EventChoices {
    /// As a write: its possible and current readers.
    pub(super) readers: Vec<Choice>,
    true_readers: Vec<Choice>,
    /// As a write: its possible and current later writes.
    pub(super) laters: Vec<Choice>,
    true_laters: Vec<Choice>,
    /// As a read: its possible sources.
    pub(super) sources: Vec<Choice>,
}

#[derive(Default, Clone)]
pub(super) struct Occurrences {
    pub(super) guards: SmallVec<[u32; 2]>,
    pub(super) reads_from: SmallVec<[Choice; 1]>,
    pub(super) write_order: SmallVec<[Choice; 1]>,
}

/// The number of declarations of each kind that the state reflects.
#[derive(Default)]
pub(super) struct Applied {
    pub(super) nodes: usize,
    pub(super) edges: usize,
    pub(super) reads_from: usize,
    pub(super) write_order: usize,
}

/// The theory.
#[derive(Default)]
pub(super) struct Theory {
    pub(super) problem: Problem,
    pub(super) applied: Applied,
    // The assignment.
    pub(super) values: Vec<i8>,
    pub(super) level_of: Vec<u32>,
    place_of: Vec<u32>,
    trail: Vec<Lit>,
    /// The length of the processed part of the trail.
    pub(super) head: usize,
    level_starts: Vec<usize>,
    // The graphs.
    pub(super) closures: Vec<Closure>,
    pub(super) active: Vec<Active>,
    pub(super) out: Vec<Vec<u32>>,
    pub(super) guards: Vec<Guarded>,
    pub(super) occurrences: Vec<Occurrences>,
    pub(super) choices: Vec<EventChoices>,
    pub(super) write_order_of: FxHashMap<(Event, Event), Lit>,
    pub(super) node_by_index: Vec<Vec<Node>>,
    pub(super) pairs: FxHashMap<(Node, Node), u32>,
    pub(super) works: Vec<PairWork>,
    found: Vec<(u32, u32)>,
    // Undoing.
    effects: Vec<Effect>,
    /// The number of effects before each processed literal.
    marks: Vec<usize>,
    // Output to the solver.
    queue: Vec<Consequence>,
    queue_head: usize,
    queued: Vec<bool>,
    pub(super) reasons: Vec<Option<Reason>>,
    pub(super) conflict: Option<TheoryLemma>,
    pub(super) outgoing: super::propagator::Outgoing,
    pub(super) log: Option<Vec<TheoryLemma>>,
    pub(super) search: super::explain::Search,
    pub(super) hints: super::hints::Hints,
    pub(super) statistics: Statistics,
}

impl Theory {
    pub(super) fn value(&self, lit: Lit) -> i8 {
        let value = self.values.get(lit.var()).copied().unwrap_or(0);
        if lit.is_positive() {
            value
        } else {
            -value
        }
    }

    /// Whether the literal is true and its effects are in the state.
    pub(super) fn is_processed(&self, lit: Lit) -> bool {
        self.value(lit) > 0 && (self.place_of[lit.var()] as usize) < self.head
    }

    /// Makes room for a variable.
    pub(super) fn ensure_variable(&mut self, variable: usize) {
        if variable >= self.values.len() {
            self.values.resize(variable + 1, 0);
            self.level_of.resize(variable + 1, 0);
            self.place_of.resize(variable + 1, 0);
            self.reasons.resize(2 * variable + 2, None);
            self.queued.resize(2 * variable + 2, false);
            self.occurrences.resize(2 * variable + 2, Occurrences::default());
        }
    }

    pub(super) fn assign(&mut self, lit: Lit) {
        self.ensure_variable(lit.var());
        // The solver repeats notifications at the root level, and for variables observed late.
        if self.value(lit) != 0 {
            debug_assert!(self.value(lit) > 0, "a literal should be undone before it is assigned otherwise");
            return;
        }
        self.values[lit.var()] = if lit.is_positive() { 1 } else { -1 };
        self.level_of[lit.var()] = self.level_starts.len() as u32;
        self.place_of[lit.var()] = self.trail.len() as u32;
        self.trail.push(lit);
    }

    pub(super) fn new_level(&mut self) {
        self.level_starts.push(self.trail.len());
        self.hints.new_level();
    }

    pub(super) fn backtrack(&mut self, level: usize) {
        if level >= self.level_starts.len() {
            return;
        }
        let len = self.level_starts[level];
        self.level_starts.truncate(level);
        self.hints.backtrack(level);
        for lit in self.trail.drain(len..) {
            self.values[lit.var()] = 0;
        }
        if self.head > len {
            self.undo_to(self.marks[len]);
            self.marks.truncate(len);
            self.head = len;
        }
        // The literal that caused it may be undone now; if not, the conflict will be found again.
        self.conflict = None;
        self.forget_consequences(len + 1);
    }

    fn undo_to(&mut self, mark: usize) {
        while self.effects.len() > mark {
            match self.effects.pop().expect("there should be an effect") {
                Effect::Activated => {
                    let edge = self.active.pop().expect("the edge should be active");
                    self.out[edge.from.index()].pop();
                }
                Effect::Inserted(order, to, mark) => self.closures[order.index()].undo(to as usize, mark),
                Effect::Satisfied(guard) => self.guards[guard as usize].missing += 1,
                Effect::ReadFrom(write) => drop(self.choices[write.index()].true_readers.pop()),
                Effect::Ordered(write) => drop(self.choices[write.index()].true_laters.pop()),
            }
        }
    }

    /// Processes the queue. Stops at a cycle, whose lemma is then in `conflict`.
    pub(super) fn process(&mut self) {
        if self.conflict.is_some() {
            return;
        }
        if self.level_starts.is_empty() {
            if let Err(Cycle(lemma)) = self.apply_declarations() {
                self.conflict = Some(lemma);
                return;
            }
        }
        while self.head < self.trail.len() {
            let lit = self.trail[self.head];
            let mark = self.effects.len();
            if let Err(Cycle(lemma)) = self.process_literal(lit) {
                self.undo_to(mark);
                self.forget_consequences(self.trail.len());
                self.statistics.conflicts += 1;
                self.conflict = Some(lemma);
                return;
            }
            self.marks.push(mark);
            self.head += 1;
        }
        if self.level_starts.is_empty() && !self.effects.is_empty() {
            self.settle();
        }
    }

    /// Makes everything so far permanent: the solver is at its root level.
    pub(super) fn settle(&mut self) {
        self.effects.clear();
        // Effects of root-level literals are never undone: their marks only hold their places.
        self.marks.iter_mut().rev().take_while(|mark| **mark > 0).for_each(|mark| *mark = 0);
        self.closures.iter_mut().for_each(Closure::settle);
    }

    fn process_literal(&mut self, lit: Lit) -> Result<(), Cycle> {
        for index in 0..self.occurrences[code(lit)].guards.len() {
            let guard = self.occurrences[code(lit)].guards[index];
            self.satisfy(guard)?;
        }
        for index in 0..self.occurrences[code(lit)].reads_from.len() {
            let choice = self.occurrences[code(lit)].reads_from[index];
            self.read_from(choice)?;
        }
        for index in 0..self.occurrences[code(lit)].write_order.len() {
            let choice = self.occurrences[code(lit)].write_order[index];
            self.order_writes(choice)?;
        }
        Ok(())
    }

    /// One more of a guarded edge's conditions holds.
    fn satisfy(&mut self, guard: u32) -> Result<(), Cycle> {
        let guarded = &mut self.guards[guard as usize];
        guarded.missing -= 1;
        self.effects.push(Effect::Satisfied(guard));
        self.react_to_guard(guard)
    }

    pub(super) fn react_to_guard(&mut self, guard: u32) -> Result<(), Cycle> {
        let Guarded { from, to, missing, .. } = self.guards[guard as usize];
        match missing {
            0 => self.add_edge(Active { from, to, why: Why::Guard(guard) }),
            1 if self.reaches(to, from) => {
                self.refute_last(guard);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The edge would close a cycle: its last open literal, if only that is missing, must be false.
    fn refute_last(&mut self, guard: u32) {
        let Guarded { from, to, ref when, path, .. } = self.guards[guard as usize];
        if path.is_some_and(|(start, end)| !self.reaches(start, end)) {
            return;
        }
        // One condition is missing: if some literal has no value, that is the one.
        if let Some(lit) = when.iter().copied().find(|&lit| self.value(lit) == 0) {
            self.propagate(!lit, Active { from, to, why: Why::Guard(guard) });
        }
    }

    pub(super) fn read_from(&mut self, choice: Choice) -> Result<(), Cycle> {
        let Choice { lit, first: write, second: read } = choice;
        self.choices[write.index()].true_readers.push(choice);
        self.effects.push(Effect::ReadFrom(write));
        for index in 0..self.choices[write.index()].true_laters.len() {
            let later = self.choices[write.index()].true_laters[index];
            self.derive_from_read(read, later.second, lit, later.lit)?;
        }
        for index in 0..self.choices[write.index()].laters.len() {
            let later = self.choices[write.index()].laters[index];
            if self.value(later.lit) == 0 {
                self.refute_from_read(read, later.second, lit, later.lit, !later.lit);
            }
        }
        Ok(())
    }

    pub(super) fn order_writes(&mut self, choice: Choice) -> Result<(), Cycle> {
        let Choice { lit, first: write, second: later } = choice;
        self.choices[write.index()].true_laters.push(choice);
        self.effects.push(Effect::Ordered(write));
        for index in 0..self.choices[write.index()].true_readers.len() {
            let reader = self.choices[write.index()].true_readers[index];
            self.derive_from_read(reader.second, later, reader.lit, lit)?;
        }
        for index in 0..self.choices[write.index()].readers.len() {
            let reader = self.choices[write.index()].readers[index];
            if self.value(reader.lit) == 0 {
                self.refute_from_read(reader.second, later, reader.lit, lit, !reader.lit);
            }
        }
        Ok(())
    }

    fn derive_from_read(&mut self, read: Event, later: Event, rf: Lit, co: Lit) -> Result<(), Cycle> {
        // A read-modify-write reads from the write before its own: it is not ordered before itself.
        if read == later {
            return Ok(());
        }
        for order in self.problem.order_ids() {
            if let Some((from, to)) = self.problem.edge_in(order, Relation::FromRead, read, later) {
                self.add_edge(Active { from, to, why: Why::FromRead(rf, co) })?;
            }
        }
        Ok(())
    }

    /// Propagates `consequence`, which prevents a from-read, if the from-read would close a cycle.
    fn refute_from_read(&mut self, read: Event, later: Event, rf: Lit, co: Lit, consequence: Lit) {
        if read == later {
            return;
        }
        for order in self.problem.order_ids() {
            let edge = self.problem.edge_in(order, Relation::FromRead, read, later);
            if let Some((from, to)) = edge.filter(|&(from, to)| self.reaches(to, from)) {
                self.propagate(consequence, Active { from, to, why: Why::FromRead(rf, co) });
                return;
            }
        }
    }

    pub(super) fn reaches(&self, from: Node, to: Node) -> bool {
        let order = self.problem.order_of(from).index();
        self.closures[order].reaches(self.problem.index_in_order(from), self.problem.index_in_order(to))
    }

    fn add_edge(&mut self, edge: Active) -> Result<(), Cycle> {
        if self.reaches(edge.to, edge.from) {
            return Err(Cycle(self.explain(edge, self.active.len() as u32)));
        }
        self.statistics.edges += 1;
        self.out[edge.from.index()].push(self.active.len() as u32);
        self.active.push(edge);
        self.effects.push(Effect::Activated);
        if self.reaches(edge.from, edge.to) {
            return Ok(());
        }
        let order = self.problem.order_of(edge.from);
        let (from, to) = (self.problem.index_in_order(edge.from), self.problem.index_in_order(edge.to));
        let mut found = std::mem::take(&mut self.found);
        let mark = self.closures[order.index()].insert(from, to, &mut found);
        self.effects.push(Effect::Inserted(order, to as u32, mark));
        let mut result = Ok(());
        for &(from, to) in &found {
            result = self.react_to_path(order, from, to);
            if result.is_err() {
                break;
            }
        }
        found.clear();
        self.found = found;
        result
    }

    /// A wanted pair became reachable.
    fn react_to_path(&mut self, order: OrderId, from: u32, to: u32) -> Result<(), Cycle> {
        let nodes = &self.node_by_index[order.index()];
        let (from, to) = (nodes[from as usize], nodes[to as usize]);
        if let (Some(later), Some(read)) = (self.problem.event_of(from), self.problem.event_of(to)) {
            self.forbid_from_read((read, later), (to, from));
        }
        let Some(&work) = self.pairs.get(&(from, to)) else { return Ok(()) };
        let work = work as usize;
        for index in 0..self.works[work].closing.len() {
            let guard = self.works[work].closing[index];
            if self.guards[guard as usize].missing == 1 {
                self.refute_last(guard);
            }
        }
        for index in 0..self.works[work].waiting.len() {
            let guard = self.works[work].waiting[index];
            self.satisfy(guard)?;
        }
        Ok(())
    }

    /// No reads-from and write-order choice may imply this from-read, which would be an edge between these nodes.
    fn forbid_from_read(&mut self, (read, later): (Event, Event), (from, to): (Node, Node)) {
        let order = self.problem.order_of(from);
        if read == later || self.problem.edge_in(order, Relation::FromRead, read, later).is_none() {
            return;
        }
        for index in 0..self.choices[read.index()].sources.len() {
            let source = self.choices[read.index()].sources[index];
            let chosen = self.value(source.lit);
            if chosen < 0 {
                continue;
            }
            // A chosen write order is a path here: testing the bit first saves most of the lookups.
            let chosen_order = self.problem.edge_in(order, Relation::WriteOrder, source.first, later);
            if chosen == 0 && chosen_order.is_some_and(|(first, second)| !self.reaches(first, second)) {
                continue;
            }
            let Some(&co) = self.write_order_of.get(&(source.first, later)) else { continue };
            let edge = Active { from, to, why: Why::FromRead(source.lit, co) };
            match (chosen > 0, self.value(co)) {
                (true, 0) => self.propagate(!co, edge),
                (false, 1) => self.propagate(!source.lit, edge),
                _ => {}
            }
        }
    }

    /// `lit` must be true, or `edge` would close a cycle.
    fn propagate(&mut self, lit: Lit, edge: Active) {
        if std::mem::replace(&mut self.queued[code(lit)], true) {
            return;
        }
        self.statistics.propagations += 1;
        self.reasons[code(lit)] = Some(Reason { edge, limit: self.active.len() as u32 });
        self.queue.push(Consequence { lit, trail_len: self.trail.len() });
    }

    /// Drops consequences of a trail of at least this length: they may depend on undone literals or edges.
    fn forget_consequences(&mut self, len: usize) {
        while self.queue.len() > self.queue_head && self.queue[self.queue.len() - 1].trail_len >= len {
            let lit = self.queue.pop().map(|consequence| consequence.lit);
            self.queued[lit.map_or(0, code)] = false;
        }
    }

    /// The next literal to propagate.
    pub(super) fn next_consequence(&mut self) -> Option<Lit> {
        while let Some(consequence) = self.queue.get(self.queue_head) {
            let lit = consequence.lit;
            self.queue_head += 1;
            self.queued[code(lit)] = false;
            if self.value(lit) <= 0 {
                return Some(lit);
            }
        }
        self.queue.clear();
        self.queue_head = 0;
        None
    }
}
