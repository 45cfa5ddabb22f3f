//! The command line's grammar and its help texts, from which the man pages and completions are generated too.

mod values;

use crate::output::Color;
use check::{LoopBound, OwnOptions};
use clap::{Args, Parser, Subcommand, ValueEnum};
use front::Libc;
use ir::analysis::AtomicRegion;
use ir::{DataModel, MemoryModel, Property};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use values::{
    parse_data_model, parse_engine, parse_libc, parse_memory_model, parse_properties, parse_property, parse_seconds,
    parse_size, parse_slice,
};

const LONG_ABOUT: &str = "\
Heddle proves multithreaded C programs correct, or shows the interleaving that breaks them.

`heddle check` compiles the program with clang, lowers it to a small core form and answers, for each property asked \
and the chosen memory model: safe (proved for all executions), unsafe (with an execution that was replayed step by step \
in the reference interpreter) or unknown (with the reasons). It never guesses: what is not modelled, cut off or assumed \
makes the answer unknown.";

const AFTER_HELP: &str = "\
Exit status:
  0  safe: every property asked holds
  1  unsafe: a property is violated
  2  unknown: neither was shown, or the run was stopped
  3  bad usage or input: a missing file, a program that does not compile
  4  internal error: a defect of Heddle

Environment:
  NO_COLOR        no colours unless --color=always
  COLUMNS         the width of reports that do not go to a terminal
  RUST_BACKTRACE  1: show where an internal error happened

Examples:
  heddle check bank.c
  heddle check --property race,deadlock --timeout 60 server.c queue.c -I include
  heddle check --memory-model tso --trace-out bug.trace peterson.c
  heddle replay peterson.c bug.trace";

/// Verifies multithreaded C programs, or shows the interleaving that breaks them.
#[derive(Parser, Debug)]
#[command(name = "heddle", version, long_about = LONG_ABOUT, after_help = AFTER_HELP)]
#[command(subcommand_required = true, arg_required_else_help = true, disable_help_subcommand = true)]
#[command(max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Check(Box<CheckArgs>),
    Lab(Box<LabArgs>),
    Run(RunArgs),
    Replay(ReplayArgs),
    Ir(IrArgs),
    Invariants(InvariantsArgs),
    Skeleton(SkeletonArgs),
    Tree(TreeArgs),
    Bench(BenchArgs),
    Smt2(Smt2Args),
    SvComp(SvCompArgs),
    Validate(ValidateArgs),
    Init(InitArgs),
    Man(ManArgs),
    Completions(CompletionsArgs),
}

/// How programs are loaded.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Program")]
pub(crate) struct LoadArgs {
    /// The sizes of long and pointers: ilp32 (as -m32) or lp64 (as -m64) [default: lp64; that of the file for .ll, .bc]
    #[arg(long, value_name = "MODEL", value_parser = parse_data_model)]
    pub(crate) data_model: Option<DataModel>,

    /// The function the program starts at; where several files have one of that name, FILE:FUNCTION, for which the end of the
    /// file's path will do [default: main]
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) entry: Option<String>,

    /// The project that the files belong to: a directory with compile_commands.json, or such a file. It says how each file is
    /// compiled, and what is called but not defined in the files named is taken from its other files; without files, the one that
    /// defines the entry function comes first
    #[arg(short, long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,

    /// Look for included files here
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,

    /// Define a macro
    #[arg(short = 'D', value_name = "MACRO[=VALUE]")]
    pub(crate) define: Vec<String>,

    /// Undefine a macro
    #[arg(short = 'U', value_name = "MACRO")]
    pub(crate) undefine: Vec<String>,

    /// The language standard, as clang names it; -std=STANDARD means the same
    #[arg(long = "std", value_name = "STANDARD")]
    pub(crate) standard: Option<String>,

    /// 32- or 64-bit types: -m32, -m64
    #[arg(short = 'm', value_name = "BITS", value_parser = ["32", "64"], conflicts_with = "data_model")]
    pub(crate) bits: Option<String>,

    /// Whose promises about thread safety count: standard (C11 and POSIX), or glibc (its manual, which promises more) [default:
    /// standard; sv-comp and validate take every function for thread-safe]
    #[arg(long, value_name = "LIBRARY", value_parser = parse_libc)]
    pub(crate) libc: Option<Libc>,

    /// Further arguments for clang
    #[arg(last = true, value_name = "CLANG ARGUMENT")]
    pub(crate) clang_args: Vec<String>,
}

