//! What a pointer is made of, as far as one function tells: something that it is added to, and a constant.

use ir::{BinaryOp, Expr, Function, LocalId, Stmt};
use rustc_hash::FxHashMap;

/// A pointer as a sum.
#[derive(Clone, PartialEq, Eq)]
pub struct Rooted<'a> {
    /// What is added to.
    pub root: &'a Expr,
    /// The constant; none if something else is added too.
    pub constant: Option<i64>,
}

/// The values of the local variables of a function that are set once.
pub struct Roots<'a> {
    values: FxHashMap<LocalId, Option<&'a Expr>>,
}

impl<'a> Roots<'a> {
    /// Looks at all of a function.
    pub fn new(function: &'a Function) -> Roots<'a> {
        let mut values: FxHashMap<LocalId, Option<&Expr>> =
            function.params.iter().map(|&param| (param, None)).collect();
        for edge in function.edges.iter() {
            for local in edge.stmt.writes() {
                let value = if let Stmt::Assign { value, .. } = &edge.stmt { Some(value) } else { None };
                values.entry(local).and_modify(|known| *known = None).or_insert(value);
            }
        }
        Roots { values }
    }

    /// What a pointer is made of.
    pub fn of(&self, pointer: &'a Expr) -> Rooted<'a> {
        let mut rooted = Rooted { root: pointer, constant: Some(0) };
        loop {
            rooted.root = match rooted.root {
                Expr::Offset { base, bytes } => {
                    rooted.constant = rooted.constant.zip(constant(bytes)).map(|(one, two)| one.wrapping_add(two));
                    base
                }
                Expr::Local(local) => match self.values.get(local) {
                    Some(Some(value)) => value,
                    _ => return rooted,
                },
                _ => return rooted,
            }
        }
    }
}

/// The value of an expression of constants.
pub fn constant(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Int { width: 64, value } => Some(*value as i64),
        Expr::Int { value, .. } => Some(i64::from(*value as i32)),
        Expr::Binary { op: BinaryOp::Add, lhs, rhs, .. } => Some(constant(lhs)?.wrapping_add(constant(rhs)?)),
        _ => None,
    }
}
