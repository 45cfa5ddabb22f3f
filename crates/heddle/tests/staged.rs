//! The command line of the engine `staged`, and the skeletons it prints.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn heddle(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.args(args).env("NO_COLOR", "1").env("COLUMNS", "100").stdin(Stdio::null());
    command.output().expect("heddle should start")
}

fn stdout(args: &[&str]) -> String {
    String::from_utf8_lossy(&heddle(args).stdout).into_owned()
}

fn program(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").join(name);
    path.canonicalize().expect("the test program should exist").to_str().expect("a name in UTF-8").to_owned()
}

fn write(name: &str, contents: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("staged");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, contents).expect("a file");
    path.to_str().expect("a name in UTF-8").to_owned()
}

/// The statistic with this name in the report, with `--stats`.
fn number(args: &[&str], name: &str) -> f64 {
    let text = stdout(args);
    let line = text.lines().find(|line| line.starts_with(&format!("unreach {name} ")));
    let value = line.and_then(|line| line.rsplit(' ').next()).and_then(|value| value.parse().ok());
    value.unwrap_or_else(|| panic!("{name} should be among the numbers:\n{text}"))
}

#[test]
fn a_skeleton_is_printed() {
    let expected = "\
3 threads, 9 events, 6 links; loops unrolled 1 times

thread 1 main
  e1 start thread 2  line 21
  e2 start thread 3  line 22  after e1
  e3 join thread 2  line 23  if joined2  after e2, e7
  e4 join thread 3  line 24  if joined2 && joined3  after e3, e9
  e5 read x  line 25  if joined2 && joined3  after e4  from {e7, e9}

thread 2 add_one
  e6 read x  line 10  after e1  from {start, e9}
  e7 write x = (r6 + 1)  line 10  after e6

thread 3 add_two
  e8 read x  line 15  after e2  from {start, e7}
  e9 write x = (r8 + 2)  line 15  after e8
";
    assert_eq!(stdout(&["skeleton", &program("paper_staged_figure1_unsafe.c")]), expected);
}

#[test]
fn without_pruning_link_sets_are_larger() {
    let text = stdout(&["skeleton", "--no-pruning", &program("paper_staged_figure1_unsafe.c")]);
    assert!(text.contains("e5 read x  line 25  if joined2 && joined3  after e4  from {start, e7, e9}"), "{text}");
}

/// Whether every element is closed, in the right order, and no text has stray markup.
fn is_well_formed(xml: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = xml;
    while let Some(start) = rest.find('<') {
        let Some(end) = rest.find('>') else { return false };
        if end < start || rest[..start].contains('>') {
            return false;
        }
        let tag = &rest[start + 1..end];
        if tag.contains('<') || tag.matches('"').count() % 2 == 1 {
            return false;
        }
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return false;
            }
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap_or(""));
        }
        rest = &rest[end + 1..];
    }
    open.is_empty() && !rest.contains('>')
}

#[test]
fn a_skeleton_is_drawn() {
    for name in ["paper_staged_figure1_unsafe.c", "bank/mutex.c", "cond_signal_unsafe.c"] {
        let svg = stdout(&["skeleton", "--svg", &program(name)]);
        assert!(svg.starts_with("<svg xmlns=") && is_well_formed(&svg), "{name}: {svg}");
        assert!(svg.contains("thread 2") && svg.contains("url(#po)") && svg.contains("url(#rf)"), "{name}: {svg}");
        let dot = stdout(&["skeleton", "--dot", &program(name)]);
        assert!(dot.starts_with("digraph skeleton {") && dot.ends_with("}\n"), "{name}: {dot}");
        assert!(dot.contains("e1 -> e2;") && dot.contains("style=dashed"), "{name}: {dot}");
    }
    assert!(!is_well_formed("<a><b></a></b>") && !is_well_formed("<a>") && is_well_formed("<a x=\"1\"><b/></a>"));
}

/// The failure needs main to start both threads, then a part of the first, then the second: three contexts.
const THREE_CONTEXTS: &str = "#include <assert.h>\n#include <pthread.h>\nint x, y;\n\
    void *one(void *a) { x = 1; y = 1; return 0; }\n\
    void *two(void *a) { if (x == 1 && y == 0) assert(0); return 0; }\n\
    int main(void) { pthread_t a, b; pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0); return 0; }\n";

