//! Tracks explicit values where refinement would not terminate: counters of loops with constant bounds, indices.
//!
//! If a path goes round a loop repeatedly, or its weakest preconditions become too large, the variables that it depends
//! on are *tracked*; so are those that all refinements together depend on, when there are many refinements and the tree
//! is not finished. The search then restarts, and where a tracked variable is constant, the location records its value,
//! as it does for pointers. A bounded loop is then unwound like any other part of the program. A variable with many
//! values, such as a counter without bound, is left to labels again, and so are all when the tree becomes large: the
//! search then proceeds as in the paper. Tracking affects only the shape of the tree.

use super::location::{Base, Location, Slot};
use super::machine::Machine;
use super::path::slice;
use super::search::Search;
use super::tree::NodeId;
use super::vocabulary::{Class, Meeting, ObjKey, VarKey};
use crate::symbolic::initial;
use ir::{ObjectId, ObjectKind};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::interpolation::Step;
use smt::Term;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Maximum number of values of one kind of variable; past it the kind is no longer tracked.
const MAX_VALUES: usize = 900;
/// Above this size of the tree, after half of the time, all tracking is given up.
const MANY_NODES: usize = 10_000;
/// Above this size of the tree, all tracking is given up.
const MAX_NODES: usize = 200_000;

/// The tracked kinds of variables, and what the search learnt about them.
#[derive(Default)]
pub(super) struct ExplicitValues {
    tracked: FxHashSet<Class>,
    /// Kinds with too many values.
    refused: FxHashSet<Class>,
    values: FxHashMap<Class, FxHashSet<Term>>,
    /// The lengths of the tracked (or necessarily explicit) static cells, by object and offset.
    statics: BTreeMap<(ObjectId, u64), u64>,
    /// The variables that refinements depend on.
    blamed: BTreeSet<Term>,
    has_given_up: bool,
    /// The remaining time when first asked.
    time: Option<Duration>,
}

impl ExplicitValues {
    /// Nothing is tracked yet; if not allowed, nothing ever will be.
    pub(super) fn new(is_allowed: bool) -> ExplicitValues {
        ExplicitValues { has_given_up: !is_allowed, ..ExplicitValues::default() }
    }

    pub(super) fn contains(&self, class: Class) -> bool {
        self.tracked.contains(&class) && !self.refused.contains(&class)
    }

    /// Records an explicit constant. Returns true if there are too many, and the search must restart without them.
    pub(super) fn tell(&mut self, class: Class, value: Term) -> bool {
        let values = self.values.entry(class).or_default();
        values.insert(value);
        values.len() > MAX_VALUES && self.refused.insert(class)
    }

    /// Forgets the data of one search.
    pub(super) fn restart(&mut self) {
        self.values.clear();
        self.blamed.clear();
    }

    fn give_up(&mut self) -> bool {
        let has_explicit_values = self.tracked.iter().any(|class| !self.refused.contains(class));
        self.has_given_up = true;
        self.refused.extend(self.tracked.drain());
        has_explicit_values
    }

    /// Records a static cell that is explicit from the beginning.
    pub(super) fn note_static(&mut self, class: Class, key: VarKey) {
        if let (Class::Static(object, false, offset), VarKey::Cell(cell)) = (class, key) {
            self.statics.insert((object, offset), cell.bytes);
        }
    }
}

