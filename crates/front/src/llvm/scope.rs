//! Source blocks, from the debug information of unoptimised code.

use super::{Module, Value};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use llvm_sys::LLVMAttributeFunctionIndex;
use passes::notes::ConstKind;
use std::marker::PhantomData;
use std::ptr;

/// The attribute of functions whose instructions lie in their original source blocks.
const BLOCKS: &str = "heddle-blocks";

/// A block of the source, or the body of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Scope<'m> {
    /// The metadata as a value, unique in LLVM.
    raw: LLVMValueRef,
    module: PhantomData<&'m ()>,
}

/// A place in the source: line and column.
pub(crate) type Place = (u32, u32);

/// A loop statement: its enclosing block, its beginning and its end.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LoopStatement<'m> {
    pub(crate) scope: Scope<'m>,
    pub(crate) start: Place,
    pub(crate) end: Place,
}

/// The declared target of a pointer variable.
pub(crate) enum Pointee {
    /// A structure or union, with its name if it has one.
    Record(Option<String>),
    /// Something else.
    Other,
    /// `void`, which may be anything.
    Unknown,
}

/// The kind of metadata that a value wraps.
pub(super) fn kind_of(value: LLVMValueRef) -> Option<LLVMMetadataKind> {
    // SAFETY: a value that wraps metadata gives it back; any other gives metadata that wraps the value.
    (!value.is_null()).then(|| unsafe { LLVMGetMetadataKind(LLVMValueAsMetadata(value)) })
}

/// The operands of a metadata node that is wrapped as a value.
pub(super) fn operands(node: LLVMValueRef) -> Vec<LLVMValueRef> {
    // SAFETY: asked only of metadata nodes; the array has room for all operands.
    unsafe {
        let mut operands = vec![ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
        LLVMGetMDNodeOperands(node, operands.as_mut_ptr());
        operands
    }
}

/// The text of a metadata string.
pub(super) fn text(value: LLVMValueRef) -> Option<String> {
    // SAFETY: the kind is checked first; LLVM gives the length of the text.
    unsafe {
        if value.is_null() || LLVMIsAMDString(value).is_null() {
            return None;
        }
        let mut length = 0;
        let data = LLVMGetMDString(value, &mut length);
        Some(super::borrowed_text(data, length as usize))
    }
}

impl<'m> Scope<'m> {
    /// The scope of a metadata node. A part of a block in another file counts as the block.
    fn of(raw: LLVMValueRef) -> Option<Scope<'m>> {
        match kind_of(raw)? {
            LLVMMetadataKind::LLVMDILexicalBlockFileMetadataKind => Scope::of(*operands(raw).get(1)?),
            LLVMMetadataKind::LLVMDILexicalBlockMetadataKind | LLVMMetadataKind::LLVMDISubprogramMetadataKind => {
                Some(Scope { raw, module: PhantomData })
            }
            _ => None,
        }
    }

    /// Whether it is the body of a function.
    pub(crate) fn is_function(self) -> bool {
        matches!(kind_of(self.raw), Some(LLVMMetadataKind::LLVMDISubprogramMetadataKind))
    }

    /// The enclosing block; `None` for a function's body.
    pub(crate) fn parent(self) -> Option<Scope<'m>> {
        if self.is_function() {
            return None;
        }
        // Operands of a block: its file, and the scope it is in.
        Scope::of(*operands(self.raw).get(1)?)
    }

    /// The scope and all enclosing ones.
    pub(crate) fn chain(self) -> impl Iterator<Item = Scope<'m>> {
        std::iter::successors(Some(self), |scope| scope.parent())
    }
}

impl<'m> Module<'m> {
    /// Marks the module as compiled from source without optimisation.
    pub(crate) fn mark_blocks(&mut self) {
        for function in self.functions().filter(|function| !function.is_declaration()) {
            // SAFETY: it is a function of this module, nothing else of which is borrowed; the lengths are the texts'.
            unsafe {
                let context = LLVMGetTypeContext(LLVMTypeOf(function.raw));
                let length = BLOCKS.len() as u32;
                let mark = LLVMCreateStringAttribute(context, BLOCKS.as_ptr().cast(), length, ptr::null(), 0);
                LLVMAddAttributeAtIndex(function.raw, LLVMAttributeFunctionIndex, mark);
            }
        }
    }
}

/// The tag of a derived or composite type; 0 for any other.
fn tag_of(ty: LLVMValueRef) -> u16 {
    let is_tagged = matches!(
        kind_of(ty),
        Some(LLVMMetadataKind::LLVMDIDerivedTypeMetadataKind | LLVMMetadataKind::LLVMDICompositeTypeMetadataKind)
    );
    // SAFETY: it is a type.
    if is_tagged {
        unsafe { LLVMGetDINodeTag(LLVMValueAsMetadata(ty)) }
    } else {
        0
    }
}

/// The kind of `const` object of a type, if the type is `const` or an array of such.
fn constness(mut ty: LLVMValueRef) -> Option<ConstKind> {
    const ARRAY: u16 = 0x01;
    const CONST: u16 = 0x26;
    const TYPEDEF_VOLATILE_ATOMIC: [u16; 3] = [0x16, 0x35, 0x47];
    let (mut is_constant, mut constant) = (false, ConstKind::Scalar);
    loop {
        match tag_of(ty) {
            CONST => is_constant = true,
            ARRAY => constant = ConstKind::Array,
            tag if TYPEDEF_VOLATILE_ATOMIC.contains(&tag) => {}
            _ => {
                let is_composite = matches!(kind_of(ty), Some(LLVMMetadataKind::LLVMDICompositeTypeMetadataKind));
                return is_constant.then_some(if is_composite { ConstKind::Record } else { constant });
            }
        }
        // The fourth operand of variables and derived types is a type, and that of arrays the type of their elements.
        ty = *operands(ty).get(3)?;
    }
}