/// This one needs the first thread to go on in between: main, one, two, one.
const FOUR_CONTEXTS: &str = "#include <assert.h>\n#include <pthread.h>\nint x, y;\n\
    void *one(void *a) { x = 1; assert(y == 0); return 0; }\n\
    void *two(void *a) { if (x == 1) y = 1; return 0; }\n\
    int main(void) { pthread_t a, b; pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0); return 0; }\n";

#[test]
fn a_context_bound_hides_what_needs_more() {
    for (name, text, needed) in [("three.c", THREE_CONTEXTS, 3), ("four.c", FOUR_CONTEXTS, 4)] {
        let file = write(name, text);
        for encoding in ["--encoding=order", "--encoding=clocks"] {
            for bound in 1..=needed + 1 {
                let bound_text = bound.to_string();
                let args = ["lab", "--engine=staged", encoding, "--context-bound", &bound_text, &file];
                let output = heddle(&args);
                let report = String::from_utf8_lossy(&output.stdout).into_owned();
                if bound < needed {
                    let words = format!("no violation up to these bounds: {bound} contexts, loops unrolled 1 times");
                    assert_eq!(output.status.code(), Some(2), "{name} {bound}: {report}");
                    assert!(report.contains(&words), "{name} {bound}: {report}");
                } else {
                    assert_eq!(output.status.code(), Some(1), "{name} {bound}: {report}");
                    assert!(report.contains("replayed"), "{name} {bound}: {report}");
                }
            }
        }
    }
}

#[test]
fn a_safe_program_is_unknown_within_a_context_bound() {
    let output = heddle(&["lab", "--engine=staged", "--context-bound=2", &program("bank/mutex.c")]);
    assert_eq!(output.status.code(), Some(2));
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(report.contains("no violation up to these bounds: 2 contexts"), "{report}");
}

/// A read that can see neither the write before the last one of its own thread nor the one after it.
const OVERWRITTEN: &str = "#include <assert.h>\n#include <pthread.h>\nint x;\n\
    void *one(void *a) { x = 1; x = 2; int r = x; x = 4; assert(r != 8); return 0; }\n\
    void *two(void *a) { x = 8; return 0; }\n\
    int main(void) { pthread_t a, b; pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0); return 0; }\n";

#[test]
fn modes_change_numbers_and_no_verdict() {
    for (name, status) in [("bank/mutex.c", 0), ("bank/lost-update.c", 1), ("paper_staged_figure1_unsafe.c", 1)] {
        for modes in [
            &[][..],
            &["--no-summaries"],
            &["--no-pruning"],
            &["--encoding=clocks"],
            &["--no-pruning", "--encoding=clocks"],
        ] {
            let file = program(name);
            let args: Vec<&str> = ["lab", "--engine=staged", &file].iter().chain(modes).copied().collect();
            assert_eq!(heddle(&args).status.code(), Some(status), "{name} {modes:?}");
        }
    }
    let file = write("overwritten.c", OVERWRITTEN);
    let plain = ["lab", "--engine=staged", "--stats=text", &file];
    let unpruned = ["lab", "--engine=staged", "--stats=text", "--no-pruning", &file];
    let clocks = ["lab", "--engine=staged", "--stats=text", "--encoding=clocks", &file];
    assert!(number(&unpruned, "links") > number(&plain, "links"));
    assert!(number(&unpruned, "largest_link_set") > number(&plain, "largest_link_set"));
    assert!(number(&clocks, "clauses") > number(&plain, "clauses"));
    for name in ["threads", "events", "terms", "execute_ms", "compose_ms", "solve_ms", "decode_ms"] {
        assert!(number(&plain, name) >= 0.0);
    }
}

#[test]
fn calls_are_instances_of_summaries_unless_they_must_be_executed() {
    let calls = |name: &str, more: &[&str]| {
        let file = program(name);
        let args = ["lab", "--engine=staged", "--stats=text", &file];
        number(&args.iter().chain(more).copied().collect::<Vec<_>>(), "summarised_calls")
    };
    assert!(calls("calls/values_safe.c", &[]) >= 8.0);
    assert!(calls("calls/values_safe.c", &["--no-summaries"]) == 0.0);
    assert!(calls("calls/recursion_safe.c", &[]) == 0.0);
    // At the first call a function with accesses is executed, and so are two that it calls.
    assert!(calls("calls/shared_lock_safe.c", &[]) >= 3.0);
}

