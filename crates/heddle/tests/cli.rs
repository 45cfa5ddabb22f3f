//! The binary as people and scripts use it: exit statuses, messages, files.

mod common;
mod folder;

use folder::folder;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn heddle(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.args(args).env_remove("RUST_BACKTRACE").env("NO_COLOR", "1").env("COLUMNS", "100").stdin(Stdio::null());
    command.output().expect("heddle should start")
}

fn status(output: &Output) -> i32 {
    output.status.code().expect("heddle should not die of a signal")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn write(folder: &Path, name: &str, contents: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::write(&path, contents).expect("a file");
    path.to_str().expect("a name in UTF-8").to_owned()
}

fn program(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").join(name);
    path.canonicalize().expect("the test program should exist").to_str().expect("a name in UTF-8").to_owned()
}

/// A message on standard error, nothing on standard output, exit status 3.
fn refused(args: &[&str], expected: &str) {
    let output = heddle(args);
    let message = stderr(&output);
    assert_eq!(status(&output), 3, "{args:?}: {message}");
    assert!(message.contains(expected), "{args:?}: {message}");
    assert!(!message.contains("panicked"), "{message}");
    assert_eq!(stdout(&output), "", "{args:?}");
}

/// Does not terminate: two threads count up.
const ENDLESS: &str = "#include <assert.h>\n#include <pthread.h>\nunsigned long x, y;\n\
    static void *count(void *p) { for (;;) assert(++*(unsigned long *)p < 1UL << 40); return 0; }\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, count, &x); count(&y); return 0; }\n";

/// Does not terminate, and each state needs much memory.
const GROWING: &str = "#include <assert.h>\nunsigned x[50000];\n\
    int main(void) { for (unsigned i = 0;; i++) assert(++x[i % 50000] < 1U << 30); }\n";

#[test]
fn verdicts_are_exit_statuses() {
    for (name, extra, expected, words) in [
        ("bank/mutex.c", "--memory-model=sc", 0, "safe: no assertion can fail under sc"),
        ("bank/lost-update.c", "--memory-model=sc", 1, "unsafe: assertion can fail"),
        ("inputs/wide.c", "--engine=explore", 2, "unknown: whether no assertion can fail under sc"),
        ("litmus/sb.c", "--memory-model=tso", 1, "unreach under tso; replayed"),
        ("litmus/sb.c", "--model=tso", 1, "unreach under tso; replayed"),
        ("bank/mutex.c", "--property=all", 0, "safe: all memory accesses are valid"),
        ("bank/lost-update.c", "--property=deadlock,race", 1, "data race"),
    ] {
        let output = heddle(&["check", &program(name), extra]);
        assert_eq!(status(&output), expected, "{name}: {}{}", stdout(&output), stderr(&output));
        assert!(stdout(&output).contains(words), "{name}: {}", stdout(&output));
    }
}

#[test]
fn the_bank_is_reported_in_lanes() {
    let output = heddle(&["check", &program("bank/lost-update.c")]);
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("unsafe: assertion can fail  "), "{text}");
    assert!(lines[0].ends_with("bank/lost-update.c:47"), "{text}");
    assert!(lines[1].starts_with("3 threads, 2 context switches; "), "{text}");
    assert!(lines[3].contains("main") && lines[3].contains("t1 deposit") && lines[3].contains("t2 withdraw"), "{text}");
    assert!(lines[4].starts_with("  1  43 create t1, t2"), "{text}");
    assert!(text.contains("int b = balance  → 100"), "{text}");
    assert!(text.contains("(overwrites step"), "{text}");
    let last = lines.last().expect("a last line");
    assert!(last.contains("47 assert(balance == 100)  balance is ") && last.contains("written at step"), "{text}");
}

/// Checks a program given as text and returns the output after the title, without positions in files.
fn rows(folder_name: &str, source: &str, property: &str) -> String {
    let file = write(&folder(folder_name), "a.c", source);
    let output = heddle(&["check", &file, "--property", property]);
    let text = stdout(&output);
    assert_eq!(status(&output), 1, "{text}{}", stderr(&output));
    text.lines().skip(3).map(|line| format!("{line}\n")).collect()
}

