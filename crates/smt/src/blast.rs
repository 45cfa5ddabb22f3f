//! Bit-blasting: terms become circuits.
//!
//! Sums of any number of terms with constant factors, and products, go through one routine that adds up columns of equal
//! weight with full adders and finishes with one ripple-carry chain (Dadda: Some schemes for parallel multipliers, 1965).
//! Constant factors are recoded so that runs of ones cost two rows (Booth 1951). Division is the restoring circuit;
//! quotient and remainder of the same operands share it. Shifts are logarithmic.
//!
//! Selects and equalities of arrays become inputs here; the theory of arrays is added on demand ([`crate::arrays`]).

use crate::gates::{Gates, Signal};
use crate::sat::Lit;
use crate::term::{Bits, Node, Sort, Term, Terms};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Signals of a bit-vector, lowest first.
type Word = Box<[Signal]>;

/// The circuits of terms.
#[derive(Default)]
pub(crate) struct Blaster {
    /// The gates.
    pub(crate) gates: Gates,
    booleans: FxHashMap<Term, Signal>,
    words: FxHashMap<Term, Word>,
    /// Quotient and remainder by dividend and divisor.
    divisions: FxHashMap<(Term, Term), (Word, Word)>,
    /// Boolean and bit-vector variables, in order of creation.
    variables: Vec<Term>,
}

impl Blaster {
    /// The signal of a Boolean term.
    pub(crate) fn boolean(&mut self, terms: &Terms, term: Term) -> Signal {
        self.blast(terms, term);
        self.booleans[&term]
    }

    /// The signal of a Boolean term that was blasted before.
    pub(crate) fn known_boolean(&self, term: Term) -> Option<Signal> {
        self.booleans.get(&term).copied()
    }

    /// The signals of a bit-vector term that was blasted before.
    pub(crate) fn known_word(&self, term: Term) -> Option<&[Signal]> {
        self.words.get(&term).map(|word| &word[..])
    }

    /// Boolean and bit-vector variables that were blasted, in order.
    pub(crate) fn variables(&self) -> &[Term] {
        &self.variables
    }

    /// Identifies a Boolean variable with a literal of the solver.
    pub(crate) fn define(&mut self, variable: Term, lit: Lit) {
        let signal = self.gates.input_for(lit);
        let previous = self.booleans.insert(variable, signal);
        assert!(previous.is_none(), "the variable should be new to the solver");
        self.variables.push(variable);
    }

    fn blast(&mut self, terms: &Terms, root: Term) {
        if self.booleans.contains_key(&root) || self.words.contains_key(&root) {
            return;
        }
        let mut order = Vec::new();
        let is_done = |term| self.booleans.contains_key(&term) || self.words.contains_key(&term);
        terms.for_each_below(&[root], is_done, |term| order.push(term));
        for term in order {
            match terms.sort(term) {
                Sort::Bool => {
                    let signal = self.blast_boolean(terms, term);
                    self.booleans.insert(term, signal);
                }
                Sort::Bits(width) => {
                    let word = self.blast_word(terms, term, width);
                    assert_eq!(word.len(), width as usize, "a word should have its term's width");
                    self.words.insert(term, word);
                }
                Sort::Array { .. } => {}
            }
        }
    }

    fn blast_boolean(&mut self, terms: &Terms, term: Term) -> Signal {
        match terms.node(term) {
            Node::Bool(value) => Signal::constant(*value),
            Node::Var(..) => {
                self.variables.push(term);
                self.gates.input()
            }
            Node::Not(a) => !self.booleans[a],
            Node::And(args) => {
                let parts: Vec<Signal> = args.iter().map(|arg| self.booleans[arg]).collect();
                self.gates.and_all(parts)
            }
            Node::Eq(a, b) => match terms.sort(*a) {
                Sort::Bool => self.gates.xnor(self.booleans[a], self.booleans[b]),
                Sort::Bits(_) => self.equal(&self.words[a].clone(), &self.words[b].clone()),
                Sort::Array { .. } => self.gates.input(),
            },
            Node::Ite(condition, then, otherwise) => {
                self.gates.mux(self.booleans[condition], self.booleans[then], self.booleans[otherwise])
            }
            Node::Ult(a, b) => self.less(&self.words[a].clone(), &self.words[b].clone()),
            Node::Slt(a, b) => {
                // With inverted signs, signed order is unsigned order.
                let [a, b] = [a, b].map(|term| {
                    let mut word = self.words[term].clone();
                    let top = word.len() - 1;
                    word[top] = !word[top];
                    word
                });
                self.less(&a, &b)
            }
            node => panic!("{node:?} should not be Boolean"),
        }
    }

