//! Checks of the source tree that neither the compiler nor clippy makes: dependencies between crates, headers and lengths of files, leftovers in
//! them, that the documents are up to date with the code, and that every modelled library function has a test.
//!
//! It reads text line by line and relies on rustfmt's layout; it does not parse Rust.

mod crates;
mod documents;
mod library;
mod sources;

use anyhow::{Context, Result};
use std::fmt;
use std::path::{Path, PathBuf};

/// A finding.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Finding {
    /// The file, relative to the root.
    pub file: String,
    /// The line, from 1; 0 for the whole file.
    pub line: usize,
    /// The message.
    pub message: String,
    /// Whether it is only a question to a reviewer.
    pub is_question: bool,
}

impl Finding {
    fn error(file: &str, line: usize, message: impl Into<String>) -> Finding {
        Finding { file: file.to_owned(), line, message: message.into(), is_question: false }
    }

    fn question(file: &str, line: usize, message: impl Into<String>) -> Finding {
        Finding { is_question: true, ..Finding::error(file, line, message) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.is_question { "question" } else { "error" };
        match self.line {
            0 => write!(f, "{}: {word}: {}", self.file, self.message),
            line => write!(f, "{}:{line}: {word}: {}", self.file, self.message),
        }
    }
}

/// A text file of the tree.
struct TextFile {
    /// Relative to the root, with `/`.
    path: String,
    text: String,
}

/// All findings in the workspace at `root`, in order of files.
pub fn check(root: &Path) -> Result<Vec<Finding>> {
    let files = text_files(root)?;
    let mut findings = crates::check(&crates::Workspace::read(root)?);
    for file in &files {
        findings.extend(sources::check(&file.path, &file.text));
    }
    findings.extend(documents::check(&files, root));
    findings.extend(library::check(root));
    findings.sort();
    Ok(findings)
}

/// The text files under `root`, without those that git ignores by name and those that are not UTF-8.
fn text_files(root: &Path) -> Result<Vec<TextFile>> {
    let mut found = Vec::new();
    let mut left = vec![PathBuf::from(root)];
    while let Some(dir) = left.pop() {
        let entries = std::fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))?;
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // In a worktree `.git` is a file.
            if name == "target" || name == ".git" {
                continue;
            }
            if path.is_dir() {
                left.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                let relative = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                found.push(TextFile { path: relative, text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}
