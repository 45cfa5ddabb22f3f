//! Runs one task in a process of its own, `heddle check --format json`, and also enforces the limits from outside: a
//! task that crashes, hangs or grows does not affect the suite.

use super::index::Task;
use super::results::Row;
use crate::cli::BenchArgs;
use crate::limits;
use crate::limits::resident_bytes_of;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long after its own limit a task is killed from outside.
const GRACE: Duration = Duration::from_secs(8);
/// Maximum length of a report.
const MAX_OUTPUT: u64 = 64 << 20;

/// Runs tasks with fixed settings.
pub(crate) struct Runner<'a> {
    program: &'a Path,
    folder: &'a Path,
    args: &'a BenchArgs,
}

/// How a process ended.
enum End {
    Exited(ExitStatus),
    KilledForTime,
    KilledForMemory,
    Stopped,
}

impl<'a> Runner<'a> {
    pub(crate) fn new(program: &'a Path, folder: &'a Path, args: &'a BenchArgs) -> Runner<'a> {
        Runner { program, folder, args }
    }

    fn command(&self, task: &Task) -> Command {
        let mut command = Command::new(self.program);
        command
            .arg("check")
            .arg(self.file(task))
            .args(["--no-config", "--format", "json", "--engine", &self.args.engine])
            .args(["--property", task.property.name(), "--memory-model", task.model.name()])
            .args(["--jobs", &(limits::processors() / self.args.jobs.max(1)).max(1).to_string()])
            .args(["--timeout", &self.args.timeout.as_secs_f64().to_string()])
            .args(["--memory-limit", &format!("{}K", self.args.memory_limit >> 10)]);
        if let Some(data_model) = task.data_model {
            command.args(["--data-model", data_model.name()]);
        }
        command.args(&self.args.check_args);
        // A process group of its own, so that clang is stopped together with it.
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        command
    }

    fn file(&self, task: &Task) -> PathBuf {
        self.folder.join(&task.file)
    }

    /// Runs a task; `None` if the suite was stopped meanwhile.
    pub(crate) fn run(&self, task: &Task, stop: &AtomicBool) -> Option<Row> {
        let started = Instant::now();
        let mut row = Row {
            id: task.id.clone(),
            verdict: "error".to_owned(),
            expected: task.expected.to_string(),
            seconds: 0.0,
            memory_mb: 0.0,
            reason: String::new(),
            detail: String::new(),
        };
        let mut child = match self.command(task).spawn() {
            Ok(child) => child,
            Err(error) => {
                (row.reason, row.detail) = ("start".to_owned(), error.to_string());
                return Some(row);
            }
        };
        let stdout = reader(child.stdout.take());
        let stderr = reader(child.stderr.take());
        let (end, peak) = self.wait(&mut child, started, stop);
        row.seconds = started.elapsed().as_secs_f64();
        row.memory_mb = peak as f64 / f64::from(1 << 20);
        let stdout = stdout.join().unwrap_or_default();
        let stderr = stderr.join().unwrap_or_default();
        let (kind, detail) = match end {
            End::Stopped => return None,
            End::KilledForTime => ("time", "it did not stop at its time limit and was killed".to_owned()),
            End::KilledForMemory => ("memory", "it did not stop at its memory limit and was killed".to_owned()),
            End::Exited(status) => return Some(judge(row, status, &stdout, &stderr)),
        };
        row.verdict = "unknown".to_owned();
        (row.reason, row.detail) = (kind.to_owned(), detail);
        Some(row)
    }

    /// Waits for the end of the process, within the limits; also returns its peak memory as observed.
    fn wait(&self, child: &mut Child, started: Instant, stop: &AtomicBool) -> (End, u64) {
        let mut peak = 0;
        let mut pause = Duration::from_millis(1);
        let end = loop {
            match child.try_wait() {
                Ok(Some(status)) => return (End::Exited(status), peak),
                Ok(None) => {}
                Err(_) => break End::KilledForTime,
            }
            let used = resident_bytes_of(child.id()).unwrap_or(0);
            peak = peak.max(used);
            if stop.load(Ordering::Relaxed) {
                break End::Stopped;
            }
            if started.elapsed() > self.args.timeout + GRACE {
                break End::KilledForTime;
            }
            if used > self.args.memory_limit / 10 * 13 {
                break End::KilledForMemory;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        };
        kill(child);
        (end, peak)
    }
}

fn kill(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        // It may have ended already.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.wait();
}

/// Reads a pipe to its end on a thread of its own.
fn reader(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // Whatever was read before an error is still useful.
            let _ = (&mut pipe).take(MAX_OUTPUT).read_to_end(&mut bytes);
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        }
        bytes
    })
}

/// The result of a process that ended by itself.
fn judge(mut row: Row, status: ExitStatus, stdout: &[u8], stderr: &[u8]) -> Row {
    let said = String::from_utf8_lossy(stderr);
    let first_line = || said.lines().find(|line| !line.trim().is_empty()).unwrap_or("").trim().to_owned();
    let report: Option<serde_json::Value> = serde_json::from_slice(stdout).ok();
    let (kind, detail) = match (status.code(), status.signal()) {
        (Some(code @ 0..=2), _) => {
            let Some(report) = report else {
                (row.reason, row.detail) = ("report".to_owned(), "the report cannot be read".to_owned());
                return row;
            };
            let verdict = report["verdict"].as_str().unwrap_or("");
            let expected = ["safe", "unsafe", "unknown"][usize::try_from(code).unwrap_or(2)];
            if verdict != expected {
                (row.reason, row.detail) = ("report".to_owned(), format!("status {code}, but verdict `{verdict}`"));
                return row;
            }
            row.verdict = verdict.to_owned();
            row.memory_mb = report["memory_mb"].as_f64().unwrap_or(row.memory_mb).max(row.memory_mb);
            let reason = &report["results"][0]["reasons"][0];
            let place = reason["place"].as_str().map(|place| format!("{place}: ")).unwrap_or_default();
            let detail = reason["detail"].as_str().unwrap_or("");
            (reason["kind"].as_str().unwrap_or("").to_owned(), format!("{place}{detail}"))
        }
        (Some(3), _) => ("input".to_owned(), first_line()),
        (Some(4), _) => ("internal".to_owned(), first_line()),
        (Some(code), _) => ("status".to_owned(), format!("exit status {code}: {}", first_line())),
        (None, signal) => ("crash".to_owned(), format!("signal {}: {}", signal.unwrap_or(0), first_line())),
    };
    (row.reason, row.detail) = (kind, detail);
    row
}
