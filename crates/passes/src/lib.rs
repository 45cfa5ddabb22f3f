//! Passes over programs, between the front end and the engines, in the order in which they are applied.
//!
//! Most insert run-time checks for errors that the lowered program alone does not show, and only where a static
//! analysis cannot rule them out. They apply to every property, because undefined behaviour is a reservation of every
//! answer. Others depend on the property: they remove what cannot change the answer.

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
use ir::{Claim, Program, Shape};
use notes::Notes;

/// The inputs of passes on loading, besides the program.
pub struct Loading<'a> {
    /// The notes of the front end.
    pub notes: &'a Notes,
    /// The size of the first of these C types that the program declares.
    pub size_of: &'a dyn Fn(&[&str]) -> Option<u64>,
}

/// Inserts checks and premises into a lowered program. Each pass comes after those whose statements it inspects.
pub fn on_loading(program: &mut Program, loading: &Loading<'_>) {
    // Writes to const variables violate `memory`.
    const_variables::notice(program, loading.notes);
    // Calls by a type other than that of the function are not modelled.
    prototypes::settle(program, loading.notes);
    // The address of an object with unknown end of life is not kept.
    kept::refuse(program, loading.notes);
    // Misuse of mutexes and their like that their records alone do not show.
    misuse::notice(program, loading.size_of);
    // Blocks are freed by the counterpart of their allocation function.
    families::settle(program);
    // Copied ranges do not overlap.
    copies::settle(program);
    // Premises of every proof about the program.
    literals::notice(program);
    readers::notice(program);
    held_mutexes::notice(program);
}

/// Leaves only those assertions of the program that the property asks about.
pub fn keep_asserts(program: &mut Program, is_asked: impl Fn(&Claim) -> bool) {
    asserts::keep(program, is_asked);
}

/// The program without condition-variable waits, if it has any and the property allows that. Spurious wake-ups are
/// allowed, so `wait` is unlock followed by lock.
pub fn without_waits(task: &Task<'_>) -> Option<Program> {
    match task.property.shape() {
        // All races are reported, and each must be one of the program.
        _ if task.options.all_races => None,
        // These depend on the waiting threads, or on statements.
        Shape::Stuck | Shape::Between => None,
        Shape::Step | Shape::Conflict => waits::without(task.program),
    }
}

/// The program simplified by facts, if they change anything.
pub fn without_proved(task: &Task<'_>, facts: &Facts) -> Option<Program> {
    facts.without(task.program)
}
