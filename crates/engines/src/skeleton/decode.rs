//! From a model back to a run: which steps each thread takes, in one order, up to the violation.
//!
//! Only what the violation depends on is put in the run: its thread up to the violation, and whatever comes before that in
//! the order of the model. Threads run on as long as they can.

use super::compose::{Composition, Race};
use super::events::{EventId, Skeleton, Step, ThreadId};
use base::{Id, IdVec};
use ir::{Move, Program, Stmt};
use smt::term::value::Evaluation;
use smt::{Term, Terms};

struct Decoder<'a, 'm> {
    program: &'a Program,
    skeleton: &'a Skeleton,
    evaluation: Evaluation<'m>,
    /// Per thread the steps that are taken.
    steps: IdVec<ThreadId, Vec<usize>>,
    /// Per event its thread and place among the steps taken, if it occurs.
    places: IdVec<EventId, Option<(ThreadId, usize)>>,
    before: IdVec<EventId, Vec<EventId>>,
    started_by: IdVec<ThreadId, Option<(ThreadId, usize)>>,
    /// Per thread and step taken: the first step of the atomic region it is in, and the end of the region.
    regions: IdVec<ThreadId, Vec<Option<(usize, usize)>>>,
    /// Per thread how many steps are needed.
    needed: IdVec<ThreadId, usize>,
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
        // Nobody can move any more: all that happens has happened.
        return decoder.all();
    }
    let (thread, place, is_before) = match &composition.race {
        Some(race) => decoder.find_race(race)?,
        None => decoder.find_violation()?,
    };
    // Nothing comes after the violation, not even the rest of its region.
    decoder.steps[thread].truncate(place + 1);
    decoder.need(thread, place + 1);
    decoder.schedule(is_before.then_some((thread, place)))
}