impl LoadArgs {
    /// The data model that was asked for, if one was.
    pub(crate) fn data_model(&self) -> Option<DataModel> {
        match self.bits.as_deref() {
            Some("32") => Some(DataModel::Ilp32),
            Some(_) => Some(DataModel::Lp64),
            None => self.data_model,
        }
    }

    /// The C library that was asked for, if it is not the default, for traces.
    pub(crate) fn libc_name(&self) -> Option<String> {
        self.libc.filter(|libc| *libc != Libc::default()).map(|libc| libc.name().to_owned())
    }

    /// Options for clang.
    pub(crate) fn clang_args(&self) -> Vec<String> {
        let with = |prefix: &'static str, items: &[String]| -> Vec<String> {
            items.iter().map(|item| format!("{prefix}{item}")).collect()
        };
        let mut args: Vec<String> = self.include.iter().map(|dir| format!("-I{}", dir.display())).collect();
        args.extend(with("-D", &self.define));
        args.extend(with("-U", &self.undefine));
        args.extend(self.standard.iter().map(|standard| format!("-std={standard}")));
        args.extend(self.clang_args.iter().cloned());
        args
    }
}

/// Which values inputs take.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "What to check")]
pub(crate) struct InputArgs {
    /// The values tried of inputs that have more than 256 values and are not only compared with constants [default: 0, 1, 2
    /// and -1]
    #[arg(long, value_name = "VALUES", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) inputs: Option<Vec<i128>>,
}

/// Proves properties of a program, or shows a run that violates them
///
/// Each property is decided on its own. The report has one part per property: `safe`, with the number of states
/// visited; `unsafe`, with the run, drawn in one column per thread; or `unknown`, with every reason.
///
/// Plain (non-atomic) accesses are machine accesses of the chosen memory model; the property `race` is where C's
/// undefined behaviour is judged.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Exit status: 0 safe, 1 unsafe, 2 unknown, 3 bad usage or input, 4 internal error. With several properties: the worst, \
unsafe before unknown before safe.

Properties:
  unreach   no assertion fails, no error function (reach_error, __VERIFIER_error) is called
  race      no data race: conflicting accesses, not both atomic, not ordered by happens-before
  deadlock  no state where the process is alive, a thread is blocked and none can move
  locks     no misuse of a lock: unlocking what one does not hold, relocking, destroying while held
  memory    no invalid access: out of bounds, null, after free, freed twice
  atomicity no access of another thread between two that are meant to be one, such that no serial order explains the three \
(sc only; `all` leaves it out)

Inputs are what __VERIFIER_nondet_* functions return and what is not initialised. All values of an input with up to 256 \
of them are tried. Of a variable that is only compared with constants, one value for each outcome of the comparisons is \
tried. Neither needs a reservation. Of any other input only 0, 1, 2 and -1, or the values of --inputs, are tried: a \
violation found so is real, but what would be safe is unknown, unless --inputs-promised rules other values out.

Settings: heddle.toml, in the working directory or the nearest one above it, has a table [check] with these options by their \
long names, as `heddle init` writes it; paths in it are relative to it, and what is said on the command line counts instead.

Examples:
  heddle check bank.c
  heddle check -p build --entry test_queue --baseline heddle.baseline
  heddle check --property all --timeout 60 --memory-limit 2G server.c
  heddle check --memory-model ra --format json -o report.json queue.c -- -DSIZE=2
  heddle check --property race --html report.html --sarif report.sarif server.c")]
pub(crate) struct CheckArgs {
    /// The program: .c, .i, .cc, .cpp, .ll, .bc; several files are linked
    #[arg(required_unless_present = "project", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// What to decide: unreach, race, deadlock, locks, memory, atomicity, separated by commas, or all (but atomicity)
    #[arg(long, value_name = "LIST", default_value = "unreach", value_parser = parse_properties, help_heading = "What to check")]
    pub(crate) property: PropertyList,

