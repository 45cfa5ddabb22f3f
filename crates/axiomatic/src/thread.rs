//! The local semantics of one thread: it follows its control-flow graph until an event has to be added to the execution
//! graph, and turns statements into events according to the memory model.
//!
//! Under tso and pso a seq_cst store is preceded by a store-store barrier and followed by a full fence; a release store
//! and a release fence are or contain a store-store barrier; read-modify-writes (also compare-exchanges that fail),
//! locks, seq_cst fences, spawn, join, the end of a thread and both ends of an atomic region are full fences. Under ra a
//! seq_cst fence is a read-modify-write of one hidden location; seq_cst stores are followed by one, seq_cst loads
//! preceded, seq_cst read-modify-writes surrounded; a compare-exchange that fails is a load of its failure order.

use super::axioms::has_hidden_fences;
use super::graph::{Barrier, Location};
use super::value::{width, Home, Pointer, Scope, Value};
use super::{unsupported, Failure};
use base::{Id, IdVec};
use ir::arith;
use ir::{
    Callee, EdgeId, Expr, Function, FunctionId, LocId, Local, LocalId, MemoryModel, Order, Program, Property, RmwOp,
    Stmt, Type,
};
use std::collections::VecDeque;

/// A thread that takes more local steps than this counts as looping.
const MAX_STEPS: usize = 10_000;
/// An input with more values than this is unsupported.
const MAX_INPUTS: u128 = 256;

/// The status of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Status {
    /// It has a number but has not started.
    Reserved,
    Running,
    /// It has ended with this result.
    Ended(Value),
    /// It ended the process, having joined all others.
    Exited,
    /// An assertion failed: the run ends here.
    Failed((FunctionId, EdgeId)),
    /// An assumption was false: the run ends here.
    Stopped,
}

/// A function in progress.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) function: FunctionId,
    pub(super) loc: LocId,
    pub(super) locals: Vec<Value>,
    /// Its stack objects.
    objects: Vec<usize>,
}

/// An object that a thread allocated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allocated {
    pub(super) size: u64,
    pub(super) zeroed: bool,
    pub(super) live: bool,
}

/// A thread.
#[derive(Clone, Debug)]
pub(super) struct Thread<'p> {
    pub(super) number: u32,
    pub(super) status: Status,
    pub(super) frames: Vec<Frame>,
    /// The tasks before its next statement.
    pub(super) queue: VecDeque<Task<'p>>,
    /// Its choices so far.
    pub(super) picks: Vec<u32>,
    /// Its events, in program order.
    pub(super) events: Vec<usize>,
    pub(super) allocated: Vec<Allocated>,
    /// The events that started and joined it.
    pub(super) spawned: Option<usize>,
    pub(super) joined: Option<usize>,
    /// The number of atomic regions and statements of several events that it is inside.
    pub(super) depth: u32,
    /// The number of the outermost of these that it has begun.
    pub(super) groups: u32,
    steps: usize,
}

/// One task of a statement.
#[derive(Clone, Debug)]
pub(super) enum Task<'p> {
    Access(Access<'p>),
    /// A fence, under tso and pso.
    Fence(Barrier),
    Set(LocalId, Value),
    NewThread(LocalId),
    Spawn {
        number: u128,
        function: FunctionId,
        args: Vec<Value>,
    },
    Join {
        number: u128,
        dst: Option<LocalId>,
    },
    /// Begins an atomic region or a statement of several events: no region of another thread comes between its events.
    Begin {
        region: bool,
    },
    /// Ends it.
    Finish,
    /// Returns from the thread's first function with this result.
    End(Value),
    Exit,
    /// Moves to the end of the edge.
    GoOn(LocId),
}

/// An access to memory.
#[derive(Clone, Debug)]
pub(super) struct Access<'p> {
    pub(super) location: Location,
    pub(super) kind: Kind<'p>,
    pub(super) order: Order,
    pub(super) barrier: Barrier,
}

