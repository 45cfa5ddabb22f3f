//! Terms: hash-consed, normalised while they are built.
//!
//! A [`Term`] is an index into [`Terms`], so equal terms are equal indices. Terms are made only by the constructors of
//! `Terms` (files beside this one), and each applies rewriting rules first: [`Node`] defines the *normal form* of nodes.
//! SMT-LIB operators without a node of their own are expanded into those that have one ([`derived`]).

mod arithmetic;
mod arrays;
pub mod bits;
mod bitwise;
mod boolean;
mod comparison;
mod derived;
mod infix;
pub mod print;
mod range;
mod slices;
pub mod value;
mod walk;

pub use bits::Bits;
pub use value::{ArrayValue, Assignment, Value};
pub use walk::Substitution;

use base::define_id;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::fmt;

define_id!(
    /// A term of one [`Terms`]. Prints as `t7`.
    Term, "t"
);

/// The sort of a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// True or false.
    Bool,
    /// A bit-vector of this width.
    Bits(u32),
    /// An array from bit-vectors to bit-vectors.
    Array {
        /// The width of indices.
        index: u32,
        /// The width of elements.
        element: u32,
    },
}

/// In SMT-LIB.
impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => f.write_str("Bool"),
            Sort::Bits(width) => write!(f, "(_ BitVec {width})"),
            Sort::Array { index, element } => write!(f, "(Array (_ BitVec {index}) (_ BitVec {element}))"),
        }
    }
}

/// The operator of a term with its arguments. Arguments have smaller indices than the term, so every traversal
/// terminates.
///
/// Disjunction is the negated conjunction of negations, for Booleans and bit-vectors alike; `a <= b` is `!(b < a)`;
/// zero extension is concatenation with zeros.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A Boolean constant.
    Bool(bool),
    /// A bit-vector constant.
    Bits(Bits),
    /// A variable: its number, and its sort. Its name is in [`Terms::name`].
    Var(u32, Sort),
    /// Negation; never of a negation or a constant.
    Not(Term),
    /// Conjunction of at least two, sorted, different, none of them a constant, another's negation or a conjunction unless it
    /// is a long one.
    And(Box<[Term]>),
    /// Equality, the smaller index first. Of Booleans: never with a negation or a constant.
    Eq(Term, Term),
    /// If-then-else of any sort; the condition is no negation and no constant.
    Ite(Term, Term, Term),
    /// Unsigned less-than.
    Ult(Term, Term),
    /// Signed less-than.
    Slt(Term, Term),
    /// Bitwise negation; never of a negation, a constant or a concatenation.
    BitNot(Term),
    /// Bitwise conjunction of at least two, sorted, different, at most one of them (the first) a constant, none of them a
    /// bitwise conjunction unless it is a long one.
    BitAnd(Box<[Term]>),
    /// Bitwise exclusive or, the smaller index first, neither a negation.
    BitXor(Term, Term),
    /// A linear sum: the constant, and terms with their factors, sorted by term. No factor is 0, and the first is not
    /// negative; no term is a constant or a negation, or a sum unless it is a long one; the sum is not just one of its
    /// parts.
    Sum(Bits, Box<[(Bits, Term)]>),
    /// A product of two terms that are no constants, the smaller index first.
    Mul(Term, Term),
    /// Unsigned quotient, all ones for divisor 0.
    Udiv(Term, Term),
    /// Unsigned remainder, the dividend for divisor 0.
    Urem(Term, Term),
    /// Left shift by a term that is no constant.
    Shl(Term, Term),
    /// Logical right shift by a term that is no constant.
    Lshr(Term, Term),
    /// Arithmetic right shift by a term that is no constant.
    Ashr(Term, Term),
    /// The first above the second; the first is no concatenation.
    Concat(Term, Term),
    /// The bits from `high` down to `low` of a term that is no concatenation, extract, constant or if-then-else.
    Extract {
        /// The highest bit.
        high: u32,
        /// The lowest bit.
        low: u32,
        /// The term.
        of: Term,
    },
    /// This many copies of the sign bit above the term.
    SignExtend(u32, Term),
    /// The array's element at the index.
    Select(Term, Term),
    /// The array, with this element at this index.
    Store(Term, Term, Term),
    /// The array of this sort that has this element everywhere.
    Const(Sort, Term),
}

