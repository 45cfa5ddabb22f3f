//! Decision hints: interference first, that is, reads-from choices and then write-order choices, in the order they
//! were declared, all decided true. (He, Sun, Fan, PLDI 2021, find them to be the decisions that matter.)

use crate::sat::Lit;

#[derive(Default)]
pub(super) struct Hints {
    pub(super) enabled: bool,
    reads_from: Vec<Lit>,
    write_order: Vec<Lit>,
    /// All choices before this one are assigned.
    next: usize,
    /// Its value at the start of each level.
    saved: Vec<usize>,
}

impl Hints {
    pub(super) fn add_reads_from(&mut self, lit: Lit) {
        self.reads_from.push(lit);
        self.next = 0;
    }

    pub(super) fn add_write_order(&mut self, lit: Lit) {
        self.write_order.push(lit);
        self.next = 0;
    }

    pub(super) fn new_level(&mut self) {
        self.saved.push(self.next);
    }

    pub(super) fn backtrack(&mut self, level: usize) {
        if let Some(&next) = self.saved.get(level) {
            self.next = next;
            self.saved.truncate(level);
        }
    }

    /// The first choice that is not assigned.
    pub(super) fn decide(&mut self, is_assigned: impl Fn(Lit) -> bool) -> Option<Lit> {
        if !self.enabled {
            return None;
        }
        let mut choices = self.reads_from.iter().chain(&self.write_order).skip(self.next);
        let open = choices.position(|&lit| !is_assigned(lit));
        match open {
            Some(skipped) => {
                self.next += skipped;
                self.reads_from.iter().chain(&self.write_order).nth(self.next).copied()
            }
            None => {
                self.next = self.reads_from.len() + self.write_order.len();
                None
            }
        }
    }
}
