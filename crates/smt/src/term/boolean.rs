//! Booleans: constants, negation, conjunction and derived connectives, equality of Booleans, if-then-else.

use super::{Node, Sort, Term, Terms};

/// Maximum length of a conjunction that is merged into others: repeated merging would be quadratic.
pub(super) const LONGEST_CONJUNCTION: usize = 200;

impl Terms {
    /// A Boolean constant.
    pub fn bool(&mut self, value: bool) -> Term {
        self.intern(Node::Bool(value), Sort::Bool)
    }

    /// Negation.
    pub fn not(&mut self, a: Term) -> Term {
        match *self.node(a) {
            Node::Bool(value) => self.bool(!value),
            Node::Not(inner) => inner,
            _ => self.intern(Node::Not(a), Sort::Bool),
        }
    }

    /// Conjunction; true if there are none.
    pub fn and(&mut self, args: impl IntoIterator<Item = Term>) -> Term {
        let mut flat = Vec::new();
        for arg in args {
            assert_eq!(self.sort(arg), Sort::Bool, "conjuncts should be Boolean");
            match self.node(arg) {
                Node::Bool(true) => {}
                Node::Bool(false) => return arg,
                Node::And(inner) if inner.len() <= LONGEST_CONJUNCTION => flat.extend_from_slice(inner),
                _ => flat.push(arg),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        // A negation comes after what it negates.
        let is_contradiction = flat.iter().any(|&arg| match self.node(arg) {
            Node::Not(inner) => match self.node(*inner) {
                Node::And(parts) => parts.iter().all(|part| flat.binary_search(part).is_ok()),
                _ => flat.binary_search(inner).is_ok(),
            },
            _ => false,
        });
        match flat.len() {
            _ if is_contradiction => self.bool(false),
            0 => self.bool(true),
            1 => flat[0],
            _ => self.intern(Node::And(flat.into()), Sort::Bool),
        }
    }

    /// The conjuncts of a formula: none for true, itself if it is no conjunction.
    pub fn conjuncts(&self, formula: Term) -> Vec<Term> {
        let mut parts = Vec::new();
        let mut open = vec![formula];
        while let Some(part) = open.pop() {
            match self.node(part) {
                Node::And(inner) => open.extend(inner.iter().rev()),
                Node::Bool(true) => {}
                _ => parts.push(part),
            }
        }
        parts
    }

    /// Conjunction of two.
    pub fn and2(&mut self, a: Term, b: Term) -> Term {
        self.and([a, b])
    }

    /// Disjunction; false if there are none.
    pub fn or(&mut self, args: impl IntoIterator<Item = Term>) -> Term {
        let negated: Vec<Term> = args.into_iter().map(|arg| self.not(arg)).collect();
        let none = self.and(negated);
        self.not(none)
    }

    /// Disjunction of two.
    pub fn or2(&mut self, a: Term, b: Term) -> Term {
        self.or([a, b])
    }

    /// Implication.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_a = self.not(a);
        self.or([not_a, b])
    }

    /// Exclusive or of Booleans.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        let same = self.eq(a, b);
        self.not(same)
    }

    /// Equality of Booleans; `a < b` and both are Boolean.
    pub(super) fn eq_bool(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.bool(true);
        }
        match (self.node(a), self.node(b)) {
            (&Node::Bool(value), _) => return if value { b } else { self.not(b) },
            (_, &Node::Bool(value)) => return if value { a } else { self.not(a) },
            (&Node::Not(inner), _) => {
                let same = self.eq(inner, b);
                return self.not(same);
            }
            (_, &Node::Not(inner)) => {
                let same = self.eq(a, inner);
                return self.not(same);
            }
            _ => {}
        }
        self.intern(Node::Eq(a, b), Sort::Bool)
    }

    /// If-then-else.
    pub fn ite(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        let sort = self.sort(then);
        assert_eq!(sort, self.sort(otherwise), "both branches should have one sort");
        if then == otherwise {
            return then;
        }
        match *self.node(condition) {
            Node::Bool(true) => return then,
            Node::Bool(false) => return otherwise,
            Node::Not(inner) => return self.ite(inner, otherwise, then),
            _ => {}
        }
        // The condition decides nested if-then-elses on the same condition.
        let then = self.branch_of(then, condition, true);
        let otherwise = self.branch_of(otherwise, condition, false);
        if then == otherwise {
            return then;
        }
        if sort == Sort::Bool {
            if let Some(term) = self.ite_as_connective(condition, then, otherwise) {
                return term;
            }
        }
        if let Node::Ite(inner, a, b) = *self.node(then) {
            if b == otherwise {
                let both = self.and2(condition, inner);
                return self.ite(both, a, b);
            }
            if a == otherwise {
                let not_inner = self.not(inner);
                let only = self.and2(condition, not_inner);
                return self.ite(only, b, a);
            }
        }
        if let Node::Ite(inner, a, b) = *self.node(otherwise) {
            if a == then {
                let either = self.or2(condition, inner);
                return self.ite(either, a, b);
            }
            if b == then {
                let not_inner = self.not(inner);
                let either = self.or2(condition, not_inner);
                return self.ite(either, b, a);
            }
        }
        self.intern(Node::Ite(condition, then, otherwise), sort)
    }

    /// The branch of an if-then-else on the same condition.
    fn branch_of(&self, term: Term, condition: Term, value: bool) -> Term {
        match *self.node(term) {
            Node::Ite(inner, a, b) if inner == condition => {
                if value {
                    a
                } else {
                    b
                }
            }
            _ => term,
        }
    }

    /// A Boolean if-then-else with a branch that is constant or the condition.
    fn ite_as_connective(&mut self, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
        let not_condition = self.not(condition);
        match (self.as_bool(then), self.as_bool(otherwise)) {
            (Some(true), _) => return Some(self.or2(condition, otherwise)),
            (Some(false), _) => return Some(self.and2(not_condition, otherwise)),
            (_, Some(true)) => return Some(self.or2(not_condition, then)),
            (_, Some(false)) => return Some(self.and2(condition, then)),
            _ => {}
        }
        if then == condition {
            return Some(self.or2(condition, otherwise));
        }
        if otherwise == condition {
            return Some(self.and2(condition, then));
        }
        let not_otherwise = self.not(otherwise);
        (then == not_otherwise).then(|| self.eq(condition, then))
    }

    /// Pairwise different.
    pub fn distinct(&mut self, args: &[Term]) -> Term {
        let mut parts = Vec::new();
        for (index, &a) in args.iter().enumerate() {
            for &b in &args[..index] {
                let same = self.eq(a, b);
                parts.push(self.not(same));
            }
        }
        self.and(parts)
    }
}
