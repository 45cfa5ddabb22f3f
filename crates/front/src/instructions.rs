//! Lowers instructions other than terminators.

use crate::expr;
use crate::function::FunctionLowering;
use crate::layout::{gap, Lower};
use crate::llvm::{Opcode, Value};
use crate::{calls, memory, surface};

/// Lowers one instruction.
pub(crate) fn lower<'m>(f: &mut FunctionLowering<'_, 'm>, instruction: Value<'m>) -> Lower<()> {
    let opcode = instruction.opcode().ok_or_else(|| gap("an instruction without operation"))?;
    if !surface::has_instruction(opcode) {
        return Err(gap(unlisted(opcode, instruction)));
    }
    match opcode {
        Opcode::LLVMPHI => Ok(()),
        Opcode::LLVMAlloca => memory::alloca(f, instruction),
        Opcode::LLVMLoad => memory::load(f, instruction),
        Opcode::LLVMStore => memory::store(f, instruction),
        Opcode::LLVMAtomicRMW => memory::read_modify_write(f, instruction),
        Opcode::LLVMAtomicCmpXchg => memory::compare_exchange(f, instruction),
        Opcode::LLVMFence => memory::fence(f, instruction),
        Opcode::LLVMCall => calls::lower(f, instruction),
        opcode => {
            let exprs = expr::pure(f, opcode, instruction)?;
            f.define(instruction, exprs);
            Ok(())
        }
    }
}

/// The name of an unsupported instruction.
fn unlisted(opcode: Opcode, instruction: Value<'_>) -> String {
    match opcode {
        Opcode::LLVMVAArg => "va_arg".to_owned(),
        Opcode::LLVMLandingPad => "exception handling".to_owned(),
        _ => format!("instruction {}", instruction.text().trim()),
    }
}
