//! The engine `impact` (Wachter, Kroening, Ouaknine, Verifying multi-threaded software with Impact, FMCAD 2013): lazy
//! abstraction with interpolants for programs with threads, with partial-order reduction. Proves programs with loops
//! without bounding them.
//!
//! The engine builds a tree of abstract states ([`tree`], [`search`]): a node has a [`location`] (the stacks of all
//! threads, and explicitly what formulas handle badly) and a label, a formula over state variables ([`vocabulary`]).
//! Edges are steps of threads ([`machine`], [`statements`]). If a node violates the property, its path is executed
//! symbolically ([`path`]): if it is feasible, it is a run ([`decode`]); if not, interpolants strengthen the labels on
//! it. A node that implies an older one at the same location is covered. [`reduce`] decides which threads are expanded.
//! A finished tree is a proof, and [`certificate`] checks it anew.
//!
//! Deviations from the paper: pointers, thread numbers and locks are part of the location, and so are the values of
//! variables on which refinement would unwind loops ([`explicit_values`]); thread-local statements are merged into one
//! step; interpolants are those of the solver crate; and the rules that are unsound as printed are corrected
//! (re-queueing, and which threads a covering expands). A step that closes a loop does not prevent other threads from
//! being skipped: see [`certificate`] and `docs/impact.md` for the soundness argument.
//!
//! [`races`] and [`buffers`] reduce data races and the memory models `tso` and `pso` to reachability.
//!
//! Limits: nothing under `ra`. Large arrays at variable indices, floating point, copies of shared memory, recursion
//! without bound and unboundedly many threads at once are reasons for `unknown`.

mod buffers;
mod certificate;
mod correspondence;
mod deadlock;
mod decode;
mod distance;
mod evaluate;
mod exchange;
mod explicit_values;
mod invariants;
mod location;
mod machine;
mod memory;
mod options;
mod path;
mod picture;
mod races;
mod reduce;
mod search;
mod statements;
mod tree;
mod vocabulary;

pub use options::{Options, Reduction, SearchOrder, TrackAfter};
pub use picture::Picture;
pub use search::Ablation;

use base::Stats;
use check::{undecided, Engine, Outcome, Proof, Reason, ReasonKind, Services, Task, Verdict};
use ir::{MemoryModel, Shape};
use machine::Machine;
use search::{End, Modes, Search};

/// The engine `impact`.
pub struct Impact;

fn modes(task: &Task<'_>) -> Modes {
    let Options { reduction, force_cover, order, track_after, check_proof: _ } = task.options.own();
    Modes { reduction, force_cover, order, track_after: track_after.0, ablation: task.options.own() }
}

/// The tree that proves a property, as a picture, or why there is none.
pub fn picture(task: &Task<'_>) -> Result<Picture, String> {
    Impact.supports(task).map_err(|reason| reason.to_string())?;
    finished(task, |search| Ok(Picture::new(search)))
}

/// The invariants of the tree that proves a property, per thread and location, as C expressions, or why there is no
/// such tree.
pub fn invariants(task: &Task<'_>) -> Result<Vec<ir::invariants::LocationInvariant>, String> {
    Impact.supports(task).map_err(|reason| reason.to_string())?;
    finished(task, |search| Ok(invariants::of(search).into_iter().collect()))
}

/// The number of monotonic paths of up to a length, at most `most`, if each has a corresponding path in the finished
/// tree (Definitions 4.4 to 4.7 of the paper); for tests.
pub fn monotonic_paths(task: &Task<'_>, longest: usize, most: u64) -> Result<u64, String> {
    finished(task, |search| match search.follow_monotonic(longest, most) {
        Ok(found) => found,
        Err(stop) => Err(Reason::from(stop).to_string()),
    })
}

/// Whether the engine supports a memory model: its nodes have store buffers, but no views.
pub fn decides_under(model: MemoryModel) -> bool {
    match model {
        MemoryModel::Sc | MemoryModel::Tso | MemoryModel::Pso => true,
        MemoryModel::Ra => false,
    }
}

