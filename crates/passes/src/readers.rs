//! Whether it matters that a reader may wait for a waiting writer, as POSIX allows (pthread_rwlock_rdlock). The models
//! support that where it does.
//!
//! A thread that tries to acquire a read lock may observe it. Otherwise it makes a difference only if a thread waits
//! for anything while it holds a read-write lock: if none ever does, every owner releases its lock eventually, so no
//! thread waits for ever. Whether one is held is tracked through calls, ignoring branch conditions, and without
//! distinguishing locks: acquiring a second one while the first is held counts as waiting.

use base::IdVec;
use ir::analysis::{Analyses, ContextId, PointsTo};
use ir::{EdgeId, FunctionId, LocId, Premise, Program, Stmt};
use rustc_hash::FxHashMap;

const READ: [&str; 3] = ["pthread_rwlock_rdlock", "pthread_rwlock_timedrdlock", "pthread_rwlock_clockrdlock"];
const WRITE: [&str; 4] =
    ["pthread_rwlock_wrlock", "pthread_rwlock_trywrlock", "pthread_rwlock_timedwrlock", "pthread_rwlock_clockwrlock"];
const TRY: [&str; 1] = ["pthread_rwlock_tryrdlock"];
const UNLOCK: [&str; 1] = ["pthread_rwlock_unlock"];

/// Whether it may matter.
pub fn may_block(program: &Program) -> bool {
    let has = |names: &[&str]| program.functions.ids().any(|function| is_one_of(program, function, names));
    if !has(&WRITE) || !(has(&READ) || has(&TRY)) {
        return false;
    }
    has(&TRY) || Search::new(program, &PointsTo::new(program)).finds_wait()
}

/// Whether a thread may acquire a read lock while it holds a read-write lock.
pub fn may_nest(program: &Program) -> bool {
    let has = |names: &[&str]| program.functions.ids().any(|function| is_one_of(program, function, names));
    if !(has(&READ) || has(&TRY)) {
        return false;
    }
    let points_to = PointsTo::new(program);
    let mut search = Search::new(program, &points_to);
    search.only_reads = true;
    search.finds_wait()
}

/// Number of threads for which the models track whether they hold a read lock.
const KEPT_READERS: usize = 32;

/// Adds a premise to every proof where more threads may hold read locks than are tracked.
pub(crate) fn notice(program: &mut Program) {
    let reads = |program: &Program| {
        program.functions.ids().any(|id| is_one_of(program, id, &READ) || is_one_of(program, id, &TRY))
    };
    if reads(program) {
        let analyses = Analyses::new(program);
        let templates = analyses.threads().templates();
        if templates.len() > KEPT_READERS || templates.iter().any(|template| template.is_many) {
            program.premises.insert(Premise::Readers);
        }
    }
}

/// Whether a name is that of a model for this function, in any variant.
pub fn is_variant(name: &str, of: &str) -> bool {
    name.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with("__"))
}

fn is_one_of(program: &Program, function: FunctionId, names: &[&str]) -> bool {
    let item = &program.functions[function];
    program.is_model(item.span) && names.iter().any(|name| is_variant(&item.name, name))
}

/// The possible answers to whether a lock is held: `[without, with]`.
type Held = [bool; 2];

/// The effect of a call on that.
#[derive(Clone, Copy)]
enum Effect {
    Takes { reads: bool },
    GivesBack,
    Nothing,
}

struct Search<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    /// Whether only acquiring a read lock counts as waiting, tries included.
    only_reads: bool,
    /// Functions, entered with or without a lock, and how they may return.
    left: FxHashMap<(FunctionId, bool), Held>,
}

