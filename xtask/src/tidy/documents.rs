//! The documents are up to date: the architecture page names every crate, every dependency has a decision, links are
//! valid, the README names the two commands.

use super::{Finding, TextFile};
use std::path::Path;

pub(super) fn check(files: &[TextFile], root: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    let find = |path: &str| files.iter().find(|file| file.path == path).map(|file| file.text.as_str());
    let manifest = find("Cargo.toml").unwrap_or_default();
    let decisions: String =
        files.iter().filter(|file| file.path.starts_with("docs/decisions/")).map(|file| file.text.as_str()).collect();

    let architecture = find("docs/architecture.md").unwrap_or_default();
    for name in crate_names(files) {
        if !architecture.contains(&format!("`{name}`")) {
            findings.push(Finding::error("docs/architecture.md", 0, format!("does not mention the crate `{name}`")));
        }
    }
    for name in external_dependencies(manifest) {
        if !decisions.contains(&format!("`{name}`")) {
            findings.push(Finding::error("docs/decisions", 0, format!("no decision mentions the dependency `{name}`")));
        }
    }
    for command in ["make demo", "make test"] {
        if !find("README.md").unwrap_or_default().contains(command) {
            findings.push(Finding::error("README.md", 0, format!("does not name the command `{command}`")));
        }
    }
    for file in files.iter().filter(|file| file.path.ends_with(".md")) {
        for (line, target) in links(&file.text) {
            let base = root.join(&file.path);
            let path = target.split('#').next().unwrap_or_default();
            let is_there = path.is_empty() || base.parent().is_some_and(|dir| dir.join(path).exists());
            if !is_there {
                findings.push(Finding::error(&file.path, line, format!("a link to `{target}`, which is not there")));
            }
        }
    }
    findings
}

/// The crates that have a manifest in the tree.
fn crate_names(files: &[TextFile]) -> Vec<String> {
    let manifests = files.iter().filter(|file| file.path.ends_with("/Cargo.toml"));
    let names = manifests.filter_map(|file| {
        let line = file.text.lines().find(|line| line.starts_with("name = "))?;
        Some(line.trim_start_matches("name = ").trim_matches('"').to_owned())
    });
    names.collect()
}

/// The names in `[workspace.dependencies]` that are not crates of the workspace.
fn external_dependencies(manifest: &str) -> Vec<&str> {
    let lines = manifest.lines().skip_while(|line| *line != "[workspace.dependencies]").skip(1);
    let section = lines.take_while(|line| !line.starts_with('['));
    section
        .filter(|line| !line.contains("path = "))
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name)
        .collect()
}

/// Line and target of every link to a file.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let mut rest = line;
        while let Some((_, after)) = rest.split_once("](") {
            let Some((target, after)) = after.split_once(')') else { break };
            if !target.contains("://") {
                found.push((index + 1, target));
            }
            rest = after;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> TextFile {
        TextFile { path: path.to_owned(), text: text.to_owned() }
    }

    fn good() -> Vec<TextFile> {
        vec![
            file(
                "Cargo.toml",
                "[workspace.dependencies]\nbase = { path = \"crates/base\" }\nclap = \"4\"\n[profile]\nx = 1\n",
            ),
            file("README.md", "make demo, make test, [site](https://example.org)"),
            file("crates/base/Cargo.toml", "[package]\nname = \"base\"\n"),
            file("docs/architecture.md", "- `base` is below everything"),
            file("docs/decisions/001-clap.md", "`clap` because"),
        ]
    }

    fn messages(files: &[TextFile]) -> Vec<String> {
        check(files, Path::new("nowhere")).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn good_documents_pass() {
        assert_eq!(messages(&good()), [""; 0]);
    }

    #[test]
    fn what_is_missing_is_found() {
        let mut files = good();
        files[1].text = "make demo\n[a](docs/missing.md)".to_owned();
        files[3].text.clear();
        files[4].text.clear();
        let expected = [
            "docs/architecture.md: error: does not mention the crate `base`",
            "docs/decisions: error: no decision mentions the dependency `clap`",
            "README.md: error: does not name the command `make test`",
            "README.md:2: error: a link to `docs/missing.md`, which is not there",
        ];
        assert_eq!(messages(&files), expected);
    }
}
