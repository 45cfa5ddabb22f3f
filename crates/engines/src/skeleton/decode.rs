//! Decodes a model into a run: the steps of each thread, in one order, up to the violation.
//!
//! The run contains only what the violation depends on: its thread up to the violation, and whatever comes before that
//! in the order of the model. Threads run on as long as they can.
//!
//! Under weak memory models a part of an event may happen after the step it belongs to ([`is_late`]): a buffered store
//! reaches memory, or a fence follows a write. That is a moment of its own, and happens when something depends on it.
//! Under `ra` a read also names the write it reads from, and a write its predecessor in coherence.

use super::compose::models::{is_buffered, is_late};
use super::compose::{Atomicity, Composition, Race};
use super::events::{Barrier, EventId, Kind, Skeleton, Step, ThreadId};
use base::{Id, IdVec};
use ir::{Act, MemoryModel, Move, Program, Stmt, StoreBuffer, Written};
use rustc_hash::FxHashMap;
use smt::term::value::Evaluation;
use smt::{Term, Terms};

/// An atomic moment of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Moment {
    /// A thread executes one of its steps.
    Step(ThreadId, usize),
    /// The late part of an event.
    Late(EventId),
}

struct Decoder<'a, 'm> {
    program: &'a Program,
    skeleton: &'a Skeleton,
    evaluation: Evaluation<'m>,
    /// Per thread, the executed steps.
    steps: IdVec<ThreadId, Vec<usize>>,
    /// Per event, its thread and index among the executed steps, if it occurs.
    places: IdVec<EventId, Option<(ThreadId, usize)>>,
    model: MemoryModel,
    /// The predecessors of an event's step, and of its late part.
    before: IdVec<EventId, Vec<Moment>>,
    before_late: IdVec<EventId, Vec<Moment>>,
    /// Per thread, the late events that occur, in order.
    late: IdVec<ThreadId, Vec<EventId>>,
    /// The source of a read, and the number of writes before a write.
    source: IdVec<EventId, Option<EventId>>,
    rank: IdVec<EventId, usize>,
    started_by: IdVec<ThreadId, Option<(ThreadId, usize)>>,
    /// Per thread and executed step: the first step of the atomic region it is in, and the end of the region.
    regions: IdVec<ThreadId, Vec<Option<(usize, usize)>>>,
    /// Per thread, the number of needed steps.
    needed: IdVec<ThreadId, usize>,
    is_late_needed: IdVec<EventId, bool>,
}

/// The progress of the schedule.
struct Progress {
    done: IdVec<ThreadId, usize>,
    is_late_done: IdVec<EventId, bool>,
    moves: Vec<Move>,
    /// The moves of events.
    moved: FxHashMap<EventId, usize>,
}

/// The run that a model describes.
pub(crate) fn decode(
    program: &Program,
    skeleton: &Skeleton,
    composition: &mut Composition,
    terms: &Terms,
) -> Result<Vec<Move>, String> {
    let model = composition.solver.model(terms).clone();
    let mut decoder = Decoder::new(program, skeleton, composition, Evaluation::new(terms, &model));
    if composition.deadlock.is_some_and(|deadlock| decoder.evaluation.is_true(deadlock)) {
        // No thread can move any more: everything that occurs has been executed.
        return decoder.all();
    }
    let (thread, place, is_before) = match (&composition.race, &composition.atomicity) {
        (Some(race), _) => decoder.find_race(race)?,
        (None, Some(atomicity)) => decoder.find_three(atomicity)?,
        (None, None) => decoder.find_violation()?,
    };
    // Nothing comes after the violation, not even the rest of its region.
    decoder.steps[thread].truncate(place + 1);
    decoder.need(Moment::Step(thread, place));
    if is_before {
        // The buffer of a blocked thread must be empty.
        decoder.need_late(thread, place);
    }
    decoder.schedule(is_before.then_some((thread, place)))
}

/// The run that a model describes, with all its events.
pub(crate) fn decode_all(
    program: &Program,
    skeleton: &Skeleton,
    composition: &mut Composition,
    terms: &Terms,
) -> Result<Vec<Move>, String> {
    let model = composition.solver.model(terms).clone();
    Decoder::new(program, skeleton, composition, Evaluation::new(terms, &model)).all()
}

