//! The lifetimes of block-scope variables.
//!
//! In C an object lives from entry into its block until control leaves it (C11 6.2.4p6, 6.5.2.5p5). Debug information says
//! which block each variable is declared in and which one each instruction lies in, so that control enters and leaves blocks
//! where it goes from one instruction to the next. An object is allocated on the way in and expires on the way out.
//!
//! - A branch back to the head of a loop leaves every block inside the loop, even if control lands in the same block again.
//! - A label lies in the block it is written in, and not in one that begins right after it: a jump there from that block leaves it.
//! - A jump inside a block keeps its objects. Where it goes back to before a declaration, reaching that again makes the
//!   contents indeterminate.
//! - An instruction that names a variable lies in its block, whatever its position: clang places the calls of `cleanup` attributes
//!   after the block.
//! - Branches have no block: clang gives them that of one of their ends.
//! - A compound literal has no declaration. It belongs to the block in which it is evaluated; a loop's body is one even without
//!   braces. Debug information does not separate that body from the loop's head, so keeping its address is not modelled.
//!
//! The lifetimes of C++ variables begin at their declarations, given by clang's markers (`llvm.lifetime`); so do those of variables
//! in optimised code. A variable-length array lives from its declaration until the stack is restored (`llvm.stackrestore`).
//! Functions without such information keep their variables until they return.

