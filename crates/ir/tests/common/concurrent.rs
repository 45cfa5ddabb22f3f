//! Random small multithreaded programs, for comparing the analyses with runs: pointers that travel through globals,
//! heap, arguments, integers and helpers; wrappers around spawn and lock; indirect calls.

use super::Random;
use base::{Id, IdVec, Span};
use ir::*;

const PTR: Type = Type::Ptr;
const INT: Type = Type::Int(64);

/// Locals of every function, at these indices: a parameter, pointers, integers and a flag.
const PARAM: usize = 0;
const POINTERS: std::ops::Range<usize> = 0..4;
const INTS: std::ops::Range<usize> = 4..7;
const FLAG: usize = 7;
/// Objects: globals, one per thread, mutexes, and a table of functions.
const GLOBALS: usize = 4;
const OWN: usize = 4;
const MUTEXES: std::ops::Range<usize> = 5..7;
const TABLE: usize = 7;
/// Functions: main, workers, helpers, then wrappers.
const WORKERS: std::ops::Range<usize> = 1..4;
const HELPERS: std::ops::Range<usize> = 4..6;
const CREATE: usize = 6;
const LOCK: usize = 7;
const UNLOCK: usize = 8;

fn local(index: usize) -> Expr {
    Expr::Local(LocalId::new(index))
}

fn object(index: usize) -> Expr {
    Expr::Object(ObjectId::new(index))
}

fn function(index: usize) -> Expr {
    Expr::Function(FunctionId::new(index))
}

/// A program from a seed.
pub(crate) fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut program = Program {
        data_model: DataModel::Lp64,
        files: IdVec::new(),
        objects: IdVec::new(),
        functions: IdVec::new(),
        entry: FunctionId::new(0),
        premises: std::collections::BTreeSet::new(),
    };
    for index in 0..8 {
        let name = ["g0", "g1", "g2", "g3", "own", "m0", "m1", "table"][index].to_owned();
        let mut relocations = Vec::new();
        if index == TABLE {
            for (slot, helper) in HELPERS.enumerate() {
                let symbol = Symbol::Function(FunctionId::new(helper));
                relocations.push(Relocation { at: 8 * slot as u64, symbol, offset: 0 });
            }
        } else if index < GLOBALS && random.below(3) == 0 {
            let symbol = Symbol::Object(ObjectId::new(random.below(GLOBALS)));
            relocations.push(Relocation { at: 8, symbol, offset: 0 });
        }
        let kind = if index == OWN { ObjectKind::ThreadLocal } else { ObjectKind::Global };
        let initial = Initial::Bytes { bytes: vec![], relocations };
        program.objects.push(Object {
            name,
            size: 16,
            align: 8,
            kind,
            is_hidden: false,
            initial,
            span: Span::unknown(),
        });
    }
    let mut main = Maker::new(&mut random, "main");
    main.params.clear();
    main.main_body();
    program.functions.push(main.finish(vec![]));
    for index in WORKERS {
        let mut maker = Maker::new(&mut random, &format!("worker{index}"));
        maker.worker_body();
        program.functions.push(maker.finish(vec![local(1)]));
    }
    for index in HELPERS {
        let mut maker = Maker::new(&mut random, &format!("helper{index}"));
        maker.helper_body();
        program.functions.push(maker.finish(vec![local(2)]));
    }
    program.functions.push(create(&mut random));
    for name in ["lock", "unlock"] {
        let mut maker = Maker::new(&mut random, name);
        let ptr = Expr::Ghost(Box::new(local(PARAM)));
        maker.stmts.push(if name == "lock" { Stmt::Lock { ptr } } else { Stmt::Unlock { ptr } });
        program.functions.push(maker.finish(vec![]));
    }
    program
}

/// `create(slot, function, argument)`.
fn create(random: &mut Random) -> Function {
    let mut maker = Maker::new(random, "create");
    maker.params = vec![LocalId::new(0), LocalId::new(1), LocalId::new(2)];
    let number = LocalId::new(INTS.start);
    maker.stmts.push(Stmt::NewThread { dst: number });
    let value = Expr::Local(number);
    maker.stmts.push(Stmt::Store { ty: INT, ptr: local(0), value: value.clone(), access: Access::PLAIN });
    maker.stmts.push(Stmt::Spawn { thread: value, callee: Callee::Indirect(local(1)), args: vec![local(2)] });
    maker.finish(vec![])
}

struct Maker<'r> {
    random: &'r mut Random,
    name: String,
    params: Vec<LocalId>,
    stmts: Vec<Stmt>,
    branches: Vec<(usize, usize)>,
}

impl<'r> Maker<'r> {
    fn new(random: &'r mut Random, name: &str) -> Self {
        let params = vec![LocalId::new(PARAM)];
        Maker { random, name: name.to_owned(), params, stmts: Vec::new(), branches: Vec::new() }
    }

