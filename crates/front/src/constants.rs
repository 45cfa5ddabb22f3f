//! Constants: as expressions where instructions use them, and as bytes with relocations where they initialise static
//! objects.

use crate::layout::{self, gap, Gap, Lower};
use crate::llvm::{Opcode, Value, ValueKind};
use crate::lowering::Lowering;
use crate::models::Source;
use crate::simplify;
use ir::{BinaryOp, CastOp, Expr, Initial, Relocation, Symbol, Type};

/// A constant as the list of its scalar parts. `None` in the list is a part that may be anything (`undef`).
pub(crate) fn parts<'m>(
    program: &mut Lowering<'m>,
    source: Source<'m>,
    constant: Value<'m>,
) -> Lower<Vec<Option<Expr>>> {
    let ty = constant.ty();
    if let Some(scalar) = layout::scalar(ty) {
        if constant.is_undef() {
            return Ok(vec![None]);
        }
        return Ok(vec![Some(self::scalar(program, source, constant, scalar)?)]);
    }
    let types = layout::part_types(source.module, ty)?;
    if constant.is_undef() {
        return Ok(vec![None; types.len()]);
    }
    if constant.is_null() {
        return Ok(types.into_iter().map(|ty| Some(simplify::int_of(ty, 0))).collect());
    }
    let count = ty.elements().map_or(ty.fields().len() as u64, |(_, count)| count);
    let mut found = Vec::with_capacity(types.len());
    for i in 0..count {
        let element = constant.element(i as u32).ok_or_else(|| refused(constant))?;
        found.extend(parts(program, source, element)?);
    }
    Ok(found)
}

fn refused(constant: Value<'_>) -> Gap {
    gap(format!("constant {}", constant.text()))
}

/// A constant of scalar type.
fn scalar<'m>(program: &mut Lowering<'m>, source: Source<'m>, constant: Value<'m>, ty: Type) -> Lower<Expr> {
    if let Some(bits) = constant.as_int().or_else(|| constant.as_float_bits()) {
        return Ok(simplify::int_of(ty, bits));
    }
    if constant.is_null() {
        return Ok(simplify::int_of(ty, 0));
    }
    match constant.value_kind() {
        ValueKind::LLVMFunctionValueKind | ValueKind::LLVMGlobalVariableValueKind => {
            if program.is_absent_weak(constant, source) {
                return Ok(Expr::Null);
            }
            if constant.is_function() {
                return Ok(Expr::Function(program.function_address(constant, source)));
            }
            Ok(Expr::Object(program.object(constant, source)?))
        }
        ValueKind::LLVMGlobalAliasValueKind => {
            let aliasee = constant.aliasee().ok_or_else(|| refused(constant))?;
            scalar(program, source, aliasee, ty)
        }
        ValueKind::LLVMBlockAddressValueKind => {
            let (function, block) = constant.block_address().ok_or_else(|| refused(constant))?;
            Ok(Expr::Object(program.label(function, block)))
        }
        ValueKind::LLVMConstantExprValueKind => expression(program, source, constant, ty),
        _ => Err(refused(constant)),
    }
}

