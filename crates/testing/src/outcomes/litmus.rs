//! Litmus tests: a few threads over a few shared variables, as data that can be printed in the core form, generated at
//! random and shrunk. The values that a thread read become its result, which `main` stores after joining it, so that
//! observing them changes nothing.

use crate::programs::rng::Rng;
use ir::{Order, Program, RmwOp};
use std::fmt::{self, Write};

/// A value that is stored or compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A constant.
    Const(u32),
    /// The value of this register.
    Register(usize),
}

/// A statement of a thread. Variables, mutexes and registers are numbered.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Statement {
    Load {
        to: usize,
        var: usize,
        order: Order,
    },
    Store {
        var: usize,
        value: Operand,
        order: Order,
    },
    Rmw {
        to: usize,
        op: RmwOp,
        var: usize,
        value: Operand,
        order: Order,
    },
    CompareExchange {
        to: usize,
        var: usize,
        expected: u32,
        desired: u32,
        order: Order,
        failure: Order,
        weak: bool,
    },
    /// Like `Load`, from a cell of an array; the index is taken modulo its length.
    LoadCell {
        to: usize,
        index: Operand,
        order: Order,
    },
    StoreCell {
        index: Operand,
        value: Operand,
        order: Order,
    },
    Fence(Order),
    Input {
        to: usize,
        below: u32,
    },
    /// A section under a mutex, which is not released if `forgets`.
    Locked {
        mutex: usize,
        forgets: bool,
        body: Vec<Statement>,
    },
    /// An atomic region.
    Atomic(Vec<Statement>),
    If {
        register: usize,
        equals: u32,
        body: Vec<Statement>,
    },
    /// A loop of two iterations.
    Twice(Vec<Statement>),
    /// An unbounded loop that reads before every iteration and ends at this value.
    While {
        to: usize,
        var: usize,
        equals: u32,
        body: Vec<Statement>,
    },
    /// A loop that reads until it finds this value.
    Wait {
        to: usize,
        var: usize,
        equals: u32,
        order: Order,
    },
    /// The run ends unless this holds.
    Assume {
        register: usize,
        equals: u32,
    },
    /// A violation unless this register holds something else.
    AssertNot {
        register: usize,
        equals: u32,
    },
}

/// A litmus test.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Litmus {
    /// The threads that `main` starts.
    pub threads: Vec<Vec<Statement>>,
    /// The statements of `main` while they run.
    pub main: Vec<Statement>,
}

/// The condition that a program asserts not to happen.
#[derive(Clone, Copy)]
enum Excluded<'a> {
    Nothing,
    /// The results of all threads, those of `main` last.
    Results(&'a [u128]),
    /// The result of a thread.
    Of(usize, u128),
}

/// The numbers of shared variables, of mutexes, and of registers per thread.
pub const VARS: usize = 3;
const MUTEXES: usize = 2;
/// The number of cells of the array: a power of two.
const CELLS: usize = 2;
const REGISTERS: usize = 4;
/// The initial value of a register; no variable ever has it.
const UNREAD: u32 = 15;

impl Litmus {
    /// The program in the core form.
    pub fn program(&self) -> Program {
        let text = self.text();
        let program = ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let problems = ir::validate(&program);
        assert!(problems.is_empty(), "{problems:?}\n{text}");
        program
    }

    /// The program that fails an assertion if it ends with these results, those of `main` last.
    pub fn excluding(&self, results: &[u128]) -> Program {
        self.program_with(Excluded::Results(results))
    }

    /// The program in which a thread fails an assertion if it ends with this result.
    pub fn excluding_of(&self, thread: usize, result: u128) -> Program {
        self.program_with(Excluded::Of(thread, result))
    }

