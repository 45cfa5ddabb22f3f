//! What single engines may be told on the command line.

use check::LoopBound;
use clap::{Args, ValueEnum};

/// What the engine `staged` may be told.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engine options (staged)")]
pub(crate) struct StagedArgs {
    /// Look only for runs of at most K contexts, a context being a stretch of one thread's shared accesses without one
    /// of another in between; if there is no violation, the answer is unknown (unreach, locks, memory)
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) context_bound: Option<u32>,

    /// Unroll the loop that begins at this line so often, whatever --bound says; several are separated by commas
    #[arg(long, value_name = "[FILE:]LINE=K", value_delimiter = ',')]
    pub(crate) bound_loop: Vec<LoopBound>,

    /// Report every race instead of one: a run for each pair of source lines that race, as far as loops are unrolled
    /// when the first is found (race)
    #[arg(long)]
    pub(crate) all_races: bool,

    /// Execute every function at each call instead of summarising those that can be, to measure what that is worth
    #[arg(long)]
    pub(crate) no_summaries: bool,

    /// Do not leave impossible pairs of reads and writes out, to measure what that is worth
    #[arg(long)]
    pub(crate) no_pruning: bool,

    /// How the solver is told about the order of accesses
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub(crate) encoding: Encoding,
}

/// What the engine `impact` may be told.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engine options (impact)")]
pub(crate) struct ImpactArgs {
    /// Which threads need not be expanded at a node: none, those whose next step touches other objects than the last one
    /// (static), and those that touch another part of the same object, as far as that can be shown (dynamic)
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    pub(crate) por: Por,

    /// Do not try to make nodes coverable by others
    #[arg(long)]
    pub(crate) no_force_cover: bool,

    /// Which node is looked at next
    #[arg(long, value_name = "ORDER", value_enum, default_value_t)]
    pub(crate) search: SearchOrder,

    /// After so many refinements, tell the values of variables that they depend on explicitly, and those of counters of loops
    /// at once; never: leave everything to labels
    #[arg(long, value_name = "N|never", default_value = "150", value_parser = parse_tell_after)]
    pub(crate) tell_after: TellAfter,

    /// Check a finished proof anew, edge by edge, with a fresh solver
    #[arg(long)]
    pub(crate) check_proof: bool,
}

/// After how many refinements values are told, if at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TellAfter(Option<u32>);

fn parse_tell_after(text: &str) -> Result<TellAfter, String> {
    if text == "never" {
        return Ok(TellAfter(None));
    }
    text.parse().map(|count| TellAfter(Some(count))).map_err(|_| format!("`{text}` is neither a number nor never"))
}

impl ImpactArgs {
    /// The same as options of engines.
    pub(crate) fn modes(&self) -> check::ImpactModes {
        check::ImpactModes {
            reduction: match self.por {
                Por::None => check::Reduction::None,
                Por::Static => check::Reduction::Static,
                Por::Dynamic => check::Reduction::Dynamic,
            },
            force_cover: !self.no_force_cover,
            order: match self.search {
                SearchOrder::Depth => check::SearchOrder::Depth,
                SearchOrder::Breadth => check::SearchOrder::Breadth,
                SearchOrder::Distance => check::SearchOrder::Distance,
            },
            tell_after: self.tell_after.0,
            check_proof: self.check_proof,
        }
    }
}

/// Which threads need not be expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Por {
    /// All are expanded
    None,
    /// By object
    Static,
    /// By part of an object
    #[default]
    Dynamic,
}

/// Which node is looked at next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum SearchOrder {
    /// The newest
    #[default]
    Depth,
    /// The one with the shortest path
    Breadth,
    /// The one where a thread is nearest to what the property is about
    Distance,
}

/// How the solver is told about the order of accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Encoding {
    /// As a theory of orders inside the search
    #[default]
    Order,
    /// As clauses, with a clock for each access: to measure what the theory is worth
    Clocks,
}

/// What the engine `tar` may be told.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engine options (tar)")]
pub(crate) struct TarArgs {
    /// How the environment of a thread is approximated: by nothing that depends on values (facts), from below, starting
    /// empty (tar), or from above (b, which proves less)
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    pub(crate) algorithm: Algorithm,

