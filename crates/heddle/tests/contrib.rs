//! The files in `contrib` for other tools: the scripts are well formed and do what they claim, the YAML can be read.
//!
//! `shellcheck` and python's `yaml` are used where installed; without them that part is skipped, with a message.

mod folder;

use folder::folder;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn contrib(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib").canonicalize().expect("contrib").join(file)
}

const SCRIPTS: [&str; 4] =
    ["github-action/install.sh", "github-action/check.sh", "pre-commit/heddle-hook.sh", "smoketest.sh"];

/// A command in a folder, with `heddle` on the path and without the user's git configuration.
fn command(program: &Path, dir: &Path) -> Command {
    let mut path = Path::new(env!("CARGO_BIN_EXE_heddle")).parent().expect("a folder").as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut command = Command::new(program);
    command.current_dir(dir).stdin(Stdio::null()).env("PATH", path).env("NO_COLOR", "1");
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if ["GIT_", "GITHUB_", "HEDDLE_", "RUNNER_"].iter().any(|start| name.starts_with(start)) {
            command.env_remove(name);
        }
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

fn run(command: &mut Command) -> (i32, String) {
    let Output { status, stdout, stderr } = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    (status.code().expect("should not die of a signal"), text)
}

fn git(dir: &Path, args: &[&str]) {
    let (status, text) = run(command(Path::new("git"), dir).args(args));
    assert_eq!(status, 0, "git {args:?}: {text}");
}

fn is_installed(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Two threads count, with or without a lock.
fn program(has_lock: bool) -> String {
    let (lock, unlock) = if has_lock { ("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);") } else { ("", "") };
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include \"count.h\"\n\
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint x;\n\
         void *add(void *p) {{ {lock} x = x + STEP; {unlock} return p; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, add, 0); add(0); pthread_join(t, 0); assert(x == 2 * STEP); }}\n"
    )
}

#[test]
fn scripts_are_well_formed() {
    let has_shellcheck = is_installed("shellcheck");
    for script in SCRIPTS {
        let path = contrib(script);
        let mode = std::fs::metadata(&path).expect("the script").permissions().mode();
        assert_eq!(mode & 0o111, 0o111, "{script} may not be executed");
        let (status, text) = run(Command::new("bash").arg("-n").arg(&path));
        assert_eq!(status, 0, "{script}: {text}");
        if has_shellcheck {
            let (status, text) = run(Command::new("shellcheck").arg(&path));
            assert_eq!(status, 0, "{script}: {text}");
        }
    }
    if !has_shellcheck {
        testing::left_out("shellcheck is not installed");
    }
}

#[test]
fn yaml_says_what_is_needed() {
    if !is_installed("python3") || run(Command::new("python3").args(["-c", "import yaml"])).0 != 0 {
        testing::left_out("python3 has no module yaml");
        return;
    }
    let ask = |file: &str, question: &str| {
        let script = format!("import re, sys, yaml\nd = yaml.safe_load(open(sys.argv[1]))\nprint({question})");
        let (status, text) = run(Command::new("python3").arg("-c").arg(script).arg(contrib(file)));
        assert_eq!(status, 0, "{file}: {text}");
        text.trim().to_owned()
    };
    let action = "github-action/action.yml";
    assert_eq!(ask(action, "d['runs']['using']"), "composite");
    assert_eq!(ask(action, "all(s['shell'] == 'bash' for s in d['runs']['steps'])"), "True");
    assert_eq!(ask(action, "*sorted(d['inputs'])"), "allow-unknown args package sarif sha256");
    assert_eq!(ask(action, "*sorted(d['outputs'])"), "sarif verdict");
    // Inputs reach scripts through the environment only: interpolated into a script they would allow code injection.
    assert_eq!(ask(action, "any('{{' in s['run'] for s in d['runs']['steps'])"), "False");
    let hook = "d['repos'][0]['hooks'][0]";
    assert_eq!(ask("pre-commit/pre-commit-config.yaml", "d['repos'][0]['repo']"), "local");
    assert_eq!(ask("pre-commit/pre-commit-config.yaml", &format!("{hook}['args'][-1]")), "--");
    assert_eq!(ask("pre-commit/pre-commit-config.yaml", &format!("{hook}['entry']")), "tools/heddle-hook.sh");
    // Headers have type `c` as well, and are not programs.
    let files = format!("*[bool(re.search({hook}['files'], f)) for f in ('a.c', 'b/a.i', 'a.h', 'a.cc')]");
    assert_eq!(ask("pre-commit/pre-commit-config.yaml", &files), "True True False False");
}

#[test]
fn a_commit_is_judged_by_what_is_staged() {
    let dir = folder("hook");
    git(&dir, &["init", "--quiet", "."]);
    let hook = |args: &[&str], strict: &str| {
        let mut command = command(&contrib("pre-commit/heddle-hook.sh"), &dir);
        run(command.args(args).env("HEDDLE_HOOK_STRICT", strict))
    };
    assert_eq!(hook(&[], ""), (0, String::new()), "nothing is staged");

    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).expect("a file");
    write("count.h", "#define STEP 1\n");
    write("part.c", "int part;\n");
    write("talk.c", "/* main() calls it */\nint talk(void) { return 0; }\n");
    write("count.c", &program(false));
    git(&dir, &["add", "."]);
    // The working tree is fixed, the staged version is not.
    write("count.c", &program(true));
    let (status, text) = hook(&["--timeout", "60"], "");
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("unsafe: assertion can fail") && text.contains(" count.c:"), "{text}");
    assert!(text.contains("part.c defines no main") && text.contains("talk.c defines no main"), "{text}");

    git(&dir, &["add", "."]);
    let (status, text) = hook(&["--timeout", "60", "--property", "unreach,race"], "");
    assert_eq!((status, text.matches("safe: ").count()), (0, 2), "{text}");
    // As the framework calls it: with the files to be checked.
    let (status, text) = hook(&["--property", "race", "--", "count.c"], "");
    assert_eq!((status, text.matches("safe: ").count()), (0, 1), "{text}");

    write("open.c", "int f(void);\nint main(void) { return f(); }\n");
    assert_eq!(hook(&["--property", "memory", "--", "open.c"], "").0, 0, "an unknown passes");
    assert_eq!(hook(&["--property", "memory", "--", "open.c"], "1").0, 1, "unless it must not");
    write("broken.c", "int main(void) { return x; }\n");
    assert_eq!(hook(&["--", "broken.c"], "").0, 1);
}

