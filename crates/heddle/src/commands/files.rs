//! The files that can be written beside a report: a page, SARIF, a graph.

use crate::cli::OutputArgs;
use crate::output::write_whole;
use crate::status::Status;
use anyhow::Result;
use witness::{Report, Sources};

/// Writes the requested files, and returns a line about each.
pub(crate) fn write(to: &OutputArgs, report: &Report, sources: &Sources, status: Status) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    if let Some(file) = &to.html {
        write_whole(file, witness::html::page(report, sources).as_bytes())?;
        lines.push(format!("HTML report: {}", file.display()));
    }
    if let Some(file) = &to.sarif {
        write_whole(file, witness::sarif::write(report, status.code()).as_bytes())?;
        lines.push(format!("SARIF report: {}", file.display()));
    }
    let story = report.results.iter().find_map(|result| result.counterexample.as_ref());
    if let (Some(file), Some(story)) = (&to.dot, story) {
        write_whole(file, witness::dot::draw(story).as_bytes())?;
        lines.push(format!("graph of {}: {}", story.property, file.display()));
    }
    Ok(lines)
}
