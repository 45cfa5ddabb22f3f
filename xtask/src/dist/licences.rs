//! The licences of the code linked into the binary: those of its dependencies, taken from the crates' own files.
//!
//! Crates that are only needed to build or test are left out; macros, whose output is in the binary, are not.

use anyhow::{ensure, Context, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The prefixes of licence file names, in capitals.
const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

/// One text with all licences, equal texts once.
pub(super) fn collect(metadata: &Value) -> Result<String> {
    let crates = linked(metadata)?;
    let mut index = String::from(
        "Heddle contains these libraries. Their licences follow, each once, with the libraries that it belongs to.\n\n",
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in &crates {
        let name = format!("{} {}", text(one, "name")?, text(one, "version")?);
        let licence = text(one, "license").with_context(|| format!("{name} does not say its licence"))?;
        index.push_str(&format!("  {name}: {licence}\n"));
        let dir = Path::new(text(one, "manifest_path")?).parent().context("a manifest in a directory")?;
        let found = licence_files(dir)?;
        if found.is_empty() {
            let authors: Vec<&str> =
                one["authors"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            index.push_str(&format!("    (no text in the crate; its authors: {})\n", authors.join(", ")));
        }
        for file in found {
            let bytes = std::fs::read(dir.join(&file)).with_context(|| format!("cannot read {file} of {name}"))?;
            let words = String::from_utf8_lossy(&bytes).replace("\r\n", "\n").trim().to_owned();
            texts.entry(words).or_default().push(format!("{name}: {file}"));
        }
    }
    index.push_str(
        "\nIt also contains the Rust standard library: MIT OR Apache-2.0, copyright The Rust Project Developers.\n\
         LLVM, the C and C++ libraries are linked when it runs and are not part of this package.\n",
    );
    let mut parts: Vec<(Vec<String>, String)> = texts.into_iter().map(|(words, owners)| (owners, words)).collect();
    parts.sort();
    let line = "-".repeat(100);
    for (owners, words) in parts {
        index.push_str(&format!("\n{line}\n{}\n{line}\n\n{words}\n", owners.join("\n")));
    }
    Ok(index)
}

fn text<'v>(package: &'v Value, field: &str) -> Result<&'v str> {
    package[field].as_str().with_context(|| format!("cargo metadata should tell `{field}` of a package"))
}

/// The external packages that the binary is linked with, by name.
fn linked(metadata: &Value) -> Result<Vec<&Value>> {
    let list = |value: &'_ Value| -> Vec<Value> { value.as_array().cloned().unwrap_or_default() };
    let packages = metadata["packages"].as_array().context("cargo metadata should list packages")?;
    let heddle = packages.iter().find(|package| package["name"] == "heddle").context("a package `heddle`")?;
    let mut needs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for node in list(&metadata["resolve"]["nodes"]) {
        // Kind null is the ordinary one.
        let is_linked = |dependency: &Value| list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
        let dependencies = list(&node["deps"]).into_iter().filter(is_linked);
        let ids = dependencies.filter_map(|dependency| dependency["pkg"].as_str().map(str::to_owned)).collect();
        needs.insert(text(&node, "id")?.to_owned(), ids);
    }
    let mut seen = BTreeSet::new();
    let mut left = vec![text(heddle, "id")?.to_owned()];
    while let Some(id) = left.pop() {
        let next = needs.get(&id).cloned().unwrap_or_default();
        if seen.insert(id) {
            left.extend(next);
        }
    }
    let is_wanted =
        |package: &&Value| !package["source"].is_null() && package["id"].as_str().is_some_and(|id| seen.contains(id));
    let mut found: Vec<&Value> = packages.iter().filter(is_wanted).collect();
    found.sort_by_key(|package| (package["name"].as_str(), package["version"].as_str()));
    ensure!(!found.is_empty(), "the binary should be linked with something");
    Ok(found)
}

/// The licence files of a crate, including those of other projects' sources inside it.
fn licence_files(dir: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut left = vec![PathBuf::from(dir)];
    while let Some(next) = left.pop() {
        for entry in std::fs::read_dir(&next).with_context(|| format!("cannot list {}", next.display()))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
            let is_source = [".RS", ".HTML"].iter().any(|suffix| name.ends_with(suffix));
            let is_licence = name.contains(".LICENSE") || NAMES.iter().any(|start| name.starts_with(start));
            if path.is_dir() {
                left.push(path);
            } else if is_licence && !is_source {
                found.push(path.strip_prefix(dir)?.to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}
