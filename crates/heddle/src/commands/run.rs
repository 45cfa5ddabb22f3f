//! `heddle run`: random runs in the reference interpreter.

use super::report;
use crate::cli::RunArgs;
use crate::limits::{Guard, Limits};
use crate::status::Status;
use crate::{load, output};
use anyhow::{anyhow, Result};
use base::{Budget, Part};
use check::{Counterexample, Inputs, Reason};
use interp::{Config, InputDomain, Machine, Run, RunEnd};
use ir::{Program, Property, Schedule, Violation};
use witness::trace::TraceProgram;
use witness::{Story, Trace};

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<Status> {
    let limits = Limits::new(args.timeout, None);
    let budget = limits.budget();
    let guard = Guard::start(limits, &budget, |stop| {
        // Nothing can be done if even the last message cannot be written.
        let _ = output::emit(&format!("{}\n", Reason::from(stop).detail));
        Status::Unknown
    });
    let (program, diagnostics) = front::load(&args.files, &load::options(&args.load)?);
    guard.loaded();
    let Some(program) = program else {
        guard.report_or_wait();
        load::say(&diagnostics);
        return Ok(Status::BadInput);
    };
    load::say(&diagnostics);
    let properties = &args.property.0;
    if let Err(problem) = load::check_regions(&program, properties, &args.atomic_region) {
        guard.report_or_wait();
        return Err(problem);
    }
    let mut status = Status::Unknown;
    for (index, property) in properties.iter().enumerate() {
        let share = budget.part(Part::OneOf((properties.len() - index) as u32));
        if run_for(args, &program, *property, &share, status == Status::Unknown)? {
            status = Status::Unsafe;
        }
    }
    guard.report_or_wait();
    Ok(status)
}

/// The runs for one property; returns whether one violated it. The trace is written if `is_first`.
fn run_for(args: &RunArgs, program: &Program, property: Property, budget: &Budget, is_first: bool) -> Result<bool> {
    let machine = Machine::new(program, config(args, property));
    let name = if args.property.0.len() > 1 { format!("{property}, ") } else { String::new() };
    for seed in (0..args.runs).map(|run| args.seed.wrapping_add(run)) {
        let run = interp::random_run(&machine, seed, args.max_steps, budget, None);
        let steps = run.steps.len();
        let noun = if steps == 1 { "step" } else { "steps" };
        output::emit(&format!("{name}seed {seed}: {} ({steps} {noun})\n", plan::validate::describe(&run.end)))?;
        match &run.end {
            RunEnd::Violation(violation) => {
                show(args, program, &run, (property, violation), (is_first, budget))?;
                return Ok(true);
            }
            RunEnd::Stopped(_) => break,
            RunEnd::Finished
            | RunEnd::Deadlocked(_)
            | RunEnd::Unmodelled { .. }
            | RunEnd::Undefined(_)
            | RunEnd::StepLimit => {}
        }
    }
    Ok(false)
}

fn config(args: &RunArgs, property: Property) -> Config {
    let inputs = match &args.input.inputs {
        Some(values) => InputDomain { values: values.clone(), exclusive: true },
        None => InputDomain::default(),
    };
    Config {
        model: args.memory_model,
        property,
        inputs,
        regions: args.atomic_region.clone(),
        race_free: Default::default(),
    }
}

fn show(
    args: &RunArgs,
    program: &Program,
    run: &Run,
    (property, violation): (Property, &Violation),
    (is_first, budget): (bool, &Budget),
) -> Result<()> {
    let schedule = Schedule { model: args.memory_model, property, steps: run.steps.clone() };
    let counterexample = Counterexample { schedule, violation: violation.clone() };
    let machine = Machine::new(program, config(args, property));
    let (counterexample, story) = Story::shortest(program, &machine, &counterexample, &load::sources(program), budget)
        .map_err(|problem| anyhow!("the run cannot be replayed, which is a defect of Heddle: {problem}"))?;
    let style = output::lane_style(args.color, args.full, false);
    let remark = format!("{property} under {}; replayed", args.memory_model);
    output::emit(&format!("\n{}", report::violation(&story, &remark, &style)))?;
    if let Some(file) = args.trace_out.as_ref().filter(|_| is_first) {
        let trace_program = TraceProgram {
            files: args.files.iter().map(|file| file.display().to_string()).collect(),
            data_model: program.data_model.name().to_owned(),
            entry: args.load.entry.clone(),
            clang_args: args.load.clang_args(),
            libc: args.load.libc_name(),
        };
        let inputs = Inputs { values: args.input.inputs.clone(), promised: false };
        let trace = Trace::new(trace_program, &counterexample, &inputs, env!("CARGO_PKG_VERSION"))
            .with_regions(&args.atomic_region);
        output::write_whole(file, trace.to_json().as_bytes())?;
        output::emit(&format!("trace: {}\n", file.display()))?;
    }
    Ok(())
}
