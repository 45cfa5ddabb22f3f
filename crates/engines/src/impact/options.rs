//! Options of `impact`. No answer depends on them, except through the time it takes.

use clap::{Args, ValueEnum};

/// Which threads need not be expanded at a node of the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Reduction {
    /// All are expanded
    None,
    /// Those whose next step touches other objects than the last one are skipped
    Static,
    /// And those whose next step touches another part of the same object, as far as that can be shown
    #[default]
    Dynamic,
}

/// Which node is expanded next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum SearchOrder {
    /// The newest
    #[default]
    Depth,
    /// The one with the shortest path
    Breadth,
    /// The one where a thread is nearest to what the property is about
    Distance,
}

/// After how many refinements the variables that these depend on are tracked explicitly, if at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TrackAfter(pub Option<u32>);

impl TrackAfter {
    /// The default.
    pub const DEFAULT: TrackAfter = TrackAfter(Some(150));
}

impl std::str::FromStr for TrackAfter {
    type Err = String;

    fn from_str(text: &str) -> Result<TrackAfter, String> {
        if text == "never" {
            return Ok(TrackAfter(None));
        }
        text.parse().map(|count| TrackAfter(Some(count))).map_err(|_| format!("`{text}` is neither a number nor never"))
    }
}

impl std::fmt::Display for TrackAfter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(count) => count.fmt(f),
            None => f.write_str("never"),
        }
    }
}

/// The options.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engine impact")]
#[group(skip)]
pub struct Options {
    /// Which threads need not be expanded at a node: none, those whose next step touches other objects than the last one
    /// (static), and those that touch another part of the same object, as far as that can be shown (dynamic)
    #[arg(id = "por", long, value_name = "WHICH", value_enum, default_value_t)]
    pub reduction: Reduction,

    /// Do not try to strengthen nodes so that others cover them
    #[arg(id = "no-force-cover", long, action = clap::ArgAction::SetFalse)]
    pub force_cover: bool,

    /// Which node is expanded next
    #[arg(id = "search", long, value_name = "ORDER", value_enum, default_value_t)]
    pub order: SearchOrder,

    /// After N refinements, track the variables that they depend on explicitly, and counters of loops at once; never: leave
    /// everything to labels
    #[arg(long, alias = "tell-after", value_name = "N|never", default_value_t = TrackAfter::DEFAULT)]
    pub track_after: TrackAfter,

    /// Check a finished proof anew, edge by edge, with a fresh solver
    #[arg(long)]
    pub check_proof: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            reduction: Reduction::default(),
            force_cover: true,
            order: SearchOrder::default(),
            track_after: TrackAfter::DEFAULT,
            check_proof: false,
        }
    }
}
