//! Exhaustive exploration: visits every reachable state once, breadth first, so the first violation found has the
//! fewest steps. States are stored exactly: each distinct component (a thread, an object, …) once, a state as the list
//! of its components' numbers (the collapse compression of Holzmann's SPIN).
//!
//! The reduction has two parts, both simple cases of partial-order reduction (Godefroid, LNCS 1032):
//!
//! - It merges invisible statements into the preceding step: after a step every thread continues while its next
//!   statement is invisible and asks no question. Invisible steps commute with all steps of other threads, are never
//!   blocked and never block others, so every state in which no thread is about to take one is still reached. After
//!   `MERGE_LIMIT` invisible steps in a row the state is stored, so that an endless loop of them does not keep other
//!   threads from moving. A step that would end the run is never merged, since others may move before it.
//! - Where no other thread will ever make an access that conflicts with the next one of a thread, only that thread is
//!   expanded (a persistent set of one thread). If that leads to a stored state, or ends the run, all threads are
//!   expanded after all, so that none is postponed forever.

use crate::machine::{Gap, Machine, Site};
use crate::oracle::{Enumerate, Oracle, Question};
use crate::run::{varied_run, Run, RunEnd};
use crate::state::{State, Status};
use crate::step::Interrupt;
use base::{Budget, Stop};
use ir::{Action, Pick, Property, ScheduleStep, Violation};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::hash::Hash;
use std::rc::Rc;

/// Options of exploration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExploreOptions {
    /// Whether invisible steps are merged into the preceding step.
    pub reduction: bool,
    /// Runs are cut off after this many (merged) steps.
    pub max_depth: Option<u64>,
}

/// The outcome of an exploration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Explored {
    /// Every reachable state was visited.
    Exhausted,
    /// A violation.
    Violated {
        /// The schedule that leads to it.
        steps: Vec<ScheduleStep>,
        /// The violation.
        violation: Violation,
    },
    /// The budget was used up.
    Stopped(Stop),
}

/// The result of an exploration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exploration {
    /// The outcome.
    pub result: Explored,
    /// The number of distinct states stored.
    pub states: u64,
    /// The number of steps taken (merged steps count once).
    pub transitions: u64,
    /// What keeps `Exhausted` from being a proof.
    pub gaps: Vec<Gap>,
}

/// Maximum number of invisible steps merged into one.
const MERGE_LIMIT: usize = 2_000;

/// The number of states after which random runs are tried for the first time.
const FIRST_SAMPLE: usize = 1 << 14;
/// The total number of steps of random runs at the end, if inputs were left out.
const LAST_SAMPLE: u64 = 200_000;
/// The length of a random run.
const SAMPLE_STEPS: u64 = 20_000;

/// Numbers for distinct values of one kind.
struct Interner<T> {
    numbers: FxHashMap<Rc<T>, u32>,
    items: Vec<Rc<T>>,
}

impl<T: Eq + Hash> Interner<T> {
    fn new() -> Self {
        Interner { numbers: FxHashMap::default(), items: Vec::new() }
    }

    fn number(&mut self, item: &Rc<T>) -> u32 {
        if let Some(number) = self.numbers.get(item) {
            return *number;
        }
        let number = u32::try_from(self.items.len()).expect("parts should be numbered in 32 bits");
        self.items.push(Rc::clone(item));
        self.numbers.insert(Rc::clone(item), number);
        number
    }
}

/// A stored state: the number of threads, then the numbers of its components.
type Key = Box<[u32]>;

/// How a stored state was reached.
struct Origin {
    parent: u32,
    depth: u32,
    thread: u32,
    action: Action,
    picks: SmallVec<[Pick; 2]>,
}

struct Store {
    threads: Interner<crate::state::Thread>,
    objects: Interner<crate::object::Object>,
    ghosts: Interner<Vec<crate::state::GhostCell>>,
    histories: Interner<crate::models::histories::Histories>,
    happens_before: Interner<crate::happens_before::HappensBefore>,
    atomicity: Interner<crate::atomicity::Atomicity>,
    states: FxHashMap<Rc<Key>, u32>,
    keys: Vec<Rc<Key>>,
    origins: Vec<Origin>,
}

/// Stands for "none" in a key.
const NONE: u32 = u32::MAX;

