//! Random programs about locks that lie beside the data they protect: accounts with a mutex and a read-write lock each,
//! which threads reach through pointers that are copied, changed on some paths and passed on; threads lock, try to lock
//! and unlock them, mostly correctly, and they are destroyed in the end, or too early. Exploration must not refute what
//! the engine `tar` proves on its own of such a program.
//!
//! `HEDDLE_FUZZ_ITERATIONS=N HEDDLE_FUZZ_SEED=S cargo test -p heddle --test accounts -- --nocapture` runs as many as
//! wanted.

use base::Budget;
use check::{Engine as _, Options, Task, Verdict};
use engines::tar::{self, Algorithm, Tar};
use ir::{MemoryModel, Program, Property};
use std::fmt::Write;
use std::time::Duration;
use testing::programs::rng::Rng;

const TIME: Duration = Duration::from_secs(2);
const STACK_BYTES: usize = 256 << 20;

/// Parameters and copies of them.
const POINTERS: [&str; 7] = ["p", "p", "p", "a", "a", "q", "b"];

/// The common beginning of all programs.
const BEGIN: &str = "#include <pthread.h>
extern _Bool __VERIFIER_nondet_bool(void);
struct account { int money; pthread_mutex_t lock; struct account *next; pthread_rwlock_t gate; };
extern struct account second;
struct account first = {0, PTHREAD_MUTEX_INITIALIZER, &second, PTHREAD_RWLOCK_INITIALIZER};
struct account second = {0, PTHREAD_MUTEX_INITIALIZER, &first, PTHREAD_RWLOCK_INITIALIZER};
";

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// A function with the parameters `p` and `q` that may call another one.
fn function(rng: &mut Rng, name: &str, callee: Option<&str>) -> String {
    let mut text = format!("static void {name}(struct account *p, struct account *q) {{\n");
    text += "    struct account *a = p, *b = q;\n";
    for _ in 0..rng.between(1, 3) {
        match rng.below(10) {
            0..=2 => text += &change(rng),
            3 => {
                if let Some(callee) = callee {
                    let (one, other) = (pointer(rng), pointer(rng));
                    let _ = writeln!(text, "    {callee}({one}, {other});");
                }
            }
            _ => text += &section(rng),
        }
    }
    text + "}\n"
}

fn pointer(rng: &mut Rng) -> &'static str {
    POINTERS[rng.below(POINTERS.len())]
}

/// Assigns another value to a pointer.
fn change(rng: &mut Rng) -> String {
    let (to, from) = (pointer(rng), pointer(rng));
    let value = match rng.below(5) {
        0 => "&first".to_owned(),
        1 => "&second".to_owned(),
        2 => format!("{from}->next"),
        _ => from.to_owned(),
    };
    let when = if rng.chance(40) { "if (__VERIFIER_nondet_bool()) " } else { "" };
    format!("    {when}{to} = {value};\n")
}

/// An access, mostly under a lock.
fn section(rng: &mut Rng) -> String {
    let lock = pointer(rng);
    let account = if rng.chance(80) { lock } else { pointer(rng) };
    let reads = rng.chance(25);
    let access = if reads { format!("if ({account}->money < 0) return;") } else { format!("{account}->money++;") };
    let is_gate = rng.chance(40);
    let (take, release) = match (is_gate, reads != rng.chance(10)) {
        (false, _) if rng.chance(30) => ("pthread_mutex_trylock", "pthread_mutex_unlock"),
        (false, _) => ("pthread_mutex_lock", "pthread_mutex_unlock"),
        (true, true) if rng.chance(30) => ("pthread_rwlock_tryrdlock", "pthread_rwlock_unlock"),
        (true, true) => ("pthread_rwlock_rdlock", "pthread_rwlock_unlock"),
        (true, false) if rng.chance(30) => ("pthread_rwlock_trywrlock", "pthread_rwlock_unlock"),
        (true, false) => ("pthread_rwlock_wrlock", "pthread_rwlock_unlock"),
    };
    let member = if is_gate { "gate" } else { "lock" };
    let (before, after) = (rng.chance(12), rng.chance(12));
    let mut text = String::new();
    let is_tried = take.contains("try") && rng.chance(90);
    let _ = match is_tried {
        true => writeln!(text, "    if ({take}(&{lock}->{member}) == 0) {{"),
        false => writeln!(text, "    {take}(&{lock}->{member});"),
    };
    if before {
        text += &change(rng);
    }
    // An early return keeps the lock.
    let access = if reads && rng.chance(90) { format!("(void)*(volatile int *)&{account}->money;") } else { access };
    let _ = writeln!(text, "    {access}");
    if after {
        text += &change(rng);
    }
    if rng.chance(95) {
        let _ = writeln!(text, "    {release}(&{lock}->{member});");
    }
    text + if is_tried { "    }\n" } else { "" }
}

