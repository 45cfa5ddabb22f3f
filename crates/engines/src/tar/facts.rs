//! Facts that hold when a thread is about to take an edge: the locks it holds, whether it is in an atomic region, and
//! which objects may be dead. A forward analysis with one summary per context, in both directions: must and may.
//!
//! A lock is identified by its cell if that is one cell in the whole run, and otherwise by the source of its pointer
//! ([`super::symbols`]): for example, the lock of a device by the variable that points to the device.
//!
//! A mutex is acquired by `Lock`, other locks by functions with that role ([`super::roles`]).

use super::objects::Name;
use super::roles::{self, Call, Mode, Role};
use super::store::{Overlap, Piece};
use super::symbols::{Root, Symbols};
use super::value::{ObjectNumber, Value};
use super::values::Values;
use crate::domains::{Bits, Number};
use base::{Budget, IdVec, Stop};
use ir::analysis::summaries::{self, Changes, Summaries};
use ir::analysis::{ContextId, Liveness, PointsTo};
use ir::{AllocKind, Edge, EdgeId, Expr, Function, LocId, LocalId, Program, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};

/// A fact.
#[derive(Clone, Debug)]
pub(super) enum Fact {
    /// A lock is held.
    Lock(Place, Mode),
    /// The thread is in an atomic region.
    Region,
    /// The object, or one of them, is dead.
    Gone(ObjectNumber),
}

/// The identity of a lock.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// The lock in this cell.
    Cell(ObjectNumber, i64),
    /// The lock in the ghost record at a distance from a variable's target. `places` over-approximates its cell.
    Beside {
        /// The variable.
        root: Root,
        /// The distance in bytes.
        distance: i64,
        /// The possible places of the cell.
        places: Box<Value>,
    },
}

impl Place {
    fn is_same(&self, other: &Place) -> bool {
        match (self, other) {
            (Place::Cell(object, offset), Place::Cell(other, at)) => (object, offset) == (other, at),
            (Place::Beside { root, distance, .. }, Place::Beside { root: other, distance: at, .. }) => {
                (root, distance) == (other, at)
            }
            (Place::Cell(..), Place::Beside { .. }) | (Place::Beside { .. }, Place::Cell(..)) => false,
        }
    }
}

/// The effect of an edge or path on facts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Change {
    certainly_on: Bits,
    maybe_off: Bits,
    maybe_on: Bits,
    certainly_off: Bits,
}

impl summaries::Change for Change {
    fn then(&self, next: &Change) -> Change {
        Change {
            certainly_on: self.certainly_on.without(&next.maybe_off).union(&next.certainly_on),
            maybe_off: self.maybe_off.union(&next.maybe_off),
            maybe_on: self.maybe_on.without(&next.certainly_off).union(&next.maybe_on),
            certainly_off: self.certainly_off.union(&next.certainly_off),
        }
    }

    fn or(&self, other: &Change) -> Change {
        Change {
            certainly_on: self.certainly_on.intersection(&other.certainly_on),
            maybe_off: self.maybe_off.union(&other.maybe_off),
            maybe_on: self.maybe_on.union(&other.maybe_on),
            certainly_off: self.certainly_off.intersection(&other.certainly_off),
        }
    }
}

impl Change {
    fn apply(&self, held: &Held) -> Held {
        Held {
            certain: held.certain.without(&self.maybe_off).union(&self.certainly_on),
            possible: held.possible.without(&self.certainly_off).union(&self.maybe_on),
        }
    }
}

/// The facts at a place.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Held {
    pub(super) certain: Bits,
    pub(super) possible: Bits,
}

/// All facts, and where they hold.
pub(super) struct Facts<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    pub(super) list: Vec<Fact>,
    calls: FxHashMap<ContextId, Call>,
    effects: FxHashMap<(ContextId, EdgeId), Change>,
    changes: Changes<Change>,
    on_entry: IdVec<ContextId, Option<Held>>,
    /// Edges that are never taken.
    impossible: FxHashSet<(ContextId, EdgeId)>,
}

/// The pointer whose ghost a lock's pointer is.
fn body(ptr: &Expr) -> Option<&Expr> {
    match ptr {
        Expr::Ghost(inner) => Some(inner),
        _ => None,
    }
}

/// The position of an object's lock relative to its body: ghost records are four times as large.
const GHOST_SCALE: i64 = 4;
/// The size of a lock's cell.
pub(super) const LOCK_BYTES: u64 = 4;

