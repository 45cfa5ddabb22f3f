//! `heddle tree`: prints the proof of the engine `impact`, as an invariant per location or for Graphviz.

use crate::cli::TreeArgs;
use crate::status::Status;
use crate::{load, output};
use anyhow::Result;
use base::Budget;
use check::{Options, Task};

/// Runs the command.
pub(crate) fn run(args: &TreeArgs) -> Result<Status> {
    let Some(program) = load::load(&args.files, &load::options(&args.load)?) else {
        return Ok(Status::BadInput);
    };
    let options = Options::default().with(args.impact.clone());
    let (property, model) = (args.property, args.memory_model);
    let task = Task {
        program: &program,
        property,
        model,
        options,
        budget: Budget::new(args.timeout, None),
        race_free: Default::default(),
    };
    let (text, status) = match engines::impact::picture(&task) {
        Ok(picture) if args.dot => (picture.to_dot(), Status::Safe),
        Ok(picture) => (picture.invariants(), Status::Safe),
        Err(problem) => (format!("no proof: {problem}\n"), Status::Unknown),
    };
    output::deliver(&text, args.output.as_deref())?;
    Ok(status)
}
