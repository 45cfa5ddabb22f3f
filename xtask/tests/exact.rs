//! What the engine `staged` says of random litmus tests under each memory model, as a short slice.

use std::time::Duration;

#[test]
fn staged_is_exact_about_litmus_tests() {
    let shape = xtask::outcomes::litmus::Shape { accesses: 7, ends: true, loops: false };
    let engine = plan::engine_named("staged").expect("an engine");
    let mut told = Vec::new();
    let report = xtask::exact::run(engine, 300..340, shape, Duration::from_secs(5), &mut told).expect("a report");
    assert!(report.wrong.is_empty(), "{}", String::from_utf8_lossy(&told));
    let [violated, safe, unknown] = report.answers.values().fold([0; 3], |mut all, counts| {
        all.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
        all
    });
    assert!(violated > 100 && safe > 50 && unknown * 10 < violated, "{}", String::from_utf8_lossy(&told));
}
