//! Memory instructions: allocations, loads, stores, atomic operations and fences.

use crate::bitfields;
use crate::function::FunctionLowering;
use crate::layout::{self, gap, Lower, Part};
use crate::llvm::{AtomicOrdering, Opcode, RmwBinOp, Ty, TypeKind, Value};
use crate::{constants, simplify};
use ir::{Access, AllocKind, BinaryOp, CastOp, Expr, LocalId, Order, RmwOp, Stmt, Type};
use passes::const_variables;
use passes::notes::ConstKind;

/// The memory order of an LLVM ordering. `unordered` is a little weaker than relaxed, but no model distinguishes them.
pub(crate) fn order(ordering: AtomicOrdering) -> Order {
    match ordering {
        AtomicOrdering::LLVMAtomicOrderingNotAtomic => Order::Plain,
        AtomicOrdering::LLVMAtomicOrderingUnordered | AtomicOrdering::LLVMAtomicOrderingMonotonic => Order::Relaxed,
        AtomicOrdering::LLVMAtomicOrderingAcquire => Order::Acquire,
        AtomicOrdering::LLVMAtomicOrderingRelease => Order::Release,
        AtomicOrdering::LLVMAtomicOrderingAcquireRelease => Order::AcqRel,
        AtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent => Order::SeqCst,
    }
}

/// An `alloca` that is not a local.
pub(crate) fn alloca<'m>(f: &mut FunctionLowering<'_, 'm>, instruction: Value<'m>) -> Lower<()> {
    if f.promoted(instruction).is_some() || f.alias(instruction).is_some() {
        return Ok(());
    }
    let is_fixed = instruction.operand(0).as_int().is_some();
    match f.address_of(instruction) {
        Some(dst) if f.lives_at_start(instruction) => allocate(f, instruction, dst),
        // Its lifetime begins later.
        Some(_) if is_fixed => Ok(()),
        Some(dst) => allocate(f, instruction, dst),
        None => {
            let name = f.source_name(instruction);
            let dst = f.builder.local(&name, Type::Ptr);
            if f.is_unended(instruction) {
                f.builder.variables.unended.push(dst);
            }
            allocate(f, instruction, dst)?;
            f.define_fresh(instruction, vec![dst]);
            Ok(())
        }
    }
}

/// The lifetime of a block-scope variable begins.
pub(crate) fn begin<'m>(f: &mut FunctionLowering<'_, 'm>, variable: Value<'m>) -> Lower<()> {
    match f.address_of(variable) {
        Some(dst) => allocate(f, variable, dst),
        None => Ok(()),
    }
}

/// The contents of a variable become indeterminate: those of a new object are copied into it.
pub(crate) fn forget<'m>(f: &mut FunctionLowering<'_, 'm>, variable: Value<'m>) -> Lower<()> {
    let address = f.scalar(variable)?;
    let fresh = f.builder.temporary(Type::Ptr);
    let len = allocate(f, variable, fresh).and_then(|()| size_of(f, variable))?;
    f.builder.emit(Stmt::Copy { dst: address, src: Expr::Local(fresh), len, disjoint: false });
    f.builder.emit(Stmt::Expire { ptr: Expr::Local(fresh) });
    Ok(())
}

/// The number of bytes that an `alloca` allocates.
fn size_of<'m>(f: &mut FunctionLowering<'_, 'm>, instruction: Value<'m>) -> Lower<Expr> {
    let gap = || gap("an allocation of unknown size");
    let ty = instruction.allocated_type().ok_or_else(gap)?;
    let element = f.source.module.size_of(ty).ok_or_else(gap)?;
    let size_type = f.program.data_model.size_type();
    let count_value = instruction.operand(0);
    let count = f.scalar(count_value)?;
    let count_type = f.type_of(&count);
    let count = constants::resize(count, count_type, size_type);
    Ok(simplify::binary(BinaryOp::Mul, size_type, count, simplify::int_of(size_type, u128::from(element))))
}