    /// The memory model: sc, tso, pso or ra
    #[arg(long, alias = "model", value_name = "MODEL", default_value = "sc", value_parser = parse_memory_model, help_heading = "What to check")]
    pub(crate) memory_model: MemoryModel,

    /// What is meant to be atomic: a function's name, or lines as FILE:FIRST-LAST; several are separated by commas. Without it
    /// pairs of accesses are inferred (atomicity)
    #[arg(long, value_name = "REGION", value_delimiter = ',', help_heading = "What to check")]
    pub(crate) atomic_region: Vec<AtomicRegion>,

    /// Report every race instead of one: a run for each pair of source lines that race, as far as loops are unrolled
    /// when the first is found (race)
    #[arg(long, help_heading = "What to check")]
    pub(crate) all_races: bool,

    /// Prove only that there is no race on the variable with this name, or on `NAME of FUNCTION` (engine tar, property race)
    #[arg(long, value_name = "NAME", help_heading = "What to check")]
    pub(crate) on: Option<String>,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// Promise that inputs with more than 256 values have no others than those of --inputs: only these are tried, and the
    /// verdict depends on no other
    #[arg(long, requires = "inputs", help_heading = "What to check")]
    pub(crate) inputs_promised: bool,

    /// Under ra, take relaxed atomics as release-acquire, and acquire and release ones as ordered by seq_cst ones, without
    /// reservation
    #[arg(long, help_heading = "What to check")]
    pub(crate) assume_ra: bool,

    /// Assume that nothing undefined happens but what is asked about (engine tar, race and unreach)
    #[arg(long, help_heading = "What to check")]
    pub(crate) assume_defined: bool,

    /// Accept no premises: a proof that assumes anything beyond the standards is unknown (docs/semantics.md lists the premises)
    #[arg(long, help_heading = "What to check")]
    pub(crate) strict: bool,

    /// Stop after this many seconds, loading included; what is not decided by then is unknown
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = parse_seconds, help_heading = "Limits")]
    pub(crate) timeout: Option<Duration>,

    /// Stop when this much memory is used: 500M, 4G [default: four fifths of the machine's]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, value_parser = parse_size, help_heading = "Limits")]
    pub(crate) memory_limit: Option<u64>,

    /// How many engines may run at the same time (auto) [default: as many as there are processors]
    #[arg(short, long, value_name = "N", overrides_with = "jobs", help_heading = "Limits")]
    pub(crate) jobs: Option<std::num::NonZeroUsize>,

    #[command(flatten)]
    pub(crate) load: LoadArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    /// Keep the counterexample in this file, for `heddle replay`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) trace_out: Option<PathBuf>,

    /// Add the numbers of the run to the report
    #[arg(long, value_name = "FORMAT", value_enum, help_heading = "Output")]
    pub(crate) stats: Option<Format>,

    /// Report which engines ran, how long each took and what came of it
    #[arg(long, help_heading = "Output")]
    pub(crate) explain_plan: bool,

    #[command(flatten)]
    pub(crate) keep: KeepArgs,

    /// The engine: auto (the others take turns), explore, staged, interference, impact, priori or tar
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = parse_engine, help_heading = "Engines")]
    pub(crate) engine: String,

    /// Confirm a safe answer by a second, simpler method, within the limits
    #[arg(long, help_heading = "Engines")]
    pub(crate) check: bool,

    /// Unroll loops and recursion this often (staged, interference) [default: more and more often until the answer is final];
    /// keep this many iterations of loops apart and join the others (priori)
    #[arg(long, value_name = "ITERATIONS", help_heading = "Engines")]
    pub(crate) bound: Option<u32>,

    /// Unroll the loop that begins at this line K times, whatever --bound says; several are separated by commas (staged)
    #[arg(long, value_name = "[FILE:]LINE=K", value_delimiter = ',', help_heading = "Engines")]
    pub(crate) bound_loop: Vec<LoopBound>,

    /// Look only at the paths of one random run, `run` or `run:SEED`, and at every schedule of them: a violation is real,
    /// all that are found are reported, and that there is none says nothing about other paths (sc only)
    #[arg(long, value_name = "RUN", value_parser = parse_slice, conflicts_with_all = ["engine", "bound", "check"], help_heading = "Engines")]
    pub(crate) slice: Option<u64>,

    /// The options that single engines own, from `heddle lab`.
    #[arg(skip)]
    pub(crate) own: OwnOptions,
}