    /// What is assumed of a thread's environment: from where it writes a variable (havoc), or from where and what
    /// (relational)
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub(crate) assumptions: Assumptions,

    /// Leave out the arguments that need no predicates, to measure what they are worth
    #[arg(long)]
    pub(crate) no_facts: bool,
}

impl TarArgs {
    /// The same as options of engines.
    pub(crate) fn modes(&self) -> check::TarModes {
        check::TarModes {
            no_facts: self.no_facts,
            algorithm: match self.algorithm {
                Algorithm::Facts => check::TarAlgorithm::Facts,
                Algorithm::Tar => check::TarAlgorithm::Below,
                Algorithm::B => check::TarAlgorithm::Above,
            },
            assumptions: match self.assumptions {
                Assumptions::Both => check::TarAssumptions::Both,
                Assumptions::Havoc => check::TarAssumptions::Havoc,
                Assumptions::Relational => check::TarAssumptions::Relational,
            },
        }
    }
}

/// How the environment of a thread is approximated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Algorithm {
    /// There is no predicate abstraction
    Facts,
    /// From below
    #[default]
    Tar,
    /// From above
    B,
}

/// What is assumed of a thread's environment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Assumptions {
    /// Havoc, and relational where that is not enough
    #[default]
    Both,
    /// From where it writes a variable
    Havoc,
    /// From where, and what
    Relational,
}

/// What the engine `interference` may be told.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engine options (interference)")]
pub(crate) struct InterferenceArgs {
    /// What the solver is told at first, and what later
    #[arg(long, value_name = "MODE", value_enum, default_value_t)]
    pub(crate) mode: Mode,

    /// How the solver is told about interference
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    pub(crate) form: Form,

    /// What leads the refinement: s0 (impossible pairs are left out), s1 (link sets begin with what certainly comes first), s2a
    /// (no lock is taken from who took it), s2b (critical sections are ordered as a whole), s3 (the order of all pairs
    /// is told at once); or none
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "s0,s1,s2a,s2b")]
    pub(crate) focus: Vec<FocusName>,

    /// Look at a part of the interference, without refinement: what is not decided so is unknown
    #[arg(long, value_name = "PART", value_enum)]
    pub(crate) preset: Option<Preset>,

    /// Tell how the answer was found, round by round, on standard error
    #[arg(long)]
    pub(crate) trace_refinement: bool,
}

impl InterferenceArgs {
    /// What the engine is told.
    pub(crate) fn options(&self) -> check::Interference {
        let has = |name: FocusName| self.focus.contains(&name);
        check::Interference {
            mode: match self.mode {
                Mode::Full => check::Mode::Full,
                Mode::Over => check::Mode::Over,
                Mode::Under => check::Mode::Under,
                Mode::Mixed => check::Mode::Mixed,
            },
            form: match self.form {
                Form::Order => check::Form::Order,
                Form::Clock => check::Form::Clock,
            },
            focus: check::Focus {
                pruning: has(FocusName::S0),
                biased: has(FocusName::S1),
                lock_links: has(FocusName::S2a),
                lock_orders: has(FocusName::S2b),
                orders: has(FocusName::S3),
            },
            preset: self.preset.map(|preset| match preset {
                Preset::ControlState => check::Preset::ControlState,
                Preset::Serial => check::Preset::Serial,
                Preset::LargelySerial => check::Preset::LargelySerial,
            }),
            is_told: self.trace_refinement,
        }
    }
}

/// What the solver is told at first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Mode {
    /// Everything
    Full,
    /// Nothing; what is violated is told
    Over,
    /// Small link sets; they grow where a proof rests on them
    Under,
    /// Small link sets without what they mean; both grow as needed
    #[default]
    Mixed,
}

/// How the solver is told about interference.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Form {
    /// As relations of the theory of orders
    #[default]
    Order,
    /// As time stamps that are compared, with a clause for each write that competes (sc only)
    Clock,
}

/// What leads the refinement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum FocusName {
    S0,
    S1,
    S2a,
    S2b,
    S3,
    None,
}

/// A part of a program's interference.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Preset {
    /// What synchronises; other reads find anything: never a violation that rests on values
    ControlState,
    /// Reads find what their own thread left, or what was there before
    Serial,
    /// The same but for two reads
    LargelySerial,
}
