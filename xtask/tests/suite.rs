//! Suites of programs that test themselves: proved, refuted and skipped ones.

use std::path::Path;
use std::time::Duration;
use xtask::suite::{Plan, Report, Style};

fn run(name: &str, style: Style) -> (Report, Vec<String>) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite").join(name);
    let plan = Plan { dir, style, filter: String::new(), timeout: Duration::from_secs(10), args: vec![] };
    let report = xtask::suite::run(&plan, &mut Vec::new()).expect("a report");
    let wrong = report.wrong.iter().filter_map(|(file, _)| Some(file.file_name()?.to_string_lossy().into_owned()));
    let wrong = wrong.collect();
    (report, wrong)
}

#[test]
fn programs_that_abort() {
    let (report, wrong) = run("abort", Style::Abort);
    assert_eq!((report.right, report.left_out), (5, 1), "{report:?}");
    assert_eq!(wrong, ["depends.c"], "{report:?}");
}

#[test]
fn programs_that_return_a_status() {
    let (report, wrong) = run("status", Style::Status);
    assert_eq!((report.right, report.left_out), (1, 0), "{report:?}");
    assert_eq!(wrong, ["unordered.c"], "{report:?}");
}
