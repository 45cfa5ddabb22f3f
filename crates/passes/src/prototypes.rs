//! Calls through pointers of a type other than the function's, which C11 6.5.2.2p9 leaves undefined. A call that may
//! lead to such a function becomes a choice among those that fit; calling any other is not modelled.
//!
//! Types are compared by how they are passed: an `int` is no `long` and no `float`, but all pointers are alike. An
//! unused result need not fit, and one additional pointer may be that to variable arguments. In C++ ([expr.call]/5)
//! virtual calls are left alone: the rules of the language make them fit, which points-to sets do not know.

use crate::notes::Notes;
use base::Id;
use ir::analysis::{Memory, PointsTo};
use ir::{BinaryOp, Callee, Edge, EdgeId, Expr, FunctionId, LocId, Program, Stmt, Type};

/// Suffixes of C and C++ source files. In modules of other languages the types of calls may have another meaning.
const ENDINGS: [&str; 14] = ["c", "i", "h", "cc", "cpp", "cxx", "C", "c++", "ii", "hh", "hpp", "hxx", "tcc", "ipp"];

/// Whether the called pointer was read only from virtual tables.
fn is_virtual(program: &Program, points_to: &PointsTo, function: FunctionId, pointer: &Expr) -> bool {
    let edges = &program.functions[function].edges;
    let Expr::Local(local) = pointer else { return false };
    let mut values = edges.iter().filter(|edge| edge.stmt.writes().contains(local)).map(|edge| &edge.stmt);
    let (Some(Stmt::Load { ptr, .. }), None) = (values.next(), values.next()) else { return false };
    let tables = points_to.pointees(function, ptr);
    let is_table = |memory: &Memory| match memory {
        Memory::Static(object) => program.objects[*object].name.starts_with("_ZTV"),
        Memory::Site(..) => false,
    };
    !tables.is_unknown && !tables.objects.is_empty() && tables.objects.iter().all(|(memory, _)| is_table(memory))
}

/// A call that does not fit all its possible targets.
struct Choice {
    at: (FunctionId, EdgeId),
    /// The targets that it fits.
    fitting: Vec<FunctionId>,
}

/// Replaces the calls that may have targets that they do not fit.
pub(crate) fn settle(program: &mut Program, notes: &Notes) {
    let is_indirect = |stmt: &Stmt| matches!(stmt, Stmt::Call { callee: Callee::Indirect(_), .. });
    if !program.statements().any(|(_, stmt)| is_indirect(stmt)) {
        return;
    }
    let points_to = PointsTo::new(program);
    let mut choices = Vec::new();
    for (at, stmt) in program.statements() {
        let Stmt::Call { callee: Callee::Indirect(pointer), args, dsts } = stmt else { continue };
        let caller = &program.functions[at.0];
        let file = program.files.enumerate().find(|(id, _)| *id == caller.edges[at.1].span.file);
        let ending = file.and_then(|(_, name)| name.rsplit_once('.')).map(|(_, ending)| ending);
        if !ending.is_some_and(|ending| ENDINGS.contains(&ending)) || is_virtual(program, &points_to, at.0, pointer) {
            continue;
        }
        let given: Vec<Type> = args.iter().map(|arg| arg.ty(program.data_model, &caller.locals)).collect();
        let wanted: Vec<Type> = dsts.iter().map(|dst| caller.locals[*dst].ty).collect();
        let candidates = points_to.pointees(at.0, pointer).functions;
        let place = (at.0, caller.edges[at.1].span);
        let is_fit = |callee: &FunctionId| {
            fits(program, *callee, &given, &wanted) && notes.fit_registers(place, *callee, !wanted.is_empty())
        };
        let (fitting, others): (Vec<_>, Vec<_>) = candidates.into_iter().partition(is_fit);
        if !others.is_empty() {
            choices.push(Choice { at, fitting });
        }
    }
    choices.into_iter().for_each(|choice| make(program, choice));
}

/// Whether a function has the type that it is called by.
fn fits(program: &Program, callee: FunctionId, given: &[Type], wanted: &[Type]) -> bool {
    let callee = &program.functions[callee];
    let params: Vec<Type> = callee.params.iter().map(|param| callee.locals[*param].ty).collect();
    let takes = given == params || matches!(given.split_last(), Some((Type::Ptr, rest)) if rest == params);
    takes && (wanted.is_empty() || wanted == callee.returns)
}

/// Turns a call into a choice among functions.
fn make(program: &mut Program, Choice { at: (caller, edge), fitting }: Choice) {
    let function = &mut program.functions[caller];
    let Edge { from, to, stmt, span } = function.edges[edge].clone();
    let Stmt::Call { callee: Callee::Indirect(pointer), args, dsts } = stmt else { return };
    let test = |op, id: &FunctionId| Expr::binary(op, Type::Ptr, pointer.clone(), Expr::Function(*id));
    let mut ways: Vec<(Expr, Stmt, Option<LocId>)> = Vec::new();
    for id in &fitting {
        let call = Stmt::Call { dsts: dsts.clone(), callee: Callee::Direct(*id), args: args.clone() };
        ways.push((test(BinaryOp::Eq, id), call, Some(to)));
    }
    let both = |a, b| Expr::binary(BinaryOp::And, Type::BOOL, a, b);
    let none = fitting.iter().map(|id| test(BinaryOp::Ne, id)).reduce(both).unwrap_or(Expr::bool(true));
    let what = "a call through a pointer of another type than that of the function".into();
    ways.push((none, Stmt::Unmodelled(what), None));
    for (index, (condition, stmt, to)) in ways.into_iter().enumerate() {
        let mut new_loc = || {
            function.locs += 1;
            LocId::new(function.locs - 1)
        };
        let (between, to) = (new_loc(), to.unwrap_or_else(&mut new_loc));
        let branch = Edge { from, to: between, stmt: Stmt::Assume(condition), span };
        match index {
            0 => function.edges[edge] = branch,
            _ => {
                function.edges.push(branch);
            }
        }
        function.edges.push(Edge { from: between, to, stmt, span });
    }
}
