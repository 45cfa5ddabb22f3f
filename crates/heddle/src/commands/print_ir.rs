//! `heddle ir`: prints the core form of a program, or draws it.

use crate::cli::IrArgs;
use crate::status::Status;
use crate::{load, output};
use anyhow::Result;

/// Runs the command.
pub(crate) fn run(args: &IrArgs) -> Result<Status> {
    let Some(program) = load::load(&args.files, &load::options(&args.load)?) else {
        return Ok(Status::BadInput);
    };
    let text = if args.dot { ir::dot::program_dot(&program) } else { ir::print::print(&program) };
    output::deliver(&text, args.output.as_deref())?;
    Ok(Status::Safe)
}
