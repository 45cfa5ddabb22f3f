//! Partitions of objects: each thread owns the part that its index or address selects.
//!
//! The threads of a template have pairwise different arguments if it is started at one place, in a counting loop, and
//! is given the counter, or an address at a constant distance for each count. What a thread accesses at a constant
//! multiple of its argument is then its own.
//!
//! The counter is a variable that is set before the loop and, in the loop, changes only by adding one and the same
//! non-zero constant, where that is proved not to wrap around. So that nothing else starts such threads, the statement
//! that starts them is in a context that is entered once.
//!
//! From the counter to the argument ([`Spread`]) two things are tracked: the minimum distance between the values of
//! different threads, and bounds on all values. From the argument to the accessed address ([`Linear`]) the value is a
//! multiple of the argument plus a constant, over the integers: wherever machine arithmetic might wrap around or
//! truncate significantly, there is no such form.
//!
//! If each thread of a template is given an object allocated since the previous one was started, each thread has its
//! own object.

use super::fixed::is_fixed;
use super::symbols::leads;
use super::value::ObjectNumber;
use super::values::Values;
use crate::domains::number::range;
use ir::analysis::{graph, ContextId, PointsTo, TemplateId, Threads};
use ir::{BinaryOp, Callee, CastOp, EdgeId, Expr, Function, FunctionId, LocalId, Program, Stmt, Type};
use rustc_hash::FxHashMap;

/// A place that depends on the thread's argument: `base + step * count + rest`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    template: TemplateId,
    /// The origin of the base: the same for all threads.
    base: Base,
    /// The factor of the argument.
    step: i128,
    /// The minimum distance in bytes between the parts of two threads.
    apart: i128,
    /// The offset within the part.
    rest: i128,
}

/// The base of a place, besides the argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Base {
    /// The argument itself is the address.
    Argument,
    /// The argument is the address of an object allocated for the thread.
    Own,
    /// A place in an object that exists once.
    Place(ObjectNumber, i128),
}

impl Part {
    /// Whether pieces of `bytes` and `others` bytes of two different threads are disjoint.
    pub(super) fn is_apart(&self, other: &Part, bytes: u64, others: u64) -> bool {
        if self.template == other.template && self.base == Base::Own && other.base == Base::Own {
            return true;
        }
        let fits = |rest: i128, bytes: u64| rest + i128::from(bytes);
        let (low, high) = (self.rest.min(other.rest), fits(self.rest, bytes).max(fits(other.rest, others)));
        self.template == other.template
            && self.base == other.base
            && self.step == other.step
            && high - low <= self.apart
    }
}

/// A value that differs between any two threads.
#[derive(Clone, Copy, Debug)]
struct Spread {
    /// The minimum distance between those of two threads, over the integers.
    apart: i128,
    /// Bounds on all values, read as signed numbers. (Of addresses: the distance from one common place.)
    low: i128,
    high: i128,
    is_address: bool,
}

impl Spread {
    /// Reduces integers to the range of a width: they collide only if they are 2^width apart.
    fn wrapped(self, width: u16) -> Option<Spread> {
        let (least, greatest) = range(width);
        if least <= self.low && self.high <= greatest {
            return Some(self);
        }
        let apart = self.apart.min((1i128 << width) - (self.high - self.low));
        (apart > 0).then_some(Spread { apart, low: least, high: greatest, ..self })
    }

    /// The same bits read as an unsigned number.
    fn unsigned(self, width: u16) -> Option<Spread> {
        if self.low >= 0 {
            return Some(self);
        }
        let apart = self.apart.min((1i128 << width) - (self.high - self.low));
        (apart > 0).then_some(Spread { apart, low: 0, high: (1i128 << width) - 1, ..self })
    }

    fn times(self, by: i128, width: u16) -> Option<Spread> {
        let (one, two) = (self.low.checked_mul(by)?, self.high.checked_mul(by)?);
        let apart = self.apart.checked_mul(by.abs())?;
        (by != 0).then_some(Spread { apart, low: one.min(two), high: one.max(two), ..self })?.wrapped(width)
    }

    fn plus(self, by: i128, width: u16) -> Option<Spread> {
        Spread { low: self.low.checked_add(by)?, high: self.high.checked_add(by)?, ..self }.wrapped(width)
    }
}