    fn program_with(&self, excluded: Excluded<'_>) -> Program {
        let text = self.text_with(excluded);
        ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// The program as text.
    pub fn text(&self) -> String {
        self.text_with(Excluded::Nothing)
    }

    fn text_with(&self, excluded: Excluded<'_>) -> String {
        let mut text = String::from("heddle-ir 1 data-model lp64 file f0 \"litmus\" entry @main\n");
        for var in 0..VARS {
            text += &format!("object @x{var} size 4 align 4 global = zero\n");
        }
        if self.any(&|statement| matches!(statement, Statement::LoadCell { .. } | Statement::StoreCell { .. })) {
            text += &format!("object @cells size {} align 4 global = zero\n", 4 * CELLS);
        }
        for mutex in 0..MUTEXES {
            text += &format!("object @m{mutex} size 8 align 4 global = zero\n");
        }
        for thread in 0..=self.threads.len() {
            text += &format!("object @result{thread} size 8 align 8 global = zero\n");
        }
        for (index, thread) in self.threads.iter().enumerate() {
            let mut body = Body::default();
            body.begin();
            body.statements(thread);
            match excluded {
                Excluded::Of(which, value) if which == index => body.exclude(&[(result(), value)]),
                Excluded::Of(..) | Excluded::Results(_) | Excluded::Nothing => {}
            }
            body.last(&format!("return {}", result()));
            text += &body.function(&format!("thread{index}() -> i64"));
        }
        text + &self.main_function(excluded)
    }

    fn main_function(&self, excluded: Excluded<'_>) -> String {
        let mut body = Body::default();
        body.begin();
        for index in 0..self.threads.len() {
            body.locals.push(format!("t{index}: i64"));
            body.line(&format!("%t{index} = new_thread"));
            body.line(&format!("spawn %t{index}, @thread{index}()"));
        }
        body.statements(&self.main);
        for index in 0..self.threads.len() {
            body.locals.push(format!("r{index}: i64"));
            body.line(&format!("%r{index} = join %t{index}"));
        }
        for index in 0..self.threads.len() {
            body.line(&format!("store i64 @result{index}, %r{index}"));
        }
        body.line(&format!("store i64 @result{}, {}", self.threads.len(), result()));
        if let Excluded::Results(results) = excluded {
            let joined = (0..self.threads.len()).map(|index| format!("%r{index}"));
            let pairs: Vec<_> = joined.chain([result()]).zip(results.iter().copied()).collect();
            body.exclude(&pairs);
        }
        body.last("exit");
        body.function("main()")
    }

    /// The test with its threads rotated by one.
    pub fn rotated(&self) -> Litmus {
        let mut threads = self.threads.clone();
        threads.rotate_left(1);
        Litmus { threads, main: self.main.clone() }
    }

    /// Simpler tests: one thread, statement or order fewer.
    pub fn smaller(&self) -> Vec<Litmus> {
        let mut smaller = Vec::new();
        for index in 0..self.threads.len() {
            if self.threads.len() > 1 {
                let mut threads = self.threads.clone();
                threads.remove(index);
                smaller.push(Litmus { threads, main: self.main.clone() });
            }
            for body in smaller_bodies(&self.threads[index]) {
                let mut threads = self.threads.clone();
                threads[index] = body;
                smaller.push(Litmus { threads, main: self.main.clone() });
            }
        }
        smaller
            .extend(smaller_bodies(&self.main).into_iter().map(|main| Litmus { threads: self.threads.clone(), main }));
        smaller
    }

    /// All bodies, mutably.
    pub fn bodies_mut(&mut self) -> impl Iterator<Item = &mut Vec<Statement>> {
        self.threads.iter_mut().chain([&mut self.main])
    }

    /// Whether some statement, nested ones included, satisfies a condition.
    pub fn any(&self, condition: &dyn Fn(&Statement) -> bool) -> bool {
        fn within(body: &[Statement], condition: &dyn Fn(&Statement) -> bool) -> bool {
            body.iter().any(|statement| condition(statement) || within(statement.body(), condition))
        }
        self.threads.iter().chain([&self.main]).any(|body| within(body, condition))
    }
}

impl Statement {
    /// The nested statements.
    pub fn body(&self) -> &[Statement] {
        match self {
            Statement::Locked { body, .. }
            | Statement::Atomic(body)
            | Statement::If { body, .. }
            | Statement::Twice(body)
            | Statement::While { body, .. } => body,
            Statement::Load { .. }
            | Statement::Store { .. }
            | Statement::LoadCell { .. }
            | Statement::StoreCell { .. }
            | Statement::Rmw { .. }
            | Statement::CompareExchange { .. }
            | Statement::Fence(_)
            | Statement::Input { .. }
            | Statement::Wait { .. }
            | Statement::Assume { .. }
            | Statement::AssertNot { .. } => &[],
        }
    }

