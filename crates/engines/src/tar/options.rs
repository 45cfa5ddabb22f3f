//! Options of `tar`.

use clap::{Args, ValueEnum};

/// From which side the environment of a thread is approximated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Algorithm {
    /// There is no predicate abstraction: facts only
    Facts,
    /// From below: assumptions start empty and grow
    #[default]
    #[value(name = "tar")]
    Below,
    /// From above: other threads take their steps from anywhere
    #[value(name = "b")]
    Above,
}

/// What is assumed of a thread's environment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Assumptions {
    /// Havoc, and relational where that is not enough
    #[default]
    Both,
    /// From where it writes a variable
    Havoc,
    /// From where, and what
    Relational,
}

/// The options.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Engine tar")]
#[group(skip)]
pub struct Options {
    /// The one variable that is asked about: `--on` of `check`.
    #[arg(skip)]
    pub on: Option<String>,

    /// How the environment of a thread is approximated: by nothing that depends on values (facts), from below, starting
    /// empty (tar), or from above (b, which proves less)
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    pub algorithm: Algorithm,

    /// What is assumed of a thread's environment: from where it writes a variable (havoc), or from where and what
    /// (relational)
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub assumptions: Assumptions,

    /// Leave out the arguments that need no predicates, to measure what they are worth
    #[arg(long)]
    pub no_facts: bool,
}
