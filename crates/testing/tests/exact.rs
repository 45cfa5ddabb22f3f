//! A short slice: the engine `staged` and interference abstractions on random litmus tests under each memory model.

use std::time::Duration;
use testing::exact::Report;
use testing::outcomes::litmus::Shape;

/// The numbers of answers unsafe, safe and unknown.
fn answers(report: &Report) -> [u64; 3] {
    report.answers.values().fold([0; 3], |mut all, counts| {
        all.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
        all
    })
}

#[test]
fn staged_is_exact_about_litmus_tests() {
    let shape = Shape { accesses: 7, ends: true, ..Shape::FINITE };
    let subject = testing::exact::Subject::named(None).expect("an engine");
    let mut told = Vec::new();
    let report = testing::exact::run(&subject, 300..340, shape, Duration::from_secs(5), &mut told).expect("a report");
    assert!(report.wrong.is_empty(), "{}", String::from_utf8_lossy(&told));
    let [violated, safe, unknown] = answers(&report);
    assert!(violated > 100 && safe > 50 && unknown * 10 < violated, "{}", String::from_utf8_lossy(&told));
}

#[test]
fn interference_abstractions_are_exact_in_every_mode() {
    let shape = Shape { accesses: 7, ends: true, ..Shape::FINITE };
    for (name, ..) in &testing::exact::MODES {
        let subject = testing::exact::Subject::named(Some(name)).expect("a mode");
        let mut told = Vec::new();
        let report =
            testing::exact::run(&subject, 400..415, shape, Duration::from_secs(5), &mut told).expect("a report");
        assert!(report.wrong.is_empty(), "{name}: {}", String::from_utf8_lossy(&told));
        let [violated, safe, unknown] = answers(&report);
        assert!(
            violated > 0 && safe > 0 && unknown * 4 < violated + safe,
            "{name}: {}",
            String::from_utf8_lossy(&told)
        );
    }
}

#[test]
fn the_lemmas_of_interference_abstractions_hold() {
    let shape = Shape { accesses: 7, ..Shape::FINITE };
    let tried: Vec<Vec<String>> =
        (0..120).filter_map(|seed| testing::exact::broken_lemmas(seed, shape, Duration::from_secs(5))).collect();
    assert!(tried.len() > 100, "only {} of 120 tests were tried", tried.len());
    let broken = tried.concat();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
