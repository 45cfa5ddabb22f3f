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
    /// Somebody asked for it.
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

/// When memory was looked at last. Clones and parts share it.
#[derive(Debug)]
struct Watch {
    started: Instant,
    /// Milliseconds from the start to when it is time to look again.
    next: AtomicU64,
}

impl Default for Watch {
    fn default() -> Watch {
        Watch { started: Instant::now(), next: AtomicU64::new(0) }
    }
}

impl Watch {
    /// So many milliseconds pass between two looks: reading the file takes as long as a small question to a solver.
    const PAUSE: u64 = 10;

    /// Whether it is time to look.
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

    /// A part of this budget, from now on and at most this long, that can be cancelled by itself.
    pub fn part(&self, most: Option<Duration>) -> Budget {
        let timeout = match (self.remaining(), most) {
            (Some(rest), Some(most)) => Some(rest.min(most)),
            (rest, most) => rest.or(most),
        };
        let cancelled = std::iter::once(Arc::default()).chain(self.cancelled.iter().cloned()).collect();
        Budget { started: Instant::now(), timeout, cancelled, ..self.clone() }
    }

    /// How long the work has been going on.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// What is left of the time, if time is limited.
    pub fn remaining(&self) -> Option<Duration> {
        self.timeout.map(|timeout| timeout.saturating_sub(self.elapsed()))
    }

    /// The same limits, but at most `share` of the remaining time, counted from now.
    pub fn share(&self, share: f64) -> Budget {
        Budget { started: Instant::now(), timeout: self.remaining().map(|rest| rest.mul_f64(share)), ..self.clone() }
    }

    /// The same limits, but at most so much time, counted from now.
    pub fn at_most(&self, time: Duration) -> Budget {
        let rest = self.remaining().map_or(time, |rest| rest.min(time));
        Budget { started: Instant::now(), timeout: Some(rest), ..self.clone() }
    }

    /// Costs a clock reading or two and, if memory is limited, now and then a small file read.
    pub fn check(&self) -> Result<(), Stop> {
        if self.cancelled.iter().any(|flag| flag.load(Ordering::Relaxed)) {
            return Err(Stop::Cancelled);
        }
        if self.timeout.is_some_and(|timeout| self.elapsed() >= timeout) {
            return Err(Stop::Time);
        }
        if let Some(limit) = self.memory_limit_bytes {
            if self.watch.is_due() && resident_bytes().is_some_and(|used| used > limit) {
                // Whoever asks next is to hear it too.
                self.watch.next.store(0, Ordering::Relaxed);
                return Err(Stop::Memory);
            }
        }
        Ok(())
    }
}

/// The resident memory of this process, where the system tells.
pub fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
