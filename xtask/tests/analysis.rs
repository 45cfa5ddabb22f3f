//! The families that measure how `priori` scales: small ones are proved, and the counts grow as expected.

use ir::MemoryModel;
use std::time::Duration;
use xtask::analysis::{check, exponent, load, measure, FAMILIES};

const TIMEOUT: Duration = Duration::from_secs(60);

#[test]
fn families_are_proved_and_grow_slowly() {
    for family in FAMILIES {
        let numbers = |size: usize| {
            let program = load(&(family.make)(size)).expect("it loads");
            let measured = measure(&program, MemoryModel::Ra, Some(2), TIMEOUT);
            assert_eq!(measured.verdict.name(), "safe", "{} of {size}", family.name);
            ["steps", "combinations", "states"].map(|name| measured.stats.get(name).unwrap_or(0.0))
        };
        let sizes = if family.is_polynomial { [12, 24] } else { [3, 4] };
        let [few, many] = sizes.map(numbers);
        for (less, more) in few.into_iter().zip(many) {
            let slope = exponent((sizes[0] as f64, less), (sizes[1] as f64, more));
            assert!(less > 0.0 && (!family.is_polynomial || slope <= 1.1), "{}: {less}, then {more}", family.name);
        }
    }
}

#[test]
fn the_slope_of_a_square_is_two() {
    assert!((exponent((3.0, 9.0), (6.0, 36.0)) - 2.0).abs() < 1e-9);
}

#[test]
fn an_index_is_reported_program_by_program() {
    let dir = std::env::temp_dir().join(format!("heddle-analysis-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a directory");
    let program = |claim: &str| format!("#include <assert.h>\nint x = 1;\nint main(void) {{ assert({claim}); }}\n");
    std::fs::write(dir.join("holds.c"), program("x == 1")).expect("writable");
    std::fs::write(dir.join("fails.c"), program("x == 2")).expect("writable");
    let index = dir.join("index.tsv");
    let run = |recorded: &str| {
        let line = |file: &str, expected: &str| format!("{file}\tunreach\tra\t{expected}\tlp64\n");
        let header = "file\tproperty\tmodel\texpected\tdata_model\n";
        let text = format!("{header}{}{}", line("holds.c", recorded), line("fails.c", "unsafe"));
        std::fs::write(&index, text).expect("writable");
        let mut told = Vec::new();
        let is_well = check(&index, "", TIMEOUT, &mut told).expect("it can be read");
        (is_well, String::from_utf8(told).expect("text"))
    };
    let (is_well, told) = run("safe");
    assert!(is_well && told.contains("1 of 1 safe programs proved, 0 unsafe ones"), "{told}");
    let (is_well, told) = run("unsafe");
    assert!(!is_well && told.contains("0 of 0 safe programs proved, 1 unsafe ones"), "{told}");
    std::fs::remove_dir_all(&dir).expect("removable");
}
