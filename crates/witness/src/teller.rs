//! Listens to a replayed run and groups its events into the rows of a [`Story`].
//!
//! A row is what one thread did at one line of the user's source until something that matters happened elsewhere: in
//! another thread, or at another line of the same thread. What happens inside a model function or a header of the
//! system is shown at the user's line that called it. Steps that touch nothing shared make no rows, but they end the
//! visit of a line, so that each round of a loop gets a row of its own.

use crate::sources::Sources;
use crate::story::{Effect, Lane, Position, Row, Story};
use crate::wording;
use base::Span;
use interp::{Event, EventKind, Observer, Place};
use ir::{AllocKind, EdgeId, FunctionId, MemoryModel, ObjectKind, Program, Property, Stmt, Violation};
use std::collections::BTreeMap;

type At = (FunctionId, EdgeId);

/// What is known of a thread while its run is told.
#[derive(Default)]
struct LaneState {
    /// Whether another line was visited since the last row.
    left_line: bool,
    /// The last statement and the calls around it.
    last: Option<(At, Vec<At>)>,
}

/// A row in the making. Steps in its effects are still indices of the schedule.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) lane: usize,
    pub(crate) span: Option<Span>,
    pub(crate) effects: Vec<Effect>,
    edges: Vec<At>,
    /// The row this one was merged into.
    merged_into: Option<usize>,
}

/// The observer that makes a story.
pub(crate) struct Teller<'a> {
    program: &'a Program,
    sources: &'a Sources,
    model: MemoryModel,
    property: Property,
    lanes: Vec<Lane>,
    states: Vec<LaneState>,
    lane_of: BTreeMap<u32, usize>,
    drafts: Vec<Draft>,
    /// The row in which a step of the schedule wrote something.
    writes: BTreeMap<usize, usize>,
}

