//! The interpreter reaches exactly the outcomes that the axioms allow: classic litmus tests with known outcomes, C
//! programs, and a short slice of `cargo xtask outcomes`.

use axiomatic::Outcome;
use front::LoadOptions;
use ir::{MemoryModel, Order, Program, RmwOp};
use std::collections::BTreeSet;
use std::time::Duration;
use testing::outcomes::litmus::{Litmus, Operand, Shape, Statement};
use testing::outcomes::{compare, interpreter, run, Comparison};
use MemoryModel::{Pso, Ra, Sc, Tso};
use Order::{AcqRel, Acquire, Plain, Relaxed, Release, SeqCst};

const TIMEOUT: Duration = Duration::from_secs(60);

fn load(to: usize, var: usize, order: Order) -> Statement {
    Statement::Load { to, var, order }
}

fn store(var: usize, value: u32, order: Order) -> Statement {
    Statement::Store { var, value: Operand::Const(value), order }
}

fn add(to: usize, var: usize, order: Order) -> Statement {
    Statement::Rmw { to, op: RmwOp::Add, var, value: Operand::Const(1), order }
}

fn fence(order: Order) -> Statement {
    Statement::Fence(order)
}

/// The outcomes, on which both sides agree.
fn outcomes(program: &Program, model: MemoryModel) -> BTreeSet<Outcome> {
    match compare(program, model, TIMEOUT) {
        Comparison::Equal(outcomes) => outcomes.outcomes,
        Comparison::Skipped(message) => panic!("{model}: {message}"),
        Comparison::Different(disagreement) => panic!("{}", disagreement.describe(program)),
    }
}

