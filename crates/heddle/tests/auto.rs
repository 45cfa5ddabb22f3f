//! The engine `auto`: engines take turns, the first answer counts, and obstacles common to all engines are reported.

use base::Budget;
use check::{Engine as _, Options, ReasonKind, Task, Verdict};
use engines::tar::{self, Algorithm};
use ir::{MemoryModel, Program, Property};
use plan::TakingTurns;
use std::time::Duration;

fn program(text: &str) -> Program {
    let (program, diagnostics) = front::load_text("auto.c", text, &front::LoadOptions::default());
    program.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

fn solve(text: &str, jobs: usize, seconds: f64) -> plan::Answer {
    let program = program(text);
    let task = Task {
        program: &program,
        property: Property::Unreach,
        model: MemoryModel::Sc,
        options: Options { jobs, ..Options::default() },
        budget: Budget::new(Some(Duration::from_secs_f64(seconds)), Some(4 << 30)),
        race_free: Default::default(),
    };
    plan::solve(&task, plan::engine_named("auto").expect("the engine should exist"), false)
}

/// Safe for all inputs, too many for exploration.
const ANY_INPUT: &str = "
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int x, y;
void *copy(void *unused) { y = x; return unused; }
int main(void) {
  pthread_t id;
  x = __VERIFIER_nondet_int();
  pthread_create(&id, 0, copy, 0);
  pthread_join(id, 0);
  assert(y * 2 == x + y);
  return 0;
}";

/// Counts forever.
const ENDLESS: &str = "
#include <assert.h>
#include <pthread.h>
unsigned long x, y;
void *count(void *unused) { for (;;) { x++; if (x * x * x == 7777777777777ul) y++; } return unused; }
int main(void) {
  pthread_t id;
  pthread_create(&id, 0, count, 0);
  for (;;) { x += 3; assert(y < 1000); }
}";

#[test]
fn what_one_cannot_do_another_does() {
    for jobs in [1, 3] {
        let answer = solve(ANY_INPUT, jobs, 60.0);
        assert_eq!(answer.outcome.verdict.name(), "safe", "{:?}", answer.outcome.verdict);
        // Side by side, turns end in any order.
        assert!(jobs > 1 || answer.turns[0].engine == "explore", "{:?}", answer.turns);
        assert_ne!(answer.engine(), Some("explore"));
    }
}

#[test]
fn all_stop_when_time_is_up() {
    for jobs in [1, 3] {
        let started = std::time::Instant::now();
        let answer = solve(ENDLESS, jobs, 3.0);
        let Verdict::Unknown(reasons) = answer.outcome.verdict else { panic!("this should not be decided") };
        assert_eq!(reasons[0].kind, ReasonKind::Time, "{reasons:?}");
        assert!(reasons.iter().filter(|reason| reason.kind == ReasonKind::Time).count() == 1, "{reasons:?}");
        assert!(started.elapsed() < Duration::from_secs(20), "limits should be kept");
        assert_eq!(answer.turns.iter().filter(|turn| turn.verdict.is_decided()).count(), 0);
    }
}

/// The first assertion needs an invariant of a loop, the second a run to its end.
const TWO_ASSERTIONS: &str = "
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int small, x, y;
void *count(void *unused) {
  for (;;) { if (small < 10) small++; else small = 0; }
  return unused;
}
void *copy(void *unused) { y = x; return unused; }
int main(void) {
  pthread_t one, two;
  x = __VERIFIER_nondet_int();
  pthread_create(&one, 0, count, 0);
  pthread_create(&two, 0, copy, 0);
  pthread_join(two, 0);
  assert(small >= 0);
  assert(y == x * 3);
  return 0;
}";

#[test]
fn what_one_proves_the_others_need_not_look_at() {
    let program = program(TWO_ASSERTIONS);
    let budget = Budget::new(Some(Duration::from_secs(30)), Some(4 << 30));
    let (property, model) = (Property::Unreach, MemoryModel::Sc);
    let task =
        Task { program: &program, property, model, options: Options::default(), budget, race_free: Default::default() };
    let outcome = engines::Priori.run(&task, &TakingTurns);
    assert!(!outcome.verdict.is_decided(), "the second assertion can fail");
    assert_eq!(outcome.facts.holds.len(), 1, "the first one cannot: {:?}", outcome.verdict);
    let rest = outcome.facts.without(&program).expect("something should be left out");
    let count = |program: &Program| {
        let edges = program.functions.iter().flat_map(|function| function.edges.iter());
        edges.filter(|edge| edge.stmt.is_assertion(Property::Unreach)).count()
    };
    assert_eq!((count(&program), count(&rest)), (2, 1));
    for jobs in [1, 3] {
        let Verdict::Unsafe(found) = solve(TWO_ASSERTIONS, jobs, 60.0).outcome.verdict else { panic!("it can fail") };
        assert!(found.violation.message().contains("y == x * 3"), "{}", found.violation.message());
    }
}

/// A task about races, for the arguments of `tar` that need no predicates and for the engines that use them.
fn about_races(program: &Program) -> Task<'_> {
    let tar = tar::Options { algorithm: Algorithm::Facts, ..tar::Options::default() };
    let options = Options::default().with(tar);
    let budget = Budget::new(Some(Duration::from_secs(60)), Some(4 << 30));
    Task { program, property: Property::Race, model: MemoryModel::Sc, options, budget, race_free: Default::default() }
}

