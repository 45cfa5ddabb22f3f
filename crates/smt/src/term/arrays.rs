//! Arrays: reads see through writes to other indices.

use super::{Node, Sort, Term, Terms};

impl Terms {
    /// The array's element at the index.
    pub fn select(&mut self, array: Term, index: Term) -> Term {
        let Sort::Array { index: index_width, element } = self.sort(array) else { panic!("select needs an array") };
        assert_eq!(self.sort(index), Sort::Bits(index_width), "the index should have the array's index sort");
        let mut array = array;
        loop {
            match *self.node(array) {
                Node::Store(below, written, value) => {
                    let same = self.eq(written, index);
                    match self.as_bool(same) {
                        Some(true) => return value,
                        Some(false) => array = below,
                        None => break,
                    }
                }
                Node::Const(_, value) => return value,
                Node::Ite(condition, then, otherwise) => {
                    let then = self.select(then, index);
                    let otherwise = self.select(otherwise, index);
                    return self.ite(condition, then, otherwise);
                }
                _ => break,
            }
        }
        self.intern(Node::Select(array, index), Sort::Bits(element))
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
