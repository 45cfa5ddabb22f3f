//! Which steps are enabled in a state, which of them are visible to other threads, and when the program is stuck.

use crate::eval::{Eval, Look};
use crate::machine::{Machine, Next};
use crate::models::Actions;
use crate::sharing::{is_seq_cst, Footprint, Spot};
use crate::state::{State, Status, Thread};
use crate::step::Interrupt;
use crate::value::{ObjRef, Pointer, Value};
use base::Id;
use ir::{Action, EdgeId, Fault, FunctionId, Property, Stmt, StmtKind, Violation};
use smallvec::SmallVec;

/// Whether a thread can take a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Readiness {
    /// Yes.
    Ready,
    /// Its store buffer must drain first.
    Draining,
    /// It waits for another thread. If `Some`, it may also continue by itself: `true` by a timeout, `false` by a
    /// spurious wake-up.
    Blocked(Option<bool>),
}

/// What a thread does next: its location has a statement, a branch, or nothing.
pub(crate) fn next_edge(machine: &Machine<'_>, thread: &Thread) -> Option<(FunctionId, EdgeId)> {
    let frame = thread.frames.last()?;
    match &machine.code[frame.function].next[frame.loc] {
        Next::Edge(edge) => Some((frame.function, *edge)),
        Next::Branch(edges) => Some((frame.function, edges[0])),
        Next::End => None,
    }
}

impl<'p> Machine<'p> {
    /// Whether a running thread can step.
    pub fn readiness(&self, state: &State, number: u32) -> Readiness {
        if state.region.is_some_and(|holder| holder != number) {
            return Readiness::Blocked(None);
        }
        let thread = state.thread(number);
        let Some(at) = next_edge(self, thread) else { return Readiness::Ready };
        if let Some(readiness) = self.model.readiness(self, state, number, at) {
            return readiness;
        }
        let stmt = &self.program.functions[at.0].edges[at.1].stmt;
        if !stmt.waits() {
            return Readiness::Ready;
        }
        // The step itself reports what cannot be evaluated (a null pointer, an undefined value).
        self.look(state, number, at).readiness(stmt).unwrap_or(Readiness::Ready)
    }

    /// A read-only view of the next step of a thread.
    pub(crate) fn look<'a>(&'a self, state: &'a State, number: u32, at: (FunctionId, EdgeId)) -> Look<'a, 'p> {
        let locals = state.thread(number).frames.last().map(|frame| frame.locals.clone()).unwrap_or_default();
        Look { machine: self, state, thread: number, at, locals }
    }

    /// The enabled steps, in a fixed order. `Wake` is listed for threads that may wake up spuriously.
    pub fn enabled(&self, state: &State) -> SmallVec<[(u32, Action); 4]> {
        let mut actions = Actions::new();
        for number in state.running() {
            match self.readiness(state, number) {
                Readiness::Ready => actions.push((number, Action::Step)),
                Readiness::Blocked(Some(_)) => actions.push((number, Action::Wake)),
                Readiness::Draining | Readiness::Blocked(None) => {}
            }
            self.flushes(state, number, &mut actions);
        }
        actions
    }

    /// The entries of a thread's store buffer that may reach memory next.
    pub(crate) fn flushes(&self, state: &State, number: u32, actions: &mut Actions) {
        if state.region.is_none_or(|holder| holder == number) {
            self.model.flushes(state, number, actions);
        }
    }

    /// The threads that wait forever if no thread can move; `None` if some thread can.
    pub fn deadlock(&self, state: &State) -> Option<Vec<u32>> {
        let mut blocked = Vec::new();
        for number in state.running() {
            let mut flushes = Actions::new();
            self.flushes(state, number, &mut flushes);
            if !flushes.is_empty() {
                return None;
            }
            match self.readiness(state, number) {
                Readiness::Ready | Readiness::Draining | Readiness::Blocked(Some(true)) => return None,
                Readiness::Blocked(_) => blocked.push(number),
            }
        }
        (!blocked.is_empty()).then_some(blocked)
    }

    /// The violation that a deadlock is.
    pub(crate) fn deadlock_violation(&self, state: &State, blocked: &[u32]) -> Violation {
        let at = blocked.first().and_then(|number| next_edge(self, state.thread(*number)));
        Violation {
            fault: Fault::Deadlock { threads: blocked.len() },
            inside: None,
            thread: blocked.first().copied(),
            at,
            other: None,
            first: None,
        }
    }

    /// The statement a thread is about to execute.
    pub fn next_at(&self, state: &State, number: u32) -> Option<(FunctionId, EdgeId)> {
        next_edge(self, state.find_thread(u64::from(number))?)
    }

    /// Whether a statement may be visible to other threads in some state. `is_last_frame`: in the first function of its
    /// thread.
    pub fn is_noticeable(&self, (function, edge): (FunctionId, EdgeId), is_last_frame: bool) -> bool {
        self.sharing.is_visible(function, edge, is_last_frame)
    }

    /// Whether the next step of a thread is visible to other threads, or depends on theirs.
    pub(crate) fn is_visible(&self, state: &State, number: u32) -> bool {
        let thread = state.thread(number);
        let Some((function, edge)) = next_edge(self, thread) else { return true };
        if state.region == Some(number) || !state.is_parallel() {
            return self.readiness(state, number) != Readiness::Ready;
        }
        let stmt = &self.program.functions[function].edges[edge].stmt;
        let by_model = self.model.is_visible(self, thread, stmt);
        by_model.unwrap_or_else(|| self.sharing.is_visible(function, edge, thread.frames.len() == 1))
    }

    /// Whether no other thread will ever take a step that conflicts with the next one of a thread, so that taking it
    /// first loses nothing. Never true of steps that end the run or keep other threads from moving.
    pub(crate) fn is_independent(&self, state: &State, number: u32) -> bool {
        let thread = state.thread(number);
        let Some(at) = next_edge(self, thread) else { return false };
        let stmt = &self.program.functions[at.0].edges[at.1].stmt;
        let contended =
            |spot: Spot| self.sharing.is_contended(state, number, &Footprint { spot, bytes: None, write: true });
        if self.model.is_due(thread) {
            return !contended(Spot::Fence);
        }
        match stmt.kind() {
            StmtKind::Access | StmtKind::Lock => {}
            StmtKind::Thread => {
                let ends = matches!(stmt, Stmt::ExitThread(_));
                return matches!(stmt, Stmt::Spawn { .. }) || !ends && !contended(Spot::Numbers);
            }
            StmtKind::Call => {
                let ends = matches!(stmt, Stmt::Return(_)) && thread.frames.len() == 1;
                return ends && self.ends_unnoticed(state, number);
            }
            StmtKind::Fence => return !contended(Spot::Fence),
            StmtKind::Local
            | StmtKind::Condition
            | StmtKind::Range
            | StmtKind::Lifetime
            | StmtKind::Region
            | StmtKind::End => return false,
        }
        if is_seq_cst(stmt) && contended(Spot::Fence) {
            return false;
        }
        let Some((pointer, len)) = self.accessed(state, number, at, stmt) else { return false };
        let bytes = (!pointer.ghost && matches!(pointer.object, ObjRef::Static(_)))
            .then_some((pointer.offset, pointer.offset + len as i64));
        let write = !matches!(stmt, Stmt::Load { .. });
        let site = state.object(pointer.object).and_then(|object| object.site);
        let spot = Spot::of(pointer, site);
        !self.sharing.is_contended(state, number, &Footprint { spot, bytes, write })
    }

    /// Whether a thread that ends takes nothing along that other threads might reach: no number, no stack or
    /// thread-local object.
    fn ends_unnoticed(&self, state: &State, number: u32) -> bool {
        let thread = state.thread(number);
        let mut others = state.objects[state.statics..].iter();
        let is_own = |id: ObjRef| matches!(id, ObjRef::ThreadLocal(owner, _) if owner == number);
        !thread.detached
            && thread.frames.iter().all(|frame| frame.objects.is_empty())
            && !others.any(|object| object.shared && is_own(object.id))
    }

    /// The access of a statement, if it can be determined without asking the oracle.
    pub(crate) fn accessed(
        &self,
        state: &State,
        number: u32,
        at: (FunctionId, EdgeId),
        stmt: &Stmt,
    ) -> Option<(Pointer, u64)> {
        let (ptr, ty) = stmt.cell()?;
        let len = ty.bytes(self.layout.pointer_bytes());
        self.look(state, number, at).eval_pointer(ptr).ok().map(|pointer| (pointer, len))
    }
}

