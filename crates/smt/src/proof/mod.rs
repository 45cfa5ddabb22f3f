//! Certificates of unsatisfiable answers.
//!
//! [`log`] records what CaDiCaL derives, [`format`] is the text it is kept in, [`check`] is a small checker that shares
//! nothing with the solver but [`Lit`](crate::Lit), and [`lemma`] says how a theory justifies a clause of its own.
//!
//! A certificate is a sequence of clauses, each an input, a theory lemma with its justification, or the last one of a
//! chain of unit propagations along named earlier clauses (LRAT without RAT: Cruz-Filipe, Heule, Hunt, Kaufmann,
//! Schneider-Kamp, CADE 2017; incrementally as LIDRUP: Fazekas, Pollitt, Fleury, Biere, 2024). Every clause is therefore
//! *implied*, never merely satisfiability-preserving, and three things follow that the rest relies on: deletions are
//! about memory only, a clause that CaDiCaL eliminated and restores later is still good, and one log serves any number
//! of queries.
//!
//! ```
//! use smt::proof::{check, log::Log};
//! use smt::Sat;
//!
//! let log = Log::new(Vec::new());
//! let mut sat = Sat::with_tracer(log.clone());
//! let (a, b) = (sat.fresh(), sat.fresh());
//! let clauses = [vec![a, b], vec![!a, b]];
//! let mut problem = check::Clauses::default();
//! problem.add(&[smt::Lit::TRUE]);
//! for clause in &clauses {
//!     sat.add(clause);
//!     problem.add(clause);
//! }
//! assert_eq!(sat.solve(&[!b], &base::Budget::unlimited()), Ok(smt::sat::Answer::Unsat));
//! drop(sat);
//! let text = log.borrow_mut().take().expect("nothing failed");
//! let report = check::check(&text[..], &problem).expect("a good proof");
//! assert_eq!(report.queries[0].core, Some(vec![!b]));
//! ```

pub mod check;
pub mod format;
pub mod lemma;
pub mod log;

pub use check::{check, Checker, Failure, Problem};
pub use lemma::{EdgeJustification, Lemma};
pub use log::Log;
