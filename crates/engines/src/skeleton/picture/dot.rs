//! The picture in the language of Graphviz: threads are boxes, events nodes, program order solid, links dashed.

use super::{Picture, Source};
use std::fmt::Write;

impl Picture {
    /// The skeleton for `dot`.
    pub fn dot(&self) -> String {
        let mut out = String::from("digraph skeleton {\n  node [shape=box fontname=monospace fontsize=10];\n");
        for (index, name) in self.threads.iter().enumerate() {
            let number = index + 1;
            let _ = writeln!(out, "  subgraph cluster_{number} {{");
            let _ = writeln!(out, "    label={};", quoted(&format!("thread {number} {name}")));
            for event in self.events.iter().filter(|event| event.thread == number) {
                let mut label = format!("e{} {}", event.number, event.title());
                if !event.line.is_empty() {
                    let _ = write!(label, "\nline {}", event.line);
                }
                if !event.condition.is_empty() {
                    let _ = write!(label, "\nif {}", event.condition);
                }
                let _ = writeln!(out, "    e{} [label={}];", event.number, quoted(&label));
            }
            out.push_str("  }\n");
        }
        for event in &self.events {
            for before in &event.after {
                let _ = writeln!(out, "  e{before} -> e{};", event.number);
            }
            for source in event.sources.iter().flatten() {
                match source {
                    Source::Event(write) => {
                        let _ = writeln!(
                            out,
                            "  e{write} -> e{} [style=dashed color=blue constraint=false];",
                            event.number
                        );
                    }
                    Source::Start => {}
                }
            }
        }
        out.push_str("}\n");
        out
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
