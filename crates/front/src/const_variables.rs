//! Variables that are `const` and live on the stack or in each thread: to write one is undefined (C11 6.7.3p6), and compilers rely on that.
//! (Other static ones are constant objects.) A write that can only be to such a variable violates `memory`; where one may be, every proof says that it takes
//! for granted that none is.
//!
//! Initialisation writes through what the compiler computes from the address of the variable, and no other variable of the program: such a
//! write is one *by name*; or it is done by the function that returns the object. Of a scalar it stands where the declaration does. Of an array or a structure
//! nothing shows where initialisation ends: a write by name of a place that has been written, or after the whole has been
//! filled, may be another one. Objects of classes are written by constructors and destructors, and may have mutable members: of these proofs say that they
//! take it for granted.
//!
//! Temporaries of C++ are `const` if a reference to `const` is bound to them, which debug information says of variables and parameters. It does not say
//! of a compound literal whether it is `const`: where one may be written but by its initialisation, proofs say that they take it for granted that it is not.

use crate::calls::{self, Registers};
use crate::chain::Chain;
use crate::flow::stores_to;
use crate::function::FunctionLowering;
use crate::layout;
use crate::llvm::{Block, Constant, Opcode, Value};
use crate::roots::constant;
use base::{IdVec, Span};
use ir::analysis::{Memory, PointsTo};
use ir::{Claim, Expr, Function, FunctionId, LocalId, ObjectId, Premise, Program, Stmt, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// A variable that is `const`.
#[derive(Clone, Copy)]
pub(crate) struct ConstVariable {
    /// Where it is declared.
    pub(crate) span: Span,
    /// What it is.
    pub(crate) kind: Constant,
}

impl ConstVariable {
    /// Whether something stands behind its declaration. What has no name has none.
    pub(crate) fn is_before(&self, span: Span) -> bool {
        self.span.is_known()
            && self.span.file == span.file
            && (self.span.line, self.span.column) < (span.line, span.column)
    }
}

/// The variables of a function, as far as this matters.
#[derive(Default)]
pub(crate) struct Variables {
    /// What points to those that are `const`.
    pub(crate) constants: Vec<(LocalId, ConstVariable)>,
    /// Those that the program itself has; all others are the compiler's.
    pub(crate) named: Vec<LocalId>,
    /// Parameters that point to where the function leaves its result.
    pub(crate) results: Vec<LocalId>,
    /// Objects of which it is not known when their life ends.
    pub(crate) unended: Vec<LocalId>,
    /// In which registers calls through pointers pass arguments.
    pub(crate) calls: Vec<(Span, Registers)>,
    /// In which registers the function is passed its own.
    pub(crate) registers: Option<Registers>,
    /// Whether a scalar without a name is written more than once.
    pub(crate) is_written_again: bool,
}

/// All there are.
#[derive(Default)]
pub(crate) struct Declared {
    constants: FxHashMap<(FunctionId, LocalId), ConstVariable>,
    named: FxHashSet<(FunctionId, LocalId)>,
    results: FxHashSet<(FunctionId, LocalId)>,
    unended: FxHashSet<(FunctionId, LocalId)>,
    calls: FxHashMap<(FunctionId, Span), Vec<Registers>>,
    registers: FxHashMap<FunctionId, Registers>,
    /// Those of each thread.
    objects: FxHashSet<ObjectId>,
    is_written_again: bool,
}

impl Declared {
    pub(crate) fn add(&mut self, function: FunctionId, variables: Variables) {
        self.constants.extend(variables.constants.into_iter().map(|(local, variable)| ((function, local), variable)));
        self.named.extend(variables.named.into_iter().map(|local| (function, local)));
        self.results.extend(variables.results.into_iter().map(|local| (function, local)));
        self.unended.extend(variables.unended.into_iter().map(|local| (function, local)));
        self.is_written_again |= variables.is_written_again;
        for (span, registers) in variables.calls {
            self.calls.entry((function, span)).or_default().push(registers);
        }
        self.registers.extend(variables.registers.map(|registers| (function, registers)));
    }

    /// Whether the calls of a function at a place may be of another one, as far as registers tell. Several calls at one place are not told apart.
    pub(crate) fn fit_registers(&self, (caller, span): (FunctionId, Span), callee: FunctionId, is_used: bool) -> bool {
        let Some((defined, calls)) = self.registers.get(&callee).zip(self.calls.get(&(caller, span))) else {
            return true;
        };
        let wanted: &[Type] = if is_used { &[Type::BOOL] } else { &[] };
        calls.iter().all(|called| calls::fit_registers(called.clone(), defined.clone(), wanted))
    }

    /// Whether it is not known of what is allocated when its life ends.
    pub(crate) fn is_unended(&self, function: FunctionId, dst: LocalId) -> bool {
        self.unended.contains(&(function, dst))
    }

    pub(crate) fn add_object(&mut self, object: ObjectId) {
        self.objects.insert(object);
    }
}

/// Finds the variables of a function that are `const`, and the objects without a name that are or may be.
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
        let is_part = |ty| kind == Constant::Scalar && layout::scalar(ty).is_none();
        if address.allocated_type().is_some_and(is_part) {
            kind = Constant::Record;
        }
        if kind == Constant::Record && (f.source.module.is_cxx() || f.program.is_cxx(instruction, f.source)) {
            kind = Constant::Class;
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
            Some(Constant::Unknown)
        } else {
            bound_to(alloca, &references)
        };
        if let Some(kind) = kind {
            f.constants.insert(alloca, ConstVariable { span: Span::unknown(), kind });
        }
    }
}