impl Store {
    fn new() -> Store {
        Store {
            threads: Interner::new(),
            objects: Interner::new(),
            ghosts: Interner::new(),
            histories: Interner::new(),
            happens_before: Interner::new(),
            atomicity: Interner::new(),
            states: FxHashMap::default(),
            keys: Vec::new(),
            origins: Vec::new(),
        }
    }

    /// The key of a state. Components shared with the predecessor keep their numbers.
    fn key(&mut self, state: &State, from: Option<(&State, &Key)>) -> Key {
        let threads = state.threads.len();
        let mut key = Vec::with_capacity(threads + state.objects.len() + HEADER);
        key.push(threads as u32);
        key.push(state.objects.len() as u32);
        key.push(state.region.unwrap_or(NONE));
        key.push(self.ghosts.number(&state.ghosts));
        key.push(self.histories.number(&state.histories));
        key.push(state.happens_before.as_ref().map_or(NONE, |part| self.happens_before.number(part)));
        key.push(state.atomicity.as_ref().map_or(NONE, |part| self.atomicity.number(part)));
        for (index, thread) in state.threads.iter().enumerate() {
            let same = from.and_then(|(old, key)| match (old.threads.get(index), thread) {
                (Some(Some(old)), Some(new)) if Rc::ptr_eq(old, new) => Some(key[HEADER + index]),
                _ => None,
            });
            key.push(match (same, thread) {
                (Some(number), _) => number,
                (None, Some(thread)) => self.threads.number(thread),
                (None, None) => NONE,
            });
        }
        for (index, object) in state.objects.iter().enumerate() {
            let same = from.and_then(|(old, key)| match old.objects.get(index) {
                Some(old_object) if Rc::ptr_eq(old_object, object) => Some(key[HEADER + old.threads.len() + index]),
                _ => None,
            });
            key.push(same.unwrap_or_else(|| self.objects.number(object)));
        }
        key.into_boxed_slice()
    }

    /// The state with a key.
    fn state(&self, key: &Key, statics: usize) -> State {
        let threads = key[0] as usize;
        let some = |number: u32| (number != NONE).then_some(number as usize);
        State {
            threads: key[HEADER..HEADER + threads]
                .iter()
                .map(|number| some(*number).map(|number| Rc::clone(&self.threads.items[number])))
                .collect(),
            objects: key[HEADER + threads..]
                .iter()
                .map(|number| Rc::clone(&self.objects.items[*number as usize]))
                .collect(),
            statics,
            region: some(key[2]).map(|number| number as u32),
            ghosts: Rc::clone(&self.ghosts.items[key[3] as usize]),
            histories: Rc::clone(&self.histories.items[key[4] as usize]),
            happens_before: some(key[5]).map(|number| Rc::clone(&self.happens_before.items[number])),
            atomicity: some(key[6]).map(|number| Rc::clone(&self.atomicity.items[number])),
        }
    }
}

/// The number of entries before the threads in a key.
const HEADER: usize = 7;

/// An oracle for steps that must not ask.
pub(crate) struct NoQuestions {
    pub(crate) asked: bool,
}

impl Oracle for NoQuestions {
    fn ask(&mut self, _: Question) -> Option<Pick> {
        self.asked = true;
        None
    }
}

/// The end of an explored run.
pub struct Ended<'a> {
    /// The last state. The thread that took the last step has lost its variables.
    pub state: &'a State,
    /// What ended the run; `None` if no thread can move.
    pub interrupt: Option<&'a Interrupt>,
    /// The statement that ended it.
    pub at: Option<(ir::FunctionId, ir::EdgeId)>,
}

/// A search in progress.
struct Search<'a, 'p> {
    machine: &'a Machine<'p>,
    options: &'a ExploreOptions,
    /// Called at every end of a run; a violation then does not stop the search.
    on_end: Option<&'a mut dyn FnMut(&Ended<'_>)>,
    store: Store,
    transitions: u64,
    violation: Option<(u32, Option<ScheduleStep>, Violation)>,
}

/// Visits every reachable state.
pub fn explore(machine: &Machine<'_>, options: &ExploreOptions, budget: &Budget) -> Exploration {
    start(machine, options, budget, None)
}