impl<'a> Teller<'a> {
    pub(crate) fn new(
        program: &'a Program,
        sources: &'a Sources,
        model: MemoryModel,
        property: Property,
    ) -> Teller<'a> {
        let mut teller = Teller {
            program,
            sources,
            model,
            property,
            lanes: Vec::new(),
            states: Vec::new(),
            lane_of: BTreeMap::new(),
            drafts: Vec::new(),
            writes: BTreeMap::new(),
        };
        teller.add_lane(1, "main".to_owned());
        teller
    }

    /// A number may be used again after a join, so a thread of the story is an event of creation, not a number.
    fn add_lane(&mut self, number: u32, function: String) -> usize {
        let index = self.lanes.len();
        let name = if index == 0 { "main".to_owned() } else { format!("t{index}") };
        self.lanes.push(Lane { name, function, number });
        self.states.push(LaneState::default());
        self.lane_of.insert(number, index);
        index
    }

    fn lane(&mut self, number: u32) -> usize {
        match self.lane_of.get(&number) {
            Some(lane) => *lane,
            None => self.add_lane(number, "?".to_owned()),
        }
    }

    fn span_of(&self, (function, edge): At) -> Span {
        self.program.functions[function].edges[edge].span
    }

    /// The innermost position that the user wrote.
    fn users_span(&self, at: At, stack: &[At]) -> Option<Span> {
        std::iter::once(&at)
            .chain(stack.iter().rev())
            .map(|at| self.span_of(*at))
            .find(|span| self.sources.is_users(*span))
    }

    /// What of an event is shown; none if it does not matter.
    fn effect(&mut self, event: &Event) -> Option<Effect> {
        let shown = |place: &Place| place.is_shared && !place.is_ghost && !self.is_constant(place);
        let effect = match &event.kind {
            EventKind::Read { place, value, written_at, unseen } if shown(place) => Effect::Read {
                place: place_name(place),
                value: value.clone(),
                written_at: *written_at,
                unseen: unseen.clone(),
            },
            EventKind::Write { place, value, overwrites, buffered } if shown(place) => Effect::Write {
                place: place_name(place),
                value: value.clone(),
                overwrites: *overwrites,
                buffered: *buffered,
            },
            EventKind::Flush { place, value, written_at } if !place.is_ghost => {
                Effect::Flush { place: place_name(place), value: value.clone(), written_at: Some(*written_at) }
            }
            EventKind::Input { name, value } => Effect::Input { name: name.clone(), value: value.clone() },
            EventKind::Spawn { child, function } => {
                Effect::Create { child: self.add_lane(*child, function.clone()) }
            }
            EventKind::Join { child } => Effect::Join { child: self.lane(*child) },
            EventKind::Lock(place) => Effect::Lock { place: place_name(place) },
            EventKind::Unlock(place) => Effect::Unlock { place: place_name(place) },
            EventKind::Await { what, place, spuriously } => {
                Effect::Wait { what: what.clone(), place: place_name(place), spuriously: *spuriously }
            }
            EventKind::Alloc(place) if self.property == Property::Memory && self.is_heap_alloc(event.at) => {
                Effect::Alloc { place: place_name(place) }
            }
            EventKind::Free(place) if self.property == Property::Memory => Effect::Free { place: place_name(place) },
            EventKind::Fence if self.model != MemoryModel::Sc => Effect::Fence,
            EventKind::Read { .. }
            | EventKind::Write { .. }
            | EventKind::Flush { .. }
            | EventKind::Alloc(_)
            | EventKind::Free(_)
            | EventKind::Fence
            | EventKind::ThreadEnd
            | EventKind::Branch
            | EventKind::Call(_)
            | EventKind::Return
            | EventKind::Assert { .. }
            | EventKind::Local
            | EventKind::Exit => return None,
        };
        Some(effect)
    }

    fn is_constant(&self, place: &Place) -> bool {
        self.program
            .object_named(&place.object)
            .is_some_and(|object| self.program.objects[object].kind == ObjectKind::Constant)
    }

    fn is_heap_alloc(&self, (function, edge): At) -> bool {
        matches!(self.program.functions[function].edges[edge].stmt, Stmt::Alloc { kind: AllocKind::Heap, .. })
    }

    /// The last row, if what happens now at this line still belongs to it.
    fn open_row(&mut self, lane: usize, span: Option<Span>, is_flush: bool) -> Option<&mut Draft> {
        let left_line = self.states[lane].left_line;
        let row = self.drafts.last_mut()?;
        let was_flush = matches!(row.effects.first(), Some(Effect::Flush { .. }));
        let same = row.lane == lane && same_line(row.span, span) && !left_line && !is_flush && !was_flush;
        same.then_some(row)
    }

    fn add(&mut self, lane: usize, span: Option<Span>, at: Option<At>, effect: Effect) {
        let is_flush = matches!(effect, Effect::Flush { .. });
        match self.open_row(lane, span, is_flush) {
            Some(row) => {
                row.effects.push(effect);
                row.edges.extend(at);
            }
            None => {
                let edges = at.into_iter().collect();
                self.drafts.push(Draft { lane, span, effects: vec![effect], edges, merged_into: None });
            }
        }
        if !is_flush {
            self.states[lane].left_line = false;
        }
    }

    /// Ends the story. `violation` is what the run ended in.
    pub(crate) fn finish(mut self, violation: Option<&Violation>) -> Story {
        let at = violation.and_then(|violation| self.add_violation(violation));
        let race = violation.and_then(|violation| self.race_partner(violation));
        self.merge_rows();
        let numbers = self.numbers();
        self.renumber(&numbers);
        let kept: Vec<Draft> = self.drafts.into_iter().filter(|draft| draft.merged_into.is_none()).collect();
        let position =
            |span: Span| Position { file: self.program.files[span.file].clone(), line: span.line };
        let mut steps: Vec<Row> = kept
            .iter()
            .enumerate()
            .map(|(index, draft)| {
                let source = draft.span.and_then(|span| self.sources.line(span));
                Row {
                    step: index + 1,
                    thread: draft.lane,
                    at: draft.span.map(position),
                    text: wording::text(draft, source, &self.lanes),
                    notes: wording::notes(&kept, index),
                    events: draft.effects.clone(),
                }
            })
            .collect();
        if let (Some(race), Some(last)) = (race, steps.last_mut()) {
            let partner = numbers[race];
            if partner != last.step {
                last.notes.insert(0, format!("races with step {partner}"));
            }
        }
        Story {
            property: self.property,
            model: self.model,
            headline: wording::headline(self.property, violation).to_owned(),
            message: violation.map(|violation| violation.message.clone()).unwrap_or_default(),
            at: at.map(position),
            context_switches: context_switches(&kept),
            threads: self.lanes,
            steps,
        }
    }

    /// Adds the row in which the property was violated, and returns its position.
    fn add_violation(&mut self, violation: &Violation) -> Option<Span> {
        let effect = Effect::Violation { message: violation.message.clone() };
        let (Some(thread), Some(at)) = (violation.thread, violation.at) else {
            // A deadlock is nobody's step: it is told where the last thread that moved stands.
            let lane = self.drafts.last().map_or(0, |draft| draft.lane);
            self.states[lane].left_line = true;
            self.add(lane, None, None, effect);
            return violation.at.map(|at| self.span_of(at)).filter(|span| span.is_known());
        };
        let lane = self.lane(thread);
        let stack = match &self.states[lane].last {
            Some((last, stack)) if last.0 == at.0 => stack.clone(),
            Some((last, stack)) => stack.iter().copied().chain([*last]).collect(),
            None => Vec::new(),
        };
        let span = self.users_span(at, &stack);
        self.add(lane, span, Some(at), effect);
        span.or_else(|| Some(self.span_of(at)).filter(|span| span.is_known()))
    }

    /// The row of the other access of a race.
    fn race_partner(&mut self, violation: &Violation) -> Option<usize> {
        let (thread, function, edge) = violation.other?;
        let lane = self.lane(thread);
        self.drafts.iter().rposition(|draft| draft.lane == lane && draft.edges.contains(&(function, edge)))
    }

    /// Takes rows together that say one thing: a thread creates several others or waits for several others, and the
    /// read of a thread's handle belongs to the join.
    fn merge_rows(&mut self) {
        let is_only = |draft: &Draft, wanted: fn(&Effect) -> bool| {
            draft.effects.iter().any(wanted)
                && draft.effects.iter().all(|e| wanted(e) || matches!(e, Effect::Read { .. } | Effect::Write { .. }))
        };
        let creates = |effect: &Effect| matches!(effect, Effect::Create { .. });
        let joins = |effect: &Effect| matches!(effect, Effect::Join { .. });
        let reads = |effect: &Effect| matches!(effect, Effect::Read { .. });
        for index in 0..self.drafts.len() {
            let next_of_lane = (index + 1..self.drafts.len()).find(|next| self.drafts[*next].lane == self.drafts[index].lane);
            let Some(next) = next_of_lane else { continue };
            let (row, other) = (&self.drafts[index], &self.drafts[next]);
            let same_kind = (is_only(row, creates) && is_only(other, creates)) || (is_only(row, joins) && is_only(other, joins));
            let handle = row.effects.iter().all(reads) && same_line(row.span, other.span) && is_only(other, joins);
            if (next == index + 1 && same_kind) || handle {
                let mut effects = std::mem::take(&mut self.drafts[index].effects);
                let span = self.drafts[index].span;
                effects.append(&mut self.drafts[next].effects);
                self.drafts[next].effects = effects;
                self.drafts[next].span = span;
                self.drafts[index].merged_into = Some(next);
            }
        }
    }

    /// The number in the story of each draft.
    fn numbers(&self) -> Vec<usize> {
        let mut numbers = vec![0; self.drafts.len()];
        let mut last = 0;
        for (index, draft) in self.drafts.iter().enumerate() {
            if draft.merged_into.is_none() {
                last += 1;
                numbers[index] = last;
            }
        }
        for index in (0..self.drafts.len()).rev() {
            if let Some(into) = self.drafts[index].merged_into {
                numbers[index] = numbers[into];
            }
        }
        numbers
    }

    /// Turns indices of the schedule into numbers of the story.
    fn renumber(&mut self, numbers: &[usize]) {
        let writes = std::mem::take(&mut self.writes);
        let number = |step: &usize| writes.get(step).map(|row| numbers[*row]);
        for effect in self.drafts.iter_mut().flat_map(|draft| &mut draft.effects) {
            match effect {
                Effect::Read { written_at, unseen, .. } => {
                    *written_at = written_at.as_ref().and_then(number);
                    *unseen = unseen.iter().filter_map(number).collect();
                    unseen.dedup();
                }
                Effect::Write { overwrites: step, .. } | Effect::Flush { written_at: step, .. } => {
                    *step = step.as_ref().and_then(number);
                }
                Effect::Input { .. }
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
    }
}

impl Observer for Teller<'_> {
    fn event(&mut self, event: Event) {
        let lane = self.lane(event.thread);
        let span = self.users_span(event.at, &event.stack);
        let is_flush = matches!(event.kind, EventKind::Flush { .. });
        match self.effect(&event) {
            Some(effect) => {
                let writes = matches!(effect, Effect::Write { .. });
                self.add(lane, span, Some(event.at), effect);
                if writes {
                    self.writes.insert(event.step, self.drafts.len() - 1);
                }
            }
            None => {
                let row_span = self.drafts.iter().rev().find(|draft| draft.lane == lane).map(|draft| draft.span);
                if span.is_some() && row_span.is_some_and(|row| !same_line(row, span)) {
                    self.states[lane].left_line = true;
                }
            }
        }
        if !is_flush {
            self.states[lane].last = Some((event.at, event.stack));
        }
    }
}

