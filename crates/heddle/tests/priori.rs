//! The thread-modular analysis on the programs that its paper and its restatement name, with their known outcomes, and on
//! every program under `tests/programs`: its proofs must be correct, at every level of precision.

use base::{Budget, Stats};
use check::{Engine, Options, Outcome, ReasonKind, Task, Verdict};
use engines::priori::{self, Priori, FINEST};
use front::LoadOptions;
use ir::{MemoryModel, Program, Property};
use std::time::Duration;
use testing::headers::{self, Question};

const STACK_BYTES: usize = 256 << 20;

/// The analysis without an exact engine to ask.
fn alone(task: &Task<'_>) -> Outcome {
    Priori.run(task, &plan::TakingTurns)
}

fn load(body: &str) -> Program {
    let text = format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
         #define ST(x, v) atomic_store_explicit(&x, v, memory_order_release)\n\
         #define LD(x) atomic_load_explicit(&x, memory_order_acquire)\n\
         #define ADD(x, v) atomic_fetch_add_explicit(&x, v, memory_order_acq_rel)\n\
         #define THREAD(name) static void *name(void *unused)\n\
         #define GO(name) pthread_t t_##name; pthread_create(&t_##name, 0, name, 0)\n\
         #define END(name) pthread_join(t_##name, 0)\n{body}"
    );
    let (program, diagnostics) = front::load_text("test.c", &text, &LoadOptions::default());
    program.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

fn task<'p>(program: &'p Program, model: MemoryModel, precision: Option<u8>) -> Task<'p> {
    let options = Options { strengthen_relaxed: true, ..Options::default() }.with(priori::Options { precision });
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    Task { program, property: Property::Unreach, model, options, budget, race_free: Default::default() }
}

/// The verdicts of the analysis alone and of the whole engine.
fn verdicts(body: &str, model: MemoryModel) -> (&'static str, &'static str) {
    let program = load(body);
    let own = alone(&task(&program, model, None)).verdict.name();
    let engine = plan::engine_named("priori").expect("the engine is in the table");
    (own, plan::solve(&task(&program, model, None), engine, false).outcome.verdict.name())
}

#[track_caller]
fn proves(body: &str) {
    assert_eq!(verdicts(body, MemoryModel::Ra).0, "safe");
}

#[track_caller]
fn refutes(body: &str) {
    assert_eq!(verdicts(body, MemoryModel::Ra), ("unknown", "unsafe"));
}

const MESSAGE_PASSING: &str = "atomic_int x, y;
THREAD(a) { ST(x, 1); ST(y, 1); return 0; }
THREAD(b) { int r1 = LD(y); int r2 = LD(x); assert(r1 != 1 || r2 == 1); return 0; }
int main(void) { GO(a); GO(b); END(a); END(b); }";

#[test]
fn message_passing_is_safe_under_every_model_it_holds_for() {
    for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Ra] {
        assert_eq!(verdicts(MESSAGE_PASSING, model), ("safe", "safe"));
    }
    // Released, under pso as well; otherwise the second store may overtake the first.
    assert_eq!(verdicts(MESSAGE_PASSING, MemoryModel::Pso), ("safe", "safe"));
    let relaxed = MESSAGE_PASSING.replace("ST(y, 1)", "atomic_store_explicit(&y, 1, memory_order_relaxed)");
    assert_eq!(verdicts(&relaxed, MemoryModel::Pso), ("unknown", "unsafe"));
}

#[test]
fn waiting_in_a_loop_is_safe() {
    proves(
        "atomic_int x, y;
        THREAD(a) { ST(x, 1); ST(y, 1); return 0; }
        THREAD(b) { while (LD(y) == 0) {} assert(LD(x) == 1); return 0; }
        int main(void) { GO(a); GO(b); END(a); END(b); }",
    );
}

