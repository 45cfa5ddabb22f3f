//! The meaning of a call: fixed by its name, the definition of the program or of a model, or unknown.
//!
//! The declared type of a function does not matter: programs call functions that they have not declared, or have
//! declared differently. Arguments and results are converted, missing ones are arbitrary and extra ones dropped.

use crate::function::FunctionLowering;
use crate::layout::{self, gap, Gap, Lower};
use crate::llvm::{Opcode, Value, ValueKind};
use crate::load::Failure;
use crate::lowering::Resolved;
use crate::models::Source;
use crate::terminators::UNREACHABLE;
use crate::{asm, blocks, constants, intrinsics, output, primitives, simplify, start, varargs};
use ir::{BinaryOp, Callee, Claim, ErrorFunction, Expr, FunctionId, LocalId, Stmt, Type, Unmodelled};
use passes::notes::fit_registers;

/// An argument of a call.
pub(crate) struct Arg<'m> {
    /// Its scalar parts.
    pub(crate) exprs: Vec<Expr>,
    /// The operand, if there is one: for arguments that have to be literal.
    pub(crate) value: Option<Value<'m>>,
}

/// Lowers a call instruction.
pub(crate) fn lower<'m>(f: &mut FunctionLowering<'_, 'm>, instruction: Value<'m>) -> Lower<()> {
    let called = instruction.called().ok_or_else(|| gap("a call"))?;
    let name = called.name();
    if name.starts_with("llvm.") {
        return intrinsics::lower(f, instruction, &name);
    }
    let returns = instruction.called_type().and_then(|ty| ty.returns());
    let returns = returns.map(|ty| layout::part_types(f.source.module, ty)).unwrap_or(Ok(Vec::new()))?;
    let mut args = Vec::new();
    let has_literals = takes_literals(&name) && !f.program.has_own(&name);
    for value in instruction.args() {
        if has_literals && value.is_global_constant() {
            // The text of a message is not an object of the program.
            args.push(Arg { exprs: vec![Expr::Null], value: Some(value) });
            continue;
        }
        args.push(Arg { exprs: f.operand(value)?, value: Some(value) });
    }
    let results = if let Some((text, constraints)) = called.inline_asm() {
        asm::lower(f, &text, &constraints, args, &returns)?
    } else if matches!(called.value_kind(), ValueKind::LLVMFunctionValueKind | ValueKind::LLVMGlobalAliasValueKind) {
        let is_unused = instruction.users().next().is_none();
        call_function(f, called, args, if is_unused { &[] } else { &returns }, Some(instruction))?
    } else {
        let callee = f.scalar(called)?;
        let callee = match callee {
            Expr::Function(id) => Callee::Direct(id),
            pointer => Callee::Indirect(pointer),
        };
        let args = match instruction.called_type() {
            // A type with nothing but `...` is that of a function without a prototype.
            Some(ty) if ty.is_variadic() && !ty.params().is_empty() => {
                with_area(f, args, ty.params().len(), Some(instruction))?
            }
            _ => args,
        };
        if let Some(ty) = instruction.called_type().filter(|_| f.source.model.is_none()) {
            f.builder.variables.calls.push((f.builder.span, ty.register_classes()));
        }
        call_pointer(f, callee, args, &returns)
    };
    define_results(f, instruction, results);
    match blocks::destroyed(instruction) {
        Some(object) => f.destroy(object),
        None => Ok(()),
    }
}

fn define_results<'m>(f: &mut FunctionLowering<'_, 'm>, instruction: Value<'m>, results: Vec<Expr>) {
    match results.as_slice() {
        [Expr::Local(local)] if f.builder.wrote_last(*local) => f.define_fresh(instruction, vec![*local]),
        _ => f.define(instruction, results),
    }
}

/// The result of a function that only keeps its parameters and returns nothing or a constant.
fn outcome(definition: Value<'_>) -> Option<Option<u128>> {
    let [block] = definition.blocks()[..] else { return None };
    let does_nothing = |instruction: &Value<'_>| match instruction.opcode() {
        Some(Opcode::LLVMAlloca) => true,
        Some(Opcode::LLVMStore) => instruction.operand(1).opcode() == Some(Opcode::LLVMAlloca),
        Some(Opcode::LLVMCall) => {
            instruction.operands().last().is_some_and(|callee| callee.name().starts_with("llvm.dbg."))
        }
        _ => false,
    };
    let mut rest = block.instructions().skip_while(does_nothing);
    let last = rest.next().filter(|last| last.opcode() == Some(Opcode::LLVMRet))?;
    match last.operand_count() {
        0 => Some(None),
        _ => Some(Some(last.operand(0).as_int()?)),
    }
}

