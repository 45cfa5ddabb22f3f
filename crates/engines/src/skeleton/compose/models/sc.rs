//! Sequential consistency: acyclic(po ∪ fj ∪ rf ∪ co ∪ fr).

use super::Orders;
use ir::MemoryModel;
use smt::order::{Includes, Order};

pub(super) fn orders(order: &mut Order) -> Orders {
    let execution = order.order(Includes::ALL);
    Orders { model: MemoryModel::Sc, execution, coherence: None, happens_before: None }
}
