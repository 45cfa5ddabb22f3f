//! Counterexample analysis: whether the steps that led to an alarm are feasible, and if not, which predicates exclude
//! them.
//!
//! Each abstract state knows the step that reached it, and each environment step the state of the other thread in which
//! it was taken, which has a path of its own: so an alarm has a tree of paths. The tree is executed exactly, each path
//! over its own versions of the variables; where a step of another thread joins a path, the shared variables of both
//! are equal and the numbers differ. Paths of other threads are unfolded as deep as needed; below that, their abstract
//! states stand for them. If the formulas are unsatisfiable, sequence interpolants along each path of the tree yield
//! new predicates for its nodes: the interpolant at a position separates the path so far from everything after it, and
//! so does the interpolant between a path and the one that it joins.
//!
//! Deviation: the paper executes the two paths of a race without their environment steps; we execute these too. The
//! paths of different threads are not combined into one interleaving: predicates mined from one would express what
//! threads know only together. If the completely unfolded tree is satisfiable, no predicates exclude the alarm: the
//! program is violated or has no thread-modular proof, which exact engines decide.

use super::model::{Model, NodeId};
use super::prover::Prover;
use super::reach::{Alarm, Origin, Precision, State, StateId};
use super::Strength;
use base::{Budget, IdVec, Stop};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::interpolation::{Failure, Interpolator};
use smt::term::{Node as TermNode, Substitution};
use smt::{Sort, Term};

/// Maximum number of formulas in a tree; larger ones are not analysed.
const MAX_PIECES: usize = 400;

/// The result for an alarm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// New predicates exclude it.
    Refined,
    /// Known predicates exclude it, but the node that lacks them was not found.
    Known,
    /// Feasible, as far as thread-modular reasoning can tell.
    Possible,
    /// Resources exhausted.
    Unclear,
}

/// The current version of each variable.
type Versions = FxHashMap<Term, Term>;

/// One formula of a path.
struct Piece {
    formula: Term,
    /// The path of the participating other thread.
    other: Option<Box<Way>>,
}

/// A path to a state, or the state itself in its place.
struct Way {
    pieces: Vec<Piece>,
    /// After each piece: the node, and the versions of variables.
    positions: Vec<(NodeId, Versions)>,
}

/// Analyses alarms.
pub(crate) struct Refiner<'r> {
    model: &'r mut Model,
    prover: &'r mut Prover,
    states: &'r IdVec<StateId, State>,
    precision: &'r mut Precision,
    interpolator: &'r mut Interpolator,
    strength: Strength,
    budget: &'r Budget,
    /// Number of formulas in the current tree.
    pieces: usize,
    /// Whether a state stands for a path in the current tree.
    is_cut: bool,
    selectors: FxHashMap<Term, Term>,
}