/// Calls a function that the code names.
fn call_function<'m>(
    f: &mut FunctionLowering<'_, 'm>,
    function: Value<'m>,
    args: Vec<Arg<'m>>,
    returns: &[Type],
    call: Option<Value<'m>>,
) -> Lower<Vec<Expr>> {
    let name = function.name();
    if has_fixed_meaning(&name) && !f.program.has_own(&name) {
        return call_by_name(f, &name, args, returns);
    }
    let resolved = f.program.resolve(function, f.source);
    let is_model = matches!(&resolved, Resolved::Defined(_, source) if source.model.is_some());
    if is_model && library_function(f, &name, &args)? {
        return Ok(results_of_nothing(f, returns));
    }
    let is_read = is_model && output::read_arguments(f, &name, &args)?;
    match resolved {
        Resolved::Defined(mut definition, mut source) => {
            let suffixes: &[&str] = match (is_read, is_model && returns.is_empty()) {
                (true, true) => &["__read_unused", "__read"],
                (true, false) => &["__read"],
                (false, true) => &["__unused"],
                (false, false) => &[],
            };
            let defined = |suffix: &&str| match f.program.best_model(&format!("{name}{suffix}")) {
                Resolved::Defined(variant, its_source) => Some((variant, its_source)),
                Resolved::Missing => None,
            };
            if let Some(variant) = suffixes.iter().find_map(defined) {
                (definition, source) = variant;
            }
            // A call between models, in programs where it has no effect.
            if f.source.model.is_some() && returns.len() <= 1 {
                match outcome(definition) {
                    Some(None) if returns.is_empty() => return Ok(Vec::new()),
                    Some(Some(value)) => {
                        let result = |ty: &Type| match ty {
                            Type::Int(width) => Some(Expr::int(*width, value)),
                            Type::Ptr => None,
                        };
                        if let Some(results) = returns.iter().map(result).collect() {
                            return Ok(results);
                        }
                    }
                    Some(None) | None => {}
                }
            }
            if let (Some(called), Some(defined)) = (call.and_then(Value::called_type), definition.global_value_type()) {
                if source.model.is_none()
                    && !fit_registers(&called.register_classes(), &defined.register_classes(), returns)
                {
                    return Err(gap("a call of a function by another type than its own"));
                }
            }
            let args = fit_variadic(f, definition, args, call)?;
            call_definition(f, definition, source, args, returns)
        }
        Resolved::Missing => call_by_name(f, &name, args, returns),
    }
}

/// The arguments of a call of a function that may read its variable arguments.
fn fit_variadic<'m>(
    f: &mut FunctionLowering<'_, 'm>,
    function: Value<'m>,
    args: Vec<Arg<'m>>,
    call: Option<Value<'m>>,
) -> Lower<Vec<Arg<'m>>> {
    match function.global_value_type() {
        Some(ty) if varargs::takes_area(function) => with_area(f, args, ty.params().len(), call),
        _ => Ok(args),
    }
}

/// Moves the arguments after the named ones into an area and passes its address instead.
fn with_area<'m>(
    f: &mut FunctionLowering<'_, 'm>,
    mut args: Vec<Arg<'m>>,
    named: usize,
    call: Option<Value<'m>>,
) -> Lower<Vec<Arg<'m>>> {
    let variable = args.split_off(named.min(args.len()));
    let area = varargs::pack(f, call, &variable)?;
    args.push(Arg { exprs: vec![area], value: None });
    Ok(args)
}

/// Calls the function with a name.
pub(crate) fn call_by_name<'m>(
    f: &mut FunctionLowering<'_, 'm>,
    name: &str,
    args: Vec<Arg<'m>>,
    returns: &[Type],
) -> Lower<Vec<Expr>> {
    if let Some(results) = primitives::lower(f, name, &args, returns)? {
        return Ok(results);
    }
    if let Some(results) = verifier_function(f, name, &args, returns)? {
        return Ok(results);
    }
    match f.program.resolve_name(name) {
        Resolved::Defined(definition, source) => call_definition(f, definition, source, args, returns),
        Resolved::Missing => match library_function(f, name, &args)? {
            true => Ok(results_of_nothing(f, returns)),
            // Called by clang in C++ where control flows off the end of a function that has to return a value.
            false if name.starts_with("__ubsan_handle_missing_return") => Err(gap(UNREACHABLE)),
            false => Err(Gap(Unmodelled::Call(name.to_owned()))),
        },
    }
}

