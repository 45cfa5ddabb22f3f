//! The instructions and intrinsic functions of LLVM that are lowered, as data.
//!
//! These tables are gates: anything not listed becomes `unmodelled`, even if code below could lower it. `cargo xtask
//! lowering` compares each entry with LLVM's own execution, and a test fails for an entry without a generator there, so
//! that nothing can be lowered untested.

use crate::llvm::Opcode;

/// The lowering of a call of an intrinsic function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// It has a value, or accesses memory.
    Lowered,
    /// It ends the process.
    Ends,
    /// Nothing, for this reason.
    Ignored(&'static str),
}

use Meaning::{Ends, Ignored, Lowered};

const DEBUG: &str = "describes the program to debuggers";
const HINT: &str = "a hint to the optimiser; a program without undefined behaviour does the same without it";
const FREES_NOTHING: &str = "ends the use of what va_start made, which owns nothing";

/// The supported intrinsic functions, by their names without overloaded types.
pub const INTRINSICS: &[(&str, Meaning)] = &[
    ("llvm.dbg.declare", Ignored(DEBUG)),
    ("llvm.dbg.value", Ignored(DEBUG)),
    ("llvm.dbg.assign", Ignored(DEBUG)),
    ("llvm.dbg.label", Ignored(DEBUG)),
    ("llvm.lifetime.start", Lowered),
    ("llvm.lifetime.end", Lowered),
    ("llvm.stackrestore", Lowered),
    ("llvm.assume", Ignored(HINT)),
    ("llvm.donothing", Ignored("does nothing")),
    ("llvm.invariant.start", Ignored(HINT)),
    ("llvm.invariant.end", Ignored(HINT)),
    ("llvm.var.annotation", Ignored("a note for other tools")),
    ("llvm.va_end", Ignored(FREES_NOTHING)),
    ("llvm.prefetch", Ignored("changes the cache and not memory, and does not fault")),
    ("llvm.clear_cache", Ignored("is about code that is written at run time, which no program here can call")),
    ("llvm.x86.sse2.pause", Ignored("a pause")),
    ("llvm.experimental.noalias.scope.decl", Ignored(HINT)),
    ("llvm.pseudoprobe", Ignored("marks a block for profiles")),
    ("llvm.expect", Lowered),
    ("llvm.expect.with.probability", Lowered),
    ("llvm.threadlocal.address", Lowered),
    ("llvm.launder.invariant.group", Lowered),
    ("llvm.strip.invariant.group", Lowered),
    ("llvm.ptr.annotation", Lowered),
    ("llvm.annotation", Lowered),
    ("llvm.arithmetic.fence", Lowered),
    ("llvm.memcpy", Lowered),
    ("llvm.memcpy.inline", Lowered),
    ("llvm.memmove", Lowered),
    ("llvm.memset", Lowered),
    ("llvm.memset.inline", Lowered),
    ("llvm.x86.sse2.mfence", Lowered),
    ("llvm.x86.sse2.lfence", Lowered),
    ("llvm.x86.sse.sfence", Lowered),
    ("llvm.va_start", Lowered),
    ("llvm.va_copy", Lowered),
    ("llvm.trap", Ends),
    ("llvm.debugtrap", Ends),
    ("llvm.ubsantrap", Ends),
    ("llvm.abs", Lowered),
    ("llvm.ctpop", Lowered),
    ("llvm.ctlz", Lowered),
    ("llvm.cttz", Lowered),
    ("llvm.bswap", Lowered),
    ("llvm.bitreverse", Lowered),
    ("llvm.fabs", Lowered),
    ("llvm.sqrt", Lowered),
    ("llvm.floor", Lowered),
    ("llvm.ceil", Lowered),
    ("llvm.trunc", Lowered),
    ("llvm.smax", Lowered),
    ("llvm.smin", Lowered),
    ("llvm.umax", Lowered),
    ("llvm.umin", Lowered),
    ("llvm.sadd.sat", Lowered),
    ("llvm.uadd.sat", Lowered),
    ("llvm.ssub.sat", Lowered),
    ("llvm.usub.sat", Lowered),
    ("llvm.copysign", Lowered),
    ("llvm.maxnum", Lowered),
    ("llvm.minnum", Lowered),
    ("llvm.fshl", Lowered),
    ("llvm.fshr", Lowered),
    ("llvm.fmuladd", Lowered),
    ("llvm.sadd.with.overflow", Lowered),
    ("llvm.uadd.with.overflow", Lowered),
    ("llvm.ssub.with.overflow", Lowered),
    ("llvm.usub.with.overflow", Lowered),
    ("llvm.smul.with.overflow", Lowered),
    ("llvm.umul.with.overflow", Lowered),
    ("llvm.stacksave", Lowered),
    ("llvm.is.constant", Lowered),
    ("llvm.objectsize", Lowered),
    ("llvm.is.fpclass", Lowered),
    ("llvm.readcyclecounter", Lowered),
];

