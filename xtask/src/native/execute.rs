//! Builds and runs C programs natively, with limits, and asks Heddle about the same files.

use anyhow::{Context, Result};
use base::Budget;
use check::{Options, ReasonKind, Task, Verdict};
use front::LoadOptions;
use ir::{MemoryModel, Property};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A temporary directory.
pub(crate) struct Workplace(PathBuf);

impl Workplace {
    pub(crate) fn new(purpose: &str) -> Result<Workplace> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let (process, number) = (std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(format!("heddle-{purpose}-{process}-{number}"));
        std::fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Workplace(path))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.path(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// How a process ended, and its output. Output goes through a file, so that much output does not block the process.
pub(crate) struct Ran {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
}

/// Runs a command; `None` if it does not end in time.
pub(crate) fn run(command: &mut Command, place: &Workplace, timeout: Duration) -> Result<Option<Ran>> {
    let path = place.path("stdout");
    let file = std::fs::File::create(&path).context("cannot make a file for output")?;
    command.stdin(Stdio::null()).stdout(file).stderr(Stdio::null());
    let mut child = command.spawn().with_context(|| format!("cannot run {command:?}"))?;
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            let stdout = std::fs::read(&path).context("cannot read the output")?;
            return Ok(Some(Ran { status, stdout }));
        }
        if started.elapsed() > timeout {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Builds files with a compiler and runs them; `None` if they do not build or do not end in time.
pub(crate) fn build_and_run(
    compiler: &str,
    args: &[&str],
    files: &[&Path],
    place: &Workplace,
    timeout: Duration,
) -> Result<Option<Ran>> {
    let binary = place.path("binary");
    let mut command = Command::new(compiler);
    command.arg("-w").args(args).args(files).arg("-o").arg(&binary).args(["-lm", "-lpthread"]);
    match run(&mut command, place, Duration::from_secs(60))? {
        Some(built) if built.status.success() => run(&mut Command::new(&binary), place, timeout),
        _ => Ok(None),
    }
}

/// Heddle's answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Decision {
    Safe,
    Unsafe(String),
    /// The kinds of reasons, and the first in words.
    Unknown {
        kinds: BTreeSet<&'static str>,
        detail: String,
    },
}

impl Decision {
    fn unknown(kind: &'static str, detail: String) -> Decision {
        Decision::Unknown { kinds: BTreeSet::from([kind]), detail }
    }
}

/// Whether an assertion of the program fails, by an engine of the plan, under `sc`.
pub(crate) fn decide(files: &[PathBuf], options: &LoadOptions, engine: &str, timeout: Duration) -> Result<Decision> {
    let (program, diagnostics) = front::load(files, options);
    let Some(program) = program else {
        let said: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
        return Ok(Decision::unknown("does not load", said.join("; ")));
    };
    let engine = plan::engine_named(engine).context("the engine")?;
    let budget = Budget::new(Some(timeout), Some(MEMORY));
    let (property, model) = (Property::Unreach, MemoryModel::Sc);
    let task =
        Task { program: &program, property, model, options: Options::default(), budget, race_free: Default::default() };
    Ok(match plan::solve(&task, engine, false).outcome.verdict {
        Verdict::Safe { .. } => Decision::Safe,
        Verdict::Unsafe(counterexample) => Decision::Unsafe(counterexample.violation.message()),
        Verdict::Unknown(reasons) => {
            let is_resource = |kind| matches!(kind, ReasonKind::Time | ReasonKind::Memory);
            let detail = reasons.iter().find(|r| !is_resource(r.kind)).or(reasons.first());
            Decision::Unknown {
                kinds: reasons.iter().map(|reason| reason.kind.name()).collect(),
                detail: detail.map(|reason| reason.detail.clone()).unwrap_or_default(),
            }
        }
    })
}

/// The memory limit for one question.
const MEMORY: u64 = 2 << 30;
