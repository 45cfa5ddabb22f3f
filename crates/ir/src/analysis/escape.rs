//! Escape analysis: which objects more than one thread may access, and which statements are visible to other threads.
//!
//! Guarantee of [`Escape::is_shared_object`] and [`Escape::is_shared_site`]: if they return false, then in every
//! defined run each such object, its ghost included, is accessed by one thread only. An object created by a thread (or
//! a thread's copy of a thread-local object) is accessed by others only if its address gets to them: through memory
//! that several threads access, as an argument of a new thread, or as a thread's result.
//!
//! Guarantee of [`Escape::is_visible`]: a statement that is not visible commutes with every step that another thread
//! can take while it is about to be executed, under every memory model, never blocks, and does not end the run (unless
//! by a violation or undefined behaviour of its own). So these are visible: accesses to memory that another thread may
//! access at the same time, one of both writing; ends of the life of such memory; blocking, starting and ending; fences
//! and atomic regions; a standalone `Assume` and edges to a location without edges, since both can end the run.
//! Unreachable code counts as visible.

use crate::analysis::contexts::ContextId;
use crate::analysis::parallel::Parallel;
use crate::analysis::points_to::{Memory, PointsTo, Target};
use crate::analysis::threads::{TemplateId, ThreadSet, Threads};
use crate::program::{EdgeId, FunctionId, ObjectId, ObjectKind, Program};
use crate::stmt::{AllocKind, Stmt};
use crate::traits::{StmtKind, Touch};
use base::{Id, IdVec};
use rustc_hash::FxHashSet;

/// The shared objects and visible statements.
#[derive(Clone, Debug)]
pub struct Escape {
    shared: FxHashSet<Memory>,
    is_everything_shared: bool,
    /// Per edge: whether it is visible in a frame that is not the last of its thread.
    visible: IdVec<FunctionId, IdVec<EdgeId, bool>>,
    /// Per edge: whether it is a `Return`.
    returns: IdVec<FunctionId, IdVec<EdgeId, bool>>,
}

impl Escape {
    /// Analyses a program.
    pub fn new(program: &Program, points_to: &PointsTo, threads: &Threads, parallel: &Parallel) -> Escape {
        let mut finder = Finder {
            program,
            points_to,
            threads,
            parallel,
            uses: vec![Use::default(); points_to.target_count()],
            is_escaped: vec![false; points_to.target_count()],
            anywhere: Use::default(),
            accesses: Vec::new(),
        };
        finder.collect();
        finder.find_escaped();
        let is_everything_shared = finder.is_shared_by_use(finder.anywhere);
        let shared = (0..finder.uses.len()).filter(|&number| finder.is_shared(number as u32)).filter_map(|number| {
            if let Target::Object { memory, .. } = points_to.target(number as u32) {
                Some(memory)
            } else {
                None
            }
        });
        let shared = shared.collect();
        let is_return = |stmt: &Stmt| matches!(stmt, Stmt::Return(_));
        let edges = |function: &crate::program::Function| function.edges.iter().map(|e| is_return(&e.stmt)).collect();
        Escape {
            shared,
            is_everything_shared,
            visible: finder.visible(),
            returns: program.functions.iter().map(edges).collect(),
        }
    }

    /// Whether more than one thread may access a static object. A thread-local object stands for all its copies.
    pub fn is_shared_object(&self, object: ObjectId) -> bool {
        self.is_everything_shared || self.shared.contains(&Memory::Static(object))
    }

    /// Whether more than one thread may access the objects of an `Alloc`.
    pub fn is_shared_site(&self, function: FunctionId, edge: EdgeId) -> bool {
        self.is_everything_shared || self.shared.contains(&Memory::Site(function, edge))
    }

    /// Whether a statement may be visible to other threads, or observe them. `is_last_frame`: the thread is in its
    /// entry function, so that a `Return` ends it.
    pub fn is_visible(&self, function: FunctionId, edge: EdgeId, is_last_frame: bool) -> bool {
        self.visible[function][edge] || (is_last_frame && self.returns[function][edge])
    }
}