impl<'a> Search<'a> {
    fn new(program: &'a Program, points_to: &'a PointsTo) -> Search<'a> {
        Search { program, points_to, only_reads: false, left: FxHashMap::default() }
    }

    /// Analyses all threads; whether one may wait with a lock.
    fn finds_wait(&mut self) -> bool {
        let mut roots = vec![self.program.entry];
        for (function, item) in self.program.functions.enumerate() {
            for edge in item.edges.ids() {
                roots.extend(self.called(function, edge, |points_to, context, edge| points_to.spawned(context, edge)));
            }
        }
        self.left.extend(roots.into_iter().map(|root| ((root, false), [false; 2])));
        loop {
            let before = self.left.clone();
            let mut entered: Vec<(FunctionId, bool)> = before.keys().copied().collect();
            entered.sort_unstable();
            for (function, is_held) in entered {
                if self.enter(function, is_held) {
                    return true;
                }
            }
            if self.left == before {
                return false;
            }
        }
    }

    /// Analyses a function; whether it may wait with a lock.
    fn enter(&mut self, function: FunctionId, is_held: bool) -> bool {
        let item = &self.program.functions[function];
        let out = item.edges_out();
        let mut seen: IdVec<LocId, Held> = IdVec::filled([false; 2], item.locs);
        let mut stack = vec![(item.entry, is_held)];
        while let Some((loc, is_held)) = stack.pop() {
            if std::mem::replace(&mut seen[loc][usize::from(is_held)], true) {
                continue;
            }
            for &edge in &out[loc] {
                let Some(after) = self.step(function, edge, is_held) else { return true };
                let to = item.edges[edge].to;
                let states = [false, true].into_iter().filter(|&state| after[usize::from(state)]);
                stack.extend(states.map(|state| (to, state)));
            }
        }
        let returns = item.edges.iter().filter(|edge| matches!(edge.stmt, Stmt::Return(_)));
        let mut left = [false; 2];
        for edge in returns {
            left = union(left, seen[edge.from]);
        }
        self.left.insert((function, is_held), left);
        false
    }

    /// Whether a lock may be held after a statement; none if it may wait with one.
    fn step(&mut self, function: FunctionId, edge: EdgeId, is_held: bool) -> Option<Held> {
        let same = if is_held { [false, true] } else { [true, false] };
        let stmt = &self.program.functions[function].edges[edge].stmt;
        let callees = match stmt {
            Stmt::Call { .. } => {
                self.called(function, edge, |points_to, context, edge| points_to.callees(context, edge))
            }
            Stmt::Lock { .. } | Stmt::Await { .. } | Stmt::Join { .. } => {
                return (self.only_reads || !is_held).then_some(same);
            }
            _ => return Some(same),
        };
        let mut after = [false; 2];
        for &callee in &callees {
            let effect = self.effect(callee);
            after = union(
                after,
                match effect {
                    Effect::Takes { reads } if is_held && (reads || !self.only_reads) => return None,
                    Effect::Takes { .. } => [false, true],
                    Effect::GivesBack => [true, false],
                    Effect::Nothing => *self.left.entry((callee, is_held)).or_default(),
                },
            );
        }
        Some(if callees.is_empty() { same } else { after })
    }

    fn effect(&self, callee: FunctionId) -> Effect {
        let is = |names: &[&str]| is_one_of(self.program, callee, names);
        match () {
            () if is(&READ) || self.only_reads && is(&TRY) => Effect::Takes { reads: true },
            () if is(&WRITE) => Effect::Takes { reads: false },
            () if is(&UNLOCK) => Effect::GivesBack,
            () => Effect::Nothing,
        }
    }

    fn called(
        &self,
        function: FunctionId,
        edge: EdgeId,
        of: fn(&PointsTo, ContextId, EdgeId) -> &[ContextId],
    ) -> Vec<FunctionId> {
        let contexts = self.points_to.contexts().of_function(function).iter();
        let called = contexts.flat_map(|&context| of(self.points_to, context, edge));
        called.map(|&context| self.points_to.contexts().function(context)).collect()
    }
}

fn union(one: Held, other: Held) -> Held {
    [one[0] || other[0], one[1] || other[1]]
}
