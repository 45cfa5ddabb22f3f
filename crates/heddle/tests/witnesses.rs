//! The commands `sv-comp` and `validate` as people and scripts use them, and the smoke test and BenchExec module of
//! `contrib/`. That every violation witness is confirmed is tested with the library (`crates/witness/tests/svcomp.rs`).

mod folder;

use folder::folder;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn heddle(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.args(args).env_remove("SOURCE_DATE_EPOCH").stdin(Stdio::null());
    command.output().expect("heddle should start")
}

/// Checks the printed verdict and the exit status.
fn says(args: &[&str], verdict: &str, status: i32) -> String {
    let output = heddle(args);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), verdict, "{args:?}: {message}");
    assert_eq!(output.status.code(), Some(status), "{args:?}: {message}");
    message
}

fn write(folder: &Path, name: &str, contents: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, contents).expect("a file");
    path.to_str().expect("a name in UTF-8").to_owned()
}

const UNREACH: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";
const MEMORY: &str = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
                      CHECK( init(main()), LTL(G valid-memtrack) )\n";

/// Needs the input 7 and a lost update inside a statement.
const LOST: &str = "#include <assert.h>\n#include <pthread.h>\nextern void reach_error(void);\n\
    extern int __VERIFIER_nondet_int(void);\nint x;\n\
    void *add(void *arg) {\n  x++;\n  return arg;\n}\n\
    int main(void) {\n  pthread_t t;\n  int n = __VERIFIER_nondet_int();\n  pthread_create(&t, 0, add, 0);\n  \
    x++;\n  pthread_join(t, 0);\n  if (x * n == 7)\n    reach_error();\n  return 0;\n}\n";

