//! Runs tests against one mutant until one of them notices it.

use super::tree::Executable;
use anyhow::{bail, ensure, Context, Result};
use std::collections::BTreeMap;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The tests, the quick ones first. Of the programs with verdicts exploration alone is asked: mutants are of what all engines share.
const TESTS: [(&str, &[(&str, &str)]); 14] = [
    ("front", &[]),
    ("front lowering", &[]),
    ("front programs", &[]),
    ("front library", &[]),
    ("front bad_input", &[]),
    ("heddle programs", &[("HEDDLE_ENGINE", "explore"), ("HEDDLE_FIRST", "1")]),
    ("heddle projects", &[]),
    ("xtask lowering", &[]),
    ("xtask library", &[]),
    ("xtask suite", &[]),
    ("heddle library", &[]),
    ("heddle cli", &[]),
    ("xtask threads", &[]),
    ("xtask native", &[]),
];
/// The packages whose tests these are.
pub(super) const PACKAGES: [&str; 3] = ["front", "heddle", "xtask"];

/// A test may take this many times as long as without a mutant, and a minute more.
const SLOWER: u32 = 4;

/// One test.
struct Test {
    executable: Executable,
    env: &'static [(&'static str, &'static str)],
    limit: Duration,
    /// Where a file is for each mutant of the front end that it reaches.
    reached: PathBuf,
}

/// The tests, and how long each takes when there is no mutant.
pub(super) struct Judge {
    tests: Vec<Test>,
}

/// How a mutant changes what tests see.
pub(super) enum Change<'a> {
    /// The number of one of the front end.
    Front(usize),
    /// The directory with the images of one of the models.
    Models(&'a Path),
}

/// What became of a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// This test failed.
    Noticed(String),
    /// This test did not end.
    Endless(String),
    /// All tests passed.
    Survived,
    /// No test reaches the place.
    Unreached,
}

impl Judge {
    /// Runs all tests without a mutant: they must pass.
    pub(super) fn new(executables: &[Executable], work: &Path) -> Result<Judge> {
        let mut tests = Vec::new();
        for (name, env) in TESTS {
            let executable = executables.iter().find(|executable| executable.name == name);
            let executable = executable.with_context(|| format!("there should be a test `{name}`"))?.clone();
            let reached = work.join("reached").join(name.replace(' ', "-"));
            let _ = std::fs::remove_dir_all(&reached);
            std::fs::create_dir_all(&reached)?;
            let mut test = Test { executable, env, limit: Duration::from_secs(1200), reached };
            let begin = Instant::now();
            let trace = test.reached.clone();
            let passes = test.run(&[("HEDDLE_MUTANT_TRACE", trace.as_os_str())])?;
            ensure!(passes == Some(true), "{name} should pass without a mutant");
            test.limit = begin.elapsed() * SLOWER + Duration::from_secs(60);
            tests.push(test);
        }
        Ok(Judge { tests })
    }

    /// How long all tests take.
    pub(super) fn seconds(&self) -> BTreeMap<String, u64> {
        let time = |test: &Test| (test.limit.saturating_sub(Duration::from_secs(60)) / SLOWER).as_secs();
        self.tests.iter().map(|test| (test.executable.name.clone(), time(test))).collect()
    }

    /// Asks one test after the other.
    pub(super) fn decide(&self, change: &Change<'_>) -> Result<Fate> {
        let mut is_reached = false;
        for test in &self.tests {
            let passes = match change {
                Change::Front(id) => {
                    let id = id.to_string();
                    if !test.reached.join(&id).exists() {
                        continue;
                    }
                    test.run(&[("HEDDLE_MUTANT", id.as_ref())])?
                }
                Change::Models(images) => test.run(&[("HEDDLE_MUTANT_IMAGES", images.as_os_str())])?,
            };
            is_reached = true;
            match passes {
                Some(true) => {}
                Some(false) => return Ok(Fate::Noticed(test.executable.name.clone())),
                None => return Ok(Fate::Endless(test.executable.name.clone())),
            }
        }
        Ok(if is_reached { Fate::Survived } else { Fate::Unreached })
    }
}

impl Test {
    /// Whether it passes; nothing if it does not end.
    fn run(&self, env: &[(&str, &std::ffi::OsStr)]) -> Result<Option<bool>> {
        let mut command = Command::new(&self.executable.path);
        command.current_dir(&self.executable.dir).env("CARGO_MANIFEST_DIR", &self.executable.dir);
        command.envs(self.env.iter().copied()).envs(env.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn().with_context(|| format!("cannot run {}", self.executable.name))?;
        let begin = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                end_group(&child);
                return Ok(Some(status.success()));
            }
            if begin.elapsed() > self.limit {
                end_group(&child);
                child.wait()?;
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Ends a test and all that it has started.
fn end_group(child: &Child) {
    let _ = Command::new("kill").args(["-9", "--", &format!("-{}", child.id())]).stderr(Stdio::null()).status();
}

impl std::fmt::Display for Fate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fate::Noticed(test) => write!(f, "noticed\t{test}"),
            Fate::Endless(test) => write!(f, "endless\t{test}"),
            Fate::Survived => write!(f, "survived\t"),
            Fate::Unreached => write!(f, "unreached\t"),
        }
    }
}

impl std::str::FromStr for Fate {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Fate> {
        let (fate, test) = text.split_once('\t').context("a fate and a test")?;
        Ok(match fate {
            "noticed" => Fate::Noticed(test.to_owned()),
            "endless" => Fate::Endless(test.to_owned()),
            "survived" => Fate::Survived,
            "unreached" => Fate::Unreached,
            _ => bail!("`{fate}` is no fate"),
        })
    }
}
