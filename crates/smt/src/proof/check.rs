//! Checks a certificate, independently of the solver that wrote it.
//!
//! A clause is accepted if it is an input, a theory lemma whose justification holds, or if assuming its negation and
//! propagating along the named clauses, each of which must be unit at its turn, ends in a falsified one. All three
//! make it implied by the inputs and the theories. A query is unsatisfiable if such a clause consists of negated
//! assumptions. What the inputs and the edges of the order *are* comes from the caller ([`Problem`]), not from the
//! certificate.
//!
//! It does not check: models, completeness (a certificate may end early; the report says which queries were concluded),
//! or that a query is the one the caller meant (see [`Query::proves`]).

use super::format::{ClauseId, Reader, Step, Unreadable};
use super::lemma::{EdgeJustification, Lemma};
use crate::sat::Lit;
use rustc_hash::{FxHashMap, FxHashSet};
use std::io::BufRead;

/// The assertions against which a certificate is checked.
pub trait Problem {
    /// Whether this clause, as a set of literals, was asserted.
    fn is_input(&self, clause: &[Lit]) -> bool;

    /// Whether this edge was declared to be present if these literals are all true and, if it has a `path`, the second
    /// of those nodes is reachable from the first.
    fn is_edge(&self, _edge: &EdgeJustification, _path: Option<(u32, u32)>) -> bool {
        false
    }

    /// Whether this text justifies this clause by an axiom of arrays.
    fn is_array_lemma(&self, _clause: &[Lit], _text: &str) -> bool {
        false
    }
}

/// A problem of clauses and of edges under literals.
#[derive(Default, Clone)]
pub struct Clauses {
    clauses: FxHashSet<Vec<Lit>>,
    edges: FxHashSet<(u32, u32, Vec<Lit>)>,
}

impl Clauses {
    /// Adds an input.
    pub fn add(&mut self, clause: &[Lit]) {
        self.clauses.insert(as_set(clause));
    }

    /// Adds an edge that is present when all these literals are true.
    pub fn add_edge(&mut self, from: u32, to: u32, literals: &[Lit]) {
        self.edges.insert((from, to, as_set(literals)));
    }
}

impl Problem for Clauses {
    fn is_input(&self, clause: &[Lit]) -> bool {
        self.clauses.contains(&as_set(clause))
    }

    fn is_edge(&self, edge: &EdgeJustification, path: Option<(u32, u32)>) -> bool {
        path.is_none() && self.edges.contains(&(edge.from, edge.to, as_set(&edge.literals)))
    }
}

/// The distinct literals of a clause, sorted.
pub(crate) fn as_set<L: Copy + Ord>(clause: &[L]) -> Vec<L> {
    let mut literals = clause.to_vec();
    literals.sort_unstable();
    literals.dedup();
    literals
}

/// The first line that does not hold.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct Failure {
    /// Its number, from 1.
    pub line: u64,
    /// The reason.
    pub reason: Reason,
}

/// Why a line is rejected.
#[derive(Debug, thiserror::Error)]
pub enum Reason {
    /// It is not a step.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// Two clauses have the same number.
    #[error("there is a clause {0} already")]
    Twice(ClauseId),
    /// There is no such clause, or it was deleted.
    #[error("there is no clause {0}")]
    Missing(ClauseId),
    /// It was not asserted.
    #[error("this is not an input clause")]
    NotInput,
    /// Its literals are not those of the clause that was eliminated.
    #[error("clause {0} was another one when it was eliminated")]
    NotRestored(ClauseId),
    /// A literal is new in a derived clause.
    #[error("no clause before has the variable of {0:?}")]
    NewVariable(Lit),
    /// An antecedent propagates nothing.
    #[error("clause {0} is not unit here")]
    NotUnit(ClauseId),
    /// The propagation ends without a falsified clause.
    #[error("the antecedents do not lead to a conflict")]
    NoConflict,
    /// The edges do not form a cycle.
    #[error("the edges are no cycle")]
    NotCycle,
    /// The edges that justify another edge do not form a path.
    #[error("the edges that an edge follows from are no path")]
    NotPath,
    /// This edge was not declared.
    #[error("there is no edge from {0} to {1} for the reasons given")]
    NotEdge(u32, u32),
    /// The clause does not exclude the literals of the edge.
    #[error("the clause should have the negation of {0:?}")]
    NotExcluded(Lit),
    /// The theory of arrays does not imply it.
    #[error("this is not a lemma of arrays")]
    NotArrayLemma,
    /// A conclusion without a query.
    #[error("there is no query to conclude")]
    NoQuery,
    /// A query begins before the last one ends.
    #[error("the last query is not concluded")]
    OpenQuery,
    /// The conclusion is about an assumption that was not made.
    #[error("{0:?} is not the negation of an assumption")]
    NotAssumed(Lit),
}