impl<'m> Value<'m> {
    /// For a function: whether its instructions lie in their original source blocks.
    pub(crate) fn has_blocks(self) -> bool {
        // SAFETY: asked only of functions; the length is the text's.
        self.is_function()
            && unsafe {
                let length = BLOCKS.len() as u32;
                let index = LLVMAttributeFunctionIndex;
                !LLVMGetStringAttributeAtIndex(self.raw, index, BLOCKS.as_ptr().cast(), length).is_null()
            }
    }

    /// For an instruction: the innermost block that contains it and its position, if it has one of its own.
    pub(crate) fn scope(self) -> Option<(Scope<'m>, Place)> {
        if !self.is_instruction() {
            return None;
        }
        // SAFETY: it is an instruction.
        let location = unsafe { LLVMInstructionGetDebugLoc(self.raw) };
        self.scope_of(location)
    }

    /// The scope and place of a location.
    fn scope_of(self, location: LLVMMetadataRef) -> Option<(Scope<'m>, Place)> {
        if location.is_null() {
            return None;
        }
        // SAFETY: it is a location that is not null, so it has a scope.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            let scope = LLVMMetadataAsValue(context, LLVMDILocationGetScope(location));
            let place = (LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location));
            Some((Scope::of(scope)?, place))
        }
    }

    /// For a `llvm.dbg.declare` call: the block that the variable is declared in.
    pub(crate) fn declared_scope(self) -> Option<Scope<'m>> {
        // SAFETY: the kind is checked first; the second operand is the variable, as metadata, whose first operand is its scope.
        let variable = unsafe {
            if LLVMIsADbgDeclareInst(self.raw).is_null() {
                return None;
            }
            LLVMGetOperand(self.raw, 1)
        };
        if !matches!(kind_of(variable), Some(LLVMMetadataKind::LLVMDILocalVariableMetadataKind)) {
            return None;
        }
        Scope::of(*operands(variable).first()?)
    }

    /// For a `llvm.dbg.declare` call: the variable's address, and the final target of its pointer type.
    pub(crate) fn declared_pointer(self) -> Option<(Value<'m>, Pointee)> {
        let (address, _) = self.declared_variable()?;
        // SAFETY: it is such a call; the second operand is the variable, as metadata.
        let variable = unsafe { LLVMGetOperand(self.raw, 1) };
        if !matches!(kind_of(variable), Some(LLVMMetadataKind::LLVMDILocalVariableMetadataKind)) {
            return None;
        }
        // Operands of a variable: its scope, name, file and type; of a type: its file, scope, name, and what it is derived from.
        let mut ty = *operands(variable).get(3)?;
        while let Some(LLVMMetadataKind::LLVMDIDerivedTypeMetadataKind) = kind_of(ty) {
            ty = *operands(ty).get(3)?;
        }
        let pointee = match kind_of(ty) {
            None => Pointee::Unknown,
            Some(LLVMMetadataKind::LLVMDICompositeTypeMetadataKind) => Pointee::Record(text(*operands(ty).get(2)?)),
            Some(_) => Pointee::Other,
        };
        Some((address, pointee))
    }

    /// For a `llvm.dbg.declare` call: the kind of `const` variable, if it is `const` or an array of such.
    pub(crate) fn declared_constant(self) -> Option<ConstKind> {
        constness(self.declared_type()?)
    }

    /// For a `llvm.dbg.declare` call: the kind of `const` object that a C++ reference refers to, if it is `const` or an
    /// array of such.
    pub(crate) fn referenced_constant(self) -> Option<ConstKind> {
        const REFERENCES: [u16; 2] = [0x10, 0x42];
        let ty = self.declared_type()?;
        REFERENCES.contains(&tag_of(ty)).then(|| constness(*operands(ty).get(3)?)).flatten()
    }

    /// For a `llvm.dbg.declare` call: the type of the variable, as metadata.
    fn declared_type(self) -> Option<LLVMValueRef> {
        self.declared_variable()?;
        // SAFETY: it is such a call; the second operand is the variable, as metadata.
        let variable = unsafe { LLVMGetOperand(self.raw, 1) };
        operands(variable).get(3).copied()
    }

    /// For a branch back to the head of a loop statement: that statement.
    pub(crate) fn loop_statement(self) -> Option<LoopStatement<'m>> {
        const LOOP: &str = "llvm.loop";
        // SAFETY: metadata is asked of an instruction; the length is the text's.
        let node = unsafe {
            if !self.is_instruction() || LLVMHasMetadata(self.raw) == 0 {
                return None;
            }
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            let kind = LLVMGetMDKindIDInContext(context, LOOP.as_ptr().cast(), LOOP.len() as u32);
            LLVMGetMetadata(self.raw, kind)
        };
        if node.is_null() {
            return None;
        }
        let is_location =
            |value: &LLVMValueRef| matches!(kind_of(*value), Some(LLVMMetadataKind::LLVMDILocationMetadataKind));
        let mut locations = operands(node).into_iter().filter(is_location);
        // SAFETY: both wrap locations.
        let mut next = || locations.next().map(|location| unsafe { LLVMValueAsMetadata(location) });
        let ((scope, start), (_, end)) = (self.scope_of(next()?)?, self.scope_of(next()?)?);
        Some(LoopStatement { scope, start, end })
    }
}
