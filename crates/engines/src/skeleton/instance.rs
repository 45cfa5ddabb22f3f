//! Instances of summaries: derives the effect of a call from the summary of its function ([`super::summary`]).
//!
//! Terms are substituted; variables that the summary introduced are renamed for each call. Parts whose condition is
//! false in this call are left out, as an execution would not have reached them: an event after a removed one comes
//! after its predecessors, unless that is before another predecessor anyway.

use super::events::{Event, EventId, Gap, Kind, Region, RegionId, Skeleton, ThreadId, Violation};
use super::execute::Execution;
use super::state::{Held, State};
use super::summary::{Exit, Images, Summary};
use super::value::Value;
use base::{Id, IdVec, Span};
use check::ReasonKind;
use smallvec::SmallVec;
use smt::term::Substitution;
use smt::Term;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The mapping from numbers in a summary to those of the skeleton.
struct Placement {
    /// The events of the summary, with the terms of this call.
    events: IdVec<EventId, Event>,
    /// How many of them are stand-ins for events before the call.
    stand_ins: usize,
    is_dead: IdVec<EventId, bool>,
    /// The image of each event; empty for one that does not happen.
    images: Images,
    regions: IdVec<RegionId, Option<RegionId>>,
}

impl Placement {
    /// The immediate predecessors, or the last events, in the skeleton, given those in the summary.
    fn before(&self, last: &[EventId]) -> SmallVec<[EventId; 2]> {
        let mut found: SmallVec<[EventId; 2]> = SmallVec::new();
        let mut add = |events: &[EventId]| {
            for &event in events {
                if !found.contains(&event) {
                    found.push(event);
                }
            }
        };
        for &event in last {
            if !self.is_dead[event] {
                add(&self.images[event]);
                continue;
            }
            for earlier in self.living(event) {
                let is_implied = last.iter().any(|&other| !self.is_dead[other] && self.is_before(earlier, other));
                if !is_implied {
                    add(&self.images[earlier]);
                }
            }
        }
        found
    }

    /// The last events before a removed one.
    fn living(&self, dead: EventId) -> Vec<EventId> {
        let (mut found, mut work) = (Vec::new(), vec![dead]);
        let mut is_seen = IdVec::filled(false, self.events.len());
        while let Some(event) = work.pop() {
            if std::mem::replace(&mut is_seen[event], true) {
                continue;
            }
            if self.is_dead[event] {
                work.extend(self.events[event].after.iter().rev());
            } else {
                found.push(event);
            }
        }
        found
    }

    /// Whether an event of the summary is another one or comes before it.
    fn is_before(&self, event: EventId, other: EventId) -> bool {
        let mut work = vec![other];
        let mut is_seen = IdVec::filled(false, self.events.len());
        while let Some(at) = work.pop() {
            if at == event {
                return true;
            }
            if at > event && !std::mem::replace(&mut is_seen[at], true) {
                work.extend(&self.events[at].after);
            }
        }
        false
    }

    fn all<'a>(&'a self, events: &'a [EventId]) -> impl Iterator<Item = EventId> + 'a {
        events.iter().flat_map(|&event| self.images[event].iter().copied())
    }
}

