//! Locks and waits: blocking statements. Whether a thread passes is a free Boolean, so that executions in which it
//! stays blocked are covered.
//!
//! A lock is acquired by an event that reads 0 and writes the thread's number, and released by one that writes 0. The
//! state tracks which acquisition a release closes ([`State::held`]): where a cell is only accessed by such events,
//! composition orders whole critical sections instead of accesses.

use super::events::{EventId, Kind};
use super::execute::Execution;
use super::state::State;
use super::value::{constant, is_set, Value};
use base::Id;
use check::ReasonKind;
use ir::{Expr, LocalId, Order, Property, Stmt, Type};
use smallvec::SmallVec;
use smt::Term;
use std::rc::Rc;

pub(crate) const NOT_HELD: &str = "a lock is released by a thread that does not hold it";
const RELOCKED: &str = "a lock is taken by the thread that holds it";

impl Execution<'_> {
    /// The cell of a lock at a constant place.
    pub(crate) fn lock_cell(&self, pointer: Value) -> Option<(u16, u64)> {
        let object = constant(self.terms, pointer.object)?;
        Some((object as u16, constant(self.terms, pointer.bits)?))
    }

    /// The value of a lock's cell while the thread is its owner.
    fn owner(&mut self, state: &State) -> Value {
        let number = self.thread_number(state);
        let bits = self.terms.resize(number, 32);
        Value::int(self.terms, bits)
    }

    fn held(&mut self, state: &State, pointer: Value) -> (Vec<(EventId, Term)>, Term) {
        let cell = self.lock_cell(pointer);
        if cell.is_none() {
            self.note_rough();
        }
        let held = cell.and_then(|cell| state.held.get(&cell)).cloned().unwrap_or_default();
        let any = self.terms.or(held.iter().map(|(_, condition)| *condition).collect::<Vec<_>>());
        (held, any)
    }

    /// The acquisitions of the locks that are held on every path.
    pub(crate) fn certainly_held(&self, state: &State) -> SmallVec<[EventId; 1]> {
        let acquisitions = state.held.values().filter_map(|acquisitions| match acquisitions.as_slice() {
            &[(event, condition)] if self.terms.as_bool(condition) == Some(true) => Some(event),
            _ => None,
        });
        acquisitions.collect()
    }

    /// Only ghost memory can be waited for.
    fn check_ghost(&mut self, pointer: Value) {
        let bit = self.terms.extract(15, 15, pointer.object);
        let is_ghost = is_set(self.terms, bit);
        let other = self.terms.not(is_ghost);
        self.unless(other, ReasonKind::Unmodelled, "waiting for memory that the program itself can write");
    }

    pub(crate) fn lock(&mut self, state: &mut State, ptr: &Expr, locals: Vec<(LocalId, Value)>) {
        let pointer = self.eval(state, ptr);
        self.check_ghost(pointer);
        let place = self.place(state, ptr, pointer, 4, true);
        let own = self.load_private(state, &place);
        self.settle(state);
        if self.is_dead(state) {
            return;
        }
        let zero = Value::constant(self.terms, 32, 0);
        let number = self.owner(state);
        let always = self.terms.bool(true);
        let passed = self.goes_on("locked");
        self.wait_for_cell(state, &place, (own, false), passed, &locals, &mut |this, _, owner| {
            owner.equals(this.terms, zero)
        });
        if let Some(own) = own {
            // No other thread releases it: it is free now or never.
            if self.property == Property::Locks {
                let is_mine = own.equals(self.terms, number);
                let here = place.shared.map_or(always, |shared| self.terms.not(shared));
                let again = self.terms.and2(here, is_mine);
                self.forbid(again, Property::Locks, RELOCKED);
                self.settle(state);
            }
            let is_free = own.equals(self.terms, zero);
            let is_free = match place.shared {
                Some(shared) => self.terms.or2(shared, is_free),
                None => is_free,
            };
            state.condition = self.terms.and2(state.condition, is_free);
            self.store_private(state, &place, always, number);
            self.settle(state);
        }
        if let Some(shared) = place.shared {
            let passed_here = self.terms.implies(shared, passed);
            state.condition = self.terms.and2(state.condition, passed_here);
            let occurs = self.terms.and2(state.condition, shared);
            let held = self.lock_cell(pointer).map(|_| self.held(state, pointer).1);
            // If misuse is in question, a thread that holds the lock itself goes on, into a violation.
            let is_asked = self.property == Property::Locks;
            let read = if is_asked { self.unread(4, false) } else { zero };
            let (is_free, is_mine) = (read.equals(self.terms, zero), read.equals(self.terms, number));
            let write = Some((is_free, number));
            let event = self.event(state, Kind::Lock { held, is_mine }, Some(&place), occurs, Some(read), write);
            if let Some(cell) = self.lock_cell(pointer) {
                Rc::make_mut(&mut state.held).insert(cell, vec![(event, always)]);
            }
            if is_asked {
                let goes_on = self.terms.or2(is_free, is_mine);
                let fact = self.terms.implies(occurs, goes_on);
                self.skeleton.facts.push(fact);
                self.ordered(Order::AcqRel, Order::AcqRel);
                self.record(state, locals);
                let again = self.terms.and2(occurs, is_mine);
                self.violation(state, again);
                let goes_on = self.terms.not(again);
                state.condition = self.terms.and2(state.condition, goes_on);
                return;
            }
        }
        self.ordered(Order::AcqRel, Order::AcqRel);
        self.record(state, locals);
    }

    pub(crate) fn unlock(&mut self, state: &mut State, ptr: &Expr, locals: Vec<(LocalId, Value)>) {
        let pointer = self.eval(state, ptr);
        self.check_ghost(pointer);
        let place = self.place(state, ptr, pointer, 4, true);
        let own = self.load_private(state, &place);
        self.settle(state);
        let zero = Value::constant(self.terms, 32, 0);
        let number = self.owner(state);
        let always = self.terms.bool(true);
        if let Some(own) = own {
            let is_mine = own.equals(self.terms, number);
            let mut wrong = self.terms.not(is_mine);
            if let Some(shared) = place.shared {
                let here = self.terms.not(shared);
                wrong = self.terms.and2(here, wrong);
            }
            self.forbid(wrong, Property::Locks, NOT_HELD);
            self.store_private(state, &place, always, zero);
            self.settle(state);
        }
        if let Some(shared) = place.shared {
            let (closes, held) = self.held(state, pointer);
            let read = self.unread(4, false);
            let occurs = self.terms.and2(state.condition, shared);
            self.event(state, Kind::Unlock { closes, held }, Some(&place), occurs, Some(read), Some((always, zero)));
            if let Some(cell) = self.lock_cell(pointer) {
                Rc::make_mut(&mut state.held).remove(&cell);
            }
        }
        self.ordered(Order::Release, Order::Release);
        self.record(state, locals);
    }

    pub(crate) fn wait(&mut self, state: &mut State, stmt: &Stmt, locals: Vec<(LocalId, Value)>) {
        let Stmt::Await { dst, ty, ptr, ready, update, spurious, timeout, .. } = stmt else { return };
        let pointer = self.eval(state, ptr);
        self.check_ghost(pointer);
        let bytes = self.bytes(*ty);
        let place = self.place(state, ptr, pointer, bytes, true);
        let own = self.load_private(state, &place);
        self.settle(state);
        let has_objects = *ty == Type::Ptr || self.may_hold_object(*dst);
        let passed = self.goes_on("passed");
        if !(spurious.is_some() && *timeout) {
            self.wait_for_cell(state, &place, (own, has_objects), passed, &locals, &mut |this, state, found| {
                state.locals[dst.index()] = Some(this.typed(found, *ty));
                this.holds(state, ready)
            });
        }
        let read = place.shared.map(|_| self.unread(bytes, has_objects));
        let old = match (own, read, place.shared) {
            (Some(own), Some(read), Some(shared)) => read.or_else(self.terms, shared, own),
            (Some(own), _, _) => own,
            (None, Some(read), _) => read,
            (None, None, _) => self.unread(bytes, false),
        };
        state.locals[dst.index()] = Some(self.typed(old, *ty));
        let is_ready = self.holds(state, ready);
        let wakes = self.terms.not(is_ready);
        if let Some(spurious) = spurious {
            let bit = self.terms.bit_of(wakes);
            state.locals[spurious.index()] = Some(Value::int(self.terms, bit));
        } else {
            state.condition = self.terms.and2(state.condition, is_ready);
        }
        // A wait that keeps the cell unchanged when it goes on early writes, and acquires, only if it does not.
        let keeps_when_early = spurious.is_some_and(|early| update.as_ref().is_some_and(|new| new.is_if(early, *dst)));
        let writes = if keeps_when_early { is_ready } else { self.terms.bool(true) };
        let new = update.as_ref().map(|update| {
            let new = self.eval(state, update);
            self.stored(new, bytes)
        });
        self.settle(state);
        if self.property == Property::Deadlock {
            // Spurious wake-ups are optional, even if nothing else can end the wait.
            state.condition = self.terms.and2(state.condition, passed);
        }
        if let Some(new) = new {
            self.store_private(state, &place, writes, new);
            self.settle(state);
        }
        if let Some(shared) = place.shared {
            let passed_here = self.terms.implies(shared, passed);
            state.condition = self.terms.and2(state.condition, passed_here);
        }
        self.drain_if(state, is_ready);
        if let Some(shared) = place.shared {
            let occurs = self.terms.and2(state.condition, shared);
            self.event(state, Kind::Access, Some(&place), occurs, read, new.map(|new| (writes, new)));
        }
        self.ordered(Order::Acquire, if keeps_when_early { Order::Relaxed } else { Order::Acquire });
        let step = self.record(state, locals);
        step.found = Some(old);
        step.wakes = spurious.map(|_| wakes);
    }

    /// Merges the held locks of two paths.
    pub(crate) fn merge_held(&mut self, telling: Term, a: &mut State, b: &State) {
        if a.held == b.held {
            return;
        }
        self.note_rough();
        let not = self.terms.not(telling);
        let mut merged = std::collections::BTreeMap::new();
        for (side, held) in [(telling, &a.held), (not, &b.held)] {
            for (cell, acquisitions) in held.iter() {
                let entry: &mut Vec<(EventId, Term)> = merged.entry(*cell).or_default();
                for &(event, condition) in acquisitions {
                    let condition = self.terms.and2(side, condition);
                    match entry.iter_mut().find(|(other, _)| *other == event) {
                        Some((_, other)) => *other = self.terms.or2(*other, condition),
                        None => entry.push((event, condition)),
                    }
                }
            }
        }
        a.held = Rc::new(merged);
    }
}