    fn blast_word(&mut self, terms: &Terms, term: Term, width: u32) -> Word {
        let size = width as usize;
        match terms.node(term) {
            Node::Bits(bits) => constant(bits),
            Node::Var(..) => {
                self.variables.push(term);
                (0..size).map(|_| self.gates.input()).collect()
            }
            Node::Select(..) => (0..size).map(|_| self.gates.input()).collect(),
            Node::Ite(condition, then, otherwise) => {
                let condition = self.booleans[condition];
                self.select(condition, &self.words[then].clone(), &self.words[otherwise].clone())
            }
            Node::BitNot(a) => self.words[a].iter().map(|&signal| !signal).collect(),
            Node::BitAnd(args) => (0..size)
                .map(|index| {
                    let parts: Vec<Signal> = args.iter().map(|arg| self.words[arg][index]).collect();
                    self.gates.and_all(parts)
                })
                .collect(),
            Node::BitXor(a, b) => {
                let (a, b) = (self.words[a].clone(), self.words[b].clone());
                a.iter().zip(&b).map(|(&a, &b)| self.gates.xor(a, b)).collect()
            }
            Node::Sum(constant, monomials) => self.sum(constant, monomials),
            Node::Mul(a, b) => self.product(&self.words[a].clone(), &self.words[b].clone()),
            Node::Udiv(a, b) => self.division(*a, *b).0,
            Node::Urem(a, b) => self.division(*a, *b).1,
            Node::Shl(a, by) => {
                let mut reversed = self.words[a].clone();
                reversed.reverse();
                let mut word = self.shift_right(&reversed, &self.words[by].clone(), Signal::FALSE);
                word.reverse();
                word
            }
            Node::Lshr(a, by) => self.shift_right(&self.words[a].clone(), &self.words[by].clone(), Signal::FALSE),
            Node::Ashr(a, by) => {
                let word = self.words[a].clone();
                self.shift_right(&word, &self.words[by].clone(), word[size - 1])
            }
            Node::Concat(high, low) => self.words[low].iter().chain(&self.words[high][..]).copied().collect(),
            Node::Extract { high, low, of } => self.words[of][*low as usize..=*high as usize].into(),
            Node::SignExtend(by, a) => {
                let word = &self.words[a];
                let sign = word[word.len() - 1];
                word.iter().copied().chain((0..*by).map(|_| sign)).collect()
            }
            node => panic!("{node:?} should not be a bit-vector"),
        }
    }

    fn equal(&mut self, a: &[Signal], b: &[Signal]) -> Signal {
        let same: Vec<Signal> = a.iter().zip(b).map(|(&a, &b)| self.gates.xnor(a, b)).collect();
        self.gates.and_all(same)
    }

    /// Unsigned `a < b`, from the lowest bit: where the bits differ, the higher place decides.
    fn less(&mut self, a: &[Signal], b: &[Signal]) -> Signal {
        let lower = |less: Signal, (&a, &b): (&Signal, &Signal)| self.gates.majority([!a, b, less]);
        a.iter().zip(b).fold(Signal::FALSE, lower)
    }

    fn select(&mut self, condition: Signal, then: &[Signal], otherwise: &[Signal]) -> Word {
        then.iter().zip(otherwise).map(|(&then, &otherwise)| self.gates.mux(condition, then, otherwise)).collect()
    }

    /// The sum of a constant and of each word times its factor.
    fn sum(&mut self, start: &Bits, monomials: &[(Bits, Term)]) -> Word {
        let size = start.width() as usize;
        let mut columns = vec![VecDeque::new(); size];
        // A subtrahend of recoding is added as its bitwise negation plus 1.
        let mut rest = start.clone();
        for (factor, term) in monomials {
            let word = self.words[term].clone();
            for (shift, is_negative) in digits(factor) {
                for (column, &signal) in columns[shift..].iter_mut().zip(&word) {
                    column.push_back(if is_negative { !signal } else { signal });
                }
                if is_negative {
                    // -(x << shift) is (~x << shift) + (1 << shift), modulo 2^width.
                    let unit = Bits::one(start.width()).shl(&Bits::from_u64(start.width(), shift as u64));
                    rest = rest.add(&unit);
                }
            }
        }
        for (column, signal) in columns.iter_mut().zip(&constant(&rest)) {
            if *signal == Signal::TRUE {
                column.push_back(Signal::TRUE);
            }
        }
        self.add_columns(columns)
    }

