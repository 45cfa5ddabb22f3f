//! Invariants of proofs and analyses, as conditions expressible in C. Engines produce them; witnesses are written from
//! them. The text of a condition is derived from it and never parsed back.

use crate::{FunctionId, LocId, LocalId};
use std::collections::BTreeSet;
use std::fmt;

/// An invariant of a thread at a location, for a subset of the states in which a thread can be there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LocationInvariant {
    /// The user function that the thread is in, and the location.
    pub at: (FunctionId, LocId),
    /// The conjuncts.
    pub facts: BTreeSet<Fact>,
    /// The entry functions of threads that have ended.
    pub ended: BTreeSet<FunctionId>,
}

/// A conjunct.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fact {
    /// The condition.
    pub condition: Condition,
    /// The variables of the function that it mentions.
    pub locals: BTreeSet<LocalId>,
}

/// A condition with its text, by which conditions are ordered.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Condition {
    text: String,
    form: Form,
}

/// The structure of a condition.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Form {
    /// A term is not zero.
    Holds(Term),
    /// A comparison.
    Compare(Term, Comparison, Term),
    /// A conjunction.
    All(Vec<Form>),
    /// A disjunction.
    Any(Vec<Form>),
}

/// A comparison operator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>=`
    AtLeast,
}

/// A numeric term.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Term {
    /// A signed constant; see [`Term::constant`].
    Constant(i128),
    /// An unsigned constant, and whether it has more than 32 bits.
    Unsigned(u128, bool),
    /// A variable.
    Name(String),
    /// A conversion to a C type.
    Cast(&'static str, Box<Term>),
    /// A product.
    Product(Box<Term>, Box<Term>),
    /// Positive and negative summands.
    Sum(Vec<Term>, Vec<Term>),
}

impl Condition {
    /// Creates a condition.
    pub fn new(form: Form) -> Condition {
        Condition { text: form.to_string(), form }
    }

    /// Its structure.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// Its C text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names in it.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.form.add_names(&mut names);
        names
    }

    /// The negation of a comparison, as a comparison; none for other conditions.
    pub fn negated(&self) -> Option<Condition> {
        let Form::Compare(left, comparison, right) = &self.form else { return None };
        let (left, right) = (left.clone(), right.clone());
        Some(Condition::new(match comparison {
            Comparison::Equal => Form::Compare(left, Comparison::Unequal, right),
            Comparison::Unequal => Form::Compare(left, Comparison::Equal, right),
            Comparison::Less => Form::Compare(right, Comparison::AtMost, left),
            Comparison::AtMost => Form::Compare(right, Comparison::Less, left),
            Comparison::AtLeast => Form::Compare(left, Comparison::Less, right),
        }))
    }
}

impl Form {
    /// A flattened conjunction.
    pub fn all(forms: impl IntoIterator<Item = Form>) -> Form {
        let mut parts = Vec::new();
        for form in forms {
            match form {
                Form::All(inner) => parts.extend(inner),
                Form::Holds(_) | Form::Compare(..) | Form::Any(_) => parts.push(form),
            }
        }
        match parts.len() {
            1 => parts.remove(0),
            _ => Form::All(parts),
        }
    }

    fn add_names<'f>(&'f self, names: &mut Vec<&'f str>) {
        match self {
            Form::Holds(term) => term.add_names(names),
            Form::Compare(left, _, right) => {
                left.add_names(names);
                right.add_names(names);
            }
            Form::All(parts) | Form::Any(parts) => parts.iter().for_each(|part| part.add_names(names)),
        }
    }
}

impl Term {
    /// A signed constant; none for the least number of a type, which has no constant, and for numbers wider than 64
    /// bits.
    pub fn constant(value: i128) -> Option<Term> {
        i64::try_from(value).is_ok_and(|value| value != i64::MIN).then_some(Term::Constant(value))
    }

