//! A small safe wrapper around the part of LLVM's C interface that Heddle needs: reading, linking and traversing modules. The only place in this
//! crate with `unsafe`.
//!
//! Soundness: a [`Context`] outlives its [`Module`]s, a module outlives the [`Value`]s, [`Ty`]pes and [`Block`]s handed out from it (lifetimes say
//! both), and nothing here changes a module after it was read, except [`Module::link`], which consumes the other module, [`Module::expose`] and
//! [`Module::mark_blocks`]; they need the module unborrowed. Methods that LLVM defines only for one kind of value check the kind first and answer
//! with `None` or a neutral value otherwise.
//!
//! It cannot build or transform code.
#![allow(unsafe_code)]

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::bit_reader::LLVMParseBitcodeInContext2;
use llvm_sys::core::*;
use llvm_sys::ir_reader::LLVMParseIRInContext;
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::*;
use llvm_sys::target::*;
pub(crate) use llvm_sys::{
    LLVMAtomicOrdering as AtomicOrdering, LLVMAtomicRMWBinOp as RmwBinOp, LLVMIntPredicate as IntPredicate,
    LLVMLinkage as Linkage, LLVMOpcode as Opcode, LLVMRealPredicate as RealPredicate, LLVMTypeKind as TypeKind,
    LLVMValueKind as ValueKind,
};
use std::cell::RefCell;
use std::ffi::{c_char, c_void, CStr, CString};
use std::marker::PhantomData;
use std::ptr;

mod declared;
mod scope;
mod value;

pub(crate) use scope::{LoopStatement, Place, Pointee, Scope};
pub(crate) use value::Value;

/// Owns LLVM's types and constants and collects its messages.
pub(crate) struct Context {
    raw: LLVMContextRef,
    messages: Box<RefCell<Vec<String>>>,
}

/// LLVM calls this for every message. Without it, a malformed module would end the process.
extern "C" fn keep_message(info: LLVMDiagnosticInfoRef, messages: *mut c_void) {
    // SAFETY: `messages` is the boxed cell that `Context::new` registered and that lives as long as the context;
    // LLVM passes a valid `info`, and the description is ours to dispose of.
    unsafe {
        let text = take_message(LLVMGetDiagInfoDescription(info));
        let messages = &*(messages as *const RefCell<Vec<String>>);
        messages.borrow_mut().push(text);
    }
}

/// Copies a message LLVM allocated and frees it.
///
/// # Safety
/// `message` is null or a string to be disposed of with `LLVMDisposeMessage`.
unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: not null, so by the contract a NUL-terminated string that is ours.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

/// A string LLVM still owns.
///
/// # Safety
/// `data` is null or points to `len` readable bytes.
unsafe fn borrowed_text(data: *const c_char, len: usize) -> String {
    if data.is_null() || len == 0 {
        return String::new();
    }
    // SAFETY: not null, so by the contract `len` bytes can be read.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}

impl Context {
    /// A context whose messages are kept instead of printed.
    pub(crate) fn new() -> Context {
        let messages = Box::new(RefCell::new(Vec::new()));
        // SAFETY: the handler gets a pointer into a box that the context keeps until it is disposed of.
        let raw = unsafe {
            let raw = LLVMContextCreate();
            let cell: *const RefCell<Vec<String>> = &*messages;
            LLVMContextSetDiagnosticHandler(raw, Some(keep_message), cell as *mut c_void);
            raw
        };
        Context { raw, messages }
    }

    fn take_messages(&self) -> String {
        self.messages.borrow_mut().drain(..).collect::<Vec<_>>().join("\n")
    }

    /// Reads bitcode.
    pub(crate) fn parse_bitcode(&self, bytes: &[u8]) -> Result<Module<'_>, String> {
        let mut raw = ptr::null_mut();
        // SAFETY: the buffer borrows `bytes` only during the call, which reads the whole module at once.
        let failed = unsafe {
            let data = bytes.as_ptr().cast();
            let buffer = LLVMCreateMemoryBufferWithMemoryRange(data, bytes.len(), c"bitcode".as_ptr(), 0);
            let failed = LLVMParseBitcodeInContext2(self.raw, buffer, &mut raw);
            LLVMDisposeMemoryBuffer(buffer);
            failed
        };
        if failed != 0 || raw.is_null() {
            return Err(self.take_messages());
        }
        Ok(Module::new(self, raw))
    }

    /// Reads LLVM's text form.
    pub(crate) fn parse_text(&self, bytes: &[u8]) -> Result<Module<'_>, String> {
        let mut raw = ptr::null_mut();
        let mut message = ptr::null_mut();
        // SAFETY: the buffer is a NUL-terminated copy, and the parser takes it over.
        let (failed, text) = unsafe {
            let buffer =
                LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.as_ptr().cast(), bytes.len(), c"module".as_ptr());
            let failed = LLVMParseIRInContext(self.raw, buffer, &mut raw, &mut message);
            (failed, take_message(message))
        };
        if failed != 0 || raw.is_null() {
            return Err(format!("{text}{}", self.take_messages()));
        }
        Ok(Module::new(self, raw))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: modules borrow the context, so all are gone.
        unsafe { LLVMContextDispose(self.raw) }
    }
}

