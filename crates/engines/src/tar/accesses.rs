//! Accesses to memory that several threads reach.

use super::facts::{Fact, Facts};
use super::objects::Name;
use super::parts::{Part, Parts};
use super::store::Piece;
use super::symbols::Symbols;
use super::value::{ObjectNumber, Value};
use super::values::Values;
use crate::domains::{Bits, Number};
use base::{Budget, Stop};
use ir::analysis::{ContextId, Memory, Parallel, PointsTo, Target, TemplateId, ThreadSet, Threads};
use ir::{EdgeId, Expr, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// Who makes an access, and who may run beside it.
pub(super) type Beside = Vec<(TemplateId, ThreadSet)>;

/// Accesses that nothing here tells apart.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Access {
    /// Where it is made; the first of several places.
    pub(super) at: (ContextId, EdgeId),
    /// What is accessed of the object.
    pub(super) piece: Piece,
    pub(super) writes: bool,
    /// Whether it is atomic, or in an atomic region.
    pub(super) is_atomic: bool,
    /// The facts that certainly hold: locks.
    pub(super) locks: Bits,
    /// Locks beside what is accessed, as distances from it.
    pub(super) beside_it: Vec<i64>,
    /// How the place depends on what the thread was given, if it does.
    pub(super) part: Option<Part>,
    pub(super) beside: Beside,
}

/// The accesses to one object.
#[derive(Default)]
pub(super) struct Accessed {
    pub(super) accesses: Vec<Access>,
}

/// What is in the way of a proof.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Obstacle {
    pub(super) at: (ContextId, EdgeId),
    pub(super) detail: String,
}

/// Finds accesses.
pub(super) struct Collector<'v, 'a> {
    pub(super) values: &'v mut Values<'a>,
    pub(super) facts: &'v Facts<'a>,
    pub(super) symbols: &'v Symbols<'a>,
    pub(super) threads: &'v Threads,
    pub(super) parallel: &'v Parallel,
    pub(super) points_to: &'a PointsTo,
    pub(super) parts: &'v Parts<'a>,
    /// Locks whose cells are written by something else while threads run.
    pub(super) spoiled: &'v BTreeSet<usize>,
}

/// Addresses below this lead to no object.
pub(super) const FIRST_PAGE: i128 = 4096;

impl<'a> Collector<'_, 'a> {
    /// All accesses to memory that is shared, by object, and what could not be followed.
    pub(super) fn collect(&mut self, budget: &Budget) -> Result<(BTreeMap<ObjectNumber, Accessed>, Vec<Obstacle>), Stop> {
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
                        let access = self.access((context, edge), touch.ptr, piece, touch.writes, touch.order.is_atomic() || in_region);
                        found.entry(object).or_default().add(access);
                    }
                }
            }
        }
        Ok((found, obstacles))
    }

    fn access(&self, at: (ContextId, EdgeId), ptr: &Expr, piece: Piece, writes: bool, is_atomic: bool) -> Access {
        let held = self.facts.held(at.0, at.1).certain;
        let source = self.symbols.source(at.0, at.1, ptr);
        let mut beside_it = Vec::new();
        let mut locks = Bits::empty();
        for index in held.iter().filter(|index| !self.spoiled.contains(index)) {
            match &self.facts.list[index] {
                Fact::Cell(..) => locks.insert(index),
                Fact::Beside { root, distance, .. } => match source {
                    Some((other, own)) if other == *root => beside_it.push(distance - own),
                    _ => {}
                },
                Fact::Region | Fact::Gone(_) => {}
            }
        }
        beside_it.sort_unstable();
        beside_it.dedup();
        let running = self.threads.running(at.0);
        let beside = running.iter().map(|template| (template, self.parallel.with(template, at.0, at.1))).collect();
        let part = self.parts.part(at, ptr);
        Access { at, piece, writes, is_atomic, locks, beside_it, part, beside }
    }

    /// The objects that a pointer may lead to, with offsets; `None` if it may lead anywhere.
    pub(super) fn targets(&mut self, context: ContextId, edge: EdgeId, ptr: &Expr) -> Option<Vec<(ObjectNumber, Number)>> {
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

    /// Whether a number that a pointer may be can be the address of something: if it was computed or arbitrary.
    fn may_be_address(&self, context: ContextId, ptr: &Expr, value: &Value) -> bool {
        let is_small = value.number.is_none_or(|number| number.low() >= 0 && number.high() < FIRST_PAGE);
        let is_guess = |target: &Target| matches!(target, Target::Unknown | Target::Everything);
        !is_small && self.points_to.targets(context, ptr).iter().any(is_guess)
    }

    /// How many bytes are accessed at most.
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
    /// Adds an access, unless one is there already that nothing tells apart from it.
    fn add(&mut self, access: Access) {
        let same = |other: &Access| {
            other.piece == access.piece
                && other.writes == access.writes
                && other.is_atomic == access.is_atomic
                && other.locks == access.locks
                && other.beside_it == access.beside_it
                && other.beside == access.beside
                && other.part == access.part
        };
        if !self.accesses.iter().any(same) {
            self.accesses.push(access);
        }
    }
}
