//! A copy of the project that contains all mutants of the front end; an environment variable chooses one, so it is
//! built once.

use super::rust;
use super::site::Site;
use anyhow::{bail, ensure, Context, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The place where the front end reads an image of a model, in the copy.
const READS_IMAGE: &str = "context.parse_bitcode(bytes)";
const READS_MUTANT: &str = "context.parse_bitcode(crate::mutant::image(file.name, data_model == DataModel::Lp64)\
                            .as_deref().unwrap_or(bytes))";

/// The crates whose sources are mutated: the front end and the passes after it.
pub(super) const MUTATED: [&str; 2] = ["front", "passes"];

/// The module that chooses.
const CHOOSER: &str = include_str!("chooser.rs.txt");

/// The copy.
pub(super) struct Tree {
    root: PathBuf,
    target: PathBuf,
    /// A digest of the parts of the project that decide how tests judge a program.
    pub(super) judges: String,
}

/// A built test of the copy.
#[derive(Clone, Debug)]
pub(super) struct Executable {
    /// `front`, or `heddle programs`.
    pub(super) name: String,
    /// Its file.
    pub(super) path: PathBuf,
    /// Its working directory.
    pub(super) dir: PathBuf,
}

impl Tree {
    /// Copies the files of the project that git tracks. Unchanged files stay, so that they need not be built again.
    pub(super) fn copy(root: &Path, work: &Path) -> Result<Tree> {
        let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output()?;
        ensure!(listed.status.success(), "git should list the files of the project");
        let mut tree = Tree { root: work.join("tree"), target: work.join("build"), judges: String::new() };
        let mut judges = DefaultHasher::new();
        for name in String::from_utf8(listed.stdout)?.split('\0').filter(|name| !name.is_empty()) {
            let Ok(bytes) = std::fs::read(root.join(name)) else { continue };
            tree.write(name, &bytes)?;
            let is_mutated = MUTATED.iter().any(|package| name.starts_with(&format!("crates/{package}/")));
            let is_judge = name.ends_with(".rs") && !is_mutated && !name.starts_with("xtask/src/mutate");
            if is_judge {
                (name, bytes).hash(&mut judges);
            }
        }
        tree.judges = format!("{:016x}", judges.finish());
        Ok(tree)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.root.join(name);
        if std::fs::read(&path).is_ok_and(|old| old == bytes) {
            return Ok(());
        }
        std::fs::create_dir_all(path.parent().unwrap_or(&self.root))?;
        std::fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Adds mutants of the front end to the copy; returns those that do not compile, none if all of them do.
    pub(super) fn instrument(
        &self,
        sources: &BTreeMap<String, String>,
        chosen: &BTreeMap<String, Vec<(usize, Site)>>,
        most: usize,
    ) -> Result<BTreeSet<usize>> {
        let mut places = BTreeMap::new();
        for (name, text) in sources {
            let none = Vec::new();
            let (mut text, where_now) = rust::instrument(text, chosen.get(name).unwrap_or(&none));
            if name.ends_with("/lib.rs") {
                text.push_str("\nmod mutant;\n");
            }
            if name.ends_with("/models.rs") {
                ensure!(text.contains(READS_IMAGE), "{name} should read images by `{READS_IMAGE}`");
                text = text.replace(READS_IMAGE, READS_MUTANT);
            }
            self.write(name, text.as_bytes())?;
            places.insert(name.clone(), where_now);
        }
        let chooser = CHOOSER.replace("MOST", &most.to_string());
        for package in MUTATED {
            self.write(&format!("crates/{package}/src/mutant.rs"), chooser.as_bytes())?;
        }
        let messages = self.cargo(&["check", "--package", "front"])?;
        let errors = messages
            .iter()
            .filter(|message| message["reason"] == "compiler-message" && message["message"]["level"] == "error");
        let mut bad = BTreeSet::new();
        for error in errors {
            let spans = error["message"]["spans"].as_array().map_or(&[][..], Vec::as_slice);
            let ids: Vec<usize> = spans.iter().flat_map(|span| mutants_at(span, &places)).collect();
            let is_summary = spans.is_empty();
            ensure!(!ids.is_empty() || is_summary, "the copy does not compile: {}", error["message"]["rendered"]);
            bad.extend(ids);
        }
        Ok(bad)
    }

    /// Builds tests of a few packages.
    pub(super) fn build(&self, packages: &[&str]) -> Result<Vec<Executable>> {
        let mut args = vec!["test", "--no-run"];
        packages.iter().for_each(|package| args.extend(["--package", package]));
        let messages = self.cargo(&args)?;
        let mut executables = Vec::new();
        for message in &messages {
            let (Some(path), Some(true)) = (message["executable"].as_str(), message["profile"]["test"].as_bool())
            else {
                continue;
            };
            let manifest = Path::new(message["manifest_path"].as_str().unwrap_or_default());
            let dir = manifest.parent().context("a package should have a directory")?.to_owned();
            let package = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let target = message["target"]["name"].as_str().unwrap_or_default();
            let is_test = message["target"]["kind"][0] == "test";
            let name = if is_test { format!("{package} {target}") } else { package };
            executables.push(Executable { name, path: path.into(), dir });
        }
        ensure!(!executables.is_empty(), "the copy should build");
        Ok(executables)
    }

    fn cargo(&self, args: &[&str]) -> Result<Vec<Value>> {
        let ran = Command::new("cargo")
            .args(args)
            .args(["--locked", "--message-format=json"])
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", &self.target)
            .stderr(Stdio::inherit())
            .output()
            .context("cannot run cargo")?;
        let messages: Result<Vec<Value>, _> = ran
            .stdout
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(serde_json::from_slice)
            .collect();
        let messages = messages.context("cargo should write JSON")?;
        let has_error = messages.iter().any(|message| message["message"]["level"] == "error");
        if !ran.status.success() && !has_error {
            bail!("cargo {} failed", args.join(" "));
        }
        Ok(messages)
    }
}

/// The mutants at a place that the compiler names.
fn mutants_at<'p>(
    span: &'p Value,
    places: &'p BTreeMap<String, Vec<(std::ops::Range<usize>, usize)>>,
) -> impl Iterator<Item = usize> + 'p {
    let number = |key: &str| span[key].as_u64().map_or(0, |value| usize::try_from(value).unwrap_or(0));
    let (begin, end) = (number("byte_start"), number("byte_end"));
    let file = span["file_name"].as_str().unwrap_or_default();
    let found =
        places.iter().find(|(name, _)| file.ends_with(name.as_str())).map_or(&[][..], |(_, list)| list.as_slice());
    found.iter().filter(move |(range, _)| range.start < end.max(begin + 1) && begin < range.end).map(|(_, id)| *id)
}
