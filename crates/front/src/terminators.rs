//! Lowers terminators: branches become several `assume` edges with exclusive conditions, and phis become assignments on
//! the incoming edges.

use crate::function::FunctionLowering;
use crate::layout::{gap, Lower};
use crate::llvm::{Block, Opcode, Value};
use crate::{calls, simplify};
use ir::{BinaryOp, Expr, LocalId, Stmt, Type};

/// The message for reaching LLVM's `unreachable`.
pub(crate) const UNREACHABLE: &str =
    "undefined behaviour (the end of a function that has to return a value or must not return, or __builtin_unreachable)";

/// Lowers a terminator; `false` if the instruction is not one.
pub(crate) fn lower<'m>(f: &mut FunctionLowering<'_, 'm>, block: Block<'m>, instruction: Value<'m>) -> Lower<bool> {
    match instruction.opcode() {
        Some(Opcode::LLVMBr) => branch(f, block, instruction)?,
        Some(Opcode::LLVMSwitch) => {
            f.renew(instruction)?;
            switch(f, block, instruction)?;
        }
        Some(Opcode::LLVMRet) => {
            let values = if instruction.operand_count() == 0 { vec![] } else { f.operand(instruction.operand(0))? };
            if f.is_atomic {
                f.builder.emit(Stmt::AtomicEnd { is_fence: true });
            }
            f.builder.emit_leave(Stmt::Return(values));
        }
        Some(Opcode::LLVMInvoke) => {
            // Exceptions are not modelled: the call that throws one is unmodelled.
            calls::lower(f, instruction)?;
            let normal = instruction.normal_destination().ok_or_else(|| gap("invoke"))?;
            go(f, block, normal)?;
        }
        Some(Opcode::LLVMIndirectBr) => indirect(f, block, instruction)?,
        Some(Opcode::LLVMUnreachable) if is_never_reached(f, block, instruction) => f.builder.emit_leave(Stmt::Exit),
        Some(Opcode::LLVMUnreachable) => f.builder.emit_unmodelled(UNREACHABLE.into()),
        Some(Opcode::LLVMResume) => return Err(gap("exception handling")),
        Some(Opcode::LLVMCallBr) => return Err(gap("asm goto")),
        Some(
            Opcode::LLVMCleanupRet
            | Opcode::LLVMCatchRet
            | Opcode::LLVMCatchSwitch
            | Opcode::LLVMCatchPad
            | Opcode::LLVMCleanupPad,
        ) => return Err(gap("exception handling")),
        _ => return Ok(false),
    }
    Ok(true)
}

/// Whether control certainly does not reach an `unreachable`: the call before it does not return, or clang made it on
/// its own, for example where it switches on the target of a jump. Undefined behaviour may lead to others.
fn is_never_reached<'m>(f: &FunctionLowering<'_, 'm>, block: Block<'m>, unreachable: Value<'m>) -> bool {
    let before = block.instructions().take_while(|instruction| *instruction != unreachable);
    match before.filter(|instruction| instruction.declared_variable().is_none()).last() {
        Some(call) => call.called().is_some_and(|called| called.is_declaration() || never_returns(called)),
        None => unreachable.scope().is_none() && f.function.is_some_and(Value::has_blocks),
    }
}

/// Whether a function has no `return`.
fn never_returns(function: Value<'_>) -> bool {
    let returns = |block: &Block<'_>| block.terminator().is_some_and(|last| last.opcode() == Some(Opcode::LLVMRet));
    !function.blocks().iter().any(returns)
}

fn branch<'m>(f: &mut FunctionLowering<'_, 'm>, block: Block<'m>, instruction: Value<'m>) -> Lower<()> {
    let successors = instruction.successors();
    let Some(condition) = instruction.condition() else {
        return go(f, block, successors[0]);
    };
    let condition = f.scalar(condition)?;
    if successors[0] == successors[1] {
        return go(f, block, successors[0]);
    }
    if let Expr::Int { value, .. } = condition {
        return go(f, block, successors[usize::from(value == 0)]);
    }
    let otherwise = f.builder.branch_if(condition);
    go(f, block, successors[0])?;
    f.builder.resume_at(otherwise);
    go(f, block, successors[1])
}

