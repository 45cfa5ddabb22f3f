//! Abstract states at a place of one thread: its locals and the memory that no other thread changes.

use super::store::Known;
use super::value::Value;
use ir::LocalId;

/// An abstract state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// The live locals, in order. A missing one can be anything.
    locals: Vec<(LocalId, Value)>,
    /// Memory that only this thread changes.
    pub(super) known: Known,
    /// Whether no other thread has been started yet.
    pub(super) is_sequential: bool,
}

impl State {
    pub(super) fn new(is_sequential: bool, known: Known) -> State {
        State { locals: Vec::new(), known, is_sequential }
    }

    pub(super) fn get(&self, local: LocalId) -> Option<&Value> {
        let index = self.locals.binary_search_by_key(&local, |(local, _)| *local).ok()?;
        Some(&self.locals[index].1)
    }

    pub(super) fn set(&mut self, local: LocalId, value: Value) {
        match self.locals.binary_search_by_key(&local, |(local, _)| *local) {
            Ok(index) => self.locals[index].1 = value,
            Err(index) => self.locals.insert(index, (local, value)),
        }
    }

    /// Forgets locals.
    pub(super) fn retain(&mut self, keep: impl Fn(LocalId) -> bool) {
        self.locals.retain(|(local, _)| keep(*local));
    }

    /// Joins the locals. Returns whether this grew. A local that is missing in one of them is an input there: a number.
    pub(super) fn merge_locals(&mut self, other: &State, merge: impl Fn(&Value, &Value) -> Value) -> bool {
        let mut has_changed = false;
        self.locals.retain_mut(|(local, value)| match other.get(*local) {
            None if value.any => true,
            None => {
                has_changed = true;
                let leads_somewhere = !value.refs.is_empty();
                *value = Value::anything();
                leads_somewhere
            }
            Some(next) => {
                if !value.includes(next) {
                    *value = merge(value, next);
                    has_changed = true;
                }
                true
            }
        });
        let missing = other
            .locals
            .iter()
            .filter(|(local, value)| (value.any || !value.refs.is_empty()) && self.get(*local).is_none());
        let missing: Vec<LocalId> = missing.map(|(local, _)| *local).collect();
        for local in missing {
            self.set(local, Value::anything());
            has_changed = true;
        }
        has_changed
    }

    /// Joins another state of the same kind. Returns whether this grew.
    pub(super) fn merge(&mut self, other: &State, merge: impl Fn(&Value, &Value) -> Value + Copy) -> bool {
        let locals = self.merge_locals(other, merge);
        let known = self.known.merge(&other.known, merge);
        let mode = self.is_sequential && !other.is_sequential;
        self.is_sequential &= other.is_sequential;
        locals || known || mode
    }
}
