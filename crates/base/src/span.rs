//! Source positions.

use std::fmt;

crate::define_id!(
    /// A source file of the program. Prints as `f0`.
    FileId, "f");

/// A position in a source file. Line 0 means that the position is not known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The line, from 1; 0 if unknown.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
}

impl Span {
    /// The position of something that has none.
    pub fn unknown() -> Span {
        Span { file: crate::Id::new(0), line: 0, column: 0 }
    }

    /// Whether the position is known.
    pub fn is_known(self) -> bool {
        self.line != 0
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
