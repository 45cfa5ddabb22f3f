//! Slices: all schedules of the paths of one run. A part of a run (a *window*) begins in a state of the run
//! ([`Snapshot`]); each thread is executed symbolically along the statements it executed ([`window`]), with the same
//! inputs; reads have fresh values, and a thread that would leave its path stops there. The result is a skeleton like
//! that of any other program, composed exactly ([`crate::skeleton::compose`]), so every schedule of the window is
//! covered at once.
//!
//! Windows that cannot contain a violation are filtered out without the solver ([`filter`]). Violations are replayed in
//! the reference interpreter from the beginning of the window, by a function that the caller passes: engines do not
//! know the interpreter.
//!
//! Deadlocks are searched in two ways ([`question`]): threads that wait for each other's locks; and threads that wait
//! for something else (a condition variable, a semaphore, a barrier) when all others have ended, or wait, or have
//! reached the end of the window. The caller lets the other threads run on from there.
//!
//! Limits: sequential consistency; what the symbolic execution cannot express ends a thread's part of the window, which
//! only makes it find less; violations that need steps further apart than a window are not found.

mod filter;
mod forced;
mod question;
mod window;

use crate::skeleton::compose::{compose, Pruning};
use crate::skeleton::execute::Analyses;
use crate::skeleton::options::Options;
pub use crate::skeleton::past::{Content, Lookup};
use check::{Counterexample, Reason, Task};
use filter::Cycle;
use ir::{EdgeId, FunctionId, LocalId, Move, ObjectId, Program, Property};
use question::Question;
use smallvec::SmallVec;
use smt::Terms;
use std::collections::BTreeMap;
use window::{Executed, Window};

/// The identity of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Identity {
    /// A static object.
    Static(ObjectId),
    /// A thread's copy of a thread-local object, by the thread's number.
    Copy(u32, ObjectId),
    /// Allocated by a statement.
    Allocated {
        /// The statement, if known.
        site: Option<(FunctionId, EdgeId)>,
        /// Whether it is on the heap rather than on a stack.
        is_heap: bool,
    },
}

/// An object in a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct Object {
    /// What it is.
    pub identity: Identity,
    /// Its size in bytes.
    pub size: u64,
    /// Whether its life has not ended.
    pub is_live: bool,
}

/// A stack frame.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The function.
    pub function: FunctionId,
    /// The call in progress, if it is not the topmost.
    pub call: Option<EdgeId>,
    /// Its variables.
    pub locals: Vec<Content>,
    /// The stack objects it allocated, by their index.
    pub objects: Vec<usize>,
}

/// A thread in a snapshot.
#[derive(Clone, Debug)]
pub enum Thread {
    /// It has a number but has not started.
    Reserved,
    /// It runs, or waits.
    Running(Vec<Frame>),
    /// It has ended with this result.
    Ended(Content),
}

/// A state of a run in which no thread is in an atomic region or in the middle of a copy.
#[derive(Clone)]
pub struct Snapshot {
    /// The objects, static ones first.
    pub objects: Vec<Object>,
    /// The threads by number - 1.
    pub threads: Vec<Option<Thread>>,
    /// Non-zero four-byte cells of ghosts: object, offset, and content.
    pub ghosts: Vec<(usize, u64, Content)>,
    /// Reads memory.
    pub lookup: Lookup,
}

/// A step of the run.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The number of the thread.
    pub thread: u32,
    /// The function, and the edge it took; several where a branch has parallel edges.
    pub at: (FunctionId, SmallVec<[EdgeId; 1]>),
    /// The values of inputs in this step, by variable.
    pub inputs: Vec<(LocalId, u128)>,
    /// The number of the thread that it created.
    pub makes: Option<u32>,
    /// The function that it called, or the entry function of the thread it started.
    pub calls: Option<FunctionId>,
    /// Whether it continues a copy or set that an earlier step began.
    pub is_continued: bool,
    /// Whether it is visible to other threads.
    pub is_visible: bool,
}

/// How a run that was found ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Its last move violates the property.
    Violates,
    /// Some threads wait for each other after it: once no other thread can move, it is a deadlock.
    Waits,
}

/// Replays moves from the beginning of a window in the reference interpreter.
pub type Follow<'f> = dyn FnMut(&[Move], Ending) -> Result<Counterexample, String> + 'f;

/// The results for a window.
#[derive(Debug, Default)]
pub struct Findings {
    /// Violations, replayed.
    pub counterexamples: Vec<Counterexample>,
    /// Why violations that were found cannot be replayed, which is a defect.
    pub defects: Vec<String>,
    /// Whether the solver was called.
    pub is_asked: bool,
}

/// A possible violation in a window, found without the solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suspicion {
    /// The first of the steps involved.
    pub first: usize,
    /// The last.
    pub last: usize,
    /// The statements involved; none if unknown.
    pub statements: Vec<(FunctionId, EdgeId)>,
}

/// The results for a window without the solver.
#[derive(Debug, Default)]
pub struct Survey {
    /// Possible violations; for each combination of statements, the occurrence whose steps are closest to each other.
    pub suspicions: Vec<Suspicion>,
    /// Where threads were stopped on the path of the run.
    pub stopped: Vec<Reason>,
}