impl Node {
    /// Calls `visit` with each argument, in order.
    pub fn for_each_argument(&self, mut visit: impl FnMut(Term)) {
        match self {
            Node::Bool(_) | Node::Bits(_) | Node::Var(..) => {}
            Node::Not(a)
            | Node::BitNot(a)
            | Node::Extract { of: a, .. }
            | Node::SignExtend(_, a)
            | Node::Const(_, a) => {
                visit(*a);
            }
            Node::And(args) | Node::BitAnd(args) => args.iter().for_each(|&arg| visit(arg)),
            Node::Sum(_, monomials) => monomials.iter().for_each(|&(_, arg)| visit(arg)),
            Node::Eq(a, b)
            | Node::Ult(a, b)
            | Node::Slt(a, b)
            | Node::BitXor(a, b)
            | Node::Mul(a, b)
            | Node::Udiv(a, b)
            | Node::Urem(a, b)
            | Node::Shl(a, b)
            | Node::Lshr(a, b)
            | Node::Ashr(a, b)
            | Node::Concat(a, b)
            | Node::Select(a, b) => [*a, *b].into_iter().for_each(visit),
            Node::Ite(a, b, c) | Node::Store(a, b, c) => [*a, *b, *c].into_iter().for_each(visit),
        }
    }
}

/// All terms made so far.
#[derive(Default)]
pub struct Terms {
    nodes: IndexSet<Node, FxBuildHasher>,
    sorts: Vec<Sort>,
    /// Whether the term is an array or contains one.
    has_arrays: Vec<bool>,
    /// By number of the variable.
    names: Vec<String>,
    /// Memoised slices: the highest bit, the lowest bit, the term.
    slices: FxHashMap<(u32, u32, Term), Term>,
    /// Memoised reads of conditional arrays: the array and the index.
    reads: FxHashMap<(Term, Term), Term>,
}

impl Terms {
    /// No terms yet.
    pub fn new() -> Terms {
        Terms::default()
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The operator of a term with its arguments.
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[base::Id::index(term)]
    }

    /// Its sort.
    pub fn sort(&self, term: Term) -> Sort {
        self.sorts[base::Id::index(term)]
    }

    /// Whether the term is an array or contains one.
    pub fn has_arrays(&self, term: Term) -> bool {
        self.has_arrays[base::Id::index(term)]
    }

    /// The width of a bit-vector term.
    pub fn width(&self, term: Term) -> u32 {
        match self.sort(term) {
            Sort::Bits(width) => width,
            sort => panic!("a term of sort {sort} where a bit-vector should be"),
        }
    }

    /// The name of a variable.
    pub fn name(&self, variable: Term) -> &str {
        match self.node(variable) {
            Node::Var(number, _) => &self.names[*number as usize],
            _ => panic!("only variables have names"),
        }
    }

    /// A new variable, different from all others even if its name is not.
    pub fn variable(&mut self, name: impl Into<String>, sort: Sort) -> Term {
        let number = u32::try_from(self.names.len()).expect("variables should fit in 32 bits");
        self.names.push(name.into());
        self.intern(Node::Var(number, sort), sort)
    }

    /// The value, if the term is a bit-vector constant.
    pub fn as_bits(&self, term: Term) -> Option<&Bits> {
        match self.node(term) {
            Node::Bits(bits) => Some(bits),
            _ => None,
        }
    }

    /// The value, if the term is a Boolean constant.
    pub fn as_bool(&self, term: Term) -> Option<bool> {
        match self.node(term) {
            Node::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Whether the term is a variable.
    pub fn is_variable(&self, term: Term) -> bool {
        matches!(self.node(term), Node::Var(..))
    }

    /// The unique term for this node, which is in normal form.
    fn intern(&mut self, node: Node, sort: Sort) -> Term {
        let (index, is_new) = self.nodes.insert_full(node);
        if is_new {
            let mut has_arrays = matches!(sort, Sort::Array { .. });
            self.nodes[index].for_each_argument(|argument| has_arrays |= self.has_arrays(argument));
            self.sorts.push(sort);
            self.has_arrays.push(has_arrays);
        }
        base::Id::new(index)
    }
}
