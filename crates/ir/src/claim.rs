//! Typed claims of assertions, and conditions of waits. Messages for people are generated from these types; no decision
//! depends on a message.

use crate::property::Property;
use std::fmt;

/// A synchronisation object of the C library.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum SyncObject {
    Mutex,
    Condition,
    RwLock,
    SpinLock,
    Barrier,
    Semaphore,
    OnceFlag,
}

impl SyncObject {
    /// Its name for people.
    pub fn noun(self) -> &'static str {
        match self {
            SyncObject::Mutex => "mutex",
            SyncObject::Condition => "condition variable",
            SyncObject::RwLock => "read-write lock",
            SyncObject::SpinLock => "spin lock",
            SyncObject::Barrier => "barrier",
            SyncObject::Semaphore => "semaphore",
            SyncObject::OnceFlag => "once flag",
        }
    }

    /// The use that forbids its destruction.
    fn in_use(self) -> &'static str {
        match self {
            SyncObject::Mutex | SyncObject::RwLock | SyncObject::SpinLock => "is held",
            SyncObject::Condition => "a thread waits on",
            SyncObject::Barrier | SyncObject::Semaphore | SyncObject::OnceFlag => "a thread waits at",
        }
    }
}

impl fmt::Display for SyncObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.noun())
    }
}

/// The condition that a thread waits for in [`crate::Stmt::Await`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Awaited {
    /// A signal of a condition variable, the count of a semaphore, and so on.
    Object(SyncObject),
    /// All woken threads have left the object, which is to be destroyed.
    Departure(SyncObject),
}

/// In the words of the text form: `barrier`, `departure barrier`.
impl std::str::FromStr for Awaited {
    type Err = String;

    fn from_str(text: &str) -> Result<Awaited, String> {
        let object =
            |word| SyncObject::from_word(word).ok_or_else(|| format!("`{text}` is nothing that a thread waits for"));
        match text.strip_prefix("departure ") {
            Some(word) => Ok(Awaited::Departure(object(word)?)),
            None => Ok(Awaited::Object(object(text)?)),
        }
    }
}

impl fmt::Display for Awaited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        base::wording::show(f, |f| self.say(f))
    }
}

impl Awaited {
    fn say(&self, f: &mut dyn fmt::Write) -> fmt::Result {
        match self {
            Awaited::Object(SyncObject::OnceFlag) => f.write_str("initialisation by another thread"),
            Awaited::Object(object) => write!(f, "{object}"),
            Awaited::Departure(object) => write!(f, "threads that leave a {object}"),
        }
    }
}

/// A function whose call is a failure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ErrorFunction {
    /// `reach_error`.
    ReachError,
    /// `__VERIFIER_error`.
    VerifierError,
    /// `abort`, if the user counts it as a failure.
    Abort,
}

impl ErrorFunction {
    /// All of them.
    const ALL: [ErrorFunction; 3] = [ErrorFunction::ReachError, ErrorFunction::VerifierError, ErrorFunction::Abort];

    /// Its name in C.
    pub fn name(self) -> &'static str {
        match self {
            ErrorFunction::ReachError => "reach_error",
            ErrorFunction::VerifierError => "__VERIFIER_error",
            ErrorFunction::Abort => "abort",
        }
    }

    /// The one with this name in C.
    pub fn named(name: &str) -> Option<ErrorFunction> {
        ErrorFunction::ALL.into_iter().find(|function| function.name() == name)
    }
}

/// The allocation function of a block, which must be freed by its counterpart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Maker {
    Malloc,
    New,
    NewArray,
    AlignedNew,
    AlignedNewArray,
}

/// The claim of an [`crate::Stmt::Assert`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Claim {
    /// An assertion of the program, with its text if known.
    Asserted {
        /// As the source has it; empty if unknown.
        text: String,
        /// Whether it is the `assert` of `<assert.h>`, rather than a verifier's function.
        is_library: bool,
    },
    /// This function is not called.
    Uncalled(ErrorFunction),
    /// The process ends with status 0.
    EndsWell,
    /// No library function ends the process because of an error.
    NoFatalError,
    /// The invariant in this line of a witness.
    Invariant(u32),
    /// No thread uses, holds or waits for a destroyed object.
    DestroyedIdle(SyncObject),
    /// A mutex is not held when it is initialised.
    InitialisedFree,
    /// The object has not been destroyed.
    NotDestroyed(SyncObject),
    /// The releasing thread holds the lock.
    UnlockedByHolder(SyncObject),
    /// The thread that tries to lock a C++ mutex does not hold it.
    TriedByOthers,
    /// The thread that locks a `std::shared_mutex` does not hold it.
    SharedOnce,
    /// A `std::shared_mutex` released by `unlock` is locked for writing.
    UnlockedAsWritten,
    /// A `std::shared_mutex` released by `unlock_shared` is not locked for writing.
    UnlockedAsRead,
    /// All threads that wait for a condition variable use the same mutex.
    OneMutex,
    /// The enclosing object has room for it.
    Room(SyncObject),
    /// Formatted text does not overwrite its format.
    FormatApart,
    /// The ranges of a copy do not overlap.
    CopyApart,
    /// The freed block was allocated by the counterpart of the freeing function.
    MadeBy(Maker),
    /// The size passed to `delete` is that of the block.
    SizeOfBlock,
    /// A `const` variable is not written.
    ConstUnwritten,
}