use crate::flow::{self, stores_to};
use crate::llvm::{Block, LoopStatement, Opcode, Place, Scope, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The blocks, by index, that contain the point of control.
pub(crate) type Inside = BTreeSet<usize>;

/// The construct that bounds the lifetime of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Home<'m> {
    /// A block.
    Scope(Scope<'m>),
    /// One iteration of a loop whose body has no braces.
    Round(LoopStatement<'m>),
}

impl<'m> Home<'m> {
    fn contains(self, (scope, place): (Scope<'m>, Place)) -> bool {
        match self {
            Home::Scope(home) => scope.chain().any(|other| other == home),
            Home::Round(round) => {
                round.start <= place && place <= round.end && scope.chain().any(|other| other == round.scope)
            }
        }
    }

    /// Whether each iteration of a loop has a new one.
    fn is_in(self, round: &LoopStatement<'m>) -> bool {
        match self {
            Home::Scope(home) => round.scope.chain().all(|other| other != home),
            Home::Round(own) => round.start <= own.start && own.end <= round.end,
        }
    }
}

/// The blocks entered and left between two instructions.
#[derive(Default)]
pub(crate) struct Crossing<'m> {
    /// Variables of the blocks that are left.
    pub(crate) expired: Vec<Value<'m>>,
    /// Variables of the blocks that are entered.
    pub(crate) allocated: Vec<Value<'m>>,
}

/// The blocks of one function that have variables in memory.
#[derive(Default)]
pub(crate) struct Blocks<'m> {
    homes: Vec<Home<'m>>,
    variables: Vec<Vec<Value<'m>>>,
    home_of: FxHashMap<Value<'m>, usize>,
    /// The blocks at the beginning and at the end of each basic block.
    ends: FxHashMap<Block<'m>, (Inside, Inside)>,
    /// The loop statements, by the basic blocks of their heads.
    loops: FxHashMap<Block<'m>, LoopStatement<'m>>,
    order: FxHashMap<Block<'m>, usize>,
    /// Stores of the address of a literal that belongs to the body or to the head of a loop.
    unclear: FxHashSet<Value<'m>>,
}

impl<'m> Blocks<'m> {
    /// Finds the blocks of a function; `is_in_memory` selects variables that are objects.
    pub(crate) fn new(
        function: Value<'m>,
        order: &FxHashMap<Block<'m>, usize>,
        is_in_memory: impl Fn(Value<'m>) -> bool,
    ) -> Blocks<'m> {
        let mut blocks = Blocks::default();
        let code = function.blocks();
        let Some(entry) = code.first().filter(|_| function.has_blocks()) else { return blocks };
        // The lifetime of variable-length arrays ends when the stack is restored.
        let is_fixed = |i: &Value<'m>| i.opcode() == Some(Opcode::LLVMAlloca) && i.operand(0).as_int().is_some();
        let mut candidates = entry.instructions().filter(is_fixed).peekable();
        if candidates.peek().is_none() {
            return blocks;
        }
        blocks.order = order.clone();
        blocks.find_loops(&code);
        let declared = declarations(&code);
        for alloca in candidates.filter(|alloca| is_in_memory(*alloca) && !is_marked(*alloca)) {
            if let Some(home) = blocks.home(alloca, declared.get(&alloca).copied()) {
                blocks.add(alloca, home);
            }
        }
        if !blocks.homes.is_empty() {
            blocks.find_ends(&code);
        }
        blocks
    }

    fn add(&mut self, alloca: Value<'m>, home: Home<'m>) {
        let index = self.homes.iter().position(|other| *other == home).unwrap_or_else(|| {
            self.homes.push(home);
            self.variables.push(Vec::new());
            self.homes.len() - 1
        });
        self.variables[index].push(alloca);
        self.home_of.insert(alloca, index);
    }

    /// Whether the variable is allocated at the entry of its block.
    pub(crate) fn has(&self, alloca: Value<'m>) -> bool {
        self.home_of.contains_key(&alloca)
    }

    /// Whether an instruction stores an address whose lifetime is not known.
    pub(crate) fn is_unclear(&self, instruction: Value<'m>) -> bool {
        self.unclear.contains(&instruction)
    }

    fn is_back(&self, from: Block<'m>, to: Block<'m>) -> bool {
        matches!((self.order.get(&from), self.order.get(&to)), (Some(from), Some(to)) if to <= from)
    }

    fn find_loops(&mut self, code: &[Block<'m>]) {
        for &block in code {
            let Some(statement) = block.terminator().and_then(Value::loop_statement) else { continue };
            for to in block.successors() {
                if self.is_back(block, to) {
                    self.loops.insert(to, statement);
                }
            }
        }
    }

    /// The block of a variable; `None` for those of the function's body and clang's own.
    fn home(&mut self, alloca: Value<'m>, declared: Option<Scope<'m>>) -> Option<Home<'m>> {
        if let Some(scope) = declared {
            return (!scope.is_function()).then_some(Home::Scope(scope));
        }
        let name = alloca.name();
        if name.is_empty() {
            // `alloca` lives until the function returns.
            return None;
        }
        if !name.starts_with(".compoundliteral") {
            // A temporary of C lives until the end of its full expression, which is not known here.
            self.unclear.extend(keeps(alloca));
            return None;
        }
        let first = alloca.users().filter_map(|user| Some((user.block()?, user.scope()?))).min_by_key(|(block, at)| {
            let order = self.order.get(block).copied().unwrap_or(usize::MAX);
            (order, at.1)
        });
        let (code, (scope, _)) = first?;
        if let Some((head, round)) = self.loop_around(code) {
            let is_head = |block: Block<'m>| self.is_back(block, head) && block.successors().contains(&head);
            let latches = self.order.keys().copied().filter(|block| is_head(*block));
            let mut scopes = latches.flat_map(|latch| latch.instructions().filter_map(Value::scope));
            let is_for = scope.parent() == Some(round.scope) && scopes.any(|(other, _)| other == scope);
            if scope == round.scope || is_for {
                self.unclear.extend(keeps(alloca));
                return Some(Home::Round(round));
            }
        }
        (!scope.is_function()).then_some(Home::Scope(scope))
    }

    /// The innermost loop statement that contains a basic block, and its head.
    fn loop_around(&self, code: Block<'m>) -> Option<(Block<'m>, LoopStatement<'m>)> {
        let is_around = |head: Block<'m>| {
            let mut after = flow::reachable([code], |_| true);
            after.retain(|block| self.is_back(*block, head) && block.successors().contains(&head));
            self.order.get(&head) <= self.order.get(&code) && !after.is_empty()
        };
        let mut around: Vec<_> = self.loops.iter().filter(|(head, _)| is_around(**head)).collect();
        around.sort_by_key(|(head, _)| self.order.get(head));
        around.last().map(|(head, round)| (**head, **round))
    }

    /// The blocks that contain an instruction; `None` if it does not determine them.
    pub(crate) fn inside(&self, instruction: Value<'m>) -> Option<Inside> {
        let opcode = instruction.opcode()?;
        let is_silent = matches!(
            opcode,
            Opcode::LLVMBr
                | Opcode::LLVMSwitch
                | Opcode::LLVMIndirectBr
                | Opcode::LLVMRet
                | Opcode::LLVMUnreachable
                | Opcode::LLVMPHI
                | Opcode::LLVMAlloca
        );
        // A label counts, even if nothing separates it from a block after it: a jump to it leaves that block.
        if is_silent || is_bookkeeping(instruction) && !is_label(instruction) {
            return None;
        }
        let at = instruction.scope()?;
        let homes = self.homes.iter().enumerate();
        let mut inside: Inside = homes.filter(|(_, home)| home.contains(at)).map(|(index, _)| index).collect();
        let named = instruction.operands().filter_map(|operand| self.home_of.get(&root(operand)));
        for &index in named {
            inside.insert(index);
            // The blocks around that block are not left either.
            if let Home::Scope(scope) = self.homes[index] {
                let around = |home: &Home<'m>| matches!(home, Home::Scope(other) if scope.chain().any(|s| s == *other));
                inside.extend(self.homes.iter().enumerate().filter(|(_, home)| around(home)).map(|(index, _)| index));
            }
        }
        Some(inside)
    }

    /// Computes the enclosing blocks at both ends of each basic block. A basic block that does not determine them gets
    /// those of its successors if these agree, and otherwise those common to all predecessors.
    fn find_ends(&mut self, code: &[Block<'m>]) {
        let mut code: Vec<Block<'m>> = code.iter().copied().filter(|block| self.order.contains_key(block)).collect();
        code.sort_by_key(|block| self.order[block]);
        for &block in &code {
            let mut inside = block.instructions().filter_map(|instruction| self.inside(instruction));
            if let Some(first) = inside.next() {
                let last = inside.last().unwrap_or_else(|| first.clone());
                self.ends.insert(block, (first, last));
            }
        }
        loop {
            let mut is_done = true;
            for &block in code.iter().rev().filter(|block| !self.ends.contains_key(block)).collect::<Vec<_>>() {
                let mut after = block.successors().into_iter().map(|next| self.ends.get(&next).map(|ends| &ends.0));
                let Some(Some(first)) = after.next() else { continue };
                if after.all(|other| other == Some(first)) {
                    self.ends.insert(block, (first.clone(), first.clone()));
                    is_done = false;
                }
            }
            if is_done {
                break;
            }
        }
        for &block in &code {
            if self.ends.contains_key(&block) {
                continue;
            }
            let before = code.iter().filter(|other| other.successors().contains(&block));
            let before = before.filter_map(|other| self.ends.get(other).map(|ends| ends.1.clone()));
            let common = before.reduce(|a, b| a.intersection(&b).copied().collect()).unwrap_or_default();
            self.ends.insert(block, (common.clone(), common));
        }
    }

    /// The enclosing blocks at the beginning of a basic block.
    pub(crate) fn at_start(&self, block: Block<'m>) -> Inside {
        self.ends.get(&block).map(|ends| ends.0.clone()).unwrap_or_default()
    }

    /// The blocks entered and left between two instructions of a basic block.
    pub(crate) fn crossing(&self, before: &Inside, after: &Inside) -> Crossing<'m> {
        let variables = |index: &usize| self.variables[*index].iter().copied();
        Crossing {
            expired: before.difference(after).flat_map(variables).collect(),
            allocated: after.difference(before).flat_map(variables).collect(),
        }
    }

    /// The blocks entered and left on an edge between two basic blocks.
    pub(crate) fn edge(&self, before: &Inside, from: Block<'m>, to: Block<'m>) -> Crossing<'m> {
        let after = self.at_start(to);
        let mut crossing = self.crossing(before, &after);
        if let Some(round) = self.loops.get(&to).filter(|_| self.is_back(from, to)) {
            for &index in before.intersection(&after).filter(|index| self.homes[**index].is_in(round)) {
                crossing.expired.extend(&self.variables[index]);
                crossing.allocated.extend(&self.variables[index]);
            }
        }
        crossing
    }

    /// Whether a variable's declaration can be reached again without leaving its block.
    pub(crate) fn is_declared_again(&self, declaration: Value<'m>, alloca: Value<'m>) -> bool {
        let Some(home) = declaration.block() else { return false };
        let index = self.home_of.get(&alloca);
        let stays = |inside: Inside| index.is_none_or(|index| inside.contains(index));
        let (mut stack, mut seen) = (vec![home], FxHashSet::default());
        while let Some(block) = stack.pop() {
            let behind = block.instructions().skip_while(|i| block == home && seen.is_empty() && *i != declaration);
            if !behind.filter_map(|i| self.inside(i)).all(stays) {
                continue;
            }
            for next in block.successors() {
                let is_new_round = self.loops.get(&next).is_some_and(|round| {
                    self.is_back(block, next) && index.is_some_and(|index| self.homes[*index].is_in(round))
                });
                if is_new_round || !stays(self.at_start(next)) {
                    continue;
                }
                if next == home {
                    return true;
                }
                if seen.insert(next) {
                    stack.push(next);
                }
            }
        }
        false
    }
}

