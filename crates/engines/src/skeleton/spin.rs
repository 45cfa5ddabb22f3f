//! Waiting loops: an iteration that changed nothing need not be followed by another one.
//!
//! An iteration has an *effect* under the condition that it changed shared memory, started or joined a thread,
//! allocated, or returned to the head of its loop with other values in live variables, other private memory, other
//! locks held. Without an effect the state at the head is what it was before the iteration, so whatever the thread does
//! in the next iteration it can do in this one, later: the accesses of the iteration, all of them reads or updates that
//! do not change the value, and its critical sections can be removed from the execution. (Acquiring and releasing a
//! lock is an effect if something else may observe the lock meanwhile, like a try-lock: [`watched`].) So only the paths
//! with an effect continue. Actions within an iteration without effect are still there: the thread stops at its end.
//!
//! Where the only change is that the one lock held at the head has been released and acquired again, one such iteration
//! lets other threads in, and a second one adds nothing if the iteration does nothing else once it has released the
//! lock: what others do from then to the end of the second iteration they can do before the first one acquires the lock
//! again, and what the thread does in the second can be removed. With several locks, or reads after the release, a
//! second iteration may make a difference, so then the change is an effect.
//!
//! Condition variables. A wait with spurious wake-ups can always end, and no signal ever blocks. So the set of waiters
//! of a condition variable makes no difference to what threads can do otherwise, as long as it does not matter whether
//! they can do anything at all: unless deadlocks are in question, writes to such cells are no effect. A cell is of that
//! kind only if nothing else is kept in the same object (a semaphore's count does matter, although a wait for it may
//! have a deadline), and if no thread may query the waiters meanwhile ([`conditions`]).
//!
//! This holds for violations that end an execution. For races it does, too, as far as order goes: without the iteration
//! there is less of it. But an access of the iteration may itself be the first of a race whose second comes after what
//! the thread does later. So if races are in question, an access that may race is an effect, unless the iteration
//! begins with it: then the next one begins with the same, and that one races as well, or comes after the second access
//! and nothing of the thread between matters. The same holds if a lock, the only one, is acquired before: if the next
//! iteration has acquired it when the second access comes, its own access can follow at once, unordered. A thread that
//! stops at the end of an iteration is not blocked.
//!
//! If atomicity is in question, an access may be one of three that are not serialisable, of which others come after
//! what the thread does later. So there, too, an access is an effect, unless the iteration begins with it. If it does,
//! the next one begins with the same: as the first of a pair, that one comes before the second, so this one is not the
//! first of that pair; as the access between two others, either that one lies between them as well, or the second comes
//! before it and nothing of the thread after this iteration matters.
//!
//! The argument removes reads, updates that change nothing and critical sections from an execution, and it holds under
//! every memory model. With store buffers, stores that an iteration waits for can be flushed at the same moment without
//! it. Under release-acquire a thread that does less knows less, and others learn less from it: what could be read can
//! still be read, and where a write could go it still can. An update that changes nothing merges with the write that it
//! read.

use super::contents::Contents;
use super::control::Position;
use super::events::{Event, EventId, Kind, RegionId};
use super::execute::{Body, Execution};
use super::state::{Held, LockCell, State};
use super::value::{conjuncts, constant, Value, GHOST};
use ir::analysis::{AtomicPairs, Memory, Parallel, PointsTo};
use ir::{Awaited, EdgeId, FunctionId, Program, Property, Shape, Stmt, SyncObject, Type};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use smt::Term;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The state of a thread at a loop head, as far as an iteration may change it.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    locals: Vec<Option<Value>>,
    memory: Rc<BTreeMap<u16, Rc<Contents>>>,
    held: Held,
    region: Option<(RegionId, u32)>,
    /// When the previous iteration had an effect other than on the held locks.
    noisy: Term,
    condition: Term,
    last: SmallVec<[EventId; 2]>,
    /// The number of events at that point.
    events: usize,
}

/// How the state at the end of an iteration differs from that at its beginning.
enum Change {
    Nothing,
    /// The held lock was released and acquired again.
    Locks,
    Other,
}

