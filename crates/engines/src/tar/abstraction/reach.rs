//! Reachable abstract states of all templates under the current environment assumption.
//!
//! An abstract state is a node and a cube over the predicates of that node (Boolean abstraction; Cartesian where there
//! would be too many cubes). The environment assumption is represented by the steps it stems from: a step of a template
//! and the abstract states of that template in which it may be taken. Under relational assumptions such a step has its
//! own effect; under havoc assumptions it may write anything into the shared variables that it writes. Either way the
//! environment acts on shared variables only, with private variables of its own and another thread number.
//!
//! The assumption starts empty and grows by the writes of the abstract states found so far ([`Reach::weaken`]), until
//! nothing is missing: this is the inclusion "every write of every reachable state is in the assumption", the direction
//! that the paper's step 3 has the wrong way round. Instead of restarting with the larger assumption, the states found
//! with the smaller one are kept: they would be found again anyway.

use super::model::{Model, NodeId, StepId, TemplateId};
use super::prover::{Cube, Prover};
use super::{Algorithm, Strength};
use base::{define_id, Budget, IdVec, Stop};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smt::term::Substitution;
use smt::{Sort, Term};
use std::collections::VecDeque;

define_id!(
    /// An abstract state. Prints as `a7`.
    StateId, "a");

/// How an abstract state was first reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// Initial.
    Entry,
    /// By a step of the thread itself.
    Own(StateId, StepId),
    /// By a step of another thread, from its abstract state (none if assumptions are from above).
    Other(StateId, Option<StateId>, StepId),
    /// Started by a thread in this abstract state.
    Started(StateId, usize),
}

/// An abstract state.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) node: NodeId,
    /// Predicates and negated predicates that hold, sorted.
    literals: Vec<Term>,
    /// Their conjunction.
    pub(crate) label: Term,
    pub(crate) origin: Origin,
}

/// Predicates, per node.
pub(crate) type Precision = IdVec<NodeId, IndexSet<Term, FxBuildHasher>>;

/// An environment step, and the states in which it may be taken (any state if empty).
#[derive(Clone, Debug)]
pub(crate) struct Influence {
    pub(crate) step: StepId,
    pub(crate) sources: Vec<StateId>,
}

/// A violation that cannot be ruled out.
#[derive(Clone, Debug)]
pub(crate) enum Alarm {
    /// A fault of a node.
    Fault(StateId, usize),
    /// A race between two accesses.
    Race(StateId, StateId, usize, usize),
}

/// The reachable abstract states.
pub(crate) struct Reach<'m> {
    pub(crate) model: &'m mut Model,
    pub(crate) prover: &'m mut Prover,
    precision: &'m Precision,
    strength: Strength,
    pub(crate) states: IdVec<StateId, State>,
    pub(crate) at: IdVec<NodeId, Vec<StateId>>,
    pub(crate) influences: Vec<Influence>,
    /// Pairs already among the sources.
    satisfiable: FxHashSet<(StepId, StateId)>,
    /// By state: how many influences were applied to it.
    applied: Vec<usize>,
    /// All current influences were applied to the states before this one.
    cursor: usize,
    work: VecDeque<StateId>,
    renamed: IdVec<TemplateId, Substitution>,
    arbitrary: FxHashMap<Term, Term>,
    budget: Budget,
}