/// Calls a definition, of the program or of a model.
pub(crate) fn call_definition<'m>(
    f: &mut FunctionLowering<'_, 'm>,
    definition: Value<'m>,
    source: Source<'m>,
    args: Vec<Arg<'m>>,
    returns: &[Type],
) -> Lower<Vec<Expr>> {
    let ty = definition.global_value_type().ok_or_else(|| gap("a call"))?;
    let mut params = Vec::new();
    for param in ty.params() {
        params.extend(layout::part_types(source.module, param)?);
    }
    if varargs::takes_area(definition) {
        params.push(Type::Ptr);
    }
    let results = match ty.returns() {
        Some(ty) => layout::part_types(source.module, ty)?,
        None => Vec::new(),
    };
    let id = f.program.defined_function(definition, source);
    Ok(call_typed(f, id, args, &params, &results, returns))
}

fn call_typed(
    f: &mut FunctionLowering<'_, '_>,
    id: FunctionId,
    args: Vec<Arg<'_>>,
    params: &[Type],
    results: &[Type],
    wanted: &[Type],
) -> Vec<Expr> {
    let args: Vec<Expr> =
        args.into_iter().flat_map(|arg| arg.exprs).zip(params).map(|(e, to)| coerce(f, e, *to)).collect();
    let dsts: Vec<LocalId> = match wanted.is_empty() {
        true => Vec::new(),
        false => results.iter().map(|ty| f.builder.temporary(*ty)).collect(),
    };
    f.builder.emit(Stmt::Call { dsts: dsts.clone(), callee: Callee::Direct(id), args });
    let mut values = dsts.into_iter();
    wanted
        .iter()
        .map(|ty| match values.next() {
            Some(value) => coerce(f, Expr::Local(value), *ty),
            None => f.arbitrary(*ty, true),
        })
        .collect()
}

fn call_pointer(f: &mut FunctionLowering<'_, '_>, callee: Callee, args: Vec<Arg<'_>>, returns: &[Type]) -> Vec<Expr> {
    let args = args.into_iter().flat_map(|arg| arg.exprs).collect();
    let dsts: Vec<LocalId> = returns.iter().map(|ty| f.builder.temporary(*ty)).collect();
    f.builder.emit(Stmt::Call { dsts: dsts.clone(), callee, args });
    dsts.into_iter().map(Expr::Local).collect()
}

/// Converts a value to another type, as a call with a wrong prototype would pass it.
pub(crate) fn coerce(f: &FunctionLowering<'_, '_>, expr: Expr, to: Type) -> Expr {
    let from = f.type_of(&expr);
    match (from, to) {
        (Type::Ptr, Type::Int(_)) => constants::pointer_to_int(f.program, expr, to),
        (Type::Int(_), Type::Ptr) => constants::int_to_pointer(f.program, from, expr),
        (Type::Int(_), Type::Int(_)) => constants::resize(expr, from, to),
        (Type::Ptr, Type::Ptr) => expr,
    }
}

/// The results of a call that returns nothing, for a caller that expects one.
pub(crate) fn results_of_nothing(f: &mut FunctionLowering<'_, '_>, returns: &[Type]) -> Vec<Expr> {
    returns.iter().map(|ty| f.arbitrary(*ty, true)).collect()
}

/// Whether the whole body of the function with this name is one atomic region.
pub(crate) fn is_atomic_body(name: &str) -> bool {
    name.starts_with("__VERIFIER_atomic_") && !matches!(name, "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end")
}

/// Whether the name has its meaning whatever the program defines.
pub(crate) fn has_fixed_meaning(name: &str) -> bool {
    FIXED_MEANINGS.contains(&name) || input_kind(name).is_some() || primitives::is_primitive(name)
}

/// The names that have their meaning whatever the program defines, inputs and primitives aside.
pub(crate) const FIXED_MEANINGS: &[&str] = &[
    "reach_error",
    "__VERIFIER_error",
    "__VERIFIER_assume",
    "__VERIFIER_atomic_begin",
    "__VERIFIER_atomic_end",
    "__assert_fail",
    "__assert_perror_fail",
    "__assert_rtn",
    "__assert",
];

