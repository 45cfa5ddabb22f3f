//! Effects since a context was entered, up to each of its locations: a forward analysis with one summary per context,
//! for any domain of edge effects with sequential composition and join.

use crate::analysis::contexts::ContextId;
use crate::analysis::graph;
use crate::analysis::points_to::PointsTo;
use crate::program::{EdgeId, LocId, Program};
use crate::stmt::Stmt;
use base::IdVec;
use rustc_hash::{FxHashMap, FxHashSet};

/// The effect of an edge, or of a path.
pub trait Change: Clone + PartialEq {
    /// Sequential composition.
    fn then(&self, next: &Self) -> Self;

    /// Join.
    fn or(&self, other: &Self) -> Self;
}

/// The effect up to each location; `None` where it is not reached. Absent for contexts without effects.
pub type Changes<C> = IdVec<ContextId, Option<IdVec<LocId, Option<C>>>>;

/// The input of the analysis.
pub struct Summaries<'a, C> {
    /// The program.
    pub program: &'a Program,
    /// The call graph.
    pub points_to: &'a PointsTo,
    /// Own effects of edges, after those of their callees; edges without effects are absent.
    pub effects: &'a FxHashMap<(ContextId, EdgeId), C>,
    /// Edges that are never taken.
    pub impossible: &'a FxHashSet<(ContextId, EdgeId)>,
    /// The identity.
    pub nothing: C,
}

impl<C: Change> Summaries<'_, C> {
    /// The effect up to each location of the contexts that have effects, themselves or through callees.
    pub fn changes(&self) -> Changes<C> {
        let contexts = self.points_to.contexts();
        let callers = self.callers();
        let mut matters: IdVec<ContextId, bool> = IdVec::filled(false, contexts.len());
        let mut work: Vec<ContextId> = self.effects.keys().map(|(context, _)| *context).collect();
        while let Some(context) = work.pop() {
            if !std::mem::replace(&mut matters[context], true) {
                work.extend(&callers[context]);
            }
        }
        let mut changes: Changes<C> = IdVec::filled(None, contexts.len());
        // `None`: does not return, as far as is known yet.
        let mut summaries: IdVec<ContextId, Option<C>> =
            matters.iter().map(|matters| (!matters).then(|| self.nothing.clone())).collect();
        let mut is_waiting = matters.clone();
        let mut work: Vec<ContextId> = contexts.ids().filter(|&context| matters[context]).collect();
        while let Some(context) = work.pop() {
            is_waiting[context] = false;
            let (found, summary) = self.flow(context, &summaries);
            changes[context] = Some(found);
            if summary != summaries[context] {
                summaries[context] = summary;
                for &caller in &callers[context] {
                    if !std::mem::replace(&mut is_waiting[caller], true) {
                        work.push(caller);
                    }
                }
            }
        }
        changes
    }

    fn callers(&self) -> IdVec<ContextId, Vec<ContextId>> {
        let contexts = self.points_to.contexts();
        let mut callers = IdVec::filled(Vec::new(), contexts.len());
        for context in contexts.ids() {
            for (edge, _) in self.program.functions[contexts.function(context)].edges.enumerate() {
                if self.impossible.contains(&(context, edge)) {
                    continue;
                }
                for &callee in self.points_to.callees(context, edge) {
                    callers[callee].push(context);
                }
            }
        }
        callers
    }

    /// The effect up to each location of a context, and up to its return.
    fn flow(
        &self,
        context: ContextId,
        summaries: &IdVec<ContextId, Option<C>>,
    ) -> (IdVec<LocId, Option<C>>, Option<C>) {
        let function = &self.program.functions[self.points_to.contexts().function(context)];
        let out = function.edges_out();
        let order = graph::reverse_post_order(function);
        let mut at: IdVec<LocId, Option<C>> = IdVec::filled(None, function.locs);
        at[function.entry] = Some(self.nothing.clone());
        let mut returned: Option<C> = None;
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for &loc in &order {
                let Some(before) = at[loc].clone() else { continue };
                for &edge in &out[loc] {
                    let item = &function.edges[edge];
                    let Some(after) = self.after(&before, context, edge, summaries) else { continue };
                    if matches!(item.stmt, Stmt::Return(_)) {
                        returned = Some(returned.map_or(after.clone(), |old| old.or(&after)));
                    }
                    let merged = at[item.to].as_ref().map_or(after.clone(), |old| old.or(&after));
                    if at[item.to].as_ref() != Some(&merged) {
                        at[item.to] = Some(merged);
                        has_changed = true;
                    }
                }
            }
        }
        (at, returned)
    }

    /// The effect after an edge; `None` if it is never taken, or calls only functions that do not return.
    fn after(
        &self,
        before: &C,
        context: ContextId,
        edge: EdgeId,
        summaries: &IdVec<ContextId, Option<C>>,
    ) -> Option<C> {
        if self.impossible.contains(&(context, edge)) {
            return None;
        }
        let callees = self.points_to.callees(context, edge);
        let mut change = before.clone();
        if !callees.is_empty() {
            let effects = callees.iter().filter_map(|&callee| summaries[callee].clone());
            change = change.then(&effects.reduce(|one, other| one.or(&other))?);
        }
        if let Some(own) = self.effects.get(&(context, edge)) {
            change = change.then(own);
        }
        Some(change)
    }
}
