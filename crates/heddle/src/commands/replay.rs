//! `heddle replay`: follows a recorded schedule step by step.

use super::{files, report};
use crate::cli::{Format, ReplayArgs};
use crate::status::Status;
use crate::{limits, load, output};
use anyhow::{anyhow, bail, Context, Result};
use base::Stats;
use check::{Counterexample, Verdict};
use front::LoadOptions;
use interp::{Config, InputDomain, Machine, RunEnd};
use ir::analysis::AtomicPairs;
use ir::Program;
use std::path::{Path, PathBuf};
use std::time::Instant;
use witness::report::{PropertyReport, SCHEMA};
use witness::{Report, Story, Trace};

/// Runs the command.
pub(crate) fn run(args: &ReplayArgs) -> Result<Status> {
    let started = Instant::now();
    let (file, program_files) = args.paths.split_last().expect("the command line should require a path");
    if program_files.is_empty() && args.load.project.is_none() {
        bail!("the program is missing\n  help: the order is `heddle replay PROGRAM TRACE`");
    }
    let name = file.display();
    let text = read(file)?;
    let trace = Trace::from_json(&text).map_err(|problem| anyhow!("{name}: {problem}{}", hint(program_files)))?;
    let Some(program) = load::load(program_files, &load_options(args, &trace)?) else {
        return Ok(Status::BadInput);
    };
    let values = trace.inputs().map_err(|problem| anyhow!("{name}: {problem}"))?;
    let inputs = values.map_or_else(InputDomain::default, |values| InputDomain { values, exclusive: true });
    let regions = trace.regions().map_err(|problem| anyhow!("{name}: {problem}"))?;
    AtomicPairs::new(&program, &regions).map_err(|problem| anyhow!("{name} does not fit the program: {problem}"))?;
    let config =
        Config { model: trace.model, property: trace.property, inputs, regions, race_free: Default::default() };
    let machine = Machine::new(&program, config);
    let end = match interp::replay(&machine, &trace.steps, None) {
        Ok(end) => end,
        Err(error) => bail!("{name} does not fit the program: {error}"),
    };
    let RunEnd::Violation(violation) = &end else {
        output::emit(&format!("the run ends without a violation: {}\n", plan::validate::describe(&end)))?;
        return Ok(Status::Unknown);
    };
    let what = (trace.model, trace.property);
    let sources = load::sources(&program);
    let story = Story::of_run(&program, &machine, what, (&trace.steps, Some(violation)), &sources)
        .map_err(|problem| anyhow!("{name} does not fit the program: {problem}"))?;
    let to = &args.output;
    let counterexample = Counterexample { schedule: trace.schedule(), violation: violation.clone() };
    let report = whole_report(program_files, &program, counterexample, &story, started);
    let written = files::write(to, &report, &sources, Status::Unsafe)?;
    let text = match to.format {
        Format::Json => format!("{:#}\n", serde_json::to_value(&story).context("cannot write the story")?),
        Format::Text => {
            let remark = format!("{} under {}; replayed from {name}", trace.property, trace.model);
            let drawn = report::violation(&story, &remark, &output::lane_style(to.color, to.full, to.output.is_some()));
            let lines: String = written.iter().map(|line| format!("{line}\n")).collect();
            drawn + &lines
        }
    };
    output::deliver(&text, to.output.as_deref())?;
    Ok(Status::Unsafe)
}

/// A report with the replayed run as its only result.
fn whole_report(
    files: &[PathBuf],
    program: &Program,
    counterexample: Counterexample,
    story: &Story,
    started: Instant,
) -> Report {
    let seconds = started.elapsed().as_secs_f64();
    let (property, memory_model) = (story.property, story.model);
    let verdict = Verdict::Unsafe(Box::new(counterexample));
    let mut result = PropertyReport::new(property, "replay", &verdict, &Stats::default(), seconds);
    result.confirmed = Some("replayed".to_owned());
    result.counterexample = Some(story.clone());
    Report {
        schema: SCHEMA.to_owned(),
        heddle: env!("CARGO_PKG_VERSION").to_owned(),
        files: files.iter().map(|file| file.display().to_string()).collect(),
        data_model: Some(program.data_model.name().to_owned()),
        memory_model,
        settings: None,
        verdict: Status::Unsafe.answer(),
        results: vec![result],
        diagnostics: vec![],
        seconds,
        memory_mb: limits::peak_megabytes(),
    }
}

/// The text of a file that should be a trace; a file that is not text is not a trace either.
fn read(file: &Path) -> Result<String> {
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The hint for a trace given in place of the program.
fn hint(program_files: &[PathBuf]) -> String {
    let is_trace = |file: &&PathBuf| read(file).is_ok_and(|text| Trace::from_json(&text).is_ok());
    match program_files.iter().find(is_trace) {
        Some(file) => {
            format!("\n  help: {} is one; the order is `heddle replay PROGRAM TRACE`", file.display())
        }
        None => String::new(),
    }
}

/// The options of the trace, unless the command line overrides them.
fn load_options(args: &ReplayArgs, trace: &Trace) -> Result<LoadOptions> {
    let given = load::options(&args.load)?;
    let mut clang_args = trace.program.clang_args.clone();
    clang_args.extend(given.clang_args.into_iter().filter(|arg| !trace.program.clang_args.contains(arg)));
    let libc = trace.program.libc.as_deref().map(str::parse::<front::Libc>).transpose();
    let libc = libc.map_err(|problem| anyhow!("the trace is damaged: {problem}"))?;
    Ok(LoadOptions {
        libc: args.load.libc.or(libc).unwrap_or_default(),
        data_model: given.data_model.or(trace.program.data_model()),
        entry: given.entry.or_else(|| trace.program.entry.clone()),
        clang_args,
        project: given.project,
        ..LoadOptions::default()
    })
}