impl Snapshot {
    /// `is_window`: whether the iteration does nothing after it has released the one held lock.
    fn change(&self, state: &State, is_window: impl Fn(&LockCell) -> bool) -> Change {
        let is_same_memory = Rc::ptr_eq(&self.memory, &state.memory) || self.memory == state.memory;
        if !is_same_memory || self.locals != state.locals || self.region != state.region {
            return Change::Other;
        }
        if self.held == state.held {
            return Change::Nothing;
        }
        // One lock, by one acquisition, under the same condition.
        let only = |held: &Held| match held.iter().collect::<Vec<_>>().as_slice() {
            [(cell, acquisitions)] => match acquisitions.as_slice() {
                [(_, condition)] => Some((**cell, *condition)),
                _ => None,
            },
            _ => None,
        };
        match (only(&self.held), only(&state.held)) {
            (Some(before), Some(now)) if before == now && is_window(&now.0) => Change::Locks,
            _ => Change::Other,
        }
    }
}

/// The memory whose ghost is one or several condition variables and nothing else.
///
/// If a thread may query the waiters (to destroy the condition variable) while another thread may wait, the set of
/// waiters matters.
pub(crate) fn conditions(program: &Program, points_to: &PointsTo, parallel: &Parallel) -> FxHashSet<Memory> {
    let mut found = Ghosts::default();
    for (id, function) in program.functions.enumerate() {
        let has_assertion = function.edges.iter().any(|edge| edge.stmt.is_assertion(Property::Locks));
        for (edge_id, edge) in function.edges.enumerate() {
            let (ptr, kept) = match &edge.stmt {
                Stmt::Await { ptr, awaited: Awaited::Object(SyncObject::Condition), .. } => (ptr, &mut found.waits),
                Stmt::Store { ty: SET, .. } | Stmt::Rmw { ty: SET, .. } | Stmt::CompareExchange { ty: SET, .. } => {
                    continue
                }
                Stmt::Load { ptr, .. } if has_assertion => (ptr, &mut found.questions),
                Stmt::Await { ptr, .. }
                | Stmt::Store { ptr, .. }
                | Stmt::Rmw { ptr, .. }
                | Stmt::CompareExchange { ptr, .. }
                | Stmt::Copy { dst: ptr, .. }
                | Stmt::Set { dst: ptr, .. } => (ptr, &mut found.others),
                _ => continue,
            };
            let pointees = points_to.pointees(id, ptr);
            found.is_any_unknown |= pointees.is_unknown;
            let ghosts = pointees.objects.into_iter().filter(|(_, is_ghost)| *is_ghost);
            kept.extend(ghosts.map(|(memory, _)| (memory, (id, edge_id))));
        }
    }
    found.conditions(parallel)
}

/// The memory whose ghost is observed other than by acquiring and releasing a lock, while a thread may do that. `None`:
/// any memory may be.
pub(crate) fn watched(program: &Program, points_to: &PointsTo, parallel: &Parallel) -> Option<FxHashSet<Memory>> {
    let (mut locks, mut looks) = (Vec::new(), Vec::new());
    for (id, function) in program.functions.enumerate() {
        for (edge_id, edge) in function.edges.enumerate() {
            let is_lock = matches!(edge.stmt, Stmt::Lock { .. } | Stmt::Unlock { .. });
            let kept = if is_lock { &mut locks } else { &mut looks };
            for touch in edge.stmt.touches().into_iter().filter(|touch| touch.reads) {
                let pointees = points_to.pointees(id, touch.ptr);
                // Only models of library functions have pointers to ghosts.
                if pointees.is_unknown && !program.is_users(edge.span) {
                    return None;
                }
                let ghosts = pointees.objects.into_iter().filter(|(_, is_ghost)| *is_ghost);
                kept.extend(ghosts.map(|(memory, _)| (memory, (id, edge_id))));
            }
        }
    }
    let is_watched = |&(memory, lock): &(Memory, Place)| {
        looks.iter().any(|(looked, look)| *looked == memory && parallel.may_happen(lock, *look))
    };
    Some(locks.iter().filter(|lock| is_watched(lock)).map(|(memory, _)| *memory).collect())
}

/// A statement.
type Place = (FunctionId, EdgeId);

/// How statements use ghosts.
#[derive(Default)]
struct Ghosts {
    /// Waits with spurious wake-ups.
    waits: Vec<(Memory, Place)>,
    /// Queries of waiters.
    questions: Vec<(Memory, Place)>,
    /// Other uses of ghosts.
    others: Vec<(Memory, Place)>,
    is_any_unknown: bool,
}

