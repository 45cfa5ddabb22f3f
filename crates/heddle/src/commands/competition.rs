//! The common part of deciding a task of the software verification competition and validating a witness: a program, a
//! property file, and verdicts in the competition's words.

use crate::cli::{LimitArgs, LoadArgs};
use crate::limits::{self, Guard, Limits};
use crate::status::Status;
use crate::{load, output};
use anyhow::{anyhow, bail, Context, Result};
use base::Budget;
use check::{Options, Reason, Task, Verdict};
use front::{Libc, LoadOptions};
use ir::{AllocKind, MemoryModel, Program, Property, Stmt};
use std::path::{Path, PathBuf};
use witness::svcomp::{self, sha256, CText, Claim, Specification};

/// The printed verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// The property holds.
    True,
    /// The property is violated, as the word says.
    False(&'static str),
    /// Neither was shown.
    Unknown,
}

impl Answer {
    /// Prints the verdict and returns the exit status.
    pub(crate) fn print(&self) -> Result<Status> {
        let (text, status) = match self {
            Answer::True => ("true".to_owned(), Status::Safe),
            Answer::False(what) => (format!("false({what})"), Status::Unsafe),
            Answer::Unknown => ("unknown".to_owned(), Status::Unknown),
        };
        output::emit(&format!("{text}\n"))?;
        Ok(status)
    }
}

/// A budget, and a guard that prints `unknown` if the run has to be stopped hard.
pub(crate) fn guarded(args: &LimitArgs) -> (Budget, Guard) {
    let limits = Limits::new(args.timeout, args.memory_limit);
    let budget = limits.budget();
    let guard = Guard::start(limits, &budget, |stop| {
        output::complain(&format!("unknown: {}", Reason::from(stop).detail));
        Answer::Unknown.print().unwrap_or(Status::Unknown)
    });
    (budget, guard)
}

/// Reads a property file.
pub(crate) fn specification(file: &Path) -> Result<Specification> {
    let text = read(file)?;
    Specification::parse(&text).map_err(|problem| anyhow!("{}: {problem}", file.display()))
}

/// A file as text.
pub(crate) fn read(file: &Path) -> Result<String> {
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    String::from_utf8(bytes).map_err(|_| anyhow!("{} is not UTF-8", file.display()))
}

/// A C file and its digest.
pub(crate) fn source(file: &Path) -> Result<(CText, String)> {
    let text = read(file)?;
    let name = file.to_str().with_context(|| format!("{} is not a name in UTF-8", file.display()))?;
    Ok((CText::new(name, &text), sha256::hex(text.as_bytes())))
}

/// The options for loading the program of a specification.
pub(crate) fn load_options(args: &LoadArgs, specification: &Specification) -> Result<LoadOptions> {
    let mut options = load::options(args)?;
    // The competition's tasks assume that library functions are atomic: docs/sv-comp.md.
    options.libc = args.libc.unwrap_or(Libc::ThreadSafe);
    if options.entry.is_none() && specification.entry != "main" {
        options.entry = Some(specification.entry.clone());
    }
    Ok(options)
}

/// The properties that a specification asks about; the error names a claim that is not supported here.
pub(crate) fn properties(specification: &Specification) -> Result<Vec<Property>, String> {
    let mut properties = Vec::new();
    for claim in &specification.claims {
        let property = match claim {
            Claim::UnreachCall(function) => match function.as_str() {
                "reach_error" | "__VERIFIER_error" | "__assert_fail" => Property::Unreach,
                _ => return Err(format!("calls of `{function}` are not looked for")),
            },
            Claim::NoDataRace => Property::Race,
            Claim::ValidFree | Claim::ValidDeref | Claim::ValidMemtrack => Property::Memory,
            Claim::ValidMemcleanup | Claim::NoOverflow | Claim::Termination => {
                return Err(format!("{} is not decided", claim.name()));
            }
        };
        if !properties.contains(&property) {
            properties.push(property);
        }
    }
    Ok(properties)
}

/// Whether a specification asks for the claim of an assertion of the program.
pub(crate) fn is_asked(specification: &Specification, asserted: &ir::Claim) -> bool {
    specification.claims.iter().any(|claim| match claim {
        Claim::UnreachCall(function) => svcomp::is_call_of(asserted, function),
        _ => false,
    })
}

/// The line of the witness with the invariant that a violation refutes.
pub(crate) fn wrong_invariant(violation: &ir::Violation) -> Option<usize> {
    match violation.fault {
        ir::Fault::Claim(ir::Claim::Invariant(line)) => usize::try_from(line).ok(),
        _ => None,
    }
}

/// Whether a proof of the properties is a proof of the specification: memory leaks are not checked.
pub(crate) fn is_enough(specification: &Specification, program: &Program) -> bool {
    let allocates = |stmt: &Stmt| matches!(stmt, Stmt::Alloc { kind: AllocKind::Heap, .. });
    let mut edges = program.functions.iter().flat_map(|function| function.edges.iter());
    !specification.claims.contains(&Claim::ValidMemtrack) || !edges.any(|edge| allocates(&edge.stmt))
}

/// A question about a program, under sequential consistency. A task that asks about one property has no undefined
/// behaviour of another kind.
pub(crate) fn task<'p>(program: &'p Program, property: Property, jobs: &LimitArgs, budget: Budget) -> Task<'p> {
    let jobs = jobs.jobs.map_or_else(limits::processors, usize::from);
    let options = Options { jobs, assume_defined: true, ..Options::default() };
    Task { program, property, model: MemoryModel::Sc, options, budget, race_free: Default::default() }
}

/// Asks all engines.
pub(crate) fn solve(task: &Task<'_>) -> Verdict {
    let engine = plan::engine_named("auto").expect("there should be an engine `auto`");
    plan::solve(task, engine, false).outcome.verdict
}

/// Prints the reasons for an `unknown`.
pub(crate) fn say_reasons(property: Property, reasons: &[Reason]) {
    for reason in reasons {
        output::complain(&format!("unknown: {property}: {reason}"));
    }
}

/// Loads a text as if it were a file beside the original: it is written into a temporary folder of its own.
pub(crate) fn load_text(text: &str, original: &Path, mut options: LoadOptions) -> Result<Program, Vec<String>> {
    let folder = std::env::temp_dir().join(format!("heddle-{}-{}", std::process::id(), sha256::hex(text.as_bytes())));
    let name = original.file_name().map_or_else(|| PathBuf::from("program.c"), PathBuf::from);
    let file = folder.join(name);
    let beside = original.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    options.clang_args.push(format!("-I{}", beside.display()));
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, text));
    let loaded = written.map_err(|error| vec![format!("cannot write {}: {error}", file.display())]).and_then(|()| {
        let (program, diagnostics) = front::load(&[file], &options);
        program.ok_or_else(|| diagnostics.iter().map(ToString::to_string).collect())
    });
    // Leftovers are harmless.
    let _ = std::fs::remove_dir_all(&folder);
    loaded
}

/// Loads a program and prints its diagnostics.
pub(crate) fn load_program(file: &Path, options: &LoadOptions) -> Result<Program> {
    match load::load(&[file.to_path_buf()], options) {
        Some(program) => Ok(program),
        None => bail!("{} cannot be loaded", file.display()),
    }
}
