//! A report as one self-contained HTML file: no other file, no network. Each counterexample is a picture with a lane per thread, arrows
//! for reads-from, order of writes and synchronisation, a pane with the source and one with the events of the chosen step; the keys left
//! and right, or k and j, step through it. Without JavaScript a table shows the same.
//!
//! Everything that comes from the program or the command line goes through [`base::escape::html`]; none of it is placed inside a script.

mod diagram;

use crate::report::{PropertyReport, Report};
use crate::sources::Sources;
use crate::story::{Effect, Row, Story};
use crate::text::count;
use crate::wording::label;
use base::escape::html;
use ir::MemoryModel;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Longer files are shown only around the lines of the story.
const LONGEST_FILE: usize = 4000;
const AROUND: usize = 100;

/// The report as a page.
pub fn page(report: &Report, sources: &Sources) -> String {
    let files = report.files.join(", ");
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>{}: {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        report.verdict.name(),
        html(&files)
    );
    write(&mut out, format_args!("<h1><span class=\"{0}\">{0}</span> {1}</h1>\n", report.verdict.name(), html(&files)));
    let data_model = report.data_model.as_ref().map(|model| format!("data model {model}, ")).unwrap_or_default();
    let about =
        format!("memory model {}, {data_model}Heddle {}, {:.2} s", report.memory_model, report.heddle, report.seconds);
    write(&mut out, format_args!("<p class=\"dim\">{}</p>\n", html(&about)));
    let mut stories = 0;
    for result in &report.results {
        out.push_str(&part(report, result, sources, &mut stories));
    }
    diagnostics(report, &mut out);
    why_safe(report, &mut out);
    assumptions(report, &mut out);
    statistics(report, &mut out);
    write(&mut out, format_args!("<script>\n{SCRIPT}</script>\n</body>\n</html>\n"));
    out
}

/// The baseline's remark on an answer.
fn baseline(result: &PropertyReport) -> String {
    let words = result.about_baseline();
    words.map(|words| format!("<p class=\"baseline\">{}</p>\n", html(&words))).unwrap_or_default()
}

/// The answer for one property.
fn part(report: &Report, result: &PropertyReport, sources: &Sources, stories: &mut usize) -> String {
    let model = report.memory_model;
    let mut out = String::new();
    for story in result.stories() {
        let place = story.at.as_ref().map(|at| format!("{}:{}", at.file, at.line)).unwrap_or_default();
        let confirmed = result.confirmed.as_deref().unwrap_or("not confirmed");
        write(
            &mut out,
            format_args!(
                "<h2><span class=\"unsafe\">unsafe:</span> {} <span class=\"dim\">{}</span></h2>\n<p>{}</p>\n\
                 <p class=\"dim\">{}, {}; {} under {model}; {confirmed}; found by {}</p>\n",
                html(&story.headline),
                html(&place),
                html(&story.message),
                count(story.threads.len(), "thread"),
                count(story.context_switches, "context switch"),
                result.property,
                html(&result.engine),
            ),
        );
        if result.counterexample.as_ref() == Some(story) {
            out.push_str(&baseline(result));
        }
        out.push_str(&run(story, sources, *stories));
        *stories += 1;
    }
    if !out.is_empty() {
        return out;
    }
    let verdict = &result.verdict;
    let whether = if result.proof.is_some() { "" } else { "whether " };
    let promise = html(&result.promise());
    write(
        &mut out,
        format_args!("<h2><span class=\"{verdict}\">{verdict}:</span> {whether}{promise} under {model}</h2>\n"),
    );
    out.push_str(&baseline(result));
    if !result.reasons.is_empty() {
        out.push_str("<table class=\"reasons\"><tr><th>reason</th><th>where</th><th></th></tr>\n");
        for reason in &result.reasons {
            let place = html(reason.place.as_deref().unwrap_or_default());
            let (kind, detail) = (html(&reason.kind), html(&reason.detail));
            write(&mut out, format_args!("<tr><td>{kind}</td><td><code>{place}</code></td><td>{detail}</td></tr>\n"));
        }
        out.push_str("</table>\n");
    }
    out
}