/// The run that a model describes, with all that happens in it.
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
        decoder.need(thread, count);
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
            before: IdVec::filled(Vec::new(), skeleton.events.len()),
            started_by: IdVec::filled(None, skeleton.threads.len()),
            regions: IdVec::filled(Vec::new(), skeleton.threads.len()),
            needed: IdVec::filled(0, skeleton.threads.len()),
        };
        decoder.find_steps();
        decoder.find_order(composition);
        decoder
    }

    fn all(&mut self) -> Result<Vec<Move>, String> {
        for thread in self.skeleton.threads.ids() {
            self.need(thread, self.steps[thread].len());
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
                    }
                }
                if let Some(child) = step.starts {
                    self.started_by[child] = Some((thread, place));
                }
                match &self.program.functions[step.at.0].edges[step.at.1].stmt {
                    Stmt::AtomicBegin => {
                        depth += 1;
                        begun = begun.or(Some(place));
                    }
                    Stmt::AtomicEnd => depth = depth.saturating_sub(1),
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

    /// The step of the second access of a race, which waits for the first.
    fn find_race(&mut self, race: &Race) -> Result<(ThreadId, usize, bool), String> {
        let mut chosen = |accesses: &[(Term, EventId)]| {
            accesses.iter().find(|(choice, _)| self.evaluation.is_true(*choice)).map(|(_, event)| *event)
        };
        let (Some(first), Some(second)) = (chosen(&race.first), chosen(&race.second)) else {
            return Err("the model has no race".to_owned());
        };
        self.before[second].push(first);
        let (thread, place) = self.places[second].ok_or("the second access of a race is not taken")?;
        Ok((thread, place, false))
    }

    fn find_order(&mut self, composition: &Composition) {
        let mut later: IdVec<EventId, Vec<EventId>> = IdVec::filled(Vec::new(), self.skeleton.events.len());
        for &(choice, first, second) in &composition.write_order {
            if self.evaluation.is_true(choice) {
                later[first].push(second);
                self.before[second].push(first);
            }
        }
        for &(choice, write, read) in &composition.reads_from {
            if self.evaluation.is_true(choice) {
                self.before[read].push(write);
                for &other in later[write].iter().filter(|&&other| other != read) {
                    self.before[other].push(read);
                }
            }
        }
        if let Some(contexts) = &composition.contexts {
            self.follow_contexts(contexts);
        }
        for (when, from, to) in &composition.edges {
            if when.iter().all(|&term| self.evaluation.is_true(term)) {
                self.before[*to].push(*from);
            }
        }
    }

    /// Where contexts are bounded, one is over when the next begins.
    fn follow_contexts(&mut self, contexts: &IdVec<EventId, Term>) {
        let mut all: Vec<(u64, EventId)> = Vec::new();
        for id in contexts.ids().filter(|&id| self.places[id].is_some()) {
            all.push((self.evaluation.bits(contexts[id]).to_u64().unwrap_or(0), id));
        }
        for &(context, id) in &all {
            let earlier = all.iter().filter(|(other, _)| *other < context).map(|(_, other)| *other);
            self.before[id].extend(earlier);
        }
    }

    fn step(&self, thread: ThreadId, place: usize) -> &Step {
        &self.skeleton.threads[thread].steps[self.steps[thread][place]]
    }

    /// What must be done before a step, in other threads: how many steps of which.
    fn conditions(&mut self, thread: ThreadId, place: usize) -> Vec<(ThreadId, usize)> {
        let step = self.step(thread, place).clone();
        let mut conditions = Vec::new();
        if place == 0 {
            conditions.extend(self.started_by[thread].map(|(parent, place)| (parent, place + 1)));
        }
        for event in step.events {
            for &other in &self.before[event] {
                if let Some((other, place)) = self.places[other].filter(|(other, _)| *other != thread) {
                    conditions.push((other, place + 1));
                }
            }
        }
        if let Some(join) = step.join {
            for &(child, is_it) in &self.skeleton.joins[join].threads {
                if self.evaluation.is_true(is_it) {
                    conditions.push((child, self.steps[child].len()));
                }
            }
        }
        conditions
    }

    /// So many steps of a thread are needed, and what they need.
    fn need(&mut self, thread: ThreadId, count: usize) {
        let mut work = vec![(thread, count)];
        while let Some((thread, count)) = work.pop() {
            // A region that is entered is left.
            let count = match count.checked_sub(1).and_then(|last| self.regions[thread].get(last).copied().flatten()) {
                Some((_, end)) => (end + 1).min(self.steps[thread].len()),
                None => count.min(self.steps[thread].len()),
            };
            while self.needed[thread] < count {
                let place = self.needed[thread];
                self.needed[thread] += 1;
                work.extend(self.conditions(thread, place));
            }
        }
    }

    /// The needed steps in an order, up to the one that the run ends before, if there is one.
    fn schedule(&mut self, end: Option<(ThreadId, usize)>) -> Result<Vec<Move>, String> {
        let mut moves = Vec::new();
        let mut done: IdVec<ThreadId, usize> = IdVec::filled(0, self.skeleton.threads.len());
        let mut current = ThreadId::new(0);
        loop {
            let mut next = None;
            let all: Vec<ThreadId> = std::iter::once(current).chain(done.ids()).collect();
            for thread in all {
                if done[thread] < self.needed[thread] && self.is_ready(thread, &done) {
                    next = Some(thread);
                    break;
                }
            }
            let Some(thread) = next else { break };
            current = thread;
            if end == Some((thread, done[thread])) {
                return Ok(moves);
            }
            moves.push(self.move_of(thread, done[thread]));
            done[thread] += 1;
        }
        match done.ids().all(|thread| done[thread] == self.needed[thread]) {
            true => Ok(moves),
            false => Err("the steps of the model cannot be put in an order".to_owned()),
        }
    }

    fn is_ready(&mut self, thread: ThreadId, done: &IdVec<ThreadId, usize>) -> bool {
        let place = done[thread];
        // A region is begun only when all of it is possible.
        let last = match self.regions[thread][place] {
            Some((_, end)) => end.min(self.needed[thread] - 1),
            None => place,
        };
        (place..=last).all(|place| {
            self.conditions(thread, place).into_iter().all(|(other, count)| other == thread || done[other] >= count)
        })
    }

    fn move_of(&mut self, thread: ThreadId, place: usize) -> Move {
        let step = self.step(thread, place).clone();
        let mut bits = |term| self.evaluation.bits(term).to_u128().unwrap_or(0);
        let locals = step.locals.iter().map(|&(local, value)| (local, bits(value.bits))).collect();
        let found = step.found.map(|value| bits(value.bits));
        Move {
            thread: thread.index() as u32,
            at: step.at,
            makes: step.makes.map(|made| made.index() as u32),
            locals,
            found,
            fails: step.fails.is_some_and(|fails| self.evaluation.is_true(fails)),
            wakes: step.wakes.is_some_and(|wakes| self.evaluation.is_true(wakes)),
        }
    }
}