/// The run that a model describes, up to where each of these threads is about to take a step.
pub(crate) fn decode_until(
    program: &Program,
    skeleton: &Skeleton,
    composition: &mut Composition,
    terms: &Terms,
    waiting: &[(ThreadId, usize)],
) -> Result<Vec<Move>, String> {
    let model = composition.solver.model(terms).clone();
    let mut decoder = Decoder::new(program, skeleton, composition, Evaluation::new(terms, &model));
    for &(thread, step) in waiting {
        let count = decoder.steps[thread].iter().filter(|&&taken| taken < step).count();
        decoder.steps[thread].truncate(count);
        if let Some(last) = count.checked_sub(1) {
            decoder.need(Moment::Step(thread, last));
        }
    }
    decoder.schedule(None)
}

impl<'a, 'm> Decoder<'a, 'm> {
    fn new(
        program: &'a Program,
        skeleton: &'a Skeleton,
        composition: &Composition,
        evaluation: Evaluation<'m>,
    ) -> Decoder<'a, 'm> {
        let mut decoder = Decoder {
            program,
            skeleton,
            evaluation,
            steps: IdVec::filled(Vec::new(), skeleton.threads.len()),
            places: IdVec::filled(None, skeleton.events.len()),
            model: composition.model,
            before: IdVec::filled(Vec::new(), skeleton.events.len()),
            before_late: IdVec::filled(Vec::new(), skeleton.events.len()),
            late: IdVec::filled(Vec::new(), skeleton.threads.len()),
            source: IdVec::filled(None, skeleton.events.len()),
            rank: IdVec::filled(0, skeleton.events.len()),
            started_by: IdVec::filled(None, skeleton.threads.len()),
            regions: IdVec::filled(Vec::new(), skeleton.threads.len()),
            needed: IdVec::filled(0, skeleton.threads.len()),
            is_late_needed: IdVec::filled(false, skeleton.events.len()),
        };
        decoder.find_steps();
        decoder.find_order(composition);
        decoder
    }

    fn all(&mut self) -> Result<Vec<Move>, String> {
        for thread in self.skeleton.threads.ids() {
            let count = self.steps[thread].len();
            if let Some(last) = count.checked_sub(1) {
                self.need(Moment::Step(thread, last));
            }
            self.need_late(thread, count);
        }
        self.schedule(None)
    }

    fn find_steps(&mut self) {
        for (thread, record) in self.skeleton.threads.enumerate() {
            let mut begun = None;
            let mut depth = 0u32;
            for (index, step) in record.steps.iter().enumerate() {
                if !self.evaluation.is_true(step.occurs) {
                    continue;
                }
                let place = self.steps[thread].len();
                self.steps[thread].push(index);
                for &event in &step.events {
                    if self.evaluation.is_true(self.skeleton.events[event].occurs) {
                        self.places[event] = Some((thread, place));
                        if is_late(self.model, &self.skeleton.events[event]) {
                            self.late[thread].push(event);
                        }
                    }
                }
                if let Some(child) = step.starts {
                    self.started_by[child] = Some((thread, place));
                }
                match &self.program.functions[step.at.0].edges[step.at.1].stmt {
                    Stmt::AtomicBegin { .. } => {
                        depth += 1;
                        begun = begun.or(Some(place));
                    }
                    Stmt::AtomicEnd { .. } => depth = depth.saturating_sub(1),
                    _ => {}
                }
                self.regions[thread].push(begun.map(|begun| (begun, place)));
                if depth == 0 {
                    if let Some(begun) = begun.take() {
                        self.regions[thread][begun..].iter_mut().for_each(|region| *region = Some((begun, place)));
                    }
                }
            }
            if let Some(begun) = begun {
                let last = self.steps[thread].len() - 1;
                self.regions[thread][begun..].iter_mut().for_each(|region| *region = Some((begun, last)));
            }
        }
    }

    /// The step that violates the property.
    fn find_violation(&mut self) -> Result<(ThreadId, usize, bool), String> {
        for violation in &self.skeleton.violations {
            if self.evaluation.is_true(violation.occurs) {
                let place = self.steps[violation.thread].iter().position(|&step| step == violation.step);
                let place = place.ok_or("the violating step is not taken")?;
                return Ok((violation.thread, place, violation.is_before));
            }
        }
        Err("the model has no violation".to_owned())
    }

