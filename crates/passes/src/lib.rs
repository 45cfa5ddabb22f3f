//! Passes over programs, between the front end and the engines: all of them, in the order in which they are applied.
//!
//! Most put in checks that find out, when they are executed, what the lowered program alone does not show, and only where that cannot be
//! excluded by a look at the program. They apply to every question, because what is undefined is a reservation of every answer.
//! Others depend on the question: they leave out what cannot change its answer.

mod asserts;
mod chain;
pub mod const_variables;
mod copies;
mod families;
mod held_mutexes;
mod kept;
mod literals;
mod misuse;
pub mod notes;
mod prototypes;
pub mod readers;
pub mod roots;
mod waits;

use check::{Facts, Task};
use ir::{Claim, Program, Property};
use notes::Notes;

/// What a pass on loading may look at besides the program.
pub struct Loading<'a> {
    /// What the front end noted.
    pub notes: &'a Notes,
    /// The size of the first of these types of C that the program declares.
    pub size_of: &'a dyn Fn(&[&str]) -> Option<u64>,
}

/// Puts checks and premises into a program that was lowered. Each comes after those whose statements it looks at.
pub fn on_loading(program: &mut Program, loading: &Loading<'_>) {
    // Writes of variables that are const violate `memory`.
    const_variables::notice(program, loading.notes);
    // Calls by another type than that of the function are not modelled.
    prototypes::settle(program, loading.notes);
    // The address of an object whose end of life is not known is not kept.
    kept::refuse(program, loading.notes);
    // Misuse of mutexes and their like that their records alone do not show.
    misuse::notice(program, loading.size_of);
    // Blocks are freed by the counterpart of what made them.
    families::settle(program);
    // The ranges of a copy do not overlap.
    copies::settle(program);
    // Premises that every proof about the program has.
    literals::notice(program);
    readers::notice(program);
    held_mutexes::notice(program);
}

/// Leaves only those assertions of the program that are asked about.
pub fn keep_asserts(program: &mut Program, is_asked: impl Fn(&Claim) -> bool) {
    asserts::keep(program, is_asked);
}

/// The program without waits for condition variables, where the question allows that and there are such. Spurious wake-ups are allowed, so to wait
/// is to unlock and to lock.
pub fn without_waits(task: &Task<'_>) -> Option<Program> {
    match task.property {
        // Every race is reported, and each is one of the program.
        _ if task.options.all_races => None,
        // These look at who waits, or at statements.
        Property::Deadlock | Property::Atomicity => None,
        Property::Unreach | Property::Race | Property::Locks | Property::Memory => waits::without(task.program),
    }
}

/// The program without what was proved of it, if anything was.
pub fn without_proved(task: &Task<'_>, facts: &Facts) -> Option<Program> {
    facts.without(task.program)
}
