//! Data races: guesses one access to watch and tracks which threads happen after it.
//!
//! A run has a race if one of its accesses races with a later one. So a step may choose its access as the watched one,
//! once per run; the tree has both alternatives. From then on a location records which threads *know* of the access:
//! its own thread, threads that are started or joined by those that know, and any thread that acquires a release by one
//! that knew. This is the happens-before of `docs/semantics.md`, with one bit in place of each clock. A thread that
//! does not know and makes an access that conflicts with the watched one races with it. Once every thread knows, no
//! race remains to be found and the run ends; everything else that it could reach is reached without watching.
//!
//! The encoding does not mention adjacent steps, so the reduction is that of the other properties: racing steps touch
//! the same cell, and so are never exchanged.

use super::location::{Base, Location, Slot, Status};
use super::machine::{Machine, Run};
use super::memory::Target;
use super::vocabulary::{ObjId, ObjKey, VarKey};
use crate::symbolic::{Done, Evaluator, Halt};
use ir::analysis::points_to::Memory;
use ir::analysis::PointsTo;
use ir::{Order, Program, Property, Stmt};
use rustc_hash::FxHashMap;
use smt::{Sort, Term};
use std::collections::BTreeSet;

/// A watched access, and the threads that know of it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Watch {
    pub(super) object: ObjId,
    pub(super) offset: Slot,
    bytes: u64,
    is_write: bool,
    /// Whether it is atomic, or in an atomic region: two such accesses do not race.
    is_atomic: bool,
    /// The threads that know.
    knowing: BTreeSet<u32>,
    /// The threads that will know after an acquire fence.
    pending: BTreeSet<u32>,
    /// The threads that knew at their last release fence.
    fenced: BTreeSet<u32>,
    /// The places whose last write passes the knowledge on.
    places: BTreeSet<Place>,
    /// The object is dead, so no thread can access it any more.
    is_over: bool,
}

impl Watch {
    /// A description of the access for people.
    pub(super) fn kind(&self) -> &'static str {
        match (self.is_atomic, self.is_write) {
            (false, false) => "a read",
            (false, true) => "a write",
            (true, false) => "an atomic read",
            (true, true) => "an atomic write",
        }
    }

    /// Drops dead objects.
    pub(super) fn forget(&mut self, is_gone: impl Fn(ObjId) -> bool) {
        self.places.retain(|place| !is_gone(place.object));
        self.is_over |= is_gone(self.object);
    }

    /// A range is overwritten by a write that passes nothing on.
    pub(super) fn overwrite(&mut self, object: ObjId, offset: u64, len: u64) {
        self.cut(Place { object, is_ghost: false, offset, end: offset.saturating_add(len) });
    }

    /// Nothing is passed on at a place any more; adjacent bytes keep what they had.
    fn cut(&mut self, place: Place) {
        let old: Vec<Place> = self.places.iter().filter(|other| other.overlaps(&place)).copied().collect();
        for other in old {
            self.places.remove(&other);
            let parts = [Place { end: place.offset, ..other }, Place { offset: place.end, ..other }];
            self.places.extend(parts.into_iter().filter(|part| part.offset < part.end));
        }
    }

    fn is_passed_on(&self, place: &Place) -> bool {
        self.places.iter().any(|other| other.overlaps(place))
    }
}

/// A range that passes knowledge on: bytes of an object or of its ghost, up to and without `end`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Place {
    object: ObjId,
    is_ghost: bool,
    offset: u64,
    end: u64,
}

impl Place {
    fn overlaps(&self, other: &Place) -> bool {
        (self.object, self.is_ghost) == (other.object, other.is_ghost)
            && self.offset < other.end
            && other.offset < self.end
    }
}

/// The kinds of accesses to some memory: plain or atomic; reads or writes.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Kinds([[bool; 2]; 2]);

impl Kinds {
    fn add(&mut self, is_atomic: bool, is_write: bool) {
        self.0[usize::from(is_atomic)][usize::from(is_write)] = true;
    }

    fn has_conflict(self, is_atomic: bool, is_write: bool) -> bool {
        let others = [(false, false), (false, true), (true, false), (true, true)];
        others.into_iter().any(|(other_atomic, other_write)| {
            self.0[usize::from(other_atomic)][usize::from(other_write)]
                && (is_write || other_write)
                && !(is_atomic && other_atomic)
        })
    }
}

/// The kinds of accesses to memory in the whole program.
#[derive(Default, Debug)]
pub(super) struct Uses {
    kinds: FxHashMap<Memory, Kinds>,
    anywhere: Kinds,
}

