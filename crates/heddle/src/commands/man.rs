//! `heddle man` and `heddle completions`: generated from the grammar of the command line, so that they cannot disagree
//! with it.

use crate::cli::{Cli, CompletionsArgs, ManArgs};
use crate::output;
use crate::status::Status;
use anyhow::{bail, Context, Result};
use clap::CommandFactory;

/// Runs `heddle man`.
pub(crate) fn run(args: &ManArgs) -> Result<Status> {
    let mut heddle = Cli::command();
    heddle.build();
    if let Some(dir) = &args.dir {
        std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
        output::write_whole(&dir.join("heddle.1"), &page(&heddle)?)?;
        for command in heddle.get_subcommands().filter(|command| command.get_name() != "help") {
            output::write_whole(&dir.join(format!("heddle-{}.1", command.get_name())), &page(command)?)?;
        }
        return Ok(Status::Safe);
    }
    let bytes = match &args.command {
        None => page(&heddle)?,
        Some(name) => match heddle.find_subcommand(name) {
            Some(command) => page(command)?,
            None => bail!("there is no command `{name}`"),
        },
    };
    output::emit(&String::from_utf8_lossy(&bytes))?;
    Ok(Status::Safe)
}

fn page(command: &clap::Command) -> Result<Vec<u8>> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let mut bytes = Vec::new();
    clap_mangen::Man::new(command.clone()).title(name).render(&mut bytes).context("cannot make the page")?;
    Ok(bytes)
}

/// Runs `heddle completions`.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Status> {
    let mut bytes = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "heddle", &mut bytes);
    output::emit(&String::from_utf8_lossy(&bytes))?;
    Ok(Status::Safe)
}