impl<'a> Facts<'a> {
    pub(super) fn new(values: &mut Values<'a>, symbols: &Symbols<'a>, budget: &Budget) -> Result<Facts<'a>, Stop> {
        let contexts = values.points_to.contexts().len();
        let mut facts = Facts {
            program: values.program,
            points_to: values.points_to,
            list: Vec::new(),
            calls: roles::calls(values),
            effects: FxHashMap::default(),
            changes: IdVec::filled(None, contexts),
            on_entry: IdVec::filled(None, contexts),
            impossible: FxHashSet::default(),
        };
        let locked = facts.find_facts(values, symbols);
        facts.find_effects(values, symbols, &locked);
        budget.check()?;
        facts.changes = Summaries {
            program: facts.program,
            points_to: facts.points_to,
            effects: &facts.effects,
            impossible: &facts.impossible,
            nothing: Change::default(),
        }
        .changes();
        budget.check()?;
        facts.find_entries();
        Ok(facts)
    }

    fn function(&self, context: ContextId) -> &'a Function {
        &self.program.functions[self.points_to.contexts().function(context)]
    }

    /// The number of the fact that a lock is held, if locks acquired there are distinguished.
    fn lock_fact(
        &mut self,
        values: &mut Values<'a>,
        symbols: &Symbols<'a>,
        at: (ContextId, EdgeId),
        ptr: &Expr,
        mode: Mode,
    ) -> Option<usize> {
        let value = values.at_edge(at.0, at.1, ptr)?;
        let mut found = self.name_lock(values, symbols, at, ptr, &value)?;
        for fact in &mut self.list {
            let Fact::Lock(place, _) = fact else { continue };
            if !place.is_same(&found) {
                continue;
            }
            if let (Place::Beside { places, .. }, Place::Beside { places: new, .. }) = (place, &mut found) {
                **places = places.join(new);
                *new = places.clone();
            }
        }
        let known = self.position(&found, mode);
        Some(known.unwrap_or_else(|| {
            self.list.push(Fact::Lock(found, mode));
            self.list.len() - 1
        }))
    }

    fn position(&self, place: &Place, mode: Mode) -> Option<usize> {
        let is_it = |fact: &Fact| matches!(fact, Fact::Lock(other, how) if *how == mode && other.is_same(place));
        self.list.iter().position(is_it)
    }

    /// A number for the lock of a fact: the first fact about the same lock, in any mode.
    pub(super) fn lock_number(&self, fact: usize) -> usize {
        let Fact::Lock(place, _) = &self.list[fact] else { return fact };
        let is_it = |other: &Fact| matches!(other, Fact::Lock(other, _) if other.is_same(place));
        self.list.iter().position(is_it).unwrap_or(fact)
    }

    /// The role of a context's function.
    pub(super) fn role(&self, context: ContextId) -> Option<Role> {
        self.calls.get(&context).map(|call| call.role)
    }

    /// The lock argument of a context's function, and an edge that names it.
    pub(super) fn argument(&self, context: ContextId) -> Option<(EdgeId, Expr)> {
        self.calls.get(&context).map(|call| (call.named, call.lock.clone()))
    }

    /// The edges at which the function of a context has certainly acquired a lock; where it may have, if that is not
    /// certain.
    fn taken_at(&self, context: ContextId) -> Vec<(ContextId, EdgeId)> {
        let returns = || self.returns(context).into_iter().map(|edge| (context, edge)).collect();
        match self.role(context) {
            Some(Role::Try(_)) => {
                roles::success(self.program, self.points_to, context).map_or_else(returns, |at| vec![at])
            }
            Some(Role::Take(_) | Role::Release) | None => returns(),
        }
    }

    /// The return edges of a context's function.
    fn returns(&self, context: ContextId) -> Vec<EdgeId> {
        let is_return = |(_, item): &(EdgeId, &Edge)| matches!(item.stmt, Stmt::Return(_));
        self.function(context).edges.enumerate().filter(is_return).map(|(edge, _)| edge).collect()
    }

    fn name_lock(
        &self,
        values: &Values<'a>,
        symbols: &Symbols<'a>,
        at: (ContextId, EdgeId),
        ptr: &Expr,
        value: &Value,
    ) -> Option<Place> {
        if let (false, None, [(object, offset)]) = (value.any, value.number, value.refs.as_slice()) {
            let item = values.objects.get(*object);
            if let (Some(offset), true, true) = (offset.single(), item.is_unique, item.is_memory()) {
                return Some(Place::Cell(*object, offset as i64));
            }
        }
        let (root, distance) = symbols.source(at.0, at.1, body(ptr)?)?;
        Some(Place::Beside { root, distance, places: Box::new(value.clone()) })
    }

    /// Finds all facts. Returns those that acquisitions at an edge make true.
    fn find_facts(&mut self, values: &mut Values<'a>, symbols: &Symbols<'a>) -> FxHashMap<(ContextId, EdgeId), usize> {
        let mut locked = FxHashMap::default();
        let mut gone: Vec<ObjectNumber> = Vec::new();
        self.list.push(Fact::Region);
        for context in self.points_to.contexts().ids() {
            let mode = self.role(context).and_then(|role| match role {
                Role::Take(mode) | Role::Try(mode) => Some(mode),
                Role::Release => None,
            });
            if let (Some(mode), Some((edge, lock))) = (mode, self.argument(context)) {
                if let Some(fact) = self.lock_fact(values, symbols, (context, edge), &lock, mode) {
                    locked.extend(self.taken_at(context).into_iter().map(|at| (at, fact)));
                }
            }
            for (edge, item) in self.function(context).edges.enumerate() {
                if !values.is_reached(context, edge) || !values.is_possible(context, edge) {
                    self.impossible.insert((context, edge));
                    continue;
                }
                match &item.stmt {
                    Stmt::Lock { ptr } => {
                        if let Some(fact) = self.lock_fact(values, symbols, (context, edge), ptr, Mode::Mutex) {
                            locked.insert((context, edge), fact);
                        }
                    }
                    Stmt::Free { ptr } | Stmt::Expire { ptr } => {
                        let value = values.at_edge(context, edge, ptr).unwrap_or_default();
                        gone.extend(value.refs.iter().map(|(object, _)| *object));
                    }
                    Stmt::Alloc { kind: AllocKind::Stack, .. } => {
                        gone.push(values.objects.number(Name::Site(context, edge, false)));
                    }
                    _ => {}
                }
            }
        }
        gone.sort_unstable();
        gone.dedup();
        self.list.extend(gone.into_iter().map(Fact::Gone));
        locked
    }

    fn find_effects(
        &mut self,
        values: &mut Values<'a>,
        symbols: &Symbols<'a>,
        locked: &FxHashMap<(ContextId, EdgeId), usize>,
    ) {
        let mut gone: FxHashMap<ObjectNumber, usize> = FxHashMap::default();
        let mut rooted: FxHashMap<Root, Vec<usize>> = FxHashMap::default();
        let mut locks = Vec::new();
        for (index, fact) in self.list.iter().enumerate() {
            match fact {
                Fact::Gone(object) => {
                    gone.insert(*object, index);
                }
                Fact::Lock(place, _) => {
                    if let Place::Beside { root, .. } = place {
                        rooted.entry(*root).or_default().push(index);
                    }
                    locks.push(index);
                }
                Fact::Region => {}
            }
        }
        for context in self.points_to.contexts().ids() {
            for (edge, item) in self.function(context).edges.enumerate() {
                if !values.is_reached(context, edge) {
                    continue;
                }
                let mut change = Change::default();
                for local in item.stmt.writes() {
                    for &index in rooted.get(&(context, local)).into_iter().flatten() {
                        change.maybe_off.insert(index);
                    }
                }
                self.effect(values, symbols, (context, edge), &item.stmt, &locks, &gone, &rooted, &mut change);
                if let Some(&fact) = locked.get(&(context, edge)) {
                    if !matches!(self.role(context), Some(Role::Try(_))) {
                        change.certainly_on.insert(fact);
                        change.maybe_off.remove(fact);
                    }
                    change.maybe_on.insert(fact);
                }
                if change != Change::default() {
                    self.effects.insert((context, edge), change);
                }
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "tables that are made once")]
    fn effect(
        &self,
        values: &mut Values<'a>,
        symbols: &Symbols<'a>,
        at: (ContextId, EdgeId),
        stmt: &Stmt,
        locks: &[usize],
        gone: &FxHashMap<ObjectNumber, usize>,
        rooted: &FxHashMap<Root, Vec<usize>>,
        change: &mut Change,
    ) {
        match stmt {
            Stmt::AtomicBegin { .. } => {
                change.certainly_on.insert(0);
                change.maybe_on.insert(0);
            }
            Stmt::AtomicEnd { .. } => {
                change.maybe_off.insert(0);
                change.certainly_off.insert(0);
            }
            Stmt::Free { ptr } | Stmt::Expire { ptr } => {
                let value = values.at_edge(at.0, at.1, ptr).unwrap_or_default();
                for (object, _) in &value.refs {
                    change.maybe_on.extend_with(gone.get(object).copied());
                }
            }
            Stmt::Alloc { dst, kind, .. } => {
                let object = values.objects.number(Name::Site(at.0, at.1, false));
                // Older objects are unreachable: their address is neither in memory nor in a variable that may still be
                // read, nor was it returned.
                let is_kept = values.ever.holds_address_of(object)
                    || self.is_returned(values, at.0, object)
                    || self.is_in_variable(values, at, *dst, object);
                if *kind == AllocKind::Stack && !is_kept {
                    change.certainly_off.extend_with(gone.get(&object).copied());
                }
            }
            Stmt::Return(_) => {
                for (other, item) in self.function(at.0).edges.enumerate() {
                    if matches!(item.stmt, Stmt::Alloc { kind: AllocKind::Stack, .. }) {
                        let object = values.objects.number(Name::Site(at.0, other, false));
                        change.maybe_on.extend_with(gone.get(&object).copied());
                    }
                }
                for (root, facts) in rooted {
                    if root.0 == at.0 {
                        facts.iter().for_each(|fact| change.maybe_off.insert(*fact));
                    }
                }
            }
            _ => {}
        }
        // A write by `Lock` releases no lock of another thread.
        if matches!(stmt, Stmt::Lock { .. }) || locks.is_empty() {
            return;
        }
        let role = self.role(at.0);
        if let (Some(Role::Release), Stmt::Return(_), Some((edge, lock))) = (role, stmt, self.argument(at.0)) {
            let value = values.at_edge(at.0, edge, &lock).unwrap_or_default();
            let source = body(&lock).and_then(|inner| symbols.source(at.0, edge, inner));
            let read_write = locks.iter().filter(|&&index| self.is_read_write(index));
            read_write.for_each(|&index| self.end_hold(index, &value, source, Some(LOCK_BYTES), change));
        }
        for touch in stmt.touches().into_iter().filter(|touch| touch.writes) {
            let value = values.at_edge(at.0, at.1, touch.ptr).unwrap_or_default();
            if !value.any && value.refs.iter().all(|(object, _)| !values.objects.get(*object).name.is_ghost()) {
                continue;
            }
            let bytes = touch.ty.map(|ty| ty.bytes(self.program.data_model.pointer_bytes()));
            let source = body(touch.ptr).and_then(|inner| symbols.source(at.0, at.1, inner));
            // The effect of models of such functions on locks is recorded when they return.
            let is_reported = |index: usize| match self.list[index] {
                Fact::Lock(_, mode) => role.is_some_and(|role| role.is_about(mode)),
                Fact::Region | Fact::Gone(_) => false,
            };
            for &index in locks.iter().filter(|&&index| !is_reported(index)) {
                self.end_hold(index, &value, source, bytes, change);
            }
        }
    }

    fn is_read_write(&self, fact: usize) -> bool {
        matches!(self.list[fact], Fact::Lock(_, mode) if mode.is_read_write())
    }

    /// A write that may hit a lock's cell.
    fn end_hold(
        &self,
        index: usize,
        value: &Value,
        source: Option<(Root, i64)>,
        bytes: Option<u64>,
        change: &mut Change,
    ) {
        match self.hits(index, value, source, bytes) {
            Hit::No => {}
            Hit::Maybe => change.maybe_off.insert(index),
            Hit::Yes => {
                change.maybe_off.insert(index);
                change.certainly_off.insert(index);
            }
        }
    }

    /// Whether a context may return the address of an object.
    /// Whether a variable other than `own` may hold the object's address where its allocation is executed again: only
    /// where variables of blocks expire is one executed again in the same activation of the function.
    fn is_in_variable(
        &self,
        values: &mut Values<'a>,
        (context, edge): (ContextId, EdgeId),
        own: LocalId,
        object: ObjectNumber,
    ) -> bool {
        let function = self.function(context);
        if !function.edges.iter().any(|item| matches!(item.stmt, Stmt::Expire { .. })) {
            return false;
        }
        let (liveness, loc) = (Liveness::new(function), function.edges[edge].from);
        let mut others = function.locals.ids().filter(|local| *local != own && liveness.is_live(loc, *local));
        others.any(|local| {
            let value = values.at_edge(context, edge, &Expr::Local(local)).unwrap_or_default();
            value.any || value.refs.iter().any(|(other, _)| *other == object)
        })
    }

    fn is_returned(&self, values: &mut Values<'a>, context: ContextId, object: ObjectNumber) -> bool {
        self.function(context).edges.enumerate().any(|(edge, item)| {
            let Stmt::Return(results) = &item.stmt else { return false };
            results.iter().any(|result| {
                let value = values.at_edge(context, edge, result).unwrap_or_default();
                value.any || value.refs.iter().any(|(other, _)| *other == object)
            })
        })
    }

    /// Whether a write hits a lock's cell.
    fn hits(&self, fact: usize, value: &Value, source: Option<(Root, i64)>, bytes: Option<u64>) -> Hit {
        let bytes = bytes.unwrap_or(u64::MAX / 4);
        let touches = |object: ObjectNumber, piece: &Piece| {
            value.any
                || value.refs.iter().any(|(other, offset)| {
                    *other == object && Piece { offset: *offset, bytes }.overlap(piece) != Overlap::No
                })
        };
        let place = match &self.list[fact] {
            Fact::Lock(place, _) => place,
            Fact::Region | Fact::Gone(_) => return Hit::No,
        };
        match place {
            Place::Cell(object, offset) => {
                let at = Number::constant(64, *offset as i128 as u128);
                let is_exact = !value.any
                    && value.number.is_none()
                    && matches!(value.refs.as_slice(), [(other, place)] if other == object && *place == at);
                match (is_exact, touches(*object, &Piece { offset: at, bytes: LOCK_BYTES })) {
                    (true, _) => Hit::Yes,
                    (false, true) => Hit::Maybe,
                    (false, false) => Hit::No,
                }
            }
            Place::Beside { root, distance, places } => match source {
                Some((other, at)) if other == *root && at == *distance => Hit::Yes,
                Some((other, at)) if other == *root && bytes == LOCK_BYTES && (at - distance).abs() >= GHOST_SCALE => {
                    Hit::No
                }
                _ => {
                    let touches_some = places.any
                        || places
                            .refs
                            .iter()
                            .any(|(object, offset)| touches(*object, &Piece { offset: *offset, bytes: LOCK_BYTES }));
                    match touches_some {
                        true => Hit::Maybe,
                        false => Hit::No,
                    }
                }
            },
        }
    }

    /// The locks whose cells a statement may write.
    pub(super) fn written_locks(
        &self,
        values: &mut Values<'a>,
        symbols: &Symbols<'a>,
        at: (ContextId, EdgeId),
        stmt: &Stmt,
    ) -> Vec<usize> {
        let mut found = Vec::new();
        for touch in stmt.touches().into_iter().filter(|touch| touch.writes) {
            let value = values.at_edge(at.0, at.1, touch.ptr).unwrap_or_default();
            let bytes = touch.ty.map(|ty| ty.bytes(self.program.data_model.pointer_bytes()));
            let source = body(touch.ptr).and_then(|inner| symbols.source(at.0, at.1, inner));
            for index in 0..self.list.len() {
                match self.hits(index, &value, source, bytes) {
                    Hit::No => {}
                    Hit::Maybe | Hit::Yes => found.push(index),
                }
            }
        }
        found
    }

    /// Whether the cell of a lock may be at a place.
    pub(super) fn may_be_at(&self, fact: usize, place: &Value) -> bool {
        !matches!(self.hits(fact, place, None, Some(LOCK_BYTES)), Hit::No)
    }

    /// Whether two locks may be the same one.
    pub(super) fn may_be_same(&self, one: usize, two: usize) -> bool {
        let (Fact::Lock(one, _), Fact::Lock(two, _)) = (&self.list[one], &self.list[two]) else { return false };
        match (one, two) {
            (Place::Cell(object, offset), Place::Cell(other, at)) => (object, offset) == (other, at),
            (Place::Beside { root, distance, .. }, Place::Beside { root: other, distance: at, .. })
                if root == other =>
            {
                distance == at
            }
            (Place::Cell(object, offset), Place::Beside { places, .. })
            | (Place::Beside { places, .. }, Place::Cell(object, offset)) => {
                let cell = Piece { offset: Number::constant(64, *offset as i128 as u128), bytes: LOCK_BYTES };
                places.any
                    || places.refs.iter().any(|(other, at)| {
                        other == object && Piece { offset: *at, bytes: LOCK_BYTES }.overlap(&cell) != Overlap::No
                    })
            }
            (Place::Beside { places, .. }, Place::Beside { places: others, .. }) => {
                places.any
                    || others.any
                    || places.refs.iter().any(|(object, offset)| {
                        let piece = Piece { offset: *offset, bytes: LOCK_BYTES };
                        others.refs.iter().any(|(other, at)| {
                            other == object && Piece { offset: *at, bytes: LOCK_BYTES }.overlap(&piece) != Overlap::No
                        })
                    })
            }
        }
    }

    /// The facts at the entry of each context.
    fn find_entries(&mut self) {
        let mut work = vec![self.points_to.entry()];
        for context in self.points_to.contexts().ids() {
            for (edge, _) in self.function(context).edges.enumerate() {
                work.extend(self.points_to.spawned(context, edge));
            }
        }
        for &entry in &work {
            self.on_entry[entry] = Some(Held::default());
        }
        while let Some(context) = work.pop() {
            for (edge, item) in self.function(context).edges.enumerate() {
                for &callee in self.points_to.callees(context, edge) {
                    let Some(before) = self.held_at(context, item.from) else { continue };
                    let merged = match &self.on_entry[callee] {
                        None => before,
                        Some(old) => Held {
                            certain: old.certain.intersection(&before.certain),
                            possible: old.possible.union(&before.possible),
                        },
                    };
                    if self.on_entry[callee].as_ref() != Some(&merged) {
                        self.on_entry[callee] = Some(merged);
                        work.push(callee);
                    }
                }
            }
        }
    }

    fn held_at(&self, context: ContextId, loc: LocId) -> Option<Held> {
        let on_entry = self.on_entry[context].as_ref()?;
        match &self.changes[context] {
            None => Some(on_entry.clone()),
            Some(changes) => changes[loc].as_ref().map(|change| change.apply(on_entry)),
        }
    }

    /// The facts when an edge is about to be taken; nothing certain and nothing possible if it never is.
    pub(super) fn held(&self, context: ContextId, edge: EdgeId) -> Held {
        self.held_at(context, self.function(context).edges[edge].from).unwrap_or_default()
    }

    /// The fact that the lock acquired or released at an edge is held.
    pub(super) fn fact_of_lock(
        &self,
        values: &mut Values<'a>,
        symbols: &Symbols<'a>,
        at: (ContextId, EdgeId),
        ptr: &Expr,
        mode: Mode,
    ) -> Option<usize> {
        let value = values.at_edge(at.0, at.1, ptr)?;
        let found = self.name_lock(values, symbols, at, ptr, &value)?;
        self.position(&found, mode)
    }

    /// The fact that the lock argument of a context's function is held.
    pub(super) fn fact_of_argument(
        &self,
        values: &mut Values<'a>,
        symbols: &Symbols<'a>,
        context: ContextId,
        mode: Mode,
    ) -> Option<usize> {
        let (edge, lock) = self.argument(context)?;
        self.fact_of_lock(values, symbols, (context, edge), &lock, mode)
    }

    /// The facts that are invalidated when an edge changes the variable of a frame they refer to.
    pub(super) fn rooted_at(&self, context: ContextId, stmt: &Stmt) -> Vec<usize> {
        let written = stmt.writes();
        let is_return = matches!(stmt, Stmt::Return(_));
        let matters = |fact: &Fact| match fact {
            Fact::Lock(Place::Beside { root, .. }, _) => root.0 == context && (is_return || written.contains(&root.1)),
            Fact::Lock(Place::Cell(..), _) | Fact::Region | Fact::Gone(_) => false,
        };
        self.list.iter().enumerate().filter(|(_, fact)| matters(fact)).map(|(index, _)| index).collect()
    }
}

/// Whether a write hits a lock's cell.
enum Hit {
    No,
    Maybe,
    Yes,
}

trait ExtendWith {
    fn extend_with(&mut self, item: Option<usize>);
}

impl ExtendWith for Bits {
    fn extend_with(&mut self, item: Option<usize>) {
        if let Some(item) = item {
            self.insert(item);
        }
    }
}
