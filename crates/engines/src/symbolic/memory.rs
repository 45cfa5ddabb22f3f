//! Accesses to memory.

use super::{Base, Done, Evaluator, Halt, Target, ValueOf};
use ir::{Expr, Order, Property, Type};
use smt::Term;

/// The target of an access of an engine.
pub(crate) type TargetOf<E> = Target<<E as Evaluator>::Object>;

/// An access that reads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reading {
    Load(Order),
    /// A read-modify-write.
    Update(Order),
    /// A compare-exchange: whether it succeeds, and the orders of a success and of a failure.
    Exchange(Term, Order, Order),
}

/// The memory that statements access.
pub(crate) trait Memory: Evaluator {
    /// Whether the engine knows where every pointer leads: a number then leads nowhere.
    const KNOWS_POINTERS: bool;

    /// An access, before it reads; an update, before it writes.
    fn access(&mut self, run: &mut Self::Run, target: &TargetOf<Self>, reading: Reading) -> Done;
    fn read(&mut self, run: &mut Self::Run, target: &TargetOf<Self>, ty: Type) -> Done<ValueOf<Self>>;
    /// The write of an update.
    fn write(&mut self, run: &mut Self::Run, target: &TargetOf<Self>, ty: Type, value: ValueOf<Self>) -> Done;
    fn store(
        &mut self,
        run: &mut Self::Run,
        target: &TargetOf<Self>,
        ty: Type,
        value: ValueOf<Self>,
        order: Order,
    ) -> Done;

    /// The target of an access through a pointer.
    fn locate(&mut self, run: &mut Self::Run, ptr: &Expr, ty: Type, writes: bool) -> Done<TargetOf<Self>> {
        let pointer = self.eval(run, ptr)?;
        self.find(run, pointer, self.bytes(ty), writes)
    }

    /// The target of a valid access.
    fn find(&mut self, run: &mut Self::Run, pointer: ValueOf<Self>, bytes: u64, writes: bool) -> Done<TargetOf<Self>> {
        let (Some(object), is_ghost) = (pointer.base.object(), matches!(pointer.base, Base::Ghost(_))) else {
            return Err(self.invalid(pointer, "access through an invalid pointer"));
        };
        if !self.is_alive(run, object) {
            return Err(self.forbidden(Property::Memory, "access to an object that no longer exists"));
        }
        let size = self.extent(run, object, is_ghost);
        let outside = match size.checked_sub(bytes) {
            Some(most) => {
                let most = self.number_term(self.pointer_width(), u128::from(most));
                self.terms_mut().ult(most, pointer.bits)
            }
            None => self.terms_mut().bool(true),
        };
        if self.terms().as_bool(outside) == Some(true) {
            return Err(self.forbidden(Property::Memory, "access outside an object"));
        }
        self.forbid(run, outside, Property::Memory, "access outside an object");
        if writes && !is_ghost && self.is_constant(object) {
            return Err(self.forbidden(Property::Memory, "write of constant memory"));
        }
        Ok(Target { object, is_ghost, offset: pointer.bits, bytes })
    }

    /// The size of an object or of its ghost.
    fn extent(&self, run: &Self::Run, object: Self::Object, is_ghost: bool) -> u64 {
        let size = self.size(run, object);
        if is_ghost {
            ir::ghost_size(size)
        } else {
            size
        }
    }

    /// The use of a pointer that leads to nothing of the kind wanted, or perhaps not.
    fn invalid(&self, pointer: ValueOf<Self>, detail: &str) -> Halt {
        let is_known = Self::KNOWS_POINTERS || self.constant(pointer.bits).is_some();
        match pointer.base {
            Base::Number if !is_known => {
                Halt::unsupported("a pointer is followed of which it is not known where it leads")
            }
            Base::Elsewhere => Halt::unsupported("memory is accessed that was allocated, or is on a stack and shared"),
            Base::Gone => self.forbidden(Property::Memory, "access to an object that no longer exists"),
            Base::Number | Base::Object(_) | Base::Ghost(_) | Base::Function(_) | Base::Thread(_) => {
                self.forbidden(Property::Memory, detail)
            }
        }
    }

    /// The cell of a lock or wait.
    fn waiting_cell(&mut self, run: &mut Self::Run, ptr: &Expr, ty: Type) -> Done<TargetOf<Self>> {
        let target = self.locate(run, ptr, ty, true)?;
        if !target.is_ghost {
            return Err(Halt::unmodelled("waiting for memory that the program itself can write"));
        }
        Ok(target)
    }
}
