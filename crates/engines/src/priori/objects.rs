//! The effect of steps on objects: allocation, the end of lifetimes, and ranges of bytes of private memory.

use crate::domains::{Number, Numeric, Var};
use crate::priori::fixpoint::{Analysis, Kill};
use crate::priori::state::{Base, Scalar, State, Target};
use crate::priori::transfer::At;
use crate::priori::world::{Object, Source};
use check::ReasonKind;
use ir::{AllocKind, Expr, Stmt};

impl<D: Numeric> Analysis<'_, D> {
    pub(super) fn kill_frame(&mut self, at: At, frame: u32, state: &mut State<D>) {
        for object in 0..self.world.objects.len() as u32 {
            let item = &self.world.objects[object as usize];
            let Source::Site { thread, node } = item.source else { continue };
            let graph = &self.world.threads[at.thread as usize].graph;
            if thread == at.thread && !item.is_heap && graph.nodes[node as usize].frame == frame {
                self.kill(at, object, state);
            }
        }
    }

    /// Ends the life of an object.
    fn kill(&mut self, at: At, object: u32, state: &mut State<D>) {
        let item = &self.world.objects[object as usize];
        if item.is_shared {
            let key = (object, at.thread, at.node);
            let (thread, node, edge) = (at.thread, at.node, at.arc.edge);
            let ended = state.ended.clone();
            let kill = self.kills.entry(key).or_insert_with(|| Kill { object, thread, node, edge, ended });
            kill.ended.retain_all(&state.ended);
        }
        let is_mentioned = state.refs.iter().any(|(_, value)| match value {
            Scalar::Refs(refs) => {
                refs.iter().any(|target| matches!(target, Target::Object { object: other, .. } if *other == object))
            }
            Scalar::Any | Scalar::Number(_) => false,
        });
        // A summary object may stand for others that are alive: it is dead only once nothing leads to it.
        if is_mentioned || !item.is_summary {
            state.dead.insert(object as usize);
        }
        if !item.is_shared {
            self.forget_cells(object, state);
        }
    }

    fn forget_cells(&mut self, object: u32, state: &mut State<D>) {
        let mut vars: Vec<Var> = Vec::new();
        for ghost in [false, true] {
            let cells = self.world.cells_of.get(&(object, ghost)).cloned().unwrap_or_default();
            vars.extend(cells.into_iter().map(|cell| self.world.cells[cell].var));
        }
        state.retain(&mut |var| !vars.contains(&var));
        state.bases.retain(|(other, _)| *other != object);
    }

    pub(super) fn alloc(&mut self, at: At, stmt: &Stmt, state: &State<D>) {
        let Stmt::Alloc { dst, size, kind, zeroed, name, .. } = stmt else { return };
        let width = self.task.program.data_model.pointer_width();
        let scope = self.scope_at(at);
        let size = scope.evaluate(size, state, &mut self.world).as_number(width).and_then(|number| number.single());
        let size = size.and_then(|size| u64::try_from(size).ok());
        let thread = &self.world.threads[at.thread as usize];
        let function = thread.graph.frames[self.frame(at) as usize].function;
        let is_shared = self.world.escape.is_shared_site(function, at.arc.edge);
        let is_summary = thread.graph.on_cycle[at.node as usize] || thread.is_many && is_shared;
        let source = Source::Site { thread: at.thread, node: at.node };
        let object = self.world.object_number(source, || Object {
            source,
            name: name.clone(),
            size,
            is_shared,
            is_summary,
            is_writable: true,
            is_zeroed: *zeroed,
            is_heap: *kind == AllocKind::Heap,
        });
        if self.world.objects[object as usize].size != size {
            self.world.objects[object as usize].size = None;
        }
        let mut next = state.clone();
        if !is_summary {
            next.dead.remove(object as usize);
            if !is_shared {
                self.forget_cells(object, &mut next);
            }
        }
        let target = Target::Object { object, ghost: false, offset: Number::constant(64, 0) };
        next.set(scope.var(*dst), Scalar::one(target));
        self.go(at, next);
    }

    /// Ends the life of a stack object at the end of its block.
    pub(super) fn expire(&mut self, at: At, ptr: &Expr, state: &State<D>) {
        let (thread, node, edge) = (at.thread, at.node, at.arc.edge);
        let Some(refs) = self.evaluate(at, ptr, state).as_refs() else {
            let detail = "the end of a variable whose address is not resolved";
            return self.gap(ReasonKind::Unsupported, detail, thread, node, edge);
        };
        let mut next = state.clone();
        for target in refs {
            if let Target::Object { object, ghost: false, .. } = target {
                self.kill(at, object, &mut next);
            }
        }
        self.go(at, next);
    }

    pub(super) fn free(&mut self, at: At, ptr: &Expr, state: &State<D>) {
        let (thread, node, edge) = (at.thread, at.node, at.arc.edge);
        let Some(refs) = self.evaluate(at, ptr, state).as_refs() else {
            return self.gap(ReasonKind::Unsupported, "free of a pointer that is not resolved", thread, node, edge);
        };
        let mut next = state.clone();
        for target in refs {
            match target {
                Target::Null => {}
                Target::Object { object, ghost: false, offset } => {
                    let item = &self.world.objects[object as usize];
                    let is_valid = item.is_heap && offset.single() == Some(0) && !state.dead.contains(object as usize);
                    if !is_valid || item.is_summary {
                        let kind = if is_valid { ReasonKind::Unsupported } else { ReasonKind::Undefined };
                        let detail = format!("free of {} that may be invalid", item.name);
                        return self.gap(kind, detail, thread, node, edge);
                    }
                    self.accesses.insert((object, thread));
                    self.kill(at, object, &mut next);
                }
                Target::Object { .. } | Target::Function(_) | Target::Thread(_) | Target::Myself => {
                    return self.gap(ReasonKind::Undefined, "free of an invalid pointer", thread, node, edge);
                }
            }
        }
        self.go(at, next);
    }

    /// The one private object that contains a range, with the range; `None` after a gap.
    fn range(&mut self, at: At, ptr: &Expr, len: &Scalar, state: &State<D>) -> Option<(u32, i128, i128)> {
        let (thread, node, edge) = (at.thread, at.node, at.arc.edge);
        let width = self.task.program.data_model.pointer_width();
        let targets = self.evaluate(at, ptr, state).as_refs();
        let (Some([Target::Object { object, ghost: false, offset }]), Some(len)) =
            (targets.as_deref(), len.as_number(width))
        else {
            self.gap(ReasonKind::Unsupported, "a range of memory that is not resolved", thread, node, edge);
            return None;
        };
        let item = &self.world.objects[*object as usize];
        let size = item.size.map(i128::from);
        if item.is_shared || size.is_none() {
            let detail = format!("{} is accessed as a range of bytes", item.name);
            self.gap(ReasonKind::Unsupported, detail, thread, node, edge);
            return None;
        }
        let is_inside =
            offset.low() >= 0 && len.low() >= 0 && size.is_some_and(|size| offset.high() + len.high() <= size);
        if !is_inside || state.dead.contains(*object as usize) {
            let detail = format!("an access that may be outside {}", item.name);
            self.gap(ReasonKind::Undefined, detail, thread, node, edge);
            return None;
        }
        self.accesses.insert((*object, thread));
        let is_whole = offset.single() == Some(0) && len.single() == size;
        Some((*object, if is_whole { 1 } else { 0 }, len.high()))
    }

    pub(super) fn fill(&mut self, at: At, dst: &Expr, byte: &Expr, len: &Expr, state: &State<D>) {
        let (byte, len) = (self.evaluate(at, byte, state), self.evaluate(at, len, state));
        let Some((object, is_whole, most)) = self.range(at, dst, &len, state) else { return };
        let mut next = state.clone();
        if most > 0 {
            let byte = byte.as_number(8).and_then(|number| number.single());
            let is_exact = is_whole == 1 && !self.world.objects[object as usize].is_summary;
            self.refill(
                object,
                byte.filter(|_| is_exact).map_or(Base::Anything, |byte| Base::Byte(byte as u8)),
                &mut next,
            );
        }
        self.go(at, next);
    }

    pub(super) fn copy(&mut self, at: At, (dst, src, len): (&Expr, &Expr, &Expr), disjoint: bool, state: &State<D>) {
        let len = self.evaluate(at, len, state);
        let Some((object, _, most)) = self.range(at, dst, &len, state) else { return };
        let Some((source, ..)) = self.range(at, src, &len, state) else { return };
        if disjoint && source == object {
            let (thread, node, edge) = (at.thread, at.node, at.arc.edge);
            self.gap(ReasonKind::Undefined, "a copy between ranges that may overlap", thread, node, edge);
            return;
        }
        let mut next = state.clone();
        if most > 0 {
            self.refill(object, Base::Anything, &mut next);
        }
        self.go(at, next);
    }

    fn refill(&mut self, object: u32, base: Base, state: &mut State<D>) {
        let cells = self.world.cells_of.get(&(object, false)).cloned().unwrap_or_default();
        let vars: Vec<Var> = cells.into_iter().map(|cell| self.world.cells[cell].var).collect();
        state.retain(&mut |var| !vars.contains(&var));
        state.bases.retain(|(other, _)| *other != object);
        state.bases.push((object, base));
        state.bases.sort_unstable();
    }
}
