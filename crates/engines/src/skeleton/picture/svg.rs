//! The picture as a drawing: threads are lanes, events boxes from top to bottom, program order solid arrows, possible
//! reads-from dashed arrows. The file is self-contained; `<title>` elements have the full text of truncated labels.
//!
//! An event's row is below those of all events before it, in other lanes too, so arrows of program order go down.

use super::{Drawn, Picture, Source};
use std::fmt::Write;

const LANE: f64 = 320.0;
const BOX_WIDTH: f64 = 250.0;
const BOX_HEIGHT: f64 = 34.0;
const ROW: f64 = 52.0;
const TOP: f64 = 48.0;
const MARGIN: f64 = 20.0;
/// Number of characters that fit in a box.
const MAX_CHARACTERS: usize = 38;

impl Picture {
    /// The skeleton as an SVG file.
    pub fn svg(&self) -> String {
        let rows = self.rows();
        let last = rows.iter().copied().max().unwrap_or(0);
        let width = MARGIN * 2.0 + LANE * self.threads.len().max(1) as f64;
        let height = TOP + ROW * (last + 1) as f64 + MARGIN;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"monospace\" font-size=\"11\">\n<defs>\n"
        );
        for (name, color) in [("po", "#444444"), ("rf", "#0072b2")] {
            let _ = writeln!(
                svg,
                "<marker id=\"{name}\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
                 orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"{color}\"/></marker>"
            );
        }
        svg.push_str("</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
        for (index, name) in self.threads.iter().enumerate() {
            let (x, middle) = (MARGIN + LANE * index as f64, MARGIN + LANE * (index as f64 + 0.5));
            let _ = writeln!(
                svg,
                "<rect x=\"{}\" y=\"8\" width=\"{}\" height=\"{}\" fill=\"#f6f6f6\" stroke=\"#dddddd\"/>",
                x + 6.0,
                LANE - 12.0,
                height - 16.0
            );
            let title = escaped(&format!("thread {} {name}", index + 1));
            let _ = writeln!(
                svg,
                "<text x=\"{middle}\" y=\"28\" text-anchor=\"middle\" font-weight=\"bold\">{title}</text>"
            );
        }
        for event in &self.events {
            self.arrows(&mut svg, event, &rows);
        }
        for event in &self.events {
            draw_event(&mut svg, event, place(event, &rows));
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// The row of each event: below all that come before it, and below the one before it in its lane.
    fn rows(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = vec![0; self.events.len()];
        // Events of a thread may come before events with smaller numbers, because of joins.
        for _ in 0..self.events.len() {
            let mut is_changed = false;
            let mut lowest: Vec<usize> = vec![0; self.threads.len() + 1];
            for (index, event) in self.events.iter().enumerate() {
                let before = event.after.iter().map(|earlier| rows[earlier - 1] + 1).max().unwrap_or(0);
                let row = rows[index].max(before).max(lowest[event.thread]);
                lowest[event.thread] = row + 1;
                is_changed |= row != rows[index];
                rows[index] = row;
            }
            if !is_changed {
                break;
            }
        }
        rows
    }

    fn arrows(&self, svg: &mut String, event: &Drawn, rows: &[usize]) {
        let (x, y) = place(event, rows);
        for &earlier in &event.after {
            let from = &self.events[earlier - 1];
            let (from_x, from_y) = place(from, rows);
            let _ = writeln!(
                svg,
                "<line x1=\"{from_x}\" y1=\"{}\" x2=\"{x}\" y2=\"{}\" stroke=\"#444444\" marker-end=\"url(#po)\"/>",
                from_y + BOX_HEIGHT / 2.0,
                y - BOX_HEIGHT / 2.0
            );
        }
        for source in event.sources.iter().flatten() {
            let Source::Event(write) = source else { continue };
            let from = &self.events[write - 1];
            let (from_x, from_y) = place(from, rows);
            // From side to side; in one lane, in a bow on the left.
            let half = BOX_WIDTH / 2.0;
            let (start, end) = match from_x.total_cmp(&x) {
                std::cmp::Ordering::Less => (from_x + half, x - half),
                std::cmp::Ordering::Greater => (from_x - half, x + half),
                std::cmp::Ordering::Equal => (x - half, x - half),
            };
            let is_own = from.thread == event.thread;
            let bow = if is_own { -30.0 } else { (end - start) / 2.0 };
            let _ = writeln!(
                svg,
                "<path d=\"M{start} {from_y} C{} {from_y} {} {y} {end} {y}\" fill=\"none\" stroke=\"#0072b2\" \
                 stroke-dasharray=\"4 3\" marker-end=\"url(#rf)\"/>",
                start + bow,
                if is_own { end + bow } else { end - bow }
            );
        }
    }
}

/// The centre of an event's box.
fn place(event: &Drawn, rows: &[usize]) -> (f64, f64) {
    let x = MARGIN + LANE * (event.thread as f64 - 0.5);
    (x, TOP + ROW * (rows[event.number - 1] as f64 + 0.5))
}

fn draw_event(svg: &mut String, event: &Drawn, (x, y): (f64, f64)) {
    let (left, top) = (x - BOX_WIDTH / 2.0, y - BOX_HEIGHT / 2.0);
    let color = match (event.sources.is_some(), event.value.is_some()) {
        (true, true) => "#f0e4f0",
        (true, false) => "#e4eef8",
        (false, true) => "#fbe9dc",
        (false, false) => "#ffffff",
    };
    let whole = format!("e{} {}", event.number, event.title());
    let mut below = String::new();
    if !event.line.is_empty() {
        let _ = write!(below, "line {}", event.line);
    }
    if !event.condition.is_empty() {
        let _ = write!(below, " if {}", event.condition);
    }
    let mut sources = String::new();
    if let Some(all) = &event.sources {
        let names: Vec<String> = all.iter().map(|source| source.name()).collect();
        let _ = write!(sources, " from {{{}}}", names.join(", "));
    }
    let _ = writeln!(svg, "<g><title>{}</title>", escaped(&format!("{whole}\n{}{sources}", below.trim_start())));
    let _ = writeln!(
        svg,
        "<rect x=\"{left}\" y=\"{top}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\" rx=\"4\" fill=\"{color}\" stroke=\"#444444\"/>"
    );
    for (y, color, text) in [(top + 14.0, "#000000", whole.as_str()), (top + 28.0, "#666666", below.trim_start())] {
        let text = escaped(&shortened(text));
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{y}\" fill=\"{color}\">{text}</text>", left + 6.0);
    }
    svg.push_str("</g>\n");
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((index, _)) => format!("{}…", &text[..index]),
        None => text.to_owned(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