/// The scopes in which variables are declared.
fn declarations<'m>(code: &[Block<'m>]) -> FxHashMap<Value<'m>, Scope<'m>> {
    let instructions = code.iter().flat_map(|block| block.instructions());
    instructions.filter_map(|i| Some((i.declared_variable()?.0, i.declared_scope()?))).collect()
}

/// Whether clang's markers give the lifetime of the variable.
pub(crate) fn is_marked(alloca: Value<'_>) -> bool {
    alloca.users().any(|user| marker(user).is_some())
}

/// Whether a call begins (`true`) or ends (`false`) a variable's lifetime, and the variable.
pub(crate) fn marker<'m>(call: Value<'m>) -> Option<(bool, Value<'m>)> {
    if call.opcode() != Some(Opcode::LLVMCall) {
        return None;
    }
    let name = call.called()?.name();
    let is_start = name.starts_with("llvm.lifetime.start");
    (is_start || name.starts_with("llvm.lifetime.end")).then(|| (is_start, call.operand(1)))
}

/// Whether markers cover all uses of a variable: none precedes the beginning of its lifetime. The clean-up of a
/// temporary in one branch of a condition is guarded by a flag, which is set in that branch alone.
pub(crate) fn is_covered<'m>(alloca: Value<'m>, entry: Block<'m>) -> bool {
    let starts = |i: Value<'m>| marker(i) == Some((true, alloca));
    let uses = |i: Value<'m>| {
        marker(i).is_none() && i.declared_variable().is_none() && i.operands().any(|operand| operand == alloca)
    };
    let mut flow = flow::Flow::new(entry);
    let (mut stack, mut seen) = (vec![entry], FxHashSet::from_iter([entry]));
    while let Some(block) = stack.pop() {
        match block.instructions().find(|i| starts(*i) || uses(*i)) {
            Some(first) if uses(first) => return false,
            Some(_) => {}
            None => {
                let mut next = block.successors();
                if tested_flag(block).is_some_and(|flag| is_set_behind(flag, alloca, &mut flow)) {
                    next.remove(0);
                }
                stack.extend(next.into_iter().filter(|next| seen.insert(*next)));
            }
        }
    }
    true
}

