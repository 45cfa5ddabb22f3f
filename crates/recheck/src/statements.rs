//! What each statement adds to a path. The reference interpreter (`interp::step`) defines the meaning of statements.

use crate::memory::{Key, Object, Start, Storage, Value, GHOST, NOWHERE};
use crate::tree::{Access, End, Join, Path, Region, Tree};
use check::ReasonKind;
use ir::{
    AllocKind, BinaryOp, Callee, Claim, Expr, FunctionId, LocalId, ObjectKind, Order, Property, Stmt, StmtKind, Type,
};
use smt::{Bits, Sort, Term};

const INVALID: &str = "undefined behaviour: an access that may be invalid";
const NOT_HELD: &str = "undefined behaviour: a lock is released by a thread that does not hold it";
/// Maximum number of bytes of a copy or set.
const MAX_BYTES: u64 = 4096;

/// The target of an access.
enum Spot {
    /// The path's own memory, and an event if other threads may read it later.
    Own { number: u16, offset: u64, is_shared: bool },
    /// An event.
    Event,
}

impl Tree<'_> {
    /// Executes a statement; returns whether the path continues.
    pub(crate) fn execute(&mut self, path: &mut Path, stmt: &Stmt) -> bool {
        path.effects += u32::from(has_effect(stmt));
        self.orders = orders(stmt);
        match stmt {
            Stmt::Skip => {}
            Stmt::Fence(_) => {
                if self.property == Property::Race {
                    self.event(path, "fence", None);
                }
            }
            Stmt::Assign { dst, value } => {
                let value = self.eval(path, value);
                self.set(path, *dst, Some(value));
            }
            Stmt::Havoc { dst, below } => self.havoc(path, *dst, below.as_ref()),
            Stmt::Assume(condition) => {
                let holds = self.holds(path, condition);
                self.settle(path);
                self.require(path, holds);
            }
            Stmt::Assert { cond, claim, is_defined } => {
                let holds = self.holds(path, cond);
                self.settle(path);
                self.assertion(path, holds, claim, *is_defined);
            }
            Stmt::Load { dst, ty, ptr, .. } => {
                let place = self.eval(path, ptr);
                let bytes = self.bytes(*ty);
                let old = self.access(path, "load", place, bytes, true, |_, _, _| Change::default());
                self.assign_read(path, *dst, *ty, old);
            }
            Stmt::Store { ty, ptr, value, .. } => {
                let value = self.eval(path, value);
                let place = self.eval(path, ptr);
                let value = self.stored(value, *ty);
                let bytes = self.bytes(*ty);
                self.access(path, "store", place, bytes, false, |tree, _, _| tree.always(value));
            }
            Stmt::Rmw { dst, op, ty, ptr, value, .. } => {
                let operand = self.eval(path, value);
                let place = self.eval(path, ptr);
                let (op, ty, bytes) = (*op, *ty, self.bytes(*ty));
                let old = self.access(path, "update", place, bytes, true, |tree, path, old| {
                    let old = tree.resize(old, tree.width(ty));
                    let new = tree.modify(path, op, ty, old, operand);
                    let new = tree.stored(new, ty);
                    tree.always(new)
                });
                self.assign_read(path, *dst, ty, old);
            }
            Stmt::CompareExchange { .. } => self.compare_exchange(path, stmt),
            Stmt::Copy { dst, src, len, disjoint } => self.copy(path, dst, src, len, *disjoint),
            Stmt::Set { dst, byte, len } => self.fill(path, dst, byte, len),
            Stmt::Alloc { .. } => self.alloc(path, stmt),
            Stmt::Free { ptr } => self.free(path, ptr),
            Stmt::Expire { ptr } => self.expire(path, ptr),
            Stmt::Call { callee, args, .. } => return self.call(path, callee, args),
            Stmt::Return(values) => return self.leave(path, values),
            Stmt::NewThread { dst } => {
                self.threads += 1;
                let number = self.number(self.pointer_width(), self.threads as u128);
                self.set(path, *dst, Some(number));
            }
            Stmt::Spawn { thread, callee, args } => self.spawn(path, thread, callee, args),
            Stmt::Join { dst, thread } => self.join(path, *dst, thread),
            Stmt::Detach { thread } => {
                let number = self.eval(path, thread).bits;
                let reached = self.occurs(path);
                let event = self.event(path, "detach", None);
                self.joins.push(Join { event, reached, number, result: None });
            }
            Stmt::ExitThread(value) => {
                let value = self.eval(path, value);
                self.settle(path);
                self.end_thread(path, Some(value));
                return false;
            }
            Stmt::Lock { ptr } => {
                let place = self.eval(path, ptr);
                self.check_ghost(place);
                let number = self.number(32, path.thread as u128 + 1);
                self.access(path, "lock", place, 4, true, |tree, _, old| {
                    let zero = tree.number(32, 0);
                    let is_free = tree.equal(old, zero);
                    let is_mine = tree.equal(old, number);
                    // Locking a lock that the thread holds is misuse if that is the property, and otherwise waits
                    // forever.
                    let is_asked = tree.property == Property::Locks;
                    if is_asked {
                        tree.pend(is_mine, ReasonKind::Undefined, "a lock is taken by the thread that holds it");
                    }
                    let needs = if is_asked { tree.terms.or2(is_free, is_mine) } else { is_free };
                    let blocks = tree.terms.not(needs);
                    Change { needs: Some(needs), blocks: Some(blocks), ..tree.always(number) }
                });
            }
            Stmt::Unlock { ptr } => {
                let place = self.eval(path, ptr);
                self.check_ghost(place);
                let number = self.number(32, path.thread as u128 + 1);
                self.access(path, "unlock", place, 4, true, |tree, _, old| {
                    let is_mine = tree.equal(old, number);
                    let wrong = tree.terms.not(is_mine);
                    tree.pend(wrong, ReasonKind::Undefined, NOT_HELD);
                    let zero = tree.number(32, 0);
                    tree.always(zero)
                });
            }
            Stmt::Await { .. } => self.wait(path, stmt),
            Stmt::AtomicBegin { .. } => match &mut path.region {
                Some((_, depth)) => *depth += 1,
                None => {
                    let begin = self.event(path, "begin of an atomic region", None);
                    path.region = Some((self.regions.len(), 1));
                    self.regions.push(Region { begin, ends: Vec::new() });
                }
            },
            Stmt::AtomicEnd { .. } => match path.region {
                Some((region, depth)) if depth > 1 => path.region = Some((region, depth - 1)),
                Some((region, _)) => {
                    path.region = None;
                    let end = self.event(path, "end of an atomic region", None);
                    self.regions[region].ends.push(end);
                }
                None => {}
            },
            // The prefix of the path without this step is an execution too.
            Stmt::Exit => return false,
            Stmt::Unmodelled(what) => {
                let occurs = self.occurs(path);
                self.gap(occurs, ReasonKind::Unmodelled, format!("{what} is not modelled"));
                return false;
            }
        }
        self.settle(path);
        true
    }

    fn bytes(&self, ty: Type) -> u64 {
        ty.bytes(self.program.data_model.pointer_bytes())
    }

    fn always(&mut self, value: Value) -> Change {
        Change { write: Some((self.terms.bool(true), value)), ..Change::default() }
    }

    /// A value as it lies in memory.
    fn stored(&mut self, value: Value, ty: Type) -> Value {
        let bytes = self.bytes(ty);
        if bytes != self.program.data_model.pointer_bytes() {
            self.pend_address(value.object, "a pointer is stored in fewer or more bytes than it has");
        }
        let value = self.resize(value, self.width(ty));
        self.resize(value, bytes as u32 * 8)
    }

    fn assign_read(&mut self, path: &mut Path, dst: LocalId, ty: Type, value: Value) {
        let value = self.resize(value, self.width(ty));
        self.set(path, dst, Some(value));
    }

    fn havoc(&mut self, path: &mut Path, dst: LocalId, below: Option<&Expr>) {
        let ty = self.program.functions[self.at.0].locals[dst].ty;
        let (Type::Int(_), Some(below)) = (ty, below) else {
            self.set(path, dst, None);
            return;
        };
        let below = self.eval(path, below);
        self.settle(path);
        let value = self.arbitrary(ty);
        let below = self.resize(below, self.width(ty));
        let is_below = self.terms.ult(value.bits, below.bits);
        self.require(path, is_below);
        self.set(path, dst, Some(value));
    }

    fn assertion(&mut self, path: &mut Path, holds: Term, claim: &Claim, is_defined: bool) {
        let fails = self.terms.not(holds);
        let occurs = self.occurs(path);
        let occurs = self.terms.and2(occurs, fails);
        if claim.property() == self.property {
            if self.terms.as_bool(occurs) != Some(false) {
                self.violations.push(occurs);
            }
            self.require(path, holds);
        } else if !is_defined && claim.property() != Property::Unreach {
            self.gap(occurs, ReasonKind::Undefined, format!("undefined behaviour: {claim}"));
        }
    }

    /// Resolves the target of an access. A possibly invalid access is a gap; if only the solver knows the object,
    /// validity is checked once all objects are known.
    fn locate(&mut self, path: &mut Path, place: Value, bytes: u64, writes: bool) -> Spot {
        let Some(number) = self.constant(place.object).map(|number| number as u16) else {
            path.is_exact &= !writes;
            return Spot::Event;
        };
        let size = self.size_of(number);
        let object = self.object(number).cloned().filter(|_| number != NOWHERE && size >= bytes);
        let Some(object) = object.filter(|_| !path.dead.contains(&(number & !GHOST))) else {
            self.pend_always(ReasonKind::Undefined, INVALID);
            return Spot::Event;
        };
        let is_constant = object.storage == Storage::Constant && number & GHOST == 0;
        if is_constant && writes {
            self.pend_always(ReasonKind::Undefined, INVALID);
            return Spot::Event;
        }
        let most = self.terms.bits(Bits::from_u64(self.pointer_width(), size - bytes));
        let fits = self.terms.ule(place.bits, most);
        let outside = self.terms.not(fits);
        self.pend(outside, ReasonKind::Undefined, INVALID);
        let Some(offset) = self.constant(place.bits) else {
            path.is_exact &= !writes;
            return Spot::Event;
        };
        if offset > size - bytes {
            return Spot::Event;
        }
        let is_shared = self.known.shared.contains(&object.key);
        if !is_shared && !is_constant {
            self.accessed.entry(number & !GHOST).or_default().insert(path.thread);
        }
        let range = (offset..offset + bytes).map(|byte| (object.key, number & GHOST != 0, byte));
        let is_steady = self.is_global(object.key)
            && !self.known.unsteady.contains(&object.key)
            && !range.clone().any(|byte| self.known.changing.contains(&byte));
        if is_shared && !path.is_alone && writes {
            self.changed.extend(range);
        }
        let is_known = path.is_exact && (path.is_alone || is_steady && !writes);
        if !is_shared || is_constant || is_known {
            Spot::Own { number, offset, is_shared: is_shared && !is_constant }
        } else {
            Spot::Event
        }
    }

    /// Whether an object is there once and lives as long as the program.
    fn is_global(&self, key: Key) -> bool {
        match key {
            Key::Static(id) => self.program.objects[id].kind == ObjectKind::Global,
            Key::Site(..) | Key::Code(_) => false,
        }
    }

    /// Reads a place, if asked, and writes what `change` makes of the value.
    fn access(
        &mut self,
        path: &mut Path,
        what: &'static str,
        place: Value,
        bytes: u64,
        reads: bool,
        mut change: impl FnMut(&mut Self, &mut Path, Value) -> Change,
    ) -> Value {
        let (writes, waits) = (what != "load", matches!(what, "lock" | "wait"));
        let spot = self.locate(path, place, bytes, writes);
        self.settle(path);
        let nothing = self.number(bytes as u32 * 8, 0);
        if self.is_impossible(path) {
            return nothing;
        }
        match spot {
            Spot::Own { number, offset, is_shared } => {
                let mut contents = path.memory.get(&number).cloned().unwrap_or_default();
                let old = if reads { self.read_own(&mut contents, number, offset, bytes) } else { nothing };
                let Change { write, needs, blocks } = change(self, path, old);
                if let Some(blocks) = blocks {
                    self.stay(path, blocks);
                }
                if let Some(needs) = needs {
                    self.require(path, needs);
                }
                if let Some((condition, value)) = write {
                    let new = match self.terms.as_bool(condition) {
                        Some(true) => value,
                        _ => self.choose(condition, value, old),
                    };
                    self.write_own(&mut contents, offset, bytes, new);
                    path.memory.insert(number, contents);
                    if is_shared {
                        self.settle(path);
                        let access = Access { place, bytes, read: None, write: Some((condition, value)) };
                        self.event(path, what, Some(access));
                    }
                }
                old
            }
            Spot::Event => {
                let read = reads.then(|| self.unread(bytes));
                self.note_race(path, !writes);
                let before = (self.property == Property::Deadlock && waits).then(|| path.clone());
                let event = self.event(path, what, Some(Access { place, bytes, read, write: None }));
                if let Some(before) = before {
                    let read = Some(self.unread(bytes));
                    self.look(&before, event, Access { place, bytes, read, write: None }, &mut change);
                }
                let Change { write, needs, .. } = change(self, path, read.unwrap_or(nothing));
                if let Some(needs) = needs {
                    let occurs = self.events[event].occurs;
                    let fact = self.terms.implies(occurs, needs);
                    self.facts.push(fact);
                }
                if let Some(access) = &mut self.events[event].access {
                    access.write = write;
                }
                read.unwrap_or(nothing)
            }
        }
    }

    /// The value that an event reads, unconstrained until the axioms are encoded.
    fn unread(&mut self, bytes: u64) -> Value {
        let bits = self.terms.variable("read", Sort::Bits(bytes as u32 * 8));
        let mut value = self.integer(bits);
        if bytes == self.program.data_model.pointer_bytes() {
            value.object = self.terms.variable("object", Sort::Bits(crate::memory::OBJECT_BITS));
        }
        value
    }

    fn compare_exchange(&mut self, path: &mut Path, stmt: &Stmt) {
        let Stmt::CompareExchange { old, success, ty, ptr, expected, desired, weak, .. } = stmt else { return };
        let expected = self.eval(path, expected);
        let desired = self.eval(path, desired);
        let place = self.eval(path, ptr);
        let desired = self.stored(desired, *ty);
        let mut succeeded = self.terms.bool(false);
        let found = self.access(path, "compare-exchange", place, self.bytes(*ty), true, |tree, path, found| {
            let found = tree.resize(found, tree.width(*ty));
            let equal = tree.binary(path, BinaryOp::Eq, *ty, found, expected);
            succeeded = tree.is_set(equal.bits);
            if *weak {
                let goes_well = tree.terms.variable("goes well", Sort::Bool);
                succeeded = tree.terms.and2(succeeded, goes_well);
            }
            Change { write: Some((succeeded, desired)), ..Change::default() }
        });
        self.assign_read(path, *old, *ty, found);
        let bit = self.terms.bit_of(succeeded);
        let bit = self.integer(bit);
        self.set(path, *success, Some(bit));
    }

    fn wait(&mut self, path: &mut Path, stmt: &Stmt) {
        let Stmt::Await { dst, ty, ptr, ready, update, spurious, timeout, .. } = stmt else { return };
        let place = self.eval(path, ptr);
        self.check_ghost(place);
        self.access(path, "wait", place, self.bytes(*ty), true, |tree, path, old| {
            tree.assign_read(path, *dst, *ty, old);
            let is_ready = tree.holds(path, ready);
            let early = tree.terms.not(is_ready);
            let needs = match spurious {
                None => Some(is_ready),
                Some(spurious) => {
                    let bit = tree.terms.bit_of(early);
                    let bit = tree.integer(bit);
                    tree.set(path, *spurious, Some(bit));
                    None
                }
            };
            let keeps_when_early =
                spurious.is_some_and(|early| update.as_ref().is_some_and(|new| new.is_if(early, *dst)));
            let writes = if keeps_when_early { is_ready } else { tree.terms.bool(true) };
            let write = update.as_ref().map(|update| {
                let new = tree.eval(path, update);
                (writes, tree.stored(new, *ty))
            });
            Change { write, needs, blocks: (!timeout).then_some(early) }
        });
    }

    /// Only ghost memory can be waited for.
    fn check_ghost(&mut self, place: Value) {
        let bit = self.terms.extract(15, 15, place.object);
        let is_ghost = self.is_set(bit);
        let other = self.terms.not(is_ghost);
        self.pend(other, ReasonKind::Unmodelled, "waiting for memory that the program itself can write");
    }

    /// A range at a known place that is in the path's own memory.
    fn own_range(&mut self, path: &mut Path, place: Value, len: u64, writes: bool) -> Option<(u16, u64)> {
        self.constant(place.object)?;
        self.constant(place.bits)?;
        match self.locate(path, place, len, writes) {
            Spot::Own { number, offset, .. } => Some((number, offset)),
            Spot::Event => None,
        }
    }

    fn copy(&mut self, path: &mut Path, dst: &Expr, src: &Expr, len: &Expr, disjoint: bool) {
        let len = self.eval(path, len);
        let (dst, src) = (self.eval(path, dst), self.eval(path, src));
        let Some(len) = self.constant(len.bits).filter(|&len| len <= MAX_BYTES) else {
            self.pend_always(ReasonKind::Unsupported, "a copy of a symbolic range");
            return;
        };
        if len == 0 {
            return;
        }
        let (to, from) = (self.own_range(path, dst, len, true), self.own_range(path, src, len, false));
        let (Some((target, to)), Some((number, from))) = (to, from) else {
            self.pend_always(ReasonKind::Unsupported, "a copy of shared memory, or of a symbolic range");
            return;
        };
        if disjoint && target == number && to != from && to.abs_diff(from) < len {
            self.pend_always(ReasonKind::Unsupported, "a copy between ranges that overlap");
            return;
        }
        self.settle(path);
        let contents = path.memory.get(&number).cloned().unwrap_or_default();
        let is_arbitrary = self.object(number).is_some_and(|object| object.start == Start::Arbitrary);
        let word = self.program.data_model.pointer_bytes();
        let mut pieces = Vec::new();
        for (offset, bytes) in contents.pieces(from, len, word) {
            let mut contents = contents.clone();
            // A range without a value yet is copied without one: source and target get theirs independently.
            let value = if is_arbitrary && contents.is_untouched(offset, bytes) {
                let bits = self.input("copied", bytes as u32 * 8);
                self.integer(bits)
            } else {
                self.read_own(&mut contents, number, offset, bytes)
            };
            pieces.push((to + (offset - from), bytes, value));
        }
        self.write_pieces(path, dst.object, pieces);
    }

    fn fill(&mut self, path: &mut Path, dst: &Expr, byte: &Expr, len: &Expr) {
        let len = self.eval(path, len);
        let (dst, byte) = (self.eval(path, dst), self.eval(path, byte));
        let Some(len) = self.constant(len.bits).filter(|&len| len <= MAX_BYTES) else {
            self.pend_always(ReasonKind::Unsupported, "a symbolic range is set");
            return;
        };
        if len == 0 {
            return;
        }
        let Some((_, offset)) = self.own_range(path, dst, len, true) else {
            self.pend_always(ReasonKind::Unsupported, "shared memory, or a symbolic range, is set");
            return;
        };
        let word = self.program.data_model.pointer_bytes();
        let mut pieces = Vec::new();
        for (offset, bytes) in crate::memory::Contents::default().pieces(offset, len, word) {
            let mut bits = byte.bits;
            for _ in 1..bytes {
                bits = self.terms.concat(bits, byte.bits);
            }
            pieces.push((offset, bytes, self.integer(bits)));
        }
        self.write_pieces(path, dst.object, pieces);
    }

    fn write_pieces(&mut self, path: &mut Path, object: Term, pieces: Vec<(u64, u64, Value)>) {
        for (offset, bytes, value) in pieces {
            let bits = self.terms.bits(Bits::from_u64(self.pointer_width(), offset));
            self.access(path, "store", Value { object, bits }, bytes, false, |tree, _, _| tree.always(value));
        }
    }

    fn alloc(&mut self, path: &mut Path, stmt: &Stmt) {
        let Stmt::Alloc { dst, size, kind, zeroed, .. } = stmt else { return };
        let size = self.eval(path, size);
        let Some(size) = self.constant(size.bits).filter(|&size| size <= 1 << 30) else {
            self.pend_always(ReasonKind::Unsupported, "an allocation of a symbolic or very large size");
            return;
        };
        let storage = match kind {
            AllocKind::Stack => Storage::Stack,
            AllocKind::Heap => Storage::Heap,
        };
        let start = if *zeroed { Start::Zero } else { Start::Arbitrary };
        let number = self.add_object(Object { key: Key::Site(self.at.0, self.at.1), storage, size, start });
        if let (AllocKind::Stack, Some(frame)) = (kind, path.frames.last_mut()) {
            frame.objects.push(number);
        }
        let pointer = self.pointer(number, 0);
        self.set(path, *dst, Some(pointer));
    }

    /// Ends the lifetime of an object.
    fn kill(&mut self, path: &mut Path, number: u16) {
        let Some(object) = self.object(number) else { return };
        if self.known.shared.contains(&object.key) {
            let event = self.event(path, "end of an object's life", None);
            self.events[event].kills = Some(self.pointer(number, 0).object);
        } else {
            self.accessed.entry(number).or_default().insert(path.thread);
        }
        path.dead.insert(number);
    }

    fn expire(&mut self, path: &mut Path, ptr: &Expr) {
        let pointer = self.eval(path, ptr);
        self.settle(path);
        match self.constant(pointer.object).map(|number| number as u16) {
            Some(0) => {}
            Some(number) => {
                if let Some(frame) = path.frames.last_mut() {
                    frame.objects.retain(|object| *object != number);
                }
                self.kill(path, number);
            }
            None => {
                self.pend_always(ReasonKind::Unsupported, "which variable of a block ends is not known");
                self.settle(path);
            }
        }
    }

    fn free(&mut self, path: &mut Path, ptr: &Expr) {
        let pointer = self.eval(path, ptr);
        let detail = "undefined behaviour: free of what malloc did not return, or twice";
        let zero = self.terms.bits(Bits::zero(self.pointer_width()));
        let is_start = self.terms.eq(pointer.bits, zero);
        let inside = self.terms.not(is_start);
        self.pend(inside, ReasonKind::Undefined, detail);
        match self.constant(pointer.object).map(|number| number as u16) {
            Some(0) => {}
            Some(number) => {
                let is_heap = self.object(number).is_some_and(|object| object.storage == Storage::Heap);
                if !is_heap || number & GHOST != 0 || path.dead.contains(&number) {
                    self.pend_always(ReasonKind::Undefined, detail);
                }
                self.settle(path);
                self.kill(path, number);
            }
            None => {
                // Whether it is a heap object or null is checked once all objects are known.
                self.settle(path);
                let event = self.event(path, "free", None);
                self.events[event].kills = Some(pointer.object);
                path.is_exact = false;
            }
        }
    }

    /// The functions whose addresses the program mentions.
    fn address_taken(&self) -> Vec<FunctionId> {
        let mut found = std::collections::BTreeSet::new();
        for function in self.program.functions.iter() {
            for expr in function.edges.iter().flat_map(|edge| edge.stmt.exprs()) {
                expr.for_each(&mut |part| {
                    if let Expr::Function(function) = part {
                        found.insert(*function);
                    }
                });
            }
        }
        for object in self.program.objects.iter() {
            let ir::Initial::Bytes { relocations, .. } = &object.initial else { continue };
            for relocation in relocations {
                if let ir::Symbol::Function(function) = relocation.symbol {
                    found.insert(function);
                }
            }
        }
        found.into_iter().collect()
    }

    /// The possible callees of a call, each with its condition.
    fn callees(&mut self, path: &mut Path, callee: &Callee) -> Vec<(FunctionId, Term)> {
        let expr = match callee {
            Callee::Direct(function) => return vec![(*function, self.terms.bool(true))],
            Callee::Indirect(expr) => expr,
        };
        let pointer = self.eval(path, expr);
        let mut ways = Vec::new();
        for function in self.address_taken() {
            let number = self.code_object(function);
            let target = self.pointer(number, 0);
            let is_it = self.equal(pointer, target);
            if self.terms.as_bool(is_it) != Some(false) {
                ways.push((function, is_it));
            }
        }
        let some = self.terms.or(ways.iter().map(|(_, is_it)| *is_it).collect::<Vec<_>>());
        let none = self.terms.not(some);
        self.pend(none, ReasonKind::Undefined, "undefined behaviour: call of something that is not a function");
        ways
    }

    fn call(&mut self, path: &mut Path, callee: &Callee, args: &[Expr]) -> bool {
        let ways = self.callees(path, callee);
        let args: Vec<Value> = args.iter().map(|arg| self.eval(path, arg)).collect();
        self.settle(path);
        if let [(function, condition)] = ways[..] {
            self.require(path, condition);
            self.enter(path, function, &args);
            return true;
        }
        for (function, condition) in ways {
            let mut way = path.clone();
            self.require(&mut way, condition);
            if !self.is_impossible(&way) {
                self.enter(&mut way, function, &args);
                self.waiting.push(way);
            }
        }
        false
    }

    fn leave(&mut self, path: &mut Path, values: &[Expr]) -> bool {
        let values: Vec<Value> = values.iter().map(|value| self.eval(path, value)).collect();
        self.settle(path);
        if path.frames.len() == 1 {
            self.end_thread(path, values.first().copied());
            return false;
        }
        for number in path.frames.pop().map(|frame| frame.objects).unwrap_or_default() {
            self.kill(path, number);
        }
        let Some(caller) = path.frames.last() else { return false };
        let code = &self.program.functions[caller.function];
        let Some((edge, call)) = code.edges.enumerate().find(|(_, edge)| edge.from == caller.loc) else { return false };
        if let Stmt::Call { dsts, .. } = &call.stmt {
            for (index, dst) in dsts.iter().enumerate() {
                let width = self.width(code.locals[*dst].ty);
                let value = values.get(index).map(|value| self.resize(*value, width));
                self.set(path, *dst, value);
            }
        }
        self.follow(path, edge);
        true
    }

    fn spawn(&mut self, path: &mut Path, thread: &Expr, callee: &Callee, args: &[Expr]) {
        let number = self.eval(path, thread);
        let ways = self.callees(path, callee);
        let args: Vec<Value> = args.iter().map(|arg| self.eval(path, arg)).collect();
        let number = self.constant(number.bits).map(|number| number as usize);
        let (Some(number), [(function, condition)]) = (number, &ways[..]) else {
            self.pend_always(ReasonKind::Unsupported, "a thread whose number or function is not known is started");
            return;
        };
        let is_new = (2..=self.threads).contains(&number) && path.started.insert(number);
        if !is_new {
            self.pend_always(ReasonKind::Unmodelled, "a start of a thread that is not new");
        }
        self.require(path, *condition);
        self.settle(path);
        if self.is_impossible(path) {
            return;
        }
        path.is_alone = false;
        let event = self.event(path, "start of a thread", None);
        self.starts.push((number - 1, event));
        let mut child = self.start(number - 1, Some(event));
        // Bytes that are not written any more keep their values; the rest of this copy is never read.
        child.memory = path.memory.clone();
        child.is_exact = path.is_exact;
        self.enter(&mut child, *function, &args);
        self.waiting.push(child);
    }

    fn join(&mut self, path: &mut Path, dst: Option<LocalId>, thread: &Expr) {
        let number = self.eval(path, thread).bits;
        self.settle(path);
        let reached = self.occurs(path);
        let event = self.event(path, "join", None);
        let result = self.unread(self.program.data_model.pointer_bytes());
        self.joins.push(Join { event, reached, number, result: Some(result) });
        if let Some(dst) = dst {
            let ty = self.program.functions[self.at.0].locals[dst].ty;
            self.assign_read(path, dst, ty, result);
        }
    }

    fn end_thread(&mut self, path: &mut Path, result: Option<Value>) {
        if path.region.is_some() {
            self.pend_always(ReasonKind::Unmodelled, "a thread that ends in an atomic region");
            self.settle(path);
            return;
        }
        let mut objects: Vec<u16> = Vec::new();
        for frame in std::mem::take(&mut path.frames).into_iter().rev() {
            objects.extend(frame.objects);
        }
        let own = self.statics.iter().filter(|((owner, _), _)| *owner == Some(path.thread));
        objects.extend(own.map(|(_, number)| *number));
        for number in objects {
            self.kill(path, number);
        }
        let event = self.event(path, "end of a thread", None);
        let result = match result {
            Some(value) => self.resize(value, self.pointer_width()),
            None => self.number(self.pointer_width(), 0),
        };
        self.ends.push(End { thread: path.thread, event, result });
    }
}

