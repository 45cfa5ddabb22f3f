//! Values of terms under an assignment to their variables.

use super::{Bits, Node, Sort, Term, Terms};
use base::Id;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The value of a term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A Boolean.
    Bool(bool),
    /// A bit-vector.
    Bits(Bits),
    /// An array.
    Array(ArrayValue),
}

/// An array: elements at some indices, and a default for all others.
#[derive(Clone, Debug)]
pub struct ArrayValue {
    index_width: u32,
    default: Bits,
    /// Never the default.
    elements: BTreeMap<Bits, Bits>,
}

impl ArrayValue {
    /// The array with one value everywhere.
    pub fn new(index_width: u32, default: Bits) -> ArrayValue {
        ArrayValue { index_width, default, elements: BTreeMap::new() }
    }

    /// The element at an index.
    pub fn get(&self, index: &Bits) -> &Bits {
        self.elements.get(index).unwrap_or(&self.default)
    }

    /// Sets the element at an index.
    pub fn set(&mut self, index: Bits, value: Bits) {
        if value == self.default {
            self.elements.remove(&index);
        } else {
            self.elements.insert(index, value);
        }
    }

    /// The indices that differ from the default, with their elements.
    pub fn elements(&self) -> impl Iterator<Item = (&Bits, &Bits)> {
        self.elements.iter()
    }

    /// The element at all other indices.
    pub fn default_element(&self) -> &Bits {
        &self.default
    }

    /// The sort.
    pub fn sort(&self) -> Sort {
        Sort::Array { index: self.index_width, element: self.default.width() }
    }
}

/// Equal at every index. If every index is listed in one or the other, the defaults do not matter.
impl PartialEq for ArrayValue {
    fn eq(&self, other: &Self) -> bool {
        let indices: BTreeSet<&Bits> = self.elements.keys().chain(other.elements.keys()).collect();
        let is_all_listed = self.index_width < 32 && indices.len() == 1 << self.index_width;
        (is_all_listed || self.default == other.default)
            && indices.into_iter().all(|index| self.get(index) == other.get(index))
    }
}

impl Eq for ArrayValue {}

impl Value {
    /// The least value of a sort: false, zero, zeros.
    pub fn default_of(sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::Bits(width) => Value::Bits(Bits::zero(width)),
            Sort::Array { index, element } => Value::Array(ArrayValue::new(index, Bits::zero(element))),
        }
    }

    /// The Boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            Value::Bits(_) | Value::Array(_) => None,
        }
    }

    /// The bit-vector, if it is one.
    pub fn as_bits(&self) -> Option<&Bits> {
        match self {
            Value::Bits(bits) => Some(bits),
            Value::Bool(_) | Value::Array(_) => None,
        }
    }

    fn bool(&self) -> bool {
        self.as_bool().expect("a Boolean should be here")
    }

    fn bits(&self) -> &Bits {
        self.as_bits().expect("a bit-vector should be here")
    }

    fn array(&self) -> &ArrayValue {
        match self {
            Value::Array(array) => array,
            Value::Bool(_) | Value::Bits(_) => panic!("an array should be here"),
        }
    }
}

/// In SMT-LIB.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(value) => write!(f, "{value}"),
            Value::Bits(bits) => write!(f, "{bits}"),
            Value::Array(array) => {
                array.elements.iter().try_for_each(|_| f.write_str("(store "))?;
                write!(f, "((as const {}) {})", array.sort(), array.default)?;
                array.elements.iter().try_for_each(|(index, value)| write!(f, " {index} {value})"))
            }
        }
    }
}

/// Values of variables; all others have the least value of their sort.
pub type Assignment = FxHashMap<Term, Value>;

/// Evaluates terms under one assignment, each term once.
pub struct Evaluation<'a> {
    terms: &'a Terms,
    assignment: &'a Assignment,
    known: Known,
}

/// Values by term, in pages: lookups are frequent and mostly local.
#[derive(Default)]
struct Known(Vec<Option<Box<[Option<Value>; PAGE]>>>);

const PAGE: usize = 64;

impl Known {
    fn get(&self, term: Term) -> Option<&Value> {
        self.0.get(term.index() / PAGE)?.as_ref()?[term.index() % PAGE].as_ref()
    }

    fn insert(&mut self, term: Term, value: Value) {
        let page = term.index() / PAGE;
        if page >= self.0.len() {
            self.0.resize_with(page + 1, || None);
        }
        let page = self.0[page].get_or_insert_with(|| Box::new([const { None }; PAGE]));
        page[term.index() % PAGE] = Some(value);
    }
}

