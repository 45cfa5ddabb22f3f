//! Random scripts, determined by a seed.

use super::ast::{Command, Expr, Op, Script, Sort};
use super::evaluate::mask;
use testing::programs::rng::Rng;

/// Maximum width of results, so that the evaluator's numbers suffice.
const WIDEST: u32 = 120;

/// The size of formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// Widths up to 5 and few bits in all: every assignment can be tried.
    Small,
    /// Widths of machine words and beyond.
    Large,
}

/// The script with a seed.
pub fn script(seed: u64, size: Size) -> Script {
    let mut maker = Maker { rng: Rng::new(seed), size, vars: Vec::new(), locals: Vec::new(), next_local: 0, fuel: 0 };
    maker.declare();
    let commands = maker.commands();
    Script { vars: maker.vars, commands }
}

/// The bits of an assignment to a variable.
pub fn bits_of(sort: Sort) -> u32 {
    match sort {
        Sort::Bool => 1,
        Sort::Bits(width) => width,
        Sort::Array(index, element) => (1 << index) * element,
    }
}

struct Maker {
    rng: Rng,
    size: Size,
    vars: Vec<Sort>,
    /// Names in scope.
    locals: Vec<(usize, Sort)>,
    next_local: usize,
    /// The number of further operators that the expression may have.
    fuel: usize,
}

const CONNECTIVES: [Op; 8] = [Op::Not, Op::And, Op::Or, Op::Xor, Op::Implies, Op::Eq, Op::Distinct, Op::Ite];
#[rustfmt::skip]
const PREDICATES: [Op; 20] = [
    Op::Eq, Op::Eq, Op::Distinct, Op::BvUlt, Op::BvUle, Op::BvUgt, Op::BvUge, Op::BvSlt, Op::BvSle, Op::BvSgt, Op::BvSge,
    Op::BvNegO, Op::BvUaddO, Op::BvSaddO, Op::BvUmulO, Op::BvSmulO, Op::BvUsubO, Op::BvSsubO, Op::BvSdivO, Op::Eq,
];
#[rustfmt::skip]
const WORDS: [Op; 20] = [
    Op::BvNot, Op::BvNeg, Op::BvAdd, Op::BvMul, Op::BvAnd, Op::BvOr, Op::BvXor, Op::BvSub, Op::BvUdiv, Op::BvUrem,
    Op::BvSdiv, Op::BvSrem, Op::BvSmod, Op::BvShl, Op::BvLshr, Op::BvAshr, Op::BvNand, Op::BvNor, Op::BvXnor, Op::BvAdd,
];

impl Maker {
    fn width(&mut self) -> u32 {
        match self.size {
            Size::Small => self.rng.between(1, 5) as u32,
            Size::Large => *self.rng.pick(&[8, 8, 16, 32, 64, 70, 33, 1, 4]),
        }
    }

    fn declare(&mut self) {
        let has_arrays = self.rng.chance(50);
        let mut left = match self.size {
            Size::Small => self.rng.between(4, 14) as u32,
            Size::Large => u32::MAX,
        };
        for _ in 0..self.rng.between(2, 6) {
            let sort = match self.rng.below(10) {
                0 | 1 => Sort::Bool,
                2..=4 if has_arrays => match self.size {
                    Size::Small => Sort::Array(self.rng.between(1, 2) as u32, self.rng.between(1, 3) as u32),
                    Size::Large => Sort::Array(*self.rng.pick(&[3, 8, 32]), *self.rng.pick(&[8, 8, 32])),
                },
                // Often the width of another variable, so that they can be compared.
                5..=8 if !self.vars.is_empty() => *self.rng.pick(&self.vars),
                _ => Sort::Bits(self.width()),
            };
            let bits = if self.size == Size::Small { bits_of(sort) } else { 0 };
            if bits <= left {
                left -= bits;
                self.vars.push(sort);
            }
        }
        if self.vars.is_empty() {
            self.vars.push(Sort::Bits(2));
        }
    }

    fn commands(&mut self) -> Vec<Command> {
        let mut commands = Vec::new();
        let mut depth = 0;
        for _ in 0..self.rng.between(1, 10) {
            match self.rng.below(10) {
                0 => {
                    depth += 1;
                    commands.push(Command::Push);
                }
                1 if depth > 0 => {
                    depth -= 1;
                    commands.push(Command::Pop);
                }
                2 | 3 => {
                    let count = self.rng.below(4);
                    let assumptions = (0..count).map(|_| self.formula(4)).collect();
                    commands.push(Command::Check(assumptions));
                }
                _ => {
                    let fuel = self.rng.between(2, 16);
                    commands.push(Command::Assert(self.formula(fuel)));
                }
            }
        }
        commands.push(Command::Check(Vec::new()));
        commands
    }

