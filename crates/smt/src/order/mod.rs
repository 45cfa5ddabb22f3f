//! The order theory: graphs that must stay acyclic, with edges chosen by literals, inside the SAT solver.
//!
//! A memory model asks for one or several orders of the events of an execution. Program order and the like are fixed
//! edges; reads-from (rf) and the order of two writes (co) are choices, each with a literal; that a read comes before the
//! writes that overwrite what it read (fr) follows from both. [`Order`] takes these declarations and restricts the solver
//! to choices for which every order is acyclic. [`problem`] defines their meaning, `theory.rs` implements them, and
//! [`clocks`] encodes the same by bit-vector clocks and clauses.
//!
//! ```
//! use base::Budget;
//! use smt::order::{Includes, Order};
//! use smt::sat::{Answer, Sat};
//!
//! // Message passing: x = 1; y = 1 ∥ a = y; b = x. Can a be 1 and b be 0?
//! let mut sat = Sat::new();
//! let mut order = Order::new(&mut sat);
//! let sc = order.order(Includes::ALL);
//! let events: Vec<_> = [0, 0, 1, 1, 2, 2].into_iter().map(|thread| order.event(thread)).collect();
//! let [init_x, init_y, write_x, write_y, read_y, read_x] = events[..] else { unreachable!() };
//! for (before, after) in [(write_x, write_y), (read_y, read_x)] {
//!     let (before, after) = (order.node_at(before, sc), order.node_at(after, sc));
//!     order.edge(before, after);
//! }
//! let literals: Vec<_> = (0..4).map(|_| sat.fresh()).collect();
//! order.write_order(&mut sat, literals[0], init_x, write_x);
//! order.write_order(&mut sat, literals[1], init_y, write_y);
//! order.reads_from(&mut sat, literals[2], write_y, read_y);
//! order.reads_from(&mut sat, literals[3], init_x, read_x);
//! assert_eq!(sat.solve(&literals[..3], &Budget::unlimited()), Ok(Answer::Sat));
//! assert_eq!(sat.solve(&literals, &Budget::unlimited()), Ok(Answer::Unsat));
//! ```
//!
//! Encoding of the memory models: `sc` is one order with [`Includes::ALL`]. `tso` and `pso` are two, one with all of rf,
//! co, fr and the program order within a location, one with external reads-from only and the preserved program order.
//! `ra` is happens-before, an order with rf only, and a second one with all of rf, co and fr, into which
//! [`Order::edge_if_path`] brings happens-before between accesses of the same location. A read-modify-write is one event
//! that takes part both as a read and as a write; that nothing comes between is then a matter of acyclicity.
//!
//! Limits: the closure of an order takes 2n² bits for n nodes, so that orders beyond some 20,000 nodes cost
//! too much. Literals that would make a *path* complete are not propagated, cycles through them are found.

mod apply;
pub mod clocks;
mod closure;
mod explain;
mod hints;
mod lemma;
mod model;
pub mod problem;
mod propagator;
mod theory;

pub use lemma::{EdgeJustification, TheoryLemma};
pub use problem::{Event, Includes, Node, OrderId, Pairs, Problem};

use crate::proof;
use crate::sat::{Lit, Sat};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::{Ref, RefCell};
use std::rc::Rc;
use theory::Theory;

/// Statistics of the theory.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Statistics {
    /// Edges added, including those added again after backtracking.
    pub edges: u64,
    /// Cycles found during the search.
    pub conflicts: u64,
    /// Literals propagated.
    pub propagations: u64,
    /// Models rejected only by the check from scratch: the incremental state had missed a cycle.
    pub missed: u64,
}

/// The order theory of one [`Sat`]. Declarations take effect at the next [`Sat::solve`].
pub struct Order {
    theory: Rc<RefCell<Theory>>,
    /// The literals that represent variables, mostly themselves.
    observed: FxHashMap<usize, Lit>,
    /// Whether the theory takes part in the search; otherwise it is encoded as clauses.
    is_theory: bool,
    /// Whether the clauses are still to be added.
    has_clocks_due: bool,
}

impl Order {
    /// Connects a theory without orders to the solver, which must be the one given to the other functions.
    pub fn new(sat: &mut Sat) -> Order {
        let theory = Rc::new(RefCell::new(Theory::default()));
        sat.connect(Rc::clone(&theory));
        Order { theory, observed: FxHashMap::default(), is_theory: true, has_clocks_due: false }
    }

    /// Orders encoded as clauses, by [`Order::add_clocks`], instead of as a theory.
    pub fn with_clocks() -> Order {
        Order { theory: Rc::default(), observed: FxHashMap::default(), is_theory: false, has_clocks_due: true }
    }

    /// Adds the clauses of orders that are encoded as clauses, before the first solving; later declarations are
    /// ignored.
    pub fn add_clocks(&mut self, sat: &mut Sat) {
        if std::mem::take(&mut self.has_clocks_due) {
            clocks::encode(&self.theory.borrow().problem, sat);
        }
    }

    /// A new order, before the first event.
    pub fn order(&mut self, includes: Includes) -> OrderId {
        self.theory.borrow_mut().problem.order(includes)
    }

    /// A new event, with a node in each order. The thread determines which pairs are [`Pairs::External`].
    pub fn event(&mut self, thread: u32) -> Event {
        self.theory.borrow_mut().problem.event(thread)
    }