const IRIW: &str = "atomic_int x, y; int r1, r2, r3, r4;
THREAD(a) { ST(x, 1); return 0; }
THREAD(b) { ST(y, 1); return 0; }
THREAD(c) { r1 = LD(x); r2 = LD(y); return 0; }
THREAD(d) { r3 = LD(y); r4 = LD(x); return 0; }
int main(void) { GO(a); GO(b); GO(c); GO(d); END(a); END(b); END(c); END(d);
    assert(!(r1 == 1 && r2 == 0 && r3 == 1 && r4 == 0)); }";

#[test]
fn independent_reads_may_disagree_under_ra_but_not_under_sc() {
    refutes(IRIW);
    assert_eq!(verdicts(IRIW, MemoryModel::Sc).1, "safe");
}

#[test]
fn figure_5_what_is_passed_on_twice_is_known() {
    proves(
        "atomic_int x, y, z;
        THREAD(a) { ST(x, 1); ST(y, 1); return 0; }
        THREAD(b) { if (LD(y) == 1) ST(z, 1); return 0; }
        THREAD(c) { if (LD(z) == 1) assert(LD(x) == 1); return 0; }
        int main(void) { GO(a); GO(b); GO(c); END(a); END(b); END(c); }",
    );
}

#[test]
fn one_writer_and_readers_that_all_see_it() {
    refutes(
        "atomic_int x, n1, n2;
        THREAD(a) { ST(n1, LD(x)); return 0; }
        THREAD(b) { ST(n2, LD(x)); return 0; }
        THREAD(w) { ST(x, 1); return 0; }
        int main(void) { GO(a); GO(b); GO(w); END(a); END(b); END(w); assert(LD(n1) == 0 || LD(n2) == 0); }",
    );
}

fn increments(count: usize) -> String {
    let each = |make: &dyn Fn(usize) -> String| (0..count).map(make).collect::<Vec<_>>().join(" ");
    format!(
        "atomic_int x; {} int main(void) {{ {} {} assert(LD(x) == {count}); }}",
        each(&|i| format!("THREAD(t{i}) {{ ADD(x, 1); return 0; }}")),
        each(&|i| format!("GO(t{i});")),
        each(&|i| format!("END(t{i});"))
    )
}

/// With each increment the number of abstract states about doubles: one for each set of known increments.
#[test]
fn atomic_increments_add_up() {
    let mut before = 0.0;
    for count in 2..=8 {
        let states = numbers(&increments(count)).get("states").unwrap_or(0.0);
        assert!(
            states > 0.0 && (before == 0.0 || states <= 2.5 * before),
            "{count} increments: {before}, then {states}"
        );
        before = states;
    }
}

#[test]
fn increments_in_two_steps_can_be_lost() {
    let program = |claim: &str| {
        format!(
            "atomic_int x;
            THREAD(a) {{ ST(x, LD(x) + 1); return 0; }}
            THREAD(b) {{ ST(x, LD(x) + 1); return 0; }}
            int main(void) {{ GO(a); GO(b); END(a); END(b); int r = LD(x); assert({claim}); }}"
        )
    };
    proves(&program("r >= 1 && r <= 2"));
    refutes(&program("r == 2"));
    refutes(&program("r == 1"));
}

/// "Orders must keep read-modify-writes total" would exclude that D sees both A and B.
#[test]
fn updates_that_are_merely_not_known_to_be_ordered_are_possible() {
    refutes(
        "atomic_int x, a, b;
        THREAD(ta) { ADD(x, 1); ST(a, 1); return 0; }
        THREAD(tc) { ST(x, 5); return 0; }
        THREAD(tb) { if (ADD(x, 1) == 5) ST(b, 1); return 0; }
        THREAD(td) { if (LD(a) == 1) assert(LD(b) == 0); return 0; }
        int main(void) { GO(ta); GO(tc); GO(tb); GO(td); END(ta); END(tc); END(tb); END(td); }",
    );
}

