//! Whether a condition variable may be waited for with two mutexes at a time, which POSIX leaves undefined
//! (pthread_cond_wait: waiting binds the mutex to the condition variable). If that cannot be ruled out, the program is
//! lowered with models that track and check the binding; most programs do not need this.
//!
//! It is ruled out if any two waits for what may be the same condition variable use one static mutex, or one at the
//! same distance from the condition variable.

use crate::models::is_variant;
use ir::analysis::{Memory, PointsTo, Target};
use ir::{Expr, FunctionId, Program, Stmt};
use passes::roots::{Rooted, Roots};
use std::collections::BTreeSet;

/// The functions that wait for a condition variable, with the mutex as their second argument.
const WAITS: [&str; 5] =
    ["pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", "cnd_wait", "cnd_timedwait"];
/// The one that takes a lock instead: `std::condition_variable::wait`.
const WAIT_WITH_LOCK: &str = "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE";

/// The size of a mutex: an object of this size has no room for two.
const ONE_MUTEX: u64 = 40;

/// A call that waits.
struct Wait<'a> {
    condition: BTreeSet<Target>,
    mutex: Mutex<'a>,
}

/// The mutex of a wait, as far as it is known.
enum Mutex<'a> {
    /// Both pointers.
    Beside(Rooted<'a>, Rooted<'a>),
    Unknown,
}

/// Whether some condition variable may have two mutexes.
pub(crate) fn may_differ(program: &Program) -> bool {
    let waits: Vec<FunctionId> = program.functions.ids().filter(|&function| is_wait(program, function)).collect();
    if waits.is_empty() {
        return false;
    }
    let points_to = PointsTo::new(program);
    let found = gather(program, &points_to);
    let may_be_same = |one: &Wait<'_>, other: &Wait<'_>| {
        let is_anything = |target: &Target| matches!(target, Target::Unknown | Target::Everything);
        !one.condition.is_disjoint(&other.condition) || one.condition.iter().chain(&other.condition).any(is_anything)
    };
    found.iter().enumerate().any(|(index, one)| {
        found[index..].iter().any(|other| may_be_same(one, other) && !have_one_mutex(&one.mutex, &other.mutex))
    })
}

fn base_name(name: &str) -> &str {
    WAITS.iter().chain([&WAIT_WITH_LOCK]).find(|wait| is_variant(name, wait)).copied().unwrap_or("")
}

fn is_wait(program: &Program, function: FunctionId) -> bool {
    let item = &program.functions[function];
    program.is_model(item.span) && !base_name(&item.name).is_empty()
}

fn gather<'a>(program: &'a Program, points_to: &PointsTo) -> Vec<Wait<'a>> {
    let mut waits = Vec::new();
    for (function, item) in program.functions.enumerate() {
        let roots = Roots::new(item);
        for (edge, stmt) in item.edges.enumerate().map(|(id, edge)| (id, &edge.stmt)) {
            let Stmt::Call { args, .. } = stmt else { continue };
            let contexts = points_to.contexts().of_function(function);
            let callees = contexts.iter().flat_map(|&context| points_to.callees(context, edge));
            let callees = callees.map(|&callee| points_to.contexts().function(callee));
            let Some(callee) = callees.into_iter().find(|&callee| is_wait(program, callee)) else { continue };
            let [condition, mutex, ..] = args.as_slice() else { continue };
            let targets = contexts.iter().flat_map(|&context| points_to.targets(context, condition)).collect();
            let mutex = match base_name(&program.functions[callee].name) {
                WAIT_WITH_LOCK => Mutex::Unknown,
                _ => Mutex::Beside(roots.of(condition), roots.of(mutex)),
            };
            waits.push(Wait { condition: targets, mutex });
        }
    }
    // With a single static mutex there is nothing to distinguish.
    let is_one = match unlocked(program, points_to).as_slice() {
        [Target::Object { memory: Memory::Static(object), .. }] => program.objects[*object].size <= ONE_MUTEX,
        _ => false,
    };
    if is_one {
        waits.retain(|wait| !matches!(wait.mutex, Mutex::Unknown));
    }
    waits
}

/// The mutexes that the models of waits release.
fn unlocked(program: &Program, points_to: &PointsTo) -> Vec<Target> {
    let mut targets = BTreeSet::new();
    for function in program.functions.ids().filter(|&function| is_wait(program, function)) {
        for edge in program.functions[function].edges.iter() {
            if let Stmt::Unlock { ptr } = &edge.stmt {
                let contexts = points_to.contexts().of_function(function);
                targets.extend(contexts.iter().flat_map(|&context| points_to.targets(context, ptr)));
            }
        }
    }
    targets.into_iter().collect()
}

/// Whether two waits for one condition variable certainly use one mutex.
fn have_one_mutex(one: &Mutex<'_>, other: &Mutex<'_>) -> bool {
    let (Mutex::Beside(condition, mutex), Mutex::Beside(others_condition, others_mutex)) = (one, other) else {
        return false;
    };
    let is_static = |root: &Expr| matches!(root, Expr::Object(_));
    let is_same = mutex == others_mutex && mutex.constant.is_some() && is_static(mutex.root);
    let distance = |condition: &Rooted<'_>, mutex: &Rooted<'_>| {
        let is_beside = condition.root == mutex.root;
        condition.constant.zip(mutex.constant).filter(|_| is_beside).map(|(one, two)| two - one)
    };
    let (mine, others) = (distance(condition, mutex), distance(others_condition, others_mutex));
    is_same || mine.is_some() && mine == others
}
