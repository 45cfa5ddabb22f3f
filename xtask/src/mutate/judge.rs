//! Runs tests against one mutant until one of them detects it.

use super::tree::{Executable, Tree};
use anyhow::{bail, ensure, Context, Result};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The tests, the quick ones first, and whether they are run for mutants of the models.
const TESTS: [(&str, bool); 14] = [
    ("front", true),
    ("front lowering", true),
    ("front programs", true),
    ("front library", true),
    ("front bad_input", false),
    ("xtask library", true),
    ("heddle programs", true),
    ("heddle library", true),
    ("heddle projects", false),
    ("xtask lowering", false),
    ("xtask suite", false),
    ("heddle cli", false),
    ("testing threads", false),
    ("xtask native", false),
];
/// The settings of tests. For programs with verdicts, only exploration is run: mutants are in code that all engines
/// share.
const SETTING: [(&str, &str); 2] = [("HEDDLE_ENGINE", "explore"), ("HEDDLE_FIRST", "1")];
/// The packages of these tests.
pub(super) const PACKAGES: [&str; 4] = ["front", "heddle", "testing", "xtask"];

/// Maximum duration of a test without a mutant.
const LONGEST: Duration = Duration::from_secs(3600);

/// A test may take this many times as long as without a mutant, plus a minute.
const SLOWER: u32 = 4;

/// One test.
struct Test {
    executable: Executable,
    /// Its duration without a mutant, once that is known: then it has passed.
    usual: Mutex<Option<Duration>>,
    is_for_models: bool,
    /// A directory with a file for each mutant of the front end that it reaches, and for each image of a model that it
    /// reads.
    reached: PathBuf,
    /// Further environment variables.
    setting: Vec<(&'static str, OsString)>,
}

/// The tests.
pub(super) struct Judge {
    tests: Vec<Test>,
}

/// How a mutant is activated.
pub(super) enum Change<'a> {
    /// The number of a mutant of the front end.
    Front(usize),
    /// The directory with the images of one of the models.
    Models(&'a Path),
}

/// The fate of a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// This test failed.
    Noticed(String),
    /// This test did not terminate.
    Endless(String),
    /// All tests passed.
    Survived,
    /// No test reaches the site.
    Unreached,
}

impl Judge {
    /// Finds the tests.
    pub(super) fn new(tree: &Tree, work: &Path) -> Result<Judge> {
        let executables = tree.build(&PACKAGES)?;
        let passed = work.join("passed").join(&tree.judges);
        std::fs::create_dir_all(&passed)?;
        let setting = vec![("PATH", compilers(work)?), ("HEDDLE_PASSED", passed.into_os_string())];
        let mut tests = Vec::new();
        for (name, is_for_models) in TESTS {
            let executable = executables.iter().find(|executable| executable.name == name);
            let executable = executable.with_context(|| format!("there should be a test `{name}`"))?.clone();
            let reached = work.join("reached").join(name.replace(' ', "-"));
            let _ = std::fs::remove_dir_all(&reached);
            std::fs::create_dir_all(&reached)?;
            let setting = setting.clone();
            tests.push(Test { executable, usual: Mutex::new(None), is_for_models, reached, setting });
        }
        Ok(Judge { tests })
    }

    /// The durations of the tests that were needed.
    pub(super) fn seconds(&self) -> BTreeMap<String, u64> {
        let time = |test: &Test| Some((test.executable.name.clone(), (*test.usual.lock().ok()?)?.as_secs()));
        self.tests.iter().filter_map(time).collect()
    }

    /// Runs one test after the other.
    pub(super) fn decide(&self, change: &Change<'_>) -> Result<Fate> {
        let mut is_reached = false;
        for test in &self.tests {
            if matches!(change, Change::Models(_)) && !test.is_for_models {
                continue;
            }
            let limit = test.usual()? * SLOWER + Duration::from_secs(60);
            let passes = match change {
                Change::Front(id) => {
                    let id = id.to_string();
                    if !test.reached.join(&id).exists() {
                        continue;
                    }
                    test.run(&[("HEDDLE_MUTANT", id.as_ref())], limit)?
                }
                Change::Models(images) => {
                    let changed = std::fs::read_dir(images)?.filter_map(|entry| Some(entry.ok()?.file_name()));
                    if !changed.into_iter().any(|image| test.reached.join(image).exists()) {
                        continue;
                    }
                    test.run(&[("HEDDLE_MUTANT_IMAGES", images.as_os_str())], limit)?
                }
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
    /// Its duration without a mutant. It must pass.
    fn usual(&self) -> Result<Duration> {
        let mut usual = self.usual.lock().expect("the time of a test");
        if let Some(time) = *usual {
            return Ok(time);
        }
        let begin = Instant::now();
        let passes = self.run(&[("HEDDLE_MUTANT_TRACE", self.reached.as_os_str())], LONGEST)?;
        ensure!(passes == Some(true), "{} should pass without a mutant", self.executable.name);
        Ok(*usual.insert(begin.elapsed()))
    }

    /// Whether it passes; `None` if it does not terminate.
    fn run(&self, env: &[(&str, &std::ffi::OsStr)], limit: Duration) -> Result<Option<bool>> {
        let mut command = Command::new(&self.executable.path);
        command.current_dir(&self.executable.dir).env("CARGO_MANIFEST_DIR", &self.executable.dir);
        command.envs(self.setting.iter().map(|(name, value)| (name, value)));
        command.envs(SETTING).envs(env.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn().with_context(|| format!("cannot run {}", self.executable.name))?;
        let begin = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                end_group(&child);
                return Ok(Some(status.success()));
            }
            if begin.elapsed() > limit {
                end_group(&child);
                child.wait()?;
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Compiler output does not depend on mutants: a directory with scripts that cache it, put before the search path.
fn compilers(work: &Path) -> Result<OsString> {
    let (bin, store) = (work.join("bin"), work.join("compiled"));
    std::fs::create_dir_all(&bin)?;
    std::fs::create_dir_all(&store)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let dirs = || std::env::split_paths(&path).filter(|dir| *dir != bin);
    for name in ["clang-19", "clang++-19"] {
        let real = dirs().map(|dir| dir.join(name)).find(|file| file.exists());
        let real = real.with_context(|| format!("{name} should be on the search path"))?;
        let script = include_str!("clang.sh.txt");
        let script = script.replace("REAL", &real.display().to_string()).replace("STORE", &store.display().to_string());
        std::fs::write(bin.join(name), script)?;
        std::fs::set_permissions(bin.join(name), std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(std::env::join_paths(std::iter::once(bin.clone()).chain(dirs()))?)
}

/// Kills a test and all its child processes.
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