/// The final value of a global object.
fn value(program: &Program, outcome: &Outcome, name: &str) -> Option<u64> {
    let Outcome::Finished(finals) = outcome else { return None };
    let object = program.object_named(name)?;
    let (_, bytes) = finals.iter().find(|(id, _)| *id == object)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

/// The values in a thread's registers, the first in the highest of four digits; unused ones are f.
type Results<'a> = &'a [u64];

/// The models under which threads can read these values, and variables end with those.
fn possible(threads: &[&[Statement]], results: Results<'_>, finals: &[u64]) -> Vec<MemoryModel> {
    let test = Litmus { threads: threads.iter().map(|thread| thread.to_vec()).collect(), main: vec![] };
    let program = test.program();
    let shows = |outcome: &Outcome| {
        let is = |name: String, wanted: &u64| value(&program, outcome, &name) == Some(*wanted);
        results.iter().enumerate().all(|(index, wanted)| is(format!("result{index}"), wanted))
            && finals.iter().enumerate().all(|(index, wanted)| is(format!("x{index}"), wanted))
    };
    MemoryModel::ALL.into_iter().filter(|model| outcomes(&program, *model).iter().any(shows)).collect()
}

#[test]
fn store_buffering() {
    let sb = |store_order, between: &[Statement], load_order| {
        let thread = |own, other| {
            let mut thread = vec![store(own, 1, store_order)];
            thread.extend(between.iter().cloned());
            thread.push(load(0, other, load_order));
            thread
        };
        possible(&[&thread(0, 1), &thread(1, 0)], &[0x0fff, 0x0fff], &[])
    };
    assert_eq!(sb(Plain, &[], Plain), [Tso, Pso, Ra]);
    assert_eq!(sb(Release, &[], Acquire), [Tso, Pso, Ra]);
    assert_eq!(sb(SeqCst, &[], SeqCst), []);
    assert_eq!(sb(SeqCst, &[], Relaxed), []);
    assert_eq!(sb(Relaxed, &[], SeqCst), [Tso, Pso]);
    assert_eq!(sb(Relaxed, &[fence(SeqCst)], Relaxed), []);
    assert_eq!(sb(Relaxed, &[fence(AcqRel)], Relaxed), [Tso, Pso, Ra]);
}

#[test]
fn store_buffering_with_updates() {
    // An update of a third variable acts as a fence under store buffers, and under ra only if both threads use the same
    // one.
    let thread = |own, other, third| vec![store(own, 1, Plain), add(0, third, Relaxed), load(1, other, Plain)];
    let between = |third_of_second| {
        let threads = [thread(0, 1, 2), thread(1, 0, third_of_second)];
        possible(&[&threads[0], &threads[1]], &[0x00ff, 0x10ff], &[])
    };
    assert_eq!(between(2), []);
    let own = |own: usize, other| vec![add(0, own, AcqRel), load(1, other, Acquire)];
    assert_eq!(possible(&[&own(0, 1), &own(1, 0)], &[0x00ff, 0x00ff], &[]), [Ra]);
}

#[test]
fn message_passing() {
    let mp = |order, before: &[Statement]| {
        let mut sender = vec![store(0, 1, Plain)];
        sender.extend(before.iter().cloned());
        sender.push(store(1, 1, order));
        possible(&[&sender, &[load(0, 1, Acquire), load(1, 0, Plain)]], &[0xffff, 0x10ff], &[])
    };
    assert_eq!(mp(Plain, &[]), [Pso]);
    assert_eq!(mp(Relaxed, &[]), [Pso]);
    assert_eq!(mp(Release, &[]), []);
    assert_eq!(mp(SeqCst, &[]), []);
    assert_eq!(mp(Relaxed, &[fence(Release)]), []);
    assert_eq!(mp(Relaxed, &[fence(Acquire)]), [Pso]);
}

#[test]
fn load_buffering() {
    let thread = |own, other| [load(0, own, Plain), store(other, 1, Plain)];
    assert_eq!(possible(&[&thread(0, 1), &thread(1, 0)], &[0x1fff, 0x1fff], &[]), []);
}

#[test]
fn independent_reads_of_independent_writes() {
    let iriw = |between: &[Statement], order| {
        let reader = |first, second| {
            let mut reader = vec![load(0, first, order)];
            reader.extend(between.iter().cloned());
            reader.push(load(1, second, order));
            reader
        };
        let writer = |var| vec![store(var, 1, Plain)];
        possible(&[&writer(0), &writer(1), &reader(0, 1), &reader(1, 0)], &[0xffff, 0xffff, 0x10ff, 0x10ff], &[])
    };
    assert_eq!(iriw(&[], Plain), [Ra]);
    assert_eq!(iriw(&[fence(AcqRel)], Acquire), [Ra]);
    assert_eq!(iriw(&[fence(SeqCst)], Acquire), []);
}

#[test]
fn two_writes_twice() {
    let two = |between: &[Statement], order| {
        let thread = |first, second| {
            let mut thread = vec![store(first, 1, order)];
            thread.extend(between.iter().cloned());
            thread.push(store(second, 2, order));
            thread
        };
        possible(&[&thread(0, 1), &thread(1, 0)], &[], &[1, 1])
    };
    assert_eq!(two(&[], Plain), [Pso, Ra]);
    assert_eq!(two(&[], Release), [Ra]);
    assert_eq!(two(&[fence(Release)], Plain), [Ra]);
    assert_eq!(two(&[fence(SeqCst)], Plain), []);
    assert_eq!(two(&[], SeqCst), []);
}

#[test]
fn write_to_read_causality() {
    let threads: [&[Statement]; 3] =
        [&[store(0, 1, Plain)], &[load(0, 0, Plain), store(1, 1, Plain)], &[load(0, 1, Plain), load(1, 0, Plain)]];
    assert_eq!(possible(&threads, &[0xffff, 0x1fff, 0x10ff], &[]), []);
}

#[test]
fn coherence() {
    let reads: [&[Statement]; 2] = [&[store(0, 1, Plain), store(0, 2, Plain)], &[load(0, 0, Plain), load(1, 0, Plain)]];
    assert_eq!(possible(&reads, &[0xffff, 0x21ff], &[]), []);
    assert_eq!(possible(&reads, &[0xffff, 0x12ff], &[2]), [Sc, Tso, Pso, Ra]);
    assert_eq!(possible(&reads, &[], &[1]), []);
    let own: [&[Statement]; 2] = [&[store(0, 1, Plain), load(0, 0, Plain)], &[store(0, 2, Plain)]];
    assert_eq!(possible(&own, &[0x2fff], &[1]), []);
    assert_eq!(possible(&own, &[0x2fff], &[2]), [Sc, Tso, Pso, Ra]);
    assert_eq!(possible(&own, &[0x1fff], &[2]), [Sc, Tso, Pso, Ra]);
    let readers: [&[Statement]; 4] = [
        &[store(0, 1, Plain)],
        &[store(0, 2, Plain)],
        &[load(0, 0, Plain), load(1, 0, Plain)],
        &[load(0, 0, Plain), load(1, 0, Plain)],
    ];
    assert_eq!(possible(&readers, &[0xffff, 0xffff, 0x12ff, 0x21ff], &[]), []);
}

#[test]
fn updates_are_indivisible() {
    assert_eq!(possible(&[&[add(0, 0, Relaxed)], &[add(0, 0, Relaxed)]], &[], &[2]), MemoryModel::ALL);
    assert_eq!(possible(&[&[add(0, 0, Relaxed)], &[add(0, 0, Relaxed)]], &[], &[1]), []);
    // A store may come before or after the pair of an update, never between.
    let threads: [&[Statement]; 2] = [&[add(0, 0, Relaxed)], &[store(0, 5, Plain)]];
    assert_eq!(possible(&threads, &[0x0fff], &[1]), []);
    assert_eq!(possible(&threads, &[0x5fff], &[6]), MemoryModel::ALL);
    assert_eq!(possible(&threads, &[0x0fff], &[5]), MemoryModel::ALL);
}

#[test]
fn a_failed_compare_exchange_has_its_own_order() {
    // Under ra a failed exchange is a load of its failure order: without a fence it may miss the other's store.
    let thread = |own, other, failure| {
        let exchange = Statement::CompareExchange {
            to: 0,
            var: other,
            expected: 2,
            desired: 2,
            order: SeqCst,
            failure,
            weak: false,
        };
        vec![store(own, 1, Relaxed), exchange]
    };
    let both = |failure| possible(&[&thread(0, 1, failure), &thread(1, 0, failure)], &[0x0fff, 0x0fff], &[]);
    assert_eq!(both(Relaxed), [Ra]);
    assert_eq!(both(SeqCst), []);
}

#[test]
fn accesses_to_what_nobody_else_uses_order_too() {
    // Only the first thread uses variable 2: its seq_cst load is still preceded by a fence, its seq_cst store followed.
    let with = |between| {
        let first = [store(0, 1, Relaxed), between, load(0, 1, Relaxed)];
        let second = [store(1, 1, Relaxed), fence(SeqCst), load(0, 0, Relaxed)];
        possible(&[&first, &second], &[0x0f0f, 0x0fff], &[])
    };
    let without = |between| {
        let first = [store(0, 1, Relaxed), between, load(0, 1, Relaxed)];
        let second = [store(1, 1, Relaxed), fence(SeqCst), load(0, 0, Relaxed)];
        possible(&[&first, &second], &[0x0fff, 0x0fff], &[])
    };
    assert_eq!(with(load(2, 2, SeqCst)), [Tso, Pso]);
    assert_eq!(with(load(2, 2, Acquire)), [Tso, Pso, Ra]);
    assert_eq!(without(store(2, 1, SeqCst)), []);
    assert_eq!(without(store(2, 1, Release)), [Tso, Pso, Ra]);
    assert_eq!(with(add(2, 2, SeqCst)), []);
    assert_eq!(with(add(2, 2, AcqRel)), [Ra]);
    // Under pso a release store keeps later stores behind earlier ones, whoever reads it.
    let sender = |order| [store(0, 1, Relaxed), store(2, 1, order), store(1, 1, Relaxed)];
    let receiver = [load(0, 1, Acquire), load(1, 0, Relaxed)];
    assert_eq!(possible(&[&sender(Relaxed), &receiver], &[0xffff, 0x10ff], &[]), [Pso]);
    assert_eq!(possible(&[&sender(Release), &receiver], &[0xffff, 0x10ff], &[]), []);
}

#[test]
fn a_fence_can_come_between_those_of_an_update() {
    // Under ra the second thread's store is after the update in modification order, its fence after the update's first
    // fence and before the second: had it come before both, the update would know the store; after both, the load would
    // know the first thread's store to variable 0.
    let threads: [&[Statement]; 3] = [
        &[Statement::Rmw { to: 0, op: RmwOp::Exchange, var: 1, value: Operand::Const(5), order: SeqCst }],
        &[store(0, 1, Relaxed), store(1, 1, Release)],
        &[store(1, 2, SeqCst), load(0, 0, Relaxed)],
    ];
    assert_eq!(possible(&threads, &[0x1fff, 0xffff, 0x0fff], &[1, 2]), [Ra]);
    // The first thread's fence after its store comes last of all three, although the third reads that store.
    let threads: [&[Statement]; 3] = [
        &[store(0, 2, SeqCst)],
        &[store(1, 1, SeqCst), load(0, 0, Relaxed)],
        &[load(0, 0, SeqCst), load(1, 1, Relaxed)],
    ];
    assert_eq!(possible(&threads, &[0xffff, 0x0fff, 0x20ff], &[]), [Ra]);
}

#[test]
fn sections_under_a_lock_do_not_mix() {
    let locked = |body: &[Statement]| Statement::Locked { mutex: 0, forgets: false, body: body.to_vec() };
    let threads: [&[Statement]; 2] = [
        &[locked(&[
            load(0, 0, Plain),
            Statement::Store { var: 0, value: Operand::Register(0), order: Plain },
            store(1, 1, Plain),
        ])],
        &[locked(&[store(0, 1, Plain), load(0, 1, Plain)])],
    ];
    assert_eq!(possible(&threads, &[0x0fff, 0x0fff], &[]), []);
    assert_eq!(possible(&threads, &[0x0fff, 0x1fff], &[1]), MemoryModel::ALL);
    assert_eq!(possible(&threads, &[0x1fff, 0x0fff], &[1]), MemoryModel::ALL);
}

#[test]
fn a_lock_that_is_never_released_leaves_the_other_stuck() {
    let forgets = Statement::Locked { mutex: 0, forgets: true, body: vec![] };
    let test = Litmus { threads: vec![vec![forgets.clone()], vec![forgets]], main: vec![] };
    let program = test.program();
    for model in MemoryModel::ALL {
        let outcomes = outcomes(&program, model);
        let stuck = |outcome: &Outcome| matches!(outcome, Outcome::Stuck(at) if at.len() == 2);
        assert!(outcomes.len() == 2 && outcomes.iter().all(stuck), "{model}: {outcomes:?}");
    }
}

#[test]
fn an_assertion_fails_although_others_cannot_finish() {
    let fails = Statement::AssertNot { register: 0, equals: 1 };
    let locked = |body: Vec<Statement>| Statement::Locked { mutex: 0, forgets: true, body };
    let threads = vec![vec![locked(vec![load(0, 0, Plain), fails])], vec![store(0, 1, Plain), locked(vec![])]];
    let program = Litmus { threads, main: vec![] }.program();
    for model in MemoryModel::ALL {
        let failed = |outcome: &Outcome| matches!(outcome, Outcome::Failed(_));
        assert_eq!(outcomes(&program, model).iter().filter(|outcome| failed(outcome)).count(), 1, "{model}");
    }
}

#[test]
fn atomic_regions_are_one_step() {
    let region = Statement::Atomic(vec![store(0, 1, Plain), store(0, 2, Plain), store(1, 1, Plain)]);
    let threads: [&[Statement]; 2] = [&[region], &[load(0, 0, Plain), load(1, 1, Plain)]];
    assert_eq!(possible(&threads, &[0xffff, 0x20ff], &[]), [Ra]);
    assert_eq!(possible(&threads, &[0xffff, 0x21ff], &[]), MemoryModel::ALL);
    // Under ra all three writes are readable once the region is over, the older ones too.
    assert_eq!(possible(&threads, &[0xffff, 0x10ff], &[]), [Ra]);
    assert_eq!(possible(&threads, &[0xffff, 0x11ff], &[]), [Ra]);
    // Two loads in a region see no write between them.
    let threads: [&[Statement]; 2] =
        [&[store(0, 1, Plain)], &[Statement::Atomic(vec![load(0, 0, Plain), load(1, 0, Plain)])]];
    assert_eq!(possible(&threads, &[0xffff, 0x01ff], &[]), [Ra]);
    assert_eq!(possible(&threads, &[0xffff, 0x11ff], &[]), MemoryModel::ALL);
}

#[test]
fn what_drains_the_buffer_does_so_even_if_nobody_else_can_notice_it() {
    // No other thread uses the mutex, and yet unlocking it orders the store before the load.
    let section = Statement::Locked { mutex: 0, forgets: false, body: vec![store(0, 1, Plain)] };
    let threads: [&[Statement]; 2] = [&[section, load(0, 1, Plain)], &[add(0, 1, Relaxed), load(1, 0, Plain)]];
    assert_eq!(possible(&threads, &[0x0fff, 0x00ff], &[]), [Ra]);
}

#[test]
fn the_comparison_can_fail() {
    let thread = |own, other| vec![store(own, 1, Plain), load(0, other, Plain)];
    let program = Litmus { threads: vec![thread(0, 1), thread(1, 0)], main: vec![] }.program();
    let budget = base::Budget::unlimited();
    let weak = axiomatic::outcomes(&program, Tso, &budget).expect("the test should be supported");
    let strong = interpreter::outcomes(&program, Sc, true, &weak.observed, &budget).expect("it should be explored");
    assert_eq!(weak.outcomes.difference(&strong).count(), 1);
    assert_eq!(strong.difference(&weak.outcomes).count(), 0);
}

/// C programs: the front end's calls, stack objects and models are executed too.
fn c_program(text: &str) -> Program {
    let (program, diagnostics) = front::load_text("test.c", text, &LoadOptions::default());
    program.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

const PETERSON: &str = r#"
    #include <pthread.h>
    int flag0, flag1, turn, inside, broken;
    static int enter(int *own, int *other, int self) {
        *own = 1; FIRST; turn = 1 - self; SECOND;
        return !(*other && turn == 1 - self);
    }
    void *first(void *a) { if (enter(&flag0, &flag1, 0)) { if (inside++) broken = 1; inside--; } return a; }
    void *second(void *a) { if (enter(&flag1, &flag0, 1)) { if (inside++) broken = 1; inside--; } return a; }
    int main(void) {
        pthread_t t[2];
        pthread_create(&t[0], 0, first, 0); pthread_create(&t[1], 0, second, 0);
        pthread_join(t[0], 0); pthread_join(t[1], 0);
        return 0;
    }
"#;

fn breaks(text: &str) -> Vec<MemoryModel> {
    let program = c_program(text);
    let broken = |outcome: &Outcome| value(&program, outcome, "broken") == Some(1);
    MemoryModel::ALL.into_iter().filter(|model| outcomes(&program, *model).iter().any(broken)).collect()
}

#[test]
fn peterson_in_c() {
    let with = |first: &str, second: &str| breaks(&PETERSON.replace("FIRST", first).replace("SECOND", second));
    let fence = "__sync_synchronize()";
    assert_eq!(with("", ""), [Tso, Pso, Ra]);
    assert_eq!(with("", fence), [Pso, Ra]);
    assert_eq!(with(fence, ""), [Tso, Pso, Ra]);
    assert_eq!(with(fence, fence), []);
}

#[test]
fn a_mutex_in_c() {
    let text = r#"
        #include <pthread.h>
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        int inside, broken;
        void *thread(void *a) {
            LOCK(&m); if (inside) broken = 1; inside = 1; inside = 0; UNLOCK(&m);
            return a;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, thread, 0);
            thread(0);
            return pthread_join(t, 0);
        }
    "#;
    let with = text.replace("UNLOCK", "pthread_mutex_unlock").replace("LOCK", "pthread_mutex_lock");
    let without = text.replace("UNLOCK", "(void)").replace("LOCK", "(void)");
    assert_eq!(breaks(&with), []);
    assert_eq!(breaks(&without), MemoryModel::ALL);
}

#[test]
fn a_condition_variable_in_c() {
    let text = r#"
        #include <pthread.h>
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        pthread_cond_t c = PTHREAD_COND_INITIALIZER;
        int ready, data, broken;
        void *thread(void *a) {
            pthread_mutex_lock(&m); data = 1; ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
            return a;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, thread, 0);
            pthread_mutex_lock(&m);
            if (!ready) pthread_cond_wait(&c, &m);
            if (ready && !data) broken = 1;
            pthread_mutex_unlock(&m);
            return pthread_join(t, 0);
        }
    "#;
    assert_eq!(breaks(text), []);
}

