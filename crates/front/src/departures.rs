//! Whether a condition variable or a barrier may be destroyed while a woken thread has not left its wait. POSIX allows that (pthread_cond_destroy,
//! "Destroying Condition Variables"; C++ [thread.condition.condvar]) as soon as all threads are woken, and the memory may be freed afterwards; so
//! destroying waits until they have left, as glibc's does. If that cannot be ruled out, the program is lowered with models that count the threads
//! inside; most programs join their threads first.

use base::Id;
use ir::analysis::Analyses;
use ir::{EdgeId, FunctionId, Program};

/// Functions that wait, and those that destroy the object of the wait.
const FAMILIES: [(&[&str], &[&str]); 2] = [
    (
        &[
            "pthread_cond_wait",
            "pthread_cond_timedwait",
            "pthread_cond_clockwait",
            "cnd_wait",
            "cnd_timedwait",
            "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
        ],
        &["pthread_cond_destroy", "cnd_destroy", "_ZNSt18condition_variableD1Ev", "_ZNSt18condition_variableD2Ev"],
    ),
    (&["pthread_barrier_wait"], &["pthread_barrier_destroy"]),
];

/// Whether a thread may still be in such a wait when another destroys the object.
pub(crate) fn may_be_late(program: &Program) -> bool {
    let families = FAMILIES.map(|(waits, destroys)| (models(program, waits), models(program, destroys)));
    if families.iter().all(|(waits, destroys)| waits.is_empty() || destroys.is_empty()) {
        return false;
    }
    let analyses = Analyses::new(program);
    let parallel = analyses.parallel();
    families.iter().any(|(waits, destroys)| {
        waits.iter().any(|wait| destroys.iter().any(|destroy| parallel.may_happen(*wait, *destroy)))
    })
}

/// The first statements of the models of functions, whatever the variant.
fn models(program: &Program, names: &[&str]) -> Vec<(FunctionId, EdgeId)> {
    let is_one = |name: &str| {
        names.iter().any(|of| name.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with("__")))
    };
    let functions = program.functions.enumerate().filter(|(_, item)| program.is_model(item.span) && is_one(&item.name));
    functions.filter(|(_, item)| !item.edges.is_empty()).map(|(id, _)| (id, EdgeId::new(0))).collect()
}
