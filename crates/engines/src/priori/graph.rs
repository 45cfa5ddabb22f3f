//! The control-flow graph of one thread, with calls inlined, loops unrolled as often as requested and the fences of
//! seq_cst accesses as separate steps. Inlining makes every place of a thread one node, so that a store at a node that
//! lies on no cycle happens at most once in a run (an exact event of the paper), and *sequenced before* is
//! reachability.
//!
//! Limits: recursion and graphs of more than [`MAX_NODES`] nodes are not analysed.

use crate::domains::Bits;
use crate::priori::spins;
use base::{IdVec, Stop};
use check::{Reason, ReasonKind};
use ir::analysis::{graph, ContextId, PointsTo};
use ir::{EdgeId, Function, FunctionId, LocId, MemoryModel, Order, Program, Stmt};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;

/// Maximum number of nodes.
const MAX_NODES: usize = 60_000;

/// A place of a thread.
pub(super) type NodeId = u32;

/// The kind of a step between nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The edge's statement. `failed` is the successor after a failed compare-exchange.
    Statement { failed: NodeId },
    /// A seq_cst fence that belongs to an access.
    Fence,
    /// A call of the function of a frame.
    Enter(u32),
    /// The return from the frame that it starts in.
    Leave,
    /// The end of the thread.
    End,
    /// A recursive call, which is not followed.
    Recursion,
    /// A call through a pointer without targets.
    Nowhere,
}

/// A step from a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    pub(super) edge: EdgeId,
    pub(super) step: Step,
    pub(super) to: NodeId,
}

/// A node.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) frame: u32,
    pub(super) loc: LocId,
    pub(super) out: SmallVec<[Arc; 2]>,
    /// Whether states are kept here: at joins of paths, and where the thread reads from others.
    pub(super) is_kept: bool,
}

/// A stack frame.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) function: FunctionId,
    pub(super) context: ContextId,
    /// The calling frame, and the call in it.
    pub(super) caller: Option<(u32, EdgeId)>,
    /// The number of its first variable.
    pub(super) base: u32,
}

/// The possible contents of a thread's store buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Buffered {
    /// Empty.
    Nothing,
    /// Stores that the next buffered store cannot overtake.
    Older,
    /// Stores that the next one may overtake, under `pso`.
    Stores,
}

/// A thread's graph.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) frames: Vec<Frame>,
    pub(super) entry: NodeId,
    /// Per node: whether it lies on a cycle.
    pub(super) on_cycle: Vec<bool>,
    /// Per node: its position in reverse post-order.
    pub(super) rank: Vec<u32>,
    /// The targets of back edges.
    heads: Bits,
    /// The nodes that start threads.
    pub(super) spawns: Vec<NodeId>,
    /// Per node: the possible contents of the thread's store buffer, under the models that have them.
    pub(super) buffered: Vec<Buffered>,
    reach: RefCell<FxHashMap<NodeId, Rc<Bits>>>,
}

impl Graph {
    /// Whether a node is the target of a back edge.
    pub(super) fn is_head(&self, node: NodeId) -> bool {
        self.heads.contains(node as usize)
    }

    /// Whether a step from the first node can come before a step from the second.
    pub(super) fn reaches(&self, from: NodeId, to: NodeId) -> bool {
        if let Some(set) = self.reach.borrow().get(&from) {
            return set.contains(to as usize);
        }
        let mut set = Bits::empty();
        let mut work: Vec<NodeId> = vec![from];
        while let Some(node) = work.pop() {
            for next in successors(&self.nodes[node as usize]) {
                if !set.contains(next as usize) {
                    set.insert(next as usize);
                    work.push(next);
                }
            }
        }
        let found = set.contains(to as usize);
        self.reach.borrow_mut().insert(from, Rc::new(set));
        found
    }
}

