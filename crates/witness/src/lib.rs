//! How results are presented to people and other programs: a counterexample as a [`Story`] (which thread did what, in
//! which order, with which values), drawn as [`lanes`], written as a JSON [`report`], or kept as a [`trace`] that can
//! be replayed. Everything here comes from replaying a schedule in the reference interpreter, never from an engine's
//! own account of its counterexample. Nothing here prints or touches files.

mod dependence;
pub mod dot;
pub mod html;
pub mod lanes;
mod links;
mod relevance;
pub mod report;
pub mod sarif;
mod shorten;
pub mod sources;
pub mod story;
pub mod svcomp;
mod teller;
pub mod text;
pub mod trace;
mod wording;

pub use lanes::LaneStyle;
pub use report::Report;
pub use sources::Sources;
pub use story::Story;
pub use trace::Trace;
