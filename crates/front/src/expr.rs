//! Instructions without effects, as expressions. Vectors and aggregates are lists of scalars, and operations on vectors
//! are operations on each of them.

use crate::constants;
use crate::function::FunctionLowering;
use crate::layout::{self, gap, Lower};
use crate::llvm::{IntPredicate, Opcode, RealPredicate, Ty, TypeKind, Value};
use crate::simplify;
use ir::{BinaryOp, CastOp, Expr, FloatCompare, Premise, Type, UnaryOp};

/// The scalar parts of the value of an instruction.
pub(crate) fn pure<'m>(f: &mut FunctionLowering<'_, 'm>, opcode: Opcode, instruction: Value<'m>) -> Lower<Vec<Expr>> {
    match opcode {
        Opcode::LLVMICmp => int_compare(f, instruction),
        Opcode::LLVMFCmp => float_compare(f, instruction),
        Opcode::LLVMGetElementPtr => Ok(vec![address(f, instruction)?]),
        Opcode::LLVMSelect => select(f, instruction),
        Opcode::LLVMFreeze => f.operand(instruction.operand(0)),
        Opcode::LLVMExtractValue => {
            let aggregate = instruction.operand(0);
            let range = layout::part_range(f.source.module, aggregate.ty(), &instruction.indices())?;
            Ok(f.operand(aggregate)?[range].to_vec())
        }
        Opcode::LLVMInsertValue => {
            let aggregate = instruction.operand(0);
            let range = layout::part_range(f.source.module, aggregate.ty(), &instruction.indices())?;
            let mut parts = f.operand(aggregate)?;
            let inserted = f.operand(instruction.operand(1))?;
            parts.splice(range, inserted);
            Ok(parts)
        }
        Opcode::LLVMExtractElement => extract_element(f, instruction),
        Opcode::LLVMInsertElement => insert_element(f, instruction),
        Opcode::LLVMShuffleVector => shuffle(f, instruction),
        Opcode::LLVMFNeg => {
            plain_float(instruction.ty())?;
            let parts = f.operand(instruction.operand(0))?;
            let types: Vec<Type> = parts.iter().map(|part| f.type_of(part)).collect();
            Ok(parts.into_iter().zip(types).map(|(part, ty)| simplify::unary(UnaryOp::FloatNeg, ty, part)).collect())
        }
        opcode => match (binary_op(opcode), cast_op(opcode)) {
            (Some(op), _) => binary(f, op, instruction),
            (_, true) => cast(f, opcode, instruction),
            _ => Err(gap(format!("instruction {}", instruction.text().trim()))),
        },
    }
}

fn element_type(ty: Ty<'_>) -> Ty<'_> {
    match ty.elements() {
        Some((element, _)) if ty.kind() == TypeKind::LLVMVectorTypeKind => element,
        _ => ty,
    }
}

/// Rejects arithmetic on floating-point formats other than single and double precision.
fn plain_float(ty: Ty<'_>) -> Lower<()> {
    let element = element_type(ty);
    if layout::is_float(element) && !layout::is_plain_float(element) {
        return Err(gap(format!("arithmetic on {}", element.text())));
    }
    Ok(())
}

fn binary_op(opcode: Opcode) -> Option<BinaryOp> {
    Some(match opcode {
        Opcode::LLVMAdd => BinaryOp::Add,
        Opcode::LLVMSub => BinaryOp::Sub,
        Opcode::LLVMMul => BinaryOp::Mul,
        Opcode::LLVMUDiv => BinaryOp::Udiv,
        Opcode::LLVMSDiv => BinaryOp::Sdiv,
        Opcode::LLVMURem => BinaryOp::Urem,
        Opcode::LLVMSRem => BinaryOp::Srem,
        Opcode::LLVMShl => BinaryOp::Shl,
        Opcode::LLVMLShr => BinaryOp::Lshr,
        Opcode::LLVMAShr => BinaryOp::Ashr,
        Opcode::LLVMAnd => BinaryOp::And,
        Opcode::LLVMOr => BinaryOp::Or,
        Opcode::LLVMXor => BinaryOp::Xor,
        Opcode::LLVMFAdd => BinaryOp::FloatAdd,
        Opcode::LLVMFSub => BinaryOp::FloatSub,
        Opcode::LLVMFMul => BinaryOp::FloatMul,
        Opcode::LLVMFDiv => BinaryOp::FloatDiv,
        Opcode::LLVMFRem => BinaryOp::FloatRem,
        _ => return None,
    })
}

/// Values that depend on thread numbers are not modelled.
fn refuse_thread_numbers<'m>(f: &mut FunctionLowering<'_, 'm>, instruction: Value<'m>) -> Lower<()> {
    if f.source.model.is_none() && f.program.thread_numbers.is_computed_with(instruction) {
        return Err(gap("computing with the number of a thread, which only the system knows,"));
    }
    Ok(())
}

