//! A short slice of the measurement of interference abstractions: verdicts and sizes of the smallest programs.

use engines::interference::{Form, Mode, Options as Interference};
use std::path::Path;
use std::time::Duration;
use xtask::interference::{measure, CASES};

#[test]
fn the_smallest_programs_get_their_verdicts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (index, case) in CASES.iter().enumerate() {
        if CASES[..index].iter().any(|other| other.file == case.file) {
            continue;
        }
        for is_safe in [true, false] {
            for (mode, form) in [(Mode::Full, Form::Clock), (Mode::Mixed, Form::Clock), (Mode::Mixed, Form::Order)] {
                let interference = Interference { mode, form, ..Interference::default() };
                let measured = measure(&root, case, is_safe, interference, Duration::from_secs(60)).expect("a program");
                assert_eq!(measured.is_right, Some(true), "{case:?} {is_safe} {mode:?} {form:?}");
                let number = |name: &str| measured.stats.get(name).unwrap_or(0.0);
                let is_lazy = mode == Mode::Mixed && form == Form::Clock;
                // In larger programs the share is smaller.
                assert!(!is_lazy || number("triples") < 0.2 * number("full_triples"), "{case:?} {is_safe}");
            }
        }
    }
}
