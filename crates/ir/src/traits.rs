//! What statements have in common, stated once: their kind, the variables they set, the expressions they evaluate, the
//! memory they touch, and what they demand of a store buffer. A new statement is one more arm of [`Stmt::traits`].

use crate::expr::{Expr, Type};
use crate::program::LocalId;
use crate::property::Property;
use crate::stmt::{Callee, Order, Stmt};
use smallvec::SmallVec;

/// What a statement is about. Code that treats most statements alike matches on this.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StmtKind {
    /// It changes local variables at most.
    Local,
    /// A condition: an assumption or an assertion.
    Condition,
    /// One access to one cell: load, store, read-modify-write, compare-exchange.
    Access,
    /// A copy or set of a range.
    Range,
    /// It begins or ends the life of an object.
    Lifetime,
    /// A call, or a return.
    Call,
    /// It creates, starts, joins, detaches or ends a thread.
    Thread,
    /// It takes, releases or waits for a cell of a lock or the like.
    Lock,
    /// A fence.
    Fence,
    /// It begins or ends an atomic region.
    Region,
    /// The run ends: the process exits, or what follows is not modelled.
    End,
}

/// When a statement waits, where there are store buffers, until its thread's buffer is empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Drains {
    Never,
    Always,
    /// Unless it goes on early, or fails on ghost memory.
    Regularly,
    /// Where it ends the thread.
    AtThreadEnd,
}

/// The effect of a statement on one piece of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch<'s> {
    /// The address.
    pub ptr: &'s Expr,
    /// The type of the cell; `None` for a range, and for a whole freed object.
    pub ty: Option<Type>,
    /// Whether the old contents may matter.
    pub reads: bool,
    /// Whether the contents may change.
    pub writes: bool,
    /// The memory order (of a success); ranges and frees are plain, blocking and waking operations are not.
    pub order: Order,
}

/// The type of a lock's cell.
pub const LOCK: Type = Type::Int(32);

/// The traits of a statement.
struct Traits<'s> {
    kind: StmtKind,
    writes: SmallVec<[LocalId; 2]>,
    exprs: SmallVec<[&'s Expr; 4]>,
    touches: SmallVec<[Touch<'s>; 2]>,
    /// The memory order where nothing is written, if it is another.
    failure: Option<Order>,
    drains: Drains,
}

impl<'s> Traits<'s> {
    fn new(kind: StmtKind) -> Traits<'s> {
        let (writes, exprs, touches) = (SmallVec::new(), SmallVec::new(), SmallVec::new());
        Traits { kind, writes, exprs, touches, failure: None, drains: Drains::Never }
    }

    fn sets(mut self, locals: impl IntoIterator<Item = &'s LocalId>) -> Traits<'s> {
        self.writes.extend(locals.into_iter().copied());
        self
    }

    fn evaluates(mut self, exprs: impl IntoIterator<Item = &'s Expr>) -> Traits<'s> {
        self.exprs.extend(exprs);
        self
    }

    fn calls(self, callee: &'s Callee, args: &'s [Expr]) -> Traits<'s> {
        match callee {
            Callee::Direct(_) => self.evaluates(args),
            Callee::Indirect(callee) => self.evaluates([callee]).evaluates(args),
        }
    }

    /// Evaluates the address of a cell, and accesses the cell.
    fn cell(mut self, ptr: &'s Expr, ty: Type, (reads, writes): (bool, bool), order: Order) -> Traits<'s> {
        self.touches.push(Touch { ptr, ty: Some(ty), reads, writes, order });
        self.evaluates([ptr])
    }

    /// Evaluates the address of a range, and reads or else writes the range.
    fn range(mut self, ptr: &'s Expr, reads: bool) -> Traits<'s> {
        self.touches.push(Touch { ptr, ty: None, reads, writes: !reads, order: Order::Plain });
        self.evaluates([ptr])
    }

    fn fails(mut self, failure: Order) -> Traits<'s> {
        self.failure = Some(failure);
        self
    }

    fn drains(mut self, drains: Drains) -> Traits<'s> {
        self.drains = drains;
        self
    }

    fn drains_if(self, is_certain: bool) -> Traits<'s> {
        if is_certain {
            self.drains(Drains::Always)
        } else {
            self
        }
    }
}

