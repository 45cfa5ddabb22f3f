//! Values: constants, globals, functions, parameters and instructions.

use super::{borrowed_text, take_message, Block, Ty};
use super::{AtomicOrdering, IntPredicate, Linkage, Opcode, RealPredicate, RmwBinOp, TypeKind, ValueKind};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::marker::PhantomData;
use std::ptr;

/// A value: a constant, global, function, parameter or instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Value<'m> {
    pub(super) raw: LLVMValueRef,
    module: PhantomData<&'m ()>,
}

impl<'m> Value<'m> {
    pub(super) fn wrap(raw: LLVMValueRef) -> Option<Value<'m>> {
        (!raw.is_null()).then_some(Value { raw, module: PhantomData })
    }

    fn known(raw: LLVMValueRef) -> Value<'m> {
        Value::wrap(raw).expect("LLVM should know the value")
    }

    /// Its kind.
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

    /// The name of an intrinsic function without its overloaded types; `None` if it is not one.
    pub(crate) fn intrinsic_name(self) -> Option<String> {
        if !self.is_function() {
            return None;
        }
        let mut len = 0;
        // SAFETY: it is a function; LLVM returns the name of an intrinsic it knows, and its length.
        unsafe {
            match LLVMGetIntrinsicID(self.raw) {
                0 => None,
                id => {
                    let data = LLVMIntrinsicGetName(id, &mut len);
                    Some(borrowed_text(data, len))
                }
            }
        }
    }

    /// LLVM's text form. Slow.
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

    /// The number of operands.
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

    /// The basic block, if the value is one (the operand of a branch).
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

    /// Whether it is a constant that does not depend on addresses.
    pub(crate) fn is_manifest(self) -> bool {
        use ValueKind::*;
        matches!(
            self.value_kind(),
            LLVMConstantIntValueKind
                | LLVMConstantFPValueKind
                | LLVMConstantPointerNullValueKind
                | LLVMConstantAggregateZeroValueKind
                | LLVMConstantDataArrayValueKind
                | LLVMConstantDataVectorValueKind
        )
    }

    /// Whether it is `undef` or `poison`.
    pub(crate) fn is_undef(self) -> bool {
        // SAFETY: the value is valid. Poison is a kind of undef for this test.
        unsafe { LLVMIsUndef(self.raw) != 0 || LLVMIsPoison(self.raw) != 0 }
    }

    /// Whether it is `poison`, that is, found undefined by the compiler. (Aggregates built part by part also start from
    /// it.)
    pub(crate) fn is_poison(self) -> bool {
        // SAFETY: the value is valid.
        unsafe { LLVMIsPoison(self.raw) != 0 }
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
        // The C interface gives the higher words only as text: `i128 -5`.
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
        let width = match self.ty().kind() {
            TypeKind::LLVMHalfTypeKind | TypeKind::LLVMBFloatTypeKind => 16,
            TypeKind::LLVMFloatTypeKind => 32,
            TypeKind::LLVMDoubleTypeKind => 64,
            TypeKind::LLVMX86_FP80TypeKind => 80,
            TypeKind::LLVMFP128TypeKind => 128,
            _ => return None,
        };
        // Asking for the number would quieten a signalling not-a-number of another format than `double`.
        // SAFETY: it is a floating-point constant of that width, and LLVM folds the cast to an integer constant.
        let int = unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw));
            Value::known(LLVMConstBitCast(self.raw, LLVMIntTypeInContext(context, width)))
        };
        int.as_int()
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

    /// Whether it is a global that only its module sees.
    pub(crate) fn is_local(self) -> bool {
        matches!(self.linkage(), Some(Linkage::LLVMInternalLinkage | Linkage::LLVMPrivateLinkage))
    }

    pub(crate) fn is_global_variable(self) -> bool {
        self.value_kind() == ValueKind::LLVMGlobalVariableValueKind
    }

    /// The value type of a global variable or function (its own type is a pointer).
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

    /// Whether the global variable is thread-local.
    pub(crate) fn is_thread_local(self) -> bool {
        // SAFETY: asked of global variables only.
        self.is_global_variable() && unsafe { LLVMIsThreadLocal(self.raw) != 0 }
    }

    /// Whether the global variable is never written.
    pub(crate) fn is_global_constant(self) -> bool {
        // SAFETY: asked of global variables only.
        self.is_global_variable() && unsafe { LLVMIsGlobalConstant(self.raw) != 0 }
    }

    /// The target of an alias, or the resolver of an ifunc.
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
        if !has_one {
            return 0;
        }
        // SAFETY: it is a global variable or an allocation.
        u64::from(unsafe { LLVMGetAlignment(self.raw) })
    }

    /// The parameters of a function.
    pub(crate) fn params(self) -> Vec<Value<'m>> {
        if !self.is_function() {
            return Vec::new();
        }
        // SAFETY: it is a function.
        unsafe { (0..LLVMCountParams(self.raw)).map(|i| Value::known(LLVMGetParam(self.raw, i))).collect() }
    }

    /// The basic blocks of a function, its entry first.
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

    /// The function and basic block of a label's address.
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

    /// For a `llvm.dbg.declare` call: the variable's address and its name in the source.
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

    /// The allocated type of an `alloca`.
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

    /// The callee of a call.
    pub(crate) fn called(self) -> Option<Value<'m>> {
        // SAFETY: it is a call.
        self.is_call().then(|| Value::known(unsafe { LLVMGetCalledValue(self.raw) }))
    }

    /// The function type of a call.
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

    /// The normal successor of an `invoke`.
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
        self.is_instruction() && matches!(self.opcode(), Some(LLVMLoad | LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg))
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

    /// The orders of a compare-exchange, on success and on failure, and whether it may fail spuriously.
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

    /// The operation of a read-modify-write.
    pub(crate) fn rmw_op(self) -> Option<RmwBinOp> {
        if !(self.is_instruction() && self.has_opcode(Opcode::LLVMAtomicRMW)) {
            return None;
        }
        // SAFETY: it is a read-modify-write.
        Some(unsafe { LLVMGetAtomicRMWBinOp(self.raw) })
    }

    /// Whether an atomic instruction only orders accesses within its own thread (a signal fence).
    pub(crate) fn is_single_thread(self) -> bool {
        let is_atomic = self.has_opcode(Opcode::LLVMFence);
        // SAFETY: asked of fences only.
        self.is_instruction() && is_atomic && unsafe { LLVMIsAtomicSingleThread(self.raw) != 0 }
    }
}
