//! What a program needs of the models beyond the common case. Some needs are only known from the lowered program: then
//! it is lowered again.

use crate::{bindings, departures, locale, seeds, Libc};
use ir::Program;
use passes::readers;

/// The needs; `models/heddle.h` has the same list, except for the first.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Needs {
    /// Waiting binds a mutex to the condition variable, and waiting threads are counted until they have left.
    pub(crate) is_bound: bool,
    /// Random numbers may repeat.
    pub(crate) repeats: bool,
    /// Functions of `<stdio.h>` that do not lock the stream are used.
    pub(crate) unlocked: bool,
    /// `setlocale` may be called concurrently with functions that the locale affects.
    pub(crate) shared_locale: bool,
    /// It may matter whether readers wait for waiting writers.
    pub(crate) blocked_writers: bool,
    /// A read-write lock is initialised to prefer writers.
    pub(crate) preferences: bool,
    /// A thread may acquire a read lock while it holds one.
    pub(crate) nested_readers: bool,
    /// The program sleeps, or waits with a deadline, and reads a monotonic clock.
    pub(crate) measured: bool,
    /// The program reads the monotonic clock of `std::chrono`.
    pub(crate) ticks: bool,
}

impl Needs {
    /// Whether the need with an index in `models/heddle.h` is present.
    pub(crate) fn has(self, index: u128) -> bool {
        let list = [
            self.repeats,
            self.unlocked,
            self.shared_locale,
            self.blocked_writers,
            self.preferences,
            self.nested_readers,
            self.measured,
            self.ticks,
        ];
        usize::try_from(index).ok().and_then(|index| list.get(index).copied()).unwrap_or(false)
    }

    /// Adds the needs that the lowered program shows.
    pub(crate) fn of(self, program: &Program, libc: Libc) -> Needs {
        Needs {
            is_bound: bindings::may_differ(program) || departures::may_be_late(program),
            repeats: seeds::may_repeat(program),
            shared_locale: libc != Libc::ThreadSafe && locale::is_shared(program),
            blocked_writers: libc == Libc::Standard && readers::may_block(program),
            nested_readers: readers::may_nest(program),
            ..self
        }
    }
}