/// The flag that a basic block branches on.
fn tested_flag(block: Block<'_>) -> Option<Value<'_>> {
    let condition = block.terminator().and_then(Value::condition)?;
    let flag = (condition.opcode() == Some(Opcode::LLVMLoad)).then(|| condition.operand(0))?;
    (flag.opcode() == Some(Opcode::LLVMAlloca) && flow::is_promotable(flag)).then_some(flag)
}

/// Whether a flag is set only after the beginning of a variable's lifetime.
fn is_set_behind<'m>(flag: Value<'m>, alloca: Value<'m>, flow: &mut flow::Flow<'m>) -> bool {
    let starts: Vec<Value<'m>> = alloca.users().filter(|user| matches!(marker(*user), Some((true, _)))).collect();
    stores_to(flag)
        .all(|store| store.operand(0).as_int() == Some(0) || starts.iter().any(|start| flow.dominates(*start, store)))
}

/// Whether the lifetime of an unnamed object ends when it is destroyed: clang marks neither arguments passed in memory
/// nor unused results.
pub(crate) fn is_destroyed(alloca: Value<'_>) -> bool {
    alloca.users().any(|user| destroyed(user) == Some(alloca))
}

/// The object that a call destroys.
pub(crate) fn destroyed(call: Value<'_>) -> Option<Value<'_>> {
    let name = call.called()?.name();
    let is_destructor = name.starts_with("_Z") && ["D1E", "D2E"].iter().any(|end| name.contains(end));
    is_destructor.then(|| call.args().first().copied()).flatten()
}

/// Whether a variable's address may be mentioned after its lifetime: clang puts the end before instructions that take
/// the address along.
pub(crate) fn is_mentioned_late(address: Value<'_>) -> bool {
    address.users().any(|user| match user.opcode() {
        Some(Opcode::LLVMRet | Opcode::LLVMPHI | Opcode::LLVMSelect) => true,
        Some(Opcode::LLVMGetElementPtr) => is_mentioned_late(user),
        _ => false,
    })
}

/// The switch that precedes all uses of a variable, if it is right before the variable's block: clang emits no
/// declaration for a variable that is declared before the first case.
pub(crate) fn switch_before<'m>(
    variable: Value<'m>,
    code: &[Block<'m>],
    flow: &mut flow::Flow<'m>,
) -> Option<Value<'m>> {
    let uses: Vec<Value<'m>> = variable.users().filter(|user| user.is_instruction()).collect();
    let around = code.iter().filter_map(|block| block.terminator()).filter(|terminator| {
        let home = terminator.block();
        uses.iter().all(|used| used.block() != home && flow.dominates(*terminator, *used))
    });
    // Among those that dominate all uses, the last one is dominated by the others.
    let around: Vec<Value<'m>> = around.collect();
    let last = around.iter().find(|one| around.iter().all(|other| other == *one || flow.dominates(*other, **one)))?;
    (!uses.is_empty() && last.opcode() == Some(Opcode::LLVMSwitch)).then_some(*last)
}