/// Runs `check` with switches of single engines
///
/// These switches exist to measure what a part of an engine is worth, and to repeat experiments of the papers. No answer
/// depends on them, but on whether there is one. Everything that `heddle check` takes is taken here, too.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  heddle lab --engine impact --por none --stats json lock.c")]
pub(crate) struct LabArgs {
    #[command(flatten)]
    pub(crate) check: CheckArgs,

    #[command(flatten)]
    pub(crate) explore: plan::explore::Options,

    #[command(flatten)]
    pub(crate) unroll: engines::skeleton::options::Options,

    #[command(flatten)]
    pub(crate) interference: engines::interference::Options,

    #[command(flatten)]
    pub(crate) impact: engines::impact::Options,

    #[command(flatten)]
    pub(crate) priori: engines::priori::Options,

    #[command(flatten)]
    pub(crate) tar: engines::tar::Options,

    #[command(flatten)]
    pub(crate) slice: plan::slice::Options,
}

impl LabArgs {
    /// The arguments of `check` with the options of engines.
    pub(crate) fn into_check(self) -> CheckArgs {
        let own = OwnOptions::default().with(self.explore).with(self.unroll).with(self.interference);
        let own = own.with(self.impact).with(self.priori).with(self.tar).with(self.slice);
        CheckArgs { own, ..self.check }
    }
}

/// What is known from earlier runs.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Earlier runs")]
pub(crate) struct KeepArgs {
    /// What is found and is in this file does not count: the exit status is that of the rest
    #[arg(long, value_name = "FILE", conflicts_with = "slice")]
    pub(crate) baseline: Option<PathBuf>,

    /// Write all that is found now into the baseline, instead of comparing
    #[arg(long, requires = "baseline")]
    pub(crate) update_baseline: bool,

    /// Keep answers in this directory, and take them from there when nothing has changed: neither the program after clang, nor
    /// the question, nor Heddle. A counterexample is replayed again
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,

    /// Take the settings from this file [default: heddle.toml in the working directory or the nearest directory above it]
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    pub(crate) config: Option<PathBuf>,

    /// Do not look for heddle.toml
    #[arg(long)]
    pub(crate) no_config: bool,

    /// Where the settings are from.
    #[arg(skip)]
    pub(crate) settings: Option<PathBuf>,
}

/// Where reports go and how they look.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// The form of the report
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub(crate) format: Format,

    /// Write the report to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Show every step of a counterexample, also of a long one and those that do not matter
    #[arg(long)]
    pub(crate) full: bool,

    /// Write the report as a page to this file too, with an interactive picture of each counterexample; it needs no other file
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Write the report to this file too, as SARIF 2.1.0, which editors and code hosts read
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,

    /// Draw the events of the counterexample for Graphviz, in this file: program order, what is read from where, the order of
    /// writes, what happens before what
    #[arg(long, value_name = "FILE")]
    pub(crate) dot: Option<PathBuf>,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub(crate) color: Color,
}

/// Runs a program with random choices
///
/// Runs the program in the reference interpreter, choosing threads, inputs and the answers of the memory model at
/// random, and tells how each run ended. Inputs are chosen among the values that `heddle check` tries, or, those with more
/// than 256 values, among those of --inputs. The first violation of a property ends its runs and is drawn as `heddle check`
/// draws it. The same seed gives the same run.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Exit status: 1 if a run violated the property, 2 if none did (which proves nothing), 3 bad usage or input, 4 internal \
error.

Examples:
  heddle run bank.c --seed 7
  heddle run --runs 1000 --memory-model tso peterson.c")]
