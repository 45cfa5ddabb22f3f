//! Slices: violations predicted from one run without violations. Each program is run first with the same seed, to see
//! that the run itself violates nothing.

mod common;

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn heddle(args: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.args(args).env_remove("RUST_BACKTRACE").env("NO_COLOR", "1").env("COLUMNS", "100").stdin(Stdio::null());
    let Output { status, stdout, stderr } = command.output().expect("heddle should start");
    let text = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    (status.code().expect("heddle should not die of a signal"), text)
}

fn file(name: &str, source: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("slices");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, source).expect("a file");
    path.to_str().expect("a name in UTF-8").to_owned()
}

/// The seeds of runs without violations.
fn fine_seeds(file: &str, property: &str) -> Vec<String> {
    let is_fine = |seed: &u32| {
        let (status, _) = heddle(&["run", "--property", property, "--seed", &seed.to_string(), "--runs", "1", file]);
        status == 2
    };
    (0..8).filter(is_fine).map(|seed| seed.to_string()).collect()
}

/// Slices of all runs without violations; returns how many predict a violation.
fn predicted(name: &str, property: &str, source: &str) -> (usize, usize, String) {
    let file = file(name, source);
    let seeds = fine_seeds(&file, property);
    assert!(!seeds.is_empty(), "{name}: some run should be fine");
    let (mut found, mut last) = (0, String::new());
    for seed in &seeds {
        let (status, text) = heddle(&["check", "--property", property, "--slice", &format!("run:{seed}"), &file]);
        match status {
            1 => {
                assert!(text.contains("; replayed"), "{name}: {text}");
                found += 1;
            }
            2 => last = text,
            _ => panic!("{name}: {text}"),
        }
    }
    (found, seeds.len(), last)
}

fn always(name: &str, property: &str, source: &str) {
    let (found, runs, text) = predicted(name, property, source);
    assert_eq!(found, runs, "{name}: {text}");
}

fn never(name: &str, property: &str, source: &str) {
    let (found, _, text) = predicted(name, property, source);
    assert_eq!(found, 0, "{name}");
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("no violation in any schedule of the paths of this run (seed "), "{name}: {text}");
    assert!(text.contains("nothing is claimed about other paths"), "{name}: {text}");
}

const TWO: &str =
    "int main(void) {\n  pthread_t s, t;\n  pthread_create(&s, 0, a, 0);\n  pthread_create(&t, 0, b, 0);\n\
    pthread_join(s, 0);\n  pthread_join(t, 0);\n  return 0;\n}\n";

#[test]
fn a_race_that_locks_hid_is_predicted() {
    let source = "#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint x, y;\n\
        void *a(void *p) { x = 1; pthread_mutex_lock(&m); y = 1; pthread_mutex_unlock(&m); return p; }\n\
        void *b(void *p) { pthread_mutex_lock(&m); y = 2; pthread_mutex_unlock(&m); x = 2; return p; }\n";
    always("hidden_race.c", "race", &format!("{source}{TWO}"));
}

#[test]
fn a_race_that_a_branch_decides_is_not_claimed() {
    // A thread that sees the flag sees the value: no schedule of these paths races.
    let source = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int flag;\nint x;\n\
        void *a(void *p) { x = 1; flag = 1; return p; }\n\
        void *b(void *p) { if (flag) x = 2; return p; }\n";
    never("flag.c", "race", &format!("{source}{TWO}"));
}

#[test]
fn locks_and_joins_keep_accesses_apart() {
    let source = "#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint x;\n\
        void *a(void *p) { for (int i = 0; i < 3; i++) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); } return p; }\n\
        int main(void) { pthread_t s, t; x = 1; pthread_create(&s, 0, a, 0); pthread_create(&t, 0, a, 0);\n\
        pthread_join(s, 0); pthread_join(t, 0); return x; }\n";
    never("counter.c", "race", source);
}

#[test]
fn a_lost_update_is_predicted() {
    let source = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\n\
        void *a(void *p) { int v = x; x = v + 1; return p; }\n\
        int main(void) {\n  pthread_t s, t;\n  pthread_create(&s, 0, a, 0);\n  pthread_create(&t, 0, a, 0);\n\
        pthread_join(s, 0);\n  pthread_join(t, 0);\n  assert(x == 2);\n  return 0;\n}\n";
    always("lost_update.c", "unreach", source);
}

