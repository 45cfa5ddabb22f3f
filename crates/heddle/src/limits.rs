//! Limits on time and memory, and signals. Engines poll their budget; a guard thread handles what cannot poll, like
//! clang, and what polls too late: it stops the process with a report instead of letting it crash or hang.
//!
//! Limits are kept within a tenth. So the guard gives an engine, which should stop by itself at its limits, only a
//! short overtime: the rest of that tenth is for the report and the end of the process. Loading the program gets no
//! overtime, since it has no partial result. Very short time limits are exceeded by more than a tenth, because waking
//! up and reporting take time.

use base::{Budget, Stop};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Polling intervals of the guard, with much memory left and with little: growth between two polls is a few megabytes
/// per millisecond.
const POLL: Duration = Duration::from_millis(20);
const POLL_NEAR_LIMIT: Duration = Duration::from_millis(2);
/// Time to report results after a run is cancelled.
const GRACE: Duration = Duration::from_secs(2);
/// The overtime of an engine: a fraction of its time, with a minimum and a maximum.
const OVERTIME: (f64, Duration, Duration) = (0.05, Duration::from_millis(100), GRACE);
/// The fraction of the memory limit that engines see; they are stopped at the full limit, since an engine continues and
/// grows while the guard reports.
const MEMORY_FOR_ENGINES: f64 = 0.95;

/// The limits set by the user.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) timeout: Option<Duration>,
    pub(crate) memory_bytes: Option<u64>,
}

impl Limits {
    /// The given limits; without a memory limit, most of the machine's memory, because the operating system kills
    /// processes when memory runs out.
    pub(crate) fn new(timeout: Option<Duration>, memory_bytes: Option<u64>) -> Limits {
        Limits { timeout, memory_bytes: memory_bytes.or_else(most_of_memory) }
    }

    /// A budget with these limits that an interrupt or a request to terminate cancels. A second one ends the process.
    pub(crate) fn budget(&self) -> Budget {
        let budget = Budget::new(self.timeout, self.memory_bytes.map(|limit| part_of(limit, MEMORY_FOR_ENGINES)));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            let flag = budget.cancel_flag();
            let status = i32::from(crate::status::Status::Unknown.code());
            // In this order: the first signal finds the flag unset and sets it, the second finds it set.
            let registered = signal_hook::flag::register_conditional_shutdown(signal, status, Arc::clone(&flag))
                .and_then(|_| signal_hook::flag::register(signal, flag));
            registered.expect("handlers of SIGINT and SIGTERM should be allowed");
        }
        budget
    }

    /// The time at which the run is stopped hard.
    fn last_moment(&self, loading: bool) -> Option<Duration> {
        let (part, least, most) = OVERTIME;
        self.timeout.map(|timeout| if loading { timeout } else { timeout + timeout.mul_f64(part).clamp(least, most) })
    }

    /// Whether little memory is left.
    fn is_near(&self, used: u64) -> bool {
        self.memory_bytes.is_some_and(|limit| used > limit / 4 * 3)
    }
}

fn part_of(bytes: u64, part: f64) -> u64 {
    (bytes as f64 * part) as u64
}

/// The number of available processors.
pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn most_of_memory() -> Option<u64> {
    let meminfo = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = meminfo.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kilobytes: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024 / 5 * 4)
}

/// Watches a run. The guard and the run itself race to claim the report; the first one makes it.
#[derive(Clone)]
pub(crate) struct Guard {
    is_loading: Arc<AtomicBool>,
    is_reported: Arc<AtomicBool>,
}

impl Guard {
    /// Starts the guard. `last_words` reports the results so far if the run has to be stopped hard; then the process
    /// exits with the status it returns.
    pub(crate) fn start(
        limits: Limits,
        budget: &Budget,
        last_words: impl FnOnce(Stop) -> crate::status::Status + Send + 'static,
    ) -> Guard {
        let guard =
            Guard { is_loading: Arc::new(AtomicBool::new(true)), is_reported: Arc::new(AtomicBool::new(false)) };
        let (watching, budget) = (guard.clone(), budget.clone());
        std::thread::spawn(move || {
            let Some(stop) = watching.watch(limits, &budget) else { return };
            kill_children();
            let status = last_words(stop);
            std::process::exit(i32::from(status.code()));
        });
        guard
    }

    /// The program is loaded: from here on engines stop by themselves.
    pub(crate) fn loaded(&self) {
        self.is_loading.store(false, Ordering::SeqCst);
    }

    /// Whether the caller may report: true for one caller only. The other one must not print anything more.
    fn claim_report(&self) -> bool {
        !self.is_reported.swap(true, Ordering::SeqCst)
    }

    /// Claims the report for the run itself. If the guard came first, the process is about to end and nothing else may
    /// be printed: then this does not return.
    pub(crate) fn report_or_wait(&self) {
        while !self.claim_report() {
            std::thread::park();
        }
    }

    /// Waits until the run has to be stopped hard; `None` if it reported by itself.
    fn watch(&self, limits: Limits, budget: &Budget) -> Option<Stop> {
        let cancelled = budget.cancel_flag();
        let mut cancelled_since: Option<Instant> = None;
        let mut pause = POLL;
        loop {
            std::thread::sleep(pause);
            if self.is_reported.load(Ordering::SeqCst) {
                return None;
            }
            let loading = self.is_loading.load(Ordering::SeqCst);
            let grace = if loading { Duration::ZERO } else { GRACE };
            if cancelled.load(Ordering::Relaxed) {
                cancelled_since.get_or_insert_with(Instant::now);
            }
            let too_late = limits.last_moment(loading).is_some_and(|last| budget.elapsed() >= last);
            // The latest poll decides whether memory is exhausted; the pause depends on how near the limit it was.
            let used = limits.memory_bytes.map_or(0, |_| used_bytes());
            pause = if limits.is_near(used) { POLL_NEAR_LIMIT } else { POLL };
            let stop = if cancelled_since.is_some_and(|since| since.elapsed() >= grace) {
                Stop::Cancelled
            } else if limits.memory_bytes.is_some_and(|most| used > most) {
                Stop::Memory
            } else if too_late {
                Stop::Time
            } else {
                continue;
            };
            return self.claim_report().then_some(stop);
        }
    }
}

/// The memory of this process and its children.
fn used_bytes() -> u64 {
    let own = base::budget::resident_bytes().unwrap_or(0);
    own + children().iter().filter_map(|child| resident_bytes_of(*child)).sum::<u64>()
}

/// The resident memory of another process, if the system reports it.
pub(crate) fn resident_bytes_of(pid: u32) -> Option<u64> {
    let statm = std::fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: u64 = statm.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

/// The peak memory of this process in megabytes, if the system reports it.
pub(crate) fn peak_megabytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some((kilobytes / 1024.0 * 10.0).round() / 10.0)
}

/// The running child processes of this one (clang), if the system reports them.
fn children() -> Vec<u32> {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return Vec::new() };
    let lists = threads.flatten().filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>())
        .collect()
}

fn kill_children() {
    for child in children() {
        let pid = i32::try_from(child).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(pid) = pid {
            // It may have ended by itself meanwhile.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }
}
