//! The input and output of an engine.

use crate::facts::{Facts, Proved};
use crate::options::Options;
use crate::verdict::{Counterexample, Verdict};
use base::{Budget, Stats};
use ir::{MemoryModel, Premise, Program, Property, RaceFree};
use std::collections::BTreeSet;

/// One question: does this program have this property under this memory model?
#[derive(Clone, Debug)]
pub struct Task<'p> {
    /// The program.
    pub program: &'p Program,
    /// The property.
    pub property: Property,
    /// The memory model.
    pub model: MemoryModel,
    /// Options for engines.
    pub options: Options,
    /// Limits; every loop of an engine polls it.
    pub budget: Budget,
    /// Statements proved to race with nothing: race detection skips them.
    pub race_free: RaceFree,
}

impl Task<'_> {
    /// The premises of a proof: those of every proof about the program, and the user's.
    pub fn premises(&self) -> BTreeSet<Premise> {
        let Options { inputs, strengthen_relaxed, assume_defined, .. } = &self.options;
        let is_about_values = matches!(self.property, Property::Race | Property::Unreach);
        let said = [
            (inputs.promised, Premise::Inputs),
            (*strengthen_relaxed && self.model.strengthens_atomics(), Premise::ReleaseAcquire),
            (*assume_defined && is_about_values, Premise::Defined),
        ];
        let said = said.into_iter().filter(|(is_said, _)| *is_said).map(|(_, premise)| premise);
        self.program.premises.iter().copied().chain(said).collect()
    }
}

/// The turn of one engine.
#[derive(Clone, PartialEq, Debug)]
pub struct Turn {
    /// Its engine.
    pub engine: &'static str,
    /// Its duration.
    pub seconds: f64,
    /// Its verdict.
    pub verdict: Verdict,
    /// The number of facts it proved for other engines, if undecided.
    pub proved: Proved,
}

/// A verdict and the statistics of the run that found it.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// Violations besides the one of an `Unsafe`, if all were asked for.
    pub others: Vec<Counterexample>,
    /// Facts proved on the way to an `Unknown`.
    pub facts: Facts,
    /// The engines that took turns, in the order in which they ended; empty if one engine answered alone.
    pub turns: Vec<Turn>,
    /// The statistics.
    pub stats: Stats,
}

impl Outcome {
    /// A verdict with at most one violation.
    pub fn new(verdict: Verdict, stats: Stats) -> Outcome {
        Outcome { verdict, others: Vec::new(), facts: Facts::default(), turns: Vec::new(), stats }
    }
}