/// One module.
pub(crate) struct Module<'c> {
    raw: LLVMModuleRef,
    layout: LLVMTargetDataRef,
    byval: u32,
    sret: u32,
    context: &'c Context,
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: values borrow the module, so none is left. The layout belongs to the module.
        unsafe { LLVMDisposeModule(self.raw) }
    }
}

impl<'c> Module<'c> {
    fn new(context: &'c Context, raw: LLVMModuleRef) -> Module<'c> {
        // SAFETY: `raw` is a valid module of `context`. Debug information is turned into calls, which the walk over
        // instructions sees.
        let (layout, byval, sret) = unsafe {
            LLVMSetIsNewDbgInfoFormat(raw, 0);
            let byval = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
            let sret = LLVMGetEnumAttributeKindForName(c"sret".as_ptr(), 4);
            (LLVMGetModuleDataLayout(raw), byval, sret)
        };
        Module { raw, layout, byval, sret, context }
    }

    /// Checks the validity of a module that did not come from clang directly.
    pub(crate) fn verify(&self) -> Result<(), String> {
        let mut message = ptr::null_mut();
        // SAFETY: the module is valid; the message is ours to free.
        unsafe {
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let broken = LLVMVerifyModule(self.raw, action, &mut message);
            let text = take_message(message);
            if broken != 0 {
                return Err(text);
            }
        }
        Ok(())
    }

    /// Moves the definitions of another module into this one.
    pub(crate) fn link(&mut self, other: Module<'c>) -> Result<(), String> {
        let raw = other.raw;
        std::mem::forget(other);
        // SAFETY: both are modules of one context; linking consumes the second, which was forgotten above.
        let failed = unsafe { LLVMLinkModules2(self.raw, raw) };
        if failed != 0 {
            return Err(self.context.take_messages());
        }
        Ok(())
    }

    /// Gives a function with internal linkage external linkage, under a new name, or a similar one: LLVM appends a
    /// number if the module has that name already. Returns the name, or `None` if there is no such function.
    pub(crate) fn expose(&mut self, function: &str, new: &str) -> Option<String> {
        let function = self.function(function).filter(|function| !function.is_declaration())?;
        // SAFETY: it is a function of this module, nothing else of which is borrowed; the length is the name's.
        unsafe {
            LLVMSetLinkage(function.raw, Linkage::LLVMExternalLinkage);
            LLVMSetValueName2(function.raw, new.as_ptr().cast(), new.len());
        }
        Some(function.name())
    }

    /// The string that describes sizes and alignments.
    pub(crate) fn layout_text(&self) -> String {
        // SAFETY: the string is NUL-terminated and belongs to the module.
        unsafe { CStr::from_ptr(LLVMGetDataLayoutStr(self.raw)).to_string_lossy().into_owned() }
    }

    /// The size of a pointer in bytes.
    pub(crate) fn pointer_bytes(&self) -> u64 {
        // SAFETY: the layout belongs to this module.
        u64::from(unsafe { LLVMPointerSize(self.layout) })
    }

    /// Whether the code is for 32-bit or 64-bit x86.
    pub(crate) fn is_for_x86(&self) -> bool {
        // SAFETY: the string is NUL-terminated and belongs to the module.
        let target = unsafe { CStr::from_ptr(LLVMGetTarget(self.raw)).to_string_lossy().into_owned() };
        let machine = target.split('-').next().unwrap_or("");
        machine == "x86_64" || (machine.starts_with('i') && machine.ends_with("86"))
    }

    /// The function with this name, defined or only declared.
    pub(crate) fn function(&self, name: &str) -> Option<Value<'_>> {
        let name = CString::new(name).ok()?;
        // SAFETY: the module is valid and the name NUL-terminated.
        Value::wrap(unsafe { LLVMGetNamedFunction(self.raw, name.as_ptr()) })
    }

