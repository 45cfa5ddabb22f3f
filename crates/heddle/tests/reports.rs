//! The output of Heddle for other tools: JSON and SARIF against their schemas, graphs for Graphviz, pages in a browser.

mod browser;
mod common;
mod folder;

use browser::Browser;
use common::{problems, report, schema};
use folder::folder;
use serde_json::{json, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn heddle(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.args(args).env_remove("RUST_BACKTRACE").env("NO_COLOR", "1").env("COLUMNS", "100").stdin(Stdio::null());
    command.output().expect("heddle should start")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn program(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").join(name);
    path.canonicalize().expect("the test program should exist").to_str().expect("a name in UTF-8").to_owned()
}

/// A program, the options and the exit status.
type Case = (&'static str, &'static [&'static str], i32);

/// Every kind of answer, property and model.
const CASES: [Case; 25] = [
    ("bank/lost-update.c", &["--property", "all", "--explain-plan"], 1),
    ("bank/mutex.c", &["--property", "all", "--engine", "explore"], 0),
    ("bank/mutex.c", &["--engine", "staged", "--check"], 0),
    ("bank/mutex.c", &["--engine", "priori"], 0),
    ("inputs/wide.c", &["--engine", "explore"], 2),
    ("litmus/sb.c", &["--memory-model", "tso"], 1),
    ("litmus/mp.c", &["--memory-model", "pso"], 1),
    ("litmus/iriw.c", &["--memory-model", "ra"], 1),
    ("deadlock/ab-ba.c", &["--property", "deadlock"], 1),
    ("race/handoff-relaxed.c", &["--property", "race"], 1),
    ("memory/double-free.c", &["--property", "memory"], 1),
    ("inputs/byte-fails.c", &[], 1),
    ("mutex_unlock_unheld_unsafe.c", &["--property", "locks"], 1),
    ("atomicity/regions.c", &["--property", "atomicity", "--atomic-region", "add"], 1),
    ("atomicity/regions.c", &["--property", "atomicity"], 0),
    ("bank/mutex.c", &["--memory-model", "tso", "--engine", "impact"], 0),
    ("bank/mutex.c", &["--property", "race", "--memory-model", "pso"], 0),
    ("bank/mutex.c", &["--memory-model", "ra", "--assume-ra"], 0),
    ("bank/mutex.c", &["--property", "all", "--timeout", "0.001"], 2),
    ("bank/mutex.c", &["--memory-model", "pso", "--timeout", "0.001"], 2),
    ("litmus/mp.c", &["--memory-model", "ra", "--timeout", "0.001"], 2),
    ("atomicity/regions.c", &["--property", "atomicity", "--memory-model", "tso"], 2),
    ("library/rand_unsafe.c", &["--property", "race"], 1),
    ("library/rand_unsafe.c", &["--property", "race", "--libc", "glibc"], 0),
    ("memory/members_safe.c", &["--property", "memory"], 0),
];

/// The combinations of property, memory model and kind of answer that these reports do not cover.
fn left_out(reports: &[Value]) -> Vec<String> {
    let mut left: BTreeSet<String> = BTreeSet::new();
    let abouts = ["unreach", "race", "deadlock", "locks", "memory", "atomicity", "sc", "tso", "pso", "ra"];
    for about in abouts {
        left.extend(["safe", "unsafe", "unknown"].map(|verdict| format!("{about}: {verdict}")));
    }
    for report in reports {
        for result in report["results"].as_array().into_iter().flatten() {
            for about in [&result["property"], &report["memory_model"]] {
                let word = |value: &Value| value.as_str().expect("a word").to_owned();
                left.remove(&format!("{}: {}", word(about), word(&result["verdict"])));
            }
        }
    }
    left.into_iter().collect()
}

#[test]
fn json_reports_and_traces_pass_their_schemas() {
    let folder = folder("json");
    let trace = folder.join("trace.json");
    let trace_name = trace.to_str().expect("UTF-8");
    let report_schema = schema("docs/report.schema.json");
    let mut reports: Vec<Value> = Vec::new();
    let mut story_schema = report_schema["$defs"]["story"].clone();
    story_schema["$defs"] = report_schema["$defs"].clone();
    for (name, options, status) in CASES {
        let file = program(name);
        let _ = std::fs::remove_file(&trace);
        let mut args = vec!["check", file.as_str(), "--format", "json", "--trace-out", trace_name];
        args.extend(options);
        let output = heddle(&args);
        assert_eq!(output.status.code(), Some(status), "{name}: {}", stdout(&output));
        reports.push(report(&stdout(&output)));
        if status != 1 {
            continue;
        }
        let text = std::fs::read_to_string(&trace).expect("the trace");
        let kept: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(problems(&schema("docs/trace.schema.json"), &kept), [""; 0], "{name}");
        let replayed = heddle(&["replay", &file, trace_name, "--format", "json"]);
        let story: Value = serde_json::from_str(&stdout(&replayed)).expect("JSON");
        assert_eq!(problems(&story_schema, &story), [""; 0], "{name}");
    }
    assert_eq!(left_out(&reports), [""; 0]);
    let output = heddle(&["check", "missing.c", "--format", "json"]);
    assert_eq!(report(&stdout(&output))["verdict"], "error");
}

#[test]
fn the_validator_finds_what_is_wrong() {
    let report_schema = schema("docs/report.schema.json");
    let right = json!({
        "schema": "heddle-report/1", "heddle": "0", "files": ["a.c"], "data_model": "lp64", "memory_model": "sc",
        "verdict": "unknown", "diagnostics": [], "seconds": 1,
        "results": [{ "property": "race", "verdict": "unknown", "engine": "auto", "stats": { "n": 1 }, "seconds": 0.5,
            "reasons": [{ "kind": "time", "detail": "x" }] }],
    });
    assert_eq!(problems(&report_schema, &right), [""; 0]);
    for (path, wrong) in [
        ("/schema", json!("heddle-report/2")),
        ("/seconds", json!(-1)),
        ("/files", json!("a.c")),
        ("/verdict", json!("maybe")),
        ("/verdict", json!("error")),
        ("/results/0/verdict", json!("safe")),
        ("/results/0/reasons", json!([])),
        ("/results/0/reasons/0/kind", json!("mood")),
        ("/results/0/stats/n", json!("many")),
        ("/results/0", json!({})),
    ] {
        let mut report = right.clone();
        *report.pointer_mut(path).expect("a place") = wrong;
        assert!(!problems(&report_schema, &report).is_empty(), "{path}");
    }
    let mut more = right.clone();
    more["results"][0]["surprise"] = json!(1);
    assert!(!problems(&report_schema, &more).is_empty());
    let sarif = schema("tests/data/sarif-schema-2.1.0.json");
    assert!(!problems(&sarif, &json!({ "version": "2.1.0", "runs": [{}] })).is_empty());
    assert!(!problems(&sarif, &json!({ "version": "2.1.0", "runs": [], "x": 1 })).is_empty());
    let tool = json!({ "driver": { "name": "x" } });
    let run = |uri: &str| json!({ "tool": tool, "artifacts": [{ "location": { "uri": uri } }] });
    assert_eq!(problems(&sarif, &json!({ "version": "2.1.0", "runs": [run("a/b.c")] })), [""; 0]);
    assert!(!problems(&sarif, &json!({ "version": "2.1.0", "runs": [run("a b.c")] })).is_empty());
}

/// Checks a program and returns the SARIF, which conforms to the schema.
fn sarif(folder: &Path, file: &str, options: &[&str], status: i32) -> Value {
    let path = folder.join("out.sarif");
    let mut args = vec!["check", file, "--sarif", path.to_str().expect("UTF-8")];
    args.extend(options);
    let output = heddle(&args);
    assert_eq!(output.status.code(), Some(status), "{file}: {}", stdout(&output));
    let text = std::fs::read_to_string(&path).expect("the file");
    let log: Value = serde_json::from_str(&text).expect("JSON");
    let problems = problems(&schema("tests/data/sarif-schema-2.1.0.json"), &log);
    assert!(problems.is_empty(), "{file}: {}\n{text}", problems.join("\n"));
    let run = log["runs"][0].clone();
    assert_eq!(run["invocations"][0]["exitCode"], status);
    run
}

#[test]
fn sarif_passes_the_schema_of_oasis() {
    let folder = folder("sarif");
    for (name, options, status) in CASES {
        let run = sarif(&folder, &program(name), options, status);
        let results = run["results"].as_array().expect("results");
        let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
        for result in results {
            let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("small")];
            assert_eq!(rule["id"], result["ruleId"], "{name}");
            assert!(rule["help"]["text"].as_str().is_some_and(|help| !help.is_empty()));
            let kind = result["kind"].as_str().expect("a kind");
            assert_eq!(result["level"], if kind == "fail" { "error" } else { "none" }, "{name}");
            assert_eq!(result.get("codeFlows").is_some(), kind == "fail", "{name}");
        }
        let kinds: Vec<&str> = results.iter().filter_map(|result| result["kind"].as_str()).collect();
        let expected = ["pass", "fail", "open"][usize::try_from(status).expect("a status")];
        assert!(kinds.contains(&expected), "{name}: {kinds:?}");
    }
}

#[test]
fn thread_flows_tell_the_interleaving() {
    let run = sarif(&folder("thread-flows"), &program("bank/lost-update.c"), &[], 1);
    let flows = run["results"][0]["codeFlows"][0]["threadFlows"].as_array().expect("flows").clone();
    let names: Vec<&str> = flows.iter().filter_map(|flow| flow["id"].as_str()).collect();
    assert_eq!(names, ["main", "t1", "t2"]);
    let mut order: Vec<u64> = Vec::new();
    for flow in &flows {
        let own = flow["locations"].as_array().expect("locations").iter();
        let own: Vec<u64> = own.filter_map(|location| location["executionOrder"].as_u64()).collect();
        assert!(own.is_sorted(), "{own:?}");
        order.extend(own);
    }
    order.sort_unstable();
    assert!(order.iter().enumerate().all(|(index, number)| *number == index as u64 + 1), "{order:?}");
    let last = flows[0]["locations"].as_array().expect("locations").last().expect("a last one");
    assert_eq!(last["location"]["physicalLocation"]["region"]["startLine"], 47);
    assert_eq!(last["importance"], "essential");
    assert_eq!(last["state"]["balance"]["text"].as_str().map(str::is_empty), Some(false));
}

#[test]
fn sarif_of_what_does_not_load_says_so() {
    let folder = folder("sarif-error");
    let file = folder.join("bad name.c");
    std::fs::write(&file, "int main(void) { return x; }\n").expect("a file");
    let run = sarif(&folder, file.to_str().expect("UTF-8"), &[], 3);
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["toolExecutionNotifications"][0]["level"], "error");
    assert_eq!(run["results"].as_array().map(Vec::len), Some(0));
    assert!(run["artifacts"][0]["location"]["uri"].as_str().is_some_and(|uri| uri.ends_with("bad%20name.c")));
}

#[test]
fn graphs_have_events_and_all_kinds_of_edges() {
    let folder = folder("dot");
    let path = folder.join("run.dot");
    let name = path.to_str().expect("UTF-8");
    for (program_name, options, expected) in [
        (
            "bank/lost-update.c",
            &[][..],
            &["label=\"po\"", "label=\"rf\"", "label=\"co\"", "label=\"hb\"", "W balance = "][..],
        ),
        ("litmus/sb.c", &["--memory-model", "tso"], &["(buffered)", "label=\"rf\""]),
        ("litmus/iriw.c", &["--memory-model", "ra"], &["label=\"hb\"", "initially"]),
    ] {
        let file = program(program_name);
        let mut args = vec!["check", file.as_str(), "--dot", name];
        args.extend(options);
        let output = heddle(&args);
        assert!(stdout(&output).contains("graph of unreach: "), "{}", stdout(&output));
        let text = std::fs::read_to_string(&path).expect("the graph");
        for part in expected {
            assert!(text.contains(part), "{program_name}: {part}\n{text}");
        }
        assert_eq!(text.matches("subgraph cluster_").count(), text.matches("\n  }\n").count(), "{text}");
        // Every edge is between existing nodes.
        for line in text.lines().filter(|line| line.contains(" -> ") && !line.contains("initially")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            for node in [words[0], words[2]] {
                assert!(text.contains(&format!("    {node} [label=")), "{node}\n{text}");
            }
        }
    }
    std::fs::remove_file(&path).expect("the graph");
    heddle(&["check", &program("bank/mutex.c"), "--dot", name]);
    assert!(!path.exists(), "there is no run to draw");
}

/// Writes a page about a program.
fn page(folder: &Path, file: &str, options: &[&str]) -> PathBuf {
    let path = folder.join("page.html");
    let mut args = vec!["check", file, "--html", path.to_str().expect("UTF-8")];
    args.extend(options);
    let output = heddle(&args);
    assert!(stdout(&output).contains("HTML report: "), "{}", stdout(&output));
    path
}

#[test]
fn pages_need_nothing_else_and_escape_what_they_quote() {
    let folder = folder("html-text");
    let file = folder.join("a&b.c");
    let source = "#include <assert.h>\n#include <pthread.h>\nint x;\n\
        void *f(void *p) {\n  x = 1; /* </script><script>alert(\"1\")</script> & 'x' */\n  return p;\n}\n\
        int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, f, 0);\n\
        \x20 assert(x == 0 && \"</script><img src=x>\");\n  return 0;\n}\n";
    std::fs::write(&file, source).expect("a file");
    let text = std::fs::read_to_string(page(&folder, file.to_str().expect("UTF-8"), &[])).expect("the page");
    assert_eq!(text.matches("<script").count(), 1, "only our own script");
    assert_eq!(text.matches("</script").count(), 1);
    assert!(!text.contains("<img"));
    assert!(text.contains("&lt;/script&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;"));
    assert!(text.contains("a&amp;b.c"));
    for outside in ["src=\"", "@import", "url(http", "href=\"http"] {
        assert!(!text.contains(outside), "{outside}");
    }
    assert!(text.contains("<noscript><table>"), "the story without JavaScript");
}

#[test]
fn pages_tell_why_for_every_kind_of_answer() {
    let folder = folder("html-kinds");
    let text = |name: &str, options: &[&str]| {
        std::fs::read_to_string(page(&folder, &program(name), options)).expect("the page")
    };
    let safe = text("bank/mutex.c", &["--engine", "explore"]);
    assert!(safe.contains("Why it is safe") && safe.contains("every reachable state was visited"));
    let unknown = text("inputs/wide.c", &["--engine", "explore"]);
    assert!(unknown.contains("class=\"reasons\"") && unknown.contains("<td>inputs</td>"));
    let buffered = text("litmus/sb.c", &["--memory-model", "tso"]);
    assert!(buffered.contains("are in the store buffer of the thread that made them"));
    let acquired = text("litmus/sb.c", &["--memory-model", "ra"]);
    assert!(acquired.contains("it may still read the older one"));
    for page in [safe, unknown, buffered, acquired] {
        assert!(page.contains("<h2>Statistics</h2>") && page.contains("take for granted"));
    }
}

#[test]
fn pages_work_in_a_browser() {
    let Some(mut browser) = Browser::start(&folder("browser")) else { return };
    let folder = folder("html-browser");
    for (name, options) in [
        ("bank/lost-update.c", &["--property", "all"][..]),
        ("litmus/sb.c", &["--memory-model", "tso"]),
        ("litmus/iriw.c", &["--memory-model", "ra"]),
        ("deadlock/ab-ba.c", &["--property", "deadlock"]),
    ] {
        browser.open(&page(&folder, &program(name), options));
        let current = "document.querySelector('#story0 g.step.current')";
        let step = format!("Number({current}.dataset.step)");
        let steps = browser.number("document.querySelectorAll('#story0 g.step').length");
        assert!(steps >= 3, "{name}: {steps} steps");
        // The failing step is shown first, in the picture, beside it and in the source.
        assert_eq!(browser.number(&step), steps, "{name}");
        assert_eq!(browser.text(&format!("String({current}.classList.contains('violation'))")), "true", "{name}");
        let shown = "Array.from(document.querySelectorAll('#story0 .detail > div')).filter(d => !d.hidden)";
        assert_eq!(browser.number(&format!("{shown}.length")), 1, "{name}");
        assert_eq!(browser.number(&format!("Number({shown}[0].dataset.step)")), steps, "{name}");
        for (key, expected) in [
            ("ArrowLeft", steps - 1),
            ("k", steps - 2),
            ("j", steps - 1),
            ("ArrowRight", steps),
            ("ArrowRight", steps),
            ("Home", 1),
            ("ArrowLeft", 1),
        ] {
            browser.press(key);
            assert_eq!(browser.number(&step), expected, "{name}: {key}");
            assert_eq!(browser.number(&format!("Number({shown}[0].dataset.step)")), expected, "{name}: {key}");
            let status = browser.text("document.querySelector('#story0 .status').textContent");
            assert_eq!(status, format!("step {expected} of {steps}"), "{name}");
            let lines = "document.querySelectorAll('#story0 .source li.current')";
            let wanted =
                format!("{current}.dataset.line === undefined || {lines}[0].value === Number({current}.dataset.line)");
            assert_eq!(browser.text(&format!("String({wanted})")), "true", "{name}: {key}");
        }
        assert!(browser.number("document.querySelectorAll('path.link').length") > 0, "{name}");
        assert_eq!(browser.complaints(), [""; 0], "{name}");
    }
    // All other kinds of answers, and what cannot be loaded.
    for (name, options, status) in CASES {
        browser.open(&page(&folder, &program(name), options));
        assert_eq!(browser.complaints(), [""; 0], "{name} {options:?}");
        let parts = browser.number("document.querySelectorAll('h2').length");
        assert!(parts >= 2, "{name} {options:?}: {parts} parts");
        let failing = browser.number("document.querySelectorAll('section.story g.step.violation').length");
        assert_eq!(failing > 0, status == 1, "{name} {options:?}: {failing} failing steps");
    }
    let bad = folder.join("bad.c");
    std::fs::write(&bad, "int main(void) { return x; }\n").expect("a file");
    let at = folder.join("bad.html");
    let output = heddle(&["check", bad.to_str().expect("UTF-8"), "--html", at.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(3), "{}", stdout(&output));
    browser.open(&at);
    assert_eq!(browser.text("document.querySelector('h1 span').textContent"), "error");
    assert_eq!(browser.complaints(), [""; 0]);
    // The driver reports errors, or the lines above would be vacuous.
    let broken = folder.join("broken.html");
    std::fs::write(&broken, "<!DOCTYPE html><title>x</title><script>nothing.at.all</script>").expect("a file");
    browser.open(&broken);
    assert!(!browser.complaints().is_empty());
}

#[test]
fn random_runs_are_told_with_few_context_switches() {
    let file = program("bank/lost-update.c");
    let mut violations = 0;
    for seed in 0..12 {
        let seed = seed.to_string();
        let output = heddle(&["run", &file, "--seed", &seed, "--runs", "1"]);
        let text = stdout(&output);
        if output.status.code() == Some(1) {
            violations += 1;
            assert!(text.contains("3 threads, 2 context switches; "), "seed {seed}: {text}");
            assert_eq!(
                text,
                stdout(&heddle(&["run", &file, "--seed", &seed, "--runs", "1"])),
                "the same run every time"
            );
        }
    }
    assert!(violations >= 2, "{violations} violations");
}

#[test]
fn what_does_not_matter_is_left_out_unless_asked_for() {
    let folder = folder("aside");
    let file = folder.join("a.c");
    let source = "#include <assert.h>\n#include <pthread.h>\nint x, y;\n\
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
        void *f(void *p) {\n  pthread_mutex_lock(&m);\n  pthread_mutex_unlock(&m);\n  x = 3;\n  return p;\n}\n\
        void *g(void *p) {\n  pthread_mutex_lock(&n);\n  y = 1;\n  pthread_mutex_unlock(&n);\n  return p;\n}\n\
        int main(void) {\n  pthread_t t, u;\n  pthread_create(&t, 0, f, 0);\n  pthread_create(&u, 0, g, 0);\n\
        \x20 pthread_join(t, 0);\n  assert(x == 0);\n  return 0;\n}\n";
    std::fs::write(&file, source).expect("a file");
    let told = |extra: &[&str]| {
        let mut args = vec!["check", file.to_str().expect("UTF-8")];
        args.extend(extra);
        stdout(&heddle(&args))
    };
    let short = told(&[]);
    assert!(short.contains("8 x = 3") && !short.contains("mutex"), "{short}");
    assert!(short.contains("2 steps left out (--full shows them)"), "{short}");
    // The other thread is not needed at all; the lock of this one is merely skipped.
    let full = told(&["--full"]);
    assert!(full.contains("6 pthread_mutex_lock(&m)") && !full.contains("(&n)"), "{full}");
}