    fn add_names<'f>(&'f self, names: &mut Vec<&'f str>) {
        match self {
            Term::Constant(_) | Term::Unsigned(..) => {}
            Term::Name(name) => names.push(name),
            Term::Cast(_, inner) => inner.add_names(names),
            Term::Product(left, right) => {
                left.add_names(names);
                right.add_names(names);
            }
            Term::Sum(added, subtracted) => added.iter().chain(subtracted).for_each(|part| part.add_names(names)),
        }
    }

    /// Its text, in parentheses unless it binds more tightly than a sum, or than a product.
    fn within(&self, is_in_product: bool) -> String {
        match self {
            Term::Sum(..) => format!("({self})"),
            Term::Product(..) if is_in_product => format!("({self})"),
            Term::Product(..) | Term::Constant(_) | Term::Unsigned(..) | Term::Name(_) | Term::Cast(..) => {
                self.to_string()
            }
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |parts: &[Form], operator: &str| {
            let part = |part: &Form| match part {
                Form::All(_) | Form::Any(_) => format!("({part})"),
                Form::Holds(_) | Form::Compare(..) => part.to_string(),
            };
            parts.iter().map(part).collect::<Vec<_>>().join(operator)
        };
        match self {
            Form::Holds(term) => term.fmt(f),
            Form::Compare(left, comparison, right) => {
                let operator = match comparison {
                    Comparison::Equal => "==",
                    Comparison::Unequal => "!=",
                    Comparison::Less => "<",
                    Comparison::AtMost => "<=",
                    Comparison::AtLeast => ">=",
                };
                write!(f, "{left} {operator} {right}")
            }
            Form::All(parts) => f.write_str(&joined(parts, " && ")),
            Form::Any(parts) => f.write_str(&joined(parts, " || ")),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Constant(value) => {
                let is_int = i32::try_from(*value).is_ok_and(|value| value != i32::MIN);
                write!(f, "{value}{}", if is_int { "" } else { "LL" })
            }
            Term::Unsigned(value, is_long) => write!(f, "{value}{}", if *is_long { "ULL" } else { "U" }),
            Term::Name(name) => f.write_str(name),
            Term::Cast(ty, inner) => write!(f, "({ty}){}", inner.within(true)),
            Term::Product(left, right) => write!(f, "{} * {}", left.within(true), right.within(true)),
            Term::Sum(added, subtracted) => {
                f.write_str(&added.iter().map(|part| part.within(false)).collect::<Vec<_>>().join(" + "))?;
                subtracted.iter().try_for_each(|part| write!(f, " - {}", part.within(false)))
            }
        }
    }
}

/// Bounds on a number, where they exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The least.
    pub least: Option<i128>,
    /// The greatest.
    pub greatest: Option<i128>,
}

impl Range {
    /// The least range that contains both.
    pub fn joined(&self, other: &Range) -> Range {
        Range {
            least: self.least.zip(other.least).map(|(one, two)| one.min(two)),
            greatest: self.greatest.zip(other.greatest).map(|(one, two)| one.max(two)),
        }
    }

    /// The condition that a term is in the range; none if that is trivial, or cannot be expressed.
    pub fn condition(&self, of: &Term) -> Option<Condition> {
        let constant = |value: Option<i128>| value.map(Term::constant);
        let compare = |left: &Term, comparison, right: &Term| Form::Compare(left.clone(), comparison, right.clone());
        Some(Condition::new(match (constant(self.least), constant(self.greatest)) {
            (Some(one), Some(other)) if one == other => compare(of, Comparison::Equal, &one?),
            (Some(least), Some(greatest)) => {
                Form::All(vec![compare(&least?, Comparison::AtMost, of), compare(of, Comparison::AtMost, &greatest?)])
            }
            (Some(least), None) => compare(of, Comparison::AtLeast, &least?),
            (None, Some(greatest)) => compare(of, Comparison::AtMost, &greatest?),
            (None, None) => return None,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_become_conditions() {
        for (least, greatest, expected) in [
            (Some(3), Some(3), Some("x == 3")),
            (Some(-1), Some(5), Some("-1 <= x && x <= 5")),
            (Some(0), None, Some("x >= 0")),
            (None, Some(1 << 32), Some("x <= 4294967296LL")),
            (Some(i128::from(i32::MIN)), None, Some("x >= -2147483648LL")),
            (Some(i128::from(i64::MIN)), Some(5), None),
            (None, None, None),
        ] {
            let condition = Range { least, greatest }.condition(&Term::Name("x".to_owned()));
            assert_eq!(condition.as_ref().map(Condition::text), expected);
        }
    }
}