/// A program in which `main` and a thread run, with a variable `broken`.
fn pair(declarations: &str, thread: &str, main: &str) -> String {
    format!(
        "#include <pthread.h>\n#include <semaphore.h>\nint x, y, broken;\n{declarations}\n\
         void *thread(void *a) {{ {thread} return a; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, thread, 0); {main} return pthread_join(t, 0); }}\n"
    )
}

#[test]
fn a_semaphore_in_c_passes_messages() {
    let wait = "sem_wait(&s); if (!x) broken = 1;";
    assert_eq!(breaks(&pair("sem_t s;", "x = 1; sem_post(&s);", wait)), []);
    assert_eq!(breaks(&pair("sem_t s;", "sem_post(&s); x = 1;", wait)), MemoryModel::ALL);
}

#[test]
fn trylock_in_c_excludes_and_a_failure_orders_nothing() {
    let locks = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;";
    let section = "if (!pthread_mutex_trylock(&m)) { if (x) broken = 1; x = 1; x = 0; pthread_mutex_unlock(&m); }";
    assert_eq!(breaks(&pair(locks, section, section)), []);
    // Under ra, seeing that the lock is held does not imply seeing what its owner did before locking.
    let holds = "x = 1; pthread_mutex_lock(&m);";
    let fails = "if (pthread_mutex_trylock(&m) && !x) broken = 1;";
    assert_eq!(breaks(&pair(locks, holds, fails)), [Ra]);
}