    /// The step of the second access of a race, which comes after the first.
    fn find_race(&mut self, race: &Race) -> Result<(ThreadId, usize, bool), String> {
        let mut chosen = |accesses: &[(Term, EventId)]| {
            accesses.iter().find(|(choice, _)| self.evaluation.is_true(*choice)).map(|(_, event)| *event)
        };
        let (Some(first), Some(second)) = (chosen(&race.first), chosen(&race.second)) else {
            return Err("the model has no race".to_owned());
        };
        let executed = self.executed(first);
        self.before[second].extend(executed);
        let (thread, place) = self.places[second].ok_or("the second access of a race is not taken")?;
        Ok((thread, place, false))
    }

    /// The step of the second of two accesses that should be atomic, which comes after the access between them.
    fn find_three(&mut self, atomicity: &Atomicity) -> Result<(ThreadId, usize, bool), String> {
        let pair = atomicity.pairs.iter().find(|(choice, ..)| self.evaluation.is_true(*choice));
        let between = atomicity.between.iter().find(|(choice, _)| self.evaluation.is_true(*choice));
        let (Some(&(_, first, second)), Some(&(_, between))) = (pair, between) else {
            return Err("the model has no violation of atomicity".to_owned());
        };
        let started = self.skeleton.threads[self.skeleton.events[between].thread].start;
        let chain = [started, Some(first), Some(between), Some(second)];
        let chain: Vec<EventId> = chain.into_iter().flatten().collect();
        for pair in chain.windows(2) {
            let executed = self.executed(pair[0]);
            self.before[pair[1]].extend(executed);
        }
        let (thread, place) = self.places[second].ok_or("the second of two accesses is not taken")?;
        Ok((thread, place, false))
    }

    /// The moment at which an event is executed, if it is.
    fn executed(&self, event: EventId) -> Option<Moment> {
        let (thread, place) = self.places[event]?;
        match self.skeleton.events[event].kind {
            Kind::Barrier(Barrier::FenceAfter) => Some(Moment::Late(event)),
            _ => Some(Moment::Step(thread, place)),
        }
    }

    /// The moment at which other threads can see it.
    fn seen(&self, event: EventId) -> Option<Moment> {
        let executed = self.executed(event)?;
        let is_buffered = is_buffered(self.model, &self.skeleton.events[event]);
        Some(if is_buffered { Moment::Late(event) } else { executed })
    }

    /// Adds a predecessor of the moment at which other threads can see an event.
    fn seen_after(&mut self, event: EventId, moment: Option<Moment>) {
        let late = matches!(self.seen(event), Some(Moment::Late(_)));
        if late {
            self.before_late[event].extend(moment);
        } else {
            self.before[event].extend(moment);
        }
    }

    /// Adds a predecessor of the moment at which an event is executed.
    fn executed_after(&mut self, event: EventId, moment: Option<Moment>) {
        if matches!(self.executed(event), Some(Moment::Late(_))) {
            self.before_late[event].extend(moment);
        } else {
            self.before[event].extend(moment);
        }
    }

    /// Whether the write order of a place is the order in time.
    fn is_timely(&self, event: EventId) -> bool {
        self.model.is_multi_copy_atomic() || self.skeleton.events[event].is_ghost
    }

    fn find_order(&mut self, composition: &Composition) {
        let mut later: IdVec<EventId, Vec<EventId>> = IdVec::filled(Vec::new(), self.skeleton.events.len());
        for &(choice, first, second) in &composition.write_order {
            if self.evaluation.is_true(choice) {
                later[first].push(second);
                self.rank[second] += 1;
                if self.is_timely(first) {
                    self.seen_after(second, self.seen(first));
                }
            }
        }
        for &(choice, write, read) in &composition.reads_from {
            if self.evaluation.is_true(choice) {
                self.source[read] = Some(write);
                let is_own = self.skeleton.events[read].thread == self.skeleton.events[write].thread;
                let moment = if is_own { self.executed(write) } else { self.seen(write) };
                self.executed_after(read, moment);
                if self.is_timely(read) {
                    for other in later[write].iter().copied().filter(|&other| other != read).collect::<Vec<_>>() {
                        self.seen_after(other, self.executed(read));
                    }
                }
            }
        }
        for (when, read, write) in &composition.overwritten {
            if self.is_timely(*read) && when.iter().all(|&term| self.evaluation.is_true(term)) {
                self.seen_after(*write, self.executed(*read));
            }
        }
        if let Some(contexts) = &composition.contexts {
            self.follow_contexts(contexts);
        }
        for (when, from, to) in &composition.edges {
            if when.iter().all(|&term| self.evaluation.is_true(term)) {
                self.executed_after(*to, self.executed(*from));
            }
        }
    }

