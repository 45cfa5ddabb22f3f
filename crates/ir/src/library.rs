//! Functions of the C library that need not be thread-safe: C11 7.1.4p5 with the clauses of the single functions, and
//! the list of POSIX.1-2017, System Interfaces 2.9.1. Their models access objects that the program cannot name
//! ([`crate::Object::is_hidden`]), so that two unordered calls race on these.

/// A function that need not be thread-safe.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadUnsafe {
    /// Its name.
    pub name: &'static str,
    /// The clause of the standard.
    pub clause: &'static str,
    /// The replacement: a function, or advice.
    pub instead: &'static str,
}

/// Thread-safe by POSIX, not by glibc's manual.
const GLIBC: &str = "race:drand48 in glibc's manual";
const POSIX: &str = "POSIX.1-2017 2.9.1";
const LOCALE: &str = "C11 7.11.1.1";
const USE_LOCALE: &str = "uselocale";
const LOCK: &str = "a lock around all of these calls";
const EARLY: &str = "it before other threads start, or a lock around all calls that use the environment";

/// All such functions with models, by name.
pub const THREAD_UNSAFE: &[ThreadUnsafe] = &[
    entry("asctime", "C11 7.27.3", "asctime_r or strftime"),
    entry("clearenv", POSIX, EARLY),
    entry("ctime", "C11 7.27.3", "ctime_r or strftime"),
    entry("drand48", POSIX, "erand48"),
    entry("erand48", GLIBC, "erand48_r"),
    entry("getenv", "C11 7.22.4.6", LOCK),
    entry("getgrgid", POSIX, "getgrgid_r"),
    entry("getgrnam", POSIX, "getgrnam_r"),
    entry("gethostbyname", "POSIX.1-2001 2.9.1", "getaddrinfo"),
    entry("getlogin", POSIX, "getlogin_r"),
    entry("getpwnam", POSIX, "getpwnam_r"),
    entry("getpwuid", POSIX, "getpwuid_r"),
    entry("gmtime", "C11 7.27.3", "gmtime_r"),
    entry("inet_ntoa", POSIX, "inet_ntop"),
    entry("jrand48", GLIBC, "jrand48_r"),
    entry("localeconv", "C11 7.11.2.1", "nl_langinfo_l"),
    entry("localtime", "C11 7.27.3", "localtime_r"),
    entry("lrand48", POSIX, "nrand48"),
    entry("mrand48", POSIX, "jrand48"),
    entry("nrand48", GLIBC, "nrand48_r"),
    entry("putenv", POSIX, EARLY),
    entry("rand", "C11 7.22.2.1", "rand_r"),
    entry("secure_getenv", "C11 7.22.4.6", LOCK),
    entry("setenv", POSIX, EARLY),
    entry("setlocale", LOCALE, USE_LOCALE),
    entry("srand", "C11 7.22.2.2", "rand_r"),
    entry("srand48", POSIX, "erand48"),
    entry("strerror", "C11 7.24.6.2", "strerror_r"),
    entry("strsignal", POSIX, LOCK),
    entry("strtok", "C11 7.24.5.8", "strtok_r"),
    entry("system", POSIX, LOCK),
    entry("tmpnam", "C11 7.21.4.4", "mkstemp"),
    entry("ttyname", POSIX, "ttyname_r"),
    entry("unsetenv", POSIX, EARLY),
];

