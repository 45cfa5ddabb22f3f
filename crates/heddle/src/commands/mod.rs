//! One file per subcommand.

mod baseline;
pub(crate) mod bench;
mod cache;
pub(crate) mod check;
mod competition;
mod defect;
mod files;
pub(crate) mod init;
pub(crate) mod invariants;
pub(crate) mod man;
pub(crate) mod print_ir;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod skeleton;
pub(crate) mod smt2;
pub(crate) mod sv_comp;
pub(crate) mod tree;
pub(crate) mod validate;
