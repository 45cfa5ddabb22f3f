//! The set of states kept at one place (a node, or a store as others see it), with the paper's merging ⊞: states with
//! equal orders are joined in their values, states with equal values and the same known stores in their orders. The set
//! is bounded so that it stabilises: past a number of different orders all further states are joined into one, and
//! values that keep growing are widened.

use crate::domains::Numeric;
use crate::priori::state::{Shape, State, Stores};
use crate::priori::world::World;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Bounds on sets of states.
#[derive(Clone, Copy, Debug)]
pub(super) struct Merging {
    /// Maximum number of states with equal orders and different values.
    pub(super) partitions: usize,
    /// Maximum number of states; further ones are joined.
    pub(super) most: usize,
    /// Whether to join the orders of states with equal values, if they know the same stores.
    pub(super) joins_orders: bool,
    /// Number of joins before widening.
    pub(super) delay: u32,
}

/// The states at one place. Numbers of states are never reused.
#[derive(Clone, Debug)]
pub(super) struct Slots<D> {
    states: Vec<Option<Rc<State<D>>>>,
    by_shape: FxHashMap<Shape, (Vec<usize>, u32)>,
    by_stores: FxHashMap<Stores, Vec<usize>>,
    overflow: Option<(usize, u32)>,
    pub(super) alive: usize,
}

impl<D> Default for Slots<D> {
    fn default() -> Slots<D> {
        Slots {
            states: Vec::new(),
            by_shape: FxHashMap::default(),
            by_stores: FxHashMap::default(),
            overflow: None,
            alive: 0,
        }
    }
}

impl<D: Numeric> Slots<D> {
    pub(super) fn get(&self, index: usize) -> Option<&Rc<State<D>>> {
        self.states.get(index).and_then(Option::as_ref)
    }

    /// The states, in the order of their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Rc<State<D>>)> {
        self.states.iter().enumerate().filter_map(|(index, state)| state.as_ref().map(|state| (index, state)))
    }

    fn push(&mut self, state: State<D>) -> usize {
        self.states.push(Some(Rc::new(state)));
        self.alive += 1;
        self.states.len() - 1
    }

    fn drop(&mut self, index: usize) {
        if self.states[index].take().is_some() {
            self.alive -= 1;
        }
    }

    /// Adds a state. Returns the number of what is new, if anything is. `is_loop`: the place lies on a cycle, where
    /// different values are never kept apart.
    pub(super) fn insert(
        &mut self,
        state: State<D>,
        world: &mut World<'_>,
        merging: &Merging,
        thresholds: &[i128],
        is_loop: bool,
        widened: &mut bool,
    ) -> Option<usize> {
        if let Some((index, joins)) = self.overflow {
            if let Some(all) = self.states[index].clone() {
                if all.includes(&state, world) {
                    return None;
                }
                if self.alive >= merging.most {
                    let bounds = (joins >= merging.delay).then_some(thresholds);
                    *widened |= bounds.is_some();
                    let joined = all.join(&state, world, bounds);
                    self.drop(index);
                    let index = self.push(joined);
                    self.overflow = Some((index, joins + 1));
                    return Some(index);
                }
            }
        }
        let mut state = state;
        if merging.joins_orders {
            let near = self.by_stores.get(&state.stores()).cloned().unwrap_or_default();
            let alike = near
                .into_iter()
                .find(|index| self.states[*index].as_ref().is_some_and(|other| other.has_same_values(&state)));
            if let Some((index, other)) = alike.and_then(|index| self.states[index].clone().map(|other| (index, other)))
            {
                if other.includes(&state, world) {
                    return None;
                }
                state = other.join(&state, world, None);
                self.drop(index);
            }
        }
        let shape = state.shape();
        let (slot, joins) = self.by_shape.get(&shape).cloned().unwrap_or_default();
        let old: Vec<(usize, Rc<State<D>>)> =
            slot.iter().filter_map(|index| self.states[*index].clone().map(|state| (*index, state))).collect();
        if old.iter().any(|(_, other)| other.includes(&state, world)) {
            return None;
        }
        if old.is_empty() && self.alive >= merging.most && self.overflow.is_none() {
            let index = self.push(state);
            self.overflow = Some((index, 0));
            return Some(index);
        }
        let partitions = if is_loop { 1 } else { merging.partitions };
        let mut kept: Vec<usize> = Vec::new();
        let mut result = state;
        let mut count = joins;
        if old.len() < partitions {
            for (index, other) in &old {
                if result.includes(other, world) {
                    self.drop(*index);
                } else {
                    kept.push(*index);
                }
            }
        } else {
            count += 1;
            let bounds = (joins >= merging.delay).then_some(thresholds);
            *widened |= bounds.is_some();
            let mut all = old.iter();
            if let Some((index, first)) = all.next() {
                let mut joined = State::clone(first);
                self.drop(*index);
                for (index, other) in all {
                    joined = joined.join(other, world, None);
                    self.drop(*index);
                }
                result = joined.join(&result, world, bounds);
            }
        }
        let stores = merging.joins_orders.then(|| result.stores());
        let index = self.push(result);
        kept.push(index);
        if let Some(stores) = stores {
            let near = self.by_stores.entry(stores).or_default();
            near.retain(|other| self.states[*other].is_some());
            near.push(index);
        }
        self.by_shape.insert(shape, (kept, count));
        Some(index)
    }
}
