//! Circuits: gates with structural hashing, and their clauses.
//!
//! A gate is made once per kind and inputs, after local simplification. Its variable and clauses come only when a
//! clause needs it, and only for the polarity that is needed (Plaisted, Greenbaum: A structure-preserving clause form
//! translation, JSC 1986). A model therefore gives inputs their values, but not always the gates above them: evaluate the
//! terms instead.
//!
//! Beside two-input gates there are full adders (sum and carry of three), wide conjunctions and multiplexers, whose direct
//! clauses propagate better than those of their decomposition.

use crate::sat::{Lit, Sat};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::ops::Not;

/// The output of a gate or an input, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Signal(u32);

impl Signal {
    /// Always true.
    pub(crate) const TRUE: Signal = Signal(0);
    /// Always false.
    pub(crate) const FALSE: Signal = Signal(1);

    /// A constant.
    pub(crate) fn constant(value: bool) -> Signal {
        if value {
            Signal::TRUE
        } else {
            Signal::FALSE
        }
    }

    fn new(gate: usize, is_negated: bool) -> Signal {
        Signal(u32::try_from(gate).expect("gates should fit in 31 bits") << 1 | u32::from(is_negated))
    }

    fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The value, if it is a constant.
    pub(crate) fn as_constant(self) -> Option<bool> {
        (self.gate() == 0).then(|| !self.is_negated())
    }

    fn negate_if(self, negate: bool) -> Signal {
        Signal(self.0 ^ u32::from(negate))
    }
}

