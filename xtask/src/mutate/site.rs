//! A mutant: one site of a source file, and its replacement.

use std::fmt;
use std::ops::Range;

/// The mutation operator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operator {
    /// A statement is left out: a store, a read, a check, an emitted instruction.
    DroppedStatement,
    /// A condition is negated.
    NegatedCondition,
    /// A comparison is replaced by another.
    Comparison,
    /// `and` and `or` are exchanged.
    Connective,
    /// An operation is replaced by another.
    Arithmetic,
    /// A number is increased by one, a truth value negated.
    Constant,
    /// A variant of an enumeration is replaced by another: a memory order, a sign, an error number.
    Variant,
    /// The first two arguments of a call are swapped.
    SwappedArguments,
}

impl Operator {
    /// All of them.
    pub const ALL: [Operator; 8] = [
        Operator::DroppedStatement,
        Operator::NegatedCondition,
        Operator::Comparison,
        Operator::Connective,
        Operator::Arithmetic,
        Operator::Constant,
        Operator::Variant,
        Operator::SwappedArguments,
    ];
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Operator::DroppedStatement => "statement left out",
            Operator::NegatedCondition => "condition negated",
            Operator::Comparison => "other comparison",
            Operator::Connective => "and for or",
            Operator::Arithmetic => "other operation",
            Operator::Constant => "other constant",
            Operator::Variant => "other name of an enumeration",
            Operator::SwappedArguments => "arguments swapped",
        })
    }
}

/// A mutation site in a source text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// The bytes that change.
    pub range: Range<usize>,
    /// The operator.
    pub operator: Operator,
    /// The replacement.
    pub after: String,
}

impl Site {
    /// The original text, in one line.
    pub fn before<'t>(&self, text: &'t str) -> &'t str {
        &text[self.range.clone()]
    }

    /// The line, from 1.
    pub fn line(&self, text: &str) -> usize {
        1 + text[..self.range.start].bytes().filter(|byte| *byte == b'\n').count()
    }

    /// Whether both change the same bytes.
    pub fn overlaps(&self, other: &Site) -> bool {
        self.range.start < other.range.end && other.range.start < self.range.end
    }
}
