//! `heddle init`: a `heddle.toml` to begin with.

use crate::cli::InitArgs;
use crate::config::NAME;
use crate::output;
use crate::status::Status;
use anyhow::{bail, ensure, Result};
use std::path::Path;

/// Where build tools put their compile commands.
const BUILD_DIRECTORIES: &[&str] = &[".", "build", "builddir", "out", "_build", "cmake-build-debug"];

/// Runs the command.
pub(crate) fn run(args: &InitArgs) -> Result<Status> {
    ensure!(args.dir.is_dir(), "{} is not a directory", args.dir.display());
    let file = args.dir.join(NAME);
    if file.exists() {
        bail!("{} is there already", file.display());
    }
    let build = build_directory(&args.dir);
    output::write_whole(&file, settings(build.as_deref()).as_bytes())?;
    let next = match build {
        Some(dir) => format!("compile commands found in {dir}; next: heddle check --entry FUNCTION"),
        None => "no compile commands found; next: heddle check FILE".to_owned(),
    };
    output::emit(&format!("wrote {}\n{next}\n", file.display()))?;
    Ok(Status::Safe)
}

/// The directory with the compile commands: one with a usual name, or else the first subdirectory that has them.
fn build_directory(project: &Path) -> Option<String> {
    let mut below: Vec<String> = std::fs::read_dir(project)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    below.sort();
    let usual = BUILD_DIRECTORIES.iter().map(|dir| (*dir).to_owned());
    usual.chain(below).find(|dir| has_commands(&project.join(dir)))
}

fn has_commands(dir: &Path) -> bool {
    dir.join("compile_commands.json").is_file()
}

fn settings(build: Option<&str>) -> String {
    let project = match build {
        Some(dir) => format!("project = {}", toml::Value::from(dir)),
        None => "# project = \"build\"".to_owned(),
    };
    format!(
        "\
# Settings of `heddle check`: its options by their long names. What is said on the command line counts instead.
# Paths are relative to this file.
[check]
# Where compile_commands.json is: how files are compiled, and where the functions are that a file calls.
{project}
# The function that the program starts in.
# entry = \"main\"

# unreach, race, deadlock, locks, memory, atomicity; or \"all\", which leaves atomicity out.
property = [\"unreach\", \"race\", \"deadlock\"]
# The machine's memory model: sc, tso (x86), pso, ra (C11's acquire and release).
memory-model = \"sc\"
# Seconds for a run; what is not decided by then is unknown.
timeout = 60

# Answers are kept here and taken from here while nothing changes. Do not check it in.
cache = \".heddle/cache\"
# What is known and does not count; `heddle check --update-baseline` writes it. Check it in.
# baseline = \"heddle.baseline.json\"
"
    )
}
