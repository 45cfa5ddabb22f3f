//! Variables that are `const` and live on the stack or in each thread: to write one is undefined (C11 6.7.3p6), and compilers rely on that.
//! (Other static ones are constant objects.) A write that can only be to such a variable violates `memory`; where one may be, every proof says that it takes
//! for granted that none is.
//!
//! Initialisation writes through what the compiler computes from the address of the variable, and no other variable of the program: such a
//! write is one *by name*. Of a scalar it stands where the declaration does. Of an array or a structure nothing shows where initialisation ends; a
//! write by name behind the line of the declaration, or of a place that has been written, may be another one. Objects of classes are written by
//! constructors, and may have mutable members: of these proofs say that they take it for granted. Compound literals, and the temporaries that references
//! extend, are not looked at.

use crate::chain::Chain;
use crate::llvm::Constant;
use crate::roots::constant;
use base::{IdVec, Span};
use ir::analysis::{Memory, PointsTo};
use ir::{Expr, Function, FunctionId, LocalId, ObjectId, Premise, Program, Property, Stmt};
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
    /// Whether something stands behind its declaration.
    pub(crate) fn is_before(&self, span: Span) -> bool {
        let column = if self.kind == Constant::Scalar { span.column } else { 0 };
        self.span.file == span.file && (self.span.line, self.span.column) < (span.line, column)
    }
}

/// The variables of a function, as far as this matters.
#[derive(Default)]
pub(crate) struct Variables {
    /// What points to those that are `const`.
    pub(crate) constants: Vec<(LocalId, ConstVariable)>,
    /// Those that the program itself has; all others are the compiler's.
    pub(crate) named: Vec<LocalId>,
}

/// All there are.
#[derive(Default)]
pub(crate) struct Declared {
    constants: FxHashMap<(FunctionId, LocalId), ConstVariable>,
    named: FxHashSet<(FunctionId, LocalId)>,
    /// Those of each thread.
    objects: FxHashSet<ObjectId>,
}

impl Declared {
    pub(crate) fn add(&mut self, function: FunctionId, variables: Variables) {
        self.constants.extend(variables.constants.into_iter().map(|(local, variable)| ((function, local), variable)));
        self.named.extend(variables.named.into_iter().map(|local| (function, local)));
    }

    pub(crate) fn add_object(&mut self, object: ObjectId) {
        self.objects.insert(object);
    }
}

/// What a write of such a variable is.
pub(crate) fn violation() -> Stmt {
    let message = "write of a variable that is const".to_owned();
    Stmt::Assert { cond: Expr::bool(false), property: Property::Memory, message, is_defined: false }
}

/// Looks for such writes.
pub(crate) fn notice(program: &mut Program, declared: &Declared) {
    if declared.constants.is_empty() && declared.objects.is_empty() {
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
    let (mut certain, mut is_possible) = (Vec::new(), false);
    for (id, function) in program.functions.enumerate() {
        let bases = Bases::new(id, function, declared);
        let (mut places, mut filled) = (FxHashSet::default(), FxHashSet::default());
        for (edge, item) in function.edges.enumerate() {
            let Some(pointer) = written(&item.stmt) else { continue };
            if let Some((local, variable)) = bases.of(pointer) {
                match &item.stmt {
                    Stmt::Store { .. } => {
                        let place = bases.place(pointer);
                        let is_again = place.is_some_and(|place| !places.insert((local, place)));
                        let is_late = filled.contains(&local) && variable.is_before(item.span);
                        is_possible |= variable.kind != Constant::Scalar && (is_again || is_late);
                    }
                    Stmt::Copy { .. } | Stmt::Set { .. } => {
                        let is_first = filled.insert(local) && !places.iter().any(|(other, _)| *other == local);
                        is_possible |= !is_first && variable.span != item.span;
                    }
                    _ => certain.push((id, edge)),
                }
                continue;
            }
            let pointees = points_to.pointees(id, pointer);
            let kinds = || pointees.objects.iter().map(|(memory, is_ghost)| constant.get(memory).filter(|_| !is_ghost));
            let is_surely = |kind: Option<&Constant>| kind.is_some_and(|kind| *kind != Constant::Class);
            if kinds().all(|kind| kind.is_none()) {
                continue;
            }
            if kinds().all(is_surely) && !pointees.is_unknown {
                certain.push((id, edge));
            } else {
                // A constructor writes the object of its class, and nothing else that is const.
                let is_other = kinds().flatten().any(|kind| *kind != Constant::Class);
                is_possible |= is_other || !is_constructor(&function.name);
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

/// Whether a function of C++ is a constructor, by the end of its mangled name before the parameters.
fn is_constructor(name: &str) -> bool {
    name.starts_with("_Z") && ["C1E", "C2E"].iter().any(|end| name.contains(end))
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
    fn of(&self, pointer: &'a Expr) -> Option<(LocalId, ConstVariable)> {
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
            if let Some(variable) = self.declared.constants.get(&key) {
                if found.is_some_and(|(other, _)| other != local) {
                    return None;
                }
                found = Some((local, *variable));
            } else if self.declared.named.contains(&key) || self.values[local].is_empty() {
                return None;
            } else if seen.insert(local) {
                waiting.extend(&self.values[local]);
            }
        }
        found
    }

    /// Which place of the variable it is, if that is a constant.
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