pub(crate) struct RunArgs {
    /// The program: .c, .i, .cc, .cpp, .ll, .bc; several files are linked
    #[arg(required_unless_present = "project", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// The seed of the first run; the following runs count up from it
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// How many runs
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) runs: u64,

    /// End a run after this many steps
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub(crate) max_steps: u64,

    /// What counts as a violation: unreach, race, deadlock, locks, memory, atomicity, separated by commas, or all (but
    /// atomicity): each has its own runs
    #[arg(long, value_name = "LIST", default_value = "unreach", value_parser = parse_properties)]
    pub(crate) property: PropertyList,

    /// The memory model: sc, tso, pso or ra
    #[arg(long, alias = "model", value_name = "MODEL", default_value = "sc", value_parser = parse_memory_model)]
    pub(crate) memory_model: MemoryModel,

    /// Stop after this many seconds, loading included
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = parse_seconds)]
    pub(crate) timeout: Option<Duration>,

    /// What is meant to be atomic: a function's name, or lines as FILE:FIRST-LAST; several are separated by commas. Without it
    /// pairs of accesses are inferred (atomicity)
    #[arg(long, value_name = "REGION", value_delimiter = ',')]
    pub(crate) atomic_region: Vec<AtomicRegion>,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// Show every step of a counterexample, also of a long one and those that do not matter
    #[arg(long)]
    pub(crate) full: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub(crate) color: Color,

    /// Keep the counterexample in this file, for `heddle replay`
    #[arg(long, value_name = "FILE")]
    pub(crate) trace_out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) load: LoadArgs,
}

/// Replays a counterexample that was kept with --trace-out
///
/// The program is loaded as the trace says (data model, entry, clang's arguments; more can be given) and the recorded
/// schedule is followed step by step.
#[derive(Args, Clone, Debug)]
#[command(override_usage = "heddle replay [OPTIONS] <FILE>... <TRACE> [-- <CLANG ARGUMENT>...]")]
#[command(after_help = "\
Exit status: 1 if the run violates the property again, 2 if it does not, 3 if the trace does not fit the program or \
cannot be read, 4 internal error.

Example:
  heddle check --trace-out bug.trace bank.c; heddle replay bank.c bug.trace")]
pub(crate) struct ReplayArgs {
    /// The program the trace was made from, and last the trace
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) load: LoadArgs,
}

/// Prints the core form of a program
///
/// The text form can be read back; `docs/architecture.md` describes it. With --dot, the control-flow graphs are drawn
/// for Graphviz.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Exit status: 0 printed, 3 bad usage or input, 4 internal error.

Example:
  heddle ir --dot bank.c | dot -Tsvg -o bank.svg")]
pub(crate) struct IrArgs {
    /// The program: .c, .i, .cc, .cpp, .ll, .bc; several files are linked
    #[arg(required_unless_present = "project", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Draw the control-flow graphs for Graphviz
    #[arg(long)]
    pub(crate) dot: bool,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) load: LoadArgs,
}

/// Prints what holds where in a program
///
/// For each thread and each line, what the shared locations can hold as the thread sees them, and its variables, when it
/// gets there: what the engine `priori` found out. Relaxed atomics are taken as release-acquire.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Exit status: 0 printed, 2 the analysis could not be done, 3 bad usage or input, 4 internal error.

Example:
  heddle invariants --memory-model ra queue.c")]
pub(crate) struct InvariantsArgs {
    /// The program: .c, .i, .cc, .cpp, .ll, .bc; several files are linked
    #[arg(required_unless_present = "project", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// The memory model: sc, tso or ra
    #[arg(long, alias = "model", value_name = "MODEL", default_value = "ra", value_parser = parse_memory_model)]
    pub(crate) memory_model: MemoryModel,

    #[command(flatten)]
    pub(crate) priori: engines::priori::Options,

    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = parse_seconds)]
    pub(crate) timeout: Option<Duration>,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) load: LoadArgs,
}

