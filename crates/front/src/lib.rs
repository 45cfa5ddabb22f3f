//! From C, C++ or LLVM files to a program in the core form: runs clang, reads the bitcode, lowers it, and adds the models
//! of the library functions that the program uses.
//!
//! Unmodelled constructs become `unmodelled` statements at their places; they are never dropped.

mod asm;
mod bindings;
mod bitfields;
mod blocks;
mod builder;
mod calls;
mod clang;
mod const_variables;
mod constants;
mod departures;
mod entry;
mod expr;
mod flags;
mod flow;
mod function;
mod gather;
mod instructions;
mod intrinsics;
mod layout;
mod libc;
mod llvm;
mod load;
mod locale;
mod lowering;
mod memory;
mod models;
mod needs;
mod output;
mod primitives;
mod project;
mod rename;
mod seeds;
mod simplify;
mod start;
pub mod surface;
mod terminators;
mod thread_numbers;
mod varargs;

pub use calls::has_meaning_by_name;
pub use libc::Libc;
pub use load::{load, load_text, load_timed, Failure, LoadOptions, LoadTimes, Loaded};
pub use models::modelled;
pub use project::Project;