fn binary<'m>(f: &mut FunctionLowering<'_, 'm>, op: BinaryOp, instruction: Value<'m>) -> Lower<Vec<Expr>> {
    plain_float(instruction.ty())?;
    refuse_thread_numbers(f, instruction)?;
    let lhs = f.operand(instruction.operand(0))?;
    let rhs = f.operand(instruction.operand(1))?;
    let mut results = Vec::with_capacity(lhs.len());
    for (lhs, rhs) in lhs.into_iter().zip(rhs) {
        let ty = f.type_of(&lhs);
        let is_division = matches!(op, BinaryOp::Udiv | BinaryOp::Sdiv | BinaryOp::Urem | BinaryOp::Srem);
        let (lhs, rhs) = if is_division { checked_division(f, op, ty, lhs, rhs) } else { (lhs, rhs) };
        results.push(simplify::binary(op, ty, lhs, rhs));
    }
    Ok(results)
}

/// Checks a division: by zero, or of the smallest number by -1, it is undefined; some machines end the process, others
/// go on. Returns the operands, fit for repeated use.
fn checked_division(f: &mut FunctionLowering<'_, '_>, op: BinaryOp, ty: Type, lhs: Expr, rhs: Expr) -> (Expr, Expr) {
    let Type::Int(width) = ty else { return (lhs, rhs) };
    let is_signed = matches!(op, BinaryOp::Sdiv | BinaryOp::Srem);
    let minus_one = ir::arith::mask(width);
    if let Expr::Int { value, .. } = rhs {
        if value != 0 && !(is_signed && value == minus_one) {
            return (lhs, rhs);
        }
    }
    let (lhs, rhs) = (f.shared(lhs), f.shared(rhs));
    let mut fails = simplify::binary(BinaryOp::Eq, ty, rhs.clone(), Expr::int(width, 0));
    if is_signed {
        let smallest = simplify::binary(BinaryOp::Eq, ty, lhs.clone(), Expr::int(width, 1 << (width - 1)));
        let negated = simplify::binary(BinaryOp::Eq, ty, rhs.clone(), Expr::int(width, minus_one));
        let overflows = simplify::binary(BinaryOp::And, Type::BOOL, smallest, negated);
        fails = simplify::binary(BinaryOp::Or, Type::BOOL, fails, overflows);
    }
    undefined_if(f, fails, "a division that is undefined (by zero, or with too large a result)");
    (lhs, rhs)
}

fn int_compare<'m>(f: &mut FunctionLowering<'_, 'm>, instruction: Value<'m>) -> Lower<Vec<Expr>> {
    let predicate = instruction.int_predicate().ok_or_else(|| gap("a comparison"))?;
    refuse_thread_numbers(f, instruction)?;
    let lhs = f.operand(instruction.operand(0))?;
    let rhs = f.operand(instruction.operand(1))?;
    let mut results = Vec::with_capacity(lhs.len());
    for (lhs, rhs) in lhs.into_iter().zip(rhs) {
        let ty = f.type_of(&lhs);
        results.push(compare(f, predicate, ty, lhs, rhs));
    }
    Ok(results)
}

