//! What an analysis needs of a numeric domain: environments that say which values variables can have together. A
//! variable that an environment does not mention can have any value.
//!
//! Environments are never empty: an operation that would leave none says so by its result.

use crate::domains::number::Number;
use std::fmt::Debug;

/// A variable of an environment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u32);

/// A value that is a variable plus a constant, modulo two to the width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Linear {
    /// The variable.
    pub var: Var,
    /// What is added.
    pub plus: i128,
}

/// An environment of numbers.
pub trait Numeric: Clone + PartialEq + Debug {
    /// Nothing is known.
    fn top() -> Self;
    /// What is known of one variable.
    fn get(&self, var: Var) -> Option<Number>;
    /// A variable gets a value, which is `linear` if that is given. Nothing is known of it if both are missing.
    fn assign(&mut self, var: Var, value: Option<Number>, linear: Option<Linear>);
    /// Keeps what has the variable in this set; false if that is impossible.
    fn restrict(&mut self, var: Var, value: &Number) -> bool;
    /// Keeps what has `left - right <= most` over the integers; false if that is impossible. Both have one width.
    fn bound_difference(&mut self, left: Var, right: Var, most: i128) -> bool;
    /// Forgets the variables that are not to be kept.
    fn retain(&mut self, keep: &mut dyn FnMut(Var) -> bool);
    /// The variables of which something is known, in order.
    fn vars(&self) -> Vec<Var>;
    /// What holds in both cases.
    #[must_use]
    fn join(&self, other: &Self) -> Self;
    /// What holds in both cases, such that repeating it comes to an end. `thresholds` are sorted.
    #[must_use]
    fn widen(&self, next: &Self, thresholds: &[i128]) -> Self;
    /// Whether everything the other allows is allowed here.
    fn includes(&self, other: &Self) -> bool;
    /// This, together with what the other says of its variables, of which this knows nothing.
    #[must_use]
    fn beside(&self, other: &Self) -> Self;
}
