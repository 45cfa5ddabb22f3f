//! The distance from each place of the program to a statement that can violate the property, along the graphs of
//! functions and into called functions. Affects only the order of the search.

use super::races::watchable;
use base::IdVec;
use ir::{Callee, FunctionId, LocId, Program, Property, Stmt};

/// Whether a statement can violate a property.
fn is_about(stmt: &Stmt, property: Property) -> bool {
    let is_lock = matches!(stmt, Stmt::Lock { .. } | Stmt::Unlock { .. });
    stmt.is_assertion(property)
        || match property {
            Property::Locks => is_lock,
            Property::Deadlock => is_lock || matches!(stmt, Stmt::Join { .. } | Stmt::Await { .. }),
            Property::Memory | Property::Race => watchable(stmt) > 0,
            Property::Unreach | Property::Atomicity => false,
        }
}

/// The distance of each place of each function; `u32::MAX` where there is no path.
pub(super) fn distances(program: &Program, property: Property) -> IdVec<FunctionId, IdVec<LocId, u32>> {
    let mut all: IdVec<FunctionId, IdVec<LocId, u32>> =
        program.functions.iter().map(|function| IdVec::filled(u32::MAX, function.locs)).collect();
    let mut is_stable = false;
    while !is_stable {
        is_stable = true;
        for (id, function) in program.functions.enumerate() {
            for edge in function.edges.iter() {
                let inside = match &edge.stmt {
                    stmt if is_about(stmt, property) => 0,
                    Stmt::Call { callee: Callee::Direct(callee), .. } => {
                        all[*callee][program.functions[*callee].entry].saturating_add(1)
                    }
                    _ => u32::MAX,
                };
                let way = inside.min(all[id][edge.to].saturating_add(1));
                if way < all[id][edge.from] {
                    all[id][edge.from] = way;
                    is_stable = false;
                }
            }
        }
    }
    all
}
