//! An answer that could not be confirmed leaves a file with the material to reproduce the defect.

use crate::output;
use anyhow::Result;
use check::Task;
use plan::Reproducer;
use serde_json::json;
use std::path::Path;
use witness::trace::TraceProgram;
use witness::Trace;

/// Writes the reproducer into the current directory, or the directory for temporary files, and returns its name.
pub(crate) fn write(reproducer: &Reproducer, task: &Task<'_>, program: &TraceProgram) -> Result<String> {
    let version = env!("CARGO_PKG_VERSION");
    let inputs = &task.options.inputs;
    let trace = reproducer
        .counterexample
        .as_ref()
        .map(|counterexample| Trace::new(program.clone(), counterexample, inputs, version))
        .map(|trace| trace.with_regions(&task.options.atomic_regions));
    let contents = json!({
        "schema": "heddle-defect/1",
        "heddle": version,
        "command": std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>(),
        "property": task.property,
        "model": task.model,
        "claim": reproducer.claim.name(),
        "problem": reproducer.problem,
        "program": program,
        "trace": trace,
    });
    let text = format!("{contents:#}\n");
    let name = format!("heddle-defect-{}-{}.json", task.property, std::process::id());
    if output::write_whole(Path::new(&name), text.as_bytes()).is_ok() {
        return Ok(name);
    }
    let elsewhere = std::env::temp_dir().join(name);
    output::write_whole(&elsewhere, text.as_bytes())?;
    Ok(elsewhere.display().to_string())
}
