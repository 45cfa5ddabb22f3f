//! Symbolic sources of pointers: a local of some frame that holds an address, plus a constant distance. Two pointers
//! with the same source have a constant distance from each other wherever they lead.

use super::value::Value;
use super::values::Values;
use base::IdVec;
use ir::analysis::{graph, ContextId, PointsTo};
use ir::{Callee, EdgeId, Expr, Function, FunctionId, LocId, LocalId, Program, Stmt};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// A local variable in the frame of a context.
pub(super) type Root = (ContextId, LocalId);

/// The definition of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Definition {
    /// Never set, or a parameter that keeps its argument.
    None,
    One(EdgeId),
    Several,
}

/// Finds the sources of pointers.
pub(super) struct Symbols<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    definitions: IdVec<FunctionId, IdVec<LocalId, Definition>>,
    on_cycle: IdVec<FunctionId, IdVec<LocId, bool>>,
    stable: RefCell<FxHashMap<(FunctionId, EdgeId, EdgeId, EdgeId), bool>>,
}

/// Maximum number of assignments and calls that are followed.
const DEPTH: usize = 60;

impl<'a> Symbols<'a> {
    pub(super) fn new(program: &'a Program, points_to: &'a PointsTo) -> Self {
        let definitions = program.functions.iter().map(definitions).collect();
        let on_cycle = program.functions.iter().map(graph::on_cycle).collect();
        Symbols { program, points_to, definitions, on_cycle, stable: RefCell::default() }
    }

    /// The source of a pointer at an edge and the distance from it.
    pub(super) fn source(&self, context: ContextId, edge: EdgeId, expr: &Expr) -> Option<(Root, i64)> {
        self.follow(context, edge, expr, 0)
    }

    fn follow(&self, context: ContextId, edge: EdgeId, expr: &Expr, depth: usize) -> Option<(Root, i64)> {
        if depth > DEPTH {
            return None;
        }
        match expr {
            Expr::Local(local) => Some(self.local(context, edge, *local, depth)),
            Expr::Offset { base, bytes } => {
                let Expr::Int { width, value } = bytes.as_ref() else { return None };
                let (root, at) = self.follow(context, edge, base, depth + 1)?;
                Some((root, at.checked_add(i64::try_from(ir::arith::signed(*width, *value)).ok()?)?))
            }
            Expr::Int { .. }
            | Expr::Null
            | Expr::Object(_)
            | Expr::Function(_)
            | Expr::SelfThread
            | Expr::Unary { .. }
            | Expr::Binary { .. }
            | Expr::Cast { .. }
            | Expr::Select { .. }
            | Expr::Ghost(_) => None,
        }
    }

    fn local(&self, context: ContextId, edge: EdgeId, local: LocalId, depth: usize) -> (Root, i64) {
        let itself = ((context, local), 0);
        let id = self.points_to.contexts().function(context);
        let function = &self.program.functions[id];
        let param = function.params.iter().position(|param| *param == local);
        match (self.definitions[id][local], param) {
            (Definition::None, Some(index)) => {
                let Some((caller, call)) = self.points_to.contexts().caller(context) else { return itself };
                let outer = &self.program.functions[self.points_to.contexts().function(caller)];
                let Stmt::Call { callee: Callee::Direct(_), args, .. } = &outer.edges[call].stmt else { return itself };
                let Some(arg) = args.get(index) else { return itself };
                self.follow(caller, call, arg, depth + 1).unwrap_or(itself)
            }
            (Definition::One(definition), None) => {
                let Stmt::Assign { value, .. } = &function.edges[definition].stmt else { return itself };
                let Some((root, at)) = self.follow(context, definition, value, depth + 1) else { return itself };
                match self.is_still(id, context, definition, root, edge) {
                    true => (root, at),
                    false => itself,
                }
            }
            (Definition::None | Definition::One(_) | Definition::Several, _) => itself,
        }
    }

