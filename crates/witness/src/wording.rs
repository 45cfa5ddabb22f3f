//! The words of a story: the text of each row and the remarks beside it.

use crate::story::{Effect, Lane};
use crate::teller::Draft;
use crate::text::{clean, width};
use ir::{Claim, Fault, MemoryModel, Property, Violation};
use std::collections::BTreeSet;

/// What can happen, in a few words.
pub(crate) fn headline(property: Property, violation: Option<&Violation>) -> &'static str {
    match property {
        Property::Unreach if violation.is_some_and(is_assertion) => "assertion can fail",
        Property::Unreach => "error can be reached",
        Property::Race if violation.is_some_and(|violation| violation.library().is_some()) => "library race",
        Property::Race => "data race",
        Property::Deadlock => "deadlock",
        Property::Locks => "lock misuse",
        Property::Memory => "invalid memory access",
        Property::Atomicity => "atomicity violation",
    }
}

/// Whether an assertion of the program, or an invariant of a witness, fails.
pub(crate) fn is_assertion(violation: &Violation) -> bool {
    matches!(violation.fault, Fault::Claim(Claim::Asserted { .. } | Claim::Invariant(_)))
}

/// An event in a few words, as in pictures of executions: `R x = 1`.
pub(crate) fn label(effect: &Effect, lanes: &[Lane]) -> String {
    let name = |lane: usize| lanes.get(lane).map_or("?", |lane| lane.name.as_str());
    match effect {
        Effect::Read { place, value, .. } => format!("R {place} = {value}"),
        Effect::Write { place, value, buffered: false, .. } => format!("W {place} = {value}"),
        Effect::Write { place, value, buffered: true, .. } => format!("W {place} = {value} (buffered)"),
        Effect::Flush { place, value, .. } => format!("flush {place} = {value}"),
        Effect::Input { name, value } => format!("input {name} = {value}"),
        Effect::Create { child } => format!("create {}", name(*child)),
        Effect::Join { child } => format!("join {}", name(*child)),
        Effect::Lock { place } => format!("lock {place}"),
        Effect::Unlock { place } => format!("unlock {place}"),
        Effect::Wait { what, place, spuriously: false } => format!("wait for {what} {place}"),
        Effect::Wait { what, place, spuriously: true } => format!("wake from {what} {place} for no reason"),
        Effect::Blocked { what, lock, other } => blocked(what, lock.is_some(), *other, lanes),
        Effect::Alloc { place } => format!("allocate {place}"),
        Effect::Free { place } => format!("free {place}"),
        Effect::Fence => "fence".to_owned(),
        Effect::Violation { message, .. } => message.clone(),
    }
}

/// The text of a row: the source, or words where no source line describes it well; and the values that were read or
/// written.
pub(crate) fn text(row: &Draft, source: Option<&str>, lanes: &[Lane]) -> (String, String) {
    let alone = |text: String| (text, String::new());
    let access = |effect: &Effect| matches!(effect, Effect::Read { .. } | Effect::Write { .. });
    // The accesses are to the handles, if there is nothing else in the line.
    if !(row.effects.iter().any(access) && source.is_some_and(|source| has_many_statements(&clean(source)))) {
        if let Some(words) = creation_or_join(row, lanes) {
            return alone(words);
        }
    }
    let Some(source) = shown_source(row, source) else {
        let parts = values(&row.effects, source, true);
        return alone(match violation(row) {
            Some((message, _)) => message.to_owned(),
            None if parts.is_empty() => words_without_source(row),
            None => parts.join(", "),
        });
    };
    let parts = values(&row.effects, Some(&source), false).join(", ");
    match row.effects.as_slice() {
        // The values are in the remarks of the last row.
        _ if violation(row).is_some() => alone(source),
        [Effect::Read { value, .. }] => (source, format!("→ {value}")),
        [Effect::Write { value, .. }] if assigned(&source).is_some() => {
            alone(format!("{} = {value}", assigned(&source).unwrap_or(&source)))
        }
        [Effect::Read { value, .. }, Effect::Write { value: written, .. }]
            if value == written && assigned(&source).is_some() =>
        {
            (source, format!("→ {value}"))
        }
        _ => (source, parts),
    }
}

/// The source line of a row, if it describes the row: not if it holds several statements, any of which the row may be,
/// nor if it would have to be cut.
fn shown_source(row: &Draft, source: Option<&str>) -> Option<String> {
    const LONGEST: usize = 60;
    if matches!(row.effects.as_slice(), [Effect::Flush { .. }]) {
        return None;
    }
    let source = clean(source?);
    let is_reported_by_words = violation(row).is_some() || !values(&row.effects, None, true).is_empty();
    let is_hard_to_read = has_many_statements(&source) || width(&source) > LONGEST && is_reported_by_words;
    (!source.is_empty() && !is_hard_to_read).then_some(source)
}