#[test]
fn a_violation_is_reported_written_and_validated() {
    let folder = folder("violation");
    let (file, prp) = (write(&folder, "lost.c", LOST), write(&folder, "u.prp", UNREACH));
    let yaml = folder.join("w.yml").to_str().expect("UTF-8").to_owned();
    let graph = folder.join("w.graphml").to_str().expect("UTF-8").to_owned();
    let command =
        ["sv-comp", "--property", &prp, "--data-model", "ILP32", "--witness", &yaml, "--graphml", &graph, &file];
    says(&command, "false(unreach-call)", 1);
    let text = std::fs::read_to_string(&yaml).expect("a witness");
    for part in ["format_version: \"2.2\"", "thread_id: 1", "\\\\result == ", "data_model: ILP32", "type: target"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let other = std::fs::read_to_string(&graph).expect("a witness");
    for part in
        ["violation_witness", "32bit", "createThread", "threadId", "enterFunction\">add", "1970-01-01T00:00:00Z"]
    {
        assert!(other.contains(part), "{part} in {other}");
    }
    says(&["validate", &yaml, &file], "false(unreach-call)", 1);
    says(&["validate", "--property", &prp, &graph, &file], "false(unreach-call)", 1);
    // The output is deterministic.
    says(&command, "false(unreach-call)", 1);
    assert_eq!(std::fs::read_to_string(&yaml).expect("a witness"), text);
    // A wrong witness is not confirmed.
    let wrong_value = write(&folder, "value.yml", &text.replace("\\\\result == 7", "\\\\result == 6"));
    assert_ne!(std::fs::read_to_string(&wrong_value).expect("a file"), text, "the input should be 7: {text}");
    says(&["validate", &wrong_value, &file], "unknown", 2);
    let wrong_target = write(&folder, "target.yml", &text.replace("line: 17", "line: 18"));
    assert_ne!(std::fs::read_to_string(&wrong_target).expect("a file"), text);
    says(&["validate", &wrong_target, &file], "unknown", 2);
}

#[test]
fn witnesses_of_others_are_followed() {
    let folder = folder("others");
    let file = write(&folder, "lost.c", LOST);
    let head = "- entry_type: violation_sequence\n  metadata:\n    format_version: '2.0'\n    uuid: x\n    \
                creation_time: x\n    producer: {name: other, version: '1'}\n    task:\n      input_files: [lost.c]\n      \
                input_file_hashes: {}\n      specification: CHECK( init(main()), LTL(G ! call(reach_error())) )\n      \
                data_model: ILP32\n      language: C\n  content:\n";
    let point = |kind: &str, line: u32, action: &str, constraint: &str| {
        let constraint = if constraint.is_empty() {
            String::new()
        } else {
            format!("        constraint: {{value: '{constraint}', format: c_expression}}\n")
        };
        format!("    - waypoint:\n        type: {kind}\n        action: {action}\n{constraint}        location: {{file_name: lost.c, line: {line}}}\n")
    };
    let segment = |points: &[String]| format!("  - segment:\n{}", points.concat());
    let target = segment(&[point("target", 17, "follow", "")]);
    let value = segment(&[point("function_return", 12, "follow", r"\result == 7")]);
    let good = format!("{head}{value}{}{target}", segment(&[point("branching", 16, "follow", "true")]));
    says(&["validate", &write(&folder, "good.yml", &good), &file], "false(unreach-call)", 1);
    let assumed = format!("{head}{value}{}{target}", segment(&[point("assumption", 16, "follow", "x == 1 && n > 6")]));
    says(&["validate", &write(&folder, "assumed.yml", &assumed), &file], "false(unreach-call)", 1);
    for (name, middle) in [
        ("branch", segment(&[point("branching", 16, "follow", "false")])),
        ("avoid", segment(&[point("assumption", 7, "avoid", "x == 0"), point("assumption", 15, "follow", "x == 2")])),
        ("value", segment(&[point("assumption", 16, "follow", "x == 2")])),
        ("member", segment(&[point("assumption", 16, "follow", "s.x == 2")])),
    ] {
        let bad = format!("{head}{value}{middle}{target}");
        says(&["validate", &write(&folder, &format!("{name}.yml"), &bad), &file], "unknown", 2);
    }
    for (name, text, message) in [
        ("type", good.replace("type: branching", "type: jump"), "waypoints of type `jump` are not understood"),
        ("line", good.replace("line: 16", "line: x"), "`x` is not a number"),
        ("action", good.replace("action: follow", "action: cycle"), "action `cycle`"),
        ("last", format!("{head}{value}"), "the last segment has no target"),
        ("syntax", good.replace("  content:\n", "  content: [\n"), "line "),
    ] {
        let message_of = says(&["validate", &write(&folder, &format!("{name}.yml"), &text), &file], "", 3);
        assert!(message_of.contains(message) && message_of.contains(".yml: line "), "{name}: {message_of}");
    }
    let hash = good.replace("input_file_hashes: {}", "input_file_hashes: {lost.c: '00'}");
    assert!(says(&["validate", &write(&folder, "hash.yml", &hash), &file], "", 3).contains("another program"));
}

/// Safe, with a loop and a lock.
const LOCKED: &str = "#include <pthread.h>\nextern void reach_error(void);\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
    int x;\nvoid *add(void *arg) {\n  pthread_mutex_lock(&m);\n  x = x + 1;\n  pthread_mutex_unlock(&m);\n  return arg;\n}\n\
    int main(void) {\n  pthread_t t;\n  int i;\n  pthread_create(&t, 0, add, 0);\n  for (i = 0; i < 2; i++)\n    add(0);\n  \
    pthread_join(t, 0);\n  if (x != 3)\n    reach_error();\n  return 0;\n}\n";

#[test]
fn a_proof_is_reported_written_and_validated() {
    let folder = folder("proof");
    let (file, prp) = (write(&folder, "locked.c", LOCKED), write(&folder, "u.prp", UNREACH));
    let yaml = folder.join("w.yml").to_str().expect("UTF-8").to_owned();
    says(&["sv-comp", "--property", &prp, "--data-model", "LP64", "--witness", &yaml, &file], "true", 0);
    let text = std::fs::read_to_string(&yaml).expect("a witness");
    for part in ["invariant_set", "ghost_instrumentation", "m_locked == 1", "format_version: \"2.1\""] {
        assert!(text.contains(part), "{part} in {text}");
    }
    says(&["validate", &yaml, &file], "true", 0);
    // An invariant that does not hold, and one that is no expression.
    let wrong = write(&folder, "wrong.yml", &text.replace("m_locked == 1", "m_locked == 0"));
    assert!(says(&["validate", &wrong, &file], "false(invariant)", 1).contains("the invariant does not hold"));
    let none = write(&folder, "none.yml", &text.replace("m_locked == 1", "m_locked =="));
    says(&["validate", &none, &file], "unknown", 2);
}

/// The values of `x` while `m` is free differ before and after the thread is started.
const PHASES: &str = "#include <pthread.h>\nextern void reach_error(void);\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
    int x = -7;\nvoid *work(void *arg) {\n  pthread_mutex_lock(&m);\n  x = -1;\n  x = 2;\n  pthread_mutex_unlock(&m);\n  return arg;\n}\n\
    int main(void) {\n  pthread_t t;\n  pthread_mutex_lock(&m);\n  x = 0;\n  pthread_mutex_unlock(&m);\n  \
    pthread_create(&t, 0, work, 0);\n  pthread_mutex_lock(&m);\n  if (x < 0)\n    reach_error();\n  \
    pthread_mutex_unlock(&m);\n  pthread_join(t, 0);\n  return 0;\n}\n";

#[test]
fn what_threads_rely_on_is_reported_and_validated() {
    let folder = folder("modular");
    let prp = write(&folder, "u.prp", UNREACH);
    // No difference before the thread is started, where `x` is 0 from the beginning.
    let always = PHASES.replace("int x = -7;", "int x;");
    for (name, source, expected) in [
        ("phases.c", PHASES, "!multithreaded || m_locked || (0 <= x && x <= 2)"),
        ("always.c", &always, "value: \"m_locked || (0 <= x && x <= 2)"),
    ] {
        let file = write(&folder, name, source);
        let yaml = folder.join("w.yml").to_str().expect("UTF-8").to_owned();
        says(&["sv-comp", "--property", &prp, "--data-model", "LP64", "--witness", &yaml, &file], "true", 0);
        let text = std::fs::read_to_string(&yaml).expect("a witness");
        assert!(text.contains(expected), "{name}: {expected} in {text}");
        assert_eq!(text.contains("name: \"multithreaded\""), name == "phases.c", "{text}");
        says(&["validate", &yaml, &file], "true", 0);
        // It needs the ghost variables: without them it does not hold, nor does anything sharper.
        for (from, to) in [("m_locked || (0", "0 || (0"), ("x <= 2", "x <= 1"), ("!multithreaded ||", "0 ||")] {
            let wrong = write(&folder, "wrong.yml", &text.replace(from, to));
            if std::fs::read_to_string(&wrong).expect("a file") != text {
                says(&["validate", &wrong, &file], "false(invariant)", 1);
            }
        }
    }
}

/// A relation between variables that implies no bounds.
const ALIKE: &str = "#include <pthread.h>\nextern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
    int x, y;\nvoid *work(void *arg) {\n  while (__VERIFIER_nondet_int()) {\n    x = x + 1;\n    y = y + 1;\n  }\n  return arg;\n}\n\
    int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, work, 0);\n  pthread_join(t, 0);\n  \
    if (x != y)\n    reach_error();\n  return 0;\n}\n";

