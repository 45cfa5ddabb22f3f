//! Listens to a replayed run and groups its events into the rows of a [`Story`].
//!
//! A row holds the events of one thread at one line of user code until the next relevant event elsewhere: in another
//! thread, or at another line of the same thread. Events inside a model function or a system header are shown at the
//! user's line that called it. Accesses to objects that only one thread accesses in this run make no rows (unless there
//! is only one thread, or the violation is in that line), but they do end the visit of a line, so that each iteration
//! of a loop gets a row of its own.

use crate::links::{self, Cell, Mark};
use crate::relevance;
use crate::sources::Sources;
use crate::story::{Effect, Lane, Position, Row, Story};
use crate::wording;
use base::Span;
use interp::{BlockedOn, Event, EventKind, Observer, Place};
use ir::{AllocKind, EdgeId, FunctionId, MemoryModel, ObjectKind, Program, Property, Stmt, Violation};
use std::collections::{BTreeMap, BTreeSet};

type At = (FunctionId, EdgeId);

/// The state of a thread while its run is processed.
#[derive(Default)]
struct LaneState {
    /// Its current line, and the number of lines visited.
    line: Option<Span>,
    visits: usize,
    /// The last statement and the calls around it.
    last: Option<(At, Vec<At>)>,
}

/// An event that may be shown.
struct Moment {
    lane: usize,
    visit: usize,
    span: Option<Span>,
    at: Option<At>,
    /// The index in the schedule.
    step: usize,
    /// The bytes it accesses, if it is an access.
    cell: Option<Cell>,
    effect: Effect,
}

/// A row under construction.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) lane: usize,
    pub(crate) span: Option<Span>,
    pub(crate) effects: Vec<Effect>,
    /// One mark for each effect.
    pub(crate) marks: Vec<Mark>,
    visit: usize,
    edges: Vec<At>,
    /// The steps of the schedule that wrote something in this row.
    writes: Vec<usize>,
}

impl Draft {
    pub(crate) fn is_flush(&self) -> bool {
        matches!(self.effects.first(), Some(Effect::Flush { .. }))
    }

    fn is_only(&self, wanted: fn(&Effect) -> bool) -> bool {
        let access = |effect: &Effect| matches!(effect, Effect::Read { .. } | Effect::Write { .. });
        self.effects.iter().any(wanted) && self.effects.iter().all(|effect| wanted(effect) || access(effect))
    }

