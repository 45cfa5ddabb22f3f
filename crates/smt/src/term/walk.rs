//! Walking over terms without recursion: they can be deeper than the stack. Substitution, and which variables occur.

use super::{Node, Sort, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

impl Terms {
    /// Calls `visit` once for every term below the roots, arguments before their terms. Terms for which `is_done` holds
    /// are skipped, and so are terms below them only.
    pub fn for_each_below(&self, roots: &[Term], mut is_done: impl FnMut(Term) -> bool, mut visit: impl FnMut(Term)) {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<(Term, bool)> = roots.iter().rev().map(|&root| (root, false)).collect();
        while let Some((term, are_arguments_done)) = stack.pop() {
            if are_arguments_done {
                visit(term);
            } else if !is_done(term) && seen.insert(term) {
                stack.push((term, true));
                self.node(term).for_each_argument(|argument| stack.push((argument, false)));
            }
        }
    }

    /// The terms below the roots, arguments first.
    pub fn below(&self, roots: &[Term]) -> Vec<Term> {
        let mut terms = Vec::new();
        self.for_each_below(roots, |_| false, |term| terms.push(term));
        terms
    }

    /// The variables that occur in the roots, in order of creation.
    pub fn variables(&self, roots: &[Term]) -> Vec<Term> {
        let mut variables = self.below(roots);
        variables.retain(|&term| self.is_variable(term));
        variables.sort_unstable();
        variables
    }

    /// The same operator on other arguments, normalised anew.
    pub fn rebuild(&mut self, term: Term, argument: impl Fn(Term) -> Term) -> Term {
        match self.node(term).clone() {
            Node::Bool(_) | Node::Bits(_) | Node::Var(..) => term,
            Node::Not(a) => self.not(argument(a)),
            Node::And(args) => self.and(args.iter().map(|&arg| argument(arg))),
            Node::Eq(a, b) => self.eq(argument(a), argument(b)),
            Node::Ite(a, b, c) => self.ite(argument(a), argument(b), argument(c)),
            Node::Ult(a, b) => self.ult(argument(a), argument(b)),
            Node::Slt(a, b) => self.slt(argument(a), argument(b)),
            Node::BitNot(a) => self.bit_not(argument(a)),
            Node::BitAnd(args) => self.bit_and(args.iter().map(|&arg| argument(arg))),
            Node::BitXor(a, b) => self.bit_xor(argument(a), argument(b)),
            Node::Sum(constant, monomials) => {
                self.linear_sum(constant, monomials.iter().map(|(factor, arg)| (factor.clone(), argument(*arg))))
            }
            Node::Mul(a, b) => self.mul(argument(a), argument(b)),
            Node::Udiv(a, b) => self.udiv(argument(a), argument(b)),
            Node::Urem(a, b) => self.urem(argument(a), argument(b)),
            Node::Shl(a, b) => self.shl(argument(a), argument(b)),
            Node::Lshr(a, b) => self.lshr(argument(a), argument(b)),
            Node::Ashr(a, b) => self.ashr(argument(a), argument(b)),
            Node::Concat(a, b) => self.concat(argument(a), argument(b)),
            Node::Extract { high, low, of } => self.extract(high, low, argument(of)),
            Node::SignExtend(by, a) => self.sign_extend(by, argument(a)),
            Node::Select(a, b) => self.select(argument(a), argument(b)),
            Node::Store(a, b, c) => self.store(argument(a), argument(b), argument(c)),
            Node::Const(Sort::Array { index, .. }, a) => self.constant_array(index, argument(a)),
            Node::Const(..) => panic!("constant arrays should have an array sort"),
        }
    }
}

/// A simultaneous substitution of terms, usually for variables. Results are memoised.
#[derive(Clone, Default, Debug)]
pub struct Substitution {
    images: FxHashMap<Term, Term>,
}

impl Substitution {
    /// Replaces the first term of each pair by the second.
    pub fn new(pairs: impl IntoIterator<Item = (Term, Term)>) -> Substitution {
        Substitution { images: pairs.into_iter().collect() }
    }

    /// Adds a replacement for a term that had none.
    pub fn set(&mut self, term: Term, image: Term) {
        self.images.insert(term, image);
    }

    /// The term with its subterms replaced.
    pub fn apply(&mut self, terms: &mut Terms, term: Term) -> Term {
        let mut order = Vec::new();
        terms.for_each_below(&[term], |term| self.images.contains_key(&term), |term| order.push(term));
        for term in order {
            let image = terms.rebuild(term, |argument| self.images[&argument]);
            self.images.insert(term, image);
        }
        self.images[&term]
    }
}
