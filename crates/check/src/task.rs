//! What is asked of an engine.

use crate::verdict::{Counterexample, Verdict};
use base::{Budget, Stats};
use ir::analysis::AtomicRegion;
use ir::{EdgeId, Expr, FunctionId, MemoryModel, Program, Property, Stmt};
use std::collections::BTreeSet;

/// The values that inputs take when an engine enumerates them instead of reasoning about them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inputs {
    /// These values (cut to the input's width), for every input wider than eight bits; narrower ones are enumerated
    /// completely. None means a small default set.
    pub values: Option<Vec<i128>>,
    /// The user promises that inputs have no other values than these: the verdict needs no reservation.
    pub promised: bool,
}

/// How the order of events is told to the solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// As a theory of orders inside the search.
    #[default]
    Order,
    /// As plain clauses, with a clock for each event.
    Clocks,
}

/// What of `staged` can be switched off or replaced to measure what it is worth. No answer depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Modes {
    /// Whether functions are summarised, where they can be, instead of being executed at each call.
    pub summaries: bool,
    /// Whether pairs that cannot be are left out of link sets.
    pub pruning: bool,
    /// How the order of events is told to the solver.
    pub encoding: Encoding,
}

impl Default for Modes {
    fn default() -> Modes {
        Modes { summaries: true, pruning: true, encoding: Encoding::Order }
    }
}

/// Which threads `impact` need not expand at a node of its tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reduction {
    /// All are expanded.
    None,
    /// Those are skipped whose next step touches other objects than the last one.
    Static,
    /// And those whose next step touches another part of the same object, as far as that can be shown.
    #[default]
    Dynamic,
}

/// Which node `impact` looks at next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SearchOrder {
    /// The newest.
    #[default]
    Depth,
    /// The one with the shortest path.
    Breadth,
    /// The one where a thread is nearest to what the property is about.
    Distance,
}

/// How `impact` searches. No answer depends on it, except through the time it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImpactModes {
    /// Which threads need not be expanded.
    pub reduction: Reduction,
    /// Whether nodes are made to be covered by others.
    pub force_cover: bool,
    /// Which node is next.
    pub order: SearchOrder,
    /// After how many refinements the values of variables that they depend on are told explicitly in nodes, if at all; those
    /// of loops that labels would unroll are told at once then.
    pub tell_after: Option<u32>,
    /// Whether a finished proof is checked anew with a fresh solver.
    pub check_proof: bool,
}

impl ImpactModes {
    /// After so many refinements values are told, unless something else is asked for.
    pub const TELL_AFTER: u32 = 150;
}

impl Default for ImpactModes {
    fn default() -> ImpactModes {
        ImpactModes {
            reduction: Reduction::default(),
            force_cover: true,
            order: SearchOrder::default(),
            tell_after: Some(ImpactModes::TELL_AFTER),
            check_proof: false,
        }
    }
}

/// From which side `tar` approximates what a thread's environment does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TarAlgorithm {
    /// There is no predicate abstraction: facts only.
    Facts,
    /// From below: assumptions start empty and grow.
    #[default]
    Below,
    /// From above: other threads take their steps from anywhere.
    Above,
}

/// What `tar` assumes of a thread's environment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TarAssumptions {
    /// From where variables are written; if that is not enough, from where and what.
    #[default]
    Both,
    /// From where variables are written.
    Havoc,
    /// From where, and what.
    Relational,
}

/// How `tar` works.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TarModes {
    /// Whether the arguments that need no predicates are left out.
    pub no_facts: bool,
    /// How environments are approximated.
    pub algorithm: TarAlgorithm,
    /// What is assumed of them.
    pub assumptions: TarAssumptions,
}

/// How interference abstractions are refined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Everything is told at once.
    Full,
    /// Link sets are full; what they mean is told when a model violates it.
    Over,
    /// Link sets are small, and told; they grow when a proof rests on them.
    Under,
    /// Small link sets, told when a model violates them.
    #[default]
    Mixed,
}