    /// Its memory orders.
    pub fn orders_mut(&mut self) -> Vec<&mut Order> {
        match self {
            Statement::Load { order, .. }
            | Statement::Store { order, .. }
            | Statement::LoadCell { order, .. }
            | Statement::StoreCell { order, .. }
            | Statement::Rmw { order, .. }
            | Statement::Wait { order, .. } => vec![order],
            Statement::CompareExchange { order, failure, .. } => vec![order, failure],
            Statement::Fence(order) => vec![order],
            Statement::Locked { body, .. }
            | Statement::Atomic(body)
            | Statement::If { body, .. }
            | Statement::Twice(body)
            | Statement::While { body, .. } => body.iter_mut().flat_map(Statement::orders_mut).collect(),
            Statement::Input { .. } | Statement::Assume { .. } | Statement::AssertNot { .. } => vec![],
        }
    }
}

impl fmt::Display for Litmus {
    /// The statements of each thread, in the syntax of the core form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = self.threads.iter().enumerate().map(|(index, thread)| (format!("thread{index}"), thread));
        for (name, statements) in threads.chain([("main".to_owned(), &self.main)]) {
            let mut body = Body::default();
            body.statements(statements);
            writeln!(f, "{name}:\n{}", body.edges.trim_end())?;
        }
        Ok(())
    }
}

fn smaller_bodies(body: &[Statement]) -> Vec<Vec<Statement>> {
    let mut smaller = Vec::new();
    for (index, statement) in body.iter().enumerate() {
        let with = |replacement: Vec<Statement>| {
            let mut copy = body.to_vec();
            copy.splice(index..=index, replacement);
            copy
        };
        smaller.push(with(statement.body().to_vec()));
        if !statement.body().is_empty() {
            smaller.push(with(vec![]));
        }
        for inner in smaller_bodies(statement.body()) {
            let mut copy = statement.clone();
            match &mut copy {
                Statement::Locked { body, .. }
                | Statement::Atomic(body)
                | Statement::If { body, .. }
                | Statement::Twice(body)
                | Statement::While { body, .. } => *body = inner,
                _ => unreachable!("only these have a body"),
            }
            smaller.push(with(vec![copy]));
        }
        for which in 0..statement.clone().orders_mut().len() {
            let mut copy = statement.clone();
            if let Statement::Load { .. }
            | Statement::Store { .. }
            | Statement::LoadCell { .. }
            | Statement::StoreCell { .. }
            | Statement::Rmw { .. }
            | Statement::Wait { .. }
            | Statement::CompareExchange { .. } = copy
            {
                let order = &mut *copy.orders_mut()[which];
                if *order != Order::Relaxed {
                    *order = Order::Relaxed;
                    smaller.push(with(vec![copy]));
                }
            }
        }
    }
    smaller
}

/// All registers in one number.
fn result() -> String {
    (0..REGISTERS)
        .fold("0:i64".to_owned(), |all, register| format!("or:i64(shl:i64({all}, 4:i64), zext:i32:i64(%a{register}))"))
}

/// The address of a cell.
fn cell(index: &str) -> String {
    let last = CELLS - 1;
    format!("offset(@cells, shl:i64(zext:i32:i64(and:i32({index}, {last}:i32)), 2:i64))")
}

/// A function under construction.
#[derive(Default)]
struct Body {
    locals: Vec<String>,
    edges: String,
    loc: usize,
    locs: usize,
}

impl Body {
    fn begin(&mut self) {
        self.locs = 1;
        for register in 0..REGISTERS {
            self.locals.push(format!("a{register}: i32"));
            self.line(&format!("%a{register} = {UNREAD}:i32"));
        }
        self.locals.push("success: i1".to_owned());
    }

    fn edge(&mut self, from: usize, to: usize, stmt: &str) {
        writeln!(self.edges, "  l{from} -> l{to}: {stmt}").expect("a string should take what is written to it");
    }

    fn new_loc(&mut self) -> usize {
        self.locs += 1;
        self.locs - 1
    }

    fn line(&mut self, stmt: &str) {
        let next = self.new_loc();
        self.edge(self.loc, next, stmt);
        self.loc = next;
    }

    /// Fails if these values are found.
    fn exclude(&mut self, values: &[(String, u128)]) {
        for (found, value) in values {
            self.line(&format!("assume eq:i64({found}, {value}:i64)"));
        }
        self.line("assert 0:i1, asserted \"reached\"");
    }

    /// The last statement.
    fn last(&mut self, stmt: &str) {
        self.line(stmt);
    }

    fn function(&self, signature: &str) -> String {
        let locals: String = self.locals.iter().map(|local| format!(" local %{local}")).collect();
        let (locs, exit) = (self.locs, self.loc);
        format!("function @{signature} {{{locals} locs {locs} entry l0 exit l{exit}\n{}}}\n", self.edges)
    }