fn compare(f: &FunctionLowering<'_, '_>, predicate: IntPredicate, ty: Type, lhs: Expr, rhs: Expr) -> Expr {
    use IntPredicate::*;
    let (op, swapped) = match predicate {
        LLVMIntEQ => (BinaryOp::Eq, false),
        LLVMIntNE => (BinaryOp::Ne, false),
        LLVMIntUGT => (BinaryOp::Ult, true),
        LLVMIntUGE => (BinaryOp::Ule, true),
        LLVMIntULT => (BinaryOp::Ult, false),
        LLVMIntULE => (BinaryOp::Ule, false),
        LLVMIntSGT => (BinaryOp::Slt, true),
        LLVMIntSGE => (BinaryOp::Sle, true),
        LLVMIntSLT => (BinaryOp::Slt, false),
        LLVMIntSLE => (BinaryOp::Sle, false),
    };
    let (lhs, rhs) = if swapped { (rhs, lhs) } else { (lhs, rhs) };
    if ty == Type::Ptr && matches!(op, BinaryOp::Slt | BinaryOp::Sle) {
        let size = f.program.data_model.size_type();
        let int = |pointer| constants::pointer_to_int(f.program, pointer, size);
        return simplify::binary(op, size, int(lhs), int(rhs));
    }
    simplify::binary(op, ty, lhs, rhs)
}

fn float_compare<'m>(f: &mut FunctionLowering<'_, 'm>, instruction: Value<'m>) -> Lower<Vec<Expr>> {
    use RealPredicate::*;
    plain_float(instruction.operand(0).ty())?;
    let lhs = f.operand(instruction.operand(0))?;
    let rhs = f.operand(instruction.operand(1))?;
    let how = match instruction.real_predicate().ok_or_else(|| gap("a comparison"))? {
        LLVMRealPredicateFalse => return Ok(vec![Expr::bool(false); lhs.len()]),
        LLVMRealPredicateTrue => return Ok(vec![Expr::bool(true); lhs.len()]),
        LLVMRealOEQ => FloatCompare::Oeq,
        LLVMRealOGT => FloatCompare::Ogt,
        LLVMRealOGE => FloatCompare::Oge,
        LLVMRealOLT => FloatCompare::Olt,
        LLVMRealOLE => FloatCompare::Ole,
        LLVMRealONE => FloatCompare::One,
        LLVMRealORD => FloatCompare::Ord,
        LLVMRealUNO => FloatCompare::Uno,
        LLVMRealUEQ => FloatCompare::Ueq,
        LLVMRealUGT => FloatCompare::Ugt,
        LLVMRealUGE => FloatCompare::Uge,
        LLVMRealULT => FloatCompare::Ult,
        LLVMRealULE => FloatCompare::Ule,
        LLVMRealUNE => FloatCompare::Une,
    };
    let pairs = lhs.into_iter().zip(rhs);
    Ok(pairs.map(|(lhs, rhs)| simplify::binary(BinaryOp::Float(how), f.type_of(&lhs), lhs, rhs)).collect())
}

