//! Dependences between the steps of a run: a step needs the preceding step of its thread, the last steps whose accesses
//! conflict with its own, and the steps that started or ended a thread. Computed from the interpreter's events.
//!
//! Objects are identified by name, so two objects with the same name count as one: that only permits fewer orders.
//! Accesses to memory that no other thread can reach are left out.

use interp::{Event, EventKind, Machine, Observer, Place, Walk};
use ir::{EdgeId, FunctionId, ScheduleStep};
use std::collections::{BTreeMap, BTreeSet};

type At = (FunctionId, EdgeId);

/// The dependences between the steps of a run.
pub(crate) struct Dependence {
    /// The thread of each step.
    pub(crate) threads: Vec<u32>,
    /// The direct dependences of each step.
    pub(crate) needs: Vec<Vec<usize>>,
    /// Whether the thread is in an atomic region, or in the middle of a copy, after each step.
    pub(crate) in_region: Vec<bool>,
    /// The statements with events in each step.
    pub(crate) statements: Vec<Vec<At>>,
}

impl Dependence {
    /// Replays a run to compute its dependences; `None` if that fails.
    pub(crate) fn of(machine: &Machine<'_>, steps: &[ScheduleStep]) -> Option<Dependence> {
        let mut watcher = Watcher {
            orders_fences: machine.config.model.has_views(),
            steps: vec![Effects::default(); steps.len()],
            objects: BTreeMap::new(),
        };
        interp::replay(machine, steps, Some(&mut watcher)).ok()?;
        let mut walk = Walk::new(machine);
        let mut in_region = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            // The last step may end the run, and a flush of a thread that has ended cannot be walked: no thread is in a
            // region then.
            let Some(taken) = walk.step(step) else { break };
            if taken.makes.is_some() {
                watcher.steps[index].manages_threads = true;
            }
            in_region.push(!walk.is_between());
        }
        in_region.resize(steps.len(), false);
        let threads: Vec<u32> = steps.iter().map(|step| step.thread).collect();
        let needs = needs(&threads, &watcher.steps);
        let statements = watcher.steps.into_iter().map(|effects| effects.statements).collect();
        Some(Dependence { threads, needs, in_region, statements })
    }

    /// These steps and their transitive dependences, with atomic regions up to their ends.
    pub(crate) fn closure(&self, roots: &[usize]) -> BTreeSet<usize> {
        let mut kept: BTreeSet<usize> = BTreeSet::new();
        let mut work: Vec<usize> = roots.to_vec();
        while let Some(step) = work.pop() {
            if !kept.insert(step) {
                continue;
            }
            work.extend(&self.needs[step]);
            if self.in_region[step] {
                let thread = self.threads[step];
                work.extend((step + 1..self.threads.len()).find(|next| self.threads[*next] == thread));
            }
        }
        kept
    }
}

/// Bytes that a step accesses.
#[derive(Clone)]
struct Touch {
    object: usize,
    start: u64,
    end: u64,
    writes: bool,
}

/// The events of a step.
#[derive(Clone, Default)]
struct Effects {
    touches: Vec<Touch>,
    starts: Option<u32>,
    joins: Option<u32>,
    /// The step allocates or frees a thread number: numbers are given in the order of creation, and ended threads free
    /// theirs.
    manages_threads: bool,
    statements: Vec<At>,
}

struct Watcher {
    /// Whether seq_cst fences synchronise with each other.
    orders_fences: bool,
    steps: Vec<Effects>,
    objects: BTreeMap<(String, bool), usize>,
}

impl Watcher {
    fn touch(&mut self, step: usize, place: &Place, writes: bool) {
        if !place.is_shared && !place.is_ghost {
            return;
        }
        let range =
            if place.is_ghost { (0, u64::MAX) } else { (place.offset, place.offset.saturating_add(place.size)) };
        self.touch_range(step, (place.object.clone(), place.is_ghost), range, writes);
    }

    fn touch_range(&mut self, step: usize, object: (String, bool), (start, end): (u64, u64), writes: bool) {
        let next = self.objects.len();
        let object = *self.objects.entry(object).or_insert(next);
        self.steps[step].touches.push(Touch { object, start, end, writes });
    }
}

impl Observer for Watcher {
    fn event(&mut self, event: Event) {
        let step = event.step;
        // A thread that waits forever at the end of a run takes no step.
        if step >= self.steps.len() {
            return;
        }
        self.steps[step].statements.push(event.at);
        match event.kind {
            EventKind::Read { place, .. } => self.touch(step, &place, false),
            EventKind::Write { place, buffered, .. } => {
                if !buffered {
                    self.touch(step, &place, true);
                }
            }
            EventKind::Flush { place, .. } => self.touch(step, &place, true),
            EventKind::Lock(place) | EventKind::Unlock(place) | EventKind::Await { place, .. } => {
                self.touch(step, &Place { is_ghost: true, ..place }, true);
            }
            EventKind::Free(place) => self.touch(step, &place, true),
            EventKind::Spawn { child, .. } => {
                self.steps[step].starts = Some(child);
                self.steps[step].manages_threads = true;
            }
            EventKind::Join { child } => {
                self.steps[step].joins = Some(child);
                self.steps[step].manages_threads = true;
            }
            EventKind::Fence => {
                if self.orders_fences {
                    self.touch_range(step, (String::new(), true), (0, 1), true);
                }
            }
            EventKind::Input { .. }
            | EventKind::ThreadEnd
            | EventKind::Blocked { .. }
            | EventKind::Alloc(_)
            | EventKind::Branch
            | EventKind::Call(_)
            | EventKind::Return
            | EventKind::Assert { .. }
            | EventKind::Local
            | EventKind::Exit => {}
        }
    }
}

/// The direct dependences of each step.
fn needs(threads: &[u32], effects: &[Effects]) -> Vec<Vec<usize>> {
    let mut needs: Vec<Vec<usize>> = Vec::with_capacity(threads.len());
    let mut last: BTreeMap<u32, usize> = BTreeMap::new();
    let mut manager: Option<usize> = None;
    let mut touched: BTreeMap<usize, Vec<(usize, Touch)>> = BTreeMap::new();
    for (step, (thread, effects)) in threads.iter().zip(effects).enumerate() {
        let mut own: Vec<usize> = last.get(thread).copied().into_iter().collect();
        own.extend(effects.joins.and_then(|child| last.get(&child)));
        if effects.manages_threads {
            own.extend(manager.replace(step));
        }
        for touch in &effects.touches {
            let before = touched.entry(touch.object).or_default();
            let conflicts = |(_, other): &&(usize, Touch)| {
                (touch.writes || other.writes) && touch.start < other.end && other.start < touch.end
            };
            own.extend(before.iter().filter(conflicts).map(|(other, _)| *other));
            if touch.writes {
                // Accesses that a write covers are needed only by that write.
                before.retain(|(_, other)| other.start < touch.start || touch.end < other.end);
            }
            before.push((step, touch.clone()));
        }
        own.retain(|need| *need != step);
        own.sort_unstable();
        own.dedup();
        needs.push(own);
        last.insert(*thread, step);
        // A thread begins after the step that starts it.
        if let Some(child) = effects.starts {
            last.insert(child, step);
        }
    }
    needs
}
