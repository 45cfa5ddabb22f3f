//! Joins, and the reuse of thread numbers.

use super::super::events::{EventId, Retirement, ThreadId};
use super::Composer;
use base::{Id, IdVec};
use check::ReasonKind;
use rustc_hash::FxHashMap;
use smt::{Bits, Sort};

impl Composer<'_> {
    /// The joins that precede everything after them on all paths, with the last events of the joined threads. A path
    /// around a join does not wait, so the edges of other joins hold only if they occur.
    pub(super) fn certain_joins(&self) -> FxHashMap<EventId, Vec<EventId>> {
        let mut certain = FxHashMap::default();
        for join in &self.skeleton.joins {
            let [(thread, _)] = join.threads.as_slice() else { continue };
            let Some(exit) = &self.skeleton.threads[*thread].exit else { continue };
            // Events are ordered one by one: ends that come later in the skeleton are left to conditional edges.
            if exit.last.iter().any(|&last| last > join.event) {
                continue;
            }
            let mut is_after = IdVec::filled(false, self.skeleton.events.len());
            is_after[join.event] = true;
            let mut is_certain = true;
            for (id, event) in self.skeleton.events.enumerate().skip(join.event.index() + 1) {
                is_after[id] = event.after.iter().any(|&earlier| is_after[earlier]);
                is_certain &= !is_after[id] || self.implies(event.occurs, join.passed);
            }
            if is_certain {
                certain.insert(join.event, exit.last.to_vec());
            }
        }
        certain
    }

    pub(super) fn joins(&mut self) {
        for join in self.skeleton.joins.clone() {
            let occurs = self.skeleton.events[join.event].occurs;
            for (thread, is_it) in join.threads {
                let Some(exit) = self.skeleton.threads[thread].exit.clone() else { continue };
                for last in exit.last {
                    if !self.is_before(last, join.event) {
                        self.synchronise_if(&[occurs, is_it], last, join.event);
                    }
                }
            }
        }
        self.early_joins();
        for (_, ends) in self.retired() {
            let mut is_retired = self.terms.bool(false);
            for end in ends {
                let again = self.terms.and2(end.occurs, is_retired);
                self.gap(again, ReasonKind::Unsupported, "a thread is joined or detached twice", end.at);
                is_retired = self.terms.or2(is_retired, end.occurs);
            }
        }
    }

    /// A thread that reaches a join before the joined thread is created.
    fn early_joins(&mut self) {
        for early in std::mem::take(&mut self.skeleton.early) {
            if self.is_before(early.made, early.arrival) {
                continue;
            }
            let is_early = self.terms.variable("early", Sort::Bool);
            self.edge_if(&[early.condition, is_early], early.arrival, early.made);
            let occurs = self.terms.and2(early.condition, is_early);
            let detail = "a thread is joined that is not known to have been made before";
            self.gap(occurs, ReasonKind::Unsupported, detail, early.at);
        }
    }

    pub(super) fn retired(&self) -> Vec<(ThreadId, Vec<Retirement>)> {
        let mut retired: Vec<_> = self.skeleton.retired.clone().into_iter().collect();
        retired.sort_unstable_by_key(|(thread, _)| *thread);
        retired
    }

    /// A comparison of the numbers of a thread that is gone and a later one may find them equal.
    pub(super) fn thread_comparisons(&mut self) {
        let mut pairs = Vec::new();
        for (gone, ends) in self.retired() {
            for later in self.skeleton.threads.ids().skip(1).filter(|&later| later != gone) {
                let start = self.skeleton.threads[later].start;
                let is_earlier =
                    |end: &Retirement| start.zip(end.event).is_some_and(|(start, end)| self.is_before(start, end));
                let ends: Vec<_> = ends.iter().filter(|end| !is_earlier(end)).map(|end| end.occurs).collect();
                let is_gone = self.terms.or(ends);
                if self.terms.as_bool(is_gone) != Some(false) {
                    pairs.push((gone, later, is_gone));
                }
            }
        }
        for (condition, a, b, at) in std::mem::take(&mut self.skeleton.compared_threads) {
            let mut cases = Vec::new();
            for &(gone, later, is_gone) in &pairs {
                for (x, y) in [(gone, later), (later, gone)] {
                    let is = [(a, x), (b, y)].map(|(term, thread)| {
                        let number = Bits::from_u64(self.terms.width(term), thread.index() as u64 + 1);
                        let number = self.terms.bits(number);
                        self.terms.eq(term, number)
                    });
                    cases.push(self.terms.and([condition, is[0], is[1], is_gone]));
                }
            }
            let bad = self.terms.or(cases);
            let detail = "the number of a thread that may be gone is compared with that of a later one";
            self.gap(bad, ReasonKind::Unsupported, detail, at);
        }
    }
}
