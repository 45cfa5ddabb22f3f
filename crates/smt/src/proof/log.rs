//! Records CaDiCaL's derivations, as text in the form of [`super::format`].
//!
//! The notifications of CaDiCaL 3.0 to a tracer, and their handling:
//! - *Original clauses*, as they were given, literals that are false at the root included (the shortened clause
//!   follows as a derived one). A theory's clauses come the same way, in the middle of a search; nothing marks them.
//!   So the theory announces each ([`Lemmas::announce`]) before it hands it over, or keeps them where the log can fetch
//!   them ([`Log::set_source`]), and the log finds it again by its literals. An unannounced clause is written as an
//!   input, which the checker then rejects.
//! - *Derived clauses* with the chain of antecedents in the order of propagation. Clauses with a witness (RAT) come
//!   from bounded variable addition only, which [`Sat`](crate::Sat) keeps switched off; should one come all the same,
//!   the log fails rather than write what cannot be checked. Blocked, covered and conditional elimination need no
//!   RAT: they only remove clauses, and removing is always allowed here.
//! - *Weakened clauses* are those that elimination removes and may *restore* later, under their old number. The log
//!   does not write their deletion, so they stay in the checker's memory (CaDiCaL keeps them in its memory as well).
//! - *Assumption clauses*, the negated core, are never antecedents of others; they are written as the conclusion.
//!
//! A callback cannot return an error, so the first error is kept, nothing is written after it, and [`Log::finish`]
//! reports it.

use super::check::as_set;
use super::format::Writer;
use super::lemma::Lemma;
use crate::sat::Lit;
use cadical_sys::ProofTracer;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

/// Receives a theory's justifications: the theory's view of the log.
pub trait Lemmas {
    /// Announces that the next original clause with these literals is a lemma.
    fn announce(&mut self, clause: &[Lit], lemma: Lemma);
}

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// Writing failed.
    #[error("cannot write the proof: {0}")]
    Io(#[from] io::Error),
    /// The solver did something that the log cannot express.
    #[error("the solver took a step that cannot be certified: {0}")]
    Uncertifiable(&'static str),
    /// It failed before and was not continued.
    #[error("the proof was given up earlier")]
    GivenUp,
}

/// The state of a clause that elimination removed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weakened {
    /// CaDiCaL has not deleted it yet.
    Announced,
    /// CaDiCaL deleted it; the log did not.
    Gone,
    /// It was restored before CaDiCaL deleted the old copy, whose deletion is still to come.
    RestoredEarly,
}

/// Returns the lemmas handed to the solver since the last call.
type Source = dyn FnMut() -> Vec<(Vec<Lit>, Lemma)>;

/// A log, to be given to [`Sat::with_tracer`](crate::Sat::with_tracer).
pub struct Log<W> {
    writer: Writer<W>,
    /// The first error, until it is reported.
    error: Option<LogError>,
    /// Whether there was an error: later steps would follow a gap.
    is_given_up: bool,
    announced: FxHashMap<Vec<i32>, Vec<Lemma>>,
    source: Option<Box<Source>>,
    weakened: FxHashMap<i64, Weakened>,
    /// Deletions to be written as one step, before the next one.
    deleted: Vec<i64>,
    assumptions: Vec<i32>,
    cores: FxHashMap<i64, (Vec<i32>, Vec<i64>)>,
    is_in_query: bool,
}

/// CaDiCaL's codes for the kinds of conclusion.
const CONFLICT: i32 = 1;
const ASSUMPTIONS: i32 = 2;

impl<W: Write> Log<W> {
    /// A log that is written to `out` incrementally. Wrap a file in a `BufWriter`.
    pub fn new(out: W) -> Rc<RefCell<Log<W>>> {
        let mut log = Log {
            writer: Writer::new(out),
            error: None,
            is_given_up: false,
            announced: FxHashMap::default(),
            source: None,
            weakened: FxHashMap::default(),
            deleted: Vec::new(),
            assumptions: Vec::new(),
            cores: FxHashMap::default(),
            is_in_query: false,
        };
        let header = log.writer.header();
        log.note(header);
        Rc::new(RefCell::new(log))
    }

    /// Flushes the buffer, and returns an error if the log is incomplete.
    pub fn finish(&mut self) -> Result<(), LogError> {
        self.write_deletions();
        let flushed = self.writer.out().flush();
        self.note(flushed);
        match self.error.take() {
            Some(error) => Err(error),
            None if self.is_given_up => Err(LogError::GivenUp),
            None => Ok(()),
        }
    }

    /// Makes the log fetch a theory's lemmas itself, whenever the solver takes a clause in the middle of a query.
    /// `source` is called from within the solver, but never from within one of the theory's callbacks.
    pub fn set_source(&mut self, source: impl FnMut() -> Vec<(Vec<Lit>, Lemma)> + 'static) {
        self.source = Some(Box::new(source));
    }

    fn fetch(&mut self) {
        if let (true, Some(source)) = (self.is_in_query, &mut self.source) {
            for (clause, lemma) in source() {
                self.announce(&clause, lemma);
            }
        }
    }

    fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.give_up(LogError::Io(error));
        }
    }

    fn fail(&mut self, what: &'static str) {
        self.give_up(LogError::Uncertifiable(what));
    }

    fn give_up(&mut self, error: LogError) {
        if !self.is_given_up {
            self.is_given_up = true;
            self.error = Some(error);
        }
    }

    fn write_deletions(&mut self) {
        if !self.deleted.is_empty() && !self.is_given_up {
            let written = self.writer.step(b'd', None, None, Some(&self.deleted));
            self.note(written);
        }
        self.deleted.clear();
    }

    fn write(&mut self, letter: u8, id: Option<i64>, literals: Option<&[i32]>, ids: Option<&[i64]>) {
        self.write_deletions();
        if !self.is_given_up {
            let written = self.writer.step(letter, id, literals, ids);
            self.note(written);
        }
    }

    fn end_query(&mut self, letter: u8) {
        if std::mem::take(&mut self.is_in_query) {
            self.write(letter, None, None, None);
        }
    }
}

impl Log<Vec<u8>> {
    /// The text since the last call; logging continues, and later text continues this one.
    pub fn take(&mut self) -> Result<Vec<u8>, LogError> {
        self.finish()?;
        Ok(std::mem::take(self.writer.out()))
    }
}

impl<W: Write> Lemmas for Log<W> {
    fn announce(&mut self, clause: &[Lit], lemma: Lemma) {
        let literals: Vec<i32> = clause.iter().map(|lit| lit.dimacs()).collect();
        self.announced.entry(as_set(&literals)).or_default().push(lemma);
    }
}

impl<W: Write> ProofTracer for Log<W> {
    fn add_original_clause(&mut self, id: i64, _redundant: bool, clause: &[i32], restored: bool) {
        if restored {
            match self.weakened.remove(&id) {
                Some(Weakened::Announced) => _ = self.weakened.insert(id, Weakened::RestoredEarly),
                Some(Weakened::Gone | Weakened::RestoredEarly) | None => {}
            }
            self.write(b'r', Some(id), Some(clause), None);
            return;
        }
        self.fetch();
        // Most clauses are inputs: no set is built for them unless a lemma waits.
        if !self.announced.is_empty() {
            let key = as_set(clause);
            if let Some(lemmas) = self.announced.get_mut(&key) {
                let lemma = lemmas.pop();
                if lemmas.is_empty() {
                    self.announced.remove(&key);
                }
                self.write_deletions();
                if let (Some(lemma), false) = (lemma, self.is_given_up) {
                    let written = self.writer.lemma(id, clause, &lemma);
                    self.note(written);
                }
                return;
            }
        }
        self.write(b'i', Some(id), Some(clause), None);
    }

    fn add_derived_clause(&mut self, id: i64, _redundant: bool, witness: i32, clause: &[i32], antecedents: &[i64]) {
        if witness != 0 {
            self.fail("a clause that is redundant but not implied");
        }
        self.write(b'l', Some(id), Some(clause), Some(antecedents));
    }

    fn delete_clause(&mut self, id: i64, _redundant: bool, _clause: &[i32]) {
        match self.weakened.get_mut(&id) {
            Some(Weakened::RestoredEarly) => _ = self.weakened.remove(&id),
            Some(state) => *state = Weakened::Gone,
            None => self.deleted.push(id),
        }
    }

    fn weaken_minus(&mut self, id: i64, _clause: &[i32]) {
        self.weakened.insert(id, Weakened::Announced);
    }

    // Only relevant for redundancy statistics.
    fn strengthen(&mut self, _id: i64) {}

    // Only used in the FRAT format.
    fn finalize_clause(&mut self, _id: i64, _clause: &[i32]) {}

    fn add_assumption(&mut self, lit: i32) {
        self.assumptions.push(lit);
    }

    fn add_constraint(&mut self, _clause: &[i32]) {
        self.fail("a constraint for one query");
    }

    fn reset_assumptions(&mut self) {
        self.assumptions.clear();
        self.cores.clear();
    }

    fn solve_query(&mut self) {
        self.end_query(b'x');
        let assumptions = std::mem::take(&mut self.assumptions);
        self.write(b'q', None, Some(&assumptions), None);
        self.assumptions = assumptions;
        self.is_in_query = true;
    }

    fn add_assumption_clause(&mut self, id: i64, clause: &[i32], antecedents: &[i64]) {
        self.cores.insert(id, (clause.to_vec(), antecedents.to_vec()));
    }

    fn conclude_unsat(&mut self, conclusion_type: i32, clause_ids: &[i64]) {
        self.is_in_query = false;
        match (conclusion_type, clause_ids) {
            (CONFLICT, [.., id]) => self.write(b'u', None, Some(&[]), Some(&[*id])),
            (ASSUMPTIONS, [id]) => match self.cores.remove(id) {
                Some((clause, antecedents)) => self.write(b'u', None, Some(&clause), Some(&antecedents)),
                None => self.fail("a conclusion without its clause"),
            },
            _ => self.fail("a conclusion of an unknown kind"),
        }
    }

    fn conclude_sat(&mut self, _conclusion_type: i32, _model: &[i32]) {
        self.end_query(b's');
    }

    fn conclude_unknown(&mut self, _trail: &[i32]) {
        self.end_query(b'x');
    }
}
