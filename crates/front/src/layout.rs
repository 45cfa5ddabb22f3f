//! LLVM's types as types of the core form, and the positions of a type's scalar parts in memory.

use crate::llvm::{Module, Ty, TypeKind};
use ir::{Type, Unmodelled};

/// An unmodelled construct, in words: it becomes an `unmodelled` statement at its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Gap(pub(crate) Unmodelled);

/// An unmodelled construct.
pub(crate) fn gap(what: impl Into<Unmodelled>) -> Gap {
    Gap(what.into())
}

/// A result of lowering.
pub(crate) type Lower<T> = Result<T, Gap>;

/// One scalar inside a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    /// Its type.
    pub(crate) ty: Type,
    /// Its offset.
    pub(crate) offset: u64,
}

/// Maximum number of parts: C programs handle larger aggregates by address.
const MAX_PARTS: u64 = 4096;

/// The type of a scalar. Floating-point numbers are bit-vectors.
pub(crate) fn scalar(ty: Ty<'_>) -> Option<Type> {
    match ty.kind() {
        TypeKind::LLVMIntegerTypeKind => {
            let width = ty.int_width();
            (1..=128).contains(&width).then_some(Type::Int(width as u16))
        }
        TypeKind::LLVMPointerTypeKind => Some(Type::Ptr),
        TypeKind::LLVMHalfTypeKind | TypeKind::LLVMBFloatTypeKind => Some(Type::Int(16)),
        TypeKind::LLVMFloatTypeKind => Some(Type::Int(32)),
        TypeKind::LLVMDoubleTypeKind => Some(Type::Int(64)),
        TypeKind::LLVMX86_FP80TypeKind => Some(Type::Int(80)),
        TypeKind::LLVMFP128TypeKind => Some(Type::Int(128)),
        _ => None,
    }
}

/// The scalar parts of a type, in order. `void` has none.
pub(crate) fn parts(module: &Module<'_>, ty: Ty<'_>) -> Lower<Vec<Part>> {
    let mut found = Vec::new();
    collect(module, ty, 0, &mut found)?;
    Ok(found)
}

/// The types of the scalar parts of a type.
pub(crate) fn part_types(module: &Module<'_>, ty: Ty<'_>) -> Lower<Vec<Type>> {
    Ok(parts(module, ty)?.into_iter().map(|part| part.ty).collect())
}

fn collect(module: &Module<'_>, ty: Ty<'_>, offset: u64, found: &mut Vec<Part>) -> Lower<()> {
    let gap = || gap(format!("a value of type {}", ty.text()));
    if found.len() as u64 > MAX_PARTS {
        return Err(gap());
    }
    if let Some(scalar) = scalar(ty) {
        found.push(Part { ty: scalar, offset });
        return Ok(());
    }
    match ty.kind() {
        TypeKind::LLVMVoidTypeKind => Ok(()),
        TypeKind::LLVMStructTypeKind => {
            for (i, field) in ty.fields().into_iter().enumerate() {
                let at = module.field_offset(ty, i as u32).ok_or_else(gap)?;
                collect(module, field, offset + at, found)?;
            }
            Ok(())
        }
        TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => {
            let (element, count) = ty.elements().ok_or_else(gap)?;
            // Elements smaller than a byte are packed in memory: accesses to such vectors are rejected elsewhere.
            let is_vector = ty.kind() == TypeKind::LLVMVectorTypeKind;
            if count > MAX_PARTS || (is_vector && scalar(element).is_none()) {
                return Err(gap());
            }
            // The offsets of parts smaller than a byte do not matter then.
            let size = packed_stride(module, ty).or_else(|| module.size_of(element)).ok_or_else(gap)?;
            (0..count).try_for_each(|i| collect(module, element, offset + i * size, found))
        }
        _ => Err(gap()),
    }
}

/// The distance in bytes between two elements of an array or vector. Those of a vector have no padding: three bytes for
/// `i24`, which in an array has one in four. `None` if elements do not start at bytes.
pub(crate) fn packed_stride(module: &Module<'_>, ty: Ty<'_>) -> Option<u64> {
    let (element, _) = ty.elements()?;
    match (ty.kind(), scalar(element)) {
        (TypeKind::LLVMVectorTypeKind, Some(Type::Int(width))) => width.is_multiple_of(8).then(|| u64::from(width / 8)),
        _ => module.size_of(element),
    }
}

/// The range of scalar parts that `indices` lead to inside an aggregate type.
pub(crate) fn part_range(module: &Module<'_>, ty: Ty<'_>, indices: &[u32]) -> Lower<std::ops::Range<usize>> {
    let (mut ty, mut start) = (ty, 0);
    for &index in indices {
        let children = match ty.elements() {
            Some((element, count)) => vec![element; usize::try_from(count.min(MAX_PARTS)).unwrap_or(0)],
            None => ty.fields(),
        };
        for child in children.iter().take(index as usize) {
            start += parts(module, *child)?.len();
        }
        ty = *children.get(index as usize).ok_or_else(|| gap("an index outside an aggregate"))?;
    }
    Ok(start..start + parts(module, ty)?.len())
}

/// The type in which a scalar is stored in memory: whole bytes.
pub(crate) fn memory_type(ty: Type) -> Type {
    match ty {
        Type::Int(width) => Type::Int(width.div_ceil(8) * 8),
        Type::Ptr => Type::Ptr,
    }
}

/// Whether the type is a floating-point type whose arithmetic is modelled.
pub(crate) fn is_plain_float(ty: Ty<'_>) -> bool {
    matches!(ty.kind(), TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind)
}

/// Whether the type is a floating-point type.
pub(crate) fn is_float(ty: Ty<'_>) -> bool {
    use TypeKind::*;
    is_plain_float(ty)
        || matches!(ty.kind(), LLVMHalfTypeKind | LLVMBFloatTypeKind | LLVMX86_FP80TypeKind | LLVMFP128TypeKind)
}
