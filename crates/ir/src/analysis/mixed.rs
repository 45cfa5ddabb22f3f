//! The seq_cst accesses whose fences may order weaker ones under `ra`: those that may happen in parallel with another
//! atomic access. An access before or after all others, as in `main` after all joins, is ordered with them anyway.

use crate::analysis::Analyses;
use crate::program::{EdgeId, FunctionId, Program};
use crate::stmt::{Order, Stmt};
use std::collections::BTreeSet;

/// The seq_cst accesses that may happen in parallel with another atomic access.
pub fn concurrent_seq_cst(program: &Program) -> BTreeSet<(FunctionId, EdgeId)> {
    let has = |stmt: &Stmt, is_meant: fn(Order) -> bool| stmt.access_orders().any(is_meant);
    let all = || {
        let is_model = |(function, edge): (FunctionId, EdgeId)| {
            // The atomic accesses of models are to ghost records.
            program.is_model(program.functions[function].edges[edge].span)
        };
        program.statements().filter(move |(at, _)| !is_model(*at))
    };
    if !all().any(|(_, stmt)| has(stmt, |order| order == Order::SeqCst)) {
        return BTreeSet::new();
    }
    let analyses = Analyses::new(program);
    let parallel = analyses.parallel();
    let atomic: Vec<_> = all().filter(|(_, stmt)| has(stmt, |order| order != Order::Plain)).map(|(at, _)| at).collect();
    let seq_cst = all().filter(|(_, stmt)| has(stmt, |order| order == Order::SeqCst)).map(|(at, _)| at);
    seq_cst.filter(|&at| atomic.iter().any(|&other| parallel.may_happen(at, other))).collect()
}
