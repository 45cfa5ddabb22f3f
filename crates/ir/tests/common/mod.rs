//! Random valid programs: every statement, operation and kind of declaration occurs.

// Each test file uses its own part of this.
#![allow(dead_code)]

use base::{Id, IdVec, Span};
use ir::*;

/// A small random number generator (xorshift), determined by its seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    pub(crate) fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }
}

pub(crate) const TYPES: [Type; 9] = [
    Type::Int(1),
    Type::Int(8),
    Type::Int(16),
    Type::Int(32),
    Type::Int(64),
    Type::Int(80),
    Type::Int(128),
    Type::Int(7),
    Type::Ptr,
];

pub(crate) const UNARY: [UnaryOp; 13] = [
    UnaryOp::Not,
    UnaryOp::Neg,
    UnaryOp::PopCount,
    UnaryOp::LeadingZeros,
    UnaryOp::TrailingZeros,
    UnaryOp::SwapBytes,
    UnaryOp::ReverseBits,
    UnaryOp::FloatNeg,
    UnaryOp::FloatAbs,
    UnaryOp::FloatSqrt,
    UnaryOp::FloatFloor,
    UnaryOp::FloatCeil,
    UnaryOp::FloatTrunc,
];

pub(crate) const COMPARES: [FloatCompare; 14] = [
    FloatCompare::Oeq,
    FloatCompare::Ogt,
    FloatCompare::Oge,
    FloatCompare::Olt,
    FloatCompare::Ole,
    FloatCompare::One,
    FloatCompare::Ord,
    FloatCompare::Ueq,
    FloatCompare::Ugt,
    FloatCompare::Uge,
    FloatCompare::Ult,
    FloatCompare::Ule,
    FloatCompare::Une,
    FloatCompare::Uno,
];

pub(crate) const INT_OPS: [BinaryOp; 13] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Udiv,
    BinaryOp::Sdiv,
    BinaryOp::Urem,
    BinaryOp::Srem,
    BinaryOp::Shl,
    BinaryOp::Lshr,
    BinaryOp::Ashr,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
];

pub(crate) const INT_COMPARES: [BinaryOp; 6] =
    [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Ult, BinaryOp::Ule, BinaryOp::Slt, BinaryOp::Sle];

pub(crate) const FLOAT_OPS: [BinaryOp; 5] =
    [BinaryOp::FloatAdd, BinaryOp::FloatSub, BinaryOp::FloatMul, BinaryOp::FloatDiv, BinaryOp::FloatRem];

const NAMES: [&str; 8] =
    ["x", "a.addr", "$tmp", "odd name", "quote\"s", "back\\slash", "line\nbreak\u{7}", "größe – 名"];

fn is_float(ty: Type) -> bool {
    matches!(ty, Type::Int(16 | 32 | 64 | 80 | 128))
}

/// A valid program of about `size` edges per function.
pub(crate) fn program(seed: u64, size: usize) -> Program {
    let mut random = Random::new(seed);
    let data_model = if random.coin() { DataModel::Lp64 } else { DataModel::Ilp32 };
    let files: IdVec<_, _> = ["bank.c", "dir with space/ü.c"].map(str::to_owned).into_iter().collect();
    let objects = random.below(5);
    let functions = 1 + random.below(4);
    let mut program = Program {
        data_model,
        files,
        objects: IdVec::new(),
        functions: (0..functions).map(|index| signature(&mut random, index)).collect(),
        entry: FunctionId::new(0),
        premises: std::collections::BTreeSet::new(),
    };
    program.functions[FunctionId::new(0)].params.clear();
    for index in 0..objects {
        let object = object(&mut random, data_model, index, objects, functions);
        program.objects.push(object);
    }
    for id in program.functions.ids() {
        let edges = body(&mut random, &program, id, size);
        let function = &mut program.functions[id];
        function.locs = edges.1;
        function.exit = LocId::new(edges.1 - 1);
        function.edges = edges.0;
    }
    program
}

fn span(random: &mut Random) -> Span {
    match random.below(4) {
        0 => Span::unknown(),
        1 => Span { file: Id::new(1), line: 0, column: 3 },
        _ => Span { file: Id::new(random.below(2)), line: random.below(100) as u32, column: random.below(9) as u32 },
    }
}

