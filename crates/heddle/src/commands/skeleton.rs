//! `heddle skeleton`: prints the shared accesses of a program's threads, or draws them.

use crate::cli::SkeletonArgs;
use crate::status::Status;
use crate::{load, output};
use anyhow::Result;
use base::Budget;
use check::{Options, Task};
use ir::{MemoryModel, Property};

/// Runs the command.
pub(crate) fn run(args: &SkeletonArgs) -> Result<Status> {
    let Some(program) = load::load(&args.files, &load::options(&args.load)?) else {
        return Ok(Status::BadInput);
    };
    let task = Task {
        program: &program,
        property: Property::Unreach,
        model: MemoryModel::Sc,
        options: Options { bound: Some(args.bound), ..Options::default() }.with(args.unroll.clone()),
        budget: Budget::unlimited(),
        race_free: Default::default(),
    };
    let picture = match engines::staged::picture(&task) {
        Ok(picture) => picture,
        Err(reason) => {
            output::complain(&format!("unknown: {reason}"));
            return Ok(Status::Unknown);
        }
    };
    let text = match (args.dot, args.svg) {
        (true, _) => picture.dot(),
        (false, true) => picture.svg(),
        (false, false) => picture.text(),
    };
    output::deliver(&text, args.output.as_deref())?;
    Ok(Status::Safe)
}