/// The value of `x` when the thread has ended.
const ENDED: &str = "#include <pthread.h>\nextern void reach_error(void);\nint x, y;\n\
    void *work(void *arg) {\n  y = 1;\n  x = 5;\n  return 0;\n}\n\
    int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, work, 0);\n  y = 2;\n  pthread_join(t, 0);\n  \
    if (x != 5)\n    reach_error();\n  return 0;\n}\n";

/// A lock that any number of threads acquire by an exchange, which only a thread-modular proof recognises as held.
const MANY: &str = "#include <pthread.h>\n#include <stdatomic.h>\nextern void reach_error(void);\natomic_int lock;\nint x;\n\
    void *work(void *arg) {\n  while (atomic_exchange(&lock, 1))\n    ;\n  x = 1;\n  if (x != 1)\n    reach_error();\n  x = 0;\n  \
    atomic_store(&lock, 0);\n  return arg;\n}\n\
    int main(void) {\n  pthread_t t;\n  while (1)\n    pthread_create(&t, 0, work, 0);\n}\n";

#[test]
fn what_proofs_say_is_reported_and_validated() {
    let folder = folder("proofs");
    let prp = write(&folder, "u.prp", UNREACH);
    for (name, source, expected, wrong) in [
        (
            "alike.c",
            ALIKE,
            &[("loop_invariant", "x == y"), ("location_invariant", "x == y + 1")][..],
            &[("\"x == y\"", "\"x == y && x < 2\""), ("x == y + 1", "x == y")][..],
        ),
        (
            "ended.c",
            ENDED,
            &[("location_invariant", "!work_done || (x == 5)")],
            &[("!work_done ||", "0 ||"), ("!work_done || (x == 5)", "!work_done || (x == 4)")],
        ),
        ("many.c", MANY, &[("location_invariant", "lock != 0")], &[("lock != 0", "lock == 0")]),
    ] {
        let file = write(&folder, name, source);
        let yaml = folder.join("w.yml").to_str().expect("UTF-8").to_owned();
        says(&["sv-comp", "--property", &prp, "--data-model", "LP64", "--witness", &yaml, &file], "true", 0);
        let text = std::fs::read_to_string(&yaml).expect("a witness");
        for (kind, value) in expected {
            let value = format!("\"{value}\"");
            let has = text.split("- invariant:").any(|item| item.contains(kind) && item.contains(&value));
            assert!(has, "{name}: {kind} {value} in {text}");
        }
        says(&["validate", &yaml, &file], "true", 0);
        for (from, to) in wrong {
            let wrong = write(&folder, "wrong.yml", &text.replace(from, to));
            assert!(says(&["validate", &wrong, &file], "false(invariant)", 1).contains("the invariant does not hold"));
        }
    }
}

