//! Limits on time and memory, and cancellation. Every loop that can run long polls its budget.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Why work had to stop before it was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The deadline passed.
    Time,
    /// The process uses more memory than allowed.
    Memory,
    /// The work was cancelled from outside.
    Cancelled,
}

/// A deadline, a memory limit and cancel flags. Clones share the flags.
#[derive(Clone, Debug)]
pub struct Budget {
    started: Instant,
    timeout: Option<Duration>,
    memory_limit_bytes: Option<u64>,
    /// Its own flag, and those of the budgets it is part of.
    cancelled: Vec<Arc<AtomicBool>>,
    watch: Arc<Watch>,
}

/// A part of a budget's time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Part {
    /// All remaining time.
    Rest,
    /// At most this much.
    AtMost(Duration),
    /// This share of the remaining time, for an attempt with a fallback: so it is limited even if time is not, to a
    /// share of [`Part::UNLIMITED_COUNTS_AS`].
    Share(f64),
    /// One of several equal parts of the remaining time, for independent questions; unlimited time stays unlimited.
    OneOf(u32),
}

impl Part {
    /// The time that unlimited time counts as when shares of it are taken.
    pub const UNLIMITED_COUNTS_AS: Duration = Duration::from_secs(60);
}

/// When memory was measured last. Clones and parts share it.
#[derive(Debug)]
struct Watch {
    started: Instant,
    /// Milliseconds from the start to the next measurement.
    next: AtomicU64,
}

impl Default for Watch {
    fn default() -> Watch {
        Watch { started: Instant::now(), next: AtomicU64::new(0) }
    }
}

impl Watch {
    /// Milliseconds between two measurements: reading the file takes as long as a small solver query.
    const PAUSE: u64 = 10;

    /// Whether a measurement is due.
    fn is_due(&self) -> bool {
        let now = self.started.elapsed().as_millis() as u64;
        if now < self.next.load(Ordering::Relaxed) {
            return false;
        }
        self.next.store(now + Watch::PAUSE, Ordering::Relaxed);
        true
    }
}

impl Budget {
    /// No limits.
    pub fn unlimited() -> Budget {
        Budget {
            started: Instant::now(),
            timeout: None,
            memory_limit_bytes: None,
            cancelled: vec![Arc::default()],
            watch: Arc::default(),
        }
    }

    /// Limits that count from now.
    pub fn new(timeout: Option<Duration>, memory_limit_bytes: Option<u64>) -> Budget {
        Budget { timeout, memory_limit_bytes, ..Budget::unlimited() }
    }

    /// The flag that cancels the work; it may be set from another thread or a signal handler.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancelled[0])
    }

    /// A part of this budget, counted from now, that can be cancelled by itself.
    pub fn part(&self, part: Part) -> Budget {
        let rest = self.remaining();
        let timeout = match part {
            Part::Rest => rest,
            Part::AtMost(time) => Some(rest.map_or(time, |rest| rest.min(time))),
            Part::Share(share) => Some(rest.unwrap_or(Part::UNLIMITED_COUNTS_AS).mul_f64(share)),
            Part::OneOf(count) => rest.map(|rest| rest / count.max(1)),
        };
        let cancelled = std::iter::once(Arc::default()).chain(self.cancelled.iter().cloned()).collect();
        Budget { started: Instant::now(), timeout, cancelled, ..self.clone() }
    }

    /// The time since the start of the work.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The remaining time, if time is limited.
    pub fn remaining(&self) -> Option<Duration> {
        self.timeout.map(|timeout| timeout.saturating_sub(self.elapsed()))
    }

    /// Checks the limits. Costs a clock reading or two and, if memory is limited, occasionally a small file read.
    pub fn check(&self) -> Result<(), Stop> {
        if self.cancelled.iter().any(|flag| flag.load(Ordering::Relaxed)) {
            return Err(Stop::Cancelled);
        }
        if self.timeout.is_some_and(|timeout| self.elapsed() >= timeout) {
            return Err(Stop::Time);
        }
        if let Some(limit) = self.memory_limit_bytes {
            if self.watch.is_due() && resident_bytes().is_some_and(|used| used > limit) {
                // The next check must fail too.
                self.watch.next.store(0, Ordering::Relaxed);
                return Err(Stop::Memory);
            }
        }
        Ok(())
    }
}

/// The resident memory of this process, if the system reports it.
pub fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