/// The variable-length arrays whose lifetime ends when a call restores the stack.
pub(crate) fn restored<'m>(restore: Value<'m>, function: Value<'m>) -> Vec<Value<'m>> {
    let saved = restore.operand(0);
    let saves: Vec<Value<'m>> = match saved.opcode() {
        Some(Opcode::LLVMLoad) => stores_to(saved.operand(0)).map(|store| store.operand(0)).collect(),
        _ => vec![saved],
    };
    let Some(entry) = function.blocks().first().copied() else { return Vec::new() };
    let mut flow = flow::Flow::new(entry);
    dynamic_arrays(function).filter(|array| saves.iter().any(|save| flow.dominates(*save, *array))).collect()
}

/// The allocations of variable size.
pub(crate) fn dynamic_arrays<'m>(function: Value<'m>) -> impl Iterator<Item = Value<'m>> {
    let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
    instructions.filter(|i| i.opcode() == Some(Opcode::LLVMAlloca) && i.operand(0).as_int().is_none())
}

/// The stores of a variable's address.
fn keeps<'m>(alloca: Value<'m>) -> Vec<Value<'m>> {
    let mut found = Vec::new();
    for user in alloca.users() {
        match user.opcode() {
            Some(Opcode::LLVMStore) if user.operand(0) == alloca => found.push(user),
            Some(Opcode::LLVMGetElementPtr) if user.operand(0) == alloca => found.extend(keeps(user)),
            _ => {}
        }
    }
    found
}

/// The variable that an address is computed from.
pub(crate) fn root(mut address: Value<'_>) -> Value<'_> {
    while address.opcode() == Some(Opcode::LLVMGetElementPtr) {
        address = address.operand(0);
    }
    address
}

/// Whether an instruction marks a label.
fn is_label(instruction: Value<'_>) -> bool {
    instruction.opcode() == Some(Opcode::LLVMCall) && instruction.called().is_some_and(|f| f.name() == "llvm.dbg.label")
}

/// Whether an instruction is clang's own: a marker, a declaration, or an access to the variable that holds the target
/// of a jump through cleanups or the saved stack.
fn is_bookkeeping(instruction: Value<'_>) -> bool {
    let is_own = |address: Value<'_>| {
        let name = address.name();
        address.opcode() == Some(Opcode::LLVMAlloca)
            && (name.starts_with("cleanup.dest.slot") || name.starts_with("saved_stack"))
    };
    match instruction.opcode() {
        Some(Opcode::LLVMStore) => is_own(instruction.operand(1)),
        Some(Opcode::LLVMLoad) => is_own(instruction.operand(0)),
        Some(Opcode::LLVMCall) => instruction.called().is_some_and(|called| {
            let name = called.name();
            ["llvm.dbg.", "llvm.lifetime.", "llvm.stackrestore"].iter().any(|prefix| name.starts_with(prefix))
        }),
        _ => false,
    }
}
