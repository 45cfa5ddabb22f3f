//! Loops that wait: an iteration that changed nothing need not be followed by another one.
//!
//! An iteration has an *effect* under the condition that it changed shared memory, started or joined a thread, allocated, or
//! came back to the head of its loop with other values in live variables, other private memory, other locks held. Without an
//! effect the state at the head is what it was before the iteration, so whatever the thread does in the next iteration it
//! can do in this one, later: the accesses of the iteration, all of them reads or updates that leave what they found, and its critical sections can be taken out of
//! the execution. So only the paths with an effect go on. What happens within an iteration without effect is still
//! there: the thread stops at its end.
//!
//! Where the only change is that the locks held at the head have been released and taken again, one such iteration lets
//! others in, and a second one adds nothing: from the end of the first to the release in the second the thread only reads
//! while it holds the locks, and that can be taken out.
//!
//! Condition variables. A wait that may end for no reason can always end, and no signal ever blocks. So which waiters a
//! condition variable knows of makes no difference to what threads can do otherwise, as long as it does not matter
//! whether they can do anything at all: unless deadlocks are looked for, writes to such cells are no effect.
//!
//! This holds for violations that end an execution and for races (fewer critical sections order less). A thread that stops
//! at the end of an iteration is not blocked.

use super::contents::Contents;
use super::control::Position;
use super::events::RegionId;
use super::execute::{Body, Execution};
use super::state::{Held, State};
use super::value::Value;
use smt::Term;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The state of a thread at the head of a loop, as far as an iteration may change it.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    locals: Vec<Option<Value>>,
    memory: Rc<BTreeMap<u16, Rc<Contents>>>,
    held: Held,
    region: Option<(RegionId, u32)>,
    /// When the iteration before had an effect other than on the locks held.
    noisy: Term,
}

/// How the state at the end of an iteration differs from that at its beginning.
enum Change {
    Nothing,
    /// Locks that were held are still, or again.
    Locks,
    Other,
}

impl Snapshot {
    fn change(&self, state: &State) -> Change {
        let is_same_memory = Rc::ptr_eq(&self.memory, &state.memory) || self.memory == state.memory;
        if !is_same_memory || self.locals != state.locals || self.region != state.region {
            return Change::Other;
        }
        if self.held == state.held {
            return Change::Nothing;
        }
        let are_same_cells = self.held.keys().eq(state.held.keys());
        let is_certain = |held: &Held| held.values().all(|acquisitions| acquisitions.len() == 1);
        if are_same_cells && is_certain(&self.held) && is_certain(&state.held) {
            return Change::Locks;
        }
        Change::Other
    }
}

impl Execution<'_> {
    /// Something happens that another thread, or a later iteration, may notice.
    pub(crate) fn effect(&mut self, state: &mut State, condition: Term) {
        for effect in &mut state.effects {
            *effect = self.terms.or2(*effect, condition);
        }
    }

    /// An iteration begins.
    pub(crate) fn begin_iteration(&mut self, body: &mut Body, head: Position, state: &mut State) {
        let noisy = body.noise.get(&head).copied().unwrap_or_else(|| self.terms.bool(true));
        let State { locals, memory, held, region, .. } = &*state;
        let (locals, memory, held) = (locals.clone(), Rc::clone(memory), Rc::clone(held));
        body.heads.insert(head, Snapshot { locals, memory, held, region: *region, noisy });
        if let Some(effect) = state.effects.last_mut() {
            *effect = self.terms.bool(false);
        }
    }

    /// An iteration that began at `head` is over: what remains of the state are the paths that the next one, at `next`, is
    /// needed for.
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
        let always = self.terms.bool(true);
        let (noisy, goes_on) = match snapshot.change(&at_head) {
            Change::Nothing => (effect, effect),
            Change::Locks => (effect, self.terms.or2(effect, snapshot.noisy)),
            Change::Other => (always, always),
        };
        state.condition = self.terms.and2(state.condition, goes_on);
        let noise = body.noise.entry(next).or_insert_with(|| self.terms.bool(false));
        *noise = self.terms.or2(*noise, noisy);
    }
}
