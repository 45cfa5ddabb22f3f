//! A story drawn for the terminal: one column per thread that takes part, one row per step.
//!
//! Columns shrink, and text that does not fit is cut with `…`; if columns would be too narrow to read, all threads share
//! one column and each row names its thread. Remarks stand to the right of a step where there is room, below it otherwise
//! (in one line, or one line each): a row belongs to one thread, so the columns beside it are free.

use crate::story::{Effect, Row, Story};
use crate::text::{count, cut, pad, width};
use std::collections::BTreeSet;

/// The style of a drawing.
#[derive(Clone, Debug)]
pub struct LaneStyle {
    /// The width of the terminal in columns.
    pub width: usize,
    /// Whether to use colours.
    pub color: bool,
    /// Whether to show every step, also irrelevant ones.
    pub full: bool,
}

/// The minimum width of a column per thread.
const NARROWEST: usize = 18;
/// Longer stories are cut in the middle.
const LONGEST: usize = 120;
const GAP: usize = 2;

/// Draws the steps of a story, without its title.
pub fn draw(story: &Story, style: &LaneStyle) -> String {
    let shown = shown_rows(story, style);
    let table = Table::new(story, &shown, style);
    let mut out = String::new();
    table.header(&mut out);
    let mut previous = 0;
    for row in shown {
        if row.step > previous + 1 {
            let left_out = row.step - previous - 1;
            out.push_str(&table.paint(DIM, &format!("  …  {} left out (--full shows them)", count(left_out, "step"))));
            out.push('\n');
        }
        previous = row.step;
        table.row(row, &mut out);
    }
    out
}

/// The title of a story: the violation and its place, at the two ends of the line; then the number of threads and
/// context switches, with a remark.
pub fn title(story: &Story, remark: &str, style: &LaneStyle) -> String {
    let table = Table::new(story, &shown_rows(story, style), style);
    let place = story.at.as_ref().map(|at| format!("{}:{}", at.file, at.line)).unwrap_or_default();
    let used = "unsafe: ".len() + width(&story.headline) + width(&place);
    let fill = table.total.max(60).min(style.width).saturating_sub(used).max(GAP);
    let headline = format!("{} {}", table.paint(RED, "unsafe:"), table.paint(BOLD, &story.headline));
    let first = format!("{headline}{}{place}", " ".repeat(fill));
    let threads = count(story.threads.len(), "thread");
    let switches = count(story.context_switches, "context switch");
    format!("{}\n{threads}, {switches}; {remark}\n", first.trim_end())
}

/// The rows that are drawn: the relevant ones, and of a long story its beginning and end. A single row is never left
/// out, since the ellipsis would take as much room.
fn shown_rows<'s>(story: &'s Story, style: &LaneStyle) -> Vec<&'s Row> {
    if style.full {
        return story.steps.iter().collect();
    }
    let is_aside = |index: usize| story.steps.get(index).is_some_and(|row| row.aside);
    let has_company = |index: usize| is_aside(index + 1) || index.checked_sub(1).is_some_and(is_aside);
    let rows = story.steps.iter().enumerate();
    let kept: Vec<&Row> = rows.filter(|(index, row)| !(row.aside && has_company(*index))).map(|(_, row)| row).collect();
    let first = LONGEST / 3;
    let last = kept.len().saturating_sub(LONGEST - first);
    let is_near_an_end = |index: usize| kept.len() <= LONGEST || index < first || index >= last;
    kept.iter().enumerate().filter(|(index, _)| is_near_an_end(*index)).map(|(_, row)| *row).collect()
}

const BOLD: &str = "1";
const DIM: &str = "2";
const RED: &str = "1;31";
const CYAN: &str = "36";

struct Column {
    title: String,
    start: usize,
    width: usize,
}

struct Table<'s> {
    story: &'s Story,
    style: &'s LaneStyle,
    columns: Vec<Column>,
    /// The column of each thread; the same for all if they share one.
    column_of: Vec<usize>,
    is_shared_column: bool,
    has_many_files: bool,
    number_width: usize,
    total: usize,
}