/// How interference is told to the solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    /// Reads-from and write order as relations of the order theory, from which from-reads follow.
    #[default]
    Order,
    /// Time stamps that are compared, and a clause for each read, its write and each write that competes.
    Clock,
}

/// Where the refinement of interference abstractions is led, each of which can be switched off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Focus {
    /// S0: pairs that cannot be are left out of link sets.
    pub pruning: bool,
    /// S1: link sets begin with what certainly comes before, and what synchronises is told first.
    pub biased: bool,
    /// S2a: no lock is taken from who has taken it.
    pub lock_links: bool,
    /// S2b: critical sections of one lock are ordered as a whole.
    pub lock_orders: bool,
    /// S3: of who reads from whom, the order is told at once.
    pub orders: bool,
}

impl Default for Focus {
    fn default() -> Focus {
        Focus { pruning: true, biased: true, lock_links: true, lock_orders: true, orders: false }
    }
}

/// A part of a program's interference that is looked at without refinement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preset {
    /// What synchronises is told, all other reads find anything. What holds so, holds.
    ControlState,
    /// Reads find what their own thread or one that ended before it left. What is violated so, is violated.
    Serial,
    /// The same but for a few reads.
    LargelySerial,
}

/// What interference abstractions are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Interference {
    /// How they are refined.
    pub mode: Mode,
    /// How interference is told to the solver.
    pub form: Form,
    /// Where refinement is led.
    pub focus: Focus,
    /// A part of the program's interference, without refinement.
    pub preset: Option<Preset>,
    /// Whether the loop is told.
    pub is_told: bool,
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

/// What an engine may be told. Every option here is an option of the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// What inputs are enumerated over.
    pub inputs: Inputs,
    /// Whether exploration merges thread-local steps.
    pub reduction: bool,
    /// Take relaxed atomics under `ra` as release-acquire, and those that do beside seq_cst ones as ordered by these, without
    /// reservation.
    pub strengthen_relaxed: bool,
    /// Stop exploring a run after this many steps.
    pub max_depth: Option<u64>,
    /// How often loops are unrolled and functions call themselves. None: as often as needed, while the budget lasts.
    pub bound: Option<u32>,
    /// Loops that have a bound of their own.
    pub loop_bounds: Vec<LoopBound>,
    /// Look for every race, one for each pair of source lines, instead of for one.
    pub all_races: bool,
    /// What is meant to be atomic. None: what can be inferred.
    pub atomic_regions: Vec<AtomicRegion>,
    /// Look only at the paths of one random run.
    pub slice: Option<Slice>,
    /// How precise abstract interpretation is, from 1. None: ever more precise, until nothing is left to prove.
    pub precision: Option<u8>,
    /// Look only for runs in which threads take turns at most so often. None: for all.
    pub context_bound: Option<u32>,
    /// The user promises that nothing undefined happens but what is asked about.
    pub assume_defined: bool,
    /// Look only for races on the variable with this name.
    pub on: Option<String>,
    /// How many engines may run at the same time.
    pub jobs: usize,
    /// What is measured.
    pub modes: Modes,
    /// How `impact` searches.
    pub impact: ImpactModes,
    /// How interference abstractions work.
    pub interference: Interference,
    /// How `tar` works.
    pub tar: TarModes,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            inputs: Inputs::default(),
            reduction: true,
            strengthen_relaxed: false,
            max_depth: None,
            bound: None,
            loop_bounds: Vec::new(),
            all_races: false,
            atomic_regions: Vec::new(),
            slice: None,
            precision: None,
            context_bound: None,
            assume_defined: false,
            on: None,
            jobs: 1,
            modes: Modes::default(),
            impact: ImpactModes::default(),
            interference: Interference::default(),
            tar: TarModes::default(),
        }
    }
}

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
    /// The numbers.
    pub stats: Stats,
}

/// What was proved of a task, for others who are asked the same. Each fact is true of every run as the reference interpreter
/// has it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// Assertions that no run violates first.
    pub holds: BTreeSet<(FunctionId, EdgeId)>,
    /// Statements whose accesses race with nothing in any run.
    pub race_free: BTreeSet<(FunctionId, EdgeId)>,
    /// Statements that no run executes.
    pub unreached: BTreeSet<(FunctionId, EdgeId)>,
}

