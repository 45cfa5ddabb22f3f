//! Arithmetic on a `pthread_t` or `thrd_t`. Here these are small numbers; in glibc they are addresses. Any operation other than copying,
//! and comparing with each other and with 0, depends on their values and is not modelled: `pthread_self() % 4`.
//!
//! Numbers are tracked through the variables of a function and through global variables and arrays of integers; numbers in structures,
//! or passed to functions first, are missed.

use crate::blocks::root;
use crate::llvm::{IntPredicate, Opcode, Value};
use rustc_hash::FxHashMap;

/// Functions that return the number of the running thread.
const OWN: [&str; 2] = ["pthread_self", "thrd_current"];
/// Functions that store the number of a new thread through their first argument.
const STORING: [&str; 2] = ["pthread_create", "thrd_create"];

/// Maximum number of steps for which a number is tracked.
const MAX_STEPS: usize = 8;

/// The variables that hold thread numbers, computed on demand.
#[derive(Default)]
pub(crate) struct ThreadNumbers<'m> {
    holds: FxHashMap<Value<'m>, bool>,
}

impl<'m> ThreadNumbers<'m> {
    /// Whether an integer operation computes with a thread number.
    pub(crate) fn is_computed_with(&mut self, instruction: Value<'m>) -> bool {
        let mut is_number = |index: u32| self.is_number(instruction.operand(index), MAX_STEPS);
        let numbers = (is_number(0), is_number(1));
        let Some(predicate) = instruction.int_predicate() else { return numbers.0 || numbers.1 };
        let is_equality = matches!(predicate, IntPredicate::LLVMIntEQ | IntPredicate::LLVMIntNE);
        let is_zero = |index: u32| instruction.operand(index).as_int() == Some(0);
        match numbers {
            (false, false) => false,
            (true, true) => !is_equality,
            (true, false) => !(is_equality && is_zero(1)),
            (false, true) => !(is_equality && is_zero(0)),
        }
    }

    /// Whether a value certainly is a thread number, perhaps in another width.
    fn is_number(&mut self, value: Value<'m>, steps: usize) -> bool {
        let Some(steps) = steps.checked_sub(1) else { return false };
        match value.opcode() {
            Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => is_call_of(value, &OWN),
            Some(Opcode::LLVMTrunc | Opcode::LLVMZExt | Opcode::LLVMSExt) => self.is_number(value.operand(0), steps),
            Some(Opcode::LLVMLoad) => self.holds_number(root(value.operand(0)), steps),
            _ => false,
        }
    }

    /// Whether a variable is of integers and holds a thread number.
    fn holds_number(&mut self, variable: Value<'m>, steps: usize) -> bool {
        if let Some(holds) = self.holds.get(&variable) {
            return *holds;
        }
        let ty = match variable.opcode() {
            Some(Opcode::LLVMAlloca) => variable.allocated_type(),
            _ if variable.is_global_variable() => variable.global_value_type(),
            _ => None,
        };
        let element = ty.map(|ty| ty.elements().map_or(ty, |(element, _)| element));
        // A variable that is stored to itself adds nothing.
        self.holds.insert(variable, false);
        let holds = element.is_some_and(|ty| ty.int_width() != 0) && self.gets_number(variable, steps);
        self.holds.insert(variable, holds);
        holds
    }

    fn gets_number(&mut self, address: Value<'m>, steps: usize) -> bool {
        address.users().any(|user| match user.opcode() {
            Some(Opcode::LLVMStore) => user.operand(1) == address && self.is_number(user.operand(0), steps),
            Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => user.operand(0) == address && is_call_of(user, &STORING),
            Some(Opcode::LLVMGetElementPtr) => user.operand(0) == address && self.gets_number(user, steps),
            _ => false,
        })
    }
}

fn is_call_of(call: Value<'_>, names: &[&str]) -> bool {
    call.called().is_some_and(|called| names.contains(&called.name().as_str()))
}