    /// The source of a pointer at an edge, with the minimum and maximum distance from it.
    pub(super) fn range(
        &self,
        values: &mut Values<'a>,
        context: ContextId,
        edge: EdgeId,
        expr: &Expr,
        depth: usize,
    ) -> Option<(Root, i128, i128)> {
        if depth > DEPTH {
            return None;
        }
        match expr {
            Expr::Offset { base, bytes } => {
                let width = self.program.data_model.pointer_width();
                let by = values.at_edge(context, edge, bytes)?.exact_number(width)?;
                let (root, low, high) = self.range(values, context, edge, base, depth + 1)?;
                Some((root, low + by.low(), high + by.high()))
            }
            Expr::Local(local) => {
                let itself = Some(((context, *local), 0, 0));
                let id = self.points_to.contexts().function(context);
                let function = &self.program.functions[id];
                let param = function.params.iter().position(|param| param == local);
                match (self.definitions[id][*local], param) {
                    (Definition::None, Some(index)) => {
                        let Some((caller, call)) = self.points_to.contexts().caller(context) else { return itself };
                        let outer = &self.program.functions[self.points_to.contexts().function(caller)];
                        let Stmt::Call { callee: Callee::Direct(_), args, .. } = &outer.edges[call].stmt else {
                            return itself;
                        };
                        let Some(arg) = args.get(index) else { return itself };
                        self.range(values, caller, call, arg, depth + 1).or(itself)
                    }
                    (Definition::One(definition), None) => {
                        let Stmt::Assign { value, .. } = &function.edges[definition].stmt else { return itself };
                        match self.range(values, context, definition, value, depth + 1) {
                            Some(found) if self.is_still(id, context, definition, found.0, edge) => Some(found),
                            Some(_) | None => itself,
                        }
                    }
                    (Definition::None | Definition::One(_) | Definition::Several, _) => itself,
                }
            }
            _ => None,
        }
    }

    /// The possible values of a pointer's source when an edge is taken.
    pub(super) fn root_value(&self, values: &mut Values<'a>, root: Root, at: (ContextId, EdgeId)) -> Option<Value> {
        let mut place = at;
        while place.0 != root.0 {
            place = self.points_to.contexts().caller(place.0)?;
        }
        let now = values.at_edge(place.0, place.1, &Expr::Local(root.1));
        now.filter(|value| !value.refs.is_empty()).or_else(|| self.value_when_set(values, root))
    }

    /// The possible values of a variable right after it is set: states drop the values of dead variables.
    fn value_when_set(&self, values: &mut Values<'a>, root: Root) -> Option<Value> {
        let id = self.points_to.contexts().function(root.0);
        let function = &self.program.functions[id];
        let from = match self.definitions[id][root.1] {
            Definition::None => function.entry,
            Definition::One(set) => function.edges[set].to,
            Definition::Several => return None,
        };
        let next = function.edges_out()[from].first().copied()?;
        values.at_edge(root.0, next, &Expr::Local(root.1))
    }

    /// Whether a value computed from a root at one edge still equals what would be computed now, at another.
    fn is_still(&self, id: FunctionId, context: ContextId, computed: EdgeId, root: Root, now: EdgeId) -> bool {
        let function = &self.program.functions[id];
        let of_root = if root.0 == context { self.definitions[id][root.1] } else { Definition::None };
        let set = match of_root {
            Definition::None => None,
            Definition::Several => return false,
            Definition::One(set) if self.on_cycle[id][function.edges[set].from] => Some(set),
            Definition::One(_) => None,
        };
        let key = (id, computed, set.unwrap_or(computed), now);
        if let Some(known) = self.stable.borrow().get(&key) {
            return *known;
        }
        let is_certain = !leads(function, function.entry, now, computed);
        let after = |edge: EdgeId| function.edges[edge].to;
        let is_old = set.is_some_and(|set| {
            leads(function, after(computed), set, computed) && leads(function, after(set), now, computed)
        });
        let stable = is_certain && !is_old;
        self.stable.borrow_mut().insert(key, stable);
        stable
    }
}

fn definitions(function: &Function) -> IdVec<LocalId, Definition> {
    let mut definitions = IdVec::filled(Definition::None, function.locals.len());
    for (id, edge) in function.edges.enumerate() {
        for local in edge.stmt.writes() {
            // A parameter's argument differs from the values that it is set to.
            definitions[local] = match definitions[local] {
                Definition::None if !function.params.contains(&local) => Definition::One(id),
                Definition::None | Definition::One(_) | Definition::Several => Definition::Several,
            };
        }
    }
    definitions
}

/// Whether an edge can be reached from a location without taking another one first.
pub(super) fn leads(function: &Function, from: LocId, to: EdgeId, without: EdgeId) -> bool {
    let out = function.edges_out();
    let mut is_seen = IdVec::filled(false, function.locs);
    let mut work = vec![from];
    while let Some(loc) = work.pop() {
        if std::mem::replace(&mut is_seen[loc], true) {
            continue;
        }
        for &edge in &out[loc] {
            if edge == to {
                return true;
            }
            if edge != without {
                work.push(function.edges[edge].to);
            }
        }
    }
    false
}
