//! The command line of Heddle. This crate is the only one that prints or touches files; `main` parses the arguments,
//! runs one command on a thread with a large stack, and turns a panic, which is a defect of Heddle, into a message and
//! exit status 4.

mod cli;
mod commands;
mod config;
mod crash;
mod limits;
mod load;
mod output;
mod status;

use cli::{Cli, Command};
use status::Status;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match config::parse(cli::normalised_args(std::env::args_os())) {
        Ok(Ok(cli)) => cli,
        Err(problem) => {
            output::complain(&format!("error: {problem:#}"));
            return Status::BadInput.into();
        }
        Ok(Err(message)) => {
            let status = if message.use_stderr() { Status::BadInput } else { Status::Safe };
            // Nothing can be done if even the message cannot be written.
            let _ = message.print();
            if let Some(switch) = config::switch_of_lab(&message) {
                output::complain(&format!(
                    "  tip: `{switch}` is a switch of `heddle lab`, which takes everything that `heddle check` takes"
                ));
            }
            return status.into();
        }
    };
    crash::guarded(move || run(cli)).into()
}

fn run(cli: Cli) -> Status {
    let result = match cli.command {
        Command::Check(args) => commands::check::run(*args),
        Command::Lab(args) => commands::check::run(args.into_check()),
        Command::Run(args) => commands::run::run(&args),
        Command::Replay(args) => commands::replay::run(&args),
        Command::Ir(args) => commands::print_ir::run(&args),
        Command::Invariants(args) => commands::invariants::run(&args),
        Command::Tree(args) => commands::tree::run(&args),
        Command::Skeleton(args) => commands::skeleton::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Smt2(args) => commands::smt2::run(&args),
        Command::SvComp(args) => commands::sv_comp::run(args),
        Command::Validate(args) => commands::validate::run(args),
        Command::Init(args) => commands::init::run(&args),
        Command::Man(args) => commands::man::run(&args),
        Command::Completions(args) => commands::man::completions(&args),
    };
    result.unwrap_or_else(|error| {
        output::complain(&format!("error: {error:#}"));
        Status::BadInput
    })
}