/// Whether a line of source holds more than one statement: a `;` or `{` in it that is not in parentheses or quotes, and
/// not the braces of an initialiser.
fn has_many_statements(source: &str) -> bool {
    let mut quote = None;
    let mut is_escaped = false;
    let (mut parentheses, mut braces) = (0, 0);
    let mut last = ' ';
    for c in source.chars() {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if c == '\\' => is_escaped = true,
            Some(end) if c == end => quote = None,
            Some(_) => {}
            None => match c {
                '"' | '\'' => quote = Some(c),
                '(' | '[' => parentheses += 1,
                ')' | ']' => parentheses -= 1,
                '{' if braces > 0 || parentheses > 0 || "=,".contains(last) => braces += 1,
                '}' if braces > 0 => braces -= 1,
                // A `}` at the beginning of the line ends an earlier statement: `} else`, `} while (x)`.
                '{' | ';' if parentheses <= 0 => return true,
                _ => {}
            },
        }
        if !c.is_whitespace() {
            last = c;
        }
    }
    false
}

/// The violation in a row, if any, and whether it is an assertion of the program.
fn violation(row: &Draft) -> Option<(&str, bool)> {
    row.effects.iter().find_map(|effect| match effect {
        Effect::Violation { message, is_assertion } => Some((message.as_str(), *is_assertion)),
        _ => None,
    })
}

/// `create t1, t2` or `join t1`, if that is all the row does.
fn creation_or_join(row: &Draft, lanes: &[Lane]) -> Option<String> {
    let mut created = Vec::new();
    let mut joined = Vec::new();
    for effect in &row.effects {
        match effect {
            Effect::Create { child } => created.push(lanes[*child].name.as_str()),
            Effect::Join { child } => joined.push(lanes[*child].name.as_str()),
            Effect::Read { .. } | Effect::Write { .. } => {}
            Effect::Flush { .. }
            | Effect::Input { .. }
            | Effect::Lock { .. }
            | Effect::Unlock { .. }
            | Effect::Wait { .. }
            | Effect::Blocked { .. }
            | Effect::Alloc { .. }
            | Effect::Free { .. }
            | Effect::Fence
            | Effect::Violation { .. } => return None,
        }
    }
    match (created.is_empty(), joined.is_empty()) {
        (false, true) => Some(format!("create {}", created.join(", "))),
        (true, false) => Some(format!("join {}", joined.join(", "))),
        _ => None,
    }
}

/// The values of a row, one part each; a long list is cut in the middle. `alone` if no source describes the rest.
fn values(effects: &[Effect], source: Option<&str>, alone: bool) -> Vec<String> {
    const MAX: usize = 5;
    let synchronisations = effects
        .iter()
        .filter(|effect| matches!(effect, Effect::Lock { .. } | Effect::Unlock { .. } | Effect::Wait { .. }))
        .count();
    let name_synchronisation = synchronisations > 1 || alone && effects.len() > 1;
    let mut parts: Vec<String> = Vec::new();
    let mut index = 0;
    while index < effects.len() {
        let (part, used) = part(&effects[index..], source, name_synchronisation);
        index += used;
        if !part.is_empty() {
            parts.push(part);
        }
    }
    if parts.len() > MAX {
        let last = parts.split_off(parts.len() - 2);
        parts.truncate(2);
        parts.push("…".to_owned());
        parts.extend(last);
    }
    parts
}

/// The text for the first of the effects, and the number of effects it covers: a read and a write of one place are
/// described together.
fn part(effects: &[Effect], source: Option<&str>, name_synchronisation: bool) -> (String, usize) {
    let say = |text: String| (if name_synchronisation { text } else { String::new() }, 1);
    match effects {
        [Effect::Read { place, value: old, .. }, Effect::Write { place: written, value, .. }, ..]
            if place == written =>
        {
            (format!("{place}: {old} → {value}"), 2)
        }
        [Effect::Read { place, value, .. }, ..] => (format!("{place} → {value}"), 1),
        [Effect::Write { place, value, .. }, ..] => (format!("{place} = {value}"), 1),
        [Effect::Flush { place, value, .. }, ..] => (format!("{place} = {value} reaches memory"), 1),
        [Effect::Input { name, value }, ..] if is_temporary(name, source) => (format!("input → {value}"), 1),
        // Names of heap objects consist of several words.
        [Effect::Input { name, value }, ..] if name.contains(' ') => (format!("({name}) = input → {value}"), 1),
        [Effect::Input { name, value }, ..] => (format!("{name} = input → {value}"), 1),
        [Effect::Create { child }, ..] => (format!("creates t{child}"), 1),
        [Effect::Join { child }, ..] => (format!("joins t{child}"), 1),
        [Effect::Lock { place }, ..] => say(format!("locks {place}")),
        [Effect::Unlock { place }, ..] => say(format!("unlocks {place}")),
        [Effect::Wait { what, .. }, ..] => say(format!("{what} done")),
        [Effect::Alloc { .. } | Effect::Free { .. } | Effect::Fence, ..] => (String::new(), 1),
        [Effect::Blocked { .. } | Effect::Violation { .. }, ..] | [] => (String::new(), 1),
    }
}