impl<'a> Evaluation<'a> {
    /// An evaluation without results.
    pub fn new(terms: &'a Terms, assignment: &'a Assignment) -> Evaluation<'a> {
        Evaluation { terms, assignment, known: Known::default() }
    }

    /// Fixes the value of a term, whatever its arguments are.
    pub fn set(&mut self, term: Term, value: Value) {
        self.known.insert(term, value);
    }

    /// The value of a term.
    pub fn value(&mut self, term: Term) -> &Value {
        if self.known.get(term).is_none() {
            self.compute(term);
        }
        self.of(term)
    }

    /// Computes the value of a term, after those of its arguments.
    fn compute(&mut self, term: Term) {
        let mut stack = vec![(term, false)];
        while let Some((term, are_arguments_done)) = stack.pop() {
            if self.known.get(term).is_some() {
                continue;
            }
            if are_arguments_done {
                let value = self.apply(term);
                self.known.insert(term, value);
            } else {
                stack.push((term, true));
                self.terms.node(term).for_each_argument(|argument| stack.push((argument, false)));
            }
        }
    }

    fn of(&self, term: Term) -> &Value {
        self.known.get(term).expect("the value should have been computed")
    }

    /// The value of a Boolean term.
    pub fn is_true(&mut self, term: Term) -> bool {
        self.value(term).bool()
    }

    /// The value of a bit-vector term.
    pub fn bits(&mut self, term: Term) -> &Bits {
        self.value(term).bits()
    }

    /// The value of a term, given those of its arguments.
    fn apply(&self, term: Term) -> Value {
        let of = |term: &Term| self.of(*term);
        let bits = |a: &Term, b: &Term, op: fn(&Bits, &Bits) -> Bits| Value::Bits(op(of(a).bits(), of(b).bits()));
        match self.terms.node(term) {
            Node::Bool(value) => Value::Bool(*value),
            Node::Bits(bits) => Value::Bits(bits.clone()),
            Node::Var(_, sort) => self.assignment.get(&term).cloned().unwrap_or_else(|| Value::default_of(*sort)),
            Node::Not(a) => Value::Bool(!of(a).bool()),
            Node::And(args) => Value::Bool(args.iter().all(|arg| of(arg).bool())),
            Node::Eq(a, b) => Value::Bool(of(a) == of(b)),
            Node::Ite(condition, then, otherwise) => of(if of(condition).bool() { then } else { otherwise }).clone(),
            Node::Ult(a, b) => Value::Bool(of(a).bits().ult(of(b).bits())),
            Node::Slt(a, b) => Value::Bool(of(a).bits().slt(of(b).bits())),
            Node::BitNot(a) => Value::Bits(of(a).bits().not()),
            Node::BitAnd(args) => {
                let values = args.iter().map(|arg| of(arg).bits().clone());
                Value::Bits(values.reduce(|a, b| a.and(&b)).expect("a conjunction should have parts"))
            }
            Node::BitXor(a, b) => bits(a, b, Bits::xor),
            Node::Sum(constant, monomials) => {
                let sum = |sum: Bits, (factor, term): &(Bits, Term)| sum.add(&factor.mul(of(term).bits()));
                Value::Bits(monomials.iter().fold(constant.clone(), sum))
            }
            Node::Mul(a, b) => bits(a, b, Bits::mul),
            Node::Udiv(a, b) => bits(a, b, Bits::udiv),
            Node::Urem(a, b) => bits(a, b, Bits::urem),
            Node::Shl(a, b) => bits(a, b, Bits::shl),
            Node::Lshr(a, b) => bits(a, b, Bits::lshr),
            Node::Ashr(a, b) => bits(a, b, Bits::ashr),
            Node::Concat(a, b) => bits(a, b, Bits::concat),
            Node::Extract { high, low, of: a } => Value::Bits(of(a).bits().extract(*high, *low)),
            Node::SignExtend(by, a) => Value::Bits(of(a).bits().sign_extend(*by)),
            Node::Select(array, index) => Value::Bits(of(array).array().get(of(index).bits()).clone()),
            Node::Store(array, index, value) => {
                let mut array = of(array).array().clone();
                array.set(of(index).bits().clone(), of(value).bits().clone());
                Value::Array(array)
            }
            Node::Const(Sort::Array { index, .. }, value) => {
                Value::Array(ArrayValue::new(*index, of(value).bits().clone()))
            }
            Node::Const(..) => panic!("constant arrays should have an array sort"),
        }
    }
}
