//! What is asked of an engine, and what it gives back.

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
    /// Statements that are proved to race with nothing: they are not looked at where races are asked about.
    pub race_free: RaceFree,
}

impl Task<'_> {
    /// What a proof assumes: what every proof about the program does, and what the user said.
    pub fn premises(&self) -> BTreeSet<Premise> {
        let Options { inputs, strengthen_relaxed, assume_defined, .. } = &self.options;
        let is_about_values = matches!(self.property, Property::Race | Property::Unreach);
        let said = [
            (inputs.promised, Premise::Inputs),
            (*strengthen_relaxed && self.model == MemoryModel::Ra, Premise::ReleaseAcquire),
            (*assume_defined && is_about_values, Premise::Defined),
        ];
        let said = said.into_iter().filter(|(is_said, _)| *is_said).map(|(_, premise)| premise);
        self.program.premises.iter().copied().chain(said).collect()
    }
}

/// What one engine of several did.
#[derive(Clone, PartialEq, Debug)]
pub struct Turn {
    /// Its name.
    pub engine: &'static str,
    /// How long it took.
    pub seconds: f64,
    /// What it answered.
    pub verdict: Verdict,
    /// What it proved for the others, where it did not decide.
    pub proved: Proved,
}

/// A verdict and the numbers of the run that found it.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// More violations than the one of an `Unsafe`, where all were asked for.
    pub others: Vec<Counterexample>,
    /// What was proved on the way to an `Unknown`.
    pub facts: Facts,
    /// The engines that took turns, in the order in which they ended; empty if one engine answered alone.
    pub turns: Vec<Turn>,
    /// The numbers.
    pub stats: Stats,
}

impl Outcome {
    /// A verdict with one violation at most.
    pub fn new(verdict: Verdict, stats: Stats) -> Outcome {
        Outcome { verdict, others: Vec::new(), facts: Facts::default(), turns: Vec::new(), stats }
    }
}