pub(super) fn successors(node: &Node) -> SmallVec<[NodeId; 4]> {
    let mut all = SmallVec::new();
    for arc in &node.out {
        match arc.step {
            Step::End | Step::Recursion | Step::Nowhere => {}
            Step::Statement { failed } if failed != arc.to => all.extend([arc.to, failed]),
            Step::Statement { .. } | Step::Fence | Step::Enter(_) | Step::Leave => all.push(arc.to),
        }
    }
    all
}

/// Builds graphs.
pub(super) struct Builder<'a> {
    pub(super) program: &'a Program,
    pub(super) points_to: &'a PointsTo,
    pub(super) model: MemoryModel,
    /// Number of iterations of each loop that are distinguished.
    pub(super) unroll: u8,
    pub(super) budget: &'a base::Budget,
    /// The number of the next variable.
    pub(super) next_var: &'a mut u32,
}

type Rounds = SmallVec<[(LocId, u8); 2]>;

/// A place on the worklist: the frame, the location and the iterations of the enclosing loops.
type Place = (u32, LocId, Rounds);

struct Loops {
    /// The natural loop of each head.
    bodies: Vec<(LocId, IdVec<LocId, bool>)>,
    out: IdVec<LocId, Vec<EdgeId>>,
}

struct Growing<'b, 'a> {
    builder: &'b mut Builder<'a>,
    nodes: Vec<Node>,
    frames: Vec<Frame>,
    by_place: FxHashMap<Place, NodeId>,
    /// Nodes to expand. Nodes between a statement and its fence have no place.
    work: Vec<(NodeId, Place)>,
    loops: FxHashMap<FunctionId, Rc<Loops>>,
    /// The place at which each frame's caller continues.
    returns: Vec<Option<Place>>,
    spawns: Vec<NodeId>,
}

impl Builder<'_> {
    /// The graph of a thread that starts at a function in a context.
    pub(super) fn build(&mut self, context: ContextId) -> Result<Graph, Reason> {
        let mut growing = Growing {
            builder: self,
            nodes: Vec::new(),
            frames: Vec::new(),
            by_place: FxHashMap::default(),
            work: Vec::new(),
            loops: FxHashMap::default(),
            returns: Vec::new(),
            spawns: Vec::new(),
        };
        let frame = growing.add_frame(context, None, None);
        let function = growing.frames[frame as usize].function;
        let entry_loc = growing.builder.program.functions[function].entry;
        let entry = growing.node((frame, entry_loc, Rounds::new()));
        growing.grow()?;
        Ok(growing.finish(entry))
    }
}

impl Growing<'_, '_> {
    fn function(&self, frame: u32) -> &Function {
        &self.builder.program.functions[self.frames[frame as usize].function]
    }

    fn add_frame(&mut self, context: ContextId, caller: Option<(u32, EdgeId)>, then: Option<Place>) -> u32 {
        let function = self.builder.points_to.contexts().function(context);
        let base = *self.builder.next_var;
        *self.builder.next_var += self.builder.program.functions[function].locals.len() as u32;
        self.frames.push(Frame { function, context, caller, base });
        self.returns.push(then);
        self.frames.len() as u32 - 1
    }

    fn node(&mut self, place: Place) -> NodeId {
        if let Some(node) = self.by_place.get(&place) {
            return *node;
        }
        let node = self.fresh(place.0, place.1);
        self.by_place.insert(place.clone(), node);
        self.work.push((node, place));
        node
    }

    fn fresh(&mut self, frame: u32, loc: LocId) -> NodeId {
        self.nodes.push(Node { frame, loc, out: SmallVec::new(), is_kept: false });
        self.nodes.len() as NodeId - 1
    }

