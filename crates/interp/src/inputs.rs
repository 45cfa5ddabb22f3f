//! Inputs for which a few values suffice: a variable that is only compared with constants behaves alike for all values
//! between two neighbouring constants, so one value of each such class represents the class. The same holds for a
//! variable of which only the remainder by a constant is used, such as an index into a table.

use crate::machine::Code;
use crate::oracle::COMPLETE_BELOW;
use base::IdVec;
use ir::arith;
use ir::{BinaryOp, Expr, Function, FunctionId, LocalId, Program, Stmt, Type};
use std::collections::BTreeSet;
use std::rc::Rc;

/// For each variable, the values that represent all others, if there are few.
pub(crate) type Classes = IdVec<FunctionId, IdVec<LocalId, Option<Rc<[u128]>>>>;

/// A comparison with a constant; `flipped` if the constant is on the left.
type Comparison = (BinaryOp, u128, bool);

/// A constant divisor of a remainder operation, and whether the operation is signed.
type Divisor = (u128, bool);

/// Maximum number of remainders that are all tried.
const MAX_REMAINDERS: u128 = 64;

/// The uses of a variable.
#[derive(Clone, Default)]
struct Uses {
    comparisons: BTreeSet<Comparison>,
    divisors: BTreeSet<Divisor>,
    handed_on: bool,
    otherwise: bool,
}

/// Finds the classes of all variables of a program.
pub(crate) fn classes(program: &Program, code: &IdVec<FunctionId, Code>) -> Classes {
    let pointer_width = program.data_model.pointer_width();
    let of_function = |(id, function): (FunctionId, &Function)| {
        let mut uses: IdVec<LocalId, Uses> = IdVec::filled(Uses::default(), function.locals.len());
        for (edge, item) in function.edges.enumerate() {
            // A variable that is only passed on, and dies, is examined at its destination.
            let moved = handed_on(&item.stmt).filter(|local| code[id].dying[edge].contains(local)).map(Expr::Local);
            if let Some(Expr::Local(local)) = moved {
                uses[local].handed_on = true;
            }
            for expr in item.stmt.exprs() {
                if moved.as_ref() != Some(expr) {
                    visit(expr, &mut uses);
                }
            }
        }
        let class = |(id, uses): (LocalId, &Uses)| match function.locals[id].ty {
            Type::Int(width) => representatives(width, uses),
            Type::Ptr => representatives(pointer_width, uses),
        };
        uses.enumerate().map(class).collect()
    };
    program.functions.enumerate().map(of_function).collect()
}

/// Values of inputs that the program text suggests, which random runs also try: constants in comparisons, and their
/// neighbours.
pub(crate) fn suggestions(program: &Program) -> Vec<i128> {
    let mut found = BTreeSet::new();
    let users = program.functions.iter().flat_map(|function| function.edges.iter());
    for edge in users.filter(|edge| program.is_users(edge.span)) {
        for expr in edge.stmt.exprs() {
            expr.for_each(&mut |part| {
                let Expr::Binary { op, lhs, rhs, .. } = part else { return };
                for side in [lhs, rhs].into_iter().filter(|_| op.is_comparison() && !matches!(op, BinaryOp::Float(_))) {
                    if let Expr::Int { width, value } = &**side {
                        let value = arith::signed(*width, *value);
                        found.extend([value - 1, value, value + 1].into_iter().filter(|_| *width > 1));
                    }
                }
            });
        }
    }
    found.into_iter().collect()
}

/// The variable that a statement copies, if it does nothing else.
fn handed_on(stmt: &Stmt) -> Option<LocalId> {
    let value = if let Stmt::Assign { value, .. } | Stmt::ExitThread(value) = stmt {
        value
    } else if let Stmt::Return(values) = stmt {
        values.first().filter(|_| values.len() == 1)?
    } else {
        return None;
    };
    match value {
        Expr::Local(local) => Some(*local),
        Expr::Int { .. }
        | Expr::Null
        | Expr::Object(_)
        | Expr::Function(_)
        | Expr::SelfThread
        | Expr::Unary { .. }
        | Expr::Binary { .. }
        | Expr::Cast { .. }
        | Expr::Select { .. }
        | Expr::Offset { .. }
        | Expr::Ghost(_) => None,
    }
}

