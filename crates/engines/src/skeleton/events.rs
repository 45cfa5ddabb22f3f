//! The result of stage 1: events with their program order, threads with their steps, violations, gaps.

use super::objects::Objects;
use super::past::Past;
use super::value::Value;
use base::{define_id, IdVec, Span};
use check::ReasonKind;
use ir::analysis::Memory;
use ir::{EdgeId, FunctionId, LocalId, Order};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smt::Term;
use std::collections::BTreeMap;

define_id!(
    /// An event. Prints as `ev7`.
    EventId, "ev"
);
define_id!(
    /// A thread of the unrolled program; the first is `main`. Prints as `thread7`.
    ThreadId, "thread"
);
define_id!(
    /// An atomic region of the unrolled program.
    RegionId, "region"
);

/// The kind of an event, besides what it reads and writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A load, store, read-modify-write or wait.
    Access,
    /// Acquires a lock. Says whether the thread held it already, according to its own state (`None` where that does not
    /// track the lock, whose place was not known), and according to the cell. Unless misuse of locks is in question, it
    /// does not occur then.
    Lock { held: Option<Term>, is_mine: Term },
    /// Releases a lock: the acquisitions it may close, each with a condition, and whether the thread holds the lock at
    /// all.
    Unlock { closes: Vec<(EventId, Term)>, held: Term },
    /// Ends the life of an object.
    Kill,
    /// A fence. Exists only where happens-before matters.
    Fence,
    /// The effect of a fence, or of another statement with a fence, under a weak memory model.
    Barrier(Barrier),
    /// Reads a cell in the final state. Exists only where deadlocks matter.
    Probe,
    /// Not an access: a point in the order, for joins, starts of threads and the ends of atomic regions.
    Mark,
}

/// Kinds of barriers. Those of `tso` and `pso` are about store buffers, those of `ra` are fences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Barrier {
    /// Waits until the thread's store buffer is empty.
    Drain,
    /// The same on some of the paths to the next event.
    MayDrain,
    /// Orders later stores after earlier ones.
    StoreStore,
    /// A fence on its own.
    Fence,
    /// A fence that is one step with the following access.
    FenceBefore,
    /// A fence that is a step of its own after a write.
    FenceAfter,
}

/// An event.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) thread: ThreadId,
    pub(crate) kind: Kind,
    pub(crate) occurs: Term,
    /// Object and offset.
    pub(crate) location: Value,
    pub(crate) bytes: u64,
    /// Whether it accesses ghost memory.
    pub(crate) is_ghost: bool,
    /// Whether it provably races with nothing.
    pub(crate) is_race_free: bool,
    pub(crate) read: Option<Value>,
    /// The condition and value of its write, given that the event occurs.
    pub(crate) write: Option<(Term, Value)>,
    /// The memory order of an access, and that of a read-modify-write that does not write.
    pub(crate) orders: (Order, Order),
    /// Its immediate predecessors in program order, starts of threads included.
    pub(crate) after: SmallVec<[EventId; 2]>,
    /// The acquisitions of the locks that are certainly held, if these have constant places.
    pub(crate) held: SmallVec<[EventId; 1]>,
    /// The possible targets of the location, if its object is not a constant; `None`: anything.
    pub(crate) targets: Option<Vec<(Memory, bool)>>,
    pub(crate) at: Span,
}

/// A step of a thread, executed if `occurs`.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) occurs: Term,
    pub(crate) at: (FunctionId, EdgeId),
    pub(crate) events: SmallVec<[EventId; 1]>,
    /// The values of the variables it mentions.
    pub(crate) locals: Vec<(LocalId, Value)>,
    /// The value that it read from memory, or that a bounded input gave.
    pub(crate) found: Option<Value>,
    /// A weak compare-exchange: whether it fails spuriously.
    pub(crate) fails: Option<Term>,
    /// A wait: whether it goes on although not ready (spurious wake-up).
    pub(crate) wakes: Option<Term>,
    /// The thread it creates, and the thread it starts.
    pub(crate) makes: Option<ThreadId>,
    pub(crate) starts: Option<ThreadId>,
    /// Its join, if it is one.
    pub(crate) join: Option<usize>,
}

