//! The foundation of all crates: typed ids and dense maps, source positions, diagnostics as values, budgets,
//! statistics, escaping. It does not depend on the representation of programs.

pub mod budget;
pub mod diagnostic;
pub mod escape;
pub mod ids;
pub mod span;
pub mod stats;
pub mod wording;

pub use budget::{Budget, Part, Stop};
pub use diagnostic::{Diagnostic, Severity};
pub use ids::{Id, IdVec};
pub use span::{FileId, Span};
pub use stats::Stats;
