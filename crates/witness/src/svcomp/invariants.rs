//! From what is known of a program to the invariants of a correctness witness: bounds of variables where threads are about to
//! do something, as C expressions at the statements of the source. What is known may be about a point in the middle of a
//! statement, so these are candidates: whoever writes a witness checks them first ([`super::instrument`]).

use super::places::Places;
use super::text::is_word;
use super::{Ghost, GhostUpdate, Invariant, Location};
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
    let make = |(index, (file, (line, column), value)): (usize, (usize, (u32, u32), String))| {
        let text = &places.texts[file];
        let function = text.function_at((line, column)).map(str::to_owned);
        let location = Location { file: text.name.clone(), line, column: Some(column), function };
        Invariant { is_of_loop: false, location, value, stands_at: index + 1 }
    };
    invariants.into_iter().enumerate().map(make).collect()
}

/// The first statement of a line.
fn statement(places: &Places, place: &str) -> Option<(usize, (u32, u32))> {
    let (name, line) = place.rsplit_once(':')?;
    let line: u32 = line.parse().ok()?;
    places.texts.iter().enumerate().find_map(|(file, text)| {
        let own = text.line_of(name, line)?;
        let at = text.statement_at(own, None).filter(|at| at.0 == own)?;
        (text.function_at(at).is_some()).then_some((file, at))
    })
}

fn is_users(places: &Places, name: &str) -> bool {
    is_word(name) && places.texts.iter().any(|text| text.tokens.iter().any(|token| token.text == name))
}

/// A bound as an expression of C.
fn condition(name: &str, bound: &str) -> Option<String> {
    if let Some(range) = bound.strip_prefix("in [") {
        let (low, high) = range.split_once(']')?.0.split_once(", ")?;
        return Some(format!("{} <= {name} && {name} <= {}", number(low)?, number(high)?));
    }
    // What holds of the remainder is left out.
    let mut words = bound.split(' ');
    let (sign, value) = (words.next()?, number(words.next()?)?);
    match sign {
        "=" => Some(format!("{name} == {value}")),
        "<=" | ">=" => Some(format!("{name} {sign} {value}")),
        _ => None,
    }
}

/// A constant of C; none for the least number of a type, which has no constant.
fn number(text: &str) -> Option<String> {
    let value: i128 = text.parse().ok()?;
    match value {
        _ if i32::try_from(value).is_ok_and(|value| value != i32::MIN) => Some(value.to_string()),
        _ if i64::try_from(value).is_ok_and(|value| value != i64::MIN) => Some(format!("{value}LL")),
        _ => None,
    }
}

/// A ghost variable for every mutex that is a variable of the whole program, with the statements that take and release it
/// (`pthread_mutex_lock(&m);` only), and what should hold of it: right after the mutex is taken it is.
pub fn locks(program: &Program, places: &Places) -> (Vec<Ghost>, Vec<GhostUpdate>, Vec<Invariant>) {
    let (mut ghosts, mut updates): (Vec<Ghost>, Vec<GhostUpdate>) = (Vec::new(), Vec::new());
    let mut invariants = Vec::new();
    for text in &places.texts {
        for (index, token) in text.tokens.iter().enumerate() {
            let value = match token.text.as_str() {
                "pthread_mutex_lock" => "1",
                "pthread_mutex_unlock" => "0",
                _ => continue,
            };
            let words: Vec<&str> = text.tokens[index..].iter().take(6).map(|token| token.text.as_str()).collect();
            let [_, "(", "&", mutex, ")", ";"] = words[..] else { continue };
            let is_statement = text.start_of(token.at) == Some(token.at) && text.function_at(token.at).is_some();
            if !is_statement || program.object_named(mutex).is_none() {
                continue;
            }
            let variable = format!("{mutex}_locked");
            if text.tokens.iter().any(|token| token.text == variable) {
                continue;
            }
            if ghosts.iter().all(|ghost| ghost.name != variable) {
                let (ty, initial) = ("int".to_owned(), "0".to_owned());
                ghosts.push(Ghost { name: variable.clone(), ty, initial, stands_at: 0 });
            }
            let function = text.function_at(token.at).map(str::to_owned);
            let (line, column) = (token.at.0, Some(token.at.1));
            let location = Location { file: text.name.clone(), line, column, function };
            let after = text
                .tokens
                .get(index + 6)
                .filter(|after| after.text != "}" && text.start_of(after.at) == Some(after.at));
            if let Some(after) = after.filter(|_| value == "1") {
                let location = Location { line: after.at.0, column: Some(after.at.1), ..location.clone() };
                let value = format!("{variable} == 1");
                invariants.push(Invariant { is_of_loop: false, location, value, stands_at: 0 });
            }
            updates.push(GhostUpdate { location, variable, value: value.to_owned(), stands_at: 0 });
        }
    }
    (ghosts, updates, invariants)
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
