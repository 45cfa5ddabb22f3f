//! Variables of a frame that have the same value wherever they are used.

use super::symbols::leads;
use ir::analysis::graph;
use ir::{EdgeId, Function, LocalId};

/// Whether a variable has the same value at all of these edges in one frame: a parameter that is never set, or a
/// variable set by a single statement that lies on no cycle and before all of them. A variable that is never set does
/// not qualify, nor does a parameter that is set later.
pub(super) fn is_fixed(function: &Function, local: LocalId, uses: &[EdgeId]) -> bool {
    let is_param = function.params.contains(&local);
    let mut sets = function.edges.enumerate().filter(|(_, edge)| edge.stmt.writes().contains(&local));
    match (sets.next(), sets.next()) {
        (None, _) => is_param,
        (Some((set, edge)), None) => {
            let is_once = !graph::on_cycle(function)[edge.from];
            !is_param && is_once && uses.iter().all(|used| !leads(function, function.entry, *used, set))
        }
        (Some(_), Some(_)) => false,
    }
}