impl<'m> Reach<'m> {
    pub(crate) fn new(
        model: &'m mut Model,
        prover: &'m mut Prover,
        precision: &'m Precision,
        modes: (Algorithm, Strength),
        budget: &Budget,
    ) -> Reach<'m> {
        let renamed = model.templates.iter().map(|template| Substitution::new(template.others.clone())).collect();
        let mut influences = Vec::new();
        if modes.0 == Algorithm::FromAbove {
            let steps = model.steps.ids().filter(|&step| !model.shared_updates(step).is_empty());
            influences.extend(steps.map(|step| Influence { step, sources: vec![] }));
        }
        Reach {
            at: IdVec::filled(Vec::new(), model.nodes.len()),
            model,
            prover,
            precision,
            strength: modes.1,
            states: IdVec::new(),
            influences,
            satisfiable: FxHashSet::default(),
            applied: Vec::new(),
            cursor: 0,
            work: VecDeque::new(),
            renamed,
            arbitrary: FxHashMap::default(),
            budget: budget.clone(),
        }
    }

    /// Finds all abstract states under the current assumption.
    pub(crate) fn close(&mut self) -> Result<(), Stop> {
        if self.states.is_empty() {
            self.enter()?;
        }
        loop {
            while let Some(state) = self.work.pop_front() {
                self.budget.check()?;
                self.own_steps(state)?;
                self.starts(state)?;
            }
            if self.cursor >= self.states.len() {
                return Ok(());
            }
            let first = std::mem::replace(&mut self.applied[self.cursor], self.influences.len());
            for index in first..self.influences.len() {
                self.budget.check()?;
                self.influence(base::Id::new(self.cursor), index)?;
            }
            self.cursor += 1;
        }
    }

    fn enter(&mut self) -> Result<(), Stop> {
        for node in self.model.entries.clone() {
            let initial = self.model.initial.clone();
            let number = self.model.templates[self.model.nodes[node].template].number;
            let formula = self.model.is_number(number);
            self.follow(formula, node, &initial, Origin::Entry)?;
        }
        Ok(())
    }

    /// Adds the successors at a node after assignments.
    fn follow(&mut self, formula: Term, to: NodeId, updates: &[(Term, Term)], origin: Origin) -> Result<(), Stop> {
        let predicates: Vec<Term> = self.precision[to].iter().copied().collect();
        let mut assigned = Substitution::new(updates.iter().copied());
        let terms = &mut self.model.terms;
        let after: Vec<Term> = predicates.iter().map(|&predicate| assigned.apply(terms, predicate)).collect();
        for (cube, _) in self.prover.cubes(terms, formula, &after, &[])? {
            let literals = self.literals(&predicates, &cube);
            self.add(to, literals, origin);
        }
        Ok(())
    }

    fn literals(&mut self, predicates: &[Term], cube: &Cube) -> Vec<Term> {
        let mut literals = Vec::new();
        for (&predicate, holds) in predicates.iter().zip(cube) {
            match holds {
                Some(true) => literals.push(predicate),
                Some(false) => literals.push(self.model.terms.not(predicate)),
                None => {}
            }
        }
        literals
    }

    /// Adds a state unless it is known or subsumed.
    fn add(&mut self, node: NodeId, mut literals: Vec<Term>, origin: Origin) {
        literals.sort_unstable();
        literals.dedup();
        let is_part = |id: &StateId| {
            let known = &self.states[*id].literals;
            known.iter().all(|literal| literals.binary_search(literal).is_ok())
        };
        if self.at[node].iter().any(is_part) {
            return;
        }
        let label = self.model.terms.and(literals.iter().copied());
        if self.model.terms.as_bool(label) == Some(false) {
            return;
        }
        let id = self.states.push(State { node, literals, label, origin });
        self.at[node].push(id);
        self.applied.push(0);
        self.work.push_back(id);
    }

    /// The formula of a state, including its thread's number.
    pub(crate) fn formula(&mut self, state: StateId) -> Term {
        let label = self.states[state].label;
        let number = self.model.templates[self.model.nodes[self.states[state].node].template].number;
        let is_number = self.model.is_number(number);
        self.model.terms.and2(label, is_number)
    }

    fn own_steps(&mut self, state: StateId) -> Result<(), Stop> {
        let formula = self.formula(state);
        for step in self.model.nodes[self.states[state].node].steps.clone() {
            let taken = self.model.steps[step].clone();
            let formula = self.model.terms.and2(formula, taken.guard);
            self.follow(formula, taken.to, &taken.updates, Origin::Own(state, step))?;
        }
        Ok(())
    }

    fn starts(&mut self, state: StateId) -> Result<(), Stop> {
        let node = self.states[state].node;
        for index in 0..self.model.starts.len() {
            if self.model.starts[index].from != node {
                continue;
            }
            let start = self.model.starts[index].clone();
            let child = self.model.nodes[start.entry].template;
            // The new thread's variables are renamed to another thread: the starting one may be of the same template.
            let number = self.rename(child, self.model.templates[child].number);
            let own = self.model.templates[self.model.nodes[node].template].number;
            let mut parts = vec![self.formula(state), start.guard, self.model.are_different(own, number)];
            for owner in self.model.owners.clone() {
                let is_owner = self.model.terms.eq(owner, number);
                parts.push(self.model.terms.not(is_owner));
            }
            let formula = self.model.terms.and(parts);
            let mut updates = self.model.templates[child].others.clone();
            for &(variable, value) in &start.values {
                updates.retain(|(known, _)| *known != variable);
                updates.push((variable, value));
            }
            self.follow(formula, start.entry, &updates, Origin::Started(state, index))?;
        }
        Ok(())
    }

    /// Renames a formula about a thread of a template to another thread.
    pub(crate) fn rename(&mut self, template: TemplateId, formula: Term) -> Term {
        self.renamed[template].apply(&mut self.model.terms, formula)
    }

    /// The values of shared variables after an environment step, over the renamed variables of its thread.
    fn influenced(&mut self, step: StepId) -> Vec<(Term, Term)> {
        let template = self.model.nodes[self.model.steps[step].from].template;
        let mut updates = self.model.shared_updates(step);
        for (variable, value) in &mut updates {
            *value = match self.strength {
                Strength::Relational => self.rename(template, *value),
                Strength::Havoc => {
                    let terms = &mut self.model.terms;
                    let Sort::Bits(width) = terms.sort(*variable) else { continue };
                    let name = format!("any {}", terms.name(*variable));
                    *self.arbitrary.entry(*variable).or_insert_with(|| terms.variable(name, Sort::Bits(width)))
                }
            };
        }
        updates
    }

    /// Applies an influence to a state.
    fn influence(&mut self, state: StateId, index: usize) -> Result<(), Stop> {
        let Influence { step, sources } = self.influences[index].clone();
        let (node, from) = (self.states[state].node, self.model.steps[step].from);
        if self.model.nodes[node].is_undisturbed || !self.model.may_meet(node, from) {
            return Ok(());
        }
        let updates = self.influenced(step);
        let is_touched = |model: &Model, literal: Term| {
            let variables = model.terms.variables(&[literal]);
            updates.iter().any(|(variable, _)| variables.binary_search(variable).is_ok())
        };
        let touched: Vec<Term> =
            self.precision[node].iter().copied().filter(|&predicate| is_touched(self.model, predicate)).collect();
        if touched.is_empty() {
            return Ok(());
        }
        let kept: Vec<Term> =
            self.states[state].literals.iter().copied().filter(|&literal| !is_touched(self.model, literal)).collect();
        let template = self.model.nodes[from].template;
        let number = self.model.templates[self.model.nodes[node].template].number;
        let other = self.rename(template, self.model.templates[template].number);
        let guard = self.rename(template, self.model.steps[step].guard);
        let cases: Vec<Term> = sources.iter().map(|&source| self.rename(template, self.states[source].label)).collect();
        let source = if cases.is_empty() { self.model.terms.bool(true) } else { self.model.terms.or(cases.clone()) };
        let different = self.model.are_different(number, other);
        let formula = self.model.terms.and([self.states[state].label, source, guard, different]);
        let mut assigned = Substitution::new(updates);
        let terms = &mut self.model.terms;
        let after: Vec<Term> = touched.iter().map(|&predicate| assigned.apply(terms, predicate)).collect();
        for (cube, case) in self.prover.cubes(terms, formula, &after, &cases)? {
            let mut literals = self.literals(&touched, &cube);
            literals.extend(kept.iter().copied());
            self.add(node, literals, Origin::Other(state, sources.get(case).copied(), step));
        }
        Ok(())
    }

    /// Adds writes that the assumption does not cover. Returns whether there were any.
    pub(crate) fn weaken(&mut self) -> Result<bool, Stop> {
        let mut has_grown = false;
        for step in self.model.steps.ids().collect::<Vec<_>>() {
            if self.model.shared_updates(step).is_empty() {
                continue;
            }
            let mut sources = Vec::new();
            for state in self.at[self.model.steps[step].from].clone() {
                let formula = self.formula(state);
                let formula = self.model.terms.and2(formula, self.model.steps[step].guard);
                if !self.satisfiable.contains(&(step, state))
                    && self.prover.is_satisfiable(&mut self.model.terms, formula)?
                {
                    self.satisfiable.insert((step, state));
                    sources.push(state);
                }
            }
            if !sources.is_empty() {
                has_grown = true;
                self.cursor = 0;
                self.influences.push(Influence { step, sources });
            }
        }
        Ok(has_grown)
    }

    /// The invariant of a node: the disjunction of its states.
    pub(crate) fn invariant(&mut self, node: NodeId) -> Term {
        let labels: Vec<Term> = self.at[node].iter().map(|&state| self.states[state].label).collect();
        self.model.terms.or(labels)
    }

    /// All kinds of violations that cannot be ruled out, with one state or pair of states each.
    pub(crate) fn alarms(&mut self) -> Result<Vec<Alarm>, Stop> {
        let mut alarms = Vec::new();
        for node in self.model.nodes.ids() {
            for index in 0..self.model.nodes[node].faults.len() {
                for state in self.at[node].clone() {
                    let guard = self.model.nodes[node].faults[index].guard;
                    let formula = self.formula(state);
                    let formula = self.model.terms.and2(formula, guard);
                    if self.prover.is_satisfiable(&mut self.model.terms, formula)? {
                        alarms.push(Alarm::Fault(state, index));
                        break;
                    }
                }
            }
        }
        for (one, two, i, j) in self.model.conflicts() {
            if let Some((first, second)) = self.racing(one, two, i, j)? {
                alarms.push(Alarm::Race(first, second, i, j));
            }
        }
        Ok(alarms)
    }

    /// Two states in which threads are at racing accesses.
    fn racing(&mut self, one: NodeId, two: NodeId, i: usize, j: usize) -> Result<Option<(StateId, StateId)>, Stop> {
        for first in self.at[one].clone() {
            for second in self.at[two].clone() {
                let formula = self.race(first, second, i, j);
                if self.prover.is_satisfiable(&mut self.model.terms, formula)? {
                    return Ok(Some((first, second)));
                }
            }
        }
        Ok(None)
    }

    fn race(&mut self, first: StateId, second: StateId, i: usize, j: usize) -> Term {
        let (one, two) = (self.states[first].node, self.states[second].node);
        let template = self.model.nodes[two].template;
        let label = self.rename(template, self.states[second].label);
        let other = self.rename(template, self.model.templates[template].number);
        let number = self.model.templates[self.model.nodes[one].template].number;
        let (a, b) = (self.model.nodes[one].accesses[i].clone(), self.model.nodes[two].accesses[j].clone());
        let offset = self.rename(template, b.offset);
        let overlap = self.model.overlap(&a, &b, offset);
        let different = self.model.are_different(number, other);
        self.model.terms.and([self.states[first].label, label, overlap, different])
    }
}