impl Uses {
    /// Collects the accesses of a program.
    pub(super) fn new(program: &Program, points_to: &PointsTo) -> Uses {
        let mut uses = Uses::default();
        for (id, function) in program.functions.enumerate() {
            for edge in function.edges.iter() {
                for (ptr, is_atomic, is_write) in touched(&edge.stmt) {
                    let pointees = points_to.pointees(id, ptr);
                    if pointees.is_unknown {
                        uses.anywhere.add(is_atomic, is_write);
                    }
                    for (memory, _) in pointees.objects {
                        uses.kinds.entry(memory).or_default().add(is_atomic, is_write);
                    }
                }
            }
        }
        uses
    }

    fn has_conflict(&self, memory: Memory, is_atomic: bool, is_write: bool) -> bool {
        self.anywhere.has_conflict(is_atomic, is_write)
            || self.kinds.get(&memory).is_some_and(|kinds| kinds.has_conflict(is_atomic, is_write))
    }
}

/// The pointers through which a statement accesses memory that may race, whether atomically and whether it writes.
fn touched(stmt: &Stmt) -> Vec<(&ir::Expr, bool, bool)> {
    if matches!(stmt, Stmt::Lock { .. } | Stmt::Unlock { .. } | Stmt::Await { .. }) {
        return vec![];
    }
    stmt.touches().into_iter().map(|touch| (touch.ptr, touch.order.is_atomic(), touch.writes)).collect()
}

/// The number of watchable accesses of a statement.
pub(super) fn watchable(stmt: &Stmt) -> u32 {
    touched(stmt).len() as u32
}

impl Location {
    /// Whether no thread can race with the watched access any more.
    pub(super) fn is_watch_over(&self) -> bool {
        let is_known = |watch: &Watch| self.running().all(|thread| watch.knowing.contains(&thread));
        self.watch.as_ref().is_some_and(|watch| watch.is_over || is_known(watch))
    }
}

impl Machine<'_> {
    /// Whether more than one thread may ever access an object.
    pub(super) fn is_ever_shared(&self, object: ObjId) -> bool {
        match self.vocabulary.key(object) {
            ObjKey::Static(id) | ObjKey::Copy(_, id) => self.escape.is_shared_object(id),
            ObjKey::Made(at, ..) => self.escape.is_shared_site(at.0, at.1),
        }
    }

    fn may_race(&self, object: ObjId, is_atomic: bool, is_write: bool) -> bool {
        let memory = match self.vocabulary.key(object) {
            ObjKey::Static(id) | ObjKey::Copy(_, id) => Memory::Static(id),
            ObjKey::Made(at, ..) => Memory::Site(at.0, at.1),
        };
        self.uses.has_conflict(memory, is_atomic, is_write)
    }

    fn watched_offset(&mut self, run: &Run, offset: Slot) -> Term {
        match offset {
            Slot::Known(_, bits) => bits,
            Slot::Var(_) | Slot::Dead => {
                let variable = self.watch_variable();
                run.now(variable)
            }
        }
    }

    /// The state variable of the watched offset.
    pub(super) fn watch_variable(&mut self) -> Term {
        let sort = Sort::Bits(self.pointer_width());
        self.vocabulary.variable(&mut self.terms, self.program, VarKey::Watched, sort)
    }

    /// An access: it may race with the watched one, or become it.
    pub(super) fn race(&mut self, run: &mut Run, target: &Target, is_write: bool, order: Order) -> Done {
        if self.property != Property::Race || target.is_ghost {
            return Ok(());
        }
        let number = run.watchable;
        run.watchable += 1;
        let is_race_free = self.race_free.contains(&run.part.at);
        if is_race_free || !self.is_ever_shared(target.object) || self.is_constant(target.object) {
            return Ok(());
        }
        let is_atomic = order.is_atomic() || run.place.threads[&run.thread].regions > 0;
        if let Some(watch) = run.place.watch.clone() {
            let conflicts = (is_write || watch.is_write) && !(is_atomic && watch.is_atomic);
            if conflicts && watch.object == target.object && !watch.knowing.contains(&run.thread) {
                let offset = self.watched_offset(run, watch.offset);
                let overlap = super::reduce::overlap(self, (offset, watch.bytes), (target.offset, target.bytes));
                self.forbid(run, overlap, Property::Race, "two accesses race");
            }
        } else if run.choice == Some(Some(number)) {
            if !run.place.is_parallel() || !self.may_race(target.object, is_atomic, is_write) {
                return Err(Halt::Never);
            }
            let offset = match self.terms.as_bits(target.offset) {
                Some(_) => Slot::Known(Base::Number, target.offset),
                None => {
                    let variable = self.watch_variable();
                    run.changed.insert(variable, target.offset);
                    Slot::Var(Base::Number)
                }
            };
            run.part.watches = Some(number);
            let knowing = BTreeSet::from([run.thread]);
            run.place.watch = Some(Box::new(Watch {
                object: target.object,
                offset,
                bytes: target.bytes,
                is_write,
                is_atomic,
                knowing,
                pending: BTreeSet::new(),
                fenced: BTreeSet::new(),
                places: BTreeSet::new(),
                is_over: false,
            }));
        }
        Ok(())
    }

    /// The range in which an access passes on or takes over knowledge, if there may be any.
    fn passing_place(&mut self, run: &mut Run, target: &Target, passes: bool) -> Done<Option<Place>> {
        let Some(watch) = &run.place.watch else { return Ok(None) };
        let is_here =
            watch.places.iter().any(|place| (place.object, place.is_ghost) == (target.object, target.is_ghost));
        if !is_here && !passes {
            return Ok(None);
        }
        let offset = self.constant_offset(run, target)?;
        let end = offset.saturating_add(target.bytes);
        Ok(Some(Place { object: target.object, is_ghost: target.is_ghost, offset, end }))
    }

    /// A read takes over what the last write passed on.
    pub(super) fn acquire(&mut self, run: &mut Run, target: &Target, order: Order) -> Done {
        let Some(place) = self.passing_place(run, target, false)? else { return Ok(()) };
        let thread = run.thread;
        let Some(watch) = &mut run.place.watch else { return Ok(()) };
        if !watch.is_passed_on(&place) {
            return Ok(());
        }
        if order.acquires() {
            watch.knowing.insert(thread);
        } else if order.is_atomic() {
            watch.pending.insert(thread);
        }
        Ok(())
    }

    /// Whether a write passes on that its thread knows.
    pub(super) fn passes(&self, run: &Run, order: Order) -> bool {
        let Some(watch) = &run.place.watch else { return false };
        if order.releases() {
            watch.knowing.contains(&run.thread)
        } else {
            order.is_atomic() && watch.fenced.contains(&run.thread)
        }
    }

    /// The effect of a write on what is passed on; a read-modify-write also keeps what the previous write passed on.
    pub(super) fn pass_on(&mut self, run: &mut Run, target: &Target, passes: bool, is_update: bool) -> Done {
        let Some(place) = self.passing_place(run, target, passes)? else { return Ok(()) };
        let Some(watch) = &mut run.place.watch else { return Ok(()) };
        let passes = passes || is_update && watch.is_passed_on(&place);
        watch.cut(place);
        if passes {
            watch.places.insert(place);
        }
        Ok(())
    }

    pub(super) fn acquire_and_release(&mut self, run: &mut Run, target: &Target, order: Order) -> Done {
        self.acquire(run, target, order)?;
        let passes = self.passes(run, order);
        self.pass_on(run, target, passes, true)
    }
}

