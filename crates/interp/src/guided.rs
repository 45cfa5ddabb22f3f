//! A search along the paths that a guide describes. A witness constrains a run (which thread gets where, in which order,
//! with which values) but leaves choices open; this search looks for choices that violate the property.
//!
//! It is a best-first search in the number of departures from what the guide prefers (limited discrepancy search, Harvey and
//! Ginsberg, IJCAI 1995): continuing the thread that the guide waits for is free, and so is letting a thread finish its
//! statement; any other switch costs one. Ties are broken in favour of more progress. States are stored with the guide's
//! progress, so none is expanded twice. A search that ends without a violation proves nothing: inputs take few values here.

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
    /// The thread that took it.
    pub thread: u32,
    /// The executed edge; for a branch, the first of its edges.
    pub at: (FunctionId, EdgeId),
}

/// Constrains a search.
pub trait Guide {
    /// The progress of a run along the guide.
    type Progress: Clone + Eq + Hash;

    /// Before the first step.
    fn start(&self) -> Self::Progress;

    /// The progress after a step; `None` if the run leaves the described paths.
    fn advance(&self, progress: &Self::Progress, seen: &Seen<'_>) -> Option<Self::Progress>;

    /// How much of the way the run has completed.
    fn passed(&self, progress: &Self::Progress) -> usize;

    /// Whether the guide waits for the thread.
    fn waits_for(&self, progress: &Self::Progress, thread: u32) -> bool;

    /// Whether the thread is inside a statement that it may finish.
    fn is_within(&self, progress: &Self::Progress, state: &State, thread: u32) -> bool;

    /// Whether the violation at the end of a run is the described one.
    fn accepts(&self, progress: &Self::Progress, steps: &[ScheduleStep], violation: &Violation) -> bool;
}

/// The outcome of a guided search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guided {
    /// A run as described that violates the property.
    Found {
        /// The run.
        steps: Vec<ScheduleStep>,
        /// How it ends.
        violation: Violation,
    },
    /// No explored run violates the property as described.
    Nothing {
        /// The largest progress of these runs.
        passed: usize,
    },
    /// The budget was used up.
    Stopped {
        /// The exhausted resource.
        stop: Stop,
        /// The largest progress of the explored runs.
        passed: usize,
    },
}

/// Maximum number of invisible steps taken in a row.
const MERGE_LIMIT: usize = 2_000;
const NONE: usize = usize::MAX;

/// A state that was reached.
struct Node<P> {
    parent: usize,
    steps: Vec<ScheduleStep>,
    last: u32,
    cost: u32,
    /// The state and progress, until the node is expanded.
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

    /// Takes every enabled step of a state.
    fn expand(&mut self, number: usize) -> Option<Violated> {
        let node = &mut self.nodes[number];
        let (state, progress) = node.open.take()?;
        let (last, cost) = (node.last, node.cost);
        let mut enabled = self.machine.enabled(&state);
        // Among equals the last one added is taken first.
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

    /// Takes one step with every combination of answers, and the invisible steps after it.
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

    /// Lets the thread continue while its steps are invisible and the guide does not begin to wait for something else.
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
                    // It asks or ends the run, so it is a step of its own.
                    state = before;
                    break;
                }
            }
        }
        self.add(Node { parent, steps, last: thread, cost, open: None }, state, progress);
        None
    }

    /// A run ends in a violation: checks whether it is the described one.
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
