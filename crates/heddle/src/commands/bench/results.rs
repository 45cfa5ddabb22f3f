//! The results file: one line per task, appended as it is decided. Lines of other settings are kept and do not count; a
//! line that was cut off when a run was killed is skipped.

use super::index::Task;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

const HEADER: &str = "id\tverdict\texpected\tseconds\tmemory_mb\treason\tdetail\tsettings";

/// The result of one task.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Row {
    pub(crate) id: String,
    /// `safe`, `unsafe`, `unknown` or `error` (the program did not load, or Heddle failed).
    pub(crate) verdict: String,
    pub(crate) expected: String,
    pub(crate) seconds: f64,
    pub(crate) memory_mb: f64,
    /// The kind of the first reason of an `unknown`, or the kind of error.
    pub(crate) reason: String,
    pub(crate) detail: String,
}

impl Row {
    /// Whether the verdict is the recorded one.
    pub(crate) fn is_right(&self, task: &Task) -> bool {
        self.verdict == task.expected.to_string()
    }

    /// Whether the verdict contradicts the recorded one.
    pub(crate) fn is_wrong(&self, task: &Task) -> bool {
        matches!(self.verdict.as_str(), "safe" | "unsafe") && !self.is_right(task)
    }

    fn line(&self, settings: &str) -> String {
        let clean = |text: &str| text.replace(['\t', '\n', '\r'], " ");
        format!(
            "{}\t{}\t{}\t{:.3}\t{:.1}\t{}\t{}\t{settings}\n",
            clean(&self.id),
            self.verdict,
            self.expected,
            self.seconds,
            self.memory_mb,
            clean(&self.reason),
            clean(&self.detail)
        )
    }

    fn parse(line: &str, settings: &str) -> Option<Row> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [id, verdict, expected, seconds, memory_mb, reason, detail, of] = fields.try_into().ok()?;
        (of == settings).then_some(())?;
        let row = Row {
            id: id.to_owned(),
            verdict: verdict.to_owned(),
            expected: expected.to_owned(),
            seconds: seconds.parse().ok()?,
            memory_mb: memory_mb.parse().ok()?,
            reason: reason.to_owned(),
            detail: detail.to_owned(),
        };
        Some(row)
    }
}

/// The results so far, and their file.
pub(crate) struct Results {
    path: PathBuf,
    file: File,
    settings: String,
    rows: BTreeMap<String, Row>,
}

impl Results {
    /// Reads existing results, to continue from them.
    pub(crate) fn open(path: &Path, settings: &str) -> Result<Results> {
        let old = match std::fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        if !old.is_empty() && !old.starts_with("id\tverdict\t") {
            anyhow::bail!("{} is not a results file; --fresh replaces it", path.display());
        }
        let whole = old.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let rows =
            whole.lines().filter_map(|line| Row::parse(line, settings)).map(|row| (row.id.clone(), row)).collect();
        let opened = OpenOptions::new().create(true).append(true).open(path);
        let file = opened.with_context(|| format!("cannot write {}", path.display()))?;
        let mut results = Results { path: path.to_owned(), file, settings: settings.to_owned(), rows };
        if old.is_empty() {
            results.write(&format!("{HEADER}\n"))?;
        } else if !old.ends_with('\n') {
            results.write("\n")?;
        }
        Ok(results)
    }

    /// Whether the task is decided already.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.rows.contains_key(id)
    }

    /// Stores a result.
    pub(crate) fn add(&mut self, row: Row) -> Result<()> {
        let line = row.line(&self.settings);
        self.write(&line)?;
        self.rows.insert(row.id.clone(), row);
        Ok(())
    }

    /// All results under these settings.
    pub(crate) fn into_rows(self) -> BTreeMap<String, Row> {
        self.rows
    }

    fn write(&mut self, text: &str) -> Result<()> {
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.flush());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_back_and_other_settings_do_not_count() {
        let row = Row {
            id: "a".to_owned(),
            verdict: "unknown".to_owned(),
            expected: "safe".to_owned(),
            seconds: 1.25,
            memory_mb: 10.5,
            reason: "time".to_owned(),
            detail: "the time\tlimit".to_owned(),
        };
        let line = row.line("auto 60s");
        let read = Row::parse(line.trim_end_matches('\n'), "auto 60s").expect("it should read back");
        assert_eq!(read, Row { detail: "the time limit".to_owned(), ..row });
        assert_eq!(Row::parse(line.trim_end(), "auto 61s"), None);
        assert_eq!(Row::parse("a\tsafe", "auto 60s"), None);
    }
}