    fn finish(self, returned: Vec<Expr>) -> Function {
        let mut locals = IdVec::new();
        for index in 0..FLAG + 1 {
            let ty = match index {
                FLAG => Type::BOOL,
                index if INTS.contains(&index) => INT,
                _ => PTR,
            };
            locals.push(Local { name: format!("v{index}"), ty });
        }
        let exit = self.stmts.len() + 1;
        let mut edges = IdVec::new();
        let mut push = |from, to, stmt| {
            edges.push(Edge { from: LocId::new(from), to: LocId::new(to), stmt, span: Span::unknown() });
        };
        for (index, stmt) in self.stmts.iter().enumerate() {
            match self.branches.iter().find(|(at, _)| *at == index) {
                Some(&(_, target)) => {
                    push(index, index + 1, Stmt::Assume(local(FLAG)));
                    push(index, target.min(exit - 1), Stmt::Assume(Expr::negate(local(FLAG))));
                }
                None => push(index, index + 1, stmt.clone()),
            }
        }
        let returns = returned.iter().map(|_| PTR).collect();
        push(exit - 1, exit, Stmt::Return(returned));
        Function {
            name: self.name,
            params: self.params,
            returns,
            locals,
            locs: exit + 1,
            entry: LocId::new(0),
            exit: LocId::new(exit),
            edges,
            span: Span::unknown(),
        }
    }

    fn any_pointer(&mut self) -> usize {
        POINTERS.start + self.random.below(POINTERS.len())
    }

    fn any_int(&mut self) -> usize {
        INTS.start + self.random.below(INTS.len())
    }

    /// A pointer that is often valid.
    fn pointer(&mut self) -> Expr {
        match self.random.below(12) {
            0 => object(OWN),
            1 => Expr::offset(local(self.any_pointer()), Expr::int(64, 8)),
            2 => {
                let base = object(self.random.below(GLOBALS));
                Expr::select(local(FLAG), base, local(self.any_pointer()))
            }
            3..=6 => object(self.random.below(GLOBALS)),
            7 => Expr::offset(object(self.random.below(GLOBALS)), Expr::int(64, 8)),
            _ => local(self.any_pointer()),
        }
    }

    fn assign(&mut self, dst: usize, value: Expr) {
        self.stmts.push(Stmt::Assign { dst: LocalId::new(dst), value });
    }

    /// Initialises the pointers, so that few runs end at once.
    fn begin(&mut self, keeps_param: bool) {
        for dst in POINTERS {
            if dst == PARAM && keeps_param {
                continue;
            }
            match self.random.below(4) {
                0 => self.alloc(dst),
                1 if keeps_param => self.assign(dst, local(PARAM)),
                _ => {
                    let value = object(self.random.below(GLOBALS));
                    self.assign(dst, value);
                }
            }
        }
    }

    fn alloc(&mut self, dst: usize) {
        let kind = *self.random.pick(&[AllocKind::Stack, AllocKind::Heap]);
        let (dst, size, name) = (LocalId::new(dst), Expr::int(64, 16), "site".to_owned());
        self.stmts.push(Stmt::Alloc { dst, size, align: 8, kind, zeroed: true, name });
    }

    fn access(&mut self) {
        let ptr = self.pointer();
        let access = Access::PLAIN;
        match self.random.below(8) {
            0 => {
                let dst = LocalId::new(self.any_pointer());
                self.stmts.push(Stmt::Load { dst, ty: PTR, ptr, access });
            }
            1 | 2 => {
                let value = self.pointer();
                self.stmts.push(Stmt::Store { ty: PTR, ptr, value, access });
            }
            3 => {
                let (dst, value) = (LocalId::new(self.any_int()), local(self.any_int()));
                let order = Order::SeqCst;
                self.stmts.push(Stmt::Rmw { dst, op: RmwOp::Exchange, ty: INT, ptr, value, order });
            }
            4 | 5 => {
                let dst = LocalId::new(self.any_int());
                self.stmts.push(Stmt::Load { dst, ty: INT, ptr, access });
            }
            6 => {
                let value = local(self.any_int());
                self.stmts.push(Stmt::Store { ty: INT, ptr, value, access });
            }
            _ => {
                let src = self.pointer();
                self.stmts.push(Stmt::Copy { dst: ptr, src, len: Expr::int(64, 8), disjoint: false });
            }
        }
    }

