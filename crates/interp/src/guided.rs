//! A search that keeps to the paths a guide describes: what a witness says of a run (who gets where, in which order, with
//! which values) leaves choices open, and this looks for a run that makes them so that the property is violated.
//!
//! It is a best-first search in the number of departures from what the guide prefers (limited discrepancy search, Harvey and
//! Ginsberg, IJCAI 1995): letting the thread go on that the guide waits for costs nothing, and neither does letting a thread
//! finish the statement in which it is; any other switch costs one. Among equals what has come farther goes first. States
//! are kept with the guide's progress, so that nothing is looked at twice. That the search ends without a violation proves
//! nothing: inputs take few values here.

use crate::explore::{canonicalise, NoQuestions};
use crate::machine::Machine;
use crate::oracle::Enumerate;
use crate::state::{State, Status};
use crate::step::Interrupt;
use base::{Budget, Stop};
use ir::{Action, EdgeId, FunctionId, ScheduleStep, Violation};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::Hash;

/// A step that was taken.
pub struct Seen<'a> {
    /// The state before it.
    pub before: &'a State,
    /// The state after it.
    pub after: &'a State,
    /// Who took it.
    pub thread: u32,
    /// What it did; of a branch, the first of its edges.
    pub at: (FunctionId, EdgeId),
}

/// Who says where to go.
pub trait Guide {
    /// How far a run has come.
    type Progress: Clone + Eq + Hash;

    /// Before the first step.
    fn start(&self) -> Self::Progress;

    /// After a step; `None` if the run leaves the paths described.
    fn advance(&self, progress: &Self::Progress, seen: &Seen<'_>) -> Option<Self::Progress>;

    /// How much of the way lies behind.
    fn passed(&self, progress: &Self::Progress) -> usize;

    /// Whether the thread is one that the guide waits for.
    fn waits_for(&self, progress: &Self::Progress, thread: u32) -> bool;

    /// Whether the thread is in the middle of a statement that it may finish.
    fn is_within(&self, progress: &Self::Progress, state: &State, thread: u32) -> bool;

    /// Whether a violation that a run ends in is the one described.
    fn accepts(&self, progress: &Self::Progress, steps: &[ScheduleStep], violation: &Violation) -> bool;
}

/// What a guided search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guided {
    /// A run as described that violates the property.
    Found {
        /// The run.
        steps: Vec<ScheduleStep>,
        /// How it ends.
        violation: Violation,
    },
    /// There is none among the runs looked at, which got so far at most.
    Nothing {
        /// How much of the way the best of them passed.
        passed: usize,
    },
    /// The budget was used up.
    Stopped {
        /// By what.
        stop: Stop,
        /// How much of the way the best run passed.
        passed: usize,
    },
}

/// So many steps that nobody notices are taken in a row at most.
const MERGE_LIMIT: usize = 2_000;
const NONE: usize = usize::MAX;

/// A state that was reached.
struct Node<P> {
    parent: usize,
    steps: Vec<ScheduleStep>,
    last: u32,
    cost: u32,
    /// Until it has been expanded.
    open: Option<(State, P)>,
}

struct Search<'a, 'p, G: Guide> {
    machine: &'a Machine<'p>,
    guide: &'a G,
    nodes: Vec<Node<G::Progress>>,
    queue: BinaryHeap<(Reverse<u32>, usize, usize)>,
    known: FxHashSet<(State, G::Progress)>,
    passed: usize,
}

/// Looks for a run along the guide's paths that violates the property.
pub fn search<G: Guide>(machine: &Machine<'_>, guide: &G, budget: &Budget) -> Guided {
    let mut search =
        Search { machine, guide, nodes: Vec::new(), queue: BinaryHeap::new(), known: FxHashSet::default(), passed: 0 };
    let first = Node { parent: NONE, steps: Vec::new(), last: 1, cost: 0, open: None };
    search.add(first, machine.initial(), guide.start());
    let mut expanded = 0usize;
    while let Some((_, _, number)) = search.queue.pop() {
        if expanded.is_multiple_of(64) {
            if let Err(stop) = budget.check() {
                return Guided::Stopped { stop, passed: search.passed };
            }
        }
        expanded += 1;
        if let Some((steps, violation)) = search.expand(number) {
            return Guided::Found { steps, violation };
        }
    }
    Guided::Nothing { passed: search.passed }
}

type Violated = (Vec<ScheduleStep>, Violation);

impl<G: Guide> Search<'_, '_, G> {
    fn add(&mut self, mut node: Node<G::Progress>, mut state: State, progress: G::Progress) {
        canonicalise(&mut state);
        if !self.known.insert((state.clone(), progress.clone())) {
            return;
        }
        let passed = self.guide.passed(&progress);
        self.passed = self.passed.max(passed);
        self.queue.push((Reverse(node.cost), passed, self.nodes.len()));
        node.open = Some((state, progress));
        self.nodes.push(node);
    }

