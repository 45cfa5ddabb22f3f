//! The core form of a program: control-flow graphs whose edges carry exactly one statement each, over objects with
//! identity, size and byte-accurate contents. Everything C-like dies in `front`; everything after it sees only this.

pub mod analysis;
pub mod arith;
pub mod claim;
pub mod dot;
pub mod expr;
pub mod fault;
pub mod invariants;
mod lex;
pub mod library;
pub mod memory_model;
mod names;
pub mod parse;
pub mod premise;
pub mod print;
pub mod program;
pub mod property;
pub mod schedule;
pub mod stmt;
pub mod traits;
pub mod validate;

pub use claim::{Awaited, Claim, ErrorFunction, Maker, SyncObject, Unmodelled};
pub use expr::{ghost_size, BinaryOp, CastOp, Expr, FloatCompare, Type, UnaryOp};
pub use fault::{BadAccess, BadFree, Direction, Fault};
pub use library::{is_affected_by_locale, thread_unsafe, LibraryRace, ThreadUnsafe, THREAD_UNSAFE};
pub use memory_model::{MemoryModel, StoreBuffer};
pub use parse::{parse, ParseError};
pub use premise::Premise;
pub use print::print;
pub use program::{
    is_library_file, DataModel, Edge, EdgeId, Function, FunctionId, Initial, LocId, Local, LocalId, Object, ObjectId,
    ObjectKind, Program, RaceFree, Relocation, Symbol,
};
pub use property::{Property, Shape};
pub use schedule::{Act, Action, Move, Pick, Schedule, ScheduleStep, Violation, Written};
pub use stmt::{Access, AllocKind, Callee, Order, RmwOp, Stmt};
pub use traits::{StmtKind, Touch, LOCK};
pub use validate::{validate, Problem};
