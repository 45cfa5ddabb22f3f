//! The models of library functions agree with the C library and with the standard: all tables of `cargo xtask library`,
//! with few random calls, in two halves that run concurrently.

use std::path::PathBuf;
use xtask::library::{run, tables, Plan};

fn root() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().map(PathBuf::from).unwrap_or(manifest)
}

/// Tables that take about as long as all others.
const LONG: [&str; 4] = ["string", "stdio", "unistd", "input"];

fn check(is_mine: impl Fn(&str) -> bool) {
    let names = tables(&root()).expect("the tables").into_iter().map(|table| table.name);
    let only: Vec<String> = names.filter(|name| is_mine(name)).collect();
    let mut told = Vec::new();
    let is_first_enough = std::env::var_os("HEDDLE_FIRST").is_some();
    let report =
        run(&Plan { only, is_first_enough, ..Plan::quick(root(), 1) }, &mut told).expect("the tests should run");
    assert!(report.failures.is_empty(), "{}", String::from_utf8_lossy(&told));
    // Tests recorded as passed are not run again.
    let has_asked = report.observations > 5_000 && report.noticed > 100;
    assert!(report.tests > 1000 && (has_asked || std::env::var_os("HEDDLE_PASSED").is_some()), "{report:?}");
}

#[test]
fn models_of_text_and_files_do_what_the_library_does() {
    check(|name| LONG.contains(&name));
}

#[test]
fn other_models_do_what_the_library_does() {
    check(|name| !LONG.contains(&name));
}
