//! Options of `priori`.

use clap::Args;

/// The options.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Engine priori")]
#[group(skip)]
pub struct Options {
    /// How precise the analysis is: 1 orders of stores, latest ones only; 2 and read-modify-writes; 3 and all stores,
    /// several values for each order; 4 and octagons, loops unrolled; without it, 2 to 4 until nothing is left to prove
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(1..=4))]
    pub precision: Option<u8>,
}
