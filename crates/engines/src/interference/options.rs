//! Options of `interference`.

use clap::{Args, ValueEnum};

/// How interference abstractions are refined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Mode {
    /// Everything is asserted at once
    Full,
    /// Link sets are full; what they mean is asserted when a model violates it
    Over,
    /// Link sets are small, and asserted; they grow when a proof rests on them
    Under,
    /// Small link sets, asserted when a model violates them
    #[default]
    Mixed,
}

/// How interference is expressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Form {
    /// Reads-from and write order as relations of the order theory, from which from-reads follow
    #[default]
    Order,
    /// Time stamps that are compared, and a clause for each read, its write and each write that competes (sc only)
    Clock,
}

/// What leads the refinement; section 7 of the paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FocusName {
    /// Impossible pairs are left out of link sets
    S0,
    /// Link sets begin with what certainly comes before, and what synchronises is asserted first
    S1,
    /// An acquire never reads from another acquire
    S2a,
    /// Critical sections of one lock are ordered as a whole
    S2b,
    /// The order of all pairs is asserted at once
    S3,
    /// Nothing
    None,
}

/// A part of a program's interference that is looked at without refinement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Preset {
    /// What synchronises is asserted, all other reads find anything: never a violation that rests on values
    ControlState,
    /// Reads find what their own thread or one that ended before it left
    Serial,
    /// The same but for a few reads
    LargelySerial,
}

/// The options.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engine interference")]
#[group(skip)]
pub struct Options {
    /// What the solver is given at first, and what later
    #[arg(long, value_name = "MODE", value_enum, default_value_t)]
    pub mode: Mode,

    /// How interference is expressed
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    pub form: Form,

    /// What leads the refinement
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "s0,s1,s2a,s2b")]
    pub focus: Vec<FocusName>,

    /// Look at a part of the interference, without refinement: what is not decided so is unknown
    #[arg(long, value_name = "PART", value_enum)]
    pub preset: Option<Preset>,

    /// Print how the answer was found, round by round, on standard error
    #[arg(long)]
    pub trace_refinement: bool,
}

impl Default for Options {
    fn default() -> Options {
        use FocusName::{S2a, S2b, S0, S1};
        let focus = vec![S0, S1, S2a, S2b];
        Options { mode: Mode::default(), form: Form::default(), focus, preset: None, trace_refinement: false }
    }
}

impl Options {
    /// The focus as Booleans.
    pub(super) fn switches(&self) -> Focus {
        let has = |name| self.focus.contains(&name);
        Focus {
            pruning: has(FocusName::S0),
            biased: has(FocusName::S1),
            lock_links: has(FocusName::S2a),
            lock_orders: has(FocusName::S2b),
            orders: has(FocusName::S3),
        }
    }
}

/// The parts of the focus (section 7), as Booleans.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Focus {
    /// S0.
    pub(super) pruning: bool,
    /// S1.
    pub(super) biased: bool,
    /// S2a. Unsound as printed for locks that are never released; here a thread may stay where it waits.
    pub(super) lock_links: bool,
    /// S2b, exact, so that locks need no link sets.
    pub(super) lock_orders: bool,
    /// S3.
    pub(super) orders: bool,
}
