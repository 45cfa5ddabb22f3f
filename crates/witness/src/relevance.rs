//! Which rows of a story can be skipped: writes that no thread reads, and locks that only one thread acquires.
//!
//! Under weak memory models every row is kept, because the position of a write among others can matter there; so is
//! every row if the property is about locks or memory themselves.

use crate::story::{Effect, Row};
use ir::{MemoryModel, Property};
use std::collections::{BTreeMap, BTreeSet};

/// Marks the rows without which the violation can still be understood. `partners` are the indices of the rows of the
/// other accesses involved: of a race, or of three that no serial order explains.
pub(crate) fn set_aside(rows: &mut [Row], (property, model): (Property, MemoryModel), partners: &[usize]) {
    let is_about_values = match property {
        Property::Unreach | Property::Race | Property::Atomicity => true,
        Property::Deadlock | Property::Locks | Property::Memory => false,
    };
    if !model.is_sequentially_consistent() || !is_about_values {
        return;
    }
    let named = named_steps(rows);
    let lockers = lockers(rows);
    for (index, row) in rows.iter_mut().enumerate() {
        let is_needless = |event: &Effect| match event {
            Effect::Write { .. } => !named.contains(&row.step),
            Effect::Lock { place } | Effect::Unlock { place } => lockers.get(place).is_some_and(|n| n.len() == 1),
            Effect::Read { .. }
            | Effect::Flush { .. }
            | Effect::Input { .. }
            | Effect::Create { .. }
            | Effect::Join { .. }
            | Effect::Wait { .. }
            | Effect::Blocked { .. }
            | Effect::Alloc { .. }
            | Effect::Free { .. }
            | Effect::Fence
            | Effect::Violation { .. } => false,
        };
        row.aside = !partners.contains(&index) && !row.events.is_empty() && row.events.iter().all(is_needless);
    }
}

/// The steps whose writes are read, or named in a remark.
fn named_steps(rows: &[Row]) -> BTreeSet<usize> {
    let mut named = BTreeSet::new();
    for row in rows {
        for event in &row.events {
            match event {
                Effect::Read { written_at, unseen, .. } => {
                    named.extend(written_at);
                    named.extend(unseen);
                }
                Effect::Write { overwrites: Some(step), .. } if row.overwrites_unseen => {
                    named.extend([*step, row.step]);
                }
                _ => {}
            }
        }
    }
    named
}

/// The threads that acquire each lock.
fn lockers(rows: &[Row]) -> BTreeMap<String, BTreeSet<usize>> {
    let mut lockers: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for row in rows {
        for event in &row.events {
            if let Effect::Lock { place } | Effect::Unlock { place } = event {
                lockers.entry(place.clone()).or_default().insert(row.thread);
            }
        }
    }
    lockers
}