/// Finds the uses in an expression.
fn visit(expr: &Expr, uses: &mut IdVec<LocalId, Uses>) {
    match expr {
        Expr::Local(local) => uses[*local].otherwise = true,
        Expr::Binary { op, lhs, rhs, .. } if op.is_comparison() && !matches!(op, BinaryOp::Float(_)) => {
            match (&**lhs, constant(rhs), &**rhs, constant(lhs)) {
                (Expr::Local(local), Some(value), ..) => {
                    uses[*local].comparisons.insert((*op, value, false));
                }
                (_, _, Expr::Local(local), Some(value)) => {
                    uses[*local].comparisons.insert((*op, value, true));
                }
                (..) => {
                    visit(lhs, uses);
                    visit(rhs, uses);
                }
            }
        }
        Expr::Binary { op, ty, lhs, rhs } => match (&**lhs, divisor(*op, *ty, rhs)) {
            (Expr::Local(local), Some(divisor)) => {
                uses[*local].divisors.insert(divisor);
            }
            (..) => {
                visit(lhs, uses);
                visit(rhs, uses);
            }
        },
        Expr::Offset { base: lhs, bytes: rhs } => {
            visit(lhs, uses);
            visit(rhs, uses);
        }
        Expr::Unary { arg, .. } | Expr::Cast { arg, .. } | Expr::Ghost(arg) => visit(arg, uses),
        Expr::Select { cond, then, otherwise } => {
            visit(cond, uses);
            visit(then, uses);
            visit(otherwise, uses);
        }
        Expr::Int { .. } | Expr::Null | Expr::Object(_) | Expr::Function(_) | Expr::SelfThread => {}
    }
}

fn constant(expr: &Expr) -> Option<u128> {
    match expr {
        Expr::Int { value, .. } => Some(*value),
        Expr::Null => Some(0),
        Expr::Local(_)
        | Expr::Object(_)
        | Expr::Function(_)
        | Expr::SelfThread
        | Expr::Unary { .. }
        | Expr::Binary { .. }
        | Expr::Cast { .. }
        | Expr::Select { .. }
        | Expr::Offset { .. }
        | Expr::Ghost(_) => None,
    }
}

/// The constant divisor, if an operation with a right side computes a remainder. Keeping the lowest bits is one too.
fn divisor(op: BinaryOp, ty: Type, rhs: &Expr) -> Option<Divisor> {
    let (Type::Int(width), Some(value)) = (ty, constant(rhs)) else { return None };
    if op == BinaryOp::And {
        return value.checked_add(1).filter(|value| value.is_power_of_two()).map(|value| (value, false));
    }
    let is_signed = op == BinaryOp::Srem;
    let is_remainder = is_signed && arith::signed(width, value) > 0 || op == BinaryOp::Urem && value > 0;
    is_remainder.then_some((value, is_signed))
}

/// One value for each remainder, if there are few: of the largest divisor, which all others divide.
fn remainders(width: u16, divisors: &BTreeSet<Divisor>) -> Option<Rc<[u128]>> {
    let &(largest, is_signed) = divisors.last().filter(|(largest, _)| *largest <= MAX_REMAINDERS)?;
    let is_one_for_all = divisors.iter().all(|(divisor, signed)| largest % divisor == 0 && *signed == is_signed);
    let negative = (1..largest).filter(|_| is_signed).map(|value| value.wrapping_neg() & arith::mask(width));
    is_one_for_all.then(|| (0..largest).chain(negative).collect())
}

