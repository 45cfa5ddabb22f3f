//! A run for Graphviz: the events of each thread, one below the other, and the relations between them.
//!
//! Edges: `po` (program order), `rf` (reads from), `co` (the order of writes to a place), `flush` (a buffered write
//! reaches memory) and `hb` (synchronises with: happens-before is the closure of these and `po`). A read of an initial
//! value has an edge from a box of its own.

use crate::story::{Effect, LinkKind, Point, Story};
use crate::wording::label;
use base::escape::{graphviz, Justify};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The run as a graph.
pub fn draw(story: &Story) -> String {
    let mut out = String::from("digraph execution {\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n");
    out.push_str("  edge [fontname=\"monospace\", fontsize=9];\n");
    let title = format!("{}: {} ({} under {})", story.headline, story.message, story.property, story.model);
    write(&mut out, format_args!("  label={}; labelloc=t;\n", quoted(&title)));
    initial_values(story, &mut out);
    for (index, lane) in story.threads.iter().enumerate() {
        write(&mut out, format_args!("  subgraph cluster_{index} {{\n    label={};\n", quoted(&lane.title())));
        let points = points(story, index);
        for (point, effect) in &points {
            let row = &story.steps[point.step - 1];
            let place = row.at.as_ref().map(|at| format!("\n{}:{}", at.file, at.line)).unwrap_or_default();
            let color = if matches!(effect, Effect::Violation { .. }) { ", color=red, penwidth=2" } else { "" };
            let text = format!("{}: {}{place}", point.step, label(effect, &story.threads));
            write(&mut out, format_args!("    {} [label={}{color}];\n", name(*point), quoted(&text)));
        }
        for pair in points.windows(2) {
            write(&mut out, format_args!("    {} -> {} [label=\"po\"];\n", name(pair[0].0), name(pair[1].0)));
        }
        out.push_str("  }\n");
    }
    for link in &story.links {
        let style = match link.kind {
            LinkKind::ReadsFrom => "label=\"rf\", color=darkgreen, fontcolor=darkgreen",
            LinkKind::Coherence => "label=\"co\", color=blue, fontcolor=blue",
            LinkKind::Flush => "label=\"flush\", color=gray40, fontcolor=gray40, style=dashed",
            LinkKind::Synchronises => "label=\"hb\", color=red, fontcolor=red, style=dotted",
        };
        write(&mut out, format_args!("  {} -> {} [{style}, constraint=false];\n", name(link.from), name(link.to)));
    }
    out.push_str("}\n");
    out
}

/// The events of a thread, in order.
fn points(story: &Story, thread: usize) -> Vec<(Point, &Effect)> {
    let rows = story.steps.iter().filter(|row| row.thread == thread);
    rows.flat_map(|row| row.events.iter().enumerate().map(|(event, effect)| (Point { step: row.step, event }, effect)))
        .collect()
}

/// Boxes for the initial values that are read.
fn initial_values(story: &Story, out: &mut String) {
    let mut known: BTreeSet<String> = BTreeSet::new();
    for row in &story.steps {
        for (event, effect) in row.events.iter().enumerate() {
            let Effect::Read { place, value, written_at: None, .. } = effect else { continue };
            let node = quoted(&format!("initially {place} = {value}"));
            if known.insert(node.clone()) {
                write(out, format_args!("  {node} [style=dashed];\n"));
            }
            let to = name(Point { step: row.step, event });
            write(out, format_args!("  {node} -> {to} [label=\"rf\", color=darkgreen, fontcolor=darkgreen];\n"));
        }
    }
}

fn name(point: Point) -> String {
    format!("s{}_{}", point.step, point.event)
}

fn quoted(text: &str) -> String {
    graphviz(text, Justify::Center)
}

fn write(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string should not fail");
}
