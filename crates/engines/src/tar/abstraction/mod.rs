//! Thread-modular abstraction refinement proper (Henzinger, Jhala, Majumdar and Qadeer, CAV 2003): each thread template
//! is explored alone, with explicit control and predicate-abstracted data, in an inferred environment.
//!
//! [`model`] defines the automata over terms, which [`translate`] builds from a program, with ghost owners of variables
//! that are used as locks ([`holders`]). [`reach`] finds the abstract states under the current environment assumption
//! and weakens the assumption, [`refine`] finds predicates, [`certificate`] checks the finished proof. The loop is the
//! paper's: compute reachable states; on an alarm, add predicates and reset the assumption to empty; otherwise weaken
//! the assumption, until it covers every write.
//!
//! That two threads are never at conflicting accesses at the same time implies the absence of C11 data races only if
//! what keeps them apart also orders them. Take an execution with a race whose second access comes first of all, and
//! remove everything that happens before neither of the two accesses. The rest is an execution too if every read still
//! finds its write: that is so if reads read from writes that happen before them, as they do where both are plain
//! (there is no earlier race), or where the write releases and the read acquires. At its end both threads are at the
//! accesses. So values passed on by other atomic accesses must not be tracked: for the property `race`, cells with such
//! accesses hold anything ([`translate`]), and atomic regions are interruptible.
//!
//! Limits: `sc` only. Everything that is not translated is a fault that must be proved unreachable.

pub(crate) mod certificate;
mod control;
mod evaluate;
mod holders;
mod meetings;
mod memory;
pub(crate) mod model;
mod prover;
mod reach;
mod refine;
mod statements;
#[cfg(test)]
mod tests;
mod translate;

use crate::invariants::fact;
use base::{Budget, IdVec, Part, Stats, Stop};
use certificate::Certificate;
use check::{Protection, Reason, ReasonKind, Task};
use holders::Holder;
use indexmap::IndexSet;
use ir::invariants::LocationInvariant;
use ir::{Property, Shape};
use model::Model;
use prover::Prover;
use reach::{Alarm, Precision, Reach};
use refine::{Answer, Refiner};
use smt::interpolation::Interpolator;
use smt::Term;
use std::collections::{BTreeMap, BTreeSet};

/// The direction from which environment assumptions are approximated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Algorithm {
    /// From below: they start empty and grow (the paper's algorithm TAR).
    #[default]
    FromBelow,
    /// From above: other threads may take their steps in any state (the paper's algorithm B).
    FromAbove,
}

/// The form of environment assumptions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Strength {
    /// The states in which a variable is written.
    Havoc,
    /// The states, and the written values.
    Relational,
}

/// Configuration of the loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Modes {
    pub(crate) algorithm: Algorithm,
    /// None: havoc first, relational if that fails.
    pub(crate) strength: Option<Strength>,
}

/// The result of the loop.
pub(crate) enum Conclusion {
    /// Nothing is violated.
    Proved(Certificate),
    /// These violations cannot be ruled out.
    Open(Vec<Reason>),
}

/// Counters, as in the paper's Table 2.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Effort {
    /// Number of times the assumption was reset.
    pub(crate) outer: u64,
    /// Number of times it was weakened since.
    pub(crate) inner: u64,
    /// Distinct predicates.
    pub(crate) predicates: u64,
    /// Pairs of a predicate and a node.
    pub(crate) placed: u64,
    /// Abstract states of the last round.
    pub(crate) states: u64,
    /// Solver calls.
    pub(crate) queries: u64,
    /// Solver calls of the certificate checker.
    pub(crate) checks: u64,
}

impl Effort {
    /// Reports the counters.
    pub(crate) fn report(&self, stats: &mut Stats) {
        let all = [
            ("outer_iterations", self.outer),
            ("inner_iterations", self.inner),
            ("predicates", self.predicates),
            ("predicates_at_nodes", self.placed),
            ("abstract_states", self.states),
            ("prover_queries", self.queries),
            ("certificate_checks", self.checks),
        ];
        for (name, value) in all {
            stats.set(name, value as f64);
        }
    }
}