#[test]
fn a_failure_on_another_path_is_not_claimed() {
    // Fails only if the store is seen, and then on another path than that of a run in which it is not.
    let source = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y;\n\
        void *a(void *p) { x = 1; return p; }\n\
        void *b(void *p) { if (x == 1) { y = 1; int v = y; assert(v == 0); } return p; }\n";
    never("other_path.c", "unreach", &format!("{source}{TWO}"));
}

#[test]
fn inputs_are_those_of_the_run() {
    let source = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\n\
        extern int __VERIFIER_nondet_int(void);\n\
        void *a(void *p) { int v = __VERIFIER_nondet_int(); if (v != 77) x = v; return p; }\n\
        void *b(void *p) { assert(x != 55); return p; }\n";
    never("inputs.c", "unreach", &format!("{source}{TWO}"));
}

#[test]
fn a_deadlock_of_two_locks_is_predicted() {
    let source = "#include <pthread.h>\n\
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
        void both(pthread_mutex_t *p, pthread_mutex_t *q) {\n  pthread_mutex_lock(p); pthread_mutex_lock(q);\n\
        pthread_mutex_unlock(q); pthread_mutex_unlock(p); }\n\
        void *a(void *p) { both(&m, &n); return p; }\nvoid *b(void *p) { both(&n, &m); return p; }\n";
    always("order.c", "deadlock", &format!("{source}{TWO}"));
    // A third lock around both keeps them apart.
    let guarded = source
        .replace("{ both(&m, &n);", "{ pthread_mutex_lock(&g); both(&m, &n); pthread_mutex_unlock(&g);")
        .replace("{ both(&n, &m);", "{ pthread_mutex_lock(&g); both(&n, &m); pthread_mutex_unlock(&g);")
        .replace("pthread_mutex_t m =", "pthread_mutex_t g = PTHREAD_MUTEX_INITIALIZER, m =");
    never("guarded.c", "deadlock", &format!("{guarded}{TWO}"));
}

#[test]
fn a_deadlock_of_two_semaphores_is_predicted() {
    let source = "#include <pthread.h>\n#include <semaphore.h>\nsem_t m, n;\n\
        void *a(void *p) { sem_wait(&m); sem_wait(&n); sem_post(&n); sem_post(&m); return p; }\n\
        void *b(void *p) { sem_wait(&n); sem_wait(&m); sem_post(&m); sem_post(&n); return p; }\n";
    let main = TWO.replace("pthread_t s, t;", "pthread_t s, t; sem_init(&m, 0, 1); sem_init(&n, 0, 1);");
    always("semaphores.c", "deadlock", &format!("{source}{main}"));
    let ordered = source.replace("sem_wait(&n); sem_wait(&m);", "sem_wait(&m); sem_wait(&n);");
    never("ordered_semaphores.c", "deadlock", &format!("{ordered}{main}"));
}

#[test]
fn a_signal_that_comes_too_early_is_predicted() {
    // Between checking and waiting the lock is free, so the signal may come there. In some runs it does not.
    let source = "#include <pthread.h>\n#include <stdatomic.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        pthread_cond_t c = PTHREAD_COND_INITIALIZER;\nint ready;\natomic_int work;\n\
        void *a(void *p) {\n  work++;\n  pthread_mutex_lock(&m);\n  int seen = ready;\n  pthread_mutex_unlock(&m);\n\
        if (!seen) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); }\n  return p; }\n\
        int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, a, 0);\n  for (int i = 0; i < 30; i++) work++;\n\
        pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);\n\
        pthread_join(t, 0);\n  return 0; }\n";
    let (found, _, text) = predicted("early_signal.c", "deadlock", source);
    assert!(found > 0, "{text}");
    let held = source.replace("  pthread_mutex_unlock(&m);\nif (!seen) { pthread_mutex_lock(&m);", "  if (!seen) {");
    let held = held.replace(
        "pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); }",
        "pthread_cond_wait(&c, &m); }\n  pthread_mutex_unlock(&m);",
    );
    never("signal.c", "deadlock", &held);
}