/// What an access does besides reading.
#[derive(Default)]
pub(crate) struct Change {
    /// Whether it writes, and the value.
    write: Option<(Term, Value)>,
    /// The read waits until this holds of the value.
    needs: Option<Term>,
    /// The condition on the current value under which the access is blocked; `None` if it never is.
    pub(crate) blocks: Option<Term>,
}

/// The memory orders of a statement; the second applies if it writes nothing.
fn orders(stmt: &Stmt) -> (Order, Order) {
    match stmt {
        Stmt::Fence(order) => (*order, *order),
        Stmt::Lock { .. } => (Order::AcqRel, Order::AcqRel),
        Stmt::Unlock { .. } => (Order::Release, Order::Release),
        // A statement that goes on early and leaves the cell unchanged acquires nothing.
        Stmt::Await { dst, update: Some(update), spurious: Some(early), .. } if update.is_if(*early, *dst) => {
            (Order::Acquire, Order::Relaxed)
        }
        Stmt::Await { .. } => (Order::Acquire, Order::Acquire),
        stmt => {
            let mut orders = stmt.access_orders();
            let success = orders.next().unwrap_or(Order::Plain);
            (success, orders.next().unwrap_or(success))
        }
    }
}

/// Whether a statement changes more than the variables of its function.
fn has_effect(stmt: &Stmt) -> bool {
    match stmt.kind() {
        StmtKind::Local | StmtKind::Condition | StmtKind::Fence | StmtKind::Call | StmtKind::End => false,
        StmtKind::Access => !matches!(stmt, Stmt::Load { .. }),
        StmtKind::Lock => !matches!(stmt, Stmt::Await { update: None, .. }),
        StmtKind::Range | StmtKind::Lifetime | StmtKind::Thread | StmtKind::Region => true,
    }
}
