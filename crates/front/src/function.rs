//! Lowers one function: finds the variables that can be locals of the core form, walks over the reachable basic blocks,
//! and turns instructions into statements and expressions.
//!
//! Variables. An `alloca` in the entry block whose address is only ever loaded from and stored to, whole, becomes a
//! mutable local; every other one becomes an allocation. This is done here and not by LLVM's `mem2reg`, so that
//! variables keep their names and every assignment of the source stays one.
//!
//! Values. The value of a pure instruction that is used once, in its own block, is kept as an expression until then. Such
//! an expression may mention mutable locals: it is computed into a temporary before one of them changes. Everything
//! else is computed where it stands.

use crate::blocks::{self, Blocks, Crossing, Inside};
use crate::builder::Builder;
use crate::const_variables;
use crate::flow::{self, is_promotable, reverse_postorder, stores_to, Flow};
use crate::layout::{self, gap, Gap, Lower};
use crate::llvm::{Block, Opcode, Value};
use crate::lowering::Lowering;
use crate::models::Source;
use crate::{calls, constants, memory, terminators, varargs};
use base::Span;
use ir::{AllocKind, Expr, Function, LocId, LocalId, Stmt, Type};
use passes::notes::{ConstVariable, Variables};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The state of lowering one function.
pub(crate) struct FunctionLowering<'l, 'm> {
    /// The program it belongs to.
    pub(crate) program: &'l mut Lowering<'m>,
    /// The origin of its code.
    pub(crate) source: Source<'m>,
    /// Its control-flow graph.
    pub(crate) builder: Builder,
    /// Whether its whole body is one atomic region.
    pub(crate) is_atomic: bool,
    /// The area of its variable arguments, if it reads them.
    pub(crate) varargs: Option<LocalId>,
    /// Statements at its start; `None` if it has no separate prologue.
    prologue: Option<Vec<Stmt>>,
    /// The location of each reachable basic block.
    block_locs: FxHashMap<Block<'m>, LocId>,
    /// Reachable basic blocks that are not lowered yet, by their position in reverse postorder.
    waiting: BTreeMap<usize, Block<'m>>,
    order: FxHashMap<Block<'m>, usize>,
    block: Option<Block<'m>>,
    /// The function, if it is a definition.
    pub(crate) function: Option<Value<'m>>,
    /// Names of variables in the source.
    pub(crate) names: FxHashMap<Value<'m>, String>,
    /// The `const` variables of the program.
    pub(crate) constants: FxHashMap<Value<'m>, ConstVariable>,
    promoted: FxHashMap<Value<'m>, LocalId>,
    /// Variables that are aliases of a value, with that value once it is known.
    aliases: FxHashMap<Value<'m>, Option<Expr>>,
    /// Promoted variables that are mutable.
    mutable: FxHashSet<LocalId>,
    phis: FxHashMap<Value<'m>, Vec<LocalId>>,
    /// Values held in locals (or constants) at all their uses.
    values: FxHashMap<Value<'m>, Vec<Expr>>,
    /// Values of this basic block that are not computed yet, oldest first.
    pending: Vec<Pending<'m>>,
    /// The source blocks with variables in memory, and those that contain the current point.
    pub(crate) blocks: Blocks<'m>,
    pub(crate) inside: Inside,
    /// Variables whose lifetimes are given by clang's markers.
    marked: FxHashSet<Value<'m>>,
    /// For those whose address is mentioned after their lifetime: the locals with their address, null outside their
    /// lifetime.
    living: FxHashMap<Value<'m>, LocalId>,
    /// Unnamed objects that live until they are destroyed, repeatedly.
    destroyed: FxHashSet<Value<'m>>,
    /// Variables of blocks that a switch enters past their declarations: they are allocated anew there.
    renewed: FxHashMap<Value<'m>, Vec<Value<'m>>>,
    /// The instruction lowered last, if its value is in a temporary that its own statement wrote.
    fresh: Option<(Value<'m>, LocalId)>,
}

/// A value that is kept as an expression.
struct Pending<'m> {
    value: Value<'m>,
    exprs: Vec<Expr>,
    uses_left: usize,
}

/// Maximum size of an expression; larger ones are computed into a temporary, so that no expression gets too deep.
const MAX_EXPR_SIZE: usize = 60;