/// The operation on the location.
#[derive(Clone, Debug)]
pub(super) enum Kind<'p> {
    Load {
        dst: LocalId,
        ty: Type,
    },
    Store {
        value: Value,
    },
    Rmw {
        dst: LocalId,
        op: RmwOp,
        ty: Type,
        operand: Value,
    },
    /// A compare-exchange that succeeds.
    Swap {
        old: LocalId,
        success: LocalId,
        expected: Value,
        desired: Value,
    },
    /// A compare-exchange that fails, perhaps (`weak`) spuriously.
    NoSwap {
        old: LocalId,
        success: LocalId,
        expected: Value,
        weak: bool,
    },
    Lock,
    Await {
        dst: LocalId,
        ready: &'p Expr,
        update: Option<&'p Expr>,
        spurious: Option<LocalId>,
        is_early: bool,
    },
    /// A seq_cst fence under release-acquire.
    Fence,
}

/// The effect of a read.
pub(super) struct Effect {
    pub(super) writes: Option<Value>,
    pub(super) sets: Vec<(LocalId, Value)>,
}

/// Why a thread stopped running by itself.
pub(super) enum Reached<'p> {
    /// Its queue is not empty.
    Task,
    /// It chooses one of these.
    Choice(Vec<Vec<Task<'p>>>),
    /// It does nothing any more.
    Nothing,
}

/// A function about to start. Missing arguments are arbitrary, extra ones are dropped.
pub(super) fn frame(program: &Program, function: FunctionId, args: &[Value]) -> Frame {
    let code = &program.functions[function];
    let mut locals = vec![Value::Undefined; code.locals.len()];
    for (param, value) in code.params.iter().zip(args) {
        locals[param.index()] = *value;
    }
    Frame { function, loc: code.entry, locals, objects: Vec::new() }
}