/// A counterexample.
fn run(story: &Story, sources: &Sources, id: usize) -> String {
    let mut files: Vec<&str> = Vec::new();
    for at in story.steps.iter().filter_map(|row| row.at.as_ref()) {
        if !files.contains(&at.file.as_str()) {
            files.push(&at.file);
        }
    }
    let mut out = format!("<section class=\"story\" id=\"story{id}\">\n<div>\n");
    out.push_str(
        "<p class=\"key\"><b class=\"rf\">→ is read by</b>, <b class=\"co\">→ is overwritten by</b>, \
         <b class=\"hb\">⇢ happens before</b></p>\n<div class=\"picture\">\n",
    );
    out.push_str(&diagram::draw(story, &files, id));
    out.push_str("</div>\n</div>\n<div>\n");
    out.push_str(
        "<p class=\"controls\" hidden><button type=\"button\" data-by=\"-1\">← back</button> \
         <button type=\"button\" data-by=\"1\">on →</button> <span class=\"status\"></span> \
         <span class=\"dim\">(keys <kbd>←</kbd> <kbd>→</kbd> or <kbd>k</kbd> <kbd>j</kbd>)</span></p>\n\
         <div class=\"detail\">\n",
    );
    for row in &story.steps {
        write(&mut out, format_args!("<div data-step=\"{}\" hidden>{}</div>\n", row.step, detail(story, row)));
    }
    out.push_str("</div>\n");
    out.push_str(&source(story, sources, &files));
    out.push_str("</div>\n");
    out.push_str(&table(story));
    out.push_str("</section>\n");
    out
}

/// The details of a step.
fn detail(story: &Story, row: &Row) -> String {
    let lane = story.threads[row.thread].title();
    let place = row.at.as_ref().map(|at| format!(", {}:{}", at.file, at.line)).unwrap_or_default();
    let mut out = format!(
        "<p><b>{}</b> <span class=\"dim\">{}{}</span></p>\n<p><code>{}</code> {}</p>\n",
        row.step,
        html(&lane),
        html(&place),
        html(&row.text),
        html(&row.values)
    );
    for event in &row.events {
        let label = label(event, &story.threads);
        write(&mut out, format_args!("<p><code>{}</code>{}</p>\n", html(&label), origin(story, row, event)));
    }
    for note in &row.notes {
        write(&mut out, format_args!("<p>{}</p>\n", html(note)));
    }
    out
}

/// The origin of a value: the write that a read reads from, and why an older one could be seen.
fn origin(story: &Story, row: &Row, event: &Effect) -> String {
    let name = |step: &usize| story.steps.get(step - 1).map_or("?", |row| story.threads[row.thread].name.as_str());
    let text = match event {
        Effect::Read { place, written_at, unseen, .. } => {
            let from = match written_at {
                Some(step) => format!(", written at step {step} by {}", name(step)),
                None => ", the initial value".to_owned(),
            };
            let steps: Vec<String> = unseen.iter().map(|step| format!("{step} ({})", name(step))).collect();
            let reader = &story.threads[row.thread].name;
            let why = match (unseen.is_empty(), story.model) {
                (true, _) | (false, MemoryModel::Sc) => String::new(),
                (false, MemoryModel::Tso | MemoryModel::Pso) => format!(
                    ". Newer writes of {place} exist, step {}, but are in the store buffer of the thread that made them, \
                     where {reader} cannot see them.",
                    steps.join(", ")
                ),
                (false, MemoryModel::Ra) => format!(
                    ". Newer writes of {place} exist, step {}, but nothing that {reader} has read, and no thread it has \
                     joined, knew of them: it may still read the older one.",
                    steps.join(", ")
                ),
            };
            format!("{from}{why}")
        }
        Effect::Write { overwrites: Some(step), .. } if story.model.is_multi_copy_atomic() => {
            format!(", replaces what step {step} wrote")
        }
        Effect::Flush { written_at: Some(step), .. } => format!(", written at step {step}, is seen by all from now on"),
        _ => String::new(),
    };
    html(&text)
}

/// The source files of a story.
fn source(story: &Story, sources: &Sources, files: &[&str]) -> String {
    let mut out = String::from("<div class=\"source\">\n");
    for (index, name) in files.iter().enumerate() {
        write(&mut out, format_args!("<div data-file=\"{index}\"><h3>{}</h3>\n", html(name)));
        match sources.file(name) {
            None => out.push_str("<p class=\"dim\">The source could not be read.</p>\n"),
            Some(lines) => {
                let here = story.steps.iter().filter_map(|row| row.at.as_ref()).filter(|at| at.file == *name);
                let wanted: Vec<usize> = here.map(|at| at.line as usize).collect();
                let is_near = |line: usize| wanted.iter().any(|other| other.abs_diff(line) <= AROUND);
                out.push_str("<ol>\n");
                for (line, text) in lines.iter().enumerate().map(|(index, text)| (index + 1, text)) {
                    if lines.len() <= LONGEST_FILE || is_near(line) {
                        write(&mut out, format_args!("<li value=\"{line}\">{}</li>\n", html(text)));
                    }
                }
                out.push_str("</ol>\n");
            }
        }
        out.push_str("</div>\n");
    }
    out.push_str("</div>\n");
    out
}

