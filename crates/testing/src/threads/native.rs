//! Native execution: a program is built with the harness, with and without sanitizers, and run. Only the exit status
//! and the printed outcomes are examined, so nothing depends on the wording of reports.

use anyhow::{ensure, Context, Result};
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const HARNESS: &str = include_str!("harness.h");
const THREADS: &str = include_str!("instrumented/threads.h");

/// The exit status of sanitizers that have reported something.
const REPORTED: i32 = 77;
/// The time after which a run counts as stuck.
const LONGEST: Duration = Duration::from_secs(60);

/// How a program is built.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Build {
    /// Without sanitizers, by this compiler at this level: the index into [`PLAIN`].
    Plain(usize),
    /// With ThreadSanitizer.
    Thread,
    /// With AddressSanitizer, lifetimes of variables included, and UndefinedBehaviorSanitizer.
    Address,
}

/// The compilers and levels of plain builds.
const PLAIN: [(&str, &str); 4] = [("clang", "-O0"), ("clang", "-O2"), ("gcc", "-O1"), ("gcc", "-O2")];

impl Build {
    /// The plain build that a seed chooses.
    pub fn plain(seed: u64) -> Build {
        Build::Plain((seed % PLAIN.len() as u64) as usize)
    }

    fn command(self, is_cxx: bool, dir: &Path) -> Command {
        let family = match self {
            Build::Plain(index) => PLAIN[index].0,
            Build::Thread | Build::Address => "clang",
        };
        let compiler = match (family, is_cxx) {
            ("gcc", false) => "gcc",
            ("gcc", true) => "g++",
            (_, false) => "clang-19",
            (_, true) => "clang++-19",
        };
        let mut command = Command::new(compiler);
        match self {
            Build::Plain(index) => command.arg(PLAIN[index].1),
            // It supports pthreads functions but not those of C11.
            Build::Thread => command.args(["-O1", "-fsanitize=thread", "-I"]).arg(dir.join("instrumented")),
            Build::Address => command.args([
                "-O0",
                "-fsanitize=address,undefined",
                "-fsanitize-address-use-after-scope",
                "-fno-sanitize-recover=all",
            ]),
        };
        command
    }
}

/// The result of a native run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ran {
    /// It ended, and every repetition had one of these outcomes.
    Ended(BTreeSet<u32>),
    /// A sanitizer reported something; its first line.
    Reported(String),
    /// It crashed.
    Crashed(String),
    /// It did not end.
    Hung,
}

/// A directory for native builds.
pub struct Native {
    dir: PathBuf,
}

impl Native {
    /// Prepares a directory of this process.
    pub fn new() -> Result<Native> {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("heddle-threads-{}-{number}", std::process::id()));
        let instrumented = dir.join("instrumented");
        std::fs::create_dir_all(&instrumented).with_context(|| format!("cannot make {}", instrumented.display()))?;
        std::fs::write(dir.join("harness.h"), HARNESS)?;
        std::fs::write(instrumented.join("threads.h"), THREADS)?;
        Ok(Native { dir })
    }

    /// Checks that the compilers and the sanitizers' libraries exist; the error names what is missing.
    pub fn check(&self) -> Result<()> {
        let text = "static void reset(void) { } static unsigned run_once(void) { return 3; }\n";
        for build in [Build::Plain(0), Build::Plain(2), Build::Thread, Build::Address] {
            let ran = self.run(text, false, build, 1).with_context(|| format!("{build:?}"))?;
            ensure!(
                ran == Ran::Ended(BTreeSet::from([3])),
                "a native program built as {build:?} does not run: {ran:?}"
            );
        }
        Ok(())
    }

    /// The file with a text, for the front end.
    pub fn file(&self, text: &str, is_cxx: bool) -> Result<PathBuf> {
        let file = self.dir.join(if is_cxx { "program.cpp" } else { "program.c" });
        std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(file)
    }

    /// Builds a program and runs it.
    pub fn run(&self, text: &str, is_cxx: bool, build: Build, repetitions: u32) -> Result<Ran> {
        let file = self.file(text, is_cxx)?;
        let binary = self.dir.join("program");
        let built = build
            .command(is_cxx, &self.dir)
            .args(["-g", "-w", "-pthread", "-include"])
            .arg(self.dir.join("harness.h"))
            .arg(&file)
            .arg("-o")
            .arg(&binary)
            .arg("-latomic")
            .output()
            .context("cannot run a compiler")?;
        ensure!(built.status.success(), "a native build fails: {}", String::from_utf8_lossy(&built.stderr));
        let (said, reported) = (self.dir.join("said"), self.dir.join("reported"));
        let mut child = Command::new(&binary)
            .arg(repetitions.to_string())
            .env("TSAN_OPTIONS", format!("exitcode={REPORTED}"))
            .env("UBSAN_OPTIONS", format!("exitcode={REPORTED}"))
            .env("ASAN_OPTIONS", format!("exitcode={REPORTED}:detect_leaks=0:detect_stack_use_after_return=1"))
            .stdin(Stdio::null())
            .stdout(File::create(&said)?)
            .stderr(File::create(&reported)?)
            .spawn()
            .context("cannot run a native program")?;
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if started.elapsed() > LONGEST {
                child.kill()?;
                child.wait()?;
                return Ok(Ran::Hung);
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        Native::ended(status, &std::fs::read(&said)?, &std::fs::read(&reported)?)
    }

    fn ended(status: ExitStatus, said: &[u8], reported: &[u8]) -> Result<Ran> {
        let reported = String::from_utf8_lossy(reported);
        let line = reported
            .lines()
            .find(|line| line.contains("rror:") || line.contains("WARNING:") || line.contains("ERROR:"));
        let line = line.or(reported.lines().next()).unwrap_or_default().trim().to_owned();
        match status.code() {
            Some(0) => {
                let said = String::from_utf8_lossy(said);
                let outcomes = said.lines().map(str::parse).collect::<Result<BTreeSet<u32>, _>>();
                Ok(Ran::Ended(outcomes.context("a native program should print its outcomes")?))
            }
            Some(REPORTED) => Ok(Ran::Reported(line)),
            _ => Ok(Ran::Crashed(format!("{status} {line}"))),
        }
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        // Leftovers in the temporary directory are harmless.
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}
