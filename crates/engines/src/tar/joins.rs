//! Validity of joins: which joins certainly join a live thread, and which threads have ended after a loop that joins
//! them.
//!
//! A join is valid if the number was allocated by one `NewThread` that is executed once, nothing else joins or detaches
//! the thread, and the join is executed once. So are the joins of a loop that joins what another loop started before,
//! iteration by iteration ([`super::rounds`]): then all threads of the template have ended after it.

use super::objects::Name;
use super::rounds::{Pair, Rounds};
use super::symbols::leads;
use super::values::Values;
use ir::analysis::{ContextId, TemplateId, ThreadSet, Threads};
use ir::{EdgeId, Program, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// The valid joins and detaches.
pub(super) struct Joins<'a> {
    program: &'a Program,
    good: BTreeSet<(ContextId, EdgeId)>,
    pairs: Vec<Pair>,
}

impl<'a> Joins<'a> {
    pub(super) fn new(values: &mut Values<'a>, threads: &Threads) -> Joins<'a> {
        let (program, points_to) = (values.program, values.points_to);
        // Per thread number, the edges that join or detach it.
        let mut by_thread: BTreeMap<u32, Vec<(ContextId, EdgeId)>> = BTreeMap::new();
        let mut exact: Vec<((ContextId, EdgeId), u32)> = Vec::new();
        let mut is_lost = false;
        for context in points_to.contexts().ids() {
            for (edge, item) in program.functions[points_to.contexts().function(context)].edges.enumerate() {
                let (Stmt::Join { thread, .. } | Stmt::Detach { thread }) = &item.stmt else { continue };
                let Some(value) = values.at_edge(context, edge, thread) else { continue };
                is_lost |= value.any;
                for (object, _) in &value.refs {
                    by_thread.entry(*object).or_default().push((context, edge));
                }
                if let (false, None, [(object, offset)]) = (value.any, value.number, value.refs.as_slice()) {
                    let item = values.objects.get(*object);
                    if matches!(item.name, Name::Thread(..)) && item.is_unique && offset.single() == Some(0) {
                        exact.push(((context, edge), *object));
                    }
                }
            }
        }
        if is_lost {
            return Joins { program, good: BTreeSet::new(), pairs: Vec::new() };
        }
        let is_once = |at: (ContextId, EdgeId)| threads.is_once(program, points_to, at.0, at.1);
        let singles = exact.into_iter().filter(|(at, thread)| is_once(*at) && by_thread[thread].len() == 1);
        let mut good: BTreeSet<(ContextId, EdgeId)> = singles.map(|(at, _)| at).collect();
        let mut pairs = Vec::new();
        for (thread, joins) in &by_thread {
            let (Name::Thread(made_in, made_by), [join]) = (values.objects.get(*thread).name, joins.as_slice()) else {
                continue;
            };
            if let Some(pair) = (Rounds { values, threads }).pair((made_in, made_by), *join) {
                good.insert(*join);
                pairs.push(pair);
            }
        }
        Joins { program, good, pairs }
    }

    /// Whether a join or detach is valid.
    pub(super) fn is_good(&self, context: ContextId, edge: EdgeId) -> bool {
        self.good.contains(&(context, edge))
    }

    /// The threads that may run in parallel with a statement, without those that a loop has joined.
    pub(super) fn without_joined(
        &self,
        values: &Values<'_>,
        template: TemplateId,
        at: (ContextId, EdgeId),
        beside: ThreadSet,
    ) -> ThreadSet {
        let mut left = beside;
        for pair in self.pairs.iter().filter(|pair| pair.owner == template) {
            // The statement, or the call that leads to it, comes after the loop.
            let mut place = Some(at);
            while let Some((context, edge)) = place.filter(|(context, _)| *context != pair.context) {
                let _ = edge;
                place = values.points_to.contexts().caller(context);
            }
            let Some((context, edge)) = place else { continue };
            let function = &self.program.functions[values.points_to.contexts().function(context)];
            if !leads(function, function.entry, edge, pair.exit) {
                left = left.without(ThreadSet::one(pair.template));
            }
        }
        left
    }
}
