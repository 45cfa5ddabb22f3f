//! Joins that are of a thread that is there: its number was made by one `NewThread` that is executed once, nobody else joins
//! or detaches it, and the join is executed once.

use super::objects::Name;
use super::values::Values;
use ir::analysis::{ContextId, Threads};
use ir::{EdgeId, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// The joins and detaches that are as they should be.
pub(super) struct Joins {
    good: BTreeSet<(ContextId, EdgeId)>,
}

impl Joins {
    pub(super) fn new(values: &mut Values<'_>, threads: &Threads) -> Joins {
        let (program, points_to) = (values.program, values.points_to);
        // Per number of a thread, who joins or detaches it.
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
                    if matches!(item.name, Name::Thread(..)) && item.is_single && offset.single() == Some(0) {
                        exact.push(((context, edge), *object));
                    }
                }
            }
        }
        let is_once = |at: (ContextId, EdgeId)| threads.is_once(program, points_to, at.0, at.1);
        let good = exact.into_iter().filter(|(at, thread)| !is_lost && is_once(*at) && by_thread[thread].len() == 1);
        Joins { good: good.map(|(at, _)| at).collect() }
    }

    /// Whether a join or detach is as it should be.
    pub(super) fn is_good(&self, context: ContextId, edge: EdgeId) -> bool {
        self.good.contains(&(context, edge))
    }
}