/// How a thread ends, if it does.
#[derive(Clone, Debug)]
pub(crate) struct Exit {
    pub(crate) occurs: Term,
    pub(crate) result: Option<Value>,
    pub(crate) last: SmallVec<[EventId; 2]>,
}

/// A thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Thread {
    pub(crate) steps: Vec<Step>,
    /// Where it is started.
    pub(crate) start: Option<EventId>,
    pub(crate) exit: Option<Exit>,
}

/// An atomic region.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub(crate) thread: ThreadId,
    pub(crate) begin: EventId,
    /// The possible ends.
    pub(crate) ends: Vec<EventId>,
    /// The events in it, without its begin and ends.
    pub(crate) events: Vec<EventId>,
    /// Whether stores in it have reached memory when it ends.
    pub(crate) is_fence: bool,
    /// The violations in it.
    pub(crate) violated: Vec<Term>,
}

/// A join.
#[derive(Clone, Debug)]
pub(crate) struct Join {
    pub(crate) event: EventId,
    /// Whether the join is passed. No other statement makes this part of a path condition.
    pub(crate) passed: Term,
    /// The possible joined threads, each under a condition.
    pub(crate) threads: Vec<(ThreadId, Term)>,
}

/// A join that may be reached before the joined thread is created.
#[derive(Clone, Debug)]
pub(crate) struct Early {
    /// The thread is the one that is joined.
    pub(crate) condition: Term,
    pub(crate) arrival: EventId,
    /// An event before which the thread is created.
    pub(crate) made: EventId,
    pub(crate) at: Span,
}

/// A join or detach of a thread: after it, its number may be reused.
#[derive(Clone, Debug)]
pub(crate) struct Retirement {
    pub(crate) occurs: Term,
    /// The event of a join.
    pub(crate) event: Option<EventId>,
    pub(crate) at: Span,
}

/// Two accesses of one thread that should be atomic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) first: EventId,
    pub(crate) second: EventId,
    /// Applies only if the thread does not synchronise between them.
    pub(crate) is_undisturbed: bool,
}

/// A violation of the property at a step.
#[derive(Clone, Debug)]
pub(crate) struct Violation {
    pub(crate) occurs: Term,
    pub(crate) thread: ThreadId,
    pub(crate) step: usize,
    /// Whether the state before the step is the violation, and the step is impossible.
    pub(crate) is_before: bool,
}

/// A thread stays where it waits, and cannot go on in the final state of the execution.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) thread: ThreadId,
    pub(crate) occurs: Term,
}

/// A condition under which the skeleton does not define what happens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Gap {
    pub(crate) occurs: Term,
    pub(crate) kind: ReasonKind,
    pub(crate) detail: String,
    pub(crate) place: String,
}

/// The initial contents of a shared object that differ from its initialiser, by offset.
pub(crate) type Cells = BTreeMap<u64, (u64, Value)>;

/// The events of a bounded program.
#[derive(Clone, Default, Debug)]
pub(crate) struct Skeleton {
    pub(crate) events: IdVec<EventId, Event>,
    pub(crate) threads: IdVec<ThreadId, Thread>,
    pub(crate) regions: IdVec<RegionId, Region>,
    pub(crate) joins: Vec<Join>,
    pub(crate) violations: Vec<Violation>,
    /// Variables that say whether a thread passes where it may wait. It never has to.
    pub(crate) waits: Vec<Term>,
    /// Where threads may stay blocked. Only where deadlocks matter.
    pub(crate) blocks: Vec<Block>,
    pub(crate) gaps: Vec<Gap>,
    pub(crate) objects: Objects,
    /// The state before the skeleton, if it is of a later part of a run.
    pub(crate) past: Option<Past>,
    /// The contents of shared objects when the first thread started another one.
    pub(crate) initial: BTreeMap<u16, Cells>,
    /// Objects that were dead by then, with conditions.
    pub(crate) dead: BTreeMap<u16, Term>,
    /// Constraints that hold in every execution.
    pub(crate) facts: Vec<Term>,
    /// Joins and detaches of each thread: only one may happen.
    pub(crate) retired: FxHashMap<ThreadId, Vec<Retirement>>,
    /// Joins that may be reached too early.
    pub(crate) early: Vec<Early>,
    /// Pointers that were compared.
    pub(crate) compared: Vec<Comparison>,
    /// Possible thread numbers that were compared, with a condition.
    pub(crate) compared_threads: Vec<(Term, Term, Term, Span)>,
    /// Pairs of accesses of one thread that should be atomic, the earlier first, judging by statements. Only if that is
    /// in question.
    pub(crate) pairs: Vec<Pair>,
    /// Number of calls that are instances of summaries.
    pub(crate) summarised_calls: usize,
}