    fn grow(&mut self) -> Result<(), Reason> {
        while let Some((node, place)) = self.work.pop() {
            if self.nodes.len() > MAX_NODES {
                let detail = format!("a thread has more than {MAX_NODES} places once its calls are inlined");
                return Err(Reason::new(ReasonKind::Bound, detail));
            }
            if node.is_multiple_of(1024) {
                self.builder.budget.check().map_err(|stop: Stop| Reason::from(stop))?;
            }
            let loops = self.loops_of(self.frames[place.0 as usize].function);
            for edge in &loops.out[place.1] {
                self.expand(node, &place, *edge, &loops);
            }
        }
        Ok(())
    }

    fn expand(&mut self, node: NodeId, place: &Place, edge: EdgeId, loops: &Loops) {
        let frame = place.0;
        let program = self.builder.program;
        let item = &program.functions[self.frames[frame as usize].function].edges[edge];
        let next = (frame, item.to, rounds_after(&place.2, place.1, item.to, loops, self.builder.unroll));
        match &item.stmt {
            Stmt::Call { .. } => self.expand_call(node, place, edge, next),
            Stmt::Return(_) => match self.returns[frame as usize].clone() {
                Some(after) => {
                    let to = self.node(after);
                    self.push(node, Arc { edge, step: Step::Leave, to });
                }
                None => self.push(node, Arc { edge, step: Step::End, to: node }),
            },
            Stmt::ExitThread(_) => self.push(node, Arc { edge, step: Step::End, to: node }),
            Stmt::Exit | Stmt::Unmodelled(_) => {
                self.push(node, Arc { edge, step: Step::Statement { failed: node }, to: node });
            }
            Stmt::Spawn { .. } => {
                self.spawns.push(node);
                self.plain(node, edge, next);
            }
            Stmt::Load { access, .. } => {
                // A seq_cst load does not wait for the store buffer (docs/semantics.md, "What a proof under one model
                // says").
                let has_fence = match self.builder.model {
                    MemoryModel::Sc | MemoryModel::Ra => true,
                    MemoryModel::Tso | MemoryModel::Pso => false,
                };
                let fenced = has_fence && access.order == Order::SeqCst;
                self.access(node, edge, next, (fenced, false), false);
            }
            Stmt::Store { access, .. } => {
                self.access(node, edge, next, (false, access.order == Order::SeqCst), false);
            }
            Stmt::Rmw { order, .. } => {
                let fenced = *order == Order::SeqCst;
                self.access(node, edge, next, (fenced, fenced), false);
            }
            Stmt::CompareExchange { order, failure, .. } => {
                // Unless both orders demand it, whether a fence comes first depends on the value read; leaving it out
                // is sound.
                let after = *order == Order::SeqCst;
                self.access(node, edge, next, (after && *failure == Order::SeqCst, after), true);
            }
            Stmt::Skip
            | Stmt::Assign { .. }
            | Stmt::Havoc { .. }
            | Stmt::Assume(_)
            | Stmt::Assert { .. }
            | Stmt::Fence(_)
            | Stmt::Copy { .. }
            | Stmt::Set { .. }
            | Stmt::Alloc { .. }
            | Stmt::Free { .. }
            | Stmt::Expire { .. }
            | Stmt::NewThread { .. }
            | Stmt::Join { .. }
            | Stmt::Detach { .. }
            | Stmt::Lock { .. }
            | Stmt::Unlock { .. }
            | Stmt::Await { .. }
            | Stmt::AtomicBegin { .. }
            | Stmt::AtomicEnd { .. } => self.plain(node, edge, next),
        }
    }

    fn push(&mut self, node: NodeId, arc: Arc) {
        self.nodes[node as usize].out.push(arc);
    }

    fn plain(&mut self, node: NodeId, edge: EdgeId, next: Place) {
        let to = self.node(next);
        self.push(node, Arc { edge, step: Step::Statement { failed: to }, to });
    }

