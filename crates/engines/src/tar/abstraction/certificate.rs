//! A certificate of thread-modular safety and its checker, which shares only the model with the search.
//!
//! A certificate has an invariant for each node and, for each step that writes shared variables, an environment
//! assumption: the states from which threads are assumed to take the step. It proves that nothing is violated if
//!
//! - the invariants hold where threads begin, at the start of the program and when they are started,
//! - each step of a thread leads from invariant to invariant,
//! - each invariant is stable under each step of another thread that is taken from an assumed state,
//! - the assumptions cover every write: the invariant of a node where a step begins implies that step's assumption,
//! - invariants exclude every fault, and the invariants of two nodes with conflicting accesses exclude each other.
//!
//! Soundness: take the first state of a run in which a thread is at a node whose invariant does not hold. The last step
//! was the thread's own, its start, or a step of another thread, whose own invariant held before it.

use super::model::{Model, NodeId, StepId};
use base::{Budget, IdVec, Stop};
use smt::term::Substitution;
use smt::{Answer, Solver, Term};

/// A certificate.
#[derive(Clone, Debug)]
pub(crate) struct Certificate {
    /// The invariant of each node.
    pub(crate) invariants: IdVec<NodeId, Term>,
    /// The environment assumption of each step, over the variables of its thread.
    pub(crate) environment: IdVec<StepId, Term>,
}

/// Why a certificate is rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// An obligation fails.
    Wrong(String),
    /// The checker was stopped.
    Stopped(Stop),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        Failure::Stopped(stop)
    }
}

/// Checks a certificate. Returns the number of solver calls.
pub(crate) fn check(model: &mut Model, certificate: &Certificate, budget: &Budget) -> Result<u64, Failure> {
    let mut checker = Checker { model, certificate, solver: Solver::new(), budget, checks: 0 };
    if checker.certificate.invariants.len() != checker.model.nodes.len()
        || checker.certificate.environment.len() != checker.model.steps.len()
    {
        return Err(Failure::Wrong("it is of another program".to_owned()));
    }
    checker.beginnings()?;
    checker.own_steps()?;
    checker.starts()?;
    checker.coverage()?;
    checker.stability()?;
    checker.violations()?;
    Ok(checker.checks)
}

struct Checker<'c> {
    model: &'c mut Model,
    certificate: &'c Certificate,
    solver: Solver,
    budget: &'c Budget,
    checks: u64,
}

