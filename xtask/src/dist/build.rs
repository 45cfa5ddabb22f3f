//! The optimised binary, built so that it does not name directories of this machine: the compilers remap their names,
//! and debug information is left out.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the binary in a target directory of its own: its flags differ from those of other builds, which would be
/// invalidated.
pub(super) fn build(root: &Path, target: &Path) -> Result<PathBuf> {
    let dir = target.join("dist");
    let names = names(root, &dir);
    let rust: Vec<String> =
        names.iter().map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display())).collect();
    let cxx: Vec<String> =
        names.iter().map(|(from, to)| format!("-ffile-prefix-map={}={to}", from.display())).collect();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["build", "--release", "--locked", "--package", "heddle", "--config", "profile.release.debug=false"])
        .arg("--target-dir")
        .arg(&dir)
        .current_dir(root)
        .env("CARGO_ENCODED_RUSTFLAGS", rust.join("\u{1f}"))
        .env("CFLAGS", cxx.join(" "))
        .env("CXXFLAGS", cxx.join(" "));
    let status = command.status().context("cannot run cargo")?;
    anyhow::ensure!(status.success(), "the build failed");
    Ok(dir.join("release/heddle"))
}

/// Directories with their replacements; of several that match, the compilers use the last.
fn names(root: &Path, target: &Path) -> Vec<(PathBuf, &'static str)> {
    let mut names = vec![(target.to_path_buf(), "target"), (root.to_path_buf(), ".")];
    if let Some(home) = cargo_home() {
        // The directories of registries are named after their addresses.
        let registries = std::fs::read_dir(home.join("registry/src")).into_iter().flatten().flatten();
        let mut registries: Vec<PathBuf> = registries.map(|entry| entry.path()).collect();
        registries.sort();
        names.push((home, "cargo"));
        names.extend(registries.into_iter().map(|registry| (registry, "crates")));
    }
    names
}

/// The directory where cargo keeps the sources of dependencies.
pub(super) fn cargo_home() -> Option<PathBuf> {
    let default = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"));
    std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(default)
}