/// What a temporary is because a reference to `const` is bound to it: a variable, or a parameter of what is called. If it is bound to a part, that may be a
/// base, and then the whole is `const`, or a member, and then it is not.
fn bound_to<'m>(temporary: Value<'m>, references: &FxHashMap<Value<'m>, Constant>) -> Option<Constant> {
    let is_kept = |user: &Value<'m>, value| user.opcode() == Some(Opcode::LLVMStore) && user.operand(0) == value;
    let found = temporary.users().find_map(|user| match user.opcode() {
        Some(Opcode::LLVMGetElementPtr) => bound_to(user, references).map(|_| Constant::Class),
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
    // There are references in C++ only.
    found.map(|kind| if kind == Constant::Record { Constant::Class } else { kind })
}

/// What a write of such a variable is.
pub(crate) fn violation() -> Stmt {
    Stmt::Assert { cond: Expr::bool(false), claim: Claim::ConstUnwritten, is_defined: false }
}

/// Looks for such writes.
pub(crate) fn notice(program: &mut Program, declared: &Declared) {
    if declared.constants.is_empty() && declared.objects.is_empty() && !declared.is_written_again {
        return;
    }
    let mut constant: FxHashMap<Memory, Constant> =
        declared.objects.iter().map(|object| (Memory::Static(*object), Constant::Scalar)).collect();
    for ((function, edge), stmt) in program.statements() {
        if let Stmt::Alloc { dst, .. } = stmt {
            if let Some(variable) = declared.constants.get(&(function, *dst)) {
                constant.insert(Memory::Site(function, edge), variable.kind);
            }
        }
    }
    let points_to = PointsTo::new(program);
    let (mut certain, mut is_possible) = (Vec::new(), declared.is_written_again);
    for (id, function) in program.functions.enumerate() {
        let bases = Bases::new(id, function, declared);
        let (mut places, mut filled) = (FxHashSet::default(), FxHashSet::default());
        for (edge, item) in function.edges.enumerate() {
            if let Stmt::Call { args, .. } = &item.stmt {
                let given = args.iter().filter_map(|arg| Some((arg, bases.constant(arg)?.0)));
                filled.extend(given.filter(|(arg, _)| bases.place(arg) == Some(0)).map(|(_, local)| local));
            }
            let Some(pointer) = written(&item.stmt) else { continue };
            if let Some((local, variable)) = bases.constant(pointer) {
                let is_scalar = variable.kind == Constant::Scalar;
                let is_first = !places.iter().any(|(other, _)| *other == local);
                match &item.stmt {
                    Stmt::Store { .. } => {
                        let is_again = bases.place(pointer).is_some_and(|place| !places.insert((local, place)));
                        is_possible |= !is_scalar && (is_again || filled.contains(&local));
                    }
                    Stmt::Copy { .. } | Stmt::Set { .. } => {
                        is_possible |= !(filled.insert(local) && is_first) && variable.span != item.span;
                    }
                    _ if variable.kind == Constant::Unknown => is_possible = true,
                    _ => certain.push((id, edge)),
                }
                continue;
            }
            if bases.is_result(pointer) {
                continue;
            }
            let pointees = points_to.pointees(id, pointer);
            let kinds = || pointees.objects.iter().map(|(memory, is_ghost)| constant.get(memory).filter(|_| !is_ghost));
            let is_surely = |kind: Option<&Constant>| match kind {
                Some(Constant::Scalar | Constant::Array | Constant::Record) => true,
                Some(Constant::Class | Constant::Unknown) | None => false,
            };
            if kinds().all(|kind| kind.is_none()) {
                continue;
            }
            if kinds().all(is_surely) && !pointees.is_unknown {
                certain.push((id, edge));
            } else {
                // A constructor writes the object of its class, and nothing else that is const.
                let is_other = kinds().flatten().any(|kind| *kind != Constant::Class);
                is_possible |= is_other || !is_constructor_or_destructor(&function.name);
            }
        }
    }
    if is_possible {
        program.premises.insert(Premise::Constants);
    }
    let width = program.data_model.pointer_width();
    for (function, edge) in certain {
        let mut chain = Chain::new(&mut program.functions[function], edge, true, width);
        chain.add(violation());
        chain.finish();
    }
}

/// Whether a function of C++ is one of these, by the end of its mangled name before the parameters.
fn is_constructor_or_destructor(name: &str) -> bool {
    name.starts_with("_Z") && ["C1E", "C2E", "D0E", "D1E", "D2E"].iter().any(|end| name.contains(end))
}

/// Where a statement writes.
fn written(stmt: &Stmt) -> Option<&Expr> {
    match stmt {
        Stmt::Copy { dst, .. } | Stmt::Set { dst, .. } => Some(dst),
        Stmt::Free { .. } | Stmt::Expire { .. } => None,
        _ => stmt.touches().into_iter().find(|touch| touch.writes).map(|touch| touch.ptr),
    }
}

/// What pointers are computed from, by the compiler alone.
struct Bases<'a> {
    function: FunctionId,
    declared: &'a Declared,
    values: IdVec<LocalId, Vec<&'a Expr>>,
}