/// Analyses of a program, shared by all windows.
pub struct Slicer {
    analyses: Analyses,
}

/// Maximum number of possible deadlocks tried per window.
const MAX_CYCLES: usize = 24;

impl Slicer {
    /// Analyses a program.
    pub fn new(program: &Program) -> Slicer {
        Slicer { analyses: Analyses::new(program) }
    }

    fn execute(
        &self,
        task: &Task<'_>,
        snapshot: &Snapshot,
        steps: &[Observed],
        terms: &mut Terms,
    ) -> Result<Executed, Reason> {
        let mut window = Window::new(task, &self.analyses, snapshot, terms);
        for step in steps {
            window.take(step)?;
        }
        Ok(window.finish())
    }

    /// Surveys a window for possible violations.
    pub fn survey(&self, task: &Task<'_>, snapshot: &Snapshot, steps: &[Observed]) -> Result<Survey, Reason> {
        let mut terms = Terms::new();
        let window = self.execute(task, snapshot, steps, &mut terms)?;
        let groups: Vec<Vec<usize>> = match task.property {
            Property::Race => {
                let pairs = filter::races(&window, &mut terms, false);
                pairs.into_iter().map(|(a, b)| vec![window.origins[a], window.origins[b]]).collect()
            }
            Property::Unreach => window.violations.iter().map(|&index| vec![index]).collect(),
            Property::Deadlock => {
                let indices = |cycle: &Cycle| cycle.requests.iter().map(|request| request.index).collect();
                let cycles = filter::cycles(&window.requests, MAX_CYCLES);
                let alone = window.violations.iter().copied().chain(window.waits.iter().map(|wait| wait.index));
                cycles.iter().map(indices).chain(alone.map(|index| vec![index])).collect()
            }
            Property::Atomicity => return Err(no_atomicity()),
            Property::Locks | Property::Memory => {
                let last = steps.len().saturating_sub(1);
                let suspicions = vec![Suspicion { first: 0, last, statements: Vec::new() }];
                return Ok(Survey { suspicions, stopped: window.stopped });
            }
        };
        let mut closest: BTreeMap<Vec<(FunctionId, EdgeId)>, (usize, usize)> = BTreeMap::new();
        for group in groups {
            let (Some(&first), Some(&last)) = (group.iter().min(), group.iter().max()) else { continue };
            let mut statements: Vec<_> =
                group.iter().filter_map(|&index| steps.get(index)).map(|step| (step.at.0, step.at.1[0])).collect();
            statements.sort_unstable();
            let range = closest.entry(statements).or_insert((first, last));
            if last - first < range.1 - range.0 {
                *range = (first, last);
            }
        }
        let suspicion = |(statements, (first, last))| Suspicion { first, last, statements };
        Ok(Survey { suspicions: closest.into_iter().map(suspicion).collect(), stopped: window.stopped })
    }

    /// Searches all schedules of a window for violations. Ends early if the budget is exhausted or the window too
    /// large.
    pub fn examine(
        &self,
        task: &Task<'_>,
        snapshot: &Snapshot,
        steps: &[Observed],
        follow: &mut Follow<'_>,
    ) -> Result<Findings, Reason> {
        let mut terms = Terms::new();
        let window = self.execute(task, snapshot, steps, &mut terms)?;
        let mut findings = Findings::default();
        let cycles = match task.property {
            Property::Race if filter::races(&window, &mut terms, true).is_empty() => return Ok(findings),
            Property::Unreach if window.skeleton.violations.is_empty() => return Ok(findings),
            Property::Deadlock => filter::cycles(&window.requests, MAX_CYCLES),
            Property::Atomicity => return Err(no_atomicity()),
            Property::Race | Property::Unreach | Property::Locks | Property::Memory => Vec::new(),
        };
        let is_quiet = window.waits.is_empty() && window.skeleton.violations.is_empty();
        if task.property == Property::Deadlock && cycles.is_empty() && is_quiet {
            return Ok(findings);
        }
        let mut skeleton = window.skeleton;
        findings.is_asked = true;
        let (program, encoding) = (task.program, task.options.own::<Options>().encoding);
        let pruning = Pruning::default();
        let mut composition =
            compose(program, (task.property, task.model), &mut skeleton, &mut terms, pruning, encoding, &task.budget)?;
        let (skeleton, composition, terms) = (&skeleton, &mut composition, &mut terms);
        let mut question = Question { task, skeleton, composition, terms, follow, findings: &mut findings };
        let stopped = match task.property {
            Property::Deadlock => question.deadlocks(&cycles, &window.waits),
            Property::Race | Property::Unreach | Property::Locks | Property::Memory | Property::Atomicity => {
                question.violations()
            }
        };
        match stopped {
            // Violations found before remain.
            Err(stop) if findings.counterexamples.is_empty() => Err(stop.into()),
            Err(_) | Ok(()) => Ok(findings),
        }
    }
}

/// A path does not record which of its accesses are in one invocation of a function.
fn no_atomicity() -> Reason {
    Reason::new(check::ReasonKind::Unsupported, "the paths of one run are not searched for violations of atomicity")
}
