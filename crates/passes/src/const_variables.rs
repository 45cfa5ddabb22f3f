//! `const` variables on the stack or thread-local: writing one is undefined (C11 6.7.3p6), and compilers rely on that.
//! (Other static ones are constant objects.) A write that can only be to such a variable violates `memory`; where one
//! is possible, every proof has a premise that there is none.
//!
//! Initialisation writes through addresses that the compiler computes from the variable's, and through no other
//! variable of the program: such a write is one *by name*; or it is done by the function that returns the object. The
//! write of a scalar is located at its declaration. For an array or a structure nothing marks the end of
//! initialisation: a write by name to a place that has been written, or after the whole has been filled, may be a
//! violation. Objects of classes are written by constructors and destructors, and may have mutable members: proofs
//! about these have a premise.
//!
//! Temporaries of C++ are `const` if a reference to `const` is bound to them, which debug information says of variables
//! and parameters. It does not say whether a compound literal is `const`: where one may be written other than by its
//! initialisation, proofs have the premise that it is not.

use crate::chain::Chain;
use crate::notes::{ConstKind, ConstVariable, Notes};
use crate::roots::constant;
use base::IdVec;
use ir::analysis::{Memory, PointsTo};
use ir::{Claim, Expr, Function, FunctionId, LocalId, Premise, Program, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};

/// The statement for a write to such a variable.
pub fn violation() -> Stmt {
    Stmt::Assert { cond: Expr::bool(false), claim: Claim::ConstUnwritten, is_defined: false }
}

/// Finds such writes.
pub(crate) fn notice(program: &mut Program, notes: &Notes) {
    if notes.constants.is_empty() && notes.objects.is_empty() && !notes.is_written_again {
        return;
    }
    let mut constant: FxHashMap<Memory, ConstKind> =
        notes.objects.iter().map(|object| (Memory::Static(*object), ConstKind::Scalar)).collect();
    for ((function, edge), stmt) in program.statements() {
        if let Stmt::Alloc { dst, .. } = stmt {
            if let Some(variable) = notes.constants.get(&(function, *dst)) {
                constant.insert(Memory::Site(function, edge), variable.kind);
            }
        }
    }
    let points_to = PointsTo::new(program);
    let (mut certain, mut is_possible) = (Vec::new(), notes.is_written_again);
    for (id, function) in program.functions.enumerate() {
        let bases = Bases::new(id, function, notes);
        let (mut places, mut filled) = (FxHashSet::default(), FxHashSet::default());
        for (edge, item) in function.edges.enumerate() {
            if let Stmt::Call { args, .. } = &item.stmt {
                let given = args.iter().filter_map(|arg| Some((arg, bases.constant(arg)?.0)));
                filled.extend(given.filter(|(arg, _)| bases.place(arg) == Some(0)).map(|(_, local)| local));
            }
            let Some(pointer) = written(&item.stmt) else { continue };
            if let Some((local, variable)) = bases.constant(pointer) {
                let is_scalar = variable.kind == ConstKind::Scalar;
                let is_first = !places.iter().any(|(other, _)| *other == local);
                match &item.stmt {
                    Stmt::Store { .. } => {
                        let is_again = bases.place(pointer).is_some_and(|place| !places.insert((local, place)));
                        is_possible |= !is_scalar && (is_again || filled.contains(&local));
                    }
                    Stmt::Copy { .. } | Stmt::Set { .. } => {
                        is_possible |= !(filled.insert(local) && is_first) && variable.span != item.span;
                    }
                    _ if variable.kind == ConstKind::Unknown => is_possible = true,
                    _ => certain.push((id, edge)),
                }
                continue;
            }
            if bases.is_result(pointer) {
                continue;
            }
            let pointees = points_to.pointees(id, pointer);
            let kinds = || pointees.objects.iter().map(|(memory, is_ghost)| constant.get(memory).filter(|_| !is_ghost));
            let is_surely = |kind: Option<&ConstKind>| match kind {
                Some(ConstKind::Scalar | ConstKind::Array | ConstKind::Record) => true,
                Some(ConstKind::Class | ConstKind::Unknown) | None => false,
            };
            if kinds().all(|kind| kind.is_none()) {
                continue;
            }
            if kinds().all(is_surely) && !pointees.is_unknown {
                certain.push((id, edge));
            } else {
                // A constructor writes the object of its class, and nothing else that is const.
                let is_other = kinds().flatten().any(|kind| *kind != ConstKind::Class);
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

/// Whether a C++ function is a constructor or destructor, by the end of its mangled name before the parameters.
fn is_constructor_or_destructor(name: &str) -> bool {
    name.starts_with("_Z") && ["C1E", "C2E", "D0E", "D1E", "D2E"].iter().any(|end| name.contains(end))
}

/// The written address of a statement.
fn written(stmt: &Stmt) -> Option<&Expr> {
    match stmt {
        Stmt::Copy { dst, .. } | Stmt::Set { dst, .. } => Some(dst),
        Stmt::Free { .. } | Stmt::Expire { .. } => None,
        _ => stmt.touches().into_iter().find(|touch| touch.writes).map(|touch| touch.ptr),
    }
}

/// The origins of pointers, through compiler-computed values only.
struct Bases<'a> {
    function: FunctionId,
    notes: &'a Notes,
    values: IdVec<LocalId, Vec<&'a Expr>>,
}

impl<'a> Bases<'a> {
    fn new(id: FunctionId, function: &'a Function, notes: &'a Notes) -> Bases<'a> {
        let mut values: IdVec<LocalId, Vec<&Expr>> = function.locals.iter().map(|_| Vec::new()).collect();
        for edge in function.edges.iter() {
            if let Stmt::Assign { dst, value } = &edge.stmt {
                values[*dst].push(value);
            }
        }
        Bases { function: id, notes, values }
    }

    /// The `const` variable that a pointer is derived from, if there is one.
    fn constant(&self, pointer: &'a Expr) -> Option<(LocalId, ConstVariable)> {
        let local = self.root(pointer)?;
        Some((local, *self.notes.constants.get(&(self.function, local))?))
    }

    /// Whether a pointer is derived from the address of the function's result.
    fn is_result(&self, pointer: &'a Expr) -> bool {
        self.root(pointer).is_some_and(|local| self.notes.results.contains(&(self.function, local)))
    }

    /// The `const` variable, or the result of the function, that a pointer is derived from, if there is one.
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
            if self.notes.constants.contains_key(&key) || self.notes.results.contains(&key) {
                if found.is_some_and(|other| other != local) {
                    return None;
                }
                found = Some(local);
            } else if self.notes.named.contains(&key) || self.values[local].is_empty() {
                return None;
            } else if seen.insert(local) {
                waiting.extend(&self.values[local]);
            }
        }
        found
    }

    /// The offset in the variable, if it is constant. The pointer must be derived from one, or this may not terminate.
    fn place(&self, pointer: &Expr) -> Option<i64> {
        match pointer {
            Expr::Offset { base, bytes } => Some(self.place(base)?.wrapping_add(constant(bytes)?)),
            Expr::Local(local) if self.notes.constants.contains_key(&(self.function, *local)) => Some(0),
            Expr::Local(local) => match self.values[*local][..] {
                [value] => self.place(value),
                _ => None,
            },
            _ => None,
        }
    }
}
