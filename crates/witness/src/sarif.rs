//! A report as SARIF 2.1.0 (OASIS, errata 01), the format that editors and code hosts read.
//!
//! One run with one rule per property. An unsafe verdict is a result of kind `fail` with a code flow that has a thread flow for
//! each thread of the counterexample; `executionOrder` is the number of the step in the story, so it records the interleaving.
//! Safe is kind `pass` and unknown is kind `open` (section 3.27.9), with the reasons in the message. The exit status is in the
//! invocation.

use crate::report::{Answer, BaselineState, PropertyReport, Report};
use crate::story::{Effect, Position, Row, Story};
use base::escape::uri;
use ir::Property;
use serde_json::{json, Map, Value};

/// The URL of the schema.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The report as SARIF, ending in a newline. `exit_status` is the exit status of the process.
pub fn write(report: &Report, exit_status: u8) -> String {
    let rules: Vec<Value> = Property::ALL.into_iter().map(rule).collect();
    let notifications = report.diagnostics.iter().map(|said| {
        let mut notification = json!({ "level": said.severity, "message": { "text": said.message } });
        if let Some(location) = said.place.as_deref().and_then(place_location) {
            notification["locations"] = json!([location]);
        }
        notification
    });
    let notifications: Vec<Value> = notifications.collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Heddle",
                "semanticVersion": report.heddle,
                "shortDescription": { "text": "Verifies multithreaded C programs, or shows the interleaving that breaks them." },
                "rules": rules,
            } },
            "invocations": [{
                "executionSuccessful": report.verdict != Answer::Error,
                "exitCode": exit_status,
                "exitCodeDescription": match (exit_status, report.verdict) {
                    (0, Answer::Unsafe | Answer::Unknown) => "nothing that is not in the baseline",
                    (status, _) => exit_meaning(status),
                },
                "toolExecutionNotifications": notifications,
            }],
            "artifacts": report.files.iter().map(|file| json!({ "location": { "uri": uri(file) } })).collect::<Vec<_>>(),
            "columnKind": "unicodeCodePoints",
            "results": report.results.iter().flat_map(|result| results(report, result)).collect::<Vec<_>>(),
            "properties": { "memoryModel": report.memory_model, "dataModel": report.data_model, "verdict": report.verdict },
        }],
    });
    format!("{log:#}\n")
}

fn exit_meaning(status: u8) -> &'static str {
    match status {
        0 => "safe: every property asked holds",
        1 => "unsafe: a property is violated",
        2 => "unknown: neither was shown, or the run was stopped",
        3 => "bad usage or input",
        _ => "internal error",
    }
}

/// The description of a property in a list of findings.
fn rule(property: Property) -> Value {
    let (name, short, help) = match property {
        Property::Unreach => (
            "AssertionCanFail",
            "An assertion can fail, or an error function can be called.",
            "The code flow is an interleaving that ends in the failing assertion. Follow the values it reads to the step that \
             wrote them: usually two steps of one thread should not be separated by another thread. A lock around both, or \
             one atomic operation instead of both, helps.",
        ),
        Property::Race => (
            "DataRace",
            "Two threads access the same memory, one of them writes, and nothing orders the accesses.",
            "A data race is undefined behaviour in C. Protect both accesses by the same lock, make both atomic, or order them \
             by creating or joining threads.",
        ),
        Property::Deadlock => (
            "Deadlock",
            "Threads wait for each other for ever.",
            "The code flow ends with what each thread waits for. Take locks in the same order everywhere, and wake waiting \
             threads after changing what they wait for.",
        ),
        Property::Locks => (
            "LockMisuse",
            "A lock is unlocked by a thread that does not hold it, locked twice, or destroyed while it is held.",
            "The last step of the code flow misuses the lock; earlier steps tell who holds it.",
        ),
        Property::Memory => (
            "InvalidMemoryAccess",
            "Memory is accessed out of bounds, through a null pointer, after it was freed, or freed twice.",
            "The last step of the code flow is the invalid access; where memory was freed before, that is a step too.",
        ),
        Property::Atomicity => (
            "AtomicityViolation",
            "An access of another thread comes between two accesses that are meant to be one, and no serial order explains \
             what the three see.",
            "The code flow ends with the second of the two accesses; it says which steps are the first and the one between. \
             Hold one lock from the first access to the second, everywhere the memory is written, or use one atomic \
             operation instead of both.",
        ),
    };
    json!({
        "id": property.name(),
        "name": name,
        "shortDescription": { "text": short },
        "fullDescription": { "text": format!("{short} Checked as the property `{property}`.") },
        "help": { "text": help },
        "defaultConfiguration": { "level": "error" },
        "properties": { "tags": ["concurrency"] },
    })
}