    /// The global variable with this name.
    pub(crate) fn global(&self, name: &str) -> Option<Value<'_>> {
        let name = CString::new(name).ok()?;
        // SAFETY: the module is valid and the name NUL-terminated.
        Value::wrap(unsafe { LLVMGetNamedGlobal(self.raw, name.as_ptr()) })
    }

    /// The alias with this name.
    pub(crate) fn alias(&self, name: &str) -> Option<Value<'_>> {
        // SAFETY: the module is valid and the length is the name's.
        Value::wrap(unsafe { LLVMGetNamedGlobalAlias(self.raw, name.as_ptr().cast(), name.len()) })
    }

    /// Whether the module defines, uses or only declares a global with this name that other modules may see.
    pub(crate) fn shares(&self, name: &str) -> bool {
        let named = [self.function(name), self.global(name), self.alias(name)];
        named.into_iter().flatten().any(|value| !value.is_local())
    }

    /// All functions.
    pub(crate) fn functions(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: the module is valid; each function leads to the next.
        let first = Value::wrap(unsafe { LLVMGetFirstFunction(self.raw) });
        // SAFETY: as above.
        let next = |f: &Value<'_>| Value::wrap(unsafe { LLVMGetNextFunction(f.raw) });
        std::iter::successors(first, next)
    }

    /// All global variables.
    pub(crate) fn globals(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: the module is valid; each global leads to the next.
        let first = Value::wrap(unsafe { LLVMGetFirstGlobal(self.raw) });
        // SAFETY: as above.
        let next = |g: &Value<'_>| Value::wrap(unsafe { LLVMGetNextGlobal(g.raw) });
        std::iter::successors(first, next)
    }

    /// The size of a value of this type in an array; `None` if it has no size.
    pub(crate) fn size_of(&self, ty: Ty<'_>) -> Option<u64> {
        // SAFETY: the size is asked only of sized types.
        unsafe { (LLVMTypeIsSized(ty.raw) != 0).then(|| LLVMABISizeOfType(self.layout, ty.raw)) }
    }

    /// The alignment of a type.
    pub(crate) fn align_of(&self, ty: Ty<'_>) -> u64 {
        // SAFETY: the alignment is asked only of sized types.
        unsafe {
            if LLVMTypeIsSized(ty.raw) == 0 {
                return 1;
            }
            u64::from(LLVMABIAlignmentOfType(self.layout, ty.raw))
        }
    }

    /// The offset of a structure's field.
    pub(crate) fn field_offset(&self, structure: Ty<'_>, field: u32) -> Option<u64> {
        if structure.kind() != TypeKind::LLVMStructTypeKind || field as usize >= structure.fields().len() {
            return None;
        }
        // SAFETY: it is a structure and has the field; structures used in memory are sized.
        unsafe { (LLVMTypeIsSized(structure.raw) != 0).then(|| LLVMOffsetOfElement(self.layout, structure.raw, field)) }
    }

    /// The type whose value is copied for a parameter of a function, if it is passed `byval`.
    pub(crate) fn byval_type<'m>(&'m self, function: Value<'m>, param: u32) -> Option<Ty<'m>> {
        if function.value_kind() != ValueKind::LLVMFunctionValueKind {
            return None;
        }
        // SAFETY: it is a function; attribute indices of parameters count from 1; `byval` has a type.
        unsafe {
            let attribute = LLVMGetEnumAttributeAtIndex(function.raw, param + 1, self.byval);
            if attribute.is_null() {
                return None;
            }
            Ty::wrap(LLVMGetTypeAttributeValue(attribute))
        }
    }

    /// Whether a function writes its result to the memory that this parameter points to.
    pub(crate) fn is_result(&self, function: Value<'_>, param: u32) -> bool {
        function.value_kind() == ValueKind::LLVMFunctionValueKind
            // SAFETY: it is a function; attribute indices of parameters count from 1.
            && unsafe { !LLVMGetEnumAttributeAtIndex(function.raw, param + 1, self.sret).is_null() }
    }

    /// The type whose value is copied for an argument of a call, if it is passed `byval`.
    pub(crate) fn byval_argument<'m>(&'m self, call: Value<'m>, argument: Value<'m>) -> Option<Ty<'m>> {
        let index = call.args().iter().position(|arg| *arg == argument)?;
        // SAFETY: `args` is empty for everything but calls; attribute indices of arguments count from 1.
        unsafe {
            let attribute = LLVMGetCallSiteEnumAttribute(call.raw, index as u32 + 1, self.byval);
            if attribute.is_null() {
                return None;
            }
            Ty::wrap(LLVMGetTypeAttributeValue(attribute))
        }
    }
}

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Ty<'m> {
    raw: LLVMTypeRef,
    module: PhantomData<&'m ()>,
}

