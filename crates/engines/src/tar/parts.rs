//! Parts of objects that belong to one thread each, because each thread was given another index or address.
//!
//! A template that is started at one place, in a loop that counts, and is given the counter, or an address at a constant
//! distance for each count, has threads whose arguments all differ. What a thread accesses at a constant multiple of
//! its argument is then its own.
//!
//! The counter: a variable that is set before the loop and, in the loop, only by adding one and the same constant that is
//! not 0. It takes the same value again only by wrapping around, which takes more rounds than there can be threads if it has 32 bits or
//! more. So that nobody else starts such threads, the statement that starts them is in a context that is entered once.
//!
//! A template whose threads are each given what was allocated since the last one was started has threads with an object of
//! their own each.

use super::symbols::leads;
use super::value::ObjectNumber;
use super::values::Values;
use ir::analysis::{graph, ContextId, PointsTo, TemplateId, Threads};
use ir::{BinaryOp, Callee, CastOp, EdgeId, Expr, Function, FunctionId, LocalId, Program, Stmt, Type};
use rustc_hash::FxHashMap;

/// A place that depends on what a thread was given: `base + step * count + rest`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    template: TemplateId,
    /// Where the base comes from: the same for all threads.
    base: Base,
    /// How many bytes lie between two threads' parts.
    step: i128,
    /// Where in its part.
    rest: i128,
}

/// What a place is computed from besides the argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Base {
    /// The argument itself is the address.
    Argument,
    /// The argument is the address of an object that was allocated for the thread.
    Own,
    /// A place in an object of which there is one.
    Place(ObjectNumber, i128),
}

impl Part {
    /// Whether pieces of so many bytes of two different threads have no byte in common.
    pub(super) fn is_apart(&self, other: &Part, bytes: u64, others: u64) -> bool {
        if self.template == other.template && self.base == Base::Own && other.base == Base::Own {
            return true;
        }
        let step = self.step.abs();
        let fits = |rest: i128, bytes: u64| rest + i128::from(bytes);
        let (low, high) = (self.rest.min(other.rest), fits(self.rest, bytes).max(fits(other.rest, others)));
        self.template == other.template && self.base == other.base && self.step == other.step && high - low <= step
    }
}

/// A linear form over what a thread was given.
#[derive(Clone, Copy, Debug)]
struct Linear {
    base: Option<Base>,
    step: i128,
    rest: i128,
    /// Whether bits may have been cut off on the way.
    is_cut: bool,
}

impl Linear {
    fn times(self, by: i128) -> Option<Linear> {
        let (step, rest) = (self.step.checked_mul(by)?, self.rest.checked_mul(by)?);
        self.base.is_none().then_some(Linear { step, rest, ..self })
    }

    fn plus(self, by: i128) -> Option<Linear> {
        Some(Linear { rest: self.rest.checked_add(by)?, ..self })
    }
}

/// Where a counter stands when it is looked at.
struct Counted {
    counter: LocalId,
    /// The statement that looks at it.
    at: EdgeId,
    linear: Linear,
}

/// How the arguments of two threads differ.
#[derive(Clone, Copy, Debug)]
enum Given {
    /// By so much at least; whether they are addresses in one object.
    Counted(i128, bool),
    /// Each is the address of an object that was allocated for the thread.
    Fresh,
}

/// Templates whose threads were given different arguments.
pub(super) struct Parts<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    /// Per entry context: its template, and how the arguments of two threads differ.
    counted: FxHashMap<ContextId, (TemplateId, Given)>,
}

const DEPTH: usize = 40;
/// A counter that is less wide may wrap around.
const LEAST_WIDTH: u16 = 32;