/// A comparison of pointers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison {
    pub(crate) condition: Term,
    /// The objects they point to.
    pub(crate) objects: [Term; 2],
    pub(crate) span: Span,
    pub(crate) thread: ThreadId,
    /// The number of events before it: later events of the thread have greater numbers.
    pub(crate) events: usize,
}

impl Skeleton {
    /// Calls `change` with every term.
    pub(crate) fn for_each_term(&mut self, change: &mut impl FnMut(&mut Term)) {
        for event in self.events.iter_mut() {
            let written = event.write.iter_mut().map(|(_, value)| value);
            written.chain(&mut event.read).for_each(|value| value.for_each_term(change));
        }
        for step in self.threads.iter_mut().flat_map(|thread| &mut thread.steps) {
            let locals = step.locals.iter_mut().map(|(_, value)| value);
            locals.chain(&mut step.found).for_each(|value| value.for_each_term(change));
        }
        self.for_each_condition(change);
    }

    /// The same without the values that events read and write, and what steps make of them.
    pub(crate) fn for_each_condition(&mut self, change: &mut impl FnMut(&mut Term)) {
        for event in self.events.iter_mut() {
            event.for_each_condition(change);
        }
        for thread in self.threads.iter_mut() {
            thread.steps.iter_mut().for_each(|step| step.for_each_condition(change));
            if let Some(exit) = &mut thread.exit {
                change(&mut exit.occurs);
                exit.result.iter_mut().for_each(|value| value.for_each_term(change));
            }
        }
        self.regions.iter_mut().for_each(|region| region.violated.iter_mut().for_each(&mut *change));
        for join in &mut self.joins {
            change(&mut join.passed);
            join.threads.iter_mut().for_each(|(_, is_it)| change(is_it));
        }
        self.violations.iter_mut().for_each(|violation| change(&mut violation.occurs));
        self.waits.iter_mut().for_each(&mut *change);
        self.blocks.iter_mut().for_each(|block| change(&mut block.occurs));
        self.gaps.iter_mut().for_each(|gap| change(&mut gap.occurs));
        for (_, value) in self.initial.values_mut().flat_map(BTreeMap::values_mut) {
            value.for_each_term(change);
        }
        self.objects.extents().for_each(&mut *change);
        self.dead.values_mut().for_each(&mut *change);
        self.facts.iter_mut().for_each(&mut *change);
        self.retired.values_mut().flatten().for_each(|end| change(&mut end.occurs));
        self.early.iter_mut().for_each(|early| change(&mut early.condition));
        for (condition, a, b, _) in &mut self.compared_threads {
            [condition, a, b].into_iter().for_each(&mut *change);
        }
        for comparison in &mut self.compared {
            change(&mut comparison.condition);
            comparison.objects.iter_mut().for_each(&mut *change);
        }
    }
}

impl Event {
    fn for_each_condition(&mut self, change: &mut impl FnMut(&mut Term)) {
        match &mut self.kind {
            Kind::Lock { held, is_mine } => held.iter_mut().chain([is_mine]).for_each(&mut *change),
            Kind::Unlock { closes, held } => {
                closes.iter_mut().for_each(|(_, condition)| change(condition));
                change(held);
            }
            Kind::Access | Kind::Kill | Kind::Fence | Kind::Barrier(_) | Kind::Probe | Kind::Mark => {}
        }
        change(&mut self.occurs);
        self.location.for_each_term(change);
        if let Some((condition, _)) = &mut self.write {
            change(condition);
        }
    }
}

impl Step {
    fn for_each_condition(&mut self, change: &mut impl FnMut(&mut Term)) {
        change(&mut self.occurs);
        self.fails.iter_mut().chain(&mut self.wakes).for_each(change);
    }
}