/// Visits every reachable state, continues after violations, and reports every end of a run.
pub fn explore_ends(
    machine: &Machine<'_>,
    options: &ExploreOptions,
    budget: &Budget,
    on_end: &mut dyn FnMut(&Ended<'_>),
) -> Exploration {
    start(machine, options, budget, Some(on_end))
}

fn start<'a>(
    machine: &'a Machine<'_>,
    options: &'a ExploreOptions,
    budget: &Budget,
    on_end: Option<&'a mut dyn FnMut(&Ended<'_>)>,
) -> Exploration {
    let mut search = Search { machine, options, on_end, store: Store::new(), transitions: 0, violation: None };
    let result = search.run(budget);
    Exploration {
        result,
        states: search.store.keys.len() as u64,
        transitions: search.transitions,
        gaps: machine.gaps(),
    }
}

impl Search<'_, '_> {
    fn run(&mut self, budget: &Budget) -> Explored {
        let mut initial = self.machine.initial();
        let origin = Origin { parent: NONE, depth: 0, thread: 1, action: Action::Step, picks: SmallVec::new() };
        match self.merge(&mut initial) {
            Merged { end: None, .. } => {
                self.add(initial, None, origin);
            }
            Merged { end: Some(end), .. } => {
                self.store.origins.push(origin);
                self.interrupted(0, None, &initial, end);
            }
        }
        let mut next = 0;
        let mut sample_at = FIRST_SAMPLE;
        while next < self.store.keys.len() {
            if next.is_multiple_of(256) {
                if let Err(stop) = budget.check() {
                    return Explored::Stopped(stop);
                }
            }
            if self.violation.is_some() {
                break;
            }
            if next == sample_at {
                sample_at *= 2;
                if let Some(found) = self.sample(next as u64, self.transitions, budget) {
                    return found;
                }
            }
            self.expand(next as u32);
            next += 1;
        }
        match self.violation.take() {
            Some((parent, step, violation)) => Explored::Violated { steps: self.schedule(parent, step), violation },
            // Random runs try inputs that exploration leaves out.
            None if self.machine.gaps().iter().any(|gap| matches!(gap, Gap::Inputs { .. })) => {
                self.sample(0, LAST_SAMPLE, budget).unwrap_or(Explored::Exhausted)
            }
            None => Explored::Exhausted,
        }
    }

    /// Random runs with this many steps in all, for violations deeper than breadth-first search reaches in time. A step
    /// costs about a tenth of a transition of the search.
    fn sample(&self, seed: u64, steps: u64, budget: &Budget) -> Option<Explored> {
        if self.on_end.is_some() {
            return None;
        }
        let mut steps_left = steps;
        let mut run = 0;
        while steps_left > 0 && budget.check().is_ok() {
            run += 1;
            let Run { steps, end } = varied_run(self.machine, seed + run, SAMPLE_STEPS, budget);
            if let RunEnd::Violation(violation) = end {
                return Some(Explored::Violated { steps, violation });
            }
            steps_left = steps_left.saturating_sub(steps.len() as u64);
        }
        None
    }

    /// Stores a state if it is new; returns whether it is.
    fn add(&mut self, mut state: State, from: Option<(&State, &Key)>, origin: Origin) -> bool {
        canonicalise(&mut state);
        let key = Rc::new(self.store.key(&state, from));
        if self.store.states.contains_key(&key) {
            return false;
        }
        let number = u32::try_from(self.store.keys.len()).expect("states should be numbered in 32 bits");
        self.store.states.insert(Rc::clone(&key), number);
        self.store.keys.push(key);
        self.store.origins.push(origin);
        true
    }

    /// Takes every step that is possible in a stored state.
    fn expand(&mut self, number: u32) {
        let key = Rc::clone(&self.store.keys[number as usize]);
        let depth = self.store.origins[number as usize].depth;
        let state = self.store.state(&key, self.machine.program.objects.len());
        let mut enabled = self.machine.enabled(&state);
        // The thread that moved last goes first: among the shortest violations, this finds one with few context
        // switches.
        let last = self.store.origins[number as usize].thread;
        enabled.sort_by_key(|(thread, _)| *thread != last);
        if enabled.is_empty() {
            self.tell(&state, None, None);
        }
        if self.machine.config.property == Property::Deadlock {
            if let Some(blocked) = self.machine.deadlock(&state) {
                let violation = self.machine.deadlock_violation(&state, &blocked);
                self.violation = Some((number, None, violation));
                return;
            }
        }
        if !enabled.is_empty() && self.options.max_depth.is_some_and(|max| u64::from(depth) >= max) {
            self.machine.gap(Gap::Depth);
            return;
        }
        let alone = self.independent(&state, &enabled);
        if let Some(thread) = alone {
            if self.take(number, &state, &key, thread, Action::Step) || self.violation.is_some() {
                return;
            }
        }
        for (thread, action) in enabled.into_iter().filter(|(thread, _)| Some(*thread) != alone) {
            self.take(number, &state, &key, thread, action);
            if self.violation.is_some() {
                return;
            }
        }
    }

