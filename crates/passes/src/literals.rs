//! Comparisons of addresses of string literals. C leaves open whether two of them are one object (C11 6.4.5p7); Heddle
//! takes clang's choice, and every proof about such a program has that as a premise.

use ir::analysis::{Memory, PointsTo};
use ir::{BinaryOp, Expr, FunctionId, Premise, Program, Type};

/// Adds the premise.
pub(crate) fn notice(program: &mut Program) {
    let mut found: Vec<(FunctionId, Expr, Expr)> = Vec::new();
    for ((function, _), stmt) in program.statements() {
        if program.is_model(program.functions[function].span) {
            continue;
        }
        for expr in stmt.exprs() {
            expr.for_each(&mut |part| {
                if let Expr::Binary { op: BinaryOp::Eq | BinaryOp::Ne, ty: Type::Ptr, lhs, rhs } = part {
                    if **lhs != Expr::Null && **rhs != Expr::Null {
                        found.push((function, (**lhs).clone(), (**rhs).clone()));
                    }
                }
            });
        }
    }
    if found.is_empty() || !program.objects.iter().any(|object| is_literal(&object.name)) {
        return;
    }
    let points_to = PointsTo::new(program);
    let may_be_one = |(function, pointer): (FunctionId, &Expr)| {
        let objects = points_to.pointees(function, pointer).objects;
        objects.iter().any(|(memory, _)| match memory {
            Memory::Static(object) => is_literal(&program.objects[*object].name),
            Memory::Site(..) => false,
        })
    };
    if found.iter().any(|(function, one, two)| may_be_one((*function, one)) && may_be_one((*function, two))) {
        program.premises.insert(Premise::Literals);
    }
}

/// Recognises clang's names for literals; no variable of a program has a dot in its name.
fn is_literal(name: &str) -> bool {
    name.starts_with(".str")
}