/// The story as a table, for readers without JavaScript.
fn table(story: &Story) -> String {
    let mut out = String::from(
        "<noscript><table><tr><th>step</th><th>thread</th><th>line</th><th>what</th><th>values</th><th>remarks</th></tr>\n",
    );
    for row in &story.steps {
        let line = row.at.as_ref().map(|at| format!("{}:{}", at.file, at.line)).unwrap_or_default();
        let events: Vec<String> = row.events.iter().map(|event| label(event, &story.threads)).collect();
        write(
            &mut out,
            format_args!(
                "<tr><td>{}</td><td>{}</td><td>{}</td><td><code>{}</code></td><td>{}</td><td>{}</td></tr>\n",
                row.step,
                html(&story.threads[row.thread].title()),
                html(&line),
                html(&row.text),
                html(&events.join(", ")),
                html(&row.notes.join("; "))
            ),
        );
    }
    out.push_str("</table></noscript>\n");
    out
}

fn diagnostics(report: &Report, out: &mut String) {
    if report.diagnostics.is_empty() {
        return;
    }
    out.push_str("<h2>What was said about the program</h2>\n<ul>\n");
    for said in &report.diagnostics {
        let place = said.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        let help = said.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        let text = format!("{place}{}: {}{help}", said.severity, said.message);
        write(out, format_args!("<li>{}</li>\n", html(&text)));
    }
    out.push_str("</ul>\n");
}

fn why_safe(report: &Report, out: &mut String) {
    let proved = || report.results.iter().filter_map(|result| result.proof.as_ref().map(|proof| (result, proof)));
    if proved().next().is_none() {
        return;
    }
    out.push_str(
        "<h2>Why it is safe</h2>\n<table class=\"proofs\"><tr><th>property</th><th>promise</th><th>engine</th>",
    );
    out.push_str("<th>argument</th><th>confirmed</th></tr>\n");
    for (result, proof) in proved() {
        let mut how = proof.argument(result.confirmed.is_some());
        if let Some(premises) = result.about_premises() {
            how.push_str(&format!("; {premises}"));
        }
        let confirmed = result.confirmed.as_deref().unwrap_or("no second opinion (--check asks for one)");
        write(
            out,
            format_args!(
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{confirmed}</td></tr>\n",
                result.property,
                html(&result.promise()),
                html(&result.engine),
                html(&how)
            ),
        );
    }
    out.push_str("</table>\n");
}

/// The assumptions behind all answers.
fn assumptions(report: &Report, out: &mut String) {
    if report.results.is_empty() {
        return;
    }
    let accesses = match report.memory_model {
        MemoryModel::Sc => "every thread sees memory at once as every other does",
        MemoryModel::Tso | MemoryModel::Pso => {
            "plain accesses are accesses of that machine, whatever a compiler may do to them"
        }
        MemoryModel::Ra => "plain accesses acquire and release, whatever a compiler may do to them",
    };
    write(
        out,
        format_args!(
            "<h2>What the answers take for granted</h2>\n<ul>\n<li>malloc and pthread_create succeed.</li>\n\
             <li>Under {}, {accesses}.</li>\n</ul>\n",
            report.memory_model
        ),
    );
}

fn statistics(report: &Report, out: &mut String) {
    out.push_str(
        "<h2>Statistics</h2>\n<table class=\"statistics\"><tr><th>property</th><th>what</th><th>how much</th></tr>\n",
    );
    let mut line = |property: &str, name: &str, value: String| {
        let (property, name, value) = (html(property), html(name), html(&value));
        write(out, format_args!("<tr><td>{property}</td><td>{name}</td><td class=\"number\">{value}</td></tr>\n"));
    };
    for result in &report.results {
        line(result.property.name(), "seconds", format!("{:.3}", result.seconds));
        for turn in &result.turns {
            line(
                result.property.name(),
                &format!("engine {}: {}", turn.engine, turn.verdict),
                format!("{:.3} s", turn.seconds),
            );
        }
        for (name, value) in &result.stats {
            line(result.property.name(), name, value.to_string());
        }
    }
    line("", "seconds in all", format!("{:.3}", report.seconds));
    if let Some(memory) = report.memory_mb {
        line("", "most memory, in MB", memory.to_string());
    }
    out.push_str("</table>\n");
}

fn write(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string should not fail");
}
