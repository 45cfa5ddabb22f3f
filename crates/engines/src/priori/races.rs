//! Races, decided by the happens-before in orders of stores. While `race` is checked, knowledge is passed on only by
//! C11 synchronisation: release stores read by acquire loads, locks and the like, starts and ends of threads. What an
//! order knows then happens before the thread's next step.
//!
//! Two accesses are ordered if what either thread can know when it makes its own always includes a store of the other
//! thread that certainly comes no sooner than the other access, or if no run has both: the two threads' orders of some
//! location contradict each other (two holders of a lock, neither knowing of the other). Every pair of conflicting
//! accesses must be ordered, for every pair of states in which they are made; otherwise it is an alarm.
//!
//! Deviation: the paper does not cover races. Limits: accesses inside atomic regions are treated as plain ones, release
//! sequences and fences are ignored, so some programs without races keep an alarm.

use crate::domains::{Bits, Numeric, Order};
use crate::priori::fixpoint::{Alarm, Analysis};
use crate::priori::graph::NodeId;
use crate::priori::state::State;
use crate::priori::transfer::At;
use crate::priori::world::{CellEvents, World};
use base::Stop;
use ir::{EdgeId, Order as MemoryOrder, Stmt};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Maximum number of views of an access; past it, the access may race.
const MAX_VIEWS: usize = 400;

/// The knowledge of a thread when it makes an access.
#[derive(Clone, PartialEq, Debug)]
struct View {
    orders: Rc<Vec<Option<Rc<Order>>>>,
    ended: Bits,
}

/// An access to shared memory at one place.
#[derive(Clone, Debug)]
pub(super) struct Accessed {
    thread: u32,
    node: NodeId,
    edge: EdgeId,
    write: bool,
    atomic: bool,
    views: Vec<View>,
    /// More views were dropped.
    has_more: bool,
}

/// By cell, thread and node.
pub(super) type Accesses = BTreeMap<(usize, u32, NodeId), Accessed>;

impl<D: Numeric> Analysis<'_, D> {
    /// Records an access to a cell.
    pub(super) fn note_access(&mut self, at: At, cell: usize, state: &State<D>) {
        let item = &self.world.cells[cell];
        if !self.is_about_races() || !item.is_shared || item.ghost {
            return;
        }
        if self.task.race_free.contains(&(self.world.function(at.thread, at.node), at.arc.edge)) {
            return;
        }
        let (write, order) = match self.statement(at.thread, at.node, at.arc.edge) {
            Stmt::Load { access, .. } => (false, access.order),
            Stmt::Store { access, .. } => (true, access.order),
            Stmt::Rmw { order, .. } | Stmt::CompareExchange { order, .. } => (true, *order),
            // Nothing else accesses memory other than ghosts; such an access would be neither.
            _ => (true, MemoryOrder::Plain),
        };
        let (thread, node, edge) = (at.thread, at.node, at.arc.edge);
        let accessed = self.accessed.entry((cell, thread, node)).or_insert_with(|| Accessed {
            thread,
            node,
            edge,
            write,
            atomic: order.is_atomic(),
            views: Vec::new(),
            has_more: false,
        });
        let view = View { orders: Rc::clone(&state.orders), ended: state.ended.clone() };
        if !accessed.has_more && !accessed.views.contains(&view) {
            accessed.has_more = accessed.views.len() >= MAX_VIEWS;
            accessed.views.push(view);
        }
    }

    /// Compares all conflicting accesses.
    pub(super) fn check_races(&mut self) -> Result<(), Stop> {
        let all: Vec<((usize, u32, NodeId), Accessed)> = std::mem::take(&mut self.accessed).into_iter().collect();
        for (index, ((cell, thread, _), first)) in all.iter().enumerate() {
            let is_many = self.world.threads[*thread as usize].is_many;
            for ((_, other, _), second) in all[index..].iter().take_while(|((other, _, _), _)| other == cell) {
                let conflict = (first.write || second.write) && !(first.atomic && second.atomic);
                if !conflict || thread == other && !is_many {
                    continue;
                }
                if !self.are_ordered(first, second)? {
                    let place = self.world.place(first.thread, first.node, first.edge);
                    let elsewhere = self.world.place(second.thread, second.node, second.edge);
                    let name = self.world.cell_name(*cell);
                    let message = format!("accesses to {name} race");
                    let values = format!("the other is at {elsewhere}");
                    let statement = |access: &Accessed| (self.world.function(access.thread, access.node), access.edge);
                    let accesses = Some([statement(first), statement(second)]);
                    self.alarms.insert(Alarm { assertion: None, place, message, values, accesses });
                }
            }
        }
        Ok(())
    }

    fn are_ordered(&self, first: &Accessed, second: &Accessed) -> Result<bool, Stop> {
        let world = &self.world;
        let is_first = world.is_unstarted(second.thread, first.thread, first.node);
        if is_first || world.is_unstarted(first.thread, second.thread, second.node) {
            return Ok(true);
        }
        if first.has_more || second.has_more {
            return Ok(false);
        }
        let unaware = |own: &Accessed, other: &Accessed| -> Vec<View> {
            own.views.iter().filter(|view| !knows(world, view, other)).cloned().collect()
        };
        let (one, two) = (unaware(first, second), unaware(second, first));
        for (count, view) in one.iter().enumerate() {
            if count.is_multiple_of(16) {
                self.task.budget.check()?;
            }
            if two.iter().any(|other| !contradict(world, view, other)) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether another thread's access certainly happens before the actions of a thread in a view, if it happens at all.
fn knows(world: &World<'_>, view: &View, access: &Accessed) -> bool {
    let thread = &world.threads[access.thread as usize];
    if thread.is_many {
        return false;
    }
    if view.ended.contains(access.thread as usize) {
        return true;
    }
    view.orders.iter().enumerate().filter_map(|(cell, order)| Some((cell, order.as_ref()?))).any(|(cell, order)| {
        order.known().iter().filter_map(|event| world.event(cell, event)).any(|event| {
            event.thread == access.thread
                && !event.is_summary
                && (event.node == access.node || !thread.graph.reaches(event.node, access.node))
        })
    })
}

/// Whether no run has both views.
fn contradict(world: &World<'_>, one: &View, other: &View) -> bool {
    let cells = one.orders.len().min(other.orders.len());
    (0..cells).any(|cell| match (&one.orders[cell], &other.orders[cell]) {
        (Some(first), Some(second)) => {
            !Rc::ptr_eq(first, second) && !first.is_consistent(second, &CellEvents { world, cell })
        }
        (Some(_) | None, Some(_) | None) => false,
    })
}