fn switch<'m>(f: &mut FunctionLowering<'_, 'm>, block: Block<'m>, instruction: Value<'m>) -> Lower<()> {
    let gap = || gap("a switch on an unusual type");
    let value = f.scalar(instruction.operand(0))?;
    let value = f.shared(value);
    let ty = f.type_of(&value);
    let (mut conditions, mut targets, mut others) = (Vec::new(), Vec::new(), Vec::new());
    // Operands: value, default, then case value and target in turn.
    for i in (2..instruction.operand_count()).step_by(2) {
        let case = simplify::int_of(ty, instruction.operand(i).as_int().ok_or_else(gap)?);
        targets.push(instruction.operand(i + 1).as_block().ok_or_else(gap)?);
        conditions.push(simplify::binary(BinaryOp::Eq, ty, value.clone(), case.clone()));
        others.push(simplify::binary(BinaryOp::Ne, ty, value.clone(), case));
    }
    targets.push(instruction.operand(1).as_block().ok_or_else(gap)?);
    conditions.push(conjunction(others));
    let locs = f.builder.branch(conditions);
    for (loc, target) in locs.into_iter().zip(targets) {
        f.builder.resume_at(loc);
        go(f, block, target)?;
    }
    Ok(())
}

/// A balanced conjunction, so that a switch with many cases is not a deep expression.
fn conjunction(mut conditions: Vec<Expr>) -> Expr {
    match conditions.len() {
        0 => Expr::bool(true),
        1 => conditions.remove(0),
        n => {
            let second = conditions.split_off(n / 2);
            simplify::binary(BinaryOp::And, Type::BOOL, conjunction(conditions), conjunction(second))
        }
    }
}

/// A computed `goto`: the address is compared with those of its possible labels.
fn indirect<'m>(f: &mut FunctionLowering<'_, 'm>, block: Block<'m>, instruction: Value<'m>) -> Lower<()> {
    let function = f.function.ok_or_else(|| gap("a computed goto"))?;
    let address = f.scalar(instruction.operand(0))?;
    let address = f.shared(address);
    let mut targets: Vec<Block<'m>> = Vec::new();
    for target in instruction.successors() {
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    let labels: Vec<Expr> = targets.iter().map(|target| Expr::Object(f.program.label(function, *target))).collect();
    let test = |op, label: Expr| Expr::binary(op, Type::Ptr, address.clone(), label);
    let mut conditions: Vec<Expr> = labels.iter().map(|label| test(BinaryOp::Eq, label.clone())).collect();
    conditions.push(conjunction(labels.into_iter().map(|label| test(BinaryOp::Ne, label)).collect()));
    let locs = f.builder.branch(conditions);
    for (i, loc) in locs.into_iter().enumerate() {
        f.builder.resume_at(loc);
        match targets.get(i) {
            Some(target) => go(f, block, *target)?,
            None => f.builder.emit_unmodelled("a computed goto to no label of the function".into()),
        }
    }
    Ok(())
}

/// Branches from one basic block to another: assigns the phis there simultaneously.
fn go<'m>(f: &mut FunctionLowering<'_, 'm>, from: Block<'m>, to: Block<'m>) -> Lower<()> {
    if f.builder.current().is_none() {
        return Ok(());
    }
    let mut moves: Vec<(LocalId, Expr)> = Vec::new();
    let mut sources = Vec::new();
    for phi in to.instructions().take_while(|i| i.opcode() == Some(Opcode::LLVMPHI)) {
        let incoming = phi.incoming().into_iter().find(|(_, block)| *block == from);
        let (value, _) = incoming.ok_or_else(|| gap("a phi without a value"))?;
        let locals = f.phi_locals(phi)?;
        sources.push(value);
        moves.extend(locals.into_iter().zip(f.operand(value)?));
    }
    moves.retain(|(dst, value)| *value != Expr::Local(*dst));
    if let ([(dst, value)], [source]) = (moves.as_slice(), sources.as_slice()) {
        if f.redirect_fresh(*dst, value, *source) {
            moves.clear();
        }
    }
    // Phis read their values before any of them changes: a value that mentions an earlier one is computed first.
    for i in 0..moves.len() {
        if moves[..i].iter().any(|(dst, _)| moves[i].1.mentions(*dst)) {
            let value = moves[i].1.clone();
            moves[i].1 = f.compute(value);
        }
    }
    for (dst, value) in moves {
        f.builder.emit(Stmt::Assign { dst, value });
    }
    let crossing = f.blocks.edge(&f.inside, from, to);
    f.cross(crossing)?;
    let loc = f.reach(to);
    f.builder.emit_to(Stmt::Skip, loc);
    Ok(())
}