fn program(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let rng = &mut rng;
    let mut text = BEGIN.to_owned();
    text += &function(rng, "inner", None);
    text += &function(rng, "outer", Some("inner"));
    text += "void *run(void *arg) {\n    outer(arg, arg);\n    return 0;\n}\n";
    text += "void *other(void *arg) {\n    struct account *given = arg;\n    outer(given, given->next);\n    return 0;\n}\n";
    text += "int main(void) {\n    pthread_t threads[2];\n";
    let in_loops = rng.chance(50);
    let start = |index: &str, who: &str, arg: &str| format!("pthread_create(&threads[{index}], 0, {who}, {arg});");
    if in_loops {
        let arg = *rng.pick(&["&first", "i ? &first : &second"]);
        let _ = writeln!(text, "    for (int i = 0; i < 2; i++) {}", start("i", "run", arg));
    } else {
        for index in ["0", "1"] {
            let (who, arg) = (*rng.pick(&["run", "run", "other"]), *rng.pick(&["&first", "&second"]));
            let _ = writeln!(text, "    {}", start(index, who, arg));
        }
    }
    let destroyed = *rng.pick(&["pthread_mutex_destroy(&first.lock);", "pthread_rwlock_destroy(&first.gate);"]);
    let when = rng.below(12);
    if when == 0 {
        let _ = writeln!(text, "    {destroyed}");
    }
    let joined = if rng.chance(90) { 2 } else { 1 };
    if in_loops {
        let _ = writeln!(text, "    for (int i = 0; i < {joined}; i++) pthread_join(threads[i], 0);");
    } else {
        for index in 0..joined {
            let _ = writeln!(text, "    pthread_join(threads[{index}], 0);");
        }
    }
    if rng.chance(20) {
        text += "    outer(&first, &second);\n";
    }
    if (1..=6).contains(&when) {
        let _ = writeln!(text, "    {destroyed}");
    }
    if rng.chance(10) {
        text += "    outer(&second, &first);\n";
    }
    text + "    return 0;\n}\n"
}

fn load(text: &str, seed: u64) -> Program {
    let path = std::env::temp_dir().join(format!("heddle-accounts-{}-{seed}.c", std::process::id()));
    std::fs::write(&path, text).expect("a file");
    let (program, _) = front::load(std::slice::from_ref(&path), &front::LoadOptions::default());
    let _ = std::fs::remove_file(&path);
    program.unwrap_or_else(|| panic!("seed {seed} does not load\n{text}"))
}

fn task(program: &Program, property: Property) -> Task<'_> {
    let tar = tar::Options { algorithm: Algorithm::Facts, ..tar::Options::default() };
    let options = Options::default().with(tar);
    Task {
        program,
        property,
        model: MemoryModel::Sc,
        options,
        budget: Budget::new(Some(TIME), Some(2 << 30)),
        race_free: Default::default(),
    }
}

#[test]
fn proofs_about_locks_beside_are_not_refuted() {
    let (first, count) = (number("HEDDLE_FUZZ_SEED", 1), number("HEDDLE_FUZZ_ITERATIONS", 80));
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        let explore = plan::engine_named("explore").expect("the engine should exist");
        let (mut proved, mut refuted) = (0, 0);
        for seed in first..first + count {
            let text = program(seed);
            let program = load(&text, seed);
            for property in [Property::Race, Property::Locks] {
                let is_proved =
                    matches!(Tar.run(&task(&program, property), &plan::TakingTurns).verdict, Verdict::Safe(_));
                // Some unproved programs are explored too, to see that there is something to refute.
                if !is_proved && seed % 3 != 0 {
                    continue;
                }
                let verdict = plan::solve(&task(&program, property), explore, false).outcome.verdict;
                let is_refuted = matches!(verdict, Verdict::Unsafe(_));
                assert!(!(is_proved && is_refuted), "seed {seed}: {property} is proved, but it is not true\n{text}");
                proved += u64::from(is_proved);
                refuted += u64::from(is_refuted);
            }
        }
        println!("{count} programs: {proved} proofs, {refuted} refuted");
        // Both kinds must occur, or the test is vacuous.
        assert!(proved * 4 >= count && refuted * 40 >= count, "{proved} proofs, {refuted} refuted of {count} programs");
    });
    worker.expect("a thread").join().expect("no wrong proof");
}