/// Performs the allocation of an `alloca`.
fn allocate<'m>(f: &mut FunctionLowering<'_, 'm>, instruction: Value<'m>, dst: LocalId) -> Lower<()> {
    let size = size_of(f, instruction)?;
    let name = f.source_name(instruction);
    let align = instruction.alignment().max(1);
    if let Some(&variable) = f.constants.get(&instruction) {
        f.builder.variables.constants.push((dst, variable));
    }
    f.builder.emit(Stmt::Alloc { dst, size, align, kind: AllocKind::Stack, zeroed: false, name });
    Ok(())
}

/// A load.
pub(crate) fn load<'m>(f: &mut FunctionLowering<'_, 'm>, instruction: Value<'m>) -> Lower<()> {
    if let Some(local) = f.promoted(instruction.operand(0)) {
        f.define(instruction, vec![Expr::Local(local)]);
        return Ok(());
    }
    if let Some(value) = f.alias(instruction.operand(0)) {
        f.define(instruction, vec![value?]);
        return Ok(());
    }
    let parts = memory_parts(f, instruction.ty(), instruction)?;
    if is_unevaluated(instruction) {
        let values = parts.iter().map(|part| simplify::int_of(part.ty, 0)).collect();
        f.define(instruction, values);
        return Ok(());
    }
    let pointer = f.scalar(instruction.operand(0))?;
    let pointer = if parts.len() > 1 { f.shared(pointer) } else { pointer };
    bitfields::access(f, instruction, (instruction.operand(0), &pointer))?;
    let access = Access { order: order(instruction.ordering()), volatile: instruction.is_volatile() };
    let words = words(f, instruction.ty(), &parts, access);
    if let Some(words) = words {
        let pointer = f.shared(pointer);
        let loaded: Vec<Expr> = words.iter().map(|word| load_part(f, *word, &pointer, access)).collect();
        let whole = joined(f, &parts[0], &words, loaded);
        f.define(instruction, vec![whole]);
        return Ok(());
    }
    if let [Part { ty, .. }] = parts[..] {
        if layout::memory_type(ty) == ty {
            let dst = f.builder.temporary(ty);
            f.builder.emit(Stmt::Load { dst, ty, ptr: pointer, access });
            f.define_fresh(instruction, vec![dst]);
            return Ok(());
        }
    }
    let exprs = parts.into_iter().map(|part| load_part(f, part, &pointer, access)).collect();
    f.define(instruction, exprs);
    Ok(())
}

/// Whether a value is only used by operands of `__builtin_constant_p` or `__builtin_object_size`, which C does not
/// evaluate.
fn is_unevaluated(value: Value<'_>) -> bool {
    let mut users = value.users().peekable();
    users.peek().is_some()
        && users.all(|user| match user.opcode() {
            Some(Opcode::LLVMCall) => user.called().is_some_and(|called| {
                ["llvm.is.constant", "llvm.objectsize"].iter().any(|prefix| called.name().starts_with(prefix))
            }),
            Some(
                Opcode::LLVMLoad | Opcode::LLVMGetElementPtr | Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMTrunc,
            ) => is_unevaluated(user),
            _ => false,
        })
}

fn load_part(f: &mut FunctionLowering<'_, '_>, part: Part, pointer: &Expr, access: Access) -> Expr {
    let ty = layout::memory_type(part.ty);
    let dst = f.builder.temporary(ty);
    let ptr = part_pointer(f, part, pointer);
    f.builder.emit(Stmt::Load { dst, ty, ptr, access });
    simplify::cast(CastOp::Trunc, ty, part.ty, Expr::Local(dst))
}

fn part_pointer(f: &FunctionLowering<'_, '_>, part: Part, pointer: &Expr) -> Expr {
    let width = f.program.data_model.pointer_width();
    simplify::offset(pointer.clone(), Expr::int(width, u128::from(part.offset)))
}

