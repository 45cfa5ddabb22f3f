//! Whether a C++ mutex may be destroyed, or a thread end, while it is held, which C++ leaves undefined
//! ([thread.mutex.class]/3 and its like). This cannot be observed, because libstdc++'s mutexes have no destructor; so
//! proofs about programs that lock such a mutex directly have a premise. `std::lock_guard` and its like unlock in time,
//! or are destroyed later than the mutex and then violate `memory`.

use ir::{Callee, Premise, Program, Stmt};

/// Prefixes of the mangled names of members of mutexes.
const MUTEXES: [&str; 6] = [
    "_ZNSt5mutex",
    "_ZNSt15recursive_mutex",
    "_ZNSt11timed_mutex",
    "_ZNSt21recursive_timed_mutex",
    "_ZNSt12shared_mutex",
    "_ZNSt18shared_timed_mutex",
];

/// Prefixes of the mangled names of library functions that call them.
const OWNERS: [&str; 4] = ["_ZNSt", "_ZSt", "_ZNKSt", "_ZGVNSt"];

/// Adds the premise.
pub(crate) fn notice(program: &mut Program) {
    let name = |function| program.functions[function].name.as_str();
    let is_locked = program.statements().any(|((caller, _), stmt)| match stmt {
        Stmt::Call { callee: Callee::Direct(callee), .. } => {
            locks(name(*callee)) && !OWNERS.iter().any(|owner| name(caller).starts_with(owner))
        }
        _ => false,
    });
    if is_locked {
        program.premises.insert(Premise::HeldMutexes);
    }
}

/// Whether a function is a member of a mutex that locks it.
fn locks(name: &str) -> bool {
    let member = MUTEXES.iter().find_map(|class| name.strip_prefix(class));
    member.is_some_and(|member| member.contains("lock") && !member.contains("unlock"))
}