impl Machine<'_> {
    /// Requests that the state variables of a term be tracked while they have few values. Returns whether that is new.
    pub(super) fn track(&mut self, term: Term) -> bool {
        let mut is_new = false;
        for variable in self.terms.variables(&[term]) {
            is_new |= self.track_value(variable);
        }
        self.should_restart |= is_new;
        is_new
    }

    fn track_value(&mut self, variable: Term) -> bool {
        let Some(key) = self.vocabulary.meaning(variable) else { return false };
        let Some(class) = self.vocabulary.class(key) else { return false };
        let explicit_values = &mut self.vocabulary.explicit_values;
        if explicit_values.has_given_up
            || explicit_values.refused.contains(&class)
            || self.vocabulary.explicit.contains(&class)
        {
            return false;
        }
        explicit_values.note_static(class, key);
        explicit_values.tracked.insert(class)
    }

    /// Adds the initial values of tracked static objects to a location.
    pub(super) fn add_initial_numbers(&mut self, place: &mut Location) {
        for ((id, offset), bytes) in self.vocabulary.explicit_values.statics.clone() {
            let class = Class::Static(id, false, offset);
            let is_tracked =
                self.vocabulary.explicit_values.contains(class) || self.vocabulary.explicit.contains(&class);
            if !is_tracked || self.program.objects[id].kind != ObjectKind::Global {
                continue;
            }
            let object = self.vocabulary.object(ObjKey::Static(id));
            let Meeting::Whole(cell) = self.vocabulary.meet(object, false, offset, bytes) else { continue };
            if let (false, Some(bits)) = (place.cells.contains_key(&cell), initial(self.program, id, offset, bytes)) {
                let bits = self.terms.bits(bits);
                place.cells.insert(cell, Slot::Known(Base::Number, bits));
            }
        }
    }
}

impl Search<'_, '_> {
    /// Whether a path goes round a loop of the whole program, disregarding explicit values.
    pub(super) fn is_loop(&self, path: &[NodeId]) -> bool {
        let locations = &self.machine.locations;
        !self.machine.vocabulary.explicit_values.has_given_up
            && self.comes_back(path, |location| locations[location].control())
    }

    /// Tracks the variables that an infeasible path depends on, except inputs. Returns whether that is new: then the
    /// search restarts.
    pub(super) fn track(&mut self, steps: &[Step], core: &FxHashSet<(usize, Term)>) -> bool {
        let variables = self.dependences(steps, core);
        self.track_all(variables)
    }

    /// Records the variables that an infeasible path depends on. After many refinements, tracks all of them; returns
    /// whether that is new.
    pub(super) fn blame(&mut self, steps: &[Step], core: &FxHashSet<(usize, Term)>) -> bool {
        let Some(track_after) = self.modes.track_after else { return false };
        if self.machine.vocabulary.explicit_values.has_given_up {
            return false;
        }
        let variables = self.dependences(steps, core);
        self.machine.vocabulary.explicit_values.blamed.extend(variables);
        if self.counts.refinements < u64::from(track_after) {
            return false;
        }
        let all = std::mem::take(&mut self.machine.vocabulary.explicit_values.blamed);
        self.track_all(all.into_iter().collect())
    }

    /// The state variables whose assignments an infeasible path needs, except those that are assigned an input.
    fn dependences(&mut self, steps: &[Step], core: &FxHashSet<(usize, Term)>) -> Vec<Term> {
        let mut variables = Vec::new();
        for step in slice(&mut self.machine.terms, steps, core, false).into_iter().flatten() {
            let Step::Assign(variable, value) = step else { continue };
            let is_input = |part: &Term| matches!(self.machine.vocabulary.meaning(*part), Some(VarKey::Input(..)));
            if !self.machine.terms.variables(&[value]).iter().any(is_input) {
                variables.push(variable);
            }
        }
        variables
    }

    fn track_all(&mut self, variables: Vec<Term>) -> bool {
        let mut is_new = false;
        for variable in variables {
            is_new |= self.machine.track_value(variable);
        }
        self.machine.should_restart |= is_new;
        is_new
    }

    /// Whether the tree is too large for optional explicit values; if so, nothing is tracked any more.
    pub(super) fn is_too_large(&mut self) -> bool {
        let remaining = self.budget.remaining();
        let explicit_values = &mut self.machine.vocabulary.explicit_values;
        explicit_values.time = explicit_values.time.or(remaining);
        let nodes = self.tree.len();
        let is_late =
            matches!((explicit_values.time, remaining), (Some(time), Some(remaining)) if remaining < time / 2);
        (nodes > MAX_NODES || nodes > MANY_NODES && is_late) && explicit_values.give_up()
    }
}
