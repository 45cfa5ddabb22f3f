//! The seam between engines and the rest: what is asked ([`Task`]), what is answered ([`Verdict`]), and the
//! [`Engine`] trait. Reporting is the same for every engine because engines only ever answer in these types.

pub mod task;
pub mod verdict;

pub use task::{
    Encoding, Engine, Facts, Focus, Form, ImpactModes, Inputs, Interference, LoopBound, Mode, Modes, Options, Outcome,
    Preset, Proved, Reduction, SearchOrder, Slice, TarAlgorithm, TarAssumptions, TarModes, Task,
};
pub use verdict::{Counterexample, Proof, Protection, Reason, ReasonKind, Safe, Verdict};
