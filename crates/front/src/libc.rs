//! The C library that the program is assumed to run with, as far as it decides what is a race.

use std::fmt;
use std::str::FromStr;

/// The source of promises about thread safety.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Libc {
    /// C11 and POSIX.1-2017: functions that need not be thread-safe are not.
    #[default]
    Standard,
    /// glibc's manual, which promises more.
    Glibc,
    /// Every function is thread-safe: the reading of the software verification competition.
    ThreadSafe,
}

impl Libc {
    /// The choices on the command line.
    pub const NAMED: [Libc; 2] = [Libc::Standard, Libc::Glibc];

    /// Its name in options and traces.
    pub fn name(self) -> &'static str {
        match self {
            Libc::Standard => "standard",
            Libc::Glibc => "glibc",
            Libc::ThreadSafe => "thread-safe",
        }
    }

    /// The variants of models that are preferred (`models/heddle.h`).
    pub(crate) fn variant(self) -> Option<&'static str> {
        match self {
            Libc::Standard => None,
            // The competition assumes the exact behaviour of glibc too.
            Libc::Glibc | Libc::ThreadSafe => Some("__glibc"),
        }
    }
}

impl fmt::Display for Libc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Libc {
    type Err = String;
    fn from_str(text: &str) -> Result<Libc, String> {
        let known = Libc::NAMED.map(Libc::name).join(", ");
        Libc::NAMED
            .into_iter()
            .chain([Libc::ThreadSafe])
            .find(|libc| libc.name() == text)
            .ok_or_else(|| format!("`{text}` is not one of {known}"))
    }
}
