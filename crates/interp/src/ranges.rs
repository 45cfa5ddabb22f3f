//! Copies and sets of ranges that another thread accesses while they are in progress. C leaves open in which order
//! `memcpy`, `memmove`, `memset` and assignments move bytes, and the step function has one order. Only an access to the
//! range after its first piece was moved, and before its last piece has reached memory, can observe the order; it is
//! recorded as not modelled. Locks rule that out. Under release-acquire the moment at which a thread sees another one's
//! range is not defined, so every range visible to others counts.

use crate::enabled::next_edge;
use crate::eval::Eval;
use crate::machine::{Gap, Machine};
use crate::state::State;
use crate::step::Step;
use crate::value::Pointer;
use ir::Stmt;

impl Step<'_, '_> {
    /// Records a gap if an access overlaps a range that another thread is moving.
    pub(crate) fn meet_ranges(&self, pointer: Pointer, len: u64, write: bool) {
        let mut others = self.state.running().filter(|&number| number != self.thread);
        if others.any(|number| self.machine.is_moving(self.state, number, (pointer, len), write)) {
            self.note_order();
        }
    }

    /// The order in which bytes are moved may matter.
    pub(crate) fn note_order(&self) {
        let what =
            "the order in which a copy or set of several bytes moves them, which another thread may see,".to_owned();
        self.machine.gap(Gap::Unmodelled { what: what.into(), at: self.site() });
    }
}

impl Machine<'_> {
    /// Whether a thread has begun but not finished to move a range that conflicts with an access.
    fn is_moving(&self, state: &State, number: u32, (pointer, len): (Pointer, u64), write: bool) -> bool {
        let thread = state.thread(number);
        let overlaps = |start: Pointer, bytes: u64| {
            start.object == pointer.object
                && start.offset < pointer.offset + len as i64
                && pointer.offset < start.offset + bytes as i64
        };
        if thread.buffer.iter().filter_map(|entry| entry.range).any(|(start, bytes)| overlaps(start, bytes)) {
            return true;
        }
        let (Some(progress), Some(at)) = (thread.range, next_edge(self, thread)) else { return false };
        let (dst, src, bytes) = match &self.program.functions[at.0].edges[at.1].stmt {
            Stmt::Copy { dst, src, len, .. } => (dst, Some(src), len),
            Stmt::Set { dst, len, .. } => (dst, None, len),
            _ => return false,
        };
        let mut look = self.look(state, number, at);
        let Ok(bytes) = look.eval_int(bytes) else { return false };
        if progress.pending.is_some_and(|(piece, _)| u128::from(piece) == bytes) {
            return false;
        }
        let mut is_met = |start: &ir::Expr| look.eval_pointer(start).is_ok_and(|start| overlaps(start, bytes as u64));
        is_met(dst) || write && src.is_some_and(is_met)
    }
}
