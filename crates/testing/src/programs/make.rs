//! The generator's vocabulary: settings, and how single statements are made. The shapes combine them.

use super::ast::{Expr, Op, Place, Program, Stmt, Thread, Var};
use super::rng::Rng;
use super::{mutate, shapes};
use ir::{Order, RmwOp};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// A feature that programs may contain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Feature {
    Atomics,
    Fences,
    Loops,
    Locks,
    ReadWriteLocks,
    Conditions,
    Semaphores,
    Arrays,
    Pointers,
    Functions,
    Regions,
    Inputs,
    Spins,
    Blocking,
}

impl Feature {
    /// All features.
    pub const ALL: [Feature; 14] = [
        Feature::Atomics,
        Feature::Fences,
        Feature::Loops,
        Feature::Locks,
        Feature::ReadWriteLocks,
        Feature::Conditions,
        Feature::Semaphores,
        Feature::Arrays,
        Feature::Pointers,
        Feature::Functions,
        Feature::Regions,
        Feature::Inputs,
        Feature::Spins,
        Feature::Blocking,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Feature::Atomics => "atomics",
            Feature::Fences => "fences",
            Feature::Loops => "loops",
            Feature::Locks => "locks",
            Feature::ReadWriteLocks => "rwlocks",
            Feature::Conditions => "conditions",
            Feature::Semaphores => "semaphores",
            Feature::Arrays => "arrays",
            Feature::Pointers => "pointers",
            Feature::Functions => "functions",
            Feature::Regions => "regions",
            Feature::Inputs => "inputs",
            Feature::Spins => "spins",
            Feature::Blocking => "blocking",
        }
    }
}

impl FromStr for Feature {
    type Err = String;
    fn from_str(text: &str) -> Result<Feature, String> {
        let known = || Feature::ALL.map(Feature::name).join(", ");
        let found = Feature::ALL.into_iter().find(|feature| feature.name() == text);
        found.ok_or_else(|| format!("`{text}` is not one of {}", known()))
    }
}

/// The settings of programs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// From 1: the limit on combinations of the threads' positions grows with it.
    pub size: u32,
    /// The features they may contain.
    pub features: BTreeSet<Feature>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { size: 3, features: BTreeSet::from(Feature::ALL) }
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--size {}", self.size)?;
        if self.features.len() != Feature::ALL.len() {
            let names: Vec<&str> = self.features.iter().map(|feature| feature.name()).collect();
            write!(f, " --features {}", names.join(","))?;
        }
        Ok(())
    }
}

impl Settings {
    /// The bound on [`Program::estimate`].
    pub fn limit(&self) -> u64 {
        60 << self.size.min(12)
    }

    /// Whether programs may contain a feature.
    pub fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }
}

/// The program with this seed.
pub fn generate(seed: u64, settings: &Settings) -> Program {
    let mut maker = Maker::new(seed, settings);
    shapes::build(&mut maker);
    let rounds = maker.rng.below(4);
    for _ in 0..rounds {
        mutate::mutate(&mut maker);
    }
    mutate::trim(&mut maker);
    maker.program
}

/// The typical memory orders of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flavour {
    Plain,
    Relaxed,
    ReleaseAcquire,
    SeqCst,
    Mixed,
}

/// A program under construction.
pub(super) struct Maker<'s> {
    pub(super) rng: Rng,
    pub(super) settings: &'s Settings,
    pub(super) program: Program,
    flavour: Flavour,
    /// The last constant stored, so that stores of one program are distinguishable.
    last_value: i32,
}