impl<'s> Table<'s> {
    fn new(story: &'s Story, shown: &[&Row], style: &'s LaneStyle) -> Table<'s> {
        let files: BTreeSet<&str> = shown.iter().filter_map(|row| row.at.as_ref()).map(|at| at.file.as_str()).collect();
        let number_width = story.steps.len().to_string().len().max(3);
        let mut table = Table {
            story,
            style,
            columns: Vec::new(),
            column_of: vec![0; story.threads.len()],
            is_shared_column: false,
            has_many_files: files.len() > 1,
            number_width,
            total: 0,
        };
        if !table.lay_out(shown) {
            table.share_one_column(shown);
        }
        table.total = table.columns.last().map_or(0, |column| column.start + column.width);
        table
    }

    /// Gives each thread that takes part a column; returns false if columns would be too narrow.
    fn lay_out(&mut self, shown: &[&Row]) -> bool {
        let mut natural: Vec<Option<usize>> = vec![None; self.story.threads.len()];
        for row in shown.iter().filter(|row| has_lane(row)) {
            let own = if is_violation(row) { 0 } else { width(&self.cell(row)) };
            let title = width(&self.story.threads[row.thread].title());
            let old = natural[row.thread].unwrap_or(0);
            natural[row.thread] = Some(old.max(own).max(title));
        }
        let taking_part = natural.iter().flatten().count();
        let gaps = GAP * taking_part.saturating_sub(1);
        let room = self.style.width.saturating_sub(self.number_width + GAP + gaps);
        let widths: Vec<usize> = natural.iter().flatten().copied().collect();
        let cap = fair_cap(&widths, room);
        if widths.iter().any(|natural| *natural > cap) && cap < NARROWEST {
            return false;
        }
        let mut start = self.number_width + GAP;
        for (thread, natural) in natural.iter().enumerate() {
            let Some(natural) = natural else { continue };
            let width = (*natural).min(cap);
            self.column_of[thread] = self.columns.len();
            self.columns.push(Column { title: self.story.threads[thread].title(), start, width });
            start += width + GAP;
        }
        true
    }

    fn share_one_column(&mut self, shown: &[&Row]) {
        self.is_shared_column = true;
        self.column_of.fill(0);
        let start = self.number_width + GAP;
        let room = self.style.width.saturating_sub(start).max(NARROWEST);
        let natural = shown.iter().filter(|row| has_lane(row)).map(|row| width(&self.cell(row))).max().unwrap_or(0);
        self.columns = vec![Column { title: String::new(), start, width: natural.min(room) }];
    }

    fn header(&self, out: &mut String) {
        if self.is_shared_column {
            return;
        }
        let mut line = String::new();
        let mut at = 0;
        for column in &self.columns {
            line.push_str(&" ".repeat(column.start - at));
            let title = cut(&column.title, column.width);
            at = column.start + width(&title);
            line.push_str(&self.paint(CYAN, &title));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }

    /// The contents of the column: the line number, the text and the values; the thread's name if columns are shared.
    fn cell(&self, row: &Row) -> String {
        let values = if row.values.is_empty() { String::new() } else { format!("  {}", row.values) };
        format!("{}{values}", self.cell_without_values(row))
    }

    fn cell_without_values(&self, row: &Row) -> String {
        format!("{}{}", self.head(row), row.text)
    }

    /// The part before the text: the line number, and the thread's name if columns are shared.
    fn head(&self, row: &Row) -> String {
        let line = match &row.at {
            Some(at) if self.has_many_files => {
                format!("{}:{} ", at.file.rsplit('/').next().unwrap_or(&at.file), at.line)
            }
            Some(at) => format!("{} ", at.line),
            None => String::new(),
        };
        if self.is_shared_column {
            let names = self.story.threads.iter().map(|lane| width(&lane.title())).max().unwrap_or(0).min(NARROWEST);
            let name = pad(&cut(&self.story.threads[row.thread].title(), names), names);
            return format!("{name}  {line}");
        }
        line
    }

    /// The cell, cut to the available room: the text is cut before the values, and is dropped if the values fill the
    /// room and show everything that happened.
    fn cut_cell(&self, row: &Row, room: usize) -> String {
        let cell = self.cell(row);
        let values = width(&row.values) + GAP;
        if row.values.is_empty() || width(&cell) <= room {
            return cut(&cell, room.max(1));
        }
        if values <= room / 2 {
            return format!("{}  {}", cut(&self.cell_without_values(row), room - values), row.values);
        }
        let is_reported =
            |event: &Effect| matches!(event, Effect::Read { .. } | Effect::Write { .. } | Effect::Input { .. });
        if !row.values.starts_with('→') && row.events.iter().all(is_reported) {
            return cut(&format!("{}{}", self.head(row), row.values), room.max(1));
        }
        cut(&cell, room.max(1))
    }

    fn row(&self, row: &Row, out: &mut String) {
        let number = format!("{:>1$}  ", row.step, self.number_width);
        out.push_str(&self.paint(DIM, &number));
        let column = &self.columns[self.column_of.get(row.thread).copied().unwrap_or(0)];
        let (indent, room) = if !has_lane(row) {
            (0, self.style.width.saturating_sub(self.number_width + GAP))
        } else if is_violation(row) {
            (column.start - self.number_width - GAP, self.style.width.saturating_sub(column.start))
        } else {
            (column.start - self.number_width - GAP, column.width)
        };
        let cell = self.cut_cell(row, room);
        out.push_str(&" ".repeat(indent));
        out.push_str(&if is_violation(row) { self.paint(BOLD, &cell) } else { cell.clone() });
        let end = self.number_width + GAP + indent + width(&cell);
        if !row.notes.is_empty() && has_lane(row) {
            self.notes(row, end, out);
        }
        out.push('\n');
    }

    /// Puts the remarks where the next column begins, after the text, or below it.
    fn notes(&self, row: &Row, end: usize, out: &mut String) {
        let mut notes = row.notes.join("; ");
        if !is_violation(row) {
            notes = format!("({notes})");
        }
        let column = &self.columns[self.column_of[row.thread]];
        let next = column.start + column.width + GAP;
        let behind = if is_violation(row) || end + GAP > next { end + GAP } else { next };
        let fits = |start: usize| start + width(&notes) <= self.style.width;
        let start = [behind, end + GAP].into_iter().find(|start| fits(*start));
        match start {
            Some(start) => {
                out.push_str(&" ".repeat(start - end));
                out.push_str(&self.paint(DIM, &notes));
            }
            None => {
                let least = self.number_width + GAP;
                let is_one_line = least + width(&notes) <= self.style.width;
                for line in if is_one_line { vec![notes] } else { row.notes.clone() } {
                    let start = self.style.width.saturating_sub(width(&line)).min(column.start + 3).max(least);
                    out.push('\n');
                    out.push_str(&" ".repeat(start));
                    let room = self.style.width.saturating_sub(start).max(1);
                    out.push_str(&self.paint(DIM, &cut(&line, room)));
                }
            }
        }
    }

    fn paint(&self, code: &str, text: &str) -> String {
        paint(self.style.color, code, text)
    }
}

