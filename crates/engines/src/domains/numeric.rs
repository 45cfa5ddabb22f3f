//! The interface of numeric domains: environments that constrain the joint values of variables. A variable that an
//! environment does not mention can have any value.
//!
//! Environments are never empty: an operation that would leave none reports that in its result.

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
    /// The constant.
    pub plus: i128,
}

/// An environment of numbers.
pub trait Numeric: Clone + PartialEq + Debug {
    /// The unconstrained environment.
    fn top() -> Self;
    /// The values of one variable.
    fn get(&self, var: Var) -> Option<Number>;
    /// Assigns a value, which equals `linear` if that is given. Nothing is known about the variable if both are
    /// missing.
    fn assign(&mut self, var: Var, value: Option<Number>, linear: Option<Linear>);
    /// Constrains a variable to a set. Returns false if that is impossible.
    fn restrict(&mut self, var: Var, value: &Number) -> bool;
    /// Assumes `left - right <= most` over the integers. Returns false if that is impossible. Both have one width.
    fn bound_difference(&mut self, left: Var, right: Var, most: i128) -> bool;
    /// Forgets all variables except those that satisfy `keep`.
    fn retain(&mut self, keep: &mut dyn FnMut(Var) -> bool);
    /// The constrained variables, in order.
    fn vars(&self) -> Vec<Var>;
    /// The least upper bound, or an upper bound.
    #[must_use]
    fn join(&self, other: &Self) -> Self;
    /// Widening: an upper bound such that ascending chains are finite. `thresholds` are sorted.
    #[must_use]
    fn widen(&self, next: &Self, thresholds: &[i128]) -> Self;
    /// Whether this includes the other.
    fn includes(&self, other: &Self) -> bool;
    /// Conjoins the constraints of the other on its variables, which are unconstrained here.
    #[must_use]
    fn beside(&self, other: &Self) -> Self;
}