/// Prints the proof that a property holds, as the engine `impact` finds it
///
/// For each location of the whole program, that is, the position of each thread and what is tracked explicitly (pointers, numbers,
/// buffered stores, the access that is watched for races), the formulas of which one holds there; with --dot the labelled
/// tree, for Graphviz.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Exit status: 0 printed, 2 there is no proof, 3 bad usage or input, 4 internal error.

Example:
  heddle tree --dot -o lock.dot lock.c")]
pub(crate) struct TreeArgs {
    /// The program: .c, .i, .cc, .cpp, .ll, .bc; several files are linked
    #[arg(required_unless_present = "project", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// What to prove: unreach, race, deadlock, locks or memory
    #[arg(long, value_name = "PROPERTY", default_value = "unreach", value_parser = parse_property)]
    pub(crate) property: Property,

    /// The memory model: sc, tso or pso
    #[arg(long, alias = "model", value_name = "MODEL", default_value = "sc", value_parser = parse_memory_model)]
    pub(crate) memory_model: MemoryModel,

    /// Tell the tree to Graphviz
    #[arg(long)]
    pub(crate) dot: bool,

    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = parse_seconds)]
    pub(crate) timeout: Option<Duration>,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) impact: engines::impact::Options,

    #[command(flatten)]
    pub(crate) load: LoadArgs,
}

/// Prints the skeleton of a program: what its threads do to shared memory
///
/// The program is unrolled and every thread is executed symbolically, as the engine `staged` does. What is left are events:
/// shared accesses, with their location, the value written, when they occur, what comes right before them, and for reads
/// the writes they may read from (the link set). With --dot the skeleton is written for Graphviz, with --svg it is drawn.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Exit status: 0 printed, 2 the skeleton could not be made, 3 bad usage or input, 4 internal error.

Example:
  heddle skeleton --svg -o bank.svg bank.c")]
pub(crate) struct SkeletonArgs {
    /// The program: .c, .i, .cc, .cpp, .ll, .bc; several files are linked
    #[arg(required_unless_present = "project", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Unroll loops and recursion this often
    #[arg(long, value_name = "ITERATIONS", default_value_t = 1)]
    pub(crate) bound: u32,

    #[command(flatten)]
    pub(crate) unroll: engines::skeleton::options::Options,

    /// Tell the skeleton to Graphviz
    #[arg(long, conflicts_with = "svg")]
    pub(crate) dot: bool,

    /// Draw the skeleton
    #[arg(long)]
    pub(crate) svg: bool,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) load: LoadArgs,
}

/// Runs a suite of programs with known verdicts
///
/// The index is a table with tabs between its columns and one header line that names them: id, file (relative to the
/// index), property, model, expected (safe or unsafe) and, optionally, data_model. Each line is run in a process of its
/// own. Results are added to the results file as they come; a run that was stopped goes on where it was when the same
/// command is given again.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Exit status: 0 no wrong verdict, 1 a wrong verdict, 2 the run was stopped, 3 bad usage or input, 4 internal error.

Example:
  heddle bench --index suite/index.tsv --timeout 60 -j 2 -o results.tsv --plot cactus.svg")]
pub(crate) struct BenchArgs {
    /// The index of the suite
    #[arg(long, value_name = "FILE")]
    pub(crate) index: PathBuf,

    /// The method: auto, explore, staged, interference, impact, priori or tar
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = parse_engine)]
    pub(crate) engine: String,

    /// Seconds for each task
    #[arg(long, value_name = "SECONDS", default_value = "60", allow_negative_numbers = true, value_parser = parse_seconds)]
    pub(crate) timeout: Duration,

    /// Memory for each task
    #[arg(long, value_name = "SIZE", default_value = "4G", allow_negative_numbers = true, value_parser = parse_size)]
    pub(crate) memory_limit: u64,

    /// How many tasks run at a time, sharing the processors
    #[arg(short, long, value_name = "N", default_value_t = 1)]
    pub(crate) jobs: usize,

    /// Only tasks whose id contains this; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Vec<String>,

    /// The results file
    #[arg(short, long, value_name = "FILE", default_value = "heddle-bench.tsv")]
    pub(crate) output: PathBuf,

    /// Draw how many tasks are decided within which time, as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,

    /// Forget the results file and start again
    #[arg(long)]
    pub(crate) fresh: bool,

    /// Further arguments for `heddle check`
    #[arg(last = true, value_name = "CHECK ARGUMENT")]
    pub(crate) check_args: Vec<String>,
}