/// A linear form in the thread's argument: the value, read as a signed number, is exactly `step * argument + rest`,
/// plus a base.
#[derive(Clone, Copy, Debug)]
struct Linear {
    base: Option<Base>,
    step: i128,
    rest: i128,
    /// Bounds on it, without the base.
    low: i128,
    high: i128,
}

impl Linear {
    /// The form, unless it may leave the range of a width.
    fn fitting(self, width: u16) -> Option<Linear> {
        let (least, greatest) = range(width);
        (least <= self.low && self.high <= greatest).then_some(self)
    }

    fn times(self, by: i128, width: u16) -> Option<Linear> {
        let (step, rest) = (self.step.checked_mul(by)?, self.rest.checked_mul(by)?);
        let (one, two) = (self.low.checked_mul(by)?, self.high.checked_mul(by)?);
        let found = Linear { step, rest, low: one.min(two), high: one.max(two), ..self };
        self.base.is_none().then_some(found)?.fitting(width)
    }

    fn plus(self, by: i128, width: u16) -> Option<Linear> {
        let (low, high) = (self.low.checked_add(by)?, self.high.checked_add(by)?);
        Linear { rest: self.rest.checked_add(by)?, low, high, ..self }.fitting(width)
    }
}

/// How the arguments of two threads differ.
#[derive(Clone, Copy, Debug)]
enum Given {
    /// They are different numbers, or different addresses.
    Counted(Spread),
    /// Each is the address of an object allocated for the thread.
    Fresh,
}

/// Templates whose threads have different arguments.
pub(super) struct Parts<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    /// Per entry context: its template, and how the arguments of two threads differ.
    counted: FxHashMap<ContextId, (TemplateId, Given)>,
}

const DEPTH: usize = 40;

impl<'a> Parts<'a> {
    pub(super) fn new(values: &mut Values<'a>, threads: &Threads) -> Parts<'a> {
        let (program, points_to) = (values.program, values.points_to);
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
            if let Some(given) = parts.given(values, threads, *site) {
                parts.counted.insert(*entry, (id, given));
            }
        }
        parts
    }

    /// How the arguments of threads started at one place differ.
    fn given(&self, values: &mut Values<'a>, threads: &Threads, site: (ContextId, EdgeId)) -> Option<Given> {
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
        if self.is_fresh(context, edge, arg) {
            return Some(Given::Fresh);
        }
        if !self.is_entered_once(threads, context) {
            return None;
        }
        self.in_counter(values, context, edge, arg, 0).map(Given::Counted)
    }

    /// Whether an argument is the address of an object, as a whole, allocated since the last time a thread was started
    /// here.
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

    /// Whether a function returns only what it has just allocated, or null.
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

    /// Whether a context is entered at most once: nothing in it that lies on no cycle is executed twice.
    fn is_entered_once(&self, threads: &Threads, context: ContextId) -> bool {
        let function = self.function(context);
        let on_cycle = graph::on_cycle(function);
        let mut straight = function.edges.enumerate().filter(|(_, edge)| !on_cycle[edge.from]);
        straight.any(|(edge, _)| threads.is_once(self.program, self.points_to, context, edge))
    }

