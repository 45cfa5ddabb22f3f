//! Options of a task: those that several engines read, and room for those that one engine owns.

use ir::analysis::AtomicRegion;
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// The values that inputs take when an engine enumerates them instead of reasoning about them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inputs {
    /// These values (cut to the input's width), for every input wider than eight bits; narrower ones are enumerated
    /// completely. None means a small default set.
    pub values: Option<Vec<i128>>,
    /// The user promises that inputs have no other values than these: the verdict needs no reservation.
    pub promised: bool,
}

/// How often one loop is unrolled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopBound {
    /// The file, or the end of its path; empty for any.
    pub file: String,
    /// The line where the loop begins.
    pub line: u32,
    /// How often it is unrolled.
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
    /// So many neighbouring shared accesses are examined together.
    pub window: usize,
}

impl Slice {
    /// More than this costs much more, and less finds less.
    pub const WINDOW: usize = 160;
}

/// The options that every engine understands. Each is an option of the command line.
#[derive(Clone, Debug)]
pub struct Options {
    /// What inputs are enumerated over.
    pub inputs: Inputs,
    /// Take relaxed atomics under `ra` as release-acquire, and those that do beside seq_cst ones as ordered by these, without
    /// reservation.
    pub strengthen_relaxed: bool,
    /// How often loops are unrolled and functions call themselves. None: as often as needed, while the budget lasts.
    pub bound: Option<u32>,
    /// Loops that have a bound of their own.
    pub loop_bounds: Vec<LoopBound>,
    /// Look for every race, one for each pair of source lines, instead of for one.
    pub all_races: bool,
    /// What is meant to be atomic. None: what can be inferred.
    pub atomic_regions: Vec<AtomicRegion>,
    /// The user promises that nothing undefined happens but what is asked about.
    pub assume_defined: bool,
    /// A proof that has premises is none.
    pub strict: bool,
    /// How many engines may run at the same time.
    pub jobs: usize,
    /// The options that single engines own.
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

/// A set of options that one engine owns. Its `Debug` text is part of what answers are cached by.
pub trait OptionSet: Any + Clone + Debug + Default + Send + Sync {}

impl<T: Any + Clone + Debug + Default + Send + Sync> OptionSet for T {}

/// Option sets by their type. A set that was not given is the default one.
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
    /// These options, with another set.
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
    /// The options that an engine owns.
    pub fn own<T: OptionSet>(&self) -> T {
        self.own.get()
    }

    /// These options, with another set for one engine.
    pub fn with<T: OptionSet>(mut self, set: T) -> Options {
        self.own = std::mem::take(&mut self.own).with(set);
        self
    }
}
