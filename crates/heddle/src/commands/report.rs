//! The text of a report: one part per property.

use crate::cli::Format;
use std::fmt::Write;
use witness::lanes::{self, paint, LaneStyle};
use witness::report::{PropertyReport, ReasonReport, TurnReport};
use witness::{Report, Story};

const GREEN: &str = "1;32";
const YELLOW: &str = "1;33";
const MAX_REASONS: usize = 12;

/// The whole report for people.
pub(crate) fn text(report: &Report, style: &LaneStyle) -> String {
    let parts: Vec<String> = report.results.iter().map(|result| part(report, result, style)).collect();
    let settings = report.settings.as_ref().map(|file| format!("settings: {file}\n")).unwrap_or_default();
    parts.join("\n") + &settings
}

fn part(report: &Report, result: &PropertyReport, style: &LaneStyle) -> String {
    let mut text = answer(report, result, style);
    if result.from_cache {
        text.push_str("  kept from an earlier run\n");
    }
    if let Some(words) = result.about_baseline() {
        text.push_str(&format!("  {words}\n"));
    }
    text + &turns(&result.turns)
}

/// The turns of the engines, one per line.
fn turns(turns: &[TurnReport]) -> String {
    let mut text = String::new();
    for turn in turns {
        let kinds: Vec<&str> = turn.reasons.iter().map(|reason| reason.kind.as_str()).collect();
        let why = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
        let proved = proved(turn);
        writeln!(text, "  {:8} {:7.2} s  {}{why}{proved}", turn.engine, turn.seconds, turn.verdict)
            .expect("writing to a string should not fail");
    }
    text
}

/// The facts that an engine proved for the others.
fn proved(turn: &TurnReport) -> String {
    let mut parts = Vec::new();
    match turn.proved {
        0 => {}
        1 => parts.push("1 assertion".to_owned()),
        more => parts.push(format!("{more} assertions")),
    }
    if turn.race_free > 0 {
        parts.push(format!("{} of {} accesses free of races", turn.race_free, turn.accesses));
    }
    match turn.unreached {
        0 => {}
        1 => parts.push("1 statement unreachable".to_owned()),
        more => parts.push(format!("{more} statements unreachable")),
    }
    if parts.is_empty() {
        return String::new();
    }
    format!("; proved {}", parts.join(", "))
}

fn answer(report: &Report, result: &PropertyReport, style: &LaneStyle) -> String {
    let property = result.property;
    let model = report.memory_model;
    if let Some(story) = &result.counterexample {
        let remark = format!("{} under {model}; {}", property, result.confirmed.as_deref().unwrap_or("not confirmed"));
        let stories = std::iter::once(story).chain(&result.others);
        let mut text = stories.map(|story| violation(story, &remark, style)).collect::<Vec<_>>().join("\n");
        if !result.others.is_empty() {
            text.push_str(&format!("\n{} violations in different places\n", result.others.len() + 1));
        }
        return text;
    }
    if let Some(proof) = &result.proof {
        let verdict = paint(style.color, GREEN, "safe:");
        let how = proof.argument(result.confirmed.is_some());
        let premises = result.about_premises().map(|text| format!("  {text}\n")).unwrap_or_default();
        return format!("{verdict} {} under {model}\n  {how}\n{premises}", result.promise());
    }
    let verdict = paint(style.color, YELLOW, "unknown:");
    format!("{verdict} whether {} under {model}\n{}", result.promise(), reasons(&result.reasons))
}

/// A violation as lanes.
pub(crate) fn violation(story: &Story, remark: &str, style: &LaneStyle) -> String {
    format!("{}\n{}", lanes::title(story, remark, style), lanes::draw(story, style))
}

fn reasons(reasons: &[ReasonReport]) -> String {
    let mut text = String::new();
    for reason in reasons.iter().take(MAX_REASONS) {
        match &reason.place {
            Some(place) => writeln!(text, "  {place}: {}", reason.detail),
            None => writeln!(text, "  {}", reason.detail),
        }
        .expect("writing to a string should not fail");
    }
    if reasons.len() > MAX_REASONS {
        text.push_str(&format!("  and {} more (--format json lists them)\n", reasons.len() - MAX_REASONS));
    }
    text
}

/// The statistics of the run, if requested.
pub(crate) fn stats(report: &Report, format: Option<Format>) -> String {
    let all = report.results.iter().map(|result| (result.property, result));
    let mut text = String::new();
    match format {
        None => {}
        Some(Format::Json) => {
            let object: serde_json::Map<String, serde_json::Value> = all
                .map(|(property, result)| (property.name().to_owned(), serde_json::json!(numbers(report, result))))
                .collect();
            text.push_str(&format!("{}\n", serde_json::Value::Object(object)));
        }
        Some(Format::Text) => {
            for (property, result) in all {
                for (name, value) in numbers(report, result) {
                    text.push_str(&format!("{property} {name} {value}\n"));
                }
            }
        }
    }
    text
}

fn numbers(report: &Report, result: &PropertyReport) -> std::collections::BTreeMap<String, f64> {
    let mut numbers = result.stats.clone();
    numbers.insert("seconds".to_owned(), (result.seconds * 1000.0).round() / 1000.0);
    if let Some(memory) = report.memory_mb {
        numbers.insert("peak_memory_mb".to_owned(), memory);
    }
    numbers
}
