//! Every engine keeps the limits on time and memory, on programs that none of them finishes.
//!
//! On a busy machine a process that is to end has to wait for its turn; so tests allow for more than the promised
//! tenth, but for less than an engine takes that does not poll.

mod folder;

use folder::folder;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ENGINES: [&str; 7] = ["auto", "explore", "staged", "interference", "impact", "tar", "priori"];

/// More schedules, longer formulas and more numbers than any engine can handle; but no more shared accesses than
/// engines accept.
const MUCH: &str = "#include <assert.h>\n#include <pthread.h>\nint x, y, z;\n\
    void *work(void *p) { for (int i = 0; i < 60; i++) { x = x * 3 + 1; y = y + x; z = z ^ (y + i); } return p; }\n\
    int main(void) {\n  pthread_t t[4];\n  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, work, 0);\n  \
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);\n  \
    assert(x != 123456789 || y != 987654321 || z != 55555);\n  return 0;\n}\n";

/// Needs much memory wherever it is unrolled or explored.
const WIDE: &str = "#include <assert.h>\n#include <pthread.h>\nextern int __VERIFIER_nondet_int(void);\nint a[3000], s;\n\
    pthread_mutex_t m;\nvoid *work(void *p) {\n  for (int i = 0; i < 3000; i++) {\n    int k = __VERIFIER_nondet_int();\n    \
    pthread_mutex_lock(&m);\n    if (k > i) a[i] += k;\n    s += a[i];\n    pthread_mutex_unlock(&m);\n  }\n  return p;\n}\n\
    int main(void) {\n  pthread_t t[6];\n  for (int i = 0; i < 6; i++) pthread_create(&t[i], 0, work, 0);\n  \
    for (int i = 0; i < 6; i++) pthread_join(t[i], 0);\n  assert(s != 1234567);\n  return 0;\n}\n";

/// The time until the end of a run, and the report.
fn check(file: &str, engine: &str, options: &[&str]) -> (Duration, serde_json::Value) {
    let started = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.args(["check", "--no-config", "--format", "json", "--engine", engine, file]).args(options);
    let output = command.stdin(Stdio::null()).output().expect("heddle should start");
    let took = started.elapsed();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(2), "{engine}: {text}{}", String::from_utf8_lossy(&output.stderr));
    (took, serde_json::from_str(&text).expect("a report"))
}

#[test]
fn time_is_kept() {
    let folder = folder("time");
    let file = folder.join("much.c");
    std::fs::write(&file, MUCH).expect("a file");
    let name = file.to_str().expect("a name in UTF-8");
    for engine in ENGINES {
        for model in ["sc", "tso"] {
            let (took, report) = check(name, engine, &["--timeout", "3", "--memory-model", model]);
            let reasons = report["results"][0]["reasons"].as_array().expect("reasons").iter();
            assert!(reasons.into_iter().any(|reason| reason["kind"] == "time"), "{engine}, {model}: {report}");
            assert!(took < Duration::from_millis(4200), "{engine}, {model}: {took:?} instead of 3 s");
        }
    }
}

#[test]
fn memory_is_kept() {
    let file = folder("memory").join("wide.c");
    std::fs::write(&file, WIDE).expect("a file");
    let mut reached = 0;
    for engine in ENGINES {
        let options = ["--timeout", "10", "--memory-limit", "220M"];
        let (_, report) = check(file.to_str().expect("a name in UTF-8"), engine, &options);
        let used = report["memory_mb"].as_f64().expect("the system should tell");
        assert!(report["data_model"].is_string(), "{engine}: loading should need less than 220 MB");
        assert!(used < 220.0 * 1.15, "{engine}: {used} MB instead of 220");
        let mut reasons = report["results"][0]["reasons"].as_array().expect("reasons").iter();
        reached += usize::from(reasons.any(|reason| reason["kind"] == "memory"));
    }
    assert!(reached > 0, "some engine should need so much");
}