    fn absorb(&mut self, mut later: Draft) {
        self.effects.append(&mut later.effects);
        self.marks.append(&mut later.marks);
        self.edges.append(&mut later.edges);
        self.writes.append(&mut later.writes);
    }
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
    moments: Vec<Moment>,
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
            moments: Vec::new(),
        };
        teller.add_lane(1, "main".to_owned());
        teller
    }

    /// A number may be reused after a join, so a thread of the story is identified by its creation, not by its number.
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

    /// The innermost position in user code.
    fn users_span(&self, at: At, stack: &[At]) -> Option<Span> {
        std::iter::once(&at)
            .chain(stack.iter().rev())
            .map(|at| self.span_of(*at))
            .find(|span| self.sources.is_users(*span))
    }

    /// The effect of an event to be shown, with the bytes it accesses; `None` if it does not matter.
    fn effect(&mut self, kind: EventKind, at: At) -> Option<(Effect, Option<Cell>)> {
        let shown = |place: &Place| place.is_shared && !place.is_ghost && !self.is_constant(place);
        let access = |place: &Place| Some(Cell::new(place));
        let effect = match kind {
            EventKind::Read { place, value, written_at, unseen } if shown(&place) => {
                let cell = access(&place);
                return Some((Effect::Read { place: place_name(&place), value, written_at, unseen }, cell));
            }
            EventKind::Write { place, value, overwrites, buffered } if shown(&place) => {
                let cell = access(&place);
                return Some((Effect::Write { place: place_name(&place), value, overwrites, buffered }, cell));
            }
            EventKind::Flush { place, value, written_at } if !place.is_ghost => {
                let cell = access(&place);
                let written_at = Some(written_at);
                return Some((Effect::Flush { place: place_name(&place), value, written_at }, cell));
            }
            EventKind::Input { name, value } => Effect::Input { name, value },
            EventKind::Spawn { child, function } => Effect::Create { child: self.add_lane(child, function) },
            EventKind::Join { child } => Effect::Join { child: self.lane(child) },
            EventKind::Lock(place) => Effect::Lock { place: place_name(&place) },
            EventKind::Unlock(place) => Effect::Unlock { place: place_name(&place) },
            EventKind::Await { awaited, place, spuriously } => {
                Effect::Wait { what: awaited.to_string(), place: place_name(&place), spuriously }
            }
            EventKind::Blocked { on, other } => {
                let what = on.to_string();
                let lock = if let BlockedOn::Lock(place) = on { Some(place) } else { None };
                Effect::Blocked { what, lock, other: other.map(|number| self.lane(number)) }
            }
            EventKind::Alloc(place) if self.property == Property::Memory && self.is_heap_alloc(at) => {
                Effect::Alloc { place: place_name(&place) }
            }
            EventKind::Free(place) if self.property == Property::Memory => Effect::Free { place: place_name(&place) },
            EventKind::Fence if !self.model.is_sequentially_consistent() => Effect::Fence,
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
        Some((effect, None))
    }

    fn is_constant(&self, place: &Place) -> bool {
        self.program
            .object_named(&place.object)
            .is_some_and(|object| self.program.objects[object].kind == ObjectKind::Constant)
    }

    fn is_heap_alloc(&self, (function, edge): At) -> bool {
        matches!(self.program.functions[function].edges[edge].stmt, Stmt::Alloc { kind: AllocKind::Heap, .. })
    }

    /// Completes the story. `violation` is how the run ended.
    pub(crate) fn finish(mut self, violation: Option<&Violation>) -> Story {
        let at = violation.and_then(|violation| self.add_violation(violation));
        let partners = violation.map(|violation| self.partners(violation)).unwrap_or_default();
        self.forget_private(&partners);
        let moments = std::mem::take(&mut self.moments);
        let mut drafts = merge(group(moments, &|at| links::orders(self.program, at)));
        renumber(&mut drafts);
        let partners = partner_rows(&partners, &drafts);
        let position = |span: Span| Position { file: self.program.files[span.file].clone(), line: span.line };
        let mut steps: Vec<Row> = Vec::new();
        for (index, draft) in drafts.iter().enumerate() {
            let source = draft.span.and_then(|span| self.sources.line(span));
            let (text, values) = wording::text(draft, source, &self.lanes);
            steps.push(Row {
                step: index + 1,
                thread: draft.lane,
                at: draft.span.filter(|_| !draft.is_flush()).map(position),
                text,
                values,
                notes: wording::notes(&drafts, index, source, (self.model, &self.lanes)),
                overwrites_unseen: wording::overwrites_unseen(&drafts, index, self.model),
                events: draft.effects.clone(),
                aside: false,
            });
        }
        relevance::set_aside(&mut steps, (self.property, self.model), &partners);
        if let Some(last) = steps.last_mut() {
            match partners[..] {
                [partner] if partner + 1 != last.step => {
                    last.notes.insert(0, format!("races with step {}", partner + 1));
                }
                [between, first] => {
                    let (between, first) = (between + 1, first + 1);
                    last.notes.insert(0, format!("meant as one with step {first}, but step {between} comes between"));
                }
                _ => {}
            }
        }
        Story {
            property: self.property,
            model: self.model,
            headline: wording::headline(self.property, violation).to_owned(),
            message: violation.map(Violation::message).unwrap_or_default(),
            library: violation
                .and_then(Violation::library)
                .map(|race| vec![race.this.into(), race.other.into()])
                .unwrap_or_default(),
            at: at.map(position),
            context_switches: context_switches(&drafts),
            links: links::links(&drafts, self.model),
            threads: self.lanes,
            steps,
        }
    }

    /// Adds the violation, and returns its position.
    fn add_violation(&mut self, violation: &Violation) -> Option<Span> {
        let is_assertion = wording::is_assertion(violation);
        let effect = Effect::Violation { message: violation.message(), is_assertion };
        let lane = violation.thread.map(|thread| self.lane(thread)).unwrap_or(0);
        let stack = match (&self.states[lane].last, violation.at) {
            (Some((last, stack)), Some(at)) if last.0 == at.0 => stack.clone(),
            (Some((last, stack)), _) => stack.iter().copied().chain([*last]).collect(),
            (None, _) => Vec::new(),
        };
        let span = violation.at.and_then(|at| self.users_span(at, &stack));
        let known = violation.at.map(|at| self.span_of(at)).filter(|span| span.is_known());
        // A deadlock is no step of a thread.
        let is_deadlock = violation.property() == Property::Deadlock;
        self.moments.push(Moment {
            lane,
            visit: if is_deadlock { usize::MAX } else { self.states[lane].visits_at(span) },
            span: span.filter(|_| !is_deadlock),
            at: violation.at,
            step: usize::MAX,
            cell: None,
            effect,
        });
        span.or(known)
    }

    /// The other accesses of a violation besides the last: the first access of a race; of three that no serial order
    /// explains, the one between and the first.
    fn partners(&mut self, violation: &Violation) -> Vec<(usize, At)> {
        let other = violation.other.map(|(thread, function, edge)| (self.lane(thread), (function, edge)));
        let first = violation.first.zip(violation.thread).map(|(at, thread)| (self.lane(thread), at));
        other.into_iter().chain(first).collect()
    }

    /// Drops accesses to objects that only one thread accesses, except the partners of a violation, of which one access
    /// is the violation itself.
    fn forget_private(&mut self, partners: &[(usize, At)]) {
        if self.lanes.len() == 1 {
            return;
        }
        let mut users: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for moment in &self.moments {
            if let Some(cell) = &moment.cell {
                users.entry(&cell.object).or_default().insert(moment.lane);
            }
        }
        let shared: BTreeSet<String> =
            users.iter().filter(|(_, lanes)| lanes.len() > 1).map(|(object, _)| (*object).to_owned()).collect();
        let last = self.moments.last().map(|moment| (moment.lane, moment.visit));
        self.moments.retain(|moment| match &moment.cell {
            Some(cell) => {
                let is_flush = matches!(moment.effect, Effect::Flush { .. });
                let takes_part = Some((moment.lane, moment.visit)) == last
                    || moment.at.is_some_and(|at| partners.contains(&(moment.lane, at)));
                shared.contains(&cell.object) || (!is_flush && takes_part)
            }
            None => true,
        });
    }
}

