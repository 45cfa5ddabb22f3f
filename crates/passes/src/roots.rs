//! Decomposes a pointer within one function: a root plus a constant.

use ir::{BinaryOp, Expr, Function, LocalId, Stmt};
use rustc_hash::FxHashMap;

/// A pointer as a sum.
#[derive(Clone, PartialEq, Eq)]
pub struct Rooted<'a> {
    /// The base.
    pub root: &'a Expr,
    /// The constant; none if something else is added too.
    pub constant: Option<i64>,
}

/// The values of the local variables of a function that are set once.
pub struct Roots<'a> {
    values: FxHashMap<LocalId, Option<&'a Expr>>,
}

impl<'a> Roots<'a> {
    /// Analyses a function.
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

    /// The decomposition of a pointer.
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

/// The value of a constant expression.
pub fn constant(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Int { width: 64, value } => Some(*value as i64),
        Expr::Int { value, .. } => Some(i64::from(*value as i32)),
        Expr::Binary { op: BinaryOp::Add, lhs, rhs, .. } => Some(constant(lhs)?.wrapping_add(constant(rhs)?)),
        _ => None,
    }
}
