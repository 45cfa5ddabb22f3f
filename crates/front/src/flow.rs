//! Analyses of a function before its lowering: which variables can be locals, and how control reaches their reads and
//! assignments.

use crate::layout::{self, gap, Lower};
use crate::llvm::{AtomicOrdering, Block, Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether a variable can be a local: one scalar whose address is only loaded from and stored to, whole.
pub(crate) fn is_promotable(alloca: Value<'_>) -> bool {
    let Some(ty) = alloca.allocated_type() else { return false };
    if layout::scalar(ty).is_none() || alloca.operand(0).as_int() != Some(1) {
        return false;
    }
    alloca.users().all(|user| match user.opcode() {
        Some(Opcode::LLVMLoad) => user.ty() == ty && !user.is_volatile() && is_plain(user),
        Some(Opcode::LLVMStore) => {
            user.operand(0) != alloca && user.operand(0).ty() == ty && !user.is_volatile() && is_plain(user)
        }
        Some(Opcode::LLVMCall) => user.called().is_some_and(|called| called.name().starts_with("llvm.lifetime.")),
        _ => false,
    })
}

/// Rejects computations on values that the compiler has found to be undefined, like `1 << 40`. Selects, and
/// instructions that build aggregates, may mention such a value without using it.
pub(crate) fn check_operands(instruction: Value<'_>) -> Lower<()> {
    let may_mention = matches!(
        instruction.opcode(),
        Some(
            Opcode::LLVMPHI
                | Opcode::LLVMSelect
                | Opcode::LLVMFreeze
                | Opcode::LLVMInsertValue
                | Opcode::LLVMInsertElement
                | Opcode::LLVMShuffleVector
        )
    );
    let is_undefined = |operand: Value<'_>| operand.is_poison() && layout::scalar(operand.ty()).is_some();
    match !may_mention && instruction.operands().any(is_undefined) {
        true => Err(gap("a value that the compiler finds to be undefined")),
        false => Ok(()),
    }
}

fn is_plain(access: Value<'_>) -> bool {
    access.ordering() == AtomicOrdering::LLVMAtomicOrderingNotAtomic
}

/// The assignments of a promotable variable.
pub(crate) fn stores_to<'m>(alloca: Value<'m>) -> impl Iterator<Item = Value<'m>> {
    alloca.users().filter(|user| user.opcode() == Some(Opcode::LLVMStore))
}

/// The position of each reachable basic block in reverse postorder.
pub(crate) fn reverse_postorder(entry: Block<'_>) -> FxHashMap<Block<'_>, usize> {
    let mut seen = FxHashSet::from_iter([entry]);
    let mut finished = Vec::new();
    let mut stack = vec![(entry, entry.successors())];
    while let Some((block, successors)) = stack.last_mut() {
        match successors.pop() {
            Some(next) if seen.insert(next) => stack.push((next, next.successors())),
            Some(_) => {}
            None => {
                finished.push(*block);
                stack.pop();
            }
        }
    }
    finished.iter().rev().enumerate().map(|(i, block)| (*block, i)).collect()
}

/// Control-flow queries about one function, partly memoised.
pub(crate) struct Flow<'m> {
    entry: Block<'m>,
    /// For a basic block, those that can be reached from the entry without it.
    without: FxHashMap<Block<'m>, FxHashSet<Block<'m>>>,
}

impl<'m> Flow<'m> {
    /// Queries for the function with this entry.
    pub(crate) fn new(entry: Block<'m>) -> Flow<'m> {
        Flow { entry, without: FxHashMap::default() }
    }

    /// Whether one assignment of the variable dominates every read of it.
    pub(crate) fn is_assigned_once(&mut self, alloca: Value<'m>) -> bool {
        let mut stores = stores_to(alloca);
        let (Some(store), None) = (stores.next(), stores.next()) else { return false };
        let mut loads = alloca.users().filter(|user| user.opcode() == Some(Opcode::LLVMLoad));
        loads.all(|load| self.dominates(store, load))
    }

    /// Whether a variable is read on a path that bypasses its declaration.
    pub(crate) fn is_jumped_over(&mut self, declaration: Value<'m>, alloca: Value<'m>) -> bool {
        let mut loads = alloca.users().filter(|user| user.opcode() == Some(Opcode::LLVMLoad));
        loads.any(|load| !self.dominates(declaration, load))
    }

    /// Whether one instruction dominates another.
    pub(crate) fn dominates(&mut self, first: Value<'m>, then: Value<'m>) -> bool {
        let (Some(home), Some(block)) = (first.block(), then.block()) else { return false };
        if block == home {
            return block.instructions().find(|i| *i == first || *i == then).is_some_and(|earlier| earlier == first);
        }
        let entry = self.entry;
        let without = self.without.entry(home).or_insert_with(|| {
            if home == entry {
                return FxHashSet::default();
            }
            reachable([entry], |block| block != home)
        });
        !without.contains(&block)
    }
}

/// The basic blocks reachable from some, themselves included, through allowed ones.
pub(crate) fn reachable<'m>(
    starts: impl IntoIterator<Item = Block<'m>>,
    is_allowed: impl Fn(Block<'m>) -> bool,
) -> FxHashSet<Block<'m>> {
    let mut stack: Vec<Block<'m>> = starts.into_iter().filter(|block| is_allowed(*block)).collect();
    let mut seen: FxHashSet<Block<'m>> = stack.iter().copied().collect();
    while let Some(block) = stack.pop() {
        for next in block.successors() {
            if is_allowed(next) && seen.insert(next) {
                stack.push(next);
            }
        }
    }
    seen
}

/// Whether the declaration of a variable can be executed twice and its value be read afterwards before it is assigned.
pub(crate) fn is_read_uninitialised<'m>(declaration: Value<'m>, variable: Value<'m>) -> bool {
    let Some(home) = declaration.block() else { return false };
    // The first use after the declaration, in its own block, decides most cases.
    let is_in_loop = || reachable(home.successors(), |_| true).contains(&home);
    match first_use(home.instructions().skip_while(|i| *i != declaration), variable) {
        Some(is_read) => return is_read && is_in_loop(),
        None if !is_in_loop() => return false,
        None => {}
    }
    let (mut stack, mut seen) = (home.successors(), FxHashSet::default());
    while let Some(block) = stack.pop() {
        if !seen.insert(block) {
            continue;
        }
        let until_declaration = |i: &Value<'m>| *i != declaration;
        match first_use(block.instructions().take_while(until_declaration), variable) {
            Some(true) => return true,
            Some(false) => {}
            None if block == home => {}
            None => stack.extend(block.successors()),
        }
    }
    false
}

/// Whether the last use of a variable before its declaration, in the same block, is an assignment.
pub(crate) fn is_assigned_before<'m>(declaration: Value<'m>, variable: Value<'m>) -> bool {
    let Some(home) = declaration.block() else { return false };
    let before = home.instructions().take_while(|i| *i != declaration);
    let uses = before.filter(|i| i.operands().any(|operand| operand == variable));
    uses.last().is_some_and(|last| last.opcode() == Some(Opcode::LLVMStore))
}

/// Whether the first instruction that uses a variable reads it; `None` if none uses it.
fn first_use<'m>(mut instructions: impl Iterator<Item = Value<'m>>, variable: Value<'m>) -> Option<bool> {
    instructions.find_map(|i| match i.opcode() {
        Some(Opcode::LLVMLoad) if i.operand(0) == variable => Some(true),
        Some(Opcode::LLVMStore) if i.operand(1) == variable => Some(false),
        _ => None,
    })
}