/// The rows of accesses, each before the last one found.
fn partner_rows(partners: &[(usize, At)], drafts: &[Draft]) -> Vec<usize> {
    let mut rows: Vec<usize> = Vec::new();
    for (lane, at) in partners {
        let before = &drafts[..rows.last().copied().unwrap_or(drafts.len())];
        rows.extend(before.iter().rposition(|draft| draft.lane == *lane && draft.edges.contains(at)));
    }
    rows
}

impl LaneState {
    /// The number of the visit of a line: a new one if the line changes.
    fn visits_at(&mut self, span: Option<Span>) -> usize {
        if span.is_some() && !same_line(self.line, span) {
            self.line = span;
            self.visits += 1;
        }
        self.visits
    }
}

impl Observer for Teller<'_> {
    fn event(&mut self, event: Event) {
        let lane = self.lane(event.thread);
        let span = self.users_span(event.at, &event.stack);
        let is_flush = matches!(event.kind, EventKind::Flush { .. });
        let visit = if is_flush { self.states[lane].visits } else { self.states[lane].visits_at(span) };
        if let Some((effect, cell)) = self.effect(event.kind, event.at) {
            let at = Some(event.at).filter(|_| !is_flush);
            self.moments.push(Moment { lane, visit, span, at, step: event.step, cell, effect });
        }
        if !is_flush {
            self.states[lane].last = Some((event.at, event.stack));
        }
    }
}

fn same_line(one: Option<Span>, other: Option<Span>) -> bool {
    one.map(|span| (span.file, span.line)) == other.map(|span| (span.file, span.line))
}

/// A place as shown: `balance`, or `queue[8..12]` or `(malloc at queue.c:7)[8..12]` for a part of an object.
fn place_name(place: &Place) -> String {
    if place.offset == 0 && (place.size == place.object_size || place.is_ghost) {
        return place.object.clone();
    }
    // Names of heap objects consist of several words.
    let object = if place.object.contains(' ') { format!("({})", place.object) } else { place.object.clone() };
    if place.is_ghost {
        return format!("{object}+{}", place.offset);
    }
    format!("{object}[{}..{}]", place.offset, place.offset.saturating_add(place.size))
}