    /// A new node without an event.
    pub fn node(&mut self, order: OrderId) -> Node {
        self.theory.borrow_mut().problem.node(order)
    }

    /// The node of an event in an order.
    pub fn node_at(&self, event: Event, order: OrderId) -> Node {
        self.theory.borrow().problem.node_at(event, order)
    }

    /// An edge that is always present.
    pub fn edge(&mut self, from: Node, to: Node) {
        self.theory.borrow_mut().problem.edge(&[], None, from, to);
    }

    /// An edge that is present when all of `when` are true.
    pub fn edge_if(&mut self, sat: &mut Sat, when: &[Lit], from: Node, to: Node) {
        self.conditional(sat, when, None, from, to);
    }

    /// An edge that is present when all of `when` are true and there is a path from the first to the second node of
    /// `path`, which belong to another order or to the same.
    pub fn edge_if_path(&mut self, sat: &mut Sat, when: &[Lit], path: (Node, Node), from: Node, to: Node) {
        self.conditional(sat, when, Some(path), from, to);
    }

    fn conditional(&mut self, sat: &mut Sat, when: &[Lit], path: Option<(Node, Node)>, from: Node, to: Node) {
        if when.contains(&Lit::FALSE) {
            return;
        }
        let mut watched: SmallVec<[Lit; 4]> = SmallVec::new();
        for &lit in when.iter().filter(|&&lit| lit != Lit::TRUE) {
            watched.push(self.watch(sat, lit));
        }
        watched.sort_unstable();
        watched.dedup();
        self.theory.borrow_mut().problem.edge(&watched, path, from, to);
    }

    /// When `lit` is true, `read` reads from `write`.
    pub fn reads_from(&mut self, sat: &mut Sat, lit: Lit, write: Event, read: Event) {
        let lit = self.watch(sat, lit);
        self.theory.borrow_mut().problem.reads_from.push(problem::Choice { lit, first: write, second: read });
    }

    /// When `lit` is true, both writes occur, are to the same location, and `earlier` comes first.
    pub fn write_order(&mut self, sat: &mut Sat, lit: Lit, earlier: Event, later: Event) {
        let lit = self.watch(sat, lit);
        self.theory.borrow_mut().problem.write_order.push(problem::Choice { lit, first: earlier, second: later });
    }

    /// Makes the solver notify the theory about a literal. One that the solver may have eliminated already cannot be
    /// observed any more: a new literal, equal to it, represents it.
    fn watch(&mut self, sat: &mut Sat, lit: Lit) -> Lit {
        if !self.is_theory {
            return lit;
        }
        if let Some(watched) = self.observed.get(&lit.var()) {
            return watched.negate_if(!lit.is_positive());
        }
        let watched = if sat.is_untouched(lit) {
            lit
        } else {
            let stand_in = sat.fresh();
            sat.add(&[!lit, stand_in]);
            sat.add(&[lit, !stand_in]);
            stand_in
        };
        self.observed.insert(lit.var(), watched.negate_if(!lit.is_positive()));
        sat.observe(watched);
        watched
    }

    /// Whether the solver is to decide reads-from choices first, then write-order choices, before anything else.
    pub fn set_hints(&mut self, enabled: bool) {
        self.theory.borrow_mut().hints.enabled = enabled;
    }

    /// The solver decides literals of each group first, since one of each must become true. Only a heuristic.
    pub fn set_goals(&mut self, sat: &mut Sat, groups: &[Vec<Lit>]) {
        if !self.is_theory {
            return;
        }
        let is_open = |lit: &Lit| *lit != Lit::TRUE && *lit != Lit::FALSE;
        let mut watched = Vec::with_capacity(groups.len());
        for group in groups {
            watched.push(group.iter().copied().filter(is_open).map(|lit| self.watch(sat, lit)).collect());
        }
        self.theory.borrow_mut().hints.set_goals(watched);
    }

    /// Logs every clause given to the solver from now on, and returns a function that takes them, for the log of a
    /// certificate.
    pub(crate) fn lemma_source(&mut self) -> impl FnMut() -> Vec<(Vec<Lit>, proof::Lemma)> + use<> {
        self.log_lemmas();
        let theory = Rc::clone(&self.theory);
        move || {
            let lemmas = theory.borrow_mut().log.as_mut().map(std::mem::take).unwrap_or_default();
            lemmas.into_iter().map(|lemma| (lemma.clause.clone(), proof::order::lemma_of(&lemma))).collect()
        }
    }

    /// Logs every clause given to the solver from now on, with the cycle that proves it.
    pub fn log_lemmas(&mut self) {
        self.theory.borrow_mut().log.get_or_insert_default();
    }

    /// Takes the lemmas logged so far, in the order the solver got them.
    pub fn take_lemmas(&mut self) -> Vec<TheoryLemma> {
        self.theory.borrow_mut().log.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The edges that are present in the last model of the solver, of all orders.
    pub fn present_edges(&self, sat: &mut Sat) -> Vec<(Node, Node)> {
        let problem = self.problem();
        let sat = RefCell::new(sat);
        model::present_edges(&problem, |lit| sat.borrow_mut().value(lit))
    }

    /// All declarations.
    pub fn problem(&self) -> Ref<'_, Problem> {
        Ref::map(self.theory.borrow(), |theory| &theory.problem)
    }

    /// The statistics so far.
    pub fn statistics(&self) -> Statistics {
        self.theory.borrow().statistics
    }
}
