//! From what is known of a program to the invariants of a correctness witness: bounds of variables where threads are about to
//! do something, as C expressions at the statements of the source. What is known may be about a point in the middle of a
//! statement, so these are candidates: whoever writes a witness checks them first ([`super::instrument`]).

use super::places::Places;
use super::text::{is_word, CText, Position};
use super::{Claims, Ghost, GhostUpdate, Invariant};
use ir::Program;
use std::collections::BTreeMap;

/// What holds before what a line does in one thread: the file and line as the program calls them, names and bounds
/// (`= 3`, `>= 0`, `in [0, 5]`).
pub struct Known {
    /// `file:line`.
    pub place: String,
    /// Names and what is known of each.
    pub values: Vec<(String, String)>,
}

/// The invariants that what is known in all threads amounts to.
pub fn candidates(places: &Places, threads: &[Vec<Known>]) -> Vec<Invariant> {
    // By place, for each thread that gets there, what is known of each name.
    let mut by_place: BTreeMap<&str, Vec<&Known>> = BTreeMap::new();
    for known in threads.iter().flatten() {
        by_place.entry(&known.place).or_default().push(known);
    }
    let mut invariants: Vec<(usize, (u32, u32), String)> = Vec::new();
    for (place, all) in by_place {
        let Some((file, at)) = statement(places, place) else { continue };
        for (name, _) in &all[0].values {
            let bounds: Option<Vec<String>> = all
                .iter()
                .map(|known| {
                    known.values.iter().find(|(own, _)| own == name).and_then(|(_, bound)| condition(name, bound))
                })
                .collect();
            let Some(mut bounds) = bounds.filter(|_| is_users(places, name)) else { continue };
            bounds.sort();
            bounds.dedup();
            let value = match bounds.as_slice() {
                [only] => only.clone(),
                several => several.iter().map(|bound| format!("({bound})")).collect::<Vec<_>>().join(" || "),
            };
            invariants.push((file, at, value));
        }
    }
    invariants.sort();
    invariants.dedup();
    let make = |(file, at, value): (usize, (u32, u32), String)| {
        let location = places.texts[file].location(at);
        Invariant { is_of_loop: false, location, value, stands_at: 0 }
    };
    invariants.into_iter().map(make).collect()
}

/// The first statement of a line.
pub(super) fn statement(places: &Places, place: &str) -> Option<(usize, (u32, u32))> {
    let (name, line) = place.rsplit_once(':')?;
    let line: u32 = line.parse().ok()?;
    places.texts.iter().enumerate().find_map(|(file, text)| {
        let own = text.line_of(name, line)?;
        let at = text.statement_at(own, None).filter(|at| at.0 == own)?;
        (text.function_at(at).is_some()).then_some((file, at))
    })
}

/// Whether a name is that of a variable in the source, which is no array or structure by the look of it.
pub(super) fn is_users(places: &Places, name: &str) -> bool {
    let mut uses = places.texts.iter().flat_map(|text| text.tokens.windows(2)).filter(|pair| pair[0].text == name);
    // It is declared where it stands first. A pointer may be followed by an index later.
    let is_declared = uses.next().is_some_and(|pair| pair[1].text != "[");
    is_word(name) && is_declared && uses.all(|pair| pair[1].text != ".")
}

/// The least and the greatest number that something can be, as far as there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    least: Option<i128>,
    greatest: Option<i128>,
}

impl Range {
    /// What both allow, and what is in between.
    pub(super) fn joined(&self, other: &Range) -> Range {
        let both = |one: Option<i128>, two: Option<i128>| one.zip(two);
        Range {
            least: both(self.least, other.least).map(|(one, two)| one.min(two)),
            greatest: both(self.greatest, other.greatest).map(|(one, two)| one.max(two)),
        }
    }
}

/// The numbers that a bound allows. What holds of the remainder is left out.
pub(super) fn range(bound: &str) -> Option<Range> {
    if let Some(range) = bound.strip_prefix("in [") {
        let (low, high) = range.split_once(']')?.0.split_once(", ")?;
        return Some(Range { least: low.parse().ok(), greatest: high.parse().ok() });
    }
    let mut words = bound.split(' ');
    let (sign, value) = (words.next()?, words.next()?.parse::<i128>().ok()?);
    match sign {
        "=" => Some(Range { least: Some(value), greatest: Some(value) }),
        "<=" => Some(Range { least: None, greatest: Some(value) }),
        ">=" => Some(Range { least: Some(value), greatest: None }),
        _ => None,
    }
}

