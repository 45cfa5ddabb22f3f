//! Static analyses, shared by all engines. Everything here over-approximates: what an analysis says cannot happen does
//! not happen in any defined run; what it says can happen may not.
//!
//! In the order in which they build on each other:
//!
//! - [`graph`]: orders, loops and reachability inside one function.
//! - [`liveness`]: local variables that may still be read.
//! - [`contexts`]: context sensitivity for small functions, so that a wrapper around `Spawn` or `Lock` is not merged
//!   over all its callers.
//! - [`points_to`]: which objects and functions a pointer may point to, and so the call graph and thread starts.
//! - [`threads`]: the kinds of threads that a program starts.
//! - [`parallel`]: which of their statements may happen in parallel.
//! - [`later`]: statements that a run may reach after a given one.
//! - [`escape`]: which objects several threads access, and which statements are visible to other threads.
//! - [`summaries`]: effects since a function was entered, for analyses along paths and calls.
//! - [`locksets`]: which locks are certainly held.
//! - [`atomicity`]: which two accesses of a thread should be atomic.
//!
//! [`Analyses`] makes those that others build on, each once.
//!
//! ```
//! # let program = ir::parse("heddle-ir 1 data-model lp64 entry @main function @main() {
//! #     locs 2 entry l0 exit l1 l0 -> l1: exit }").unwrap();
//! let analyses = ir::analysis::Analyses::new(&program);
//! let locksets = ir::analysis::Locksets::new(&program, analyses.points_to());
//! # assert!(analyses.escape().is_visible(program.entry, base::Id::new(0), true));
//! # assert!(locksets.held(program.entry, base::Id::new(0)).is_empty());
//! ```

pub mod atomicity;
mod bundle;
mod constraints;
pub mod contexts;
pub mod escape;
pub mod graph;
mod inclusion;
pub mod later;
pub mod liveness;
pub mod locksets;
pub mod mixed;
pub mod parallel;
pub mod points_to;
pub mod summaries;
pub mod threads;

pub use atomicity::{AtomicPairs, AtomicRegion};
pub use bundle::Analyses;
pub use contexts::{ContextId, Contexts};
pub use escape::Escape;
pub use later::Later;
pub use liveness::Liveness;
pub use locksets::{Cell, Locksets};
pub use mixed::concurrent_seq_cst;
pub use parallel::Parallel;
pub use points_to::{Memory, Pointees, PointsTo, Target};
pub use threads::{Template, TemplateId, ThreadSet, Threads};