#[test]
fn a_read_write_lock_in_c_excludes() {
    let locks = "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;";
    let writer = "pthread_rwlock_wrlock(&l); x = 1; y = 1; pthread_rwlock_unlock(&l);";
    let reader = "pthread_rwlock_rdlock(&l); if (x != y) broken = 1; pthread_rwlock_unlock(&l);";
    assert_eq!(breaks(&pair(locks, writer, reader)), []);
    assert_eq!(breaks(&pair(locks, &writer.replace("wrlock", "rdlock"), reader)), MemoryModel::ALL);
}

#[test]
fn random_tests_that_finish() {
    slice(10_000, 40, Shape { accesses: 6, ..Shape::FINITE });
}

#[test]
fn random_tests_of_every_kind() {
    slice(20_000, 60, Shape { accesses: 6, ends: true, ..Shape::FINITE });
}

fn slice(seed: u64, count: u64, shape: Shape) {
    let mut told = Vec::new();
    let report = run(seed..seed + count, shape, TIMEOUT, &mut told).expect("the campaign should run");
    assert!(report.disagreements.is_empty(), "{}", String::from_utf8_lossy(&told));
    assert!(report.compared == 4 * count, "{}", String::from_utf8_lossy(&told));
    assert!(report.outcomes > 3 * report.compared, "the tests say too little: {report}");
}
