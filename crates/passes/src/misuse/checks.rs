//! The checks as statements: what they inspect, and the consequence.

use super::{room, Changes, Check, Kind, Role};
use crate::chain::{Chain, RELAXED};
use base::Id;
use ir::{
    Access, BinaryOp, Claim, Edge, EdgeId, Expr, Function, FunctionId, LocId, Local, LocalId, Program, Stmt,
    SyncObject, Type, Unmodelled,
};

/// Word 8 of a record after initialisation (where the model does not say more) and after destruction.
const INITIALISED: u128 = 1;
const DESTROYED: u128 = 0xffff_ffff;
/// Word 0 of a once flag while the initialisation runs.
const ONCE_RUNNING: u128 = 1;

pub(super) fn apply(program: &mut Program, mut changes: Changes) {
    let mut done: Vec<((FunctionId, EdgeId), Check)> = Vec::new();
    for item in changes.checks.drain(..) {
        if !done.contains(&item) {
            done.push(item);
        }
    }
    for (function, param, local) in changes.saved.drain(..) {
        save(&mut program.functions[function], param, local);
    }
    let width = program.data_model.pointer_width();
    for ((function, edge), pointer, kind, role) in changes.notes {
        let mut chain = Chain::new(&mut program.functions[function], edge, role == Role::Init, width);
        chain.note(&pointer, if role == Role::Init { INITIALISED } else { DESTROYED });
        if role == Role::Destroy && kind.object == SyncObject::Semaphore {
            chain.store(&pointer, 0, 0);
        }
        chain.finish();
    }
    for ((function, edge), check) in done {
        let is_before = match &check {
            Check::NotDestroyed(..)
            | Check::Initialised(..)
            | Check::Exclusive(..)
            | Check::Shared(..)
            | Check::Room { .. }
            | Check::NoRoom { .. } => true,
            Check::Written { .. }
            | Check::Copied { .. }
            | Check::All { .. }
            | Check::Vague { .. }
            | Check::If { .. } => false,
        };
        let mut chain = Chain::new(&mut program.functions[function], edge, is_before, width);
        chain.check(&check);
        chain.finish();
    }
}

/// Saves the initial value of a parameter.
fn save(function: &mut Function, param: LocalId, local: LocalId) {
    let name = format!("heddle.{}", function.locals.len());
    let added = function.locals.push(Local { name, ty: Type::Ptr });
    assert!(added == local, "variables should be added in the order in which they were numbered");
    let entry = LocId::new(function.locs);
    function.locs += 1;
    let stmt = Stmt::Assign { dst: local, value: Expr::Local(param) };
    function.edges.push(Edge { from: entry, to: function.entry, stmt, span: function.span });
    function.entry = entry;
}

fn equal(one: Expr, width: u16, number: u128) -> Expr {
    Expr::binary(BinaryOp::Eq, Type::Int(width), one, Expr::int(width, number))
}

fn either(one: Expr, other: Expr) -> Expr {
    Expr::binary(BinaryOp::Or, Type::BOOL, one, other)
}

