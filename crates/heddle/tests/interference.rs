//! The engine `interference` on the figures of its paper (Sinha and Wang, On interference abstractions, POPL 2011), its command
//! line, and its output.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn heddle(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.args(["lab", "--engine=interference"]).args(args).env("NO_COLOR", "1").stdin(Stdio::null());
    command.output().expect("heddle should start")
}

fn program(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").join(name);
    path.canonicalize().expect("the test program should exist").to_str().expect("a name in UTF-8").to_owned()
}

fn figure(name: &str) -> String {
    program(&format!("interference/paper_figure{name}.c"))
}

fn status(args: &[&str]) -> i32 {
    heddle(args).status.code().expect("a status")
}

const MODES: [&str; 4] = ["--mode=full", "--mode=over", "--mode=under", "--mode=mixed"];
const FORMS: [&str; 2] = ["--form=order", "--form=clock"];

/// Every figure in every mode and form.
#[test]
fn the_figures_have_their_outcomes() {
    let cases = [
        ("1_unsafe", "unreach", 1),
        ("5", "race", 0),
        ("5", "deadlock", 1),
        ("6_unsafe", "locks", 1),
        ("7_unsafe", "memory", 1),
        ("9_safe", "unreach", 0),
    ];
    for (name, property, expected) in cases {
        for mode in MODES {
            for form in FORMS {
                let args = ["--property", property, mode, form, &figure(name)];
                assert_eq!(status(&args), expected, "{args:?}");
            }
        }
    }
}

/// The first proof depends on the first reads of foo and bar, and in the witness bar first reads what foo wrote.
#[test]
fn the_refinement_of_figure_1_is_reported() {
    // The lines that record verdicts are left out: there may be more of them tomorrow.
    let text = std::fs::read_to_string(figure("1_unsafe")).expect("the program");
    let code: Vec<&str> = text.lines().skip_while(|line| line.starts_with("//")).collect();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("refined.c");
    std::fs::write(&path, code.join("\n") + "\n").expect("a file");
    let told = |form: &str| {
        let output = heddle(&["--trace-refinement", form, path.to_str().expect("a name in UTF-8")]);
        String::from_utf8_lossy(&output.stderr).replace("refined.c:", "line ")
    };
    let order = "\
loops unrolled 1 times, mode mixed, initial abstraction: 6 of 6 reads, 10 of 16 links, 10 of 16 pairs, 0 of 0 triples
  round 1: no such execution, but only because of small link sets, of the
    read of y at line 9 (thread 2)
    read of x at line 21 (thread 3)
  round 2: an execution that violates nothing that was left out: a witness
    the read of x at line 21 (thread 3) is from the write of x at line 11 (thread 2)
";
    assert_eq!(told("--form=order"), order);
    let clock = told("--form=clock");
    for line in [
        "initial abstraction: 6 of 6 reads, 10 of 16 links, 10 of 16 pairs, 0 of 30 triples\n",
        "an execution, but a write comes between:\n",
        "because of small link sets, of the\n    read of y at line 9 (thread 2)\n    read of x at line 21 (thread 3)\n",
        "a witness\n    the read of x at line 21 (thread 3) is from the write of x at line 11 (thread 2)\n",
    ] {
        assert!(clock.contains(line), "{line:?} should be in\n{clock}");
    }
}

/// Section 5.3: locks alone show that there is no race in Figure 5, serial executions show Figure 6 and not Figure 7.
#[test]
fn presets_say_what_they_can() {
    for form in FORMS {
        assert_eq!(status(&["--property", "race", "--preset=control-state", form, &figure("5")]), 0);
        assert_eq!(status(&["--property", "memory", "--preset=control-state", form, &figure("7_unsafe")]), 2);
        assert_eq!(status(&["--property", "locks", "--preset=serial", form, &figure("6_unsafe")]), 1);
        assert_eq!(status(&["--property", "memory", "--preset=serial", form, &figure("7_unsafe")]), 2);
        assert_eq!(status(&["--property", "memory", "--preset=largely-serial", form, &figure("7_unsafe")]), 1);
    }
    // That serial executions are correct says nothing about others.
    let output = heddle(&["--preset=serial", &figure("9_safe")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stdout).contains("only serial executions were looked at"));
}

/// With all heuristics, with none, and without each.
#[test]
fn heuristics_change_no_answer() {
    let lists =
        ["none", "s0,s1,s2a,s2b,s3", "s1,s2a,s2b,s3", "s0,s2a,s2b,s3", "s0,s1,s2b,s3", "s0,s1,s2a,s3", "s0,s1,s2a,s2b"];
    let cases = [
        ("interference/paper_figure1_unsafe.c", "unreach", 1),
        ("interference/paper_figure5.c", "race", 0),
        ("bank/mutex.c", "unreach", 0),
        ("bank/lost-update.c", "unreach", 1),
    ];
    for (name, property, expected) in cases {
        for focus in lists {
            for form in FORMS {
                let args = ["--property", property, "--focus", focus, form, &program(name)];
                assert_eq!(status(&args), expected, "{args:?}");
            }
        }
    }
}

/// Whatever is left out of link sets, a read is never from a later store of its own thread.
#[test]
fn a_read_is_not_from_a_later_store() {
    for model in ["--memory-model=sc", "--memory-model=tso", "--memory-model=pso"] {
        for focus in ["none", "s1,s2a,s2b"] {
            let args = [model, "--focus", focus, &program("interference/later_store_safe.c")];
            assert_eq!(status(&args), 0, "{args:?}");
        }
    }
}

#[test]
fn sizes_and_times_are_told() {
    let output = heddle(&["--stats=json", "--form=clock", &figure("1_unsafe")]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().last().expect("a line of numbers");
    let numbers: serde_json::Value = serde_json::from_str(line).expect("numbers as JSON");
    let number = |name: &str| numbers["unreach"][name].as_f64().unwrap_or_else(|| panic!("{name} in {line}"));
    assert_eq!((number("full_reads"), number("full_links"), number("full_pairs")), (6.0, 16.0, 16.0));
    assert!(number("triples") < number("full_triples") && number("links") <= number("full_links"));
    assert!(number("iterations") >= 2.0);
    for name in ["solve_ms", "check_model_ms", "reduce_over_ms", "reduce_under_ms", "compose_ms", "decode_ms"] {
        assert!(number(name) >= 0.0);
    }
}

#[test]
fn what_it_is_not_made_for_is_unknown() {
    for args in [["--form=clock", "--memory-model=tso"], ["--context-bound=3", "--mode=mixed"]] {
        let all = [args[0], args[1], &figure("1_unsafe")];
        assert_eq!(status(&all), 2, "{all:?}");
    }
    assert_eq!(status(&["--memory-model=ra", &figure("1_unsafe")]), 1);
}
