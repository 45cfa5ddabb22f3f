//! A thread-modular proof as invariants of a correctness witness: facts about shared variables that hold while the
//! mutex that protects them is free. A thread that locks the mutex may rely on them and must restore them before
//! unlocking; in between they may be broken. That takes ghost variables: `m_locked`, that a mutex is held, and for
//! facts that hold only once another thread was started, `multithreaded`.
//!
//! Source: Erhard et al., Correctness Witnesses for Concurrent Programs: Bridging the Semantic Divide with Ghosts,
//! VMCAI 2025. There the invariants are those of the analysis; here they are candidates ([`super::invariants`]), made
//! from the facts that each thread has right after locking the mutex and right before unlocking it, and are checked
//! before they are written.

use super::invariants::{lock_calls, statement, variable_of, Known, LockCall};
use super::places::Places;
use super::text::{CText, Position};
use super::{Claims, Ghost, GhostUpdate, Invariant};
use ir::invariants::{Range, Term};
use ir::Program;
use std::collections::{BTreeMap, BTreeSet};

/// The ghost variable for whether a second thread was started.
pub const MULTITHREADED: &str = "multithreaded";
/// Maximum number of variables: checking more costs more than it is worth.
const MAX_VARIABLES: usize = 4;
const MAX_PLACES: usize = 6;

/// The facts that threads may rely on when they lock a mutex. They do not include the ghost variables of locks, which
/// [`super::invariants::locks`] makes.
pub fn protected(program: &Program, places: &Places, threads: &[Vec<Known>]) -> Claims {
    let mut all = Claims::default();
    let mut is_multithreaded = false;
    for (file, text) in places.texts.iter().enumerate() {
        let calls = lock_calls(program, text);
        let starts = Starts::of(text);
        let mutexes: BTreeSet<&str> = calls.iter().map(|call| call.mutex).collect();
        for mutex in mutexes {
            let own: Vec<&LockCall<'_>> = calls.iter().filter(|call| call.mutex == mutex && call.takes).collect();
            let ends = calls.iter().filter(|call| call.mutex == mutex && !call.takes).map(|call| call.at);
            let all_known: Vec<Position> = own.iter().filter_map(|call| call.after).chain(ends).collect();
            let known = |is_counted: &dyn Fn(Position) -> bool| {
                let at: BTreeSet<Position> = all_known.iter().copied().filter(|at| is_counted(*at)).collect();
                common(program, places, threads, (file, &at))
            };
            let (always, later) = (known(&|_| true), known(&|at| !starts.is_before(text, at)));
            for (name, range) in later.iter().take(MAX_VARIABLES) {
                let from_start = always.get(name) == Some(range);
                let bound = range.condition(&Term::Name(name.clone()));
                let Some(bound) = bound.filter(|_| from_start || starts.is_reported) else { continue };
                is_multithreaded |= !from_start;
                let free = format!("{} || ({bound})", variable_of(mutex));
                let value = if from_start { free } else { format!("!{MULTITHREADED} || {free}") };
                let mut here: Vec<Position> = own.iter().map(|call| call.at).collect();
                here.extend(&starts.after);
                here.sort_unstable();
                here.dedup();
                all.invariants.extend(here.into_iter().take(MAX_PLACES).map(|at| Invariant {
                    is_of_loop: false,
                    location: text.location(at),
                    value: value.clone(),
                    stands_at: 0,
                    is_everywhere: true,
                }));
            }
        }
        if is_multithreaded {
            let update = |at: &Position| GhostUpdate {
                location: text.location(*at),
                variable: MULTITHREADED.to_owned(),
                value: "1".to_owned(),
                stands_at: 0,
            };
            all.updates.extend(starts.at.iter().map(update));
        }
    }
    if !all.updates.is_empty() {
        let (ty, initial) = ("int".to_owned(), "0".to_owned());
        all.ghosts.push(Ghost { name: MULTITHREADED.to_owned(), ty, initial, stands_at: 0 });
    }
    all
}

/// The facts, by variable, that all threads reaching some statements share there; none for a variable if one of the
/// threads has none.
fn common(
    program: &Program,
    places: &Places,
    threads: &[Vec<Known>],
    (file, at): (usize, &BTreeSet<Position>),
) -> BTreeMap<String, Range> {
    let is_here = |known: &&Known| {
        statement(program, places, known.at).is_some_and(|(own, start)| own == file && at.contains(&start))
    };
    let mut all: Option<BTreeMap<String, Range>> = None;
    for known in threads.iter().flatten().filter(is_here) {
        let own = known.values.iter().filter(|(name, _)| program.object_named(name).is_some());
        let own: BTreeMap<String, Range> = own.cloned().collect();
        all = Some(match all {
            None => own,
            Some(all) => all
                .into_iter()
                .filter_map(|(name, range)| {
                    let joined = range.joined(own.get(&name)?);
                    Some((name, joined))
                })
                .collect(),
        });
    }
    all.unwrap_or_default()
}

/// The starts of threads.
struct Starts {
    /// Statements that start a thread.
    at: Vec<Position>,
    /// Statements after these.
    after: Vec<Position>,
    /// Whether every start is a statement of its own, so that a ghost variable can track it.
    is_reported: bool,
}

impl Starts {
    fn of(text: &CText) -> Starts {
        let mut starts = Starts { at: Vec::new(), after: Vec::new(), is_reported: true };
        for (index, token) in text.tokens.iter().enumerate() {
            let is_name = |index: usize| text.tokens.get(index).map(|token| token.text.as_str());
            let is_called = is_name(index + 1) == Some("(") && text.function_at(token.at).is_some();
            if !matches!(token.text.as_str(), "pthread_create" | "thrd_create") || !is_called {
                continue;
            }
            if text.start_of(token.at) != Some(token.at) {
                starts.is_reported = false;
                continue;
            }
            starts.at.push(token.at);
            starts.after.extend(text.after_call(index));
        }
        starts.is_reported &= !starts.at.is_empty() && text.tokens.iter().all(|token| token.text != MULTITHREADED);
        starts
    }

    /// Whether a statement precedes the first start in the same function: then the first thread is alone there.
    fn is_before(&self, text: &CText, at: Position) -> bool {
        self.at.first().is_some_and(|first| at < *first && text.function_at(at) == text.function_at(*first))
    }
}