impl<'r> Refiner<'r> {
    pub(crate) fn new(
        (model, prover): (&'r mut Model, &'r mut Prover),
        states: &'r IdVec<StateId, State>,
        precision: &'r mut Precision,
        interpolator: &'r mut Interpolator,
        strength: Strength,
        budget: &'r Budget,
    ) -> Refiner<'r> {
        let selectors = FxHashMap::default();
        Refiner {
            model,
            prover,
            states,
            precision,
            interpolator,
            strength,
            budget,
            pieces: 0,
            is_cut: false,
            selectors,
        }
    }

    /// Analyses one alarm.
    pub(crate) fn examine(&mut self, alarm: &Alarm) -> Result<Answer, Stop> {
        for depth in 1.. {
            (self.pieces, self.is_cut) = (0, false);
            let tree = self.tree(alarm, depth);
            if self.pieces > MAX_PIECES {
                return Ok(Answer::Unclear);
            }
            let parts: Vec<Term> = tree.pieces.iter().map(|piece| self.whole(piece)).collect();
            let formula = self.model.terms.and(parts);
            if let Some(choice) = self.needed(formula)? {
                let tree = choose(self.model, tree, &mut Substitution::new(choice));
                return self.mine(&tree, None);
            }
            if !self.is_cut {
                return Ok(Answer::Possible);
            }
        }
        Ok(Answer::Unclear)
    }

    /// If a tree is unsatisfiable: a small set of equations between joined paths that keeps it so. Fewer equations make
    /// predicates less specific to these paths; variables that steps test are dropped last.
    fn needed(&mut self, formula: Term) -> Result<Option<Vec<(Term, Term)>>, Stop> {
        let mut tested: FxHashSet<Term> = FxHashSet::default();
        for step in self.model.steps.iter() {
            tested.extend(self.model.terms.variables(&[step.guard]));
        }
        let mut order: Vec<Term> = self.model.shared.clone();
        order.sort_by_key(|variable| tested.contains(variable));
        let mut needed: Vec<Term> = order.clone();
        if self.can_be(formula, &needed)? {
            return Ok(None);
        }
        let tested: Vec<Term> = order.iter().copied().filter(|variable| tested.contains(variable)).collect();
        if !self.can_be(formula, &tested)? {
            needed = tested;
        }
        for variable in order {
            let fewer: Vec<Term> = needed.iter().copied().filter(|other| *other != variable).collect();
            if fewer.len() < needed.len() && !self.can_be(formula, &fewer)? {
                needed = fewer;
            }
        }
        let mut choice = Vec::new();
        for variable in self.model.shared.clone() {
            let value = self.model.terms.bool(needed.contains(&variable));
            choice.push((self.selector(variable), value));
        }
        Ok(Some(choice))
    }

    /// Whether a formula is satisfiable if these variables are equal where paths join.
    fn can_be(&mut self, formula: Term, equal: &[Term]) -> Result<bool, Stop> {
        let mut parts = vec![formula];
        for &variable in equal {
            parts.push(self.selector(variable));
        }
        let formula = self.model.terms.and(parts);
        self.prover.is_satisfiable(&mut self.model.terms, formula)
    }

    /// The selector of a shared variable: if true, its versions are equal where paths join.
    fn selector(&mut self, variable: Term) -> Term {
        let terms = &mut self.model.terms;
        *self.selectors.entry(variable).or_insert_with(|| terms.variable("selector", Sort::Bool))
    }

    /// Two versions of a shared variable are equal where paths join, if selected.
    fn equal(&mut self, variable: Term, here: Term, there: Term) -> Term {
        let selector = self.selector(variable);
        let is_equal = self.model.terms.eq(here, there);
        self.model.terms.implies(selector, is_equal)
    }

    /// The path to an alarm, with the alarm itself as its last piece.
    fn tree(&mut self, alarm: &Alarm, depth: usize) -> Way {
        match *alarm {
            Alarm::Fault(state, index) => {
                let mut way = self.way(state, depth);
                let guard = self.model.nodes[self.states[state].node].faults[index].guard;
                let formula = self.at_end(&mut way, guard);
                way.pieces.push(Piece { formula, other: None });
                way
            }
            Alarm::Race(first, second, i, j) => {
                let (mut way, mut other) = (self.way(first, depth), self.way(second, depth - 1));
                let (one, two) = (self.states[first].node, self.states[second].node);
                let (a, b) = (self.model.nodes[one].accesses[i].clone(), self.model.nodes[two].accesses[j].clone());
                let mut parts = self.joined(&mut way, &mut other);
                let mut here = a.clone();
                here.offset = self.at_end(&mut way, a.offset);
                let there = self.at_end(&mut other, b.offset);
                parts.push(self.model.overlap(&here, &b, there));
                let formula = self.model.terms.and(parts);
                way.pieces.push(Piece { formula, other: Some(Box::new(other)) });
                way
            }
        }
    }

    fn fresh(&mut self, like: Term) -> Term {
        let (name, sort) = (self.model.terms.name(like).to_owned(), self.model.terms.sort(like));
        self.model.terms.variable(name, sort)
    }

    /// Renames a term to the current versions of its variables.
    fn versioned(&mut self, versions: &mut Versions, inputs: &mut Versions, term: Term) -> Term {
        let variables = self.model.terms.variables(&[term]);
        let mut images = Vec::new();
        for variable in variables {
            if let Some(&version) = versions.get(&variable).or_else(|| inputs.get(&variable)) {
                images.push((variable, version));
                continue;
            }
            let version = self.fresh(variable);
            if self.is_input(variable) {
                inputs.insert(variable, version);
            } else {
                versions.insert(variable, version);
            }
            images.push((variable, version));
        }
        Substitution::new(images).apply(&mut self.model.terms, term)
    }

    fn is_input(&self, variable: Term) -> bool {
        !self.model.is_shared(variable)
            && !self
                .model
                .templates
                .iter()
                .any(|template| template.number == variable || template.privates.contains(&variable))
    }

    /// A term over the variables at the end of a path.
    fn at_end(&mut self, way: &mut Way, term: Term) -> Term {
        let Some((node, mut versions)) = way.positions.pop() else { return term };
        let term = self.versioned(&mut versions, &mut Versions::default(), term);
        way.positions.push((node, versions));
        term
    }

    /// A version for every variable of a node's template and every shared one, so that later positions share them.
    fn all_versions(&mut self, node: NodeId) -> Versions {
        let template = &self.model.templates[self.model.nodes[node].template];
        let all: Vec<Term> =
            self.model.shared.iter().chain(&template.privates).copied().chain([template.number]).collect();
        all.into_iter().map(|variable| (variable, self.fresh(variable))).collect()
    }

    /// At the ends of two paths, shared variables are equal and numbers differ.
    fn joined(&mut self, way: &mut Way, other: &mut Way) -> Vec<Term> {
        let mut parts = Vec::new();
        for variable in self.model.shared.clone() {
            let (here, there) = (self.at_end(way, variable), self.at_end(other, variable));
            parts.push(self.equal(variable, here, there));
        }
        let numbers = (self.number(way), self.number(other));
        parts.push(self.model.are_different(numbers.0, numbers.1));
        parts
    }

    /// The thread number of a path.
    fn number(&mut self, way: &mut Way) -> Term {
        let Some(&(node, _)) = way.positions.last() else { return self.model.terms.bool(true) };
        let number = self.model.templates[self.model.nodes[node].template].number;
        self.at_end(way, number)
    }

    /// The path to a state; the state itself at depth 0.
    fn way(&mut self, state: StateId, depth: usize) -> Way {
        let mut steps = vec![state];
        loop {
            let last = steps[steps.len() - 1];
            match self.states[last].origin {
                Origin::Own(before, _) | Origin::Other(before, _, _) if depth > 0 => steps.push(before),
                Origin::Own(..) | Origin::Other(..) | Origin::Entry | Origin::Started(..) => break,
            }
        }
        steps.reverse();
        let mut way = Way { pieces: vec![], positions: vec![] };
        for (index, &state) in steps.iter().enumerate() {
            self.pieces += 1;
            if self.pieces > MAX_PIECES {
                break;
            }
            if index == 0 {
                self.begin(&mut way, state, depth);
            } else {
                self.extend(&mut way, state, depth);
            }
        }
        way
    }

    fn begin(&mut self, way: &mut Way, state: StateId, depth: usize) {
        let node = self.states[state].node;
        let mut versions = self.all_versions(node);
        let number = self.model.templates[self.model.nodes[node].template].number;
        let number = versions[&number];
        let mut parts = vec![self.model.is_number(number)];
        let mut other = None;
        match self.states[state].origin {
            _ if depth == 0 => {
                self.is_cut = true;
                let label = self.states[state].label;
                parts.push(self.versioned(&mut versions, &mut Versions::default(), label));
            }
            Origin::Entry => {
                for (variable, value) in self.model.initial.clone() {
                    if let Some(&version) = versions.get(&variable) {
                        parts.push(self.model.terms.eq(version, value));
                    }
                }
            }
            Origin::Started(parent, index) => {
                let mut before = self.way(parent, depth - 1);
                let start = self.model.starts[index].clone();
                parts.push(self.at_end(&mut before, start.guard));
                for variable in self.model.shared.clone() {
                    let there = self.at_end(&mut before, variable);
                    parts.push(self.equal(variable, versions[&variable], there));
                }
                for (variable, value) in start.values {
                    let value = self.at_end(&mut before, value);
                    parts.push(self.model.terms.eq(versions[&variable], value));
                }
                let parent_number = self.number(&mut before);
                parts.push(self.model.are_different(number, parent_number));
                for owner in self.model.owners.clone() {
                    let is_owner = self.model.terms.eq(versions[&owner], number);
                    parts.push(self.model.terms.not(is_owner));
                }
                other = Some(Box::new(before));
            }
            Origin::Own(..) | Origin::Other(..) => {}
        }
        let formula = self.model.terms.and(parts);
        way.pieces.push(Piece { formula, other });
        way.positions.push((node, versions));
    }

    fn extend(&mut self, way: &mut Way, state: StateId, depth: usize) {
        let node = self.states[state].node;
        let Some((_, before)) = way.positions.last() else { return };
        let mut versions = before.clone();
        let (mut parts, mut other) = (Vec::new(), None);
        match self.states[state].origin {
            Origin::Own(_, step) => {
                let step = self.model.steps[step].clone();
                let mut inputs = Versions::default();
                let mut before = versions.clone();
                parts.push(self.versioned(&mut before, &mut inputs, step.guard));
                for (variable, value) in step.updates {
                    let value = self.versioned(&mut before, &mut inputs, value);
                    let version = self.fresh(variable);
                    versions.insert(variable, version);
                    parts.push(self.model.terms.eq(version, value));
                }
            }
            Origin::Other(_, source, step) => {
                let mut there = match source {
                    Some(source) => self.way(source, depth - 1),
                    None => {
                        let from = self.model.steps[step].from;
                        let formula = self.model.terms.bool(true);
                        let positions = vec![(from, self.all_versions(from))];
                        Way { pieces: vec![Piece { formula, other: None }], positions }
                    }
                };
                parts.extend(self.joined(way, &mut there));
                let (taken, shared) = (self.model.steps[step].clone(), self.model.shared_updates(step));
                let mut inputs = Versions::default();
                let mut ending = there.positions.pop().unwrap_or((node, Versions::default()));
                parts.push(self.versioned(&mut ending.1, &mut inputs, taken.guard));
                for (variable, value) in shared {
                    let version = self.fresh(variable);
                    versions.insert(variable, version);
                    if self.strength == Strength::Relational {
                        let value = self.versioned(&mut ending.1, &mut inputs, value);
                        parts.push(self.model.terms.eq(version, value));
                    }
                }
                there.positions.push(ending);
                other = Some(Box::new(there));
            }
            Origin::Entry | Origin::Started(..) => {}
        }
        let formula = self.model.terms.and(parts);
        way.pieces.push(Piece { formula, other });
        way.positions.push((node, versions));
    }

    /// A piece, conjoined with the participating path.
    fn whole(&mut self, piece: &Piece) -> Term {
        let mut parts = vec![piece.formula];
        if let Some(way) = &piece.other {
            parts.extend(way.pieces.iter().map(|piece| self.whole(piece)).collect::<Vec<_>>());
        }
        self.model.terms.and(parts)
    }

    /// Interpolates along an infeasible path that is to end with a formula, and along the paths that join it.
    fn mine(&mut self, way: &Way, end: Option<Term>) -> Result<Answer, Stop> {
        let mut formulas: Vec<Term> = way.pieces.iter().map(|piece| self.whole(piece)).collect();
        formulas.extend(end);
        let labels = match self.interpolator.sequence(&mut self.model.terms, &formulas, self.budget) {
            Ok(labels) => labels,
            Err(Failure::Stopped(stop)) => return Err(stop),
            Err(Failure::Satisfiable | Failure::TooManyModels { .. } | Failure::TooManyChecks) => {
                return Ok(Answer::Unclear)
            }
        };
        let mut answer = Answer::Known;
        for (label, (node, versions)) in labels.iter().zip(&way.positions) {
            if self.learn(*node, versions, *label)? {
                answer = Answer::Refined;
            }
        }
        let (first, last) = (self.model.terms.bool(true), self.model.terms.bool(false));
        let labels: Vec<Term> = [first].into_iter().chain(labels).chain([last]).collect();
        for (index, piece) in way.pieces.iter().enumerate() {
            let Some(other) = &piece.other else { continue };
            let negated = self.model.terms.not(labels[index + 1]);
            let formula = self.model.terms.and([labels[index], piece.formula, negated]);
            let inner = self.mine(other, Some(formula))?;
            if inner == Answer::Refined || inner == Answer::Unclear && answer == Answer::Known {
                answer = inner;
            }
        }
        Ok(answer)
    }

    /// Adds the atoms of a label to the predicates of a node. Returns whether one is new.
    fn learn(&mut self, node: NodeId, versions: &Versions, label: Term) -> Result<bool, Stop> {
        let back: Vec<(Term, Term)> = versions.iter().map(|(&variable, &version)| (version, variable)).collect();
        let label = Substitution::new(back).apply(&mut self.model.terms, label);
        let number = self.model.templates[self.model.nodes[node].template].number;
        let is_number = self.model.is_number(number);
        let mut is_new = false;
        for atom in atoms(self.model, label) {
            // An atom that is valid or unsatisfiable is useless.
            let negated = self.model.terms.not(atom);
            let sides = [atom, negated].map(|side| self.model.terms.and2(is_number, side));
            let terms = &mut self.model.terms;
            if self.prover.is_satisfiable(terms, sides[0])? && self.prover.is_satisfiable(terms, sides[1])? {
                is_new |= self.precision[node].insert(atom);
            }
        }
        Ok(is_new)
    }
}

/// Substitutes in the formulas of a path.
fn choose(model: &mut Model, way: Way, choice: &mut Substitution) -> Way {
    let mut pieces = Vec::new();
    for piece in way.pieces {
        let formula = choice.apply(&mut model.terms, piece.formula);
        let other = piece.other.map(|other| Box::new(choose(model, *other, choice)));
        pieces.push(Piece { formula, other });
    }
    Way { pieces, positions: way.positions }
}

/// The maximal subformulas that are not Boolean combinations.
fn atoms(model: &Model, formula: Term) -> Vec<Term> {
    let (mut work, mut found) = (vec![formula], Vec::new());
    while let Some(term) = work.pop() {
        match model.terms.node(term) {
            TermNode::Bool(_) => {}
            TermNode::Not(a) => work.push(*a),
            TermNode::And(parts) => work.extend(parts.iter().copied()),
            TermNode::Eq(a, b) if model.terms.sort(*a) == Sort::Bool => work.extend([*a, *b]),
            TermNode::Ite(a, b, c) if model.terms.sort(*b) == Sort::Bool => work.extend([*a, *b, *c]),
            _ if !found.contains(&term) => found.push(term),
            _ => {}
        }
    }
    found.sort_unstable();
    found
}