/// A store in a loop may be read again after a later one of the loop: an event that represents many excludes nothing.
#[test]
fn the_second_round_of_a_loop_is_not_lost() {
    refutes(
        "atomic_int x;
        THREAD(a) { for (int i = 0; i < 2; i++) { ST(x, 1); ST(x, 2); } return 0; }
        THREAD(b) { int r = LD(x); int s = LD(x); assert(!(r == 2 && s == 1)); return 0; }
        int main(void) { GO(a); GO(b); END(a); END(b); }",
    );
}

#[test]
fn a_conditional_unlock_is_no_other_lock() {
    // The unlock belongs to whichever lock was acquired.
    let program = |claim: &str| {
        format!(
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x; atomic_int c;
            THREAD(a) {{ int k = LD(c);
                if (k) pthread_mutex_lock(&m); else pthread_mutex_lock(&m);
                x = x + 1;
                if (k) pthread_mutex_unlock(&m); else pthread_mutex_unlock(&m); return 0; }}
            THREAD(b) {{ ST(c, 1); pthread_mutex_lock(&m); x = x + 1; pthread_mutex_unlock(&m); return 0; }}
            int main(void) {{ GO(a); GO(b); END(a); END(b); assert({claim}); }}"
        )
    };
    proves(&program("x == 2"));
    refutes(&program("x == 1"));
}

/// Which value of y is newer after joining the two branches: the stores are forgotten, but not that there was one.
#[test]
fn a_view_outlives_the_stores_that_a_join_forgets() {
    refutes(
        "atomic_int y, z, c;
        THREAD(a) { if (LD(c)) ST(y, 1); else ST(y, 1); int f = LD(z); int r = LD(y); assert(!(f == 1 && r == 1)); return 0; }
        THREAD(b) { ST(z, 1); return 0; }
        THREAD(d) { ST(c, 1); return 0; }
        int main(void) { GO(a); GO(b); GO(d); END(a); END(b); END(d); }",
    );
}

#[test]
fn loops_are_proved_without_a_bound() {
    proves(
        "atomic_int x; extern unsigned __VERIFIER_nondet_uint(void);
        THREAD(a) { unsigned n = __VERIFIER_nondet_uint(); for (unsigned i = 0; i < n; i++) ST(x, 1 + (i & 1)); return 0; }
        int main(void) { GO(a); int r = LD(x); assert(r >= 0 && r <= 2); }",
    );
}

/// The bound is not a constant of the program: only narrowing finds it.
#[test]
fn what_was_widened_is_narrowed() {
    let program = load(
        "atomic_int x, z;
        THREAD(a) { int n = LD(z) + 5000, i; for (i = 0; i < n; i++) ST(x, i); assert(i - 5000 <= 30000); return 0; }
        int main(void) { GO(a); ST(z, 30000); END(a); }",
    );
    let outcome = alone(&task(&program, MemoryModel::Ra, Some(2)));
    assert_eq!(outcome.verdict.name(), "safe", "{:?}", outcome.verdict);
    assert!(
        outcome.stats.get("narrowings").unwrap_or(0.0) > 0.0 && outcome.stats.get("iterations").unwrap_or(0.0) > 0.0
    );
}

#[test]
fn a_bound_tells_rounds_apart() {
    let program = load(
        "atomic_int x; THREAD(a) { for (int i = 0; i < 3; i++) ST(x, LD(x) + 2); return 0; }
        int main(void) { GO(a); END(a); assert(LD(x) == 6); }",
    );
    let mut task = task(&program, MemoryModel::Ra, Some(2));
    assert_eq!(alone(&task).verdict.name(), "unknown");
    task.options.bound = Some(4);
    assert_eq!(alone(&task).verdict.name(), "safe");
}

#[test]
fn loops_that_only_wait_are_assumptions() {
    // Both acquire the lock by compare-exchange, so its owner knows what the other did.
    let lock = "static void lock(void) { int e; do e = 0; while (!atomic_compare_exchange_strong_explicit(&l, &e, 1,
            memory_order_acq_rel, memory_order_acquire)); }";
    proves(&format!(
        "atomic_int l; int x; {lock}
        THREAD(a) {{ lock(); x++; ST(l, 0); return 0; }}
        THREAD(b) {{ lock(); x++; ST(l, 0); return 0; }}
        int main(void) {{ GO(a); GO(b); END(a); END(b); assert(x == 2); }}"
    ));
}

