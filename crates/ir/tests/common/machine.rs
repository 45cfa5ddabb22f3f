//! A minimal machine for the programs of `concurrent.rs`: sequentially consistent, one value per 8 bytes of memory, no
//! choices except the given ones. It exists to check the analyses and is incomplete.

use base::Id;
use ir::*;
use std::collections::{BTreeMap, BTreeSet};

/// An object at run time. Objects created by threads are numbered by thread, so that their names do not depend on other
/// threads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Made {
    Static(ObjectId),
    Own(u32, ObjectId),
    Site { thread: u32, count: u32, function: FunctionId, edge: EdgeId },
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Value {
    Int(u128),
    Address { object: Made, ghost: bool, offset: i64 },
    Function(FunctionId),
}

pub(crate) const NULL: Value = Value::Int(0);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Frame {
    function: FunctionId,
    loc: LocId,
    locals: Vec<Value>,
    stack: Vec<Made>,
    results: Vec<LocalId>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Thread {
    frames: Vec<Frame>,
    made: u32,
    result: Option<Value>,
}

/// An access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Touched {
    pub(crate) object: Made,
    pub(crate) ghost: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Machine<'p> {
    program: &'p Program,
    /// By number, from 1.
    threads: Vec<Thread>,
    memory: BTreeMap<(Made, bool, i64), Value>,
    dead: BTreeSet<Made>,
}

/// Why a step was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stuck {
    /// It blocks.
    Blocked,
    /// The run is over: the program's end, or undefined behaviour.
    Over,
}

const MAX_THREADS: usize = 6;