/// The text in a colour of the terminal, if colours are wanted.
pub fn paint(color: bool, code: &str, text: &str) -> String {
    if color && !text.is_empty() {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}

pub(crate) fn is_violation(row: &Row) -> bool {
    row.events.iter().any(|effect| matches!(effect, Effect::Violation { .. }))
}

/// A deadlock belongs to no thread: its row spans the table.
pub(crate) fn has_lane(row: &Row) -> bool {
    !(is_violation(row) && row.at.is_none())
}

/// The largest width such that all columns, each cut to it, fit into the room.
fn fair_cap(widths: &[usize], room: usize) -> usize {
    let mut sorted = widths.to_vec();
    sorted.sort_unstable();
    let mut left = room;
    for (index, width) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - index);
        if *width > share {
            return share;
        }
        left -= width;
    }
    sorted.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::{Lane, Position};
    use ir::{MemoryModel, Property};

    fn row(step: usize, thread: usize, line: u32, text: &str, notes: &[&str]) -> Row {
        let at = Some(Position { file: "bank.c".to_owned(), line });
        let notes = notes.iter().map(|note| (*note).to_owned()).collect();
        let message = "assertion failed: balance == 100".to_owned();
        let events = if step == 7 { vec![Effect::Violation { message, is_assertion: false }] } else { vec![] };
        let (text, values) = text.split_once("  ").unwrap_or((text, ""));
        Row {
            step,
            thread,
            at,
            text: text.to_owned(),
            values: values.to_owned(),
            notes,
            overwrites_unseen: false,
            events,
            aside: false,
        }
    }

    fn bank() -> Story {
        let lane = |name: &str, function: &str, number| Lane { name: name.into(), function: function.into(), number };
        Story {
            property: Property::Unreach,
            model: MemoryModel::Sc,
            headline: "assertion can fail".to_owned(),
            message: "assertion failed: balance == 100".to_owned(),
            library: vec![],
            at: Some(Position { file: "bank.c".to_owned(), line: 31 }),
            threads: vec![lane("main", "main", 1), lane("t1", "deposit", 2), lane("t2", "withdraw", 3)],
            context_switches: 2,
            steps: vec![
                row(1, 0, 28, "create t1, t2", &[]),
                row(2, 1, 12, "b = balance  → 100", &[]),
                row(3, 2, 21, "b = balance  → 100", &[]),
                row(4, 2, 22, "balance = 50", &[]),
                row(5, 1, 13, "balance = 150", &["overwrites step 4"]),
                row(6, 0, 30, "join t1, t2", &[]),
                row(7, 0, 31, "assert(balance == 100)", &["balance is 150, written at step 5"]),
            ],
            links: vec![],
        }
    }

    fn plain(width: usize) -> LaneStyle {
        LaneStyle { width, color: false, full: false }
    }

    #[test]
    fn the_bank_is_drawn_in_lanes() {
        let style = plain(80);
        let drawn = format!("{}\n{}", title(&bank(), "replayed", &style), draw(&bank(), &style));
        let expected = "\
unsafe: assertion can fail                                bank.c:31
3 threads, 2 context switches; replayed

     main              t1 deposit             t2 withdraw
  1  28 create t1, t2
  2                    12 b = balance  → 100
  3                                           21 b = balance  → 100
  4                                           22 balance = 50
  5                    13 balance = 150       (overwrites step 4)
  6  30 join t1, t2
  7  31 assert(balance == 100)  balance is 150, written at step 5
";
        assert_eq!(drawn, expected);
    }

    #[test]
    fn a_narrow_terminal_gets_one_column() {
        let drawn = draw(&bank(), &plain(46));
        assert!(
            drawn.starts_with("  1  main         28 create t1, t2\n  2  t1 deposit   12 b = balance  → 100\n"),
            "{drawn}"
        );
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let mut story = bank();
        story.steps[1].text = "漢字 = 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字".to_owned();
        story.steps[2].text =
            "a_very_long_name_of_a_function(with, many, arguments, of, all, kinds, and, more)".to_owned();
        story.steps[3].text = "balance = a_very_long_name_of_a_variable + another_very_long_name".to_owned();
        story.steps[3].values = "→ 50".to_owned();
        assert!(draw(&story, &plain(90)).contains("…  → 50"), "the values should survive");
        story.steps[4].text = "accounts[number_of_the_account].balance += amount_of_money".to_owned();
        story.steps[4].values = "balance = 150, balances = 12345".to_owned();
        assert!(
            draw(&story, &plain(90)).contains("  13 balance = 150, balanc"),
            "they should not be hidden by the text"
        );
        for columns in 30..140 {
            for line in draw(&story, &plain(columns)).lines() {
                assert!(width(line) <= columns, "{columns}: {line}");
            }
        }
    }

    #[test]
    fn long_stories_are_cut_in_the_middle_unless_asked() {
        let mut story = bank();
        let last = story.steps.pop().expect("a last row");
        for step in 7..=500 {
            story.steps.push(Row { step, events: vec![], ..row(5, 1, 13, "x = 1", &[]) });
        }
        story.steps.push(Row { step: 501, ..last });
        let short = draw(&story, &plain(100));
        assert!(short.contains("381 steps left out (--full shows them)"), "{short}");
        assert!(short.contains("501  31 assert"));
        let full = draw(&story, &LaneStyle { full: true, ..plain(100) });
        assert_eq!(full.lines().count(), 502);
    }

    #[test]
    fn columns_share_the_room_fairly() {
        assert_eq!(fair_cap(&[10, 20, 30], 100), 30);
        assert_eq!(fair_cap(&[10, 20, 30], 50), 20);
        assert_eq!(fair_cap(&[10, 40, 40], 50), 20);
        assert_eq!(fair_cap(&[], 50), 0);
    }
}