/// Lowers a definition; also returns its `const` variables.
pub(crate) fn lower<'m>(
    program: &mut Lowering<'m>,
    value: Value<'m>,
    source: Source<'m>,
    name: String,
) -> (Function, Variables) {
    let span = program.span(value, source).unwrap_or(Span::unknown());
    let mut f = FunctionLowering::new(program, source, span);
    f.is_atomic = calls::is_atomic_body(&value.name());
    let returns = value.global_value_type().and_then(|ty| ty.returns());
    let returns = returns.map(|ty| layout::part_types(source.module, ty)).unwrap_or(Ok(Vec::new()));
    let result = returns.and_then(|returns| Ok((f.parameters(value)?, returns)));
    match result {
        Ok((params, returns)) => {
            f.builder.variables.registers = value.global_value_type().map(|ty| ty.register_classes());
            f.body(value);
            f.builder.finish(name, params, returns, span)
        }
        Err(Gap(what)) => {
            f.builder.emit_unmodelled(what);
            f.builder.finish(name, Vec::new(), Vec::new(), span)
        }
    }
}

/// Lowers a wrapper: a function that consists of a call of `value`, which has no definition.
pub(crate) fn lower_wrapper<'m>(
    program: &mut Lowering<'m>,
    value: Value<'m>,
    source: Source<'m>,
    name: String,
) -> Function {
    let span = program.span(value, source).unwrap_or(Span::unknown());
    let mut f = FunctionLowering::new(program, source, span);
    let ty = value.global_value_type();
    let types = |ty| layout::part_types(source.module, ty).unwrap_or_default();
    let returns = ty.and_then(|ty| ty.returns()).map(types).unwrap_or_default();
    let mut params = Vec::new();
    let mut args = Vec::new();
    for param in ty.map(|ty| ty.params()).unwrap_or_default() {
        let locals: Vec<LocalId> = types(param).into_iter().map(|ty| f.builder.local("arg", ty)).collect();
        args.push(calls::Arg { exprs: locals.iter().map(|local| Expr::Local(*local)).collect(), value: None });
        params.extend(locals);
    }
    match calls::call_by_name(&mut f, &value.name(), args, &returns) {
        Ok(results) => f.builder.emit_leave(Stmt::Return(results)),
        Err(Gap(what)) => f.builder.emit_unmodelled(what),
    }
    f.builder.finish(name, params, returns, span).0
}

impl<'l, 'm> FunctionLowering<'l, 'm> {
    /// Starts a function.
    pub(crate) fn new(program: &'l mut Lowering<'m>, source: Source<'m>, span: Span) -> Self {
        FunctionLowering {
            program,
            source,
            builder: Builder::new(span),
            is_atomic: false,
            varargs: None,
            prologue: None,
            block_locs: FxHashMap::default(),
            waiting: BTreeMap::new(),
            order: FxHashMap::default(),
            block: None,
            function: None,
            names: FxHashMap::default(),
            constants: FxHashMap::default(),
            promoted: FxHashMap::default(),
            aliases: FxHashMap::default(),
            mutable: FxHashSet::default(),
            phis: FxHashMap::default(),
            values: FxHashMap::default(),
            pending: Vec::new(),
            blocks: Blocks::default(),
            inside: Inside::new(),
            marked: FxHashSet::default(),
            living: FxHashMap::default(),
            destroyed: FxHashSet::default(),
            renewed: FxHashMap::default(),
            fresh: None,
        }
    }

    /// Declares the parameters. One passed by value is copied into an object of its own.
    fn parameters(&mut self, function: Value<'m>) -> Lower<Vec<LocalId>> {
        let mut params = Vec::new();
        for (i, param) in function.params().into_iter().enumerate() {
            let name = param.name();
            let types = layout::part_types(self.source.module, param.ty())?;
            let locals: Vec<LocalId> = types.into_iter().map(|ty| self.builder.local(&name, ty)).collect();
            params.extend(&locals);
            if self.source.module.is_result(function, i as u32) {
                self.builder.variables.results.extend(&locals);
            }
            let mut exprs: Vec<Expr> = locals.iter().map(|local| Expr::Local(*local)).collect();
            if let Some(ty) = self.source.module.byval_type(function, i as u32) {
                exprs = vec![self.copy_of_argument(exprs, ty, &name)?];
            }
            self.values.insert(param, exprs);
        }
        if varargs::takes_area(function) {
            let area = self.builder.local("varargs", Type::Ptr);
            self.varargs = Some(area);
            params.push(area);
        }
        Ok(params)
    }