/// One value of each class. Narrow inputs are tried completely anyway.
fn representatives(width: u16, uses: &Uses) -> Option<Rc<[u128]>> {
    let mask = arith::mask(width);
    // A variable that is passed on after a comparison is no longer open: other values might matter at its destination.
    let is_looked_at = !(uses.comparisons.is_empty() && uses.divisors.is_empty());
    if uses.otherwise || uses.handed_on && is_looked_at || mask < COMPLETE_BELOW {
        return None;
    }
    if !uses.divisors.is_empty() {
        return remainders(width, &uses.divisors).filter(|_| uses.comparisons.is_empty());
    }
    let mut candidates: BTreeSet<u128> = [0, 1, mask, mask >> 1, (mask >> 1) + 1].into();
    for (_, value, _) in &uses.comparisons {
        candidates.extend([value.wrapping_sub(1) & mask, *value, value.wrapping_add(1) & mask]);
    }
    let mut seen = BTreeSet::new();
    let is_new = |value: &u128| {
        let truth = |(op, constant, flipped): &Comparison| {
            let (lhs, rhs) = if *flipped { (*constant, *value) } else { (*value, *constant) };
            arith::binary(*op, width, lhs, rhs)
        };
        seen.insert(uses.comparisons.iter().map(truth).collect::<Vec<_>>())
    };
    Some(candidates.into_iter().filter(is_new).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class_of(comparisons: &[Comparison]) -> Vec<u128> {
        let uses = Uses { comparisons: comparisons.iter().copied().collect(), ..Uses::default() };
        representatives(16, &uses).expect("the variable is only compared").to_vec()
    }

    #[test]
    fn every_value_leaves_the_remainders_of_a_representative() {
        let sets: [&[Divisor]; 5] = [
            &[(8, false)],
            &[(48, false), (16, false)],
            &[(1, true)],
            &[(48, true), (3, true), (6, true)],
            &[(1, false)],
        ];
        for divisors in sets {
            let left = |value: u128| -> Vec<Option<u128>> {
                let op = |is_signed| if is_signed { BinaryOp::Srem } else { BinaryOp::Urem };
                divisors.iter().map(|(divisor, signed)| arith::binary(op(*signed), 16, value, *divisor)).collect()
            };
            let chosen = remainders(16, &divisors.iter().copied().collect()).expect("few remainders");
            let chosen: BTreeSet<_> = chosen.iter().map(|value| left(*value)).collect();
            for value in 0..=0xffff {
                assert!(chosen.contains(&left(value)), "{value:#x} with {divisors:?}");
            }
        }
        for divisors in [&[(8, false), (3, false)][..], &[(8, false), (4, true)], &[(65, false)]] {
            assert_eq!(remainders(16, &divisors.iter().copied().collect()), None, "{divisors:?}");
        }
    }

    #[test]
    fn every_value_of_a_width_behaves_like_a_representative() {
        let sets: [&[Comparison]; 5] = [
            &[],
            &[(BinaryOp::Ne, 0, false)],
            &[(BinaryOp::Slt, 10, false), (BinaryOp::Slt, 0, true)],
            &[(BinaryOp::Ult, 0xfff0, false), (BinaryOp::Eq, 0xffff, false)],
            &[(BinaryOp::Sle, 0x8000, false), (BinaryOp::Ule, 5, true), (BinaryOp::Eq, 7, true)],
        ];
        for comparisons in sets {
            let truth = |value: u128| -> Vec<Option<u128>> {
                let one = |(op, constant, flipped): &Comparison| {
                    let (lhs, rhs) = if *flipped { (*constant, value) } else { (value, *constant) };
                    arith::binary(*op, 16, lhs, rhs)
                };
                comparisons.iter().map(one).collect()
            };
            let chosen: Vec<_> = class_of(comparisons).into_iter().map(truth).collect();
            for value in 0..=0xffff {
                assert!(chosen.contains(&truth(value)), "{value:#x} with {comparisons:?}");
            }
        }
    }
}