impl<'a> Parts<'a> {
    pub(super) fn new(program: &'a Program, points_to: &'a PointsTo, threads: &Threads) -> Parts<'a> {
        let mut parts = Parts { program, points_to, counted: FxHashMap::default() };
        for (id, template) in threads.templates().enumerate() {
            let ([entry], [site]) = (template.entries.as_slice(), template.sites.as_slice()) else { continue };
            let is_shared_entry = threads
                .templates()
                .enumerate()
                .any(|(other, item)| other != id && (item.entries.contains(entry) || item.contexts.contains(entry)));
            let calls_itself = template.contexts.iter().any(|context| {
                let edges = program.functions[points_to.contexts().function(*context)].edges.ids();
                edges.into_iter().any(|edge| points_to.callees(*context, edge).contains(entry))
            });
            if is_shared_entry || calls_itself {
                continue;
            }
            if let Some(given) = parts.given(threads, *site) {
                parts.counted.insert(*entry, (id, given));
            }
        }
        parts
    }

    /// How the arguments of threads started at one place differ.
    fn given(&self, threads: &Threads, site: (ContextId, EdgeId)) -> Option<Given> {
        let (mut context, mut edge) = site;
        let function = self.function(context);
        let Stmt::Spawn { args, .. } = &function.edges[edge].stmt else { return None };
        let mut arg = args.first()?;
        // Up through functions that start the thread for their caller, as pthread_create does.
        loop {
            let function = self.function(context);
            let Expr::Local(local) = arg else { break };
            let Some(index) = function.params.iter().position(|param| param == local) else { break };
            if function.edges.iter().any(|edge| edge.stmt.writes().contains(local)) || self.is_on_cycle(context, edge) {
                return None;
            }
            let (caller, call) = self.points_to.contexts().caller(context)?;
            let Stmt::Call { callee: Callee::Direct(_), args, .. } = &self.function(caller).edges[call].stmt else {
                return None;
            };
            (context, edge, arg) = (caller, call, args.get(index)?);
        }
        let function = self.function(context);
        if self.is_fresh(context, edge, arg) {
            return Some(Given::Fresh);
        }
        if !self.is_entered_once(threads, context) {
            return None;
        }
        let Counted { counter, at, linear } = self.in_counter(function, edge, arg, 0)?;
        let by = self.increment(function, counter, at)?;
        let step = linear.step.checked_mul(by)?;
        (step != 0).then_some(Given::Counted(step, linear.base.is_some()))
    }

    /// Whether an argument is what was allocated since a thread was started here the last time, as a whole.
    fn is_fresh(&self, context: ContextId, at: EdgeId, arg: &Expr) -> bool {
        let Expr::Local(local) = arg else { return false };
        let function = self.function(context);
        let mut sets = function.edges.enumerate().filter(|(_, edge)| edge.stmt.writes().contains(local));
        let (Some((set, item)), None) = (sets.next(), sets.next()) else { return false };
        let is_new = match &item.stmt {
            Stmt::Alloc { .. } => true,
            Stmt::Call { dsts, .. } if dsts.as_slice() == [*local] => {
                let callees = self.points_to.callees(context, set);
                !callees.is_empty() && callees.iter().all(|callee| self.allocates(*callee))
            }
            _ => false,
        };
        is_new && !leads(function, function.edges[at].to, at, set) && !leads(function, function.entry, at, set)
    }

    /// Whether a function returns nothing but what it has just allocated, or null.
    fn allocates(&self, context: ContextId) -> bool {
        let function = self.function(context);
        let is_alloc = |local: &LocalId| {
            let mut sets = function.edges.iter().filter(|edge| edge.stmt.writes().contains(local));
            let is_new = |stmt: &Stmt| matches!(stmt, Stmt::Alloc { .. } | Stmt::Assign { value: Expr::Null, .. });
            sets.all(|edge| is_new(&edge.stmt)) && !function.params.contains(local)
        };
        let is_stored = |local: &LocalId| {
            function.edges.iter().any(|edge| {
                let is_return = matches!(edge.stmt, Stmt::Return(_));
                !is_return && edge.stmt.exprs().iter().any(|expr| expr.mentions(*local))
            })
        };
        function.edges.iter().all(|edge| match &edge.stmt {
            Stmt::Return(values) => match values.as_slice() {
                [Expr::Local(local)] => is_alloc(local) && !is_stored(local),
                [Expr::Null] => true,
                _ => false,
            },
            _ => true,
        })
    }

    fn function(&self, context: ContextId) -> &'a Function {
        &self.program.functions[self.points_to.contexts().function(context)]
    }

    fn is_on_cycle(&self, context: ContextId, edge: EdgeId) -> bool {
        let function = self.function(context);
        graph::on_cycle(function)[function.edges[edge].from]
    }

    /// Whether a context is entered at most once: nothing in it that is on no cycle is executed twice.
    fn is_entered_once(&self, threads: &Threads, context: ContextId) -> bool {
        let function = self.function(context);
        let on_cycle = graph::on_cycle(function);
        let mut straight = function.edges.enumerate().filter(|(_, edge)| !on_cycle[edge.from]);
        straight.any(|(edge, _)| threads.is_once(self.program, self.points_to, context, edge))
    }

    /// An expression as a multiple of one variable, plus a constant or an address that does not change, looked at when an
    /// edge is taken. Between two times that the edge is taken, everything on the way is computed again.
    fn in_counter(&self, function: &Function, at: EdgeId, expr: &Expr, depth: usize) -> Option<Counted> {
        if depth > DEPTH {
            return None;
        }
        let inner = |expr: &Expr| self.in_counter(function, at, expr, depth + 1);
        match expr {
            Expr::Local(local) => {
                let is_wide = matches!(function.locals[*local].ty, Type::Int(width) if width >= LEAST_WIDTH);
                let mut sets = function.edges.enumerate().filter(|(_, edge)| edge.stmt.writes().contains(local));
                match (sets.next(), sets.next()) {
                    (Some((set, edge)), None) => {
                        let Stmt::Assign { value, .. } = &edge.stmt else { return None };
                        let is_fresh = !leads(function, function.edges[at].to, at, set)
                            && !leads(function, function.entry, at, set);
                        is_fresh.then(|| self.in_counter(function, set, value, depth + 1)).flatten()
                    }
                    (Some(_), Some(_)) if is_wide => {
                        let linear = Linear { base: None, step: 1, rest: 0, is_cut: false };
                        Some(Counted { counter: *local, at, linear })
                    }
                    (_, _) => None,
                }
            }
            Expr::Cast { op: CastOp::Sext | CastOp::Zext, from: Type::Int(width), arg, .. }
                if *width >= LEAST_WIDTH =>
            {
                inner(arg)
            }
            Expr::Cast { op: CastOp::IntToPtr | CastOp::PtrToInt, arg, from, to } => {
                let width = |ty: &Type| super::value::width_of(*ty, self.program.data_model);
                (width(from) == width(to)).then(|| inner(arg)).flatten()
            }
            Expr::Binary { op: BinaryOp::Mul, ty: Type::Int(_), lhs, rhs } => {
                let Expr::Int { width, value } = rhs.as_ref() else { return None };
                let counted = inner(lhs)?;
                let linear = counted.linear.times(ir::arith::signed(*width, *value))?;
                Some(Counted { linear, ..counted })
            }
            Expr::Binary { op: BinaryOp::Add, ty: Type::Int(_), lhs, rhs } => {
                let Expr::Int { width, value } = rhs.as_ref() else { return None };
                let counted = inner(lhs)?;
                let linear = counted.linear.plus(ir::arith::signed(*width, *value))?;
                Some(Counted { linear, ..counted })
            }
            Expr::Offset { base, bytes } => match bytes.as_ref() {
                Expr::Int { width, value } => {
                    let counted = inner(base)?;
                    let linear = counted.linear.plus(ir::arith::signed(*width, *value))?;
                    Some(Counted { linear, ..counted })
                }
                _ => {
                    if !self.is_fixed(function, base) {
                        return None;
                    }
                    let counted = inner(bytes)?;
                    let linear = Linear { base: Some(Base::Argument), ..counted.linear };
                    counted.linear.base.is_none().then_some(Counted { linear, ..counted })
                }
            },
            _ => None,
        }
    }

    /// Whether an address is the same in every round: of a static object, or a variable that is set once, before all loops.
    fn is_fixed(&self, function: &Function, expr: &Expr) -> bool {
        match expr {
            Expr::Object(object) => self.program.objects[*object].kind != ir::ObjectKind::ThreadLocal,
            Expr::Local(local) => {
                let on_cycle = graph::on_cycle(function);
                let mut sets = function.edges.iter().filter(|edge| edge.stmt.writes().contains(local));
                match (sets.next(), sets.next()) {
                    (None, _) => true,
                    (Some(edge), None) => !on_cycle[edge.from],
                    (Some(_), Some(_)) => false,
                }
            }
            _ => false,
        }
    }

    /// By how much a counter grows between two times that an edge is taken.
    fn increment(&self, function: &Function, counter: LocalId, edge: EdgeId) -> Option<i128> {
        let on_cycle = graph::on_cycle(function);
        let mut increment: Option<(EdgeId, i128)> = None;
        for (id, item) in function.edges.enumerate() {
            if !item.stmt.writes().contains(&counter) || !on_cycle[item.from] {
                continue;
            }
            let Stmt::Assign { value: Expr::Binary { op: BinaryOp::Add, lhs, rhs, .. }, .. } = &item.stmt else {
                return None;
            };
            let (Expr::Local(old), Expr::Int { width, value }, None) = (lhs.as_ref(), rhs.as_ref(), increment) else {
                return None;
            };
            if *old != counter {
                return None;
            }
            increment = Some((id, ir::arith::signed(*width, *value)));
        }
        let (add, by) = increment?;
        // Between two rounds the counter grows: no way leads back to the edge without the addition.
        (by != 0
            && !leads(function, function.edges[edge].to, edge, add)
            && self.is_in_one_loop(function, counter, edge))
        .then_some(by)
    }

    /// Whether the counter is not set anew between two times that an edge is taken.
    fn is_in_one_loop(&self, function: &Function, counter: LocalId, edge: EdgeId) -> bool {
        let on_cycle = graph::on_cycle(function);
        let mut resets = function
            .edges
            .enumerate()
            .filter(|(_, item)| item.stmt.writes().contains(&counter) && !on_cycle[item.from]);
        // Outside of loops a statement is executed once. That it does not come after the first start is all there is to see.
        resets.all(|(reset, _)| !leads(function, function.edges[edge].to, reset, reset))
    }

    /// How the place that a pointer leads to depends on what the thread was given.
    pub(super) fn part(&self, values: &mut Values<'a>, at: (ContextId, EdgeId), ptr: &Expr) -> Option<Part> {
        if self.counted.is_empty() {
            return None;
        }
        let (entry, linear) = self.in_argument(values, at.0, at.1, ptr, 0)?;
        let (template, given) = *self.counted.get(&entry)?;
        let (base, step) = match (linear.base, given, linear.step) {
            (None, Given::Counted(step, true), 1) if !linear.is_cut => (Base::Argument, step),
            (None, Given::Fresh, 1) if !linear.is_cut => (Base::Own, 0),
            (Some(base), Given::Counted(step, false), _) => (base, step),
            (_, _, _) => return None,
        };
        Some(Part { template, base, step: linear.step.checked_mul(step)?, rest: linear.rest })
    }

    /// An expression as a multiple of the parameter of a thread's first function, plus a constant and perhaps an address.
    fn in_argument(
        &self,
        values: &mut Values<'a>,
        context: ContextId,
        edge: EdgeId,
        expr: &Expr,
        depth: usize,
    ) -> Option<(ContextId, Linear)> {
        if depth > DEPTH {
            return None;
        }
        let id: FunctionId = self.points_to.contexts().function(context);
        let function = &self.program.functions[id];
        match expr {
            Expr::Local(local) => {
                let mut sets = function.edges.enumerate().filter(|(_, item)| item.stmt.writes().contains(local));
                let param = function.params.iter().position(|param| param == local);
                match (sets.next(), sets.next(), param) {
                    (None, _, Some(0)) if self.counted.contains_key(&context) => {
                        Some((context, Linear { base: None, step: 1, rest: 0, is_cut: false }))
                    }
                    (None, _, Some(index)) => {
                        let (caller, call) = self.points_to.contexts().caller(context)?;
                        let outer = &self.function(caller).edges[call].stmt;
                        let Stmt::Call { callee: Callee::Direct(_), args, .. } = outer else { return None };
                        self.in_argument(values, caller, call, args.get(index)?, depth + 1)
                    }
                    (Some((set, item)), None, None) => {
                        let Stmt::Assign { value, .. } = &item.stmt else { return None };
                        // It is computed before it is used, from what never changes.
                        let is_set = !leads(function, function.entry, edge, set);
                        is_set.then(|| self.in_argument(values, context, set, value, depth + 1)).flatten()
                    }
                    (_, _, _) => None,
                }
            }
            Expr::Cast { op: CastOp::IntToPtr | CastOp::PtrToInt, arg, from, to } => {
                let width = |ty: &Type| super::value::width_of(*ty, self.program.data_model);
                (width(from) == width(to)).then(|| self.in_argument(values, context, edge, arg, depth + 1)).flatten()
            }
            Expr::Cast { op: CastOp::Trunc, to: Type::Int(width), arg, .. }
            | Expr::Cast { op: CastOp::Sext, from: Type::Int(width), arg, .. }
                if *width >= LEAST_WIDTH =>
            {
                let (entry, linear) = self.in_argument(values, context, edge, arg, depth + 1)?;
                Some((entry, Linear { is_cut: true, ..linear }))
            }
            Expr::Binary { op: BinaryOp::Mul, ty: Type::Int(_), lhs, rhs } => {
                let Expr::Int { width, value } = rhs.as_ref() else { return None };
                let (entry, linear) = self.in_argument(values, context, edge, lhs, depth + 1)?;
                Some((entry, linear.times(ir::arith::signed(*width, *value))?))
            }
            Expr::Offset { base, bytes } => match (base.as_ref(), bytes.as_ref()) {
                (_, Expr::Int { width, value }) => {
                    let (entry, linear) = self.in_argument(values, context, edge, base, depth + 1)?;
                    Some((entry, linear.plus(ir::arith::signed(*width, *value))?))
                }
                (_, _) => {
                    let (entry, linear) = self.in_argument(values, context, edge, bytes, depth + 1)?;
                    let base = fixed_place(values, context, edge, base)?;
                    linear.base.is_none().then_some((entry, Linear { base: Some(base), ..linear }))
                }
            },
            _ => None,
        }
    }
}

/// The one place that an address can be, in an object of which there is one in the whole run.
fn fixed_place(values: &mut Values<'_>, context: ContextId, edge: EdgeId, expr: &Expr) -> Option<Base> {
    let value = values.at_edge(context, edge, expr)?;
    let (false, [(object, offset)]) = (value.any, value.refs.as_slice()) else { return None };
    let item = values.objects.get(*object);
    (item.is_single && item.is_memory() && !item.is_thread_local && !item.is_private)
        .then(|| offset.single().map(|offset| Base::Place(*object, offset)))
        .flatten()
}