/// The parts of an accessed type. An atomic access has to be one access.
fn memory_parts<'m>(f: &FunctionLowering<'_, 'm>, ty: Ty<'m>, access: Value<'m>) -> Lower<Vec<Part>> {
    let gap = || gap(format!("an access of type {}", ty.text()));
    let parts = layout::parts(f.source.module, ty)?;
    let is_atomic = order(access.ordering()).is_atomic();
    if parts.is_empty() || (is_atomic && parts.len() > 1) {
        return Err(gap());
    }
    // Vectors of elements smaller than a byte are packed.
    let packs = |ty: Ty<'m>| ty.elements().is_some_and(|(element, _)| !element.int_width().is_multiple_of(8));
    if ty.kind() == TypeKind::LLVMVectorTypeKind && packs(ty) {
        return Err(gap());
    }
    Ok(parts)
}

/// The words of an integer that is too wide for one access: compilers move them one by one, unless it is atomic.
fn words(f: &FunctionLowering<'_, '_>, ty: Ty<'_>, parts: &[Part], access: Access) -> Option<Vec<Part>> {
    let word = f.program.data_model.pointer_width();
    let [Part { ty: Type::Int(width), offset }] = *parts else { return None };
    let is_wide = ty.int_width() == u32::from(width) && width > word && width.is_multiple_of(word);
    (is_wide && !access.order.is_atomic()).then(|| {
        let bytes = u64::from(word / 8);
        (0..u64::from(width / word)).map(|n| Part { ty: Type::Int(word), offset: offset + n * bytes }).collect()
    })
}

/// The integer that consists of these words.
fn joined(f: &mut FunctionLowering<'_, '_>, whole: &Part, words: &[Part], loaded: Vec<Expr>) -> Expr {
    let ty = whole.ty;
    let moved = words.iter().zip(loaded).map(|(word, value)| {
        let by = simplify::int_of(ty, 8 * u128::from(word.offset - whole.offset));
        simplify::binary(BinaryOp::Shl, ty, simplify::cast(CastOp::Zext, word.ty, ty, value), by)
    });
    let parts: Vec<Expr> = moved.collect();
    let whole = parts.into_iter().reduce(|all, part| simplify::binary(BinaryOp::Or, ty, all, part));
    f.shared(whole.expect("an integer should have words"))
}

/// A store.
pub(crate) fn store<'m>(f: &mut FunctionLowering<'_, 'm>, instruction: Value<'m>) -> Lower<()> {
    let (value, address) = (instruction.operand(0), instruction.operand(1));
    if f.constants
        .get(&address)
        .is_some_and(|variable| variable.kind == ConstKind::Scalar && variable.is_before(f.builder.span))
    {
        f.builder.emit(const_variables::violation());
    }
    if let Some(local) = f.promoted(address) {
        let stored = f.scalar(value)?;
        if f.is_never_read(address) {
            return Ok(());
        }
        f.assign(local, stored, value);
        return Ok(());
    }
    if f.alias(address).is_some() {
        let stored = f.scalar(value)?;
        f.set_alias(address, stored);
        return Ok(());
    }
    let parts = memory_parts(f, value.ty(), instruction)?;
    let exprs = f.operand(value)?;
    let pointer = f.scalar(address)?;
    let pointer = if parts.len() > 1 { f.shared(pointer) } else { pointer };
    bitfields::access(f, instruction, (address, &pointer))?;
    let access = Access { order: order(instruction.ordering()), volatile: instruction.is_volatile() };
    if let Some(words) = words(f, value.ty(), &parts, access) {
        let (pointer, value) = (f.shared(pointer), f.shared(exprs[0].clone()));
        for word in words {
            let ptr = part_pointer(f, word, &pointer);
            let by = simplify::int_of(parts[0].ty, 8 * u128::from(word.offset));
            let moved = simplify::binary(BinaryOp::Lshr, parts[0].ty, value.clone(), by);
            let value = simplify::cast(CastOp::Trunc, parts[0].ty, word.ty, moved);
            f.builder.emit(Stmt::Store { ty: word.ty, ptr, value, access });
        }
        return Ok(());
    }
    for (part, value) in parts.into_iter().zip(exprs) {
        let ty = layout::memory_type(part.ty);
        let ptr = part_pointer(f, part, &pointer);
        let value = simplify::cast(CastOp::Zext, part.ty, ty, value);
        f.builder.emit(Stmt::Store { ty, ptr, value, access });
    }
    Ok(())
}

