//! Arrays: reads see through writes to other indices.

use super::{Node, Sort, Term, Terms};

/// The result of a read.
enum Seen {
    Value(Term),
    /// An array that is not a store.
    Array(Term),
}

impl Terms {
    /// The array's element at the index.
    ///
    /// The branches of an if-then-else are read one by one; reads are memoised, and branches come before the
    /// if-then-else, for the reasons given at [`Terms::extract`].
    pub fn select(&mut self, array: Term, index: Term) -> Term {
        let Sort::Array { index: index_width, .. } = self.sort(array) else { panic!("select needs an array") };
        assert_eq!(self.sort(index), Sort::Bits(index_width), "the index should have the array's index sort");
        let mut open = vec![array];
        let mut done = array;
        while let Some(&array) = open.last() {
            if let Some(&read) = self.reads.get(&(array, index)) {
                open.pop();
                done = read;
                continue;
            }
            let read = match self.see_through(array, index) {
                Seen::Value(value) => value,
                Seen::Array(seen) => match *self.node(seen) {
                    Node::Ite(condition, then, otherwise) => {
                        let branches = [then, otherwise].map(|branch| self.reads.get(&(branch, index)).copied());
                        let [Some(then), Some(otherwise)] = branches else {
                            let missing = [then, otherwise].into_iter().zip(branches);
                            open.extend(missing.filter(|(_, read)| read.is_none()).map(|(branch, _)| branch));
                            continue;
                        };
                        self.ite(condition, then, otherwise)
                    }
                    _ => {
                        let Sort::Array { element, .. } = self.sort(seen) else { panic!("select needs an array") };
                        self.intern(Node::Select(seen, index), Sort::Bits(element))
                    }
                },
            };
            self.reads.insert((array, index), read);
        }
        done
    }

    /// The result of a read below stores to other indices.
    fn see_through(&mut self, mut array: Term, index: Term) -> Seen {
        loop {
            match *self.node(array) {
                Node::Store(below, written, value) => {
                    let same = self.eq(written, index);
                    match self.as_bool(same) {
                        Some(true) => return Seen::Value(value),
                        Some(false) => array = below,
                        None => return Seen::Array(array),
                    }
                }
                Node::Const(_, value) => return Seen::Value(value),
                _ => return Seen::Array(array),
            }
        }
    }

    /// The array, with this element at this index.
    pub fn store(&mut self, array: Term, index: Term, value: Term) -> Term {
        let sort = self.sort(array);
        let Sort::Array { index: index_width, element } = sort else { panic!("store needs an array") };
        assert_eq!(self.sort(index), Sort::Bits(index_width), "the index should have the array's index sort");
        assert_eq!(self.sort(value), Sort::Bits(element), "the value should have the array's element sort");
        if *self.node(value) == Node::Select(array, index) {
            return array;
        }
        if let Node::Store(below, written, _) = *self.node(array) {
            if written == index {
                return self.store(below, index, value);
            }
        }
        if let Node::Const(_, everywhere) = *self.node(array) {
            if everywhere == value {
                return array;
            }
        }
        self.intern(Node::Store(array, index, value), sort)
    }

    /// The array that has this element everywhere.
    pub fn constant_array(&mut self, index: u32, value: Term) -> Term {
        let sort = Sort::Array { index, element: self.width(value) };
        self.intern(Node::Const(sort, value), sort)
    }
}