impl Checker<'_> {
    /// Checks that formulas are jointly unsatisfiable; reports `wrong` if not.
    fn exclude(&mut self, formulas: &[Term], wrong: impl FnOnce() -> String) -> Result<(), Failure> {
        self.checks += 1;
        match self.solver.check(&mut self.model.terms, formulas, self.budget)? {
            Answer::Unsat => Ok(()),
            Answer::Sat => Err(Failure::Wrong(wrong())),
        }
    }

    /// The negated invariant of a node after assignments.
    fn violated_after(&mut self, node: NodeId, updates: &[(Term, Term)]) -> Term {
        let after =
            Substitution::new(updates.iter().copied()).apply(&mut self.model.terms, self.certificate.invariants[node]);
        self.model.terms.not(after)
    }

    fn number(&self, node: NodeId) -> Term {
        self.model.templates[self.model.nodes[node].template].number
    }

    /// Renames a term about a thread at a node to another thread.
    fn of_other(&mut self, node: NodeId, term: Term) -> Term {
        let others = self.model.templates[self.model.nodes[node].template].others.clone();
        Substitution::new(others).apply(&mut self.model.terms, term)
    }

    fn beginnings(&mut self) -> Result<(), Failure> {
        for node in self.model.entries.clone() {
            let initial = self.model.initial.clone();
            let violated = self.violated_after(node, &initial);
            let number = self.number(node);
            let is_number = self.model.is_number(number);
            self.exclude(&[is_number, violated], || format!("the invariant of {node} does not hold at the beginning"))?;
        }
        Ok(())
    }

    fn own_steps(&mut self) -> Result<(), Failure> {
        for id in self.model.steps.ids() {
            let step = self.model.steps[id].clone();
            let violated = self.violated_after(step.to, &step.updates);
            let number = self.number(step.from);
            let is_number = self.model.is_number(number);
            let formulas = [self.certificate.invariants[step.from], step.guard, is_number, violated];
            self.exclude(&formulas, || format!("{id} does not lead to the invariant of {}", step.to))?;
        }
        Ok(())
    }

    fn starts(&mut self) -> Result<(), Failure> {
        for start in self.model.starts.clone() {
            let (own, child) = (self.number(start.from), self.number(start.entry));
            let number = self.of_other(start.entry, child);
            let template = self.model.nodes[start.entry].template;
            let mut updates = self.model.templates[template].others.clone();
            updates.retain(|(variable, _)| start.values.iter().all(|(given, _)| given != variable));
            updates.extend(start.values.iter().copied());
            let violated = self.violated_after(start.entry, &updates);
            let different = self.model.are_different(own, number);
            let mut formulas = vec![self.certificate.invariants[start.from], start.guard, different, violated];
            // No thread ends while it owns something, so owners are live threads.
            for owner in self.model.owners.clone() {
                let is_new = self.model.terms.eq(owner, number);
                formulas.push(self.model.terms.not(is_new));
            }
            let entry = start.entry;
            self.exclude(&formulas, || format!("the invariant of {entry} does not hold when a thread is started"))?;
        }
        Ok(())
    }

    fn is_writing(&self, step: StepId) -> bool {
        self.model.steps[step].updates.iter().any(|(variable, _)| self.model.is_shared(*variable))
    }

    fn coverage(&mut self) -> Result<(), Failure> {
        for id in self.model.steps.ids().filter(|&id| self.is_writing(id)).collect::<Vec<_>>() {
            let step = self.model.steps[id].clone();
            let number = self.number(step.from);
            let is_number = self.model.is_number(number);
            let outside = self.model.terms.not(self.certificate.environment[id]);
            let formulas = [self.certificate.invariants[step.from], step.guard, is_number, outside];
            self.exclude(&formulas, || format!("{id} is taken from where it is not assumed to be"))?;
        }
        Ok(())
    }

    fn stability(&mut self) -> Result<(), Failure> {
        for id in self.model.steps.ids().filter(|&id| self.is_writing(id)).collect::<Vec<_>>() {
            let step = self.model.steps[id].clone();
            let assumed = self.of_other(step.from, self.certificate.environment[id]);
            let guard = self.of_other(step.from, step.guard);
            let number = self.number(step.from);
            let other = self.of_other(step.from, number);
            let mut updates = Vec::new();
            for (variable, value) in step.updates {
                if self.model.is_shared(variable) {
                    updates.push((variable, self.of_other(step.from, value)));
                }
            }
            for node in self.model.nodes.ids() {
                if self.model.nodes[node].is_undisturbed || !self.model.may_meet(node, step.from) {
                    continue;
                }
                let violated = self.violated_after(node, &updates);
                let own = self.number(node);
                let different = self.model.are_different(own, other);
                let formulas = [self.certificate.invariants[node], assumed, guard, different, violated];
                self.exclude(&formulas, || format!("the invariant of {node} is not stable under {id}"))?;
            }
        }
        Ok(())
    }

    fn violations(&mut self) -> Result<(), Failure> {
        for node in self.model.nodes.ids() {
            let number = self.number(node);
            let is_number = self.model.is_number(number);
            for fault in self.model.nodes[node].faults.clone() {
                let formulas = [self.certificate.invariants[node], is_number, fault.guard];
                self.exclude(&formulas, || format!("{node}: {} is not excluded", fault.reason))?;
            }
        }
        for (one, two, i, j) in self.model.conflicts() {
            let (a, b) = (self.model.nodes[one].accesses[i].clone(), self.model.nodes[two].accesses[j].clone());
            let offset = self.of_other(two, b.offset);
            let overlap = self.model.overlap(&a, &b, offset);
            let there = self.of_other(two, self.certificate.invariants[two]);
            let number = self.number(two);
            let (own, other) = (self.number(one), self.of_other(two, number));
            let different = self.model.are_different(own, other);
            let formulas = [self.certificate.invariants[one], there, overlap, different];
            self.exclude(&formulas, || format!("accesses of {one} and {two} may race"))?;
        }
        Ok(())
    }
}