#[test]
fn inputs_are_told_where_they_are_read() {
    let source = "#include <assert.h>\n\
        #include <stdlib.h>\n\
        extern int __VERIFIER_nondet_int(void);\n\
        int main(void) {\n\
        \x20 int n = __VERIFIER_nondet_int();\n\
        \x20 int u;\n\
        \x20 unsigned char *p = malloc(2);\n\
        \x20 if (u == 5)\n\
        \x20   if (__VERIFIER_nondet_int() == 6)\n\
        \x20     if (p[1] == 7)\n\
        \x20       assert(n != 4);\n\
        \x20 return 0;\n\
        }\n";
    let expected = "     main\n  \
        1  8 if (u == 5)  u = input → 5\n  \
        2  9 if (__VERIFIER_nondet_int() == 6)  input → 6\n  \
        3  10 if (p[1] == 7)  (malloc at a.c:7) = input → 7\n  \
        4  11 assert(n != 4)  n is 4 (input)\n";
    assert_eq!(rows("inputs", source, "unreach"), expected);
}

#[test]
fn lines_with_several_statements_are_told_by_their_accesses() {
    let source = "#include <assert.h>\n\
        #include <pthread.h>\n\
        int x0, x1; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        void *f(void *p) { int r = x0; pthread_mutex_lock(&m); x1 = r + 1; pthread_mutex_unlock(&m); return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x0 = 2; pthread_join(t, 0); assert(x1 != 3); }\n";
    let expected = "     main                  t1 f\n  \
        1  5 creates t1, x0 = 2\n  \
        2                        4 x0 → 2, locks m, x1 = 3, unlocks m  (written at step 1)\n  \
        3  5 assertion failed: x1 != 3  x1 is 3, written at step 2\n";
    assert_eq!(rows("one-line", source, "unreach"), expected);
    // So are lines that are too long for a column.
    let source = "#include <assert.h>\n\
        #include <pthread.h>\n\
        int x0, x1;\n\
        void *f(void *p) {\n\
        \x20 x1 = x0 /* which is what the other thread has written before it */ + 1;  // or not\n\
        \x20 return p;\n\
        }\n\
        int main(void) {\n\
        \x20 pthread_t t;\n\
        \x20 x0 = 2;\n\
        \x20 pthread_create(&t, 0, f, 0);\n\
        \x20 pthread_join(t, 0);\n\
        \x20 assert(x1 != 3);\n\
        }\n";
    let text = rows("long-line", source, "unreach");
    assert!(text.contains(" 5 x0 → 2, x1 = 3"), "{text}");
}