impl Run {
    pub(super) fn fence(&mut self, order: Order) {
        let thread = self.thread;
        let Some(watch) = &mut self.place.watch else { return };
        if order.acquires() && watch.pending.remove(&thread) {
            watch.knowing.insert(thread);
        }
        if order.releases() && watch.knowing.contains(&thread) {
            watch.fenced.insert(thread);
        }
    }

    /// A thread starts another one.
    pub(super) fn started(&mut self, child: u32) {
        let parent = self.thread;
        self.retired(child);
        let Some(watch) = &mut self.place.watch else { return };
        if watch.knowing.contains(&parent) {
            watch.knowing.insert(child);
        }
    }

    /// A thread has joined another one, whose number is free now.
    pub(super) fn joined(&mut self, ended: u32) {
        let thread = self.thread;
        if let Some(watch) = &mut self.place.watch {
            if watch.knowing.contains(&ended) {
                watch.knowing.insert(thread);
            }
        }
        self.retired(ended);
    }

    /// A thread's number is free.
    pub(super) fn retired(&mut self, number: u32) {
        if let Some(watch) = &mut self.place.watch {
            for set in [&mut watch.knowing, &mut watch.pending, &mut watch.fenced] {
                set.remove(&number);
            }
        }
    }

    /// An object is dead: no thread can access it any more.
    pub(super) fn is_gone(&mut self, object: ObjId) {
        if let Some(watch) = &mut self.place.watch {
            watch.forget(|other| other == object);
        }
    }

    /// A thread has ended: drops data that only running threads need.
    pub(super) fn ended(&mut self, number: u32) {
        let is_kept = self.place.threads.get(&number).is_some_and(|thread| matches!(thread.status, Status::Ended(_)));
        if let Some(watch) = &mut self.place.watch {
            watch.pending.remove(&number);
            watch.fenced.remove(&number);
        }
        if !is_kept {
            self.retired(number);
        }
    }
}
