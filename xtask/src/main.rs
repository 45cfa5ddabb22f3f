//! `cargo xtask`: work on Heddle itself. The commands are thin; what they do is in the library beside this file.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;
use xtask::programs::{self, Feature, Settings};

/// Work on Heddle itself.
#[derive(Parser)]
#[command(name = "xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Checks dependency edges, file headers, lengths, leftovers, documents
    Tidy,
    /// Writes random concurrent C programs
    Gen {
        #[command(flatten)]
        seeds: Seeds,
        #[command(flatten)]
        shape: Shape,
        /// Write seed-N.c files into this directory instead of standard output
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

#[derive(Args)]
struct Seeds {
    /// The first seed
    #[arg(long, value_name = "N")]
    seed: u64,
    /// How many seeds, counting up
    #[arg(long, value_name = "K", default_value_t = 1)]
    count: u64,
}

#[derive(Args)]
struct Shape {
    /// How large programs may be, from 1
    #[arg(long, value_name = "N", default_value_t = Settings::default().size)]
    size: u32,
    /// What programs may contain; everything by default
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    features: Option<Vec<Feature>>,
}

impl Shape {
    fn settings(&self) -> Settings {
        let features = match &self.features {
            Some(features) => features.iter().copied().collect(),
            None => Settings::default().features,
        };
        Settings { size: self.size, features }
    }
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all is well; what is not has been printed.
fn run(cli: Cli) -> Result<bool> {
    match cli.command {
        Command::Tidy => tidy(),
        Command::Gen { seeds, shape, out } => generate(&seeds, &shape.settings(), out),
    }
}

fn tidy() -> Result<bool> {
    let findings = xtask::tidy::check(&root())?;
    for finding in &findings {
        println!("{finding}");
    }
    let errors = findings.iter().filter(|finding| !finding.is_question).count();
    println!("tidy: {errors} errors, {} questions", findings.len() - errors);
    Ok(errors == 0)
}

/// The root of the workspace.
fn root() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().map(PathBuf::from).unwrap_or(manifest)
}

fn generate(seeds: &Seeds, settings: &Settings, out: Option<PathBuf>) -> Result<bool> {
    if let Some(dir) = &out {
        std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    }
    for seed in seeds.seed..seeds.seed.saturating_add(seeds.count) {
        let text = programs::source(seed, settings);
        match &out {
            None => print!("{text}"),
            Some(dir) => {
                let path = dir.join(format!("seed-{seed}.c"));
                std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
    }
    Ok(true)
}