impl Ghosts {
    fn conditions(&self, parallel: &Parallel) -> FxHashSet<Memory> {
        if self.is_any_unknown {
            return FxHashSet::default();
        }
        let others: FxHashSet<_> = self.others.iter().map(|(memory, _)| *memory).collect();
        let is_asked = |&(memory, wait): &(Memory, Place)| {
            let mut questions = self.questions.iter().filter(|(asked, _)| *asked == memory);
            questions.any(|(_, question)| parallel.may_happen(wait, *question))
        };
        let asked: FxHashSet<_> = self.waits.iter().filter(|wait| is_asked(wait)).map(|(memory, _)| *memory).collect();
        let memories = self.waits.iter().map(|(memory, _)| *memory);
        memories.filter(|memory| !others.contains(memory) && !asked.contains(memory)).collect()
    }
}

/// The type of a set of threads.
const SET: Type = Type::Int(64);
const SET_BYTES: u64 = 8;

impl Execution<'_> {
    /// Whether an event accesses only the set of waiters of a condition variable, and so has no effect.
    pub(crate) fn is_condition(&self, event: &Event) -> bool {
        let number = constant(self.terms, event.location.object).map(|number| number as u16);
        let memory =
            number.filter(|number| number & GHOST != 0).and_then(|number| self.skeleton.objects.get(number)?.memory);
        // There may be a mutex beside it.
        let is_set = event.kind == Kind::Access && event.bytes == SET_BYTES;
        let is_kept = is_set && memory.is_some_and(|memory| self.conditions.contains(&memory));
        self.property != Property::Deadlock && is_kept
    }

    /// Whether an event acquires or releases a lock at a constant cell that nothing else observes.
    pub(crate) fn is_plain_lock(&self, event: &Event) -> bool {
        let number = self.lock_cell(event.location).map(|(number, _)| number);
        let memory = number.and_then(|number| self.skeleton.objects.get(number)?.memory);
        memory.is_some_and(|memory| !self.analyses.is_watched(memory))
    }

    /// Records an effect: something that another thread, or a later iteration, may observe.
    pub(crate) fn effect(&mut self, state: &mut State, condition: Term) {
        for effect in &mut state.effects {
            *effect = self.terms.or2(*effect, condition);
        }
    }

    pub(crate) fn begin_iteration(&mut self, body: &mut Body, head: Position, state: &mut State) {
        let noisy = body.noise.get(&head).copied().unwrap_or_else(|| self.terms.bool(true));
        let snapshot = Snapshot {
            locals: state.locals.clone(),
            memory: Rc::clone(&state.memory),
            held: Rc::clone(&state.held),
            region: state.region,
            noisy,
            condition: state.condition,
            last: state.last.clone(),
            events: self.skeleton.events.len(),
        };
        body.heads.insert(head, snapshot);
        if let Some(effect) = state.effects.last_mut() {
            *effect = self.terms.bool(false);
        }
    }

    /// Ends an iteration that began at `head`: keeps only the paths for which the next one, at `next`, is needed.
    pub(crate) fn end_iteration(
        &mut self,
        body: &mut Body,
        head: &Position,
        next: Position,
        is_live: impl Fn(usize) -> bool,
        state: &mut State,
    ) {
        let (Some(snapshot), Some(&effect)) = (body.heads.get(head), state.effects.last()) else { return };
        let mut at_head = state.clone();
        for (local, value) in at_head.locals.iter_mut().enumerate() {
            if !is_live(local) {
                *value = None;
            }
        }
        let noticed = match self.property.shape() {
            Shape::Conflict => self.racing(snapshot, state),
            Shape::Between => self.meant_as_one(snapshot, state),
            Shape::Step | Shape::Stuck => vec![],
        };
        let effect = self.terms.or(noticed.into_iter().chain([effect]));
        let always = self.terms.bool(true);
        let (noisy, goes_on) = match snapshot.change(&at_head, |cell| self.is_window(snapshot, state, *cell)) {
            Change::Nothing => (effect, effect),
            Change::Locks => (effect, self.terms.or2(effect, snapshot.noisy)),
            Change::Other => (always, always),
        };
        state.condition = self.terms.and2(state.condition, goes_on);
        let noise = body.noise.entry(next).or_insert_with(|| self.terms.bool(false));
        *noise = self.terms.or2(*noise, noisy);
    }

    /// Whether an iteration, after it has released a lock, does nothing but acquire and release it.
    fn is_window(&self, head: &Snapshot, state: &State, cell: LockCell) -> bool {
        let mut is_open = false;
        let own = self.skeleton.events.iter().skip(head.events).filter(|event| event.thread == state.thread);
        own.filter(|event| !self.is_condition(event)).all(|event| match event.kind {
            Kind::Lock { .. } | Kind::Unlock { .. } => {
                is_open |= matches!(event.kind, Kind::Unlock { .. });
                self.lock_cell(event.location) == Some(cell)
            }
            Kind::Access | Kind::Kill | Kind::Fence | Kind::Barrier(_) => !is_open,
            // Beginnings and ends of regions; starting or joining threads is an effect anyway.
            Kind::Probe | Kind::Mark => true,
        })
    }

    /// When accesses occur that may be the first of a race and that the next iteration need not begin with.
    fn racing(&self, head: &Snapshot, state: &State) -> Vec<Term> {
        let own = self.skeleton.events.iter().skip(head.events).filter(|event| event.thread == state.thread);
        own.filter(|event| self.may_race(event) && !self.is_first(event, head)).map(|event| event.occurs).collect()
    }

    /// When accesses occur that may be one of three that are not serialisable, and that the next iteration need not
    /// begin with.
    fn meant_as_one(&self, head: &Snapshot, state: &State) -> Vec<Term> {
        let own = self.skeleton.events.iter().skip(head.events).filter(|event| event.thread == state.thread);
        let accesses = own.filter(|event| event.kind == Kind::Access && !event.is_ghost && self.may_be_paired(event));
        // In a named region, two executions of one statement are a pair, too.
        let is_inferred = self.analyses.pairs.as_ref().is_some_and(AtomicPairs::is_inferred);
        accesses.filter(|event| !(is_inferred && self.is_first(event, head))).map(|event| event.occurs).collect()
    }

    fn may_be_paired(&self, event: &Event) -> bool {
        let number = constant(self.terms, event.location.object).map(|number| number as u16);
        let memory = number.and_then(|number| self.skeleton.objects.get(number)).and_then(|object| object.memory);
        memory.is_none_or(|memory| self.analyses.is_paired(memory))
    }

    fn may_race(&self, event: &Event) -> bool {
        let number = constant(self.terms, event.location.object).map(|number| number as u16);
        let is_ghost = number.is_some_and(|number| number & GHOST != 0);
        let memory = number.and_then(|number| self.skeleton.objects.get(number)).and_then(|object| object.memory);
        let is_atomic = event.orders.0.is_atomic() && memory.is_some_and(|memory| !self.analyses.is_plain(memory));
        event.kind == Kind::Access && !is_ghost && !is_atomic && !event.is_race_free
    }

    fn is_first(&self, event: &Event, head: &Snapshot) -> bool {
        let is_constant = constant(self.terms, event.location.object).is_some()
            && constant(self.terms, event.location.bits).is_some()
            && event.orders.0 == event.orders.1;
        let is_at_head = event.occurs == head.condition && event.after == head.last;
        is_constant && event.write.is_none() && (is_at_head || self.is_behind_lock(event, head))
    }

    /// Whether an iteration does nothing before an access but acquire one lock, the only one.
    fn is_behind_lock(&self, event: &Event, head: &Snapshot) -> bool {
        let [lock] = event.after.as_slice() else { return false };
        let lock = &self.skeleton.events[*lock];
        let is_lock = matches!(lock.kind, Kind::Lock { .. })
            && constant(self.terms, lock.location.object).is_some()
            && constant(self.terms, lock.location.bits).is_some();
        let (known, all) = (conjuncts(self.terms, head.condition), conjuncts(self.terms, lock.occurs));
        let mut others = all.iter().filter(|part| !known.contains(part));
        let is_certain =
            matches!((others.next(), others.next()), (Some(&passed), None) if self.terms.is_variable(passed));
        is_lock && is_certain && head.held.is_empty() && event.occurs == lock.occurs && lock.after == head.last
    }
}