impl Stmt {
    fn traits(&self) -> Traits<'_> {
        const READ: (bool, bool) = (true, false);
        const WRITTEN: (bool, bool) = (false, true);
        const BOTH: (bool, bool) = (true, true);
        let of = Traits::new;
        match self {
            Stmt::Skip => of(StmtKind::Local),
            Stmt::Assign { dst, value } => of(StmtKind::Local).sets([dst]).evaluates([value]),
            Stmt::Havoc { dst, below } => of(StmtKind::Local).sets([dst]).evaluates(below),
            Stmt::Assume(cond) | Stmt::Assert { cond, .. } => of(StmtKind::Condition).evaluates([cond]),
            Stmt::Load { dst, ty, ptr, access } => of(StmtKind::Access).sets([dst]).cell(ptr, *ty, READ, access.order),
            Stmt::Store { ty, ptr, value, access } => {
                let store = of(StmtKind::Access).cell(ptr, *ty, WRITTEN, access.order).evaluates([value]);
                store.drains_if(access.order == Order::SeqCst)
            }
            Stmt::Rmw { dst, ty, ptr, value, order, .. } => {
                let rmw = of(StmtKind::Access).sets([dst]).cell(ptr, *ty, BOTH, *order).evaluates([value]);
                rmw.drains(Drains::Always)
            }
            Stmt::CompareExchange { old, success, ty, ptr, expected, desired, order, failure, .. } => {
                let exchange = of(StmtKind::Access).sets([old, success]).cell(ptr, *ty, BOTH, *order);
                exchange.evaluates([expected, desired]).fails(*failure).drains(Drains::Regularly)
            }
            Stmt::Fence(order) => of(StmtKind::Fence).drains_if(order.is_full_fence()),
            Stmt::Copy { dst, src, len, .. } => of(StmtKind::Range).range(dst, false).range(src, true).evaluates([len]),
            Stmt::Set { dst, byte, len } => of(StmtKind::Range).range(dst, false).evaluates([byte, len]),
            Stmt::Alloc { dst, size, .. } => of(StmtKind::Lifetime).sets([dst]).evaluates([size]),
            Stmt::Free { ptr } => of(StmtKind::Lifetime).range(ptr, false),
            Stmt::Expire { ptr } => of(StmtKind::Lifetime).evaluates([ptr]),
            Stmt::Call { dsts, callee, args } => of(StmtKind::Call).sets(dsts).calls(callee, args),
            Stmt::Return(values) => of(StmtKind::Call).evaluates(values).drains(Drains::AtThreadEnd),
            Stmt::NewThread { dst } => of(StmtKind::Thread).sets([dst]),
            Stmt::Spawn { thread, callee, args } => {
                of(StmtKind::Thread).evaluates([thread]).calls(callee, args).drains(Drains::Always)
            }
            Stmt::Join { dst, thread } => of(StmtKind::Thread).sets(dst).evaluates([thread]).drains(Drains::Always),
            Stmt::Detach { thread } => of(StmtKind::Thread).evaluates([thread]),
            Stmt::ExitThread(value) => of(StmtKind::Thread).evaluates([value]).drains(Drains::Always),
            Stmt::Lock { ptr } => of(StmtKind::Lock).cell(ptr, LOCK, BOTH, Order::Acquire).drains(Drains::Always),
            Stmt::Unlock { ptr } => of(StmtKind::Lock).cell(ptr, LOCK, BOTH, Order::Release).drains(Drains::Always),
            Stmt::Await { dst, ty, ptr, ready, update, spurious, .. } => {
                let wait = of(StmtKind::Lock).sets(spurious).sets([dst]);
                let wait = wait.cell(ptr, *ty, (true, update.is_some()), Order::AcqRel);
                let drains = if spurious.is_some() { Drains::Regularly } else { Drains::Always };
                wait.evaluates([ready]).evaluates(update).drains(drains)
            }
            Stmt::AtomicBegin { is_fence } | Stmt::AtomicEnd { is_fence } => of(StmtKind::Region).drains_if(*is_fence),
            Stmt::Exit | Stmt::Unmodelled(_) => of(StmtKind::End),
        }
    }

    /// What it is about.
    pub fn kind(&self) -> StmtKind {
        self.traits().kind
    }

    /// Whether it is an assertion about this property.
    pub fn is_assertion(&self, property: Property) -> bool {
        matches!(self, Stmt::Assert { claim, .. } if claim.property() == property)
    }

    /// Whether it may have to wait for another thread.
    pub fn waits(&self) -> bool {
        matches!(self, Stmt::Lock { .. } | Stmt::Await { .. } | Stmt::Join { .. })
    }

    /// The local variables it changes.
    pub fn writes(&self) -> SmallVec<[LocalId; 2]> {
        self.traits().writes
    }

    /// The expressions it evaluates.
    pub fn exprs(&self) -> SmallVec<[&Expr; 4]> {
        self.traits().exprs
    }

    /// The local variables whose values before the statement matter.
    pub fn reads(&self) -> SmallVec<[LocalId; 4]> {
        let mut reads = SmallVec::new();
        let mut add = |expr: &Expr, set: &[LocalId]| {
            expr.for_each(&mut |part| {
                if let Expr::Local(local) = part {
                    if !set.contains(local) {
                        reads.push(*local);
                    }
                }
            });
        };
        if let Stmt::Await { dst, ptr, ready, update, spurious, .. } = self {
            add(ptr, &[]);
            add(ready, &[*dst]);
            let set: SmallVec<[LocalId; 2]> = spurious.iter().copied().chain([*dst]).collect();
            update.iter().for_each(|update| add(update, &set));
        } else {
            self.exprs().into_iter().for_each(|expr| add(expr, &[]));
        }
        reads
    }

    /// The memory it reads, writes or ends the life of.
    pub fn touches(&self) -> SmallVec<[Touch<'_>; 2]> {
        self.traits().touches
    }

    /// The cell that it accesses, locks, unlocks or waits for: its address and type.
    pub fn cell(&self) -> Option<(&Expr, Type)> {
        let touches = self.traits().touches;
        touches.first().and_then(|touch| Some((touch.ptr, touch.ty?)))
    }

    /// The memory orders of its access.
    pub fn access_orders(&self) -> impl Iterator<Item = Order> {
        let traits = self.traits();
        let order = traits.touches.first().map(|touch| touch.order);
        order.filter(|_| traits.kind == StmtKind::Access).into_iter().chain(traits.failure)
    }

    /// Whether it waits, where there are store buffers, until its thread's buffer is empty. A return does where it ends
    /// the thread.
    pub fn drains(&self, is_last_frame: bool) -> bool {
        match self.traits().drains {
            Drains::Never => false,
            Drains::Always | Drains::Regularly => true,
            Drains::AtThreadEnd => is_last_frame,
        }
    }

    /// Whether it waits for an empty store buffer only on its regular outcome: a wait that may go on early. So does a
    /// compare-exchange of ghost memory, which is a load of that if it fails; of other memory it is an instruction that
    /// waits in any case.
    pub fn may_drain(&self) -> bool {
        self.traits().drains == Drains::Regularly
    }
}