#[test]
fn invariants_of_loops_are_checked() {
    let folder = folder("loops");
    let file = write(&folder, "locked.c", LOCKED);
    let witness = |value: &str| {
        format!(
            "- entry_type: invariant_set\n  metadata:\n    format_version: '2.0'\n    task:\n      input_files: [locked.c]\n      \
             input_file_hashes: {{}}\n      specification: CHECK( init(main()), LTL(G ! call(reach_error())) )\n      \
             data_model: LP64\n  content:\n  - invariant:\n      type: loop_invariant\n      \
             location: {{file_name: locked.c, line: 15}}\n      value: '{value}'\n      format: c_expression\n"
        )
    };
    says(&["validate", &write(&folder, "good.yml", &witness("0 <= i && i <= 2 && x <= 3")), &file], "true", 0);
    let bad = write(&folder, "bad.yml", &witness("i < 2"));
    assert!(says(&["validate", &bad, &file], "false(invariant)", 1).contains("bad.yml: line 10: "));
}

/// Fails in every run.
const ALWAYS: &str = "extern void reach_error(void);\nint x;\nint main(void) {\n  x = 1;\n  if (x == 1)\n    reach_error();\n  return 0;\n}\n";

/// Fails if the update in the middle is lost.
const TORN: &str = "#include <pthread.h>\nextern void reach_error(void);\nint x;\n\
    void *add(void *arg) {\n  x = x + 1;\n  return arg;\n}\n\
    int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, add, 0);\n  x = x + 1;\n  pthread_join(t, 0);\n  \
    if (x != 2)\n    reach_error();\n  return 0;\n}\n";

/// A witness must not change the program: not by an invariant with assignments or calls, nor by a ghost variable that
/// makes a statement atomic or is not ghost.
#[test]
fn witnesses_do_not_change_the_program() {
    let folder = folder("changing");
    let entry = |kind: &str, name: &str, content: &str| {
        format!(
            "- entry_type: {kind}\n  metadata:\n    format_version: '2.1'\n    task:\n      input_files: [{name}]\n      \
             input_file_hashes: {{}}\n      specification: CHECK( init(main()), LTL(G ! call(reach_error())) )\n      \
             data_model: LP64\n  content:{content}\n"
        )
    };
    let invariant = |name: &str, line: u32, value: &str| {
        let content = format!(
            "\n  - invariant:\n      type: location_invariant\n      location: {{file_name: {name}, line: {line}}}\n      \
             value: '{value}'\n      format: c_expression"
        );
        entry("invariant_set", name, &content)
    };
    let always = write(&folder, "always.c", ALWAYS);
    for value in [
        "(x = 0, 1)",
        "x++ == 1",
        "(x += 4) == 5",
        "(x <<= 1) == 2",
        "main () == 0",
        "(main)() == 0",
        "({ x = 0; 1; })",
    ] {
        let witness = write(&folder, "w.yml", &invariant("always.c", 5, value));
        says(&["validate", &witness, &always], "unknown", 2);
    }
    let pure = write(&folder, "w.yml", &invariant("always.c", 5, "x == 1 && x <= 1 && (long)(x) >= sizeof(int) - 3"));
    says(&["validate", &pure, &always], "false(unreach-call)", 1);
    let torn = write(&folder, "torn.c", TORN);
    let updates = |variable: &str, line: u32| {
        format!("\n    - location: {{file_name: torn.c, line: {line}}}\n      updates:\n      - {{variable: {variable}, value: '1', format: c_expression}}")
    };
    let ghost = |variable: &str| {
        let variables = "\n    ghost_variables:\n    - {name: g, type: int, scope: global, initial: {value: '0', format: c_expression}}\n    ghost_updates:";
        let content = format!("{variables}{}{}", updates(variable, 5), updates(variable, 11));
        entry("ghost_instrumentation", "torn.c", &content) + &invariant("torn.c", 12, "g <= 1")
    };
    says(&["validate", &write(&folder, "g.yml", &ghost("g")), &torn], "false(unreach-call)", 1);
    says(&["validate", &write(&folder, "x.yml", &ghost("x")), &torn], "unknown", 2);
}