/// A constant expression.
fn expression<'m>(program: &mut Lowering<'m>, source: Source<'m>, constant: Value<'m>, ty: Type) -> Lower<Expr> {
    let operand = |program: &mut Lowering<'m>, i: u32| -> Lower<(Type, Expr)> {
        let value = constant.operand(i);
        let ty = layout::scalar(value.ty()).ok_or_else(|| refused(constant))?;
        Ok((ty, scalar(program, source, value, ty)?))
    };
    let opcode = constant.opcode().ok_or_else(|| refused(constant))?;
    match opcode {
        Opcode::LLVMGetElementPtr => {
            let (_, base) = operand(program, 0)?;
            let bytes = gep_bytes(source, constant)?;
            Ok(simplify::offset(base, Expr::int(program.data_model.pointer_width(), bytes as u128)))
        }
        Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast => Ok(operand(program, 0)?.1),
        Opcode::LLVMPtrToInt => {
            let (_, pointer) = operand(program, 0)?;
            Ok(pointer_to_int(program, pointer, ty))
        }
        Opcode::LLVMIntToPtr => {
            let (from, int) = operand(program, 0)?;
            Ok(int_to_pointer(program, from, int))
        }
        Opcode::LLVMTrunc => {
            let (from, arg) = operand(program, 0)?;
            Ok(simplify::cast(CastOp::Trunc, from, ty, arg))
        }
        Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMXor | Opcode::LLVMMul | Opcode::LLVMShl => {
            let op = match opcode {
                Opcode::LLVMAdd => BinaryOp::Add,
                Opcode::LLVMSub => BinaryOp::Sub,
                Opcode::LLVMXor => BinaryOp::Xor,
                Opcode::LLVMMul => BinaryOp::Mul,
                _ => BinaryOp::Shl,
            };
            let ((_, lhs), (_, rhs)) = (operand(program, 0)?, operand(program, 1)?);
            Ok(simplify::binary(op, ty, lhs, rhs))
        }
        _ => Err(refused(constant)),
    }
}

/// A pointer's address as an integer of any width.
pub(crate) fn pointer_to_int(program: &Lowering<'_>, pointer: Expr, to: Type) -> Expr {
    let size = program.data_model.size_type();
    let address = simplify::cast(CastOp::PtrToInt, Type::Ptr, size, pointer);
    resize(address, size, to)
}

/// The pointer for an address given as an integer of any width.
pub(crate) fn int_to_pointer(program: &Lowering<'_>, from: Type, int: Expr) -> Expr {
    let size = program.data_model.size_type();
    simplify::cast(CastOp::IntToPtr, size, Type::Ptr, resize(int, from, size))
}

/// Truncates or zero-extends an integer.
pub(crate) fn resize(int: Expr, from: Type, to: Type) -> Expr {
    match (from, to) {
        (Type::Int(old), Type::Int(new)) if new < old => simplify::cast(CastOp::Trunc, from, to, int),
        (Type::Int(_), Type::Int(_)) => simplify::cast(CastOp::Zext, from, to, int),
        _ => int,
    }
}

/// The distance in bytes of a constant `getelementptr`.
fn gep_bytes<'m>(source: Source<'m>, gep: Value<'m>) -> Lower<i64> {
    let mut ty = gep.gep_source_type().ok_or_else(|| refused(gep))?;
    let mut bytes: i64 = 0;
    for i in 1..gep.operand_count() {
        let operand = gep.operand(i);
        let index = match operand.is_null() {
            true => 0,
            false => operand.as_int().ok_or_else(|| refused(gep))?,
        };
        let width = operand.ty().int_width().min(64);
        let index = ir::arith::signed(width.max(1) as u16, index) as i64;
        let size = |ty| source.module.size_of(ty).ok_or_else(|| refused(gep));
        if i == 1 {
            bytes = bytes.wrapping_add(index.wrapping_mul(size(ty)? as i64));
        } else if let Some((element, _)) = ty.elements() {
            let stride = layout::packed_stride(source.module, ty).ok_or_else(|| refused(gep))?;
            bytes = bytes.wrapping_add(index.wrapping_mul(stride as i64));
            ty = element;
        } else {
            let offset = source.module.field_offset(ty, index as u32).ok_or_else(|| refused(gep))?;
            bytes = bytes.wrapping_add(offset as i64);
            ty = ty.fields()[index as usize];
        }
    }
    Ok(bytes)
}

