//! What a mutant is: one place of a source file, and what stands there instead.

use std::fmt;
use std::ops::Range;

/// What kind of mistake a mutant makes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operator {
    /// A statement is left out: a store, a read, a check, an emitted instruction.
    DroppedStatement,
    /// A condition is negated.
    NegatedCondition,
    /// A comparison is another one.
    Comparison,
    /// `and` is `or`, or the other way round.
    Connective,
    /// An operation is another one.
    Arithmetic,
    /// A number is one larger, a truth value the other one.
    Constant,
    /// A name of an enumeration is another one: a memory order, a sign, an error number.
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

/// A place in a source text where a mistake can be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// The bytes that change.
    pub range: Range<usize>,
    /// The mistake.
    pub operator: Operator,
    /// What stands there instead.
    pub after: String,
}

impl Site {
    /// What stands there now, in one line.
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