/// Programs that call functions repeatedly.
const CALLED: [&str; 12] = [
    "bank/mutex.c",
    "calls/region_safe.c",
    "calls/shared_choice_safe.c",
    "calls/shared_choice_unsafe.c",
    "calls/shared_deadlock_unsafe.c",
    "calls/shared_heap_unsafe.c",
    "calls/shared_lock_safe.c",
    "calls/shared_loop_safe.c",
    "calls/shared_places_unsafe.c",
    "calls/shared_region_safe.c",
    "calls/shared_self_unsafe.c",
    "calls/wait_loop_unsafe.c",
];

/// A skeleton without the numbers and the order of variables.
fn plain_skeleton(args: &[&str]) -> Vec<Vec<String>> {
    let words = |line: &str| {
        let mut words: Vec<String> = line.split_whitespace().map(without_number).collect();
        words.sort();
        words
    };
    stdout(args).lines().map(words).collect()
}

fn without_number(word: &str) -> String {
    let is_event = word.trim_matches(|c: char| !c.is_alphanumeric()).starts_with(['e', 'r']);
    let is_kept = |c: &char| is_event || !c.is_ascii_digit();
    word.chars().filter(is_kept).filter(|c| !"(),".contains(*c)).collect()
}

#[test]
fn instances_make_the_events_that_executions_make() {
    for name in CALLED {
        let file = program(name);
        let with = plain_skeleton(&["skeleton", "--bound=2", &file]);
        assert!(with.len() > 5, "{name}");
        assert_eq!(with, plain_skeleton(&["skeleton", "--bound=2", "--no-summaries", &file]), "{name}");
    }
}

#[test]
fn summaries_change_no_number_and_no_verdict() {
    for name in CALLED {
        for property in ["race", "deadlock", "locks", "memory"] {
            let (file, asked) = (program(name), format!("--property={property}"));
            let numbers = |more: &[&str]| {
                let args = ["lab", "--engine=staged", "--bound=3", "--stats=text", &asked, &file];
                let output = heddle(&args.iter().chain(more).copied().collect::<Vec<_>>());
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                let is_kept = |line: &&str| {
                    ["events", "links", "largest_link_set"]
                        .iter()
                        .any(|it| line.starts_with(&format!("{property} {it} ")))
                };
                let kept: Vec<String> = text.lines().filter(is_kept).map(str::to_owned).collect();
                (output.status.code(), kept)
            };
            assert_eq!(numbers(&[]), numbers(&["--no-summaries"]), "{name} {property}");
        }
    }
}

#[test]
fn proofs_are_confirmed_by_the_second_encoder() {
    for property in ["unreach", "race", "deadlock", "locks", "memory"] {
        let path = program("bank/mutex.c");
        let args = ["lab", "--engine=staged", "--check", "--format=json", "--property", property, &path];
        let report = stdout(&args);
        assert!(report.contains("\"rechecked\"") && report.contains("recheck_events"), "{property}: {report}");
    }
}

#[test]
fn a_chain_of_local_additions_is_folded() {
    let text = stdout(&["skeleton", &program("paper_staged_chain_unsafe.c")]);
    assert_eq!(text.matches("+ 100)").count(), 2, "{text}");
    assert!(text.starts_with("3 threads, 9 events"), "{text}");
}

/// Two loops of at most ten iterations, which the solver must find out.
const LOOPS: &str = "#include <assert.h>\n#include <pthread.h>\nint x, n;\n\
    void *one(void *a) {\n  for (int i = 0; i < 10; i++) {\n    x = x + 1;\n    if (n) break;\n  }\n  return a;\n}\n\
    void *two(void *a) {\n  int k = n;\n  while (k > 0) {\n    k--;\n    x = 0;\n  }\n  n = 3;\n  return a;\n}\n\
    int main(void) {\n  pthread_t a, b;\n  pthread_create(&a, 0, one, 0);\n  pthread_create(&b, 0, two, 0);\n\
    \x20 pthread_join(a, 0);\n  pthread_join(b, 0);\n  assert(x <= 10);\n  return 0;\n}\n";