/// Applies `look` to a finished tree.
fn finished<T>(task: &Task<'_>, look: impl Fn(&mut Search<'_, '_>) -> Result<T, String>) -> Result<T, String> {
    let mut machine = Machine::new(task);
    for _ in 0..MAX_RESTARTS {
        machine.restart();
        let mut search = Search::new(&mut machine, modes(task), task.budget.clone());
        match search.run() {
            End::Restart => {}
            End::Complete(gaps) if gaps.is_empty() => return look(&mut search),
            End::Complete(gaps) => return Err(gaps.iter().map(Reason::to_string).collect::<Vec<_>>().join("; ")),
            End::Stopped(reason) => return Err(reason.to_string()),
            End::Violated(_) => return Err("the property can be violated".to_owned()),
        }
    }
    Err("could not determine which values to track explicitly".to_owned())
}

/// Maximum number of restarts of the search.
const MAX_RESTARTS: u32 = 200;

impl Engine for Impact {
    fn name(&self) -> &'static str {
        "impact"
    }

    fn about(&self) -> &'static str {
        "lazy abstraction with interpolants and partial-order reduction, for loops without bound (not under ra)"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Reason> {
        match task.property.shape() {
            Shape::Step | Shape::Conflict | Shape::Stuck if decides_under(task.model) => Ok(()),
            Shape::Step | Shape::Conflict | Shape::Stuck | Shape::Between => Err(undecided(self, task)),
        }
    }

    fn rank(&self, _: &Task<'_>) -> Option<u8> {
        Some(40)
    }

    fn run(&self, task: &Task<'_>, services: &dyn Services) -> Outcome {
        let mut stats = Stats::default();
        let verdict = match self.supports(task) {
            Ok(()) => self.solve(task, services, &mut stats),
            Err(reason) => Verdict::unknown(reason),
        };
        Outcome::new(verdict, stats)
    }
}

impl Impact {
    fn solve(&self, task: &Task<'_>, services: &dyn Services, stats: &mut Stats) -> Verdict {
        let mut machine = Machine::new(task);
        for restart in 0..MAX_RESTARTS {
            stats.set("restarts", f64::from(restart));
            machine.restart();
            let mut search = Search::new(&mut machine, modes(task), task.budget.clone());
            let end = search.run();
            search.report(stats);
            match end {
                End::Restart => {}
                End::Complete(gaps) if !gaps.is_empty() => return Verdict::Unknown(gaps),
                End::Complete(_) => return self.prove(task, search, stats),
                End::Stopped(reason) => return Verdict::unknown(reason),
                End::Violated(node) => return follow(task, services, &mut search, node),
            }
        }
        let detail = "could not determine which values to track explicitly".to_owned();
        Verdict::unknown(Reason::new(ReasonKind::Imprecise, detail))
    }

    /// Turns a complete tree into a verdict, after checking it anew if that is asked for.
    fn prove(&self, task: &Task<'_>, mut search: Search<'_, '_>, stats: &mut Stats) -> Verdict {
        let nodes = search.tree.len() as u64;
        if task.options.own::<Options>().check_proof {
            match certificate::check(&mut search, &task.budget) {
                Ok(checks) => stats.set("proof_checks", checks as f64),
                Err(certificate::Failure::Stopped(stop)) => return Verdict::unknown(Reason::from(stop)),
                Err(certificate::Failure::Wrong(problem)) => {
                    let detail = format!("the proof does not check, a defect of Heddle: {problem}");
                    return Verdict::unknown(Reason::new(ReasonKind::ProofRefused, detail));
                }
            }
        }
        Verdict::safe(Proof::Tree { nodes }, vec![])
    }
}

/// Follows the run that leads to a node.
fn follow(task: &Task<'_>, services: &dyn Services, search: &mut Search<'_, '_>, node: tree::NodeId) -> Verdict {
    let found = match search.decode(node) {
        Ok(Some(moves)) => services.follow(task, &moves, None),
        Ok(None) => Err("the path cannot be taken after all".to_owned()),
        Err(stop) => return Verdict::unknown(Reason::from(stop)),
    };
    match found {
        Ok(counterexample) => Verdict::Unsafe(Box::new(counterexample)),
        Err(problem) => {
            let detail = format!("a violation was found that cannot be replayed, a defect of Heddle: {problem}");
            Verdict::unknown(Reason::new(ReasonKind::Validation, detail))
        }
    }
}
