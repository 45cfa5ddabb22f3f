//! Spin loops as assumptions (section 8.1 of the paper): a loop that only waits is entered once, and left at once or
//! never.
//!
//! An iteration that returns to the head of its loop without having stored, allocated, waited or changed a live
//! variable has no effect except on what the thread has seen. Removing it from a run leaves a run: the reads after it
//! may read the same, since knowing less forbids less. So whatever a run does in or after the loop, a run without the
//! earlier iterations does too, and nothing continues after the back edge. The iterations themselves are still
//! analysed, from the invariant of the head, with their assertions and accesses. A compare-exchange that fails is a
//! load; its failure must follow from the conditions on the way back. Fences are read-modify-writes of a location of
//! their own, in which a missing one is invisible.
//!
//! Limits: loops with stores to private memory, with exchanges that put back the old value, with more than
//! [`MAX_NODES`] places or [`MAX_PATHS`] paths.

use crate::domains::Bits;
use crate::liveness::{liveness, Liveness};
use crate::priori::graph::{ranks, successors, Arc, Frame, Node, NodeId, Step};
use base::Id;
use ir::{arith, EdgeId, Expr, Function, FunctionId, Program, Stmt, Type};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Maximum number of nodes in a loop.
const MAX_NODES: usize = 80;
/// Maximum number of paths through a loop.
const MAX_PATHS: usize = 64;

/// Redirects the back edges of spin loops to nodes without successors. The steps themselves are still taken: one may be
/// an access that races.
pub(super) fn cut(nodes: &mut Vec<Node>, frames: &[Frame], entry: NodeId, program: &Program) {
    let all: Vec<Vec<NodeId>> = nodes.iter().map(|node| successors(node).to_vec()).collect();
    let rank = ranks(&all, entry);
    let mut back: Vec<(NodeId, NodeId)> = Vec::new();
    for (node, targets) in all.iter().enumerate().filter(|(node, _)| rank[*node] != u32::MAX) {
        back.extend(targets.iter().filter(|to| rank[**to as usize] <= rank[node]).map(|to| (*to, node as NodeId)));
    }
    // Inner loops first: an outer loop may be a spin loop once its inner loops are cut.
    back.sort_unstable_by_key(|(head, node)| (std::cmp::Reverse(rank[*head as usize]), rank[*node as usize]));
    back.dedup();
    let mut into: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
    if !back.is_empty() {
        for (node, targets) in all.iter().enumerate().filter(|(node, _)| rank[*node] != u32::MAX) {
            targets.iter().for_each(|to| into.entry(*to).or_default().push(node as NodeId));
        }
    }
    let mut live = FxHashMap::default();
    for (head, last) in back {
        let Some(body) = body(&into, &rank, head, last) else { continue };
        let mut walk = Walk { nodes, frames, program, body: &body, head, last, live: &mut live, paths: 0 };
        if walk.is_pure(head, &Round::default()) {
            let end = nodes.len() as NodeId;
            let Node { frame, loc, .. } = nodes[head as usize];
            nodes.push(Node { frame, loc, out: SmallVec::new(), is_kept: false });
            for arc in &mut nodes[last as usize].out {
                redirect(arc, head, end);
            }
        }
    }
}

/// Redirects a step from one target to another.
fn redirect(arc: &mut Arc, from: NodeId, to: NodeId) {
    if let Step::Statement { failed } = &mut arc.step {
        if *failed == from {
            *failed = to;
        }
    }
    if arc.to == from {
        arc.to = to;
    }
}

/// The nodes between a head and a back edge; `None` if there are too many, or if they have another entry.
fn body(into: &FxHashMap<NodeId, Vec<NodeId>>, rank: &[u32], head: NodeId, last: NodeId) -> Option<Bits> {
    let mut body = Bits::one(head as usize);
    let mut work = vec![last];
    while let Some(node) = work.pop() {
        if body.contains(node as usize) {
            continue;
        }
        if rank[node as usize] < rank[head as usize] || body.len() > MAX_NODES {
            return None;
        }
        body.insert(node as usize);
        work.extend(into.get(&node).into_iter().flatten());
    }
    Some(body)
}