/// Groups moments into rows; `orders` says whether a statement acquires and whether it releases.
fn group(moments: Vec<Moment>, orders: &dyn Fn(At) -> (bool, bool)) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    for moment in moments {
        let writes = matches!(moment.effect, Effect::Write { .. }).then_some(moment.step);
        let new = Draft {
            lane: moment.lane,
            span: moment.span,
            effects: vec![moment.effect],
            marks: vec![Mark { cell: moment.cell, orders: moment.at.map_or((false, false), orders) }],
            visit: moment.visit,
            edges: moment.at.into_iter().collect(),
            writes: writes.into_iter().collect(),
        };
        match drafts.last_mut() {
            Some(row)
                if row.lane == new.lane
                    && row.visit == new.visit
                    && same_line(row.span, new.span)
                    && !row.is_flush()
                    && !new.is_flush() =>
            {
                row.absorb(new);
            }
            _ => drafts.push(new),
        }
    }
    drafts
}

/// Merges rows that belong together: a thread creates or joins several others, or reads a thread's handle for a join.
fn merge(drafts: Vec<Draft>) -> Vec<Draft> {
    let creates = |effect: &Effect| matches!(effect, Effect::Create { .. });
    let joins = |effect: &Effect| matches!(effect, Effect::Join { .. });
    let reads = |effect: &Effect| matches!(effect, Effect::Read { .. });
    let mut kept: Vec<Draft> = Vec::new();
    for mut draft in drafts {
        let previous = kept.iter().rposition(|row| row.lane == draft.lane && !row.is_flush());
        if let Some(index) = previous {
            let row = &kept[index];
            let both = (row.is_only(creates) && draft.is_only(creates)) || (row.is_only(joins) && draft.is_only(joins));
            let handle = row.effects.iter().all(reads) && same_line(row.span, draft.span) && draft.is_only(joins);
            if both && index + 1 == kept.len() {
                kept[index].absorb(draft);
                continue;
            }
            if handle {
                let mut row = kept.remove(index);
                row.absorb(draft);
                draft = row;
            }
        }
        kept.push(draft);
    }
    kept
}

/// Turns indices of the schedule into numbers of the story.
fn renumber(drafts: &mut [Draft]) {
    let mut row_of: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, draft) in drafts.iter().enumerate() {
        row_of.extend(draft.writes.iter().map(|step| (*step, index + 1)));
    }
    let number = |step: &usize| row_of.get(step).copied();
    for effect in drafts.iter_mut().flat_map(|draft| &mut draft.effects) {
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
            | Effect::Blocked { .. }
            | Effect::Alloc { .. }
            | Effect::Free { .. }
            | Effect::Fence
            | Effect::Violation { .. } => {}
        }
    }
}

/// The number of context switches away from a thread that could continue. A thread that is about to join another, to
/// wait for a condition, or to acquire a lock that another holds could not.
fn context_switches(rows: &[Draft]) -> usize {
    let rows: Vec<&Draft> = rows.iter().filter(|row| !row.is_flush()).collect();
    let mut held: BTreeMap<&str, usize> = BTreeMap::new();
    let mut switches = 0;
    for (index, from) in rows.iter().enumerate() {
        for effect in &from.effects {
            match effect {
                Effect::Lock { place } => drop(held.insert(place, from.lane)),
                Effect::Unlock { place } => drop(held.remove(place.as_str())),
                _ => {}
            }
        }
        let Some(to) = rows.get(index + 1) else { break };
        let is_end =
            |row: &Draft| row.effects.iter().any(|e| matches!(e, Effect::Blocked { .. })) || row.span.is_none();
        if from.lane == to.lane || is_end(from) || is_end(to) {
            continue;
        }
        let next = rows[index + 1..].iter().find(|row| row.lane == from.lane);
        let could_go_on = match next.and_then(|row| row.effects.iter().find(|e| !matches!(e, Effect::Read { .. }))) {
            Some(Effect::Join { .. } | Effect::Wait { .. }) => false,
            Some(Effect::Lock { place }) => held.get(place.as_str()).is_none_or(|lane| *lane == from.lane),
            Some(Effect::Blocked { lock, .. }) => {
                lock.as_ref().is_some_and(|place| held.get(place.as_str()).is_none_or(|lane| *lane == from.lane))
            }
            Some(_) => true,
            // It has no further events: it was left unless the other waited for its end.
            None => !matches!(to.effects.first(), Some(Effect::Join { .. })),
        };
        switches += usize::from(could_go_on);
    }
    switches
}