#[test]
fn a_loop_may_have_a_bound_of_its_own() {
    let file = write("loops.c", LOOPS);
    let ask = |more: &[&str]| {
        let args: Vec<&str> = ["lab", "--engine=staged", &file].iter().chain(more).copied().collect();
        let output = heddle(&args);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (status, report) = ask(&["--bound=2"]);
    assert!(status == Some(2) && report.contains("loops.c:5: a loop was cut at the bound\n"), "{report}");
    let (status, report) = ask(&["--bound=2", "--bound-loop=loops.c:5=10"]);
    assert!(status == Some(0), "{report}");
    let (status, report) = ask(&["--bound-loop=5=10,13=1", "--check"]);
    assert!(status == Some(0), "{report}");
    // Its bound stays fixed while other loops are unrolled further.
    let (status, report) = ask(&["--bound-loop=5=3"]);
    assert!(status == Some(2) && report.contains("loops.c:5: a loop was cut at the bound given for it"), "{report}");
    let (status, report) = ask(&["--bound-loop=6=3"]);
    assert!(status == Some(2) && report.contains("no loop begins at 6"), "{report}");
    assert_eq!(ask(&["--bound-loop=five"]).0, Some(3));
}

/// Races of three pairs of lines, one of them behind the others in every run, and one pair that a lock orders.
const RACES: &str = "#include <pthread.h>\nint x, y, z;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
    void *one(void *a) {\n  x = 1;\n  y = 2;\n  pthread_mutex_lock(&m);\n  z = 1;\n  pthread_mutex_unlock(&m);\n  return a;\n}\n\
    void *two(void *a) {\n  int r = x;\n  y = r;\n  y = 3;\n  pthread_mutex_lock(&m);\n  z = 2;\n  pthread_mutex_unlock(&m);\n\
    \x20 return a;\n}\n\
    int main(void) {\n  pthread_t a, b;\n  pthread_create(&a, 0, one, 0);\n  pthread_create(&b, 0, two, 0);\n\
    \x20 pthread_join(a, 0);\n  pthread_join(b, 0);\n  return 0;\n}\n";

#[test]
fn all_races_are_reported_when_asked_for() {
    let file = write("races.c", RACES);
    let one = stdout(&["lab", "--engine=staged", "--property", "race", &file]);
    assert_eq!(one.matches("unsafe: data race").count(), 1, "{one}");
    let all = stdout(&["lab", "--engine=staged", "--property", "race", "--all-races", &file]);
    assert_eq!(all.matches("unsafe: data race").count(), 3, "{all}");
    assert!(all.ends_with("3 violations in different places\n"), "{all}");
    for (name, count) in [("on x", 1), ("on y", 2), ("on z", 0)] {
        assert_eq!(all.matches(name).count(), count, "{name}: {all}");
    }
    let report = stdout(&["lab", "--engine=staged", "--property", "race", "--all-races", "--format=json", &file]);
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let result = &report["results"][0];
    assert_eq!(result["others"].as_array().map(Vec::len), Some(2), "{report}");
    for (name, value) in [("races", 3.0), ("races_not_replayed", 0.0), ("races_complete", 1.0)] {
        assert_eq!(result["stats"][name], value, "{name}");
    }
}

/// The first race of a run need not be the one that the solver chose, which must then still be found.
#[test]
fn a_race_behind_another_one_is_not_lost() {
    let text = "#include <pthread.h>\nint result, done, copy;\n\
        void *work(void *a) {\n  result = 42;\n  done = 1;\n  return a;\n}\n\
        void *look(void *a) {\n  if (!done)\n    return 0;\n  copy = result;\n  return a;\n}\n\
        int main(void) {\n  pthread_t a, b;\n  pthread_create(&a, 0, work, 0);\n  pthread_create(&b, 0, look, 0);\n  return 0;\n}\n";
    let all = stdout(&["lab", "--engine=staged", "--property", "race", "--all-races", &write("behind.c", text)]);
    assert!(all.contains("on done") && all.contains("on result"), "{all}");
}
