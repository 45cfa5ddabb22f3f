//! From C, C++ or LLVM files to a program in the core form: runs clang, reads the bitcode, lowers it, and adds the models
//! of the library functions that the program uses.
//!
//! What is not modelled becomes an `unmodelled` statement where it would be reached, never nothing.

mod asm;
mod bindings;
mod bitfields;
mod blocks;
mod builder;
mod calls;
mod chain;
mod clang;
mod const_variables;
mod constants;
mod copies;
mod departures;
mod entry;
mod expr;
mod families;
mod flags;
mod flow;
mod function;
mod gather;
mod held_mutexes;
mod instructions;
mod intrinsics;
mod kept;
mod layout;
mod libc;
mod literals;
mod llvm;
mod load;
mod locale;
mod lowering;
mod memory;
mod misuse;
mod models;
mod needs;
mod output;
mod primitives;
mod project;
mod prototypes;
mod readers;
mod rename;
mod roots;
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
