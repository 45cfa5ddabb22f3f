//! The property `atomicity` on the command line: how three accesses are reported, named regions, and what is not
//! decided.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn heddle(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.args(args).env("NO_COLOR", "1").env("COLUMNS", "100").stdin(Stdio::null());
    command.output().expect("heddle should start")
}

fn program(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/atomicity").join(name);
    path.canonicalize().expect("the test program should exist").to_str().expect("a name in UTF-8").to_owned()
}

/// The exit status and the output.
fn check(args: &[&str]) -> (i32, String) {
    let output = heddle(&[&["check", "--property", "atomicity"], args].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap_or(-1), text)
}

#[test]
fn three_accesses_are_told() {
    for engine in ["explore", "staged", "auto"] {
        let (status, text) = check(&["--engine", engine, &program("stale.c")]);
        assert_eq!(status, 1, "{text}");
        for part in [
            "unsafe: atomicity violation",
            "  3                    ",
            "meant as one with step 3, but step 9 comes between",
            "atomicity violation on count: the write by another thread comes between the read and this write",
        ] {
            assert!(text.contains(part), "{engine}: {part:?} should be in\n{text}");
        }
    }
}

#[test]
fn a_trace_keeps_its_regions() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("atomicity");
    std::fs::create_dir_all(&folder).expect("a folder");
    let trace = folder.join("regions.trace").to_str().expect("a name in UTF-8").to_owned();
    let (status, text) = check(&["--atomic-region", "add", "--trace-out", &trace, &program("regions.c")]);
    assert_eq!(status, 1, "{text}");
    let output = heddle(&["replay", &program("regions.c"), &trace]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("atomicity violation on sum"), "{text}");
    // Nothing is inferred there, so without the region the run goes on.
    let kept = std::fs::read_to_string(&trace).expect("the trace");
    let forgotten = kept.replace("\"add\"", "\"get\"");
    assert_ne!(kept, forgotten, "the trace should name the region");
    std::fs::write(&trace, forgotten).expect("the trace should be writable");
    assert_ne!(heddle(&["replay", &program("regions.c"), &trace]).status.code(), Some(1));
}

#[test]
fn random_runs_find_what_is_inside_a_region() {
    let run = |region: &[&str]| {
        let fixed = ["run", "--property", "atomicity", "--runs", "50"];
        let output = heddle(&[&fixed, region, &[&program("regions.c")]].concat());
        output.status.code()
    };
    assert_eq!(run(&["--atomic-region", "add"]), Some(1));
    assert_eq!(run(&[]), Some(2));
}

#[test]
fn regions_must_be_in_the_program() {
    for (region, complaint) in [
        ("nothing", "there is no function `nothing` to be an atomic region"),
        ("stale.c:900-910", "no statement is in the atomic region stale.c:900-910"),
        ("7-3", "is not a function's name, FIRST-LAST or FILE:FIRST-LAST"),
    ] {
        let (status, text) = check(&["--atomic-region", region, &program("stale.c")]);
        assert_eq!(status, 3, "{text}");
        assert!(text.contains(complaint), "{text}");
    }
    let output = heddle(&["check", "--atomic-region", "work", &program("stale.c")]);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn what_does_not_know_it_says_so() {
    for args in [&["--memory-model", "tso"][..], &["--engine", "priori"], &["--slice", "run"]] {
        let (status, text) = check(&[args, &[&program("stale.c")]].concat());
        assert_eq!(status, 2, "{text}");
        assert!(text.contains("unknown: whether no access comes between two that are meant to be one"), "{text}");
    }
    for model in ["pso", "ra"] {
        for engine in ["explore", "staged", "auto"] {
            let (status, text) = check(&["--memory-model", model, "--engine", engine, &program("stale.c")]);
            assert_eq!(status, 2, "{text}");
            assert!(text.contains("atomicity is defined under sc only"), "{text}");
        }
    }
    // It is not part of `all`.
    let output = heddle(&["check", "--property", "all", "--format", "json", &program("stale.c")]);
    assert!(!String::from_utf8_lossy(&output.stdout).contains("\"atomicity\""));
}