impl Not for Signal {
    type Output = Signal;
    fn not(self) -> Signal {
        Signal(self.0 ^ 1)
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Gate {
    True,
    Input(u32),
    /// Sorted, different, at least two.
    And(Box<[Signal]>),
    /// Sorted, not negated.
    Xor(Signal, Signal),
    /// Sorted, not negated.
    Xor3([Signal; 3]),
    /// Sorted; the first is not negated.
    Majority([Signal; 3]),
    /// Condition (not negated), then (not negated), otherwise.
    Mux(Signal, Signal, Signal),
}

/// Which implications of a gate's definition the solver has.
#[derive(Clone, Copy, Default)]
struct Emitted {
    lit: Option<Lit>,
    /// Output implies inputs.
    is_positive: bool,
    /// Inputs imply output.
    is_negative: bool,
}

/// All gates made so far.
pub(crate) struct Gates {
    gates: IndexSet<Gate, FxBuildHasher>,
    emitted: Vec<Emitted>,
    inputs: u32,
}

impl Default for Gates {
    fn default() -> Self {
        Gates::new()
    }
}

impl Gates {
    /// Only the constant.
    pub(crate) fn new() -> Gates {
        let mut gates = Gates { gates: IndexSet::default(), emitted: Vec::new(), inputs: 0 };
        gates.make(Gate::True);
        gates.emitted[0] = Emitted { lit: Some(Lit::TRUE), is_positive: true, is_negative: true };
        gates
    }

    fn make(&mut self, gate: Gate) -> Signal {
        let (index, is_new) = self.gates.insert_full(gate);
        if is_new {
            self.emitted.push(Emitted::default());
        }
        Signal::new(index, false)
    }

    /// A new input.
    pub(crate) fn input(&mut self) -> Signal {
        self.inputs += 1;
        self.make(Gate::Input(self.inputs))
    }

    /// A new input that is a literal of the solver.
    pub(crate) fn input_for(&mut self, lit: Lit) -> Signal {
        let signal = self.input();
        self.emitted[signal.gate()].lit = Some(lit);
        signal
    }

    /// Conjunction.
    pub(crate) fn and(&mut self, a: Signal, b: Signal) -> Signal {
        if a == Signal::FALSE || b == Signal::FALSE || a == !b {
            return Signal::FALSE;
        }
        if a == Signal::TRUE || a == b {
            return b;
        }
        if b == Signal::TRUE {
            return a;
        }
        if let Some(simpler) = self.absorbed(a, b).or_else(|| self.absorbed(b, a)) {
            return simpler;
        }
        self.make(Gate::And(Box::new([a.min(b), a.max(b)])))
    }

    /// `a & b` where `a` is a conjunction, negated or not, that mentions `b`.
    fn absorbed(&self, a: Signal, b: Signal) -> Option<Signal> {
        let Gate::And(parts) = &self.gates[a.gate()] else { return None };
        match (a.is_negated(), parts.contains(&b), parts.contains(&!b)) {
            (false, true, _) => Some(a),
            (false, _, true) => Some(Signal::FALSE),
            (true, _, true) => Some(b),
            _ => None,
        }
    }

    /// Disjunction.
    pub(crate) fn or(&mut self, a: Signal, b: Signal) -> Signal {
        !self.and(!a, !b)
    }

    /// Conjunction of many.
    pub(crate) fn and_all(&mut self, signals: impl IntoIterator<Item = Signal>) -> Signal {
        let mut parts: Vec<Signal> = signals.into_iter().filter(|&signal| signal != Signal::TRUE).collect();
        parts.sort_unstable();
        parts.dedup();
        // A signal and its negation are adjacent.
        if parts.contains(&Signal::FALSE) || parts.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Signal::FALSE;
        }
        match parts[..] {
            [] => Signal::TRUE,
            [only] => only,
            [a, b] => self.and(a, b),
            _ => self.make(Gate::And(parts.into())),
        }
    }

    /// Disjunction of many.
    pub(crate) fn or_all(&mut self, signals: impl IntoIterator<Item = Signal>) -> Signal {
        let negated: Vec<Signal> = signals.into_iter().map(|signal| !signal).collect();
        !self.and_all(negated)
    }

    /// Exclusive or.
    pub(crate) fn xor(&mut self, a: Signal, b: Signal) -> Signal {
        if let Some(value) = a.as_constant() {
            return b.negate_if(value);
        }
        if let Some(value) = b.as_constant() {
            return a.negate_if(value);
        }
        let is_negated = a.is_negated() != b.is_negated();
        let (a, b) = (a.negate_if(a.is_negated()), b.negate_if(b.is_negated()));
        if a == b {
            return Signal::constant(is_negated);
        }
        self.make(Gate::Xor(a.min(b), a.max(b))).negate_if(is_negated)
    }

    /// Equality.
    pub(crate) fn xnor(&mut self, a: Signal, b: Signal) -> Signal {
        !self.xor(a, b)
    }

    /// The sum bit of a full adder.
    pub(crate) fn xor3(&mut self, signals: [Signal; 3]) -> Signal {
        let [a, b, c] = signals;
        let is_simple = |x: Signal, y: Signal| x.as_constant().is_some() || x.gate() == y.gate();
        if is_simple(a, b) || is_simple(b, c) || is_simple(c, a) {
            // Two of them first that leave a constant or one signal.
            let (x, y, z) = if is_simple(a, b) {
                (a, b, c)
            } else if is_simple(b, c) {
                (b, c, a)
            } else {
                (c, a, b)
            };
            let two = self.xor(x, y);
            return self.xor(two, z);
        }
        let is_negated = a.is_negated() ^ b.is_negated() ^ c.is_negated();
        let mut sorted = signals.map(|signal| signal.negate_if(signal.is_negated()));
        sorted.sort_unstable();
        self.make(Gate::Xor3(sorted)).negate_if(is_negated)
    }

    /// The carry of a full adder: whether at least two hold.
    pub(crate) fn majority(&mut self, signals: [Signal; 3]) -> Signal {
        let mut sorted = signals;
        sorted.sort_unstable();
        // Constants come first, then a signal and its negation are neighbours.
        let [a, b, c] = sorted;
        match a.as_constant() {
            Some(true) => return self.or(b, c),
            Some(false) => return self.and(b, c),
            None => {}
        }
        if a == b || b == !c {
            return a;
        }
        if b == c || a == !b {
            return if b == c { b } else { c };
        }
        let is_negated = a.is_negated();
        self.make(Gate::Majority(sorted.map(|signal| signal.negate_if(is_negated)))).negate_if(is_negated)
    }

    /// If-then-else.
    pub(crate) fn mux(&mut self, condition: Signal, then: Signal, otherwise: Signal) -> Signal {
        if condition.is_negated() {
            return self.mux(!condition, otherwise, then);
        }
        if condition == Signal::TRUE || then == otherwise {
            return then;
        }
        if then == !otherwise {
            return self.xnor(condition, then);
        }
        if then == Signal::TRUE || then == condition {
            return self.or(condition, otherwise);
        }
        if then == Signal::FALSE || then == !condition {
            return self.and(!condition, otherwise);
        }
        if otherwise == Signal::TRUE || otherwise == !condition {
            return self.or(!condition, then);
        }
        if otherwise == Signal::FALSE || otherwise == condition {
            return self.and(condition, then);
        }
        let is_negated = then.is_negated();
        let gate = Gate::Mux(condition, then.negate_if(is_negated), otherwise.negate_if(is_negated));
        self.make(gate).negate_if(is_negated)
    }

    /// The literal of a signal, with the clauses for one direction: the literal implies its definition.
    pub(crate) fn positive(&mut self, sat: &mut Sat, signal: Signal) -> Lit {
        self.emit(sat, signal, true, false)
    }

    /// The literal of a signal, with the clauses of both directions.
    pub(crate) fn literal(&mut self, sat: &mut Sat, signal: Signal) -> Lit {
        self.emit(sat, signal, true, true)
    }

    /// The literal, if the solver has it.
    pub(crate) fn known_literal(&self, signal: Signal) -> Option<Lit> {
        Some(self.emitted[signal.gate()].lit?.negate_if(signal.is_negated()))
    }

    fn emit(&mut self, sat: &mut Sat, signal: Signal, is_positive: bool, is_negative: bool) -> Lit {
        let mut stack = Vec::new();
        if is_positive {
            stack.push(signal);
        }
        if is_negative {
            stack.push(!signal);
        }
        // Each signal on the stack must imply its definition.
        while let Some(signal) = stack.pop() {
            let index = signal.gate();
            let emitted = &mut self.emitted[index];
            let is_done = if signal.is_negated() { &mut emitted.is_negative } else { &mut emitted.is_positive };
            if !std::mem::replace(is_done, true) {
                self.define(sat, signal, &mut stack);
            }
        }
        self.lit(sat, signal)
    }

    fn lit(&mut self, sat: &mut Sat, signal: Signal) -> Lit {
        let emitted = &mut self.emitted[signal.gate()];
        emitted.lit.get_or_insert_with(|| sat.fresh()).negate_if(signal.is_negated())
    }

    /// Adds the clauses by which a signal implies its definition, and pushes the signals in them.
    fn define(&mut self, sat: &mut Sat, signal: Signal, stack: &mut Vec<Signal>) {
        let holds = !signal.is_negated();
        let gate = self.gates[signal.gate()].clone();
        let mut clauses: Vec<Vec<Signal>> = Vec::new();
        match gate {
            Gate::True | Gate::Input(_) => {}
            Gate::And(parts) => {
                if holds {
                    clauses.extend(parts.iter().map(|&part| vec![part]));
                } else {
                    clauses.push(parts.iter().map(|&part| !part).collect());
                }
            }
            Gate::Xor(a, b) => {
                let b = b.negate_if(!holds);
                clauses.extend([vec![a, b], vec![!a, !b]]);
            }
            Gate::Xor3([a, b, c]) => {
                let c = c.negate_if(!holds);
                clauses.extend([vec![a, b, c], vec![a, !b, !c], vec![!a, b, !c], vec![!a, !b, c]]);
            }
            Gate::Majority(signals) => {
                let [a, b, c] = signals.map(|signal| signal.negate_if(!holds));
                clauses.extend([vec![a, b], vec![b, c], vec![a, c]]);
            }
            Gate::Mux(condition, then, otherwise) => {
                let (then, otherwise) = (then.negate_if(!holds), otherwise.negate_if(!holds));
                clauses.extend([vec![!condition, then], vec![condition, otherwise], vec![then, otherwise]]);
            }
        }
        let lit = self.lit(sat, signal);
        for clause in clauses {
            stack.extend_from_slice(&clause);
            let mut lits = vec![!lit];
            for signal in clause {
                lits.push(self.lit(sat, signal));
            }
            sat.add(&lits);
        }
    }
}
