//! The effect of steps on threads: starts, joins, and the consequences of joins.

use crate::domains::Numeric;
use crate::priori::fixpoint::Analysis;
use crate::priori::graph::{Arc, NodeId};
use crate::priori::interference::as_seen_by_others;
use crate::priori::state::{Scalar, State, Target};
use crate::priori::transfer::At;
use check::ReasonKind;
use ir::{Callee, Expr, Stmt};

impl<D: Numeric> Analysis<'_, D> {
    /// Whether every other started thread has ended with all its actions in view: a store now comes after everything,
    /// and whatever happens later knows it.
    pub(super) fn is_alone(&self, at: At, state: &State<D>) -> bool {
        if at.thread != 0 {
            return false;
        }
        let graph = &self.world.threads[0].graph;
        graph
            .spawns
            .iter()
            .filter(|spawn| graph.reaches(**spawn, at.node))
            .all(|spawn| self.have_ended(0, *spawn, state))
    }

    fn have_ended(&self, thread: u32, spawn: NodeId, state: &State<D>) -> bool {
        let mut children = self.world.children(thread, spawn).peekable();
        // None known: the start has not been processed yet.
        children.peek().is_some()
            && children.all(|child| {
                let graph = &self.world.threads[child as usize].graph;
                state.ended.contains(child as usize)
                    && graph.spawns.iter().all(|spawn| self.have_ended(child, *spawn, state))
            })
    }

    pub(super) fn spawn(&mut self, at: At, stmt: &Stmt, state: &State<D>) {
        let Stmt::Spawn { thread: number, callee, args } = stmt else { return };
        let (thread, node, edge) = (at.thread, at.node, at.arc.edge);
        let number = self.evaluate(at, number, state).as_refs();
        let Some([Target::Thread(number)]) = number.as_deref() else {
            return self.gap(ReasonKind::Unsupported, "the number of a new thread is not resolved", thread, node, edge);
        };
        let number = *number;
        let context = self.world.threads[thread as usize].graph.frames[self.frame(at) as usize].context;
        let functions = match callee {
            Callee::Direct(function) => Scalar::one(Target::Function(*function)),
            Callee::Indirect(expr) => self.evaluate(at, expr, state),
        };
        let Some(targets) = functions.as_refs() else {
            return self.gap(ReasonKind::Unsupported, "what a new thread runs is not resolved", thread, node, edge);
        };
        for target in targets {
            let Target::Function(function) = target else {
                return self.gap(ReasonKind::Undefined, "a thread may run something invalid", thread, node, edge);
            };
            let contexts = self.world.points_to.spawned(context, edge);
            let entry =
                contexts.iter().copied().find(|entry| self.world.points_to.contexts().function(*entry) == function);
            let Some(entry) = entry else {
                return self.gap(ReasonKind::Unsupported, "what a new thread runs is not resolved", thread, node, edge);
            };
            let Some(child) = self.child(at, entry, number) else { return };
            let started = self.started.entry(number).or_default();
            if !started.contains(&child) {
                started.push(child);
            }
            self.start(at, child, args, state);
        }
        self.go(at, state.clone());
    }

    /// The thread that a place starts; `None` after a gap.
    fn child(&mut self, at: At, entry: ir::analysis::ContextId, number: u32) -> Option<u32> {
        let known = self.world.children(at.thread, at.node).find(|child| {
            let graph = &self.world.threads[*child as usize].graph;
            graph.frames[0].context == entry
        });
        if let Some(child) = known {
            if self.world.threads[child as usize].number == number {
                return Some(child);
            }
            let detail = "one place starts threads with different numbers";
            self.gap(ReasonKind::Unsupported, detail, at.thread, at.node, at.arc.edge);
            return None;
        }
        let function = self.world.points_to.contexts().function(entry);
        let mut ancestor = Some(at.thread);
        while let Some(current) = ancestor {
            if self.world.threads[current as usize].graph.frames[0].function == function {
                let detail = "threads that start threads like themselves are not analysed";
                self.gap(ReasonKind::Bound, detail, at.thread, at.node, at.arc.edge);
                return None;
            }
            ancestor = self.world.threads[current as usize].parent.map(|(parent, _)| parent);
        }
        let parent = &self.world.threads[at.thread as usize];
        let is_many = parent.is_many || parent.graph.on_cycle[at.node as usize];
        match self.add_thread(entry, Some((at.thread, at.node)), number, is_many) {
            Ok(child) => Some(child),
            Err(reason) => {
                self.reasons.insert(reason);
                None
            }
        }
    }

    fn start(&mut self, at: At, child: u32, args: &[Expr], state: &State<D>) {
        let own = self.world.threads[at.thread as usize].number;
        let mut first = crate::priori::interference::published(&self.world, at.thread, state);
        let inner = self.scope(child, 0);
        for (param, arg) in inner.function.params.iter().zip(args) {
            let value = self.evaluate(at, arg, state);
            first.set(inner.var(*param), as_seen_by_others(&value, own));
        }
        let entry = self.world.threads[child as usize].graph.entry;
        self.pending.push((child, entry, first));
    }

    pub(super) fn join(&mut self, at: At, number: &Expr, state: &State<D>, index: Option<usize>) {
        let (thread, node, edge) = (at.thread, at.node, at.arc.edge);
        let Some(targets) = self.evaluate(at, number, state).as_refs() else {
            return self.gap(ReasonKind::Unsupported, "which thread is joined is not resolved", thread, node, edge);
        };
        for target in targets {
            match target {
                Target::Thread(number) => {
                    let joins = self.joins.entry(number).or_default();
                    if !joins.contains(&(thread, node)) {
                        joins.push((thread, node));
                    }
                    self.wait_for(thread, node, (state, index), number);
                }
                // A thread that joins itself waits for ever.
                Target::Myself => {}
                Target::Null | Target::Object { .. } | Target::Function(_) => {
                    let detail = "a join of a thread that may not exist";
                    return self.gap(ReasonKind::Unmodelled, detail, thread, node, edge);
                }
            }
        }
    }

    /// The step after a join.
    pub(super) fn after_join(&mut self, thread: u32, node: NodeId, arc: Arc, state: State<D>, result: Scalar) {
        let at = At { thread, node, arc };
        if let Stmt::Join { dst, .. } = self.statement(thread, node, arc.edge) {
            let scope = self.scope_at(at);
            let mut next = state;
            if let Some(dst) = dst {
                let value = scope.typed(result, scope.function.locals[*dst].ty);
                next.set(scope.var(*dst), value);
            }
            self.go(at, next);
        }
    }
}