impl Claim {
    /// The claim with this word in the text form, and this second word where it needs one.
    pub(crate) fn from_words(word: &str, second: Option<&str>) -> Option<Claim> {
        let object = || SyncObject::from_word(second?);
        Some(match word {
            "uncalled" => Claim::Uncalled(ErrorFunction::named(second?)?),
            "ends-well" => Claim::EndsWell,
            "no-fatal-error" => Claim::NoFatalError,
            "invariant" => Claim::Invariant(second?.parse().ok()?),
            "destroyed-idle" => Claim::DestroyedIdle(object()?),
            "initialised-free" => Claim::InitialisedFree,
            "not-destroyed" => Claim::NotDestroyed(object()?),
            "unlocked-by-holder" => Claim::UnlockedByHolder(object()?),
            "tried-by-others" => Claim::TriedByOthers,
            "shared-once" => Claim::SharedOnce,
            "unlocked-as-written" => Claim::UnlockedAsWritten,
            "unlocked-as-read" => Claim::UnlockedAsRead,
            "one-mutex" => Claim::OneMutex,
            "room" => Claim::Room(object()?),
            "format-apart" => Claim::FormatApart,
            "copy-apart" => Claim::CopyApart,
            "made-by" => Claim::MadeBy(Maker::from_word(second?)?),
            "size-of-block" => Claim::SizeOfBlock,
            "const-unwritten" => Claim::ConstUnwritten,
            _ => return None,
        })
    }

    /// The words of the text form; assertions of the program have their text instead.
    pub(crate) fn words(&self) -> (&'static str, Option<String>) {
        let word = |word: &str| Some(word.to_owned());
        match self {
            Claim::Asserted { is_library, .. } => (if *is_library { "asserted" } else { "checked" }, None),
            Claim::Uncalled(function) => ("uncalled", word(function.name())),
            Claim::EndsWell => ("ends-well", None),
            Claim::NoFatalError => ("no-fatal-error", None),
            Claim::Invariant(line) => ("invariant", Some(line.to_string())),
            Claim::DestroyedIdle(object) => ("destroyed-idle", word(object.word())),
            Claim::InitialisedFree => ("initialised-free", None),
            Claim::NotDestroyed(object) => ("not-destroyed", word(object.word())),
            Claim::UnlockedByHolder(object) => ("unlocked-by-holder", word(object.word())),
            Claim::TriedByOthers => ("tried-by-others", None),
            Claim::SharedOnce => ("shared-once", None),
            Claim::UnlockedAsWritten => ("unlocked-as-written", None),
            Claim::UnlockedAsRead => ("unlocked-as-read", None),
            Claim::OneMutex => ("one-mutex", None),
            Claim::Room(object) => ("room", word(object.word())),
            Claim::FormatApart => ("format-apart", None),
            Claim::CopyApart => ("copy-apart", None),
            Claim::MadeBy(maker) => ("made-by", word(maker.word())),
            Claim::SizeOfBlock => ("size-of-block", None),
            Claim::ConstUnwritten => ("const-unwritten", None),
        }
    }

    /// The property that is violated if the claim does not hold.
    pub fn property(&self) -> Property {
        match self {
            Claim::Asserted { .. }
            | Claim::Uncalled(_)
            | Claim::EndsWell
            | Claim::NoFatalError
            | Claim::Invariant(_) => Property::Unreach,
            Claim::DestroyedIdle(_)
            | Claim::InitialisedFree
            | Claim::NotDestroyed(_)
            | Claim::UnlockedByHolder(_)
            | Claim::TriedByOthers
            | Claim::SharedOnce
            | Claim::UnlockedAsWritten
            | Claim::UnlockedAsRead
            | Claim::OneMutex => Property::Locks,
            Claim::Room(_)
            | Claim::FormatApart
            | Claim::CopyApart
            | Claim::MadeBy(_)
            | Claim::SizeOfBlock
            | Claim::ConstUnwritten => Property::Memory,
        }
    }

