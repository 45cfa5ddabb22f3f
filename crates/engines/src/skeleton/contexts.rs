//! Context-bounded runs: only those with a bounded number of contexts.
//!
//! The paper's rule (Sinha and Wang, FSE 2010, section 6) counts reads-from switches only, and is printed backwards.
//! Here a run is a prefix of an execution, and every event of it has a context from 1 to K: contexts do not decrease
//! along any edge of the order, and events of different threads never share one, because each context has one thread.
//! Such contexts exist exactly if some linear order of the run has at most K - 1 thread switches: sort by context.
//! Events that come after the run have context K + 1. An atomic region is in one context.
//!
//! Cost: one constraint for each edge, and one for each pair of a read and a write that comes after the one it reads
//! from.

use super::compose::Composition;
use super::events::{EventId, Skeleton, ThreadId};
use base::{Id, IdVec};
use smt::{Bits, Sort, Term, Terms};

struct Contexts<'a> {
    terms: &'a mut Terms,
    composition: &'a mut Composition,
    /// By event.
    of: IdVec<EventId, Term>,
    /// The assumption that guards the bound.
    guard: Term,
}

/// Bounds contexts under the returned assumption. Violations are then those that the run reaches.
pub(crate) fn bound_contexts(
    skeleton: &Skeleton,
    composition: &mut Composition,
    terms: &mut Terms,
    bound: u32,
) -> (Term, Vec<Term>) {
    let guard = terms.variable("contexts are bounded", Sort::Bool);
    let after = u64::from(bound) + 1;
    let width = u64::BITS - after.leading_zeros();
    let of: IdVec<EventId, Term> =
        skeleton.events.iter().map(|_| terms.variable("context", Sort::Bits(width))).collect();
    let mut contexts = Contexts { terms, composition, of, guard };
    contexts.range(after);
    contexts.owners(skeleton, bound);
    contexts.edges(skeleton);
    for region in skeleton.regions.iter() {
        let begin = contexts.of[region.begin];
        for &event in region.events.iter().chain(&region.ends) {
            let same = contexts.terms.eq(contexts.of[event], begin);
            contexts.require(&[skeleton.events[event].occurs], same);
        }
    }
    let violated = contexts.violations(skeleton, after);
    let of = contexts.of;
    composition.contexts = Some(of);
    (guard, violated)
}

impl Contexts<'_> {
    fn require(&mut self, when: &[Term], then: Term) {
        let condition = self.terms.and(when.iter().copied().chain([self.guard]));
        let fact = self.terms.implies(condition, then);
        if self.terms.as_bool(fact) != Some(true) {
            self.composition.solver.assert(self.terms, fact);
        }
    }

    fn number(&mut self, number: u64) -> Term {
        let width = self.terms.width(self.of.iter().next().copied().unwrap_or(self.guard));
        self.terms.bits(Bits::from_u64(width, number))
    }

    /// Contexts count from 1.
    fn range(&mut self, after: u64) {
        for event in self.of.ids() {
            let (first, last) = (self.number(1), self.number(after));
            let is_some = self.terms.ule(first, self.of[event]);
            let is_most = self.terms.ule(self.of[event], last);
            self.require(&[], is_some);
            self.require(&[], is_most);
        }
    }

    /// Each context up to the bound has one thread.
    fn owners(&mut self, skeleton: &Skeleton, bound: u32) {
        let threads = skeleton.threads.len().max(2) as u64;
        let width = u64::BITS - threads.leading_zeros();
        for context in 1..=u64::from(bound) {
            let owner = self.terms.variable("thread", Sort::Bits(width));
            for (id, event) in skeleton.events.enumerate() {
                let number = self.number(context);
                let is_here = self.terms.eq(self.of[id], number);
                let thread = self.terms.bits(Bits::from_u64(width, event.thread.index() as u64));
                let is_its = self.terms.eq(owner, thread);
                self.require(&[event.occurs, is_here], is_its);
            }
        }
    }

    fn before(&mut self, when: &[Term], first: EventId, second: EventId) {
        let in_order = self.terms.ule(self.of[first], self.of[second]);
        self.require(when, in_order);
    }

    fn edges(&mut self, skeleton: &Skeleton) {
        for (id, event) in skeleton.events.enumerate() {
            // Also through events that do not occur: program order is transitive.
            for &earlier in &event.after {
                self.before(&[], earlier, id);
            }
        }
        for join in &skeleton.joins {
            for &(thread, is_it) in &join.threads {
                for &last in skeleton.threads[thread].exit.iter().flat_map(|exit| &exit.last) {
                    self.before(&[skeleton.events[join.event].occurs, is_it], last, join.event);
                }
            }
        }
        let overwritten = self.composition.overwritten.clone();
        for (when, from, to) in self.composition.edges.clone().into_iter().chain(overwritten) {
            self.before(&when, from, to);
        }
        let mut later: IdVec<EventId, Vec<(Term, EventId)>> = IdVec::filled(Vec::new(), skeleton.events.len());
        for (choice, first, second) in self.composition.write_order.clone() {
            self.before(&[choice], first, second);
            later[first].push((choice, second));
        }
        for (choice, write, read) in self.composition.reads_from.clone() {
            self.before(&[choice], write, read);
            for &(order, other) in later[write].iter().filter(|(_, other)| *other != read) {
                self.before(&[choice, order], read, other);
            }
        }
    }

    /// Violations for which everything the thread did before them is within the bound.
    fn violations(&mut self, skeleton: &Skeleton, after: u64) -> Vec<Term> {
        let mut violated = Vec::new();
        for violation in &skeleton.violations {
            let mut parts = vec![violation.occurs];
            for event in events_before(skeleton, violation.thread, violation.step) {
                let last = self.number(after);
                let is_within = self.terms.ult(self.of[event], last);
                let occurs = skeleton.events[event].occurs;
                parts.push(self.terms.implies(occurs, is_within));
            }
            violated.push(self.terms.and(parts));
        }
        violated
    }
}

/// The events of a thread up to a step, and the one that started it.
fn events_before(skeleton: &Skeleton, thread: ThreadId, step: usize) -> Vec<EventId> {
    let own = skeleton.threads[thread].steps.iter().take(step + 1).flat_map(|step| step.events.iter().copied());
    own.chain(skeleton.threads[thread].start).collect()
}