    fn statements(&mut self, body: &[Statement]) {
        body.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        let operand = |value: &Operand| match value {
            Operand::Const(value) => format!("{value}:i32"),
            Operand::Register(register) => format!("%a{register}"),
        };
        match statement {
            Statement::Load { to, var, order } => self.line(&format!("%a{to} = load i32 @x{var} {}", order.word())),
            Statement::Store { var, value, order } => {
                self.line(&format!("store i32 @x{var}, {} {}", operand(value), order.word()));
            }
            Statement::Rmw { to, op, var, value, order } => {
                self.line(&format!("%a{to} = rmw {} i32 @x{var}, {} {}", op.word(), operand(value), order.word()));
            }
            Statement::CompareExchange { to, var, expected, desired, order, failure, weak } => {
                let weak = if *weak { "weak " } else { "" };
                let orders = format!("{} {}", order.word(), failure.word());
                let operands = format!("@x{var}, {expected}:i32, {desired}:i32");
                self.line(&format!("%a{to}, %success = cmpxchg {weak}i32 {operands} {orders}"));
            }
            Statement::LoadCell { to, index, order } => {
                self.line(&format!("%a{to} = load i32 {} {}", cell(&operand(index)), order.word()));
            }
            Statement::StoreCell { index, value, order } => {
                self.line(&format!("store i32 {}, {} {}", cell(&operand(index)), operand(value), order.word()));
            }
            Statement::Fence(order) => self.line(&format!("fence {}", order.word())),
            Statement::Input { to, below } => self.line(&format!("%a{to} = havoc below {below}:i32")),
            Statement::Locked { mutex, forgets, body } => {
                self.line(&format!("lock ghost(@m{mutex})"));
                self.statements(body);
                if !forgets {
                    self.line(&format!("unlock ghost(@m{mutex})"));
                }
            }
            Statement::Atomic(body) => {
                self.line("atomic_begin");
                self.statements(body);
                self.line("atomic_end");
            }
            Statement::If { register, equals, body } => {
                let (start, inside, after) = (self.loc, self.new_loc(), self.new_loc());
                self.edge(start, inside, &format!("assume eq:i32(%a{register}, {equals}:i32)"));
                self.edge(start, after, &format!("assume ne:i32(%a{register}, {equals}:i32)"));
                self.loc = inside;
                self.statements(body);
                self.edge(self.loc, after, "skip");
                self.loc = after;
            }
            Statement::Twice(body) => {
                let counter = format!("n{}", self.locals.len());
                self.locals.push(format!("{counter}: i32"));
                self.line(&format!("%{counter} = 0:i32"));
                let (head, inside, after) = (self.loc, self.new_loc(), self.new_loc());
                self.edge(head, inside, &format!("assume ult:i32(%{counter}, 2:i32)"));
                self.edge(head, after, &format!("assume not:i1(ult:i32(%{counter}, 2:i32))"));
                self.loc = inside;
                self.statements(body);
                self.edge(self.loc, head, &format!("%{counter} = add:i32(%{counter}, 1:i32)"));
                self.loc = after;
            }
            Statement::While { to, var, equals, body } => {
                let (head, read) = (self.loc, self.new_loc());
                let (inside, after) = (self.new_loc(), self.new_loc());
                self.edge(head, read, &format!("%a{to} = load i32 @x{var} {}", Order::SeqCst.word()));
                self.edge(read, inside, &format!("assume ne:i32(%a{to}, {equals}:i32)"));
                self.edge(read, after, &format!("assume eq:i32(%a{to}, {equals}:i32)"));
                self.loc = inside;
                self.statements(body);
                self.edge(self.loc, head, "skip");
                self.loc = after;
            }
            Statement::Wait { to, var, equals, order } => {
                let (head, read, after) = (self.loc, self.new_loc(), self.new_loc());
                self.edge(head, read, &format!("%a{to} = load i32 @x{var} {}", order.word()));
                self.edge(read, head, &format!("assume ne:i32(%a{to}, {equals}:i32)"));
                self.edge(read, after, &format!("assume eq:i32(%a{to}, {equals}:i32)"));
                self.loc = after;
            }
            Statement::Assume { register, equals } => {
                self.line(&format!("assume eq:i32(%a{register}, {equals}:i32)"));
            }
            Statement::AssertNot { register, equals } => {
                self.line(&format!("assert ne:i32(%a{register}, {equals}:i32), asserted \"bad\""));
            }
        }
    }
}

