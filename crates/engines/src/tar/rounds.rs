//! Matching loops: one starts a thread in each iteration and stores its number in an array, the other joins, iteration
//! by iteration, the thread whose number is there.
//!
//! Both counters start with the same constant, grow by 1 in each iteration and are compared with the same bound, which
//! is fixed across both loops ([`super::fixed`]); each iteration starts, or joins, exactly one thread, at the same
//! place of the same array; the loops are left only at their heads, and the second is reached only after the first.
//! Places of different iterations are disjoint: each is the counter, as it is or widened, times a constant that is not
//! less than the size of a number, and the products do not wrap around, or only after places outside the array. Nothing
//! else writes the array. So each iteration of the second loop joins the thread of the same iteration of the first, and
//! after it all of them have ended.

use super::fixed::is_fixed;
use super::objects::Name;
use super::symbols::leads;
use super::values::Values;
use base::IdVec;
use ir::analysis::{graph, ContextId, TemplateId, Threads};
use ir::{BinaryOp, CastOp, EdgeId, Expr, Function, LocId, LocalId, ObjectKind, Stmt, Type};

/// A loop that starts threads and one that joins them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// The context of both loops.
    pub(super) context: ContextId,
    /// The template that executes the loops.
    pub(super) owner: TemplateId,
    /// The exit of the second loop.
    pub(super) exit: EdgeId,
    /// The template whose threads have ended there.
    pub(super) template: TemplateId,
}

/// A counting loop.
struct Loop {
    counter: LocalId,
    start: Expr,
    op: BinaryOp,
    bound: Expr,
    enter: EdgeId,
    exit: EdgeId,
    /// The locations of its body, without its head.
    body: IdVec<LocId, bool>,
    head: LocId,
    first: LocId,
    add: EdgeId,
}

/// No object is so large that fewer bytes than this remain in the address space.
const SMALL_STEP: i128 = 4096;

/// Finds pairs of loops.
pub(super) struct Rounds<'v, 'a> {
    pub(super) values: &'v mut Values<'a>,
    pub(super) threads: &'v Threads,
}