    /// A thread whose next step may be taken first without losing anything.
    fn independent(&self, state: &State, enabled: &[(u32, Action)]) -> Option<u32> {
        if !self.options.reduction || enabled.len() < 2 {
            return None;
        }
        let candidates = enabled.iter().filter(|(_, action)| *action == Action::Step).map(|(thread, _)| *thread);
        candidates
            .filter(|thread| enabled.iter().filter(|(other, _)| other == thread).count() == 1)
            .find(|thread| self.machine.is_independent(state, *thread))
    }

    /// Takes one step with every combination of answers; returns whether all of them lead to new states.
    fn take(&mut self, parent: u32, state: &State, key: &Key, thread: u32, action: Action) -> bool {
        let machine = self.machine;
        let mut oracle = Enumerate::new(&machine.config.inputs);
        let depth = self.store.origins[parent as usize].depth + 1;
        let mut all_new = true;
        loop {
            let mut next = state.clone();
            let result = machine.step(&mut next, thread, action, &mut oracle, None, 0);
            self.transitions += 1;
            let step = || ScheduleStep { thread, action, picks: oracle.picks() };
            match result {
                Ok(()) => match self.merge(&mut next) {
                    Merged { end: None, .. } => {
                        let origin = Origin { parent, depth, thread, action, picks: oracle.picks() };
                        all_new &= self.add(next, Some((state, key)), origin);
                    }
                    Merged { end: Some(end), .. } => {
                        self.interrupted(parent, Some(step()), &next, end);
                    }
                },
                Err(interrupt) => {
                    all_new &= interrupt == Interrupt::Impossible;
                    let at = machine.next_at(state, thread);
                    self.note(&interrupt, at.map(|at| machine.site(state, thread, at)));
                    self.interrupted(parent, Some(step()), &next, MergeEnd { interrupt, at });
                }
            }
            if self.violation.is_some() || !oracle.advance() {
                return all_new;
            }
        }
    }

    /// A step, or the last of several merged ones, ended the run in this state.
    fn interrupted(
        &mut self,
        parent: u32,
        step: Option<ScheduleStep>,
        state: &State,
        MergeEnd { interrupt, at }: MergeEnd,
    ) {
        self.tell(state, Some(&interrupt), at);
        match interrupt {
            Interrupt::Violation(violation) if self.on_end.is_none() => {
                self.violation = Some((parent, step, *violation));
            }
            Interrupt::Violation(_)
            | Interrupt::Undefined(_)
            | Interrupt::Unmodelled(_)
            | Interrupt::Finished
            | Interrupt::Impossible
            | Interrupt::NoAnswer => {}
        }
    }

    fn tell(&mut self, state: &State, interrupt: Option<&Interrupt>, at: Option<(ir::FunctionId, ir::EdgeId)>) {
        if let Some(on_end) = &mut self.on_end {
            on_end(&Ended { state, interrupt, at });
        }
    }

    /// Records what a run that ends here means for the verdict.
    fn note(&self, interrupt: &Interrupt, site: Option<Site>) {
        match (interrupt, site) {
            (Interrupt::Undefined(violation), Some(site)) => {
                let within = site.within.filter(|_| violation.inside.is_some());
                let at = Site { at: violation.at.unwrap_or(site.at), within };
                self.machine.gap(Gap::Undefined { fault: violation.fault.clone(), at });
            }
            (Interrupt::Unmodelled(what), Some(at)) => self.machine.gap(Gap::Unmodelled { what: what.clone(), at }),
            (Interrupt::Undefined(_) | Interrupt::Unmodelled(_), None) => {
                unreachable!("only a statement interrupts a run like this")
            }
            (Interrupt::Violation(_) | Interrupt::Finished | Interrupt::Impossible | Interrupt::NoAnswer, _) => {}
        }
    }