/// The results for one property: one for each violation, or one that says that it holds or that this is open.
fn results(report: &Report, result: &PropertyReport) -> Vec<Value> {
    let model = report.memory_model;
    let rule_index = Property::ALL.iter().position(|property| *property == result.property);
    let about = |kind: &str, level: &str, text: String| {
        let engine = &result.engine;
        let mut about = json!({
            "ruleId": result.property.name(),
            "ruleIndex": rule_index,
            "kind": kind,
            "level": level,
            "message": { "text": text },
            "properties": { "engine": engine, "memoryModel": model, "seconds": result.seconds, "stats": result.stats },
        });
        if !result.premises.is_empty() {
            about["properties"]["premises"] = json!(result.premises);
        }
        match result.baseline {
            Some(BaselineState::Known) => about["baselineState"] = json!("unchanged"),
            Some(BaselineState::New) => about["baselineState"] = json!("new"),
            None => {}
        }
        about
    };
    let mut violations: Vec<Value> = Vec::new();
    for story in result.stories() {
        let mut violation = about("fail", "error", format!("{}: {}", story.headline, story.message));
        violation["locations"] = json!(story.at.iter().map(location).collect::<Vec<_>>());
        violation["codeFlows"] = json!([code_flow(story)]);
        violations.push(violation);
    }
    if !violations.is_empty() {
        return violations;
    }
    let whole = json!(report
        .files
        .first()
        .map(|file| json!({ "physicalLocation": { "artifactLocation": { "uri": uri(file) } } })));
    let mut answer = match &result.proof {
        Some(proof) => {
            let how = proof.argument(result.confirmed.is_some());
            let premises = result.about_premises().map(|text| format!(" Note: {text}.")).unwrap_or_default();
            about("pass", "none", format!("Safe: {} under {model} ({how}).{premises}", result.promise()))
        }
        None => {
            let reasons: Vec<&str> = result.reasons.iter().map(|reason| reason.detail.as_str()).collect();
            let why = reasons.join("; ");
            about("open", "none", format!("Unknown whether {} under {model}: {why}.", result.promise()))
        }
    };
    answer["locations"] = json!([whole]);
    let places = result.reasons.iter().filter_map(|reason| {
        let mut location = place_location(reason.place.as_deref()?)?;
        location["message"] = json!({ "text": reason.detail });
        Some(location)
    });
    let places: Vec<Value> = places.collect();
    if !places.is_empty() {
        answer["relatedLocations"] = json!(places);
    }
    vec![answer]
}

fn code_flow(story: &Story) -> Value {
    let mut flows: Vec<Value> = Vec::new();
    for (index, lane) in story.threads.iter().enumerate() {
        let rows = story.steps.iter().filter(|row| row.thread == index);
        let locations: Vec<Value> = rows.map(flow_location).collect();
        if !locations.is_empty() {
            flows.push(json!({
                "id": lane.name,
                "message": { "text": format!("thread {}", lane.title()) },
                "locations": locations,
            }));
        }
    }
    let switches = story.context_switches;
    json!({ "message": { "text": format!("{} ({switches} context switches)", story.message) }, "threadFlows": flows })
}