    /// Under a context bound, a context ends before the next begins.
    fn follow_contexts(&mut self, contexts: &IdVec<EventId, Term>) {
        let mut all: Vec<(u64, EventId)> = Vec::new();
        for id in contexts.ids().filter(|&id| self.places[id].is_some()) {
            all.push((self.evaluation.bits(contexts[id]).to_u64().unwrap_or(0), id));
        }
        for &(context, id) in &all {
            let earlier = all.iter().filter(|(other, _)| *other < context);
            let earlier: Vec<Moment> = earlier.filter_map(|(_, other)| self.executed(*other)).collect();
            self.before[id].extend(earlier);
        }
    }

    fn step(&self, thread: ThreadId, place: usize) -> &Step {
        &self.skeleton.threads[thread].steps[self.steps[thread][place]]
    }

    /// The moments that must precede a step.
    fn conditions(&mut self, thread: ThreadId, place: usize) -> Vec<Moment> {
        let step = self.step(thread, place).clone();
        let mut conditions = Vec::new();
        if place == 0 {
            conditions.extend(self.started_by[thread].map(|(parent, place)| Moment::Step(parent, place)));
        }
        for event in step.events {
            conditions.extend(self.before[event].iter().copied());
            let kind = &self.skeleton.events[event].kind;
            let is_drain = matches!(kind, Kind::Barrier(Barrier::Drain | Barrier::MayDrain));
            if is_drain && self.places[event].is_some() {
                conditions.extend(self.late_before(thread, place));
            }
        }
        if self.model.strengthens_atomics() {
            // A pending fence comes before anything else.
            conditions.extend(self.late_before(thread, place));
        }
        if let Some(join) = step.join {
            for &(child, is_it) in &self.skeleton.joins[join].threads {
                if self.evaluation.is_true(is_it) {
                    conditions.extend(self.steps[child].len().checked_sub(1).map(|last| Moment::Step(child, last)));
                    conditions.extend(self.late[child].iter().map(|&event| Moment::Late(event)));
                }
            }
        }
        let is_earlier = |moment: &Moment| *moment != Moment::Step(thread, place);
        conditions.retain(is_earlier);
        conditions
    }

    /// The late parts of a thread's steps before an index.
    fn late_before(&self, thread: ThreadId, place: usize) -> Vec<Moment> {
        let is_before = |event: &&EventId| self.places[**event].is_some_and(|(_, other)| other < place);
        self.late[thread].iter().filter(is_before).map(|&event| Moment::Late(event)).collect()
    }

    /// The moments that must precede a late part.
    fn late_conditions(&mut self, event: EventId) -> Vec<Moment> {
        let Some((thread, place)) = self.places[event] else { return vec![] };
        let mut conditions = vec![Moment::Step(thread, place)];
        conditions.extend(self.before_late[event].iter().copied());
        match self.model.store_buffer() {
            None => {}
            Some(StoreBuffer::Fifo) => conditions.extend(self.late_before(thread, place)),
            Some(StoreBuffer::PerLocation) => {
                let own = self.steps[thread].clone();
                for moment in self.late_before(thread, place) {
                    let Moment::Late(earlier) = moment else { continue };
                    let from = self.places[earlier].map_or(0, |(_, place)| place);
                    let between =
                        own[from..=place].iter().flat_map(|&step| &self.skeleton.threads[thread].steps[step].events);
                    // The barrier of a release store comes before it, in the same step.
                    let is_barrier = |&&between: &&EventId| {
                        self.skeleton.events[between].kind == Kind::Barrier(Barrier::StoreStore)
                            && self.places[between].is_some()
                            && earlier < between
                            && between < event
                    };
                    let has_barrier = between.clone().any(|event| is_barrier(&event));
                    if has_barrier || self.is_same_place(earlier, event) {
                        conditions.push(moment);
                    }
                }
            }
        }
        conditions
    }

    fn is_same_place(&mut self, a: EventId, b: EventId) -> bool {
        let (x, y) = (self.skeleton.events[a].location, self.skeleton.events[b].location);
        let mut same = |a, b| self.evaluation.bits(a).to_u128() == self.evaluation.bits(b).to_u128();
        same(x.object, y.object) && same(x.bits, y.bits)
    }