impl Chain<'_> {
    /// The recorded state of an object.
    fn state(&mut self, pointer: &Expr) -> Expr {
        self.load_word(pointer, 8)
    }

    fn note(&mut self, pointer: &Expr, state: u128) {
        self.store(pointer, 8, state);
    }

    fn check(&mut self, check: &Check) {
        match check {
            Check::NotDestroyed(pointer, kind) => {
                let cond = Expr::negate(equal(self.state(pointer), 32, DESTROYED));
                self.add(Stmt::Assert { cond, claim: Claim::NotDestroyed(kind.object), is_defined: false });
            }
            Check::Initialised(pointer, kind) => self.initialised(pointer, kind),
            Check::Exclusive(pointer) => {
                let (ty, ptr, value) = (Type::Int(8), pointer.clone(), Expr::int(8, 0));
                self.add(Stmt::Store { ty, ptr, value, access: Access::PLAIN });
            }
            Check::Shared(pointer) => {
                self.load(pointer.clone(), 8, Access::PLAIN);
            }
            Check::Room { pointer, bytes } => {
                self.load_word(pointer, room::last_word(*bytes));
            }
            Check::NoRoom { kind, is_certain: true } => {
                let cond = Expr::bool(false);
                self.add(Stmt::Assert { cond, claim: Claim::Room(kind.object), is_defined: false });
            }
            Check::NoRoom { kind, is_certain: false } => {
                self.add(Stmt::Unmodelled(
                    format!("a {} in an object that may be too small for it", kind.object).into(),
                ));
            }
            Check::Written { at, kind, is_zero, source } => self.written(at, kind, *is_zero, source.as_ref()),
            Check::Copied { at, kind } => {
                let state = self.state(at);
                let is_known = either(equal(state.clone(), 32, 0), equal(state, 32, INITIALISED));
                let bad = either(self.is_in_use(at, kind), Expr::negate(is_known));
                self.refuse(bad, Unmodelled::BytesCopied(kind.object));
            }
            Check::All { len, one } => self.all(len, one),
            Check::Vague { kind } => {
                self.add(Stmt::Unmodelled(format!("writing what may be bytes of a {}", kind.object).into()))
            }
            Check::If { cond, one } => self.unless(Expr::negate(cond.clone()), |chain| chain.check(one)),
        }
    }

    fn initialised(&mut self, pointer: &Expr, kind: &Kind) {
        let is_bare = equal(self.state(pointer), 32, 0);
        let what = Unmodelled::Other(format!("use of a {} that was not initialised", kind.object));
        if kind.object == SyncObject::SpinLock {
            return self.refuse(is_bare, what);
        }
        // The byte is read only where it matters: it may be arbitrary.
        let (from, bare, good) = (self.last, self.location(), self.location());
        self.link(from, bare, Stmt::Assume(is_bare.clone()));
        self.link(from, good, Stmt::Assume(Expr::negate(is_bare)));
        self.last = bare;
        let byte = self.load(pointer.clone(), 8, Access::PLAIN);
        self.refuse(Expr::negate(equal(byte, 8, 0)), what);
        self.link(self.last, good, Stmt::Skip);
        self.last = good;
    }

    fn is_in_use(&mut self, pointer: &Expr, kind: &Kind) -> Expr {
        let mut is_used = Expr::bool(false);
        for &(offset, width) in kind.words {
            let ptr = self.word(pointer, offset);
            let word = self.load(ptr, width, RELAXED);
            let is_set = Expr::negate(equal(word, width, 0));
            is_used = if is_used == Expr::bool(false) { is_set } else { either(is_used, is_set) };
        }
        is_used
    }

    fn written(&mut self, pointer: &Expr, kind: &Kind, is_zero: bool, source: Option<&Expr>) {
        let bad = match kind.object {
            // Set to zero it is a new one, but not while a thread is using it.
            SyncObject::OnceFlag if is_zero => {
                let ptr = self.word(pointer, 0);
                equal(self.load(ptr, 32, RELAXED), 32, ONCE_RUNNING)
            }
            SyncObject::Semaphore if is_zero => Expr::bool(false),
            SyncObject::Semaphore | SyncObject::SpinLock => {
                either(self.is_in_use(pointer, kind), equal(self.state(pointer), 32, INITIALISED))
            }
            SyncObject::Barrier => {
                let state = self.state(pointer);
                let is_gone = either(equal(state.clone(), 32, 0), equal(state, 32, DESTROYED));
                either(self.is_in_use(pointer, kind), Expr::negate(is_gone))
            }
            _ => self.is_in_use(pointer, kind),
        };
        if bad != Expr::bool(false) {
            self.refuse(bad, Unmodelled::BytesWritten(kind.object));
        }
        if is_zero && matches!(kind.object, SyncObject::OnceFlag | SyncObject::Semaphore) {
            self.store(pointer, 0, 0);
        }
        match source {
            None => self.note(pointer, 0),
            Some(source) => {
                let (state, ptr) = (self.state(source), self.word(pointer, 8));
                self.add(Stmt::Store { ty: Type::Int(32), ptr, value: state, access: RELAXED });
            }
        }
    }

    /// Checks every place in a range.
    fn all(&mut self, len: &Expr, one: &Check) {
        let size = Type::Int(self.pointer_width);
        let (zero, four) = (Expr::int(self.pointer_width, 0), Expr::int(self.pointer_width, 4));
        let index = self.local(size);
        self.add(Stmt::Assign { dst: index, value: zero });
        let next = Expr::binary(BinaryOp::Add, size, Expr::Local(index), four);
        let goes_on = Expr::binary(BinaryOp::Ule, size, next.clone(), len.clone());
        let (head, body, end) = (self.last, self.location(), self.location());
        self.link(head, body, Stmt::Assume(goes_on.clone()));
        self.link(head, end, Stmt::Assume(Expr::negate(goes_on)));
        self.last = body;
        let here = |from: &Expr| Expr::offset(from.clone(), Expr::Local(index));
        match one {
            Check::Copied { at, kind } => self.check(&Check::Copied { at: here(at), kind }),
            Check::Written { at, kind, is_zero, source } => {
                self.written(&here(at), kind, *is_zero, source.as_ref().map(here).as_ref());
            }
            Check::NotDestroyed(..)
            | Check::Initialised(..)
            | Check::Exclusive(..)
            | Check::Shared(..)
            | Check::Room { .. }
            | Check::NoRoom { .. }
            | Check::All { .. }
            | Check::Vague { .. }
            | Check::If { .. } => {}
        }
        self.link(self.last, head, Stmt::Assign { dst: index, value: next });
        self.last = end;
    }
}