fn flow_location(row: &Row) -> Value {
    let mut text = format!("{}. {}", row.step, row.text);
    if !row.values.is_empty() {
        text.push_str(&format!("  {}", row.values));
    }
    if !row.notes.is_empty() {
        text.push_str(&format!(" ({})", row.notes.join("; ")));
    }
    let mut place = row.at.as_ref().map_or_else(|| json!({}), location);
    place["message"] = json!({ "text": text });
    let is_violation = row.events.iter().any(|event| matches!(event, Effect::Violation { .. }));
    let importance = if is_violation {
        "essential"
    } else if row.aside {
        "unimportant"
    } else {
        "important"
    };
    let mut flow = json!({ "location": place, "executionOrder": row.step, "importance": importance });
    let kinds: Vec<&str> = row.events.iter().flat_map(kinds).copied().collect();
    if !kinds.is_empty() {
        let mut kinds = kinds;
        kinds.sort_unstable();
        kinds.dedup();
        flow["kinds"] = json!(kinds);
    }
    let state = state(row);
    if !state.is_empty() {
        flow["state"] = Value::Object(state);
    }
    flow
}

/// The kinds of an event in the vocabulary of SARIF (section 3.38.8).
fn kinds(event: &Effect) -> &'static [&'static str] {
    match event {
        Effect::Create { .. } => &["call", "function"],
        Effect::Join { .. } => &["exit", "function"],
        Effect::Lock { .. } => &["acquire", "lock"],
        Effect::Unlock { .. } => &["lock", "release"],
        Effect::Alloc { .. } => &["acquire", "memory"],
        Effect::Free { .. } => &["memory", "release"],
        Effect::Violation { .. } => &["danger"],
        Effect::Read { .. } | Effect::Write { .. } | Effect::Flush { .. } | Effect::Input { .. } => &["value"],
        Effect::Wait { .. } | Effect::Blocked { .. } | Effect::Fence => &[],
    }
}

/// The last value of each place that a row reads or writes.
fn state(row: &Row) -> Map<String, Value> {
    let mut state = Map::new();
    for event in &row.events {
        match event {
            Effect::Read { place: name, value, .. }
            | Effect::Write { place: name, value, .. }
            | Effect::Flush { place: name, value, .. }
            | Effect::Input { name, value } => drop(state.insert(name.clone(), json!({ "text": value }))),
            Effect::Create { .. }
            | Effect::Join { .. }
            | Effect::Lock { .. }
            | Effect::Unlock { .. }
            | Effect::Wait { .. }
            | Effect::Blocked { .. }
            | Effect::Alloc { .. }
            | Effect::Free { .. }
            | Effect::Fence
            | Effect::Violation { .. } => {}
        }
    }
    state
}

fn location(at: &Position) -> Value {
    let mut place = json!({ "artifactLocation": { "uri": uri(&at.file) } });
    if at.line > 0 {
        place["region"] = json!({ "startLine": at.line });
    }
    json!({ "physicalLocation": place })
}

/// The location of `file:line` or `file:line:column`.
fn place_location(place: &str) -> Option<Value> {
    let (rest, last) = place.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    let (file, line) = match rest.rsplit_once(':').map(|(file, line)| (file, line.parse::<u32>())) {
        Some((file, Ok(line))) => (file, line),
        _ => (rest, last),
    };
    Some(location(&Position { file: file.to_owned(), line }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_become_locations() {
        let at = |place: &str| place_location(place).map(|location| location["physicalLocation"].to_string());
        let expected = r#"{"artifactLocation":{"uri":"a.c"},"region":{"startLine":7}}"#;
        assert_eq!(at("a.c:7").as_deref(), Some(expected));
        assert_eq!(at("a.c:7:3").as_deref(), Some(expected));
        assert_eq!(at("a.c"), None);
    }
}
