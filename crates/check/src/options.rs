//! Options of a task: common ones, and option sets owned by single engines.

use ir::analysis::AtomicRegion;
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// The values that inputs take when an engine enumerates them instead of reasoning about them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inputs {
    /// These values (truncated to the input's width), for every input wider than eight bits; narrower ones are
    /// enumerated completely. None means a small default set.
    pub values: Option<Vec<i128>>,
    /// The user promises that inputs have no other values: the verdict needs no reservation.
    pub promised: bool,
}

/// The unrolling bound of one loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopBound {
    /// The file, or the end of its path; empty for any.
    pub file: String,
    /// The line where the loop begins.
    pub line: u32,
    /// Maximum number of iterations.
    pub iterations: u32,
}

impl std::fmt::Display for LoopBound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let colon = if self.file.is_empty() { "" } else { ":" };
        write!(f, "{}{colon}{}", self.file, self.line)
    }
}

impl std::str::FromStr for LoopBound {
    type Err = String;
    fn from_str(text: &str) -> Result<LoopBound, String> {
        let wrong = || format!("`{text}` is not of the form LINE=ITERATIONS or FILE:LINE=ITERATIONS");
        let (place, iterations) = text.rsplit_once('=').ok_or_else(wrong)?;
        let (file, line) = place.rsplit_once(':').unwrap_or(("", place));
        let iterations = iterations.parse().map_err(|_| wrong())?;
        Ok(LoopBound { file: file.to_owned(), line: line.parse().map_err(|_| wrong())?, iterations })
    }
}

/// The paths of one random run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    /// The seed of the run.
    pub seed: u64,
    /// Number of adjacent shared accesses that are examined together.
    pub window: usize,
}

impl Slice {
    /// Larger windows are much slower, smaller ones find less.
    pub const WINDOW: usize = 160;
}

/// Options that every engine understands. Each is a command-line option.
#[derive(Clone, Debug)]
pub struct Options {
    /// The values of enumerated inputs.
    pub inputs: Inputs,
    /// Treat relaxed atomics under `ra` as release-acquire, and acquire-release ones mixed with seq_cst ones as ordered
    /// by these, without reservation.
    pub strengthen_relaxed: bool,
    /// Bound on loop iterations and recursion depth. None: as much as needed, while the budget lasts.
    pub bound: Option<u32>,
    /// Bounds of individual loops.
    pub loop_bounds: Vec<LoopBound>,
    /// Search for every race, one for each pair of source lines, instead of for one.
    pub all_races: bool,
    /// Regions that should be atomic. None: inferred ones.
    pub atomic_regions: Vec<AtomicRegion>,
    /// The user promises that there is no undefined behaviour except what is asked about.
    pub assume_defined: bool,
    /// Reject proofs with premises.
    pub strict: bool,
    /// Maximum number of engines that run at the same time.
    pub jobs: usize,
    /// Options of single engines.
    pub own: OwnOptions,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            inputs: Inputs::default(),
            strengthen_relaxed: false,
            bound: None,
            loop_bounds: Vec::new(),
            all_races: false,
            atomic_regions: Vec::new(),
            assume_defined: false,
            strict: false,
            jobs: 1,
            own: OwnOptions::default(),
        }
    }
}

/// A set of options that one engine owns. Its `Debug` text is part of the cache key of answers.
pub trait OptionSet: Any + Clone + Debug + Default + Send + Sync {}

impl<T: Any + Clone + Debug + Default + Send + Sync> OptionSet for T {}

/// Option sets by type. A missing set has its default.
#[derive(Clone, Debug, Default)]
pub struct OwnOptions(Vec<Arc<dyn AnySet>>);

trait AnySet: Any + Debug + Send + Sync {
    fn as_any(&self) -> &dyn Any;
}

impl<T: OptionSet> AnySet for T {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl OwnOptions {
    /// Adds an option set.
    pub fn with<T: OptionSet>(mut self, set: T) -> OwnOptions {
        self.0.retain(|other| !(**other).as_any().is::<T>());
        self.0.push(Arc::new(set));
        self
    }

    /// The set of this type.
    pub fn get<T: OptionSet>(&self) -> T {
        let found = self.0.iter().find_map(|set| (**set).as_any().downcast_ref::<T>());
        found.cloned().unwrap_or_default()
    }
}

impl Options {
    /// The options of an engine.
    pub fn own<T: OptionSet>(&self) -> T {
        self.own.get()
    }

    /// Adds an option set of an engine.
    pub fn with<T: OptionSet>(mut self, set: T) -> Options {
        self.own = std::mem::take(&mut self.own).with(set);
        self
    }
}