/// A `getelementptr`: exact byte arithmetic from the data layout.
fn address<'m>(f: &mut FunctionLowering<'_, 'm>, gep: Value<'m>) -> Lower<Expr> {
    let gap = || gap("an address computation on an unusual type");
    let size_type = f.program.data_model.size_type();
    let base = f.scalar(gep.operand(0))?;
    let mut ty = gep.gep_source_type().ok_or_else(gap)?;
    let mut constant: u64 = 0;
    let mut moved: Option<Expr> = None;
    for i in 1..gep.operand_count() {
        let operand = gep.operand(i);
        if i > 1 && ty.elements().is_none() {
            let field = operand.as_int().or(operand.is_null().then_some(0)).ok_or_else(gap)? as u32;
            constant = constant.wrapping_add(f.source.module.field_offset(ty, field).ok_or_else(gap)?);
            ty = *ty.fields().get(field as usize).ok_or_else(gap)?;
            continue;
        }
        let size = match i {
            1 => f.source.module.size_of(ty).ok_or_else(gap)?,
            _ => {
                let stride = layout::packed_stride(f.source.module, ty).ok_or_else(gap)?;
                let (element, count) = ty.elements().ok_or_else(gap)?;
                if f.source.model.is_none() && may_leave(gep, i, (ty, count)) {
                    f.program.premises.insert(Premise::Members);
                }
                ty = element;
                stride
            }
        };
        let index = f.scalar(operand)?;
        let from = f.type_of(&index);
        match sign_resize(index, from, size_type) {
            Expr::Int { value, .. } => constant = constant.wrapping_add((value as u64).wrapping_mul(size)),
            index => {
                let size = simplify::int_of(size_type, u128::from(size));
                let bytes = simplify::binary(BinaryOp::Mul, size_type, index, size);
                moved = Some(match moved {
                    Some(moved) => simplify::binary(BinaryOp::Add, size_type, moved, bytes),
                    None => bytes,
                });
            }
        }
    }
    let constant = simplify::int_of(size_type, u128::from(constant));
    let bytes = match moved {
        Some(moved) => simplify::binary(BinaryOp::Add, size_type, moved, constant),
        None => constant,
    };
    Ok(simplify::offset(base, bytes))
}

/// Whether the address of an array element, computed by the operand `index`, may be used to reach memory beside the array
/// in a larger object. Constant places inside the array that are only read and written may not.
fn may_leave<'m>(gep: Value<'m>, index: u32, (array, count): (Ty<'m>, u64)) -> bool {
    let base = gep.operand(0);
    let whole = match base.opcode() {
        Some(Opcode::LLVMAlloca) => base.allocated_type(),
        _ if base.is_global_variable() => base.global_value_type(),
        _ => None,
    };
    let is_whole = index == 2 && whole == Some(array);
    let element = gep.operand(index);
    let is_inside =
        element.as_int().or(element.is_null().then_some(0)).is_some_and(|element| element < u128::from(count));
    let is_access = |user: Value<'m>| {
        matches!(user.opcode(), Some(Opcode::LLVMLoad | Opcode::LLVMStore | Opcode::LLVMGetElementPtr))
    };
    !(is_whole || is_inside && gep.users().all(is_access))
}

/// Truncates or sign-extends an integer.
pub(crate) fn sign_resize(int: Expr, from: Type, to: Type) -> Expr {
    match (from, to) {
        (Type::Int(old), Type::Int(new)) if new < old => simplify::cast(CastOp::Trunc, from, to, int),
        (Type::Int(_), Type::Int(_)) => simplify::cast(CastOp::Sext, from, to, int),
        _ => int,
    }
}

fn select<'m>(f: &mut FunctionLowering<'_, 'm>, instruction: Value<'m>) -> Lower<Vec<Expr>> {
    let conditions = f.operand(instruction.operand(0))?;
    let then = f.operand(instruction.operand(1))?;
    let otherwise = f.operand(instruction.operand(2))?;
    let conditions = match <[Expr; 1]>::try_from(conditions) {
        Ok([condition]) if then.len() == 1 => vec![condition],
        Ok([condition]) => vec![f.shared(condition); then.len()],
        Err(conditions) => conditions,
    };
    let parts = conditions.into_iter().zip(then).zip(otherwise);
    Ok(parts.map(|((condition, then), otherwise)| simplify::select(condition, then, otherwise)).collect())
}

fn cast_op(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        LLVMTrunc
            | LLVMZExt
            | LLVMSExt
            | LLVMFPToUI
            | LLVMFPToSI
            | LLVMUIToFP
            | LLVMSIToFP
            | LLVMFPTrunc
            | LLVMFPExt
            | LLVMPtrToInt
            | LLVMIntToPtr
            | LLVMBitCast
            | LLVMAddrSpaceCast
    )
}

