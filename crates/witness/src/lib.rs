//! What people and other programs get to see of a result: a counterexample as a [`Story`] (who did what, in which
//! order, with which values), drawn as [`lanes`], written as a JSON [`report`], or kept as a [`trace`] that can be
//! replayed. Everything here is made by replaying a schedule in the reference interpreter, never from what an engine
//! says about its own counterexample. Nothing here prints or touches files.

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
