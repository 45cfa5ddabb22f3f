//! Options of the engines that unroll, `staged` and `interference`. The switches for measurements affect no answer.

use clap::{Args, ValueEnum};

/// How the solver learns the order of accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Encoding {
    /// As a theory of orders inside the search
    #[default]
    Order,
    /// As clauses, with a clock for each access: to measure what the theory is worth
    Clocks,
}

/// The options.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engines that unroll (staged, interference)")]
#[group(skip)]
pub struct Options {
    /// Look only for runs of at most K contexts, a context being a stretch of one thread's shared accesses without one
    /// of another in between; if there is no violation, the answer is unknown (unreach, locks, memory)
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub context_bound: Option<u32>,

    /// Execute every function at each call instead of summarising those that can be, to measure what that is worth
    #[arg(id = "no-summaries", long, action = clap::ArgAction::SetFalse)]
    pub summaries: bool,

    /// Keep impossible pairs of reads and writes, to measure what leaving them out is worth
    #[arg(id = "no-pruning", long, action = clap::ArgAction::SetFalse)]
    pub pruning: bool,

    /// How the solver learns the order of accesses
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub encoding: Encoding,
}

impl Default for Options {
    fn default() -> Options {
        Options { context_bound: None, summaries: true, pruning: true, encoding: Encoding::Order }
    }
}
