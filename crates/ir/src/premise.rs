//! Premises of proofs beyond the standards, as data. Every report of a `safe` lists them, and `--strict` makes such a
//! `safe` `unknown`. docs/semantics.md lists the kinds; a proof assumes nothing else.

use serde::{Deserialize, Serialize};

/// A premise of a proof.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Premise {
    /// An access that leaves an array inside a larger object for a neighbour in that object counts as an access to the
    /// neighbour; C leaves it undefined.
    Members,
    /// No thread beyond the 32nd unlocks a read-write lock that only other threads hold for reading: beyond 32, readers
    /// are not tracked.
    Readers,
    /// The C library behaves as glibc's manual specifies beyond C11 and POSIX.
    Glibc,
    /// `rand_r` computes the same as glibc's; POSIX only requires that equal seeds give equal numbers.
    Random,
    /// Equal string literals of one file are one object, and no two others share bytes; C11 6.4.5p7 leaves it open.
    Literals,
    /// Expressions that are undefined for lack of a sequence point, `i = i++`, are evaluated in clang's order.
    Sequence,
    /// No `const` variable on the stack is written through a pointer, which C11 6.7.3p6 leaves undefined.
    Constants,
    /// No C++ mutex is destroyed, and no thread ends, while it is held ([thread.mutex.class]/3): mutexes have no
    /// destructor that could check.
    HeldMutexes,
    /// `va_arg` reads floating-point numbers where such were passed, and nothing else there (C11 7.16.1.1p2): x86-64
    /// passes them separately.
    VariableArguments,
    /// Inputs have no values other than those the user promised (`--inputs-promised`).
    Inputs,
    /// Relaxed atomics are release-acquire, and seq_cst orders the atomics mixed with it (`--assume-ra`).
    ReleaseAcquire,
    /// There is no undefined behaviour except what was asked about (`--assume-defined`).
    Defined,
}

impl Premise {
    /// All of them.
    pub const ALL: [Premise; 12] = [
        Premise::Members,
        Premise::Readers,
        Premise::Glibc,
        Premise::Random,
        Premise::Literals,
        Premise::Sequence,
        Premise::Constants,
        Premise::HeldMutexes,
        Premise::VariableArguments,
        Premise::Inputs,
        Premise::ReleaseAcquire,
        Premise::Defined,
    ];

    /// The premise, in words that follow `assuming that`.
    pub fn words(self) -> &'static str {
        match self {
            Premise::Members => "no index leads out of an array into its neighbour in the same structure or array",
            Premise::Readers => "no thread beyond the 32nd unlocks a read-write lock that only other threads read under",
            Premise::Glibc => "the C library keeps the promises of glibc's manual (--libc glibc)",
            Premise::Random => "rand_r computes the numbers that glibc's computes",
            Premise::Literals => "equal string literals of one file are one object, and others do not overlap, as with clang",
            Premise::Constants => "no variable that is const is written through a pointer",
            Premise::HeldMutexes => "no C++ mutex comes to the end of its life, and no thread ends, while the mutex is held",
            Premise::Inputs => "inputs have only the values of --inputs (--inputs-promised)",
            Premise::ReleaseAcquire => "relaxed atomics are release-acquire (--assume-ra)",
            Premise::Defined => "nothing undefined happens but what was asked about (--assume-defined)",
            Premise::VariableArguments => "va_arg reads each argument as the kind of number that was passed",
            Premise::Sequence => {
                "no expression modifies an object twice, or modifies and reads it, without a sequence point between (clang's \
                 -Wunsequenced warns of one)"
            }
        }
    }
}