/// Functions that are thread-safe unless `setlocale` is called concurrently: C11 7.4, 7.21.6, 7.22.1, 7.24.4.3 and
/// 7.24.6.2 specify the effects of the locale, and POSIX those on its own functions.
const AFFECTED_BY_LOCALE: &[ThreadUnsafe] = &[
    affected("__fprintf_chk"),
    affected("__isoc23_fscanf"),
    affected("__isoc23_scanf"),
    affected("__isoc23_sscanf"),
    affected("__isoc23_strtol"),
    affected("__isoc23_strtoll"),
    affected("__isoc23_strtoul"),
    affected("__isoc23_strtoull"),
    affected("__isoc99_fscanf"),
    affected("__isoc99_scanf"),
    affected("__isoc99_sscanf"),
    affected("__printf_chk"),
    affected("__snprintf_chk"),
    affected("__sprintf_chk"),
    affected("__vfprintf_chk"),
    affected("__vprintf_chk"),
    affected("__vsnprintf_chk"),
    affected("__xpg_strerror_r"),
    affected("atof"),
    affected("dprintf"),
    affected("fprintf"),
    affected("fscanf"),
    affected("isalnum"),
    affected("isalpha"),
    affected("isblank"),
    affected("iscntrl"),
    affected("isgraph"),
    affected("islower"),
    affected("isprint"),
    affected("ispunct"),
    affected("isspace"),
    affected("isupper"),
    affected("perror"),
    affected("printf"),
    affected("scanf"),
    affected("snprintf"),
    affected("sprintf"),
    affected("sscanf"),
    affected("strcoll"),
    affected("strerror"),
    affected("strerror_r"),
    affected("strncasecmp"),
    affected("strsignal"),
    affected("strtod"),
    affected("strtof"),
    affected("strtol"),
    affected("strtoll"),
    affected("strtoul"),
    affected("strtoull"),
    affected("tolower"),
    affected("toupper"),
    affected("vdprintf"),
    affected("vfprintf"),
    affected("vprintf"),
    affected("vsnprintf"),
    affected("vsprintf"),
];

const fn affected(name: &'static str) -> ThreadUnsafe {
    entry(name, LOCALE, USE_LOCALE)
}

const fn entry(name: &'static str, clause: &'static str, instead: &'static str) -> ThreadUnsafe {
    ThreadUnsafe { name, clause, instead }
}

/// The entry of a function that need not be thread-safe.
pub fn thread_unsafe(name: &str) -> Option<&'static ThreadUnsafe> {
    THREAD_UNSAFE.iter().chain(AFFECTED_BY_LOCALE).find(|function| function.name == name)
}

/// Whether the behaviour of a function depends on the current locale.
pub fn is_affected_by_locale(name: &str) -> bool {
    AFFECTED_BY_LOCALE.iter().any(|function| function.name == name)
}

/// A race of two calls on the internal state of the library.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LibraryRace {
    /// The call whose access comes second.
    pub this: &'static ThreadUnsafe,
    /// The other call.
    pub other: &'static ThreadUnsafe,
}

impl std::fmt::Display for LibraryRace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ThreadUnsafe { name, clause, instead } = self.this;
        if self.this == self.other {
            return write!(
                f,
                "library race: {name}() is called by two threads without synchronisation; it need not be thread-safe \
                 ({clause}): use {instead}"
            );
        }
        let ThreadUnsafe { name: other, clause: others, instead: others_instead } = self.other;
        write!(
            f,
            "library race: {name}() and {other}() are called by two threads without synchronisation; they need not be \
             thread-safe ({clause}"
        )?;
        if others != clause {
            write!(f, "; {others}")?;
        }
        write!(f, "): use {instead}")?;
        match others_instead == instead {
            true => Ok(()),
            false => write!(f, "; and for {other}: {others_instead}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn race(this: &str, other: &str) -> String {
        let [this, other] = [this, other].map(|name| thread_unsafe(name).expect("it should be in the table"));
        LibraryRace { this, other }.to_string()
    }

    #[test]
    fn the_sentence_names_functions_and_what_to_use() {
        assert_eq!(
            race("rand", "rand"),
            "library race: rand() is called by two threads without synchronisation; it need not be thread-safe (C11 \
             7.22.2.1): use rand_r"
        );
        assert_eq!(
            race("gmtime", "localtime"),
            "library race: gmtime() and localtime() are called by two threads without synchronisation; they need not be \
             thread-safe (C11 7.27.3): use gmtime_r; and for localtime: localtime_r"
        );
        assert!(race("srand", "rand").ends_with("(C11 7.22.2.2; C11 7.22.2.1): use rand_r"));
    }

    #[test]
    fn the_table_is_sorted() {
        assert!([THREAD_UNSAFE, AFFECTED_BY_LOCALE].iter().all(|table| table.is_sorted_by(|a, b| a.name < b.name)));
    }
}
