//! Dependencies between the crates of the workspace go one way only; each crate takes the workspace's lints.

use super::Finding;
use anyhow::{ensure, Context, Result};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The allowed dependencies of each crate. Engines never depend on the front end, `recheck` never on the engines that
/// it judges, and nothing on the binary. Dependencies of tests are not counted.
const ALLOWED: [(&str, &[&str]); 15] = [
    ("base", &[]),
    ("ir", &["base"]),
    ("smt", &["base"]),
    ("check", &["base", "ir"]),
    ("passes", &["base", "ir", "check"]),
    ("front", &["base", "ir", "check", "passes"]),
    ("interp", &["base", "ir"]),
    // The second semantics of programs: it must not depend on the interpreter that is compared with it.
    ("axiomatic", &["base", "ir"]),
    ("witness", &["base", "ir", "check", "interp"]),
    ("engines", &["base", "ir", "smt", "check", "passes"]),
    ("recheck", &["base", "ir", "smt", "check"]),
    ("plan", &["base", "ir", "smt", "check", "passes", "interp", "witness", "engines", "recheck"]),
    ("heddle", &["base", "ir", "smt", "front", "check", "passes", "interp", "witness", "engines", "recheck", "plan"]),
    (
        "testing",
        &[
            "base",
            "ir",
            "smt",
            "front",
            "check",
            "passes",
            "interp",
            "axiomatic",
            "witness",
            "engines",
            "recheck",
            "plan",
        ],
    ),
    (
        "xtask",
        &[
            "base",
            "ir",
            "smt",
            "front",
            "check",
            "passes",
            "interp",
            "axiomatic",
            "witness",
            "engines",
            "recheck",
            "plan",
            "testing",
        ],
    ),
];

/// A crate of the workspace.
pub(super) struct Crate {
    pub(super) name: String,
    /// Its manifest, relative to the root.
    pub(super) manifest: String,
    pub(super) manifest_text: String,
    /// Its dependencies for building, not for testing.
    pub(super) dependencies: Vec<String>,
}

/// The crates of the workspace.
pub(super) struct Workspace {
    pub(super) crates: Vec<Crate>,
}

impl Workspace {
    /// Reads the metadata of cargo.
    pub(super) fn read(root: &Path) -> Result<Workspace> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
            .current_dir(root)
            .output()
            .context("cannot run cargo metadata")?;
        ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
        let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).context("cargo metadata's answer")?;
        let packages = metadata["packages"].as_array().context("cargo metadata should list packages")?;
        let mut crates = Vec::new();
        for package in packages {
            let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
            let dependencies = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
            let needed = dependencies.iter().filter(|dependency| dependency["kind"].as_str() != Some("dev"));
            let names = needed.filter_map(|dependency| dependency["name"].as_str().map(str::to_owned));
            crates.push(Crate {
                name: package["name"].as_str().unwrap_or_default().to_owned(),
                manifest: manifest.strip_prefix(root).unwrap_or(manifest).to_string_lossy().into_owned(),
                manifest_text: std::fs::read_to_string(manifest)?,
                dependencies: names.collect(),
            });
        }
        crates.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Workspace { crates })
    }
}

pub(super) fn check(workspace: &Workspace) -> Vec<Finding> {
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.into_iter().collect();
    let mut findings = Vec::new();
    for one in &workspace.crates {
        let mut complain = |message: String| findings.push(Finding::error(&one.manifest, 0, message));
        match allowed.get(one.name.as_str()) {
            None => complain(format!("crate `{}` has no place in the table of allowed dependencies", one.name)),
            Some(allowed_here) => {
                for dependency in &one.dependencies {
                    if allowed.contains_key(dependency.as_str()) && !allowed_here.contains(&dependency.as_str()) {
                        complain(format!("`{}` may not depend on `{dependency}`", one.name));
                    }
                }
            }
        }
        let lines: Vec<&str> = one.manifest_text.lines().map(str::trim).collect();
        if !lines.windows(2).any(|pair| pair == ["[lints]", "workspace = true"]) {
            complain("does not take the workspace's lints".to_owned());
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(name: &str, dependencies: &[&str], manifest_text: &str) -> Workspace {
        let dependencies = dependencies.iter().map(|name| (*name).to_owned()).collect();
        let manifest = format!("crates/{name}/Cargo.toml");
        let one = Crate { name: name.to_owned(), manifest, manifest_text: manifest_text.to_owned(), dependencies };
        Workspace { crates: vec![one] }
    }

    const LINTS: &str = "[package]\n\n[lints]\nworkspace = true\n";

    fn messages(workspace: &Workspace) -> Vec<String> {
        check(workspace).into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn edges_go_one_way() {
        assert_eq!(messages(&workspace("witness", &["ir", "interp", "serde"], LINTS)), [""; 0]);
        assert_eq!(messages(&workspace("interp", &["ir", "front"], LINTS)), ["`interp` may not depend on `front`"]);
        let independent = ["`axiomatic` may not depend on `interp`"];
        assert_eq!(messages(&workspace("axiomatic", &["ir", "interp"], LINTS)), independent);
        assert_eq!(messages(&workspace("base", &["ir"], LINTS)), ["`base` may not depend on `ir`"]);
        assert_eq!(messages(&workspace("heddle", &["xtask"], LINTS)), ["`heddle` may not depend on `xtask`"]);
        assert_eq!(messages(&workspace("recheck", &["engines"], LINTS)), ["`recheck` may not depend on `engines`"]);
    }

    #[test]
    fn a_new_crate_must_be_placed() {
        let expected = ["crate `newcomer` has no place in the table of allowed dependencies"];
        assert_eq!(messages(&workspace("newcomer", &["base"], LINTS)), expected);
    }

    #[test]
    fn lints_are_taken() {
        assert_eq!(messages(&workspace("base", &[], "[package]\n")), ["does not take the workspace's lints"]);
    }

    #[test]
    fn the_table_is_closed_and_goes_one_way() {
        for (index, (name, allowed)) in ALLOWED.iter().enumerate() {
            for other in *allowed {
                let place = ALLOWED.iter().position(|(name, _)| name == other).expect("should be in the table");
                assert!(place < index, "{name} -> {other}");
                for indirect in ALLOWED[place].1 {
                    assert!(allowed.contains(indirect), "{name} -> {other} -> {indirect}");
                }
            }
        }
    }
}