#[test]
fn verdicts_are_those_of_the_competition() {
    let folder = folder("verdicts");
    let unreach = write(&folder, "u.prp", UNREACH);
    let memory = write(&folder, "m.prp", MEMORY);
    let overflow = write(&folder, "o.prp", "CHECK( init(main()), LTL(G ! overflow) )\n");
    let wrong = write(&folder, "w.prp", "CHECK( init(main()), LTL(G ! deadlock) )\n");
    // A failing assertion is not a call of reach_error.
    let assertion =
        "#include <assert.h>\nextern void reach_error(void);\nint main(void) { assert(0); reach_error(); }\n";
    let assertion = write(&folder, "assertion.c", assertion);
    says(&["sv-comp", "--property", &unreach, &assertion], "true", 0);
    let failing = write(&folder, "a.prp", "CHECK( init(main()), LTL(G ! call(__assert_fail())) )\n");
    says(&["sv-comp", "--property", &failing, &assertion], "false(unreach-call)", 1);
    says(&["sv-comp", "--property", &overflow, &assertion], "unknown", 2);
    assert!(says(&["sv-comp", "--property", &wrong, &assertion], "", 3).contains("w.prp: line 1: this is no property"));
    let other = write(&folder, "f.prp", "CHECK( init(main()), LTL(G ! call(f())) )\n");
    assert!(says(&["sv-comp", "--property", &other, &assertion], "unknown", 2).contains("calls of `f`"));
    let cases = [
        ("int main(void) { int *p = malloc(4); free(p); free(p); return 0; }", "false(valid-free)", 1),
        ("int main(void) { int *p = malloc(4); free(p); return *p; }", "false(valid-deref)", 1),
        ("int main(void) { int *p = malloc(4); if (p) *p = 1; return 0; }", "unknown", 2),
        ("int main(void) { int a[2]; a[1] = 0; return a[1]; }", "true", 0),
    ];
    for (index, (text, verdict, status)) in cases.into_iter().enumerate() {
        let file = write(&folder, &format!("memory{index}.c"), &format!("#include <stdlib.h>\n{text}\n"));
        says(&["sv-comp", "--property", &memory, "--data-model", "ILP32", &file], verdict, status);
    }
}

/// The number of threads is an input, and so is the size of an array, which may wrap around: a task has no such
/// behaviour.
#[test]
fn what_is_not_asked_about_is_defined() {
    let folder = folder("defined");
    let race = write(&folder, "race.prp", "CHECK( init(main()), LTL(G ! data-race) )\n");
    let program = |access: &str| {
        format!(
            "#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int data;
void *run(void *arg) {{ {access}; return 0; }}
int main(void) {{
    int count = __VERIFIER_nondet_int();
    if (count < 0) return 0;
    pthread_t *threads = malloc(count * sizeof(pthread_t));
    for (int i = 0; i < count; i++) pthread_create(&threads[i], 0, run, 0);
    for (int i = 0; i < count; i++) pthread_join(threads[i], 0);
    free(threads);
    return 0;
}}
"
        )
    };
    let safe = write(&folder, "safe.c", &program("__sync_fetch_and_add(&data, 1)"));
    says(&["sv-comp", "--property", &race, "--data-model", "ILP32", &safe], "true", 0);
    let racy = write(&folder, "racy.c", &program("data++"));
    says(&["sv-comp", "--property", &race, "--data-model", "ILP32", &racy], "false(no-data-race)", 1);
}

fn contrib(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../contrib")
        .join(name)
        .canonicalize()
        .expect("the file should be there")
}

#[test]
fn the_smoke_test_passes() {
    let output =
        Command::new("sh").arg(contrib("smoketest.sh")).arg(env!("CARGO_BIN_EXE_heddle")).output().expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("ok: ")).count(), 10, "{text}");
}

#[test]
fn the_tool_info_module_works() {
    let mut command = Command::new("python3");
    let output = command.arg("-B").arg(contrib("benchexec/test_heddle.py")).output().expect("python3 should be there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