/// The state of an iteration so far.
#[derive(Clone, Default)]
struct Round {
    /// Known values of variables, by number.
    constants: FxHashMap<u32, u128>,
    /// The variables of the head's frame that were written.
    written: Bits,
    /// Whether a compare-exchange succeeded.
    has_stored: bool,
    passed: Bits,
}

impl Round {
    fn assign(&mut self, var: u32, value: Option<u128>) {
        match value {
            Some(value) => self.constants.insert(var, value),
            None => self.constants.remove(&var),
        };
    }
}

struct Walk<'a> {
    nodes: &'a [Node],
    frames: &'a [Frame],
    program: &'a Program,
    body: &'a Bits,
    head: NodeId,
    last: NodeId,
    live: &'a mut FxHashMap<FunctionId, Liveness>,
    paths: usize,
}

impl Walk<'_> {
    fn function(&self, frame: u32) -> &Function {
        &self.program.functions[self.frames[frame as usize].function]
    }

    /// Whether every path from here back to the head has no effect.
    fn is_pure(&mut self, node: NodeId, before: &Round) -> bool {
        let mut round = before.clone();
        if round.passed.contains(node as usize) {
            return false;
        }
        round.passed.insert(node as usize);
        for arc in self.nodes[node as usize].out.clone() {
            let is_inside = |to: NodeId| self.body.contains(to as usize);
            let goes_on = match arc.step {
                Step::End | Step::Recursion | Step::Nowhere => false,
                Step::Statement { failed } => is_inside(arc.to) || is_inside(failed),
                Step::Fence | Step::Enter(_) | Step::Leave => is_inside(arc.to),
            };
            if !goes_on {
                continue;
            }
            let frame = self.nodes[node as usize].frame;
            let Some(next) = self.after(frame, arc.edge, arc.step, &round) else { return false };
            for (round, has_failed) in next {
                let to = match arc.step {
                    Step::Statement { failed } if has_failed => failed,
                    _ => arc.to,
                };
                if is_inside_of(self.body, to) && !self.goes_on_pure(node, to, &round) {
                    return false;
                }
            }
        }
        true
    }

    fn goes_on_pure(&mut self, node: NodeId, to: NodeId, round: &Round) -> bool {
        if to != self.head {
            return self.is_pure(to, round);
        }
        self.paths += 1;
        if node != self.last {
            // Another back edge, which is handled by itself.
            return self.paths <= MAX_PATHS;
        }
        let head = &self.nodes[self.head as usize];
        let function = self.frames[head.frame as usize].function;
        let live = self.live.entry(function).or_insert_with(|| liveness(&self.program.functions[function]));
        let is_read_again = round.written.iter().any(|local| live[head.loc].contains(local));
        !round.has_stored && !is_read_again && self.paths <= MAX_PATHS
    }

    /// The states after a step, and whether it was a failed compare-exchange; `None` if it has an effect.
    fn after(&self, frame: u32, edge: EdgeId, step: Step, round: &Round) -> Option<Vec<(Round, bool)>> {
        let mut next = round.clone();
        let stmt = &self.function(frame).edges[edge].stmt;
        match step {
            Step::Fence => return Some(vec![(next, false)]),
            Step::End | Step::Recursion | Step::Nowhere => return Some(Vec::new()),
            Step::Enter(inner) => {
                let Stmt::Call { args, .. } = stmt else { return None };
                let base = self.frames[inner as usize].base;
                for (param, arg) in self.function(inner).params.iter().zip(args) {
                    next.assign(base + param.index() as u32, self.constant(frame, arg, round));
                }
                return Some(vec![(next, false)]);
            }
            Step::Leave => {
                let Stmt::Return(values) = stmt else { return None };
                let (caller, call) = self.frames[frame as usize].caller?;
                if frame == self.nodes[self.head as usize].frame {
                    return None;
                }
                let Stmt::Call { dsts, .. } = &self.function(caller).edges[call].stmt else { return None };
                for (index, dst) in dsts.iter().enumerate() {
                    let value = values.get(index).and_then(|value| self.constant(frame, value, round));
                    self.write(caller, dst.index(), value, &mut next);
                }
                return Some(vec![(next, false)]);
            }
            Step::Statement { .. } => {}
        }
        match stmt {
            Stmt::Skip | Stmt::Assert { .. } | Stmt::Fence(_) => {}
            Stmt::Assign { dst, value } => {
                let value = self.constant(frame, value, round);
                self.write(frame, dst.index(), value, &mut next);
            }
            Stmt::Havoc { dst, .. } | Stmt::Load { dst, .. } => self.write(frame, dst.index(), None, &mut next),
            Stmt::Assume(cond) => {
                if self.constant(frame, cond, round) == Some(0) {
                    return Some(Vec::new());
                }
            }
            Stmt::CompareExchange { old, success, .. } => {
                self.write(frame, old.index(), None, &mut next);
                let mut done = next.clone();
                self.write(frame, success.index(), Some(0), &mut next);
                self.write(frame, success.index(), Some(1), &mut done);
                done.has_stored = true;
                return Some(vec![(next, true), (done, false)]);
            }
            Stmt::Store { .. }
            | Stmt::Rmw { .. }
            | Stmt::Copy { .. }
            | Stmt::Set { .. }
            | Stmt::Alloc { .. }
            | Stmt::Free { .. }
            | Stmt::Expire { .. }
            | Stmt::Call { .. }
            | Stmt::Return(_)
            | Stmt::NewThread { .. }
            | Stmt::Spawn { .. }
            | Stmt::Join { .. }
            | Stmt::Detach { .. }
            | Stmt::ExitThread(_)
            | Stmt::Lock { .. }
            | Stmt::Unlock { .. }
            | Stmt::Await { .. }
            | Stmt::AtomicBegin { .. }
            | Stmt::AtomicEnd { .. }
            | Stmt::Exit
            | Stmt::Unmodelled(_) => return None,
        }
        Some(vec![(next, false)])
    }

    fn write(&self, frame: u32, local: usize, value: Option<u128>, round: &mut Round) {
        round.assign(self.frames[frame as usize].base + local as u32, value);
        if frame == self.nodes[self.head as usize].frame {
            round.written.insert(local);
        }
    }

    /// The value of an expression over bit-vectors, if it is known.
    fn constant(&self, frame: u32, expr: &Expr, round: &Round) -> Option<u128> {
        let width = |ty: Type| match ty {
            Type::Int(width) => Some(width),
            Type::Ptr => None,
        };
        match expr {
            Expr::Int { value, .. } => Some(*value),
            Expr::Local(local) => {
                round.constants.get(&(self.frames[frame as usize].base + local.index() as u32)).copied()
            }
            Expr::Unary { op, ty, arg } => arith::unary(*op, width(*ty)?, self.constant(frame, arg, round)?),
            Expr::Binary { op, ty, lhs, rhs } => {
                let (left, right) = (self.constant(frame, lhs, round)?, self.constant(frame, rhs, round)?);
                arith::binary(*op, width(*ty)?, left, right)
            }
            Expr::Cast { op, from, to, arg } => {
                arith::cast(*op, width(*from)?, width(*to)?, self.constant(frame, arg, round)?)
            }
            Expr::Select { cond, then, otherwise } => {
                let chosen = if self.constant(frame, cond, round)? == 1 { then } else { otherwise };
                self.constant(frame, chosen, round)
            }
            Expr::Null
            | Expr::Object(_)
            | Expr::Function(_)
            | Expr::SelfThread
            | Expr::Offset { .. }
            | Expr::Ghost(_) => None,
        }
    }
}

fn is_inside_of(body: &Bits, node: NodeId) -> bool {
    body.contains(node as usize)
}
