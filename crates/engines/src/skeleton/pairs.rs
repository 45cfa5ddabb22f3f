//! Pairs of accesses of a skeleton that should be atomic ([`ir::analysis::atomicity`]): records the enclosing calls of
//! each access, distinguished by invocation, and finally the pairs.
//!
//! If atomicity is in question, calls with accesses are executed and not summarised, since an instance of a summary
//! does not distinguish invocations.

use super::events::{EventId, Pair, ThreadId};
use super::execute::Execution;
use check::{Reason, ReasonKind};
use ir::analysis::atomicity::{At, Pairing};
use ir::{FunctionId, Property};
use rustc_hash::FxHashMap;

/// The calls that enclose an access, the outermost first, and itself: each with the number of its invocation.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    invocations: Vec<u32>,
    statements: Vec<At>,
}

/// The current calls, and those of the accesses so far.
#[derive(Debug, Default)]
pub(crate) struct Invocations {
    pub(crate) current: Vec<u32>,
    count: u32,
    calls: FxHashMap<EventId, Calls>,
}

impl Invocations {
    pub(crate) fn enter(&mut self) {
        self.count += 1;
        self.current.push(self.count);
    }

    pub(crate) fn leave(&mut self) {
        self.current.pop();
    }
}

impl Execution<'_> {
    /// Records the calls that enclose an access.
    pub(crate) fn note_calls(&mut self, event: EventId) {
        if self.property != Property::Atomicity || self.making.is_some() {
            return;
        }
        let functions = self.frames.iter().map(|(function, _)| *function);
        let edges = self.frames.iter().skip(1).map(|(_, call)| *call).chain([self.at.1]);
        let statements: Vec<(FunctionId, _)> = functions.zip(edges).collect();
        let invocations = self.invocations.current.clone();
        self.invocations.calls.insert(event, Calls { invocations, statements });
    }

    /// The pairs of accesses that should be atomic, judging by statements.
    pub(crate) fn find_pairs(&mut self) {
        if self.property != Property::Atomicity {
            return;
        }
        let Some(pairs) = &self.analyses.pairs else {
            self.stop(Reason::new(ReasonKind::Unsupported, "which accesses are meant to be one is not known here"));
            return;
        };
        // Only accesses of one thread in one invocation make a pair; the outermost invocation is that of the thread's
        // entry function.
        let mut groups: FxHashMap<(ThreadId, u32), Vec<EventId>> = FxHashMap::default();
        let mut events: Vec<(EventId, &Calls)> =
            self.invocations.calls.iter().map(|(id, calls)| (*id, calls)).collect();
        events.sort_unstable_by_key(|(id, _)| *id);
        for (id, calls) in events {
            let invocation = if pairs.is_inferred() { calls.invocations.last() } else { calls.invocations.first() };
            let thread = self.skeleton.events[id].thread;
            groups.entry((thread, invocation.copied().unwrap_or(0))).or_default().push(id);
        }
        let mut found = Vec::new();
        for group in groups.values() {
            for (index, first) in group.iter().enumerate() {
                let one = &self.invocations.calls[first];
                if !pairs.may_be_first(&one.statements, false) {
                    continue;
                }
                for second in &group[index + 1..] {
                    let two = &self.invocations.calls[second];
                    let is_same = |(a, b): &(&u32, &u32)| a == b;
                    let common = one.invocations.iter().zip(&two.invocations).take_while(is_same).count();
                    let is_undisturbed = match pairs.pairing(&one.statements, &two.statements, common) {
                        Pairing::Never => continue,
                        Pairing::Undisturbed => true,
                        Pairing::Always => false,
                    };
                    found.push(Pair { first: *first, second: *second, is_undisturbed });
                }
            }
        }
        found.sort_unstable_by_key(|pair| (pair.first, pair.second));
        self.skeleton.pairs = found;
    }
}
