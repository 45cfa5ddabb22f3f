//! The control-flow graph of a function for unrolling: loop nests, an order of locations, and live variables.
//!
//! States wait in a worklist ordered by [`Position`]: for each enclosing loop, outermost first, the index of its head
//! in reverse post-order and the iteration, then the index of the location itself. In a reducible graph every edge of
//! the unrolled graph leads to a greater position, so a position is processed after all its predecessors.

use crate::liveness::{liveness, Liveness};
use base::{Id, IdVec, Span};
use ir::analysis::graph::reverse_post_order;
use ir::{Callee, EdgeId, Function, FunctionId, LocId, LocalId, Program, Stmt};
use rustc_hash::FxHashSet;

/// The position of a state in the unrolled graph.
pub(crate) type Position = Vec<u32>;

/// The control-flow graph of a function.
#[derive(Debug)]
pub(crate) struct Control {
    pub(crate) out: IdVec<LocId, Vec<EdgeId>>,
    /// Indices in reverse post-order.
    place: IdVec<LocId, u32>,
    /// The heads of the loops around each location, outermost first. A head is inside its loop.
    pub(crate) nest: IdVec<LocId, Vec<LocId>>,
    /// Whether some cycle has two entries.
    pub(crate) is_irreducible: bool,
    /// Whether the function can return, or the thread end, from here.
    pub(crate) returns: IdVec<LocId, bool>,
    /// Loop heads from which such a location can be reached.
    pub(crate) is_left: IdVec<LocId, bool>,
    live: Liveness,
}

impl Control {
    /// The graph of a function, given the functions that may end the thread.
    pub(crate) fn new(function: &Function, ending: &FxHashSet<FunctionId>) -> Control {
        let out = function.edges_out();
        let order = reverse_post_order(function);
        let mut place = IdVec::filled(u32::MAX, function.locs);
        for (index, &loc) in order.iter().enumerate() {
            place[loc] = index as u32;
        }
        let mut into: IdVec<LocId, Vec<LocId>> = IdVec::filled(Vec::new(), function.locs);
        for edge in function.edges.iter().filter(|edge| place[edge.from] != u32::MAX) {
            into[edge.to].push(edge.from);
        }
        let dominators = dominators(&order, &place, &into);
        let mut nest = IdVec::filled(Vec::new(), function.locs);
        let mut is_irreducible = false;
        for &head in &order {
            let back: Vec<LocId> = into[head].iter().copied().filter(|&from| place[from] >= place[head]).collect();
            if back.is_empty() {
                continue;
            }
            is_irreducible |= back.iter().any(|&from| !dominates(&dominators, head, from));
            for loc in body(head, back, &into) {
                nest[loc].push(head);
            }
        }
        let returns = returning(function, &into, ending);
        let mut is_left = IdVec::filled(false, function.locs);
        for edge in function.edges.iter().filter(|edge| place[edge.from] != u32::MAX) {
            for &head in nest[edge.from].iter().filter(|head| !nest[edge.to].contains(head)) {
                is_left[head] |= returns[edge.to] || is_end(&edge.stmt, ending);
            }
        }
        Control { live: liveness(function), out, place, nest, is_irreducible, returns, is_left }
    }

    /// The heads of all loops.
    pub(crate) fn heads(&self) -> impl Iterator<Item = LocId> + '_ {
        self.nest.enumerate().filter(|(loc, nest)| nest.last() == Some(loc)).map(|(loc, _)| loc)
    }

    /// The source position of a loop: the first line among the edges out of its head and its back edges (which locate a
    /// `for` statement).
    pub(crate) fn loop_span(&self, program: &Program, function: FunctionId, head: LocId) -> Option<Span> {
        let code = &program.functions[function];
        let is_back = |edge: &&ir::Edge| edge.to == head && self.nest[edge.from].contains(&head);
        let out = self.out[head].iter().map(|&edge| &code.edges[edge]);
        let spans = out.chain(code.edges.iter().filter(is_back)).map(|edge| edge.span);
        spans.filter(|&span| program.is_users(span) && span.is_known()).min_by_key(|span| span.line)
    }

    /// The position of a location in these iterations of the loops around it.
    pub(crate) fn position(&self, loc: LocId, iterations: &[u32]) -> Position {
        let mut position = Vec::with_capacity(2 * iterations.len() + 1);
        for (head, iteration) in self.nest[loc].iter().zip(iterations) {
            position.extend([self.place[*head], *iteration]);
        }
        position.push(self.place[loc]);
        position
    }

    /// Whether a variable may be read before it is written.
    pub(crate) fn is_live(&self, loc: LocId, local: LocalId) -> bool {
        self.live[loc].contains(local.index())
    }
}