impl<'p> Thread<'p> {
    /// A thread with a number that has not started.
    pub(super) fn new(number: u32) -> Thread<'p> {
        Thread {
            number,
            status: Status::Reserved,
            frames: Vec::new(),
            queue: VecDeque::new(),
            picks: Vec::new(),
            events: Vec::new(),
            allocated: Vec::new(),
            spawned: None,
            joined: None,
            depth: 0,
            groups: 0,
            steps: 0,
        }
    }

    /// The topmost function.
    pub(super) fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a running thread should be in a function")
    }

    /// Its current statement: where it waits, if it waits.
    pub(super) fn at(&self, program: &Program) -> Option<(FunctionId, EdgeId)> {
        let frame = self.frames.last()?;
        let edges = &program.functions[frame.function].edges;
        let edge = edges.enumerate().find(|(_, edge)| edge.from == frame.loc).map(|(id, _)| id)?;
        Some((frame.function, edge))
    }

    /// The effect of an access that has read `value`; `None` if it cannot have read that.
    pub(super) fn effect(
        &self,
        program: &Program,
        own: usize,
        kind: &Kind<'p>,
        value: Value,
    ) -> Result<Option<Effect>, Failure> {
        let effect = |writes, sets: &[(LocalId, Value)]| Ok(Some(Effect { writes, sets: sets.to_vec() }));
        match *kind {
            Kind::Load { dst, ty } => effect(None, &[(dst, typed(program, ty, value))]),
            Kind::Store { .. } | Kind::Fence => effect(Some(Value::Int(0)), &[]),
            Kind::Rmw { dst, op: RmwOp::Exchange, ty, operand } => {
                effect(Some(operand), &[(dst, typed(program, ty, value))])
            }
            Kind::Rmw { dst, op, ty, operand } => match (value, operand) {
                (Value::Int(old), Value::Int(operand)) => {
                    let new = arith::rmw(op, width(program.data_model, ty), old, operand);
                    effect(Some(Value::Int(new)), &[(dst, value)])
                }
                (_, _) => unsupported("a read-modify-write of a pointer"),
            },
            Kind::Swap { old, success, expected, desired } if value == expected => {
                effect(Some(desired), &[(old, value), (success, Value::Int(1))])
            }
            Kind::NoSwap { old, success, expected, weak } if weak || value != expected => {
                effect(None, &[(old, value), (success, Value::Int(0))])
            }
            Kind::Lock if value == Value::Int(0) => effect(Some(Value::Int(u128::from(self.number))), &[]),
            Kind::Swap { .. } | Kind::NoSwap { .. } | Kind::Lock => Ok(None),
            Kind::Await { dst, ready, update, spurious, is_early } => {
                let mut locals = self.frames.last().map(|frame| frame.locals.clone()).unwrap_or_default();
                locals[dst.index()] = value;
                let scope = Scope { program, locals: &locals, thread: own, number: self.number };
                if scope.holds(ready)? == is_early {
                    return Ok(None);
                }
                let mut sets = vec![(dst, value)];
                sets.extend(spurious.map(|spurious| (spurious, Value::Int(u128::from(is_early)))));
                sets.iter().for_each(|(local, value)| locals[local.index()] = *value);
                let scope = Scope { program, locals: &locals, thread: own, number: self.number };
                let writes = update.map(|update| scope.eval(update)).transpose()?;
                Ok(Some(Effect { writes, sets }))
            }
        }
    }

    /// Runs until an event has to be added to the graph.
    pub(super) fn run(&mut self, program: &'p Program, model: MemoryModel, own: usize) -> Result<Reached<'p>, Failure> {
        while self.status == Status::Running && self.queue.is_empty() {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return unsupported("a loop that may be endless");
            }
            if let Some(mut choice) = self.statement(program, model, own)? {
                if choice.len() > 1 {
                    return Ok(Reached::Choice(choice));
                }
                self.queue.extend(choice.pop().unwrap_or_default());
            }
        }
        Ok(if self.status == Status::Running { Reached::Task } else { Reached::Nothing })
    }

    /// Executes the statement at its location if it is local; otherwise returns the alternatives for its tasks.
    fn statement(
        &mut self,
        program: &'p Program,
        model: MemoryModel,
        own: usize,
    ) -> Result<Option<Vec<Vec<Task<'p>>>>, Failure> {
        let (number, is_last) = (self.number, self.frames.len() == 1);
        let frame = self.frames.last_mut().expect("a running thread should be in a function");
        let function = &program.functions[frame.function];
        let scope = Scope { program, locals: &frame.locals, thread: own, number };
        let Some(id) = next_edge(function, frame.loc, &scope)? else {
            self.status = Status::Stopped;
            return Ok(None);
        };
        let edge = &function.edges[id];
        match &edge.stmt {
            Stmt::Skip | Stmt::Assume(_) => {}
            Stmt::Assign { dst, value } => {
                let value = scope.eval(value)?;
                frame.locals[dst.index()] = value;
            }
            Stmt::Assert { cond, claim, .. } => {
                if !scope.holds(cond)? && claim.property() == Property::Unreach {
                    self.status = Status::Failed((frame.function, id));
                    return Ok(None);
                }
            }
            Stmt::Alloc { dst, size, zeroed, .. } => {
                let object = Allocated { size: scope.int(size)? as u64, zeroed: *zeroed, live: true };
                let home = Home::Allocated(own, self.allocated.len());
                frame.objects.push(self.allocated.len());
                self.allocated.push(object);
                frame.locals[dst.index()] = Value::Pointer(Pointer { home, ghost: false, offset: 0 });
            }
            Stmt::Call { callee, args, .. } => {
                let callee = target(&scope, callee)?;
                let args = args.iter().map(|arg| scope.eval(arg)).collect::<Result<Vec<_>, _>>()?;
                self.frames.push(super::thread::frame(program, callee, &args));
                return Ok(None);
            }
            Stmt::Return(values) if !is_last => {
                let values = values.iter().map(|value| scope.eval(value)).collect::<Result<Vec<_>, _>>()?;
                self.leave(program, &values);
                return Ok(None);
            }
            shared => {
                let mut choice = Issue { scope: &scope, model, locals: &function.locals }.tasks(shared)?;
                choice.iter_mut().for_each(|tasks| tasks.push(Task::GoOn(edge.to)));
                return Ok(Some(choice));
            }
        }
        self.top().loc = edge.to;
        Ok(None)
    }

    /// Returns from a function that was called.
    fn leave(&mut self, program: &Program, values: &[Value]) {
        let left = self.frames.pop().expect("a running thread should be in a function");
        left.objects.iter().for_each(|object| self.allocated[*object].live = false);
        let caller = self.top();
        let function = &program.functions[caller.function];
        let call = function.edges.iter().find(|edge| edge.from == caller.loc).expect("a call should be in progress");
        if let Stmt::Call { dsts, .. } = &call.stmt {
            for (index, dst) in dsts.iter().enumerate() {
                caller.locals[dst.index()] = values.get(index).copied().unwrap_or(Value::Undefined);
            }
        }
        caller.loc = call.to;
    }
}