/// The type of the single cell that an atomic operation works on.
fn cell_type(value: Value<'_>) -> Lower<Type> {
    let ty = layout::scalar(value.ty()).filter(|ty| layout::memory_type(*ty) == *ty);
    ty.ok_or_else(|| gap(format!("an atomic operation on {}", value.ty().text())))
}

/// An `atomicrmw`.
pub(crate) fn read_modify_write<'m>(f: &mut FunctionLowering<'_, 'm>, instruction: Value<'m>) -> Lower<()> {
    use RmwBinOp::*;
    let refused = || gap("an atomic operation on floating-point numbers");
    let op = match instruction.rmw_op().ok_or_else(refused)? {
        LLVMAtomicRMWBinOpXchg => RmwOp::Exchange,
        LLVMAtomicRMWBinOpAdd => RmwOp::Add,
        LLVMAtomicRMWBinOpSub => RmwOp::Sub,
        LLVMAtomicRMWBinOpAnd => RmwOp::And,
        LLVMAtomicRMWBinOpNand => RmwOp::Nand,
        LLVMAtomicRMWBinOpOr => RmwOp::Or,
        LLVMAtomicRMWBinOpXor => RmwOp::Xor,
        LLVMAtomicRMWBinOpMax => RmwOp::Max,
        LLVMAtomicRMWBinOpMin => RmwOp::Min,
        LLVMAtomicRMWBinOpUMax => RmwOp::UnsignedMax,
        LLVMAtomicRMWBinOpUMin => RmwOp::UnsignedMin,
        LLVMAtomicRMWBinOpFAdd | LLVMAtomicRMWBinOpFSub | LLVMAtomicRMWBinOpFMax | LLVMAtomicRMWBinOpFMin => {
            return Err(refused());
        }
        LLVMAtomicRMWBinOpUIncWrap | LLVMAtomicRMWBinOpUDecWrap => {
            return Err(gap("an atomic operation that wraps round"));
        }
    };
    let ty = cell_type(instruction.operand(1))?;
    let value = f.scalar(instruction.operand(1))?;
    let ptr = f.scalar(instruction.operand(0))?;
    let dst = f.builder.temporary(ty);
    f.builder.emit(Stmt::Rmw { dst, op, ty, ptr, value, order: order(instruction.ordering()) });
    f.define_fresh(instruction, vec![dst]);
    Ok(())
}

/// A `cmpxchg`.
pub(crate) fn compare_exchange<'m>(f: &mut FunctionLowering<'_, 'm>, instruction: Value<'m>) -> Lower<()> {
    let refused = || gap("a compare-exchange");
    let (success_order, failure_order, weak) = instruction.compare_exchange().ok_or_else(refused)?;
    let ty = cell_type(instruction.operand(1))?;
    let ptr = f.scalar(instruction.operand(0))?;
    let expected = f.scalar(instruction.operand(1))?;
    let desired = f.scalar(instruction.operand(2))?;
    let (old, success) = (f.builder.temporary(ty), f.builder.temporary(Type::BOOL));
    let (order, failure) = (order(success_order), order(failure_order));
    f.builder.emit(Stmt::CompareExchange { old, success, ty, ptr, expected, desired, order, failure, weak });
    f.define_fresh(instruction, vec![old, success]);
    Ok(())
}

/// A fence. Compiler barriers, and fences that order nothing, are dropped.
pub(crate) fn fence<'m>(f: &mut FunctionLowering<'_, 'm>, instruction: Value<'m>) -> Lower<()> {
    debug_assert!(instruction.opcode() == Some(Opcode::LLVMFence), "should be a fence");
    let order = order(instruction.ordering());
    if !instruction.is_single_thread() && (order.acquires() || order.releases()) {
        f.builder.emit(Stmt::Fence(order));
    }
    Ok(())
}