/// Whether the C library calls a function of this name where an assertion fails.
pub(crate) fn reports_assertion(name: &str) -> bool {
    matches!(name, "__assert_fail" | "__assert_perror_fail" | "__assert_rtn" | "__assert")
}

/// The kind of arbitrary value that a function returns: `int` for `__VERIFIER_nondet_int`. Memory has a model.
fn input_kind(name: &str) -> Option<&str> {
    name.strip_prefix("__VERIFIER_nondet_").filter(|kind| *kind != "memory")
}

/// Whether constant strings among the arguments are messages.
fn takes_literals(name: &str) -> bool {
    reports_assertion(name)
        || matches!(
            name,
            "__heddle_assert"
                | "__heddle_assert_defined"
                | "__heddle_unmodelled"
                | "__heddle_await"
                | "__heddle_await_clear"
        )
}

/// The functions by which programs communicate with verifiers, with the meaning that the software verification
/// competition gives them.
fn verifier_function<'m>(
    f: &mut FunctionLowering<'_, 'm>,
    name: &str,
    args: &[Arg<'m>],
    returns: &[Type],
) -> Lower<Option<Vec<Expr>>> {
    match name {
        "__VERIFIER_atomic_begin" => f.builder.emit(Stmt::AtomicBegin { is_fence: true }),
        "__VERIFIER_atomic_end" => f.builder.emit(Stmt::AtomicEnd { is_fence: true }),
        "__VERIFIER_assume" => {
            let condition = truth(f, args, 0)?;
            f.builder.emit(Stmt::Assume(condition));
        }
        // Claims of witnesses about the program, which heddle inserts into its text.
        "__heddle_invariant" => {
            let (cond, line) = (truth(f, args, 0)?, primitives::constant(args, 1)?);
            let claim = Claim::Invariant(u32::try_from(line).unwrap_or_default());
            f.builder.emit(Stmt::Assert { cond, claim, is_defined: false });
        }
        "__assert_fail" | "__assert" => fail(f, Claim::asserted(text(args, 0))),
        "__assert_rtn" => fail(f, Claim::asserted(text(args, 3))),
        "__assert_perror_fail" => fail(f, Claim::asserted("unexpected error")),
        _ => match ErrorFunction::named(name).filter(|function| *function != ErrorFunction::Abort) {
            Some(function) => fail(f, Claim::Uncalled(function)),
            None => return Ok(input_kind(name).map(|kind| input(f, kind, returns))),
        },
    }
    Ok(Some(results_of_nothing(f, returns)))
}

/// Arbitrary values of the result types.
fn input(f: &mut FunctionLowering<'_, '_>, kind: &str, returns: &[Type]) -> Vec<Expr> {
    let mut results = Vec::new();
    for ty in returns {
        let below = match (kind, ty) {
            ("bool" | "_Bool", Type::Int(width)) if *width > 1 => Some(Expr::int(*width, 2)),
            _ => None,
        };
        let dst = f.builder.temporary(*ty);
        f.builder.emit(Stmt::Havoc { dst, below });
        results.push(Expr::Local(dst));
    }
    results
}