    /// The spread of an expression over different iterations of a counting loop, when an edge is taken. Between two
    /// times that the edge is taken, everything on the way is recomputed.
    fn in_counter(
        &self,
        values: &mut Values<'a>,
        context: ContextId,
        at: EdgeId,
        expr: &Expr,
        depth: usize,
    ) -> Option<Spread> {
        if depth > DEPTH {
            return None;
        }
        let function = self.function(context);
        let pointer_width = self.program.data_model.pointer_width();
        let mut inner = |expr: &Expr| self.in_counter(values, context, at, expr, depth + 1);
        match expr {
            Expr::Local(local) => {
                let mut sets = function.edges.enumerate().filter(|(_, edge)| edge.stmt.writes().contains(local));
                match (sets.next(), sets.next()) {
                    (Some((set, edge)), None) if !function.params.contains(local) => {
                        let Stmt::Assign { value, .. } = &edge.stmt else { return None };
                        let is_fresh = !leads(function, function.edges[at].to, at, set)
                            && !leads(function, function.entry, at, set);
                        is_fresh.then(|| self.in_counter(values, context, set, value, depth + 1)).flatten()
                    }
                    (_, _) => self.counter(values, context, *local, at),
                }
            }
            Expr::Cast { op: CastOp::Sext, arg, .. } => inner(arg),
            Expr::Cast { op: CastOp::Zext, from: Type::Int(width), arg, .. } => inner(arg)?.unsigned(*width),
            Expr::Cast { op: CastOp::IntToPtr | CastOp::PtrToInt, arg, from, to } => {
                let width = |ty: &Type| super::value::width_of(*ty, self.program.data_model);
                (width(from) == width(to)).then(|| inner(arg)).flatten()
            }
            Expr::Binary { op: op @ (BinaryOp::Mul | BinaryOp::Add), ty: Type::Int(width), lhs, rhs } => {
                let Expr::Int { width: other, value } = rhs.as_ref() else { return None };
                let (spread, by) = (inner(lhs)?, ir::arith::signed(*other, *value));
                if spread.is_address {
                    return None;
                }
                match op {
                    BinaryOp::Mul => spread.times(by, *width),
                    _ => spread.plus(by, *width),
                }
            }
            Expr::Offset { base, bytes } => match bytes.as_ref() {
                Expr::Int { width, value } => inner(base)?.plus(ir::arith::signed(*width, *value), pointer_width),
                _ => {
                    let spread = inner(bytes)?;
                    let is_same = match base.as_ref() {
                        Expr::Object(object) => self.program.objects[*object].kind != ir::ObjectKind::ThreadLocal,
                        Expr::Local(local) => is_fixed(function, *local, &[at]),
                        _ => false,
                    };
                    (is_same && !spread.is_address).then_some(Spread { is_address: true, ..spread })
                }
            },
            _ => None,
        }
    }

    /// The spread of a counter at two times that an edge is taken, if the variable is one.
    fn counter(&self, values: &mut Values<'a>, context: ContextId, local: LocalId, at: EdgeId) -> Option<Spread> {
        let function = self.function(context);
        let Type::Int(width) = function.locals[local].ty else { return None };
        let on_cycle = graph::on_cycle(function);
        let mut increment: Option<(EdgeId, i128)> = None;
        for (id, item) in function.edges.enumerate() {
            if !item.stmt.writes().contains(&local) {
                continue;
            }
            if !on_cycle[item.from] {
                // If it is set anew after a thread was started, it may take the same values again.
                match leads(function, function.edges[at].to, id, id) {
                    true => return None,
                    false => continue,
                }
            }
            let Stmt::Assign { value: Expr::Binary { op: BinaryOp::Add, lhs, rhs, .. }, .. } = &item.stmt else {
                return None;
            };
            let (Expr::Int { width, value }, None) = (rhs.as_ref(), increment) else { return None };
            if **lhs != Expr::Local(local) {
                return None;
            }
            increment = Some((id, ir::arith::signed(*width, *value)));
        }
        let (add, by) = increment?;
        let mut count = |edge: EdgeId| values.at_edge(context, edge, &Expr::Local(local))?.exact_number(width);
        let (before, seen) = (count(add)?, count(at)?);
        let (least, greatest) = range(width);
        let is_exact = least <= before.low() + by && before.high() + by <= greatest;
        // The counter moves on between two iterations: no path returns to the edge without the addition.
        let moves = by != 0 && !leads(function, function.edges[at].to, at, add);
        let spread = Spread { apart: by.abs(), low: seen.low(), high: seen.high(), is_address: false };
        (is_exact && moves).then_some(spread)
    }

    /// How the place that a pointer leads to depends on the thread's argument.
    pub(super) fn part(&self, values: &mut Values<'a>, at: (ContextId, EdgeId), ptr: &Expr) -> Option<Part> {
        if self.counted.is_empty() {
            return None;
        }
        let (entry, linear) = self.in_argument(values, at.0, at.1, ptr, 0)?;
        let (template, given) = *self.counted.get(&entry)?;
        let (base, step) = match (linear.base, given, linear.step) {
            (None, Given::Counted(spread), 1) if spread.is_address => (Base::Argument, spread.apart),
            (None, Given::Fresh, 1) => (Base::Own, 0),
            (Some(base), Given::Counted(spread), _) if !spread.is_address => (base, spread.apart),
            (_, _, _) => return None,
        };
        let apart = linear.step.abs().checked_mul(step)?;
        Some(Part { template, base, step: linear.step, apart, rest: linear.rest })
    }