/// How much was proved for others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Proved {
    /// So many assertions.
    pub assertions: usize,
    /// So many of the user's accesses to race with nothing.
    pub race_free: usize,
    /// Of so many.
    pub accesses: usize,
    /// So many of the user's statements to be never executed.
    pub unreached: usize,
}

impl Facts {
    /// The program without what is proved; none if that is nothing. Its runs to a violation are those of the whole program.
    pub fn without(&self, program: &Program) -> Option<Program> {
        if *self == Facts::default() {
            return None;
        }
        // One assertion stays: a program that has none is safe for another reason.
        let is_last = program.assertions().all(|at| self.holds.contains(&at));
        let mut program = program.clone();
        for (function, edge) in self.holds.iter().skip(usize::from(is_last)) {
            program.functions[*function].edges[*edge].stmt = Stmt::Skip;
        }
        for (function, edge) in &self.unreached {
            let stmt = &mut program.functions[*function].edges[*edge].stmt;
            if may_be_cut(stmt) {
                *stmt = Stmt::Assume(Expr::Int { width: 1, value: 0 });
            }
        }
        program.race_free.extend(&self.race_free);
        Some(program)
    }

    /// Adds what somebody else has proved.
    pub fn extend(&mut self, other: &Facts) {
        self.holds.extend(&other.holds);
        self.race_free.extend(&other.race_free);
        self.unreached.extend(&other.unreached);
    }

    /// How much it is, of a program.
    pub fn count(&self, program: &Program) -> Proved {
        let is_users =
            |(function, edge): &(FunctionId, EdgeId)| program.is_users(program.functions[*function].edges[*edge].span);
        let cut = self.unreached.iter().filter(|(function, edge)| {
            let edge = &program.functions[*function].edges[*edge];
            program.is_users(edge.span) && may_be_cut(&edge.stmt)
        });
        let accesses = program.accesses().filter(is_users).count();
        Proved {
            assertions: self.holds.len(),
            race_free: self.race_free.iter().filter(|at| is_users(at)).count(),
            accesses: if self.race_free.is_empty() { 0 } else { accesses },
            unreached: cut.count(),
        }
    }
}

/// Whether a statement that is never executed can be replaced by the end of the run. Of branches one can always be taken, and
/// only what ends a function leads to its exit. What could fail, or is not modelled, stays: a program without it is
/// safe at once, even if what it does is undefined.
fn may_be_cut(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Skip
        | Stmt::Assume(_)
        | Stmt::Assert { .. }
        | Stmt::Unmodelled(_)
        | Stmt::Return(_)
        | Stmt::ExitThread(_)
        | Stmt::Exit => false,
        Stmt::Assign { .. }
        | Stmt::Havoc { .. }
        | Stmt::Load { .. }
        | Stmt::Store { .. }
        | Stmt::Rmw { .. }
        | Stmt::CompareExchange { .. }
        | Stmt::Fence(_)
        | Stmt::Copy { .. }
        | Stmt::Set { .. }
        | Stmt::Alloc { .. }
        | Stmt::Free { .. }
        | Stmt::Expire { .. }
        | Stmt::Call { .. }
        | Stmt::NewThread { .. }
        | Stmt::Spawn { .. }
        | Stmt::Join { .. }
        | Stmt::Detach { .. }
        | Stmt::Lock { .. }
        | Stmt::Unlock { .. }
        | Stmt::Await { .. }
        | Stmt::AtomicBegin { .. }
        | Stmt::AtomicEnd { .. } => true,
    }
}

impl Outcome {
    /// A verdict with one violation at most.
    pub fn new(verdict: Verdict, stats: Stats) -> Outcome {
        Outcome { verdict, others: Vec::new(), facts: Facts::default(), stats }
    }
}

/// A method that answers tasks.
pub trait Engine: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;
    /// One line about it, for `--help`.
    fn about(&self) -> &'static str;
    /// Answers a task. Limits end in `unknown`, never in a panic or an endless run.
    fn run(&self, task: &Task<'_>) -> Outcome;
}