impl<'p> Machine<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        let mut memory = BTreeMap::new();
        for (id, object) in program.objects.enumerate() {
            if let Initial::Bytes { relocations, .. } = &object.initial {
                for relocation in relocations {
                    let value = match relocation.symbol {
                        Symbol::Object(object) => {
                            Value::Address { object: Made::Static(object), ghost: false, offset: 0 }
                        }
                        Symbol::Function(function) => Value::Function(function),
                    };
                    memory.insert((Made::Static(id), false, relocation.at as i64), value);
                }
            }
        }
        let mut machine = Machine { program, threads: Vec::new(), memory, dead: BTreeSet::new() };
        let frame = machine.frame(program.entry, vec![], vec![]);
        machine.threads.push(Thread { frames: vec![frame], made: 0, result: None });
        machine
    }

    /// Whether two machines running the same program are in the same state.
    pub(crate) fn is_like(&self, other: &Machine<'_>) -> bool {
        (&self.threads, &self.memory, &self.dead) == (&other.threads, &other.memory, &other.dead)
    }

    fn frame(&self, function: FunctionId, args: Vec<Value>, results: Vec<LocalId>) -> Frame {
        let callee = &self.program.functions[function];
        let mut locals = vec![NULL; callee.locals.len()];
        for (&param, value) in callee.params.iter().zip(args) {
            locals[param.index()] = value;
        }
        Frame { function, loc: callee.entry, locals, stack: vec![], results }
    }

    /// The numbers of the threads that have not ended.
    pub(crate) fn running(&self) -> Vec<u32> {
        let numbers = 1..=self.threads.len() as u32;
        numbers.filter(|&number| !self.thread(number).frames.is_empty()).collect()
    }

    fn thread(&self, number: u32) -> &Thread {
        &self.threads[number as usize - 1]
    }

    pub(crate) fn is_last_frame(&self, number: u32) -> bool {
        self.thread(number).frames.len() == 1
    }

    /// The next statement of a thread: of several edges, the first that is enabled.
    pub(crate) fn next(&self, number: u32) -> Option<(FunctionId, EdgeId)> {
        let frame = self.thread(number).frames.last()?;
        let function = &self.program.functions[frame.function];
        let mut edges = function.edges.enumerate().filter(|(_, edge)| edge.from == frame.loc);
        let is_allowed = |edge: &Edge| match &edge.stmt {
            Stmt::Assume(cond) => self.eval(number, cond) == Some(Value::Int(1)),
            _ => true,
        };
        edges.find(|(_, edge)| is_allowed(edge)).map(|(id, _)| (frame.function, id))
    }

    /// The content of a cell.
    pub(crate) fn read(&self, object: Made, ghost: bool, offset: i64) -> Value {
        self.memory.get(&(object, ghost, offset)).copied().unwrap_or(NULL)
    }

    fn eval(&self, number: u32, expr: &Expr) -> Option<Value> {
        let frame = self.thread(number).frames.last()?;
        Some(match expr {
            Expr::Int { value, .. } => Value::Int(*value),
            Expr::Null => NULL,
            Expr::Local(local) => frame.locals[local.index()],
            Expr::Object(id) => {
                let object = match self.program.objects[*id].kind {
                    ObjectKind::ThreadLocal => Made::Own(number, *id),
                    ObjectKind::Global | ObjectKind::Constant => Made::Static(*id),
                };
                Value::Address { object, ghost: false, offset: 0 }
            }
            Expr::Function(function) => Value::Function(*function),
            Expr::SelfThread => Value::Int(number.into()),
            Expr::Unary { op: UnaryOp::Not, arg, .. } => match self.eval(number, arg)? {
                Value::Int(value) => Value::Int(1 - value),
                Value::Address { .. } | Value::Function(_) => return None,
            },
            Expr::Binary { op: BinaryOp::Add, lhs, rhs, .. } | Expr::Offset { base: lhs, bytes: rhs } => {
                match (self.eval(number, lhs)?, self.eval(number, rhs)?) {
                    (Value::Int(a), Value::Int(b)) => Value::Int(a.wrapping_add(b) & arith::mask(64)),
                    (Value::Address { object, ghost, offset }, Value::Int(by)) => {
                        Value::Address { object, ghost, offset: offset.wrapping_add(arith::signed(64, by) as i64) }
                    }
                    _ => return None,
                }
            }
            Expr::Cast { arg, .. } => self.eval(number, arg)?,
            Expr::Select { cond, then, otherwise } => {
                let side = if self.eval(number, cond)? == Value::Int(1) { then } else { otherwise };
                self.eval(number, side)?
            }
            Expr::Ghost(arg) => match self.eval(number, arg)? {
                Value::Address { object, ghost: false, offset } => {
                    Value::Address { object, ghost: true, offset: 4 * offset }
                }
                Value::Address { .. } | Value::Int(_) | Value::Function(_) => return None,
            },
            other => panic!("{other:?} is not made"),
        })
    }

    /// The address that an expression evaluates to, if it is valid.
    fn address(&self, number: u32, expr: &Expr) -> Option<(Made, bool, i64)> {
        match self.eval(number, expr)? {
            Value::Address { object, ghost, offset } => {
                let size = if ghost { 64 } else { 16 };
                let is_inside = (0..size).contains(&offset) && !self.dead.contains(&object);
                is_inside.then_some((object, ghost, offset))
            }
            Value::Int(_) | Value::Function(_) => None,
        }
    }

    /// Takes a step; `choice` is the value of a havoc. Returns the accesses.
    pub(crate) fn step(&mut self, number: u32, choice: bool) -> Result<Vec<Touched>, Stuck> {
        let (function, id) = self.next(number).ok_or(Stuck::Over)?;
        let edge = &self.program.functions[function].edges[id];
        let mut touched = Vec::new();
        self.execute(number, (function, id), &edge.stmt, choice, &mut touched)?;
        if let Some(frame) = self.threads[number as usize - 1].frames.last_mut() {
            if frame.function == function && frame.loc == edge.from && !matches!(edge.stmt, Stmt::Call { .. }) {
                frame.loc = edge.to;
            }
        }
        Ok(touched)
    }

    fn set(&mut self, number: u32, local: LocalId, value: Value) {
        if let Some(frame) = self.threads[number as usize - 1].frames.last_mut() {
            frame.locals[local.index()] = value;
        }
    }

    fn execute(
        &mut self,
        number: u32,
        at: (FunctionId, EdgeId),
        stmt: &Stmt,
        choice: bool,
        touched: &mut Vec<Touched>,
    ) -> Result<(), Stuck> {
        let mut touch = |(object, ghost, _): (Made, bool, i64)| touched.push(Touched { object, ghost });
        match stmt {
            Stmt::Skip | Stmt::Assume(_) => {}
            Stmt::Assign { dst, value } => {
                let value = self.eval(number, value).ok_or(Stuck::Over)?;
                self.set(number, *dst, value);
            }
            Stmt::Havoc { dst, .. } => self.set(number, *dst, Value::Int(choice.into())),
            Stmt::Load { dst, ptr, .. } => {
                let place = self.address(number, ptr).ok_or(Stuck::Over)?;
                touch(place);
                let value = self.read(place.0, place.1, place.2);
                self.set(number, *dst, value);
            }
            Stmt::Store { ptr, value, .. } => {
                let place = self.address(number, ptr).ok_or(Stuck::Over)?;
                touch(place);
                let value = self.eval(number, value).ok_or(Stuck::Over)?;
                self.memory.insert(place, value);
            }
            Stmt::Rmw { dst, ptr, value, .. } => {
                let place = self.address(number, ptr).ok_or(Stuck::Over)?;
                touch(place);
                let value = self.eval(number, value).ok_or(Stuck::Over)?;
                let old = self.read(place.0, place.1, place.2);
                self.memory.insert(place, value);
                self.set(number, *dst, old);
            }
            Stmt::Copy { dst, src, .. } => {
                let (dst, src) = (self.address(number, dst), self.address(number, src));
                let (dst, src) = (dst.ok_or(Stuck::Over)?, src.ok_or(Stuck::Over)?);
                touch(dst);
                touch(src);
                let value = self.read(src.0, src.1, src.2);
                self.memory.insert(dst, value);
            }
            Stmt::Alloc { dst, kind, .. } => {
                let thread = &mut self.threads[number as usize - 1];
                thread.made += 1;
                let object = Made::Site { thread: number, count: thread.made, function: at.0, edge: at.1 };
                if *kind == AllocKind::Stack {
                    thread.frames.last_mut().expect("a running thread has a frame").stack.push(object);
                }
                self.set(number, *dst, Value::Address { object, ghost: false, offset: 0 });
            }
            Stmt::Free { ptr } => {
                let place = self.address(number, ptr).ok_or(Stuck::Over)?;
                if place.1 || place.2 != 0 || !matches!(place.0, Made::Site { .. }) {
                    return Err(Stuck::Over);
                }
                touch(place);
                self.kill(place.0);
            }
            // Random programs have no blocks.
            Stmt::Expire { .. } => return Err(Stuck::Over),
            Stmt::Lock { ptr } => {
                let place = self.address(number, ptr).ok_or(Stuck::Over)?;
                if self.read(place.0, place.1, place.2) != Value::Int(0) {
                    return Err(Stuck::Blocked);
                }
                touch(place);
                self.memory.insert(place, Value::Int(number.into()));
            }
            Stmt::Unlock { ptr } => {
                let place = self.address(number, ptr).ok_or(Stuck::Over)?;
                if self.read(place.0, place.1, place.2) != Value::Int(number.into()) {
                    return Err(Stuck::Over);
                }
                touch(place);
                self.memory.insert(place, Value::Int(0));
            }
            Stmt::Call { dsts, callee, args } => {
                let frame = self.call(number, callee, args, dsts.clone())?;
                self.threads[number as usize - 1].frames.push(frame);
            }
            Stmt::Return(values) => self.return_from(number, values)?,
            Stmt::NewThread { dst } => {
                if self.threads.len() == MAX_THREADS {
                    return Err(Stuck::Over);
                }
                self.threads.push(Thread { frames: vec![], made: 0, result: None });
                self.set(number, *dst, Value::Int(self.threads.len() as u128));
            }
            Stmt::Spawn { thread, callee, args } => {
                let frame = self.call(number, callee, args, vec![])?;
                let child = self.number(number, thread)?;
                if !self.threads[child].frames.is_empty() || self.threads[child].result.is_some() {
                    return Err(Stuck::Over);
                }
                self.threads[child].frames.push(frame);
            }
            Stmt::Join { dst, thread } => {
                let child = self.number(number, thread)?;
                let result = self.threads[child].result.ok_or(Stuck::Blocked)?;
                if let Some(dst) = dst {
                    self.set(number, *dst, result);
                }
            }
            other => panic!("{other:?} is not made"),
        }
        Ok(())
    }

    fn number(&self, number: u32, thread: &Expr) -> Result<usize, Stuck> {
        match self.eval(number, thread) {
            Some(Value::Int(child)) if child >= 2 && child <= self.threads.len() as u128 => Ok(child as usize - 1),
            _ => Err(Stuck::Over),
        }
    }

    fn call(&self, number: u32, callee: &Callee, args: &[Expr], results: Vec<LocalId>) -> Result<Frame, Stuck> {
        let function = match callee {
            Callee::Direct(function) => *function,
            Callee::Indirect(expr) => match self.eval(number, expr) {
                Some(Value::Function(function)) => function,
                _ => return Err(Stuck::Over),
            },
        };
        let args = args.iter().map(|arg| self.eval(number, arg)).collect::<Option<Vec<_>>>().ok_or(Stuck::Over)?;
        Ok(self.frame(function, args, results))
    }

    fn return_from(&mut self, number: u32, values: &[Expr]) -> Result<(), Stuck> {
        let values: Option<Vec<Value>> = values.iter().map(|value| self.eval(number, value)).collect();
        let values = values.ok_or(Stuck::Over)?;
        let frame = self.threads[number as usize - 1].frames.pop().expect("a running thread has a frame");
        for &object in &frame.stack {
            self.kill(object);
        }
        if self.threads[number as usize - 1].frames.is_empty() {
            self.threads[number as usize - 1].result = Some(values.first().copied().unwrap_or(NULL));
            // The end of the first thread ends the run.
            return if number == 1 { Err(Stuck::Over) } else { Ok(()) };
        }
        for (&dst, value) in frame.results.iter().zip(values) {
            self.set(number, dst, value);
        }
        // The caller is at the location before its call.
        let (function, edge) = self.next(number).expect("a caller should stand at its call");
        let to = self.program.functions[function].edges[edge].to;
        self.threads[number as usize - 1].frames.last_mut().expect("a caller has a frame").loc = to;
        Ok(())
    }

    fn kill(&mut self, object: Made) {
        self.dead.insert(object);
        self.memory.retain(|(other, _, _), _| *other != object);
    }
}