/// The initial contents of a static object. If a part cannot be expressed, the whole object is arbitrary.
pub(crate) fn initial<'m>(
    program: &mut Lowering<'m>,
    source: Source<'m>,
    constant: Value<'m>,
    size: u64,
) -> Lower<Initial> {
    let mut image = Image { bytes: Vec::new(), relocations: Vec::new() };
    image.write(program, source, constant, 0)?;
    if image.bytes.len() as u64 > size {
        return Err(refused(constant));
    }
    let used = image.bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    image.bytes.truncate(used);
    image.relocations.sort_by_key(|relocation| relocation.at);
    Ok(Initial::Bytes { bytes: image.bytes, relocations: image.relocations })
}

/// The bytes of an initialiser so far.
struct Image {
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
}

/// Maximum size of an initialiser that is read.
const MAX_IMAGE: u64 = 1 << 26;

impl Image {
    fn put(&mut self, at: u64, bytes: &[u8]) -> Lower<()> {
        let end = at + bytes.len() as u64;
        if end > MAX_IMAGE {
            return Err(gap("a very large initialiser"));
        }
        if self.bytes.len() < end as usize {
            self.bytes.resize(end as usize, 0);
        }
        self.bytes[at as usize..end as usize].copy_from_slice(bytes);
        Ok(())
    }

    fn write<'m>(&mut self, p: &mut Lowering<'m>, source: Source<'m>, constant: Value<'m>, at: u64) -> Lower<()> {
        // Undefined bytes of static storage come from padding: compilers emit zeros.
        if constant.is_null() || constant.is_undef() {
            return Ok(());
        }
        if let Some(bytes) = constant.as_bytes() {
            return self.put(at, &bytes);
        }
        let ty = constant.ty();
        if let Some(scalar_type) = layout::scalar(ty) {
            let value = scalar(p, source, constant, scalar_type)?;
            return self.write_scalar(p, value, scalar_type, at);
        }
        let elements = ty.elements();
        let count = elements.map_or(ty.fields().len() as u64, |(_, count)| count);
        for i in 0..count {
            let element = constant.element(i as u32).ok_or_else(|| refused(constant))?;
            let offset = match elements {
                Some(_) => i * layout::packed_stride(source.module, ty).ok_or_else(|| refused(constant))?,
                None => source.module.field_offset(ty, i as u32).ok_or_else(|| refused(constant))?,
            };
            self.write(p, source, element, at + offset)?;
        }
        Ok(())
    }

    fn write_scalar(&mut self, program: &Lowering<'_>, value: Expr, ty: Type, at: u64) -> Lower<()> {
        let gap = || gap("an initialiser that depends on addresses");
        let bytes = layout::memory_type(ty).bytes(program.data_model.pointer_bytes()) as usize;
        match value {
            Expr::Int { value, .. } => self.put(at, &value.to_le_bytes()[..bytes]),
            Expr::Null => Ok(()),
            Expr::Cast { op: CastOp::IntToPtr, arg, .. } => match *arg {
                Expr::Int { value, .. } => self.put(at, &value.to_le_bytes()[..bytes]),
                _ => Err(gap()),
            },
            // An address written as an integer of pointer width has the same bytes as the pointer.
            Expr::Cast { op: CastOp::PtrToInt, arg, .. } => self.write_pointer(program, *arg, at).ok_or_else(gap),
            pointer if ty == Type::Ptr => self.write_pointer(program, pointer, at).ok_or_else(gap),
            _ => Err(gap()),
        }
    }

    fn write_pointer(&mut self, program: &Lowering<'_>, pointer: Expr, at: u64) -> Option<()> {
        let (base, offset) = match pointer {
            Expr::Offset { base, bytes } => match *bytes {
                Expr::Int { width, value } => (*base, ir::arith::signed(width, value) as i64),
                _ => return None,
            },
            base => (base, 0),
        };
        let symbol = match base {
            Expr::Object(object) => Symbol::Object(object),
            Expr::Function(function) => Symbol::Function(function),
            _ => return None,
        };
        self.relocations.push(Relocation { at, symbol, offset });
        self.put(at, &vec![0; program.data_model.pointer_bytes() as usize]).ok()
    }
}
