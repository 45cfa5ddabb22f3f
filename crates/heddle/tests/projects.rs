//! Projects: compile commands, settings, baselines, the cache, and runs that are killed or run concurrently.

mod common;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const QUEUE: &str = "\
#include \"queue.h\"
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
int total;
void put(void) {
    pthread_mutex_lock(&m);
    if (n < CAPACITY) n++;
    pthread_mutex_unlock(&m);
    total++;
}
";

const TEST: &str = "\
#include \"queue.h\"
#include <assert.h>
#include <pthread.h>
static void *putter(void *unused) { put(); return unused; }
int test_queue(void) {
    pthread_t one, two;
    pthread_create(&one, 0, putter, 0);
    pthread_create(&two, 0, putter, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(total == 2);
    return 0;
}
";

/// A project with a queue, its test, and a file that nothing needs and that does not compile.
struct Project {
    root: PathBuf,
}

impl Project {
    fn new(name: &str) -> Project {
        let root = std::env::temp_dir().join(format!("heddle-projects-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        let project = Project { root };
        project.write("include/queue.h", "void put(void);\nextern int total;\n");
        project.write("src/queue.c", QUEUE);
        project.write("src/broken.c", "this is not C\n");
        project.write("tests/queue_test.c", TEST);
        project.write_commands(&["src/queue.c", "src/broken.c", "tests/queue_test.c"]);
        project
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.root.join(file);
        std::fs::create_dir_all(path.parent().expect("it should have a folder")).expect("the folder should be made");
        std::fs::write(path, text).expect("the file should be written");
    }

    /// Both forms of commands, relative to the build directory.
    fn write_commands(&self, files: &[&str]) {
        let entries = files.iter().enumerate().map(|(index, file)| {
            let file = format!("../{file}");
            let flags = "-DCAPACITY=4 -I../include -O2 -Wall -c";
            let directory = self.root.join("build");
            if index % 2 == 0 {
                return serde_json::json!({ "directory": directory, "file": file, "command": format!("cc {flags} {file} -o x.o") });
            }
            let words: Vec<&str> = std::iter::once("cc").chain(flags.split(' ')).chain([file.as_str()]).collect();
            serde_json::json!({ "directory": directory, "file": file, "arguments": words })
        });
        self.write("build/compile_commands.json", &Value::from(entries.collect::<Vec<_>>()).to_string());
    }

    fn heddle(&self, line: &str) -> Output {
        self.heddle_in(&self.root, line)
    }

    fn heddle_in(&self, folder: &Path, line: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
        command.args(line.split_whitespace()).current_dir(folder);
        command.output().expect("heddle should start")
    }

    /// The exit status and the report.
    fn report(&self, line: &str) -> (i32, Value) {
        let output = self.heddle(&format!("{line} --format json"));
        (status(&output), common::report(&String::from_utf8_lossy(&output.stdout)))
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

fn status(output: &Output) -> i32 {
    output.status.code().expect("heddle should end by itself")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn what_is_called_is_taken_from_the_project() {
    let project = Project::new("closure");
    let (code, report) = project.report("check -p build --entry test_queue");
    assert_eq!(code, 1, "{report}");
    assert_eq!(report["files"], serde_json::json!(["tests/queue_test.c", "src/queue.c"]));
    let (code, report) = project.report("check -p build/compile_commands.json tests/queue_test.c --entry test_queue");
    assert_eq!((code, report["files"].as_array().map(Vec::len)), (1, Some(2)), "a file may be named");
    let replayed = project.heddle("check -p build --entry test_queue --trace-out bug.trace");
    assert_eq!(status(&replayed), 1);
    assert_eq!(status(&project.heddle("replay -p build bug.trace")), 1, "the trace says what it starts in");
}

#[test]
fn what_is_wrong_with_a_project_is_reported() {
    let project = Project::new("wrong");
    let refused = |line: &str, expected: &str| {
        let output = project.heddle(line);
        assert_eq!(status(&output), 3, "{line}");
        assert!(errors(&output).contains(expected), "{line}: {}", errors(&output));
    };
    refused("check -p nowhere", "cannot read nowhere");
    refused("check -p build", "defines the function `main`");
    project.write("src/other.c", "void put(void) {}\n");
    project.write_commands(&["src/queue.c", "src/other.c", "tests/queue_test.c"]);
    refused("check -p build --entry test_queue", "`put` is defined in src/other.c and in src/queue.c");
    let named = project.heddle("check -p build --entry test_queue tests/queue_test.c src/queue.c");
    assert_eq!(status(&named), 1, "the file that is meant can be named");
    // A file that might be needed and does not compile is reported, and is no error.
    project.write("src/other.c", "int mystery(void) { return is not C; }\n");
    project.write("tests/queue_test.c", &TEST.replace("assert(total == 2);", "if (total > 2) mystery();"));
    let output = project.heddle("check -p build --entry test_queue --property deadlock");
    assert_eq!(status(&output), 0, "{}", errors(&output));
    assert!(errors(&output).contains("warning: src/other.c does not compile"), "{}", errors(&output));
    project.write("build/compile_commands.json", "{}");
    refused("check -p build", "is not a compilation database: it should be a list");
    project.write("build/compile_commands.json", "[{\"file\": \"a.c\"}]");
    refused("check -p build", "entry 1: there is neither `arguments` nor `command`");
}

/// Writes files and a compile command for each, and asks about `test_q`.
fn asked(project: &Project, files: &[(&str, &str)]) -> (i32, Vec<String>, String) {
    let mut names = Vec::new();
    for (name, text) in files {
        project.write(name, text);
        names.push(*name);
    }
    project.write_commands(&names);
    let output = project.heddle("check -p build --entry test_q --format json");
    let report = common::report(&String::from_utf8_lossy(&output.stdout));
    let mut used: Vec<String> =
        report["files"].as_array().into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect();
    used.sort();
    (status(&output), used, errors(&output))
}

/// The result of checking an entry of a project: the status, the files, and the messages.
fn started(project: &Project, entry: &str, more: &str) -> (i32, Vec<String>, String) {
    let output = project.heddle(&format!("check -p build --format json {more} --entry {entry}"));
    let report = match output.stdout.is_empty() {
        true => Value::Null,
        false => common::report(&String::from_utf8_lossy(&output.stdout)),
    };
    let files = report["files"].as_array().into_iter().flatten();
    let files = files.filter_map(|name| name.as_str().map(str::to_owned)).collect();
    (status(&output), files, errors(&output))
}

#[test]
fn the_entry_may_be_static() {
    let project = Project::new("static");
    // Nothing calls it, so clang leaves it out unless it is told not to.
    project.write("tests/queue_test.c", &TEST.replace("int test_queue", "static int test_queue"));
    let (code, files, said) = started(&project, "test_queue", "");
    assert_eq!((code, files), (1, vec!["tests/queue_test.c".to_owned(), "src/queue.c".to_owned()]), "{said}");
    assert_eq!(started(&project, "test_queue", "tests/queue_test.c").0, 1, "the file may be named");
    assert_eq!(started(&project, "queue_test.c:test_queue", "").0, 1, "so may the end of its path, with the function");
    let alone = project.heddle("check --entry test_queue -Iinclude -DCAPACITY=4 src/queue.c tests/queue_test.c");
    assert_eq!(status(&alone), 1, "nor is a project needed: {}", errors(&alone));
    let traced = project.heddle("check -p build --entry queue_test.c:test_queue --trace-out bug.trace");
    assert_eq!(status(&traced), 1);
    assert_eq!(status(&project.heddle("replay -p build bug.trace")), 1, "the trace says what it starts in");
}

#[test]
fn of_several_static_entries_one_has_to_be_chosen() {
    let project = Project::new("several");
    let test = |value: u32, more: &str| {
        format!("#include <assert.h>\nstatic int n = {value};\n{more}\nstatic int test_q(void) {{ assert(n == 1); return 0; }}\n")
    };
    // One of them is used, one is not, and one is not C, which does not matter.
    project.write("a.c", &test(1, "static int test_q(void);\nint (*tests[])(void) = {test_q};"));
    project.write("sub/b.c", &test(2, ""));
    project.write_commands(&["src/broken.c", "a.c", "sub/b.c"]);
    let (code, _, said) = started(&project, "test_q", "");
    assert_eq!(code, 3);
    let expected = "error: the function `test_q` to start in may be that of a.c or of sub/b.c\n  \
                    help: say which is meant, for example with --entry a.c:test_q\n";
    assert!(said.contains(expected), "{said}");
    assert_eq!(started(&project, "a.c:test_q", ""), (0, vec!["a.c".to_owned()], String::new()));
    assert_eq!(started(&project, "b.c:test_q", ""), (1, vec!["sub/b.c".to_owned()], String::new()));
    assert_eq!(started(&project, "test_q", "sub/b.c").0, 1, "what is named counts first");
    for (entry, code) in [("a.c:test_q", 0), ("sub/b.c:test_q", 1), ("test_q", 3), ("b.c:no", 3), ("c.c:test_q", 3)] {
        let output = project.heddle(&format!("check a.c sub/b.c --entry {entry}"));
        assert_eq!(status(&output), code, "{entry}: {}", errors(&output));
    }
    for (entry, expected) in [
        ("b.c:no", "error: b.c defines no function `no` to start in"),
        ("c.c:test_q", "error: build/compile_commands.json has no file c.c"),
    ] {
        let (code, _, said) = started(&project, entry, "");
        assert!(code == 3 && said.contains(expected), "{said}");
    }
    // An external function of that name is chosen, unless the file is given; and callers still call it.
    let shared = "#include <assert.h>\nint test_q(void) { assert(0); return 0; }\n";
    project.write("shared.c", shared);
    project.write("caller.c", "int test_q(void);\nint call(void) { return test_q(); }\n");
    let calling = test(1, "int call(void);").replace("assert(n == 1)", "assert(n == 1); call()");
    project.write("a.c", &calling);
    project.write_commands(&["a.c", "sub/b.c", "shared.c", "caller.c"]);
    let (code, files, said) = started(&project, "test_q", "");
    assert_eq!((code, files), (1, vec!["shared.c".to_owned()]), "{said}");
    let (code, files, said) = started(&project, "a.c:test_q", "");
    assert_eq!((code, files), (1, vec!["a.c".into(), "caller.c".into(), "shared.c".into()]), "{said}");
    project.write("shared.c", &shared.replace("assert(0);", ""));
    assert_eq!(started(&project, "a.c:test_q", "").0, 0, "call() calls the shared one, and not itself again");
    // Without the external one, the callee is unknown; it is not the static one.
    project.write_commands(&["a.c", "sub/b.c", "caller.c"]);
    assert_eq!(started(&project, "a.c:test_q", "--property memory").0, 2);
}

#[test]
fn one_of_several_programs_of_a_project_is_chosen_by_its_file() {
    let project = Project::new("mains");
    project.write("one.c", "#include <assert.h>\nint main(void) { assert(1); return 0; }\n");
    project.write("two.c", "#include <assert.h>\nint main(void) { assert(0); return 0; }\n");
    project.write_commands(&["one.c", "two.c"]);
    assert!(started(&project, "main", "").2.contains("`main` is defined in one.c and in two.c"));
    assert_eq!(started(&project, "one.c:main", "").0, 0);
    assert_eq!(started(&project, "two.c:main", "").0, 1);
    // A weak definition that is overridden cannot be an entry.
    project.write("weak.c", "__attribute__((weak)) int main(void) { return 0; }\n");
    let output = project.heddle("check weak.c two.c --entry weak.c:main");
    assert!(errors(&output).contains("the weak definition of `main` in weak.c gives way to that in two.c"));
}

#[test]
fn definitions_are_chosen_as_a_linker_does() {
    let project = Project::new("linker");
    let asks = "#include <assert.h>\nint get(void);\nint test_q(void) { assert(get() == 1); return 0; }\n";
    let (weak, strong) = ("__attribute__((weak)) int get(void) { return 1; }\n", "int get(void) { return 2; }\n");
    let (code, used, _) = asked(&project, &[("a.c", asks), ("weak.c", weak)]);
    assert_eq!((code, used), (0, vec!["a.c".into(), "weak.c".into()]), "the weak one, for there is no other");
    let (code, used, _) = asked(&project, &[("a.c", asks), ("weak.c", weak), ("strong.c", strong)]);
    assert_eq!((code, used), (1, vec!["a.c".into(), "strong.c".into()]));
    // A weak definition in the file itself is overridden too.
    let own = format!("{weak}{asks}");
    assert_eq!(asked(&project, &[("a.c", &own)]).0, 0);
    let (code, used, said) = asked(&project, &[("a.c", &own), ("strong.c", strong)]);
    assert_eq!((code, used), (1, vec!["a.c".into(), "strong.c".into()]));
    assert!(said.contains("warning: the weak definition of `get` gives way to that in strong.c"), "{said}");
    let other = "__attribute__((weak)) int get(void) { return 3; }\n";
    project.write("a.c", asks);
    project.write("other.c", other);
    project.write_commands(&["a.c", "weak.c", "other.c"]);
    let refused = project.heddle("check -p build --entry test_q");
    assert_eq!(status(&refused), 3, "which of two weak ones counts depends on their order");
    assert!(errors(&refused).contains("`get` is defined in other.c and in weak.c"), "{}", errors(&refused));
    // A weak reference is null, or the existing definition.
    let hook = "#include <assert.h>\n__attribute__((weak)) extern int hook(void);\n\
                int test_q(void) { if (hook) assert(hook() == 0); return 0; }\n";
    assert_eq!(asked(&project, &[("a.c", hook)]).0, 0);
    assert_eq!(asked(&project, &[("a.c", hook), ("hook.c", "int hook(void) { return 1; }\n")]).0, 1);
}

#[test]
fn projects_have_files_of_both_languages_and_names_of_their_own() {
    let project = Project::new("languages");
    let asks = "#include <assert.h>\nint one(void), two(void);\n\
                int test_q(void) { assert(10 * one() + two() == 12); return 0; }\n";
    // Each has a function and a variable of the same name that the other cannot see.
    let own = |name: &str, value: u32| {
        format!("static int n = {value};\nstatic int own(void) {{ return n; }}\nint {name}(void) {{ return own(); }}\n")
    };
    let (one, two) = (own("one", 1), own("two", 2));
    let (code, used, said) = asked(&project, &[("a.c", asks), ("one.c", &one), ("two.c", &two)]);
    assert_eq!((code, used.len()), (0, 3), "{said}");
    assert_eq!(asked(&project, &[("a.c", asks), ("one.c", &own("one", 3)), ("two.c", &two)]).0, 1);
    // One of them in C++, with threads and a lock.
    let guarded = "#include <pthread.h>\nnamespace {\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint n;\n\
        template <int K> struct Adder { static void *run(void *p) {\n\
        pthread_mutex_lock(&m); n += K; pthread_mutex_unlock(&m); return p; } };\n}\n\
        extern \"C\" int two(void) {\n  pthread_t a, b;\n  pthread_create(&a, nullptr, Adder<1>::run, nullptr);\n  \
        pthread_create(&b, nullptr, Adder<1>::run, nullptr);\n  pthread_join(a, nullptr);\n  pthread_join(b, nullptr);\n  \
        return n;\n}\n";
    let (code, used, said) = asked(&project, &[("a.c", asks), ("one.c", &own("one", 1)), ("two.cpp", guarded)]);
    assert_eq!((code, used.last().map(String::as_str)), (0, Some("two.cpp")), "{said}");
    let torn = guarded.replace("pthread_mutex_lock(&m);", "").replace("pthread_mutex_unlock(&m);", "");
    assert_eq!(asked(&project, &[("a.c", asks), ("one.c", &own("one", 1)), ("two.cpp", &torn)]).0, 1);
}

#[test]
fn of_several_commands_for_a_file_the_first_counts_and_is_reported() {
    let project = Project::new("repeated");
    project.write("a.c", "#include <assert.h>\nint test_q(void) { assert(N == 1); return 0; }\n");
    let commands = |options: &[&str]| {
        let directory = project.root.join("build");
        let entries = options.iter().map(|option| {
            serde_json::json!({ "directory": directory, "file": "../a.c", "command": format!("cc {option} -c ../a.c") })
        });
        project.write("build/compile_commands.json", &Value::from(entries.collect::<Vec<_>>()).to_string());
    };
    commands(&["-DN=1 -O1", "-DN=1 -O2"]);
    let same = project.heddle("check -p build --entry test_q");
    assert_eq!((status(&same), errors(&same).as_str()), (0, ""), "they mean the same");
    commands(&["-DN=1", "-DN=2", "-DN=1 -m32"]);
    let output = project.heddle("check -p build --entry test_q");
    assert_eq!(status(&output), 0, "{}", errors(&output));
    let expected =
        "warning: a.c is compiled in 3 ways by build/compile_commands.json; it is taken as in the first, with -DN=1\n";
    assert!(errors(&output).contains(expected), "{}", errors(&output));
    commands(&["-DN=2", "-DN=1"]);
    assert_eq!(status(&project.heddle("check -p build --entry test_q")), 1);
}

#[test]
fn settings_are_found_and_paths_are_relative_to_them() {
    let project = Project::new("settings");
    let init = project.heddle("init");
    assert_eq!(status(&init), 0, "{}", errors(&init));
    assert_eq!(status(&project.heddle("init")), 3, "what is there is left as it is");
    let output = project.heddle_in(&project.root.join("src"), "check --entry test_queue --format json");
    let report = common::report(&String::from_utf8_lossy(&output.stdout));
    assert_eq!(status(&output), 1);
    let properties: Vec<&str> =
        report["results"].as_array().into_iter().flatten().filter_map(|result| result["property"].as_str()).collect();
    assert_eq!(properties, ["unreach", "race", "deadlock"], "as the settings say");
    assert!(report["settings"].as_str().is_some_and(|file| file.ends_with("heddle.toml")));
    assert!(project.root.join(".heddle/cache").is_dir(), "beside the settings, not here");
    let output = project.heddle("check --no-config --entry test_queue");
    assert!(errors(&output).contains("required arguments"), "without settings no project: {}", errors(&output));
    project.write("heddle.toml", "[check]\nproject = \"build\"\ntime-out = 3\n");
    let output = project.heddle("check --entry test_queue");
    assert_eq!(status(&output), 3);
    assert!(errors(&output).contains("heddle.toml:3: there is no setting `time-out`"), "{}", errors(&output));
}

#[test]
fn commands_are_found_and_used_where_names_have_spaces() {
    let project = Project::new("with spaces");
    project.write("include dir/queue.h", "void put(void);\nextern int total;\n");
    project.write("src/the queue.c", QUEUE);
    let (root, flags) = (project.root.display(), "-DCAPACITY=4 '-I../include dir' -c");
    let entries = serde_json::json!([
        { "directory": ".", "file": "../src/the queue.c", "command": format!("cc {flags} '../src/the queue.c'") },
        { "directory": format!("{root}/the build"), "file": format!("{root}/tests/queue_test.c"),
          "command": format!("cc -I\"{root}/include dir\" -c ../tests/queue_test.c") },
    ]);
    std::fs::remove_dir_all(project.root.join("build")).expect("it should be removable");
    project.write("the build/compile_commands.json", &entries.to_string());
    let init = project.heddle("init");
    assert!(String::from_utf8_lossy(&init.stdout).contains("found in the build;"), "{}", errors(&init));
    let output = project.heddle_in(&project.root.join("src"), "check --entry test_queue --property unreach");
    assert_eq!(status(&output), 1, "{}", errors(&output));
}

#[test]
fn unchanged_programs_answer_from_the_cache() {
    let project = Project::new("cache");
    let line = "check -p build --entry test_queue --property unreach,deadlock --cache kept";
    let from_cache = |report: &Value| -> Vec<bool> {
        let results = report["results"].as_array().into_iter().flatten();
        results.map(|result| result["from_cache"].as_bool().unwrap_or(false)).collect()
    };
    let (code, first) = project.report(line);
    assert_eq!((code, from_cache(&first)), (1, vec![false, false]));
    let (code, second) = project.report(line);
    assert_eq!((code, from_cache(&second)), (1, vec![true, true]));
    assert_eq!(first["results"][0]["counterexample"], second["results"][0]["counterexample"]);
    assert_eq!(first["results"][1]["proof"], second["results"][1]["proof"]);
    let (_, other) = project.report(&format!("{line} --memory-model tso"));
    assert_eq!(from_cache(&other), [false, false], "another question");
    // `auto` confirms a proof unasked if time allows, so whether the cached one is confirmed is read from the report.
    let is_confirmed = second["results"][1]["confirmed"] == "rechecked";
    let (_, checked) = project.report(&format!("{line} --check"));
    assert_eq!(
        from_cache(&checked),
        [true, is_confirmed],
        "a proof that is to be confirmed needs to be a confirmed one"
    );
    assert_eq!(checked["results"][1]["confirmed"], "rechecked");
    project.write("src/queue.c", &QUEUE.replace("    total++;\n", ""));
    let (code, changed) = project.report(line);
    assert_eq!((code, from_cache(&changed)), (1, vec![false, false]), "another program");
    project.write(
        "src/queue.c",
        &QUEUE.replace("pthread_mutex_unlock(&m);\n    total++", "total++;\n    pthread_mutex_unlock(&m)"),
    );
    let (code, fixed) = project.report(line);
    assert_eq!((code, from_cache(&fixed)), (0, vec![false, false]), "the bug is gone");
}

#[test]
fn damaged_entries_are_no_answers() {
    let project = Project::new("damaged");
    let line = "check -p build --entry test_queue --cache kept";
    assert_eq!(project.report(line).0, 1);
    let entries = std::fs::read_dir(project.root.join("kept")).expect("the cache should be there");
    let files: Vec<PathBuf> = entries.map(|entry| entry.expect("it should be readable").path()).collect();
    assert_eq!(files.len(), 1);
    let text = std::fs::read_to_string(&files[0]).expect("it should be readable");
    let mut entry: Value = serde_json::from_str(&text).expect("it should be JSON");
    // A prefix of the run violates nothing.
    let steps = entry["decided"]["Unsafe"].as_array_mut().expect("it should be a run");
    steps.truncate(steps.len() / 2);
    for damaged in [entry.to_string(), String::new(), text.replace("\"thread\":1", "\"thread\":7"), "{}".to_owned()] {
        std::fs::write(&files[0], damaged).expect("it should be written");
        let (code, report) = project.report(line);
        assert_eq!((code, &report["results"][0]["from_cache"]), (1, &Value::Null));
    }
}

#[test]
fn only_what_is_new_counts() {
    let project = Project::new("baseline");
    let line = "check -p build --entry test_queue --property unreach,race,deadlock --baseline known.json";
    assert_eq!(status(&project.heddle(line)), 3, "there is no baseline yet");
    let written = project.heddle(&format!("{line} --update-baseline"));
    assert_eq!(status(&written), 0, "all that is there is known then: {}", errors(&written));
    let states = |report: &Value| -> Vec<String> {
        let results = report["results"].as_array().into_iter().flatten();
        results.map(|result| result["baseline"].as_str().unwrap_or("-").to_owned()).collect()
    };
    let (code, report) = project.report(line);
    assert_eq!((code, states(&report)), (0, vec!["known".into(), "known".into(), "-".into()]));
    assert_eq!(report["results"][0]["verdict"], "unsafe", "known is not safe");
    // Lines move, and known findings stay known.
    project.write("tests/queue_test.c", &format!("/* more */\n\n{TEST}"));
    assert_eq!(project.report(line).0, 0);
    // Another assertion that can fail is found behind the known one.
    project.write("tests/queue_test.c", &TEST.replace("    return 0;", "    assert(total != 2);\n    return 0;"));
    let (code, report) = project.report(line);
    assert_eq!((code, states(&report)[0].as_str()), (1, "new"));
    assert!(report["results"][0]["counterexample"]["message"].as_str().is_some_and(|text| text.contains("total != 2")));
    // So is another race.
    project.write("tests/queue_test.c", &TEST.replace("put(); return", "put(); extern int more; more++; return"));
    project.write("src/more.c", "int more;\n");
    project.write_commands(&["src/queue.c", "src/more.c", "tests/queue_test.c"]);
    let (code, report) = project.report(line);
    assert_eq!((code, states(&report)), (1, vec!["known".into(), "new".into(), "-".into()]));
    let sarif = project.heddle(&format!("{line} --sarif out.sarif"));
    assert_eq!(status(&sarif), 1);
    let text = std::fs::read_to_string(project.root.join("out.sarif")).expect("it should be written");
    assert!(text.contains("\"baselineState\": \"new\"") && text.contains("\"baselineState\": \"unchanged\""));
}

#[test]
fn unknown_can_be_known_too() {
    let project = Project::new("unknown");
    project.write(
        "m.c",
        "void mystery(void);\n#include <assert.h>\nint x;\nint main(void) { mystery(); assert(x == 0); }\n",
    );
    let line = "check m.c --baseline known.json";
    assert_eq!(status(&project.heddle(&format!("{line} --update-baseline"))), 0);
    let (code, report) = project.report(line);
    assert_eq!((code, &report["results"][0]["verdict"]), (0, &Value::from("unknown")));
    assert_eq!(status(&project.heddle("check m.c")), 2);
}

#[test]
fn ten_runs_share_a_cache_and_do_not_disturb_each_other() {
    let project = Project::new("ten");
    let runs: Vec<_> = (0..10)
        .map(|index| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
            command.args([
                "check",
                "-p",
                "build",
                "--entry",
                "test_queue",
                "--property",
                "unreach,deadlock",
                "--cache",
                "kept",
            ]);
            command.args(["--html", &format!("{index}.html"), "--jobs", "1"]).current_dir(&project.root);
            command.stdout(std::process::Stdio::piped()).spawn().expect("heddle should start")
        })
        .collect();
    let outputs: Vec<Output> = runs.into_iter().map(|run| run.wait_with_output().expect("it should end")).collect();
    for output in &outputs {
        assert_eq!(status(output), 1);
    }
    let pages: Vec<String> = (0..10)
        .map(|index| std::fs::read_to_string(project.root.join(format!("{index}.html"))).expect("it should be whole"))
        .collect();
    assert!(pages.iter().all(|page| page.trim_end().ends_with("</html>")));
    let left: Vec<String> = std::fs::read_dir(project.root.join("kept"))
        .expect("the cache should be there")
        .map(|entry| entry.expect("it should be readable").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(left.len(), 2, "one entry for each question, nothing half-written: {left:?}");
}

/// A long run that writes files when it is killed must not leave half of one.
#[test]
fn a_run_that_is_killed_leaves_no_half_written_file() {
    let project = Project::new("killed");
    let long = "#include <assert.h>\n#include <pthread.h>\nunsigned x = 1, y;\n\
        static void *f(void *a) { for (;;) { x = x * 3 + y; y ^= x >> 7; } return a; }\n\
        int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f, 0); assert(x != 12345 || y != 54321); }\n";
    project.write("long.c", long);
    for signal in ["TERM", "INT", "KILL"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
        command.args(["check", "long.c", "--timeout", "60", "--html", "out.html", "-o", "out.txt", "--cache", "kept"]);
        let mut run = command.current_dir(&project.root).spawn().expect("heddle should start");
        std::thread::sleep(std::time::Duration::from_millis(1500));
        let killed = Command::new("kill").args(["-s", signal, &run.id().to_string()]).status();
        assert!(killed.is_ok_and(|status| status.success()), "it should still run");
        let ended = run.wait().expect("it should end");
        assert_eq!(ended.code(), if signal == "KILL" { None } else { Some(2) }, "{signal}");
        for (name, end) in [("out.html", "</html>"), ("out.txt", "")] {
            let Ok(text) = std::fs::read_to_string(project.root.join(name)) else {
                assert_eq!(signal, "KILL", "what is known is reported");
                continue;
            };
            assert!(text.trim_end().ends_with(end) && !text.is_empty(), "{name} should be whole");
            std::fs::remove_file(project.root.join(name)).expect("it should be removable");
        }
        let names = std::fs::read_dir(&project.root).expect("the project should be there");
        let names: Vec<String> =
            names.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned()).collect();
        assert!(names.iter().all(|name| !name.contains("out.")), "nothing is left over: {names:?}");
    }
}

/// The findings of the second program are new to the baseline of the first.
fn is_new(name: &str, options: &str, before: &str, after: &str) {
    let project = Project::new(name);
    let line = format!("check p.c --timeout 60 --baseline known.json {options}");
    project.write("p.c", before);
    let known = project.heddle(&format!("{line} --update-baseline"));
    assert_eq!(status(&known), 0, "{name}: {}", errors(&known));
    assert_eq!(status(&project.heddle(&line)), 0, "{name}: what is known is known");
    project.write("p.c", after);
    let output = project.heddle(&line);
    assert_ne!(status(&output), 0, "{name}: {}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn reports_tell_what_the_baseline_has() {
    let project = Project::new("told");
    let source = |more: &str| {
        format!(
            "#include <assert.h>\nextern _Bool __VERIFIER_nondet_bool(void);\nint y = 1;\n\
             int main(void) {{\n  _Bool n = __VERIFIER_nondet_bool();\n  assert(n);\n{more}  return 0;\n}}\n"
        )
    };
    // Values are tried in a fixed order, so that the known finding is found first.
    let line = "check a.c --no-config --engine explore --baseline known.json --html out.html";
    let told = |line: &str| {
        let said = String::from_utf8_lossy(&project.heddle(line).stdout).into_owned();
        let page = std::fs::read_to_string(project.root.join("out.html")).expect("it should be written");
        let start = page.find("<p class=\"baseline\">").expect("the page should tell") + 20;
        (said, page[start..].split("</p>").next().unwrap_or_default().to_owned())
    };
    project.write("a.c", &source(""));
    assert_eq!(status(&project.heddle(&format!("{line} --update-baseline"))), 0);
    let (said, page) = told(line);
    assert!(said.contains("  in the baseline: it does not count\n"), "{said}");
    assert_eq!(page, "in the baseline: it does not count");
    project.write("a.c", &source("  assert(y == 2);\n"));
    let expected = "not in the baseline, where there is \u{201c}assertion failed: n\u{201d}";
    let (said, page) = told(line);
    assert!(said.contains(expected), "{said}");
    assert_eq!(page, expected);
    assert_eq!(project.report(line).1["results"][0]["known"], serde_json::json!(["assertion failed: n"]));
}

#[test]
fn what_is_known_does_not_hide_what_is_new() {
    // Known assertions that always fail would hide what follows them in the program itself.
    let helper = "#include <assert.h>\nextern _Bool __VERIFIER_nondet_bool(void);\nint y = 1;\n\
        void check(int ok) {\n  assert(ok);\n}\nint main(void) {\n  check(__VERIFIER_nondet_bool());\n";
    is_new("helper", "", &format!("{helper}}}\n"), &format!("{helper}  check(y == 7);\n}}\n"));
    let lines = "#include <assert.h>\nextern _Bool __VERIFIER_nondet_bool(void);\nint y = 1;\n\
        int main(void) {\n  assert(\n    __VERIFIER_nondet_bool());\n";
    is_new("lines", "", &format!("{lines}}}\n"), &format!("{lines}  assert(\n    y == 7);\n}}\n"));
    let race = |more: &str| {
        format!(
            "#include <pthread.h>\nint x, y, *p = &x;\nvoid inc(int *at) {{\n  *at = 1;\n}}\n\
            void *f(void *a) {{\n  inc(p);\n  {more}\n  return a;\n}}\n\
            int main(void) {{\n  pthread_t t, u;\n  pthread_create(&t, 0, f, 0);\n  pthread_create(&u, 0, f, 0);\n}}\n"
        )
    };
    for engine in ["auto", "explore"] {
        let options = format!("--property race --engine {engine}");
        is_new(&format!("race-{engine}"), &options, &race(""), &race("y = 2;"));
    }
    let mystery = |more: &str| {
        format!("void mystery(void);\n#include <assert.h>\nint x;\nint main(void) {{\n  mystery();\n  assert(x == 0);\n{more}}}\n")
    };
    is_new(
        "mystery",
        "--engine explore",
        &mystery(""),
        &mystery("  if (x) { int y = 0; other_mystery(&y); }\n")
            .replace("mystery();\n  assert", "mystery2();\n  assert"),
    );
    let deadlock = |more: &str| {
        format!("#include <pthread.h>\npthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n\
            void *f(void *u) {{\n  pthread_mutex_lock(&b);\n  pthread_mutex_lock(&a);\n  return u;\n}}\n\
            int main(void) {{\n  pthread_t t;\n  {more}\n  pthread_create(&t, 0, f, 0);\n  pthread_mutex_lock(&a);\n  pthread_mutex_lock(&b);\n  pthread_join(t, 0);\n}}\n")
    };
    is_new(
        "deadlock",
        "--property deadlock",
        &deadlock(""),
        &deadlock("pthread_mutex_lock(&a); pthread_mutex_lock(&a);"),
    );
}

#[test]
fn a_cache_that_cannot_be_used_costs_no_answer() {
    let project = Project::new("no-cache");
    project.write("file", "not a directory\n");
    let output = project.heddle("check -p build --entry test_queue --cache file");
    assert_eq!(status(&output), 1);
    assert!(errors(&output).contains("cannot be kept"), "{}", errors(&output));
}
