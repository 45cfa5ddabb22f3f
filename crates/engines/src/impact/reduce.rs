//! Partial-order reduction: the threads that need not be expanded at a node.
//!
//! Only *monotonic* paths are expanded (section IV of the paper): after a step of a thread, a thread with a smaller
//! number is skipped if its next step is independent of the last one, for then it could have gone first. Steps are
//! independent if neither writes a cell that the other touches, and they do not start, end or wait for each other.
//! Where that depends on variable offsets, the label above the step is asked whether it implies that the accesses are
//! disjoint; if the path implies it, labels are strengthened until they do.
//!
//! A covered node passes its expansion obligations on to the covering node, including those already discharged.

use super::machine::{Access, Outcome};
use super::options::Reduction;
use super::search::Search;
use super::tree::{Edge, NodeId, Position};
use super::vocabulary::VarKey;
use crate::symbolic::Evaluator;
use base::Stop;
use ir::analysis::graph::reverse_post_order;
use ir::{LocId, Program};
use smt::interpolation::Step;
use smt::{Sort, Term};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Whether two steps conflict.
pub(super) enum Meets {
    /// They commute.
    Never,
    /// They do not commute.
    Always,
    /// They commute if these pairs of accesses, of the earlier and the later step, do not overlap.
    If(Vec<(Access, Access)>),
}

/// Compares the footprints of two steps of different threads.
pub(super) fn meets(terms: &smt::Terms, earlier: (u32, &Outcome), later: (u32, &Outcome)) -> Meets {
    let (first, second) = (&earlier.1.footprint, &later.1.footprint);
    if first.is_universal || second.is_universal {
        return Meets::Always;
    }
    let is_about_threads = |footprint: &super::machine::Footprint| footprint.creates || !footprint.threads.is_empty();
    if first.creates && is_about_threads(second) || second.creates && is_about_threads(first) {
        return Meets::Always;
    }
    let names = |footprint: &super::machine::Footprint, thread: u32| footprint.threads.contains(&thread);
    if names(first, later.0) || names(second, earlier.0) || first.threads.iter().any(|&thread| names(second, thread)) {
        return Meets::Always;
    }
    let mut open = Vec::new();
    for one in &first.accesses {
        for other in &second.accesses {
            if (one.object, one.is_ghost) != (other.object, other.is_ghost) || !(one.is_write || other.is_write) {
                continue;
            }
            let offset = |access: &Access| terms.as_bits(access.offset).and_then(smt::Bits::to_u64);
            match (offset(one), offset(other)) {
                (Some(a), Some(b)) if a < b + other.bytes && b < a + one.bytes => return Meets::Always,
                (Some(_), Some(_)) => {}
                _ => open.push((*one, *other)),
            }
        }
    }
    if open.is_empty() {
        Meets::Never
    } else {
        Meets::If(open)
    }
}

/// Whether a step takes a back edge in the control flow of its thread: the function LOOP of the paper.
fn goes_back(program: &Program, step: &Outcome) -> bool {
    step.parts.iter().any(|part| {
        let function = &program.functions[part.at.0];
        let edge = &function.edges[part.at.1];
        let order = reverse_post_order(function);
        let place = |loc: LocId| order.iter().position(|&other| other == loc);
        part.flushes.is_none() && place(edge.to) <= place(edge.from)
    })
}

impl Search<'_, '_> {
    /// The threads that must be expanded at a node, or where it is covered.
    pub(super) fn required(&mut self, node: NodeId) -> Result<BTreeSet<u32>, Stop> {
        let Position::Location(location) = self.tree.nodes[node].position else { return Ok(BTreeSet::new()) };
        let running: Vec<u32> = self.machine.movers(location);
        let mut required = self.tree.nodes[node].threads.clone();
        required.extend(&self.tree.nodes[node].asked);
        for thread in running {
            self.budget.check()?;
            if !required.contains(&thread)
                && !self.machine.successors(location, thread).is_empty()
                && !self.skips(node, thread)?
            {
                required.insert(thread);
            }
        }
        Ok(required)
    }

    /// Whether a thread is skipped at a node. The decision is final: labels only become stronger.
    fn skips(&mut self, node: NodeId, thread: u32) -> Result<bool, Stop> {
        if let Some(&known) = self.tree.nodes[node].skipped.get(&thread) {
            return Ok(known);
        }
        let skips = self.decide_skip(node, thread)?;
        self.counts.skips += u64::from(skips);
        self.tree.nodes[node].skipped.insert(thread, skips);
        Ok(skips)
    }

