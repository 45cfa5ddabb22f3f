//! Traces the origins of pointers, and the values of numbers, through the parameters of functions.

use super::{Definitions, Stride};
use base::IdVec;
use ir::analysis::{ContextId, Memory, PointsTo};
use ir::{arith, EdgeId, Expr, FunctionId, LocalId, Program, Stmt, Type};
use rustc_hash::FxHashMap;

/// Maximum depth of calls that are traced.
const DEPTH: usize = 8;

/// Maximum distance that a pointer goes back.
const FAR: i64 = 1 << 31;

/// The origin of a pointer.
#[derive(Clone, Copy)]
pub(super) struct Origin<'a> {
    pub(super) context: ContextId,
    /// A pointer to the beginning of an object, by assumption.
    pub(super) root: &'a Expr,
    /// The constant summands.
    pub(super) constant: i64,
    /// The stride of the other summands.
    pub(super) stride: Stride,
}

/// Traces pointers and numbers back through parameters.
pub(crate) struct Tracer<'a> {
    program: &'a Program,
    pub(super) points_to: &'a PointsTo,
    definitions: IdVec<FunctionId, Option<Definitions<'a>>>,
    /// The calls and starts that lead to a context.
    callers: Option<FxHashMap<ContextId, Vec<(ContextId, EdgeId)>>>,
}