/// The edge to take: the first whose condition holds, if they have any.
fn next_edge(function: &Function, loc: LocId, scope: &Scope<'_>) -> Result<Option<EdgeId>, Failure> {
    for (id, edge) in function.edges.enumerate().filter(|(_, edge)| edge.from == loc) {
        match &edge.stmt {
            Stmt::Assume(cond) if !scope.holds(cond)? => {}
            _ => return Ok(Some(id)),
        }
    }
    Ok(None)
}

fn target(scope: &Scope<'_>, callee: &Callee) -> Result<FunctionId, Failure> {
    match callee {
        Callee::Direct(function) => Ok(*function),
        Callee::Indirect(expr) => match scope.eval(expr)? {
            Value::Function(function) => Ok(function),
            Value::Undefined | Value::Int(_) | Value::Pointer(_) => {
                unsupported("a call of something else than a function")
            }
        },
    }
}

/// The value of a cell as one of this type.
fn typed(program: &Program, ty: Type, value: Value) -> Value {
    match value {
        Value::Int(number) => Value::Int(number & arith::mask(width(program.data_model, ty))),
        Value::Undefined | Value::Pointer(_) | Value::Function(_) => value,
    }
}

/// Turns non-local statements into tasks.
struct Issue<'a> {
    scope: &'a Scope<'a>,
    model: MemoryModel,
    locals: &'a IdVec<LocalId, Local>,
}

