//! The picture of a run as SVG: a lane per thread, a box per step, arrows between them.

use crate::lanes::{has_lane, is_violation};
use crate::story::{Link, LinkKind, Row, Story};
use crate::text::cut;
use crate::wording::label;
use base::escape::html;
use std::collections::BTreeSet;
use std::fmt::Write;

const LEFT: usize = 46;
const LANE: usize = 300;
const BOX: usize = 262;
const TOP: usize = 44;
const ROW: usize = 40;
const HEIGHT: usize = 26;
/// The number of characters that fit into a box.
const FITS: usize = 31;

/// Draws a story. Names in it end in `id`, so that a page can hold several.
pub(super) fn draw(story: &Story, files: &[&str], id: usize) -> String {
    let lanes = lanes_that_take_part(story);
    let width = LEFT + LANE * lanes.len().max(1) + 20;
    let height = TOP + ROW * story.steps.len() + 20;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-label=\"{}\">\n<defs><marker id=\"tip{id}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" \
         markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n",
        html(&story.message)
    );
    for (column, thread) in lanes.iter().enumerate() {
        let x = LEFT + column * LANE;
        let title = html(&story.threads[*thread].title());
        write(&mut out, format_args!("<text class=\"title\" x=\"{x}\" y=\"20\">{title}</text>\n"));
        let middle = x + BOX / 2;
        let line = format!("<line class=\"lane\" x1=\"{middle}\" y1=\"28\" x2=\"{middle}\" y2=\"{height}\"/>\n");
        out.push_str(&line);
    }
    let column_of = |row: &Row| lanes.iter().position(|lane| *lane == row.thread).unwrap_or(0);
    for link in distinct(&story.links) {
        let ends = (&story.steps[link.from.step - 1], &story.steps[link.to.step - 1]);
        out.push_str(&arrow(story, link, (column_of(ends.0), column_of(ends.1)), id));
    }
    // Boxes come last, so that no arrow runs through a text.
    for row in &story.steps {
        out.push_str(&step(story, row, column_of(row), files));
    }
    out.push_str("</svg>\n");
    out
}

fn lanes_that_take_part(story: &Story) -> Vec<usize> {
    let threads: BTreeSet<usize> = story.steps.iter().map(|row| row.thread).collect();
    threads.into_iter().collect()
}

/// The arrows between steps: one for each kind and pair, and none for synchronisation that a reads-from arrow already
/// shows.
fn distinct(links: &[Link]) -> Vec<&Link> {
    let mut known: BTreeSet<(LinkKind, usize, usize)> = BTreeSet::new();
    let reads: BTreeSet<(usize, usize)> = links
        .iter()
        .filter(|link| link.kind == LinkKind::ReadsFrom)
        .map(|link| (link.from.step, link.to.step))
        .collect();
    links
        .iter()
        .filter(|link| link.from.step != link.to.step)
        .filter(|link| link.kind != LinkKind::Synchronises || !reads.contains(&(link.from.step, link.to.step)))
        .filter(|link| known.insert((link.kind, link.from.step, link.to.step)))
        .collect()
}

fn top(step: usize) -> usize {
    TOP + (step - 1) * ROW
}

fn step(story: &Story, row: &Row, column: usize, files: &[&str]) -> String {
    let x = if !has_lane(row) { LEFT } else { LEFT + column * LANE };
    let y = top(row.step);
    let values = if row.values.is_empty() { String::new() } else { format!("  {}", row.values) };
    let line = row.at.as_ref().map(|at| format!("{} ", at.line)).unwrap_or_default();
    let text = html(&cut(&format!("{line}{}{values}", row.text), FITS));
    let mut class = "step".to_owned();
    for (name, applies) in [("violation", is_violation(row)), ("aside", row.aside)] {
        if applies {
            class.push_str(&format!(" {name}"));
        }
    }
    let place = row.at.as_ref().and_then(|at| {
        let file = files.iter().position(|file| *file == at.file)?;
        Some(format!(" data-file=\"{file}\" data-line=\"{}\"", at.line))
    });
    let mut hover: Vec<String> = row.events.iter().map(|event| label(event, &story.threads)).collect();
    hover.extend(row.notes.iter().cloned());
    format!(
        "<g class=\"{class}\" data-step=\"{}\"{}><title>{}</title><text class=\"number\" x=\"{}\" y=\"{}\" \
         text-anchor=\"end\">{}</text><rect x=\"{x}\" y=\"{y}\" width=\"{BOX}\" height=\"{HEIGHT}\" rx=\"4\"/>\
         <text x=\"{}\" y=\"{}\" xml:space=\"preserve\">{text}</text></g>\n",
        row.step,
        place.unwrap_or_default(),
        html(&hover.join("\n")),
        LEFT - 10,
        y + 18,
        row.step,
        x + 8,
        y + 18,
    )
}

/// An arrow from the side of one box to the side of another: from side to side between lanes, along the edge within a
/// lane.
fn arrow(story: &Story, link: &Link, (from, to): (usize, usize), id: usize) -> String {
    let (from_y, to_y) = (top(link.from.step) + HEIGHT / 2, top(link.to.step) + HEIGHT / 2);
    let (left, right) = (|column: usize| LEFT + column * LANE, |column: usize| LEFT + column * LANE + BOX);
    let path = match from.cmp(&to) {
        std::cmp::Ordering::Less => {
            let (x1, x2) = (right(from), left(to));
            format!("M{x1} {from_y}C{} {from_y} {} {to_y} {x2} {to_y}", x1 + 40, x2 - 40)
        }
        std::cmp::Ordering::Greater => {
            let (x1, x2) = (left(from), right(to));
            format!("M{x1} {from_y}C{} {from_y} {} {to_y} {x2} {to_y}", x1 - 40, x2 + 40)
        }
        std::cmp::Ordering::Equal => {
            let x = right(from);
            format!("M{x} {from_y}C{} {from_y} {} {to_y} {x} {to_y}", x + 36, x + 36)
        }
    };
    let what = match link.kind {
        LinkKind::ReadsFrom => "is read at",
        LinkKind::Coherence => "is overwritten at",
        LinkKind::Flush => "reaches memory at",
        LinkKind::Synchronises => "happens before",
    };
    let event = story.steps[link.from.step - 1].events.get(link.from.event);
    let event = event.map(|event| label(event, &story.threads)).unwrap_or_default();
    let hover = html(&format!("step {} ({event}) {what} step {}", link.from.step, link.to.step));
    format!(
        "<path class=\"link {}\" data-from=\"{}\" data-to=\"{}\" marker-end=\"url(#tip{id})\" d=\"{path}\">\
         <title>{hover}</title></path>\n",
        link.kind.name(),
        link.from.step,
        link.to.step
    )
}

fn write(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string should not fail");
}