fn object(random: &mut Random, model: DataModel, index: usize, objects: usize, functions: usize) -> Object {
    let size = random.below(40) as u64;
    let initial = if random.below(4) == 0 {
        Initial::Arbitrary
    } else {
        let bytes = (0..random.below(size as usize + 1)).map(|_| random.next() as u8).collect();
        let mut relocations = Vec::new();
        let mut at = random.below(9) as u64;
        while at + model.pointer_bytes() <= size {
            let symbol = if random.coin() {
                Symbol::Object(ObjectId::new(random.below(objects)))
            } else {
                Symbol::Function(FunctionId::new(random.below(functions)))
            };
            let offset = *random.pick(&[0, 8, -8, i64::MAX, i64::MIN]);
            relocations.push(Relocation { at, symbol, offset });
            at += model.pointer_bytes() + random.below(5) as u64;
        }
        Initial::Bytes { bytes, relocations }
    };
    Object {
        name: format!("{}{index}", random.pick(&NAMES)),
        size,
        align: 1 << random.below(5),
        kind: *random.pick(&[ObjectKind::Global, ObjectKind::ThreadLocal, ObjectKind::Constant]),
        is_hidden: random.coin(),
        initial,
        span: span(random),
    }
}

/// A function with two locals of every type, and parameters and results.
fn signature(random: &mut Random, index: usize) -> Function {
    let mut locals = IdVec::new();
    for copy in 0..2 {
        for ty in TYPES {
            locals.push(Local { name: format!("{}{copy}.{ty}", random.pick(&NAMES)), ty });
        }
    }
    let params = match random.below(3) {
        0 => vec![],
        1 => vec![LocalId::new(0), LocalId::new(1)],
        _ => vec![LocalId::new(8), LocalId::new(3)],
    };
    Function {
        name: format!("{}f{index}", random.pick(&NAMES)),
        params,
        returns: (0..random.below(3)).map(|_| *random.pick(&TYPES)).collect(),
        locals,
        locs: 2,
        entry: LocId::new(0),
        exit: LocId::new(1),
        edges: IdVec::new(),
        span: span(random),
    }
}

/// Edges over locations 0 to n, n being the exit.
fn body(random: &mut Random, program: &Program, id: FunctionId, size: usize) -> (IdVec<EdgeId, Edge>, usize) {
    let locs = 2 + random.below(size + 1);
    let exit = locs - 1;
    let mut edges = IdVec::new();
    for from in 0..exit {
        let mut maker = Maker { random, program, function: &program.functions[id] };
        let inside = |random: &mut Random| LocId::new(random.below(exit));
        let from = LocId::new(from);
        if maker.random.below(5) == 0 {
            let cond = maker.expr(Type::BOOL, 3);
            let (yes, no) = (inside(maker.random), inside(maker.random));
            let other = Expr::negate(cond.clone());
            edges.push(Edge { from, to: yes, stmt: Stmt::Assume(cond), span: span(maker.random) });
            edges.push(Edge { from, to: no, stmt: Stmt::Assume(other), span: span(maker.random) });
            continue;
        }
        let stmt = maker.stmt();
        let leaves = matches!(stmt, Stmt::Return(_) | Stmt::ExitThread(_) | Stmt::Exit);
        let to = if leaves { LocId::new(exit) } else { inside(maker.random) };
        edges.push(Edge { from, to, stmt, span: span(maker.random) });
    }
    (edges, locs)
}

struct Maker<'r, 'p> {
    random: &'r mut Random,
    program: &'p Program,
    function: &'p Function,
}

impl Maker<'_, '_> {
    fn size_type(&self) -> Type {
        self.program.data_model.size_type()
    }

    /// One of the two locals of a type.
    fn local(&mut self, ty: Type) -> LocalId {
        let index = TYPES.iter().position(|&other| other == ty).expect("a local of each type should exist");
        LocalId::new(index + TYPES.len() * self.random.below(2))
    }

    fn ty(&mut self) -> Type {
        *self.random.pick(&TYPES)
    }

    fn int_type(&mut self) -> Type {
        TYPES[self.random.below(8)]
    }