    /// An expression as a multiple of the parameter of a thread's entry function, plus a constant and possibly an
    /// address.
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
                        let (_, given) = self.counted.get(&context)?;
                        let width = super::value::width_of(function.locals[*local].ty, self.program.data_model);
                        if width != self.program.data_model.pointer_width() {
                            return None;
                        }
                        // The distance of addresses from anything is unknown: only other addresses are computed from
                        // them.
                        let (low, high) = match given {
                            Given::Counted(spread) if !spread.is_address => (spread.low, spread.high),
                            Given::Counted(_) | Given::Fresh => (0, 0),
                        };
                        Some((context, Linear { base: None, step: 1, rest: 0, low, high }))
                    }
                    (None, _, Some(index)) => {
                        let (caller, call) = self.points_to.contexts().caller(context)?;
                        let outer = &self.function(caller).edges[call].stmt;
                        let Stmt::Call { callee: Callee::Direct(_), args, .. } = outer else { return None };
                        self.in_argument(values, caller, call, args.get(index)?, depth + 1)
                    }
                    (Some((set, item)), None, None) => {
                        let Stmt::Assign { value, .. } = &item.stmt else { return None };
                        // It is computed before it is used, from values that never change.
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
            Expr::Cast {
                op: op @ (CastOp::Trunc | CastOp::Sext | CastOp::Zext), to: Type::Int(width), arg, ..
            } => {
                let (entry, linear) = self.number_in_argument(values, context, edge, arg, depth)?;
                let is_kept = *op != CastOp::Zext || linear.low >= 0;
                Some((entry, is_kept.then_some(linear)?.fitting(*width)?))
            }
            Expr::Binary { op: op @ (BinaryOp::Mul | BinaryOp::Add), ty: Type::Int(width), lhs, rhs } => {
                let Expr::Int { width: other, value } = rhs.as_ref() else { return None };
                let (entry, linear) = self.number_in_argument(values, context, edge, lhs, depth)?;
                let by = ir::arith::signed(*other, *value);
                let linear = if *op == BinaryOp::Mul { linear.times(by, *width) } else { linear.plus(by, *width) };
                Some((entry, linear?))
            }
            Expr::Offset { base, bytes } => match (base.as_ref(), bytes.as_ref()) {
                (_, Expr::Int { width, value }) => {
                    let (entry, linear) = self.in_argument(values, context, edge, base, depth + 1)?;
                    let pointer_width = self.program.data_model.pointer_width();
                    Some((entry, linear.plus(ir::arith::signed(*width, *value), pointer_width)?))
                }
                (_, _) => {
                    let (entry, linear) = self.number_in_argument(values, context, edge, bytes, depth)?;
                    let base = fixed_place(values, context, edge, base)?;
                    Some((entry, Linear { base: Some(base), ..linear }))
                }
            },
            _ => None,
        }
    }

    /// The same for a number, where the threads of the template were given numbers.
    fn number_in_argument(
        &self,
        values: &mut Values<'a>,
        context: ContextId,
        edge: EdgeId,
        expr: &Expr,
        depth: usize,
    ) -> Option<(ContextId, Linear)> {
        let (entry, linear) = self.in_argument(values, context, edge, expr, depth + 1)?;
        let is_number = matches!(self.counted.get(&entry), Some((_, Given::Counted(spread))) if !spread.is_address);
        (is_number && linear.base.is_none()).then_some((entry, linear))
    }
}

/// The single place that an address can be, in an object that exists once in the whole run.
fn fixed_place(values: &mut Values<'_>, context: ContextId, edge: EdgeId, expr: &Expr) -> Option<Base> {
    let value = values.at_edge(context, edge, expr)?;
    let (false, [(object, offset)]) = (value.any, value.refs.as_slice()) else { return None };
    let item = values.objects.get(*object);
    (item.is_unique && item.is_memory() && !item.is_private)
        .then(|| offset.single().map(|offset| Base::Place(*object, offset)))
        .flatten()
}
