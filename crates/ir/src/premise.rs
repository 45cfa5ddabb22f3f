//! What a proof takes for granted beyond what the standards say, as data: reports tell it with every `safe`.

use serde::{Deserialize, Serialize};

/// Something that every proof about a program takes for granted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Premise {
    /// An access that leaves an array inside a larger object for a neighbour in that object is taken for an access to the
    /// neighbour; C leaves it undefined.
    Members,
    /// The C library keeps what glibc's manual promises beyond C11 and POSIX.
    Glibc,
}

impl Premise {
    /// What is taken for granted, in words that follow `takes for granted that`.
    pub fn words(self) -> &'static str {
        match self {
            Premise::Members => "no index leads out of an array into its neighbour in the same structure or array",
            Premise::Glibc => "the C library keeps the promises of glibc's manual (--libc glibc)",
        }
    }
}
