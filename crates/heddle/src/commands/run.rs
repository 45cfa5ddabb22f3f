//! `heddle run`: random runs in the reference interpreter.

use super::report;
use crate::cli::RunArgs;
use crate::limits::Limits;
use crate::status::Status;
use crate::{load, output};
use anyhow::{anyhow, Result};
use check::{Counterexample, Inputs};
use interp::{Config, InputDomain, Machine, Run, RunEnd};
use ir::{Program, Schedule, Violation};
use witness::trace::TraceProgram;
use witness::{Story, Trace};

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<Status> {
    let budget = Limits::new(args.timeout, None).budget();
    let Some(program) = load::load(&args.files, &load::options(&args.load)) else {
        return Ok(Status::BadInput);
    };
    let machine = Machine::new(&program, config(args));
    for seed in (0..args.runs).map(|run| args.seed.wrapping_add(run)) {
        let run = interp::random_run(&machine, seed, args.max_steps, &budget, None);
        let steps = run.steps.len();
        let noun = if steps == 1 { "step" } else { "steps" };
        output::emit(&format!("seed {seed}: {} ({steps} {noun})\n", plan::validate::describe(&run.end)))?;
        match &run.end {
            RunEnd::Violation(violation) => {
                show(args, &program, &run, violation)?;
                return Ok(Status::Unsafe);
            }
            RunEnd::Stopped(_) => break,
            RunEnd::Finished
            | RunEnd::Deadlocked(_)
            | RunEnd::Unmodelled { .. }
            | RunEnd::Undefined(_)
            | RunEnd::StepLimit => {}
        }
    }
    Ok(Status::Unknown)
}

fn config(args: &RunArgs) -> Config {
    let inputs = match &args.input.inputs {
        Some(values) => InputDomain { values: values.clone(), exclusive: true },
        None => InputDomain::default(),
    };
    Config { model: args.memory_model, property: args.property, inputs }
}

fn show(args: &RunArgs, program: &Program, run: &Run, violation: &Violation) -> Result<()> {
    let schedule = Schedule { model: args.memory_model, property: args.property, steps: run.steps.clone() };
    let counterexample = Counterexample { schedule, violation: violation.clone() };
    let machine = Machine::new(program, config(args));
    let story = Story::of_counterexample(program, &machine, &counterexample, &load::sources(program))
        .map_err(|problem| anyhow!("the run cannot be replayed, which is a defect of Heddle: {problem}"))?;
    let style = output::lane_style(args.color, args.full, false);
    let remark = format!("{} under {}; replayed", args.property, args.memory_model);
    output::emit(&format!("\n{}", report::violation(&story, &remark, &style)))?;
    if let Some(file) = &args.trace_out {
        let trace_program = TraceProgram {
            files: args.files.iter().map(|file| file.display().to_string()).collect(),
            data_model: program.data_model.name().to_owned(),
            entry: args.load.entry.clone(),
            clang_args: args.load.clang_args(),
        };
        let inputs = Inputs { values: args.input.inputs.clone(), promised: false };
        let trace = Trace::new(trace_program, &counterexample, &inputs, env!("CARGO_PKG_VERSION"));
        output::write_whole(file, trace.to_json().as_bytes())?;
        output::emit(&format!("trace: {}\n", file.display()))?;
    }
    Ok(())
}