/// That a variable is in a range, as an expression of C; none if that says nothing, or cannot be said.
pub(super) fn expression(name: &str, range: Range) -> Option<String> {
    match (range.least, range.greatest) {
        (Some(one), Some(other)) if one == other => Some(format!("{name} == {}", number(one)?)),
        (Some(least), Some(greatest)) => {
            Some(format!("{} <= {name} && {name} <= {}", number(least)?, number(greatest)?))
        }
        (Some(least), None) => Some(format!("{name} >= {}", number(least)?)),
        (None, Some(greatest)) => Some(format!("{name} <= {}", number(greatest)?)),
        (None, None) => None,
    }
}

/// A bound as an expression of C.
fn condition(name: &str, bound: &str) -> Option<String> {
    expression(name, range(bound)?)
}

/// A constant of C; none for the least number of a type, which has no constant.
fn number(value: i128) -> Option<String> {
    match value {
        _ if i32::try_from(value).is_ok_and(|value| value != i32::MIN) => Some(value.to_string()),
        _ if i64::try_from(value).is_ok_and(|value| value != i64::MIN) => Some(format!("{value}LL")),
        _ => None,
    }
}

/// A statement that takes or releases a mutex which is a variable of the whole program: `pthread_mutex_lock(&m);`.
pub(super) struct LockCall<'t> {
    pub(super) mutex: &'t str,
    pub(super) takes: bool,
    pub(super) at: Position,
    /// The statement after it.
    pub(super) after: Option<Position>,
}

/// The calls of which a ghost variable can tell.
pub(super) fn lock_calls<'t>(program: &Program, text: &'t CText) -> Vec<LockCall<'t>> {
    let mut calls = Vec::new();
    for (index, token) in text.tokens.iter().enumerate() {
        let takes = match token.text.as_str() {
            "pthread_mutex_lock" => true,
            "pthread_mutex_unlock" => false,
            _ => continue,
        };
        let words: Vec<&str> = text.tokens[index..].iter().take(6).map(|token| token.text.as_str()).collect();
        let [_, "(", "&", mutex, ")", ";"] = words[..] else { continue };
        let is_statement = text.start_of(token.at) == Some(token.at) && text.function_at(token.at).is_some();
        let is_free = || text.tokens.iter().all(|token| token.text != variable_of(mutex));
        if is_statement && program.object_named(mutex).is_some() && is_free() {
            calls.push(LockCall { mutex, takes, at: token.at, after: text.after_call(index) });
        }
    }
    calls
}

/// The ghost variable of a mutex.
pub(super) fn variable_of(mutex: &str) -> String {
    format!("{mutex}_locked")
}

/// A ghost variable for every mutex that is a variable of the whole program, with the statements that take and release it
/// (`pthread_mutex_lock(&m);` only), and what should hold of it: right after the mutex is taken it is.
pub fn locks(program: &Program, places: &Places) -> Claims {
    let Claims { mut ghosts, mut updates, mut invariants } = Claims::default();
    for text in &places.texts {
        for call in lock_calls(program, text) {
            let variable = variable_of(call.mutex);
            if ghosts.iter().all(|ghost| ghost.name != variable) {
                let (ty, initial) = ("int".to_owned(), "0".to_owned());
                ghosts.push(Ghost { name: variable.clone(), ty, initial, stands_at: 0 });
            }
            if let Some(after) = call.after.filter(|_| call.takes) {
                let value = format!("{variable} == 1");
                invariants.push(Invariant { is_of_loop: false, location: text.location(after), value, stands_at: 0 });
            }
            let value = if call.takes { "1" } else { "0" }.to_owned();
            updates.push(GhostUpdate { location: text.location(call.at), variable, value, stands_at: 0 });
        }
    }
    Claims { ghosts, updates, invariants }
}

#[cfg(test)]
mod tests {
    use super::condition;

    #[test]
    fn bounds_become_expressions() {
        for (bound, expected) in [
            ("= 3", Some("x == 3")),
            ("in [-1, 5]", Some("-1 <= x && x <= 5")),
            (">= 0 = 1 mod 2", Some("x >= 0")),
            ("<= 4294967296", Some("x <= 4294967296LL")),
            ("in [-9223372036854775808, 5]", None),
            ("any", None),
        ] {
            assert_eq!(condition("x", bound).as_deref(), expected, "{bound}");
        }
    }
}