#[test]
fn heap_objects_are_named_after_their_allocation() {
    let source = "#include <pthread.h>\n\
        #include <stdlib.h>\n\
        int *kept[2];\n\
        static void *keep(void *p) {\n\
        \x20 *(int **)p = calloc(1, 4);\n\
        \x20 return p;\n\
        }\n\
        int main(void) {\n\
        \x20 pthread_t t;\n\
        \x20 keep(&kept[0]);\n\
        \x20 pthread_create(&t, 0, keep, &kept[1]);\n\
        \x20 pthread_join(t, 0);\n\
        \x20 free(kept[1]);\n\
        \x20 *kept[1] = 3;\n\
        \x20 return 0;\n\
        }\n";
    let text = rows("heap-names", source, "memory");
    for part in [
        "5 *(int **)p = calloc(1, 4)  kept[0..8] = &(",
        "write of calloc at a.c:5 #2 after it was freed\n",
        "kept[8..16] is &(calloc at a.c:5 #2), written at step 3\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let file = write(&folder("heap-names"), "a.c", source);
    let report = stdout(&heddle(&["check", &file, "--property", "memory", "--format", "json"]));
    let report = common::report(&report);
    let story = &report["results"][0]["counterexample"];
    assert_eq!(story["message"], "write of calloc at a.c:5 #2 after it was freed");
    let freed = story["steps"][4]["events"].as_array().expect("events").iter().find(|event| event["kind"] == "free");
    assert_eq!(freed.expect("something is freed")["place"], "calloc at a.c:5 #2");
}

#[test]
fn what_happens_in_a_library_is_reported_where_it_is_called() {
    let source = "#include <pthread.h>\n\
        #include <string.h>\n\
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        char b[2];\n\
        static void leave(void) {\n\
        \x20 pthread_mutex_unlock(&m);\n\
        }\n\
        int main(void) {\n\
        \x20 leave();\n\
        \x20 strcpy(b, \"hello\");\n\
        \x20 return 0;\n\
        }\n";
    let file = write(&folder("library"), "a.c", source);
    let output = heddle(&["check", &file, "--property", "deadlock"]);
    assert_eq!(status(&output), 2, "{}", stdout(&output));
    let text = stdout(&output);
    let reasons: Vec<&str> = text.lines().skip(1).map(|line| line.rsplit('/').next().unwrap_or(line)).collect();
    let expected = [
        "a.c:6: undefined behaviour: a lock is released by a thread that does not hold it (in pthread_mutex_unlock)",
        "a.c:10: undefined behaviour: write outside b: 1 byte at offset 2, but it has 2 (in strcpy)",
    ];
    assert_eq!(reasons, expected);
    let output = heddle(&["check", &file, "--property", "memory"]);
    let text = stdout(&output);
    assert!(text.lines().next().is_some_and(|title| title.ends_with("a.c:10")), "{text}");
    assert!(text.contains("write outside b: 1 byte at offset 2, but it has 2 (in strcpy)"), "{text}");
    assert!(!text.contains(" model>"), "{text}");
}

#[test]
fn deadlocks_say_who_waits_for_what() {
    let output = heddle(&["check", "--property", "deadlock", &program("deadlock/ab-ba.c")]);
    let text = stdout(&output);
    assert_eq!(status(&output), 1, "{text}");
    for part in ["waits for lock a, held by t1", "waits for lock b, held by t2", "waits for the end of t1"] {
        assert!(text.contains(part) || text.contains(&swapped(part)), "{part}: {text}");
    }
}

fn swapped(text: &str) -> String {
    text.replace("t1", "t0").replace("t2", "t1").replace("t0", "t2")
}

#[test]
fn bad_usage_is_refused() {
    refused(&["check"], "FILE");
    refused(&["frobnicate"], "frobnicate");
    refused(&["check", "a.c", "--property", "speed"], "not one of unreach, race");
    refused(&["check", "a.c", "--memory-model", "arm"], "not one of sc, tso");
    refused(&["check", "a.c", "--engine", "warp"], "not one of auto, explore");
    for command in ["check", "run"] {
        refused(&[command, "a.c", "--timeout=-1"], "not a positive number of seconds, like 60 or 0.5");
        refused(&[command, "a.c", "--timeout", "-1"], "not a positive number of seconds, like 60 or 0.5");
        refused(&[command, "a.c", "--timeout", "abc"], "not a number of seconds, like 60 or 0.5");
    }
    refused(&["bench", "--index", "a.tsv", "--timeout", "-1"], "not a positive number of seconds, like 60 or 0.5");
    refused(&["check", "a.c", "--timeout", "1e300"], "leave the option out");
    for size in ["4Q", "x", "-5"] {
        refused(&["check", "a.c", "--memory-limit", size], "not a size like 500M or 4G");
    }
    refused(&["check", "a.c", "--inputs-promised"], "--inputs");
    refused(&["man", "nothing"], "there is no command `nothing`");
    refused(&["check", "a.c", "--por", "none"], "`--por` is a switch of `heddle lab`");
}

#[test]
fn bad_input_is_refused() {
    let folder = folder("bad-input");
    let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    refused(&["check", &path("missing.c")], "missing.c");
    std::fs::create_dir_all(folder.join("dir.c")).expect("a folder");
    refused(&["check", &path("dir.c")], "directory");
    refused(&["check", &write(&folder, "empty.c", "")], "main");
    refused(&["check", &write(&folder, "no-main.c", "int f(void) { return 0; }\n")], "main");
    refused(&["check", &write(&folder, "unknown.txt", "hello")], "kind of file");
    // clang's own message.
    refused(
        &["check", &write(&folder, "broken.c", "int main(void) { return x; }\n")],
        "use of undeclared identifier 'x'",
    );
    refused(&["check", &program("bank/mutex.c"), "--entry", "nowhere"], "no function `nowhere` to start in");
    let output = heddle(&["check", &program("bank/mutex.c"), "--entry", "mian"]);
    let expected = "error: the program defines no function `mian` to start in\n  \
                    help: it defines `main`, `withdraw`, `deposit`: name one with --entry\n";
    assert_eq!(stderr(&output), expected);
    refused(&["check", &program("bank/mutex.c"), "--", "-fno-such-flag"], "-fno-such-flag");
    refused(&["check", &write(&folder, "not-bitcode.bc", "BC\u{00c0}\u{00de} not really")], "not-bitcode.bc");
    refused(&["check", &write(&folder, "not-text.ll", "define nonsense")], "not-text.ll");
    refused(&["replay", &program("bank/mutex.c"), &path("missing.trace")], "missing.trace");
    refused(&["replay", &program("bank/mutex.c"), &write(&folder, "bad.trace", "{}")], "not a trace that heddle wrote");
    refused(&["replay", &program("bank/mutex.c"), &program("bank/mutex.c")], "not a trace that heddle wrote");
    refused(&["check", &program("bank/mutex.c"), "-o", &path("no/such/folder/report")], "no/such/folder/report");
}

#[test]
fn truncated_bitcode_is_refused() {
    let folder = folder("truncated");
    let whole = folder.join("whole.bc");
    let compiled = Command::new("clang-19")
        .args(["-c", "-emit-llvm", "-o", whole.to_str().expect("UTF-8"), &program("bank/mutex.c")])
        .status()
        .expect("clang-19 should be installed");
    assert!(compiled.success());
    let bytes = std::fs::read(&whole).expect("bitcode");
    assert_eq!(status(&heddle(&["check", whole.to_str().expect("UTF-8")])), 0);
    for share in [1, 3, 7] {
        let part = write(&folder, &format!("part{share}.bc"), &bytes[..bytes.len() * share / 8]);
        refused(&["check", &part], "part");
    }
}

#[test]
fn a_large_file_of_garbage_is_refused() {
    let folder = folder("garbage");
    // A hundred megabytes that a generator without a seed makes: each line another number.
    let mut state = 1u64;
    let mut bytes = Vec::with_capacity(100 << 20);
    while bytes.len() < 100 << 20 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    let name = write(&folder, "garbage.c", &bytes);
    let output = heddle(&["check", &name, "--timeout", "60", "--memory-limit", "2G"]);
    // clang rejects it, or it takes clang too much time or memory: all of these are acceptable.
    assert!([2, 3].contains(&status(&output)), "{}{}", stdout(&output), stderr(&output));
    assert!(stderr(&output).len() < 1 << 20, "the messages should be short");
    std::fs::remove_dir_all(folder).expect("the garbage should be removable");
}

#[test]
fn an_unknown_function_makes_it_unknown() {
    let folder = folder("unknown-function");
    let file = write(&folder, "a.c", "int launch(int);\nint main(void) {\n  launch(1);\n  return 0;\n}\n");
    let output = heddle(&["check", &file]);
    assert_eq!(status(&output), 2, "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("launch") && text.contains("a.c:3"), "{text}");
}

#[test]
fn limits_end_in_unknown() {
    let folder = folder("limits");
    let file = write(&folder, "endless.c", ENDLESS);
    let started = Instant::now();
    let output = heddle(&["check", &file, "--timeout", "2"]);
    assert_eq!(status(&output), 2, "{}", stderr(&output));
    assert!(stdout(&output).contains("the time limit was reached"), "{}", stdout(&output));
    assert!(started.elapsed() < Duration::from_secs(20));
    let file = write(&folder, "growing.c", GROWING);
    let output = heddle(&["check", &file, "--memory-limit", "300M", "--timeout", "100"]);
    assert_eq!(status(&output), 2, "{}", stderr(&output));
    assert!(stdout(&output).contains("the memory limit was reached"), "{}", stdout(&output));
    // Loading is under the limit too.
    let output = heddle(&["check", &program("bank/mutex.c"), "--timeout", "0.001"]);
    assert_eq!(status(&output), 2, "{}", stderr(&output));
}

/// clang waits forever for a file that is a pipe, unless it is stopped.
#[test]
fn the_time_limit_bounds_clang() {
    let folder = folder("slow-clang");
    let file = write(&folder, "slow.c", "#include \"pipe.h\"\nint main(void) { return 0; }\n");
    let made = Command::new("mkfifo").arg(folder.join("pipe.h")).status().expect("mkfifo should start");
    assert!(made.success());
    for command in ["check", "run"] {
        let started = Instant::now();
        let output = heddle(&[command, &file, "--timeout", "1"]);
        assert_eq!(status(&output), 2, "{command}: {}{}", stdout(&output), stderr(&output));
        assert!(stdout(&output).contains("the time limit was reached"), "{command}: {}", stdout(&output));
        assert_eq!(stderr(&output), "", "{command}");
        assert!(started.elapsed() < Duration::from_secs(20), "{command}");
        let reads_pipe = |pid: &str| {
            let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            words.windows(file.len()).any(|part| part == file.as_bytes())
        };
        let processes = std::fs::read_dir("/proc").expect("processes").flatten();
        let left = processes.filter(|process| reads_pipe(&process.file_name().to_string_lossy()));
        assert_eq!(left.count(), 0, "{command}: clang should be stopped");
    }
}

#[test]
fn a_signal_ends_in_a_report() {
    let folder = folder("signal");
    let file = write(&folder, "endless.c", ENDLESS);
    let child = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(["check", &file, "--property", "unreach,race", "--format", "json"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("heddle should start");
    std::thread::sleep(Duration::from_secs(2));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill should start");
    assert!(killed.success());
    let output = child.wait_with_output().expect("heddle should end");
    assert_eq!(status(&output), 2);
    let report = common::report(&stdout(&output));
    assert_eq!(report["verdict"], "unknown");
    assert_eq!(report["results"].as_array().map(Vec::len), Some(2));
    assert_eq!(report["results"][0]["reasons"][0]["kind"], "cancelled");
}

#[test]
fn json_reports_have_their_fields() {
    let explore = ["--engine", "explore", "--format", "json"];
    let arguments = ["check", &program("bank/lost-update.c"), "--property", "unreach,locks"];
    let output = heddle(&[&arguments[..], &explore[..]].concat());
    assert_eq!(status(&output), 1);
    let report = common::report(&stdout(&output));
    assert_eq!(report["schema"], "heddle-report/1");
    assert_eq!(report["verdict"], "unsafe");
    assert_eq!(report["memory_model"], "sc");
    assert_eq!(report["data_model"], "lp64");
    let (unsafe_part, safe_part) = (&report["results"][0], &report["results"][1]);
    assert_eq!(unsafe_part["confirmed"], "replayed");
    let story = &unsafe_part["counterexample"];
    assert_eq!(story["at"]["line"], 47);
    assert_eq!(story["threads"][1]["function"], "deposit");
    let steps = story["steps"].as_array().expect("steps");
    assert!(steps.iter().enumerate().all(|(index, step)| step["step"] == index + 1));
    assert!(steps.iter().any(|step| step["events"][0]["kind"] == "write"));
    assert_eq!(safe_part["verdict"], "safe");
    assert_eq!(safe_part["proof"]["kind"], "exhausted");
    let missing = heddle(&["check", "missing.c", "--format", "json"]);
    assert_eq!(status(&missing), 3);
    let report = common::report(&stdout(&missing));
    assert_eq!(report["verdict"], "error");
    assert!(!report["diagnostics"].as_array().expect("a list").is_empty());
}

#[test]
fn the_same_question_gets_the_same_bytes() {
    // With several jobs the engine that happens to be first answers.
    let ask = || stdout(&heddle(&["check", "-j1", &program("litmus/iriw.c"), "--memory-model", "ra"]));
    let first = ask();
    assert!(!first.is_empty());
    assert_eq!(first, ask());
}

#[test]
fn counterexamples_can_be_kept_and_replayed() {
    let folder = folder("replay");
    for (name, model, property) in [
        ("bank/lost-update.c", "sc", "unreach"),
        ("litmus/sb.c", "tso", "unreach"),
        ("litmus/mp.c", "pso", "unreach"),
        ("litmus/iriw.c", "ra", "unreach"),
        ("deadlock/ab-ba.c", "sc", "deadlock"),
        ("race/handoff-relaxed.c", "sc", "race"),
        ("inputs/byte-fails.c", "sc", "unreach"),
        ("memory/double-free.c", "sc", "memory"),
    ] {
        let trace = folder.join("trace.json");
        let trace = trace.to_str().expect("UTF-8");
        let file = program(name);
        let checked = heddle(&["check", &file, "--memory-model", model, "--property", property, "--trace-out", trace]);
        assert_eq!(status(&checked), 1, "{name}: {}{}", stdout(&checked), stderr(&checked));
        let replayed = heddle(&["replay", &file, trace]);
        assert_eq!(status(&replayed), 1, "{name}: {}{}", stdout(&replayed), stderr(&replayed));
        let rows =
            |text: &str| text.lines().filter(|line| line.starts_with("  ")).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(rows(&stdout(&checked)), rows(&stdout(&replayed)), "{name}");
    }
    // The order of the arguments matters, and the message says so.
    let swapped = [folder.join("trace.json").to_str().expect("UTF-8").to_owned(), program("memory/double-free.c")];
    refused(&["replay", &swapped[0], &swapped[1]], "the order is `heddle replay PROGRAM TRACE`");
    // A trace of another program does not fit.
    let other = heddle(&["replay", &program("litmus/lb.c"), folder.join("trace.json").to_str().expect("UTF-8")]);
    assert!([2, 3].contains(&status(&other)), "{}{}", stdout(&other), stderr(&other));
}

#[test]
fn reports_are_written_whole() {
    let folder = folder("output");
    let file = folder.join("report.json");
    let name = file.to_str().expect("UTF-8");
    let output = heddle(&["check", &program("bank/mutex.c"), "--format", "json", "-o", name]);
    assert_eq!((status(&output), stdout(&output).as_str()), (0, ""));
    let text = std::fs::read_to_string(&file).expect("the report");
    assert!(text.ends_with("}\n"));
    assert_eq!(common::report(&text)["verdict"], "safe");
    assert_eq!(std::fs::read_dir(&folder).expect("the folder").count(), 1, "no temporary file should be left");
    assert_eq!(status(&heddle(&["check", &program("bank/mutex.c"), "-o", "/dev/null"])), 0);
}

#[test]
fn random_runs_find_the_lost_update() {
    let output = heddle(&["run", &program("bank/lost-update.c"), "--runs", "500", "--seed", "3"]);
    assert_eq!(status(&output), 1, "{}", stdout(&output));
    let text = stdout(&output);
    assert!(text.contains("seed 3: ") && text.contains("unsafe: assertion can fail"), "{text}");
    let all = heddle(&["run", "--property", "all", &program("bank/lost-update.c"), "--runs", "500", "--model", "tso"]);
    assert_eq!(status(&all), 1, "{}{}", stdout(&all), stderr(&all));
    for part in
        ["unreach, seed 0: ", "unsafe: assertion can fail", "race, seed 0: ", "unsafe: data race", "memory, seed 499: "]
    {
        assert!(stdout(&all).contains(part), "{part}: {}", stdout(&all));
    }
    let again = heddle(&["run", &program("bank/lost-update.c"), "--runs", "500", "--seed", "3"]);
    assert_eq!(text, stdout(&again), "the same seed should give the same runs");
    let safe = heddle(&["run", &program("bank/mutex.c"), "--runs", "20"]);
    assert_eq!(status(&safe), 2);
    assert_eq!(stdout(&safe).lines().count(), 20);
}

#[test]
fn a_safe_answer_can_be_rechecked() {
    let output = heddle(&["check", "--check", &program("bank/mutex.c"), "--stats", "text"]);
    assert_eq!(status(&output), 0);
    assert!(stdout(&output).contains("rechecked without reduction"), "{}", stdout(&output));
    assert!(stdout(&output).contains("unreach states "), "{}", stdout(&output));
}

#[test]
fn the_core_form_is_printed() {
    let text = heddle(&["ir", &program("bank/mutex.c")]);
    assert_eq!(status(&text), 0, "{}", stderr(&text));
    assert!(stdout(&text).contains("deposit") && stdout(&text).contains("lock"));
    let dot = heddle(&["ir", "--dot", &program("bank/mutex.c")]);
    assert!(stdout(&dot).starts_with("digraph"));
}

#[test]
fn invariants_are_printed_per_thread_and_line() {
    let output = heddle(&["invariants", "--memory-model", "sc", &program("bank/mutex.c")]);
    assert_eq!(status(&output), 0, "{}", stdout(&output));
    assert!(stdout(&output).contains("thread ") && stdout(&output).contains("mutex.c:"), "{}", stdout(&output));
}

#[test]
fn help_man_pages_and_completions_exist() {
    for command in [
        "check",
        "run",
        "replay",
        "ir",
        "invariants",
        "skeleton",
        "tree",
        "bench",
        "smt2",
        "sv-comp",
        "validate",
        "man",
        "completions",
        "lab",
    ] {
        let help = heddle(&[command, "--help"]);
        assert_eq!(status(&help), 0);
        assert!(stdout(&help).contains("Usage: heddle"), "{command}");
        let man = heddle(&["man", command]);
        assert!(stdout(&man).contains(".TH heddle-"), "{command}: {}", stdout(&man));
    }
    assert!(stdout(&heddle(&["--help"])).contains("Exit status:"));
    assert_eq!(status(&heddle(&["--version"])), 0);
    let folder = folder("man");
    assert_eq!(status(&heddle(&["man", "--dir", folder.to_str().expect("UTF-8")])), 0);
    assert_eq!(std::fs::read_dir(&folder).expect("the folder").count(), 16);
    for shell in ["bash", "zsh", "fish"] {
        assert!(stdout(&heddle(&["completions", shell])).contains("heddle"));
    }
    assert_eq!(status(&heddle(&[])), 3);
}

#[test]
fn suites_are_run_and_resumed() {
    let folder = folder("bench");
    for name in ["bank/mutex.c", "bank/lost-update.c", "inputs/wide.c"] {
        std::fs::copy(program(name), folder.join(Path::new(name).file_name().expect("a name"))).expect("a copy");
    }
    let header = "id\tfile\tlanguage\tproperty\tmodel\texpected\tdata_model\tsource\n";
    let first = "m\tmutex.c\tc\tunreach\tsc\tsafe\tlp64\t-\nl\tlost-update.c\tc\tunreach\tsc\tunsafe\tilp32\t-\n\
                 w\twide.c\tc\tunreach\tsc\tsafe\tlp64\t-\nx\tmissing.c\tc\tunreach\tsc\tsafe\tlp64\t-\n";
    let index = write(&folder, "index.tsv", format!("{header}{first}"));
    let results = folder.join("results.tsv");
    let plot = folder.join("plot.svg");
    let (results_name, plot_name) = (results.to_str().expect("UTF-8"), plot.to_str().expect("UTF-8"));
    let bench = |extra: &[&str]| {
        let mut args = vec!["bench", "--index", &index, "--timeout", "30", "-j", "2", "-o", results_name];
        args.extend(["--engine", "explore"]);
        args.extend(extra);
        heddle(&args)
    };
    let output = bench(&["--filter", "m"]);
    assert_eq!(status(&output), 0, "{}{}", stdout(&output), stderr(&output));
    let output = bench(&["--plot", plot_name]);
    assert_eq!(status(&output), 0, "{}{}", stdout(&output), stderr(&output));
    assert!(stderr(&output).contains("1 of 4 tasks are in"), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("unknown (inputs)") && text.contains("error (input)"), "{text}");
    assert!(text.contains("no wrong verdict"), "{text}");
    assert!(std::fs::read_to_string(&plot).expect("a plot").starts_with("<svg"));
    // A line that was cut off when a run was killed is computed again.
    let kept = std::fs::read_to_string(&results).expect("results");
    assert_eq!(kept.lines().count(), 5);
    let cut = &kept[..kept.trim_end().rfind('\n').expect("lines") + 10];
    std::fs::write(&results, cut).expect("a shorter file");
    let output = bench(&[]);
    assert!(stderr(&output).contains("3 of 4 tasks are in"), "{}", stderr(&output));
    // A wrong record is reported prominently.
    let wrong = write(&folder, "wrong.tsv", format!("{header}l\tlost-update.c\tc\tunreach\tsc\tsafe\tlp64\t-\n"));
    let output = heddle(&["bench", "--index", &wrong, "-o", folder.join("w.tsv").to_str().expect("UTF-8")]);
    assert_eq!(status(&output), 1);
    assert!(stdout(&output).contains("WRONG VERDICTS: 1"), "{}", stdout(&output));
    let malformed = write(&folder, "malformed.tsv", format!("{header}l\tlost-update.c\tc\tspeed\tsc\tsafe\n"));
    refused(&["bench", "--index", &malformed], "malformed.tsv:2: `speed` is not one of");
}

/// Runs a script from standard input.
fn smt2(script: &str, args: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .arg("smt2")
        .arg("-")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("heddle should start");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut stdin, script.as_bytes()).expect("heddle should read its input");
    drop(stdin);
    child.wait_with_output().expect("heddle should end")
}

#[test]
fn scripts_are_run() {
    let script =
        "(set-logic QF_ABV)\n(declare-const x (_ BitVec 8))\n(declare-const m (Array (_ BitVec 8) (_ BitVec 8)))\n\
                  (assert (= (select m x) (bvadd x x) #x04))\n(check-sat-assuming ((bvult x #x80)))\n(get-value (x))\n\
                  (check-sat-assuming ((bvult x #x02) (= m m)))\n(get-unsat-assumptions)\n";
    let output = smt2(script, &[]);
    assert_eq!(stdout(&output), "sat\n((x #x02))\nunsat\n((bvult x #x02))\n", "{}", stderr(&output));
    assert_eq!(status(&output), 0);
    let folder = folder("smt2");
    let file = write(&folder, "script.smt2", "(check-sat)\n(get-model)\n");
    assert_eq!(stdout(&heddle(&["smt2", &file])), "sat\n(\n)\n");
}

#[test]
fn errors_in_scripts_have_a_place() {
    let folder = folder("smt2-errors");
    let file = write(&folder, "a.smt2", "(set-logic QF_BV)\n(assert (bvult #x1\n  y))\n");
    refused(&["smt2", &file], "a.smt2:3:3: error: there is no `y`");
    refused(&["smt2", &write(&folder, "b.smt2", b"(echo \"\xff\")")], "b.smt2:1:8: error: the text is not UTF-8");
    refused(&["smt2", &write(&folder, "c.smt2", "(set-logic QF_LRA)")], "c.smt2:1:12: error: the logic QF_LRA is not");
    refused(&["smt2", "missing.smt2"], "missing.smt2");
    // Output before the error is printed.
    let output = smt2("(check-sat)\n(check-sat))", &[]);
    assert_eq!((stdout(&output).as_str(), status(&output)), ("sat\nsat\n", 3));
    assert_eq!(stderr(&output), "<stdin>:2:12: error: this parenthesis closes nothing\n");
}

#[test]
fn scripts_respect_limits() {
    // Two factors of a prime.
    let script = "(declare-const x (_ BitVec 64))(declare-const y (_ BitVec 64))\n\
        (assert (= (bvmul x y) #x1fffffffffffffff))(assert (bvult x #x0000000080000000))\n\
        (assert (bvult y #x0000000080000000))(check-sat)(get-info :reason-unknown)(check-sat)";
    let started = Instant::now();
    let output = smt2(script, &["--timeout", "1"]);
    assert_eq!(stdout(&output), "unknown\n(:reason-unknown timeout)\nunknown\n", "{}", stderr(&output));
    assert_eq!(status(&output), 0);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}