    fn ptr(&mut self) -> Expr {
        self.expr(Type::Ptr, 2)
    }

    fn size(&mut self) -> Expr {
        self.expr(self.size_type(), 2)
    }

    fn claim(&mut self) -> Claim {
        const CLAIMS: [&str; 20] = [
            "uncalled reach_error",
            "uncalled __VERIFIER_error",
            "uncalled abort",
            "ends-well",
            "no-fatal-error",
            "invariant 12",
            "destroyed-idle barrier",
            "initialised-free",
            "not-destroyed once",
            "unlocked-by-holder rwlock",
            "tried-by-others",
            "shared-once",
            "unlocked-as-written",
            "unlocked-as-read",
            "one-mutex",
            "room spinlock",
            "format-apart",
            "copy-apart",
            "made-by aligned-new-array",
            "size-of-block",
        ];
        match self.random.below(24) {
            0..=2 => Claim::Asserted { text: self.text(), is_library: self.random.coin() },
            3 => Claim::ConstUnwritten,
            _ => self.random.pick(&CLAIMS).parse().expect("a claim"),
        }
    }

    fn awaited(&mut self) -> Awaited {
        self.random.pick(&["mutex", "condition", "departure barrier", "semaphore"]).parse().expect("what is awaited")
    }

    fn unmodelled(&mut self) -> Unmodelled {
        match self.random.below(4) {
            0 => Unmodelled::Call(self.text()),
            1 => Unmodelled::BytesWritten(SyncObject::Mutex),
            2 => Unmodelled::BytesCopied(SyncObject::Condition),
            _ => Unmodelled::Other(self.text()),
        }
    }

    fn text(&mut self) -> String {
        (*self.random.pick(&NAMES)).to_owned()
    }

    fn float_width(&mut self) -> Type {
        Type::Int(*self.random.pick(&[16, 32, 64, 80, 128]))
    }