/// The accesses to a target.
#[derive(Clone, Copy, Default, Debug)]
struct Use {
    accessing: ThreadSet,
    writing: ThreadSet,
    /// The threads that may run in parallel with an access.
    beside_access: ThreadSet,
    /// The threads that may run in parallel with a write.
    beside_write: ThreadSet,
}

impl Use {
    fn add(&mut self, template: TemplateId, beside: ThreadSet, writes: bool) {
        let who = ThreadSet::one(template);
        self.accessing = self.accessing.union(who);
        self.beside_access = self.beside_access.union(beside);
        if writes {
            self.writing = self.writing.union(who);
            self.beside_write = self.beside_write.union(beside);
        }
    }

    fn or(self, other: Use) -> Use {
        Use {
            accessing: self.accessing.union(other.accessing),
            writing: self.writing.union(other.writing),
            beside_access: self.beside_access.union(other.beside_access),
            beside_write: self.beside_write.union(other.beside_write),
        }
    }

    /// Whether another thread may make a conflicting access at the same time.
    fn conflicts(self, template: TemplateId, beside: ThreadSet, writes: bool) -> bool {
        let (others, beside_others) =
            if writes { (self.accessing, self.beside_access) } else { (self.writing, self.beside_write) };
        !beside.intersection(others).is_empty() || beside_others.contains(template)
    }
}

/// The accesses of one edge of one context.
struct Accesses {
    context: ContextId,
    edge: EdgeId,
    /// Targets and whether they are written.
    targets: Vec<(u32, bool)>,
    /// Whether it may access everything, and write it.
    anywhere: Option<bool>,
}

struct Finder<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    threads: &'a Threads,
    parallel: &'a Parallel,
    uses: Vec<Use>,
    is_escaped: Vec<bool>,
    /// Accesses through pointers that may point anywhere.
    anywhere: Use,
    accesses: Vec<Accesses>,
}

/// Whether a statement is visible whatever it accesses.
fn is_always_visible(stmt: &Stmt) -> bool {
    match stmt.kind() {
        StmtKind::Fence | StmtKind::Thread | StmtKind::Region | StmtKind::End => true,
        StmtKind::Lock => !matches!(stmt, Stmt::Unlock { .. }),
        StmtKind::Local
        | StmtKind::Condition
        | StmtKind::Access
        | StmtKind::Range
        | StmtKind::Lifetime
        | StmtKind::Call => false,
    }
}