/// Runs an SMT-LIB script with Heddle's solver
///
/// Understands SMT-LIB 2 scripts over Booleans, bit-vectors and arrays of bit-vectors without quantifiers (QF_BV,
/// QF_ABV), and prints what the standard prescribes: `sat`, `unsat` or `unknown` for each check, models and values as
/// lists. The first error ends the script.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Exit status: 0 the script was run, whatever the answers; 2 it was stopped by a limit outside a check; 3 bad usage, or an \
error in the script, reported with its line and column; 4 internal error.

Example:
  echo '(declare-const x (_ BitVec 8)) (assert (= (bvmul x x) #x09)) (check-sat) (get-model)' | heddle smt2 -")]
pub(crate) struct Smt2Args {
    /// The script; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Stop after this many seconds: checks not done by then answer `unknown`
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) timeout: Option<Duration>,

    /// Stop when this much memory is used: 500M, 4G [default: four fifths of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory_limit: Option<u64>,
}

/// Decides a task of the software verification competition
///
/// Reads the competition's property file, decides the program under sequential consistency and prints the competition's
/// verdict: `true`, `false(PROPERTY)` or `unknown`. The reasons for `unknown` go to standard error. Only calls of the function that
/// the property names count: `reach_error`, `__VERIFIER_error` or `__assert_fail`; a failing assertion ends the program otherwise.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Exit status: 0 true, 1 false, 2 unknown, 3 bad usage or input, 4 internal error.

Properties:
  G ! call(f())     false(unreach-call)
  G ! data-race     false(no-data-race)
  G valid-free, G valid-deref, G valid-memtrack
                    false(valid-free), false(valid-deref); true only if the program allocates nothing where memtrack is asked
  G ! overflow, F end, G valid-memcleanup
                    unknown

Witnesses: --witness writes YAML, of a violation (format 2.2: waypoints with thread_id, two targets of a race) or of correctness
(an invariant_set of invariants that were checked, which may be empty; 2.1 with ghost variables for locks). --graphml writes a
violation as GraphML 1.0. The time they carry is that of SOURCE_DATE_EPOCH, or 1970.

Example:
  heddle sv-comp --property unreach-call.prp --data-model ILP32 --witness witness.yml task.i")]
pub(crate) struct SvCompArgs {
    /// The program
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The property file
    #[arg(long, value_name = "FILE.prp")]
    pub(crate) property: PathBuf,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    /// Write a witness as YAML into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) witness: Option<PathBuf>,

    /// Write a violation witness as GraphML into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) graphml: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) load: LoadArgs,
}

/// Checks a witness of the software verification competition
///
/// A violation witness directs the interpreter's search: a run must pass its segments in their order, by the threads named, and
/// violate the property in its target, and is replayed then. The invariants of a correctness witness are put into the program
/// as assertions, and both they and the property are proved. Printed is `false(PROPERTY)` if the violation is confirmed, `true`
/// if the proof is, `false(invariant)` if an invariant does not hold, otherwise `unknown`, with the reasons on standard error.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Exit status: 0 true, 1 false, 2 unknown, 3 bad usage or input (a witness that cannot be read or is about another program), 4 \
internal error.

Formats: YAML 2.0 to 2.2 (violation_sequence, invariant_set, ghost_instrumentation), GraphML 1.0 (violations, a single path).

Example:
  heddle validate witness.yml task.i")]
pub(crate) struct ValidateArgs {
    /// The witness
    #[arg(value_name = "WITNESS")]
    pub(crate) witness: PathBuf,

    /// The program
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The property file [default: the property that the witness names]
    #[arg(long, value_name = "FILE.prp")]
    pub(crate) property: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    pub(crate) load: LoadArgs,
}