/// The contents of random tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Maximum number of accesses, over all threads.
    pub accesses: usize,
    /// Whether threads wait, end the run, or have atomic regions: otherwise every run finishes.
    pub ends: bool,
    /// Whether there are loops.
    pub loops: bool,
    /// Whether some threads have loops that end when another one stores something, or never.
    pub endless: bool,
    /// Whether there is an array, with indices that depend on values read.
    pub cells: bool,
}

impl Shape {
    /// Tests in which every run finishes.
    pub const FINITE: Shape = Shape { accesses: 7, ends: false, loops: false, endless: false, cells: false };
}

/// The random test with a seed.
pub fn random(seed: u64, shape: Shape) -> Litmus {
    let mut maker = Maker::new(seed, shape);
    maker.vars = maker.rng.between(if shape.endless { 2 } else { 1 }, VARS);
    let threads = if maker.rng.chance(60) { 2 } else { 3 };
    let mut test = Litmus::default();
    let helps = maker.rng.chance(25);
    let bodies = threads - usize::from(helps);
    for _ in 0..bodies {
        test.threads.push(match shape.endless {
            true => maker.endless_thread(shape.accesses / threads),
            false => maker.thread(shape.accesses / threads),
        });
    }
    if helps {
        test.main = maker.thread(shape.accesses / threads);
    }
    test
}

struct Maker {
    rng: Rng,
    shape: Shape,
    /// The number of accesses that the thread may still make.
    left: usize,
    vars: usize,
    /// The number of registers that the thread has used.
    registers: usize,
    /// Whether it is in an unbounded loop: values must not grow there.
    is_endless: bool,
}

impl Maker {
    fn new(seed: u64, shape: Shape) -> Maker {
        Maker { rng: Rng::new(seed), shape, left: 0, vars: 1, registers: 0, is_endless: false }
    }

    fn thread(&mut self, accesses: usize) -> Vec<Statement> {
        self.left = self.rng.between(1, accesses.max(1));
        self.registers = 0;
        let mut body = Vec::new();
        if self.shape.cells && self.rng.chance(60) {
            // Something is known about an index on one of two paths.
            let register = self.to();
            body.push(Statement::Input { to: register, below: CELLS as u32 });
            body.push(Statement::If { register, equals: self.rng.below(CELLS) as u32, body: vec![self.access()] });
        }
        while self.left > 0 {
            let statement = self.statement(0);
            body.push(statement);
        }
        body
    }

    fn order(&mut self) -> Order {
        *self.rng.pick(&[Order::Plain, Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst])
    }

    fn load_order(&mut self) -> Order {
        *self.rng.pick(&[Order::Plain, Order::Relaxed, Order::Acquire, Order::SeqCst])
    }

    fn store_order(&mut self) -> Order {
        *self.rng.pick(&[Order::Plain, Order::Relaxed, Order::Release, Order::SeqCst])
    }

    fn update_order(&mut self) -> Order {
        *self.rng.pick(&[Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst])
    }

    fn fence_order(&mut self) -> Order {
        *self.rng.pick(&[Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst, Order::SeqCst])
    }

    /// A register to read into: a new one while there are any.
    fn to(&mut self) -> usize {
        self.registers += 1;
        (self.registers - 1).min(REGISTERS - 1)
    }

    /// A register that has been read into.
    fn from(&mut self) -> Option<usize> {
        let used = self.registers.min(REGISTERS);
        (used > 0).then(|| self.rng.below(used))
    }

    fn operand(&mut self) -> Operand {
        match self.from() {
            Some(register) if self.rng.chance(20) => Operand::Register(register),
            Some(_) | None => Operand::Const(self.rng.between(1, 2) as u32),
        }
    }

    fn index(&mut self) -> Operand {
        match self.from() {
            Some(register) if self.rng.chance(60) => Operand::Register(register),
            Some(_) | None => Operand::Const(self.rng.below(CELLS) as u32),
        }
    }

    fn body(&mut self, depth: usize) -> Vec<Statement> {
        (0..self.rng.between(1, 2)).map(|_| self.statement(depth + 1)).collect()
    }

