//! Decides which accesses may race, with an argument for each pair that does not.
//!
//! Two conflicting accesses of different threads do not race if they are ordered by starts and joins, by a lock that
//! both hold and at least one holds exclusively, if both are atomic, or if they never overlap.

use super::accesses::{Access, Accessed};
use super::facts::{Fact, Facts, Place};
use super::store::Overlap;
use super::value::ObjectNumber;
use super::values::Values;
use ir::analysis::Threads;
use std::collections::{BTreeMap, BTreeSet};

/// Why two accesses do not race, in the order in which the arguments are tried.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Argument {
    /// Only one thread at a time can be there, by starts and joins.
    Order,
    /// Both are atomic.
    Atomic,
    /// A common lock, held exclusively by one of them.
    Lock(usize),
    /// A lock at this offset in the structure that both access.
    Beside(i64),
    /// Each thread has its own part.
    Part,
}

/// Two accesses that may race.
#[derive(Clone, Debug)]
pub(super) struct Suspect {
    pub(super) object: ObjectNumber,
    pub(super) one: Access,
    pub(super) other: Access,
}

/// What protects an object.
#[derive(Clone, Debug, Default)]
pub(super) struct Protected {
    pub(super) arguments: BTreeSet<Argument>,
    pub(super) is_written: bool,
}

/// Decides pairs of accesses.
pub(super) struct Judge<'v> {
    pub(super) threads: &'v Threads,
}

impl Judge<'_> {
    /// Checks all pairs of accesses to all objects.
    pub(super) fn judge(
        &self,
        accessed: &BTreeMap<ObjectNumber, Accessed>,
    ) -> (BTreeMap<ObjectNumber, Protected>, Vec<Suspect>) {
        let mut protected = BTreeMap::new();
        let mut suspects = Vec::new();
        for (object, accessed) in accessed {
            let entry: &mut Protected = protected.entry(*object).or_default();
            let accesses = &accessed.accesses;
            entry.is_written = accesses.iter().any(|access| access.writes);
            for (index, one) in accesses.iter().enumerate() {
                for other in &accesses[index..] {
                    if !(one.writes || other.writes) || one.piece.overlap(&other.piece) == Overlap::No {
                        continue;
                    }
                    if !self.are_of_different_threads(one, other) {
                        continue;
                    }
                    match self.argument(one, other) {
                        Some(argument) => {
                            entry.arguments.insert(argument);
                        }
                        None => suspects.push(Suspect { object: *object, one: one.clone(), other: other.clone() }),
                    }
                }
            }
        }
        (protected, suspects)
    }

    fn are_of_different_threads(&self, one: &Access, other: &Access) -> bool {
        one.beside.iter().any(|(first, _)| {
            other.beside.iter().any(|(second, _)| first != second || self.threads.templates()[*first].is_many)
        })
    }

    /// Why two conflicting accesses do not race.
    fn argument(&self, one: &Access, other: &Access) -> Option<Argument> {
        if one.is_atomic && other.is_atomic {
            return Some(Argument::Atomic);
        }
        if !self.are_parallel(one, other) {
            return Some(Argument::Order);
        }
        let written = one.locks.intersection(&other.locks.union(&other.read_locks));
        let common = written.union(&one.read_locks.intersection(&other.locks));
        if let Some(lock) = common.iter().next() {
            return Some(Argument::Lock(lock));
        }
        if let Some(guard) = one.guards.iter().find(|guard| other.guards.iter().any(|second| guard.excludes(second))) {
            return Some(Argument::Beside(guard.distance()));
        }
        let are_parts = match (&one.part, &other.part) {
            (Some(first), Some(second)) => first.is_apart(second, one.piece.bytes, other.piece.bytes),
            (_, _) => false,
        };
        (are_parts && self.are_of_one_template(one, other)).then_some(Argument::Part)
    }

    /// Whether both are made only by threads of one and the same template.
    fn are_of_one_template(&self, one: &Access, other: &Access) -> bool {
        matches!((one.beside.as_slice(), other.beside.as_slice()), ([(first, _)], [(second, _)]) if first == second)
    }

    /// Whether two threads may make the accesses at the same time.
    fn are_parallel(&self, one: &Access, other: &Access) -> bool {
        one.beside.iter().any(|(first, beside_first)| {
            other.beside.iter().any(|(second, beside_second)| {
                (first != second || self.threads.templates()[*first].is_many)
                    && (beside_first.contains(*second) || beside_second.contains(*first))
            })
        })
    }
}

/// Describes what protects an object.
pub(super) fn words(values: &Values<'_>, facts: &Facts<'_>, protected: &Protected) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut add = |word: String| {
        if !words.contains(&word) {
            words.push(word);
        }
    };
    if !protected.is_written {
        add("never written".to_owned());
    }
    for argument in &protected.arguments {
        match argument {
            Argument::Order => add("threads are started and joined in order".to_owned()),
            Argument::Atomic => add("atomic accesses".to_owned()),
            Argument::Lock(lock) => {
                if let Fact::Lock(Place::Cell(object, offset), _) = &facts.list[*lock] {
                    let name = values.objects.describe(*object);
                    let at = offset / 4;
                    add(if at == 0 { format!("lock {name}") } else { format!("lock {name}+{at}") });
                }
            }
            Argument::Beside(distance) => add(format!("the lock in the same structure, at {distance:+}")),
            Argument::Part => add("each thread accesses a part of its own".to_owned()),
        }
    }
    if words.is_empty() {
        words.push("no two threads access the same part of it".to_owned());
    }
    words
}
