//! Variables on the stack that are `const`: to write one through a pointer is undefined (C11 6.7.3p6), and compilers rely on that. A write that can
//! only be to such a variable violates `memory`; where one may be, every proof says that it takes for granted that none is.
//! What the declaration itself writes is written by the name of the variable, and stands in one line with it. (Static ones are constant objects.)

use crate::chain::Chain;
use crate::roots::Roots;
use base::Span;
use ir::analysis::{Memory, PointsTo};
use ir::{Expr, FunctionId, LocalId, Premise, Program, Property, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};

/// A variable that is `const`.
#[derive(Clone, Copy)]
pub(crate) struct ConstVariable {
    /// Where it is declared.
    pub(crate) span: Span,
    /// Whether one store initialises it.
    pub(crate) is_scalar: bool,
}

impl ConstVariable {
    /// Whether something stands behind its declaration.
    pub(crate) fn is_before(&self, span: Span) -> bool {
        let column = if self.is_scalar { span.column } else { 0 };
        (self.span.line, self.span.column) < (span.line, column)
    }
}

/// What a write of such a variable is.
pub(crate) fn violation() -> Stmt {
    let message = "write of a variable that is const".to_owned();
    Stmt::Assert { cond: Expr::bool(false), property: Property::Memory, message, is_defined: false }
}

/// Looks for such writes, given the variables by what points to them.
pub(crate) fn notice(program: &mut Program, variables: &FxHashMap<(FunctionId, LocalId), ConstVariable>) {
    if variables.is_empty() {
        return;
    }
    let is_allocated = |function: FunctionId, stmt: &Stmt| matches!(stmt, Stmt::Alloc { dst, .. } if variables.contains_key(&(function, *dst)));
    let allocated = program.statements().filter(|((function, _), stmt)| is_allocated(*function, stmt));
    let constant: FxHashSet<Memory> = allocated.map(|((function, edge), _)| Memory::Site(function, edge)).collect();
    let points_to = PointsTo::new(program);
    let mut certain = Vec::new();
    for (id, function) in program.functions.enumerate() {
        let roots = Roots::new(function);
        for (edge, item) in function.edges.enumerate() {
            let Some(pointer) = written(&item.stmt) else { continue };
            let named = match roots.of(pointer).root {
                Expr::Local(local) => variables.get(&(id, *local)),
                _ => None,
            };
            if let Some(variable) = named {
                if !variable.is_scalar && variable.is_before(item.span) {
                    program.premises.insert(Premise::Constants);
                }
                continue;
            }
            let pointees = points_to.pointees(id, pointer);
            let is_constant = |(memory, is_ghost): &(Memory, bool)| !is_ghost && constant.contains(memory);
            if !pointees.objects.iter().any(is_constant) {
                continue;
            }
            if pointees.objects.iter().all(is_constant) && !pointees.is_unknown {
                certain.push((id, edge));
            } else {
                program.premises.insert(Premise::Constants);
            }
        }
    }
    let width = program.data_model.pointer_width();
    for (function, edge) in certain {
        let mut chain = Chain::new(&mut program.functions[function], edge, true, width);
        chain.add(violation());
        chain.finish();
    }
}

/// Where a statement writes.
fn written(stmt: &Stmt) -> Option<&Expr> {
    match stmt {
        Stmt::Copy { dst, .. } | Stmt::Set { dst, .. } => Some(dst),
        Stmt::Free { .. } | Stmt::Expire { .. } => None,
        _ => stmt.touches().into_iter().find(|touch| touch.writes).map(|touch| touch.ptr),
    }
}