    fn formula(&mut self, fuel: usize) -> Expr {
        self.fuel = fuel;
        self.expr(Sort::Bool)
    }

    /// A leaf of a sort.
    fn leaf(&mut self, sort: Sort) -> Expr {
        let mut leaves: Vec<Expr> = Vec::new();
        for (index, other) in self.vars.iter().enumerate() {
            if *other == sort {
                leaves.push(Expr::Var(index));
            }
        }
        for &(name, other) in &self.locals {
            if other == sort {
                leaves.push(Expr::Local(name, sort));
            }
        }
        if !leaves.is_empty() && self.rng.chance(80) {
            return self.rng.pick(&leaves).clone();
        }
        match sort {
            Sort::Bool => Expr::Bool(self.rng.chance(50)),
            Sort::Bits(width) => {
                let random = (0..4).fold(0u128, |sum, _| sum << 32 | self.rng.below(u32::MAX as usize) as u128);
                let special = [0, 1, mask(width), 1 << (width - 1), 2, random, random];
                Expr::Bits(width, *self.rng.pick(&special) & mask(width))
            }
            Sort::Array(index, element) => {
                let value = self.leaf(Sort::Bits(element));
                Expr::Op(Op::ConstArray, Vec::new(), Sort::Array(index, element), vec![value])
            }
        }
    }

    /// The sort of a variable, or a new one.
    fn some_sort(&mut self) -> Sort {
        if self.rng.chance(80) {
            return *self.rng.pick(&self.vars);
        }
        Sort::Bits(self.width())
    }

    fn some_width(&mut self) -> u32 {
        match self.some_sort() {
            Sort::Bits(width) => width,
            Sort::Bool => self.width(),
            Sort::Array(_, element) => element,
        }
    }

    fn expr(&mut self, sort: Sort) -> Expr {
        if self.fuel == 0 {
            return self.leaf(sort);
        }
        self.fuel -= 1;
        if self.rng.chance(6) {
            return self.bindings(sort);
        }
        match sort {
            Sort::Bool => self.boolean(),
            Sort::Bits(width) => self.word(width),
            Sort::Array(index, element) => self.array(index, element),
        }
    }

    fn bindings(&mut self, sort: Sort) -> Expr {
        let mut bindings = Vec::new();
        for _ in 0..self.rng.between(1, 2) {
            let bound = self.some_sort();
            // Sometimes a name that is bound already.
            let name = if self.rng.chance(20) && self.next_local > 0 {
                self.rng.below(self.next_local)
            } else {
                self.next_local += 1;
                self.next_local - 1
            };
            if bindings.iter().all(|(other, _, _)| *other != name) {
                let value = self.expr(bound);
                bindings.push((name, bound, value));
            }
        }
        let before = self.locals.clone();
        self.locals.retain(|(name, _)| bindings.iter().all(|(other, _, _)| other != name));
        self.locals.extend(bindings.iter().map(|(name, sort, _)| (*name, *sort)));
        let body = self.expr(sort);
        self.locals = before;
        Expr::Let(bindings.into_iter().map(|(name, _, value)| (name, value)).collect(), Box::new(body))
    }

    fn op(&mut self, op: Op, sort: Sort, args: &[Sort]) -> Expr {
        let args = args.iter().map(|&arg| self.expr(arg)).collect();
        Expr::Op(op, Vec::new(), sort, args)
    }

    fn boolean(&mut self) -> Expr {
        let few = |maker: &mut Maker| if maker.rng.chance(25) { 3 } else { 2 };
        if self.rng.chance(40) {
            let op = *self.rng.pick(&CONNECTIVES);
            let count = match op {
                Op::Not => 1,
                Op::Ite => 3,
                _ => few(self),
            };
            return self.op(op, Sort::Bool, &vec![Sort::Bool; count]);
        }
        let op = *self.rng.pick(&PREDICATES);
        let op = if self.size == Size::Large { self.affordable(op, WIDEST) } else { op };
        let sort = match (op, self.some_sort()) {
            (Op::Eq | Op::Distinct, sort) => sort,
            (_, Sort::Bits(width)) => Sort::Bits(width),
            (_, Sort::Bool | Sort::Array(..)) => Sort::Bits(self.width()),
        };
        let count = match op {
            Op::BvNegO => 1,
            Op::Eq | Op::Distinct => few(self),
            _ => 2,
        };
        self.op(op, Sort::Bool, &vec![sort; count])
    }

