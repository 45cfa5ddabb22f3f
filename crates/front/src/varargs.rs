//! Functions with a variable number of arguments that the program defines itself.
//!
//! The caller puts the arguments after the named ones into an area on its stack, as the calling convention of x86 lays
//! them out in memory, and passes its address as one more argument. `va_start` makes a `va_list` that says that no
//! registers are left, so that clang's code for `va_arg` takes everything from that area. A call site has one area, made
//! when its function starts, since no `va_list` outlives the call.
//!
//! Unsupported: machines other than x86, and calls through a pointer of a type without `...`.

use crate::calls::Arg;
use crate::function::FunctionLowering;
use crate::layout::{self, gap, Lower};
use crate::llvm::{Opcode, Ty, Value};
use crate::simplify;
use ir::{Access, AllocKind, CastOp, DataModel, Expr, Premise, Stmt, Type};

/// Whether a function reads its variable arguments and so has a parameter for their area.
pub(crate) fn takes_area(function: Value<'_>) -> bool {
    let is_variadic = function.global_value_type().is_some_and(|ty| ty.is_variadic());
    is_variadic
        && function.blocks().into_iter().flat_map(|block| block.instructions()).any(|instruction| {
            instruction.opcode() == Some(Opcode::LLVMCall)
                && instruction.called().is_some_and(|called| called.name().starts_with("llvm.va_start"))
        })
}

/// Puts arguments into a new area and returns its address.
pub(crate) fn pack<'m>(f: &mut FunctionLowering<'_, 'm>, call: Option<Value<'m>>, args: &[Arg<'m>]) -> Lower<Expr> {
    if args.is_empty() {
        return Ok(Expr::Null);
    }
    let slot = f.program.data_model.pointer_bytes();
    let area = f.builder.local("varargs", Type::Ptr);
    let mut end = 0u64;
    for arg in args {
        note_class(f, arg.value.map(Value::ty));
        let value = arg.value.ok_or_else(|| gap("variable arguments"))?;
        let copied = call.and_then(|call| f.source.module.byval_argument(call, value));
        let ty = copied.unwrap_or(value.ty());
        let size = f.source.module.size_of(ty).ok_or_else(|| gap("variable arguments"))?;
        let is_wide = slot == 8 && f.source.module.align_of(ty) >= 16;
        let start = end.next_multiple_of(if is_wide { 16 } else { slot });
        end = start + size.next_multiple_of(slot);
        if copied.is_some() {
            let dst = at(f, &Expr::Local(area), start);
            let len = Expr::int(f.program.data_model.pointer_width(), u128::from(size));
            f.builder.emit(Stmt::Copy { dst, src: arg.exprs[0].clone(), len, disjoint: false });
            continue;
        }
        for (part, value) in layout::parts(f.source.module, ty)?.into_iter().zip(&arg.exprs) {
            let memory = layout::memory_type(part.ty);
            let value = simplify::cast(CastOp::Zext, part.ty, memory, value.clone());
            let ptr = at(f, &Expr::Local(area), start + part.offset);
            f.builder.emit(Stmt::Store { ty: memory, ptr, value, access: Access::PLAIN });
        }
    }
    let size = Expr::int(f.program.data_model.pointer_width(), u128::from(end));
    let (kind, name) = (AllocKind::Stack, "variable arguments".to_owned());
    f.emit_at_start(Stmt::Alloc { dst: area, size, align: 16, kind, zeroed: false, name });
    Ok(Expr::Local(area))
}

/// The area does not record the class of an argument, and x86-64 passes floating-point numbers separately.
fn note_class<'m>(f: &mut FunctionLowering<'_, 'm>, ty: Option<Ty<'m>>) {
    let is_passed_apart = ty.is_some_and(Ty::is_float) && f.program.data_model == DataModel::Lp64;
    if is_passed_apart && f.source.model.is_none() {
        f.program.premises.insert(Premise::VariableArguments);
    }
}

/// Whether a function takes a floating-point number from its arguments: it checks where the next one would be in a
/// register.
fn takes_float(function: Value<'_>) -> bool {
    let mut instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
    instructions.any(|i| {
        i.gep_source_type().and_then(|ty| ty.struct_name()).is_some_and(|name| name == "struct.__va_list_tag")
            && i.operand_count() == 3
            && i.operand(2).as_int() == Some(1)
    })
}

fn at(f: &FunctionLowering<'_, '_>, area: &Expr, offset: u64) -> Expr {
    simplify::offset(area.clone(), Expr::int(f.program.data_model.pointer_width(), u128::from(offset)))
}

/// `va_start`: makes the list.
pub(crate) fn start<'m>(f: &mut FunctionLowering<'_, 'm>, call: Value<'m>) -> Lower<()> {
    let gap = || gap("a variable argument list");
    if !f.source.module.is_for_x86() {
        return Err(gap());
    }
    let area = Expr::Local(f.varargs.ok_or_else(gap)?);
    if f.source.model.is_none() && f.function.is_some_and(takes_float) {
        f.program.premises.insert(Premise::VariableArguments);
    }
    let list = f.scalar(call.operand(0))?;
    let list = f.shared(list);
    // On x86-64: offsets of the next integer and vector register (none is left), the area, the saved registers.
    let fields = match f.program.data_model {
        DataModel::Ilp32 => vec![(0, Type::Ptr, area)],
        DataModel::Lp64 => vec![
            (0, Type::Int(32), Expr::int(32, 48)),
            (4, Type::Int(32), Expr::int(32, 176)),
            (8, Type::Ptr, area),
            (16, Type::Ptr, Expr::Null),
        ],
    };
    for (offset, ty, value) in fields {
        let ptr = at(f, &list, offset);
        f.builder.emit(Stmt::Store { ty, ptr, value, access: Access::PLAIN });
    }
    Ok(())
}

/// `va_copy`: copies the list.
pub(crate) fn copy<'m>(f: &mut FunctionLowering<'_, 'm>, call: Value<'m>) -> Lower<()> {
    if !f.source.module.is_for_x86() {
        return Err(gap("a variable argument list"));
    }
    let (dst, src) = (f.scalar(call.operand(0))?, f.scalar(call.operand(1))?);
    let bytes = match f.program.data_model {
        DataModel::Ilp32 => 4,
        DataModel::Lp64 => 24,
    };
    let len = Expr::int(f.program.data_model.pointer_width(), bytes);
    f.builder.emit(Stmt::Copy { dst, src, len, disjoint: false });
    Ok(())
}