impl<'s> Maker<'s> {
    fn new(seed: u64, settings: &'s Settings) -> Maker<'s> {
        let mut rng = Rng::new(seed);
        let flavours = [
            Flavour::Plain,
            Flavour::Relaxed,
            Flavour::ReleaseAcquire,
            Flavour::SeqCst,
            Flavour::Mixed,
            Flavour::Mixed,
        ];
        let flavour = if settings.has(Feature::Atomics) { *rng.pick(&flavours) } else { Flavour::Plain };
        let (sync_spelling, is_packed) = (rng.chance(30), rng.chance(20));
        let program = Program { sync_spelling, is_packed, ..Program::default() };
        Maker { rng, settings, program, flavour, last_value: 0 }
    }

    pub(super) fn has(&self, feature: Feature) -> bool {
        self.settings.has(feature)
    }

    /// Declares `count` integers and returns their indices.
    pub(super) fn ints(&mut self, count: usize) -> Vec<usize> {
        (0..count).map(|_| self.int()).collect()
    }

    /// Declares `count` integers, initially 0.
    pub(super) fn ints_at_zero(&mut self, count: usize) {
        for _ in 0..count {
            let atomic = self.has(Feature::Atomics) && self.rng.chance(20);
            self.declare(Var::Int { init: 0, atomic });
        }
    }

    /// Declares an integer.
    pub(super) fn int(&mut self) -> usize {
        let atomic = self.has(Feature::Atomics) && self.rng.chance(20);
        let init = if self.rng.chance(10) { 1 } else { 0 };
        self.declare(Var::Int { init, atomic })
    }

    pub(super) fn declare(&mut self, var: Var) -> usize {
        self.program.vars.push(var);
        self.program.vars.len() - 1
    }

    /// Adds a thread that is joined.
    pub(super) fn thread(&mut self, body: Vec<Stmt>) -> usize {
        self.program.threads.push(Thread { body, result: None, joined: true });
        self.program.threads.len() - 1
    }

    fn order(&mut self, acquire_or_release: Order, orders: &[Order]) -> Order {
        match self.flavour {
            Flavour::Plain => Order::Plain,
            Flavour::Relaxed => Order::Relaxed,
            Flavour::ReleaseAcquire => acquire_or_release,
            Flavour::SeqCst => Order::SeqCst,
            Flavour::Mixed => *self.rng.pick(orders),
        }
    }

    pub(super) fn load_order(&mut self) -> Order {
        self.order(Order::Acquire, &[Order::Plain, Order::Relaxed, Order::Acquire, Order::SeqCst])
    }

    pub(super) fn store_order(&mut self) -> Order {
        self.order(Order::Release, &[Order::Plain, Order::Relaxed, Order::Release, Order::SeqCst])
    }

    /// An order for a read-modify-write, which is never plain.
    pub(super) fn rmw_order(&mut self) -> Order {
        let all = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];
        match self.flavour {
            Flavour::Plain | Flavour::Mixed => *self.rng.pick(&all),
            Flavour::Relaxed => Order::Relaxed,
            Flavour::ReleaseAcquire => Order::AcqRel,
            Flavour::SeqCst => Order::SeqCst,
        }
    }

    /// A constant that no other store of the program writes, while there are few.
    pub(super) fn value(&mut self) -> i32 {
        self.last_value = if self.last_value >= 3 { 1 } else { self.last_value + 1 };
        self.last_value
    }

    /// `dst = place`.
    pub(super) fn load(&mut self, dst: usize, place: Place) -> Stmt {
        let order = self.load_order();
        Stmt::Load { dst, place, order }
    }

    /// `place = value`.
    pub(super) fn store(&mut self, place: Place, value: i32) -> Stmt {
        let order = self.store_order();
        Stmt::Store { place, value: Expr::Const(value), order }
    }

    /// A read-modify-write, or a compare-exchange from `expected`. Without atomics: an increment.
    pub(super) fn rmw(&mut self, dst: usize, place: Place) -> Stmt {
        if !self.has(Feature::Atomics) {
            return Stmt::Increment { place };
        }
        let order = self.rmw_order();
        if self.rng.chance(30) {
            let (expected, desired) = (self.rng.below(2) as i32, Expr::Const(self.value()));
            let failure = *self.rng.pick(&[Order::Relaxed, Order::Acquire, Order::SeqCst]);
            let weak = self.rng.chance(25);
            return Stmt::CompareExchange { dst, place, expected, desired, order, failure, weak };
        }
        let op = *self.rng.pick(&[
            RmwOp::Add,
            RmwOp::Add,
            RmwOp::Add,
            RmwOp::Exchange,
            RmwOp::Sub,
            RmwOp::Or,
            RmwOp::And,
            RmwOp::Xor,
        ]);
        let dst = if self.rng.chance(70) { Some(dst) } else { None };
        Stmt::Rmw { dst, op, place, value: Expr::Const(1), order }
    }

    /// An addition of 1 that keeps the old value.
    pub(super) fn fetch_add(&mut self, dst: usize, place: Place) -> Stmt {
        if !self.has(Feature::Atomics) {
            return Stmt::Increment { place };
        }
        let order = self.rmw_order();
        Stmt::Rmw { dst: Some(dst), op: RmwOp::Add, place, value: Expr::Const(1), order }
    }