fn same_line(one: Option<Span>, other: Option<Span>) -> bool {
    one.map(|span| (span.file, span.line)) == other.map(|span| (span.file, span.line))
}

/// A place as it is shown: `balance`, or `queue[8..12]` for a part of an object.
fn place_name(place: &Place) -> String {
    if place.offset == 0 && (place.size == place.object_size || place.is_ghost) {
        return place.object.clone();
    }
    if place.is_ghost {
        // A ghost record of offset o stands at 4o.
        return format!("{}+{}", place.object, place.offset / 4);
    }
    format!("{}[{}..{}]", place.object, place.offset, place.offset.saturating_add(place.size))
}

/// How often a thread that could go on was left for another: changes of thread, without those where a thread waits
/// for another to end, or begins to wait.
fn context_switches(rows: &[Draft]) -> usize {
    let first_is = |row: &Draft, wanted: fn(&Effect) -> bool| {
        row.effects.iter().find(|effect| !matches!(effect, Effect::Read { .. })).is_some_and(wanted)
    };
    let statements: Vec<&Draft> =
        rows.iter().filter(|row| !matches!(row.effects.first(), Some(Effect::Flush { .. }))).collect();
    let mut switches = 0;
    for (index, pair) in statements.windows(2).enumerate() {
        let (from, to) = (pair[0], pair[1]);
        if from.lane == to.lane {
            continue;
        }
        let next_of_from = statements[index + 1..].iter().find(|row| row.lane == from.lane);
        let begins_to_wait = next_of_from.is_some_and(|row| {
            first_is(row, |e| matches!(e, Effect::Join { .. } | Effect::Lock { .. } | Effect::Wait { .. }))
        });
        let waited_for_end = next_of_from.is_none() && first_is(to, |e| matches!(e, Effect::Join { .. }));
        if !begins_to_wait && !waited_for_end {
            switches += 1;
        }
    }
    switches
}