    fn copy_of_argument(&mut self, exprs: Vec<Expr>, ty: crate::llvm::Ty<'m>, name: &str) -> Lower<Expr> {
        let gap = || gap("an argument passed by value");
        let size = self.source.module.size_of(ty).ok_or_else(gap)?;
        let size = Expr::int(self.program.data_model.pointer_width(), u128::from(size));
        let src = exprs.into_iter().next().ok_or_else(gap)?;
        let dst = self.builder.local(name, Type::Ptr);
        let align = self.source.module.align_of(ty);
        let (kind, name) = (AllocKind::Stack, name.to_owned());
        self.builder.emit(Stmt::Alloc { dst, size: size.clone(), align, kind, zeroed: false, name });
        self.builder.emit(Stmt::Copy { dst: Expr::Local(dst), src, len: size, disjoint: false });
        Ok(Expr::Local(dst))
    }

    /// Records `const` parameters of a type that is passed by value in memory.
    fn note_const_arguments(&mut self, function: Value<'m>) {
        for param in function.params() {
            let (variable, object) = (self.constants.get(&param), self.values.get(&param).map(Vec::as_slice));
            if let (Some(variable), Some([Expr::Local(object)])) = (variable, object) {
                self.builder.variables.constants.push((*object, *variable));
            }
        }
    }

    fn body(&mut self, function: Value<'m>) {
        let blocks = function.blocks();
        let Some(&entry) = blocks.first() else { return };
        self.function = Some(function);
        self.order = reverse_postorder(entry);
        self.find_names(&blocks);
        self.find_renewed(function, &blocks, entry);
        const_variables::find(self, &blocks);
        self.note_const_arguments(function);
        self.promote(entry, function);
        self.declare_phis(&blocks);
        if self.is_atomic {
            self.builder.emit(Stmt::AtomicBegin { is_fence: true });
        }
        let start = self.builder.current();
        let loc = self.reach(entry);
        self.prologue = Some(Vec::new());
        self.find_blocks(entry, function);
        while let Some((_, block)) = self.waiting.pop_first() {
            self.lower_block(block);
        }
        if let Some(start) = start {
            self.builder.resume_at(start);
            self.prologue.take().into_iter().flatten().for_each(|stmt| self.builder.emit(stmt));
            self.builder.emit_to(Stmt::Skip, loc);
        }
    }

    /// Determines the lifetimes of variables in memory. Variables whose lifetime is shorter than the function's execution
    /// have a local with their address: it is set at the beginning of the lifetime, and null before if the end of the
    /// lifetime may be reached without its beginning.
    fn find_blocks(&mut self, entry: Block<'m>, function: Value<'m>) {
        if self.source.model.is_some() {
            return;
        }
        let is_in_memory = |alloca| !self.promoted.contains_key(&alloca) && !self.aliases.contains_key(&alloca);
        let fixed = || entry.instructions().filter(|i| i.opcode() == Some(Opcode::LLVMAlloca) && is_in_memory(*i));
        let marked = fixed().filter(|i| blocks::is_marked(*i) && blocks::is_covered(*i, entry));
        self.marked = marked.chain(blocks::dynamic_arrays(function)).collect();
        let is_unnamed = |i: &Value<'m>| !self.marked.contains(i) && !self.names.contains_key(i);
        self.destroyed = fixed().filter(is_unnamed).filter(|i| blocks::is_destroyed(*i)).collect();
        self.blocks = Blocks::new(function, &self.order, is_in_memory);
        let of_function = function.blocks().into_iter().flat_map(|block| block.instructions());
        for alloca in of_function.filter(|i| i.opcode() == Some(Opcode::LLVMAlloca)) {
            let is_marked = self.marked.contains(&alloca);
            if self.lives_shorter(alloca) {
                let name = self.source_name(alloca);
                let dst = self.builder.local(&name, Type::Ptr);
                self.values.insert(alloca, vec![Expr::Local(dst)]);
                if is_marked {
                    self.emit_at_start(Stmt::Assign { dst, value: Expr::Null });
                }
                if is_marked && blocks::is_mentioned_late(alloca) {
                    let living = self.builder.local(&name, Type::Ptr);
                    self.living.insert(alloca, living);
                    self.emit_at_start(Stmt::Assign { dst: living, value: Expr::Null });
                }
            }
        }
    }

