//! What a test leaves out on this machine is said past the test harness, which keeps back what passing tests print.

use std::io::Write;

/// Says that something is left out.
pub fn left_out(what: &str) {
    writeln!(std::io::stderr(), "SKIPPED: {what}").expect("standard error");
}

/// Says that something is left out which `scripts/setup.sh tests` installs: with HEDDLE_STRICT (set by `.ci/run`) an error.
pub fn left_out_unless_strict(what: &str) {
    let is_strict = std::env::var_os("HEDDLE_STRICT").is_some();
    assert!(!is_strict, "{what}; scripts/setup.sh tests installs what is missing");
    left_out(what);
}
