//! Liveness of local variables, to keep states small.

use base::{Id, IdVec};
use ir::{Expr, Function, LocId, LocalId};

/// Per location, the variables that may be read before they are set.
pub(super) struct Liveness(IdVec<LocId, Vec<u64>>);

impl Liveness {
    pub(super) fn new(function: &Function) -> Liveness {
        let words = function.locals.len().div_ceil(64);
        let mut live = IdVec::filled(vec![0u64; words], function.locs);
        let mut edges_in: IdVec<LocId, Vec<ir::EdgeId>> = IdVec::filled(Vec::new(), function.locs);
        for (id, edge) in function.edges.enumerate() {
            edges_in[edge.to].push(id);
        }
        let mut work: Vec<ir::EdgeId> = function.edges.ids().collect();
        while let Some(id) = work.pop() {
            let edge = &function.edges[id];
            let mut before = live[edge.to].clone();
            for local in edge.stmt.writes() {
                before[local.index() / 64] &= !(1 << (local.index() % 64));
            }
            for expr in edge.stmt.exprs() {
                expr.for_each(&mut |part| {
                    if let Expr::Local(local) = part {
                        before[local.index() / 64] |= 1 << (local.index() % 64);
                    }
                });
            }
            let at = &mut live[edge.from];
            let mut has_changed = false;
            for (old, new) in at.iter_mut().zip(before) {
                has_changed |= new & !*old != 0;
                *old |= new;
            }
            if has_changed {
                work.extend(&edges_in[edge.from]);
            }
        }
        Liveness(live)
    }

    /// Whether a variable may be read after a location.
    pub(super) fn is_live(&self, loc: LocId, local: LocalId) -> bool {
        self.0[loc][local.index() / 64] >> (local.index() % 64) & 1 == 1
    }
}
