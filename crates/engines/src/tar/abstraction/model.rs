//! The input of the abstraction: thread templates as control automata over terms.
//!
//! A node is a control point of a template (location and call stack); an edge is a guarded simultaneous assignment to
//! shared variables and to the template's private ones. Variables that are not assigned keep their values. Every thread
//! has a private constant, its number, which is not 0 and differs from that of every other live thread: locks are
//! variables that hold the number of their owner, so "I hold it", "another thread holds it" and "it is free" are
//! ordinary predicates, and a template with many threads is its own environment without special treatment.

use super::holders::Holder;
use base::{define_id, IdVec};
use check::Reason;
use ir::{FunctionId, LocId, LocalId, ObjectId};
use rustc_hash::FxHashMap;
use smt::{Bits, Sort, Term, Terms};
use std::collections::BTreeSet;

define_id!(
    /// A thread template. Prints as `t1`.
    TemplateId, "t");
define_id!(
    /// A control point of a template. Prints as `n7`.
    NodeId, "n");
define_id!(
    /// A step of a template. Prints as `s7`.
    StepId, "s");

/// The width of a thread's number.
pub(crate) const NUMBER_WIDTH: u32 = 32;

/// A thread template.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    /// Its name for people.
    pub(crate) name: String,
    /// The thread's own number.
    pub(crate) number: Term,
    /// Its private variables, except the number.
    pub(crate) privates: Vec<Term>,
    /// The same variables (the number first) of another thread of this template.
    pub(crate) others: Vec<(Term, Term)>,
    /// Templates whose threads may be alive at the same time, neither thread being an ancestor of the other.
    pub(crate) siblings: BTreeSet<TemplateId>,
}

/// An access that is next at a node.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) object: ObjectId,
    pub(crate) is_ghost: bool,
    /// Over the variables of the node.
    pub(crate) offset: Term,
    pub(crate) bytes: u64,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) is_atomic: bool,
    /// Whether the read acquires.
    pub(crate) acquires: bool,
    /// Whether the write releases.
    pub(crate) releases: bool,
    /// Whether it is in an atomic region.
    pub(crate) is_in_region: bool,
}

/// An error that must not occur.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// The condition under which it occurs.
    pub(crate) guard: Term,
    /// The reason to report if it cannot be ruled out.
    pub(crate) reason: Reason,
}

/// A control point.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) template: TemplateId,
    /// The outgoing steps.
    pub(crate) steps: Vec<StepId>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) accesses: Vec<Access>,
    /// Whether no other thread moves while a thread is here.
    pub(crate) is_undisturbed: bool,
    /// Templates whose threads a thread here, or one that it started, may have started and that may still be alive.
    pub(crate) started: BTreeSet<TemplateId>,
    /// The source position, for people.
    pub(crate) place: String,
    /// The user function that a thread here is in, its depth on the stack, and the location.
    pub(crate) at: Option<(u32, FunctionId, LocId)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    /// Over the variables, and inputs that occur in no other step.
    pub(crate) guard: Term,
    /// Simultaneous assignments.
    pub(crate) updates: Vec<(Term, Term)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub(crate) from: NodeId,
    pub(crate) guard: Term,
    /// The node at which the new thread begins.
    pub(crate) entry: NodeId,
    /// Initial values of its private variables, over the variables of the starting thread. The others are arbitrary.
    pub(crate) values: Vec<(Term, Term)>,
}

/// A program as automata.
#[derive(Default)]
pub(crate) struct Model {
    pub(crate) terms: Terms,
    pub(crate) shared: Vec<Term>,
    /// Source names of variables; for locals, the depth on the stack and the local.
    pub(crate) names: FxHashMap<Term, (String, Option<(u32, LocalId)>)>,
    pub(crate) templates: IdVec<TemplateId, Template>,
    pub(crate) nodes: IdVec<NodeId, Node>,
    pub(crate) steps: IdVec<StepId, Step>,
    pub(crate) starts: Vec<Start>,
    /// The nodes of the initial threads.
    pub(crate) entries: Vec<NodeId>,
    /// Initial values of variables; the others are arbitrary.
    pub(crate) initial: Vec<(Term, Term)>,
    /// Variables that hold 0 or the number of a live thread: no thread ends while its number is there.
    pub(crate) owners: Vec<Term>,
    /// Variables used as locks, with companions.
    pub(crate) holders: Vec<Holder>,
}

impl Model {
    /// Adds a thread template.
    pub(crate) fn template(&mut self, name: &str) -> TemplateId {
        let number = self.terms.variable("self", Sort::Bits(NUMBER_WIDTH));
        let other = self.terms.variable("other.self", Sort::Bits(NUMBER_WIDTH));
        let (name, others) = (name.to_owned(), vec![(number, other)]);
        self.templates.push(Template { name, number, privates: vec![], others, siblings: BTreeSet::new() })
    }