impl Look<'_, '_> {
    /// Whether a blocking statement has to wait.
    pub(crate) fn readiness(&mut self, stmt: &Stmt) -> Result<Readiness, Interrupt> {
        let ready = match stmt {
            Stmt::Lock { ptr } => {
                let owner = self.ghost_cell(ptr, 4)?;
                let owner = self.as_int(owner) as u32;
                owner == 0 || owner == self.thread && self.machine.config.property == Property::Locks
            }
            Stmt::Join { thread, .. } => {
                let number = self.eval_int(thread)? as u64;
                !self.state.find_thread(number).is_some_and(|thread| !matches!(thread.status, Status::Ended(_)))
            }
            Stmt::Await { dst, ty, ptr, ready, spurious, timeout, .. } => {
                let value = self.ghost_cell(ptr, ty.bytes(self.machine.layout.pointer_bytes()))?;
                self.locals[dst.index()] = value;
                if !self.holds(ready)? {
                    return Ok(Readiness::Blocked(spurious.is_some().then_some(*timeout)));
                }
                true
            }
            stmt => !stmt.waits(),
        };
        Ok(if ready { Readiness::Ready } else { Readiness::Blocked(None) })
    }

    /// How a statement can proceed without draining the store buffer, if it can: by changing nothing.
    pub(crate) fn only_loads(&mut self, stmt: &Stmt) -> Result<Option<Readiness>, Interrupt> {
        match stmt {
            Stmt::Await { .. } => {
                let readiness = self.readiness(stmt)?;
                Ok((readiness != Readiness::Ready).then_some(readiness))
            }
            Stmt::CompareExchange { ty, ptr, expected, weak, .. } => {
                let found = self.ghost_cell(ptr, ty.bytes(self.machine.layout.pointer_bytes()))?;
                let (found, expected) = (self.as_int(found), self.eval_int(expected)?);
                Ok((*weak || found != expected).then_some(Readiness::Ready))
            }
            _ => Ok(None),
        }
    }

    /// The value of the accessed ghost cell.
    fn ghost_cell(&mut self, ptr: &ir::Expr, len: u64) -> Result<Value, Interrupt> {
        let pointer = self.eval_pointer(ptr)?;
        let is_live = self.state.object(pointer.object).is_some_and(|object| object.live);
        if !pointer.ghost || !is_live {
            return Err(Interrupt::NoAnswer);
        }
        self.state.ghost(pointer.object, pointer.offset, len).map_err(|what| Interrupt::Unmodelled(what.into()))
    }
}
