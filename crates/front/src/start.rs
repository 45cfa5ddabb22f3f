//! The start function of the first thread: global constructors, then the program's entry, then functions registered
//! with `atexit` and destructors, then the end of the process.

use crate::calls::{self, Arg};
use crate::function::FunctionLowering;
use crate::layout::{self, gap, Gap, Lower};
use crate::llvm::{Opcode, Value};
use crate::load::Failure;
use crate::lowering::Lowering;
use base::Span;
use ir::{BinaryOp, Expr, FunctionId, Stmt, Type};

/// Its name.
const NAME: &str = "__heddle_start";

/// Makes the start function for an entry that is defined in the program.
pub(crate) fn lower<'m>(program: &mut Lowering<'m>, entry: Value<'m>) -> FunctionId {
    let id = program.reserve_function();
    let name = program.unique(NAME);
    let (source, span) = (program.user, program.span(entry, program.user).unwrap_or(Span::unknown()));
    let mut f = FunctionLowering::new(program, source, span);
    if let Err(Gap(what)) = body(&mut f, entry) {
        f.builder.emit_unmodelled(what);
    }
    let function = f.builder.finish(name, Vec::new(), Vec::new(), span).0;
    program.set_function(id, function);
    id
}

fn body<'m>(f: &mut FunctionLowering<'_, 'm>, entry: Value<'m>) -> Lower<()> {
    for constructor in listed_functions(f.source.module.global("llvm.global_ctors")) {
        calls::call_definition(f, constructor, f.source, Vec::new(), &[])?;
    }
    let args = arguments(f, entry)?;
    let wanted = wanted_status(f, entry);
    let status = calls::call_definition(f, entry, f.source, args, &wanted)?;
    if let [status] = &status[..] {
        calls::check_status(f, status.clone());
    }
    calls::run_exit_handlers(f)?;
    f.builder.emit_leave(Stmt::Exit);
    Ok(())
}

/// The type of the entry's result, if a status other than 0 is a failure.
fn wanted_status(f: &FunctionLowering<'_, '_>, entry: Value<'_>) -> Vec<Type> {
    let returned = entry.global_value_type().and_then(|ty| ty.returns()).and_then(layout::scalar);
    returned.filter(|_| f.program.failure == Failure::Status).into_iter().collect()
}

/// The functions of a list like `llvm.global_ctors`, those with the lowest priority number first.
pub(crate) fn listed_functions(list: Option<Value<'_>>) -> Vec<Value<'_>> {
    let Some(list) = list.and_then(Value::initializer) else { return Vec::new() };
    let count = list.ty().elements().map_or(0, |(_, count)| count) as u32;
    let mut found: Vec<(u128, Value<'_>)> = (0..count)
        .filter_map(|i| {
            let entry = list.element(i)?;
            let function = entry.element(1)?;
            let priority = entry.element(0).and_then(Value::as_int).unwrap_or(65535);
            (function.is_function() && !function.is_declaration()).then_some((priority, function))
        })
        .collect();
    found.sort_by_key(|(priority, _)| *priority);
    found.into_iter().map(|(_, function)| function).collect()
}

/// Arbitrary arguments of `main`: at least one, and an array of that many strings, made by a model. They are made only
/// if the program reads them.
fn arguments<'m>(f: &mut FunctionLowering<'_, 'm>, entry: Value<'m>) -> Lower<Vec<Arg<'m>>> {
    let params = entry.params();
    if !params.iter().any(|param| is_looked_at(*param)) {
        return Ok(Vec::new());
    }
    let count_type = layout::scalar(params[0].ty()).ok_or_else(|| gap("the parameters of main"))?;
    let count = f.arbitrary(count_type, true);
    let at_least_one = Expr::binary(BinaryOp::Sle, count_type, crate::simplify::int_of(count_type, 1), count.clone());
    f.builder.emit(Stmt::Assume(at_least_one));
    let mut args = vec![Arg { exprs: vec![count.clone()], value: None }];
    for param in params.iter().skip(1) {
        let pointer = if is_looked_at(*param) { strings(f, count.clone())? } else { Expr::Null };
        args.push(Arg { exprs: vec![pointer], value: None });
    }
    Ok(args)
}

fn strings<'m>(f: &mut FunctionLowering<'_, 'm>, count: Expr) -> Lower<Expr> {
    let args = vec![Arg { exprs: vec![count], value: None }];
    let results = calls::call_by_name(f, "__heddle_arguments", args, &[Type::Ptr])?;
    results.into_iter().next().ok_or_else(|| gap("the parameters of main"))
}

/// Whether a parameter is used other than by a store to a variable that is never read.
fn is_looked_at(param: Value<'_>) -> bool {
    param.users().any(|user| {
        if user.opcode() != Some(Opcode::LLVMStore) || user.operand(0) != param {
            return true;
        }
        let variable = user.operand(1);
        variable.opcode() != Some(Opcode::LLVMAlloca) || variable.users().any(|other| other != user)
    })
}