    fn decide_skip(&mut self, node: NodeId, thread: u32) -> Result<bool, Stop> {
        let Some(edge) = self.tree.nodes[node].edge.clone() else { return Ok(false) };
        let Position::Location(location) = self.tree.nodes[node].position else { return Ok(false) };
        let last = edge.outcome();
        let ablation = self.modes.ablation;
        let is_in_order = thread < edge.thread || ablation.lacks_order && thread != edge.thread;
        if self.modes.reduction == Reduction::None || !is_in_order {
            return Ok(false);
        }
        if ablation.has_loop_condition && goes_back(self.machine.program, last) {
            return Ok(false);
        }
        let outcomes = self.machine.successors(location, thread);
        let mut open = Vec::new();
        for outcome in outcomes.iter() {
            match meets(&self.machine.terms, (edge.thread, last), (thread, outcome)) {
                Meets::Never => {}
                Meets::Always => return Ok(false),
                Meets::If(pairs) if self.modes.reduction == Reduction::Dynamic => open.extend(pairs),
                Meets::If(_) => return Ok(false),
            }
        }
        for pair in &open {
            if !self.is_apart(node, pair)? {
                return Ok(false);
            }
        }
        // Whether an allocation is private to a thread, and the names of allocations and new threads, depend on what
        // other threads still point to; which explicit value is read or written at a variable place depends on other
        // explicit values: so the steps may lead elsewhere when they are exchanged.
        let Position::Location(above) = self.tree.nodes[edge.from].position else { return Ok(false) };
        let has_objects = |location: usize| !self.machine.locations[location].objects.is_empty();
        let creates = last.footprint.creates || outcomes.iter().any(|outcome| outcome.footprint.creates);
        let may_differ = creates || !open.is_empty() || has_objects(above) || has_objects(location);
        if may_differ && !self.can_exchange(above, &edge, thread) {
            return Ok(false);
        }
        self.counts.conditional_skips += u64::from(!open.is_empty());
        Ok(true)
    }

    /// Whether a step and the next one of a thread can be exchanged, judging by their statements and target locations.
    fn can_exchange(&mut self, above: usize, edge: &Edge, thread: u32) -> bool {
        let key = (above, edge.thread, edge.index, thread);
        if let Some(&known) = self.exchanges.get(&key) {
            return known;
        }
        let can = self.machine.exchanges(above, (edge.thread, edge.outcome()), thread).is_some();
        self.exchanges.insert(key, can);
        can
    }

    /// The steps of the last edge, constrained so that the two accesses overlap. Each access may depend on inputs of
    /// its own step: the first is evaluated once they have been chosen, and the second has other inputs of the same
    /// name.
    pub(super) fn overlapping_steps(&mut self, node: NodeId, pair: &(Access, Access)) -> Vec<Step> {
        let Some(edge) = self.tree.nodes[node].edge.clone() else { return vec![] };
        let machine = &mut *self.machine;
        let sort = Sort::Bits(machine.pointer_width());
        let key = VarKey::Temporary(u32::MAX, sort);
        let first = machine.vocabulary.variable(&mut machine.terms, machine.program, key, sort);
        let second = pair.1.offset;
        let mut steps = machine.steps_of(edge.outcome());
        let inputs = steps.iter().take_while(|step| matches!(step, Step::Havoc(_))).count();
        steps.insert(inputs, Step::Assign(first, pair.0.offset));
        let is_input = |variable: &Term| match machine.vocabulary.meaning(*variable) {
            Some(VarKey::Input(..)) => true,
            Some(
                VarKey::Local { .. }
                | VarKey::Cell(_)
                | VarKey::Result(..)
                | VarKey::Buffered { .. }
                | VarKey::Watched
                | VarKey::Temporary(..),
            )
            | None => false,
        };
        let others = machine.terms.variables(&[second]);
        steps.extend(others.into_iter().filter(is_input).map(Step::Havoc));
        let overlap = overlap(machine, (first, pair.0.bytes), (second, pair.1.bytes));
        steps.push(Step::Assume(overlap));
        steps
    }

    /// Whether labels imply that two accesses are disjoint; strengthens them if the path implies it.
    fn is_apart(&mut self, node: NodeId, pair: &(Access, Access)) -> Result<bool, Stop> {
        let Some(parent) = self.tree.parent(node) else { return Ok(false) };
        let last = self.overlapping_steps(node, pair);
        let label = self.tree.nodes[parent].label.clone();
        let assumed = self.machine.terms.and(label);
        let is_first = parent == super::tree::root();
        let mut local = if is_first { self.machine.initial_steps() } else { vec![Step::Assume(assumed)] };
        local.extend(&last);
        if self.exclude(&local)?.is_some() {
            return Ok(true);
        }
        let path = self.tree.path(None, parent);
        let (mut steps, ends) = self.steps(&path);
        steps.extend(&last);
        let Some(core) = self.exclude(&steps)? else { return Ok(false) };
        if self.modes.ablation.lacks_alias_labels {
            return Ok(true);
        }
        let labels = match self.interpolate(&steps, &ends, &core, false) {
            Ok(labels) => labels,
            Err(_) => {
                self.budget.check()?;
                return Ok(false);
            }
        };
        if path.len() == 1 {
            // The label of the root is true, which proves something only if the root is above the step.
            return Ok(false);
        }
        self.strengthen(&path[1..], &labels);
        Ok(true)
    }

    /// The outcomes of a thread's step at a node.
    pub(super) fn outcomes(&mut self, node: NodeId, thread: u32) -> Rc<Vec<Outcome>> {
        match self.tree.nodes[node].position {
            Position::Location(location) => self.machine.successors(location, thread),
            Position::Trouble(_) => Rc::new(Vec::new()),
        }
    }
}

/// Whether two ranges have a byte in common; neither reaches beyond the end of the address space.
pub(super) fn overlap(machine: &mut super::machine::Machine<'_>, a: (Term, u64), b: (Term, u64)) -> Term {
    let width = machine.pointer_width();
    let (a_bytes, b_bytes) = (machine.number_term(width, a.1.into()), machine.number_term(width, b.1.into()));
    let (a_end, b_end) = (machine.terms.add(a.0, a_bytes), machine.terms.add(b.0, b_bytes));
    let (first, second) = (machine.terms.ult(a.0, b_end), machine.terms.ult(b.0, a_end));
    machine.terms.and2(first, second)
}
