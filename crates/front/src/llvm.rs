//! A small safe wrapper around what Heddle needs of LLVM's C interface: reading modules, linking them and walking
//! over them. The only place in this crate with `unsafe`.
//!
//! How it stays sound: a [`Context`] outlives its [`Module`]s, a module outlives the [`Value`]s, [`Ty`]pes and
//! [`Block`]s handed out from it (lifetimes say both), and nothing here changes a module after it was read, except
//! [`Module::link`], which consumes the other module and needs the first one unborrowed. Methods that LLVM defines only
//! for one kind of value check the kind first and answer with `None` or a neutral value otherwise.
//!
//! Cannot do: anything that builds or transforms code.
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
        let (layout, byval) = unsafe {
            LLVMSetIsNewDbgInfoFormat(raw, 0);
            let byval = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
            (LLVMGetModuleDataLayout(raw), byval)
        };
        Module { raw, layout, byval, context }
    }

    /// Says what is wrong with a module that did not come from clang directly.
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

    /// Takes the definitions of another module over.
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

    /// All functions.
    pub(crate) fn functions(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: the module is valid; each function leads to the next.
        let first = Value::wrap(unsafe { LLVMGetFirstFunction(self.raw) });
        std::iter::successors(first, |f| Value::wrap(unsafe { LLVMGetNextFunction(f.raw) }))
    }

    /// All global variables.
    pub(crate) fn globals(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: the module is valid; each global leads to the next.
        let first = Value::wrap(unsafe { LLVMGetFirstGlobal(self.raw) });
        std::iter::successors(first, |g| Value::wrap(unsafe { LLVMGetNextGlobal(g.raw) }))
    }

    /// How many bytes a value of this type takes in an array; `None` if it has no size.
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

    /// Where the field of a structure starts.
    pub(crate) fn field_offset(&self, structure: Ty<'_>, field: u32) -> Option<u64> {
        if structure.kind() != TypeKind::LLVMStructTypeKind || field as usize >= structure.fields().len() {
            return None;
        }
        // SAFETY: it is a structure and has the field; structures used in memory are sized.
        unsafe {
            (LLVMTypeIsSized(structure.raw) != 0).then(|| LLVMOffsetOfElement(self.layout, structure.raw, field))
        }
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
}

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Ty<'m> {
    raw: LLVMTypeRef,
    module: PhantomData<&'m ()>,
}

impl<'m> Ty<'m> {
    fn wrap(raw: LLVMTypeRef) -> Option<Ty<'m>> {
        (!raw.is_null()).then_some(Ty { raw, module: PhantomData })
    }

    fn known(raw: LLVMTypeRef) -> Ty<'m> {
        Ty::wrap(raw).expect("LLVM should know the type")
    }

    /// What kind of type it is.
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

    /// The return type of a function type.
    pub(crate) fn returns(self) -> Option<Ty<'m>> {
        if self.kind() != TypeKind::LLVMFunctionTypeKind {
            return None;
        }
        // SAFETY: it is a function type.
        Ty::wrap(unsafe { LLVMGetReturnType(self.raw) })
    }

    /// LLVM's text for it.
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
    fn wrap(raw: LLVMBasicBlockRef) -> Option<Block<'m>> {
        (!raw.is_null()).then_some(Block { raw, module: PhantomData })
    }

    /// The instructions in order.
    pub(crate) fn instructions(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: the block is valid; each instruction leads to the next.
        let first = Value::wrap(unsafe { LLVMGetFirstInstruction(self.raw) });
        std::iter::successors(first, |i| Value::wrap(unsafe { LLVMGetNextInstruction(i.raw) }))
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

    /// The blocks control can go to next.
    pub(crate) fn successors(self) -> Vec<Block<'m>> {
        self.terminator().map(Value::successors).unwrap_or_default()
    }
}

/// A value: a constant, global, function, parameter or instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Value<'m> {
    raw: LLVMValueRef,
    module: PhantomData<&'m ()>,
}

