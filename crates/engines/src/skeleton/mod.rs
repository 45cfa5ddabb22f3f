//! Skeletons: the events of a bounded program with their program order, and their exact composition.
//!
//! Stage 1 ([`execute`]) runs every thread symbolically over its unrolled control-flow graph, merging paths where they
//! meet, and produces an [`events::Skeleton`]. Stage 2 ([`compose`]) encodes which choices of reads-from and write
//! order make an execution of it. [`decode`] turns a model back into a run, step by step ([`ir::Move`]).
//!
//! What stage 1 cannot express is a *gap*: a condition under which the skeleton says nothing more about a thread. A
//! thread stops before its gap, so everything before it is exact; the solver decides whether a gap is reachable.

pub(crate) mod barriers;
pub(crate) mod blocking;
pub(crate) mod compose;
pub(crate) mod contents;
pub(crate) mod contexts;
pub(crate) mod control;
pub(crate) mod decode;
pub(crate) mod evaluate;
pub(crate) mod events;
pub(crate) mod execute;
pub(crate) mod instance;
pub(crate) mod late;
pub(crate) mod locks;
pub(crate) mod memory;
pub(crate) mod objects;
pub mod options;
pub(crate) mod pairs;
pub(crate) mod past;
pub mod picture;
pub(crate) mod rounds;
pub(crate) mod spin;
pub(crate) mod state;
pub(crate) mod statements;
pub(crate) mod summary;
pub(crate) mod threads;
pub(crate) mod value;