/// The supported instructions other than terminators.
const INSTRUCTIONS: &[(Opcode, &str)] = &[
    (Opcode::LLVMPHI, "phi"),
    (Opcode::LLVMAlloca, "alloca"),
    (Opcode::LLVMLoad, "load"),
    (Opcode::LLVMStore, "store"),
    (Opcode::LLVMAtomicRMW, "atomicrmw"),
    (Opcode::LLVMAtomicCmpXchg, "cmpxchg"),
    (Opcode::LLVMFence, "fence"),
    (Opcode::LLVMCall, "call"),
    (Opcode::LLVMICmp, "icmp"),
    (Opcode::LLVMFCmp, "fcmp"),
    (Opcode::LLVMGetElementPtr, "getelementptr"),
    (Opcode::LLVMSelect, "select"),
    (Opcode::LLVMFreeze, "freeze"),
    (Opcode::LLVMExtractValue, "extractvalue"),
    (Opcode::LLVMInsertValue, "insertvalue"),
    (Opcode::LLVMExtractElement, "extractelement"),
    (Opcode::LLVMInsertElement, "insertelement"),
    (Opcode::LLVMShuffleVector, "shufflevector"),
    (Opcode::LLVMFNeg, "fneg"),
    (Opcode::LLVMAdd, "add"),
    (Opcode::LLVMSub, "sub"),
    (Opcode::LLVMMul, "mul"),
    (Opcode::LLVMUDiv, "udiv"),
    (Opcode::LLVMSDiv, "sdiv"),
    (Opcode::LLVMURem, "urem"),
    (Opcode::LLVMSRem, "srem"),
    (Opcode::LLVMShl, "shl"),
    (Opcode::LLVMLShr, "lshr"),
    (Opcode::LLVMAShr, "ashr"),
    (Opcode::LLVMAnd, "and"),
    (Opcode::LLVMOr, "or"),
    (Opcode::LLVMXor, "xor"),
    (Opcode::LLVMFAdd, "fadd"),
    (Opcode::LLVMFSub, "fsub"),
    (Opcode::LLVMFMul, "fmul"),
    (Opcode::LLVMFDiv, "fdiv"),
    (Opcode::LLVMFRem, "frem"),
    (Opcode::LLVMTrunc, "trunc"),
    (Opcode::LLVMZExt, "zext"),
    (Opcode::LLVMSExt, "sext"),
    (Opcode::LLVMFPToUI, "fptoui"),
    (Opcode::LLVMFPToSI, "fptosi"),
    (Opcode::LLVMUIToFP, "uitofp"),
    (Opcode::LLVMSIToFP, "sitofp"),
    (Opcode::LLVMFPTrunc, "fptrunc"),
    (Opcode::LLVMFPExt, "fpext"),
    (Opcode::LLVMPtrToInt, "ptrtoint"),
    (Opcode::LLVMIntToPtr, "inttoptr"),
    (Opcode::LLVMBitCast, "bitcast"),
];

/// The names of the supported instructions other than terminators.
pub fn instructions() -> impl Iterator<Item = &'static str> {
    INSTRUCTIONS.iter().map(|(_, name)| *name)
}

/// Whether an instruction other than a terminator is supported.
pub(crate) fn has_instruction(opcode: Opcode) -> bool {
    INSTRUCTIONS.iter().any(|(listed, _)| *listed == opcode)
}

/// The lowering of the intrinsic function with this name, without types; `None` if it is not supported.
pub(crate) fn meaning(name: &str) -> Option<Meaning> {
    INTRINSICS.iter().find(|(listed, _)| *listed == name).map(|(_, meaning)| *meaning)
}