/// Immediate dominators (Cooper, Harvey, Kennedy 2001).
fn dominators(
    order: &[LocId],
    place: &IdVec<LocId, u32>,
    into: &IdVec<LocId, Vec<LocId>>,
) -> IdVec<LocId, Option<LocId>> {
    let mut dominator: IdVec<LocId, Option<LocId>> = IdVec::filled(None, place.len());
    dominator[order[0]] = Some(order[0]);
    let mut is_changed = true;
    while is_changed {
        is_changed = false;
        for &loc in &order[1..] {
            let mut new: Option<LocId> = None;
            for &from in into[loc].iter().filter(|&&from| dominator[from].is_some()) {
                new = Some(match new {
                    None => from,
                    Some(other) => meet(&dominator, place, from, other),
                });
            }
            if new != dominator[loc] {
                dominator[loc] = new;
                is_changed = true;
            }
        }
    }
    dominator
}

fn meet(dominator: &IdVec<LocId, Option<LocId>>, place: &IdVec<LocId, u32>, mut a: LocId, mut b: LocId) -> LocId {
    while a != b {
        let higher = if place[a] > place[b] { &mut a } else { &mut b };
        match dominator[*higher] {
            Some(next) => *higher = next,
            None => return a,
        }
    }
    a
}

fn dominates(dominator: &IdVec<LocId, Option<LocId>>, head: LocId, mut loc: LocId) -> bool {
    loop {
        if loc == head {
            return true;
        }
        match dominator[loc] {
            Some(next) if next != loc => loc = next,
            _ => return false,
        }
    }
}

/// The locations of the loop with this head: those that lead back to it.
fn body(head: LocId, back: Vec<LocId>, into: &IdVec<LocId, Vec<LocId>>) -> Vec<LocId> {
    let mut body = vec![head];
    let mut is_in = IdVec::filled(false, into.len());
    is_in[head] = true;
    let mut work = back;
    while let Some(loc) = work.pop() {
        if !std::mem::replace(&mut is_in[loc], true) {
            body.push(loc);
            work.extend(&into[loc]);
        }
    }
    body
}

/// The functions that may end the thread, themselves or through callees.
pub(crate) fn ending(program: &Program) -> FxHashSet<FunctionId> {
    let mut ending = FxHashSet::default();
    let mut is_changed = true;
    while is_changed {
        is_changed = false;
        for (id, function) in program.functions.enumerate() {
            let mut stmts = function.edges.iter().map(|edge| &edge.stmt);
            let ends = stmts.any(|stmt| !matches!(stmt, Stmt::Return(_)) && is_end(stmt, &ending));
            is_changed |= ends && ending.insert(id);
        }
    }
    ending
}

/// Whether a statement may be the last of the function or of the thread.
fn is_end(stmt: &Stmt, ending: &FxHashSet<FunctionId>) -> bool {
    if let Stmt::Call { callee: Callee::Direct(callee), .. } = stmt {
        return ending.contains(callee);
    }
    matches!(stmt, Stmt::Return(_) | Stmt::ExitThread(_))
}

fn returning(
    function: &Function,
    into: &IdVec<LocId, Vec<LocId>>,
    ending: &FxHashSet<FunctionId>,
) -> IdVec<LocId, bool> {
    let mut returns = IdVec::filled(false, function.locs);
    let is_last = |edge: &&ir::Edge| is_end(&edge.stmt, ending);
    let mut work: Vec<LocId> = function.edges.iter().filter(is_last).map(|edge| edge.from).collect();
    while let Some(loc) = work.pop() {
        if !std::mem::replace(&mut returns[loc], true) {
            work.extend(&into[loc]);
        }
    }
    returns
}
