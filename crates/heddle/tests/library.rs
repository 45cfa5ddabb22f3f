//! Whose promises about the C library count (`--libc`), the report of a library race, and the premises that proofs
//! report.

mod common;
mod folder;

use folder::folder;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn program(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").join(name);
    path.canonicalize().expect("the test program should exist").to_str().expect("a name in UTF-8").to_owned()
}

fn heddle(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.args(args).env("NO_COLOR", "1").env("COLUMNS", "200").current_dir(folder);
    command.output().expect("heddle should start")
}

fn said(output: &Output) -> (i32, String) {
    let status = output.status.code().expect("heddle should not die of a signal");
    (status, String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The exit status and the JSON report, which passes its schema.
fn report(folder: &Path, args: &[&str]) -> (i32, Value) {
    let (status, text) = said(&heddle(folder, &[args, &["--format", "json"]].concat()));
    (status, common::report(&text))
}

#[test]
fn a_library_race_names_the_function_and_the_safe_one() {
    let folder = folder("library-race");
    let file = program("library/rand_unsafe.c");
    let (status, text) = said(&heddle(&folder, &["check", "--property", "race", &file]));
    assert_eq!(status, 1);
    let sentence = "library race: rand() is called by two threads without synchronisation; it need not be thread-safe (C11 7.22.2.1): \
                    use rand_r";
    assert!(text.contains(sentence), "{text}");
    let (_, report) = report(&folder, &["check", "--property", "race", &file]);
    let story = &report["results"][0]["counterexample"];
    assert_eq!(story["headline"], "library race");
    assert_eq!(story["message"], sentence);
    assert_eq!(story["library"][0]["instead"], "rand_r");
    assert_eq!(story["library"][1]["function"], "rand");
}

#[test]
fn each_library_race_is_one_of_functions() {
    let folder = folder("library-races");
    for (name, function, instead) in [
        ("srand", "srand", "rand_r"),
        ("strtok", "strtok", "strtok_r"),
        ("strerror", "strerror", "strerror_r"),
        ("setenv", "setenv", "it before other threads start"),
        ("localtime", "localtime", "localtime_r"),
        ("drand48", "lrand48", "nrand48"),
        ("setlocale", "setlocale", "uselocale"),
    ] {
        let (status, report) =
            report(&folder, &["check", "--property", "race", &program(&format!("library/{name}_unsafe.c"))]);
        assert_eq!(status, 1, "{name}");
        let calls = report["results"][0]["counterexample"]["library"].as_array().expect("two calls").clone();
        let call = calls.iter().find(|call| call["function"] == function).expect("the function");
        assert!(call["instead"].as_str().is_some_and(|text| text.starts_with(instead)), "{call}");
    }
}

#[test]
fn the_c_library_is_an_option_a_setting_and_part_of_traces() {
    let folder = folder("libc");
    let file = program("library/rand_unsafe.c");
    let (status, text) = said(&heddle(&folder, &["check", "--property", "race", "--libc", "glibc", &file]));
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("assuming that the C library keeps the promises of glibc's manual"), "{text}");
    let settings: PathBuf = folder.join("heddle.toml");
    std::fs::write(&settings, "[check]\nlibc = \"glibc\"\nproperty = \"race\"\n").expect("a file");
    assert_eq!(said(&heddle(&folder, &["check", &file])).0, 0);
    assert_eq!(said(&heddle(&folder, &["check", "--libc", "standard", &file])).0, 1);
    std::fs::remove_file(settings).expect("a file");
    assert_eq!(said(&heddle(&folder, &["check", "--libc", "musl", &file])).0, 3);
    // A race that glibc has too is replayed as found.
    let file = program("library/srand48_safe.c");
    let check = ["check", "--property", "race", "--libc", "glibc", "--trace-out", "t.json", &file];
    assert_eq!(said(&heddle(&folder, &check)).0, 1);
    assert_eq!(said(&heddle(&folder, &["replay", &file, "t.json"])).0, 1);
}

#[test]
fn an_answer_for_one_library_is_none_for_another() {
    let folder = folder("libc-cache");
    let file = program("library/rand_unsafe.c");
    let check = ["check", "--property", "race", "--cache", "kept", &file];
    let from_cache = |report: &Value| report["results"][0]["from_cache"] == true;
    let (status, first) = report(&folder, &check);
    assert_eq!((status, from_cache(&first)), (1, false));
    let glibc = [&check[..], &["--libc", "glibc"]].concat();
    let (status, other) = report(&folder, &glibc);
    assert_eq!((status, from_cache(&other)), (0, false));
    let (status, again) = report(&folder, &glibc);
    assert_eq!((status, from_cache(&again)), (0, true));
    assert_eq!(again["results"][0]["premises"][0]["kind"], "glibc");
}

#[test]
fn library_functions_do_not_race_in_the_competition() {
    let folder = folder("libc-sv-comp");
    std::fs::write(folder.join("race.prp"), "CHECK( init(main()), LTL(G ! data-race) )\n").expect("a file");
    for name in ["library/rand_unsafe.c", "library/strtok_unsafe.c"] {
        let file = program(name);
        let line = ["sv-comp", "--property", "race.prp", "--data-model", "LP64", &file];
        assert_eq!(said(&heddle(&folder, &line)).1, "true\n", "{name}");
        let line = [&line[..], &["--libc", "standard"]].concat();
        assert_eq!(said(&heddle(&folder, &line)).1, "false(no-data-race)\n", "{name}");
    }
}

#[test]
fn proofs_list_their_premises() {
    let folder = folder("premises");
    let file = program("memory/members_safe.c");
    let check = ["check", "--property", "memory", "--html", "r.html", "--sarif", "r.sarif", &file];
    let (status, text) = said(&heddle(&folder, &check));
    assert_eq!(status, 0, "{text}");
    let note = "assuming that no index leads out of an array into its neighbour in the same structure or array";
    assert!(text.contains(note), "{text}");
    for name in ["r.html", "r.sarif"] {
        let text = std::fs::read_to_string(folder.join(name)).expect("a file");
        assert!(text.contains(note), "{name}");
    }
    let (_, members) = report(&folder, &["check", "--property", "memory", &file]);
    assert_eq!(members["results"][0]["premises"][0]["kind"], "members");
    let (_, none) = report(&folder, &["check", &program("bank/mutex.c")]);
    assert_eq!(none["results"][0]["premises"], Value::Null);
    let constant = program("memory/members_constant_safe.c");
    let (_, none) = report(&folder, &["check", "--property", "memory", "--engine", "explore", &constant]);
    assert_eq!(none["results"][0]["premises"], Value::Null);
    let (status, strict) = report(&folder, &["check", "--property", "memory", "--strict", &file]);
    assert_eq!(status, 2);
    assert_eq!(strict["results"][0]["reasons"][0]["kind"], "premise");
    assert_eq!(report(&folder, &["check", "--strict", &program("bank/mutex.c")]).0, 0);
}

/// Statements that may write a `const` object, and ones that certainly do not.
#[test]
fn proofs_tell_that_nothing_const_is_written() {
    let folder = folder("constants");
    let programs = [
        ("literal.c", "int main(void) { const int *one = &(const int){1}; *(int *)one = 2; return *one; }", true),
        ("again.c", "int main(void) { *(int *)&(const int){1} = 2; return 0; }", true),
        ("line.c", "int main(void) { const int a[2] = {1, 2}; ((int *)a)[1] = 5; return a[1]; }", true),
        ("class.cpp", "struct S { int x; S() : x(1) {} }; int main() { const S s; ((S &)s).x = 4; return s.x; }", true),
        (
            "value.c",
            "struct big { int a[20]; }; static int f(const struct big b) { ((struct big *)&b)->a[1] = 1; return b.a[1]; } \
             int main(void) { struct big b = {{0}}; return f(b); }",
            true,
        ),
        ("pair.c", "struct pair { int x, y; } p; int main(void) { p = (struct pair){.y = 2}; return p.y; }", false),
        ("read.c", "static int f(const int *p) { return *p; } int main(void) { return f(&(const int){1}); }", false),
        (
            "result.c",
            "struct big { int a[20]; }; static struct big f(int x) { struct big b; b.a[0] = x; return b; } \
             int main(void) { const struct big b = f(1); return b.a[0]; }",
            false,
        ),
    ];
    for (name, text, is_taken) in programs {
        std::fs::write(folder.join(name), text).expect("the folder should be writable");
        let (status, report) = report(&folder, &["check", "--property", "memory", name]);
        assert_eq!(status, 0, "{name}");
        let premises = report["results"][0]["premises"].as_array().map_or(&[][..], Vec::as_slice);
        assert_eq!(premises.iter().any(|premise| premise["kind"] == "constants"), is_taken, "{name}: {premises:?}");
    }
}

/// Reports may name every premise, and nothing else.
#[test]
fn the_schema_of_reports_has_all_premises() {
    let schema = common::schema("docs/report.schema.json");
    let kinds: Vec<Value> = ir::Premise::ALL.iter().map(|premise| serde_json::json!(premise)).collect();
    assert_eq!(schema["$defs"]["premise"]["properties"]["kind"]["enum"], Value::Array(kinds));
}