impl<'m> Value<'m> {
    fn wrap(raw: LLVMValueRef) -> Option<Value<'m>> {
        (!raw.is_null()).then_some(Value { raw, module: PhantomData })
    }

    fn known(raw: LLVMValueRef) -> Value<'m> {
        Value::wrap(raw).expect("LLVM should know the value")
    }

    /// What kind of value it is.
    pub(crate) fn value_kind(self) -> ValueKind {
        // SAFETY: the value is valid.
        unsafe { LLVMGetValueKind(self.raw) }
    }

    /// Its type.
    pub(crate) fn ty(self) -> Ty<'m> {
        // SAFETY: the value is valid.
        Ty::known(unsafe { LLVMTypeOf(self.raw) })
    }

    /// Its name; empty if it has none.
    pub(crate) fn name(self) -> String {
        let mut len = 0;
        // SAFETY: the value is valid; LLVM returns the name and its length.
        unsafe {
            let data = LLVMGetValueName2(self.raw, &mut len);
            borrowed_text(data, len)
        }
    }

    /// LLVM's text for it. Slow.
    pub(crate) fn text(self) -> String {
        // SAFETY: the value is valid; the string is ours to free.
        unsafe { take_message(LLVMPrintValueToString(self.raw)) }
    }

    /// Whether it is an instruction.
    pub(crate) fn is_instruction(self) -> bool {
        self.value_kind() == ValueKind::LLVMInstructionValueKind
    }

    /// Whether it is a function.
    pub(crate) fn is_function(self) -> bool {
        self.value_kind() == ValueKind::LLVMFunctionValueKind
    }

    fn is_constant_expr(self) -> bool {
        self.value_kind() == ValueKind::LLVMConstantExprValueKind
    }

    fn has_opcode(self, opcode: Opcode) -> bool {
        self.opcode() == Some(opcode)
    }

    /// The operation of an instruction or constant expression.
    pub(crate) fn opcode(self) -> Option<Opcode> {
        // SAFETY: asked of instructions and constant expressions only.
        unsafe {
            if self.is_instruction() {
                Some(LLVMGetInstructionOpcode(self.raw))
            } else if self.is_constant_expr() {
                Some(LLVMGetConstOpcode(self.raw))
            } else {
                None
            }
        }
    }

    /// How many operands it has.
    pub(crate) fn operand_count(self) -> u32 {
        // SAFETY: the value is valid; users have a number of operands, others none.
        unsafe {
            if LLVMIsAUser(self.raw).is_null() {
                return 0;
            }
            u32::try_from(LLVMGetNumOperands(self.raw)).unwrap_or(0)
        }
    }

    /// An operand.
    pub(crate) fn operand(self, index: u32) -> Value<'m> {
        assert!(index < self.operand_count(), "operand {index} should exist in {}", self.text());
        // SAFETY: the operand exists.
        Value::known(unsafe { LLVMGetOperand(self.raw, index) })
    }

    /// All operands.
    pub(crate) fn operands(self) -> impl Iterator<Item = Value<'m>> {
        (0..self.operand_count()).map(move |i| self.operand(i))
    }

    /// The instructions and constants that use it, once per use.
    pub(crate) fn users(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: the value is valid; each use leads to the next, and has a user.
        let first = unsafe { LLVMGetFirstUse(self.raw) };
        let next = |u: &LLVMUseRef| {
            // SAFETY: as above.
            let next = unsafe { LLVMGetNextUse(*u) };
            (!next.is_null()).then_some(next)
        };
        // SAFETY: as above.
        std::iter::successors((!first.is_null()).then_some(first), next)
            .map(|u| Value::known(unsafe { LLVMGetUser(u) }))
    }

    /// The block of an instruction.
    pub(crate) fn block(self) -> Option<Block<'m>> {
        if !self.is_instruction() {
            return None;
        }
        // SAFETY: it is an instruction.
        Block::wrap(unsafe { LLVMGetInstructionParent(self.raw) })
    }

    /// The block that this value is (the operand of a branch).
    pub(crate) fn as_block(self) -> Option<Block<'m>> {
        // SAFETY: converted only if it is a block.
        unsafe { (LLVMValueIsBasicBlock(self.raw) != 0).then(|| LLVMValueAsBasicBlock(self.raw)) }.and_then(Block::wrap)
    }

    // ----- constants

    /// Whether it is a constant zero of any type.
    pub(crate) fn is_null(self) -> bool {
        // SAFETY: the value is valid.
        unsafe { LLVMIsNull(self.raw) != 0 }
    }

    /// Whether it is `undef` or `poison`.
    pub(crate) fn is_undef(self) -> bool {
        // SAFETY: the value is valid. Poison is a kind of undef for this test.
        unsafe { LLVMIsUndef(self.raw) != 0 || LLVMIsPoison(self.raw) != 0 }
    }

    /// The value of an integer constant, up to 128 bits, without sign.
    pub(crate) fn as_int(self) -> Option<u128> {
        if self.value_kind() != ValueKind::LLVMConstantIntValueKind {
            return None;
        }
        let width = self.ty().int_width();
        if width <= 64 {
            // SAFETY: it is an integer constant that fits.
            return Some(u128::from(unsafe { LLVMConstIntGetZExtValue(self.raw) }));
        }
        // The C interface has no way to the higher words but the text: `i128 -5`.
        let text = self.text();
        let digits = text.rsplit(' ').next()?;
        let value = match digits.strip_prefix('-') {
            Some(digits) => digits.parse::<u128>().ok()?.wrapping_neg(),
            None => digits.parse::<u128>().ok()?,
        };
        (width <= 128).then(|| if width == 128 { value } else { value & ((1 << width) - 1) })
    }

    /// The bits of a floating-point constant.
    pub(crate) fn as_float_bits(self) -> Option<u128> {
        if self.value_kind() != ValueKind::LLVMConstantFPValueKind {
            return None;
        }
        // SAFETY: it is a floating-point constant.
        let value = || unsafe { LLVMConstRealGetDouble(self.raw, &mut 0) };
        match self.ty().kind() {
            TypeKind::LLVMFloatTypeKind => Some(u128::from((value() as f32).to_bits())),
            TypeKind::LLVMDoubleTypeKind => Some(u128::from(value().to_bits())),
            // The text is `x86_fp80 0xK...` (20 digits), `half 0xH...`, `bfloat 0xR...`; `fp128 0xL...` has its low half
            // first.
            _ => {
                let text = self.text();
                let digits = text.rsplit(' ').next()?.strip_prefix("0x")?;
                let bits = u128::from_str_radix(digits.get(1..)?, 16).ok()?;
                Some(if digits.starts_with('L') { bits.rotate_left(64) } else { bits })
            }
        }
    }

    /// The bytes of a constant array of bytes.
    pub(crate) fn as_bytes(self) -> Option<Vec<u8>> {
        if self.value_kind() != ValueKind::LLVMConstantDataArrayValueKind {
            return None;
        }
        let mut len = 0;
        // SAFETY: it is a constant data array, whose bytes LLVM owns.
        unsafe {
            if LLVMIsConstantString(self.raw) == 0 {
                return None;
            }
            let data = LLVMGetAsString(self.raw, &mut len);
            Some(std::slice::from_raw_parts(data.cast::<u8>(), len).to_vec())
        }
    }

    /// An element of a constant aggregate.
    pub(crate) fn element(self, index: u32) -> Option<Value<'m>> {
        // SAFETY: LLVM answers with null if there is no such element or it is no aggregate constant.
        unsafe {
            if LLVMIsConstant(self.raw) == 0 {
                return None;
            }
            Value::wrap(LLVMGetAggregateElement(self.raw, index))
        }
    }

    // ----- globals and functions

    fn is_global_value(self) -> bool {
        // SAFETY: the value is valid.
        unsafe { !LLVMIsAGlobalValue(self.raw).is_null() }
    }

    /// Whether it is a global without a definition here.
    pub(crate) fn is_declaration(self) -> bool {
        // SAFETY: asked of globals only.
        self.is_global_value() && unsafe { LLVMIsDeclaration(self.raw) != 0 }
    }

    /// The linkage of a global.
    pub(crate) fn linkage(self) -> Option<Linkage> {
        // SAFETY: asked of globals only.
        self.is_global_value().then(|| unsafe { LLVMGetLinkage(self.raw) })
    }

    fn is_global_variable(self) -> bool {
        self.value_kind() == ValueKind::LLVMGlobalVariableValueKind
    }

    /// The type of what a global variable or function is (its own type is a pointer).
    pub(crate) fn global_value_type(self) -> Option<Ty<'m>> {
        // SAFETY: asked of globals only.
        self.is_global_value().then(|| Ty::known(unsafe { LLVMGlobalGetValueType(self.raw) }))
    }

    /// The initialiser of a global variable.
    pub(crate) fn initializer(self) -> Option<Value<'m>> {
        if !self.is_global_variable() {
            return None;
        }
        // SAFETY: it is a global variable; null without an initialiser.
        Value::wrap(unsafe { LLVMGetInitializer(self.raw) })
    }

    /// Whether every thread has a copy of the global variable.
    pub(crate) fn is_thread_local(self) -> bool {
        // SAFETY: asked of global variables only.
        self.is_global_variable() && unsafe { LLVMIsThreadLocal(self.raw) != 0 }
    }

    /// Whether the global variable is never written.
    pub(crate) fn is_global_constant(self) -> bool {
        // SAFETY: asked of global variables only.
        self.is_global_variable() && unsafe { LLVMIsGlobalConstant(self.raw) != 0 }
    }

    /// What an alias stands for, or the function that an ifunc asks.
    pub(crate) fn aliasee(self) -> Option<Value<'m>> {
        if self.value_kind() != ValueKind::LLVMGlobalAliasValueKind {
            return None;
        }
        // SAFETY: it is an alias.
        Value::wrap(unsafe { LLVMAliasGetAliasee(self.raw) })
    }

    /// The alignment of a global variable, allocation or access; 0 if not stated.
    pub(crate) fn alignment(self) -> u64 {
        let has_one = self.is_global_variable() || self.has_opcode(Opcode::LLVMAlloca);
        // SAFETY: asked of global variables and allocations only.
        if has_one && (self.is_global_variable() || self.is_instruction()) {
            u64::from(unsafe { LLVMGetAlignment(self.raw) })
        } else {
            0
        }
    }

    /// The parameters of a function.
    pub(crate) fn params(self) -> Vec<Value<'m>> {
        if !self.is_function() {
            return Vec::new();
        }
        // SAFETY: it is a function.
        unsafe { (0..LLVMCountParams(self.raw)).map(|i| Value::known(LLVMGetParam(self.raw, i))).collect() }
    }

    /// The blocks of a function, its entry first.
    pub(crate) fn blocks(self) -> Vec<Block<'m>> {
        if !self.is_function() {
            return Vec::new();
        }
        // SAFETY: it is a function; each block leads to the next.
        unsafe {
            let first = Block::wrap(LLVMGetFirstBasicBlock(self.raw));
            std::iter::successors(first, |b| Block::wrap(LLVMGetNextBasicBlock(b.raw))).collect()
        }
    }

    /// Function and block of a label's address.
    pub(crate) fn block_address(self) -> Option<(Value<'m>, Block<'m>)> {
        if self.value_kind() != ValueKind::LLVMBlockAddressValueKind {
            return None;
        }
        // SAFETY: it is the address of a block.
        unsafe {
            let function = Value::wrap(LLVMGetBlockAddressFunction(self.raw))?;
            Some((function, Block::wrap(LLVMGetBlockAddressBasicBlock(self.raw))?))
        }
    }

    // ----- debug information

    /// File, line and column of an instruction, function or global variable.
    pub(crate) fn position(self) -> Option<(String, u32, u32)> {
        if !(self.is_instruction() || self.is_function() || self.is_global_variable()) {
            return None;
        }
        let mut len = 0;
        // SAFETY: asked only of the three kinds that have a position; the name belongs to LLVM.
        unsafe {
            let line = LLVMGetDebugLocLine(self.raw);
            if line == 0 {
                return None;
            }
            let column = if self.is_instruction() { LLVMGetDebugLocColumn(self.raw) } else { 0 };
            let data = LLVMGetDebugLocFilename(self.raw, &mut len);
            Some((borrowed_text(data, len as usize), line, column))
        }
    }

    /// Of a `llvm.dbg.declare` call: the variable's address and its name in the source.
    pub(crate) fn declared_variable(self) -> Option<(Value<'m>, String)> {
        // SAFETY: it is such a call, so its operands are metadata wrapped as values; a local variable's second operand
        // is its name. All kinds are checked on the way.
        unsafe {
            if LLVMIsADbgDeclareInst(self.raw).is_null() {
                return None;
            }
            let address = LLVMGetOperand(self.raw, 0);
            let mut wrapped = [ptr::null_mut()];
            if LLVMGetMDNodeNumOperands(address) != 1 {
                return None;
            }
            LLVMGetMDNodeOperands(address, wrapped.as_mut_ptr());
            let variable = LLVMGetOperand(self.raw, 1);
            if LLVMIsAMDNode(variable).is_null() {
                return None;
            }
            let mut operands = vec![ptr::null_mut(); LLVMGetMDNodeNumOperands(variable) as usize];
            LLVMGetMDNodeOperands(variable, operands.as_mut_ptr());
            let name = *operands.get(1)?;
            if name.is_null() || LLVMIsAMDString(name).is_null() {
                return None;
            }
            let mut len = 0;
            let data = LLVMGetMDString(name, &mut len);
            Some((Value::wrap(wrapped[0])?, borrowed_text(data, len as usize)))
        }
    }

    // ----- instructions

    /// The type an `alloca` makes room for.
    pub(crate) fn allocated_type(self) -> Option<Ty<'m>> {
        if !(self.is_instruction() && self.has_opcode(Opcode::LLVMAlloca)) {
            return None;
        }
        // SAFETY: it is an allocation.
        Ty::wrap(unsafe { LLVMGetAllocatedType(self.raw) })
    }

    /// The type that the first index of a `getelementptr` steps over.
    pub(crate) fn gep_source_type(self) -> Option<Ty<'m>> {
        if !self.has_opcode(Opcode::LLVMGetElementPtr) {
            return None;
        }
        // SAFETY: it is an address computation (instruction or constant).
        Ty::wrap(unsafe { LLVMGetGEPSourceElementType(self.raw) })
    }

    /// The comparison of an `icmp`.
    pub(crate) fn int_predicate(self) -> Option<IntPredicate> {
        // SAFETY: it is such a comparison.
        self.has_opcode(Opcode::LLVMICmp).then(|| unsafe { LLVMGetICmpPredicate(self.raw) })
    }

    /// The comparison of an `fcmp`.
    pub(crate) fn real_predicate(self) -> Option<RealPredicate> {
        // SAFETY: it is such a comparison.
        self.has_opcode(Opcode::LLVMFCmp).then(|| unsafe { LLVMGetFCmpPredicate(self.raw) })
    }

    fn is_call(self) -> bool {
        self.is_instruction()
            && matches!(self.opcode(), Some(Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr))
    }

    /// What a call calls.
    pub(crate) fn called(self) -> Option<Value<'m>> {
        // SAFETY: it is a call.
        self.is_call().then(|| Value::known(unsafe { LLVMGetCalledValue(self.raw) }))
    }

    /// The function type a call is made with.
    pub(crate) fn called_type(self) -> Option<Ty<'m>> {
        // SAFETY: it is a call.
        self.is_call().then(|| Ty::known(unsafe { LLVMGetCalledFunctionType(self.raw) }))
    }

    /// The arguments of a call.
    pub(crate) fn args(self) -> Vec<Value<'m>> {
        if !self.is_call() {
            return Vec::new();
        }
        // SAFETY: it is a call; its first operands are the arguments.
        let count = unsafe { LLVMGetNumArgOperands(self.raw) };
        (0..count).map(|i| self.operand(i)).collect()
    }

    /// Where an `invoke` goes on.
    pub(crate) fn normal_destination(self) -> Option<Block<'m>> {
        if !(self.is_instruction() && self.has_opcode(Opcode::LLVMInvoke)) {
            return None;
        }
        // SAFETY: it is an invoke.
        Block::wrap(unsafe { LLVMGetNormalDest(self.raw) })
    }

    /// Text and constraints of inline assembly.
    pub(crate) fn inline_asm(self) -> Option<(String, String)> {
        if self.value_kind() != ValueKind::LLVMInlineAsmValueKind {
            return None;
        }
        let (mut text_len, mut constraints_len) = (0, 0);
        // SAFETY: it is inline assembly; the strings belong to LLVM.
        unsafe {
            let text = LLVMGetInlineAsmAsmString(self.raw, &mut text_len);
            let constraints = LLVMGetInlineAsmConstraintString(self.raw, &mut constraints_len);
            Some((borrowed_text(text, text_len), borrowed_text(constraints, constraints_len)))
        }
    }

    /// The successors of a terminator.
    pub(crate) fn successors(self) -> Vec<Block<'m>> {
        // SAFETY: asked of terminators only.
        unsafe {
            if !self.is_instruction() || LLVMIsATerminatorInst(self.raw).is_null() {
                return Vec::new();
            }
            (0..LLVMGetNumSuccessors(self.raw)).filter_map(|i| Block::wrap(LLVMGetSuccessor(self.raw, i))).collect()
        }
    }

    /// The condition of a conditional branch.
    pub(crate) fn condition(self) -> Option<Value<'m>> {
        if !(self.is_instruction() && self.has_opcode(Opcode::LLVMBr)) {
            return None;
        }
        // SAFETY: it is a branch, and the condition is asked only if it has one.
        unsafe { (LLVMIsConditional(self.raw) != 0).then(|| Value::known(LLVMGetCondition(self.raw))) }
    }

    /// The incoming values of a phi with their blocks.
    pub(crate) fn incoming(self) -> Vec<(Value<'m>, Block<'m>)> {
        if !(self.is_instruction() && self.has_opcode(Opcode::LLVMPHI)) {
            return Vec::new();
        }
        // SAFETY: it is a phi, and the indices exist.
        unsafe {
            (0..LLVMCountIncoming(self.raw))
                .filter_map(|i| {
                    let block = Block::wrap(LLVMGetIncomingBlock(self.raw, i))?;
                    Some((Value::known(LLVMGetIncomingValue(self.raw, i)), block))
                })
                .collect()
        }
    }

    /// The indices of `extractvalue` and `insertvalue`.
    pub(crate) fn indices(self) -> Vec<u32> {
        let has_indices = self.has_opcode(Opcode::LLVMExtractValue) || self.has_opcode(Opcode::LLVMInsertValue);
        if !(self.is_instruction() && has_indices) {
            return Vec::new();
        }
        // SAFETY: it is one of the two, and LLVM owns that many indices.
        unsafe { std::slice::from_raw_parts(LLVMGetIndices(self.raw), LLVMGetNumIndices(self.raw) as usize).to_vec() }
    }

    /// The mask of a `shufflevector`; `None` for elements that may be anything.
    pub(crate) fn shuffle_mask(self) -> Vec<Option<u32>> {
        if !(self.is_instruction() && self.has_opcode(Opcode::LLVMShuffleVector)) {
            return Vec::new();
        }
        // SAFETY: it is a shuffle, and the indices exist.
        unsafe {
            (0..LLVMGetNumMaskElements(self.raw)).map(|i| u32::try_from(LLVMGetMaskValue(self.raw, i)).ok()).collect()
        }
    }

    fn is_access(self) -> bool {
        use Opcode::*;
        self.is_instruction()
            && matches!(self.opcode(), Some(LLVMLoad | LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg))
    }

    /// Whether an access is volatile.
    pub(crate) fn is_volatile(self) -> bool {
        // SAFETY: asked of accesses only.
        self.is_access() && unsafe { LLVMGetVolatile(self.raw) != 0 }
    }

    /// The order of a load, store, fence or read-modify-write.
    pub(crate) fn ordering(self) -> AtomicOrdering {
        use Opcode::*;
        let has_one = matches!(self.opcode(), Some(LLVMLoad | LLVMStore | LLVMAtomicRMW | LLVMFence));
        if !(self.is_instruction() && has_one) {
            return AtomicOrdering::LLVMAtomicOrderingNotAtomic;
        }
        // SAFETY: it is one of the four.
        unsafe { LLVMGetOrdering(self.raw) }
    }

    /// The orders of a compare-exchange, on success and on failure, and whether it may fail for no reason.
    pub(crate) fn compare_exchange(self) -> Option<(AtomicOrdering, AtomicOrdering, bool)> {
        if !(self.is_instruction() && self.has_opcode(Opcode::LLVMAtomicCmpXchg)) {
            return None;
        }
        // SAFETY: it is a compare-exchange.
        unsafe {
            Some((
                LLVMGetCmpXchgSuccessOrdering(self.raw),
                LLVMGetCmpXchgFailureOrdering(self.raw),
                LLVMGetWeak(self.raw) != 0,
            ))
        }
    }

    /// What a read-modify-write does.
    pub(crate) fn rmw_op(self) -> Option<RmwBinOp> {
        if !(self.is_instruction() && self.has_opcode(Opcode::LLVMAtomicRMW)) {
            return None;
        }
        // SAFETY: it is a read-modify-write. `load` refuses the operations that the C interface does not know.
        Some(unsafe { LLVMGetAtomicRMWBinOp(self.raw) })
    }

    /// Whether an atomic instruction only orders within its own thread (a signal fence).
    pub(crate) fn is_single_thread(self) -> bool {
        let is_atomic = self.has_opcode(Opcode::LLVMFence);
        // SAFETY: asked of fences only.
        self.is_instruction() && is_atomic && unsafe { LLVMIsAtomicSingleThread(self.raw) != 0 }
    }
}