    /// A thread with an unbounded loop, or one that can end it.
    fn endless_thread(&mut self, accesses: usize) -> Vec<Statement> {
        if self.rng.chance(50) {
            let mut body = self.thread(accesses.saturating_sub(1));
            body.push(Statement::Store { var: 0, value: Operand::Const(1), order: Order::SeqCst });
            return body;
        }
        self.registers = 0;
        let mut body = vec![self.access()];
        let to = self.to();
        self.is_endless = true;
        let inside = (0..self.rng.between(1, 2)).map(|_| self.statement(1)).collect();
        self.is_endless = false;
        body.push(Statement::While { to, var: 0, equals: 1, body: inside });
        body
    }

    fn statement(&mut self, depth: usize) -> Statement {
        let chance = self.rng.below(100);
        if depth < 2 {
            match chance {
                0..=5 => {
                    let (mutex, forgets) = (self.rng.below(MUTEXES), self.shape.ends && self.rng.chance(20));
                    return Statement::Locked { mutex, forgets, body: self.body(depth) };
                }
                6..=10 => {
                    if let Some(register) = self.from() {
                        return Statement::If { register, equals: self.rng.below(3) as u32, body: self.body(depth) };
                    }
                }
                90..=96 if self.shape.loops && depth == 0 => return Statement::Twice(self.body(depth)),
                97..=99 if self.shape.loops && self.registers < REGISTERS => {
                    let (to, var) = (self.to(), self.rng.below(self.vars));
                    return Statement::Wait { to, var, equals: self.rng.below(2) as u32, order: self.load_order() };
                }
                11..=13 if self.shape.ends && depth == 0 => return Statement::Atomic(self.region()),
                _ => {}
            }
        }
        match chance {
            14..=15 if self.shape.ends => {
                if let Some(register) = self.from() {
                    return Statement::Assume { register, equals: self.rng.below(3) as u32 };
                }
            }
            16..=20 if self.shape.ends => {
                if let Some(register) = self.from() {
                    return Statement::AssertNot { register, equals: self.rng.below(3) as u32 };
                }
            }
            21..=22 => return Statement::Input { to: self.to(), below: 2 },
            23..=34 => return Statement::Fence(self.fence_order()),
            _ => {}
        }
        self.access()
    }

    /// The contents of an atomic region: nothing in it waits.
    fn region(&mut self) -> Vec<Statement> {
        (0..self.rng.between(1, 3)).map(|_| self.access()).collect()
    }

    fn access(&mut self) -> Statement {
        self.left = self.left.saturating_sub(1);
        if self.shape.cells && self.rng.chance(50) {
            let index = self.index();
            return match self.rng.chance(45) {
                true => Statement::LoadCell { to: self.to(), index, order: self.load_order() },
                false => Statement::StoreCell { index, value: self.operand(), order: self.store_order() },
            };
        }
        let var = self.rng.below(self.vars);
        match self.rng.below(100) {
            0..=37 => Statement::Load { to: self.to(), var, order: self.load_order() },
            38..=79 => Statement::Store { value: self.operand(), var, order: self.store_order() },
            80..=89 => {
                let op = *self.rng.pick(&[RmwOp::Add, RmwOp::Add, RmwOp::Exchange]);
                let op = if self.is_endless { RmwOp::Exchange } else { op };
                Statement::Rmw { value: self.operand(), to: self.to(), op, var, order: self.update_order() }
            }
            _ => Statement::CompareExchange {
                to: self.to(),
                var,
                expected: self.rng.below(3) as u32,
                desired: self.rng.between(1, 2) as u32,
                order: self.update_order(),
                failure: self.load_order_of_failure(),
                weak: self.rng.chance(40),
            },
        }
    }

    fn load_order_of_failure(&mut self) -> Order {
        *self.rng.pick(&[Order::Relaxed, Order::Acquire, Order::SeqCst])
    }

    /// Inserts a seq_cst fence somewhere.
    fn fence_somewhere(&mut self, test: &Litmus) -> Litmus {
        let mut test = test.clone();
        let order = self.order();
        let order = if order == Order::Plain || order == Order::Relaxed { Order::SeqCst } else { order };
        let which = self.rng.below(test.threads.len());
        let place = self.rng.below(test.threads[which].len() + 1);
        test.threads[which].insert(place, Statement::Fence(order));
        test
    }
}

/// The test with one more fence, at a place that the seed decides.
pub fn with_fence(test: &Litmus, seed: u64) -> Litmus {
    Maker::new(seed, Shape::FINITE).fence_somewhere(test)
}