impl<'m> Ty<'m> {
    pub(super) fn wrap(raw: LLVMTypeRef) -> Option<Ty<'m>> {
        (!raw.is_null()).then_some(Ty { raw, module: PhantomData })
    }

    pub(super) fn known(raw: LLVMTypeRef) -> Ty<'m> {
        Ty::wrap(raw).expect("LLVM should know the type")
    }

    /// Its kind.
    pub(crate) fn kind(self) -> TypeKind {
        // SAFETY: the type is valid.
        unsafe { LLVMGetTypeKind(self.raw) }
    }

    /// The width of an integer type; 0 of others.
    pub(crate) fn int_width(self) -> u32 {
        if self.kind() != TypeKind::LLVMIntegerTypeKind {
            return 0;
        }
        // SAFETY: it is an integer type.
        unsafe { LLVMGetIntTypeWidth(self.raw) }
    }

    /// The name of a structure, if it has one.
    pub(crate) fn struct_name(self) -> Option<String> {
        if self.kind() != TypeKind::LLVMStructTypeKind {
            return None;
        }
        // SAFETY: it is a structure; the name is null or NUL-terminated and stays LLVM's.
        unsafe {
            let name = LLVMGetStructName(self.raw);
            (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
        }
    }

    /// The field types of a structure.
    pub(crate) fn fields(self) -> Vec<Ty<'m>> {
        if self.kind() != TypeKind::LLVMStructTypeKind {
            return Vec::new();
        }
        // SAFETY: it is a structure; an opaque one has no fields.
        unsafe {
            (0..LLVMCountStructElementTypes(self.raw))
                .map(|i| Ty::known(LLVMStructGetTypeAtIndex(self.raw, i)))
                .collect()
        }
    }

    /// The element type and length of an array or vector.
    pub(crate) fn elements(self) -> Option<(Ty<'m>, u64)> {
        // SAFETY: the element type and length are asked of arrays and vectors only.
        unsafe {
            match self.kind() {
                TypeKind::LLVMArrayTypeKind => {
                    Some((Ty::known(LLVMGetElementType(self.raw)), LLVMGetArrayLength2(self.raw)))
                }
                TypeKind::LLVMVectorTypeKind => {
                    Some((Ty::known(LLVMGetElementType(self.raw)), u64::from(LLVMGetVectorSize(self.raw))))
                }
                _ => None,
            }
        }
    }

    /// For a function type: whether each parameter, and the result, is passed in floating-point registers.
    pub(crate) fn register_classes(self) -> (Vec<bool>, bool) {
        (self.params().into_iter().map(Ty::is_float).collect(), self.returns().is_some_and(Ty::is_float))
    }

    /// Whether values of the type consist of floating-point numbers.
    pub(crate) fn is_float(self) -> bool {
        matches!(
            self.elements().map_or(self, |(element, _)| element).kind(),
            TypeKind::LLVMHalfTypeKind
                | TypeKind::LLVMBFloatTypeKind
                | TypeKind::LLVMFloatTypeKind
                | TypeKind::LLVMDoubleTypeKind
                | TypeKind::LLVMX86_FP80TypeKind
                | TypeKind::LLVMFP128TypeKind
        )
    }

    /// The parameter types of a function type.
    pub(crate) fn params(self) -> Vec<Ty<'m>> {
        if self.kind() != TypeKind::LLVMFunctionTypeKind {
            return Vec::new();
        }
        // SAFETY: it is a function type, and the vector has room for all parameters.
        unsafe {
            let mut raw = vec![ptr::null_mut(); LLVMCountParamTypes(self.raw) as usize];
            LLVMGetParamTypes(self.raw, raw.as_mut_ptr());
            raw.into_iter().map(Ty::known).collect()
        }
    }

    /// Whether a function type ends in `...`.
    pub(crate) fn is_variadic(self) -> bool {
        // SAFETY: asked of function types only.
        self.kind() == TypeKind::LLVMFunctionTypeKind && unsafe { LLVMIsFunctionVarArg(self.raw) != 0 }
    }

    /// The return type of a function type.
    pub(crate) fn returns(self) -> Option<Ty<'m>> {
        if self.kind() != TypeKind::LLVMFunctionTypeKind {
            return None;
        }
        // SAFETY: it is a function type.
        Ty::wrap(unsafe { LLVMGetReturnType(self.raw) })
    }

    /// LLVM's text form.
    pub(crate) fn text(self) -> String {
        // SAFETY: the type is valid; the string is ours to free.
        unsafe { take_message(LLVMPrintTypeToString(self.raw)) }
    }
}

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Block<'m> {
    raw: LLVMBasicBlockRef,
    module: PhantomData<&'m ()>,
}

