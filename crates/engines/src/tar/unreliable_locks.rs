//! Unreliable locks, which do not guarantee mutual exclusion: something other than lock operations writes their cells
//! while threads run. Acquiring a free lock by other means (a compare-exchange that expects 0) is harmless, as is
//! everything before the first thread is started.

use super::facts::{Fact, Facts};
use super::symbols::Symbols;
use super::values::Values;
use ir::analysis::PointsTo;
use ir::Stmt;
use std::collections::BTreeSet;

/// The facts about unreliable locks, on which no proof may rest.
pub(super) fn unreliable_locks<'a>(
    values: &mut Values<'a>,
    facts: &Facts<'a>,
    symbols: &Symbols<'a>,
    points_to: &'a PointsTo,
) -> BTreeSet<usize> {
    let mut unreliable_locks = BTreeSet::new();
    for context in points_to.contexts().ids() {
        let function = &values.program.functions[points_to.contexts().function(context)];
        for (edge, item) in function.edges.enumerate() {
            if !values.is_reached(context, edge) || values.is_sequential(context, edge) {
                continue;
            }
            if let Stmt::CompareExchange { expected, .. } = &item.stmt {
                let expected = values.at_edge(context, edge, expected).unwrap_or_default();
                if expected.exact_number(32).and_then(|number| number.single()) == Some(0) {
                    continue;
                }
            }
            let is_of_mutexes = matches!(item.stmt, Stmt::Lock { .. } | Stmt::Unlock { .. });
            let role = facts.role(context);
            let does_harm = |fact: &usize| match facts.list[*fact] {
                Fact::Lock(_, mode) => {
                    let is_locking = is_of_mutexes && !mode.is_read_write();
                    !(is_locking || role.is_some_and(|role| role.is_about(mode)))
                }
                Fact::Region | Fact::Gone(_) => false,
            };
            let written = facts.written_locks(values, symbols, (context, edge), &item.stmt);
            unreliable_locks.extend(written.into_iter().filter(does_harm));
        }
    }
    unreliable_locks
}

/// The facts about locks that may be acquired by unknown functions: their owner need not be known to hold them.
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
            let may_take = match &item.stmt {
                Stmt::Lock { .. } | Stmt::Unlock { .. } => false,
                Stmt::Store { value, .. } => {
                    let value = values.at_edge(context, edge, value).unwrap_or_default();
                    value.exact_number(32).and_then(|number| number.single()) != Some(0)
                }
                _ => true,
            };
            if may_take && facts.role(context).is_none() && values.is_reached(context, edge) {
                tried.extend(facts.written_locks(values, symbols, (context, edge), &item.stmt));
            }
        }
    }
    tried
}