    /// An access with the fences of a seq_cst one. A compare-exchange that fails has none after it.
    fn access(&mut self, node: NodeId, edge: EdgeId, next: Place, fences: (bool, bool), may_fail: bool) {
        let (frame, loc) = (next.0, self.nodes[node as usize].loc);
        let end = self.node(next);
        let mut from = node;
        if fences.0 {
            let middle = self.fresh(frame, loc);
            self.push(node, Arc { edge, step: Step::Fence, to: middle });
            from = middle;
        }
        let mut to = end;
        if fences.1 {
            to = self.fresh(frame, loc);
            self.push(to, Arc { edge, step: Step::Fence, to: end });
        }
        let failed = if may_fail { end } else { to };
        self.push(from, Arc { edge, step: Step::Statement { failed }, to });
    }

    fn expand_call(&mut self, node: NodeId, place: &Place, edge: EdgeId, next: Place) {
        let context = self.frames[place.0 as usize].context;
        let callees = self.builder.points_to.callees(context, edge).to_vec();
        if callees.is_empty() {
            self.push(node, Arc { edge, step: Step::Nowhere, to: node });
        }
        for callee in callees {
            let function = self.builder.points_to.contexts().function(callee);
            let mut frame = Some(place.0);
            let mut is_recursion = false;
            while let Some(index) = frame {
                is_recursion |= self.frames[index as usize].function == function;
                frame = self.frames[index as usize].caller.map(|(caller, _)| caller);
            }
            if is_recursion {
                self.push(node, Arc { edge, step: Step::Recursion, to: node });
                continue;
            }
            let entered = self.add_frame(callee, Some((place.0, edge)), Some(next.clone()));
            let entry = self.function(entered).entry;
            let to = self.node((entered, entry, Rounds::new()));
            self.push(node, Arc { edge, step: Step::Enter(entered), to });
        }
    }

    fn loops_of(&mut self, function: FunctionId) -> Rc<Loops> {
        if let Some(loops) = self.loops.get(&function) {
            return Rc::clone(loops);
        }
        let item = &self.builder.program.functions[function];
        let bodies = if self.builder.unroll > 0 { natural_loops(item) } else { Vec::new() };
        let loops = Rc::new(Loops { bodies, out: item.edges_out() });
        self.loops.insert(function, Rc::clone(&loops));
        loops
    }

    fn finish(mut self, entry: NodeId) -> Graph {
        spins::cut(&mut self.nodes, &self.frames, entry, self.builder.program);
        let all: Vec<Vec<u32>> = self.nodes.iter().map(|node| successors(node).to_vec()).collect();
        let mut on_cycle = vec![false; all.len()];
        for component in graph::components(&all) {
            let is_cycle = component.len() > 1 || all[component[0] as usize].contains(&component[0]);
            // The end of the run is represented by a self-loop.
            let is_real = component.len() > 1
                || self.nodes[component[0] as usize]
                    .out
                    .iter()
                    .any(|arc| matches!(arc.step, Step::Statement { .. }) && !self.ends(component[0], arc));
            for node in component {
                on_cycle[node as usize] = is_cycle && is_real;
            }
        }
        let mut arrivals = vec![0u32; all.len()];
        for to in all.iter().flatten() {
            arrivals[*to as usize] += 1;
        }
        arrivals[entry as usize] += 2;
        for (node, count) in arrivals.iter().enumerate() {
            let listens = self.listens(node as NodeId);
            self.nodes[node].is_kept = listens || *count > 1;
        }
        let rank = ranks(&all, entry);
        let buffered = self.buffered(entry);
        let heads = all.iter().enumerate().flat_map(|(node, targets)| {
            let rank = &rank;
            targets.iter().map(|to| *to as usize).filter(move |to| rank[*to] <= rank[node])
        });
        let heads: Bits = heads.collect();
        let (nodes, frames, mut spawns) = (self.nodes, self.frames, self.spawns);
        spawns.sort_unstable();
        Graph { nodes, frames, entry, on_cycle, rank, heads, spawns, buffered, reach: RefCell::default() }
    }