/// Share of the time for havoc assumptions if relational ones follow.
const FIRST_SHARE: f64 = 0.3;
/// Maximum number of alarms that are refined per round.
const MAX_ALARMS: usize = 12;
/// Maximum number of predicates at a node.
const MAX_PREDICATES: usize = 24;

/// The loop, over a model.
pub(crate) struct Abstraction<'m> {
    pub(crate) model: &'m mut Model,
    pub(crate) precision: Precision,
    pub(crate) effort: Effort,
    budget: Budget,
    prover: Prover,
    interpolator: Interpolator,
}

impl<'m> Abstraction<'m> {
    /// Starts with the initial predicates.
    pub(crate) fn new(model: &'m mut Model, budget: &Budget) -> Abstraction<'m> {
        let precision = first_predicates(model);
        let (prover, interpolator) = (Prover::new(budget), Interpolator::new());
        Abstraction { model, precision, effort: Effort::default(), budget: budget.clone(), prover, interpolator }
    }

    /// Proves that nothing is violated, or reports what cannot be ruled out.
    pub(crate) fn run(&mut self, modes: Modes) -> Result<Conclusion, Stop> {
        let strengths = match modes.strength {
            Some(strength) => vec![strength],
            None => vec![Strength::Havoc, Strength::Relational],
        };
        let mut open = Vec::new();
        for (index, &strength) in strengths.iter().enumerate() {
            let is_last = index + 1 == strengths.len();
            let budget = if is_last { self.budget.clone() } else { self.budget.part(Part::Share(FIRST_SHARE)) };
            self.prover.limit(&budget);
            if index > 0 {
                // The predicates that did not help would be in the way.
                self.precision = first_predicates(self.model);
            }
            let result = self.refine((modes.algorithm, strength), &budget);
            self.effort.queries = self.prover.queries + self.interpolator.statistics().checks;
            match result {
                Ok(Conclusion::Proved(certificate)) => return self.checked(certificate),
                Ok(Conclusion::Open(reasons)) => open = reasons,
                Err(Stop::Time) if !is_last => {}
                Err(stop) => return Err(stop),
            }
        }
        Ok(Conclusion::Open(open))
    }

    fn checked(&mut self, certificate: Certificate) -> Result<Conclusion, Stop> {
        match certificate::check(self.model, &certificate, &self.budget) {
            Ok(checks) => {
                self.effort.checks = checks;
                Ok(Conclusion::Proved(certificate))
            }
            Err(certificate::Failure::Stopped(stop)) => Err(stop),
            Err(certificate::Failure::Wrong(problem)) => {
                let detail = format!("the proof does not check, a defect of Heddle: {problem}");
                Ok(Conclusion::Open(vec![Reason::new(ReasonKind::ProofRefused, detail)]))
            }
        }
    }

    fn refine(&mut self, modes: (Algorithm, Strength), budget: &Budget) -> Result<Conclusion, Stop> {
        let mut is_spread = false;
        loop {
            self.count();
            self.effort.inner = 0;
            let mut reach = Reach::new(self.model, &mut self.prover, &self.precision, modes, budget);
            let alarms = loop {
                reach.close()?;
                let alarms = reach.alarms()?;
                if !alarms.is_empty() {
                    break alarms;
                }
                if modes.0 == Algorithm::FromAbove || !reach.weaken()? {
                    self.effort.states = reach.states.len() as u64;
                    return Ok(Conclusion::Proved(certificate_of(&mut reach)));
                }
                self.effort.inner += 1;
            };
            let states = reach.states;
            self.effort.states = states.len() as u64;
            let (mut is_refined, mut open) = (false, Vec::new());
            for alarm in alarms.iter().take(MAX_ALARMS) {
                let answer = Refiner::new(
                    (self.model, &mut self.prover),
                    &states,
                    &mut self.precision,
                    &mut self.interpolator,
                    modes.1,
                    budget,
                )
                .examine(alarm)?;
                match answer {
                    Answer::Refined => is_refined = true,
                    Answer::Known | Answer::Possible | Answer::Unclear => {
                        open.push(reason(self.model, &states, alarm, answer));
                    }
                }
                if answer == Answer::Possible {
                    return Ok(Conclusion::Open(open));
                }
            }
            if !is_refined && !is_spread {
                is_spread = true;
                is_refined = self.spread();
            }
            if !is_refined || self.precision.iter().any(|predicates| predicates.len() > MAX_PREDICATES) {
                if open.is_empty() {
                    open.push(Reason::new(ReasonKind::Imprecise, "too many predicates would be needed"));
                }
                return Ok(Conclusion::Open(open));
            }
            self.effort.outer += 1;
        }
    }

    fn count(&mut self) {
        let all: BTreeSet<Term> = self.precision.iter().flatten().copied().collect();
        self.effort.predicates = all.len() as u64;
        self.effort.placed = self.precision.iter().map(|predicates| predicates.len() as u64).sum();
    }

    /// Propagates the predicates of each node to all nodes of its template. Returns whether any is new.
    fn spread(&mut self) -> bool {
        let mut is_new = false;
        for node in self.model.nodes.ids() {
            let template = self.model.nodes[node].template;
            let others = self.model.nodes.ids().filter(|&other| self.model.nodes[other].template == template);
            let all: Vec<Term> = others.flat_map(|other| self.precision[other].iter().copied()).collect();
            for predicate in all {
                is_new |= self.precision[node].insert(predicate);
            }
        }
        is_new
    }
}

/// Every node asks who owns the variables that are used as locks.
fn first_predicates(model: &mut Model) -> Precision {
    let mut precision = IdVec::filled(IndexSet::default(), model.nodes.len());
    for node in model.nodes.ids() {
        let number = model.templates[model.nodes[node].template].number;
        for Holder { is_free, holder } in model.holders.clone() {
            precision[node].insert(is_free);
            precision[node].insert(model.terms.eq(holder, number));
        }
    }
    precision
}

/// Tries to prove a property of a program. Returns what protects shared variables, or what is open.
pub(crate) fn prove(
    task: &Task<'_>,
    modes: Modes,
    stats: &mut Stats,
) -> Result<Result<Vec<Protection>, Vec<Reason>>, Stop> {
    let proved = certify(task, modes, stats)?;
    Ok(proved.map(|(model, certificate)| protections(task, &model, &certificate)))
}

/// The invariants from the proof of a property, per thread and location; empty if there is no proof.
pub(crate) fn invariants(task: &Task<'_>, modes: Modes) -> Result<Vec<LocationInvariant>, Stop> {
    let Ok((mut model, certificate)) = certify(task, modes, &mut Stats::default())? else { return Ok(vec![]) };
    let mut all = Vec::new();
    for node in model.nodes.ids() {
        let Some((depth, function, loc)) = model.nodes[node].at else { continue };
        // An invariant is the disjunction of the node's states.
        let none = model.terms.not(certificate.invariants[node]);
        for part in model.terms.conjuncts(none) {
            let state = model.terms.not(part);
            let name = |variable: Term| match model.names.get(&variable)? {
                (name, None) => Some((name.clone(), None)),
                (name, Some((own, local))) => (*own == depth).then(|| (name.clone(), Some(*local))),
            };
            let facts = model.terms.conjuncts(state).into_iter().filter_map(|part| fact(&model.terms, &name, part));
            all.push(LocationInvariant { at: (function, loc), facts: facts.collect(), ended: BTreeSet::new() });
        }
    }
    Ok(all)
}

/// Tries to prove a property of a program. Returns the automata and the certificate, or what is open.
fn certify(
    task: &Task<'_>,
    modes: Modes,
    stats: &mut Stats,
) -> Result<Result<(Model, Certificate), Vec<Reason>>, Stop> {
    let is_known = match task.property.shape() {
        Shape::Step | Shape::Conflict => task.model.is_sequentially_consistent(),
        Shape::Stuck | Shape::Between => false,
    };
    if !is_known {
        let detail = format!("predicate abstraction does not decide {} under {}", task.property, task.model);
        return Ok(Err(vec![Reason::new(ReasonKind::Unsupported, detail)]));
    }
    let mut model = match translate::translate(task.program, task.property, &task.budget)? {
        Ok(model) => model,
        Err(reason) => return Ok(Err(vec![reason])),
    };
    if task.property != Property::Race {
        for node in model.nodes.ids() {
            model.nodes[node].accesses.clear();
        }
    }
    holders::add(&mut model);
    stats.set("automata_nodes", model.nodes.len() as f64);
    stats.set("automata_steps", model.steps.len() as f64);
    stats.set("automata_templates", model.templates.len() as f64);
    let mut abstraction = Abstraction::new(&mut model, &task.budget);
    let conclusion = abstraction.run(modes);
    abstraction.effort.report(stats);
    Ok(match conclusion? {
        Conclusion::Proved(certificate) => Ok((model, certificate)),
        Conclusion::Open(reasons) => Err(reasons),
    })
}

/// What protects variables from races: the invariants where they are accessed.
fn protections(task: &Task<'_>, model: &Model, certificate: &Certificate) -> Vec<Protection> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (node, item) in model.nodes.enumerate() {
        for access in item.accesses.iter().filter(|access| !access.is_ghost) {
            let name = task.program.objects[access.object].name.clone();
            let invariant = certificate.invariants[node];
            let words = match (access.is_atomic, model.terms.as_bool(invariant)) {
                (true, _) => "atomic accesses".to_owned(),
                (false, Some(_)) => "threads are started and joined in order".to_owned(),
                (false, None) => {
                    let thread = &model.templates[item.template].name;
                    format!("in {thread} at {}: {}", item.place, model.terms.to_infix(invariant))
                }
            };
            found.entry(name).or_default().insert(words);
        }
    }
    found.into_iter().map(|(variable, by)| Protection { variable, by: by.into_iter().collect() }).collect()
}