    fn expr(&mut self, ty: Type, depth: usize) -> Expr {
        if depth == 0 || self.random.below(4) == 0 {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        match (self.random.below(7), ty) {
            (0, _) => {
                let cond = self.expr(Type::BOOL, depth);
                Expr::select(cond, self.expr(ty, depth), self.expr(ty, depth))
            }
            (1 | 2, Type::Ptr) => Expr::offset(self.expr(Type::Ptr, depth), self.expr(self.size_type(), depth)),
            (3, Type::Ptr) => Expr::cast(CastOp::IntToPtr, self.size_type(), ty, self.expr(self.size_type(), depth)),
            (4, Type::Ptr) => Expr::Ghost(Box::new(self.expr(Type::Ptr, depth))),
            (_, Type::Ptr) => self.leaf(ty),
            (1, Type::BOOL) => self.comparison(depth),
            (2, ty) if ty == self.size_type() => {
                if self.random.coin() {
                    return Expr::cast(CastOp::PtrToInt, Type::Ptr, ty, self.expr(Type::Ptr, depth));
                }
                Expr::binary(BinaryOp::Sub, Type::Ptr, self.expr(Type::Ptr, depth), self.expr(Type::Ptr, depth))
            }
            (1..=3, Type::Int(width)) => self.cast(width, depth),
            (4, ty) => self.unary(ty, depth),
            (_, ty) => {
                let op = if is_float(ty) && self.random.coin() {
                    *self.random.pick(&FLOAT_OPS)
                } else {
                    *self.random.pick(&INT_OPS)
                };
                Expr::binary(op, ty, self.expr(ty, depth), self.expr(ty, depth))
            }
        }
    }

    fn leaf(&mut self, ty: Type) -> Expr {
        match (self.random.below(4), ty) {
            (0 | 1, ty) => Expr::Local(self.local(ty)),
            (2, Type::Ptr) => match self.random.below(2) {
                0 => Expr::Function(FunctionId::new(self.random.below(self.program.functions.len()))),
                _ if self.program.objects.is_empty() => Expr::Null,
                _ => Expr::Object(ObjectId::new(self.random.below(self.program.objects.len()))),
            },
            (_, Type::Ptr) => Expr::Null,
            (2, ty) if ty == self.size_type() => Expr::SelfThread,
            (_, Type::Int(width)) => {
                let value = if self.random.coin() { self.random.wide() } else { u128::from(self.random.next() % 3) };
                Expr::int(width, value)
            }
        }
    }

    fn comparison(&mut self, depth: usize) -> Expr {
        match self.random.below(3) {
            0 => {
                let op = *self.random.pick(&INT_COMPARES[..4]);
                Expr::binary(op, Type::Ptr, self.expr(Type::Ptr, depth), self.expr(Type::Ptr, depth))
            }
            1 => {
                let (op, ty) = (BinaryOp::Float(*self.random.pick(&COMPARES)), self.float_width());
                Expr::binary(op, ty, self.expr(ty, depth), self.expr(ty, depth))
            }
            _ => {
                let (op, ty) = (*self.random.pick(&INT_COMPARES), self.int_type());
                Expr::binary(op, ty, self.expr(ty, depth), self.expr(ty, depth))
            }
        }
    }

    fn unary(&mut self, ty: Type, depth: usize) -> Expr {
        let mut op = *self.random.pick(&UNARY);
        let is_bytes = matches!(ty, Type::Int(width) if width.is_multiple_of(8));
        if (op == UnaryOp::SwapBytes && !is_bytes) || (op >= UnaryOp::FloatNeg && !is_float(ty)) {
            op = UnaryOp::Not;
        }
        Expr::unary(op, ty, self.expr(ty, depth))
    }

    fn cast(&mut self, to: u16, depth: usize) -> Expr {
        let from = self.int_type();
        let Type::Int(width) = from else { unreachable!("an integer type should have a width") };
        let (to, from_float, to_float) = (Type::Int(to), is_float(from), is_float(Type::Int(to)));
        let op = match self.random.below(4) {
            0 if from_float && to_float => CastOp::FloatToFloat,
            1 if from_float => *self.random.pick(&[CastOp::FloatToSigned, CastOp::FloatToUnsigned]),
            2 if to_float => *self.random.pick(&[CastOp::SignedToFloat, CastOp::UnsignedToFloat]),
            _ if Type::Int(width) <= to => *self.random.pick(&[CastOp::Zext, CastOp::Sext]),
            _ => CastOp::Trunc,
        };
        Expr::cast(op, from, to, self.expr(from, depth))
    }

    fn callee(&mut self) -> (Callee, Vec<Expr>, Option<Vec<Type>>) {
        let mut args = Vec::new();
        if self.random.below(3) == 0 {
            for _ in 0..self.random.below(3) {
                let ty = self.ty();
                args.push(self.expr(ty, 2));
            }
            return (Callee::Indirect(self.ptr()), args, None);
        }
        let id = FunctionId::new(self.random.below(self.program.functions.len()));
        let callee = &self.program.functions[id];
        for &param in callee.params.iter().take(self.random.below(3)) {
            args.push(self.expr(callee.locals[param].ty, 2));
        }
        (Callee::Direct(id), args, Some(callee.returns.clone()))
    }

    fn call(&mut self) -> Stmt {
        let (callee, args, returns) = self.callee();
        let types = returns.unwrap_or_else(|| vec![Type::Int(32)]);
        let mut dsts: Vec<LocalId> = types.iter().map(|&ty| self.local(ty)).collect();
        let is_distinct = dsts.windows(2).all(|pair| pair[0] != pair[1]);
        if !is_distinct || self.random.coin() {
            dsts.clear();
        }
        Stmt::Call { dsts, callee, args }
    }

    fn stmt(&mut self) -> Stmt {
        let ty = self.ty();
        let bit = Type::BOOL;
        match self.random.below(30) {
            0 => Stmt::Skip,
            1 | 2 => Stmt::Assign { dst: self.local(ty), value: self.expr(ty, 5) },
            3 => Stmt::Havoc { dst: self.local(ty), below: None },
            4 => {
                let ty = self.int_type();
                let below = self.expr(ty, 2);
                let is_zero = matches!(below, Expr::Int { value: 0, .. });
                Stmt::Havoc { dst: self.local(ty), below: if is_zero { None } else { Some(below) } }
            }
            5 => Stmt::Assume(self.expr(bit, 3)),
            6 => Stmt::Assert { cond: self.expr(bit, 3), claim: self.claim(), is_defined: self.random.coin() },
            7 | 8 => {
                let order = *self.random.pick(&[Order::Plain, Order::Relaxed, Order::Acquire, Order::SeqCst]);
                let access = Access { order, volatile: self.random.coin() };
                Stmt::Load { dst: self.local(ty), ty, ptr: self.ptr(), access }
            }
            9 | 10 => {
                let order = *self.random.pick(&[Order::Plain, Order::Relaxed, Order::Release, Order::SeqCst]);
                let access = Access { order, volatile: self.random.coin() };
                Stmt::Store { ty, ptr: self.ptr(), value: self.expr(ty, 3), access }
            }
            11 => self.rmw(),
            12 => self.compare_exchange(),
            13 => Stmt::Fence(*self.random.pick(&[Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst])),
            14 => Stmt::Copy { dst: self.ptr(), src: self.ptr(), len: self.size(), disjoint: self.random.coin() },
            15 => Stmt::Set { dst: self.ptr(), byte: self.expr(Type::Int(8), 2), len: self.size() },
            16 => Stmt::Alloc {
                dst: self.local(Type::Ptr),
                size: self.size(),
                align: 1 << self.random.below(6),
                kind: *self.random.pick(&[AllocKind::Stack, AllocKind::Heap]),
                zeroed: self.random.coin(),
                name: self.text(),
            },
            17 => Stmt::Free { ptr: self.ptr() },
            18 => self.call(),
            19 => {
                let returns = self.function.returns.clone();
                Stmt::Return(returns.into_iter().map(|ty| self.expr(ty, 2)).collect())
            }
            20 => Stmt::NewThread { dst: self.local(self.size_type()) },
            21 => {
                let (callee, args, _) = self.callee();
                Stmt::Spawn { thread: self.size(), callee, args }
            }
            22 => {
                let dst = if self.random.coin() { Some(self.local(ty)) } else { None };
                Stmt::Join { dst, thread: self.size() }
            }
            23 => Stmt::Detach { thread: self.size() },
            24 => Stmt::ExitThread(self.expr(ty, 2)),
            25 => Stmt::Lock { ptr: self.ptr() },
            26 => Stmt::Unlock { ptr: self.ptr() },
            27 => self.wait(),
            28 => {
                let is_fence = self.random.below(2) == 0;
                let ends = [Stmt::AtomicBegin { is_fence }, Stmt::AtomicEnd { is_fence }, Stmt::Exit];
                self.random.pick(&ends).clone()
            }
            _ => Stmt::Unmodelled(self.unmodelled()),
        }
    }

    fn rmw(&mut self) -> Stmt {
        use RmwOp::*;
        let op = *self.random.pick(&[Exchange, Add, Sub, And, Nand, Or, Xor, Max, Min, UnsignedMax, UnsignedMin]);
        let ty = if op == Exchange { self.ty() } else { self.int_type() };
        let orders = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];
        let order = *self.random.pick(&orders);
        Stmt::Rmw { dst: self.local(ty), op, ty, ptr: self.ptr(), value: self.expr(ty, 2), order }
    }

    fn compare_exchange(&mut self) -> Stmt {
        let ty = Type::Int(32);
        Stmt::CompareExchange {
            old: self.local(ty),
            success: self.local(Type::BOOL),
            ty,
            ptr: self.ptr(),
            expected: self.expr(ty, 2),
            desired: self.expr(ty, 2),
            order: *self.random.pick(&[Order::Relaxed, Order::AcqRel, Order::SeqCst]),
            failure: *self.random.pick(&[Order::Relaxed, Order::Acquire, Order::SeqCst]),
            weak: self.random.coin(),
        }
    }

    fn wait(&mut self) -> Stmt {
        let ty = Type::Int(*self.random.pick(&[32, 64]));
        let spurious = if self.random.coin() { Some(self.local(Type::BOOL)) } else { None };
        Stmt::Await {
            dst: self.local(ty),
            ty,
            ptr: self.ptr(),
            ready: self.expr(Type::BOOL, 3),
            update: if self.random.coin() { Some(self.expr(ty, 3)) } else { None },
            timeout: spurious.is_some() && self.random.coin(),
            spurious,
            awaited: self.awaited(),
        }
    }
}
