//! The summary of a suite run: a table per family, the reasons for `unknown` with their frequencies, and wrong verdicts
//! prominently.

use super::index::Task;
use super::results::Row;
use std::collections::BTreeMap;
use std::fmt::Write;

#[derive(Clone, Copy, Default)]
struct Count {
    tasks: usize,
    right: usize,
    wrong: usize,
    unknown: usize,
    errors: usize,
    seconds: f64,
}

impl Count {
    fn add(&mut self, task: &Task, row: &Row) {
        self.tasks += 1;
        self.seconds += row.seconds;
        if row.is_right(task) {
            self.right += 1;
        } else if row.is_wrong(task) {
            self.wrong += 1;
        } else if row.verdict == "unknown" {
            self.unknown += 1;
        } else {
            self.errors += 1;
        }
    }
}

/// The summary of the tasks that are done, out of `all`.
pub(crate) fn summary(done: &[(&Task, &Row)], all: usize) -> String {
    let mut text = table(done);
    text.push_str(&reasons(done));
    if done.len() < all {
        text.push_str(&format!("\n{} of {all} tasks are not done\n", all - done.len()));
    }
    text.push_str(&wrong(done));
    text
}

fn table(done: &[(&Task, &Row)]) -> String {
    let mut families: BTreeMap<String, Count> = BTreeMap::new();
    let mut total = Count::default();
    for (task, row) in done {
        families.entry(format!("{} {} {}", task.family(), task.property, task.model)).or_default().add(task, row);
        total.add(task, row);
    }
    let width = families.keys().map(|name| name.chars().count()).max().unwrap_or(0).max("family".len());
    let mut text = format!("{:width$}  tasks  right  wrong  unknown  error    seconds\n", "family");
    let mut line = |name: &str, count: Count| {
        let Count { tasks, right, wrong, unknown, errors, seconds } = count;
        writeln!(text, "{name:width$}  {tasks:5}  {right:5}  {wrong:5}  {unknown:7}  {errors:5}  {seconds:9.1}")
            .expect("writing to a string should not fail");
    };
    for (name, count) in &families {
        line(name, *count);
    }
    line("total", total);
    text
}

/// The reasons for tasks that are neither right nor wrong, the most frequent first, each with one detail as an example.
fn reasons(done: &[(&Task, &Row)]) -> String {
    let mut groups: BTreeMap<(&str, &str), (usize, &str, &str)> = BTreeMap::new();
    for (task, row) in done.iter().filter(|(task, row)| !row.is_right(task) && !row.is_wrong(task)) {
        let group = groups.entry((&row.verdict, &row.reason)).or_insert((0, &task.id, &row.detail));
        group.0 += 1;
    }
    if groups.is_empty() {
        return String::new();
    }
    let mut sorted: Vec<_> = groups.into_iter().collect();
    sorted.sort_by_key(|(name, (count, ..))| (std::cmp::Reverse(*count), *name));
    let mut text = "\nundecided, by reason:\n".to_owned();
    for ((verdict, reason), (count, id, detail)) in sorted {
        text.push_str(&format!("{count:6}  {verdict} ({reason})  for example {id}: {detail}\n"));
    }
    text
}

fn wrong(done: &[(&Task, &Row)]) -> String {
    let wrong: Vec<_> = done.iter().filter(|(task, row)| row.is_wrong(task)).collect();
    if wrong.is_empty() {
        return "\nno wrong verdict\n".to_owned();
    }
    let mut text = format!("\nWRONG VERDICTS: {}\n", wrong.len());
    for (task, row) in wrong {
        text.push_str(&format!("  WRONG  {}: said {}, recorded is {}\n", task.id, row.verdict, task.expected));
    }
    text
}
