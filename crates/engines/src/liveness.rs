//! Liveness of local variables, to keep states small.

use crate::domains::Bits;
use base::{Id, IdVec};
use ir::{Expr, Function, LocId, Stmt};

/// Per location, the variables that may be read before they are written, as numbers of locals.
pub(crate) type Liveness = IdVec<LocId, Bits>;

/// The live variables of a function.
pub(crate) fn liveness(function: &Function) -> Liveness {
    let mut live = IdVec::filled(Bits::empty(), function.locs);
    let mut edges_in = IdVec::filled(Vec::new(), function.locs);
    for (id, edge) in function.edges.enumerate() {
        edges_in[edge.to].push(id);
    }
    let mut work: Vec<ir::EdgeId> = function.edges.ids().collect();
    while let Some(id) = work.pop() {
        let edge = &function.edges[id];
        let before = live_before(&edge.stmt, live[edge.to].clone());
        if live[edge.from].insert_all(&before) {
            work.extend(&edges_in[edge.from]);
        }
    }
    live
}

/// The live variables before a statement.
fn live_before(stmt: &Stmt, mut live: Bits) -> Bits {
    let mut read = Bits::empty();
    for expr in stmt.exprs() {
        expr.for_each(&mut |part| {
            if let Expr::Local(local) = part {
                read.insert(local.index());
            }
        });
    }
    // An `await` reads what it tests by itself.
    let is_wait = matches!(stmt, Stmt::Await { .. });
    for local in stmt.writes() {
        live.remove(local.index());
        if is_wait {
            read.remove(local.index());
        }
    }
    live.union(&read)
}
