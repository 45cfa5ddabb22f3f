//! Accesses to memory that several threads reach.

use super::facts::{Fact, Facts, Place};
use super::joins::Joins;
use super::objects::Name;
use super::parts::{Part, Parts};
use super::roles::Mode;
use super::store::Piece;
use super::symbols::{Root, Symbols};
use super::value::{ObjectNumber, Value};
use super::values::Values;
use crate::domains::{Bits, Number};
use base::{Budget, Stop};
use ir::analysis::{ContextId, Memory, Parallel, PointsTo, Target, TemplateId, ThreadSet, Threads};
use ir::{EdgeId, Expr, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// The templates that make an access, each with the threads that may run in parallel.
pub(super) type Beside = Vec<(TemplateId, ThreadSet)>;

/// A class of accesses that this analysis does not distinguish.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Access {
    /// The position of the access; the first of several.
    pub(super) at: (ContextId, EdgeId),
    /// The other positions.
    pub(super) also: Vec<(ContextId, EdgeId)>,
    /// The accessed piece of the object.
    pub(super) piece: Piece,
    pub(super) writes: bool,
    /// Whether it is atomic, or in an atomic region.
    pub(super) is_atomic: bool,
    /// Locks certainly held exclusively.
    pub(super) locks: Bits,
    /// Locks certainly held for reading.
    pub(super) read_locks: Bits,
    /// Locks in the accessed structure.
    pub(super) guards: Vec<Guard>,
    /// How the address depends on the thread's argument, if it does.
    pub(super) part: Option<Part>,
    pub(super) beside: Beside,
}

/// A lock identified by the source of its pointer, relative to an access whose pointer has the same source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Guard {
    /// The offsets in the object to which the source can lead.
    root: Number,
    /// The distance of the lock from there.
    distance: i64,
    /// Whether it is held in shared mode.
    is_shared: bool,
    /// Bounds of the access relative to there: minimum start, maximum end.
    low: i128,
    high: i128,
}

impl Guard {
    /// Whether both are the same lock, held exclusively by one of them, whenever the accesses have a byte in common:
    /// sources are a multiple of some number of bytes apart, and everything accessed from one of them lies closer
    /// together than that.
    pub(super) fn excludes(&self, other: &Guard) -> bool {
        let step = gcd(gcd(self.root.stride(), other.root.stride()), self.root.low() - other.root.low());
        let span = self.high.max(other.high) - self.low.min(other.low);
        let excludes = !(self.is_shared && other.is_shared);
        excludes && self.distance == other.distance && (step == 0 || span <= step)
    }

    /// The distance of the lock from the source.
    pub(super) fn distance(&self) -> i64 {
        self.distance
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The accesses to one object.
#[derive(Default)]
pub(super) struct Accessed {
    pub(super) accesses: Vec<Access>,
}

/// An obstacle to a proof.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Obstacle {
    pub(super) at: (ContextId, EdgeId),
    pub(super) detail: String,
}

/// Collects accesses.
pub(super) struct Collector<'v, 'a> {
    pub(super) values: &'v mut Values<'a>,
    pub(super) facts: &'v Facts<'a>,
    pub(super) symbols: &'v Symbols<'a>,
    pub(super) threads: &'v Threads,
    pub(super) parallel: &'v Parallel,
    pub(super) points_to: &'a PointsTo,
    pub(super) parts: &'v Parts<'a>,
    pub(super) joins: &'v Joins<'a>,
    /// Locks whose cells are written by non-lock operations while threads run.
    pub(super) unreliable_locks: &'v BTreeSet<usize>,
    /// Locks that may be held without this being known.
    pub(super) tried: &'v BTreeSet<usize>,
}

/// Addresses below this belong to no object.
pub(super) const FIRST_PAGE: i128 = 4096;

impl<'a> Collector<'_, 'a> {
    /// Collects all accesses to shared memory, by object, and reports what could not be tracked.
    pub(super) fn collect(
        &mut self,
        budget: &Budget,
    ) -> Result<(BTreeMap<ObjectNumber, Accessed>, Vec<Obstacle>), Stop> {
        let mut found: BTreeMap<ObjectNumber, Accessed> = BTreeMap::new();
        let mut obstacles = Vec::new();
        for context in self.points_to.contexts().ids() {
            budget.check()?;
            let function = self.points_to.contexts().function(context);
            let program = self.values.program;
            for (edge, item) in program.functions[function].edges.enumerate() {
                let touches = item.stmt.touches();
                if touches.is_empty() || !self.values.is_reached(context, edge) {
                    continue;
                }
                for touch in touches {
                    let Some(targets) = self.targets(context, edge, touch.ptr) else {
                        let detail = "a pointer may lead anywhere".to_owned();
                        obstacles.push(Obstacle { at: (context, edge), detail });
                        continue;
                    };
                    let bytes = self.bytes(context, edge, &item.stmt, touch.ty);
                    let in_region = self.facts.held(context, edge).certain.contains(0);
                    for (object, offset) in targets {
                        let info = self.values.objects.get(object);
                        if !info.is_memory() || info.name.is_ghost() || info.is_private || info.is_constant {
                            continue;
                        }
                        let piece = Piece { offset, bytes };
                        let access = self.access(
                            (context, edge),
                            object,
                            touch.ptr,
                            piece,
                            touch.writes,
                            touch.order.is_atomic() || in_region,
                        );
                        found.entry(object).or_default().add(access);
                    }
                }
            }
        }
        Ok((found, obstacles))
    }