impl<'a> Bases<'a> {
    fn new(id: FunctionId, function: &'a Function, declared: &'a Declared) -> Bases<'a> {
        let mut values: IdVec<LocalId, Vec<&Expr>> = function.locals.iter().map(|_| Vec::new()).collect();
        for edge in function.edges.iter() {
            if let Stmt::Assign { dst, value } = &edge.stmt {
                values[*dst].push(value);
            }
        }
        Bases { function: id, declared, values }
    }

    /// The variable whose address a pointer is made from, if it is `const`.
    fn constant(&self, pointer: &'a Expr) -> Option<(LocalId, ConstVariable)> {
        let local = self.root(pointer)?;
        Some((local, *self.declared.constants.get(&(self.function, local))?))
    }

    /// Whether a pointer is made from where the function leaves its result.
    fn is_result(&self, pointer: &'a Expr) -> bool {
        self.root(pointer).is_some_and(|local| self.declared.results.contains(&(self.function, local)))
    }

    /// The variable that is `const`, or the result of the function, that a pointer is made from, if there is one.
    fn root(&self, pointer: &'a Expr) -> Option<LocalId> {
        let (mut waiting, mut seen, mut found) = (vec![pointer], FxHashSet::default(), None);
        while let Some(expr) = waiting.pop() {
            let local = match expr {
                Expr::Offset { base, .. } => {
                    waiting.push(base);
                    continue;
                }
                Expr::Local(local) => *local,
                _ => return None,
            };
            let key = (self.function, local);
            if self.declared.constants.contains_key(&key) || self.declared.results.contains(&key) {
                if found.is_some_and(|other| other != local) {
                    return None;
                }
                found = Some(local);
            } else if self.declared.named.contains(&key) || self.values[local].is_empty() {
                return None;
            } else if seen.insert(local) {
                waiting.extend(&self.values[local]);
            }
        }
        found
    }

    /// Which place of the variable it is, if that is a constant. The pointer must be made from one, or this need not end.
    fn place(&self, pointer: &Expr) -> Option<i64> {
        match pointer {
            Expr::Offset { base, bytes } => Some(self.place(base)?.wrapping_add(constant(bytes)?)),
            Expr::Local(local) if self.declared.constants.contains_key(&(self.function, *local)) => Some(0),
            Expr::Local(local) => match self.values[*local][..] {
                [value] => self.place(value),
                _ => None,
            },
            _ => None,
        }
    }
}
