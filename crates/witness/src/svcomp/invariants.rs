//! From known facts about a program to the invariants of a correctness witness: bounds of variables before visible
//! steps, as C expressions at the statements of the source. Facts may be about a point inside a statement, so these are
//! candidates: writers of witnesses check them first ([`super::instrument`]).

use super::places::Places;
use super::text::{is_word, CText, Position};
use super::{Claims, Ghost, GhostUpdate, Invariant};
use base::Span;
use ir::invariants::{Condition, Range, Term};
use ir::Program;
use std::collections::BTreeMap;

/// The facts before a line executes in one thread.
pub struct Known {
    /// The line.
    pub at: Span,
    /// Names, with the bounds of each.
    pub values: Vec<(String, Range)>,
}

/// The invariants that the facts of all threads imply.
pub fn candidates(program: &Program, places: &Places, threads: &[Vec<Known>]) -> Vec<Invariant> {
    // By place, for each thread that reaches it, the facts about each name.
    let mut by_place: BTreeMap<Span, Vec<&Known>> = BTreeMap::new();
    for known in threads.iter().flatten() {
        by_place.entry(known.at).or_default().push(known);
    }
    let mut invariants: Vec<(usize, (u32, u32), String)> = Vec::new();
    for (line, all) in by_place {
        let Some((file, at)) = statement(program, places, line) else { continue };
        for (name, _) in &all[0].values {
            let term = Term::Name(name.clone());
            let bound = |known: &&Known| known.values.iter().find(|(own, _)| own == name)?.1.condition(&term);
            let bounds: Option<Vec<Condition>> = all.iter().map(bound).collect();
            let Some(mut bounds) = bounds.filter(|_| is_users(places, name)) else { continue };
            bounds.sort();
            bounds.dedup();
            let value = match bounds.as_slice() {
                [only] => only.to_string(),
                several => several.iter().map(|bound| format!("({bound})")).collect::<Vec<_>>().join(" || "),
            };
            invariants.push((file, at, value));
        }
    }
    invariants.sort();
    invariants.dedup();
    let make = |(file, at, value): (usize, (u32, u32), String)| {
        let location = places.texts[file].location(at);
        Invariant { is_of_loop: false, location, value, stands_at: 0, is_everywhere: false }
    };
    invariants.into_iter().map(make).collect()
}

/// The first statement of a line.
pub(super) fn statement(program: &Program, places: &Places, line: Span) -> Option<(usize, (u32, u32))> {
    let name = program.files.get(line.file).filter(|_| line.is_known())?;
    places.texts.iter().enumerate().find_map(|(file, text)| {
        let own = text.line_of(name, line.line)?;
        let at = text.statement_at(own, None).filter(|at| at.0 == own)?;
        (text.function_at(at).is_some()).then_some((file, at))
    })
}

/// Whether a name is that of a variable in the source that is syntactically no array or structure.
pub(super) fn is_users(places: &Places, name: &str) -> bool {
    let mut uses = places.texts.iter().flat_map(|text| text.tokens.windows(2)).filter(|pair| pair[0].text == name);
    // Its first occurrence is its declaration. A pointer may be indexed later.
    let is_declared = uses.next().is_some_and(|pair| pair[1].text != "[");
    is_word(name) && is_declared && uses.all(|pair| pair[1].text != ".")
}

/// A statement that locks or unlocks a mutex which is a global variable: `pthread_mutex_lock(&m);`.
pub(super) struct LockCall<'t> {
    pub(super) mutex: &'t str,
    pub(super) takes: bool,
    pub(super) at: Position,
    /// The following statement.
    pub(super) after: Option<Position>,
}

/// The calls that a ghost variable can track.
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

/// A ghost variable for every mutex that is a global variable, with the statements that lock and unlock it
/// (`pthread_mutex_lock(&m);` only), and its candidate invariant: right after the mutex is locked it is held.
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
                let location = text.location(after);
                invariants.push(Invariant { is_of_loop: false, location, value, stands_at: 0, is_everywhere: false });
            }
            let value = if call.takes { "1" } else { "0" }.to_owned();
            updates.push(GhostUpdate { location: text.location(call.at), variable, value, stands_at: 0 });
        }
    }
    Claims { ghosts, updates, invariants }
}
