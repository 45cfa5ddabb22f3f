//! Loads the program a command is about, and the text of its source files for reports.

use crate::cli::LoadArgs;
use crate::output;
use anyhow::{anyhow, ensure, Result};
use base::Diagnostic;
use front::{LoadOptions, Project};
use ir::analysis::{AtomicPairs, AtomicRegion};
use ir::{AllocKind, Function, Program, Property, Stmt};
use std::path::PathBuf;
use witness::Sources;

/// The loading options of the command line.
pub(crate) fn options(args: &LoadArgs) -> Result<LoadOptions> {
    let project = args.project.as_deref().map(Project::read).transpose().map_err(|problem| {
        let help = problem.help.map(|help| format!("\n  help: {help}")).unwrap_or_default();
        anyhow!("{}{help}", problem.message)
    })?;
    let (data_model, entry, clang_args) = (args.data_model(), args.entry.clone(), args.clang_args());
    let libc = args.libc.unwrap_or_default();
    Ok(LoadOptions { data_model, entry, clang_args, project, libc, ..LoadOptions::default() })
}

/// Loads a program and prints its diagnostics to standard error; `None` if it cannot be used.
pub(crate) fn load(files: &[PathBuf], options: &LoadOptions) -> Option<Program> {
    let (program, diagnostics) = front::load(files, options);
    say(&diagnostics);
    program
}

/// Prints diagnostics to standard error.
pub(crate) fn say(diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        output::complain(&diagnostic.to_string());
    }
}

/// Checks that the regions meant to be atomic are in the program, and that the property is asked.
pub(crate) fn check_regions(program: &Program, properties: &[Property], regions: &[AtomicRegion]) -> Result<()> {
    let is_asked = properties.contains(&Property::Atomicity);
    ensure!(is_asked || regions.is_empty(), "--atomic-region is for the property atomicity");
    match regions {
        [] => Ok(()),
        regions => AtomicPairs::new(program, regions).map(drop).map_err(|problem| anyhow!(problem)),
    }
}

/// Whether the restricting variable, if there is one, exists and can be asked about.
pub(crate) fn check_variable(
    program: &Program,
    name: Option<&str>,
    engine: &str,
    properties: &[Property],
) -> Result<()> {
    let Some(name) = name else { return Ok(()) };
    ensure!(engine == "tar" && properties == [Property::Race], "--on is for the engine tar and the property race");
    let is_static = program.objects.iter().any(|object| object.name == name);
    let is_local = |function: &Function| {
        let is_called_so = |stmt: &Stmt| {
            matches!(stmt, Stmt::Alloc { kind: AllocKind::Stack, name: variable, .. }
                if format!("{variable} of {}", function.name) == name)
        };
        function.edges.iter().any(|edge| is_called_so(&edge.stmt))
    };
    // The engine knows whether that is an allocation site.
    let is_allocated = name.starts_with("memory allocated at ");
    let is_there = is_static || is_allocated || program.functions.iter().any(is_local);
    ensure!(is_there, "there is no variable {name} (a local one is called `NAME of FUNCTION`)");
    Ok(())
}

/// The lines of the program's source files, as far as they can be read.
pub(crate) fn sources(program: &Program) -> Sources {
    const LARGEST: u64 = 64 << 20;
    Sources::new(program, |name| {
        let is_small = std::fs::metadata(name).is_ok_and(|file| file.is_file() && file.len() <= LARGEST);
        let bytes = if is_small { std::fs::read(name).ok()? } else { return None };
        Some(String::from_utf8_lossy(&bytes).into_owned())
    })
}