fn cast<'m>(f: &mut FunctionLowering<'_, 'm>, opcode: Opcode, instruction: Value<'m>) -> Lower<Vec<Expr>> {
    let source = instruction.operand(0);
    let parts = f.operand(source)?;
    let types = layout::part_types(f.source.module, instruction.ty())?;
    if opcode == Opcode::LLVMBitCast {
        return bit_cast(f, parts, types);
    }
    let op = match opcode {
        Opcode::LLVMTrunc => CastOp::Trunc,
        Opcode::LLVMZExt => CastOp::Zext,
        Opcode::LLVMSExt => CastOp::Sext,
        Opcode::LLVMFPToUI => CastOp::FloatToUnsigned,
        Opcode::LLVMFPToSI => CastOp::FloatToSigned,
        Opcode::LLVMUIToFP => CastOp::UnsignedToFloat,
        Opcode::LLVMSIToFP => CastOp::SignedToFloat,
        Opcode::LLVMFPTrunc | Opcode::LLVMFPExt => CastOp::FloatToFloat,
        Opcode::LLVMPtrToInt => CastOp::PtrToInt,
        Opcode::LLVMIntToPtr => CastOp::IntToPtr,
        _ => return Ok(parts),
    };
    plain_float(source.ty())?;
    plain_float(instruction.ty())?;
    let pairs = parts.into_iter().zip(types);
    Ok(pairs
        .map(|(part, to)| match op {
            CastOp::PtrToInt => constants::pointer_to_int(f.program, part, to),
            CastOp::IntToPtr => constants::int_to_pointer(f.program, f.type_of(&part), part),
            CastOp::FloatToSigned | CastOp::FloatToUnsigned => {
                let from = f.type_of(&part);
                let part = checked_conversion(f, op, (from, to), part);
                simplify::cast(op, from, to, part)
            }
            op => simplify::cast(op, f.type_of(&part), to, part),
        })
        .collect())
}

/// Checks a conversion: a floating-point number whose integral part does not fit the integer type cannot be converted
/// (C11 6.3.1.4p1): machines and compilers differ. Returns the operand, fit for repeated use.
fn checked_conversion(f: &mut FunctionLowering<'_, '_>, op: CastOp, (from, to): (Type, Type), value: Expr) -> Expr {
    let (Type::Int(float), Type::Int(width)) = (from, to) else { return value };
    let value = f.shared(value);
    // Two to the power, as a number of the floating-point type: too large a power becomes infinity.
    let power = |power: u16| match float {
        32 => u128::from(power + 127) << 23,
        _ => u128::from(power + 1023) << 52,
    };
    let (least, beyond) = match op {
        CastOp::FloatToSigned => (power(width - 1) | 1 << (float - 1), power(width - 1)),
        _ => (0, power(width)),
    };
    let whole = f.shared(simplify::unary(UnaryOp::FloatTrunc, from, value.clone()));
    let compare = |how, bound| simplify::binary(BinaryOp::Float(how), from, whole.clone(), Expr::int(float, bound));
    // Both comparisons hold for NaN.
    let (is_less, is_beyond) = (compare(FloatCompare::Ult, least), compare(FloatCompare::Uge, beyond));
    let fails = simplify::binary(BinaryOp::Or, Type::BOOL, is_less, is_beyond);
    undefined_if(f, fails, "a conversion of a floating-point number to an integer type that does not have the value");
    value
}

/// The run is not modelled further if a condition holds.
pub(crate) fn undefined_if(f: &mut FunctionLowering<'_, '_>, condition: Expr, what: &str) {
    if condition != Expr::bool(false) {
        let goes_on = f.builder.branch_if(condition);
        f.builder.emit_unmodelled(what.into());
        f.builder.resume_at(goes_on);
    }
}