/// Whether a name was made by the compiler for a value without a name in the source.
fn is_temporary(name: &str, source: Option<&str>) -> bool {
    let is_numbered = |digits: &str| digits.chars().all(|c| c.is_ascii_digit());
    let is_word = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
    name.strip_prefix('t').is_some_and(is_numbered) && !source.is_some_and(is_word)
}

fn words_without_source(row: &Draft) -> String {
    let words = |effect: &Effect| match effect {
        Effect::Lock { place } => format!("lock {place}"),
        Effect::Unlock { place } => format!("unlock {place}"),
        Effect::Wait { what, .. } => format!("wait for {what}"),
        Effect::Blocked { .. } => "waits".to_owned(),
        Effect::Alloc { place } => format!("allocate {place}"),
        Effect::Free { place } => format!("free {place}"),
        Effect::Fence => "fence".to_owned(),
        Effect::Violation { message, .. } => message.clone(),
        Effect::Read { .. }
        | Effect::Write { .. }
        | Effect::Flush { .. }
        | Effect::Input { .. }
        | Effect::Create { .. }
        | Effect::Join { .. } => String::new(),
    };
    row.effects.iter().map(words).filter(|words| !words.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The left side of a source line that is a single assignment without calls or a declaration.
fn assigned(source: &str) -> Option<&str> {
    let (left, right) = source.split_once('=')?;
    let plain = |c: char| c.is_alphanumeric() || "_->.[]* \t".contains(c);
    if right.starts_with('=') || right.contains(['=', '(', ';', '{']) || !left.chars().all(plain) {
        return None;
    }
    let left = left.trim_end();
    // `x -= 1` and the like are not plain assignments.
    if left.is_empty() || left.ends_with(['-', '*', '>']) {
        return None;
    }
    let word = left.rsplit([' ', '\t']).next()?;
    Some(if word.len() < left.len() { word.trim_start_matches('*') } else { word })
}

/// The remarks beside a row: origins of values from other threads, overwritten unseen writes, unseen writes.
pub(crate) fn notes(
    rows: &[Draft],
    index: usize,
    source: Option<&str>,
    (model, lanes): (MemoryModel, &[Lane]),
) -> Vec<String> {
    let row = &rows[index];
    let violation = violation(row);
    let reads = row.effects.iter().filter(|effect| matches!(effect, Effect::Read { .. })).count();
    let mut notes = Vec::new();
    for effect in &row.effects {
        match effect {
            Effect::Read { place, value, written_at, unseen } => {
                let by_other = written_at.filter(|step| violation.is_some() || rows[step - 1].lane != row.lane);
                match (violation, by_other) {
                    (Some(_), Some(step)) => notes.push(format!("{place} is {value}, written at step {step}")),
                    (Some(_), None) => notes.push(format!("{place} is {value}")),
                    (None, Some(step)) if reads > 1 => notes.push(format!("{place} written at step {step}")),
                    (None, Some(step)) => notes.push(format!("written at step {step}")),
                    (None, None) => {}
                }
                if !unseen.is_empty() {
                    let steps: Vec<String> = unseen.iter().map(usize::to_string).collect();
                    let noun = if steps.len() == 1 { "step" } else { "steps" };
                    let why = unseen_because(rows, unseen, (model, lanes));
                    notes.push(format!("does not see {noun} {}{why}", steps.join(", ")));
                }
            }
            Effect::Write { overwrites, buffered, .. } => {
                if let Some(step) = overwrites.filter(|step| is_lost(rows, index, *step, model)) {
                    notes.push(format!("overwrites step {step}"));
                }
                if *buffered {
                    notes.push("buffered".to_owned());
                }
            }
            Effect::Flush { written_at: Some(step), .. } => notes.push(format!("written at step {step}")),
            Effect::Wait { what, spuriously: true, .. } => notes.push(format!("{what}: wakes for no reason")),
            Effect::Blocked { what, lock, other } => notes.push(blocked(what, lock.is_some(), *other, lanes)),
            Effect::Input { name, value } if violation.is_some() => {
                notes.push(match is_temporary(name, source) {
                    true => format!("an input is {value}"),
                    false => format!("{name} is {value} (input)"),
                });
            }
            Effect::Flush { .. }
            | Effect::Input { .. }
            | Effect::Create { .. }
            | Effect::Join { .. }
            | Effect::Lock { .. }
            | Effect::Unlock { .. }
            | Effect::Wait { .. }
            | Effect::Alloc { .. }
            | Effect::Free { .. }
            | Effect::Fence
            | Effect::Violation { .. } => {}
        }
    }
    if let Some((message, is_assertion)) = violation {
        let is_said = row.span.is_none() || shown_source(row, source).is_none();
        if (notes.is_empty() || !is_assertion) && !is_said {
            notes.insert(0, message.to_owned());
        }
    }
    notes.dedup();
    notes
}

/// Why earlier writes are not seen.
fn unseen_because(rows: &[Draft], unseen: &[usize], (model, lanes): (MemoryModel, &[Lane])) -> String {
    match model {
        MemoryModel::Sc => String::new(),
        MemoryModel::Tso | MemoryModel::Pso => {
            let writers: BTreeSet<&str> = unseen.iter().map(|step| lanes[rows[step - 1].lane].name.as_str()).collect();
            let writers: Vec<&str> = writers.into_iter().collect();
            format!(", still in the store buffer of {}", writers.join(", "))
        }
        MemoryModel::Ra => ", of which it has not learnt".to_owned(),
    }
}

fn blocked(what: &str, is_lock: bool, other: Option<usize>, lanes: &[Lane]) -> String {
    match other.map(|lane| &lanes[lane].name) {
        Some(name) if is_lock => format!("waits for {what}, held by {name}"),
        Some(name) => format!("waits for the end of {name}"),
        None => format!("waits for {what}"),
    }
}

/// Whether a row overwrites what another thread wrote without having read it.
pub(crate) fn overwrites_unseen(rows: &[Draft], index: usize, model: MemoryModel) -> bool {
    let is_unseen = |effect: &Effect| matches!(effect, Effect::Write { overwrites: Some(step), .. } if is_lost(rows, index, *step, model));
    rows[index].effects.iter().any(is_unseen)
}

/// Whether the write of `step`, by another thread, is overwritten in row `index` by a thread that never read it.
fn is_lost(rows: &[Draft], index: usize, step: usize, model: MemoryModel) -> bool {
    let lane = rows[index].lane;
    let reads_it = |effect: &Effect| matches!(effect, Effect::Read { written_at: Some(at), .. } if *at == step);
    let joins = |effect: &Effect| matches!(effect, Effect::Join { .. });
    // Without multi-copy atomicity, a later write may come earlier in modification order.
    model.is_multi_copy_atomic()
        && rows[step - 1].lane != lane
        && !rows[step - 1..=index]
            .iter()
            .filter(|row| row.lane == lane)
            .any(|row| row.effects.iter().any(|effect| reads_it(effect) || joins(effect)))
}

#[cfg(test)]
mod tests {
    use super::{assigned, has_many_statements};

    #[test]
    fn lines_with_several_statements_are_recognised() {
        for one in [
            "x = 1",
            "for (int i = 0; i < n; i++",
            "for (;;",
            "} else if (x == ';'",
            "} while (x)",
            "puts(\"a; {b}\\\"; c\")",
            "int a[2] = {1, 2}",
            "struct s a[] = {{1, 2}, {3, 4}}",
            "f((struct s){1, 2})",
            "if (x) y = 1",
            "",
        ] {
            assert!(!has_many_statements(one), "{one}");
        }
        for many in [
            "x = 1; y = 2",
            "void *f(void *p) { x = 1; return 0; }",
            "void *f(void *p) { return x; }",
            "for (;;) { x++",
            "for (;;) { x++; }",
            "pthread_t t; pthread_create(&t, 0, f, 0)",
            "c = ';'; d = '\\''",
        ] {
            assert!(has_many_statements(many), "{many}");
        }
    }

    #[test]
    fn simple_assignments_are_recognised() {
        assert_eq!(assigned("balance = b + 50"), Some("balance"));
        assert_eq!(assigned("int b = balance"), Some("b"));
        assert_eq!(assigned("int *p = q"), Some("p"));
        assert_eq!(assigned("q->items[i] = v"), Some("q->items[i]"));
        assert_eq!(assigned("*p = 1"), Some("*p"));
        for other in ["x == 1", "x += 1", "x -= 1", "x *= 2", "x >= 1", "x = f(y)", "for (i = 0", "a = b = 1", "x"] {
            assert_eq!(assigned(other), None, "{other}");
        }
    }
}