/// A query of the certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    /// The assumptions.
    pub assumptions: Vec<Lit>,
    /// For a query proved unsatisfiable: a sufficient subset of the assumptions.
    pub core: Option<Vec<Lit>>,
}

impl Query {
    /// Whether it was proved that, of exactly these assumptions, these suffice for unsatisfiability. The conclusion of
    /// the certificate may be smaller than the claim: CaDiCaL's `failed` holds of all assumptions that are false at the
    /// root as soon as it holds of one, and the proof names that one.
    pub fn proves(&self, assumptions: &[Lit], core: &[Lit]) -> bool {
        let concluded = self.core.as_ref().is_some_and(|concluded| concluded.iter().all(|lit| core.contains(lit)));
        concluded
            && core.iter().all(|lit| assumptions.contains(lit))
            && as_set(&self.assumptions) == as_set(assumptions)
    }
}

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The finished queries, in order.
    pub queries: Vec<Query>,
    /// The number of input clauses.
    pub inputs: u64,
    /// The number of theory lemmas.
    pub lemmas: u64,
    /// The number of derived clauses.
    pub derived: u64,
    /// The number of restored clauses.
    pub restored: u64,
}

/// Checks a whole certificate.
pub fn check(input: impl BufRead, problem: &dyn Problem) -> Result<Report, Failure> {
    let mut checker = Checker::default();
    checker.read(input, problem)?;
    Ok(checker.report)
}

/// Checks a growing certificate incrementally.
#[derive(Default)]
pub struct Checker {
    clauses: FxHashMap<ClauseId, Box<[Lit]>>,
    propagation: Propagation,
    query: Option<Vec<Lit>>,
    lines: u64,
    report: Report,
}

impl Checker {
    /// Checks the steps by which `input` continues the certificate.
    pub fn read(&mut self, input: impl BufRead, problem: &dyn Problem) -> Result<(), Failure> {
        let mut reader = Reader::resume(input, self.lines);
        loop {
            let step = reader.next_step();
            self.lines = reader.line_number();
            let result = match step {
                Ok(Some(step)) => self.step(step, problem),
                Ok(None) => return Ok(()),
                Err(error) => Err(error.into()),
            };
            result.map_err(|reason| Failure { line: self.lines, reason })?;
        }
    }

    /// The result so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The number of clauses held.
    pub fn clauses(&self) -> usize {
        self.clauses.len()
    }

    fn step(&mut self, step: Step, problem: &dyn Problem) -> Result<(), Reason> {
        match step {
            Step::Input { id, clause } => {
                if !problem.is_input(&clause) {
                    return Err(Reason::NotInput);
                }
                self.report.inputs += 1;
                self.propagation.admit(&clause);
                self.insert(id, clause)
            }
            Step::Theory { id, clause, lemma } => {
                check_lemma(&clause, &lemma, problem)?;
                self.report.lemmas += 1;
                self.propagation.admit(&clause);
                self.insert(id, clause)
            }
            Step::Derived { id, clause, antecedents } => {
                // If derived clauses could introduce variables, a wrong line could make us allocate without bound.
                if let Some(lit) = clause.iter().find(|lit| !self.propagation.has(**lit)) {
                    return Err(Reason::NewVariable(*lit));
                }
                self.propagation.derive(&self.clauses, &clause, &antecedents)?;
                self.report.derived += 1;
                self.insert(id, clause)
            }
            Step::Deleted { ids } => {
                ids.iter().try_for_each(|id| self.clauses.remove(id).map(drop).ok_or(Reason::Missing(*id)))
            }
            Step::Restored { id, clause } => {
                let eliminated = self.clauses.get(&id).ok_or(Reason::Missing(id))?;
                if as_set(eliminated) != as_set(&clause) {
                    return Err(Reason::NotRestored(id));
                }
                self.report.restored += 1;
                Ok(())
            }
            Step::Query { assumptions } => match self.query.replace(assumptions) {
                None => Ok(()),
                Some(_) => Err(Reason::OpenQuery),
            },
            Step::Unsat { clause, antecedents } => self.conclude(&clause, &antecedents),
            Step::Sat | Step::Unknown => {
                let assumptions = self.query.take().ok_or(Reason::NoQuery)?;
                self.report.queries.push(Query { assumptions, core: None });
                Ok(())
            }
        }
    }

    fn insert(&mut self, id: ClauseId, clause: Vec<Lit>) -> Result<(), Reason> {
        match self.clauses.insert(id, clause.into_boxed_slice()) {
            None => Ok(()),
            Some(_) => Err(Reason::Twice(id)),
        }
    }