#[test]
fn races_are_excluded_by_what_threads_know() {
    let verdict = |body: &str, model| {
        let program = load(body);
        let own = Task { property: Property::Race, ..task(&program, model, Some(2)) };
        let engine = plan::engine_named("priori").expect("the engine is in the table");
        (alone(&own).verdict.name(), plan::solve(&own, engine, false).outcome.verdict.name())
    };
    let passing = |store: &str, load: &str| {
        format!(
            "int x; atomic_int f; THREAD(a) {{ x = 1; {store}; return 0; }}
            THREAD(b) {{ if ({load} == 1) x++; return 0; }} int main(void) {{ GO(a); GO(b); END(a); END(b); return x; }}"
        )
    };
    let locked = "int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        THREAD(a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
        THREAD(b) { pthread_mutex_lock(&m); int r = x; pthread_mutex_unlock(&m); return r ? &x : 0; }
        int main(void) { x = 1; GO(a); GO(b); END(a); END(b); return x; }";
    for model in MemoryModel::ALL {
        assert_eq!(verdict(&passing("ST(f, 1)", "LD(f)"), model), ("safe", "safe"));
        assert_eq!(verdict(locked, model), ("safe", "safe"));
        let relaxed = "atomic_store_explicit(&f, 1, memory_order_relaxed)";
        assert_eq!(verdict(&passing(relaxed, "LD(f)"), model), ("unknown", "unsafe"));
        let relaxed = "atomic_load_explicit(&f, memory_order_relaxed)";
        assert_eq!(verdict(&passing("ST(f, 1)", relaxed), model), ("unknown", "unsafe"));
    }
}

#[test]
fn integers_wrap_around() {
    refutes(
        "atomic_uint x; extern unsigned __VERIFIER_nondet_uint(void);
        THREAD(a) { unsigned n = __VERIFIER_nondet_uint(); ST(x, n + 1); return 0; }
        int main(void) { GO(a); END(a); assert(LD(x) != 0); }",
    );
}

#[test]
fn threads_started_in_a_loop_are_many() {
    let program = |claim: &str| {
        format!(
            "atomic_int x; THREAD(a) {{ ST(x, LD(x) < 5 ? LD(x) + 1 : 0); return 0; }}
            int main(void) {{ pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, a, 0);
                for (int i = 0; i < 3; i++) pthread_join(t[i], 0); int r = LD(x); assert({claim}); }}"
        )
    };
    proves(&program("r >= 0 && r < 100"));
    refutes(&program("r == 3"));
}

#[test]
fn alarms_that_nobody_settles_are_unknown_with_values() {
    let program = load(IRIW);
    let Verdict::Unknown(reasons) = alone(&task(&program, MemoryModel::Ra, None)).verdict else {
        panic!("the analysis alone should not decide this");
    };
    let alarm = reasons.iter().find(|reason| reason.kind == ReasonKind::Imprecise).expect("there is an alarm");
    assert!(alarm.detail.contains("r1 = 1") && alarm.detail.contains("r4 = 0"), "{alarm}");
    assert!(alarm.place.as_ref().is_some_and(|place| place.starts_with("test.c:")), "{alarm}");
}

#[test]
fn what_is_not_modelled_is_unknown() {
    let body = "atomic_int x; int f(int n) { return n ? f(n - 1) : 0; }
        THREAD(a) { ST(x, f(3)); return 0; } int main(void) { GO(a); assert(LD(x) == 0); }";
    let program = load(body);
    let Verdict::Unknown(reasons) = alone(&task(&program, MemoryModel::Ra, None)).verdict else {
        panic!("recursion should not be analysed");
    };
    assert_eq!(reasons[0].detail, "recursion is not analysed");
}

