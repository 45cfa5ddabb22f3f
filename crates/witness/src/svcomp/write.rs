//! Writes witnesses in YAML. Waypoints name their threads, so violation witnesses have format 2.2; correctness
//! witnesses have format 2.1 if they have ghost variables and 2.0 otherwise. Output is deterministic: the identifier of
//! a witness is made from its contents.

use super::{sha256, Content, GhostUpdate, Invariant, Location, Producer, Subject, Waypoint, WaypointKind, Witness};
use std::fmt::Write;

/// The text of a witness.
pub fn to_yaml(witness: &Witness, producer: &Producer) -> String {
    match &witness.content {
        Content::Violation(segments) => {
            let mut body = String::from("  content:\n");
            for segment in segments {
                body.push_str("  - segment:\n");
                for waypoint in segment {
                    body.push_str(&one_waypoint(waypoint));
                }
            }
            entry("violation_sequence", "2.2", &witness.subject, producer, &body)
        }
        Content::Correctness { ghosts, updates, invariants } => {
            let version = if ghosts.is_empty() { "2.0" } else { "2.1" };
            let mut text = String::new();
            if !ghosts.is_empty() {
                let mut body = String::from("  content:\n    ghost_variables:\n");
                for ghost in ghosts {
                    line(&mut body, 4, &format!("- name: {}", quoted(&ghost.name)));
                    line(&mut body, 6, &format!("type: {}", quoted(&ghost.ty)));
                    line(&mut body, 6, "scope: global");
                    line(&mut body, 6, "initial:");
                    expression(&mut body, 8, &ghost.initial, "c_expression");
                }
                ghost_updates(&mut body, updates);
                text += &entry("ghost_instrumentation", version, &witness.subject, producer, &body);
            }
            text + &entry("invariant_set", version, &witness.subject, producer, &invariant_set(invariants))
        }
    }
}

fn line(text: &mut String, indent: usize, content: &str) {
    // Writing into a string cannot fail.
    let _ = writeln!(text, "{:indent$}{content}", "");
}

fn expression(text: &mut String, indent: usize, value: &str, format: &str) {
    line(text, indent, &format!("value: {}", quoted(value)));
    line(text, indent, &format!("format: {format}"));
}

fn place(text: &mut String, indent: usize, location: &Location) {
    line(text, indent, "location:");
    line(text, indent + 2, &format!("file_name: {}", quoted(&location.file)));
    line(text, indent + 2, &format!("line: {}", location.line));
    if let Some(column) = location.column {
        line(text, indent + 2, &format!("column: {column}"));
    }
    if let Some(function) = &location.function {
        line(text, indent + 2, &format!("function: {}", quoted(function)));
    }
}

fn one_waypoint(waypoint: &Waypoint) -> String {
    let mut text = String::new();
    line(&mut text, 4, "- waypoint:");
    line(&mut text, 8, &format!("type: {}", waypoint.kind.name()));
    line(&mut text, 8, &format!("action: {}", if waypoint.avoid { "avoid" } else { "follow" }));
    if let Some(thread) = waypoint.thread {
        line(&mut text, 8, &format!("thread_id: {thread}"));
    }
    if let Some(constraint) = &waypoint.constraint {
        let format = if waypoint.kind == WaypointKind::FunctionReturn { "ext_c_expression" } else { "c_expression" };
        line(&mut text, 8, "constraint:");
        expression(&mut text, 10, constraint, format);
    }
    place(&mut text, 8, &waypoint.location);
    text
}

fn ghost_updates(text: &mut String, updates: &[GhostUpdate]) {
    line(text, 4, if updates.is_empty() { "ghost_updates: []" } else { "ghost_updates:" });
    for update in updates {
        let mut own = String::new();
        place(&mut own, 6, &update.location);
        text.push_str(&own.replacen("      location:", "    - location:", 1));
        line(text, 6, "updates:");
        line(text, 6, &format!("- variable: {}", quoted(&update.variable)));
        expression(text, 8, &update.value, "c_expression");
    }
}

fn invariant_set(invariants: &[Invariant]) -> String {
    if invariants.is_empty() {
        return "  content: []\n".to_owned();
    }
    let mut text = String::from("  content:\n");
    for invariant in invariants {
        line(&mut text, 2, "- invariant:");
        let kind = if invariant.is_of_loop { "loop_invariant" } else { "location_invariant" };
        line(&mut text, 6, &format!("type: {kind}"));
        place(&mut text, 6, &invariant.location);
        expression(&mut text, 6, &invariant.value, "c_expression");
    }
    text
}

/// A whole entry.
fn entry(kind: &str, version: &str, subject: &Subject, producer: &Producer, body: &str) -> String {
    let mut task = String::new();
    line(&mut task, 4, "task:");
    line(&mut task, 6, "input_files:");
    for (name, _) in &subject.files {
        line(&mut task, 6, &format!("- {}", quoted(name)));
    }
    line(&mut task, 6, "input_file_hashes:");
    for (name, hash) in &subject.files {
        line(&mut task, 8, &format!("{}: {}", quoted(name), quoted(hash)));
    }
    line(&mut task, 6, &format!("specification: {}", quoted(&subject.specification)));
    line(&mut task, 6, &format!("data_model: {}", subject.data_model));
    line(&mut task, 6, "language: C");
    let mut text = String::new();
    line(&mut text, 0, &format!("- entry_type: {kind}"));
    line(&mut text, 2, "metadata:");
    line(&mut text, 4, &format!("format_version: {}", quoted(version)));
    line(&mut text, 4, &format!("uuid: {}", identifier(&[kind, &task, body])));
    line(&mut text, 4, &format!("creation_time: {}", quoted(&producer.timestamp())));
    line(&mut text, 4, "producer:");
    line(&mut text, 6, "name: Heddle");
    line(&mut text, 6, &format!("version: {}", quoted(&producer.version)));
    text + &task + body
}

/// A UUID (version 8: custom) from the contents that it identifies.
pub(crate) fn identifier(parts: &[&str]) -> String {
    let mut hex = sha256::hex(parts.join("\u{0}").as_bytes());
    hex.truncate(32);
    hex.replace_range(12..13, "8");
    hex.replace_range(16..17, "8");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// A string in double quotes: JSON strings are valid YAML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