impl Finder<'_> {
    fn function_of(&self, context: ContextId) -> FunctionId {
        self.points_to.contexts().function(context)
    }

    /// Collects all accesses and the threads that make them.
    fn collect(&mut self) {
        for context in self.points_to.contexts().ids() {
            let function = &self.program.functions[self.function_of(context)];
            let own = self.stack_of(context);
            for (edge, item) in function.edges.enumerate() {
                let mut accesses = Accesses { context, edge, targets: Vec::new(), anywhere: None };
                for Touch { ptr, writes, .. } in item.stmt.touches() {
                    for number in self.points_to.numbers(context, ptr) {
                        accesses.add(self.points_to.target(number), number, writes);
                    }
                }
                if let Stmt::Expire { ptr } = &item.stmt {
                    for number in self.points_to.numbers(context, ptr) {
                        accesses.add(self.points_to.target(number), number, true);
                    }
                }
                if matches!(item.stmt, Stmt::Free { .. } | Stmt::Expire { .. }) {
                    self.add_ghosts(&mut accesses);
                }
                if matches!(item.stmt, Stmt::Return(_)) {
                    accesses.targets.extend(own.iter().map(|&number| (number, true)));
                }
                if matches!(item.stmt, Stmt::ExitThread(_)) {
                    accesses.targets.extend(self.stack_below(context));
                }
                self.record(accesses);
            }
        }
    }

    /// The objects in the frame of a context.
    fn stack_of(&self, context: ContextId) -> Vec<u32> {
        let function = self.function_of(context);
        let mut numbers = Vec::new();
        for (edge, item) in self.program.functions[function].edges.enumerate() {
            if matches!(item.stmt, Stmt::Alloc { kind: AllocKind::Stack, .. }) {
                let memory = Memory::Site(function, edge);
                for ghost in [false, true] {
                    let target = Target::Object { memory, context: Some(context), ghost };
                    numbers.extend(self.points_to.find_number(target));
                }
            }
        }
        numbers
    }

    /// The objects in any frame that may be on the stack when a context ends its thread.
    fn stack_below(&self, context: ContextId) -> Vec<(u32, bool)> {
        let mut below: Vec<ContextId> = self
            .threads
            .running(context)
            .iter()
            .flat_map(|template| self.threads.templates()[template].contexts.iter().copied())
            .collect();
        below.sort_unstable();
        below.dedup();
        below.into_iter().flat_map(|context| self.stack_of(context)).map(|number| (number, true)).collect()
    }

    fn add_ghosts(&self, accesses: &mut Accesses) {
        let ghosts: Vec<(u32, bool)> = accesses
            .targets
            .iter()
            .filter_map(|&(number, writes)| {
                let ghost = self.points_to.target(number).ghost()?;
                Some((self.points_to.find_number(ghost)?, writes))
            })
            .collect();
        accesses.targets.extend(ghosts);
    }

    fn record(&mut self, accesses: Accesses) {
        if accesses.targets.is_empty() && accesses.anywhere.is_none() {
            return;
        }
        for template in self.threads.running(accesses.context).iter() {
            let beside = self.parallel.with(template, accesses.context, accesses.edge);
            for &(number, writes) in &accesses.targets {
                self.uses[number as usize].add(template, beside, writes);
            }
            if let Some(writes) = accesses.anywhere {
                self.anywhere.add(template, beside, writes);
            }
        }
        self.accesses.push(accesses);
    }

    /// Whether more than one thread makes these accesses.
    fn is_shared_by_use(&self, used: Use) -> bool {
        used.accessing.len() > 1 || used.accessing.iter().any(|template| self.threads.templates()[template].is_many)
    }

    fn full_use(&self, number: u32) -> Use {
        self.uses[number as usize].or(self.anywhere)
    }

    /// Whether more than one thread accesses an object or its ghost.
    fn is_shared(&self, number: u32) -> bool {
        let mut used = self.full_use(number);
        if let Target::Object { memory, context, ghost } = self.points_to.target(number) {
            let twin = Target::Object { memory, context, ghost: !ghost };
            if let Some(twin) = self.points_to.find_number(twin) {
                used = used.or(self.uses[twin as usize]);
            }
        }
        self.is_escaped[number as usize] && (self.dies_with_thread(number) || self.is_shared_by_use(used))
    }

    /// Finds the objects whose address other threads than their creators can obtain.
    fn find_escaped(&mut self) {
        let is_anything_accessed = !self.anywhere.accessing.is_empty();
        let mut work = Vec::new();
        for number in 0..self.uses.len() as u32 {
            if is_anything_accessed || self.is_common(self.points_to.target(number)) {
                self.is_escaped[number as usize] = true;
                work.push(number);
            }
        }
        let mut passed: Vec<u32> = self.points_to.thread_results().clone();
        for context in self.points_to.contexts().ids() {
            let function = &self.program.functions[self.function_of(context)];
            for edge in function.edges.iter() {
                if let Stmt::Spawn { args, .. } = &edge.stmt {
                    for arg in args {
                        let ty = arg.ty(self.program.data_model, &function.locals);
                        passed.extend(self.points_to.pointers_of(context, arg, ty));
                    }
                }
            }
        }
        for number in passed {
            self.escape(number, &mut work);
        }
        while let Some(number) = work.pop() {
            // No other thread reads memory that only one thread accesses.
            if self.is_shared(number) {
                for inside in self.points_to.pointers_in(number) {
                    self.escape(inside, &mut work);
                }
            }
        }
    }

    /// Whether all threads can name it: static, with a single copy.
    fn is_common(&self, target: Target) -> bool {
        if let Target::Object { memory: Memory::Static(object), .. } = target {
            self.program.objects[object].kind != ObjectKind::ThreadLocal
        } else {
            false
        }
    }

    /// The address of an object escapes: its ghost is reachable as well, and from a ghost the object.
    fn escape(&mut self, number: u32, work: &mut Vec<u32>) {
        if self.points_to.target(number) == Target::Everything {
            for number in 0..self.is_escaped.len() as u32 {
                if !std::mem::replace(&mut self.is_escaped[number as usize], true) {
                    work.push(number);
                }
            }
        }
        if let Target::Object { memory, context, .. } = self.points_to.target(number) {
            for ghost in [false, true] {
                let Some(number) = self.points_to.find_number(Target::Object { memory, context, ghost }) else {
                    continue;
                };
                if !std::mem::replace(&mut self.is_escaped[number as usize], true) {
                    work.push(number);
                }
            }
        }
    }

    fn visible(&self) -> IdVec<FunctionId, IdVec<EdgeId, bool>> {
        let mut visible: IdVec<FunctionId, IdVec<EdgeId, bool>> =
            self.program.functions.enumerate().map(|(id, _)| self.visible_by_nature(id)).collect();
        for accesses in &self.accesses {
            let flag = &mut visible[self.function_of(accesses.context)][accesses.edge];
            if !*flag {
                *flag = self.is_noticed(accesses);
            }
        }
        visible
    }

    /// Whether another thread may make a conflicting access at the same time.
    fn is_noticed(&self, accesses: &Accesses) -> bool {
        self.threads.running(accesses.context).iter().any(|template| {
            let beside = self.parallel.with(template, accesses.context, accesses.edge);
            let mut targets = accesses.targets.iter();
            let is_noticed = targets.any(|&(number, writes)| {
                self.is_escaped[number as usize] && self.is_in_conflict(number, template, beside, writes)
            });
            // Any parallel thread may access something that this accesses.
            is_noticed || (accesses.anywhere.is_some() && !self.is_alone(template, beside))
        })
    }

    fn is_in_conflict(&self, number: u32, template: TemplateId, beside: ThreadSet, writes: bool) -> bool {
        self.dies_with_thread(number) || self.full_use(number).conflicts(template, beside, writes)
    }

    /// Whether it is a thread-local object. The end of its thread, which ends its life, is not recorded as an access:
    /// where the address escapes, every access counts as visible.
    fn dies_with_thread(&self, number: u32) -> bool {
        matches!(
            self.points_to.target(number),
            Target::Object { memory: Memory::Static(object), .. }
                if self.program.objects[object].kind == ObjectKind::ThreadLocal
        )
    }

    /// Whether no other thread can be running.
    fn is_alone(&self, template: TemplateId, beside: ThreadSet) -> bool {
        beside.is_empty() && template == self.threads.first()
    }

    fn visible_by_nature(&self, id: FunctionId) -> IdVec<EdgeId, bool> {
        let function = &self.program.functions[id];
        if self.points_to.contexts().of_function(id).is_empty() {
            return IdVec::filled(true, function.edges.len());
        }
        let mut out = vec![0u32; function.locs];
        for edge in function.edges.iter() {
            out[edge.from.index()] += 1;
        }
        let is_visible = |edge: &crate::program::Edge| {
            let is_lone_assume = matches!(edge.stmt, Stmt::Assume(_)) && out[edge.from.index()] == 1;
            let is_dead_end = edge.to != function.exit && out[edge.to.index()] == 0;
            is_lone_assume || is_dead_end || is_always_visible(&edge.stmt)
        };
        function.edges.iter().map(is_visible).collect()
    }
}

impl Accesses {
    fn add(&mut self, target: Target, number: u32, writes: bool) {
        match target {
            Target::Object { .. } => self.targets.push((number, writes)),
            Target::Unknown | Target::Everything => self.anywhere = Some(writes | self.anywhere.unwrap_or(false)),
            // Memory violations, whatever other threads do.
            Target::Function(_) | Target::Thread(..) | Target::AnyThread => {}
        }
    }
}