impl<'a> Rounds<'_, 'a> {
    /// The pair of loops that executes a `NewThread` and the only join of its threads.
    pub(super) fn pair(&mut self, made: (ContextId, EdgeId), join: (ContextId, EdgeId)) -> Option<Pair> {
        let (values, threads) = (&mut *self.values, self.threads);
        let (program, points_to) = (values.program, values.points_to);
        let contexts = points_to.contexts();
        let (context, create) = contexts.caller(made.0)?;
        let (other, joined) = contexts.caller(join.0)?;
        let function = &program.functions[contexts.function(context)];
        let mut owners = threads.running(context).iter();
        let (Some(owner), None) = (owners.next(), owners.next()) else { return None };
        if other != context || threads.templates()[owner].is_many || !is_entered_once(values, threads, context) {
            return None;
        }
        let (template, kept, store) = self.starter(made)?;
        let number = self.joiner(join)?;
        if !threads.templates()[template].descendants.is_empty() || template == owner {
            return None;
        }
        let argument = |edge: EdgeId, index: usize| match &function.edges[edge].stmt {
            Stmt::Call { args, .. } => args.get(index),
            _ => None,
        };
        let put = argument(create, kept)?;
        let Expr::Local(taken) = argument(joined, number)? else { return None };
        let (load, got) = only_load(function, *taken, program.data_model.size_type())?;
        let starting = find_loop(function, create)?;
        let joining = find_loop(function, joined)?;
        let is_alike = starting.start == joining.start && starting.op == joining.op && starting.bound == joining.bound;
        let is_bounded = is_same(function, &starting.bound, &[starting.enter, joining.enter]);
        let is_same_place = renamed(put, starting.counter) == renamed(got, joining.counter)
            && self.is_place(context, create, put, starting.counter, load);
        let is_read_first =
            joining.body[function.edges[load].from] && !joining.leads_to(function, joining.first, joined, load);
        let is_later = !leads(function, function.entry, joined, starting.exit);
        if !(is_alike && is_bounded && is_same_place && is_read_first && is_later) {
            return None;
        }
        self.is_only_writer((made.0, store), context, create, put).then_some(Pair {
            context,
            owner,
            exit: joining.exit,
            template,
        })
    }

    /// The template that a context starts for its caller, one thread per call, the parameter that says where the number
    /// is stored, and the statement that stores it.
    fn starter(&self, made: (ContextId, EdgeId)) -> Option<(TemplateId, usize, EdgeId)> {
        let (program, points_to) = (self.values.program, self.values.points_to);
        let function = &program.functions[points_to.contexts().function(made.0)];
        let Stmt::NewThread { dst: number } = function.edges[made.1].stmt else { return None };
        if function.edges.iter().filter(|edge| edge.stmt.writes().contains(&number)).count() != 1 {
            return None;
        }
        let (mut store, mut spawn) = (None, None);
        for (id, edge) in function.edges.enumerate() {
            match &edge.stmt {
                Stmt::Store { ptr: Expr::Local(ptr), value: Expr::Local(value), ty, .. } if *value == number => {
                    let param = function.params.iter().position(|param| param == ptr)?;
                    let is_whole = *ty == program.data_model.size_type();
                    if store.replace((id, param)).is_some() || !is_whole || writes(function, *ptr) {
                        return None;
                    }
                }
                Stmt::Spawn { thread: Expr::Local(thread), .. } if *thread == number && spawn.is_none() => {
                    spawn = Some(id);
                }
                Stmt::Spawn { .. } => return None,
                _ => {}
            }
        }
        let ((store, param), spawn) = (store?, spawn?);
        let on_cycle = graph::on_cycle(function);
        let is_straight = [made.1, store, spawn].iter().all(|edge| !on_cycle[function.edges[*edge].from]);
        // Both come after the number is allocated and before every return, in either order.
        let comes_first = |first: EdgeId, then: EdgeId| !leads(function, function.entry, then, first);
        let is_certain = [store, spawn]
            .iter()
            .all(|&edge| comes_first(made.1, edge) && returns(function).all(|last| comes_first(edge, last)));
        let mut templates = self.threads.started(made.0, spawn).iter();
        let (Some(template), None) = (templates.next(), templates.next()) else { return None };
        let is_only_site = self.threads.templates()[template].sites == [(made.0, spawn)];
        (is_straight && is_certain && is_only_site).then_some((template, param, store))
    }

    /// The parameter of a context that it joins for its caller, once per call.
    fn joiner(&self, join: (ContextId, EdgeId)) -> Option<usize> {
        let (program, points_to) = (self.values.program, self.values.points_to);
        let function = &program.functions[points_to.contexts().function(join.0)];
        let Stmt::Join { thread: Expr::Local(thread), .. } = &function.edges[join.1].stmt else { return None };
        let param = function.params.iter().position(|param| param == thread)?;
        let on_cycle = graph::on_cycle(function);
        if on_cycle[function.edges[join.1].from] || writes(function, *thread) {
            return None;
        }
        // A live thread has a different number from the thread that joins it.
        let is_itself = |edge: EdgeId| match &function.edges[edge].stmt {
            Stmt::Assume(Expr::Binary { op: BinaryOp::Eq, lhs, rhs, .. }) => {
                **lhs == Expr::Local(*thread) && **rhs == Expr::SelfThread
            }
            _ => false,
        };
        let out = function.edges_out();
        let mut is_seen = IdVec::filled(false, function.locs);
        let mut work = vec![function.entry];
        while let Some(loc) = work.pop() {
            if std::mem::replace(&mut is_seen[loc], true) {
                continue;
            }
            for &edge in out[loc].iter().filter(|edge| **edge != join.1 && !is_itself(**edge)) {
                if matches!(function.edges[edge].stmt, Stmt::Return(_)) {
                    return None;
                }
                work.push(function.edges[edge].to);
            }
        }
        Some(param)
    }

    /// Whether an address, when an edge is taken, is one in a fixed array, at a place determined by the counter, such
    /// that places of different counts are disjoint; and the same when the other edge is taken.
    fn is_place(&mut self, context: ContextId, at: EdgeId, expr: &Expr, counter: LocalId, other: EdgeId) -> bool {
        let (program, contexts) = (self.values.program, self.values.points_to.contexts());
        let function = &program.functions[contexts.function(context)];
        let Expr::Offset { base, bytes } = expr else { return false };
        if let Expr::Int { .. } = bytes.as_ref() {
            return self.is_place(context, at, base, counter, other);
        }
        let is_own = |object| program.objects[object].kind != ObjectKind::ThreadLocal;
        let is_array = match base.as_ref() {
            Expr::Object(object) => is_own(*object),
            base => is_same(function, base, &[at, other]),
        };
        let Expr::Binary { op: BinaryOp::Mul, ty, lhs, rhs } = bytes.as_ref() else { return false };
        let (Expr::Int { width, value }, true) = (rhs.as_ref(), is_array) else { return false };
        let pointer_width = program.data_model.pointer_width();
        let is_wide = *ty == Type::Int(pointer_width) && *width == pointer_width;
        let is_count = match lhs.as_ref() {
            Expr::Cast { op: CastOp::Sext | CastOp::Zext, arg, .. } => **arg == Expr::Local(counter),
            lhs => *lhs == Expr::Local(counter),
        };
        let Some(count) = self.values.at_edge(context, at, lhs) else { return false };
        let (Some(count), true) = (count.exact_number(pointer_width), is_wide && is_count) else { return false };
        let (step, bytes) = (ir::arith::signed(*width, *value), i128::from(program.data_model.pointer_bytes()));
        // Places that grow by a small step leave the array, which is undefined, before they wrap around.
        let leaves_first = **lhs == Expr::Local(counter) && step <= SMALL_STEP;
        let span = (count.high() - count.low()).checked_mul(step);
        step >= bytes && (leaves_first || span.is_some_and(|span| span + bytes <= 1 << pointer_width))
    }

    /// Whether only the loop that starts the threads writes the array.
    fn is_only_writer(&mut self, store: (ContextId, EdgeId), context: ContextId, create: EdgeId, put: &Expr) -> bool {
        let Expr::Offset { base, bytes } = put else { return false };
        if let Expr::Int { .. } = bytes.as_ref() {
            return self.is_only_writer(store, context, create, base);
        }
        let Some(array) = self.values.at_edge(context, create, base) else { return false };
        // Null is no array.
        let is_null = array.number.is_none_or(|number| number.single() == Some(0));
        let (false, true, [(array, _)]) = (array.any, is_null, array.refs.as_slice()) else { return false };
        let array = *array;
        let item = self.values.objects.get(array);
        if !item.is_unique || !item.is_private || !matches!(item.name, Name::Static(..) | Name::Site(..)) {
            return false;
        }
        let (program, points_to) = (self.values.program, self.values.points_to);
        for other in points_to.contexts().ids() {
            for (edge, item) in program.functions[points_to.contexts().function(other)].edges.enumerate() {
                for touch in item.stmt.touches().into_iter().filter(|touch| touch.writes) {
                    if (other, edge) == store || matches!(item.stmt, Stmt::Free { .. }) {
                        continue;
                    }
                    let Some(value) = self.values.at_edge(other, edge, touch.ptr) else { continue };
                    if value.any || value.refs.iter().any(|(object, _)| *object == array) {
                        return false;
                    }
                }
            }
        }
        true
    }
}