impl<'m> Block<'m> {
    pub(super) fn wrap(raw: LLVMBasicBlockRef) -> Option<Block<'m>> {
        (!raw.is_null()).then_some(Block { raw, module: PhantomData })
    }

    /// The instructions in order.
    pub(crate) fn instructions(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: the block is valid; each instruction leads to the next.
        let first = Value::wrap(unsafe { LLVMGetFirstInstruction(self.raw) });
        // SAFETY: as above.
        let next = |i: &Value<'m>| Value::wrap(unsafe { LLVMGetNextInstruction(i.raw) });
        std::iter::successors(first, next)
    }

    /// The last instruction, if the block is complete.
    pub(crate) fn terminator(self) -> Option<Value<'m>> {
        // SAFETY: the block is valid.
        Value::wrap(unsafe { LLVMGetBasicBlockTerminator(self.raw) })
    }

    /// Its name.
    pub(crate) fn name(self) -> String {
        // SAFETY: the block is valid; the name is NUL-terminated and stays LLVM's.
        unsafe { CStr::from_ptr(LLVMGetBasicBlockName(self.raw)).to_string_lossy().into_owned() }
    }

    /// The successors in the control-flow graph.
    pub(crate) fn successors(self) -> Vec<Block<'m>> {
        self.terminator().map(Value::successors).unwrap_or_default()
    }
}