impl Issue<'_> {
    /// The alternative task lists of a statement.
    fn tasks<'p>(&self, stmt: &'p Stmt) -> Result<Vec<Vec<Task<'p>>>, Failure> {
        let scope = self.scope;
        Ok(match stmt {
            Stmt::Havoc { dst, below } => return self.inputs(*dst, below.as_ref()),
            Stmt::Load { dst, ty, ptr, access } => {
                let location = self.location(ptr, *ty)?;
                let load = self.access(location, Kind::Load { dst: *dst, ty: *ty }, access.order, Barrier::None);
                vec![self.fenced(location, access.order, true, load, false)]
            }
            Stmt::Store { ty, ptr, value, access } => {
                vec![self.store(self.location(ptr, *ty)?, scope.eval(value)?, access.order)?]
            }
            Stmt::Rmw { dst, op, ty, ptr, value, order } => {
                let location = self.location(ptr, *ty)?;
                let kind = Kind::Rmw { dst: *dst, op: *op, ty: *ty, operand: scope.eval(value)? };
                let update = self.access(location, kind, *order, Barrier::Full);
                vec![self.fenced(location, *order, true, update, true)]
            }
            Stmt::CompareExchange { .. } => self.compare_exchange(stmt)?,
            Stmt::Fence(order) => vec![self.fence(*order)],
            Stmt::NewThread { dst } => vec![vec![Task::NewThread(*dst)]],
            Stmt::Spawn { thread, callee, args } => {
                let args = args.iter().map(|arg| scope.eval(arg)).collect::<Result<Vec<_>, _>>()?;
                vec![vec![Task::Spawn { number: scope.int(thread)?, function: target(scope, callee)?, args }]]
            }
            Stmt::Join { dst, thread } => vec![vec![Task::Join { number: scope.int(thread)?, dst: *dst }]],
            Stmt::ExitThread(value) => vec![vec![Task::End(scope.eval(value)?)]],
            Stmt::Return(values) => {
                let result = values.first().map(|value| scope.eval(value)).transpose()?;
                vec![vec![Task::End(result.unwrap_or(Value::Int(0)))]]
            }
            Stmt::Lock { ptr } => {
                let location = self.ghost(ptr, Type::Int(32))?;
                vec![vec![self.access(location, Kind::Lock, Order::AcqRel, Barrier::Full)]]
            }
            Stmt::Unlock { ptr } => {
                let kind = Kind::Store { value: Value::Int(0) };
                vec![vec![self.access(self.ghost(ptr, Type::Int(32))?, kind, Order::Release, Barrier::Full)]]
            }
            Stmt::Await { dst, ty, ptr, ready, update, spurious, .. } => {
                let location = self.ghost(ptr, *ty)?;
                // Whether the wait ends early is guessed first, since then it does not acquire; the read must match.
                let guess = |is_early: bool, order: Order| {
                    let (dst, update, spurious) = (*dst, update.as_ref(), *spurious);
                    let kind = Kind::Await { dst, ready, update, spurious, is_early };
                    let barrier = if is_early { Barrier::None } else { Barrier::Full };
                    vec![self.access(location, kind, order, barrier)]
                };
                let mut ways = vec![guess(false, Order::Acquire)];
                ways.extend(spurious.map(|_| guess(true, Order::Relaxed)));
                ways
            }
            Stmt::AtomicBegin { is_fence } => {
                let fence = is_fence.then_some(Task::Fence(Barrier::Full));
                vec![fence.into_iter().chain([Task::Begin { region: true }]).collect()]
            }
            Stmt::AtomicEnd { is_fence } => {
                let fence = is_fence.then_some(Task::Fence(Barrier::Full));
                vec![[Task::Finish].into_iter().chain(fence).collect()]
            }
            Stmt::Exit => vec![vec![Task::Exit]],
            Stmt::Unmodelled(what) => return unsupported(&what.to_string()),
            Stmt::Copy { .. } | Stmt::Set { .. } => return unsupported("a copy or set of a range of bytes"),
            Stmt::Free { .. } => return unsupported("free"),
            Stmt::Expire { .. } => return unsupported("the end of a block's variables"),
            Stmt::Detach { .. } => return unsupported("a detached thread"),
            Stmt::Skip
            | Stmt::Assign { .. }
            | Stmt::Assume(_)
            | Stmt::Assert { .. }
            | Stmt::Alloc { .. }
            | Stmt::Call { .. } => {
                unreachable!("statements that concern one thread only should be done before")
            }
        })
    }

    fn inputs<'p>(&self, dst: LocalId, below: Option<&Expr>) -> Result<Vec<Vec<Task<'p>>>, Failure> {
        let count = match (below, self.locals[dst].ty) {
            (Some(below), Type::Int(_)) => self.scope.int(below)?.max(1),
            (None, Type::Int(width)) if width <= 8 => 1 << width,
            (_, Type::Int(_) | Type::Ptr) => return Ok(vec![vec![Task::Set(dst, Value::Undefined)]]),
        };
        if count > MAX_INPUTS {
            return unsupported("an input with many values");
        }
        Ok((0..count).map(|value| vec![Task::Set(dst, Value::Int(value))]).collect())
    }

    fn location(&self, ptr: &Expr, ty: Type) -> Result<Location, Failure> {
        let pointer = self.scope.pointer(ptr)?;
        let len = ty.bytes(self.scope.program.data_model.pointer_bytes());
        match u64::try_from(pointer.offset) {
            Ok(offset) => Ok(Location::cell(pointer, offset, len)),
            Err(_) => unsupported("an access outside an object"),
        }
    }

    /// The location of a synchronisation object's cell.
    fn ghost(&self, ptr: &Expr, ty: Type) -> Result<Location, Failure> {
        let location = self.location(ptr, ty)?;
        if location.is_ghost() {
            Ok(location)
        } else {
            unsupported("waiting for a cell outside ghost memory")
        }
    }

    fn access<'p>(&self, location: Location, kind: Kind<'p>, order: Order, barrier: Barrier) -> Task<'p> {
        Task::Access(Access { location, kind, order, barrier })
    }

    /// Under release-acquire, puts fences before and after a seq_cst access.
    fn fenced<'p>(
        &self,
        location: Location,
        order: Order,
        before: bool,
        access: Task<'p>,
        after: bool,
    ) -> Vec<Task<'p>> {
        if !has_hidden_fences(self.model) || order != Order::SeqCst || location.is_ghost() {
            return vec![access];
        }
        let fence = |wanted: bool| wanted.then(|| self.hidden_fence());
        let with_first = match fence(before) {
            Some(first) => vec![Task::Begin { region: false }, first, access, Task::Finish],
            None => vec![access],
        };
        with_first.into_iter().chain(fence(after)).collect()
    }

    fn hidden_fence<'p>(&self) -> Task<'p> {
        self.access(Location::Fences, Kind::Fence, Order::AcqRel, Barrier::None)
    }

    fn store<'p>(&self, location: Location, value: Value, order: Order) -> Result<Vec<Task<'p>>, Failure> {
        if value == Value::Undefined {
            return unsupported("a store of an undefined value");
        }
        if location.is_ghost() && order == Order::SeqCst {
            return unsupported("a seq_cst store to ghost memory");
        }
        let barrier = if order.releases() { Barrier::StoreStore } else { Barrier::None };
        let store = self.access(
            location,
            Kind::Store { value },
            order,
            if location.is_ghost() { Barrier::None } else { barrier },
        );
        let mut tasks = self.fenced(location, order, false, store, true);
        if order == Order::SeqCst && !has_hidden_fences(self.model) {
            tasks.push(Task::Fence(Barrier::Full));
        }
        Ok(tasks)
    }

    fn fence<'p>(&self, order: Order) -> Vec<Task<'p>> {
        match (has_hidden_fences(self.model), order.is_full_fence()) {
            (true, true) => vec![self.hidden_fence()],
            (false, true) => vec![Task::Fence(Barrier::Full)],
            (false, false) if order.releases() => vec![Task::Fence(Barrier::StoreStore)],
            (_, false) => vec![],
        }
    }

    /// Success and failure are guessed first, since they have different orders; the read must match.
    fn compare_exchange<'p>(&self, stmt: &'p Stmt) -> Result<Vec<Vec<Task<'p>>>, Failure> {
        let Stmt::CompareExchange { old, success, ty, ptr, expected, desired, order, failure, weak } = stmt else {
            unreachable!("only a compare-exchange is turned into one");
        };
        let location = self.location(ptr, *ty)?;
        let (expected, desired) = (self.scope.eval(expected)?, self.scope.eval(desired)?);
        if expected == Value::Undefined || desired == Value::Undefined {
            return unsupported("an undefined value that is used");
        }
        let swap = Kind::Swap { old: *old, success: *success, expected, desired };
        let no_swap = Kind::NoSwap { old: *old, success: *success, expected, weak: *weak };
        let swap = self.access(location, swap, *order, Barrier::Full);
        let barrier = if location.is_ghost() { Barrier::None } else { Barrier::Full };
        let no_swap = self.access(location, no_swap, *failure, barrier);
        Ok(vec![self.fenced(location, *order, true, swap, true), self.fenced(location, *failure, true, no_swap, false)])
    }
}