impl Loop {
    /// Whether, within one iteration, an edge can be reached from a location without taking another one first.
    fn leads_to(&self, function: &Function, from: LocId, to: EdgeId, without: EdgeId) -> bool {
        let out = function.edges_out();
        let mut is_seen = IdVec::filled(false, function.locs);
        let mut work = vec![from];
        while let Some(loc) = work.pop() {
            if !self.body[loc] || std::mem::replace(&mut is_seen[loc], true) {
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

    /// Whether every iteration takes an edge exactly once.
    fn is_once_per_round(&self, function: &Function, edge: EdgeId) -> bool {
        let item = &function.edges[edge];
        let mut back = function.edges.enumerate().filter(|(_, item)| self.body[item.from] && item.to == self.head);
        let is_taken = back.all(|(last, _)| last == edge || !self.leads_to(function, self.first, last, edge));
        self.body[item.from] && is_taken && !self.leads_to(function, item.to, edge, edge)
    }
}

/// The innermost counting loop with an edge in its body.
fn find_loop(function: &Function, edge: EdgeId) -> Option<Loop> {
    let out = function.edges_out();
    graph::loop_heads(function).into_iter().rev().find_map(|head| {
        let [one, two] = out[head].as_slice() else { return None };
        [(*one, *two), (*two, *one)].into_iter().find_map(|(enter, exit)| {
            let found = counting_loop(function, head, enter, exit)?;
            let is_before_add = !found.leads_to(function, function.edges[found.add].to, edge, edge);
            (found.is_once_per_round(function, edge) && is_before_add).then_some(found)
        })
    })
}

fn counting_loop(function: &Function, head: LocId, enter: EdgeId, exit: EdgeId) -> Option<Loop> {
    let Stmt::Assume(Expr::Binary { op: op @ (BinaryOp::Slt | BinaryOp::Ult), lhs, rhs, .. }) =
        &function.edges[enter].stmt
    else {
        return None;
    };
    let Expr::Local(counter) = lhs.as_ref() else { return None };
    let out = function.edges_out();
    let first = function.edges[enter].to;
    let mut body = IdVec::filled(false, function.locs);
    let mut work = vec![first];
    while let Some(loc) = work.pop() {
        if loc == head || std::mem::replace(&mut body[loc], true) {
            continue;
        }
        for &edge in &out[loc] {
            match &function.edges[edge].stmt {
                Stmt::Exit | Stmt::Unmodelled(_) => {}
                Stmt::Return(_) | Stmt::ExitThread(_) => return None,
                _ => work.push(function.edges[edge].to),
            }
        }
    }
    // An edge out of the loop would extend the body to the rest of the function.
    if body[function.edges[exit].to] || function.edges[exit].to == head || body[function.exit] {
        return None;
    }
    // A jump into the body would skip part of the first iteration.
    if function.edges.enumerate().any(|(id, item)| body[item.to] && !body[item.from] && id != enter) {
        return None;
    }
    let (mut start, mut add) = (None, None);
    for (id, item) in function.edges.enumerate() {
        if !item.stmt.writes().contains(counter) {
            continue;
        }
        let Stmt::Assign { value, .. } = &item.stmt else { return None };
        match (body[item.from], value) {
            (true, Expr::Binary { op: BinaryOp::Add, lhs, rhs, .. }) => {
                let is_one = matches!(rhs.as_ref(), Expr::Int { value: 1, .. });
                if **lhs != Expr::Local(*counter) || !is_one || add.replace(id).is_some() {
                    return None;
                }
            }
            (false, Expr::Int { .. }) => {
                let is_first = !leads(function, function.entry, enter, id);
                if start.replace(value.clone()).is_some() || !is_first || graph::on_cycle(function)[item.from] {
                    return None;
                }
            }
            (_, _) => return None,
        }
    }
    let found = Loop {
        counter: *counter,
        start: start?,
        op: *op,
        bound: (**rhs).clone(),
        enter,
        exit,
        body,
        head,
        first,
        add: add?,
    };
    found.is_once_per_round(function, found.add).then_some(found)
}

/// Whether a value is the same wherever it is used: a constant, the address of an object, or a fixed variable.
fn is_same(function: &Function, expr: &Expr, uses: &[EdgeId]) -> bool {
    match expr {
        Expr::Int { .. } | Expr::Object(_) => true,
        Expr::Local(local) => is_fixed(function, *local, uses),
        _ => false,
    }
}

/// An expression with the counter replaced by a canonical name.
fn renamed(expr: &Expr, counter: LocalId) -> Expr {
    match expr {
        Expr::Local(local) if *local == counter => Expr::SelfThread,
        Expr::Offset { base, bytes } => Expr::offset(renamed(base, counter), renamed(bytes, counter)),
        Expr::Binary { op, ty, lhs, rhs } => Expr::binary(*op, *ty, renamed(lhs, counter), renamed(rhs, counter)),
        Expr::Cast { op, from, to, arg } => Expr::cast(*op, *from, *to, renamed(arg, counter)),
        other => other.clone(),
    }
}

fn writes(function: &Function, local: LocalId) -> bool {
    function.edges.iter().any(|edge| edge.stmt.writes().contains(&local))
}

fn returns(function: &Function) -> impl Iterator<Item = EdgeId> + '_ {
    function.edges.enumerate().filter(|(_, edge)| matches!(edge.stmt, Stmt::Return(_))).map(|(id, _)| id)
}

/// The address that a variable is loaded from, if that load, with this type, is the only statement that sets it.
fn only_load(function: &Function, local: LocalId, wanted: Type) -> Option<(EdgeId, &Expr)> {
    let mut sets = function.edges.enumerate().filter(|(_, edge)| edge.stmt.writes().contains(&local));
    match (sets.next(), sets.next()) {
        (Some((id, edge)), None) => match &edge.stmt {
            Stmt::Load { ptr, ty, .. } if *ty == wanted => Some((id, ptr)),
            _ => None,
        },
        (_, _) => None,
    }
}

/// Whether a context is entered at most once in a run.
fn is_entered_once(values: &Values<'_>, threads: &Threads, context: ContextId) -> bool {
    let function = &values.program.functions[values.points_to.contexts().function(context)];
    let on_cycle = graph::on_cycle(function);
    let mut straight = function.edges.enumerate().filter(|(_, edge)| !on_cycle[edge.from]);
    straight.any(|(edge, _)| threads.is_once(values.program, values.points_to, context, edge))
}