    /// Marks a moment, and everything it depends on, as needed.
    fn need(&mut self, moment: Moment) {
        let mut work = vec![moment];
        while let Some(moment) = work.pop() {
            let (thread, place) = match moment {
                Moment::Step(thread, place) => (thread, place),
                Moment::Late(event) => {
                    if !std::mem::replace(&mut self.is_late_needed[event], true) {
                        work.extend(self.late_conditions(event));
                    }
                    continue;
                }
            };
            // A region that is entered is left.
            let count = match self.regions[thread].get(place).copied().flatten() {
                Some((_, end)) => (end + 1).min(self.steps[thread].len()),
                None => (place + 1).min(self.steps[thread].len()),
            };
            while self.needed[thread] < count {
                let place = self.needed[thread];
                self.needed[thread] += 1;
                work.extend(self.conditions(thread, place));
            }
        }
    }

    /// Marks the late parts of a thread's steps before an index as needed.
    fn need_late(&mut self, thread: ThreadId, place: usize) {
        for moment in self.late_before(thread, place) {
            self.need(moment);
        }
    }

    /// Schedules the needed moments, up to the step before which the run ends, if there is one.
    fn schedule(&mut self, end: Option<(ThreadId, usize)>) -> Result<Vec<Move>, String> {
        let mut progress = Progress {
            done: IdVec::filled(0, self.skeleton.threads.len()),
            is_late_done: IdVec::filled(false, self.skeleton.events.len()),
            moves: Vec::new(),
            moved: FxHashMap::default(),
        };
        let mut current = ThreadId::new(0);
        while let Some(moment) = self.next_moment(current, end, &progress) {
            match moment {
                Moment::Step(thread, place) => {
                    current = thread;
                    if end == Some((thread, place)) {
                        return Ok(progress.moves);
                    }
                    let made = self.move_of(thread, place, &progress);
                    for &event in &self.step(thread, place).events {
                        progress.moved.insert(event, progress.moves.len());
                    }
                    progress.moves.push(made);
                    progress.done[thread] += 1;
                }
                Moment::Late(event) => {
                    let made = self.late_move(event, &progress);
                    progress.moves.push(made);
                    progress.is_late_done[event] = true;
                }
            }
        }
        let is_done = |thread: ThreadId| progress.done[thread] == self.needed[thread];
        match self.skeleton.threads.ids().all(is_done) {
            true => Ok(progress.moves),
            false => Err("the steps of the model cannot be put in an order".to_owned()),
        }
    }

    /// The next moment: the same thread goes on, if it can.
    fn next_moment(
        &mut self,
        current: ThreadId,
        end: Option<(ThreadId, usize)>,
        progress: &Progress,
    ) -> Option<Moment> {
        let place = progress.done[current];
        let is_inside = self.regions[current].get(place).copied().flatten().is_some_and(|(begun, _)| begun < place);
        let others: Vec<ThreadId> = self.skeleton.threads.ids().filter(|&other| other != current).collect();
        let mut candidates = vec![Moment::Step(current, place)];
        // No other thread moves while this one is in an atomic region.
        let own = self.late[current].iter().map(|&event| Moment::Late(event));
        if is_inside {
            candidates.extend(own);
        } else {
            candidates.extend(others.iter().map(|&other| Moment::Step(other, progress.done[other])));
            candidates.extend(own);
            candidates.extend(others.iter().flat_map(|&other| &self.late[other]).map(|&event| Moment::Late(event)));
        }
        // A run that ends before a step ends when nothing else is left.
        let is_end = |moment: &Moment| end.is_some_and(|(thread, place)| *moment == Moment::Step(thread, place));
        let last = candidates.iter().position(is_end).map(|index| candidates.remove(index));
        candidates.into_iter().chain(last).find(|&moment| self.is_ready(moment, progress))
    }

    fn is_done(moment: Moment, progress: &Progress) -> bool {
        match moment {
            Moment::Step(thread, place) => progress.done[thread] > place,
            Moment::Late(event) => progress.is_late_done[event],
        }
    }