    /// Whether a statement that waits for an empty buffer may go on without: a compare-exchange may unless it accesses
    /// ghost memory.
    fn may_go_on(&self, frame: u32, stmt: &Stmt) -> bool {
        let Stmt::CompareExchange { ptr, .. } = stmt else { return stmt.may_drain() };
        let pointees = self.builder.points_to.pointees(self.frames[frame as usize].function, ptr);
        pointees.is_unknown || pointees.objects.iter().any(|(_, is_ghost)| *is_ghost)
    }

    /// Whether a statement that waits for an empty buffer may go on without: a compare-exchange may only if it can
    /// access ghost memory.
    fn buffered(&self, entry: NodeId) -> Vec<Buffered> {
        let mut all = vec![Buffered::Nothing; self.nodes.len()];
        let mut is_seen = vec![false; self.nodes.len()];
        let mut work = vec![entry];
        is_seen[entry as usize] = true;
        while let Some(node) = work.pop() {
            let frame = self.nodes[node as usize].frame;
            let function = self.function(frame);
            let before = all[node as usize];
            for arc in &self.nodes[node as usize].out {
                let (after, failed) = match arc.step {
                    Step::Fence => (Buffered::Nothing, arc.to),
                    Step::Enter(_) | Step::Leave | Step::End | Step::Recursion | Step::Nowhere => (before, arc.to),
                    Step::Statement { failed } => {
                        let stmt = &function.edges[arc.edge].stmt;
                        (if self.may_go_on(frame, stmt) { before } else { buffered_after(stmt, before) }, failed)
                    }
                };
                for to in [arc.to, failed] {
                    let is_new = !std::mem::replace(&mut is_seen[to as usize], true);
                    if is_new || after > all[to as usize] {
                        all[to as usize] = after.max(all[to as usize]);
                        work.push(to);
                    }
                }
            }
        }
        all
    }

    fn ends(&self, node: NodeId, arc: &Arc) -> bool {
        let function = self.function(self.nodes[node as usize].frame);
        matches!(function.edges[arc.edge].stmt, Stmt::Exit | Stmt::Unmodelled(_))
    }

    /// Whether the actions of other threads matter here.
    fn listens(&self, node: NodeId) -> bool {
        let function = self.function(self.nodes[node as usize].frame);
        self.nodes[node as usize].out.iter().any(|arc| match arc.step {
            Step::Fence => true,
            Step::Enter(_) | Step::Leave | Step::End | Step::Recursion | Step::Nowhere => false,
            Step::Statement { .. } => match &function.edges[arc.edge].stmt {
                Stmt::Load { .. }
                | Stmt::Rmw { .. }
                | Stmt::CompareExchange { .. }
                | Stmt::Fence(_)
                | Stmt::Join { .. }
                | Stmt::Lock { .. }
                | Stmt::Await { .. } => true,
                Stmt::Skip
                | Stmt::Assign { .. }
                | Stmt::Havoc { .. }
                | Stmt::Assume(_)
                | Stmt::Assert { .. }
                | Stmt::Store { .. }
                | Stmt::Copy { .. }
                | Stmt::Set { .. }
                | Stmt::Alloc { .. }
                | Stmt::Free { .. }
                | Stmt::Expire { .. }
                | Stmt::Call { .. }
                | Stmt::Return(_)
                | Stmt::NewThread { .. }
                | Stmt::Spawn { .. }
                | Stmt::Detach { .. }
                | Stmt::ExitThread(_)
                | Stmt::Unlock { .. }
                | Stmt::AtomicBegin { .. }
                | Stmt::AtomicEnd { .. }
                | Stmt::Exit
                | Stmt::Unmodelled(_) => false,
            },
        })
    }
}

