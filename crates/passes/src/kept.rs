//! Unnamed objects whose end of life clang does not mark, although they die before the function returns: C++ arguments
//! passed in memory and unused results, if they have no destructor, and variables of a block that are declared before
//! the first case of its switch. They are treated as living until the function returns. That makes a difference only if
//! their address is kept, which is not modelled.

use crate::chain::Chain;
use crate::notes::Notes;
use ir::analysis::{Memory, PointsTo};
use ir::{EdgeId, Expr, FunctionId, Program, Stmt, Type};
use rustc_hash::FxHashSet;

/// Rejects the statements that keep such an address.
pub(crate) fn refuse(program: &mut Program, notes: &Notes) {
    let is_unended =
        |at: FunctionId, stmt: &Stmt| matches!(stmt, Stmt::Alloc { dst, .. } if notes.is_unended(at, *dst));
    let sites = program.statements().filter(|((function, _), stmt)| is_unended(*function, stmt));
    let sites: FxHashSet<Memory> = sites.map(|((function, edge), _)| Memory::Site(function, edge)).collect();
    if sites.is_empty() {
        return;
    }
    let points_to = PointsTo::new(program);
    let leads_there = |function: FunctionId, pointer: &Expr| {
        let objects = points_to.pointees(function, pointer).objects;
        objects.iter().any(|(memory, is_ghost)| !is_ghost && sites.contains(memory))
    };
    let keeps = |((function, _), stmt): &((FunctionId, EdgeId), &Stmt)| {
        kept(stmt).into_iter().any(|pointer| leads_there(*function, pointer))
    };
    let found: Vec<(FunctionId, EdgeId)> = program.statements().filter(keeps).map(|(at, _)| at).collect();
    let width = program.data_model.pointer_width();
    for (function, edge) in found {
        let what = "keeping the address of an object of which it is not known how long it lives";
        let mut chain = Chain::new(&mut program.functions[function], edge, true, width);
        chain.add(Stmt::Unmodelled(what.into()));
        chain.finish();
    }
}

/// The values that a statement stores where they may be found later.
fn kept(stmt: &Stmt) -> Vec<&Expr> {
    match stmt {
        Stmt::Store { ty: Type::Ptr, value, .. } | Stmt::Rmw { ty: Type::Ptr, value, .. } => vec![value],
        Stmt::CompareExchange { ty: Type::Ptr, desired, .. } => vec![desired],
        Stmt::Return(values) | Stmt::Spawn { args: values, .. } => values.iter().collect(),
        Stmt::ExitThread(value) => vec![value],
        _ => vec![],
    }
}