    /// Takes every step that is possible in a state.
    fn expand(&mut self, number: usize) -> Option<Violated> {
        let node = &mut self.nodes[number];
        let (state, progress) = node.open.take()?;
        let (last, cost) = (node.last, node.cost);
        let mut enabled = self.machine.enabled(&state);
        // What is added last is taken first among equals.
        enabled.sort_by_key(|(thread, _)| (self.guide.waits_for(&progress, *thread), *thread == last));
        let waits = enabled.iter().any(|(thread, _)| self.guide.waits_for(&progress, *thread));
        for (thread, action) in enabled {
            let goes_on = thread == last && (!waits || self.guide.is_within(&progress, &state, thread));
            let is_free = action != Action::Wake && (goes_on || self.guide.waits_for(&progress, thread));
            let cost = cost + u32::from(!is_free);
            if let Some(found) = self.take((number, cost), (&state, &progress), thread, action) {
                return Some(found);
            }
        }
        None
    }

    /// Takes one step with every combination of answers, and what nobody notices after it.
    fn take(
        &mut self,
        (parent, cost): (usize, u32),
        (state, progress): (&State, &G::Progress),
        thread: u32,
        action: Action,
    ) -> Option<Violated> {
        let machine = self.machine;
        let at = machine.next_at(state, thread)?;
        let mut oracle = Enumerate::new(&machine.config.inputs);
        loop {
            let mut next = state.clone();
            let result = machine.step(&mut next, thread, action, &mut oracle, None, 0);
            let step = ScheduleStep { thread, action, picks: oracle.picks() };
            match result {
                Ok(()) => {
                    let seen = Seen { before: state, after: &next, thread, at };
                    if let Some(progress) = self.guide.advance(progress, &seen) {
                        let found = self.go_on((parent, cost), (next, progress), vec![step], thread);
                        if found.is_some() {
                            return found;
                        }
                    }
                }
                Err(Interrupt::Violation(violation)) => {
                    let found = self.judge(parent, vec![step], progress, *violation);
                    if found.is_some() {
                        return found;
                    }
                }
                Err(
                    Interrupt::Undefined(_)
                    | Interrupt::Unmodelled(_)
                    | Interrupt::Finished
                    | Interrupt::Impossible
                    | Interrupt::NoAnswer,
                ) => {}
            }
            if !oracle.advance() {
                return None;
            }
        }
    }

    /// Lets the thread go on while nobody can notice and the guide does not begin to wait for something else.
    fn go_on(
        &mut self,
        (parent, cost): (usize, u32),
        (mut state, mut progress): (State, G::Progress),
        mut steps: Vec<ScheduleStep>,
        thread: u32,
    ) -> Option<Violated> {
        let passed = self.guide.passed(&progress);
        while steps.len() < MERGE_LIMIT && self.guide.passed(&progress) == passed {
            let running = state.find_thread(u64::from(thread)).is_some_and(|item| item.status == Status::Running);
            if !running || self.machine.is_visible(&state, thread) {
                break;
            }
            let Some(at) = self.machine.next_at(&state, thread) else { break };
            let before = state.clone();
            let mut oracle = NoQuestions { asked: false };
            match self.machine.step(&mut state, thread, Action::Step, &mut oracle, None, 0) {
                Ok(()) => {
                    steps.push(ScheduleStep { thread, action: Action::Step, picks: SmallVec::new() });
                    let seen = Seen { before: &before, after: &state, thread, at };
                    progress = self.guide.advance(&progress, &seen)?;
                }
                Err(Interrupt::Violation(violation)) if !oracle.asked => {
                    steps.push(ScheduleStep { thread, action: Action::Step, picks: SmallVec::new() });
                    return self.judge(parent, steps, &progress, *violation);
                }
                Err(_) => {
                    // It asks, or ends the run: a step of its own.
                    state = before;
                    break;
                }
            }
        }
        self.add(Node { parent, steps, last: thread, cost, open: None }, state, progress);
        None
    }

    /// A run that ends in a violation: whether it is the one that is looked for.
    fn judge(
        &self,
        parent: usize,
        last: Vec<ScheduleStep>,
        progress: &G::Progress,
        violation: Violation,
    ) -> Option<Violated> {
        let mut parts = vec![last];
        let mut number = parent;
        while number != NONE {
            parts.push(self.nodes[number].steps.clone());
            number = self.nodes[number].parent;
        }
        let steps: Vec<ScheduleStep> = parts.into_iter().rev().flatten().collect();
        self.guide.accepts(progress, &steps, &violation).then_some((steps, violation))
    }
}