/// The possible contents of the buffer after a statement.
fn buffered_after(stmt: &Stmt, before: Buffered) -> Buffered {
    // A thread whose entry function returns does nothing after that.
    if stmt.drains(false) {
        return Buffered::Nothing;
    }
    match stmt {
        Stmt::Store { .. } | Stmt::Copy { .. } | Stmt::Set { .. } => Buffered::Stores,
        Stmt::Fence(order) if order.releases() => before.min(Buffered::Older),
        Stmt::Rmw { .. }
        | Stmt::CompareExchange { .. }
        | Stmt::Spawn { .. }
        | Stmt::Join { .. }
        | Stmt::ExitThread(_)
        | Stmt::Lock { .. }
        | Stmt::Unlock { .. }
        | Stmt::Await { .. } => Buffered::Nothing,
        Stmt::Skip
        | Stmt::Assign { .. }
        | Stmt::Havoc { .. }
        | Stmt::Assume(_)
        | Stmt::Assert { .. }
        | Stmt::Load { .. }
        | Stmt::Fence(_)
        | Stmt::Alloc { .. }
        | Stmt::Free { .. }
        | Stmt::Expire { .. }
        | Stmt::Call { .. }
        | Stmt::Return(_)
        | Stmt::NewThread { .. }
        | Stmt::Detach { .. }
        | Stmt::AtomicBegin { .. }
        | Stmt::AtomicEnd { .. }
        | Stmt::Exit
        | Stmt::Unmodelled(_) => before,
    }
}

/// The iterations after a step inside a function: one more at the head of a loop, none outside it.
fn rounds_after(rounds: &Rounds, from: LocId, to: LocId, loops: &Loops, unroll: u8) -> Rounds {
    let mut after = Rounds::new();
    for (head, body) in &loops.bodies {
        if !body[to] {
            continue;
        }
        let old =
            if body[from] { rounds.iter().find(|(other, _)| other == head).map_or(0, |(_, count)| *count) } else { 0 };
        let is_back = to == *head && body[from];
        after.push((*head, (old + u8::from(is_back)).min(unroll)));
    }
    after
}

/// For each target of a backward edge, the locations that lead back to it without passing it.
fn natural_loops(function: &Function) -> Vec<(LocId, IdVec<LocId, bool>)> {
    let order = graph::reverse_post_order(function);
    let mut position = IdVec::filled(usize::MAX, function.locs);
    for (index, loc) in order.iter().enumerate() {
        position[*loc] = index;
    }
    let mut into: IdVec<LocId, Vec<LocId>> = IdVec::filled(Vec::new(), function.locs);
    for edge in function.edges.iter() {
        if position[edge.from] != usize::MAX {
            into[edge.to].push(edge.from);
        }
    }
    let mut loops = Vec::new();
    for head in graph::loop_heads(function) {
        let mut body = IdVec::filled(false, function.locs);
        body[head] = true;
        let mut work: Vec<LocId> =
            into[head].iter().copied().filter(|from| position[*from] >= position[head]).collect();
        while let Some(loc) = work.pop() {
            if !std::mem::replace(&mut body[loc], true) {
                work.extend(&into[loc]);
            }
        }
        loops.push((head, body));
    }
    loops
}

/// The position of each node in reverse post-order.
pub(super) fn ranks(all: &[Vec<u32>], entry: NodeId) -> Vec<u32> {
    let mut rank = vec![u32::MAX; all.len()];
    let mut is_seen = vec![false; all.len()];
    let mut finished = Vec::new();
    let mut stack = vec![(entry, 0)];
    is_seen[entry as usize] = true;
    while let Some((node, next)) = stack.last_mut() {
        match all[*node as usize].get(*next) {
            Some(to) => {
                *next += 1;
                if !std::mem::replace(&mut is_seen[*to as usize], true) {
                    stack.push((*to, 0));
                }
            }
            None => {
                finished.push(*node);
                stack.pop();
            }
        }
    }
    for (index, node) in finished.iter().rev().enumerate() {
        rank[*node as usize] = index as u32;
    }
    rank
}
