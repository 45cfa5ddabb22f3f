//! Decision hints.
//!
//! Goals first: if one of many goals must become true, the first that is not known to be false is decided true. Then every
//! conflict is about that goal, and when it is refuted it is refuted permanently. Without this the solver makes choices that
//! no goal depends on, and learns clauses that mention them. There may be several groups of goals, of each of which one must
//! become true.
//!
//! Then interference, that is, reads-from choices and then write-order choices, in the order they were declared, all
//! decided true. (He, Sun, Fan, PLDI 2021, find them to be the decisions that matter.)
//!
//! On other problems a fixed order of decisions keeps the solver from learning which ones matter, and it may not terminate
//! in practice. So hints and the solver's own decisions take turns, for an increasing number of conflicts: no problem takes
//! much more than twice as long as with the better of the two.

use crate::sat::Lit;

/// The length of the first turns, in conflicts and restarts.
const FIRST_TURN: u64 = 4096;

#[derive(Default)]
pub(super) struct Hints {
    pub(super) enabled: bool,
    /// One literal of each group must become true.
    goals: Vec<Vec<Lit>>,
    turn: Turn,
    reads_from: Vec<Lit>,
    write_order: Vec<Lit>,
    /// All choices before this one are assigned.
    next: usize,
    /// Its value at the start of each level.
    saved: Vec<usize>,
}

/// The current turn.
struct Turn {
    is_own: bool,
    /// The length of each turn, and the remaining length of this one.
    length: u64,
    left: u64,
}

impl Default for Turn {
    fn default() -> Turn {
        Turn { is_own: true, length: FIRST_TURN, left: FIRST_TURN }
    }
}

impl Turn {
    /// A conflict, or a restart.
    fn pass(&mut self) {
        self.left -= 1;
        if self.left == 0 {
            self.is_own = !self.is_own;
            self.length = if self.is_own { 2 * self.length } else { self.length };
            self.left = self.length;
        }
    }
}

impl Hints {
    pub(super) fn set_goals(&mut self, goals: Vec<Vec<Lit>>) {
        self.goals = goals;
    }

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
        self.turn.pass();
        if let Some(&next) = self.saved.get(level) {
            self.next = next;
            self.saved.truncate(level);
        }
    }

    /// The next decision, given the values of literals.
    pub(super) fn decide(&mut self, value: impl Fn(Lit) -> Option<bool>) -> Option<Lit> {
        let is_assigned = |lit: Lit| value(lit).is_some();
        for group in &self.goals {
            match group.iter().find(|&&goal| value(goal) != Some(false)) {
                Some(&goal) if !is_assigned(goal) => return Some(goal),
                Some(_) | None => {}
            }
        }
        if !self.enabled || !self.turn.is_own {
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
