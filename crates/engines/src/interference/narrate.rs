//! Narrates the refinement loop round by round (`--explain`), if asked for.

use super::refine::Violated;
use crate::skeleton::compose::lazy::Link;
use crate::skeleton::events::{EventId, Kind, Skeleton};
use crate::skeleton::picture::object_name;
use crate::skeleton::value::constant;
use base::{Id, IdVec, Stats};
use ir::Program;
use smt::Terms;

/// Number of items that are listed; the others are counted.
const MAX: usize = 6;

/// Formats the narration.
pub(super) struct Narrator<'a> {
    is_reported: bool,
    program: &'a Program,
    skeleton: &'a Skeleton,
    /// Names of the accessed places.
    places: IdVec<EventId, String>,
}

impl<'a> Narrator<'a> {
    pub(super) fn new(is_reported: bool, program: &'a Program, skeleton: &'a Skeleton, terms: &Terms) -> Narrator<'a> {
        let mut places = IdVec::new();
        for event in skeleton.events.iter() {
            let name = match constant(terms, event.location.object) {
                _ if !is_reported => String::new(),
                Some(number) => {
                    let offset = match constant(terms, event.location.bits) {
                        Some(0) => String::new(),
                        Some(offset) => format!("+{offset}"),
                        None => "[...]".to_owned(),
                    };
                    object_name(program, skeleton, number as u16) + &offset
                }
                None => "memory that a pointer is to".to_owned(),
            };
            places.push(name);
        }
        Narrator { is_reported, program, skeleton, places }
    }

    /// Describes an access: `read of x at line 21 (thread 3)`.
    fn event(&self, id: EventId) -> String {
        let event = &self.skeleton.events[id];
        let what = match (&event.kind, event.read.is_some(), event.write.is_some()) {
            (Kind::Lock { .. }, ..) => "locking of",
            (Kind::Unlock { .. }, ..) => "unlocking of",
            (Kind::Probe, ..) => "last look at",
            (_, true, true) => "update of",
            (_, true, false) => "read of",
            (_, false, _) => "write of",
        };
        let place = self.program.place(event.at);
        let line = place.rsplit('/').next().unwrap_or(&place);
        format!("{what} {} at {line} (thread {})", self.places[id], event.thread.index() + 1)
    }

    fn source(&self, write: Option<EventId>) -> String {
        match write {
            Some(write) => format!("the {}", self.event(write)),
            None => "the initial contents".to_owned(),
        }
    }

    fn list(lines: Vec<String>, stats: &mut Stats) {
        let more = lines.len().saturating_sub(MAX);
        lines.into_iter().take(MAX).for_each(|line| stats.note(format!("    {line}")));
        if more > 0 {
            stats.note(format!("    and {more} more"));
        }
    }

    /// Reports the initial abstraction.
    pub(super) fn begin(&self, text: String, stats: &mut Stats) {
        if self.is_reported {
            stats.note(text);
        }
    }

    /// Reports that there is no model, and the reduced link sets that the proof rests on.
    pub(super) fn proof(&self, round: u64, links: &[Link], small: &[usize], stats: &mut Stats) {
        if !self.is_reported {
            return;
        }
        if small.is_empty() {
            stats.note(format!("  round {round}: no such execution, and no small link set is to blame: a proof"));
            return;
        }
        stats.note(format!("  round {round}: no such execution, but only because of small link sets, of the"));
        Narrator::list(small.iter().map(|&read| self.event(links[read].read)).collect(), stats);
    }

    /// Reports that the solver exceeded its limit.
    pub(super) fn given_up(&self, round: u64, stats: &mut Stats) {
        if self.is_reported {
            stats.note(format!("  round {round}: small link sets are no help, and all are restored"));
        }
    }

    /// Reports a model and the constraints that it violates.
    pub(super) fn model(
        &self,
        round: u64,
        links: &[Link],
        rivals: &[Vec<Vec<u32>>],
        violated: &Violated,
        stats: &mut Stats,
    ) {
        if !self.is_reported {
            return;
        }
        let pair = |read: usize, way: usize| {
            format!("the {} is from {}", self.event(links[read].read), self.source(links[read].pairs[way].write))
        };
        match violated {
            Violated::Nothing => {
                stats.note(format!("  round {round}: an execution that violates nothing that was left out: a witness"));
            }
            Violated::Pairs(pairs, why) => {
                stats.note(format!(
                    "  round {round}: an execution, but the meaning of these pairs was left out, {why}:"
                ));
                Narrator::list(pairs.iter().map(|&(read, way)| pair(read, way)).collect(), stats);
            }
            Violated::Triples { found, asserted } => {
                stats.note(format!("  round {round}: an execution, but a write comes between:"));
                let line = |&(read, way, rival): &(usize, usize, usize)| {
                    let competitor = &links[read].competitors[rivals[read][way][rival] as usize];
                    format!("{}, and in between is the {}", pair(read, way), self.event(competitor.write))
                };
                Narrator::list(found.iter().map(line).collect(), stats);
                stats.note(format!("    and {} are excluded from now on", asserted.len()));
            }
            Violated::Reads(reads) => {
                stats.note(format!("  round {round}: an execution, but nothing was said of the"));
                Narrator::list(reads.iter().map(|&read| self.event(links[read].read)).collect(), stats);
            }
        }
    }

    /// Reports a read of a witness that reads from a concurrent write.
    pub(super) fn interference(&self, read: EventId, write: Option<EventId>, stats: &mut Stats) {
        if self.is_reported {
            stats.note(format!("    the {} is from {}", self.event(read), self.source(write)));
        }
    }
}