    fn is_ready(&mut self, moment: Moment, progress: &Progress) -> bool {
        let (thread, place) = match moment {
            Moment::Step(thread, place) => (thread, place),
            Moment::Late(event) => {
                return self.is_late_needed[event]
                    && !progress.is_late_done[event]
                    && self.late_conditions(event).into_iter().all(|moment| Self::is_done(moment, progress));
            }
        };
        if place >= self.needed[thread] {
            return false;
        }
        if !self.conditions(thread, place).into_iter().all(|moment| Self::is_done(moment, progress)) {
            return false;
        }
        // A region begins only when all of it is enabled.
        let Some((_, end)) = self.regions[thread][place] else { return true };
        let last = end.min(self.needed[thread] - 1);
        let mut conditions: Vec<Moment> = (place..=last).flat_map(|place| self.conditions(thread, place)).collect();
        // So must the stores that reach memory meanwhile: its own, and those before it if it waits for them.
        let is_inside = |event: &EventId| self.places[*event].is_some_and(|(_, at)| place <= at && at <= last);
        let is_awaited = |event: &EventId| conditions.contains(&Moment::Late(*event));
        let is_late = |event: &EventId| self.is_late_needed[*event] && !progress.is_late_done[*event];
        let late: Vec<EventId> = self.late[thread]
            .iter()
            .copied()
            .filter(|event| is_late(event) && (is_inside(event) || is_awaited(event)))
            .collect();
        conditions.extend(late.into_iter().flat_map(|event| self.late_conditions(event)));
        conditions.into_iter().all(|moment| self.is_of(moment, thread) || Self::is_done(moment, progress))
    }

    /// Whether a moment is one of a thread.
    fn is_of(&self, moment: Moment, thread: ThreadId) -> bool {
        match moment {
            Moment::Step(other, _) => other == thread,
            Moment::Late(event) => self.skeleton.events[event].thread == thread,
        }
    }

    fn late_move(&mut self, event: EventId, progress: &Progress) -> Move {
        let of = progress.moved.get(&event).copied().unwrap_or(0);
        let record = &self.skeleton.events[event];
        let act = if is_buffered(self.model, record) { Act::Flush(of) } else { Act::Fence };
        let at = progress.moves[of].at;
        Move {
            thread: record.thread.index() as u32,
            act,
            at,
            makes: None,
            locals: vec![],
            found: None,
            fails: false,
            wakes: false,
            reads: None,
            follows: None,
        }
    }

    /// Under views: the write that a step reads from, and the predecessor of its write, among those that exist.
    fn choices(&mut self, thread: ThreadId, place: usize, progress: &Progress) -> (Option<Written>, Option<Written>) {
        let events = self.step(thread, place).events.clone();
        let is_weak = |event: &EventId| {
            let record = &self.skeleton.events[*event];
            record.kind == Kind::Access && !record.is_ghost && self.places[*event].is_some()
        };
        let Some(event) = events.into_iter().find(is_weak).filter(|_| self.model.has_views()) else {
            return (None, None);
        };
        let written =
            |event: EventId| progress.moved.get(&event).map_or(Written::Initially, |&index| Written::By(index));
        let reads = self.skeleton.events[event].read.map(|_| self.source[event].map_or(Written::Initially, written));
        let mut before: Option<EventId> = None;
        for &other in progress.moved.keys() {
            let is_write = self.skeleton.events[other].write.is_some() && !self.skeleton.events[other].is_ghost;
            let is_earlier = self.rank[other] < self.rank[event];
            let is_best = before.is_none_or(|best| self.rank[best] < self.rank[other]);
            if is_write && is_earlier && is_best && self.is_same_place(other, event) && self.does_write(other) {
                before = Some(other);
            }
        }
        (reads, Some(before.map_or(Written::Initially, written)))
    }

    fn does_write(&mut self, event: EventId) -> bool {
        let record = &self.skeleton.events[event];
        let (occurs, writes) = (record.occurs, record.write.map(|(condition, _)| condition));
        self.evaluation.is_true(occurs) && writes.is_some_and(|writes| self.evaluation.is_true(writes))
    }

    fn move_of(&mut self, thread: ThreadId, place: usize, progress: &Progress) -> Move {
        let (reads, follows) = self.choices(thread, place, progress);
        let step = self.step(thread, place).clone();
        let mut bits = |term| self.evaluation.bits(term).to_u128().unwrap_or(0);
        let locals = step.locals.iter().map(|&(local, value)| (local, bits(value.bits))).collect();
        let found = step.found.map(|value| bits(value.bits));
        Move {
            thread: thread.index() as u32,
            act: Act::Step,
            at: step.at,
            makes: step.makes.map(|made| made.index() as u32),
            locals,
            found,
            fails: step.fails.is_some_and(|fails| self.evaluation.is_true(fails)),
            wakes: step.wakes.is_some_and(|wakes| self.evaluation.is_true(wakes)),
            reads,
            follows,
        }
    }
}