    /// Whether an object's lifetime is shorter than the function's execution.
    fn lives_shorter(&self, alloca: Value<'m>) -> bool {
        self.marked.contains(&alloca) || self.destroyed.contains(&alloca) || self.blocks.has(alloca)
    }

    /// Whether clang does not mark the end of an object's lifetime.
    pub(crate) fn is_unended(&self, alloca: Value<'m>) -> bool {
        let is_renewed = || self.renewed.values().flatten().any(|renewed| *renewed == alloca);
        let is_of_source = self.source.model.is_none() && self.function.is_some_and(Value::has_blocks);
        let is_unnamed = is_of_source && !self.names.contains_key(&alloca) && !self.lives_shorter(alloca);
        is_unnamed && (self.source.module.is_cxx() || is_renewed())
    }

    /// Whether an object's lifetime begins at the start of the function and ends before it returns.
    pub(crate) fn lives_at_start(&self, alloca: Value<'m>) -> bool {
        self.destroyed.contains(&alloca)
    }

    /// Destroys an unnamed object; evaluating its expression again makes another one.
    pub(crate) fn destroy(&mut self, alloca: Value<'m>) -> Lower<()> {
        let Some(dst) = self.address_of(alloca).filter(|_| self.destroyed.contains(&alloca)) else { return Ok(()) };
        self.builder.emit(Stmt::Expire { ptr: Expr::Local(dst) });
        memory::begin(self, alloca)
    }

    /// The local with the address of a variable whose lifetime is shorter than the function's execution.
    pub(crate) fn address_of(&self, alloca: Value<'m>) -> Option<LocalId> {
        match self.values.get(&alloca).map(Vec::as_slice) {
            Some([Expr::Local(local)]) if self.lives_shorter(alloca) => Some(*local),
            _ => None,
        }
    }

    /// Control enters and leaves source blocks.
    pub(crate) fn cross(&mut self, crossing: Crossing<'m>) -> Lower<()> {
        for alloca in crossing.expired {
            if let Some(dst) = self.address_of(alloca) {
                self.builder.emit(Stmt::Expire { ptr: Expr::Local(dst) });
            }
        }
        for alloca in crossing.allocated {
            memory::begin(self, alloca)?;
        }
        Ok(())
    }

    /// A marker, or a restored stack: the lifetime of a variable begins or ends.
    pub(crate) fn mark(&mut self, alloca: Value<'m>, begins: bool) -> Lower<()> {
        let Some(dst) = self.address_of(alloca).filter(|_| self.marked.contains(&alloca)) else { return Ok(()) };
        let living = self.living.get(&alloca).copied();
        if begins {
            memory::begin(self, alloca)?;
            if let Some(living) = living {
                self.builder.emit(Stmt::Assign { dst: living, value: Expr::Local(dst) });
            }
            return Ok(());
        }
        let living = living.unwrap_or(dst);
        self.builder.emit(Stmt::Expire { ptr: Expr::Local(living) });
        self.builder.emit(Stmt::Assign { dst: living, value: Expr::Null });
        Ok(())
    }