impl<'a> Tracer<'a> {
    pub(crate) fn new(program: &'a Program, points_to: &'a PointsTo) -> Tracer<'a> {
        let definitions = program.functions.iter().map(|_| None).collect();
        Tracer { program, points_to, definitions, callers: None }
    }

    /// The size of an object, if it is one constant.
    pub(crate) fn size(&mut self, memory: Memory, context: Option<ContextId>) -> Option<i128> {
        match (memory, context) {
            (Memory::Static(object), _) => Some(i128::from(self.program.objects[object].size)),
            (Memory::Site(function, edge), Some(context)) => {
                let Stmt::Alloc { size, .. } = &self.program.functions[function].edges[edge].stmt else { return None };
                self.value(context, size, DEPTH).map(|size| size as i128)
            }
            (Memory::Site(..), None) => None,
        }
    }

    /// The possible origins of a pointer.
    pub(super) fn origins(&mut self, context: ContextId, pointer: &'a Expr) -> Vec<Origin<'a>> {
        let mut origins = Vec::new();
        let start = Origin { context, root: pointer, constant: 0, stride: Stride::NONE };
        self.collect(start, DEPTH, &mut origins);
        origins
    }

    fn collect(&mut self, mut origin: Origin<'a>, depth: usize, origins: &mut Vec<Origin<'a>>) {
        let function = self.points_to.contexts().function(origin.context);
        let (position, root) = self.definitions(function).trace(origin.root);
        origin.root = root;
        origin.constant = origin.constant.saturating_add(position.constant);
        origin.stride = origin.stride.and(position.stride);
        if let Some((index, is_set)) = self.parameter(function, root).filter(|_| depth > 0) {
            if is_set {
                origin.stride = Stride::ANY;
            }
            let arguments = self.arguments(origin.context, index);
            if !arguments.is_empty() {
                for (context, root) in arguments {
                    self.collect(Origin { context, root, ..origin }, depth - 1, origins);
                }
                return;
            }
        }
        origins.push(origin);
    }

    /// Whether a pointer comes from memory or out of a call.
    pub(super) fn is_kept(&self, origin: &Origin<'_>) -> bool {
        let function = self.points_to.contexts().function(origin.context);
        let Expr::Local(local) = origin.root else { return false };
        let mut writing =
            self.program.functions[function].edges.iter().filter(|edge| edge.stmt.writes().contains(local));
        writing.any(|edge| !matches!(edge.stmt, Stmt::Assign { .. } | Stmt::Alloc { .. }))
    }

    /// The base of a pointer: a value that the function does not change, or a parameter's initial value; the least
    /// constant that is added, and the stride of the rest. A variable that is advanced is traced to its first
    /// assignment.
    pub(super) fn base(&mut self, function: FunctionId, pointer: &'a Expr) -> Option<(&'a Expr, i64, Stride)> {
        let (position, root) = self.definitions(function).trace(pointer);
        let unmoved = Some((root, position.constant, position.stride));
        let Expr::Local(local) = root else { return unmoved };
        let item = &self.program.functions[function];
        let writing = || item.edges.iter().filter(|edge| edge.stmt.writes().contains(local));
        if writing().count() == 0 || writing().count() == 1 && !item.params.contains(local) {
            return unmoved;
        }
        // The initial value of a parameter is not in this function.
        let mut base = item.params.contains(local).then_some((root, 0));
        let mut goes_back = false;
        let mut stride = position.stride;
        for edge in writing() {
            let Stmt::Assign { value, .. } = &edge.stmt else { return None };
            if *value == Expr::Null {
                continue;
            }
            let (step, from) = self.definitions(function).trace(value);
            stride = stride.and(step.stride);
            if from == root {
                goes_back |= step.constant < 0;
                stride = stride.and(Stride::of_step(step.constant));
                continue;
            }
            let is_fixed = match from {
                Expr::Local(other) => item.edges.iter().filter(|edge| edge.stmt.writes().contains(other)).count() <= 1,
                _ => true,
            };
            match base {
                _ if !is_fixed => return None,
                Some((known, _)) if known != from => return None,
                Some((_, least)) => stride = stride.and(Stride::of_step(step.constant.wrapping_sub(least))),
                None => {}
            }
            base = Some((from, base.map_or(step.constant, |(_, least)| least.min(step.constant))));
        }
        let (base, least) = base?;
        let least = if goes_back { least.saturating_sub(stride.multiple_below(FAR)) } else { least };
        Some((base, least.saturating_add(position.constant), stride))
    }

    pub(super) fn definitions(&mut self, function: FunctionId) -> &Definitions<'a> {
        let program = self.program;
        self.definitions[function].get_or_insert_with(|| Definitions::new(&program.functions[function]))
    }

    /// Which parameter an expression is, and whether the function changes that.
    fn parameter(&self, function: FunctionId, expr: &Expr) -> Option<(usize, bool)> {
        let Expr::Local(local) = expr else { return None };
        let function = &self.program.functions[function];
        let index = function.params.iter().position(|param| param == local)?;
        Some((index, function.edges.iter().any(|edge| edge.stmt.writes().contains(local))))
    }

    /// The parameter that an expression is, if the function changes it.
    pub(super) fn changed_parameter(&self, function: FunctionId, expr: &Expr) -> Option<LocalId> {
        let (index, is_set) = self.parameter(function, expr)?;
        is_set.then(|| self.program.functions[function].params[index])
    }

    /// The possible origins of the initial value of what `base` found.
    pub(super) fn places_of_base(&mut self, context: ContextId, base: &'a Expr) -> Vec<Origin<'a>> {
        let function = self.points_to.contexts().function(context);
        match self.parameter(function, base) {
            Some((index, true)) => {
                let arguments = self.arguments(context, index);
                arguments.into_iter().flat_map(|(caller, argument)| self.places(caller, argument)).collect()
            }
            _ => self.places(context, base),
        }
    }

    /// The possible targets of a pointer, through variables that are advanced or set to several values.
    pub(super) fn places(&mut self, context: ContextId, pointer: &'a Expr) -> Vec<Origin<'a>> {
        self.follow(context, pointer, &mut Vec::new(), DEPTH)
    }

    /// The same, except for variables of the function that are already being traced.
    fn follow(
        &mut self,
        context: ContextId,
        pointer: &'a Expr,
        seen: &mut Vec<LocalId>,
        depth: usize,
    ) -> Vec<Origin<'a>> {
        let function = self.points_to.contexts().function(context);
        let (position, root) = self.definitions(function).trace(pointer);
        let mut origins = Vec::new();
        let (mut stride, mut goes_back) = (position.stride, false);
        let here = Origin { context, root, constant: 0, stride: Stride::NONE };
        if let (Some((index, _)), true) = (self.parameter(function, root), depth > 0) {
            for (caller, argument) in self.arguments(context, index) {
                origins.extend(self.follow(caller, argument, &mut Vec::new(), depth - 1));
            }
        }
        if let Expr::Local(local) = root {
            if seen.contains(local) {
                return origins;
            }
            seen.push(*local);
            let program = self.program;
            for (id, edge) in program.functions[function].edges.enumerate() {
                match &edge.stmt {
                    Stmt::Call { dsts, .. } if dsts.contains(local) && depth > 0 => {
                        let result = dsts.iter().position(|dst| dst == local);
                        for callee in self.points_to.callees(context, id).to_vec() {
                            let called = &program.functions[self.points_to.contexts().function(callee)];
                            for edge in called.edges.iter() {
                                let Stmt::Return(values) = &edge.stmt else { continue };
                                if let Some(value) = result.and_then(|result| values.get(result)) {
                                    origins.extend(self.follow(callee, value, &mut Vec::new(), depth - 1));
                                }
                            }
                        }
                    }
                    Stmt::Assign { dst, value } if dst == local && *value != Expr::Null => {
                        let (step, from) = self.definitions(function).trace(value);
                        if from == root {
                            goes_back |= step.constant < 0;
                            stride = stride.and(step.stride).and(Stride::of_step(step.constant));
                        } else {
                            origins.extend(self.follow(context, value, seen, depth));
                        }
                    }
                    stmt if stmt.writes().contains(local) && !matches!(stmt, Stmt::Assign { .. }) => origins.push(here),
                    _ => {}
                }
            }
            seen.pop();
        }
        if origins.is_empty() {
            origins.push(here);
        }
        for origin in &mut origins {
            origin.stride = origin.stride.and(stride);
            origin.constant = origin.constant.saturating_add(position.constant);
            if goes_back {
                origin.constant = origin.constant.saturating_sub(origin.stride.multiple_below(FAR));
            }
        }
        origins
    }

    /// The possible values of a parameter, in the contexts of the callers.
    fn arguments(&mut self, context: ContextId, index: usize) -> Vec<(ContextId, &'a Expr)> {
        let callers = match self.points_to.contexts().caller(context) {
            Some(caller) => vec![caller],
            None => self.callers().get(&context).cloned().unwrap_or_default(),
        };
        let argument = |(caller, edge): (ContextId, EdgeId)| {
            let function = self.points_to.contexts().function(caller);
            match &self.program.functions[function].edges[edge].stmt {
                Stmt::Call { args, .. } | Stmt::Spawn { args, .. } => Some((caller, args.get(index)?)),
                _ => None,
            }
        };
        callers.into_iter().filter_map(argument).collect()
    }

    fn callers(&mut self) -> &FxHashMap<ContextId, Vec<(ContextId, EdgeId)>> {
        let (program, points_to) = (self.program, self.points_to);
        self.callers.get_or_insert_with(|| {
            let mut callers: FxHashMap<ContextId, Vec<(ContextId, EdgeId)>> = FxHashMap::default();
            for context in points_to.contexts().ids() {
                let function = &program.functions[points_to.contexts().function(context)];
                for edge in function.edges.ids() {
                    let callees = points_to.callees(context, edge).iter().chain(points_to.spawned(context, edge));
                    callees.for_each(|callee| callers.entry(*callee).or_default().push((context, edge)));
                }
            }
            callers
        })
    }

    /// The value of a number, if it is one constant.
    pub(crate) fn number(&mut self, context: ContextId, expr: &'a Expr) -> Option<u128> {
        self.value(context, expr, DEPTH)
    }

    fn value(&mut self, context: ContextId, expr: &'a Expr, depth: usize) -> Option<u128> {
        let depth = depth.checked_sub(1)?;
        match expr {
            Expr::Int { value, .. } => Some(*value),
            Expr::Binary { op, ty: Type::Int(width), lhs, rhs } => {
                let (lhs, rhs) = (self.value(context, lhs, depth)?, self.value(context, rhs, depth)?);
                arith::binary(*op, *width, lhs, rhs)
            }
            Expr::Cast { op, from: Type::Int(from), to: Type::Int(to), arg } => {
                arith::cast(*op, *from, *to, self.value(context, arg, depth)?)
            }
            Expr::Local(local) => {
                let function = self.points_to.contexts().function(context);
                if let Some((index, is_set)) = self.parameter(function, expr) {
                    if is_set {
                        return None;
                    }
                    let arguments = self.arguments(context, index);
                    let [(caller, argument)] = arguments[..] else { return None };
                    return self.value(caller, argument, depth);
                }
                let value = self.definitions(function).values.get(local).copied().flatten()?;
                self.value(context, value, depth)
            }
            _ => None,
        }
    }
}
