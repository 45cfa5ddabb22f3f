//! Loops that wait: an iteration that changed nothing need not be followed by another one.
//!
//! An iteration has an *effect* under the condition that it wrote to shared memory, started or joined a thread, allocated, or
//! came back to the head of its loop with other values in live variables, other private memory, other locks held. Without an
//! effect the state at the head is what it was before the iteration, so whatever the thread does in the next iteration it
//! can do in this one, later: the accesses of the iteration, all of them reads, and its critical sections can be taken out of
//! the execution. So only the paths with an effect go on. What happens within an iteration without effect is still
//! there: the thread stops at its end.
//!
//! This holds for violations that end an execution and for races (fewer critical sections order less). A thread that stops
//! so is not blocked.

use super::contents::Contents;
use super::control::Position;
use super::execute::{Body, Execution};
use super::state::State;
use super::value::Value;
use smt::Term;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The state of a thread at the head of a loop, as far as an iteration may change it.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    locals: Vec<Option<Value>>,
    memory: Rc<BTreeMap<u16, Rc<Contents>>>,
    held: super::state::Held,
    region: Option<(super::events::RegionId, u32)>,
}

impl Snapshot {
    fn of(state: &State) -> Snapshot {
        let State { locals, memory, held, region, .. } = state;
        Snapshot { locals: locals.clone(), memory: Rc::clone(memory), held: Rc::clone(held), region: *region }
    }

    fn is_unchanged(&self, state: &State) -> bool {
        let is_same_memory = Rc::ptr_eq(&self.memory, &state.memory) || self.memory == state.memory;
        is_same_memory && self.locals == state.locals && self.held == state.held && self.region == state.region
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
        body.heads.insert(head, Snapshot::of(state));
        if let Some(effect) = state.effects.last_mut() {
            *effect = self.terms.bool(false);
        }
    }

    /// An iteration that began at `head` is over: what remains of the state are the paths on which it had an effect.
    pub(crate) fn end_iteration(
        &mut self,
        body: &Body,
        head: &Position,
        live: impl Fn(usize) -> bool,
        state: &mut State,
    ) {
        let mut at_head = state.clone();
        for (local, value) in at_head.locals.iter_mut().enumerate() {
            if !live(local) {
                *value = None;
            }
        }
        let is_unchanged = body.heads.get(head).is_some_and(|snapshot| snapshot.is_unchanged(&at_head));
        if let (true, Some(&effect)) = (is_unchanged, state.effects.last()) {
            state.condition = self.terms.and2(state.condition, effect);
        }
    }
}