    /// A fence, mostly seq_cst, or a call that is not one.
    pub(super) fn fence(&mut self) -> Stmt {
        if self.rng.chance(60) {
            Stmt::Fence(Order::SeqCst)
        } else {
            let [acquire, release, both] = [Order::Acquire, Order::Release, Order::AcqRel].map(Stmt::Fence);
            self.rng.pick(&[acquire, release, both, Stmt::Free]).clone()
        }
    }

    /// Any declared `int` place: a variable, an element or the target of a pointer.
    pub(super) fn place(&mut self) -> Place {
        let var = self.rng.below(self.program.vars.len());
        match self.program.vars[var] {
            Var::Int { .. } => Place::Var(var),
            Var::Array { len } => Place::Element(var, self.index(len)),
            Var::Pointer { .. } => Place::Deref(var),
        }
    }

    /// An index of an array: a constant, a local or a loop counter.
    fn index(&mut self, len: usize) -> Expr {
        match self.rng.below(4) {
            0 => Expr::Local(self.rng.below(2)),
            1 => Expr::Counter(0),
            _ => Expr::Const(self.rng.below(len) as i32),
        }
    }

    /// An access to a random place that uses the locals 0 to 2.
    pub(super) fn access(&mut self) -> Stmt {
        let place = self.place();
        let dst = self.rng.below(3);
        match self.rng.below(10) {
            0..=3 => self.load(dst, place),
            4..=5 => {
                let value = self.value();
                self.store(place, value)
            }
            6 => {
                let value = Expr::binary(Op::Add, Expr::Local(self.rng.below(3)), Expr::Const(1));
                let order = self.store_order();
                Stmt::Store { place, value, order }
            }
            7 => Stmt::Increment { place },
            _ => self.rmw(dst, place),
        }
    }

    /// A statement without a shared access.
    pub(super) fn local_work(&mut self) -> Stmt {
        let (dst, other) = (self.rng.below(3), self.rng.below(3));
        let op = *self.rng.pick(&[Op::Add, Op::Sub, Op::Xor, Op::Mul]);
        let value = Expr::binary(op, Expr::Local(other), Expr::Const(self.rng.between(1, 2) as i32));
        Stmt::Assign { dst, value }
    }

    /// A condition over the locals 0 to 2.
    pub(super) fn condition(&mut self) -> Expr {
        let op = *self.rng.pick(&[Op::Eq, Op::Ne, Op::Lt]);
        Expr::binary(op, Expr::Local(self.rng.below(3)), Expr::Const(self.rng.below(3) as i32))
    }

    /// Makes the thread report the values in these locals: it asserts that they are not `values`, or leaves them in its
    /// result, which becomes part of the forbidden outcome.
    pub(super) fn observe(&mut self, thread: usize, locals: &[usize], values: &[i32]) {
        if self.rng.chance(35) && !locals.is_empty() {
            let differs =
                |(local, value): (&usize, &i32)| Expr::binary(Op::Ne, Expr::Local(*local), Expr::Const(*value));
            let terms = locals.iter().zip(values).map(differs);
            let cond = terms.reduce(|lhs, rhs| Expr::binary(Op::Or, lhs, rhs)).unwrap_or(Expr::Const(1));
            self.program.threads[thread].body.push(Stmt::Assert(cond));
        } else {
            self.report(thread, locals, values);
        }
    }

    /// Makes the thread leave the values of these locals in its result; that they are `values` becomes part of the
    /// forbidden outcome.
    pub(super) fn report(&mut self, thread: usize, locals: &[usize], values: &[i32]) {
        if locals.is_empty() {
            return;
        }
        let mut result = Expr::Local(locals[0]);
        let mut expected = values[0];
        let mut factor = 4;
        for (local, value) in locals.iter().zip(values).skip(1) {
            let term = Expr::binary(Op::Mul, Expr::Const(factor), Expr::Local(*local));
            result = Expr::binary(Op::Add, result, term);
            expected += factor * value;
            factor *= 4;
        }
        self.program.threads[thread].result = Some(result);
        self.program.outcome.push((Place::Result(thread), expected));
    }

    /// A plausible value of a place: 0 or one of the constants stored so far.
    pub(super) fn plausible(&mut self) -> i32 {
        let highest = self.last_value.clamp(1, 3) as usize;
        self.rng.between(0, highest) as i32
    }
}
