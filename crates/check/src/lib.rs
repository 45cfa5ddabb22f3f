//! The interface between engines and the rest: the question ([`Task`]), the answer ([`Verdict`]), and the [`Engine`]
//! trait. Reporting is the same for every engine because engines only ever answer in these types.

pub mod engine;
pub mod facts;
pub mod options;
pub mod task;
pub mod verdict;

pub use engine::{undecided, Effort, Engine, RacePair, Services};
pub use facts::{Facts, Proved};
pub use options::{Inputs, LoopBound, OptionSet, Options, OwnOptions};
pub use task::{Outcome, Task, Turn};
pub use verdict::{Counterexample, Proof, Protection, Reason, ReasonKind, Safe, Verdict};