    fn word(&mut self, width: u32) -> Expr {
        let sort = Sort::Bits(width);
        match self.rng.below(20) {
            0 | 1 => self.op(Op::Ite, sort, &[Sort::Bool, sort, sort]),
            2..=4 => self.slice(width),
            5..=8 => {
                let arrays: Vec<Sort> = self
                    .vars
                    .iter()
                    .copied()
                    .filter(|sort| matches!(sort, Sort::Array(_, element) if *element == width))
                    .collect();
                if arrays.is_empty() {
                    return self.leaf(sort);
                }
                let array = *self.rng.pick(&arrays);
                let Sort::Array(index, _) = array else { return self.leaf(sort) };
                self.op(Op::Select, sort, &[array, Sort::Bits(index)])
            }
            9 if width == 1 => {
                let other = Sort::Bits(self.some_width());
                self.op(Op::BvComp, sort, &[other, other])
            }
            _ => {
                let op = *self.rng.pick(&WORDS);
                let op = self.affordable(op, width);
                let count = match op {
                    Op::BvNot | Op::BvNeg => 1,
                    Op::BvAdd | Op::BvMul | Op::BvAnd | Op::BvOr | Op::BvXor if self.rng.chance(25) => 3,
                    _ => 2,
                };
                self.op(op, sort, &vec![sort; count])
            }
        }
    }

    /// Mostly replaces an operator whose result would be too hard for both solvers.
    fn affordable(&mut self, op: Op, width: u32) -> Op {
        match op {
            _ if width <= 8 || self.rng.chance(4) => op,
            Op::BvMul | Op::BvSmod | Op::BvSrem => Op::BvAdd,
            Op::BvUdiv | Op::BvSdiv | Op::BvUrem => Op::BvSub,
            Op::BvUmulO => Op::BvUaddO,
            Op::BvSmulO => Op::BvSaddO,
            _ => op,
        }
    }

    /// Concatenation, extraction, extension, rotation, repetition.
    fn slice(&mut self, width: u32) -> Expr {
        let sort = Sort::Bits(width);
        let indexed = |maker: &mut Maker, op: Op, indices: Vec<u32>, of: u32| {
            let arg = maker.expr(Sort::Bits(of));
            Expr::Op(op, indices, sort, vec![arg])
        };
        match self.rng.below(7) {
            0 if width > 1 => {
                let low = self.rng.between(1, width as usize - 1) as u32;
                self.op(Op::Concat, sort, &[Sort::Bits(width - low), Sort::Bits(low)])
            }
            1 => {
                let room = WIDEST.min(if self.size == Size::Small { width + 3 } else { width + 40 }) - width;
                let (above, below) =
                    (self.rng.between(0, room as usize) as u32, self.rng.between(0, room as usize) as u32);
                let (above, below) = (above / 2, below / 2);
                indexed(self, Op::Extract, vec![width + below - 1, below], width + above + below)
            }
            2 | 3 => {
                let by = self.rng.between(0, width as usize - 1) as u32;
                let op = *self.rng.pick(&[Op::ZeroExtend, Op::SignExtend]);
                indexed(self, op, vec![by], width - by)
            }
            4 => indexed(self, Op::Repeat, vec![width], 1),
            5 if width.is_multiple_of(2) => indexed(self, Op::Repeat, vec![2], width / 2),
            _ => {
                let by = self.rng.between(0, 2 * width as usize) as u32;
                let op = *self.rng.pick(&[Op::RotateLeft, Op::RotateRight]);
                indexed(self, op, vec![by], width)
            }
        }
    }

    fn array(&mut self, index: u32, element: u32) -> Expr {
        let sort = Sort::Array(index, element);
        match self.rng.below(10) {
            0..=4 => self.op(Op::Store, sort, &[sort, Sort::Bits(index), Sort::Bits(element)]),
            5 | 6 => self.op(Op::Ite, sort, &[Sort::Bool, sort, sort]),
            7 => self.op(Op::ConstArray, sort, &[Sort::Bits(element)]),
            _ => self.leaf(sort),
        }
    }
}
