//! `cargo xtask`: work on Heddle itself. The commands are thin; what they do is in the library beside this file.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use anyhow::{ensure, Context, Result};
use clap::{Args, Parser, Subcommand};
use ir::{MemoryModel, Property};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use testing::campaign::{self, Law, Limits};
use testing::outcomes::litmus;
use testing::programs::{self, ast::Program, Feature, Settings};
use testing::threads;
use xtask::loadcheck::{self, Effort};

/// Work on Heddle itself.
#[derive(Parser)]
#[command(name = "xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Checks dependency edges, file headers, lengths, leftovers, documents
    Tidy,
    /// Runs `cargo test`, and adds the time that each test binary took
    Test {
        /// Arguments for `cargo test`
        #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Makes the packages: a tarball, and a Debian package where dpkg-deb is installed
    Dist {
        /// Put them into this directory
        #[arg(long, value_name = "DIR", default_value = "target/packages")]
        out: PathBuf,
        /// Pack this binary instead of building an optimised one
        #[arg(long, value_name = "FILE")]
        binary: Option<PathBuf>,
    },
    /// Writes random concurrent C programs
    Gen {
        #[command(flatten)]
        seeds: Seeds,
        #[command(flatten)]
        shape: Shape,
        /// Write seed-N.c files into this directory instead of standard output
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Checks laws on random programs: different ways to the same answer must agree
    Campaign {
        #[command(flatten)]
        seeds: Seeds,
        #[command(flatten)]
        shape: Shape,
        #[command(flatten)]
        questions: Questions,
        /// Only these laws; all by default
        #[arg(long, value_name = "LIST", value_delimiter = ',')]
        laws: Vec<Law>,
        /// Write shrunk programs that show a disagreement into this directory instead of standard output
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Minimises the random program with a seed that breaks a law or satisfies a command
    Shrink {
        /// The seed
        #[arg(long, value_name = "N")]
        seed: u64,
        #[command(flatten)]
        shape: Shape,
        #[command(flatten)]
        questions: Questions,
        /// The law it breaks
        #[arg(long, value_name = "LAW", conflicts_with = "command", required_unless_present = "command")]
        law: Option<Law>,
        /// A shell command that exits with 0 while the program in the file `{}` still shows what is wanted
        #[arg(long, value_name = "COMMAND")]
        command: Option<String>,
        /// Give up after this many tests
        #[arg(long, value_name = "N", default_value_t = 2000)]
        tests: usize,
    },
    /// Compares outcome sets on random litmus tests: what the axioms allow and what the interpreter reaches
    Outcomes {
        #[command(flatten)]
        seeds: Seeds,
        /// How many accesses a test makes at most
        #[arg(long, value_name = "N", default_value_t = 9)]
        accesses: usize,
        /// Only tests in which every run that waits for nobody finishes
        #[arg(long)]
        finishing: bool,
        /// Random C programs instead of litmus tests; most are beyond what is compared
        #[arg(long)]
        programs: bool,
        #[command(flatten)]
        shape: Shape,
        /// Seconds for one outcome set
        #[arg(long, value_name = "SECONDS", default_value_t = 10)]
        timeout: u64,
    },
    /// Asks the engine `priori` about outcomes of random litmus tests that are reached: none may be proved impossible
    Proofs {
        #[command(flatten)]
        seeds: Seeds,
        /// How many accesses a test makes at most
        #[arg(long, value_name = "N", default_value_t = 8)]
        accesses: usize,
        /// Seconds for one outcome set
        #[arg(long, value_name = "SECONDS", default_value_t = 2)]
        timeout: u64,
    },
    /// Asks predicate abstraction of the engine `tar` about random litmus tests that are explored as well
    Modular {
        #[command(flatten)]
        seeds: Seeds,
        /// How many accesses a test makes at most
        #[arg(long, value_name = "N", default_value_t = 7)]
        accesses: usize,
        /// Seconds for one exploration
        #[arg(long, value_name = "SECONDS", default_value_t = 2)]
        timeout: u64,
    },
    /// Has the engine `impact` decide litmus tests that are explored as well, its proofs checked
    Trees {
        #[command(flatten)]
        seeds: Seeds,
        /// How many accesses a test has at most
        #[arg(long, value_name = "N", default_value_t = 8)]
        accesses: usize,
        /// Tests have loops without bound
        #[arg(long)]
        endless: bool,
        /// Tests have an array, with indices that depend on what was read
        #[arg(long)]
        cells: bool,
        /// What to switch off, to see that it is noticed: cover-expansion, requeueing, skip-order, skip-loop (with
        /// --endless), alias (with --cells)
        #[arg(long, value_name = "WHAT", default_value = "none")]
        fault: testing::trees::Fault,
        /// Seconds for one exploration
        #[arg(long, value_name = "SECONDS", default_value_t = 5)]
        timeout: u64,
    },
    /// Decides programs with the engine `impact` in the four modes of the paper, and tells what each takes
    Modes {
        /// C files
        #[arg(value_name = "FILE", required = true)]
        files: Vec<std::path::PathBuf>,
        /// Seconds for one program in one mode
        #[arg(long, value_name = "SECONDS", default_value_t = 60)]
        timeout: u64,
        /// Leave all values to labels, as the paper does
        #[arg(long)]
        labels_only: bool,
    },
    /// Asks the engine `staged` about results of random litmus tests without loops: which are reached is known
    Exact {
        /// Ask `interference` in this mode instead: full, over, under or mixed, or clock-full and so on
        #[arg(long, value_name = "MODE")]
        mode: Option<String>,
        #[command(flatten)]
        seeds: Seeds,
        /// How many accesses a test makes at most
        #[arg(long, value_name = "N", default_value_t = 8)]
        accesses: usize,
        /// Seconds for one outcome set
        #[arg(long, value_name = "SECONDS", default_value_t = 2)]
        timeout: u64,
    },
    /// Runs random formulas through the solver: against brute force, or against z3
    Smt {
        #[command(flatten)]
        seeds: Seeds,
        /// Machine-word widths against z3, instead of small widths against brute force
        #[arg(long)]
        z3: bool,
    },
    /// Compares random threaded C and C++ programs with native execution, under random delays and with sanitizers
    Threads {
        #[command(flatten)]
        seeds: Seeds,
        /// Print the programs instead
        #[arg(long)]
        print: bool,
        /// Seconds for one exploration or verdict
        #[arg(long, value_name = "SECONDS", default_value_t = 10)]
        timeout: u64,
        /// How many smaller programs may be tried for each that breaks a law
        #[arg(long, value_name = "N", default_value_t = 60)]
        shrink: usize,
        /// Write shrunk programs that break a law into this directory instead of standard output
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Measures how `staged` grows with the number of threads, and what its parts are worth
    Scaling {
        /// Only programs whose name contains this
        #[arg(long, value_name = "TEXT", default_value = "")]
        only: String,
        /// Seconds for one program in one mode
        #[arg(long, value_name = "SECONDS", default_value_t = 60)]
        timeout: u64,
    },
    /// Measures what interference abstractions are worth, in the clock form and in the order form
    Interference {
        /// Only programs whose name contains this
        #[arg(long, value_name = "TEXT", default_value = "")]
        only: String,
        /// Only so many sizes of each program, the smallest first
        #[arg(long, value_name = "N", default_value_t = 3)]
        sizes: usize,
        /// In the form on the order theory instead of the clock form
        #[arg(long)]
        order: bool,
        /// Seconds for one program in one mode
        #[arg(long, value_name = "SECONDS", default_value_t = 60)]
        timeout: u64,
        /// Measure the modes over and under, too, and draw them against mixed in this file, as SVG
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
    },
    /// Measures how `priori` grows with the number of threads, or what its analysis costs on the programs of an index
    Analysis {
        /// A table with tabs between its columns, among them file, property, model, expected and data_model
        #[arg(long, value_name = "FILE")]
        index: Option<PathBuf>,
        /// Only files whose name contains this
        #[arg(long, value_name = "TEXT", default_value = "", requires = "index")]
        only: String,
        /// Seconds for one program
        #[arg(long, value_name = "SECONDS", default_value_t = 60)]
        timeout: u64,
    },
    /// Measures how `tar` grows with the size of programs that are safe by plain locking
    Large {
        /// Print the driver with so many dispatch routines instead (48 make more than 1,500 lines; with more, `tar` cannot tell whom the table leads to)
        #[arg(long, value_name = "ROUTINES")]
        driver: Option<usize>,
        /// With its seeded race
        #[arg(long, requires = "driver")]
        seeded: bool,
        /// Seconds for one program
        #[arg(long, value_name = "SECONDS", default_value_t = 60)]
        timeout: u64,
    },
    /// Compares the models of library functions with the C library of this machine and with the standard
    Library {
        /// The seed of random calls
        #[arg(long, value_name = "N", default_value_t = 1)]
        seed: u64,
        /// How many random calls are made where there are some
        #[arg(long, value_name = "K", default_value_t = 10)]
        count: u32,
        /// Only the function, or the table, with this name
        #[arg(long, value_name = "NAME")]
        only: Option<String>,
        /// Each data model once, and few random calls
        #[arg(long, conflicts_with = "count")]
        quick: bool,
        /// Write the page docs/library.md instead
        #[arg(long)]
        write_docs: bool,
    },
    /// Loads every program of an index: failures, invalid core forms, unmodelled statements, time, memory
    Loadcheck {
        /// A table with tabs between its columns, among them file and data_model
        #[arg(long, value_name = "FILE")]
        index: PathBuf,
        /// Only files whose name contains this
        #[arg(long, value_name = "TEXT", default_value = "")]
        only: String,
        #[command(flatten)]
        effort: EffortArgs,
    },
    /// Compares the translation of random straight-line LLVM functions with their execution by lli
    Lowering {
        #[command(flatten)]
        seeds: Seeds,
    },
    /// Compares Heddle with native execution on random C programs
    Native {
        /// How many programs of csmith
        #[arg(long, value_name = "N")]
        csmith: u64,
        /// The seed of the first
        #[arg(long, value_name = "S", default_value_t = 1)]
        seed: u64,
        /// Only in these variants: lp64, ilp32, inlined, optimised, split; all by default
        #[arg(long, value_name = "LIST", value_delimiter = ',')]
        variants: Vec<xtask::native::Variant>,
        /// Seconds for one question
        #[arg(long, value_name = "SECONDS", default_value_t = 20)]
        timeout: u64,
        /// Write programs that are answered wrongly or not at all into this directory
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Runs a conformance suite: programs in a directory that test themselves and pass natively must be proved to pass
    Suite {
        /// The directory
        dir: PathBuf,
        /// How programs fail: abort (they call it) or status (that of main is not 0)
        #[arg(long, value_name = "STYLE")]
        style: xtask::suite::Style,
        /// Only files whose path contains this
        #[arg(long, value_name = "TEXT", default_value = "")]
        filter: String,
        /// Seconds for one program
        #[arg(long, value_name = "SECONDS", default_value_t = 10)]
        timeout: u64,
        /// Arguments for the compilers, after `--`
        #[arg(last = true, value_name = "ARGS")]
        args: Vec<String>,
    },
    /// Puts mistakes into the front end and the models, one at a time, and tells which of them tests notice
    Mutate {
        /// Names the mutants
        #[arg(long, value_name = "N", default_value_t = 1)]
        seed: u64,
        /// How many, half of them of the models
        #[arg(long, value_name = "N", default_value_t = 200)]
        count: usize,
        /// How many are tried at a time
        #[arg(short, long, value_name = "N", default_value_t = 2)]
        jobs: usize,
        /// Where the instrumented copy of the project and the results go; results that are there already are taken over
        #[arg(long, value_name = "DIR", default_value = "target/mutants")]
        work: PathBuf,
    },
    /// Loads one program and prints what `loadcheck` wants to know
    #[command(hide = true)]
    LoadcheckOne {
        file: PathBuf,
        #[arg(long)]
        data_model: String,
        #[command(flatten)]
        effort: EffortArgs,
    },
}

#[derive(Args)]
struct EffortArgs {
    /// Times are the best of so many rounds
    #[arg(long, value_name = "N", default_value_t = 1)]
    rounds: u32,
    /// Where something is not modelled, look this long for a run that reaches it
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    explore: u64,
}

impl EffortArgs {
    fn effort(&self) -> Effort {
        Effort { rounds: self.rounds, explore_seconds: self.explore }
    }
}

#[derive(Args)]
struct Questions {
    /// Under these memory models; all by default
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    model: Vec<MemoryModel>,
    /// For these properties; all by default
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    property: Vec<Property>,
    /// Seconds for one exploration with reduction
    #[arg(long, value_name = "SECONDS", default_value_t = 3)]
    timeout: u64,
    /// Seconds for one exploration without reduction, and for enumerating the executions of a program
    #[arg(long, value_name = "SECONDS", default_value_t = 2)]
    slow_timeout: u64,
}

impl Questions {
    fn limits(&self) -> Limits {
        let mut limits = Limits {
            timeout: Duration::from_secs(self.timeout),
            slow_timeout: Duration::from_secs(self.slow_timeout),
            ..Limits::default()
        };
        if !self.model.is_empty() {
            limits.models.clone_from(&self.model);
        }
        if !self.property.is_empty() {
            limits.properties.clone_from(&self.property);
        }
        limits
    }
}

#[derive(Args)]
struct Seeds {
    /// The first seed
    #[arg(long, value_name = "N")]
    seed: u64,
    /// How many seeds, counting up
    #[arg(long, value_name = "K", default_value_t = 1)]
    count: u64,
}

#[derive(Args)]
struct Shape {
    /// How large programs may be, from 1
    #[arg(long, value_name = "N", default_value_t = Settings::default().size)]
    size: u32,
    /// What programs may contain; everything by default
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    features: Option<Vec<Feature>>,
}

impl Shape {
    fn settings(&self) -> Settings {
        let features = match &self.features {
            Some(features) => features.iter().copied().collect(),
            None => Settings::default().features,
        };
        Settings { size: self.size, features }
    }
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all is well; what is not has been printed.
fn run(cli: Cli) -> Result<bool> {
    match cli.command {
        Command::Tidy => tidy(),
        Command::Test { args } => xtask::times::run(&args, &mut std::io::stdout()),
        Command::Dist { out, binary } => dist(out, binary),
        Command::Gen { seeds, shape, out } => generate(&seeds, &shape.settings(), out),
        Command::Campaign { seeds, shape, questions, laws, out } => {
            let mut limits = questions.limits();
            if !laws.is_empty() {
                limits.laws = laws;
            }
            let plan = campaign::Plan {
                seed: seeds.seed,
                count: seeds.count,
                settings: shape.settings(),
                limits,
                out,
                shrink_tests: 300,
            };
            Ok(campaign::run(&plan, &mut std::io::stdout())?.breaches.is_empty())
        }
        Command::Shrink { seed, shape, questions, law, command, tests } => {
            let settings = shape.settings();
            let program = programs::generate(seed, &settings);
            let small = match (law, command) {
                (Some(law), _) => shrink_law(&program, seed, law, &questions.limits(), tests),
                (None, command) => shrink_command(&program, &command.unwrap_or_default(), tests),
            }?;
            print!("{}", programs::print(&small, &format!("shrunk from: cargo xtask gen --seed {seed} {settings}")));
            Ok(true)
        }
        Command::Outcomes { seeds, accesses, finishing, programs, shape, timeout } => {
            let seeds = seeds.seed..seeds.seed.saturating_add(seeds.count);
            let (timeout, mut tell) = (Duration::from_secs(timeout), std::io::stdout());
            let report = if programs {
                testing::outcomes::run_programs(seeds, &shape.settings(), timeout, &mut tell)?
            } else {
                let shape = litmus::Shape { accesses, ends: !finishing, ..litmus::Shape::FINITE };
                testing::outcomes::run(seeds, shape, timeout, &mut tell)?
            };
            Ok(report.disagreements.is_empty())
        }
        Command::Proofs { seeds, accesses, timeout } => {
            let seeds = seeds.seed..seeds.seed.saturating_add(seeds.count);
            let shape = litmus::Shape { accesses, ends: true, loops: true, ..litmus::Shape::FINITE };
            let timeout = Duration::from_secs(timeout);
            Ok(testing::proofs::run(seeds, shape, timeout, &mut std::io::stdout())?.wrong.is_empty())
        }
        Command::Modular { seeds, accesses, timeout } => {
            let seeds = seeds.seed..seeds.seed.saturating_add(seeds.count);
            let shape = litmus::Shape { accesses, ends: true, loops: true, ..litmus::Shape::FINITE };
            let timeout = Duration::from_secs(timeout);
            Ok(testing::modular::run(seeds, shape, timeout, &mut std::io::stdout())?.wrong.is_empty())
        }
        Command::Trees { seeds, accesses, endless, cells, fault, timeout } => {
            let seeds = seeds.seed..seeds.seed.saturating_add(seeds.count);
            let shape = fault.shape(litmus::Shape { accesses, ends: true, loops: true, endless, cells });
            let timeout = Duration::from_secs(timeout);
            let report = testing::trees::run(seeds, shape, fault, timeout, &mut std::io::stdout())?;
            Ok(report.refused + report.wrong == 0)
        }
        Command::Modes { files, timeout, labels_only } => {
            xtask::modes::run(&files, Duration::from_secs(timeout), labels_only, &mut std::io::stdout())?;
            Ok(true)
        }
        Command::Exact { mode, seeds, accesses, timeout } => {
            let subject = testing::exact::Subject::named(mode.as_deref());
            let subject = subject.with_context(|| format!("there is no mode {}", mode.unwrap_or_default()))?;
            let seeds = seeds.seed..seeds.seed.saturating_add(seeds.count);
            let shape = litmus::Shape { accesses, ends: true, ..litmus::Shape::FINITE };
            let timeout = Duration::from_secs(timeout);
            Ok(testing::exact::run(&subject, seeds, shape, timeout, &mut std::io::stdout())?.wrong.is_empty())
        }
        Command::Smt { seeds, z3 } => {
            let plan = xtask::formulas::Plan { seed: seeds.seed, count: seeds.count, z3 };
            Ok(xtask::formulas::run(&plan, &mut std::io::stdout())?.breaches.is_empty())
        }
        Command::Threads { seeds, print: true, .. } => {
            for seed in seeds.seed..seeds.seed.saturating_add(seeds.count) {
                let comment = format!("cargo xtask threads --print --seed {seed}");
                print!("{}", threads::print::print(&threads::make(seed), &comment));
            }
            Ok(true)
        }
        Command::Threads { seeds, print: false, timeout, shrink, out } => {
            let limits = threads::Limits { timeout: Duration::from_secs(timeout), ..threads::Limits::default() };
            let plan = threads::Plan { seed: seeds.seed, count: seeds.count, limits, out, shrink_tests: shrink };
            Ok(threads::run(&plan, &mut std::io::stdout())?.violations.is_empty())
        }
        Command::Scaling { only, timeout } => {
            xtask::scaling::run(&root(), &only, Duration::from_secs(timeout), &mut std::io::stdout())
        }
        Command::Interference { only, sizes, order, timeout, svg } => {
            let form = if order { engines::interference::Form::Order } else { engines::interference::Form::Clock };
            let timeout = Duration::from_secs(timeout);
            let plan = xtask::interference::Plan { only, sizes, form, timeout, all_modes: svg.is_some() };
            let (is_right, picture) = xtask::interference::run(&root(), &plan, &mut std::io::stdout())?;
            if let (Some(file), Some(picture)) = (svg, picture) {
                std::fs::write(&file, picture).with_context(|| format!("cannot write {}", file.display()))?;
            }
            Ok(is_right)
        }
        Command::Analysis { index, only, timeout } => {
            let (timeout, mut tell) = (Duration::from_secs(timeout), std::io::stdout());
            match index {
                Some(index) => xtask::analysis::check(&index, &only, timeout, &mut tell),
                None => xtask::analysis::grow(timeout, &mut tell),
            }
        }
        Command::Large { driver: Some(routines), seeded, .. } => {
            print!("{}", xtask::driver::driver(routines, seeded));
            Ok(true)
        }
        Command::Large { driver: None, timeout, .. } => {
            xtask::large::grow(Duration::from_secs(timeout), &mut std::io::stdout())
        }
        Command::Library { write_docs: true, .. } => {
            let file = root().join(xtask::library::page::PAGE);
            let page = xtask::library::page::page(&xtask::library::tables(&root())?);
            std::fs::write(&file, page).with_context(|| format!("cannot write {}", file.display()))?;
            Ok(true)
        }
        Command::Library { seed, count, only, quick, write_docs: false } => {
            let only = only.into_iter().collect();
            let plan = match quick {
                true => xtask::library::Plan { only, ..xtask::library::Plan::quick(root(), seed) },
                false => xtask::library::Plan { count, only, ..xtask::library::Plan::new(root(), seed) },
            };
            Ok(xtask::library::run(&plan, &mut std::io::stdout())?.failures.is_empty())
        }
        Command::Loadcheck { index, only, effort } => {
            loadcheck::check(&index, &only, effort.effort(), &mut std::io::stdout())
        }
        Command::Lowering { seeds } => {
            let seeds = seeds.seed..seeds.seed.saturating_add(seeds.count);
            Ok(xtask::lowering::run(seeds, &mut std::io::stdout())?.differences.is_empty())
        }
        Command::Native { csmith, seed, variants, timeout, out } => {
            let variants = if variants.is_empty() { xtask::native::Variant::ALL.to_vec() } else { variants };
            let (seeds, timeout) = (seed..seed.saturating_add(csmith), Duration::from_secs(timeout));
            let plan = xtask::native::Plan { seeds, variants, timeout, out };
            Ok(xtask::native::run(&plan, &mut std::io::stdout())?.differences() == 0)
        }
        Command::Suite { dir, style, filter, timeout, args } => {
            let plan = xtask::suite::Plan { dir, style, filter, timeout: Duration::from_secs(timeout), args };
            Ok(xtask::suite::run(&plan, &mut std::io::stdout())?.wrong.is_empty())
        }
        Command::Mutate { seed, count, jobs, work } => {
            let work = std::path::absolute(work)?;
            let plan = xtask::mutate::Plan { root: root(), seed, count, jobs, work };
            xtask::mutate::run(&plan, &mut std::io::stdout())?;
            Ok(true)
        }
        Command::LoadcheckOne { file, data_model, effort } => {
            print!("{}", loadcheck::load_one(&file, &data_model, effort.effort())?);
            Ok(true)
        }
    }
}

fn tidy() -> Result<bool> {
    let findings = xtask::tidy::check(&root())?;
    for finding in &findings {
        println!("{finding}");
    }
    let errors = findings.iter().filter(|finding| !finding.is_question).count();
    println!("tidy: {errors} errors, {} questions", findings.len() - errors);
    Ok(errors == 0)
}

fn dist(out: PathBuf, binary: Option<PathBuf>) -> Result<bool> {
    let plan = xtask::dist::Plan { root: root(), out, binary, is_quick: false };
    let packages = xtask::dist::pack(&plan, &mut std::io::stdout())?;
    for warning in packages.warnings {
        eprintln!("dist: warning: {warning}");
    }
    Ok(true)
}

/// The root of the workspace.
fn root() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().map(PathBuf::from).unwrap_or(manifest)
}

fn generate(seeds: &Seeds, settings: &Settings, out: Option<PathBuf>) -> Result<bool> {
    if let Some(dir) = &out {
        std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    }
    for seed in seeds.seed..seeds.seed.saturating_add(seeds.count) {
        let text = programs::source(seed, settings);
        match &out {
            None => print!("{text}"),
            Some(dir) => {
                let path = dir.join(format!("seed-{seed}.c"));
                std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
    }
    Ok(true)
}

fn shrink_law(program: &Program, seed: u64, law: Law, limits: &Limits, tests: usize) -> Result<Program> {
    let breaches = campaign::examine(program, seed, limits).breaches;
    let breach = breaches.into_iter().find(|breach| breach.law == law);
    let breach = breach.with_context(|| format!("this program does not break the law `{}`", law.name()))?;
    eprintln!("{breach}");
    Ok(programs::shrink(program, tests, &mut |candidate| campaign::is_broken(candidate, seed, &breach, limits)))
}

fn shrink_command(program: &Program, command: &str, tests: usize) -> Result<Program> {
    let file = std::env::temp_dir().join(format!("heddle-shrink-{}.c", std::process::id()));
    let line = command.replace("{}", &file.display().to_string());
    let mut shows = |candidate: &Program| {
        std::fs::write(&file, programs::print(candidate, "")).is_ok()
            && std::process::Command::new("sh")
                .args(["-c", &line])
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
    };
    let shown = shows(program);
    let small = shown.then(|| programs::shrink(program, tests, &mut shows));
    let _ = std::fs::remove_file(&file);
    ensure!(shown, "the command does not exit with 0 for the program with this seed");
    small.context("should have been shrunk")
}