    /// Lets every thread continue while its steps are invisible.
    fn merge(&self, state: &mut State) -> Merged {
        let mut steps = Vec::new();
        if !self.options.reduction {
            return Merged { steps, end: None };
        }
        let mut number = 0;
        while number < state.threads.len() as u32 {
            number += 1;
            let moved = steps.len();
            if let Some(end) = self.merge_thread(state, number, &mut steps) {
                return Merged { steps, end: Some(end) };
            }
            // A step of one thread (its end, leaving a region) may have made the next step of an earlier thread
            // invisible.
            if steps.len() > moved && moved > 0 && steps.len() < MERGE_LIMIT {
                number = 0;
            }
        }
        Merged { steps, end: None }
    }

    /// Lets one thread continue; returns the violation of the property, if any.
    fn merge_thread(&self, state: &mut State, thread: u32, steps: &mut Vec<u32>) -> Option<MergeEnd> {
        let goes_on = |state: &State| {
            let found = state.find_thread(u64::from(thread));
            found.is_some_and(|thread| thread.status == Status::Running) && !self.machine.is_visible(state, thread)
        };
        if !goes_on(state) {
            return None;
        }
        let saved = state.clone();
        let mut count = 0;
        while count < MERGE_LIMIT && goes_on(state) {
            let at = self.machine.next_at(state, thread);
            let mut oracle = NoQuestions { asked: false };
            match self.machine.step(state, thread, Action::Step, &mut oracle, None, 0) {
                Ok(()) => count += 1,
                Err(interrupt @ Interrupt::Violation(_)) if !oracle.asked => {
                    steps.extend(std::iter::repeat_n(thread, count + 1));
                    return Some(MergeEnd { interrupt, at });
                }
                Err(_) => {
                    // Steps that ask or end the run are taken separately: restore the state before this one.
                    *state = saved;
                    for _ in 0..count {
                        let again = self.machine.step(state, thread, Action::Step, &mut oracle, None, 0);
                        assert!(again.is_ok(), "a step should do again what it did");
                    }
                    break;
                }
            }
        }
        steps.extend(std::iter::repeat_n(thread, count));
        None
    }

    /// The steps from the start to a stored state, then a last step and merged ones.
    fn schedule(&self, last: u32, step: Option<ScheduleStep>) -> Vec<ScheduleStep> {
        let mut path = Vec::new();
        let mut number = last;
        while self.store.origins[number as usize].parent != NONE {
            let origin = &self.store.origins[number as usize];
            path.push(ScheduleStep { thread: origin.thread, action: origin.action, picks: origin.picks.clone() });
            number = origin.parent;
        }
        path.reverse();
        path.extend(step);
        let mut steps = Vec::new();
        let mut state = self.machine.initial();
        let merge = |state: &mut State, steps: &mut Vec<ScheduleStep>| {
            let own = |thread| ScheduleStep { thread, action: Action::Step, picks: SmallVec::new() };
            let Merged { steps: merged, end } = self.merge(state);
            steps.extend(merged.into_iter().map(own));
            end.is_none()
        };
        if !merge(&mut state, &mut steps) {
            return steps;
        }
        for step in path {
            let mut oracle = crate::oracle::Recorded { picks: &step.picks };
            let result = self.machine.step(&mut state, step.thread, step.action, &mut oracle, None, 0);
            steps.push(step);
            if result.is_err() || !merge(&mut state, &mut steps) {
                break;
            }
        }
        steps
    }
}

/// The result of merging: the steps with their threads, and the violation by the last of them, if any.
struct Merged {
    steps: Vec<u32>,
    end: Option<MergeEnd>,
}

struct MergeEnd {
    interrupt: Interrupt,
    at: Option<(ir::FunctionId, ir::EdgeId)>,
}

/// Makes states equal that differ only in names that no program can observe.
pub(crate) fn canonicalise(state: &mut State) {
    let Some(happens_before) = &mut state.happens_before else { return };
    let mut clocks: Vec<&mut Rc<crate::happens_before::Clock>> = Vec::new();
    for thread in state.threads.iter_mut().flatten() {
        if !thread.buffer.is_empty() {
            let buffer = &mut Rc::make_mut(thread).buffer;
            clocks.extend(buffer.iter_mut().filter_map(|entry| entry.release.as_mut()));
        }
    }
    clocks.extend(Rc::make_mut(&mut state.histories).releases());
    Rc::make_mut(happens_before).canonical(&mut clocks);
}
