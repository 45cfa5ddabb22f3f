//! Locks that do not exclude anybody: their cells are written by something else than locking and unlocking while threads
//! run. What only takes a free lock (a compare-exchange that expects 0) does no harm, nor does what happens before the
//! first thread is started.

use super::facts::Facts;
use super::symbols::Symbols;
use super::values::Values;
use ir::analysis::PointsTo;
use ir::Stmt;
use std::collections::BTreeSet;

/// The facts that a lock is held on which nothing can rest.
pub(super) fn spoiled<'a>(
    values: &mut Values<'a>,
    facts: &Facts<'a>,
    symbols: &Symbols<'a>,
    points_to: &'a PointsTo,
) -> BTreeSet<usize> {
    let mut spoiled = BTreeSet::new();
    for context in points_to.contexts().ids() {
        let function = &values.program.functions[points_to.contexts().function(context)];
        for (edge, item) in function.edges.enumerate() {
            if !values.is_reached(context, edge) || values.is_sequential(context, edge) {
                continue;
            }
            let is_harmless = match &item.stmt {
                Stmt::Lock { .. } | Stmt::Unlock { .. } => true,
                Stmt::CompareExchange { expected, .. } => {
                    let expected = values.at_edge(context, edge, expected).unwrap_or_default();
                    expected.exact_number(32).and_then(|number| number.single()) == Some(0)
                }
                _ => false,
            };
            if !is_harmless {
                spoiled.extend(facts.written_locks(values, symbols, (context, edge), &item.stmt));
            }
        }
    }
    spoiled
}

/// The facts about locks that may be taken otherwise than by locking them (trylock and its like): who holds one need not be
/// known to hold it.
pub(super) fn tried<'a>(
    values: &mut Values<'a>,
    facts: &Facts<'a>,
    symbols: &Symbols<'a>,
    points_to: &'a PointsTo,
) -> BTreeSet<usize> {
    let mut tried = BTreeSet::new();
    for context in points_to.contexts().ids() {
        let function = &values.program.functions[points_to.contexts().function(context)];
        for (edge, item) in function.edges.enumerate() {
            let takes = matches!(item.stmt, Stmt::CompareExchange { .. } | Stmt::Rmw { .. });
            if takes && values.is_reached(context, edge) {
                tried.extend(facts.written_locks(values, symbols, (context, edge), &item.stmt));
            }
        }
    }
    tried
}
