//! The models of library functions are those of the C library and of the standard: a slice of `cargo xtask library`.

use std::path::PathBuf;
use xtask::library::{run, Plan};

/// Tables, and functions of those tables that take long as a whole.
const SLICE: [&str; 22] = [
    "barrier",
    "c11threads",
    "calls",
    "cond_bound",
    "ctype",
    "cxx_lock",
    "cxx_new",
    "exit",
    "fortify",
    "keys",
    "math",
    "once",
    "rwlock",
    "semaphore",
    "spin",
    "static_results",
    "verifier",
    "fgets",
    "memmove",
    "qsort",
    "realloc",
    "strtok_r",
];

fn root() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().map(PathBuf::from).unwrap_or(manifest)
}

#[test]
fn models_do_what_the_library_does() {
    let mut told = Vec::new();
    let plan = Plan { only: SLICE.map(str::to_owned).to_vec(), ..Plan::quick(root(), 1) };
    let report = run(&plan, &mut told).expect("the tests should run");
    assert!(report.failures.is_empty(), "{}", String::from_utf8_lossy(&told));
    assert!(report.tests > 1000 && report.observations > 13_000 && report.noticed > 200, "{report:?}");
}
