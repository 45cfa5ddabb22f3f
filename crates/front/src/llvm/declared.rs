//! Types of the source: the sizes of named types, and bit-fields, from debug information, and from clang's names of
//! structures.

use super::scope::{kind_of, operands, text};
use super::{Module, Ty};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use rustc_hash::FxHashSet;
use std::ffi::CString;
use std::ptr;

impl Module<'_> {
    /// The size in bytes of the smallest type with one of these names in the source. `None` if the program has no such
    /// type, or no remaining code mentions one.
    pub(crate) fn size_of_declared(&self, names: &[&str]) -> Option<u64> {
        let mut sizes: Vec<u64> = self.debug_nodes().into_iter().filter_map(|node| size_of(node, names)).collect();
        sizes.extend(names.iter().filter_map(|name| self.size_of_structure(name)));
        sizes.into_iter().min()
    }

    /// Whether functions have C++ names.
    pub(crate) fn is_cxx(&self) -> bool {
        self.functions().any(|function| function.name().starts_with("_Z"))
    }

    /// Whether a structure has a bit-field that may fill its access unit, which is then assigned without being loaded.
    pub(crate) fn has_whole_bit_field(&self) -> bool {
        self.debug_nodes().into_iter().any(|node| {
            // SAFETY: the kind is checked first.
            matches!(kind_of(node), Some(LLVMMetadataKind::LLVMDIDerivedTypeMetadataKind))
                && unsafe {
                    let ty = LLVMValueAsMetadata(node);
                    let is_bit_field = LLVMDITypeGetFlags(ty) & LLVMDIFlagBitField != 0;
                    is_bit_field && LLVMDITypeGetSizeInBits(ty).is_multiple_of(8)
                }
        })
    }

    /// The size of the structure or union of this name that the code accesses.
    fn size_of_structure(&self, name: &str) -> Option<u64> {
        let kinds = ["struct", "union", "class"].into_iter();
        let sizes = kinds.filter_map(|kind| {
            let full = CString::new(format!("{kind}.{name}")).ok()?;
            // SAFETY: the context is valid and the name NUL-terminated.
            self.size_of(Ty::wrap(unsafe { LLVMGetTypeByName2(self.context.raw, full.as_ptr()) })?)
        });
        sizes.min()
    }

    /// All debug information reachable from compilation units, functions and variables.
    fn debug_nodes(&self) -> Vec<LLVMValueRef> {
        let mut waiting = Vec::new();
        // SAFETY: the module is valid and the name NUL-terminated; the array has room for all units.
        unsafe {
            let units = c"llvm.dbg.cu".as_ptr();
            waiting.resize(LLVMGetNamedMetadataNumOperands(self.raw, units) as usize, ptr::null_mut());
            LLVMGetNamedMetadataOperands(self.raw, units, waiting.as_mut_ptr());
        }
        for function in self.functions() {
            // SAFETY: it is a function of this module.
            let program = unsafe { LLVMGetSubprogram(function.raw) };
            if !program.is_null() {
                // SAFETY: it is metadata of this context.
                waiting.push(unsafe { LLVMMetadataAsValue(self.context.raw, program) });
            }
            let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
            for declaration in instructions.filter(|instruction| instruction.declared_variable().is_some()) {
                // SAFETY: it is a call of `llvm.dbg.declare`, whose second operand is the variable.
                waiting.push(unsafe { LLVMGetOperand(declaration.raw, 1) });
            }
        }
        let mut seen: FxHashSet<LLVMValueRef> = waiting.iter().copied().collect();
        let mut nodes = Vec::new();
        while let Some(node) = waiting.pop() {
            // SAFETY: it is a value.
            if node.is_null() || unsafe { LLVMIsAMDNode(node) }.is_null() {
                continue;
            }
            nodes.push(node);
            waiting.extend(operands(node).into_iter().filter(|operand| !operand.is_null() && seen.insert(*operand)));
        }
        nodes
    }
}

/// The size in bytes of a type with one of these names; a type that is only declared has none.
fn size_of(mut node: LLVMValueRef, names: &[&str]) -> Option<u64> {
    let is_type = |node| {
        matches!(
            kind_of(node),
            Some(
                LLVMMetadataKind::LLVMDIBasicTypeMetadataKind
                    | LLVMMetadataKind::LLVMDIDerivedTypeMetadataKind
                    | LLVMMetadataKind::LLVMDICompositeTypeMetadataKind
            )
        )
    };
    // Operands of a type: its file, scope, name, and base type.
    if !is_type(node) || !names.contains(&text(*operands(node).get(2)?)?.as_str()) {
        return None;
    }
    while is_type(node) {
        // SAFETY: it is a type.
        let bits = unsafe { LLVMDITypeGetSizeInBits(LLVMValueAsMetadata(node)) };
        if bits > 0 {
            return Some(bits / 8);
        }
        node = *operands(node).get(3)?;
    }
    None
}
