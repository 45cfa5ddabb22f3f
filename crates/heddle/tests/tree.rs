//! `heddle tree`: the proofs of the engine `impact`, for each property and memory model that it decides.

use std::path::Path;
use std::process::{Command, Stdio};

/// Exit status and standard output.
fn tree(args: &[&str], name: &str) -> (i32, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").join(name);
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    let command = command.arg("tree").args(["--timeout", "60"]).args(args).arg(path).stdin(Stdio::null());
    let output = command.output().expect("heddle should start");
    (
        output.status.code().expect("heddle should not die of a signal"),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

#[test]
fn each_property_has_a_tree() {
    for (property, name) in [
        ("unreach", "impact_spin_safe.c"),
        ("race", "race/mutex.c"),
        ("deadlock", "deadlock/ab-ab.c"),
        ("locks", "race/mutex.c"),
        ("memory", "impact_heap_safe.c"),
    ] {
        let (status, text) = tree(&["--property", property], name);
        assert_eq!(status, 0, "{property} of {name}: {text}");
        assert!(text.contains("T1 "), "{property} of {name}: {text}");
        let (status, text) = tree(&["--property", property, "--dot"], name);
        assert_eq!(status, 0, "{property} of {name}: {text}");
        assert!(text.starts_with("digraph tree {") && text.contains("n0 -> n1"), "{property} of {name}: {text}");
    }
}

#[test]
fn a_tree_about_races_tells_what_is_watched() {
    let (_, text) = tree(&["--property", "race"], "race/mutex.c");
    assert!(text.contains(" is watched"), "{text}");
}

#[test]
fn a_tree_tells_what_waits_in_buffers() {
    for model in ["tso", "pso"] {
        let (status, text) = tree(&["--memory-model", model], "paper_impact_worker.c");
        match model {
            "tso" => assert_eq!(status, 0, "{text}"),
            _ => assert!(status == 0 || text.starts_with("no proof: "), "{text}"),
        }
    }
    let (status, text) = tree(&["--memory-model", "pso", "--property", "deadlock"], "race/write-write.c");
    assert_eq!(status, 0, "{text}");
    assert!(text.contains(" wait: "), "{text}");
}

#[test]
fn a_tree_tells_numbers_that_are_not_left_to_formulas() {
    let (status, text) = tree(&[], "impact_counted_safe.c");
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("used = 6"), "{text}");
}

#[test]
fn what_has_no_tree_says_why() {
    let (status, text) = tree(&["--memory-model", "ra"], "impact_spin_safe.c");
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("no proof: ") && text.contains("engine impact does not decide unreach under ra"), "{text}");
    let (status, text) = tree(&["--property", "atomicity"], "impact_spin_safe.c");
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("engine impact does not decide atomicity under sc"), "{text}");
    let (status, text) = tree(&[], "impact_spin_unsafe.c");
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("no proof: the property can be violated"), "{text}");
}