/// Prepares a project
///
/// Writes a heddle.toml with the settings that `heddle check` takes from there: the project's compile commands, if they are found,
/// a cache, and, as comments, what else can be said. What is there already is left as it is.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Exit status: 0 written, 3 there is a heddle.toml already, or it cannot be written.

Example:
  heddle init && heddle check --entry test_queue")]
pub(crate) struct InitArgs {
    /// The project's directory
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
}

/// What a run may use.
#[derive(Args, Clone, Debug)]
pub(crate) struct LimitArgs {
    /// Stop after this many seconds, loading included; what is not decided by then is unknown
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = parse_seconds)]
    pub(crate) timeout: Option<Duration>,

    /// Stop when this much memory is used: 500M, 4G [default: four fifths of the machine's]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, value_parser = parse_size)]
    pub(crate) memory_limit: Option<u64>,

    /// How many methods may run at the same time [default: as many as there are processors]
    #[arg(short, long, value_name = "N", overrides_with = "jobs")]
    pub(crate) jobs: Option<std::num::NonZeroUsize>,
}

/// Prints the man pages
#[derive(Args, Clone, Debug)]
pub(crate) struct ManArgs {
    /// The page of this subcommand [default: that of heddle]
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,

    /// Write all pages into this directory
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub(crate) dir: Option<PathBuf>,
}

/// Prints completions for a shell
#[derive(Args, Clone, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// The form of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// For programs; docs/report.md describes it
    Json,
}

/// Properties to decide, each once, in the order asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PropertyList(pub(crate) Vec<Property>);

/// clang spells the language standard `-std=c11`, which is no option in the usual grammar: it is read as `--std=c11`.
pub(crate) fn normalised_args(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut is_ours = true;
    args.map(|word| {
        is_ours &= word != "--";
        match word.to_str() {
            Some(text) if is_ours && text.starts_with("-std=") => format!("-{text}").into(),
            _ => word,
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(line: &str) -> Cli {
        let words = normalised_args(line.split(' ').map(OsString::from));
        Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    fn check_args(line: &str) -> CheckArgs {
        match parse(line).command {
            Command::Check(args) => *args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_grammar_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn compiler_options_are_understood() {
        let args = check_args("heddle check a.c -std=c11 -m32 -Iinc -I .. -DX=1 -UY b.c -- -fshort-enums -std=c99");
        let expected = ["-Iinc", "-I..", "-DX=1", "-UY", "-std=c11", "-fshort-enums", "-std=c99"];
        assert_eq!(args.load.clang_args(), expected);
        assert_eq!(args.load.data_model(), Some(DataModel::Ilp32));
        assert_eq!(args.files.len(), 2);
    }

    #[test]
    fn property_lists_are_read_without_repetition() {
        let list = |line: &str| check_args(line).property.0;
        assert_eq!(list("heddle check a.c"), [Property::Unreach]);
        assert_eq!(list("heddle check --property race,unreach,race a.c"), [Property::Race, Property::Unreach]);
        assert_eq!(list("heddle check --property all a.c"), Property::EXPECTED);
        assert!(parse_properties("race,,x").is_err());
    }

    #[test]
    fn limits_are_read() {
        assert_eq!(parse_size("4G"), Ok(4 << 30));
        assert_eq!(parse_size("500"), Ok(500 << 20));
        assert_eq!(parse_size("64KiB"), Ok(64 << 10));
        for wrong in ["", "G", "-1M", "0", "1T", "99999999999999999G", "1.5G"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_seconds("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["", "x", "0", "-1", "nan", "inf", "1e300"] {
            assert!(parse_seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn slices_are_read() {
        assert_eq!(check_args("heddle check a.c").slice, None);
        assert_eq!(check_args("heddle check a.c --slice run").slice, Some(0));
        assert_eq!(check_args("heddle check a.c --slice run:7").slice, Some(7));
        for wrong in ["", "run:", "run:x", "7", "trace:1"] {
            assert!(parse_slice(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn inputs_may_be_negative() {
        let args = check_args("heddle check a.c --inputs -1,0,5 --inputs-promised");
        assert_eq!(args.input.inputs, Some(vec![-1, 0, 5]));
        assert!(args.inputs_promised);
    }
}