impl Execution<'_> {
    /// Makes an instance of a summary part of the skeleton; returns the state after it, if the call returns. `None` if the call
    /// must be executed.
    pub(super) fn instance(&mut self, summary: &Summary, args: &[Value], state: &State) -> Option<Option<State>> {
        // Private memory may have been allocated in the meantime.
        if summary.open.iter().any(|(among, own)| self.private_among(state, among) != *own) {
            return None;
        }
        let mut images = self.images(summary, args, state);
        let is_cut = |this: &mut Self, images: &mut Substitution, index: &usize| {
            let occurs = images.apply(this.terms, summary.body.gaps[*index].occurs);
            this.terms.as_bool(occurs) != Some(false)
        };
        let has_variables = summary.params.iter().any(Option::is_some) || summary.thread.is_some();
        if has_variables && summary.doubtful.iter().any(|index| is_cut(self, &mut images, index)) {
            return None;
        }
        let (mut body, mut exit) = (summary.body.clone(), summary.exit.clone());
        body.for_each_term(&mut |term| *term = images.apply(self.terms, *term));
        if let Some(exit) = &mut exit {
            exit.for_each_term(&mut |term| *term = images.apply(self.terms, *term));
        }
        if summary.is_rough {
            self.note_rough();
        }
        if let Some(making) = &mut self.making {
            making.open.extend(summary.open.iter().cloned());
        }
        self.skeleton.summarised_calls += 1;
        Some(self.add(summary, body, exit, state))
    }

    /// The substitution for the variables of a summary in a call.
    fn images(&mut self, summary: &Summary, args: &[Value], state: &State) -> Substitution {
        let mut images = Substitution::new([(summary.entry, state.condition)]);
        for (param, arg) in summary.params.iter().zip(args) {
            if let Some(param) = param {
                images.set(*param, arg.bits);
            }
        }
        if let Some(thread) = summary.thread {
            images.set(thread, self.thread_number(state));
        }
        let conditions = state.held.values().flatten().map(|(_, condition)| condition);
        for (&variable, &condition) in summary.held.iter().zip(conditions) {
            images.set(variable, condition);
        }
        for &variable in &summary.fresh {
            let name = self.terms.name(variable).to_owned();
            let own = self.terms.variable(name, self.terms.sort(variable));
            images.set(variable, own);
        }
        images
    }

    fn is_never(&self, occurs: Term) -> bool {
        self.terms.as_bool(occurs) == Some(false)
    }

    /// Adds the parts of an instance in the order in which an execution would.
    fn add(&mut self, summary: &Summary, body: Skeleton, exit: Option<Exit>, state: &State) -> Option<State> {
        let users = self.users_span_here();
        let mut placement = self.place_events(&body, summary.held.len(), state, users);
        self.place_regions(&mut placement, body.regions, state);
        self.add_steps(&placement, &body.threads[ThreadId::new(0)].steps, &body.violations, state);
        self.skeleton.waits.extend(body.waits);
        for block in body.blocks.into_iter().filter(|block| self.terms.as_bool(block.occurs) != Some(false)) {
            self.skeleton.blocks.push(super::events::Block { thread: state.thread, ..block });
        }
        for (index, gap) in body.gaps.into_iter().enumerate() {
            self.add_gap(gap, summary.of_caller.contains(&index), users);
        }
        let always = self.terms.bool(true);
        self.skeleton.facts.extend(body.facts.into_iter().filter(|fact| *fact != always));
        let place = |this: &Self, span: Span| if this.program.is_users(span) { span } else { users.unwrap_or(span) };
        for mut comparison in body.compared {
            if !self.is_never(comparison.condition) {
                comparison.span = place(self, comparison.span);
                comparison.thread = state.thread;
                let later = placement.images.iter().skip(comparison.events.max(placement.stand_ins));
                let later = later.map(SmallVec::len).sum::<usize>();
                comparison.events = self.skeleton.events.len() - later;
                self.skeleton.compared.push(comparison);
            }
        }
        for (condition, a, b, span) in body.compared_threads {
            if !self.is_never(condition) {
                let span = place(self, span);
                self.skeleton.compared_threads.push((condition, a, b, span));
            }
        }
        if self.skeleton.events.len() > self.most_events {
            self.stop(check::Reason::new(ReasonKind::Bound, "there are too many shared accesses for this engine"));
        }
        self.after(summary, &placement, exit?, state)
    }

    /// The state after the call.
    fn after(&mut self, summary: &Summary, placement: &Placement, exit: Exit, state: &State) -> Option<State> {
        let region = match exit.region {
            None => None,
            Some((region, depth)) => Some((placement.regions[region]?, depth)),
        };
        let mut after = State { condition: exit.condition, returned: exit.returned, region, ..state.clone() };
        if summary.has_accesses {
            after.last = placement.before(&exit.last);
            after.held = self.held_after(placement, &exit.held);
        }
        for effect in &mut after.effects {
            *effect = self.terms.or2(*effect, exit.effect);
        }
        (!self.is_dead(&after)).then_some(after)
    }

    fn held_after(&self, placement: &Placement, held: &Held) -> Held {
        let mut after = BTreeMap::new();
        for (cell, acquisitions) in held.iter() {
            let acquisitions = self.acquisitions(placement, acquisitions);
            if !acquisitions.is_empty() {
                after.insert(*cell, acquisitions);
            }
        }
        Rc::new(after)
    }

    fn acquisitions(&self, placement: &Placement, acquisitions: &[(EventId, Term)]) -> Vec<(EventId, Term)> {
        let possible = acquisitions.iter().filter(|(_, condition)| !self.is_never(*condition));
        possible
            .flat_map(|&(event, condition)| placement.images[event].iter().map(move |&it| (it, condition)))
            .collect()
    }

    /// Adds the events. The first `held` acquisitions of locks have stand-ins.
    fn place_events(&mut self, body: &Skeleton, held: usize, state: &State, users: Option<Span>) -> Placement {
        let mut placement = Placement {
            is_dead: body.events.iter().map(|event| self.is_never(event.occurs)).collect(),
            events: body.events.clone(),
            stand_ins: 1 + held,
            images: IdVec::new(),
            regions: IdVec::new(),
        };
        placement.is_dead[EventId::new(0)] = false;
        placement.images.push(state.last.clone());
        for &(acquisition, _) in state.held.values().flatten().take(held) {
            let stand_in = placement.images.push(SmallVec::from_slice(&[acquisition]));
            placement.is_dead[stand_in] = false;
        }
        for index in placement.stand_ins..placement.events.len() {
            let id = EventId::new(index);
            if placement.is_dead[id] {
                placement.images.push(SmallVec::new());
                continue;
            }
            let mut event = placement.events[id].clone();
            event.thread = state.thread;
            event.after = placement.before(&event.after);
            event.held = placement.all(&event.held).collect();
            if let Kind::Unlock { closes, .. } = &mut event.kind {
                *closes = self.acquisitions(&placement, closes);
            }
            if !self.program.is_users(event.at) {
                event.at = users.unwrap_or(event.at);
            }
            let own = self.skeleton.events.push(event);
            placement.images.push(SmallVec::from_slice(&[own]));
        }
        placement
    }

    /// Adds the regions; the first one continues the caller's, if the call is in one.
    fn place_regions(&mut self, placement: &mut Placement, regions: IdVec<RegionId, Region>, state: &State) {
        for (id, region) in regions.enumerate() {
            let events: Vec<EventId> = placement.all(&region.events).collect();
            let violated: Vec<Term> = region.violated.iter().copied().filter(|&it| !self.is_never(it)).collect();
            let ends: Vec<EventId> = placement.all(&region.ends).collect();
            let around = state.region.filter(|_| id.index() == 0).map(|(around, _)| around);
            let begin = placement.images[region.begin].first().copied();
            let own = match (around, begin) {
                (Some(around), _) => {
                    let around_region = &mut self.skeleton.regions[around];
                    around_region.events.extend(events);
                    around_region.ends.extend(ends);
                    around_region.violated.extend(violated);
                    Some(around)
                }
                (None, Some(begin)) => {
                    let region =
                        Region { thread: state.thread, begin, ends, events, is_fence: region.is_fence, violated };
                    Some(self.skeleton.regions.push(region))
                }
                (None, None) => None,
            };
            placement.regions.push(own);
        }
    }

    /// Adds the steps, and the violations at them.
    fn add_steps(
        &mut self,
        placement: &Placement,
        steps: &[super::events::Step],
        violations: &[Violation],
        state: &State,
    ) {
        let possible: Vec<&Violation> =
            violations.iter().filter(|violation| !self.is_never(violation.occurs)).collect();
        let mut violations = possible.into_iter().peekable();
        let mut found = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            let mut step = step.clone();
            step.events = placement.all(&step.events).collect();
            let is_violated = violations.peek().is_some_and(|violation| violation.step == index);
            if self.is_never(step.occurs) && step.events.is_empty() && !is_violated {
                continue;
            }
            let steps = &mut self.skeleton.threads[state.thread].steps;
            steps.push(step);
            let at = steps.len() - 1;
            while let Some(violation) = violations.next_if(|violation| violation.step == index) {
                found.push(Violation { thread: state.thread, step: at, ..violation.clone() });
            }
        }
        self.skeleton.violations.extend(found);
    }

    fn add_gap(&mut self, mut gap: Gap, is_of_caller: bool, users: Option<Span>) {
        if self.is_never(gap.occurs) {
            return;
        }
        if is_of_caller {
            self.note_place();
            gap.place = users.map_or(gap.place, |span| self.program.place(span));
        }
        self.skeleton.gaps.push(gap);
    }
}