    fn conclude(&mut self, clause: &[Lit], antecedents: &[ClauseId]) -> Result<(), Reason> {
        let assumptions = self.query.take().ok_or(Reason::NoQuery)?;
        let assumed: FxHashSet<Lit> = assumptions.iter().copied().collect();
        if let Some(lit) = clause.iter().find(|lit| !assumed.contains(&!**lit)) {
            return Err(Reason::NotAssumed(*lit));
        }
        self.propagation.derive(&self.clauses, clause, antecedents)?;
        let core = clause.iter().map(|lit| !*lit).collect();
        self.report.queries.push(Query { assumptions, core: Some(core) });
        Ok(())
    }
}

/// Unit propagation along given clauses.
#[derive(Default)]
struct Propagation {
    /// By literal: whether it is false now.
    falsified: Vec<bool>,
    trail: Vec<Lit>,
}

impl Propagation {
    fn admit(&mut self, clause: &[Lit]) {
        let variables = clause.iter().map(|lit| lit.var()).max().unwrap_or(0);
        if self.falsified.len() < 2 * variables + 2 {
            self.falsified.resize(2 * variables + 2, false);
        }
    }

    fn has(&self, lit: Lit) -> bool {
        index(lit) < self.falsified.len()
    }

    /// Whether the clause follows by propagation along the antecedents.
    fn derive(
        &mut self,
        clauses: &FxHashMap<ClauseId, Box<[Lit]>>,
        clause: &[Lit],
        antecedents: &[ClauseId],
    ) -> Result<(), Reason> {
        let result = self.propagate(clauses, clause, antecedents);
        for lit in self.trail.drain(..) {
            self.falsified[index(lit)] = false;
        }
        result
    }

    fn propagate(
        &mut self,
        clauses: &FxHashMap<ClauseId, Box<[Lit]>>,
        clause: &[Lit],
        antecedents: &[ClauseId],
    ) -> Result<(), Reason> {
        for (i, lit) in clause.iter().enumerate() {
            if self.has(*lit) {
                if self.falsified[index(!*lit)] {
                    return Ok(());
                }
                self.falsify(*lit);
            } else if clause[..i].contains(&!*lit) {
                // An assumption about a variable of no clause: it can only contradict another assumption.
                return Ok(());
            }
        }
        for id in antecedents {
            let antecedent = clauses.get(id).ok_or(Reason::Missing(*id))?;
            let mut unit = None;
            for lit in antecedent {
                if self.falsified[index(*lit)] || unit == Some(*lit) {
                    continue;
                }
                if unit.replace(*lit).is_some() {
                    return Err(Reason::NotUnit(*id));
                }
            }
            match unit {
                None => return Ok(()),
                Some(lit) => self.falsify(!lit),
            }
        }
        Err(Reason::NoConflict)
    }

    fn falsify(&mut self, lit: Lit) {
        if !self.falsified[index(lit)] {
            self.falsified[index(lit)] = true;
            self.trail.push(lit);
        }
    }
}

fn index(lit: Lit) -> usize {
    2 * lit.var() + usize::from(lit.is_positive())
}

/// Checks that a theory may add the clause, for the reason it gives.
pub fn check_lemma(clause: &[Lit], lemma: &Lemma, problem: &dyn Problem) -> Result<(), Reason> {
    match lemma {
        Lemma::Cycle(edges) => match ends(edges) {
            Some((from, to)) if from == to => check_edges(clause, edges, problem),
            _ => Err(Reason::NotCycle),
        },
        Lemma::Array(text) if problem.is_array_lemma(clause, text) => Ok(()),
        Lemma::Array(_) => Err(Reason::NotArrayLemma),
    }
}

fn check_edges(clause: &[Lit], edges: &[EdgeJustification], problem: &dyn Problem) -> Result<(), Reason> {
    for edge in edges {
        if let Some(lit) = edge.literals.iter().find(|lit| !clause.contains(&!**lit)) {
            return Err(Reason::NotExcluded(*lit));
        }
        let path = match &edge.path[..] {
            [] => None,
            path => Some(ends(path).ok_or(Reason::NotPath)?),
        };
        if !problem.is_edge(edge, path) {
            return Err(Reason::NotEdge(edge.from, edge.to));
        }
        check_edges(clause, &edge.path, problem)?;
    }
    Ok(())
}

/// The first and last node of a path; `None` if it is empty or its edges do not meet.
fn ends(path: &[EdgeJustification]) -> Option<(u32, u32)> {
    let meets = path.windows(2).all(|pair| pair[0].to == pair[1].from);
    match (path.first(), path.last()) {
        (Some(first), Some(last)) if meets => Some((first.from, last.to)),
        _ => None,
    }
}