/// The same bits, split differently: first one integer, then the parts of the result.
fn bit_cast(f: &mut FunctionLowering<'_, '_>, parts: Vec<Expr>, types: Vec<Type>) -> Lower<Vec<Expr>> {
    let from: Vec<Type> = parts.iter().map(|part| f.type_of(part)).collect();
    if from == types {
        return Ok(parts);
    }
    let width = |types: &[Type]| -> Option<u32> {
        types.iter().map(|ty| if let Type::Int(width) = ty { Some(u32::from(*width)) } else { None }).sum()
    };
    let total = match (width(&from), width(&types)) {
        (Some(a), Some(b)) if a == b && a <= 128 => Type::Int(a as u16),
        _ => return Err(gap("a cast between vectors")),
    };
    let (mut whole, mut shift) = (simplify::int_of(total, 0), 0);
    for (part, ty) in parts.into_iter().zip(&from) {
        let wide = simplify::cast(CastOp::Zext, *ty, total, part);
        let moved = simplify::binary(BinaryOp::Shl, total, wide, simplify::int_of(total, shift));
        whole = simplify::binary(BinaryOp::Or, total, whole, moved);
        shift += u128::from(width(&[*ty]).unwrap_or(0));
    }
    let whole = f.shared(whole);
    let mut shift = 0;
    let mut results = Vec::with_capacity(types.len());
    for ty in types {
        let moved = simplify::binary(BinaryOp::Lshr, total, whole.clone(), simplify::int_of(total, shift));
        results.push(simplify::cast(CastOp::Trunc, total, ty, moved));
        shift += u128::from(width(&[ty]).unwrap_or(0));
    }
    Ok(results)
}

fn extract_element<'m>(f: &mut FunctionLowering<'_, 'm>, instruction: Value<'m>) -> Lower<Vec<Expr>> {
    let parts = f.operand(instruction.operand(0))?;
    let index = f.scalar(instruction.operand(1))?;
    let index = f.shared(index);
    let ty = f.type_of(&index);
    let mut parts = parts.into_iter().enumerate();
    let (_, first) = parts.next().ok_or_else(|| gap("an empty vector"))?;
    Ok(vec![parts.fold(first, |result, (i, part)| {
        let is_it = simplify::binary(BinaryOp::Eq, ty, index.clone(), simplify::int_of(ty, i as u128));
        simplify::select(is_it, part, result)
    })])
}

fn insert_element<'m>(f: &mut FunctionLowering<'_, 'm>, instruction: Value<'m>) -> Lower<Vec<Expr>> {
    let parts = f.operand(instruction.operand(0))?;
    let inserted = f.scalar(instruction.operand(1))?;
    let inserted = f.shared(inserted);
    let index = f.scalar(instruction.operand(2))?;
    let index = f.shared(index);
    let ty = f.type_of(&index);
    let parts = parts.into_iter().enumerate();
    Ok(parts
        .map(|(i, part)| {
            let is_it = simplify::binary(BinaryOp::Eq, ty, index.clone(), simplify::int_of(ty, i as u128));
            simplify::select(is_it, inserted.clone(), part)
        })
        .collect())
}

fn shuffle<'m>(f: &mut FunctionLowering<'_, 'm>, instruction: Value<'m>) -> Lower<Vec<Expr>> {
    let mut parts = f.operand(instruction.operand(0))?;
    parts.extend(f.operand(instruction.operand(1))?);
    let parts: Vec<Expr> = parts.into_iter().map(|part| f.shared(part)).collect();
    let types = layout::part_types(f.source.module, instruction.ty())?;
    let mask = instruction.shuffle_mask();
    Ok(mask
        .into_iter()
        .zip(types)
        .map(|(index, ty)| {
            let known = index.and_then(|index| parts.get(index as usize)).cloned();
            known.unwrap_or_else(|| f.arbitrary(ty, false))
        })
        .collect())
}