    fn product(&mut self, a: &[Signal], b: &[Signal]) -> Word {
        // Fewer rows if the operand with more constant bits selects them.
        let constants = |word: &[Signal]| word.iter().filter(|signal| signal.as_constant().is_some()).count();
        let (a, b) = if constants(a) > constants(b) { (b, a) } else { (a, b) };
        let mut columns = vec![VecDeque::new(); a.len()];
        for (shift, &bit) in b.iter().enumerate() {
            for (column, &signal) in columns[shift..].iter_mut().zip(a) {
                let part = self.gates.and(signal, bit);
                column.push_back(part);
            }
        }
        self.add_columns(columns)
    }

    /// Adds signals of equal weight, column by column; carries out of the last column are lost.
    fn add_columns(&mut self, mut columns: Vec<VecDeque<Signal>>) -> Word {
        let mut word = Vec::with_capacity(columns.len());
        for index in 0..columns.len() {
            let mut column = std::mem::take(&mut columns[index]);
            column.retain(|&signal| signal != Signal::FALSE);
            let mut carries = Vec::new();
            while column.len() > 1 {
                let a = column.pop_front().unwrap_or(Signal::FALSE);
                let b = column.pop_front().unwrap_or(Signal::FALSE);
                let c = column.pop_front().unwrap_or(Signal::FALSE);
                let sum = self.gates.xor3([a, b, c]);
                if sum != Signal::FALSE {
                    column.push_back(sum);
                }
                if index + 1 < columns.len() {
                    carries.push(self.gates.majority([a, b, c]));
                }
            }
            word.push(column.pop_front().unwrap_or(Signal::FALSE));
            if let Some(next) = columns.get_mut(index + 1) {
                next.extend(carries);
            }
        }
        word.into()
    }

    /// Quotient and remainder by long division; for divisor 0 this gives all ones and the dividend, as required.
    fn division(&mut self, dividend: Term, divisor: Term) -> (Word, Word) {
        if let Some(known) = self.divisions.get(&(dividend, divisor)) {
            return known.clone();
        }
        let (a, b) = (self.words[&dividend].clone(), self.words[&divisor].clone());
        let size = a.len();
        // One bit wider than the divisor, for the doubled remainder.
        let mut wide = b.to_vec();
        wide.push(Signal::FALSE);
        let mut rest = vec![Signal::FALSE; size];
        let mut quotient = vec![Signal::FALSE; size];
        for index in (0..size).rev() {
            let mut doubled = Vec::with_capacity(size + 1);
            doubled.push(a[index]);
            doubled.extend_from_slice(&rest);
            let (difference, fits) = self.subtract(&doubled, &wide);
            quotient[index] = fits;
            rest = self.select(fits, &difference[..size], &doubled[..size]).into();
        }
        let result: (Word, Word) = (quotient.into(), rest.into());
        self.divisions.insert((dividend, divisor), result.clone());
        result
    }

    /// `a - b`, and whether `b <= a`.
    fn subtract(&mut self, a: &[Signal], b: &[Signal]) -> (Word, Signal) {
        let mut carry = Signal::TRUE;
        let difference = a
            .iter()
            .zip(b)
            .map(|(&a, &b)| {
                let sum = self.gates.xor3([a, !b, carry]);
                carry = self.gates.majority([a, !b, carry]);
                sum
            })
            .collect();
        (difference, carry)
    }

    fn shift_right(&mut self, a: &[Signal], by: &[Signal], fill: Signal) -> Word {
        let size = a.len();
        let mut word: Word = a.into();
        let mut is_beyond = Vec::new();
        for (stage, &bit) in by.iter().enumerate() {
            match 1usize.checked_shl(stage as u32).filter(|&distance| distance < size) {
                Some(distance) => {
                    let shifted: Word =
                        (0..size).map(|index| word.get(index + distance).copied().unwrap_or(fill)).collect();
                    word = self.select(bit, &shifted, &word);
                }
                None => is_beyond.push(bit),
            }
        }
        let is_beyond = self.gates.or_all(is_beyond);
        self.select(is_beyond, &vec![fill; size], &word)
    }
}

fn constant(bits: &Bits) -> Word {
    (0..bits.width()).map(|index| Signal::constant(bits.bit(index))).collect()
}

/// A factor as signed powers of two, no two adjacent (non-adjacent form): exponents, and whether subtracted.
fn digits(factor: &Bits) -> Vec<(usize, bool)> {
    let mut digits = Vec::new();
    let mut carry = false;
    for index in 0..factor.width() {
        let ones = u32::from(factor.bit(index)) + u32::from(carry);
        let next = index + 1 < factor.width() && factor.bit(index + 1);
        if ones == 1 {
            digits.push((index as usize, next));
            carry = next;
        } else {
            carry = ones == 2;
        }
    }
    digits
}
