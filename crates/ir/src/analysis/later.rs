//! Statements that a run may reach after a given one: along paths, into calls and back to callers, into threads that
//! are started and from the end of threads to their joins.
//!
//! Guarantee: if in some run one statement has been executed (a call: has returned) and another one follows that
//! happens after it by program order, starts and joins alone, then [`Later::after`] the first contains the second.
//! Parallel threads are ignored: see [`super::parallel`]. So are the targets of joins.

use crate::analysis::contexts::ContextId;
use crate::analysis::points_to::PointsTo;
use crate::program::{EdgeId, FunctionId, LocId, Program};
use crate::stmt::Stmt;
use base::IdVec;
use rustc_hash::{FxHashMap, FxHashSet};

/// A statement in a context.
pub type Site = (ContextId, EdgeId);

/// The interprocedural control flow of a program.
pub struct Later<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    edges_out: IdVec<FunctionId, IdVec<LocId, Vec<EdgeId>>>,
    callers: FxHashMap<ContextId, Vec<Site>>,
    /// The entry contexts of threads.
    first: FxHashSet<ContextId>,
    joins: Vec<Site>,
}

impl<'a> Later<'a> {
    /// Analyses a program.
    pub fn new(program: &'a Program, points_to: &'a PointsTo) -> Later<'a> {
        let mut later = Later {
            program,
            points_to,
            edges_out: program.functions.iter().map(crate::Function::edges_out).collect(),
            callers: FxHashMap::default(),
            first: FxHashSet::default(),
            joins: Vec::new(),
        };
        for context in points_to.contexts().ids() {
            for (edge, item) in program.functions[points_to.contexts().function(context)].edges.enumerate() {
                for &callee in points_to.callees(context, edge) {
                    later.callers.entry(callee).or_default().push((context, edge));
                }
                later.first.extend(points_to.spawned(context, edge));
                if matches!(item.stmt, Stmt::Join { .. }) {
                    later.joins.push((context, edge));
                }
            }
        }
        later
    }

    /// The statements that a run may reach after one of these, on paths without another statement that satisfies
    /// `ends`.
    pub fn after(&self, starts: impl IntoIterator<Item = Site>, ends: impl Fn(Site) -> bool) -> FxHashSet<Site> {
        let mut waiting = Vec::new();
        for site in starts {
            self.leave(site, &mut waiting);
        }
        self.search(waiting, ends)
    }

    /// The same from the program's start.
    pub fn from_start(&self, ends: impl Fn(Site) -> bool) -> FxHashSet<Site> {
        let entry = self.points_to.entry();
        self.search(vec![(entry, self.entry(entry))], ends)
    }

    fn search(&self, mut waiting: Vec<(ContextId, LocId)>, ends: impl Fn(Site) -> bool) -> FxHashSet<Site> {
        let mut found = FxHashSet::default();
        let mut seen = FxHashSet::default();
        while let Some((context, location)) = waiting.pop() {
            if !seen.insert((context, location)) {
                continue;
            }
            for &edge in &self.edges_out[self.points_to.contexts().function(context)][location] {
                let site = (context, edge);
                found.insert(site);
                if ends(site) {
                    continue;
                }
                let entered = self.points_to.callees(context, edge);
                waiting.extend(entered.iter().map(|&callee| (callee, self.entry(callee))));
                if entered.is_empty() {
                    self.leave(site, &mut waiting);
                }
            }
        }
        found
    }

    /// The successors of a statement; of a call, after it has returned.
    fn leave(&self, site: Site, waiting: &mut Vec<(ContextId, LocId)>) {
        let item = self.item(site);
        let started = self.points_to.spawned(site.0, site.1);
        waiting.extend(started.iter().map(|&thread| (thread, self.entry(thread))));
        let is_end = match &item.stmt {
            Stmt::Return(_) => {
                let callers = self.callers.get(&site.0).into_iter().flatten();
                waiting.extend(callers.map(|&call| (call.0, self.item(call).to)));
                self.first.contains(&site.0)
            }
            Stmt::ExitThread(_) => true,
            Stmt::Exit => false,
            _ => {
                waiting.push((site.0, item.to));
                false
            }
        };
        if is_end {
            waiting.extend(self.joins.iter().map(|&join| (join.0, self.item(join).to)));
        }
    }

    fn item(&self, (context, edge): Site) -> &crate::Edge {
        &self.program.functions[self.points_to.contexts().function(context)].edges[edge]
    }

    fn entry(&self, context: ContextId) -> LocId {
        self.program.functions[self.points_to.contexts().function(context)].entry
    }
}