#[test]
fn the_action_tells_the_verdict_and_where_the_findings_are() {
    let dir = folder("action");
    for (name, text) in [
        ("count.h", "#define STEP 1\n".to_owned()),
        ("good.c", program(true)),
        ("bad.c", program(false)),
        ("open.c", "int f(void);\nint main(void) { return f(); }\n".to_owned()),
    ] {
        std::fs::write(dir.join(name), text).expect("a file");
    }
    let check = |args: &str, allow: &str| {
        let outputs = dir.join("outputs");
        let _ = std::fs::remove_file(&outputs);
        let mut command = command(&contrib("github-action/check.sh"), &dir);
        command.env("HEDDLE_ARGS", args).env("HEDDLE_SARIF", "found.sarif").env("HEDDLE_ALLOW_UNKNOWN", allow);
        let (status, text) = run(command.env("GITHUB_OUTPUT", &outputs));
        (status, std::fs::read_to_string(&outputs).unwrap_or(text))
    };
    let told = |verdict: &str| format!("verdict={verdict}\nsarif=found.sarif\n");
    assert_eq!(check("--timeout 60 good.c", "false"), (0, told("safe")));
    assert_eq!(check("--timeout 60\n  bad.c", "false"), (1, told("unsafe")));
    let sarif = std::fs::read_to_string(dir.join("found.sarif")).expect("findings");
    assert!(sarif.contains("\"2.1.0\"") && sarif.contains("bad.c"), "{sarif}");
    assert_eq!(check("--property memory open.c", "false"), (2, told("unknown")));
    assert_eq!(check("--property memory open.c", "true"), (0, told("unknown")));
    assert_eq!(check("'no such file.c'", "false"), (3, told("error")));
    assert_eq!(check("good.c $(touch pwned) -- '-DSTEP=1 -w'", "false").0, 3);
    assert!(!dir.join("pwned").exists());
}