    /// Adds a private variable.
    pub(crate) fn private(&mut self, template: TemplateId, name: &str, width: u32) -> Term {
        let variable = self.terms.variable(name, Sort::Bits(width));
        let other = self.terms.variable(format!("other.{name}"), Sort::Bits(width));
        self.templates[template].privates.push(variable);
        self.templates[template].others.push((variable, other));
        variable
    }

    /// Adds a control point.
    pub(crate) fn node(&mut self, template: TemplateId, place: &str) -> NodeId {
        self.nodes.push(Node {
            template,
            steps: vec![],
            faults: vec![],
            accesses: vec![],
            is_undisturbed: false,
            started: BTreeSet::new(),
            place: place.to_owned(),
            at: None,
        })
    }

    /// Adds a step.
    pub(crate) fn step(&mut self, step: Step) -> StepId {
        let from = step.from;
        let id = self.steps.push(step);
        self.nodes[from].steps.push(id);
        id
    }

    /// Whether a variable is shared.
    pub(crate) fn is_shared(&self, variable: Term) -> bool {
        self.shared.contains(&variable)
    }

    /// The assignments of a step to shared variables.
    pub(crate) fn shared_updates(&self, step: StepId) -> Vec<(Term, Term)> {
        self.steps[step].updates.iter().copied().filter(|(variable, _)| self.is_shared(*variable)).collect()
    }

    /// Whether one thread may be at one node while another is at the other.
    pub(crate) fn may_meet(&self, one: NodeId, two: NodeId) -> bool {
        let (first, second) = (&self.nodes[one], &self.nodes[two]);
        self.templates[first.template].siblings.contains(&second.template)
            || first.started.contains(&second.template)
            || second.started.contains(&first.template)
    }

    /// Two numbers belong to different threads.
    pub(crate) fn are_different(&mut self, one: Term, two: Term) -> Term {
        let zero = self.terms.bits(Bits::zero(NUMBER_WIDTH));
        let equalities = [self.terms.eq(one, two), self.terms.eq(one, zero), self.terms.eq(two, zero)];
        let negated = equalities.map(|equality| self.terms.not(equality));
        self.terms.and(negated)
    }

    /// A term is the number of a thread.
    pub(crate) fn is_number(&mut self, number: Term) -> Term {
        let zero = self.terms.bits(Bits::zero(NUMBER_WIDTH));
        let is_zero = self.terms.eq(number, zero);
        self.terms.not(is_zero)
    }

    /// Pairs of nodes, and of accesses there, that race if two threads are there at the same time.
    pub(crate) fn conflicts(&self) -> Vec<(NodeId, NodeId, usize, usize)> {
        let mut found = Vec::new();
        let accessing: Vec<NodeId> =
            self.nodes.enumerate().filter(|(_, node)| !node.accesses.is_empty()).map(|(id, _)| id).collect();
        for (index, &one) in accessing.iter().enumerate() {
            for &two in &accessing[index..] {
                if !self.may_meet(one, two) {
                    continue;
                }
                for (i, a) in self.nodes[one].accesses.iter().enumerate() {
                    for (j, b) in self.nodes[two].accesses.iter().enumerate() {
                        if is_conflict(a, b) && !is_exempt(a, b) {
                            found.push((one, two, i, j));
                        }
                    }
                }
            }
        }
        found
    }

    /// The condition under which accesses of two threads overlap.
    pub(crate) fn overlap(&mut self, a: &Access, b: &Access, other_offset: Term) -> Term {
        let width = self.terms.width(a.offset);
        let end = |terms: &mut Terms, offset: Term, bytes: u64| {
            let bytes = terms.bits(Bits::from_u64(width, bytes));
            terms.add(offset, bytes)
        };
        let (end_a, end_b) = (end(&mut self.terms, a.offset, a.bytes), end(&mut self.terms, other_offset, b.bytes));
        let first = self.terms.ult(a.offset, end_b);
        let second = self.terms.ult(other_offset, end_a);
        self.terms.and2(first, second)
    }
}

/// Whether accesses to the same bytes would conflict.
pub(crate) fn is_conflict(a: &Access, b: &Access) -> bool {
    a.object == b.object && a.is_ghost == b.is_ghost && (a.writes || b.writes)
}

/// Whether a conflict is no race.
pub(crate) fn is_exempt(a: &Access, b: &Access) -> bool {
    a.is_atomic && b.is_atomic || a.is_in_region && b.is_in_region
}

/// The position of a statement.
pub(crate) type At = (FunctionId, ir::EdgeId);