#[test]
fn a_lock_that_is_never_released_is_predicted() {
    let source = "#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        void *a(void *p) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return p; }\n\
        void *b(void *p) { pthread_mutex_lock(&m); return p; }\n";
    always("kept_lock.c", "deadlock", &format!("{source}{TWO}"));
}

#[test]
fn all_violations_are_told() {
    let source = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y;\n\
        void *a(void *p) { x = 1; x = 0; y = 1; y = 0; return p; }\n\
        void *b(void *p) { int v = x; assert(v == 0);\n int w = y; assert(w == 0); return p; }\n";
    let file = file("two_failures.c", &format!("{source}{TWO}"));
    for seed in fine_seeds(&file, "unreach") {
        let (status, text) = heddle(&["check", "--property", "unreach", "--slice", &format!("run:{seed}"), &file]);
        assert_eq!(status, 1, "{text}");
        assert!(text.contains("violations in different places"), "{text}");
        assert!(text.contains("v == 0") && text.contains("w == 0"), "{text}");
    }
}

#[test]
fn what_is_further_apart_than_a_window_is_examined_once() {
    let source = "#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint x, y;\n\
        void *a(void *p) { x = 1; for (int i = 0; i < 9; i++) { pthread_mutex_lock(&m); y++; pthread_mutex_unlock(&m); } return p; }\n\
        void *b(void *p) { for (int i = 0; i < 9; i++) { pthread_mutex_lock(&m); y++; pthread_mutex_unlock(&m); } x = 2; return p; }\n";
    let file = file("far_apart.c", &format!("{source}{TWO}"));
    for seed in fine_seeds(&file, "race") {
        let run = format!("run:{seed}");
        let (status, text) = heddle(&["lab", "--property", "race", "--slice", &run, "--slice-window", "6", &file]);
        assert_eq!(status, 1, "{text}");
    }
}

#[test]
fn what_must_have_been_read_needs_no_solver() {
    let source = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int turn;\nint x;\n\
        void *a(void *p) { x = 1; turn = 1; return p; }\n\
        void *b(void *p) { while (turn != 1) {} x = 2; return p; }\n";
    let file = file("turn.c", &format!("{source}{TWO}"));
    let (status, text) = heddle(&["check", "--property", "race", "--slice", "run:1", "--format", "json", &file]);
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("\"windows_asked\": 0.0"), "{text}");
    common::report(&text);
    // A relaxed store synchronises with nothing.
    let relaxed = source.replace("turn = 1;", "atomic_store_explicit(&turn, 1, memory_order_relaxed);");
    let file = self::file("relaxed_turn.c", &format!("{relaxed}{TWO}"));
    let (status, text) = heddle(&["check", "--property", "race", "--slice", "run:1", &file]);
    assert_eq!(status, 1, "{text}");
}

#[test]
fn long_runs_are_looked_at_in_windows() {
    let source = "#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint x, y;\n\
        void *a(void *p) { for (int i = 0; i < 400; i++) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); } y = 1; return p; }\n\
        void *b(void *p) { for (int i = 0; i < 400; i++) { pthread_mutex_lock(&m); x--; pthread_mutex_unlock(&m); } return p; }\n";
    let file = file("windows.c", &format!("{source}{TWO}"));
    let (status, text) = heddle(&["check", "--property", "race", "--slice", "run:3", "--format", "json", &file]);
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("\"engine\": \"slice\""), "{text}");
    common::report(&text);
    assert!(text.contains("that reorders at most 160 neighbouring accesses (seed 3, "), "{text}");
}

#[test]
fn slices_go_with_no_other_method() {
    for extra in [&["--engine", "staged"][..], &["--bound", "3"], &["--check"]] {
        let args = [&["check", "--slice", "run:1", "a.c"][..], extra].concat();
        let (status, text) = heddle(&args);
        assert_eq!(status, 3, "{text}");
        assert!(text.contains("cannot be used with"), "{text}");
    }
    let (status, text) = heddle(&["check", "--slice", "walk", "a.c"]);
    assert_eq!(status, 3, "{text}");
    assert!(text.contains("is not `run`, or `run:` and a seed"), "{text}");
}
