//! A slice of `cargo xtask scaling`: verdicts in every mode, and sizes instead of times.

use std::path::Path;
use std::time::Duration;
use xtask::scaling::{measure, Case, CASES, MODES};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

fn number(case: &Case, mode: usize, name: &str) -> f64 {
    let measured =
        measure(root(), case, MODES[mode].1.clone(), Duration::from_secs(120)).expect("the program should load");
    assert_eq!(measured.is_right, Some(true), "{case:?} {}", MODES[mode].0);
    let value = measured.stats.iter().find(|(other, _)| *other == name).map(|(_, value)| value);
    value.expect("the number should be told")
}

#[test]
fn small_numbers_of_threads_are_decided_in_every_mode() {
    for case in CASES.iter().filter(|case| case.threads <= 2) {
        for mode in 0..MODES.len() {
            number(case, mode, "events");
        }
    }
}

#[test]
fn the_programs_with_many_threads_are_decided() {
    let is_large = |case: &&Case| matches!((case.file, case.threads), (_, 13 | 21 | 32));
    for case in CASES.iter().filter(is_large) {
        number(case, 0, "events");
    }
}

#[test]
fn pruning_keeps_link_sets_small_while_threads_double() {
    let indexer = |threads| Case { threads, ..CASES[4] };
    assert_eq!(CASES[4].file, "indexer.c");
    assert!(number(&indexer(12), 1, "links") > 4.0 * number(&indexer(12), 0, "links"));
    // Four times as much for twice as many threads would be quadratic. Collisions grow faster than threads at first.
    assert!(number(&indexer(32), 0, "events") < 4.0 * number(&indexer(16), 0, "events"));
    assert!(number(&indexer(32), 0, "largest_link_set") <= 2.0);
}
