//! `heddle smt2`: runs an SMT-LIB script with Heddle's own solver.

use crate::cli::Smt2Args;
use crate::limits::{Guard, Limits};
use crate::status::Status;
use crate::{load, output};
use anyhow::{Context, Result};
use base::{Diagnostic, Stop};
use smt::script::Session;
use std::io::Read;

/// Runs the command.
pub(crate) fn run(args: &Smt2Args) -> Result<Status> {
    let limits = Limits::new(args.timeout, args.memory_limit);
    let budget = limits.budget();
    let guard = Guard::start(limits, &budget, |stop| {
        let why = match stop {
            Stop::Time => "the time limit is reached",
            Stop::Memory => "the memory limit is reached",
            Stop::Cancelled => "interrupted",
        };
        output::complain(&format!("error: {why}"));
        Status::Unknown
    });
    guard.loaded();
    let (name, bytes) = read(args)?;
    let mut written = Ok(());
    let result = match std::str::from_utf8(&bytes) {
        Ok(script) => Session::new().run(script, &budget, &mut |text| {
            if written.is_ok() {
                written = output::emit(text);
            }
        }),
        Err(error) => {
            let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let line = good.matches('\n').count() + 1;
            let column = good.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
            load::say(&[Diagnostic::error("the text is not UTF-8").at(format!("{name}:{line}:{column}"))]);
            return Ok(Status::BadInput);
        }
    };
    guard.report_or_wait();
    written?;
    match result {
        Ok(()) => Ok(Status::Safe),
        Err(error) => {
            load::say(&[Diagnostic::error(error.message).at(format!("{name}:{}", error.place))]);
            Ok(Status::BadInput)
        }
    }
}

/// The script and its name in messages.
fn read(args: &Smt2Args) -> Result<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    if args.file.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
        return Ok(("<stdin>".to_owned(), bytes));
    }
    let name = args.file.display().to_string();
    let bytes = std::fs::read(&args.file).with_context(|| format!("cannot read {name}"))?;
    Ok((name, bytes))
}