    /// The locks identified by the source of the pointer.
    fn guards(
        &mut self,
        at: (ContextId, EdgeId),
        object: ObjectNumber,
        ptr: &Expr,
        bytes: u64,
        held: &[(Root, i64, Mode)],
    ) -> Vec<Guard> {
        if held.is_empty() {
            return Vec::new();
        }
        let Some((source, low, high)) = self.symbols.range(self.values, at.0, at.1, ptr, 0) else { return Vec::new() };
        let value = self.symbols.root_value(self.values, source, at).unwrap_or_default();
        let roots = value.refs.iter().find(|(other, _)| *other == object && !value.any);
        let Some((_, root)) = roots else { return Vec::new() };
        let high = high + i128::from(bytes);
        let own = held.iter().filter(|(other, ..)| *other == source);
        let guard = |&(_, distance, mode): &(Root, i64, Mode)| Guard {
            root: *root,
            distance,
            is_shared: mode == Mode::Reading,
            low,
            high,
        };
        own.map(guard).collect()
    }

    fn access(
        &mut self,
        at: (ContextId, EdgeId),
        object: ObjectNumber,
        ptr: &Expr,
        piece: Piece,
        writes: bool,
        is_atomic: bool,
    ) -> Access {
        let held = self.facts.held(at.0, at.1).certain;
        let (mut locks, mut read_locks) = (Bits::empty(), Bits::empty());
        let mut beside = Vec::new();
        for index in held.iter().filter(|index| !self.unreliable_locks.contains(index)) {
            match &self.facts.list[index] {
                Fact::Lock(Place::Cell(..), Mode::Reading) => read_locks.insert(self.facts.lock_number(index)),
                Fact::Lock(Place::Cell(..), _) => locks.insert(self.facts.lock_number(index)),
                Fact::Lock(Place::Beside { root, distance, .. }, mode) => beside.push((*root, *distance, *mode)),
                Fact::Region | Fact::Gone(_) => {}
            }
        }
        let guards = self.guards(at, object, ptr, piece.bytes, &beside);
        let running = self.threads.running(at.0);
        let beside = running.iter().map(|template| (template, self.beside(template, at))).collect();
        let part = self.parts.part(self.values, at, ptr);
        Access { at, also: Vec::new(), piece, writes, is_atomic, locks, read_locks, guards, part, beside }
    }

    /// The threads that may run in parallel with a thread that is about to take an edge.
    pub(super) fn beside(&self, template: TemplateId, at: (ContextId, EdgeId)) -> ThreadSet {
        let beside = self.parallel.with(template, at.0, at.1);
        self.joins.without_joined(self.values, template, at, beside)
    }

    /// The objects that a pointer may lead to, with offsets; `None` if it may lead anywhere.
    pub(super) fn targets(
        &mut self,
        context: ContextId,
        edge: EdgeId,
        ptr: &Expr,
    ) -> Option<Vec<(ObjectNumber, Number)>> {
        let value = self.values.at_edge(context, edge, ptr)?;
        if !value.any && !self.may_be_address(context, ptr, &value) {
            return Some(value.refs.to_vec());
        }
        let anywhere = Number::between(64, 0, i128::from(i64::MAX))?;
        let mut found = Vec::new();
        for target in self.points_to.targets(context, ptr) {
            match target {
                Target::Object { memory, context: made_in, ghost } => {
                    let name = match (memory, made_in) {
                        (Memory::Static(object), _) => Name::Static(object, ghost),
                        (Memory::Site(_, edge), Some(made_in)) => Name::Site(made_in, edge, ghost),
                        (Memory::Site(..), None) => return None,
                    };
                    found.push((self.values.objects.number(name), anywhere));
                }
                Target::Function(_) | Target::Thread(..) | Target::AnyThread => {}
                Target::Unknown | Target::Everything => return None,
            }
        }
        Some(found)
    }

    /// Whether a number that a pointer may be can be an object's address: if it was computed or is arbitrary.
    fn may_be_address(&self, context: ContextId, ptr: &Expr, value: &Value) -> bool {
        let is_small = value.number.is_none_or(|number| number.low() >= 0 && number.high() < FIRST_PAGE);
        let is_guess = |target: &Target| matches!(target, Target::Unknown | Target::Everything);
        !is_small && self.points_to.targets(context, ptr).iter().any(is_guess)
    }

    /// The maximum number of bytes accessed.
    fn bytes(&mut self, context: ContextId, edge: EdgeId, stmt: &Stmt, ty: Option<ir::Type>) -> u64 {
        let program = self.values.program;
        if let Some(ty) = ty {
            return ty.bytes(program.data_model.pointer_bytes());
        }
        let most = u64::MAX / 4;
        match stmt {
            Stmt::Copy { len, .. } | Stmt::Set { len, .. } => {
                let width = program.data_model.pointer_width();
                let len = self.values.at_edge(context, edge, len).and_then(|len| len.as_number(width));
                match len {
                    Some(len) if len.low() >= 0 => u64::try_from(len.high()).unwrap_or(most),
                    Some(_) | None => most,
                }
            }
            _ => most,
        }
    }
}

impl Accessed {
    /// Adds an access unless it belongs to an existing class.
    fn add(&mut self, access: Access) {
        let same = |other: &Access| {
            other.piece == access.piece
                && other.writes == access.writes
                && other.is_atomic == access.is_atomic
                && other.locks == access.locks
                && other.read_locks == access.read_locks
                && other.guards == access.guards
                && other.beside == access.beside
                && other.part == access.part
        };
        match self.accesses.iter().position(same) {
            Some(index) => self.accesses[index].also.push(access.at),
            None => self.accesses.push(access),
        }
    }
}