/// The statistics of an analysis at precision 2, which must succeed.
fn numbers(body: &str) -> Stats {
    let program = load(body);
    let outcome = alone(&task(&program, MemoryModel::Ra, Some(2)));
    assert_eq!(outcome.verdict.name(), "safe", "{:?}", outcome.verdict);
    outcome.stats
}

fn readers(count: usize) -> String {
    let each = |make: &dyn Fn(usize) -> String| (0..count).map(make).collect::<Vec<_>>().join(" ");
    format!(
        "atomic_int x; {} THREAD(w) {{ ST(x, 1); return 0; }} int main(void) {{ {} GO(w); {} END(w); {} }}",
        each(&|i| format!("atomic_int n{i}; THREAD(t{i}) {{ ST(n{i}, LD(x)); return 0; }}")),
        each(&|i| format!("GO(t{i});")),
        each(&|i| format!("END(t{i});")),
        each(&|i| format!("assert(LD(n{i}) <= 1);"))
    )
}

fn writers(count: usize) -> String {
    let each = |make: &dyn Fn(usize) -> String| (0..count).map(make).collect::<Vec<_>>().join(" ");
    format!(
        "atomic_int x; {} int main(void) {{ {} {} int r = LD(x); assert(r >= 1 && r <= {count}); }}",
        each(&|i| format!("THREAD(t{i}) {{ ST(x, {0}); ST(x, {0}); return 0; }}", i + 1)),
        each(&|i| format!("GO(t{i});")),
        each(&|i| format!("END(t{i});"))
    )
}

/// One writer and many readers, and CO-2+2W of many threads: twice the threads take twice the work.
#[test]
fn work_grows_with_the_number_of_threads() {
    let makers: [fn(usize) -> String; 2] = [readers, writers];
    for make in makers {
        let [small, large] = [10, 20].map(|count| numbers(&make(count)));
        for name in ["steps", "states", "combinations"] {
            let (few, many) = (small.get(name).unwrap_or(0.0), large.get(name).unwrap_or(0.0));
            assert!(few > 0.0 && many <= 2.2 * few, "{name}: {few}, then {many}");
        }
    }
}

#[test]
fn invariants_tell_what_a_thread_can_see() {
    let program = load(MESSAGE_PASSING);
    let threads = engines::priori::invariants(&task(&program, MemoryModel::Ra, None)).expect("it can be analysed");
    let names: Vec<&str> = threads.iter().map(|thread| thread.name.as_str()).collect();
    assert_eq!(names, ["__heddle_start", "a", "b"]);
    let last = threads[2].lines.last().expect("the reader does something");
    let (_, x) = last.values.iter().find(|(name, _)| name == "x").expect("it reads x");
    assert_eq!(x.to_string(), "in [0, 1]");
    assert_eq!(x.bounds(), Some(ir::invariants::Range { least: Some(0), greatest: Some(1) }));
}

#[test]
fn nothing_that_is_false_is_proved() {
    let check = || {
        let (mut wrong, mut asked) = (Vec::new(), 0);
        // The engine decides these two properties only.
        let is_wanted =
            |question: &Question| !question.is_safe && matches!(question.property, Property::Unreach | Property::Race);
        for file in headers::programs("programs") {
            let mut ask = |question: &Question, program: &Program| {
                asked += 1;
                let (property, model) = (question.property, question.model);
                for precision in 1..=FINEST {
                    let mut task = Task { property, ..task(program, model, Some(precision)) };
                    task.budget = Budget::new(Some(Duration::from_secs(2)), None);
                    task.options.inputs = question.inputs();
                    // The ground truth is that of C11, which is weaker than `ra` for atomics.
                    task.options.strengthen_relaxed = false;
                    if alone(&task).verdict.name() == "safe" {
                        wrong.push(format!("{property} of {} under {model} at {precision}", file.display()));
                    }
                }
            };
            headers::ask(&file, is_wanted, &mut ask).expect("a program that loads");
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(asked > 300 || std::env::var_os("HEDDLE_ONLY").is_some(), "only {asked} questions");
    };
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(check).expect("a thread").join().expect("no wrong proof");
}
