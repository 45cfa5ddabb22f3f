//! Slices: what else the paths of one run could do. A part of a run (a *window*) begins in a state that the run came to
//! ([`Snapshot`]); each thread is executed symbolically along the statements it executed ([`window`]), with the inputs it
//! had; reads have fresh values, and a thread that would leave its path stops there. What comes out is a skeleton as of any
//! other program, composed exactly ([`crate::skeleton::compose`]), so every schedule of the window is covered at once.
//!
//! Windows that cannot hold a violation are told without the solver ([`filter`]). What is found is followed in the
//! reference interpreter from where the window begins, by a function that the caller gives: engines do not know it.
//!
//! Deadlocks are looked for in two ways ([`question`]): threads that wait for each other by locks; and threads that wait for
//! something else (a condition variable, a semaphore, a barrier) when all others have come to an end, or wait, or have gone
//! to the end of the window. The caller lets the other threads run on from there.
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

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Identity {
    /// A static object.
    Static(ObjectId),
    /// A thread's copy of a thread-local object, by the thread's number.
    Copy(u32, ObjectId),
    /// Made by this statement; whether it is on the heap.
    Allocated {
        /// The statement, if it is known.
        site: Option<(FunctionId, EdgeId)>,
        /// Whether it is on the heap, and not on a stack.
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

/// A function in progress.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The function.
    pub function: FunctionId,
    /// The call in progress, if it is not the topmost.
    pub call: Option<EdgeId>,
    /// Its variables.
    pub locals: Vec<Content>,
    /// The stack objects it made, by their index.
    pub objects: Vec<usize>,
}

/// A thread in a snapshot.
#[derive(Clone, Debug)]
pub enum Thread {
    /// It has a number and has not started.
    Reserved,
    /// It runs, or waits.
    Running(Vec<Frame>),
    /// It has ended with this result.
    Ended(Content),
}

/// A state of a run, no thread of which is in an atomic region or in the middle of a copy.
#[derive(Clone)]
pub struct Snapshot {
    /// The objects, static ones first.
    pub objects: Vec<Object>,
    /// The threads by number - 1.
    pub threads: Vec<Option<Thread>>,
    /// Cells of four bytes in ghosts that are not 0: object, offset, and what stands there.
    pub ghosts: Vec<(usize, u64, Content)>,
    /// What stands where.
    pub lookup: Lookup,
}

/// A step that a run took.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The number of the thread.
    pub thread: u32,
    /// The function, and the edge it took; several where a branch leads to one place in several ways.
    pub at: (FunctionId, SmallVec<[EdgeId; 1]>),
    /// The values that inputs got in this step, by the variable.
    pub inputs: Vec<(LocalId, u128)>,
    /// The number of the thread that it made.
    pub makes: Option<u32>,
    /// The function that it called, or that the thread it started begins with.
    pub calls: Option<FunctionId>,
    /// Whether it goes on with a copy or set that an earlier step began.
    pub is_continued: bool,
    /// Whether other threads can notice it.
    pub is_visible: bool,
}

/// How a run that was found goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Its last move violates the property.
    Violates,
    /// Some threads wait for each other after it: when all others can go no further, it is a deadlock.
    Waits,
}

/// Follows moves from where a window begins, in the reference interpreter.
pub type Follow<'f> = dyn FnMut(&[Move], Ending) -> Result<Counterexample, String> + 'f;

/// What came out of a window.
#[derive(Debug, Default)]
pub struct Findings {
    /// Violations, replayed.
    pub counterexamples: Vec<Counterexample>,
    /// Why violations that were found cannot be replayed, which is a defect.
    pub defects: Vec<String>,
    /// Whether the solver was asked.
    pub is_asked: bool,
}

/// A violation that may be in a window, as far as can be told without the solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suspicion {
    /// The first of the steps that it is about.
    pub first: usize,
    /// The last.
    pub last: usize,
    /// The statements that it is about; none if it is not known which.
    pub statements: Vec<(FunctionId, EdgeId)>,
}

/// What can be told of a window without the solver.
#[derive(Debug, Default)]
pub struct Survey {
    /// What may be violated, for any combination of statements where its steps are closest to each other.
    pub suspicions: Vec<Suspicion>,
    /// Where threads were stopped on the path that the run took.
    pub stopped: Vec<Reason>,
}

/// What is known of a program for all windows.
pub struct Slicer {
    analyses: Analyses,
}

/// So many possible deadlocks of a window are tried.
const MAX_CYCLES: usize = 24;

impl Slicer {
    /// Looks at a program.
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

    /// Says where in a window there may be violations.
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

    /// Looks for violations in any schedule of a window. What ends it early is the budget, or that the window is too large.
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
            // What was found before remains.
            Err(stop) if findings.counterexamples.is_empty() => Err(stop.into()),
            Err(_) | Ok(()) => Ok(findings),
        }
    }
}

/// A path does not tell which accesses on it are in one invocation of a function.
fn no_atomicity() -> Reason {
    Reason::new(check::ReasonKind::Unsupported, "the paths of one run are not searched for violations of atomicity")
}
