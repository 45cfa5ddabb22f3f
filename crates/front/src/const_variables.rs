//! Finds the `const` variables on the stack and in thread-local storage; `passes::const_variables` looks for writes of
//! them.
//!
//! Temporaries of C++ are `const` if a reference to `const` is bound to them, which debug information records for
//! variables and parameters. It does not record whether a compound literal is `const`.

use crate::flow::stores_to;
use crate::function::FunctionLowering;
use crate::layout;
use crate::llvm::{Block, Opcode, Value};
use base::Span;
use passes::notes::{ConstKind, ConstVariable};
use rustc_hash::FxHashMap;

/// Finds the `const` variables of a function, and the unnamed objects that are or may be `const`.
pub(crate) fn find<'m>(f: &mut FunctionLowering<'_, 'm>, blocks: &[Block<'m>]) {
    if f.source.model.is_some() {
        return;
    }
    let instructions = || blocks.iter().flat_map(|block| block.instructions());
    let mut references = FxHashMap::default();
    for instruction in instructions() {
        let Some((address, _)) = instruction.declared_variable() else { continue };
        references.extend(instruction.referenced_constant().map(|kind| (address, kind)));
        let Some(mut kind) = instruction.declared_constant() else { continue };
        // A structured binding is a part of an object, which is initialised as a whole.
        let is_part = |ty| kind == ConstKind::Scalar && layout::scalar(ty).is_none();
        if address.allocated_type().is_some_and(is_part) {
            kind = ConstKind::Record;
        }
        if kind == ConstKind::Record && (f.source.module.is_cxx() || f.program.is_cxx(instruction, f.source)) {
            kind = ConstKind::Class;
        }
        let span = f.program.span(instruction, f.source).unwrap_or(Span::unknown());
        f.constants.insert(address, ConstVariable { span, kind });
    }
    for alloca in instructions().filter(|i| i.opcode() == Some(Opcode::LLVMAlloca)) {
        if f.names.contains_key(&alloca) {
            continue;
        }
        let kind = if alloca.name().starts_with(".compoundliteral") {
            let is_scalar = alloca.allocated_type().and_then(layout::scalar).is_some();
            f.builder.variables.is_written_again |= is_scalar && stores_to(alloca).count() > 1;
            Some(ConstKind::Unknown)
        } else {
            bound_to(alloca, &references)
        };
        if let Some(kind) = kind {
            f.constants.insert(alloca, ConstVariable { span: Span::unknown(), kind });
        }
    }
}

/// Whether a temporary is `const` because a reference to `const` is bound to it: a variable, or a parameter of the
/// callee. If the reference is bound to a part, that may be a base class, and then the whole is `const`, or a member,
/// and then it is not.
fn bound_to<'m>(temporary: Value<'m>, references: &FxHashMap<Value<'m>, ConstKind>) -> Option<ConstKind> {
    let is_kept = |user: &Value<'m>, value| user.opcode() == Some(Opcode::LLVMStore) && user.operand(0) == value;
    let found = temporary.users().find_map(|user| match user.opcode() {
        Some(Opcode::LLVMGetElementPtr) => bound_to(user, references).map(|_| ConstKind::Class),
        Some(Opcode::LLVMStore) if is_kept(&user, temporary) => references.get(&user.operand(1)).copied(),
        _ => {
            let callee = user.called()?;
            let index = user.args().iter().position(|arg| *arg == temporary)?;
            let param = *callee.params().get(index)?;
            let variable = param.users().find(|user| is_kept(user, param))?.operand(1);
            let entry = callee.blocks().into_iter().next()?;
            let mut declarations = entry.instructions();
            declarations
                .find(|i| i.declared_variable().is_some_and(|(address, _)| address == variable))?
                .referenced_constant()
        }
    });
    // Only C++ has references.
    found.map(|kind| if kind == ConstKind::Record { ConstKind::Class } else { kind })
}
