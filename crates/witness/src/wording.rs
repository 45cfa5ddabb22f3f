//! The words of a story: what a row says, and the remarks beside it.

use crate::story::{Effect, Lane};
use crate::teller::Draft;
use crate::text::clean;
use ir::{MemoryModel, Property, Violation};

/// What can happen, in a few words.
pub(crate) fn headline(property: Property, violation: Option<&Violation>) -> &'static str {
    match property {
        Property::Unreach if violation.is_some_and(|violation| violation.message.contains("assert")) => {
            "assertion can fail"
        }
        Property::Unreach => "error can be reached",
        Property::Race => "data race",
        Property::Deadlock => "deadlock",
        Property::Locks => "lock misuse",
        Property::Memory => "invalid memory access",
    }
}

/// What a row says: the source or, where there is none, words; and the values that were read or written.
pub(crate) fn text(row: &Draft, source: Option<&str>, lanes: &[Lane]) -> (String, String) {
    let alone = |text: String| (text, String::new());
    if let Some(words) = creation_or_join(row, lanes) {
        return alone(words);
    }
    let parts = values(&row.effects).join(", ");
    let source = source.map(clean).filter(|source| !source.is_empty());
    let violated = row.effects.iter().any(|effect| matches!(effect, Effect::Violation { .. }));
    match (source, row.effects.as_slice()) {
        (_, [Effect::Flush { .. }]) => alone(parts),
        (None, _) if parts.is_empty() => alone(words_without_source(row)),
        (None, _) => alone(parts),
        // The values stand in the remarks of the last row.
        (Some(source), _) if violated => alone(source),
        (Some(source), [Effect::Read { value, .. } | Effect::Input { value, .. }]) => (source, format!("→ {value}")),
        (Some(source), [Effect::Write { value, .. }]) if assigned(&source).is_some() => {
            alone(format!("{} = {value}", assigned(&source).unwrap_or(&source)))
        }
        (Some(source), [Effect::Read { value, .. }, Effect::Write { value: written, .. }])
            if value == written && assigned(&source).is_some() =>
        {
            (source, format!("→ {value}"))
        }
        (Some(source), _) => (source, parts),
    }
}

/// `create t1, t2` or `join t1`, if that is what the row does.
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

/// The values of a row, one part each; a long list is cut in the middle.
fn values(effects: &[Effect]) -> Vec<String> {
    const MOST: usize = 5;
    let synchronisations = effects
        .iter()
        .filter(|effect| matches!(effect, Effect::Lock { .. } | Effect::Unlock { .. } | Effect::Wait { .. }))
        .count();
    let mut parts: Vec<String> = Vec::new();
    let mut index = 0;
    while index < effects.len() {
        let (part, used) = part(&effects[index..], synchronisations > 1);
        index += used;
        if !part.is_empty() {
            parts.push(part);
        }
    }
    if parts.len() > MOST {
        let last = parts.split_off(parts.len() - 2);
        parts.truncate(2);
        parts.push("…".to_owned());
        parts.extend(last);
    }
    parts
}

/// What the first of the effects says, and how many effects that takes: a read and a write of one place are told
/// together.
fn part(effects: &[Effect], name_synchronisation: bool) -> (String, usize) {
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
        [Effect::Input { name, value }, ..] => (format!("{name} → {value}"), 1),
        [Effect::Create { child }, ..] => (format!("creates t{child}"), 1),
        [Effect::Join { child }, ..] => (format!("joins t{child}"), 1),
        [Effect::Lock { place }, ..] => say(format!("locks {place}")),
        [Effect::Unlock { place }, ..] => say(format!("unlocks {place}")),
        [Effect::Wait { what, .. }, ..] => say(format!("{what} done")),
        [Effect::Alloc { .. } | Effect::Free { .. } | Effect::Fence, ..] => (String::new(), 1),
        [Effect::Blocked { .. } | Effect::Violation { .. }, ..] | [] => (String::new(), 1),
    }
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
        Effect::Violation { message } => message.clone(),
        Effect::Read { .. }
        | Effect::Write { .. }
        | Effect::Flush { .. }
        | Effect::Input { .. }
        | Effect::Create { .. }
        | Effect::Join { .. } => String::new(),
    };
    row.effects.iter().map(words).filter(|words| !words.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The left side of a source line that is one simple assignment without calls, without a declared type.
fn assigned(source: &str) -> Option<&str> {
    let (left, right) = source.split_once('=')?;
    let plain = |c: char| c.is_alphanumeric() || "_->.[]* \t".contains(c);
    if right.starts_with('=') || right.contains(['=', '(', ';', '{']) || !left.chars().all(plain) {
        return None;
    }
    let left = left.trim_end();
    // `x -= 1` and its like are not plain assignments.
    if left.is_empty() || left.ends_with(['-', '*', '>']) {
        return None;
    }
    let word = left.rsplit([' ', '\t']).next()?;
    Some(if word.len() < left.len() { word.trim_start_matches('*') } else { word })
}

/// The remarks beside a row: where values that others wrote come from, what is overwritten unseen, what is not seen.
pub(crate) fn notes(rows: &[Draft], index: usize, model: MemoryModel, lanes: &[Lane]) -> Vec<String> {
    let row = &rows[index];
    let violation = row.effects.iter().find_map(|effect| match effect {
        Effect::Violation { message } => Some(message),
        _ => None,
    });
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
                    notes.push(format!("does not see {noun} {}", steps.join(", ")));
                }
            }
            Effect::Write { overwrites, buffered, .. } => {
                // Under ra a later write may come earlier in modification order.
                let lost = overwrites.filter(|step| model != MemoryModel::Ra && is_lost(rows, index, *step));
                if let Some(step) = lost {
                    notes.push(format!("overwrites step {step}"));
                }
                if *buffered {
                    notes.push("buffered".to_owned());
                }
            }
            Effect::Flush { written_at: Some(step), .. } => notes.push(format!("written at step {step}")),
            Effect::Wait { what, spuriously: true, .. } => notes.push(format!("{what}: wakes for no reason")),
            Effect::Blocked { what, other } => notes.push(blocked(what, *other, lanes)),
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
    if let Some(message) = violation {
        if (notes.is_empty() || !message.contains("assert")) && row.span.is_some() {
            notes.push(message.clone());
        }
    }
    notes.dedup();
    notes
}

fn blocked(what: &str, other: Option<usize>, lanes: &[Lane]) -> String {
    match other.map(|lane| &lanes[lane].name) {
        Some(name) if what.starts_with("lock") => format!("waits for {what}, held by {name}"),
        Some(name) => format!("waits for the end of {name}"),
        None => format!("waits for {what}"),
    }
}

/// Whether the write of `step`, by another thread, is overwritten in row `index` by a thread that never read it.
fn is_lost(rows: &[Draft], index: usize, step: usize) -> bool {
    let lane = rows[index].lane;
    let reads_it = |effect: &Effect| matches!(effect, Effect::Read { written_at: Some(at), .. } if *at == step);
    let joins = |effect: &Effect| matches!(effect, Effect::Join { .. });
    rows[step - 1].lane != lane
        && !rows[step - 1..=index]
            .iter()
            .filter(|row| row.lane == lane)
            .any(|row| row.effects.iter().any(|effect| reads_it(effect) || joins(effect)))
}

#[cfg(test)]
mod tests {
    use super::assigned;

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
