//! Certificates of unsatisfiable answers.
//!
//! [`log`] records CaDiCaL's derivations, [`mod@format`] is their text form, [`mod@check`] is a small checker that
//! shares nothing with the solver but [`Lit`](crate::Lit), [`lemma`] is how a theory justifies a clause of its own, and
//! [`order`] gives the checker the declarations to the order theory.
//!
//! A certificate is a sequence of clauses, each an input, a theory lemma with its justification, or the last one of a
//! chain of unit propagations along named earlier clauses (LRAT without RAT: Cruz-Filipe, Heule, Hunt, Kaufmann,
//! Schneider-Kamp, CADE 2017; incrementally as LIDRUP: Fazekas, Pollitt, Fleury, Biere, LPAR 2024). Every clause is
//! therefore *implied*, never merely satisfiability-preserving, and three things follow that the rest relies on:
//! deletions only save memory, a clause that CaDiCaL eliminated and restores later is still valid, and one log serves
//! any number of queries.
//!
//! ```
//! use smt::proof::{check, log::Log};
//! use smt::Sat;
//!
//! let log = Log::new(Vec::new());
//! let mut sat = Sat::with_tracer(log.clone());
//! let (a, b) = (sat.fresh(), sat.fresh());
//! sat.add(&[a, b]);
//! sat.add(&[!a, b]);
//! assert_eq!(sat.solve(&[a, !b], &base::Budget::unlimited()), Ok(smt::sat::Answer::Unsat));
//! let text = log.borrow_mut().take().expect("memory");
//! let inputs = sat.inputs().expect("it has a tracer");
//! let report = check::check(&text[..], inputs).expect("a good proof");
//! assert!(report.queries[0].proves(&[a, !b], &sat.core()));
//! ```

pub mod check;
pub mod format;
pub mod lemma;
pub mod log;
pub mod order;

pub use check::{check, Checker, Failure, Problem};
pub use lemma::{EdgeJustification, Lemma};
pub use log::Log;