/// The certificate for a closed set of states.
fn certificate_of(reach: &mut Reach<'_>) -> Certificate {
    let nodes: Vec<_> = reach.model.nodes.ids().collect();
    let invariants: IdVec<_, Term> = nodes.into_iter().map(|node| reach.invariant(node)).collect();
    let steps: Vec<_> = reach.model.steps.ids().collect();
    let environment = steps
        .into_iter()
        .map(|step| {
            let mut parts = Vec::new();
            for influence in reach.influences.clone().into_iter().filter(|influence| influence.step == step) {
                if influence.sources.is_empty() {
                    parts.push(reach.model.terms.bool(true));
                }
                parts.extend(influence.sources.iter().map(|&source| reach.states[source].label));
            }
            reach.model.terms.or(parts)
        })
        .collect();
    Certificate { invariants, environment }
}

/// Describes an alarm that cannot be ruled out.
fn reason(model: &Model, states: &IdVec<reach::StateId, reach::State>, alarm: &Alarm, answer: Answer) -> Reason {
    let why = match answer {
        Answer::Possible => "not provable thread by thread",
        Answer::Refined | Answer::Known => "no predicates exclude it that were found",
        Answer::Unclear => "excluding it takes too much",
    };
    match *alarm {
        Alarm::Fault(state, index) => {
            let fault = &model.nodes[states[state].node].faults[index];
            Reason { detail: format!("{}: {why}", fault.reason.detail), ..fault.reason.clone() }
        }
        Alarm::Race(one, two, _, _) => {
            let (first, second) = (&model.nodes[states[one].node].place, &model.nodes[states[two].node].place);
            let detail = format!("it is not excluded that accesses race (the other is at {second}): {why}");
            Reason::new(ReasonKind::Imprecise, detail).at(first.clone())
        }
    }
}