/// `count` is protected by a mutex, `flag` is not. The thread that ends before `late` starts leaves accesses to `count` that
/// `early`, which waits at the gate, does not know of: whether its number is free for `late` depends on whether those are
/// tracked.
const HALF_PROTECTED: &str = "
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
int count, flag;
void *early(void *unused) {
  flag = 1;
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  return unused;
}
void *middle(void *unused) {
  pthread_mutex_lock(&lock);
  count++;
  pthread_mutex_unlock(&lock);
  return unused;
}
void *late(void *unused) { middle(0); flag = 2; return unused; }
int main(void) {
  pthread_t one, two, three;
  pthread_mutex_lock(&gate);
  pthread_create(&one, 0, early, 0);
  pthread_create(&two, 0, middle, 0);
  pthread_join(two, 0);
  pthread_create(&three, 0, late, 0);
  pthread_join(three, 0);
  pthread_mutex_unlock(&gate);
  pthread_join(one, 0);
  return 0;
}";

#[test]
fn what_races_with_nothing_the_others_need_not_look_at() {
    let program = program(HALF_PROTECTED);
    let task = about_races(&program);
    let outcome = engines::Tar.run(&task, &TakingTurns);
    assert!(!outcome.verdict.is_decided(), "there is a race");
    let proved = outcome.facts.count(&program);
    assert_eq!(proved.accesses - proved.race_free, 2, "two of the accesses race, and no others: {proved:?}");
    let rest = outcome.facts.without(&program).expect("something should be left out");
    let race_free = std::sync::Arc::new(outcome.facts.race_free.clone());
    let explore = plan::engine_named("explore").expect("the engine should exist");
    let Verdict::Unsafe(found) = explore.run(&Task { program: &rest, race_free, ..task.clone() }, &TakingTurns).verdict
    else {
        panic!("the race should be found")
    };
    let replayed = plan::validate::replayed(&task, found.schedule.steps.clone());
    assert!(replayed.is_err(), "the number of the thread that ended should be given away in one of the programs only");
    // Each engine still finds the race, as a run of the whole program.
    for name in ["explore", "staged", "impact"] {
        let engine = plan::engine_named(name).expect("the engine should exist");
        let found = plan::run_without(&outcome.facts, engine, &task).verdict;
        let Verdict::Unsafe(found) = found else { panic!("{name}: {found:?}") };
        let replayed = plan::validate::replayed(&task, found.schedule.steps.clone());
        assert!(replayed.is_ok_and(|run| run.violation.message().contains("flag")), "{name}");
    }
}

/// That the index is inside the array cannot be shown thread by thread; that the mutex protects everything can.
const LOCKED_STACK: &str = "
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int stack[4], top;
void *push(void *unused) {
  for (int i = 0; i < 4; i++) {
    pthread_mutex_lock(&lock);
    if (top < 4) stack[top++] = i;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}
void *pop(void *unused) {
  for (int i = 0; i < 4; i++) {
    pthread_mutex_lock(&lock);
    if (top > 0) stack[--top]++;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, push, 0);
  pthread_create(&two, 0, pop, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}";

#[test]
fn where_nothing_races_only_the_rest_is_asked() {
    let program = program(LOCKED_STACK);
    let task = about_races(&program);
    let outcome = engines::Tar.run(&task, &TakingTurns);
    let proved = outcome.facts.count(&program);
    assert_eq!(proved.race_free, proved.accesses, "{proved:?}");
    let explore = plan::engine_named("explore").expect("the engine should exist");
    let states = |facts: &check::Facts| {
        let outcome = plan::run_without(facts, explore, &task);
        assert_eq!(outcome.verdict.name(), "safe", "{:?}", outcome.verdict);
        outcome.stats.get("states").expect("states should be counted")
    };
    let (whole, rest) = (states(&check::Facts::default()), states(&outcome.facts));
    assert!(rest < whole, "{rest} of {whole} states");
    // A possible access outside an array is still a reservation.
    let broken = LOCKED_STACK.replace("top < 4", "top < 5").replace("i < 4", "i < 5");
    let program = self::program(&broken);
    let task = about_races(&program);
    let outcome = engines::Tar.run(&task, &TakingTurns);
    assert!(!outcome.facts.race_free.is_empty());
    let Verdict::Unknown(reasons) = plan::run_without(&outcome.facts, explore, &task).verdict else {
        panic!("it is not known what the program does")
    };
    assert!(reasons.iter().any(|reason| reason.kind == ReasonKind::Undefined), "{reasons:?}");
}
