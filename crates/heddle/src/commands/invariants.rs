//! `heddle invariants`: prints the invariants of the thread-modular analysis, per thread and line.

use crate::cli::InvariantsArgs;
use crate::status::Status;
use crate::{load, output};
use anyhow::Result;
use base::Budget;
use check::{Options, Task};
use ir::Property;
use std::fmt::Write;

/// Runs the command.
pub(crate) fn run(args: &InvariantsArgs) -> Result<Status> {
    let Some(program) = load::load(&args.files, &load::options(&args.load)?) else {
        return Ok(Status::BadInput);
    };
    let budget = Budget::new(args.timeout, None);
    let options = Options { strengthen_relaxed: true, ..Options::default() }.with(args.priori.clone());
    let task = Task {
        program: &program,
        property: Property::Unreach,
        model: args.memory_model,
        options,
        budget,
        race_free: Default::default(),
    };
    let mut text = String::new();
    let status = match engines::priori::invariants(&task) {
        Ok(threads) => {
            for thread in threads {
                writeln!(text, "thread {}", thread.name)?;
                for line in thread.lines {
                    let values: Vec<String> =
                        line.values.iter().map(|(name, value)| format!("{name} {value}")).collect();
                    let known = if values.is_empty() { "nothing known".to_owned() } else { values.join(", ") };
                    writeln!(text, "  {}: {known}", program.place(line.at))?;
                }
            }
            Status::Safe
        }
        Err(reasons) => {
            for reason in reasons {
                writeln!(text, "unknown: {reason}")?;
            }
            Status::Unknown
        }
    };
    output::deliver(&text, args.output.as_deref())?;
    Ok(status)
}
