//! The models of library functions are those of the C library and of the standard: a slice of `cargo xtask library`.

use std::path::PathBuf;
use xtask::library::{run, tables, Plan};

fn root() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().map(PathBuf::from).unwrap_or(manifest)
}

#[test]
fn models_do_what_the_library_does() {
    let mut told = Vec::new();
    let report = run(&Plan::quick(root(), 1), &mut told).expect("the tests should run");
    assert!(report.failures.is_empty(), "{}", String::from_utf8_lossy(&told));
    assert!(report.tests > 3000 && report.observations > 20_000, "{report:?}");
    // One wrong value for each test that compares values.
    let values: usize =
        tables(&root()).expect("the tables should be readable").iter().map(|table| table.rows.len()).sum();
    assert!(report.noticed > values, "{report:?}");
}