/// The text of an argument, if it is a text.
fn text(args: &[Arg<'_>], index: usize) -> String {
    args.get(index).and_then(literal).unwrap_or_default()
}

/// A failing assertion; where it is not checked the process ends.
pub(crate) fn fail(f: &mut FunctionLowering<'_, '_>, claim: Claim) {
    f.builder.emit(Stmt::Assert { cond: Expr::bool(false), claim, is_defined: false });
    f.builder.emit_leave(Stmt::Exit);
}

/// Whether a call of a function with this name has a meaning although it is not defined.
pub fn has_meaning_by_name(name: &str) -> bool {
    has_fixed_meaning(name) || LIBRARY_FUNCTIONS.contains(&name)
}

/// The names that `library_function` handles.
pub(crate) const LIBRARY_FUNCTIONS: &[&str] = &[
    "abort",
    "_exit",
    "_Exit",
    "quick_exit",
    "__builtin_trap",
    "exit",
    "assume_abort_if_not",
    "__ESBMC_assume",
    "__CPROVER_assume",
    "__VERIFIER_assert",
    "__ESBMC_assert",
    "__CPROVER_assert",
    "__ESBMC_atomic_begin",
    "__CPROVER_atomic_begin",
    "__ESBMC_atomic_end",
    "__CPROVER_atomic_end",
    "__ESBMC_yield",
];

/// Functions that end the process, and names of other verifiers, if the program does not define them.
fn library_function<'m>(f: &mut FunctionLowering<'_, 'm>, name: &str, args: &[Arg<'m>]) -> Lower<bool> {
    match name {
        "abort" if f.program.failure != Failure::Assertions => fail(f, Claim::Uncalled(ErrorFunction::Abort)),
        "abort" | "__builtin_trap" => f.builder.emit_leave(Stmt::Exit),
        "_exit" | "_Exit" | "quick_exit" => {
            check_given_status(f, args)?;
            f.builder.emit_leave(Stmt::Exit);
        }
        "exit" => {
            check_given_status(f, args)?;
            run_exit_handlers(f)?;
            f.builder.emit_leave(Stmt::Exit);
        }
        "assume_abort_if_not" | "__ESBMC_assume" | "__CPROVER_assume" => {
            let condition = truth(f, args, 0)?;
            f.builder.emit(Stmt::Assume(condition));
        }
        "__VERIFIER_assert" | "__ESBMC_assert" | "__CPROVER_assert" => {
            let cond = truth(f, args, 0)?;
            let claim = Claim::Asserted { text: text(args, 1), is_library: false };
            f.builder.emit(Stmt::Assert { cond, claim, is_defined: false });
        }
        "__ESBMC_atomic_begin" | "__CPROVER_atomic_begin" => f.builder.emit(Stmt::AtomicBegin { is_fence: true }),
        "__ESBMC_atomic_end" | "__CPROVER_atomic_end" => f.builder.emit(Stmt::AtomicEnd { is_fence: true }),
        "__ESBMC_yield" => {}
        _ => return Ok(false),
    }
    Ok(true)
}

/// Checks the exit status given to a call, if a status other than 0 is a failure.
fn check_given_status(f: &mut FunctionLowering<'_, '_>, args: &[Arg<'_>]) -> Lower<()> {
    if f.program.failure == Failure::Status {
        let status = scalar(args, 0)?;
        check_status(f, status);
    }
    Ok(())
}

/// A status other than 0 is a failure.
pub(crate) fn check_status(f: &mut FunctionLowering<'_, '_>, status: Expr) {
    let ty = f.type_of(&status);
    let cond = simplify::binary(BinaryOp::Eq, ty, status, simplify::int_of(ty, 0));
    f.builder.emit(Stmt::Assert { cond, claim: Claim::EndsWell, is_defined: false });
}

/// Runs the functions registered by `atexit`, and destructors, if the program has any.
pub(crate) fn run_exit_handlers(f: &mut FunctionLowering<'_, '_>) -> Lower<()> {
    if !f.program.uses_exit_handlers {
        return Ok(());
    }
    if let Resolved::Defined(definition, source) = f.program.resolve_name("__heddle_at_exit") {
        call_definition(f, definition, source, Vec::new(), &[])?;
    }
    let user = f.program.user;
    for destructor in start::listed_functions(user.module.global("llvm.global_dtors")).into_iter().rev() {
        call_definition(f, destructor, user, Vec::new(), &[])?;
    }
    Ok(())
}

/// Whether an argument is not zero.
pub(crate) fn truth(f: &mut FunctionLowering<'_, '_>, args: &[Arg<'_>], index: usize) -> Lower<Expr> {
    let expr = scalar(args, index)?;
    Ok(match f.type_of(&expr) {
        Type::BOOL => expr,
        ty => simplify::binary(BinaryOp::Ne, ty, expr, simplify::int_of(ty, 0)),
    })
}

/// An argument that is one scalar.
pub(crate) fn scalar(args: &[Arg<'_>], index: usize) -> Lower<Expr> {
    match args.get(index).map(|arg| arg.exprs.as_slice()) {
        Some([expr]) => Ok(expr.clone()),
        _ => Err(gap("a call with an unusual argument")),
    }
}

/// The text of an argument that is a string literal.
pub(crate) fn literal(arg: &Arg<'_>) -> Option<String> {
    let initializer = arg.value?.initializer()?;
    if initializer.is_null() {
        return Some(String::new());
    }
    let bytes = initializer.as_bytes()?;
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
}