    fn compute(&mut self) {
        match self.random.below(7) {
            0 => {
                let (dst, value) = (self.any_pointer(), self.pointer());
                self.assign(dst, value);
            }
            1 => {
                // Often stored at once, to be read as a pointer elsewhere.
                let (dst, value) = (self.any_int(), local(self.any_pointer()));
                self.assign(dst, Expr::cast(CastOp::PtrToInt, PTR, INT, value));
                if self.random.coin() {
                    let (ptr, value) = (object(self.random.below(GLOBALS)), local(dst));
                    self.stmts.push(Stmt::Store { ty: INT, ptr, value, access: Access::PLAIN });
                }
            }
            2 => {
                let (dst, value) = (self.any_int(), local(self.any_int()));
                let other = if self.random.coin() { Expr::int(64, 8) } else { Expr::int(64, 0) };
                self.assign(dst, Expr::binary(BinaryOp::Add, INT, value, other));
            }
            3 if self.random.below(4) == 0 => {
                let (dst, value) = (self.any_pointer(), local(self.any_int()));
                self.assign(dst, Expr::cast(CastOp::IntToPtr, INT, PTR, value));
            }
            4 => {
                let dst = self.any_pointer();
                self.alloc(dst);
            }
            5 if self.random.below(3) == 0 => {
                let ptr = local(self.any_pointer());
                self.stmts.push(Stmt::Free { ptr });
            }
            _ => {
                self.stmts.push(Stmt::Havoc { dst: LocalId::new(FLAG), below: None });
                let from = self.stmts.len();
                let to =
                    if self.random.below(4) == 0 { self.random.below(from) } else { from + 1 + self.random.below(5) };
                self.branches.push((from, to));
                self.stmts.push(Stmt::Skip);
            }
        }
    }

    fn call(&mut self) {
        let dst = LocalId::new(self.any_pointer());
        let args = vec![self.pointer()];
        let callee = if self.random.coin() {
            Callee::Direct(FunctionId::new(HELPERS.start + self.random.below(HELPERS.len())))
        } else {
            let slot = Expr::offset(object(TABLE), Expr::int(64, 8 * self.random.below(2) as u128));
            self.stmts.push(Stmt::Load { dst, ty: PTR, ptr: slot, access: Access::PLAIN });
            Callee::Indirect(Expr::Local(dst))
        };
        self.stmts.push(Stmt::Call { dsts: vec![dst], callee, args });
    }

    fn locked(&mut self) {
        let mutex = MUTEXES.start + self.random.below(MUTEXES.len());
        let call = |function, object| Stmt::Call {
            dsts: vec![],
            callee: Callee::Direct(FunctionId::new(function)),
            args: vec![object],
        };
        let direct = self.random.coin();
        let is_dynamic = direct && self.random.below(3) == 0;
        let owner = if is_dynamic { local(self.any_pointer()) } else { object(mutex) };
        let cell = Expr::Ghost(Box::new(owner));
        self.stmts.push(if direct { Stmt::Lock { ptr: cell.clone() } } else { call(LOCK, object(mutex)) });
        for _ in 0..1 + self.random.below(3) {
            self.access();
        }
        if self.random.below(6) > 0 {
            self.stmts.push(if direct { Stmt::Unlock { ptr: cell } } else { call(UNLOCK, object(mutex)) });
        }
    }

    fn spawn(&mut self) {
        let worker = WORKERS.start + self.random.below(WORKERS.len());
        let argument = self.pointer();
        if self.random.coin() {
            // A slot that little else writes to.
            let slot = Expr::offset(object(MUTEXES.start), Expr::int(64, 8 * self.random.below(2) as u128));
            let callee = Callee::Direct(FunctionId::new(CREATE));
            self.stmts.push(Stmt::Call { dsts: vec![], callee, args: vec![slot.clone(), function(worker), argument] });
            if self.random.coin() {
                let number = LocalId::new(self.any_int());
                self.stmts.push(Stmt::Load { dst: number, ty: INT, ptr: slot, access: Access::PLAIN });
                self.join(number);
            }
        } else {
            let number = LocalId::new(self.any_int());
            self.stmts.push(Stmt::NewThread { dst: number });
            let callee = Callee::Direct(FunctionId::new(worker));
            self.stmts.push(Stmt::Spawn { thread: Expr::Local(number), callee, args: vec![argument] });
            if self.random.coin() {
                for _ in 0..self.random.below(3) {
                    self.access();
                }
                self.join(number);
            }
        }
    }

    fn join(&mut self, number: LocalId) {
        let dst = if self.random.coin() { Some(LocalId::new(self.any_pointer())) } else { None };
        self.stmts.push(Stmt::Join { dst, thread: Expr::Local(number) });
    }

    fn main_body(&mut self) {
        self.begin(false);
        for _ in 0..self.random.below(4) {
            self.access();
        }
        for _ in 0..1 + self.random.below(3) {
            self.spawn();
            self.some(3);
        }
        self.some(6);
    }

    fn worker_body(&mut self) {
        self.begin(true);
        self.some(8);
        if self.random.below(4) == 0 {
            self.spawn();
            self.some(3);
        }
    }

    fn helper_body(&mut self) {
        self.begin(true);
        self.some(4);
    }

    fn some(&mut self, count: usize) {
        for _ in 0..self.random.below(count + 1) {
            match self.random.below(10) {
                0..=4 => self.access(),
                5 | 6 => self.compute(),
                7 if !self.name.starts_with("helper") => self.call(),
                8 => self.locked(),
                _ => self.access(),
            }
        }
    }
}