    /// An assertion of the program with this text.
    pub fn asserted(text: impl Into<String>) -> Claim {
        Claim::Asserted { text: text.into(), is_library: true }
    }
}

/// In the words of the text form, as used by the models of library functions.
impl std::str::FromStr for Claim {
    type Err = String;

    fn from_str(text: &str) -> Result<Claim, String> {
        let mut words = text.split(' ');
        let claim = Claim::from_words(words.next().unwrap_or_default(), words.next());
        claim.filter(|_| words.next().is_none()).ok_or_else(|| format!("`{text}` is no claim"))
    }
}

/// The error message if the claim does not hold.
impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        base::wording::show(f, |f| self.say(f))
    }
}

impl Claim {
    fn say(&self, f: &mut dyn fmt::Write) -> fmt::Result {
        match self {
            Claim::Asserted { text, .. } if text.is_empty() => f.write_str("assertion failed"),
            Claim::Asserted { text, .. } => write!(f, "assertion failed: {text}"),
            Claim::Uncalled(function) => write!(f, "{} is called", function.name()),
            Claim::EndsWell => f.write_str("the process ends with a status other than 0"),
            Claim::NoFatalError => f.write_str("the process ends after an error"),
            Claim::Invariant(line) => write!(f, "the invariant in line {line} of the witness does not hold"),
            Claim::DestroyedIdle(object) => write!(f, "destroy of a {object} that {}", object.in_use()),
            Claim::InitialisedFree => f.write_str("initialisation of a mutex that is held"),
            Claim::NotDestroyed(object) => write!(f, "use of a {object} that was destroyed"),
            Claim::UnlockedByHolder(object) => write!(f, "unlock of a {object} that the thread does not hold"),
            Claim::TriedByOthers => f.write_str("try_lock of a mutex by the thread that holds it"),
            Claim::SharedOnce => f.write_str("lock of a shared mutex by the thread that holds it"),
            Claim::UnlockedAsWritten => {
                f.write_str("unlock of a shared mutex that the thread has not locked for writing")
            }
            Claim::UnlockedAsRead => {
                f.write_str("unlock_shared of a shared mutex that the thread has locked for writing")
            }
            Claim::OneMutex => {
                f.write_str("wait for a condition variable with another mutex than the threads that wait for it")
            }
            Claim::Room(object) => write!(f, "use of a {object} in an object that is too small for it"),
            Claim::FormatApart => f.write_str("formatted text that overlaps its format"),
            Claim::CopyApart => f.write_str("copy between ranges that overlap"),
            Claim::MadeBy(maker) => f.write_str(match maker {
                Maker::Malloc => "free of what operator new made",
                Maker::New => "delete of what was not made by operator new",
                Maker::NewArray => "delete[] of what was not made by operator new[]",
                Maker::AlignedNew => "delete with an alignment of what was not made by operator new with one",
                Maker::AlignedNewArray => "delete[] with an alignment of what was not made by operator new[] with one",
            }),
            Claim::SizeOfBlock => f.write_str("delete with another size than that of the block"),
            Claim::ConstUnwritten => f.write_str("write of a variable that is const"),
        }
    }
}

/// A feature that Heddle does not model.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unmodelled {
    /// A call of this undefined function.
    Call(String),
    /// The program writes bytes of a synchronisation object while it is in use.
    BytesWritten(SyncObject),
    /// The program copies such bytes.
    BytesCopied(SyncObject),
    /// Anything else, in words.
    Other(String),
}

impl fmt::Display for Unmodelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        base::wording::show(f, |f| self.say(f))
    }
}

impl Unmodelled {
    fn say(&self, f: &mut dyn fmt::Write) -> fmt::Result {
        match self {
            Unmodelled::Call(name) => write!(f, "call of {name}"),
            Unmodelled::BytesWritten(object) => write!(f, "writing the bytes of a {object} in use"),
            Unmodelled::BytesCopied(object) => write!(f, "copying the bytes of a {object} in use"),
            Unmodelled::Other(what) => f.write_str(what),
        }
    }
}

impl From<&str> for Unmodelled {
    fn from(what: &str) -> Unmodelled {
        Unmodelled::Other(what.to_owned())
    }
}

impl From<String> for Unmodelled {
    fn from(what: String) -> Unmodelled {
        Unmodelled::Other(what)
    }
}