    /// Finds variables of blocks that a switch enters before their declarations, so that clang emits none.
    fn find_renewed(&mut self, function: Value<'m>, code: &[Block<'m>], entry: Block<'m>) {
        if self.source.model.is_some() || !function.has_blocks() {
            return;
        }
        let switches = code.iter().filter_map(|block| block.terminator());
        if !switches.into_iter().any(|last| last.opcode() == Some(Opcode::LLVMSwitch)) {
            return;
        }
        let mut flow = Flow::new(entry);
        let undeclared = entry.instructions().filter(|i| i.opcode() == Some(Opcode::LLVMAlloca));
        for alloca in undeclared.filter(|i| !self.names.contains_key(i) && !blocks::is_marked(*i)) {
            if let Some(switch) = blocks::switch_before(alloca, code, &mut flow) {
                self.renewed.entry(switch).or_default().push(alloca);
            }
        }
    }

    /// Allocates the variables of a block that a switch enters.
    pub(crate) fn renew(&mut self, switch: Value<'m>) -> Lower<()> {
        let renewed = self.renewed.remove(&switch).unwrap_or_default();
        // A compound literal has no declaration either, but is allocated where its block is entered.
        for alloca in renewed.into_iter().filter(|alloca| !self.blocks.has(*alloca)).collect::<Vec<_>>() {
            if let Some(dst) = self.promoted(alloca) {
                if self.mutable.contains(&dst) {
                    self.compute_pending(dst);
                    self.builder.emit(Stmt::Havoc { dst, below: None });
                }
            } else if self.alias(alloca).is_none() {
                memory::forget(self, alloca)?;
            }
        }
        Ok(())
    }

    /// Adds a statement to the start of the function, before its first basic block.
    pub(crate) fn emit_at_start(&mut self, stmt: Stmt) {
        match &mut self.prologue {
            Some(prologue) => prologue.push(stmt),
            None => self.builder.emit(stmt),
        }
    }

    /// The location of a basic block, which is queued for lowering.
    pub(crate) fn reach(&mut self, block: Block<'m>) -> LocId {
        if let Some(&loc) = self.block_locs.get(&block) {
            return loc;
        }
        let loc = self.builder.new_loc();
        self.block_locs.insert(block, loc);
        let order = self.order.get(&block).copied().unwrap_or(usize::MAX);
        self.waiting.insert(order, block);
        loc
    }

    fn lower_block(&mut self, block: Block<'m>) {
        self.block = Some(block);
        self.pending.clear();
        self.builder.resume_at(self.block_locs[&block]);
        // No source block is entered yet at the function's start.
        let is_entry = self.order.get(&block) == Some(&0);
        self.inside = if is_entry { Inside::new() } else { self.blocks.at_start(block) };
        for instruction in block.instructions() {
            if self.builder.current().is_none() {
                break;
            }
            if let Some(span) = self.program.span(instruction, self.source) {
                self.builder.span = span;
            }
            let begun = self.enter(instruction).and_then(|()| flow::check_operands(instruction));
            let done = match begun.and_then(|()| terminators::lower(self, block, instruction)) {
                Ok(true) => break,
                Ok(false) => crate::instructions::lower(self, instruction),
                Err(gap) => Err(gap),
            };
            if let Err(Gap(what)) = done {
                self.builder.emit_unmodelled(what);
                break;
            }
        }
        self.pending.clear();
    }

    /// Control reaches an instruction, whichever blocks contain it.
    fn enter(&mut self, instruction: Value<'m>) -> Lower<()> {
        if self.blocks.is_unclear(instruction) {
            let what = "keeping the address of an object of which it is not known how long it lives";
            return Err(gap(what));
        }
        let Some(inside) = self.blocks.inside(instruction) else { return Ok(()) };
        if inside == self.inside {
            return Ok(());
        }
        let crossing = self.blocks.crossing(&self.inside, &inside);
        self.inside = inside;
        self.cross(crossing)
    }

    fn find_names(&mut self, blocks: &[Block<'m>]) {
        for instruction in blocks.iter().flat_map(|block| block.instructions()) {
            if let Some((address, name)) = instruction.declared_variable() {
                self.names.insert(address, name);
            }
        }
    }

    /// The name of a variable or value, from the source if possible.
    pub(crate) fn source_name(&self, value: Value<'m>) -> String {
        let plain = || value.name().trim_end_matches(".addr").to_owned();
        self.names.get(&value).cloned().unwrap_or_else(plain)
    }

    fn promote(&mut self, entry: Block<'m>, function: Value<'m>) {
        let byval: FxHashSet<usize> = (0..function.params().len())
            .filter(|i| self.source.module.byval_type(function, *i as u32).is_some())
            .collect();
        let params = function.params();
        let mut flow = Flow::new(entry);
        let declared = self.declarations(function);
        for instruction in entry.instructions().filter(|i| is_promotable(*i)) {
            // A variable that is read after a jump over its declaration is an object, which its block allocates anew
            // each time.
            if declared.get(&instruction).is_some_and(|at| flow.is_jumped_over(*at, instruction)) {
                continue;
            }
            let Some(ty) = instruction.allocated_type().and_then(layout::scalar) else { continue };
            // A parameter's variable needs no copy of the parameter.
            let copied = parameter_of(instruction, entry, &params).filter(|(i, _)| !byval.contains(i));
            if let Some((_, param)) = copied {
                if let Some([Expr::Local(local)]) = self.values.get(&param).map(Vec::as_slice) {
                    let local = *local;
                    self.builder.variables.named.push(local);
                    self.promoted.insert(instruction, local);
                    if stores_to(instruction).count() > 1 {
                        self.mutable.insert(local);
                    }
                    continue;
                }
            }
            let is_of_source = self.source.model.is_none() && self.names.contains_key(&instruction);
            if !is_of_source && flow.is_assigned_once(instruction) {
                self.aliases.insert(instruction, None);
                continue;
            }
            let name = self.source_name(instruction);
            let local = self.builder.local(&name, ty);
            if is_of_source {
                self.builder.variables.named.push(local);
            }
            self.promoted.insert(instruction, local);
            self.mutable.insert(local);
        }
    }

    /// The declarations of variables in blocks inside the function's body.
    fn declarations(&self, function: Value<'m>) -> FxHashMap<Value<'m>, Value<'m>> {
        if self.source.model.is_some() || !function.has_blocks() {
            return FxHashMap::default();
        }
        let code = function.blocks().into_iter().flat_map(|block| block.instructions());
        let inner = code.filter(|i| i.declared_scope().is_some_and(|scope| !scope.is_function()));
        inner.filter_map(|i| Some((i.declared_variable()?.0, i))).collect()
    }

    /// The value that a variable is an alias of; `None` if it is a variable of its own.
    pub(crate) fn alias(&self, address: Value<'m>) -> Option<Lower<Expr>> {
        let unset = || gap("a variable that is read before it is set");
        self.aliases.get(&address).map(|expr| expr.clone().ok_or_else(unset))
    }

    /// Sets the value that the variable is an alias of. An expression that can change is computed first.
    ///
    /// The only assignment of the variable dominates every read, so that the same holds as for values (`is_stable`).
    pub(crate) fn set_alias(&mut self, address: Value<'m>, value: Expr) {
        let value = if self.is_stable(&value) { value } else { self.compute(value) };
        self.aliases.insert(address, Some(value));
    }

    /// Makes a variable arbitrary again if its declaration is executed again and its old value could be read. The
    /// declaration of a parameter, which clang puts after the store of the argument, declares nothing anew.
    pub(crate) fn redeclare(&mut self, declaration: Value<'m>) -> Lower<()> {
        let Some((address, _)) = declaration.declared_variable() else { return Ok(()) };
        if let Some(dst) = self.promoted(address).filter(|local| self.mutable.contains(local)) {
            if !flow::is_assigned_before(declaration, address) && flow::is_read_uninitialised(declaration, address) {
                self.compute_pending(dst);
                self.builder.emit(Stmt::Havoc { dst, below: None });
            }
            return Ok(());
        }
        let has_blocks = self.function.is_some_and(Value::has_blocks);
        let is_fixed = address.opcode() == Some(Opcode::LLVMAlloca) && address.operand(0).as_int().is_some();
        let is_own = self.alias(address).is_none() && !self.marked.contains(&address) && is_fixed;
        if has_blocks && is_own && self.blocks.is_declared_again(declaration, address) {
            return memory::forget(self, address);
        }
        Ok(())
    }

    fn declare_phis(&mut self, blocks: &[Block<'m>]) {
        for block in blocks {
            for phi in block.instructions().take_while(|i| i.opcode() == Some(Opcode::LLVMPHI)) {
                if let Ok(types) = layout::part_types(self.source.module, phi.ty()) {
                    let locals: Vec<LocalId> = types.into_iter().map(|ty| self.builder.temporary(ty)).collect();
                    self.values.insert(phi, locals.iter().map(|local| Expr::Local(*local)).collect());
                    self.phis.insert(phi, locals);
                }
            }
        }
    }

    /// The locals that hold a phi's value.
    pub(crate) fn phi_locals(&self, phi: Value<'m>) -> Lower<Vec<LocalId>> {
        self.phis.get(&phi).cloned().ok_or_else(|| gap(format!("a value of type {}", phi.ty().text())))
    }

    /// Whether a variable is clang's own and never read (the return value of `main`).
    pub(crate) fn is_never_read(&self, address: Value<'m>) -> bool {
        !self.names.contains_key(&address) && address.users().all(|user| user.opcode() == Some(Opcode::LLVMStore))
    }

    /// The local of a promoted variable.
    pub(crate) fn promoted(&self, address: Value<'m>) -> Option<LocalId> {
        self.promoted.get(&address).copied()
    }

    // ----- values

    /// The value of an operand, as its scalar parts. Counts as one use of it.
    pub(crate) fn operand(&mut self, value: Value<'m>) -> Lower<Vec<Expr>> {
        if let Some(at) = self.pending.iter().rposition(|pending| pending.value == value) {
            let pending = &mut self.pending[at];
            pending.uses_left -= 1;
            if pending.uses_left == 0 {
                return Ok(self.pending.remove(at).exprs);
            }
            return Ok(pending.exprs.clone());
        }
        if let Some(exprs) = self.values.get(&value) {
            return Ok(exprs.clone());
        }
        if value.is_instruction() {
            return Err(gap(format!("the value of {}", value.text().trim())));
        }
        let types = layout::part_types(self.source.module, value.ty())?;
        let parts = constants::parts(self.program, self.source, value)?;
        let is_scalar = parts.len() == 1;
        Ok(parts
            .into_iter()
            .zip(types)
            .map(|(part, ty)| part.unwrap_or_else(|| self.arbitrary(ty, is_scalar)))
            .collect())
    }

    /// The value of an operand that is a single scalar.
    pub(crate) fn scalar(&mut self, value: Value<'m>) -> Lower<Expr> {
        let mut exprs = self.operand(value)?;
        match (exprs.pop(), exprs.is_empty()) {
            (Some(expr), true) => Ok(expr),
            _ => Err(gap(format!("an operand of type {}", value.ty().text()))),
        }
    }

    /// An arbitrary value. A part of an aggregate is usually overwritten before it is used, so it is not worth a
    /// statement: a local that is never assigned is arbitrary too.
    pub(crate) fn arbitrary(&mut self, ty: Type, with_statement: bool) -> Expr {
        let dst = self.builder.temporary(ty);
        if with_statement {
            self.builder.emit(Stmt::Havoc { dst, below: None });
        }
        Expr::Local(dst)
    }

    /// Sets the value of an instruction: expressions over locals as they are now.
    pub(crate) fn define(&mut self, instruction: Value<'m>, exprs: Vec<Expr>) {
        let uses = self.uses(instruction);
        if uses.total == 0 || exprs.is_empty() {
            return;
        }
        if exprs.iter().all(|expr| self.is_stable(expr)) {
            self.values.insert(instruction, exprs);
            return;
        }
        let is_small = exprs.iter().all(|expr| self.is_stable(expr) || matches!(expr, Expr::Local(_)));
        let size: usize = exprs.iter().map(expr_size).sum();
        if uses.all_here && (is_small || (uses.total == 1 && size <= MAX_EXPR_SIZE)) {
            self.pending.push(Pending { value: instruction, exprs, uses_left: uses.total });
            return;
        }
        let locals = exprs.into_iter().map(|expr| self.compute(expr)).collect();
        self.values.insert(instruction, locals);
    }

    /// Whether this expression has the same value at the use of an instruction as at its definition.
    ///
    /// Constants are. A temporary is too: its computation dominates that of the value, which dominates the use; so
    /// between a later computation of the temporary and the use, the value is computed again. (Otherwise the use could
    /// be reached without it.)
    fn is_stable(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Int { .. } | Expr::Null | Expr::Object(_) | Expr::Function(_) => true,
            Expr::Local(local) => !self.mutable.contains(local),
            _ => false,
        }
    }

    /// Sets the value of an instruction to these fresh locals, which the last statement wrote.
    pub(crate) fn define_fresh(&mut self, instruction: Value<'m>, locals: Vec<LocalId>) {
        if let [local] = locals.as_slice() {
            self.fresh = Some((instruction, *local));
        }
        self.values.insert(instruction, locals.into_iter().map(Expr::Local).collect());
    }

    /// Computes an expression into a temporary.
    pub(crate) fn compute(&mut self, value: Expr) -> Expr {
        let dst = self.builder.temporary(self.type_of(&value));
        self.builder.emit(Stmt::Assign { dst, value });
        Expr::Local(dst)
    }

    /// The expression itself if it is small, or a temporary with its value: for values that are mentioned repeatedly.
    pub(crate) fn shared(&mut self, value: Expr) -> Expr {
        match value {
            Expr::Int { .. } | Expr::Null | Expr::Local(_) | Expr::Object(_) | Expr::Function(_) => value,
            _ => self.compute(value),
        }
    }

    /// The type of an expression.
    pub(crate) fn type_of(&self, expr: &Expr) -> Type {
        let size = self.program.data_model.size_type();
        match expr {
            Expr::Int { width, .. } => Type::Int(*width),
            Expr::Local(local) => self.builder.locals[*local].ty,
            Expr::SelfThread => size,
            Expr::Unary { ty, .. } => *ty,
            Expr::Binary { op, .. } if op.is_comparison() => Type::BOOL,
            Expr::Binary { ty: Type::Ptr, .. } => size,
            Expr::Binary { ty, .. } => *ty,
            Expr::Cast { to, .. } => *to,
            Expr::Select { then, .. } => self.type_of(then),
            Expr::Null | Expr::Object(_) | Expr::Function(_) | Expr::Offset { .. } | Expr::Ghost(_) => Type::Ptr,
        }
    }

    /// Assigns a mutable local the value of `from`. Expressions that mention its old value are computed first.
    pub(crate) fn assign(&mut self, dst: LocalId, value: Expr, from: Value<'m>) {
        if value == Expr::Local(dst) {
            return;
        }
        // `t = load p; x = t`, where nothing else uses t, is `x = load p`.
        let is_needed = self.pending.iter().any(|p| p.exprs.iter().any(|e| e.mentions(dst)));
        if !is_needed && self.redirect_fresh(dst, &value, from) {
            return;
        }
        self.compute_pending(dst);
        self.builder.emit(Stmt::Assign { dst, value });
    }

    /// Redirects the value of `from` that the last statement computed to `dst`, if nothing else uses it.
    pub(crate) fn redirect_fresh(&mut self, dst: LocalId, value: &Expr, from: Value<'m>) -> bool {
        match self.fresh {
            Some((instruction, temporary)) if instruction == from && *value == Expr::Local(temporary) => {
                self.uses(from).total == 1 && self.builder.redirect_last(temporary, dst)
            }
            _ => false,
        }
    }

    /// Computes the expressions that mention a local which is about to change.
    fn compute_pending(&mut self, dst: LocalId) {
        for at in 0..self.pending.len() {
            if self.pending[at].exprs.iter().any(|expr| expr.mentions(dst)) {
                let exprs = std::mem::take(&mut self.pending[at].exprs);
                self.pending[at].exprs = exprs.into_iter().map(|expr| self.compute(expr)).collect();
            }
        }
    }

    /// The uses of an instruction's value.
    pub(crate) fn uses(&self, instruction: Value<'m>) -> Uses {
        let mut uses = Uses { total: 0, all_here: true };
        for user in instruction.users() {
            uses.total += 1;
            if user.opcode() == Some(Opcode::LLVMPHI) {
                // A phi uses it at the end of the incoming block; `users` has one entry for each such use.
                let here = |(value, block)| value != instruction || Some(block) == self.block;
                uses.all_here &= user.incoming().into_iter().all(here);
            } else {
                uses.all_here &= user.block() == self.block;
            }
        }
        uses
    }
}

/// The uses of a value.
pub(crate) struct Uses {
    /// Their number.
    pub(crate) total: usize,
    /// Whether all uses are in the basic block being lowered, or by phis at its end.
    pub(crate) all_here: bool,
}

/// The number of operations and leaves of an expression.
fn expr_size(expr: &Expr) -> usize {
    let mut size = 0;
    expr.for_each(&mut |_| size += 1);
    size
}

/// The parameter that a variable holds, if it is one that clang made for it.
fn parameter_of<'m>(alloca: Value<'m>, entry: Block<'m>, params: &[Value<'m>]) -> Option<(usize, Value<'m>)> {
    let first = entry.instructions().find(|i| i.operands().any(|operand| operand == alloca))?;
    if first.opcode() != Some(Opcode::LLVMStore) {
        return None;
    }
    let index = params.iter().position(|param| *param == first.operand(0))?;
    // The argument itself is used nowhere else, so the variable may change it.
    (params[index].users().count() == 1).then(|| (index, params[index]))
}
